//! Where the data sets are.

use std::path::PathBuf;

/// The folder of the data sets: the environment variable `PRIVET_DATA`, or `shared/data` beside the workspace.
pub fn folder() -> PathBuf {
    std::env::var_os("PRIVET_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from)
}
