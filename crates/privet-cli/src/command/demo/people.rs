//! The made-up people: what they would say, and so the truth.

use super::questions::QUESTIONS;
use crate::failure::Failure;
use privet::Generator;
use privet::policy::Answers;
use privet::sampling::{AliasTable, WeightRow, uniform_below};
use std::f64::consts::TAU;
use std::num::NonZeroU64;

/// The made-up people are the same in each demo; they are nobody's secret.
const POPULATION: u64 = 2026;

/// How many would not have called in sick, and how many have each of the worries.
const HONEST: f64 = 0.73;
const WORRIES: [f64; 8] = [0.24, 0.18, 0.15, 0.12, 0.09, 0.05, 0.04, 0.13];

/// What a person would say to one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Held {
    /// The answer at this position.
    Choice(u32),
    Number(f64),
    Place([f64; 2]),
}

/// What a person would say to each question.
#[derive(Debug, Clone)]
pub(super) struct Person(pub(super) [Held; QUESTIONS.len()]);

impl Person {
    /// The answers as the person writes them.
    pub(super) fn answers(&self) -> Answers {
        QUESTIONS.iter().zip(&self.0).fold(Answers::new(), |answers, (question, held)| {
            answers.value(question.name, &held.written(question.domain))
        })
    }
}

impl Held {
    /// As the person writes it, in a domain that lists what there is to choose from.
    pub(super) fn written(self, domain: &str) -> String {
        match self {
            Self::Choice(index) => {
                let labels = domain.strip_prefix("categories:").unwrap_or_default();
                labels.split(',').nth(index as usize).unwrap_or_default().to_owned()
            }
            Self::Number(number) => number.to_string(),
            Self::Place([x, y]) => format!("{x},{y}"),
        }
    }

    fn number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Choice(_) | Self::Place(_) => 0.0,
        }
    }
}

/// Makes people up.
pub(super) fn made_up(count: u32) -> Result<Vec<Person>, Failure> {
    let mut rng = Generator::from_insecure_seed(POPULATION);
    let worries = AliasTable::new(&WeightRow::from_relative(&WORRIES)?);
    let person = |_| {
        Person([
            Held::Choice(u32::from(unit(&mut rng) < HONEST)),
            Held::Choice(worries.draw(&mut rng)),
            Held::Number(pay(&mut rng)),
            Held::Number(bedtime(&mut rng)),
            Held::Place(home(&mut rng)),
        ])
    };
    Ok((0..count).map(person).collect())
}

/// A number from 0 to 1, without the latter.
fn unit(rng: &mut Generator) -> f64 {
    const STEPS: u64 = 1 << 53;
    let steps = NonZeroU64::new(STEPS).unwrap_or(NonZeroU64::MIN);
    uniform_below(steps, rng) as f64 / STEPS as f64
}

/// A number between -2 and 2, most often near 0.
fn bell(rng: &mut Generator) -> f64 {
    (0..4).map(|_| unit(rng) - 0.5).sum()
}

/// Most people earn about 2500, some about twice as much.
fn pay(rng: &mut Generator) -> f64 {
    let (middle, spread) = if unit(rng) < 0.8 { (2500.0, 1100.0) } else { (5200.0, 1300.0) };
    (middle + spread * bell(rng)).round()
}

/// Around eleven in the evening, on both sides of midnight; some work at night.
fn bedtime(rng: &mut Generator) -> f64 {
    let (middle, spread) = if unit(rng) < 0.88 { (23.2, 1.8) } else { (8.0, 1.5) };
    rounded((middle + spread * bell(rng)).rem_euclid(24.0)).rem_euclid(24.0)
}

/// Three quarters of a city.
fn home(rng: &mut Generator) -> [f64; 2] {
    let ([x, y], spread) = match unit(rng) {
        lot if lot < 0.45 => ([4.0, 4.0], 1.9),
        lot if lot < 0.8 => ([9.0, 8.5], 1.4),
        _ => ([3.0, 10.0], 0.9),
    };
    [x, y].map(|middle| rounded(middle + spread * bell(rng)))
}

/// As people would write it, with two digits after the point.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}

/// The share of people of whom something holds.
pub(super) fn share(held: &[Held], holds: impl Fn(Held) -> bool) -> f64 {
    held.iter().filter(|held| holds(**held)).count() as f64 / held.len() as f64
}

/// The share of people between two numbers, without the upper one.
pub(super) fn share_between(held: &[Held], from: f64, to: f64) -> f64 {
    share(held, |held| (from..to).contains(&held.number()))
}

/// The share of people in a cell.
pub(super) fn share_in_cell(held: &[Held], from: [f64; 2], to: [f64; 2]) -> f64 {
    share(held, |held| match held {
        Held::Place(place) => (0..2).all(|axis| (from[axis]..to[axis]).contains(&place[axis])),
        Held::Choice(_) | Held::Number(_) => false,
    })
}

pub(super) fn mean(held: &[Held]) -> f64 {
    held.iter().map(|held| held.number()).sum::<f64>() / held.len() as f64
}

/// The mean direction, and how much the angles agree: 0 is evenly spread, 1 is all at one angle.
pub(super) fn circular_mean(held: &[Held], period: f64) -> (f64, f64) {
    let angles = held.iter().map(|held| TAU * held.number() / period);
    let [x, y] = angles.fold([0.0, 0.0], |[x, y], angle| [x + angle.cos(), y + angle.sin()]);
    ((period * y.atan2(x) / TAU).rem_euclid(period), x.hypot(y) / held.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::demo::questions;
    use privet::policy::{Client, DecimalEpsilon};

    #[test]
    fn every_answer_fits_its_question() {
        let today = "2026-03-15".parse().unwrap();
        let policy = questions::policy(DecimalEpsilon::new(1.0).unwrap(), today).unwrap();
        let mut rng = Generator::from_insecure_seed(1);
        for person in made_up(2000).unwrap() {
            Client::new([0; 32]).perturb(&policy, &person.answers(), 0, &mut rng).unwrap();
        }
    }

    #[test]
    fn the_truth_of_a_few() {
        let numbers = [23.0, 1.0].map(Held::Number);
        let (direction, concentration) = circular_mean(&numbers, 24.0);
        assert!(direction.min(24.0 - direction) < 1e-9 && mean(&numbers) == 12.0);
        assert!((concentration - (TAU / 24.0).cos()).abs() < 1e-12);
        assert_eq!(share_between(&numbers, 1.0, 23.0), 0.5);
        let places = [[0.5, 0.5], [1.0, 0.5], [1.5, 2.0], [1.5, 0.0]].map(Held::Place);
        assert_eq!(share_in_cell(&places, [1.0, 0.0], [2.0, 2.0]), 0.5);
    }
}
