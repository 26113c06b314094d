//! The planner against the published figures, against a search, and against its own constraints.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::panic)]

use privet_core::{Epsilon, ExposedEpsilon, Guarantee, Probability};
use privet_joint::{Choice, Crowd, JointTable, Plan, Request};

fn request(users: u64, colluders: u64, epsilon: f64, ones: Option<u64>, cap: Option<f64>) -> Request {
    Request {
        crowd: Crowd::new(users, colluders).unwrap(),
        epsilon: Epsilon::new(epsilon).unwrap(),
        ones,
        cap: cap.map(|cap| Epsilon::new(cap).unwrap()),
    }
}

fn plan(users: u64, colluders: u64, epsilon: f64, ones: Option<u64>, cap: Option<f64>) -> Plan {
    request(users, colluders, epsilon, ones, cap).plan().unwrap()
}

fn sigmoid(epsilon: f64) -> f64 {
    1.0 / (1.0 + (-epsilon).exp())
}

/// The printed variance, with `n` in place of `n - 1` for an odd number of people.
fn theorem_four(users: u64, ones: u64, p: f64, rho: f64) -> f64 {
    let (n, partners) = (users as f64, (users - (users + 1) % 2) as f64);
    let spread = ((2.0 * ones as f64 - n).powi(2) - n) / partners;
    p * (1.0 - p) / (2.0 * p - 1.0).powi(2) * (n + rho * spread)
}

/// Rounded to four digits.
fn four(value: f64) -> String {
    format!("{value:.3e}")
}

#[test]
fn the_four_data_sets() {
    // People, ones, epsilon, joint, independent.
    let published = [
        (20_000, 659, 0.01, "3.006e7", "2.000e8"),
        (20_000, 659, 0.1, "4.239e5", "1.998e6"),
        (20_000, 659, 1.0, "1.251e4", "1.841e4"),
        (10_000, 9_528, 0.01, "2.310e7", "1.000e8"),
    ];
    for (users, ones, epsilon, joint, independent) in published {
        let plan = plan(users, 5, epsilon, Some(ones), None);
        assert_eq!(
            (four(plan.variance).as_str(), four(plan.variance_independent).as_str()),
            (joint, independent)
        );
        assert_eq!(plan.choice, Choice::Negative);
        assert!(matches!(plan.guarantee, Guarantee::Average { exposed: ExposedEpsilon::Unbounded, .. }));
        let s = epsilon.exp() / (1.0 + epsilon.exp());
        let p = ((users - 1) as f64 * s - 5.0) / (users - 6) as f64;
        assert!((plan.table.p() - p).abs() < 1e-14 && (plan.table.rho() - (1.0 - 1.0 / p)).abs() < 1e-12);
    }
    for (users, ones) in [(10_000, 762), (23_486, 19_314)] {
        for epsilon in [0.01, 0.1, 1.0] {
            assert!(plan(users, 5, epsilon, Some(ones), None).ratio() < 0.9);
        }
    }
}

/// A promise is kept in exact arithmetic, and hardly anything is left on the table.
#[test]
fn constraints_are_kept_and_tight() {
    for users in [2u64, 3, 10, 101, 20_000] {
        for colluders in [0, 1, users / 10, users / 2, users - 1].into_iter().filter(|m| *m < users) {
            for epsilon in [0.01, 0.5, 1.0, 3.0] {
                for cap in [None, Some(0.5 * epsilon), Some(1.3 * epsilon), Some(3.0 * epsilon)] {
                    for ones in [None, Some(0), Some(users / 2), Some(users)] {
                        let plan = plan(users, colluders, epsilon, ones, cap);
                        let got = plan.guarantee.epsilon().get();
                        assert!(got <= epsilon, "{plan:?}");
                        let allowed = cap.map_or(epsilon, |cap| cap.min(epsilon));
                        assert!(got > allowed * (1.0 - 1e-9), "{plan:?}");
                        assert!(plan.ratio() <= 1.0, "{plan:?}");
                        let p = Probability::new(plan.p).unwrap();
                        assert_eq!(JointTable::new(p, plan.rho), Ok(plan.table), "p and rho say it all");
                        let (Some(cap), true) = (cap, plan.is_joint()) else { continue };
                        let ExposedEpsilon::Bounded(exposed) = plan.table.exposed_epsilon() else {
                            panic!("{plan:?}")
                        };
                        assert!(exposed.get() <= cap, "{plan:?}");
                    }
                }
            }
        }
    }
}

/// No table on a fine grid that keeps the request has less variance.
#[test]
fn nothing_on_a_grid_is_better() {
    for (users, colluders, ones) in [
        (100u64, 5, 3u64),
        (100, 30, 10),
        (10, 0, 5),
        (10, 2, 5),
        (100, 2, 48),
        (11, 1, 5),
        (4, 1, 2),
        (1000, 400, 990),
    ] {
        for epsilon in [0.2, 1.0, 2.5] {
            for cap in [None, Some(1.2 * epsilon), Some(2.0 * epsilon)] {
                let request = request(users, colluders, epsilon, Some(ones), cap);
                let best = request.plan().unwrap();
                let (s, limit) = (sigmoid(epsilon), cap.map_or(1.0, sigmoid));
                let exposure = request.crowd.exposure();
                for p in (1..1000).map(|step| 0.5 + f64::from(step) / 2000.0) {
                    for rho in (0..=1000).map(|step| (1.0 - 1.0 / p) + f64::from(step) / 1000.0 / p) {
                        let exposed = if rho < 0.0 { (1.0 - rho) * p } else { p + rho * (1.0 - p) };
                        if exposure * exposed + (1.0 - exposure) * p <= s && exposed <= limit {
                            let other = theorem_four(users, ones, p, rho);
                            assert!(best.variance <= other * (1.0 + 1e-9), "{best:?} {p} {rho} {other}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn choices_and_their_limits() {
    // A cap of epsilon or less leaves randomised response, at the cap if that is smaller.
    let capped = plan(20_000, 5, 1.0, Some(659), Some(1.0));
    assert_eq!(
        (capped.choice, capped.guarantee.kind(), capped.ratio()),
        (Choice::IndependentByCap, "pure", 1.0)
    );
    let below = plan(20_000, 5, 1.0, Some(659), Some(0.5));
    assert!(below.guarantee.epsilon().get() <= 0.5);
    // So many colluders that p would not be above one half.
    assert_eq!(plan(20_000, 19_000, 0.1, Some(659), None).choice, Choice::Independent);
    assert_eq!(plan(20_000, 19_999, 1.0, Some(659), None).choice, Choice::Independent);
    // As many ones as zeros.
    let even = plan(10, 0, 1.0, Some(5), None);
    assert_eq!(even.choice, Choice::Positive);
    assert!((even.table.rho() - 1.0).abs() < 1e-12 && (even.ratio() - (1.0 - 1.0 / 9.0)).abs() < 1e-9);
    // Nothing known: negative, by the mean over all numbers of ones, 1 + rho / 3.
    let unknown = plan(10_000, 0, 1.0, None, None);
    assert_eq!(unknown.choice, Choice::Negative);
    assert!((unknown.ratio() - (1.0 + unknown.table.rho() / 3.0)).abs() < 1e-6);
    assert!(unknown.variance_at(0) < unknown.variance && unknown.variance < unknown.variance_at(5_000));
}

/// A cap of twice epsilon on kosarak: where both constraints hold with equality.
#[test]
fn a_cap_of_twice_epsilon_still_gains() {
    for (epsilon, gain) in [(0.01, "0.38"), (0.1, "4.08"), (1.0, "17.84")] {
        let capped = plan(20_000, 5, epsilon, Some(659), Some(2.0 * epsilon));
        assert_eq!(format!("{:.2}", 100.0 * (1.0 - capped.ratio())), gain);
        let (s, limit, exposure) = (sigmoid(epsilon), sigmoid(2.0 * epsilon), 5.0 / 19_999.0);
        let p = (s - exposure * limit) / (1.0 - exposure);
        let expected = theorem_four(20_000, 659, p, 1.0 - limit / p);
        assert!((capped.variance / expected - 1.0).abs() < 1e-9, "{} {expected}", capped.variance);
    }
}

#[test]
fn impossible_requests() {
    assert!(request(10, 0, 1.0, Some(11), None).plan().is_err());
    assert!(request(10, 0, 1e-300, None, None).plan().is_err());
}
