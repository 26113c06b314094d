//! Numbers as bytes.

/// How one number is stored; all of them are little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    F32,
    F64,
    U8,
    U16,
    I32,
    I64,
}

impl Element {
    /// How many bytes one number has.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F16 | Self::U16 => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

/// The numbers that these bytes are. Bytes that are left over are ignored: callers compare lengths.
pub(crate) fn decode(element: Element, bytes: &[u8]) -> Vec<f64> {
    match element {
        Element::F16 => bytes.as_chunks().0.iter().map(|bytes| half(u16::from_le_bytes(*bytes))).collect(),
        Element::F32 => bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes).into()).collect(),
        Element::F64 => bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
        Element::U8 => bytes.iter().map(|byte| (*byte).into()).collect(),
        Element::U16 => bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes).into()).collect(),
        Element::I32 => bytes.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes).into()).collect(),
        Element::I64 => bytes.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes) as f64).collect(),
    }
}

/// The number that 16 bits are: a sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    match (exponent, fraction == 0.0) {
        (0, _) => sign * fraction * 2f64.powi(-14),
        (31, true) => sign * f64::INFINITY,
        (31, false) => f64::NAN,
        _ => sign * (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_known_numbers() {
        let known = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f64.powi(-24)),
            (0x0400, 2f64.powi(-14)),
            (0x3555, 0.333_251_953_125),
            (0xfc00, f64::NEG_INFINITY),
        ];
        for (bits, value) in known {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }
}
