//! A collection from a policy.

use super::connection::ConnectionArguments;
use crate::contract;
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The id that is printed names the collection from now on:
    privet collect create --collector http://127.0.0.1:8080 --policy travel.toml

  At a collector that asks for a token:
    privet collect create --collector https://collect.city.example --policy travel.toml \\
      --token manage.token";

/// Create a collection from a policy
///
/// The policy is decided here, with the mechanism files beside it, and sent as a whole. Its id is the hash of what is sent, so
/// creating twice gives the same collection.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Create {
    #[command(flatten)]
    connection: ConnectionArguments,
    /// The policy, in TOML or JSON
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Let each report need a one-time token, which is signed blindly
    #[arg(long)]
    submission_tokens: bool,
}

impl Create {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let policy = contract::read_policy(&self.policy)?;
        let is_new = self.connection.open()?.create(&policy, self.submission_tokens)?;
        let id = policy.id().to_string();
        output.print(&json!({ "id": id, "created": is_new }), || {
            let when = if is_new { "was created" } else { "was there before" };
            format!("The collection {id} {when}")
        })
    }
}
