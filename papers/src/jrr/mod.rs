//! Joint randomised response: chapter 4 and appendix B.

mod data_sets;
mod examples;
mod heuristic;
mod search;
mod synthetic;
mod theorems;

use crate::ReproduceError;
use crate::claims::TEXT;
use crate::data::DataFile;
use crate::figure::Figure;
use privet::joint::{Crowd, JointTable, Pairs, Plan, Request, SupportLaw, accounting};
use privet::{Epsilon, Generator, Probability};
use privet_core::Rng;

/// A data set of one bit for each person.
#[derive(Debug, Clone, Copy)]
struct Bits {
    name: &'static str,
    id: &'static str,
    file: DataFile,
}

const fn bits(name: &'static str, id: &'static str, path: &'static str) -> Bits {
    let source =
        "one 0 or 1 for each person in the column value, from the folder Dataset of github.com/ZhengYeah/JRR";
    Bits { name, id, file: DataFile { path, source } }
}

const DATA_SETS: [Bits; 4] = [
    bits("Kosarak", "kosarak", "jrr/kosarak.csv"),
    bits("Amazon", "amazon", "jrr/amazon.csv"),
    bits("E-commerce", "ecommerce", "jrr/ecommerce.csv"),
    bits("Census", "census", "jrr/census.csv"),
];
const NAMES: [&str; 4] = [DATA_SETS[0].name, DATA_SETS[1].name, DATA_SETS[2].name, DATA_SETS[3].name];
const FILES: &[DataFile] = &[DATA_SETS[0].file, DATA_SETS[1].file, DATA_SETS[2].file, DATA_SETS[3].file];

/// How often independent response at this epsilon tells the truth.
fn truth(epsilon: f64) -> f64 {
    1.0 / (1.0 + (-epsilon).exp())
}

fn table(p: f64, rho: f64) -> Result<JointTable, ReproduceError> {
    Ok(JointTable::new(Probability::new(p)?, rho)?)
}

/// The paper's heuristic: the truth as often as in independent response, and never two lies in a pair.
fn heuristic(epsilon: f64) -> Result<JointTable, ReproduceError> {
    table(truth(epsilon), 1.0 - 1.0 / truth(epsilon))
}

fn independent(epsilon: f64) -> Result<JointTable, ReproduceError> {
    table(truth(epsilon), 0.0)
}

/// The variance of the estimated number of ones.
fn variance(table: &JointTable, people: u64, ones: f64) -> f64 {
    SupportLaw::binary(table).estimate_variance(Pairs::of(people), ones)
}

/// The average epsilon of the theorem; infinite where it has none.
fn average_epsilon(table: &JointTable, people: u64, colluders: u64) -> Result<f64, ReproduceError> {
    let guarantee = accounting::guarantee(table, &Crowd::new(people, colluders)?);
    Ok(guarantee.map_or(f64::INFINITY, |guarantee| guarantee.epsilon().get()))
}

/// A crowd with what it holds.
#[derive(Debug, Clone, Copy)]
struct People {
    count: u64,
    colluders: u64,
    ones: u64,
}

/// Our choice; the cap is on the epsilon of an exposed pair.
fn plan(people: People, epsilon: f64, cap: Option<f64>) -> Result<Plan, ReproduceError> {
    let crowd = Crowd::new(people.count, people.colluders)?;
    let cap = cap.map(Epsilon::new).transpose()?;
    Ok(Request { crowd, epsilon: Epsilon::new(epsilon)?, ones: Some(people.ones), cap }.plan()?)
}

/// A number between two others.
fn between(rng: &mut Generator, low: f64, high: f64) -> f64 {
    low + (high - low) * (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}

/// What every figure of this chapter leaves out.
const EXPOSED: &str = "The gain has a price that the paper averages away: at rho = 1 - 1/p a partner who lied knows that the other \
                       told the truth, so the epsilon of an exposed pair is infinite. The series with a cap is what is left of the \
                       gain when no exposed person may lose more than twice epsilon.";

/// The figures, tables and examples, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[
    Figure::new("example 2", "Two people who respond independently", examples::example_2),
    Figure::new("example 3", "Two people who respond jointly", examples::example_3)
        .noting("The correlation of the example is not printed; it is the extreme one, -.25."),
    Figure::new("table 4.1", "The joint table of example 3", examples::table_4_1),
    Figure::new("table 4.2", "The joint table in general", examples::table_4_2),
    Figure::new("4.1", "Which (p, rho) keep epsilon 1 on average (10 000 people, 100 ones)", heuristic::figure_4_1)
        .noting(
            "The region is that of the average promise; darker is a larger variance, and left of the picture it grows without end. \
             An exposed pair loses 2 and 4 where the lines with these names are, and more below them.",
        ),
    Figure::new("4.2", "Variance with colluders (epsilon 1, 10 000 people)", heuristic::figure_4_2)
        .noting(
            "The variance depends on (2 n1 - n)^2 alone, so a tenth and nine tenths of ones have the same limit, 9.3 % of colluders. \
             The heuristic that ignores the colluders does not keep epsilon.",
        ),
    Figure::new("table 4.3", "The data sets", data_sets::table_4_3).needing(FILES),
    Figure::new("4.3", "Squared error on four data sets", data_sets::figure_4_3)
        .noting(EXPOSED)
        .needing(FILES)
        .taking(20),
    Figure::new("4.4", "Relative error on four data sets by percentile", data_sets::figure_4_4)
        .noting(EXPOSED)
        .needing(FILES)
        .taking(40),
    Figure::new("4.5", "Squared error of made-up data by epsilon", synthetic::figure_4_5).noting(
        "The gain has the price of figure 4.3, and the series with a cap is what is left of it. The last chart is what a search on a grid \
         loses against the closed form of the best (p, rho): where the grid has one p above one half a factor of two on average and up \
         to four; below that epsilon it has no point.",
    ),
    Figure::new("4.6", "Relative error of made-up data by epsilon", synthetic::figure_4_6).noting(
        "For the printed list of epsilons the ratio of the averages is 25.6 %; the printed 20 to 21 % come out if the list begins at \
         .001 instead of .01.",
    ),
    Figure::new("B.1", "Variance by the number of ones (epsilon 1)", synthetic::figure_b_1)
        .noting("In the band around one half a positive correlation is better than none; the plan finds it."),
    Figure::new(TEXT, "Theorems and sentences of the text", theorems::theorems),
];
