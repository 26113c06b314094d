//! Says which compiler builds the benchmarks: their figures depend on it.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(compiler).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo:rustc-env=PRIVET_BENCH_RUSTC={}", version.trim());
    println!("cargo:rerun-if-changed=build.rs");
}
