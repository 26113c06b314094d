//! How far an estimate is from the truth.

/// The sum of the absolute differences over bins.
pub fn l1(estimate: &[f64], truth: &[f64]) -> f64 {
    estimate.iter().zip(truth).map(|(one, two)| (one - two).abs()).sum()
}

/// The largest difference between the two cumulative distributions, at the edges of the bins (Kolmogorov-Smirnov).
pub fn kolmogorov_smirnov(estimate: &[f64], truth: &[f64]) -> f64 {
    cumulative_differences(estimate, truth).map(f64::abs).fold(0.0, f64::max)
}

/// The least distance that shares must be carried to turn one distribution into the other (Wasserstein-1 on a line), in units
/// of the whole domain, with each bin's share in its middle.
pub fn wasserstein(estimate: &[f64], truth: &[f64]) -> f64 {
    cumulative_differences(estimate, truth).map(f64::abs).sum::<f64>() / bins(estimate)
}

/// As [`wasserstein`] around a circle. What flows past zero is free to choose, and the median of the differences of the
/// cumulative distributions is the best choice.
pub fn wasserstein_circular(estimate: &[f64], truth: &[f64]) -> f64 {
    let mut differences: Vec<f64> = cumulative_differences(estimate, truth).collect();
    differences.sort_by(f64::total_cmp);
    let Some(median) = differences.get(differences.len() / 2).copied() else {
        return 0.0;
    };
    differences.iter().map(|difference| (difference - median).abs()).sum::<f64>() / bins(estimate)
}

/// The mean of the absolute differences of numbers that belong together.
pub fn mean_absolute_error(estimates: &[f64], truths: &[f64]) -> f64 {
    l1(estimates, truths) / bins(estimates)
}

fn bins(shares: &[f64]) -> f64 {
    shares.len().max(1) as f64
}

fn cumulative_differences<'a>(estimate: &'a [f64], truth: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    estimate.iter().zip(truth).scan(0.0, |sum, (one, two)| {
        *sum += one - two;
        Some(*sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cheapest way to carry units from one multiset of bins to another, by trying every pairing.
    fn cheapest(from: &[usize], to: &[usize], cost: &dyn Fn(usize, usize) -> usize) -> usize {
        let Some((first, rest)) = from.split_first() else {
            return 0;
        };
        (0..to.len())
            .map(|index| {
                let mut left = to.to_vec();
                let target = left.swap_remove(index);
                cost(*first, target) + cheapest(rest, &left, cost)
            })
            .min()
            .unwrap_or(0)
    }

    fn shares(units: &[usize], bins: usize) -> Vec<f64> {
        let mut shares = vec![0.0; bins];
        units.iter().for_each(|unit| shares[*unit] += 1.0 / units.len() as f64);
        shares
    }

    proptest! {
        #[test]
        fn transport_is_the_cheapest(
            bins in 2usize..9,
            units in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
        ) {
            let (one, two): (Vec<_>, Vec<_>) = units.iter().map(|(a, b)| (a.index(bins), b.index(bins))).unzip();
            let scale = (bins * units.len()) as f64;
            let line = cheapest(&one, &two, &|a, b| a.abs_diff(b)) as f64 / scale;
            let ring = cheapest(&one, &two, &|a, b| a.abs_diff(b).min(bins - a.abs_diff(b))) as f64 / scale;
            let (p, q) = (shares(&one, bins), shares(&two, bins));
            prop_assert!((wasserstein(&p, &q) - line).abs() < 1e-12);
            prop_assert!((wasserstein_circular(&p, &q) - ring).abs() < 1e-12);
        }
    }

    #[test]
    fn small_distances_by_hand() {
        let (one, two) = ([0.5, 0.5, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0]);
        assert_eq!(l1(&one, &two), 1.0);
        assert_eq!(kolmogorov_smirnov(&one, &two), 0.5);
        assert_eq!(wasserstein(&one, &two), 0.25);
        assert_eq!(mean_absolute_error(&[1.0, 2.0], &[2.0, 0.0]), 1.5);
    }
}
