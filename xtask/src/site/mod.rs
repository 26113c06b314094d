//! `cargo xtask site`: the documentation as plain pages, made of the Markdown files and of what the program says.
//!
//! A file of the repository keeps its address: `docs/LOCATIONS.md` becomes `docs/LOCATIONS.html`.

mod frame;
mod links;
mod markdown;
mod mechanisms;
mod sources;
mod workshop;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use markdown::Pictures;
use sources::Sources;
use workshop::Workshop;

use crate::program;

/// Everything that is written: addresses below the site's folder, and contents.
type Site = BTreeMap<String, Vec<u8>>;

pub(crate) fn run() -> Result<ExitCode> {
    let sources = Sources::read()?;
    let folder = program::target_folder()?.join("site");
    let workshop = Workshop::open(program::target_folder()?.join("site-work"))?;
    let site = build(&sources, Some(&workshop))?;
    refuse(&links::problems(&site))?;
    write(&site, &folder)?;
    println!("{} files, begin with {}", site.len(), folder.join("index.html").display());
    Ok(ExitCode::SUCCESS)
}

/// Builds everything but the pictures, and follows all links.
pub(crate) fn check() -> Result<()> {
    refuse(&links::problems(&build(&Sources::read()?, None)?))
}

fn refuse(problems: &[String]) -> Result<()> {
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(())
}

fn build(sources: &Sources, workshop: Option<&Workshop>) -> Result<Site> {
    let mut site = Site::from([("style.css".to_owned(), frame::STYLE.as_bytes().to_vec())]);
    for path in sources.pages() {
        let text = sources.text(path)?;
        let pictures = match workshop {
            Some(workshop) => workshop.pictures_of_page(path, &text)?,
            None => Pictures::new(),
        };
        let page = markdown::render(path, &text, sources, &pictures);
        let address = sources::address_of(path);
        let html = frame::page(sources, &address, Some(path), &page);
        keep_pictures(&mut site, pictures);
        for file in page.files {
            site.insert(sources::address_of(&file), sources.bytes(&file)?);
        }
        site.insert(address, html.into_bytes());
    }
    mechanisms::add_pages(&mut site, sources, workshop)?;
    Ok(site)
}

fn keep_pictures(site: &mut Site, pictures: Pictures) {
    site.extend(pictures.into_values().map(|picture| (picture.address, picture.content)));
}

/// A site of an earlier run may hold pages that are no longer there, so its folder is emptied first.
fn write(site: &Site, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    for (address, content) in site {
        let file = folder.join(address);
        let parent = file.parent().context("a file is in a folder")?;
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        std::fs::write(&file, content).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
