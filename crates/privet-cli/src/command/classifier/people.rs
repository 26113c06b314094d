//! The classifier, the records that it is asked about, and what is private about them.

use crate::command::audit::program::words;
use crate::failure::Failure;
use crate::table::{BATCH_ROWS, Columns, Format, NumberColumn, Source, csv_header, is_standard_stream};
use clap::Args;
use privet::classifier::{
    Admitted, Classifier, ClassifierError, CommandClassifier, ModelClassifier, Outside, Record, Sensitive,
    read_records,
};
use privet::model::{Model, ModelError};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What gives labels.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct ModelArguments {
    /// The model: .onnx, .safetensors, .json (linear or trees) or .csv (trees); .gz may follow
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// A program that reads rows of numbers with commas between them, and writes one label (a whole number) per row
    #[arg(long, value_name = "PROGRAM")]
    command: Option<String>,
}

/// Whose records, and which of their features are private.
#[derive(Debug, Args)]
pub(super) struct PeopleArguments {
    /// One record: its features in the model's order
    #[arg(
        long,
        value_name = "V,V,..",
        allow_hyphen_values = true,
        required_unless_present = "data",
        conflicts_with = "data"
    )]
    record: Option<String>,
    /// A table of records that you may read: .csv, .jsonl, .ndjson or .parquet
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Which rows of the table, counted from 1: a list such as 1,2 or a range such as 1:100 [default: all]
    #[arg(long, value_name = "LIST", requires = "data")]
    rows: Option<String>,
    /// The names of the features, in the model's order [default: all columns of a csv table but --label]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    columns: Vec<String>,
    /// Columns of the table that are no features, such as the true label
    #[arg(
        long,
        value_name = "NAME,..",
        value_delimiter = ',',
        requires = "data",
        conflicts_with = "columns"
    )]
    label: Vec<String>,
    /// The features that are randomised: names, numbers from 0, ranges such as 0:48, or `all`
    #[arg(long, value_name = "LIST")]
    sensitive: String,
    /// Move sensitive features outside [0, 1] to the nearest end first, instead of refusing them; a feature of which more than
    /// half of the values lie outside is refused
    #[arg(long)]
    clamp: bool,
}

/// Checked records.
pub(super) struct People {
    pub(super) records: Vec<Record>,
    pub(super) sensitive: Sensitive,
    /// What the sensitive features are called, in their order.
    pub(super) names: Vec<String>,
}

/// Numbers before they are checked, with the row that each record has in its table.
struct Raw {
    names: Vec<String>,
    rows: Vec<(u64, Vec<f64>)>,
}

impl PeopleArguments {
    pub(super) fn read(&self, model: &ModelArguments) -> Result<(Box<dyn Classifier>, People), Failure> {
        let raw = match (&self.record, &self.data) {
            (Some(text), _) => self.one(text)?,
            (None, Some(path)) => self.table(path)?,
            (None, None) => return Err(usage("a --record or a table of --data is needed".into())),
        };
        let classifier = model.open(raw.rows.first().map_or(0, |(_, row)| row.len()))?;
        let features = features(&self.sensitive, &raw.names, classifier.inputs())?;
        let sensitive = Sensitive::new(features, &*classifier)?;
        let names = names_of(&sensitive, &raw.names);
        let outside = if self.clamp { Outside::Clamp } else { Outside::Refuse };
        let (numbers, rows): (Vec<u64>, Vec<Vec<f64>>) = raw.rows.into_iter().unzip();
        let Admitted { records, moved } =
            read_records(rows, &sensitive, outside).map_err(|(place, source)| {
                let row =
                    place.filter(|_| self.data.is_some()).and_then(|place| numbers.get(place - 1).copied());
                Failure::Classifier { path: self.data.clone(), row, source }
            })?;
        for one in moved {
            eprintln!("warning: {one}");
        }
        Ok((classifier, People { records, sensitive, names }))
    }

    fn one(&self, text: &str) -> Result<Raw, Failure> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
        let values = numbers.map_err(|_| Failure::Data {
            message: "the record holds something that is no number".into(),
            hint: Some("write its features with commas between them, such as --record .79,1,0"),
        })?;
        Ok(Raw { names: self.columns.clone(), rows: vec![(1, values)] })
    }

    fn table(&self, path: &Path) -> Result<Raw, Failure> {
        let names = self.column_names(path)?;
        let (first, others) =
            names.split_first().ok_or_else(|| usage("no column is left that is a feature".into()))?;
        let wanted = self.rows.as_deref().map(wanted_rows).transpose()?;
        let is_wanted = |row: u64| {
            wanted.as_ref().is_none_or(|ranges| ranges.iter().any(|[from, to]| (*from..=*to).contains(&row)))
        };
        let columns = Columns { column: Some(first), keep: others, batch_rows: BATCH_ROWS };
        let source = Source::open(path, format(path)?, columns)?;
        let mut rows = Vec::new();
        source.for_each_batch(NumberColumn::default, |batch| {
            // The row that could not be read ends the reading with its own message.
            if batch.is_cut {
                return Ok(());
            }
            for (index, first) in batch.column.numbers.iter().enumerate() {
                let row = batch.first_row + index as u64;
                if is_wanted(row) {
                    // What is no number is refused with the record.
                    let others = batch.kept.iter().map(|column| column.number(index).unwrap_or(f64::NAN));
                    rows.push((row, std::iter::once(*first).chain(others).collect()));
                }
            }
            Ok(())
        })?;
        if rows.is_empty() {
            return Err(match &self.rows {
                Some(rows) => no_such_rows(path, rows),
                None => Source::no_rows(path),
            });
        }
        Ok(Raw { names, rows })
    }

    fn column_names(&self, path: &Path) -> Result<Vec<String>, Failure> {
        if !self.columns.is_empty() {
            return Ok(self.columns.clone());
        }
        if format(path)? != Format::Csv || is_standard_stream(path) {
            return Err(Failure::Usage {
                message: "which columns are features?".into(),
                hint: Some(
                    "say it with --columns; only csv files have an order of columns that is known before",
                ),
            });
        }
        let all = csv_header(path)?;
        if let Some(stranger) = self.label.iter().find(|name| !all.contains(name)) {
            let problem = crate::table::Problem::MissingColumn { column: stranger.clone(), available: all };
            return Err(Failure::Source { path: path.to_owned(), row: None, problem });
        }
        Ok(all.into_iter().filter(|name| !self.label.contains(name)).collect())
    }
}

impl ModelArguments {
    /// The classifier; a program reads rows of this many numbers.
    fn open(&self, inputs: usize) -> Result<Box<dyn Classifier>, Failure> {
        if let Some(command) = &self.command {
            let mut words = words(command)?.into_iter();
            let program = words.next().unwrap_or_default();
            let inputs = NonZeroUsize::new(inputs).unwrap_or(NonZeroUsize::MIN);
            return Ok(Box::new(CommandClassifier::new(inputs, program, words.collect())));
        }
        let path = self.model.as_deref().unwrap_or(Path::new(""));
        let model = Model::read(path).map_err(|error| Failure::Classifier {
            // Errors of the file system name the file themselves.
            path: (!matches!(error, ModelError::File { .. })).then(|| path.to_owned()),
            row: None,
            source: error.into(),
        })?;
        Ok(Box::new(ModelClassifier::new(model)))
    }
}

fn usage(message: String) -> Failure {
    Failure::Usage { message, hint: None }
}

fn no_such_rows(path: &Path, rows: &str) -> Failure {
    Failure::Data { message: format!("{} has none of the rows {rows}", path.display()), hint: None }
}

fn format(path: &Path) -> Result<Format, Failure> {
    Format::of(path, None)
}

fn names_of(sensitive: &Sensitive, names: &[String]) -> Vec<String> {
    let name = |feature: &usize| names.get(*feature).cloned().unwrap_or_else(|| format!("feature {feature}"));
    sensitive.features().iter().map(name).collect()
}

/// Rows as ranges, both ends included.
fn wanted_rows(text: &str) -> Result<Vec<[u64; 2]>, Failure> {
    let refuse = || Failure::Usage {
        message: format!("cannot read the rows {text:?}"),
        hint: Some("rows are counted from 1: write a list such as 1,2 or a range such as 1:100"),
    };
    text.split(',').map(|part| range(part).filter(|[from, _]| *from > 0).ok_or_else(refuse)).collect()
}

/// One number, or two with a colon between them.
fn range(text: &str) -> Option<[u64; 2]> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let ends = [first.trim().parse().ok()?, last.trim().parse().ok()?];
    (ends[0] <= ends[1]).then_some(ends)
}

/// Features by name or number.
fn features(text: &str, names: &[String], inputs: usize) -> Result<Vec<usize>, Failure> {
    if text == "all" {
        return Ok((0..inputs).collect());
    }
    let mut features = Vec::new();
    for part in text.split(',').map(str::trim) {
        if let Some(index) = names.iter().position(|name| name == part) {
            features.push(index);
            continue;
        }
        let [from, to] = range(part).ok_or_else(|| unknown(part, names))?.map(|end| end as usize);
        if to >= inputs {
            return Err(ClassifierError::NoSuchFeature { inputs, got: to }.into());
        }
        features.extend(from..=to);
    }
    Ok(features)
}

fn unknown(part: &str, names: &[String]) -> Failure {
    const MOST: usize = 20;
    let known = match names {
        [] => "features are counted from 0, and `--columns` gives them names".to_owned(),
        names => {
            let more = if names.len() > MOST { ", .." } else { "" };
            format!("there are {}{more}", names[..names.len().min(MOST)].join(", "))
        }
    };
    usage(format!("there is no feature called {part:?}: {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_names_and_numbers() {
        let names = ["age", "bmi", "7"].map(str::to_owned);
        assert_eq!(features("bmi,0", &names, 3).unwrap(), [1, 0]);
        assert_eq!(features("7", &names, 3).unwrap(), [2]);
        assert_eq!(features("0:2", &[], 3).unwrap(), [0, 1, 2]);
        assert_eq!(features("all", &names, 3).unwrap(), [0, 1, 2]);
        for wrong in ["", "3", "0:9", "2:1", "sex", "-1", "0:99999999999999999999", "1:18446744073709551615"]
        {
            assert!(features(wrong, &names[..2], 3).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_are_counted_from_one() {
        assert_eq!(wanted_rows("1,3:5").unwrap(), [[1, 1], [3, 5]]);
        for wrong in ["0", "", "5:3", "a", "0:3"] {
            assert!(wanted_rows(wrong).is_err(), "{wrong}");
        }
    }
}
