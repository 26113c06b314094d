//! Solutions as files: JSON with every integer of the channel and of the certificate, and a digest of all of it.

use crate::certificate::{
    Cell, Certificate, FiniteCertificate, LineCertificate, Point, PricedInput, Setting,
};
use crate::channel::SolvedChannel;
use crate::circle::CircleProblem;
use crate::finite::{FiniteProblem, LossMatrix};
use crate::line::{LineProblem, Objective, Unbiased};
use crate::plane::{People, PlaneCertificate, PlaneObjective, PlaneProblem};
use crate::{LimitError, Problem, Solution};
use privet_core::sampling::WeightRow;
use privet_core::{Categories, DomainSpec, Epsilon};
use privet_mechanisms::analysis::{Loss, Prior};
use privet_mechanisms::categorical::SolvedCategories;
use privet_mechanisms::lattice::{Aim, DecodedRows};
use privet_mechanisms::plane::{PlaneLayout, PlanePrior, PlaneWindow};
use serde::{Deserialize, Serialize};

/// What the first line of a file says.
const FORMAT: &str = "privet mechanism 1";

/// Longer files are no mechanisms.
const MOST_BYTES: usize = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    format: String,
    digest: String,
    body: BodyText,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyText {
    id: String,
    problem: ProblemText,
    achieved: f64,
    lower_bound: f64,
    channel: ChannelText,
    certificate: CertificateText,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemText {
    domain: String,
    /// The names of categories, which may hold commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<String>>,
    epsilon: f64,
    loss: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    losses: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<Vec<f64>>,
    /// A prior over a rectangle: the shape of its grid and a whole weight for each part.
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<PlacesText>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unbiased: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacesText {
    shape: [u32; 2],
    weights: Vec<u32>,
}

/// A channel: each kind has some of the keys. One struct for all of them takes a tenth of the program that an enum with a tag takes,
/// and browsers load it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChannelText {
    kind: ChannelKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lattice: Option<[u32; 2]>,
    /// What the columns stand for.
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Vec<u32>>,
    /// The rows are those of the categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u32>,
    /// Weights are written as text: they need more digits than other readers of JSON keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    high: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aim: Option<AimText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<Vec<i64>>,
    /// In multiples of 2^-32 of the sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<Vec<[u32; 2]>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ChannelKind {
    #[default]
    Window,
    Ring,
    Table,
    Plane,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AimText {
    Nearest,
    Mean,
}

/// A certificate: each kind has some of the keys.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CertificateText {
    kind: CertificateKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<SettingText>,
    /// The power of two by which prices and slopes are larger than they are written.
    #[serde(default, skip_serializing_if = "is_zero")]
    magnitude: u32,
    /// Place, weight, price and slope, in multiples of 2^-48.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<[i64; 4]>>,
    /// Weight, price and slope, in multiples of 2^-48.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<Vec<[i64; 3]>>,
    /// Weight and price, in multiples of 2^-48 of a power of two near the largest loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<[i64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<[u32; 2]>,
    /// Without weights the people are those of the prior.
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<u32>>,
    /// In multiples of 2^-30 of the longer side.
    #[serde(skip_serializing_if = "Option::is_none")]
    radii: Option<Vec<u32>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CertificateKind {
    #[default]
    Line,
    Finite,
    Plane,
}

/// What the loss is called if it is given in numbers.
const MATRIX: &str = "matrix";

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SettingText {
    Interval,
    Circle,
    Unbiased { range: Option<[i64; 2]> },
}

fn wrong(reason: impl Into<String>) -> LimitError {
    LimitError::File { reason: reason.into() }
}

fn digest_of(value: &impl Serialize) -> String {
    // Writing these types cannot fail: they hold numbers, texts and lists.
    let text = serde_json::to_string(value).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Solution {
    /// The solution as the text of a file.
    pub fn to_json(&self) -> String {
        let body = BodyText {
            id: self.channel.id().to_owned(),
            problem: ProblemText::of(&self.problem),
            achieved: self.achieved,
            lower_bound: self.lower_bound,
            channel: ChannelText::of(&self.channel),
            certificate: CertificateText::of(&self.certificate),
        };
        let file = FileText { format: FORMAT.to_owned(), digest: digest_of(&body), body };
        serde_json::to_string(&file).unwrap_or_default()
    }

    /// Reads the text of a file. A file of which anything was changed is refused; whether the certificate proves its bound is
    /// for [`Solution::verify`].
    ///
    /// # Errors
    /// When the text is no such file, or was changed.
    pub fn from_json(text: &str) -> Result<Self, LimitError> {
        if text.len() > MOST_BYTES {
            return Err(wrong("it is larger than 64 MB"));
        }
        let file: FileText = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if file.format != FORMAT {
            return Err(wrong(format!("its format is {:?}, not {FORMAT:?}", file.format)));
        }
        // A device knows the file by the hash of its policy, and checks the weights below; what writes files is no part of its program.
        if cfg!(feature = "solver") && digest_of(&file.body) != file.digest {
            return Err(wrong("its content does not match its digest: something in it was changed"));
        }
        let body = file.body;
        let problem = body.problem.read()?;
        let channel = body.channel.read(&problem)?;
        if body.id != channel.id() {
            return Err(wrong(format!("it says that it is {:?}, but it is {:?}", body.id, channel.id())));
        }
        let certificate = body.certificate.read(&problem)?;
        Ok(Self { problem, channel, achieved: body.achieved, lower_bound: body.lower_bound, certificate })
    }
}

impl Problem {
    /// A name for the problem, the same wherever it is asked.
    pub fn digest(&self) -> String {
        digest_of(&ProblemText::of(self))
    }
}

impl ProblemText {
    fn of(problem: &Problem) -> Self {
        let mut text = Self {
            domain: problem.domain().to_string(),
            epsilon: problem.epsilon().get(),
            labels: None,
            loss: problem.loss().map_or(MATRIX, Loss::as_str).to_owned(),
            losses: None,
            prior: None,
            places: None,
            unbiased: false,
            range: None,
        };
        let shares = |objective: &Objective| match objective {
            Objective::Minimax => None,
            Objective::Average(prior) => Some(prior.shares().to_vec()),
        };
        match problem {
            Problem::Line(line) => {
                text.unbiased = line.unbiased.is_some();
                text.range = line.unbiased.and_then(|unbiased| unbiased.range);
                text.prior = shares(&line.objective);
            }
            Problem::Circle(_) => {}
            Problem::Finite(finite) => {
                let categories = &finite.categories;
                text.labels = categories
                    .has_labels()
                    .then(|| (0..categories.count()).map(|index| categories.label(index)).collect());
                let is_matrix = finite.losses.name().is_none();
                text.losses = is_matrix.then(|| finite.losses.rows().map(<[f64]>::to_vec).collect());
                text.prior = shares(&finite.objective);
            }
            Problem::Plane(plane) => {
                if let PlaneObjective::Average(prior) = &plane.objective {
                    let (shape, weights) = (prior.shape(), prior.weights().to_vec());
                    text.places = Some(PlacesText { shape, weights });
                }
            }
        }
        text
    }

    fn read(&self) -> Result<Problem, LimitError> {
        let epsilon = Epsilon::new(self.epsilon)?;
        let loss = || self.loss.parse::<Loss>().map_err(wrong);
        let objective = match &self.prior {
            Some(shares) => Objective::Average(Prior::of_shares(shares)?),
            None => Objective::Minimax,
        };
        match self.domain()? {
            DomainSpec::Interval(domain) => {
                let unbiased = self.unbiased.then_some(Unbiased { range: self.range });
                Ok(Problem::Line(LineProblem { domain, loss: loss()?, objective, epsilon, unbiased }))
            }
            DomainSpec::Circle(domain) => {
                Ok(Problem::Circle(CircleProblem { domain, loss: loss()?, epsilon }))
            }
            DomainSpec::Categories(categories) => {
                let losses = match &self.losses {
                    Some(rows) if self.loss == MATRIX => LossMatrix::new(rows)?,
                    Some(_) => {
                        return Err(wrong(format!("its loss is {:?}, but it has a matrix", self.loss)));
                    }
                    None => LossMatrix::ordered(loss()?, &categories)?,
                };
                Ok(Problem::Finite(FiniteProblem { categories, losses, objective, epsilon }))
            }
            DomainSpec::Rectangle(rectangle) => {
                let objective = match &self.places {
                    Some(places) => {
                        PlaneObjective::Average(PlanePrior::new(places.shape, places.weights.clone())?)
                    }
                    None => PlaneObjective::Minimax,
                };
                Ok(Problem::Plane(PlaneProblem { rectangle, epsilon, objective }))
            }
            other => Err(wrong(format!("there are no solutions on {other}"))),
        }
    }

    fn domain(&self) -> Result<DomainSpec, LimitError> {
        let Some(labels) = &self.labels else { return Ok(self.domain.parse()?) };
        let domain = DomainSpec::Categories(Categories::with_labels(labels)?);
        if domain.to_string() == self.domain {
            Ok(domain)
        } else {
            Err(wrong("its domain and its labels are different"))
        }
    }
}

impl ChannelText {
    fn new(kind: ChannelKind) -> Self {
        Self { kind, ..Self::default() }
    }

    fn of(channel: &SolvedChannel) -> Self {
        match channel {
            SolvedChannel::Interval { rows, .. } => Self {
                window: Some(rows.row().window()),
                high: Some(rows.row().high().to_string()),
                low: Some(rows.row().low().to_string()),
                aim: Some(if rows.aim() == Aim::Mean { AimText::Mean } else { AimText::Nearest }),
                numbers: Some(rows.numbers().to_vec()),
                ..Self::new(ChannelKind::Window)
            },
            SolvedChannel::Circle { loss, domain, epsilon } => {
                let row = CircleProblem { domain: *domain, loss: *loss, epsilon: *epsilon }.row().ok();
                Self {
                    cells: Some(row.map_or(0, |row| row.cells())),
                    window: Some(row.map_or(0, |row| row.window())),
                    high: Some(row.map_or(0, |row| row.high()).to_string()),
                    low: Some(row.map_or(0, |row| row.low()).to_string()),
                    ..Self::new(ChannelKind::Ring)
                }
            }
            SolvedChannel::Categories(table) => {
                let texts = |row: &WeightRow| row.weights().iter().map(u64::to_string).collect();
                let rows = Some(table.rows().iter().map(texts).collect());
                Self { outputs: Some(table.outputs().to_vec()), rows, ..Self::new(ChannelKind::Table) }
            }
            SolvedChannel::Rectangle(plane) => Self {
                lattice: Some(plane.layout().lattice()),
                window: Some(plane.layout().window()),
                high: Some(plane.row().high().to_string()),
                low: Some(plane.row().low().to_string()),
                positions: Some(plane.layout().positions().to_vec()),
                ..Self::new(ChannelKind::Plane)
            },
        }
    }

    /// The weights of windows follow from the sizes and epsilon, so a file with others was not made by this program, whatever its digest.
    fn read(self, problem: &Problem) -> Result<SolvedChannel, LimitError> {
        let foreign = || wrong("its weights are not those of its sizes and its epsilon");
        let Self { kind, cells, lattice, outputs, rows, window, high, low, aim, numbers, positions } = self;
        let weights = [high, low].map(Option::unwrap_or_default);
        match (kind, problem) {
            (ChannelKind::Window, Problem::Line(line)) => {
                let (window, aim, numbers) = (given(window)?, given(aim)?, given(numbers)?);
                let aim = if aim == AimText::Mean { Aim::Mean } else { Aim::Nearest };
                let rows = DecodedRows::new(numbers, window, aim, line.epsilon)?;
                if weights != [rows.row().high(), rows.row().low()].map(|weight| weight.to_string()) {
                    return Err(foreign());
                }
                if (aim == Aim::Mean) != line.unbiased.is_some() {
                    return Err(wrong("its channel is not of the kind that it says"));
                }
                Ok(SolvedChannel::Interval { purpose: line.purpose(), domain: line.domain, rows })
            }
            (ChannelKind::Ring, Problem::Circle(circle)) => {
                let CircleProblem { domain, loss, epsilon } = *circle;
                let channel = SolvedChannel::Circle { loss, domain, epsilon };
                let row = circle.row()?;
                let same = [given(cells)?, given(window)?] == [row.cells(), row.window()]
                    && weights == [row.high(), row.low()].map(|weight| weight.to_string());
                if same { Ok(channel) } else { Err(foreign()) }
            }
            (ChannelKind::Table, Problem::Finite(finite)) => {
                let outputs = given(outputs)?;
                let rows = given(rows)?.iter().map(|row| weights_of(row)).collect::<Result<_, _>>()?;
                let table = SolvedCategories::new(finite.categories.clone(), outputs, rows, finite.epsilon)?;
                Ok(SolvedChannel::Categories(table))
            }
            (ChannelKind::Plane, Problem::Plane(problem)) => {
                let layout = PlaneLayout::new(given(lattice)?, given(window)?, given(positions)?)?;
                let plane = PlaneWindow::new(problem.rectangle, problem.epsilon, layout)?;
                if weights != [plane.row().high(), plane.row().low()].map(|weight| weight.to_string()) {
                    return Err(foreign());
                }
                Ok(SolvedChannel::Rectangle(Box::new(plane)))
            }
            _ => Err(wrong("its channel and its domain are of different kinds")),
        }
    }
}

/// Files without large prices are written as they always were.
fn is_zero(magnitude: &u32) -> bool {
    *magnitude == 0
}

/// A key that its kind needs.
fn given<T>(value: Option<T>) -> Result<T, LimitError> {
    value.ok_or_else(|| wrong("a part of it is missing"))
}

fn weights_of(texts: &[String]) -> Result<WeightRow, LimitError> {
    let weights = texts.iter().map(|text| text.parse()).collect::<Result<_, _>>();
    let weights = weights.map_err(|_| wrong("a weight of its table is no whole number below 2^64"))?;
    Ok(WeightRow::new(weights)?)
}

impl CertificateText {
    fn of(certificate: &Certificate) -> Self {
        match certificate {
            Certificate::Line(line) => Self {
                kind: CertificateKind::Line,
                setting: Some(match line.setting {
                    Setting::Interval => SettingText::Interval,
                    Setting::Circle => SettingText::Circle,
                    Setting::Unbiased { range } => SettingText::Unbiased { range },
                }),
                magnitude: line.magnitude,
                points: Some(
                    line.points
                        .iter()
                        .map(|point| [point.place, point.weight, point.price, point.slope])
                        .collect(),
                ),
                cells: Some(line.cells.iter().map(|cell| [cell.weight, cell.price, cell.slope]).collect()),
                ..Self::default()
            },
            Certificate::Finite(finite) => Self {
                kind: CertificateKind::Finite,
                inputs: Some(finite.inputs.iter().map(|input| [input.weight, input.price]).collect()),
                ..Self::default()
            },
            Certificate::Plane(plane) => {
                let (grid, weights) = match plane.people() {
                    People::Prior { grid, .. } => (*grid, None),
                    People::Points { grid, weights } => (*grid, Some(weights.clone())),
                };
                let radii = Some(plane.radii().to_vec());
                Self { kind: CertificateKind::Plane, grid: Some(grid), weights, radii, ..Self::default() }
            }
        }
    }

    fn read(self, problem: &Problem) -> Result<Certificate, LimitError> {
        let epsilon = problem.epsilon();
        match (self.kind, problem) {
            (CertificateKind::Line, Problem::Line(LineProblem { loss, .. }))
            | (CertificateKind::Line, Problem::Circle(CircleProblem { loss, .. })) => {
                Ok(Certificate::Line(LineCertificate {
                    epsilon,
                    loss: *loss,
                    setting: match given(self.setting)? {
                        SettingText::Interval => Setting::Interval,
                        SettingText::Circle => Setting::Circle,
                        SettingText::Unbiased { range } => Setting::Unbiased { range },
                    },
                    magnitude: self.magnitude,
                    points: given(self.points)?
                        .into_iter()
                        .map(|[place, weight, price, slope]| Point { place, weight, price, slope })
                        .collect(),
                    cells: given(self.cells)?
                        .into_iter()
                        .map(|[weight, price, slope]| Cell { weight, price, slope })
                        .collect(),
                }))
            }
            (CertificateKind::Finite, Problem::Finite(finite)) => {
                let inputs = given(self.inputs)?
                    .into_iter()
                    .map(|[weight, price]| PricedInput { weight, price })
                    .collect();
                Ok(Certificate::Finite(FiniteCertificate { epsilon, losses: finite.losses.clone(), inputs }))
            }
            (CertificateKind::Plane, Problem::Plane(problem)) => {
                let (grid, radii) = (given(self.grid)?, given(self.radii)?);
                let people = match (self.weights, &problem.objective) {
                    (Some(weights), _) => People::Points { grid, weights },
                    (None, PlaneObjective::Average(prior)) => People::Prior { prior: prior.clone(), grid },
                    (None, PlaneObjective::Minimax) => {
                        return Err(wrong("its certificate has no people"));
                    }
                };
                let plane = PlaneCertificate::new(problem.rectangle, problem.epsilon, people, radii)?;
                Ok(Certificate::Plane(plane))
            }
            _ => Err(wrong("its certificate and its domain are of different kinds")),
        }
    }
}
