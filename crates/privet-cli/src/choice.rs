//! What a mechanism's name leads to: a row of the registry, or a file that `privet optimize` wrote.

use crate::arguments::find_mechanism;
use crate::failure::Failure;
use crate::progress::Waiting;
use privet::advisor;
use privet::limit::{Solution, SolvedChannel};
use privet::plane::PlaneErrors;
use privet::registry::{self, AnyEstimator, MechanismRow};
use privet::{AnyMechanism, BuildOptions, DomainSpec, Epsilon, MechanismInfo, ParameterError};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What names of files begin with.
const PREFIX: &str = "file:";

/// One mechanism, by name or from a file.
#[derive(Debug)]
pub(crate) enum Choice {
    Row(&'static MechanismRow),
    File(Box<MechanismFile>),
}

/// A mechanism that was read from a file, with its own domain and epsilon.
#[derive(Debug)]
pub(crate) struct MechanismFile {
    path: PathBuf,
    solution: Solution,
}

impl MechanismFile {
    fn domain(&self) -> DomainSpec {
        self.solution.problem.domain()
    }

    pub(crate) fn epsilon(&self) -> Epsilon {
        self.solution.problem.epsilon()
    }

    fn disagrees(&self, flag: &str, own: impl std::fmt::Display) -> Failure {
        Failure::Usage {
            message: format!("{} was made for {own}, which {flag} does not name", self.path.display()),
            hint: Some("leave it out: a mechanism from a file has a domain and an epsilon of its own"),
        }
    }
}

/// More than any mechanism has; what is longer is refused without reading all of it.
const MOST_BYTES: u64 = 65 << 20;

/// Reads a file of which nothing was changed.
pub(crate) fn read_solution(path: &Path) -> Result<Solution, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    read.map_err(|source| Failure::File { action: "cannot read", path: path.to_owned(), source })?;
    // What is not text is no mechanism either, and the reader of solutions says so.
    Solution::from_json(&String::from_utf8_lossy(&bytes))
        .map_err(|source| Failure::MechanismFile { path: path.to_owned(), source })
}

impl Choice {
    /// The mechanism of this name, or that of a file.
    pub(crate) fn find(name: &str) -> Result<Self, Failure> {
        let Some(path) = name.strip_prefix(PREFIX) else { return find_mechanism(name).map(Self::Row) };
        let path = PathBuf::from(path);
        let solution = read_solution(&path)?;
        Ok(Self::File(Box::new(MechanismFile { path, solution })))
    }

    /// What it is called.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::Row(row) => row.info.id,
            Self::File(file) => file.solution.channel.id(),
        }
    }

    /// The channel that a file holds.
    pub(crate) fn solved(&self) -> Option<&SolvedChannel> {
        match self {
            Self::Row(_) => None,
            Self::File(file) => Some(&file.solution.channel),
        }
    }

    /// Whether a file is for another domain or epsilon; a name is for all of them.
    pub(crate) fn is_for(&self, domain: &DomainSpec, epsilon: Epsilon) -> bool {
        match self {
            Self::Row(_) => true,
            Self::File(file) => file.domain() == *domain && file.epsilon() == epsilon,
        }
    }

    /// The same for the library, which knows no files.
    pub(crate) fn advised(&self) -> advisor::Choice<'_> {
        match self {
            Self::Row(row) => advisor::Choice::Row(row),
            Self::File(file) => advisor::Choice::Solved(&file.solution),
        }
    }

    pub(crate) fn mechanism(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn AnyMechanism>, ParameterError> {
        let advised = self.advised();
        let _waiting = wait_for(&advised, epsilon);
        advised.mechanism(domain, epsilon, options)
    }

    /// Before it is made.
    pub(crate) fn attempt<'a>(&self, epsilon: Epsilon, options: &'a BuildOptions) -> Attempt<'a> {
        match self {
            Self::Row(row) => Attempt::new(&row.info, epsilon, options),
            Self::File(_) => Attempt { id: self.id(), needs_delta: false, epsilon, options },
        }
    }

    /// The errors of a mechanism on places; `None` for all other mechanisms.
    pub(crate) fn plane_errors(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Option<Box<dyn PlaneErrors>>, ParameterError> {
        self.advised().plane_errors(domain, epsilon)
    }

    pub(crate) fn estimator(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        let advised = self.advised();
        let _waiting = wait_for(&advised, epsilon);
        advised.estimator(domain, epsilon, options)
    }
}

/// Says why it takes long, where it does.
pub(crate) fn wait_for(choice: &advisor::Choice<'_>, epsilon: Epsilon) -> Option<Waiting> {
    let id = choice.id();
    matches!(choice, advisor::Choice::Row(row) if registry::is_solved(row))
        .then(|| Waiting::on(format!("solving for {id} at epsilon {epsilon} (kept for next time)")))
}

/// One of several mechanisms that are asked for, before it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) id: &'static str,
    /// Whether it needs a delta.
    pub(crate) needs_delta: bool,
    pub(crate) epsilon: Epsilon,
    pub(crate) options: &'a BuildOptions,
}

/// A mechanism of `all` that fits and cannot be made, and why.
#[derive(Debug)]
pub(crate) struct Unbuilt {
    pub(crate) id: &'static str,
    pub(crate) why: String,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(info: &MechanismInfo, epsilon: Epsilon, options: &'a BuildOptions) -> Self {
        Self { id: info.id, needs_delta: info.guarantee != "pure", epsilon, options }
    }

    /// Why one of `all` is missing; `None` if it is not meant. Those that fit are meant: not those for other domains, and without
    /// a delta not those that need one.
    pub(crate) fn unbuilt(&self, error: &ParameterError) -> Option<Unbuilt> {
        let lacks_delta = self.needs_delta && self.options.delta.is_none();
        let is_misfit =
            matches!(error, ParameterError::WrongDomain { .. } | ParameterError::CategoryCount { .. });
        let is_meant = !lacks_delta && !is_misfit;
        is_meant.then(|| Unbuilt { id: self.id, why: error.to_string() })
    }

    /// What was made. One of `all` that cannot be made does not keep the others from being shown: a warning says why.
    pub(crate) fn made<T>(
        &self,
        is_all: bool,
        built: Result<T, ParameterError>,
    ) -> Result<Option<T>, Failure> {
        match built {
            Ok(built) => Ok(Some(built)),
            Err(error) if is_all => {
                if let Some(Unbuilt { id, why }) = self.unbuilt(&error) {
                    eprintln!("warning: {id} is left out at epsilon {}: {why}", self.epsilon);
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The mechanisms of a list such as `grr,file:best.json`; `all` stands for every one that is made at once.
#[derive(Debug)]
pub(crate) struct Choices {
    pub(crate) is_all: bool,
    list: Vec<Choice>,
}

impl Choices {
    pub(crate) fn read(names: &[String]) -> Result<Self, Failure> {
        let is_all = names == ["all"];
        let list = if is_all {
            registry::ready_mechanisms().iter().map(Choice::Row).collect()
        } else {
            names.iter().map(|name| Choice::find(name)).collect::<Result<_, _>>()?
        };
        Ok(Self { is_all, list })
    }

    pub(crate) fn as_slice(&self) -> &[Choice] {
        &self.list
    }

    /// Those that work there, as far as that is known before they are made.
    pub(crate) fn at(&self, domain: &DomainSpec, epsilon: Epsilon) -> impl Iterator<Item = &Choice> {
        self.list.iter().filter(move |choice| choice.is_for(domain, epsilon))
    }
}

fn files(choices: &[Choice]) -> impl Iterator<Item = &MechanismFile> {
    choices.iter().filter_map(|choice| match choice {
        Choice::File(file) => Some(&**file),
        Choice::Row(_) => None,
    })
}

/// The domains of the flags, among which those of all files must be; or those of the files.
pub(crate) fn domains(choices: &[Choice], flags: &[String]) -> Result<Vec<DomainSpec>, Failure> {
    let given: Vec<DomainSpec> = flags.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    if given.is_empty() {
        return of_files(choices, MechanismFile::domain, "--domain <DOMAIN>");
    }
    match disagreeing(choices, &given, MechanismFile::domain) {
        Some(file) => Err(file.disagrees("--domain", file.domain())),
        None => Ok(given),
    }
}

/// The only domain.
pub(crate) fn domain(choices: &[Choice], flag: Option<&String>) -> Result<DomainSpec, Failure> {
    let mut domains = domains(choices, flag.map(std::slice::from_ref).unwrap_or_default())?;
    match (domains.pop(), domains.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Failure::Usage { message: "these files are for different domains".into(), hint: None }),
    }
}

/// The epsilons of the flag, among which those of all files must be; or those of the files.
pub(crate) fn epsilons(choices: &[Choice], given: Option<Vec<Epsilon>>) -> Result<Vec<Epsilon>, Failure> {
    let Some(given) = given else { return of_files(choices, MechanismFile::epsilon, "--epsilon <NUMBER>") };
    match disagreeing(choices, &given, MechanismFile::epsilon) {
        Some(file) => Err(file.disagrees("--epsilon", format!("epsilon {}", file.epsilon()))),
        None => Ok(given),
    }
}

/// A file for something that is not given, or the first one where something is given that no mechanism is for.
fn disagreeing<'a, T: PartialEq>(
    choices: &'a [Choice],
    given: &[T],
    own: impl Fn(&MechanismFile) -> T,
) -> Option<&'a MechanismFile> {
    let is_used = |one: &T| {
        choices.iter().any(|choice| match choice {
            Choice::Row(_) => true,
            Choice::File(file) => own(file) == *one,
        })
    };
    let stray = files(choices).find(|file| !given.contains(&own(file)));
    stray.or_else(|| files(choices).next().filter(|_| !given.iter().all(is_used)))
}

fn of_files<T: PartialEq>(
    choices: &[Choice],
    own: impl Fn(&MechanismFile) -> T,
    flag: &str,
) -> Result<Vec<T>, Failure> {
    let mut found = Vec::new();
    for one in files(choices).map(own) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    if found.is_empty() {
        return Err(Failure::Usage {
            message: format!("the following required arguments were not provided: {flag}"),
            hint: Some("only a mechanism from a file (file:PATH) has a domain and an epsilon of its own"),
        });
    }
    Ok(found)
}
