//! Flags that several verbs share, and how they are read.
//!
//! They arrive as text and are checked here rather than by the parser of the command line, so that a wrong one gets the
//! message, the code and the hint of the library.

use crate::choice::{self, Attempt, Choice, Choices, Unbuilt};
use crate::failure::Failure;
use crate::vectors::{self, RadiusArguments};
use clap::Args;
use privet::plane::PlaneErrors;
use privet::registry::{self, AnyEstimator, MechanismRow};
use privet::vector::OnVectors;
use privet::vector::mechanism::VectorMechanism;
use privet::vector::registry as vector_registry;
use privet::{AnyMechanism, BuildOptions, Delta, DomainSpec, Epsilon, Generator};

/// One mechanism with its parameters.
#[derive(Debug, Args)]
pub(crate) struct MechanismArguments {
    /// The mechanism's id or a synonym, which `privet mechanisms` lists, or file:PATH for one made by `privet optimize`
    // Verbs that can do without one say so.
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) mechanism: Option<String>,
    /// Where values come from: binary, categories:128, categories:red,green,blue, words:12, interval:0,1, circle:360 or
    /// vector:64; a mechanism from a file has its own
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: Option<String>,
    /// How much one report may reveal: the largest log-ratio of report probabilities; a mechanism from a file has its own
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) epsilon: Option<String>,
    #[command(flatten)]
    pub(crate) options: OptionArguments,
    #[command(flatten)]
    pub(crate) clip: RadiusArguments,
}

/// Parameters that only some mechanisms take.
#[derive(Debug, Args)]
pub(crate) struct OptionArguments {
    /// How much probability the guarantee leaves out, for mechanisms that have one (gaussian)
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) delta: Option<String>,
    /// How many parts a mechanism on a grid cuts its domain into
    #[arg(long, value_name = "COUNT")]
    pub(crate) bins: Option<u32>,
}

impl OptionArguments {
    pub(crate) fn build_options(&self) -> Result<BuildOptions, Failure> {
        let delta = self.delta.as_deref().map(|text| parse_named("delta", text)).transpose()?;
        Ok(BuildOptions { delta: delta.map(Delta::new).transpose()?, bins: self.bins })
    }
}

/// One mechanism at one place.
#[derive(Debug)]
pub(crate) struct Chosen {
    choice: Known,
    options: BuildOptions,
    pub(crate) domain: DomainSpec,
    pub(crate) epsilon: Epsilon,
}

/// What a name leads to.
#[derive(Debug)]
enum Known {
    Value(Choice),
    Vector { row: &'static vector_registry::Row, radius: Option<f64> },
}

impl MechanismArguments {
    pub(crate) fn resolve(&self) -> Result<Chosen, Failure> {
        let name = self.mechanism.as_deref().ok_or_else(|| Failure::Usage {
            message: "which mechanism?".into(),
            hint: Some("say it with --mechanism"),
        })?;
        if let Some(domain) = self.domain.as_ref().filter(|domain| vectors::is_vector_domain(domain)) {
            let row = vectors::find(name)?;
            let given = self.epsilon.as_deref().map(parse_epsilon).transpose()?;
            let epsilon = choice::epsilons(&[], given.map(|epsilon| vec![epsilon]))?[0];
            let choice = Known::Vector { row, radius: self.clip.radius };
            let options = self.options.build_options()?;
            return Ok(Chosen { choice, options, domain: domain.parse()?, epsilon });
        }
        self.clip.refuse_elsewhere()?;
        let choice = Choice::find(name)?;
        let choices = std::slice::from_ref(&choice);
        let domain = choice::domain(choices, self.domain.as_ref())?;
        let given = self.epsilon.as_deref().map(parse_epsilon).transpose()?;
        let epsilon = choice::epsilons(choices, given.map(|epsilon| vec![epsilon]))?[0];
        let options = self.options.build_options()?;
        Ok(Chosen { choice: Known::Value(choice), options, domain, epsilon })
    }
}

impl Chosen {
    pub(crate) fn mechanism(&self) -> Result<Box<dyn AnyMechanism>, Failure> {
        Ok(match &self.choice {
            Known::Value(choice) => choice.mechanism(&self.domain, self.epsilon, &self.options)?,
            Known::Vector { .. } => Box::new(OnVectors(self.vector_mechanism()?.into())),
        })
    }

    /// The mechanism on vectors.
    pub(crate) fn vector_mechanism(&self) -> Result<Box<dyn VectorMechanism>, Failure> {
        match &self.choice {
            Known::Vector { row, radius } => {
                Ok(vectors::build(row, &self.domain, *radius, self.epsilon, &self.options)?)
            }
            Known::Value(choice) => Err(self.not_about("vectors", choice.id())),
        }
    }

    /// The choice, where it is not about vectors.
    fn value(&self, wanted: &str) -> Result<&Choice, Failure> {
        match &self.choice {
            Known::Value(choice) => Ok(choice),
            Known::Vector { row, .. } => Err(self.not_about(wanted, row.info.id)),
        }
    }

    fn not_about(&self, wanted: &str, id: &str) -> Failure {
        Failure::Usage { message: format!("{id} is not about {wanted}: got {}", self.domain), hint: None }
    }

    /// What reports of places stand for.
    pub(crate) fn plane_errors(&self) -> Result<Box<dyn PlaneErrors>, Failure> {
        let choice = self.value("places")?;
        choice.plane_errors(&self.domain, self.epsilon)?.ok_or_else(|| self.not_on_places(choice))
    }

    fn not_on_places(&self, choice: &Choice) -> Failure {
        let message = format!("{} is not about places: got {}", choice.id(), self.domain);
        Failure::Usage { message, hint: Some("places are reported by window-2d or file:PATH") }
    }

    pub(crate) fn estimator(&self) -> Result<Box<dyn AnyEstimator>, Failure> {
        Ok(self.value("numbers or categories")?.estimator(&self.domain, self.epsilon, &self.options)?)
    }
}

/// The mechanism of this name, or the nearest name there is.
pub(crate) fn find_mechanism(name: &str) -> Result<&'static MechanismRow, Failure> {
    registry::find_mechanism(name).map_err(|source| match vector_registry::find(name) {
        Ok(row) => Failure::Usage {
            message: format!("{} works on vectors, which are not asked for here", row.info.id),
            hint: Some("say --domain vector:64, or use `privet vector evaluate`"),
        },
        Err(_) => Failure::UnknownMechanism { source, nearest: registry::nearest_name(name) },
    })
}

/// Mechanisms, and those of `all` that cannot be made.
pub(crate) type Built = (Vec<Box<dyn AnyMechanism>>, Vec<Unbuilt>);

/// The chosen mechanisms that fit. Where all are asked for, each gets the options that it takes, and those that need a
/// delta are among them if one is given.
pub(crate) fn build_mechanisms(
    choices: &Choices,
    domain: &DomainSpec,
    epsilon: Epsilon,
    options: &BuildOptions,
) -> Result<Built, Failure> {
    if !choices.is_all {
        let build = |choice: &Choice| Ok::<_, Failure>(choice.mechanism(domain, epsilon, options)?);
        let built = choices.at(domain, epsilon).map(build).collect::<Result<_, _>>()?;
        return Ok((built, Vec::new()));
    }
    let (mut fitting, mut unbuilt) = (Vec::new(), Vec::new());
    for row in registry::ready_mechanisms() {
        let needs_delta = row.info.guarantee != "pure";
        let taken = BuildOptions { delta: options.delta.filter(|_| needs_delta), ..*options };
        let without_bins = BuildOptions { bins: None, ..taken };
        let built = row.build_with(domain, epsilon, &taken);
        match built.or_else(|_| row.build_with(domain, epsilon, &without_bins)) {
            Ok(mechanism) => fitting.push(mechanism),
            Err(error) => unbuilt.extend(Attempt::new(&row.info, epsilon, options).unbuilt(&error)),
        }
    }
    if fitting.is_empty() && unbuilt.is_empty() {
        return Err(Failure::Usage { message: format!("no mechanism works on {domain}"), hint: None });
    }
    Ok((fitting, unbuilt))
}

/// One epsilon.
pub(crate) fn parse_epsilon(text: &str) -> Result<Epsilon, Failure> {
    Ok(Epsilon::new(parse_named("epsilon", text)?)?)
}

/// A number, called by its name if it is none.
pub(crate) fn parse_named(name: &str, text: &str) -> Result<f64, Failure> {
    text.trim().parse().map_err(|_| Failure::Usage {
        message: format!("{name} must be a number: got {text:?}"),
        hint: (name == "epsilon")
            .then_some("write a number such as 1.5, a list such as 1,2,4, or a range such as 1:8:0.5"),
    })
}

/// More steps than this in a range are a slip of the hand.
const MAX_STEPS: f64 = 10_000.0;

/// Epsilons as a list (`1,2,4`), a range (`1:8:0.5`, both ends included), or a list of both.
pub(crate) fn parse_epsilons(text: &str) -> Result<Vec<Epsilon>, Failure> {
    parse_numbers("epsilon", text)?.into_iter().map(|number| Ok(Epsilon::new(number)?)).collect()
}

/// Numbers as a list, a range, or a list of both.
pub(crate) fn parse_numbers(name: &str, text: &str) -> Result<Vec<f64>, Failure> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        match part.split(':').collect::<Vec<_>>()[..] {
            [single] => numbers.push(parse_named(name, single)?),
            [first, last, step] => {
                let [first, last, step] = [first, last, step].map(|text| parse_named(name, text));
                numbers.extend(range(first?, last?, step?)?);
            }
            _ => return Err(bad_range(part)),
        }
    }
    Ok(numbers)
}

fn range(first: f64, last: f64, step: f64) -> Result<Vec<f64>, Failure> {
    // The last value belongs to the range although the division may come out a little low.
    let steps = ((last - first) / step + 1e-9).floor();
    if !(step > 0.0 && (0.0..=MAX_STEPS).contains(&steps)) {
        return Err(bad_range(&format!("{first}:{last}:{step}")));
    }
    // Written with twelve digits 0.1 + 2 * 0.1 is 0.3 again.
    let value = |index: u32| parse_named("a number", &format!("{:.12}", first + f64::from(index) * step));
    (0..=steps as u32).map(value).collect()
}

fn bad_range(text: &str) -> Failure {
    Failure::Usage {
        message: format!("cannot read the range {text:?}"),
        hint: Some("a range is first:last:step with first <= last and at most 10000 steps, such as 1:8:0.5"),
    }
}

/// A generator from the operating system, or from a seed with a warning.
pub(crate) fn generator(insecure_seed: Option<u64>) -> Result<Generator, Failure> {
    let Some(seed) = insecure_seed else { return Ok(privet::generator()?) };
    eprintln!("warning: reports drawn from a fixed seed protect nobody; use them for tests only");
    Ok(Generator::from_insecure_seed(seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<f64> {
        parse_epsilons(text).unwrap().into_iter().map(Epsilon::get).collect()
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(numbers("1,2,4"), [1.0, 2.0, 4.0]);
        assert_eq!(numbers("0.1:0.5:0.1"), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(numbers("1:8:0.5").len(), 15);
        assert_eq!(numbers(".1,1:2:1"), [0.1, 1.0, 2.0]);
        assert_eq!(numbers("3:3:1"), [3.0]);
    }

    #[test]
    fn bad_lists_and_ranges() {
        for text in
            ["", "1,", "a", "1:2", "2:1:1", "1:2:0", "1:2:-1", "1:2:NaN", "0:1:1", "1:9:1e-9", "1:2:3:4"]
        {
            assert!(parse_epsilons(text).is_err(), "{text}");
        }
    }
}
