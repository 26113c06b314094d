//! Parameters that only some mechanisms take, for one or several of them.

use crate::failure::Failure;
use privet::{BuildOptions, ParameterError};

/// What was given, and what some mechanism took.
pub(super) struct Settings {
    /// What is tried in turn; the first is what was given.
    tried: Vec<BuildOptions>,
    given: BuildOptions,
    taken: BuildOptions,
}

impl Settings {
    /// One mechanism must take all of them; of several, each takes what it can.
    pub(super) fn new(given: BuildOptions, is_several: bool) -> Self {
        let none = BuildOptions::default();
        let mut tried = vec![given];
        if is_several {
            tried.extend([BuildOptions { bins: None, ..given }, BuildOptions { delta: None, ..given }, none]);
            tried.dedup();
        }
        Self { tried, given, taken: none }
    }

    /// Makes a mechanism with as many of the settings as it takes.
    pub(super) fn build<T>(
        &mut self,
        make: impl Fn(&BuildOptions) -> Result<T, ParameterError>,
    ) -> Result<T, ParameterError> {
        let mut tried = self.tried.iter();
        loop {
            let options = tried.next().unwrap_or(&self.given);
            match make(options) {
                Err(ParameterError::Incompatible { .. }) if tried.len() > 0 => {}
                Ok(made) => {
                    self.taken.delta = self.taken.delta.or(options.delta);
                    self.taken.bins = self.taken.bins.or(options.bins);
                    return Ok(made);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// A setting must not be dropped silently.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let name = match (self.given, self.taken) {
            (BuildOptions { delta: Some(_), .. }, BuildOptions { delta: None, .. }) => "--delta",
            (BuildOptions { bins: Some(_), .. }, BuildOptions { bins: None, .. }) => "--bins",
            _ => return Ok(()),
        };
        Err(Failure::Usage { message: format!("none of these mechanisms takes {name}"), hint: None })
    }
}
