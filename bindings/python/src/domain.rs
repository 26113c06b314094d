//! The sets that private values come from.

use crate::problem::Problem;
use privet::{Categories, DomainSpec};
use pyo3::prelude::*;

/// A domain, as the other classes of this module take it.
#[pyclass(frozen, eq, module = "privet._privet")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Domain {
    pub(crate) spec: DomainSpec,
}

#[pymethods]
impl Domain {
    /// A domain in its written form, such as `interval:0,1`.
    #[staticmethod]
    fn parse(text: &str) -> Result<Self, Problem> {
        Ok(Self { spec: text.parse()? })
    }

    /// Categories with names, which may have commas.
    #[staticmethod]
    fn labelled(labels: Vec<String>) -> Result<Self, Problem> {
        Ok(Self { spec: DomainSpec::Categories(Categories::with_labels(labels)?) })
    }

    fn __str__(&self) -> String {
        self.spec.to_string()
    }

    /// Whether values are called by names rather than by numbers.
    #[getter]
    fn has_labels(&self) -> bool {
        matches!(&self.spec, DomainSpec::Categories(categories) if categories.has_labels())
    }

    /// The names of all categories.
    #[getter]
    fn labels(&self) -> Vec<String> {
        match &self.spec {
            DomainSpec::Categories(categories) => {
                (0..categories.count()).map(|index| categories.label(index)).collect()
            }
            _ => Vec::new(),
        }
    }
}
