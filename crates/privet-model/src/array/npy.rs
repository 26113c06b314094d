//! NumPy's files. Only what is stored in C order and little-endian is read.

use super::{Array, Element, decode, places};
use crate::ModelError;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// No array is larger, in bytes.
const LARGEST: u64 = 1 << 32;

/// How many bytes a written number has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 4 bytes; numbers are rounded to nearest.
    Single,
    /// 8 bytes.
    Double,
}

fn refusal(reason: impl Into<String>) -> ModelError {
    ModelError::format("npy array", reason)
}

/// Reads an array from an `.npy` file. Elements may be f2, f4, f8, u1, u2, i4, i8 or booleans.
///
/// # Errors
///
/// When the file cannot be read, is damaged, big-endian, in Fortran order or has other elements.
pub fn read_npy(path: &Path) -> Result<Array, ModelError> {
    let file = File::open(path).map_err(|error| ModelError::file(path, &error))?;
    parse(file)
}

/// Reads the array with this name from an `.npz` file.
///
/// # Errors
///
/// When the file cannot be read or is damaged, has no array with that name (the message lists those it has), or the
/// array cannot be read by [`read_npy`].
pub fn read_npz(path: &Path, name: &str) -> Result<Array, ModelError> {
    let file = File::open(path).map_err(|error| ModelError::file(path, &error))?;
    let damaged = |error: zip::result::ZipError| ModelError::format("npz file", error.to_string());
    let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
    let entry = format!("{name}.npy");
    if archive.index_for_name(&entry).is_none() {
        let names: Vec<&str> = archive.file_names().map(|name| name.trim_end_matches(".npy")).collect();
        let reason = format!("it has no array {name}, but {}", names.join(", "));
        return Err(ModelError::format("npz file", reason));
    }
    parse(archive.by_name(&entry).map_err(damaged)?)
}

/// Writes an array to an `.npy` file.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write_npy(path: &Path, array: &Array, precision: Precision) -> Result<(), ModelError> {
    let sides: String = array.shape.iter().map(|side| format!("{side}, ")).collect();
    let element = match precision {
        Precision::Single => "<f4",
        Precision::Double => "<f8",
    };
    let mut header = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({sides}), }}");
    // Numbers begin at a multiple of 64 bytes: 10 bytes come before the header, a line feed ends it.
    let padding = (64 - (header.len() + 11) % 64) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(|_| refusal("its shape is too long"))?;
    let mut bytes = Vec::with_capacity(10 + header.len() + 8 * array.values.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    for value in &array.values {
        match precision {
            Precision::Single => bytes.extend_from_slice(&(*value as f32).to_le_bytes()),
            Precision::Double => bytes.extend_from_slice(&value.to_le_bytes()),
        }
    }
    File::create(path)
        .and_then(|mut file| file.write_all(&bytes))
        .map_err(|error| ModelError::file(path, &error))
}

fn parse(mut file: impl Read) -> Result<Array, ModelError> {
    let damaged = |error: std::io::Error| refusal(error.to_string());
    let mut start = [0; 8];
    file.read_exact(&mut start).map_err(damaged)?;
    if !start.starts_with(MAGIC) {
        return Err(refusal("it does not begin with the mark of npy files"));
    }
    let mut length = [0; 4];
    match start[6] {
        1 => file.read_exact(&mut length[..2]).map_err(damaged)?,
        2 | 3 => file.read_exact(&mut length).map_err(damaged)?,
        version => return Err(refusal(format!("versions 1 to 3 are known, got {version}"))),
    }
    let mut header = Vec::new();
    let length = u64::from(u32::from_le_bytes(length));
    file.by_ref().take(length.min(1 << 16)).read_to_end(&mut header).map_err(damaged)?;
    let header = std::str::from_utf8(&header).map_err(|_| refusal("its header is not text"))?;
    let (element, shape) = read_header(header)?;
    let expected = places(&shape).and_then(|places| places.checked_mul(element.width()));
    let expected = expected.map(|bytes| bytes as u64).filter(|bytes| *bytes <= LARGEST);
    let expected = expected.ok_or_else(|| refusal(format!("more than {LARGEST} bytes are not read")))?;
    let mut bytes = Vec::new();
    file.take(expected).read_to_end(&mut bytes).map_err(damaged)?;
    if (bytes.len() as u64) < expected {
        return Err(refusal(format!("it ends after {} of {expected} bytes", bytes.len())));
    }
    Array::new(shape, decode(element, &bytes))
}

/// The element and the shape that a header describes.
fn read_header(header: &str) -> Result<(Element, Vec<usize>), ModelError> {
    let field = |name: &str| {
        let start =
            header.find(&format!("'{name}':")).ok_or_else(|| refusal(format!("its header has no {name}")))?;
        Ok::<_, ModelError>(header[start + name.len() + 3..].trim_start())
    };
    if !field("fortran_order")?.starts_with("False") {
        return Err(refusal("only C order is read (numpy.ascontiguousarray makes it)"));
    }
    let descr =
        field("descr")?.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(descr, _)| descr);
    let element = match descr {
        Some("<f2") => Element::F16,
        Some("<f4") => Element::F32,
        Some("<f8") => Element::F64,
        Some("|u1" | "|b1" | "<u1") => Element::U8,
        Some("<u2") => Element::U16,
        Some("<i4") => Element::I32,
        Some("<i8") => Element::I64,
        other => {
            return Err(refusal(format!(
                "elements are <f2, <f4, <f8, |u1, |b1, <u2, <i4 or <i8, little-endian: got {}",
                other.unwrap_or("none")
            )));
        }
    };
    let sides =
        field("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(sides, _)| sides);
    let sides = sides.ok_or_else(|| refusal("its shape is not written as (.., ..)"))?;
    let sides = sides.split(',').map(str::trim).filter(|side| !side.is_empty()).map(str::parse);
    let shape = sides.collect::<Result<_, _>>().map_err(|_| refusal("its shape is not made of numbers"))?;
    Ok((element, shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(descr: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&[1, 0]);
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(bytes);
        file
    }

    #[test]
    fn every_element_is_read() {
        let known: [(&str, &[u8], f64); 8] = [
            ("<f2", &[0x00, 0xc0], -2.0),
            ("<f4", &1.5f32.to_le_bytes(), 1.5),
            ("<f8", &0.1f64.to_le_bytes(), 0.1),
            ("|u1", &[200], 200.0),
            ("|b1", &[1], 1.0),
            ("<u2", &[1, 2], 513.0),
            ("<i4", &(-7i32).to_le_bytes(), -7.0),
            ("<i8", &(-9i64).to_le_bytes(), -9.0),
        ];
        for (descr, bytes, value) in known {
            let array = parse(file(descr, "(1,)", bytes).as_slice()).unwrap();
            assert_eq!((array.shape(), array.values()), ([1].as_slice(), [value].as_slice()));
        }
        assert_eq!(parse(file("|u1", "(2, 3)", &[0, 1, 2, 3, 4, 5]).as_slice()).unwrap().shape(), [2, 3]);
        assert_eq!(parse(file("|u1", "()", &[7]).as_slice()).unwrap().values(), [7.0]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let said = |bytes: Vec<u8>| parse(bytes.as_slice()).unwrap_err().to_string();
        assert!(said(file(">f8", "(1,)", &[0; 8])).contains("little-endian: got >f8"));
        assert!(said(file("<f8", "(2,)", &[0; 8])).contains("ends after 8 of 16 bytes"));
        assert!(said(file("<f8", "(99999999999, 99999999999)", &[])).contains("not read"));
        assert!(said(file("<f8", "(a,)", &[])).contains("not made of numbers"));
        let mut fortran = file("<f8", "(1,)", &[0; 8]);
        let place = fortran.windows(5).position(|text| text == b"False").unwrap();
        fortran[place..place + 5].copy_from_slice(b"True ");
        assert!(said(fortran).contains("C order"));
    }

    #[test]
    fn what_is_written_is_read() {
        let path = std::env::temp_dir().join(format!("privet-model-{}.npy", std::process::id()));
        let array = Array::new(vec![2, 2], vec![0.1, -2.0, 3.5, 1e-3]).unwrap();
        write_npy(&path, &array, Precision::Double).unwrap();
        assert_eq!(read_npy(&path).unwrap(), array);
        write_npy(&path, &array, Precision::Single).unwrap();
        let rounded: Vec<f64> = array.values().iter().map(|value| f64::from(*value as f32)).collect();
        assert_eq!(read_npy(&path).unwrap().values(), rounded);
        std::fs::remove_file(path).unwrap();
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, cut in 0usize..100) {
            let _ = parse(bytes.as_slice());
            let whole = file("<f4", "(3,)", &bytes);
            let _ = parse(&whole[..cut.min(whole.len())]);
        }
    }
}
