//! Lines for operators, one JSON object each, on standard error. They name routes, statuses and times, never an address, an id or the
//! content of a report.

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;

/// Starts logging, unless the program does so already.
pub fn start() {
    let lines =
        fmt().json().flatten_event(true).with_writer(std::io::stderr).with_max_level(LevelFilter::INFO);
    // Somebody else's subscriber stays.
    let _ = lines.try_init();
}
