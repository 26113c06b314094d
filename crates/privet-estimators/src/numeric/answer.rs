//! What is learned about numbers and angles.

use super::Distribution;
use privet_core::Estimate;
use std::str::FromStr;

/// How a distribution is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Maximum likelihood by expectation-maximisation: unsmoothed, so spiky where bins are fine.
    ExpectationMaximization,
    /// Expectation-maximisation with the binomial kernel 1-2-1 after every round.
    #[default]
    Smoothed,
    /// As [`Method::Smoothed`], with the amount of smoothing under which left-out reports are most likely.
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
    /// Where the range begins.
    pub from: f64,
    /// Where it ends. On a circle it may be below `from`: the range then passes zero.
    pub to: f64,
    /// The share. The value is that of the distribution; standard error and interval are those of the linear estimate from
    /// the same reports, whose bias is bounded, so the interval need not lie around the value.
    pub share: Estimate,
}

/// A value that a share of people do not exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantile {
    /// The share, from 0 to 1.
    pub level: f64,
    /// The value.
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
}

/// What is learned about angles.
#[derive(Debug, Clone, PartialEq)]
pub struct Angles {
    /// The mean direction. Where the resultant length may be zero there is none, and the interval is the whole circle.
    pub direction: Estimate,
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
