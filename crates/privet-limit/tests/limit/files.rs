//! Files say what they are, and notice when they were changed.

use crate::{minimax, solve, unbiased};
use privet_limit::line::LineProblem;
use privet_limit::{Cache, Certificate, LimitError, Objective, Problem, Solution, Stop};
use privet_mechanisms::analysis::{Loss, Prior};
use serde_json::Value;

fn small() -> Solution {
    solve(&minimax(Loss::Squared, 1.0))
}

#[test]
fn files_round_trip() {
    let prior = Objective::Average(Prior::new(&[3.0, 1.0, 1.0]).unwrap());
    for solution in [small(), solve(&unbiased(prior, 2.0))] {
        let read = Solution::from_json(&solution.to_json()).unwrap();
        assert_eq!(read.to_json(), solution.to_json());
        let fingerprint = |solution: &Solution| solution.channel.mechanism().unwrap().fingerprint();
        assert_eq!(fingerprint(&read), fingerprint(&solution));
        read.verify().unwrap();
    }
}

#[test]
fn files_from_before_prices_had_a_magnitude_are_as_good_as_ever() {
    let text = include_str!("data/unbiased_by_points.json");
    let solution = Solution::from_json(text.trim_end()).unwrap();
    solution.verify().unwrap();
    assert_eq!(solution.to_json(), text.trim_end());
}

/// The text with one digit of a number in a named list or field changed.
fn with_changed_digit(text: &str, after: &str) -> String {
    let start = text.find(after).unwrap() + after.len();
    let digit = start + text[start..].find(|c: char| c.is_ascii_digit() && c != '0').unwrap();
    let replacement = if &text[digit..=digit] == "9" { "8" } else { "9" };
    format!("{}{replacement}{}", &text[..digit], &text[digit + 1..])
}

#[test]
fn one_changed_number_is_noticed() {
    let text = small().to_json();
    for field in [
        "\"numbers\":[",
        "\"high\":\"",
        "\"low\":\"",
        "\"points\":[[",
        "\"achieved\":",
        "\"epsilon\":",
        "\"window\":",
    ] {
        let changed = with_changed_digit(&text, field);
        assert_ne!(changed, text);
        assert!(matches!(Solution::from_json(&changed), Err(LimitError::File { .. })), "{field}");
    }
}

#[test]
fn a_forged_digest_does_not_help() {
    // Whoever changes a number and writes the digest anew still fails: the claims are checked, not believed.
    let mut solution = small();
    let Certificate::Line(line) = &mut solution.certificate else { unreachable!() };
    line.points[0].price -= line.points[0].price / 10;
    let forged = Solution::from_json(&solution.to_json()).unwrap();
    assert!(matches!(forged.verify(), Err(LimitError::Unproved { .. })));

    let flattering = Solution { achieved: 0.19, ..small() };
    let forged = Solution::from_json(&flattering.to_json()).unwrap();
    assert!(matches!(forged.verify(), Err(LimitError::File { .. })));
}

/// The text with one part of its body replaced and the digest of the new body: what somebody would write who knows how.
fn forged(text: &str, field: [&str; 2], value: &str) -> String {
    let mut file: Value = serde_json::from_str(text).unwrap();
    file["body"][field[0]][field[1]] = value.into();
    let body = serde_json::to_string(&file["body"]).unwrap();
    file["digest"] = blake3::hash(body.as_bytes()).to_hex().to_string().into();
    serde_json::to_string(&file).unwrap()
}

#[test]
fn a_changed_weight_with_a_forged_digest_is_refused() {
    let text = small().to_json();
    let file: Value = serde_json::from_str(&text).unwrap();
    for name in ["high", "low"] {
        let weight = file["body"]["channel"][name].as_str().unwrap();
        // The digest is made as the program makes it: with the same weight the file is as good as before.
        assert!(Solution::from_json(&forged(&text, ["channel", name], weight)).is_ok());
        let more = (weight.parse::<u64>().unwrap() + 1).to_string();
        let refused = Solution::from_json(&forged(&text, ["channel", name], &more));
        assert!(matches!(refused, Err(LimitError::File { .. })), "{name}");
    }
}

#[test]
fn a_bound_for_another_prior_is_refused() {
    let Problem::Line(line) = minimax(Loss::Squared, 1.0) else { unreachable!() };
    let average = |weights: &[f64]| {
        let objective = Objective::Average(Prior::new(weights).unwrap());
        solve(&Problem::Line(LineProblem { objective, ..line.clone() }))
    };
    let (low, anywhere) = (average(&[1.0, 0.0]), average(&[1.0, 1.0]));
    // It claims nothing, so that only whose bound it is can be wrong.
    let own = Solution { lower_bound: 0.0, ..low.clone() };
    own.verify().unwrap();
    for certificate in [anywhere.certificate, small().certificate] {
        let borrowed = Solution { certificate, ..own.clone() };
        assert!(matches!(borrowed.verify(), Err(LimitError::File { .. })));
    }
}

#[test]
fn other_files_are_refused() {
    for text in ["", "{}", "[]", "{\"format\":\"privet mechanism 2\",\"digest\":\"\",\"body\":{}}", "\u{0}"] {
        assert!(matches!(Solution::from_json(text), Err(LimitError::File { .. })), "{text}");
    }
    let cut = small().to_json();
    assert!(Solution::from_json(&cut[..cut.len() / 2]).is_err());
}

#[test]
fn solutions_are_kept_and_damaged_ones_are_found_again() {
    let folder = std::env::temp_dir().join(format!("privet-cache-test-{}", std::process::id()));
    let cache = Cache::in_folder(&folder);
    let problem = minimax(Loss::Squared, 1.0);
    let mut stages = 0;
    let mut ask = || {
        let before = stages;
        let solution = cache.solve(&problem, &Stop::default(), &mut |_| stages += 1).unwrap();
        (solution.to_json(), stages > before)
    };
    let (first, was_solved) = ask();
    assert!(was_solved);
    assert_eq!(ask(), (first.clone(), false));
    let path = folder.join(format!("{}.json", problem.digest()));
    std::fs::write(&path, &first[..first.len() / 2]).unwrap();
    assert_eq!(ask(), (first, true));
    std::fs::remove_dir_all(&folder).unwrap();
}
