//! Arrays of NumPy: a row for each vector, or a number for each.

use super::source::{Batch, Place, Rest, RowReader};
use super::{Cell, Column, Destination, Problem, is_standard_stream};
use crate::failure::Failure;
use privet::model::ModelError;
use privet::model::array::{Array, Precision, read_npy, write_npy};
use std::path::Path;

pub(super) struct NpyReader {
    array: Array,
    next: usize,
    place: Place,
}

impl NpyReader {
    pub(super) fn open(path: &Path, place: Place) -> Result<Self, Failure> {
        let array = read(path)?;
        match array.shape() {
            [_] => Ok(Self { array, next: 0, place }),
            [_, width] if *width > 0 => Ok(Self { array, next: 0, place }),
            _ => Err(place.whole(Problem::Shape { expected: "a row for each vector" })),
        }
    }

    /// How many numbers each row has.
    fn width(&self) -> usize {
        self.array.shape().get(1).copied().unwrap_or(1)
    }
}

impl RowReader for NpyReader {
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure> {
        let is_list = self.array.shape().len() == 1;
        let rows = self.array.values().chunks_exact(self.width()).skip(self.next);
        for row in rows {
            if batch.is_full() {
                return Ok(Rest::More);
            }
            batch.push(&self.place, if is_list { Cell::Number(row[0]) } else { Cell::Vector(row) })?;
            self.next += 1;
        }
        Ok(Rest::Nothing)
    }
}

/// A whole array.
pub(crate) fn read(path: &Path) -> Result<Array, Failure> {
    if is_standard_stream(path) {
        return Err(Failure::Usage { message: "npy is read from files".into(), hint: None });
    }
    read_npy(path).map_err(|source| Failure::Model { path: path.to_owned(), source })
}

/// Writes an array in double precision; the file appears when it is complete.
pub(super) fn write(path: &Path, array: &Array) -> Result<(), Failure> {
    let failed = |source: ModelError| Failure::Model { path: path.to_owned(), source };
    let destination = Destination::create(path)?;
    match &destination {
        Destination::Replaced { temporary, .. } => {
            write_npy(temporary.path(), array, Precision::Double).map_err(failed)?;
        }
        Destination::Direct { path, .. } => write_npy(path, array, Precision::Double).map_err(failed)?,
        Destination::Stdout(_) => {
            return Err(Failure::Usage { message: "npy is written to files".into(), hint: None });
        }
    }
    destination.commit()
}
