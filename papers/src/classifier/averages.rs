//! Mean and smallest probability over the people of a table.

use super::bank::{self, gaussian_share};
use super::study::{Study, panel};
use super::{
    BANK, BANK_LR, BANK_RF, BANK_RF_UNITS, EPSILONS, EXPONENTIAL, LAPLACE, LAPLACE_UNCUT, PM, STROKE,
    STROKE_LR, STROKE_RF, stroke,
};
use crate::channel::curve;
use crate::data::{DataFile, column};
use crate::{Curve, Effort, Findings, ReproduceError, Setting};
use privet::classifier::paper::{Hyperrectangle, Search};
use privet::classifier::{DataRow, Options, Record, quantify_all};
use privet::{BuildOptions, Generator};

const STROKE_COLUMNS: &[&str] =
    &["age", "hypertension", "heart_disease", "ever_married", "avg_glucose_level", "bmi"];
const BANK_COLUMNS: &[&str] = &[
    "CreditScore",
    "Age",
    "Tenure",
    "Balance",
    "NumOfProducts",
    "IsActiveMember",
    "EstimatedSalary",
    "Satisfaction Score",
    "Point Earned",
];

/// A classifier with the people that it judges.
struct People {
    study: Study,
    records: Vec<Record>,
}

/// What became of one mechanism.
struct Lines {
    average: Curve,
    worst: Curve,
    drawn: Curve,
}

impl People {
    /// Some rows of a table, evenly from all parts of it: tables may be sorted.
    fn read(
        setting: &Setting,
        study: Study,
        (file, columns): (DataFile, &[&str]),
        most: usize,
    ) -> Result<Self, ReproduceError> {
        let path = setting.path(file);
        let columns: Vec<Vec<f64>> =
            columns.iter().map(|name| column(&path, name)).collect::<Result<_, _>>()?;
        let count = columns.first().map_or(0, Vec::len);
        let row = |index: usize| columns.iter().map(|column| column[index]).collect::<Vec<f64>>();
        let chosen = (0..count).step_by(count.div_ceil(most).max(1));
        let records = chosen.map(|index| study.record(&row(index))).collect::<Result<_, _>>()?;
        Ok(Self { study, records })
    }

    /// Some of the people, evenly from all parts, with the papers' box of each.
    fn boxed(&self, effort: Effort) -> Result<Vec<(&Record, Hyperrectangle)>, ReproduceError> {
        let search = Search { tolerance: effort.pick(0.05, 0.01), ..Search::default() };
        let stride = self.records.len().div_ceil(effort.pick(10, 50)).max(1);
        let found = |record| Ok((record, self.study.paper_box(record, &search)?));
        self.records.iter().step_by(stride).map(found).collect()
    }

    fn lines(&self, (label, id): (&str, &str)) -> Result<Lines, ReproduceError> {
        let Study { classifier, sensitive, indicator } = &self.study;
        let products = self.study.products(id, &BuildOptions::default(), &EPSILONS)?;
        let options = Options { indicator: *indicator, ..Options::default() };
        let mut rng = Generator::from_insecure_seed(75);
        let rows = quantify_all(classifier, &self.records, sensitive, &products, &options, &mut rng)?;
        let band = |bound: privet::classifier::Bound, row: &DataRow| [row.epsilon, bound.lower, bound.upper];
        let average = rows.iter().map(|row| band(row.average(), row)).collect();
        let worst = rows.iter().map(|row| band(row.worst(), row)).collect();
        let share = |row: &DataRow| row.empirical.map(|drawn| [row.epsilon, drawn.share]);
        Ok(Lines {
            average: Curve::band(format!("{label}, certified"), average),
            worst: Curve::band(format!("{label}, certified"), worst),
            drawn: Curve::crosses(format!("{label}, drawn"), rows.iter().filter_map(share).collect()),
        })
    }

    /// Two charts; gives the certified averages of all mechanisms.
    fn draw(
        &self,
        findings: &mut Findings,
        boxed: &[(&Record, Hyperrectangle)],
        gaussian: Option<Curve>,
    ) -> Result<Vec<Curve>, ReproduceError> {
        let (mut averages, mut worsts, mut certified) = (Vec::new(), Vec::new(), Vec::new());
        for mechanism in [PM, EXPONENTIAL, LAPLACE] {
            let Lines { average, worst, drawn } = self.lines(mechanism)?;
            certified.push(average.clone());
            averages.extend([average, drawn]);
            worsts.push(worst);
        }
        for mechanism in [PM, EXPONENTIAL, LAPLACE_UNCUT] {
            let [average, worst] = self.study.rhos(boxed, mechanism)?;
            averages.push(average);
            worsts.push(worst);
        }
        certified.extend(gaussian.clone());
        averages.extend(gaussian);
        averages.push(self.study.answer_alone());
        worsts.push(self.study.answer_alone());
        findings.entry("people", "in the certified lines", self.records.len() as f64);
        findings.entry("people", "with a box of the paper", boxed.len() as f64);
        findings.panels.push(panel("average", averages));
        findings.panels.push(panel("worst", worsts));
        Ok(certified)
    }
}

/// Whether each curve is above the next one at every epsilon, and by how much at least.
fn is_falling(findings: &mut Findings, curves: &[Curve]) -> bool {
    for pair in curves.windows(2) {
        let place = format!("{} over {}", pair[0].label, pair[1].label);
        findings.entry("smallest lead at any epsilon", place, pair[0].lead_over(&pair[1]));
    }
    curves.windows(2).all(|pair| pair[1].is_below(&pair[0], 0.0))
}

fn stroke_people(setting: &Setting, file: DataFile, most: usize) -> Result<People, ReproduceError> {
    let study = Study::read(setting, file, stroke::SENSITIVE)?;
    People::read(setting, study, (STROKE, STROKE_COLUMNS), most)
}

pub(super) fn figure_e_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let people = stroke_people(setting, STROKE_LR, setting.effort.pick(60, 1000))?;
    let boxed = people.boxed(setting.effort)?;
    let certified = people.draw(&mut findings, &boxed, None)?;
    let is_ordered = is_falling(&mut findings, &certified);
    findings.holds("classifier-e3-order", is_ordered);
    // The exact values of the same people: where nothing is drawn, there is no noise.
    let [_, rho] = people.study.rhos(&boxed, PM)?;
    let records = boxed.iter().map(|(record, _)| (*record).clone()).collect();
    let exact = People { records, study: Study::read(setting, STROKE_LR, stroke::SENSITIVE)? };
    let worst = exact.lines(PM)?.worst;
    findings.entry("smallest distance of the worst case above rho", "PM, same people", worst.lead_over(&rho));
    findings.holds("classifier-e3-above", rho.is_below(&worst, 1e-4));
    Ok(findings)
}

pub(super) fn figure_e_4(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let most = setting.effort.pick(60, 1000);
    let forest = stroke_people(setting, STROKE_RF, most)?;
    forest.draw(&mut findings, &forest.boxed(setting.effort)?, None)?;
    let linear = stroke_people(setting, STROKE_LR, most)?;
    findings.holds("classifier-e4-order", forest.lines(PM)?.worst.is_below(&linear.lines(PM)?.worst, 0.0));
    Ok(findings)
}

fn bank_people(
    setting: &Setting,
    file: DataFile,
    table: DataFile,
    most: usize,
) -> Result<People, ReproduceError> {
    let study = Study::read(setting, file, bank::SENSITIVE)?.with_indicator(bank::DELTA)?;
    People::read(setting, study, (table, BANK_COLUMNS), most)
}

/// Gaussian noise of theorem 18, drawn.
fn gaussian(people: &People, each: usize) -> Result<Curve, ReproduceError> {
    let share = |epsilon: f64| gaussian_share(&people.study, &people.records, each, epsilon);
    let line = curve("Gaussian (theorem 18), drawn", &EPSILONS, share)?;
    Ok(Curve::crosses(line.label, line.points))
}

pub(super) fn figure_e_5(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let people = bank_people(setting, BANK_LR, BANK, setting.effort.pick(60, 500))?;
    let boxed = people.boxed(setting.effort)?;
    let certified = people.draw(&mut findings, &boxed, Some(gaussian(&people, 20)?))?;
    let is_ordered = is_falling(&mut findings, &certified);
    findings.holds("classifier-e5-order", is_ordered);
    Ok(findings)
}

pub(super) fn figure_e_6(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let people = bank_people(setting, BANK_RF, BANK_RF_UNITS, setting.effort.pick(60, 500))?;
    let boxed = people.boxed(setting.effort)?;
    let certified = people.draw(&mut findings, &boxed, Some(gaussian(&people, 20)?))?;
    let is_ordered = is_falling(&mut findings, &certified);
    findings.holds("classifier-e6-order", is_ordered);
    Ok(findings)
}
