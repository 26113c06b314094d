//! A page for each mechanism: its documentation comment, its row of `privet mechanisms`, and what the program shows of it.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::frame::{self, MECHANISMS};
use super::markdown::{self, Page, Pictures};
use super::sources::{self, Sources};
use super::workshop::Workshop;
use super::{Site, keep_pictures};
use crate::process::capture;
use crate::program;

/// Where mechanisms are written, one to a file.
const FOLDERS: &[&str] = &["crates/privet-mechanisms/src/", "crates/privet-vector/src/"];

/// Only the page of a mechanism has this section.
const FIRST_SECTION: &str = "/// # What it protects";

/// What the source says about the mechanisms of one file.
#[derive(Debug)]
struct Written {
    path: String,
    /// The type's name, by which other comments link to it.
    name: String,
    ids: Vec<String>,
    comment: String,
}

pub(crate) fn add_pages(site: &mut Site, sources: &Sources, workshop: Option<&Workshop>) -> Result<()> {
    let rows = rows()?;
    let written = written(sources)?;
    let pages: BTreeMap<&str, &str> =
        written.iter().filter_map(|one| Some((one.name.as_str(), one.ids.first()?.as_str()))).collect();
    for row in &rows {
        let id = text(row, "id");
        let one = written.iter().find(|one| one.ids.iter().any(|known| known == id));
        let one = one.with_context(|| format!("no file says what `{id}` protects (`{FIRST_SECTION}`)"))?;
        let path = path_of(id);
        let comment = linked(&one.comment, &pages);
        let mut page =
            format!("# {}\n\n{}\n\n{comment}\n\nFile: `{}`\n", text(row, "title"), facts(row), one.path);
        let mut pictures = Pictures::new();
        if let Some(workshop) = workshop {
            page.push_str(
                "\n## What it looks like\n\nComputed from the mechanism itself; nothing is simulated.\n",
            );
            for command in exhibits(row) {
                let (shown, picture) = workshop.exhibit(id, &command)?;
                page.push_str(&format!("\n```sh\n{command}\n```\n"));
                match picture {
                    Some(picture) => drop(pictures.insert(command, picture)),
                    None => page.push_str(&format!("\n```text\n{}\n```\n", shown.trim_end())),
                }
            }
        }
        insert(site, sources, &path, &markdown::render(&path, &page, sources, &pictures));
        keep_pictures(site, pictures);
    }
    insert(site, sources, MECHANISMS, &markdown::render(MECHANISMS, &list(&rows), sources, &Pictures::new()));
    Ok(())
}

fn insert(site: &mut Site, sources: &Sources, path: &str, page: &Page) {
    let address = sources::address_of(path);
    let html = frame::page(sources, &address, None, page);
    site.insert(address, html.into_bytes());
}

fn path_of(id: &str) -> String {
    format!("mechanisms/{id}.md")
}

fn rows() -> Result<Vec<Value>> {
    let mut command = Command::new(program::privet()?);
    command.args(["mechanisms", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&capture(command)?).context("`privet mechanisms --json`")?;
    if rows.is_empty() {
        bail!("`privet mechanisms --json` lists nothing");
    }
    Ok(rows)
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_default()
}

/// The row of the list, as a table with a line for each of its facts.
fn facts(row: &Value) -> String {
    let synonyms: Vec<&str> =
        row["synonyms"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let code = |word: &str| format!("`{word}`");
    let names = std::iter::once(text(row, "id")).chain(synonyms).map(code).collect::<Vec<_>>().join(", ");
    let mut table = format!("| | |\n|---|---|\n| names | {names} |\n");
    for key in ["domain", "goal", "guarantee", "numerics", "slack", "reference", "status"] {
        table.push_str(&format!("| {key} | {} |\n", text(row, key).replace('|', "\\|")));
    }
    table
}

fn list(rows: &[Value]) -> String {
    let mut body = String::from("# Mechanisms\n\n`privet mechanisms` prints this list.\n");
    let mut domains: Vec<&str> = Vec::new();
    for domain in rows.iter().map(|row| text(row, "domain")) {
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    for domain in domains {
        body.push_str(&format!(
            "\n## On {domain}\n\n| mechanism | for | guarantee | numerics |\n|---|---|---|---|\n"
        ));
        for row in rows.iter().filter(|row| text(row, "domain") == domain) {
            let [id, title, goal, guarantee, numerics] =
                ["id", "title", "goal", "guarantee", "numerics"].map(|key| text(row, key));
            body.push_str(&format!("| [{title}]({id}.html) | {goal} | {guarantee} | {numerics} |\n"));
        }
    }
    body
}

fn written(sources: &Sources) -> Result<Vec<Written>> {
    let mut all = Vec::new();
    for path in FOLDERS.iter().flat_map(|folder| sources.programs(folder)) {
        all.extend(read(path, &sources.text(path)?));
    }
    Ok(all)
}

fn read(path: &str, program: &str) -> Option<Written> {
    let lines: Vec<&str> = program.lines().collect();
    let inside = lines.iter().position(|line| *line == FIRST_SECTION)?;
    let is_comment = |line: &&&str| line.starts_with("///");
    let begin = inside - lines[..inside].iter().rev().take_while(is_comment).count();
    let end = inside + lines[inside..].iter().take_while(is_comment).count();
    let comment =
        lines[begin..end].iter().map(|line| line.strip_prefix("/// ").unwrap_or("")).collect::<Vec<_>>();
    let name = lines[end..].iter().find_map(|line| {
        let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub type "))?;
        rest.split(|letter: char| !letter.is_alphanumeric()).next()
    })?;
    let id_of = |line: &&str| Some(line.trim().strip_prefix("id: \"")?.strip_suffix("\",")?.to_owned());
    Some(Written {
        path: path.to_owned(),
        name: name.to_owned(),
        ids: lines.iter().filter_map(id_of).collect(),
        comment: as_sections(&comment),
    })
}

/// The comment as part of a page: sections one level down, programs without the lines that documentation hides.
fn as_sections(comment: &[&str]) -> String {
    let mut in_program = false;
    let mut page = String::new();
    for line in comment {
        let is_fence = line.starts_with("```");
        if is_fence && !in_program {
            page.push_str("\n```rust\n");
        } else if let Some(section) = line.strip_prefix("# ").filter(|_| !in_program) {
            page.push_str(&format!("\n## {section}\n\n"));
        } else if !(in_program && (*line == "#" || line.starts_with("# "))) {
            page.push_str(line);
            page.push('\n');
        }
        in_program ^= is_fence;
    }
    page
}

/// Links of documentation comments name types: to the pages of those that have one, and as code to the others.
fn linked(comment: &str, pages: &BTreeMap<&str, &str>) -> String {
    let mut parts = comment.split("[`");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((path, rest)) = part.split_once("`]") else {
            text.push_str("[`");
            text.push_str(part);
            continue;
        };
        let path = path.trim_start_matches("super::").trim_start_matches("crate::");
        match pages.get(path) {
            Some(id) => text.push_str(&format!("[`{path}`]({id}.html){rest}")),
            None => text.push_str(&format!("`{path}`{rest}")),
        }
    }
    text
}

/// The commands that show a mechanism: its law at two epsilons, and how its error depends on the value and on epsilon.
fn exhibits(row: &Value) -> Vec<String> {
    let id = text(row, "id");
    let delta = if text(row, "guarantee") == "pure" { "" } else { " --delta 0.00001" };
    let of = |verb: &str, domain: &str, rest: &str| {
        format!("privet {verb} --mechanism {id} --domain {domain}{delta} {rest}")
    };
    let law = |domain: &str, epsilon: u32, inputs: &str| {
        of("describe", domain, &format!("--epsilon {epsilon} --input {inputs} --plot density-{epsilon}.svg"))
    };
    // Those that have to be solved for take seconds at each epsilon.
    let epsilons = if id.contains("minimax") { "1,2,4" } else { "0.5:6:0.5" };
    let errors = |domain: &str, rest: &str| {
        of("error", domain, &format!("--epsilon {epsilons} {rest} --plot errors.svg"))
    };
    match text(row, "domain") {
        "interval" => vec![
            law("interval:0,1", 1, "0,0.5"),
            law("interval:0,1", 4, "0,0.5"),
            of("error", "interval:0,1", "--epsilon 1 --loss absolute --input 0 --plot error.svg"),
            errors("interval:0,1", "--loss absolute --input 0"),
        ],
        "circle" => vec![
            law("circle:360", 1, "90,180"),
            law("circle:360", 4, "90,180"),
            errors("circle:360", "--loss absolute --input 90"),
        ],
        "rectangle" => vec![
            of("describe", "rectangle:0,1,0,1", "--epsilon 1"),
            of("error", "rectangle:0,1,0,1", "--epsilon 1,2,4,8 --loss absolute --worst"),
        ],
        "vector" => {
            vec![of("describe", "vector:8", "--epsilon 1"), errors("vector:8", "--loss squared --worst")]
        }
        "words" => vec![of("describe", "words:12", "--epsilon 1")],
        domain => {
            let domain = if domain == "binary" { "binary" } else { "categories:16" };
            vec![
                of("describe", domain, "--epsilon 1"),
                of("describe", domain, "--epsilon 4"),
                format!("privet advise --domain {domain} --goal frequency --users 10000 --epsilon 1"),
                format!(
                    "privet advise --domain {domain} --goal frequency --users 10000 --epsilon 1 --plot errors.svg"
                ),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "//! One file.\n\n/// The rule of [`Wave`].\npub struct Rule;\n\n/// Wave: a window.\n///\n\
        /// # What it protects\n/// A number. Not [`super::Other`], nor [`super::Unknown`].\n/// # Example\n/// ```\n\
        /// use a::Wave;\n/// # Ok::<(), ()>(())\n/// ```\n#[doc(alias = \"W\")]\npub type Wave = Window<Rule>;\n\n\
        const A: Info = Info {\n    id: \"wave\",\n};\n";

    #[test]
    fn the_comment_of_a_mechanism_becomes_its_page() {
        let read = read("wave.rs", PROGRAM).expect("a mechanism");
        assert_eq!((read.name.as_str(), read.ids.as_slice()), ("Wave", ["wave".to_owned()].as_slice()));
        let page = linked(&read.comment, &BTreeMap::from([("Other", "other")]));
        assert_eq!(
            page,
            "Wave: a window.\n\n\n## What it protects\n\nA number. Not [`Other`](other.html), nor `Unknown`.\n\n\
             ## Example\n\n\n```rust\nuse a::Wave;\n```\n"
        );
    }

    #[test]
    fn other_files_have_no_page() {
        assert!(read("a.rs", "/// What it does.\npub struct A;\n").is_none());
    }
}
