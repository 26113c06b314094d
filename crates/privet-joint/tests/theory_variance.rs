//! Exact variances against simulated collections: five standard errors, fixed seeds, and controls that must fail.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::panic)]

use privet_core::{Categories, Epsilon, Estimator, Generator, Probability, ReportBuffer};
use privet_joint::{
    BinaryStudy, Crowd, JointEstimator, JointHashing, JointResponse, JointTable, JointUnary, PairedOracle,
    Pairs, Request, SupportLaw, simulate,
};

fn table(p: f64, rho: f64) -> JointTable {
    JointTable::new(Probability::new(p).unwrap(), rho).unwrap()
}

/// Estimates of a number that is known.
struct Sample {
    truth: f64,
    errors: Vec<f64>,
}

impl Sample {
    fn moment(&self, power: i32) -> f64 {
        self.errors.iter().map(|error| error.powi(power)).sum::<f64>() / self.errors.len() as f64
    }

    /// How many standard errors the mean squared error is away from a variance. The standard error is the sample's own, or that
    /// of normal errors if that is larger: few trials may by chance all be small.
    fn distance(&self, variance: f64) -> f64 {
        let (observed, trials) = (self.moment(2), self.errors.len() as f64);
        let own = (self.moment(4) - observed * observed) / trials;
        let normal = 2.0 * variance * variance / trials;
        let off = (observed - variance).abs();
        if off <= 1e-9 * variance.max(1e-6) { 0.0 } else { off / own.max(normal).sqrt() }
    }

    fn assert_unbiased(&self, variance: f64, what: &str) {
        let reach = 5.0 * (variance / self.errors.len() as f64).sqrt() + 1e-9 * self.truth.max(1.0);
        assert!(self.moment(1).abs() <= reach, "{what}: mean error {}, reach {reach}", self.moment(1));
    }
}

fn binary_sample(table: JointTable, users: u64, ones: u64, trials: u64, rng: &mut Generator) -> Sample {
    let study = BinaryStudy::new(table, Crowd::new(users, 0).unwrap(), ones).unwrap();
    let truth = ones as f64;
    let errors = (0..trials).map(|_| study.estimate(study.reported_ones(rng)) - truth).collect();
    Sample { truth, errors }
}

const TABLES: [(f64, f64); 5] = [(0.8, -0.25), (0.6, -0.5), (0.75, 0.4), (0.55, 1.0), (0.7, 0.0)];

fn check_binary(users: u64, trials: u64, rng: &mut Generator) {
    for (p, rho) in TABLES {
        for ones in [0, users / 30, users / 2, users] {
            let table = table(p, rho);
            let sample = binary_sample(table, users, ones, trials, rng);
            let variance = SupportLaw::binary(&table).estimate_variance(Pairs::of(users), ones as f64);
            let what = format!("n = {users}, ones = {ones}, p = {p}, rho = {rho}");
            let distance = sample.distance(variance);
            assert!(
                distance < 5.0,
                "{what}: {distance} standard errors, {} for {variance}",
                sample.moment(2)
            );
            sample.assert_unbiased(variance, &what);
        }
    }
}

#[test]
fn binary_variance_is_that_of_simulated_collections() {
    let mut rng = Generator::from_insecure_seed(5001);
    for users in [2, 3, 4, 5, 10, 11, 100, 101, 1_000] {
        check_binary(users, (2_000_000 / users).clamp(2_000, 50_000), &mut rng);
    }
    check_binary(10_001, 400, &mut rng);
    check_binary(100_000, 60, &mut rng);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn binary_variance_at_full_size() {
    let mut rng = Generator::from_insecure_seed(5002);
    for users in [2u64, 3, 4, 7, 50, 51, 1_000, 10_000, 10_001, 100_000] {
        check_binary(users, (20_000_000 / users).clamp(500, 20_000), &mut rng);
    }
}

/// The same comparison sees a wrong correlation, a wrong p and the even formula at an odd number of people.
#[test]
fn tampered_tables_are_noticed() {
    let mut rng = Generator::from_insecure_seed(5003);
    for users in [2, 3, 100, 1_001] {
        let sample = binary_sample(table(0.8, -0.25), users, users, 20_000, &mut rng);
        let distance = |p: f64, rho: f64, pairs: Pairs| {
            sample.distance(SupportLaw::binary(&table(p, rho)).estimate_variance(pairs, users as f64))
        };
        assert!(distance(0.8, -0.25, Pairs::of(users)) < 5.0);
        assert!(distance(0.8, 0.0, Pairs::of(users)) > 5.0, "independence");
        assert!(
            distance(0.8, -0.15, Pairs::of(users)) > 5.0 && distance(0.75, -0.25, Pairs::of(users)) > 5.0
        );
        if users == 3 {
            // Nobody left over: chance 1 / (n - 1) instead of 1 / n.
            let law = SupportLaw::binary(&table(0.8, -0.25));
            let even = SupportLaw { covariance: law.covariance * 1.5, ..law };
            assert!(sample.distance(even.estimate_variance(Pairs::of(3), 3.0)) > 5.0);
        }
    }
}

/// The estimates of all categories over many collections.
fn category_samples<O: PairedOracle>(
    oracle: &O,
    values: &[u32],
    trials: u32,
    rng: &mut Generator,
) -> Vec<Sample> {
    let categories = oracle.categories().count() as usize;
    let law = oracle.law();
    let holders = |category: u32| values.iter().filter(|value| **value == category).count() as f64;
    let mut samples: Vec<Sample> = (0..categories as u32)
        .map(|category| Sample { truth: holders(category), errors: Vec::new() })
        .collect();
    let (mut values, mut reports) = (values.to_vec(), ReportBuffer::new(oracle.oracle_report_bytes()));
    for _ in 0..trials {
        reports.clear();
        simulate(oracle, &mut values, rng, &mut reports).unwrap();
        let mut counts = vec![0; categories];
        oracle.tally(&reports, &mut counts).unwrap();
        for (sample, count) in samples.iter_mut().zip(counts) {
            let estimate = (count as f64 - values.len() as f64 * law.other) / law.difference;
            sample.errors.push(estimate - sample.truth);
        }
    }
    samples
}

fn check_categories<O: PairedOracle>(oracle: &O, values: &[u32], trials: u32, rng: &mut Generator) {
    let pairs = Pairs::of(values.len() as u64);
    for (category, sample) in category_samples(oracle, values, trials, rng).iter().enumerate() {
        let variance = oracle.law().estimate_variance(pairs, sample.truth);
        let distance = sample.distance(variance);
        let what = format!("{oracle:?}, {} people, category {category}", values.len());
        assert!(distance < 5.0, "{what}: {distance} standard errors, {} for {variance}", sample.moment(2));
        sample.assert_unbiased(variance, &what);
    }
}

/// Most people hold the first category, nobody the last.
fn values(people: usize, categories: u32) -> Vec<u32> {
    (0..people).map(|person| if person % 3 > 0 { 0 } else { person as u32 / 3 % (categories - 1) }).collect()
}

#[test]
fn variances_of_more_categories() {
    let mut rng = Generator::from_insecure_seed(5004);
    for people in [2, 3, 10, 51, 600] {
        let trials = (400_000 / people as u32).clamp(1_500, 20_000);
        for (k, p, rho) in [(3u32, 0.5, -0.9), (3, 0.7, -0.4), (6, 0.4, 0.5), (6, 0.3, -0.4)] {
            let categories = Categories::new(k).unwrap();
            let table = JointTable::among(k, Probability::new(p).unwrap(), rho).unwrap();
            let response = JointResponse::new(categories.clone(), table).unwrap();
            check_categories(&response, &values(people, k), trials, &mut rng);
        }
        for (k, p, rho) in [(3u32, 0.6, -2.0 / 3.0), (5, 0.75, -0.3), (5, 0.7, 0.5)] {
            let categories = Categories::new(k).unwrap();
            for unary in [JointUnary::symmetric, JointUnary::optimized] {
                let unary = unary(categories.clone(), table(p, rho)).unwrap();
                check_categories(&unary, &values(people, k), trials / 4, &mut rng);
            }
        }
        for (k, buckets, p, rho) in [(10u32, 4, 0.5, -0.9), (10, 3, 0.6, 0.8), (5, 2, 0.75, -0.3)] {
            let table = JointTable::among(buckets, Probability::new(p).unwrap(), rho).unwrap();
            let hashing = JointHashing::new(Categories::new(k).unwrap(), buckets, table).unwrap();
            check_categories(&hashing, &values(people, k), trials / 4, &mut rng);
        }
    }
}

/// A pair of thinned bits whose correlation is left out of the law is noticed.
#[test]
fn a_tampered_law_of_categories_is_noticed() {
    let mut rng = Generator::from_insecure_seed(5005);
    let oracle = JointUnary::optimized(Categories::new(3).unwrap(), table(0.6, -2.0 / 3.0)).unwrap();
    let samples = category_samples(&oracle, &values(51, 3), 8_000, &mut rng);
    let law = SupportLaw { covariance: 0.0, ..oracle.law() };
    // The last category, which nobody holds.
    assert!(samples[2].distance(oracle.law().estimate_variance(Pairs::of(51), 0.0)) < 5.0);
    assert!(samples[2].distance(law.estimate_variance(Pairs::of(51), 0.0)) > 5.0);
}

/// Intervals hold the truth as often as they say, also where the noise is a fifth of the crowd. Standard errors are never too
/// small on average; where the variance is very different within reach of the estimate they are too large.
#[test]
fn intervals_cover() {
    let mut rng = Generator::from_insecure_seed(5006);
    let (users, ones, trials) = (2_000u64, 66u64, 1_500u32);
    for (epsilon, most) in [(0.05, 5.0), (0.3, 1.5), (1.0, 1.1), (3.0, 1.1)] {
        let request = Request {
            crowd: Crowd::new(users, 1).unwrap(),
            epsilon: Epsilon::new(epsilon).unwrap(),
            ones: Some(ones),
            cap: None,
        };
        let plan = request.plan().unwrap();
        let response = JointResponse::new(Categories::new(2).unwrap(), plan.table).unwrap();
        let estimator = JointEstimator::new(response.clone());
        let mut values: Vec<u32> = (0..users).map(|person| u32::from(person < ones)).collect();
        let (mut covered, mut stated) = (0, 0.0);
        let mut reports = ReportBuffer::new(1);
        for _ in 0..trials {
            reports.clear();
            simulate(&response, &mut values, &mut rng, &mut reports).unwrap();
            let mut summary = estimator.empty_summary();
            estimator.accumulate(&mut summary, &reports).unwrap();
            let estimate = estimator.estimate(&summary).unwrap().rows[1].estimate;
            let [low, high] = estimate.interval;
            covered += u32::from((low..=high).contains(&(ones as f64 / users as f64)));
            stated += (estimate.standard_error * users as f64).powi(2);
        }
        let coverage = f64::from(covered) / f64::from(trials);
        let ratio = stated / f64::from(trials) / plan.variance;
        // 95 % within five standard errors of 1500 trials; more where the count varies so little that binomial intervals are used.
        let highest = if epsilon > 2.0 { 1.0 } else { 0.98 };
        assert!((0.92..highest).contains(&coverage), "{epsilon}: {coverage}");
        assert!((0.9..most).contains(&ratio), "{epsilon}: {ratio}");
    }
}

#[test]
fn people_who_lost_their_partner_count_as_alone() {
    let response = JointResponse::new(Categories::new(2).unwrap(), table(0.6, -0.5)).unwrap();
    let mut reports = ReportBuffer::new(1);
    for report in 0..1_000u32 {
        reports.push(&[u8::from(report % 3 == 0)]).unwrap();
    }
    let error = |estimator: JointEstimator<JointResponse>| {
        let mut summary = estimator.empty_summary();
        estimator.accumulate(&mut summary, &reports).unwrap();
        estimator.estimate(&summary).map(|found| found.rows[1].estimate.standard_error)
    };
    let paired = error(JointEstimator::new(response.clone())).unwrap();
    let some = error(JointEstimator::new(response.clone()).with_alone(500)).unwrap();
    let all = error(JointEstimator::new(response.clone()).with_alone(1_000)).unwrap();
    assert!(paired < some && some < all);
    // Everybody alone: sqrt(p q / n) / (p - q).
    assert!((all - (0.24f64 / 1_000.0).sqrt() / 0.2).abs() < 1e-9, "{all}");
    assert!(error(JointEstimator::new(response).with_alone(3)).is_err());
}
