//! Bytes in hexadecimal digits.

/// Reads exactly as many bytes as `target` has, in small or capital digits.
pub(crate) fn read(text: &str, target: &mut [u8]) -> Option<()> {
    let digits = text.as_bytes();
    if digits.len() != 2 * target.len() {
        return None;
    }
    for (byte, pair) in target.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(())
}

/// Writes small digits.
pub(crate) fn write(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_and_written() {
        let mut bytes = [0; 3];
        read("00fFa5", &mut bytes).unwrap();
        assert_eq!((bytes, write(&bytes).as_str()), ([0, 255, 165], "00ffa5"));
        for bad in ["", "00", "00ffa", "00ffa55", "00ffag", "00ff+1", "€a5"] {
            assert_eq!(read(bad, &mut bytes), None, "{bad}");
        }
    }
}
