//! Energy of made-up households: 16 daily readings of many homes tell tomorrow's mean.
//!
//! The paper uses meters of 5 547 homes in London. This generator makes 5 500 homes and 800 days with the same features:
//!
//! ```text
//! reading(home, day) = level(home) exp(0.25 cos(2 pi day / 365.25) + city(day) + rhythm(home) week(day mod 7) + own(home, day))
//! level = exp(ln 0.18 + 0.6 normal)     rhythm = 1 + 0.6 normal
//! city(day) = 0.7 city(day - 1) + 0.05 normal     own(day) = 0.55 own(day - 1) + 0.22 normal
//! ```
//!
//! in kWh for half an hour, with a week that is higher at its end. The first 3 000 homes and 420 days are public: there an ordinary
//! least-squares model is fitted. The other 2 500 homes are private. Each sends one vector of 16 days, once: privacy is that of
//! the household. A hundred homes at a time have one day in common; their mean report predicts their mean reading of the next day.

use super::study::{MECHANISMS, Recipe, Setting, StudyError, TestSet, all_rows};
use super::table::Row;
use nalgebra::{DMatrix, DVector};
use privet_core::{Generator, Rng};
use privet_model::{Linear, Model};
use privet_vector::reshape::{Reading, Rows, Targets};

/// How many homes there are.
pub const HOMES: usize = 5500;
/// How many of them are public.
pub const PUBLIC_HOMES: usize = 3000;
/// How many days there are.
pub const DAYS: usize = 800;
/// How many of them are public.
pub const PUBLIC_DAYS: usize = 420;
/// How many days a vector has.
pub const LAGS: usize = 16;
/// How many homes are averaged.
pub const PEOPLE: usize = 100;

const WEEK: [f64; 7] = [-0.043, -0.043, -0.043, -0.043, -0.023, 0.077, 0.118];
/// On how many days a public home is seen.
const PUBLIC_WINDOWS: usize = 5;

/// The readings of all homes.
#[derive(Debug)]
pub struct Households {
    readings: Vec<f64>,
}

/// Vectors of past days with the readings that followed.
#[derive(Debug)]
pub struct Windows {
    /// The past.
    pub rows: Rows,
    /// What followed.
    pub next: Vec<f64>,
}

impl Households {
    /// Homes from the generator of the page.
    pub fn new(seed: u64) -> Self {
        let mut normal = Normal { rng: Generator::from_insecure_seed(seed), spare: None };
        let mut city = vec![0.0; DAYS];
        for day in 1..DAYS {
            city[day] = 0.7 * city[day - 1] + 0.05 * normal.draw();
        }
        let season = |day: usize| 0.25 * (std::f64::consts::TAU * day as f64 / 365.25).cos();
        let mut readings = Vec::with_capacity(HOMES * DAYS);
        for _ in 0..HOMES {
            let level = (0.18f64.ln() + 0.6 * normal.draw()).exp();
            let rhythm = 1.0 + 0.6 * normal.draw();
            let mut own = 0.0;
            for (day, city) in city.iter().enumerate() {
                own = 0.55 * own + 0.22 * normal.draw();
                readings.push(level * (season(day) + city + rhythm * WEEK[day % 7] + own).exp());
            }
        }
        Self { readings }
    }

    /// Groups of [`PEOPLE`] homes, each with a day of its own: public ones, or private ones.
    ///
    /// # Errors
    /// Never for this generator; its readings are finite.
    pub fn windows(&self, is_public: bool, rng: &mut Generator) -> Result<Windows, StudyError> {
        let (homes, days, windows) = if is_public {
            (0..PUBLIC_HOMES, LAGS..PUBLIC_DAYS, PUBLIC_WINDOWS)
        } else {
            (PUBLIC_HOMES..HOMES, PUBLIC_DAYS + LAGS..DAYS, 1)
        };
        let (mut values, mut next) = (Vec::new(), Vec::new());
        for _ in 0..windows {
            let homes: Vec<usize> = homes.clone().collect();
            for group in homes.chunks_exact(PEOPLE) {
                let day = days.start + (rng.next_u64() % days.len() as u64) as usize;
                for home in group {
                    let now = home * DAYS + day;
                    values.extend_from_slice(&self.readings[now - LAGS..now]);
                    next.push(self.readings[now]);
                }
            }
        }
        Ok(Windows { rows: Rows::new(LAGS, values)?, next })
    }
}

/// Ordinary least squares, of the next reading on the past ones.
///
/// # Errors
/// When the readings do not determine the weights.
pub fn regression(windows: &Windows) -> Result<Model, StudyError> {
    let count = windows.rows.count();
    let mut design = DMatrix::from_element(count, LAGS + 1, 1.0);
    for (index, row) in windows.rows.iter().enumerate() {
        design.row_mut(index).columns_mut(0, LAGS).copy_from_slice(row);
    }
    let squares = design.tr_mul(&design);
    let products = design.tr_mul(&DVector::from_row_slice(&windows.next));
    let solved = squares.cholesky().map(|factor| factor.solve(&products));
    let weights = solved.ok_or(privet_model::ModelError::NotFinite { what: "regression weights" })?;
    let (lags, intercept) = (weights.rows(0, LAGS).transpose(), weights[LAGS]);
    let lags = DMatrix::from_row_slice(1, LAGS, lags.as_slice());
    Ok(Model::Linear(Linear::new(lags, DVector::from_element(1, intercept))?))
}

/// The model with the public homes.
pub fn setting<'a>(model: &'a Model, public: &'a Windows, repetitions: usize) -> Setting<'a> {
    let (name, reading, people) = ("regression", Reading::Values, PEOPLE);
    Setting { name, model, reading, public: &public.rows, people, repetitions }
}

/// The study: root mean squared error of the mean prediction of a hundred homes.
///
/// # Errors
/// When something does not fit together.
pub fn study(repetitions: usize) -> Result<Vec<Row>, StudyError> {
    let homes = Households::new(1);
    let mut rng = Generator::from_insecure_seed(2);
    let (public, private) = (homes.windows(true, &mut rng)?, homes.windows(false, &mut rng)?);
    let model = regression(&public)?;
    let setting = setting(&model, &public, repetitions);
    let test = TestSet { name: "households", rows: &private.rows, targets: Targets::Values(&private.next) };
    let mut jobs = Vec::new();
    for mechanism in MECHANISMS {
        for epsilon in [0.5, 1.0, 2.5, 5.0, 7.5, 10.0] {
            for recipe in [Recipe::Centred, Recipe::Printed, Recipe::Fitted] {
                jobs.push((mechanism, epsilon, recipe));
            }
        }
    }
    all_rows(&jobs, 3, |&(mechanism, epsilon, recipe), rng| {
        setting.measure(mechanism, epsilon, recipe, &[test], rng)
    })
}

/// Normal numbers in pairs, by the method of Box and Muller. For made-up data only.
struct Normal {
    rng: Generator,
    spare: Option<f64>,
}

impl Normal {
    fn draw(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let unit = |word: u64| ((word >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let radius = (-2.0 * unit(self.rng.next_u64()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * unit(self.rng.next_u64())).sin_cos();
        self.spare = Some(radius * sine);
        radius * cosine
    }
}
