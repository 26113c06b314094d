//! Chance never beats the solver.

use crate::{between, interval, on_unit};
use privet_core::{Epsilon, Generator};
use privet_limit::generalised::Generalised;

/// A density of pieces with free heights and boundaries, before it is made to add up to one.
#[derive(Debug, Clone)]
struct Guess {
    /// The logarithms of the heights.
    logs: Vec<f64>,
    /// The inner boundaries, in order.
    ends: Vec<f64>,
}

impl Guess {
    fn random(rng: &mut Generator, pieces: usize, epsilon: f64) -> Self {
        let logs = (0..pieces).map(|_| between(rng, 0.0, epsilon)).collect();
        let mut ends: Vec<f64> = (1..pieces).map(|_| between(rng, 0.0, 1.0)).collect();
        ends.sort_by(f64::total_cmp);
        Self { logs, ends }
    }

    /// A guess nearby that is still allowed.
    fn moved(&self, rng: &mut Generator, epsilon: f64, step: f64) -> Self {
        let mut moved = self.clone();
        for log in &mut moved.logs {
            *log = (*log + between(rng, -step, step) * epsilon).clamp(0.0, epsilon);
        }
        for end in &mut moved.ends {
            *end = (*end + between(rng, -step, step)).clamp(0.0, 1.0);
        }
        moved.ends.sort_by(f64::total_cmp);
        moved
    }

    fn error(&self, x: f64, power: f64) -> f64 {
        let cumulative = |y: f64| (y - x) * (y - x).abs().powf(power) / (power + 1.0);
        let ends: Vec<f64> = [0.0].into_iter().chain(self.ends.iter().copied()).chain([1.0]).collect();
        let heights = self.logs.iter().map(|log| log.exp());
        let (loss, mass) = heights.zip(ends.windows(2)).fold((0.0, 0.0), |(loss, mass), (height, end)| {
            (loss + height * (cumulative(end[1]) - cumulative(end[0])), mass + height * (end[1] - end[0]))
        });
        loss / mass
    }
}

#[test]
fn random_densities_never_beat_the_point_optimum() {
    let mut rng = Generator::from_insecure_seed(51);
    for _ in 0..60 {
        let (epsilon, x) = (between(&mut rng, 0.1, 8.0), between(&mut rng, 0.0, 1.0));
        let power = between(&mut rng, 1.0, 3.0);
        for pieces in 2..=6 {
            let optimum = on_unit(pieces, power, epsilon).point_optimum(x).unwrap();
            for _ in 0..500 {
                let error = Guess::random(&mut rng, pieces, epsilon).error(x, power);
                assert!(error > optimum.error - 1e-12 && error > optimum.lower_bound - 1e-12);
            }
        }
    }
}

/// Improves random guesses by random moves that become smaller.
fn climb(rng: &mut Generator, pieces: usize, epsilon: f64, error: impl Fn(&Guess) -> f64, moves: u32) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..6 {
        let mut guess = Guess::random(rng, pieces, epsilon);
        let mut reached = error(&guess);
        for index in 0..moves {
            let step = 0.3 * (-8.0 * f64::from(index) / f64::from(moves)).exp();
            let next = guess.moved(rng, epsilon, step);
            let found = error(&next);
            if found < reached {
                (guess, reached) = (next, found);
            }
        }
        best = best.min(reached);
    }
    best
}

#[test]
fn climbing_from_random_densities_ends_at_the_point_optimum() {
    let mut rng = Generator::from_insecure_seed(52);
    for (epsilon, x, power) in [(1.0, 0.2, 1.0), (2.0, 0.5, 1.0), (3.0, 0.05, 2.0), (0.5, 0.7, 1.5)] {
        for pieces in [2, 3, 4, 5] {
            let optimum = on_unit(pieces, power, epsilon).point_optimum(x).unwrap().error;
            let climbed = climb(&mut rng, pieces, epsilon, |guess| guess.error(x, power), 3000);
            assert!(climbed > optimum - 1e-12 && climbed < 1.005 * optimum, "{pieces}: {climbed} {optimum}");
        }
    }
}

#[test]
fn random_boundaries_never_beat_the_placement() {
    let mut rng = Generator::from_insecure_seed(53);
    let (epsilon, mut compared) = (2.0, 0);
    for _ in 0..200 {
        let pieces = 2 + (between(&mut rng, 0.0, 4.0) as usize);
        let (x, power) = (between(&mut rng, 0.0, 1.0), between(&mut rng, 1.0, 3.0));
        let heights: Vec<f64> = (0..pieces)
            .map(|_| between(&mut rng, -1.0, 1.0))
            .map(|log| (log * epsilon / 2.0).exp())
            .collect();
        let Ok(placed) = on_unit(pieces, power, epsilon).place(&heights, x) else { continue };
        assert!(placed.steps().len() <= 3);
        let mass: f64 = placed.steps().iter().map(|step| step.density * (step.to - step.from)).sum();
        assert!((mass - 1.0).abs() < 1e-9);
        let best = placed.expected_loss(x, power);
        for _ in 0..500 {
            let Some(lengths) = random_lengths(&mut rng, &heights) else { continue };
            let mut from = 0.0;
            let mut error = 0.0;
            let cumulative = |y: f64| (y - x) * (y - x).abs().powf(power) / (power + 1.0);
            for (height, length) in heights.iter().zip(lengths) {
                error += height * (cumulative(from + length) - cumulative(from));
                from += length;
            }
            assert!(error > best - 1e-9, "{heights:?} {x} {power}: {error} {best}");
            compared += 1;
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// Lengths that add up to one and give mass one: a mixture of two random lengths with masses below and above.
fn random_lengths(rng: &mut Generator, heights: &[f64]) -> Option<Vec<f64>> {
    let draw = |rng: &mut Generator| {
        let parts: Vec<f64> =
            heights.iter().map(|_| -between(rng, 1e-12, 1.0).ln()).map(|part| part.powi(3)).collect();
        let total: f64 = parts.iter().sum();
        parts.into_iter().map(|part| part / total).collect::<Vec<f64>>()
    };
    let mass = |lengths: &[f64]| -> f64 {
        lengths.iter().zip(heights).map(|(length, height)| length * height).sum()
    };
    let (one, other) = (draw(rng), draw(rng));
    let share = (1.0 - mass(&other)) / (mass(&one) - mass(&other));
    (0.0..=1.0)
        .contains(&share)
        .then(|| one.iter().zip(&other).map(|(a, b)| share * a + (1.0 - share) * b).collect())
}

/// The worst error of heights over a grid of inputs.
fn worst_over_inputs(problem: &Generalised, heights: &[f64], power: f64) -> f64 {
    let error = |index: u32| {
        let x = problem.input().low() + problem.input().width() * f64::from(index) / 20.0;
        problem.place(heights, x).map_or(f64::INFINITY, |density| density.expected_loss(x, power))
    };
    (0..=20).map(error).fold(0.0, f64::max)
}

#[test]
fn climbing_from_random_heights_ends_at_the_minimax() {
    let mut rng = Generator::from_insecure_seed(54);
    let cases = [
        (interval(0.0, 1.0), interval(0.0, 1.0), 1.0, 1.0),
        (interval(0.0, 1.0), interval(0.0, 1.0), 2.0, 3.0),
        (interval(0.0, 1.0), interval(-0.5, 1.0), 1.0, 2.0),
        (interval(0.0, 0.4), interval(0.0, 1.0), 1.0, 1.5),
    ];
    for (input, output, power, epsilon) in cases {
        for pieces in [2, 3, 4] {
            let problem =
                Generalised::new(pieces, power, input, output, Epsilon::new(epsilon).unwrap()).unwrap();
            let minimax = problem.minimax().error;
            // The smallest height is one more number; the guess's first boundary serves for it.
            let error = |guess: &Guess| {
                let most = 1.0 / output.width();
                let low = most * (-epsilon * guess.ends[0]).exp();
                let heights: Vec<f64> = guess.logs.iter().map(|log| low * log.exp()).collect();
                worst_over_inputs(&problem, &heights, power)
            };
            let climbed = climb(&mut rng, pieces, epsilon, error, 1500);
            assert!(climbed > minimax - 1e-9, "{pieces} {output:?}: {climbed} {minimax}");
            assert!(climbed < 1.03 * minimax, "{pieces} {output:?}: {climbed} {minimax}");
        }
    }
}
