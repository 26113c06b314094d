//! How single reports are read, whatever the mechanism: what plausibility, influence and cross-tables start from.

use nalgebra::DMatrix;
use privet_core::{Categories, Category, ReportError};
use privet_mechanisms::analysis::AnyNumeric;
use privet_mechanisms::categorical::{
    BitThresholds, BloomParameters, CountMeanSketch, FrequencyOracle, Rappor, SketchParameters,
};
use privet_mechanisms::plane::PlaneReports;

/// What one report of a mechanism says.
#[derive(Debug, Clone, Copy)]
pub enum Reading<'a> {
    /// It supports categories.
    Support(&'a dyn FrequencyOracle),
    /// It is a column of a table.
    Table(TableReading<'a>),
    /// It is a noisy Bloom filter.
    Bloom(&'a Rappor),
    /// It is a noisy row of a sketch.
    Sketch(&'a CountMeanSketch),
    /// It is a cell of a lattice channel.
    Numbers(&'a dyn AnyNumeric),
    /// It is one place, or several.
    Places(PlacesReading<'a>),
    /// It is about a word that nobody listed.
    Words,
}

/// Reports of a mechanism on places.
#[derive(Debug, Clone, Copy)]
pub struct PlacesReading<'a> {
    /// How the report of one place is read.
    pub reports: &'a dyn PlaneReports,
    /// How many places a report has, one after the other.
    pub places: u32,
}

impl PlacesReading<'_> {
    /// How many bytes a report has.
    pub fn report_bytes(&self) -> usize {
        self.reports.bytes_of_report() * self.places as usize
    }

    /// Shows the group of each place of a report.
    ///
    /// # Errors
    /// When the mechanism cannot have written it.
    pub fn each_group(&self, report: &[u8], mut see: impl FnMut(usize)) -> Result<(), ReportError> {
        let expected = self.report_bytes();
        if report.len() != expected {
            return Err(ReportError::Length { expected, got: report.len() });
        }
        for place in report.chunks_exact(self.reports.bytes_of_report()) {
            see(self.reports.group_of(place)?);
        }
        Ok(())
    }
}

/// Reports of a channel that is a table.
#[derive(Debug, Clone, Copy)]
pub struct TableReading<'a> {
    /// What people may hold.
    pub categories: &'a Categories,
    /// Entry (y, x) is the probability of report y under category x.
    pub forward: &'a DMatrix<f64>,
    /// What takes shares of reports back to frequencies without bias, if anything does.
    pub inverse: Option<&'a DMatrix<f64>>,
}

impl TableReading<'_> {
    /// How many bytes a report has.
    pub fn report_bytes(&self) -> usize {
        (Category::bits(self.forward.nrows() as u32) as usize).div_ceil(8)
    }

    /// Which report it is.
    ///
    /// # Errors
    /// When the mechanism cannot have written it.
    pub fn decode(&self, slot: &[u8]) -> Result<usize, ReportError> {
        let expected = self.report_bytes();
        if slot.len() != expected {
            return Err(ReportError::Length { expected, got: slot.len() });
        }
        Ok(Category::read(slot, self.forward.nrows() as u32)?.0 as usize)
    }
}

/// Reports that begin with the number of a hash function in two bytes, and go on with noisy bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HashedBits {
    /// How many hash functions there are; each is as likely as any other.
    pub(crate) rows: usize,
    /// How many bits there are.
    pub(crate) bits: usize,
    /// How many of them are set in truth.
    pub(crate) held: usize,
    /// The probability of a one where the bit is set in truth.
    pub(crate) set: f64,
    /// The probability of a one where it is not.
    pub(crate) unset: f64,
}

impl HashedBits {
    /// How many bytes come before the bits.
    pub(crate) const ROW_BYTES: usize = 2;

    pub(crate) fn of_bloom(mechanism: &Rappor) -> Self {
        let BloomParameters { cohorts, bits, hashes } = mechanism.parameters();
        Self::new([cohorts, bits, hashes], mechanism.thresholds())
    }

    pub(crate) fn of_sketch(mechanism: &CountMeanSketch) -> Self {
        let SketchParameters { rows, width } = mechanism.parameters();
        Self::new([rows, width, 1], mechanism.thresholds())
    }

    fn new(sizes: [u32; 3], thresholds: BitThresholds) -> Self {
        let [rows, bits, held] = sizes.map(|size| size as usize);
        let one = |truly_set| thresholds.probability(truly_set, true).to_f64();
        Self { rows, bits, held, set: one(true), unset: one(false) }
    }

    /// How many bytes a report has.
    pub(crate) fn report_bytes(&self) -> usize {
        Self::ROW_BYTES + self.bits.div_ceil(8)
    }
}
