//! What is said about classifiers and records that cannot be used: every message, word by word.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use common::Folder;

/// Runs a step and writes down how it ends.
fn told(folder: &Folder, (what, line): &(&str, String)) -> String {
    // Quotes keep the words of a program together.
    let mut arguments: Vec<String> = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            arguments.push(part.to_owned());
        } else {
            arguments.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    let arguments: Vec<&str> =
        std::iter::once("classifier").chain(arguments.iter().map(String::as_str)).collect();
    let ending = folder.run_with(&arguments, "");
    // No value of a record may be repeated.
    assert!(!ending.stderr.contains("1.2345"), "{what}: {}", ending.stderr);
    format!("{what}: exit {}\n{}", ending.code, ending.stderr)
}

const REGRESSION: &[u8] =
    b":}\x0af\x0a\x01x\x12\x01y\x22\x0fLinearRegressor*\x1b\x0a\x0ccoefficients=\x00\x00\x80?=\x00\x00\x80\
    ?\xa0\x01\x06*\x14\x0a\x0aintercepts=\x00\x00\x80\xbf\xa0\x01\x06*\x0e\x0a\x07targets\x18\x01\xa0\
    \x01\x02:\x0aai.onnx.ml\x12\x00Z\x11\x0a\x01x\x12\x0c\x0a\x0a\x08\x01\x12\x06\x0a\x00\x0a\x02\x08\
    \x02";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("line.json", r#"{"coef": [1, 1], "intercept": -1}"#);
    folder.write("no_numbers.json", r#"{"coef": [1, 1e999], "intercept": -1}"#);
    folder.write("broken.json", r#"{"coef": [1, 1"#);
    folder.write("other.json", r#"{"weights": [1, 1]}"#);
    folder.write("model.pickle", "x");
    // The beginning of an ONNX file: a field of 200 bytes of which there are three.
    folder.write("truncated.onnx", [0x08, 0x08, 0x3a, 0xc8, 0x01, 0x0a, 0x02, 0x00]);
    // y = a + b - 1 as an ONNX file, in the operator of regressions.
    folder.write("regression.onnx", REGRESSION);
    folder.write("large.json", r#"{"coef": [1, 1e308, -1e308], "intercept": 0}"#);
    folder.write("people.csv", "a,b,truth\n0.9,0.6,1\n0.5,1.2345,0\n");
    folder.write("ages.csv", "a,b\n37,0.6\n52,0.1\n0.5,0.2\n");
    folder.write("words.csv", "a,b\n0.9,much\n");
    folder.write("empty.csv", "a,b\n");
    folder
}

#[test]
fn bad_input_is_explained() {
    let folder = folder();
    let quantify = |rest: &str| format!("quantify --mechanism ogpm --epsilon 1 --sensitive 0 {rest}");
    let line = |rest: &str| quantify(&format!("--model line.json --record .9,.6 {rest}"));
    let program = |script: &str| quantify(&format!("--record .9,.6 --command 'sh -c \"{script}\"'"));
    let cases: Vec<(&str, String)> = vec![
        ("too few features", quantify("--model line.json --record .9")),
        ("too many features", quantify("--model line.json --data people.csv")),
        ("outside", quantify("--model line.json --record 1.2345,0")),
        ("outside in a table", "quantify --model line.json --data people.csv --label truth --sensitive b --epsilon 1".into()),
        ("another scale", quantify("--model line.json --data ages.csv --clamp")),
        ("one record on another scale", quantify("--model line.json --record 1.2345,0 --clamp")),
        ("a few are moved", "quantify --model line.json --data people.csv --label truth --clamp --sensitive b --epsilon 1 --mechanism ogpm --queries 0".into()),
        ("a word in a table", quantify("--model line.json --data words.csv")),
        ("no rows", quantify("--model line.json --data empty.csv")),
        ("no such rows", quantify("--model line.json --data people.csv --label truth --rows 9")),
        ("no row zero", quantify("--model line.json --data people.csv --rows 0")),
        ("no such label", quantify("--model line.json --data people.csv --label bmi")),
        ("not a number", quantify("--model line.json --record .9,NaN")),
        ("no number at all", quantify("--model line.json --record .9,x1.2345")),
        ("no model file", quantify("--model nowhere.onnx --record .9,.6")),
        ("a broken model", quantify("--model broken.json --record .9,.6")),
        ("a model of another kind", quantify("--model other.json --record .9,.6")),
        ("a model with no ending", quantify("--model model.pickle --record .9,.6")),
        ("numbers that are none", quantify("--model no_numbers.json --record .9,.6")),
        ("a truncated model", quantify("--model truncated.onnx --record .9,.6")),
        ("a regression", quantify("--model regression.onnx --record .9,.6")),
        ("outputs that are no numbers", quantify("--model large.json --record .9,9,9")),
        ("no model", quantify("--record .9,.6")),
        ("a feature twice", "quantify --model line.json --record .9,.6 --sensitive 0,0 --epsilon 1".into()),
        ("no such feature", "quantify --model line.json --record .9,.6 --sensitive 2 --epsilon 1".into()),
        ("no such name", "quantify --model line.json --data people.csv --label truth --sensitive age --epsilon 1".into()),
        ("no epsilon", "quantify --model line.json --record .9,.6 --sensitive 0 --mechanism ogpm".into()),
        ("a mechanism on categories", line("--mechanism grr").replace("--mechanism ogpm", "")),
        ("labels that change", program("while read row; do od -An -N1 -tu1 /dev/urandom; done")),
        ("too few labels", program("cat > /dev/null; echo 1")),
        ("labels that are words", program("while read row; do echo yes; done")),
        ("a program that fails", program("exit 3")),
        ("no program", quantify("--record .9,.6 --command no-such-program-here")),
        ("no proof", quantify("--record .9,.6 --command 'sh -c \"while read row; do echo 1; done\"' --method exact")),
        ("another kind of proof", line("--method branch-and-bound")),
        ("a confidence of one", line("--confidence 1 --method statistical")),
        ("too few queries", line("--queries 5")),
        ("no share", "quantify --model line.json --data people.csv --label truth --clamp --sensitive b --epsilon 1 --share 95".into()),
        ("no tau", line("--method paper --tau 0")),
        ("an indicator without a delta", line("--indicator")),
        ("an unknown picture", line("--plot worth.gif")),
        ("weighing a table", quantify("--model line.json --data people.csv --label truth --method re-weighted")),
        ("a region of a table", "region --model line.json --data people.csv --label truth --sensitive 0,1 --clamp".into()),
        ("a picture of one feature", "region --model line.json --record .9,.6 --sensitive 0 --plot r.png".into()),
        ("no target", "advise --model line.json --record .9,.6 --sensitive 0 --epsilon 1 --target 90".into()),
        ("a target that is not met", "advise --model line.json --record .9,.6 --sensitive 0 --epsilon .1 --mechanism ogpm --target .9".into()),
    ];
    let told: Vec<String> = cases.iter().map(|case| told(&folder, case)).collect();
    insta::assert_snapshot!(told.join("\n"));
}
