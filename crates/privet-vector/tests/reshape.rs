//! Reshaping from end to end, on a small model whose task is known.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use nalgebra::{DMatrix, DVector};
use privet_core::{BuildOptions, Epsilon, Generator, Guarantee, Rng};
use privet_model::{Activation, Layer, Linear, Model, Network};
use privet_vector::registry::find;
use privet_vector::reshape::{
    Ablation, Evaluation, MechanismChoice, Metric, Norm, Reaction, Reading, Reshape, Reshaped, Rows, Targets,
    TaskSpace, answer_then_respond, evaluate, fit,
};

const DIMENSION: usize = 12;

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn choose(name: &str, value: f64) -> MechanismChoice {
    MechanismChoice { row: find(name).unwrap(), epsilon: epsilon(value), options: BuildOptions::default() }
}

fn sphere(value: f64) -> MechanismChoice {
    choose("privunit", value)
}

fn laplace(value: f64) -> MechanismChoice {
    choose("laplace-vector", value)
}

/// Three classes that differ in the first two of twelve coordinates; the others are as large and mean nothing.
fn people(count: usize, seed: u64) -> (Rows, Vec<usize>) {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for person in 0..count {
        let class = person % 3;
        let (sine, cosine) = (std::f64::consts::TAU * class as f64 / 3.0).sin_cos();
        values.extend([5.0 + cosine + 0.3 * uniform(), 5.0 + sine + 0.3 * uniform()]);
        values.extend((2..DIMENSION).map(|_| 5.0 + 3.0 * uniform()));
        labels.push(class);
    }
    (Rows::new(DIMENSION, values).unwrap(), labels)
}

/// Scores the three directions of the first two coordinates through three hidden units, and has a fourth hidden unit that only
/// wakes far outside, in the third coordinate.
fn model() -> Model {
    let mut first = DMatrix::zeros(4, DIMENSION);
    let mut bias = DVector::zeros(4);
    for class in 0..3 {
        let (sine, cosine) = (std::f64::consts::TAU * class as f64 / 3.0).sin_cos();
        first[(class, 0)] = cosine;
        first[(class, 1)] = sine;
        bias[class] = 2.0 - 5.0 * (cosine + sine);
    }
    first[(3, 2)] = 1.0;
    bias[3] = -8.0;
    let last = DMatrix::from_row_slice(3, 4, &[1.0, 0.0, 0.0, 3.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let layers = vec![
        Layer::Affine { weights: first, bias },
        Layer::Activation(Activation::Relu),
        Layer::Affine { weights: last, bias: DVector::zeros(3) },
    ];
    Model::Network(Network::from_layers(DIMENSION, layers).unwrap())
}

const ONCE: Evaluation = Evaluation { repetitions: 4, people: 1 };

fn accuracy(model: &Model, reshape: Reshape, choice: &MechanismChoice) -> [f64; 2] {
    let (rows, labels) = people(1500, 2);
    let reshaped = Reshaped::new(reshape, choice).unwrap();
    let mut rng = Generator::from_insecure_seed(3);
    let measured = evaluate(model, &rows, Targets::Labels(&labels), &reshaped, ONCE, &mut rng).unwrap();
    assert_eq!(measured.metric, Metric::Accuracy);
    [measured.value, measured.standard_error]
}

#[test]
fn reshaping_helps_and_says_so_beforehand() {
    let model = model();
    let (public, _) = people(3000, 1);
    for choice in [sphere(4.0), laplace(4.0)] {
        let mut rng = Generator::from_insecure_seed(4);
        let fitted = fit(&model, Reading::Class, &public, 1, &choice, &mut rng).unwrap();
        assert_eq!(fitted.reshape.rank(), 2);
        let [plain, plain_error] = accuracy(&model, Reshape::centred(&public, choice.row).unwrap(), &choice);
        let [reshaped, reshaped_error] = accuracy(&model, fitted.reshape, &choice);
        let error = plain_error.hypot(reshaped_error);
        assert!(reshaped - plain > 5.0 * error && reshaped - plain > 0.2, "{plain} {reshaped} {error}");
        let surprise = (fitted.gain.gain - (reshaped - plain)).abs();
        assert!(surprise < 4.0 * fitted.gain.standard_error.hypot(error), "{surprise} {:?}", fitted.gain);
    }
}

#[test]
fn noise_wakes_what_sleeps_at_public_points() {
    let model = model();
    let (public, _) = people(3000, 1);
    let choice = sphere(4.0);
    let mut rng = Generator::from_insecure_seed(5);
    let reaction = Reaction::of_model(&model, &public, Reading::Class, &mut rng).unwrap();
    let [printed, error] =
        accuracy(&model, Reshape::printed(&reaction, &public, TaskSpace::Seen, choice.row).unwrap(), &choice);
    let safe = accuracy(
        &model,
        Reshape::printed(&reaction, &public, TaskSpace::Anywhere, choice.row).unwrap(),
        &choice,
    )[0];
    let balanced = Reshape::balanced(&reaction, &public, choice.row).unwrap();
    let balanced = accuracy(&model, balanced.truncated(2, &public, choice.row).unwrap(), &choice)[0];
    assert!(safe - printed > 5.0 * error, "{printed} {safe}");
    assert!(balanced - safe > 5.0 * error, "{safe} {balanced}");
}

#[test]
fn every_part_can_be_left_out() {
    let model = model();
    let (public, _) = people(3000, 1);
    let choice = laplace(4.0);
    let mut rng = Generator::from_insecure_seed(6);
    let reaction = Reaction::of_model(&model, &public, Reading::Class, &mut rng).unwrap();
    let full =
        Reshape::balanced(&reaction, &public, choice.row).unwrap().truncated(2, &public, choice.row).unwrap();
    for ablation in Ablation::ALL {
        let ablated = full.ablated(ablation, &public, choice.row, 0.5).unwrap();
        assert_eq!(ablated.recipe(), format!("balanced {}", ablation.as_str()));
        assert_eq!(ablated.rank(), if ablation == Ablation::ClipOnly { DIMENSION } else { 2 });
        assert!(accuracy(&model, ablated, &choice)[0] > 0.3);
    }
}

/// A mean that is read off the restored vectors: reports are unbiased where lengths are kept, and not where they are replaced.
#[test]
fn kept_lengths_make_averages_right() {
    let weights = DMatrix::from_fn(1, DIMENSION, |_, column| 1.0 / (1.0 + column as f64));
    let model = Model::Linear(Linear::new(weights, DVector::zeros(1)).unwrap());
    let (rows, _) = people(3000, 7);
    let mut targets = Vec::new();
    for row in rows.iter() {
        let mut score = [0.0];
        model.scores(row, &mut score).unwrap();
        targets.push(score[0]);
    }
    let mut rng = Generator::from_insecure_seed(8);
    let reaction = Reaction::of_model(&model, &rows, Reading::Values, &mut rng).unwrap();
    let full = Reshape::balanced(&reaction, &rows, sphere(6.0).row).unwrap().with_share(2.0).unwrap();
    assert_eq!(full.rank(), 1);
    let kept = Reshaped::new(full.with_norm(Norm::Kept), &sphere(6.0)).unwrap();
    let evaluation = Evaluation { repetitions: 3, people: 1000 };
    let measured = evaluate(&model, &rows, Targets::Values(&targets), &kept, evaluation, &mut rng).unwrap();
    let deviation = (kept.mechanism().mean_squared_error() / 1000.0).sqrt();
    assert_eq!(measured.metric, Metric::RootMeanSquaredError);
    assert!(measured.value < 3.0 * deviation, "{measured:?} {deviation}");
    let centred = Reshaped::new(Reshape::centred(&rows, sphere(6.0).row).unwrap(), &sphere(6.0)).unwrap();
    assert_eq!(centred.report_len(), DIMENSION);
    assert_eq!(kept.report_len(), 2);
}

#[test]
fn the_guarantee_is_that_of_the_mechanism() {
    let (public, _) = people(300, 1);
    let reshaped =
        Reshaped::new(Reshape::centred(&public, laplace(2.0).row).unwrap(), &laplace(2.0)).unwrap();
    assert_eq!(reshaped.guarantee(), reshaped.mechanism().guarantee());
    assert!(matches!(reshaped.guarantee(), Guarantee::Pure { .. }));
    let debug = format!("{reshaped:?}");
    assert!(debug.contains("Reshaped"));
}

#[test]
fn the_honest_baseline_is_the_formula() {
    let (rows, labels) = people(300, 9);
    assert_eq!(answer_then_respond(&model(), &rows, &labels, epsilon(700.0)).unwrap(), 1.0);
    let odds = 2f64.exp();
    let expected = odds / (odds + 2.0);
    let got = answer_then_respond(&model(), &rows, &labels, epsilon(2.0)).unwrap();
    assert!((got - expected).abs() < 1e-12);
    let wrong: Vec<usize> = labels.iter().map(|label| (label + 1) % 3).collect();
    let got = answer_then_respond(&model(), &rows, &wrong, epsilon(2.0)).unwrap();
    assert!((got - 1.0 / (odds + 2.0)).abs() < 1e-12);
    assert_eq!(
        answer_then_respond(&model(), &rows, &labels[1..], epsilon(2.0)).unwrap_err().code(),
        "reshape-count"
    );
}

#[test]
fn private_vectors_are_checked_and_never_shown() {
    let (public, _) = people(300, 1);
    for norm in [Norm::Replaced, Norm::Kept] {
        let map = Reshape::centred(&public, sphere(2.0).row).unwrap().with_norm(norm);
        let reshaped = Reshaped::new(map, &sphere(2.0)).unwrap();
        let mut rng = Generator::from_insecure_seed(10);
        let mut report = vec![0.0; reshaped.report_len()];
        for secret in [f64::NAN, f64::INFINITY] {
            let error = reshaped.randomize(&[secret; DIMENSION], &mut report, &mut rng).unwrap_err();
            assert!(!error.to_string().contains("NaN") && !error.to_string().contains("inf"), "{error}");
        }
        assert!(reshaped.randomize(&[0.0; 3], &mut report, &mut rng).is_err());
        assert!(reshaped.randomize(&[0.0; DIMENSION], &mut report[1..], &mut rng).is_err());
        for extreme in [f64::MAX, -f64::MAX, 1e200, f64::MIN_POSITIVE] {
            reshaped.randomize(&[extreme; DIMENSION], &mut report, &mut rng).unwrap();
            assert!(report.iter().all(|value| value.is_finite()));
            let mut vector = [0.0; DIMENSION];
            reshaped.restore(&report, &mut vector).unwrap();
            assert!(vector.iter().all(|value| value.is_finite()));
        }
        assert!(reshaped.restore(&report[1..], &mut [0.0; DIMENSION]).is_err());
        assert!(reshaped.restore(&report, &mut [0.0; 2]).is_err());
    }
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let (public, labels) = people(300, 1);
    let centred = || Reshape::centred(&public, laplace(1.0).row).unwrap();
    let kept = Reshaped::new(centred().with_norm(Norm::Kept), &laplace(1.0));
    assert_eq!(kept.unwrap_err().code(), "reshape-setting");
    let other = Reshaped::new(centred(), &sphere(1.0)).unwrap_err();
    assert!(other.to_string().contains("clips to a sphere"), "{other}");
    let reshaped = Reshaped::new(centred(), &laplace(1.0)).unwrap();
    let mut rng = Generator::from_insecure_seed(11);
    for evaluation in [
        Evaluation { repetitions: 1, people: 1 },
        Evaluation { repetitions: 2, people: 0 },
        Evaluation { repetitions: 2, people: 101 },
    ] {
        let targets = Targets::Labels(&labels);
        assert!(
            evaluate(&model(), &public, targets, &reshaped, evaluation, &mut rng).is_err(),
            "{evaluation:?}"
        );
    }
    let few = Rows::new(DIMENSION, vec![1.0; DIMENSION * 30]).unwrap();
    let error = fit(&model(), Reading::Class, &few, 1, &sphere(1.0), &mut rng).unwrap_err();
    assert_eq!(error.code(), "reshape-too-few-vectors");
}

/// A fitted file is read back on another machine and does the same there.
#[test]
fn a_fit_travels_as_a_file() {
    let (public, _) = people(900, 1);
    let mut rng = Generator::from_insecure_seed(12);
    let choice = sphere(4.0);
    let fitted = fit(&model(), Reading::Class, &public, 1, &choice, &mut rng).unwrap();
    assert!(fitted.reshape.source().contains("a gain of"), "{}", fitted.reshape.source());
    let read = Reshape::from_json(&fitted.reshape.to_json()).unwrap();
    assert_eq!(read, fitted.reshape);
    let reports: Vec<Vec<f64>> = [fitted.reshape, read]
        .into_iter()
        .map(|map| {
            let reshaped = Reshaped::new(map, &choice).unwrap();
            let mut report = vec![0.0; reshaped.report_len()];
            let mut rng = Generator::from_insecure_seed(13);
            reshaped.randomize(public.get(0).unwrap(), &mut report, &mut rng).unwrap();
            report
        })
        .collect();
    assert_eq!(reports[0], reports[1]);
}
