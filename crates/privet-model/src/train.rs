//! A small trainer for multilayer perceptrons: Adam on mini-batches, one thread.
//!
//! The same seed gives the same network on the same machine. Training is not private: it is for public data.

use crate::ModelError;
use crate::error::{check_finite, check_length};
use crate::network::{Activation, Layer, Network};
use nalgebra::DMatrix;

/// How fast Adam forgets gradients and their squares, and what keeps it from dividing by zero.
const FORGET: (f64, f64) = (0.9, 0.999);
const TINY: f64 = 1e-8;

/// What a network is trained to say, one for each row.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// A class; the scores become logits (cross-entropy).
    Classes {
        /// The class of each row, counted from 0.
        labels: &'a [usize],
        /// How many classes there are.
        classes: usize,
    },
    /// Numbers; the scores become their estimates (squared error).
    Values {
        /// All numbers of the first row, then of the second, and so on.
        values: &'a [f64],
        /// How many there are for each row.
        outputs: usize,
    },
}

/// How to train.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How many values each hidden layer has; none for a linear model.
    pub hidden: Vec<usize>,
    /// What follows each hidden layer.
    pub activation: Activation,
    /// How often every row is seen.
    pub epochs: usize,
    /// How many rows make one step.
    pub batch: usize,
    /// The size of the first step, 0.001 or so. It falls evenly to zero.
    pub rate: f64,
    /// What the first weights and the order of the rows follow from.
    pub seed: u64,
}

/// Trains a network on rows of `inputs` numbers, given one after the other.
///
/// # Errors
///
/// When the sizes do not fit, a label or a setting is outside of what it may be, a number is not finite, or the
/// training ran away to infinity.
pub fn train(
    rows: &[f64],
    inputs: usize,
    targets: Targets<'_>,
    settings: &Settings,
) -> Result<Network, ModelError> {
    let count = check(rows, inputs, targets, settings)?;
    let mut random = Random(settings.seed);
    let mut widths = vec![inputs];
    widths.extend(&settings.hidden);
    widths.push(targets.outputs());
    let mut layers: Vec<Dense> =
        widths.windows(2).map(|pair| Dense::new(pair[0], pair[1], &mut random)).collect();
    let mut order: Vec<usize> = (0..count).collect();
    let steps = settings.epochs as f64 * count.div_ceil(settings.batch) as f64;
    let mut step = 0.0;
    for _ in 0..settings.epochs {
        random.shuffle(&mut order);
        for batch in order.chunks(settings.batch) {
            let rate = settings.rate * (1.0 - step / steps);
            step += 1.0;
            let first = DMatrix::from_fn(inputs + 1, batch.len(), |at, column| {
                if at == inputs { 1.0 } else { rows[batch[column] * inputs + at] }
            });
            let gradients =
                gradients(&layers, settings.activation, first, |scores| targets.errors(scores, batch));
            for (layer, gradient) in layers.iter_mut().zip(gradients) {
                layer.descend(&gradient, rate, step);
            }
        }
    }
    let mut chain = Vec::new();
    for layer in &layers {
        if !chain.is_empty() {
            chain.push(Layer::Activation(settings.activation));
        }
        let inputs = layer.weights.ncols() - 1;
        let weights = layer.weights.columns(0, inputs).into_owned();
        chain.push(Layer::Affine { weights, bias: layer.weights.column(inputs).into_owned() });
    }
    Network::from_layers(inputs, chain)
}

/// How many rows there are, if everything fits.
fn check(
    rows: &[f64],
    inputs: usize,
    targets: Targets<'_>,
    settings: &Settings,
) -> Result<usize, ModelError> {
    let positive = |what, is_positive| {
        if is_positive { Ok(()) } else { Err(ModelError::Setting { what, allowed: "above 0" }) }
    };
    positive("the number of inputs", inputs > 0)?;
    positive("the number of scores", targets.outputs() > 0)?;
    positive("the number of rows", !rows.is_empty())?;
    positive("the number of epochs", settings.epochs > 0)?;
    positive("the batch", settings.batch > 0)?;
    positive("every hidden layer", settings.hidden.iter().all(|width| *width > 0))?;
    positive("the rate", settings.rate > 0.0 && settings.rate.is_finite())?;
    check_finite("rows", rows)?;
    let count = rows.len() / inputs;
    check_length("numbers in the rows", count * inputs, rows.len())?;
    match targets {
        Targets::Classes { labels, classes } => {
            check_length("labels", count, labels.len())?;
            if labels.iter().any(|label| *label >= classes) {
                return Err(ModelError::Setting {
                    what: "every label",
                    allowed: "below the number of classes",
                });
            }
        }
        Targets::Values { values, outputs } => {
            check_length("values", count.saturating_mul(outputs), values.len())?;
            check_finite("values", values)?;
        }
    }
    Ok(count)
}

impl Targets<'_> {
    fn outputs(&self) -> usize {
        match self {
            Self::Classes { classes, .. } => *classes,
            Self::Values { outputs, .. } => *outputs,
        }
    }

    /// The derivative of the mean loss of a batch with respect to its scores (one column for each row).
    fn errors(&self, mut scores: DMatrix<f64>, batch: &[usize]) -> DMatrix<f64> {
        for (mut column, row) in scores.column_iter_mut().zip(batch) {
            match self {
                Self::Classes { labels, .. } => {
                    let largest = column.max();
                    column.apply(|score| *score = (*score - largest).exp());
                    let total = column.sum();
                    column /= total;
                    column[labels[*row]] -= 1.0;
                }
                Self::Values { values, outputs } => {
                    for (score, value) in column.iter_mut().zip(&values[row * outputs..]) {
                        *score -= value;
                    }
                }
            }
        }
        scores / batch.len() as f64
    }
}

/// An affine layer in training. The last column of the weights is the bias.
struct Dense {
    weights: DMatrix<f64>,
    mean: DMatrix<f64>,
    square: DMatrix<f64>,
}

impl Dense {
    fn new(inputs: usize, outputs: usize, random: &mut Random) -> Self {
        let limit = (6.0 / (inputs + outputs) as f64).sqrt();
        let weight = |_, column| if column == inputs { 0.0 } else { limit * (2.0 * random.fraction() - 1.0) };
        let weights = DMatrix::from_fn(outputs, inputs + 1, weight);
        let zeros = DMatrix::zeros(outputs, inputs + 1);
        Self { weights, mean: zeros.clone(), square: zeros }
    }

    /// One step of Adam; `step` counts from 1.
    fn descend(&mut self, gradient: &DMatrix<f64>, rate: f64, step: f64) {
        let (first, second) = (1.0 - FORGET.0.powf(step), 1.0 - FORGET.1.powf(step));
        let moments = self.mean.iter_mut().zip(self.square.iter_mut());
        for ((weight, (mean, square)), slope) in self.weights.iter_mut().zip(moments).zip(gradient.iter()) {
            *mean += (1.0 - FORGET.0) * (slope - *mean);
            *square += (1.0 - FORGET.1) * (slope * slope - *square);
            *weight -= rate * (*mean / first) / ((*square / second).sqrt() + TINY);
        }
    }
}

/// The derivatives of a batch's loss with respect to every layer's weights. `first` has one column for each row and a
/// last line of ones, which meets the biases.
fn gradients(
    layers: &[Dense],
    activation: Activation,
    first: DMatrix<f64>,
    errors: impl Fn(DMatrix<f64>) -> DMatrix<f64>,
) -> Vec<DMatrix<f64>> {
    let mut values = vec![first];
    let mut sums: Vec<DMatrix<f64>> = Vec::new();
    for (layer, incoming) in layers.iter().zip(0..) {
        let sum = &layer.weights * &values[incoming];
        let (width, columns) = sum.shape();
        values.push(DMatrix::from_fn(width + 1, columns, |at, column| {
            if at == width { 1.0 } else { activation.value(sum[(at, column)]) }
        }));
        sums.push(sum);
    }
    let mut gradients = Vec::with_capacity(layers.len());
    let Some(scores) = sums.pop() else { return gradients };
    let mut error = errors(scores);
    for (at, layer) in layers.iter().enumerate().rev() {
        gradients.push(&error * values[at].transpose());
        if let Some(sum) = sums.pop() {
            let inputs = layer.weights.ncols() - 1;
            error = layer.weights.columns(0, inputs).transpose() * error;
            error.zip_apply(&sum, |error, sum| *error *= activation.derivative(sum));
        }
    }
    gradients.reverse();
    gradients
}

/// Numbers that follow from a seed (splitmix64). Nothing private depends on them.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            order.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    fn settings() -> Settings {
        Settings {
            hidden: vec![16],
            activation: Activation::Tanh,
            epochs: 60,
            batch: 16,
            rate: 0.02,
            seed: 7,
        }
    }

    /// Points of a square; those in two opposite quarters are of class 1.
    fn quarters() -> (Vec<f64>, Vec<usize>) {
        let mut random = Random(3);
        let rows: Vec<f64> = (0..800).map(|_| 2.0 * random.fraction() - 1.0).collect();
        let labels = rows.chunks(2).map(|point| usize::from(point[0] * point[1] > 0.0)).collect();
        (rows, labels)
    }

    fn accuracy(network: &Network, rows: &[f64], labels: &[usize]) -> f64 {
        let model = Model::Network(network.clone());
        let right =
            rows.chunks(2).zip(labels).filter(|(row, label)| model.predict(row) == Ok(**label)).count();
        right as f64 / labels.len() as f64
    }

    #[test]
    fn it_learns_what_no_line_can_tell_apart() {
        let (rows, labels) = quarters();
        let targets = Targets::Classes { labels: &labels, classes: 2 };
        let network = train(&rows, 2, targets, &settings()).unwrap();
        assert!(accuracy(&network, &rows, &labels) > 0.96);
        let linear = train(&rows, 2, targets, &Settings { hidden: vec![], ..settings() }).unwrap();
        assert!(accuracy(&linear, &rows, &labels) < 0.7);
        assert_eq!(train(&rows, 2, targets, &settings()).unwrap(), network);
        assert_ne!(train(&rows, 2, targets, &Settings { seed: 8, ..settings() }).unwrap(), network);
    }

    #[test]
    fn a_linear_model_finds_the_line_through_exact_values() {
        let (rows, _) = quarters();
        let values: Vec<f64> = rows.chunks(2).map(|point| 3.0 * point[0] - 2.0 * point[1] + 0.5).collect();
        let targets = Targets::Values { values: &values, outputs: 1 };
        let network =
            train(&rows, 2, targets, &Settings { hidden: vec![], rate: 0.1, ..settings() }).unwrap();
        let [Layer::Affine { weights, bias }] = network.layers() else { panic!("one affine layer") };
        let found = [weights[0], weights[1], bias[0]];
        assert!(
            found.iter().zip([3.0, -2.0, 0.5]).all(|(found, real)| (found - real).abs() < 1e-3),
            "{found:?}"
        );
    }

    /// The derivatives of the loss against differences of the loss.
    #[test]
    fn gradients_are_those_of_the_loss() {
        let mut random = Random(1);
        let mut layers = vec![Dense::new(2, 3, &mut random), Dense::new(3, 2, &mut random)];
        let first = DMatrix::from_row_slice(3, 2, &[0.3, -0.7, 0.9, 0.2, 1.0, 1.0]);
        let targets = Targets::Classes { labels: &[0, 1], classes: 2 };
        let loss = |layers: &[Dense]| {
            let mut loss = 0.0;
            let hidden = (&layers[0].weights * &first).map(|x| Activation::Gelu.value(x)).insert_row(3, 1.0);
            let scores = &layers[1].weights * hidden;
            for (column, label) in scores.column_iter().zip([0, 1]) {
                loss += column.map(f64::exp).sum().ln() - column[label];
            }
            loss / 2.0
        };
        let found =
            gradients(&layers, Activation::Gelu, first.clone(), |scores| targets.errors(scores, &[0, 1]));
        for (layer, found) in found.iter().enumerate() {
            for (at, found) in found.iter().enumerate() {
                layers[layer].weights[at] += 1e-6;
                let above = loss(&layers);
                layers[layer].weights[at] -= 2e-6;
                let below = loss(&layers);
                layers[layer].weights[at] += 1e-6;
                assert!((found - (above - below) / 2e-6).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let code = |rows: &[f64], labels: &[usize], settings: Settings| {
            train(rows, 2, Targets::Classes { labels, classes: 2 }, &settings).unwrap_err().code()
        };
        assert_eq!(code(&[0.0; 3], &[0], settings()), "model-length");
        assert_eq!(code(&[0.0; 4], &[0], settings()), "model-length");
        assert_eq!(code(&[0.0; 2], &[2], settings()), "model-setting");
        assert_eq!(code(&[f64::NAN; 2], &[0], settings()), "model-not-finite");
        assert_eq!(code(&[0.0; 2], &[0], Settings { batch: 0, ..settings() }), "model-setting");
        assert_eq!(code(&[0.0; 2], &[0], Settings { rate: f64::NAN, ..settings() }), "model-setting");
    }
}
