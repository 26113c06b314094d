//! Creating collections.

use crate::support::{MANAGER, POLICY, READER, Server, Visitor, resolve};
use serde_json::json;

#[test]
fn creating_twice_gives_the_same_collection() {
    let server = Server::sqlite();
    let manager = server.manager();
    let create = |kind: &str, text: &str| manager.post("/v1/collections", kind, text.as_bytes());
    let id = resolve(POLICY).id().to_string();
    let first = create("application/toml", POLICY);
    assert_eq!((first.status, first.json()), (201, json!({ "id": id, "created": true })));
    assert_eq!(first.header("location"), format!("/v1/collections/{id}"));
    let again = create("application/toml; charset=utf-8", &format!("# a remark\n{POLICY}"));
    assert_eq!((again.status, again.json()), (200, json!({ "id": id, "created": false })));
    let resolved = create("application/json", resolve(POLICY).to_json());
    assert_eq!((resolved.status, &resolved.json()["id"]), (200, &json!(id)));
    // The policy comes back byte by byte.
    let policy = server.visitor().get(&format!("/v1/collections/{id}/policy"));
    assert_eq!(policy.body, resolve(POLICY).to_json().as_bytes());
    assert_eq!(policy.header("etag"), format!("\"{id}\""));
    let listed = server.visitor().get("/v1/collections").json();
    assert_eq!(
        listed,
        json!({ "collections": [{ "id": id, "name": "How we travel", "created": "2026-03-15", "closed": null }], "next": null })
    );
    let shown = server.visitor().get(&format!("/v1/collections/{id}")).json();
    assert_eq!(
        (&shown["name"], &shown["state"], &shown["reports"]),
        (&json!("How we travel"), &json!("open"), &json!(0))
    );
    assert_eq!(shown["statement"]["total_epsilon"], 9.0);
    assert!(shown["statement_text"].as_str().unwrap().contains("link it to you"));
}

#[test]
fn mistakes_have_a_place() {
    let server = Server::sqlite();
    let create = |text: &str| server.manager().post("/v1/collections", "application/toml", text.as_bytes());
    let reply = create(&POLICY.replace("\"grr\"", "\"grrr\""));
    assert_eq!(reply.problem(), (400, "policy-unknown-mechanism".to_owned()));
    let document = reply.json();
    assert_eq!((&document["line"], &document["column"]), (&json!(21), &json!(13)));
    assert!(document["hint"].as_str().unwrap().contains("grr"), "{document}");
    assert_eq!(create(&POLICY.replace("epsilon = 9", "epsilon = 8")).problem().1, "policy-budget");
    assert_eq!(create("name = ").problem().1, "policy-syntax");
    // A collector does not read its own files for strangers.
    let reply = create(&POLICY.replace("\"grr\"", "\"file:/etc/passwd\""));
    assert_eq!(reply.problem(), (400, "policy-mechanism-file".to_owned()));
    let reply = server.manager().post("/v1/collections", "application/toml", &[0xff, 0xfe]);
    assert_eq!(reply.problem().0, 400);
    let reply = server.manager().post("/v1/collections", "text/plain", POLICY.as_bytes());
    assert_eq!(reply.problem(), (415, "media-type".to_owned()));
    let reply = server.manager().post("/v1/collections?token=true", "application/toml", POLICY.as_bytes());
    assert_eq!(reply.problem(), (400, "query".to_owned()));
    assert_eq!(server.visitor().get("/v1/collections").json()["collections"], json!([]));
}

#[test]
fn tokens_give_rights() {
    let server = Server::sqlite_with(|config| config.access.read = Some(READER.parse().unwrap()));
    let (nobody, reader, manager) =
        (server.visitor(), server.visitor().with_token(READER), server.visitor().with_token(MANAGER));
    let create = |visitor: &Visitor| visitor.post("/v1/collections", "application/toml", POLICY.as_bytes());
    for visitor in [&nobody, &reader] {
        let reply = create(visitor);
        assert_eq!(reply.problem(), (401, "unauthorized".to_owned()));
        assert_eq!(reply.header("www-authenticate"), "Bearer");
    }
    let collection = format!("/v1/collections/{}", create(&manager).json()["id"].as_str().unwrap());
    let statuses = |path: &str| [&nobody, &reader, &manager].map(|visitor| visitor.get(path).status);
    assert_eq!(statuses(&format!("{collection}/estimate")), [401, 200, 200]);
    assert_eq!(statuses("/v1/collections"), [401, 200, 200]);
    assert_eq!(statuses(&format!("{collection}/export?format=csv")), [401, 401, 200]);
    // Who is asked may know what about.
    assert_eq!(statuses(&collection), [200, 200, 200]);
    assert_eq!(statuses(&format!("{collection}/policy")), [200, 200, 200]);
    let open = Server::sqlite_with(|config| config.access.manage = None);
    let collection = open.visitor().create(POLICY);
    let reply = open.visitor().post_json(&format!("{collection}/summaries"), &json!({}));
    assert_eq!(reply.problem(), (403, "no-manager".to_owned()));
    assert_eq!(open.visitor().get(&format!("{collection}/export?format=csv")).problem().0, 403);
}
