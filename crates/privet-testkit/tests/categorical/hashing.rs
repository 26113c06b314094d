use super::{categories, epsilon, must_be_found, run_oracle};
use privet_mechanisms::categorical::{BinaryLocalHashing, HashedReport, OptimizedLocalHashing};
use privet_testkit::Tampered;

#[test]
fn optimized_passes_the_battery() {
    run_oracle(|domain, epsilon| OptimizedLocalHashing::new(domain, epsilon).unwrap(), 1e-6);
}

#[test]
fn binary_passes_the_battery() {
    run_oracle(|domain, epsilon| BinaryLocalHashing::new(domain, epsilon).unwrap(), 1e-6);
}

#[test]
fn a_constant_seed_is_found() {
    let inner = OptimizedLocalHashing::new(categories(16), epsilon(1.0)).unwrap();
    let tampered =
        Tampered::reports(inner, |_, _, report| HashedReport { seed: 0x0123_4567_89ab_cdef, ..report });
    must_be_found(&tampered);
}

#[test]
fn an_unperturbed_bucket_is_found() {
    let inner = OptimizedLocalHashing::new(categories(16), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |mechanism, input, report| HashedReport {
        bucket: mechanism.hash().bucket(report.seed, input),
        ..report
    });
    must_be_found(&tampered);
}

/// Too many categories for the hash family are refused, and huge epsilons get as many buckets as there can be.
#[test]
fn sizes_are_bounded() {
    assert!(OptimizedLocalHashing::new(categories((1 << 20) + 1), epsilon(1.0)).is_err());
    let largest = OptimizedLocalHashing::new(categories(1 << 20), epsilon(30.0)).unwrap();
    assert_eq!(largest.hash().buckets(), 512);
}
