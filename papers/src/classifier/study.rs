//! A classifier with its private features, and the curves that are drawn for one record.

use super::steps::Steps;
use super::{EPSILON, EPSILONS, KEPT, told};
use crate::data::DataFile;
use crate::{Curve, Panel, ReproduceError, Setting};
use privet::classifier::paper::{self, Hyperrectangle, OverRecords, Search};
use privet::classifier::{
    Classifier, ClassifierError, ModelClassifier, Options, Outside, ProductChannel, Record, Row, Sensitive,
    quantify,
};
use privet::model::Model;
use privet::{BuildOptions, Delta, Epsilon, Generator};

/// A classifier with its private features.
#[derive(Debug)]
pub(super) struct Study {
    pub(super) classifier: ModelClassifier,
    pub(super) sensitive: Sensitive,
    /// The probability with which a record is sent as it is.
    pub(super) indicator: Option<Delta>,
}

impl Study {
    pub(super) fn read(
        setting: &Setting,
        file: DataFile,
        features: impl IntoIterator<Item = usize>,
    ) -> Result<Self, ReproduceError> {
        let model = Model::read(&setting.path(file)).map_err(ClassifierError::from)?;
        let classifier = ModelClassifier::new(model);
        let sensitive = Sensitive::new(features.into_iter().collect(), &classifier)?;
        Ok(Self { classifier, sensitive, indicator: None })
    }

    pub(super) fn with_indicator(self, delta: f64) -> Result<Self, ReproduceError> {
        Ok(Self { indicator: Some(Delta::new(delta)?), ..self })
    }

    pub(super) fn record(&self, values: &[f64]) -> Result<Record, ReproduceError> {
        Ok(Record::new(values.to_vec(), &self.sensitive, Outside::Clamp)?)
    }

    /// The papers' box of a record. Forests are looked up instead of asked.
    pub(super) fn paper_box(
        &self,
        record: &Record,
        search: &Search,
    ) -> Result<Hyperrectangle, ReproduceError> {
        let steps = self.classifier.structure().and_then(|model| Steps::new(model, record, &self.sensitive));
        let classifier = steps.as_ref().map_or(&self.classifier as &dyn Classifier, |steps| steps);
        let mut rng = Generator::from_insecure_seed(70);
        Ok(paper::hyperrectangle(classifier, record, &self.sensitive, search, &mut rng)?)
    }

    /// A mechanism for each private feature, at each epsilon.
    pub(super) fn products(
        &self,
        id: &str,
        parameters: &BuildOptions,
        epsilons: &[f64],
    ) -> Result<Vec<ProductChannel>, ReproduceError> {
        let product = |epsilon: &f64| {
            Ok(ProductChannel::named(id, Epsilon::new(*epsilon)?, parameters, &self.sensitive)?)
        };
        epsilons.iter().map(product).collect()
    }

    /// What is certain about one mechanism, and the shares of drawn reports.
    pub(super) fn known(
        &self,
        record: &Record,
        (label, id): (&str, &str),
        options: &Options,
    ) -> Result<Known, ReproduceError> {
        let products = self.products(id, &BuildOptions::default(), &EPSILONS)?;
        let options = Options { indicator: self.indicator, ..*options };
        self.known_of(record, label, &products, &options)
    }

    /// The same for mechanisms with parameters of their own.
    pub(super) fn known_of(
        &self,
        record: &Record,
        label: &str,
        products: &[ProductChannel],
        options: &Options,
    ) -> Result<Known, ReproduceError> {
        let mut rng = Generator::from_insecure_seed(71);
        let rows = quantify(&self.classifier, record, &self.sensitive, products, options, &mut rng)?;
        let band = |row: &Row| [row.epsilon, row.bound.lower, row.bound.upper];
        let share = |row: &Row| row.empirical.map(|empirical| [row.epsilon, empirical.share]);
        let is_proof = rows.iter().all(|row| row.bound.confidence == 1.0);
        let (basis, reports) = if is_proof {
            ("certified".to_owned(), options.beside)
        } else {
            (format!("band of {}", options.confidence), options.samples)
        };
        Ok(Known {
            certified: Curve::band(format!("{label}, {basis}"), rows.iter().map(band).collect()),
            drawn: Curve::crosses(
                format!("{label}, {reports} reports"),
                rows.iter().filter_map(share).collect(),
            ),
        })
    }

    /// The paper's value.
    pub(super) fn rho(
        &self,
        record: &Record,
        found: &Hyperrectangle,
        (label, id): (&str, &str),
    ) -> Result<Curve, ReproduceError> {
        let point = |product: &ProductChannel| {
            let rho = found.rho(&product.laws(record, &self.sensitive)?);
            Ok([product.epsilon(), self.mixed(rho)])
        };
        let products = self.products(id, &BuildOptions::default(), &EPSILONS)?;
        let points = products.iter().map(point).collect::<Result<_, ReproduceError>>()?;
        Ok(Curve::line(format!("{label}, rho of the paper"), points))
    }

    /// The mean and the smallest of the paper's values over records with their boxes.
    pub(super) fn rhos(
        &self,
        boxed: &[(&Record, Hyperrectangle)],
        (label, id): (&str, &str),
    ) -> Result<[Curve; 2], ReproduceError> {
        let mut points = [Vec::new(), Vec::new()];
        for product in self.products(id, &BuildOptions::default(), &EPSILONS)? {
            let mut rhos = Vec::new();
            for (record, found) in boxed {
                rhos.push(self.mixed(found.rho(&product.laws(record, &self.sensitive)?)));
            }
            if let Some(over) = OverRecords::of(&rhos) {
                points[0].push([product.epsilon(), over.average]);
                points[1].push([product.epsilon(), over.worst]);
            }
        }
        Ok(points.map(|points| Curve::line(format!("{label}, rho of the paper"), points)))
    }

    /// What becomes of a probability when some records are sent as they are.
    pub(super) fn mixed(&self, probability: f64) -> f64 {
        self.indicator.map_or(probability, |delta| paper::with_indicator(probability, delta))
    }

    /// The device sends the class by randomised response, with the epsilon of all features together.
    pub(super) fn answer_alone(&self) -> Curve {
        let classes = self.classifier.structure().map_or(2, Model::classes) as u32;
        let total = |epsilon: f64| epsilon * self.sensitive.count() as f64;
        let point = |epsilon: f64| [epsilon, self.mixed(told(classes, total(epsilon)))];
        Curve::line("the answer alone, best for everybody", EPSILONS.map(point).to_vec())
    }
}

/// A mechanism by epsilon.
pub(super) struct Known {
    pub(super) certified: Curve,
    pub(super) drawn: Curve,
}

/// A chart of probabilities by epsilon.
pub(super) fn panel(name: impl Into<String>, curves: Vec<Curve>) -> Panel {
    Panel { name: name.into(), x_name: EPSILON, y_name: KEPT, is_linear: true, curves, ..Panel::default() }
}
