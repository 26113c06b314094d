//! The best window for the worst absolute error.

use super::{WindowGeometry, WindowMechanism, WindowRule};
use privet_core::{Epsilon, MechanismInfo, Numerics};

/// The rule of [`OptimalPiecewise`].
#[derive(Debug, Clone, Copy)]
pub struct AbsoluteError;

/// Optimal piecewise mechanism.
#[doc(alias = "OGPM")]
pub type OptimalPiecewise = WindowMechanism<AbsoluteError>;

impl WindowRule for AbsoluteError {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimal-piecewise",
        synonyms: &["ogpm"],
        title: "Optimal piecewise mechanism",
        domain: "interval",
        goal: "point, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9",
        reference: "Zheng et al.",
        status: "stable",
    };

    fn geometry(epsilon: Epsilon) -> WindowGeometry {
        let half = (epsilon.get() / 2.0).exp();
        WindowGeometry::shifted(1.0 / (half + 1.0))
    }
}
