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
/// Of so many images the boxes are stored: each costs more than seven minutes of one core.
const BOXED: usize = 2;
/// Growth "starts" where it is so many times as fast as before: steady growth has the factor one.
const STARTS: f64 = 2.0;
/// A gap between rho and the truth that is "large": the paper gives no number.
const LARGE: f64 = 0.3;

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
    let (mut is_best, mut rhos_of_images) = (true, Vec::new());
    for image in [0, 1] {
        let record = study.record(&pixels.iter().map(|column| column[image]).collect::<Vec<_>>())?;
        let known: Vec<Known> = MECHANISMS
            .into_iter()
            .map(|mechanism| study.known(&record, mechanism, &options))
            .collect::<Result<_, _>>()?;
        let (pm, others) = (&known[0], &known[1..]);
        let is_entirely_above = |other: &Known| {
            other.certified.band.iter().zip(&pm.certified.band).any(|(other, pm)| other[1] > pm[2])
        };
        is_best &= !others.iter().any(is_entirely_above);
        let mut curves: Vec<Curve> = known.iter().map(|one| one.certified.clone()).collect();
        curves.push(study.answer_alone());
        let found = checked_box(&mut findings, &study, (image, &record), setting.effort)?;
        let rhos = MECHANISMS.into_iter().map(|mechanism| study.rho(&record, &found, mechanism));
        let mut rhos: Vec<Curve> = rhos.collect::<Result<_, _>>()?;
        findings.panels.push(pixel_panel(format!("image {image}"), curves));
        rhos.push(pm.certified.clone());
        findings.panels.push(pixel_panel(format!("image {image}, rho"), rhos.clone()));
        rhos_of_images.push(rhos);
    }
    findings.holds("classifier-fig77-order", is_best);
    claims(&mut findings, &rhos_of_images);
    Ok(findings)
}

/// The stored box of an image, if it is what the paper's search may find: one with more other labels has no ends, and no rho.
fn checked_box(
    findings: &mut Findings,
    study: &Study,
    (image, record): (usize, &Record),
    effort: Effort,
) -> Result<Hyperrectangle, ReproduceError> {
    let found = stored_box(image);
    let other = other_labels(study, record, &found, effort.pick(1000, 20_000))?;
    findings.entry("share of other labels in the paper's box", format!("image {image}"), other);
    Ok(if other < TAU { found } else { Hyperrectangle { ends: vec![[f64::NAN; 2]; PIXELS] } })
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

/// How many times as fast a curve grows above an epsilon as up to it.
fn growth(rho: &Curve, epsilon: f64) -> f64 {
    let slope = |from: f64, to: f64| (rho.at(to) - rho.at(from)) / (to - from);
    slope(epsilon, EPSILONS[EPSILONS.len() - 1]) / slope(EPSILONS[0], epsilon)
}

/// The claims about the curves of each image: rho of all mechanisms, then the band of PM. They hold if they do for all images.
fn claims(findings: &mut Findings, images: &[Vec<Curve>]) {
    let mut judged = Vec::new();
    for (image, curves) in images.iter().enumerate() {
        let [rho, _, _, rho_of_response, band] = curves.as_slice() else { return };
        let name = format!("image {image}");
        for (label, rho) in [("PM", rho), ("k-RR", rho_of_response)] {
            for epsilon in [4.0, 6.0, 8.0] {
                let series = format!("rho of {label} without the indicator, epsilon {epsilon}");
                findings.entry(series, &name, without_indicator(rho.at(epsilon)));
            }
        }
        let lower =
            band.band.iter().find(|[epsilon, ..]| *epsilon == 4.0).map_or(f64::NAN, |[_, lower, _]| *lower);
        let own = [growth(rho, 4.0), growth(rho_of_response, 6.0), lower - rho.at(4.0)];
        findings.entry("growth of rho above epsilon 4 over that up to 4, PM", &name, own[0]);
        findings.entry("growth of rho above epsilon 6 over that up to 6, k-RR", &name, own[1]);
        findings.entry("gap between rho and the band, PM, epsilon 4", &name, own[2]);
        judged.push(own);
    }
    let exceed = |place: usize, least: f64| judged.iter().all(|own| own[place] > least);
    findings.holds("classifier-fig77-pm", exceed(0, STARTS));
    findings.holds("classifier-fig77-krr", exceed(1, STARTS));
    findings.holds("classifier-fig77-gap", exceed(2, LARGE));
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
    // Three standard errors of the difference of two shares, at most.
    let slack = 3.0 * (0.5 / (records.len() * samples(setting.effort)) as f64).sqrt();
    let is_best = averages[1..].iter().all(|other| other.is_below(&averages[0], slack));
    findings.holds("classifier-e7-order", is_best);
    for other in &averages[1..] {
        findings.entry("smallest lead of PM at any epsilon", &other.label, averages[0].lead_over(other));
    }
    findings.entry("smallest lead of PM at any epsilon", "three standard errors", slack);
    findings.entry("images", "", records.len() as f64);
    averages.push(study.answer_alone());
    worsts.push(study.answer_alone());
    findings.panels.push(pixel_panel("average", averages));
    findings.panels.push(pixel_panel("worst", worsts));
    boxed_panels(&mut findings, setting, &study, &records[..BOXED.min(records.len())])?;
    Ok(findings)
}

/// The paper's value over the images with a stored box, beside what PM keeps of the same images.
fn boxed_panels(
    findings: &mut Findings,
    setting: &Setting,
    study: &Study,
    records: &[Record],
) -> Result<(), ReproduceError> {
    let mut boxed = Vec::new();
    for (image, record) in records.iter().enumerate() {
        boxed.push((record, checked_box(findings, study, (image, record), setting.effort)?));
    }
    let [average, worst] = over_images(setting, study, records, PM)?;
    let (mut averages, mut worsts) = (vec![average], vec![worst]);
    for mechanism in MECHANISMS {
        let [average, worst] = study.rhos(&boxed, mechanism)?;
        averages.push(average);
        worsts.push(worst);
    }
    findings.entry("images", "with a box of the paper", boxed.len() as f64);
    findings.panels.push(pixel_panel(format!("average, rho of {BOXED} images"), averages));
    findings.panels.push(pixel_panel(format!("worst, rho of {BOXED} images"), worsts));
    Ok(())
}

/// How many reports of one image are drawn: so many that three standard errors of a difference are below .03, with eight
/// images as with fifty.
fn samples(effort: Effort) -> usize {
    effort.pick(640, 400)
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

    /// Slopes .01 up to 4 and .05 above it; steady growth has the factor one.
    #[test]
    fn growth_compares_slopes() {
        let bent = |epsilon: f64| 0.01 * epsilon + 0.04 * (epsilon - 4.0).max(0.0);
        let line = |height: &dyn Fn(f64) -> f64| {
            Curve::line("", EPSILONS.map(|epsilon| [epsilon, height(epsilon)]).to_vec())
        };
        assert!((growth(&line(&bent), 4.0) - 5.0).abs() < 1e-9);
        assert!((growth(&line(&|epsilon| 0.1 * epsilon), 6.0) - 1.0).abs() < 1e-9);
    }

    /// A product over fewer pixels would be larger than the paper's value.
    #[test]
    fn stored_boxes_have_two_ends_for_each_pixel() {
        for image in 0..BOXED {
            let ends = stored_box(image).ends;
            assert_eq!(ends.len(), PIXELS);
            assert!(ends.iter().all(|[lower, upper]| 0.0 <= *lower && lower < upper && *upper <= 1.0));
        }
    }
}
