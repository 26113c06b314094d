//! The examples of the pages and the papers.

use super::{epsilon, turn, unit};
use privet_core::{Channel, Extent, Interval, Mechanism};
use privet_mechanisms::circle::OptimalPiecewiseCircle;
use privet_mechanisms::interval::*;

fn window(pieces: &[privet_core::Piece]) -> Extent {
    let extents = pieces.iter().filter_map(|piece| piece.extent);
    extents.max_by(|a, b| a.density.total_cmp(&b.density)).unwrap()
}

#[test]
fn the_example_densities() {
    let mechanism = OptimalPiecewise::new(unit(), epsilon(1.0)).unwrap();
    let at_zero = window(&mechanism.pieces(Some(&0.0)));
    assert!((at_zero.density - 1.6487).abs() < 1e-4, "{at_zero:?}");
    assert!(at_zero.from == 0.0 && (at_zero.to - 0.3775).abs() < 1e-4, "{at_zero:?}");
    let in_the_middle = window(&mechanism.pieces(Some(&0.5)));
    assert!((in_the_middle.from - 0.3112).abs() < 1e-4 && (in_the_middle.to - 0.6888).abs() < 1e-4);
    let circle = OptimalPiecewiseCircle::new(turn(), epsilon(1.0)).unwrap();
    let around = circle.pieces(Some(&0.0));
    let half = around[0].extent.unwrap().to / std::f64::consts::PI;
    assert!((half - 0.37754).abs() < 1e-4, "{half}");
    assert_eq!(around.len(), 3);
}

#[test]
fn pieces_hold_the_whole_law() {
    for x in [-5.0, -1.3, 0.0, 7.7, 20.0] {
        let domain = Interval::new(-5.0, 20.0).unwrap();
        let masses = |pieces: Vec<privet_core::Piece>| -> f64 {
            pieces.iter().map(|piece| piece.mass * piece.outcomes as f64).sum()
        };
        let one = epsilon(1.0);
        for total in [
            masses(OptimalPiecewise::new(domain, one).unwrap().pieces(Some(&x))),
            masses(PiecewiseTruncated::new(domain, one).unwrap().pieces(Some(&x))),
            masses(Hybrid::new(domain, one).unwrap().pieces(Some(&x))),
            masses(Duchi::new(domain, one).unwrap().pieces(Some(&x))),
            masses(Laplace::new(domain, one).unwrap().pieces(Some(&x))),
            masses(LaplaceBounded::new(domain, one).unwrap().pieces(Some(&x))),
            masses(GridRandomizedResponse::new(domain, one).unwrap().pieces(Some(&x))),
        ] {
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
    }
}

#[test]
fn reports_have_the_stated_lengths() {
    let one = epsilon(1.0);
    assert_eq!(OptimalPiecewise::new(unit(), one).unwrap().report_bits(), 16);
    assert_eq!(Piecewise::new(unit(), one).unwrap().report_bits(), 21);
    assert_eq!(OptimalPiecewiseUnbiased::new(unit(), one).unwrap().report_bits(), 22);
    assert_eq!(Duchi::new(unit(), one).unwrap().report_bits(), 1);
    assert_eq!(Laplace::new(unit(), one).unwrap().report_bits(), 15);
    assert_eq!(LaplaceBounded::new(unit(), one).unwrap().report_bits(), 9);
    assert_eq!(GridExponential::new(unit(), one).unwrap().report_bits(), 7);
    assert_eq!(OptimalPiecewiseCircle::new(turn(), one).unwrap().report_bits(), 16);
    assert_eq!(Hybrid::new(unit(), epsilon(0.6)).unwrap().report_bits(), 1);
}
