//! What any estimator can be asked, and what it says.

use crate::numeric::{Angles, Method, Numbers};
use crate::{Consistency, Frequencies, MeanVector};

/// What is asked of a summary. Each kind of mechanism reads the parts that concern it.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Categories: the step after the estimate.
    pub step: Consistency,
    /// Numbers and angles: how the distribution is estimated.
    pub method: Method,
    /// Numbers and angles: how many bins the distribution has.
    pub bins: usize,
    /// Numbers: the levels of the quantiles, from 0 to 1.
    pub quantiles: Vec<f64>,
    /// Numbers and angles: ranges of values whose share is asked for.
    pub ranges: Vec<[f64; 2]>,
}

impl Default for Request {
    /// No step; expectation-maximisation with smoothing on 50 bins; the quartiles; no ranges.
    fn default() -> Self {
        Self {
            step: Consistency::None,
            method: Method::default(),
            bins: 50,
            quantiles: vec![0.25, 0.5, 0.75],
            ranges: Vec::new(),
        }
    }
}

impl From<Consistency> for Request {
    fn from(step: Consistency) -> Self {
        Self { step, ..Self::default() }
    }
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// About categories or words.
    Frequencies(Frequencies),
    /// About numbers.
    Numbers(Numbers),
    /// About angles.
    Angles(Angles),
    /// About vectors.
    Vector(MeanVector),
}

impl Answer {
    /// The frequencies, if it is about categories or words.
    pub fn into_frequencies(self) -> Option<Frequencies> {
        match self {
            Self::Frequencies(frequencies) => Some(frequencies),
            _ => None,
        }
    }

    /// The answer about numbers, if it is one.
    pub fn into_numbers(self) -> Option<Numbers> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The answer about angles, if it is one.
    pub fn into_angles(self) -> Option<Angles> {
        match self {
            Self::Angles(angles) => Some(angles),
            _ => None,
        }
    }

    /// How many reports it rests on.
    pub fn n(&self) -> u64 {
        match self {
            Self::Frequencies(frequencies) => frequencies.n,
            Self::Numbers(numbers) => numbers.n,
            Self::Angles(angles) => angles.n,
            Self::Vector(vector) => vector.n,
        }
    }
}
