//! Errors where values are no numbers: categories and places.

use super::{Answer, Error};
use crate::arguments::parse_epsilons;
use crate::choice::{self, Choice, Choices};
use crate::command::loss::NamedLoss;
use crate::command::prior;
use crate::failure::Failure;
use privet::analysis::{Loss, Prior};
use privet::limit::SolvedChannel;
use privet::limit::finite::LossMatrix;
use privet::plane::{PlaneErrors, PlanePrior};
use privet::{Categories, Domain, DomainSpec, Epsilon, Rectangle};

const CATEGORIES_ONLY: &str =
    "an error is that of one report, such as a category of grr; `privet simulate` is about frequencies";

impl Error {
    /// The answers on a domain of categories, or for places.
    pub(super) fn elsewhere(
        &self,
        choices: &Choices,
        domain: &DomainSpec,
        loss: &NamedLoss,
    ) -> Result<Vec<Answer>, Failure> {
        if self.plot.is_some() {
            let message = format!("errors are drawn over numbers and angles: got {domain}");
            return Err(Failure::Usage { message, hint: Some("leave --plot out") });
        }
        let epsilons = self.epsilon.as_deref().map(parse_epsilons).transpose()?;
        let mut answers = Vec::new();
        for epsilon in choice::epsilons(choices.as_slice(), epsilons)? {
            for choice in choices.at(domain, epsilon) {
                let found = match domain {
                    DomainSpec::Categories(categories) => {
                        self.on_categories(choice, categories, epsilon, loss)?
                    }
                    DomainSpec::Rectangle(rectangle) => match self.plane(choices, choice, domain, epsilon)? {
                        Some(plane) => Some(self.in_rectangle(&*plane, rectangle, loss.distance(domain)?)?),
                        None => None,
                    },
                    _ => None,
                };
                let Some((what, error, input)) = found else {
                    if choices.is_all {
                        continue;
                    }
                    return Err(Failure::Usage {
                        message: format!("the reports of {} are not values of {domain}", choice.id()),
                        hint: Some(CATEGORIES_ONLY),
                    });
                };
                answers.push(Answer {
                    id: choice.id(),
                    domain: domain.to_string(),
                    epsilon: epsilon.get(),
                    loss: loss.name(),
                    what,
                    error,
                    input: input.map(Into::into),
                    bias: None,
                    variance: None,
                });
            }
        }
        if answers.is_empty() {
            return Err(Failure::Usage { message: format!("no mechanism works on {domain}"), hint: None });
        }
        Ok(answers)
    }

    fn plane(
        &self,
        choices: &Choices,
        choice: &Choice,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Option<Box<dyn PlaneErrors>>, Failure> {
        let options = self.options.build_options()?;
        let plane = choice.plane_errors(domain, epsilon);
        Ok(choice.attempt(epsilon, &options).made(choices.is_all, plane)?.flatten())
    }

    fn on_categories(
        &self,
        choice: &Choice,
        categories: &Categories,
        epsilon: Epsilon,
        loss: &NamedLoss,
    ) -> Result<Option<Found>, Failure> {
        let losses = loss.matrix(categories)?;
        let Some(errors) = self.errors_of(choice, categories, epsilon, &losses)? else { return Ok(None) };
        if self.average {
            let weights = self.prior.as_deref().map(prior::of_weights).transpose()?;
            let prior = weights.map_or_else(|| Prior::new(&vec![1.0; errors.len()]), Ok)?;
            if prior.shares().len() != errors.len() {
                let message = format!(
                    "a prior needs a weight for each of {} categories: got {}",
                    errors.len(),
                    prior.shares().len()
                );
                return Err(Failure::Data { message, hint: None });
            }
            let average = prior.shares().iter().zip(&errors).map(|(share, error)| share * error).sum();
            return Ok(Some(("average", average, None)));
        }
        if let Some(text) = &self.input {
            let input = categories.parse(text)?;
            categories.check(&input)?;
            return Ok(Some(("input", errors[input as usize], Some(categories.label(input)))));
        }
        let worst = (0u32..).zip(&errors).max_by(|one, other| one.1.total_cmp(other.1));
        Ok(worst.map(|(input, error)| ("worst", *error, Some(categories.label(input)))))
    }

    /// The expected loss for each category, if reports are outputs of the losses.
    fn errors_of(
        &self,
        choice: &Choice,
        categories: &Categories,
        epsilon: Epsilon,
        losses: &LossMatrix,
    ) -> Result<Option<Vec<f64>>, Failure> {
        let is_all = self.mechanism == ["all"];
        if let Some(SolvedChannel::Categories(table)) = choice.solved() {
            return Ok(Some(losses.expected(table, table.outputs())?));
        }
        let options = self.options.build_options()?;
        let domain = DomainSpec::Categories(categories.clone());
        let built = choice.mechanism(&domain, epsilon, &options);
        let Some(mechanism) = choice.attempt(epsilon, &options).made(is_all, built)? else { return Ok(None) };
        let labels: Vec<String> = (0..categories.count()).map(|index| categories.label(index)).collect();
        let outputs: Vec<u32> = (0..categories.count()).collect();
        match mechanism.table(&labels)? {
            Some(table) => Ok(Some(losses.expected_of(&table, &outputs)?)),
            None => Ok(None),
        }
    }

    fn in_rectangle(
        &self,
        plane: &dyn PlaneErrors,
        rectangle: &Rectangle,
        loss: Loss,
    ) -> Result<Found, Failure> {
        if loss != Loss::Absolute {
            return Err(Failure::Usage {
                message: "losses of places are distances".into(),
                hint: Some("use --loss absolute"),
            });
        }
        let written = |place: [f64; 2]| Some(format!("{},{}", place[0], place[1]));
        if self.average {
            let prior = self.prior.as_deref().map(prior::of_grid).transpose()?;
            return Ok(("average", plane.average_loss(&prior.unwrap_or_else(PlanePrior::uniform)), None));
        }
        if let Some(text) = &self.input {
            let place = rectangle.parse(text)?;
            return Ok(("input", plane.expected_loss(place)?, written(place)));
        }
        let (error, place) = plane.worst_loss();
        Ok(("worst", error, written(place)))
    }
}

/// Which error it is, how large, and where.
type Found = (&'static str, f64, Option<String>);
