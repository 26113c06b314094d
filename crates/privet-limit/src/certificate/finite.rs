//! Lower bounds on finitely many categories.
//!
//! The argument is that of the [interval](super::LineCertificate), with sums over categories and outputs: there are only
//! finitely many outputs, so G is looked at in each of them.

use super::{Enclosure, LARGEST, SCALE};
use crate::LimitError;
use crate::finite::LossMatrix;
use privet_core::Epsilon;

/// The weight and the price of a category, in multiples of 2^-48.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PricedInput {
    /// Its share of the weighted loss.
    pub weight: i64,
    /// Its price.
    pub price: i64,
}

/// Numbers from which a lower bound follows.
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteCertificate {
    /// What the channels keep.
    pub epsilon: Epsilon,
    /// How bad each output is for each category.
    pub losses: LossMatrix,
    /// The categories.
    pub inputs: Vec<PricedInput>,
}

impl PricedInput {
    /// The weight as a number, exactly.
    pub(crate) fn share(&self) -> f64 {
        self.weight as f64 / SCALE
    }
}

impl FiniteCertificate {
    /// A lower bound for the loss of every channel that keeps epsilon, in units of [`LossMatrix::unit`]. It follows from the
    /// numbers alone; whoever found them need not be trusted.
    ///
    /// # Errors
    /// When the numbers are out of range, or the weights add up to more than one.
    pub fn bound(&self) -> Result<f64, LimitError> {
        self.check()?;
        let lowest = self.values().map(Enclosure::low).fold(0.0, f64::min);
        let prices: Enclosure = self.inputs.iter().map(|input| scaled(input.price)).sum();
        Ok((prices + Enclosure::exact(lowest)).low().max(0.0))
    }

    /// G at every output.
    fn values(&self) -> impl Iterator<Item = Enclosure> + '_ {
        let exp = Enclosure::exp(self.epsilon);
        let unit = Enclosure::exact(self.losses.unit());
        (0..self.losses.outputs()).map(move |output| {
            let bent = |(row, input): (&[f64], &PricedInput)| {
                let loss = Enclosure::exact(row[output]).over(unit);
                let cost = scaled(input.weight) * loss - scaled(input.price);
                cost.min(exp * cost)
            };
            self.losses.rows().zip(&self.inputs).map(bent).sum()
        })
    }

    fn check(&self) -> Result<(), LimitError> {
        let wrong = |reason: &str| Err(LimitError::File { reason: reason.to_owned() });
        if self.inputs.len() != self.losses.rows().len() {
            return wrong("the certificate needs a weight and a price for each category");
        }
        let mut numbers = self.inputs.iter().flat_map(|input| [input.weight, input.price]);
        if numbers.any(|number| !(-LARGEST..=LARGEST).contains(&number)) {
            return wrong("a number of the certificate is out of range");
        }
        let weights = self.inputs.iter().map(|input| i128::from(input.weight));
        if weights.clone().any(|weight| weight < 0) || weights.sum::<i128>() > 1 << 48 {
            return wrong("the weights of a certificate must not be negative or add up to more than one");
        }
        Ok(())
    }
}

/// A number of the certificate, exactly.
fn scaled(number: i64) -> Enclosure {
    Enclosure::exact(number as f64 / SCALE)
}
