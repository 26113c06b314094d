//! The battery for mechanisms on numbers and angles.

#![allow(missing_docs)]
// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod attack;
mod composed;
mod delta;
mod exact;
mod extreme;
mod golden;
mod shape;
mod unbiased;
mod worst;

use privet_core::{BuildOptions, Circle, Delta, Domain, Epsilon, Fraction, Interval};
use privet_mechanisms::lattice::{
    CalibratedRule, Calibration, LatticeChannel, LatticeMechanism, LatticeRule, NumberDomain,
};

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn unit() -> Interval {
    Interval::new(0.0, 1.0).unwrap()
}

fn turn() -> Circle {
    Circle::new(std::f64::consts::TAU).unwrap()
}

fn with_delta(epsilon_value: f64, delta: f64) -> Calibration {
    let options = BuildOptions { delta: Some(Delta::new(delta).unwrap()), ..BuildOptions::default() };
    Calibration { options, ..Calibration::new(epsilon(epsilon_value)) }
}

/// The same mechanism on a lattice that is coarse enough to look at everything.
fn coarse<K: CalibratedRule>(domain: K::Domain, value: f64, parts: u32) -> LatticeMechanism<K> {
    let calibration = Calibration { input_cells: Some(parts), ..Calibration::new(epsilon(value)) };
    LatticeMechanism::calibrate(domain, &calibration).unwrap()
}

/// Every node and a value between any two of them.
fn inputs<K: LatticeRule>(mechanism: &LatticeMechanism<K>, domain: K::Domain) -> Vec<f64> {
    let step = domain.length() / f64::from(mechanism.input_cells());
    let nodes = (0..mechanism.nodes()).map(|node| mechanism.node_value(node));
    nodes.flat_map(|value| [value, value + 0.3 * step]).filter(|value| domain.contains(value)).collect()
}

/// A number as a fraction, exactly: its sign and its absolute value.
fn exactly(value: f64) -> (bool, Fraction) {
    let bits = value.abs().to_bits();
    let (stored, low) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let (mantissa, exponent) = if stored == 0 { (low, -1074) } else { (low | (1 << 52), stored - 1075) };
    let whole = Fraction::whole(u128::from(mantissa));
    let two = Fraction::whole(2);
    let scaled = if exponent < 0 {
        &whole * &Fraction::of_fair_bits(exponent.unsigned_abs())
    } else {
        &whole * &two.pow(exponent.unsigned_abs())
    };
    (value < 0.0, scaled)
}
