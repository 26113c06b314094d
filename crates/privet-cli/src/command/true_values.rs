//! A table of values that may be read: test data, or public ones.

use crate::failure::Failure;
use crate::table::{BATCH_ROWS, Columns, Format, Problem, Source, ValueColumn};
use privet::{Domain, DomainSpec, InputError, Values};
use std::path::Path;
use std::sync::Arc;

/// One column of the table.
pub(super) struct TrueValues<'a> {
    pub(super) input: &'a Path,
    pub(super) column: Option<&'a str>,
    pub(super) format: Option<Format>,
}

impl TrueValues<'_> {
    /// Reads the column and gives it to `work` in parts, with the number of each part's first row.
    pub(super) fn for_each(
        &self,
        domain: &DomainSpec,
        mut work: impl FnMut(&Values, u64) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let format = Format::of(self.input, self.format)?;
        let columns = Columns { column: self.column, keep: &[], batch_rows: BATCH_ROWS };
        let source = Source::open(self.input, format, columns)?;
        let domain = Arc::new(domain.clone());
        let make = || ValueColumn::new(domain.clone(), false);
        let people = source.for_each_batch(make, |batch| work(&batch.column.values, batch.first_row))?;
        if people == 0 { Err(Source::no_rows(self.input)) } else { Ok(people) }
    }

    /// All numbers of the column.
    pub(super) fn numbers(&self, domain: &DomainSpec) -> Result<Vec<f64>, Failure> {
        let mut numbers = Vec::new();
        self.for_each(domain, |values, first_row| {
            let Values::Numbers(values) = values else { return Ok(()) };
            for (row, value) in (first_row..).zip(values) {
                check_number(domain, *value).map_err(|error| self.refuse(row, error))?;
            }
            numbers.extend_from_slice(values);
            Ok(())
        })?;
        Ok(numbers)
    }

    /// All places of the column.
    pub(super) fn places(&self, domain: &DomainSpec) -> Result<Vec<[f64; 2]>, Failure> {
        let mut places = Vec::new();
        self.for_each(domain, |values, _| {
            if let Values::Points(values) = values {
                places.extend_from_slice(values);
            }
            Ok(())
        })?;
        Ok(places)
    }

    pub(super) fn refuse(&self, row: u64, source: InputError) -> Failure {
        let problem = Problem::Input { source, is_clampable: false };
        Failure::Source { path: self.input.to_owned(), row: Some(row), problem }
    }
}

/// Refuses a number outside the domain.
fn check_number(domain: &DomainSpec, value: f64) -> Result<(), InputError> {
    match domain {
        DomainSpec::Interval(interval) => interval.check(&value),
        DomainSpec::Circle(circle) => circle.check(&value),
        other => Err(InputError::WrongKind { domain: other.to_string() }),
    }
}
