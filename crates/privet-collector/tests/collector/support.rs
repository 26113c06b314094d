//! A collector on a free port, people who report, and somebody who asks.

use privet_collector::{Clock, Collector, Config, ServeError, StoreAddress};
use privet_core::Generator;
use privet_policy::{Answers, Client, ResolvedPolicy};
use serde_json::Value;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Three questions of three kinds, one public field, and March.
pub(crate) const POLICY: &str = r#"
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "day"
minimum_reports = 100
retention_days = 30
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

/// Days and epochs of the tests: the 15th of March is epoch 14.
pub(crate) const TODAY: &str = "2026-03-15";
pub(crate) const EPOCH: u32 = 14;

pub(crate) const MANAGER: &str = "the-token-of-the-manager";
pub(crate) const READER: &str = "the-token-of-the-reader";

pub(crate) fn resolve(text: &str) -> Arc<ResolvedPolicy> {
    ResolvedPolicy::read(text, &mut |_| Err("there are no files here".to_owned())).unwrap()
}

/// Reports of people that differ in a few ways. Each `lot` gives other people.
pub(crate) fn reports(policy: &ResolvedPolicy, count: usize, lot: u8) -> Vec<Vec<u8>> {
    let mut rng = Generator::from_entropy([lot; 32]);
    reports_with(policy, count, &mut rng)
}

pub(crate) fn reports_with(policy: &ResolvedPolicy, count: usize, rng: &mut Generator) -> Vec<Vec<u8>> {
    let client = Client::new([9; 32]);
    let one = |person: usize| {
        let commute = ["walk", "bicycle", "bus", "car", "car"][person % 5];
        let answers = Answers::new()
            .value("commute", commute)
            .value("minutes", &(person % 97).to_string())
            .value("stops", &(person % 20).to_string())
            .public("region", ["north", "south", "south"][person % 3]);
        client.perturb(policy, &answers, EPOCH - (person % 2) as u32, rng).unwrap()
    };
    (0..count).map(one).collect()
}

/// The id of a report in digits.
pub(crate) fn id_of(report: &[u8]) -> String {
    hex(&report[10..26])
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A collector in this process.
pub(crate) struct Server {
    runtime: Runtime,
    collector: Option<Collector>,
    pub(crate) config: Config,
    /// The folder of an SQLite file, for as long as it is used.
    folder: Option<TempDir>,
}

impl Server {
    /// On a new SQLite file.
    pub(crate) fn sqlite() -> Self {
        Self::sqlite_with(|_| ())
    }

    pub(crate) fn sqlite_with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreAddress::Sqlite(folder.path().join("store.db"));
        let mut config = usual_config(store);
        change(&mut config);
        let mut server = Self::start(config);
        server.folder = Some(folder);
        server
    }

    pub(crate) fn start(config: Config) -> Self {
        let runtime = Runtime::new().unwrap();
        let collector = runtime.block_on(Collector::start(config.clone())).unwrap();
        Self { runtime, collector: Some(collector), config, folder: None }
    }

    /// Stops and starts again on the same store.
    pub(crate) fn restart(&mut self) {
        self.restart_with(|_| ());
    }

    pub(crate) fn restart_with(&mut self, change: impl FnOnce(&mut Config)) {
        self.stop();
        change(&mut self.config);
        self.collector = Some(self.runtime.block_on(Collector::start(self.config.clone())).unwrap());
    }

    /// Stops, lets something happen to the store, and starts again.
    pub(crate) fn while_stopped(&mut self, happens: impl FnOnce()) {
        self.stop();
        happens();
        self.restart();
    }

    /// Why a collector does not start on the same store.
    pub(crate) fn failure_to_start(&mut self) -> ServeError {
        self.stop();
        self.runtime.block_on(Collector::start(self.config.clone())).expect_err("it does not start")
    }

    fn stop(&mut self) {
        if let Some(collector) = self.collector.take() {
            self.runtime.block_on(collector.stop()).unwrap();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.collector.as_ref().unwrap().address())
    }

    pub(crate) fn visitor(&self) -> Visitor {
        Visitor::new(&self.url())
    }

    pub(crate) fn manager(&self) -> Visitor {
        self.visitor().with_token(MANAGER)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

pub(crate) fn usual_config(store: StoreAddress) -> Config {
    let mut config = Config::new("127.0.0.1:0".parse().unwrap(), store);
    config.clock = Clock::at_noon(TODAY.parse().unwrap());
    config.access.manage = Some(MANAGER.parse().unwrap());
    config
}

/// Somebody who sends requests.
#[derive(Clone)]
pub(crate) struct Visitor {
    agent: ureq::Agent,
    url: String,
    token: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The status and the type of a problem.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let document = self.json();
        assert_eq!(document["status"], self.status);
        let code = document["type"].as_str().unwrap().strip_prefix("urn:privet:problem:").unwrap();
        (self.status, code.to_owned())
    }
}

impl Visitor {
    pub(crate) fn new(url: &str) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        Self { agent: config.new_agent(), url: url.to_owned(), token: None }
    }

    pub(crate) fn with_agent(url: &str, agent: ureq::Agent) -> Self {
        Self { agent, url: url.to_owned(), token: None }
    }

    pub(crate) fn with_token(self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", &[])
    }

    pub(crate) fn delete(&self, path: &str) -> Reply {
        self.request("DELETE", path, "", &[])
    }

    pub(crate) fn post(&self, path: &str, content_type: &str, body: &[u8]) -> Reply {
        self.request("POST", path, content_type, body)
    }

    pub(crate) fn post_json(&self, path: &str, body: &Value) -> Reply {
        self.post(path, "application/json", body.to_string().as_bytes())
    }

    pub(crate) fn request(&self, method: &str, path: &str, content_type: &str, body: &[u8]) -> Reply {
        self.try_request(method, path, content_type, body).unwrap()
    }

    /// Fails when the connection does.
    pub(crate) fn try_request(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<Reply, ureq::Error> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let mut response = if method == "POST" {
            self.agent.run(request.body(body).unwrap())?
        } else {
            self.agent.run(request.body(()).unwrap())?
        };
        let body = response.body_mut().with_config().limit(1 << 30).read_to_vec()?;
        Ok(Reply { status: response.status().as_u16(), headers: response.headers().clone(), body })
    }

    /// Creates a collection and gives its path.
    pub(crate) fn create(&self, policy: &str) -> String {
        let reply = self.post("/v1/collections", "application/toml", policy.as_bytes());
        assert!(matches!(reply.status, 200 | 201), "{reply:?}");
        format!("/v1/collections/{}", reply.json()["id"].as_str().unwrap())
    }

    pub(crate) fn submit(&self, collection: &str, reports: &[u8]) -> Reply {
        self.post(&format!("{collection}/reports"), "application/octet-stream", reports)
    }

    pub(crate) fn reports(&self, collection: &str) -> u64 {
        self.get(collection).json()["reports"].as_u64().unwrap()
    }

    pub(crate) fn estimates(&self, collection: &str, query: &str) -> Value {
        let reply = self.get(&format!("{collection}/estimate{query}"));
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["estimates"].clone()
    }
}

/// What became of reports: accepted, duplicates, refused.
pub(crate) fn outcomes(reply: &Reply) -> [u64; 3] {
    let document = reply.json();
    ["accepted", "duplicates", "refused"]
        .map(|key| document[key].as_u64().unwrap_or_else(|| panic!("{document}")))
}
