//! Does a mechanism, or any program, keep its promise?

mod event;
pub(super) mod program;

use crate::arguments::{Built, OptionArguments, build_mechanisms, generator, parse_epsilons};
use crate::choice::{self, Attempt, Choices, Unbuilt};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::progress::Progress;
use crate::vectors::{self, RadiusArguments, is_vector_domain};
use clap::Args;
use privet::audit::{AuditError, Sampling, lower_bound};
use privet::vector::OnVectors;
use privet::{AnyMechanism, BuildOptions, DomainSpec, Epsilon, Guarantee, ParameterError};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  One mechanism, from its integers and from a hundred thousand draws:
    privet audit --mechanism grr --domain categories:16 --epsilon 1

  Every mechanism that fits, at several sizes and epsilons:
    privet audit --mechanism all --domain binary --domain categories:128 --epsilon .1,1,4

  A program that reads values and writes reports, line by line:
    privet audit --domain categories:red,green,blue --epsilon 1 --samples 20000 \\
      --command 'privet perturb --mechanism grr --domain categories:red,green,blue --epsilon 1
                 --in - --out - --format lines'";

/// Check that a mechanism keeps its promise
///
/// The exact epsilon is the largest log-ratio of report probabilities, computed with integers from the weights that the
/// sampler uses. The sampled bound needs no weights: reports are drawn for two inputs, half of them choose the most telling
/// event, the other half count it, and the true epsilon is above the bound with the stated confidence. An audit passes if
/// both are at most the claimed epsilon, and the exact delta at most the claimed one; otherwise the exit status is 1. Of `all`
/// mechanisms, those that cannot be made are listed with the reason (in JSON: `error`) and are no failure. Of mechanisms
/// whose numerics are real-arithmetic, the exact epsilon is the stated one: it is derived, and only the samples check it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Audit {
    /// Mechanisms by id, synonym or file:PATH, or `all` for every one that fits the domain and need not be solved for
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        required_unless_present = "command",
        conflicts_with = "command"
    )]
    mechanism: Vec<String>,
    /// A program that reads one value per line and writes one report per line, with its arguments
    #[arg(long, value_name = "PROGRAM ARGS")]
    command: Option<String>,
    /// Where values come from; may be given several times; a mechanism from a file has its own
    #[arg(long, value_name = "DOMAIN")]
    domain: Vec<String>,
    /// The claim: a number, a list such as .1,1,4 or a range such as 1:8:0.5; a mechanism from a file has its own
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: Option<String>,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    clip: RadiusArguments,
    /// How many reports to draw for each input
    #[arg(long, value_name = "COUNT", default_value_t = 100_000,
          value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    samples: u64,
    /// How sure the sampled bound of each row must be
    #[arg(long, value_name = "NUMBER", default_value_t = 0.999_999)]
    confidence: f64,
}

/// One row of an audit.
#[derive(Debug, Serialize)]
struct Finding {
    id: String,
    domain: String,
    claimed_epsilon: f64,
    exact_epsilon: Option<f64>,
    claimed_delta: f64,
    exact_delta: Option<f64>,
    sampled_lower_bound: f64,
    /// The largest bound that this number of samples can give.
    largest_detectable: f64,
    confidence: f64,
    samples: u64,
    passed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<ProgramFinding>,
}

/// A mechanism of `all` that cannot be made there, which is no verdict about its promise.
#[derive(Debug, Serialize)]
struct Missing {
    id: &'static str,
    domain: String,
    claimed_epsilon: f64,
    error: String,
}

/// Everything that was found.
#[derive(Debug, Default)]
struct Audited {
    findings: Vec<Finding>,
    missing: Vec<Missing>,
}

/// Either kind of row.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Finding(&'a Finding),
    Missing(&'a Missing),
}

impl Audited {
    /// One finding is one document, several rows are a list.
    fn print(&self, sampling: Sampling, output: Output) -> Result<(), Failure> {
        let Self { findings, missing } = self;
        let page = || page(findings, missing, sampling);
        let rows: Vec<Row<'_>> =
            findings.iter().map(Row::Finding).chain(missing.iter().map(Row::Missing)).collect();
        match &rows[..] {
            [only @ Row::Finding(_)] => output.print(only, page),
            several => output.print(&several, page),
        }
    }
}

/// What an audit of a program says beyond that.
#[derive(Debug, Serialize)]
struct ProgramFinding {
    command: String,
    /// How many bounds the confidence is shared by.
    tests: usize,
    /// The most telling event, and the inputs under which it is likelier and less likely.
    event: String,
    inputs: [String; 2],
}

impl Audit {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let wrong = |error: ParameterError| Failure::Usage { message: error.to_string(), hint: None };
        let sampling = Sampling::new(self.samples, self.confidence).map_err(wrong)?;
        // Mechanisms on vectors have a list of their own.
        let is_about_vectors =
            !self.domain.is_empty() && self.domain.iter().all(|domain| is_vector_domain(domain));
        let names = if is_about_vectors { &[][..] } else { &self.mechanism };
        let choices = Choices::read(names)?;
        if !self.domain.iter().any(|domain| is_vector_domain(domain)) {
            self.clip.refuse_elsewhere()?;
        }
        let domains = choice::domains(choices.as_slice(), &self.domain)?;
        let epsilons = self.epsilon.as_deref().map(parse_epsilons).transpose()?;
        let epsilons = choice::epsilons(choices.as_slice(), epsilons)?;
        let mut audited = Audited::default();
        for domain in &domains {
            match &self.command {
                Some(command) => {
                    audited.findings.extend(self.audit_program(command, domain, &epsilons, sampling)?)
                }
                None => self.audit_mechanisms(&choices, domain, &epsilons, sampling, &mut audited)?,
            }
        }
        audited.print(sampling, output)?;
        verdict(&audited.findings)
    }

    fn audit_mechanisms(
        &self,
        choices: &Choices,
        domain: &DomainSpec,
        epsilons: &[Epsilon],
        sampling: Sampling,
        audited: &mut Audited,
    ) -> Result<(), Failure> {
        let mut rng = generator(None)?;
        let options = self.options.build_options()?;
        for epsilon in epsilons {
            let (mechanisms, unbuilt) = match domain {
                DomainSpec::Vectors(_) => self.on_vectors(domain, *epsilon, &options)?,
                _ => build_mechanisms(choices, domain, *epsilon, &options)?,
            };
            let (domain, claimed_epsilon) = (domain.to_string(), epsilon.get());
            audited.missing.extend(unbuilt.into_iter().map(|Unbuilt { id, why: error }| Missing {
                id,
                domain: domain.clone(),
                claimed_epsilon,
                error,
            }));
            let mut progress = Progress::new("samples", Some(2 * sampling.samples * mechanisms.len() as u64));
            for mechanism in mechanisms {
                let mut add = |samples| progress.add(samples);
                let bound = lower_bound(&*mechanism, sampling, &mut rng, &mut add).map_err(refused)?;
                let (exact, exact_delta) = exact_guarantee(&*mechanism);
                let claimed_delta = claimed_delta(&*mechanism, &options);
                let is_kept = exact <= claimed_epsilon && exact_delta <= claimed_delta;
                audited.findings.push(Finding {
                    id: mechanism.info().id.to_owned(),
                    domain: domain.clone(),
                    claimed_epsilon,
                    exact_epsilon: Some(exact),
                    claimed_delta,
                    exact_delta: Some(exact_delta),
                    sampled_lower_bound: bound,
                    largest_detectable: sampling.largest_bound(1),
                    confidence: self.confidence,
                    samples: self.samples,
                    passed: is_kept && bound <= claimed_epsilon,
                    program: None,
                });
            }
        }
        Ok(())
    }

    fn on_vectors(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Built, Failure> {
        let rows = vectors::find_all(&self.mechanism, options)?;
        vectors::check_taken(&rows, options)?;
        let is_all = vectors::is_all(&self.mechanism);
        let (mut built, mut unbuilt) = (Vec::new(), Vec::new());
        for row in rows {
            let options = vectors::taken(row, options);
            match vectors::build(row, domain, self.clip.radius, epsilon, &options) {
                Ok(mechanism) => built.push(Box::new(OnVectors(mechanism.into())) as Box<dyn AnyMechanism>),
                Err(error) if is_all => {
                    unbuilt.extend(Attempt::new(&row.info, epsilon, &options).unbuilt(&error));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok((built, unbuilt))
    }

    fn audit_program(
        &self,
        command: &str,
        domain: &DomainSpec,
        epsilons: &[Epsilon],
        sampling: Sampling,
    ) -> Result<Vec<Finding>, Failure> {
        // The program is run once: the bound does not depend on the claim.
        let worst = program::worst_event(command, domain, sampling)?;
        let finding = |epsilon: &Epsilon| Finding {
            id: "command".to_owned(),
            domain: domain.to_string(),
            claimed_epsilon: epsilon.get(),
            exact_epsilon: None,
            claimed_delta: 0.0,
            exact_delta: None,
            sampled_lower_bound: worst.bound,
            largest_detectable: sampling.largest_bound(worst.tests),
            confidence: self.confidence,
            samples: self.samples,
            passed: worst.bound <= epsilon.get(),
            program: Some(ProgramFinding {
                command: command.to_owned(),
                tests: worst.tests,
                event: worst.event.clone(),
                inputs: worst.inputs.clone(),
            }),
        };
        Ok(epsilons.iter().map(finding).collect())
    }
}

fn refused(error: AuditError) -> Failure {
    match error {
        AuditError::Input(error) => error.into(),
        AuditError::Report(error) => error.into(),
    }
}

/// What the integers of the sampler promise: the worst log-ratio, or epsilon and delta together where the promise has a
/// delta.
fn exact_guarantee(mechanism: &dyn AnyMechanism) -> (f64, f64) {
    match mechanism.guarantee() {
        Guarantee::Pure { .. } => (mechanism.exact_epsilon(), 0.0),
        other => (other.epsilon().get(), other.delta()),
    }
}

/// What was asked for.
fn claimed_delta(mechanism: &dyn AnyMechanism, options: &BuildOptions) -> f64 {
    match mechanism.guarantee() {
        Guarantee::Pure { .. } => 0.0,
        _ => options.delta.map_or(0.0, |delta| delta.get()),
    }
}

fn page(findings: &[Finding], missing: &[Missing], sampling: Sampling) -> String {
    let header = ["MECHANISM", "DOMAIN", "CLAIMED", "EXACT", "SAMPLED AT LEAST", "RESULT"];
    let mut table = table_of_numbers(&header, 2);
    for finding in findings {
        table.add_row([
            finding.id.clone(),
            shortened(&finding.domain, 40),
            finding.claimed_epsilon.to_string(),
            finding.exact_epsilon.map_or("-".into(), |exact| exact.to_string()),
            number(finding.sampled_lower_bound),
            if finding.passed { "passed".into() } else { "FAILED".into() },
        ]);
    }
    let mut page = table.trim_fmt();
    page += &format!(
        "\n\nThe sampled bounds hold with confidence {} each, from {} reports for each input.\n",
        sampling.confidence, sampling.samples
    );
    for Missing { id, domain, claimed_epsilon, error } in missing {
        page += &format!(
            "Not audited: {id} on {} at epsilon {claimed_epsilon}: {error}.\n",
            shortened(domain, 40)
        );
    }
    if let Some((finding, program)) = findings.iter().find_map(|one| Some((one, one.program.as_ref()?))) {
        let [likelier, other] = &program.inputs;
        page += &format!(
            "The most telling event of {} tested: {}, likelier for {likelier} than for {other}.\n",
            program.tests, program.event
        );
        if finding.sampled_lower_bound == 0.0 {
            page += "No event was seen often enough to say anything: more samples may help.\n";
        }
    }
    let is_blind = |finding: &&Finding| {
        finding.exact_epsilon.is_none() && finding.largest_detectable <= finding.claimed_epsilon
    };
    if let Some(finding) = findings.iter().find(is_blind) {
        page += &format!(
            "Too few samples: even a program that tells the truth would not exceed {}.\n",
            number(finding.largest_detectable)
        );
    }
    page
}

fn shortened(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    text.chars().take(length - 2).chain("..".chars()).collect()
}

fn verdict(findings: &[Finding]) -> Result<(), Failure> {
    let failed = |finding: &&Finding| !finding.passed;
    let words = |finding: &Finding| {
        let exact = finding.exact_epsilon.map(|exact| format!("exactly {exact}, ")).unwrap_or_default();
        format!(
            "{} on {} claims epsilon {} but has {exact}at least {} from samples",
            finding.id,
            shortened(&finding.domain, 40),
            finding.claimed_epsilon,
            number(finding.sampled_lower_bound)
        )
    };
    let messages: Vec<String> = findings.iter().filter(failed).map(words).collect();
    if messages.is_empty() { Ok(()) } else { Err(Failure::Audit { message: messages.join("; ") }) }
}
