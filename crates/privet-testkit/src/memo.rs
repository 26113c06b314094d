//! Attacks on people who answer again and again.

use privet_core::{BitVector, Category};

/// An adversary who sees all reports that a person made while holding one value, and guesses the category that was
/// reported most often. Gives the share of right guesses.
///
/// `people` are the values, one for each person; `reports_of` makes all reports of one person.
pub fn averaging_attack(
    people: &[u32],
    mut reports_of: impl FnMut(usize, u32) -> Vec<Category>,
    categories: u32,
) -> f64 {
    let mut right = 0usize;
    for (person, value) in people.iter().enumerate() {
        let mut counts = vec![0u32; categories as usize];
        for report in reports_of(person, *value) {
            counts[report.0 as usize] += 1;
        }
        let guess = (0..categories).max_by_key(|category| counts[*category as usize]);
        right += usize::from(guess == Some(*value));
    }
    right as f64 / people.len().max(1) as f64
}

/// An adversary who sees reports of two days and says how alike they are by the number of bits that agree. Gives the
/// probability that two reports of one person look more alike than reports of two people with the same value (ties count
/// half): 0.5 means that days cannot be linked, 1 that they always can.
///
/// `report` makes a report of a person.
pub fn linkage_success(people: usize, mut report: impl FnMut(usize) -> BitVector) -> f64 {
    let agreement = |one: &BitVector, two: &BitVector| -> u32 {
        one.words().iter().zip(two.words()).map(|(a, b)| (!(a ^ b)).count_ones()).sum()
    };
    let mut halves = 0usize;
    for person in 0..people {
        let (monday, tuesday) = (report(person), report(person));
        let stranger = report((person + 1) % people);
        halves += match agreement(&monday, &tuesday).cmp(&agreement(&monday, &stranger)) {
            std::cmp::Ordering::Greater => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 0,
        };
    }
    halves as f64 / (2 * people.max(1)) as f64
}
