//! Errors of vectors.

use super::{Answer, Error, page, picture, print};
use crate::arguments::parse_epsilons;
use crate::choice::{self, Attempt};
use crate::command::loss::NamedLoss;
use crate::failure::Failure;
use crate::output::Output;
use crate::plot;
use crate::vectors;
use privet::DomainSpec;
use privet::analysis::Loss;

impl Error {
    /// The mean squared error of each mechanism, the largest over its clip set.
    pub(super) fn of_vectors(&self, domain: &str, loss: &NamedLoss, output: Output) -> Result<(), Failure> {
        let domain: DomainSpec = domain.parse()?;
        let wrong =
            |message: &str, hint| Err(Failure::Usage { message: message.to_owned(), hint: Some(hint) });
        if loss.distance(&domain)? != Loss::Squared {
            return wrong("errors of vectors are squared distances", "use --loss squared");
        }
        if self.input.is_some() || self.prior.is_some() {
            return wrong("errors of vectors are the largest over the clip set", "use --worst");
        }
        let epsilons = self.epsilon.as_deref().map(parse_epsilons).transpose()?;
        let options = self.options.build_options()?;
        let rows = vectors::find_all(&self.mechanism, &options)?;
        vectors::check_taken(&rows, &options)?;
        let mut answers = Vec::new();
        for epsilon in choice::epsilons(&[], epsilons)? {
            for row in &rows {
                let options = vectors::taken(row, &options);
                let built = vectors::build(row, &domain, self.clip.radius, epsilon, &options);
                let attempt = Attempt::new(&row.info, epsilon, &options);
                let Some(mechanism) = attempt.made(vectors::is_all(&self.mechanism), built)? else {
                    continue;
                };
                answers.push(Answer {
                    id: row.info.id,
                    domain: domain.to_string(),
                    epsilon: epsilon.get(),
                    loss: "squared",
                    what: "worst",
                    error: mechanism.mean_squared_error(),
                    input: None,
                    bias: mechanism.is_unbiased().then_some(0.0),
                    variance: Some(mechanism.coordinate_variances().iter().sum()),
                });
            }
        }
        if let Some(path) = &self.plot {
            let is_one_epsilon = answers.iter().all(|row| row.epsilon == answers[0].epsilon);
            if is_one_epsilon {
                return wrong("errors of vectors are drawn over epsilon", "give several epsilons");
            }
            plot::save(&picture::over_epsilon(&answers, &domain, Loss::Squared), path)?;
        }
        print(&answers, output, || page(&answers, "squared", self.plot.as_deref()))
    }
}
