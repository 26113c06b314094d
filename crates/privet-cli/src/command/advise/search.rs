//! The candidates in order, and the smallest epsilon that reaches a target.

use super::candidate::{self, Built};
use super::expected::Question;
use crate::failure::Failure;
use crate::output::number;
use crate::progress::Progress;
use privet::registry::{self, MechanismRow};
use privet::{BuildOptions, DomainSpec, Epsilon, Guarantee};

/// What is given.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wish {
    Epsilon(Epsilon),
    /// The largest error that is good enough.
    Error(f64),
}

impl Wish {
    pub(super) fn target(self) -> Option<f64> {
        match self {
            Self::Epsilon(_) => None,
            Self::Error(target) => Some(target),
        }
    }
}

/// A mechanism that could be used.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) id: &'static str,
    pub(super) epsilon: f64,
    pub(super) expected_error: f64,
    pub(super) report_bits: u32,
    pub(super) guarantee: Guarantee,
}

/// A mechanism on the domain that could not be compared.
#[derive(Debug)]
pub(super) struct LeftOut {
    pub(super) id: &'static str,
    pub(super) why: String,
}

/// The answer.
#[derive(Debug)]
pub(super) struct Advice {
    pub(super) recommended: Candidate,
    /// From the best on, each with the reason why it is not the recommended one.
    pub(super) alternatives: Vec<(Candidate, String)>,
    pub(super) left_out: Vec<LeftOut>,
}

/// Where the smallest epsilon is looked for.
const LEAST: f64 = 0.01;
const MOST: f64 = 16.0;

/// Halvings of the range of epsilon's logarithm: the result is right to a millionth.
const HALVINGS: u32 = 23;

/// Errors that differ by less than this part are the same.
const TIE: f64 = 1e-6;

/// Compares all mechanisms that fit.
pub(super) fn advise(
    domain: &DomainSpec,
    question: &Question,
    wish: Wish,
    options: &BuildOptions,
) -> Result<Advice, Failure> {
    let search = Search { domain, question, options };
    let mut candidates = Vec::new();
    let mut left_out = Vec::new();
    let mut best: Option<Candidate> = None;
    let mut fitting = Vec::new();
    let mut progress = Progress::new("mechanisms", Some(registry::MECHANISMS.len() as u64));
    for row in registry::MECHANISMS {
        let outcome = search.consider(row, wish, &mut fitting);
        progress.add(1);
        match outcome {
            Outcome::Misfit => {}
            Outcome::LeftOut(why) => left_out.push(LeftOut { id: row.info.id, why }),
            Outcome::Reached(candidate) => candidates.push(candidate),
            Outcome::Unreached(candidate) => {
                let why = format!(
                    "even at epsilon {} its error is {}",
                    candidate.epsilon,
                    number(candidate.expected_error)
                );
                left_out.push(LeftOut { id: row.info.id, why });
                let is_better = |known: &Candidate| candidate.expected_error < known.expected_error;
                if best.as_ref().is_none_or(is_better) {
                    best = Some(candidate);
                }
            }
        }
    }
    drop(progress);
    candidate::refuse_untaken(options, fitting.iter())?;
    rank(candidates, left_out, wish).map_err(|left_out| nothing(wish, best, &left_out, domain))
}
