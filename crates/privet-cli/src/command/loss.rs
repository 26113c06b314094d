//! How errors are counted: `absolute`, `squared`, or `matrix:FILE` for categories.

use crate::failure::Failure;
use privet::analysis::Loss;
use privet::limit::finite::LossMatrix;
use privet::{Categories, DomainSpec};
use std::path::PathBuf;

/// Before the name of a file with a loss for each category and output.
const MATRIX: &str = "matrix:";

/// A loss as it was written.
#[derive(Debug)]
pub(super) enum NamedLoss {
    Distance(Loss),
    Matrix(LossMatrix),
}

impl NamedLoss {
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        let Some(path) = text.strip_prefix(MATRIX) else {
            let hint = Some("for categories also matrix:FILE, with a line for each category");
            let loss = text.parse().map_err(|message| Failure::Usage { message, hint })?;
            return Ok(Self::Distance(loss));
        };
        let path = PathBuf::from(path);
        let content = match std::fs::read_to_string(&path) {
            Ok(content) => content,
            Err(source) => return Err(Failure::File { action: "cannot read", path, source }),
        };
        let matrix = LossMatrix::parse(&content).map_err(|error| Failure::Data {
            message: format!("{}: {error}", path.display()),
            hint: Some(
                "a loss matrix has a line for each category, with the losses of all outputs between commas",
            ),
        })?;
        Ok(Self::Matrix(matrix))
    }

    /// The name for tables.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Distance(loss) => loss.as_str(),
            Self::Matrix(_) => "matrix",
        }
    }

    /// The loss on a domain of numbers, angles or places.
    pub(super) fn distance(&self, domain: &DomainSpec) -> Result<Loss, Failure> {
        match self {
            Self::Distance(loss) => Ok(*loss),
            Self::Matrix(_) => Err(Failure::Usage {
                message: format!("--loss {MATRIX}FILE is about categories: got {domain}"),
                hint: Some("use --loss absolute or --loss squared"),
            }),
        }
    }

    /// The loss on categories; distances are those of their positions in the list.
    pub(super) fn matrix(&self, categories: &Categories) -> Result<LossMatrix, Failure> {
        match self {
            Self::Distance(loss) => Ok(LossMatrix::ordered(*loss, categories)?),
            Self::Matrix(matrix) => Ok(matrix.clone()),
        }
    }
}
