//! How a model reacts to its input.

use super::ReshapeError;
use super::rows::Rows;
use nalgebra::DMatrix;
use privet_core::CryptoRng;
use privet_model::{Model, Network, central_differences};

/// At how many public points Jacobians are taken, as in the paper.
const POINTS: usize = 500;

/// The step of central differences, for models without derivatives of their own.
const STEP: f64 = 1e-4;

/// What is read from a model's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Which score is the largest (a single one: on which side of its threshold it is). What all scores have in common does
    /// not count.
    Class,
    /// The scores themselves.
    Values,
}

/// How a public model reacts to changes of its input, added up over points.
///
/// Three sums of squared Jacobians are kept: as the paper takes them; as they matter for what is read from the scores, at
/// public and at randomised points; and of everything that the model can react to at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Reaction {
    seen: DMatrix<f64>,
    task: DMatrix<f64>,
    anywhere: DMatrix<f64>,
    source: String,
}

impl Reaction {
    /// Of a linear model. What it does not react to somewhere, it reacts to nowhere.
    ///
    /// # Errors
    /// When a weight is not finite, or all are zero.
    pub fn of_weights(weights: &DMatrix<f64>, reading: Reading) -> Result<Self, ReshapeError> {
        let mut sums = Sums::new(weights.ncols());
        sums.add(weights, reading);
        let source = format!("weights {} x {}", weights.nrows(), weights.ncols());
        Self { anywhere: sums.raw.clone(), seen: sums.raw, task: sums.task, source }.checked()
    }

    /// Of Jacobians below each other: `outputs` rows for each public point. Nothing is known about other points; take some at
    /// randomised ones, or hand over the model itself.
    ///
    /// # Errors
    /// When there is no whole number of Jacobians, fewer rows than columns, or numbers that are not finite or all zero.
    pub fn of_jacobians(
        stacked: &DMatrix<f64>,
        outputs: usize,
        reading: Reading,
    ) -> Result<Self, ReshapeError> {
        let (rows, dimension) = stacked.shape();
        if outputs == 0 || !rows.is_multiple_of(outputs) {
            let expected = rows.div_ceil(outputs.max(1)) * outputs.max(1);
            return Err(ReshapeError::Count { what: "rows of Jacobians", expected, got: rows });
        }
        if rows < dimension {
            return Err(ReshapeError::TooFewJacobians { rows, dimension });
        }
        let mut task = stacked.clone();
        if reading == Reading::Class && outputs > 1 {
            for point in (0..rows).step_by(outputs) {
                centre(&mut task, point, outputs);
            }
        }
        let points = (rows / outputs) as f64;
        let seen = stacked.tr_mul(stacked) / points;
        let task = task.tr_mul(&task) / points;
        let source = format!("{} Jacobians {outputs} x {dimension}", rows / outputs);
        Self { anywhere: seen.clone(), seen, task, source }.checked()
    }

    /// Of a model, at up to 500 points of a public sample and at as many randomised points.
    ///
    /// A randomised point is the mean plus two differences of public vectors. It varies in the same directions as the
    /// vectors, with twice their deviation, so that it lies where noisy vectors lie. Directions to which the model can react
    /// anywhere at all are the row space of its first layer, if that is affine; otherwise those of all these Jacobians.
    ///
    /// # Errors
    /// When the sample does not fit the model, there are too few Jacobians, or they are not finite or all zero.
    pub fn of_model(
        model: &Model,
        sample: &Rows,
        reading: Reading,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ReshapeError> {
        ReshapeError::check_count("coordinates of public vectors", model.inputs(), sample.dimension())?;
        if let Model::Linear(linear) = model {
            return Self::of_weights(linear.weights(), reading);
        }
        let points = POINTS.min(sample.count());
        let rows = points * model.outputs();
        if rows < sample.dimension() {
            return Err(ReshapeError::TooFewJacobians { rows, dimension: sample.dimension() });
        }
        let mut public = Sums::new(sample.dimension());
        for point in 0..points {
            // Spread over the sample, which may be sorted.
            let row = sample.row(point * sample.count() / points);
            public.add(&jacobian(model, row)?, reading);
        }
        let mut randomised = Sums::new(sample.dimension());
        let mean = sample.mean();
        for _ in 0..points {
            let mut point = mean.as_slice().to_vec();
            for sign in [1.0, -1.0, 1.0, -1.0] {
                point.iter_mut().zip(sample.any(rng)).for_each(|(sum, value)| *sum += sign * value);
            }
            randomised.add(&jacobian(model, &point)?, reading);
        }
        let anywhere = match first_affine(model) {
            Some(weights) => weights.tr_mul(weights),
            None => &public.raw + &randomised.raw,
        };
        let source = format!(
            "a model with {} inputs and {} scores, at {points} public and {points} randomised points",
            model.inputs(),
            model.outputs()
        );
        let task = (public.task + randomised.task) / (2 * points) as f64;
        Self { seen: public.raw / points as f64, task, anywhere, source }.checked()
    }

    fn checked(self) -> Result<Self, ReshapeError> {
        for sum in [&self.seen, &self.task, &self.anywhere] {
            ReshapeError::check_finite("Jacobians", sum.as_slice())?;
        }
        if self.task.trace() > 0.0 { Ok(self) } else { Err(ReshapeError::NoReaction) }
    }

    /// How many coordinates the model's input has.
    pub fn dimension(&self) -> usize {
        self.task.nrows()
    }

    /// Where this comes from, in words.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The mean squared Jacobian at public points, of all scores.
    pub(super) fn seen(&self) -> &DMatrix<f64> {
        &self.seen
    }

    /// The mean squared Jacobian of what is read, at public and randomised points.
    pub(super) fn task(&self) -> &DMatrix<f64> {
        &self.task
    }

    /// A matrix whose null space the model ignores everywhere.
    pub(super) fn anywhere(&self) -> &DMatrix<f64> {
        &self.anywhere
    }
}

/// Sums of squared Jacobians: of all scores, and of what is read from them.
struct Sums {
    raw: DMatrix<f64>,
    task: DMatrix<f64>,
}

impl Sums {
    fn new(dimension: usize) -> Self {
        Self { raw: DMatrix::zeros(dimension, dimension), task: DMatrix::zeros(dimension, dimension) }
    }

    fn add(&mut self, jacobian: &DMatrix<f64>, reading: Reading) {
        self.raw.gemm_tr(1.0, jacobian, jacobian, 1.0);
        let mut read = jacobian.clone();
        if reading == Reading::Class && read.nrows() > 1 {
            let outputs = read.nrows();
            centre(&mut read, 0, outputs);
        }
        self.task.gemm_tr(1.0, &read, &read, 1.0);
    }
}

/// Takes from the scores of one point what they have in common.
fn centre(jacobians: &mut DMatrix<f64>, first: usize, outputs: usize) {
    let mut block = jacobians.rows_mut(first, outputs);
    for mut column in block.column_iter_mut() {
        let mean = column.mean();
        column.add_scalar_mut(-mean);
    }
}

fn first_affine(model: &Model) -> Option<&DMatrix<f64>> {
    match model {
        Model::Network(network) => Network::first_affine(network),
        Model::Linear(linear) => Some(linear.weights()),
        Model::Trees(_) => None,
    }
}

fn jacobian(model: &Model, row: &[f64]) -> Result<DMatrix<f64>, ReshapeError> {
    Ok(match model {
        Model::Network(network) => network.jacobian(row)?,
        Model::Linear(linear) => linear.weights().clone(),
        Model::Trees(_) => {
            central_differences(|row, scores| model.scores(row, scores), model.outputs(), row, STEP)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DVector;
    use privet_core::Generator;
    use privet_model::{Activation, Layer, Linear};

    /// Two hidden units: the first wakes at public points, the second only far away.
    fn sleeping_unit() -> Model {
        let first = Layer::Affine {
            weights: DMatrix::from_row_slice(2, 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
            bias: DVector::from_vec(vec![5.0, -2.0]),
        };
        let last = Layer::Affine {
            weights: DMatrix::from_row_slice(2, 2, &[1.0, 1.0, -1.0, 2.0]),
            bias: DVector::zeros(2),
        };
        let layers = vec![first, Layer::Activation(Activation::Relu), last];
        Model::Network(Network::from_layers(3, layers).unwrap())
    }

    fn sample() -> Rows {
        Rows::new(3, (0..300).map(|index| f64::from(index * 37 % 101) / 101.0).collect()).unwrap()
    }

    #[test]
    fn a_unit_that_sleeps_at_public_points_is_still_part_of_the_model() {
        let mut rng = Generator::from_insecure_seed(11);
        let reaction = Reaction::of_model(&sleeping_unit(), &sample(), Reading::Class, &mut rng).unwrap();
        assert_eq!((reaction.seen()[(0, 0)], reaction.seen()[(1, 1)]), (2.0, 0.0));
        assert_eq!((reaction.anywhere()[(1, 1)], reaction.anywhere()[(2, 2)]), (1.0, 0.0));
        // The scores differ by twice the first unit, and randomised points reach the second.
        assert_eq!(reaction.task()[(0, 0)], 2.0);
    }

    #[test]
    fn stacked_jacobians_say_the_same_as_the_model() {
        let network = sleeping_unit();
        let sample = sample();
        let jacobians: Vec<_> = sample.iter().map(|row| jacobian(&network, row).unwrap()).collect();
        let stacked = DMatrix::from_fn(200, 3, |row, column| jacobians[row / 2][(row % 2, column)]);
        let reaction = Reaction::of_jacobians(&stacked, 2, Reading::Class).unwrap();
        let mut rng = Generator::from_insecure_seed(12);
        let model = Reaction::of_model(&network, &sample, Reading::Class, &mut rng).unwrap();
        assert!((reaction.seen() - model.seen()).norm() < 1e-12);
        // Centred, two scores differ by half their distance from their mean.
        assert!((reaction.task()[(0, 0)] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_linear_model_is_its_weights() {
        let mut rng = Generator::from_insecure_seed(13);
        let linear = Linear::new(DMatrix::from_row_slice(1, 3, &[1.0, 2.0, 0.0]), DVector::zeros(1)).unwrap();
        let reaction =
            Reaction::of_model(&Model::Linear(linear), &sample(), Reading::Class, &mut rng).unwrap();
        assert_eq!(reaction.task()[(1, 1)], 4.0);
    }

    #[test]
    fn unusable_jacobians_are_refused() {
        let code = |stacked: &DMatrix<f64>, outputs| {
            Reaction::of_jacobians(stacked, outputs, Reading::Class).unwrap_err().code()
        };
        let ones = DMatrix::from_fn(6, 3, |row, column| (row + column) as f64);
        assert_eq!(code(&DMatrix::zeros(6, 3), 2), "reshape-no-reaction");
        assert_eq!(code(&DMatrix::from_element(6, 3, 1.0), 2), "reshape-no-reaction");
        assert_eq!(code(&ones, 4), "reshape-count");
        assert_eq!(code(&ones, 0), "reshape-count");
        assert_eq!(code(&ones.rows(0, 2).into_owned(), 2), "reshape-too-few-jacobians");
        assert_eq!(code(&(&ones * 1e200), 2), "reshape-not-finite");
        assert_eq!(code(&(&ones * f64::NAN), 2), "reshape-not-finite");
        let mut rng = Generator::from_insecure_seed(14);
        let short = Rows::new(2, vec![1.0; 4]).unwrap();
        let error = Reaction::of_model(&sleeping_unit(), &short, Reading::Class, &mut rng).unwrap_err();
        assert_eq!(error.code(), "reshape-count");
    }
}
