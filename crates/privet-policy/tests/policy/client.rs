//! Budgets, retries, permanent answers and draws by lot.

use crate::{one_attribute, resolve, unmarked};
use privet_core::Generator;
use privet_policy::ledger::{Ledger, LedgerError, LedgerRecord, LedgerStore, MemoryLedger};
use privet_policy::{
    Answers, Client, ClientError, Contribution, Date, DecimalEpsilon, ReportCodec, ResolvedPolicy,
};
use std::sync::Arc;

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn memory() -> Ledger<MemoryLedger> {
    Ledger::open(MemoryLedger::default()).unwrap()
}

fn answer_a(value: &str) -> Answers {
    Answers::new().value("a", value)
}

/// Answered in every epoch of a day, at epsilon 0.5, within 1 for each week.
fn daily() -> Arc<ResolvedPolicy> {
    let attribute = "domain = \"binary\"\ngoal = \"frequency\"\nepsilon = 0.5";
    let text = one_attribute(
        "epoch = \"day\"\nanswers = \"every-epoch\"",
        "epsilon = 3.5\nperiod = \"week\"",
        attribute,
    );
    resolve(&text).unwrap()
}

#[test]
fn a_retry_sends_the_same_bytes_and_draws_nothing() {
    let (policy, client, mut ledger, mut rng) = (daily(), Client::new([1; 32]), memory(), unmarked(1));
    let today = day("2026-02-03");
    let first = client.answer(&policy, &answer_a("1"), &mut ledger, &mut rng, today).unwrap();
    // Not even if the value is another one now, or is missing.
    for answers in [answer_a("0"), Answers::new()] {
        let again = client.answer(&policy, &answers, &mut ledger, &mut rng, today).unwrap();
        assert!(again.is_repeated && again.bytes == first.bytes);
    }
    assert_eq!((ledger.records().len(), first.is_repeated), (1, false));
    assert_eq!(ledger.spent_at("o.example").epsilon(), 0.5);
    let tomorrow = client.answer(&policy, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-04")).unwrap();
    assert_ne!(tomorrow.bytes, first.bytes);
    assert_eq!(ledger.spent_in_period(&policy, today).epsilon(), 1.0);
    assert_eq!(ledger.spent_in_period(&policy, day("2026-02-09")).epsilon(), 0.0);
}

#[test]
fn values_are_checked_before_anything_is_drawn_or_spent() {
    let (policy, client, mut ledger, mut rng) = (daily(), Client::new([1; 32]), memory(), unmarked(1));
    let mut ask = |answers: &Answers, today: &str| {
        client.answer(&policy, answers, &mut ledger, &mut rng, day(today)).unwrap_err()
    };
    let outside = ask(&answer_a("secret"), "2026-02-03");
    assert_eq!(outside.code(), "input-outside-domain");
    assert!(!outside.to_string().contains("secret") && !format!("{outside:?}").contains("secret"));
    assert_eq!(ask(&Answers::new(), "2026-02-03").code(), "answer-missing");
    assert_eq!(ask(&answer_a("1").value("b", "1"), "2026-02-03").code(), "answer-unknown");
    assert_eq!(ask(&answer_a("1").public("region", "north"), "2026-02-03").code(), "answer-unknown");
    assert_eq!(ask(&answer_a("1"), "2025-12-31").code(), "answer-not-open");
    assert_eq!(ask(&answer_a("1"), "2027-01-01").code(), "answer-not-open");
    assert!(ledger.records().is_empty());
    assert!(!format!("{:?}", answer_a("secret")).contains("secret"));
    assert!(!format!("{client:?}").contains("1, 1"));
}

#[test]
fn what_is_asked_once_is_answered_once() {
    let attribute = "domain = \"binary\"\ngoal = \"frequency\"";
    let once =
        resolve(&one_attribute("epoch = \"day\"", "epsilon = 1\nperiod = \"day\"", attribute)).unwrap();
    let (client, mut ledger, mut rng) = (Client::new([1; 32]), memory(), unmarked(1));
    let first = client.answer(&once, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-03")).unwrap();
    let again = client.answer(&once, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-03")).unwrap();
    assert_eq!(first.bytes, again.bytes);
    let later = client.answer(&once, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-04"));
    assert!(matches!(later, Err(ClientError::AnsweredBefore)));
}

/// Two collections of one origin, and a limit that one of them exceeds together with the other.
#[test]
fn a_persons_limit_counts_all_collections_of_an_origin() {
    let attribute = |epsilon: &str| format!("domain = \"binary\"\ngoal = \"frequency\"\nepsilon = {epsilon}");
    let policy = |epsilon: &str, origin: &str| {
        let text = one_attribute("epoch = \"day\"", "epsilon = 1\nperiod = \"day\"", &attribute(epsilon));
        resolve(&text.replace("o.example", origin)).unwrap()
    };
    let client = Client::new([1; 32]).with_origin_limit(DecimalEpsilon::new(1.0).unwrap());
    let (mut ledger, mut rng) = (memory(), unmarked(1));
    let mut ask = |policy: &ResolvedPolicy| {
        client.answer(policy, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-03")).map(|_| ())
    };
    ask(&policy("0.7", "o.example")).unwrap();
    let error = ask(&policy("0.4", "o.example")).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("1.1")), ("answer-origin-limit", true));
    ask(&policy("0.3", "o.example")).unwrap();
    ask(&policy("0.9", "p.example")).unwrap();
    assert_eq!(ledger.spent_at("o.example").epsilon(), 1.0);
    assert_eq!(ledger.spent_at("p.example").epsilon(), 0.9);
}

/// A ledger in which a policy's budget was spent by hand: the client itself never gets there under a sound policy.
#[test]
fn the_policys_budget_is_kept_whatever_the_ledger_says() {
    let (policy, client, mut rng) = (daily(), Client::new([1; 32]), unmarked(1));
    let mut store = MemoryLedger::default();
    let mut ledger = Ledger::open(store.clone()).unwrap();
    client.answer(&policy, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-03")).unwrap();
    let record = ledger.records()[0].clone();
    for epoch in 100..106 {
        store.append(&LedgerRecord { epoch, ..record.clone() }).unwrap();
    }
    let mut nearly = Ledger::open(store.clone()).unwrap();
    client.answer(&policy, &answer_a("1"), &mut nearly, &mut rng, day("2026-02-04")).unwrap();
    store.append(&LedgerRecord { epoch: 106, ..record }).unwrap();
    let mut full = Ledger::open(store).unwrap();
    let error = client.answer(&policy, &answer_a("1"), &mut full, &mut rng, day("2026-02-04")).unwrap_err();
    assert_eq!(error.code(), "answer-policy-budget");
    // The next week is another period.
    client.answer(&policy, &answer_a("1"), &mut full, &mut rng, day("2026-02-09")).unwrap();
}

/// A store that fails: nothing is handed out, and the next try may draw again.
#[derive(Debug)]
struct FullDisk;

impl LedgerStore for FullDisk {
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError> {
        Ok(Vec::new())
    }

    fn append(&mut self, _: &LedgerRecord) -> Result<(), LedgerError> {
        Err(LedgerError::Storage { action: "written", reason: "no space left".to_owned() })
    }
}

#[test]
fn nothing_is_handed_out_that_is_not_recorded() {
    let (policy, client, mut rng) = (daily(), Client::new([1; 32]), unmarked(1));
    let mut ledger = Ledger::open(FullDisk).unwrap();
    let error = client.answer(&policy, &answer_a("1"), &mut ledger, &mut rng, day("2026-02-03")).unwrap_err();
    assert_eq!(error.code(), "ledger-storage");
    assert!(ledger.records().is_empty());
}

/// Fresh noise at epsilon 30 all but never changes anything, so what is seen is the permanent answer.
fn permanent(name: &str, origin: &str) -> Arc<ResolvedPolicy> {
    let attribute = "domain = \"categories:16\"\ngoal = \"frequency\"\nmechanism = \"grr\"\nepsilon = 30\nepsilon_forever = 1";
    let text = one_attribute(
        "epoch = \"day\"\nanswers = \"every-epoch\"",
        "epsilon = 20\nperiod = \"collection\"",
        attribute,
    );
    resolve(&text.replace("\"n\"", &format!("\"{name}\"")).replace("o.example", origin)).unwrap()
}

fn category(policy: &Arc<ResolvedPolicy>, report: &[u8]) -> u8 {
    let codec = ReportCodec::new(Arc::clone(policy));
    codec.check(report).unwrap().attribute(0).unwrap()[0]
}

#[test]
fn permanent_answers_survive_a_collection_that_is_created_again() {
    let policies = [permanent("first", "o.example"), permanent("again", "o.example")];
    assert_ne!(policies[0].id(), policies[1].id());
    let client = Client::new([5; 32]);
    let mut rng = unmarked(2);
    let mut seen = Vec::new();
    for policy in policies.iter().cycle().take(60) {
        let bytes = client.perturb(policy, &answer_a("3"), 0, &mut rng).unwrap();
        seen.push(category(policy, &bytes));
    }
    assert!(seen.iter().all(|answer| *answer == seen[0]), "a year of reports is one draw");
    // The control: another secret, origin or value draws again, so some of them differ from the first.
    let differing = (0..20).filter(|secret| {
        let other = Client::new([100 + secret; 32]);
        let bytes = other.perturb(&policies[0], &answer_a("3"), 0, &mut rng).unwrap();
        category(&policies[0], &bytes) != seen[0]
    });
    assert!(differing.count() > 5);
}

#[test]
fn many_reports_on_permanent_answers_cost_what_the_answers_cost() {
    let policy = permanent("first", "o.example");
    let attribute = &policy.attributes()[0];
    // 16 values at epsilon 1 each, and never more than as many values as there are reports.
    assert_eq!(attribute.cost_of_reports(1).epsilon(), 1.0);
    assert_eq!(attribute.cost_of_reports(7).epsilon(), 7.0);
    assert_eq!(attribute.cost_of_reports(300).epsilon(), 16.0);
    let (client, mut ledger, mut rng) = (Client::new([5; 32]), memory(), unmarked(3));
    for offset in 0..20 {
        let today = Date::from_days_since_1970(day("2026-02-03").days_since_1970() + offset).unwrap();
        client.answer(&policy, &answer_a("3"), &mut ledger, &mut rng, today).unwrap();
    }
    assert_eq!(ledger.spent_at("o.example").epsilon(), 16.0);
    // The same permanent answers in another collection cost nothing more; those of another origin do.
    let (again, elsewhere) = (permanent("again", "o.example"), permanent("first", "p.example"));
    for policy in [&again, &elsewhere] {
        client.answer(policy, &answer_a("3"), &mut ledger, &mut rng, day("2026-02-03")).unwrap();
    }
    assert_eq!((ledger.spent_at("o.example").epsilon(), ledger.spent_at("p.example").epsilon()), (16.0, 1.0));
}

#[test]
fn a_sampled_report_answers_one_question_drawn_evenly() {
    let text = one_attribute(
        "epoch = \"day\"\ncontribution = \"sample\"",
        "epsilon = 1\nperiod = \"day\"",
        "domain = \"binary\"\ngoal = \"frequency\"",
    ) + "[[attribute]]\nname = \"b\"\nquestion = \"q\"\ndomain = \"categories:300\"\ngoal = \"frequency\"\nmechanism = \"grr\"\n";
    let policy = resolve(&text).unwrap();
    assert_eq!(policy.terms().contribution.kind, Contribution::Sample);
    assert_eq!(policy.attributes()[1].terms().epsilon.to_f64(), 1.0);
    let (codec, client, mut rng) = (ReportCodec::new(policy.clone()), Client::new([1; 32]), unmarked(4));
    let answers = answer_a("1").value("b", "299");
    let mut first = 0;
    const DRAWS: i32 = 4000;
    for _ in 0..DRAWS {
        let bytes = client.perturb(&policy, &answers, 0, &mut rng).unwrap();
        assert_eq!(bytes.len(), 30 + 1 + 2);
        let report = codec.check(&bytes).unwrap();
        let answered = [report.attribute(0).map(<[u8]>::len), report.attribute(1).map(<[u8]>::len)];
        assert!(matches!(answered, [Some(1), None] | [None, Some(2)]));
        first += i32::from(answered[0].is_some());
    }
    // Five standard deviations of a fair lot.
    assert!((first - DRAWS / 2).abs() < 158, "{first}");
    // Only the answered question is charged.
    let mut ledger = memory();
    client.answer(&policy, &answers, &mut ledger, &mut rng, day("2026-02-03")).unwrap();
    assert_eq!((ledger.records()[0].charges.len(), ledger.spent_at("o.example").epsilon()), (1, 1.0));
    // A lot that does not exist, and something behind a short answer.
    let mut bytes = loop {
        let bytes = client.perturb(&policy, &answers, 0, &mut rng).unwrap();
        if bytes[30] == 0 {
            break bytes;
        }
    };
    bytes[32] = 1;
    assert_eq!(codec.check(&bytes).map(|_| ()).unwrap_err().code(), "report-impossible");
    bytes[30..].copy_from_slice(&[2, 0, 0]);
    assert_eq!(codec.check(&bytes).map(|_| ()).unwrap_err().code(), "report-impossible");
}

#[test]
fn seeded_reports_are_marked() {
    let policy = daily();
    let mut rng = Generator::from_insecure_seed(1);
    let bytes = Client::new([1; 32]).perturb(&policy, &answer_a("1"), 0, &mut rng).unwrap();
    let codec = ReportCodec::new(policy);
    assert_eq!(codec.check(&bytes).map(|_| ()).unwrap_err().code(), "report-insecure-seed");
}

/// How many random words a report takes must not tell the values.
#[test]
fn the_number_of_random_words_does_not_depend_on_the_values() {
    use rand_core::Rng;
    let policy = resolve(crate::TRAVEL).unwrap();
    let next_word = |commute: &str, minutes: &str, home: &str| {
        let mut rng = unmarked(6);
        let answers = Answers::new()
            .value("commute", commute)
            .value("minutes", minutes)
            .value("home", home)
            .public("region", "north");
        Client::new([1; 32]).perturb(&policy, &answers, 0, &mut rng).unwrap();
        rng.next_u64()
    };
    let first = next_word("walk", "0", "0,0");
    assert_eq!(first, next_word("car", "120", "10,5"));
    assert_eq!(first, next_word("bus", "61.5", "3.3,2.5"));
}
