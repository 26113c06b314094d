//! Estimates of a collection.

use super::connection::ConnectionArguments;
use crate::command::answers::Answered;
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use privet::Target;
use privet::client::Wanted;
use privet::policy::PolicyId;

const EXAMPLES: &str = "\
Examples:
  All attributes:
    privet collect results --collector http://127.0.0.1:8080 --collection ID

  One attribute by the values of a public field, for programs:
    privet collect results --collector http://127.0.0.1:8080 --collection ID \\
      --attribute commute --by region --json

  What they say about everybody, if the people who reported were drawn at random:
    privet collect results --collector http://127.0.0.1:8080 --collection ID --target population";

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
    /// Which people the intervals are about: `reported`, those whose reports these are, uncertain by the noise of their
    /// reports alone; or `population`, everybody from whom they were drawn at random, uncertain also by who happened to
    /// report. Comparing groups or times needs `population`: docs/INTERVALS.md
    #[arg(long, value_name = "TARGET", default_value = "reported", value_parser = str::parse::<Target>)]
    target: Target,
    /// Wait for distributions that are as new as the newest report
    #[arg(long)]
    fresh: bool,
}

impl Results {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let wanted = Wanted {
            attribute: self.attribute.clone(),
            by: self.by.clone(),
            epoch: self.epoch,
            target: self.target,
            fresh: self.fresh,
        };
        let document = self.connection.open()?.results(self.collection, &wanted)?;
        let answered = Answered::read(&document)?;
        output.print(&document, || answered.page())
    }
}
