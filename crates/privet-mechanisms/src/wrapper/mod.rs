//! Adapters around mechanisms, each of them visible where it is used.

mod clamped;
mod indicator;
mod memoized;

pub use clamped::{Clamped, MechanismExt};
pub use indicator::{Indicator, Truthful};
pub use memoized::{ClientSecret, MemoContext, Memoized, MemoizedClient, Relayed};
