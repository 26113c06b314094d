//! What `cargo test` has built: the program and the examples.
//!
//! Features depend on which packages are selected, and with other features nearly everything is compiled again. So all tasks
//! select what the tests select.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::{capture, cargo, run};

/// The command `privet`.
pub(crate) fn privet() -> Result<PathBuf> {
    build()?;
    Ok(debug_folder()?.join("privet"))
}

/// An example of any package.
pub(crate) fn example(name: &str) -> Result<PathBuf> {
    build()?;
    Ok(debug_folder()?.join("examples").join(name))
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let text = capture(cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text).context("`cargo metadata` printed no JSON")?;
    let folder = metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
    Ok(folder.into())
}

fn debug_folder() -> Result<PathBuf> {
    Ok(target_folder()?.join("debug"))
}

fn build() -> Result<()> {
    run(cargo(&["test", "--workspace", "--locked", "--no-run", "--quiet"]))
}
