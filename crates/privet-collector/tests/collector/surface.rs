//! The surface as it is documented.

use crate::support::{POLICY, Server, reports, resolve};
use serde_json::Value;

/// The promise: names here are never changed.
const ROUTES: [&str; 18] = [
    "DELETE /v1/collections/{id}/reports/{report_id}",
    "GET /healthz",
    "GET /metrics",
    "GET /openapi.json",
    "GET /v1/collections",
    "GET /v1/collections/{id}",
    "GET /v1/collections/{id}/cross-table",
    "GET /v1/collections/{id}/estimate",
    "GET /v1/collections/{id}/estimate/export",
    "GET /v1/collections/{id}/export",
    "GET /v1/collections/{id}/policy",
    "GET /v1/mechanisms",
    "POST /v1/collections",
    "POST /v1/collections/{id}/close",
    "POST /v1/collections/{id}/recount",
    "POST /v1/collections/{id}/reports",
    "POST /v1/collections/{id}/summaries",
    "POST /v1/collections/{id}/tokens",
];

#[test]
fn the_document_names_every_route_and_problem() {
    let server = Server::sqlite();
    let document = server.visitor().get("/openapi.json").json();
    let mut routes: Vec<String> = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            routes.push(format!("{} {path}", method.to_uppercase()));
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{path}");
            for wide in ["4XX", "5XX"] {
                let schema = &responses[wide]["content"]["application/problem+json"]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/ProblemDocument", "{path} {wide}");
            }
        }
    }
    routes.sort();
    let mut expected: Vec<String> = ROUTES.iter().map(|route| (*route).to_owned()).collect();
    expected.sort();
    assert_eq!(routes, expected);
    assert_references(&document, &document);
}

/// Everything that is referred to is there.
fn assert_references(document: &Value, value: &Value) {
    match value {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            map.values().for_each(|value| assert_references(document, value));
        }
        Value::Array(list) => list.iter().for_each(|value| assert_references(document, value)),
        _ => {}
    }
}

#[test]
fn mechanisms_are_listed_and_health_is_told() {
    let server = Server::sqlite();
    let mechanisms = server.visitor().get("/v1/mechanisms").json();
    let first = &mechanisms[0];
    for key in ["id", "title", "domain", "goal", "guarantee", "numerics", "reference", "status"] {
        assert!(first[key].is_string(), "{key}");
    }
    assert_eq!(mechanisms.as_array().unwrap().len(), privet_policy::registry::mechanisms().count());
    assert_eq!(server.visitor().get("/healthz").json()["status"], "ok");
}

#[test]
fn numbers_for_operators_hold_no_ids() {
    let server = Server::sqlite();
    let (visitor, collection) = (server.visitor(), server.manager().create(POLICY));
    let all = reports(&resolve(POLICY), 30, 1);
    visitor.submit(&collection, &all.concat());
    visitor.submit(&collection, &all[0]);
    visitor.delete(&format!("{collection}/reports/{}", crate::support::id_of(&all[0])));
    let page = String::from_utf8(visitor.get("/metrics").body).unwrap();
    for line in [
        "privet_reports_total{outcome=\"accepted\"} 30",
        "privet_reports_total{outcome=\"duplicate\"} 1",
        "privet_requests_total{method=\"POST\",route=\"/v1/collections/{id}/reports\",status=\"200\"} 2",
        "privet_requests_total{method=\"DELETE\",route=\"/v1/collections/{id}/reports/{report_id}\",status=\"204\"} 1",
        "privet_committed_requests_total 2",
    ] {
        assert!(page.lines().any(|found| found == line), "{line} in\n{page}");
    }
    assert!(!page.contains(&crate::support::id_of(&all[0])));
}
