//! "Unbiased" means: the mean report differs from the value by at most 2^-40 of the width, computed from the integers.

use super::{epsilon, exactly};
use privet_core::{Fraction, Interval};
use privet_mechanisms::interval::*;
use privet_mechanisms::lattice::{CalibratedRule, LatticeChannel, LatticeMechanism};

/// The exact bias of a node's row and the number that its reports stand for, over the width.
fn bias<K: CalibratedRule<Domain = Interval>>(mechanism: &LatticeMechanism<K>, node: u32) -> f64 {
    let (mut above, mut below) = (Fraction::whole(0), Fraction::whole(0));
    let mut add = |value: f64, weight: &Fraction, flip: bool| {
        let (negative, size) = exactly(value);
        let part = &size * weight;
        let side = if negative == flip { &mut above } else { &mut below };
        *side = (&*side + &part).reduced();
    };
    let total = Fraction::whole(mechanism.row_total());
    for run in mechanism.runs(node) {
        for cell in run.first..run.first + run.count {
            let weight = &Fraction::whole(u128::from(run.weight)) / &total;
            add(mechanism.output_value(cell), &weight, false);
        }
    }
    add(mechanism.node_value(node), &Fraction::whole(1), true);
    let difference = if above > below { above.minus(&below) } else { below.minus(&above) };
    difference.to_f64()
}

fn check<K: CalibratedRule<Domain = Interval>>(parts: u32) {
    for value in [0.1, 0.5, 1.0, 2.0, 8.0] {
        for (low, high) in [(0.0, 1.0), (-5.0, 20.0), (0.0, 1e-9)] {
            let domain = Interval::new(low, high).unwrap();
            let mechanism = super::coarse::<K>(domain, value, parts);
            for node in 0..mechanism.nodes() {
                let bias = bias(&mechanism, node) / domain.width();
                assert!(bias <= 2f64.powi(-40), "{mechanism:?} node {node}: {bias:e}");
            }
        }
    }
}

#[test]
fn exactly_unbiased_on_coarse_lattices() {
    check::<TravellingWindow>(4);
    check::<UnbiasedInside>(2);
    check::<TwoPoints>(1);
    check::<WindowAndPoints>(4);
}

/// On the real lattice cells are many, so the sum over a run is taken in closed form.
fn check_real<K: CalibratedRule<Domain = Interval>>() {
    for value in [0.01, 0.1, 1.0, 4.0, 8.0] {
        let mechanism = LatticeMechanism::<K>::new(super::unit(), epsilon(value)).unwrap();
        let total = mechanism.row_total() as f64;
        for node in [0, mechanism.input_cells() / 3, mechanism.input_cells()] {
            let mean: f64 = mechanism
                .runs(node)
                .iter()
                .map(|run| {
                    let ends =
                        [run.first, run.first + run.count - 1].map(|cell| mechanism.output_value(cell));
                    run.weight as f64 * f64::from(run.count) * (ends[0] + ends[1]) / 2.0 / total
                })
                .sum();
            let bias = (mean - mechanism.node_value(node)).abs();
            // The sum itself is in floating point, and reports are as large as 2 / epsilon.
            assert!(
                bias < 2f64.powi(-40).max(8.0 * f64::EPSILON / value * 100.0),
                "{mechanism:?} {node}: {bias:e}"
            );
        }
    }
}

#[test]
fn unbiased_on_the_real_lattice() {
    check_real::<TravellingWindow>();
    check_real::<UnbiasedInside>();
    check_real::<TwoPoints>();
    check_real::<WindowAndPoints>();
}

/// A decoder that is off in the fortieth bit must be noticed: the check would see it.
#[test]
fn a_biased_mechanism_is_noticed() {
    let mechanism = super::coarse::<AbsoluteError>(super::unit(), 1.0, 8);
    assert!(bias(&mechanism, 0) > 0.1);
}
