//! Numbers with their standard errors.

/// A number that was computed from several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The number.
    pub value: f64,
    /// How much it would vary from draw to draw of what it was computed from; `None` where there is one only.
    pub standard_error: Option<f64>,
    /// From how many it was computed.
    pub count: usize,
}

impl Score {
    /// The mean of numbers that were drawn independently; `None` of none.
    pub fn mean(numbers: &[f64]) -> Option<Self> {
        if numbers.is_empty() {
            return None;
        }
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let standard_error = variance(numbers, mean).map(|variance| (variance / count).sqrt());
        Some(Self { value: mean, standard_error, count: numbers.len() })
    }

    /// The sum of numbers that were drawn independently.
    pub(super) fn sum(numbers: &[f64]) -> Self {
        let count = numbers.len() as f64;
        let sum = numbers.iter().sum::<f64>();
        let standard_error = variance(numbers, sum / count).map(|variance| (variance * count).sqrt());
        Self { value: sum, standard_error, count: numbers.len() }
    }
}

fn variance(numbers: &[f64], mean: f64) -> Option<f64> {
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (numbers.len() > 1).then(|| squares / (numbers.len() - 1) as f64)
}

/// The score of many paths. Paths are independent of each other; the places of one path are not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataSetScore {
    /// Every path counts the same: the mean of the paths' scores, as in the dissertation.
    pub over_paths: Score,
    /// Every place counts the same, so long paths count more; `None` for metrics that are no means over places. The standard
    /// error is that of a ratio of two sums over paths.
    pub over_places: Option<Score>,
}

impl DataSetScore {
    pub(super) fn of(paths: &[Score], is_mean_of_places: bool) -> Option<Self> {
        let values: Vec<f64> = paths.iter().map(|score| score.value).collect();
        let over_paths = Score::mean(&values)?;
        Some(Self { over_paths, over_places: is_mean_of_places.then(|| pooled(paths)) })
    }
}

fn pooled(paths: &[Score]) -> Score {
    let places: usize = paths.iter().map(|score| score.count).sum();
    let total: f64 = paths.iter().map(|score| score.value * score.count as f64).sum();
    let value = total / places as f64;
    let residuals = paths.iter().map(|score| ((score.value - value) * score.count as f64).powi(2));
    let squares: f64 = residuals.sum();
    let count = paths.len() as f64;
    let standard_error = (paths.len() > 1).then(|| (squares * count / (count - 1.0)).sqrt() / places as f64);
    Score { value, standard_error, count: places }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_sums_by_hand() {
        let score = Score::mean(&[1.0, 2.0, 6.0]).unwrap();
        // Squares 4 + 1 + 9 over 2 is the variance 7; its third is 7 / 3.
        assert_eq!((score.value, score.count), (3.0, 3));
        assert!((score.standard_error.unwrap() - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
        let sum = Score::sum(&[1.0, 2.0, 6.0]);
        assert_eq!(sum.value, 9.0);
        assert!((sum.standard_error.unwrap() - 21f64.sqrt()).abs() < 1e-14);
        assert_eq!(Score::mean(&[4.0]).unwrap().standard_error, None);
        assert_eq!(Score::mean(&[]), None);
        assert_eq!(Score::sum(&[]), Score { value: 0.0, standard_error: None, count: 0 });
    }

    #[test]
    fn long_paths_count_more_over_places() {
        let path = |value, count| Score { value, standard_error: None, count };
        let score = DataSetScore::of(&[path(1.0, 1), path(3.0, 3)], true).unwrap();
        assert_eq!(score.over_paths.value, 2.0);
        let over_places = score.over_places.unwrap();
        assert_eq!((over_places.value, over_places.count), (2.5, 4));
        // Residuals -1.5 and 1.5: 4.5 * 2 / 1 = 9, its root 3, over 4 places.
        assert_eq!(over_places.standard_error, Some(0.75));
        assert_eq!(DataSetScore::of(&[path(1.0, 1)], false).unwrap().over_places, None);
        assert_eq!(DataSetScore::of(&[], true), None);
    }

    #[test]
    fn equal_paths_have_the_standard_error_of_a_mean() {
        let values = [0.3, 0.9, 0.4, 0.8];
        let paths = values.map(|value| Score { value, standard_error: None, count: 5 });
        let score = DataSetScore::of(&paths, true).unwrap();
        let (one, other) = (score.over_paths, score.over_places.unwrap());
        assert!((one.value - other.value).abs() < 1e-15);
        assert!((one.standard_error.unwrap() - other.standard_error.unwrap()).abs() < 1e-15);
    }
}
