//! What can become of an answer.

use super::{MOST_SHOWN, Reading, Showing, label, named_reports, number, percent};
use crate::attribute::{Answering, Attribute};
use crate::client::ClientError;
use crate::kind::AttributeKind;
use privet_core::{Categories, DomainSpec, Fraction, Guarantee, InputError, Piece, Values};
use privet_mechanisms::analysis::{Analysis, AnyNumeric, DensityPiece, Law, Space};
use privet_mechanisms::categorical::Support;
use serde::Serialize;
use std::fmt;

/// What can become of one answer to one question, in words and for a picture. Nothing is drawn for it.
#[derive(Clone, PartialEq, Serialize)]
pub struct ShownChannel {
    /// In words.
    pub words: String,
    /// For a picture.
    #[serde(flatten)]
    pub picture: ShownPicture,
}

/// These are the private answer in other clothes.
macro_rules! without_content {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(concat!(stringify!($name), "(of a private answer)"))
            }
        }
    )*};
}

without_content!(ShownChannel, ShownPicture, ShownChoice, ShownPiece);

/// The numbers of a channel, for a picture.
#[derive(Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ShownPicture {
    /// The report names one of the answers, or ticks some of them.
    Choices {
        /// Whether each report names exactly one.
        exclusive: bool,
        /// The own answer and some others.
        choices: Vec<ShownChoice>,
        /// Those that are left out, if there are too many to show.
        #[serde(skip_serializing_if = "Option::is_none")]
        others: Option<ShownOthers>,
    },
    /// The report is a number.
    Numbers {
        /// The ranges and single numbers that it can be.
        pieces: Vec<ShownPiece>,
        /// The length of one turn, if the ends are joined.
        #[serde(skip_serializing_if = "Option::is_none")]
        period: Option<f64>,
    },
    /// The report names a cell of the area, or ticks some of them.
    Places {
        /// Whether each report names exactly one.
        exclusive: bool,
        /// How many cells lie along each side.
        side: u32,
        /// The own cell, counted along the first coordinate first.
        cell: u32,
        /// The probability of the own cell.
        own: f64,
        /// The probability of each other cell.
        other: f64,
    },
    /// Something that is not read by itself.
    Parts {
        /// What it consists of.
        parts: Vec<ShownPart>,
    },
}

/// An answer that can be reported.
#[derive(Clone, PartialEq, Serialize)]
pub struct ShownChoice {
    /// The answer.
    pub label: String,
    /// The probability that it is reported.
    pub probability: f64,
    /// Whether it is the person's own.
    pub own: bool,
}

/// Answers that are not shown one by one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownOthers {
    /// How many.
    pub count: u32,
    /// The mean of their probabilities.
    pub each: f64,
}

/// A range of numbers with one density, or a single one.
#[derive(Clone, PartialEq, Serialize)]
pub struct ShownPiece {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its probability.
    pub probability: f64,
}

/// A part of a report that is not read by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownPart {
    /// What it is.
    pub what: String,
    /// How many there are.
    pub count: u64,
    /// The probability of each.
    pub probability: f64,
}

impl Showing {
    /// What can become of a written answer to a question.
    ///
    /// # Errors
    /// When there is no such question, or the answer does not fit it.
    pub fn channel(&self, name: &str, value: &str) -> Result<ShownChannel, ClientError> {
        let found = self.readings().find(|(attribute, _)| attribute.terms().name == name);
        let Some((attribute, reading)) = found else {
            return Err(ClientError::Unknown { what: "attribute", name: name.to_owned() });
        };
        let wrong = |source| ClientError::Input { attribute: name.to_owned(), source };
        let values = attribute.kind().parse(value).map_err(wrong)?;
        let (words, picture) = picture(attribute, reading, &values, value).map_err(wrong)?;
        let end = match attribute.guarantee() {
            Guarantee::Pure { .. } => " Every report can come from every answer: yours is hidden among them.",
            _ => "",
        };
        Ok(ShownChannel { words: format!("{words}{end}"), picture })
    }
}

type Shown = (String, ShownPicture);

fn picture(
    attribute: &Attribute,
    reading: Reading<'_>,
    values: &Values,
    text: &str,
) -> Result<Shown, InputError> {
    match (reading, attribute.kind(), values) {
        (Reading::Support(oracle), AttributeKind::Place { side, .. }, Values::Categories(own)) => {
            Ok(places(&oracle.support(), *side, first(own)))
        }
        (Reading::Support(oracle), _, Values::Categories(own)) => {
            Ok(choices(&oracle.support(), oracle.categories(), first(own)))
        }
        (Reading::Numbers(channel), _, Values::Numbers(numbers)) => {
            let input = numbers.first().copied().unwrap_or_else(|| channel.space().low());
            numbers_shown(channel, input)
        }
        (_, AttributeKind::Value(DomainSpec::Categories(all)), Values::Categories(own)) => {
            named_reports(attribute, Some(text))
                .map_or_else(|| parts_of(attribute, text), |pieces| Ok(table(&pieces, all, first(own))))
        }
        _ => parts_of(attribute, text),
    }
}

fn parts_of(attribute: &Attribute, text: &str) -> Result<Shown, InputError> {
    // The law of a path has a part for each of its places, which nobody reads.
    let is_path = matches!(attribute.kind(), AttributeKind::Path { places: 2.., .. });
    match &attribute.answering {
        Answering::Fresh { mechanism, .. } if !is_path => Ok(parts_shown(&mechanism.pieces(Some(text))?)),
        _ => Ok(parts_shown(&[])),
    }
}

fn first(values: &[u32]) -> u32 {
    values.first().copied().unwrap_or(0)
}

/// A report names exactly one category if the probabilities of all categories add up to one: the mechanisms that tick several
/// tick at least one on average, beyond their own.
fn is_exclusive(support: &Support, count: u32) -> bool {
    let others = &support.other * &Fraction::whole(u128::from(count - 1));
    (&support.own + &others) == Fraction::whole(1)
}

fn choices(support: &Support, categories: &Categories, own: u32) -> Shown {
    let count = categories.count();
    let exclusive = is_exclusive(support, count);
    let (own_mass, other_mass) = (support.own.to_f64(), support.other.to_f64());
    let mine = label(categories, own);
    let words = match (exclusive, count) {
        (true, 2) => format!(
            "Your report says {mine} with probability {} and {} with probability {}.",
            percent(own_mass),
            label(categories, 1 - own),
            percent(other_mass)
        ),
        (true, _) => format!(
            "Your report says {mine} with probability {}, and each of the {} other answers with probability {}: {} in all.",
            percent(own_mass),
            count - 1,
            percent(other_mass),
            percent(1.0 - own_mass)
        ),
        (false, _) => format!(
            "Your report ticks some of the {count} answers. {mine} is ticked with probability {}, each other one with \
             probability {}.",
            percent(own_mass),
            percent(other_mass)
        ),
    };
    let choice = |index: u32| ShownChoice {
        label: label(categories, index),
        probability: if index == own { own_mass } else { other_mass },
        own: index == own,
    };
    // The own answer is shown wherever it stands in the list.
    let shown = (count as usize).min(MOST_SHOWN) as u32;
    let beyond = (own >= shown).then_some(own);
    let indices = (0..shown - u32::from(beyond.is_some())).chain(beyond);
    let others = (count > shown).then_some(ShownOthers { count: count - shown, each: other_mass });
    (words, ShownPicture::Choices { exclusive, choices: indices.map(choice).collect(), others })
}

fn table(pieces: &[Piece], categories: &Categories, own: u32) -> Shown {
    let mine = categories.label(own);
    let choice = |piece: &Piece| ShownChoice {
        label: piece.what.clone(),
        probability: piece.mass,
        own: piece.what == mine,
    };
    let mut choices: Vec<ShownChoice> = pieces.iter().map(choice).collect();
    let named = choices.iter().position(|choice| choice.own);
    let words = match named.map(|at| choices[at].probability) {
        Some(mass) => format!(
            "Your report says {mine} with probability {}, and something else with probability {}.",
            percent(mass),
            percent(1.0 - mass)
        ),
        None => format!("Your report is one of {} outputs.", choices.len()),
    };
    let others = (choices.len() > MOST_SHOWN).then(|| {
        // The own answer and its neighbours are the likely ones.
        let start = named.unwrap_or(0).saturating_sub(MOST_SHOWN / 2).min(choices.len() - MOST_SHOWN);
        let near: Vec<ShownChoice> = choices.drain(start..start + MOST_SHOWN).collect();
        let far = std::mem::replace(&mut choices, near);
        let sum: f64 = far.iter().map(|choice| choice.probability).sum();
        ShownOthers { count: far.len() as u32, each: sum / far.len() as f64 }
    });
    (words, ShownPicture::Choices { exclusive: true, choices, others })
}

fn places(support: &Support, side: u32, cell: u32) -> Shown {
    let cells = side * side;
    let exclusive = is_exclusive(support, cells);
    let (own, other) = (support.own.to_f64(), support.other.to_f64());
    let verb = if exclusive { "names one of them" } else { "ticks some of them" };
    let words = format!(
        "The area is cut into {cells} cells, and your report {verb}: your own cell with probability {}, each other one with \
         probability {}.",
        percent(own),
        percent(other)
    );
    (words, ShownPicture::Places { exclusive, side, cell, own, other })
}

fn numbers_shown(channel: &dyn AnyNumeric, input: f64) -> Result<Shown, InputError> {
    let analysis = Analysis::new(channel);
    let law = analysis.law(input)?;
    let pieces = grouped(&law.pieces());
    let space = channel.space();
    let distance = |share: f64| number(radius(&law, &pieces, space, share), space.width());
    let (half, most) = (distance(0.5), distance(0.9));
    let words = format!(
        "Your report is a random number. Half of the reports of this answer lie within {half} of it, nine out of ten within {most}."
    );
    let period = match space {
        Space::Ring { period } => Some(period),
        Space::Line { .. } => None,
    };
    Ok((words, ShownPicture::Numbers { pieces, period }))
}

/// How far from the input a share of the reports lies at most.
fn radius(law: &Law<'_>, pieces: &[ShownPiece], space: Space, share: f64) -> f64 {
    let farthest =
        pieces.iter().flat_map(|piece| [piece.from, piece.to]).map(|end| (end - law.input()).abs());
    let (mut low, mut high) = (0.0, farthest.fold(space.width(), f64::max));
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if law.within(middle) < share { low = middle } else { high = middle }
    }
    high
}

/// A picture has no room for more.
const MOST_PIECES: usize = 128;

/// Neighbouring pieces together, where there are too many. Single numbers beside ranges stay by themselves.
fn grouped(pieces: &[DensityPiece]) -> Vec<ShownPiece> {
    let size = pieces.len().div_ceil(MOST_PIECES).max(1);
    let joined = |group: &[DensityPiece]| {
        let (first, last) = (group.first()?, group.last()?);
        let probability = group.iter().map(|piece| piece.mass).sum();
        Some(ShownPiece { from: first.from, to: last.to, probability })
    };
    let alike = pieces.chunk_by(|one, other| one.is_atom() == other.is_atom());
    alike.flat_map(|group| group.chunks(size)).filter_map(joined).collect()
}

fn parts_shown(pieces: &[Piece]) -> Shown {
    let part = |piece: &Piece| ShownPart {
        what: piece.what.clone(),
        count: piece.outcomes,
        probability: piece.mass,
    };
    let sentence = |piece: &Piece| format!("{}: {}", piece.what, percent(piece.mass));
    let words = if pieces.is_empty() {
        "Your report holds random bits.".to_owned()
    } else {
        let list: Vec<String> = pieces.iter().map(sentence).collect();
        format!("Your report holds random bits, with these probabilities. {}.", list.join("; "))
    };
    (words, ShownPicture::Parts { parts: pieces.iter().map(part).collect() })
}
