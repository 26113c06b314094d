//! What can be wrong with a file or one of its rows.

use privet::{InputError, MergeError, ReportError};
use std::borrow::Cow;
use thiserror::Error;

/// Column names that a hint shows.
const SHOWN_COLUMNS: usize = 20;

/// What is wrong. Never contains a raw value.
#[derive(Debug, Error)]
pub(crate) enum Problem {
    #[error("the file is empty")]
    Empty,
    #[error("there are no rows")]
    NoRows,
    #[error("there is no column called {column:?}")]
    MissingColumn { column: String, available: Vec<String> },
    #[error("two columns are called {column:?}")]
    DuplicateColumn { column: String },
    #[error("the column {column:?} holds {kind}, not text, whole numbers or booleans")]
    ColumnType { column: String, kind: String },
    #[error("the value is missing")]
    MissingValue,
    #[error("the value is a list or an object")]
    NestedValue,
    #[error("the time is neither a number nor a date")]
    NotATime,
    #[error("the geometry is not a point in well-known binary")]
    NotAPoint,
    #[error("there are {got} cells, but {expected} in the header")]
    CellCount { expected: u64, got: u64 },
    #[error("the row is not a JSON object")]
    NotAnObject,
    #[error("the text is not UTF-8")]
    NotUtf8,
    #[error("the line is longer than {limit} bytes")]
    LongLine { limit: u64 },
    #[error("a number is not finite, or what should be a number is none")]
    NotFinite,
    #[error("the array does not have {expected}")]
    Shape { expected: &'static str },
    #[error("the row has {got} numbers, the first one {expected}")]
    Width { expected: usize, got: usize },
    #[error("damaged, truncated or not {format}")]
    Damaged { format: &'static str },
    #[error("compressed in a way that this program cannot read")]
    Compression,
    #[error("{source}")]
    Input { source: InputError, is_clampable: bool },
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Merge(#[from] MergeError),
}

impl Problem {
    /// A stable code for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Empty => "data-empty",
            Self::NoRows => "data-no-rows",
            Self::MissingColumn { .. } => "data-missing-column",
            Self::DuplicateColumn { .. } => "data-duplicate-column",
            Self::ColumnType { .. } => "data-column-type",
            Self::MissingValue => "data-missing-value",
            Self::NestedValue => "data-nested-value",
            Self::NotATime => "data-not-a-time",
            Self::NotAPoint => "data-not-a-point",
            Self::CellCount { .. } => "data-cell-count",
            Self::NotAnObject => "data-not-an-object",
            Self::NotUtf8 => "data-not-utf8",
            Self::LongLine { .. } => "data-long-line",
            Self::NotFinite => "data-not-finite",
            Self::Shape { .. } => "data-shape",
            Self::Width { .. } => "data-width",
            Self::Damaged { .. } => "data-damaged",
            Self::Compression => "data-compression",
            Self::Input { source, .. } => source.code(),
            Self::Report(error) => error.code(),
            Self::Merge(error) => error.code(),
        }
    }

    /// What to do about it, where that is not obvious.
    pub(crate) fn hint(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::MissingColumn { available, .. } if !available.is_empty() => {
                let more = if available.len() > SHOWN_COLUMNS { ", .." } else { "" };
                let shown = &available[..available.len().min(SHOWN_COLUMNS)];
                Some(format!("the columns are {}{more}", shown.join(", ")).into())
            }
            Self::MissingValue => {
                Some("leave out rows without a value, or give them a category of their own".into())
            }
            Self::NotATime => Some("write all times alike, such as 17.5 or 2012-04-08 00:03:35".into()),
            Self::Compression => Some("uncompressed, snappy and zstd pages can be read".into()),
            Self::Input { is_clampable: true, .. } => {
                Some("`--clamp` moves values outside the domain to the nearest one inside".into())
            }
            Self::Report(error) => error.hint().map(Cow::from),
            Self::Merge(MergeError::Foreign { .. }) => {
                Some("merge summaries of one mechanism, domain and epsilon only".into())
            }
            _ => None,
        }
    }
}
