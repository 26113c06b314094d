//! Nothing raw reaches a log, at any level.

use crate::scenarios;
use crate::support::{EPOCH, MANAGER, POLICY, Server, hex, id_of, reports, resolve};
use privet_policy::Tally;
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, Mutex};
use tracing_subscriber::filter::LevelFilter;

/// Everything that is logged in this process, by other tests too.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The ways in which bytes could be written down.
fn spellings(bytes: &[u8]) -> [String; 3] {
    let list = format!("{bytes:?}");
    [hex(bytes), hex(bytes).to_uppercase(), list[1..list.len() - 1].to_owned()]
}

#[test]
fn nothing_raw_is_logged() {
    let captured = Captured::default();
    let writer = captured.clone();
    let lines = tracing_subscriber::fmt().json().with_max_level(LevelFilter::TRACE);
    let lines = lines.with_writer(move || writer.clone()).finish();
    tracing::subscriber::set_global_default(lines).unwrap();
    let server = Server::sqlite();
    let (manager, visitor) = (server.manager(), server.visitor());
    let text = POLICY.replace("travel", "write nothing down");
    let collection = manager.create(&text);
    let all = reports(&resolve(&text), 120, 71);
    let mut secrets: Vec<String> = vec![MANAGER.to_owned(), "a-token-of-nobody-at-all".to_owned()];
    for report in &all {
        secrets.extend(spellings(&report[10..26]));
        secrets.extend(spellings(&report[26..]));
    }
    // Accepted, again, changed, damaged, in digits, withdrawn, asked for by a stranger.
    visitor.submit(&collection, &all.concat());
    visitor.submit(&collection, &all[0]);
    let mut other = all[1].clone();
    other[30] ^= 1;
    assert_eq!(visitor.submit(&collection, &other).status, 409);
    assert_eq!(visitor.submit(&collection, &all[2][1..]).status, 422);
    visitor.post_json(&format!("{collection}/reports"), &json!({ "reports": [hex(&all[3]), "zz"] }));
    let path = format!("{collection}/reports/{}", id_of(&all[4]));
    assert_eq!(visitor.delete(&path).status, 204);
    assert_eq!(visitor.submit(&collection, &all[4]).status, 410);
    let stranger = server.visitor().with_token("a-token-of-nobody-at-all");
    assert_eq!(stranger.get(&format!("{collection}/export?format=csv")).status, 401);
    assert_eq!(manager.get(&format!("{collection}/export?format=csv")).status, 200);
    manager.get(&format!("{collection}/estimate?fresh=true"));
    // Tokens of people, and summaries of others.
    let text = text.replace("nothing", "no token");
    let created = manager.post("/v1/collections?tokens=true", "application/toml", text.as_bytes());
    let with_tokens = format!("/v1/collections/{}", created.json()["id"].as_str().unwrap());
    let token = scenarios::token(&manager, &with_tokens, [0xa7; 32]);
    secrets.extend(spellings(&token[..32]));
    secrets.extend(spellings(&token[32..64]));
    let report = reports(&resolve(&text), 1, 72).remove(0);
    assert_eq!(visitor.submit(&with_tokens, &[report.as_slice(), &token].concat()).status, 200);
    assert_eq!(visitor.submit(&with_tokens, &[all[5].as_slice(), &token].concat()).status, 422);
    let summary = Tally::new(resolve(&text)).unwrap().empty_summary().to_bytes();
    let body = json!({ "id": "5".repeat(32), "source": "x", "epoch": EPOCH, "summary": hex(&summary) });
    manager.post_json(&format!("{with_tokens}/summaries"), &body);
    secrets.push("5".repeat(32));
    drop(server);
    let log = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
    // It is the log of these requests.
    assert!(
        log.contains("/v1/collections/{id}/reports/{report_id}") && log.contains("\"status\":409"),
        "{log}"
    );
    for secret in &secrets {
        let line = log.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{secret} in {line:?}");
    }
}
