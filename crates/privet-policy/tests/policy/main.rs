//! What a policy promises, from the text to the estimate.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod averaging;
mod client;
mod contribution;
mod estimates;
mod golden;
mod kill;
mod ledger_file;
mod mistakes;
#[cfg(feature = "pairs")]
mod pairs;
mod places;
mod solved;
mod strange_bytes;
#[cfg(feature = "vectors")]
mod vectors;
mod without;

use privet_core::Generator;
use privet_policy::{Policy, PolicyError, ResolvedPolicy};
use std::sync::Arc;

/// A policy with several attributes, a permanent one and a place among them.
const TRAVEL: &str = include_str!("../data/travel.toml");

fn no_files(_: &str) -> Result<String, String> {
    Err("there are no files here".to_owned())
}

fn resolve(text: &str) -> Result<Arc<ResolvedPolicy>, PolicyError> {
    Policy::from_toml(text)?.resolve(&mut no_files)
}

/// A policy with one attribute and the given lines.
fn one_attribute(top: &str, budget: &str, attribute: &str) -> String {
    format!(
        "name = \"n\"\npurpose = \"p\"\norigin = \"o.example\"\nopens = 2026-01-01\ncloses = 2026-12-31\n\
         minimum_reports = 10\n{top}\n[budget]\n{budget}\n[[attribute]]\nname = \"a\"\nquestion = \"q\"\n{attribute}\n"
    )
}

/// A generator whose reports are not marked. Its words are as fixed as those of a seed.
fn unmarked(seed: u8) -> Generator {
    Generator::from_entropy([seed; 32])
}
