use super::epsilon;
use privet_core::domain::Word;
use privet_core::{Estimator, Mechanism, ReportBuffer, Words};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{PrefixReport, PrefixTree};
use privet_testkit::{Battery, Finding, Tampered, Words as RandomWords, check_sampler};

fn words(texts: &[&str]) -> Vec<Word> {
    texts.iter().map(|text| Word::new(text).unwrap()).collect()
}

#[test]
fn passes_the_battery() {
    for value in [0.1, 1.0, 4.0] {
        let mechanism = PrefixTree::new(Words::new(3).unwrap(), epsilon(value)).unwrap();
        let inputs = words(&["a", "b", "ab", "abc", "zzz", "é"]);
        let battery =
            Battery { mechanism: &mechanism, inputs: &inputs, epsilon: epsilon(value), slack: 1e-6 };
        assert_eq!(battery.run(), Ok(()), "{mechanism:?}");
    }
    // One-byte words at a small epsilon have few enough reports to count them all.
    let mechanism = PrefixTree::new(Words::new(1).unwrap(), epsilon(0.1)).unwrap();
    assert_eq!(check_sampler(&mechanism, &words(&["a", "b"]), 20_000), Ok(()));
}

/// Frequent words are found without a dictionary, and rare ones are not made up.
#[test]
fn frequent_words_are_found() {
    let mechanism = PrefixTree::new(Words::new(6).unwrap(), epsilon(3.0)).unwrap();
    let shares = [("oak", 0.3), ("birch", 0.2), ("beech", 0.2), ("café", 0.15)];
    let total = 60_000;
    let mut people = Vec::new();
    for (word, share) in shares {
        people.extend(vec![Word::new(word).unwrap(); (share * f64::from(total)) as usize]);
    }
    let rare = (people.len()..total as usize).map(|person| Word::new(&format!("r{person:05}")[..6]).unwrap());
    people.extend(rare.collect::<Vec<_>>());
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&people, &mut RandomWords::seeded(5), &mut reports).unwrap();
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).unwrap();
    let found = estimator.estimate(&summary).unwrap();
    for (word, share) in shares {
        let row =
            found.rows.iter().find(|row| row.label == word).unwrap_or_else(|| panic!("{word} not found"));
        assert!((row.estimate.value - share).abs() < 5.0 * row.estimate.standard_error, "{row:?}");
    }
    assert_eq!(found.rows.len(), 4, "{found:?}");
}

fn found_words(mechanism: &PrefixTree, people: &[Word], seed: u64) -> Vec<String> {
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(people, &mut RandomWords::seeded(seed), &mut reports).unwrap();
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).unwrap();
    estimator.estimate(&summary).unwrap().rows.into_iter().map(|row| row.label).collect()
}

/// Collisions with a word that everybody holds do not fade with the number of people; they must not pass for words.
#[test]
fn words_are_not_made_up_by_collisions() {
    let everybody = vec![Word::new("ab").unwrap(); 400_000];
    for value in [1.0, 3.0] {
        let mechanism = PrefixTree::new(Words::new(2).unwrap(), epsilon(value)).unwrap();
        assert_eq!(found_words(&mechanism, &everybody, 1), ["ab"]);
    }
}

/// A handful of people at a large epsilon: chance agreement of a few reports is no word.
#[test]
fn words_are_not_made_up_from_a_handful_of_people() {
    let mechanism = PrefixTree::new(Words::new(2).unwrap(), epsilon(8.0)).unwrap();
    let people: Vec<Word> = (0..30).map(|person| Word::new(&format!("{person:02}")).unwrap()).collect();
    let made_up = (0..20).filter(|seed| !found_words(&mechanism, &people, *seed).is_empty()).count();
    // Each run makes something up with probability 5 % at each of two lengths.
    assert!(made_up <= 5, "{made_up}");
}

#[test]
fn a_prefix_that_depends_on_the_word_is_found() {
    let inner = PrefixTree::new(Words::new(1).unwrap(), epsilon(0.1)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, report| PrefixReport {
        row: if input == Word::new("a").unwrap() { report.row & !1 } else { report.row },
        ..report
    });
    let found = check_sampler(&tampered, &words(&["a", "b"]), 20_000);
    assert!(matches!(found, Err(Finding::Sampler { input: 0, .. })), "{found:?}");
}
