//! What the scores can be when every input lies in a range.
//!
//! Ranges go forward through the layers. A weighted sum of values goes backward: each layer's values are replaced by
//! lines in the values before it, until only inputs are left. Rounding is covered in three places: sums of products
//! carry their own radius ([`Sum`]); a coefficient that was rounded by r on its way back costs r times the largest
//! size of its value; and lines are moved outwards ([`relaxation`]). So the bounds hold for the network in real
//! arithmetic whose parameters are the stored numbers.

use super::Network;
use super::layer::Layer;
use super::relaxation::{self, Line, Lines};
use super::rounded::{Range, Sum, or_else};
use crate::error::{check_finite, check_length};
use crate::{Activation, Linear, ModelError};
use nalgebra::{DMatrix, DVector};

impl Network {
    /// Bounds (low, high) of each score when every input lies between `low` and `high`: interval arithmetic, rounded
    /// outwards. Fast, and loose for deep networks.
    ///
    /// # Errors
    ///
    /// When the ends have the wrong length, are not finite, or an end is on the wrong side.
    pub fn bounds(&self, low: &[f64], high: &[f64]) -> Result<Vec<(f64, f64)>, ModelError> {
        let mut ranges = self.check_box(low, high)?;
        for (layer, outputs) in self.layers.iter().zip(&self.widths[1..]) {
            ranges = forward(layer, &ranges, *outputs);
        }
        Ok(ranges.into_iter().map(|range| (range.low, range.high)).collect())
    }

    /// What is known about the network when every input lies between `low` and `high`. Ask it when there is more than
    /// one question about a box: the work is done once.
    ///
    /// # Errors
    ///
    /// When the ends have the wrong length, are not finite, or an end is on the wrong side.
    pub fn on_box(&self, low: &[f64], high: &[f64]) -> Result<OnBox<'_>, ModelError> {
        Ok(OnBox { network: self, ranges: self.ranges(low, high)? })
    }

    /// [`OnBox::difference`] for one question.
    ///
    /// # Errors
    ///
    /// When a score is not there, the ends have the wrong length, are not finite, or an end is on the wrong side.
    pub fn difference_bounds(
        &self,
        low: &[f64],
        high: &[f64],
        first: usize,
        second: usize,
    ) -> Result<(f64, f64), ModelError> {
        self.on_box(low, high)?.difference(first, second)
    }

    /// [`OnBox::affine`] for one question.
    ///
    /// # Errors
    ///
    /// When the ends have the wrong length, are not finite, or an end is on the wrong side.
    pub fn affine_on(&self, low: &[f64], high: &[f64]) -> Result<Option<Linear>, ModelError> {
        Ok(self.on_box(low, high)?.affine())
    }

    /// The ranges of the values before each layer and after the last. Relaxation narrows those that a bent layer comes
    /// after, unless they already decide over it.
    fn ranges(&self, low: &[f64], high: &[f64]) -> Result<Vec<Vec<Range>>, ModelError> {
        let mut ranges = vec![self.check_box(low, high)?];
        let mut is_bent = false;
        for (index, layer) in self.layers.iter().enumerate() {
            ranges.push(forward(layer, &ranges[index], self.widths[index + 1]));
            is_bent |= matches!(layer, Layer::Activation(_) | Layer::MaxPool(_));
            if is_bent {
                let narrow = self.narrowed(&ranges, self.layers.get(index + 1));
                ranges[index + 1] = narrow;
            }
        }
        Ok(ranges)
    }

    /// The last ranges, narrowed where the layer that follows needs it.
    fn narrowed(&self, ranges: &[Vec<Range>], following: Option<&Layer>) -> Vec<Range> {
        let last = &ranges[ranges.len() - 1];
        let is_open = |range: &Range| match following {
            Some(Layer::Activation(Activation::Relu)) => range.low < 0.0 && range.high > 0.0,
            Some(Layer::Activation(_) | Layer::MaxPool(_)) => true,
            Some(Layer::Affine { .. } | Layer::Convolution(_) | Layer::AveragePool(_)) | None => false,
        };
        let mut weights = vec![0.0; last.len()];
        let narrow = |(value, range): (usize, &Range)| {
            if !is_open(range) {
                return *range;
            }
            weights[value] = 1.0;
            let low = self.least(ranges, &weights);
            weights[value] = -1.0;
            let high = -self.least(ranges, &weights);
            weights[value] = 0.0;
            range.within(&Range { low, high })
        };
        last.iter().enumerate().map(narrow).collect()
    }

    /// A number that the weighted sum of the last values with known ranges is never below.
    fn least(&self, ranges: &[Vec<Range>], weights: &[f64]) -> f64 {
        let mut form = Form { weights: weights.to_vec(), constant: 0.0 };
        let mut least = form.least(&ranges[ranges.len() - 1]);
        for (layer, ranges) in self.layers.iter().zip(ranges).take(ranges.len() - 1).rev() {
            form = form.before(layer, ranges);
            least = least.max(form.least(ranges));
        }
        least
    }

    fn check_box(&self, low: &[f64], high: &[f64]) -> Result<Vec<Range>, ModelError> {
        for ends in [low, high] {
            check_length("ends of a box", self.inputs(), ends.len())?;
            check_finite("the ends of a box", ends)?;
        }
        match low.iter().zip(high).position(|(low, high)| low > high) {
            Some(input) => Err(ModelError::EmptyBox { input }),
            None => Ok(low.iter().zip(high).map(|(low, high)| Range { low: *low, high: *high }).collect()),
        }
    }
}

/// A network whose inputs lie in a box.
#[derive(Debug, Clone)]
pub struct OnBox<'a> {
    network: &'a Network,
    ranges: Vec<Vec<Range>>,
}

impl OnBox<'_> {
    /// Bounds (low, high) of the first score less the second.
    ///
    /// # Errors
    ///
    /// When a score is not there.
    pub fn difference(&self, first: usize, second: usize) -> Result<(f64, f64), ModelError> {
        let outputs = self.network.outputs();
        let mut weights = vec![0.0; outputs];
        for (score, weight) in [(first, 1.0), (second, -1.0)] {
            let place = weights.get_mut(score);
            *place.ok_or_else(|| {
                ModelError::structure(format!("score {score} is not there: there are {outputs}"))
            })? += weight;
        }
        self.combination(&weights)
    }

    /// Bounds (low, high) of a weighted sum of the scores, by linear relaxation from the scores back to the inputs:
    /// never looser than what the [`Network::bounds`] of the scores give, but for rounding. A network with a single
    /// score is asked with the weight 1.
    ///
    /// # Errors
    ///
    /// When there is not one finite weight for each score.
    pub fn combination(&self, weights: &[f64]) -> Result<(f64, f64), ModelError> {
        check_length("weights of the scores", self.network.outputs(), weights.len())?;
        check_finite("weights of the scores", weights)?;
        let negated: Vec<f64> = weights.iter().map(|weight| -weight).collect();
        Ok((self.network.least(&self.ranges, weights), -self.network.least(&self.ranges, &negated)))
    }

    /// The affine map that the network is on the box: there is one if every ReLU keeps its side and every maximum its
    /// winner. Its numbers are rounded to nearest, so it is exact up to rounding.
    pub fn affine(&self) -> Option<Linear> {
        let inputs = self.network.inputs();
        // One line for each value: its coefficients, then its constant.
        let mut lines: Vec<DVector<f64>> =
            (0..inputs).map(|input| DVector::from_fn(inputs + 1, |at, _| f64::from(at == input))).collect();
        for ((layer, ranges), outputs) in
            self.network.layers.iter().zip(&self.ranges).zip(&self.network.widths[1..])
        {
            lines =
                (0..*outputs).map(|output| compose(layer, ranges, &lines, output)).collect::<Option<_>>()?;
        }
        let weights = DMatrix::from_fn(lines.len(), inputs, |score, input| lines[score][input]);
        // Numbers that overflow are no map.
        Linear::new(weights, DVector::from_fn(lines.len(), |score, _| lines[score][inputs])).ok()
    }
}

/// The ranges after a layer.
fn forward(layer: &Layer, ranges: &[Range], outputs: usize) -> Vec<Range> {
    let range = |output| match layer {
        Layer::Activation(activation) => relaxation::image(*activation, ranges[output]),
        Layer::MaxPool(_) => {
            let mut largest = Range { low: f64::NEG_INFINITY, high: f64::NEG_INFINITY };
            layer.visit(output, |input, _| {
                largest.low = largest.low.max(ranges[input].low);
                largest.high = largest.high.max(ranges[input].high);
            });
            largest
        }
        Layer::Affine { .. } | Layer::Convolution(_) | Layer::AveragePool(_) => {
            let (mut low, mut high) = (Sum::of(layer.bias(output)), Sum::of(layer.bias(output)));
            layer.visit(output, |input, weight| {
                if weight != 0.0 {
                    low.add(weight, ranges[input].lowest(weight));
                    high.add(weight, ranges[input].highest(weight));
                }
            });
            Range { low: low.low(), high: high.high() }
        }
    };
    (0..outputs).map(range).collect()
}

/// A sum of weighted values and a constant that something is never below.
struct Form {
    weights: Vec<f64>,
    constant: f64,
}

impl Form {
    /// A number that it is never below.
    fn least(&self, ranges: &[Range]) -> f64 {
        let mut least = Sum::of(self.constant);
        for (weight, range) in self.weights.iter().zip(ranges).filter(|(weight, _)| **weight != 0.0) {
            least.add(*weight, range.lowest(*weight));
        }
        least.low()
    }

    /// The same in the values before a layer, which have these ranges.
    fn before(&self, layer: &Layer, ranges: &[Range]) -> Self {
        let mut constant = Sum::of(self.constant);
        let mut weights = vec![Sum::default(); ranges.len()];
        for (output, weight) in self.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            match layer {
                Layer::Activation(activation) => {
                    let Lines { lower, upper } = relaxation::lines(*activation, ranges[output]);
                    let Line { slope, offset } = if *weight > 0.0 { lower } else { upper };
                    weights[output].add(*weight, slope);
                    constant.add(*weight, offset);
                }
                Layer::MaxPool(_) => match maximum(layer, output, ranges) {
                    // The maximum is never below the one value, and never above the largest end.
                    Maximum::Open { highest, .. } if *weight < 0.0 => constant.add(*weight, highest),
                    Maximum::Open { leading: input, .. } | Maximum::Decided(input) => {
                        weights[input].add(*weight, 1.0);
                    }
                },
                Layer::Affine { .. } | Layer::Convolution(_) | Layer::AveragePool(_) => {
                    constant.add(*weight, layer.bias(output));
                    layer.visit(output, |input, own| weights[input].add(*weight, own));
                }
            }
        }
        let mut lost = Sum::default();
        for (weight, range) in weights.iter().zip(ranges).filter(|(weight, _)| !weight.is_empty()) {
            lost.add(weight.radius(), range.size());
        }
        let constant = or_else((constant.low() - lost.high()).next_down(), f64::NEG_INFINITY);
        Self { weights: weights.iter().map(Sum::value).collect(), constant }
    }
}

/// What ranges say about a maximum.
enum Maximum {
    /// This value is never below another.
    Decided(usize),
    /// It can be several.
    Open {
        /// The value with the highest lower end.
        leading: usize,
        /// The highest upper end.
        highest: f64,
    },
}

fn maximum(layer: &Layer, output: usize, ranges: &[Range]) -> Maximum {
    let mut leading: Option<usize> = None;
    layer.visit(output, |input, _| {
        if leading.is_none_or(|leading| ranges[input].low > ranges[leading].low) {
            leading = Some(input);
        }
    });
    let leading = leading.unwrap_or(0);
    let mut others = f64::NEG_INFINITY;
    layer.visit(output, |input, _| {
        if input != leading {
            others = others.max(ranges[input].high);
        }
    });
    if ranges[leading].low >= others {
        Maximum::Decided(leading)
    } else {
        Maximum::Open { leading, highest: others.max(ranges[leading].high) }
    }
}

/// One value after a layer as an affine function of the inputs, if it is one on these ranges.
fn compose(layer: &Layer, ranges: &[Range], lines: &[DVector<f64>], output: usize) -> Option<DVector<f64>> {
    match layer {
        Layer::Activation(Activation::Relu) if ranges[output].low >= 0.0 => Some(lines[output].clone()),
        Layer::Activation(Activation::Relu) if ranges[output].high <= 0.0 => {
            Some(DVector::zeros(lines[output].len()))
        }
        Layer::Activation(_) => None,
        Layer::MaxPool(_) => match maximum(layer, output, ranges) {
            Maximum::Decided(input) => Some(lines[input].clone()),
            Maximum::Open { .. } => None,
        },
        Layer::Affine { .. } | Layer::Convolution(_) | Layer::AveragePool(_) => {
            let mut line = DVector::zeros(lines[0].len());
            line[lines[0].len() - 1] = layer.bias(output);
            layer.visit(output, |input, weight| line.axpy(weight, &lines[input], 1.0));
            Some(line)
        }
    }
}
