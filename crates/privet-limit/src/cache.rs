//! Solutions that were found before.

use crate::{LimitError, Problem, Progress, Solution, Stop};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of solutions, by what was asked. Without a folder everything is solved again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache(Option<PathBuf>);

impl Cache {
    /// Solutions in this folder, which is made when it is needed.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self(Some(folder.into()))
    }

    /// Nothing is kept.
    pub fn none() -> Self {
        Self(None)
    }

    /// The folder of the environment: `PRIVET_CACHE`, or `privet` in the user's folder for caches.
    pub fn of_environment() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let in_home = || variable("HOME").map(|home| Path::new(&home).join(".cache"));
        let of_user = || variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(in_home);
        let named = variable("PRIVET_CACHE").map(PathBuf::from);
        Self(named.or_else(|| of_user().map(|folder| folder.join("privet"))))
    }

    /// The kept solution of a problem, or a new one, which is kept. A file that is damaged or about something else counts as
    /// none; a folder that cannot be written to costs time and nothing else.
    ///
    /// # Errors
    /// When there is no solution.
    pub fn solve(
        &self,
        problem: &Problem,
        stop: &Stop,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Solution, LimitError> {
        let path = self.0.as_ref().map(|folder| folder.join(format!("{}.json", problem.digest())));
        if let Some(kept) = path.as_deref().and_then(|path| read(path, problem)) {
            return Ok(kept);
        }
        let solution = problem.solve(stop, on_progress)?;
        // What a request to stop left is good enough for now, but not for ever.
        if let Some(path) = path.filter(|_| !stop.is_requested()) {
            write(&path, &solution).ok();
        }
        Ok(solution)
    }
}

fn read(path: &Path, problem: &Problem) -> Option<Solution> {
    let text = std::fs::read_to_string(path).ok()?;
    Solution::from_json(&text).ok().filter(|solution| solution.problem == *problem)
}

/// Another program must never see half a file, so it appears by rename.
fn write(path: &Path, solution: &Solution) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let mut file = std::fs::File::create(&part)?;
    file.write_all(solution.to_json().as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&part, path)
}
