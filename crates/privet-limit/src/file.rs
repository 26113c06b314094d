//! Solutions as files: JSON with every integer of the channel and of the certificate, and a digest of all of it.

use crate::certificate::{Cell, Certificate, LineCertificate, Point, Setting};
use crate::channel::SolvedChannel;
use crate::circle::CircleProblem;
use crate::line::{LineProblem, Objective, Unbiased};
use crate::{LimitError, Problem, Solution};
use privet_core::{DomainSpec, Epsilon};
use privet_mechanisms::analysis::{Loss, Prior};
use privet_mechanisms::lattice::{Aim, DecodedRows};
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
    epsilon: f64,
    loss: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unbiased: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum ChannelText {
    /// Weights are written as text: they need more digits than other readers of JSON keep.
    Window {
        window: u32,
        high: String,
        low: String,
        aim: AimText,
        numbers: Vec<i64>,
    },
    Ring {
        cells: u32,
        window: u32,
        high: String,
        low: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AimText {
    Nearest,
    Mean,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum CertificateText {
    /// Points are place, weight, price and slope; cells are weight, price and slope; in multiples of 2^-48.
    Line { setting: SettingText, points: Vec<[i64; 4]>, cells: Vec<[i64; 3]> },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
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
        if digest_of(&file.body) != file.digest {
            return Err(wrong("its content does not match its digest: something in it was changed"));
        }
        let body = file.body;
        let problem = body.problem.read()?;
        let channel = body.channel.read(&problem)?;
        if body.id != channel.id() {
            return Err(wrong(format!("it says that it is {:?}, but it is {:?}", body.id, channel.id())));
        }
        let certificate = body.certificate.read(&problem);
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
            loss: problem.loss().as_str().to_owned(),
            prior: None,
            unbiased: false,
            range: None,
        };
        if let Problem::Line(line) = problem {
            text.unbiased = line.unbiased.is_some();
            text.range = line.unbiased.and_then(|unbiased| unbiased.range);
            if let Objective::Average(prior) = &line.objective {
                text.prior = Some(prior.shares().to_vec());
            }
        }
        text
    }

    fn read(&self) -> Result<Problem, LimitError> {
        let epsilon = Epsilon::new(self.epsilon)?;
        let loss: Loss = self.loss.parse().map_err(wrong)?;
        match self.domain.parse::<DomainSpec>()? {
            DomainSpec::Interval(domain) => {
                let objective = match &self.prior {
                    Some(shares) => Objective::Average(Prior::of_shares(shares)?),
                    None => Objective::Minimax,
                };
                let unbiased = self.unbiased.then_some(Unbiased { range: self.range });
                Ok(Problem::Line(LineProblem { domain, loss, objective, epsilon, unbiased }))
            }
            DomainSpec::Circle(domain) => Ok(Problem::Circle(CircleProblem { domain, loss, epsilon })),
            other => Err(wrong(format!("there are no solutions on {other}"))),
        }
    }
}

impl ChannelText {
    fn of(channel: &SolvedChannel) -> Self {
        match channel {
            SolvedChannel::Interval { rows, .. } => Self::Window {
                window: rows.row().window(),
                high: rows.row().high().to_string(),
                low: rows.row().low().to_string(),
                aim: if rows.aim() == Aim::Mean { AimText::Mean } else { AimText::Nearest },
                numbers: rows.numbers().to_vec(),
            },
            SolvedChannel::Circle { .. } => {
                let row = channel.ring_row().ok();
                Self::Ring {
                    cells: row.map_or(0, |row| row.cells()),
                    window: row.map_or(0, |row| row.window()),
                    high: row.map_or(0, |row| row.high()).to_string(),
                    low: row.map_or(0, |row| row.low()).to_string(),
                }
            }
        }
    }

    /// The weights follow from the sizes and epsilon, so a file with others was not made by this program, whatever its digest.
    fn read(self, problem: &Problem) -> Result<SolvedChannel, LimitError> {
        let foreign = || wrong("its weights are not those of its sizes and its epsilon");
        match (self, problem) {
            (Self::Window { window, high, low, aim, numbers }, Problem::Line(line)) => {
                let aim = if aim == AimText::Mean { Aim::Mean } else { Aim::Nearest };
                let rows = DecodedRows::new(numbers, window, aim, line.epsilon)?;
                if [high, low] != [rows.row().high(), rows.row().low()].map(|weight| weight.to_string()) {
                    return Err(foreign());
                }
                if (aim == Aim::Mean) != line.unbiased.is_some() {
                    return Err(wrong("its channel is not of the kind that it says"));
                }
                Ok(SolvedChannel::Interval { purpose: line.purpose(), domain: line.domain, rows })
            }
            (Self::Ring { cells, window, high, low }, Problem::Circle(circle)) => {
                let CircleProblem { domain, loss, epsilon } = *circle;
                let channel = SolvedChannel::Circle { loss, domain, epsilon };
                let row = channel.ring_row()?;
                let same = [cells, window] == [row.cells(), row.window()]
                    && [high, low] == [row.high(), row.low()].map(|weight| weight.to_string());
                if same { Ok(channel) } else { Err(foreign()) }
            }
            _ => Err(wrong("its channel and its domain are of different kinds")),
        }
    }
}

impl CertificateText {
    fn of(certificate: &Certificate) -> Self {
        let Certificate::Line(line) = certificate;
        Self::Line {
            setting: match line.setting {
                Setting::Interval => SettingText::Interval,
                Setting::Circle => SettingText::Circle,
                Setting::Unbiased { range } => SettingText::Unbiased { range },
            },
            points: line
                .points
                .iter()
                .map(|point| [point.place, point.weight, point.price, point.slope])
                .collect(),
            cells: line.cells.iter().map(|cell| [cell.weight, cell.price, cell.slope]).collect(),
        }
    }

    fn read(self, problem: &Problem) -> Certificate {
        let Self::Line { setting, points, cells } = self;
        Certificate::Line(LineCertificate {
            epsilon: problem.epsilon(),
            loss: problem.loss(),
            setting: match setting {
                SettingText::Interval => Setting::Interval,
                SettingText::Circle => Setting::Circle,
                SettingText::Unbiased { range } => Setting::Unbiased { range },
            },
            points: points
                .into_iter()
                .map(|[place, weight, price, slope]| Point { place, weight, price, slope })
                .collect(),
            cells: cells.into_iter().map(|[weight, price, slope]| Cell { weight, price, slope }).collect(),
        })
    }
}
