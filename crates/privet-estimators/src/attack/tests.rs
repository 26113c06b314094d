use super::*;
use crate::plausibility::Verdict;
use crate::testing::Case;
use privet_mechanisms::registry as mechanisms;

const SHARE: f64 = 0.05;
const PEOPLE: usize = 3800;

fn run(case: &Case, honest: &Values, target: Target, attack: Attack) -> Result<AttackOutcome, AttackError> {
    let scenario = Scenario {
        mechanism: &*case.mechanism,
        estimator: &*case.estimator,
        honest,
        target,
        fakes: Probability::new(SHARE).unwrap(),
        alpha: Probability::new(1e-6).unwrap(),
    };
    scenario.run(attack, &mut Generator::from_insecure_seed(11))
}

/// Category c is held by a share that falls with c; the last one by nobody.
fn people(categories: u32) -> Vec<u32> {
    let shares: Vec<u32> = (0..categories).flat_map(|c| vec![c; (categories - 1 - c) as usize]).collect();
    (0..PEOPLE).map(|person| shares[person * 7919 % shares.len()]).collect()
}

fn frequencies(people: &[u32], categories: u32) -> Vec<f64> {
    let count = |c: u32| people.iter().filter(|held| **held == c).count() as f64;
    (0..categories).map(|c| count(c) / people.len() as f64).collect()
}

fn distance(outcome: &AttackOutcome, which: usize, truth: &[f64]) -> f64 {
    outcome.rows.iter().zip(truth).map(|(row, truth)| (row.attacked[which] - truth).powi(2)).sum()
}

#[test]
fn every_mechanism_on_categories_can_be_attacked() {
    for row in mechanisms::ROWS.iter().filter(|row| row.info.domain.contains("categor")) {
        let case = Case::small(row.info.id, 2.0);
        let categories = if row.info.id == "randomized-response" { 2 } else { 20 };
        let held = people(categories);
        let truth = frequencies(&held, categories);
        let mut gains = Vec::new();
        for attack in Attack::ALL {
            let target = Target::Categories(vec![categories - 1]);
            let outcome = run(&case, &Values::Categories(held.clone()), target, attack).unwrap();
            assert_eq!((outcome.honest, outcome.forged), (3800, 200));
            // The projection brings no estimate further from the truth.
            assert!(distance(&outcome, 1, &truth) <= distance(&outcome, 0, &truth), "{}", row.info.id);
            for row in &outcome.rows {
                let inside = |[low, high]: [f64; 2]| (low - 1e-9..=high + 1e-9).contains(&row.clean[0]);
                assert!(row.bounds.is_none_or(inside), "{outcome:?}");
                assert_eq!(row.is_target, row.label == (categories - 1).to_string(), "{}", row.label);
            }
            assert_eq!(outcome.before.verdict, Verdict::Plausible, "{outcome:?}");
            gains.push(outcome.rows.last().unwrap().shift());
        }
        // Leaving out the noise does more than lying.
        assert!(gains[2] >= gains[1] - 1e-9 && gains[1] > gains[0], "{}: {gains:?}", row.info.id);
    }
}

/// All forged reports support the target, so the share of supporting reports goes from s to (1 - share) s + share.
#[test]
fn the_gain_is_what_the_coefficients_say() {
    for id in ["grr", "oue", "sue", "olh", "subset-selection", "hr"] {
        let case = Case::small(id, 1.0);
        let crate::Reading::Support(oracle) = case.estimator.reading() else { panic!("{id}") };
        let support = oracle.support();
        let (own, other) = (support.own.to_f64(), support.other.to_f64());
        let target = Target::Categories(vec![19]);
        let outcome = run(&case, &Values::Categories(people(20)), target, Attack::MaximalGain).unwrap();
        let row = &outcome.rows[19];
        let clean_share = other + (own - other) * row.clean[0];
        let expected = SHARE * (1.0 - clean_share) / (own - other);
        assert!((row.shift() - expected).abs() < 1e-9, "{id}: {} {expected}", row.shift());
        // The raw estimate without these forgeries is the lower bound itself.
        assert!((row.bounds.unwrap()[0] - row.clean[0]).abs() < 1e-9, "{id}");
    }
}

/// Several targets at once: unary reports carry them all, one category cannot.
#[test]
fn reports_with_many_bits_promote_many_targets() {
    let gain = |id: &str| {
        let target = Target::Categories(vec![15, 16, 17, 18, 19]);
        let case = Case::small(id, 1.0);
        let outcome = run(&case, &Values::Categories(people(20)), target, Attack::MaximalGain).unwrap();
        outcome.rows.iter().filter(|row| row.is_target).map(AttackRow::shift).sum::<f64>()
    };
    let (unary, single) = (gain("oue"), gain("grr"));
    // Five times .05 (1 - s) / (own - other) with s about other = 1 / (1 + e) against .05 (1 - 5 s) / (own - other).
    assert!((unary / (5.0 * SHARE * 0.731 / 0.231) - 1.0).abs() < 0.1, "{unary}");
    assert!((single / (SHARE * 0.76 / 0.0791) - 1.0).abs() < 0.1, "{single}");
}

/// Liars add their share to a category that nobody holds, up to the noise of their reports: its standard deviation is
/// sqrt(200 own (1 - own)) / (4000 (own - other)) = .0077, and five of them are exceeded with a probability below 1e-6.
#[test]
fn liars_add_their_share() {
    let target = Target::Categories(vec![19]);
    let case = Case::small("oue", 1.0);
    let outcome = run(&case, &Values::Categories(people(20)), target, Attack::InputPoisoning).unwrap();
    let row = &outcome.rows[19];
    assert!((row.shift() - SHARE * (1.0 - row.clean[0])).abs() < 5.0 * 0.0077, "{row:?}");
    assert_eq!(outcome.after.verdict, Verdict::Plausible);
}

#[test]
fn means_move_by_what_a_report_can_do_and_the_robust_mean_less() {
    let numbers = Values::Numbers((0..PEOPLE).map(|i| (i as f64 * 0.618).fract() * 0.5 - 0.5).collect());
    for id in ["piecewise", "hybrid"] {
        let case = Case::small(id, 1.0);
        let honest = case.summary(&case.reports(&numbers, 1));
        let largest = case.estimator.influence(&honest).unwrap().largest() * PEOPLE as f64;
        let outcome = run(&case, &numbers, Target::Number(1.0), Attack::MaximalGain).unwrap();
        let row = &outcome.rows[0];
        assert!(
            row.shift() > 0.4 * SHARE * largest && row.shift() < SHARE * largest,
            "{id}: {row:?} {largest}"
        );
        assert!(row.robust_shift().abs() < 0.1 * row.shift(), "{id}: {row:?}");
        assert_eq!(outcome.after.verdict, Verdict::Implausible, "{id}");
        let [low, high] = row.bounds.unwrap();
        assert!((low - 1e-3..=high + 1e-3).contains(&row.clean[0]), "{id}: {row:?}");
    }
    // Two reports only: every share of them is that of some population, so there is nothing to see or to mend.
    let duchi = run(&Case::small("duchi", 1.0), &numbers, Target::Number(1.0), Attack::MaximalGain).unwrap();
    assert_eq!(duchi.after.verdict, Verdict::Plausible);
}

fn attack_numbers(ids: impl Iterator<Item = &'static str>) {
    let numbers = Values::Numbers((0..400).map(|i| (i as f64 * 0.618).fract() - 0.5).collect());
    for id in ids {
        let case = Case::small(id, 2.0);
        for attack in Attack::ALL {
            let outcome = run(&case, &numbers, Target::Number(-1.0), attack).unwrap();
            assert_eq!(outcome.forged, 21);
            assert!(outcome.rows[0].shift().is_finite(), "{id}: {outcome:?}");
            assert!((-1.0..=1.0).contains(&outcome.rows[0].attacked[1]), "{id}: {outcome:?}");
        }
    }
}

#[test]
fn some_mechanisms_on_numbers_can_be_attacked() {
    attack_numbers(["duchi", "square-wave-bounded", "grid-randomized-response"].into_iter());
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn every_mechanism_on_numbers_can_be_attacked() {
    let on_numbers = mechanisms::ROWS.iter().filter(|row| row.info.domain == "interval");
    attack_numbers(on_numbers.map(|row| row.info.id));
}

#[test]
fn what_cannot_be_tried_is_refused() {
    let case = Case::small("oue", 1.0);
    let held = Values::Categories(people(20));
    for target in [Target::Categories(vec![]), Target::Categories(vec![20]), Target::Number(0.5)] {
        let refused = run(&case, &held, target, Attack::MaximalGain);
        assert!(matches!(refused, Err(AttackError::Target { .. })), "{refused:?}");
    }
    let refused = run(&case, &Values::Numbers(vec![0.5]), Target::Categories(vec![1]), Attack::MaximalGain);
    assert!(matches!(refused, Err(AttackError::Input(_))));
    let laplace = Case::small("laplace", 1.0);
    let refused =
        run(&laplace, &Values::Numbers(vec![0.5; 10]), Target::Number(7.0), Attack::OutputPoisoning);
    assert!(matches!(refused, Err(AttackError::Input(_))), "{refused:?}");
    let circle = Case::small("square-wave-circle", 1.0);
    let refused = run(&circle, &Values::Numbers(vec![0.5; 10]), Target::Number(7.0), Attack::OutputPoisoning);
    assert!(refused.is_err());
}

#[test]
fn names_round_trip() {
    for attack in Attack::ALL {
        assert_eq!(attack.as_str().parse(), Ok(attack));
    }
    assert!("magic".parse::<Attack>().is_err());
}
