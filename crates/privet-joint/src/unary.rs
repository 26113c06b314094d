//! Unary encoding in pairs: two people perturb the bits of their unary vectors together.

use crate::error::JointError;
use crate::response::{PairedOracle, check_truthful, identify};
use crate::table::JointTable;
use crate::variance::SupportLaw;
use privet_core::sampling::bernoulli;
use privet_core::{
    BitVector, Categories, CryptoRng, Domain, ExposedEpsilon, Fingerprint, FingerprintBuilder, Fraction,
    InputError, ReportBuffer, ReportError,
};
use privet_mechanisms::categorical::{BitCounter, FrequencyOracle, Support};

/// Unary encoding from one truthfulness bit for each category, each correlated with the same bit of the partner.
///
/// The joint table needs people who are truthful with the same probability whatever they hold. *Symmetric* unary encoding
/// is like that. In *optimised* unary encoding a bit that is not set is reported truthfully with probability
/// e^epsilon / (1 + e^epsilon), but one that is set only with probability 1/2. Here the table rules the bits that are not set,
/// and a set bit is *thinned*: it is reported as one if its truthfulness bit is one and a private coin says so as well. Each
/// person's own report is then distributed as in ordinary optimised unary encoding, and the correlation is kept where it
/// matters: at the bits that are not set, which are nearly all.
///
/// # What is promised
/// Only the exposed-pair epsilon. With several bits for each person, two partners' reports and truthfulness are correlated in
/// every bit, so a colluding partner (or a collector who compares reports) can tell who is paired with whom from the bits
/// alone. An average over a hidden pairing is then no guarantee.
#[derive(Debug, Clone)]
pub struct JointUnary {
    categories: Categories,
    table: JointTable,
    /// Words for which a truthful set bit stays; `None` if it always does.
    keep: Option<u64>,
}

impl JointUnary {
    /// Symmetric unary encoding: set and other bits are truthful with the same probability.
    ///
    /// # Errors
    /// When the table's truthfulness is not above one half.
    pub fn symmetric(categories: Categories, table: JointTable) -> Result<Self, JointError> {
        check_truthful(&table, 2)?;
        Ok(Self { categories, table, keep: None })
    }

    /// Optimised unary encoding: a bit that is not set is truthful with the table's probability, a set bit with 1/2.
    ///
    /// # Errors
    /// When the table's truthfulness is not above one half.
    pub fn optimized(categories: Categories, table: JointTable) -> Result<Self, JointError> {
        check_truthful(&table, 2)?;
        // p keep / 2^64 = 1/2, rounded down.
        let keep = u64::try_from((1u128 << 127) / table.truth_weight()).unwrap_or(u64::MAX);
        Ok(Self { categories, table, keep: Some(keep) })
    }

    /// What a person reports who holds `value`, from a truthfulness bit for each category.
    ///
    /// # Errors
    /// When the value is outside the categories.
    ///
    /// Bits of `truthful` beyond the categories are not read; missing ones count as lies.
    pub fn report<R: CryptoRng + ?Sized>(
        &self,
        value: &u32,
        truthful: &BitVector,
        rng: &mut R,
    ) -> Result<BitVector, InputError> {
        self.categories.check(value)?;
        let bits = self.categories.count() as usize;
        let mut words: Vec<u64> = truthful.words().iter().map(|word| !word).collect();
        words.resize(bits.div_ceil(64), u64::MAX);
        let mut report = BitVector::from_words(words, bits);
        // The coin is tossed whatever the bit is.
        let stays = self.keep.is_none_or(|keep| bernoulli(keep, rng));
        let own = *value as usize;
        report.set(own, stays && own < truthful.len() && truthful.get(own));
        Ok(report)
    }

    /// The probability that a truthful set bit stays.
    fn kept(&self) -> Fraction {
        self.keep.map_or(Fraction::whole(1), Fraction::of_weight)
    }

    /// The worst ratio that the set bit contributes, and the worst that a bit does which is set under the other value.
    fn exposed_ratio(&self) -> Option<Fraction> {
        let kept = self.kept();
        let (mut set, mut unset) = (Fraction::whole(1), Fraction::whole(1));
        for partner_is_truthful in [true, false] {
            let [truth, lie] = self.table.given(partner_is_truthful);
            let one = &kept * &truth;
            let zero = Fraction::whole(1).minus(&one);
            set = set.max(one.checked_div(&lie)?).max(zero.checked_div(&truth)?);
            unset = unset.max(lie.checked_div(&one)?).max(truth.checked_div(&zero)?);
        }
        Some(&set * &unset)
    }
}

impl FrequencyOracle for JointUnary {
    fn categories(&self) -> &Categories {
        &self.categories
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new("joint-unary-encoding");
        self.categories.identify(&mut builder);
        identify(&self.table, &mut builder);
        builder.number(self.keep.unwrap_or(0)).finish()
    }

    fn oracle_report_bytes(&self) -> usize {
        (self.categories.count() as usize).div_ceil(8)
    }

    fn support(&self) -> Support {
        let truth = Fraction::of_complement(self.table.lie_weight());
        Support { own: &self.kept() * &truth, other: Fraction::of_weight(self.table.lie_weight()) }
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        let mut counter = BitCounter::new(self.categories.count() as usize);
        for slot in reports.iter() {
            counter.add(slot, counts)?;
        }
        counter.flush(counts);
        Ok(())
    }
}

impl PairedOracle for JointUnary {
    fn table(&self) -> &JointTable {
        &self.table
    }

    fn law(&self) -> SupportLaw {
        let support = self.support();
        SupportLaw {
            own: support.own.to_f64(),
            other: support.other.to_f64(),
            difference: support.own.minus(&support.other).to_f64(),
            own_loading: self.kept().to_f64(),
            other_loading: -1.0,
            covariance: self.table.covariance(),
        }
    }

    fn exposed_epsilon(&self) -> ExposedEpsilon {
        crate::accounting::exposed(&self.exposed_ratio())
    }

    fn report_together<R: CryptoRng>(
        &self,
        people: &[u32],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let bits = self.categories.count() as usize;
        let mut truthful = [BitVector::zeros(bits), BitVector::zeros(bits)];
        for bit in 0..bits {
            let both = self.table.read(rng.next_u64());
            truthful.iter_mut().zip(both).for_each(|(person, is_truthful)| person.set(bit, is_truthful));
        }
        for (value, truthful) in people.iter().zip(&truthful) {
            let report = self.report(value, truthful, rng)?;
            reports.extend_slots(1).for_each(|slot| report.write(slot));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Probability;

    fn table(epsilon: f64, rho: f64) -> JointTable {
        JointTable::new(Probability::new(epsilon.exp() / (1.0 + epsilon.exp())).unwrap(), rho).unwrap()
    }

    #[test]
    fn without_correlation_the_marginals_are_those_of_the_named_encodings() {
        let categories = Categories::new(5).unwrap();
        let optimized = JointUnary::optimized(categories.clone(), table(1.0, 0.0)).unwrap();
        let support = optimized.support();
        assert!((support.own.to_f64() - 0.5).abs() < 1e-15);
        assert!((support.other.to_f64() - 1.0 / (1.0 + 1f64.exp())).abs() < 1e-15);
        let ExposedEpsilon::Bounded(epsilon) = optimized.exposed_epsilon() else { panic!("bounded") };
        assert!((epsilon.get() - 1.0).abs() < 1e-14, "{epsilon}");
        let symmetric = JointUnary::symmetric(categories, table(0.5, 0.0)).unwrap();
        let ExposedEpsilon::Bounded(epsilon) = symmetric.exposed_epsilon() else { panic!("bounded") };
        assert!((epsilon.get() - 1.0).abs() < 1e-14, "{epsilon}");
    }

    /// The exposed loss against all reports, values and partner's bits on three categories.
    #[test]
    fn the_exposed_loss_is_the_worst_over_everything() {
        for rho in [-0.2, 0.1, 0.6] {
            for unary in [JointUnary::symmetric, JointUnary::optimized] {
                let unary = unary(Categories::new(3).unwrap(), table(1.2, rho)).unwrap();
                let kept = unary.kept().to_f64();
                let bit = |is_set: bool, partner: bool, value: bool| {
                    let [truth, lie] = unary.table.given(partner).map(|share| share.to_f64());
                    let one = if is_set { kept * truth } else { lie };
                    if value { one } else { 1.0 - one }
                };
                let mut worst = 0.0f64;
                for case in 0..64u32 {
                    let (report, partner) = (case & 7, case >> 3);
                    let likelihood = |held: u32| -> f64 {
                        (0..3).map(|i| bit(i == held, partner >> i & 1 == 1, report >> i & 1 == 1)).product()
                    };
                    for pair in [(0, 1), (1, 0), (1, 2), (2, 0)] {
                        worst = worst.max((likelihood(pair.0) / likelihood(pair.1)).ln());
                    }
                }
                let ExposedEpsilon::Bounded(epsilon) = unary.exposed_epsilon() else { panic!("bounded") };
                assert!((epsilon.get() - worst).abs() < 1e-12, "{rho}: {epsilon} {worst}");
            }
        }
    }
}
