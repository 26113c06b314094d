//! One mechanism in numbers.

use crate::arguments::MechanismArguments;
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use clap::Args;
use privet::{AnyMechanism, Piece};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  How probable is each report about one of sixteen categories?
    privet describe --mechanism grr --domain categories:16 --epsilon 2

  The law of the reports of one input:
    privet describe --mechanism ordered-exponential --domain categories:5 --epsilon 1 --input 2";

/// Show a mechanism's channel in numbers
///
/// All numbers are computed from the integer weights that the sampler uses, not from a formula.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Describe {
    #[command(flatten)]
    mechanism: MechanismArguments,
    /// The input whose reports are described
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    input: Option<String>,
}

impl Describe {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let domain = self.mechanism.domain()?;
        let mechanism = self.mechanism.mechanism()?;
        let pieces = mechanism.pieces(self.input.as_deref())?;
        let info = mechanism.info();
        let document = json!({
            "id": info.id,
            "title": info.title,
            "domain": domain.to_string(),
            "guarantee": super::guarantee_json(&mechanism.guarantee()),
            "requested_epsilon": self.mechanism.epsilon()?.get(),
            "report_bits": mechanism.report_bits(),
            "report_bytes": mechanism.report_bytes(),
            "numerics": info.numerics.as_str(),
            "slack": info.slack,
            "reference": info.reference,
            "fingerprint": mechanism.fingerprint().to_string(),
            "pieces": pieces.iter().map(piece_json).collect::<Vec<_>>(),
        });
        output.print(&document, || page(&*mechanism, &domain.to_string(), &pieces))
    }
}

fn piece_json(piece: &Piece) -> Value {
    json!({ "from": piece.what, "to": piece.what, "outcomes": piece.outcomes, "mass": piece.mass })
}

fn page(mechanism: &dyn AnyMechanism, domain: &str, pieces: &[Piece]) -> String {
    let info = mechanism.info();
    let (bits, bytes) = (mechanism.report_bits(), mechanism.report_bytes());
    let mut pieces_table = table_of_numbers(&["WHAT", "OUTCOMES", "PROBABILITY OF EACH"], 1);
    for piece in pieces {
        pieces_table.add_row([piece.what.clone(), piece.outcomes.to_string(), number(piece.mass)]);
    }
    let facts = [
        ("id", info.id.to_owned()),
        ("domain", domain.to_owned()),
        ("guarantee", mechanism.guarantee().to_string()),
        ("slack", info.slack.to_owned()),
        ("report", format!("{bits} bits in {bytes} {}", if bytes == 1 { "byte" } else { "bytes" })),
        ("numerics", info.numerics.as_str().to_owned()),
        ("reference", info.reference.to_owned()),
        ("fingerprint", mechanism.fingerprint().to_string()),
    ];
    let facts = facts.map(|(name, value)| format!("{name:<12} {value}")).join("\n");
    format!("{}\n\n{facts}\n\n{}", info.title, pieces_table.trim_fmt())
}
