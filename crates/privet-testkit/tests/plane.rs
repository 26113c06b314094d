//! The battery for mechanisms on places in a rectangle.

#![allow(missing_docs)]
// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Category, Channel, Epsilon, Interval, Mechanism, Rectangle, ReportBuffer, Values};
use privet_mechanisms::plane::{PlaneLayout, PlaneWindow};
use privet_mechanisms::registry::AnyMechanism;
use privet_testkit::{Finding, Tampered, check_codec, check_privacy, check_randomness, check_sampler};

const EPSILONS: [f64; 4] = [0.1, 1.0, 4.0, 8.0];

fn field() -> Rectangle {
    Rectangle::new([Interval::new(-1.0, 2.0).unwrap(), Interval::new(0.0, 1.5).unwrap()]).unwrap()
}

/// A crooked grid of 40 cells over a lattice of 8 x 4 parts.
fn mechanism(epsilon: f64, window: u32) -> PlaneWindow {
    let cells = (0..40u32).map(|cell| [2000 + 7900 * (cell / 5) + 31 * cell, 1000 + 13_000 * (cell % 5)]);
    let layout = PlaneLayout::new([8, 4], window, cells.collect()).unwrap();
    PlaneWindow::new(field(), Epsilon::new(epsilon).unwrap(), layout).unwrap()
}

/// The middle of every part of the lattice, and the corners of the rectangle.
fn inputs(mechanism: &PlaneWindow) -> Vec<[f64; 2]> {
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].map(|shares| field().point_at(shares));
    let middles = (0..mechanism.layout().nodes()).map(|node| mechanism.node_value(node));
    middles.chain(corners).collect()
}

#[test]
fn every_row_keeps_epsilon_and_is_what_is_drawn() {
    for epsilon in EPSILONS {
        for window in [1, 9, 39] {
            let mechanism = mechanism(epsilon, window);
            let inputs = inputs(&mechanism);
            let said = || format!("{mechanism:?}");
            let asked = Epsilon::new(epsilon).unwrap();
            assert_eq!(check_privacy(&mechanism, &inputs, asked, 1e-9), Ok(()), "{}", said());
            assert_eq!(check_codec(&mechanism, &inputs), Ok(()), "{}", said());
            assert_eq!(check_randomness(&mechanism, &inputs), Ok(()), "{}", said());
            let few: Vec<[f64; 2]> = inputs.iter().copied().step_by(7).collect();
            assert_eq!(check_sampler(&mechanism, &few, 20_000), Ok(()), "{}", said());
        }
    }
}

/// A sampler whose reports are moved for one part of the rectangle must be noticed.
#[test]
fn a_tampered_sampler_is_found() {
    let inner = mechanism(1.0, 9);
    let inputs = inputs(&inner);
    let tampered = Tampered::reports(inner, |mechanism, input, report| {
        let is_first = mechanism.node_of(input) == 0;
        if is_first { Category((report.0 + 13) % mechanism.cells()) } else { report }
    });
    let found = check_sampler(&tampered, &inputs[..1], 20_000);
    assert!(matches!(found, Err(Finding::Sampler { .. })), "{found:?}");
}

#[test]
fn without_its_type_it_is_the_same() {
    let mechanism: Box<dyn AnyMechanism> = Box::new(mechanism(2.0, 9));
    assert!(mechanism.exact_epsilon() <= 2.0 && mechanism.exact_epsilon() > 2.0 - 1e-9);
    let pieces = mechanism.pieces(Some("0.5,0.5")).unwrap();
    let mass: f64 = pieces.iter().map(|piece| piece.outcomes as f64 * piece.mass).sum();
    assert!((mass - 1.0).abs() < 1e-12 && pieces[0].outcomes == 9);
    assert!(mechanism.pieces(Some("0.5,7")).is_err());
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut rng = privet_core::Generator::from_insecure_seed(5);
    let outside = Values::Points(vec![[0.0, 0.0], [0.0, 2.0]]);
    assert!(mechanism.randomize_batch(&outside, &mut rng, &mut reports).is_err());
    assert!(reports.is_empty());
    mechanism.randomize_batch_clamped(&outside, &mut rng, &mut reports).unwrap();
    assert_eq!(reports.len(), 2);
    let not_a_place = Values::Points(vec![[f64::NAN, 0.0]]);
    assert!(mechanism.randomize_batch_clamped(&not_a_place, &mut rng, &mut reports).is_err());
    assert!(mechanism.randomize_batch(&Values::Numbers(vec![0.5]), &mut rng, &mut reports).is_err());
}

/// The lattice of a real mechanism: windows are whole, rising and of one size; the worst inputs have different ones.
#[test]
fn windows_of_a_fine_lattice_are_sound() {
    let cells = (0..1024u32).map(|cell| [1024 + 2048 * (cell / 32), 1024 + 2048 * (cell % 32)]).collect();
    let layout = PlaneLayout::new([64, 64], 102, cells).unwrap();
    let mechanism = PlaneWindow::new(field(), Epsilon::new(4.0).unwrap(), layout).unwrap();
    for node in 0..mechanism.layout().nodes() {
        let window = mechanism.window(node);
        assert!(window.len() == 102 && window.is_sorted_by(|one, other| one < other));
        assert_eq!(mechanism.node_of(mechanism.node_value(node)), node);
    }
    let [first, second] = mechanism.worst_inputs();
    let ratios = (0..1024).filter_map(|cell| mechanism.likelihood_ratio(&[first, second], &Category(cell)));
    assert_eq!(ratios.max(), Some(mechanism.worst_ratio()));
    assert_eq!(Mechanism::report_bits(&mechanism), 10);
}
