//! The papers' claims, judged anew. Figures whose data are missing are left out, as the command leaves them out.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_papers::{Basis, Effort, Paper, Reproduction, Request, Verdict, data, reproduce};

fn run(paper: Paper, effort: Effort) -> Reproduction {
    let request = Request { papers: vec![paper], figure: None, effort, data: data::folder() };
    reproduce(&request, &|progress| println!("{} done", progress.figure.id)).unwrap().remove(0)
}

/// Every claim that a computation decides has its computation, and the verdict that the table says.
fn check(paper: Paper, effort: Effort) {
    let reproduction = run(paper, effort);
    for reproduced in &reproduction.figures {
        println!("{} {:.2} s", reproduced.figure.id, reproduced.seconds);
    }
    let skipped: Vec<&str> = reproduction.skipped().map(|reproduced| reproduced.figure.id).collect();
    println!("without data: {skipped:?}");
    assert!(skipped.is_empty() || std::env::var_os("CI").is_none(), "data sets are missing for {skipped:?}");
    let failed = reproduction.failed().map(|(figure, problem)| format!("{}: {problem}", figure.id));
    let mut problems: Vec<String> = failed.collect();
    for outcome in &reproduction.outcomes {
        let claim = &outcome.claim;
        if outcome.verdict != claim.verdict {
            problems.push(format!(
                "{}: {} instead of {} (printed {}, ours {:?})",
                claim.id, outcome.verdict, claim.verdict, claim.printed, outcome.ours
            ));
        }
        // Digits that are cut off leave a number that is never above ours.
        let is_below = |number: f64| outcome.ours.is_some_and(|ours| ours < number);
        let is_confirmed = matches!(outcome.verdict, Verdict::Reproduced | Verdict::Corrected);
        if is_confirmed && claim.note.contains("cut off") && claim.number.is_some_and(is_below) {
            problems.push(format!("{}: below what is said to be cut off", claim.id));
        }
        if outcome.basis == Basis::NotRun && !skipped.contains(&claim.figure.as_str()) {
            problems.push(format!("{}: nothing computes it", claim.id));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn ogpm_verdicts_stand() {
    check(Paper::Ogpm, Effort::Quick);
}

#[test]
fn jrr_verdicts_stand() {
    check(Paper::Jrr, Effort::Quick);
}

#[test]
fn tracs_verdicts_stand() {
    check(Paper::Tracs, Effort::Quick);
}

#[test]
fn classifier_verdicts_stand() {
    check(Paper::Classifier, Effort::Quick);
}

#[test]
fn reshape_verdicts_stand() {
    check(Paper::Reshape, Effort::Quick);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn all_verdicts_stand_at_full_size() {
    for paper in Paper::ALL {
        check(paper, Effort::Full);
    }
}
