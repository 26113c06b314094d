//! The five questions.

use super::collection::{Answer, Collection, Lesson, Question, Survey};
use super::reading::Readable;
use crate::failure::Failure;
use crate::progress::Progress;
use privet::categorical::{
    FrequencyOracle, GeneralizedRandomizedResponse, OptimizedLocalHashing, OptimizedUnaryEncoding,
    OrderedExponential, PrefixTree, RandomizedResponse, SubsetSelection,
};
use privet::domain::Word;
use privet::{Categories, Channel, Epsilon, HasEstimator, ParameterError, Words};

/// The demo's own choice. Real data have no default: whoever collects them must choose.
const USUAL_EPSILON: f64 = 1.0;

/// Words are found letter by letter, each letter by an eighth of the people, so they need more.
const WORD_EPSILON: f64 = 2.0;

const QUESTIONS: u64 = 5;

/// Asks all questions; `epsilon` replaces the demo's own for each of them.
pub(super) fn hold(mut survey: Survey, epsilon: Option<Epsilon>) -> Result<Vec<Collection>, Failure> {
    let usual = epsilon.map_or_else(|| Epsilon::new(USUAL_EPSILON), Ok)?;
    let for_words = epsilon.map_or_else(|| Epsilon::new(WORD_EPSILON), Ok)?;
    let mut progress = survey.progress(QUESTIONS);
    Ok(vec![
        survey.ask(&sick_leave(usual)?, &mut progress)?,
        ask_worries(&mut survey, usual, &mut progress)?,
        survey.ask(&employer(usual)?, &mut progress)?,
        survey.ask(&bus_stop(usual)?, &mut progress)?,
        survey.ask(&pet(for_words)?, &mut progress)?,
    ])
}

/// Categories whose values are their positions.
fn numbered<L: ToString>(weighted: impl IntoIterator<Item = (L, f64)>) -> Vec<Answer<u32>> {
    (0..)
        .zip(weighted)
        .map(|(value, (label, weight))| Answer { label: label.to_string(), value, weight })
        .collect()
}

fn categories(answers: &[Answer<u32>]) -> Result<Categories, ParameterError> {
    Categories::with_labels(answers.iter().map(|answer| answer.label.clone()))
}

fn sick_leave(epsilon: Epsilon) -> Result<Question<RandomizedResponse>, ParameterError> {
    let answers = numbered([("yes", 0.27), ("no", 0.73)]);
    Ok(Question {
        asked: "Have you ever called in sick when you were not?",
        mechanism: RandomizedResponse::new(categories(&answers)?, epsilon)?,
        answers,
        lesson: Lesson {
            can: "The share of people who would say yes",
            cannot: "Whether you would. A report that says yes often comes from somebody who would say no: \
                     devices lie on purpose, at a known rate, and the collector takes that rate off the total.",
        },
    })
}

/// The most accurate of three mechanisms: which one that is depends on epsilon.
fn ask_worries(
    survey: &mut Survey,
    epsilon: Epsilon,
    progress: &mut Progress,
) -> Result<Collection, Failure> {
    let domain = categories(&worries())?;
    let direct = GeneralizedRandomizedResponse::new(domain.clone(), epsilon)?;
    let unary = OptimizedUnaryEncoding::new(domain.clone(), epsilon)?;
    let subset = SubsetSelection::new(domain, epsilon)?;
    let (by_direct, by_unary, by_subset) = (variance(&direct), variance(&unary), variance(&subset));
    if by_direct <= by_unary.min(by_subset) {
        survey.ask(&worry(direct), progress)
    } else if by_subset <= by_unary {
        survey.ask(&worry(subset), progress)
    } else {
        survey.ask(&worry(unary), progress)
    }
}

/// The variance of a frequency, times the number of people, where all categories are as frequent.
fn variance(oracle: &impl FrequencyOracle) -> f64 {
    let support = oracle.support();
    let (own, other) = (support.own.to_f64(), support.other.to_f64());
    let share = 1.0 / f64::from(oracle.categories().count());
    (share * own * (1.0 - own) + (1.0 - share) * other * (1.0 - other)) / (own - other).powi(2)
}

fn worries() -> Vec<Answer<u32>> {
    numbered([
        ("money", 0.24),
        ("work", 0.18),
        ("health", 0.15),
        ("family", 0.12),
        ("loneliness", 0.09),
        ("the neighbours", 0.05),
        ("the news", 0.04),
        ("nothing", 0.13),
    ])
}

fn worry<M>(mechanism: M) -> Question<M>
where
    M: Channel<Domain = Categories> + HasEstimator + Readable,
{
    Question {
        asked: "What keeps you awake at night?",
        mechanism,
        answers: worries(),
        lesson: Lesson {
            can: "How common each worry is",
            cannot: "Which one is yours. Each report fits several answers, and yours need not be among them.",
        },
    }
}

fn employer(epsilon: Epsilon) -> Result<Question<OrderedExponential>, ParameterError> {
    let answers = numbered([
        ("1 star", 0.08),
        ("2 stars", 0.13),
        ("3 stars", 0.27),
        ("4 stars", 0.34),
        ("5 stars", 0.18),
    ]);
    Ok(Question {
        asked: "How many stars do you give your employer?",
        mechanism: OrderedExponential::new(categories(&answers)?, epsilon)?,
        answers,
        lesson: Lesson {
            can: "How many people give each number of stars",
            cannot: "Your stars. A report is likelier to be near the truth than far from it, but every number of stars \
                     can give every report. The price of nearness is wider intervals for the shares.",
        },
    })
}

const BUS_STOPS: u32 = 128;

fn bus_stop(epsilon: Epsilon) -> Result<Question<OptimizedLocalHashing>, ParameterError> {
    // Popularity falls as one over the rank, and an odd step scatters the ranks over the stops.
    let rank = |stop: u32| (stop * 53 + 17) % BUS_STOPS + 1;
    let weighted = (0..BUS_STOPS).map(|stop| (format!("stop {}", stop + 1), 1.0 / f64::from(rank(stop))));
    let answers = numbered(weighted);
    Ok(Question {
        asked: "At which of the city's 128 bus stops do you get on?",
        mechanism: OptimizedLocalHashing::new(categories(&answers)?, epsilon)?,
        answers,
        lesson: Lesson {
            can: "Which stops are busy, and how busy",
            cannot: "Where you get on. A report names one bucket of a fresh hash function, every bucket holds many \
                     stops, and yours need not be among them.",
        },
    })
}

/// The longest word, in bytes.
const LONGEST: u32 = 8;

fn pet(epsilon: Epsilon) -> Result<Question<PrefixTree>, ParameterError> {
    let common = [
        ("Luna", 15.0),
        ("Bella", 12.0),
        ("Max", 10.0),
        ("Charlie", 8.0),
        ("Milo", 7.0),
        ("Käthe", 6.0),
        ("Cooper", 5.0),
    ];
    let rare = [
        "Bailey", "Buddy", "Coco", "Daisy", "Dexter", "Duke", "Felix", "Finn", "Frida", "Ginger", "Hazel",
        "Jack", "Kira", "Leo", "Lily", "Loki", "Lucy", "Maja", "Minka", "Mochi", "Molly", "Nala", "Oscar",
        "Pepper", "Rocky", "Rosie", "Sadie", "Simba", "Sophie", "Stella", "Teddy", "Toby", "Whiskers",
    ];
    let weighted = common.into_iter().chain(rare.map(|name| (name, 1.1)));
    let answer = |(name, weight): (&str, f64)| {
        let value = Word::new(name).unwrap_or_default();
        Answer { label: name.to_owned(), value, weight }
    };
    Ok(Question {
        asked: "What is your pet called?",
        mechanism: PrefixTree::new(Words::new(LONGEST)?, epsilon)?,
        answers: weighted.map(answer).collect(),
        lesson: Lesson {
            can: "Names that many people give, although nobody listed them beforehand, and the share of each",
            cannot: "Yours, and no rare name at all: a name must stand out from the noise to be found. Not even its \
                     length shows.",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::Domain;
    use std::collections::HashSet;

    #[test]
    fn every_answer_is_in_its_domain() {
        let epsilon = Epsilon::new(1.0).unwrap();
        let pets = pet(epsilon).unwrap();
        assert!(
            pets.answers
                .iter()
                .all(|answer| privet::Mechanism::domain(&pets.mechanism).contains(&answer.value))
        );
        let names: HashSet<_> = pets.answers.iter().map(|answer| &answer.label).collect();
        assert_eq!(names.len(), pets.answers.len());
        assert_eq!(bus_stop(epsilon).unwrap().answers.len(), 128);
    }

    #[test]
    fn stops_have_different_ranks() {
        let weights: HashSet<_> = bus_stop(Epsilon::new(1.0).unwrap())
            .unwrap()
            .answers
            .iter()
            .map(|stop| stop.weight.to_bits())
            .collect();
        assert_eq!(weights.len(), 128);
    }

    #[test]
    fn the_variance_is_the_known_one() {
        // Optimised unary encoding: 4 e^epsilon / (e^epsilon - 1)^2 for a rare category, plus the share itself.
        let epsilon = 1.0f64;
        let unary =
            OptimizedUnaryEncoding::new(Categories::new(1000).unwrap(), Epsilon::new(epsilon).unwrap())
                .unwrap();
        let expected = 4.0 * epsilon.exp() / (epsilon.exp() - 1.0).powi(2) + 1.0 / 1000.0;
        assert!((variance(&unary) - expected).abs() < 1e-9);
    }
}
