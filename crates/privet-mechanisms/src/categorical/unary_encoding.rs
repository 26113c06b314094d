//! One bit for each category, all of them noisy. The named mechanisms differ in their thresholds only.

use super::{FrequencyOracle, Invariant, Support, at_most, categories_of, pure_guarantee};
use crate::wrapper::Relayed;
use privet_core::sampling::{bernoulli, bernoulli_bits};
use privet_core::{
    BitVector, Build, Categories, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, ParameterError, Piece,
    ReportBuffer, ReportError,
};
use std::fmt;
use std::marker::PhantomData;

/// The thresholds of a noisy bit: how many of 2^64 words make it one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitThresholds {
    /// If the bit is set in truth.
    pub set: u64,
    /// If it is not.
    pub unset: u64,
}

impl BitThresholds {
    /// The larger of the two ratios that one differing pair of bits can contribute:
    /// `set (1 - unset) / (unset (1 - set))`.
    pub fn pair_ratio(&self) -> Fraction {
        &(&Fraction::of_weight(self.set) / &Fraction::of_weight(self.unset))
            * &(&Fraction::of_complement(self.unset) / &Fraction::of_complement(self.set))
    }

    /// How much likelier a one is where the bit is set, rounded once: at tiny epsilons both probabilities round to the same
    /// number although they differ.
    pub fn difference(&self) -> f64 {
        self.set.saturating_sub(self.unset) as f64 * 2f64.powi(-64)
    }

    /// The probability of a bit's value.
    pub fn probability(&self, truly_set: bool, value: bool) -> Fraction {
        let threshold = if truly_set { self.set } else { self.unset };
        if value { Fraction::of_weight(threshold) } else { Fraction::of_complement(threshold) }
    }

    /// How much likelier noisy bits are if the truth is the first set of bits than if it is the second. All other bits
    /// are as likely under both.
    pub(super) fn likelihood_ratio(&self, truths: [&[usize]; 2], bits: &BitVector) -> Option<Fraction> {
        let [first, second] = truths;
        let differing = first.iter().chain(second).filter(|bit| first.contains(bit) != second.contains(bit));
        let mut ratio = Fraction::whole(1);
        for bit in differing {
            let value = bits.get(*bit);
            let above = self.probability(first.contains(bit), value);
            ratio = &ratio * &above.checked_div(&self.probability(second.contains(bit), value))?;
        }
        Some(ratio)
    }

    /// Draws `bits` noisy bits into `slot`, of which those in `set` are set in truth. Takes the same kind of
    /// draws whichever they are: first all bits as if unset, then one for each set bit.
    pub(super) fn fill<R: CryptoRng + ?Sized>(
        &self,
        bits: usize,
        set: &[usize],
        rng: &mut R,
        slot: &mut [u8],
    ) {
        let mut words = slot.chunks_exact_mut(8);
        // Whole words first, written as such: a copy of variable length would cost more than the draw.
        for chunk in words.by_ref() {
            chunk.copy_from_slice(&bernoulli_bits(self.unset, rng).to_le_bytes());
        }
        let rest = words.into_remainder();
        if !rest.is_empty() {
            let word = bernoulli_bits(self.unset, rng);
            rest.copy_from_slice(&word.to_le_bytes()[..rest.len()]);
        }
        if let (Some(last), used @ 1..) = (slot.last_mut(), bits % 8) {
            *last &= (1 << used) - 1;
        }
        for index in set {
            let mask = 1 << (index % 8);
            let value = bernoulli(self.set, rng);
            let byte = &mut slot[index / 8];
            *byte = if value { *byte | mask } else { *byte & !mask };
        }
    }
}

/// What distinguishes one unary encoding from another.
pub trait UnaryRule: Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;

    /// The thresholds for an epsilon.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit thresholds.
    fn thresholds(epsilon: Epsilon) -> Result<BitThresholds, ParameterError>;
}

/// Unary encoding; see the named mechanisms.
#[derive(Clone)]
pub struct UnaryEncoding<K> {
    categories: Categories,
    thresholds: BitThresholds,
    guarantee: Guarantee,
    rule: PhantomData<K>,
}

impl<K: UnaryRule> UnaryEncoding<K> {
    /// The largest number of categories: a report has one bit for each.
    pub const MAX_CATEGORIES: u32 = 1 << 20;

    /// Calibrates the thresholds.
    ///
    /// # Errors
    /// When epsilon is too small, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        at_most(&categories, Self::MAX_CATEGORIES)?;
        let thresholds = K::thresholds(epsilon)?;
        let guarantee = pure_guarantee(&thresholds.pair_ratio())?;
        Ok(Self { categories, thresholds, guarantee, rule: PhantomData })
    }

    /// The integer thresholds.
    pub fn thresholds(&self) -> BitThresholds {
        self.thresholds
    }

    fn bits(&self) -> usize {
        self.categories.count() as usize
    }
}

impl<K: UnaryRule> Build for UnaryEncoding<K> {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&K::INFO, domain)?, epsilon)
    }
}

impl<K: UnaryRule> Mechanism for UnaryEncoding<K> {
    type Domain = Categories;
    type Report = BitVector;
    const INFO: MechanismInfo = K::INFO;

    fn domain(&self) -> &Categories {
        &self.categories
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(K::INFO.id);
        self.categories.identify(&mut builder);
        builder.number(self.thresholds.set).number(self.thresholds.unset).finish()
    }

    fn report_bits(&self) -> u32 {
        self.categories.count()
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<BitVector, InputError> {
        self.categories.check(input)?;
        let mut slot = vec![0; self.report_bytes()];
        self.thresholds.fill(self.bits(), &[*input as usize], rng, &mut slot);
        Ok(BitVector::from_bytes(&slot, self.bits()))
    }

    fn encode(&self, report: &BitVector, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<BitVector, ReportError> {
        self.check_length(slot)?;
        BitVector::read(slot, self.bits())
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[u32],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            self.thresholds.fill(self.bits(), &[*input as usize], rng, slot);
        }
        Ok(())
    }
}

impl<K: UnaryRule> Channel for UnaryEncoding<K> {
    fn probability(&self, input: &u32, report: &BitVector) -> Fraction {
        (0..self.bits()).fold(Fraction::whole(1), |product, bit| {
            &product * &self.thresholds.probability(bit == *input as usize, report.get(bit))
        })
    }

    fn likelihood_ratio(&self, inputs: &[u32; 2], report: &BitVector) -> Option<Fraction> {
        let [first, second] = inputs.map(|input| [input as usize]);
        self.thresholds.likelihood_ratio([&first, &second], report)
    }

    fn worst_ratio(&self) -> Fraction {
        self.thresholds.pair_ratio()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<BitVector>> {
        all_bit_vectors(self.bits(), limit)
    }

    fn pieces(&self, _input: Option<&u32>) -> Vec<Piece> {
        let others = u64::from(self.categories.count() - 1);
        vec![
            Piece::one("the bit of the own category is one", &Fraction::of_weight(self.thresholds.set)),
            Piece::each("each other bit is one", others, &Fraction::of_weight(self.thresholds.unset)),
        ]
    }
}

impl<K: UnaryRule> FrequencyOracle for UnaryEncoding<K> {
    fn categories(&self) -> &Categories {
        &self.categories
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        self.fingerprint()
    }

    fn oracle_report_bytes(&self) -> usize {
        self.report_bytes()
    }

    fn support(&self) -> Support {
        Support {
            own: Fraction::of_weight(self.thresholds.set),
            other: Fraction::of_weight(self.thresholds.unset),
        }
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        let mut counter = BitCounter::new(self.bits());
        for slot in reports.iter() {
            counter.add(slot, counts)?;
        }
        counter.flush(counts);
        Ok(())
    }

    fn invariant(&self) -> Invariant {
        Invariant::Ones
    }
}

impl<K: UnaryRule> Relayed for UnaryEncoding<K> {
    fn relay<R: CryptoRng + ?Sized>(&self, permanent: &BitVector, rng: &mut R) -> BitVector {
        let noisy = permanent.words().iter().map(|word| {
            let if_set = bernoulli_bits(self.thresholds.set, rng);
            let if_unset = bernoulli_bits(self.thresholds.unset, rng);
            (word & if_set) | (!word & if_unset)
        });
        BitVector::from_words(noisy.collect(), self.bits())
    }

    fn relayed_support(permanent: &Self, instantaneous: &Self) -> Support {
        let second = &instantaneous.thresholds;
        let through = |threshold: u64| {
            &(&Fraction::of_weight(threshold) * &second.probability(true, true))
                + &(&Fraction::of_complement(threshold) * &second.probability(false, true))
        };
        Support { own: through(permanent.thresholds.set), other: through(permanent.thresholds.unset) }
    }

    fn relayed_ratio(support: &Support) -> Fraction {
        let complement = |probability: &Fraction| Fraction::whole(1).minus(probability);
        &(&support.own / &support.other) * &(&complement(&support.other) / &complement(&support.own))
    }
}

impl<K: UnaryRule> fmt::Debug for UnaryEncoding<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", K::INFO.title, self.categories, self.guarantee)
    }
}

/// Every string of `bits` bits, if there are at most `limit`.
pub(super) fn all_bit_vectors(bits: usize, limit: usize) -> Option<Vec<BitVector>> {
    let count = 1usize.checked_shl(bits as u32).filter(|count| bits < 64 && *count <= limit)?;
    Some((0..count).map(|word| BitVector::from_words(vec![word as u64], bits)).collect())
}

/// Counts how often each bit is one, for many reports at once.
///
/// Sixty-four counters lie across eight words, one for each binary digit, so that adding a word costs a few
/// operations instead of sixty-four.
#[derive(Debug, Clone)]
pub struct BitCounter {
    bits: usize,
    planes: Vec<[u64; 8]>,
    added: u32,
}

impl BitCounter {
    /// A counter for reports of `bits` bits.
    pub fn new(bits: usize) -> Self {
        Self { bits, planes: vec![[0; 8]; bits.div_ceil(64)], added: 0 }
    }

    /// Adds one report; from time to time the counts move on to `counts`.
    ///
    /// # Errors
    /// When the length is wrong or a padding bit is set.
    pub fn add(&mut self, slot: &[u8], counts: &mut [u64]) -> Result<(), ReportError> {
        let expected = self.bits.div_ceil(8);
        if slot.len() != expected {
            return Err(ReportError::Length { expected, got: slot.len() });
        }
        let used = self.bits % 8;
        if used > 0 && slot.last().is_some_and(|last| last >> used != 0) {
            return Err(ReportError::Impossible { reason: "a padding bit is set" });
        }
        for (planes, chunk) in self.planes.iter_mut().zip(slot.chunks(8)) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            let mut carry = u64::from_le_bytes(bytes);
            for plane in planes {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
            }
        }
        self.added += 1;
        if self.added == u32::from(u8::MAX) {
            self.flush(counts);
        }
        Ok(())
    }

    /// Moves what was counted to `counts`.
    pub fn flush(&mut self, counts: &mut [u64]) {
        for (index, count) in counts.iter_mut().enumerate().take(self.bits) {
            let planes = &self.planes[index / 64];
            let digits = planes.iter().rev().fold(0, |sum, plane| (sum << 1) | ((plane >> (index % 64)) & 1));
            *count += digits;
        }
        self.planes.iter_mut().for_each(|planes| *planes = [0; 8]);
        self.added = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_across_words_equals_counting_one_by_one(
            bits in 1usize..200, seed in any::<u64>(), reports in 0usize..600,
        ) {
            let mut word = seed;
            let mut counter = BitCounter::new(bits);
            let mut fast = vec![0u64; bits];
            let mut slow = vec![0u64; bits];
            for _ in 0..reports {
                let words = (0..bits.div_ceil(64)).map(|_| {
                    word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    word
                });
                let report = BitVector::from_words(words.collect(), bits);
                let mut slot = vec![0; bits.div_ceil(8)];
                report.write(&mut slot);
                counter.add(&slot, &mut fast).unwrap();
                (0..bits).for_each(|bit| slow[bit] += u64::from(report.get(bit)));
            }
            counter.flush(&mut fast);
            prop_assert_eq!(fast, slow);
        }
    }
}
