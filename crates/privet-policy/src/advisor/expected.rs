//! Expected errors, computed from the channels. Nothing is simulated.

use super::Goal;
use super::candidate::Built;
use privet_core::DomainSpec;
use privet_estimators::Reading;
use privet_mechanisms::analysis::{Analysis, AnyNumeric, Loss, bin_rows};
use std::f64::consts::TAU;

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// What is to be learned.
    pub goal: Goal,
    /// How many people report, once each.
    pub users: u64,
    /// How a wrong report is counted, for single values.
    pub loss: Loss,
    /// Into how many equal bins the domain is cut, for distributions.
    pub bins: usize,
}

impl Question {
    /// The criterion in words.
    pub fn criterion(&self, domain: &DomainSpec) -> String {
        match self.goal {
            Goal::Frequency => {
                "standard error of the estimated frequency of a category that hardly anybody holds".to_owned()
            }
            Goal::Mean if matches!(domain, DomainSpec::Circle(_)) => {
                "standard error of the mean direction of \
                people who all hold one angle; for a resultant length R, about 1/R times as much"
                    .to_owned()
            }
            Goal::Mean => {
                "standard error of the mean of unbiased reports (up to a millionth of the width), for the people for whom it is largest"
                    .to_owned()
            }
            Goal::Distribution => format!(
                "root mean square error of the share of one of {} equal bins by the best unbiased linear estimate, for \
                 people who are spread evenly (smoothed estimates have less variance and some bias)",
                self.bins
            ),
            Goal::Point => format!("expected {} error of one report at the worst value", self.loss.as_str()),
        }
    }

    /// The expected error of a mechanism.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn expected_error(&self, built: &Built) -> Result<f64, String> {
        let people = self.users as f64;
        let error = match (self.goal, built.estimator.numeric()) {
            (Goal::Frequency, _) => rare_standard_error(built)? / people.sqrt(),
            (_, None) => return Err("it is not about numbers or angles".to_owned()),
            (Goal::Mean, Some(channel)) if channel.space().is_ring() => {
                direction_error(channel)? / people.sqrt()
            }
            (Goal::Mean, Some(channel)) => mean_error(channel)? / people.sqrt(),
            (Goal::Distribution, Some(channel)) => share_error(channel, self.bins)? / people.sqrt(),
            (Goal::Point, Some(channel)) => Analysis::new(channel).worst(self.loss).error,
        };
        if error.is_finite() { Ok(error) } else { Err("its error is not a finite number".to_owned()) }
    }
}

/// The standard error of a category that nobody holds, for one report.
fn rare_standard_error(built: &Built) -> Result<f64, String> {
    let Reading::Support(oracle) = built.estimator.reading() else {
        return Err("its error depends on how people are spread over the categories".to_owned());
    };
    let support = oracle.support();
    let other = support.other.to_f64();
    Ok((other * (1.0 - other)).sqrt() / support.own.minus(&support.other).to_f64())
}

/// A mean report within this part of the domain's width of the value counts as unbiased: noise that is cut off at far ends
/// is biased by less.
const UNBIASED: f64 = 1e-6;

/// The standard deviation of one report where it is largest, if reports are unbiased.
fn mean_error(channel: &dyn AnyNumeric) -> Result<f64, String> {
    let analysis = Analysis::new(channel);
    if !analysis.is_unbiased(UNBIASED) {
        return Err(
            "its reports are biased: how well the mean can be inverted depends on the people".to_owned()
        );
    }
    // Without bias the expected squared error is the variance.
    Ok(analysis.worst(Loss::Squared).error.sqrt())
}

/// The standard deviation that one report gives to the mean direction, in units of the domain.
fn direction_error(channel: &dyn AnyNumeric) -> Result<f64, String> {
    const PLACES: u32 = 8;
    let nodes = channel.nodes();
    let waves: Vec<[f64; 3]> = (0..PLACES.min(nodes))
        .map(|place| wave(channel, (u64::from(place) * u64::from(nodes) / u64::from(PLACES)) as u32))
        .collect();
    let [along, _, square] = waves.first().copied().unwrap_or_default();
    let is_alike =
        |other: &[f64; 3]| (other[0] - along).abs() < 1e-4 * along && other[1].abs() < 1e-4 * along;
    if !(along > 0.0 && waves.iter().all(is_alike)) {
        return Err("the mean of its reports as unit vectors does not point to the value".to_owned());
    }
    Ok(square.sqrt() / along * channel.space().width() / TAU)
}

/// The means of the cosine, the sine and the squared sine of the angle from the value of a node to its report.
fn wave(channel: &dyn AnyNumeric, node: u32) -> [f64; 3] {
    let space = channel.space();
    let origin = space.to_unit(channel.node_value(node));
    let mut sums = [0.0; 3];
    for run in channel.runs(node) {
        for cell in run.first..run.first + run.count {
            let angle = TAU * (space.to_unit(channel.output_value(cell)) - origin);
            let weight = run.weight as f64;
            sums[0] += weight * angle.cos();
            sums[1] += weight * angle.sin();
            sums[2] += weight * angle.sin().powi(2);
        }
    }
    sums.map(|sum| sum / channel.row_total() as f64)
}

/// Reports are counted in at most this many groups of neighbouring cells, as in the estimator.
const MOST_GROUPS: u64 = 4096;

/// The root of the mean variance that one report gives to the share of a bin, by the best unbiased linear estimate: from the
/// inverse of the information that reports of evenly spread people hold about all shares.
fn share_error(channel: &dyn AnyNumeric, bins: usize) -> Result<f64, String> {
    let columns: Vec<Vec<f64>> =
        bin_rows(channel, bins).iter().map(|rows| group_probabilities(channel, rows)).collect();
    share_error_of(&columns)
}

/// The same for the laws of groups of reports under each bin or cell.
pub(crate) fn share_error_of(columns: &[Vec<f64>]) -> Result<f64, String> {
    let bins = columns.len();
    let even = 1.0 / bins as f64;
    let groups = columns.first().map_or(0, Vec::len);
    let means: Vec<f64> =
        (0..groups).map(|group| columns.iter().map(|column| column[group]).sum::<f64>() * even).collect();
    let information = |one: &[f64], two: &[f64]| {
        let parts = one.iter().zip(two).zip(&means);
        parts.filter(|(_, mean)| **mean > 0.0).map(|((one, two), mean)| one * two / mean).sum::<f64>()
    };
    let matrix =
        columns.iter().map(|one| columns.iter().map(|two| information(one, two)).collect()).collect();
    let trace = trace_of_inverse(matrix)
        .ok_or_else(|| format!("its reports cannot tell the shares of {bins} bins apart"))?;
    Ok((trace * even - even * even).max(0.0).sqrt())
}

/// The probability of each group of reports, for a mixture of rows.
fn group_probabilities(channel: &dyn AnyNumeric, rows: &[(u32, f64)]) -> Vec<f64> {
    let cells = channel.output_cells() as usize;
    let mut rises = vec![0.0; cells + 1];
    for (node, share) in rows {
        for run in channel.runs(*node) {
            let level = share * run.weight as f64;
            rises[run.first as usize] += level;
            rises[(run.first + run.count) as usize] -= level;
        }
    }
    let groups = MOST_GROUPS.min(cells as u64);
    let mut probabilities = vec![0.0; groups as usize];
    let mut level = 0.0;
    for (cell, rise) in rises[..cells].iter().enumerate() {
        level += rise;
        probabilities[(cell as u64 * groups / cells as u64) as usize] += level / channel.row_total() as f64;
    }
    probabilities
}

/// The trace of the inverse of a symmetric matrix, if it has one (by Cholesky's factors).
fn trace_of_inverse(mut matrix: Vec<Vec<f64>>) -> Option<f64> {
    const SMALLEST: f64 = 1e-11;
    let size = matrix.len();
    let scale = (0..size).map(|index| matrix[index][index]).fold(0.0, f64::max);
    for column in 0..size {
        for row in column..size {
            let known: f64 = (0..column).map(|index| matrix[row][index] * matrix[column][index]).sum();
            let left = matrix[row][column] - known;
            if row > column {
                matrix[row][column] = left / matrix[column][column];
            } else if left > SMALLEST * scale {
                matrix[row][column] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    // The trace is the sum of the squares of the inverse factor, which is found column by column.
    let mut trace = 0.0;
    for column in 0..size {
        let mut inverse = vec![0.0; size];
        for row in column..size {
            let known: f64 = (column..row).map(|index| matrix[row][index] * inverse[index]).sum();
            inverse[row] = (f64::from(u8::from(row == column)) - known) / matrix[row][row];
            trace += inverse[row].powi(2);
        }
    }
    Some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Supports of others are as likely as not: (e + 1) / (e - 1), which is more than the noise of those who hold the category.
    #[test]
    fn rare_categories_of_hashing() {
        use crate::advisor::{Choice, candidate};
        let row = crate::registry::find_mechanism("binary-local-hashing").unwrap();
        let (domain, epsilon) = ("categories:5".parse().unwrap(), privet_core::Epsilon::new(1.0).unwrap());
        let built = candidate::build(&Choice::Row(row), &domain, epsilon, &Default::default()).unwrap();
        let e = 1f64.exp();
        let expected = (e + 1.0) / (e - 1.0);
        assert!((rare_standard_error(&built).unwrap() - expected).abs() < 1e-6);
    }

    #[test]
    fn traces_by_hand() {
        let near = |value: Option<f64>, expected: f64| assert!((value.unwrap() - expected).abs() < 1e-12);
        near(trace_of_inverse(vec![vec![4.0]]), 0.25);
        // The inverse of (2 1; 1 2) is (2 -1; -1 2) / 3.
        near(trace_of_inverse(vec![vec![2.0, 1.0], vec![1.0, 2.0]]), 4.0 / 3.0);
        assert_eq!(trace_of_inverse(vec![vec![1.0, 1.0], vec![1.0, 1.0]]), None);
    }
}
