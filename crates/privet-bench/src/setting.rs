//! The parameters and the people of all benchmarks.

use privet::domain::Word;
use privet::{
    BuildOptions, Delta, DomainSpec, Epsilon, Interval, MechanismInfo, ParameterError, Rectangle, Values,
};

const CATEGORIES: u32 = 128;

/// How many people there are at once.
pub(crate) const BATCH: usize = 1 << 16;

/// As [`BATCH`], for vectors: each has many numbers.
pub(crate) const VECTOR_BATCH: usize = 1 << 11;

pub(crate) fn epsilon() -> Result<Epsilon, ParameterError> {
    Epsilon::new(1.0)
}

pub(crate) fn square() -> Result<Rectangle, ParameterError> {
    let side = Interval::new(0.0, 1.0)?;
    Rectangle::new([side, side])
}

/// The domain on which a mechanism is measured.
pub(crate) fn domain_of(info: &MechanismInfo) -> Result<DomainSpec, ParameterError> {
    let written = match info.domain {
        "categories" => "categories:128",
        "words" => "words:8",
        "interval" => "interval:0,1",
        "circle" => "circle:1",
        "rectangle" => "rectangle:0,1,0,1",
        "vector" => "vector:64",
        other => other,
    };
    written.parse()
}

/// The options without which some mechanisms cannot be made.
pub(crate) fn options_of(info: &MechanismInfo) -> Result<BuildOptions, ParameterError> {
    let delta = if info.guarantee == "pure" { None } else { Some(Delta::new(1e-6)?) };
    Ok(BuildOptions { delta, ..BuildOptions::default() })
}

/// Made-up people's values.
pub(crate) fn values_in(domain: &DomainSpec) -> Values {
    let people = 0..BATCH as u32;
    match domain {
        DomainSpec::Words(_) => Values::Words(people.map(word).collect()),
        DomainSpec::Rectangle(_) => Values::Points(people.map(place).collect()),
        DomainSpec::Categories(categories) => {
            Values::Categories(people.map(|person| category(person) % categories.count()).collect())
        }
        DomainSpec::Vectors(vectors) => {
            let dimension = vectors.dimension();
            let numbers = 0..(VECTOR_BATCH * dimension.get()) as u32;
            Values::Vectors { dimension, coordinates: numbers.map(|index| fraction(index) - 0.5).collect() }
        }
        // Intervals and circles, which are as wide as the numbers are.
        _ => Values::Numbers(people.map(fraction).collect()),
    }
}

/// Steps of an odd number visit all categories, in an order that no branch predictor expects.
fn category(person: u32) -> u32 {
    person.wrapping_mul(0x9e37_79b9) >> (u32::BITS - CATEGORIES.trailing_zeros())
}

fn word(person: u32) -> Word {
    Word::new(&format!("w{:05}", category(person))).unwrap_or_default()
}

/// Numbers from 0 to 1, in such an order too.
pub(crate) fn fraction(person: u32) -> f64 {
    f64::from(person.wrapping_mul(0x9e37_79b9)) * 2f64.powi(-32)
}

pub(crate) fn place(person: u32) -> [f64; 2] {
    [fraction(person), fraction(person.wrapping_mul(0x85eb_ca6b) ^ 0x2f0b)]
}
