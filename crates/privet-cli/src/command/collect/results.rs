//! Estimates of a collection.

use super::connection::ConnectionArguments;
use crate::command::attributes::{Answered, page};
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use privet::policy::PolicyId;
use serde::Deserialize;
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  All attributes:
    privet collect results --collector http://127.0.0.1:8080 --collection ID

  One attribute by the values of a public field, for programs:
    privet collect results --collector http://127.0.0.1:8080 --collection ID \\
      --attribute commute --by region --json";

/// Show what the reports of a collection add up to
///
/// Nothing is shown of fewer reports than the policy's minimum. With --json the answer of the collector is printed as it is, with
/// distributions, plausibility, the influence of one report, and robust estimates.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Results {
    #[command(flatten)]
    connection: ConnectionArguments,
    /// The id of the collection
    #[arg(long, value_name = "ID", value_parser = super::parse_id)]
    collection: PolicyId,
    /// One attribute only
    #[arg(long, value_name = "NAME")]
    attribute: Option<String>,
    /// A public field: one estimate for each of its values
    #[arg(long, value_name = "FIELD")]
    by: Option<String>,
    /// One epoch only, counted from 0
    #[arg(long, value_name = "NUMBER")]
    epoch: Option<u32>,
    /// Wait for distributions that are as new as the newest report
    #[arg(long)]
    fresh: bool,
}

impl Results {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let mut path = format!("/v1/collections/{}/estimate?fresh={}", self.collection, self.fresh);
        let epoch = self.epoch.map(|epoch| epoch.to_string());
        for (key, value) in [("attribute", &self.attribute), ("by", &self.by), ("epoch", &epoch)] {
            if let Some(value) = value {
                path += &format!("&{key}={}", escaped(value));
            }
        }
        let document: Value = self.connection.open()?.get(&path)?.json()?;
        let answered = Answered::deserialize(&document).map_err(|_| super::not_understood())?;
        output.print(&document, || page(&answered))
    }
}

/// A text as a part of an address.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_plain_characters_stay_as_they_are() {
        assert_eq!(super::escaped("a-Z_9 &é"), "a-Z_9%20%26%C3%A9");
    }
}
