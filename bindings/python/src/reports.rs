//! Reports of one mechanism.

use crate::column::chunks_of;
use crate::problem::{Class, Problem};
use arrow_array::Array;
use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use privet::{Envelope, Fingerprint, ReportBuffer, ReportError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};
use pyo3_arrow::ffi::to_array_pycapsules;
use pyo3_arrow::input::AnyArray;
use std::ops::Range;
use std::sync::Arc;

/// Many reports of one mechanism, each with the same number of bytes.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Reports {
    buffer: Arc<ReportBuffer>,
    envelope: Envelope,
}

impl Reports {
    pub(crate) fn new(buffer: ReportBuffer, envelope: Envelope) -> Self {
        Self { buffer: Arc::new(buffer), envelope }
    }

    pub(crate) fn envelope(&self) -> Envelope {
        self.envelope
    }

    pub(crate) fn buffer(&self) -> &Arc<ReportBuffer> {
        &self.buffer
    }

    /// The report at a place, as it is sent.
    fn sealed(&self, report: &[u8]) -> Vec<u8> {
        [&self.envelope.header()[..], report].concat()
    }

    /// Reports that were sent, all with the same header.
    fn open<'a>(sealed: impl Iterator<Item = Option<&'a [u8]>>) -> Result<Option<Self>, Problem> {
        let mut opened: Option<(Envelope, ReportBuffer)> = None;
        for bytes in sealed {
            let missing = || Problem::new(Class::Report, "report-text", "a report is missing");
            let bytes = bytes.ok_or_else(missing)?;
            let (envelope, buffer) = match &mut opened {
                Some(opened) => opened,
                None => opened.insert((envelope_of(bytes)?, ReportBuffer::new(body_of(bytes)?))),
            };
            buffer.push(envelope.open(bytes)?)?;
        }
        Ok(opened.map(|(envelope, buffer)| Self::new(buffer, envelope)))
    }
}

/// The header of a report, which says whose it is.
fn envelope_of(bytes: &[u8]) -> Result<Envelope, Problem> {
    let header = bytes.get(..Envelope::HEADER_BYTES);
    let header = header.ok_or(ReportError::Length { expected: Envelope::HEADER_BYTES, got: bytes.len() })?;
    let mut fingerprint = [0; Fingerprint::BYTES];
    fingerprint.copy_from_slice(&header[2..]);
    Ok(Envelope { fingerprint: Fingerprint::from_bytes(fingerprint), insecure: header[1] == 1 })
}

fn body_of(bytes: &[u8]) -> Result<usize, Problem> {
    match bytes.len().saturating_sub(Envelope::HEADER_BYTES) {
        0 => Err(ReportError::Length { expected: Envelope::HEADER_BYTES + 1, got: bytes.len() }.into()),
        body => Ok(body),
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing into a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Result<Vec<u8>, ReportError> {
    let digit = |letter: u8| (letter as char).to_digit(16).ok_or(ReportError::Text);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err(ReportError::Text);
    }
    pairs.iter().map(|[high, low]| Ok((digit(*high)? * 16 + digit(*low)?) as u8)).collect()
}

#[pymethods]
impl Reports {
    /// Reports without their headers, one after the other.
    #[staticmethod]
    fn from_parts(
        report_bytes: usize,
        bytes: &[u8],
        fingerprint: [u8; Fingerprint::BYTES],
        insecure: bool,
    ) -> Result<Self, Problem> {
        let buffer = ReportBuffer::from_bytes(report_bytes, bytes.to_vec())?;
        let envelope = Envelope { fingerprint: Fingerprint::from_bytes(fingerprint), insecure };
        Ok(Self::new(buffer, envelope))
    }

    /// Reports as the command writes them, each with its header; `None` if there are none.
    #[staticmethod]
    fn from_sealed(reports: Vec<Vec<u8>>) -> Result<Option<Self>, Problem> {
        Self::open(reports.iter().map(|report| Some(&report[..])))
    }

    /// Reports in hexadecimal digits; `None` if there are none.
    #[staticmethod]
    fn from_hex(reports: Vec<String>) -> Result<Option<Self>, Problem> {
        let reports: Vec<Vec<u8>> = reports.iter().map(|text| unhex(text)).collect::<Result<_, _>>()?;
        Self::open(reports.iter().map(|report| Some(&report[..])))
    }

    /// Reports in a column of bytes or of hexadecimal digits that speaks Arrow; `None` if there are none.
    #[staticmethod]
    fn from_arrow(array: AnyArray) -> Result<Option<Self>, Problem> {
        let wrong = || {
            Problem::new(
                Class::Report,
                "report-text",
                "reports are a column of bytes or of hexadecimal digits",
            )
        };
        let mut sealed: Vec<Option<Vec<u8>>> = Vec::new();
        for chunk in chunks_of(array)?.chunks() {
            let own = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
            match chunk.data_type() {
                DataType::FixedSizeBinary(_) => {
                    sealed.extend(chunk.as_fixed_size_binary().iter().map(own));
                }
                DataType::Binary => sealed.extend(chunk.as_binary::<i32>().iter().map(own)),
                DataType::LargeBinary => sealed.extend(chunk.as_binary::<i64>().iter().map(own)),
                DataType::BinaryView => sealed.extend(chunk.as_binary_view().iter().map(own)),
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                    for text in texts_of(chunk) {
                        sealed.push(text.map(unhex).transpose()?);
                    }
                }
                _ => return Err(wrong()),
            }
        }
        Self::open(sealed.iter().map(Option::as_deref))
    }

    fn __len__(&self) -> usize {
        self.buffer.len()
    }

    #[getter]
    fn report_bytes(&self) -> usize {
        self.buffer.report_bytes()
    }

    #[getter]
    fn fingerprint(&self) -> [u8; Fingerprint::BYTES] {
        self.envelope.fingerprint.to_bytes()
    }

    #[getter]
    fn insecure(&self) -> bool {
        self.envelope.insecure
    }

    /// All bytes of all reports, without their headers.
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.buffer.as_bytes())
    }

    /// The reports as rows of bytes, without their headers.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let bytes = PyArray1::from_slice(py, self.buffer.as_bytes());
        bytes.reshape([self.buffer.len(), self.buffer.report_bytes()])
    }

    /// One report as it is sent.
    fn sealed_at<'py>(&self, py: Python<'py>, index: usize) -> Option<Bound<'py, PyBytes>> {
        self.buffer.iter().nth(index).map(|report| PyBytes::new(py, &self.sealed(report)))
    }

    /// The reports as the command writes them into csv.
    fn to_hex(&self) -> Vec<String> {
        self.buffer.iter().map(|report| hex(&self.sealed(report))).collect()
    }

    /// Some of the reports.
    fn slice(&self, start: usize, stop: usize) -> Result<Self, Problem> {
        let rows: Range<usize> =
            start.min(self.buffer.len())..stop.clamp(start, self.buffer.len().max(start));
        let width = self.buffer.report_bytes();
        let bytes = self.buffer.as_bytes();
        let part = bytes.get(rows.start * width..rows.end * width).unwrap_or_default();
        Ok(Self::new(ReportBuffer::from_bytes(width, part.to_vec())?, self.envelope))
    }

    /// These reports, then those.
    fn joined(&self, other: &Self) -> Result<Self, Problem> {
        if self.envelope != other.envelope {
            let [expected, got] = [self, other].map(|one| one.envelope.fingerprint.to_string());
            return Err(match expected == got {
                true => Problem::parameter("seeded reports and others cannot be in one list"),
                false => ReportError::Foreign { expected, got }.into(),
            });
        }
        let bytes = [self.buffer.as_bytes(), other.buffer.as_bytes()].concat();
        Ok(Self::new(ReportBuffer::from_bytes(self.buffer.report_bytes(), bytes)?, self.envelope))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.envelope == other.envelope && self.buffer == other.buffer
    }

    /// The column that the command writes into parquet and arrow files.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let length = Envelope::HEADER_BYTES + self.buffer.report_bytes();
        let width = i32::try_from(length).map_err(|_| Problem::parameter("reports too long for Arrow"))?;
        let mut builder = FixedSizeBinaryBuilder::with_capacity(self.buffer.len(), width);
        let mut sealed = self.sealed(&vec![0; self.buffer.report_bytes()]);
        for report in self.buffer.iter() {
            sealed[Envelope::HEADER_BYTES..].copy_from_slice(report);
            builder.append_value(&sealed).map_err(|error| Problem::parameter(error.to_string()))?;
        }
        let array = builder.finish();
        let field = Arc::new(Field::new("report", DataType::FixedSizeBinary(width), false));
        Ok(to_array_pycapsules(py, field, &array, requested_schema)?)
    }
}

fn texts_of(array: &dyn Array) -> Vec<Option<&str>> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        _ => array.as_string_view().iter().collect(),
    }
}
