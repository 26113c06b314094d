//! A link that is cut after any message, and a partner who breaks off on purpose.

use crate::{exclusive, links, run_both};
use privet_core::Generator;
use privet_joint::two_party::{LedgerError, MemoryLedger, Role, RunFailure, RunLedger, Truthfulness, run};
use privet_joint::wire::{Kind, Link, MemoryLink, WireError};

/// Each end sends or receives so many messages.
const MESSAGES: usize = 7;

/// A link that is gone after some messages, whichever way they went.
pub(crate) struct Cut<L> {
    pub(crate) link: Option<L>,
    pub(crate) messages_left: usize,
}

impl<L: Link> Cut<L> {
    fn count(&mut self) -> Result<&mut L, WireError> {
        if self.messages_left == 0 {
            self.link = None;
        }
        self.messages_left = self.messages_left.saturating_sub(1);
        self.link.as_mut().ok_or(WireError::Closed)
    }
}

impl<L: Link> Link for Cut<L> {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.count()?.send(kind, body)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        self.count()?.receive(kind)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.as_ref().map_or(0, Link::bytes_sent)
    }

    fn bytes_received(&self) -> u64 {
        self.link.as_ref().map_or(0, Link::bytes_received)
    }
}

/// Whether a party's run is spent if the link is lost after so many messages of one end. First spends before its fifth
/// message leaves, Second before its sixth.
fn is_spent(role: Role, messages: usize) -> bool {
    match role {
        Role::First => messages >= 4,
        Role::Second => messages >= 5,
    }
}

#[test]
fn a_cut_link_is_a_clean_error_and_final_only_when_an_output_could_have_left() {
    for (loser, messages) in
        [Role::First, Role::Second].into_iter().flat_map(|loser| (0..=MESSAGES).map(move |k| (loser, k)))
    {
        let mut ledgers = [(); 2].map(|()| MemoryLedger::default());
        let (one, two) = links();
        let cut = |link, role| Cut {
            link: Some(link),
            messages_left: if role == loser { messages } else { usize::MAX },
        };
        let [first_ledger, second_ledger] = &mut ledgers;
        let ends = (cut(one, Role::First), cut(two, Role::Second));
        let outcomes = run_both(&exclusive(), ends, [first_ledger, second_ledger], 550);
        for ((outcome, _), (role, ledger)) in
            outcomes.into_iter().zip([Role::First, Role::Second].into_iter().zip(&ledgers))
        {
            let expected = is_spent(role, messages);
            assert_eq!(ledger.is_spent(), Ok(expected), "{role:?}, {loser:?} lost it after {messages}");
            match outcome {
                // First may have sent the opening before it could notice that Second is gone.
                Ok(_) => {
                    assert!(messages == MESSAGES || (role, loser, messages) == (Role::First, Role::Second, 6))
                }
                Err(error) => {
                    assert!(messages < MESSAGES);
                    assert_eq!(error.failure(), RunFailure::Wire(WireError::Closed));
                    assert_eq!((error.is_final(), error.is_retryable()), (expected, !expected));
                }
            }
        }
        retry(&mut ledgers, (0..4).contains(&messages));
    }
}

/// Tries again with the same ledgers: it works if nothing was spent, and a party whose run is spent sends nothing.
fn retry(ledgers: &mut [MemoryLedger; 2], is_allowed: bool) {
    let spent = [0, 1].map(|which| ledgers[which].is_spent().unwrap());
    let [first_ledger, second_ledger] = ledgers;
    let outcomes = run_both(&exclusive(), links(), [first_ledger, second_ledger], 551);
    for ((outcome, sent), was_spent) in outcomes.into_iter().zip(spent) {
        assert_eq!(outcome.is_ok(), is_allowed);
        assert_eq!(sent == 0, was_spent);
    }
}

/// First's link when First wants to see its bit before it decides whether Second gets one.
struct Withholding {
    link: MemoryLink,
    sends_left: usize,
    held: Option<(Kind, Vec<u8>)>,
}

impl Withholding {
    fn new(link: MemoryLink) -> Self {
        // Hello, transfer key, gates; the fourth is the opening.
        Self { link, sends_left: 3, held: None }
    }

    fn release(mut self) {
        let (kind, body) = self.held.take().unwrap();
        self.link.send(kind, &body).unwrap();
    }
}

impl Link for Withholding {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        if self.sends_left == 0 {
            self.held = Some((kind, body.to_vec()));
            return Ok(());
        }
        self.sends_left -= 1;
        self.link.send(kind, body)
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

/// A ledger that allows what it must not.
#[derive(Default)]
struct Forgetful;

impl RunLedger for Forgetful {
    fn is_spent(&self) -> Result<bool, LedgerError> {
        Ok(false)
    }

    fn spend(&mut self) -> Result<(), LedgerError> {
        Ok(())
    }
}

/// What the partner who breaks off until its own bit is 0 gets from one victim.
struct Game {
    /// The partner's own bits, one for each run that it saw an output of.
    partner_bits: Vec<bool>,
    victim: Option<Truthfulness>,
}

/// Second is the victim, and tries again as long as its ledger lets it.
fn play(victim_ledger: &mut dyn RunLedger, seed: u64) -> Game {
    let joint = exclusive();
    let (mut rng, mut partner_bits) = (Generator::from_insecure_seed(seed), vec![]);
    loop {
        let (one, mut two) = links();
        let mut partner_rng = rng.split();
        let partner = std::thread::spawn(move || {
            let mut link = Withholding::new(one);
            let bit =
                run(Role::First, &joint, &mut link, &mut partner_rng, &mut Forgetful).ok()?.is_truthful();
            if !bit {
                link.release();
            }
            Some(bit)
        });
        let outcome = run(Role::Second, &joint, &mut two, &mut rng, victim_ledger);
        drop(two);
        partner_bits.extend(partner.join().unwrap());
        match outcome {
            Ok(bit) => return Game { partner_bits, victim: Some(bit) },
            Err(error) if error.failure() == RunFailure::Ledger(LedgerError::Spent) => {
                return Game { partner_bits, victim: None };
            }
            Err(error) => assert!(error.is_final() && !error.is_retryable()),
        }
    }
}

const GAMES: u64 = 16;

/// With this table a partner whose bit is 0 knows that the victim is truthful. It should be lucky once in four.
#[test]
fn who_breaks_off_until_its_bit_is_zero_sees_one_bit() {
    let mut lucky = 0;
    for seed in 0..GAMES {
        let game = play(&mut MemoryLedger::default(), 560 + seed);
        assert_eq!(game.partner_bits.len(), 1, "the partner saw more than one bit");
        // If the partner broke off, the victim has no bit that the partner's could be about.
        assert_eq!(game.victim.is_some(), !game.partner_bits[0]);
        lucky += u64::from(game.victim.is_some());
    }
    assert!(lucky > 0 && lucky < GAMES / 2, "{lucky}");
}

#[test]
fn without_a_ledger_that_partner_would_know_every_victim() {
    let mut seen = 0;
    for seed in 0..GAMES {
        let game = play(&mut Forgetful, 580 + seed);
        seen += game.partner_bits.len() as u64;
        assert_eq!(game.partner_bits.last(), Some(&false));
        assert!(game.victim.unwrap().is_truthful(), "the partner knows this for certain");
    }
    assert!(seen > 2 * GAMES, "{seen}");
}
