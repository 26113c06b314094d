//! Self-contained pages: one file, no script, no request to anywhere.

/// Text as it may stand in markup, inside an element or inside a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters are not allowed in a page, and unseen ones could turn the text around.
            '\t' | '\n' => escaped.push(character),
            hidden if is_hidden(hidden) => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Control characters, and those that change the direction of the text around them.
fn is_hidden(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A whole page around a body that is markup already.
pub fn document(title: &str, body: &str) -> String {
    // The policy forbids what the page does not do: to load anything, from anywhere.
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<main>
{body}</main>
</body>
</html>
"#,
        escape(title),
        include_str!("style.css")
    )
}

/// A table with row headings in its first column and numbers in the others.
pub fn number_table(caption: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let row = |cells: &Vec<String>| {
        let cell = |(column, text): (usize, &String)| {
            let text = escape(text);
            if column == 0 { format!("<th scope=\"row\">{text}</th>") } else { format!("<td>{text}</td>") }
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let body: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
        escape(caption)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bars::{Bar, BarChart};

    /// Labels as an enemy would write them.
    const HOSTILE: [&str; 6] = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onload='alert(1)",
        "</title></svg></style><b>",
        "&lt;script&gt;",
        "a\u{0}b\u{202e}c",
    ];

    #[test]
    fn no_text_leaves_its_place() {
        for text in HOSTILE {
            let escaped = escape(text);
            assert!(!escaped.contains(['<', '>', '"', '\'', '\u{0}', '\u{202e}']), "{escaped}");
        }
        assert_eq!(escape("&lt;"), "&amp;lt;");
        assert_eq!(escape("größer & kleiner"), "größer &amp; kleiner");
    }

    #[test]
    fn pages_tables_and_charts_hold_hostile_labels() {
        for text in HOSTILE {
            let bar = Bar::new(text, 0.5);
            let chart = BarChart { id: "x", title: text, description: text, bars: &[bar], legend: None };
            let table = number_table(text, &[text], &[vec![text.to_owned(), text.to_owned()]]);
            let page = document(text, &(chart.svg() + &table));
            for forbidden in ["<script", "<img", "onload='", "<b>", "\u{0}", "\u{202e}"] {
                assert!(!page.contains(forbidden), "{forbidden} in {page}");
            }
            assert_eq!(page.matches("</title>").count(), page.matches("<title").count());
        }
    }

    #[test]
    fn pages_ask_nobody_for_anything() {
        let page = document("title", "");
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
    }
}
