//! The one function that the two compute, as four chains of carries.
//!
//! The shares are a (First) and b (Second), R = a + b mod 2^w, and the table says what R means by three public cuts c.
//! Neither R nor its bits need to be computed. For any number x write k(x) for the carry out of x + b. Then
//!
//! \[R < c\] = k(a) xor k(a - c mod 2^w) xor \[a < c\].
//!
//! (Take R = a + b - 2^w k(a) and R - c + 2^w \[R < c\] = (a - c + 2^w \[a < c\]) + b - 2^w k(a - c); subtract.)
//! First knows a, hence a - c and \[a < c\]. So four chains, of a, a - c1, a - c2 and a - c3, each with one gate for each
//! bit of b, and exclusive ors are all that is needed, and the first is shared by the three comparisons.

use crate::table::JointTable;
use zeroize::Zeroize;

/// How many chains there are: the carry of the sum, and one for each cut.
pub(super) const CHAINS: usize = 4;

/// The width of the shares and the cuts of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circuit {
    width: u32,
    cuts: [u64; 3],
}

/// What First puts into the circuit. It is as secret as its share.
pub(super) struct FirstInput {
    /// The number that each chain adds to Second's share.
    pub(super) addends: [u64; CHAINS],
    /// What must be added to the chains' sum to get T1, and T2.
    pub(super) constants: [bool; 2],
}

impl Drop for FirstInput {
    fn drop(&mut self) {
        self.addends.zeroize();
        self.constants.zeroize();
    }
}

/// The chains whose sum is T1, and those whose sum is T2, up to First's constants.
pub(super) const OUTPUTS: [&[usize]; 2] = [&[0, 1, 2, 3], &[0, 2]];

impl Circuit {
    /// The circuit for 64-bit shares.
    pub(super) fn of(table: &JointTable) -> Self {
        Self { width: u64::BITS, cuts: table.cuts() }
    }

    #[cfg(test)]
    pub(super) fn small(width: u32, cuts: [u64; 3]) -> Self {
        Self { width, cuts }
    }

    pub(super) fn width(&self) -> usize {
        self.width as usize
    }

    pub(super) fn cuts(&self) -> [u64; 3] {
        self.cuts
    }

    /// The bits of a share, or of a sum of shares.
    pub(super) fn reduce(&self, word: u64) -> u64 {
        word & (u64::MAX >> (u64::BITS - self.width))
    }

    /// The inputs that belong to First's share.
    pub(super) fn first_input(&self, share: u64) -> FirstInput {
        let minus = |cut: u64| self.reduce(share.wrapping_sub(cut));
        let [one, two, three] = self.cuts;
        let below = self.cuts.map(|cut| share < cut);
        // T1 is false below the first cut and between the second and the third, T2 below the second.
        let constants = [!(below[0] ^ below[1] ^ below[2]), !below[1]];
        FirstInput { addends: [share, minus(one), minus(two), minus(three)], constants }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use privet_core::{Generator, Probability, Rng};
    use privet_estimators::statistics::chi_square_upper_tail;
    use proptest::prelude::*;

    /// The circuit without any secrecy.
    pub(crate) fn evaluate(circuit: &Circuit, first: u64, second: u64) -> [bool; 2] {
        let input = circuit.first_input(first);
        let carries = input.addends.map(|addend| {
            (0..circuit.width()).fold(false, |carry, place| {
                let (one, two) = (addend >> place & 1 == 1, second >> place & 1 == 1);
                ((two ^ one) & (carry ^ one)) ^ one
            })
        });
        [0, 1].map(|which| {
            OUTPUTS[which].iter().fold(input.constants[which], |sum, &chain| sum ^ carries[chain])
        })
    }

    /// What the words of the issue say: add, then find the interval.
    pub(crate) fn reference(circuit: &Circuit, first: u64, second: u64) -> [bool; 2] {
        let sum = circuit.reduce(first.wrapping_add(second));
        match circuit.cuts().iter().filter(|&&cut| cut <= sum).count() {
            0 => [false, false],
            1 => [true, false],
            2 => [false, true],
            _ => [true, true],
        }
    }

    #[test]
    fn all_shares_and_all_cuts_of_one_to_five_bits() {
        for width in 1..=5 {
            let words = 1 << width;
            for cuts in ordered_cuts(words) {
                let circuit = Circuit::small(width, cuts);
                for (first, second) in (0..words * words).map(|both| (both / words, both % words)) {
                    let got = evaluate(&circuit, first, second);
                    assert_eq!(got, reference(&circuit, first, second), "{circuit:?} {first} {second}");
                }
            }
        }
    }

    /// All c1 <= c2 <= c3 below a number.
    pub(crate) fn ordered_cuts(words: u64) -> impl Iterator<Item = [u64; 3]> {
        (0..words).flat_map(move |one| {
            (one..words).flat_map(move |two| (two..words).map(move |three| [one, two, three]))
        })
    }

    /// Chi-square at 1e-6: uniform shares through the circuit against the table's weights.
    #[test]
    fn uniform_shares_follow_the_table() {
        let mut rng = Generator::from_insecure_seed(531);
        let table = |rho| JointTable::new(Probability::new(0.7).unwrap(), rho).unwrap();
        for rho in [-0.42, -0.1, 0.0, 0.9] {
            let circuit = Circuit::of(&table(rho));
            let mut counts = [0.0; 4];
            for _ in 0..200_000 {
                let [first, second] = evaluate(&circuit, rng.next_u64(), rng.next_u64());
                counts[2 * usize::from(!first) + usize::from(!second)] += 1.0;
            }
            let p_value = |table: JointTable| {
                let expected = table.weights().map(|weight| 200_000.0 * weight as f64 / 2f64.powi(64));
                let deviation = |(count, expected): (f64, f64)| (count - expected).powi(2) / expected;
                chi_square_upper_tail(counts.into_iter().zip(expected).map(deviation).sum(), 3)
            };
            assert!(p_value(table(rho)) > 1e-6, "{counts:?}");
            assert!(p_value(table(rho + 0.02)) < 1e-6, "the control was not found: {counts:?}");
        }
    }

    proptest! {
        #[test]
        fn shares_of_64_bits_are_read_as_the_table_reads_their_sum(
            lie in 1u64..1 << 63, part in any::<u64>(), first in any::<u64>(), second in any::<u64>()
        ) {
            let mixed = ((u128::from(lie) * u128::from(part)) >> 64) as u64;
            let table = JointTable::from_weights(lie, mixed).unwrap();
            let circuit = Circuit::of(&table);
            prop_assert_eq!(evaluate(&circuit, first, second), table.read(first.wrapping_add(second)));
        }
    }
}
