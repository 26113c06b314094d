//! Shares around a circle, as petals whose areas are the shares.

use crate::axis::Axis;
use crate::look::{COLOURS, disc};
use crate::shape::{Anchor, Colour, Drawing, Pen, Shape};
use std::f64::consts::TAU;

/// A part of the circle with its share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Petal {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its share.
    pub share: f64,
    /// Where the share lies, with the confidence of the estimate.
    pub interval: [f64; 2],
}

/// Shares around a circle before they are laid out. It begins at the top and goes as a clock does.
#[derive(Debug, Clone)]
pub struct Rose {
    /// What it is called.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// How long one turn is.
    pub period: f64,
    /// The parts.
    pub petals: Vec<Petal>,
    /// The mean direction and its interval, if there is one.
    pub mean: Option<(f64, [f64; 2])>,
}

const SIDE: f64 = 320.0;
const CENTRE: [f64; 2] = [SIDE / 2.0, SIDE / 2.0];
const RADIUS: f64 = 118.0;
const TEXT: f64 = 12.0;
/// How far a straight line may stand for an arc.
const ARC: f64 = TAU / 180.0;

impl Rose {
    /// Lays the rose out for a page, which has its title around it.
    pub fn draw_for_page(&self) -> Drawing {
        let mut drawing = Drawing {
            width: SIDE,
            height: SIDE,
            title: self.title.clone(),
            description: self.description.clone(),
            shapes: Vec::new(),
        };
        let most = self.most();
        self.draw_grid(most, &mut drawing);
        for petal in &self.petals {
            let at = |share: f64| radius(share, most);
            let [low, high] = petal.interval.map(at);
            let inner = self.sector(petal, [0.0, at(petal.share)]);
            drawing.shapes.push(Shape::Area { points: inner.clone(), colour: COLOURS[0], opacity: 0.55 });
            drawing.line(inner, Pen::solid(COLOURS[0], 1.2));
            let band = self.sector(petal, [low, high]);
            drawing.shapes.push(Shape::Area { points: band, colour: COLOURS[1], opacity: 0.25 });
        }
        self.draw_mean(&mut drawing);
        self.draw_labels(&mut drawing);
        drawing
    }

    /// The share at the rim.
    fn most(&self) -> f64 {
        let ends = self.petals.iter().flat_map(|petal| [petal.share, petal.interval[1]]);
        let most = ends.filter(|share| share.is_finite()).fold(0.0, f64::max);
        if most > 0.0 { most } else { 1.0 }
    }

    fn angle(&self, value: f64) -> f64 {
        let turn = value / self.period;
        if turn.is_finite() { TAU * turn } else { 0.0 }
    }

    /// The outline of a part between two radii.
    fn sector(&self, petal: &Petal, [inner, outer]: [f64; 2]) -> Vec<[f64; 2]> {
        let (from, to) = (self.angle(petal.from), self.angle(petal.to));
        let steps = ((to - from).abs() / ARC).ceil().clamp(1.0, 360.0) as u32;
        let angle = |step: u32| from + (to - from) * f64::from(step) / f64::from(steps);
        let out = (0..=steps).map(|step| polar(angle(step), outer));
        let back = (0..=steps).rev().map(|step| polar(angle(step), inner));
        let mut points: Vec<[f64; 2]> = out.chain(back).collect();
        points.extend(points.first().copied());
        points
    }

    fn draw_grid(&self, most: f64, drawing: &mut Drawing) {
        for part in [0.5, 1.0] {
            let ring = (0..=180).map(|step| polar(TAU * f64::from(step) / 180.0, radius(part * most, most)));
            drawing.line(ring.collect(), Pen::solid(Colour::PALE, 1.0));
        }
        for eighth in 0..8 {
            let angle = TAU * f64::from(eighth) / 8.0;
            drawing.line(vec![CENTRE, polar(angle, RADIUS)], Pen::solid(Colour::PALE, 1.0));
        }
    }

    /// Where the turn's eighths lie, and what the outer ring stands for.
    fn draw_labels(&self, drawing: &mut Drawing) {
        for (value, text) in Axis::turn(self.period, 1.0).ticks().into_iter().take(8) {
            let [x, y] = polar(self.angle(value), RADIUS + 14.0);
            let anchor = match x - CENTRE[0] {
                aside if aside > 20.0 => Anchor::Start,
                aside if aside < -20.0 => Anchor::End,
                _ => Anchor::Middle,
            };
            drawing.text(text, [x, y + 4.0], anchor, TEXT);
        }
        let rim = format!("outer ring: {:.1} %", 100.0 * self.most());
        drawing.text(rim, [SIDE - 6.0, SIDE - 6.0], Anchor::End, TEXT);
    }

    /// The mean direction: a line to the rim, with its interval along it.
    fn draw_mean(&self, drawing: &mut Drawing) {
        let Some((direction, [low, high])) = self.mean else { return };
        let (from, to) = (self.angle(low), self.angle(high));
        let arc = (0..=60).map(|step| polar(from + (to - from) * f64::from(step) / 60.0, RADIUS + 4.0));
        drawing.line(arc.collect(), Pen::solid(Colour::BLACK, 4.0));
        let end = polar(self.angle(direction), RADIUS + 4.0);
        drawing.line(vec![CENTRE, end], Pen { colour: Colour::BLACK, width: 1.6, dashes: &[5.0, 3.0] });
        disc(end, 4.5, Colour::BLACK, drawing);
    }
}

/// The area of a petal grows with its share.
fn radius(share: f64, most: f64) -> f64 {
    let part = (share / most).clamp(0.0, 1.0);
    if part.is_finite() { RADIUS * part.sqrt() } else { 0.0 }
}

/// From the top, as a clock goes.
fn polar(angle: f64, radius: f64) -> [f64; 2] {
    [CENTRE[0] + radius * angle.sin(), CENTRE[1] - radius * angle.cos()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rose(share: f64) -> Rose {
        Rose {
            title: "Hours".into(),
            description: "When people rise".into(),
            period: 24.0,
            petals: vec![
                Petal { from: 6.0, to: 12.0, share, interval: [0.2, 0.4] },
                Petal { from: 12.0, to: 18.0, share: 0.1, interval: [-0.1, 0.2] },
            ],
            mean: Some((6.0, [5.0, 7.0])),
        }
    }

    #[test]
    fn petals_have_areas_and_go_as_a_clock_does() {
        let drawing = rose(0.3).draw_for_page();
        let areas: Vec<&Vec<[f64; 2]>> = drawing
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Area { points, opacity: 0.55, .. } => Some(points),
                _ => None,
            })
            .collect();
        let reach = |points: &[[f64; 2]]| {
            points.iter().map(|[x, y]| (x - CENTRE[0]).hypot(y - CENTRE[1])).fold(0.0, f64::max)
        };
        assert!((reach(areas[0]).powi(2) / reach(areas[1]).powi(2) - 3.0).abs() < 1e-9);
        // Six o'clock of a day is on the right, noon at the bottom.
        assert!((areas[0][0][0] - (CENTRE[0] + reach(areas[0]))).abs() < 1e-9);
        assert!((areas[1][0][1] - (CENTRE[1] + reach(areas[1]))).abs() < 1e-9);
    }

    #[test]
    fn odd_numbers_do_not_reach_the_page() {
        for share in [f64::NAN, f64::INFINITY, -1.0] {
            let text = rose(share).draw_for_page().inline_svg("rose");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
        let empty = Rose { petals: vec![], mean: None, period: 0.0, ..rose(0.0) };
        assert!(!empty.draw_for_page().inline_svg("rose").contains("NaN"));
    }
}
