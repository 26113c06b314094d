//! Markdown to HTML, with the addresses of the site and the pictures that commands draw.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::sources::{self, Sources};

/// By the command or the block that drew them.
pub(crate) type Pictures = BTreeMap<String, Picture>;

/// A picture on the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) address: String,
    pub(crate) content: Vec<u8>,
    /// What it shows, for those who do not see it.
    pub(crate) words: String,
}

/// A page without its frame.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) body: String,
    /// Files that are no pages and that it links to.
    pub(crate) files: BTreeSet<String>,
}

/// Renders the Markdown of a file of the repository, or of one that would have this path.
pub(crate) fn render(path: &str, text: &str, sources: &Sources, pictures: &Pictures) -> Page {
    let mut page = Page { title: path.to_owned(), body: String::new(), files: BTreeSet::new() };
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut slugs = Slugs::default();
    let mut source: Vec<Event<'_>> = parse(text).collect();
    source.reverse();
    while let Some(event) = source.pop() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let inner = until_heading_ends(&mut source);
                let words = words_of(&inner);
                let slug = slugs.next(&words);
                if slugs.count() == 1 {
                    page.title = words;
                }
                events.push(Event::Html(format!("<{level} id=\"{slug}\">").into()));
                events.extend(
                    inner.into_iter().map(|event| with_address(event, path, sources, &mut page.files)),
                );
                events.push(Event::Html(format!("</{level}>\n").into()));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let code = code_of(&mut source);
                let picture = pictures.get(code.trim_end());
                events.extend([
                    Event::Start(Tag::CodeBlock(kind)),
                    Event::Text(code.into()),
                    Event::End(TagEnd::CodeBlock),
                ]);
                events.extend(picture.map(|picture| Event::Html(figure(path, picture).into())));
            }
            other => events.push(with_address(other, path, sources, &mut page.files)),
        }
    }
    html::push_html(&mut page.body, events.into_iter());
    page
}

fn parse(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// The shell blocks of a page, in order.
pub(crate) fn shell_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut events = parse(text);
    while let Some(event) = events.next() {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) = event else { continue };
        let code =
            events.by_ref().map_while(|event| if let Event::Text(text) = event { Some(text) } else { None });
        let code: String = code.map(CowStr::into_string).collect();
        if &*language == "sh" {
            blocks.push(code.trim_end().to_owned());
        }
    }
    blocks
}

/// As it stands in an element or an attribute.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn figure(path: &str, picture: &Picture) -> String {
    let source = sources::way(path, &picture.address);
    format!("<figure><img src=\"{source}\" alt=\"{}\"></figure>\n", escaped(&picture.words))
}

fn until_heading_ends<'a>(source: &mut Vec<Event<'a>>) -> Vec<Event<'a>> {
    std::iter::from_fn(|| source.pop())
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
        .collect()
}

fn code_of(source: &mut Vec<Event<'_>>) -> String {
    std::iter::from_fn(|| source.pop())
        .take_while(|event| !matches!(event, Event::End(TagEnd::CodeBlock)))
        .filter_map(|event| if let Event::Text(text) = event { Some(text.into_string()) } else { None })
        .collect()
}

fn words_of(events: &[Event<'_>]) -> String {
    let text = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        Event::SoftBreak => Some(" "),
        _ => None,
    });
    text.collect()
}

fn with_address<'a>(
    event: Event<'a>,
    path: &str,
    sources: &Sources,
    files: &mut BTreeSet<String>,
) -> Event<'a> {
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = site_address(&dest_url, path, sources, files).into();
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let dest_url = site_address(&dest_url, path, sources, files).into();
            Event::Start(Tag::Image { link_type, dest_url, title, id })
        }
        other => other,
    }
}

/// The address on the site of what a link on a page means. What is not there stays as it is, for the check of links to find.
fn site_address(link: &str, path: &str, sources: &Sources, files: &mut BTreeSet<String>) -> String {
    if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
        return link.to_owned();
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let Some(found) = sources::resolve(path, file).and_then(|file| sources.find(&file)) else {
        return link.to_owned();
    };
    if !found.ends_with(".md") {
        files.insert(found.to_owned());
    }
    let address = sources::way(path, &sources::address_of(found));
    anchor.map_or(address.clone(), |anchor| format!("{address}#{anchor}"))
}

/// The anchors of a page's headings, as GitHub makes them, so that a link holds in both places.
#[derive(Debug, Default)]
struct Slugs {
    seen: Vec<String>,
}

impl Slugs {
    fn count(&self) -> usize {
        self.seen.len()
    }

    fn next(&mut self, heading: &str) -> String {
        let kept =
            heading.chars().filter(|character| character.is_alphanumeric() || " -_".contains(*character));
        let slug = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let before = self.seen.iter().filter(|seen| **seen == slug).count();
        self.seen.push(slug.clone());
        if before == 0 { slug } else { format!("{slug}-{before}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str, pictures: &Pictures) -> String {
        let sources = Sources::of(&["README.md", "docs/A.md", "docs/B.md", "crates/x.rs"]);
        render("docs/A.md", text, &sources, pictures).body
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let mut slugs = Slugs::default();
        assert_eq!(
            slugs.next("What is `exact`, and how it is proved?"),
            "what-is-exact-and-how-it-is-proved"
        );
        assert_eq!(slugs.next("Limits"), "limits");
        assert_eq!(slugs.next("Limits"), "limits-1");
        assert_eq!(body("# A *b*\n", &Pictures::new()), "<h1 id=\"a-b\">A <em>b</em></h1>\n");
    }

    #[test]
    fn links_lead_to_the_site_and_what_is_missing_stays() {
        let links =
            "[b](B.md#x) [r](../README.md) [x](../crates/x.rs) [n](NONE.md) [w](https://a.example/B.md)";
        let html = body(links, &Pictures::new());
        for address in
            ["../docs/B.html#x", "../index.html", "../crates/x.rs.txt", "NONE.md", "https://a.example/B.md"]
        {
            assert!(html.contains(&format!("href=\"{address}\"")), "{address}: {html}");
        }
    }

    #[test]
    fn a_picture_stands_below_the_block_that_drew_it() {
        let picture =
            Picture { address: "pictures/d.svg".into(), content: vec![], words: "a \"law\"".into() };
        let pictures = Pictures::from([("draw it".to_owned(), picture)]);
        let html = body("```sh\ndraw it\n```\n\n```sh\nother\n```\n", &pictures);
        let place =
            html.find("<img src=\"../pictures/d.svg\" alt=\"a &quot;law&quot;\">").expect("a picture");
        assert!(html.find("draw it") < Some(place) && Some(place) < html.find("other"), "{html}");
    }

    #[test]
    fn only_shell_blocks_are_run() {
        assert_eq!(shell_blocks("```sh\na\nb\n```\n\n```text\nc\n```\n\n```sh\nd\n```\n"), ["a\nb", "d"]);
    }
}
