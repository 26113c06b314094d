//! Runs figures, and judges the claims about them.

use crate::data::DataFile;
use crate::{
    Claim, Effort, Figure, Findings, Measured, Paper, Place, ReproduceError, Row, Setting, Verdict, queue,
};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What shall be reproduced.
#[derive(Debug, Clone)]
pub struct Request {
    /// The papers.
    pub papers: Vec<Paper>,
    /// One figure only, by its name.
    pub figure: Option<String>,
    /// How much is computed.
    pub effort: Effort,
    /// The folder of the data sets.
    pub data: PathBuf,
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let papers: Vec<&str> = self.papers.iter().map(|paper| paper.as_str()).collect();
        let figures =
            self.figure.as_deref().map_or("all figures".to_owned(), |name| format!("figure {name}"));
        write!(formatter, "{figures} of {} ({})", papers.join(", "), self.effort.as_str())
    }
}

/// A figure is done.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The paper.
    pub paper: Paper,
    /// Its figure.
    pub figure: &'static Figure,
    /// How many figures are done.
    pub done: usize,
    /// How many there are.
    pub of: usize,
}

/// A figure, or why there is none.
#[derive(Debug)]
pub struct Reproduced {
    /// The figure.
    pub figure: &'static Figure,
    /// What came out; nothing if data are missing.
    pub findings: Option<Findings>,
    /// The data that are missing.
    pub missing: Vec<DataFile>,
    /// Why it could not be computed although its data are there.
    pub problem: Option<ReproduceError>,
    /// How long it took.
    pub seconds: f64,
}

/// Who gave a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The rule, from what was measured now.
    Computed,
    /// The rule, from numbers of the paper alone: its sentence against its own table.
    WithinPaper,
    /// A person: words, and what cannot be checked.
    ByHand,
    /// Nothing was measured now, because data are missing: there is no verdict.
    NotRun,
}

impl Basis {
    /// How tables write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::WithinPaper => "within the paper",
            Self::ByHand => "by hand",
            Self::NotRun => "not run",
        }
    }
}

/// A claim and what became of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The claim.
    pub claim: Claim,
    /// Our number.
    pub ours: Option<f64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Who says so.
    pub basis: Basis,
}

impl Outcome {
    /// How tables write the verdict.
    pub fn verdict_in_words(&self) -> &'static str {
        if self.basis == Basis::NotRun { self.basis.as_str() } else { self.verdict.as_str() }
    }

    fn of(claim: Claim, measured: Option<&Measured>) -> Self {
        let verdict = measured.map_or(claim.verdict, |measured| claim.judge(measured));
        let ours = measured.map(|measured| match measured.corrected {
            Some(corrected) if verdict == Verdict::Corrected => corrected,
            _ => measured.ours,
        });
        let basis = match measured {
            _ if !claim.is_computed() => Basis::ByHand,
            Some(_) if claim.is_within_paper => Basis::WithinPaper,
            Some(_) => Basis::Computed,
            None => Basis::NotRun,
        };
        Self { claim, ours, verdict, basis }
    }
}

/// A paper with its figures and the verdicts on its claims.
#[derive(Debug)]
pub struct Reproduction {
    /// The paper.
    pub paper: Paper,
    /// How much was computed.
    pub effort: Effort,
    /// The figures that were asked for.
    pub figures: Vec<Reproduced>,
    /// The claims about them.
    pub outcomes: Vec<Outcome>,
}

impl Reproduction {
    /// All numbers of one figure; those that the paper prints have its number beside them.
    pub fn rows_of(&self, reproduced: &Reproduced) -> Vec<Row> {
        let id = reproduced.figure.id;
        let mut rows = reproduced.findings.as_ref().map_or_else(Vec::new, |findings| findings.rows(id));
        let claimed = self.outcomes.iter().filter(|outcome| outcome.claim.figure == id);
        rows.extend(claimed.filter_map(|Outcome { claim, ours, .. }| {
            let x = Place::Name(claim.x.clone());
            Some(Row { figure: id, series: claim.id.clone(), x, ours: (*ours)?, paper: claim.number })
        }));
        rows
    }

    /// All numbers.
    pub fn rows(&self) -> Vec<Row> {
        self.figures.iter().flat_map(|figure| self.rows_of(figure)).collect()
    }

    /// How many claims have this verdict, not counting those for which nothing was computed.
    pub fn count(&self, verdict: Verdict) -> usize {
        let has_it = |outcome: &&Outcome| outcome.verdict == verdict && outcome.basis != Basis::NotRun;
        self.outcomes.iter().filter(has_it).count()
    }

    /// For how many claims nothing was computed.
    pub fn not_run(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.basis == Basis::NotRun).count()
    }

    /// The figures that were skipped because data are missing.
    pub fn skipped(&self) -> impl Iterator<Item = &Reproduced> {
        self.figures.iter().filter(|figure| !figure.missing.is_empty())
    }

    /// The figures that could not be computed although their data are there.
    pub fn failed(&self) -> impl Iterator<Item = (&'static Figure, &ReproduceError)> {
        self.figures.iter().filter_map(|figure| Some((figure.figure, figure.problem.as_ref()?)))
    }

    /// The claims on which the rule and the table disagree.
    pub fn changed(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|outcome| outcome.verdict != outcome.claim.verdict)
    }
}

/// Computes figures on all cores, and judges the claims about them.
///
/// # Errors
/// When there is no such figure, or a number is measured for a claim that nobody makes.
pub fn reproduce(
    request: &Request,
    on_progress: &(dyn Fn(Progress) + Sync),
) -> Result<Vec<Reproduction>, ReproduceError> {
    let mut jobs = request.jobs()?;
    // Long ones first, so that no core waits for the last one.
    jobs.sort_by_key(|(_, figure)| std::cmp::Reverse(figure.seconds));
    let (done, of) = (AtomicUsize::new(0), jobs.len());
    let results = queue::in_order(&jobs, |_, &(paper, figure)| {
        let result = request.run(figure);
        on_progress(Progress { paper, figure, done: done.fetch_add(1, Ordering::Relaxed) + 1, of });
        result
    });
    let mut reproductions: Vec<Reproduction> = Vec::new();
    // Of one figure only the papers that have it.
    let has_figure = |paper: &&Paper| request.figure.is_none() || jobs.iter().any(|(own, _)| own == *paper);
    for &paper in request.papers.iter().filter(has_figure) {
        let (effort, outcomes) = (request.effort, Vec::new());
        reproductions.push(Reproduction { paper, effort, figures: Vec::new(), outcomes });
    }
    for (&(paper, _), result) in jobs.iter().zip(results) {
        let own = reproductions.iter_mut().find(|reproduction| reproduction.paper == paper);
        if let Some(own) = own {
            own.figures.push(result);
        }
    }
    for reproduction in &mut reproductions {
        reproduction.sort();
        reproduction.judge(request.figure.is_none())?;
    }
    Ok(reproductions)
}

impl Request {
    fn jobs(&self) -> Result<Vec<(Paper, &'static Figure)>, ReproduceError> {
        let all =
            || self.papers.iter().flat_map(|&paper| paper.figures().iter().map(move |one| (paper, one)));
        let Some(name) = &self.figure else { return Ok(all().collect()) };
        let found: Vec<_> = all().filter(|(_, figure)| figure.is_called(name)).collect();
        if found.is_empty() {
            let papers: Vec<_> = self.papers.iter().map(|paper| paper.as_str()).collect();
            let known: Vec<_> = all().map(|(_, figure)| figure.id).collect();
            let (paper, known) = (papers.join(", "), known.join(", "));
            return Err(ReproduceError::UnknownFigure { paper, known, got: name.clone() });
        }
        Ok(found)
    }

    fn run(&self, figure: &'static Figure) -> Reproduced {
        let start = Instant::now();
        let is_missing = |file: &DataFile| !self.data.join(file.path).exists();
        let missing: Vec<DataFile> = figure.needs.iter().copied().filter(is_missing).collect();
        let setting = Setting { effort: self.effort, data: &self.data };
        let (findings, problem) = match missing.is_empty().then(|| (figure.compute)(&setting)) {
            None => (None, None),
            Some(Ok(findings)) => (Some(findings), None),
            Some(Err(problem)) => (None, Some(problem)),
        };
        Reproduced { figure, findings, missing, problem, seconds: start.elapsed().as_secs_f64() }
    }
}

impl Reproduction {
    /// In the order of the paper.
    fn sort(&mut self) {
        let place = |id: &str| self.paper.figures().iter().position(|figure| figure.id == id);
        self.figures.sort_by_key(|reproduced| place(reproduced.figure.id));
    }

    fn judge(&mut self, is_whole: bool) -> Result<(), ReproduceError> {
        let findings = self.figures.iter().filter_map(|reproduced| reproduced.findings.as_ref());
        let measured: Vec<Measured> = findings.flat_map(|findings| findings.measured.clone()).collect();
        let claims = self.paper.claims()?;
        if let Some(stray) = measured.iter().find(|one| claims.iter().all(|claim| claim.id != one.id)) {
            let problem = format!("nobody claims {}", stray.id);
            return Err(ReproduceError::Claims { paper: self.paper.as_str(), problem });
        }
        let is_asked = |claim: &Claim| {
            is_whole || self.figures.iter().any(|reproduced| reproduced.figure.id == claim.figure)
        };
        for claim in claims.into_iter().filter(is_asked) {
            let own = measured.iter().find(|one| one.id == claim.id);
            self.outcomes.push(Outcome::of(claim, own));
        }
        Ok(())
    }

    /// The claims about a figure.
    pub fn outcomes_of(&self, figure: &str) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(move |outcome| outcome.claim.figure == figure)
    }

    /// The claims about no figure that is computed here.
    pub fn other_outcomes(&self) -> impl Iterator<Item = &Outcome> {
        let is_shown = |outcome: &&Outcome| {
            self.figures.iter().all(|reproduced| reproduced.figure.id != outcome.claim.figure)
        };
        self.outcomes.iter().filter(is_shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIGURE: Figure = Figure::new("4.6", "", |_| Ok(Findings::default()));

    /// Figure 4.6 of the first paper, with one number.
    fn judged(id: &str, ours: f64, is_whole: bool) -> Result<Reproduction, ReproduceError> {
        let mut findings = Findings::default();
        findings.measure(id, ours);
        let figure = Reproduced {
            figure: &FIGURE,
            findings: Some(findings),
            missing: Vec::new(),
            problem: None,
            seconds: 0.0,
        };
        let (paper, effort) = (Paper::Jrr, Effort::Quick);
        let mut reproduction = Reproduction { paper, effort, figures: vec![figure], outcomes: Vec::new() };
        reproduction.judge(is_whole)?;
        Ok(reproduction)
    }

    #[test]
    fn a_number_that_nobody_claims_is_an_error() {
        let error = judged("jrr-nonsense", 1.0, true).unwrap_err();
        assert!(error.to_string().contains("nobody claims jrr-nonsense"), "{error}");
    }

    #[test]
    fn each_claim_is_judged_by_its_own_number() {
        let printed = Paper::Jrr.printed("jrr-fig46-10000").unwrap();
        for (ours, verdict) in [(printed, Verdict::Reproduced), (2.0 * printed, Verdict::NotReproduced)] {
            let reproduction = judged("jrr-fig46-10000", ours, false).unwrap();
            let [own, others @ ..] = reproduction.outcomes.as_slice() else { panic!("no outcomes") };
            assert_eq!(own.claim.id, "jrr-fig46-10000");
            assert_eq!((own.verdict, own.basis, own.ours), (verdict, Basis::Computed, Some(ours)));
            assert!(!others.is_empty());
            for other in others {
                assert_eq!((other.verdict, other.ours), (other.claim.verdict, None));
                assert_ne!(other.basis, Basis::Computed);
            }
        }
    }

    #[test]
    fn of_one_figure_only_its_own_claims_are_judged() {
        let one = judged("jrr-fig46-10000", 0.0, false).unwrap();
        assert!(one.outcomes.iter().all(|outcome| outcome.claim.figure == "4.6"));
        let whole = judged("jrr-fig46-10000", 0.0, true).unwrap();
        assert_eq!(whole.outcomes.len(), Paper::Jrr.claims().unwrap().len());
    }
}
