//! A collector on a free port, and people who report.

use privet::client::{Collection, Collector, Connection};
use privet::policy::{Answers, Client, Date, ResolvedPolicy};
use privet_collector::{Clock, Config, StoreAddress};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// One question, and March.
const POLICY: &str = r#"
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "day"
answers = "every-epoch"
minimum_reports = 10

[budget]
epsilon = 31
period = "collection"

[[attribute]]
name = "commute"
question = "How do you get to work?"
domain = "categories:walk,bicycle,bus,car"
goal = "frequency"
mechanism = "grr"
epsilon = 1
"#;

pub(crate) const MANAGER: &str = "the-token-of-the-manager";

pub(crate) fn day(text: &str) -> Date {
    text.parse().unwrap()
}

pub(crate) fn today() -> Date {
    day("2026-03-15")
}

pub(crate) fn policy(name: &str) -> Arc<ResolvedPolicy> {
    let text = POLICY.replace("How we travel", name);
    ResolvedPolicy::read(&text, &mut |_| Err("there are no files here".to_owned())).unwrap()
}

pub(crate) fn answers(commute: &str) -> Answers {
    Answers::new().value("commute", commute)
}

/// Reports of people without ledgers, back to back.
pub(crate) fn reports(policy: &ResolvedPolicy, count: usize) -> Vec<u8> {
    let (client, mut rng) = (Client::new([9; 32]), privet::generator().unwrap());
    let one = |_| client.perturb(policy, &answers("bus"), 14, &mut rng).unwrap();
    (0..count).flat_map(one).collect()
}

/// A collector in this process.
pub(crate) struct Server {
    runtime: Runtime,
    collector: Option<privet_collector::Collector>,
    pub(crate) folder: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(|_, _| ())
    }

    pub(crate) fn start_with(change: impl FnOnce(&mut Config, &TempDir)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreAddress::Sqlite(folder.path().join("store.db"));
        let mut config = Config::new("127.0.0.1:0".parse().unwrap(), store);
        config.clock = Clock::at_noon(today());
        config.access.manage = Some(MANAGER.parse().unwrap());
        change(&mut config, &folder);
        let runtime = Runtime::new().unwrap();
        let collector = runtime.block_on(privet_collector::Collector::start(config)).unwrap();
        Self { runtime, collector: Some(collector), folder }
    }

    /// Its host and port.
    pub(crate) fn address(&self) -> String {
        self.collector.as_ref().unwrap().address().to_string()
    }

    /// Somebody who may do everything.
    pub(crate) fn manager(&self) -> Collector {
        Collector::open(manager_at(&self.address())).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(collector) = self.collector.take() {
            self.runtime.block_on(collector.stop()).unwrap();
        }
    }
}

pub(crate) fn manager_at(address: &str) -> Connection {
    Connection::to(&format!("http://{address}/")).with_bearer(MANAGER).with_patience(Duration::from_secs(120))
}

/// How many reports a collection holds, if it may be read.
pub(crate) fn counted(collector: &mut Collector, collection: &Collection) -> u64 {
    let results = collector.results(collection.policy().id(), &Default::default()).unwrap();
    results["reports"].as_u64().unwrap_or_else(|| panic!("{results}"))
}
