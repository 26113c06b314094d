//! What pages read from forms, and how they write numbers.

use crate::api::{App, Problem, read_body};
use axum::body::Body;
use axum::http::HeaderMap;

/// The fields of a form, in their order.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads the body of a form.
    pub(super) async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        let (bytes, _pass) = read_body(&app.gate, headers, body, app.limits.policy_bytes).await?;
        Ok(Self::parse(&bytes))
    }

    /// Reads the query of an address.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// The first field of a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All fields of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A count with thin gaps between thousands.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted.
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", count(number), if number == 1 { one } else { many })
}

/// A number with about four digits that say something.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "unknown".to_owned();
    }
    let text = match size {
        0.0 => return "0".to_owned(),
        size if !(1e-4..1e7).contains(&size) => return format!("{value:.2e}"),
        size if size >= 1000.0 => format!("{value:.0}"),
        size => format!("{value:.*}", (3 - size.log10().floor() as i32).clamp(0, 8) as usize),
    };
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    short.replace('-', "\u{2212}")
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    let hundred = 100.0 * share;
    // Adding zero turns minus zero into zero.
    let rounded = (hundred * 10.0).round() / 10.0 + 0.0;
    format!("{rounded:.1}\u{a0}%").replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, 1.0, -0.25, 12.3456, 123_456.7, 0.000_123_4, 2e-9, f64::NAN].map(number);
        assert_eq!(written, ["0", "1", "\u{2212}0.25", "12.35", "123457", "0.0001234", "2.00e-9", "unknown"]);
        assert_eq!([0.1234, -0.0001, 1.0].map(percent), ["12.3\u{a0}%", "0.0\u{a0}%", "100.0\u{a0}%"]);
        assert_eq!(
            [1, 999, 1000, 1_234_567].map(count),
            ["1", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
    }

    #[test]
    fn fields_are_decoded() {
        let fields = Fields::parse("a=1+2&b=%3Cb%3E&a=3".as_bytes());
        assert_eq!([fields.get("a"), fields.get("b"), fields.get("c")], [Some("1 2"), Some("<b>"), None]);
    }
}
