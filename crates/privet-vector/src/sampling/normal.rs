//! Normal numbers from random words, by rejection from layers of equal area.
//!
//! The bell is covered by 256 horizontal layers of the same area; one word chooses a layer and a place in it, and almost always
//! the place lies under the bell for certain. Otherwise the bell itself decides. Nothing is approximated but the rounding of
//! 53-bit numbers.

use super::open_unit;
use crate::special::upper_tail;
use privet_core::CryptoRng;
use std::f64::consts::TAU;
use std::sync::LazyLock;

const LAYERS: usize = 256;
/// Where the tail begins that belongs to the lowest layer: the one start for which the top layer ends at the peak.
const TAIL: f64 = 3.654_152_885_361_009;

/// Words are taken from the generator in blocks of this many.
const BLOCK: usize = 64;

struct Layers {
    /// The right end of each layer; that of the lowest is further out, so that its area counts the tail.
    edges: [f64; LAYERS + 1],
    /// The height of the bell at each edge.
    heights: [f64; LAYERS + 1],
}

static TABLE: LazyLock<Layers> = LazyLock::new(Layers::new);

fn bell(x: f64) -> f64 {
    (-0.5 * x * x).exp()
}

impl Layers {
    fn new() -> Self {
        let area = TAIL * bell(TAIL) + TAU.sqrt() * upper_tail(TAIL);
        let mut edges = [0.0; LAYERS + 1];
        edges[0] = area / bell(TAIL);
        edges[1] = TAIL;
        for layer in 1..LAYERS - 1 {
            let height = area / edges[layer] + bell(edges[layer]);
            edges[layer + 1] = (-2.0 * height.ln()).sqrt();
        }
        Self { edges, heights: edges.map(bell) }
    }

    #[inline]
    fn normal(&self, mut word: u64, rng: &mut dyn CryptoRng) -> f64 {
        loop {
            let layer = (word & 0xff) as usize;
            let x = open_unit(word) * self.edges[layer];
            if x < self.edges[layer + 1] {
                return with_sign(x, word);
            }
            if let Some(x) = self.decide(layer, x, rng) {
                return with_sign(x, word);
            }
            word = rng.next_u64();
        }
    }

    /// What becomes of a place that is not under the bell for certain.
    #[cold]
    fn decide(&self, layer: usize, x: f64, rng: &mut dyn CryptoRng) -> Option<f64> {
        if layer == 0 {
            return Some(normal_beyond(TAIL, rng));
        }
        let (low, high) = (self.heights[layer], self.heights[layer + 1]);
        let height = low + super::uniform(rng) * (high - low);
        (height < bell(x)).then_some(x)
    }
}

/// The ninth bit is in neither the layer nor the place.
#[inline]
fn with_sign(x: f64, word: u64) -> f64 {
    f64::from_bits(x.to_bits() | ((word & 0x100) << 55))
}

/// Fills a slice with independent normal numbers.
#[inline]
pub(crate) fn fill_normals(target: &mut [f64], rng: &mut dyn CryptoRng) {
    let table = &*TABLE;
    let mut bytes = [0; 8 * BLOCK];
    for chunk in target.chunks_mut(BLOCK) {
        let words = &mut bytes[..8 * chunk.len()];
        rng.fill_bytes(words);
        for (slot, word) in chunk.iter_mut().zip(words.as_chunks().0) {
            *slot = table.normal(u64::from_le_bytes(*word), rng);
        }
    }
}

/// A normal number, given that it is above `start`, which must be above zero: an exponential tail, accepted with the ratio of
/// both densities.
pub(crate) fn normal_beyond(start: f64, rng: &mut dyn CryptoRng) -> f64 {
    loop {
        let step = -super::uniform(rng).ln() / start;
        if -2.0 * super::uniform(rng).ln() > step * step {
            return start + step;
        }
    }
}

/// A normal number, given that it satisfies the condition, by drawing again.
pub(crate) fn normal_within(condition: impl Fn(f64) -> bool, rng: &mut dyn CryptoRng) -> f64 {
    loop {
        let word = rng.next_u64();
        let x = TABLE.normal(word, rng);
        if condition(x) {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;
    use privet_estimators::statistics::{chi_square_upper_tail, normal_quantile};

    const ALPHA: f64 = 1e-6;

    /// The p-value of equally likely cells, with cells of 1e-3 and 1e-4 on both sides cut off once more.
    fn p_value(draws: impl Iterator<Item = f64>) -> f64 {
        let shares: Vec<f64> =
            [1e-4, 9e-4].into_iter().chain([0.998 / 64.0; 64]).chain([9e-4, 1e-4]).collect();
        let mut below = 0.0;
        let edges: Vec<f64> = shares[..shares.len() - 1]
            .iter()
            .map(|share| {
                below += share;
                normal_quantile(below)
            })
            .collect();
        let mut counts = vec![0u64; shares.len()];
        let mut total = 0.0;
        for x in draws {
            counts[edges.partition_point(|edge| *edge < x)] += 1;
            total += 1.0;
        }
        let statistic: f64 = counts
            .iter()
            .zip(&shares)
            .map(|(count, share)| (*count as f64 - total * share).powi(2) / (total * share))
            .sum();
        chi_square_upper_tail(statistic, shares.len() as u64 - 1)
    }

    #[test]
    fn the_layers_close_at_the_peak() {
        let last = TABLE.edges[LAYERS - 1];
        let area = TABLE.edges[0] * bell(TAIL);
        assert!((last * (1.0 - bell(last)) / area - 1.0).abs() < 1e-9);
    }

    #[test]
    fn normals_are_normal_and_a_tampered_scale_is_found() {
        let mut rng = Generator::from_insecure_seed(41);
        let mut draws = vec![0.0; 1_000_000];
        fill_normals(&mut draws, &mut rng);
        assert!(p_value(draws.iter().copied()) > ALPHA);
        assert!(p_value(draws.iter().map(|x| 1.01 * x)) < ALPHA);
        let neighbours: f64 = draws.windows(2).map(|pair| pair[0] * pair[1]).sum();
        // A product of two has variance one; five standard deviations have probability 6e-7.
        assert!((neighbours / (draws.len() as f64).sqrt()).abs() < 5.0);
    }

    #[test]
    fn tails_are_those_of_the_bell() {
        let mut rng = Generator::from_insecure_seed(42);
        for start in [0.3, 2.0, TAIL, 6.0] {
            // The tail probability of a number beyond the start, relative to the start's, is uniform.
            let mass = upper_tail(start);
            let mut counts = [0u64; 20];
            for _ in 0..40_000 {
                let share = upper_tail(normal_beyond(start, &mut rng)) / mass;
                counts[((share * 20.0) as usize).min(19)] += 1;
            }
            let statistic: f64 = counts.iter().map(|count| (*count as f64 - 2000.0).powi(2) / 2000.0).sum();
            assert!(chi_square_upper_tail(statistic, 19) > ALPHA, "{start}: {counts:?}");
        }
    }
}
