//! The averaging attack: somebody who sees a person's reports of a whole year, knows the mechanism and its integers, and makes the best of
//! it. What is learned about a permanent answer stays within the for-ever epsilon, also when the collection is created again in between;
//! about answers that are drawn again every day everything is learned.

use crate::{one_attribute, resolve};
use privet_core::{Categories, Category, Channel, Epsilon, Fraction, Generator};
use privet_estimators::statistics::{BinomialCount, binomial_upper_tail};
use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
use privet_policy::{Answers, Client, ReportCodec, ResolvedPolicy};
use std::sync::Arc;

const VALUES: u32 = 4;
const DAYS: u32 = 365;
const FOREVER: f64 = 1.0;
const EACH_DAY: f64 = 2.0;
const PEOPLE: u32 = 600;

/// Such a success of an attacker who is within the bound has this probability.
const ALPHA: f64 = 1e-6;

/// How often each report was seen.
type Year = [u32; VALUES as usize];

fn policy(name: &str, forever: &str) -> Arc<ResolvedPolicy> {
    let attribute = format!(
        "domain = \"categories:{VALUES}\"\ngoal = \"frequency\"\nmechanism = \"grr\"\nepsilon = {EACH_DAY}\n{forever}"
    );
    let top = "epoch = \"day\"\nanswers = \"every-epoch\"";
    let text = one_attribute(top, "epsilon = 730\nperiod = \"collection\"", &attribute);
    resolve(&text.replace("\"n\"", &format!("\"{name}\""))).unwrap()
}

fn permanent(name: &str) -> Arc<ResolvedPolicy> {
    policy(name, &format!("epsilon_forever = {FOREVER}"))
}

/// The epsilon that the policy states for all reports for ever about one value.
fn stated(policy: &ResolvedPolicy) -> Epsilon {
    let statement = policy.statement();
    Epsilon::new(statement.attributes[0].permanent.as_ref().unwrap().guarantee.epsilon).unwrap()
}

/// A person's reports of a year, a part of it under each of the policies.
fn year(person: u32, value: u32, policies: &[Arc<ResolvedPolicy>]) -> Year {
    let entropy = |purpose: u8| {
        let mut entropy = [purpose; 32];
        entropy[..4].copy_from_slice(&person.to_le_bytes());
        entropy
    };
    let (client, mut rng) = (Client::new(entropy(1)), Generator::from_entropy(entropy(2)));
    let answers = Answers::new().value("a", &value.to_string());
    let codecs: Vec<ReportCodec> = policies.iter().cloned().map(ReportCodec::new).collect();
    let mut seen = [0; VALUES as usize];
    for day in 0..DAYS {
        let codec = &codecs[(day * policies.len() as u32 / DAYS) as usize];
        let bytes = client.perturb(codec.policy(), &answers, day, &mut rng).unwrap();
        seen[usize::from(codec.check(&bytes).unwrap().attribute(0).unwrap()[0])] += 1;
    }
    seen
}

fn layer(epsilon: f64) -> GeneralizedRandomizedResponse {
    let categories = Categories::new(VALUES).unwrap();
    GeneralizedRandomizedResponse::new(categories, Epsilon::new(epsilon).unwrap()).unwrap()
}

/// Knows the channel, and nothing about the person.
struct Attacker {
    /// Without it answers are drawn again every day.
    permanent: Option<GeneralizedRandomizedResponse>,
    fresh: GeneralizedRandomizedResponse,
}

impl Attacker {
    fn on_permanent_answers() -> Self {
        Self { permanent: Some(layer(FOREVER)), fresh: layer(EACH_DAY) }
    }

    fn on_fresh_answers() -> Self {
        Self { permanent: None, fresh: layer(EACH_DAY) }
    }

    /// The probability of a year's reports, in their order, if every one is drawn for the same category.
    fn of_fresh(&self, category: u32, year: &Year) -> Fraction {
        let each = (0..VALUES).zip(year);
        let powers =
            each.map(|(report, times)| self.fresh.probability(&category, &Category(report)).pow(*times));
        powers.reduce(|product, power| &product * &power).unwrap()
    }

    /// The probability of a year's reports under each value, exactly.
    fn likelihoods(&self, year: &Year) -> Vec<Fraction> {
        let fresh: Vec<Fraction> = (0..VALUES).map(|category| self.of_fresh(category, year)).collect();
        let Some(permanent) = &self.permanent else { return fresh };
        let under = |value: u32| {
            let ways = (0..VALUES).zip(&fresh);
            let each = ways.map(|(answer, later)| &permanent.probability(&value, &Category(answer)) * later);
            each.reduce(|sum, way| &sum + &way).unwrap()
        };
        (0..VALUES).map(under).collect()
    }

    /// The largest odds between two values, exactly. With equal odds before, these are the odds after a year.
    fn odds(&self, year: &Year) -> Fraction {
        let likelihoods = self.likelihoods(year);
        let most = largest(&likelihoods);
        let least = smallest(&likelihoods);
        likelihoods[most].checked_div(&likelihoods[least]).unwrap()
    }

    /// The value under which the reports are likeliest: no guess is right more often. All values that are not seen most have less
    /// likelihood, so the category that was seen most is the guess with and without a permanent answer.
    fn guess(year: &Year) -> u32 {
        (0..VALUES).max_by_key(|value| year[*value as usize]).unwrap()
    }

    /// How many of the people are guessed, each of the values being held equally often.
    fn guessed(policies: &[Arc<ResolvedPolicy>]) -> u64 {
        let is_right =
            |person: &u32| Self::guess(&year(*person, person % VALUES, policies)) == person % VALUES;
        (0..PEOPLE).filter(is_right).count() as u64
    }
}

fn largest(fractions: &[Fraction]) -> usize {
    (0..fractions.len())
        .reduce(|best, next| if fractions[best] < fractions[next] { next } else { best })
        .unwrap()
}

fn smallest(fractions: &[Fraction]) -> usize {
    (0..fractions.len())
        .reduce(|best, next| if fractions[next] < fractions[best] { next } else { best })
        .unwrap()
}

/// No guess about a value that is one of several, all equally likely, is right more often after something that is epsilon-private.
fn most_success(epsilon: Epsilon) -> f64 {
    epsilon.get().exp() / (epsilon.get().exp() + f64::from(VALUES - 1))
}

/// Probability that an attacker within the bound guesses at least so many.
fn p_value(guessed: u64, epsilon: Epsilon) -> f64 {
    binomial_upper_tail(BinomialCount::new(guessed, u64::from(PEOPLE)).unwrap(), most_success(epsilon))
}

#[test]
fn the_odds_after_a_year_stay_within_the_stated_epsilon() {
    let policies = [permanent("this year"), permanent("created again")];
    assert_ne!(policies[0].id(), policies[1].id());
    let epsilon = stated(&policies[0]);
    assert!(epsilon.get() <= FOREVER);
    let attacker = Attacker::on_permanent_answers();
    let all_alike = (0..VALUES as usize).map(|report| {
        let mut year = [0; VALUES as usize];
        year[report] = DAYS;
        year
    });
    let drawn = (0..24).map(|person| year(person, person % VALUES, &policies));
    for year in all_alike.chain(drawn) {
        assert!(attacker.odds(&year).is_at_most_exp(epsilon), "{year:?}");
        // The control: of answers that are drawn again, a year reveals far more.
        assert!(!Attacker::on_fresh_answers().odds(&year).is_at_most_exp(epsilon), "{year:?}");
        // The guess is the likeliest value.
        let guess = Attacker::guess(&year);
        assert_eq!(largest(&attacker.likelihoods(&year)) as u32, guess, "{year:?}");
        assert_eq!(largest(&Attacker::on_fresh_answers().likelihoods(&year)) as u32, guess, "{year:?}");
    }
}

/// The first half of the year is asked in one collection, the second in another one of the same origin and attribute.
#[test]
fn the_best_guess_after_a_year_is_right_as_seldom_as_stated() {
    let policies = [permanent("this year"), permanent("created again")];
    let epsilon = stated(&policies[0]);
    let guessed = Attacker::guessed(&policies);
    assert!(p_value(guessed, epsilon) > ALPHA, "{guessed} of {PEOPLE}");
    // It is the best guess: it is right about as often as it may be at most.
    assert!(guessed as f64 > 0.8 * most_success(epsilon) * f64::from(PEOPLE), "{guessed} of {PEOPLE}");
}

#[test]
fn answers_that_are_drawn_again_are_guessed() {
    let guessed = Attacker::guessed(&[policy("drawn again", "")]);
    assert!(p_value(guessed, Epsilon::new(FOREVER).unwrap()) < ALPHA, "{guessed} of {PEOPLE}");
    assert_eq!(guessed, u64::from(PEOPLE));
}
