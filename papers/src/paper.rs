//! The papers, with their figures and their claims.

use crate::{Claim, Figure, ReproduceError, claims, classifier, jrr, ogpm, reshape, tracs};
use std::str::FromStr;

/// A source paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// Joint randomised response.
    Jrr,
    /// Optimal piecewise mechanisms.
    Ogpm,
    /// Trajectories in continuous space.
    Tracs,
    /// Utility of classifiers.
    Classifier,
    /// Jacobian-guided reshaping.
    Reshape,
}

impl Paper {
    /// All, in the order of the documentation.
    pub const ALL: [Self; 5] = [Self::Jrr, Self::Ogpm, Self::Tracs, Self::Classifier, Self::Reshape];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jrr => "jrr",
            Self::Ogpm => "ogpm",
            Self::Tracs => "tracs",
            Self::Classifier => "classifier",
            Self::Reshape => "reshape",
        }
    }

    /// What it is about, and where it stands.
    pub fn title(self) -> &'static str {
        match self {
            Self::Jrr => "Joint randomised response (chapter 4, appendix B)",
            Self::Ogpm => "Optimal piecewise mechanisms (chapter 5, appendix C)",
            Self::Tracs => "Trajectories in continuous space (chapter 6, appendix D)",
            Self::Classifier => "Utility of classifiers under local privacy (chapter 7, appendix E)",
            Self::Reshape => "Jacobian-guided reshaping",
        }
    }

    /// Its figures and tables that are computed here, in the order of the paper.
    pub fn figures(self) -> &'static [Figure] {
        match self {
            Self::Jrr => jrr::FIGURES,
            Self::Ogpm => ogpm::FIGURES,
            Self::Tracs => tracs::FIGURES,
            Self::Reshape => reshape::figures::FIGURES,
            Self::Classifier => classifier::FIGURES,
        }
    }

    /// What it claims.
    ///
    /// # Errors
    /// When the table of its claims is damaged.
    pub fn claims(self) -> Result<Vec<Claim>, ReproduceError> {
        let table = match self {
            Self::Jrr => include_str!("../jrr/claims.csv"),
            Self::Ogpm => include_str!("../ogpm/claims.csv"),
            Self::Tracs => include_str!("../tracs/claims.csv"),
            Self::Classifier => include_str!("../classifier/claims.csv"),
            Self::Reshape => include_str!("../reshape/claims.csv"),
        };
        claims::read(self, table)
    }

    /// The number that it prints for a claim: what is said about a table is checked from the table, which stands in one place.
    pub(crate) fn printed(self, id: &str) -> Result<f64, ReproduceError> {
        let number = self.claims()?.into_iter().find(|claim| claim.id == id).and_then(|claim| claim.number);
        let problem = || format!("no number is printed for {id}");
        number.ok_or_else(|| ReproduceError::Claims { paper: self.as_str(), problem: problem() })
    }
}

impl FromStr for Paper {
    type Err = ReproduceError;

    fn from_str(text: &str) -> Result<Self, ReproduceError> {
        Self::ALL.into_iter().find(|paper| paper.as_str() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ") + ", all";
            ReproduceError::UnknownPaper { known, got: text.to_owned() }
        })
    }
}
