//! Facts and answers as JSON, with the keys that the command line, the collector and the Python package promise.
//!
//! An [`Answer`] is written here and nowhere else. Programs that get one from a collector read it with the same types.

use crate::advisor::Candidate;
use privet_core::{Estimate, Guarantee, MechanismInfo};
use privet_estimators::numeric::{Angles, Numbers, Quantile, RangeShare};
use privet_estimators::{Answer, Frequencies, Frequency, MeanVector, PlaceShares, Populations};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a mechanism is.
pub fn mechanism(info: &MechanismInfo) -> Value {
    json!({
        "id": info.id,
        "title": info.title,
        "synonyms": info.synonyms,
        "domain": info.domain,
        "goal": info.goal,
        "guarantee": info.guarantee,
        "numerics": info.numerics.as_str(),
        "slack": info.slack,
        "reference": info.reference,
        "status": info.status,
    })
}

/// What a report promises.
pub fn guarantee(guarantee: &Guarantee) -> Value {
    json!({
        "kind": guarantee.kind(),
        "epsilon": guarantee.epsilon().get(),
        "delta": guarantee.delta(),
    })
}

/// A mechanism that could be chosen.
pub fn candidate(candidate: &Candidate) -> Value {
    json!({
        "id": candidate.id,
        "epsilon": candidate.epsilon,
        "expected_error": candidate.expected_error,
        "report_bits": candidate.report_bits,
        "guarantee": guarantee(&candidate.guarantee),
    })
}

/// A number that was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstimateDocument {
    /// The best single number. It lies in the interval.
    pub value: f64,
    /// Its standard deviation.
    pub standard_error: f64,
    /// How far its mean can be from the truth, whatever the people are like.
    pub bias_bound: f64,
    /// Where the truth lies, with 95 % confidence.
    pub interval: [f64; 2],
    /// How many reports it rests on.
    pub n: u64,
    /// How it was computed.
    pub method: String,
    /// Which people it is about: `reported` or `population`.
    pub target: String,
}

/// The share of a category or a cell, or the mean of a coordinate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowDocument {
    /// The category, the word, or the number of the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The coordinate of a vector, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<usize>,
    /// The middle of a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<[f64; 2]>,
    /// The lower corner of a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 2]>,
    /// Its upper corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 2]>,
    /// The number.
    #[serde(flatten)]
    pub estimate: EstimateDocument,
    /// These intervals hold for all rows at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simultaneous_interval: Option<[f64; 2]>,
}

/// The share of a bin or a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShareDocument {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The share.
    pub share: f64,
    /// As for [`EstimateDocument::standard_error`].
    pub standard_error: f64,
    /// As for [`EstimateDocument::bias_bound`].
    pub bias_bound: f64,
    /// As for [`EstimateDocument::interval`].
    pub interval: [f64; 2],
}

/// A value that a share of people do not exceed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantileDocument {
    /// The share.
    pub level: f64,
    /// The value.
    #[serde(flatten)]
    pub estimate: EstimateDocument,
}

/// Everything that an estimator answers, but for the number of reports, which is known also where there is no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerDocument {
    /// Numbers: the mean. Angles: the mean direction. Nothing for others, which have rows in `estimates`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// That of the mean or the mean direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// That of the mean or the mean direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias_bound: Option<f64>,
    /// That of the mean or the mean direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// How it was computed.
    pub method: String,
    /// Which people it is about: `reported` or `population`.
    pub target: String,
    /// Categories, words, cells and coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimates: Option<Vec<RowDocument>>,
    /// Angles: whether a mean direction can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction_told: Option<bool>,
    /// Angles: the length of the mean of unit vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resultant_length: Option<EstimateDocument>,
    /// Numbers and angles: for which populations the intervals hold, `any` or `smooth:BINS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub populations: Option<String>,
    /// Numbers and angles: how the distribution was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution_method: Option<String>,
    /// Numbers and angles: the shares of equal bins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Vec<ShareDocument>>,
    /// Numbers and angles: the shares of the ranges that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Vec<ShareDocument>>,
    /// Numbers: the quantiles that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<Vec<QuantileDocument>>,
}

impl From<&Estimate> for EstimateDocument {
    fn from(estimate: &Estimate) -> Self {
        Self {
            value: estimate.value,
            standard_error: estimate.standard_error,
            bias_bound: estimate.bias_bound,
            interval: estimate.interval,
            n: estimate.n,
            method: estimate.method.to_owned(),
            target: estimate.target.as_str().to_owned(),
        }
    }
}

impl RowDocument {
    fn new(estimate: EstimateDocument) -> Self {
        Self {
            label: None,
            coordinate: None,
            place: None,
            from: None,
            to: None,
            estimate,
            simultaneous_interval: None,
        }
    }

    fn of_frequency(row: &Frequency, method: &str) -> Self {
        let estimate = EstimateDocument { method: method.to_owned(), ..(&row.estimate).into() };
        Self {
            label: Some(row.label.clone()),
            simultaneous_interval: Some(row.simultaneous_interval),
            ..Self::new(estimate)
        }
    }
}

impl From<&RangeShare> for ShareDocument {
    fn from(row: &RangeShare) -> Self {
        let RangeShare { from, to, share } = *row;
        let Estimate { value, standard_error, bias_bound, interval, .. } = share;
        Self { from, to, share: value, standard_error, bias_bound, interval }
    }
}

impl From<&Quantile> for QuantileDocument {
    fn from(quantile: &Quantile) -> Self {
        Self { level: quantile.level, estimate: (&quantile.value).into() }
    }
}

impl From<&Answer> for AnswerDocument {
    fn from(answer: &Answer) -> Self {
        match answer {
            Answer::Frequencies(frequencies) => Self::of_frequencies(frequencies),
            Answer::Places(places) => Self::of_places(places),
            Answer::Vector(vector) => Self::of_vector(vector),
            Answer::Numbers(numbers) => Self::of_numbers(numbers),
            Answer::Angles(angles) => Self::of_angles(angles),
        }
    }
}

impl AnswerDocument {
    fn of_rows(method: &str, rows: Vec<RowDocument>) -> Self {
        let target = rows.first().map_or_else(|| "reported".to_owned(), |row| row.estimate.target.clone());
        Self {
            value: None,
            standard_error: None,
            bias_bound: None,
            interval: None,
            method: method.to_owned(),
            target,
            estimates: Some(rows),
            direction_told: None,
            resultant_length: None,
            populations: None,
            distribution_method: None,
            distribution: None,
            ranges: None,
            quantiles: None,
        }
    }

    fn of_frequencies(frequencies: &Frequencies) -> Self {
        let Frequencies { rows, method, .. } = frequencies;
        Self::of_rows(method, rows.iter().map(|row| RowDocument::of_frequency(row, method)).collect())
    }

    fn of_places(places: &PlaceShares) -> Self {
        let row = |(cell, row): (usize, &Frequency)| {
            let [from, to] = places.corners(cell);
            RowDocument {
                place: Some(places.middle(cell)),
                from: Some(from),
                to: Some(to),
                ..RowDocument::of_frequency(row, &places.method)
            }
        };
        Self::of_rows(&places.method, places.cells.iter().enumerate().map(row).collect())
    }

    fn of_vector(vector: &MeanVector) -> Self {
        let row = |(coordinate, mean): (usize, &Estimate)| RowDocument {
            coordinate: Some(coordinate),
            ..RowDocument::new(mean.into())
        };
        let method = vector.coordinates.first().map_or("", |mean| mean.method);
        Self::of_rows(method, vector.coordinates.iter().enumerate().map(row).collect())
    }

    fn of_centre(centre: &Estimate, populations: Populations) -> Self {
        Self {
            value: Some(centre.value),
            standard_error: Some(centre.standard_error),
            bias_bound: Some(centre.bias_bound),
            interval: Some(centre.interval),
            target: centre.target.as_str().to_owned(),
            estimates: None,
            populations: Some(match populations {
                Populations::Any => "any".to_owned(),
                Populations::Smooth { bins } => format!("smooth:{bins}"),
            }),
            ..Self::of_rows(centre.method, Vec::new())
        }
    }

    fn of_numbers(numbers: &Numbers) -> Self {
        Self {
            distribution_method: Some(numbers.method.as_str().to_owned()),
            distribution: Some(shares(&numbers.bins)),
            ranges: Some(shares(&numbers.ranges)),
            quantiles: Some(numbers.quantiles.iter().map(Into::into).collect()),
            ..Self::of_centre(&numbers.mean, numbers.populations)
        }
    }

    fn of_angles(angles: &Angles) -> Self {
        Self {
            direction_told: Some(angles.direction_told),
            resultant_length: Some((&angles.resultant_length).into()),
            distribution_method: Some(angles.method.as_str().to_owned()),
            distribution: Some(shares(&angles.bins)),
            ranges: Some(shares(&angles.ranges)),
            ..Self::of_centre(&angles.direction, angles.populations)
        }
    }
}

fn shares(rows: &[RangeShare]) -> Vec<ShareDocument> {
    rows.iter().map(Into::into).collect()
}

/// An answer about an attribute, or that there are too few reports for one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributeDocument {
    /// The attribute.
    pub attribute: String,
    /// How many reports answered it.
    pub n: u64,
    /// What each report promises.
    pub guarantee: Value,
    /// Whether there are too few reports to show anything.
    pub withheld: bool,
    /// How many it takes, if it is withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_reports: Option<u64>,
    /// The epoch, if it is about one.
    pub epoch: Option<u32>,
    /// The public value, if it is about the people with one.
    pub public: Option<PublicDocument>,
    /// What was learned, unless it is withheld.
    #[serde(flatten)]
    pub answer: Option<AnswerDocument>,
}

/// A value of a public field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicDocument {
    /// The field.
    pub field: String,
    /// Its value.
    pub value: String,
}

impl AttributeDocument {
    /// What the reports of a mechanism say, without a policy: about everybody, and never withheld.
    pub fn of_mechanism(attribute: &str, promised: &Guarantee, answer: &Answer) -> Self {
        Self {
            attribute: attribute.to_owned(),
            n: answer.n(),
            guarantee: guarantee(promised),
            withheld: false,
            minimum_reports: None,
            epoch: None,
            public: None,
            answer: Some(answer.into()),
        }
    }

    /// The document as any other JSON.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The mean or the mean direction, where there is one.
    pub fn centre(&self) -> Option<EstimateDocument> {
        let answer = self.answer.as_ref()?;
        Some(EstimateDocument {
            value: answer.value?,
            standard_error: answer.standard_error?,
            bias_bound: answer.bias_bound?,
            interval: answer.interval?,
            n: self.n,
            method: answer.method.clone(),
            target: answer.target.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Target;

    fn estimate() -> Estimate {
        let (value, interval) = (0.4, [0.3, 0.6]);
        let (standard_error, bias_bound, n) = (0.05, 0.01, 100);
        Estimate {
            value,
            standard_error,
            bias_bound,
            interval,
            n,
            method: "test",
            target: Target::Population,
        }
    }

    /// What is written is read again, and no key is there twice.
    #[test]
    fn documents_round_trip() {
        let rows = vec![Frequency {
            label: "walk".to_owned(),
            estimate: estimate(),
            simultaneous_interval: [0.2, 0.7],
        }];
        let frequencies = Frequencies { rows, n: 100, method: "test, then norm-sub".to_owned() };
        let vector = MeanVector { coordinates: vec![estimate()], n: 100 };
        let promised = Guarantee::Pure { epsilon: privet_core::Epsilon::new(1.0).unwrap() };
        for answer in [Answer::Frequencies(frequencies), Answer::Vector(vector)] {
            let document = AttributeDocument::of_mechanism("travel", &promised, &answer);
            let text = serde_json::to_string(&document).unwrap();
            assert_eq!(serde_json::from_str::<AttributeDocument>(&text).unwrap(), document);
            assert_eq!(
                text.matches("\"n\":").count(),
                2,
                "one for the attribute and one for its row: {text}"
            );
            assert_eq!(text.matches("\"target\":\"population\"").count(), 2, "{text}");
        }
    }

    /// What is withheld has no answer, and an answer that cannot be read is no answer either.
    #[test]
    fn withheld_answers_round_trip() {
        let text = r#"{"attribute":"a","n":3,"guarantee":null,"withheld":true,"minimum_reports":50,"epoch":null,
            "public":{"field":"region","value":"north"}}"#;
        let document: AttributeDocument = serde_json::from_str(text).unwrap();
        assert_eq!((document.answer.clone(), document.minimum_reports), (None, Some(50)));
        let again = serde_json::to_value(&document).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
    }
}
