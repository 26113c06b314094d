//! Answers that take long to compute.

use super::AnswerError;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What an answer is about, as a hash.
pub(crate) type Key = blake3::Hash;

/// An answer and the hash of the counters that it was computed from.
#[derive(Debug, Clone)]
struct Entry<V> {
    counters: blake3::Hash,
    answer: V,
}

#[derive(Debug)]
struct Entries<V> {
    known: HashMap<Key, Entry<V>>,
    /// What somebody computes at this moment.
    under_way: HashSet<Key>,
    /// What the worker has been told to compute.
    ordered: HashSet<Key>,
}

/// What a cache shares with its worker.
#[derive(Debug)]
struct Shared<V> {
    entries: Mutex<Entries<V>>,
    /// Something is no longer under way.
    done: Condvar,
}

/// Somebody computes an answer, for as long as this lives.
struct Turn<'a, V> {
    shared: &'a Shared<V>,
    key: Key,
}

impl<V> Drop for Turn<'_, V> {
    fn drop(&mut self) {
        self.shared.entries().under_way.remove(&self.key);
        self.shared.done.notify_all();
    }
}

impl<V> Shared<V> {
    fn entries(&self) -> MutexGuard<'_, Entries<V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Clone> Shared<V> {
    /// The answer about these counters. Nothing is computed by two at once.
    fn fresh(
        &self,
        key: Key,
        counters: blake3::Hash,
        compute: impl FnOnce() -> Result<V, AnswerError>,
    ) -> Result<V, AnswerError> {
        let mut entries = self.entries();
        loop {
            if let Some(entry) = entries.known.get(&key).filter(|entry| entry.counters == counters) {
                return Ok(entry.answer.clone());
            }
            if entries.under_way.insert(key) {
                break;
            }
            entries = self.done.wait(entries).unwrap_or_else(PoisonError::into_inner);
        }
        drop(entries);
        let _turn = Turn { shared: self, key };
        let answer = compute()?;
        self.keep(key, Entry { counters, answer: answer.clone() });
        Ok(answer)
    }

    fn keep(&self, key: Key, entry: Entry<V>) {
        let mut entries = self.entries();
        if entries.known.len() >= MOST_ENTRIES {
            entries.known.clear();
        }
        entries.known.insert(key, entry);
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does what is not urgent, one after the other.
#[derive(Clone)]
pub(super) struct Worker {
    jobs: SyncSender<Job>,
}

const MOST_JOBS: usize = 256;

impl Worker {
    /// Starts the thread. It ends with the last copy of its worker.
    pub(super) fn start() -> std::io::Result<Self> {
        let (jobs, waiting): (SyncSender<Job>, Receiver<Job>) = sync_channel(MOST_JOBS);
        let work = move || waiting.into_iter().for_each(|job| job());
        std::thread::Builder::new().name("estimates".to_owned()).spawn(work)?;
        Ok(Self { jobs })
    }
}

/// Keeps answers of one kind, and lets a worker compute newer ones.
pub(crate) struct Cache<V> {
    shared: Arc<Shared<V>>,
    worker: Worker,
}

impl<V> fmt::Debug for Cache<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Cache")
    }
}

/// More answers than a page shows. Beyond, all of them are forgotten.
const MOST_ENTRIES: usize = 4096;

/// When an answer may be an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    /// Never.
    Fresh,
    /// If there is an older one.
    Any,
}

impl<V: Clone + Send + 'static> Cache<V> {
    pub(super) fn new(worker: &Worker) -> Self {
        let entries = Entries { known: HashMap::new(), under_way: HashSet::new(), ordered: HashSet::new() };
        let shared = Shared { entries: Mutex::new(entries), done: Condvar::new() };
        Self { shared: Arc::new(shared), worker: worker.clone() }
    }

    /// The answer about these counters, or an older one while a newer one is computed.
    pub(crate) fn answer(
        &self,
        key: Key,
        counters: blake3::Hash,
        age: Age,
        compute: impl FnOnce() -> Result<V, AnswerError> + Send + 'static,
    ) -> Result<V, AnswerError> {
        let known = self.shared.entries().known.get(&key).cloned();
        match known {
            Some(entry) if age == Age::Any && entry.counters != counters => {
                self.order(key, counters, compute);
                Ok(entry.answer)
            }
            _ => self.fresh(key, counters, compute),
        }
    }

    /// The answer about these counters.
    pub(crate) fn fresh(
        &self,
        key: Key,
        counters: blake3::Hash,
        compute: impl FnOnce() -> Result<V, AnswerError>,
    ) -> Result<V, AnswerError> {
        self.shared.fresh(key, counters, compute)
    }

    /// Tells the worker to compute an answer.
    fn order(
        &self,
        key: Key,
        counters: blake3::Hash,
        compute: impl FnOnce() -> Result<V, AnswerError> + Send + 'static,
    ) {
        if !self.shared.entries().ordered.insert(key) {
            return;
        }
        // Not a copy of the cache, whose worker would keep the thread from ever ending.
        let shared = Arc::clone(&self.shared);
        let job = move || {
            // Whoever asks for it next sees why there is none.
            let _ = shared.fresh(key, counters, compute);
            shared.entries().ordered.remove(&key);
        };
        if self.worker.jobs.try_send(Box::new(job)).is_err() {
            self.shared.entries().ordered.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::EstimateError;
    use std::sync::mpsc::channel;

    #[test]
    fn an_older_answer_is_shown_until_the_newer_one_is_there() {
        let cache = Cache::new(&Worker::start().unwrap());
        let [key, one, two] = [b"key", b"one", b"two"].map(|text| blake3::hash(text));
        let ask = |counters, age, number: u32| cache.answer(key, counters, age, move || Ok(number)).unwrap();
        assert_eq!(ask(one, Age::Any, 1), 1);
        assert_eq!(ask(one, Age::Fresh, 99), 1, "the same counters give the same answer");
        let (start, started) = channel::<()>();
        let later = cache.answer(key, two, Age::Any, move || {
            let _ = started.recv();
            Ok(2)
        });
        assert_eq!(later.unwrap(), 1);
        assert_eq!(ask(two, Age::Any, 99), 1, "it is under way already");
        start.send(()).unwrap();
        // Jobs are done in order, so a second one ends after the first.
        let other = blake3::hash(b"other");
        let (end, ended) = channel();
        cache.answer(other, one, Age::Any, || Ok(0)).unwrap();
        cache
            .answer(other, two, Age::Any, move || {
                end.send(()).unwrap();
                Ok(0)
            })
            .unwrap();
        ended.recv().unwrap();
        assert_eq!(ask(two, Age::Any, 99), 2);
        let three = blake3::hash(b"three");
        assert_eq!(ask(three, Age::Fresh, 3), 3);
    }

    #[test]
    fn nothing_is_computed_by_two_at_once() {
        let cache: Cache<u32> = Cache::new(&Worker::start().unwrap());
        let key = blake3::hash(b"key");
        let (begin, begun) = channel::<()>();
        let (end, ended) = channel::<()>();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| {
                cache.fresh(key, key, move || {
                    begin.send(()).unwrap();
                    ended.recv().unwrap();
                    Ok(1)
                })
            });
            begun.recv().unwrap();
            let second = scope.spawn(|| cache.fresh(key, key, || Ok(2)));
            end.send(()).unwrap();
            assert_eq!([first, second].map(|thread| thread.join().unwrap()), [Ok(1), Ok(1)]);
        });
        // Who fails does not keep others from trying.
        let other = blake3::hash(b"other");
        let error = EstimateError::Damaged { reason: "for a test" };
        assert!(cache.fresh(key, other, || Err(error.into())).is_err());
        assert_eq!(cache.fresh(key, other, || Ok(3)), Ok(3));
    }
}
