//! What a collector does not take on.

use crate::support::{POLICY, Server, Visitor, outcomes, reports, resolve};
use privet_collector::TlsFiles;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::num::NonZeroU32;
use std::process::Command;

#[test]
fn large_and_strange_requests_are_sent_away() {
    let server = Server::sqlite_with(|config| config.limits.body_bytes = 5000);
    let (visitor, collection) = (server.visitor(), server.manager().create(POLICY));
    let all = reports(&resolve(POLICY), 200, 1).concat();
    assert_eq!(visitor.submit(&collection, &all).problem(), (413, "body-too-large".to_owned()));
    let path = format!("{collection}/reports");
    for kind in ["", "text/plain", "application/x-www-form-urlencoded"] {
        assert_eq!(visitor.post(&path, kind, &all[..100]).problem(), (415, "media-type".to_owned()));
    }
    let unknown = format!("/v1/collections/{}", "0".repeat(64));
    assert_eq!(visitor.submit(&unknown, &all[..100]).problem(), (404, "collection-unknown".to_owned()));
    assert_eq!(visitor.get("/v1/collections/nonsense").problem(), (404, "collection-unknown".to_owned()));
    assert_eq!(visitor.get("/v2/nothing").problem(), (404, "page-unknown".to_owned()));
    assert_eq!(visitor.delete(&path).problem(), (405, "method".to_owned()));
    assert_eq!(visitor.reports(&collection), 0);
}

/// Sends bytes and reads the status of the answer.
fn raw(server: &Server, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.url().strip_prefix("http://").unwrap()).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn bodies_without_a_length_and_long_headers_have_limits_too() {
    let server = Server::sqlite_with(|config| config.limits.body_bytes = 5000);
    let collection = server.manager().create(POLICY);
    let head = format!(
        "POST {collection}/reports HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/octet-stream\r\n"
    );
    let chunk = format!("{:x}\r\n{}\r\n", 4000, "a".repeat(4000));
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n");
    assert_eq!(raw(&server, chunked.as_bytes()), "HTTP/1.1 413 Payload Too Large");
    let header = format!("{head}x-long: {}\r\n\r\n", "a".repeat(100_000));
    assert!(raw(&server, header.as_bytes()).contains(" 431 "));
    assert!(raw(&server, b"nonsense\r\n\r\n").contains(" 400 "));
}

#[test]
fn who_comes_too_often_is_sent_away() {
    let server = Server::sqlite_with(|config| config.limits.requests_per_second = NonZeroU32::new(3));
    let visitor = server.visitor();
    let replies: Vec<_> = (0..12).map(|_| visitor.get("/healthz")).collect();
    let refused = replies
        .iter()
        .find(|reply| reply.status != 200)
        .expect("twelve requests take less than three seconds");
    assert_eq!(refused.problem(), (429, "too-many-requests".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(replies[0].status, 200);
}

#[test]
fn without_room_in_memory_requests_wait_elsewhere() {
    let server = Server::sqlite_with(|config| config.limits.memory_bytes = 20_000);
    let manager = server.manager();
    let collection = manager.create(POLICY);
    let all = reports(&resolve(POLICY), 500, 1);
    let reply = server.visitor().submit(&collection, &all.concat());
    assert_eq!(reply.problem(), (503, "too-busy".to_owned()));
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(outcomes(&server.visitor().submit(&collection, &all[0])), [1, 0, 0]);
    assert_eq!(server.visitor().reports(&collection), 1);
}

/// A body of empty texts does not become a body of whole reports.
#[test]
fn short_texts_take_no_room() {
    let server = Server::sqlite();
    let (visitor, collection) = (server.visitor(), server.manager().create(POLICY));
    let path = format!("{collection}/reports");
    let body = format!("{{\"reports\":[{}\"\"]}}", "\"\",".repeat(1_000_000));
    let reply = visitor.post(&path, "application/json", body.as_bytes());
    assert_eq!(reply.problem(), (422, "report-length".to_owned()));
    // As long as reports, and no digits: each is refused by itself, the first hundred by name.
    let text = "z".repeat(2 * reports(&resolve(POLICY), 1, 1)[0].len());
    let body = serde_json::json!({ "reports": vec![text; 50_000] }).to_string();
    let reply = visitor.post(&path, "application/json", body.as_bytes());
    assert_eq!(reply.problem(), (422, "reports-refused".to_owned()));
    let document = reply.json();
    assert_eq!(document["detail"], "none of 50000 reports was accepted");
    assert_eq!(document["problems"].as_array().unwrap().len(), 100);
    assert_eq!(document["problems"][99]["type"], "urn:privet:problem:report-text");
}

#[test]
fn methods_that_nobody_knows_share_a_counter() {
    let server = Server::sqlite();
    for number in 0..5 {
        let request = format!("MADEUP{number} /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        assert!(raw(&server, request.as_bytes()).contains(" 405 "));
    }
    let page = String::from_utf8(server.visitor().get("/metrics").body).unwrap();
    assert!(!page.contains("MADEUP"));
    let line = "privet_requests_total{method=\"other\",route=\"/healthz\",status=\"405\"} 5";
    assert!(page.lines().any(|found| found == line), "{page}");
}

/// Many who announce much and send nothing keep nobody else away.
#[test]
fn announced_bytes_take_no_room() {
    let server = Server::sqlite_with(|config| config.limits.memory_bytes = 100_000);
    let collection = server.manager().create(POLICY);
    let head = format!(
        "POST {collection}/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: 90000\r\n\r\n"
    );
    let slow: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(server.url().strip_prefix("http://").unwrap()).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let waiting = || {
        let page = String::from_utf8(server.visitor().get("/metrics").body).unwrap();
        page.lines().find_map(|line| line.strip_prefix("privet_waiting_bytes ")?.parse::<u32>().ok()).unwrap()
    };
    // All of them wait, with the little that a request takes by itself.
    while waiting() < 20 * 1024 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let all = reports(&resolve(POLICY), 100, 1);
    assert_eq!(outcomes(&server.visitor().submit(&collection, &all.concat())), [100, 0, 0]);
    drop(slow);
}

#[test]
fn the_collector_speaks_tls() {
    let folder = tempfile::tempdir().unwrap();
    let files = TlsFiles { certificate: folder.path().join("certificate"), key: folder.path().join("key") };
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"])
        .arg("-keyout")
        .arg(&files.key)
        .arg("-out")
        .arg(&files.certificate)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "openssl is missing");
        eprintln!("skipped: openssl is missing");
        return;
    }
    let server = Server::sqlite_with(|config| config.tls = Some(files));
    let tls = ureq::tls::TlsConfig::builder().disable_verification(true).build();
    let agent = ureq::Agent::config_builder().http_status_as_error(false).tls_config(tls).build().new_agent();
    let visitor = Visitor::with_agent(&server.url().replace("http:", "https:"), agent);
    assert_eq!(visitor.get("/healthz").json()["status"], "ok");
    let plain = server.visitor().try_request("GET", "/healthz", "", &[]);
    assert!(plain.is_err() || plain.is_ok_and(|reply| reply.status == 400));
}
