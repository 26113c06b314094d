//! An adversary who knows everybody else's value, and so everybody else's truthfulness, but not the pairing.
//!
//! All matchings are equally likely. Let a of the others be truthful and b lie. The likelihood of a person being truthful is a
//! sum over all matchings of a + 1 truthful people and b liars,
//!
//! ```text
//! S(a + 1, b),   S(a, b) = sum over k of (matchings with k mixed pairs) P11^((a-k)/2) P10^k P00^((b-k)/2),
//! ```
//!
//! and that of lying S(a, b + 1): only the counts matter. The ratio of the two is what the adversary learns. Terms of both sums
//! with neighbouring k have simple ratios, so no large number is ever formed.
//!
//! With an odd number of people one is alone. That is the same as one more person of whom nothing is known.

use crate::error::JointError;
use crate::table::JointTable;

/// The most people for whom the counts of liars are listed.
pub const MAX_USERS: u64 = 10_000_000;

/// How unlikely the counts of liars are that the worst loss leaves out, both tails together.
pub const LEFT_OUT: f64 = 1e-6;

/// What an adversary learns who knows everybody else's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownOthers {
    /// The odds of a truthful report at the most likely number of liars among the others.
    pub typical_odds: f64,
    /// The smallest odds over the numbers of liars that occur with probability `1 - LEFT_OUT`.
    pub lowest_odds: f64,
    /// The largest odds over the same numbers.
    pub highest_odds: f64,
    /// The mean of the absolute log-odds over the number of liars.
    pub mean_loss: f64,
    /// The probability that the absolute log-odds are above the limit that was asked about.
    pub beyond: f64,
}

impl KnownOthers {
    /// The adversary against this table and number of people; `limit` is the loss of which the tail is wanted.
    ///
    /// # Errors
    /// When there are fewer than two people, or more than [`MAX_USERS`].
    pub fn new(table: &JointTable, users: u64, limit: f64) -> Result<Self, JointError> {
        if users < 2 {
            return Err(JointError::TooFewUsers { got: users });
        }
        if users > MAX_USERS {
            return Err(JointError::TooManyUsers { max: MAX_USERS, got: users });
        }
        let cells = Cells::of(table);
        let law = cells.liars_among_others(users);
        let odds = |liars: usize| cells.odds(users - 1 - liars as u64, liars as u64);
        let (first, last) = central(&law);
        let mode = (first..=last).max_by(|one, two| law[*one].total_cmp(&law[*two])).unwrap_or(first);
        let mut found = Self {
            typical_odds: odds(mode),
            lowest_odds: f64::INFINITY,
            highest_odds: 0.0,
            mean_loss: 0.0,
            // Counts that are left out count as beyond.
            beyond: LEFT_OUT.min(law[..first].iter().chain(&law[last + 1..]).sum()),
        };
        for (liars, chance) in law.iter().enumerate().take(last + 1).skip(first) {
            let odds = odds(liars);
            let loss = odds.ln().abs();
            found.lowest_odds = found.lowest_odds.min(odds);
            found.highest_odds = found.highest_odds.max(odds);
            found.mean_loss += chance * loss;
            found.beyond += if loss > limit { *chance } else { 0.0 };
        }
        Ok(found)
    }

    /// The largest loss over the numbers of liars that occur with probability `1 - LEFT_OUT`.
    pub fn worst_loss(&self) -> f64 {
        self.highest_odds.ln().max(-self.lowest_odds.ln())
    }
}

/// The odds of a truthful report of one person, if `truthful` of the others are truthful and `lying` lie. Infinite if the
/// person cannot lie, and not a number if there is no way at all in which the others do so.
pub fn odds(table: &JointTable, truthful: u64, lying: u64) -> f64 {
    Cells::of(table).odds(truthful, lying)
}

/// The first and the last count between which all but [`LEFT_OUT`] of the mass lies.
fn central(law: &[f64]) -> (usize, usize) {
    let within = |counts: &mut dyn Iterator<Item = (usize, &f64)>| {
        let mut tail = 0.0;
        for (count, chance) in counts {
            tail += chance;
            if tail > LEFT_OUT / 2.0 {
                return count;
            }
        }
        0
    };
    (within(&mut law.iter().enumerate()), within(&mut law.iter().enumerate().rev()))
}

/// The probabilities of a pair.
struct Cells {
    both_true: f64,
    mixed: f64,
    both_lie: f64,
    p: f64,
    q: f64,
}

impl Cells {
    fn of(table: &JointTable) -> Self {
        let [both_true, mixed, _, both_lie] = table.weights().map(|weight| weight as f64 / 2f64.powi(64));
        Self { both_true, mixed, both_lie, p: table.p(), q: table.q() }
    }

    fn odds(&self, truthful: u64, lying: u64) -> f64 {
        if (truthful + lying) % 2 == 1 {
            return self.even_odds(truthful, lying);
        }
        if self.mixed == 0.0 && truthful.is_multiple_of(2) {
            // Partners always agree, so the person is the odd one, or like one of the others.
            return (truthful as f64 + 1.0) / (lying as f64 + 1.0) * self.both_true / self.both_lie;
        }
        // One more person of whom nothing is known: S(a+2, b) + S(a+1, b+1) against S(a+1, b+1) + S(a, b+2).
        let upper = self.even_odds(truthful + 1, lying);
        let lower = self.even_odds(truthful, lying + 1);
        if upper.is_infinite() { f64::INFINITY } else { (upper + 1.0) / (1.0 + 1.0 / lower) }
    }

    /// S(a + 1, b) / S(a, b + 1) for an odd a + b.
    fn even_odds(&self, truthful: u64, lying: u64) -> f64 {
        let (a, b) = (truthful as f64, lying as f64);
        if self.mixed == 0.0 {
            // Partners always agree: the person is like the others of whom there is an odd number.
            return if lying.is_multiple_of(2) { f64::INFINITY } else { 0.0 };
        }
        if self.both_lie == 0.0 {
            // Every liar has a truthful partner.
            return match truthful.checked_sub(lying) {
                Some(_) => (a + 1.0) / (a + 1.0 - b) * self.both_true / self.mixed,
                None if truthful + 1 == lying => f64::INFINITY,
                None => f64::NAN,
            };
        }
        let (mut below, mut above) = (0.0, 0.0);
        // t1(k - 1) = t0(k) (a+1) k / ((b+1) (a+2-k)) P11 / P10, and once t1 goes further than t0.
        let step = (a + 1.0) / (b + 1.0) * self.both_true / self.mixed;
        let limit = truthful.min(lying + 1);
        self.for_each_term(truthful, lying + 1, |pairs, term| {
            let k = pairs as f64;
            below += term;
            above += term * step * k / (a + 2.0 - k);
            if pairs == truthful && limit == truthful {
                above += term * (b + 1.0 - a) / (b + 1.0) * self.mixed / self.both_lie;
            }
        });
        above / below
    }

    /// Calls `visit` with every number k of mixed pairs of a truthful and b lying people and its term of S(a, b), in units of
    /// the largest; terms that do not matter are left out.
    fn for_each_term(&self, truthful: u64, lying: u64, mut visit: impl FnMut(u64, f64)) {
        let (a, b) = (truthful as f64, lying as f64);
        let weight = self.mixed * self.mixed / (self.both_true * self.both_lie);
        // term(k + 2) / term(k)
        let growth = |k: u64| {
            let k = k as f64;
            (a - k) * (b - k) / ((k + 1.0) * (k + 2.0)) * weight
        };
        let most = truthful.min(lying);
        // The growth falls with k, so the largest term is where it passes one: a quadratic equation in k.
        let (square, linear, constant) = (weight - 1.0, -(weight * (a + b) + 3.0), weight * a * b - 2.0);
        let discriminant = (linear * linear - 4.0 * square * constant).max(0.0);
        let peak = (2.0 * constant / (-linear + discriminant.sqrt())).clamp(0.0, most as f64);
        let start = (peak as u64).min(most);
        let start = if (most - start).is_multiple_of(2) { start } else { start + 1 };
        visit(start, 1.0);
        let (mut k, mut term) = (start, 1.0);
        while k + 2 <= most && term > NEGLIGIBLE {
            term *= growth(k);
            k += 2;
            visit(k, term);
        }
        let (mut k, mut term) = (start, 1.0);
        while k >= 2 && term > NEGLIGIBLE {
            k -= 2;
            term /= growth(k);
            visit(k, term);
        }
    }

    /// The law of the number of liars among all people but one.
    fn liars_among_others(&self, users: u64) -> Vec<f64> {
        let pair = |pairs: u64| self.liars_in_pairs(pairs);
        if users.is_multiple_of(2) {
            return self.with_one_more(pair(users / 2 - 1));
        }
        // The person is alone themselves, or their partner and the odd one are the two who stand out of the pairs.
        let share = 1.0 / users as f64;
        let alone = pair(users / 2);
        let paired = self.with_one_more(self.with_one_more(pair(users / 2 - 1)));
        paired.iter().zip(&alone).map(|(two, one)| (1.0 - share) * two + share * one).collect()
    }

    fn with_one_more(&self, law: Vec<f64>) -> Vec<f64> {
        let mut longer: Vec<f64> = law.iter().map(|chance| self.p * chance).chain([0.0]).collect();
        for (target, chance) in longer[1..].iter_mut().zip(&law) {
            *target += self.q * chance;
        }
        longer
    }

    /// The law of the number of liars in `pairs` pairs: the coefficients of (P11 + 2 P10 z + P00 z^2)^pairs.
    ///
    /// They obey a recurrence of three terms whose coefficients are all positive up to the middle; the upper half is the lower
    /// half of the polynomial read backwards.
    fn liars_in_pairs(&self, pairs: u64) -> Vec<f64> {
        let middle = 2.0 * self.mixed;
        let lower = ln_power_coefficients([self.both_true, middle, self.both_lie], pairs);
        let upper = ln_power_coefficients([self.both_lie, middle, self.both_true], pairs);
        let all = lower.iter().chain(upper.iter().rev().skip(1));
        all.map(|ln| ln.exp()).collect()
    }
}

/// Terms below this share of the largest are left out.
const NEGLIGIBLE: f64 = 1e-20;

/// The logarithms of the coefficients 0 to `power` of `(low + middle z + high z^2)^power`.
fn ln_power_coefficients([low, middle, high]: [f64; 3], power: u64) -> Vec<f64> {
    let size = power as f64;
    let mut logarithms = Vec::with_capacity(power as usize + 1);
    if low == 0.0 {
        // z^power (middle + high z)^power: only the last one is left.
        logarithms.resize(power as usize, f64::NEG_INFINITY);
        logarithms.push(if power == 0 { 0.0 } else { size * middle.ln() });
        return logarithms;
    }
    if middle == 0.0 {
        return ln_even_coefficients(low, high, power);
    }
    let mut ln = size * low.ln();
    logarithms.push(ln);
    // c(k+1)/c(k) from c(k)/c(k-1).
    let mut ratio = f64::INFINITY;
    for k in 0..power {
        let index = k as f64;
        ratio = (middle * (size - index) + high * (2.0 * size - index + 1.0) / ratio) / (low * (index + 1.0));
        ln += ratio.ln();
        logarithms.push(ln);
    }
    logarithms
}

/// As [`ln_power_coefficients`] without a middle term: every second coefficient is a binomial one.
fn ln_even_coefficients(low: f64, high: f64, power: u64) -> Vec<f64> {
    let mut ln = power as f64 * low.ln();
    let mut logarithms = Vec::with_capacity(power as usize + 1);
    for k in 0..=power {
        if k % 2 == 1 {
            logarithms.push(f64::NEG_INFINITY);
            continue;
        }
        logarithms.push(ln);
        let half = (k / 2) as f64;
        ln += ((power as f64 - half) / (half + 1.0) * high / low).ln();
    }
    logarithms
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Probability;

    fn table(p: f64, rho: f64) -> JointTable {
        JointTable::new(Probability::new(p).unwrap(), rho).unwrap()
    }

    /// The sum over all matchings of people with the given truthfulness; with an odd number somebody is alone.
    fn sum_over_matchings(cells: &Cells, truthful: &[bool]) -> f64 {
        let Some((first, rest)) = truthful.split_first() else { return 1.0 };
        let without = |skip: usize| [&rest[..skip], &rest[skip + 1..]].concat();
        let joint = |one: bool, two: bool| match (one, two) {
            (true, true) => cells.both_true,
            (false, false) => cells.both_lie,
            _ => cells.mixed,
        };
        let paired: f64 = (0..rest.len())
            .map(|partner| joint(*first, rest[partner]) * sum_over_matchings(cells, &without(partner)))
            .sum();
        if truthful.len().is_multiple_of(2) {
            return paired;
        }
        let marginal = if *first { cells.p } else { cells.q };
        marginal * sum_over_matchings(cells, rest) + paired
    }

    #[test]
    fn odds_are_those_of_all_matchings() {
        for (p, rho) in [
            (0.6, -0.3),
            (0.7, 0.4),
            (0.8, -0.25),
            (0.55, -0.7),
            (0.6, 0.0),
            (0.52, -12.0 / 13.0),
            (0.7, 1.0),
        ] {
            let table = table(p, rho);
            let cells = Cells::of(&table);
            for others in 1..=8usize {
                for lying in 0..=others {
                    let mut people = vec![true; others - lying];
                    people.resize(others, false);
                    let with = |victim: bool| {
                        let mut all = people.clone();
                        all.push(victim);
                        sum_over_matchings(&cells, &all)
                    };
                    let expected = with(true) / with(false);
                    let got = odds(&table, (others - lying) as u64, lying as u64);
                    let agrees = got == expected
                        || (got - expected).abs() < 1e-11 * expected
                        || (got.is_nan() && expected.is_nan());
                    assert!(agrees, "{p} {rho}, {others} others, {lying} lying: {got} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_law_of_the_liars_is_that_of_all_matchings() {
        for (p, rho) in [(0.6, -0.3), (0.8, -0.25), (0.7, 1.0), (0.7, 0.2)] {
            let cells = Cells::of(&table(p, rho));
            for users in 2..=8u64 {
                let law = cells.liars_among_others(users);
                assert_eq!(law.len() as u64, users);
                assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let mut expected = vec![0.0; users as usize];
                let mut total = 0.0;
                for case in 0..1u32 << users {
                    let people: Vec<bool> = (0..users).map(|person| case >> person & 1 == 1).collect();
                    let chance = sum_over_matchings(&cells, &people);
                    total += chance;
                    expected[people[1..].iter().filter(|truthful| !**truthful).count()] += chance;
                }
                for (got, sum) in law.iter().zip(expected) {
                    assert!((got - sum / total).abs() < 1e-12, "{p} {rho} {users}");
                }
            }
        }
    }

    #[test]
    fn without_correlation_the_others_say_nothing() {
        let found = KnownOthers::new(&table(0.75, 0.0), 1001, 1.2).unwrap();
        for odds in [found.typical_odds, found.lowest_odds, found.highest_odds] {
            assert!((odds - 3.0).abs() < 1e-9, "{found:?}");
        }
        assert!((found.worst_loss() - 3f64.ln()).abs() < 1e-9 && found.beyond <= LEFT_OUT);
    }

    /// Nobody lies together: the odds are (a+1)/(a+1-b) (p-q)/q, here with the counts that are expected.
    #[test]
    fn a_large_crowd_in_closed_form() {
        let exclusive = table(0.75, -1.0 / 3.0);
        let got = odds(&exclusive, 750_000, 249_999);
        assert!((got - 750_001.0 / 500_002.0 * 2.0).abs() < 1e-9, "{got}");
        // Almost exclusive is almost the same, through the sum.
        let almost = odds(&table(0.75, -1.0 / 3.0 + 1e-9), 750_000, 249_999);
        assert!((almost - got).abs() < 1e-2, "{almost} {got}");
        let found = KnownOthers::new(&table(0.75, -0.2), 1_000_000, 1.2).unwrap();
        assert!((found.typical_odds - 3.0).abs() < 1e-2, "{found:?}");
        assert!(found.lowest_odds < 3.0 && found.highest_odds > 3.0 && found.highest_odds < 3.1, "{found:?}");
        assert!(found.beyond < LEFT_OUT * 2.0);
    }

    /// At a small epsilon the hidden pairing does not protect against somebody who knows all others.
    #[test]
    fn a_small_epsilon_is_not_kept() {
        let p = 0.502375f64;
        let found = KnownOthers::new(&table(p, 1.0 - 1.0 / p), 20_000, 0.01).unwrap();
        assert!(found.worst_loss() > 0.5 && found.beyond > 0.5, "{found:?}");
    }

    #[test]
    fn sizes_are_checked() {
        assert!(KnownOthers::new(&table(0.7, 0.1), 1, 1.0).is_err());
        assert!(KnownOthers::new(&table(0.7, 0.1), MAX_USERS + 1, 1.0).is_err());
    }
}
