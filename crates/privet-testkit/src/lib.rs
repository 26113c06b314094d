//! The battery that every mechanism must pass: exact privacy, sampler equals channel, fixed shape, honest estimator,
//! merge laws, golden vectors. Each check gives a [`Finding`] instead of panicking, so that tampered mechanisms can be
//! shown to fail it.

mod battery;
mod estimation;
mod exact;
mod finding;
pub mod golden;
mod memo;
pub mod misuse;
#[cfg(unix)]
pub mod postgres;
mod randomness;
mod sampler;
mod tampered;

pub use battery::{Battery, categorical_cases};
pub use estimation::{Coverage, check_estimator, check_merge, coverage};
pub use exact::check_privacy;
pub use finding::Finding;
pub use memo::{averaging_attack, linkage_success};
pub use randomness::{SplitMix, Words, WordsTaken};
pub use sampler::{
    check_bit_pairs, check_codec, check_public_part, check_randomness, check_sampler, check_support,
};
pub use tampered::{ReportChange, Tampered, Tampering};

/// The probability with which a correct mechanism fails one statistical check.
pub const ALPHA: f64 = 1e-6;
