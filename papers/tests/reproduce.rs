//! The papers' claims, judged anew. Figures whose data are missing are left out, as the command leaves them out.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_papers::{Basis, Effort, Outcome, Paper, Reproduction, Request, Row, Verdict, data, reproduce};

fn run(paper: Paper, figure: Option<&str>, effort: Effort) -> Reproduction {
    let figure = figure.map(str::to_owned);
    let request = Request { papers: vec![paper], figure, effort, data: data::folder() };
    reproduce(&request, &|progress| println!("{} done", progress.figure.id)).unwrap().remove(0)
}

/// Every claim that a computation decides has its computation, and the verdict that the table says.
fn check(paper: Paper, effort: Effort) {
    let reproduction = run(paper, None, effort);
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

/// Times have no verdict of their own, so that no verdict would miss one that nobody measures.
#[test]
fn times_are_measured_beside_the_printed_ones() {
    for (paper, table, measured) in
        [(Paper::Classifier, "table 7.2", ""), (Paper::Tracs, "table 6.2", "-total")]
    {
        let reproduction = run(paper, Some(table), Effort::Quick);
        let is_time = |outcome: &&Outcome| outcome.claim.unit == "ms" && outcome.claim.id.ends_with(measured);
        let times: Vec<&Outcome> = reproduction.outcomes.iter().filter(is_time).collect();
        assert!(times.len() >= 5);
        if reproduction.skipped().count() == 0 {
            assert!(times.iter().all(|outcome| outcome.ours.is_some_and(|time| time > 0.0)), "{times:?}");
        }
    }
}

/// The numbers of the errata about chapter 7 are those that are measured. They belong to real numbers, ours to reports on a lattice.
#[test]
fn corrections_of_chapter_7_are_measured() {
    let rows = ["text", "7.3"].map(|figure| run(Paper::Classifier, Some(figure), Effort::Quick).rows());
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    for (series, x, number) in [
        ("rho of the paper times .99, a hundredth wrong", "both sides of .5", 0.99),
        ("rho of the paper times .99, a hundredth wrong", "[.505,.515]", 0.99),
        ("true probability, a hundredth wrong", "both sides of .5", 0.454),
        ("true probability, a hundredth wrong", "[.505,.515]", 0.782),
        ("classifier-thm17", "2-RR; epsilon=1; delta=.1", 0.758),
        ("deviation at epsilon 1, delta .052", "theorem 18", 2.876),
        ("deviation at epsilon 1, delta .052", "exact, probabilistic", 1.890),
        ("deviation at epsilon 1, delta .052", "exact, standard", 1.319),
        ("classifier-conc-pm", "epsilon=2; theta=.3; x=.5", 0.853),
    ] {
        let found: Vec<&Row> =
            rows.iter().filter(|row| row.series == series && row.x.to_string() == x).collect();
        assert!(matches!(found.as_slice(), [row] if (row.ours - number).abs() < 1e-3), "{series}: {found:?}");
    }
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn all_verdicts_stand_at_full_size() {
    for paper in Paper::ALL {
        check(paper, Effort::Full);
    }
}
