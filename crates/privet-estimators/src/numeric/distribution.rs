//! A distribution over equal bins of a domain.

use privet_mechanisms::analysis::Space;

/// The share of people in each of equally wide bins; inside a bin nothing is known, and values are taken as spread evenly.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    space: Space,
    shares: Vec<f64>,
}

impl Distribution {
    /// Shares that add up to one, from the lowest bin on.
    pub(crate) fn new(space: Space, shares: Vec<f64>) -> Self {
        Self { space, shares }
    }

    /// The true distribution of values, for comparisons. Values outside the domain count in the nearest bin.
    pub fn of_values(space: Space, values: &[f64], bins: usize) -> Self {
        let bins = bins.max(1);
        let mut shares = vec![0.0; bins];
        for value in values {
            shares[bin_of(space.to_unit(*value), bins)] += 1.0 / values.len() as f64;
        }
        Self { space, shares }
    }

    /// The same in another number of bins.
    pub(crate) fn in_bins(&self, bins: usize) -> Self {
        let parts = self.shares.len() / bins.max(1);
        // Whole bins are added up, so that nothing is lost to rounding.
        if parts * bins == self.shares.len() {
            let shares = self.shares.chunks_exact(parts).map(|parts| parts.iter().sum()).collect();
            return Self { space: self.space, shares };
        }
        let up_to = |edge: usize| self.cdf(self.space.from_unit(edge as f64 / bins as f64));
        let mut below = 0.0;
        let share = |edge: usize| {
            let above = if edge == bins { 1.0 } else { up_to(edge) };
            let share = (above - below).max(0.0);
            below = above;
            share
        };
        Self { space: self.space, shares: (1..=bins).map(share).collect() }
    }

    /// Where values lie.
    pub fn space(&self) -> Space {
        self.space
    }

    /// The share of each bin.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The ends of a bin.
    pub fn bin(&self, index: usize) -> [f64; 2] {
        let bins = self.shares.len() as f64;
        [index, index + 1].map(|edge| self.space.from_unit(edge as f64 / bins))
    }

    /// The share of people below this value.
    pub fn cdf(&self, value: f64) -> f64 {
        let place = self.space.to_unit(value).clamp(0.0, 1.0) * self.shares.len() as f64;
        let whole = (place as usize).min(self.shares.len());
        let part = self.shares.get(whole).map_or(0.0, |share| share * (place - whole as f64));
        self.shares[..whole].iter().sum::<f64>() + part
    }

    /// The share of people from one value to below another. On a circle the first may be the larger: the range then passes zero.
    pub fn range(&self, range: [f64; 2]) -> f64 {
        let [from, to] = range.map(|end| self.cdf(end));
        if self.space.is_ring() && range[0] > range[1] { 1.0 - from + to } else { (to - from).max(0.0) }
    }

    /// The value that a share `level` of people do not exceed.
    pub fn quantile(&self, level: f64) -> f64 {
        let bins = self.shares.len() as f64;
        let mut left = level.clamp(0.0, 1.0);
        for (index, share) in self.shares.iter().enumerate() {
            if left <= *share && *share > 0.0 {
                return self.space.from_unit((index as f64 + left / share) / bins);
            }
            left -= share;
        }
        self.space.from_unit(1.0)
    }

    /// The mean of the bins' middles.
    pub fn mean(&self) -> f64 {
        self.space.from_unit(self.expect(|unit| unit))
    }

    /// The mean direction, and the length of the mean of unit vectors: one if all are alike, zero if they cancel.
    pub fn direction(&self) -> (f64, f64) {
        let turn = std::f64::consts::TAU;
        let (cos, sin) = (self.expect(|unit| (turn * unit).cos()), self.expect(|unit| (turn * unit).sin()));
        (self.space.from_unit((sin.atan2(cos) / turn).rem_euclid(1.0)), cos.hypot(sin))
    }

    /// The mean of a function of the bins' middles, as fractions of the domain.
    fn expect(&self, of: impl Fn(f64) -> f64) -> f64 {
        let bins = self.shares.len() as f64;
        self.shares.iter().enumerate().map(|(bin, share)| share * of((bin as f64 + 0.5) / bins)).sum()
    }
}

/// The bin of a fraction of the domain; what lies outside is in the nearest one.
pub(super) fn bin_of(unit: f64, bins: usize) -> usize {
    ((unit * bins as f64).max(0.0) as usize).min(bins - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_can_be_cut_finer_and_put_together() {
        let space = Space::Line { low: 0.0, high: 1.0 };
        let halves = Distribution::new(space, vec![0.25, 0.75]);
        assert_eq!(halves.in_bins(1).shares(), [1.0]);
        assert_eq!(halves.in_bins(4).shares(), [0.125, 0.125, 0.375, 0.375]);
        let thirds = halves.in_bins(3);
        let expected = [1.0 / 6.0, 1.0 / 3.0, 0.5];
        assert!(
            thirds.shares().iter().zip(expected).all(|(one, two)| (one - two).abs() < 1e-12),
            "{thirds:?}"
        );
    }

    /// A value at the edge of two bins belongs to the upper one; the last bin holds both of its edges.
    #[test]
    fn bins_hold_their_lower_edge() {
        let space = Space::Line { low: 0.0, high: 4.0 };
        let ages = Distribution::of_values(space, &[0.0, 1.0, 1.0, 3.0, 4.0], 4);
        assert_eq!(ages.shares(), [0.2, 0.4, 0.0, 0.4]);
    }

    #[test]
    fn questions_about_a_small_distribution() {
        let space = Space::Line { low: 10.0, high: 14.0 };
        let distribution = Distribution::of_values(space, &[10.5, 11.5, 11.7, 13.9], 4);
        assert_eq!(distribution.shares(), [0.25, 0.5, 0.0, 0.25]);
        assert_eq!(distribution.mean(), 0.25 * 10.5 + 0.5 * 11.5 + 0.25 * 13.5);
        assert_eq!(distribution.cdf(11.5), 0.5);
        assert_eq!(distribution.quantile(0.5), 11.5);
        assert_eq!(distribution.range([11.0, 12.0]), 0.5);
        let ring = Distribution::new(Space::Ring { period: 24.0 }, vec![0.5, 0.0, 0.0, 0.5]);
        assert_eq!(ring.range([18.0, 6.0]), 1.0);
        let (direction, length) = ring.direction();
        assert!(!(1e-9..24.0 - 1e-9).contains(&direction) && (length - 0.5f64.sqrt()).abs() < 1e-12);
    }
}
