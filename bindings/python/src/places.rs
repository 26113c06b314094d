//! Locations and paths.

use crate::json::Document;
use crate::problem::Problem;
use crate::work::{generator, interruptible};
use numpy::PyArray1;
use privet::document;
use privet::trajectory::estimate::{Evidence, Motion};
use privet::trajectory::method::registry::{self, METHODS};
use privet::trajectory::method::{LocationMethod, References, Release, Scope};
use privet::trajectory::metric::{Hotspots, Metric};
use privet::trajectory::rounding::Grid;
use privet::trajectory::space::{GeographicBox, Space as Shape};
use privet::trajectory::{Path, TrajectoryError};
use privet::{DomainSpec, Epsilon};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

impl From<TrajectoryError> for Problem {
    fn from(error: TrajectoryError) -> Self {
        match error {
            TrajectoryError::Parameter(error) => error.into(),
            TrajectoryError::Input(error) => error.into(),
            other => Self::parameter(other.to_string()),
        }
    }
}

/// Where people are.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug, Clone)]
pub(crate) struct Space {
    shape: Shape,
}

#[pymethods]
impl Space {
    #[staticmethod]
    fn rectangle(domain: &crate::domain::Domain) -> Result<Self, Problem> {
        match &domain.spec {
            DomainSpec::Rectangle(rectangle) => Ok(Self { shape: Shape::rectangle(*rectangle) }),
            other => Err(Problem::parameter(format!("places lie in a rectangle: got {other}"))),
        }
    }

    #[staticmethod]
    fn disc(centre: [f64; 2], radius: f64) -> Result<Self, Problem> {
        Ok(Self { shape: Shape::disc(centre, radius)? })
    }

    #[staticmethod]
    fn sphere(radius: f64) -> Result<Self, Problem> {
        Ok(Self { shape: Shape::sphere(radius)? })
    }

    /// A box of longitudes and latitudes: west, south, east, north. Distances are metres.
    #[staticmethod]
    fn geographic(west: f64, south: f64, east: f64, north: f64) -> Result<Self, Problem> {
        Ok(Self { shape: Shape::geographic(GeographicBox { west, south, east, north })? })
    }

    fn __str__(&self) -> String {
        self.shape.to_string()
    }

    /// How a path's reports differ from the path: the scores of all paths together.
    fn metrics(
        &self,
        py: Python<'_>,
        paths: Paths,
        reports: Paths,
        within: f64,
        cells: u32,
        hotspot_share: f64,
    ) -> PyResult<Document> {
        let space = self.shape.clone();
        let document = interruptible(py, move || {
            let (paths, reports) = (paths.read(), reports.read());
            let grid = Grid::new(space.clone(), [cells; 2])?;
            let hotspots = Hotspots::new(&grid, &paths, hotspot_share)?;
            let score = |metric: Metric<'_>| -> Result<Value, Problem> {
                let score = metric.of_data_set(&space, &paths, &reports)?;
                let over_places = score.and_then(|score| score.over_places).map(|score| score.value);
                Ok(json!(over_places.or(score.map(|score| score.over_paths.value))))
            };
            Ok(json!({
                "average_error": score(Metric::AverageError)?,
                "range_query": score(Metric::RangeQuery { within })?,
                "hotspot_difference": score(Metric::HotspotDifference(&hotspots))?,
                "dynamic_time_warping": score(Metric::DynamicTimeWarping)?,
                "frechet": score(Metric::Frechet)?,
            }))
        })?;
        Ok(Document(document))
    }
}

/// Paths one after the other: all coordinates, and how many places each path has.
#[derive(Debug, FromPyObject)]
pub(crate) struct Paths {
    #[pyo3(item(0))]
    coordinates: Vec<f64>,
    #[pyo3(item(1))]
    lengths: Vec<usize>,
}

impl Paths {
    fn read(&self) -> Vec<Path> {
        let mut places = self.coordinates.as_chunks::<2>().0.iter().copied();
        let take = |(index, length): (usize, &usize)| {
            Path::new(index.to_string(), places.by_ref().take(*length).collect())
        };
        self.lengths.iter().enumerate().map(take).collect()
    }
}

/// An array of Python's.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

fn coordinates(paths: &[Path]) -> Vec<f64> {
    paths.iter().flat_map(|path| &path.places).flatten().copied().collect()
}

/// A method for locations with its parameters.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct LocationReports {
    method: Arc<dyn LocationMethod>,
}

#[pymethods]
impl LocationReports {
    #[new]
    fn new(name: &str, space: &Space, epsilon: f64, cells: u32) -> Result<Self, Problem> {
        let unknown = || {
            let names: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
            Problem::parameter(format!("a method is one of {}: got {name:?}", names.join(", ")))
        };
        let build = registry::find(name).ok_or_else(unknown)?;
        let method = build(space.shape.clone(), Epsilon::new(epsilon)?, cells)?;
        Ok(Self { method: Arc::from(method) })
    }

    #[staticmethod]
    fn names() -> Vec<&'static str> {
        METHODS.iter().map(|(name, _)| *name).collect()
    }

    /// What one report promises; `None` where the method promises nothing for the whole space.
    #[getter]
    fn guarantee(&self) -> Option<Document> {
        self.method.guarantee().map(|guarantee| Document(document::guarantee(&guarantee)))
    }

    /// Why the promise does not hold for the whole space, if it does not.
    #[getter]
    fn scope(&self) -> Option<String> {
        match self.method.scope() {
            Scope::WholeSpace => None,
            Scope::Not { why } => Some(why.to_owned()),
        }
    }

    /// The reports of paths, as coordinates one after the other.
    #[pyo3(signature = (paths, insecure_seed=None))]
    fn perturb<'py>(
        &self,
        py: Python<'py>,
        paths: Paths,
        insecure_seed: Option<u64>,
    ) -> PyResult<Numbers<'py>> {
        let method = self.method.clone();
        let reports = interruptible(py, move || {
            let mut rng = generator(insecure_seed)?;
            let references = References::previous(&*method);
            let release = Release::new(&*method).seen_from(references)?;
            Ok(coordinates(&release.report_all(&paths.read(), &mut rng)?))
        })?;
        Ok(PyArray1::from_vec(py, reports))
    }

    /// The population's shares in the cells of a grid (the second coordinate runs fastest), and the best reading of each report,
    /// with a model of motion where one is given: how far people get from one place to the next, and how often they jump.
    #[pyo3(signature = (paths, cells, motion=None))]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        paths: Paths,
        cells: u32,
        motion: Option<[f64; 2]>,
    ) -> PyResult<(Numbers<'py>, Option<Numbers<'py>>)> {
        let method = self.method.clone();
        let (shares, smoothed) = interruptible(py, move || {
            let references = References::previous(&*method);
            let evidence = Evidence::gather(&*method, references, &paths.read(), [cells; 2])?;
            let density = evidence.density();
            let smooth = |[reach, jump]: [f64; 2]| {
                Ok::<_, Problem>(coordinates(&evidence.smooth(&density, &Motion::new(reach, jump)?)))
            };
            Ok((density.shares().to_vec(), motion.map(smooth).transpose()?))
        })?;
        Ok((PyArray1::from_vec(py, shares), smoothed.map(|places| PyArray1::from_vec(py, places))))
    }
}
