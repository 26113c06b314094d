//! Everything that a party sees can be made up from its own bit.
//!
//! For each party there is a simulator that knows the party's output and not the other's. Views of real runs, split by
//! the other's bit, and simulated views are compared by a chi-square test of several bits of them at once, given the own
//! bit. A uniform group element or label has too many values for a test to see them all; that the rest of its bits tell
//! nothing is the assumption about the hash and the group. Shares of two bits keep the real runs short.

use super::circuit::Circuit;
use super::circuit::tests::reference;
use super::garble::{evaluate, garbled_bytes};
use super::label::{GateHash, LABEL_BYTES, Label};
use super::ledger::MemoryLedger;
use super::protocol::{Gate, TAG_BYTES, first, random_label, second};
use super::transfer::{POINT_BYTES, Receiver, Sender};
use crate::wire::{Kind, Link, MemoryLink, RunId, WireError, memory_pair};
use curve25519_dalek::ristretto::RistrettoPoint;
use privet_core::{Generator, Rng};
use privet_estimators::statistics::chi_square_upper_tail;
use rand_core::{Infallible, TryCryptoRng, TryRng};
use std::time::Duration;

const WIDTH: usize = 2;
const RUNS: u64 = 800;
const SIMULATIONS: u64 = 250;
const CELLS: usize = 32;
const ALPHA: f64 = 1e-6;

fn circuit() -> Circuit {
    Circuit::small(WIDTH as u32, [1, 2, 3])
}

/// A generator that remembers the words it gave. A party draws exactly one: its share.
struct Remembering {
    inner: Generator,
    words: Vec<u64>,
}

impl TryRng for Remembering {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.inner.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.words.push(self.inner.next_u64());
        Ok(self.words[self.words.len() - 1])
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        self.inner.fill_bytes(target);
        Ok(())
    }
}

impl TryCryptoRng for Remembering {}

/// A generator without any randomness: whoever blinds with it does not blind.
struct Zeros;

impl TryRng for Zeros {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(0)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(0)
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        target.fill(0);
        Ok(())
    }
}

impl TryCryptoRng for Zeros {}

/// A link that keeps the bodies it carried, without the tag of the session.
struct Recording {
    link: MemoryLink,
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
}

impl Link for Recording {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.sent.push(body[TAG_BYTES..].to_vec());
        self.link.send(kind, body)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        let body = self.link.receive(kind)?;
        self.received.push(body[TAG_BYTES..].to_vec());
        Ok(body)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        self.link.bytes_received()
    }
}

/// What one party has seen, in the numbers that are compared.
struct FirstView {
    share: u64,
    points: Vec<u8>,
}

struct SecondView {
    share: u64,
    corrections: Vec<u8>,
    gates: Vec<u8>,
    first_label: Label,
    opening: bool,
}

impl FirstView {
    /// The share, and a bit of each of the points that stand for Second's share.
    fn cell(&self) -> usize {
        let point = |index: usize| self.points[index * POINT_BYTES + 1] & 1;
        bits([self.share & 1, self.share >> 1 & 1, point(0).into(), point(1).into()])
    }
}

impl SecondView {
    fn cell(&self) -> usize {
        let low = |bytes: &[u8]| u64::from(bytes[0] & 1);
        bits([
            self.share >> 1 & 1,
            low(&self.corrections[LABEL_BYTES..]),
            low(&self.gates[garbled_bytes(&circuit()) - LABEL_BYTES..]),
            self.first_label.pointer().into(),
            self.opening.into(),
        ])
    }
}

fn bits<const N: usize>(bits: [u64; N]) -> usize {
    bits.into_iter().fold(0, |cell, bit| cell << 1 | bit as usize)
}

/// One run over a link: the bits, and what both saw.
fn real_run(seed: u64) -> ([bool; 2], FirstView, SecondView) {
    let (one, two) = memory_pair(RunId::new([1; 16]), Duration::from_secs(30));
    let party = |link, seed| {
        let rng = Remembering { inner: Generator::from_insecure_seed(seed), words: vec![] };
        (Recording { link, sent: vec![], received: vec![] }, rng)
    };
    let (mut first_link, mut first_rng) = party(one, 2 * seed);
    let (mut second_link, mut second_rng) = party(two, 2 * seed + 1);
    let other = std::thread::spawn(move || {
        let mut ledger = MemoryLedger::default();
        let bit = second(&circuit(), &mut second_link, &mut second_rng, &mut Gate::new(&mut ledger)).unwrap();
        (bit, second_link, second_rng.words)
    });
    let mut ledger = MemoryLedger::default();
    let first_bit = first(&circuit(), &mut first_link, &mut first_rng, &mut Gate::new(&mut ledger)).unwrap();
    let (second_bit, second_link, second_words) = other.join().unwrap();

    let shares = [&first_rng.words, &second_words].map(|words| {
        assert_eq!(words.len(), 1, "a party draws one word");
        circuit().reduce(words[0])
    });
    let both = [first_bit.is_truthful(), second_bit.is_truthful()];
    assert_eq!(both, reference(&circuit(), shares[0], shares[1]));
    let [_, _, garbled, opening] = &second_link.received[..] else { panic!("four messages") };
    let (corrections, gates) = garbled.split_at(WIDTH * LABEL_BYTES);
    let view = SecondView {
        share: shares[1],
        corrections: corrections.to_vec(),
        gates: gates.to_vec(),
        first_label: Label::from_body(&second_link.sent[2]).next().unwrap(),
        opening: opening[0] == 1,
    };
    (both, FirstView { share: shares[0], points: first_link.received[1].clone() }, view)
}

/// First's view from nothing: Second's points are uniform. (The label of T1 follows from First's own labels and T1.)
fn simulate_first(rng: &mut Generator) -> FirstView {
    let mut points = vec![];
    for _ in 0..WIDTH {
        let mut uniform = [0; 64];
        rng.fill_bytes(&mut uniform);
        points.extend_from_slice(RistrettoPoint::from_uniform_bytes(&uniform).compress().as_bytes());
    }
    FirstView { share: circuit().reduce(rng.next_u64()), points }
}

/// Second's view from T2: everything is uniform, and the opening is what makes T2 of the label that comes out.
fn simulate_second(second_bit: bool, rng: &mut Generator) -> SecondView {
    let session = [7; 32];
    let share = circuit().reduce(rng.next_u64());
    let public = Sender::new(rng).public;
    let receiver = Receiver::new(&session, &public, (share, WIDTH), rng).unwrap();
    let mut uniform =
        |labels: usize| -> Vec<u8> { (0..labels).flat_map(|_| random_label(rng).to_bytes()).collect() };
    let corrections = uniform(WIDTH);
    let gates = uniform(garbled_bytes(&circuit()) / LABEL_BYTES);
    let [first_label, second_label] =
        *evaluate(&gates, &receiver.labels(&corrections), &GateHash::new(&session));
    let opening = second_label.pointer() ^ second_bit;
    SecondView { share, corrections, gates, first_label, opening }
}

/// The probability that groups which are all alike differ so much. Each group has its counts by cell.
fn homogeneity(groups: &[[u64; CELLS]]) -> f64 {
    let totals = groups.iter().map(|group| group.iter().sum::<u64>() as f64);
    let all: f64 = totals.clone().sum();
    let (mut statistic, mut cells) = (0.0, 0);
    for cell in 0..CELLS {
        let column: u64 = groups.iter().map(|group| group[cell]).sum();
        cells += u64::from(column > 0);
        for (group, total) in groups.iter().zip(totals.clone()) {
            let expected = column as f64 * total / all;
            if expected > 0.0 {
                statistic += (group[cell] as f64 - expected).powi(2) / expected;
            }
        }
    }
    chi_square_upper_tail(statistic, (groups.len() as u64 - 1) * (cells - 1))
}

fn count(cells: impl Iterator<Item = usize>) -> [u64; CELLS] {
    let mut counts = [0; CELLS];
    cells.for_each(|cell| counts[cell] += 1);
    counts
}

/// The smallest p-value over the own bit, of: real given the other's bit, real given its opposite, simulated.
fn judge<V>(
    runs: &[([bool; 2], V)],
    own: usize,
    cell: fn(&V) -> usize,
    mut simulate: impl FnMut(bool) -> V,
) -> f64 {
    let of_own_bit = |bit: bool| {
        let real = |other: bool| {
            let wanted = move |run: &&([bool; 2], V)| run.0[own] == bit && run.0[1 - own] == other;
            count(runs.iter().filter(wanted).map(|run| cell(&run.1)))
        };
        [real(false), real(true), count((0..SIMULATIONS).map(|_| cell(&simulate(bit))))]
    };
    [false, true].map(of_own_bit).iter().map(|groups| homogeneity(groups)).fold(1.0, f64::min)
}

#[test]
fn views_are_simulated_from_the_own_bit_and_a_forgotten_mask_is_found() {
    let mut rng = Generator::from_insecure_seed(521);
    let (mut firsts, mut seconds) = (vec![], vec![]);
    for seed in 0..RUNS {
        let (bits, first_view, second_view) = real_run(5_210_000 + seed);
        firsts.push((bits, first_view));
        seconds.push((bits, second_view));
    }
    let p_value = judge(&firsts, 0, FirstView::cell, |_| simulate_first(&mut rng));
    assert!(p_value > ALPHA, "First sees Second's bit: {p_value}");
    let p_value = judge(&seconds, 1, SecondView::cell, |bit| simulate_second(bit, &mut rng));
    assert!(p_value > ALPHA, "Second sees First's bit: {p_value}");

    // A Second that forgets to blind its points.
    let unblinded: Vec<_> = (0..RUNS).map(|_| unblinded_first_view(&mut rng)).collect();
    let p_value = judge(&unblinded, 0, FirstView::cell, |_| simulate_first(&mut rng));
    assert!(p_value < ALPHA, "unblinded points were not found: {p_value}");
    // A First that forgets to mask T1: it opens that label as well.
    for (bits, view) in &mut seconds {
        view.first_label = Label(bits[0].into());
    }
    let p_value = judge(&seconds, 1, SecondView::cell, |bit| simulate_second(bit, &mut rng));
    assert!(p_value < ALPHA, "an opened label was not found: {p_value}");
}

fn unblinded_first_view(rng: &mut Generator) -> ([bool; 2], FirstView) {
    let [share, other] = [(); 2].map(|()| circuit().reduce(rng.next_u64()));
    let public = Sender::new(rng).public;
    let points = Receiver::new(&[7; 32], &public, (other, WIDTH), &mut Zeros).unwrap().points;
    (reference(&circuit(), share, other), FirstView { share, points })
}
