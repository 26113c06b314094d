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
        let categories = case
            .estimator
            .robust(
                &case.summary(&case.reports(&Values::Categories(vec![0; 500]), 1)),
                Probability::new(0.0).unwrap(),
            )
            .unwrap()
            .rows
            .len() as u32;
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
        // Lying adds the share of liars to a category that nobody holds; leaving out the noise adds more.
        let case_error = 5.0 / (200.0f64).sqrt();
        assert!(gains[0] > SHARE - case_error && gains[0] < SHARE + case_error, "{}: {gains:?}", row.info.id);
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

#[test]
fn means_move_by_the_largest_report_and_the_robust_mean_less() {
    let numbers = Values::Numbers((0..PEOPLE).map(|i| (i as f64 * 0.618).fract() * 0.5 - 0.5).collect());
    for id in ["laplace", "piecewise", "staircase", "hybrid"] {
        let case = Case::small(id, 1.0);
        let crate::Reading::Numbers(channel) = case.estimator.reading() else { panic!("{id}") };
        let largest = channel.output_value(channel.output_cells() - 1);
        let outcome = run(&case, &numbers, Target::Number(1.0), Attack::MaximalGain).unwrap();
        let row = &outcome.rows[0];
        assert!((row.shift() - SHARE * (largest - row.clean[0])).abs() < 1e-6, "{id}: {row:?}");
        assert!(row.robust_shift().abs() < 0.75 * row.shift(), "{id}: {row:?}");
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

#[test]
fn tmp_experiment() {
    use crate::numeric::Method;
    for id in ["piecewise", "square-wave", "optimal-piecewise", "staircase"] {
        let case = Case::small(id, 1.0);
        for pop in 0..3 {
            let value = |i: usize| match pop {
                0 => (i as f64 * 0.618).fract() * 0.5 - 0.5,
                1 => {
                    if i % 20 == 0 {
                        1.0
                    } else {
                        -0.5
                    }
                }
                _ => {
                    if i % 2 == 0 {
                        1.0
                    } else {
                        -1.0
                    }
                }
            };
            let people: Vec<f64> = (0..10_000).map(value).collect();
            let truth = people.iter().sum::<f64>() / 10_000.0;
            let (mut bias, mut square) = ([0.0; 4], [0.0; 4]);
            for seed in 0..12 {
                let s = case.summary(&case.reports(&Values::Numbers(people.clone()), seed));
                let request =
                    |method, bins| Request { method, bins, quantiles: vec![], ..Request::default() };
                let raw = case
                    .estimator
                    .answer(&s, &request(Method::Histogram, 1))
                    .unwrap()
                    .into_numbers()
                    .unwrap()
                    .mean
                    .value;
                let mean =
                    |method, bins| case.estimator.distribution(&s, &request(method, bins)).unwrap().mean();
                let all = [
                    raw,
                    mean(Method::Smoothed, 64),
                    mean(Method::ExpectationMaximization, 64),
                    mean(Method::ExpectationMaximization, 16),
                ];
                for k in 0..4 {
                    bias[k] += (all[k] - truth) / 12.0;
                    square[k] += (all[k] - truth).powi(2) / 12.0;
                }
            }
            println!("{id} pop {pop}: bias {bias:.4?} rmse {:.4?}", square.map(f64::sqrt));
            let mut reports = case.reports(&Values::Numbers(people.clone()), 1);
            let cells = case.estimator.numeric().unwrap().output_cells();
            let clean = case.summary(&reports);
            reports.extend_slots(526).for_each(|slot| privet_core::Category(cells - 1).write(slot));
            let dirty = case.summary(&reports);
            let mean = |s: &CountSummary, method, bins| {
                case.estimator
                    .distribution(s, &Request { method, bins, ..Request::default() })
                    .unwrap()
                    .mean()
            };
            println!(
                "   shift {:.4} {:.4} {:.4}",
                mean(&dirty, Method::Smoothed, 64) - mean(&clean, Method::Smoothed, 64),
                mean(&dirty, Method::ExpectationMaximization, 64)
                    - mean(&clean, Method::ExpectationMaximization, 64),
                mean(&dirty, Method::ExpectationMaximization, 16)
                    - mean(&clean, Method::ExpectationMaximization, 16)
            );
        }
    }
}
