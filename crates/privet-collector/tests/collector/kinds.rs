//! Places, paths, vectors and pairs are collected like everything else.

use crate::support::{EPOCH, Server, id_of, resolve};
use privet_core::Generator;
use privet_policy::{Answers, Client};
use serde_json::json;

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
