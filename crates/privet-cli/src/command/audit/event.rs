//! Events about report lines of which nothing is known.

use privet::audit::{EventCounts, Sampling};
use std::collections::HashMap;

/// Characters of a line that are looked at one by one.
const POSITIONS: usize = 64;

/// Something that a line may show.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Event {
    /// The whole line.
    Line(Vec<u8>),
    /// Its length.
    Length(usize),
    /// One of its characters.
    Byte { position: usize, byte: u8 },
}

impl Event {
    fn happens(&self, line: &[u8]) -> bool {
        match self {
            Self::Line(text) => line == text,
            Self::Length(length) => line.len() == *length,
            Self::Byte { position, byte } => line.get(*position) == Some(byte),
        }
    }

    /// For people. Reports are public.
    pub(super) fn in_words(&self) -> String {
        const SHOWN: usize = 60;
        match self {
            Self::Line(text) if text.len() > SHOWN => {
                format!("the report begins as {:?}", String::from_utf8_lossy(&text[..SHOWN]))
            }
            Self::Line(text) => format!("the report is {:?}", String::from_utf8_lossy(text)),
            Self::Length(length) => format!("the report has {length} bytes"),
            Self::Byte { position, byte } => {
                format!("byte {} of the report is {:?}", position + 1, char::from(*byte))
            }
        }
    }
}

/// How often each event happened, for each input.
pub(super) struct Tally {
    inputs: usize,
    lines: HashMap<Vec<u8>, Vec<u64>>,
    lengths: HashMap<usize, Vec<u64>>,
    /// One counter for each input, position and character.
    bytes: Vec<u64>,
}

impl Tally {
    pub(super) fn new(inputs: usize) -> Self {
        let bytes = vec![0; inputs * POSITIONS * 256];
        Self { inputs, lines: HashMap::new(), lengths: HashMap::new(), bytes }
    }

    pub(super) fn add(&mut self, input: usize, line: &[u8]) {
        let none = || vec![0; self.inputs];
        match self.lines.get_mut(line) {
            Some(counts) => counts[input] += 1,
            None => self.lines.entry(line.to_vec()).or_insert_with(none)[input] += 1,
        }
        self.lengths.entry(line.len()).or_insert_with(none)[input] += 1;
        for (position, byte) in line.iter().take(POSITIONS).enumerate() {
            self.bytes[(input * POSITIONS + position) * 256 + usize::from(*byte)] += 1;
        }
    }

    /// For each ordered pair of inputs the most telling line, length and character.
    pub(super) fn tests(&self, sampling: Sampling) -> Vec<Test> {
        let mut tests = Vec::new();
        for likelier in 0..self.inputs {
            for other in (0..self.inputs).filter(|other| *other != likelier) {
                let pair = Pair { likelier, other };
                tests.extend(self.best_events(pair, sampling).map(|event| Test {
                    pair,
                    event,
                    seen: [0; 2],
                }));
            }
        }
        tests
    }

    fn best_events(&self, pair: Pair, sampling: Sampling) -> impl Iterator<Item = Event> + use<> {
        let trials = sampling.choosing();
        let score = |counts: [u64; 2]| EventCounts { likelier: counts[0], other: counts[1], trials }.score();
        let of_pair = |counts: &[u64]| score([counts[pair.likelier], counts[pair.other]]);
        let line = best(self.lines.iter().map(|(text, counts)| (of_pair(counts), text)));
        let length = best(self.lengths.iter().map(|(length, counts)| (of_pair(counts), length)));
        let of_input = |input: usize| &self.bytes[input * POSITIONS * 256..][..POSITIONS * 256];
        let characters = of_input(pair.likelier).iter().zip(of_input(pair.other)).enumerate();
        let character = best(characters.map(|(index, (one, two))| (score([*one, *two]), index)));
        let events = [
            line.map(|text| Event::Line(text.clone())),
            length.map(|length| Event::Length(*length)),
            character.map(|index| Event::Byte { position: index / 256, byte: (index % 256) as u8 }),
        ];
        events.into_iter().flatten()
    }
}

fn best<T>(scored: impl Iterator<Item = (f64, T)>) -> Option<T> {
    scored.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, thing)| thing)
}

/// Two inputs, by their positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) likelier: usize,
    pub(super) other: usize,
}

/// An event that was chosen, and how often it has happened since.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) pair: Pair,
    pub(super) event: Event,
    seen: [u64; 2],
}

impl Test {
    pub(super) fn add(&mut self, input: usize, line: &[u8]) {
        let side = if input == self.pair.likelier {
            0
        } else if input == self.pair.other {
            1
        } else {
            return;
        };
        self.seen[side] += u64::from(self.event.happens(line));
    }

    pub(super) fn bound(&self, sampling: Sampling, alpha: f64) -> f64 {
        let [likelier, other] = self.seen;
        EventCounts { likelier, other, trials: sampling.testing() }.log_ratio_bound(alpha, 0.0)
    }
}
