//! The battery for mechanisms on places in a rectangle.

#![allow(missing_docs)]
// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Category, Channel, Epsilon, Interval, Mechanism, Rectangle, ReportBuffer, Values};
use privet_mechanisms::plane::{PlaneLayout, PlanePrior, PlaneWindow, SquareWindow};
use privet_mechanisms::registry::{AnyMechanism, ROWS, Row, WorstInput};
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

/// The middles of 12 x 12 parts of the rectangle, and its corners.
fn spread_inputs() -> Vec<[f64; 2]> {
    let share = |part: u32| (f64::from(part) + 0.5) / 12.0;
    let middles = (0..144).map(|part| field().point_at([share(part / 12), share(part % 12)]));
    middles.chain([[0.0, 0.0], [1.0, 1.0]].map(|shares| field().point_at(shares))).collect()
}

/// The lattice of 8 x 5 cells can be looked at as a whole; the usual one has four million, and drawn reports stand in.
#[test]
fn square_windows_keep_epsilon_and_are_what_is_drawn() {
    for epsilon in EPSILONS {
        let asked = Epsilon::new(epsilon).unwrap();
        let coarse = SquareWindow::with_lattice(field(), asked, [8, 5]).unwrap();
        let inputs = spread_inputs();
        assert_eq!(check_privacy(&coarse, &inputs, asked, 1e-9), Ok(()), "{coarse:?}");
        assert_eq!(check_codec(&coarse, &inputs), Ok(()), "{coarse:?}");
        assert_eq!(check_randomness(&coarse, &inputs), Ok(()), "{coarse:?}");
        assert_eq!(check_sampler(&coarse, &inputs[140..], 20_000), Ok(()), "{coarse:?}");
    }
    let asked = Epsilon::new(4.0).unwrap();
    let usual = SquareWindow::new(field(), asked).unwrap();
    assert_eq!(check_privacy(&usual, &spread_inputs()[128..], asked, 1e-9), Ok(()));
    assert_eq!(check_codec(&usual, &spread_inputs()[140..]), Ok(()));
}

#[test]
fn a_tampered_square_window_is_found() {
    let inner = SquareWindow::with_lattice(field(), Epsilon::new(1.0).unwrap(), [8, 5]).unwrap();
    let tampered = Tampered::reports(inner, |mechanism, input, report| {
        let is_first = mechanism.window_start(&input) == [0, 0];
        if is_first { Category((report.0 + 13) % mechanism.row().cells()) } else { report }
    });
    let found = check_sampler(&tampered, &[field().point_at([0.0, 0.0])], 20_000);
    assert!(matches!(found, Err(Finding::Sampler { .. })), "{found:?}");
}

/// The rows of this battery.
fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| row.info.domain == "rectangle")
}

#[test]
fn registered_mechanisms_are_private_or_refused_everywhere() {
    assert!(rows().any(|row| row.info.id == "window-2d"));
    for row in rows() {
        for domain in ["rectangle:0,1,0,1", "rectangle:-5,20,0,1e-300", "rectangle:0,1e300,1e15,1e15"] {
            let Ok(domain) = domain.parse() else { continue };
            for value in [1e-300, 1e-12, 0.01, 1.0, 20.0, 700.0, f64::MAX] {
                match row.build(&domain, Epsilon::new(value).unwrap()) {
                    Ok(mechanism) => {
                        assert!(mechanism.exact_epsilon() <= value, "{} {domain} {value}", row.info.id);
                        let mut reports = ReportBuffer::new(mechanism.report_bytes());
                        let mut rng = privet_core::Generator::from_insecure_seed(1);
                        mechanism
                            .randomize_worst_input(WorstInput::Second, 3, &mut rng, &mut reports)
                            .unwrap();
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
        assert!(row.build(&"interval:0,1".parse().unwrap(), Epsilon::new(1.0).unwrap()).is_err());
    }
}

/// The audit's inputs reach the exact worst ratio, and the errors are those of the mechanism.
#[test]
fn registered_mechanisms_can_be_audited_and_asked_for_their_errors() {
    let domain = "rectangle:0,1,0,1".parse().unwrap();
    let epsilon = Epsilon::new(4.0).unwrap();
    for row in rows() {
        let mechanism = row.build(&domain, epsilon).unwrap();
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let mut rng = privet_core::Generator::from_insecure_seed(2);
        mechanism.randomize_worst_input(WorstInput::First, 300, &mut rng, &mut reports).unwrap();
        let ratios = reports.iter().map(|slot| mechanism.worst_log_ratio(slot).unwrap());
        assert!((ratios.fold(f64::MIN, f64::max) - mechanism.exact_epsilon()).abs() < 1e-12);
        let errors = row.plane_errors(&domain, epsilon).unwrap().unwrap();
        let average = errors.average_loss(&PlanePrior::uniform());
        let (worst, place) = errors.worst_loss();
        assert!(average < worst && errors.expected_loss(place).unwrap() == worst);
        assert!(errors.expected_loss([2.0, 0.0]).is_err());
    }
    let elsewhere = ROWS.iter().find(|row| row.info.domain == "interval").unwrap();
    assert!(elsewhere.plane_errors(&domain, epsilon).unwrap().is_none());
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
