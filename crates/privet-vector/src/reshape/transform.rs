//! The linear map around a mechanism, with the clip set of its coordinates.

use super::rows::Rows;
use super::scales::{Geometry, printed_stretches};
use super::spectrum::Spectrum;
use super::{Reaction, ReshapeError};
use crate::PublicSample;
use crate::mechanism::ClipSet;
use crate::registry::Row;
use nalgebra::{DMatrix, DVector, DVectorView};
use privet_core::{Dimension, Probability};

/// The share of public vectors that lie in a clip set before its radii are changed by [`Reshape::with_share`].
pub const PERCENTILE: f64 = 0.9;

/// The factor of noise in the null space of the printed recipe.
pub const NULL_FACTOR: f64 = 31.622_776_601_683_793;

/// Singular values below this share of the largest are null space in the printed recipe.
const PRINTED_RANK: f64 = 0.01;

/// Weaker coordinates than this share of the strongest are rounding errors.
const BALANCED_RANK: f64 = 1e-4;

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
    pub(super) clip: ClipSet,
    pub(super) norm: Norm,
    pub(super) source: String,
}

impl Reshape {
    /// No reshaping, not even centring: vectors are randomised as they are.
    ///
    /// # Errors
    /// When the public vectors give no clip set, because they are all zero or too large.
    pub fn plain(sample: &Rows, row: &Row) -> Result<Self, ReshapeError> {
        let identity = DMatrix::identity(sample.dimension(), sample.dimension());
        let source = "nothing but the public vectors".to_owned();
        let centre = DVector::zeros(sample.dimension());
        Self::new("plain", centre, [identity.clone(), identity], source, sample, row)
    }

    /// No reshaping: vectors are randomised after the public mean was taken off. Coordinates that are the same in all public
    /// vectors are left at it. This is what reshaping is compared with.
    ///
    /// # Errors
    /// When the public vectors give no clip set, because they are all the same or too large.
    pub fn centred(sample: &Rows, row: &Row) -> Result<Self, ReshapeError> {
        let variances = sample.covariance()?.diagonal();
        let varying: Vec<usize> = (0..sample.dimension()).filter(|&place| variances[place] > 0.0).collect();
        if varying.is_empty() {
            return Err(ReshapeError::NoVariation);
        }
        let kept = DMatrix::identity(sample.dimension(), sample.dimension()).select_columns(&varying);
        let source = "nothing but the public vectors".to_owned();
        Self::new("centred", sample.mean(), [kept.transpose(), kept], source, sample, row)
    }

    /// The paper's recipe: the singular directions of the Jacobians, stretched by the 2/3 power, and a null space with 32
    /// times the noise.
    ///
    /// # Errors
    /// When the sample has another dimension than the model, or its vectors are all the same or too large.
    pub fn printed(
        reaction: &Reaction,
        sample: &Rows,
        space: TaskSpace,
        row: &Row,
    ) -> Result<Self, ReshapeError> {
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
        Self::new(recipe, sample.mean(), [forward, backward], reaction.source().to_owned(), sample, row)
    }

    /// Balanced coordinates for a mechanism, strongest first, as many as the model and the public vectors
    /// have. The [page of scales](super::scales) derives them.
    ///
    /// # Errors
    /// When the sample has another dimension than the model, its numbers are too large, or it does not vary where the model
    /// reacts.
    pub fn balanced(reaction: &Reaction, sample: &Rows, row: &Row) -> Result<Self, ReshapeError> {
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
        let power = Geometry::of(&Self::centred(sample, row)?.clip).power();
        let scaled = |exponent: f64| {
            DMatrix::from_diagonal(&DVector::from_iterator(rank, strengths.iter().map(|t| t.powf(exponent))))
        };
        let forward = scaled(power - 1.5) * (reacting * &directions).transpose();
        let backward = root * directions * scaled(-0.5 - power);
        let source = reaction.source().to_owned();
        let fitted = Self::new("balanced", sample.mean(), [forward, backward], source, sample, row)?;
        Ok(Self { strengths, ..fitted })
    }

    fn new(
        recipe: &str,
        centre: DVector<f64>,
        [forward, backward]: [DMatrix<f64>; 2],
        source: String,
        sample: &Rows,
        row: &Row,
    ) -> Result<Self, ReshapeError> {
        for numbers in [forward.as_slice(), backward.as_slice(), centre.as_slice()] {
            ReshapeError::check_moderate("the map", numbers)?;
        }
        let coordinates: Vec<f64> = sample
            .iter()
            .flat_map(|vector| {
                (&forward * (DVectorView::from_slice(vector, vector.len()) - &centre)).data.as_vec().clone()
            })
            .collect();
        let mapped = PublicSample::new(forward.nrows() as u32, &coordinates)?;
        let clip = row.fit(&mapped, Probability::new(PERCENTILE)?)?;
        let (recipe, strengths) = (recipe.to_owned(), Vec::new());
        Ok(Self { recipe, centre, forward, backward, strengths, clip, norm: Norm::Replaced, source })
    }

    /// The same with the first `rank` coordinates only, and a clip set of their own.
    ///
    /// # Errors
    /// When the rank is zero or larger than the number of coordinates, or there is no clip set.
    pub fn truncated(&self, rank: usize, sample: &Rows, row: &Row) -> Result<Self, ReshapeError> {
        let most = self.forward.nrows();
        if !(1..=most).contains(&rank) {
            return Err(ReshapeError::Rank { most, got: rank });
        }
        let forward = self.forward.rows(0, rank).into_owned();
        let backward = self.backward.columns(0, rank).into_owned();
        let mut strengths = self.strengths.clone();
        strengths.truncate(rank);
        let centre = self.centre.clone();
        let kept = Self::new(&self.recipe, centre, [forward, backward], self.source.clone(), sample, row)?;
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
        Ok(Self { clip: scaled(&self.clip, share)?, ..self.clone() })
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

    /// The clip set for the coordinates that are randomised, the completing one included.
    ///
    /// # Errors
    /// When there are more coordinates than a vector may have.
    pub fn clip(&self) -> Result<ClipSet, ReshapeError> {
        Ok(match (&self.clip, self.norm) {
            (ClipSet::Sphere { radius, .. }, Norm::Kept) => {
                ClipSet::sphere(Dimension::new(self.rank() as u32 + 1)?, *radius)?
            }
            (clip, _) => clip.clone(),
        })
    }

    /// The coordinates that are randomised, of a vector.
    pub(super) fn pre(&self, vector: &[f64], coordinates: &mut Vec<f64>) {
        let centred = DVectorView::from_slice(vector, vector.len()) - &self.centre;
        let moved = &self.forward * centred;
        coordinates.clear();
        coordinates.extend_from_slice(moved.as_slice());
        if let (ClipSet::Sphere { radius, .. }, Norm::Kept) = (&self.clip, self.norm) {
            let length = moved.norm();
            if length > *radius {
                coordinates.iter_mut().for_each(|coordinate| *coordinate *= radius / length);
            }
            coordinates.push((radius * radius - length.min(*radius).powi(2)).max(0.0).sqrt());
        }
    }

    /// The vector that a report, or a mean of reports, stands for.
    pub(super) fn post(&self, report: &[f64], vector: &mut [f64]) {
        let coordinates = DVectorView::from_slice(&report[..self.rank()], self.rank());
        let restored = &self.backward * coordinates + &self.centre;
        vector.copy_from_slice(restored.as_slice());
    }
}

/// The clip set with all radii multiplied by a share.
fn scaled(clip: &ClipSet, share: f64) -> Result<ClipSet, ReshapeError> {
    let all = |radii: &[f64]| radii.iter().map(|radius| radius * share).collect();
    Ok(match clip {
        ClipSet::L1Ball { dimension, radius } => ClipSet::l1_ball(*dimension, radius * share)?,
        ClipSet::L2Ball { dimension, radius } => ClipSet::l2_ball(*dimension, radius * share)?,
        ClipSet::Sphere { dimension, radius } => ClipSet::sphere(*dimension, radius * share)?,
        ClipSet::Box { radii } => ClipSet::box_of(all(radii))?,
        ClipSet::Ellipsoid { centre, radii } => ClipSet::ellipsoid(centre.clone(), all(radii))?,
        ClipSet::Image { centre, matrix, radius } => {
            ClipSet::image(centre.clone(), matrix.clone(), radius * share)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::find;
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
        for (name, geometry) in [
            ("gaussian-vector", Geometry::Length),
            ("laplace-vector", Geometry::Sum),
            ("plan", Geometry::Separate),
        ] {
            let fitted = Reshape::balanced(&reaction, &sample, find(name).unwrap()).unwrap();
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
        let row = find("privunit").unwrap();
        let maps = [
            Reshape::balanced(&reaction, &sample, row).unwrap(),
            Reshape::printed(&reaction, &sample, TaskSpace::Seen, row).unwrap(),
            Reshape::centred(&sample, row).unwrap(),
            Reshape::plain(&sample, row).unwrap(),
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
        let map = Reshape::centred(&sample(3), find("privunit").unwrap()).unwrap().with_norm(Norm::Kept);
        let Ok(ClipSet::Sphere { dimension, radius }) = map.clip() else { panic!("no sphere") };
        assert_eq!(dimension.get(), 4);
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
        let map =
            Reshape::printed(&reaction, &sample(5), TaskSpace::Seen, find("privunit").unwrap()).unwrap();
        let lengths: Vec<f64> = map.backward.column_iter().map(|column| column.norm()).collect();
        assert!(lengths[2..].iter().all(|length| (length / 1000f64.sqrt() - 1.0).abs() < 1e-12));
        let inverse: f64 = lengths.iter().map(|length| 1.0 / length).sum();
        assert!((inverse - 5.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        let reaction = Reaction::of_weights(&weights(), Reading::Values).unwrap();
        let code = |result: Result<Reshape, ReshapeError>| result.unwrap_err().code();
        let row = find("privunit").unwrap();
        assert_eq!(code(Reshape::balanced(&reaction, &sample(4), row)), "reshape-count");
        assert_eq!(code(Reshape::printed(&reaction, &sample(4), TaskSpace::Seen, row)), "reshape-count");
        let same = Rows::new(5, vec![1.0; 50]).unwrap();
        assert_eq!(code(Reshape::balanced(&reaction, &same, row)), "reshape-no-variation");
        assert_eq!(code(Reshape::centred(&same, row)), "reshape-no-variation");
        // Nine in ten vectors are zero; the others are too few for a radius.
        let mut values = vec![0.0; 200];
        (values[0], values[1]) = (1.0, -1.0);
        let error = Reshape::plain(&Rows::new(1, values).unwrap(), row).unwrap_err();
        assert!(error.to_string().contains("radius"), "{error}");
        let map = Reshape::balanced(&reaction, &sample(5), row).unwrap();
        for rank in [0, 3] {
            assert_eq!(code(map.truncated(rank, &sample(5), row)), "reshape-rank");
        }
        for share in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(code(map.with_share(share)), "reshape-setting");
        }
    }

    #[test]
    fn coordinates_that_never_vary_are_not_sent() {
        let values =
            (0..60).map(|index| if index % 3 == 1 { 7.0 } else { f64::from(index * index % 11) }).collect();
        let map =
            Reshape::centred(&Rows::new(3, values).unwrap(), find("coordinate-laplace").unwrap()).unwrap();
        assert_eq!((map.rank(), map.dimension()), (2, 3));
        let mut vector = [0.0; 3];
        map.post(&[1.0, 2.0], &mut vector);
        assert_eq!(vector[1], 7.0);
    }
}
