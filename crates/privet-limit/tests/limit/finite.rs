//! Categories: known optima, and that nothing can be claimed that is not so.

use crate::{epsilon, solve};
use privet_core::sampling::WeightRow;
use privet_core::{Categories, Channel, Domain, Mechanism};
use privet_limit::certificate::{FiniteCertificate, PricedInput, SCALE};
use privet_limit::finite::{FiniteProblem, LossMatrix};
use privet_limit::{LimitError, Objective, Problem, Solution, SolvedChannel, Stop};
use privet_mechanisms::analysis::{Loss, Prior};
use privet_mechanisms::categorical::{OrderedExponential, RandomizedResponse, SolvedCategories};
use proptest::prelude::*;

fn categories(count: u32) -> Categories {
    Categories::new(count).unwrap()
}

fn minimax(losses: LossMatrix, value: f64) -> FiniteProblem {
    let categories = categories(losses.rows().len() as u32);
    FiniteProblem { categories, losses, objective: Objective::Minimax, epsilon: epsilon(value) }
}

fn ordered(loss: Loss, count: u32, value: f64) -> FiniteProblem {
    minimax(LossMatrix::ordered(loss, &categories(count)).unwrap(), value)
}

fn average(problem: FiniteProblem, weights: &[f64]) -> FiniteProblem {
    FiniteProblem { objective: Objective::Average(Prior::new(weights).unwrap()), ..problem }
}

fn zero_one(count: usize) -> LossMatrix {
    let row = |input: usize| (0..count).map(|output| f64::from(u8::from(input != output))).collect();
    LossMatrix::new(&(0..count).map(row).collect::<Vec<Vec<f64>>>()).unwrap()
}

fn table(solution: &Solution) -> &SolvedCategories {
    let SolvedChannel::Categories(table) = &solution.channel else { unreachable!() };
    table
}

/// Solves, and checks that the answer is sound and close to the best.
fn check(problem: FiniteProblem, gap: f64) -> Solution {
    let solution = solve(&Problem::Finite(problem));
    assert!(solution.gap() <= gap && solution.gap() >= 0.0, "{:?}: gap {}", solution.problem, solution.gap());
    assert!(table(&solution).worst_ratio().is_at_most_exp(solution.problem.epsilon()));
    solution.verify().unwrap();
    solution
}

#[test]
fn randomised_response_is_the_best_for_right_or_wrong() {
    for count in [2u8, 4, 16] {
        for value in [0.1, 1.0, 3.0] {
            let solution = check(minimax(zero_one(usize::from(count)), value), 1e-6);
            let others = f64::from(count - 1);
            let best = others / (f64::exp(value) + others);
            assert!((solution.achieved - best).abs() < 1e-6 && (solution.lower_bound - best).abs() < 1e-6);
        }
    }
}

#[test]
fn two_categories_have_randomised_response() {
    for value in [0.5, 2.0] {
        let solution = check(ordered(Loss::Absolute, 2, value), 1e-6);
        let known = RandomizedResponse::new(categories(2), epsilon(value)).unwrap();
        for input in 0..2 {
            for report in table(&solution).all_reports(2).unwrap() {
                let [found, known] =
                    [table(&solution).probability(&input, &report), known.probability(&input, &report)];
                assert!((found.to_f64() - known.to_f64()).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn ordered_categories_beat_the_exponential_mechanism() {
    let categories = categories(5);
    for (value, best) in [(1.0, BEST_OF_FIVE[0]), (2.0, BEST_OF_FIVE[1]), (4.0, BEST_OF_FIVE[2])] {
        let problem = ordered(Loss::Absolute, 5, value);
        let exponential = OrderedExponential::new(categories.clone(), epsilon(value)).unwrap();
        let losses = problem.losses.expected(&exponential, &[0, 1, 2, 3, 4]).unwrap();
        let worst = losses.into_iter().fold(0.0, f64::max);
        let solution = check(problem, 1e-6);
        assert!(solution.achieved < worst, "{value}: {} {worst}", solution.achieved);
        assert!((solution.achieved - best).abs() < 1e-6, "{value}: {}", solution.achieved);
    }
}

/// Stars from one to five, at epsilon 1, 2 and 4.
const BEST_OF_FIVE: [f64; 3] = [1.254_743_7, 0.767_413_5, 0.165_160_2];

#[test]
fn outputs_need_not_be_categories() {
    // Six ages, three tariffs; and two categories with five answers of which only some are worth giving.
    let tariffs = LossMatrix::parse("0,2,5\n0,1,4\n1,0,3\n3,0,1\n4,1,0\n6,2,0").unwrap();
    let solution = check(minimax(tariffs, 1.5), 1e-6);
    assert!(table(&solution).outputs().iter().all(|output| *output < 3));
    let answers = LossMatrix::parse("0,1,2,3,4\n4,3.5,3,1,0.5").unwrap();
    let solution = check(minimax(answers, 1.0), 1e-6);
    assert_eq!(table(&solution).outputs(), [0, 3, 4]);
}

#[test]
fn a_prior_makes_the_loss_smaller() {
    let worst = check(ordered(Loss::Squared, 6, 3.0), 1e-6);
    let even = check(average(ordered(Loss::Squared, 6, 3.0), &[1.0; 6]), 1e-6);
    let skewed = check(average(ordered(Loss::Squared, 6, 3.0), &[8.0, 4.0, 2.0, 1.0, 1.0, 0.0]), 1e-6);
    assert!(skewed.achieved < even.lower_bound && even.achieved < worst.lower_bound);
}

#[test]
fn losses_of_any_size_are_solved_alike() {
    let scaled = |factor: f64| {
        let rows =
            zero_one(4).rows().map(|row| row.iter().map(|loss| loss * factor).collect()).collect::<Vec<_>>();
        check(minimax(LossMatrix::new(&rows).unwrap(), 1.0), 1e-6).achieved / factor
    };
    for factor in [1e-90, 0.3, 1e90] {
        assert!((scaled(factor) - scaled(1.0)).abs() < 1e-6, "{factor}");
    }
}

#[test]
fn extreme_epsilons_stay_sound() {
    for (value, gap) in [(1e-3, 1e-6), (8.0, 1e-6), (12.0, 0.01), (20.0, 1.0)] {
        check(ordered(Loss::Absolute, 5, value), gap);
    }
    // Hardly anything can be said about losses next to zero, but nothing false.
    check(ordered(Loss::Absolute, 5, 100.0), 1.0);
}

/// Any row of relative weights between 1 and e^(epsilon / 2) keeps epsilon, and so does any table of such rows.
fn table_of(relative: &[Vec<f64>], value: f64) -> SolvedCategories {
    let row = |row: &Vec<f64>| {
        let weights: Vec<f64> = row.iter().map(|share| (share * value * 0.499_999).exp()).collect();
        WeightRow::from_relative(&weights).unwrap()
    };
    let outputs = (0..relative[0].len() as u32).collect();
    let rows = relative.iter().map(row).collect();
    SolvedCategories::new(categories(relative.len() as u32), outputs, rows, epsilon(value)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_private_channel_beats_the_bound(
        losses in prop::collection::vec(prop::collection::vec(0.01f64..1.0, 3), 4),
        relative in prop::collection::vec(prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0], 3), 4),
        weights in prop::collection::vec(0.1f64..1.0, 4),
        value in 0.1f64..5.0,
    ) {
        let losses = LossMatrix::new(&losses).unwrap();
        // Each row prefers what is good for it, so that the channel comes close to the best.
        let preferring = |(row, shares): (&[f64], &Vec<f64>)| {
            let best = (0..3).min_by(|one, other| row[*one].total_cmp(&row[*other])).unwrap();
            (0..3).map(|output| if output == best { 1.0 } else { shares[output] / 2.0 }).collect()
        };
        let preferring = losses.rows().zip(&relative).map(preferring).collect::<Vec<Vec<f64>>>();
        let worst = minimax(losses, value);
        for problem in [average(worst.clone(), &weights), worst] {
            let solved = match Problem::Finite(problem.clone()).solve(&Stop::default(), &mut |_| {}) {
                Ok(solved) => solved,
                // One output is the best for everybody.
                Err(LimitError::Parameter(_)) => continue,
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            prop_assert!(solved.verify().is_ok());
            prop_assert!(solved.gap() >= 0.0 && solved.gap() < 1e-4, "{}", solved.gap());
            let distinct = |rows: &[Vec<f64>]| rows.windows(2).any(|pair| pair[0] != pair[1]);
            for rows in [&relative, &preferring].into_iter().filter(|rows| distinct(rows)) {
                prop_assert!(problem.loss_of(&table_of(rows, value)).unwrap() >= solved.lower_bound);
            }
        }
    }

    /// No numbers whatsoever prove more than randomised response achieves.
    #[test]
    fn no_numbers_prove_too_much(numbers in prop::collection::vec((0i64..1 << 46, -(1i64 << 46)..1 << 46), 4)) {
        let mut certificate = FiniteCertificate {
            epsilon: epsilon(1.0),
            losses: zero_one(4),
            inputs: Vec::new(),
        };
        for (weight, price) in numbers {
            certificate.inputs.push(PricedInput { weight, price });
        }
        prop_assert!(certificate.bound().unwrap() <= 3.0 / (1f64.exp() + 3.0));
    }
}

/// With equal weights the price of the best channel is proved; a higher one proves less, whatever it claims.
#[test]
fn higher_prices_prove_less() {
    for value in [0.5, 1.0, 3.0] {
        let best = 3.0 / (f64::exp(value) + 3.0);
        let proved = |factor: f64| {
            let price = (best * factor / 4.0 * SCALE) as i64;
            let inputs = vec![PricedInput { weight: (SCALE / 4.0) as i64, price }; 4];
            FiniteCertificate { epsilon: epsilon(value), losses: zero_one(4), inputs }.bound().unwrap()
        };
        assert!((proved(1.0) - best).abs() < 1e-9, "{value}: {}", proved(1.0));
        assert!(proved(1.1) < best && proved(0.9) < best, "{value}: {} {}", proved(1.1), proved(0.9));
    }
}

fn stars() -> Solution {
    let categories = Categories::with_labels(["awful", "bad", "so, so", "good", " great"]).unwrap();
    let losses = LossMatrix::parse("0,1,2\n1,1,2\n1,0.3,1\n2,1,0\n3,1,0").unwrap();
    check(FiniteProblem { categories, ..average(minimax(losses, 2.0), &[1.0, 2.0, 3.0, 2.0, 1.0]) }, 1e-6)
}

#[test]
fn files_keep_labels_losses_and_weights() {
    for solution in
        [stars(), check(ordered(Loss::Squared, 5, 1.0), 1e-6), check(ordered(Loss::Absolute, 2, 1.0), 1e-6)]
    {
        let read = Solution::from_json(&solution.to_json()).unwrap();
        assert_eq!(read.to_json(), solution.to_json());
        assert_eq!(read.problem, solution.problem);
        assert_eq!(table(&read).fingerprint(), table(&solution).fingerprint());
        assert_eq!(read.problem.digest(), solution.problem.digest());
        read.verify().unwrap();
    }
    let Problem::Finite(FiniteProblem { categories, .. }) = stars().problem else { unreachable!() };
    assert_eq!(categories.parse("so, so").unwrap(), 2);
    assert_eq!(categories.label(4), " great");
}

/// The file with one number changed and the digest written anew, as a forger would.
fn forged(change: impl Fn(&mut serde_json::Value)) -> Result<(), LimitError> {
    let mut file: serde_json::Value = serde_json::from_str(&stars().to_json()).unwrap();
    change(&mut file["body"]);
    let refused = Solution::from_json(&file.to_string()).unwrap_err().to_string();
    assert!(refused.contains("digest"), "{refused}");
    file["digest"] = own_digest(&file["body"]).into();
    Solution::from_json(&file.to_string())?.verify()
}

/// The digest of a body, whose fields have kept their order.
fn own_digest(body: &serde_json::Value) -> String {
    blake3::hash(body.to_string().as_bytes()).to_hex().to_string()
}

#[test]
fn a_forger_who_changes_nothing_passes() {
    let file: serde_json::Value = serde_json::from_str(&stars().to_json()).unwrap();
    assert_eq!(own_digest(&file["body"]), file["digest"].as_str().unwrap());
}

#[test]
fn changed_numbers_are_noticed_whatever_the_digest() {
    let moved = |body: &mut serde_json::Value, by: u64| {
        let row = &mut body["channel"]["rows"][0];
        for (column, sign) in [(1, false), (0, true)] {
            let weight: u64 = row[column].as_str().unwrap().parse().unwrap();
            let weight = if sign { weight + by } else { weight - by };
            row[column] = weight.to_string().into();
        }
    };
    assert!(forged(|body| moved(body, 1 << 50)).is_err(), "a row that is not private, or has another loss");
    assert!(forged(|body| body["channel"]["rows"][0][0] = "5".into()).is_err(), "a row that does not add up");
    assert!(forged(|body| body["channel"]["rows"][0][0] = "-5".into()).is_err(), "a negative weight");
    assert!(forged(|body| body["certificate"]["inputs"][0][1] = 0.into()).is_err(), "a price");
    assert!(forged(|body| body["certificate"]["inputs"][0][0] = (1u64 << 47).into()).is_err(), "a weight");
    assert!(forged(|body| body["certificate"]["inputs"] = serde_json::json!([[0, 0]])).is_err(), "inputs");
    assert!(forged(|body| body["lower_bound"] = 0.9.into()).is_err(), "the bound");
    assert!(forged(|body| body["achieved"] = 0.1.into()).is_err(), "the loss");
    assert!(forged(|body| body["problem"]["losses"][0][1] = 0.5.into()).is_err(), "the problem");
    assert!(forged(|body| body["problem"]["losses"][0][1] = (-1.0).into()).is_err(), "a negative loss");
    assert!(forged(|body| body["problem"]["epsilon"] = 1.0.into()).is_err(), "epsilon");
    assert!(forged(|body| body["problem"]["prior"] = serde_json::json!([0.5, 0.5])).is_err(), "the prior");
    assert!(forged(|body| body["problem"]["loss"] = "absolute".into()).is_err(), "a name for a matrix");
    assert!(forged(|body| body["problem"]["labels"][0] = "fine".into()).is_err(), "a label");
    assert!(forged(|body| body["channel"]["outputs"][1] = 7.into()).is_err(), "an output that is none");
}

#[test]
fn a_huge_domain_in_a_file_takes_no_memory() {
    let mut file: serde_json::Value =
        serde_json::from_str(&check(ordered(Loss::Absolute, 3, 1.0), 1e-6).to_json()).unwrap();
    file["body"]["problem"]["domain"] = "categories:1000000000".into();
    file["digest"] = own_digest(&file["body"]).into();
    assert!(matches!(Solution::from_json(&file.to_string()), Err(LimitError::TooLarge { .. })));
}

#[test]
fn problems_whose_parts_do_not_fit_are_refused() {
    let refused =
        |problem: FiniteProblem| Problem::Finite(problem).solve(&Stop::default(), &mut |_| {}).unwrap_err();
    let good = ordered(Loss::Absolute, 3, 1.0);
    let other_count = FiniteProblem { categories: categories(4), ..good.clone() };
    assert!(matches!(refused(other_count), LimitError::Losses { .. }));
    assert!(matches!(refused(average(good.clone(), &[1.0, 1.0])), LimitError::Losses { .. }));
    // Where one output is the best whatever the category, there is no channel to look for.
    let always_good = minimax(LossMatrix::parse("0,1\n0,2").unwrap(), 1.0);
    assert!(matches!(refused(always_good), LimitError::Parameter(_)));
    assert!(matches!(refused(average(good, &[1.0, 0.0, 0.0])), LimitError::Parameter(_)));
    // Squares make the middle so good that at epsilon .5 no channel on five categories is better.
    assert!(matches!(refused(ordered(Loss::Squared, 5, 0.5)), LimitError::Parameter(_)));
    let always_better = minimax(LossMatrix::parse("1,3\n2,4").unwrap(), 1.0);
    assert!(matches!(refused(always_better), LimitError::Parameter(_)));
    let many = LossMatrix::ordered(Loss::Absolute, &categories(5000));
    assert!(matches!(many, Err(LimitError::TooLarge { .. })));
}

#[test]
fn a_search_that_is_stopped_claims_nothing_false() {
    let stop = Stop::default();
    stop.request();
    let best = check(ordered(Loss::Absolute, 5, 2.0), 1e-6);
    let early = best.problem.solve(&stop, &mut |_| {}).unwrap();
    early.verify().unwrap();
    assert!(early.achieved > best.achieved && early.lower_bound < best.lower_bound);
}

#[test]
fn estimators_of_solved_channels_know_what_they_cannot_tell() {
    let solution = check(minimax(zero_one(4), 2.0), 1e-6);
    let estimator = solution.channel.estimator().unwrap();
    assert!(estimator.numeric().is_none() && solution.channel.numeric().unwrap().is_none());
    assert_eq!(solution.channel.mechanism().unwrap().info().id, "solved-categories");
}

#[test]
fn many_categories_are_solved() {
    let solution = check(ordered(Loss::Absolute, 32, 2.0), 1e-5);
    // In units of the domain this is a little more than the best on an interval, .2009.
    assert!((solution.achieved / 31.0 - 0.2).abs() < 0.02, "{}", solution.achieved / 31.0);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn a_hundred_and_twenty_eight_categories_are_solved() {
    for loss in Loss::ALL {
        check(ordered(loss, 128, 2.0), 1e-5);
    }
}
