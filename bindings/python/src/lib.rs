//! The compiled half of the pip package `privet`.
//!
//! It knows as little of Python as it can: columns come in as arrays, answers go out as dictionaries with the keys of the
//! command's JSON. What people see is written in Python, in `python/privet`.

mod classifier;
mod column;
mod domain;
mod draw;
mod estimator;
mod joint;
mod json;
mod mechanism;
mod optimal;
mod places;
mod policy;
mod problem;
mod reports;
mod reshape;
mod spark;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _privet(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<domain::Domain>()?;
    module.add_class::<column::Column>()?;
    module.add_class::<reports::Reports>()?;
    module.add_class::<estimator::Summary>()?;
    module.add_class::<estimator::Estimator>()?;
    module.add_class::<mechanism::Mechanism>()?;
    module.add_class::<policy::Policy>()?;
    module.add_class::<policy::PolicySummary>()?;
    module.add_class::<spark::Part>()?;
    module.add_class::<classifier::Model>()?;
    module.add_class::<places::Space>()?;
    module.add_class::<places::LocationReports>()?;
    module.add_class::<reshape::Reshape>()?;
    module.add_function(wrap_pyfunction!(mechanism::registry_rows, module)?)?;
    module.add_function(wrap_pyfunction!(optimal::optimize, module)?)?;
    module.add_function(wrap_pyfunction!(optimal::verify, module)?)?;
    module.add_function(wrap_pyfunction!(optimal::advise, module)?)?;
    module.add_function(wrap_pyfunction!(policy::ledger_is_empty, module)?)?;
    module.add_function(wrap_pyfunction!(classifier::quantify, module)?)?;
    module.add_function(wrap_pyfunction!(joint::joint_plan, module)?)?;
    module.add_function(wrap_pyfunction!(spark::perturb_rows, module)?)?;
    Ok(())
}
