//! What operators watch, in the text format of Prometheus. Nothing in it is about a single report.

use crate::ingest::Outcome;
use crate::store::StoreError;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counters since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    numbers: Mutex<Numbers>,
}

#[derive(Debug, Default)]
struct Numbers {
    requests: BTreeMap<(&'static str, String, u16), u64>,
    request_time: Histogram,
    accepted: u64,
    duplicates: u64,
    /// By the code of the problem.
    refused: BTreeMap<&'static str, u64>,
    committed_requests: u64,
    commit_time: Histogram,
    failed_commits: u64,
}

/// Upper ends of the classes of times, in seconds.
const CLASSES: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0];

#[derive(Debug, Default)]
struct Histogram {
    classes: [u64; CLASSES.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    fn add(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        let within = CLASSES.iter().zip(&mut self.classes).filter(|(end, _)| seconds <= **end);
        within.for_each(|(_, class)| *class += 1);
        self.count += 1;
        self.sum += seconds;
    }

    fn write(&self, text: &mut String, name: &str, help: &str) {
        head(text, name, "histogram", help);
        for (end, count) in CLASSES.iter().zip(self.classes) {
            line(text, format_args!("{name}_bucket{{le=\"{end}\"}} {count}"));
        }
        line(text, format_args!("{name}_bucket{{le=\"+Inf\"}} {}", self.count));
        line(text, format_args!("{name}_sum {}", self.sum));
        line(text, format_args!("{name}_count {}", self.count));
    }
}

/// Writing to a text cannot fail.
fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{words}");
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    line(text, format_args!("# HELP {name} {help}"));
    line(text, format_args!("# TYPE {name} {kind}"));
}

impl Metrics {
    fn change(&self, change: impl FnOnce(&mut Numbers)) {
        change(&mut self.numbers.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A request was answered. The route is the pattern, without any id.
    pub(crate) fn answered(&self, method: &'static str, route: &str, status: u16, time: Duration) {
        self.change(|numbers| {
            *numbers.requests.entry((method, route.to_owned(), status)).or_default() += 1;
            numbers.request_time.add(time);
        });
    }

    /// Reports were refused before they were queued or while they were stored.
    pub(crate) fn refused(&self, code: &'static str, reports: u64) {
        self.change(|numbers| *numbers.refused.entry(code).or_default() += reports);
    }

    /// A transaction ended.
    pub(crate) fn committed(
        &self,
        time: Duration,
        requests: usize,
        outcomes: &Result<Vec<Vec<Outcome>>, StoreError>,
    ) {
        self.change(|numbers| {
            numbers.commit_time.add(time);
            let Ok(outcomes) = outcomes else {
                numbers.failed_commits += 1;
                return;
            };
            numbers.committed_requests += requests as u64;
            for outcome in outcomes.iter().flatten() {
                match outcome {
                    Outcome::Accepted => numbers.accepted += 1,
                    Outcome::Duplicate => numbers.duplicates += 1,
                    // Counted by their problem, where the request is answered.
                    Outcome::Refused(_) => {}
                }
            }
        });
    }

    /// The page for Prometheus.
    pub(crate) fn page(&self, waiting_bytes: usize) -> String {
        let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        head(&mut text, "privet_requests_total", "counter", "Requests by route and status.");
        for ((method, route, status), count) in &numbers.requests {
            line(
                &mut text,
                format_args!(
                    "privet_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}"
                ),
            );
        }
        numbers.request_time.write(&mut text, "privet_request_seconds", "Time from a request to its answer.");
        head(
            &mut text,
            "privet_reports_total",
            "counter",
            "Sound reports that were stored, or had been before.",
        );
        line(&mut text, format_args!("privet_reports_total{{outcome=\"accepted\"}} {}", numbers.accepted));
        line(&mut text, format_args!("privet_reports_total{{outcome=\"duplicate\"}} {}", numbers.duplicates));
        head(&mut text, "privet_refused_reports_total", "counter", "Reports that do not count, by problem.");
        for (problem, count) in &numbers.refused {
            line(&mut text, format_args!("privet_refused_reports_total{{problem=\"{problem}\"}} {count}"));
        }
        numbers.commit_time.write(
            &mut text,
            "privet_commit_seconds",
            "Time of one transaction of the writer.",
        );
        head(&mut text, "privet_committed_requests_total", "counter", "Requests in committed transactions.");
        line(&mut text, format_args!("privet_committed_requests_total {}", numbers.committed_requests));
        head(&mut text, "privet_failed_commits_total", "counter", "Transactions that the store refused.");
        line(&mut text, format_args!("privet_failed_commits_total {}", numbers.failed_commits));
        head(&mut text, "privet_waiting_bytes", "gauge", "Bytes of requests in memory.");
        line(&mut text, format_args!("privet_waiting_bytes {waiting_bytes}"));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_cumulative() {
        let metrics = Metrics::default();
        metrics.answered("GET", "/v1/collections/{id}", 200, Duration::from_millis(3));
        metrics.answered("GET", "/v1/collections/{id}", 200, Duration::from_secs(60));
        metrics.refused("report-length", 7);
        let stored = Ok(vec![vec![Outcome::Accepted, Outcome::Duplicate], vec![Outcome::Accepted]]);
        metrics.committed(Duration::from_millis(1), 2, &stored);
        metrics.committed(Duration::from_millis(1), 2, &Err(StoreError::Full));
        let page = metrics.page(5);
        for expected in [
            "privet_requests_total{method=\"GET\",route=\"/v1/collections/{id}\",status=\"200\"} 2",
            "privet_request_seconds_bucket{le=\"0.0025\"} 0",
            "privet_request_seconds_bucket{le=\"0.005\"} 1",
            "privet_request_seconds_bucket{le=\"10\"} 1",
            "privet_request_seconds_bucket{le=\"+Inf\"} 2",
            "privet_request_seconds_sum 60.003",
            "privet_reports_total{outcome=\"accepted\"} 2",
            "privet_reports_total{outcome=\"duplicate\"} 1",
            "privet_refused_reports_total{problem=\"report-length\"} 7",
            "privet_committed_requests_total 2",
            "privet_failed_commits_total 1",
            "privet_waiting_bytes 5",
        ] {
            assert!(page.lines().any(|line| line == expected), "{expected} in\n{page}");
        }
    }
}
