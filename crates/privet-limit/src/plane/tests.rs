use super::search::Fineness;
use super::*;
use privet_core::{Channel, Interval, Mechanism};

fn problem(epsilon: f64, widths: [f64; 2], objective: PlaneObjective) -> PlaneProblem {
    let sides = widths.map(|width| Interval::new(0.0, width).unwrap());
    let rectangle = Rectangle::new(sides).unwrap();
    PlaneProblem { rectangle, epsilon: Epsilon::new(epsilon).unwrap(), objective }
}

/// On grids that are coarse enough for a test.
fn solve_coarsely(problem: &PlaneProblem, stop: &Stop) -> PlaneSolved {
    let search = Search::with_grids(problem, Fineness { people: 12, outputs: 12 }).unwrap();
    run(&search, problem, stop, &mut |_| {}).unwrap()
}

fn uniform() -> PlaneObjective {
    PlaneObjective::Average(PlanePrior::uniform())
}

/// What must hold for everything that is solved.
fn check(problem: &PlaneProblem, solved: &PlaneSolved, gap: f64) {
    assert!(solved.lower_bound > 0.0 && solved.lower_bound <= solved.achieved, "{solved:?}");
    assert!(solved.gap() < gap, "{} {}", solved.gap(), solved.achieved);
    assert_eq!(solved.achieved, problem.objective.loss_of(&solved.mechanism));
    assert_eq!(solved.certificate.check(), solved.lower_bound);
    assert_eq!(solved.certificate.check(), solved.lower_bound);
    assert!(solved.mechanism.worst_ratio().is_at_most_exp(problem.epsilon));
    assert!(solved.mechanism.guarantee().epsilon().get() > problem.epsilon.get() - 1e-9);
}

#[test]
fn averages_are_nearly_the_best_there_are() {
    for epsilon in [1.0, 4.0] {
        let problem = problem(epsilon, [1.0, 1.0], uniform());
        let solved = solve_coarsely(&problem, &Stop::default());
        check(&problem, &solved, 0.08);
    }
}

#[test]
fn the_worst_case_is_nearly_the_best_there_is() {
    let problem = problem(2.0, [3.0, 1.0], PlaneObjective::Minimax);
    let solved = solve_coarsely(&problem, &Stop::default());
    check(&problem, &solved, 0.08);
}

#[test]
fn a_prior_pulls_the_cells_to_where_people_are() {
    let prior = PlanePrior::new([3, 2], vec![0, 9, 0, 1, 0, 2]).unwrap();
    let problem = problem(3.0, [1.0, 1.0], PlaneObjective::Average(prior));
    let solved = solve_coarsely(&problem, &Stop::default());
    check(&problem, &solved, 0.1);
    let upper = (0..solved.mechanism.cells()).filter(|cell| solved.mechanism.output_value(*cell)[1] > 0.5);
    assert!(upper.count() as f64 > 0.6 * f64::from(solved.mechanism.cells()));
}

#[test]
fn stopping_at_once_gives_a_weaker_result_that_is_still_true() {
    for objective in [uniform(), PlaneObjective::Minimax] {
        let problem = problem(2.0, [1.0, 1.0], objective);
        let stop = Stop::default();
        stop.request();
        let solved = solve_coarsely(&problem, &stop);
        check(&problem, &solved, 0.9);
    }
}

#[test]
fn a_changed_certificate_does_not_prove_its_bound() {
    let problem = problem(2.0, [1.0, 1.0], uniform());
    let solved = solve_coarsely(&problem, &Stop::default());
    let honest = &solved.certificate;
    let changed = |change: &dyn Fn(&mut Vec<u32>)| {
        let mut radii = honest.radii().to_vec();
        change(&mut radii);
        PlaneCertificate::new(*honest.rectangle(), honest.epsilon(), honest.people().clone(), radii).unwrap()
    };
    let unit = PlaneCertificate::RADIUS_UNIT;
    let claimed = solved.lower_bound;
    let raised = changed(&|radii| radii.iter_mut().for_each(|radius| *radius += unit / 1000));
    let raised_sum = claimed + 1e-3;
    assert!(raised.check() < raised_sum);
    assert!(raised.check() < claimed);
    let one = changed(&|radii| radii[40] += unit / 4);
    assert!(one.check() < claimed);
    let lowered = changed(&|radii| radii[40] -= unit / 1000);
    assert!(lowered.check() < claimed);
}

#[test]
fn extreme_epsilons_and_shapes_end_well() {
    for (epsilon, widths) in [(1e-3, [1.0, 1.0]), (2.0, [1e-9, 1e6]), (2.0, [1e300, 1e300])] {
        let problem = problem(epsilon, widths, uniform());
        let solved = solve_coarsely(&problem, &Stop::default());
        assert!(solved.achieved.is_finite() && solved.lower_bound <= solved.achieved, "{epsilon} {widths:?}");
    }
    // Beyond what grids of this size can see, the proof is empty but sound.
    let vast = problem(30.0, [1.0, 1.0], uniform());
    let search = Search::with_grids(&vast, Fineness { people: 12, outputs: 12 }).unwrap();
    let found = search.descend(&Stop::default(), &mut |_| {});
    let bound = search.certify(&found).unwrap().check();
    assert!((0.0..0.01).contains(&bound), "{bound}");
}

#[test]
fn grids_that_do_not_fit_into_memory_are_refused_with_their_size() {
    let prior = PlanePrior::new([256, 256], (0..65_536).map(|part| part % 7).collect()).unwrap();
    let refused =
        solve(&problem(2.0, [1.0, 1.0], PlaneObjective::Average(prior)), &Stop::default(), &mut |_| {});
    assert!(matches!(refused, Err(LimitError::TooLarge { .. })), "{refused:?}");
}

/// The unit square: what the source of the mechanism promises, and how near to the best that is.
#[test]
#[ignore = "full size: cargo xtask prove"]
fn the_unit_square_at_full_size() {
    for (epsilon, most) in [(2.0, 0.298), (4.0, 0.182), (6.0, 0.101)] {
        let problem = problem(epsilon, [1.0, 1.0], uniform());
        let solved = solve(&problem, &Stop::default(), &mut |_| {}).unwrap();
        check(&problem, &solved, 0.01);
        assert!(solved.achieved < most, "{epsilon}: {}", solved.achieved);
    }
    for epsilon in [2.0, 4.0] {
        let problem = problem(epsilon, [1.0, 1.0], PlaneObjective::Minimax);
        check(&problem, &solve(&problem, &Stop::default(), &mut |_| {}).unwrap(), 0.03);
    }
}
