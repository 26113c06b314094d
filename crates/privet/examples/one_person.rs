//! One person's report to a collector: `cargo run -p privet --features http --example one_person -- URL COLLECTION NAME=VALUE ..`
//!
//! The ledger and the secret beside it are made in the present folder.

use privet::client::{Collector, Connection, Device, today};
use privet::policy::Answers;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, collection, values @ ..] = arguments.as_slice() else {
        return Err("which collector, which collection, and which answers?".into());
    };
    let mut collector = Collector::open(Connection::to(url))?;
    // The id is the hash of the policy, so the collector cannot hand out another one.
    let collection = collector.collection(collection.parse()?)?;
    println!("{}", collection.policy().statement_text());

    let is_public = |name: &str| collection.policy().terms().public.iter().any(|field| field.name == name);
    let answers = values.iter().filter_map(|pair| pair.split_once('=')).fold(
        Answers::new(),
        |answers, (name, value)| {
            if is_public(name) { answers.public(name, value) } else { answers.value(name, value) }
        },
    );
    let mut me = Device::open("my.ledger".as_ref())?;
    // Recorded first, then sent. Started again, this sends the same bytes.
    let answered = collector.answer(&collection, &mut me, &answers, today()?)?;
    println!(
        "The report {} is stored; epsilon {} is spent on this origin so far.",
        answered.report, answered.spent_epsilon
    );
    Ok(())
}
