//! Only what a linear task needs, with Laplace noise, decoded for the least task error.

use super::laplace_noise::LAPLACE_KURTOSIS;
use super::{ClipSet, LaplaceVector, VectorMechanism, added_noise, checked};
use crate::{PublicSample, VectorError};
use nalgebra::{DMatrix, DVector};
use privet_core::{
    CryptoRng, Dimension, Epsilon, Fingerprint, FingerprintBuilder, Guarantee, MechanismInfo, Numerics,
    ParameterError, Piece, Probability, ReportError,
};
use privet_estimators::CoordinateNoise;

/// Directions in which the public data vary less than this share of the most are left out.
const SMALLEST_SPREAD: f64 = 1e-9;

/// What is publicly known about the vectors and what they are used for.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearTask {
    /// The mean vector.
    pub mean: DVector<f64>,
    /// The covariance of the vectors.
    pub covariance: DMatrix<f64>,
    /// The task: one row for each number that is computed from a vector.
    pub weights: DMatrix<f64>,
}

impl LinearTask {
    /// The task with these weights on vectors like those of a public sample.
    pub fn of_sample(sample: &PublicSample, weights: DMatrix<f64>) -> Self {
        let dimension = sample.dimension().get();
        let mean = DVector::from_vec(sample.mean());
        let mut covariance = DMatrix::zeros(dimension, dimension);
        for vector in sample.vectors() {
            let off = DVector::from_column_slice(vector) - &mean;
            covariance.ger(1.0 / sample.vectors().len() as f64, &off, &off, 1.0);
        }
        Self { mean, covariance, weights }
    }

    fn check(&self) -> Result<Dimension, ParameterError> {
        let dimension = Dimension::of(self.mean.as_slice())?;
        let count = dimension.get();
        let fits = self.covariance.shape() == (count, count) && self.weights.ncols() == count;
        let numbers = self.mean.iter().chain(&self.covariance).chain(&self.weights);
        if fits && self.weights.nrows() > 0 && numbers.into_iter().all(|number| number.is_finite()) {
            return Ok(dimension);
        }
        Err(ParameterError::Incompatible {
            reason: format!(
                "a linear task on {count} coordinates needs a {count} x {count} covariance and rows of {count} weights, all finite"
            ),
        })
    }
}

/// Task-aware linear mechanism: encodes what a public linear task needs, and decodes with the least task error.
///
/// # What it protects
/// A vector that is collected for a known linear task W x, for example a regression, with a public mean and covariance.
/// # Formula
/// Let u be the coordinates of the vector, less the mean, in which the data have covariance one and the task is diag(s): with the
/// covariance L L^T, the singular values s and right vectors Q of W L, u = Q^T L^-1 (x - mean). The encoder clips u to the length R and
/// sends y_i = a_i u_i with sum a_i^2 = 1, so that the absolute y_i add up to at most R, through [`super::LaplaceVector`]: noise of
/// variance v = 8 R^2 / epsilon^2. The decoder takes a_i y_i / (a_i^2 + v), the best linear guess of u_i; the task error, without
/// clipping, is the sum of s_i^2 v / (a_i^2 + v), smallest for a_i^2 = max(0, c s_i - v) with c such that they add up to one.
/// Coordinates with a_i = 0 are not sent.
/// # Domain
/// `vector:D`. Vectors with u longer than R are moved towards the mean.
/// # Guarantee
/// Pure epsilon, tight; that of the Laplace mechanism.
/// # Cost
/// 4 bytes and about a dozen random words for each coordinate that is sent.
/// # Numerics
/// Integer-exact: the Laplace mechanism clips and counts in whole numbers whatever it is given.
/// # When not to use it
/// For means: reports are drawn towards the public mean, by a_i^2 / (a_i^2 + v) in coordinate i, and lie in the space that the task sees.
/// So they are biased, and the error of a vector far from the mean is large; the stated one is the average over the public moments.
/// # Reference
/// J. Cheng, A. Tang, S. Chinchali, "Task-aware privacy preservation for multi-dimensional data", ICML 2022. Deviations: moments from a
/// public sample, and the encoder derived anew for clipping in the L2 norm.
/// # Example
/// ```
/// use nalgebra::dmatrix;
/// use privet_core::{Epsilon, Probability};
/// use privet_vector::PublicSample;
/// use privet_vector::mechanism::{LinearTask, TaskAwareLinear, VectorMechanism};
/// let sample = PublicSample::new(2, &[1.0, 5.0, -1.0, -5.0, 2.0, 4.0, -2.0, -4.5])?;
/// // The task needs the first coordinate only, so one number is sent.
/// let task = LinearTask::of_sample(&sample, dmatrix![1.0, 0.0]);
/// let mechanism = TaskAwareLinear::fit(&sample, &task, Probability::new(0.9)?, Epsilon::new(4.0)?)?;
/// assert_eq!(mechanism.code_count(), 1);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TaskAwareLinear {
    clip: ClipSet,
    mean: DVector<f64>,
    encoder: DMatrix<f64>,
    decoder: DMatrix<f64>,
    noise: LaplaceVector,
    worst: DVector<f64>,
    task_error: f64,
    vector_error: f64,
}

/// The task in coordinates in which the data have covariance one.
struct Whitened {
    /// From vectors to the task's coordinates.
    down: DMatrix<f64>,
    /// And back.
    up: DMatrix<f64>,
    singular: DVector<f64>,
}

impl TaskAwareLinear {
    /// The facts of the page.
    pub const INFO: MechanismInfo = MechanismInfo {
        id: "task-aware-linear",
        synonyms: &["task-aware"],
        title: "Task-aware linear mechanism",
        domain: "vector",
        goal: "task",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 2^-25",
        reference: "Cheng, Tang, Chinchali 2022",
        status: "stable",
    };

    /// The mechanism for a task, with the length to which the task's coordinates are clipped.
    ///
    /// # Errors
    /// When the task does not fit together or sees nothing that varies, the radius is not usable, or epsilon is too small.
    pub fn new(task: &LinearTask, radius: f64, epsilon: Epsilon) -> Result<Self, ParameterError> {
        task.check()?;
        Self::of(whiten(task)?, task, radius, epsilon)
    }

    /// As [`TaskAwareLinear::new`], with the length that this share of a public sample does not exceed.
    ///
    /// # Errors
    /// As for [`TaskAwareLinear::new`].
    pub fn fit(
        sample: &PublicSample,
        task: &LinearTask,
        share: Probability,
        epsilon: Epsilon,
    ) -> Result<Self, ParameterError> {
        if task.check()? != sample.dimension() {
            let reason = format!(
                "the task is on {} coordinates, the sample on {}",
                task.mean.len(),
                sample.dimension()
            );
            return Err(ParameterError::Incompatible { reason });
        }
        let whitened = whiten(task)?;
        let length =
            |vector: &[f64]| (&whitened.down * (DVector::from_column_slice(vector) - &task.mean)).norm();
        let radius = sample.quantile(share, length);
        Self::of(whitened, task, radius, epsilon)
    }

    fn of(
        whitened: Whitened,
        task: &LinearTask,
        radius: f64,
        epsilon: Epsilon,
    ) -> Result<Self, ParameterError> {
        let clip = ClipSet::image(task.mean.clone(), whitened.down.clone(), radius)?;
        let variance = 8.0 * (radius / epsilon.get()).powi(2);
        let squares = fill(whitened.singular.as_slice(), variance);
        let sent = squares.iter().filter(|square| **square > 0.0).count();
        let gains = DVector::from_iterator(sent, squares.iter().take(sent).map(|square| square.sqrt()));
        let shrinks = gains.map(|gain| gain / (gain * gain + variance));
        let encoder = DMatrix::from_diagonal(&gains) * whitened.down.rows(0, sent);
        let decoder = whitened.up.columns(0, sent) * DMatrix::from_diagonal(&shrinks);
        let worst = whitened.up.columns(0, sent) * &gains * radius;
        let kept = |index: usize| squares[index] / (squares[index] + variance);
        let total = |weight: &dyn Fn(usize) -> f64| (0..squares.len()).map(weight).sum::<f64>();
        let task_error = total(&|index| whitened.singular[index].powi(2) * (1.0 - kept(index)));
        let explained = total(&|index| whitened.up.column(index).norm_squared() * kept(index));
        let count = u32::try_from(sent).unwrap_or(u32::MAX);
        Ok(Self {
            clip,
            mean: task.mean.clone(),
            encoder,
            decoder,
            noise: LaplaceVector::new(Dimension::new(count)?, radius, epsilon)?,
            worst,
            task_error,
            vector_error: task.covariance.trace() - explained,
        })
    }

    /// The expected squared error of the task's result, over vectors with the public moments, without clipping.
    pub fn task_error(&self) -> f64 {
        self.task_error
    }

    fn encode(&self, vector: &[f64]) -> Vec<f64> {
        let mut clipped = vector.to_vec();
        self.clip.apply(&mut clipped);
        (&self.encoder * (DVector::from_vec(clipped) - &self.mean)).as_slice().to_vec()
    }
}

/// The singular values of the task on whitened data, largest first, with the ways there and back.
fn whiten(task: &LinearTask) -> Result<Whitened, ParameterError> {
    let nothing = || ParameterError::Incompatible {
        reason: "the task sees nothing that varies in the public data".into(),
    };
    let eigen = task.covariance.clone().symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    let is_kept = |index: &usize| eigen.eigenvalues[*index] > SMALLEST_SPREAD * largest;
    let kept: Vec<usize> = (0..eigen.eigenvalues.len()).filter(is_kept).collect();
    if kept.is_empty() {
        return Err(nothing());
    }
    let roots = DVector::from_iterator(kept.len(), kept.iter().map(|index| eigen.eigenvalues[*index].sqrt()));
    let basis = eigen.eigenvectors.select_columns(&kept);
    let root = &basis * DMatrix::from_diagonal(&roots);
    let decomposed = (&task.weights * &root).svd(false, true);
    let right = decomposed.v_t.ok_or_else(nothing)?;
    let mut order: Vec<usize> = (0..decomposed.singular_values.len()).collect();
    order.sort_by(|one, two| decomposed.singular_values[*two].total_cmp(&decomposed.singular_values[*one]));
    let largest = order.first().map_or(0.0, |index| decomposed.singular_values[*index]);
    order.retain(|index| decomposed.singular_values[*index] > SMALLEST_SPREAD * largest);
    if order.is_empty() {
        return Err(nothing());
    }
    let right = right.select_rows(&order);
    Ok(Whitened {
        down: &right * DMatrix::from_diagonal(&roots.map(|root| 1.0 / root)) * basis.transpose(),
        up: root * right.transpose(),
        singular: DVector::from_iterator(
            order.len(),
            order.iter().map(|index| decomposed.singular_values[*index]),
        ),
    })
}

/// The squares max(0, c s_i - v) that add up to one, for singular values that do not grow.
fn fill(singular: &[f64], variance: f64) -> Vec<f64> {
    let level = |count: usize| (1.0 + count as f64 * variance) / singular[..count].iter().sum::<f64>();
    // Coordinates are taken in turn while the last one still gets something.
    let gets_something = |count: &usize| level(*count) * singular[count - 1] > variance;
    let count = (1..=singular.len()).take_while(gets_something).last().unwrap_or(1);
    let level = level(count);
    let square = |(index, value): (usize, &f64)| if index < count { level * value - variance } else { 0.0 };
    singular.iter().enumerate().map(square).collect()
}

impl VectorMechanism for TaskAwareLinear {
    fn info(&self) -> MechanismInfo {
        Self::INFO
    }

    fn clip(&self) -> &ClipSet {
        &self.clip
    }

    fn guarantee(&self) -> Guarantee {
        self.noise.guarantee()
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        self.clip.identify(&mut builder);
        builder.text(&self.noise.fingerprint().to_string());
        self.encoder.iter().chain(&self.decoder).for_each(|number| {
            builder.number(number.to_bits());
        });
        builder.finish()
    }

    fn is_unbiased(&self) -> bool {
        false
    }

    /// The expected squared distance over vectors with the public moments, without clipping: over the clip set, which is not bounded
    /// where the task does not look, there is no largest one.
    fn mean_squared_error(&self) -> f64 {
        self.vector_error
    }

    fn coordinate_variances(&self) -> Vec<f64> {
        let noise = self.noise.coordinate_variances();
        let row = |row: usize| {
            let shares = self.decoder.row(row);
            shares.iter().zip(&noise).map(|(share, variance)| share * share * variance).sum()
        };
        (0..self.decoder.nrows()).map(row).collect()
    }

    fn report_bound(&self) -> f64 {
        let bound = self.noise.report_bound();
        let row = |row: usize| {
            self.mean[row].abs() + bound * self.decoder.row(row).iter().map(|share| share.abs()).sum::<f64>()
        };
        (0..self.decoder.nrows()).map(row).fold(0.0, f64::max)
    }

    /// About the mean of reports: whatever is sent, its absolute coordinates add up to at most the radius.
    fn coordinate_noise(&self) -> Vec<CoordinateNoise> {
        let noise = |(row, variance): (usize, f64)| {
            let sent = self.noise.clip().range(0)[1];
            let reach = sent * self.decoder.row(row).amax();
            // A sum of independent numbers is nearer to normal than each of them.
            added_noise(variance, LAPLACE_KURTOSIS, [-reach, reach].map(|off| self.mean[row] + off))
        };
        self.coordinate_variances().into_iter().enumerate().map(noise).collect()
    }

    fn code_count(&self) -> usize {
        self.noise.code_count()
    }

    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng) {
        self.noise.draw(&self.encode(vector), codes, rng);
    }

    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        super::lattice::check_room(report.len(), self.mean.len())?;
        let sent = DVector::from_vec(self.noise.read(codes)?);
        report.copy_from_slice((&self.mean + &self.decoder * sent).as_slice());
        Ok(())
    }

    fn log_ratio(&self, vectors: [&[f64]; 2], codes: &[i32]) -> Result<f64, VectorError> {
        let dimension = self.dimension();
        let [first, second] = vectors.map(|vector| checked(dimension, vector));
        self.noise.log_ratio([&self.encode(first?), &self.encode(second?)], codes)
    }

    fn worst_vectors(&self) -> [Vec<f64>; 2] {
        [1.0, -1.0].map(|side| (&self.mean + &self.worst * side).as_slice().to_vec())
    }

    fn pieces(&self) -> Vec<Piece> {
        self.noise.pieces()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_filled_to_one_level() {
        let squares = fill(&[4.0, 2.0, 1.0], 0.1);
        assert!((squares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // c = 1.3 / 7.
        assert!((squares[0] - (1.3 / 7.0 * 4.0 - 0.1)).abs() < 1e-12);
        let thin = fill(&[4.0, 2.0, 1.0], 10.0);
        assert_eq!(thin, [1.0, 0.0, 0.0]);
    }

    /// No other division of the squares has a smaller task error.
    #[test]
    fn the_level_is_the_best_division() {
        let (singular, variance) = ([4.0, 2.0, 1.0, 0.1], 0.3);
        let error = |squares: &[f64]| -> f64 {
            squares
                .iter()
                .zip(&singular)
                .map(|(square, s): (&f64, &f64)| s * s * variance / (square + variance))
                .sum()
        };
        let best = fill(&singular, variance);
        for from in 0..4 {
            for to in 0..4 {
                let mut moved = best.clone();
                let amount = 1e-3f64.min(moved[from]);
                moved[from] -= amount;
                moved[to] += amount;
                assert!(error(&moved) >= error(&best) - 1e-15, "{from} to {to}");
            }
        }
    }
}
