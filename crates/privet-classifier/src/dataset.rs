//! The worth of a classifier over many records: on average, at worst, and for a share of them.

use crate::bound::{Bound, Method};
use crate::certified::Certifier;
use crate::certified::trees::{TreeGrid, TreeRegion};
use crate::classifier::{ask, labels_of};
use crate::curve::Options;
use crate::record::{ProductChannel, Record, Sensitive, check_fit};
use crate::statistical::{count_same, empirical};
use crate::{Classifier, ClassifierError, Empirical};
use privet_core::{Generator, Guarantee, parallel};

/// One mechanism at one epsilon, over all records.
#[derive(Debug, Clone, PartialEq)]
pub struct DataRow {
    /// The mechanism's id.
    pub mechanism: &'static str,
    /// The epsilon of each sensitive feature.
    pub epsilon: f64,
    /// What all reports of one record promise together.
    pub total: Guarantee,
    /// The bound of each record, in their order.
    pub bounds: Vec<Bound>,
    /// The share of the same label when reports of all records are drawn equally often.
    pub empirical: Option<Empirical>,
}

impl DataRow {
    /// The bound of the mean probability over all records.
    pub fn average(&self) -> Bound {
        let count = self.bounds.len().max(1) as f64;
        self.like_first(
            self.bounds.iter().map(|bound| bound.lower).sum::<f64>() / count,
            self.bounds.iter().map(|bound| bound.upper).sum::<f64>() / count,
        )
    }

    /// The bound of the smallest probability of any record.
    pub fn worst(&self) -> Bound {
        self.for_share(1.0)
    }

    /// A bound of the largest probability that a share of the records reaches: all of them for 1, the median for 0.5.
    pub fn for_share(&self, share: f64) -> Bound {
        let left_out = ((1.0 - share) * self.bounds.len() as f64 + 1e-9).max(0.0) as usize;
        let reached = |side: fn(&Bound) -> f64| {
            let mut all: Vec<f64> = self.bounds.iter().map(side).collect();
            all.sort_by(f64::total_cmp);
            all.get(left_out).or(all.last()).copied()
        };
        let [lower, upper] = [reached(|bound| bound.lower), reached(|bound| bound.upper)];
        self.like_first(lower.unwrap_or(0.0), upper.unwrap_or(1.0))
    }

    fn like_first(&self, lower: f64, upper: f64) -> Bound {
        let first = self.bounds.first().copied().unwrap_or(Bound::unknown(1.0));
        Bound { lower, upper, ..first }
    }
}

/// The bounds of all records for each product of mechanisms. What a classifier does with a record is found once and used for
/// all of them.
///
/// # Errors
/// As for [`crate::quantify`], and when there is no record.
pub fn quantify_all(
    classifier: &dyn Classifier,
    records: &[Record],
    sensitive: &Sensitive,
    products: &[ProductChannel],
    options: &Options,
    rng: &mut Generator,
) -> Result<Vec<DataRow>, ClassifierError> {
    options.check()?;
    check_fit(classifier, sensitive, records)?;
    if records.is_empty() {
        return Err(ClassifierError::Option { option: "records", allowed: "at least 1", got: 0.0 });
    }
    let certifier = options.certifier(classifier, sensitive)?;
    let bounds = match &certifier {
        Some(certifier) => proven(certifier, records, sensitive, products, options)?,
        None => sampled(classifier, records, sensitive, products, options, rng)?,
    };
    let mut rows = Vec::with_capacity(products.len());
    for (product, bounds) in products.iter().zip(bounds) {
        let drawn = if certifier.is_some() && options.beside > 0 {
            Some(empirical_average(classifier, records, sensitive, product, (options, products.len()), rng)?)
        } else {
            None
        };
        let mixed = |bound: Bound| options.indicator.map_or(bound, |delta| bound.with_indicator(delta));
        rows.push(DataRow {
            mechanism: product.id(),
            epsilon: product.epsilon(),
            total: options.guarantee(product)?,
            bounds: bounds.into_iter().map(mixed).collect(),
            empirical: drawn.map(|drawn| drawn.mixed(options.indicator)),
        });
    }
    Ok(rows)
}

/// For each product the bounds of all records.
fn proven<'a>(
    certifier: &Certifier<'a>,
    records: &'a [Record],
    sensitive: &Sensitive,
    products: &[ProductChannel],
    options: &Options,
) -> Result<Vec<Vec<Bound>>, ClassifierError> {
    let questions = certifier.questions(records)?;
    if let Some(grid) = certifier.grid() {
        let regions: Result<Option<Vec<TreeRegion>>, ClassifierError> =
            parallel::map(&questions, |question| grid.region(question)).into_iter().collect();
        if let Some(regions) = regions? {
            return products
                .iter()
                .map(|product| on_grid(grid, &regions, records, sensitive, product))
                .collect();
        }
    }
    let by_record: Vec<Vec<Bound>> =
        parallel::map(&questions, |question| certifier.bounds(question, products, &options.effort))
            .into_iter()
            .collect::<Result<_, _>>()?;
    Ok((0..products.len()).map(|product| by_record.iter().map(|bounds| bounds[product]).collect()).collect())
}

/// Records with the same value of a feature share the law of its report.
fn on_grid(
    grid: &TreeGrid<'_>,
    regions: &[TreeRegion],
    records: &[Record],
    sensitive: &Sensitive,
    product: &ProductChannel,
) -> Result<Vec<Bound>, ClassifierError> {
    let mut axes = Vec::with_capacity(2);
    for (axis, channel) in product.channels().iter().enumerate() {
        let values = Column::of(records, sensitive, axis);
        let laws =
            parallel::map(&values.different, |value| Ok(grid.cumulative(axis, Some(&channel.law(*value)?))));
        let laws: Vec<Vec<f64>> = laws.into_iter().collect::<Result<_, ClassifierError>>()?;
        axes.push((laws, values.places));
    }
    if axes.len() == 1 {
        axes.push((vec![grid.cumulative(1, None)], vec![0; records.len()]));
    }
    let indices: Vec<usize> = (0..records.len()).collect();
    Ok(parallel::map(&indices, |index| {
        let of_axis = |axis: usize| axes[axis].0[axes[axis].1[*index]].as_slice();
        let mass = regions[*index].mass([of_axis(0), of_axis(1)]);
        Bound::proven(mass, mass, Method::Trees)
    }))
}

/// The different values of one sensitive feature, and which of them each record has.
struct Column {
    different: Vec<f64>,
    places: Vec<usize>,
}

impl Column {
    fn of(records: &[Record], sensitive: &Sensitive, axis: usize) -> Self {
        let feature = sensitive.features()[axis];
        let mut different: Vec<f64> = records.iter().map(|record| record.values()[feature]).collect();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let place = |record: &Record| different.partition_point(|one| *one < record.values()[feature]);
        Self { places: records.iter().map(place).collect(), different }
    }

    /// For each value the records that have it.
    fn holders(&self) -> Vec<Vec<usize>> {
        let mut holders = vec![Vec::new(); self.different.len()];
        for (record, place) in self.places.iter().enumerate() {
            holders[*place].push(record);
        }
        holders
    }
}

fn sampled(
    classifier: &dyn Classifier,
    records: &[Record],
    sensitive: &Sensitive,
    products: &[ProductChannel],
    options: &Options,
    rng: &mut Generator,
) -> Result<Vec<Vec<Bound>>, ClassifierError> {
    let alpha = (1.0 - options.confidence) / (records.len() * products.len()).max(1) as f64;
    let bound = |product: &ProductChannel, record: &Record, rng: &mut Generator| {
        let laws = product.laws(record, sensitive)?;
        let count = count_same(classifier, record, sensitive, &laws, options.samples, rng)?;
        Ok(empirical(count, alpha, options.confidence).bound)
    };
    products
        .iter()
        .map(|product| records.iter().map(|record| bound(product, record, rng)).collect())
        .collect()
}

/// The share of the same label among reports of all records, equally many of each. Hoeffding's inequality holds although the
/// records differ.
fn empirical_average(
    classifier: &dyn Classifier,
    records: &[Record],
    sensitive: &Sensitive,
    product: &ProductChannel,
    (options, statements): (&Options, usize),
    rng: &mut Generator,
) -> Result<Empirical, ClassifierError> {
    let each = options.beside.div_ceil(records.len());
    let mut rows: Vec<f64> = records
        .iter()
        .flat_map(|record| std::iter::repeat_n(record.values(), each).flatten().copied())
        .collect();
    for (axis, (feature, channel)) in sensitive.features().iter().zip(product.channels()).enumerate() {
        // People with the same value share a law.
        let values = Column::of(records, sensitive, axis);
        for (value, holders) in values.different.iter().zip(values.holders()) {
            let law = channel.law(*value)?;
            for row in holders.iter().flat_map(|record| record * each..(record + 1) * each) {
                rows[row * sensitive.inputs() + feature] = law.draw(rng);
            }
        }
    }
    let own = labels_of(classifier, records)?;
    let labels: Vec<usize> = own.into_iter().flat_map(|label| std::iter::repeat_n(label, each)).collect();
    let answers = ask(classifier, &rows)?;
    let same = answers.iter().zip(&labels).filter(|(answer, label)| answer == label).count();
    let count = labels.len() as f64;
    let share = same as f64 / count;
    let alpha = (1.0 - options.confidence) / statements.max(1) as f64;
    let reach = ((2.0 / alpha).ln() / (2.0 * count)).sqrt();
    let bound = Bound {
        lower: (share - reach).max(0.0),
        upper: (share + reach).min(1.0),
        method: Method::Sampled,
        confidence: options.confidence,
    };
    Ok(Empirical { share, bound })
}
