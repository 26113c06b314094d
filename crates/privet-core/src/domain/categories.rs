//! A finite set of categories, with or without names.

use super::{Domain, DomainSpec, Values};
use crate::error::{InputError, ParameterError};
use crate::fingerprint::FingerprintBuilder;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Two or more categories, in a public order. A value is the index of a category.
#[derive(Clone, PartialEq)]
pub struct Categories {
    count: u32,
    labels: Option<Arc<Labels>>,
}

#[derive(PartialEq)]
struct Labels {
    names: Vec<String>,
    index: HashMap<String, u32>,
}

impl Categories {
    /// The largest number of categories.
    pub const MAX: u32 = 1 << 30;

    /// Categories without names: 0, 1, .., count - 1.
    ///
    /// # Errors
    /// When there are fewer than two, or more than [`Categories::MAX`].
    pub fn new(count: u32) -> Result<Self, ParameterError> {
        if (2..=Self::MAX).contains(&count) {
            Ok(Self { count, labels: None })
        } else {
            Err(category_count(u64::from(count)))
        }
    }

    /// As [`Categories::new`], for a number that may be too large.
    pub(super) fn of_count(count: u64) -> Result<Self, ParameterError> {
        u32::try_from(count).map_or_else(|_| Err(category_count(count)), Self::new)
    }

    /// Categories with names.
    ///
    /// # Errors
    /// When there are fewer than two, a name is empty, or a name is given twice.
    pub fn with_labels<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Result<Self, ParameterError> {
        let names: Vec<String> = labels.into_iter().map(Into::into).collect();
        let unnamed = Self::of_count(names.len() as u64)?;
        let mut index = HashMap::with_capacity(names.len());
        for (position, name) in (0u32..).zip(&names) {
            if name.is_empty() {
                return Err(ParameterError::EmptyLabel);
            }
            if index.insert(name.clone(), position).is_some() {
                return Err(ParameterError::DuplicateLabel { label: name.clone() });
            }
        }
        Ok(Self { labels: Some(Arc::new(Labels { names, index })), ..unnamed })
    }

    /// How many categories there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether the categories have names; without them, they are called by their index in digits.
    pub fn has_labels(&self) -> bool {
        self.labels.is_some()
    }

    /// The name of a category: its label, or its index in digits.
    pub fn label(&self, index: u32) -> String {
        match &self.labels {
            Some(labels) => labels.names.get(index as usize).cloned().unwrap_or_default(),
            None => index.to_string(),
        }
    }

    /// The index of a name.
    pub fn index_of(&self, label: &str) -> Option<u32> {
        match &self.labels {
            Some(labels) => labels.index.get(label).copied(),
            None => label.parse().ok(),
        }
    }
}

fn category_count(got: u64) -> ParameterError {
    ParameterError::CategoryCount { min: 2, max: u64::from(Categories::MAX), got }
}

impl Domain for Categories {
    type Value = u32;
    const KIND: &'static str = "categories";

    fn contains(&self, value: &u32) -> bool {
        *value < self.count
    }

    fn nearest(&self, value: u32) -> u32 {
        value.min(self.count - 1)
    }

    fn parse(&self, text: &str) -> Result<u32, InputError> {
        self.index_of(text).ok_or_else(|| self.outside())
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(u64::from(self.count));
        for name in self.labels.iter().flat_map(|labels| &labels.names) {
            builder.text(name);
        }
    }

    fn from_spec(spec: &DomainSpec) -> Option<&Self> {
        match spec {
            DomainSpec::Categories(categories) => Some(categories),
            _ => None,
        }
    }

    fn select(values: &Values) -> Option<&[u32]> {
        match values {
            Values::Categories(values) => Some(values),
            _ => None,
        }
    }

    fn outside(&self) -> InputError {
        const SHOWN: usize = 8;
        let domain = match &self.labels {
            Some(labels) if labels.names.len() > SHOWN => {
                format!("categories:{},.. ({} in all)", labels.names[..SHOWN].join(","), self.count)
            }
            _ => self.to_string(),
        };
        InputError::OutsideDomain { domain }
    }
}

impl fmt::Display for Categories {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.labels {
            Some(labels) => write!(formatter, "categories:{}", labels.names.join(",")),
            None if self.count == 2 => formatter.write_str("binary"),
            None => write!(formatter, "categories:{}", self.count),
        }
    }
}

impl fmt::Debug for Categories {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Categories({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_map_both_ways() {
        let colours = Categories::with_labels(["red", "green", "blue"]).unwrap();
        assert_eq!(colours.parse("green").unwrap(), 1);
        assert_eq!(colours.label(2), "blue");
        assert_eq!(colours.to_string(), "categories:red,green,blue");
    }

    #[test]
    fn bad_labels_are_refused() {
        assert_eq!(
            Categories::with_labels(["a", "b", "a"]).unwrap_err(),
            ParameterError::DuplicateLabel { label: "a".into() }
        );
        assert_eq!(Categories::with_labels(["a", ""]).unwrap_err(), ParameterError::EmptyLabel);
        assert!(matches!(Categories::with_labels(["a"]), Err(ParameterError::CategoryCount { got: 1, .. })));
        assert!(matches!(Categories::new(1), Err(ParameterError::CategoryCount { got: 1, .. })));
    }

    #[test]
    fn errors_do_not_repeat_the_value() {
        let colours = Categories::with_labels(["red", "green"]).unwrap();
        let message = colours.parse("mauve").unwrap_err().to_string();
        assert!(!message.contains("mauve"), "{message}");
    }
}
