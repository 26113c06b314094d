//! Rectangles: files and claims. How good the channels are is tested beside the solver.

use crate::epsilon;
use privet_core::{Interval, Rectangle};
use privet_limit::plane::{PlaneObjective, PlaneProblem};
use privet_limit::{LimitError, Problem, Solution, Stop};
use privet_mechanisms::plane::PlanePrior;

/// A search that is ended at once: valid, and not very good.
fn hasty(objective: PlaneObjective) -> Solution {
    let rectangle =
        Rectangle::new([Interval::new(0.0, 2.0).unwrap(), Interval::new(0.0, 1.0).unwrap()]).unwrap();
    let stop = Stop::default();
    stop.request();
    Problem::Plane(PlaneProblem { rectangle, epsilon: epsilon(2.0), objective })
        .solve(&stop, &mut |_| {})
        .unwrap()
}

#[test]
fn files_round_trip_and_are_checked() {
    let prior = PlanePrior::new([2, 1], vec![3, 1]).unwrap();
    for objective in [PlaneObjective::Average(prior), PlaneObjective::Minimax] {
        let solution = hasty(objective);
        assert!(solution.lower_bound > 0.0 && solution.gap() > 0.0);
        let read = Solution::from_json(&solution.to_json()).unwrap();
        assert_eq!(read.to_json(), solution.to_json());
        assert_eq!(read.problem, solution.problem);
        read.verify().unwrap();
        assert!(read.channel.mechanism().unwrap().exact_epsilon() <= 2.0);

        let boastful = Solution { lower_bound: solution.achieved, ..solution.clone() };
        assert!(matches!(boastful.verify(), Err(LimitError::Unproved { .. })));
        let flattering = Solution { achieved: solution.achieved * 0.99, ..solution };
        assert!(matches!(flattering.verify(), Err(LimitError::File { .. })));
    }
}

#[test]
fn a_bound_for_other_people_is_refused() {
    let average = hasty(PlaneObjective::Average(PlanePrior::uniform()));
    let elsewhere = hasty(PlaneObjective::Average(PlanePrior::new([2, 1], vec![1, 0]).unwrap()));
    // It claims nothing, so that only whose bound it is can be wrong.
    let borrowed = Solution { certificate: elsewhere.certificate, lower_bound: 0.0, ..average };
    assert!(matches!(borrowed.verify(), Err(LimitError::File { .. })));
}
