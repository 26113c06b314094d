//! Which reports are known, kept so that adding many is cheap.
//!
//! Ids are random. In an ordinary tree each new one changes a page of its own, so the larger a collection is, the slower it grows. Here
//! each transaction writes its ids as one sorted *run*, page after page, and runs are merged as they become many: a new run takes in those
//! before it that are not larger, up to a limit. A collection of n reports has about log n runs, and one more for each million.
//!
//! To find out whether an id is known, each run has a filter in memory (12 bits for an id), which seldom says yes if the id is not
//! there. The filter and the first id of each page are read from the run when they are first needed. Runs are never changed, and their
//! numbers are random, so what was read once stays right whatever becomes of the transaction.

use super::{lock, refused};
use crate::store::{CollectionKey, StoreError};
use privet_policy::ReportId;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// An id and the sequence number of its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) id: [u8; ReportId::BYTES],
    pub(super) sequence: i64,
}

const ENTRY_BYTES: usize = ReportId::BYTES + 8;

/// As many entries as fit a page of the file.
const PAGE_ENTRIES: usize = 168;

/// A run with more entries is not merged any more, so that no transaction takes long.
const MOST_ENTRIES: usize = 1 << 20;

/// Pages have the number of their run times this, plus a count.
const PAGES_OF_A_RUN: i64 = 1 << 24;

impl Entry {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.id);
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (id, sequence) = bytes.split_first_chunk()?;
        Some(Self { id: *id, sequence: i64::from_le_bytes(sequence.try_into().ok()?) })
    }
}

/// What is in memory about runs.
#[derive(Debug, Default)]
pub(super) struct Directories {
    known: Mutex<HashMap<i64, Arc<Directory>>>,
    /// Keyed, so that nobody can choose ids that every filter knows.
    hasher: RandomState,
}

#[derive(Debug)]
struct Directory {
    filter: Filter,
    /// The first id of each page.
    fences: Vec<[u8; ReportId::BYTES]>,
}

/// A Bloom filter.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    const BITS_OF_AN_ID: usize = 12;
    const PROBES: u32 = 5;

    fn new(ids: usize) -> Self {
        Self { words: vec![0; (ids * Self::BITS_OF_AN_ID).div_ceil(64).max(1)] }
    }

    /// The word and the bit of each probe.
    fn places(&self, hash: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let bits = self.words.len() as u64 * 64;
        let step = hash.rotate_left(32) | 1;
        (0..Self::PROBES).map(move |probe| {
            let mixed = hash.wrapping_add(step.wrapping_mul(u64::from(probe)));
            let bit = ((u128::from(mixed) * u128::from(bits)) >> 64) as u64;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    fn add(&mut self, hash: u64) {
        for (word, bit) in self.places(hash) {
            self.words[word] |= bit;
        }
    }

    fn may_have(&self, hash: u64) -> bool {
        self.places(hash).all(|(word, bit)| self.words[word] & bit != 0)
    }
}

/// A run of a collection.
struct Run {
    number: i64,
    entries: usize,
    directory: Arc<Directory>,
}

/// The ids of one collection, inside of a transaction.
pub(super) struct Ids<'a> {
    connection: &'a Connection,
    directories: &'a Directories,
    collection: CollectionKey,
    /// In the order in which they were written.
    runs: Vec<Run>,
}

impl<'a> Ids<'a> {
    pub(super) fn open(
        connection: &'a Connection,
        directories: &'a Directories,
        collection: CollectionKey,
    ) -> Result<Self, StoreError> {
        let sql = "SELECT run, entries FROM runs WHERE collection = ?1 ORDER BY position";
        let mut statement = connection.prepare_cached(sql).map_err(refused)?;
        let rows = statement
            .query_map([collection.0], |row| Ok((row.get(0)?, row.get::<_, u32>(1)?)))
            .map_err(refused)?;
        let mut ids = Self { connection, directories, collection, runs: Vec::new() };
        for row in rows {
            let (number, entries) = row.map_err(refused)?;
            let entries = entries as usize;
            let directory = ids.directory(number, entries)?;
            ids.runs.push(Run { number, entries, directory });
        }
        Ok(ids)
    }

    /// The filter and the fences of a run, read when they are first needed.
    fn directory(&self, run: i64, entries: usize) -> Result<Arc<Directory>, StoreError> {
        if let Some(known) = lock(&self.directories.known).get(&run) {
            return Ok(Arc::clone(known));
        }
        let (mut filter, mut fences) = (Filter::new(entries), Vec::with_capacity(entries / PAGE_ENTRIES + 1));
        for number in pages_of(run, entries) {
            let page = self.page(number)?;
            fences.extend(page.first().map(|entry| entry.id));
            page.iter().for_each(|entry| filter.add(self.directories.hasher.hash_one(entry.id)));
        }
        let directory = Arc::new(Directory { filter, fences });
        lock(&self.directories.known).insert(run, Arc::clone(&directory));
        Ok(directory)
    }

    /// The entries of one page.
    fn page(&self, number: i64) -> Result<Vec<Entry>, StoreError> {
        let sql = "SELECT entries FROM id_pages WHERE page = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(refused)?;
        let read = |row: &rusqlite::Row<'_>| {
            let bytes = row.get_ref(0)?.as_blob()?;
            Ok(bytes.chunks_exact(ENTRY_BYTES).filter_map(Entry::read).collect())
        };
        let page = statement.query_row([number], read).optional().map_err(refused)?;
        page.ok_or_else(|| StoreError::Damaged("a page of ids is missing".to_owned()))
    }

    /// The sequence number of a report, if its id is known.
    pub(super) fn find(&self, id: ReportId) -> Result<Option<i64>, StoreError> {
        let id = id.to_bytes();
        let hash = self.directories.hasher.hash_one(id);
        for run in self.runs.iter().filter(|run| run.directory.filter.may_have(hash)) {
            if let Some(sequence) = self.find_in(run, id)? {
                return Ok(Some(sequence));
            }
        }
        Ok(None)
    }

    fn find_in(&self, run: &Run, id: [u8; ReportId::BYTES]) -> Result<Option<i64>, StoreError> {
        let behind = run.directory.fences.partition_point(|first| *first <= id);
        let Some(page) = behind.checked_sub(1) else { return Ok(None) };
        let entries = self.page(run.number * PAGES_OF_A_RUN + page as i64)?;
        let found = entries.binary_search_by_key(&id, |entry| entry.id);
        Ok(found.ok().map(|index| entries[index].sequence))
    }

    /// Adds new ids, in ascending order, together with all earlier runs that are not larger.
    pub(super) fn add(mut self, entries: Vec<Entry>) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let (mut count, mut merged) = (entries.len(), Vec::new());
        let is_small = |run: &Run, count: usize| run.entries <= count && run.entries + count <= MOST_ENTRIES;
        while let Some(last) = self.runs.pop_if(|last| is_small(last, count)) {
            count += last.entries;
            merged.push(last);
        }
        let mut sources = vec![Source::new(0..0, entries)];
        sources.extend(merged.iter().map(|run| Source::new(pages_of(run.number, run.entries), Vec::new())));
        self.write(count, sources)?;
        merged.iter().try_for_each(|run| self.delete(run))
    }

    fn delete(&self, run: &Run) -> Result<(), StoreError> {
        let execute = |sql: &str, values: &[i64]| {
            let mut statement = self.connection.prepare_cached(sql).map_err(refused)?;
            statement.execute(rusqlite::params_from_iter(values)).map_err(refused)
        };
        let pages = pages_of(run.number, run.entries);
        execute("DELETE FROM id_pages WHERE page >= ?1 AND page < ?2", &[pages.start, pages.end])?;
        execute("DELETE FROM runs WHERE run = ?1", &[run.number])?;
        lock(&self.directories.known).remove(&run.number);
        Ok(())
    }

    /// Writes a new run from sorted sources with so many entries together. Only a page of each is in memory.
    fn write(&self, count: usize, mut sources: Vec<Source>) -> Result<(), StoreError> {
        let mut lot = [0; 8];
        getrandom::fill(&mut lot).map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let run = (u64::from_le_bytes(lot) >> 25) as i64;
        let sql = "INSERT INTO runs (run, collection, entries) VALUES (?1, ?2, ?3)";
        let mut statement = self.connection.prepare_cached(sql).map_err(refused)?;
        statement.execute(params![run, self.collection.0, count as u32]).map_err(refused)?;
        let sql = "INSERT INTO id_pages (page, entries) VALUES (?1, ?2)";
        let mut statement = self.connection.prepare_cached(sql).map_err(refused)?;
        let mut bytes = Vec::with_capacity(PAGE_ENTRIES * ENTRY_BYTES);
        sources.iter_mut().try_for_each(|source| source.advance(self))?;
        for number in pages_of(run, count) {
            bytes.clear();
            while bytes.len() < PAGE_ENTRIES * ENTRY_BYTES {
                let least = sources
                    .iter_mut()
                    .filter(|source| source.head.is_some())
                    .min_by_key(|source| source.head);
                let Some(least) = least else { break };
                least.head.iter().for_each(|entry| entry.write(&mut bytes));
                least.advance(self)?;
            }
            statement.execute(params![number, bytes]).map_err(refused)?;
        }
        Ok(())
    }
}

/// The pages of a run with so many entries.
fn pages_of(run: i64, entries: usize) -> Range<i64> {
    let first = run * PAGES_OF_A_RUN;
    first..first + entries.div_ceil(PAGE_ENTRIES) as i64
}

/// Sorted entries that are merged with others.
struct Source {
    /// The next one.
    head: Option<Entry>,
    /// Those behind it that are in memory.
    page: std::vec::IntoIter<Entry>,
    /// Pages behind these.
    pages: Range<i64>,
}

impl Source {
    fn new(pages: Range<i64>, page: Vec<Entry>) -> Self {
        Self { head: None, page: page.into_iter(), pages }
    }

    fn advance(&mut self, ids: &Ids<'_>) -> Result<(), StoreError> {
        self.head = self.page.next();
        while self.head.is_none() {
            let Some(number) = self.pages.next() else { break };
            self.page = ids.page(number)?.into_iter();
            self.head = self.page.next();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::schema;

    fn id(number: u64) -> ReportId {
        let mut bytes = [0; ReportId::BYTES];
        bytes[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        ReportId::from_bytes(bytes)
    }

    fn entries(numbers: std::ops::Range<u64>) -> Vec<Entry> {
        let mut entries: Vec<Entry> =
            numbers.map(|number| Entry { id: id(number).to_bytes(), sequence: number as i64 }).collect();
        entries.sort();
        entries
    }

    #[test]
    fn everything_added_is_found_and_runs_stay_few() {
        let connection = Connection::open_in_memory().unwrap();
        schema::migrate(&connection, schema::MIGRATIONS).unwrap();
        let directories = Directories::default();
        let open = |collection| Ids::open(&connection, &directories, CollectionKey(collection)).unwrap();
        let mut next = 0;
        // Sizes of many kinds, around the ends of pages too.
        for size in [1, 1, 1, 5, 168, 169, 1, 2000, 3, 3, 336, 1, 5000, 1, 1, 2, 700, 40, 167] {
            open(1).add(entries(next..next + size)).unwrap();
            next += size;
        }
        open(2).add(entries(50_000..50_100)).unwrap();
        let again = Directories::default();
        for ids in [open(1), Ids::open(&connection, &again, CollectionKey(1)).unwrap()] {
            assert!((0..next).all(|number| ids.find(id(number)).unwrap() == Some(number as i64)));
            assert!((next..next + 3000).all(|number| ids.find(id(number)).unwrap().is_none()));
            // Every run is larger than the next.
            let sizes: Vec<usize> = ids.runs.iter().map(|run| run.entries).collect();
            assert!(sizes.windows(2).all(|pair| pair[0] > pair[1]), "{sizes:?}");
            assert_eq!(sizes.iter().sum::<usize>() as u64, next);
        }
        assert_eq!(open(2).find(id(50_007)).unwrap(), Some(50_007));
        assert_eq!(open(2).find(id(7)).unwrap(), None);
        let pages: u32 = connection.query_row("SELECT count(*) FROM id_pages", [], |row| row.get(0)).unwrap();
        assert!(
            u64::from(pages) <= next / PAGE_ENTRIES as u64 + 20,
            "{pages} pages: merged runs are deleted"
        );
    }

    /// The theory says 0.5 %; with fixed counters and a random key, one in a thousand filters would have twice as many.
    #[test]
    fn filters_seldom_err() {
        let hasher = RandomState::new();
        let mut filter = Filter::new(10_000);
        (0..10_000u64).for_each(|number| filter.add(hasher.hash_one(number)));
        assert!((0..10_000u64).all(|number| filter.may_have(hasher.hash_one(number))));
        let wrong = (10_000..60_000u64).filter(|number| filter.may_have(hasher.hash_one(*number))).count();
        assert!(wrong < 500, "{wrong} of 50000");
    }
}
