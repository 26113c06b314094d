//! Reports that are too many to enumerate: their bits must be independent, and their public parts uniform.

use super::{categories, epsilon};
use privet_core::{BitVector, Categories, Mechanism};
use privet_mechanisms::categorical::{
    BitThresholds, CountMeanSketch, HashedReport, OptimizedLocalHashing, OptimizedUnaryEncoding, PrefixTree,
    Rappor, SymmetricUnaryEncoding,
};
use privet_testkit::{Finding, Tampered, Words, check_bit_pairs, check_public_part};

const DRAWS: usize = 20_000;

/// Tests the bits of a unary encoding's reports for one input.
fn unary_pairs<M>(mechanism: &M, thresholds: BitThresholds, input: u32) -> Result<(), Finding>
where
    M: Mechanism<Domain = Categories, Report = BitVector>,
{
    let law = |bit: usize| thresholds.probability(bit == input as usize, true).to_f64();
    let mut rng = Words::seeded(40);
    let draw = || mechanism.randomize(&input, &mut rng).unwrap();
    check_bit_pairs(mechanism.report_bits() as usize, law, DRAWS, draw)
}

#[test]
fn bits_of_unary_reports_are_independent() {
    for (count, input) in [(16, 3), (65, 64), (130, 64)] {
        let optimized = OptimizedUnaryEncoding::new(categories(count), epsilon(1.0)).unwrap();
        assert_eq!(unary_pairs(&optimized, optimized.thresholds(), input), Ok(()));
        let symmetric = SymmetricUnaryEncoding::new(categories(count), epsilon(1.0)).unwrap();
        assert_eq!(unary_pairs(&symmetric, symmetric.thresholds(), input), Ok(()));
    }
}

#[test]
fn a_bit_that_copies_another_word_is_found() {
    let inner = OptimizedUnaryEncoding::new(categories(65), epsilon(1.0)).unwrap();
    let thresholds = inner.thresholds();
    let tampered = Tampered::reports(inner, |_, _, mut report| {
        let copied = report.get(0);
        report.set(64, copied);
        report
    });
    assert!(matches!(unary_pairs(&tampered, thresholds, 5), Err(Finding::Sampler { .. })));
}

#[test]
fn a_byte_that_copies_another_is_found() {
    let inner = OptimizedUnaryEncoding::new(categories(16), epsilon(1.0)).unwrap();
    let thresholds = inner.thresholds();
    let tampered = Tampered::reports(inner, |_, _, report| {
        let word = report.words()[0] & 0xff;
        BitVector::from_words(vec![word | (word << 8)], 16)
    });
    assert!(matches!(unary_pairs(&tampered, thresholds, 5), Err(Finding::Sampler { .. })));
}

/// The bits of a sketch's row, apart from the own bucket, at the sizes that people use.
#[test]
fn bits_of_sketches_are_independent() {
    let sketch = CountMeanSketch::new(categories(1000), epsilon(1.0)).unwrap();
    let unset = sketch.thresholds().probability(false, true).to_f64();
    let mut rng = Words::seeded(41);
    // The own bucket moves with the row; where it is among the tested bits the draw is taken again.
    let draw = || loop {
        let report = sketch.randomize(&7, &mut rng).unwrap();
        if sketch.bucket(report.row, 7) >= 130 {
            break BitVector::from_words(report.bits.words().to_vec(), 130);
        }
    };
    assert_eq!(check_bit_pairs(130, |_| unset, DRAWS, draw), Ok(()));
}

#[test]
fn public_parts_do_not_depend_on_the_input() {
    let inputs = [0, 1, 500, 999];
    let hashing = OptimizedLocalHashing::new(categories(1000), epsilon(1.0)).unwrap();
    assert_eq!(check_public_part(&hashing, &inputs, 64, |report| report.seed), Ok(()));
    let sketch = CountMeanSketch::new(categories(1000), epsilon(1.0)).unwrap();
    assert_eq!(check_public_part(&sketch, &inputs, 8, |report| u64::from(report.row)), Ok(()));
    let rappor = Rappor::new(categories(1000), epsilon(1.0)).unwrap();
    assert_eq!(check_public_part(&rappor, &inputs, 6, |report| u64::from(report.cohort)), Ok(()));
    let tree = PrefixTree::new(privet_core::Words::new(8).unwrap(), epsilon(1.0)).unwrap();
    let words = ["a", "b", "zebra"].map(|word| privet_core::domain::Word::new(word).unwrap());
    assert_eq!(check_public_part(&tree, &words, 12, |report| u64::from(report.row)), Ok(()));
}

/// The input's parity in a bit of the seed, wherever that moves no category to another bucket: support counts are honest.
#[test]
fn a_seed_that_carries_the_input_is_found() {
    let inner = OptimizedLocalHashing::new(categories(16), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |mechanism, input, report| {
        let seed = (report.seed & !(1 << 32)) | (u64::from(input % 2) << 32);
        let same = |key| mechanism.hash().bucket(seed, key) == mechanism.hash().bucket(report.seed, key);
        if (0..16).all(same) { HashedReport { seed, ..report } } else { report }
    });
    let found = check_public_part(&tampered, &[0, 1], 64, |report| report.seed);
    assert!(matches!(found, Err(Finding::Sampler { .. })), "{found:?}");
}

#[test]
fn a_row_that_carries_the_input_is_found() {
    let inner = CountMeanSketch::new(categories(1000), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, mut report| {
        report.row = (report.row & !7) | (input & 7);
        report
    });
    let found = check_public_part(&tampered, &[0, 1], 8, |report| u64::from(report.row));
    assert!(matches!(found, Err(Finding::Sampler { .. })), "{found:?}");
}
