//! Where a run was made: figures without it mean little.

use privet::policy::Date;
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// A machine. What cannot be found out is empty or zero.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of its processor.
    pub cpu: String,
    /// How many threads run at once.
    pub cores: usize,
    /// How much memory it has.
    pub memory_bytes: u64,
    /// Its operating system and kind of processor.
    pub os: String,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Privet's version.
    pub version: String,
    /// The compiler.
    pub rustc: String,
    /// `release`, or `debug`, whose figures mean nothing.
    pub profile: String,
}

impl Machine {
    /// The machine that this runs on.
    pub fn here() -> Self {
        Self {
            cpu: cpu(&read("/proc/cpuinfo")).unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_bytes(&read("/proc/meminfo")).unwrap_or(0),
            os: os(&read("/etc/os-release")),
        }
    }
}

impl Build {
    /// The program that this is.
    pub fn this() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: env!("PRIVET_BENCH_RUSTC").to_owned(),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        }
    }

    /// Whether figures mean something.
    pub fn is_optimised(&self) -> bool {
        self.profile == "release"
    }
}

/// How many programs wanted to run on average, in the last one, five and fifteen minutes; `None` where nobody says.
pub fn load_average() -> Option<[f64; 3]> {
    load_of(&read("/proc/loadavg"))
}

/// Day and minute, in Greenwich.
pub(crate) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    written(seconds)
}

fn written(seconds: u64) -> String {
    let day = u32::try_from(seconds / 86_400).ok().and_then(Date::from_days_since_1970);
    let minutes = seconds % 86_400 / 60;
    let day = day.map(|day| day.to_string()).unwrap_or_default();
    format!("{day} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn cpu(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

fn memory_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn os(os_release: &str) -> String {
    let name = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| name.trim_matches('"')).unwrap_or(std::env::consts::OS);
    format!("{name}, {}", std::env::consts::ARCH)
}

fn load_of(loadavg: &str) -> Option<[f64; 3]> {
    let mut numbers = loadavg.split(' ').map_while(|number| number.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let cpuinfo =
            "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(cpu(cpuinfo).as_deref(), Some("Some CPU @ 2.00GHz"));
        assert_eq!(memory_bytes("MemTotal:        8046740 kB\nMemFree: 1 kB\n"), Some(8_046_740 * 1024));
        assert!(os("ID=x\nPRETTY_NAME=\"Some Linux 12\"\n").starts_with("Some Linux 12, "));
        assert_eq!(load_of("0.86 1.58 1.86 2/300 1234\n"), Some([0.86, 1.58, 1.86]));
    }

    #[test]
    fn what_it_does_not_say_is_left_out() {
        assert_eq!((cpu(""), memory_bytes("MemTotal: much"), load_of("0.5 x")), (None, None, None));
        assert!(os("").starts_with(std::env::consts::OS));
    }

    #[test]
    fn times_are_written_for_people() {
        assert_eq!(written(0), "1970-01-01 00:00 UTC");
        assert_eq!(written(1_700_000_000), "2023-11-14 22:13 UTC");
    }
}
