//! Two runs beside each other.

use crate::run::{Row, Run};
use crate::task::Group;
use serde::Serialize;

/// How a task changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// By more than the noise, to the worse.
    Slower,
    /// By more than the noise, to the better.
    Faster,
    /// Not by more than the noise.
    Same,
}

/// A task in two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The task's name.
    pub task: String,
    /// The ratio of the earlier run.
    pub before: f64,
    /// The ratio of the later run.
    pub now: f64,
    /// How much larger the ratio is now, as a share of what it was; negative where it is smaller.
    pub change: f64,
    /// How large a factor between the two says nothing, as a share above one.
    pub noise: f64,
    /// Which of the three it is.
    pub verdict: Verdict,
}

/// A difference of so many usual distances of a turn is more than chance. A run's ratio is the middle of many turns, so it is steadier
/// than one turn.
const DISTANCES: f64 = 4.0;

/// What the turns of a run have in common and do not show: where its memory lies, how warm the processor is.
const BETWEEN_RUNS: f64 = 0.1;

impl Change {
    fn between(before: &Row, now: &Row) -> Self {
        let noise = (DISTANCES * before.noise.hypot(now.noise)).max(BETWEEN_RUNS);
        let factor = now.ratio / before.ratio;
        let verdict = if factor * (1.0 + noise) < 1.0 {
            Verdict::Slower
        } else if factor > 1.0 + noise {
            Verdict::Faster
        } else {
            Verdict::Same
        };
        let (task, change) = (now.task.clone(), factor - 1.0);
        Self { task, before: before.ratio, now: now.ratio, change, noise, verdict }
    }
}

/// A task that both runs have, but beside different things: the ratio changed with what it was measured against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomparable {
    /// The task's name.
    pub task: String,
    /// What the peer was, and what was counted.
    pub before: String,
    /// What they are now.
    pub now: String,
}

impl Incomparable {
    fn between(before: &Row, now: &Row) -> Option<Self> {
        let measured = |row: &Row| format!("{}, in {}", row.note, row.unit);
        let (before, task) = (measured(before), now.task.clone());
        let now = measured(now);
        (before != now).then_some(Self { task, before, now })
    }

    /// Why nothing can be said about the task.
    pub fn reason(&self) -> String {
        let Self { before, now, .. } = self;
        format!("not comparable: measured against something else (before: {before}; now: {now})")
    }
}

/// All tasks of two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The tasks that both have beside the same peer, in the order of the later run.
    pub changes: Vec<Change>,
    /// The tasks that both have beside different peers.
    pub incomparable: Vec<Incomparable>,
    /// The tasks that only the later one has.
    pub new: Vec<String>,
    /// The tasks that only the earlier one has; a group of which nothing is left is named as a whole.
    pub gone: Vec<String>,
    /// In which way the machines differ, if they do.
    pub other_machine: Option<String>,
}

impl Comparison {
    /// Compares a run with an earlier one. Only ratios are compared: rates belong to their machines. And only those beside the same
    /// peer: a mechanism that takes fewer random bytes than before is measured against a quicker peer.
    pub fn with(before: &Run, now: &Run) -> Self {
        let (mut changes, mut incomparable, mut new) = (Vec::new(), Vec::new(), Vec::new());
        for row in &now.rows {
            let Some(earlier) = before.rows.iter().find(|other| is_same_task(other, row)) else {
                new.push(row.task.clone());
                continue;
            };
            match Incomparable::between(earlier, row) {
                Some(difference) => incomparable.push(difference),
                None => changes.push(Change::between(earlier, row)),
            }
        }
        Self { changes, incomparable, new, gone: gone(before, now), other_machine: difference(before, now) }
    }

    /// What got slower by more than the noise.
    pub fn slower(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.verdict == Verdict::Slower)
    }

    /// What became of a task.
    pub fn of(&self, row: &Row) -> Option<&Change> {
        self.changes.iter().find(|change| change.task == row.task)
    }

    /// Why a task of the later run was not compared, if it was not.
    pub fn why_not(&self, row: &Row) -> Option<String> {
        let different = self.incomparable.iter().find(|difference| difference.task == row.task);
        let is_new = || self.new.contains(&row.task).then(|| "not in the earlier run".to_owned());
        different.map(Incomparable::reason).or_else(is_new)
    }
}

fn is_same_task(one: &Row, other: &Row) -> bool {
    one.task == other.task && one.group == other.group
}

fn gone(before: &Run, now: &Run) -> Vec<String> {
    let mut names = Vec::new();
    for group in Group::ALL {
        let earlier: Vec<&Row> = before.rows.iter().filter(|row| row.group == group).collect();
        if earlier.is_empty() {
            continue;
        }
        if now.rows.iter().all(|row| row.group != group) {
            names.push(format!("the whole group {group} ({})", earlier.len()));
            continue;
        }
        let is_gone = |row: &&&Row| !now.rows.iter().any(|other| is_same_task(other, row));
        names.extend(earlier.iter().filter(is_gone).map(|row| row.task.clone()));
    }
    names
}

fn difference(before: &Run, now: &Run) -> Option<String> {
    let named =
        |run: &Run| format!("{} with {} cores, {}", run.machine.cpu, run.machine.cores, run.machine.os);
    let (before, now) = (named(before), named(now));
    (before != now).then(|| format!("{before}; this one is {now}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::{row, run};

    fn verdict(before: (f64, f64), now: (f64, f64)) -> Verdict {
        let one = |(ratio, noise)| run(vec![row("a", Group::Mechanisms, ratio, noise)]);
        let comparison = Comparison::with(&one(before), &one(now));
        assert!(comparison.new.is_empty() && comparison.gone.is_empty());
        assert!(comparison.incomparable.is_empty() && comparison.other_machine.is_none());
        comparison.changes[0].verdict
    }

    #[test]
    fn what_got_slower_is_found() {
        assert_eq!(verdict((0.5, 0.01), (0.4, 0.01)), Verdict::Slower);
        assert_eq!(verdict((0.4, 0.01), (0.5, 0.01)), Verdict::Faster);
        assert_eq!(verdict((300.0, 0.0), (200.0, 0.0)), Verdict::Slower);
    }

    #[test]
    fn what_is_equal_is_not() {
        assert_eq!(verdict((0.5, 0.0), (0.5, 0.0)), Verdict::Same);
        assert_eq!(verdict((0.5, 0.0), (0.5 / 1.099, 0.0)), Verdict::Same);
        assert_eq!(verdict((0.5, 0.0), (0.5 / 1.101, 0.0)), Verdict::Slower);
        assert_eq!(verdict((0.5, 0.0), (0.5 * 1.101, 0.0)), Verdict::Faster);
    }

    #[test]
    fn the_noise_of_both_runs_is_respected() {
        // A fifth less is a factor of 1.25: four times the hypotenuse of 6 % and 8 % is 40 %.
        assert_eq!(verdict((0.5, 0.06), (0.4, 0.08)), Verdict::Same);
        assert_eq!(verdict((0.5, 0.1), (0.4, 0.0)), Verdict::Same);
        assert_eq!(verdict((0.5, 0.0), (0.4, 0.1)), Verdict::Same);
        assert_eq!(verdict((0.5, 0.06), (0.5 / 1.399, 0.08)), Verdict::Same);
        assert_eq!(verdict((0.5, 0.06), (0.5 / 1.401, 0.08)), Verdict::Slower);
        // However large the noise is, something that stops is slower.
        assert_eq!(verdict((0.5, 10.0), (0.001, 10.0)), Verdict::Slower);
    }

    #[test]
    fn tasks_are_compared_by_name_and_new_ones_are_named() {
        let before = run(vec![
            row("b", Group::Limit, 2.0, 0.0),
            row("a", Group::Limit, 1.0, 0.0),
            row("c", Group::Limit, 1.0, 0.0),
        ]);
        let now = run(vec![
            row("a", Group::Limit, 1.0, 0.0),
            row("b", Group::Limit, 1.0, 0.0),
            row("d", Group::Limit, 1.0, 0.0),
        ]);
        let comparison = Comparison::with(&before, &now);
        assert_eq!(comparison.slower().map(|change| change.task.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(comparison.new, ["d"]);
        assert_eq!(comparison.of(&now.rows[1]).map(|change| change.change), Some(-0.5));
        assert_eq!(comparison.of(&now.rows[2]), None);
        assert_eq!(comparison.why_not(&now.rows[2]).as_deref(), Some("not in the earlier run"));
        assert_eq!(comparison.why_not(&now.rows[0]), None);
        assert_eq!(comparison.gone, ["c"]);
    }

    #[test]
    fn tasks_beside_something_else_are_not_compared() {
        let beside = |ratio, note: &str, unit: &str| {
            let mut row = row("a", Group::Trajectory, ratio, 0.0);
            (row.note, row.unit) = (note.to_owned(), unit.to_owned());
            run(vec![row])
        };
        // Four times fewer random bytes: the ratio falls although reports come faster.
        let before = beside(0.278, "peer: 32 bytes", "reports/s");
        for now in [beside(0.068, "peer: 8 bytes", "reports/s"), beside(0.068, "peer: 32 bytes", "users/s")] {
            let comparison = Comparison::with(&before, &now);
            assert!(comparison.changes.is_empty() && comparison.slower().next().is_none());
            assert_eq!(comparison.of(&now.rows[0]), None);
            let reason = comparison.why_not(&now.rows[0]).unwrap();
            assert!(reason.starts_with("not comparable: measured against something else"), "{reason}");
            assert!(
                reason.contains("32 bytes, in reports/s") && reason.contains(&now.rows[0].note),
                "{reason}"
            );
        }
        let same = beside(0.068, "peer: 32 bytes", "reports/s");
        assert_eq!(Comparison::with(&before, &same).slower().count(), 1);
    }

    #[test]
    fn what_only_the_earlier_run_has_is_named() {
        let before = run(vec![
            row("a", Group::Limit, 1.0, 0.0),
            row("b", Group::Limit, 1.0, 0.0),
            row("c", Group::Peers, 1.0, 0.0),
            row("d", Group::Peers, 1.0, 0.0),
        ]);
        let now = run(vec![row("a", Group::Limit, 1.0, 0.0)]);
        let comparison = Comparison::with(&before, &now);
        assert_eq!(comparison.gone, ["b", "the whole group peers (2)"]);
        assert_eq!(Comparison::with(&now, &before).new, ["b", "c", "d"]);
        assert!(Comparison::with(&before, &before).gone.is_empty());
    }

    #[test]
    fn the_same_name_in_another_group_is_another_task() {
        let before = run(vec![row("a", Group::Limit, 4.0, 0.0), row("a", Group::Mechanisms, 1.0, 0.0)]);
        let now = run(vec![row("a", Group::Mechanisms, 1.0, 0.0), row("a", Group::Vectors, 1.0, 0.0)]);
        let comparison = Comparison::with(&before, &now);
        assert_eq!((comparison.changes.len(), comparison.slower().count()), (1, 0));
        assert_eq!(comparison.new, ["a"]);
    }

    /// A machine of half the speed halves both rates, and says nothing about us.
    #[test]
    fn rates_are_not_compared() {
        let before = row("a", Group::Limit, 2.0, 0.0);
        let now = Row { ours: before.ours / 2.0, peer: before.peer / 2.0, ..before.clone() };
        let comparison = Comparison::with(&run(vec![before]), &run(vec![now]));
        assert_eq!(comparison.changes[0].verdict, Verdict::Same);
    }

    #[test]
    fn what_got_faster_is_not_among_the_slower() {
        let before = run(vec![row("a", Group::Limit, 1.0, 0.0), row("b", Group::Limit, 1.0, 0.0)]);
        let now = run(vec![row("a", Group::Limit, 2.0, 0.0), row("b", Group::Limit, 0.5, 0.0)]);
        let comparison = Comparison::with(&before, &now);
        let slower: Vec<&Change> = comparison.slower().collect();
        assert!(matches!(slower.as_slice(), [change] if change.task == "b"), "{slower:?}");
        assert_eq!((slower[0].before, slower[0].now), (1.0, 0.5));
    }

    #[test]
    fn another_machine_is_named() {
        let (before, mut now) = (run(Vec::new()), run(Vec::new()));
        now.machine.cores = 64;
        let difference = Comparison::with(&before, &now).other_machine.unwrap();
        assert!(difference.contains("4 cores") && difference.contains("64 cores"), "{difference}");
        now.machine = before.machine.clone();
        now.date = "another day".to_owned();
        assert_eq!(Comparison::with(&before, &now).other_machine, None);
    }
}
