//! From reports to estimates.

use crate::{TRAVEL, resolve, unmarked};
use privet_core::Target;
use privet_policy::{Answers, Client, PolicySummary, ReportCodec, ResolvedPolicy, Slice, Tally};
use std::sync::Arc;

const PEOPLE: u32 = 6000;

/// Two thirds walk, one third takes the bus; those of the north need 30 minutes, those of the south 90; all live in one cell.
fn reports(policy: &Arc<ResolvedPolicy>) -> Vec<Vec<u8>> {
    let mut rng = unmarked(11);
    let person = |index: u32| {
        let mut secret = [0; 32];
        secret[..4].copy_from_slice(&index.to_le_bytes());
        let is_north = index.is_multiple_of(4);
        let answers = Answers::new()
            .value("commute", if index.is_multiple_of(3) { "bus" } else { "walk" })
            .value("minutes", if is_north { "30" } else { "90" })
            .value("home", "9,1")
            .public("region", if is_north { "north" } else { "south" });
        Client::new(secret).perturb(policy, &answers, 0, &mut rng).unwrap()
    };
    (0..PEOPLE).map(person).collect()
}

fn count(tally: &Tally, reports: &[Vec<u8>]) -> PolicySummary {
    let codec = ReportCodec::new(Arc::clone(tally.policy()));
    let mut summary = tally.empty_summary();
    let decoded = reports.iter().map(|bytes| codec.check(bytes).unwrap());
    tally.accumulate(&mut summary, decoded).unwrap();
    summary
}

/// Whether a truth lies within five standard errors of an estimate, whose keys are those of all surfaces.
fn assert_near(estimate: &serde_json::Value, truth: f64) {
    let (value, error) = (estimate["value"].as_f64().unwrap(), estimate["standard_error"].as_f64().unwrap());
    assert!(error > 0.0 && (value - truth).abs() < 5.0 * error, "{value} +- {error}, not {truth}");
    assert_eq!(estimate["interval"].as_array().unwrap().len(), 2);
}

/// Whoever answers in each epoch is not drawn anew each time.
#[test]
fn several_epochs_of_the_same_people_are_no_sample_of_a_population() {
    let again = Tally::new(resolve(TRAVEL).unwrap()).unwrap();
    let once = TRAVEL.replacen("answers = \"every-epoch\"", "answers = \"once\"", 1);
    let once = Tally::new(resolve(&once).unwrap()).unwrap();
    for (tally, target, epochs, is_sound) in [
        (&once, Target::Population, 3, true),
        (&again, Target::Reported, 3, true),
        (&again, Target::Population, 1, true),
        (&again, Target::Population, 2, false),
    ] {
        assert_eq!(tally.check_target(target, epochs).is_ok(), is_sound, "{target:?} {epochs}");
    }
}

#[test]
fn estimates_are_near_the_truth_as_a_whole_and_broken_down() {
    let policy = resolve(TRAVEL).unwrap();
    let tally = Tally::new(Arc::clone(&policy)).unwrap();
    let summary = count(&tally, &reports(&policy));
    let ask = |attribute: usize, slice: Slice| {
        tally.estimate(&summary, attribute, slice, &Default::default()).unwrap().document().to_json()
    };
    let commute = ask(0, Slice::All);
    assert_eq!(
        (commute["n"].as_u64(), commute["withheld"].as_bool()),
        (Some(u64::from(PEOPLE)), Some(false))
    );
    assert_near(&commute["estimates"][0], 2.0 / 3.0);
    assert_near(&commute["estimates"][2], 1.0 / 3.0);
    assert_eq!(commute["estimates"][2]["label"], "bus");
    assert_near(&ask(1, Slice::All), 75.0);
    assert_near(&ask(1, Slice::Public { field: 0, value: 0 }), 30.0);
    assert_near(&ask(1, Slice::Public { field: 0, value: 1 }), 90.0);
    // The place 9,1 lies in the third of three columns and the first of three rows.
    let home = ask(2, Slice::All);
    assert_near(&home["estimates"][2], 1.0);
    assert_near(&home["estimates"][5], 0.0);
    let corner = |key: &str| {
        home["estimates"][2][key]
            .as_array()
            .unwrap()
            .iter()
            .map(|end| end.as_f64().unwrap())
            .collect::<Vec<_>>()
    };
    assert!((corner("from")[0] - 20.0 / 3.0).abs() < 1e-12 && corner("from")[1] == 0.0);
    assert!(corner("to")[0] == 10.0 && (corner("to")[1] - 5.0 / 3.0).abs() < 1e-12);
    // The control: the truth of another slice is not near.
    let south = ask(1, Slice::Public { field: 0, value: 1 });
    assert!(
        (south["value"].as_f64().unwrap() - 30.0).abs() > 5.0 * south["standard_error"].as_f64().unwrap()
    );
}

#[test]
fn estimates_from_too_few_reports_are_withheld() {
    let policy = resolve(TRAVEL).unwrap();
    let tally = Tally::new(Arc::clone(&policy)).unwrap();
    let all = reports(&policy);
    for (people, slice, is_withheld) in [
        (499, Slice::All, true),
        (500, Slice::All, false),
        (1000, Slice::Public { field: 0, value: 0 }, true),
        (1000, Slice::Public { field: 0, value: 1 }, false),
        (0, Slice::All, true),
    ] {
        let json = tally
            .estimate(&count(&tally, &all[..people]), 0, slice, &Default::default())
            .unwrap()
            .document()
            .to_json();
        assert_eq!(json["withheld"], is_withheld, "{people} {slice:?}");
        assert_eq!(json.get("estimates").is_none(), is_withheld);
        assert_eq!(json.get("minimum_reports").is_some(), is_withheld);
    }
}

#[test]
fn any_split_of_the_reports_gives_the_same_bytes() {
    let policy = resolve(TRAVEL).unwrap();
    let tally = Tally::new(Arc::clone(&policy)).unwrap();
    let all = reports(&policy);
    let whole = count(&tally, &all);
    for cut in [0, 1, 777, 6000] {
        let (mut one, two) = (count(&tally, &all[..cut]), count(&tally, &all[cut..]));
        let mut other_way = two.clone();
        other_way.merge(&one).unwrap();
        one.merge(&two).unwrap();
        assert_eq!((one.to_bytes(), other_way.to_bytes()), (whole.to_bytes(), whole.to_bytes()));
        // And what was added can be taken out again.
        one.subtract(&two).unwrap();
        assert_eq!(one.to_bytes(), count(&tally, &all[..cut]).to_bytes());
        assert_eq!(one.subtract(&whole).is_ok(), cut == all.len());
    }
    let stored = tally.summary_from_bytes(&whole.to_bytes()).unwrap();
    assert_eq!((&stored, stored.reports()), (&whole, u64::from(PEOPLE)));
    assert_eq!(tally.summary_from_bytes(&tally.empty_summary().to_bytes()).unwrap(), tally.empty_summary());
}

#[test]
fn foreign_and_damaged_summaries_are_refused() {
    let policy = resolve(TRAVEL).unwrap();
    let tally = Tally::new(Arc::clone(&policy)).unwrap();
    let mut summary = count(&tally, &reports(&policy)[..600]);
    let other = Tally::new(resolve(&TRAVEL.replace("bus lines", "bus line")).unwrap()).unwrap();
    let before = summary.clone();
    assert_eq!(summary.merge(&other.empty_summary()).unwrap_err().code(), "summary-foreign");
    assert_eq!(other.summary_from_bytes(&summary.to_bytes()).unwrap_err().code(), "summary-foreign");
    assert_eq!(
        other.estimate(&summary, 0, Slice::All, &Default::default()).unwrap_err().code(),
        "estimate-foreign"
    );
    let report = &reports(&policy)[0];
    let codec = ReportCodec::new(policy);
    let counted = other.accumulate(&mut other.empty_summary(), [codec.check(report).unwrap()]);
    assert_eq!(counted.unwrap_err().code(), "report-foreign");
    assert_eq!(summary, before);
    let bytes = summary.to_bytes();
    for cut in [0, 3, 40, 50, 60, bytes.len() - 1] {
        assert!(tally.summary_from_bytes(&bytes[..cut]).is_err(), "{cut}");
    }
    // The first part twice, and a part of an attribute that is not there.
    let twice = [&bytes[..], &bytes[44..]].concat();
    assert_eq!(tally.summary_from_bytes(&twice).unwrap_err().code(), "summary-malformed");
    let mut stray = bytes.clone();
    stray[44] = 9;
    assert_eq!(tally.summary_from_bytes(&stray).unwrap_err().code(), "summary-malformed");
    // Fewer reports than its parts have.
    let mut few = bytes;
    few[36] = 1;
    few[37] = 0;
    assert_eq!(tally.summary_from_bytes(&few).unwrap_err().code(), "summary-malformed");
}

#[test]
fn the_statement_says_what_the_mechanisms_do() {
    let policy = resolve(TRAVEL).unwrap();
    let statement = policy.statement();
    assert_eq!((statement.per_period.reports, statement.reports), (6, 13));
    let commute = &statement.attributes[0];
    let permanent = commute.permanent.as_ref().unwrap();
    assert_eq!((permanent.epsilon_forever, permanent.values), (1.5, 4));
    assert!(
        permanent.single_report.epsilon < 0.7
            && commute.guarantee.epsilon <= 0.7
            && commute.guarantee.epsilon > 0.69
    );
    // Four values at 1.5 are less than 13 reports at 0.7, and more than six.
    assert_eq!(commute.total.epsilon, 6.0);
    assert_eq!(statement.per_period.cost.epsilon, 12.0);
    assert_eq!(statement.total_epsilon, 22.9, "6 and 13 times 1.3");
    let text = policy.statement_text();
    for words in [
        "by generalized-randomized-response",
        "at most e^1.5",
        "500 reports",
        "after 90 days",
        "region",
        "is not hidden",
        "storage",
        "13 of this collection",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
    let json = serde_json::to_value(&statement).unwrap();
    assert!(json["attributes"][0]["guarantee"]["epsilon"].is_number() && json["total_epsilon"].is_number());
}
