//! Whom intervals are tried on.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// People on a domain from 0 to 1, as shares of finitely many values.
#[derive(Debug, Clone)]
pub struct Population {
    /// What it is called.
    pub name: String,
    /// Values with their shares, which add up to one, from the lowest value on.
    pub atoms: Vec<(f64, f64)>,
}

/// People who hold categories.
#[derive(Debug, Clone)]
pub struct Holders {
    /// What they are called.
    pub name: String,
    /// The share of each category.
    pub shares: Vec<f64>,
}

/// Everything that was found in the data sets, and what was not.
#[derive(Debug, Default)]
pub struct Data {
    /// Columns of numbers.
    pub numbers: Vec<Population>,
    /// Columns of angles.
    pub angles: Vec<Population>,
    /// Columns of yes and no.
    pub holders: Vec<Holders>,
    /// Places.
    pub places: Vec<(String, Vec<[f64; 2]>)>,
    /// Columns that could not be read, with the reason.
    pub missing: Vec<String>,
}

/// Smooth populations are so many values.
const FINE: usize = 128;

impl Population {
    /// From values with any weights.
    pub fn new(name: impl Into<String>, mut atoms: Vec<(f64, f64)>) -> Self {
        atoms.sort_by(|one, two| one.0.total_cmp(&two.0));
        let total: f64 = atoms.iter().map(|(_, weight)| weight).sum();
        atoms.iter_mut().for_each(|(_, weight)| *weight /= total);
        Self { name: name.into(), atoms }
    }

    fn of_density(name: &str, density: impl Fn(f64) -> f64) -> Self {
        let middle = |index: usize| (index as f64 + 0.5) / FINE as f64;
        Self::new(name, (0..FINE).map(|index| (middle(index), density(middle(index)))).collect())
    }

    /// Everybody at one value.
    pub fn point(value: f64) -> Self {
        Self::new(format!("all at {value}"), vec![(value, 1.0)])
    }

    /// Those that every mechanism on numbers is tried on. Nodes of the channels' lattices are at dyadic fractions, so 0, .25, .5 and 1 are
    /// nodes and .7 lies between two.
    pub fn of_numbers() -> Vec<Self> {
        let mut all: Vec<Self> = [0.0, 0.25, 0.5, 0.7, 1.0].map(Self::point).to_vec();
        all.push(Self::new("two spikes", vec![(0.25, 0.4), (0.75, 0.6)]));
        let mut zeros = Self::of_density("", |x| x * (1.0 - x)).atoms;
        zeros.iter_mut().for_each(|(_, share)| *share *= 0.6);
        zeros.push((0.0, 0.4));
        all.push(Self::new("40 % zeros", zeros));
        all.push(Self::of_density("uniform", |_| 1.0));
        all.push(Self::of_density("beta(5,2)", |x| x.powi(4) * (1.0 - x)));
        all.push(Self::of_density("beta(.5,.5)", |x| (x * (1.0 - x)).powf(-0.5)));
        // Whole years of age, which lie on the edges of bins.
        let age = |year: u32| (f64::from(year) / 120.0, (1.0 - (f64::from(year) / 105.0).powi(3)).max(0.0));
        let ages = (0..=120).map(age).filter(|(_, weight)| *weight > 0.0).collect();
        all.push(Self::new("ages 0 to 120", ages));
        all
    }

    /// Those that every mechanism on angles is tried on, as parts of a turn.
    pub fn of_angles() -> Vec<Self> {
        let even = (0..120).map(|index| (f64::from(index) / 120.0, 1.0)).collect();
        let spread = (0..60).map(|i| (0.2 + f64::from(i) / 120.0, 1.0 + f64::from(i % 7))).collect();
        vec![
            Self::new("uniform", even),
            Self::point(0.3),
            Self::new("two opposite points", vec![(0.125, 0.5), (0.625, 0.5)]),
            Self::new("spread", spread),
        ]
    }

    /// As many values as there are, or the quantiles of them.
    fn of_values(name: &str, mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |index: usize| values[(2 * index + 1) * values.len() / (2 * FINE)];
        let mut atoms: Vec<(f64, f64)> = Vec::new();
        for value in (0..FINE).map(at) {
            match atoms.last_mut() {
                Some((last, weight)) if *last == value => *weight += 1.0,
                _ => atoms.push((value, 1.0)),
            }
        }
        Self::new(name, atoms)
    }
}

impl Holders {
    /// Everybody holds the second of some categories; the i-th one is held by a share proportional to 1/i; all alike.
    pub fn of_categories(categories: usize) -> Vec<Self> {
        let with = |name: &str, weight: &dyn Fn(usize) -> f64| {
            let total: f64 = (0..categories).map(weight).sum();
            let shares = (0..categories).map(|index| weight(index) / total).collect();
            Self { name: format!("{name} of {categories}"), shares }
        };
        vec![
            with("one value", &|index| f64::from(u8::from(index == 1))),
            with("Zipf", &|index| 1.0 / (index + 1) as f64),
            with("uniform", &|_| 1.0),
        ]
    }
}

/// How many of `n` people have each share: the nearest whole numbers that add up.
pub fn whole_people(shares: &[f64], n: u64) -> Vec<u64> {
    let (mut up_to, mut given) = (0.0, 0);
    let count = |share: &f64| {
        up_to += share;
        let all = ((up_to * n as f64).round() as u64).min(n);
        let here = all - given;
        given = all;
        here
    };
    shares.iter().map(count).collect()
}

impl Data {
    /// Reads a column of each data set, as far as they are there.
    pub fn read() -> Self {
        let mut data = Self::default();
        for (file, column) in [
            ("motionsense/series.csv", "acc_x_norm01"),
            ("classifiers/stroke.csv", "age"),
            ("classifiers/bank.csv", "EstimatedSalary"),
            ("classifiers/mnist_7x7.csv", "p33"),
            ("trajectories/tky_locations.csv", "u_lat"),
        ] {
            if let Some([values]) = data.columns(file, [column]) {
                let inside = values.into_iter().map(|value| value.clamp(0.0, 1.0)).collect();
                data.numbers.push(Population::of_values(&format!("{file} {column}"), inside));
            }
        }
        if let Some([angles]) = data.columns("motionsense/series.csv", ["roll_mod_2pi"]) {
            let turns = angles.into_iter().map(|angle| (angle / std::f64::consts::TAU).rem_euclid(1.0));
            data.angles.push(Population::of_values("motionsense/series.csv roll", turns.collect()));
        }
        for file in ["jrr/census.csv", "jrr/kosarak.csv", "jrr/amazon.csv", "jrr/ecommerce.csv"] {
            if let Some([values]) = data.columns(file, ["value"]) {
                let yes = values.iter().sum::<f64>() / values.len() as f64;
                data.holders.push(Holders { name: file.to_owned(), shares: vec![1.0 - yes, yes] });
            }
        }
        for file in ["trajectories/tky_locations.csv", "trajectories/chi_locations.csv"] {
            if let Some([north, east]) = data.columns(file, ["u_lat", "v_lon"]) {
                let places = east.into_iter().zip(north).map(|(x, y)| [x, y].map(|at| at.clamp(0.0, 1.0)));
                data.places.push((file.to_owned(), places.collect()));
            }
        }
        data
    }

    /// Some columns of a file; where that fails it is noted.
    fn columns<const N: usize>(&mut self, file: &str, columns: [&str; N]) -> Option<[Vec<f64>; N]> {
        let read = read_columns(file, columns);
        if let Err(error) = &read {
            self.missing.push(format!("{file}: {error:#}"));
        }
        read.ok()
    }
}

/// Columns of a data set.
fn read_columns<const N: usize>(file: &str, columns: [&str; N]) -> Result<[Vec<f64>; N]> {
    let folder =
        std::env::var_os("PRIVET_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let mut reader = csv::Reader::from_path(folder.join(file))?;
    let header = reader.headers()?.clone();
    let mut places = [0; N];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = header.iter().position(|name| name == column).context("no such column")?;
    }
    let mut values = [const { Vec::new() }; N];
    for record in reader.records() {
        let record = record?;
        for (values, place) in values.iter_mut().zip(places) {
            values.push(record.get(place).context("a short row")?.parse::<f64>()?);
        }
    }
    if values.iter().any(Vec::is_empty) {
        bail!("no rows");
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_whole_and_all_there() {
        for population in Population::of_numbers() {
            let shares: Vec<f64> = population.atoms.iter().map(|(_, share)| *share).collect();
            for n in [1, 50, 20_000] {
                assert_eq!(whole_people(&shares, n).iter().sum::<u64>(), n, "{}", population.name);
            }
        }
    }
}
