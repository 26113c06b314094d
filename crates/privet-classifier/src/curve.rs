//! The worth of a classifier for one record: bounds beside drawn reports, for each mechanism and epsilon.

use crate::bound::Bound;
use crate::certified::{Certifier, Effort};
use crate::record::{ProductChannel, Record, Sensitive, check_fit};
use crate::statistical::{Empirical, count_same, empirical};
use crate::{Classifier, ClassifierError};
use privet_core::{Delta, Generator, Guarantee, ParameterError};

/// Which way to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approach {
    /// A proof where the structure is known and the sensitive features are few enough, otherwise samples.
    Automatic,
    /// Only a proof.
    Proof,
    /// Only samples, also where a proof is possible.
    Samples,
}

/// How bounds are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Which way.
    pub approach: Approach,
    /// How far proofs go.
    pub effort: Effort,
    /// How many reports are drawn for each bound that is not a proof.
    pub samples: usize,
    /// How many reports are drawn for the empirical share beside each proof; zero is none.
    pub beside: usize,
    /// The probability that all statements from samples hold together.
    pub confidence: f64,
    /// The probability with which the whole record is sent as it is: the papers' privacy indicator.
    pub indicator: Option<Delta>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            approach: Approach::Automatic,
            effort: Effort::default(),
            samples: 20_000,
            beside: 2_000,
            confidence: 0.999,
            indicator: None,
        }
    }
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), ClassifierError> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            let option = "confidence";
            return Err(ClassifierError::Option { option, allowed: "between 0 and 1", got: self.confidence });
        }
        if !(self.effort.tolerance > 0.0 && self.effort.tolerance <= 1.0) {
            let got = self.effort.tolerance;
            return Err(ClassifierError::Option {
                option: "tolerance",
                allowed: "above 0 and at most 1",
                got,
            });
        }
        if self.samples == 0 {
            return Err(ClassifierError::Option { option: "samples", allowed: "at least 1", got: 0.0 });
        }
        Ok(())
    }

    /// The certifier, if a proof is wanted and possible.
    pub(crate) fn certifier<'a>(
        &self,
        classifier: &'a dyn Classifier,
        sensitive: &'a Sensitive,
    ) -> Result<Option<Certifier<'a>>, ClassifierError> {
        let found = match self.approach {
            Approach::Samples => None,
            Approach::Automatic => Certifier::new(classifier, sensitive).filter(Certifier::is_quick),
            Approach::Proof => Certifier::new(classifier, sensitive),
        };
        if found.is_none() && self.approach == Approach::Proof {
            return Err(ClassifierError::Method {
                method: "proof",
                needs: "a model whose structure is known: trees, a linear model (with more than two classes: at most \
                        two sensitive features), or a network with at most three sensitive features",
            });
        }
        Ok(found)
    }

    /// What is promised about a whole record.
    pub(crate) fn guarantee(&self, product: &ProductChannel) -> Result<Guarantee, ParameterError> {
        match (self.indicator, product.total()) {
            (None, total) => Ok(total),
            (Some(delta), Guarantee::Pure { epsilon }) => Ok(Guarantee::Approximate { epsilon, delta }),
            (Some(_), _) => Err(ParameterError::Incompatible {
                reason: "an indicator needs mechanisms with a pure guarantee".to_owned(),
            }),
        }
    }
}

/// One mechanism at one epsilon.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The mechanism's id.
    pub mechanism: &'static str,
    /// The epsilon of each sensitive feature.
    pub epsilon: f64,
    /// What all reports of the record promise together.
    pub total: Guarantee,
    /// The probability of the same label.
    pub bound: Bound,
    /// The share among drawn reports, with its interval.
    pub empirical: Option<Empirical>,
}

/// The probability that the classifier gives a report of the record the record's own label, for each product of mechanisms.
///
/// # Errors
/// When the classifier cannot be asked or contradicts itself, or options and mechanisms do not fit.
pub fn quantify(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    products: &[ProductChannel],
    options: &Options,
    rng: &mut Generator,
) -> Result<Vec<Row>, ClassifierError> {
    options.check()?;
    check_fit(classifier, sensitive, std::slice::from_ref(record))?;
    let certifier = options.certifier(classifier, sensitive)?;
    let proven = certifier
        .map(|certifier| certifier.bounds(&certifier.question(record)?, products, &options.effort))
        .transpose()?;
    let alpha = (1.0 - options.confidence) / products.len().max(1) as f64;
    let samples = if proven.is_some() { options.beside } else { options.samples };
    let mut rows = Vec::with_capacity(products.len());
    for (index, product) in products.iter().enumerate() {
        let drawn = if samples > 0 {
            let laws = product.laws(record, sensitive)?;
            let count = count_same(classifier, record, sensitive, &laws, samples, rng)?;
            Some(empirical(count, alpha, options.confidence))
        } else {
            None
        };
        let bound = proven.as_ref().map(|bounds| bounds[index]).or(drawn.map(|drawn| drawn.bound));
        let mixed = |bound: Bound| options.indicator.map_or(bound, |delta| bound.with_indicator(delta));
        rows.push(Row {
            mechanism: product.id(),
            epsilon: product.epsilon(),
            total: options.guarantee(product)?,
            bound: mixed(bound.unwrap_or(Bound::unknown(options.confidence))),
            empirical: drawn.map(|drawn| drawn.mixed(options.indicator)),
        });
    }
    Ok(rows)
}

impl Empirical {
    pub(crate) fn mixed(self, indicator: Option<Delta>) -> Self {
        let Some(delta) = indicator else { return self };
        let share = delta.get() + (1.0 - delta.get()) * self.share;
        Self { share, bound: self.bound.with_indicator(delta) }
    }
}
