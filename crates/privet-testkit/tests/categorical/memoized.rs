//! People who are asked every day.

use super::{categories, epsilon};
use privet_core::{Category, Estimator, Generator, Mechanism, ReportBuffer};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{
    FrequencyOracle, GeneralizedRandomizedResponse, OptimizedUnaryEncoding,
};
use privet_mechanisms::wrapper::{ClientSecret, MemoContext, Memoized, MemoizedClient};
use privet_testkit::{averaging_attack, linkage_advantage};

type Client = MemoizedClient<GeneralizedRandomizedResponse>;

const DAYS: usize = 365;
const CATEGORIES: u32 = 4;
const FOREVER: f64 = 1.0;

fn layers(forever: f64, once: f64) -> Memoized<GeneralizedRandomizedResponse> {
    let layer = |value| GeneralizedRandomizedResponse::new(categories(CATEGORIES), epsilon(value)).unwrap();
    Memoized::new(layer(forever), layer(once)).unwrap()
}

fn client(person: usize, collection: &str) -> Client {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&(person as u64).to_le_bytes());
    // The collection is not part of the context: only who asks and what is asked.
    let _ = collection;
    layers(FOREVER, 1.0).for_client(
        ClientSecret::from_entropy(secret),
        MemoContext { origin: "survey.example", attribute: "commute" },
    )
}

fn people() -> Vec<u32> {
    (0..2000).map(|person| person % CATEGORIES).collect()
}

/// The best guess from the permanent answer alone is right with this probability.
fn permanent_success() -> f64 {
    FOREVER.exp() / (FOREVER.exp() + f64::from(CATEGORIES) - 1.0)
}

/// Six standard deviations of a share among 2000 people.
const SLACK: f64 = 6.0 * 0.5 / 44.7;

#[test]
fn a_year_of_reports_shows_no_more_than_the_permanent_answer() {
    let mut rng = Generator::from_insecure_seed(1);
    let success = averaging_attack(
        &people(),
        |person, value| {
            let client = client(person, "2026");
            (0..DAYS).map(|_| client.randomize(&value, &mut rng).unwrap()).collect()
        },
        CATEGORIES,
    );
    assert!(success < permanent_success() + SLACK, "{success}");
}

#[test]
fn a_client_that_redraws_gives_itself_away() {
    let mut rng = Generator::from_insecure_seed(2);
    let mut secrets = 0..;
    let success = averaging_attack(
        &people(),
        |_, value| {
            let mut redraw = || client(secrets.next().unwrap(), "2026").randomize(&value, &mut rng).unwrap();
            (0..DAYS).map(|_| redraw()).collect()
        },
        CATEGORIES,
    );
    assert!(success > 0.9, "the attack must succeed against a client that redraws: {success}");
    assert!(success > permanent_success() + SLACK);
}

/// Creating the collection again asks the same question of the same origin: the same permanent answers.
#[test]
fn a_recreated_collection_learns_nothing_new() {
    let mut rng = Generator::from_insecure_seed(3);
    let success = averaging_attack(
        &people(),
        |person, value| {
            let draw = |collection: usize| {
                let client = client(person, &format!("collection {collection}"));
                (0..50).map(|_| client.randomize(&value, &mut rng).unwrap()).collect::<Vec<_>>()
            };
            (0..10).flat_map(draw).collect()
        },
        CATEGORIES,
    );
    assert!(success < permanent_success() + SLACK, "{success}");
}

/// A value that changes weekly among all categories: each has its own permanent answer, so the reports of all weeks
/// together are at most (distinct values) x epsilon, and telling the order of the weeks stays as hard as one answer each.
#[test]
fn a_value_that_changes_weekly_spends_once_per_distinct_value() {
    let memoized = layers(FOREVER, 1.0);
    let mut rng = Generator::from_insecure_seed(4);
    let mut right = 0;
    let weeks = 52;
    for person in 0..1000usize {
        let client = client(person, "2026");
        for week in 0..weeks {
            let value = ((person + week) % CATEGORIES as usize) as u32;
            let mut counts = [0; CATEGORIES as usize];
            for _ in 0..7 {
                counts[client.randomize(&value, &mut rng).unwrap().0 as usize] += 1;
            }
            let guess = (0..CATEGORIES).max_by_key(|category| counts[*category as usize]);
            right += usize::from(guess == Some(value));
        }
    }
    let success = right as f64 / (1000 * weeks) as f64;
    assert!(success < permanent_success() + SLACK, "{success}");
    let forever = memoized.forever(CATEGORIES).unwrap().epsilon().get();
    assert!((forever - 4.0 * FOREVER).abs() < 1e-9);
    // More distinct values than there are categories cannot be held.
    assert_eq!(memoized.forever(1000).unwrap(), memoized.forever(CATEGORIES).unwrap());
    assert!(memoized.forever(0).is_err());
}

/// Two days of one person look hardly more alike than two people with the same value; the permanent answers themselves
/// do, which is why sending them is called linkable.
#[test]
fn days_are_hard_to_link_and_permanent_answers_are_not() {
    let mut rng = Generator::from_insecure_seed(5);
    let people = 20_000;
    let wide = |value| OptimizedUnaryEncoding::new(categories(64), epsilon(value)).unwrap();
    let memoized = Memoized::new(wide(2.0), wide(1.0)).unwrap();
    let client = |person: usize| {
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&(person as u64).to_le_bytes());
        memoized.for_client(ClientSecret::from_entropy(secret), MemoContext { origin: "o", attribute: "a" })
    };
    let fresh = linkage_advantage(people, |person| client(person).randomize(&3, &mut rng).unwrap());
    let permanent = linkage_advantage(people, |person| client(person).linkable_permanent_report(&3).unwrap());
    assert!(fresh.abs() < 0.001, "{fresh}");
    assert!(permanent > 0.99, "{permanent}");
}

#[test]
fn permanent_answers_depend_on_all_that_the_page_names() {
    let layer = |value| OptimizedUnaryEncoding::new(categories(200), epsilon(value)).unwrap();
    let answer = |secret: u8, origin, attribute, forever, value: u32| {
        let memoized = Memoized::new(layer(forever), layer(1.0)).unwrap();
        let context = MemoContext { origin, attribute };
        let client = memoized.for_client(ClientSecret::from_entropy([secret; 32]), context);
        client.linkable_permanent_report(&value).unwrap()
    };
    let base = answer(1, "o", "a", 2.0, 3);
    assert_eq!(base, answer(1, "o", "a", 2.0, 3));
    for other in [
        answer(2, "o", "a", 2.0, 3),
        answer(1, "p", "a", 2.0, 3),
        answer(1, "o", "b", 2.0, 3),
        answer(1, "oa", "", 2.0, 3),
        answer(1, "o", "a", 2.5, 3),
        answer(1, "o", "a", 2.0, 4),
    ] {
        assert_ne!(base, other);
    }
}

/// One report of both layers promises less than either epsilon, and the estimator knows the composed probabilities.
#[test]
fn both_layers_together_are_estimated_without_bias() {
    let memoized = layers(2.0, 1.0);
    assert!(memoized.guarantee().epsilon().get() < 1.0);
    let mut rng = Generator::from_insecure_seed(6);
    let mut reports = ReportBuffer::new(memoized.oracle_report_bytes());
    let people: Vec<u32> =
        (0..40_000).map(|person| if person % 10 < 6 { 0 } else { 1 + person % 3 }).collect();
    for (person, value) in people.iter().enumerate() {
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&(person as u64).to_le_bytes());
        let context = MemoContext { origin: "o", attribute: "a" };
        let client = memoized.for_client(ClientSecret::from_entropy(secret), context);
        let Category(report) = client.randomize(value, &mut rng).unwrap();
        reports.push(&[report as u8]).unwrap();
    }
    let estimator = memoized.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).unwrap();
    let first = &estimator.estimate(&summary).unwrap().rows[0].estimate;
    assert!((first.value - 0.6).abs() < 5.0 * first.standard_error, "{first:?}");
}

/// Exhaustively: the composed channel of two GRR layers has the stated ratio.
#[test]
fn the_composed_guarantee_is_exact() {
    let (first, second) = (2.0f64.exp(), 1.0f64.exp());
    let k = f64::from(CATEGORIES);
    let (p, q) = (first / (first + k - 1.0), 1.0 / (first + k - 1.0));
    let (r, s) = (second / (second + k - 1.0), 1.0 / (second + k - 1.0));
    let own = p * r + (k - 1.0) * q * s;
    let other = p * s + q * r + (k - 2.0) * q * s;
    let stated = layers(2.0, 1.0).guarantee().epsilon().get();
    assert!((stated - (own / other).ln()).abs() < 1e-12, "{stated}");
}

#[test]
fn layers_must_share_their_domain() {
    let layer = |count| GeneralizedRandomizedResponse::new(categories(count), epsilon(1.0)).unwrap();
    assert!(Memoized::new(layer(4), layer(5)).is_err());
}
