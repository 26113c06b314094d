//! What any estimator can be asked, and what it says.

use crate::numeric::{Angles, Method, Numbers};
use crate::{Consistency, Frequencies, Frequency, MeanVector};
use privet_core::{Rectangle, Target};

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
    /// Numbers and angles: ranges of values whose share is asked for. A range holds its lower end; its upper end only where
    /// that is the upper end of the domain.
    pub ranges: Vec<[f64; 2]>,
    /// Which people it is about.
    pub target: Target,
    /// Where a lottery decided who answers: how many people took part in it. Those who answered are some of them.
    pub took_part: Option<u64>,
    /// Numbers and angles: for which populations the intervals hold.
    pub populations: Populations,
}

/// Populations for which an interval keeps its promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Populations {
    /// All of them: smooth ones, spikes, everybody at one value.
    #[default]
    Any,
    /// Only those that are spread evenly inside each of so many equal bins. Shorter intervals, which are wrong for others.
    Smooth {
        /// How many bins.
        bins: u32,
    },
}

impl Default for Request {
    /// No step; expectation-maximisation with smoothing that adapts to the reports, on 50 bins; the quartiles; no ranges; about
    /// the people who reported, whatever they are like.
    fn default() -> Self {
        Self {
            step: Consistency::None,
            method: Method::default(),
            bins: 50,
            quantiles: vec![0.25, 0.5, 0.75],
            ranges: Vec::new(),
            target: Target::default(),
            took_part: None,
            populations: Populations::default(),
        }
    }
}

impl From<Consistency> for Request {
    fn from(step: Consistency) -> Self {
        Self { step, ..Self::default() }
    }
}

/// The shares of equal cells of a rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceShares {
    /// Where places lie.
    pub rectangle: Rectangle,
    /// How many cells lie along each side.
    pub side: u32,
    /// The share of each cell, along the first coordinate first.
    pub cells: Vec<Frequency>,
    /// How many reports it rests on.
    pub n: u64,
    /// How it was computed, with the consistency step.
    pub method: String,
}

impl PlaceShares {
    /// The lower and the upper corner of a cell.
    pub fn corners(&self, cell: usize) -> [[f64; 2]; 2] {
        [0.0, 1.0].map(|step| self.point(cell, step))
    }

    /// The middle of a cell.
    pub fn middle(&self, cell: usize) -> [f64; 2] {
        self.point(cell, 0.5)
    }

    fn point(&self, cell: usize, step: f64) -> [f64; 2] {
        let side = self.side as usize;
        let place = [cell % side, cell / side].map(|index| (index as f64 + step) / side as f64);
        self.rectangle.point_at(place)
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
    /// About places.
    Places(PlaceShares),
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
            Self::Places(places) => places.n,
            Self::Vector(vector) => vector.n,
        }
    }

    /// Which people it is about; nothing if it has no numbers, as a list of no words.
    pub fn target(&self) -> Option<Target> {
        let estimate = match self {
            Self::Frequencies(frequencies) => frequencies.rows.first().map(|row| &row.estimate),
            Self::Numbers(numbers) => Some(&numbers.mean),
            Self::Angles(angles) => Some(&angles.direction),
            Self::Places(places) => places.cells.first().map(|row| &row.estimate),
            Self::Vector(vector) => vector.coordinates.first(),
        };
        estimate.map(|estimate| estimate.target)
    }
}
