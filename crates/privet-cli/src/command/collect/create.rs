//! A collection from a policy.

use super::connection::ConnectionArguments;
use crate::contract;
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use serde::{Deserialize, Serialize};
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

/// A collection that was created, now or before.
#[derive(Debug, Serialize, Deserialize)]
struct Created {
    id: String,
    created: bool,
}

impl Create {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let policy = contract::read_policy(&self.policy)?;
        let path = if self.submission_tokens { "/v1/collections?tokens=true" } else { "/v1/collections" };
        let mut connection = self.connection.open()?;
        let reply = connection.post(path, "application/json", policy.to_json().as_bytes())?;
        let created: Created = reply.json()?;
        if created.id != policy.id().to_string() {
            return Err(super::other_policy());
        }
        output.print(&created, || {
            let when = if created.created { "was created" } else { "was there before" };
            format!("The collection {} {when}", created.id)
        })
    }
}
