//! Solving, with a way to end it early.

use crate::failure::{Failure, INTERRUPTED};
use crate::output::number;
use crate::progress::Waiting;
use privet::limit::{Problem, Progress, Solution, Stop};
use std::time::Instant;

/// A search that Ctrl-C ends with what there is.
#[derive(Debug)]
pub(super) struct Search(Stop);

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) solution: Solution,
    pub(super) seconds: f64,
}

impl Search {
    /// The first Ctrl-C from now on asks for the end, the second one ends the program.
    pub(super) fn new() -> Self {
        let stop = Stop::default();
        let asked = stop.clone();
        let on_signal = move || {
            if asked.is_requested() {
                std::process::exit(INTERRUPTED.into());
            }
            asked.request();
            eprintln!("stopping: the best so far is kept; Ctrl-C again ends at once");
        };
        if ctrlc::set_handler(on_signal).is_err() {
            eprintln!("warning: Ctrl-C ends at once here, and keeps nothing");
        }
        Self(stop)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.0.is_requested()
    }

    pub(super) fn solve(&self, problem: &Problem) -> Result<Found, Failure> {
        let (start, epsilon) = (Instant::now(), problem.epsilon());
        let waiting = Waiting::on(format!("solving at epsilon {epsilon}"));
        let mut on_progress = |progress: Progress| {
            let Progress { done, of, achieved, lower_bound } = progress;
            let gap = 100.0 * (achieved - lower_bound) / achieved;
            let best = number(achieved);
            waiting.say(format!(
                "solving at epsilon {epsilon}: stage {done} of at most {of}, best so far {best}, gap {gap:.2} %"
            ));
        };
        match problem.solve(&self.0, &mut on_progress) {
            Ok(solution) => Ok(Found { solution, seconds: start.elapsed().as_secs_f64() }),
            Err(_) if self.is_stopped() => Err(Failure::Stopped),
            Err(error) => Err(error.into()),
        }
    }
}
