//! Means of vectors: fixed-point sums that add up in any order.

mod noise;

pub use noise::CoordinateNoise;

use noise::Seen;
use privet_core::{
    Dimension, Estimate, EstimateError, Fingerprint, MergeError, ReportError, Summary, Target,
};

/// How finely numbers are counted: steps of a power of two, of which the largest number has at most 2^40.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedPointScale {
    exponent: i32,
}

impl FixedPointScale {
    /// The most steps of a number.
    const LARGEST: i64 = 1 << 40;

    /// The scale for numbers up to `bound`, or `None` if that is not a finite number above zero.
    pub fn reaching(bound: f64) -> Option<Self> {
        if !(bound.is_finite() && bound > 0.0) {
            return None;
        }
        let exponent = (bound.log2().ceil() as i32 - 40).max(-1000);
        // A rounded logarithm may be one too small.
        let fits = bound / 2f64.powi(exponent) <= Self::LARGEST as f64;
        Some(Self { exponent: if fits { exponent } else { exponent + 1 } })
    }

    /// The nearest number of steps, if there are not too many.
    fn steps(self, number: f64) -> Option<i64> {
        let steps = (number * 2f64.powi(-self.exponent)).round();
        (steps.abs() <= Self::LARGEST as f64).then_some(steps as i64)
    }

    fn size(self) -> f64 {
        2f64.powi(self.exponent)
    }
}

/// The number of reports and, for each coordinate, the sums of their steps and of the squares. Whole numbers, so that any split of the
/// reports gives the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorSummary {
    fingerprint: Fingerprint,
    scale: FixedPointScale,
    reports: u64,
    moments: Vec<Moments>,
}

/// The mean of vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanVector {
    /// The mean of each coordinate.
    pub coordinates: Vec<Estimate>,
    /// How many reports it rests on.
    pub n: u64,
}

/// The sums of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Moments {
    sum: i128,
    squares: i128,
}

impl Moments {
    fn checked_sub(self, other: Self) -> Option<Self> {
        let squares = self.squares.checked_sub(other.squares).filter(|squares| *squares >= 0)?;
        Some(Self { sum: self.sum.checked_sub(other.sum)?, squares })
    }

    fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self {
            sum: self.sum.checked_add(other.sum)?,
            squares: self.squares.checked_add(other.squares)?,
        })
    }

    /// Mean and variance, in steps.
    fn mean_and_variance(self, reports: u64) -> (f64, f64) {
        let count = i128::from(reports);
        let middle = self.sum.div_euclid(count);
        let rest = self.sum.rem_euclid(count) as f64;
        // Around a whole number near the mean, so that nothing cancels. The result fits, so that overflow on the way does not matter.
        let around = self
            .squares
            .wrapping_sub(middle.wrapping_mul(self.sum).wrapping_mul(2))
            .wrapping_add(middle.wrapping_mul(middle).wrapping_mul(count));
        let n = reports as f64;
        let variance = (around as f64 - rest * rest / n) / (n - 1.0);
        (middle as f64 + rest / n, variance.max(0.0))
    }
}

const MAGIC: [u8; 4] = *b"PVV1";
const HEADER_BYTES: usize = MAGIC.len() + Fingerprint::BYTES + 8 + 4 + 8;
const MOMENT_BYTES: usize = 32;

impl VectorSummary {
    /// A summary of no reports.
    pub fn empty(fingerprint: Fingerprint, dimension: Dimension, scale: FixedPointScale) -> Self {
        Self { fingerprint, scale, reports: 0, moments: vec![Moments::default(); dimension.get()] }
    }

    /// Adds the vectors of decoded reports, one after the other. An error leaves the summary as it was.
    ///
    /// # Errors
    /// When a vector is not complete, a coordinate is beyond the scale, or a sum would exceed 128 bits.
    pub fn add(&mut self, reports: &[f64]) -> Result<(), ReportError> {
        let dimension = self.moments.len();
        let incomplete = reports.len() % dimension;
        if incomplete != 0 {
            return Err(ReportError::Length { expected: dimension, got: incomplete });
        }
        let mut moments = self.moments.clone();
        for report in reports.chunks_exact(dimension) {
            for (moments, number) in moments.iter_mut().zip(report) {
                let steps = self
                    .scale
                    .steps(*number)
                    .ok_or(ReportError::Impossible { reason: "a coordinate beyond the largest one" })?;
                let one = Moments { sum: i128::from(steps), squares: i128::from(steps).pow(2) };
                *moments = moments.checked_add(one).ok_or(TOO_MANY)?;
            }
        }
        let added = (reports.len() / dimension) as u64;
        self.reports = self.reports.checked_add(added).ok_or(TOO_MANY)?;
        self.moments = moments;
        Ok(())
    }

    /// Takes out reports that were added before, as if they had never been.
    ///
    /// # Errors
    /// When the other summary is another mechanism's, or holds something that this one does not. The summary is then unchanged.
    pub fn subtract(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.combined(other, u64::checked_sub, Moments::checked_sub, MergeError::Underflow)?;
        Ok(())
    }

    /// Both summaries, coordinate by coordinate.
    fn combined(
        &self,
        other: &Self,
        of_counts: fn(u64, u64) -> Option<u64>,
        of_moments: fn(Moments, Moments) -> Option<Moments>,
        beyond: MergeError,
    ) -> Result<Self, MergeError> {
        if self.fingerprint != other.fingerprint {
            return Err(MergeError::Foreign {
                expected: self.fingerprint.to_string(),
                got: other.fingerprint.to_string(),
            });
        }
        if self.scale != other.scale || self.moments.len() != other.moments.len() {
            return Err(MergeError::Malformed { reason: "another scale or number of coordinates" });
        }
        let moments = self.moments.iter().zip(&other.moments).map(|(one, two)| of_moments(*one, *two));
        match (of_counts(self.reports, other.reports), moments.collect()) {
            (Some(reports), Some(moments)) => Ok(Self { reports, moments, ..self.clone() }),
            _ => Err(beyond),
        }
    }

    /// How many numbers of 64 bits its sums take.
    pub fn numbers(&self) -> usize {
        self.moments.len() * (MOMENT_BYTES / 8)
    }

    /// The mean of each coordinate of the reports; `noise` says how each of them varies.
    ///
    /// # Errors
    /// When there are fewer than two reports, or the summary belongs to another mechanism or has other coordinates.
    pub fn means(
        &self,
        mechanism: Fingerprint,
        noise: &[CoordinateNoise],
        target: Target,
        method: &'static str,
    ) -> Result<Vec<Estimate>, EstimateError> {
        if self.fingerprint != mechanism {
            return Err(EstimateError::Foreign {
                expected: mechanism.to_string(),
                got: self.fingerprint.to_string(),
            });
        }
        if self.moments.len() != noise.len() {
            return Err(EstimateError::Damaged { reason: "another number of coordinates" });
        }
        if self.reports < 2 {
            return Err(EstimateError::TooFewReports { needed: 2, got: self.reports });
        }
        let size = self.scale.size();
        let estimate = |(moments, noise): (&Moments, &CoordinateNoise)| {
            let (mean, variance) = moments.mean_and_variance(self.reports);
            let seen = Seen { mean: size * mean, variance: size * size * variance, n: self.reports as f64 };
            Estimate {
                value: seen.mean,
                standard_error: noise.standard_error(seen, target),
                bias_bound: 0.0,
                interval: noise.interval(seen, target),
                n: self.reports,
                method,
                target,
            }
        };
        Ok(self.moments.iter().zip(noise).map(estimate).collect())
    }
}

const TOO_MANY: ReportError =
    ReportError::Impossible { reason: "a sum of the summary would exceed 128 bits" };

impl Summary for VectorSummary {
    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    fn count(&self) -> u64 {
        self.reports
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.combined(other, u64::checked_add, Moments::checked_add, MergeError::Overflow)?;
        Ok(())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + MOMENT_BYTES * self.moments.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.fingerprint.to_bytes());
        bytes.extend_from_slice(&self.reports.to_le_bytes());
        bytes.extend_from_slice(&self.scale.exponent.to_le_bytes());
        bytes.extend_from_slice(&(self.moments.len() as u64).to_le_bytes());
        for moments in &self.moments {
            bytes.extend_from_slice(&moments.sum.to_le_bytes());
            bytes.extend_from_slice(&moments.squares.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, MergeError> {
        let malformed = |reason| MergeError::Malformed { reason };
        let short = || malformed("too short for a summary");
        let (magic, rest) = bytes.split_first_chunk::<4>().ok_or_else(short)?;
        let (fingerprint, rest) = rest.split_first_chunk::<{ Fingerprint::BYTES }>().ok_or_else(short)?;
        let (reports, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        let (exponent, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let (count, body) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        if *magic != MAGIC {
            return Err(malformed("not a summary of vectors, or of another version"));
        }
        let exponent = i32::from_le_bytes(*exponent);
        if !(-1000..=1000).contains(&exponent) {
            return Err(malformed("a scale that no mechanism has"));
        }
        let (pairs, surplus) = body.as_chunks::<MOMENT_BYTES>();
        if pairs.len() as u64 != u64::from_le_bytes(*count) || !surplus.is_empty() || pairs.is_empty() {
            return Err(malformed("the number of coordinates does not fit the length"));
        }
        let moments = pairs.iter().map(|pair| {
            let [mut sum, mut squares] = [[0; 16]; 2];
            sum.copy_from_slice(&pair[..16]);
            squares.copy_from_slice(&pair[16..]);
            Moments { sum: i128::from_le_bytes(sum), squares: i128::from_le_bytes(squares) }
        });
        Ok(Self {
            fingerprint: Fingerprint::from_bytes(*fingerprint),
            scale: FixedPointScale { exponent },
            reports: u64::from_le_bytes(*reports),
            moments: moments.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mechanism() -> Fingerprint {
        Fingerprint::from_bytes([1; 8])
    }

    fn empty(dimension: u32, bound: f64) -> VectorSummary {
        let scale = FixedPointScale::reaching(bound).unwrap();
        VectorSummary::empty(mechanism(), Dimension::new(dimension).unwrap(), scale)
    }

    fn of(reports: &[f64]) -> VectorSummary {
        let mut summary = empty(2, 1e6);
        summary.add(reports).unwrap();
        summary
    }

    /// Noise about which only this is known: reports in its range.
    fn anything(bound: f64) -> CoordinateNoise {
        let moments = [[0.0; 3], [bound * bound, 0.0, bound.powi(4)]];
        CoordinateNoise { reports: [-bound, bound], ..CoordinateNoise::of_moments(moments, [-bound, bound]) }
    }

    fn means(summary: &VectorSummary, mechanism: Fingerprint) -> Result<Vec<Estimate>, EstimateError> {
        summary.means(mechanism, &[anything(1e6); 2], Target::Reported, "test")
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_bytes(
            vectors in prop::collection::vec([-1e6f64..1e6, -1e-3f64..1e-3], 1..30), cut in any::<prop::sample::Index>(),
        ) {
            let cut = cut.index(vectors.len());
            let [left, right] = [vectors[..cut].concat(), vectors[cut..].concat()];
            let whole = of(&vectors.concat());
            let mut merged = of(&left);
            merged.merge(&of(&right)).unwrap();
            prop_assert_eq!(&merged, &whole);
            let mut other = of(&right);
            other.merge(&of(&left)).unwrap();
            prop_assert_eq!(other.to_bytes(), whole.to_bytes());
            prop_assert_eq!(VectorSummary::from_bytes(&whole.to_bytes()).unwrap(), whole);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            let _ = VectorSummary::from_bytes(&bytes);
            let mut named = MAGIC.to_vec();
            named.extend(bytes);
            if let Ok(summary) = VectorSummary::from_bytes(&named) {
                let _ = means(&summary, summary.fingerprint());
            }
        }
    }

    #[test]
    fn means_and_standard_errors_are_those_of_the_textbook() {
        let summary = of(&[1.0, 1e5, 2.0, 1e5 + 1.0, 6.0, 1e5 + 2.0].repeat(4));
        let means = means(&summary, mechanism()).unwrap();
        assert!((means[0].value - 3.0).abs() < 1e-5);
        // Squares of distances add up to 56 and to 8 among twelve.
        assert!((means[0].standard_error - (56.0f64 / 11.0 / 12.0).sqrt()).abs() < 1e-5);
        assert!((means[1].value - 100_001.0).abs() < 1e-5);
        assert!((means[1].standard_error - (8.0f64 / 11.0 / 12.0).sqrt()).abs() < 1e-5, "{:?}", means[1]);
    }

    #[test]
    fn what_does_not_belong_leaves_the_summary_as_it_was() {
        let mut summary = of(&[1.0, 2.0]);
        let before = summary.clone();
        for bad in [&[1.0][..], &[1.0, 2e6], &[1.0, f64::NAN], &[f64::INFINITY, 0.0]] {
            assert!(summary.add(bad).is_err());
        }
        assert!(matches!(summary.merge(&empty(3, 1e6)), Err(MergeError::Malformed { .. })));
        assert!(matches!(summary.merge(&empty(2, 1.0)), Err(MergeError::Malformed { .. })));
        let foreign = VectorSummary { fingerprint: Fingerprint::from_bytes([2; 8]), ..before.clone() };
        assert!(matches!(summary.merge(&foreign), Err(MergeError::Foreign { .. })));
        assert_eq!(summary, before);
        assert_eq!(means(&summary, mechanism()), Err(EstimateError::TooFewReports { needed: 2, got: 1 }));
    }

    #[test]
    fn scales_reach_their_bound() {
        for bound in [1e-200, 1e-3, 1.0, 3.0, 2f64.powi(40), 1e300] {
            let scale = FixedPointScale::reaching(bound).unwrap();
            assert!(scale.steps(bound).is_some() && scale.steps(-bound).is_some(), "{bound}");
            assert!(scale.steps(4.0 * bound).is_none(), "{bound}");
        }
        assert!(FixedPointScale::reaching(0.0).is_none() && FixedPointScale::reaching(f64::NAN).is_none());
    }
}
