//! What kinds of value a question can ask for.

use crate::error::PolicyProblem;
use crate::written::{MOST_CATEGORIES, MOST_CELLS_OF_A_SIDE};
use privet_core::{
    BuildOptions, Categories, Delta, Domain, DomainSpec, Epsilon, InputError, ParameterError, Rectangle,
    Values,
};
use privet_estimators::PlaneEstimator;

/// What kind of value a question asks for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AttributeKind {
    /// A value of a domain, as it is.
    Value(DomainSpec),
    /// A place in a rectangle, of which a report tells something about its cell only: a grid with `side` cells along each side.
    /// Cells are counted along the first coordinate first.
    Place {
        /// Where places lie.
        rectangle: Rectangle,
        /// How many cells lie along each side.
        side: u32,
    },
    /// One place or a path of several, each reported by a mechanism on the rectangle itself. What is learned is the density of places
    /// on a grid, as for [`AttributeKind::Place`].
    Path {
        /// Where places lie.
        rectangle: Rectangle,
        /// How many cells lie along each side of the grid.
        side: u32,
        /// How many places each report has. A person with fewer reports the last one again, at its full price.
        places: u32,
    },
}

/// The whole numbers that a domain may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sizes {
    pub(crate) bins: Option<u32>,
    pub(crate) places: Option<u32>,
}

/// Epsilon is divided by the number of places: beyond this nothing is left.
pub(crate) const MOST_PLACES: u32 = 1024;

impl AttributeKind {
    /// The kind of a written domain. `on_places` says whether the mechanism is one on the rectangle itself.
    pub(crate) fn of(domain: DomainSpec, sizes: Sizes, on_places: bool) -> Result<Self, PolicyProblem> {
        if sizes.places.is_some() && !on_places {
            let reason =
                "a path of several places needs a rectangle and a mechanism on places, such as window-2d";
            return Err(PolicyProblem::Conflict { reason: reason.to_owned() });
        }
        match domain {
            DomainSpec::Rectangle(rectangle) => Self::in_rectangle(rectangle, sizes, on_places),
            DomainSpec::Categories(categories) if categories.count() > MOST_CATEGORIES => {
                let (max, got) = (u64::from(MOST_CATEGORIES), u64::from(categories.count()));
                Err(ParameterError::CategoryCount { min: 2, max, got }.into())
            }
            domain => Ok(Self::Value(domain)),
        }
    }

    fn in_rectangle(rectangle: Rectangle, sizes: Sizes, on_places: bool) -> Result<Self, PolicyProblem> {
        let (most, allowed) = if on_places {
            let allowed = "from 2 to 16 for a mechanism on places: the number of cells along each side";
            (PlaneEstimator::MOST_CELLS_OF_A_SIDE, allowed)
        } else {
            let allowed = "from 2 to 256 for a rectangle: the number of cells along each side";
            (MOST_CELLS_OF_A_SIDE, allowed)
        };
        let refused = |key: &'static str, allowed: &'static str, got: Option<u32>| PolicyProblem::Value {
            key,
            allowed,
            got: got.map_or("nothing".to_owned(), |got| got.to_string()),
        };
        let side = sizes.bins.filter(|side| (2..=most).contains(side));
        let side = side.ok_or_else(|| refused("bins", allowed, sizes.bins))?;
        if !on_places {
            return Ok(Self::Place { rectangle, side });
        }
        let places = sizes.places.unwrap_or(1);
        if !(1..=MOST_PLACES).contains(&places) {
            return Err(refused("places", "from 1 to 1024: how many places each report has", sizes.places));
        }
        Ok(Self::Path { rectangle, side, places })
    }

    /// The domain of the mechanism.
    pub(crate) fn inner_domain(&self) -> Result<DomainSpec, ParameterError> {
        match self {
            Self::Value(domain) => Ok(domain.clone()),
            Self::Place { side, .. } => {
                Ok(DomainSpec::Categories(Categories::new(side.saturating_mul(*side))?))
            }
            Self::Path { rectangle, .. } => Ok(DomainSpec::Rectangle(*rectangle)),
        }
    }

    /// The parameters of the mechanism.
    pub(crate) fn options(&self, delta: Option<Delta>, bins: Option<u32>) -> BuildOptions {
        let bins = bins.filter(|_| matches!(self, Self::Value(_)));
        BuildOptions { delta, bins }
    }

    /// How many reports of the mechanism make one report of the attribute.
    pub(crate) fn places(&self) -> u32 {
        match self {
            Self::Path { places, .. } => *places,
            _ => 1,
        }
    }

    /// The epsilon of each of these reports: the largest of which so many are not above the whole.
    pub(crate) fn epsilon_of_each(&self, whole: Epsilon) -> Result<Epsilon, ParameterError> {
        whole.divided(self.places())
    }

    /// A written value as the mechanism takes it, checked.
    pub(crate) fn parse(&self, text: &str) -> Result<Values, InputError> {
        match self {
            Self::Value(domain) => {
                let mut values = domain.empty_values();
                domain.push_text(text, &mut values)?;
                check(domain, &values)?;
                Ok(values)
            }
            Self::Place { rectangle, side } => {
                let place = rectangle.parse(text)?;
                rectangle.check(&place)?;
                let cell = |axis: usize| {
                    let ends = rectangle.sides()[axis];
                    let share = (place[axis] - ends.low()) / ends.width();
                    ((share * f64::from(*side)) as u32).min(side - 1)
                };
                Ok(Values::Categories(vec![cell(1) * side + cell(0)]))
            }
            Self::Path { rectangle, places, .. } => parse_path(rectangle, *places, text),
        }
    }
}

/// Exactly `places` places: the last one again where fewer are written.
fn parse_path(rectangle: &Rectangle, places: u32, text: &str) -> Result<Values, InputError> {
    let most = places as usize;
    let written = text.split(';').take(most + 1).map(|place| {
        let place = rectangle.parse(place)?;
        rectangle.check(&place)?;
        Ok(place)
    });
    let mut path = written.collect::<Result<Vec<_>, InputError>>()?;
    match path.last() {
        Some(last) if path.len() <= most => {
            path.resize(most, *last);
            Ok(Values::Points(path))
        }
        _ => Err(InputError::Places { most: places }),
    }
}

/// Refuses values outside the domain before anything is drawn or spent.
fn check(domain: &DomainSpec, values: &Values) -> Result<(), InputError> {
    fn all<D: Domain>(domain: &D, values: &Values) -> Result<(), InputError> {
        let wrong_kind = || InputError::WrongKind { domain: domain.to_string() };
        D::select(values).ok_or_else(wrong_kind)?.iter().try_for_each(|value| domain.check(value))
    }
    match domain {
        DomainSpec::Categories(domain) => all(domain, values),
        DomainSpec::Interval(domain) => all(domain, values),
        DomainSpec::Circle(domain) => all(domain, values),
        DomainSpec::Rectangle(domain) => all(domain, values),
        DomainSpec::Words(domain) => all(domain, values),
        DomainSpec::Vectors(domain) => match values {
            Values::Vectors { coordinates, .. } => domain.check(coordinates),
            _ => Err(InputError::WrongKind { domain: domain.to_string() }),
        },
        other => Err(InputError::WrongKind { domain: other.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(places: u32) -> AttributeKind {
        let sizes = Sizes { bins: Some(4), places: Some(places) };
        AttributeKind::of("rectangle:0,1,0,2".parse().unwrap(), sizes, true).unwrap()
    }

    #[test]
    fn paths_have_one_length() {
        let points = |text: &str| match path(3).parse(text) {
            Ok(Values::Points(points)) => Ok(points),
            Ok(_) => panic!(),
            Err(error) => Err(error.to_string()),
        };
        assert_eq!(points("0,0; 1,2;0.5 1").unwrap(), [[0.0, 0.0], [1.0, 2.0], [0.5, 1.0]]);
        assert_eq!(points("0,0;1,2").unwrap(), [[0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]);
        assert_eq!(
            points("0,0;0,0;0,0;0,0").unwrap_err().split(',').next(),
            Some("a path has between 1 and 3 places")
        );
        for wrong in ["", ";", "0,0;", "0,0;5,0", "0,0;NaN,0", "inf,0", "0;0", "0,0,0"] {
            assert!(points(wrong).unwrap_err().contains("outside the domain"), "{wrong}");
        }
    }

    /// Against an independent script in exact fractions.
    #[test]
    fn parts_of_epsilon_are_the_largest_that_fit() {
        let golden: serde_json::Value = serde_json::from_str(include_str!("../golden/kinds.json")).unwrap();
        for row in golden["places"].as_array().unwrap() {
            let whole = Epsilon::new(row["whole"].as_f64().unwrap()).unwrap();
            let each = path(row["places"].as_u64().unwrap() as u32).epsilon_of_each(whole).unwrap();
            assert_eq!(Some(each.get()), row["each"].as_f64(), "{row}");
        }
    }

    proptest! {
        /// In integers: mantissas of 53 bits times a number of 11 bits.
        #[test]
        fn places_never_cost_more_than_the_whole(places in 1u32..=MOST_PLACES, whole in 1e-6f64..1000.0) {
            let each = path(places).epsilon_of_each(Epsilon::new(whole).unwrap()).unwrap().get();
            let exact = |number: f64| {
                let bits = number.to_bits();
                (u128::from(bits & ((1 << 52) - 1) | 1 << 52), (bits >> 52) as u32)
            };
            let fits = |each: f64| {
                let ((part, small), (all, large)) = (exact(each), exact(whole));
                part * u128::from(places) <= all << (large - small)
            };
            prop_assert!(fits(each));
            prop_assert!(!fits(each.next_up().next_up()));
        }
    }
}
