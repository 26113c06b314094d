use super::*;
use crate::interval::OptimalPiecewise;
use privet_core::{Epsilon, Interval};

fn ogpm(low: f64, high: f64, epsilon: f64) -> OptimalPiecewise {
    OptimalPiecewise::new(Interval::new(low, high).unwrap(), Epsilon::new(epsilon).unwrap()).unwrap()
}

/// The same number by adding up all cells.
fn by_hand(channel: &dyn AnyNumeric, input: f64, loss: impl Fn(f64) -> f64) -> f64 {
    let placement = channel.place(input);
    let up = placement.up as f64 / 2f64.powi(64);
    let sum = |node: u32| {
        let cells = channel
            .runs(node)
            .into_iter()
            .flat_map(|run| (run.first..run.first + run.count).map(move |cell| (cell, run.weight as f64)));
        cells.map(|(cell, weight)| weight * loss(channel.output_value(cell) - input)).sum::<f64>()
    };
    let upper = if placement.up == 0 { 0.0 } else { up * sum(channel.next_node(placement.node)) };
    ((1.0 - up) * sum(placement.node) + upper) / channel.row_total() as f64
}

#[test]
fn closed_forms_are_sums_over_cells() {
    let mechanism = ogpm(-5.0, 20.0, 1.3);
    let analysis = Analysis::new(&mechanism);
    for input in [-5.0, -4.999_99, 0.1234, 7.5, 19.0, 20.0] {
        let law = analysis.law(input).unwrap();
        let near =
            |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-11 * wanted.abs(), "{got} {wanted}");
        near(law.expected(Loss::Absolute), by_hand(&mechanism, input, f64::abs));
        near(law.expected(Loss::Squared), by_hand(&mechanism, input, |d| d * d));
        let bias = by_hand(&mechanism, input, |d| d);
        assert!((law.bias() - bias).abs() < 1e-10);
        near(law.variance(), by_hand(&mechanism, input, |d| (d - bias).powi(2)));
        near(law.within(1.7), by_hand(&mechanism, input, |d| f64::from(u8::from(d.abs() <= 1.7))));
        near(law.cdf(3.0), by_hand(&mechanism, input, |d| f64::from(u8::from(d + input <= 3.0))));
        near(law.pieces().iter().map(|piece| piece.mass).sum(), 1.0);
    }
    assert!(analysis.law(20.1).is_err());
}

#[test]
fn worst_absolute_errors_of_the_paper() {
    for (epsilon, wanted) in [(1.0, 0.37754), (2.0, 0.26894), (4.0, 0.11920)] {
        for (low, high) in [(0.0, 1.0), (-5.0, 20.0)] {
            let worst = Analysis::new(&ogpm(low, high, epsilon)).worst(Loss::Absolute);
            assert!((worst.error / (high - low) - wanted).abs() < 1e-4, "{worst:?}");
            assert!(worst.input == low || worst.input == high, "{worst:?}");
        }
    }
}

#[test]
fn averages_are_those_of_a_fine_grid() {
    let mechanism = ogpm(0.0, 1.0, 2.0);
    let analysis = Analysis::new(&mechanism);
    let prior = Prior::new(&[1.0, 0.0, 3.0]).unwrap();
    let grid = 30_000;
    let points = (0..grid).map(|i| (f64::from(i) + 0.5) / f64::from(grid));
    let sum: f64 = points
        .filter(|x| !(1.0 / 3.0..2.0 / 3.0).contains(x))
        .map(|x| {
            let weight = if x < 0.5 { 0.25 } else { 0.75 };
            weight * analysis.law(x).unwrap().expected(Loss::Squared) * 3.0 / f64::from(grid)
        })
        .sum();
    let average = analysis.average(Loss::Squared, &prior);
    assert!((average / sum - 1.0).abs() < 1e-8, "{average} {sum}");
    let whole = analysis.average_error(Loss::Squared, &prior);
    assert!((whole.error / average - 1.0).abs() < 1e-12, "{whole:?}");
    let mut law = [0.0; 2];
    for x in (0..grid).map(|i| (f64::from(i) + 0.5) / f64::from(grid)) {
        let weight = [0.25, 0.0, 0.75][(3.0 * x) as usize] * 3.0 / f64::from(grid);
        let error = analysis.law(x).unwrap().error(Loss::Squared);
        law = [law[0] + weight * error.bias, law[1] + weight * error.variance];
    }
    assert!(
        (whole.bias - law[0]).abs() < 1e-8 && (whole.variance - law[1]).abs() < 1e-8,
        "{whole:?} {law:?}"
    );
}

#[test]
fn information_of_a_window_on_a_fine_lattice() {
    // Information cannot exceed epsilon, nor the entropy of the prior, and a point has none.
    let mechanism = ogpm(0.0, 1.0, 1.0);
    let analysis = Analysis::new(&mechanism);
    let uniform = analysis.mutual_information(&Prior::uniform());
    let halves = analysis.mutual_information(&Prior::new(&[1.0, 1.0]).unwrap());
    assert!((uniform - halves).abs() < 1e-12);
    assert!(uniform > 0.05 && uniform < 0.5, "{uniform}");
    // Inside the first bins the window does not move: nothing is learned.
    let mut first = vec![0.0; 100];
    first[0] = 1.0;
    assert!(analysis.mutual_information(&Prior::new(&first).unwrap()) < 1e-9);
}
