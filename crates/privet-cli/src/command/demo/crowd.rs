//! Many devices: each makes its report, and the reports go to the collector.

use super::people::Person;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use privet::client::{Collection, Collector};
use privet::policy::ledger::{Ledger, MemoryLedger};
use privet::policy::{Client, Date};
use privet::{Rng, generator, parallel};

/// How many people answer between two looks at the clock and at Ctrl-C.
const BATCH: usize = 2048;

/// Lets everybody answer. Gives the first person's report.
pub(super) fn answer(
    people: &[Person],
    collector: &mut Collector,
    collection: &Collection,
    today: Date,
    interrupt: &Interrupt,
) -> Result<Vec<u8>, Failure> {
    let mut progress = Progress::new("people", Some(people.len() as u64));
    let mut first = None;
    for batch in people.chunks(BATCH) {
        interrupt.check()?;
        let reports = reports(batch, collection, today)?;
        let sent = collector.submit(collection, &reports.concat())?;
        if sent.accepted != batch.len() as u64 {
            let message = format!("the collector took {} of {} reports", sent.accepted, batch.len());
            return Err(Failure::Data { message, hint: None });
        }
        progress.add(sent.accepted);
        first = first.or_else(|| reports.into_iter().next());
    }
    Ok(first.unwrap_or_default())
}

/// The reports of some people, made on all cores. Each core has randomness of its own.
fn reports(people: &[Person], collection: &Collection, today: Date) -> Result<Vec<Vec<u8>>, Failure> {
    let shares: Vec<&[Person]> = people.chunks(people.len().div_ceil(parallel::cores()).max(1)).collect();
    let made = parallel::map(&shares, |share| {
        let mut rng = generator()?;
        let report = |person: &Person| {
            let mut secret = [0; 32];
            rng.fill_bytes(&mut secret);
            let wrong = |source| Failure::Answer { path: None, row: None, source };
            let mut ledger = Ledger::open(MemoryLedger::default()).map_err(|error| wrong(error.into()))?;
            let client = Client::new(secret);
            let prepared =
                client.answer(collection.policy(), &person.answers(), &mut ledger, &mut rng, today);
            Ok(prepared.map_err(wrong)?.bytes)
        };
        share.iter().map(report).collect::<Result<Vec<_>, Failure>>()
    });
    Ok(made.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}
