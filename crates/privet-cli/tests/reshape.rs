//! Maps for a model, from the command line.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use privet::model::array::{Array, Precision, read_npy, write_npy};
use serde_json::Value;

const DIMENSION: usize = 6;
const PEOPLE: usize = 900;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn save(folder: &Folder, name: &str, shape: &[usize], values: Vec<f64>) {
    let array = Array::new(shape.to_vec(), values).unwrap();
    write_npy(&folder.path(name), &array, Precision::Double).unwrap();
}

/// Irregular, the same every time, between minus one and one.
fn share(place: usize) -> f64 {
    ((place * place % 10_007) as f64 * 0.7).sin()
}

/// A number of a vector. Those that the model looks at lie around zero, so that all its classes occur; the others do not.
fn coordinate(place: usize) -> f64 {
    share(place) + if place % DIMENSION < 2 { 0.0 } else { 5.0 }
}

/// A linear model that looks at two of six coordinates, public vectors, and as many private ones.
fn folder() -> Folder {
    let folder = Folder::new();
    let row = |first: [f64; 2]| [&first[..], &[0.0; DIMENSION - 2]].concat();
    let weights = [row([2.0, 0.0]), row([-1.0, 1.5]), row([-1.0, -1.5])].concat();
    save(&folder, "weights.npy", &[3, DIMENSION], weights.clone());
    save(&folder, "jacobians.npy", &[8, 3, DIMENSION], weights.repeat(8));
    save(&folder, "stacked.npy", &[24, DIMENSION], weights.repeat(8));
    let text: Vec<String> = weights.chunks(DIMENSION).map(|row| format!("{row:?}")).collect();
    folder.write("model.json", format!("{{\"coef\": [{}], \"intercept\": [0, 0, 0]}}", text.join(",")));
    for (name, first) in [("public.npy", 0), ("test.npy", PEOPLE * DIMENSION)] {
        let values = (first..first + PEOPLE * DIMENSION).map(coordinate).collect();
        save(&folder, name, &[PEOPLE, DIMENSION], values);
    }
    folder
}

fn seeded(folder: &Folder, line: &str) -> Value {
    let ending = folder.run(&format!("{line} --insecure-seed 5 --json"));
    assert_eq!(ending.code, 0, "{line}: {}", ending.stderr);
    serde_json::from_str(&ending.stdout).unwrap()
}

#[test]
fn fits_say_what_to_expect_and_apply_uses_them() {
    let folder = folder();
    let mechanism = "--mechanism privunit --epsilon 4";
    for from in ["--model model.json", "--weights weights.npy", "--jacobians jacobians.npy"] {
        let fit =
            seeded(&folder, &format!("reshape fit {from} --public public.npy {mechanism} --out map.json"));
        assert!((1..=2).contains(&fit["rank"].as_u64().unwrap()), "{fit}");
        assert_eq!((&fit["dimension"], &fit["null_space"]), (&6.into(), &4.into()), "{from}");
        assert!(number(&fit["gain"]["gain"]) > 3.0 * number(&fit["gain"]["standard_error"]), "{from} {fit}");
    }
    let one = seeded(
        &folder,
        &format!("reshape fit --jacobians jacobians.npy --public public.npy {mechanism} --out a.json"),
    );
    let other = format!(
        "reshape fit --jacobians stacked.npy --outputs 3 --public public.npy {mechanism} --out b.json"
    );
    assert_eq!(one["digest"], seeded(&folder, &other)["digest"]);

    let apply = format!("reshape apply --reshape map.json {mechanism} --in");
    let whole = seeded(&folder, &format!("{apply} test.npy --out whole.npy"));
    assert_eq!((&whole["rows"], &whole["dimension"]), (&900.into(), &6.into()));
    seeded(&folder, &format!("{apply} test.npy --step randomize --out reports.parquet"));
    seeded(&folder, &format!("{apply} reports.parquet --column report --step restore --out steps.npy"));
    assert_eq!(folder.read("whole.npy"), folder.read("steps.npy"));
    let means = seeded(&folder, &format!("{apply} test.npy --people 300 --out means.npy"));
    assert_eq!(means["rows"], 3);
    // At most two numbers of a person were sent, so three differences of restored vectors depend on each other.
    let all = read_npy(&folder.path("whole.npy")).unwrap();
    let vector = |index: usize| &all.values()[index * DIMENSION..(index + 1) * DIMENSION];
    let difference = |index: usize| [0, 1, 5].map(|place| vector(index)[place] - vector(0)[place]);
    let [a, b, c] = [1, 2, 3].map(difference);
    let volume = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0]);
    let size = [a, b, c].map(|side| side.iter().map(|x| x * x).sum::<f64>().sqrt());
    assert!(volume.abs() < 1e-9 * size[0] * size[1] * size[2] && size[0] > 0.1, "{volume} {size:?}");
}

#[test]
fn evaluations_show_reshaping_beside_its_rivals() {
    let folder = folder();
    let line = "reshape evaluate --model model.json --public public.npy --in test.npy --shift public.npy --trials 2 \
                --mechanism privunit,laplace-vector --epsilon 2,6 --out rows.csv --plot rows.svg \
                --recipe plain,centred,printed,printed-safe,balanced,no-reshaping,no-pre,no-post,clip-only";
    let rows = seeded(&folder, line);
    let rows = rows.as_array().unwrap();
    // Of each data set: the model, two baselines, and two mechanisms at two epsilons with nine recipes.
    assert_eq!(rows.len(), 2 * (1 + 2 + 2 * 2 * 9));
    let value = |mechanism: &str, recipe: &str, epsilon: f64| {
        let is_it = |row: &&Value| {
            row["mechanism"] == mechanism
                && row["recipe"] == recipe
                && row["data"] == "test"
                && row["epsilon"].as_f64().is_none_or(|own| own == epsilon)
        };
        number(&rows.iter().find(is_it).unwrap()["value"])
    };
    // Without labels the model's own answers are right.
    assert_eq!(value("none", "unrandomised", 2.0), 1.0);
    let truthful = 6f64.exp() / (6f64.exp() + 2.0);
    assert!((value("answer-then-respond", "on-device", 6.0) - truthful).abs() < 1e-12);
    for mechanism in ["privunit", "laplace-vector"] {
        let [reshaped, centred] = ["balanced", "centred"].map(|recipe| value(mechanism, recipe, 6.0));
        assert!(reshaped > centred + 0.05, "{mechanism} {reshaped} {centred}");
    }
    // The limit of guessing three classes of which none has more than four in ten of the people.
    let limit = 3.0 * 0.4 * 2f64.exp() / (2f64.exp() + 2.0);
    for row in rows.iter().filter(|row| row["epsilon"] == 2.0) {
        assert!(number(&row["value"]) < limit, "{row}");
    }
    let reshaped =
        |recipe: &str| rows.iter().find(|row| row["recipe"] == recipe).unwrap()["reshaped"] == true;
    assert!(reshaped("balanced") && reshaped("printed") && !reshaped("centred") && !reshaped("plain"));
    assert_eq!(folder.text("rows.csv").lines().count(), rows.len() + 1);
    assert!(folder.text("rows.svg").contains("privunit, balanced"));
}

#[test]
fn regressions_of_averaged_people() {
    let folder = folder();
    let first_scores = (PEOPLE..2 * PEOPLE).map(|row| 2.0 * coordinate(row * DIMENSION)).collect();
    save(&folder, "truth.npy", &[PEOPLE], first_scores);
    let line = "reshape evaluate --model model.json --read values --people 30 --public public.npy --in test.npy \
                --labels truth.npy --mechanism laplace-vector --epsilon 2 --trials 3";
    let rows = seeded(&folder, line);
    let rows = rows.as_array().unwrap();
    assert!(rows.iter().all(|row| row["metric"] == "rmse") && rows.len() == 3, "{rows:?}");
    assert!(number(&rows[0]["value"]) < 1e-9, "the labels are the model's first score: {}", rows[0]);
    assert!(number(&rows[2]["value"]) < number(&rows[1]["value"]) && rows[2]["people"] == 30, "{rows:?}");
}

#[test]
fn bad_input_is_explained() {
    let folder = folder();
    save(&folder, "zeros.npy", &[100, DIMENSION], vec![0.0; 100 * DIMENSION]);
    save(&folder, "silent.npy", &[8, 3, DIMENSION], vec![0.0; 24 * DIMENSION]);
    save(&folder, "one.npy", &[1, 3, DIMENSION], vec![1.0; 3 * DIMENSION]);
    save(&folder, "nan.npy", &[8, 3, DIMENSION], vec![f64::NAN; 24 * DIMENSION]);
    save(&folder, "narrow.npy", &[PEOPLE, 2], vec![1.0; 2 * PEOPLE]);
    save(&folder, "few.npy", &[9, DIMENSION], (0..9 * DIMENSION).map(share).collect());
    save(&folder, "classes.npy", &[PEOPLE], vec![3.0; PEOPLE]);
    folder.succeed("reshape fit --jacobians jacobians.npy --public public.npy --mechanism privunit --epsilon 4 --out map.json");
    let map = folder.text("map.json");
    folder.write("changed.json", map.replacen("\"radius\":", "\"radius\":1", 1));
    let fit = "reshape fit --mechanism privunit --epsilon 4 --out out.json";
    let apply = "reshape apply --mechanism privunit --epsilon 4 --out out.npy --reshape";
    let evaluate = "reshape evaluate --model model.json --public public.npy --mechanism privunit --epsilon 4";
    for (line, code, message) in [
        (format!("{fit} --public public.npy"), 2, "required"),
        (
            format!("{fit} --model model.json --weights weights.npy --public public.npy"),
            2,
            "cannot be used with",
        ),
        (format!("{fit} --model model.json --public zeros.npy"), 65, "the rank is zero"),
        (format!("{fit} --model model.json --public few.npy"), 65, "at least 21 public vectors: got 9"),
        (format!("{fit} --model model.json --public narrow.npy"), 65, "expected 6, got 2"),
        (format!("{fit} --model public.npy --public public.npy"), 65, "model-format"),
        (format!("{fit} --jacobians silent.npy --public public.npy"), 65, "all Jacobians are zero"),
        (format!("{fit} --jacobians one.npy --public public.npy"), 65, "at least 6 rows are needed"),
        (format!("{fit} --jacobians nan.npy --public public.npy"), 65, "finite squares"),
        (format!("{fit} --jacobians stacked.npy --public public.npy"), 2, "--outputs"),
        (format!("{fit} --jacobians stacked.npy --outputs 7 --public public.npy"), 65, "rows of Jacobians"),
        (format!("{apply} changed.json --in test.npy"), 65, "does not match its digest"),
        (format!("{apply} test.npy --in test.npy"), 65, "not a sound reshape file"),
        (format!("{apply} map.json --in narrow.npy"), 65, "6 coordinates: got 2"),
        (format!("{apply} map.json --in test.npy --people 7"), 65, "7 at a time"),
        (format!("{apply} map.json --in test.npy --step randomize --people 3"), 2, "about restoring"),
        (
            "reshape apply --mechanism cw --epsilon 4 --out out.npy --reshape map.json --in test.npy".into(),
            2,
            "clips to a box",
        ),
        (format!("{evaluate} --in test.npy --labels classes.npy"), 65, "from 0 to 2"),
        (format!("{evaluate} --in few.npy --labels classes.npy"), 65, "900 labels for 9 vectors"),
        (format!("{evaluate} --in narrow.npy"), 65, "6 coordinates: got vectors of 2"),
        (format!("{evaluate} --in test.npy --plot a.svg"), 2, "no line"),
        (format!("{evaluate} --in test.npy --delta 1e-5"), 2, "none of these mechanisms takes --delta"),
    ] {
        let ending = folder.run(&line);
        assert!(ending.code == code && ending.stderr.contains(message), "{line}: {}", ending.stderr);
    }
    assert!(!folder.names().iter().any(|name| name.starts_with("out")));
}
