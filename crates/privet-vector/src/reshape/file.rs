//! Reshapings as files: JSON with all public numbers, where they come from, and a digest.

use super::{Norm, Reshape, ReshapeError};
use crate::mechanism::ClipSet;
use nalgebra::{DMatrix, DVector};
use privet_core::Dimension;
use serde::{Deserialize, Serialize};

/// What the first line of a file says.
const FORMAT: &str = "privet reshape 1";

/// Longer files are no reshapings.
const MOST_BYTES: usize = 256 << 20;

/// What every file says about itself.
const STATEMENT: &str = "made from public data alone; it has never seen a private vector";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    format: String,
    digest: String,
    body: BodyText,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyText {
    statement: String,
    recipe: String,
    source: String,
    norm: NormText,
    clip: ClipText,
    strengths: Vec<f64>,
    centre: Vec<f64>,
    /// One row for each coordinate that is randomised.
    forward: Vec<Vec<f64>>,
    /// One row for each coordinate of a vector.
    backward: Vec<Vec<f64>>,
}

/// The clip set of the coordinates that are randomised; its dimension is their number.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum ClipText {
    L1Ball { radius: f64 },
    L2Ball { radius: f64 },
    Sphere { radius: f64 },
    Box { radii: Vec<f64> },
    Ellipsoid { centre: Vec<f64>, radii: Vec<f64> },
    Image { centre: Vec<f64>, matrix: Vec<Vec<f64>>, radius: f64 },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NormText {
    Replaced,
    Kept,
}

fn wrong(reason: impl Into<String>) -> ReshapeError {
    ReshapeError::File { reason: reason.into() }
}

fn digest_of(body: &BodyText) -> String {
    // Writing these types cannot fail: they hold numbers, texts and lists.
    let text = serde_json::to_string(body).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Reshape {
    /// The reshaping as the text of a file.
    pub fn to_json(&self) -> String {
        let body = self.body();
        let file = FileText { format: FORMAT.to_owned(), digest: digest_of(&body), body };
        serde_json::to_string(&file).unwrap_or_default()
    }

    /// A name for the map with all its numbers, the same wherever it is asked.
    pub fn digest(&self) -> String {
        digest_of(&self.body())
    }

    /// Reads the text of a file. A file of which anything was changed is refused.
    ///
    /// # Errors
    /// When the text is no such file, was changed, or its parts do not fit together.
    pub fn from_json(text: &str) -> Result<Self, ReshapeError> {
        if text.len() > MOST_BYTES {
            return Err(wrong("it is larger than 256 MB"));
        }
        let file: FileText = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if file.format != FORMAT {
            return Err(wrong(format!("its format is {:?}, not {FORMAT:?}", file.format)));
        }
        if digest_of(&file.body) != file.digest {
            return Err(wrong("its content does not match its digest: something in it was changed"));
        }
        file.body.read()
    }

    fn body(&self) -> BodyText {
        BodyText {
            statement: STATEMENT.to_owned(),
            recipe: self.recipe.clone(),
            source: self.source.clone(),
            norm: match self.norm {
                Norm::Replaced => NormText::Replaced,
                Norm::Kept => NormText::Kept,
            },
            clip: ClipText::of(&self.clip),
            strengths: self.strengths.clone(),
            centre: self.centre.as_slice().to_vec(),
            forward: rows_of(&self.forward),
            backward: rows_of(&self.backward),
        }
    }
}

impl BodyText {
    fn read(self) -> Result<Reshape, ReshapeError> {
        let (rank, dimension) = (self.forward.len(), self.centre.len());
        if !(1..=Dimension::MAX as usize).contains(&dimension) || !(1..=dimension).contains(&rank) {
            return Err(wrong(format!("{rank} coordinates cannot be randomised of {dimension}")));
        }
        let strengths_fit = self.strengths.is_empty() || self.strengths.len() == rank;
        if !strengths_fit || self.strengths.iter().any(|strength| !(*strength >= 0.0 && strength.is_finite()))
        {
            return Err(wrong(format!("its strengths are not those of {rank} coordinates")));
        }
        ReshapeError::check_moderate("the centre", &self.centre)?;
        Ok(Reshape {
            recipe: self.recipe,
            forward: matrix(&self.forward, rank, dimension)?,
            backward: matrix(&self.backward, dimension, rank)?,
            centre: DVector::from_vec(self.centre),
            strengths: self.strengths,
            clip: self.clip.read(rank)?,
            norm: match self.norm {
                NormText::Replaced => Norm::Replaced,
                NormText::Kept => Norm::Kept,
            },
            source: self.source,
        })
    }
}

impl ClipText {
    fn of(clip: &ClipSet) -> Self {
        match clip {
            ClipSet::L1Ball { radius, .. } => Self::L1Ball { radius: *radius },
            ClipSet::L2Ball { radius, .. } => Self::L2Ball { radius: *radius },
            ClipSet::Sphere { radius, .. } => Self::Sphere { radius: *radius },
            ClipSet::Box { radii } => Self::Box { radii: radii.clone() },
            ClipSet::Ellipsoid { centre, radii } => {
                Self::Ellipsoid { centre: centre.clone(), radii: radii.clone() }
            }
            ClipSet::Image { centre, matrix, radius } => {
                Self::Image { centre: centre.as_slice().to_vec(), matrix: rows_of(matrix), radius: *radius }
            }
        }
    }

    fn read(self, rank: usize) -> Result<ClipSet, ReshapeError> {
        let dimension = Dimension::new(rank as u32)?;
        let clip = match self {
            Self::L1Ball { radius } => ClipSet::l1_ball(dimension, radius),
            Self::L2Ball { radius } => ClipSet::l2_ball(dimension, radius),
            Self::Sphere { radius } => ClipSet::sphere(dimension, radius),
            Self::Box { radii } => ClipSet::box_of(radii),
            Self::Ellipsoid { centre, radii } => ClipSet::ellipsoid(centre, radii),
            Self::Image { centre, matrix: rows, radius } => {
                let map = matrix(&rows, rows.len(), rank)?;
                ClipSet::image(DVector::from_vec(centre), map, radius)
            }
        };
        let clip = clip.map_err(|error| wrong(error.to_string()))?;
        if clip.dimension() == dimension {
            Ok(clip)
        } else {
            Err(wrong(format!("its clip set is not one of {rank} coordinates")))
        }
    }
}

fn rows_of(map: &DMatrix<f64>) -> Vec<Vec<f64>> {
    map.row_iter().map(|row| row.iter().copied().collect()).collect()
}

fn matrix(rows: &[Vec<f64>], height: usize, width: usize) -> Result<DMatrix<f64>, ReshapeError> {
    if rows.len() != height || rows.iter().any(|row| row.len() != width) {
        return Err(wrong(format!("a map must have {height} x {width} numbers")));
    }
    for row in rows {
        ReshapeError::check_moderate("the map", row)?;
    }
    Ok(DMatrix::from_fn(height, width, |row, column| rows[row][column]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ROWS, find};
    use crate::reshape::Rows;

    fn sample() -> Rows {
        Rows::new(3, (0..60).map(|index| f64::from(index * index % 17) / 7.0).collect()).unwrap()
    }

    fn example() -> Reshape {
        Reshape::centred(&sample(), find("coordinate-laplace").unwrap()).unwrap()
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        for row in ROWS {
            let reshape = Reshape::centred(&sample(), row).unwrap();
            let text = reshape.to_json();
            assert!(text.contains("it has never seen a private vector"));
            let read = Reshape::from_json(&text).unwrap();
            assert_eq!((&read, read.digest()), (&reshape, reshape.digest()));
        }
    }

    #[test]
    fn changed_files_are_refused() {
        let text = example().to_json();
        for (from, to) in
            [("replaced", "kept"), ("centred", "printed"), ("1.0", "1.5"), ("nothing", "Nothing")]
        {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            let error = Reshape::from_json(&changed).unwrap_err();
            assert!(error.to_string().contains("digest"), "{error}");
        }
        for text in ["", "{}", &text[..text.len() / 2], &text.replacen("reshape 1", "reshape 2", 1)] {
            assert_eq!(Reshape::from_json(text).unwrap_err().code(), "reshape-file");
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused_even_with_a_right_digest() {
        let damages: [fn(&mut BodyText); 6] = [
            |body| body.forward.clear(),
            |body| body.backward[0].push(1.0),
            |body| body.clip = ClipText::Box { radii: vec![1.0] },
            |body| body.clip = ClipText::L1Ball { radius: 0.0 },
            |body| body.clip = ClipText::Image { centre: vec![0.0], matrix: vec![], radius: 1.0 },
            |body| body.strengths = vec![1.0],
        ];
        for damage in damages {
            let mut body = example().body();
            damage(&mut body);
            let file = FileText { format: FORMAT.to_owned(), digest: digest_of(&body), body };
            let text = serde_json::to_string(&file).unwrap();
            assert_eq!(Reshape::from_json(&text).unwrap_err().code(), "reshape-file");
        }
    }
}
