//! What there is to see of a mechanism.

use super::question::{Explored, Wrong};
use crate::api::App;
use privet_core::{Category, Circle, DomainSpec, Epsilon, Generator, Interval, ReportBuffer};
use privet_estimators::{Consistency, Reading};
use privet_limit::circle::CircleProblem;
use privet_limit::line::LineProblem;
use privet_limit::{Objective, Problem, Stop};
use privet_mechanisms::analysis::{Analysis, AnyNumeric, Loss};
use privet_plot::{Law, error_line};
use privet_policy::advisor::Question;

/// A mechanism, and what there is to see of it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) explored: Explored,
    /// From the integers of the sampler.
    pub(super) exact_epsilon: f64,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Numbers(Numbers),
    Categories(Categories),
}

/// A mechanism on numbers or angles.
#[derive(Debug)]
pub(super) struct Numbers {
    pub(super) laws: Vec<Law>,
    /// The expected distance of a report, over the domain.
    pub(super) errors: Vec<[f64; 2]>,
    pub(super) worst: f64,
    /// What no mechanism can be below at its worst value, if that is known.
    pub(super) limit: Option<f64>,
    /// Whether the mean report is the answer; angles have no mean of this kind.
    pub(super) is_unbiased: Option<bool>,
    pub(super) samples: Vec<f64>,
}

/// A mechanism on categories.
#[derive(Debug)]
pub(super) struct Categories {
    /// The channel in words: what, how many reports, how likely each.
    pub(super) pieces: Vec<(String, String, f64)>,
    /// How likely each category is to be named in the report, if reports name some.
    pub(super) named: Option<Vec<(String, f64)>>,
    /// The standard error of a share, for each of some numbers of people.
    pub(super) errors: Vec<(u64, f64)>,
    /// What a collector makes of a hundred people who all hold the answer.
    pub(super) hundred: Vec<(String, f64, [f64; 2])>,
}

pub(super) const SAMPLES: usize = 100;

impl Seen {
    pub(super) fn of(app: &App, explored: Explored) -> Result<Self, Wrong> {
        let kind = match explored.built.estimator.numeric() {
            Some(channel) => Kind::Numbers(Numbers::of(app, &explored, channel)?),
            None => Kind::Categories(Categories::of(&explored)?),
        };
        Ok(Self { exact_epsilon: explored.built.mechanism.exact_epsilon(), kind, explored })
    }
}

fn wrong(error: impl ToString) -> Wrong {
    Wrong::new("mechanism", error.to_string())
}

/// A hundred reports of the same answer.
fn draw(explored: &Explored) -> Result<ReportBuffer, Wrong> {
    let mut values = explored.domain.empty_values();
    for _ in 0..SAMPLES {
        explored.domain.push_text(&explored.input, &mut values).map_err(wrong)?;
    }
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(wrong)?;
    let mut rng = Generator::from_entropy(seed);
    let mut reports = ReportBuffer::new(explored.built.mechanism.report_bytes());
    explored.built.mechanism.randomize_batch(&values, &mut rng, &mut reports).map_err(wrong)?;
    Ok(reports)
}

/// A mean report this near to the value, as a part of the domain, counts as unbiased.
const UNBIASED: f64 = 1e-6;

impl Numbers {
    fn of(app: &App, explored: &Explored, channel: &dyn AnyNumeric) -> Result<Self, Wrong> {
        let space = channel.space();
        let own: f64 = explored.input.parse().map_err(|_| Wrong::new("input", "the answer is a number"))?;
        // Beside the answer, one from elsewhere in the domain: their laws may differ by no more than epsilon says.
        let other = space.from_unit((space.to_unit(own) + 0.5).fract());
        let law = |input: f64| -> Result<Law, Wrong> {
            let pieces = explored.built.mechanism.pieces(Some(&input.to_string())).map_err(wrong)?;
            Ok(Law::of(channel, input, pieces))
        };
        let analysis = Analysis::new(channel);
        let sample = |report: &[u8]| -> Result<f64, Wrong> {
            let cell = Category::read(report, channel.output_cells()).map_err(wrong)?;
            Ok(channel.output_value(cell.0))
        };
        Ok(Self {
            laws: vec![law(own)?, law(other)?],
            errors: error_line(channel, Loss::Absolute).map_err(wrong)?,
            worst: analysis.worst(Loss::Absolute).error,
            limit: limit(app, &explored.domain, explored.epsilon),
            is_unbiased: (!space.is_ring()).then(|| analysis.is_unbiased(UNBIASED)),
            samples: draw(explored)?.iter().map(sample).collect::<Result<_, Wrong>>()?,
        })
    }
}

/// The certified lower bound on the worst expected distance: of all mechanisms that keep epsilon, in the units of the domain. It is computed
/// on the unit of the domain once for each epsilon, from a coarse programme: its certificate proves a little less, and no less certainly.
fn limit(app: &App, domain: &DomainSpec, epsilon: Epsilon) -> Option<f64> {
    let (problem, width) = match domain {
        DomainSpec::Interval(interval) => {
            let line = LineProblem {
                domain: Interval::new(0.0, 1.0).ok()?,
                loss: Loss::Absolute,
                objective: Objective::Minimax,
                epsilon,
                unbiased: None,
            };
            (Problem::Line(line), interval.width())
        }
        DomainSpec::Circle(circle) => {
            let circle_of_one = Circle::new(1.0).ok()?;
            let problem = CircleProblem { domain: circle_of_one, loss: Loss::Absolute, epsilon };
            (Problem::Circle(problem), circle.period())
        }
        _ => return None,
    };
    let key = blake3::hash(format!("{} {}", problem.domain(), epsilon.get()).as_bytes());
    let nothing_counted = blake3::hash(b"");
    let solve = move || {
        let stop = Stop::default();
        let solved = problem.solve(&stop, &mut |_| stop.request());
        // No bound is an answer as well: it is not looked for again.
        Ok(solved.ok().map(|solution| solution.lower_bound))
    };
    let bound = app.caches.limits.fresh(key, nothing_counted, solve).ok()??;
    Some(bound * width)
}

/// The numbers of people for which errors are shown.
const PEOPLE: [u64; 4] = [100, 1_000, 10_000, 100_000];

impl Categories {
    fn of(explored: &Explored) -> Result<Self, Wrong> {
        let mechanism = &explored.built.mechanism;
        let pieces = mechanism.pieces(Some(&explored.input)).map_err(wrong)?;
        let pieces = pieces.into_iter().map(|piece| (piece.what, piece.outcomes.to_string(), piece.mass));
        let DomainSpec::Categories(categories) = &explored.domain else {
            return Err(wrong("its reports are not shown here"));
        };
        Ok(Self {
            pieces: pieces.collect(),
            named: named(explored, categories)?,
            errors: PEOPLE
                .into_iter()
                .filter_map(|people| Some((people, error(explored, people)?)))
                .collect(),
            hundred: hundred(explored)?,
        })
    }
}

/// How likely each category is to be named.
fn named(
    explored: &Explored,
    categories: &privet_core::Categories,
) -> Result<Option<Vec<(String, f64)>>, Wrong> {
    let labels = || (0..categories.count()).map(|category| categories.label(category));
    let table = explored.built.mechanism.table(std::slice::from_ref(&explored.input)).map_err(wrong)?;
    if let Some(row) = table.and_then(|rows| rows.into_iter().next()) {
        return Ok(Some(labels().zip(row).collect()));
    }
    let Reading::Support(oracle) = explored.built.estimator.reading() else { return Ok(None) };
    let support = oracle.support();
    let [own, other] = [support.own, support.other].map(|probability| probability.to_f64());
    let row = |label: String| if label == explored.input { (label, own) } else { (label, other) };
    Ok(Some(labels().map(row).collect()))
}

fn error(explored: &Explored, people: u64) -> Option<f64> {
    let question = Question::about(&explored.domain, explored.goal(), people).ok()?;
    question.expected_error(&explored.built).ok()
}

fn hundred(explored: &Explored) -> Result<Vec<(String, f64, [f64; 2])>, Wrong> {
    let estimator = &explored.built.estimator;
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &draw(explored)?).map_err(wrong)?;
    let frequencies = estimator.estimate(&summary, Consistency::None).map_err(wrong)?;
    let row = |row: privet_estimators::Frequency| (row.label, row.estimate.value, row.estimate.interval);
    Ok(frequencies.rows.into_iter().map(row).collect())
}
