//! What is written for a paper.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

use privet_papers::report::Folder;
use privet_papers::{Effort, Paper, ReproduceError, Reproduction, Request, Verdict, data, reproduce};
use std::path::{Path, PathBuf};

fn request(papers: &[Paper], figure: Option<&str>, data: PathBuf) -> Request {
    Request { papers: papers.to_vec(), figure: figure.map(str::to_owned), effort: Effort::Quick, data }
}

fn run(papers: &[Paper], figure: Option<&str>, data: PathBuf) -> Result<Vec<Reproduction>, ReproduceError> {
    reproduce(&request(papers, figure, data), &|_| {})
}

/// All figures of one paper, as far as a folder is concerned.
fn open(path: &Path, paper: Paper) -> Result<Folder, ReproduceError> {
    Folder::open(path, &request(&[paper], None, PathBuf::new()))
}

/// Pages that can be looked at after the test.
#[test]
fn papers_have_rows_charts_and_pages() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::remove_dir_all(&folder).ok();
    let reproductions = run(&[Paper::Jrr], None, data::folder()).unwrap();
    let index = open(&folder, Paper::Jrr).unwrap().write(&reproductions).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("jrr/rows.csv").starts_with("figure,series,x,ours,paper\n"));
    assert!(read("jrr/rows.csv").contains("\n4.6,jrr-fig46-10000,"));
    assert!(read("jrr/4.5-10000-people.svg").starts_with("<svg"));
    // Tints have their scale in the chart, and their numbers in the table.
    assert!(read("jrr/4.1.svg").contains(">variance (people^2)<"));
    assert!(read("jrr/rows.csv").contains("\n4.1,variance (people^2) at rho "));
    assert!(std::fs::read(folder.join("jrr/4.5-10000-people.png")).unwrap().starts_with(b"\x89PNG"));
    let page = read("jrr.html");
    assert!(page.contains("Figure 4.5") && page.contains("id=\"jrr-fig46-10000\"") && !page.contains("src="));
    assert_eq!(page.matches("<svg").count(), page.matches("role=\"img\"").count());
    assert!(std::fs::read_to_string(index).unwrap().contains("href=\"jrr.html#4.5\""));
    assert!(
        read("jrr/claims.csv")
            .starts_with("id,figure,place,sentence,quantity,x,printed,ours,unit,tolerance,")
    );
}

/// What a folder holds is replaced by the same, and by nothing else.
#[test]
fn results_are_not_lost_to_another_request() {
    let folder = tempfile::tempdir().unwrap();
    let one = request(&[Paper::Jrr], Some("4.6"), PathBuf::new());
    let reproductions = reproduce(&one, &|_| {}).unwrap();
    Folder::open(folder.path(), &one).unwrap().write(&reproductions).unwrap();
    let orphan = folder.path().join("jrr/of-an-earlier-version.svg");
    std::fs::write(&orphan, "").unwrap();
    Folder::open(folder.path(), &one).unwrap().write(&reproductions).unwrap();
    assert!(!orphan.exists());
    let full = Request { effort: Effort::Full, ..one.clone() };
    let other = request(&[Paper::Jrr], Some("4.5"), PathBuf::new());
    for request in [full, other, request(&[Paper::Jrr], None, PathBuf::new())] {
        let error = Folder::open(folder.path(), &request).unwrap_err();
        assert!(
            error.to_string().ends_with("holds figure 4.6 of jrr (quick): nothing in it is touched"),
            "{error}"
        );
    }
    let names = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut left: Vec<String> = folder.path().read_dir().unwrap().map(names).collect();
    left.sort_unstable();
    assert_eq!(left, [".privet-reproduce", "index.html", "jrr", "jrr.html"]);
}

/// A folder that cannot be written in the middle of the work is as it was.
#[test]
fn a_failed_write_leaves_the_folder_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let one = request(&[Paper::Jrr], Some("4.6"), PathBuf::new());
    let mut reproductions = reproduce(&one, &|_| {}).unwrap();
    let open = Folder::open(folder.path(), &one).unwrap();
    open.write(&reproductions).unwrap();
    let page = std::fs::read(folder.path().join("jrr.html")).unwrap();
    // Two papers of one name are two folders of one name, and the second cannot be made.
    reproductions.extend(reproduce(&one, &|_| {}).unwrap());
    assert!(matches!(open.write(&reproductions), Err(ReproduceError::File { .. })));
    assert_eq!(std::fs::read(folder.path().join("jrr.html")).unwrap(), page);
    assert_eq!(folder.path().read_dir().unwrap().count(), 4);
}

/// One damaged file costs one figure.
#[test]
fn a_damaged_file_costs_its_figure_only() {
    let data = tempfile::tempdir().unwrap();
    std::fs::create_dir(data.path().join("jrr")).unwrap();
    for name in ["kosarak", "amazon", "ecommerce", "census"] {
        std::fs::write(data.path().join(format!("jrr/{name}.csv")), "value\nyes\n").unwrap();
    }
    let jrr = run(&[Paper::Jrr], Some("table 4.3"), data.path().to_owned()).unwrap().remove(0);
    let problems: Vec<String> = jrr.failed().map(|(_, problem)| problem.to_string()).collect();
    assert!(problems.len() == 1 && problems[0].contains("kosarak.csv"), "{problems:?}");
    assert!(
        Verdict::ALL
            .into_iter()
            .all(|verdict| verdict == Verdict::CannotBeChecked || jrr.count(verdict) == 0)
    );
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
    let request = request(&[Paper::Classifier], Some("7.4"), data::folder());
    Folder::open(folder.path(), &request).unwrap().write(&reproductions).unwrap();
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
    assert!(matches!(open(folder.path(), Paper::Jrr), Err(ReproduceError::NotOurs { .. })));
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    let file = folder.path().join("thesis.txt");
    assert!(matches!(open(&file, Paper::Jrr), Err(ReproduceError::NotOurs { .. })));
    let new = folder.path().join("new/papers");
    open(&new, Paper::Jrr).unwrap();
    assert!(!new.exists(), "looking writes nothing");
}

#[test]
fn a_figure_without_its_data_is_skipped_and_its_claims_are_not_run() {
    let nothing = tempfile::tempdir().unwrap();
    let jrr = run(&[Paper::Jrr], Some("table 4.3"), nothing.path().to_owned()).unwrap().remove(0);
    assert_eq!(jrr.skipped().count(), 1);
    assert!(jrr.figures[0].missing[0].how_to_get().contains("jrr/kosarak.csv"));
    assert!(jrr.rows().is_empty() && jrr.outcomes.iter().all(|outcome| outcome.basis.as_str() == "not run"));
    assert!(jrr.changed().count() == 0 && jrr.not_run() > 10);
    let counted: usize = Verdict::ALL.into_iter().map(|verdict| jrr.count(verdict)).sum();
    assert_eq!(counted + jrr.not_run(), jrr.outcomes.len());
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
