//! How far a long command has come, on standard error.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Short commands stay quiet.
const QUIET: Duration = Duration::from_secs(1);

/// A bar that appears after a second, and only on a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    start: Instant,
    done: u64,
    total: Option<u64>,
    unit: &'static str,
    is_terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Counts `unit`s; `total` is how many there will be, where that is known.
    pub(crate) fn new(unit: &'static str, total: Option<u64>) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { start: Instant::now(), done: 0, total, unit, is_terminal, bar: None }
    }

    /// Counts some more.
    pub(crate) fn add(&mut self, count: u64) {
        self.done += count;
        if self.is_terminal && self.start.elapsed() >= QUIET {
            let (start, total, unit) = (self.start, self.total, self.unit);
            self.bar.get_or_insert_with(|| bar(start, total, unit)).set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How often the sign of life turns.
const TURN: Duration = Duration::from_millis(120);

/// What is being done, for work that reports rarely: after a second, and only on a terminal.
#[derive(Debug)]
pub(crate) struct Waiting(ProgressBar);

impl Waiting {
    pub(crate) fn on(what: String) -> Self {
        let bar = ProgressBar::hidden().with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        if std::io::stderr().is_terminal() {
            let shown = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(QUIET);
                if !shown.is_finished() {
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TURN);
                }
            });
        }
        Self(bar)
    }

    /// Says something else from now on.
    pub(crate) fn say(&self, what: String) {
        self.0.set_message(what);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn bar(start: Instant, total: Option<u64>, unit: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => format!("{{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{rate}}/s, {{eta}} left"),
        None => format!("{{spinner}} {{human_pos}} {unit}, {{rate}}/s, {{elapsed}}"),
    };
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.with_key("rate", |state: &ProgressState, text: &mut dyn Write| {
            // A bar that cannot be drawn is no reason to stop.
            let _ = write!(text, "{}", HumanCount(state.per_sec() as u64));
        }));
    }
    bar.with_elapsed(start.elapsed())
}
