use super::*;
use privet_core::{Generator, Interval};

fn rectangle(first: f64, second: f64) -> Rectangle {
    Rectangle::new([Interval::new(0.0, first).unwrap(), Interval::new(-1.0, second - 1.0).unwrap()]).unwrap()
}

fn mechanism(widths: [f64; 2], lattice: [u32; 2], epsilon: f64) -> SquareWindow {
    SquareWindow::with_lattice(rectangle(widths[0], widths[1]), Epsilon::new(epsilon).unwrap(), lattice)
        .unwrap()
}

/// For every window, the outcomes of the weights name every cell once, and those of the window first.
#[test]
fn outcomes_are_all_cells_with_the_window_first() {
    for (widths, lattice, epsilon) in
        [([1.0, 1.0], [7, 7], 2.0), ([1.0, 3.0], [4, 12], 1.0), ([9.0, 1.0], [18, 1], 3.0)]
    {
        let mechanism = mechanism(widths, lattice, epsilon);
        let [across, along] = mechanism.window();
        for column in 0..=lattice[0] - across {
            for row in 0..=lattice[1] - along {
                let start = [column, row];
                let mut seen = vec![false; (lattice[0] * lattice[1]) as usize];
                for outcome in 0..lattice[0] * lattice[1] {
                    let cell = mechanism.cell_at(outcome, start);
                    let index = (cell[0] * lattice[1] + cell[1]) as usize;
                    assert!(!std::mem::replace(&mut seen[index], true), "a cell is named twice");
                    let is_inside = outcome < across * along;
                    let expected = if is_inside { mechanism.row().high() } else { mechanism.row().low() };
                    assert_eq!(mechanism.weight(start, cell), expected);
                }
            }
        }
    }
}

/// The published bounds: what a plain window with a contracting decoder reaches, and the constant centre.
#[test]
fn average_errors_are_below_the_targets() {
    let targets = [(1.0, 370.0), (2.0, 318.0), (4.0, 195.0), (6.0, 108.0), (8.0, 57.0), (10.0, 30.0)];
    for (epsilon, thousandths) in targets {
        let error = mechanism([1.0, 1.0], [2048, 2048], epsilon).average_error();
        assert!(1000.0 * error < thousandths, "{epsilon}: {error}");
    }
}

/// Uniform places drawn 40 000 times: the mean distance is within five standard errors of the closed form.
#[test]
fn the_average_error_is_that_of_the_draws() {
    let mut rng = Generator::from_insecure_seed(11);
    for (widths, epsilon) in [([1.0, 1.0], 1.0), ([1.0, 1.0], 4.0), ([2.0, 10.0], 2.0)] {
        let rectangle = rectangle(widths[0], widths[1]);
        let mechanism = SquareWindow::new(rectangle, Epsilon::new(epsilon).unwrap()).unwrap();
        let (mut sum, mut squares) = (0.0, 0.0);
        let draws = 40_000;
        for index in 0..draws {
            let shares =
                [0.754_877_666_246_693, 0.569_840_290_998_053].map(|rate| (f64::from(index) * rate).fract());
            let place = rectangle.point_at(shares);
            let read = mechanism.output_value(mechanism.randomize(&place, &mut rng).unwrap());
            let distance = (read[0] - place[0]).hypot(read[1] - place[1]);
            sum += distance;
            squares += distance * distance;
        }
        let mean = sum / f64::from(draws);
        let error = ((squares / f64::from(draws) - mean * mean) / f64::from(draws)).sqrt();
        assert!(
            (mean - mechanism.average_error()).abs() < 5.0 * error + 1e-4,
            "{mean} {}",
            mechanism.average_error()
        );
    }
}

#[test]
fn the_mass_of_a_reading_is_the_sum_over_its_cells() {
    let mechanism = mechanism([1.0, 1.0], [9, 9], 1.0);
    for place in [[0.0, -1.0], [0.45, -0.2], [1.0, -0.9]] {
        let start = mechanism.window_start(&place);
        for report in 0..81 {
            let read = mechanism.output_value(Category(report));
            let same = (0..81).filter(|other| mechanism.output_value(Category(*other)) == read);
            let weights: u128 =
                same.map(|other| u128::from(mechanism.weight(start, [other / 9, other % 9]))).sum();
            let expected = weights as f64 / mechanism.row().total() as f64;
            assert!((mechanism.mass(&place, &read) - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn extreme_rectangles_and_epsilons_make_a_mechanism() {
    for widths in [[1e-9, 1.0], [1e150, 1.0], [3e307, 3e307]] {
        for epsilon in [0.01, 4.0, 50.0, 700.0] {
            let mechanism =
                SquareWindow::new(rectangle(widths[0], widths[1]), Epsilon::new(epsilon).unwrap()).unwrap();
            let value = mechanism.output_value(Category(1));
            assert!(value.iter().all(|coordinate| coordinate.is_finite()));
            assert!(mechanism.average_error().is_finite());
        }
    }
    let tiny = Epsilon::new(1e-25).unwrap();
    assert!(matches!(
        SquareWindow::new(rectangle(1.0, 1.0), tiny),
        Err(ParameterError::EpsilonTooSmall { .. })
    ));
    let one = Epsilon::new(1.0).unwrap();
    assert!(SquareWindow::with_lattice(rectangle(1.0, 1.0), one, [1, 1]).is_err());
    assert!(SquareWindow::with_lattice(rectangle(1.0, 1.0), one, [1 << 14, 1 << 14]).is_err());
}

/// What the page says about empty bands, in the unit square at epsilon 4.
#[test]
fn readings_leave_bands_empty_at_the_border_and_where_windows_begin_to_be_shifted() {
    let mechanism = mechanism([1.0, 1.0], [2048, 2048], 4.0);
    let readings = &mechanism.readings[0];
    let sorted: Vec<f64> = (0..2048).map(|rank| readings.at(rank)).collect();
    let near = |value: f64, said: f64| (value - said).abs() < 6e-4;
    assert!(near(sorted[0], 0.103) && near(sorted[2047], 0.897), "{} {}", sorted[0], sorted[2047]);
    let gaps: Vec<&[f64]> = sorted.windows(2).filter(|pair| pair[1] - pair[0] > 0.01).collect();
    assert!(
        matches!(gaps[..], [[a, b], [c, d]]
            if near(*a, 0.242) && near(*b, 0.315) && near(*c, 0.685) && near(*d, 0.758)),
        "{gaps:?}"
    );
    // Both ends of the gap are neighbouring cells: the last that places up to the border can report as near, and the next.
    let last = mechanism.window()[0] as usize - 1;
    assert!(near(readings.of_cell[last], 0.242) && near(readings.of_cell[last + 1], 0.315));
}
