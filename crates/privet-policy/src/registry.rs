//! The mechanisms and estimators by name, for programs that learn the name at run time.

pub use privet_estimators::registry::{AnyEstimator, Row as EstimatorRow};
pub use privet_mechanisms::registry::Row as MechanismRow;

use privet_core::{Mechanism, ParameterError};
use privet_estimators::registry as estimators;
use privet_limit::registry as solved;
use privet_mechanisms::plane::PlaneWindow;
use privet_mechanisms::registry as ready;

/// Every mechanism, in the order of the documentation.
pub fn mechanisms() -> impl Iterator<Item = &'static MechanismRow> {
    ready::ROWS.iter().chain(solved::MECHANISMS)
}

/// Those that are made at once. The others have to be solved for, which takes seconds.
pub fn ready_mechanisms() -> &'static [MechanismRow] {
    ready::ROWS
}

/// Whether a mechanism has to be solved for.
pub fn is_solved(row: &MechanismRow) -> bool {
    solved::MECHANISMS.iter().any(|solved| solved.info.id == row.info.id)
}

/// Whether a mechanism reports places of a rectangle itself, not cells of a grid.
pub(crate) fn is_on_places(id: &str) -> bool {
    id == PlaneWindow::INFO.id || find_mechanism(id).is_ok_and(|row| row.info.domain == "rectangle")
}

/// The mechanism with this id or synonym.
///
/// # Errors
/// When there is none.
pub fn find_mechanism(name: &str) -> Result<&'static MechanismRow, ParameterError> {
    mechanisms()
        .find(|row| row.info.id == name || row.info.synonyms.contains(&name))
        .ok_or_else(|| ParameterError::UnknownMechanism { got: name.to_owned() })
}

/// The estimator of the mechanism with this id or synonym.
///
/// # Errors
/// When there is none.
pub fn find_estimator(name: &str) -> Result<&'static EstimatorRow, ParameterError> {
    let id = find_mechanism(name)?.info.id;
    estimators::ROWS
        .iter()
        .chain(solved::ESTIMATORS)
        .find(|row| row.id == id)
        .ok_or_else(|| ParameterError::UnknownMechanism { got: name.to_owned() })
}

/// The name of a mechanism that is most like another name, if one is like it.
pub fn nearest_name(name: &str) -> Option<&'static str> {
    let names =
        mechanisms().flat_map(|row| std::iter::once(row.info.id).chain(row.info.synonyms.iter().copied()));
    nearest_of(names, name)
}

/// The one of several names that is most like another name, if one is like it.
pub(crate) fn nearest_of(names: impl Iterator<Item = &'static str>, name: &str) -> Option<&'static str> {
    let (distance, nearest) =
        names.map(|known| (edit_distance(name, known), known)).min_by_key(|(distance, _)| *distance)?;
    // A name that shares less than two thirds of its letters is a guess, not a suggestion.
    (distance * 3 <= name.chars().count().max(3)).then_some(nearest)
}

/// How many letters must be added, removed or replaced to make one word the other.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], above + 1);
        for (column, candidate) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *candidate);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_every_mechanism_has_its_estimator() {
        let mut names = HashSet::new();
        for row in mechanisms() {
            for name in std::iter::once(&row.info.id).chain(row.info.synonyms) {
                assert!(names.insert(*name), "{name}");
                assert_eq!(find_estimator(name).unwrap().id, row.info.id);
            }
        }
        assert!(find_estimator("nonsense").is_err());
    }

    #[test]
    fn those_that_have_to_be_solved_for_are_told_apart() {
        let solved: Vec<&str> = mechanisms().filter(|row| is_solved(row)).map(|row| row.info.id).collect();
        assert_eq!(solved, ["minimax-absolute", "minimax-squared", "minimax-unbiased"]);
        assert!(!ready_mechanisms().iter().any(is_solved));
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(nearest_name("optimised-unary-encoding"), Some("optimized-unary-encoding"));
        assert_eq!(nearest_name("grrr"), Some("grr"));
        assert_eq!(nearest_name("something-else-entirely"), None);
    }

    #[test]
    fn distances_count_single_letters() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }
}
