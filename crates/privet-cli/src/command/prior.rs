//! What is known beforehand about where values lie, from files.

use super::true_values::TrueValues;
use crate::failure::Failure;
use privet::DomainSpec;
use privet::analysis::{Prior, Space};
use privet::plane::PlanePrior;
use std::path::Path;
use std::str::FromStr;

/// Weights of equal bins, or of categories: a JSON array, or numbers with commas, blanks or line ends in between.
pub(super) fn of_weights(path: &Path) -> Result<Prior, Failure> {
    let text = read(path)?;
    let broken = |problem: &str| Failure::Data {
        message: format!("{}: {problem}", path.display()),
        hint: Some("a prior is a list of weights, one for each of equal bins of the domain, such as 1,2,4,1"),
    };
    let inner = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&text);
    let weights = numbers(inner).map_err(|_| broken("a weight is not a number"))?;
    Prior::new(&weights).map_err(|error| broken(&error.to_string()))
}

/// Whole weights of equal parts of a rectangle: a line for each part of the first side, with a weight for each of the second.
pub(super) fn of_grid(path: &Path) -> Result<PlanePrior, Failure> {
    let broken = |problem: &str| Failure::Data {
        message: format!("{}: {problem}", path.display()),
        hint: Some("a prior on a rectangle has a line of whole weights for each part of its first side"),
    };
    let text = read(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let rows: Vec<Vec<u32>> =
        lines.map(numbers).collect::<Result<_, _>>().map_err(|_| broken("a weight is not a whole number"))?;
    let columns = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != columns) {
        return Err(broken("the lines differ in length"));
    }
    let shape = [rows.len(), columns].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    PlanePrior::new(shape, rows.concat()).map_err(|error| broken(&error.to_string()))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })
}

fn numbers<T: FromStr>(text: &str) -> Result<Vec<T>, T::Err> {
    let words = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    words.filter(|word| !word.is_empty()).map(str::parse).collect()
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
