//! `privet error` and the densities of `privet describe`: the published numbers, through the command.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

const TOLERANCE: f64 = 1e-4;

/// The worst error of several mechanisms at several epsilons, in the order of the rows.
fn worst(folder: &Folder, mechanisms: &str, domain: &str, epsilons: &str, loss: &str) -> Vec<f64> {
    let line = format!(
        "error --mechanism {mechanisms} --domain {domain} --epsilon {epsilons} --loss {loss} --worst"
    );
    let document = folder.json(&line);
    let rows = document.as_array().cloned().unwrap_or_else(|| vec![document]);
    rows.iter().map(|row| row["error"].as_f64().unwrap()).collect()
}

fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert!((got - expected).abs() < tolerance, "{got} instead of {expected}");
    }
}

const RIVALS: &str = "optimal-piecewise,square-wave-compressed,piecewise-truncated,square-wave-truncated,staircase,\
     laplace-truncated,laplace-bounded";

/// At epsilon 1, 2 and 4.
const WORST_ABSOLUTE: [[f64; 7]; 3] = [
    [0.37754, 0.37836, 0.39905, 0.33961, 0.95952, 0.39347, 0.41802],
    [0.26894, 0.27450, 0.24895, 0.23452, 0.42546, 0.31606, 0.34348],
    [0.11920, 0.14435, 0.10962, 0.12931, 0.13786, 0.21617, 0.23134],
];

#[test]
fn worst_absolute_errors() {
    let got = worst(&Folder::new(), RIVALS, "interval:0,1", "1,2,4", "absolute");
    assert_near(&got, WORST_ABSOLUTE.as_flattened(), TOLERANCE);
}

#[test]
fn worst_absolute_errors_of_a_wider_interval_are_scaled() {
    let got = worst(&Folder::new(), RIVALS, "interval:-5,20", "1,2,4", "absolute");
    let scaled: Vec<f64> = WORST_ABSOLUTE.as_flattened().iter().map(|error| 25.0 * error).collect();
    assert_near(&got, &scaled, 25.0 * TOLERANCE);
}

#[test]
fn worst_squared_errors() {
    let mechanisms = "optimal-piecewise,optimal-piecewise-squared,optimal-piecewise-unbiased,piecewise";
    let got = worst(&Folder::new(), mechanisms, "interval:0,1", "1,4", "squared");
    assert_near(&got, &[0.22087, 0.21730, 5.0245, 1.3059, 0.04921, 0.04064, 0.2009, 0.0603], TOLERANCE);
}

#[test]
fn worst_errors_on_a_circle() {
    let (folder, mechanisms) = (Folder::new(), "optimal-piecewise-circle,purkayastha");
    let circle = "circle:6.283185307179586";
    assert_near(&worst(&folder, mechanisms, circle, "2", "absolute"), &[0.84490, 1.07908], TOLERANCE);
    assert_near(&worst(&folder, mechanisms, circle, "2", "squared"), &[1.36069, 1.84527], TOLERANCE);
}

/// The range with the largest density: its ends and its density.
fn window(document: &Value) -> [f64; 3] {
    let pieces = document["pieces"].as_array().unwrap();
    let number = |piece: &Value, key: &str| piece[key].as_f64().unwrap();
    let best = pieces.iter().max_by(|one, other| number(one, "density").total_cmp(&number(other, "density")));
    ["from", "to", "density"].map(|key| number(best.unwrap(), key))
}

#[test]
fn example_densities() {
    let folder = Folder::new();
    let ogpm = "describe --mechanism ogpm --domain interval:0,1 --epsilon 1 --input";
    let both = folder.json(&format!("{ogpm} 0,0.5"));
    assert_near(&window(&both[0]), &[0.0, 0.3775, 1.6487], TOLERANCE);
    assert_near(&window(&both[1]), &[0.3112, 0.6888, 1.6487], TOLERANCE);
    assert_eq!((&both[0]["input"], &both[1]["input"]), (&0.0.into(), &0.5.into()));
    assert_eq!(folder.json(&format!("{ogpm} 0.5")), both[1]);
    let circle =
        "describe --mechanism optimal-piecewise-circle --domain circle:6.283185307179586 --epsilon 1";
    let law = folder.json(circle);
    let pieces = law["pieces"].as_array().unwrap();
    let turn = std::f64::consts::TAU;
    // Half of a window of 2 pi / (e^(1/2) + 1), about .38 pi.
    let half = std::f64::consts::PI / (0.5f64.exp() + 1.0);
    assert!((half / std::f64::consts::PI - 0.38).abs() < 0.005);
    assert_near(&[pieces[0]["to"].as_f64().unwrap()], &[half], TOLERANCE);
    assert_near(&[pieces.last().unwrap()["from"].as_f64().unwrap()], &[turn - half], TOLERANCE);
}

/// Masses add up to one, single numbers have no density, and ranges have the one that their mass gives.
#[test]
fn pieces_are_a_law() {
    let folder = Folder::new();
    let interval = ["ogpm", "duchi", "hybrid", "laplace", "laplace-truncated", "piecewise-truncated"]
        .map(|id| (id, "interval:-5,20", "--input -4.7"));
    let others = [
        ("grid-randomized-response", "interval:-5,20", "--input 3 --bins 12"),
        ("gaussian", "interval:-5,20", "--delta 1e-4"),
        ("purkayastha", "circle:24", "--input 0.01"),
        ("sector-randomized-response", "circle:24", "--input 23.9"),
    ];
    for (id, domain, flags) in interval.into_iter().chain(others) {
        let law = folder.json(&format!("describe --mechanism {id} --domain {domain} --epsilon 1 {flags}"));
        let mut total = 0.0;
        for piece in law["pieces"].as_array().unwrap() {
            let [from, to, mass] = ["from", "to", "mass"].map(|key| piece[key].as_f64().unwrap());
            total += mass;
            match piece["density"].as_f64() {
                Some(density) => assert!((density * (to - from) / mass - 1.0).abs() < 1e-9, "{id} {piece}"),
                None => assert_eq!(from, to, "{id} {piece}"),
            }
            assert!(domain != "circle:24" || (from >= 0.0 && to <= 24.0 + 1e-9), "{id} {piece}");
        }
        assert!((total - 1.0).abs() < 1e-9, "{id} {total}");
    }
}

#[test]
fn text_of_numbers_and_angles() {
    let folder = Folder::new();
    let page = folder.succeed("describe --mechanism ogpm --domain interval:0,1 --epsilon 1 --input 0.5");
    let table = "\
the reports of 0.5
    FROM        TO  PROBABILITY   DENSITY
0.000000  0.311234     0.188774  0.606536
0.311234  0.688766     0.622452  1.648735
0.688766  1.000000     0.188774  0.606536
";
    assert!(page.ends_with(table), "{page}");
    let long = folder.succeed("describe --mechanism laplace --domain interval:0,1 --epsilon 1");
    assert!(long.lines().count() < 45 && long.contains("pieces in groups; --json has them all"), "{long}");
}

#[test]
fn one_combination_is_an_object_and_several_are_an_array() {
    let folder = Folder::new();
    let flags = "--domain interval:0,1 --loss squared --input 0.25";
    let one = folder.json(&format!("error --mechanism duchi --epsilon 1 {flags}"));
    let keys: Vec<_> = one.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "domain", "epsilon", "loss", "what", "error", "input", "bias", "variance"]);
    assert_eq!((&one["id"], &one["what"], &one["input"]), (&"duchi".into(), &"input".into(), &0.25.into()));
    let [error, bias, variance] = ["error", "bias", "variance"].map(|key| one[key].as_f64().unwrap());
    assert!(bias.abs() < 1e-12 && (error - variance).abs() < 1e-12);
    // Reports are at the middle plus or minus half of (e + 1) / (e - 1).
    let reach = (1f64.exp() + 1.0) / (1f64.exp() - 1.0) / 2.0;
    assert!((variance - (reach * reach - 0.0625)).abs() < 1e-9, "{variance}");
    let several = folder.json(&format!("error --mechanism duchi,ogpm --epsilon 1:2:1 {flags}"));
    assert_eq!(several.as_array().unwrap().len(), 4);
    assert_eq!(several[0], one);
}

#[test]
fn averages_follow_the_prior() {
    let folder = Folder::new();
    folder.write("left.txt", "1\n0\n\n");
    folder.write("right.json", "[0, 3]");
    folder.write("both.csv", "2,2\n");
    let flags = "error --mechanism ogpm --domain interval:0,1 --epsilon 1 --loss absolute --average";
    let get = |prior: &str, key: &str| folder.json(&format!("{flags} {prior}"))[key].as_f64().unwrap();
    let even = get("", "error");
    assert!((even - get("--prior both.csv", "error")).abs() < 1e-12);
    let [left, right] = ["--prior left.txt", "--prior right.json"];
    assert!((get(left, "error") - get(right, "error")).abs() < 1e-9);
    assert!(get(left, "bias") > 0.1 && (get(left, "bias") + get(right, "bias")).abs() < 1e-9);
    assert!(folder.json(flags)["input"].is_null());
    let page = folder.succeed(flags);
    assert!(page.contains("on average over all values, on interval:0,1."), "{page}");
}

#[test]
fn settings_go_to_those_that_take_them() {
    let folder = Folder::new();
    let flags = "--domain interval:0,1 --epsilon 1 --loss absolute --input 0.5";
    let rows = folder
        .json(&format!("error --mechanism ogpm,gaussian,grid-exponential --delta 1e-5 --bins 10 {flags}"));
    assert_eq!(rows.as_array().unwrap().len(), 3);
    let refused = folder.run(&format!("error --mechanism ogpm --bins 10 {flags}"));
    assert_eq!(refused.stderr, "error: this mechanism takes no number of bins [parameter-incompatible]\n");
    let refused = folder.run(&format!("error --mechanism ogpm,duchi --bins 10 {flags}"));
    assert_eq!(refused.stderr, "error: none of these mechanisms takes --bins [usage]\n");
    let without = folder.json(&format!("error --mechanism all {flags}"));
    let with = folder.json(&format!("error --mechanism all --delta 1e-5 {flags}"));
    assert_eq!(with.as_array().unwrap().len(), without.as_array().unwrap().len() + 2);
}

fn refuses(folder: &Folder, line: &str, code: i32, stderr: &str) {
    let before = folder.names();
    let ending = folder.run(line);
    assert_eq!((ending.stderr.as_str(), ending.code, ending.stdout.as_str()), (stderr, code, ""), "{line}");
    assert_eq!(folder.names(), before, "{line}");
}

const OGPM: &str = "error --mechanism ogpm --domain interval:0,1 --epsilon 1";

#[test]
fn bad_inputs() {
    let folder = Folder::new();
    let outside = "error: the value lies outside the domain interval:0,1 [input-outside-domain]\n";
    for input in ["2", "-0.1", "NaN", "inf"] {
        refuses(&folder, &format!("{OGPM} --loss absolute --input {input}"), 65, outside);
    }
    for input in ["2", "NaN", "x", "0.5,2", "0,"] {
        let line = format!("describe --mechanism ogpm --domain interval:0,1 --epsilon 1 --input {input}");
        refuses(&folder, &line, 65, outside);
    }
    let circle = "error --mechanism purkayastha --domain circle:24 --epsilon 1 --loss absolute --input 24";
    refuses(
        &folder,
        circle,
        65,
        "error: the value lies outside the domain circle:24 [input-outside-domain]\n",
    );
    let hint = "hint: write a number of the domain, such as 0.5\n";
    let message = format!("error: the input is not a number [data]\n{hint}");
    refuses(&folder, &format!("{OGPM} --loss absolute --input secret"), 65, &message);
}

#[test]
fn bad_flags() {
    let folder = Folder::new();
    let loss = "error: a loss is absolute or squared: got \"cubic\" [usage]\nhint: for categories also matrix:FILE, with a line for each category\n";
    refuses(&folder, &format!("{OGPM} --loss cubic --worst"), 2, loss);
    let line = "error --mechanism all --domain words:3 --epsilon 1 --loss absolute --worst";
    refuses(&folder, line, 2, "error: no mechanism works on words:3 [usage]\n");
    for flags in ["--loss absolute", "--loss absolute --worst --average", "--loss absolute --worst --prior x"]
    {
        assert_eq!(folder.run(&format!("{OGPM} {flags}")).code, 2, "{flags}");
    }
    let wrong = "error --mechanism grr --domain interval:0,1 --epsilon 1 --loss absolute --worst";
    let message = "error: generalized-randomized-response works on categories: got interval:0,1 [parameter-wrong-domain]\n";
    refuses(&folder, wrong, 2, message);
}

#[test]
fn bad_priors() {
    let folder = Folder::new();
    let line = format!("{OGPM} --loss absolute --average --prior p.txt");
    let missing = "error: cannot read p.txt: No such file or directory (os error 2) [file]\n";
    refuses(&folder, &line, 74, missing);
    let hint =
        "hint: a prior is a list of weights, one for each of equal bins of the domain, such as 1,2,4,1\n";
    let unsound = "a prior needs weights that are finite, not negative and not all zero";
    let cases = [("1,x", "a weight is not a number"), ("", unsound), ("1 -1 2", unsound), ("0 0", unsound)];
    for (content, problem) in cases.into_iter().chain([("1 NaN", unsound), ("1 inf", unsound)]) {
        folder.write("p.txt", content);
        refuses(&folder, &line, 65, &format!("error: p.txt: {problem} [data]\n{hint}"));
    }
}

/// A report of k-ary randomised response is another category with the probability (k - 1) / (E + k - 1), each alike.
#[test]
fn errors_on_categories() {
    let folder = Folder::new();
    let lie = 1.0 / (f64::exp(1.0) + 4.0);
    let got = worst(&folder, "grr", "categories:5", "1", "absolute");
    assert_near(&got, &[10.0 * lie], 1e-12);
    let got = worst(&folder, "grr", "categories:5", "1", "squared");
    assert_near(&got, &[30.0 * lie], 1e-12);
    // All that report a category; the others are left out.
    let all = folder.json("error --mechanism all --domain categories:5 --epsilon 1 --loss absolute --worst");
    let ids: Vec<_> = all.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["generalized-randomized-response", "ordered-exponential"]);

    let middle = "error --mechanism grr --domain categories:a,b,c,d,e --epsilon 1 --loss absolute --input c";
    let middle = folder.json(middle);
    assert_near(&[middle["error"].as_f64().unwrap()], &[6.0 * lie], 1e-12);
    assert_eq!((&middle["input"], &middle["bias"]), (&"c".into(), &Value::Null));

    // Only taking the last for another one costs anything.
    folder.write("costs.csv", "0,0,0\n0,0,0\n6,6,0\n");
    let grr = "error --mechanism grr --domain categories:3 --epsilon 1 --loss matrix:costs.csv";
    let lie = 1.0 / (f64::exp(1.0) + 2.0);
    assert_near(&[folder.json(&format!("{grr} --worst"))["error"].as_f64().unwrap()], &[12.0 * lie], 1e-12);
    let average = folder.json(&format!("{grr} --average"))["error"].as_f64().unwrap();
    assert_near(&[average], &[4.0 * lie], 1e-12);
    folder.write("shares.txt", "1 0 1");
    let weighted = folder.json(&format!("{grr} --average --prior shares.txt"))["error"].as_f64().unwrap();
    assert_near(&[weighted], &[6.0 * lie], 1e-12);

    let unary = "error --mechanism oue --domain categories:5 --epsilon 1 --loss absolute --worst";
    let hint = "hint: an error is that of one report, such as a category of grr; `privet simulate` is about frequencies\n";
    let message = format!(
        "error: the reports of optimized-unary-encoding are not values of categories:5 [usage]\n{hint}"
    );
    refuses(&folder, unary, 2, &message);
    let numbers = format!("{OGPM} --loss matrix:costs.csv --worst");
    assert_eq!(folder.run(&numbers).code, 2);
}
