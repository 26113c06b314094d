//! Categories.

use super::{Experiment, Question, Seen, is_well_inside, summary_of};
use crate::draw::{Alias, binomial, multinomial};
use crate::population::{Holders, whole_people};
use anyhow::{Context, Result, bail};
use privet_core::{Build, DomainSpec, Epsilon, Generator, Summary, Target};
use privet_estimators::registry::AnyEstimator;
use privet_estimators::{HasEstimator, Reading, Request};
use privet_mechanisms::categorical::{GeneralizedRandomizedResponse, SymmetricUnaryEncoding};
use privet_mechanisms::wrapper::Memoized;

/// Which mechanism, for how many people.
#[derive(Debug, Clone, Copy)]
pub struct CategoryCase<'a> {
    /// The mechanism, or one of [`Categories::MEMOIZED`].
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

/// People whose reports support categories, or are rows of a table.
#[derive(Debug)]
pub struct Categories {
    estimator: Box<dyn AnyEstimator>,
    law: Law,
    people: Vec<u64>,
    shares: Vec<f64>,
    n: u64,
    target: Target,
    is_lottery: bool,
    truth: Vec<f64>,
    /// Which rows are looked at one by one.
    rows: Vec<usize>,
}

#[derive(Debug)]
enum Law {
    /// How likely a report supports the own category, and another one. Counts of different categories are drawn independently:
    /// each by itself has its exact law, and together that of unary encodings.
    Support { own: f64, other: f64 },
    /// With so much probability a report supports the own category, and otherwise any of all categories alike.
    Single { kept: f64 },
    /// The law of the reports of each category.
    Table(Vec<Alias>),
}

/// From so many reports on the counts behind an estimate are nearly normal.
const MANY: u64 = 20_000;

impl Categories {
    /// Permanent answers with noise on top: both layers have the same epsilon.
    pub const MEMOIZED: [&'static str; 2] =
        ["memoized generalized-randomized-response", "memoized symmetric-unary-encoding"];

    /// Prepares a collection.
    ///
    /// # Errors
    /// When the mechanism cannot be built.
    pub fn new(case: CategoryCase<'_>, holders: &Holders) -> Result<Self> {
        let CategoryCase { id, epsilon, n, target, is_lottery } = case;
        let categories = holders.shares.len();
        let estimator = estimator_of(id, Epsilon::new(epsilon)?, categories)?;
        let law = match estimator.reading() {
            Reading::Support(oracle) => {
                let support = oracle.support();
                let (own, other) = (support.own.to_f64(), support.other.to_f64());
                if oracle.is_single() {
                    Law::Single { kept: own - other }
                } else {
                    Law::Support { own, other }
                }
            }
            Reading::Table(table) => {
                let law = |held: usize| {
                    Alias::new(&table.forward.column(held).iter().copied().collect::<Vec<f64>>())
                };
                Law::Table((0..categories).map(law).collect())
            }
            _ => bail!("{id} is neither an oracle nor a table"),
        };
        let all = if is_lottery { 2 * n } else { n };
        let people = whole_people(&holders.shares, all);
        let truth = match target {
            Target::Population => holders.shares.clone(),
            Target::Reported => people.iter().map(|count| *count as f64 / all as f64).collect(),
        };
        let mut rows = vec![0, 1, categories / 2, categories - 1];
        rows.sort_unstable();
        rows.dedup();
        Ok(Self {
            estimator,
            law,
            people,
            shares: holders.shares.clone(),
            n,
            target,
            is_lottery,
            truth,
            rows,
        })
    }

    /// How many people hold each category this time, of those who report.
    fn holders(&self, rng: &mut Generator) -> Vec<u64> {
        if self.target == Target::Population {
            return multinomial(self.n, &self.shares, rng);
        }
        let reporting = |people: &u64| if self.is_lottery { binomial(*people, 0.5, rng) } else { *people };
        self.people.iter().map(reporting).collect()
    }
}

fn estimator_of(id: &str, epsilon: Epsilon, categories: usize) -> Result<Box<dyn AnyEstimator>> {
    let domain: DomainSpec = format!("categories:{categories}").parse()?;
    Ok(match id.strip_prefix("memoized ") {
        Some("generalized-randomized-response") => {
            let layer = GeneralizedRandomizedResponse::build(&domain, epsilon)?;
            Box::new(Memoized::new(layer.clone(), layer)?.estimator())
        }
        Some(_) => {
            let layer = SymmetricUnaryEncoding::build(&domain, epsilon)?;
            Box::new(Memoized::new(layer.clone(), layer)?.estimator())
        }
        None => privet_estimators::registry::find(id)?.build(&domain, epsilon)?,
    })
}

impl Experiment for Categories {
    fn questions(&self) -> Vec<Question> {
        let row = |row: &usize| {
            let is_sharp = self.n >= MANY && is_well_inside(self.truth[*row]);
            Question::new(format!("category {row}"), "share").sharp_where(is_sharp)
        };
        let together = Question::new("simultaneous", "simultaneous");
        self.rows.iter().map(row).chain([together]).collect()
    }

    fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
        let holders = self.holders(rng);
        let n: u64 = holders.iter().sum();
        let empty = self.estimator.empty_summary();
        let mut counts = vec![0u64; empty.counts().len()];
        match &self.law {
            Law::Support { own, other } => {
                for (count, holders) in counts.iter_mut().zip(&holders) {
                    *count = binomial(*holders, *own, rng) + binomial(n - holders, *other, rng);
                }
            }
            Law::Single { kept } => {
                let honest: Vec<u64> = holders.iter().map(|holders| binomial(*holders, *kept, rng)).collect();
                let even = vec![1.0 / holders.len() as f64; holders.len()];
                let drawn = multinomial(n - honest.iter().sum::<u64>(), &even, rng);
                counts = honest.iter().zip(drawn).map(|(honest, drawn)| honest + drawn).collect();
            }
            Law::Table(laws) => {
                laws.iter().zip(&holders).for_each(|(law, holders)| law.count(*holders, rng, &mut counts));
            }
        }
        let summary = summary_of(empty.fingerprint(), n, &counts)?;
        let took_part = self.is_lottery.then(|| self.people.iter().sum());
        let request = Request { target: self.target, took_part, ..Request::default() };
        let found =
            self.estimator.answer(&summary, &request)?.into_frequencies().context("no frequencies")?;
        let row = |row: &usize| Seen::of_share(&found.rows[*row].estimate, self.truth[*row]);
        let mut seen = self.rows.iter().map(row).collect::<Result<Vec<Seen>>>()?;
        let all = found.rows.iter().zip(&self.truth);
        seen.push(Seen::of_all(all.map(|(row, truth)| Seen::of(row.simultaneous_interval, *truth))));
        Ok(seen)
    }
}
