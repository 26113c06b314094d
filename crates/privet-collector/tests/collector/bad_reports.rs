//! Every report that does not count has a problem of its own.

use crate::support::{EPOCH, POLICY, Server, Visitor, hex, outcomes, reports, reports_with, resolve};
use privet_collector::Clock;
use privet_core::Generator;
use serde_json::json;

fn submit(visitor: &Visitor, collection: &str, report: &[u8]) -> (u16, String) {
    visitor.submit(collection, report).problem()
}

#[test]
fn each_kind_of_bad_report_has_its_own_problem() {
    let server = Server::sqlite();
    let (visitor, collection) = (server.visitor(), server.manager().create(POLICY));
    let policy = resolve(POLICY);
    let sound = reports(&policy, 2, 1);
    let with = |at: usize, byte: u8| {
        let mut report = sound[0].clone();
        report[at] = byte;
        report
    };
    let seeded = reports_with(&policy, 1, &mut Generator::from_insecure_seed(1)).remove(0);
    let foreign = reports(&resolve(&POLICY.replace("lanes", "ways")), 1, 1).remove(0);
    let cases: [(Vec<u8>, u16, &str); 11] = [
        (Vec::new(), 422, "report-length"),
        (sound[0][1..].to_vec(), 422, "report-length"),
        ([sound[0].as_slice(), &[0]].concat(), 422, "report-length"),
        (with(0, 9), 422, "report-version"),
        (with(1, 7), 422, "report-mark"),
        (seeded, 422, "report-insecure-seed"),
        (foreign, 422, "report-foreign"),
        (with(27, 1), 422, "report-epoch"),
        (with(26, EPOCH as u8 + 2), 422, "report-early"),
        (with(30, 2), 422, "report-public-value"),
        (with(32, 4), 422, "report-impossible"),
    ];
    for (report, status, code) in &cases {
        assert_eq!(submit(&visitor, &collection, report), (*status, (*code).to_owned()));
    }
    assert_eq!(visitor.reports(&collection), 0);
    // Tomorrow is today in the east.
    let tomorrow = with(26, EPOCH as u8 + 1);
    assert_eq!(outcomes(&visitor.submit(&collection, &tomorrow)), [1, 0, 0]);
    // Sound ones among the others count.
    let mixed = [with(0, 9), sound[1].clone(), with(32, 4)].concat();
    let reply = visitor.submit(&collection, &mixed);
    assert_eq!((reply.status, outcomes(&reply)), (207, [1, 0, 2]));
    let problems = reply.json()["problems"].clone();
    assert_eq!((&problems[0]["index"], &problems[1]["index"]), (&json!(0), &json!(2)));
    assert_eq!(problems[1]["type"], "urn:privet:problem:report-impossible");
    let none = [with(0, 9), with(32, 4)].concat();
    let reply = visitor.submit(&collection, &none);
    assert_eq!(reply.problem(), (422, "reports-refused".to_owned()));
    assert_eq!(reply.json()["problems"].as_array().unwrap().len(), 2);
    let page = String::from_utf8(visitor.get("/metrics").body).unwrap();
    assert!(page.contains("privet_refused_reports_total{problem=\"report-impossible\"} 3"), "{page}");
}

/// Whatever is wrong has a name that nothing else has.
#[test]
fn no_two_kinds_share_a_problem() {
    let mut server = Server::sqlite_with(|config| config.limits.body_bytes = 2000);
    let (manager, visitor, policy) = (server.manager(), server.visitor(), resolve(POLICY));
    let collection = manager.create(POLICY);
    let all = reports(&policy, 60, 1);
    let changed = |at: usize, byte: u8| {
        let mut report = all[0].clone();
        report[at] = byte;
        report
    };
    assert_eq!(outcomes(&visitor.submit(&collection, &all[1])), [1, 0, 0]);
    let mut replayed = all[1].clone();
    replayed[30] ^= 1;
    assert_eq!(outcomes(&visitor.submit(&collection, &all[2])), [1, 0, 0]);
    let withdrawn = format!("{collection}/reports/{}", crate::support::id_of(&all[2]));
    assert_eq!(visitor.delete(&withdrawn).status, 204);
    let text = POLICY.replace("travel", "go");
    let created = manager.post("/v1/collections?tokens=true", "application/toml", text.as_bytes());
    let with_tokens = format!("/v1/collections/{}", created.json()["id"].as_str().unwrap());
    let token = crate::scenarios::token(&manager, &with_tokens, [3; 32]);
    let paid: Vec<Vec<u8>> =
        reports(&resolve(&text), 2, 1).into_iter().map(|report| [report, token.clone()].concat()).collect();
    assert_eq!(outcomes(&visitor.submit(&with_tokens, &paid[0])), [1, 0, 0]);
    let forged = [&paid[1][..paid[1].len() - 1], &[paid[1][paid[1].len() - 1] ^ 1]].concat();
    let seeded = reports_with(&policy, 1, &mut Generator::from_insecure_seed(1)).remove(0);
    let foreign = reports(&resolve(&POLICY.replace("lanes", "ways")), 1, 1).remove(0);
    let mut found: Vec<(&str, (u16, String))> = Vec::new();
    for (kind, to, report) in [
        ("malformed: its length", &collection, all[0][1..].to_vec()),
        ("malformed: its version", &collection, changed(0, 9)),
        ("malformed: its mark", &collection, changed(1, 7)),
        ("malformed: its epoch", &collection, changed(27, 1)),
        ("malformed: its public value", &collection, changed(30, 2)),
        ("malformed: its answer", &collection, changed(32, 4)),
        ("oversized", &collection, all.concat()),
        ("replayed with other content", &collection, replayed),
        ("replayed after a withdrawal", &collection, all[2].clone()),
        ("foreign", &collection, foreign),
        ("early: its epoch", &collection, changed(26, EPOCH as u8 + 2)),
        ("seeded", &collection, seeded),
        ("a forged token", &with_tokens, forged),
        ("a spent token", &with_tokens, paid[1].clone()),
    ] {
        found.push((kind, submit(&visitor, to, &report)));
    }
    for (kind, day) in [("early: not open", "2026-02-01"), ("late", "2026-05-01")] {
        server.restart_with(|config| config.clock = Clock::at_noon(day.parse().unwrap()));
        found.push((kind, submit(&server.visitor(), &collection, &all[0])));
    }
    let statuses: Vec<u16> = found.iter().map(|(_, (status, _))| *status).collect();
    assert_eq!(statuses, [422, 422, 422, 422, 422, 422, 413, 409, 410, 422, 422, 422, 403, 409, 409, 410]);
    let names: std::collections::BTreeSet<&str> = found.iter().map(|(_, (_, name))| name.as_str()).collect();
    assert_eq!(names.len(), found.len(), "{found:?}");
}

#[test]
fn a_collection_takes_reports_while_it_is_open_somewhere() {
    let policy = resolve(POLICY);
    let report = reports(&policy, 2, 1).remove(1);
    let first_day = {
        let mut report = report.clone();
        report[26] = 0;
        report
    };
    for (day, state, problem) in [
        ("2026-02-27", "not-yet-open", Some((409, "collection-not-open"))),
        ("2026-02-28", "open", None),
        ("2026-03-31", "open", None),
        ("2026-04-02", "closed", Some((410, "collection-closed"))),
    ] {
        let server = Server::sqlite_with(|config| config.clock = Clock::at_noon(day.parse().unwrap()));
        let (visitor, collection) = (server.visitor(), server.manager().create(POLICY));
        assert_eq!(visitor.get(&collection).json()["state"], state, "{day}");
        let reply = visitor.submit(&collection, &first_day);
        match problem {
            Some((status, code)) => assert_eq!(reply.problem(), (status, code.to_owned()), "{day}"),
            None => assert_eq!(outcomes(&reply), [1, 0, 0], "{day}"),
        }
    }
}

#[test]
fn reports_can_be_written_in_digits() {
    let server = Server::sqlite();
    let (visitor, collection) = (server.visitor(), server.manager().create(POLICY));
    let all = reports(&resolve(POLICY), 3, 1);
    let path = format!("{collection}/reports");
    let submit = |reports: &[String]| visitor.post_json(&path, &json!({ "reports": reports }));
    let digits: Vec<String> = all.iter().map(|report| hex(report)).collect();
    assert_eq!(outcomes(&submit(&digits[..1])), [1, 0, 0]);
    assert_eq!(submit(&["zz".to_owned()]).problem(), (422, "report-text".to_owned()));
    assert_eq!(submit(&[digits[1][2..].to_owned()]).problem(), (422, "report-length".to_owned()));
    assert_eq!(submit(&[]).problem(), (422, "report-length".to_owned()));
    let mixed = [digits[1].clone(), "zz".to_owned(), digits[0].clone(), digits[2][2..].to_owned()];
    let reply = submit(&mixed);
    assert_eq!((reply.status, outcomes(&reply)), (207, [1, 1, 2]));
    let problems = reply.json()["problems"].clone();
    assert_eq!(problems[0]["type"], "urn:privet:problem:report-text");
    assert_eq!(problems[1]["type"], "urn:privet:problem:report-length");
    assert_eq!((&problems[0]["index"], &problems[1]["index"]), (&json!(1), &json!(3)));
    for body in ["", "{}", "[]", "{\"reports\": 5}", "{\"reports\": [], \"more\": 1}"] {
        let reply = visitor.post(&path, "application/json", body.as_bytes());
        assert_eq!(reply.problem(), (400, "json".to_owned()), "{body}");
    }
}
