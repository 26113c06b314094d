//! Against the continuous laws of the independent reference.

use super::{epsilon, turn, unit, with_delta};
use privet_core::{Channel, Extent};
use privet_mechanisms::circle::*;
use privet_mechanisms::interval::*;
use privet_mechanisms::lattice::{
    CalibratedRule, Calibration, LatticeChannel, LatticeMechanism, NumberDomain,
};
use privet_testkit::golden::{INTERVAL, Line, lines};

/// How far an error on the lattice may be from the continuous one: this much of it, or a tenth of this much of the width.
const TOLERANCE: f64 = 1e-4;

/// The integral of |y - x|^power over a range of unit density.
fn moment(x: f64, [from, to]: [f64; 2], power: i32) -> f64 {
    let antiderivative = |y: f64| {
        let distance = y - x;
        distance.signum() * distance.abs().powi(power + 1) / f64::from(power + 1)
    };
    antiderivative(to) - antiderivative(from)
}

/// The same on a ring: the range is measured on the side where it is nearer.
fn ring_moment(x: f64, [from, to]: [f64; 2], power: i32, period: f64) -> f64 {
    let mut sum = 0.0;
    for turns in [-1.0, 0.0, 1.0] {
        let centre = x + turns * period;
        let (low, high) = (from.max(centre - period / 2.0), to.min(centre + period / 2.0));
        if low < high {
            sum += moment(centre, [low, high], power);
        }
    }
    sum
}

/// The expected loss at an input, from the pieces or, where those are groups, from the cells.
fn loss<K: CalibratedRule>(mechanism: &LatticeMechanism<K>, domain: K::Domain, x: f64, power: i32) -> f64 {
    let pieces = mechanism.pieces(Some(&x));
    let period = domain.length();
    let is_law = pieces.len() < 20 && pieces.iter().all(|piece| piece.outcomes == 1);
    if is_law {
        let one = |extent: Extent, mass: f64| match extent {
            Extent { from, to, .. } if from == to => mass * (from - x).abs().powi(power),
            Extent { from, to, density } if K::Domain::IS_RING => {
                density * ring_moment(x, [from, to], power, period)
            }
            Extent { from, to, density } => density * moment(x, [from, to], power),
        };
        return pieces.iter().filter_map(|piece| Some(one(piece.extent?, piece.mass))).sum();
    }
    let placed = mechanism.place(x);
    let up = placed.up as f64 / 2f64.powi(64);
    let total = mechanism.row_total() as f64;
    let row = |node: u32| -> f64 {
        (0..mechanism.output_cells())
            .map(|cell| {
                let distance = (mechanism.output_value(cell) - x).abs();
                let distance = if K::Domain::IS_RING { distance.min(period - distance) } else { distance };
                mechanism.weight(node, cell) as f64 / total * distance.powi(power)
            })
            .sum()
    };
    let below = row(placed.node);
    if placed.up == 0 { below } else { (1.0 - up) * below + up * row(mechanism.next_node(placed.node)) }
}

/// A window is a whole number of cells: at epsilon 8 it has a thousand of them.
const DENSITY_TOLERANCE: f64 = 1e-3;

fn near(line: &Line<'_>, place: usize, got: f64, [relative, absolute]: [f64; 2]) {
    let expected: f64 = line.field(place).parse().unwrap();
    let allowed = (relative * expected.abs()).max(absolute);
    assert!((got - expected).abs() <= allowed, "{line:?}: got {got}, expected {expected}");
}

fn check<K: CalibratedRule>(name: &str, domain: K::Domain, calibrate: impl Fn(f64) -> Calibration) {
    check_to::<K>(TOLERANCE, name, domain, calibrate);
}

fn check_to<K: CalibratedRule>(
    tolerance: f64,
    name: &str,
    domain: K::Domain,
    calibrate: impl Fn(f64) -> Calibration,
) {
    for value in [0.5, 1.0, 2.0, 4.0, 8.0] {
        let mechanism = LatticeMechanism::<K>::calibrate(domain, &calibrate(value)).unwrap();
        let own = |kind| {
            lines(INTERVAL, kind)
                .filter(|line| line.field(1) == name && line.field(3).parse::<f64>() == Ok(value))
        };
        let mut seen = 0;
        for line in own("error") {
            let Ok(x) = line.field(5).parse::<f64>() else { continue };
            let power = if line.field(4) == "absolute" { 1 } else { 2 };
            let allowed = [tolerance, 1e-5 * domain.length().powi(power)];
            near(&line, 6, loss(&mechanism, domain, x, power), allowed);
            seen += 1;
        }
        assert_eq!(seen, 12, "the golden file lacks {name}");
        for line in own("density") {
            let [x, from, to] = [4, 5, 6].map(|place| line.field(place).parse::<f64>().unwrap());
            let middle = 0.5 * (from + to);
            let pieces = mechanism.pieces(Some(&x));
            let piece = pieces
                .iter()
                .filter_map(|piece| piece.extent)
                .find(|extent| extent.from <= middle && middle <= extent.to && extent.from < extent.to);
            near(&line, 7, piece.unwrap().density, [DENSITY_TOLERANCE, 0.0]);
        }
        for line in own("atom") {
            let [x, at] = [4, 5].map(|place| line.field(place).parse::<f64>().unwrap());
            let pieces = mechanism.pieces(Some(&x));
            let mass = pieces
                .iter()
                .filter(|piece| piece.extent.is_some_and(|extent| extent.from == extent.to))
                .filter(|piece| piece.extent.is_some_and(|extent| (extent.from - at).abs() < 1e-3))
                .map(|piece| piece.mass)
                .sum();
            // Noise has a cell in the middle of each end, half of which is the end's.
            let half = if name == "laplace-truncated" {
                value / 4.0 / f64::from(mechanism.input_cells())
            } else {
                0.0
            };
            near(&line, 6, mass, [tolerance, 1e-5 + 1.01 * half]);
        }
    }
}

fn plain(value: f64) -> Calibration {
    Calibration::new(epsilon(value))
}

#[test]
fn windows() {
    check::<AbsoluteError>("optimal-piecewise", unit(), plain);
    check::<SquaredError>("optimal-piecewise-squared", unit(), plain);
    check::<UnbiasedInside>("optimal-piecewise-unbiased", unit(), plain);
    check::<TravellingWindow>("piecewise", unit(), plain);
    check::<CompressedPiecewise>("piecewise-compressed", unit(), plain);
    check::<TruncatedPiecewise>("piecewise-truncated", unit(), plain);
    check::<CentredWave>("square-wave", unit(), plain);
    check::<BoundedWave>("square-wave-bounded", unit(), plain);
    check::<CompressedWave>("square-wave-compressed", unit(), plain);
    check::<TruncatedWave>("square-wave-truncated", unit(), plain);
    check::<TwoPoints>("duchi", unit(), plain);
    check::<WindowAndPoints>("hybrid", unit(), plain);
}

#[test]
fn noise() {
    check::<LaplaceNoise>("laplace", unit(), plain);
    check::<TruncatedLaplaceNoise>("laplace-truncated", unit(), plain);
    check::<InsideOnly>("laplace-bounded", unit(), plain);
    check::<Stairs>("staircase", unit(), plain);
}

#[test]
fn gaussian_noise() {
    let delta = |value| with_delta(value, 0.052);
    check::<GaussianNoise>("gaussian(delta=0.052)", unit(), delta);
    // Exposed reports are a whole number of cells, so that the deviation is a little more coarse.
    check_to::<ProbabilisticGaussianNoise>(2e-3, "gaussian-probabilistic(delta=0.052)", unit(), delta);
}

#[test]
fn grids() {
    check::<ResponseOnPoints>("grid-randomized-response(points=101)", unit(), plain);
    check::<ExponentialOnPoints>("grid-exponential(points=101)", unit(), plain);
}

#[test]
fn circles() {
    check::<AbsoluteErrorAround>("optimal-piecewise-circle", turn(), plain);
    check::<SquaredErrorAround>("optimal-piecewise-circle-squared", turn(), plain);
    check::<WaveAround>("square-wave-circle", turn(), plain);
    check::<GeodesicLaplace>("purkayastha", turn(), plain);
    check::<Sectors>("sector-randomized-response(sectors=6)", turn(), plain);
}

/// The comparison itself can fail: the wrong mechanism does not pass.
#[test]
#[should_panic(expected = "got")]
fn another_mechanism_is_noticed() {
    check::<SquaredError>("optimal-piecewise", unit(), plain);
}
