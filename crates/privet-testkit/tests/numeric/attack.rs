//! The attack on floating-point noise: some sums can only come from one of two inputs, because the noise that would lead
//! to them from the other one does not exist.

use super::{epsilon, unit};
use privet_core::{Channel, Generator, Mechanism, Rng};
use privet_mechanisms::interval::*;
use privet_mechanisms::lattice::{CalibratedRule, LatticeChannel, LatticeMechanism};
use std::collections::HashSet;

/// The inputs that the attacker wants to tell apart.
const INPUTS: [f64; 2] = [0.0, 1.0];
/// Few enough bits that every noise value can be listed; with 53 the attack solves for the word instead.
const BITS: u32 = 16;

/// Laplace noise as textbooks write it, from a uniform number with `BITS` bits.
fn naive_noise(word: u32) -> f64 {
    let uniform = (f64::from(word) + 0.5) / f64::from(1u32 << BITS) - 0.5;
    -uniform.signum() * (1.0 - 2.0 * uniform.abs()).ln()
}

#[test]
fn floating_point_noise_gives_the_input_away() {
    let possible =
        |input: f64| (0..1 << BITS).map(|word| (input + naive_noise(word)).to_bits()).collect::<HashSet<_>>();
    let reports = INPUTS.map(possible);
    let mut rng = Generator::from_insecure_seed(1);
    let draws = 1000;
    let identified = (0..draws)
        .filter(|_| {
            let report = (INPUTS[0] + naive_noise(rng.next_u32() >> (32 - BITS))).to_bits();
            reports[0].contains(&report) && !reports[1].contains(&report)
        })
        .count();
    assert!(identified > draws * 9 / 10, "{identified} of {draws}");
}

/// Every report of ours is possible from every input, and its value says nothing beyond its cell: the attacker's set of
/// telling reports is empty.
fn check<K: CalibratedRule<Domain = privet_core::Interval>>() {
    let mechanism = LatticeMechanism::<K>::new(unit(), epsilon(1.0)).unwrap();
    for node in [0, mechanism.input_cells() / 2, mechanism.input_cells()] {
        assert!(mechanism.runs(node).iter().all(|run| run.weight > 0));
    }
    let mut rng = Generator::from_insecure_seed(2);
    let draws = 1000;
    let identified = (0..draws)
        .filter(|_| {
            let report = mechanism.randomize(&INPUTS[0], &mut rng).unwrap();
            mechanism.probability(&INPUTS[1], &report).is_zero()
        })
        .count();
    assert_eq!(identified, 0);
    // Two inputs that differ in their last bit lead to the same finite set of numbers.
    let reports = [0.3, 0.3f64.next_up()].map(|input| {
        (0..200)
            .map(|_| mechanism.randomize(&input, &mut rng).unwrap().0)
            .all(|cell| cell < mechanism.output_cells())
    });
    assert_eq!(reports, [true, true]);
}

#[test]
fn lattice_reports_do_not() {
    check::<LaplaceNoise>();
    check::<TruncatedLaplaceNoise>();
    check::<Stairs>();
    check::<AbsoluteError>();
    check::<TravellingWindow>();
    check::<WindowAndPoints>();
    check::<InsideOnly>();
}
