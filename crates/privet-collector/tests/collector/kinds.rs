//! Places, paths, vectors and pairs are collected like everything else.

use crate::estimates::parquet_batches;
use crate::support::{EPOCH, Server, Visitor, id_of, resolve};
use arrow_array::{Array, BooleanArray};
use privet_core::Generator;
use privet_policy::{Answers, Client};
use serde_json::{Value, json};

const KINDS: &str = r#"
name = "Where we are"
purpose = "Plan bus lines"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "day"
minimum_reports = 100
contribution = "split"

[budget]
epsilon = 20
period = "collection"

[[attribute]]
name = "home"
question = "Where do you live?"
domain = "rectangle:0,10,0,5"
goal = "distribution"
mechanism = "window-2d"
bins = 2
epsilon = 4

[[attribute]]
name = "day"
question = "Where were you today?"
domain = "rectangle:0,10,0,5"
goal = "distribution"
mechanism = "window-2d"
bins = 2
places = 2
epsilon = 8

[[attribute]]
name = "steps"
question = "How far did you go, east and north?"
domain = "vector:2"
goal = "mean"
mechanism = "privunit"
radius = 3
epsilon = 4

[[attribute]]
name = "ticket"
question = "Do you have a ticket?"
domain = "binary"
goal = "frequency"
mechanism = "joint-response"
users = 1000
colluders = 1
epsilon = 2
cap = 3
relay = "one.example:7001,two.example:7001,three.example:7001"
"#;

#[test]
fn all_kinds_are_counted_withdrawn_and_exported() {
    let server = Server::sqlite();
    let collection = server.manager().create(KINDS);
    let policy = resolve(KINDS);
    let (client, mut rng) = (Client::new([9; 32]), Generator::from_entropy([5; 32]));
    let answers = |person: usize| {
        Answers::new()
            .value("home", ["9,4", "1,1", "1,1", "1,1"][person % 4])
            .value("day", "1,1; 9,4")
            .value("steps", "3,0")
            .value("ticket", ["1", "0"][person % 2])
    };
    let reports: Vec<Vec<u8>> =
        (0..600).map(|person| client.perturb(&policy, &answers(person), EPOCH, &mut rng).unwrap()).collect();
    assert_eq!(server.visitor().submit(&collection, &reports[..90].concat()).status, 200);
    let few = server.visitor().estimates(&collection, "");
    assert!(few.as_array().unwrap().iter().all(|estimate| estimate["withheld"] == json!(true)), "{few}");
    assert_eq!(server.visitor().submit(&collection, &reports[90..].concat()).status, 200);
    let estimates = server.visitor().estimates(&collection, "");
    let near = |estimate: &serde_json::Value, index: usize, truth: f64| {
        let row = &estimate["estimates"][index];
        let (value, error) = (row["value"].as_f64().unwrap(), row["standard_error"].as_f64().unwrap());
        assert!((value - truth).abs() < 5.0 * error + 0.02, "{row} {truth}");
    };
    let [home, day, steps, ticket] = [0, 1, 2, 3].map(|index| &estimates[index]);
    near(home, 3, 0.25);
    assert_eq!(
        (&home["estimates"][3]["to"], &home["plausibility"]["warning"]),
        (&json!([10.0, 5.0]), &json!(false))
    );
    assert!(
        home["influence"].as_f64().unwrap() > 0.0 && home["robust"]["rows"][3]["bounds"].is_array(),
        "{home}"
    );
    near(day, 0, 0.5);
    near(steps, 0, 3.0);
    near(steps, 1, 0.0);
    near(ticket, 1, 0.5);
    assert_eq!(ticket["guarantee"]["kind"], "average");
    assert_exported(&server.visitor(), &collection, home);
    // What was taken out is gone, and counting again gives the same bytes.
    assert_eq!(server.visitor().delete(&format!("{collection}/reports/{}", id_of(&reports[0]))).status, 204);
    assert_eq!(server.visitor().estimates(&collection, "?attribute=steps")[0]["n"], 599);
    let recount = server.manager().post(&format!("{collection}/recount"), "", &[]).json();
    assert_eq!(recount["same"], true, "{recount}");
    for columns in ["steps", "home"] {
        let cross = server.visitor().get(&format!("{collection}/cross-table?rows=ticket&columns={columns}"));
        assert!((400..500).contains(&cross.problem().0), "{columns}");
    }
}

/// Exported cells say where they lie, and exported coordinates which ones they are.
fn assert_exported(visitor: &Visitor, collection: &str, home: &Value) {
    let rows = |attribute: &str| -> Vec<Value> {
        let path = format!("{collection}/estimate/export?format=jsonl&attribute={attribute}");
        let lines = String::from_utf8(visitor.get(&path).body).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let cells = rows("home");
    assert_eq!(cells.len(), 4);
    for (row, cell) in cells.iter().zip(home["estimates"].as_array().unwrap()) {
        let corners = [[&row["from_x"], &row["from_y"]], [&row["to_x"], &row["to_y"]]];
        assert_eq!(json!(corners), json!([cell["from"], cell["to"]]), "{row}");
        assert_eq!(
            (&row["label"], &row["value"], &row["low"]),
            (&cell["label"], &cell["value"], &cell["interval"][0])
        );
    }
    assert_eq!(json!([cells[3]["from_x"], cells[3]["from_y"]]), json!([5.0, 2.5]));
    let coordinates: Vec<Value> = rows("steps").iter().map(|row| row["coordinate"].clone()).collect();
    assert_eq!(coordinates, [0, 1]);
    let path = format!("{collection}/estimate/export?format=csv&attribute=home");
    let text = String::from_utf8(visitor.get(&path).body).unwrap();
    let columns = ",bias_bound,target,coordinate,from_x,from_y,to_x,to_y,simultaneous_low,simultaneous_high,direction_told";
    assert!(text.lines().next().unwrap().ends_with(columns), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.contains(",reported,,5.0,2.5,10.0,5.0,"), "{text}");
    let simultaneous = &home["estimates"][3]["simultaneous_interval"];
    let ends: Vec<f64> = last.rsplit(',').skip(1).take(2).map(|end| end.parse().unwrap()).collect();
    assert_eq!(json!([ends[1], ends[0]]), *simultaneous, "{last}");
}

/// A table says whether its direction means anything, and how long the mean vector is.
fn assert_direction_exported(visitor: &Visitor, collection: &str, said: &Value) {
    let get =
        |format: &str| visitor.get(&format!("{collection}/estimate/export?fresh=true&format={format}")).body;
    let lines = String::from_utf8(get("jsonl")).unwrap();
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |part: &str| rows.iter().find(|row| row["part"] == part).unwrap();
    assert_eq!(of("value")["direction_told"], said["direction_told"], "{lines}");
    let (length, expected) = (of("resultant_length"), &said["resultant_length"]);
    for key in ["value", "standard_error", "bias_bound", "n", "method"] {
        assert_eq!(length[key], expected[key], "{key}");
    }
    assert_eq!(json!([length["low"], length["high"]]), expected["interval"], "{length}");
    assert_eq!(length["direction_told"], Value::Null, "{length}");
    let csv = String::from_utf8(get("csv")).unwrap();
    assert!(csv.lines().nth(1).unwrap().ends_with(&format!(",{}", said["direction_told"])), "{csv}");
    let batch = parquet_batches(get("parquet")).remove(0);
    let told = batch.column_by_name("direction_told").unwrap();
    let told = told.as_any().downcast_ref::<BooleanArray>().unwrap();
    assert_eq!((json!(told.value(0)), told.is_null(1)), (said["direction_told"].clone(), true));
}

/// Angles that are evenly spread have no mean direction, and the page does not draw one.
#[test]
fn no_direction_is_told_where_there_is_none() {
    let policy = r#"
        name = "When we leave"
        purpose = "Plan the first bus"
        origin = "https://city.example"
        opens = 2026-03-01
        closes = 2026-03-31
        epoch = "day"
        minimum_reports = 100
        [budget]
        epsilon = 2
        period = "collection"
        [[attribute]]
        name = "leaving"
        question = "When do you leave?"
        domain = "circle:24"
        goal = "distribution"
        mechanism = "optimal-piecewise-circle"
        epsilon = 2
    "#;
    let server = Server::sqlite();
    let collection = server.manager().create(policy);
    let resolved = resolve(policy);
    let (client, mut rng) = (Client::new([9; 32]), Generator::from_entropy([6; 32]));
    let mut submit = |hour: fn(usize) -> usize| {
        let report = |person: usize| {
            let answers = Answers::new().value("leaving", &hour(person).to_string());
            client.perturb(&resolved, &answers, EPOCH, &mut rng).unwrap()
        };
        let all: Vec<u8> = (0..240).flat_map(report).collect();
        assert_eq!(server.visitor().submit(&collection, &all).status, 200);
        let page = server.visitor().get(&collection.replace("/v1", "")).body;
        (server.visitor().estimates(&collection, "?fresh=true")[0].clone(), String::from_utf8(page).unwrap())
    };
    let (spread, page) = submit(|person| person % 24);
    assert_eq!(spread["direction_told"], false, "{spread}");
    assert_direction_exported(&server.visitor(), &collection, &spread);
    assert!(page.contains("No direction can be told") && !page.contains("the dashed line"), "{page}");
    assert!(
        page.contains("among the people who reported") && page.contains("holds for every population"),
        "{page}"
    );
    let (told, page) = submit(|_| 7);
    assert_eq!(told["direction_told"], true, "{told}");
    assert_direction_exported(&server.visitor(), &collection, &told);
    assert!(!page.contains("No direction can be told") && page.contains("the dashed line"), "{page}");
}
