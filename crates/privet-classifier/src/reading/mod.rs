//! Models that were read from something which still answers for itself, such as a fitted estimator of another library.
//!
//! A proof about the model is one about the estimator only if both compute the same. So they are compared first: on the records,
//! on drawn reports and on reports that are merely possible, on both sides of the decision boundary, and on both sides of the
//! thresholds of trees. One difference is enough to drop the model. Rows whose scores differ by no more than
//! [`TIE`](privet_model::TIE) and the rounding of sums are not compared, because rounding decides there; proofs leave these rows open or
//! ask the estimator about them.

mod points;

use crate::certified::slack;
use crate::classifier::{ask, check_determinism};
use crate::record::{ProductChannel, Record, Sensitive, check_fit};
use crate::{Classifier, ClassifierError};
use points::{Reports, beside_thresholds, boundary};
use privet_core::Generator;
use privet_model::{Linear, Model, ModelError, Node, TIE, Tree, Trees};
use std::fmt;

/// What a classifier is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The people.
    pub records: &'a [Record],
    /// What is private about them.
    pub sensitive: &'a Sensitive,
    /// How it is randomised.
    pub products: &'a [ProductChannel],
}

/// Something that answers for itself, and a model that was found to compute the same.
#[derive(Debug)]
pub struct ReadClassifier {
    own: Box<dyn Classifier>,
    model: Model,
    decides_ties: bool,
}

impl Classifier for ReadClassifier {
    fn inputs(&self) -> usize {
        self.own.inputs()
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        self.own.labels(rows)
    }

    fn structure(&self) -> Option<&Model> {
        Some(&self.model)
    }

    fn decides_ties(&self) -> bool {
        self.decides_ties
    }
}

/// Where a model and what it was read from give different labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// How many rows both were asked about.
    pub compared: usize,
    /// In how many of the records they differ.
    pub records: usize,
    /// In how many reports.
    pub reports: usize,
    /// In how many rows beside a decision boundary or a threshold.
    pub beside: usize,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, records, reports, beside } = self;
        let all = records + reports + beside;
        write!(
            formatter,
            "what was read from the classifier gives another label than the classifier itself at {all} of {compared} rows \
             ({records} records, {reports} reports, {beside} beside a decision boundary or a threshold)"
        )
    }
}

/// What became of a comparison.
#[derive(Debug)]
pub enum Reading {
    /// No difference was found.
    Confirmed(ReadClassifier),
    /// There are differences; the model is of no use.
    Refuted {
        /// What answers for itself.
        own: Box<dyn Classifier>,
        /// Where they are.
        disagreement: Disagreement,
    },
}

impl Reading {
    /// Compares a model with what it was read from. The classes of both must have the same numbers.
    ///
    /// # Errors
    /// When the records or the model do not fit, the model is a regression, or the classifier cannot be asked or contradicts itself.
    pub fn compare(
        own: Box<dyn Classifier>,
        model: Model,
        asked: Asked<'_>,
        rng: &mut Generator,
    ) -> Result<Self, ClassifierError> {
        if model.inputs() != own.inputs() {
            return Err(ClassifierError::Arity { expected: model.inputs(), got: own.inputs() });
        }
        if model.gives_values() {
            return Err(ModelError::Values.into());
        }
        check_fit(&*own, asked.sensitive, asked.records)?;
        let model = scaled(model);
        let decides_ties = !has_exact_ties(&model);
        let pair = Pair { own: &*own, model: &model, decides_ties, rounding: Rounding::of(&model) };
        let disagreement = pair.compare(asked, rng)?;
        if disagreement.records + disagreement.reports + disagreement.beside > 0 {
            return Ok(Self::Refuted { own, disagreement });
        }
        Ok(Self::Confirmed(ReadClassifier { own, model, decides_ties }))
    }
}

/// A classifier and the model that may be it.
struct Pair<'a> {
    own: &'a dyn Classifier,
    model: &'a Model,
    decides_ties: bool,
    rounding: Rounding,
}

/// What both say about some rows.
struct Answers {
    own: Vec<usize>,
    model: Vec<usize>,
    /// How many rows have labels that rounding does not explain.
    different: usize,
}

impl Pair<'_> {
    fn compare(&self, asked: Asked<'_>, rng: &mut Generator) -> Result<Disagreement, ClassifierError> {
        let width = self.model.inputs();
        let records: Vec<f64> = asked.records.iter().flat_map(Record::values).copied().collect();
        check_determinism(self.own, &records[..records.len().min(64 * width)])?;
        let of_records = self.ask(&records)?;
        let Reports { rows, owners } = Reports::draw(asked, rng)?;
        let of_reports = self.ask(&rows)?;
        let mut beside = Vec::new();
        let own = |rows: &[f64]| ask(self.own, rows);
        let read = |rows: &[f64]| rows.chunks(width).map(|row| Ok(self.model.predict(row)?)).collect();
        let table = points::Table { width, records: &records, reports: &rows, owners: &owners };
        beside.extend(boundary(&table, [&of_records.own, &of_reports.own], own)?);
        beside.extend(boundary(&table, [&of_records.model, &of_reports.model], read)?);
        if let Model::Trees(trees) = self.model {
            beside.extend(beside_thresholds(trees, &table));
        }
        let different = self.ask(&beside)?.different;
        Ok(Disagreement {
            compared: (records.len() + rows.len() + beside.len()) / width,
            records: of_records.different,
            reports: of_reports.different,
            beside: different,
        })
    }

    fn ask(&self, rows: &[f64]) -> Result<Answers, ClassifierError> {
        let own = ask(self.own, rows)?;
        let mut scores = vec![0.0; self.model.outputs()];
        let mut model = Vec::with_capacity(own.len());
        let mut different = 0;
        for (row, label) in rows.chunks(self.model.inputs()).zip(&own) {
            self.model.scores(row, &mut scores)?;
            let read = self.model.label(&scores)?;
            different += usize::from(read != *label && !self.may_be(*label, row, &scores));
            model.push(read);
        }
        Ok(Answers { own, model, different })
    }

    /// Whether rounding can have made this label of these scores.
    fn may_be(&self, label: usize, row: &[f64], scores: &[f64]) -> bool {
        if !self.decides_ties || label >= self.model.classes() {
            return false;
        }
        let room = TIE + self.rounding.at(self.model, row);
        match scores {
            [score] => (score - self.model.threshold()).abs() <= room,
            _ => scores.iter().all(|score| score - scores[label] <= room),
        }
    }
}

/// How far the sums of two programs that add up in their own way can be apart.
enum Rounding {
    /// For trees, the same for all rows.
    Trees(f64),
    /// For linear models it grows with the row.
    Row,
}

impl Rounding {
    fn of(model: &Model) -> Self {
        let Model::Trees(trees) = model else { return Self::Row };
        let largest =
            |tree: &Tree| leaves(tree).flatten().fold(0.0, |size: f64, value| size.max(value.abs()));
        let size: f64 = trees.trees().iter().map(largest).sum();
        Self::Trees(slack(trees.trees().len() + 1) * size)
    }

    fn at(&self, model: &Model, row: &[f64]) -> f64 {
        match (self, model) {
            (Self::Trees(rounding), _) => *rounding,
            (Self::Row, Model::Linear(linear)) => {
                let size = |score: usize| {
                    let weights = linear.weights().row(score);
                    let products = weights.iter().zip(row).map(|(weight, value)| (weight * value).abs());
                    products.sum::<f64>() + linear.intercepts()[score].abs()
                };
                2.0 * slack(row.len() + 1) * (0..linear.outputs()).map(size).fold(0.0, f64::max)
            }
            // What other programs round in a network is not known, and a difference is a difference.
            (Self::Row, _) => 0.0,
        }
    }
}

fn leaves(tree: &Tree) -> impl Iterator<Item = &[f64]> {
    tree.nodes().iter().filter_map(|node| match node {
        Node::Leaf { values } => Some(&**values),
        Node::Split { .. } => None,
    })
}

/// The same linear model in units in which its weights are about one, so that small weights are no ties. A power of two
/// changes no label, and no digit.
fn scaled(model: Model) -> Model {
    let Model::Linear(linear) = &model else { return model };
    let largest = linear.weights().amax();
    let factor = if largest > 0.0 { (-largest.log2().floor()).exp2() } else { 1.0 };
    let (weights, intercepts) = (linear.weights() * factor, linear.intercepts() * factor);
    // Where such a number overflows, the units stay.
    Linear::new(weights, intercepts).map_or(model, Model::Linear)
}

/// Whether sums of leaves are exact in every order, as those of votes are. Then a tie is a tie for every program, and goes to
/// the lowest class.
fn has_exact_ties(model: &Model) -> bool {
    const PARTS: f64 = 65_536.0;
    const MOST_TREES: usize = 4_096;
    let is_exact = |value: &f64| (value * PARTS).fract() == 0.0 && value.abs() <= PARTS;
    let of_trees = |trees: &Trees| {
        trees.trees().len() <= MOST_TREES
            && trees.outputs() > 1
            && trees.base().iter().all(|base| *base == 0.0)
            && trees.trees().iter().flat_map(leaves).flatten().all(is_exact)
    };
    matches!(model, Model::Trees(trees) if of_trees(trees))
}
