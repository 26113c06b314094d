//! The linear map around a mechanism, with the public bounds of its coordinates.

use super::rows::Rows;
use super::scales::{Geometry, printed_stretches};
use super::spectrum::Spectrum;
use super::{Reaction, ReshapeError};
use nalgebra::{DMatrix, DVector, DVectorView};

/// The share of public vectors that the radius of the printed recipe leaves as they are.
pub const PERCENTILE: f64 = 0.9;

/// The factor of noise in the null space of the printed recipe.
pub const NULL_FACTOR: f64 = 31.622_776_601_683_793;

/// Singular values below this share of the largest are null space in the printed recipe.
const PRINTED_RANK: f64 = 0.01;

/// Weaker coordinates than this share of the strongest are rounding errors.
const BALANCED_RANK: f64 = 1e-4;

/// A coordinate that hardly varies has at least this share of the length for its bound: a mechanism needs one above zero.
const LEAST_EACH: f64 = 1e-3;

/// What is public about the coordinates in which vectors are randomised.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// A bound on the sum of absolute coordinates.
    pub sum: f64,
    /// A bound on the length.
    pub length: f64,
    /// A bound on each absolute coordinate.
    pub each: Vec<f64>,
    /// The deviation of each coordinate around zero.
    pub deviations: Vec<f64>,
}

impl Bounds {
    /// How many coordinates there are.
    pub fn dimension(&self) -> usize {
        self.each.len()
    }
}

/// Which directions the printed recipe takes for its task space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSpace {
    /// Those of the Jacobians at public points, as printed. Where a model can react to others, they are filled with noise.
    Seen,
    /// All to which the model can react anywhere.
    Anywhere,
}

/// What becomes of a vector's length under mechanisms that randomise only its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// It is replaced by the public radius: best where one report is read by itself.
    Replaced,
    /// It is kept, up to the radius, by one more coordinate that completes the vector to the radius. Reports are then
    /// unbiased on the whole ball: best where many reports are averaged.
    Kept,
}

/// A public linear map into the coordinates in which vectors are randomised, and back.
///
/// It is made from public data alone and never sees a private vector before it is used on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct Reshape {
    pub(super) recipe: String,
    pub(super) centre: DVector<f64>,
    pub(super) forward: DMatrix<f64>,
    pub(super) backward: DMatrix<f64>,
    /// How much each coordinate weighs in the task error, and how it varies; empty where nothing was fitted.
    pub(super) strengths: Vec<f64>,
    pub(super) bounds: Bounds,
    pub(super) norm: Norm,
    pub(super) source: String,
}

impl Reshape {
    /// No reshaping, not even centring: vectors are randomised as they are.
    ///
    /// # Errors
    /// When the public vectors are all zero or too large.
    pub fn plain(sample: &Rows) -> Result<Self, ReshapeError> {
        Self::identity("plain", DVector::zeros(sample.dimension()), sample)
    }

    /// No reshaping: vectors are randomised after the public mean was taken off. This is what reshaping is compared with.
    ///
    /// # Errors
    /// When the public vectors are all the same or too large.
    pub fn centred(sample: &Rows) -> Result<Self, ReshapeError> {
        Self::identity("centred", sample.mean(), sample)
    }

    fn identity(recipe: &str, centre: DVector<f64>, sample: &Rows) -> Result<Self, ReshapeError> {
        let identity = DMatrix::identity(sample.dimension(), sample.dimension());
        let source = "nothing but the public vectors".to_owned();
        Self::new(recipe, centre, [identity.clone(), identity], source, sample)
    }

    /// The paper's recipe: the singular directions of the Jacobians, stretched by the 2/3 power, and a null space with 32
    /// times the noise.
    ///
    /// # Errors
    /// When the sample has another dimension than the model, or its vectors are all the same or too large.
    pub fn printed(reaction: &Reaction, sample: &Rows, space: TaskSpace) -> Result<Self, ReshapeError> {
        ReshapeError::check_count("coordinates of public vectors", reaction.dimension(), sample.dimension())?;
        let dimension = reaction.dimension();
        let (recipe, squares) = match space {
            TaskSpace::Seen => ("printed", reaction.seen()),
            TaskSpace::Anywhere => ("printed-safe", reaction.anywhere()),
        };
        let spectrum = Spectrum::of("Jacobians", squares.clone())?;
        let rank = spectrum.rank(PRINTED_RANK * PRINTED_RANK);
        let singular: Vec<f64> = spectrum.values[..rank].iter().map(|square| square.sqrt()).collect();
        let stretches = DVector::from_vec(printed_stretches(&singular, dimension, NULL_FACTOR)?);
        let forward = DMatrix::from_diagonal(&stretches) * spectrum.vectors.transpose();
        let backward = spectrum.vectors * DMatrix::from_diagonal(&stretches.map(|stretch| 1.0 / stretch));
        Self::new(recipe, sample.mean(), [forward, backward], reaction.source().to_owned(), sample)
    }

    /// Balanced coordinates for mechanisms of this geometry, strongest first, as many as the model and the public vectors
    /// have. The [page of scales](super::scales) derives them.
    ///
    /// # Errors
    /// When the sample has another dimension than the model, its numbers are too large, or it does not vary where the model
    /// reacts.
    pub fn balanced(reaction: &Reaction, sample: &Rows, geometry: Geometry) -> Result<Self, ReshapeError> {
        ReshapeError::check_count("coordinates of public vectors", reaction.dimension(), sample.dimension())?;
        let spread = Spectrum::of("public vectors", sample.covariance()?)?;
        let roots =
            DVector::from_iterator(sample.dimension(), spread.values.iter().map(|value| value.sqrt()));
        let root = spread.vectors * DMatrix::from_diagonal(&roots);
        let reacting = reaction.task() * &root;
        let spectrum = Spectrum::of("Jacobians", root.tr_mul(&reacting))?;
        let rank = spectrum.rank(BALANCED_RANK * BALANCED_RANK);
        if rank == 0 {
            return Err(ReshapeError::NoVariation);
        }
        let strengths: Vec<f64> = spectrum.values[..rank].iter().map(|square| square.sqrt()).collect();
        let directions = spectrum.vectors.columns(0, rank).into_owned();
        let power = geometry.power();
        let scaled = |exponent: f64| {
            DMatrix::from_diagonal(&DVector::from_iterator(rank, strengths.iter().map(|t| t.powf(exponent))))
        };
        let forward = scaled(power - 1.5) * (reacting * &directions).transpose();
        let backward = root * directions * scaled(-0.5 - power);
        let source = reaction.source().to_owned();
        let fitted = Self::new("balanced", sample.mean(), [forward, backward], source, sample)?;
        Ok(Self { strengths, ..fitted })
    }

    fn new(
        recipe: &str,
        centre: DVector<f64>,
        [forward, backward]: [DMatrix<f64>; 2],
        source: String,
        sample: &Rows,
    ) -> Result<Self, ReshapeError> {
        for numbers in [forward.as_slice(), backward.as_slice(), centre.as_slice()] {
            ReshapeError::check_moderate("the map", numbers)?;
        }
        let bounds = bounds(&forward, &centre, sample)?;
        let (recipe, strengths) = (recipe.to_owned(), Vec::new());
        Ok(Self { recipe, centre, forward, backward, strengths, bounds, norm: Norm::Replaced, source })
    }

    /// The same with the first `rank` coordinates only, and their own bounds.
    ///
    /// # Errors
    /// When the rank is zero or larger than the number of coordinates, or a bound is zero.
    pub fn truncated(&self, rank: usize, sample: &Rows) -> Result<Self, ReshapeError> {
        let most = self.forward.nrows();
        if !(1..=most).contains(&rank) {
            return Err(ReshapeError::Rank { most, got: rank });
        }
        let forward = self.forward.rows(0, rank).into_owned();
        let backward = self.backward.columns(0, rank).into_owned();
        let mut strengths = self.strengths.clone();
        strengths.truncate(rank);
        let kept =
            Self::new(&self.recipe, self.centre.clone(), [forward, backward], self.source.clone(), sample)?;
        Ok(Self { strengths, norm: self.norm, ..kept })
    }

    /// The same with all clip radii multiplied by `share`. Below one, more vectors are shortened and there is less noise.
    ///
    /// # Errors
    /// When the share is not a finite number above zero.
    pub fn with_share(&self, share: f64) -> Result<Self, ReshapeError> {
        if !(share > 0.0 && share.is_finite()) {
            return Err(ReshapeError::Setting {
                what: "the share of the radius",
                allowed: "finite and greater than 0",
            });
        }
        let mut scaled = self.clone();
        scaled.bounds.sum *= share;
        scaled.bounds.length *= share;
        scaled.bounds.each.iter_mut().for_each(|bound| *bound *= share);
        Ok(scaled)
    }

    /// The same with this treatment of lengths.
    pub fn with_norm(mut self, norm: Norm) -> Self {
        self.norm = norm;
        self
    }

    /// How it was made: `plain`, `centred`, `printed`, `printed-safe`, `balanced`, or one of these with a part left out.
    pub fn recipe(&self) -> &str {
        &self.recipe
    }

    /// How many coordinates the vectors have.
    pub fn dimension(&self) -> usize {
        self.forward.ncols()
    }

    /// How many coordinates of a vector are randomised.
    pub fn rank(&self) -> usize {
        self.forward.nrows()
    }

    /// What becomes of a vector's length.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// For balanced coordinates: the variance and at the same time the weight in the task error of each, before stretching.
    pub fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    /// Where the reaction of the model was taken from, in words.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What the mechanism has to know about the coordinates that it randomises, the completing one included.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = self.bounds.clone();
        if self.norm == Norm::Kept {
            bounds.each.push(bounds.length);
            bounds.deviations.push(bounds.length);
        }
        bounds
    }

    /// The coordinates that are randomised, of a vector.
    pub(super) fn pre(&self, vector: &[f64], coordinates: &mut Vec<f64>) {
        let centred = DVectorView::from_slice(vector, vector.len()) - &self.centre;
        let moved = &self.forward * centred;
        coordinates.clear();
        coordinates.extend_from_slice(moved.as_slice());
        if self.norm == Norm::Kept {
            let radius = self.bounds.length;
            let length = moved.norm();
            if length > radius {
                coordinates.iter_mut().for_each(|coordinate| *coordinate *= radius / length);
            }
            coordinates.push((radius * radius - length.min(radius).powi(2)).max(0.0).sqrt());
        }
    }

    /// The vector that a report, or a mean of reports, stands for.
    pub(super) fn post(&self, report: &[f64], vector: &mut [f64]) {
        let coordinates = DVectorView::from_slice(&report[..self.rank()], self.rank());
        let restored = &self.backward * coordinates + &self.centre;
        vector.copy_from_slice(restored.as_slice());
    }
}

/// The bounds that hold for nine in ten public vectors.
fn bounds(forward: &DMatrix<f64>, centre: &DVector<f64>, sample: &Rows) -> Result<Bounds, ReshapeError> {
    let rank = forward.nrows();
    let mut coordinates = vec![Vec::with_capacity(sample.count()); rank];
    let (mut sums, mut lengths) = (Vec::new(), Vec::new());
    for row in sample.iter() {
        let moved = forward * (DVectorView::from_slice(row, row.len()) - centre);
        sums.push(moved.lp_norm(1));
        lengths.push(moved.norm());
        coordinates.iter_mut().zip(moved.iter()).for_each(|(list, value)| list.push(value.abs()));
    }
    let deviations = coordinates.iter().map(|list| {
        let squares: f64 = list.iter().map(|value| value * value).sum();
        (squares / list.len() as f64).sqrt()
    });
    let length = percentile(lengths);
    let bounds = Bounds {
        deviations: deviations.collect(),
        sum: percentile(sums),
        length,
        each: coordinates.into_iter().map(|list| percentile(list).max(LEAST_EACH * length)).collect(),
    };
    if bounds.length > 0.0 && bounds.sum.is_finite() {
        Ok(bounds)
    } else {
        Err(ReshapeError::Radius { got: bounds.length })
    }
}

/// The value that nine in ten do not exceed, between the two nearest of the list.
fn percentile(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = PERCENTILE * (values.len() - 1) as f64;
    let (below, part) = (place as usize, place.fract());
    let above = (below + 1).min(values.len() - 1);
    values[below] + part * (values[above] - values[below])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reshape::Reading;

    /// Vectors with known covariance: plus and minus the columns of a matrix.
    fn sample(dimension: usize) -> Rows {
        let mut values = Vec::new();
        for index in 0..4 * dimension {
            for column in 0..dimension {
                let angle = (index * (column + 2) + column * column) as f64;
                let value = angle.sin() * (1.0 + column as f64);
                values.push(value + 3.0);
            }
        }
        let mirrored: Vec<f64> = values.iter().map(|value| 6.0 - value).collect();
        values.extend(mirrored);
        Rows::new(dimension, values).unwrap()
    }

    fn weights() -> DMatrix<f64> {
        DMatrix::from_row_slice(2, 5, &[3.0, -1.0, 0.5, 0.0, 0.2, 1.0, 1.0, -2.0, 0.0, 0.1])
    }

    fn is_diagonal(matrix: &DMatrix<f64>, expected: &[f64]) -> bool {
        let diagonal = DMatrix::from_diagonal(&DVector::from_row_slice(expected));
        (matrix - &diagonal).norm() < 1e-9 * diagonal.norm()
    }

    #[test]
    fn balanced_coordinates_vary_as_much_as_they_weigh() {
        let (sample, weights) = (sample(5), weights());
        let reaction = Reaction::of_weights(&weights, Reading::Values).unwrap();
        for geometry in [Geometry::Length, Geometry::Sum, Geometry::Separate] {
            let fitted = Reshape::balanced(&reaction, &sample, geometry).unwrap();
            assert_eq!((fitted.rank(), fitted.dimension()), (2, 5));
            assert!(is_diagonal(&(&fitted.forward * &fitted.backward), &[1.0, 1.0]));
            let power = 2.0 * geometry.power();
            let varied: Vec<f64> = fitted.strengths.iter().map(|t| t * t.powf(power)).collect();
            let weighed: Vec<f64> = fitted.strengths.iter().map(|t| t * t.powf(-power)).collect();
            let covariance = sample.covariance().unwrap();
            assert!(is_diagonal(&(&fitted.forward * covariance * fitted.forward.transpose()), &varied));
            let task = weights.tr_mul(&weights);
            assert!(is_diagonal(&(fitted.backward.tr_mul(&task) * &fitted.backward), &weighed));
        }
    }

    #[test]
    fn a_linear_model_cannot_tell_a_restored_vector_from_the_first() {
        let (sample, weights) = (sample(5), weights());
        let reaction = Reaction::of_weights(&weights, Reading::Values).unwrap();
        let maps = [
            Reshape::balanced(&reaction, &sample, Geometry::Length).unwrap(),
            Reshape::printed(&reaction, &sample, TaskSpace::Seen).unwrap(),
            Reshape::centred(&sample).unwrap(),
            Reshape::plain(&sample).unwrap(),
        ];
        let vector = [1.0, -2.0, 0.5, 7.0, 4.0];
        for map in maps {
            let (mut coordinates, mut restored) = (Vec::new(), vec![0.0; 5]);
            map.pre(&vector, &mut coordinates);
            map.post(&coordinates, &mut restored);
            let difference = &weights * (DVector::from_vec(restored) - DVector::from_row_slice(&vector));
            assert!(difference.norm() < 1e-9, "{}", map.recipe());
        }
    }

    #[test]
    fn kept_lengths_are_completed_to_the_radius() {
        let map = Reshape::centred(&sample(3)).unwrap().with_norm(Norm::Kept);
        let radius = map.bounds().length;
        assert_eq!(map.bounds().dimension(), 4);
        for far in [0.0, 0.1, 100.0] {
            let mut coordinates = Vec::new();
            map.pre(&[3.0 + far, 3.0, 3.0], &mut coordinates);
            let length = coordinates.iter().map(|value| value * value).sum::<f64>().sqrt();
            assert!((length / radius - 1.0).abs() < 1e-12, "{far}");
            assert!((coordinates[0] - radius.min(far)).abs() < 1e-9, "{far}");
        }
    }

    #[test]
    fn the_printed_null_space_has_the_printed_noise() {
        let reaction = Reaction::of_weights(&weights(), Reading::Values).unwrap();
        let map = Reshape::printed(&reaction, &sample(5), TaskSpace::Seen).unwrap();
        let lengths: Vec<f64> = map.backward.column_iter().map(|column| column.norm()).collect();
        assert!(lengths[2..].iter().all(|length| (length / 1000f64.sqrt() - 1.0).abs() < 1e-12));
        let inverse: f64 = lengths.iter().map(|length| 1.0 / length).sum();
        assert!((inverse - 5.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        let reaction = Reaction::of_weights(&weights(), Reading::Values).unwrap();
        let code = |result: Result<Reshape, ReshapeError>| result.unwrap_err().code();
        assert_eq!(code(Reshape::balanced(&reaction, &sample(4), Geometry::Sum)), "reshape-count");
        assert_eq!(code(Reshape::printed(&reaction, &sample(4), TaskSpace::Seen)), "reshape-count");
        let same = Rows::new(5, vec![1.0; 50]).unwrap();
        assert_eq!(code(Reshape::balanced(&reaction, &same, Geometry::Sum)), "reshape-no-variation");
        assert_eq!(code(Reshape::centred(&same)), "reshape-radius");
        // Nine in ten vectors are the mean; the others are too few for a radius.
        let mut values = vec![0.0; 200];
        (values[0], values[1]) = (1.0, -1.0);
        assert_eq!(code(Reshape::plain(&Rows::new(1, values).unwrap())), "reshape-radius");
        let map = Reshape::balanced(&reaction, &sample(5), Geometry::Sum).unwrap();
        for rank in [0, 3] {
            assert_eq!(code(map.truncated(rank, &sample(5))), "reshape-rank");
        }
        for share in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(code(map.with_share(share)), "reshape-setting");
        }
    }

    #[test]
    fn percentiles_lie_between_neighbours() {
        assert_eq!(percentile((0..=10).map(f64::from).collect()), 9.0);
        assert!((percentile(vec![1.0, 0.0]) - 0.9).abs() < 1e-12);
        assert_eq!(percentile(vec![4.0]), 4.0);
    }
}
