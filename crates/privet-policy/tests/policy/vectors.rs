//! Questions about vectors.

use crate::{one_attribute, resolve, unmarked};
use privet_core::{BuildOptions, Dimension, Epsilon, Generator};
use privet_policy::{Answers, Client, PolicySummary, ReportCodec, ResolvedPolicy, Slice, Tally};
use privet_vector::mechanism::VectorMechanism;
use privet_vector::registry;
use std::sync::Arc;

fn text(lines: &str) -> String {
    one_attribute("epoch = \"month\"", "epsilon = 4\ndelta = 0.001\nperiod = \"month\"", lines)
}

fn policy(mechanism: &str, further: &str) -> Arc<ResolvedPolicy> {
    let lines =
        format!("domain = \"vector:3\"\ngoal = \"mean\"\nmechanism = \"{mechanism}\"\nradius = 2\n{further}");
    resolve(&text(&lines)).unwrap()
}

fn refused(lines: &str) -> String {
    resolve(&text(lines)).unwrap_err().to_string()
}

/// The same mechanism from its own registry.
fn built(id: &str) -> Box<dyn VectorMechanism> {
    let row = registry::find(id).unwrap();
    let clip = row.unit(Dimension::new(3).unwrap()).unwrap().scaled(2.0).unwrap();
    let delta = (row.info.guarantee == "approximate").then(|| privet_core::Delta::new(0.001).unwrap());
    row.build(&clip, Epsilon::new(4.0).unwrap(), &BuildOptions { delta, bins: None }).unwrap()
}

fn count(tally: &Tally, answers: &[&str], seed: u8) -> PolicySummary {
    let codec = ReportCodec::new(tally.policy().clone());
    let (client, mut rng) = (Client::new([1; 32]), unmarked(seed));
    let reports: Vec<Vec<u8>> = answers
        .iter()
        .map(|vector| {
            client.perturb(tally.policy(), &Answers::new().value("a", vector), 0, &mut rng).unwrap()
        })
        .collect();
    let mut summary = tally.empty_summary();
    tally.accumulate(&mut summary, reports.iter().map(|bytes| codec.check(bytes).unwrap())).unwrap();
    summary
}

/// Divided to the nearest number, the parts of the chosen coordinates came to more than these.
#[test]
fn sampled_coordinates_fit_a_budget_that_is_no_multiple_of_their_number() {
    for (epsilon, id) in [8.3, 12.7, 13.9].into_iter().flat_map(|epsilon| {
        ["sampled-piecewise", "sampled-hybrid", "sampled-minimax-unbiased"].map(|id| (epsilon, id))
    }) {
        let budget = format!("epsilon = {epsilon}\nperiod = \"month\"");
        let lines = format!("domain = \"vector:6\"\ngoal = \"mean\"\nmechanism = \"{id}\"\nradius = 2");
        let policy = resolve(&one_attribute("epoch = \"month\"", &budget, &lines));
        let guarantee =
            policy.unwrap_or_else(|error| panic!("{id} at {epsilon}: {error}")).attributes()[0].guarantee();
        assert!(guarantee.epsilon().get() <= epsilon, "{id} at {epsilon}: {guarantee}");
    }
}

#[test]
fn every_mechanism_on_vectors_can_be_asked_for() {
    for row in registry::ROWS {
        let delta = if row.info.guarantee == "approximate" { "delta = 0.001" } else { "" };
        let policy = policy(row.info.id, delta);
        let attribute = &policy.attributes()[0];
        let same = built(row.info.id);
        assert_eq!(attribute.guarantee(), same.guarantee(), "{}", row.info.id);
        assert_eq!(attribute.report_bytes(), same.report_bytes(), "{}", row.info.id);
        let tally = Tally::new(policy.clone()).unwrap();
        let empty = attribute.estimator().unwrap().empty_summary().to_bytes();
        assert_eq!(empty[4..12], same.fingerprint().to_bytes(), "{}: another mechanism", row.info.id);
        let again = ResolvedPolicy::from_json(policy.to_json()).unwrap();
        assert_eq!((again.id(), again.to_json()), (policy.id(), policy.to_json()));
        let summary = count(&tally, &["1,0,0", "0 1 0", "5,5,5"], 1);
        assert_eq!(tally.summary_from_bytes(&summary.to_bytes()).unwrap(), summary, "{}", row.info.id);
    }
}

/// No report that is drawn says more than epsilon about the two vectors that differ most.
#[test]
fn drawn_reports_keep_their_promise() {
    for id in ["privunit", "laplace-vector"] {
        let (policy, same) = (policy(id, ""), built(id));
        let [one, two] = same.worst_vectors();
        let written = one.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let (client, mut rng) = (Client::new([1; 32]), Generator::from_insecure_seed(5));
        let mut largest = f64::MIN;
        for _ in 0..400 {
            let bytes = client.perturb(&policy, &Answers::new().value("a", &written), 0, &mut rng).unwrap();
            let codec = ReportCodec::new(policy.clone()).for_seeded_reports();
            let part = codec.check(&bytes).unwrap().attribute(0).unwrap().to_vec();
            let codes: Vec<i32> =
                part.chunks_exact(4).map(|code| i32::from_le_bytes(code.try_into().unwrap())).collect();
            largest = largest.max(same.log_ratio([&one, &two], &codes).unwrap());
        }
        assert!(largest <= policy.attributes()[0].guarantee().epsilon().get(), "{id}: {largest}");
        assert!(largest > 3.0, "{id}: reports say something: {largest}");
    }
}

#[test]
fn the_mean_vector_is_found_and_reports_can_be_taken_out() {
    let policy = policy("privunit", "");
    let tally = Tally::new(policy.clone()).unwrap();
    let all = count(&tally, &["1.2,-1.6,0"; 3000], 2);
    let found = tally.estimate(&all, 0, Slice::All, &Default::default()).unwrap().document().to_json();
    for (row, truth) in found["estimates"].as_array().unwrap().iter().zip([1.2, -1.6, 0.0]) {
        let (value, error) = (row["value"].as_f64().unwrap(), row["standard_error"].as_f64().unwrap());
        assert!((value - truth).abs() < 5.0 * error && error < 0.1, "{row} {truth}");
    }
    assert_eq!((&found["method"], &found["n"]), (&"mean of reports".into(), &3000.into()));
    let some = count(&tally, &["0,0,2"; 20], 3);
    let mut both = all.clone();
    both.merge(&some).unwrap();
    assert_ne!(both.to_bytes(), all.to_bytes());
    both.subtract(&some).unwrap();
    assert_eq!(both.to_bytes(), all.to_bytes());
    assert!(some.clone().subtract(&all).is_err());
    // One report has no spread, so it is not shown whatever the minimum is.
    let mut single = one_attribute("epoch = \"month\"", "epsilon = 4\nperiod = \"month\"", "");
    single = single.replace("minimum_reports = 10", "minimum_reports = 1");
    single += "domain = \"vector:2\"\ngoal = \"mean\"\nmechanism = \"privunit\"\nradius = 1\n";
    let tally = Tally::new(resolve(&single).unwrap()).unwrap();
    let one = tally.estimate(&count(&tally, &["1,0"], 1), 0, Slice::All, &Default::default()).unwrap();
    assert_eq!(one.document().to_json()["minimum_reports"], 2);
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    let vector = "domain = \"vector:3\"\ngoal = \"mean\"\n";
    for (lines, words) in [
        (
            format!("{vector}mechanism = \"privunit\""),
            "line 17, column 13: an attribute about vectors needs the key \"radius\"",
        ),
        (
            format!("{vector}mechanism = \"privunit\"\nradius = 0"),
            "line 18, column 10: radius must be a finite number greater than 0",
        ),
        (format!("{vector}mechanism = \"privunit\"\nradius = nan"), "radius"),
        (format!("{vector}mechanism = \"privunit\"\nradius = 1\ndelta = 0.001"), "takes no delta"),
        (format!("{vector}mechanism = \"gaussian-vector\"\nradius = 1"), "delta"),
        (format!("{vector}mechanism = \"grr\"\nradius = 1"), "needs the name of a mechanism on vectors"),
        (format!("{vector}radius = 1"), "needs the name of a mechanism on vectors"),
        (format!("{vector}mechanism = \"privunit\"\nradius = 1\nbins = 3"), "takes no number of bins"),
        (
            "domain = \"vector:3\"\ngoal = \"frequency\"\nmechanism = \"privunit\"\nradius = 1".to_owned(),
            "\"mean\" for vectors",
        ),
        ("domain = \"binary\"\ngoal = \"frequency\"\nradius = 1".to_owned(), "a radius is about vectors"),
        (
            "domain = \"interval:0,1\"\ngoal = \"mean\"\nmechanism = \"privunit\"\nradius = 1".to_owned(),
            "privunit",
        ),
        (
            "domain = \"vector:0\"\ngoal = \"mean\"\nmechanism = \"privunit\"\nradius = 1".to_owned(),
            "line 15, column 10",
        ),
    ] {
        let message = refused(&lines);
        assert!(message.contains(words), "{lines}\n{message}");
    }
    let policy = policy("privunit", "");
    for wrong in ["1,2", "1,2,3,4", "1,2,NaN", "1,2,inf", "", "a,b,c"] {
        let answers = Answers::new().value("a", wrong);
        let error = Client::new([1; 32]).perturb(&policy, &answers, 0, &mut unmarked(1)).unwrap_err();
        assert!(
            error.code().starts_with("input-") && !error.to_string().contains(wrong.get(..3).unwrap_or("?")),
            "{wrong}: {error}"
        );
    }
    assert!(policy.statement_text().contains("shortened to a set of size 2"));
}
