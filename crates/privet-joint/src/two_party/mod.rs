//! Two people draw their truthfulness together, and each learns only their own.
//!
//! **Honest-but-curious, and not audited.** The protocol hides what must be hidden from a partner who follows it and
//! looks at everything it sees. Some deviations are noticed, but a partner who garbles another circuit than it should
//! is not. The code is tested and has not been reviewed by anybody else.
//!
//! # What is computed
//! Each draws a 64-bit share; the sum R of the two, modulo 2^64, is a uniform word that neither knows. The cuts of the
//! [`JointTable`] say what it means ([`JointTable::read`]). First learns T1, Second learns T2, and neither anything else
//! but what its own bit says about the other's through the table. First garbles the circuit, Second evaluates it; the
//! labels of Second's share come by oblivious transfer.
//!
//! # Breaking off
//! Nobody knows anything before Second has sent the label of T1. Then First knows T1, and opens T2 for Second. So First
//! has its bit a message earlier, and this is what whoever breaks off can get:
//! - *Second, before it has sent the label:* nothing, and neither has First. If the gates were out, First's run is spent
//!   and there will be no other.
//! - *First, after it has received the label:* T1 of a word R that nobody will use. Second has no bit, and its run is
//!   spent: it makes no report that T1 says anything about.
//! - *The opening is lost:* First has a bit and may report, Second has none. Nobody can rule this out.
//!
//! Breaking off is a choice that can be made once: before the first message from which an output can follow leaves an
//! end, that end spends its [`RunLedger`]. Up to there a run may be tried again ([`RunError::is_retryable`]); after it
//! never, and the person is left out, or perturbs alone ([`Truthfulness::draw_alone`]). A partner who could choose again
//! and again would go on until its own bit is the one that says most about the other's.
//!
//! One choice is left to a First that does not follow the protocol: it can let the run stand when T1 suits it, and break
//! off when not. Given all it has seen, Second is then truthful with the probability that the table gives for this T1, or
//! with p if Second perturbs alone. Neither is beyond the *exposed-pair* epsilon of the table. The *average* guarantee is
//! not promised against partners who break off.

mod circuit;
mod error;
mod garble;
mod label;
mod ledger;
mod protocol;
mod transfer;
#[cfg(test)]
mod views;

pub use error::{RunError, RunFailure};
pub use ledger::{FileLedger, LedgerError, MemoryLedger, RunLedger};

use crate::table::JointTable;
use crate::wire::Link;
use circuit::Circuit;
use privet_core::CryptoRng;
use protocol::Gate;
use std::fmt;
use zeroize::Zeroize;

/// Which of the two a person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Garbles, and learns T1.
    First = 1,
    /// Evaluates, and learns T2.
    Second = 2,
}

/// Whether a person is to report truthfully. Private: with the report it tells the value.
pub struct Truthfulness(bool);

impl Truthfulness {
    pub(crate) fn new(is_truthful: bool) -> Self {
        Self(is_truthful)
    }

    /// For a person without a partner: truthful with the probability p of the table, whatever anybody else does.
    pub fn draw_alone(table: &JointTable, rng: &mut impl CryptoRng) -> Self {
        Self(rng.next_u64() >= table.lie_weight())
    }

    /// The bit itself.
    pub fn is_truthful(&self) -> bool {
        self.0
    }

    /// The report for a binary value.
    pub fn report(&self, value: bool) -> bool {
        value ^ !self.0
    }
}

impl Drop for Truthfulness {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Truthfulness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Truthfulness")
    }
}

/// Runs one end of the protocol.
///
/// Both ends must have the same table and different roles. The link should be [`Sealed`](crate::wire::Sealed): whoever
/// can read the messages of both directions is no part of the promise.
///
/// # Errors
/// When the ledger is spent, the link or the partner fails, or the ends do not fit; see [`RunError::is_retryable`].
pub fn run(
    role: Role,
    table: &JointTable,
    link: &mut (impl Link + ?Sized),
    rng: &mut impl CryptoRng,
    ledger: &mut dyn RunLedger,
) -> Result<Truthfulness, RunError> {
    let circuit = Circuit::of(table);
    let mut gate = Gate::new(ledger);
    let outcome = match role {
        Role::First => protocol::first(&circuit, link, rng, &mut gate),
        Role::Second => protocol::second(&circuit, link, rng, &mut gate),
    };
    outcome.map_err(|failure| RunError { failure, is_final: gate.is_final })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Generator, Probability};

    #[test]
    fn a_person_alone_is_truthful_as_often_as_in_a_pair() {
        let table = JointTable::new(Probability::new(0.8).unwrap(), -0.2).unwrap();
        let mut rng = Generator::from_insecure_seed(532);
        let draws = (0..100_000).filter(|_| Truthfulness::draw_alone(&table, &mut rng).is_truthful()).count();
        // Five standard deviations.
        assert!((draws as f64 - 80_000.0).abs() < 5.0 * (100_000f64 * 0.8 * 0.2).sqrt(), "{draws}");
    }

    #[test]
    fn the_bit_is_in_the_report_and_nowhere_else() {
        for (is_truthful, value) in [(true, true), (true, false), (false, true), (false, false)] {
            let bit = Truthfulness::new(is_truthful);
            assert_eq!(bit.report(value), value == is_truthful);
            assert_eq!(format!("{bit:?}"), "Truthfulness");
        }
    }
}
