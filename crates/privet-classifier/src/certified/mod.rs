//! Proven bounds of the probability that a report of a record has the record's own label.

mod convolution;
mod linear;
mod margin;
mod network;
pub(crate) mod partition;
pub(crate) mod trees;

use crate::bound::{Bound, Method};
use crate::classifier::labels_of;
use crate::law::ReportLaw;
use crate::record::{ProductChannel, Record, Sensitive};
use crate::{Classifier, ClassifierError};
use linear::HalfSpace;
pub(crate) use linear::slack;
use margin::Question;
use network::NetworkDecider;
use partition::{Decider, Decision, Partition, Stop};
use privet_model::Model;
use trees::{TreeDecider, TreeGrid};

/// How far proofs go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How far apart both sides may be. Searches end there.
    pub tolerance: f64,
    /// The largest number of boxes that a search cuts the reports into.
    pub boxes: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tolerance: 1e-5, boxes: 100_000 }
    }
}

/// The most sensitive features for which cutting reports into boxes leads anywhere in a short time.
const MOST_SEARCHED: usize = 3;

/// How many products share a search: their laws are in memory together.
const PRODUCTS_AT_ONCE: usize = 16;

/// A classifier with known structure, prepared for questions about many records.
#[derive(Debug)]
pub(crate) struct Certifier<'a> {
    classifier: &'a dyn Classifier,
    model: &'a Model,
    sensitive: &'a Sensitive,
    grid: Option<TreeGrid<'a>>,
}

impl<'a> Certifier<'a> {
    /// `None` where nothing can be proved: the structure is not known, or there are too many sensitive features for it.
    pub(crate) fn new(classifier: &'a dyn Classifier, sensitive: &'a Sensitive) -> Option<Self> {
        let model = classifier.structure()?;
        let (is_provable, grid) = match model {
            Model::Linear(_) => (model.classes() == 2 || sensitive.count() <= 2, None),
            Model::Trees(trees) => (true, TreeGrid::new(model, trees, sensitive)),
            Model::Network(_) => (sensitive.count() <= MOST_SEARCHED, None),
        };
        is_provable.then_some(Self { classifier, model, sensitive, grid })
    }

    /// Whether a proof takes moments: not a search in many dimensions.
    pub(crate) fn is_quick(&self) -> bool {
        matches!(self.model, Model::Linear(_)) || self.sensitive.count() <= MOST_SEARCHED
    }

    /// The grid of a tree ensemble with one or two sensitive features.
    pub(crate) fn grid(&self) -> Option<&TreeGrid<'a>> {
        self.grid.as_ref()
    }

    /// What is asked about each record. A structure that was read leaves labels to what it was read from.
    pub(crate) fn questions(&self, records: &'a [Record]) -> Result<Vec<Question<'a>>, ClassifierError> {
        let labels = if self.classifier.decides_ties() {
            labels_of(self.classifier, records)?
        } else {
            let label = |record: &Record| self.model.predict(record.values());
            records.iter().map(label).collect::<Result<_, _>>()?
        };
        let about = (self.classifier, self.model);
        let pairs = records.iter().zip(labels);
        Ok(pairs.map(|pair| Question::new(about, pair, self.sensitive)).collect())
    }

    /// What is asked about one record.
    pub(crate) fn question(&self, record: &'a Record) -> Result<Question<'a>, ClassifierError> {
        let mut questions = self.questions(std::slice::from_ref(record))?;
        questions.pop().ok_or(ClassifierError::LabelCount { expected: 1, got: 0 })
    }

    /// A bound for each product of mechanisms.
    pub(crate) fn bounds(
        &self,
        question: &Question<'a>,
        products: &[ProductChannel],
        effort: &Effort,
    ) -> Result<Vec<Bound>, ClassifierError> {
        let record = question.record;
        if let Some(grid) = &self.grid
            && let Some(region) = grid.region(question)?
        {
            return self.each(record, products, |laws| {
                let cumulative = [0, 1].map(|axis| grid.cumulative(axis, laws.get(axis)));
                let mass = region.mass([&cumulative[0], &cumulative[1]]);
                Bound::proven(mass, mass, Method::Trees)
            });
        }
        match self.model {
            Model::Linear(model) => self.each(record, products, |laws| {
                let area: Vec<[f64; 2]> = laws.iter().map(ReportLaw::ends).collect();
                let half_spaces = HalfSpace::of_question(model, question, &area);
                let mass = linear::mass(&half_spaces, laws, effort.tolerance);
                mass.map_or(Bound::unknown(1.0), |[low, high]| Bound::proven(low, high, Method::Linear))
            }),
            Model::Trees(trees) => self.search(&TreeDecider { trees, question }, record, products, effort),
            Model::Network(network) => {
                self.search(&NetworkDecider { network, question }, record, products, effort)
            }
        }
    }

    /// One product after the other: laws of noise are large.
    fn each(
        &self,
        record: &Record,
        products: &[ProductChannel],
        bound: impl Fn(&[ReportLaw<'_>]) -> Bound,
    ) -> Result<Vec<Bound>, ClassifierError> {
        products.iter().map(|product| Ok(bound(&product.laws(record, self.sensitive)?))).collect()
    }

    /// One search for several products: what a box is judged to be holds for all of them.
    fn search(
        &self,
        decider: &dyn Decider,
        record: &Record,
        products: &[ProductChannel],
        effort: &Effort,
    ) -> Result<Vec<Bound>, ClassifierError> {
        let mut bounds = Vec::new();
        for group in products.chunks(PRODUCTS_AT_ONCE) {
            let laws: Vec<_> =
                group.iter().map(|product| product.laws(record, self.sensitive)).collect::<Result<_, _>>()?;
            let mut partition = Partition::new(decider, &laws, effort.tolerance);
            partition.run(Stop { tolerance: effort.tolerance, boxes: effort.boxes })?;
            bounds.extend(partition.bounds());
        }
        Ok(bounds)
    }

    /// Whether all rows with sensitive features in a box, ends included, certainly have the record's label.
    pub(crate) fn is_same_on(
        &self,
        question: &Question<'_>,
        area: &[[f64; 2]],
    ) -> Result<bool, ClassifierError> {
        // The boxes of a search do not contain their lower ends.
        let open = area.iter().map(|[from, to]| [from.next_down(), *to]).collect();
        match self.model {
            Model::Linear(model) => Ok(HalfSpace::of_question(model, question, area)
                .iter()
                .all(|half_space| half_space.holds(area))),
            Model::Trees(trees) => is_same_inside(&TreeDecider { trees, question }, open),
            Model::Network(network) => is_same_inside(&NetworkDecider { network, question }, open),
        }
    }
}

/// Cuts a box until every part is known to have the record's label, or one is not, or it takes too long.
fn is_same_inside(decider: &dyn Decider, area: Vec<[f64; 2]>) -> Result<bool, ClassifierError> {
    const MOST_PARTS: usize = 10_000;
    let mut waiting = vec![area];
    for _ in 0..MOST_PARTS {
        let Some(area) = waiting.pop() else { return Ok(true) };
        let is_same = match decider.decide(&area)? {
            Decision::Same => true,
            Decision::Different => false,
            Decision::HalfSpaces(half_spaces) => half_spaces.iter().all(|half_space| half_space.holds(&area)),
            Decision::Ask => decider.ask(&area)?,
            Decision::Split { axis, at } if area[axis][0] < at && at < area[axis][1] => {
                let mut parts = [area.clone(), area];
                parts[0][axis][1] = at;
                parts[1][axis][0] = at;
                waiting.extend(parts);
                continue;
            }
            Decision::Split { .. } => decider.ask(&area)?,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(false)
}
