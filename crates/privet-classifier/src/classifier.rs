//! Classifiers: rows of numbers in, labels out.

use crate::{ClassifierError, Record};
use privet_core::parallel;
use privet_model::Model;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

/// Something that gives each row of numbers a label, always the same one.
pub trait Classifier: fmt::Debug + Send + Sync {
    /// How many numbers a row has.
    fn inputs(&self) -> usize;

    /// The labels of rows that are laid one after the other.
    ///
    /// # Errors
    /// When the classifier gives no label to one of them.
    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError>;

    /// What it computes, where that is known. Without it, there are statistical answers only.
    fn structure(&self) -> Option<&Model> {
        None
    }

    /// Whether the label of a row with tied scores is known from [`labels`](Self::labels) only. So it is where the structure was
    /// read from something that adds up by itself and rounds as it likes.
    fn decides_ties(&self) -> bool {
        false
    }
}

/// A model that was read from a file.
#[derive(Debug)]
pub struct ModelClassifier {
    model: Model,
}

impl ModelClassifier {
    /// The classifier that a model is.
    pub fn new(model: Model) -> Self {
        Self { model }
    }
}

impl Classifier for ModelClassifier {
    fn inputs(&self) -> usize {
        self.model.inputs()
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        let mut scores = vec![0.0; self.model.outputs()];
        let label = |row: &[f64]| {
            self.model.scores(row, &mut scores)?;
            Ok(self.model.label(&scores)?)
        };
        rows.chunks(self.inputs()).map(label).collect()
    }

    fn structure(&self) -> Option<&Model> {
        Some(&self.model)
    }
}

/// Any function. It must give the same row the same label.
pub struct FunctionClassifier<F> {
    inputs: usize,
    function: F,
}

impl<F: Fn(&[f64]) -> Result<usize, ClassifierError> + Send + Sync> FunctionClassifier<F> {
    /// A function of rows with this many numbers.
    pub fn new(inputs: NonZeroUsize, function: F) -> Self {
        Self { inputs: inputs.get(), function }
    }
}

impl<F> fmt::Debug for FunctionClassifier<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FunctionClassifier(of {} numbers)", self.inputs)
    }
}

impl<F: Fn(&[f64]) -> Result<usize, ClassifierError> + Send + Sync> Classifier for FunctionClassifier<F> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        rows.chunks(self.inputs).map(&self.function).collect()
    }
}

/// A classifier that counts how many rows it was asked about.
#[derive(Debug)]
pub struct Counted<'a> {
    inner: &'a dyn Classifier,
    queries: AtomicU64,
}

impl<'a> Counted<'a> {
    /// Counts from zero.
    pub fn new(inner: &'a dyn Classifier) -> Self {
        Self { inner, queries: AtomicU64::new(0) }
    }

    /// How many rows so far.
    pub fn queries(&self) -> u64 {
        self.queries.load(Ordering::Relaxed)
    }
}

impl Classifier for Counted<'_> {
    fn inputs(&self) -> usize {
        self.inner.inputs()
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        self.queries.fetch_add((rows.len() / self.inputs().max(1)) as u64, Ordering::Relaxed);
        self.inner.labels(rows)
    }

    fn structure(&self) -> Option<&Model> {
        self.inner.structure()
    }

    fn decides_ties(&self) -> bool {
        self.inner.decides_ties()
    }
}

/// How many rows a classifier is asked about at once.
pub(crate) const BATCH: usize = 8192;

/// The labels of many rows, from as many threads as there are cores. Their number is checked.
pub(crate) fn ask(classifier: &dyn Classifier, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
    let inputs = classifier.inputs().max(1);
    let share = (rows.len() / inputs).div_ceil(parallel::cores()).max(1) * inputs;
    let parts: Vec<&[f64]> = rows.chunks(share).collect();
    let answers = parallel::map(&parts, |part| classifier.labels(part));
    let mut labels = Vec::with_capacity(rows.len() / inputs);
    for (part, answer) in parts.iter().zip(answers) {
        let answer = answer?;
        if answer.len() != part.len() / inputs {
            return Err(ClassifierError::LabelCount { expected: part.len() / inputs, got: answer.len() });
        }
        labels.extend(answer);
    }
    Ok(labels)
}

/// The labels of all records, asked about at once.
pub(crate) fn labels_of(
    classifier: &dyn Classifier,
    records: &[Record],
) -> Result<Vec<usize>, ClassifierError> {
    let rows: Vec<f64> = records.iter().flat_map(Record::values).copied().collect();
    ask(classifier, &rows)
}

/// Refuses a classifier that answers the same question in two ways. The second time it is asked in two parts: one that scales
/// each table by itself gives other labels in other company.
pub(crate) fn check_determinism(classifier: &dyn Classifier, rows: &[f64]) -> Result<(), ClassifierError> {
    let inputs = classifier.inputs();
    let (first, second) = rows.split_at(rows.len() / inputs / 3 * inputs);
    let mut again = if first.is_empty() { Vec::new() } else { classifier.labels(first)? };
    again.extend(classifier.labels(second)?);
    if classifier.labels(rows)? == again { Ok(()) } else { Err(ClassifierError::NotDeterministic) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> FunctionClassifier<impl Fn(&[f64]) -> Result<usize, ClassifierError> + Send + Sync> {
        FunctionClassifier::new(NonZeroUsize::new(2).unwrap(), |row: &[f64]| Ok(row[0] as usize))
    }

    #[test]
    fn labels_keep_their_order_and_queries_are_counted() {
        let inner = steps();
        let counted = Counted::new(&inner);
        let rows: Vec<f64> = (0..101).flat_map(|row| [f64::from(row), 0.5]).collect();
        assert_eq!(ask(&counted, &rows).unwrap(), (0..101).collect::<Vec<_>>());
        assert_eq!(counted.queries(), 101);
    }

    #[test]
    fn a_classifier_that_changes_its_mind_is_refused() {
        let calls = AtomicU64::new(0);
        let moody = FunctionClassifier::new(NonZeroUsize::new(1).unwrap(), |_: &[f64]| {
            Ok(calls.fetch_add(1, Ordering::Relaxed) as usize)
        });
        assert!(matches!(check_determinism(&moody, &[0.5]), Err(ClassifierError::NotDeterministic)));
        assert!(check_determinism(&steps(), &[0.5, 0.5]).is_ok());
        let rows: Vec<f64> = (0..14).map(f64::from).collect();
        assert!(check_determinism(&steps(), &rows).is_ok());
    }

    /// Says whether the first number of a row is above that of the first row.
    #[derive(Debug)]
    struct Relative;

    impl Classifier for Relative {
        fn inputs(&self) -> usize {
            1
        }

        fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
            Ok(rows.iter().map(|value| usize::from(*value > rows[0])).collect())
        }
    }

    #[test]
    fn a_classifier_that_looks_at_other_rows_is_refused() {
        let rows: Vec<f64> = (0..9).map(f64::from).collect();
        assert!(matches!(check_determinism(&Relative, &rows), Err(ClassifierError::NotDeterministic)));
    }
}
