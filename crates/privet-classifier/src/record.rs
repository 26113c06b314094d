//! Records, and which of their features are private.

use crate::law::{ReportChannel, ReportLaw};
use crate::{Classifier, ClassifierError};
use privet_core::{Budget, BuildOptions, Epsilon, Guarantee, ParameterError};
use std::fmt;
use std::sync::Arc;

/// Which features are randomised before they leave the device. The others are sent as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitive {
    features: Vec<usize>,
    inputs: usize,
}

impl Sensitive {
    /// Features of rows that this classifier reads, counted from 0.
    ///
    /// # Errors
    /// When there is none, one is named twice, or there is no such feature.
    pub fn new(features: Vec<usize>, classifier: &dyn Classifier) -> Result<Self, ClassifierError> {
        let inputs = classifier.inputs();
        if let Some(got) = features.iter().copied().find(|feature| *feature >= inputs) {
            return Err(ClassifierError::NoSuchFeature { inputs, got });
        }
        let mut sorted = features.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.is_empty() || sorted.len() != features.len() {
            return Err(ClassifierError::Features { got: features });
        }
        Ok(Self { features, inputs })
    }

    /// The features, in the order in which they were named.
    pub fn features(&self) -> &[usize] {
        &self.features
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.features.len()
    }

    /// How many numbers a record has.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
}

/// What happens to a sensitive feature outside [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// It is an error.
    Refuse,
    /// It becomes the nearest end, before anything else happens to it.
    Clamp,
}

/// The numbers of one person.
#[derive(Clone, PartialEq)]
pub struct Record {
    values: Vec<f64>,
}

impl fmt::Debug for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Record(of {} private numbers)", self.values.len())
    }
}

impl Record {
    /// Checks a record. With [`Outside::Clamp`] the record is the clamped one in all that follows, and its label is the one
    /// that reports are held against.
    ///
    /// # Errors
    /// When it has another length, a number is not finite, or a sensitive one lies outside [0, 1].
    pub fn new(
        mut values: Vec<f64>,
        sensitive: &Sensitive,
        outside: Outside,
    ) -> Result<Self, ClassifierError> {
        if values.len() != sensitive.inputs {
            return Err(ClassifierError::Arity { expected: sensitive.inputs, got: values.len() });
        }
        if let Some(feature) = values.iter().position(|value| !value.is_finite()) {
            return Err(ClassifierError::NotFinite { feature });
        }
        for feature in sensitive.features.iter().copied() {
            let value = values[feature];
            match outside {
                _ if (0.0..=1.0).contains(&value) => {}
                Outside::Clamp => values[feature] = value.clamp(0.0, 1.0),
                Outside::Refuse => return Err(ClassifierError::OutsideUnit { feature }),
            }
        }
        Ok(Self { values })
    }

    /// All numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The sensitive numbers, in the order of the features.
    pub fn sensitive<'a>(&'a self, sensitive: &'a Sensitive) -> impl Iterator<Item = f64> + 'a {
        sensitive.features.iter().filter_map(|feature| self.values.get(*feature).copied())
    }
}

/// Refuses records and features that were made for a classifier with another number of inputs.
pub(crate) fn check_fit(
    classifier: &dyn Classifier,
    sensitive: &Sensitive,
    records: &[Record],
) -> Result<(), ClassifierError> {
    let expected = classifier.inputs();
    let lengths = records.iter().map(|record| record.values.len()).chain([sensitive.inputs]);
    match lengths.into_iter().find(|length| *length != expected) {
        Some(got) => Err(ClassifierError::Arity { expected, got }),
        None => Ok(()),
    }
}

/// Values of one sensitive feature that were moved to an end of [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The feature.
    pub feature: usize,
    /// In how many records.
    pub values: usize,
    /// How many records there are.
    pub records: usize,
}

impl fmt::Display for Moved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { feature, values, records } = self;
        write!(
            formatter,
            "{values} of {records} values of feature {feature} lay outside [0, 1] and were moved to the nearest end"
        )
    }
}

/// Records that fit, and what was moved so that they do.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// The records, in their order.
    pub records: Vec<Record>,
    /// For each sensitive feature of which a value was moved, how many were.
    pub moved: Vec<Moved>,
}

/// Checks many records at once. With [`Outside::Clamp`], a feature of which more than half of the values would be moved is
/// refused: it has another scale, and clamped values would say nothing about it.
///
/// # Errors
/// As for [`Record::new`], with the number of the first record that does not fit, counted from 1; and where a feature has another
/// scale, without a number.
pub fn read_records(
    rows: impl IntoIterator<Item = Vec<f64>>,
    sensitive: &Sensitive,
    outside: Outside,
) -> Result<Admitted, (Option<usize>, ClassifierError)> {
    let mut counts = vec![0; sensitive.count()];
    let mut records = Vec::new();
    for row in rows {
        for (count, feature) in counts.iter_mut().zip(sensitive.features()) {
            *count += usize::from(row.get(*feature).is_some_and(|value| !(0.0..=1.0).contains(value)));
        }
        let record = Record::new(row, sensitive, outside);
        records.push(record.map_err(|error| (Some(records.len() + 1), error))?);
    }
    let pairs = sensitive.features().iter().zip(counts).filter(|(_, values)| *values > 0);
    let moved = pairs.map(|(feature, values)| Moved { feature: *feature, values, records: records.len() });
    let moved: Vec<Moved> = moved.collect();
    match moved.iter().find(|one| 2 * one.values > one.records) {
        Some(one) => Err((None, ClassifierError::OtherScale(*one))),
        None => Ok(Admitted { records, moved }),
    }
}

/// One mechanism for each sensitive feature; features are randomised independently.
#[derive(Debug, Clone)]
pub struct ProductChannel {
    channels: Vec<Arc<ReportChannel>>,
    guarantee: Guarantee,
}

impl ProductChannel {
    /// The same mechanism and epsilon for each of the features. `epsilon` is that of one feature.
    ///
    /// # Errors
    /// When the mechanism does not exist or the parameters do not fit.
    pub fn named(
        name: &str,
        epsilon: Epsilon,
        options: &BuildOptions,
        sensitive: &Sensitive,
    ) -> Result<Self, ParameterError> {
        let channel = Arc::new(ReportChannel::named(name, epsilon, options)?);
        Self::new(vec![channel; sensitive.count()])
    }

    /// A mechanism for each feature, in the order of the features.
    ///
    /// # Errors
    /// When there is none, or their guarantees do not add up.
    pub fn new(channels: Vec<Arc<ReportChannel>>) -> Result<Self, ParameterError> {
        let mut budget = Budget::empty();
        for channel in &channels {
            budget = budget.spend(channel.guarantee())?;
        }
        let none = || ParameterError::Incompatible { reason: "there is no sensitive feature".to_owned() };
        Ok(Self { guarantee: budget.total().ok_or_else(none)?, channels })
    }

    /// The mechanisms.
    pub fn channels(&self) -> &[Arc<ReportChannel>] {
        &self.channels
    }

    /// The id of the mechanism; of the first one if they differ.
    pub fn id(&self) -> &'static str {
        self.channels.first().map_or("", |channel| channel.id())
    }

    /// The epsilon of one feature; of the first one if they differ.
    pub fn epsilon(&self) -> f64 {
        self.channels.first().map_or(0.0, |channel| channel.epsilon())
    }

    /// What all reports of one record promise together.
    pub fn total(&self) -> Guarantee {
        self.guarantee
    }

    /// The laws of the reports of a record, one for each feature.
    ///
    /// # Errors
    /// When there are more or fewer mechanisms than sensitive features.
    pub fn laws(
        &self,
        record: &Record,
        sensitive: &Sensitive,
    ) -> Result<Vec<ReportLaw<'_>>, ClassifierError> {
        if self.channels.len() != sensitive.count() {
            let reason =
                format!("{} mechanisms for {} sensitive features", self.channels.len(), sensitive.count());
            return Err(ParameterError::Incompatible { reason }.into());
        }
        if record.values.len() != sensitive.inputs {
            return Err(ClassifierError::Arity { expected: sensitive.inputs, got: record.values.len() });
        }
        let laws = self.channels.iter().zip(record.sensitive(sensitive));
        laws.map(|(channel, value)| Ok(channel.law(value)?)).collect()
    }
}
