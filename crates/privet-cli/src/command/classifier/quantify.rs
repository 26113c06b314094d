//! How likely the same answer is.

use super::answer::{Answer, OverTable, page};
use super::bounds::{BoundArguments, PaperArguments, Way, share_of};
use super::channels::{ChannelArguments, Setting};
use super::people::{ModelArguments, People, PeopleArguments};
use super::picture;
use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::Output;
use crate::plot;
use crate::progress::Waiting;
use clap::Args;
use privet::Generator;
use privet::classifier::paper::{OverRecords, rhos, with_indicator};
use privet::classifier::{
    About, Approach, Bound, Classifier, Counted, DataRow, ProductChannel, Record, Reweighted, Reweighting,
    Row, quantify, quantify_all, reweight, statement,
};
use privet::document;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Age and bmi of one record are randomised:
    privet classifier quantify --model stroke_lr.json --record .79,1,0,1,.5804,.48 --sensitive 0,5 \\
      --mechanism ogpm,square-wave-bounded,laplace-truncated --epsilon 1,2,4,8

  Everybody in a table, on average, at worst and for 95 % of them, with a picture:
    privet classifier quantify --model stroke_rf.onnx.gz --data stroke.csv --label stroke --clamp \\
      --sensitive age,bmi --mechanism ogpm,grid-rr --epsilon 1:8:0.5 --plot worth.png

  All pixels of an image, with a paragraph for a data-protection officer:
    privet classifier quantify --model cnn_mnist_7_7.onnx --data mnist_7x7.csv --rows 1 \\
      --label image,cnn_pred --sensitive all --mechanism ogpm --epsilon 1:10:1 --queries 200000 \\
      --statement

  A classifier in any language, and the value that the papers print:
    privet classifier quantify --command 'python3 classify.py' --record .5,.2 --sensitive 0 \\
      --mechanism ogpm --epsilon 4 --method paper";

/// Bound the probability that a report gets the label of its record
///
/// Every row has a lower and an upper bound with the method and the confidence; a confidence of 1 is a proof. Epsilon is that
/// of one sensitive feature, and TOTAL that of all of them together. EMPIRICAL is the share among reports that were drawn.
/// For a table, the bounds are those of the mean over its records; WORST and the share of records stand beside them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct QuantifyArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    people: PeopleArguments,
    #[command(flatten)]
    channels: ChannelArguments,
    /// How bounds are found
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = Way::Auto)]
    method: Way,
    #[command(flatten)]
    bounds: BoundArguments,
    #[command(flatten)]
    paper: PaperArguments,
    /// For re-weighted: the epsilons whose reports are drawn [default: all of them]
    #[arg(long, value_name = "LIST")]
    draw_at: Option<String>,
    /// For a table: which share of the records must reach a probability
    #[arg(long, value_name = "NUMBER", default_value = "0.95", allow_hyphen_values = true)]
    share: String,
    /// Say each row in a paragraph that a data-protection officer can read
    #[arg(long)]
    statement: bool,
    /// Draw bounds, drawn reports and the papers' values over epsilon: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw reports from a generator that anybody can repeat, for the same answer again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// A row of the library, and what stands beside it.
struct Found {
    row: Row,
    table: Option<OverTable>,
    paper: Option<f64>,
    effective_samples: Option<f64>,
}

impl Found {
    fn of(row: Row) -> Self {
        Self { row, table: None, paper: None, effective_samples: None }
    }
}

/// Wider bands from weighed reports say nothing.
const WIDEST: f64 = 0.25;
/// The most reports that are drawn for weighing unless somebody says otherwise: each is looked at once for each row.
const MOST_WEIGHED: usize = 200_000;

impl QuantifyArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        self.plot.as_deref().map(plot::Format::of).transpose()?;
        let (classifier, people) = self.people.read(&self.model)?;
        let classifier = Counted::new(&*classifier);
        let waiting = Waiting::on("asking the classifier".to_owned());
        let products = products_of(self.channels.build(&people.sensitive)?);
        let mut rng = generator(self.insecure_seed)?;
        let mut found = match (self.method, people.records.as_slice()) {
            (Way::ReWeighted, [record]) => self.weigh(&classifier, record, &people, &products, &mut rng)?,
            (Way::ReWeighted, _) => {
                let message = "re-weighted is about one record, not a table".to_owned();
                return Err(Failure::Usage { message, hint: Some("choose one with --rows") });
            }
            _ if self.draw_at.is_some() => {
                let message = "--draw-at is about the method re-weighted".to_owned();
                return Err(Failure::Usage { message, hint: None });
            }
            _ => self.find(&classifier, &people, &products, &mut rng)?,
        };
        if self.method == Way::Paper {
            self.add_paper(&classifier, &people, &products, &mut found, &mut rng)?;
        }
        drop(waiting);
        let queries = classifier.queries();
        let answers = found.into_iter().zip(&products);
        let answers: Vec<Answer> = answers
            .map(|(found, product)| self.answer(found, product, &people, queries))
            .collect::<Result<_, _>>()?;
        if let Some(path) = &self.plot {
            plot::save(&picture::over_epsilon(&answers, &people), path)?;
        }
        output.print(&answers, || page(&answers, &people, self.plot.as_deref()))
    }

    fn find(
        &self,
        classifier: &dyn Classifier,
        people: &People,
        products: &[ProductChannel],
        rng: &mut Generator,
    ) -> Result<Vec<Found>, Failure> {
        let People { records, sensitive, .. } = people;
        let counts = [products.len(), records.len()];
        let options = self.bounds.options(self.method.approach(), counts, self.channels.indicator()?)?;
        let found: Vec<Found> = if let [record] = records.as_slice() {
            let rows = quantify(classifier, record, sensitive, products, &options, rng)?;
            rows.into_iter().map(Found::of).collect()
        } else {
            let share = share_of(&self.share)?;
            let rows = quantify_all(classifier, records, sensitive, products, &options, rng)?;
            rows.into_iter().map(|row| over_table(row, share)).collect()
        };
        let is_other = |found: &Found| !self.method.accepts(found.row.bound.method);
        match found.iter().any(is_other) {
            true => Err(self.method.refuse()),
            false => Ok(found),
        }
    }

    /// One batch of reports for all rows.
    fn weigh(
        &self,
        classifier: &dyn Classifier,
        record: &Record,
        people: &People,
        products: &[ProductChannel],
        rng: &mut Generator,
    ) -> Result<Vec<Found>, Failure> {
        if self.channels.indicator()?.is_some() {
            let message = "re-weighted does not know an --indicator".to_owned();
            return Err(Failure::Usage { message, hint: None });
        }
        let drawn = match self.draw_at.as_deref() {
            Some(epsilons) => products_of(self.channels.build_at(Some(epsilons), &people.sensitive)?),
            None => products.to_vec(),
        };
        let options = self.bounds.options(Approach::Samples, [products.len(), 1], None)?;
        let all = options.samples.saturating_mul(products.len());
        let samples = if self.bounds.queries.is_some() { all } else { all.min(MOST_WEIGHED) };
        let weighing = Reweighting { samples, widest: WIDEST, confidence: options.confidence };
        let weighed = reweight(classifier, record, &people.sensitive, [&drawn, products], &weighing, rng)?;
        let found = |(one, product): (Reweighted, &ProductChannel)| Found {
            effective_samples: Some(one.effective_samples),
            ..Found::of(Row {
                mechanism: product.id(),
                epsilon: product.epsilon(),
                total: product.total(),
                bound: one.bound,
                empirical: None,
            })
        };
        Ok(weighed.into_iter().zip(products).map(found).collect())
    }

    /// The papers' values, which need no classifier but their box.
    fn add_paper(
        &self,
        classifier: &dyn Classifier,
        people: &People,
        products: &[ProductChannel],
        found: &mut [Found],
        rng: &mut Generator,
    ) -> Result<(), Failure> {
        let search = self.paper.search()?;
        let indicator = self.channels.indicator()?;
        let mixed = |rho: f64| indicator.map_or(rho, |delta| with_indicator(rho, delta));
        let values = rhos(classifier, &people.records, &people.sensitive, products, &search, rng)?;
        for (found, values) in found.iter_mut().zip(values) {
            let over = OverRecords::of(&values);
            found.paper = over.map(|over| mixed(over.average));
            if let Some(table) = &mut found.table {
                table.paper_worst = over.map(|over| mixed(over.worst));
            }
        }
        Ok(())
    }

    fn answer(
        &self,
        found: Found,
        product: &ProductChannel,
        people: &People,
        queries: u64,
    ) -> Result<Answer, Failure> {
        let Found { row, table, paper, effective_samples } = found;
        Ok(Answer {
            mechanism: row.mechanism,
            epsilon: row.epsilon,
            lower: row.bound.lower,
            upper: row.bound.upper,
            empirical: row.empirical.map(|drawn| drawn.share),
            empirical_interval: row.empirical.map(|drawn| [drawn.bound.lower, drawn.bound.upper]),
            method: row.bound.method.as_str(),
            confidence: row.bound.confidence,
            total: document::guarantee(&row.total),
            table,
            paper,
            paper_exceeds_upper: paper.map(|paper| paper > row.bound.upper),
            effective_samples,
            queries,
            statement: if self.statement { Some(self.in_words(&row, product, people)?) } else { None },
        })
    }

    fn in_words(&self, row: &Row, product: &ProductChannel, people: &People) -> Result<String, Failure> {
        let about = match people.records.len() {
            1 => About::OneRecord,
            count => About::Average(count),
        };
        let text = statement(product, &people.sensitive, row, about, &people.names);
        Ok(match self.channels.indicator()? {
            None => text,
            Some(delta) => {
                format!("{text} With a probability of {delta} the whole record is sent as it is instead.")
            }
        })
    }
}

fn products_of(settings: Vec<Setting>) -> Vec<ProductChannel> {
    settings.into_iter().map(|setting| setting.product).collect()
}

/// The row of a table is that of the mean.
fn over_table(row: DataRow, share: f64) -> Found {
    let ends = |bound: Bound| [bound.lower, bound.upper];
    let table = OverTable {
        records: row.bounds.len(),
        worst: ends(row.worst()),
        share,
        share_reaches: ends(row.for_share(share)),
        paper_worst: None,
    };
    let DataRow { mechanism, epsilon, total, empirical, .. } = row;
    let bound = row.average();
    Found { table: Some(table), ..Found::of(Row { mechanism, epsilon, total, bound, empirical }) }
}
