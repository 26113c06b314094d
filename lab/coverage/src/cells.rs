//! Which cells are looked at: a covering design, not all of them.
//!
//! Within each family every two of mechanism, epsilon, number of people and population meet in some cell. A cell is chosen if a
//! sum of its places in these lists is divisible by a number: no chance, and lists may grow.

use crate::family::{Categories, CategoryCase, Experiment, LatticeCase, Numbers, Places, Vectors, Words};
use crate::population::{Data, Holders, Population};
use anyhow::Result;
use privet_core::Target;
use std::collections::HashMap;
use std::fmt;

/// What people may be asked with.
pub const EPSILONS: [f64; 6] = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0];
/// How many of them there are.
pub const PEOPLE: [u64; 5] = [50, 200, 2_000, 20_000, 200_000];

/// One cell of the laboratory.
pub struct Cell {
    /// `numbers`, `angles`, `categories`, `places`, `words`, `vectors` or `lotteries`.
    pub family: &'static str,
    /// The mechanism.
    pub mechanism: &'static str,
    /// Its epsilon.
    pub epsilon: f64,
    /// How many people.
    pub n: u64,
    /// Which people.
    pub population: String,
    /// Whom the estimate is about.
    pub target: Target,
    make: Box<dyn Fn() -> Result<Box<dyn Experiment>> + Send + Sync>,
}

impl fmt::Debug for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name())
    }
}

impl Cell {
    /// The name by which seeds are chosen: changing one cell changes no other.
    pub fn name(&self) -> String {
        let Self { family, mechanism, epsilon, n, population, target, .. } = self;
        format!("{family} {mechanism} epsilon {epsilon} n {n} {population} {}", target.as_str())
    }

    /// A cell around some experiment, for tests of verdicts.
    #[cfg(test)]
    pub(crate) fn of(
        family: &'static str,
        make: impl Fn() -> Result<Box<dyn Experiment>> + Send + Sync + 'static,
    ) -> Self {
        let (population, target) = (String::new(), Target::Reported);
        Self { family, mechanism: "", epsilon: 1.0, n: 1, population, target, make: Box::new(make) }
    }

    /// Prepares the collection.
    ///
    /// # Errors
    /// When the mechanism cannot be built.
    pub fn experiment(&self) -> Result<Box<dyn Experiment>> {
        (self.make)()
    }
}

/// Mechanisms on categories of which reports are drawn one by one: what they count is not a count of categories.
const HASHED: [&str; 2] = ["rappor", "count-mean-sketch"];

/// The registry's mechanisms on a domain.
pub fn mechanisms_on(domain: &str) -> Vec<&'static str> {
    let rows = privet_mechanisms::registry::ROWS.iter();
    rows.filter(|row| row.info.domain == domain).map(|row| row.info.id).collect()
}

/// All cells.
pub fn all(data: &Data) -> Vec<Cell> {
    let mut cells = numbers(data);
    cells.extend(angles(data));
    cells.extend(categories(data));
    cells.extend(places(data));
    cells.extend(words());
    cells.extend(vectors());
    cells.extend(lotteries());
    cells
}

/// A few cells of each family, of collections that are quick to draw. Brackets of places take long, so there is one of them.
pub fn bounded(data: &Data) -> Vec<Cell> {
    const ONE_OF: usize = 31;
    let quick = all(data).into_iter().filter(|cell| cell.n <= 20_000 && !cell.population.ends_with("5000"));
    let mut counts: HashMap<&'static str, usize> = HashMap::new();
    let is_chosen = |cell: &Cell| {
        let count = counts.entry(cell.family).or_default();
        *count += 1;
        *count % ONE_OF == 1 && (cell.family != "places" || *count == 1)
    };
    quick.filter(is_chosen).collect()
}

/// The target of a cell: every third one is about the population that people were drawn from.
fn target_of(index: usize) -> Target {
    if index % 3 == 2 { Target::Population } else { Target::Reported }
}

/// Every choice of mechanism, epsilon, number of people and population, by their places.
fn choices(counts: [usize; 4]) -> impl Iterator<Item = [usize; 4]> {
    let [mechanisms, epsilons, people, populations] = counts;
    (0..mechanisms * epsilons * people * populations).map(move |index| {
        let (rest, population) = (index / populations, index % populations);
        let (rest, n) = (rest / people, rest % people);
        [rest / epsilons, rest % epsilons, n, population]
    })
}

fn numbers(data: &Data) -> Vec<Cell> {
    let mut populations = Population::of_numbers();
    populations.extend(data.numbers.iter().cloned());
    of_lattice("numbers", &mechanisms_on("interval"), &populations, |[m, e, k, p]| {
        (m + 2 * e + 3 * k + p) % 7 == 0
    })
}

fn angles(data: &Data) -> Vec<Cell> {
    let mut populations = Population::of_angles();
    populations.extend(data.angles.iter().cloned());
    of_lattice("angles", &mechanisms_on("circle"), &populations, |[m, e, k, p]| (m + e + 2 * k + p) % 3 == 0)
}

fn of_lattice(
    family: &'static str,
    ids: &[&'static str],
    populations: &[Population],
    is_chosen: impl Fn([usize; 4]) -> bool,
) -> Vec<Cell> {
    let counts = [ids.len(), EPSILONS.len(), PEOPLE.len(), populations.len()];
    let chosen = choices(counts).filter(|places| is_chosen(*places));
    // One target for all populations, which then share what is designed.
    let cell = |[m, e, k, p]: [usize; 4]| {
        let target = target_of(m + e + k);
        lattice(
            family,
            LatticeCase { id: ids[m], epsilon: EPSILONS[e], n: PEOPLE[k], target, is_lottery: false },
            &populations[p],
        )
    };
    chosen.map(cell).collect()
}

fn lattice(family: &'static str, case: LatticeCase<'static>, population: &Population) -> Cell {
    let people = population.clone();
    Cell {
        family,
        mechanism: case.id,
        epsilon: case.epsilon,
        n: case.n,
        population: population.name.clone(),
        target: case.target,
        make: Box::new(move || Ok(Box::new(Numbers::new(case, &people)?))),
    }
}

fn category(family: &'static str, case: CategoryCase<'static>, holders: &Holders) -> Cell {
    let people = holders.clone();
    Cell {
        family,
        mechanism: case.id,
        epsilon: case.epsilon,
        n: case.n,
        population: holders.name.clone(),
        target: case.target,
        make: Box::new(move || Ok(Box::new(Categories::new(case, &people)?))),
    }
}

fn categories(data: &Data) -> Vec<Cell> {
    let mut ids = mechanisms_on("binary");
    ids.extend(mechanisms_on("categories"));
    ids.retain(|id| !HASHED.contains(id));
    ids.extend(Categories::MEMOIZED);
    let mut populations: Vec<Holders> = [2, 5, 20, 100, 5_000].map(Holders::of_categories).concat();
    populations.extend(data.holders.iter().cloned());
    let counts = [ids.len(), EPSILONS.len(), PEOPLE.len(), populations.len()];
    let chosen = choices(counts).filter(|[m, e, k, p]| {
        let size = populations[*p].shares.len();
        // Two answers only, tables that are written out, and sets of thousands of bits.
        let largest = match ids[*m] {
            "randomized-response" => 2,
            "ordered-exponential" | "subset-selection" => 100,
            _ => usize::MAX,
        };
        (m + 2 * e + 3 * k + p) % 7 == 0 && size <= largest
    });
    let cell = |(index, [m, e, k, p]): (usize, [usize; 4])| {
        let target = target_of(index);
        let case = CategoryCase { id: ids[m], epsilon: EPSILONS[e], n: PEOPLE[k], target, is_lottery: false };
        category("categories", case, &populations[p])
    };
    chosen.enumerate().map(cell).collect()
}

fn places(data: &Data) -> Vec<Cell> {
    let ids = mechanisms_on("rectangle");
    let mut populations: Vec<String> = Places::POPULATIONS.map(str::to_owned).to_vec();
    populations.extend(data.places.iter().map(|(name, _)| name.clone()));
    let counts = [ids.len(), EPSILONS.len(), PEOPLE.len(), populations.len()];
    let chosen = choices(counts).filter(|[m, e, k, p]| (m + e + k + p) % 2 == 0);
    let cell = |[m, e, k, p]: [usize; 4]| {
        let (id, epsilon, n, target) = (ids[m], EPSILONS[e], PEOPLE[k], target_of(e + k));
        let name = populations[p].clone();
        let known = data.places.iter().find(|(known, _)| *known == name).map(|(_, places)| places.clone());
        let population = name.clone();
        let people = move || match &known {
            Some(places) => (0..n as usize).map(|index| places[index * 7 % places.len()]).collect(),
            None => Places::people_of(&name, n),
        };
        let make = move || Ok(Box::new(Places::new(id, epsilon, people(), target)?) as Box<dyn Experiment>);
        Cell { family: "places", mechanism: id, epsilon, n, population, target, make: Box::new(make) }
    };
    chosen.map(cell).collect()
}

fn words() -> Vec<Cell> {
    const PEOPLE: [u64; 3] = [200, 2_000, 20_000];
    let ids: Vec<&'static str> = mechanisms_on("words").into_iter().chain(HASHED).collect();
    let chosen = choices([ids.len(), EPSILONS.len(), PEOPLE.len(), Words::POPULATIONS.len()])
        .filter(|[m, e, k, p]| (m + e + k + p) % 4 == 0);
    let cell = |(index, [m, e, k, p]): (usize, [usize; 4])| {
        let population = Words::POPULATIONS[p];
        let (id, epsilon, n, target) = (ids[m], EPSILONS[e], PEOPLE[k], target_of(index));
        Cell {
            family: "words",
            mechanism: id,
            epsilon,
            n,
            population: population.to_owned(),
            target,
            make: Box::new(move || Ok(Box::new(Words::new(id, epsilon, n, population, target)?))),
        }
    };
    chosen.enumerate().map(cell).collect()
}

fn vectors() -> Vec<Cell> {
    let ids = Vectors::mechanisms();
    let counts = [ids.len(), EPSILONS.len(), PEOPLE.len() - 1, Vectors::POPULATIONS.len()];
    let chosen = choices(counts).filter(|[m, e, k, p]| (m + e + k + p) % 6 == 0);
    let cell = |(index, [m, e, k, p]): (usize, [usize; 4])| {
        let (mechanism, population) = (ids[m], Vectors::POPULATIONS[p]);
        let (epsilon, n, target) = (EPSILONS[e], PEOPLE[k], target_of(index));
        Cell {
            family: "vectors",
            mechanism,
            epsilon,
            n,
            population: population.to_owned(),
            target,
            make: Box::new(move || Ok(Box::new(Vectors::new(mechanism, epsilon, population, n, target)?))),
        }
    };
    chosen.enumerate().map(cell).collect()
}

/// Half of the people, at random, report; the estimate is about all of them.
fn lotteries() -> Vec<Cell> {
    const ON_NUMBERS: [&str; 3] = ["piecewise", "square-wave", "optimal-piecewise"];
    const ON_CATEGORIES: [&str; 3] =
        ["generalized-randomized-response", "optimized-local-hashing", "ordered-exponential"];
    const PEOPLE: [u64; 4] = [50, 200, 2_000, 20_000];
    let (target, is_lottery) = (Target::Reported, true);
    let populations = Population::of_numbers();
    let of_numbers = choices([ON_NUMBERS.len(), EPSILONS.len(), PEOPLE.len(), populations.len()])
        .filter(|[m, e, k, p]| (m + e + 2 * k + p) % 6 == 0)
        .map(|[m, e, k, p]| {
            let case =
                LatticeCase { id: ON_NUMBERS[m], epsilon: EPSILONS[e], n: PEOPLE[k], target, is_lottery };
            lattice("lotteries", case, &populations[p])
        });
    let holders: Vec<Holders> = [2, 20].map(Holders::of_categories).concat();
    let of_categories = choices([ON_CATEGORIES.len(), EPSILONS.len(), PEOPLE.len(), holders.len()])
        .filter(|[m, e, k, p]| (m + e + 2 * k + p) % 5 == 0)
        .map(|[m, e, k, p]| {
            let case =
                CategoryCase { id: ON_CATEGORIES[m], epsilon: EPSILONS[e], n: PEOPLE[k], target, is_lottery };
            category("lotteries", case, &holders[p])
        });
    of_numbers.chain(of_categories).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashSet};

    /// As if there were all data sets.
    fn cells() -> Vec<Cell> {
        let made_up = |name: &str| Population { name: name.into(), ..Population::point(0.4) };
        let holders = |name: &str| Holders { name: name.into(), shares: vec![0.3, 0.7] };
        all(&Data {
            numbers: ["a", "b", "c", "d", "e"].map(made_up).to_vec(),
            angles: vec![made_up("f")],
            holders: ["g", "h", "i", "j"].map(holders).to_vec(),
            places: ["k", "l"].map(|name| (name.to_owned(), vec![[0.5, 0.5]])).to_vec(),
            missing: Vec::new(),
        })
    }

    #[test]
    fn the_design_is_not_too_large_and_no_cell_is_twice() {
        let cells = cells();
        assert!(cells.len() <= 3000, "{}", cells.len());
        let names: HashSet<String> = cells.iter().map(Cell::name).collect();
        assert_eq!(names.len(), cells.len());
        let few = bounded(&Data::default());
        let families: BTreeSet<&str> = few.iter().map(|cell| cell.family).collect();
        assert!(few.len() <= 100 && families.len() == 7, "{} {families:?}", few.len());
    }

    /// A mechanism that is new in the registry is in the laboratory, or this fails.
    #[test]
    fn every_mechanism_with_an_estimator_is_looked_at() {
        let seen: HashSet<&str> = cells().iter().map(|cell| cell.mechanism).collect();
        for row in privet_estimators::registry::ROWS {
            assert!(seen.contains(row.id), "{}", row.id);
        }
    }

    #[test]
    fn any_two_of_mechanism_epsilon_people_and_population_meet() {
        let cells = cells();
        for family in ["numbers", "angles", "categories", "places", "words", "vectors"] {
            let of_family: Vec<[String; 4]> = cells
                .iter()
                .filter(|cell| cell.family == family)
                .map(|cell| {
                    [
                        cell.mechanism.to_owned(),
                        cell.epsilon.to_string(),
                        cell.n.to_string(),
                        cell.population.clone(),
                    ]
                })
                .collect();
            let names = |at: usize| of_family.iter().map(|factors| &factors[at]).collect::<BTreeSet<_>>();
            for (one, two) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let met: HashSet<(&String, &String)> =
                    of_family.iter().map(|factors| (&factors[one], &factors[two])).collect();
                for pair in names(one).into_iter().flat_map(|a| names(two).into_iter().map(move |b| (a, b))) {
                    // Not every mechanism has every number of categories.
                    let is_excused = (one, two) == (0, 3)
                        && ["randomized-response", "ordered-exponential", "subset-selection"]
                            .contains(&pair.0.as_str());
                    assert!(met.contains(&pair) || is_excused, "{family}: {pair:?}");
                }
            }
        }
    }
}
