//! What is around every page: head, menu and foot. No script, nothing from elsewhere.

use super::markdown::{Page, escaped};
use super::sources::{self, Sources};

pub(crate) const STYLE: &str = include_str!("style.css");

/// Where the generated list of mechanisms would be, if it were a file.
pub(crate) const MECHANISMS: &str = "mechanisms/README.md";

/// What the menu shows, in this order. Pages that are not here stand at its end.
const MENU: &[(&str, &[(&str, &str)])] = &[
    (
        "Begin",
        &[
            ("README.md", "Privet"),
            ("docs/CONCEPTS.md", "What local privacy is"),
            ("docs/CHOOSING_EPSILON.md", "Choosing epsilon"),
        ],
    ),
    (
        "How to",
        &[
            ("docs/SURVEYS.md", "Ask a survey"),
            ("docs/SENSORS.md", "Read sensors"),
            ("docs/ANGLES.md", "Collect angles"),
            ("docs/LOCATIONS.md", "Locations and paths"),
            ("docs/CLASSIFIERS.md", "Feed a classifier"),
            ("docs/VECTORS.md", "Send vectors"),
            ("docs/JOINT.md", "Perturb in pairs"),
            ("docs/COLLECTING.md", "Run a collector"),
            ("docs/SCALING_OUT.md", "Scale out"),
            ("docs/PYTHON.md", "Python"),
            ("bindings/python/gallery/README.md", "Python: six examples"),
            ("docs/SPARK.md", "Spark"),
            ("bindings/wasm/npm/README.md", "Browsers and Node"),
        ],
    ),
    (
        "Look up",
        &[
            (MECHANISMS, "Mechanisms"),
            ("THREAT_MODEL.md", "Threat model"),
            ("docs/INTERVALS.md", "What intervals promise"),
            ("docs/ERRATA.md", "Errata of the papers"),
            ("docs/PAPERS.md", "The papers, side by side"),
            ("CHANGELOG.md", "Changelog"),
        ],
    ),
    (
        "Build",
        &[
            ("ARCHITECTURE.md", "Architecture"),
            ("CONTRIBUTING.md", "Contributing"),
            ("docs/ADDING_A_MECHANISM.md", "Adding a mechanism"),
            ("docs/BENCHMARKS.md", "How fast it is"),
        ],
    ),
];

/// A whole document. `source` is the file that it was made of.
pub(crate) fn page(sources: &Sources, address: &str, source: Option<&str>, page: &Page) -> String {
    let title =
        if address == "index.html" { page.title.clone() } else { format!("{} · Privet", page.title) };
    let made_of = source.map_or("Generated from the program and its source.".to_owned(), |source| {
        format!("Made of <code>{}</code>.", escaped(source))
    });
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<link rel=\"stylesheet\" href=\"{}\">\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#content\">To the text</a>\n<nav aria-label=\"Pages\">\n{}</nav>\n\
         <main id=\"content\">\n{}</main>\n<footer>{made_of}</footer>\n</body>\n</html>\n",
        escaped(&title),
        sources::way(address, "style.css"),
        menu(sources, address),
        page.body,
    )
}

fn menu(sources: &Sources, address: &str) -> String {
    let mut html = String::new();
    for (group, entries) in MENU {
        html.push_str(&menu_group(group, entries.iter().copied(), address));
    }
    let known = |path: &str| MENU.iter().any(|(_, entries)| entries.iter().any(|(entry, _)| *entry == path));
    let others: Vec<(&str, &str)> =
        sources.pages().filter(|path| !known(path)).map(|path| (path, path)).collect();
    if !others.is_empty() {
        html.push_str(&menu_group("More", others.into_iter(), address));
    }
    html
}

fn menu_group<'a>(group: &str, entries: impl Iterator<Item = (&'a str, &'a str)>, address: &str) -> String {
    let mut html = format!("<p>{group}</p>\n<ul>\n");
    for (path, label) in entries {
        let target = sources::address_of(path);
        let here = if target == address { " aria-current=\"page\"" } else { "" };
        let href = sources::way(address, &target);
        html.push_str(&format!("<li><a href=\"{href}\"{here}>{}</a></li>\n", escaped(label)));
    }
    html.push_str("</ul>\n");
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_menu_names_the_page_and_forgets_none() {
        let sources = Sources::of(&["README.md", "docs/NEW.md"]);
        let body = Page { title: "A < B".into(), body: "<p>text</p>".into(), files: BTreeSet::new() };
        let html = page(&sources, "docs/NEW.html", Some("docs/NEW.md"), &body);
        assert!(html.contains("<title>A &lt; B · Privet</title>"), "{html}");
        assert!(
            html.contains("<a href=\"../docs/NEW.html\" aria-current=\"page\">docs/NEW.md</a>"),
            "{html}"
        );
        assert!(html.contains("<a href=\"../index.html\">Privet</a>"), "{html}");
        assert_eq!(html.matches("aria-current").count(), 1);
    }
}
