//! How bad each output is for each category.

use crate::LimitError;
use crate::channels::ChannelProgramme;
use privet_core::{Categories, Category, Channel};
use privet_mechanisms::analysis::Loss;
use std::fmt;

/// The loss of each output for each category: a row for each category, a column for each output. Outputs need not be
/// categories.
#[derive(Clone, PartialEq)]
pub struct LossMatrix {
    outputs: usize,
    entries: Vec<f64>,
}

/// The largest loss lies between these, so that no sum is beyond what floating point holds.
const LARGEST_LOSS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl LossMatrix {
    /// A matrix from its rows.
    ///
    /// # Errors
    /// When there is no row or rows differ in length, there are fewer than two columns, a loss is negative or not finite, or all
    /// are zero.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self, LimitError> {
        let outputs = rows.first().map_or(0, Vec::len);
        for (number, row) in (1..).zip(rows) {
            check_row(row, outputs).map_err(|reason| wrong(format!("row {number}: {reason}")))?;
        }
        Self::of_entries(outputs, rows.concat())
    }

    /// A matrix from text: a line for each category, with the losses of all outputs between commas. Empty lines and lines that
    /// begin with `#` do not count.
    ///
    /// # Errors
    /// As for [`LossMatrix::new`], with the number of the line.
    pub fn parse(text: &str) -> Result<Self, LimitError> {
        let mut outputs = 0;
        let mut entries = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let row = parse_row(line).and_then(|row| {
                let expected = if entries.is_empty() { row.len() } else { outputs };
                check_row(&row, expected).map(|()| row)
            });
            let row = row.map_err(|reason| wrong(format!("line {number}: {reason}")))?;
            outputs = row.len();
            entries.extend(row);
        }
        Self::of_entries(outputs, entries)
    }

    /// The distance between the positions of category and output, or its square: the outputs are the categories, in their
    /// order.
    ///
    /// # Errors
    /// When there are too many categories.
    pub fn ordered(loss: Loss, categories: &Categories) -> Result<Self, LimitError> {
        let count = categories.count();
        ChannelProgramme::refuse_too_large(count as usize, count as usize)?;
        let distance = |entry: u32| f64::from((entry / count).abs_diff(entry % count));
        let power = if loss == Loss::Absolute { 1 } else { 2 };
        let entries = (0..count * count).map(|entry| distance(entry).powi(power)).collect();
        Self::of_entries(count as usize, entries)
    }

    fn of_entries(outputs: usize, entries: Vec<f64>) -> Result<Self, LimitError> {
        if entries.is_empty() {
            return Err(wrong("there are no losses: a row of numbers is needed for each category".into()));
        }
        let largest = entries.iter().copied().fold(0.0, f64::max);
        if !LARGEST_LOSS.contains(&largest) {
            return Err(wrong(format!("the largest loss must be between 1e-100 and 1e100: got {largest}")));
        }
        Ok(Self { outputs, entries })
    }

    /// Which of the losses on ordered categories this is.
    pub fn name(&self) -> Option<Loss> {
        let categories = Categories::new(u32::try_from(self.outputs).ok()?).ok()?;
        let is_square = self.entries.len() == self.outputs * self.outputs;
        let is = |loss: &Loss| Self::ordered(*loss, &categories).is_ok_and(|ordered| ordered == *self);
        // Two categories have the same absolute and squared losses: the first name is as good.
        is_square.then(|| Loss::ALL.into_iter().find(is)).flatten()
    }

    /// The losses of each category.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.entries.chunks_exact(self.outputs)
    }

    /// How many outputs there are.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The expected loss of a channel for each category, from its exact probabilities. `outputs` is what each report
    /// stands for.
    ///
    /// # Errors
    /// When the channel has another number of categories than this has rows, or a report stands for none of the outputs.
    pub fn expected<M>(&self, channel: &M, outputs: &[u32]) -> Result<Vec<f64>, LimitError>
    where
        M: Channel<Domain = Categories, Report = Category>,
    {
        let (count, rows) = (channel.domain().count(), self.rows().len());
        if rows != count as usize {
            return Err(wrong(format!("a row is needed for each of {count} categories: got {rows}")));
        }
        if let Some(beyond) = outputs.iter().find(|output| **output as usize >= self.outputs) {
            return Err(wrong(format!(
                "there are {} outputs: a report stands for number {beyond}",
                self.outputs
            )));
        }
        let of_row = |(input, row): (u32, &[f64])| {
            let shares = (0u32..).zip(outputs).map(|(report, output)| {
                channel.probability(&input, &Category(report)).to_f64() * row[*output as usize]
            });
            shares.sum()
        };
        Ok((0u32..).zip(self.rows()).map(of_row).collect())
    }

    /// A power of two near the largest loss. Certificates count in it: dividing by it is exact.
    pub fn unit(&self) -> f64 {
        let largest = self.entries.iter().copied().fold(0.0, f64::max);
        2f64.powi(largest.log2().floor() as i32)
    }
}

fn wrong(reason: String) -> LimitError {
    LimitError::Losses { reason }
}

fn parse_row(line: &str) -> Result<Vec<f64>, String> {
    let number = |text: &str| {
        let text = text.trim();
        text.parse().map_err(|_| format!("a loss is a number: got {text:?}"))
    };
    line.split(',').map(number).collect()
}

fn check_row(row: &[f64], outputs: usize) -> Result<(), String> {
    if row.len() < 2 {
        return Err(format!("at least two outputs are needed: got {}", row.len()));
    }
    if row.len() != outputs {
        return Err(format!("every row needs as many losses as the first, {outputs}: got {}", row.len()));
    }
    match row.iter().find(|loss| !(loss.is_finite() && **loss >= 0.0)) {
        Some(bad) => Err(format!("a loss must be finite and not negative: got {bad}")),
        None => Ok(()),
    }
}

impl fmt::Debug for LossMatrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "LossMatrix({} x {})", self.rows().len(), self.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        LossMatrix::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn text_is_read_line_by_line() {
        let read = LossMatrix::parse("# outputs: a, b, c\n0, 1,2\n\n 1e0 ,0,1\r\n").unwrap();
        assert_eq!(read, LossMatrix::new(&[vec![0.0, 1.0, 2.0], vec![1.0, 0.0, 1.0]]).unwrap());
    }

    #[test]
    fn errors_name_the_line_and_what_is_allowed() {
        for (text, expected) in [
            ("0,1\n1,x", "line 2: a loss is a number: got \"x\""),
            ("0,1\n\n1", "line 3: at least two outputs are needed: got 1"),
            ("0,1\n1,0,2", "line 2: every row needs as many losses as the first, 2: got 3"),
            ("0,1\n1,-1", "line 2: a loss must be finite and not negative: got -1"),
            ("0,NaN", "line 1: a loss must be finite and not negative: got NaN"),
            ("0,inf", "line 1: a loss must be finite and not negative: got inf"),
            ("0,1\n1,", "line 2: a loss is a number: got \"\""),
            ("", "there are no losses"),
            ("0,0\n0,0", "the largest loss must be between 1e-100 and 1e100: got 0"),
            ("0,1e200", "the largest loss must be between"),
        ] {
            assert!(refused(text).contains(expected), "{text:?}: {}", refused(text));
        }
        assert!(LossMatrix::new(&[]).is_err());
        assert!(LossMatrix::new(&[vec![1.0, 2.0], vec![1.0]]).is_err());
    }

    #[test]
    fn ordered_losses_know_their_names() {
        let five = Categories::new(5).unwrap();
        for loss in Loss::ALL {
            assert_eq!(LossMatrix::ordered(loss, &five).unwrap().name(), Some(loss));
        }
        assert_eq!(LossMatrix::parse("0,1\n2,0").unwrap().name(), None);
        assert_eq!(LossMatrix::parse("0,1").unwrap().name(), None);
        let many = Categories::new(Categories::MAX).unwrap();
        let refused = LossMatrix::ordered(Loss::Absolute, &many);
        assert!(matches!(refused, Err(LimitError::TooLarge { .. })));
    }
}
