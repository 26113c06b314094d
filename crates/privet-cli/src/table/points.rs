//! Points as GeoParquet holds them: well-known binary, which the key `geo` of the file explains.

use super::kept::KeptColumn;
use super::{Cell, Column, Problem};
use arrow_array::builder::BinaryBuilder;
use serde_json::{Value, json};
use std::sync::Arc;

/// The name under which a file says which of its columns are geometries.
pub(crate) const METADATA_KEY: &str = "geo";

/// Bytes of a point: the order of bytes, the kind of geometry and two coordinates.
const POINT_BYTES: usize = 21;
const POINT: u32 = 1;

/// A column of points in well-known binary.
#[derive(Debug, Default)]
pub(crate) struct PointColumn {
    pub(crate) points: Vec<[f64; 2]>,
}

impl Column for PointColumn {
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem> {
        match cell {
            Cell::Missing => return Err(Problem::MissingValue),
            Cell::Bytes(bytes) => self.points.push(decode(bytes).ok_or(Problem::NotAPoint)?),
            _ => return Err(Problem::NotAPoint),
        }
        Ok(())
    }
}

impl KeptColumn {
    /// A column of points in well-known binary.
    pub(crate) fn of_points(name: &str, points: &[[f64; 2]]) -> Self {
        let mut cells = BinaryBuilder::with_capacity(points.len(), POINT_BYTES * points.len());
        points.iter().for_each(|point| cells.append_value(encode(*point)));
        Self { name: name.to_owned(), cells: Arc::new(cells.finish()), is_json: false }
    }
}

/// What a file says about its only column of points. Longitudes and latitudes are what readers expect where nothing is said;
/// other coordinates must be said to be unknown.
pub(crate) fn metadata(column: &str, is_geographic: bool) -> String {
    let mut about = json!({ "encoding": "WKB", "geometry_types": ["Point"] });
    if !is_geographic {
        about["crs"] = Value::Null;
    }
    json!({ "version": "1.1.0", "primary_column": column, "columns": { column: about } }).to_string()
}

fn encode(point: [f64; 2]) -> [u8; POINT_BYTES] {
    let mut bytes = [0; POINT_BYTES];
    // Little-endian.
    bytes[0] = 1;
    bytes[1..5].copy_from_slice(&POINT.to_le_bytes());
    bytes[5..13].copy_from_slice(&point[0].to_le_bytes());
    bytes[13..].copy_from_slice(&point[1].to_le_bytes());
    bytes
}

/// The first two coordinates of a point; a third or fourth one, and the number of a reference system, are passed over.
fn decode(bytes: &[u8]) -> Option<[f64; 2]> {
    let (order, rest) = bytes.split_first()?;
    let is_little = match order {
        0 => false,
        1 => true,
        _ => return None,
    };
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let kind = if is_little { u32::from_le_bytes(*kind) } else { u32::from_be_bytes(*kind) };
    // The three highest bits of the extended form stand for a height, a measure and a reference system of four bytes.
    let rest = if kind & 0x2000_0000 != 0 { rest.get(4..)? } else { rest };
    if (kind & 0x1fff_ffff) % 1000 != POINT {
        return None;
    }
    let number =
        |bytes: &[u8; 8]| if is_little { f64::from_le_bytes(*bytes) } else { f64::from_be_bytes(*bytes) };
    let (first, rest) = rest.split_first_chunk::<8>()?;
    Some([number(first), number(rest.first_chunk::<8>()?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_survive() {
        for point in [[0.0, -0.0], [139.7942662, 35.62986668], [f64::MIN, f64::MAX]] {
            assert_eq!(decode(&encode(point)), Some(point));
        }
        // The bytes of the standard's own example, POINT (1 2).
        let bytes = b"\x01\x01\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40";
        assert_eq!(encode([1.0, 2.0]), *bytes);
    }

    #[test]
    fn other_forms_of_points_are_read() {
        let with = |order: u8, kind: u32, before: &[u8], numbers: &[f64]| {
            let mut bytes = vec![order];
            let is_little = order == 1;
            bytes.extend(if is_little { kind.to_le_bytes() } else { kind.to_be_bytes() });
            bytes.extend(before);
            for number in numbers {
                bytes.extend(if is_little { number.to_le_bytes() } else { number.to_be_bytes() });
            }
            bytes
        };
        for bytes in [
            with(0, 1, &[], &[3.0, 4.0]),
            with(1, 1001, &[], &[3.0, 4.0, 5.0]),
            with(0, 3001, &[], &[3.0, 4.0, 5.0, 6.0]),
            with(1, 0xa000_0001, &[0xe6, 0x10, 0, 0], &[3.0, 4.0, 5.0]),
        ] {
            assert_eq!(decode(&bytes), Some([3.0, 4.0]));
        }
        for bytes in
            [with(1, 2, &[], &[3.0, 4.0]), with(2, 1, &[], &[3.0, 4.0]), with(1, 1, &[], &[3.0]), vec![]]
        {
            assert_eq!(decode(&bytes), None);
        }
    }
}
