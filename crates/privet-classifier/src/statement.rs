//! The worth of a classifier in words that a data-protection officer can read.

use crate::bound::{Bound, Method};
use crate::curve::Row;
use crate::law::ReportChannel;
use crate::record::{ProductChannel, Sensitive};
use privet_core::Guarantee;
use std::sync::Arc;

/// More features than this are not named one by one where all are treated alike.
const MOST_NAMED: usize = 8;

/// The factor of a larger epsilon has more digits than anybody reads.
const MOST_WRITTEN: f64 = 12.0;

/// For whom a statement is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// One person.
    OneRecord,
    /// The average of this many people.
    Average(usize),
}

/// One paragraph: what is sent, what is promised about each feature and about all of them, and how often the answer stays
/// the same. `names` are those of the sensitive features, in their order; numbers stand for those that are missing.
pub fn statement(
    product: &ProductChannel,
    sensitive: &Sensitive,
    row: &Row,
    about: About,
    names: &[String],
) -> String {
    let name = |index: usize, feature: &usize| {
        names.get(index).cloned().unwrap_or_else(|| format!("number {feature}"))
    };
    let by = |channel: &ReportChannel| format!("by {} ({})", channel.id(), rounded_up(&channel.guarantee()));
    let of_feature = |((index, feature), channel): ((usize, &usize), &Arc<ReportChannel>)| {
        format!("{} {}", name(index, feature), by(channel))
    };
    let features = sensitive.features().iter().enumerate().zip(product.channels());
    let features: Vec<String> = match product.channels() {
        [first, others @ ..]
            if others.len() >= MOST_NAMED && others.iter().all(|one| by(one) == by(first)) =>
        {
            vec![format!("each {}", by(first))]
        }
        _ => features.map(of_feature).collect(),
    };
    let untouched = match sensitive.inputs() - sensitive.count() {
        0 => String::new(),
        1 => " The other feature is sent as it is and is not protected.".to_owned(),
        count => format!(" The other {count} features are sent as they are and are not protected."),
    };
    let person = match about {
        About::OneRecord => "For this record".to_owned(),
        About::Average(count) => format!("On average over {count} records"),
    };
    format!(
        "Before a record leaves the device, {} of its {} features {} randomised: {}. All of them together keep {}{}.{untouched} \
         {person}, the classifier gives the randomised record the same answer as the record itself with a probability {}.",
        sensitive.count(),
        sensitive.inputs(),
        if sensitive.count() == 1 { "is" } else { "are" },
        features.join("; "),
        rounded_up(&row.total),
        in_words(&row.total),
        probability(&row.bound),
    )
}

/// A guarantee that is not stronger than the one that holds, without a long tail of digits.
fn rounded_up(guarantee: &Guarantee) -> String {
    let epsilon = (guarantee.epsilon().get() * 1e6).ceil() / 1e6;
    match guarantee.delta() {
        0.0 => format!("epsilon = {epsilon}, {}", guarantee.kind()),
        delta => format!("epsilon = {epsilon}, delta = {delta}, {}", guarantee.kind()),
    }
}

/// What the total means.
fn in_words(total: &Guarantee) -> String {
    let epsilon = total.epsilon().get();
    let factor = if epsilon < MOST_WRITTEN {
        format!("{:.3}", epsilon.exp())
    } else {
        format!("e^{:.0}", epsilon.ceil())
    };
    match total {
        Guarantee::Pure { .. } => format!(
            ": whatever is received, it is at most {factor} times as likely under one set of their values as under any \
             other"
        ),
        _ => format!(
            ": up to an exception of probability {}, for which nothing is promised, what is received is at most {factor} \
             times as likely under one set of their values as under any other",
            total.delta()
        ),
    }
}

fn probability(bound: &Bound) -> String {
    // Rounded outwards, so that what is read is not stronger than what is known.
    let [lower, upper] = [(bound.lower * 1e4).floor() / 1e4, (bound.upper * 1e4).ceil() / 1e4];
    let range = format!("between {lower:.4} and {upper:.4}");
    match bound.method {
        Method::Linear | Method::Trees | Method::Partition => format!("{range} (proved from the model)"),
        Method::Sampled | Method::Reweighted => {
            format!("{range} (from drawn reports, with {} % confidence)", 100.0 * bound.confidence)
        }
        Method::NotCovered => "that is not known".to_owned(),
    }
}
