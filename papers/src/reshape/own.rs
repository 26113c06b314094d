//! Our measurements beside the tables: CIFAR-10 features, an encoder of digits, generated households.

use super::{Recipe, Setting as Study, StudyError, TestSet, cifar, household, mnist};
use crate::channel::curve;
use crate::{Curve, Effort, ReproduceError, Setting};
use privet::model::Model;
use privet::vector::reshape::{Rows, Targets, answer_then_respond};
use privet::{Epsilon, Generator};

/// The epsilons that are measured.
pub(super) fn epsilons(effort: Effort) -> Vec<f64> {
    effort.pick(vec![2.5, 5.0, 7.5], vec![0.5, 1.0, 2.5, 5.0, 7.5, 10.0])
}

/// Own scales are last: they take long to find.
const RECIPES: [(&str, Recipe); 4] = [
    ("centred", Recipe::Centred),
    ("as printed", Recipe::Printed),
    ("as printed, whole task space", Recipe::PrintedSafe),
    ("own scales", Recipe::Fitted),
];

/// One mechanism with some recipes, by epsilon.
fn recipes(
    study: &Study,
    mechanism: &str,
    test: &TestSet,
    recipes: &[(&str, Recipe)],
    epsilons: &[f64],
) -> Result<Vec<Curve>, ReproduceError> {
    let line = |(label, recipe): &(&str, Recipe)| {
        curve(&format!("{mechanism}, {label}"), epsilons, |epsilon| {
            let mut rng = Generator::from_insecure_seed(epsilon.to_bits());
            let rows = study.measure(mechanism, epsilon, *recipe, &[*test], &mut rng)?;
            Ok(rows.first().map_or(f64::NAN, |row| row.value))
        })
    };
    recipes.iter().map(line).collect()
}

/// Generated households, in groups of a hundred: the error of all recipes, and what noise for epsilon 1 would tell without clipping.
pub(super) fn households(effort: Effort) -> Result<(Vec<Curve>, f64), ReproduceError> {
    let homes = household::Households::new(1);
    let mut rng = Generator::from_insecure_seed(2);
    let (public, private) = (homes.windows(true, &mut rng)?, homes.windows(false, &mut rng)?);
    let model = household::regression(&public)?;
    let study = household::setting(&model, &public, effort.pick(2, 5));
    let test = TestSet { name: "households", rows: &private.rows, targets: Targets::Values(&private.next) };
    let mut curves = Vec::new();
    for mechanism in effort.pick(&["laplace-vector"][..], &["laplace-vector", "privunit"]) {
        // The regression is small, so that its scales are found at once.
        curves.extend(recipes(&study, mechanism, &test, &RECIPES, &epsilons(effort))?);
    }
    Ok((curves, unclipped_loss(&study, &private.rows, &mut rng)?))
}

/// What coordinate-wise Laplace noise for epsilon 1 tells apart when vectors are not clipped: the largest log-ratio between two of the
/// first private homes.
fn unclipped_loss(study: &Study, homes: &Rows, rng: &mut Generator) -> Result<f64, ReproduceError> {
    let reshaped = study.reshaped("coordinate-laplace", 1.0, Recipe::Printed, rng)?;
    // The variance of Laplace noise is twice its squared scale.
    let scales: Vec<f64> =
        reshaped.mechanism().coordinate_variances().iter().map(|variance| (variance / 2.0).sqrt()).collect();
    let places = homes.iter().take(household::PEOPLE).map(|home| reshaped.coordinates(home));
    let places = places.collect::<Result<Vec<_>, _>>().map_err(StudyError::from)?;
    let loss = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).zip(&scales).map(|((one, other), scale)| (one - other).abs() / scale).sum()
    };
    let pairs = places.iter().flat_map(|one| places.iter().map(move |other| loss(one, other)));
    Ok(pairs.fold(0.0, f64::max))
}

/// The test set under brightness.
const BRIGHTNESS: usize = 1;

/// Our features with the head with ReLU.
pub(super) struct Own {
    features: cifar::Features,
    head: Model,
    repetitions: usize,
}

impl Own {
    pub(super) fn read(&Setting { effort, data }: &Setting) -> Result<Self, ReproduceError> {
        let features = cifar::Features::read(data, effort.pick(2000, 10_000))?;
        Ok(Self { features, head: cifar::Features::head(data, "relu")?, repetitions: effort.pick(2, 3) })
    }

    /// One mechanism with some recipes under brightness, by epsilon.
    pub(super) fn recipes(
        &self,
        mechanism: &str,
        list: &[(&str, Recipe)],
        epsilons: &[f64],
    ) -> Result<Vec<Curve>, ReproduceError> {
        let study = self.features.setting("relu", &self.head, 1, self.repetitions);
        recipes(&study, mechanism, &self.features.test(BRIGHTNESS), list, epsilons)
    }
}

/// The answer of the public model on the device, then randomised response.
fn answered(head: &Model, test: &TestSet, epsilons: &[f64]) -> Result<Curve, ReproduceError> {
    curve("answer on the device, then respond", epsilons, |epsilon| {
        let Targets::Labels(labels) = test.targets else { return Ok(f64::NAN) };
        let answers = answer_then_respond(head, test.rows, labels, Epsilon::new(epsilon)?);
        Ok(answers.map_err(StudyError::from)?)
    })
}

/// Our features under brightness: PrivUnit centred, as printed and better, and the answer on the device as the last one.
pub(super) fn brightness(setting: &Setting) -> Result<Vec<Curve>, ReproduceError> {
    let (own, epsilons) = (Own::read(setting)?, epsilons(setting.effort));
    let mut curves = own.recipes("privunit", &RECIPES[..setting.effort.pick(3, 4)], &epsilons)?;
    curves.push(answered(&own.head, &own.features.test(BRIGHTNESS), &epsilons)?);
    Ok(curves)
}

/// Our encoder of digits: the mechanisms of the paper with all directions that the head can see, PrivUnit with our own scales, and
/// the answer on the device.
pub(super) fn digits(&Setting { effort, data }: &Setting) -> Result<Vec<Curve>, ReproduceError> {
    let (images, rounds) = effort.pick((6000, 3), (usize::MAX, 6));
    let training = mnist::Images::read(data, "train", images)?;
    let tests = mnist::Images::read(data, "test", effort.pick(1000, usize::MAX))?;
    let encoded = mnist::Encoded::new(32, &training, &tests, rounds)?;
    let (study, test) = (encoded.setting(effort.pick(2, 3)), encoded.test("mnist"));
    let (all, epsilons) = (&RECIPES[2..effort.pick(3, 4)], epsilons(effort));
    let mut curves = Vec::new();
    for (mechanism, list) in [("laplace-vector", &all[..1]), ("privunit-g", &all[..1]), ("privunit", all)] {
        curves.extend(recipes(&study, mechanism, &test, list, &epsilons)?);
    }
    curves.push(answered(&encoded.head, &test, &epsilons)?);
    Ok(curves)
}

/// Laplace and the approximate mechanisms on our features; Laplace and the analytic Gaussian with our own scales too.
pub(super) fn approximate(setting: &Setting) -> Result<Vec<Curve>, ReproduceError> {
    let (own, epsilons) = (Own::read(setting)?, epsilons(setting.effort));
    let [centred, _, safe, _] = RECIPES;
    let own_scales = setting.effort.pick(&[][..], &RECIPES[3..]);
    let mut curves = Vec::new();
    for (mechanism, list) in [
        ("laplace-vector", &[centred, safe][..]),
        ("gaussian-vector", &[centred]),
        ("plan", &[centred]),
        ("instance-optimal", &[centred]),
        ("laplace-vector", own_scales),
        ("gaussian-vector", own_scales),
    ] {
        curves.extend(own.recipes(mechanism, list, &epsilons)?);
    }
    Ok(curves)
}
