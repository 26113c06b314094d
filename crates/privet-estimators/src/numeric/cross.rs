//! Numbers and angles as one side of a cross-table.

use super::brackets::{Brackets, Question};
use super::groups::Groups;
use super::operator::Operator;
use super::values::Values;
use crate::Populations;
use crate::bounds::Purpose;
use crate::cross_table::{Column, Side};
use privet_mechanisms::analysis::AnyNumeric;
use std::sync::Arc;

/// What the reports of a lattice channel, counted in groups, say about equal bins of its domain.
pub(crate) fn side_of_numbers(
    channel: &dyn AnyNumeric,
    groups: Groups,
    bins: usize,
    purpose: Purpose,
) -> Side {
    let values = Arc::new(Values::new(channel, groups, Populations::Any));
    let edge = |edge: usize| edge as f64 / bins as f64;
    let brackets = Brackets::new(&values, purpose);
    let column = |bin: usize| {
        let bracket = brackets.bracket(Question::inside([edge(bin), edge(bin + 1)]));
        let lower = bracket.lower.weights.iter().map(|weight| -weight).collect();
        Column::of_groups(bracket.upper.weights.clone(), lower)
    };
    let expected = Operator::of_bins(channel, groups, bins).dense(groups).transpose();
    Side { expected, columns: (0..bins).map(column).collect() }
}
