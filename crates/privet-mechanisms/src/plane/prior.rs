//! What is publicly known about where people are.

use privet_core::ParameterError;

/// A density on a rectangle that is constant on each part of a grid: what is assumed about the people, not known of any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanePrior {
    shape: [u32; 2],
    weights: Vec<u32>,
}

impl PlanePrior {
    /// The largest number of parts.
    pub const MAX_PARTS: u64 = 1 << 16;

    /// The same density everywhere.
    pub fn uniform() -> Self {
        Self { shape: [1, 1], weights: vec![1] }
    }

    /// A grid of `shape[0]` x `shape[1]` equal parts with these relative weights; the second coordinate runs fastest.
    ///
    /// # Errors
    /// When the number of weights is not that of the parts, there are too many, or all weights are zero.
    pub fn new(shape: [u32; 2], weights: Vec<u32>) -> Result<Self, ParameterError> {
        let parts = u64::from(shape[0]) * u64::from(shape[1]);
        let refuse = |reason: String| Err(ParameterError::Incompatible { reason });
        if parts == 0 || parts > Self::MAX_PARTS {
            let most = Self::MAX_PARTS;
            return refuse(format!(
                "a prior has between 1 and {most} parts: got {} x {}",
                shape[0], shape[1]
            ));
        }
        if weights.len() as u64 != parts {
            return refuse(format!("a prior of {parts} parts needs as many weights: got {}", weights.len()));
        }
        if weights.iter().all(|weight| *weight == 0) {
            return refuse("a prior needs a weight above zero".into());
        }
        Ok(Self { shape, weights })
    }

    /// Into how many parts each side is cut.
    pub fn shape(&self) -> [u32; 2] {
        self.shape
    }

    /// The relative weight of each part; the second coordinate runs fastest.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        self.weights.iter().map(|weight| u64::from(*weight)).sum()
    }

    /// Whether every place is equally likely.
    pub fn is_uniform(&self) -> bool {
        self.weights.iter().all(|weight| *weight == self.weights[0])
    }

    /// The probability of a part.
    pub fn probability(&self, part: [u32; 2]) -> f64 {
        let index = part[0] as usize * self.shape[1] as usize + part[1] as usize;
        self.weights.get(index).map_or(0.0, |weight| f64::from(*weight) / self.total() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_must_fit_the_grid() {
        assert!(PlanePrior::new([2, 3], vec![1; 6]).unwrap().is_uniform());
        assert!(PlanePrior::new([2, 3], vec![1; 5]).is_err());
        assert!(PlanePrior::new([2, 0], vec![]).is_err());
        assert!(PlanePrior::new([1, 2], vec![0, 0]).is_err());
        assert!(PlanePrior::new([65_537, 1], vec![1; 65_537]).is_err());
        let skew = PlanePrior::new([2, 2], vec![1, 0, 2, 5]).unwrap();
        assert_eq!((skew.probability([1, 0]), skew.total()), (0.25, 8));
    }
}
