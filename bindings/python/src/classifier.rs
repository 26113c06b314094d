//! What a classifier is still worth when its input is a report.

use crate::json::Document;
use crate::problem::{Class, Problem};
use crate::work::{generator, interruptible};
use nalgebra::{DMatrix, DVector};
use numpy::{PyArray1, PyArrayMethods};
use privet::classifier::{
    Admitted, Approach, Asked, Bound, Classifier, ClassifierError, DataRow, ModelClassifier, Options,
    Outside, ProductChannel, Reading, Sensitive, quantify_all, read_records,
};
use privet::document;
use privet::model::{
    Combination, Linear, Model as Structure, ModelError, Node, Tree, Trees, threshold_in_single_precision,
};
use privet::{BuildOptions, Delta, Epsilon};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

impl From<ClassifierError> for Problem {
    fn from(error: ClassifierError) -> Self {
        let class = match &error {
            ClassifierError::Input(_)
            | ClassifierError::OutsideUnit { .. }
            | ClassifierError::OtherScale(_)
            | ClassifierError::NotFinite { .. } => Class::Domain,
            _ => Class::Parameter,
        };
        let problem = Self::new(class, error.code(), error.to_string());
        match &error {
            ClassifierError::OutsideUnit { .. } => problem.with_hint("`clamp=True` moves such values to the nearest end"),
            ClassifierError::OtherScale(_) => problem.with_hint(
                "scale the feature to [0, 1] first, and ask a classifier that reads it so; a value that is meant as 0 or 1 can be \
                 given as such",
            ),
            ClassifierError::Reading(_) => {
                problem.with_hint("with the method auto or samples, its own answers to drawn reports are counted")
            }
            _ => problem,
        }
    }
}

impl From<ModelError> for Problem {
    fn from(error: ModelError) -> Self {
        Self::new(Class::Parameter, error.code(), error.to_string())
    }
}

/// A model whose structure is known.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) structure: Arc<Structure>,
}

impl Model {
    fn of(structure: Structure) -> Self {
        Self { structure: Arc::new(structure) }
    }
}

/// One tree of an ensemble, as scikit-learn keeps it: a child below zero marks a leaf, and what is compared with a threshold is
/// rounded to single precision before.
type TreeArrays = (Vec<i64>, Vec<i64>, Vec<i64>, Vec<f64>, Vec<Vec<f64>>);

fn tree_of((below, above, feature, threshold, values): TreeArrays) -> Result<Tree, Problem> {
    let wrong = || Problem::parameter("the arrays of a tree have different lengths");
    let place = |number: i64| usize::try_from(number).map_err(|_| wrong());
    let mut nodes = Vec::with_capacity(below.len());
    for (index, values) in values.into_iter().enumerate() {
        let child = *below.get(index).ok_or_else(wrong)?;
        nodes.push(if child < 0 {
            Node::Leaf { values: values.into_boxed_slice() }
        } else {
            Node::Split {
                feature: place(*feature.get(index).ok_or_else(wrong)?)?,
                threshold: threshold_in_single_precision(*threshold.get(index).ok_or_else(wrong)?),
                below: place(child)?,
                above: place(*above.get(index).ok_or_else(wrong)?)?,
            }
        });
    }
    Ok(Tree::new(nodes)?)
}

#[pymethods]
impl Model {
    /// Weights (one row for each score) and intercepts.
    #[staticmethod]
    fn linear(weights: Vec<Vec<f64>>, intercepts: Vec<f64>) -> Result<Self, Problem> {
        let columns = weights.first().map_or(0, Vec::len);
        if weights.iter().any(|row| row.len() != columns) {
            return Err(Problem::parameter("all rows of weights must have one length"));
        }
        let matrix = DMatrix::from_row_iterator(weights.len(), columns, weights.into_iter().flatten());
        Ok(Self::of(Structure::Linear(Linear::new(matrix, DVector::from_vec(intercepts))?)))
    }

    /// Trees of scikit-learn, whose leaves hold a share for each class and are averaged.
    #[staticmethod]
    fn trees(inputs: usize, trees: Vec<TreeArrays>, classes: usize) -> Result<Self, Problem> {
        let trees = trees.into_iter().map(tree_of).collect::<Result<_, _>>()?;
        // The threshold is for a single score, and there are several.
        let trees = Trees::new(inputs, trees, Combination::Mean, vec![0.0; classes], 0.5)?;
        Ok(Self::of(Structure::Trees(trees)))
    }

    /// A model from a file: ONNX, safetensors, npz or JSON.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = interruptible(py, move || Ok(Structure::read(&path)?))?;
        Ok(Self::of(model))
    }

    #[getter]
    fn inputs(&self) -> usize {
        self.structure.inputs()
    }

    /// The label of each row.
    fn predict(&self, rows: Vec<Vec<f64>>) -> Result<Vec<usize>, Problem> {
        Ok(rows.iter().map(|row| self.structure.predict(row)).collect::<Result<_, _>>()?)
    }
}

/// Any function of Python, called with a table and giving a label for each row.
struct Callable {
    inputs: usize,
    function: Py<PyAny>,
    /// What the function raised, to be raised again.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl fmt::Debug for Callable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Callable(of {} numbers)", self.inputs)
    }
}

impl Callable {
    fn call(&self, py: Python<'_>, rows: &[f64]) -> PyResult<Vec<usize>> {
        let table = PyArray1::from_slice(py, rows).reshape([rows.len() / self.inputs, self.inputs])?;
        self.function.bind(py).call1((table,))?.extract()
    }
}

impl Classifier for Callable {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        let labels = Python::attach(|py| self.call(py, rows));
        labels.map_err(|error| {
            if let Ok(mut raised) = self.raised.lock() {
                *raised = Some(error);
            }
            ClassifierError::Command {
                command: "the classifier".into(),
                reason: "raised an exception".into(),
            }
        })
    }
}

/// What is asked.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Question {
    records: Vec<Vec<f64>>,
    sensitive: Vec<usize>,
    mechanisms: Vec<String>,
    epsilons: Vec<f64>,
    delta: Option<f64>,
    indicator: Option<f64>,
    method: String,
    samples: usize,
    beside: usize,
    confidence: f64,
    tolerance: f64,
    clamp: bool,
    share: f64,
    insecure_seed: Option<u64>,
}

impl Question {
    fn options(&self) -> Result<Options, Problem> {
        let approach = match self.method.as_str() {
            "auto" => Approach::Automatic,
            "proof" => Approach::Proof,
            "samples" => Approach::Samples,
            other => {
                return Err(Problem::parameter(format!("a method is auto, proof or samples: got {other:?}")));
            }
        };
        let mut options = Options {
            approach,
            samples: self.samples,
            beside: self.beside,
            confidence: self.confidence,
            indicator: self.indicator.map(Delta::new).transpose()?,
            ..Options::default()
        };
        options.effort.tolerance = self.tolerance;
        Ok(options)
    }

    fn products(&self, sensitive: &Sensitive) -> Result<Vec<ProductChannel>, Problem> {
        let delta = self.delta.map(Delta::new).transpose()?;
        let mut products = Vec::new();
        for name in &self.mechanisms {
            for epsilon in &self.epsilons {
                let options = BuildOptions { delta, bins: None };
                products.push(ProductChannel::named(name, Epsilon::new(*epsilon)?, &options, sensitive)?);
            }
        }
        Ok(products)
    }

    /// Rows, and what the caller should know about them. Where the classifier answers for itself, a model is what was read from it.
    fn answer(&self, classifier: Box<dyn Classifier>, read: Option<Structure>) -> Result<Value, Problem> {
        let options = self.options()?;
        let sensitive = Sensitive::new(self.sensitive.clone(), &*classifier)?;
        let outside = if self.clamp { Outside::Clamp } else { Outside::Refuse };
        let Admitted { records, moved } =
            read_records(self.records.iter().cloned(), &sensitive, outside).map_err(|(_, error)| error)?;
        let mut warnings: Vec<String> = moved.iter().map(ToString::to_string).collect();
        let products = self.products(&sensitive)?;
        let mut rng = generator(self.insecure_seed)?;
        let asked = Asked { records: &records, sensitive: &sensitive, products: &products };
        // Where samples are wanted, a structure is of no use.
        let classifier = match read.filter(|_| options.approach != Approach::Samples) {
            None => classifier,
            Some(model) => match Reading::compare(classifier, model, asked, &mut rng)? {
                Reading::Confirmed(read) => Box::new(read),
                Reading::Refuted { disagreement, .. } if options.approach == Approach::Proof => {
                    return Err(ClassifierError::Reading(disagreement).into());
                }
                Reading::Refuted { own, disagreement } => {
                    warnings.push(format!(
                        "{disagreement}: nothing is proved, and its own answers to drawn reports are counted"
                    ));
                    own
                }
            },
        };
        let rows = quantify_all(&*classifier, &records, &sensitive, &products, &options, &mut rng)?;
        let rows: Value = rows.iter().map(|row| self.row_json(row)).collect();
        Ok(json!({ "rows": rows, "warnings": warnings }))
    }

    fn row_json(&self, row: &DataRow) -> Value {
        let ends = |bound: Bound| [bound.lower, bound.upper];
        let average = row.average();
        json!({
            "mechanism": row.mechanism,
            "epsilon": row.epsilon,
            "lower": average.lower,
            "upper": average.upper,
            "empirical": row.empirical.map(|drawn| drawn.share),
            "empirical_interval": row.empirical.map(|drawn| ends(drawn.bound)),
            "method": average.method.as_str(),
            "confidence": average.confidence,
            "total": document::guarantee(&row.total),
            "records": row.bounds.iter().map(|bound| ends(*bound)).collect::<Vec<_>>(),
            "worst": ends(row.worst()),
            "share_reaches": ends(row.for_share(self.share)),
        })
    }
}

/// The bounds of all records. The classifier is a model whose structure is known, or a function with its number of inputs and,
/// where one was read from it, the model that it should be.
#[pyfunction]
#[pyo3(signature = (question, model=None, function=None, inputs=0))]
pub(crate) fn quantify(
    py: Python<'_>,
    question: Question,
    model: Option<&Model>,
    function: Option<Py<PyAny>>,
    inputs: usize,
) -> PyResult<Document> {
    if inputs == 0 && function.is_some() {
        return Err(Problem::parameter("records need at least one number").into());
    }
    let raised = Arc::new(Mutex::new(None));
    let structure = model.map(|model| (*model.structure).clone());
    let (classifier, read): (Box<dyn Classifier>, _) = match (structure, function) {
        (read, Some(function)) => (Box::new(Callable { inputs, function, raised: raised.clone() }), read),
        (Some(model), None) => (Box::new(ModelClassifier::new(model)), None),
        (None, None) => return Err(Problem::parameter("either a model or a function is needed").into()),
    };
    let answer = interruptible(py, move || question.answer(classifier, read));
    // What the function itself raised says more than that it did.
    match raised.lock().ok().and_then(|mut raised| raised.take()) {
        Some(error) => Err(error),
        None => answer.map(Document),
    }
}
