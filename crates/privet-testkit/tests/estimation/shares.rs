//! Shares of categories, words and places: what once was too narrow or too wide.
//!
//! A right interval of 95 % holds the truth in fewer than 22 of 30 repetitions with a probability of 3e-6.

use super::Collection;
use privet_core::domain::Word;
use privet_core::{Generator, ReportBuffer, Values};
use privet_estimators::numeric::Method;
use privet_estimators::{Answer, Request};

const REPETITIONS: u64 = 30;
const FEWEST: usize = 22;

fn answer(collection: &Collection, people: &Values, seed: u64) -> Answer {
    let mut reports = ReportBuffer::new(collection.mechanism.report_bytes());
    let mut rng = Generator::from_insecure_seed(seed);
    collection.mechanism.randomize_batch(people, &mut rng, &mut reports).unwrap();
    let mut summary = collection.estimator.empty_summary();
    collection.estimator.accumulate(&mut summary, &reports).unwrap();
    let request = Request { method: Method::Histogram, ..Request::default() };
    collection.estimator.answer(&summary, &request).unwrap()
}

/// Who reports on which length is a lottery: at a large epsilon it is nearly all of the error.
#[test]
fn words_of_a_prefix_tree_hold_together() {
    let shares = [("ab", 0.5), ("cd", 0.3), ("ef", 0.2)];
    let n = 3000;
    let words = shares.iter().flat_map(|(word, share)| {
        let count = (share * f64::from(n)).round() as usize;
        std::iter::repeat_n(Word::new(word).unwrap(), count)
    });
    let people = Values::Words(words.collect());
    for epsilon in [7.7, 15.0] {
        let collection = Collection::new("prefix-tree", "words:3", epsilon);
        let mut held = 0;
        for seed in 1..=REPETITIONS {
            let rows = answer(&collection, &people, seed).into_frequencies().unwrap().rows;
            let is_held = |(word, share): &(&str, f64)| {
                let row = rows.iter().find(|row| row.label == *word).unwrap();
                (row.simultaneous_interval[0]..=row.simultaneous_interval[1]).contains(share)
            };
            held += usize::from(shares.iter().all(is_held));
        }
        assert!(held >= FEWEST, "{epsilon}: {held}");
    }
}

/// Three categories, epsilon 7.7, 30 000 people: almost every report is true, and the interval is not 15 times longer than its error.
#[test]
fn intervals_at_a_large_epsilon_are_as_short_as_their_errors() {
    let collection = Collection::new("generalized-randomized-response", "categories:3", 7.7);
    let people = Values::Categories(
        (0..30_000).map(|person| u32::from(person % 10 >= 5) + u32::from(person % 10 >= 8)).collect(),
    );
    let truth = [0.5, 0.3, 0.2];
    let (mut held, mut squares, mut half) = (0, 0.0, 0.0);
    for seed in 1..=REPETITIONS {
        let rows = answer(&collection, &people, seed).into_frequencies().unwrap().rows;
        for (row, truth) in rows.iter().zip(truth) {
            let [low, high] = row.estimate.interval;
            held += usize::from((low..=high).contains(&truth));
            squares += (row.estimate.value - truth).powi(2) / 90.0;
            half += (high - low) / 2.0 / 90.0;
        }
    }
    assert!(held >= 3 * FEWEST, "{held}");
    // 1.96 deviations, and a little for counts of a few dozen.
    assert!(half < 3.0 * squares.sqrt(), "{half} {}", squares.sqrt());
}

/// Everybody at one place, or at two: those cells hold their people, and empty ones have nobody in their interval.
#[test]
fn one_place_or_two() {
    for (epsilon, places) in [(2.0, vec![[0.43, 0.61]]), (6.0, vec![[0.125, 0.5], [0.9, 0.2]])] {
        let collection = Collection::new("window-2d", "rectangle:0,1,0,1", epsilon);
        let people: Vec<[f64; 2]> = (0..1000).map(|person| places[person % places.len()]).collect();
        let mut truth = [0.0; 64];
        for place in &places {
            let [column, row] = place.map(|at| (at * 8.0) as usize);
            truth[row * 8 + column] += 1.0 / places.len() as f64;
        }
        let mut held = [0; 64];
        for seed in 1..=REPETITIONS {
            let Answer::Places(found) = answer(&collection, &Values::Points(people.clone()), seed) else {
                panic!("no places");
            };
            for ((held, cell), truth) in held.iter_mut().zip(&found.cells).zip(truth) {
                let [low, high] = cell.estimate.interval;
                *held += usize::from(low - 1e-9 <= truth && truth <= high + 1e-9);
            }
        }
        assert!(held.iter().all(|held| *held >= FEWEST), "{epsilon}: {held:?}");
    }
}
