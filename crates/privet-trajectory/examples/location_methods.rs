//! Average error and speed of the methods for places: `cargo run --release -p privet-trajectory --example location_methods`.
//! Random paths of 100 places, seen from the lower corner at first, as in the paper; after each epsilon: the average error, its standard error, median of nanoseconds per place.

use privet_core::{Epsilon, Generator, Interval, Rectangle, Rng};
use privet_trajectory::method::rival::{
    Atp, Candidates, GridExponential2d, GridRandomizedResponse2d, LSrr, NGram, PlanarLaplace,
};
use privet_trajectory::method::{
    LinePart, LocationMethod, References, RingPart, Split, Stream, TracsC, TracsD, Window2d,
};
use privet_trajectory::space::Space;
use privet_trajectory::{Place, TrajectoryError};
use std::time::Instant;

type Built = Result<Box<dyn LocationMethod>, TrajectoryError>;
type Build = fn(Space, Epsilon) -> Built;

/// A name, how to build it, and how many paths it gets.
const METHODS: [(&str, Build, u32); 12] = [
    ("window-2d", |space, epsilon| Ok(Box::new(Window2d::new(space, epsilon)?)), 10_000),
    ("tracs-c", |space, epsilon| Ok(Box::new(TracsC::new(space, epsilon)?)), 10_000),
    (
        "tracs-c squared",
        |s, e| Ok(Box::new(TracsC::with_part(s, e, LinePart::OptimalPiecewiseSquared)?)),
        10_000,
    ),
    ("tracs-d", |space, epsilon| Ok(Box::new(TracsD::new(space, epsilon)?)), 10_000),
    ("tracs-d best split", best_split, 10_000),
    ("strawman", |space, epsilon| Ok(Box::new(TracsD::strawman(space, epsilon, 6)?)), 10_000),
    ("planar-laplace", |space, epsilon| Ok(Box::new(PlanarLaplace::new(space, epsilon)?)), 10_000),
    (
        "grid-rr",
        |space, epsilon| Ok(Box::new(GridRandomizedResponse2d::new(space, [10, 10], epsilon)?)),
        10_000,
    ),
    (
        "grid-exponential",
        |space, epsilon| Ok(Box::new(GridExponential2d::new(space, [10, 10], epsilon)?)),
        10_000,
    ),
    ("l-srr", |space, epsilon| Ok(Box::new(LSrr::new(Candidates::grid(space, 10, 10)?, epsilon)?)), 1000),
    ("atp", |space, epsilon| Ok(Box::new(Atp::new(Candidates::grid(space, 10, 10)?, epsilon)?)), 500),
    ("n-gram", |space, epsilon| Ok(Box::new(NGram::new(Candidates::grid(space, 10, 10)?, epsilon)?)), 1000),
];

fn best_split(space: Space, epsilon: Epsilon) -> Built {
    let (ring, line) = (RingPart::OptimalPiecewise, LinePart::OptimalPiecewise);
    Ok(Box::new(TracsD::with(space, epsilon, Split::Optimised, ring, line)?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for widths in [[1.0, 1.0], [2.0, 10.0]] {
        let rectangle = Rectangle::new([Interval::new(0.0, widths[0])?, Interval::new(0.0, widths[1])?])?;
        println!("{rectangle}");
        for (name, build, paths) in METHODS {
            let mut line = format!("{name:20}");
            for epsilon in [1.0, 2.0, 4.0, 6.0, 8.0, 10.0] {
                let start = Instant::now();
                let method = build(Space::rectangle(rectangle), Epsilon::new(epsilon)?)?;
                let construction = start.elapsed().as_millis();
                let [error, deviation, time] = measured(method.as_ref(), &rectangle, paths)?;
                line += &format!(
                    "  {epsilon}: {error:.4} ({deviation:.4}) {time:4.0} ns, built in {construction} ms"
                );
            }
            println!("{line}");
        }
    }
    Ok(())
}

/// Mean error, its standard error, and median of nanoseconds per place.
fn measured(
    method: &dyn LocationMethod,
    rectangle: &Rectangle,
    paths: u32,
) -> Result<[f64; 3], TrajectoryError> {
    let (mut rng, mut unit) = (Generator::from_insecure_seed(1), Generator::from_insecure_seed(2));
    let (mut sum, mut squares, mut times) = (0.0, 0.0, Vec::new());
    for _ in 0..paths {
        let mut share = || (unit.next_u64() >> 11) as f64 / 2f64.powi(53);
        let places: Vec<Place> = (0..100).map(|_| rectangle.point_at([share(), share()])).collect();
        let start = rectangle.point_at([0.0, 0.0]);
        let mut stream = Stream::new(method, References::PreviousReport { start })?;
        let mut reports = Vec::with_capacity(places.len());
        let start = Instant::now();
        for place in &places {
            reports.push(stream.report(place, &mut rng)?);
        }
        times.push(start.elapsed().as_nanos() as f64);
        let errors =
            places.iter().zip(&reports).map(|(place, report)| method.space().distance(place, report));
        let mean = errors.sum::<f64>() / 100.0;
        sum += mean;
        squares += mean * mean;
    }
    // The median does not see when another program had the processor.
    times.sort_by(f64::total_cmp);
    let count = f64::from(paths);
    let mean = sum / count;
    Ok([mean, ((squares / count - mean * mean) / count).sqrt(), times[times.len() / 2] / 100.0])
}
