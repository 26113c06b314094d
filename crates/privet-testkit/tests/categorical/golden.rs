//! Against the independent reference.

use super::epsilon;
use privet_core::{Build, Category, Channel, Domain, DomainSpec, Mechanism};
use privet_mechanisms::categorical::*;
use privet_testkit::golden::{CATEGORICAL, Line, lines};
use privet_testkit::{Finding, Words, WordsTaken};

fn build<M: Mechanism + Build>(line: &Line<'_>) -> M {
    let domain: DomainSpec = line.field(2).parse().unwrap();
    M::build(&domain, epsilon(line.field(3).parse().unwrap())).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_report<M: Mechanism + Build>(line: &Line<'_>) -> Result<(), Finding> {
    let mechanism: M = build(line);
    let input = mechanism.domain().parse(line.field(5)).unwrap();
    let mut rng = Words::golden(line.field(4).parse().unwrap());
    let report = mechanism.randomize(&input, &mut rng).unwrap();
    let mut slot = vec![0; mechanism.report_bytes()];
    mechanism.encode(&report, &mut slot);
    line.expect(6, hex(&slot))?;
    line.expect(7, rng.words_taken())
}

/// Checks all lines of one mechanism, and that there are some.
fn check<M: Mechanism + Build>(weights: impl Fn(&M) -> String) {
    let own = |kind| lines(CATEGORICAL, kind).filter(|line| line.field(1) == M::INFO.id);
    let mut reports = 0;
    for line in own("report") {
        assert_eq!(check_report::<M>(&line), Ok(()), "{line:?}");
        reports += 1;
    }
    let mut rows = 0;
    for line in own("weights") {
        assert_eq!(line.expect(4, weights(&build(&line))), Ok(()), "{line:?}");
        rows += 1;
    }
    assert!(reports >= 10 && rows >= 3, "the golden file lacks {}", M::INFO.id);
}

fn check_support<M: Mechanism + Build + FrequencyOracle>() {
    let own = lines(CATEGORICAL, "support").filter(|line| line.field(1) == M::INFO.id);
    let mut seen = 0;
    for line in own {
        let support = build::<M>(&line).support();
        assert_eq!(line.expect_near(4, support.own.to_f64(), 1e-15), Ok(()));
        assert_eq!(line.expect_near(5, support.other.to_f64(), 1e-15), Ok(()));
        seen += 1;
    }
    assert!(seen >= 3, "the golden file lacks the support of {}", M::INFO.id);
}

fn bit_weights(thresholds: BitThresholds) -> String {
    format!("set={},unset={}", thresholds.set, thresholds.unset)
}

#[test]
fn randomized_response() {
    fn weights<K: PeakedRule>(mechanism: &PeakedResponse<K>) -> String {
        format!("high={},low={}", mechanism.row().high(), mechanism.row().low())
    }
    check::<RandomizedResponse>(weights);
    check_support::<RandomizedResponse>();
    check::<GeneralizedRandomizedResponse>(weights);
    check_support::<GeneralizedRandomizedResponse>();
}

#[test]
fn unary_encoding() {
    check::<SymmetricUnaryEncoding>(|mechanism| bit_weights(mechanism.thresholds()));
    check_support::<SymmetricUnaryEncoding>();
    check::<OptimizedUnaryEncoding>(|mechanism| bit_weights(mechanism.thresholds()));
    check_support::<OptimizedUnaryEncoding>();
}

#[test]
fn local_hashing() {
    fn weights<K: BucketRule>(mechanism: &LocalHashing<K>) -> String {
        let row = mechanism.row();
        format!("buckets={},high={},low={}", mechanism.hash().buckets(), row.high(), row.low())
    }
    check::<BinaryLocalHashing>(weights);
    check_support::<BinaryLocalHashing>();
    check::<OptimizedLocalHashing>(weights);
    check_support::<OptimizedLocalHashing>();
}

#[test]
fn subset_selection() {
    check::<SubsetSelection>(|mechanism| {
        format!("size={},include={}", mechanism.subset_size(), mechanism.include_weight())
    });
    check_support::<SubsetSelection>();
}

#[test]
fn hadamard_response() {
    check::<HadamardResponse>(|mechanism| {
        format!("high={},low={}", mechanism.row().high(), mechanism.row().low())
    });
    check_support::<HadamardResponse>();
}

#[test]
fn sketches() {
    check::<Rappor>(|mechanism| bit_weights(mechanism.thresholds()));
    check::<CountMeanSketch>(|mechanism| bit_weights(mechanism.thresholds()));
    check::<PrefixTree>(|mechanism| {
        let row = mechanism.weights();
        format!("buckets={},high={},low={}", row.count(), row.high(), row.low())
    });
}

#[test]
fn ordered_exponential() {
    let mut seen = 0;
    for line in lines(CATEGORICAL, "mass") {
        let mechanism: OrderedExponential = build(&line);
        let (input, output) = (line.field(4).parse().unwrap(), line.field(5).parse().unwrap());
        let mass = mechanism.probability(&input, &Category(output)).to_f64();
        assert_eq!(line.expect_near(6, mass, 1e-9), Ok(()));
        seen += 1;
    }
    assert!(seen > 100);
}

/// A changed digit must be noticed.
#[test]
fn a_changed_golden_file_fails() {
    let line = lines(CATEGORICAL, "report").next().unwrap();
    let changed = "report|randomized-response|binary|0.1|1|0|00|1".to_owned();
    let tampered = lines(&changed, "report").next().unwrap();
    assert_eq!(check_report::<RandomizedResponse>(&line), Ok(()));
    assert!(matches!(check_report::<RandomizedResponse>(&tampered), Err(Finding::Golden { .. })));
}
