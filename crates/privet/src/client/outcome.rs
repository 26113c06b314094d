//! What became of reports.

use super::connection::{Reply, problem_code};
use super::error::CollectError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What became of reports that were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// How many are stored and counted now.
    pub accepted: u64,
    /// How many had been stored and counted before.
    pub duplicates: u64,
    /// How many are not counted.
    pub refused: u64,
    /// Why not: the first hundred of each request.
    pub problems: Vec<RefusedReport>,
}

/// A report that is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedReport {
    /// Its place among the reports that were sent, counted from 0.
    pub index: u64,
    /// The stable code of the problem.
    pub code: String,
    /// What is wrong.
    pub detail: String,
}

/// What a collector says about a request.
#[derive(Debug, Deserialize)]
struct Counts {
    accepted: u64,
    duplicates: u64,
    refused: u64,
    problems: Vec<Value>,
}

impl Sent {
    /// Reads what became of the reports of one request, of which the first has a place among all.
    pub(super) fn read(reply: Reply, first: u64, reports: u64) -> Result<Self, CollectError> {
        let document = reply.document();
        let code = problem_code(&document).unwrap_or_default();
        let counts = match code {
            "reports-refused" => {
                let problems = document["problems"].as_array().cloned().unwrap_or_default();
                Counts { accepted: 0, duplicates: 0, refused: reports, problems }
            }
            // A single report is answered with its own problem.
            _ if reports == 1 && (code.starts_with("report-") || code.starts_with("token-")) => {
                let mut problem = document.clone();
                problem["index"] = json!(0);
                Counts { accepted: 0, duplicates: 0, refused: 1, problems: vec![problem] }
            }
            _ => reply.json()?,
        };
        let refused = |problem: &Value| RefusedReport {
            index: first + problem["index"].as_u64().unwrap_or_default(),
            code: problem_code(problem).unwrap_or_default().to_owned(),
            detail: problem["detail"].as_str().unwrap_or_default().to_owned(),
        };
        Ok(Self {
            accepted: counts.accepted,
            duplicates: counts.duplicates,
            refused: counts.refused,
            problems: counts.problems.iter().map(refused).collect(),
        })
    }

    /// Adds what became of other reports.
    pub(super) fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.duplicates += other.duplicates;
        self.refused += other.refused;
        self.problems.extend(other.problems);
    }
}
