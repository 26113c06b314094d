//! The joint law of two people's truthfulness, in integers.

use crate::error::JointError;
use privet_core::{ExposedEpsilon, Fraction, Probability};

/// How close to the end of its range a correlation counts as the end itself: a few roundings of `1 - 1/p`.
const END_TOLERANCE: f64 = 4.0 * f64::EPSILON;

/// All words that a 64-bit draw can give.
const ALL: u128 = 1 << 64;

/// The joint law of (T1, T2), where T says whether a person reports truthfully.
///
/// Both people are truthful with the same probability p, and the correlation of the two is rho:
///
/// | | T1 = 1 | T1 = 0 |
/// |---|---|---|
/// | **T2 = 1** | p^2 + rho p q | (1 - rho) p q |
/// | **T2 = 0** | (1 - rho) p q | q^2 + rho p q |
///
/// The four weights are integers with the sum 2^64, and the two in the corners are equal, so both people have exactly
/// the same marginal. Every statement about privacy is computed from these integers, not from the p and rho that were
/// asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointTable {
    /// Words for which one given person lies.
    lie: u64,
    /// Words for which one given person, and only that one, is truthful.
    mixed: u64,
}

impl JointTable {
    /// The table with a truthfulness p and a correlation rho. A rho within a few roundings of `1 - 1/p` is that end.
    ///
    /// # Errors
    /// When p is not above 1/2 and below 1, or rho is outside [1 - 1/p, 1].
    pub fn new(p: Probability, rho: f64) -> Result<Self, JointError> {
        Self::among(2, p, rho)
    }

    /// As [`JointTable::new`], for reports of one of `categories` categories: p need only be above `1 / categories`.
    ///
    /// # Errors
    /// When p is not in that range, or rho not between max(-q/p, -p/q) and 1.
    pub fn among(categories: u32, p: Probability, rho: f64) -> Result<Self, JointError> {
        let (truth, lie) = (p.get(), 1.0 - p.get());
        let words = (lie * ALL as f64) as u64;
        let above = 1.0 / f64::from(categories.max(2));
        if truth <= above || words == 0 {
            return Err(JointError::Truthfulness { above, got: truth });
        }
        // The probability that the partner of a liar is truthful, and its largest value.
        let (share, most) = ((1.0 - rho) * truth, (truth / lie).min(1.0));
        if !(0.0..=most * (1.0 + END_TOLERANCE)).contains(&share) {
            return Err(JointError::Correlation {
                p: truth,
                lowest: 1.0 - most / truth,
                highest: 1.0,
                got: rho,
            });
        }
        if rho == 0.0 {
            return Ok(Self::independent(words));
        }
        let is_end = share >= most * (1.0 - END_TOLERANCE);
        let mixed = if is_end && most == 1.0 { words } else { (share * words as f64) as u64 };
        // At least one word is left for two truthful people.
        let room = (ALL - 1 - u128::from(words)) as u64;
        Self::from_weights(words, mixed.min(room))
    }

    /// The table in which a given person lies for `lie` of 2^64 words, and is the only liar for `mixed` of them.
    ///
    /// # Errors
    /// When one of the four weights would be negative, or everybody is always truthful or never.
    pub fn from_weights(lie: u64, mixed: u64) -> Result<Self, JointError> {
        if lie == 0 || mixed > lie || u128::from(lie) + u128::from(mixed) >= ALL {
            return Err(JointError::Incompatible { reason: "no joint law has these weights" });
        }
        Ok(Self { lie, mixed })
    }

    /// The weights of (T1, T2) = 11, 10, 01, 00. Their sum is 2^64.
    pub fn weights(&self) -> [u128; 4] {
        let mixed = u128::from(self.mixed);
        [self.truth_weight() - mixed, mixed, mixed, u128::from(self.lie - self.mixed)]
    }

    /// How a uniform 64-bit word R is read: below the first cut *both lie*, from there to the second only the first
    /// person is truthful, from there to the third only the second is, and from the third on *both are truthful*.
    ///
    /// The liars come first because their weight may be zero and that of two truthful people never is: so all cuts are
    /// 64-bit numbers.
    pub fn cuts(&self) -> [u64; 3] {
        let both_lie = self.lie - self.mixed;
        [both_lie, self.lie, self.lie + self.mixed]
    }

    /// What a uniform word means for the two people; see [`JointTable::cuts`].
    #[inline]
    pub fn read(&self, word: u64) -> [bool; 2] {
        let [first, second, third] = self.cuts();
        let both = word >= third;
        [both || (word >= first && word < second), word >= second]
    }

    /// Words for which a person who perturbs alone lies: the same marginal as in a pair.
    pub fn lie_weight(&self) -> u64 {
        self.lie
    }

    /// Words for which a given person is truthful.
    pub(crate) fn truth_weight(&self) -> u128 {
        ALL - u128::from(self.lie)
    }

    /// The probability p of a truthful report.
    pub fn p(&self) -> f64 {
        1.0 - self.q()
    }

    /// The probability q = 1 - p of a lie.
    pub fn q(&self) -> f64 {
        self.lie as f64 / ALL as f64
    }

    /// p - q, rounded once: at tiny epsilons both round to one half although they differ.
    pub fn difference(&self) -> f64 {
        let (truth, lie) = (self.truth_weight(), u128::from(self.lie));
        if truth >= lie { (truth - lie) as f64 / ALL as f64 } else { -((lie - truth) as f64 / ALL as f64) }
    }

    /// The covariance rho p q of the two truthfulness indicators, rounded once.
    pub fn covariance(&self) -> f64 {
        // P00 - q^2 = (2^64 (lie - mixed) - lie^2) / 2^128, in integers until the end.
        let both_lie = u128::from(self.lie - self.mixed) << 64;
        let square = u128::from(self.lie) * u128::from(self.lie);
        let difference =
            if both_lie >= square { (both_lie - square) as f64 } else { -((square - both_lie) as f64) };
        difference / (ALL as f64 * ALL as f64)
    }

    /// The correlation rho of the two truthfulness indicators.
    pub fn rho(&self) -> f64 {
        self.covariance() / (self.p() * self.q())
    }

    /// Whether the two never lie together: the smallest correlation there is, `1 - 1/p`.
    pub fn is_exclusive(&self) -> bool {
        self.lie == self.mixed
    }

    /// Whether the partner's truthfulness says nothing about a person's own, up to the rounding of the weights.
    pub fn is_independent(&self) -> bool {
        *self == Self::independent(self.lie)
    }

    /// Two people who perturb on their own, each lying for `lie` words. `lie` must not be zero.
    pub(crate) fn independent(lie: u64) -> Self {
        let truth = ALL - u128::from(lie);
        Self { lie, mixed: ((u128::from(lie) * truth) >> 64) as u64 }
    }

    /// The probability that a person is truthful and that they lie, given the truthfulness of the partner.
    pub(crate) fn given(&self, partner_is_truthful: bool) -> [Fraction; 2] {
        let [both_true, mixed, _, both_lie] = self.weights();
        let (truthful, lying, total) = if partner_is_truthful {
            (both_true, mixed, self.truth_weight())
        } else {
            (mixed, both_lie, u128::from(self.lie))
        };
        // Neither total is ever zero.
        [truthful, lying].map(|weight| &Fraction::whole(weight) / &Fraction::whole(total))
    }

    /// The loss of a person whose pair is exposed: ln(p_max / p_min), rounded up. The partner colludes, or the adversary
    /// knows the pairing and the partner's value; either way the partner's truthfulness is known.
    pub fn exposed_epsilon(&self) -> ExposedEpsilon {
        crate::accounting::exposed(&self.exposed_ratio(1))
    }

    /// How much likelier a report is under one value than under another for an adversary who knows the partner's
    /// truthfulness, where a lie is one of `lies` equally likely reports. `None` if it is not bounded.
    pub(crate) fn exposed_ratio(&self, lies: u32) -> Option<Fraction> {
        let mut worst = Fraction::whole(1);
        for partner_is_truthful in [true, false] {
            let [truth, lie] = self.given(partner_is_truthful);
            let one_lie = &lie / &Fraction::whole(u128::from(lies));
            worst = worst.max(truth.checked_div(&one_lie)?).max(one_lie.checked_div(&truth)?);
        }
        Some(worst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(p: f64, rho: f64) -> Result<JointTable, JointError> {
        JointTable::new(Probability::new(p).unwrap(), rho)
    }

    #[test]
    fn the_table_of_example_three() {
        let table = table(0.8, -0.25).unwrap();
        let expected = [0.6, 0.2, 0.2, 0.0].map(|share| share * ALL as f64);
        for (weight, share) in table.weights().into_iter().zip(expected) {
            assert!((weight as f64 - share).abs() < 4096.0, "{weight} {share}");
        }
        assert!(table.is_exclusive());
        assert_eq!(table.exposed_epsilon(), ExposedEpsilon::Unbounded);
        assert!((table.rho() + 0.25).abs() < 1e-15);
    }

    #[test]
    fn independence_and_identity_are_the_middle_and_the_end() {
        let independent = table(0.75, 0.0).unwrap();
        assert_eq!(independent.weights(), [9u128 << 60, 3 << 60, 3 << 60, 1 << 60]);
        assert!(independent.is_independent() && independent.rho() == 0.0);
        let ExposedEpsilon::Bounded(epsilon) = independent.exposed_epsilon() else { panic!("bounded") };
        assert!((epsilon.get() - 3f64.ln()).abs() < 1e-15);
        let identical = table(0.75, 1.0).unwrap();
        assert_eq!(identical.weights(), [3 << 62, 0, 0, 1 << 62]);
        assert_eq!(identical.exposed_epsilon(), ExposedEpsilon::Unbounded);
    }

    #[test]
    fn what_is_outside_is_refused_with_its_range() {
        for p in [0.0, 0.3, 0.5, 1.0] {
            assert!(matches!(table(p, 0.0), Err(JointError::Truthfulness { .. })), "{p}");
        }
        for rho in [-0.2501, 1.0001, f64::NAN, f64::INFINITY, -1e300] {
            assert!(matches!(table(0.8, rho), Err(JointError::Correlation { .. })), "{rho}");
        }
        assert_eq!(
            table(0.8, -0.5).unwrap_err().to_string(),
            "the correlation rho must be between -0.25 and 1 at p = 0.8: got -0.5"
        );
        assert!(JointTable::from_weights(0, 0).is_err() && JointTable::from_weights(1, 2).is_err());
        assert!(JointTable::from_weights(u64::MAX, u64::MAX).is_err());
    }

    proptest! {
        #[test]
        fn weights_add_up_and_marginals_agree(p in 0.5001f64..0.9999, place in 0.0f64..=1.0) {
            let lowest = 1.0 - 1.0 / p;
            let table = table(p, lowest + place * (1.0 - lowest)).unwrap();
            let [both, first, second, none] = table.weights();
            prop_assert_eq!(both + first + second + none, ALL);
            prop_assert_eq!(first, second);
            prop_assert_eq!(both + first, table.truth_weight());
            prop_assert!((table.p() - p).abs() < 1e-15);
            prop_assert!((table.rho() - (lowest + place * (1.0 - lowest))).abs() < 1e-13);
        }

        /// Every word belongs to the outcome whose interval of words holds it.
        #[test]
        fn words_are_read_by_the_cuts(p in 0.5001f64..0.9999, place in 0.0f64..=1.0, word in any::<u64>()) {
            let lowest = 1.0 - 1.0 / p;
            let table = table(p, lowest + place * (1.0 - lowest)).unwrap();
            let [both_lie, first, second] = table.cuts();
            let expected = if word < both_lie {
                [false, false]
            } else if word < first {
                [true, false]
            } else if word < second {
                [false, true]
            } else {
                [true, true]
            };
            prop_assert_eq!(table.read(word), expected);
            let [w11, w10, w01, w00] = table.weights();
            let cuts = [w00, w00 + w10, w00 + w10 + w01];
            prop_assert_eq!(cuts, table.cuts().map(u128::from));
            prop_assert_eq!(cuts[2] + w11, ALL);
        }
    }
}
