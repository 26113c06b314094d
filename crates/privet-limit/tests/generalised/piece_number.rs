//! How many pieces are worth having (Lemma 2), and where Lemmas 1 and 2 fail.

use crate::{between, on_unit};
use privet_core::Generator;
use privet_limit::generalised::{Density, Step};

/// Boundaries of two solutions may differ by this.
const SAME_PLACE: f64 = 1e-7;
/// Errors of two solutions may differ by this part.
const SAME_ERROR: f64 = 1e-12;

fn same(one: &[Step], other: &[Step]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < SAME_PLACE;
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(a, b)| near(a.from, b.from) && near(a.to, b.to) && near(a.density / b.density, 1.0))
}

fn used_pieces(density: &Density) -> usize {
    density.steps().iter().filter(|step| step.to > step.from).count()
}

/// Solves random problems with three, four and five pieces; says how many solutions have two and three pieces when
/// merged.
fn monte_carlo(problems: usize, power: f64, seed: u64) -> [usize; 2] {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut counts = [0; 2];
    for _ in 0..problems {
        let (epsilon, x) = (between(&mut rng, 0.01, 10.0), between(&mut rng, 0.0, 1.0));
        let solve = |pieces| on_unit(pieces, power, epsilon).point_optimum(x).unwrap();
        let three = solve(3);
        let merged = three.density.merged();
        for more in [4, 5] {
            let optimum = solve(more);
            assert_eq!(used_pieces(&optimum.density), more, "{epsilon} {x}");
            assert!((optimum.error / three.error - 1.0).abs() < SAME_ERROR, "{epsilon} {x}");
            assert!((optimum.error / optimum.lower_bound - 1.0).abs() < SAME_ERROR, "{epsilon} {x}");
            assert!(same(&optimum.density.merged(), &merged), "{epsilon} {x}: {merged:?} {optimum:?}");
        }
        // A window that reaches an end of the outputs leaves two pieces.
        counts[merged.len() - 2] += 1;
    }
    counts
}

#[test]
fn four_and_five_pieces_merge_to_three() {
    let [two, three] = monte_carlo(100, 1.0, 41);
    assert!(two + three == 100 && two > 5 && three > 50, "{two} {three}");
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn four_and_five_pieces_merge_to_three_in_a_thousand_problems() {
    for (power, seed) in [(1.0, 42), (2.0, 43), (1.5, 44)] {
        let [two, three] = monte_carlo(1000, power, seed);
        assert!(two + three == 1000 && two > 50 && three > 500, "{two} {three}");
    }
}

#[test]
fn the_comparison_notices_a_piece_that_helps() {
    let mut rng = Generator::from_insecure_seed(45);
    for _ in 0..20 {
        let (epsilon, x) = (between(&mut rng, 1.0, 10.0), between(&mut rng, 0.4, 0.6));
        let [two, three] = [2, 3].map(|pieces| on_unit(pieces, 1.0, epsilon).point_optimum(x).unwrap());
        assert!(two.error > 1.01 * three.error && !same(&two.density.merged(), &three.density.merged()));
        assert!(two.error > 1.01 * two.lower_bound);
    }
}

/// The papers' two steps: heights from the worst input, then boundaries at another one. Further heights in between are
/// offered to the second step, which leaves them empty.
#[test]
fn the_papers_four_and_five_pieces_at_three_tenths() {
    let mut rng = Generator::from_insecure_seed(46);
    let (peak, half) = (0.5f64.exp(), 0.5 / (1.0 + 0.5f64.exp()));
    for pieces in [4, 5] {
        let problem = on_unit(pieces, 1.0, 1.0);
        let high = problem.point_optimum(0.0).unwrap().density.peak();
        let low = high / 1f64.exp();
        let mut heights = vec![low, between(&mut rng, low, high), high, between(&mut rng, low, high), low];
        heights.drain(3..8 - pieces);
        let merged = problem.place(&heights, 0.3).unwrap().merged();
        assert_eq!(merged.len(), 3, "{merged:?}");
        assert!((merged[1].density - peak).abs() < 1e-7 && (merged[1].from - 0.3 + half).abs() < 1e-7);
    }
}

/// Lemma 2 concludes from "two pieces are the same as one" that one piece is best.
#[test]
fn lemma_2_fails_from_one_to_three_pieces() {
    for power in [1.0, 2.0] {
        for epsilon in [0.5, 1.0, 4.0, 10.0] {
            let [one, two, three] = [1, 2, 3].map(|pieces| on_unit(pieces, power, epsilon).minimax());
            for x in [0.0, 0.3, 0.5, 1.0] {
                assert!(same(&one.at(x).unwrap().merged(), &two.at(x).unwrap().merged()));
            }
            assert!((one.error - two.error).abs() < 1e-12 && three.error < 0.95 * one.error);
        }
    }
}

/// Lemma 1 looks at the ends only. The heights high, low, high are best there, and bad in the middle.
#[test]
fn lemma_1_holds_for_windows_and_not_for_all_heights() {
    let problem = on_unit(3, 1.0, 4.0);
    let minimax = problem.minimax();
    let [low, high] = [minimax.heights[0], minimax.heights[1]];
    let error = |x: f64| problem.place(&[high, low, high], x).unwrap().expected_loss(x, 1.0);
    assert!((error(0.0) - minimax.error).abs() < 1e-12 && (error(1.0) - minimax.error).abs() < 1e-12);
    assert!(error(0.5) > 3.0 * minimax.error, "{}", error(0.5));
}
