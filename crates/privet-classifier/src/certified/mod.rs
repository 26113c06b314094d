//! Proven bounds of the probability that a report of a record has the record's own label.

mod convolution;
mod linear;
mod margin;
mod network;
pub(crate) mod partition;
pub(crate) mod trees;

use crate::bound::{Bound, Method};
use crate::law::ReportLaw;
use crate::record::{ProductChannel, Record, Sensitive};
use crate::{Classifier, ClassifierError};
use linear::HalfSpace;
use margin::Margin;
use network::NetworkDecider;
use partition::{Decider, Partition, Stop};
use privet_model::Model;
use trees::{TreeDecider, TreeGrid, TreeRegion};

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

/// The most sensitive features for which a network's reports are cut into boxes.
const MOST_NETWORK_FEATURES: usize = 3;

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
            Model::Network(_) => (sensitive.count() <= MOST_NETWORK_FEATURES, None),
        };
        is_provable.then_some(Self { classifier, model, sensitive, grid })
    }

    /// The grid of a tree ensemble with one or two sensitive features.
    pub(crate) fn grid(&self) -> Option<&TreeGrid<'a>> {
        self.grid.as_ref()
    }

    /// Where a record keeps its label on the grid of a tree ensemble; `None` if the grid is too large.
    pub(crate) fn tree_region(
        &self,
        grid: &TreeGrid<'_>,
        record: &Record,
    ) -> Result<Option<TreeRegion>, ClassifierError> {
        grid.region(record, self.model.predict(record.values())?)
    }

    /// A bound for each product of mechanisms.
    pub(crate) fn bounds(
        &self,
        record: &Record,
        products: &[ProductChannel],
        effort: &Effort,
    ) -> Result<Vec<Bound>, ClassifierError> {
        let label = self.model.predict(record.values())?;
        if let Some(grid) = &self.grid
            && let Some(region) = grid.region(record, label)?
        {
            return self.each(record, products, |laws| {
                let cumulative = [0, 1].map(|axis| grid.cumulative(axis, laws.get(axis)));
                let mass = region.mass([&cumulative[0], &cumulative[1]]);
                Bound::proven(mass, mass, Method::Trees)
            });
        }
        let margins = Margin::of_label(self.model, label);
        match self.model {
            Model::Linear(model) => {
                let half_spaces = HalfSpace::of_margins(model, &margins, record, self.sensitive);
                self.each(record, products, |laws| {
                    let mass = linear::mass(&half_spaces, laws, effort.tolerance);
                    mass.map_or(Bound::unknown(1.0), |[low, high]| Bound::proven(low, high, Method::Linear))
                })
            }
            Model::Trees(trees) => {
                let decider = TreeDecider { trees, margins, record, sensitive: self.sensitive };
                self.search(&decider, (record, label), products, effort)
            }
            Model::Network(network) => {
                let decider = NetworkDecider { network, margins, record, sensitive: self.sensitive };
                self.search(&decider, (record, label), products, effort)
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
        (record, label): (&Record, usize),
        products: &[ProductChannel],
        effort: &Effort,
    ) -> Result<Vec<Bound>, ClassifierError> {
        let asks = |area: &[[f64; 2]]| {
            let mut row = record.values().to_vec();
            for (feature, [_, high]) in self.sensitive.features().iter().zip(area) {
                row[*feature] = *high;
            }
            Ok(self.classifier.labels(&row)? == [label])
        };
        let mut bounds = Vec::new();
        for group in products.chunks(PRODUCTS_AT_ONCE) {
            let laws: Vec<_> =
                group.iter().map(|product| product.laws(record, self.sensitive)).collect::<Result<_, _>>()?;
            let mut partition = Partition::new(decider, &asks, &laws, effort.tolerance);
            partition.run(Stop { tolerance: effort.tolerance, boxes: effort.boxes })?;
            bounds.extend(partition.bounds());
        }
        Ok(bounds)
    }
}
