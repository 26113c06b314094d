//! Half gates for the chains of carries.
//!
//! A wire has a label for 0 and, at one secret difference that all wires share, a label for 1; so exclusive or costs
//! nothing, and an *and* costs two ciphertexts (S. Zahur, M. Rosulek, D. Evans, "Two halves make a whole", 2015). One
//! step of a chain is the majority of First's bit x, Second's bit y and the carry z, which is
//! ((y xor x) and (z xor x)) xor x. First knows x, so it needs no wire: First moves the labels of y, z and the result by
//! x times the difference, and the gate looks the same to Second whatever x is.

use super::circuit::{CHAINS, Circuit, FirstInput, OUTPUTS};
use super::label::{GateHash, LABEL_BYTES, Label};
use zeroize::Zeroizing;

/// Bytes of one garbled *and*.
const GATE_BYTES: usize = 2 * LABEL_BYTES;

/// Bytes of all gates of a circuit.
pub(super) fn garbled_bytes(circuit: &Circuit) -> usize {
    CHAINS * circuit.width() * GATE_BYTES
}

/// The garbled gates, and what T1 = 0 and T2 = 0 look like. The latter two are secret.
pub(super) struct Garbled {
    pub(super) gates: Vec<u8>,
    pub(super) outputs: Zeroizing<[Label; 2]>,
}

/// Garbles the circuit for First's input. `zeros` are the labels of 0 for Second's bits, lowest first; `difference`
/// must be odd, so that the two labels of a wire differ in their lowest bit.
pub(super) fn garble(input: &FirstInput, zeros: &[Label], difference: Label, hash: &GateHash) -> Garbled {
    let mut gates = Vec::with_capacity(CHAINS * zeros.len() * GATE_BYTES);
    let mut carries = Zeroizing::new([Label::default(); CHAINS]);
    let mut tweak = 0;
    for (carry, addend) in carries.iter_mut().zip(input.addends) {
        for (place, &zero) in zeros.iter().enumerate() {
            let shift = difference.times(addend >> place & 1 == 1);
            let (rows, result) = garble_and(zero ^ shift, *carry ^ shift, difference, hash, tweak);
            gates.extend(rows.into_iter().flat_map(Label::to_bytes));
            *carry = result ^ shift;
            tweak += 2;
        }
    }
    let mut outputs = Zeroizing::new(sums(&carries));
    for (output, constant) in outputs.iter_mut().zip(input.constants) {
        *output ^= difference.times(constant);
    }
    Garbled { gates, outputs }
}

/// The two ciphertexts of an *and*, and the label of its 0.
fn garble_and(
    left: Label,
    right: Label,
    difference: Label,
    hash: &GateHash,
    tweak: u64,
) -> ([Label; 2], Label) {
    let (left_0, left_1) = (hash.of(left, tweak), hash.of(left ^ difference, tweak));
    let (right_0, right_1) = (hash.of(right, tweak + 1), hash.of(right ^ difference, tweak + 1));
    let garbler_row = left_0 ^ left_1 ^ difference.times(right.pointer());
    let evaluator_row = right_0 ^ right_1 ^ left;
    let garbler_half = left_0 ^ garbler_row.times(left.pointer());
    let evaluator_half = right_0 ^ (evaluator_row ^ left).times(right.pointer());
    ([garbler_row, evaluator_row], garbler_half ^ evaluator_half)
}

/// Walks through garbled gates with one label for each of Second's bits. Gives the labels of T1 and T2, which say
/// nothing without the labels of their 0.
pub(super) fn evaluate(gates: &[u8], inputs: &[Label], hash: &GateHash) -> Zeroizing<[Label; 2]> {
    let mut rows = Label::from_body(gates);
    let mut carries = Zeroizing::new([Label::default(); CHAINS]);
    let mut tweak = 0;
    for carry in carries.iter_mut() {
        for &input in inputs {
            let [garbler_row, evaluator_row] = [(); 2].map(|()| rows.next().unwrap_or_default());
            let garbler_half = hash.of(input, tweak) ^ garbler_row.times(input.pointer());
            let evaluator_half = hash.of(*carry, tweak + 1) ^ (evaluator_row ^ input).times(carry.pointer());
            *carry = garbler_half ^ evaluator_half;
            tweak += 2;
        }
    }
    Zeroizing::new(sums(&carries))
}

fn sums(carries: &[Label; CHAINS]) -> [Label; 2] {
    OUTPUTS.map(|chains| chains.iter().fold(Label::default(), |sum, &chain| sum ^ carries[chain]))
}

#[cfg(test)]
mod tests {
    use super::super::circuit::tests::{ordered_cuts, reference};
    use super::*;
    use privet_core::{Generator, Rng};

    fn label(rng: &mut Generator) -> Label {
        Label(u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()))
    }

    /// Garbles, evaluates and opens both outputs.
    fn through_the_gates(circuit: &Circuit, first: u64, second: u64, rng: &mut Generator) -> [bool; 2] {
        let hash = GateHash::new(&[5; 32]);
        let difference = Label(label(rng).0 | 1);
        let zeros: Vec<_> = (0..circuit.width()).map(|_| label(rng)).collect();
        let garbled = garble(&circuit.first_input(first), &zeros, difference, &hash);
        assert_eq!(garbled.gates.len(), garbled_bytes(circuit));
        let bits = zeros.iter().enumerate();
        let inputs: Vec<_> = bits.map(|(i, &zero)| zero ^ difference.times(second >> i & 1 == 1)).collect();
        let labels = evaluate(&garbled.gates, &inputs, &hash);
        [0, 1].map(|which| {
            let (label, zero) = (labels[which], garbled.outputs[which]);
            assert!(label == zero || label == zero ^ difference, "a label of neither bit");
            label != zero
        })
    }

    #[test]
    fn garbled_evaluation_is_plain_evaluation_for_all_small_inputs() {
        let mut rng = Generator::from_insecure_seed(501);
        for width in 1..=3 {
            let words = 1 << width;
            for cuts in ordered_cuts(words) {
                let circuit = Circuit::small(width, cuts);
                for (first, second) in (0..words * words).map(|both| (both / words, both % words)) {
                    let got = through_the_gates(&circuit, first, second, &mut rng);
                    assert_eq!(got, reference(&circuit, first, second), "{circuit:?} {first} {second}");
                }
            }
        }
    }

    #[test]
    fn garbled_evaluation_is_plain_evaluation_at_random_words() {
        let mut rng = Generator::from_insecure_seed(502);
        for round in 0..300 {
            let mut cuts = [(); 3].map(|()| rng.next_u64());
            cuts.sort_unstable();
            let circuit = Circuit::small(64, cuts);
            let first = rng.next_u64();
            // Random words almost never meet a cut, so two of three rounds aim at one, or just below.
            let second = match round % 3 {
                0 => rng.next_u64(),
                1 => cuts[round / 3 % 3].wrapping_sub(first),
                _ => cuts[round / 3 % 3].wrapping_sub(first).wrapping_sub(1),
            };
            let got = through_the_gates(&circuit, first, second, &mut rng);
            assert_eq!(got, reference(&circuit, first, second));
        }
    }

    #[test]
    fn a_changed_gate_gives_a_label_of_neither_bit() {
        let mut rng = Generator::from_insecure_seed(503);
        let (circuit, hash) = (Circuit::small(8, [40, 100, 200]), GateHash::new(&[5; 32]));
        let difference = Label(label(&mut rng).0 | 1);
        let zeros: Vec<_> = (0..8).map(|_| label(&mut rng)).collect();
        let mut garbled = garble(&circuit.first_input(77), &zeros, difference, &hash);
        garbled.gates.iter_mut().for_each(|byte| *byte ^= 0x55);
        let labels = evaluate(&garbled.gates, &zeros, &hash);
        for (label, zero) in labels.iter().zip(garbled.outputs.iter()) {
            assert!(*label != *zero && *label != *zero ^ difference);
        }
    }
}
