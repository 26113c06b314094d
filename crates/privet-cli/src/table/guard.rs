//! Decoders that panic on damaged files.
//!
//! The parquet and arrow crates answer most damage with an error, but some of it with a panic. A damaged file is no
//! defect of this program, so the panic becomes an error and its message, which could hold a value, is not printed.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps panics of guarded work quiet. Call it once, when the program starts.
pub(crate) fn keep_guarded_panics_quiet() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        if !IS_GUARDED.get() {
            usual(panic);
        }
    }));
}

/// What the work returns, or `None` if it panics. Whatever the work has borrowed must not be used after a panic.
pub(super) fn guard<T>(work: impl FnOnce() -> T) -> Option<T> {
    IS_GUARDED.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_none() {
        assert_eq!(guard(|| 7), Some(7));
        assert_eq!(guard(|| -> u8 { panic!("damaged") }), None);
    }
}
