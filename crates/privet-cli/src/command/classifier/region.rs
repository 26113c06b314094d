//! Where a classifier keeps its answer.

use super::bounds::PaperArguments;
use super::people::{ModelArguments, People, PeopleArguments};
use crate::arguments::{generator, parse_named};
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use crate::plot::{self, save_region};
use crate::progress::Waiting;
use clap::Args;
use privet::classifier::paper::hyperrectangle;
use privet::classifier::{Classifier, DecisionMap, Record, certified_box};
use privet_plot::{LabelledBox, Region};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The largest box of age and bmi in which the answer certainly stays:
    privet classifier region --model stroke_lr.json --record .79,1,0,1,.5804,.48 --sensitive 0,5

  The same with the papers' box, as a picture:
    privet classifier region --model stroke_rf.onnx.gz --record .79,1,0,1,.5804,.48 \\
      --sensitive 0,5 --columns age,hypertension,heart_disease,ever_married,avg_glucose_level,bmi \\
      --paper --plot region.png";

/// Show where a classifier keeps the answer of a record
///
/// The certified box holds the record, and every row inside it has the record's label for certain; it is the largest of a few
/// that cannot grow. The papers' box holds other labels up to a share tau of its volume. For two sensitive features, the share
/// of the unit square with the same label is counted in the middles of its cells, and `--plot` draws them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RegionArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    people: PeopleArguments,
    /// How finely the ends of the certified box are found
    #[arg(long, value_name = "NUMBER", default_value = "0.000001", allow_hyphen_values = true)]
    precision: String,
    /// How many cells each side of the picture has
    #[arg(long, value_name = "COUNT", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1000))]
    resolution: u32,
    /// Find the papers' box as well
    #[arg(long)]
    paper: bool,
    #[command(flatten)]
    search: PaperArguments,
    /// Draw the labels over two sensitive features, with the boxes: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw the points of the papers' tests from a generator that anybody can repeat
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// A box has a lower and an upper end for each sensitive feature.
type Ends = Vec<[f64; 2]>;

#[derive(Debug, Serialize)]
struct Answer {
    features: Vec<String>,
    label: usize,
    /// `None` where nothing can be proved.
    certified_box: Option<Ends>,
    paper_box: Option<Ends>,
    /// The share of the unit square with the same label; only for two sensitive features.
    same_share: Option<f64>,
}

impl RegionArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        self.plot.as_deref().map(plot::Format::of).transpose()?;
        let precision = parse_named("precision", &self.precision)?;
        let (classifier, people) = self.people.read(&self.model)?;
        let [record] = people.records.as_slice() else {
            let message = "a region is that of one record, not of a table".to_owned();
            return Err(Failure::Usage { message, hint: Some("choose one with --rows") });
        };
        let _waiting = Waiting::on("asking the classifier".to_owned());
        let sensitive = &people.sensitive;
        let map = match sensitive.count() {
            // Somebody who wants a picture is told why there is none.
            count if count != 2 && self.plot.is_none() => None,
            _ => Some(DecisionMap::new(&*classifier, record, sensitive, self.resolution as usize)?),
        };
        let answer = Answer {
            features: people.names.clone(),
            label: map.as_ref().map_or_else(|| label(&*classifier, record), |map| Ok(map.own))?,
            certified_box: classifier
                .structure()
                .map(|_| certified_box(&*classifier, record, sensitive, precision))
                .transpose()?,
            paper_box: self.paper_box(&*classifier, record, &people)?,
            same_share: map.as_ref().map(DecisionMap::same),
        };
        if let (Some(path), Some(map)) = (&self.plot, map) {
            save_region(&picture(&answer, map, record, &people), path)?;
        }
        output.print(&answer, || self.page(&answer))
    }

    fn paper_box(
        &self,
        classifier: &dyn Classifier,
        record: &Record,
        people: &People,
    ) -> Result<Option<Ends>, Failure> {
        if !self.paper {
            return Ok(None);
        }
        let search = self.search.search()?;
        let mut rng = generator(self.insecure_seed)?;
        Ok(Some(hyperrectangle(classifier, record, &people.sensitive, &search, &mut rng)?.ends))
    }

    fn page(&self, answer: &Answer) -> String {
        let mut table = table_of_numbers(&["FEATURE", "CERTIFIED", "PAPER"], 1);
        for (index, feature) in answer.features.iter().enumerate() {
            let cell = |ends: &Option<Ends>| {
                ends.as_ref().and_then(|ends| ends.get(index)).map_or("-".to_owned(), |ends| interval(*ends))
            };
            table.add_row([feature.clone(), cell(&answer.certified_box), cell(&answer.paper_box)]);
        }
        let mut page = format!("{}\n\nThe record has label {}.", table.trim_fmt(), answer.label);
        if answer.certified_box.is_none() {
            page.push_str(" Nothing is certified: the structure of the classifier is not known.");
        }
        if let Some(share) = answer.same_share {
            page.push_str(&format!(" So has {} of the unit square.", number(share)));
        }
        if let Some(path) = &self.plot {
            page.push_str(&format!("\nDrawn in {}.", path.display()));
        }
        page
    }
}

fn label(classifier: &dyn Classifier, record: &Record) -> Result<usize, Failure> {
    Ok(classifier.labels(record.values())?.first().copied().unwrap_or_default())
}

fn picture(answer: &Answer, map: DecisionMap, record: &Record, people: &People) -> Region {
    let two = |mut values: Vec<f64>| {
        values.resize(2, 0.0);
        [values[0], values[1]]
    };
    let named = [("certified box", &answer.certified_box), ("papers' box", &answer.paper_box)];
    let boxes = named.into_iter().filter_map(|(label, ends)| match ends.as_deref()? {
        [first, second] => Some(LabelledBox { label: label.to_owned(), ends: [*first, *second] }),
        _ => None,
    });
    let name = |index: usize| people.names.get(index).cloned().unwrap_or_default();
    Region {
        title: format!("Where the answer {} stays: {} and {}", map.own, name(0), name(1)),
        description: format!(
            "Labels over {} and {}; {:.1} % have that of the record.",
            name(0),
            name(1),
            100.0 * map.same()
        ),
        names: [name(0), name(1)],
        resolution: map.resolution,
        classes: map.labels,
        own: map.own,
        record: two(record.sensitive(&people.sensitive).collect()),
        boxes: boxes.collect(),
    }
}
