//! On the device: places to reports, one at a time; and reports to points of interest.

use crate::client::{MadeUp, made_up_batch};
use crate::counting::Counting;
use crate::generator::Memory;
use crate::timing::Patience;
use crate::{BenchError, Row, epsilon, unit};
use privet::trajectory::method::{LocationMethod, References, Stream};
use privet::trajectory::rounding::{PointsOfInterest, Rounding};
use privet::trajectory::space::Space;
use privet::trajectory::{Place, TrajectoryError};
use privet::{CryptoRng, Epsilon, Generator, ParameterError, Rectangle};
use std::hint::black_box;

pub(crate) fn square() -> Result<Rectangle, ParameterError> {
    Rectangle::new([unit()?, unit()?])
}

/// How many locations per second a method reports, each seen from the report before, beside how many the generator could feed.
pub(crate) fn location<M: LocationMethod>(
    task: &'static str,
    build: fn(Space, Epsilon) -> Result<M, TrajectoryError>,
    patience: Patience,
) -> Result<Row, BenchError> {
    let method = build(Space::rectangle(square()?), epsilon()?)?;
    let places = made_up_batch::<Rectangle>();
    let report_all = |rng: &mut dyn CryptoRng| {
        let mut stream = Stream::new(&method, References::previous(&method))?;
        for place in black_box(&places) {
            black_box(stream.report(place, rng)?);
        }
        Ok::<_, BenchError>(places.len())
    };
    let mut counting = Counting::new(Generator::from_insecure_seed(0));
    let bytes = report_all(&mut counting).map(|count| counting.bytes() as f64 / count as f64)?;
    let (mut rng, mut memory) = (Generator::from_insecure_seed(0), Memory::new());
    let rates = patience.best_rates(|| report_all(&mut rng), || Ok(memory.fill()))?;
    Ok(Row {
        task,
        ours: rates.ours,
        peer: rates.peer / bytes,
        unit: "locations/s",
        note: format!("peer: the generator fills {bytes:.1} bytes, as many as a location takes"),
    })
}

/// As many as the largest city of the papers has.
const POINTS: u32 = 7798;

/// How many locations per second are rounded to the nearest of 7798 points of interest, beside looking at every point.
pub(crate) fn rounding(task: &'static str, patience: Patience) -> Result<Row, BenchError> {
    // Other points than the locations: an odd step visits them in another order.
    let points: Vec<Place> = (0..POINTS).map(|index| Rectangle::made_up(index * 77 + 13)).collect();
    let index = PointsOfInterest::new(Space::rectangle(square()?), points.clone())?;
    let places = made_up_batch::<Rectangle>();
    let few = &places[..64];
    let rates = patience.best_rates(
        || {
            places.iter().for_each(|place| {
                black_box(index.round(black_box(place)));
            });
            Ok::<_, BenchError>(places.len())
        },
        || {
            few.iter().for_each(|place| {
                black_box(nearest(&points, black_box(place)));
            });
            Ok(few.len())
        },
    )?;
    Ok(Row {
        task,
        ours: rates.ours,
        peer: rates.peer,
        unit: "locations/s",
        note: format!("peer: the distance to each of {POINTS} points"),
    })
}

fn nearest(points: &[Place], place: &Place) -> f64 {
    let square = |point: &Place| (point[0] - place[0]).powi(2) + (point[1] - place[1]).powi(2);
    points.iter().map(square).fold(f64::INFINITY, f64::min)
}
