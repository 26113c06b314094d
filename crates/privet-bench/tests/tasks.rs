//! Every task runs, and every part has its tasks. No figure is looked at: time is measured in benchmarks, not in tests.

#![allow(clippy::unwrap_used, clippy::panic)]

use privet_bench::{Group, Patience, Run, tasks};
use std::collections::HashSet;

fn every_task_of(group: Group) {
    for task in tasks().iter().filter(|task| task.group() == group) {
        let row = task.measure(Patience::once()).unwrap_or_else(|error| panic!("{}: {error}", task.name()));
        assert_eq!((row.task.as_str(), row.group, row.turns), (task.name(), group, 1));
        assert!(row.ours > 0.0 && row.peer > 0.0, "{row:?}");
        assert_eq!(row.ratio, row.ours / row.peer);
        assert!(row.note.starts_with("peer: ") && !row.unit.is_empty(), "{row:?}");
    }
}

macro_rules! groups {
    ($($name:ident: $group:ident),*) => {$(
        #[test]
        fn $name() {
            every_task_of(Group::$group);
        }
    )*};
}

groups!(generator: Generator, mechanisms: Mechanisms, vectors: Vectors, estimation: Estimation, trajectory: Trajectory,
    classifier: Classifier, limit: Limit, collector: Collector);

#[test]
fn every_mechanism_and_every_method_is_measured() {
    let all = tasks();
    let names: HashSet<&str> = all.iter().map(|task| task.name()).collect();
    assert_eq!(names.len(), all.len(), "two tasks share a name");
    let count = |group| all.iter().filter(|task| task.group() == group).count();
    let scalars = privet::registry::mechanisms().count();
    let vectors = privet::vector::registry::ROWS.len();
    assert_eq!((count(Group::Mechanisms), count(Group::Vectors)), (scalars, 2 * vectors));
    assert!(count(Group::Estimation) > scalars);
    assert!(count(Group::Trajectory) > privet::trajectory::method::registry::METHODS.len());
    assert_eq!((count(Group::Classifier), count(Group::Limit), count(Group::Collector)), (3, 8, 2));
}

#[test]
fn groups_are_known_by_their_names() {
    for group in Group::ALL {
        assert_eq!(group.as_str().parse(), Ok(group));
        assert_eq!(serde_json::to_value(group).unwrap(), group.as_str());
    }
    assert!("nonsense".parse::<Group>().unwrap_err().contains("mechanisms, vectors"));
}

#[test]
fn the_stored_run_can_be_compared_with() {
    let stored = Run::from_json(include_str!("../baseline.json")).unwrap();
    assert!(stored.build.is_optimised() && !stored.rows.is_empty());
    let all = tasks();
    for row in stored.rows.iter().filter(|row| row.group != Group::Peers) {
        assert!(all.iter().any(|task| task.name() == row.task && task.group() == row.group), "{}", row.task);
    }
}
