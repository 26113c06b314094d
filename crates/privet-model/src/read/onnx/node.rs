//! What an operator says about itself.

use super::proto::{AttributeProto, NodeProto};
use super::refusal;
use crate::ModelError;

/// A size that a file gives.
pub(super) fn size(value: i64) -> Result<usize, ModelError> {
    usize::try_from(value).map_err(|_| refusal(format!("a size cannot be {value}")))
}

impl NodeProto {
    pub(super) fn find(&self, name: &str) -> Option<&AttributeProto> {
        self.attribute.iter().find(|attribute| attribute.name == name)
    }

    pub(super) fn int(&self, name: &str, otherwise: i64) -> i64 {
        self.find(name).map_or(otherwise, |attribute| attribute.i)
    }

    pub(super) fn float(&self, name: &str, otherwise: f64) -> f64 {
        self.find(name).map_or(otherwise, |attribute| attribute.f.into())
    }

    pub(super) fn text(&self, name: &str, otherwise: &str) -> String {
        self.find(name)
            .map_or(otherwise.to_owned(), |attribute| String::from_utf8_lossy(&attribute.s).into_owned())
    }

    pub(super) fn ints(&self, name: &str) -> &[i64] {
        self.find(name).map_or(&[], |attribute| &attribute.ints)
    }

    pub(super) fn floats(&self, name: &str) -> Vec<f64> {
        self.find(name)
            .map_or_else(Vec::new, |attribute| attribute.floats.iter().map(|value| (*value).into()).collect())
    }

    /// Refuses an attribute that is not as it must be here.
    pub(super) fn require(&self, name: &str, otherwise: i64, only: i64) -> Result<(), ModelError> {
        let got = self.int(name, otherwise);
        if got == only { Ok(()) } else { Err(self.refuse(format!("{name} must be {only}, got {got}"))) }
    }

    /// Refuses a text that is none of these.
    pub(super) fn require_text(
        &self,
        name: &str,
        otherwise: &str,
        allowed: &[&str],
    ) -> Result<(), ModelError> {
        let got = self.text(name, otherwise);
        if allowed.contains(&got.as_str()) {
            Ok(())
        } else {
            Err(self.refuse(format!("{name} must be {}, got {got}", allowed.join(" or "))))
        }
    }

    pub(super) fn refuse(&self, reason: impl std::fmt::Display) -> ModelError {
        refusal(format!("{}: {reason}", self.op_type))
    }
}
