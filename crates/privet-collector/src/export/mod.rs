//! Tables: stored reports with their epochs and public fields, and estimates.

mod estimates;
mod format;
mod stream;

pub(crate) use estimates::estimates_table;
pub(crate) use format::Format;
pub(crate) use stream::pieces;

use crate::collection::Collection;
use crate::ingest::damaged;
use crate::store::{Store, StoreError};
use format::{Row, TableWriter};
use std::io::Write;

/// Writes all kept reports of a collection.
pub(crate) fn write_reports<W: Write + Send>(
    store: &dyn Store,
    collection: &Collection,
    format: Format,
    destination: W,
) -> Result<(), StoreError> {
    let mut writer = TableWriter::new(collection, format, destination).map_err(damaged)?;
    let mut transaction = store.read()?;
    transaction.scan_reports(collection.key, &mut |bytes| {
        let report = collection.codec.decode(bytes).map_err(damaged)?;
        let fields = collection.policy.terms().public.iter().enumerate();
        let public = fields
            .map(|(field, terms)| {
                let value = report.public_value(field).and_then(|value| terms.values.get(value));
                value.map_or("", String::as_str)
            })
            .collect();
        writer.push(&Row { epoch: report.epoch(), public, report: bytes }).map_err(damaged)
    })?;
    transaction.commit()?;
    writer.finish().map_err(damaged)
}
