//! The collector's estimates on made-up people whose places are known.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Epsilon, Generator, Interval, Rectangle, Rng};
use privet_trajectory::estimate::{Density, Evidence, Motion};
use privet_trajectory::method::{LocationMethod, References, TracsC, TracsD, Window2d, perturb_path};
use privet_trajectory::metric::Metric;
use privet_trajectory::rounding::{Grid, Rounding};
use privet_trajectory::space::{GeographicBox, Space};
use privet_trajectory::{Path, Place};

const SHAPE: [u32; 2] = [16, 16];

fn square() -> Space {
    Space::rectangle(Rectangle::new([Interval::new(0.0, 1.0).unwrap(); 2]).unwrap())
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn uniform(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}

/// Two towns and a countryside: 50 % and 30 % of the people live in two small squares.
fn home(rng: &mut Generator) -> Place {
    let (town, place) = (uniform(rng), [uniform(rng), uniform(rng)]);
    match town {
        share if share < 0.5 => [0.125 + 0.125 * place[0], 0.25 + 0.125 * place[1]],
        share if share < 0.8 => [0.75 + 0.125 * place[0], 0.625 + 0.125 * place[1]],
        _ => place,
    }
}

/// The share of each cell of the grid of 16 x 16, from the definition.
fn truth() -> Vec<f64> {
    let share = |cell: usize| {
        let (row, column) = (cell / 16, cell % 16);
        let first = if (2..4).contains(&row) && (4..6).contains(&column) { 0.5 / 4.0 } else { 0.0 };
        let second = if (12..14).contains(&row) && (10..12).contains(&column) { 0.3 / 4.0 } else { 0.0 };
        0.2 / 256.0 + first + second
    };
    (0..256).map(share).collect()
}

fn people(count: usize, places: usize, seed: u64) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(seed);
    let person = |index| Path::new(format!("{index}"), (0..places).map(|_| home(&mut rng)).collect());
    (0..count).map(person).collect()
}

fn reports(method: &dyn LocationMethod, paths: &[Path], seed: u64) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(seed);
    paths.iter().map(|path| perturb_path(method, path, &mut rng).unwrap()).collect()
}

fn evidence(method: &dyn LocationMethod, reports: &[Path]) -> Evidence {
    Evidence::gather(method, References::previous(method), reports, SHAPE).unwrap()
}

fn error(space: &Space, paths: &[Path], read: &[Path]) -> f64 {
    Metric::AverageError.of_data_set(space, paths, read).unwrap().unwrap().over_places.unwrap().value
}

/// Half the sum of absolute differences: the share of people in wrong cells.
fn misplaced(density: &Density) -> f64 {
    density.shares().iter().zip(truth()).map(|(one, other)| (one - other).abs()).sum::<f64>() / 2.0
}

#[test]
fn a_known_density_is_recovered_and_a_wrong_kernel_is_worse() {
    let paths = people(4000, 1, 1);
    let methods: [(Box<dyn LocationMethod>, f64); 2] = [
        (Box::new(Window2d::new(square(), epsilon(5.0)).unwrap()), 0.25),
        (Box::new(TracsC::new(square(), epsilon(8.0)).unwrap()), 0.25),
    ];
    for (method, tolerance) in &methods {
        let sent = reports(method.as_ref(), &paths, 2);
        let density = evidence(method.as_ref(), &sent).density();
        let total: f64 = density.shares().iter().sum();
        assert!((total - 1.0).abs() < 1e-9 && density.shares().iter().all(|share| *share >= 0.0));
        let right = misplaced(&density);
        // The reports themselves, counted, are far off.
        let grid = Grid::new(square(), SHAPE).unwrap();
        let mut counted = vec![0.0; 256];
        sent.iter().for_each(|path| counted[grid.index_of(&path.places[0]).unwrap()] += 1.0 / 4000.0);
        let raw: f64 = counted.iter().zip(truth()).map(|(one, other)| (one - other).abs()).sum::<f64>() / 2.0;
        // Control: the kernel of a weaker mechanism believes the noise less than it should be believed.
        let wrong = Window2d::new(square(), epsilon(1.0)).unwrap();
        let control = misplaced(&evidence(&wrong, &sent).density());
        assert!(right < *tolerance, "{}: {right}", method.id());
        assert!(raw > 1.2 * right && control > 1.5 * right, "{}: {right} {raw} {control}", method.id());
    }
}

/// Reading takes at least 15 % off the error of the reports, the lower end of what is claimed for cities.
#[test]
fn readings_beat_reports_and_the_constant() {
    let paths = people(400, 5, 3);
    let method = Window2d::new(square(), epsilon(4.0)).unwrap();
    let sent = reports(&method, &paths, 4);
    let evidence = evidence(&method, &sent);
    assert_eq!(evidence.reports(), 2000);
    let density = evidence.density();
    let read = evidence.medians(&density);
    assert!(read.iter().zip(&paths).all(|(one, other)| one.id == other.id && one.places.len() == 5));
    let median = density.geometric_median();
    let constant: Vec<Path> = paths.iter().map(|path| Path::new(&path.id, vec![median; 5])).collect();
    let [read, raw, constant] = [&read, &sent, &constant].map(|read| error(&square(), &paths, read));
    assert!(read < 0.85 * raw && read < 0.85 * constant, "{read} {raw} {constant}");
    // Deterministic: the same reports give the same answer.
    assert_eq!(evidence.density().shares(), density.shares());
}

#[test]
fn crossings_say_what_single_likelihoods_say() {
    let lines = [[0.03, 0.4, 0.77, 1.0], [0.0, 0.31, 0.5, 0.95]];
    let methods: [Box<dyn LocationMethod>; 2] = [
        Box::new(Window2d::new(square(), epsilon(3.0)).unwrap()),
        Box::new(TracsC::new(square(), epsilon(3.0)).unwrap()),
    ];
    for method in &methods {
        for report in &reports(method.as_ref(), &people(20, 5, 5), 6)[..] {
            for report in &report.places {
                let crossings = method.crossing_likelihood([&lines[0], &lines[1]], report).unwrap();
                for (i, j) in (0..16).map(|index| (index / 4, index % 4)) {
                    let single = method.likelihood(&[lines[0][i], lines[1][j]], &[0.5, 0.5], report).unwrap();
                    let crossing = crossings.base + crossings.factors[0][i] * crossings.factors[1][j];
                    assert!((crossing / single - 1.0).abs() < 1e-9, "{}: {crossing} {single}", method.id());
                }
            }
        }
    }
}

/// People who walk slowly: each step is short, and seldom somebody starts anew.
fn walkers(count: usize, steps: usize, seed: u64) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut walk = |id: usize| {
        let mut at = [uniform(&mut rng), uniform(&mut rng)];
        let places = (0..steps).map(|_| {
            at = at.map(|coordinate| (coordinate + 0.06 * (uniform(&mut rng) - 0.5)).clamp(0.0, 1.0));
            at
        });
        Path::new(id.to_string(), places.collect())
    };
    (0..count).map(&mut walk).collect()
}

#[test]
fn neighbours_in_time_help_and_free_jumps_say_nothing() {
    let paths = walkers(20, 40, 7);
    let method = Window2d::new(square(), epsilon(3.0)).unwrap();
    let sent = reports(&method, &paths, 8);
    let evidence = evidence(&method, &sent);
    let density = evidence.density();
    let alone = evidence.medians(&density);
    let smooth = evidence.smooth(&density, &Motion::new(0.05, 0.05).unwrap());
    let (one, other) = (error(&square(), &paths, &alone), error(&square(), &paths, &smooth));
    assert!(other < 0.6 * one, "{other} {one}");
    // Somebody who jumps at every step is where the report alone says.
    let jumps = evidence.smooth(&density, &Motion::new(0.05, 1.0).unwrap());
    let places = |paths: &[Path]| paths.iter().flat_map(|path| path.places.clone()).collect::<Vec<_>>();
    for (jump, single) in places(&jumps).iter().zip(places(&alone)) {
        assert!((jump[0] - single[0]).hypot(jump[1] - single[1]) < 1e-3);
    }
    // Control: in the wrong order, neighbours mislead.
    let mut rng = Generator::from_insecure_seed(9);
    let shuffle = |path: &Path| {
        let mut places: Vec<(u64, Place)> =
            path.places.iter().map(|place| (rng.next_u64(), *place)).collect();
        places.sort_by_key(|(key, _)| *key);
        Path::new(&path.id, places.into_iter().map(|(_, place)| place).collect())
    };
    let anywhere: Vec<Path> = people(20, 40, 10).iter().map(shuffle).collect();
    let sent = reports(&method, &anywhere, 11);
    let evidence = self::evidence(&method, &sent);
    let density = evidence.density();
    let misled = error(&square(), &anywhere, &evidence.smooth(&density, &Motion::new(0.05, 0.05).unwrap()));
    let alone = error(&square(), &anywhere, &evidence.medians(&density));
    assert!(misled > alone, "{misled} {alone}");
}

/// Forward-backward against the sum over all ways through a grid of 2 x 2 cells, for paths of one to four reports.
#[test]
fn smoothing_is_the_sum_over_all_ways() {
    let method = Window2d::new(square(), epsilon(2.0)).unwrap();
    let (reach, jump) = (0.4, 0.3);
    let shape = [2, 2];
    let paths: Vec<Path> = (1..5).flat_map(|length| people(3, length, length as u64)).collect();
    let sent = reports(&method, &paths, 12);
    let evidence = Evidence::gather(&method, References::previous(&method), &sent, shape).unwrap();
    let density = evidence.density();
    let smooth = evidence.smooth(&density, &Motion::new(reach, jump).unwrap());
    let (grid, shares) = (density.grid(), density.shares());
    let centre = |cell: usize| grid.place(cell).unwrap();
    let bell = |from: usize, to: usize| {
        let (one, other) = (centre(from), centre(to));
        (-((one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2)) / (2.0 * reach * reach)).exp()
    };
    let step = |from: usize, to: usize| {
        let nearby: f64 = (0..4).map(|cell| shares[cell] * bell(from, cell)).sum();
        shares[to] * (jump + (1.0 - jump) * bell(from, to) / nearby)
    };
    // The likelihood of a cell, summed over as many places as the evidence looks at.
    let likelihood = |cell: usize, report: &Place| {
        let offsets = [-0.1875, -0.0625, 0.0625, 0.1875];
        let places = offsets.iter().flat_map(|a| offsets.iter().map(move |b| [*a, *b]));
        let at = |offset: [f64; 2]| [centre(cell)[0] + offset[0], centre(cell)[1] + offset[1]];
        places.map(|offset| method.likelihood(&at(offset), report, report).unwrap()).sum::<f64>()
    };
    for (path, read) in sent.iter().zip(&smooth) {
        let length = path.places.len();
        for (position, read) in read.places.iter().enumerate() {
            let mut posterior = [0.0; 4];
            for way in 0..4usize.pow(length as u32) {
                let cells: Vec<usize> = (0..length).map(|index| way / 4usize.pow(index as u32) % 4).collect();
                let steps: f64 = cells.windows(2).map(|pair| step(pair[0], pair[1])).product();
                let seen: f64 =
                    cells.iter().zip(&path.places).map(|(cell, report)| likelihood(*cell, report)).product();
                posterior[cells[position]] += shares[cells[0]] * steps * seen;
            }
            // The reading has the smallest expected root-mean-square distance to the cells of this posterior.
            let total: f64 = posterior.iter().sum();
            let loss = |place: &Place| -> f64 {
                let distance = |cell: usize| {
                    let middle = centre(cell);
                    ((place[0] - middle[0]).powi(2) + (place[1] - middle[1]).powi(2) + 0.5 / 12.0).sqrt()
                };
                (0..4).map(|cell| posterior[cell] / total * distance(cell)).sum()
            };
            for (a, b) in [(0.02, 0.0), (-0.02, 0.0), (0.0, 0.02), (0.0, -0.02)] {
                assert!(loss(read) < loss(&[read[0] + a, read[1] + b]), "{length} {position}");
            }
        }
    }
}

/// Long paths are read in blocks of 1024 reports: a block knows what came before it, and nothing of what comes after.
#[test]
fn long_paths_are_read_block_by_block() {
    let method = Window2d::new(square(), epsilon(3.0)).unwrap();
    let sent = reports(&method, &walkers(1, 1100, 19), 20).remove(0);
    let cut = |places: &[Place]| Path::new("cut", places.to_vec());
    let paths = [sent.clone(), cut(&sent.places[..1024]), cut(&sent.places[1024..])];
    let evidence = Evidence::gather(&method, References::previous(&method), &paths, [8, 8]).unwrap();
    let density = evidence.density();
    let [whole, first, second] =
        evidence.smooth(&density, &Motion::new(0.05, 0.05).unwrap()).try_into().unwrap();
    assert_eq!(whole.places[..1024], first.places);
    assert_eq!(whole.places.len(), 1100);
    assert_ne!(whole.places[1024], second.places[0]);
}

#[test]
fn references_are_read_where_reports_depend_on_them() {
    let paths = people(60, 10, 13);
    let method = TracsD::new(square(), epsilon(8.0)).unwrap();
    let sent = reports(&method, &paths, 14);
    let read = |references| {
        let evidence = Evidence::gather(&method, references, &sent, SHAPE).unwrap();
        error(&square(), &paths, &evidence.medians(&evidence.density()))
    };
    let (right, raw) = (read(References::previous(&method)), error(&square(), &paths, &sent));
    let control = read(References::Fixed([0.5, 0.5]));
    assert!(right < 0.9 * raw && control > 1.1 * right, "{right} {raw} {control}");
}

#[test]
fn a_disc_has_nobody_outside() {
    let disc = Space::disc([0.0, 0.0], 1.0).unwrap();
    let method = TracsD::new(disc.clone(), epsilon(6.0)).unwrap();
    let path = Path::new("p", vec![[0.6, 0.1]; 50]);
    let sent = reports(&method, &[path], 15);
    let evidence = Evidence::gather(&method, References::previous(&method), &sent, SHAPE).unwrap();
    let density = evidence.density();
    for (cell, share) in density.shares().iter().enumerate() {
        let middle = [(cell / 16) as f64 / 8.0 - 0.9375, (cell % 16) as f64 / 8.0 - 0.9375];
        assert_eq!(*share == 0.0, middle[0].hypot(middle[1]) > 1.0, "{middle:?}");
    }
    assert!(disc.distance(&density.geometric_median(), &[0.6, 0.1]) < 0.2);
}

#[test]
fn geographic_boxes_are_estimated_in_metres() {
    let bounds = GeographicBox { west: 179.8, east: -179.9, south: 60.0, north: 60.1 };
    let space = Space::geographic(bounds).unwrap();
    let method = Window2d::new(space.clone(), epsilon(6.0)).unwrap();
    let town = [-179.95, 60.03];
    let path = Path::new("p", vec![town; 300]);
    let sent = reports(&method, &[path], 16);
    let density = evidence(&method, &sent).density();
    let median = density.geometric_median();
    assert!(space.contains(&median) && space.distance(&median, &town) < 1000.0, "{median:?}");
}

#[test]
fn many_different_reports_are_merged() {
    let paths = people(1, Evidence::MAX_REPORTS + 500, 17);
    let method = Window2d::new(square(), epsilon(5.0)).unwrap();
    let sent = reports(&method, &paths, 18);
    let density = evidence(&method, &sent).density();
    assert!(misplaced(&density) < 0.2, "{}", misplaced(&density));
}

#[test]
fn what_cannot_be_estimated_is_refused() {
    let method = Window2d::new(square(), epsilon(2.0)).unwrap();
    let path = |places: &[Place]| vec![Path::new("p", places.to_vec())];
    let gather = |reports: &[Path], shape| {
        Evidence::gather(&method, References::previous(&method), reports, shape)
            .map_err(|error| error.to_string())
    };
    assert!(gather(&[], SHAPE).is_err() && gather(&path(&[]), SHAPE).is_err());
    let message = gather(&path(&[[0.5, 0.5], [2.0, 0.5]]), SHAPE).unwrap_err();
    assert!(message.contains("number 2"), "{message}");
    assert!(gather(&path(&[[f64::NAN, 0.5]]), SHAPE).is_err());
    assert!(gather(&path(&[[0.5, 0.5]]), [0, 4]).is_err());
    // One report is enough; an empty path beside it stays empty.
    let mut two = path(&[[0.5, 0.5]]);
    two.extend(path(&[]));
    let evidence = gather(&two, SHAPE).unwrap();
    let density = evidence.density();
    assert!(evidence.medians(&density)[1].places.is_empty());
    assert!(evidence.smooth(&density, &Motion::new(0.1, 0.1).unwrap())[1].places.is_empty());
    for (reach, jump) in [(0.0, 0.5), (f64::NAN, 0.5), (1.0, 0.0), (1.0, 1.5)] {
        assert!(Motion::new(reach, jump).is_err());
    }
}
