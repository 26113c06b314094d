//! A mechanism on vectors in numbers.

use super::{Describe, document, page};
use crate::arguments::Chosen;
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use privet::vector::OnVectors;
use privet::vector::mechanism::{ClipSet, Sensitivity, VectorMechanism};
use privet::{AnyMechanism, Piece};
use serde_json::{Value, json};

/// Radii beyond this many are only in JSON.
const MOST_RADII: usize = 4;

impl Describe {
    pub(super) fn describe_vectors(&self, chosen: &Chosen, output: Output) -> Result<(), Failure> {
        if self.plot.is_some() {
            return Err(Failure::Usage {
                message: format!("densities are drawn of numbers and angles: got {}", chosen.domain),
                hint: Some("leave --plot away; `privet error` draws errors of vectors over epsilon"),
            });
        }
        let mechanism = OnVectors(chosen.vector_mechanism()?.into());
        let pieces = mechanism.pieces(self.input.as_deref())?;
        let inner = &*mechanism.0;
        let mut document = document(chosen, &mechanism, pieces.iter().map(piece_json).collect());
        document["clip"] = clip_json(inner.clip());
        document["sensitivity"] = sensitivity_json(inner.clip().sensitivity());
        document["is_unbiased"] = inner.is_unbiased().into();
        document["mean_squared_error"] = inner.mean_squared_error().into();
        output.print(&document, || page(&mechanism, &chosen.domain, &text(inner, &pieces)))
    }
}

fn piece_json(piece: &Piece) -> Value {
    match piece.extent {
        Some(extent) => {
            json!({ "from": extent.from, "to": extent.to, "density": extent.density, "mass": piece.mass })
        }
        None => {
            json!({ "from": piece.what, "to": piece.what, "outcomes": piece.outcomes, "mass": piece.mass })
        }
    }
}

fn clip_json(clip: &ClipSet) -> Value {
    match clip {
        ClipSet::L1Ball { radius, .. } => json!({ "kind": "l1-ball", "radius": radius }),
        ClipSet::L2Ball { radius, .. } => json!({ "kind": "l2-ball", "radius": radius }),
        ClipSet::Sphere { radius, .. } => json!({ "kind": "sphere", "radius": radius }),
        ClipSet::Box { radii } => json!({ "kind": "box", "radii": radii }),
        ClipSet::Ellipsoid { centre, radii } => {
            json!({ "kind": "ellipsoid", "centre": centre, "radii": radii })
        }
        ClipSet::Image { radius, .. } => json!({ "kind": "image", "radius": radius }),
        _ => Value::Null,
    }
}

fn sensitivity_json(sensitivity: Sensitivity) -> Value {
    let (norm, value) = norm_of(sensitivity);
    json!({ "norm": norm, "value": value })
}

fn norm_of(sensitivity: Sensitivity) -> (&'static str, f64) {
    match sensitivity {
        Sensitivity::L1(value) => ("l1", value),
        Sensitivity::L2(value) => ("l2", value),
        Sensitivity::ScaledL2(value) => ("scaled-l2", value),
    }
}

fn clip_text(clip: &ClipSet) -> String {
    let all = |radii: &[f64]| {
        let shown: Vec<String> = radii.iter().take(MOST_RADII).map(f64::to_string).collect();
        format!("{}{}", shown.join(", "), if radii.len() > MOST_RADII { ", .." } else { "" })
    };
    match clip {
        ClipSet::L1Ball { radius, .. } => format!("absolute coordinates add up to at most {radius}"),
        ClipSet::L2Ball { radius, .. } => format!("no longer than {radius}"),
        ClipSet::Sphere { radius, .. } => format!("every vector as long as {radius}: only directions count"),
        ClipSet::Box { radii } => format!("coordinates up to {} on both sides", all(radii)),
        ClipSet::Ellipsoid { radii, .. } => format!("an ellipsoid with half axes {}", all(radii)),
        ClipSet::Image { radius, .. } => format!("an image no longer than {radius}"),
        _ => "another set".to_owned(),
    }
}

fn text(mechanism: &dyn VectorMechanism, pieces: &[Piece]) -> String {
    let (norm, sensitivity) = norm_of(mechanism.clip().sensitivity());
    let facts = [
        ("clip set", clip_text(mechanism.clip())),
        ("sensitivity", format!("{sensitivity} ({norm})")),
        ("squared error", format!("{} on the clip set", number(mechanism.mean_squared_error()))),
        ("bias", if mechanism.is_unbiased() { "none on the clip set" } else { "not unbiased" }.to_owned()),
    ];
    let facts = facts.map(|(name, value)| format!("{name:<13} {value}")).join("\n");
    let mut table = table_of_numbers(&["WHAT", "PROBABILITY", "DENSITY"], 1);
    for piece in pieces {
        let density = piece.extent.map_or("-".into(), |extent| number(extent.density));
        table.add_row([piece.what.clone(), number(piece.mass), density]);
    }
    format!("{facts}\n\n{}", table.trim_fmt())
}
