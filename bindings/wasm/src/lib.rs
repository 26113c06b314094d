//! The device's half of Privet for browsers and Node. People use it through the npm package in `npm/`; what is here is thin: texts
//! and bytes in, texts and bytes out.
//!
//! - [`WasmPolicy`]: a policy's questions, statement and channels; answering one makes the record and the report in one step.
//! - [`WasmMechanism`]: many values at once by one mechanism.

mod error;
mod mechanism;
mod policy;
mod question;

pub use mechanism::WasmMechanism;
pub use policy::{WasmAnswer, WasmPolicy};

use error::Thrown;
use privet_core::Generator;

/// A generator from the browser or Node, or for tests from a seed that marks everything drawn with it.
fn generator(insecure_seed: Option<u64>) -> Result<Generator, Thrown> {
    if let Some(seed) = insecure_seed {
        return Ok(Generator::from_insecure_seed(seed));
    }
    let mut entropy = [0; 32];
    getrandom::fill(&mut entropy).map_err(|_| Thrown::no_entropy())?;
    Ok(Generator::from_entropy(entropy))
}
