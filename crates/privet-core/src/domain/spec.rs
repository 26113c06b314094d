//! Domains as people write them: `categories:red,green,blue`, `interval:0,1`.

use super::{Categories, Circle, Dimension, Domain, Interval, Rectangle, Values, Vectors, Words};
use crate::error::{InputError, ParameterError};
use std::fmt;
use std::str::FromStr;

/// Any domain, in the written form that the command line and policies use.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DomainSpec {
    /// `binary`, `categories:128` or `categories:red,green,blue`.
    Categories(Categories),
    /// `interval:0,1`.
    Interval(Interval),
    /// `circle:360`.
    Circle(Circle),
    /// `rectangle:0,2,0,10`: the ends of the first coordinate, then those of the second.
    Rectangle(Rectangle),
    /// `words:12`.
    Words(Words),
    /// `vector:64`.
    Vectors(Vectors),
}

impl DomainSpec {
    /// An empty column for values of this domain.
    pub fn empty_values(&self) -> Values {
        match self {
            Self::Categories(_) => Values::Categories(Vec::new()),
            Self::Interval(_) | Self::Circle(_) => Values::Numbers(Vec::new()),
            Self::Rectangle(_) => Values::Points(Vec::new()),
            Self::Words(_) => Values::Words(Vec::new()),
            Self::Vectors(domain) => {
                Values::Vectors { dimension: domain.dimension(), coordinates: Vec::new() }
            }
        }
    }

    /// Reads one written value into a column.
    ///
    /// # Errors
    /// When the text is no value of this domain's kind, or the column holds another kind.
    pub fn push_text(&self, text: &str, values: &mut Values) -> Result<(), InputError> {
        match (self, values) {
            (Self::Categories(domain), Values::Categories(values)) => values.push(domain.parse(text)?),
            (Self::Interval(domain), Values::Numbers(values)) => values.push(domain.parse(text)?),
            (Self::Circle(domain), Values::Numbers(values)) => values.push(domain.parse(text)?),
            (Self::Rectangle(domain), Values::Points(values)) => values.push(domain.parse(text)?),
            (Self::Words(domain), Values::Words(values)) => values.push(domain.parse(text)?),
            (Self::Vectors(domain), Values::Vectors { dimension, coordinates })
                if domain.dimension() == *dimension =>
            {
                domain.parse_into(text, coordinates)?;
            }
            _ => return Err(InputError::WrongKind { domain: self.to_string() }),
        }
        Ok(())
    }
}

impl fmt::Display for DomainSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Categories(domain) => domain.fmt(formatter),
            Self::Interval(domain) => domain.fmt(formatter),
            Self::Circle(domain) => domain.fmt(formatter),
            Self::Rectangle(domain) => domain.fmt(formatter),
            Self::Words(domain) => domain.fmt(formatter),
            Self::Vectors(domain) => domain.fmt(formatter),
        }
    }
}

impl FromStr for DomainSpec {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let wrong = |reason| ParameterError::DomainSyntax { got: text.to_owned(), reason };
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "binary" if rest.is_empty() => Ok(Self::Categories(Categories::new(2)?)),
            "categories" => categories(rest).map(Self::Categories),
            "words" => {
                let longest = rest.parse().map_err(|_| wrong("words need the longest length in bytes"))?;
                Ok(Self::Words(Words::new(longest)?))
            }
            "vector" => {
                let count =
                    rest.trim().parse().map_err(|_| wrong("a vector needs its number of coordinates"))?;
                Ok(Self::Vectors(Vectors::new(Dimension::new(count)?)))
            }
            "interval" => {
                let (low, high) = rest.split_once(',').ok_or_else(|| wrong("an interval needs two ends"))?;
                let ends = (low.trim().parse(), high.trim().parse());
                let (Ok(low), Ok(high)) = ends else { return Err(wrong("the ends must be numbers")) };
                Ok(Self::Interval(Interval::new(low, high)?))
            }
            "circle" => {
                let period = rest.trim().parse().map_err(|_| wrong("a circle needs its period"))?;
                Ok(Self::Circle(Circle::new(period)?))
            }
            "rectangle" => {
                let ends: Result<Vec<f64>, _> = rest.split(',').map(|end| end.trim().parse()).collect();
                let ends = ends.map_err(|_| wrong("the ends must be numbers"))?;
                let [low_a, high_a, low_b, high_b] = ends[..] else {
                    return Err(wrong("a rectangle needs four ends: low and high of each coordinate"));
                };
                let sides = [Interval::new(low_a, high_a)?, Interval::new(low_b, high_b)?];
                Ok(Self::Rectangle(Rectangle::new(sides)?))
            }
            _ => Err(wrong("the kind is not known")),
        }
    }
}

fn categories(text: &str) -> Result<Categories, ParameterError> {
    match text.parse::<u64>() {
        Ok(count) => Categories::of_count(count),
        Err(_) => Categories::with_labels(text.split(',').map(str::trim)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_domains_round_trip() {
        for text in [
            "binary",
            "categories:128",
            "categories:red,green,blue",
            "interval:-5,20",
            "circle:24",
            "rectangle:0,2,-5,10",
            "words:8",
            "vector:64",
        ] {
            assert_eq!(text.parse::<DomainSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn bad_domains_are_refused() {
        for text in [
            "",
            "binary:2",
            "categories:",
            "categories:1",
            "categories:a,a",
            "categories:a,,b",
            "interval:0",
            "interval:1,0",
            "interval:a,b",
            "circle:0",
            "circle:x",
            "rectangle:0,1",
            "rectangle:0,1,0,1,2",
            "rectangle:0,1,1,0",
            "rectangle:0,1,0,x",
            "rectangle:-1e308,0,0,1.7e308",
            "words:0",
            "words:99",
            "vector:",
            "vector:0",
            "vector:65537",
            "vector:1.5",
            "cube:3",
        ] {
            assert!(text.parse::<DomainSpec>().is_err(), "{text}");
        }
    }
}
