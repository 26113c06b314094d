//! Reshapings as files: JSON with all public numbers, where they come from, and a digest.

use super::{Bounds, Norm, Reshape, ReshapeError};
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
    sum_bound: f64,
    length_bound: f64,
    bounds: Vec<f64>,
    deviations: Vec<f64>,
    strengths: Vec<f64>,
    centre: Vec<f64>,
    /// One row for each coordinate that is randomised.
    forward: Vec<Vec<f64>>,
    /// One row for each coordinate of a vector.
    backward: Vec<Vec<f64>>,
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
        let rows = |map: &DMatrix<f64>| map.row_iter().map(|row| row.iter().copied().collect()).collect();
        BodyText {
            statement: STATEMENT.to_owned(),
            recipe: self.recipe.clone(),
            source: self.source.clone(),
            norm: match self.norm {
                Norm::Replaced => NormText::Replaced,
                Norm::Kept => NormText::Kept,
            },
            sum_bound: self.bounds.sum,
            length_bound: self.bounds.length,
            bounds: self.bounds.each.clone(),
            deviations: self.bounds.deviations.clone(),
            strengths: self.strengths.clone(),
            centre: self.centre.as_slice().to_vec(),
            forward: rows(&self.forward),
            backward: rows(&self.backward),
        }
    }
}

impl BodyText {
    fn read(self) -> Result<Reshape, ReshapeError> {
        let (rank, dimension) = (self.forward.len(), self.centre.len());
        if !(1..=Dimension::MAX as usize).contains(&dimension) || !(1..=dimension).contains(&rank) {
            return Err(wrong(format!("{rank} coordinates cannot be randomised of {dimension}")));
        }
        let sizes_fit = self.bounds.len() == rank
            && self.deviations.len() == rank
            && (self.strengths.is_empty() || self.strengths.len() == rank);
        if !sizes_fit {
            return Err(wrong(format!("its bounds are not those of {rank} coordinates")));
        }
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !positive(self.sum_bound) || !positive(self.length_bound) {
            return Err(wrong("a bound must be finite and greater than 0"));
        }
        let lists = [&self.bounds, &self.deviations, &self.strengths];
        if lists.into_iter().flatten().any(|value| !(*value >= 0.0 && value.is_finite())) {
            return Err(wrong("bounds, deviations and strengths must be finite and not negative"));
        }
        ReshapeError::check_moderate("the centre", &self.centre)?;
        Ok(Reshape {
            recipe: self.recipe,
            forward: matrix(&self.forward, rank, dimension)?,
            backward: matrix(&self.backward, dimension, rank)?,
            centre: DVector::from_vec(self.centre),
            strengths: self.strengths,
            bounds: Bounds {
                sum: self.sum_bound,
                length: self.length_bound,
                each: self.bounds,
                deviations: self.deviations,
            },
            norm: match self.norm {
                NormText::Replaced => Norm::Replaced,
                NormText::Kept => Norm::Kept,
            },
            source: self.source,
        })
    }
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
    use crate::reshape::Rows;

    fn example() -> Reshape {
        let values = (0..60).map(|index| f64::from(index * index % 17) / 7.0).collect();
        Reshape::centred(&Rows::new(3, values).unwrap()).unwrap()
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let reshape = example();
        let text = reshape.to_json();
        assert!(text.contains("it has never seen a private vector"));
        let read = Reshape::from_json(&text).unwrap();
        assert_eq!((&read, read.digest()), (&reshape, reshape.digest()));
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
            |body| body.bounds.truncate(1),
            |body| body.length_bound = 0.0,
            |body| body.deviations[0] = -1.0,
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
