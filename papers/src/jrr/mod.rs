//! Joint randomised response: chapter 4 and appendix B.

use crate::figure::Figure;

/// The figures, tables and examples, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[];
