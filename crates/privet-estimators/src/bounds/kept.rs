//! A few things that take long to make.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The things that were asked for last, by what they were made for.
#[derive(Debug)]
pub(crate) struct Kept<K, V> {
    newest_first: Arc<Mutex<Entries<K, V>>>,
}

type Entries<K, V> = Vec<(K, Arc<V>)>;

/// Enough for the whole, a few slices of it, and a growing number of reports.
const MOST: usize = 8;

impl<K, V> Clone for Kept<K, V> {
    /// Both share what they keep.
    fn clone(&self) -> Self {
        Self { newest_first: Arc::clone(&self.newest_first) }
    }
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self { newest_first: Arc::default() }
    }
}

impl<K: PartialEq, V> Kept<K, V> {
    /// What was made for a key, or what is made now. Nobody waits while somebody else makes something.
    pub(crate) fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> Arc<V> {
        if let Some(known) = self.find(&key) {
            return known;
        }
        let made = Arc::new(make(&key));
        let mut entries = self.entries();
        entries.insert(0, (key, Arc::clone(&made)));
        entries.truncate(MOST);
        made
    }

    fn find(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.entries();
        let position = entries.iter().position(|(known, _)| known == key)?;
        // The newest come first, and those that nobody asks for any more go.
        entries[..=position].rotate_right(1);
        entries.first().map(|(_, value)| Arc::clone(value))
    }

    fn entries(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.newest_first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_kept() {
        let kept: Kept<usize, usize> = Kept::default();
        let ask = |key: usize| *kept.get(key, |key| key * 10);
        (0..MOST).for_each(|key| assert_eq!(ask(key), key * 10));
        // The oldest is asked for again, so the second oldest goes when one more comes.
        assert_eq!(*kept.get(0, |_| 99), 0);
        ask(100);
        assert_eq!(*kept.get(0, |_| 99), 0);
        assert_eq!(*kept.get(1, |_| 99), 99);
    }
}
