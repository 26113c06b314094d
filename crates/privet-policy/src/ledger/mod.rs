//! A person's own record of what was asked, answered and spent.

#[cfg(not(target_family = "wasm"))]
mod file;
mod memory;
mod record;
#[cfg(not(target_family = "wasm"))]
mod seal;

#[cfg(not(target_family = "wasm"))]
pub use file::FileLedger;
pub use memory::MemoryLedger;
pub use record::{Charge, LedgerRecord};

use crate::attribute::Permanence;
use crate::date::Date;
use crate::resolved::{PolicyId, ResolvedPolicy};
use crate::spending::Spending;
use std::fmt::Debug;
use thiserror::Error;

/// Where records are kept. Nothing leaves the device before its record is stored.
pub trait LedgerStore: Debug {
    /// All records, in the order in which they were appended.
    ///
    /// # Errors
    /// When they cannot be read, or one that was acknowledged is damaged or missing.
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError>;

    /// Stores one more record, wholly or not at all, so that it survives the end of the program and of the power.
    ///
    /// # Errors
    /// When it is not stored for certain.
    fn append(&mut self, record: &LedgerRecord) -> Result<(), LedgerError>;
}

/// Records that cannot be kept. Never says what they hold.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Reading or writing failed.
    #[error("the ledger cannot be {action}: {reason}")]
    Storage {
        /// What was tried.
        action: &'static str,
        /// What the system says.
        reason: String,
    },
    /// Another program uses it.
    #[error("the ledger is in use by another program")]
    InUse,
    /// Something in it was changed, so what was spent is not known.
    #[error("the ledger is damaged: {reason}")]
    Damaged {
        /// What is wrong.
        reason: &'static str,
    },
}

impl LedgerError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Storage { .. } => "ledger-storage",
            Self::InUse => "ledger-in-use",
            Self::Damaged { .. } => "ledger-damaged",
        }
    }
}

/// The records of one person, of all collections of all origins.
#[derive(Debug)]
pub struct Ledger<S> {
    store: S,
    records: Vec<LedgerRecord>,
}

impl<S: LedgerStore> Ledger<S> {
    /// Reads what is there.
    ///
    /// # Errors
    /// When the records cannot be read.
    pub fn open(mut store: S) -> Result<Self, LedgerError> {
        let records = store.load()?;
        Ok(Self { store, records })
    }

    /// All records.
    pub fn records(&self) -> &[LedgerRecord] {
        &self.records
    }

    /// The answer to a collection in an epoch.
    pub fn answer(&self, collection: PolicyId, epoch: u32) -> Option<&LedgerRecord> {
        self.records.iter().find(|record| record.collection == collection && record.epoch == epoch)
    }

    /// Whether a collection was answered in any epoch.
    pub fn has_answered(&self, collection: PolicyId) -> bool {
        self.records.iter().any(|record| record.collection == collection)
    }

    /// What all reports to one origin cost together, of all its collections.
    pub fn spent_at(&self, origin: &str) -> Spending {
        total(self.of_origin(origin))
    }

    /// What the reports to a collection cost in the policy's period around a day.
    pub fn spent_in_period(&self, policy: &ResolvedPolicy, day: Date) -> Spending {
        total(self.in_period(policy, day))
    }

    fn of_origin<'a>(&'a self, origin: &str) -> impl Iterator<Item = &'a LedgerRecord> {
        self.records.iter().filter(move |record| record.origin == origin)
    }

    fn in_period(&self, policy: &ResolvedPolicy, day: Date) -> impl Iterator<Item = &LedgerRecord> {
        let (id, period) = (policy.id(), policy.period());
        self.records.iter().filter(move |record| record.collection == id && period.is_same(record.day, day))
    }

    /// What the period would have cost with one more record.
    pub(crate) fn period_with(&self, policy: &ResolvedPolicy, next: &LedgerRecord) -> Spending {
        total(self.in_period(policy, next.day).chain([next]))
    }

    /// What the origin would have cost with one more record.
    pub(crate) fn origin_with(&self, next: &LedgerRecord) -> Spending {
        total(self.of_origin(&next.origin).chain([next]))
    }

    /// Stores one more record.
    pub(crate) fn append(&mut self, record: LedgerRecord) -> Result<(), LedgerError> {
        self.store.append(&record)?;
        self.records.push(record);
        Ok(())
    }
}

/// Reports that share permanent answers.
struct Shared<'a> {
    origin: &'a str,
    attribute: &'a str,
    permanence: Permanence,
    fresh: Spending,
    reports: u32,
}

/// What records cost together. Fresh reports add up; reports on the same permanent answers cost together what these cost, if
/// that is less.
fn total<'a>(records: impl Iterator<Item = &'a LedgerRecord>) -> Spending {
    let mut sum = Spending::NONE;
    let mut shared: Vec<Shared<'_>> = Vec::new();
    for (record, charge) in
        records.flat_map(|record| record.charges.iter().map(move |charge| (record, charge)))
    {
        let Some(permanence) = charge.permanence else {
            sum = sum.and(charge.cost);
            continue;
        };
        let is_same = |other: &&mut Shared<'_>| {
            other.origin == record.origin
                && other.attribute == charge.attribute
                && other.permanence == permanence
        };
        match shared.iter_mut().find(is_same) {
            Some(other) => {
                other.fresh = other.fresh.and(charge.cost);
                other.reports = other.reports.saturating_add(1);
            }
            None => shared.push(Shared {
                origin: &record.origin,
                attribute: &charge.attribute,
                permanence,
                fresh: charge.cost,
                reports: 1,
            }),
        }
    }
    shared.iter().fold(sum, |sum, shared| sum.and(shared.permanence.cost(shared.fresh, shared.reports)))
}
