//! Intervals for shares of places, for people who are not smooth: what once was wrong.
//!
//! Each test repeats a small collection from fixed seeds. A right interval of 95 % holds the truth in fewer than 22 of 30
//! repetitions with a probability of 3e-6.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_core::{Epsilon, Generator, Interval, Rectangle, Rng, Target};
use privet_estimators::Frequency;
use privet_trajectory::estimate::{Evidence, PathQuestion, ShareIntervals};
use privet_trajectory::method::rival::{
    Atp, Candidates, GridExponential2d, GridRandomizedResponse2d, LSrr, NGram, PlanarLaplace,
};
use privet_trajectory::method::{
    Disclosure, LinePart, LocationMethod, References, Release, TracsC, TracsD, Window2d,
};
use privet_trajectory::rounding::{Grid, Rounding};
use privet_trajectory::space::{GeographicBox, Space};
use privet_trajectory::{Path, Place, TrajectoryError};

const REPETITIONS: u64 = 30;
const FEWEST: usize = 22;
const SHAPE: [u32; 2] = [4, 4];

fn square() -> Space {
    Space::rectangle(Rectangle::new([Interval::new(0.0, 1.0).unwrap(); 2]).unwrap())
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn uniform(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}

/// People of a few kinds, each with this many places.
fn people(kind: &str, count: usize, places: usize) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(1);
    let mut place = |person: usize| match kind {
        "one place" => [0.35, 0.6],
        // Both sides of a line between cells, and on a line.
        "two places" => [[0.49, 0.1], [0.75, 0.8]][person % 2],
        "clusters" => {
            let [first, second] = [[0.15, 0.2], [0.6, 0.7], [0.9, 0.3]][person % 3];
            [first + 0.05 * uniform(&mut rng), second + 0.05 * uniform(&mut rng)]
        }
        _ => [uniform(&mut rng), uniform(&mut rng)],
    };
    let person = |index: usize| Path::new(index.to_string(), (0..places).map(|_| place(index)).collect());
    (0..count).map(person).collect()
}

/// The mean over paths of the part of each path's places that lie in each cell.
fn truth(space: &Space, paths: &[Path], shape: [u32; 2]) -> Vec<f64> {
    let grid = Grid::new(space.clone(), shape).unwrap();
    let mut shares = vec![0.0; grid.count()];
    let reported = paths.iter().filter(|path| !path.places.is_empty());
    let count = reported.clone().count() as f64;
    for path in reported {
        for place in &path.places {
            shares[grid.index_of(place).unwrap()] += 1.0 / (count * path.places.len() as f64);
        }
    }
    shares
}

struct Collection<'a> {
    method: &'a dyn LocationMethod,
    references: References,
    disclosure: Disclosure,
    question: PathQuestion,
    shape: [u32; 2],
    intervals: ShareIntervals<'a>,
}

impl<'a> Collection<'a> {
    fn new(method: &'a dyn LocationMethod) -> Self {
        Self::on(method, SHAPE)
    }

    fn on(method: &'a dyn LocationMethod, shape: [u32; 2]) -> Self {
        let references = References::Fixed(method.space().centre());
        let intervals = ShareIntervals::new(method, references, shape).unwrap();
        let (disclosure, question) = (Disclosure::Everything, PathQuestion::default());
        Self { method, references, disclosure, question, shape, intervals }
    }

    fn ask(&self, paths: &[Path], seed: u64) -> Vec<Frequency> {
        let release = Release::new(self.method).seen_from(self.references).unwrap();
        let release = release.disclosing(self.disclosure).unwrap();
        let mut rng = Generator::from_insecure_seed(seed);
        let reports: Vec<Path> = paths.iter().map(|path| release.report(path, &mut rng).unwrap()).collect();
        let grid = [self.shape[0] * 2, self.shape[1] * 2];
        let evidence = Evidence::gather(self.method, self.references, &reports, grid).unwrap();
        self.intervals.estimate(&evidence, &reports, self.question).unwrap()
    }

    /// Every cell is held in at least 22 of 30 repetitions, and all of them together as often; gives the mean half-length.
    fn check(&self, name: &str, truth: &[f64], repeat: impl Fn(u64) -> Vec<Frequency>) -> f64 {
        let mut held = vec![0; truth.len()];
        let (mut together, mut half) = (0, 0.0);
        for seed in 1..=REPETITIONS {
            let found = repeat(seed);
            let holds = |[low, high]: [f64; 2], truth: f64| low - 1e-9 <= truth && truth <= high + 1e-9;
            for ((row, truth), held) in found.iter().zip(truth).zip(&mut held) {
                let estimate = &row.estimate;
                assert!(holds(estimate.interval, estimate.value), "{name}: {row:?}");
                let [wide, narrow] = [row.simultaneous_interval, estimate.interval];
                assert!(wide[0] <= narrow[0] && wide[1] >= narrow[1], "{name}: {row:?}");
                assert!(estimate.standard_error >= 0.0 && estimate.bias_bound >= 0.0, "{name}: {row:?}");
                *held += usize::from(holds(estimate.interval, *truth));
                half += (estimate.interval[1] - estimate.interval[0]) / 2.0;
            }
            let all = found.iter().zip(truth).all(|(row, truth)| holds(row.simultaneous_interval, *truth));
            together += usize::from(all);
        }
        let half = half / (REPETITIONS as usize * truth.len()) as f64;
        let (fewest, mean) =
            (held.iter().min().unwrap(), held.iter().sum::<usize>() as f64 / held.len() as f64);
        println!(
            "{name}: cells {fewest} of 30 at least, {mean:.2} on average, together {together}, half {half:.4}"
        );
        assert!(*fewest >= FEWEST && together >= FEWEST, "{name}: {held:?} {together}");
        half
    }
}

const KINDS: [&str; 4] = ["one place", "two places", "clusters", "uniform"];

/// Checks all kinds of people, with paths of two places, and gives the half-lengths.
fn check_kinds(name: &str, collection: &Collection<'_>) -> Vec<f64> {
    let check = |kind: &&str| {
        let paths = people(kind, 400, 2);
        let truth = truth(collection.method.space(), &paths, collection.shape);
        collection.check(&format!("{name}, {kind}"), &truth, |seed| collection.ask(&paths, seed))
    };
    KINDS.iter().map(check).collect()
}

/// People who are all in one place, in two, in clusters, anywhere.
#[test]
fn the_people_who_reported() {
    let methods: [(Box<dyn LocationMethod>, &str, f64); 3] = [
        (Box::new(Window2d::new(square(), epsilon(4.0)).unwrap()), "window-2d 4", 0.08),
        (Box::new(Window2d::new(square(), epsilon(1.0)).unwrap()), "window-2d 1", 0.25),
        (Box::new(TracsC::new(square(), epsilon(8.0)).unwrap()), "tracs-c 8", 0.03),
    ];
    for (method, name, widest) in &methods {
        let halves = check_kinds(name, &Collection::new(method.as_ref()));
        // Not by saying nothing: of people in the middle of a cell much is known.
        assert!(halves[0] < *widest, "{name}: {halves:?}");
    }
}

/// Methods that choose from cells and candidates, and directions from a fixed reference.
#[test]
fn all_methods_whose_laws_are_known() {
    let candidates = || Candidates::grid(square(), 6, 5).unwrap();
    let scattered = || {
        let mut rng = Generator::from_insecure_seed(5);
        let places = (0..40).map(|_| [uniform(&mut rng), uniform(&mut rng)]).collect();
        Candidates::new(square(), places).unwrap()
    };
    let methods: [(Box<dyn LocationMethod>, &str); 6] = [
        (Box::new(TracsD::new(square(), epsilon(6.0)).unwrap()), "tracs-d 6"),
        (Box::new(GridRandomizedResponse2d::new(square(), [8, 8], epsilon(5.0)).unwrap()), "grid-rr 5"),
        (Box::new(GridExponential2d::new(square(), [7, 7], epsilon(6.0)).unwrap()), "grid-exponential 6"),
        (Box::new(LSrr::new(candidates(), epsilon(4.0)).unwrap()), "l-srr 4"),
        (Box::new(NGram::new(scattered(), epsilon(8.0)).unwrap()), "n-gram 8"),
        (Box::new(Atp::new(candidates(), epsilon(8.0)).unwrap()), "atp 8"),
    ];
    for (method, name) in &methods {
        let collection = Collection::on(method.as_ref(), [2, 2]);
        for kind in ["one place", "uniform"] {
            let paths = people(kind, 250, 1);
            let truth = truth(&square(), &paths, [2, 2]);
            collection.check(&format!("{name}, {kind}"), &truth, |seed| collection.ask(&paths, seed));
        }
    }
}

/// Two kinds of people: one has been seen often, the other once. Each person counts alike.
#[test]
fn paths_of_different_lengths() {
    let method = Window2d::new(square(), epsilon(4.0)).unwrap();
    let collection = Collection::on(&method, [2, 2]);
    let often = |index: usize| Path::new(index.to_string(), vec![[0.2, 0.3]; 9]);
    let once = |index: usize| Path::new(index.to_string(), vec![[0.7, 0.8]]);
    let mut paths: Vec<Path> =
        (0..300).map(|index| if index % 2 == 0 { often(index) } else { once(index) }).collect();
    paths.push(Path::new("nobody", Vec::new()));
    let truth = truth(&square(), &paths, [2, 2]);
    assert!((truth[0] - 0.5).abs() < 1e-9 && (truth[3] - 0.5).abs() < 1e-9);
    let half = collection.check("lengths", &truth, |seed| collection.ask(&paths, seed));
    assert!(half < 0.1, "{half}");
    // The value is that of people, not of places, of which nine in ten are in the first cell.
    let value = collection.ask(&paths, 1)[0].estimate.value;
    assert!((value - 0.5).abs() < 0.15, "{value}");
}

/// People are drawn anew each time, all places of one being the same: what holds for the people at hand is not enough.
#[test]
fn the_population_they_were_drawn_from() {
    let method = Window2d::new(square(), epsilon(8.0)).unwrap();
    let mut collection = Collection::on(&method, [2, 2]);
    let drawn = |seed: u64| -> Vec<Path> {
        let mut rng = Generator::from_insecure_seed(1000 + seed);
        let mut home = || [[0.3, 0.3], [0.7, 0.6]][usize::from(uniform(&mut rng) < 0.5)];
        (0..60).map(|index| Path::new(index.to_string(), vec![home(); 20])).collect()
    };
    let reported = |seed: u64| {
        let [low, high] = collection.ask(&drawn(seed), seed)[0].estimate.interval;
        (high - low) / 2.0
    };
    let reported = (1..=REPETITIONS).map(reported).sum::<f64>() / REPETITIONS as f64;
    collection.question.target = Target::Population;
    let ask = |seed: u64| collection.ask(&drawn(seed), seed);
    let half = collection.check("population", &[0.5, 0.0, 0.0, 0.5], ask);
    // Who happened to report has a standard deviation of .065 in two of four cells.
    assert!(half > 0.065 && reported < half, "{half} {reported}");
    assert_eq!(ask(1)[0].estimate.target, Target::Population);
}

/// Two of ten places are chosen by lottery: the truth is about all ten.
#[test]
fn places_that_were_chosen_by_lottery() {
    let method = Window2d::new(square(), epsilon(8.0)).unwrap();
    let mut collection = Collection::on(&method, [2, 2]);
    collection.disclosure = Disclosure::Count { places: 2 };
    collection.question.is_drawn = true;
    let place = |index: usize| [[0.3, 0.3], [0.7, 0.6]][usize::from(index < 4)];
    let paths: Vec<Path> =
        (0..60).map(|index| Path::new(index.to_string(), (0..10).map(place).collect())).collect();
    let truth = truth(&square(), &paths, [2, 2]);
    collection.check("lottery", &truth, |seed| collection.ask(&paths, seed));
}

/// Sides of different lengths, degrees, and more columns than rows.
#[test]
fn geographic_boxes_have_intervals() {
    let bounds = GeographicBox { west: 139.4, east: 140.0, south: 35.5, north: 35.9 };
    let space = Space::geographic(bounds).unwrap();
    let method = Window2d::new(space.clone(), epsilon(5.0)).unwrap();
    let collection = Collection::on(&method, [4, 2]);
    let paths: Vec<Path> =
        (0..400).map(|index| Path::new(index.to_string(), vec![[139.63, 35.79]])).collect();
    let truth = truth(&space, &paths, [4, 2]);
    assert_eq!(truth.iter().position(|share| *share > 0.9), Some(3));
    let half = collection.check("geographic", &truth, |seed| collection.ask(&paths, seed));
    assert!(half < 0.1, "{half}");
}

/// A disc, seen from its middle.
#[test]
fn discs_have_intervals() {
    let disc = Space::disc([2.0, -1.0], 3.0).unwrap();
    let method = TracsD::new(disc.clone(), epsilon(8.0)).unwrap();
    let collection = Collection::on(&method, [2, 2]);
    let home = |index: usize| [[3.3, 0.5], [1.0, -2.5]][index % 2];
    let paths: Vec<Path> = (0..400).map(|index| Path::new(index.to_string(), vec![home(index)])).collect();
    let truth = truth(&disc, &paths, [2, 2]);
    let half = collection.check("disc", &truth, |seed| collection.ask(&paths, seed));
    // The middle of the disc is the corner of all cells, so much stays open; but not everything.
    assert!(half < 0.45, "{half}");
}

fn ask(method: &dyn LocationMethod, reports: &[Path], target: Target) -> Result<Vec<Frequency>, String> {
    let references = References::Fixed(method.space().centre());
    let said = |error: TrajectoryError| error.to_string();
    let evidence = Evidence::gather(method, references, reports, [4, 4]).map_err(said)?;
    let intervals = ShareIntervals::new(method, references, [2, 2]).map_err(said)?;
    intervals.estimate(&evidence, reports, PathQuestion { target, ..PathQuestion::default() }).map_err(said)
}

#[test]
fn little_is_known_from_little() {
    let method = Window2d::new(square(), epsilon(2.0)).unwrap();
    let path = |places: &[Place]| Path::new("p", places.to_vec());
    // One place of one person: nothing is known. Many places of one person: something is, about this person alone.
    let found = ask(&method, &[path(&[[0.3, 0.3]])], Target::Reported).unwrap();
    assert!(found.iter().all(|row| row.estimate.interval == [0.0, 1.0]), "{found:?}");
    let mut rng = Generator::from_insecure_seed(3);
    let long = Release::new(&method).report(&path(&[[0.2, 0.2]; 2000]), &mut rng).unwrap();
    let alone = std::slice::from_ref(&long);
    let found = ask(&method, alone, Target::Reported).unwrap();
    assert!(found[0].estimate.interval[0] > 0.3 && found[3].estimate.interval[1] < 0.5, "{found:?}");
    assert_eq!(found[0].estimate.n, 1);
    let error = ask(&method, alone, Target::Population).unwrap_err();
    assert_eq!(error, "intervals need at least 2 paths with reports, because paths are random: got 1");
    for nobody in [vec![], vec![path(&[])]] {
        let error = ask(&method, &nobody, Target::Reported).unwrap_err();
        assert_eq!(error, "an estimate needs at least 1 reports: got 0");
    }
    // All reports in one place, whatever they say: never a value outside its interval, never no number.
    let found = ask(&method, &vec![path(&[[1.0, 0.0]]); 50], Target::Population).unwrap();
    for Frequency { estimate, simultaneous_interval, .. } in &found {
        let [low, high] = estimate.interval;
        assert!(low <= estimate.value && estimate.value <= high && estimate.standard_error.is_finite());
        assert!(simultaneous_interval[0] <= low && high <= simultaneous_interval[1]);
    }
}

#[test]
fn what_cannot_have_intervals_says_why() {
    let direction = TracsD::new(square(), epsilon(2.0)).unwrap();
    let laplace = PlanarLaplace::new(square(), epsilon(2.0)).unwrap();
    let refused = |method: &dyn LocationMethod, references: References, shape: [u32; 2]| {
        ShareIntervals::new(method, references, shape).unwrap_err().to_string()
    };
    let said = [
        refused(&direction, References::previous(&direction), SHAPE),
        refused(&direction, References::Fixed([0.0, 0.5]), SHAPE),
        refused(&laplace, References::Fixed([0.5, 0.5]), SHAPE),
    ];
    assert_eq!(
        said,
        [
            "reports of tracs-d cannot have intervals: each is seen from the one before, so each has a law of its own; report \
             from a fixed reference, or by window-2d or tracs-c",
            "reports of tracs-d cannot have intervals: from a reference at the border different draws are the same report; \
             report from a fixed reference inside, or by window-2d or tracs-c",
            "reports of planar-laplace cannot have intervals: it is not known how likely its reports are from every place; \
             report by window-2d or tracs-c",
        ]
    );
    let window = Window2d::new(square(), epsilon(2.0)).unwrap();
    let references = References::previous(&window);
    for shape in [[0, 4], [4, 17]] {
        let said = refused(&window, references, shape);
        assert!(said.contains("1 to 16 cells"), "{said}");
    }
    let paths = [Path::new("p", vec![[0.5, 0.5]])];
    let evidence = Evidence::gather(&window, references, &paths, [4, 4]).unwrap();
    let on = |shape: [u32; 2], reports: &[Path]| {
        ShareIntervals::new(&window, references, shape).unwrap().estimate(
            &evidence,
            reports,
            PathQuestion::default(),
        )
    };
    let said = on([3, 4], &paths).unwrap_err().to_string();
    assert!(said.contains("must divide 4 and 4: got 3 x 4"), "{said}");
    let whole = on([1, 1], &paths).unwrap();
    assert!(whole.len() == 1 && whole[0].estimate.interval == [1.0, 1.0], "{whole:?}");
    assert!(on([1, 1], &[]).is_err());
}

/// How many groups of reports are drawn more or less often from some places than any law of those places allows.
fn strangers(sampled: &dyn LocationMethod, stated: &dyn LocationMethod) -> usize {
    const DRAWS: u32 = 20_000;
    let centre = stated.space().centre();
    let known = stated.report_laws(References::Fixed(centre), SHAPE).unwrap();
    let mut rng = Generator::from_insecure_seed(11);
    let mut strange = 0;
    for place in [[0.5, 0.5], [0.013, 0.31], [0.77, 0.249], [1.0, 0.0], [0.4, 0.93]] {
        let mut counts = vec![0u32; known.laws.groups()];
        for _ in 0..DRAWS {
            let report = sampled.perturb(&place, &centre, &mut rng).unwrap();
            counts[(known.group_of)(&report) as usize] += 1;
        }
        let holds = |index: &usize| {
            let boxed = known.laws.places(*index).into_iter().zip(place);
            boxed.into_iter().all(|([low, high], at)| low - 1e-9 <= at && at <= high + 1e-9)
        };
        let laws: Vec<Vec<f64>> =
            (0..known.laws.count()).filter(holds).map(|index| known.laws.law(index)).collect();
        assert!(!laws.is_empty(), "{}: no law", stated.id());
        for (group, count) in counts.iter().enumerate() {
            let of_laws = laws.iter().map(|law| law[group]);
            let (low, high) = of_laws.fold((1.0f64, 0.0f64), |(low, high), p| (low.min(p), high.max(p)));
            let share = f64::from(*count) / f64::from(DRAWS);
            // Six deviations: less than one in 10^8 for each of some thousand groups.
            let reach = |mass: f64| 6.0 * (mass / f64::from(DRAWS)).sqrt() + 12.0 / f64::from(DRAWS);
            strange += usize::from(share > high + reach(high) || share < low - reach(low));
        }
    }
    strange
}

#[test]
fn laws_are_those_of_the_sampler() {
    let build = |of: f64| -> Vec<Box<dyn LocationMethod>> {
        let part = LinePart::SquareWave;
        let grid = || Candidates::grid(square(), 6, 5).unwrap();
        let fine = || Candidates::grid(square(), 30, 30).unwrap();
        vec![
            Box::new(Window2d::new(square(), epsilon(of)).unwrap()),
            Box::new(TracsC::new(square(), epsilon(of)).unwrap()),
            Box::new(TracsC::with_part(square(), epsilon(of), part).unwrap()),
            Box::new(TracsD::new(square(), epsilon(of)).unwrap()),
            Box::new(TracsD::strawman(square(), epsilon(of), 6).unwrap()),
            Box::new(GridRandomizedResponse2d::new(square(), [9, 40], epsilon(of)).unwrap()),
            Box::new(GridExponential2d::new(square(), [7, 30], epsilon(of)).unwrap()),
            Box::new(LSrr::new(grid(), epsilon(of)).unwrap()),
            Box::new(NGram::new(fine(), epsilon(of)).unwrap()),
            Box::new(Atp::new(grid(), epsilon(of)).unwrap()),
        ]
    };
    let (methods, others) = (build(3.0), build(7.0));
    for (method, other) in methods.iter().zip(&others) {
        assert_eq!(strangers(method.as_ref(), method.as_ref()), 0, "{}", method.id());
        // Control: the reports of another epsilon are noticed.
        assert!(strangers(other.as_ref(), method.as_ref()) > 0, "{}", method.id());
    }
}
