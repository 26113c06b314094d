//! Pairing and whole joint collections, from the command line.

mod common;

use common::Folder;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

#[test]
fn a_demo_pairs_everybody_and_shows_theory_beside_the_estimate() {
    let found = Folder::new().json("joint demo --users 9 --ones 2");
    assert_eq!((&found["users"], &found["ones"], &found["reports"]), (&9.into(), &2.into(), &9.into()));
    assert_eq!((&found["together"], &found["alone"], &found["left_out"]), (&8.into(), &1.into(), &0.into()));
    assert!(found["variance"].as_f64() < found["variance_independent"].as_f64());
    assert_eq!(found["exposed_epsilon"], "infinite");
    assert!(found["average_epsilon"].as_f64().unwrap() <= 1.0);
    // A report of 0 or 1 each: the estimate is one of ten numbers.
    let (p, estimate) = (found["p"].as_f64().unwrap(), found["estimate"].as_f64().unwrap());
    let reported = estimate * (2.0 * p - 1.0) + 9.0 * (1.0 - p);
    assert!(
        (reported - reported.round()).abs() < 1e-9 && (0.0..=9.0).contains(&reported.round()),
        "{reported}"
    );
    let bytes = found["run_bytes"].as_f64().unwrap();
    assert!(bytes > 1_000.0 && bytes < 100_000.0, "{bytes}");
}

#[test]
fn a_demo_with_a_cap_and_the_oblivious_sort() {
    let found = Folder::new().json("joint demo --users 4 --ones 0 --cap 2 --method sort");
    assert!(found["exposed_epsilon"].as_f64().unwrap() <= 2.0);
    assert_eq!(found["together"], 4);
}

/// Every helper and every person is a process with nothing but the public roles.
#[test]
fn the_roles_work_as_processes() {
    let found = Folder::new().json("joint demo --users 5 --ones 5 --processes");
    assert_eq!((&found["together"], &found["alone"], &found["left_out"]), (&4.into(), &1.into(), &0.into()));
    assert_eq!((&found["reports"], &found["processes"]), (&5.into(), &true.into()));
}

/// A helper that is killed while the others wait: they say so, and so does a participant.
#[test]
fn a_killed_helper_leaves_clear_errors() {
    let ports: Vec<TcpListener> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<_> = ports.iter().map(|port| port.local_addr().unwrap().to_string()).collect();
    let meeting = format!("--collection c --time-out 5 --helpers {}", addresses.join(","));
    drop(ports);
    let start = |index| {
        let line = format!("joint pair helper {meeting} --participants 2 --window 2 --index {index}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_privet"));
        command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let [zero, one, mut two] = [0, 1, 2].map(start);
    let folder = Folder::new();
    let reach =
        |name: &str| folder.run(&format!("joint pair participant {meeting} --patience 20 --out {name}"));
    thread::scope(|scope| {
        let person = scope.spawn(|| reach("mailbox"));
        // The participant's shares are with all helpers when it says so; then one of them dies.
        thread::sleep(Duration::from_millis(800));
        two.kill().unwrap();
        two.wait().unwrap();
        let ending = person.join().unwrap();
        assert_eq!(ending.code, 65, "{}", ending.stderr);
        assert!(ending.stderr.contains("error: "), "{}", ending.stderr);
    });
    for helper in [zero, one] {
        let output = helper.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(65), "{stderr}");
        assert!(stderr.contains("error: helper ") && stderr.contains(" failed: "), "{stderr}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn text_of_a_demo() {
    let text = Folder::new().succeed("joint demo --users 2");
    for words in
        ["2 people and 3 helpers", "independent", "2 people perturbed with a partner", "Not promised"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn what_cannot_work_is_refused_at_once() {
    let folder = Folder::new();
    folder.write("taken", "old");
    let helpers = "--time-out 1 --collection c --helpers 127.0.0.1:1,127.0.0.1:1";
    for (line, code, message) in [
        ("joint demo --users 1".to_owned(), 2, "at least two participants"),
        ("joint demo --users 2 --helpers 2".to_owned(), 2, "3 to 7 helpers: got 2"),
        ("joint demo --users 2 --helpers 4 --method sort".to_owned(), 2, "exactly 3 helpers: got 4"),
        ("joint demo --users 2000".to_owned(), 2, "at most 1000 people here: got 2000"),
        ("joint demo --users 65 --processes".to_owned(), 2, "at most 64 people here: got 65"),
        (format!("joint pair participant {helpers} --out new"), 2, "3 to 7 helpers: got 2"),
        (format!("joint pair participant {helpers},127.0.0.1:1 --out new"), 65, "helper 0 failed"),
        (format!("joint pair participant {helpers},127.0.0.1:1 --out taken"), 74, "cannot write taken"),
        (
            format!("joint pair helper {helpers} --index 2 --participants 2"),
            2,
            "below the number of helpers, 2: got 2",
        ),
    ] {
        let ending = folder.run(&line);
        assert_eq!(ending.code, code, "{line}: {}", ending.stderr);
        assert!(ending.stderr.contains(message), "{line}: {}", ending.stderr);
        assert_eq!(ending.stdout, "", "{line}");
    }
    assert_eq!(folder.names(), ["taken"]);
    assert_eq!(folder.text("taken"), "old");
}

#[test]
fn both_verbs_explain_themselves() {
    let folder = Folder::new();
    for verb in ["joint pair", "joint demo"] {
        let text = folder.succeed(&format!("{verb} --help"));
        assert!(text.contains("Examples:\n") && text.contains(&format!("privet {verb}")), "{verb}");
    }
}
