//! Drawings: what they contain, and what happens when they cannot be made.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;

const DENSITY: &str = "describe --mechanism ogpm --domain interval:0,1 --epsilon 1";
const ERROR: &str = "error --mechanism ogpm,duchi --domain interval:0,1 --loss absolute --input 0.5";

/// The places of the lines with a colour.
fn lines(svg: &str, colour: &str) -> Vec<Vec<[f64; 2]>> {
    let is_own =
        |line: &&str| line.starts_with("<polyline") && line.contains(&format!("stroke=\"{colour}\""));
    let points = |line: &str| {
        let list = line.split('"').nth(1).unwrap();
        list.split(' ')
            .map(|point| {
                let (x, y) = point.split_once(',').unwrap();
                [x.parse().unwrap(), y.parse().unwrap()]
            })
            .collect()
    };
    svg.lines().filter(is_own).map(points).collect()
}

const BLUE: &str = "#0072b2";

#[test]
fn densities() {
    let folder = Folder::new();
    let page = folder.succeed(&format!("{DENSITY} --input 0,0.5 --plot d.svg"));
    assert!(page.ends_with("\nDrawn in d.svg.\n"), "{page}");
    let svg = folder.text("d.svg");
    for text in ["Optimal piecewise mechanism, interval:0,1, epsilon 1", ">x = 0<", ">x = 0.5<", ">density<"]
    {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("href") && !svg.contains("url("));
    // Up, along the window, down, along the rest, down; and a sample in the legend.
    let all = lines(&svg, BLUE);
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [6, 2]);
    let [window, whole] = [all[0][2][0] - all[0][1][0], all[0][4][0] - all[0][1][0]];
    assert!((window / whole - 0.3775).abs() < 1e-3, "{window} {whole}");
    let [high, low] = [1, 3].map(|index| all[0][0][1] - all[0][index][1]);
    assert!((high / low - 1f64.exp()).abs() < 0.02, "{high} {low}");
}

#[test]
fn densities_go_around_a_circle() {
    let folder = Folder::new();
    let circle =
        "describe --mechanism optimal-piecewise-circle --domain circle:6.283185307179586 --epsilon 1";
    folder.succeed(&format!("{circle} --input 0 --plot d.svg"));
    let svg = folder.text("d.svg");
    let line = &lines(&svg, BLUE)[0];
    assert_eq!(line.first().unwrap()[1], line.last().unwrap()[1]);
    assert!(svg.contains(">π/2<") && svg.contains("circle:2π"), "{svg}");
}

#[test]
fn single_numbers_are_stems_with_their_probabilities() {
    let folder = Folder::new();
    folder.succeed("describe --mechanism duchi --domain interval:0,1 --epsilon 1 --input 0 --plot d.svg");
    let svg = folder.text("d.svg");
    assert!(svg.contains(">0.731<") && svg.contains(">0.269<"), "{svg}");
    assert!(svg.contains("probability of a single number") && !svg.contains(">density<"));
}

#[test]
fn errors_over_the_domain_and_over_epsilon() {
    let folder = Folder::new();
    folder.succeed(&format!("{ERROR} --epsilon 1 --plot domain.svg"));
    let svg = folder.text("domain.svg");
    assert!(svg.contains(">optimal-piecewise<") && svg.contains(">duchi<"));
    assert_eq!(lines(&svg, BLUE)[0].len(), 401);
    folder.succeed(&format!("{ERROR} --epsilon 1,2,4 --plot epsilon.svg"));
    let svg = folder.text("epsilon.svg");
    assert!(
        svg.contains(">epsilon<") && svg.contains("error of one report at 0.5, on interval:0,1"),
        "{svg}"
    );
    assert_eq!(lines(&svg, BLUE)[0].len(), 3);
}

/// With no fonts to be found, too.
#[test]
fn pictures() {
    let folder = Folder::new();
    folder.succeed(&format!("{DENSITY} --plot d.png"));
    let png = folder.read("d.png");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((&png[12..16], side(16), side(20)), (&b"IHDR"[..], 1600, 960));
    // An empty page would be much smaller.
    assert!(png.len() > 15_000, "{}", png.len());
}

#[test]
fn the_answer_is_the_same_with_a_drawing() {
    let folder = Folder::new();
    assert_eq!(folder.json(&format!("{DENSITY} --plot d.svg")), folder.json(DENSITY));
    folder.write("e.SVG", "old");
    assert_eq!(
        folder.json(&format!("{ERROR} --epsilon 1 --plot e.SVG")),
        folder.json(&format!("{ERROR} --epsilon 1"))
    );
    assert!(folder.text("e.SVG").starts_with("<svg "));
    assert_eq!(folder.names(), ["d.svg", "e.SVG"]);
}

#[test]
fn extreme_domains_are_drawn() {
    let folder = Folder::new();
    for domain in ["interval:0,1e-300", "interval:-1e300,1e300", "interval:1000000000,1000000001"] {
        for id in ["ogpm", "duchi", "laplace-truncated"] {
            let flags = format!("--mechanism {id} --domain {domain} --epsilon 1 --plot d.svg");
            folder.succeed(&format!("describe {flags}"));
            let svg = folder.text("d.svg");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{flags}\n{svg}");
        }
    }
}

#[test]
fn drawings_that_cannot_be_made() {
    let folder = Folder::new();
    let hint = "hint: name it .svg or .png\n";
    for (command, name) in [(DENSITY, "d.pdf"), (DENSITY, "svg"), ("error --epsilon 1", "-")] {
        let command = command.replace("error", ERROR);
        let ending = folder.run(&format!("{command} --plot {name}"));
        let message =
            format!("error: cannot tell the format of the plot {name} from its name [usage]\n{hint}");
        assert_eq!((ending.code, ending.stderr, ending.stdout), (2, message, String::new()));
    }
    let missing = folder.run(&format!("{DENSITY} --plot no/d.svg"));
    let message = "error: cannot write no/d.svg: No such file or directory (os error 2) [file]\n";
    assert_eq!((missing.code, missing.stderr.as_str(), missing.stdout.as_str()), (74, message, ""));
    let categories = folder.run("describe --mechanism grr --domain categories:3 --epsilon 1 --plot d.svg");
    assert_eq!(categories.code, 2);
    assert!(
        categories
            .stderr
            .starts_with("error: densities are drawn of numbers and angles: got categories:3 [usage]\n")
    );
    assert!(folder.names().is_empty());
}
