//! Numbers and angles.

use super::{Experiment, Question, Seen, is_well_inside, shared, summary_of};
use crate::draw::{Alias, binomial};
use crate::population::{Population, whole_people};
use anyhow::{Context, Result, bail};
use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, Generator, Summary, Target};
use privet_estimators::numeric::{Angles, Method, Numbers as Learned};
use privet_estimators::registry::AnyEstimator;
use privet_estimators::{Answer, CountSummary, Request};
use privet_mechanisms::analysis::{Analysis, AnyNumeric, ValueStretch, value_stretches};
use std::f64::consts::TAU;
use std::sync::Arc;

/// People whose reports go through a lattice channel.
#[derive(Debug)]
pub struct Numbers {
    estimator: Arc<dyn AnyEstimator>,
    /// The law of the reports of each value, over the groups that summaries count.
    laws: Vec<Alias>,
    /// The law of the reports of somebody who is drawn from the population.
    mixed: Alias,
    groups: usize,
    n: u64,
    people: Vec<u64>,
    target: Target,
    is_lottery: bool,
    truth: Truth,
    /// Whether a report's mean is its value.
    is_unbiased: bool,
}

/// Which channel, for how many people.
#[derive(Debug, Clone, Copy)]
pub struct LatticeCase<'a> {
    /// The mechanism.
    pub id: &'a str,
    /// What may be spent.
    pub epsilon: f64,
    /// How many people report.
    pub n: u64,
    /// Whom the estimate is about.
    pub target: Target,
    /// Whether every other person, at random, reports; the estimate is about all of them.
    pub is_lottery: bool,
}

/// What is true of the people.
#[derive(Debug)]
struct Truth {
    mean: f64,
    bins: Vec<f64>,
    range: f64,
    quantiles: Vec<f64>,
    /// Direction, as a part of a turn, and length of the mean of unit vectors.
    direction: f64,
    length: f64,
}

const BINS: usize = 5;
const RANGE: [f64; 2] = [0.3, 0.6];
const LEVELS: [f64; 3] = [0.25, 0.5, 0.75];

/// From so many reports on the noise behind an estimate is nearly normal.
const MANY: u64 = 20_000;
/// The lattice rounds what would be without bias by so much at most.
const UNBIASED: f64 = 1e-3;

impl Truth {
    fn of(values: &[f64], shares: &[f64]) -> Self {
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            values.iter().zip(shares).map(|(value, share)| share * of(*value)).sum()
        };
        let inside = |from: f64, to: f64| {
            sum(&|value| f64::from(u8::from(value >= from && (value < to || (to >= 1.0 && value <= to)))))
        };
        let edge = |bin: usize| bin as f64 / BINS as f64;
        let quantile = |level: &f64| {
            let mut up_to = 0.0;
            let reaches = |share: &f64| {
                up_to += share;
                up_to >= level - 1e-9
            };
            shares.iter().position(reaches).map_or(1.0, |index| values[index])
        };
        let (cosine, sine) = (sum(&|value| (TAU * value).cos()), sum(&|value| (TAU * value).sin()));
        Self {
            mean: sum(&|value| value),
            bins: (0..BINS).map(|bin| inside(edge(bin), edge(bin + 1))).collect(),
            range: inside(RANGE[0], RANGE[1]),
            quantiles: LEVELS.iter().map(quantile).collect(),
            direction: (sine.atan2(cosine) / TAU).rem_euclid(1.0),
            length: cosine.hypot(sine),
        }
    }
}

impl Numbers {
    /// Prepares a collection.
    ///
    /// # Errors
    /// When the mechanism cannot be built.
    pub fn new(case: LatticeCase<'_>, population: &Population) -> Result<Self> {
        let info = privet_mechanisms::registry::find(case.id)?.info;
        let domain: DomainSpec = match info.domain {
            "interval" => "interval:0,1",
            "circle" => "circle:1",
            other => bail!("{} is not about numbers or angles: {other}", case.id),
        }
        .parse()?;
        let delta = (info.guarantee != "pure").then(|| Delta::new(1e-6)).transpose()?;
        let options = BuildOptions { delta, ..BuildOptions::default() };
        let row = privet_estimators::registry::find(case.id)?;
        let epsilon = Epsilon::new(case.epsilon)?;
        let build = || Ok(row.build_with(&domain, epsilon, &options)?);
        let estimator = shared::estimator(format!("{} {}", case.id, case.epsilon), build)?;
        let channel = estimator.numeric().context("no channel")?;
        let groups = channel.output_cells().min(4096) as usize;
        let is_unbiased = !channel.space().is_ring() && Analysis::new(channel).is_unbiased(UNBIASED);
        let values: Vec<f64> = population.atoms.iter().map(|(value, _)| *value).collect();
        let masses: Vec<Vec<f64>> = values.iter().map(|value| law_of(channel, groups, *value)).collect();
        let shares: Vec<f64> = population.atoms.iter().map(|(_, share)| *share).collect();
        let mixture = |group: usize| masses.iter().zip(&shares).map(|(law, share)| share * law[group]).sum();
        let mixed = Alias::new(&(0..groups).map(mixture).collect::<Vec<f64>>());
        let all = if case.is_lottery { 2 * case.n } else { case.n };
        let people = whole_people(&shares, all);
        let of_people: Vec<f64> = people.iter().map(|count| *count as f64 / all as f64).collect();
        let truth = Truth::of(&values, if case.target == Target::Population { &shares } else { &of_people });
        Ok(Self {
            laws: masses.iter().map(|law| Alias::new(law)).collect(),
            mixed,
            groups,
            n: case.n,
            people,
            target: case.target,
            is_lottery: case.is_lottery,
            truth,
            is_unbiased,
            estimator,
        })
    }

    /// The counters of one collection, and how many people took part.
    fn collect(&self, rng: &mut Generator) -> Result<(CountSummary, u64)> {
        let mut counts = vec![0u64; self.groups + 2];
        let mut n = 0;
        if self.target == Target::Population {
            self.mixed.count(self.n, rng, &mut counts);
            n = self.n;
        } else {
            for (law, people) in self.laws.iter().zip(&self.people) {
                let reporting = if self.is_lottery { binomial(*people, 0.5, rng) } else { *people };
                law.count(reporting, rng, &mut counts);
                n += reporting;
            }
        }
        let took_part = self.people.iter().sum();
        Ok((summary_of(self.estimator.empty_summary().fingerprint(), n, &counts)?, took_part))
    }

    fn of_numbers(&self, found: &Learned) -> Result<Vec<Seen>> {
        let mut seen = vec![Seen::of_estimate(&found.mean, self.truth.mean)?];
        for (bin, truth) in found.bins.iter().zip(&self.truth.bins) {
            seen.push(Seen::of_share(&bin.share, *truth)?);
        }
        for range in &found.ranges {
            seen.push(Seen::of_share(&range.share, self.truth.range)?);
        }
        for (quantile, truth) in found.quantiles.iter().zip(&self.truth.quantiles) {
            seen.push(Seen::of_estimate(&quantile.value, *truth)?);
        }
        Ok(seen)
    }

    fn of_angles(&self, found: &Angles) -> Result<Vec<Seen>> {
        let [low, high] = found.direction.interval;
        let around = (self.truth.direction - low).rem_euclid(1.0) <= high - low + 1e-9;
        // Where there is no direction, none may be told.
        let held = if self.truth.length < 1e-9 { !found.direction_told } else { around };
        let mut seen = vec![
            Seen { held, half_width: (high - low) / 2.0, stated: None },
            Seen::of_estimate(&found.resultant_length, self.truth.length)?,
        ];
        for (bin, truth) in found.bins.iter().zip(&self.truth.bins) {
            seen.push(Seen::of_share(&bin.share, *truth)?);
        }
        Ok(seen)
    }

    /// The probability of each of so many groups of reports, or as many as there are, under a value.
    pub fn law(&self, groups: usize, value: f64) -> Vec<f64> {
        let law =
            |channel: &dyn AnyNumeric| law_of(channel, groups.min(channel.output_cells() as usize), value);
        self.estimator.numeric().map(law).unwrap_or_default()
    }

    /// Stretches of values that all have one law, as long as they are.
    pub fn alike(&self) -> Vec<[f64; 2]> {
        let mut found: Vec<[f64; 2]> = Vec::new();
        for ValueStretch { ends, nodes, shares } in
            self.estimator.numeric().map(value_stretches).unwrap_or_default()
        {
            let is_constant = (shares[0] - shares[1]).abs() < 1e-12 || self.have_one_row(nodes);
            match found.last_mut() {
                Some(last) if is_constant && last[1] >= ends[0] && self.have_one_law([last[0], ends[1]]) => {
                    last[1] = ends[1]
                }
                _ if is_constant => found.push(ends),
                _ => (),
            }
        }
        found
    }

    fn have_one_row(&self, nodes: [u32; 2]) -> bool {
        self.estimator.numeric().is_some_and(|channel| channel.runs(nodes[0]) == channel.runs(nodes[1]))
    }

    fn have_one_law(&self, values: [f64; 2]) -> bool {
        let [one, two] = values.map(|value| self.law(256, value));
        one.iter().zip(&two).all(|(one, two)| (one - two).abs() < 1e-12)
    }

    fn is_ring(&self) -> bool {
        self.estimator.numeric().is_some_and(|channel| channel.space().is_ring())
    }
}

impl Experiment for Numbers {
    fn questions(&self) -> Vec<Question> {
        let bins = (1..=BINS).map(|bin| Question::new(format!("bin {bin}"), "bin"));
        if self.is_ring() {
            let of_mean = ["direction", "length"].map(|name| Question::new(name, name));
            return of_mean.into_iter().chain(bins).collect();
        }
        let is_sharp = self.n >= MANY && self.is_unbiased && is_well_inside(self.truth.mean);
        let mean = Question::new("mean", "mean").sharp_where(is_sharp);
        let quantiles = LEVELS.iter().map(|level| Question::new(format!("quantile {level}"), "quantile"));
        let range = Question::new("range", "range");
        [mean].into_iter().chain(bins).chain([range]).chain(quantiles).collect()
    }

    fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
        let (summary, took_part) = self.collect(rng)?;
        let is_ring = self.is_ring();
        let request = Request {
            bins: BINS,
            method: Method::ExpectationMaximization,
            quantiles: if is_ring { Vec::new() } else { LEVELS.to_vec() },
            ranges: if is_ring { Vec::new() } else { vec![RANGE] },
            target: self.target,
            took_part: self.is_lottery.then_some(took_part),
            ..Request::default()
        };
        match self.estimator.answer(&summary, &request)? {
            Answer::Numbers(found) => self.of_numbers(&found),
            Answer::Angles(found) => self.of_angles(&found),
            _ => bail!("an answer of another kind"),
        }
    }
}

/// The probability of each group under a value.
fn law_of(channel: &dyn AnyNumeric, groups: usize, value: f64) -> Vec<f64> {
    let space = channel.space();
    let inside = if space.is_ring() { value.rem_euclid(1.0) } else { value };
    let placement = channel.place(space.from_unit(inside));
    let up = placement.up as f64 / 2f64.powi(64);
    let mut law = vec![0.0; groups];
    let cells = u64::from(channel.output_cells());
    let start = |group: u64| (group * cells).div_ceil(groups as u64);
    for (node, share) in [(placement.node, 1.0 - up), (channel.next_node(placement.node), up)] {
        if share <= 0.0 {
            continue;
        }
        for run in channel.runs(node) {
            let (mut at, end) = (u64::from(run.first), u64::from(run.first) + u64::from(run.count));
            while at < end {
                let group = at * groups as u64 / cells;
                let next = start(group + 1).min(end);
                law[group as usize] += share * (next - at) as f64 * run.weight as f64;
                at = next;
            }
        }
    }
    let total = channel.row_total() as f64;
    law.iter().map(|mass| mass / total).collect()
}
