//! One question: made-up answers in, reports in between, estimates out.

use super::reading::{Outcome, Readable};
use crate::failure::Failure;
use crate::progress::Progress;
use privet::sampling::{AliasTable, WeightRow};
use privet::{
    Channel, Domain, Estimator, Frequencies, FrequencyEstimation, Generator, Guarantee, HasEstimator,
    Mechanism, ReportBuffer,
};
use serde::Serialize;
use std::collections::HashMap;

/// The made-up people are the same in each demo; they are nobody's secret.
const POPULATION: u64 = 2026;

/// How many people answer at once, so that memory does not grow with their number.
const BATCH: u64 = 1 << 16;

/// The people and the randomness of their devices.
#[derive(Debug)]
pub(super) struct Survey {
    people: u64,
    population: Generator,
    rng: Generator,
}

/// An answer that some of the people give.
#[derive(Debug, Clone)]
pub(super) struct Answer<V> {
    pub(super) label: String,
    pub(super) value: V,
    /// How popular it is, relative to the others.
    pub(super) weight: f64,
}

/// What is asked, and how the answers are protected.
pub(super) struct Question<M: Mechanism> {
    pub(super) asked: &'static str,
    pub(super) mechanism: M,
    pub(super) answers: Vec<Answer<<M::Domain as Domain>::Value>>,
    pub(super) lesson: Lesson,
}

/// What a collector gets out of the reports and what not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lesson {
    pub(super) can: &'static str,
    pub(super) cannot: &'static str,
}

/// What came of one question.
#[derive(Debug, Serialize)]
pub(super) struct Collection {
    pub(super) question: &'static str,
    pub(super) mechanism: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) domain: String,
    /// What a report reveals at most, exactly.
    pub(super) epsilon: f64,
    #[serde(skip)]
    pub(super) guarantee: Guarantee,
    pub(super) report_bits: u32,
    pub(super) n: u64,
    pub(super) method: String,
    /// How many of the intervals hold the truth.
    pub(super) covered: usize,
    pub(super) estimates: Vec<Row>,
    #[serde(skip)]
    pub(super) example: Example,
    #[serde(skip)]
    pub(super) lesson: Lesson,
    /// How many different answers the made-up people have.
    #[serde(skip)]
    pub(super) answers: usize,
}

/// One answer: how many people hold it, and what was estimated.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) truth: f64,
    pub(super) value: f64,
    pub(super) standard_error: f64,
    pub(super) interval: [f64; 2],
}

impl Row {
    fn is_covered(&self) -> bool {
        (self.interval[0]..=self.interval[1]).contains(&self.truth)
    }
}

/// The first person.
#[derive(Debug, Clone)]
pub(super) struct Example {
    pub(super) truth: String,
    /// The report in words.
    pub(super) reading: String,
    /// The report as it leaves the device.
    pub(super) bytes: Vec<u8>,
    /// What the outcomes are.
    pub(super) about: &'static str,
    pub(super) outcomes: Vec<Outcome>,
}

impl Survey {
    pub(super) fn new(people: u64, rng: Generator) -> Self {
        Self { people, population: Generator::from_insecure_seed(POPULATION), rng }
    }

    pub(super) fn progress(&self, questions: u64) -> Progress {
        Progress::new("answers", Some(self.people.saturating_mul(questions)))
    }

    /// Asks everybody.
    pub(super) fn ask<M>(
        &mut self,
        question: &Question<M>,
        progress: &mut Progress,
    ) -> Result<Collection, Failure>
    where
        M: Channel + HasEstimator<Estimator: FrequencyEstimation> + Readable,
    {
        let mechanism = &question.mechanism;
        let estimator = mechanism.estimator();
        let mut summary = estimator.empty_summary();
        let mut held = vec![0u64; question.answers.len()];
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let weights: Vec<f64> = question.answers.iter().map(|answer| answer.weight).collect();
        let popularity = AliasTable::new(&WeightRow::from_relative(&weights)?);
        let mut example = None;
        let mut left = self.people;
        while left > 0 {
            let count = left.min(BATCH);
            let drawn: Vec<usize> =
                (0..count).map(|_| popularity.draw(&mut self.population) as usize).collect();
            let values: Vec<_> = drawn.iter().map(|index| question.answers[*index].value).collect();
            reports.clear();
            mechanism.randomize_batch(&values, &mut self.rng, &mut reports)?;
            estimator.accumulate(&mut summary, &reports)?;
            drawn.iter().for_each(|index| held[*index] += 1);
            if example.is_none() {
                example = Some(question.example(drawn[0], &reports)?);
            }
            progress.add(count);
            left -= count;
        }
        let frequencies = estimator.estimate(&summary)?;
        let example = example.unwrap_or_else(|| question.nobody());
        Ok(question.collection(frequencies, &held, example))
    }
}

impl<M: Channel + Readable> Question<M> {
    /// The first person's answer and report.
    fn example(&self, answer: usize, reports: &ReportBuffer) -> Result<Example, Failure> {
        let bytes = reports.iter().next().unwrap_or_default();
        let report = self.mechanism.decode(bytes)?;
        let answer = &self.answers[answer];
        Ok(Example {
            truth: answer.label.clone(),
            reading: self.mechanism.reading(&report),
            bytes: bytes.to_vec(),
            about: M::OUTCOMES,
            outcomes: self.mechanism.outcomes(&answer.value),
        })
    }

    /// The example of a survey without people.
    fn nobody(&self) -> Example {
        let nothing = String::new;
        Example {
            truth: nothing(),
            reading: nothing(),
            bytes: Vec::new(),
            about: M::OUTCOMES,
            outcomes: Vec::new(),
        }
    }

    fn collection(&self, frequencies: Frequencies, held: &[u64], example: Example) -> Collection {
        let n = frequencies.n;
        let shares = held.iter().map(|count| *count as f64 / n as f64);
        let truths: HashMap<&str, f64> =
            self.answers.iter().map(|answer| answer.label.as_str()).zip(shares).collect();
        let row = |frequency: privet::Frequency| Row {
            // A word that was found although nobody holds it has the truth zero.
            truth: truths.get(frequency.label.as_str()).copied().unwrap_or(0.0),
            label: frequency.label,
            value: frequency.estimate.value,
            standard_error: frequency.estimate.standard_error,
            interval: frequency.estimate.interval,
        };
        let estimates: Vec<Row> = frequencies.rows.into_iter().map(row).collect();
        let guarantee = self.mechanism.guarantee();
        Collection {
            question: self.asked,
            mechanism: M::INFO.id,
            title: M::INFO.title,
            domain: self.mechanism.domain().to_string(),
            epsilon: guarantee.epsilon().get(),
            guarantee,
            report_bits: self.mechanism.report_bits(),
            n,
            method: frequencies.method,
            covered: estimates.iter().filter(|row| row.is_covered()).count(),
            estimates,
            example,
            lesson: self.lesson,
            answers: self.answers.len(),
        }
    }
}

impl Collection {
    /// All rows in their own order if there are at most `limit`, else those with the largest estimates.
    pub(super) fn largest(&self, limit: usize) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.estimates.iter().collect();
        if rows.len() > limit {
            rows.sort_by(|one, other| other.value.total_cmp(&one.value));
            rows.truncate(limit);
        }
        rows
    }

    /// How often the intervals are right, in words.
    pub(super) fn coverage(&self) -> String {
        match self.estimates.len() {
            0 => "no answer stands out from the noise; more people or a larger epsilon would help".into(),
            rows => format!("intervals that hold the truth: {} of {rows}", self.covered),
        }
    }

    /// Half of the middle interval's width.
    pub(super) fn precision(&self) -> Option<f64> {
        let mut widths: Vec<f64> =
            self.estimates.iter().map(|row| (row.interval[1] - row.interval[0]) / 2.0).collect();
        widths.sort_by(f64::total_cmp);
        widths.get(widths.len() / 2).copied()
    }
}
