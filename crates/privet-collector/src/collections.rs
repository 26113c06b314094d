//! Collections that are ready, by their policy's id.

use crate::collection::Collection;
use crate::store::{NewCollection, Store, StoreError, StoredCollection};
use crate::tokens::SubmissionKey;
use privet_policy::{PolicyId, ResolvedPolicy};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes collections from what is stored, and keeps those that were used.
#[derive(Debug, Default)]
pub(crate) struct Collections {
    ready: Mutex<HashMap<PolicyId, Arc<Collection>>>,
}

/// Beyond, all are forgotten and made again when they are used.
const MOST_READY: usize = 256;

impl Collections {
    fn ready(&self) -> MutexGuard<'_, HashMap<PolicyId, Arc<Collection>>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A collection that was used before.
    pub(crate) fn known(&self, id: PolicyId) -> Option<Arc<Collection>> {
        self.ready().get(&id).cloned()
    }

    /// A collection, if the store has it.
    pub(crate) fn find(
        &self,
        store: &dyn Store,
        id: PolicyId,
    ) -> Result<Option<Arc<Collection>>, StoreError> {
        if let Some(known) = self.known(id) {
            return Ok(Some(known));
        }
        let mut transaction = store.read()?;
        let stored = transaction.collection(id)?;
        transaction.commit()?;
        let Some(stored) = stored else { return Ok(None) };
        let collection = Arc::new(prepare(&stored)?);
        let mut ready = self.ready();
        if ready.len() >= MOST_READY {
            ready.clear();
        }
        ready.insert(id, Arc::clone(&collection));
        Ok(Some(collection))
    }
}

/// Reads a stored policy and makes everything that follows from it.
fn prepare(stored: &StoredCollection) -> Result<Collection, StoreError> {
    let damaged =
        |error: &dyn std::fmt::Display| StoreError::Damaged(format!("the collection {}: {error}", stored.id));
    let policy = ResolvedPolicy::from_json(&stored.policy).map_err(|error| damaged(&error))?;
    let key = stored.token_key.as_deref().map(SubmissionKey::from_bytes).transpose();
    let tokens = key.map_err(|error| damaged(&error))?;
    Collection::new(stored.key, Arc::new(policy), tokens).map_err(|error| damaged(&error))
}

/// What became of a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    New,
    /// It was there before.
    Known,
    /// It was there before, with tokens where none are wanted or without where they are.
    OtherTokens,
}

/// Keeps a policy.
pub(crate) fn create(
    store: &dyn Store,
    policy: &ResolvedPolicy,
    with_tokens: bool,
    day: u32,
) -> Result<Creation, StoreError> {
    let id = policy.id();
    let mut transaction = store.read()?;
    let known = transaction.collection(id)?;
    transaction.commit()?;
    if let Some(known) = known {
        let same = known.token_key.is_some() == with_tokens;
        return Ok(if same { Creation::Known } else { Creation::OtherTokens });
    }
    let damaged = |error: crate::tokens::NotAKey| StoreError::Damaged(error.to_string());
    let key = with_tokens.then(|| SubmissionKey::generate()?.to_bytes()).transpose().map_err(damaged)?;
    let new = NewCollection { id, policy: policy.to_json(), day, token_key: key.as_deref() };
    let mut transaction = store.write()?;
    let is_new = transaction.create_collection(&new)?;
    transaction.commit()?;
    if is_new {
        return Ok(Creation::New);
    }
    // Another collector was faster.
    create(store, policy, with_tokens, day)
}
