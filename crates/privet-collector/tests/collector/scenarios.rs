//! What must hold on every store.

use crate::support::{EPOCH, POLICY, Server, Visitor, hex, id_of, outcomes, reports, resolve};
use blind_rsa_signatures::{BlindSignature, DefaultRng, PublicKeySha384PSSDeterministic};
use privet_collector::Clock;
use privet_core::Target;
use privet_estimators::Request;
use privet_policy::{ReportCodec, Slice, Tally};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn all(server: &mut Server) {
    reports_count_once(server);
    many_at_once(server);
    withdrawal_takes_reports_out(server);
    tokens_are_spent_once(server);
    summaries_of_others_count_once(server);
    closing_is_for_good(server);
    reports_expire_and_their_counts_stay(server);
}

/// The content of an older program: what version 1 had, with reports that were sent to it. After the start it is as if nothing had happened,
/// and what version 2 brought works.
pub(crate) fn older_content_is_taken_over(server: &mut Server, make_older: impl FnOnce()) {
    let text = policy("Taken over");
    let collection = server.manager().create(&text);
    let all = reports(&resolve(&text), 400, 51);
    assert_eq!(outcomes(&server.visitor().submit(&collection, &all[..300].concat())), [300, 0, 0]);
    let withdrawn = format!("{collection}/reports/{}", id_of(&all[0]));
    assert_eq!(server.visitor().delete(&withdrawn).status, 204);
    server.while_stopped(make_older);
    let visitor = server.visitor();
    assert_eq!(visitor.reports(&collection), 299);
    assert_eq!(outcomes(&visitor.submit(&collection, &all.concat())), [100, 299, 1]);
    assert_same_again(&server.manager(), &collection, 399);
    assert_same_estimates(&visitor, &collection, &text, &all[1..]);
    tokens_are_spent_once(server);
    summaries_of_others_count_once(server);
}

/// A policy of its own for each scenario.
fn policy(name: &str) -> String {
    POLICY.replace("How we travel", name)
}

fn reports_count_once(server: &mut Server) {
    let text = policy("Counting once");
    let (collection, visitor) = (server.manager().create(&text), server.visitor());
    let all = reports(&resolve(&text), 300, 1);
    assert_eq!(outcomes(&visitor.submit(&collection, &all[0])), [1, 0, 0]);
    assert_eq!(outcomes(&visitor.submit(&collection, &all[0])), [0, 1, 0]);
    assert_eq!(outcomes(&visitor.submit(&collection, &all.concat())), [299, 1, 0]);
    assert_eq!(outcomes(&visitor.submit(&collection, &all.concat())), [0, 300, 0]);
    // Twice in one request.
    let twice = reports(&resolve(&text), 301, 2)[300].repeat(2);
    assert_eq!(outcomes(&visitor.submit(&collection, &twice)), [1, 1, 0]);
    // The same id with other bytes, alone and behind a sound one of the same request.
    let mut other = all[0].clone();
    other[30] ^= 1;
    assert_eq!(visitor.submit(&collection, &other).problem(), (409, "report-conflict".to_owned()));
    let mut fresh = reports(&resolve(&text), 1, 3)[0].clone();
    let first = fresh.clone();
    fresh[30] ^= 1;
    let reply = visitor.submit(&collection, &[first, fresh].concat());
    assert_eq!((reply.status, outcomes(&reply)), (207, [1, 0, 1]));
    assert_eq!(reply.json()["problems"][0]["type"], "urn:privet:problem:report-conflict");
    assert_eq!(reply.json()["problems"][0]["index"], 1);
    assert_eq!(visitor.reports(&collection), 302);
    server.restart();
    assert_eq!(server.visitor().reports(&collection), 302);
    assert_same_again(&server.manager(), &collection, 302);
}

/// The counters are those of the kept reports, byte by byte.
pub(crate) fn assert_same_again(manager: &Visitor, collection: &str, kept: u64) {
    let recount = manager.post(&format!("{collection}/recount"), "", &[]).json();
    assert_eq!(recount["same"], true, "{recount}");
    let epochs = recount["epochs"].as_array().unwrap();
    assert_eq!(epochs.iter().map(|epoch| epoch["reports"].as_u64().unwrap()).sum::<u64>(), kept);
}

fn many_at_once(server: &mut Server) {
    let text = policy("Many at once");
    let collection = server.manager().create(&text);
    let all = reports(&resolve(&text), 400, 4);
    // Every report is sent by two people at about the same time.
    std::thread::scope(|scope| {
        for start in [0, 100, 200, 300, 0, 100, 200, 300] {
            let (visitor, mine, collection) = (server.visitor(), &all[start..start + 100], &collection);
            scope.spawn(move || {
                for report in mine {
                    assert_eq!(outcomes(&visitor.submit(collection, report))[2], 0);
                }
            });
        }
    });
    assert_eq!(server.visitor().reports(&collection), 400);
    assert_same_again(&server.manager(), &collection, 400);
    assert_same_estimates(&server.visitor(), &collection, &text, &all);
}

/// What the collector says is what the library says about the same reports.
pub(crate) fn assert_same_estimates(visitor: &Visitor, collection: &str, policy: &str, reports: &[Vec<u8>]) {
    let policy = resolve(policy);
    let codec = ReportCodec::new(Arc::clone(&policy));
    let tally = Tally::new(policy).unwrap();
    let mut summary = tally.empty_summary();
    tally.accumulate(&mut summary, reports.iter().map(|report| codec.check(report).unwrap())).unwrap();
    for target in Target::ALL {
        let said = visitor.estimates(collection, &format!("?fresh=true&target={}", target.as_str()));
        let request = Request { target, ..Request::default() };
        for (attribute, said) in said.as_array().unwrap().iter().enumerate() {
            let expected = tally.estimate(&summary, attribute, Slice::All, &request).unwrap();
            for (key, value) in expected.document().to_json().as_object().unwrap() {
                assert_eq!(said[key], *value, "{attribute} {key} {target:?}");
            }
        }
    }
}

fn withdrawal_takes_reports_out(server: &mut Server) {
    let text = policy("Taking back");
    let (collection, visitor) = (server.manager().create(&text), server.visitor());
    let all = reports(&resolve(&text), 150, 5);
    visitor.submit(&collection, &all.concat());
    let path = |report: &[u8]| format!("{collection}/reports/{}", id_of(report));
    for report in &all[..20] {
        assert_eq!(visitor.delete(&path(report)).status, 204);
    }
    assert_eq!(visitor.delete(&path(&all[0])).status, 204);
    assert_eq!(visitor.reports(&collection), 130);
    // They do not come back.
    assert_eq!(visitor.submit(&collection, &all[0]).problem(), (410, "report-withdrawn".to_owned()));
    assert_eq!(outcomes(&visitor.submit(&collection, &all.concat())), [0, 130, 20]);
    let unknown = visitor.delete(&format!("{collection}/reports/{}", "0".repeat(32)));
    assert_eq!(unknown.problem(), (404, "report-unknown".to_owned()));
    assert_same_again(&server.manager(), &collection, 130);
    assert_same_estimates(&visitor, &collection, &text, &all[20..]);
}

/// A token as a device gets it.
pub(crate) fn token(manager: &Visitor, collection: &str, name: [u8; 32]) -> Vec<u8> {
    let key = manager.get(collection).json()["token_key"].as_str().unwrap().to_owned();
    let key = PublicKeySha384PSSDeterministic::from_pem(&key).unwrap();
    let blinded = key.blind(&mut DefaultRng, name).unwrap();
    let signed =
        manager.post(&format!("{collection}/tokens"), "application/octet-stream", &blinded.blind_message.0);
    assert_eq!(signed.status, 200, "{signed:?}");
    let signature = key.finalize(&BlindSignature(signed.body), &blinded, name).unwrap();
    [name.as_slice(), &signature.0].concat()
}

fn tokens_are_spent_once(server: &mut Server) {
    let text = policy("One person, one report");
    let (manager, visitor) = (server.manager(), server.visitor());
    let created = manager.post("/v1/collections?tokens=true", "application/toml", text.as_bytes());
    assert_eq!(created.status, 201, "{created:?}");
    let collection = format!("/v1/collections/{}", created.json()["id"].as_str().unwrap());
    let without = manager.post("/v1/collections", "application/toml", text.as_bytes());
    assert_eq!(without.problem(), (409, "collection-conflict".to_owned()));
    let all = reports(&resolve(&text), 4, 6);
    let tokens = [1, 2].map(|name| token(&manager, &collection, [name; 32]));
    let with = |report: usize, token: &[u8]| [all[report].as_slice(), token].concat();
    assert_eq!(visitor.submit(&collection, &all[0]).problem(), (422, "report-length".to_owned()));
    let mut forged = tokens[0].clone();
    forged[100] ^= 1;
    assert_eq!(visitor.submit(&collection, &with(0, &forged)).problem(), (403, "token-invalid".to_owned()));
    assert_eq!(outcomes(&visitor.submit(&collection, &with(0, &tokens[0]))), [1, 0, 0]);
    // A retry is one, a second report is not.
    assert_eq!(outcomes(&visitor.submit(&collection, &with(0, &tokens[0]))), [0, 1, 0]);
    assert_eq!(visitor.submit(&collection, &with(1, &tokens[0])).problem(), (409, "token-spent".to_owned()));
    let both = [with(2, &tokens[1]), with(3, &tokens[1])].concat();
    assert_eq!(outcomes(&visitor.submit(&collection, &both)), [1, 0, 1]);
    assert_eq!(visitor.reports(&collection), 2);
    assert_same_again(&manager, &collection, 2);
    // Nobody else signs, and nobody signs where no tokens are needed.
    let path = format!("{collection}/tokens");
    assert_eq!(visitor.post(&path, "application/octet-stream", &[1; 256]).problem().0, 401);
    let open = manager.create(&policy("Without tokens"));
    let refused = manager.post(&format!("{open}/tokens"), "application/octet-stream", &[1; 256]);
    assert_eq!(refused.problem(), (409, "no-tokens".to_owned()));
    assert_eq!(manager.post(&path, "application/octet-stream", &[1; 7]).problem().0, 422);
}

fn summaries_of_others_count_once(server: &mut Server) {
    let text = policy("From elsewhere");
    let (manager, collection) = (server.manager(), server.manager().create(&text));
    let resolved = resolve(&text);
    let codec = ReportCodec::new(Arc::clone(&resolved));
    let tally = Tally::new(Arc::clone(&resolved)).unwrap();
    let all = reports(&resolved, 500, 7);
    let epoch_of = |report: &Vec<u8>| codec.check(report).unwrap().epoch();
    let (theirs, ours): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
        all.iter().enumerate().fold((Vec::new(), Vec::new()), |(mut theirs, mut ours), (index, report)| {
            let is_theirs = index < 300 && epoch_of(report) == EPOCH;
            if is_theirs {
                theirs.push(report.clone())
            } else {
                ours.push(report.clone())
            }
            (theirs, ours)
        });
    let mut summary = tally.empty_summary();
    tally.accumulate(&mut summary, theirs.iter().map(|report| codec.check(report).unwrap())).unwrap();
    let body = |id: &str, epoch: u32, bytes: &[u8]| json!({ "id": id, "source": "Harbour office", "epoch": epoch, "summary": hex(bytes) });
    let path = format!("{collection}/summaries");
    let (one, bytes) = ("1".repeat(32), summary.to_bytes());
    for _ in 0..2 {
        let reply = manager.post_json(&path, &body(&one, EPOCH, &bytes));
        assert_eq!(
            (reply.status, reply.json()["reports"].as_u64()),
            (200, Some(theirs.len() as u64)),
            "{reply:?}"
        );
    }
    let problem = |body: &Value| manager.post_json(&path, body).problem();
    assert_eq!(problem(&body(&one, EPOCH - 1, &bytes)), (409, "summary-conflict".to_owned()));
    assert_eq!(problem(&body(&one, 99, &bytes)), (422, "summary-malformed".to_owned()));
    assert_eq!(problem(&body("short", EPOCH, &bytes)), (422, "summary-malformed".to_owned()));
    assert_eq!(problem(&body(&one, EPOCH, &bytes[..50])), (422, "summary-malformed".to_owned()));
    let other = Tally::new(resolve(&policy("Another policy"))).unwrap().empty_summary().to_bytes();
    assert_eq!(problem(&body(&one, EPOCH, &other)), (422, "summary-foreign".to_owned()));
    // A counter of the first attribute above the number of reports, and more reports than can be counted with the others.
    for (at, code) in [(88..96, "summary-malformed"), (36..44, "summary-overflow")] {
        let mut damaged = bytes.clone();
        damaged[at.clone()].fill(255);
        let reply = manager.post_json(&path, &body(&"2".repeat(32), EPOCH, &damaged));
        assert_eq!(reply.problem(), (422, code.to_owned()), "{at:?}");
    }
    // A single report in another number than there are: each of them says one category.
    let mut damaged = bytes.clone();
    damaged[88] ^= 1;
    let reply = manager.post_json(&path, &body(&"2".repeat(32), EPOCH, &damaged));
    assert_eq!(reply.problem(), (422, "summary-malformed".to_owned()));
    let nobody = server.visitor().post_json(&path, &body(&one, EPOCH, &[]));
    assert_eq!(nobody.problem(), (401, "unauthorized".to_owned()));
    server.visitor().submit(&collection, &ours.concat());
    assert_same_estimates(&server.visitor(), &collection, &text, &all);
    let shown = manager.get(&collection).json();
    assert_eq!(shown["reports"], 500);
    assert_eq!(shown["sources"][0]["source"], "Harbour office");
    assert_same_again(&manager, &collection, ours.len() as u64);
}

fn closing_is_for_good(server: &mut Server) {
    let text = policy("Closing");
    let (manager, visitor) = (server.manager(), server.visitor());
    let collection = manager.create(&text);
    let all = reports(&resolve(&text), 2, 8);
    visitor.submit(&collection, &all[0]);
    let close = format!("{collection}/close");
    assert_eq!(visitor.post(&close, "", &[]).problem(), (401, "unauthorized".to_owned()));
    assert_eq!(visitor.get(&collection).json()["state"], "open");
    assert_eq!([0; 2].map(|_| manager.post(&close, "", &[]).status), [204, 204]);
    assert_eq!(visitor.get(&collection).json()["state"], "closed");
    assert_eq!(visitor.submit(&collection, &all[1]).problem(), (410, "collection-closed".to_owned()));
    assert_eq!(visitor.reports(&collection), 1);
}

/// Thirty days and one more after they arrived, reports are gone.
fn reports_expire_and_their_counts_stay(server: &mut Server) {
    let text = policy("Growing old");
    let (collection, visitor) = (server.manager().create(&text), server.visitor());
    let all = reports(&resolve(&text), 200, 9);
    visitor.submit(&collection, &all[..150].concat());
    let before = visitor.estimates(&collection, "?attribute=commute");
    let later = |day: &str| Clock::at_noon(day.parse().unwrap());
    server.restart_with(|config| config.clock = later("2026-03-31"));
    server.visitor().submit(&collection, &all[150..].concat());
    let wait = |server: &Server, kept: u64| {
        // The collector looks for old reports when it starts, beside its other work.
        for _ in 0..600 {
            let recount = server.manager().post(&format!("{collection}/recount"), "", &[]).json();
            let epochs = recount["epochs"].as_array().unwrap().clone();
            if epochs.iter().map(|epoch| epoch["reports"].as_u64().unwrap()).sum::<u64>() == kept {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{kept} reports should be left");
    };
    server.restart_with(|config| config.clock = later("2026-04-14"));
    wait(server, 200);
    server.restart_with(|config| config.clock = later("2026-04-15"));
    wait(server, 50);
    assert_same_again(&server.manager(), &collection, 50);
    assert_eq!(server.visitor().reports(&collection), 200);
    let path = |report: &[u8]| format!("{collection}/reports/{}", id_of(report));
    let late = server.visitor().delete(&path(&all[0]));
    assert_eq!(late.problem(), (410, "report-expired".to_owned()));
    assert_eq!(server.visitor().delete(&path(&all[199])).status, 204);
    assert_eq!(server.visitor().reports(&collection), 199);
    server.restart_with(|config| config.clock = later("2026-03-31"));
    // What has expired is not counted again.
    assert_eq!(outcomes(&server.visitor().submit(&collection, &all[..150].concat())), [0, 150, 0]);
    assert_eq!(server.visitor().reports(&collection), 199);
    let after = server.visitor().estimates(&collection, "?attribute=commute");
    assert_eq!((before[0]["n"].as_u64(), after[0]["n"].as_u64()), (Some(150), Some(199)));
    server.restart_with(|config| config.clock = later(crate::support::TODAY));
}
