//! Answers that take long to compute.

use super::AnswerError;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an answer is about, as a hash.
pub(crate) type Key = blake3::Hash;

/// An answer and the hash of the counters that it was computed from.
#[derive(Debug, Clone)]
struct Entry {
    counters: blake3::Hash,
    answer: Value,
}

#[derive(Debug, Default)]
struct Entries {
    known: HashMap<Key, Entry>,
    under_way: HashSet<Key>,
}

type Job = Box<dyn FnOnce() + Send>;

/// Keeps answers, and computes newer ones on a thread of its own, one after the other.
#[derive(Clone)]
pub(crate) struct Cache {
    entries: Arc<Mutex<Entries>>,
    jobs: SyncSender<Job>,
}

impl fmt::Debug for Cache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Cache")
    }
}

/// More answers than a page shows. Beyond, all of them are forgotten.
const MOST_ENTRIES: usize = 4096;
const MOST_JOBS: usize = 256;

/// When an answer may be an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    /// Never.
    Fresh,
    /// If there is an older one.
    Any,
}

impl Cache {
    /// Starts the thread. It ends with the last copy of the cache.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (jobs, waiting): (SyncSender<Job>, Receiver<Job>) = sync_channel(MOST_JOBS);
        let work = move || waiting.into_iter().for_each(|job| job());
        std::thread::Builder::new().name("estimates".to_owned()).spawn(work)?;
        Ok(Self { entries: Arc::default(), jobs })
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer about these counters, or an older one while a newer one is computed.
    pub(crate) fn answer(
        &self,
        key: Key,
        counters: blake3::Hash,
        age: Age,
        compute: impl FnOnce() -> Result<Value, AnswerError> + Send + 'static,
    ) -> Result<Value, AnswerError> {
        let known = self.entries().known.get(&key).cloned();
        match known {
            Some(entry) if entry.counters == counters => Ok(entry.answer),
            Some(entry) if age == Age::Any => {
                self.compute_later(key, counters, compute);
                Ok(entry.answer)
            }
            _ => {
                let answer = compute()?;
                self.keep(key, Entry { counters, answer: answer.clone() });
                Ok(answer)
            }
        }
    }

    fn compute_later(
        &self,
        key: Key,
        counters: blake3::Hash,
        compute: impl FnOnce() -> Result<Value, AnswerError> + Send + 'static,
    ) {
        if !self.entries().under_way.insert(key) {
            return;
        }
        // Not a copy of the cache, which would keep the thread from ever ending.
        let entries = Arc::clone(&self.entries);
        let job = move || {
            let computed = compute();
            let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
            entries.under_way.remove(&key);
            if let Ok(answer) = computed {
                entries.known.insert(key, Entry { counters, answer });
            }
        };
        if self.jobs.try_send(Box::new(job)).is_err() {
            self.entries().under_way.remove(&key);
        }
    }

    fn keep(&self, key: Key, entry: Entry) {
        let mut entries = self.entries();
        if entries.known.len() >= MOST_ENTRIES {
            entries.known.clear();
        }
        entries.known.insert(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::mpsc::channel;

    #[test]
    fn an_older_answer_is_shown_until_the_newer_one_is_there() {
        let cache = Cache::start().unwrap();
        let [key, one, two] = [b"key", b"one", b"two"].map(|text| blake3::hash(text));
        let ask =
            |counters, age, number: u32| cache.answer(key, counters, age, move || Ok(json!(number))).unwrap();
        assert_eq!(ask(one, Age::Any, 1), 1);
        assert_eq!(ask(one, Age::Fresh, 99), 1, "the same counters give the same answer");
        let (start, started) = channel::<()>();
        let later = cache.answer(key, two, Age::Any, move || {
            let _ = started.recv();
            Ok(json!(2))
        });
        assert_eq!(later.unwrap(), 1);
        assert_eq!(ask(two, Age::Any, 99), 1, "it is under way already");
        start.send(()).unwrap();
        // Jobs are done in order, so a second one ends after the first.
        let other = blake3::hash(b"other");
        let (end, ended) = channel();
        cache.answer(other, one, Age::Any, || Ok(json!(0))).unwrap();
        cache
            .answer(other, two, Age::Any, move || {
                end.send(()).unwrap();
                Ok(json!(0))
            })
            .unwrap();
        ended.recv().unwrap();
        assert_eq!(ask(two, Age::Any, 99), 2);
        let three = blake3::hash(b"three");
        assert_eq!(ask(three, Age::Fresh, 3), 3);
    }
}
