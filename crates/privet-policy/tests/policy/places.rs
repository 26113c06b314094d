//! Places and paths by mechanisms on the rectangle itself.

use crate::{one_attribute, resolve, unmarked};
use privet_core::{Channel, DomainSpec, Epsilon, Fraction, Interval, Mechanism, Rectangle};
use privet_mechanisms::plane::SquareWindow;
use privet_policy::{Answers, AttributeKind, Client, ReportCodec, ResolvedPolicy, Slice, Tally};
use std::sync::Arc;

const FIELD: &str = "domain = \"rectangle:0,10,0,5\"\ngoal = \"distribution\"\n";

fn policy(epsilon: f64, lines: &str) -> Arc<ResolvedPolicy> {
    let budget = format!("epsilon = {epsilon}\nperiod = \"month\"");
    resolve(&one_attribute("epoch = \"month\"", &budget, &format!("{FIELD}{lines}"))).unwrap()
}

fn refused(lines: &str) -> String {
    let text = one_attribute("epoch = \"month\"", "epsilon = 1\nperiod = \"month\"", lines);
    resolve(&text).unwrap_err().to_string()
}

/// What reports of these answers are estimated as, with the codec's check of each on the way.
fn estimates(policy: &Arc<ResolvedPolicy>, answers: &[String], seed: u8) -> serde_json::Value {
    let (codec, tally) = (ReportCodec::new(policy.clone()), Tally::new(policy.clone()).unwrap());
    let (client, mut rng) = (Client::new([1; 32]), unmarked(seed));
    let mut summary = tally.empty_summary();
    let reports: Vec<Vec<u8>> = answers
        .iter()
        .map(|answer| client.perturb(policy, &Answers::new().value("a", answer), 0, &mut rng).unwrap())
        .collect();
    tally.accumulate(&mut summary, reports.iter().map(|bytes| codec.check(bytes).unwrap())).unwrap();
    let again = tally.summary_from_bytes(&summary.to_bytes()).unwrap();
    assert_eq!(again, summary);
    tally.estimate(&summary, 0, Slice::All, &Default::default()).unwrap().document().to_json()
}

fn share_of(estimates: &serde_json::Value, place: [f64; 2]) -> &serde_json::Value {
    let rows = estimates["estimates"].as_array().unwrap();
    let holds = |row: &&serde_json::Value| {
        (0..2).all(|axis| {
            let end = |key: &str| row[key][axis].as_f64().unwrap();
            (end("from")..end("to")).contains(&place[axis])
        })
    };
    rows.iter().find(holds).unwrap()
}

#[test]
fn places_by_window_are_found() {
    let policy = policy(4.0, "mechanism = \"window-2d\"\nbins = 4");
    assert_eq!(policy.terms().attributes[0].mechanism, "window-2d");
    let home = |index: usize| if index.is_multiple_of(4) { "9,1" } else { "3.2,3.4" };
    let answers: Vec<String> = (0..4000).map(|index| home(index).to_owned()).collect();
    let found = estimates(&policy, &answers, 3);
    assert_eq!(found["estimates"].as_array().unwrap().len(), 16);
    for (place, truth) in [([9.0, 1.0], 0.25), ([3.2, 3.4], 0.75), ([6.0, 1.0], 0.0)] {
        let row = share_of(&found, place);
        assert!((row["value"].as_f64().unwrap() - truth).abs() < 0.1, "{row}");
        let end = |end: usize| row["simultaneous_interval"][end].as_f64().unwrap();
        assert!((end(0)..=end(1)).contains(&truth), "{row}");
    }
    // Half of the width and half of the height: the first row of cells lies along the first coordinate.
    assert_eq!(found["estimates"][1]["from"], serde_json::json!([2.5, 0.0]));
}

/// The product of the exact ratios of all places is not above e^epsilon, and that of one more place would be.
#[test]
fn a_path_costs_its_epsilon_and_no_more() {
    for (places, epsilon) in [(1, 1.0), (3, 1.0), (7, 0.7), (24, 6.0)] {
        let policy = policy(epsilon, &format!("mechanism = \"window-2d\"\nbins = 4\nplaces = {places}"));
        let attribute = &policy.attributes()[0];
        let AttributeKind::Path { places: told, .. } = attribute.kind() else { panic!() };
        assert_eq!(*told, places);
        let sides = [Interval::new(0.0, 10.0).unwrap(), Interval::new(0.0, 5.0).unwrap()];
        let rectangle = Rectangle::new(sides).unwrap();
        let mut part = epsilon / f64::from(places);
        while part.mul_add(f64::from(places), -epsilon) > 0.0 {
            part = part.next_down();
        }
        let each = SquareWindow::new(rectangle, Epsilon::new(part).unwrap()).unwrap();
        // The first cell from its own corner and from the opposite one, in integers.
        let [one, two] = each.worst_inputs().map(|place| each.probability(&place, &privet_core::Category(0)));
        let worst = &one / &two;
        assert_eq!(worst, each.worst_ratio());
        let product = (0..places).fold(Fraction::whole(1), |product, _| &product * &worst);
        assert!(product.log_rounded_up() <= epsilon.next_up(), "{places}");
        assert!((&product * &worst).log_rounded_up() > epsilon, "{places}");
        assert!(attribute.guarantee().epsilon().get() <= epsilon);
        assert!(attribute.guarantee().epsilon().get() > 0.999 * epsilon);
        assert_eq!(attribute.report_bytes(), each.report_bytes() * places as usize);
        assert_eq!(attribute.cost().epsilon(), epsilon);
    }
}

/// Against an independent script.
#[test]
fn laws_are_those_of_the_formulas() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("../../golden/kinds.json")).unwrap();
    let window = &golden["window"];
    let square =
        Rectangle::new([Interval::new(0.0, 3.0).unwrap(), Interval::new(0.0, 2.0).unwrap()]).unwrap();
    let mechanism = SquareWindow::with_lattice(square, Epsilon::new(2.0).unwrap(), [6, 4]).unwrap();
    let [a, b] = mechanism.window();
    let laws = privet_mechanisms::plane::PlaneReports::cell_laws(&mechanism, 2);
    let expected = window["laws"][format!("{a}x{b}")].as_array().expect("a size that the script knows");
    for (law, expected) in laws.iter().zip(expected) {
        for (mass, expected) in law.iter().zip(expected.as_array().unwrap()) {
            assert!((mass - expected.as_f64().unwrap()).abs() < 1e-12, "{mass} {expected}");
        }
    }
}

#[test]
fn paths_of_any_length_look_alike_and_their_density_is_found() {
    let policy = policy(12.0, "mechanism = \"auto\"\nbins = 2\nplaces = 4");
    assert_eq!(policy.terms().attributes[0].mechanism, "window-2d");
    let (client, mut rng) = (Client::new([1; 32]), unmarked(4));
    let mut lengths = ["1,1", "1,1;9,4", "1,1;2,2;3,3;4,4"]
        .map(|path| client.perturb(&policy, &Answers::new().value("a", path), 0, &mut rng).unwrap().len());
    lengths.sort_unstable();
    assert_eq!(lengths[0], lengths[2]);
    // A quarter of each path is in one corner, the rest in the opposite one.
    let found = estimates(&policy, &vec!["1,1;9,4;9,4".to_owned(); 3000], 5);
    assert_eq!(found["n"], 3000);
    for (place, truth) in [([1.0, 1.0], 0.25), ([9.0, 4.0], 0.75)] {
        let row = share_of(&found, place);
        let (value, error) = (row["value"].as_f64().unwrap(), row["standard_error"].as_f64().unwrap());
        assert!((value - truth).abs() < 5.0 * error && error < 0.05, "{row}");
    }
    let text = policy.statement_text();
    assert!(
        text.contains("every report has 4 places") && text.contains("neither how many there are"),
        "{text}"
    );
    assert_eq!(policy.statement().attributes[0].places, Some(4));
}

#[test]
fn auto_asks_for_cells_and_names_decide() {
    let mechanism = |lines: &str| policy(1.0, lines).terms().attributes[0].mechanism.clone();
    assert_eq!(mechanism("bins = 3"), "subset-selection");
    assert_eq!(mechanism("bins = 3\nmechanism = \"square-window\""), "window-2d");
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    let on_field = |lines: &str| refused(&format!("{FIELD}{lines}"));
    for (lines, words) in [
        (
            "mechanism = \"window-2d\"",
            "line 14, column 10: bins must be from 2 to 16 for a mechanism on places",
        ),
        ("mechanism = \"window-2d\"\nbins = 17", "bins must be from 2 to 16"),
        ("mechanism = \"grr\"\nbins = 4\nplaces = 3", "needs a rectangle and a mechanism on places"),
        (
            "mechanism = \"window-2d\"\nbins = 4\nplaces = 0",
            "line 18, column 10: places must be a whole number from 1 to 1024",
        ),
        ("mechanism = \"window-2d\"\nbins = 4\ndelta = 0.001", "takes no delta"),
        ("mechanism = \"window-2d\"\nbins = 4\nepsilon_forever = 2", "cannot be permanent"),
        ("mechanism = \"tracs-d\"\nbins = 4", "there is no mechanism called \"tracs-d\""),
    ] {
        let message = on_field(lines);
        assert!(message.contains(words), "{lines}: {message}");
    }
    let numbers = refused("domain = \"interval:0,1\"\ngoal = \"mean\"\nplaces = 3");
    assert!(numbers.contains("needs a rectangle"), "{numbers}");
    let mean =
        refused("domain = \"rectangle:0,1,0,1\"\ngoal = \"mean\"\nmechanism = \"window-2d\"\nbins = 4");
    assert!(mean.contains("\"distribution\" for a rectangle"), "{mean}");
    let policy = policy(4.0, "mechanism = \"window-2d\"\nbins = 4\nplaces = 2");
    for answer in ["11,1", "1,1;1,1;1,1", "NaN,1", "", "1"] {
        let answers = Answers::new().value("a", answer);
        let refused = Client::new([1; 32]).perturb(&policy, &answers, 0, &mut unmarked(1));
        assert!(refused.unwrap_err().code().starts_with("input-"), "{answer}");
    }
    // A resolved policy that states more places than its epsilon was divided by keeps its promise, because places divide it again.
    let more = policy.to_json().replace("\"places\":2", "\"places\":2000");
    assert!(
        ResolvedPolicy::from_json(&more).unwrap_err().to_string().contains("places must be from 1 to 1024")
    );
    assert!("rectangle:0,1,0,1".parse::<DomainSpec>().is_ok());
}
