//! What a report says, in words, and what else might have been sent.

use privet::categorical::{
    BucketRule, FrequencyOracle, LocalHashing, OrderedExponential, PeakedResponse, PeakedRule, PrefixReport,
    PrefixTree, SubsetSelection, UnaryEncoding, UnaryRule,
};
use privet::domain::Word;
use privet::sampling::PeakedRow;
use privet::{BitVector, Categories, Category, Channel, Domain, Mechanism};

/// One thing that a device may send.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    pub(super) label: String,
    pub(super) probability: f64,
    /// Whether it points at the truth.
    pub(super) is_own: bool,
}

/// A mechanism whose reports can be explained to people.
pub(super) trait Readable: Mechanism {
    /// What the outcomes are.
    const OUTCOMES: &'static str;

    /// A report in words.
    fn reading(&self, report: &Self::Report) -> String;

    /// What the device may send for this answer, and how likely that is.
    fn outcomes(&self, input: &<Self::Domain as Domain>::Value) -> Vec<Outcome>;
}

const ONE_ANSWER: &str = "How likely each report is";
const SOME_ANSWERS: &str = "How likely each answer is to be named in the report";
const ONE_BUCKET: &str = "How likely each bucket is";

impl<K: PeakedRule> Readable for PeakedResponse<K> {
    const OUTCOMES: &'static str = ONE_ANSWER;

    fn reading(&self, report: &Category) -> String {
        self.domain().label(report.0)
    }

    fn outcomes(&self, input: &u32) -> Vec<Outcome> {
        every_category(self, *input)
    }
}

impl Readable for OrderedExponential {
    const OUTCOMES: &'static str = ONE_ANSWER;

    fn reading(&self, report: &Category) -> String {
        self.domain().label(report.0)
    }

    fn outcomes(&self, input: &u32) -> Vec<Outcome> {
        every_category(self, *input)
    }
}

fn every_category<M>(mechanism: &M, input: u32) -> Vec<Outcome>
where
    M: Channel<Domain = Categories, Report = Category>,
{
    let outcome = |category: u32| Outcome {
        label: mechanism.domain().label(category),
        probability: mechanism.probability(&input, &Category(category)).to_f64(),
        is_own: category == input,
    };
    (0..mechanism.domain().count()).map(outcome).collect()
}

impl<K: UnaryRule> Readable for UnaryEncoding<K> {
    const OUTCOMES: &'static str = SOME_ANSWERS;

    fn reading(&self, report: &BitVector) -> String {
        named(self.domain(), report)
    }

    fn outcomes(&self, input: &u32) -> Vec<Outcome> {
        supports(self, *input)
    }
}

impl Readable for SubsetSelection {
    const OUTCOMES: &'static str = SOME_ANSWERS;

    fn reading(&self, report: &BitVector) -> String {
        named(self.domain(), report)
    }

    fn outcomes(&self, input: &u32) -> Vec<Outcome> {
        supports(self, *input)
    }
}

/// The categories whose bits are one.
fn named(categories: &Categories, report: &BitVector) -> String {
    let names: Vec<String> = (0..categories.count())
        .filter(|category| report.get(*category as usize))
        .map(|category| categories.label(category))
        .collect();
    if names.is_empty() { "none of the answers".into() } else { names.join(", ") }
}

fn supports(oracle: &impl FrequencyOracle, input: u32) -> Vec<Outcome> {
    let support = oracle.support();
    let (own, other) = (support.own.to_f64(), support.other.to_f64());
    let outcome = |category: u32| Outcome {
        label: oracle.categories().label(category),
        probability: if category == input { own } else { other },
        is_own: category == input,
    };
    (0..oracle.categories().count()).map(outcome).collect()
}

impl<K: BucketRule> Readable for LocalHashing<K> {
    const OUTCOMES: &'static str = ONE_BUCKET;

    fn reading(&self, report: &privet::categorical::HashedReport) -> String {
        let categories = self.domain().count();
        let members = (0..categories)
            .filter(|category| self.hash().bucket(report.seed, *category) == report.bucket)
            .count();
        format!(
            "bucket {} of {} under hash function {:016x}, which holds {members} of the {categories} answers",
            report.bucket + 1,
            self.hash().buckets(),
            report.seed
        )
    }

    fn outcomes(&self, _input: &u32) -> Vec<Outcome> {
        buckets(self.row())
    }
}

impl Readable for PrefixTree {
    const OUTCOMES: &'static str = ONE_BUCKET;

    fn reading(&self, report: &PrefixReport) -> String {
        let bytes = if report.level == 0 { "byte".into() } else { format!("{} bytes", report.level + 1) };
        format!(
            "for the first {bytes}: bucket {} of {} under hash function {}",
            report.bucket + 1,
            self.weights().count(),
            report.row
        )
    }

    fn outcomes(&self, _input: &Word) -> Vec<Outcome> {
        buckets(self.weights())
    }
}

/// So many bars show the idea; beyond that one stands for all.
const MAX_OTHERS: u32 = 11;

fn buckets(row: &PeakedRow) -> Vec<Outcome> {
    let total = 2f64.powi(64);
    let others = row.count() - 1;
    let own =
        Outcome { label: "the answer's bucket".into(), probability: row.high() as f64 / total, is_own: true };
    let other = |label: String| Outcome { label, probability: row.low() as f64 / total, is_own: false };
    let mut outcomes = vec![own];
    if others <= MAX_OTHERS {
        outcomes.extend((0..others).map(|_| other("another bucket".into())));
    } else {
        outcomes.push(other(format!("each of {others} others")));
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::Epsilon;
    use privet::categorical::{GeneralizedRandomizedResponse, OptimizedLocalHashing};

    fn total(outcomes: &[Outcome]) -> f64 {
        outcomes.iter().map(|outcome| outcome.probability).sum()
    }

    #[test]
    fn outcomes_are_the_channel() {
        let categories = Categories::new(5).unwrap();
        let epsilon = Epsilon::new(1.0).unwrap();
        let response = GeneralizedRandomizedResponse::new(categories.clone(), epsilon).unwrap();
        let outcomes = response.outcomes(&2);
        assert!((total(&outcomes) - 1.0).abs() < 1e-12);
        assert!(outcomes[2].is_own && (outcomes[2].probability / outcomes[0].probability).ln() <= 1.0);
        let hashing = OptimizedLocalHashing::new(categories.clone(), epsilon).unwrap();
        assert!((total(&hashing.outcomes(&2)) - 1.0).abs() < 1e-12);
        let subset = SubsetSelection::new(categories, epsilon).unwrap();
        assert!((total(&subset.outcomes(&2)) - f64::from(subset.subset_size())).abs() < 1e-12);
    }

    #[test]
    fn reports_are_read_out() {
        let fruit = Categories::with_labels(["apple", "pear", "plum"]).unwrap();
        assert_eq!(named(&fruit, &BitVector::from_words(vec![0b101], 3)), "apple, plum");
        assert_eq!(named(&fruit, &BitVector::zeros(3)), "none of the answers");
    }
}
