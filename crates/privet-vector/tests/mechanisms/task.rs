//! The task-aware linear mechanism.

use crate::battery::{adversarial, check_inputs, check_ratio, epsilon};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use privet_core::{Generator, ParameterError, Probability};
use privet_vector::PublicSample;
use privet_vector::mechanism::{LinearTask, TaskAwareLinear, VectorMechanism};

fn task() -> LinearTask {
    LinearTask {
        mean: dvector![1.0, -1.0, 0.5],
        covariance: dmatrix![2.0, 0.5, 0.0; 0.5, 1.0, 0.2; 0.0, 0.2, 0.5],
        weights: dmatrix![1.0, 2.0, 0.0; 0.0, 1.0, -1.0],
    }
}

fn mechanism(e: f64) -> TaskAwareLinear {
    TaskAwareLinear::new(&task(), 4.0, epsilon(e)).unwrap()
}

/// Vectors with exactly the public moments: plus and minus each column of a root of the covariance, times the root of 3.
fn typical() -> Vec<DVector<f64>> {
    let root = task().covariance.cholesky().unwrap().l() * 3f64.sqrt();
    (0..3).flat_map(|column| [1.0, -1.0].map(|side| task().mean + root.column(column) * side)).collect()
}

#[test]
fn the_errors_over_the_public_moments_are_the_stated_ones() {
    const DRAWS: u32 = 10_000;
    for e in [2.0, 40.0] {
        let mechanism = mechanism(e);
        let mut rng = Generator::from_insecure_seed(41);
        let (mut sums, mut squares) = ([0.0; 2], [0.0; 2]);
        for _ in 0..DRAWS {
            let mut errors = [0.0; 2];
            for vector in typical() {
                let mut report = [0.0; 3];
                mechanism.randomize(vector.as_slice(), &mut report, &mut rng).unwrap();
                let off = DVector::from_column_slice(&report) - vector;
                errors[0] += (task().weights * &off).norm_squared() / 6.0;
                errors[1] += off.norm_squared() / 6.0;
            }
            for (index, error) in errors.into_iter().enumerate() {
                sums[index] += error;
                squares[index] += error * error;
            }
        }
        let n = f64::from(DRAWS);
        for (index, stated) in
            [mechanism.task_error(), mechanism.mean_squared_error()].into_iter().enumerate()
        {
            let mean = sums[index] / n;
            let deviation = ((squares[index] / n - mean * mean) / n).sqrt();
            // Five standard errors have probability 6e-7; the error of no decoder at all is far outside.
            assert!((mean - stated).abs() < 5.0 * deviation, "{e}: {mean} against {stated}");
        }
        let nothing = (&task().weights * task().covariance * task().weights.transpose()).trace();
        assert!(mechanism.task_error() < nothing && mechanism.task_error() > 0.0);
    }
    assert!(!mechanism(1.0).is_unbiased());
}

#[test]
fn ratios_keep_epsilon_and_reach_it() {
    for e in [0.5, 10.0] {
        check_ratio(&mechanism(e), &adversarial(3), 500, 0.99);
    }
}

#[test]
fn bad_vectors_are_refused() {
    check_inputs(&mechanism(1.0));
}

#[test]
fn tasks_that_see_nothing_are_refused() {
    let blind = LinearTask { weights: DMatrix::zeros(1, 3), ..task() };
    assert!(matches!(
        TaskAwareLinear::new(&blind, 1.0, epsilon(1.0)),
        Err(ParameterError::Incompatible { .. })
    ));
    let still = LinearTask { covariance: DMatrix::zeros(3, 3), ..task() };
    assert!(TaskAwareLinear::new(&still, 1.0, epsilon(1.0)).is_err());
    let crooked = LinearTask { weights: DMatrix::zeros(1, 2), ..task() };
    assert!(TaskAwareLinear::new(&crooked, 1.0, epsilon(1.0)).is_err());
    let sample = PublicSample::new(2, &[1.0, 2.0]).unwrap();
    let share = Probability::new(0.9).unwrap();
    assert!(TaskAwareLinear::fit(&sample, &task(), share, epsilon(1.0)).is_err());
}
