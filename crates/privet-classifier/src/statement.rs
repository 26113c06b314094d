//! The worth of a classifier in words that a data-protection officer can read.

use crate::bound::{Bound, Method};
use crate::curve::Row;
use crate::law::ReportChannel;
use crate::record::{ProductChannel, Sensitive};
use privet_core::Guarantee;
use std::sync::Arc;

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
    let of_feature = |((index, feature), channel): ((usize, &usize), &Arc<ReportChannel>)| {
        format!("{} by {} ({})", name(index, feature), channel.id(), channel.guarantee())
    };
    let features: Vec<String> =
        sensitive.features().iter().enumerate().zip(product.channels()).map(of_feature).collect();
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
        row.total,
        in_words(&row.total),
        probability(&row.bound),
    )
}

/// What the total means.
fn in_words(total: &Guarantee) -> String {
    let factor = total.epsilon().get().exp();
    match total {
        Guarantee::Pure { .. } => format!(
            ": whatever is received, it is at most {factor:.3} times as likely under one set of their values as under any \
             other"
        ),
        _ => format!(
            ": up to an exception of probability {}, for which nothing is promised, what is received is at most {factor:.3} \
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
