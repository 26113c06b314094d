//! What a report promises, and how promises add up.

use crate::error::ParameterError;
use crate::parameter::{Delta, Epsilon};
use std::fmt;

/// The privacy of one report, as a value that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Guarantee {
    /// No report is more than e^epsilon times as likely under one input as under another.
    Pure {
        /// The largest log-ratio.
        epsilon: Epsilon,
    },
    /// The standard (epsilon, delta) relaxation, over all sets of reports.
    Approximate {
        /// The log-ratio outside the exceptional part.
        epsilon: Epsilon,
        /// The mass of the exceptional part.
        delta: Delta,
    },
    /// The log-ratio of the drawn report is at most epsilon except with probability delta. Not kept by
    /// post-processing.
    Probabilistic {
        /// The log-ratio that holds with probability `1 - delta`.
        epsilon: Epsilon,
        /// The probability of a larger one.
        delta: Delta,
    },
    /// Holds on average over a random choice that the adversary does not see.
    Average {
        /// The average log-ratio.
        epsilon: Epsilon,
        /// What is left where the adversary does see the choice.
        exposed: ExposedEpsilon,
    },
}

/// The log-ratio of the exposed case of an average guarantee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExposedEpsilon {
    /// Finite.
    Bounded(Epsilon),
    /// The exposed person has no protection at all.
    Unbounded,
}

impl Guarantee {
    /// The epsilon of the guarantee; for an average one the average.
    pub fn epsilon(&self) -> Epsilon {
        match *self {
            Self::Pure { epsilon }
            | Self::Approximate { epsilon, .. }
            | Self::Probabilistic { epsilon, .. }
            | Self::Average { epsilon, .. } => epsilon,
        }
    }

    /// The delta of the guarantee, zero for those that have none.
    pub fn delta(&self) -> f64 {
        match self {
            Self::Approximate { delta, .. } | Self::Probabilistic { delta, .. } => delta.get(),
            Self::Pure { .. } | Self::Average { .. } => 0.0,
        }
    }

    /// The kind in one word, as tables and JSON write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Pure { .. } => "pure",
            Self::Approximate { .. } => "approximate",
            Self::Probabilistic { .. } => "probabilistic",
            Self::Average { .. } => "average",
        }
    }

    /// The guarantee of two reports by the same person. Sums are rounded up.
    ///
    /// # Errors
    /// When the deltas add up to one or more, or an average guarantee meets one with a delta.
    fn and(self, other: Self) -> Result<Self, ParameterError> {
        let epsilon = self.epsilon().plus(other.epsilon())?;
        match (self, other) {
            (Self::Pure { .. }, Self::Pure { .. }) => Ok(Self::Pure { epsilon }),
            (Self::Average { exposed, .. }, Self::Average { exposed: more, .. }) => {
                Ok(Self::Average { epsilon, exposed: exposed.and(more)? })
            }
            (Self::Average { exposed, .. }, Self::Pure { epsilon: pure })
            | (Self::Pure { epsilon: pure }, Self::Average { exposed, .. }) => {
                Ok(Self::Average { epsilon, exposed: exposed.and(ExposedEpsilon::Bounded(pure))? })
            }
            (Self::Average { .. }, _) | (_, Self::Average { .. }) => Err(ParameterError::Incompatible {
                reason: "an average guarantee cannot be added to one with a delta".into(),
            }),
            // A probabilistic guarantee implies the approximate one with the same numbers, so a mixture is approximate.
            (Self::Approximate { .. }, _) | (_, Self::Approximate { .. }) => Ok(Self::Approximate {
                epsilon,
                delta: Delta::new((self.delta() + other.delta()).next_up())?,
            }),
            _ => Ok(Self::Probabilistic { epsilon, delta: either(self.delta(), other.delta())? }),
        }
    }
}

impl ExposedEpsilon {
    fn times(self, times: u32) -> Result<Self, ParameterError> {
        match self {
            Self::Bounded(one) => Ok(Self::Bounded(one.times(times)?)),
            Self::Unbounded => Ok(Self::Unbounded),
        }
    }

    fn and(self, other: Self) -> Result<Self, ParameterError> {
        match (self, other) {
            (Self::Bounded(one), Self::Bounded(two)) => Ok(Self::Bounded(one.plus(two)?)),
            _ => Ok(Self::Unbounded),
        }
    }
}

/// The probability that at least one of two independent events happens, each operation rounded up.
fn either(one: f64, two: f64) -> Result<Delta, ParameterError> {
    Delta::new(((one + two).next_up() - (one * two).next_down()).next_up())
}

impl fmt::Display for Guarantee {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure { epsilon } => write!(formatter, "epsilon = {epsilon}, pure"),
            Self::Approximate { epsilon, delta } => write!(formatter, "epsilon = {epsilon}, delta = {delta}"),
            Self::Probabilistic { epsilon, delta } => {
                write!(formatter, "epsilon = {epsilon} except with probability {delta}")
            }
            Self::Average { epsilon, exposed: ExposedEpsilon::Bounded(exposed) } => {
                write!(formatter, "epsilon = {epsilon} on average, {exposed} where exposed")
            }
            Self::Average { epsilon, exposed: ExposedEpsilon::Unbounded } => {
                write!(formatter, "epsilon = {epsilon} on average, none where exposed")
            }
        }
    }
}

/// What one person has spent: the composition of the guarantees of all their reports.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    spent: Option<Guarantee>,
}

impl Budget {
    /// Nothing spent yet.
    pub fn empty() -> Self {
        Self::default()
    }

    /// One more report by the same person: epsilons add up, deltas compose.
    ///
    /// # Errors
    /// When the sum is no longer a guarantee (delta reaches one, kinds that do not compose).
    pub fn spend(self, guarantee: Guarantee) -> Result<Self, ParameterError> {
        let spent = match self.spent {
            None => guarantee,
            Some(before) => before.and(guarantee)?,
        };
        Ok(Self { spent: Some(spent) })
    }

    /// The same guarantee `times` times over, for one person.
    ///
    /// # Errors
    /// When the guarantee cannot be repeated that often.
    pub fn repeated(guarantee: Guarantee, times: u32) -> Result<Self, ParameterError> {
        // Doubling keeps the number of steps small, and every step rounds the delta up.
        let (mut budget, mut power) = (Self::empty(), guarantee);
        for bit in 0..u32::BITS - times.leading_zeros() {
            if bit > 0 {
                power = power.and(power)?;
            }
            if (times >> bit) & 1 == 1 {
                budget = budget.spend(power)?;
            }
        }
        let Some(spent) = &mut budget.spent else { return Ok(budget) };
        // Rounded once instead of in every step, so that the parts of an epsilon together are never above it.
        let exact = guarantee.epsilon().times(times)?;
        match (spent, guarantee) {
            (Guarantee::Average { epsilon, exposed }, Guarantee::Average { exposed: one, .. }) => {
                (*epsilon, *exposed) = (exact, one.times(times)?);
            }
            (
                Guarantee::Pure { epsilon }
                | Guarantee::Approximate { epsilon, .. }
                | Guarantee::Probabilistic { epsilon, .. }
                | Guarantee::Average { epsilon, .. },
                _,
            ) => *epsilon = exact,
        }
        Ok(budget)
    }

    /// The worst of several budgets of *different* people: each person loses only their own.
    ///
    /// # Errors
    /// When an average guarantee meets one of another kind.
    pub fn parallel(budgets: impl IntoIterator<Item = Self>) -> Result<Self, ParameterError> {
        budgets.into_iter().try_fold(Self::empty(), |worst, next| match (worst.spent, next.spent) {
            (_, None) => Ok(worst),
            (None, _) => Ok(next),
            (Some(a), Some(b)) => Ok(Self { spent: Some(worse(a, b)?) }),
        })
    }

    /// All that was spent, or `None` if nothing was.
    pub fn total(&self) -> Option<Guarantee> {
        self.spent
    }

    /// Whether all that was spent is a pure guarantee of at most `limit`. Guarantees with a delta, and average ones, are
    /// no pure guarantee at any epsilon, so they never fit.
    pub fn fits(&self, limit: Epsilon) -> bool {
        match self.spent {
            None => true,
            Some(Guarantee::Pure { epsilon }) => epsilon <= limit,
            Some(_) => false,
        }
    }
}

/// The larger of both numbers, within one kind.
fn worse(a: Guarantee, b: Guarantee) -> Result<Guarantee, ParameterError> {
    let epsilon = if a.epsilon() >= b.epsilon() { a.epsilon() } else { b.epsilon() };
    let delta = Delta::new(a.delta().max(b.delta()))?;
    match (a, b) {
        (Guarantee::Pure { .. }, Guarantee::Pure { .. }) => Ok(Guarantee::Pure { epsilon }),
        (Guarantee::Probabilistic { .. }, Guarantee::Pure { .. } | Guarantee::Probabilistic { .. })
        | (Guarantee::Pure { .. }, Guarantee::Probabilistic { .. }) => {
            Ok(Guarantee::Probabilistic { epsilon, delta })
        }
        (Guarantee::Average { exposed: one, .. }, Guarantee::Average { exposed: two, .. }) => {
            let exposed = match (one, two) {
                (ExposedEpsilon::Bounded(x), ExposedEpsilon::Bounded(y)) => {
                    ExposedEpsilon::Bounded(if x >= y { x } else { y })
                }
                _ => ExposedEpsilon::Unbounded,
            };
            Ok(Guarantee::Average { epsilon, exposed })
        }
        (Guarantee::Average { .. }, _) | (_, Guarantee::Average { .. }) => {
            Err(ParameterError::Incompatible {
                reason: "an average guarantee cannot be compared with one of another kind".into(),
            })
        }
        _ => Ok(Guarantee::Approximate { epsilon, delta }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pure(epsilon: f64) -> Guarantee {
        Guarantee::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
    }

    fn probabilistic(epsilon: f64, delta: f64) -> Guarantee {
        Guarantee::Probabilistic {
            epsilon: Epsilon::new(epsilon).unwrap(),
            delta: Delta::new(delta).unwrap(),
        }
    }

    #[test]
    fn epsilons_of_one_person_add_up_and_never_round_down() {
        let budget = Budget::empty().spend(pure(1.0)).unwrap().spend(pure(0.5)).unwrap();
        assert_eq!(budget.total().unwrap().epsilon().get(), 1.5);
        let inexact = Budget::empty().spend(pure(0.1)).unwrap().spend(pure(0.7)).unwrap();
        // The exact sum of both floating-point numbers lies between 0.7999999999999999 and 0.8; plain addition rounds down.
        assert_eq!(0.1 + 0.7, 0.7999999999999999);
        assert_eq!(inexact.total().unwrap().epsilon().get(), 0.8);
        assert!(budget.fits(Epsilon::new(1.5).unwrap()));
        assert!(!budget.fits(Epsilon::new(1.4).unwrap()));
    }

    #[test]
    fn disjoint_people_do_not_add_up() {
        let one = Budget::empty().spend(pure(1.0)).unwrap();
        let two = Budget::empty().spend(pure(2.0)).unwrap();
        assert_eq!(Budget::parallel([one, two, Budget::empty()]).unwrap(), two);
    }

    #[test]
    fn probabilistic_deltas_compose_as_independent_events() {
        let mut budget = Budget::empty();
        for _ in 0..5 {
            budget = budget.spend(probabilistic(0.5, 0.1)).unwrap();
        }
        let total = budget.total().unwrap();
        assert_eq!(total.kind(), "probabilistic");
        assert!((total.delta() - (1.0 - 0.9f64.powi(5))).abs() < 1e-12);
        assert_eq!(total.epsilon().get(), 2.5);
        assert_eq!(
            Budget::repeated(probabilistic(0.5, 0.1), 5).unwrap().total().unwrap().epsilon().get(),
            2.5
        );
        assert!(!budget.fits(Epsilon::new(100.0).unwrap()), "a delta is no pure guarantee");
        assert_eq!(
            Budget::repeated(pure(1.0), u32::MAX).unwrap().total().unwrap().epsilon().get(),
            4294967295.0
        );
        assert_eq!(Budget::repeated(pure(1.0), 0).unwrap(), Budget::empty());
    }

    #[test]
    fn parts_of_an_epsilon_come_to_no_more_than_it() {
        let whole = Epsilon::new(7.7).unwrap();
        for parts in 1..2000 {
            let part = Guarantee::Pure { epsilon: whole.divided(parts).unwrap() };
            assert!(Budget::repeated(part, parts).unwrap().fits(whole), "{parts}");
        }
        let exposed = ExposedEpsilon::Bounded(whole.divided(3).unwrap());
        let average = Guarantee::Average { epsilon: whole.divided(3).unwrap(), exposed };
        let Some(Guarantee::Average { epsilon, exposed: ExposedEpsilon::Bounded(all) }) =
            Budget::repeated(average, 3).unwrap().total()
        else {
            unreachable!()
        };
        assert!(epsilon <= whole && all <= whole);
    }

    /// In exact integers: the composed delta is never below 1 - (1 - a)(1 - b).
    #[test]
    fn composed_deltas_never_round_down() {
        let (a, b) = (0.5741624241173177f64, 0.5778014742056246f64);
        let scale = 2f64.powi(60);
        let (x, y) = ((a * scale) as u128, (b * scale) as u128);
        let exact = ((x + y) << 60) - x * y;
        let composed = either(a, b).unwrap().get();
        assert!(((composed * scale) as u128) << 60 >= exact);
    }

    #[test]
    fn a_mixture_is_the_weaker_kind() {
        let delta = Delta::new(0.1).unwrap();
        let epsilon = Epsilon::new(1.0).unwrap();
        let approximate = Guarantee::Approximate { epsilon, delta };
        let budget = Budget::empty().spend(pure(1.0)).unwrap().spend(approximate).unwrap();
        assert_eq!(budget.total().unwrap().kind(), "approximate");
        let average = Guarantee::Average { epsilon, exposed: ExposedEpsilon::Unbounded };
        assert!(Budget::empty().spend(average).unwrap().spend(approximate).is_err());
        assert!(Budget::empty().spend(average).unwrap().spend(pure(1.0)).is_ok());
    }
}
