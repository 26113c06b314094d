//! Errors over the domain, as lines.

use crate::chart::Range;
use privet_core::InputError;
use privet_mechanisms::analysis::{Analysis, AnyNumeric, Loss, Space};

/// How many values a line over the domain goes through.
const POINTS: u32 = 400;

/// The error at equally spaced values, as a line.
///
/// # Errors
/// When the channel does not take a value of its own domain.
pub fn error_line(channel: &dyn AnyNumeric, loss: Loss) -> Result<Vec<[f64; 2]>, InputError> {
    let (analysis, space) = (Analysis::new(channel), channel.space());
    let values = (0..=POINTS).map(|index| place_in(space, index));
    let point = |value: f64| Ok([value, analysis.law(value)?.expected(loss)]);
    let mut line = values.map(point).collect::<Result<Vec<_>, InputError>>()?;
    if let (true, Some(last)) = (space.is_ring(), line.last_mut()) {
        last[0] = space.width();
    }
    Ok(line)
}

/// What the horizontal axis spans.
pub fn range_of(space: Space) -> Range {
    match space {
        Space::Line { low, high } => Range::Line([low, high]),
        Space::Ring { period } => Range::Turn(period),
    }
}

/// One of equally spaced values. The end of a circle is its beginning.
fn place_in(space: Space, index: u32) -> f64 {
    match space {
        Space::Line { high, .. } if index == POINTS => high,
        Space::Ring { .. } if index == POINTS => 0.0,
        _ => space.from_unit(f64::from(index) / f64::from(POINTS)),
    }
}
