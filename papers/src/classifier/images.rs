//! Images of 7 x 7 pixels, all of them private. A tenth of the images is sent as it is.

use super::bank::DELTA;
use super::study::{Known, Study, panel};
use super::{CNN, EPSILONS, EXPONENTIAL, IMAGES, K_RR, MANY_IMAGES, PM, SW};
use crate::data::column;
use crate::{Curve, Effort, Findings, Panel, ReproduceError, Setting};
use privet::classifier::paper::Hyperrectangle;
use privet::classifier::{Classifier, ClassifierError, Options, Record, Row, quantify};
use privet::model::array::read_npz;
use privet::{BuildOptions, Generator};
use privet_core::Rng;

const PIXELS: usize = 49;
const MECHANISMS: [(&str, &str); 4] = [PM, SW, EXPONENTIAL, K_RR];
/// The share of other labels that the stored boxes may hold.
const TAU: f64 = 0.05;
/// The probability that a band does not hold.
const FAILURE: f64 = 0.001;
/// Sums of 4 x 4 bytes.
const BRIGHTEST: f64 = 16.0 * 255.0;
const PIXEL: &str = "epsilon of one of 49 pixels";

fn study(setting: &Setting) -> Result<Study, ReproduceError> {
    Study::read(setting, CNN, 0..PIXELS)?.with_indicator(DELTA)
}

/// What a probability is without the images that are sent as they are.
fn without_indicator(probability: f64) -> f64 {
    (probability - DELTA) / (1.0 - DELTA)
}

fn pixel_panel(name: impl Into<String>, curves: Vec<Curve>) -> Panel {
    Panel { x_name: PIXEL, ..panel(name, curves) }
}

pub(super) fn figure_7_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let study = study(setting)?;
    let names = (0..7).flat_map(|line| (0..7).map(move |place| format!("p{line}{place}")));
    let path = setting.path(IMAGES);
    let pixels: Vec<Vec<f64>> = names.map(|name| column(&path, &name)).collect::<Result<_, _>>()?;
    let options = Options { samples: setting.effort.pick(300, 10_000), ..Options::default() };
    let mut findings = Findings::default();
    let mut is_best = true;
    for image in [0, 1] {
        let record = study.record(&pixels.iter().map(|column| column[image]).collect::<Vec<_>>())?;
        let known: Vec<Known> = MECHANISMS
            .into_iter()
            .map(|mechanism| study.known(&record, mechanism, &options))
            .collect::<Result<_, _>>()?;
        let [pm, others @ ..] = known.as_slice() else { continue };
        let is_entirely_above = |other: &Known| {
            other.certified.band.iter().zip(&pm.certified.band).any(|(other, pm)| other[1] > pm[2])
        };
        is_best &= !others.iter().any(is_entirely_above);
        let mut curves: Vec<Curve> = known.iter().map(|one| one.certified.clone()).collect();
        curves.push(study.answer_alone());
        let found = stored_box(image);
        let other = other_labels(&study, &record, &found, setting.effort.pick(1000, 20_000))?;
        findings.entry("share of other labels in the paper's box", format!("image {image}"), other);
        let rhos = MECHANISMS.into_iter().map(|mechanism| study.rho(&record, &found, mechanism));
        let rhos: Vec<Curve> = rhos.collect::<Result<_, _>>()?;
        if image == 0 {
            // A box with more other labels would not be the paper's.
            let rhos = if other < TAU { rhos.as_slice() } else { &[] };
            claims(&mut findings, rhos, &pm.certified);
        }
        findings.panels.push(pixel_panel(format!("image {image}"), curves));
        let mut curves = rhos;
        curves.push(pm.certified.clone());
        findings.panels.push(pixel_panel(format!("image {image}, rho"), curves));
    }
    findings.holds("classifier-fig77-order", is_best);
    Ok(findings)
}

/// The box of an image that the paper's search finds with tau .05: the example program `classifier_boxes` takes minutes for it.
fn stored_box(image: usize) -> Hyperrectangle {
    let rows = include_str!("../../classifier/boxes.csv").lines().skip(1);
    let ends = rows.filter_map(|row| {
        let cells: Vec<f64> = row.split(',').filter_map(|cell| cell.parse().ok()).collect();
        match cells.as_slice() {
            [own, _, lower, upper] if *own == image as f64 => Some([*lower, *upper]),
            _ => None,
        }
    });
    Hyperrectangle { ends: ends.collect() }
}

/// The share of uniform points of a box that have another label than the record.
fn other_labels(
    study: &Study,
    record: &Record,
    found: &Hyperrectangle,
    points: usize,
) -> Result<f64, ReproduceError> {
    let mut rng = Generator::from_insecure_seed(79);
    let mut rows = Vec::with_capacity(points * PIXELS);
    for _ in 0..points {
        rows.extend(
            found.ends.iter().map(|[lower, upper]| {
                lower + (upper - lower) * (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
            }),
        );
    }
    let own = study.classifier.labels(record.values())?;
    let labels = study.classifier.labels(&rows)?;
    Ok(labels.iter().filter(|label| !own.contains(label)).count() as f64 / points as f64)
}

fn claims(findings: &mut Findings, rhos: &[Curve], pm: &Curve) {
    let at = |place: usize, epsilon: f64| {
        rhos.get(place).map_or(f64::NAN, |curve| without_indicator(curve.at(epsilon)))
    };
    findings.entry("rho of PM, image 0", "epsilon 4", at(0, 4.0));
    findings.entry("rho of PM, image 0", "epsilon 8", at(0, 8.0));
    findings.entry("rho of k-RR, image 0", "epsilon 6", at(3, 6.0));
    findings.holds("classifier-fig77-pm", at(0, 4.0) < 0.1 && at(0, 8.0) > 0.5);
    findings.holds("classifier-fig77-krr", at(3, 6.0) < 0.1);
    let lower = pm.band.iter().find(|[epsilon, ..]| *epsilon == 4.0).map_or(0.0, |[_, lower, _]| *lower);
    findings.holds("classifier-fig77-gap", without_indicator(lower) - at(0, 4.0) > 0.3);
}

pub(super) fn figure_e_7(setting: &Setting) -> Result<Findings, ReproduceError> {
    let study = study(setting)?;
    let sums =
        read_npz(&setting.path(MANY_IMAGES), "train_sum16").map_err(ClassifierError::from)?.into_values();
    let images = sums.chunks_exact(PIXELS).take(setting.effort.pick(8, 50));
    let record = |sums: &[f64]| study.record(&sums.iter().map(|sum| sum / BRIGHTEST).collect::<Vec<_>>());
    let records: Vec<Record> = images.map(record).collect::<Result<_, _>>()?;
    let mut findings = Findings::default();
    let (mut averages, mut worsts) = (Vec::new(), Vec::new());
    for mechanism in MECHANISMS {
        let [average, worst] = over_images(setting, &study, &records, mechanism)?;
        averages.push(average);
        worsts.push(worst);
    }
    // Three standard errors of the difference of two shares.
    let slack = 3.0 * (0.5 / (records.len() * samples(setting.effort)) as f64).sqrt();
    let is_best = averages[1..].iter().all(|other| other.is_below(&averages[0], slack));
    findings.holds("classifier-e7-order", is_best);
    findings.entry("images", "", records.len() as f64);
    averages.push(study.answer_alone());
    worsts.push(study.answer_alone());
    findings.panels.push(pixel_panel("average", averages));
    findings.panels.push(pixel_panel("worst", worsts));
    Ok(findings)
}

/// How many reports of one image are drawn.
fn samples(effort: Effort) -> usize {
    effort.pick(40, 400)
}

/// The mean and the smallest of the shares of drawn reports, with bands that hold for all epsilons together.
fn over_images(
    setting: &Setting,
    study: &Study,
    records: &[Record],
    (label, id): (&str, &str),
) -> Result<[Curve; 2], ReproduceError> {
    let products = study.products(id, &BuildOptions::default(), &EPSILONS)?;
    let samples = samples(setting.effort);
    let confidence = 1.0 - FAILURE / records.len() as f64;
    let options = Options { samples, confidence, indicator: study.indicator, ..Options::default() };
    let mut rng = Generator::from_insecure_seed(76);
    let mut rows = Vec::new();
    for record in records {
        rows.push(quantify(&study.classifier, record, &study.sensitive, &products, &options, &mut rng)?);
    }
    // Hoeffding's inequality, for the mean of all reports.
    let count = (records.len() * samples) as f64;
    let reach = (1.0 - DELTA) * ((2.0 * EPSILONS.len() as f64 / FAILURE).ln() / (2.0 * count)).sqrt();
    let (mut means, mut average, mut worst) = (Vec::new(), Vec::new(), Vec::new());
    for (place, epsilon) in EPSILONS.into_iter().enumerate() {
        let own = || rows.iter().map(|rows| &rows[place]);
        let shares = own().map(|row| row.empirical.map_or(f64::NAN, |drawn| drawn.share));
        let mean = shares.sum::<f64>() / records.len() as f64;
        means.push([epsilon, mean]);
        average.push([epsilon, (mean - reach).max(0.0), (mean + reach).min(1.0)]);
        let smallest = |side: fn(&Row) -> f64| own().map(side).fold(1.0, f64::min);
        worst.push([epsilon, smallest(|row| row.bound.lower), smallest(|row| row.bound.upper)]);
    }
    let label = format!("{label}, band of .999");
    Ok([Curve { band: average, ..Curve::line(label.clone(), means) }, Curve::band(label, worst)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product over fewer pixels would be larger than the paper's value.
    #[test]
    fn stored_boxes_have_two_ends_for_each_pixel() {
        for image in [0, 1] {
            let ends = stored_box(image).ends;
            assert_eq!(ends.len(), PIXELS);
            assert!(ends.iter().all(|[lower, upper]| 0.0 <= *lower && lower < upper && *upper <= 1.0));
        }
    }
}
