//! How wide intervals are, beside how narrow they could be.
//!
//! - **The affine minimax value** (`minimax`): the least half-width over all weights of reports that holds for every population.
//!   Intervals whose variance is estimated from the reports can be narrower where the variance is below its worst case.
//! - **The oracle.** For means, the same with the variance of the very population instead of the worst one; the bias is still
//!   bounded over all. For bins, the shortest bracket for the very population (`oracle`).

mod cones;
mod minimax;
mod oracle;
mod points;

pub use minimax::Bounded;

use crate::family::{Experiment, LatticeCase, Numbers};
use crate::population::Population;
use anyhow::{Context, Result};
use minimax::{Variance, least_half_width};
use nalgebra::{DMatrix, DVector};
use points::Points;
use privet_core::{Generator, Target};
use serde::{Deserialize, Serialize};

/// A channel whose widths are looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WidthCase {
    /// The mechanism.
    pub id: &'static str,
    /// Its epsilon.
    pub epsilon: f64,
    /// How many people.
    pub n: u64,
}

impl WidthCase {
    /// Its name.
    pub fn name(&self) -> String {
        format!("widths {} epsilon {} n {}", self.id, self.epsilon, self.n)
    }
}

/// A line of the table of widths.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WidthRow {
    /// The mechanism.
    pub mechanism: String,
    /// Its epsilon.
    pub epsilon: f64,
    /// How many people.
    pub n: u64,
    /// Which people.
    pub population: String,
    /// `mean` or `bin`.
    pub question: String,
    /// The mean of half of the lengths of intervals.
    pub half_width: f64,
    /// The affine minimax value, for means.
    pub minimax: Option<f64>,
    /// What the dual shows that it cannot be below.
    pub minimax_at_least: Option<f64>,
    /// By how much intervals may be longer because reports that say much are rare; one where the normal approximation serves.
    pub rare: f64,
    /// The half-width of the oracle.
    pub oracle: f64,
    /// What is required and not met, in words.
    pub not_met: Option<String>,
}

/// What half-widths of means are at most, over the affine minimax value, where the normal approximation serves.
pub const MOST_OVER_MINIMAX: f64 = 1.1;
/// As above, with few reports that say much.
pub const MOST_WITH_FEW_REPORTS: f64 = 1.6;
/// What half-widths of means and of bins are at most for smooth people at [`LARGE_EPSILON`], over the oracle's.
pub const MOST_OVER_ORACLE: [f64; 2] = [2.0, 3.0];
/// Where a value can nearly be read off.
pub const LARGE_EPSILON: f64 = 7.7;

/// What widths are looked at for.
pub const EPSILONS: [f64; 3] = [0.5, 2.0, LARGE_EPSILON];
/// Numbers of people for whom the normal approximation serves.
pub const PEOPLE: [u64; 2] = [2_000, 20_000];

/// How often collections are repeated: lengths vary much less than estimates.
const REPETITIONS: u64 = 40;
/// Values and groups of reports of the programmes.
const MEAN_POINTS: usize = 40;
/// So many stretches of values without differences are looked at, from both ends: all that a mechanism on a grid has. Reports of a
/// cell that the programme does not know could be weighed as it likes, and its value would be too low.
const MOST_STRETCHES: usize = 128;
const MEAN_GROUPS: usize = 128;
const BIN_POINTS: usize = 200;
/// As many as the estimator's, so that it cannot see more than the oracle.
const BIN_GROUPS: usize = 256;
/// The third of five bins, which has people on both sides.
const BIN: [f64; 2] = [0.4, 0.6];

/// The channels whose widths are looked at.
pub fn all() -> Vec<WidthCase> {
    let with = |id, epsilon, n| WidthCase { id, epsilon, n };
    let ids = crate::cells::mechanisms_on("interval").into_iter();
    ids.flat_map(|id| EPSILONS.map(|epsilon| PEOPLE.map(|n| with(id, epsilon, n)))).flatten().collect()
}

/// A few of them.
pub fn bounded() -> Vec<WidthCase> {
    let with = |id, epsilon| WidthCase { id, epsilon, n: PEOPLE[0] };
    vec![with("piecewise", 2.0), with("square-wave", LARGE_EPSILON)]
}

/// The populations that widths are looked at for, and whether they are smooth.
fn populations() -> Vec<(Population, bool)> {
    let mut found: Vec<(Population, bool)> = Population::of_numbers()
        .into_iter()
        .filter(|population| ["uniform", "beta(5,2)", "all at 0.5"].contains(&population.name.as_str()))
        .map(|population| (population.clone(), population.atoms.len() > 1))
        .collect();
    found.push((Population::new("half at each end", vec![(0.0, 0.5), (1.0, 0.5)]), false));
    found
}

/// Measures one channel.
///
/// # Errors
/// When it cannot be built, or a programme is not solved.
pub fn measure(case: WidthCase) -> Result<Vec<WidthRow>> {
    let WidthCase { id, epsilon, n } = case;
    let lattice = LatticeCase { id, epsilon, n, target: Target::Reported, is_lottery: false };
    let mut minimax = None;
    let mut rows = Vec::new();
    for (population, is_smooth) in populations() {
        let experiment = Numbers::new(lattice, &population)?;
        let [mean, bin] = half_widths(&experiment, &population.name)?;
        let points = points_of_mean(&experiment);
        let least = match minimax {
            Some(least) => least,
            None => *minimax.insert(least_half_width(&points, n, Variance::Worst(Target::Reported))?),
        };
        let (_, covariance) = law_of_people(&experiment, &population, MEAN_GROUPS);
        let oracle = least_half_width(&points, n, Variance::At(&covariance))?.value;
        let row = WidthRow {
            mechanism: id.to_owned(),
            epsilon,
            n,
            population: population.name.clone(),
            question: "mean".to_owned(),
            half_width: mean,
            minimax: Some(least.value),
            minimax_at_least: Some(least.at_least),
            rare: least.rare,
            oracle,
            not_met: None,
        };
        rows.push(row.judged(is_smooth));
        if is_smooth {
            rows.push(bin_row(case, &experiment, &population, bin)?.judged(is_smooth));
        }
    }
    Ok(rows)
}

fn bin_row(
    case: WidthCase,
    experiment: &Numbers,
    population: &Population,
    half_width: f64,
) -> Result<WidthRow> {
    let mut values = evenly(BIN_POINTS);
    values.extend(BIN);
    // Without conditions of their own, people could have means that no population has.
    values.extend(population.atoms.iter().map(|(value, _)| *value));
    values.sort_by(f64::total_cmp);
    let points = points_of(experiment, values, BIN_GROUPS);
    let (reports, covariance) = law_of_people(experiment, population, BIN_GROUPS);
    let oracle = oracle::bracket_half_width(&points, BIN, &reports, &covariance, case.n)?;
    Ok(WidthRow {
        mechanism: case.id.to_owned(),
        epsilon: case.epsilon,
        n: case.n,
        population: population.name.clone(),
        question: "bin".to_owned(),
        half_width,
        minimax: None,
        minimax_at_least: None,
        rare: 1.0,
        oracle,
        not_met: None,
    })
}

impl WidthRow {
    /// Half-width over the affine minimax value.
    pub fn over_minimax(&self) -> Option<f64> {
        self.minimax.map(|minimax| self.half_width / minimax)
    }

    /// Half-width over the oracle's.
    pub fn over_oracle(&self) -> f64 {
        self.half_width / self.oracle.max(1e-12)
    }

    fn judged(mut self, is_smooth: bool) -> Self {
        let most = MOST_OVER_ORACLE[usize::from(self.question == "bin")];
        let limit = (MOST_OVER_MINIMAX * self.rare).min(MOST_WITH_FEW_REPORTS);
        self.not_met = match self.over_minimax() {
            Some(ratio) if ratio > limit => Some(format!("{ratio:.2} times the affine minimax value")),
            _ if is_smooth && self.epsilon >= LARGE_EPSILON && self.over_oracle() > most => {
                Some(format!("{:.2} times the oracle", self.over_oracle()))
            }
            _ => None,
        };
        self
    }
}

/// The mean half-widths of the mean and of the bin.
fn half_widths(experiment: &Numbers, name: &str) -> Result<[f64; 2]> {
    let questions = experiment.questions();
    let place =
        |name: &str| questions.iter().position(|question| question.name == name).context("no such question");
    let places = [place("mean")?, place("bin 3")?];
    let mut rng = Generator::from_insecure_seed(crate::verdict::seed_of(name));
    let mut sums = [0.0; 2];
    for _ in 0..REPETITIONS {
        let seen = experiment.repeat(&mut rng)?;
        sums.iter_mut().zip(places).for_each(|(sum, place)| *sum += seen[place].half_width);
    }
    Ok(sums.map(|sum| sum / REPETITIONS as f64))
}

fn evenly(count: usize) -> Vec<f64> {
    (0..=count).map(|index| index as f64 / count as f64).collect()
}

/// Values that stand for all. Those of a stretch have one law, so nobody can tell its ends apart: the programme has to know both.
fn points_of_mean(experiment: &Numbers) -> Points {
    let stretches = experiment.alike();
    let step = stretches.len().div_ceil(MOST_STRETCHES).max(1);
    let chosen = || stretches.iter().step_by(step).chain(stretches.last());
    let outside = |value: &f64| !chosen().any(|[from, to]| from <= value && value <= to);
    let mut of_points: Vec<(f64, f64)> =
        evenly(MEAN_POINTS).into_iter().filter(outside).map(|value| (value, value)).collect();
    of_points
        .extend(chosen().flat_map(|[from, to]| [*from, *to].map(|end| (end, f64::midpoint(*from, *to)))));
    of_points.sort_by(|one, two| one.0.total_cmp(&two.0));
    let laws_of = of_points.iter().map(|(_, inside)| *inside).collect();
    Points {
        values: of_points.iter().map(|(value, _)| *value).collect(),
        ..points_of(experiment, laws_of, MEAN_GROUPS)
    }
}

fn points_of(experiment: &Numbers, values: Vec<f64>, groups: usize) -> Points {
    let rows: Vec<Vec<f64>> = values.iter().map(|value| experiment.law(groups, *value)).collect();
    let columns = rows.first().map_or(0, Vec::len);
    Points { laws: DMatrix::from_fn(rows.len(), columns, |row, column| rows[row][column]), values }
}

/// The law of the reports of people, and the covariance of a report's group given its person.
fn law_of_people(
    experiment: &Numbers,
    population: &Population,
    groups: usize,
) -> (DVector<f64>, DMatrix<f64>) {
    let (values, shares): (Vec<f64>, Vec<f64>) = population.atoms.iter().copied().unzip();
    let people = points_of(experiment, values, groups);
    let reports = people.laws.tr_mul(&DVector::from_column_slice(&shares));
    (reports, people.covariance(&shares, Target::Reported))
}
