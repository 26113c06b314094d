//! The way from values to estimates is the same in every format and every split.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, UInt8Array,
};
use arrow_schema::DataType;
use common::{COLOURS, Folder, colours};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::sync::Arc;

const FORMATS: [&str; 3] = ["csv", "jsonl", "parquet"];

/// More than two batches.
const ROWS: usize = 150_000;

fn perturb(folder: &Folder, input: &str, out: &str) {
    let line = format!("perturb {COLOURS} --column colour --in {input} --out {out} --insecure-seed 7");
    let ending = folder.run(&line);
    assert_eq!(ending.code, 0, "{line}: {}", ending.stderr);
}

fn estimate(folder: &Folder, input: &str) -> String {
    folder.succeed(&format!("estimate {COLOURS} --in {input} --json --insecure-seed"))
}

fn write_parquet(folder: &Folder, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(folder.path(name)).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The same colours in all formats.
fn write_colours(folder: &Folder) {
    let csv = colours(ROWS);
    let values: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    let jsonl: String =
        values.iter().map(|colour| format!("{{\"id\":1,\"colour\":\"{colour}\"}}\n")).collect();
    write_parquet(folder, "a.parquet", vec![("colour", Arc::new(StringArray::from(values)))]);
    folder.write("a.jsonl", jsonl);
    folder.write("a.csv", csv);
}

#[test]
fn all_formats_give_the_same_estimates() {
    let folder = Folder::new();
    write_colours(&folder);
    let mut estimates = Vec::new();
    for input in FORMATS {
        for out in FORMATS {
            perturb(&folder, &format!("a.{input}"), &format!("r.{out}"));
            estimates.push(estimate(&folder, &format!("r.{out}")));
        }
    }
    assert!(estimates.iter().all(|one| *one == estimates[0]));
    let document: serde_json::Value = serde_json::from_str(&estimates[0]).unwrap();
    assert_eq!(document["n"], ROWS);
    let value = document["estimates"][0]["value"].as_f64().unwrap();
    // Squares modulo seven: 0, 1, 2 and 4 with weights 1, 2, 2, 2, of which 0 and 1 are red.
    assert!((value - 3.0 / 7.0).abs() < 0.03, "{value}");
}

#[test]
fn all_reports_have_the_same_length() {
    let folder = Folder::new();
    folder.write("a.csv", colours(500));
    for mechanism in ["grr", "oue", "sue", "olh", "blh", "ss", "hr", "em", "rappor", "cms"] {
        let flags = format!("--mechanism {mechanism} --domain categories:red,green,blue --epsilon 1");
        folder.succeed(&format!("perturb {flags} --column colour --in a.csv --out r.csv"));
        let text = folder.text("r.csv");
        let lengths: Vec<usize> = text.lines().skip(1).map(str::len).collect();
        assert_eq!(lengths.len(), 500);
        assert!(lengths.iter().all(|length| *length == lengths[0]), "{mechanism}");
        folder.succeed(&format!("estimate {flags} --in r.csv"));
    }
}

#[test]
fn nothing_but_reports_is_copied_unless_asked_for() {
    let folder = Folder::new();
    folder.write("a.csv", colours(50));
    perturb(&folder, "a.csv", "r.csv");
    let text = folder.text("r.csv");
    assert_eq!(text.lines().next(), Some("report"));
    assert!(text.lines().skip(1).all(|line| line.bytes().all(|byte| byte.is_ascii_hexdigit())));
}

#[test]
fn kept_columns_come_through_unchanged() {
    let folder = Folder::new();
    folder.write("a.csv", colours(4));
    let keep = "--insecure-seed 3 --keep city,id";
    let line =
        |input: &str, out: &str| format!("perturb {COLOURS} --column colour --in {input} --out {out} {keep}");
    folder.run(&line("a.csv", "r.csv"));
    let text = folder.text("r.csv");
    let rest: Vec<&str> = text.lines().map(|row| row.split_once(',').unwrap().1).collect();
    assert_eq!(rest, ["city,id", "\"city, 0\",0", "\"city, 1\",1", "\"city, 2\",2", "\"city, 0\",3"]);
    folder.write(
        "a.jsonl",
        "{\"id\":1.50,\"colour\":\"red\",\"city\":\"a\\\"b\"}\n{\"colour\":\"red\",\"city\":null}\n",
    );
    folder.run(&line("a.jsonl", "r.jsonl"));
    let text = folder.text("r.jsonl");
    let rest: Vec<&str> = text.lines().map(|row| row.split_once(',').unwrap().1).collect();
    assert_eq!(rest, ["\"city\":\"a\\\"b\",\"id\":1.50}", "\"city\":null,\"id\":null}"]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from(vec![Some(5), None]))),
        ("colour", Arc::new(StringArray::from(vec!["red", "blue"]))),
        ("city", Arc::new(StringArray::from(vec!["x", "y,z"]))),
    ];
    write_parquet(&folder, "a.parquet", columns);
    folder.run(&line("a.parquet", "r.csv"));
    assert!(folder.text("r.csv").contains(",x,5\n") && folder.text("r.csv").contains(",\"y,z\",\n"));
    folder.run(&line("a.parquet", "r.jsonl"));
    assert!(folder.text("r.jsonl").contains("\",\"city\":\"x\",\"id\":5}\n"));
    folder.run(&line("a.parquet", "r.parquet"));
    let file = File::open(folder.path("r.parquet")).unwrap();
    let mut batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batch = batches.next().unwrap().unwrap();
    let names: Vec<&str> = batch.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["report", "city", "id"]);
    assert_eq!(batch.column(0).data_type(), &DataType::FixedSizeBinary(11));
    assert_eq!(batch.column(1).as_string::<i32>(), &StringArray::from(vec!["x", "y,z"]));
    assert_eq!(batch.column(2).as_primitive::<Int64Type>(), &Int64Array::from(vec![Some(5), None]));
}

#[test]
fn parquet_columns_of_many_types() {
    let folder = Folder::new();
    let colours = ["red", "blue", "green", "red"];
    let dictionary: DictionaryArray<Int32Type> = colours.into_iter().collect();
    let texts: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(colours.to_vec())),
        Arc::new(LargeStringArray::from(colours.to_vec())),
        Arc::new(StringViewArray::from(colours.to_vec())),
        Arc::new(dictionary),
    ];
    let mut reports = Vec::new();
    for column in texts {
        write_parquet(&folder, "a.parquet", vec![("colour", column)]);
        perturb(&folder, "a.parquet", "r.csv");
        reports.push(folder.text("r.csv"));
    }
    assert!(reports.iter().all(|one| *one == reports[0]));
    let numbers: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![1, 0, 1])),
        Arc::new(UInt8Array::from(vec![1, 0, 1])),
        Arc::new(Float64Array::from(vec![1.0, 0.0, 1.0])),
        Arc::new(BooleanArray::from(vec![true, false, true])),
    ];
    let line = "perturb --mechanism rr --domain binary --epsilon 1 --column n --in a.parquet --out r.csv";
    let mut reports = Vec::new();
    for column in numbers {
        write_parquet(&folder, "a.parquet", vec![("n", column)]);
        assert_eq!(folder.run(&format!("{line} --insecure-seed 1")).code, 0);
        reports.push(folder.text("r.csv"));
    }
    assert!(reports.iter().all(|one| *one == reports[0]));
    for (column, stderr) in [
        (
            Arc::new(Float64Array::from(vec![1.0, f64::NAN])) as ArrayRef,
            "error: a.parquet, row 2: the value lies outside the domain binary [input-outside-domain]\n",
        ),
        (
            Arc::new(Int64Array::from(vec![None, Some(1)])),
            "error: a.parquet, row 1: the value is missing [data-missing-value]\n\
             hint: leave out rows without a value, or give them a category of their own\n",
        ),
        (
            Arc::new(arrow_array::Date32Array::from(vec![1])),
            "error: a.parquet: the column \"n\" holds Date32, not text, whole numbers or booleans [data-column-type]\n",
        ),
    ] {
        write_parquet(&folder, "a.parquet", vec![("n", column)]);
        let ending = folder.run(line);
        assert_eq!((ending.code, ending.stderr.as_str()), (65, stderr));
    }
}

#[test]
fn lines_on_standard_streams() {
    let folder = Folder::new();
    let flags = ["--mechanism", "grr", "--domain", "categories:red,green,blue", "--epsilon", "1"];
    let streams = ["--in", "-", "--out", "-", "--format", "lines"];
    let ending = folder.run_with(&[&["perturb"], &flags[..], &streams].concat(), "red\r\nblue\ngreen");
    assert_eq!((ending.code, ending.stderr.as_str()), (0, ""));
    assert_eq!(ending.stdout.lines().count(), 3);
    let read = [&["estimate"], &flags[..], &["--in", "-", "--format", "lines", "--json"]].concat();
    let estimated = folder.run_with(&read, &ending.stdout);
    assert_eq!(estimated.code, 0, "{}", estimated.stderr);
    let csv = folder.run_with(
        &[&["perturb"], &flags[..], &["--in", "-", "--out", "-", "--column", "colour"]].concat(),
        "colour\nred\n",
    );
    assert!(csv.stdout.starts_with("report\n0100"), "{}", csv.stdout);
    let both = [&["perturb"], &flags[..], &streams, &["--json"]].concat();
    assert_eq!(folder.run_with(&both, "red\n").code, 2);
}

#[test]
fn the_same_seed_gives_the_same_reports_and_no_seed_does_not() {
    let folder = Folder::new();
    folder.write("a.csv", colours(100));
    perturb(&folder, "a.csv", "one.csv");
    perturb(&folder, "a.csv", "two.csv");
    assert_eq!(folder.read("one.csv"), folder.read("two.csv"));
    let line = |out| format!("perturb {COLOURS} --column colour --in a.csv --out {out}");
    folder.succeed(&line("three.csv"));
    folder.succeed(&line("four.csv"));
    assert_ne!(folder.read("three.csv"), folder.read("four.csv"));
}

#[test]
fn summaries_of_parts_add_up_to_the_summary_of_the_whole() {
    let folder = Folder::new();
    folder.write("a.csv", colours(10_000));
    for mechanism in ["oue", "olh", "rappor", "em"] {
        let flags = format!("--mechanism {mechanism} --domain categories:red,green,blue --epsilon 1");
        folder.succeed(&format!("perturb {flags} --column colour --in a.csv --out whole.csv"));
        let text = folder.text("whole.csv");
        let rows: Vec<&str> = text.lines().skip(1).collect();
        let (first, second) = rows.split_at(3_333);
        folder.write("first.csv", format!("report\n{}\n", first.join("\n")));
        folder.write("second.csv", format!("report\n{}\n", second.join("\n")));
        let whole = folder.succeed(&format!("estimate {flags} --in whole.csv --summary-out whole.summary"));
        for part in ["first", "second"] {
            folder.succeed(&format!("estimate {flags} --in {part}.csv --summary-out {part}.summary"));
        }
        for parts in
            ["first.summary,second.summary", "second.summary,first.summary", "first.csv,second.summary"]
        {
            let merged =
                folder.succeed(&format!("estimate {flags} --in {parts} --summary-out merged.summary"));
            assert_eq!(merged, whole);
            assert_eq!(folder.read("merged.summary"), folder.read("whole.summary"), "{mechanism} {parts}");
        }
    }
}

#[test]
fn clamping_moves_numbers_to_the_ends() {
    let folder = Folder::new();
    folder.write("n.csv", format!("n\n{}", "-5\n99999999999\n3\n".repeat(2_000)));
    let flags = "--mechanism grr --domain categories:4 --epsilon 8";
    folder.succeed(&format!("perturb {flags} --column n --in n.csv --out r.csv --clamp"));
    let document = folder.json(&format!("estimate {flags} --in r.csv"));
    let share = |index: usize| document["estimates"][index]["value"].as_f64().unwrap();
    assert!((share(0) - 1.0 / 3.0).abs() < 0.05 && (share(3) - 2.0 / 3.0).abs() < 0.05);
    folder.write("l.csv", "n\nred\nmauve\n");
    let labels = "perturb --mechanism grr --domain categories:red,green --epsilon 1 --column n --clamp";
    assert_eq!(folder.run(&format!("{labels} --in l.csv --out r2.csv")).code, 65);
}

#[test]
fn words_are_found() {
    let folder = Folder::new();
    folder.write("w.csv", format!("word\n{}", "oak\noak\nelm\n".repeat(20_000)));
    let flags = "--mechanism prefix-tree --domain words:4 --epsilon 6";
    folder.succeed(&format!("perturb {flags} --column word --in w.csv --out r.csv"));
    let document = folder.json(&format!("estimate {flags} --in r.csv --top 1"));
    assert_eq!(document["estimates"][0]["label"], "oak");
}
