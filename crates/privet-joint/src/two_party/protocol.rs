//! The messages of a run, in their only order.
//!
//! | | from | body | the sender's run is |
//! |---|---|---|---|
//! | hello | both | role, nonce, cuts of the table | |
//! | transfer key | First | A | |
//! | transfer points | Second | a point for each bit | |
//! | gates | First | corrections of the labels, garbled gates | spent before |
//! | output label | Second | the label of T1 | spent before |
//! | opening | First | the lowest bit of the label of T2 = 0 | |

use super::circuit::Circuit;
use super::error::RunFailure;
use super::garble::{evaluate, garble, garbled_bytes};
use super::label::{GateHash, LABEL_BYTES, Label};
use super::ledger::{LedgerError, RunLedger};
use super::transfer::{POINT_BYTES, Receiver, Sender};
use super::{Role, Truthfulness};
use crate::wire::{Kind, Link, WireError};
use privet_core::CryptoRng;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

const HELLO: Kind = Kind(1);
const TRANSFER_KEY: Kind = Kind(2);
const TRANSFER_POINTS: Kind = Kind(3);
const GATES: Kind = Kind(4);
const OUTPUT_LABEL: Kind = Kind(5);
const OPENING: Kind = Kind(6);

const NONCE_BYTES: usize = 16;
const HELLO_BYTES: usize = 1 + NONCE_BYTES + 3 * 8;
pub(super) const TAG_BYTES: usize = 16;

/// The ledger, and whether this run has spent it.
pub(super) struct Gate<'a> {
    ledger: &'a mut dyn RunLedger,
    pub(super) is_final: bool,
}

impl<'a> Gate<'a> {
    pub(super) fn new(ledger: &'a mut dyn RunLedger) -> Self {
        Self { ledger, is_final: false }
    }

    fn check(&mut self) -> Result<(), LedgerError> {
        self.is_final = self.ledger.is_spent()?;
        if self.is_final { Err(LedgerError::Spent) } else { Ok(()) }
    }

    fn pass(&mut self) -> Result<(), LedgerError> {
        // If the ledger fails half-way, it may be spent.
        self.is_final = true;
        self.ledger.spend()
    }
}

/// A link on which both ends have agreed on a name for this attempt that neither can have used before.
struct Session<'a, L: ?Sized> {
    link: &'a mut L,
    key: [u8; 32],
    tag: [u8; TAG_BYTES],
}

impl<'a, L: Link + ?Sized> Session<'a, L> {
    fn open(
        role: Role,
        circuit: &Circuit,
        link: &'a mut L,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, RunFailure> {
        let mut own = vec![role as u8];
        own.resize(1 + NONCE_BYTES, 0);
        rng.fill_bytes(&mut own[1..]);
        own.extend(circuit.cuts().into_iter().flat_map(u64::to_le_bytes));
        link.send(HELLO, &own)?;
        let other = link.receive_exact(HELLO, HELLO_BYTES)?;
        if other[0] == own[0] {
            return Err(RunFailure::SameRole);
        }
        if other[1 + NONCE_BYTES..] != own[1 + NONCE_BYTES..] {
            return Err(RunFailure::OtherTable);
        }
        let [first, second] = if role == Role::First { [&own, &other] } else { [&other, &own] };
        let mut hasher = blake3::Hasher::new_derive_key("privet-joint two-party session v1");
        hasher.update(first).update(second);
        let key = *hasher.finalize().as_bytes();
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&blake3::derive_key("privet-joint two-party tag v1", &key)[..TAG_BYTES]);
        Ok(Self { link, key, tag })
    }

    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.link.send(kind, &[&self.tag, body].concat())
    }

    /// A message of an earlier attempt between the same two has another tag.
    fn receive(&mut self, kind: Kind, bytes: usize) -> Result<Vec<u8>, WireError> {
        let mut body = self.link.receive_exact(kind, TAG_BYTES + bytes)?;
        let rest = body.split_off(TAG_BYTES);
        if body == self.tag { Ok(rest) } else { Err(WireError::WrongRun) }
    }
}

/// First garbles, sends the label choices of Second's bits obliviously, and learns T1 from the label that comes back.
pub(super) fn first(
    circuit: &Circuit,
    link: &mut (impl Link + ?Sized),
    rng: &mut impl CryptoRng,
    gate: &mut Gate<'_>,
) -> Result<Truthfulness, RunFailure> {
    gate.check()?;
    let mut session = Session::open(Role::First, circuit, link, rng)?;
    let sender = Sender::new(rng);
    session.send(TRANSFER_KEY, &sender.public)?;
    let points = session.receive(TRANSFER_POINTS, circuit.width() * POINT_BYTES)?;

    let difference = Zeroizing::new(Label(random_label(rng).0 | 1));
    let labels = sender
        .labels(&session.key, &points, *difference)
        .ok_or(RunFailure::Deviation { what: "a transfer point is not a point of the group" })?;
    let share = Zeroizing::new(circuit.reduce(rng.next_u64()));
    let input = circuit.first_input(*share);
    let garbled = garble(&input, &labels.zeros, *difference, &GateHash::new(&session.key));

    // Once the gates are out, First cannot know whether Second has sent the label.
    gate.pass()?;
    session.send(GATES, &[labels.corrections, garbled.gates].concat())?;
    let label = Zeroizing::new(session.receive(OUTPUT_LABEL, LABEL_BYTES)?);
    let [zero, opening] = *garbled.outputs;
    let is_zero: bool = label.ct_eq(&zero.to_bytes()).into();
    let is_one: bool = label.ct_eq(&(zero ^ *difference).to_bytes()).into();
    if is_zero == is_one {
        return Err(RunFailure::Deviation { what: "the output label is of neither bit" });
    }
    session.send(OPENING, &[u8::from(opening.pointer())])?;
    Ok(Truthfulness::new(is_one))
}

/// Second evaluates, gives First the label of T1, and learns T2 from the opening that comes back.
pub(super) fn second(
    circuit: &Circuit,
    link: &mut (impl Link + ?Sized),
    rng: &mut impl CryptoRng,
    gate: &mut Gate<'_>,
) -> Result<Truthfulness, RunFailure> {
    gate.check()?;
    let mut session = Session::open(Role::Second, circuit, link, rng)?;
    let share = Zeroizing::new(circuit.reduce(rng.next_u64()));
    let public = session.receive(TRANSFER_KEY, POINT_BYTES)?;
    let receiver = Receiver::new(&session.key, &public, (*share, circuit.width()), rng)
        .ok_or(RunFailure::Deviation { what: "the transfer key is not a point of the group" })?;
    session.send(TRANSFER_POINTS, &receiver.points)?;

    let correction_bytes = circuit.width() * LABEL_BYTES;
    let body = session.receive(GATES, correction_bytes + garbled_bytes(circuit))?;
    let (corrections, gates) = body.split_at(correction_bytes);
    let inputs = receiver.labels(corrections);
    let outputs = evaluate(gates, &inputs, &GateHash::new(&session.key));

    gate.pass()?;
    session.send(OUTPUT_LABEL, &outputs[0].to_bytes())?;
    let opening = session.receive(OPENING, 1)?;
    match opening[..] {
        [bit @ (0 | 1)] => Ok(Truthfulness::new(outputs[1].pointer() ^ (bit == 1))),
        _ => Err(RunFailure::Deviation { what: "the opening is not a bit" }),
    }
}

/// A uniform label.
pub(super) fn random_label(rng: &mut impl CryptoRng) -> Label {
    let mut bytes = [0; LABEL_BYTES];
    rng.fill_bytes(&mut bytes);
    Label::from_bytes(bytes)
}
