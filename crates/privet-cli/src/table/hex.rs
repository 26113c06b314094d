//! Bytes as lower-case hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The digits of each byte.
const PAIRS: [[u8; 2]; 256] = pairs();

/// What no digit means.
const NONE: u8 = 0xff;

/// The meaning of each character.
const NIBBLES: [u8; 256] = nibbles();

const fn pairs() -> [[u8; 2]; 256] {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
}

const fn nibbles() -> [u8; 256] {
    let mut nibbles = [NONE; 256];
    let mut digit = 0;
    while digit < 16 {
        nibbles[DIGITS[digit] as usize] = digit as u8;
        nibbles[DIGITS[digit].to_ascii_uppercase() as usize] = digit as u8;
        digit += 1;
    }
    nibbles
}

/// Writes two digits for each byte into `text`, which has room for them.
#[inline]
pub(super) fn encode_into(bytes: &[u8], text: &mut [u8]) {
    for (byte, digits) in bytes.iter().zip(text.chunks_exact_mut(2)) {
        digits.copy_from_slice(&PAIRS[usize::from(*byte)]);
    }
}

/// The digits of some bytes.
pub(super) fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![0; bytes.len() * 2];
    encode_into(bytes, &mut text);
    text
}

/// Adds the bytes of some digits to `bytes`; false if there is an odd number of them or something that is no digit.
#[inline]
pub(super) fn decode_to(text: &[u8], bytes: &mut Vec<u8>) -> bool {
    let mut seen = 0;
    bytes.extend(text.chunks_exact(2).map(|pair| {
        let (high, low) = (NIBBLES[usize::from(pair[0])], NIBBLES[usize::from(pair[1])]);
        seen |= high | low;
        (high << 4) | (low & 15)
    }));
    seen & 0xf0 == 0 && text.len().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_round_trip() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = encode(&bytes);
        let mut back = Vec::new();
        assert!(decode_to(&text, &mut back) && back == bytes);
        back.clear();
        assert!(decode_to(&text.to_ascii_uppercase(), &mut back) && back == bytes);
    }

    #[test]
    fn what_is_not_hexadecimal_is_refused() {
        for text in ["0", "abc", "0g", "g0", "  ", "\u{e9}"] {
            assert!(!decode_to(text.as_bytes(), &mut Vec::new()), "{text:?}");
        }
    }
}
