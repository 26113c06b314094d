//! What is asked of the reports.

use super::Estimate;
use crate::arguments::parse_named;
use crate::failure::Failure;
use clap::Args;
use clap::builder::PossibleValuesParser;
use privet::numeric::Method;
use privet::{Consistency, Domain, DomainSpec, Populations, Request};

/// What is asked about numbers and angles.
#[derive(Debug, Args)]
#[command(next_help_heading = "Numbers and angles")]
pub(super) struct NumberArguments {
    /// How the distribution is estimated: em (maximum likelihood), ems (the same, smoothed), ems-cv (as much smoothing as
    /// makes held-out reports likeliest), least-squares, or histogram (the reports as they are) [default: ems-cv]
    #[arg(long, value_name = "METHOD", hide_possible_values = true, value_parser = methods())]
    method: Option<String>,
    /// How many equal bins the distribution has, up to 4096; smoothing works on 50 or more, whatever is shown [default: 50].
    /// Places: how many cells each side has, from 2 to 16 [default: 8]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(super) distribution_bins: Option<u32>,
    /// Levels of quantiles, from 0 to 1; numbers only [default: 0.25,0.5,0.75]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    quantiles: Option<String>,
    /// A range of values whose share is asked for; may be given several times. A range of angles may pass zero
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    range: Vec<String>,
    /// Shorter intervals, which hold only for populations that are spread evenly inside each of so many equal bins, from 2
    /// to 256. They are wrong if many people have the same value: docs/INTERVALS.md
    #[arg(long, value_name = "BINS", value_parser = clap::value_parser!(u32).range(2..=256))]
    smooth: Option<u32>,
}

/// The ways to estimate a distribution.
pub(in crate::command) fn methods() -> PossibleValuesParser {
    PossibleValuesParser::new(Method::ALL.map(Method::as_str))
}

/// A way by its name.
pub(in crate::command) fn parse_method(name: &str) -> Result<Method, Failure> {
    name.parse().map_err(|message| Failure::Usage { message, hint: None })
}

/// Whether a domain is about numbers or angles.
fn is_numeric(domain: &DomainSpec) -> bool {
    matches!(domain, DomainSpec::Interval(_) | DomainSpec::Circle(_))
}

impl Estimate {
    /// What is asked of the reports about a domain. Flags that do not fit the domain are refused.
    pub(super) fn request(&self, domain: &DomainSpec, step: Consistency) -> Result<Request, Failure> {
        self.refuse_misfits(domain)?;
        let Request { method, bins, quantiles, .. } = Request::default();
        let flags = &self.numbers;
        let ranges = flags.range.iter().map(|text| parse_range(text, domain));
        Ok(Request {
            method: flags.method.as_deref().map_or(Ok(method), parse_method)?,
            bins: flags.distribution_bins.map_or(bins, |bins| bins as usize),
            quantiles: flags.quantiles.as_deref().map_or(Ok(quantiles), parse_levels)?,
            ranges: ranges.collect::<Result<_, _>>()?,
            ..self.request_of_any(step)
        })
    }

    /// What is asked whatever the reports are about.
    pub(super) fn request_of_any(&self, step: Consistency) -> Request {
        let smooth = self.numbers.smooth.map(|bins| Populations::Smooth { bins });
        Request { step, target: self.target, populations: smooth.unwrap_or_default(), ..Request::default() }
    }

    fn refuse_misfits(&self, domain: &DomainSpec) -> Result<(), Failure> {
        let flags = &self.numbers;
        let consistency = ("--consistency", self.consistency != "none");
        let method = ("--method", flags.method.is_some());
        let bins = ("--distribution-bins", flags.distribution_bins.is_some());
        let quantiles = ("--quantiles", flags.quantiles.is_some());
        let range = ("--range", !flags.range.is_empty());
        let smooth = ("--smooth", flags.smooth.is_some());
        let top = ("--top", self.top.is_some());
        let first = |flags: &[(&'static str, bool)]| Some(flags.iter().find(|(_, is_given)| *is_given)?.0);
        let (found, words, hint) = match domain {
            DomainSpec::Rectangle(_) => (
                first(&[consistency, method, quantiles, range, smooth, top]),
                "is not about places",
                "places have shares of --distribution-bins cells on each side",
            ),
            DomainSpec::Vectors(_) => (
                first(&[consistency, method, bins, quantiles, range, smooth, top]),
                "is not about vectors",
                "vectors have a mean for each coordinate",
            ),
            DomainSpec::Circle(_) if quantiles.1 => {
                let message =
                    format!("quantiles need numbers with an order, and angles have none: got {domain}");
                return Err(misfit(message, "ask for the shares of ranges with --range"));
            }
            _ if is_numeric(domain) => {
                (first(&[top]), "is about categories", "it fits domains such as categories:red,green,blue")
            }
            _ => (first(&[method, bins, quantiles, range, smooth]), "is about numbers and angles", NUMBERS),
        };
        found.map_or(Ok(()), |flag| Err(misfit(format!("{flag} {words}: got {domain}"), hint)))
    }

    /// Refuses --smooth where no attribute is about numbers or angles.
    pub(super) fn refuse_smooth_unless<'a>(
        &self,
        mut domains: impl Iterator<Item = &'a DomainSpec>,
    ) -> Result<(), Failure> {
        if self.numbers.smooth.is_none() || domains.any(is_numeric) {
            return Ok(());
        }
        let message = "--smooth is about numbers and angles: the policy asks for none".to_owned();
        Err(Failure::Usage { message, hint: None })
    }
}

const NUMBERS: &str = "it fits domains such as interval:0,1 and circle:360";

fn misfit(message: String, hint: &'static str) -> Failure {
    Failure::Usage { message, hint: Some(hint) }
}

fn parse_levels(text: &str) -> Result<Vec<f64>, Failure> {
    let level = |text: &str| match parse_named("a quantile's level", text)? {
        level if (0.0..=1.0).contains(&level) => Ok(level),
        level => Err(misfit(
            format!("a quantile's level must be between 0 and 1: got {level}"),
            "the median is 0.5",
        )),
    };
    text.split(',').map(level).collect()
}

fn parse_range(text: &str, domain: &DomainSpec) -> Result<[f64; 2], Failure> {
    let wrong = |reason: &str| {
        misfit(format!("cannot read the range {text:?}: {reason}"), "a range is FROM,TO, such as 18,65")
    };
    let (from, to) = text.split_once(',').ok_or_else(|| wrong("it needs two ends"))?;
    let range = [parse_named("an end of a range", from)?, parse_named("an end of a range", to)?];
    let is_inside = match domain {
        DomainSpec::Interval(interval) => range.iter().all(|end| interval.contains(end)),
        DomainSpec::Circle(circle) => range.iter().all(|end| (0.0..=circle.period()).contains(end)),
        _ => false,
    };
    match range {
        _ if !is_inside => Err(wrong(&format!("its ends must lie in {domain}"))),
        [from, to] if from > to && !matches!(domain, DomainSpec::Circle(_)) => {
            Err(wrong("it ends before it begins"))
        }
        range => Ok(range),
    }
}
