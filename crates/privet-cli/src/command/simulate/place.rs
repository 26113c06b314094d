//! Reports of places against the truth.

use super::number::{Comparison, page};
use super::{Goal, Simulate};
use crate::arguments::{generator, parse_epsilons};
use crate::choice::{self, Choices};
use crate::command::true_values::TrueValues;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::batch_rows;
use crate::trials::Trials;
use privet::plane::PlaneErrors;
use privet::{AnyMechanism, DomainSpec, Generator, ReportBuffer, Values};

/// One mechanism at one epsilon.
struct Contestant {
    epsilon: f64,
    mechanism: Box<dyn AnyMechanism>,
    plane: Box<dyn PlaneErrors>,
}

impl Simulate {
    /// Compares and prints the distances between reports and places.
    pub(super) fn with_places(
        &self,
        choices: &Choices,
        domain: &DomainSpec,
        table: &TrueValues<'_>,
        output: Output,
    ) -> Result<(), Failure> {
        let contestants = self.place_contestants(choices, domain)?;
        let places = table.places(domain)?;
        let mut rng = generator(self.insecure_seed)?;
        let total = u64::from(self.trials) * contestants.len() as u64;
        let mut progress = Progress::new("trials", Some(total));
        let mut rows = Vec::new();
        for contestant in &contestants {
            let trials = Trials::new(self.trials, &mut rng, &mut progress);
            let errors = trials.run(|mut rng| contestant.errors(&places, &mut rng))?;
            let mean =
                |part: usize| errors.iter().map(|error| error[part]).sum::<f64>() / errors.len() as f64;
            rows.push(Comparison {
                mechanism: contestant.mechanism.info().id,
                epsilon: contestant.epsilon,
                goal: Goal::Point.as_str(),
                method: "reports as they are".to_owned(),
                mean_absolute_error: mean(0),
                mean_squared_error: mean(1),
                beyond: Default::default(),
                n: places.len() as u64,
                trials: self.trials,
            });
        }
        drop(progress);
        output.print(&rows, || page(&rows))
    }

    fn place_contestants(&self, choices: &Choices, domain: &DomainSpec) -> Result<Vec<Contestant>, Failure> {
        let options = self.options.build_options()?;
        options.refuse_unless(false, false)?;
        let epsilons = self.epsilon.as_deref().map(parse_epsilons).transpose()?;
        let mut contestants = Vec::new();
        for epsilon in choice::epsilons(choices.as_slice(), epsilons)? {
            for choice in choices.at(domain, epsilon) {
                let both = choice.mechanism(domain, epsilon, &options).and_then(|mechanism| {
                    let plane = choice.plane_errors(domain, epsilon)?;
                    Ok(plane.map(|plane| Contestant { epsilon: epsilon.get(), mechanism, plane }))
                });
                let made = choice.attempt(epsilon, &options).made(choices.is_all, both)?;
                contestants.extend(made.flatten());
            }
        }
        Ok(contestants)
    }
}

impl Contestant {
    /// The mean distance between places and their reports, and the mean squared one.
    fn errors(&self, places: &[[f64; 2]], rng: &mut Generator) -> Result<[f64; 2], Failure> {
        let mut reports = ReportBuffer::new(self.mechanism.report_bytes());
        let mut sums = [0.0; 2];
        for some in places.chunks(batch_rows(reports.report_bytes())) {
            reports.clear();
            self.mechanism.randomize_batch(&Values::Points(some.to_vec()), rng, &mut reports)?;
            for (place, report) in some.iter().zip(reports.iter()) {
                let reported = self.plane.reported_place(report)?;
                let distance = (reported[0] - place[0]).hypot(reported[1] - place[1]);
                sums[0] += distance;
                sums[1] += distance * distance;
            }
        }
        Ok(sums.map(|sum| sum / places.len() as f64))
    }
}
