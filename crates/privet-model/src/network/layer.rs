//! The layers that a network is made of.

use super::activation::Activation;
use super::window::{Image, LARGEST_LAYER, Window};
use crate::ModelError;
use crate::error::{check_finite, check_length};
use nalgebra::{DMatrix, DVector};

/// A convolution.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolution {
    window: Window,
    groups: usize,
    weights: Vec<f64>,
    bias: Vec<f64>,
}

impl Convolution {
    /// A convolution with one bias for each outgoing channel. Weights are ordered by outgoing channel, incoming channel
    /// of the group, line and column, as ONNX stores them. Each of the `groups` sees its own part of the incoming
    /// channels.
    ///
    /// # Errors
    ///
    /// When the groups do not divide the channels, the numbers of weights differ, or a number is not finite.
    pub fn new(window: Window, groups: usize, weights: Vec<f64>, bias: Vec<f64>) -> Result<Self, ModelError> {
        let channels = window.image().channels;
        if groups == 0
            || bias.is_empty()
            || !channels.is_multiple_of(groups)
            || !bias.len().is_multiple_of(groups)
        {
            return Err(ModelError::structure(format!(
                "{groups} groups do not divide {channels} incoming and {} outgoing channels",
                bias.len()
            )));
        }
        let expected = bias.len().saturating_mul(channels / groups).saturating_mul(window.kernel_area());
        check_length("weights of a convolution", expected, weights.len())?;
        check_finite("weights", &weights)?;
        check_finite("biases", &bias)?;
        Ok(Self { window, groups, weights, bias })
    }

    /// Where it looks.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// The size of the image that it makes.
    pub fn image(&self) -> Image {
        let (height, width) = self.window.places();
        Image { channels: self.bias.len(), height, width }
    }

    #[inline]
    fn visit(&self, output: usize, mut visit: impl FnMut(usize, f64)) {
        let (channel, stop) = (output / self.window.stops(), output % self.window.stops());
        let own = self.window.image().channels / self.groups;
        let group = channel / (self.bias.len() / self.groups);
        for incoming in 0..own {
            let weights = (channel * own + incoming) * self.window.kernel_area();
            let values = (group * own + incoming) * self.window.area();
            self.window.visit(stop, |kernel, place| visit(values + place, self.weights[weights + kernel]));
        }
    }
}

/// The mean of what a window sees on each channel. Its weights are the numbers nearest to one over the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AveragePool {
    /// Where it looks.
    pub window: Window,
    /// Whether padding counts as zeros (otherwise it is left out of the mean).
    pub counts_padding: bool,
}

/// One step of a network. Flattening and reshaping need none: values keep their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// Weights (one line for each outgoing value) times values, plus bias.
    Affine {
        /// The weights.
        weights: DMatrix<f64>,
        /// The bias.
        bias: DVector<f64>,
    },
    /// A convolution.
    Convolution(Convolution),
    /// The largest value that a window sees on each channel.
    MaxPool(Window),
    /// The mean of what a window sees on each channel.
    AveragePool(AveragePool),
    /// A function of each value alone.
    Activation(Activation),
}

impl Layer {
    /// How many values come out when so many go in.
    ///
    /// # Errors
    ///
    /// When so many cannot go in, or the layer itself does not hold together.
    pub(super) fn outputs(&self, inputs: usize) -> Result<usize, ModelError> {
        let expect = |expected| check_length("values that go into a layer", expected, inputs);
        let outputs = match self {
            Self::Affine { weights, bias } => {
                expect(weights.ncols())?;
                check_length("biases of a layer", weights.nrows(), bias.len())?;
                check_finite("weights", weights.as_slice())?;
                check_finite("biases", bias.as_slice())?;
                weights.nrows()
            }
            Self::Convolution(convolution) => {
                expect(convolution.window.image().len())?;
                convolution.image().len()
            }
            Self::MaxPool(window) | Self::AveragePool(AveragePool { window, .. }) => {
                expect(window.image().len())?;
                check_sight(window)?;
                window.image().channels.saturating_mul(window.stops())
            }
            Self::Activation(_) => inputs,
        };
        if (1..=LARGEST_LAYER).contains(&outputs) {
            Ok(outputs)
        } else {
            Err(ModelError::structure(format!("a layer has 1 to {LARGEST_LAYER} values: got {outputs}")))
        }
    }

    /// What a linear layer (affine, convolution, average) adds to an outgoing value.
    #[inline]
    pub(super) fn bias(&self, output: usize) -> f64 {
        match self {
            Self::Affine { bias, .. } => bias[output],
            Self::Convolution(convolution) => convolution.bias[output / convolution.window.stops()],
            Self::MaxPool(_) | Self::AveragePool(_) | Self::Activation(_) => 0.0,
        }
    }

    /// Visits the (incoming value, weight) pairs that an outgoing value of a linear layer is the sum of. The other
    /// layers visit what they look at, with weight 1.
    #[inline]
    pub(super) fn visit(&self, output: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Affine { weights, .. } => {
                weights.row(output).iter().enumerate().for_each(|(input, weight)| visit(input, *weight));
            }
            Self::Convolution(convolution) => convolution.visit(output, visit),
            Self::MaxPool(window) => visit_channel(window, output, |place| visit(place, 1.0)),
            Self::AveragePool(AveragePool { window, counts_padding }) => {
                let mut count = window.kernel_area();
                if !counts_padding {
                    count = 0;
                    visit_channel(window, output, |_| count += 1);
                }
                let weight = 1.0 / count as f64;
                visit_channel(window, output, |place| visit(place, weight));
            }
            Self::Activation(_) => visit(output, 1.0),
        }
    }

    /// The outgoing values.
    pub(super) fn forward(&self, values: &[f64], outgoing: &mut Vec<f64>, outputs: usize) {
        outgoing.clear();
        match self {
            Self::Affine { weights, bias } => {
                outgoing.extend_from_slice(bias.as_slice());
                for (column, value) in weights.column_iter().zip(values) {
                    for (sum, weight) in outgoing.iter_mut().zip(column.iter()) {
                        *sum += weight * value;
                    }
                }
            }
            Self::Convolution(_) | Self::AveragePool(_) => outgoing.extend((0..outputs).map(|output| {
                let mut sum = self.bias(output);
                self.visit(output, |input, weight| sum += weight * values[input]);
                sum
            })),
            Self::MaxPool(_) => {
                outgoing.extend((0..outputs).map(|output| values[self.winner(output, values)]))
            }
            Self::Activation(activation) => outgoing.extend(values.iter().map(|x| activation.value(*x))),
        }
    }

    /// Which of the values that a maximum looks at is the largest; the first of equal ones.
    pub(super) fn winner(&self, output: usize, values: &[f64]) -> usize {
        let mut winner: Option<usize> = None;
        self.visit(output, |input, _| {
            if winner.is_none_or(|winner| values[input] > values[winner]) {
                winner = Some(input);
            }
        });
        winner.unwrap_or(0)
    }

    /// Takes derivatives with respect to outgoing values back to incoming values, which were `values`.
    pub(super) fn backward(&self, values: &[f64], outgoing: &[f64], incoming: &mut Vec<f64>) {
        incoming.clear();
        incoming.resize(values.len(), 0.0);
        for (output, derivative) in outgoing.iter().enumerate().filter(|(_, derivative)| **derivative != 0.0)
        {
            match self {
                Self::Activation(activation) => {
                    incoming[output] = derivative * activation.derivative(values[output]);
                }
                Self::MaxPool(_) => incoming[self.winner(output, values)] += derivative,
                _ => self.visit(output, |input, weight| incoming[input] += weight * derivative),
            }
        }
    }
}

fn visit_channel(window: &Window, output: usize, mut visit: impl FnMut(usize)) {
    let (channel, stop) = (output / window.stops(), output % window.stops());
    window.visit(stop, |_, place| visit(channel * window.area() + place));
}

/// A dilated window at an edge can look past the image; there is no largest value of nothing.
fn check_sight(window: &Window) -> Result<(), ModelError> {
    let sees = |stop: &usize| {
        let mut sees = false;
        window.visit(*stop, |_, _| sees = true);
        sees
    };
    if (0..window.stops()).all(|stop| sees(&stop)) {
        Ok(())
    } else {
        Err(ModelError::structure("a pool's window looks past the image"))
    }
}
