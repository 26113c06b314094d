//! Questions that two people answer together.

use crate::{one_attribute, resolve, unmarked};
use privet_core::{ExposedEpsilon, Fraction, Generator, Guarantee, Probability};
use privet_joint::JointTable;
use privet_joint::pairing::{HelperTask, Meeting, Method, serve};
use privet_joint::two_party::MemoryLedger;
use privet_policy::ledger::{Ledger, MemoryLedger as Store};
use privet_policy::{Answers, Client, ClientError, Helpers, ReportCodec, ResolvedPolicy, Slice, Tally};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const PAIR: &str = "domain = \"binary\"\ngoal = \"frequency\"\nmechanism = \"joint-response\"\nusers = 20000\ncolluders = 5\n\
                    epsilon = 1\ncap = 2\nrelay = \"one.example:7001,two.example:7001,three.example:7001\"\n";

fn text(lines: &str) -> String {
    one_attribute("epoch = \"month\"", "epsilon = 2\nperiod = \"month\"", lines)
}

fn policy() -> Arc<ResolvedPolicy> {
    resolve(&text(PAIR)).unwrap()
}

fn table(policy: &ResolvedPolicy) -> JointTable {
    let pair = policy.terms().attributes[0].pairs.as_ref().unwrap();
    JointTable::new(Probability::new(pair.truthful).unwrap(), pair.correlation).unwrap()
}

/// Both promises, from the integers of the table and from an independent script.
#[test]
fn both_promises_are_kept_exactly() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("../../golden/kinds.json")).unwrap();
    for row in golden["pairs"].as_array().unwrap() {
        let number = |key: &str| row[key].as_f64().unwrap();
        let lines = PAIR
            .replace("20000", &row["users"].to_string())
            .replace("colluders = 5", &format!("colluders = {}", row["colluders"]))
            .replace("epsilon = 1\n", &format!("epsilon = {}\n", row["epsilon"]))
            .replace("cap = 2", &format!("cap = {}", row["cap"]));
        let budget = format!("epsilon = {}\nperiod = \"month\"", row["cap"]);
        let policy = resolve(&one_attribute("epoch = \"month\"", &budget, &lines)).unwrap();
        let attribute = &policy.attributes()[0];
        let pair = attribute.terms().pairs.as_ref().unwrap();
        assert!((pair.truthful - number("truthful")).abs() < 1e-12, "{row}");
        assert!((pair.correlation - number("correlation")).abs() < 1e-12, "{row}");
        let Guarantee::Average { epsilon, exposed: ExposedEpsilon::Bounded(exposed) } = attribute.guarantee()
        else {
            panic!()
        };
        assert!(epsilon.get() <= number("epsilon") && epsilon.get() > number("average") - 1e-9);
        assert!(exposed.get() <= number("cap") && exposed.get() > number("exposed") - 1e-9);
        assert_eq!(attribute.cost().epsilon(), number("cap"));
        // From the four weights: what a truthful partner and a lying one make of the odds.
        let [both, mixed, _, neither] = table(&policy).weights();
        let ratios = [(both, mixed), (mixed, neither)].map(|(truth, lie)| Fraction::new(truth, lie).unwrap());
        let worst = ratios.into_iter().map(|ratio| ratio.log_rounded_up().abs()).fold(0.0, f64::max);
        assert!((worst - exposed.get()).abs() < 1e-12, "{worst} {exposed:?}");
    }
}

/// Many collections of paired people. Error rate of the comparison of variances: an F ratio of 400 and 400 has deviation 0.1.
#[test]
fn estimates_of_pairs_vary_less_than_independent_ones() {
    let policy = policy();
    let table = table(&policy);
    let (tally, codec) = (Tally::new(policy.clone()).unwrap(), ReportCodec::new(policy.clone()));
    let template =
        Client::new([1; 32]).perturb(&policy, &Answers::new().value("a", "0"), 0, &mut unmarked(1)).unwrap();
    let at = template.len() - 1;
    let mut rng = Generator::from_insecure_seed(77);
    // One in twenty holds a one.
    let people: u32 = 400;
    let is_one = |person: u32| person.is_multiple_of(20);
    let mut estimates = Vec::new();
    let mut stated = 0.0;
    for _ in 0..400 {
        let mut reports = Vec::new();
        for pair in 0..people / 2 {
            // Partners are far apart, so pairs are of any two kinds.
            let both = table.read(privet_core::Rng::next_u64(&mut rng));
            for (person, is_truthful) in [pair, people - 1 - pair].into_iter().zip(both) {
                let mut bytes = template.clone();
                bytes[at] = u8::from(is_one(person) == is_truthful);
                reports.push(bytes);
            }
        }
        let mut summary = tally.empty_summary();
        tally.accumulate(&mut summary, reports.iter().map(|bytes| codec.check(bytes).unwrap())).unwrap();
        let found =
            tally.estimate(&summary, 0, Slice::All, &Default::default()).unwrap().document().to_json();
        estimates.push(found["estimates"][1]["value"].as_f64().unwrap());
        stated += found["estimates"][1]["standard_error"].as_f64().unwrap().powi(2) / 400.0;
    }
    let mean = estimates.iter().sum::<f64>() / 400.0;
    let variance = estimates.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 399.0;
    assert!((mean - 0.05).abs() < 5.0 * (variance / 400.0).sqrt(), "{mean}");
    let (p, q) = (table.p(), table.q());
    // Randomised response with the whole epsilon of 1 instead.
    let share = 1f64.exp() / (1.0 + 1f64.exp());
    let independent = share * (1.0 - share) / (2.0 * share - 1.0).powi(2) / f64::from(people);
    assert!(variance < 0.95 * independent, "{variance} {independent}");
    assert!((variance / stated - 1.0).abs() < 0.5, "{variance} {stated}");
    assert!(p > q);
}

/// Helpers in threads of this process.
fn open_helpers(
    policy: &ResolvedPolicy,
    people: usize,
) -> (Helpers, Arc<AtomicBool>, Vec<thread::JoinHandle<()>>) {
    let listeners: Vec<_> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    let wait = Duration::from_secs(20);
    let meeting = Meeting { helpers: addresses.clone(), run: policy.pair_run(2), time_out: wait };
    let stop = Arc::new(AtomicBool::new(false));
    let helper = |(index, listener): (usize, TcpListener)| {
        let task = HelperTask {
            meeting: meeting.clone(),
            index,
            method: Method::Shuffle,
            participants: people,
            window: wait,
            linger: Duration::from_secs(60),
        };
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            // What goes wrong here is what the participants see.
            let _ = serve(task, listener, Generator::from_insecure_seed(index as u64), &stop, |_| ());
        })
    };
    let helpers = listeners.into_iter().enumerate().map(helper).collect();
    (Helpers { addresses, time_out: wait, patience: wait }, stop, helpers)
}

#[test]
fn people_meet_at_the_relay_and_their_reports_are_counted() {
    const PEOPLE: usize = 12;
    let policy = policy();
    let (helpers, stop, threads) = open_helpers(&policy, PEOPLE);
    let person = |index: usize| {
        let (policy, helpers) = (policy.clone(), helpers.clone());
        thread::spawn(move || {
            let mut rng = Generator::from_entropy([index as u8 + 1; 32]);
            let mut ledger = Ledger::open(Store::default()).unwrap();
            let mut runs = MemoryLedger::default();
            let answers = Answers::new().value("a", if index.is_multiple_of(3) { "1" } else { "0" });
            let today = "2026-03-15".parse().unwrap();
            let client = Client::new([index as u8; 32]);
            let report = client
                .answer_in_pair(&policy, &answers, (&helpers, &mut runs), &mut ledger, &mut rng, today)
                .unwrap();
            // Asking again gives the same bytes and needs no partner.
            let again = client.answer(&policy, &answers, &mut ledger, &mut rng, today).unwrap();
            assert!(again.is_repeated && again.bytes == report.bytes);
            report.bytes
        })
    };
    let people: Vec<_> = (0..PEOPLE).map(person).collect();
    let reports: Vec<Vec<u8>> = people.into_iter().map(|person| person.join().unwrap()).collect();
    stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|helper| helper.join().unwrap());
    let (tally, codec) = (Tally::new(policy.clone()).unwrap(), ReportCodec::new(policy.clone()));
    let mut summary = tally.empty_summary();
    tally.accumulate(&mut summary, reports.iter().map(|bytes| codec.check(bytes).unwrap())).unwrap();
    let found = tally.estimate(&summary, 0, Slice::All, &Default::default()).unwrap().document().to_json();
    let row = &found["estimates"][1];
    let (value, error) = (row["value"].as_f64().unwrap(), row["standard_error"].as_f64().unwrap());
    assert!((value - 1.0 / 3.0).abs() < 5.0 * error, "{row}");
    assert_eq!(
        (&found["method"], &found["guarantee"]["kind"]),
        (&"support counts of pairs".into(), &"average".into())
    );
}

#[test]
fn nobody_answers_alone_by_mistake() {
    let policy = policy();
    let mut ledger = Ledger::open(Store::default()).unwrap();
    let answers = Answers::new().value("a", "1");
    let today = "2026-03-15".parse().unwrap();
    let client = Client::new([1; 32]);
    let refused = client.answer(&policy, &answers, &mut ledger, &mut unmarked(1), today).unwrap_err();
    assert!(matches!(refused, ClientError::NeedsPartner { .. }), "{refused}");
    assert!(!ledger.has_answered(policy.id()), "nothing was spent");
}

#[test]
fn the_statement_says_who_sees_what() {
    let policy = policy();
    let statement = policy.statement();
    let pair = statement.attributes[0].pairs.as_ref().unwrap();
    assert!((pair.average_epsilon - 1.0).abs() < 1e-9 && (pair.exposed_epsilon - 2.0).abs() < 1e-9);
    assert_eq!(statement.per_report.epsilon, 2.0);
    let text = policy.statement_text();
    for words in [
        "a factor of e^",
        "that is what it is charged with",
        "one.example:7001",
        "the collector sees the reports alone",
        "Promised: At most epsilon = 2.0000 for a person whose partner colludes",
        "Not promised: Anything against people",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let again = ResolvedPolicy::from_json(policy.to_json()).unwrap();
    assert_eq!(again.id(), policy.id());
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    for (from, to, words) in [
        (
            "cap = 2\n",
            "",
            "line 16, column 13: a person whose partner works with the collector would have no protection at all: write cap",
        ),
        ("users = 20000\n", "", "needs the key \"users\""),
        ("colluders = 5\n", "", "needs the key \"colluders\""),
        ("epsilon = 1\n", "", "needs the key \"epsilon\""),
        ("cap = 2", "cap = 0.5", "there is no need for pairs"),
        ("cap = 2", "cap = 3", "cost epsilon 3"),
        ("users = 20000", "users = 1", "line 17, column 9"),
        ("colluders = 5", "colluders = 20000", "colluders must be fewer"),
        ("\"binary\"", "\"categories:3\"", "two categories"),
        ("goal = \"frequency\"", "goal = \"mean\"", "\"frequency\" for pairs"),
        ("one.example:7001,", "o.example:7001,", "none of them the origin's"),
        ("one.example:7001,", "one.example,", "addresses of helpers"),
        ("\"joint-response\"", "\"rr\"", "are for mechanism = \"joint-response\""),
    ] {
        assert!(PAIR.contains(from));
        let message = resolve(&text(&PAIR.replace(from, to))).unwrap_err().to_string();
        assert!(message.contains(words), "{from} {to}: {message}");
    }
    // A table that keeps less than it says.
    let json = policy().to_json().to_owned();
    let correlation = policy().terms().attributes[0].pairs.as_ref().unwrap().correlation;
    let tampered = json.replace(&correlation.to_string(), &(correlation * 1.01).to_string());
    assert_ne!(tampered, json);
    assert!(
        ResolvedPolicy::from_json(&tampered).unwrap_err().to_string().contains("does not keep epsilon 2")
    );
}
