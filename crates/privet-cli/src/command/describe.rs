//! One mechanism in numbers.

mod vectors;

use crate::arguments::{Chosen, MechanismArguments};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::plot;
use clap::Args;
use privet::analysis::parts::Part;
use privet::document;
use privet::registry::AnyEstimator;
use privet::{AnyMechanism, DomainSpec, Piece};
use privet_plot::{Law, draw_laws, grouped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  How probable is each report about one of sixteen categories?
    privet describe --mechanism grr --domain categories:16 --epsilon 2

  The law of the reports of one input:
    privet describe --mechanism ordered-exponential --domain categories:5 --epsilon 1 --input 2

  The densities of the reports of two numbers, as a picture:
    privet describe --mechanism ogpm --domain interval:0,1 --epsilon 1 --input 0,0.5 \\
      --plot density.svg";

/// Show a mechanism's channel in numbers
///
/// All numbers are computed from the integer weights that the sampler uses, not from a formula.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Describe {
    #[command(flatten)]
    mechanism: MechanismArguments,
    /// The input whose reports are described; for numbers and angles also a list, and the lowest one unless given
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    input: Option<String>,
    /// Draw the density of the reports of a number or an angle into an .svg or .png file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Describe {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        self.plot.as_deref().map(plot::Format::of).transpose()?;
        let chosen = self.mechanism.resolve()?;
        if let DomainSpec::Vectors(_) = chosen.domain {
            return self.describe_vectors(&chosen, output);
        }
        let mechanism = chosen.mechanism()?;
        match chosen.domain {
            DomainSpec::Interval(_) | DomainSpec::Circle(_) => {
                self.describe_numbers(&chosen, &*mechanism, output)
            }
            _ => self.describe_others(&chosen, &*mechanism, output),
        }
    }

    fn describe_others(
        &self,
        chosen: &Chosen,
        mechanism: &dyn AnyMechanism,
        output: Output,
    ) -> Result<(), Failure> {
        let domain = &chosen.domain;
        if self.plot.is_some() {
            return Err(Failure::Usage {
                message: format!("densities are drawn of numbers and angles: got {domain}"),
                hint: Some("leave --plot away: the table has all probabilities"),
            });
        }
        let pieces = mechanism.pieces(self.input.as_deref())?;
        let document = document(chosen, mechanism, pieces.iter().map(piece_json).collect());
        output.print(&document, || page(mechanism, domain, &pieces_table(&pieces)))
    }

    fn describe_numbers(
        &self,
        chosen: &Chosen,
        mechanism: &dyn AnyMechanism,
        output: Output,
    ) -> Result<(), Failure> {
        let domain = &chosen.domain;
        let estimator = chosen.estimator()?;
        let laws = self.laws(mechanism, &*estimator)?;
        let mut documents = Vec::new();
        for law in &laws {
            let mut document = document(chosen, mechanism, law.parts.iter().map(part_json).collect());
            document["input"] = law.input.into();
            documents.push(document);
        }
        if let Some(path) = &self.plot {
            let epsilon = chosen.epsilon.get();
            let (name, domain_name) = (mechanism.info().title, plot::domain_name(domain));
            let title = format!("{name}, {domain_name}, epsilon {epsilon}");
            plot::save(&draw_laws(title, domain, &laws), path)?;
        }
        let text = || page(mechanism, domain, &laws_text(&laws, self.plot.as_deref()));
        match &documents[..] {
            [only] => output.print(only, text),
            several => output.print(&several, text),
        }
    }

    /// The laws of all inputs.
    fn laws(&self, mechanism: &dyn AnyMechanism, estimator: &dyn AnyEstimator) -> Result<Vec<Law>, Failure> {
        let no_numbers =
            || Failure::Usage { message: "this mechanism's reports are not numbers".into(), hint: None };
        let channel = estimator.numeric().ok_or_else(no_numbers)?;
        let Some(list) = &self.input else {
            let low = channel.space().low();
            return Ok(vec![Law::of(channel, low, mechanism.pieces(None)?)]);
        };
        let law = |text: &str| {
            let pieces = mechanism.pieces(Some(text))?;
            let input = text.trim().parse().unwrap_or_else(|_| channel.space().low());
            Ok(Law::of(channel, input, pieces))
        };
        list.split(',').map(law).collect()
    }
}

fn document(chosen: &Chosen, mechanism: &dyn AnyMechanism, pieces: Vec<Value>) -> Value {
    let info = mechanism.info();
    json!({
        "id": info.id,
        "title": info.title,
        "domain": chosen.domain.to_string(),
        "guarantee": document::guarantee(&mechanism.guarantee()),
        "requested_epsilon": chosen.epsilon.get(),
        "report_bits": mechanism.report_bits(),
        "report_bytes": mechanism.report_bytes(),
        "numerics": info.numerics.as_str(),
        "slack": info.slack,
        "reference": info.reference,
        "fingerprint": mechanism.fingerprint().to_string(),
        "pieces": pieces,
    })
}

fn piece_json(piece: &Piece) -> Value {
    json!({ "from": piece.what, "to": piece.what, "outcomes": piece.outcomes, "mass": piece.mass })
}

fn part_json(part: &Part) -> Value {
    json!({ "from": part.from, "to": part.to, "density": part.density(), "mass": part.mass })
}

fn pieces_table(pieces: &[Piece]) -> String {
    let mut table = table_of_numbers(&["WHAT", "OUTCOMES", "PROBABILITY OF EACH"], 1);
    for piece in pieces {
        table.add_row([piece.what.clone(), piece.outcomes.to_string(), number(piece.mass)]);
    }
    table.trim_fmt()
}

/// Longer laws are shown in groups of neighbours.
const MOST_ROWS: usize = 24;

fn laws_text(laws: &[Law], plot: Option<&Path>) -> String {
    let mut sections: Vec<String> = laws.iter().map(law_text).collect();
    sections.extend(plot.map(|path| format!("Drawn in {}.", path.display())));
    sections.join("\n\n")
}

fn law_text(law: &Law) -> String {
    let mut table = table_of_numbers(&["FROM", "TO", "PROBABILITY", "DENSITY"], 0);
    for part in grouped(&law.parts, MOST_ROWS) {
        let density = part.density().map_or("-".into(), number);
        table.add_row([number(part.from), number(part.to), number(part.mass), density]);
    }
    let count = law.parts.len();
    let note = if count > MOST_ROWS {
        format!("\n{count} pieces in groups; --json has them all")
    } else {
        String::new()
    };
    format!("the reports of {}\n{}{note}", law.input, table.trim_fmt())
}

fn page(mechanism: &dyn AnyMechanism, domain: &DomainSpec, law: &str) -> String {
    let info = mechanism.info();
    let (bits, bytes) = (mechanism.report_bits(), mechanism.report_bytes());
    let facts = [
        ("id", info.id.to_owned()),
        ("domain", domain.to_string()),
        ("guarantee", mechanism.guarantee().to_string()),
        ("slack", info.slack.to_owned()),
        ("report", format!("{bits} bits in {bytes} {}", if bytes == 1 { "byte" } else { "bytes" })),
        ("numerics", info.numerics.as_str().to_owned()),
        ("reference", info.reference.to_owned()),
        ("fingerprint", mechanism.fingerprint().to_string()),
    ];
    let facts = facts.map(|(name, value)| format!("{name:<12} {value}")).join("\n");
    format!("{}\n\n{facts}\n\n{law}", info.title)
}
