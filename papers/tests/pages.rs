//! What is written for a paper.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_papers::{Effort, Paper, ReproduceError, Reproduction, Request, data, report, reproduce};
use std::path::{Path, PathBuf};

fn run(papers: &[Paper], figure: Option<&str>, data: PathBuf) -> Result<Vec<Reproduction>, ReproduceError> {
    let figure = figure.map(str::to_owned);
    reproduce(&Request { papers: papers.to_vec(), figure, effort: Effort::Quick, data }, &|_| {})
}

/// Pages that can be looked at after the test.
#[test]
fn papers_have_rows_charts_and_pages() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::remove_dir_all(&folder).ok();
    let reproductions = run(&[Paper::Jrr], None, data::folder()).unwrap();
    let index = report::write_all(&folder, &reproductions).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("jrr/rows.csv").starts_with("figure,series,x,ours,paper\n"));
    assert!(read("jrr/rows.csv").contains("\n4.6,jrr-fig46-10000,"));
    assert!(read("jrr/4.5-10000-people.svg").starts_with("<svg"));
    assert!(std::fs::read(folder.join("jrr/4.5-10000-people.png")).unwrap().starts_with(b"\x89PNG"));
    let page = read("jrr.html");
    assert!(page.contains("Figure 4.5") && page.contains("id=\"jrr-fig46-10000\"") && !page.contains("src="));
    assert_eq!(page.matches("<svg").count(), page.matches("role=\"img\"").count());
    assert!(std::fs::read_to_string(index).unwrap().contains("href=\"jrr.html#4.5\""));
    // The folder is ours now, and may be written again.
    report::check(&folder).unwrap();
}

/// Labels over two features are drawn as a map.
#[test]
fn maps_are_pictures_of_their_figure() {
    let reproductions = run(&[Paper::Classifier], Some("7.4"), data::folder()).unwrap();
    if reproductions[0].skipped().count() > 0 {
        println!("the network of Figure 7.4 is missing; set PRIVET_DATA to run this test");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    report::write_all(folder.path(), &reproductions).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let map = read("classifier/7.4-boxes.svg");
    assert!(map.contains("Figure 7.4, boxes: ") && map.contains(">certified box<"), "{map}");
    assert!(std::fs::read(folder.path().join("classifier/7.4-boxes.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(read("classifier.html").matches("class 1, as the record").count(), 2);
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
    assert!(matches!(report::check(folder.path()), Err(ReproduceError::NotOurs { .. })));
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    let file = folder.path().join("thesis.txt");
    assert!(matches!(report::check(&file), Err(ReproduceError::NotOurs { .. })));
    let new = folder.path().join("new/papers");
    report::check(&new).unwrap();
    assert!(!new.exists(), "looking writes nothing");
}

#[test]
fn a_figure_without_its_data_is_skipped_and_its_claims_are_not_run() {
    let nothing = tempfile::tempdir().unwrap();
    let jrr = run(&[Paper::Jrr], Some("table 4.3"), nothing.path().to_owned()).unwrap().remove(0);
    assert_eq!(jrr.skipped().count(), 1);
    assert!(jrr.figures[0].missing[0].how_to_get().contains("jrr/kosarak.csv"));
    assert!(jrr.rows().is_empty() && jrr.outcomes.iter().all(|outcome| outcome.basis.as_str() == "not run"));
    assert_eq!(jrr.changed().count(), 0);
}

#[test]
fn figures_have_names() {
    let missing = || PathBuf::new();
    let figure = run(&[Paper::Jrr], Some("Figure 4.6"), missing()).unwrap().remove(0);
    assert_eq!(figure.figures.len(), 1);
    assert!(figure.outcomes.iter().all(|outcome| outcome.claim.figure == "4.6"));
    // Papers without the figure have no page, so that none is replaced by an empty one.
    let papers = run(&Paper::ALL, Some("4.6"), missing()).unwrap();
    assert_eq!(papers.iter().map(|paper| paper.paper).collect::<Vec<_>>(), [Paper::Jrr]);
    let error = run(&[Paper::Jrr], Some("9.9"), missing()).unwrap_err();
    assert!(error.to_string().starts_with("jrr has no figure \"9.9\"; it has example 2,"), "{error}");
    assert!("thesis".parse::<Paper>().unwrap_err().to_string().contains("jrr, ogpm, tracs"));
}

/// Every table of claims can be read, and every figure that a claim names has one name only.
#[test]
fn claims_can_be_read() {
    for paper in Paper::ALL {
        let claims = paper.claims().unwrap();
        assert!(claims.len() >= 60, "{}", paper.as_str());
        let mut ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), claims.len());
        let mut figures: Vec<&str> = paper.figures().iter().map(|figure| figure.id).collect();
        figures.sort_unstable();
        figures.dedup();
        assert_eq!(figures.len(), paper.figures().len());
    }
}

/// No rule sees it when the printed number of a claim that is not reproduced, or that nobody can check, becomes another one. Whoever
/// changes a number looks it up in the paper, and then changes this.
#[test]
fn printed_numbers_are_those_that_were_read_in_the_papers() {
    let digests = Paper::ALL.map(|paper| {
        let claims = paper.claims().unwrap();
        let lines = claims.iter().map(|claim| format!("{},{}\n", claim.id, claim.printed));
        (paper.as_str(), format!("{:016x}", fnv(&lines.collect::<String>())))
    });
    let expected = [
        ("jrr", "2fb744f1334117a6"),
        ("ogpm", "d5c5bbd68b60e686"),
        ("tracs", "da925255e5938a5a"),
        ("classifier", "8049f66fe35c2609"),
        ("reshape", "752f65eb76bc1feb"),
    ];
    assert_eq!(digests, expected.map(|(paper, digest)| (paper, digest.to_owned())));
}

/// The hash of Fowler, Noll and Vo.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
