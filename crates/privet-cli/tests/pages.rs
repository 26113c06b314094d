//! The pages of `docs/` do what they say: their commands run, and print what stands below them.

#![cfg(unix)]
// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::page::{blocks, run};
use std::net::TcpListener;
use std::path::Path;

/// A page with this line is run. The site draws its pictures in the same way.
const MARK: &str = "<!-- A test runs the commands of this page. -->";

/// Where the collector of a page listens; another port of this machine takes its place.
const ADDRESS: &str = "127.0.0.1:8080";

const BETWEEN: &str = "-- the next block --";

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

/// What a page says and does not do. One shell runs all blocks, because a reader has one, too.
fn problems(page: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let blocks = blocks(page);
    let shell: Vec<&str> =
        blocks.iter().filter(|block| block.language == "sh").map(|block| block.text).collect();
    // What a page leaves running in the background ends with it.
    let script = format!(
        "trap 'test -z \"$!\" || kill \"$!\" 2> /dev/null || true' EXIT\n{}",
        shell.join(&format!("\necho; echo '{BETWEEN}'\n"))
    );
    let output = run(&script.replace(ADDRESS, &free), folder.path());
    let printed = String::from_utf8(output.stdout).unwrap().replace(&free, ADDRESS);
    if !output.status.success() {
        return vec![format!("{printed}\n{}", String::from_utf8_lossy(&output.stderr))];
    }
    let mut printed = printed.split(BETWEEN);
    let mut problems: Vec<String> = blocks
        .windows(2)
        .filter(|pair| pair[1].language == "text" && pair[0].language != "sh")
        .map(|pair| format!("no command prints\n{}", pair[1].text))
        .collect();
    for (place, block) in blocks.iter().enumerate().filter(|(_, block)| block.language == "sh") {
        let printed = trimmed(printed.next().unwrap_or_default());
        let shown = blocks.get(place + 1).filter(|next| next.language == "text");
        if shown.is_some_and(|shown| trimmed(shown.text) != printed) {
            problems.push(format!("{}\nprinted\n{printed}", block.text));
        }
    }
    problems
}

/// Without blanks at the ends of lines, which nobody sees on a page.
fn trimmed(text: &str) -> String {
    text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn check(name: &str) {
    let page = std::fs::read_to_string(Path::new(DOCS).join(name)).unwrap();
    assert!(page.contains(MARK), "{name} does not say that it is run");
    let problems = problems(&page);
    assert!(problems.is_empty(), "{name}\n{}", problems.join("\n\n"));
}

macro_rules! pages {
    ($($test:ident: $name:literal,)*) => {
        $(#[test] fn $test() { check($name); })*

        /// No page claims to be run and is not.
        #[test]
        fn every_marked_page_is_run() {
            let mut marked: Vec<String> = std::fs::read_dir(DOCS).unwrap().map(|file| file.unwrap().path())
                .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
                .filter(|path| std::fs::read_to_string(path).unwrap().contains(MARK))
                .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
                .collect();
            marked.sort();
            assert_eq!(marked, [$($name),*]);
        }
    };
}

pages! {
    angles: "ANGLES.md",
    choosing_epsilon: "CHOOSING_EPSILON.md",
    classifiers: "CLASSIFIERS.md",
    collecting: "COLLECTING.md",
    concepts: "CONCEPTS.md",
    errata: "ERRATA.md",
    joint: "JOINT.md",
    locations: "LOCATIONS.md",
    scaling_out: "SCALING_OUT.md",
    sensors: "SENSORS.md",
    surveys: "SURVEYS.md",
    vectors: "VECTORS.md",
}

#[test]
fn a_page_that_shows_something_else_is_found() {
    let page = "# t\n\n```sh\nx=1\necho \"$x \"\n```\n\n```text\n1\n```\n\n```sh\necho \"$x\"2\n```\n\n```text\n12\n```\n";
    assert_eq!(problems(page), Vec::<String>::new());
    assert_eq!(problems(&page.replace("\n12\n", "\n13\n")).len(), 1);
    assert_eq!(problems(&page.replace("\n1\n", "\n2\n")).len(), 1);
    assert_eq!(problems(&page.replace("x=1", "false")).len(), 1);
    assert_eq!(problems(&format!("{page}\n```text\n12\n```\n")).len(), 1);
}
