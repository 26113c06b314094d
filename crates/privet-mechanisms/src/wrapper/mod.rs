//! Adapters around mechanisms, each of them visible where it is used.

mod clamped;
mod memoized;

pub use clamped::{Clamped, MechanismExt};
pub use memoized::{ClientSecret, MemoContext, Memoized, MemoizedClient, Relayed};
