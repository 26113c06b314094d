//! Records that end with the program.

use super::{LedgerError, LedgerRecord, LedgerStore};

/// Records in memory: for tests, and for stores that keep the bytes themselves.
#[derive(Debug, Default, Clone)]
pub struct MemoryLedger {
    records: Vec<LedgerRecord>,
}

impl LedgerStore for MemoryLedger {
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError> {
        Ok(self.records.clone())
    }

    fn append(&mut self, record: &LedgerRecord) -> Result<(), LedgerError> {
        self.records.push(record.clone());
        Ok(())
    }
}
