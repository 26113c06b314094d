//! What is said about the probability of the same label: two sides, how they were found, and how sure they are.

/// How a bound was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the half-spaces of a linear model.
    Linear,
    /// From the leaves of a tree ensemble.
    Trees,
    /// By cutting the reports into boxes until almost all of them are decided.
    Partition,
    /// By drawing reports, with an interval for the share of equal labels.
    Sampled,
    /// By drawing reports of several mechanisms at once and weighing them.
    Reweighted,
    /// By weighing reports of other mechanisms, which are too different: nothing is known.
    NotCovered,
}

impl Method {
    /// The name that tables and JSON write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Linear => "exact-linear",
            Self::Trees => "exact-trees",
            Self::Partition => "branch-and-bound",
            Self::Sampled => "sampled",
            Self::Reweighted => "re-weighted",
            Self::NotCovered => "not-covered",
        }
    }
}

/// `lower <= truth <= upper`, where the truth is the probability that a classifier gives a report the label of the record
/// itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Not above the truth.
    pub lower: f64,
    /// Not below the truth.
    pub upper: f64,
    /// How it was found.
    pub method: Method,
    /// The probability that it holds, together with all others of the same call. One is a proof.
    pub confidence: f64,
}

/// Sums of up to some million products of probabilities are wrong by less than this.
const ROUNDING: f64 = 1e-10;

impl Bound {
    /// A proven bound from sums of probabilities, moved outwards by more than their rounding errors.
    pub(crate) fn proven(lower: f64, upper: f64, method: Method) -> Self {
        Self {
            lower: (lower - ROUNDING).clamp(0.0, 1.0),
            upper: (upper + ROUNDING).clamp(0.0, 1.0),
            method,
            confidence: 1.0,
        }
    }

    /// Nothing but that it is a probability.
    pub(crate) fn unknown(confidence: f64) -> Self {
        Self { lower: 0.0, upper: 1.0, method: Method::NotCovered, confidence }
    }

    /// How far both sides are apart.
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// The bound where the whole record is sent as it is with probability `delta`, which keeps the label, and randomised
    /// otherwise: the papers' privacy indicator. What it promises is (epsilon, delta) in the standard sense, and no more:
    /// see [`privet_mechanisms::wrapper::Indicator`].
    pub fn with_indicator(self, delta: privet_core::Delta) -> Self {
        let mixed = |probability: f64| delta.get() + (1.0 - delta.get()) * probability;
        Self { lower: mixed(self.lower), upper: mixed(self.upper).min(1.0), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Delta;

    #[test]
    fn an_indicator_mixes_in_the_truth() {
        let bound = Bound::proven(0.5, 0.6, Method::Linear).with_indicator(Delta::new(0.1).unwrap());
        assert!((bound.lower - 0.55).abs() < 1e-9 && (bound.upper - 0.64).abs() < 1e-9);
        let wide = Bound::proven(-1.0, 2.0, Method::Linear);
        assert_eq!((wide.lower, wide.upper), (0.0, 1.0));
    }
}
