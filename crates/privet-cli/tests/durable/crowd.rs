//! People who report until they have an answer.

use crate::collector::{Collector, MANAGER};
use privet::policy::{Answers, Client, ReportCodec, ResolvedPolicy, Slice, Tally};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Open whenever the tests run.
const POLICY: &str = r#"
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-01-01
closes = 2095-12-31
epoch = "month"
minimum_reports = 10
contribution = "split"

[budget]
epsilon = 9
period = "collection"

[[attribute]]
name = "commute"
question = "How do you get to work?"
domain = "categories:walk,bicycle,bus,car"
goal = "frequency"
mechanism = "grr"
epsilon = 3

[[attribute]]
name = "minutes"
question = "How many minutes does it take?"
domain = "interval:0,120"
goal = "mean"
mechanism = "pm"
epsilon = 3

[[attribute]]
name = "stops"
question = "Which stop is next to you?"
domain = "categories:20"
goal = "frequency"
mechanism = "oue"
epsilon = 3

[[public]]
name = "region"
values = ["north", "south"]
"#;

/// Reports of each request.
const TOGETHER: u64 = 7;
const CLIENTS: usize = 4;

/// Nothing here takes longer, on a busy machine neither.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Crowd {
    policy: Arc<ResolvedPolicy>,
    collection: String,
    /// Reports that are sent with new ids again and again.
    some: Vec<Vec<u8>>,
    /// Where the collector is at present.
    url: Mutex<String>,
    /// How many requests were begun.
    begun: AtomicU64,
    /// How many were answered with success.
    answered: AtomicU64,
    /// Connections that failed, and answers without success.
    failures: AtomicUsize,
    /// The problem of the last answer without success.
    last_problem: Mutex<String>,
    is_over: AtomicBool,
}

struct Answer {
    status: u16,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.timeout_global(Some(Duration::from_secs(60))).build().new_agent()
}

fn request(
    agent: &ureq::Agent,
    method: &str,
    url: &str,
    kind: &str,
    body: &[u8],
) -> Result<Answer, ureq::Error> {
    let request = ureq::http::Request::builder()
        .method(method)
        .uri(url)
        .header("authorization", format!("Bearer {MANAGER}"));
    let mut response = if method == "POST" {
        agent.run(request.header("content-type", kind).body(body).unwrap())?
    } else {
        agent.run(request.body(()).unwrap())?
    };
    let body = response.body_mut().with_config().limit(1 << 30).read_to_string()?;
    Ok(Answer { status: response.status().as_u16(), body })
}

impl Crowd {
    /// Creates the collection.
    pub(crate) fn new(collector: &Collector) -> Self {
        let policy =
            ResolvedPolicy::read(POLICY, &mut |_| Err("there are no files here".to_owned())).unwrap();
        let url = format!("{}/v1/collections", collector.url);
        let created = request(&agent(), "POST", &url, "application/toml", POLICY.as_bytes()).unwrap();
        assert_eq!(created.status, 201, "{}", created.body);
        let mut rng = privet::generator().unwrap();
        let client = Client::new([9; 32]);
        let mut one = |person: usize| {
            let answers = Answers::new()
                .value("commute", ["walk", "bicycle", "bus", "car", "car"][person % 5])
                .value("minutes", &(person % 97).to_string())
                .value("stops", &(person % 20).to_string())
                .public("region", ["north", "south", "south"][person % 3]);
            client.perturb(&policy, &answers, (person % 2) as u32, &mut rng).unwrap()
        };
        let some = (0..1000).map(&mut one).collect();
        Self {
            collection: format!("/v1/collections/{}", policy.id()),
            policy,
            some,
            url: Mutex::new(collector.url.clone()),
            begun: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            failures: AtomicUsize::new(0),
            last_problem: Mutex::default(),
            is_over: AtomicBool::new(false),
        }
    }

    /// The report of a number, which is always the same.
    fn one(&self, number: u64) -> Vec<u8> {
        let mut report = self.some[(number % self.some.len() as u64) as usize].clone();
        // A mixed counter: as spread out as random ids, and never twice the same.
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        report[10..18].copy_from_slice(&(mixed ^ (mixed >> 29)).to_be_bytes());
        report[18..26].copy_from_slice(&mixed.to_le_bytes());
        report
    }

    fn body(&self, request: u64) -> Vec<u8> {
        (request * TOGETHER..(request + 1) * TOGETHER).flat_map(|number| self.one(number)).collect()
    }

    pub(crate) fn move_to(&self, collector: &Collector) {
        self.url.lock().unwrap().clone_from(&collector.url);
    }

    /// Lets people report while something happens. What that gives is the collector that answers the rest of them.
    pub(crate) fn report(&self, happens: impl FnOnce(&Self) -> Collector) {
        let last = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| self.one_client())).collect();
            // The clients must end if the test does.
            let last = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| happens(self)));
            self.is_over.store(true, Ordering::SeqCst);
            if last.is_err() {
                self.url.lock().unwrap().clear();
            }
            clients.into_iter().for_each(|client| client.join().unwrap());
            last
        });
        let last = last.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        self.assert_kept(&last);
    }

    /// New requests until it is over; each again and again until it succeeds.
    fn one_client(&self) {
        let mut agent = agent();
        while !self.is_over.load(Ordering::SeqCst) {
            let number = self.begun.fetch_add(1, Ordering::SeqCst);
            let body = self.body(number);
            loop {
                let url = self.url.lock().unwrap().clone();
                if url.is_empty() {
                    return;
                }
                let url = format!("{url}{}/reports", self.collection);
                match request(&agent, "POST", &url, "application/octet-stream", &body) {
                    Ok(answer) if answer.status == 200 => break,
                    Ok(answer) => {
                        let problem = answer.json()["type"].as_str().unwrap_or_default().to_owned();
                        assert!(answer.status >= 500, "only the store or the server fails: {}", answer.body);
                        *self.last_problem.lock().unwrap() = problem;
                    }
                    Err(_) => agent = self::agent(),
                }
                self.failures.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(5));
            }
            self.answered.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Waits until so many more requests have succeeded.
    pub(crate) fn wait_for_answers(&self, more: u64) {
        let wanted = self.answered.load(Ordering::SeqCst) + more;
        self.wait(|| self.answered.load(Ordering::SeqCst) >= wanted);
    }

    /// Waits until requests are refused because of something.
    pub(crate) fn wait_for_problem(&self, code: &str) {
        self.last_problem.lock().unwrap().clear();
        let wanted = format!("urn:privet:problem:{code}");
        self.wait(|| *self.last_problem.lock().unwrap() == wanted);
    }

    fn wait(&self, is_there: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is_there() {
            let last = || self.last_problem.lock().unwrap().clone();
            assert!(begin.elapsed() < PATIENCE, "nothing happens; the last problem was {:?}", last());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Exactly the reports that were sent are kept, the counters are theirs, and so are the estimates.
    fn assert_kept(&self, collector: &Collector) {
        let all: Vec<Vec<u8>> =
            (0..self.begun.load(Ordering::SeqCst) * TOGETHER).map(|number| self.one(number)).collect();
        let ask = |method: &str, path: &str| {
            let url = format!("{}{}{path}", collector.url, self.collection);
            request(&agent(), method, &url, "", &[]).unwrap()
        };
        let table = ask("GET", "/export?format=csv").body;
        let digits = |line: &str| line.rsplit(',').next().unwrap_or_default().to_owned();
        let kept: Vec<String> = table.lines().skip(1).map(digits).collect();
        let hex = |report: &Vec<u8>| report.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(kept.len(), all.len(), "reports are kept once");
        assert!(
            kept.into_iter().collect::<BTreeSet<_>>() == all.iter().map(hex).collect(),
            "the same reports"
        );
        let recount = ask("POST", "/recount").json();
        assert_eq!(recount["same"], true, "{recount}");
        self.assert_estimates(&ask("GET", "/estimate?fresh=true").json(), &all);
    }

    fn assert_estimates(&self, said: &Value, all: &[Vec<u8>]) {
        let codec = ReportCodec::new(Arc::clone(&self.policy));
        let tally = Tally::new(Arc::clone(&self.policy)).unwrap();
        let mut summary = tally.empty_summary();
        tally.accumulate(&mut summary, all.iter().map(|report| codec.check(report).unwrap())).unwrap();
        assert_eq!(said["reports"].as_u64(), Some(all.len() as u64));
        for (attribute, said) in said["estimates"].as_array().unwrap().iter().enumerate() {
            let ours = tally.estimate(&summary, attribute, Slice::All, &Default::default()).unwrap();
            let ours = ours.document().to_json();
            for (key, value) in ours.as_object().unwrap() {
                assert_eq!(said[key], *value, "{attribute} {key}");
            }
        }
    }

    /// Says what happened. It must have been something.
    pub(crate) fn assert_all_count_once(&self, times: usize) {
        let count = |number: &AtomicU64| number.load(Ordering::SeqCst);
        let failures = self.failures.load(Ordering::SeqCst);
        println!(
            "{times} times: {} requests with {} reports were answered, after {failures} failures",
            count(&self.answered),
            count(&self.answered) * TOGETHER
        );
        assert_eq!(count(&self.begun), count(&self.answered));
        assert!(count(&self.answered) >= times as u64 && failures >= times);
    }
}
