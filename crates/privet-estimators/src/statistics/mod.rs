//! Tail probabilities and confidence bounds that stay right at audit sizes.
//!
//! An audit counts a handful of events in millions of trials and asks for bounds at error rates such as
//! 1e-12. General special-function libraries lose digits or never return there, so the few functions we
//! need are written here, in log space, with the direction of every rounding error chosen on purpose.
//!
//! - [`normal_quantile`] and [`normal_upper_tail`]: the standard normal distribution.
//! - [`ln_factorial`] and [`ln_binomial_coefficient`]: logarithms of huge counts.
//! - [`binomial_upper_tail`], [`binomial_lower_tail`] and their logarithms.
//! - [`clopper_pearson`], [`clopper_pearson_lower`] and [`clopper_pearson_upper`]: exact confidence bounds
//!   for a proportion, rounded outwards.
//! - [`chi_square_upper_tail`]: p-values of goodness-of-fit statistics.

mod binomial;
mod chi_square;
mod clopper_pearson;
mod count;
mod factorial;
mod normal;

pub use binomial::{
    binomial_lower_tail, binomial_upper_tail, ln_binomial_lower_tail, ln_binomial_upper_tail,
};
pub use chi_square::chi_square_upper_tail;
pub use clopper_pearson::{ClopperPearson, clopper_pearson, clopper_pearson_lower, clopper_pearson_upper};
pub use count::BinomialCount;
pub use factorial::{ln_binomial_coefficient, ln_factorial};
pub use normal::{normal_quantile, normal_upper_tail};

#[cfg(test)]
mod testing {
    /// The distance of `got` from `wanted` in units of `wanted`; zero where both are the same.
    pub(super) fn relative_error(got: f64, wanted: f64) -> f64 {
        if got == wanted { 0.0 } else { ((got - wanted) / wanted).abs() }
    }
}
