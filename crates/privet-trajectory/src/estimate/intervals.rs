//! How sure a density is.

use super::density::{Density, blocks, sums};
use super::evidence::Evidence;
use crate::TrajectoryError;
use privet_core::Rng;
use privet_core::sampling::uniform_below;
use std::num::NonZeroU64;

/// A share of the population with a confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareInterval {
    /// The estimate.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The fewest and the most repetitions of a bootstrap.
const REPETITIONS: std::ops::RangeInclusive<u32> = 20..=10_000;

impl Evidence {
    /// Intervals for the shares of the cells of a coarser grid, by the bootstrap: paths are drawn with replacement, the density
    /// is estimated again, and the ends of the interval are quantiles of what comes out, for each cell on its own. Whole paths
    /// are drawn because the places of one person belong together; reports without a person are paths of one report.
    ///
    /// The intervals say how much the estimate varies, not how much the grid or the early stop smooths it: the coarser the
    /// grid, the better they cover. Of 95 % intervals on 4 x 4 cells, about 93 % held the truth.
    ///
    /// # Errors
    /// When there are fewer than two paths, the lines of the coarser grid are not lines of the grid, the confidence is not
    /// between 0 and 1, or the number of repetitions is not between 20 and 10 000.
    pub fn intervals(
        &self,
        density: &Density,
        shape: [u32; 2],
        confidence: f64,
        repetitions: u32,
        rng: &mut dyn Rng,
    ) -> Result<Vec<ShareInterval>, TrajectoryError> {
        let paths = self.paths().len() as u64;
        let many = NonZeroU64::new(paths).filter(|paths| paths.get() > 1).ok_or_else(|| {
            TrajectoryError::incompatible(format!("intervals need at least 2 paths: got {paths}"))
        })?;
        if !(confidence > 0.0 && confidence < 1.0 && REPETITIONS.contains(&repetitions)) {
            return Err(TrajectoryError::incompatible(format!(
                "intervals need a confidence between 0 and 1 and between {} and {} repetitions: got {confidence} and \
                 {repetitions}",
                REPETITIONS.start(),
                REPETITIONS.end()
            )));
        }
        let blocks = blocks(self.grid(), shape).ok_or_else(|| {
            let [first, second] = self.grid().shape();
            TrajectoryError::incompatible(format!(
                "the sides of a coarser grid must divide {first} and {second}: got {} x {}",
                shape[0], shape[1]
            ))
        })?;
        let mut draws: Vec<Vec<f64>> = vec![Vec::new(); shape[0] as usize * shape[1] as usize];
        for _ in 0..repetitions {
            let shares = sums(&self.redrawn(many, rng), &blocks, shape);
            draws.iter_mut().zip(shares).for_each(|(draws, share)| draws.push(share));
        }
        let shares = sums(density.shares(), &blocks, shape);
        Ok(shares
            .into_iter()
            .zip(&mut draws)
            .map(|(share, draws)| interval(share, draws, confidence))
            .collect())
    }

    /// The density of as many paths, drawn with replacement.
    fn redrawn(&self, paths: NonZeroU64, rng: &mut dyn Rng) -> Vec<f64> {
        let mut times = vec![0.0; self.paths().len()];
        for _ in 0..paths.get() {
            times[uniform_below(paths, rng) as usize] += 1.0;
        }
        self.maximise(&self.counts(|path| times[path]))
    }
}

/// From quantile to quantile; the estimate itself is always inside.
fn interval(share: f64, draws: &mut [f64], confidence: f64) -> ShareInterval {
    draws.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0 * draws.len() as f64;
    let (first, last) = (tail as usize, draws.len() - 1);
    ShareInterval {
        share,
        low: draws[first.min(last)].min(share),
        high: draws[last - first.min(last)].max(share),
    }
}
