//! Reports as csv, jsonl or plain lines.

use super::kept::KeptColumn;
use super::writer::REPORT;
use super::{Destination, Format, hex};
use crate::failure::Failure;
use privet::{Envelope, ReportBuffer};
use std::io::Write;

pub(crate) struct TextWriter {
    destination: Destination,
    format: Format,
    /// The digits that every report begins with.
    header: Vec<u8>,
    has_started: bool,
    buffer: Vec<u8>,
    /// How long the lines are that already stand in the buffer, but for their reports.
    line_bytes: usize,
}

impl TextWriter {
    pub(super) fn new(destination: Destination, format: Format, envelope: Envelope) -> Self {
        let header = hex::encode(&envelope.header());
        Self { destination, format, header, has_started: false, buffer: Vec::new(), line_bytes: 0 }
    }

    pub(super) fn write(&mut self, reports: &ReportBuffer, kept: &[KeptColumn]) -> Result<(), Failure> {
        if !self.has_started {
            self.start(kept)?;
        }
        if kept.is_empty() {
            self.fill_alone(reports);
        } else {
            self.fill_beside(reports, kept);
        }
        self.send()
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        self.destination.commit()
    }

    fn send(&mut self) -> Result<(), Failure> {
        self.destination.write_all(&self.buffer).map_err(|source| self.destination.failed(source))
    }

    fn start(&mut self, kept: &[KeptColumn]) -> Result<(), Failure> {
        self.has_started = true;
        if self.format != Format::Csv {
            return Ok(());
        }
        self.buffer.extend_from_slice(REPORT.as_bytes());
        for column in kept {
            self.buffer.push(b',');
            push_csv(&mut self.buffer, &column.name);
        }
        self.buffer.push(b'\n');
        self.send()?;
        self.buffer.clear();
        Ok(())
    }

    fn opening(&self) -> &'static [u8] {
        if self.format == Format::Jsonl { b"{\"report\":\"" } else { b"" }
    }

    fn closing(&self) -> &'static [u8] {
        if self.format == Format::Jsonl { b"\"}\n" } else { b"\n" }
    }

    /// Lines of reports alone all have the same length, so only the digits that differ are written again.
    fn fill_alone(&mut self, reports: &ReportBuffer) {
        let digits = reports.report_bytes() * 2;
        let start = self.opening().len() + self.header.len();
        let line = [self.opening(), &self.header, &vec![b'0'; digits], self.closing()].concat();
        if self.line_bytes != line.len() {
            self.buffer.clear();
            self.line_bytes = line.len();
        }
        self.buffer.truncate(reports.len() * line.len());
        while self.buffer.len() < reports.len() * line.len() {
            self.buffer.extend_from_slice(&line);
        }
        for (report, line) in reports.iter().zip(self.buffer.chunks_exact_mut(line.len())) {
            hex::encode_into(report, &mut line[start..start + digits]);
        }
    }

    fn fill_beside(&mut self, reports: &ReportBuffer, kept: &[KeptColumn]) {
        self.buffer.clear();
        let mut digits = vec![0; reports.report_bytes() * 2];
        for (row, report) in reports.iter().enumerate() {
            hex::encode_into(report, &mut digits);
            self.buffer.extend_from_slice(self.opening());
            self.buffer.extend_from_slice(&self.header);
            self.buffer.extend_from_slice(&digits);
            match self.format {
                Format::Jsonl => {
                    self.buffer.push(b'"');
                    kept.iter().for_each(|column| push_json(&mut self.buffer, column, row));
                    self.buffer.extend_from_slice(b"}\n");
                }
                _ => {
                    for column in kept {
                        self.buffer.push(b',');
                        push_csv(&mut self.buffer, &column.text(row).unwrap_or_default());
                    }
                    self.buffer.push(b'\n');
                }
            }
        }
    }
}

pub(super) fn push_csv(line: &mut Vec<u8>, text: &str) {
    if text.contains(['"', ',', '\n', '\r']) {
        line.push(b'"');
        line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        line.push(b'"');
    } else {
        line.extend_from_slice(text.as_bytes());
    }
}

fn push_json(line: &mut Vec<u8>, column: &KeptColumn, row: usize) {
    line.push(b',');
    push_json_cell(line, column, row);
}

/// The name and the value of a cell.
pub(super) fn push_json_cell(line: &mut Vec<u8>, column: &KeptColumn, row: usize) {
    let name = serde_json::Value::from(column.name.as_str());
    line.extend_from_slice(format!("{name}:{}", column.json(row)).as_bytes());
}
