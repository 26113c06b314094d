//! What the studies have in common: mechanisms, recipes, and work on all cores.

use super::table::Row;
use privet_core::{BuildOptions, CryptoRng, Delta, Epsilon, Generator, ParameterError};
use privet_model::{Model, ModelError};
use privet_vector::registry::find;
use privet_vector::reshape::{
    Ablation, Evaluation, MechanismChoice, Reaction, Reading, Reshape, ReshapeError, Reshaped, Rows, Targets,
    TaskSpace, evaluate, fit,
};
use thiserror::Error;

/// Why a study could not be done.
#[derive(Debug, Error)]
pub enum StudyError {
    /// A parameter is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A model cannot be read or trained.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Reshaping failed.
    #[error(transparent)]
    Reshape(#[from] ReshapeError),
    /// A file cannot be written.
    #[error("{path} cannot be written: {error}")]
    File {
        /// The file.
        path: String,
        /// What the operating system says.
        error: std::io::Error,
    },
}

/// The delta of the mechanisms with Gaussian noise.
const DELTA: f64 = 1e-5;

/// The mechanisms that are compared, by id.
pub const MECHANISMS: [&str; 7] = [
    "laplace-vector",
    "privunit",
    "privunit-g",
    "coordinate-laplace",
    "gaussian-vector",
    "plan",
    "instance-optimal",
];

fn choose(mechanism: &str, epsilon: f64) -> Result<MechanismChoice, ParameterError> {
    let row = find(mechanism)?;
    let mut options = BuildOptions::default();
    if row.info.guarantee == "approximate" {
        options.delta = Some(Delta::new(DELTA)?);
    }
    Ok(MechanismChoice { row, epsilon: Epsilon::new(epsilon)?, options })
}

/// How vectors are reshaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// Not at all.
    Plain,
    /// Centred only.
    Centred,
    /// As the paper prints it.
    Printed,
    /// As the paper prints it, with a part left out.
    PrintedWithout(Ablation),
    /// As the paper prints it, with all directions to which the model can react as the task space.
    PrintedSafe,
    /// The same with so many percent of its clip radius.
    Clipped(u32),
    /// Balanced coordinates, chosen on public vectors.
    Fitted,
    /// The same with a part left out.
    Without(Ablation),
}

/// Vectors that are randomised and what the model should say about them.
#[derive(Debug, Clone, Copy)]
pub struct TestSet<'a> {
    /// What it is called in tables.
    pub name: &'a str,
    /// The private vectors.
    pub rows: &'a Rows,
    /// What is right.
    pub targets: Targets<'a>,
}

/// A model with its public sample.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// What the model is called in tables.
    pub name: &'a str,
    /// The public model.
    pub model: &'a Model,
    /// What is read from its scores.
    pub reading: Reading,
    /// The public vectors.
    pub public: &'a Rows,
    /// How many reports are averaged for one answer.
    pub people: usize,
    /// How often vectors are randomised.
    pub repetitions: usize,
}

impl Setting<'_> {
    /// Fits a recipe to a mechanism on the public sample and measures it on test sets.
    ///
    /// # Errors
    /// When something does not fit together.
    pub fn measure(
        &self,
        mechanism: &str,
        epsilon: f64,
        recipe: Recipe,
        tests: &[TestSet],
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<Row>, StudyError> {
        let reshaped = self.reshaped(mechanism, epsilon, recipe, rng)?;
        let evaluation = Evaluation { repetitions: self.repetitions, people: self.people };
        let mut rows = Vec::with_capacity(tests.len());
        for test in tests {
            let measured = evaluate(self.model, test.rows, test.targets, &reshaped, evaluation, rng)?;
            rows.push(Row {
                data: test.name.to_owned(),
                model: self.name.to_owned(),
                mechanism: mechanism.to_owned(),
                reshaped: reshaped.reshape().recipe().to_owned(),
                epsilon,
                people: self.people,
                metric: measured.metric.as_str(),
                value: measured.value,
                standard_error: measured.standard_error,
            });
        }
        Ok(rows)
    }

    /// A mechanism with a recipe around it.
    ///
    /// # Errors
    /// When something does not fit together.
    pub fn reshaped(
        &self,
        mechanism: &str,
        epsilon: f64,
        recipe: Recipe,
        rng: &mut dyn CryptoRng,
    ) -> Result<Reshaped, StudyError> {
        let choice = choose(mechanism, epsilon)?;
        Ok(Reshaped::new(self.reshape(recipe, &choice, rng)?, &choice)?)
    }

    fn reshape(
        &self,
        recipe: Recipe,
        choice: &MechanismChoice,
        rng: &mut dyn CryptoRng,
    ) -> Result<Reshape, ReshapeError> {
        let (public, row) = (self.public, choice.row);
        let printed = |space, rng: &mut dyn CryptoRng| {
            let reaction = Reaction::of_model(self.model, public, self.reading, rng)?;
            Reshape::printed(&reaction, public, space, row)
        };
        let fitted =
            |rng: &mut dyn CryptoRng| fit(self.model, self.reading, public, self.people, choice, rng);
        match recipe {
            Recipe::Plain => Reshape::plain(public, row),
            Recipe::Centred => Reshape::centred(public, row),
            Recipe::Printed => printed(TaskSpace::Seen, rng),
            Recipe::PrintedWithout(part) => printed(TaskSpace::Seen, rng)?.ablated(part, public, row, 1.0),
            Recipe::PrintedSafe => printed(TaskSpace::Anywhere, rng),
            Recipe::Clipped(percent) => {
                printed(TaskSpace::Anywhere, rng)?.with_share(f64::from(percent) / 100.0)
            }
            Recipe::Fitted => Ok(fitted(rng)?.reshape),
            Recipe::Without(ablation) => {
                let fitted = fitted(rng)?;
                fitted.reshape.ablated(ablation, public, row, fitted.share)
            }
        }
    }
}

/// Does all jobs, on as many threads as there are cores, and puts their rows together in order. Each job has a generator of
/// its own, from `seed` and its place.
///
/// # Errors
/// The first error of a job.
pub(super) fn all_rows<J: Sync>(
    jobs: &[J],
    seed: u64,
    work: impl Fn(&J, &mut Generator) -> Result<Vec<Row>, StudyError> + Sync,
) -> Result<Vec<Row>, StudyError> {
    let lists = crate::queue::in_order(jobs, |place, job| {
        let mut rng = Generator::from_insecure_seed(seed.wrapping_mul(1 << 32).wrapping_add(place as u64));
        work(job, &mut rng)
    });
    Ok(lists.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// Some of the rows of a table, and of what belongs to them, drawn without replacement.
pub(super) fn draw<T: Copy>(
    rows: &Rows,
    labels: &[T],
    count: usize,
    rng: &mut Generator,
) -> Result<(Rows, Vec<T>), StudyError> {
    let mut order: Vec<usize> = (0..rows.count()).collect();
    let count = count.min(order.len());
    for place in 0..count {
        let left =
            std::num::NonZeroU64::new((order.len() - place) as u64).unwrap_or(std::num::NonZeroU64::MIN);
        order.swap(place, place + privet_core::sampling::uniform_below(left, rng) as usize);
    }
    let values =
        order[..count].iter().flat_map(|&index| rows.get(index).unwrap_or_default().to_vec()).collect();
    let labels = order[..count].iter().map(|&index| labels[index]).collect();
    Ok((Rows::new(rows.dimension(), values)?, labels))
}
