//! Bytes that must not change by accident.

use crate::{TRAVEL, resolve};
use privet_core::Generator;
use privet_policy::{Answers, Client, ReportCodec, ResolvedPolicy, SubmissionError};

const RESOLVED: &str = include_str!("../data/travel.resolved.json");
const ID: &str = "3b47c3247180b46136897e13503d8642c51b75c9fa532faf785f9d3b31a0e88b";

/// 2 + 8 + 16 + 4 + 2 bytes of header, then 1, 3 and 2 of the answers.
const REPORT: &str = "01013b47c3247180b4611bdd9566764604029776c8d223b8290704000000010000823c180601";

fn answers() -> Answers {
    Answers::new()
        .value("commute", "bus")
        .value("minutes", "35")
        .value("home", "9.5,0.1")
        .public("region", "south")
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_resolved_bytes_and_the_id_are_pinned() {
    let policy = resolve(TRAVEL).unwrap();
    assert_eq!(policy.to_json(), RESOLVED.trim_end());
    assert_eq!(policy.id().to_string(), ID);
    let again = ResolvedPolicy::from_json(policy.to_json()).unwrap();
    assert_eq!((again.to_json(), again.id()), (policy.to_json(), policy.id()));
    // Spaces and the order of keys do not matter, content does.
    let spaced = policy.to_json().replace("\":", "\" :\n ");
    assert_eq!(ResolvedPolicy::from_json(&spaced).unwrap().id(), policy.id());
    for text in [TRAVEL, policy.to_json()] {
        assert_eq!(ResolvedPolicy::read(text, &mut crate::no_files).unwrap().id(), policy.id());
    }
    let other = ResolvedPolicy::from_json(&policy.to_json().replace("bus lines", "bus line")).unwrap();
    assert_ne!(other.id(), policy.id());
}

#[test]
fn the_same_policy_in_json_is_the_same_policy() {
    let json = r#"{
        "name": "How we travel", "purpose": "Plan bicycle lanes and bus lines", "origin": "https://city.example",
        "opens": "2026-03-02", "closes": "2026-05-31", "epoch": "week", "answers": "every-epoch",
        "minimum_reports": 500, "retention_days": 90, "contribution": "split",
        "budget": {"epsilon": 12.0, "period": "month"},
        "attribute": [
            {"name": "commute", "question": "How did you get to work most often this week?",
             "domain": "categories:walk,bicycle,bus,car", "goal": "frequency",
             "mechanism": "generalized-randomized-response", "epsilon": 0.7, "epsilon_forever": 1.5},
            {"name": "minutes", "question": "How many minutes did it take?", "domain": "interval:0,120",
             "goal": "mean", "mechanism": "piecewise", "share": 0.25},
            {"name": "home", "question": "Where do you live?", "domain": "rectangle:0,10,0,5",
             "goal": "distribution", "bins": 3}
        ],
        "public": [{"name": "region", "values": ["north", "south"]}]
    }"#;
    let policy = ResolvedPolicy::read(json, &mut crate::no_files).unwrap();
    assert_eq!(policy.id().to_string(), ID);
}

#[test]
fn the_layout_of_a_report_is_pinned() {
    let policy = resolve(TRAVEL).unwrap();
    let mut rng = Generator::from_insecure_seed(9);
    let bytes = Client::new([3; 32]).perturb(&policy, &answers(), 4, &mut rng).unwrap();
    assert_eq!(digits(&bytes), REPORT);
    // Field by field.
    let text = digits(&bytes);
    assert_eq!(&text[..4], "0101", "version 1, seeded");
    assert_eq!(text[4..20], ID[..16], "the beginning of the policy's id");
    assert_eq!(&text[52..60], "04000000", "epoch 4");
    assert_eq!(&text[60..64], "0100", "the second value of the public field");
    let codec = ReportCodec::new(policy.clone()).for_seeded_reports();
    let report = codec.check(&bytes).unwrap();
    assert_eq!((report.epoch(), report.public_value(0), report.public_value(1)), (4, Some(1), None));
    assert_eq!(report.id().to_string(), text[20..52]);
    let parts: Vec<usize> = (0..4).map(|index| report.attribute(index).map_or(0, <[u8]>::len)).collect();
    assert_eq!(parts.iter().sum::<usize>(), bytes.len() - 32);
    assert_eq!(parts[3], 0);
}

#[test]
fn reports_that_are_not_of_the_policy_are_told_apart() {
    let policy = resolve(TRAVEL).unwrap();
    let codec = ReportCodec::new(policy.clone());
    let mut rng = crate::unmarked(1);
    let good = Client::new([3; 32]).perturb(&policy, &answers(), 4, &mut rng).unwrap();
    assert!(codec.check(&good).is_ok());
    let changed = |at: usize, to: u8| {
        let mut bytes = good.clone();
        bytes[at] = to;
        codec.check(&bytes).map(|_| ()).unwrap_err()
    };
    assert_eq!(changed(0, 2), SubmissionError::Version { got: 2 });
    assert_eq!(changed(1, 1), SubmissionError::InsecureSeed);
    assert_eq!(changed(1, 7), SubmissionError::Mark);
    assert!(matches!(changed(2, good[2] ^ 1), SubmissionError::Foreign { .. }));
    assert_eq!(changed(26, 200), SubmissionError::Epoch { epochs: 13, got: 200 });
    assert_eq!(changed(30, 2), SubmissionError::PublicValue { field: "region".to_owned() });
    // Four categories: there is no fifth.
    assert!(matches!(changed(32, 4), SubmissionError::Attribute { attribute, .. } if attribute == "commute"));
    let long = [&good[..], &[0]].concat();
    let lengths =
        [codec.check(&long).map(|_| ()), codec.check(&good[1..]).map(|_| ()), codec.check(&[]).map(|_| ())];
    for length in lengths {
        assert_eq!(length.unwrap_err().code(), "report-length");
    }
    let seeded = ReportCodec::new(policy).for_seeded_reports();
    assert_eq!(seeded.check(&good).map(|_| ()).unwrap_err(), SubmissionError::Mark);
}
