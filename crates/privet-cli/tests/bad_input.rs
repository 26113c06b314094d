//! Bad input: a clear error with its code and exit status, nothing half-written, no panic, and no raw value in a message.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{COLOURS, Folder, colours};

/// Runs a command that must fail with exactly this message, and leave no file behind but those that were there.
fn refuses(folder: &Folder, line: &str, code: i32, stderr: &str) {
    let before = folder.names();
    let ending = folder.run(line);
    assert_eq!(ending.stderr, stderr, "{line}");
    assert_eq!(ending.code, code, "{line}");
    assert_eq!(ending.stdout, "", "{line}");
    assert_eq!(folder.names(), before, "{line}");
}

fn refuses_values(input: &str, content: &str, code: i32, stderr: &str) {
    let folder = Folder::new();
    folder.write(input, content);
    for out in ["out.csv", "out.jsonl", "out.parquet"] {
        let line = format!("perturb {COLOURS} --column colour --in {input} --out {out}");
        refuses(&folder, &line, code, stderr);
    }
}

/// The same colours at another epsilon.
const OTHER: &str = "--mechanism oue --domain categories:red,green,blue --epsilon 2";

/// The fingerprints of both.
fn fingerprints(folder: &Folder) -> [String; 2] {
    [COLOURS, OTHER].map(|flags| {
        let document = folder.json(&format!("describe {flags}"));
        document["fingerprint"].as_str().unwrap().to_owned()
    })
}

const OUTSIDE: &str = "the value lies outside the domain categories:red,green,blue [input-outside-domain]\n";

#[test]
fn unknown_category() {
    refuses_values("a.csv", "colour\nred\nmauve\n", 65, &format!("error: a.csv, row 2: {OUTSIDE}"));
    refuses_values("a.jsonl", "{\"colour\":\"mauve\"}\n", 65, &format!("error: a.jsonl, row 1: {OUTSIDE}"));
    let numbers = "perturb --mechanism grr --domain categories:3 --epsilon 1 --column n --out out.csv";
    let folder = Folder::new();
    folder.write("n.csv", "n\n0\n7\n");
    let hint = "hint: `--clamp` moves values outside the domain to the nearest one inside\n";
    let message =
        "error: n.csv, row 2: the value lies outside the domain categories:3 [input-outside-domain]\n";
    refuses(&folder, &format!("{numbers} --in n.csv"), 65, &format!("{message}{hint}"));
    assert_eq!(folder.run(&format!("{numbers} --in n.csv --clamp")).code, 0);
}

#[test]
fn a_bad_row_after_many_good_ones_is_named_and_leaves_nothing_behind() {
    let folder = Folder::new();
    folder.write("a.csv", colours(70_000) + "70000,mauve,x\n" + "70001,,x\n");
    for out in ["out.csv", "out.jsonl", "out.parquet"] {
        let line = format!("perturb {COLOURS} --column colour --in a.csv --out {out} --keep city");
        refuses(&folder, &line, 65, &format!("error: a.csv, row 70001: {OUTSIDE}"));
    }
}

#[test]
fn the_first_bad_row_is_the_one_that_is_named() {
    let folder = Folder::new();
    folder.write("n.csv", "n\n0\n9\nx\n");
    let ending = folder
        .run("perturb --mechanism grr --domain categories:3 --epsilon 1 --column n --in n.csv --out out.csv");
    assert!(ending.stderr.starts_with("error: n.csv, row 2:"), "{}", ending.stderr);
}

#[test]
fn not_a_number() {
    let folder = Folder::new();
    folder.write("n.csv", "n\n0\nNaN\n");
    folder.write("n.jsonl", "{\"n\":0}\n{\"n\":NaN}\n");
    let line = "perturb --mechanism grr --domain categories:3 --epsilon 1 --column n --out out.csv";
    let message = "the value lies outside the domain categories:3 [input-outside-domain]\n";
    refuses(&folder, &format!("{line} --in n.csv"), 65, &format!("error: n.csv, row 2: {message}"));
    // A value that has no nearest one is refused with --clamp, too.
    refuses(&folder, &format!("{line} --clamp --in n.csv"), 65, &format!("error: n.csv, row 2: {message}"));
    let no_json = "error: n.jsonl, row 2: the row is not a JSON object [data-not-an-object]\n";
    refuses(&folder, &format!("{line} --in n.jsonl"), 65, no_json);
}

#[test]
fn missing_values() {
    let hint = "hint: leave out rows without a value, or give them a category of their own\n";
    let message = |place: &str| format!("error: {place}: the value is missing [data-missing-value]\n{hint}");
    refuses_values("a.csv", "id,colour\n1,red\n2,\n", 65, &message("a.csv, row 2"));
    refuses_values("a.csv", "colour\nred\n\nblue\n", 65, &message("a.csv, row 2"));
    refuses_values("a.csv", "colour\r\nred\r\n\r\nblue\r\n", 65, &message("a.csv, row 2"));
    refuses_values("a.csv", "colour\nred\n\"\"\n", 65, &message("a.csv, row 2"));
    refuses_values("a.jsonl", "{\"colour\":null}\n", 65, &message("a.jsonl, row 1"));
}

#[test]
fn empty_files() {
    refuses_values("a.csv", "", 65, "error: a.csv: the file is empty [data-empty]\n");
    refuses_values("a.csv", "colour\n", 65, "error: a.csv: there are no rows [data-no-rows]\n");
    refuses_values("a.jsonl", "", 65, "error: a.jsonl: there are no rows [data-no-rows]\n");
    refuses_values("a.parquet", "", 65, "error: a.parquet: the file is empty [data-empty]\n");
    let folder = Folder::new();
    folder.write("r.csv", "report\n");
    let message = "error: an estimate needs at least 1 reports: got 0 [estimate-too-few-reports]\n";
    let line = format!("estimate {COLOURS} --in r.csv --summary-out r.summary");
    refuses(&folder, &line, 75, message);
}

#[test]
fn missing_column() {
    refuses_values(
        "a.csv",
        "id,color\n1,red\n",
        65,
        "error: a.csv: there is no column called \"colour\" [data-missing-column]\nhint: the columns are id, color\n",
    );
    refuses_values(
        "a.jsonl",
        "{\"color\":\"red\"}\n",
        65,
        "error: a.jsonl, row 1: there is no column called \"colour\" [data-missing-column]\n",
    );
    refuses_values(
        "a.csv",
        "colour,colour\nred,red\n",
        65,
        "error: a.csv: two columns are called \"colour\" [data-duplicate-column]\n",
    );
    let folder = Folder::new();
    folder.write("a.csv", colours(3));
    folder.succeed(&format!("perturb {COLOURS} --column colour --in a.csv --out r.parquet"));
    refuses(
        &folder,
        &format!("estimate {COLOURS} --in r.parquet --column reports"),
        65,
        "error: r.parquet: there is no column called \"reports\" [data-missing-column]\nhint: the columns are report\n",
    );
}

#[test]
fn malformed_rows() {
    refuses_values(
        "a.csv",
        "id,colour\n1,red,secret\n",
        65,
        "error: a.csv, row 1: there are 3 cells, but 2 in the header [data-cell-count]\n",
    );
    for content in ["[1]\n", "secret\n", "{\"colour\":\"red\"\n", "{\"colour\":\"red\"} secret\n"] {
        let message = "error: a.jsonl, row 1: the row is not a JSON object [data-not-an-object]\n";
        refuses_values("a.jsonl", content, 65, message);
    }
    for value in ["[\"secret\"]", "{\"secret\":1}"] {
        let message = "error: a.jsonl, row 1: the value is a list or an object [data-nested-value]\n";
        refuses_values("a.jsonl", &format!("{{\"colour\":{value}}}\n"), 65, message);
    }
    refuses_values(
        "a.jsonl",
        "{\"colour\":\"red\",\"colour\":\"red\"}\n",
        65,
        "error: a.jsonl, row 1: two columns are called \"colour\" [data-duplicate-column]\n",
    );
}

#[test]
fn damaged_parquet() {
    let folder = Folder::new();
    folder.write("a.csv", colours(5_000));
    folder.succeed(&format!("perturb {COLOURS} --column colour --in a.csv --out whole.parquet --keep city"));
    let whole = folder.read("whole.parquet");
    let message = "error: bad.parquet: damaged, truncated or not parquet [data-damaged]\n";
    let refuses_bytes = |bytes: &[u8]| {
        folder.write("bad.parquet", bytes);
        refuses(&folder, &format!("estimate {COLOURS} --in bad.parquet"), 65, message);
        let line = format!("perturb {COLOURS} --column city --in bad.parquet --out out.parquet");
        refuses(&folder, &line, 65, message);
    };
    for twelfth in 1..12 {
        refuses_bytes(&whole[..whole.len() * twelfth / 12]);
    }
    for missing in [1, 2, 4, 8, 9, 100] {
        refuses_bytes(&whole[..whole.len() - missing]);
    }
    refuses_bytes(b"PAR1");
    refuses_bytes(&b"PAR1secretsecretPAR1"[..]);
    refuses_bytes(&[b'x'; 1000]);
}

/// Flipped bytes may lead to an error or, where nobody looks, to none; but never to a panic.
#[test]
fn flipped_bytes_in_parquet_never_panic() {
    let folder = Folder::new();
    folder.write("a.csv", colours(3_000));
    folder.succeed(&format!("perturb {COLOURS} --column colour --in a.csv --out whole.parquet --keep city"));
    let whole = folder.read("whole.parquet");
    let footer =
        whole.len() - 8 - u32::from_le_bytes(whole[whole.len() - 8..][..4].try_into().unwrap()) as usize;
    let mut state = 1u64;
    let mut draw = |bound: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % bound
    };
    for round in 0..120 {
        let mut bytes = whole.clone();
        for _ in 0..=draw(4) {
            let position = if round % 2 == 0 { footer + draw(whole.len() - footer) } else { draw(300) };
            bytes[position] ^= 1 << draw(8);
        }
        folder.write("bad.parquet", &bytes);
        let ending = folder.run(&format!("estimate {COLOURS} --in bad.parquet"));
        assert!([0, 65].contains(&ending.code), "round {round}: {ending:?}");
        assert!(!ending.stderr.contains("panicked"), "round {round}: {}", ending.stderr);
    }
}

#[test]
fn bad_epsilons() {
    let folder = Folder::new();
    folder.write("a.csv", "colour\nred\n");
    let hint = "hint: common choices lie between 0.5 (strong) and 8 (weak); there is no default\n";
    for (text, shown) in [("0", "0"), ("-1", "-1"), ("NaN", "NaN"), ("inf", "inf"), ("-inf", "-inf")] {
        let message =
            format!("error: epsilon must be finite and greater than 0: got {shown} [parameter-epsilon]\n");
        let flags = format!("--mechanism grr --domain categories:red,green --epsilon {text}");
        let stderr = format!("{message}{hint}");
        refuses(&folder, &format!("perturb {flags} --column colour --in a.csv --out o.csv"), 2, &stderr);
        refuses(&folder, &format!("estimate {flags} --in a.csv"), 2, &stderr);
        refuses(&folder, &format!("describe {flags}"), 2, &stderr);
        refuses(&folder, &format!("audit {flags}"), 2, &stderr);
        refuses(&folder, &format!("simulate {flags} --in a.csv --column colour"), 2, &stderr);
    }
    refuses(
        &folder,
        "describe --mechanism grr --domain binary --epsilon one",
        2,
        "error: epsilon must be a number: got \"one\" [usage]\n\
         hint: write a number such as 1.5, a list such as 1,2,4, or a range such as 1:8:0.5\n",
    );
    refuses(
        &folder,
        "audit --mechanism grr --domain binary --epsilon 4:1:1",
        2,
        "error: cannot read the range \"4:1:1\" [usage]\n\
         hint: a range is first:last:step with first <= last and at most 10000 steps, such as 1:8:0.5\n",
    );
}

#[test]
fn bad_domains() {
    let folder = Folder::new();
    for (domain, stderr) in [
        (
            "categories:1",
            "error: the number of categories must be between 2 and 1073741824: got 1 [parameter-category-count]\n",
        ),
        (
            "categories:red",
            "error: the number of categories must be between 2 and 1073741824: got 1 [parameter-category-count]\n",
        ),
        (
            "categories:red,green,red",
            "error: category labels must differ: \"red\" is given twice [parameter-duplicate-label]\n",
        ),
        ("categories:red,,green", "error: category labels must not be empty [parameter-empty-label]\n"),
        (
            "cube:3",
            "error: cannot read the domain \"cube:3\": the kind is not known [parameter-domain-syntax]\n\
             hint: write binary, categories:128, categories:red,green,blue, words:12, interval:0,1, circle:360, rectangle:0,1,0,1 or vector:64\n",
        ),
        (
            "words:8",
            "error: generalized-randomized-response works on categories: got words:8 [parameter-wrong-domain]\n",
        ),
    ] {
        refuses(&folder, &format!("describe --mechanism grr --domain {domain} --epsilon 1"), 2, stderr);
    }
}

#[test]
fn unknown_mechanisms() {
    let folder = Folder::new();
    refuses(
        &folder,
        "describe --mechanism optimised-unary-encoding --domain binary --epsilon 1",
        2,
        "error: there is no mechanism called \"optimised-unary-encoding\" [parameter-unknown-mechanism]\n\
         hint: did you mean optimized-unary-encoding? `privet mechanisms` lists them all\n",
    );
    refuses(
        &folder,
        "describe --mechanism zebra --domain binary --epsilon 1",
        2,
        "error: there is no mechanism called \"zebra\" [parameter-unknown-mechanism]\n\
         hint: `privet mechanisms` lists them\n",
    );
}

#[test]
fn reports_from_other_parameters() {
    let folder = Folder::new();
    folder.write("a.csv", colours(10));
    let [ours, theirs] = fingerprints(&folder);
    for format in ["csv", "jsonl", "parquet"] {
        folder.succeed(&format!("perturb {OTHER} --column colour --in a.csv --out r.{format}"));
        let message = format!(
            "error: r.{format}, row 1: the report was made by the mechanism {theirs}, not by {ours} \
             [report-foreign]\nhint: use the mechanism, domain and epsilon that made the reports\n"
        );
        refuses(&folder, &format!("estimate {COLOURS} --in r.{format}"), 65, &message);
    }
}

#[test]
fn reports_that_are_none() {
    let folder = Folder::new();
    folder.write("a.csv", colours(3));
    folder.succeed(&format!("perturb {COLOURS} --column colour --in a.csv --out r.csv"));
    let good = folder.text("r.csv").lines().nth(1).unwrap().to_owned();
    for (report, problem) in [
        ("secret".to_owned(), "a report is written in hexadecimal digits [report-text]"),
        (format!("{good}zz"), "a report is written in hexadecimal digits [report-text]"),
        ("0100".to_owned(), "a report of this mechanism has 10 bytes: got 2 [report-length]"),
        (format!("{good}00"), "a report of this mechanism has 1 bytes: got 2 [report-length]"),
        (
            format!("07{}", &good[2..]),
            "reports of version 7 are not known here: this program reads version 1 [report-version]",
        ),
        (
            format!("{}ff", &good[..good.len() - 2]),
            "the report holds a value that this mechanism cannot produce: a padding bit is set [report-impossible]",
        ),
    ] {
        folder.write("bad.csv", format!("report\n{good}\n{good}\n{report}\n{good}\n"));
        let message = format!("error: bad.csv, row 3: {problem}\n");
        refuses(&folder, &format!("estimate {COLOURS} --in bad.csv --summary-out s.summary"), 65, &message);
    }
}

#[test]
fn seeded_reports_are_refused_unless_asked_for() {
    let folder = Folder::new();
    folder.write("a.csv", colours(3));
    let ending =
        folder.run(&format!("perturb {COLOURS} --column colour --in a.csv --out r.csv --insecure-seed 1"));
    assert_eq!(
        ending.stderr,
        "warning: reports drawn from a fixed seed protect nobody; use them for tests only\n"
    );
    refuses(
        &folder,
        &format!("estimate {COLOURS} --in r.csv"),
        65,
        "error: r.csv, row 1: the report was drawn from an insecure seed [report-insecure-seed]\n\
         hint: seeded reports are for tests; `--insecure-seed` on both sides reads them\n",
    );
    for flag in ["--insecure-seed", "--insecure-seed 1", "--insecure-seed 99"] {
        folder.succeed(&format!("estimate {COLOURS} --in r.csv {flag}"));
    }
    refuses(
        &folder,
        &format!("estimate {COLOURS} --in r.csv --insecure-seed --summary-out s.summary"),
        2,
        "error: a summary does not carry the mark of an insecure seed [usage]\n\
         hint: estimate from seeded reports without --summary-out\n",
    );
}

#[test]
fn foreign_and_damaged_summaries() {
    let folder = Folder::new();
    folder.write("a.csv", colours(10));
    let [ours, theirs] = fingerprints(&folder);
    folder.succeed(&format!("perturb {OTHER} --column colour --in a.csv --out r.csv"));
    folder.succeed(&format!("estimate {OTHER} --in r.csv --summary-out other.summary"));
    let message = format!(
        "error: other.summary: cannot merge a summary of the mechanism {theirs} into one of {ours} [summary-foreign]\n\
         hint: merge summaries of one mechanism, domain and epsilon only\n"
    );
    refuses(&folder, &format!("estimate {COLOURS} --in other.summary"), 65, &message);
    let whole = folder.read("other.summary");
    let damaged = "error: bad.summary: these bytes are not a summary of this mechanism: ";
    for (bytes, reason) in [
        (&whole[..10], "too short for a summary"),
        (&whole[..whole.len() - 1], "the number of counters does not fit the length"),
        (&[7; 100], "not a summary, or of another version"),
    ] {
        folder.write("bad.summary", bytes);
        let message = format!("{damaged}{reason} [summary-malformed]\n");
        refuses(&folder, &format!("estimate {OTHER} --in bad.summary"), 65, &message);
    }
    // One report more than the counters know of, where each says one category.
    let single = "--mechanism grr --domain categories:red,green,blue --epsilon 1";
    folder.succeed(&format!("perturb {single} --column colour --in a.csv --out r.csv"));
    folder.succeed(&format!("estimate {single} --in r.csv --summary-out own.summary"));
    let mut bytes = folder.read("own.summary");
    bytes[12] += 1;
    folder.write("bad.summary", bytes);
    let message = "error: the summary is damaged: the counters do not add up to the number of reports \
                   [estimate-damaged-summary]\n";
    refuses(&folder, &format!("estimate {single} --in bad.summary"), 65, message);
}

#[test]
fn files_that_cannot_be_opened_or_written() {
    let folder = Folder::new();
    folder.write("a.csv", "colour\nred\n");
    let line = format!("perturb {COLOURS} --column colour");
    refuses(
        &folder,
        &format!("{line} --in none.csv --out o.csv"),
        74,
        "error: cannot open none.csv: No such file or directory (os error 2) [file]\n",
    );
    refuses(
        &folder,
        &format!("{line} --in a.csv --out none/o.csv"),
        74,
        "error: cannot write none/o.csv: No such file or directory (os error 2) [file]\n",
    );
    refuses(
        &folder,
        &format!("{line} --in a.csv --out a.csv"),
        2,
        "error: the reports would replace the values: --in and --out are the same file [usage]\n",
    );
    refuses(
        &folder,
        &format!("{line} --in a.csv --out reports"),
        2,
        "error: cannot tell the format of reports from its name [usage]\n\
         hint: name it .csv, .jsonl, .ndjson, .parquet, .arrow or .npy, or say the format with a flag\n",
    );
    refuses(
        &folder,
        &format!("{line} --in a.csv --out o.csv --keep colour"),
        2,
        "error: --keep would copy the private column as it is [usage]\nhint: keep columns that are public only\n",
    );
}

#[test]
fn steps_that_do_not_exist_or_do_not_fit() {
    let folder = Folder::new();
    folder.write("a.csv", colours(100));
    folder.succeed(&format!("perturb {COLOURS} --column colour --in a.csv --out r.csv"));
    refuses(
        &folder,
        &format!("estimate {COLOURS} --in r.csv --consistency magic"),
        2,
        "error: a consistency step is one of none, non-negative, norm-sub, simplex, expectation-maximization: \
         got \"magic\" [usage]\n",
    );
    let words = "--mechanism prefix-tree --domain words:5 --epsilon 1";
    folder.succeed(&format!("perturb {words} --column colour --in a.csv --out w.csv"));
    refuses(
        &folder,
        &format!("estimate {words} --in w.csv --consistency simplex"),
        2,
        "error: the step simplex does not fit estimates by a prefix tree [estimate-step]\n",
    );
}
