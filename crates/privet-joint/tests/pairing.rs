//! Pairings are uniform, whatever the method, and helpers that fail or deviate are noticed.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::panic)]

use privet_core::{Generator, Rng};
use privet_estimators::statistics::chi_square_upper_tail;
use privet_joint::pairing::{Committee, Method, PairingError, pair};
use privet_joint::wire::{Kind, Link, MemoryLink, RunId, WireError, memory_pair};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A uniform method fails with this probability, a biased one almost surely does.
const ALPHA: f64 = 1e-6;

const RUNS: usize = 900;

const RUN: RunId = RunId::new([5; 16]);

type Outcome = Result<Vec<u128>, PairingError>;

/// The links of every helper to every other one.
fn links(helpers: usize, time_out: Duration) -> Vec<Vec<Option<MemoryLink>>> {
    let mut all: Vec<Vec<Option<MemoryLink>>> = Vec::new();
    for helper in 0..helpers {
        let mut own = Vec::new();
        for earlier in &mut all {
            let (theirs, ours) = memory_pair(RUN, time_out);
            earlier.push(Some(theirs));
            own.push(Some(ours));
        }
        own.push(None);
        assert_eq!(own.len(), helper + 1);
        all.push(own);
    }
    all
}

/// One helper's shares of the tokens. All helpers must use the same seed.
fn share_of(helper: usize, helpers: usize, tokens: &[u128], seed: u64) -> Vec<u128> {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut draw = || u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
    let mut split = |token: u128| {
        let mut shares: Vec<u128> = (1..helpers).map(|_| draw()).collect();
        shares.push(shares.iter().fold(token, |rest, share| rest ^ share));
        shares[helper]
    };
    tokens.iter().map(|&token| split(token)).collect()
}

/// Lets all helpers pair `count` participants `runs` times. Returns the orders, as participants' numbers.
fn orders(method: Method, helpers: usize, count: usize, runs: usize) -> Vec<Vec<usize>> {
    orders_with(method, helpers, count, runs, |_, _| ())
}

/// As [`orders`], with something done to each helper's generator before each run.
fn orders_with(
    method: Method,
    helpers: usize,
    count: usize,
    runs: usize,
    change: fn(usize, &mut Generator),
) -> Vec<Vec<usize>> {
    let spawn = |(index, links)| {
        thread::spawn(move || {
            let mut rng = Generator::from_insecure_seed(1 + index as u64);
            let mut committee = Committee::new(RUN, links, &mut rng).unwrap();
            let tokens: Vec<u128> = (1..=count as u128).collect();
            let run = |seed| {
                let own = share_of(index, helpers, &tokens, seed as u64);
                change(index, &mut rng);
                let list = pair(method, &mut committee, own, &mut rng).unwrap();
                list.iter().map(|&token| token as usize - 1).collect::<Vec<_>>()
            };
            (0..runs).map(run).collect::<Vec<_>>()
        })
    };
    let threads: Vec<_> =
        links(helpers, Duration::from_secs(20)).into_iter().enumerate().map(spawn).collect();
    let mut lists: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let first = lists.remove(0);
    assert!(lists.iter().all(|list| *list == first), "helpers must agree on the list");
    first
}

fn holds_everybody_once(count: usize, order: &[usize]) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..count)
}

/// Who is with whom, in one way of writing.
fn matching(order: &[usize]) -> Vec<Vec<usize>> {
    let sorted = |pair: &[usize]| {
        let mut pair = pair.to_vec();
        pair.sort_unstable();
        pair
    };
    let mut pairs: Vec<_> = order.chunks(2).map(sorted).collect();
    pairs.sort_unstable();
    pairs
}

/// How many ways there are to pair so many people, one staying alone if their number is odd.
fn matchings(count: usize) -> usize {
    let people = count + count % 2;
    (1..people).step_by(2).product()
}

/// The probability that uniform matchings look as uneven as these.
fn p_value(count: usize, orders: &[Vec<usize>]) -> f64 {
    let mut seen: BTreeMap<_, f64> = BTreeMap::new();
    for order in orders {
        assert!(holds_everybody_once(count, order));
        *seen.entry(matching(order)).or_default() += 1.0;
    }
    let all = matchings(count);
    let expected = orders.len() as f64 / all as f64;
    let missing = (all - seen.len()) as f64 * expected;
    let statistic = seen.values().map(|times| (times - expected).powi(2) / expected).sum::<f64>() + missing;
    chi_square_upper_tail(statistic, all as u64 - 1)
}

#[test]
fn there_are_three_or_fifteen_matchings_of_few_people() {
    assert_eq!([matchings(2), matchings(4), matchings(5), matchings(6)], [1, 3, 15, 15]);
    assert_eq!(matching(&[3, 0, 2, 1]), [[0, 3], [1, 2]]);
    assert_eq!(matching(&[3, 0, 2]), [vec![0, 3], vec![2]]);
}

#[test]
fn matchings_are_uniform_for_both_methods() {
    for method in [Method::Shuffle, Method::Sort] {
        for count in [4, 5, 6] {
            let runs = if method == Method::Sort { RUNS / 2 } else { RUNS };
            let p = p_value(count, &orders(method, 3, count, runs));
            assert!(p > ALPHA, "{method:?} of {count}: {p}");
        }
    }
}

/// Two of three helpers always contribute the same, and still cannot bias the order.
#[test]
fn helpers_without_randomness_of_their_own_do_not_bias_the_order() {
    for method in [Method::Shuffle, Method::Sort] {
        let repeat = |helper: usize, rng: &mut Generator| {
            if helper > 0 {
                *rng = Generator::from_insecure_seed(helper as u64);
            }
        };
        let p = p_value(4, &orders_with(method, 3, 4, RUNS / 2, repeat));
        assert!(p > ALPHA, "{method:?}: {p}");
    }
}

/// The control. Stopping one step early would change no matching, because the first two places are one pair.
#[test]
fn a_shuffle_that_stops_two_steps_early_is_found_out() {
    for count in [4, 5, 6] {
        let mut rng = Generator::from_insecure_seed(3);
        let biased = |_| {
            let mut order: Vec<usize> = (0..count).collect();
            for last in (3..count).rev() {
                order.swap(last, (rng.next_u64() % (last as u64 + 1)) as usize);
            }
            order
        };
        let p = p_value(count, &(0..RUNS).map(biased).collect::<Vec<_>>());
        assert!(p < ALPHA, "{count}: {p}");
    }
}

#[test]
fn other_numbers_of_helpers_and_people_work() {
    for (helpers, count) in [(3, 2), (3, 3), (3, 33), (4, 10), (5, 7)] {
        assert!(holds_everybody_once(count, &orders(Method::Shuffle, helpers, count, 1)[0]));
    }
    for count in [2, 3, 31, 64, 65] {
        assert!(holds_everybody_once(count, &orders(Method::Sort, 3, count, 1)[0]));
    }
}

/// What a deviating helper does to its frames.
#[derive(Debug, Clone, Copy)]
enum Change {
    None,
    /// Changes one bit of the last byte of every frame of this kind.
    Flip(Kind),
    /// Sends frames of this kind one byte short.
    Shorten(Kind),
    /// Sends so many frames to each other helper and then disappears.
    DisappearAfter(usize),
}

#[derive(Debug)]
struct Tampering {
    link: MemoryLink,
    change: Change,
    sent: usize,
}

impl Link for Tampering {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.sent += 1;
        match self.change {
            Change::Flip(which) if which == kind => {
                let mut body = body.to_vec();
                *body.last_mut().unwrap() ^= 1;
                self.link.send(kind, &body)
            }
            Change::Shorten(which) if which == kind => self.link.send(kind, &body[1..]),
            Change::DisappearAfter(frames) if self.sent > frames => Err(WireError::Closed),
            _ => self.link.send(kind, body),
        }
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        self.link.receive(kind)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        self.link.bytes_received()
    }
}

/// Lets all helpers pair these tokens, of whom helper 1 does something else.
fn outcomes(method: Method, helpers: usize, tokens: &'static [u128], change: Change) -> Vec<Outcome> {
    let spawn = |(index, links): (usize, Vec<Option<MemoryLink>>)| {
        let change = if index == 1 { change } else { Change::None };
        let tamper = |link| Tampering { link, change, sent: 0 };
        let links = links.into_iter().map(|link| link.map(tamper)).collect();
        thread::spawn(move || {
            let mut rng = Generator::from_insecure_seed(90 + index as u64);
            let mut committee = Committee::new(RUN, links, &mut rng)?;
            pair(method, &mut committee, share_of(index, helpers, tokens, 7), &mut rng)
        })
    };
    let threads: Vec<_> = links(helpers, Duration::from_secs(1)).into_iter().enumerate().map(spawn).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// A link that counts bits of shares that it receives: all, and those that are set.
struct Counting {
    link: MemoryLink,
    seen: Arc<Mutex<[u64; 2]>>,
}

impl Link for Counting {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.link.send(kind, body)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        let body = self.link.receive(kind)?;
        if [HANDED_OVER, PASSED_ON].contains(&kind) {
            let set = body.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
            let mut seen = self.seen.lock().unwrap();
            *seen = [seen[0] + 8 * body.len() as u64, seen[1] + set];
        }
        Ok(body)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        self.link.bytes_received()
    }
}

/// Whether so many set bits of so many are within six standard deviations of a half.
fn looks_random([all, set]: [u64; 2]) -> bool {
    (set as f64 - all as f64 / 2.0).abs() < 3.0 * (all as f64).sqrt()
}

/// Tokens and shares of almost nothing but zeros; still everything that helpers receive looks random.
#[test]
fn what_helpers_receive_before_the_opening_looks_random() {
    const FEW: u128 = 500;
    for method in [Method::Shuffle, Method::Sort] {
        let seen = Arc::new(Mutex::new([0, 0]));
        let spawn = |(index, links): (usize, Vec<Option<MemoryLink>>)| {
            let count = |link| Counting { link, seen: Arc::clone(&seen) };
            let links = links.into_iter().map(|link| link.map(count)).collect();
            thread::spawn(move || {
                let mut rng = Generator::from_insecure_seed(index as u64);
                let own = if index == 0 { (1..=FEW).collect() } else { vec![0; FEW as usize] };
                pair(method, &mut Committee::new(RUN, links, &mut rng).unwrap(), own, &mut rng).unwrap()
            })
        };
        let threads: Vec<_> = links(3, Duration::from_secs(20)).into_iter().enumerate().map(spawn).collect();
        for thread in threads {
            let list = thread.join().unwrap();
            let set = list.iter().map(|token| u64::from(token.count_ones())).sum();
            assert!(!looks_random([128 * FEW as u64, set]), "the control: opened tokens do not look random");
        }
        let seen = *seen.lock().unwrap();
        assert!(seen[0] > 100_000 && looks_random(seen), "{method:?}: {seen:?}");
    }
}

const TOKENS: &[u128] = &[1 << 100, 2, 3, 4];
const OPENING: Kind = Kind(12);
const HANDED_OVER: Kind = Kind(13);
const PASSED_ON: Kind = Kind(14);

#[test]
fn too_few_helpers_or_participants_are_refused() {
    for (method, helpers, tokens, expected) in [
        (Method::Shuffle, 2, TOKENS, PairingError::HelperCount { got: 2 }),
        (Method::Shuffle, 3, &TOKENS[..1], PairingError::ParticipantCount { got: 1 }),
        (Method::Sort, 3, &[], PairingError::ParticipantCount { got: 0 }),
        (Method::Sort, 4, TOKENS, PairingError::SortHelperCount { got: 4 }),
        (Method::Shuffle, 3, &[1, 2, 2], PairingError::DuplicateToken),
    ] {
        let outcomes = outcomes(method, helpers, tokens, Change::None);
        assert!(outcomes.iter().all(|outcome| *outcome == Err(expected)), "{outcomes:?}");
    }
}

#[test]
fn an_opening_that_was_not_committed_to_is_found_out() {
    let outcomes = outcomes(Method::Shuffle, 3, TOKENS, Change::Flip(OPENING));
    assert!(outcomes.contains(&Err(PairingError::BrokenCommitment { helper: 1 })), "{outcomes:?}");
    assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
}

/// A changed share is not noticed by the helpers but by the participant whose token is missing.
#[test]
fn a_changed_share_is_missed_by_its_owner() {
    for (method, kind) in [(Method::Shuffle, HANDED_OVER), (Method::Sort, PASSED_ON)] {
        for outcome in outcomes(method, 3, TOKENS, Change::Flip(kind)) {
            let list = outcome.unwrap_or_default();
            assert!(TOKENS.iter().any(|token| !list.contains(token)), "{method:?}");
        }
    }
}

#[test]
fn a_message_of_the_wrong_length_is_refused() {
    let is_named = |outcome: &Outcome| {
        matches!(
            outcome,
            Err(PairingError::Helper { helper: 1, source: WireError::WrongLength { .. } }
                | PairingError::BrokenCommitment { helper: 1 })
        )
    };
    for (method, kind) in
        [(Method::Shuffle, HANDED_OVER), (Method::Shuffle, OPENING), (Method::Sort, PASSED_ON)]
    {
        let outcomes = outcomes(method, 3, TOKENS, Change::Shorten(kind));
        assert!(outcomes.iter().any(is_named), "{outcomes:?}");
        assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
    }
}

/// Wherever a helper disappears, the others end with an error.
#[test]
fn a_helper_that_disappears_leaves_errors() {
    for method in [Method::Shuffle, Method::Sort] {
        for frames in 0..5 {
            let outcomes = outcomes(method, 3, TOKENS, Change::DisappearAfter(frames));
            let is_clean = |outcome: &Outcome| matches!(outcome, Err(PairingError::Helper { .. }));
            assert!(outcomes.iter().all(is_clean), "{method:?} {frames}: {outcomes:?}");
        }
    }
}
