//! Range queries and hotspots of Chicago.

use super::cities::CHICAGO;
use super::rivals::RIVALS;
use super::{Build, EPSILONS, METHODS, Reading, Trips, WINDOW, panel};
use crate::{Curve, Findings, ReproduceError, Setting};
use privet::trajectory::method::LocationMethod;
use privet::trajectory::metric::{Hotspots, Metric};
use privet::trajectory::rounding::{PointsOfInterest, Rounding};
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use privet::{Epsilon, Generator};

/// How far a report may be from the place, in degrees.
const WITHIN: f64 = 0.1;
const RANGE: Metric<'static> = Metric::RangeQuery { within: WITHIN };

/// Everything is measured twice: as the text states it, on the first hundred paths with its formula for hotspots, and as the
/// published evaluation does it, on the next hundred with the difference of totals.
pub(super) fn figure_6_10(setting: &Setting) -> Result<Findings, ReproduceError> {
    let points = CHICAGO.points(setting)?;
    let all = CHICAGO.read_paths(setting, 0, u32::MAX)?;
    let (first, next) = (CHICAGO.read_paths(setting, 0, 100)?, CHICAGO.read_paths(setting, 100, 200)?);
    let [stated, evaluated] = [Scores::new(&points, &first, &all)?, Scores::new(&points, &next, &all)?];
    let mut findings = Findings::default();
    let mut panels = [const { Vec::new() }; 4];
    let [d, c, ..] = METHODS;
    let [n_gram, l_srr, atp] = RIVALS;
    // Most paths are short, so that a score of all paths varies by three points from trial to trial. NGram and L-SRR have
    // expectations, and need few.
    let methods = [
        (d, "tracs-d", 40, 400),
        (c, "tracs-c", 40, 400),
        (n_gram, "ngram", 3, 60),
        (l_srr, "l-srr", 3, 60),
        (atp, "atp", 10, 60),
        (WINDOW, "", 40, 400),
    ];
    for ((label, build), id, quick, full) in methods {
        let trials = setting.effort.pick(quick, full);
        // The verdict on ATP is too close for fewer draws than at full size.
        let stated_trials = if id == "atp" { full } else { trials.min(100) };
        let [stated_range, stated_lost, ..] = stated.curves(label, build, stated_trials)?;
        let [range, lost, difference, without, with] = evaluated.curves(label, build, trials)?;
        for (rule, curve) in [("no hotspots", &without), ("hotspots", &with)] {
            let series = format!("difference of visits if places with equally many at the border are {rule}");
            findings.entry(series, label, curve.mean());
        }
        findings.entry("visits of hotspots lost one by one, paths 100 to 199", label, lost.mean());
        if !id.is_empty() {
            let (range, difference) = (range.mean(), difference.mean());
            findings.measure_corrected(format!("tracs-fig610-rqp-{id}"), stated_range.mean(), range);
            findings.measure_corrected(format!("tracs-fig610-cd-{id}"), stated_lost.mean(), difference);
        }
        let drawn = [stated_range, range, stated_lost, difference];
        panels.iter_mut().zip(drawn).for_each(|(curves, curve)| curves.push(curve));
    }
    let [mut stated_ranges, mut ranges, lost, differences] = panels;
    let space = CHICAGO.space()?;
    stated_ranges.push(stated.constant(&space)?);
    ranges.push(evaluated.constant(&space)?);
    let within = "places within .1 degrees of their report (%)";
    findings.panels = vec![
        panel("range queries, first hundred paths", within, stated_ranges),
        panel("range queries, paths 100 to 199", within, ranges),
        panel("hotspots one by one, first hundred paths", "visits of hotspots lost for each path", lost),
        panel("hotspots, paths 100 to 199", "difference of visits of hotspots for each path", differences),
    ];
    Ok(findings)
}

/// What reports are compared by.
struct Scores<'a> {
    points: &'a PointsOfInterest,
    paths: &'a [Path],
    /// Those of the text: the fifth of the places with most visits in the whole data set.
    hotspots: Hotspots<'a>,
    /// Those of the evaluation: how much of a hotspot each place is, by the rules for those at the border.
    shares: [Vec<f64>; 3],
}

impl<'a> Scores<'a> {
    fn new(points: &'a PointsOfInterest, paths: &'a [Path], all: &[Path]) -> Result<Self, ReproduceError> {
        let visits = visits(points, paths);
        let shares = [Border::Shared, Border::Out, Border::In].map(|border| hotspots(&visits, border));
        Ok(Self { points, paths, hotspots: Hotspots::new(points, all, 0.2)?, shares })
    }

    /// The numbers of [`Scores::of`] by epsilon.
    fn curves(&self, label: &str, build: Build, trials: usize) -> Result<[Curve; 5], ReproduceError> {
        let (space, rounding) = (CHICAGO.space()?, Some(self.points as &dyn Rounding));
        let trips = Trips { space, paths: self.paths, trials, rounding };
        let mut lines = [const { Vec::new() }; 5];
        for epsilon in EPSILONS {
            let numbers = self.of(&trips, build, epsilon)?;
            lines.iter_mut().zip(numbers).for_each(|(line, number)| line.push([epsilon, number]));
        }
        Ok(lines.map(|line| Curve::line(label, line)))
    }

    /// Range queries in percent, visits lost one by one, and the difference of visits by each rule. Range queries are
    /// expectations where the probabilities of all public places are known: verdicts are too close for draws.
    fn of(&self, trips: &Trips, build: Build, epsilon: f64) -> Result<[f64; 5], ReproduceError> {
        let method = build(trips, Epsilon::new(epsilon)?)?;
        let mut rng = Generator::from_insecure_seed(62 + epsilon.to_bits());
        let mut sums = [0.0; 5];
        for _ in 0..trips.trials {
            let reports = trips.reports(method.as_ref(), Reading::Plain, &mut rng)?;
            let score = |metric: Metric| {
                let score = metric.of_data_set(&trips.space, trips.paths, &reports)?;
                Ok::<_, ReproduceError>(score.map_or(f64::NAN, |score| score.over_paths.value))
            };
            sums[0] += 100.0 * score(RANGE)?;
            sums[1] += score(Metric::HotspotDifference(&self.hotspots))?;
            for (sum, shares) in sums[2..].iter_mut().zip(&self.shares) {
                *sum += difference(shares, self.points, trips.paths, &reports);
            }
        }
        let mut means = sums.map(|sum| sum / trips.trials as f64);
        if let Some(expected) = self.expected_range(&trips.space, method.as_ref()) {
            means[0] = 100.0 * expected;
        }
        Ok(means)
    }

    /// The expected share of range queries, where every path counts the same.
    fn expected_range(&self, space: &Space, method: &dyn LocationMethod) -> Option<f64> {
        let of_place = |place: &Place| -> Option<f64> {
            let reports = self.points.places().iter().zip(method.masses(place)?);
            Some(
                reports
                    .filter(|(report, _)| space.distance(place, report) <= WITHIN)
                    .map(|(_, mass)| mass)
                    .sum(),
            )
        };
        let of_path = |path: &Path| {
            let shares: Vec<f64> = path.places.iter().map(of_place).collect::<Option<_>>()?;
            Some(shares.iter().sum::<f64>() / shares.len() as f64)
        };
        let shares: Vec<f64> = self.paths.iter().map(of_path).collect::<Option<_>>()?;
        Some(shares.iter().sum::<f64>() / shares.len() as f64)
    }

    /// The range queries in percent that the best single place answers, said of everybody without any report.
    fn constant(&self, space: &Space) -> Result<Curve, ReproduceError> {
        let mut best = 0.0f64;
        for place in self.points.places() {
            let say = |path: &Path| Path::new(path.id.clone(), vec![*place; path.places.len()]);
            let said: Vec<Path> = self.paths.iter().map(say).collect();
            let score = RANGE.of_data_set(space, self.paths, &said)?;
            best = best.max(score.map_or(0.0, |score| score.over_paths.value));
        }
        let flat = EPSILONS.iter().map(|&epsilon| [epsilon, 100.0 * best]).collect();
        Ok(Curve::line("one place said of everybody", flat))
    }
}

/// How often the paths visit each public place.
fn visits(points: &PointsOfInterest, paths: &[Path]) -> Vec<u32> {
    let mut visits = vec![0; points.count()];
    for place in paths.iter().flat_map(|path| &path.places) {
        if let Some(index) = points.index_of(place) {
            visits[index] += 1;
        }
    }
    visits
}

/// What becomes of places with equally many visits of which some are hotspots and some are not. Chicago has 62 with three
/// visits, and the paper does not say. Every rule treats them alike, so that no order of the list has a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    /// Each is as much of a hotspot as there is room for all of them.
    Shared,
    Out,
    In,
}

/// The most visited fifth of the places that are visited at all.
fn hotspots(visits: &[u32], border: Border) -> Vec<f64> {
    let mut sorted: Vec<u32> = visits.iter().copied().filter(|count| *count > 0).collect();
    sorted.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    let room = sorted.len() / 5;
    let least = sorted.get(room.saturating_sub(1)).copied().unwrap_or(u32::MAX);
    let above = sorted.iter().filter(|count| **count > least).count();
    let equal = sorted.iter().filter(|count| **count == least).count().max(1);
    let share = match border {
        Border::Shared => (room - above.min(room)) as f64 / equal as f64,
        Border::Out => 0.0,
        Border::In => 1.0,
    };
    let of = |count: &u32| match count.cmp(&least) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => share,
        std::cmp::Ordering::Less => 0.0,
    };
    visits.iter().map(of).collect()
}

/// The mean over paths of the difference between visits of hotspots and reports in hotspots.
fn difference(shares: &[f64], points: &PointsOfInterest, paths: &[Path], reports: &[Path]) -> f64 {
    let visits = |path: &Path| -> f64 {
        path.places.iter().filter_map(|place| points.index_of(place)).map(|index| shares[index]).sum()
    };
    let differences = paths.iter().zip(reports).map(|(path, report)| (visits(path) - visits(report)).abs());
    differences.sum::<f64>() / paths.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten places are visited, two of them are hotspots, and three have equally many visits for one that is left.
    #[test]
    fn places_with_equally_many_visits_are_treated_alike() {
        let visits = [1, 3, 0, 1, 2, 1, 2, 1, 2, 1, 1];
        let shares = |border| hotspots(&visits, border);
        let third = 1.0 / 3.0;
        assert_eq!(shares(Border::Shared), [0.0, 1.0, 0.0, 0.0, third, 0.0, third, 0.0, third, 0.0, 0.0]);
        assert_eq!(shares(Border::Out).iter().sum::<f64>(), 1.0);
        assert_eq!(shares(Border::In).iter().sum::<f64>(), 4.0);
        assert_eq!(hotspots(&[0, 0], Border::In), [0.0, 0.0]);
    }
}
