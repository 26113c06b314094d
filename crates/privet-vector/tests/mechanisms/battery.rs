//! Checks that every mechanism must pass, written so that a tampered one can be shown to fail.

use privet_core::{CryptoRng, Dimension, Epsilon, Generator};
use privet_estimators::statistics::chi_square_upper_tail;
use privet_vector::mechanism::VectorMechanism;

/// The probability with which a correct mechanism fails one check.
pub(crate) const ALPHA: f64 = 1e-6;

pub(crate) fn dimension(count: u32) -> Dimension {
    Dimension::new(count).unwrap()
}

pub(crate) fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

/// A direction with coordinates of both signs and very different sizes.
pub(crate) fn slanted(count: u32) -> Vec<f64> {
    (0..count).map(|index| if index % 3 == 1 { -1.0 } else { 2.0 } / f64::from(index + 1)).collect()
}

/// What many reports of one vector look like.
pub(crate) struct Sample {
    pub(crate) mean: Vec<f64>,
    /// Squared standard error of each coordinate of the mean.
    pub(crate) variances: Vec<f64>,
    /// The mean squared distance from the clipped vector, and its standard error.
    pub(crate) error: f64,
    pub(crate) error_deviation: f64,
    pub(crate) clipped: Vec<f64>,
}

impl Sample {
    pub(crate) fn draw(mechanism: &dyn VectorMechanism, vector: &[f64], draws: u32, seed: u64) -> Self {
        let mut clipped = vector.to_vec();
        mechanism.clip().apply(&mut clipped);
        let mut rng = Generator::from_insecure_seed(seed);
        let mut report = vec![0.0; vector.len()];
        let (mut sums, mut squares) = (vec![0.0; vector.len()], vec![0.0; vector.len()]);
        let (mut error, mut error_square) = (0.0, 0.0);
        for _ in 0..draws {
            mechanism.randomize(vector, &mut report, &mut rng).unwrap();
            let mut distance = 0.0;
            for (index, y) in report.iter().enumerate() {
                let off = y - clipped[index];
                sums[index] += off;
                squares[index] += off * off;
                distance += off * off;
            }
            error += distance;
            error_square += distance * distance;
        }
        let n = f64::from(draws);
        let mean: Vec<f64> = sums.iter().zip(&clipped).map(|(sum, x)| x + sum / n).collect();
        let variances =
            sums.iter().zip(&squares).map(|(sum, square)| (square / n - (sum / n).powi(2)) / n).collect();
        let error = error / n;
        let error_deviation = ((error_square / n - error * error) / n).sqrt();
        Self { mean, variances, error, error_deviation, clipped }
    }

    /// The p-value of the mean being `truth`: one chi-square degree for each coordinate.
    pub(crate) fn p_value(&self, truth: &[f64]) -> f64 {
        let statistic: f64 = self
            .mean
            .iter()
            .zip(truth)
            .zip(&self.variances)
            .map(|((mean, x), variance)| (mean - x).powi(2) / variance)
            .sum();
        chi_square_upper_tail(statistic, truth.len() as u64)
    }
}

/// The mean report is the clipped vector; a report that is five standard errors of the whole too long is found.
pub(crate) fn check_unbiased(mechanism: &dyn VectorMechanism, vector: &[f64], draws: u32, seed: u64) {
    let sample = Sample::draw(mechanism, vector, draws, seed);
    let p = sample.p_value(&sample.clipped);
    assert!(p > ALPHA, "{}: p = {p:e}", mechanism.id());
    let norm: f64 = sample.clipped.iter().map(|x| x * x).sum::<f64>().sqrt();
    // Tampered: along the truth by as much as chi-square must see with these many coordinates.
    let spread = sample.variances.iter().copied().fold(0.0, f64::max).sqrt();
    let shift = spread * (8.0 + 3.0 * (vector.len() as f64).sqrt().sqrt() * 2.0) / norm;
    let tampered: Vec<f64> = sample.clipped.iter().map(|x| x * (1.0 - shift)).collect();
    let p = sample.p_value(&tampered);
    assert!(p < ALPHA, "{}: a bias was not found, p = {p:e}", mechanism.id());
}

/// The simulated squared error is the stated one, within five standard errors (probability 6e-7); one that is ten standard errors
/// larger is not.
pub(crate) fn check_error(
    mechanism: &dyn VectorMechanism,
    vector: &[f64],
    stated: f64,
    draws: u32,
    seed: u64,
) {
    let sample = Sample::draw(mechanism, vector, draws, seed);
    let floor = 1e-7 * stated;
    let off = |claim: f64| (sample.error - claim).abs() / (sample.error_deviation + floor);
    assert!(off(stated) < 5.0, "{}: {} against {stated}", mechanism.id(), sample.error);
    assert!(off(stated + 10.0 * (sample.error_deviation + floor)) > 5.0);
}

/// Bad vectors are refused without a trace of what is in them; good ones of any size give finite reports of one length.
pub(crate) fn check_inputs(mechanism: &dyn VectorMechanism) {
    let count = mechanism.dimension().get();
    let mut rng = Generator::from_insecure_seed(5);
    let mut report = vec![0.0; count];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut vector = vec![0.123_456; count];
        vector[count - 1] = bad;
        let message = mechanism.randomize(&vector, &mut report, &mut rng).unwrap_err().to_string();
        assert_eq!(message, format!("the value lies outside the domain vector:{count}"));
    }
    let longer = vec![0.123_456; count + 1];
    let error = mechanism.randomize(&longer, &mut vec![0.0; count + 1], &mut rng).unwrap_err();
    assert!(!error.to_string().contains("123") && error.code() == "input-dimension", "{error}");
    assert_eq!(mechanism.randomize(&[], &mut [], &mut rng).unwrap_err().code(), "input-dimension");
    assert!(mechanism.randomize(&vec![0.5; count], &mut [], &mut rng).is_err());

    let extremes = [0.0, 1.0, -1e308, 5e-324, 1e-200, f64::MAX];
    for value in extremes {
        for vector in [vec![value; count], first_only(value, count)] {
            mechanism.randomize(&vector, &mut report, &mut rng).unwrap();
            let bound = mechanism.report_bound() * (1.0 + 1e-12);
            assert!(report.iter().all(|y| y.abs() <= bound), "{} at {value:e}", mechanism.id());
        }
    }
    assert_eq!(mechanism.report_bytes(), 4 * mechanism.code_count());
}

fn first_only(value: f64, count: usize) -> Vec<f64> {
    let mut vector = vec![0.0; count];
    vector[0] = value;
    vector
}

/// No report is more than e^epsilon times as likely under one vector as under another, and some report is as likely as that.
pub(crate) fn check_ratio(mechanism: &dyn VectorMechanism, vectors: &[Vec<f64>], draws: u32, tightness: f64) {
    let epsilon = mechanism.guarantee().epsilon().get();
    // A ratio of e^epsilon (1 + 1e-9).
    let limit = epsilon + 1e-9;
    let mut rng = Generator::from_insecure_seed(6);
    let mut codes = vec![0; mechanism.code_count()];
    let [first, second] = mechanism.worst_vectors();
    let mut largest = f64::NEG_INFINITY;
    let all: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).chain([&first[..], &second[..]]).collect();
    for vector in &all {
        for _ in 0..draws {
            mechanism.draw(vector, &mut codes, &mut rng);
            for other in &all {
                let ratio = mechanism.log_ratio([vector, other], &codes).unwrap();
                assert!(ratio.abs() <= limit, "{}: {ratio} above {limit}", mechanism.id());
                largest = largest.max(ratio);
            }
        }
    }
    assert!(largest > tightness * epsilon, "{}: {largest} of {epsilon}", mechanism.id());
}

/// The vectors that a ratio test should try: far apart, close together, tiny, huge, zero.
pub(crate) fn adversarial(count: u32) -> Vec<Vec<f64>> {
    let slanted = slanted(count);
    let turned: Vec<f64> = slanted.iter().rev().copied().collect();
    let close: Vec<f64> =
        slanted.iter().enumerate().map(|(i, x)| x + if i == 0 { 1e-9 } else { 0.0 }).collect();
    let scaled = |factor: f64| slanted.iter().map(|x| x * factor).collect::<Vec<f64>>();
    vec![
        slanted.clone(),
        scaled(-1.0),
        scaled(1e-300),
        scaled(1e300),
        turned,
        close,
        vec![0.0; count as usize],
        first_only(1.0, count as usize),
    ]
}

/// Draws as a stranger to the mechanism would have it: the generator is only a `CryptoRng`.
pub(crate) fn reports(
    mechanism: &dyn VectorMechanism,
    vector: &[f64],
    draws: u32,
    rng: &mut dyn CryptoRng,
) -> Vec<Vec<f64>> {
    (0..draws)
        .map(|_| {
            let mut report = vec![0.0; vector.len()];
            mechanism.randomize(vector, &mut report, rng).unwrap();
            report
        })
        .collect()
}
