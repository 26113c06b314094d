//! What a joint table promises, and against whom.
//!
//! Three adversaries, from weak to strong:
//!
//! 1. They know the colluders' truthfulness and nothing about who is paired with whom. Theorem 3 of the dissertation bounds
//!    what they learn, on average over the pairing. It takes the chance that a person's partner colludes as m / (n - 1)
//!    whatever the colluders' bits are. That is not quite so: two colluders who both lied are less likely to be each other's
//!    partners at a negative correlation, so somebody else is likelier to be exposed. [`colluders_epsilon`] has the exact
//!    number. The difference vanishes where m is small against n.
//! 2. They know everybody else's value but not the pairing: see [`crate::known_others`].
//! 3. They know a person's partner and the partner's truthfulness, because the partner colludes or because they know the
//!    pairing and the partner's value. What is left is the exposed-pair epsilon.

use crate::crowd::Crowd;
use crate::table::JointTable;
use privet_core::{Epsilon, ExposedEpsilon, Fraction, Guarantee};
use privet_estimators::statistics::ln_factorial;
use std::f64::consts::LN_2;

/// The exposed loss that an exact worst ratio gives, rounded up.
pub(crate) fn exposed(ratio: &Option<Fraction>) -> ExposedEpsilon {
    ratio.as_ref().and_then(epsilon_of).map_or(ExposedEpsilon::Unbounded, ExposedEpsilon::Bounded)
}

fn epsilon_of(ratio: &Fraction) -> Option<Epsilon> {
    Epsilon::new(ratio.log_rounded_up().max(f64::MIN_POSITIVE)).ok()
}

/// What a report of a pair promises: the average of Theorem 3 with the exposed loss beside it; for people who perturb
/// independently a pure guarantee. `None` if not even the average is bounded, because everybody else may collude.
pub fn guarantee(table: &JointTable, crowd: &Crowd) -> Option<Guarantee> {
    guarantee_among(table, crowd, 1)
}

/// As [`guarantee`], where a lie is one of `lies` equally likely reports.
pub(crate) fn guarantee_among(table: &JointTable, crowd: &Crowd, lies: u32) -> Option<Guarantee> {
    let epsilon = epsilon_of(&average_ratio(table, crowd, lies)?)?;
    if table.is_independent() {
        return Some(Guarantee::Pure { epsilon });
    }
    Some(Guarantee::Average { epsilon, exposed: exposed(&table.exposed_ratio(lies)) })
}

/// The ratio of Theorem 3 for the integers of the table: the partner colludes with the probability that the pairing gives,
/// and then has the truthfulness that says most. `None` if it is not bounded.
pub(crate) fn average_ratio(table: &JointTable, crowd: &Crowd, lies: u32) -> Option<Fraction> {
    let lies = Fraction::whole(u128::from(lies));
    let marginal = [Fraction::of_complement(table.lie_weight()), Fraction::of_weight(table.lie_weight())];
    if table.is_independent() {
        return marginal[0].checked_div(&(&marginal[1] / &lies));
    }
    let exposure = crowd.exact_exposure();
    let hidden = Fraction::whole(1).minus(&exposure);
    let mut worst = Fraction::whole(1);
    for partner_is_truthful in [true, false] {
        let given = table.given(partner_is_truthful);
        let mixture = |index: usize| &(&exposure * &given[index]) + &(&hidden * &marginal[index]);
        let (truth, lie) = (mixture(0), &mixture(1) / &lies);
        worst = worst.max(truth.checked_div(&lie)?).max(lie.checked_div(&truth)?);
    }
    Some(worst)
}

/// The most colluders whose pools are added up.
pub const MAX_COLLUDERS: u64 = 1_000_000;

/// The largest loss against colluders who pool their truthfulness but do not know the pairing: exactly, over all matchings,
/// where Theorem 3 is an approximation. Infinite if some pool gives a person away, `None` for more than [`MAX_COLLUDERS`].
///
/// The worst pool is the one where all colluders lied (at a negative correlation; at a positive one, all were truthful).
pub fn colluders_epsilon(table: &JointTable, crowd: &Crowd) -> Option<f64> {
    if crowd.colluders() > MAX_COLLUDERS {
        return None;
    }
    if table.is_independent() || crowd.colluders() == 0 {
        return average_ratio(table, crowd, 1).map(|ratio| ratio.log_rounded_up());
    }
    let [both_true, mixed, _, both_lie] = table.weights().map(|weight| weight as f64 / 2f64.powi(64));
    let (p, q) = (table.p(), table.q());
    let colluded_lie = table.covariance() < 0.0;
    let pool = if colluded_lie {
        Pool { one: q, other: p, same: both_lie, mixed, crowd: *crowd }
    } else {
        Pool { one: p, other: q, same: both_true, mixed, crowd: *crowd }
    };
    let (agreeing, differing) = (pool.ln_agreeing(), pool.ln_differing());
    Some(if colluded_lie { differing - agreeing } else { agreeing - differing })
}

/// A person and m colluders who all behaved alike, among the equally likely matchings of everybody.
struct Pool {
    /// The probability that a person behaves like the colluders, and that they do not.
    one: f64,
    other: f64,
    /// The probability that both of a pair behave like them, and that a given one of a pair does alone.
    same: f64,
    mixed: f64,
    crowd: Crowd,
}

impl Pool {
    /// The people outside the pool; an odd number of people has one more, who stands for being alone.
    fn outside(&self) -> u64 {
        self.crowd.partners() - self.crowd.colluders()
    }

    /// The logarithm of the number of ways to pair `singles` members of the pool with outsiders and the remaining outsiders
    /// among themselves, up to a constant; `None` if there are too few outsiders.
    fn ln_ways_outside(&self, singles: u64) -> Option<f64> {
        let pairs = self.outside().checked_sub(singles)? / 2;
        Some(-ln_factorial(pairs) - pairs as f64 * LN_2)
    }

    /// The logarithm of the number of ways to form `pairs` pairs inside `members` people.
    fn ln_ways_inside(members: u64, pairs: u64) -> f64 {
        ln_factorial(members) - ln_factorial(members - 2 * pairs) - ln_factorial(pairs) - pairs as f64 * LN_2
    }

    /// The likelihood that the person behaves like all the colluders.
    fn ln_agreeing(&self) -> f64 {
        let members = self.crowd.colluders() + 1;
        ln_sum((0..=members / 2).filter_map(|pairs| {
            let singles = members - 2 * pairs;
            let chance = ln_power(self.same, pairs) + ln_power(self.one, singles);
            Some(Self::ln_ways_inside(members, pairs) + chance + self.ln_ways_outside(singles)?)
        }))
    }

    /// The likelihood that the person behaves the other way.
    fn ln_differing(&self) -> f64 {
        let members = self.crowd.colluders();
        let terms = (0..=members / 2).flat_map(|pairs| {
            let singles = members - 2 * pairs;
            let inside = Self::ln_ways_inside(members, pairs) + ln_power(self.same, pairs);
            let with_outsider = self
                .ln_ways_outside(singles + 1)
                .map(|ways| inside + self.other.ln() + ln_power(self.one, singles) + ways);
            let with_colluder = singles.checked_sub(1).and_then(|rest| {
                let chance = (singles as f64 * self.mixed).ln() + ln_power(self.one, rest);
                Some(inside + chance + self.ln_ways_outside(rest)?)
            });
            with_outsider.into_iter().chain(with_colluder)
        });
        ln_sum(terms)
    }
}

/// The logarithm of a power, where zero to the power of zero is one.
fn ln_power(base: f64, exponent: u64) -> f64 {
    if exponent == 0 { 0.0 } else { exponent as f64 * base.ln() }
}

/// The logarithm of a sum of which the logarithms are given.
fn ln_sum(terms: impl Iterator<Item = f64>) -> f64 {
    // Rescaling as larger terms come needs no second pass.
    let (largest, sum) = terms.fold((f64::NEG_INFINITY, 0.0), |(largest, sum), term| {
        if term == f64::NEG_INFINITY {
            (largest, sum)
        } else if term > largest {
            (term, sum * (largest - term).exp() + 1.0)
        } else {
            (largest, sum + (term - largest).exp())
        }
    });
    largest + f64::ln(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Probability;

    fn table(p: f64, rho: f64) -> JointTable {
        JointTable::new(Probability::new(p).unwrap(), rho).unwrap()
    }

    fn average(p: f64, rho: f64, users: u64, colluders: u64) -> f64 {
        guarantee(&table(p, rho), &Crowd::new(users, colluders).unwrap()).unwrap().epsilon().get()
    }

    #[test]
    fn the_printed_formula() {
        for (p, rho, n, m) in
            [(0.7f64, -0.3, 100, 5), (0.6, -0.6, 20, 3), (0.8, 0.4, 50, 10), (0.9, 1.0, 10, 2)]
        {
            let q = 1.0 - p;
            let (high, low) =
                if rho <= 0.0 { ((1.0 - rho) * p, q + rho * p) } else { (p + rho * q, (1.0 - rho) * q) };
            let (some, rest) = (m as f64, (n - m - 1) as f64);
            let printed = ((some * high + rest * p) / (some * low + rest * q)).ln();
            assert!((average(p, rho, n, m) - printed).abs() < 1e-12, "{p} {rho} {n} {m}");
        }
    }

    #[test]
    fn kinds_of_guarantee() {
        let crowd = Crowd::new(100, 5).unwrap();
        assert_eq!(guarantee(&table(0.7, 0.0), &crowd).unwrap().kind(), "pure");
        let average = guarantee(&table(0.8, -0.25), &crowd).unwrap();
        assert!(matches!(average, Guarantee::Average { exposed: ExposedEpsilon::Unbounded, .. }));
        assert_eq!(guarantee(&table(0.8, -0.25), &Crowd::new(4, 3).unwrap()), None);
        let capped = guarantee(&table(0.8, -0.1), &crowd).unwrap();
        let Guarantee::Average { exposed: ExposedEpsilon::Bounded(epsilon), .. } = capped else {
            panic!("{capped}")
        };
        // (1 - rho) p / (q + rho p)
        assert!((epsilon.get() - (0.88f64 / 0.12).ln()).abs() < 1e-13);
    }

    /// All matchings of `people`, each as the partner of every person; the odd one is their own partner.
    fn matchings(people: usize) -> Vec<Vec<usize>> {
        let mut all = vec![vec![usize::MAX; people]];
        loop {
            if all[0].iter().all(|partner| *partner != usize::MAX) {
                return all;
            }
            let mut next = Vec::new();
            for matching in all {
                let first = matching.iter().position(|partner| *partner == usize::MAX).unwrap();
                let has_loner = matching.iter().enumerate().any(|(person, partner)| person == *partner);
                let from = if people % 2 == 1 && !has_loner { first } else { first + 1 };
                for second in from..people {
                    if matching[second] == usize::MAX {
                        let mut longer = matching.clone();
                        (longer[first], longer[second]) = (second, first);
                        next.push(longer);
                    }
                }
            }
            // Dead ends of the odd case: everybody matched but one.
            next.retain(|matching| {
                let open = matching.iter().filter(|partner| **partner == usize::MAX).count();
                let has_loner = matching.iter().enumerate().any(|(person, partner)| person == *partner);
                people.is_multiple_of(2) || has_loner || open > 0
            });
            all = next;
        }
    }

    /// The worst log-ratio over all pools of truthfulness, by adding up all matchings.
    fn worst_by_enumeration(table: &JointTable, users: usize, colluders: usize) -> f64 {
        let weights = table.weights().map(|weight| weight as f64 / 2f64.powi(64));
        let joint = |one: bool, two: bool| weights[2 * usize::from(!one) + usize::from(!two)];
        let marginal = |one: bool| if one { table.p() } else { table.q() };
        let all = matchings(users);
        let mut worst = 0.0f64;
        for pool in 0..1u32 << colluders {
            // Person 0 is the victim, the colluders follow.
            let likelihood = |victim: bool| -> f64 {
                let known = |person: usize| match person {
                    0 => Some(victim),
                    _ if person <= colluders => Some(pool >> (person - 1) & 1 == 1),
                    _ => None,
                };
                let chance = |matching: &Vec<usize>| -> f64 {
                    let of = |(person, partner): (usize, &usize)| match (known(person), known(*partner)) {
                        _ if *partner < person => 1.0,
                        (Some(one), None) | (None, Some(one)) => marginal(one),
                        (Some(one), Some(_)) if *partner == person => marginal(one),
                        (Some(one), Some(two)) => joint(one, two),
                        (None, None) => 1.0,
                    };
                    matching.iter().enumerate().map(of).product()
                };
                all.iter().map(chance).sum()
            };
            let (truth, lie) = (likelihood(true), likelihood(false));
            if truth > 0.0 || lie > 0.0 {
                worst = worst.max((truth / lie).ln().abs());
            }
        }
        worst
    }

    #[test]
    fn the_pool_of_colluders_by_enumeration_and_where_theorem_three_fails() {
        let mut failures = 0;
        for users in [4usize, 5, 6, 7, 8] {
            for colluders in 1..users - 1 {
                for (p, rho) in [(0.7, -0.4), (0.6, -0.2), (0.7, 0.5), (0.55, -0.7)] {
                    let (table, crowd) = (table(p, rho), Crowd::new(users as u64, colluders as u64).unwrap());
                    let exact = colluders_epsilon(&table, &crowd).unwrap();
                    let enumerated = worst_by_enumeration(&table, users, colluders);
                    assert!(
                        (exact - enumerated).abs() < 1e-9,
                        "{users} {colluders} {p} {rho}: {exact} {enumerated}"
                    );
                    let printed = average(p, rho, users as u64, colluders as u64);
                    failures += u32::from(exact > printed + 1e-9);
                    if colluders == 1 {
                        assert!((exact - printed).abs() < 1e-12, "one colluder: Theorem 3 is exact");
                    }
                }
            }
        }
        assert!(failures > 20, "Theorem 3 is below the exact worst case with two or more colluders");
    }

    /// Two colluders of four people, both lied, nobody lies together: one of them is the victim's partner for sure.
    #[test]
    fn a_pool_that_gives_a_person_away() {
        let crowd = Crowd::new(4, 2).unwrap();
        let exclusive = table(0.8, -0.25);
        assert_eq!(colluders_epsilon(&exclusive, &crowd), Some(f64::INFINITY));
        let many = Crowd::new(MAX_COLLUDERS + 2, MAX_COLLUDERS + 1).unwrap();
        assert_eq!(colluders_epsilon(&exclusive, &many), None);
        // Theorem 3 has (2 + p) / q = 14 instead.
        assert!((average(0.8, -0.25, 4, 2) - 14f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_difference_vanishes_in_a_crowd() {
        let crowd = Crowd::new(20_000, 5).unwrap();
        let table = table(0.502375, 1.0 - 1.0 / 0.502375);
        let average = guarantee(&table, &crowd).unwrap().epsilon().get();
        let exact = colluders_epsilon(&table, &crowd).unwrap();
        assert!(exact > average && exact < average * 1.001, "{exact} {average}");
    }
}
