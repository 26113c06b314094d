//! What a person is shown: what can become of an answer before anything is drawn, and afterwards what was sent.

mod channel;
mod report;

pub use channel::{ShownChannel, ShownChoice, ShownOthers, ShownPart, ShownPicture, ShownPiece};
pub use report::{ShownAnswer, ShownContent, ShownPublic, ShownReport};

use crate::attribute::{Answering, Attribute};
use crate::report::ReportCodec;
use crate::resolved::ResolvedPolicy;
use privet_core::{Category, Guarantee, Piece};
use privet_mechanisms::analysis::AnyNumeric;
use privet_mechanisms::categorical::FrequencyOracle;
use privet_mechanisms::registry::Reader;
use std::sync::Arc;

/// More than this is not read by anybody: the rest is counted.
const MOST_SHOWN: usize = 60;

/// Explains a policy's channels and reports to the person who answers.
#[derive(Debug)]
pub struct Showing {
    policy: Arc<ResolvedPolicy>,
    codec: ReportCodec,
    /// How fresh reports are read.
    readers: Vec<Option<Reader>>,
}

/// How the reports of one question are read.
enum Reading<'a> {
    Support(&'a dyn FrequencyOracle),
    Numbers(&'a dyn AnyNumeric),
    /// Not by themselves, or as the categories that they name.
    Other,
}

impl Showing {
    /// For the questions of a policy.
    pub fn new(policy: Arc<ResolvedPolicy>) -> Self {
        let readers = policy.attributes().iter().map(Attribute::reader).collect();
        Self { codec: ReportCodec::new(Arc::clone(&policy)), policy, readers }
    }

    fn readings(&self) -> impl Iterator<Item = (&Attribute, Reading<'_>)> {
        self.policy.attributes().iter().zip(&self.readers).map(|(attribute, reader)| {
            let reading = match (&attribute.answering, reader) {
                (Answering::Permanent(layers), _) => Reading::Support(layers.oracle()),
                (_, Some(Reader::Support(oracle))) => Reading::Support(oracle.as_ref()),
                (_, Some(Reader::Numbers(channel))) => Reading::Numbers(channel.as_ref()),
                (_, None) => Reading::Other,
            };
            (attribute, reading)
        })
    }

    /// For reports that were drawn from an insecure seed, and no others.
    #[must_use]
    pub fn for_seeded_reports(self) -> Self {
        Self { codec: self.codec.for_seeded_reports(), ..self }
    }
}

/// The law of a question's reports, if each report is one of a few that have names: those of the written answer, or of any.
fn named_reports(attribute: &Attribute, answer: Option<&str>) -> Option<Vec<Piece>> {
    let Answering::Fresh { mechanism, .. } = &attribute.answering else { return None };
    let pieces = mechanism.pieces(answer).ok()?;
    let has_names = pieces.iter().all(|piece| piece.outcomes == 1 && piece.extent.is_none());
    let is_index = mechanism.report_bits() == Category::bits(pieces.len() as u32);
    (pieces.len() > 1 && has_names && is_index).then_some(pieces)
}

/// What one report of an attribute promises if it stays the only one.
fn promise(attribute: &Attribute) -> Guarantee {
    match &attribute.answering {
        Answering::Permanent(layers) => layers.single_report(),
        _ => attribute.guarantee(),
    }
}

/// A probability as people read it.
fn percent(probability: f64) -> String {
    let value = 100.0 * probability;
    let digits = match value {
        value if value >= 99.95 || value == 0.0 => 0,
        value if value >= 9.995 => 1,
        value if value >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.digits$} %")
}

/// A number with as many digits as matter beside the width of its domain.
fn number(value: f64, width: f64) -> String {
    let digits = (3.0 - width.log10()).ceil().clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The name that people know a category by. Two categories without names are the answers to a yes/no question.
fn label(categories: &privet_core::Categories, index: u32) -> String {
    match (categories.has_labels(), categories.count(), index) {
        (false, 2, 0) => "no".to_owned(),
        (false, 2, 1) => "yes".to_owned(),
        _ => categories.label(index),
    }
}

#[cfg(test)]
mod tests;
