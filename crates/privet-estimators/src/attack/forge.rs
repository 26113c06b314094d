//! Forged reports.
//!
//! Forgers know the mechanism but not its program: candidates are drawn, edited and scored by how many targets they support, and
//! the best one is sent. So the same few lines attack every mechanism of the registry.

use super::{Attack, AttackError, Scenario, Target};
use crate::reading::{HashedBits, Reading};
use privet_core::sampling::uniform_below;
use privet_core::{BitVector, Category, Generator, ReportBuffer, Values};
use privet_mechanisms::analysis::AnyNumeric;
use std::num::NonZeroU64;

/// So many different forgeries are made; if more are needed they are sent again.
const DIFFERENT: usize = 1024;

/// How many honest draws a forger looks at for one report.
const DRAWS: usize = 32;

/// Longer reports are not searched bit by bit.
const SEARCHED_BYTES: usize = 16;

/// The forged reports of an attack.
pub(super) fn forge(
    scenario: &Scenario<'_>,
    attack: Attack,
    count: usize,
    rng: &mut Generator,
) -> Result<ReportBuffer, AttackError> {
    let mut reports = ReportBuffer::new(scenario.mechanism.report_bytes());
    match (&scenario.target, scenario.estimator.reading()) {
        (Target::Number(number), Reading::Numbers(channel)) if !channel.space().is_ring() => {
            if attack == Attack::InputPoisoning {
                let held = Values::Numbers(vec![*number; count]);
                scenario.mechanism.randomize_batch(&held, rng, &mut reports)?;
            } else {
                channel.check(*number)?;
                let cell = cell_for(channel, attack, *number);
                reports.extend_slots(count).for_each(|slot| Category(cell).write(slot));
            }
        }
        (Target::Categories(targets), reading) => {
            let forger = Forger { scenario, targets, scorer: Scorer::of(reading, targets)? };
            let made = count.min(DIFFERENT);
            let forged = match attack {
                Attack::InputPoisoning => forger.draws(count, rng)?,
                Attack::OutputPoisoning => forger.repeat(made, |rng| forger.supporting_one(rng), rng)?,
                Attack::MaximalGain => forger.repeat(made, |rng| forger.supporting_all(rng), rng)?,
            };
            forged.iter().cycle().take(count).try_for_each(|report| reports.push(report))?;
        }
        _ => {
            let reason = "categories are attacked at categories, numbers at a number; there are no attacks on \
                          words and angles";
            return Err(AttackError::Target { reason: reason.to_owned() });
        }
    }
    Ok(reports)
}

/// The report of forgers who move a mean: the one nearest to the target, or the furthest on its side.
fn cell_for(channel: &dyn AnyNumeric, attack: Attack, number: f64) -> u32 {
    let last = channel.output_cells() - 1;
    if attack == Attack::MaximalGain {
        return if channel.space().to_unit(number) < 0.5 { 0 } else { last };
    }
    // Reports do not fall as cells grow.
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low + (high - low) / 2;
        if channel.output_value(middle) < number { low = middle + 1 } else { high = middle }
    }
    let below = low.saturating_sub(1);
    let distance = |cell: u32| (channel.output_value(cell) - number).abs();
    if distance(below) < distance(low) { below } else { low }
}

struct Forger<'a> {
    scenario: &'a Scenario<'a>,
    targets: &'a [u32],
    scorer: Scorer<'a>,
}

impl Forger<'_> {
    /// Honest reports of people who hold a target.
    fn draws(&self, count: usize, rng: &mut Generator) -> Result<ReportBuffer, AttackError> {
        let held = (0..count).map(|_| self.targets[below(self.targets.len(), rng)]).collect();
        let mut reports = ReportBuffer::new(self.scenario.mechanism.report_bytes());
        self.scenario.mechanism.randomize_batch(&Values::Categories(held), rng, &mut reports)?;
        Ok(reports)
    }

    fn repeat(
        &self,
        count: usize,
        one: impl Fn(&mut Generator) -> Result<Vec<u8>, AttackError>,
        rng: &mut Generator,
    ) -> Result<ReportBuffer, AttackError> {
        let mut reports = ReportBuffer::new(self.scenario.mechanism.report_bytes());
        for _ in 0..count {
            reports.push(&one(rng)?)?;
        }
        Ok(reports)
    }

    /// The first of a few draws that supports as much as one target can, or the index of a target, whichever is better.
    fn supporting_one(&self, rng: &mut Generator) -> Result<Vec<u8>, AttackError> {
        let target = self.targets[below(self.targets.len(), rng)];
        let scorer = Scorer { targets: vec![target], ..self.scorer };
        let single = Forger { targets: &[target], scorer, scenario: self.scenario };
        let draws = single.draws(DRAWS, rng)?;
        let written = single.written(target);
        Ok(single.scorer.best(draws.iter().map(<[u8]>::to_vec).chain([written])))
    }

    /// The report that supports the most targets of all that the forger can think of.
    fn supporting_all(&self, rng: &mut Generator) -> Result<Vec<u8>, AttackError> {
        let draws = self.draws(DRAWS, rng)?;
        let drawn: Vec<Vec<u8>> = draws.iter().map(<[u8]>::to_vec).collect();
        let exchanged = drawn.first().map(|report| self.with_targets_exchanged(report, rng));
        let written = self.targets.iter().map(|target| self.written(*target));
        let best = self.scorer.best(drawn.iter().cloned().chain(exchanged).chain(written));
        Ok(self.improved(best))
    }

    /// The index of a category in all bytes of a report: the whole report where reports are categories.
    fn written(&self, target: u32) -> Vec<u8> {
        let mut slot = vec![0; self.scenario.mechanism.report_bytes()];
        Category(target).write(&mut slot);
        slot
    }

    /// Sets the bits of all targets and clears as many others, so that the number of ones does not show it.
    fn with_targets_exchanged(&self, report: &[u8], rng: &mut Generator) -> Vec<u8> {
        let start = self.scorer.bits_start();
        let mut forged = report.to_vec();
        let Some(slot) = forged.get_mut(start..) else { return forged };
        let mut bits = BitVector::from_bytes(slot, slot.len() * 8);
        let positions = self.scorer.positions(report);
        let mut spare: Vec<usize> =
            (0..bits.len()).filter(|bit| bits.get(*bit) && !positions.contains(bit)).collect();
        for bit in positions {
            if !bits.get(bit) {
                bits.set(bit, true);
                if !spare.is_empty() {
                    bits.set(spare.swap_remove(below(spare.len(), rng)), false);
                }
            }
        }
        bits.write(slot);
        forged
    }

    /// Flips single bits as long as that helps.
    fn improved(&self, mut report: Vec<u8>) -> Vec<u8> {
        if report.len() > SEARCHED_BYTES {
            return report;
        }
        let mut score = self.scorer.score(&report);
        for bit in 0..report.len() * 8 {
            let mask = 1 << (bit % 8);
            report[bit / 8] ^= mask;
            let flipped = self.scorer.score(&report);
            if flipped > score {
                score = flipped;
            } else {
                report[bit / 8] ^= mask;
            }
        }
        report
    }
}

/// How much a report speaks for the targets.
struct Scorer<'a> {
    reading: Reading<'a>,
    categories: u32,
    targets: Vec<u32>,
}

impl<'a> Scorer<'a> {
    fn of(reading: Reading<'a>, targets: &[u32]) -> Result<Self, AttackError> {
        let categories = match reading {
            Reading::Support(oracle) => oracle.categories().count(),
            Reading::Table(table) => table.categories.count(),
            Reading::Bloom(mechanism) => privet_core::Mechanism::domain(mechanism).count(),
            Reading::Sketch(mechanism) => privet_core::Mechanism::domain(mechanism).count(),
            Reading::Numbers(_) | Reading::Places(_) | Reading::Words => 0,
        };
        if targets.is_empty() || targets.iter().any(|target| *target >= categories) {
            let reason = format!("one or more of {categories} categories, counted from zero");
            return Err(AttackError::Target { reason });
        }
        Ok(Self { reading, categories, targets: targets.to_vec() })
    }

    /// What a report adds to the targets' estimates, in some unit; below everything if the mechanism cannot have written it.
    fn score(&self, report: &[u8]) -> f64 {
        let score = match self.reading {
            Reading::Support(oracle) => {
                let mut one = ReportBuffer::new(report.len());
                let mut counts = vec![0; self.categories as usize];
                let read = one.push(report).and_then(|()| oracle.tally(&one, &mut counts));
                read.ok().map(|()| self.targets.iter().map(|target| counts[*target as usize] as f64).sum())
            }
            Reading::Table(table) => table.decode(report).ok().map(|report| {
                let weight = |target: &u32| table.inverse.map_or(0.0, |b| b[(*target as usize, report)]);
                self.targets.iter().map(weight).sum()
            }),
            Reading::Bloom(_) | Reading::Sketch(_) => {
                let bytes = report.get(HashedBits::ROW_BYTES..).unwrap_or(&[]);
                let bits = BitVector::from_bytes(bytes, bytes.len() * 8);
                Some(self.positions(report).iter().filter(|bit| bits.get(**bit)).count() as f64)
            }
            Reading::Numbers(_) | Reading::Places(_) | Reading::Words => None,
        };
        score.unwrap_or(f64::NEG_INFINITY)
    }

    /// The candidate with the highest score; the first of several.
    fn best(&self, candidates: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for candidate in candidates {
            let score = self.score(&candidate);
            if score > best.0 || best.1.is_empty() {
                best = (score, candidate);
            }
        }
        best.1
    }

    /// Where the bits begin, for reports that are bits.
    fn bits_start(&self) -> usize {
        match self.reading {
            Reading::Bloom(_) | Reading::Sketch(_) => HashedBits::ROW_BYTES,
            _ => 0,
        }
    }

    /// The bits that speak for the targets, for reports that are bits.
    fn positions(&self, report: &[u8]) -> Vec<usize> {
        let row = || match report {
            [low, high, ..] => u32::from(u16::from_le_bytes([*low, *high])),
            _ => 0,
        };
        let targets = self.targets.iter();
        match self.reading {
            Reading::Bloom(mechanism) => targets.flat_map(|t| mechanism.positions(row(), *t)).collect(),
            Reading::Sketch(mechanism) => targets.map(|t| mechanism.bucket(row(), *t) as usize).collect(),
            _ => targets.map(|target| *target as usize).collect(),
        }
    }
}

/// A uniform index below a length of at least one.
fn below(length: usize, rng: &mut Generator) -> usize {
    uniform_below(NonZeroU64::new(length as u64).unwrap_or(NonZeroU64::MIN), rng) as usize
}
