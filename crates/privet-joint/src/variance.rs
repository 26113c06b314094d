//! How much estimates from paired reports vary.

use crate::crowd::Pairs;
use crate::table::JointTable;

/// How the reports that support a category vary and covary when people report in pairs.
///
/// Given the truthfulness T of a person, their report supports the category with a probability that is linear in T; its slope
/// is the *loading*: one for those who hold the category and report it as it is. Two people who form a pair then have the
/// covariance `loading * loading * Cov[T1, T2]`, and all others none. So with n people of whom h hold the category,
///
/// ```text
/// Var[I] = h own (1 - own) + (n - h) other (1 - other)
///        + Cov[T1, T2] P(two given people form a pair) ((sum of loadings)^2 - sum of squared loadings)
/// ```
///
/// exactly, for every n: the mean of I does not depend on the matching, so the matching adds no variance of its own. With two
/// categories (loadings 1 and -1) and an even n this is Theorem 4 of the dissertation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportLaw {
    /// The probability of support by those who hold the category.
    pub own: f64,
    /// The probability of support by those who do not.
    pub other: f64,
    /// `own - other`, rounded once.
    pub difference: f64,
    /// The loading of those who hold the category.
    pub own_loading: f64,
    /// The loading of those who do not.
    pub other_loading: f64,
    /// The covariance of the truthfulness of two people who form a pair.
    pub covariance: f64,
}

impl SupportLaw {
    /// The law of a truthfulness table on two categories.
    pub fn binary(table: &JointTable) -> Self {
        Self {
            own: table.p(),
            other: table.q(),
            difference: table.difference(),
            own_loading: 1.0,
            other_loading: -1.0,
            covariance: table.covariance(),
        }
    }

    /// The variance of the number of supporting reports, if `holders` of the people hold the category.
    pub fn count_variance(&self, pairs: Pairs, holders: f64) -> f64 {
        let others = pairs.people() as f64 - holders;
        let of = |probability: f64| probability * (1.0 - probability);
        let alone = holders * of(self.own) + others * of(self.other);
        let sum = holders * self.own_loading + others * self.other_loading;
        let squares = holders * self.own_loading.powi(2) + others * self.other_loading.powi(2);
        alone + self.covariance * pairs.chance() * (sum * sum - squares)
    }

    /// The variance of the unbiased estimate of the number of holders.
    pub fn estimate_variance(&self, pairs: Pairs, holders: f64) -> f64 {
        self.count_variance(pairs, holders) / self.difference.powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Probability;

    fn law(p: f64, rho: f64) -> SupportLaw {
        SupportLaw::binary(&JointTable::new(Probability::new(p).unwrap(), rho).unwrap())
    }

    #[test]
    fn examples_two_and_three() {
        let joint = law(0.8, -0.25).estimate_variance(Pairs::of(2), 2.0);
        let independent = law(0.8, 0.0).estimate_variance(Pairs::of(2), 2.0);
        assert!((joint - 2.0 / 3.0).abs() < 1e-12 && (independent - 8.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn the_printed_formula_for_even_numbers() {
        for (n, ones) in [(2u64, 0.0), (2, 1.0), (4, 1.0), (10, 7.0), (20_000, 659.0), (10_000, 9_528.0)] {
            for (p, rho) in [(0.6f64, -0.5), (0.75, 0.3), (0.9, -0.1), (0.51, 1.0)] {
                let (size, q) = (n as f64, 1.0 - p);
                let printed = p * q / (p - q).powi(2)
                    * (size + rho * ((2.0 * ones - size).powi(2) - size) / (size - 1.0));
                let exact = law(p, rho).estimate_variance(Pairs::of(n), ones);
                assert!((exact - printed).abs() <= 1e-10 * size.max(printed), "{n} {ones} {p} {rho}");
            }
        }
    }
}
