//! People who are asked every day.

use super::{categories, epsilon};
use privet_core::{Category, Estimator, Generator, Mechanism, ReportBuffer};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{
    FrequencyOracle, GeneralizedRandomizedResponse, OptimizedUnaryEncoding,
};
use privet_mechanisms::wrapper::{ClientSecret, MemoContext, Memoized, MemoizedClient};
use privet_testkit::{averaging_attack, linkage_success};

type Client = MemoizedClient<GeneralizedRandomizedResponse>;

const DAYS: usize = 365;
const CATEGORIES: u32 = 4;
const FOREVER: f64 = 1.0;

fn layers(forever: f64, once: f64) -> Memoized<GeneralizedRandomizedResponse> {
    let layer = |value| GeneralizedRandomizedResponse::new(categories(CATEGORIES), epsilon(value)).unwrap();
    Memoized::new(layer(forever), layer(once)).unwrap()
}

fn client(person: usize) -> Client {
    client_for(person, "commute")
}

fn client_for(person: usize, attribute: &str) -> Client {
    layers(FOREVER, 1.0).for_client(secret_of(person), MemoContext { origin: "survey.example", attribute })
}

fn secret_of(person: usize) -> ClientSecret {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&(person as u64).to_le_bytes());
    ClientSecret::from_entropy(secret)
}

fn people() -> Vec<u32> {
    (0..1000).map(|person| person % CATEGORIES).collect()
}

/// The best guess from the permanent answer alone is right with this probability.
fn permanent_success() -> f64 {
    FOREVER.exp() / (FOREVER.exp() + f64::from(CATEGORIES) - 1.0)
}

/// Six standard deviations of a share among 1000 people.
const SLACK: f64 = 6.0 * 0.5 / 31.6;

#[test]
fn a_year_of_reports_shows_no_more_than_the_permanent_answer() {
    let mut rng = Generator::from_insecure_seed(1);
    let success = averaging_attack(
        &people(),
        |person, value| {
            let client = client(person);
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
        &people()[..400],
        |_, value| {
            let mut redraw = || client(secrets.next().unwrap()).randomize(&value, &mut rng).unwrap();
            (0..DAYS).map(|_| redraw()).collect()
        },
        CATEGORIES,
    );
    assert!(success > 0.9, "the attack must succeed against a client that redraws: {success}");
    assert!(success > permanent_success() + SLACK);
}

/// Every collection of a year is made anew. The client names the origin and the attribute, not the collection, so the
/// permanent answers are the same; a client that named the collection would give itself away.
#[test]
fn a_recreated_collection_learns_nothing_new() {
    let attack = |attribute_of: fn(usize) -> String| {
        let mut rng = Generator::from_insecure_seed(3);
        averaging_attack(
            &people(),
            |person, value| {
                let draw = |collection: usize| {
                    let client = client_for(person, &attribute_of(collection));
                    (0..5).map(|_| client.randomize(&value, &mut rng).unwrap()).collect::<Vec<_>>()
                };
                (0..60).flat_map(draw).collect()
            },
            CATEGORIES,
        )
    };
    let honest = attack(|_| "commute".into());
    let careless = attack(|collection| format!("commute in collection {collection}"));
    assert!(honest < permanent_success() + SLACK, "{honest}");
    assert!(careless > permanent_success() + SLACK, "{careless}");
}

/// A value that changes weekly among all categories. The adversary pools all weeks in which the same value was held, and
/// still sees one permanent answer for each value; a client that redraws weekly gives itself away.
#[test]
fn a_value_that_changes_weekly_spends_once_per_distinct_value() {
    const WEEKS: usize = 52;
    let attack = |redraws_weekly: bool| {
        let mut rng = Generator::from_insecure_seed(4);
        averaging_attack(
            &people(),
            |person, value| {
                let weeks = (0..WEEKS).filter(|week| ((person + week) % CATEGORIES as usize) as u32 == value);
                let of_week = |week: usize| {
                    let secret = if redraws_weekly { person * WEEKS + week } else { person };
                    let client = client(secret);
                    (0..7).map(|_| client.randomize(&value, &mut rng).unwrap()).collect::<Vec<_>>()
                };
                weeks.flat_map(of_week).collect()
            },
            CATEGORIES,
        )
    };
    let (honest, careless) = (attack(false), attack(true));
    assert!(honest < permanent_success() + SLACK, "{honest}");
    assert!(careless > permanent_success() + SLACK, "{careless}");
    let memoized = layers(FOREVER, 1.0);
    let forever = memoized.forever(CATEGORIES).unwrap().epsilon().get();
    assert!((forever - 4.0 * FOREVER).abs() < 1e-9);
    // More distinct values than there are categories cannot be held.
    assert_eq!(memoized.forever(1000).unwrap(), memoized.forever(CATEGORIES).unwrap());
    assert!(memoized.forever(0).is_err());
}

/// What the page says is not hidden: that a value changed. The log-ratio between "always 0" and "0, then 1" grows with the
/// number of reports, far beyond the for-ever guarantee, which compares histories that change on the same days.
#[test]
fn the_day_of_a_change_is_not_hidden() {
    let exp = 1f64.exp();
    let total = exp + f64::from(CATEGORIES) - 1.0;
    let step = |from: u32, to: u32| if from == to { exp / total } else { 1.0 / total };
    // The probability of `days` reports of 0 followed by `days` of 1, given the permanent answers of both halves.
    let days = 26;
    let given = |first: u32, second: u32| step(first, 0).powi(days) * step(second, 1).powi(days);
    let always_zero: f64 = (0..CATEGORIES).map(|answer| step(0, answer) * given(answer, answer)).sum();
    let pairs = (0..CATEGORIES).flat_map(|first| (0..CATEGORIES).map(move |second| (first, second)));
    let changed: f64 =
        pairs.map(|(first, second)| step(0, first) * step(1, second) * given(first, second)).sum();
    let log_ratio = (changed / always_zero).ln();
    assert!(log_ratio > 10.0 * layers(FOREVER, 1.0).forever(2).unwrap().epsilon().get(), "{log_ratio}");
}

/// Two days of one person look a little more alike than two people with the same value; the permanent answers themselves
/// are unmistakable, which is why sending them is called linkable.
#[test]
fn two_days_are_hard_to_link_and_permanent_answers_are_not() {
    let mut rng = Generator::from_insecure_seed(5);
    let people = 10_000;
    let wide = |value| OptimizedUnaryEncoding::new(categories(64), epsilon(value)).unwrap();
    let memoized = Memoized::new(wide(2.0), wide(1.0)).unwrap();
    let client =
        |person: usize| memoized.for_client(secret_of(person), MemoContext { origin: "o", attribute: "a" });
    let fresh = linkage_success(people, |person| client(person).randomize(&3, &mut rng).unwrap());
    let permanent = linkage_success(people, |person| client(person).linkable_permanent_report(&3).unwrap());
    assert!((0.5..0.62).contains(&fresh), "{fresh}");
    assert!(permanent > 0.999, "{permanent}");
}

/// A client's guarantee may be added up over reports; the single-report number may not, because reports share the
/// permanent draw. Brute force over all pairs of reports.
#[test]
fn guarantees_of_several_reports_add_up() {
    let layer = |value| GeneralizedRandomizedResponse::new(categories(10), epsilon(value)).unwrap();
    let memoized = Memoized::new(layer(4.0), layer(0.5)).unwrap();
    let client = memoized.for_client(secret_of(1), MemoContext { origin: "o", attribute: "a" });
    let step = |value: f64, from: u32, to: u32| {
        let total = value.exp() + 9.0;
        if from == to { value.exp() / total } else { 1.0 / total }
    };
    let pair = |input: u32, one: u32, two: u32| -> f64 {
        (0..10).map(|answer| step(4.0, input, answer) * step(0.5, answer, one) * step(0.5, answer, two)).sum()
    };
    let pairs = (0..10).flat_map(|one| (0..10).map(move |two| (one, two)));
    let worst = pairs.map(|(one, two)| (pair(0, one, two) / pair(1, one, two)).ln()).fold(0.0, f64::max);
    let single = memoized.single_report().epsilon().get();
    assert!(worst > 2.0 * single, "{worst} {single}");
    let budget = privet_core::Budget::repeated(client.guarantee(), 2).unwrap().total().unwrap();
    assert!(worst <= budget.epsilon().get());
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
    assert!(memoized.single_report().epsilon().get() < 1.0);
    let mut rng = Generator::from_insecure_seed(6);
    let mut reports = ReportBuffer::new(memoized.oracle_report_bytes());
    let people: Vec<u32> =
        (0..40_000).map(|person| if person % 10 < 6 { 0 } else { 1 + person % 3 }).collect();
    for (person, value) in people.iter().enumerate() {
        let client = memoized.for_client(secret_of(person), MemoContext { origin: "o", attribute: "a" });
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
    let stated = layers(2.0, 1.0).single_report().epsilon().get();
    assert!((stated - (own / other).ln()).abs() < 1e-12, "{stated}");
}

#[test]
fn layers_must_share_their_domain() {
    let layer = |count| GeneralizedRandomizedResponse::new(categories(count), epsilon(1.0)).unwrap();
    assert!(Memoized::new(layer(4), layer(5)).is_err());
}
