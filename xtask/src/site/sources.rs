//! The tracked files of the repository, and their addresses on the site.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use crate::words::tracked_files;

/// Names of tracked files, with slashes.
#[derive(Debug)]
pub(crate) struct Sources {
    files: BTreeSet<String>,
}

impl Sources {
    pub(crate) fn read() -> Result<Self> {
        Ok(Self { files: tracked_files()?.into_iter().collect() })
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[&str]) -> Self {
        Self { files: files.iter().map(|file| (*file).to_owned()).collect() }
    }

    /// The Markdown files: each becomes a page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str).filter(|path| path.ends_with(".md"))
    }

    /// The Rust files of a folder and the folders in it.
    pub(crate) fn programs(&self, folder: &str) -> impl Iterator<Item = &str> {
        self.files
            .iter()
            .map(String::as_str)
            .filter(move |path| path.starts_with(folder) && path.ends_with(".rs"))
    }

    /// The file that a link leads to: itself, or what introduces the folder.
    pub(crate) fn find(&self, path: &str) -> Option<&str> {
        let introduction = if path.is_empty() { "README.md".to_owned() } else { format!("{path}/README.md") };
        [path, &introduction].into_iter().find_map(|name| self.files.get(name)).map(String::as_str)
    }

    pub(crate) fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        std::fs::read(path).with_context(|| format!("cannot read {path}"))
    }

    pub(crate) fn text(&self, path: &str) -> Result<String> {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))
    }
}

/// Where a file is on the site. A browser shows pictures and plain text, so everything else is plain text.
pub(crate) fn address_of(path: &str) -> String {
    let folder_of_readme =
        path.strip_suffix("README.md").filter(|folder| folder.is_empty() || folder.ends_with('/'));
    if let Some(folder) = folder_of_readme {
        format!("{folder}index.html")
    } else if let Some(stem) = path.strip_suffix(".md") {
        format!("{stem}.html")
    } else if path.ends_with(".svg") || path.ends_with(".png") {
        path.to_owned()
    } else {
        format!("{path}.txt")
    }
}

/// The path that a link on a page means, without `.` and `..`; `None` if it leaves the repository.
pub(crate) fn resolve(page: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The way from one address of the site to another.
pub(crate) fn way(from: &str, to: &str) -> String {
    format!("{}{to}", "../".repeat(from.matches('/').count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_their_addresses() {
        assert_eq!(address_of("README.md"), "index.html");
        assert_eq!(address_of("papers/reshape/README.md"), "papers/reshape/index.html");
        assert_eq!(address_of("docs/LOCATIONS.md"), "docs/LOCATIONS.html");
        assert_eq!(address_of("docs/NOT_README.md"), "docs/NOT_README.html");
        assert_eq!(address_of("docs/overview.svg"), "docs/overview.svg");
        assert_eq!(address_of("crates/a/src/lib.rs"), "crates/a/src/lib.rs.txt");
    }

    #[test]
    fn links_are_resolved_against_their_page() {
        assert_eq!(resolve("docs/A.md", "../crates/x.rs").as_deref(), Some("crates/x.rs"));
        assert_eq!(resolve("docs/A.md", "./B.md").as_deref(), Some("docs/B.md"));
        assert_eq!(resolve("A.md", "docs/").as_deref(), Some("docs"));
        assert_eq!(resolve("A.md", "../elsewhere"), None);
        assert_eq!(way("docs/A.html", "index.html"), "../index.html");
    }

    #[test]
    fn folders_lead_to_their_introduction() {
        let sources = Sources::of(&["README.md", "papers/README.md", "a.rs"]);
        assert_eq!(sources.find("papers"), Some("papers/README.md"));
        assert_eq!(sources.find(""), Some("README.md"));
        assert_eq!(sources.find("a.rs"), Some("a.rs"));
        assert_eq!(sources.find("b.rs"), None);
    }
}
