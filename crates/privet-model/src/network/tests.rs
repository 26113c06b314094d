//! Derivatives and bounds of random networks.

use super::*;
use crate::central_differences;
use nalgebra::DVector;
use proptest::prelude::*;

const ACTIVATIONS: [Activation; 4] =
    [Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid];

/// Numbers between -1 and 1 that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn list(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }

    fn affine(&mut self, inputs: usize, outputs: usize) -> Layer {
        let weights = DMatrix::from_vec(outputs, inputs, self.list(inputs * outputs));
        Layer::Affine { weights, bias: DVector::from_vec(self.list(outputs)) }
    }

    fn dense(&mut self, activation: Activation) -> Network {
        let bend = Layer::Activation(activation);
        let layers = vec![self.affine(3, 6), bend.clone(), self.affine(6, 5), bend, self.affine(5, 3)];
        Network::from_layers(3, layers).unwrap()
    }

    /// Two channels of 5 x 4, a padded and grouped convolution, both pools, an affine layer.
    fn convolutional(&mut self, activation: Activation) -> Network {
        let padded = Sliding { before: (1, 0), after: (0, 1), ..Sliding::plain((2, 2)) };
        let window = Window::new(Image { channels: 2, height: 5, width: 4 }, padded).unwrap();
        let convolution = Convolution::new(window, 2, self.list(4 * 4), self.list(4)).unwrap();
        let image = convolution.image();
        let pool = Window::new(image, Sliding { stride: (2, 1), ..Sliding::plain((2, 2)) }).unwrap();
        let (height, width) = pool.places();
        let mean = Window::new(Image { channels: 4, height, width }, padded).unwrap();
        let width = 4 * mean.places().0 * mean.places().1;
        let layers = vec![
            Layer::Convolution(convolution),
            Layer::Activation(activation),
            Layer::MaxPool(pool),
            Layer::AveragePool(AveragePool { window: mean, counts_padding: false }),
            self.affine(width, 4),
            Layer::Activation(activation),
            self.affine(4, 2),
        ];
        Network::from_layers(40, layers).unwrap()
    }

    fn network(&mut self) -> Network {
        let activation = ACTIVATIONS[(self.next().abs() * 4.0) as usize % 4];
        if self.next() > 0.0 { self.dense(activation) } else { self.convolutional(activation) }
    }

    fn cube(&mut self, inputs: usize) -> (Vec<f64>, Vec<f64>) {
        let width = self.next().abs().powi(3);
        let low = self.list(inputs);
        let high = low.iter().map(|low| low + width * self.next().abs()).collect();
        (low, high)
    }
}

fn scores(network: &Network, row: &[f64]) -> Vec<f64> {
    let mut scores = vec![0.0; network.outputs()];
    network.scores(row, &mut scores).unwrap();
    scores
}

/// Whether every corner-or-inner point that is drawn keeps its scores inside of what `bounds` says.
fn points_stay_inside(
    seed: u64,
    network: &Network,
    bounds: impl Fn(&[f64], &[f64]) -> Vec<(f64, f64)>,
    what: impl Fn(&[f64]) -> Vec<f64>,
) -> bool {
    let mut numbers = Numbers(seed);
    let (low, high) = numbers.cube(network.inputs());
    let bounds = bounds(&low, &high);
    (0..40).all(|_| {
        let is_corner = numbers.next() > 0.0;
        let mix = |(low, high): (&f64, &f64)| {
            let part = numbers.next();
            let part = if is_corner { f64::from(part > 0.0) } else { part.abs() };
            (low + part * (high - low)).clamp(*low, *high)
        };
        let row: Vec<f64> = low.iter().zip(&high).map(mix).collect();
        // Scores are rounded themselves, by far less than this.
        let inside =
            |(value, (low, high)): (f64, &(f64, f64))| *low - 1e-13 <= value && value <= *high + 1e-13;
        what(&scores(network, &row)).into_iter().zip(&bounds).all(inside)
    })
}

/// Interval arithmetic that forgets that a negative weight turns the ends round.
fn forgetful_bounds(network: &Network, low: &[f64], high: &[f64]) -> Vec<(f64, f64)> {
    let (low, high) = (scores(network, low), scores(network, high));
    low.into_iter().zip(high).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn scores_stay_inside_their_bounds(seed: u64) {
        let network = Numbers(seed).network();
        let bounds = |low: &[f64], high: &[f64]| network.bounds(low, high).unwrap();
        prop_assert!(points_stay_inside(seed, &network, bounds, <[f64]>::to_vec));
    }

    #[test]
    fn differences_stay_inside_theirs_which_are_tighter(seed: u64) {
        let network = Numbers(seed).network();
        let bounds = |low: &[f64], high: &[f64]| {
            let difference = network.difference_bounds(low, high, 0, 1).unwrap();
            let scores = network.bounds(low, high).unwrap();
            let loose = (scores[0].0 - scores[1].1, scores[0].1 - scores[1].0);
            assert!(loose.0 <= difference.0 + 1e-12 && difference.1 <= loose.1 + 1e-12);
            vec![difference]
        };
        prop_assert!(points_stay_inside(seed, &network, bounds, |scores| vec![scores[0] - scores[1]]));
    }
}

#[test]
fn jacobians_agree_with_differences() {
    for seed in 0..200 {
        let mut numbers = Numbers(seed);
        let activation = ACTIVATIONS[1 + seed as usize % 3];
        let network =
            if seed % 2 == 0 { numbers.dense(activation) } else { numbers.convolutional(activation) };
        let row = numbers.list(network.inputs());
        let numeric =
            central_differences(|row, scores| network.scores(row, scores), network.outputs(), &row, 1e-6)
                .unwrap();
        let difference = (network.jacobian(&row).unwrap() - numeric).abs().max();
        assert!(difference < 1e-7, "seed {seed}: {difference}");
    }
}

#[test]
fn where_every_relu_keeps_its_side_the_network_is_its_affine_map() {
    let mut maps = 0;
    for seed in 0..100 {
        let mut numbers = Numbers(seed);
        let network = if seed % 2 == 0 {
            numbers.dense(Activation::Relu)
        } else {
            numbers.convolutional(Activation::Relu)
        };
        let low = numbers.list(network.inputs());
        let high: Vec<f64> = low.iter().map(|low| low + 1e-4).collect();
        let Some(linear) = network.affine_on(&low, &high).unwrap() else { continue };
        maps += 1;
        let mut affine = vec![0.0; network.outputs()];
        for row in [&low, &high] {
            linear.scores(row, &mut affine).unwrap();
            assert!(affine.iter().zip(scores(&network, row)).all(|(a, b)| (a - b).abs() < 1e-12));
        }
        assert!((linear.weights() - network.jacobian(&low).unwrap()).abs().max() < 1e-12);
    }
    assert!(maps > 90, "{maps}");
}

#[test]
fn forgetting_the_sign_of_a_weight_is_seen() {
    let caught = (0..50u64).filter(|seed| {
        let network = Numbers(*seed).network();
        let bounds = |low: &[f64], high: &[f64]| forgetful_bounds(&network, low, high);
        !points_stay_inside(*seed, &network, bounds, <[f64]>::to_vec)
    });
    assert!(caught.count() > 40);
}

#[test]
fn small_boxes_have_an_affine_map_and_large_ones_have_none() {
    let network = Numbers(5).dense(Activation::Relu);
    let row = [0.3, -0.2, 0.1];
    assert!(network.affine_on(&row, &row).unwrap().is_some());
    assert!(network.affine_on(&[-9.0; 3], &[9.0; 3]).unwrap().is_none());
    assert!(Numbers(5).dense(Activation::Tanh).affine_on(&row, &row).unwrap().is_none());
}

/// The scores of a network of affine layers and ReLU whose numbers are multiples of 2^-20, exactly, as multiples of
/// 2^-80; three affine layers at most.
fn exact_scores(network: &Network, row: &[f64]) -> Vec<i128> {
    let integer = |x: &f64| (x * f64::from(1 << 20)) as i128;
    let mut values: Vec<i128> = row.iter().map(integer).collect();
    let mut scale = 20;
    for layer in network.layers() {
        match layer {
            Layer::Affine { weights, bias } => {
                let sum = |output| {
                    let terms =
                        values.iter().enumerate().map(|(input, x)| x * integer(&weights[(output, input)]));
                    terms.sum::<i128>() + (integer(&bias[output]) << scale)
                };
                values = (0..weights.nrows()).map(sum).collect();
                scale += 20;
            }
            _ => values.iter_mut().for_each(|value| *value = (*value).max(0)),
        }
    }
    values.iter().map(|value| value << (80 - scale)).collect()
}

/// Whether the exact scores at one point lie between the bounds of the box that is this point.
fn holds_exactly(seed: u64, bounds: impl Fn(&Network, &[f64]) -> Vec<(f64, f64)>) -> bool {
    let coarse = |x: f64| (x * f64::from(1 << 20)).round() / f64::from(1 << 20);
    let mut numbers = Numbers(seed);
    let mut network = numbers.dense(Activation::Relu);
    for layer in &mut network.layers {
        if let Layer::Affine { weights, bias } = layer {
            weights.apply(|weight| *weight = coarse(*weight));
            bias.apply(|bias| *bias = coarse(*bias));
        }
    }
    let row: Vec<f64> = numbers.list(3).into_iter().map(coarse).collect();
    let scale = 2f64.powi(80);
    let inside = |(score, (low, high)): (i128, (f64, f64))| {
        (low * scale).ceil() as i128 <= score && score <= (high * scale).floor() as i128
    };
    exact_scores(&network, &row).into_iter().zip(bounds(&network, &row)).all(inside)
}

#[test]
fn bounds_cover_rounding_and_plain_scores_do_not() {
    let each = |score: usize| (0..3).map(|other| f64::from(other == score)).collect::<Vec<_>>();
    for seed in 0..200 {
        assert!(holds_exactly(seed, |network, row| network.bounds(row, row).unwrap()));
        assert!(holds_exactly(seed, |network, row| {
            (0..3).map(|score| network.on_box(row, row).unwrap().combination(&each(score)).unwrap()).collect()
        }));
    }
    let plain =
        |network: &Network, row: &[f64]| scores(network, row).iter().map(|score| (*score, *score)).collect();
    assert!((0..200).filter(|seed| !holds_exactly(*seed, plain)).count() > 100);
}

#[test]
fn relaxation_is_much_tighter_than_intervals() {
    let (mut loose, mut tight) = (0.0, 0.0);
    for seed in 0..50 {
        let network = Numbers(seed).dense(ACTIVATIONS[seed as usize % 4]);
        let (low, high) = ([-0.05; 3], [0.05; 3]);
        let bounds = network.bounds(&low, &high).unwrap();
        loose += bounds[0].1 - bounds[0].0 + bounds[1].1 - bounds[1].0;
        let difference = network.difference_bounds(&low, &high, 0, 1).unwrap();
        tight += difference.1 - difference.0;
    }
    assert!(tight < loose / 3.0, "{tight} {loose}");
}

#[test]
fn wrong_questions_are_refused() {
    let network = Numbers(1).dense(Activation::Relu);
    let zero = [0.0; 3];
    assert_eq!(network.bounds(&zero, &[0.0, -1.0, 0.0]), Err(ModelError::EmptyBox { input: 1 }));
    assert_eq!(network.bounds(&zero, &[0.0; 2]).unwrap_err().code(), "model-length");
    assert_eq!(network.bounds(&zero, &[f64::NAN; 3]).unwrap_err().code(), "model-not-finite");
    assert_eq!(network.difference_bounds(&zero, &zero, 0, 3).unwrap_err().code(), "model-structure");
    assert_eq!(network.on_box(&zero, &zero).unwrap().combination(&[1.0]).unwrap_err().code(), "model-length");
    assert_eq!(network.jacobian(&[0.0]).unwrap_err().code(), "model-length");
}

#[test]
fn layers_must_fit() {
    let mut numbers = Numbers(2);
    let layers = vec![numbers.affine(3, 4), numbers.affine(5, 1)];
    assert_eq!(Network::from_layers(3, layers).unwrap_err().code(), "model-length");
    assert_eq!(Network::from_layers(3, vec![]).unwrap_err().code(), "model-structure");
    let huge = Layer::Affine { weights: DMatrix::from_element(1, 1, f64::INFINITY), bias: DVector::zeros(1) };
    assert_eq!(Network::from_layers(1, vec![huge]).unwrap_err().code(), "model-not-finite");
}

#[test]
fn numbers_beyond_all_bounds_give_bounds_without_end() {
    let huge = |_| Layer::Affine { weights: DMatrix::from_element(1, 1, 1e300), bias: DVector::zeros(1) };
    let network = Network::from_layers(1, (0..2).map(huge).collect()).unwrap();
    assert_eq!(network.bounds(&[-1.0], &[1.0]), Ok(vec![(f64::NEG_INFINITY, f64::INFINITY)]));
    assert_eq!(
        network.on_box(&[-1.0], &[1.0]).unwrap().combination(&[1.0]),
        Ok((f64::NEG_INFINITY, f64::INFINITY))
    );
}

#[test]
fn what_cancels_is_covered() {
    // (2^40 + 1) (2^40 - 1) - 2^40 2^40 is -1, and 0 after rounding.
    let large = 2f64.powi(40);
    let weights = DMatrix::from_column_slice(2, 1, &[large - 1.0, large]);
    let network = Network::from_layers(1, vec![Layer::Affine { weights, bias: DVector::zeros(2) }]).unwrap();
    let on_box = network.on_box(&[1.0], &[1.0]).unwrap();
    let (low, high) = on_box.combination(&[large + 1.0, -large]).unwrap();
    assert!(low <= -1.0 && -1.0 <= high, "{low} {high}");
}
