//! How many people there are, how they are paired, and how many of them collude.

use crate::error::JointError;
use privet_core::Fraction;

/// More people than a floating-point number can count.
const MAX_USERS: u64 = 1 << f64::MANTISSA_DIGITS;

/// People in pairs. Which two form a pair is uniformly random; who is alone, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairs {
    people: u64,
    alone: u64,
}

impl Pairs {
    /// Everybody is paired; if their number is odd, one person is left over and perturbs alone with the same
    /// probabilities.
    pub fn of(people: u64) -> Self {
        Self { people, alone: people % 2 }
    }

    /// Of `people`, `alone` perturb alone: the odd one, and those whose partner was lost.
    ///
    /// # Errors
    /// When the others cannot form pairs.
    pub fn with_alone(people: u64, alone: u64) -> Result<Self, JointError> {
        match people.checked_sub(alone) {
            Some(paired) if paired % 2 == 0 => Ok(Self { people, alone }),
            _ => Err(JointError::Incompatible {
                reason: "the people who are not alone must be an even number of those who report",
            }),
        }
    }

    /// How many people report.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// How many of them perturb alone.
    pub fn alone(&self) -> u64 {
        self.alone
    }

    /// The probability that two given people form a pair: `1 / (n - 1)` if nobody is alone, `1 / n` if one is.
    pub fn chance(&self) -> f64 {
        let others = self.people.saturating_sub(1).max(1);
        (self.people - self.alone) as f64 / self.people.max(1) as f64 / others as f64
    }
}

/// A collection before it begins: how many take part, and how many of them may collude with the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    users: u64,
    colluders: u64,
}

impl Crowd {
    /// Checks the numbers.
    ///
    /// # Errors
    /// When there are fewer than two participants or more than 2^53, or nobody is left who does not collude.
    pub fn new(users: u64, colluders: u64) -> Result<Self, JointError> {
        if users < 2 {
            return Err(JointError::TooFewUsers { got: users });
        }
        if users > MAX_USERS {
            return Err(JointError::TooManyUsers { max: MAX_USERS, got: users });
        }
        if colluders >= users {
            return Err(JointError::TooManyColluders { users, got: colluders });
        }
        Ok(Self { users, colluders })
    }

    /// How many take part.
    pub fn users(&self) -> u64 {
        self.users
    }

    /// How many of them may collude.
    pub fn colluders(&self) -> u64 {
        self.colluders
    }

    /// The pairs that the participants form.
    pub fn pairs(&self) -> Pairs {
        Pairs::of(self.users)
    }

    /// The number of equally likely partners of a person, where an odd number of people counts being alone as one more.
    pub(crate) fn partners(&self) -> u64 {
        if self.users.is_multiple_of(2) { self.users - 1 } else { self.users }
    }

    /// The probability that a given honest person's partner colludes.
    pub fn exposure(&self) -> f64 {
        self.colluders as f64 / self.partners() as f64
    }

    /// The same, exactly.
    pub(crate) fn exact_exposure(&self) -> Fraction {
        &Fraction::whole(u128::from(self.colluders)) / &Fraction::whole(u128::from(self.partners()))
    }

    /// The probability that at least one honest person's partner colludes.
    ///
    /// Nobody is exposed only if the colluders are paired among themselves (or one of them is the odd one left over).
    pub fn any_exposure(&self) -> f64 {
        // An odd crowd is an even one with a phantom, whose partner is alone. Nobody is exposed if the colluders are closed among
        // themselves: with the phantom if their number is odd, without it if it is even.
        let total = self.users.next_multiple_of(2);
        let inside = if total > self.users { self.colluders.next_multiple_of(2) } else { self.colluders };
        if !inside.is_multiple_of(2) {
            return 1.0;
        }
        // (inside - 1)!! (total - inside - 1)!! / (total - 1)!!, over the smaller of both groups: every factor is below 1/2.
        let (mut left, mut all) = (inside.min(total - inside), total);
        let mut closed = 1.0;
        while left > 0 && closed > 0.0 {
            closed *= (left - 1) as f64 / (all - 1) as f64;
            left -= 2;
            all -= 2;
        }
        1.0 - closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All matchings of the people `0..n`; with an odd number one is left over.
    fn matchings(people: &[u32]) -> Vec<Vec<(u32, u32)>> {
        if people.len() < 2 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        if people.len() % 2 == 1 {
            for skip in 0..people.len() {
                let rest: Vec<u32> = [&people[..skip], &people[skip + 1..]].concat();
                all.extend(matchings(&rest));
            }
            return all;
        }
        for partner in 1..people.len() {
            let rest: Vec<u32> = [&people[1..partner], &people[partner + 1..]].concat();
            for mut matching in matchings(&rest) {
                matching.push((people[0], people[partner]));
                all.push(matching);
            }
        }
        all
    }

    #[test]
    fn exposure_is_what_counting_all_matchings_gives() {
        for users in 2..=8u64 {
            let people: Vec<u32> = (0..users as u32).collect();
            let all = matchings(&people);
            for colluders in 0..users {
                let crowd = Crowd::new(users, colluders).unwrap();
                let colludes = |person: u32| u64::from(person) < colluders;
                let crosses = |pair: &&(u32, u32)| colludes(pair.0) != colludes(pair.1);
                let any = all.iter().filter(|matching| matching.iter().any(|pair| crosses(&pair))).count();
                let share = any as f64 / all.len() as f64;
                assert!((crowd.any_exposure() - share).abs() < 1e-12, "{users} {colluders}");
                let victim = users as u32 - 1;
                let hit = |matching: &&Vec<(u32, u32)>| {
                    matching.iter().filter(crosses).any(|pair| pair.0 == victim || pair.1 == victim)
                };
                let given = all.iter().filter(hit).count() as f64 / all.len() as f64;
                assert!((crowd.exposure() - given).abs() < 1e-12, "{users} {colluders}");
                assert!((crowd.pairs().chance() * colluders as f64 - given).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn impossible_crowds_are_refused() {
        assert_eq!(Crowd::new(1, 0), Err(JointError::TooFewUsers { got: 1 }));
        assert_eq!(Crowd::new(0, 0), Err(JointError::TooFewUsers { got: 0 }));
        assert!(Crowd::new(u64::MAX, 0).is_err());
        // A product over the smaller group ends soon, however large both are.
        assert!(Crowd::new(MAX_USERS, MAX_USERS - 2).unwrap().any_exposure() > 0.999);
        assert!(Crowd::new(MAX_USERS, MAX_USERS / 2).unwrap().any_exposure() > 0.999);
        let message = Crowd::new(10, 10).unwrap_err().to_string();
        assert_eq!(message, "the colluders must be fewer than the 10 participants: got 10");
        assert!(Pairs::with_alone(5, 2).is_err() && Pairs::with_alone(5, 6).is_err());
        assert_eq!(Pairs::with_alone(5, 1).unwrap(), Pairs::of(5));
        assert_eq!(Pairs::of(0).chance() + Pairs::of(1).chance(), 0.0);
    }
}
