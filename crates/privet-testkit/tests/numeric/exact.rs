//! Privacy, samplers, codecs and the use of randomness: on a coarse lattice everything is looked at, on the real one the
//! integers are.

use super::{coarse, epsilon, inputs, turn, unit};
use privet_core::{Category, Channel, Mechanism};
use privet_mechanisms::circle::*;
use privet_mechanisms::interval::*;
use privet_mechanisms::lattice::{
    Aim, CalibratedRule, DecodedRows, LatticeChannel, LatticeMechanism, LatticeRule,
};
use privet_testkit::{Finding, Tampered, check_codec, check_privacy, check_randomness, check_sampler};

const EPSILONS: [f64; 4] = [0.1, 1.0, 4.0, 8.0];

fn battery<K: CalibratedRule>(domain: K::Domain, parts: u32, slack: f64) {
    for value in EPSILONS {
        examine(&coarse::<K>(domain, value, parts), value, slack);
        structure(&LatticeMechanism::<K>::new(domain, epsilon(value)).unwrap(), value, slack);
    }
    control(coarse::<K>(domain, 1.0, parts));
}

/// Every report of every node, and the program that draws them.
fn examine<K: LatticeRule>(mechanism: &LatticeMechanism<K>, value: f64, slack: f64) {
    let inputs = inputs(mechanism, *mechanism.domain());
    let said = || format!("{mechanism:?}");
    assert_eq!(check_privacy(mechanism, &inputs, epsilon(value), slack), Ok(()), "{}", said());
    assert_eq!(check_codec(mechanism, &inputs), Ok(()), "{}", said());
    assert_eq!(check_randomness(mechanism, &inputs), Ok(()), "{}", said());
    let few: Vec<f64> = inputs.iter().copied().step_by(inputs.len().div_ceil(5)).collect();
    assert_eq!(check_sampler(mechanism, &few, 20_000), Ok(()), "{}", said());
}

/// The mechanism that people use: its integers, with no tolerance above and the stated slack below.
fn structure<K: LatticeRule>(mechanism: &LatticeMechanism<K>, value: f64, slack: f64) {
    let exact = mechanism.worst_ratio().log_rounded_up();
    assert!(exact <= value && exact > value - slack, "{mechanism:?}: {exact}");
    assert_eq!(mechanism.guarantee().epsilon().get(), exact);
    let [first, second] = mechanism.worst_inputs();
    let rows = [first, second].map(|input| {
        let placed = mechanism.place(input);
        assert_eq!(placed.up, 0);
        mechanism.runs(placed.node)
    });
    for runs in &rows {
        let mut next = 0;
        let mut total = 0u128;
        for run in runs {
            assert_eq!(run.first, next);
            next += run.count;
            total += u128::from(run.weight) * u128::from(run.count);
        }
        assert_eq!((next, total), (mechanism.output_cells(), mechanism.row_total()));
    }
    // The stated ratio occurs between the stated inputs.
    let ratio = |cell: u32| mechanism.likelihood_ratio(&[first, second], &Category(cell));
    let starts = rows.iter().flatten().map(|run| run.first);
    assert_eq!(starts.filter_map(ratio).max(), Some(mechanism.worst_ratio()), "{mechanism:?}");
}

/// A sampler whose reports are moved for one input must be noticed.
fn control<K: LatticeRule>(inner: LatticeMechanism<K>) {
    let inputs = inputs(&inner, *inner.domain());
    let tampered = Tampered::reports(inner, |mechanism, input, report| {
        let cells = mechanism.output_cells();
        let moved = (report.0 + (cells / 3).max(1)) % cells;
        let is_first = mechanism.place(input).node == 0;
        if is_first { Category(moved) } else { report }
    });
    let found = check_sampler(&tampered, &inputs[..1], 20_000);
    assert!(
        matches!(found, Err(Finding::Sampler { .. } | Finding::Impossible { .. })),
        "{tampered:?}: {found:?}"
    );
}

macro_rules! batteries {
    ($($name:ident: $rule:ty, $domain:expr, $parts:expr, $slack:expr;)*) => {
        $(#[test]
        fn $name() {
            battery::<$rule>($domain, $parts, $slack);
        })*
    };
}

batteries! {
    optimal_piecewise: AbsoluteError, unit(), 32, 1e-9;
    optimal_piecewise_squared: SquaredError, unit(), 32, 1e-9;
    optimal_piecewise_unbiased: UnbiasedInside, unit(), 8, 1e-9;
    piecewise: TravellingWindow, unit(), 8, 1e-9;
    piecewise_compressed: CompressedPiecewise, unit(), 8, 1e-9;
    piecewise_truncated: TruncatedPiecewise, unit(), 8, 1e-9;
    square_wave: CentredWave, unit(), 8, 1e-9;
    square_wave_bounded: BoundedWave, unit(), 64, 1e-9;
    square_wave_compressed: CompressedWave, unit(), 8, 1e-9;
    square_wave_truncated: TruncatedWave, unit(), 8, 1e-9;
    duchi: TwoPoints, unit(), 1, 1e-9;
    hybrid: WindowAndPoints, unit(), 8, 1e-9;
    laplace: LaplaceNoise, unit(), 4, 1e-6;
    laplace_truncated: TruncatedLaplaceNoise, unit(), 4, 1e-6;
    laplace_bounded: InsideOnly, unit(), 32, 1e-9;
    staircase: Stairs, unit(), 4, 1e-5;
    grid_randomized_response: ResponseOnPoints, unit(), 20, 1e-9;
    grid_exponential: ExponentialOnPoints, unit(), 20, 1e-9;
    optimal_piecewise_circle: AbsoluteErrorAround, turn(), 32, 1e-9;
    optimal_piecewise_circle_squared: SquaredErrorAround, turn(), 32, 1e-9;
    square_wave_circle: WaveAround, turn(), 32, 1e-9;
    purkayastha: GeodesicLaplace, turn(), 32, 1e-9;
    sector_randomized_response: Sectors, turn(), 7, 1e-9;
}

/// A channel as a solver would find it: crowded ends, a gap, and a few atoms.
fn decoded<K>(value: f64, aim: Aim) -> LatticeMechanism<K>
where
    K: LatticeRule<Domain = privet_core::Interval, Rows = DecodedRows>,
{
    let inside = [0.0, 0.0, 0.0, 0.1, 0.15, 0.3, 0.7, 0.85, 0.9, 1.0, 1.0, 1.0];
    let numbers = match aim {
        Aim::Nearest => inside.map(DecodedRows::number_of).to_vec(),
        Aim::Mean => DecodedRows::covering(&inside, 4, epsilon(value)).unwrap(),
    };
    LatticeMechanism::with_rows(unit(), DecodedRows::new(numbers, 4, aim, epsilon(value)).unwrap()).unwrap()
}

fn solved_battery<K>(aim: Aim)
where
    K: LatticeRule<Domain = privet_core::Interval, Rows = DecodedRows>,
{
    for value in EPSILONS {
        let mechanism = decoded::<K>(value, aim);
        examine(&mechanism, value, 1e-9);
        structure(&mechanism, value, 1e-9);
    }
    control(decoded::<K>(1.0, aim));
}

#[test]
fn solved_channels() {
    solved_battery::<LeastWorstAbsolute>(Aim::Nearest);
    solved_battery::<LeastWorstSquared>(Aim::Nearest);
    solved_battery::<LeastWorstVariance>(Aim::Mean);
    solved_battery::<FoundOnInterval>(Aim::Nearest);
}
