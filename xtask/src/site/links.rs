//! Whether all links of the site lead somewhere, and whether it asks nothing from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::{Site, sources};

/// What is wrong, a line for each.
pub(crate) fn problems(site: &Site) -> Vec<String> {
    let pages: BTreeMap<&str, String> = site
        .iter()
        .filter(|(address, _)| address.ends_with(".html"))
        .map(|(address, content)| (address.as_str(), String::from_utf8_lossy(content).into_owned()))
        .collect();
    let anchors: BTreeMap<&str, BTreeSet<&str>> =
        pages.iter().map(|(address, html)| (*address, attributes(html, "id").collect())).collect();
    let mut problems = Vec::new();
    for (address, html) in &pages {
        let links = attributes(html, "href").chain(attributes(html, "src"));
        problems.extend(links.filter(|link| !leads_somewhere(address, link, site, &anchors)).map(|link| {
            format!("{address}: `{link}` leads nowhere: no such file is tracked, or it has no such heading")
        }));
        problems
            .extend(requests(html).map(|request| format!("{address}: `{request}` is asked from elsewhere")));
    }
    problems
}

fn leads_somewhere(page: &str, link: &str, site: &Site, anchors: &BTreeMap<&str, BTreeSet<&str>>) -> bool {
    if link.contains("://") || link.starts_with("mailto:") {
        return true;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { Some(page.to_owned()) } else { sources::resolve(page, file) };
    let Some(target) = target.filter(|target| site.contains_key(target)) else { return false };
    anchor.is_none_or(|anchor| anchors.get(target.as_str()).is_some_and(|known| known.contains(anchor)))
}

/// What a browser would fetch from another place without being asked to.
fn requests(html: &str) -> impl Iterator<Item = &str> {
    let sources = attributes(html, "src").filter(|link| link.contains("//"));
    let styles = html.split("<link ").skip(1).filter_map(|rest| attributes(rest, "href").next());
    sources.chain(styles.filter(|link| link.contains("//")))
}

/// The values of an attribute, wherever it stands in a tag. In text, quotation marks are escaped.
fn attributes<'a>(html: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    html.split('<').skip(1).filter_map(move |tag| {
        let tag = tag.split_once('>').map_or(tag, |(tag, _)| tag);
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split_once('"').map(|(value, _)| value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r##"<link rel="stylesheet" href="../style.css"><h1 id="top">T</h1><img alt="p" src="../p.svg">
        <a href="#top">a</a> <a href="B.html#limits">b</a> <a href="https://a.example/">c</a>"##;

    fn site(page: &str) -> Site {
        let files =
            [("docs/A.html", page), ("docs/B.html", "<h2 id=\"limits\">"), ("style.css", ""), ("p.svg", "")];
        files.map(|(address, content)| (address.to_owned(), content.as_bytes().to_vec())).into()
    }

    #[test]
    fn good_links_pass() {
        assert_eq!(problems(&site(GOOD)), Vec::<String>::new());
    }

    #[test]
    fn each_broken_link_is_found() {
        let tampered = [
            ("#top", "#bottom"),
            ("B.html#limits", "B.html#limit"),
            ("B.html#limits", "C.html#limits"),
            ("../p.svg", "p.svg"),
            ("../style.css", "../../style.css"),
            ("../p.svg", "https://a.example/p.svg"),
            ("../style.css", "//a.example/style.css"),
        ];
        for (right, wrong) in tampered {
            let found = problems(&site(&GOOD.replace(&format!("\"{right}\""), &format!("\"{wrong}\""))));
            assert!(found.iter().any(|problem| problem.starts_with("docs/A.html: ")), "{wrong}");
        }
    }
}
