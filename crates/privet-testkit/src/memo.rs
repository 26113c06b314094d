//! Attacks on people who answer again and again.

use privet_core::Category;

/// An adversary who sees one person's reports and guesses the category that was reported most often.
///
/// Gives the share of people whose true category was guessed. `reports_of` makes all reports of one person.
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

/// An adversary who sees reports of two days and says "the same person" when they are equal.
///
/// Gives P(equal for the same person) - P(equal for two people with the same value): what repeated reports add to
/// what the value itself gives away. `report` makes the report of a person on a day.
pub fn linkage_advantage<R: PartialEq>(people: usize, mut report: impl FnMut(usize) -> R) -> f64 {
    let (mut same, mut different) = (0usize, 0usize);
    for person in 0..people {
        let (monday, tuesday) = (report(person), report(person));
        let stranger = report((person + 1) % people);
        same += usize::from(monday == tuesday);
        different += usize::from(monday == stranger);
    }
    (same as f64 - different as f64) / people.max(1) as f64
}
