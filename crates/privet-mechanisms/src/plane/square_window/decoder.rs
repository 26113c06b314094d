//! Where a report should be read so that the average error is smallest.
//!
//! A report cell has been seen with the likelihood e^epsilon from the places whose window holds it, which are a rectangle
//! around it (its *source*), and with the likelihood 1 from all others. Reading it at d costs the integral of the distance to
//! d over the whole rectangle, plus e^epsilon - 1 times the integral over the source. Both have a closed form. The decoder
//! reads each coordinate by itself, so that it is two short tables; both are improved in turn until nothing changes.

use crate::plane::analysis::corner_integral;

/// One side of the rectangle, and the side of the window along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub(super) length: f64,
    pub(super) window: f64,
}

impl Axis {
    /// The places whose window holds the point y.
    fn source(&self, y: f64) -> [f64; 2] {
        let half = self.window / 2.0;
        // A window that was shifted to stay inside also serves the places nearest to the border.
        let from = if y <= self.window { 0.0 } else { y - half };
        let to = if y >= self.length - self.window { self.length } else { y + half };
        [from, to]
    }

    /// Where the form of the source changes, in the lower half.
    fn change(&self) -> f64 {
        self.window.min(self.length - self.window).clamp(0.0, self.length / 2.0)
    }
}

/// A point of the lower half of an axis, its part of the length, and where it is read.
#[derive(Debug, Clone, Copy)]
struct Node {
    at: f64,
    weight: f64,
    source: [f64; 2],
    read: f64,
}

/// A decoder of both coordinates, given at some points of the lower half of each; the upper half is its mirror image.
#[derive(Debug, Clone)]
pub(super) struct Decoder {
    axes: [Axis; 2],
    /// e^epsilon - 1.
    excess: f64,
    nodes: [Vec<Node>; 2],
}

/// How many points represent each of both zones of the lower half.
const POINTS: usize = 8;
const SWEEPS: usize = 30;

impl Decoder {
    /// The best decoder that reads the coordinates by themselves.
    pub(super) fn best(axes: [Axis; 2], excess: f64) -> Self {
        let mut decoder = Self { axes, excess, nodes: axes.map(|axis| nodes_of(&axis)) };
        let size = axes[0].length.max(axes[1].length);
        for _ in 0..SWEEPS {
            let moved = decoder.improve(0).max(decoder.improve(1));
            if moved < 1e-4 * size {
                break;
            }
        }
        decoder
    }

    /// Reads every point of one axis where it is best, given the other axis. Returns the largest change.
    fn improve(&mut self, axis: usize) -> f64 {
        let mut nodes = self.nodes[axis].clone();
        let mut moved = 0f64;
        for node in &mut nodes {
            let read = self.best_reading(axis, node);
            moved = moved.max((read - node.read).abs());
            node.read = read;
        }
        self.nodes[axis] = nodes;
        moved
    }

    /// The root of the slope, which rises: by Newton's steps, and by halving where they leave the bracket.
    fn best_reading(&self, axis: usize, node: &Node) -> f64 {
        let length = self.axes[axis].length;
        let (mut low, mut high, mut read) = (0.0, length / 2.0, node.read);
        for _ in 0..60 {
            let [slope, curvature] = self.slope(axis, node, read);
            if slope > 0.0 {
                high = read
            } else {
                low = read
            }
            let step = read - slope / curvature;
            let next = if step > low && step < high { step } else { 0.5 * (low + high) };
            if (next - read).abs() < 1e-9 * length {
                return next;
            }
            read = next;
        }
        read
    }

    /// The first and second derivative of the loss of reading a point of one axis at `read`.
    fn slope(&self, axis: usize, node: &Node, read: f64) -> [f64; 2] {
        let other = 1 - axis;
        let whole = [0.0, self.axes[axis].length];
        let mut sum = [0.0; 2];
        for across in &self.nodes[other] {
            let everywhere = slope_over(whole, [0.0, self.axes[other].length], [read, across.read]);
            let near = slope_over(node.source, across.source, [read, across.read]);
            for order in 0..2 {
                sum[order] += across.weight * (everywhere[order] + self.excess * near[order]);
            }
        }
        sum
    }

    /// The average distance between a uniform place and what its report is read as.
    pub(super) fn average_error(&self) -> f64 {
        let [first, second] = self.axes;
        let all = [[0.0, first.length], [0.0, second.length]];
        let area = first.length * second.length;
        let mut total = 0.0;
        for one in &self.nodes[0] {
            for two in &self.nodes[1] {
                let read = [one.read, two.read];
                let near = distance_over([one.source, two.source], read);
                total += one.weight * two.weight * (distance_over(all, read) + self.excess * near);
            }
        }
        // Four mirror images.
        4.0 * total / (area * (area + self.excess * first.window * second.window))
    }

    /// Where the points (i + 1/2) / cells of an axis are read, in shares of its length. Close to the border they may fall:
    /// a report from there has few sources, and says less than its neighbour.
    pub(super) fn table(&self, axis: usize, cells: u32) -> Vec<f64> {
        let Axis { length, .. } = self.axes[axis];
        let (near, far) = self.nodes[axis].split_at(POINTS);
        let change = self.axes[axis].change();
        let read = |cell: u32| {
            let y = (f64::from(cell) + 0.5) / f64::from(cells) * length;
            let zone = if y < change { near } else { far };
            // The sources of the middle are symmetric, so it is read as itself.
            let is_middle = 2 * cell + 1 == cells || zone[0].source == [0.0, length];
            if is_middle { 0.5 } else { (interpolated(zone, y) / length).clamp(0.0, 0.5) }
        };
        (0..cells)
            .map(|cell| if 2 * cell < cells { read(cell) } else { 1.0 - read(cells - 1 - cell) })
            .collect()
    }
}

/// Gauss-Legendre points of both zones.
fn nodes_of(axis: &Axis) -> Vec<Node> {
    let change = axis.change();
    let zones = [[0.0, change], [change, axis.length / 2.0]];
    let in_zone = |[from, to]: [f64; 2]| {
        let (middle, radius) = (0.5 * (from + to), 0.5 * (to - from));
        GAUSS.into_iter().map(move |(place, weight)| {
            let at = middle + radius * place;
            Node { at, weight: weight * radius, source: axis.source(at), read: at }
        })
    };
    zones.into_iter().flat_map(in_zone).collect()
}

/// Nodes and weights of the eight-point rule on [-1, 1].
const GAUSS: [(f64, f64); POINTS] = [
    (-0.960_289_856_497_536_2, 0.101_228_536_290_376_26),
    (-0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (-0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (-0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_2, 0.101_228_536_290_376_26),
];

/// The polynomial through the nodes of a zone.
fn interpolated(zone: &[Node], y: f64) -> f64 {
    let term = |node: &Node| {
        let factor =
            |other: &Node| if other.at == node.at { 1.0 } else { (y - other.at) / (node.at - other.at) };
        node.read * zone.iter().map(factor).product::<f64>()
    };
    zone.iter().map(term).sum()
}

/// The integral of the distance to a point over a rectangle.
fn distance_over([first, second]: [[f64; 2]; 2], point: [f64; 2]) -> f64 {
    let corner = |i: usize, j: usize| corner_integral(first[i] - point[0], second[j] - point[1]);
    corner(1, 1) - corner(0, 1) - corner(1, 0) + corner(0, 0)
}

/// The first and second derivative of [`distance_over`] in the first coordinate of the point.
fn slope_over(first: [f64; 2], second: [f64; 2], point: [f64; 2]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for (i, sign) in [(1, 1.0), (0, -1.0)] {
        let a = first[i] - point[0];
        let [mut length, mut bend] = [0.0; 2];
        for (j, side) in [(1, 1.0), (0, -1.0)] {
            let b = second[j] - point[1];
            let log = log_ratio(b, a);
            length += side * 0.5 * (b * (a * a + b * b).sqrt() + a * a * log);
            bend += side * a * log;
        }
        sum[0] -= sign * length;
        sum[1] += sign * bend;
    }
    sum
}

/// arsinh(b / |a|), and zero where its factor a vanishes.
fn log_ratio(b: f64, a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { (b / a.abs()).asinh() }
}

/// The side of a square window with the smallest average error, in the unit of the lengths, for windows that are cut where
/// they are longer than a side of the rectangle.
pub(super) fn best_window(lengths: [f64; 2], excess: f64) -> f64 {
    let error = |side: f64| {
        let axes = lengths.map(|length| Axis { length, window: side.min(length) });
        Decoder::best(axes, excess).average_error()
    };
    let longest = lengths[0].max(lengths[1]);
    // By factors first, because the best side falls as e^(-epsilon / 3); then by golden sections around the best.
    let side = |step: f64| longest * 0.98 * 0.7f64.powf(step);
    let mut best = (0, f64::INFINITY);
    for step in 0..40 {
        let value = error(side(f64::from(step)));
        if value < best.1 {
            best = (step, value);
        } else if step > best.0 + 3 {
            break;
        }
    }
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (f64::from((best.0 - 1).max(0)), f64::from(best.0 + 1));
    let at = |step: f64| (step, error(side(step)));
    let (mut left, mut right) = (at(high - ratio * (high - low)), at(low + ratio * (high - low)));
    for _ in 0..6 {
        if left.1 < right.1 {
            (high, right) = (right.0, left);
            left = at(high - ratio * (high - low));
        } else {
            (low, left) = (left.0, right);
            right = at(low + ratio * (high - low));
        }
    }
    side(if left.1 < right.1 { left.0 } else { right.0 })
}
