//! What is learned about numbers and angles.

use super::Distribution;
use crate::Populations;
use privet_core::Estimate;
use std::str::FromStr;

/// How a distribution is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Maximum likelihood by expectation-maximisation: unsmoothed, so spiky where bins are fine.
    ExpectationMaximization,
    /// Expectation-maximisation with the binomial kernel 1-2-1 after every round, as published: too smooth for spikes.
    Smoothed,
    /// As [`Method::Smoothed`], with the amount of smoothing under which left-out reports are most likely.
    #[default]
    SmoothedByHeldOut,
    /// The distribution whose expected counts are nearest to the counts.
    LeastSquares,
    /// The reports as they are, as in the papers; those outside the domain count in the nearest bin.
    Histogram,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::ExpectationMaximization,
        Self::Smoothed,
        Self::SmoothedByHeldOut,
        Self::LeastSquares,
        Self::Histogram,
    ];

    /// Whether neighbouring bins are made alike.
    pub(crate) fn is_smoothed(self) -> bool {
        matches!(self, Self::Smoothed | Self::SmoothedByHeldOut)
    }

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExpectationMaximization => "em",
            Self::Smoothed => "ems",
            Self::SmoothedByHeldOut => "ems-cv",
            Self::LeastSquares => "least-squares",
            Self::Histogram => "histogram",
        }
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|method| method.as_str() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|method| method.as_str()).collect();
            format!("a method is one of {}: got {text:?}", names.join(", "))
        })
    }
}

/// A share of people in a range of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeShare {
    /// Where the range begins. It holds this value.
    pub from: f64,
    /// Where it ends. It does not hold this value, unless that is the upper end of the domain. On a circle it may be below
    /// `from`: the range then passes zero.
    pub to: f64,
    /// The share. The value is that of the distribution, or the nearest end of the interval; the interval holds for every
    /// population.
    pub share: Estimate,
}

/// A value that a share of people do not exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantile {
    /// The share, from 0 to 1.
    pub level: f64,
    /// The value. Its standard error is a part of the length of its interval, which is what is known about it.
    pub value: Estimate,
}

/// What is learned about numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The mean.
    pub mean: Estimate,
    /// The distribution.
    pub distribution: Distribution,
    /// The share of each bin.
    pub bins: Vec<RangeShare>,
    /// The quantiles that were asked for.
    pub quantiles: Vec<Quantile>,
    /// The ranges that were asked for.
    pub ranges: Vec<RangeShare>,
    /// How many reports it rests on.
    pub n: u64,
    /// How the distribution was estimated.
    pub method: Method,
    /// For which populations the intervals hold.
    pub populations: Populations,
}

/// What is learned about angles.
#[derive(Debug, Clone, PartialEq)]
pub struct Angles {
    /// The mean direction.
    pub direction: Estimate,
    /// Whether there is one: if the mean of unit vectors may be zero no direction can be told, and the interval is the whole circle.
    pub direction_told: bool,
    /// The length of the mean of unit vectors: one if all angles are alike, zero if they cancel.
    pub resultant_length: Estimate,
    /// The distribution.
    pub distribution: Distribution,
    /// The share of each bin.
    pub bins: Vec<RangeShare>,
    /// The ranges that were asked for.
    pub ranges: Vec<RangeShare>,
    /// How many reports it rests on.
    pub n: u64,
    /// How the distribution was estimated.
    pub method: Method,
    /// For which populations the intervals hold.
    pub populations: Populations,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for method in Method::ALL {
            assert_eq!(method.as_str().parse(), Ok(method));
        }
        assert!("magic".parse::<Method>().is_err());
    }
}
