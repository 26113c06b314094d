//! What is known beforehand about where values lie, from files.

use super::true_values::TrueValues;
use crate::failure::Failure;
use privet::DomainSpec;
use privet::analysis::{Prior, Space};
use std::path::Path;

/// Weights of equal bins: a JSON array, or numbers with commas, blanks or line ends in between.
pub(super) fn of_weights(path: &Path) -> Result<Prior, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let broken = |problem: &str| Failure::Data {
        message: format!("{}: {problem}", path.display()),
        hint: Some("a prior is a list of weights, one for each of equal bins of the domain, such as 1,2,4,1"),
    };
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&text);
    let words = inner.split(|letter: char| letter == ',' || letter.is_whitespace());
    let weights: Result<Vec<f64>, _> = words.filter(|word| !word.is_empty()).map(str::parse).collect();
    let weights = weights.map_err(|_| broken("a weight is not a number"))?;
    Prior::new(&weights).map_err(|error| broken(&error.to_string()))
}

/// The shares of equal bins in a column of public values, with one more value in each bin: that nobody was seen somewhere
/// does not mean that nobody can be there.
pub(super) fn of_column(
    path: &Path,
    column: &str,
    bins: u32,
    domain: &DomainSpec,
    space: Space,
) -> Result<Prior, Failure> {
    let values = TrueValues { input: path, column: Some(column), format: None }.numbers(domain)?;
    Ok(Prior::new(&weights_of(&values, bins as usize, space))?)
}

fn weights_of(values: &[f64], bins: usize, space: Space) -> Vec<f64> {
    let mut weights = vec![1.0; bins];
    for value in values {
        let bin = (space.to_unit(*value) * bins as f64) as usize;
        weights[bin.min(bins - 1)] += 1.0;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_in_their_bins_and_no_bin_is_empty() {
        let space = Space::Line { low: -1.0, high: 3.0 };
        assert_eq!(weights_of(&[-1.0, -0.1, 0.0, 3.0], 4, space), [3.0, 2.0, 1.0, 2.0]);
    }
}
