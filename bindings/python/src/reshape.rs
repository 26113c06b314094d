//! Noise where the model does not look.

use crate::classifier::Model;
use crate::json::Document;
use crate::problem::{Class, Problem};
use crate::work::{generator, interruptible};
use nalgebra::DMatrix;
use numpy::{PyArray1, PyReadonlyArray2};
use privet::document;
use privet::vector::registry;
use privet::vector::reshape::{
    MechanismChoice, Reaction, Reading, Reshape as Map, ReshapeError, Reshaped, Rows, fit, fit_reaction,
};
use privet::{BuildOptions, Delta, Epsilon};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::Arc;

impl From<ReshapeError> for Problem {
    fn from(error: ReshapeError) -> Self {
        match error {
            ReshapeError::Vector(error) => error.into(),
            other => Self::new(Class::Parameter, other.code(), other.to_string()),
        }
    }
}

/// A public map, and the mechanism between its two halves.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Reshape {
    reshaped: Arc<Reshaped>,
    gain: Option<[f64; 2]>,
}

fn reading_of(name: &str) -> Result<Reading, Problem> {
    match name {
        "class" => Ok(Reading::Class),
        "values" => Ok(Reading::Values),
        other => Err(Problem::parameter(format!("scores are read as class or values: got {other:?}"))),
    }
}

fn choice_of(name: &str, epsilon: f64, delta: Option<f64>) -> Result<MechanismChoice, Problem> {
    let delta = delta.map(Delta::new).transpose()?;
    let options = BuildOptions { delta, bins: None };
    Ok(MechanismChoice { row: registry::find(name)?, epsilon: Epsilon::new(epsilon)?, options })
}

fn rows_of(rows: &PyReadonlyArray2<'_, f64>) -> Result<Rows, Problem> {
    let array = rows.as_array();
    Ok(Rows::new(array.ncols(), array.iter().copied().collect())?)
}

#[pymethods]
impl Reshape {
    /// Fits the map of a model whose structure is known, on public vectors.
    #[staticmethod]
    #[pyo3(signature = (model, public, mechanism, epsilon, delta, read, people, insecure_seed=None))]
    #[expect(clippy::too_many_arguments, reason = "one for each keyword of `privet.reshape.fit`")]
    fn of_model(
        py: Python<'_>,
        model: &Model,
        public: PyReadonlyArray2<'_, f64>,
        mechanism: &str,
        epsilon: f64,
        delta: Option<f64>,
        read: &str,
        people: usize,
        insecure_seed: Option<u64>,
    ) -> PyResult<Self> {
        let (model, public) = (model.structure.clone(), rows_of(&public)?);
        let (choice, reading) = (choice_of(mechanism, epsilon, delta)?, reading_of(read)?);
        let (reshaped, gain) = interruptible(py, move || {
            let mut rng = generator(insecure_seed)?;
            let found = fit(&model, reading, &public, people, &choice, &mut rng)?;
            let gain = [found.gain.gain, found.gain.standard_error];
            Ok((Reshaped::new(found.reshape, &choice)?, gain))
        })?;
        Ok(Self { reshaped: Arc::new(reshaped), gain: Some(gain) })
    }

    /// Fits the map of a model of which only Jacobians are known: those of all public vectors, below each other.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "one for each keyword of `privet.reshape.fit`")]
    fn of_jacobians(
        py: Python<'_>,
        stacked: PyReadonlyArray2<'_, f64>,
        outputs: usize,
        public: PyReadonlyArray2<'_, f64>,
        mechanism: &str,
        epsilon: f64,
        delta: Option<f64>,
        read: &str,
    ) -> PyResult<Self> {
        let array = stacked.as_array();
        let stacked = DMatrix::from_row_iterator(array.nrows(), array.ncols(), array.iter().copied());
        let public = rows_of(&public)?;
        let (choice, reading) = (choice_of(mechanism, epsilon, delta)?, reading_of(read)?);
        let reshaped = interruptible(py, move || {
            let reaction = Reaction::of_jacobians(&stacked, outputs, reading)?;
            Ok(Reshaped::new(fit_reaction(&reaction, &public, &choice)?, &choice)?)
        })?;
        Ok(Self { reshaped: Arc::new(reshaped), gain: None })
    }

    /// A map that was stored.
    #[staticmethod]
    #[pyo3(signature = (text, mechanism, epsilon, delta=None))]
    fn from_json(text: &str, mechanism: &str, epsilon: f64, delta: Option<f64>) -> Result<Self, Problem> {
        let reshaped = Reshaped::new(Map::from_json(text)?, &choice_of(mechanism, epsilon, delta)?)?;
        Ok(Self { reshaped: Arc::new(reshaped), gain: None })
    }

    fn to_json(&self) -> String {
        self.reshaped.reshape().to_json()
    }

    #[getter]
    fn facts(&self) -> Document {
        let map = self.reshaped.reshape();
        Document(json!({
            "recipe": map.recipe(),
            "dimension": map.dimension(),
            "rank": map.rank(),
            "strengths": map.strengths(),
            "mechanism": self.reshaped.mechanism().id(),
            "guarantee": document::guarantee(&self.reshaped.guarantee()),
            "gain": self.gain.map(|[gain, _]| gain),
            "standard_error": self.gain.map(|[_, error]| error),
        }))
    }

    /// Reports of vectors, mapped back: one vector for each, one after the other.
    #[pyo3(signature = (vectors, insecure_seed=None))]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        vectors: PyReadonlyArray2<'py, f64>,
        insecure_seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let array = vectors.as_array();
        let dimension = self.reshaped.reshape().dimension();
        if array.ncols() != dimension {
            let message = format!("a vector of this map has {dimension} coordinates: got {}", array.ncols());
            return Err(Problem::new(Class::Domain, "input-dimension", message).into());
        }
        let all: Vec<f64> = array.iter().copied().collect();
        let reshaped = self.reshaped.clone();
        let restored = interruptible(py, move || {
            let mut rng = generator(insecure_seed)?;
            let mut report = vec![0.0; reshaped.report_len()];
            let mut restored = vec![0.0; all.len()];
            for (vector, room) in all.chunks_exact(dimension).zip(restored.chunks_exact_mut(dimension)) {
                reshaped.randomize(vector, &mut report, &mut rng)?;
                reshaped.restore(&report, room)?;
            }
            Ok(restored)
        })?;
        Ok(PyArray1::from_vec(py, restored))
    }
}
