//! The list of mechanisms.

use crate::failure::Failure;
use crate::output::{Output, table};
use clap::Args;
use privet::vector::registry::ROWS as VECTOR_ROWS;
use privet::{MechanismInfo, document, registry};
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  What there is:
    privet mechanisms

  The names of all mechanisms, for a script:
    privet mechanisms --json | jq -r '.[].id'";

/// List the mechanisms
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mechanisms {
    /// Print a table in Markdown
    #[arg(long)]
    markdown: bool,
}

impl Mechanisms {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let on_vectors = VECTOR_ROWS.iter().map(|row| &row.info);
        let infos = || registry::mechanisms().map(|row| &row.info).chain(on_vectors.clone());
        let document: Vec<Value> = infos().map(document::mechanism).collect();
        if self.markdown && output == Output::Json {
            return Err(Failure::Usage {
                message: "--json and --markdown exclude each other".into(),
                hint: None,
            });
        }
        output.print(&document, || if self.markdown { markdown(infos()) } else { plain(infos()) })
    }
}

fn plain<'a>(infos: impl Iterator<Item = &'a MechanismInfo>) -> String {
    let mut table = table(&["ID", "SYNONYMS", "DOMAIN", "FOR", "GUARANTEE", "REFERENCE"]);
    for info in infos {
        let synonyms = info.synonyms.join(", ");
        table.add_row([info.id, &synonyms, info.domain, info.goal, info.guarantee, info.reference]);
    }
    table.trim_fmt()
}

fn markdown<'a>(infos: impl Iterator<Item = &'a MechanismInfo>) -> String {
    let mut lines = vec![
        "| id | name | domain | for | guarantee | numerics | reference |".to_owned(),
        "|---|---|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(infos.map(|info| {
        let cells = [
            &format!("`{}`", info.id),
            info.title,
            info.domain,
            info.goal,
            info.guarantee,
            info.numerics.as_str(),
            info.reference,
        ];
        format!("| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    }));
    lines.join("\n")
}
