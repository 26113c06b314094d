//! Kinds of which reports themselves are drawn: places, words, Bloom filters and sketches.

use super::{Experiment, Question, Seen, shared};
use anyhow::{Context, Result, bail};
use privet_core::domain::Word;
use privet_core::{DomainSpec, Epsilon, Generator, ReportBuffer, Rng, Target, Values};
use privet_estimators::numeric::Method;
use privet_estimators::registry::AnyEstimator;
use privet_estimators::{Answer, Request};
use privet_mechanisms::registry::AnyMechanism;
use std::sync::Arc;

fn built(id: &str, domain: &str, epsilon: f64) -> Result<(Box<dyn AnyMechanism>, Arc<dyn AnyEstimator>)> {
    let (domain, epsilon): (DomainSpec, Epsilon) = (domain.parse()?, Epsilon::new(epsilon)?);
    let mechanism = privet_mechanisms::registry::find(id)?.build(&domain, epsilon)?;
    let row = privet_estimators::registry::find(id)?;
    let name = format!("{id} {}", epsilon.get());
    let estimator = shared::estimator(name, || Ok(row.build(&domain, epsilon)?))?;
    Ok((mechanism, estimator))
}

fn answer(
    (mechanism, estimator): (&dyn AnyMechanism, &dyn AnyEstimator),
    people: &Values,
    request: &Request,
    rng: &mut Generator,
) -> Result<Answer> {
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(people, rng, &mut reports)?;
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports)?;
    Ok(estimator.answer(&summary, request)?)
}

/// People at places of the unit square.
#[derive(Debug)]
pub struct Places {
    mechanism: Box<dyn AnyMechanism>,
    estimator: Arc<dyn AnyEstimator>,
    people: Vec<[f64; 2]>,
    target: Target,
    truth: Vec<f64>,
    rows: [usize; 3],
}

/// The estimate has so many cells along each side.
const SIDE: usize = 8;

impl Places {
    /// The populations that places are tried on, beside data.
    pub const POPULATIONS: [&'static str; 4] = ["one place", "two places", "clusters", "uniform"];

    /// People of one of these populations.
    pub fn people_of(population: &str, n: u64) -> Vec<[f64; 2]> {
        let mut rng = Generator::from_insecure_seed(99);
        let mut uniform = || (rng.next_u64() >> 11) as f64 * 2f64.powi(-53);
        let mut place = |index: u64| match population {
            "one place" => [0.43, 0.61],
            // The first lies on a line between cells.
            "two places" => [[0.125, 0.5], [0.9, 0.2]][usize::from(index.is_multiple_of(3))],
            "clusters" => {
                let centre = [[0.2, 0.3], [0.7, 0.7], [0.75, 0.1]][(index % 3) as usize];
                centre.map(|at: f64| (at + 0.1 * (uniform() + uniform() - 1.0)).clamp(0.0, 1.0))
            }
            _ => [uniform(), uniform()],
        };
        (0..n).map(&mut place).collect()
    }

    /// Prepares a collection of reports of people, or of as many who are drawn from them.
    ///
    /// # Errors
    /// When the mechanism cannot be built.
    pub fn new(id: &str, epsilon: f64, people: Vec<[f64; 2]>, target: Target) -> Result<Self> {
        let (mechanism, estimator) = built(id, "rectangle:0,1,0,1", epsilon)?;
        let mut truth = vec![0.0; SIDE * SIDE];
        for place in &people {
            let [column, row] = place.map(|at| ((at * SIDE as f64) as usize).min(SIDE - 1));
            truth[row * SIDE + column] += 1.0 / people.len() as f64;
        }
        let cells = 0..truth.len();
        let largest = cells.clone().max_by(|one, two| truth[*one].total_cmp(&truth[*two])).unwrap_or(0);
        let empty = cells.rev().find(|cell| truth[*cell] == 0.0).unwrap_or(truth.len() - 1);
        Ok(Self { mechanism, estimator, people, target, rows: [largest, empty, 27], truth })
    }
}

impl Experiment for Places {
    fn questions(&self) -> Vec<Question> {
        let cells = ["fullest cell", "empty cell", "a cell"].map(|name| Question::new(name, "cell"));
        cells.into_iter().chain([Question::new("simultaneous", "simultaneous")]).collect()
    }

    fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
        let count = self.people.len() as u64;
        let people = match self.target {
            Target::Reported => self.people.clone(),
            Target::Population => {
                (0..count).map(|_| self.people[(rng.next_u64() % count) as usize]).collect()
            }
        };
        // Values do not matter here, and those of a likelihood take long.
        let request = Request { method: Method::Histogram, target: self.target, ..Request::default() };
        let pair = (&*self.mechanism, &*self.estimator);
        let Answer::Places(found) = answer(pair, &Values::Points(people), &request, rng)? else {
            bail!("no answer about places");
        };
        let row = |row: &usize| Seen::of_share(&found.cells[*row].estimate, self.truth[*row]);
        let mut seen = self.rows.iter().map(row).collect::<Result<Vec<Seen>>>()?;
        let all = found.cells.iter().zip(&self.truth);
        seen.push(Seen::of_all(all.map(|(cell, truth)| Seen::of(cell.simultaneous_interval, *truth))));
        Ok(seen)
    }
}

/// People who hold words or categories that are hashed. Hash functions are fixed, so who collides with whom is chance only over
/// the labels.
#[derive(Debug)]
pub struct Words {
    id: &'static str,
    mechanism: Box<dyn AnyMechanism>,
    estimator: Arc<dyn AnyEstimator>,
    n: u64,
    target: Target,
    is_fixed: bool,
}

/// Shares of the held ones.
const HELD: [f64; 5] = [0.4, 0.25, 0.2, 0.1, 0.05];
const CATEGORIES: u32 = 40;

impl Words {
    /// Which words are held: others each time, or always the same.
    pub const POPULATIONS: [&'static str; 2] = ["five of many", "five fixed ones"];

    /// Prepares a collection: `prefix-tree`, `rappor` or `count-mean-sketch`.
    ///
    /// # Errors
    /// When the mechanism cannot be built.
    pub fn new(id: &'static str, epsilon: f64, n: u64, population: &str, target: Target) -> Result<Self> {
        let domain =
            if id == "prefix-tree" { "words:3".to_owned() } else { format!("categories:{CATEGORIES}") };
        let (mechanism, estimator) = built(id, &domain, epsilon)?;
        Ok(Self { id, mechanism, estimator, n, target, is_fixed: population == Self::POPULATIONS[1] })
    }

    /// As many different numbers as are held.
    fn labels(&self, rng: &mut Generator) -> Vec<u32> {
        if self.is_fixed {
            return (0..HELD.len() as u32).collect();
        }
        let mut labels: Vec<u32> = Vec::new();
        while labels.len() < HELD.len() {
            let label = (rng.next_u64() % u64::from(CATEGORIES)) as u32;
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    }

    /// How many hold each.
    fn holders(&self, rng: &mut Generator) -> Vec<u64> {
        if self.target == Target::Reported {
            return HELD.iter().map(|share| (share * self.n as f64).round() as u64).collect();
        }
        crate::draw::multinomial(self.n, &HELD, rng)
    }
}

fn word_of(label: u32) -> String {
    format!("{}{}", (b'a' + (label % 26) as u8) as char, label / 26)
}

impl Experiment for Words {
    fn questions(&self) -> Vec<Question> {
        [("most frequent", "word"), ("third", "word"), ("simultaneous", "simultaneous")]
            .map(|(name, kind)| Question::new(name, kind))
            .to_vec()
    }

    fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
        let labels = self.labels(rng);
        let holders = self.holders(rng);
        let n: u64 = holders.iter().sum();
        let held = || labels.iter().zip(&holders).flat_map(|(label, count)| (0..*count).map(move |_| *label));
        let is_words = self.id == "prefix-tree";
        let people = if is_words {
            Values::Words(
                held().map(|label| Word::new(&word_of(label))).collect::<Option<_>>().context("no word")?,
            )
        } else {
            Values::Categories(held().collect())
        };
        let truth = |rank: usize| match self.target {
            Target::Population => HELD[rank],
            Target::Reported => holders[rank] as f64 / n as f64,
        };
        let request = Request { target: self.target, ..Request::default() };
        let found = answer((&*self.mechanism, &*self.estimator), &people, &request, rng)?;
        let rows = found.into_frequencies().context("no frequencies")?.rows;
        let name = |rank: usize| if is_words { word_of(labels[rank]) } else { labels[rank].to_string() };
        let row = |rank: usize| rows.iter().find(|row| row.label == name(rank));
        // What was not found says nothing, which is not wrong.
        let one = |rank: usize| {
            row(rank).map_or(Ok(Seen { held: true, half_width: 0.5, stated: None }), |row| {
                Seen::of_share(&row.estimate, truth(rank))
            })
        };
        let found = (0..HELD.len()).filter_map(|rank| Some((row(rank)?, truth(rank))));
        let together = Seen::of_all(found.map(|(row, truth)| Seen::of(row.simultaneous_interval, truth)));
        Ok(vec![one(0)?, one(2)?, together])
    }
}
