//! Numbers as whole multiples of a public step.

use privet_core::ReportError;

/// How many steps the largest number has.
const LARGEST: f64 = (1i64 << 30) as f64;

/// A lattice whose step is a power of two, so that multiples of it are exact numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FixedPoint {
    step: f64,
    per_unit: f64,
    limit: i32,
}

impl FixedPoint {
    /// The finest lattice on which no number up to `bound` has more than 2^30 steps.
    pub(crate) fn reaching(bound: f64) -> Self {
        let exponent = (bound / LARGEST).log2().ceil();
        let step = exponent.exp2();
        // A rounded logarithm may be one too small.
        let step = if bound / step > LARGEST { 2.0 * step } else { step };
        Self { step, per_unit: 1.0 / step, limit: (bound / step).ceil() as i32 }
    }

    /// The nearest multiple of the step. Numbers beyond the bound count as the bound.
    #[inline]
    pub(crate) fn round(&self, number: f64) -> i32 {
        // Near this number doubles are whole numbers, so that adding it rounds, and its low bits are the result.
        const ROUNDER: f64 = 6_755_399_441_055_744.0;
        let limit = f64::from(self.limit);
        let steps = (number * self.per_unit).clamp(-limit, limit);
        (steps + ROUNDER).to_bits() as i32
    }

    /// The largest number on the lattice.
    pub(crate) fn bound(&self) -> f64 {
        self.value(self.limit)
    }

    #[inline]
    pub(crate) fn value(&self, code: i32) -> f64 {
        f64::from(code) * self.step
    }

    /// Reads all codes.
    pub(crate) fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        check_room(codes.len(), report.len())?;
        let is_inside = codes.iter().all(|code| code.unsigned_abs() <= self.limit.unsigned_abs());
        if !is_inside {
            return Err(ReportError::Impossible { reason: "a coordinate beyond the largest one" });
        }
        report.iter_mut().zip(codes).for_each(|(slot, code)| *slot = self.value(*code));
        Ok(())
    }
}

/// Refuses a report of another length.
pub(crate) fn check_room(got: usize, expected: usize) -> Result<(), ReportError> {
    if got == expected { Ok(()) } else { Err(ReportError::Length { expected: 4 * expected, got: 4 * got }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_the_nearest_and_bounded() {
        for bound in [1.0, 4.36, 1e-90, 1e90, 2f64.powi(30), 3.0 * 2f64.powi(-40)] {
            let lattice = FixedPoint::reaching(bound);
            for share in [-1.0, -0.3, 0.0, 1e-9, 0.7, 1.0] {
                let value = lattice.value(lattice.round(share * bound));
                assert!(
                    (value - share * bound).abs() <= 0.5 * lattice.step * (1.0 + 1e-15),
                    "{bound} {share}"
                );
            }
            assert!(bound / lattice.step <= LARGEST && bound / lattice.step > 0.499 * LARGEST);
            assert_eq!(lattice.round(3.0 * bound), lattice.limit);
            assert_eq!(lattice.round(-3.0 * bound), -lattice.limit);
        }
    }

    #[test]
    fn codes_beyond_the_bound_are_refused() {
        let lattice = FixedPoint::reaching(1.0);
        let mut report = [0.0; 2];
        assert!(lattice.decode(&[lattice.limit, -lattice.limit], &mut report).is_ok());
        assert!(lattice.decode(&[lattice.limit + 1, 0], &mut report).is_err());
        assert!(lattice.decode(&[i32::MIN, 0], &mut report).is_err());
        assert!(matches!(lattice.decode(&[0], &mut report), Err(ReportError::Length { .. })));
    }
}
