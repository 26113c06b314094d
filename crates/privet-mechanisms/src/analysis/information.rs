//! How much a report tells about a value, in natural units.

use super::numeric::AnyNumeric;
use super::scan::{Stretch, for_each_stretch};
use super::{Analysis, Prior};
use crate::lattice::Run;

impl Analysis<'_> {
    /// The mutual information between a value that is drawn from the prior and its report, in nats: the entropy of the
    /// report less its mean entropy given the value. Both are sums over runs, not over pairs of value and report.
    pub fn mutual_information(&self, prior: &Prior) -> f64 {
        let total = self.channel.row_total() as f64;
        let mut node_shares = vec![0.0; self.channel.nodes() as usize];
        let bins = prior.shares().len();
        let mut conditional = 0.0;
        for_each_stretch(self.channel, &|runs| runs, |stretch| {
            for (bin, ends) in bins_of(stretch, bins) {
                let share = prior.shares()[bin] * bins as f64 * (ends[1] - ends[0]);
                let shares = ends.map(|end| stretch.share(end));
                let upper = f64::midpoint(shares[0], shares[1]);
                node_shares[stretch.nodes[0] as usize] += share * (1.0 - upper);
                node_shares[stretch.nodes[1] as usize] += share * upper;
                conditional += share * mean_entropy(stretch, shares, total);
            }
        });
        let marginal: f64 = mixture(self.channel, &node_shares).into_iter().map(|p| entropy(p / total)).sum();
        (marginal - conditional).max(0.0)
    }
}

/// The parts of a stretch in each of `bins` equal bins of the domain.
fn bins_of<R>(stretch: &Stretch<R>, bins: usize) -> impl Iterator<Item = (usize, [f64; 2])> {
    let scale = bins as f64;
    let [start, end] = [stretch.from, stretch.to];
    let (first, last) = ((start * scale).floor() as usize, (end * scale).ceil() as usize);
    (first..last)
        .map(move |bin| (bin % bins, [start.max(bin as f64 / scale), end.min((bin + 1) as f64 / scale)]))
        .filter(|(_, [from, to])| to > from)
}

/// For each of `bins` equal bins of the domain, the rows that a value from anywhere in it alike is reported by, with their
/// probabilities.
pub fn bin_rows(channel: &dyn AnyNumeric, bins: usize) -> Vec<Vec<(u32, f64)>> {
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); bins];
    let mut add = |bin: usize, node: u32, share: f64| match rows[bin].last_mut() {
        _ if share <= 0.0 => {}
        Some(last) if last.0 == node => last.1 += share,
        _ => rows[bin].push((node, share)),
    };
    for_each_stretch(channel, &|runs| runs, |stretch| {
        for (bin, [from, to]) in bins_of(stretch, bins) {
            let share = bins as f64 * (to - from);
            let upper = f64::midpoint(stretch.share(from), stretch.share(to));
            add(bin, stretch.nodes[0], share * (1.0 - upper));
            add(bin, stretch.nodes[1], share * upper);
        }
    });
    rows
}

/// Values of the domain, as fractions of it, that are reported by one row or a mixture of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueStretch {
    /// The lowest and the highest value.
    pub ends: [f64; 2],
    /// The two rows.
    pub nodes: [u32; 2],
    /// The share of the second row at both ends; between them it changes in a straight line.
    pub shares: [f64; 2],
}

/// All values of a channel's domain in order. On a circle the last stretch may end above one, where the first one begins.
pub fn value_stretches(channel: &dyn AnyNumeric) -> Vec<ValueStretch> {
    let mut stretches = Vec::new();
    for_each_stretch(channel, &|_| (), |stretch| {
        let Stretch { from, to, shares, nodes, .. } = *stretch;
        stretches.push(ValueStretch { ends: [from, to], nodes, shares });
    });
    stretches
}

fn entropy(probability: f64) -> f64 {
    if probability > 0.0 { -probability * probability.ln() } else { 0.0 }
}

/// The mean entropy of the mixture of both rows, while the share of the upper one goes from the first to the second number.
fn mean_entropy(stretch: &Stretch<Vec<Run>>, shares: [f64; 2], total: f64) -> f64 {
    let mut sum = 0.0;
    for_each_overlap(&stretch.rows[0], &stretch.rows[1], |count, weights| {
        let [lower, upper] = weights.map(|weight| weight as f64 / total);
        let [from, to] = shares.map(|share| lower + share * (upper - lower));
        sum += f64::from(count) * mean_entropy_between(from, to);
    });
    sum
}

/// The mean of `-p ln p` while p goes from one number to another.
fn mean_entropy_between(from: f64, to: f64) -> f64 {
    let change = to - from;
    if change.abs() < 1e-4 * from.max(to) {
        // The closed form cancels here; Simpson's rule is right to one part in 10^16.
        return (entropy(from) + 4.0 * entropy(f64::midpoint(from, to)) + entropy(to)) / 6.0;
    }
    let integral = |p: f64| if p > 0.0 { p * p * (0.25 - p.ln() / 2.0) } else { 0.0 };
    (integral(to) - integral(from)) / change
}

/// Walks over cells on which both rows are constant.
fn for_each_overlap(one: &[Run], two: &[Run], mut visit: impl FnMut(u32, [u64; 2])) {
    let (mut i, mut j, mut at) = (0, 0, 0);
    while let (Some(a), Some(b)) = (one.get(i), two.get(j)) {
        let (end_a, end_b) = (a.first + a.count, b.first + b.count);
        let end = end_a.min(end_b);
        visit(end - at, [a.weight, b.weight]);
        at = end;
        i += usize::from(end_a == end);
        j += usize::from(end_b == end);
    }
}

/// The weight of every report when nodes have these shares.
fn mixture(channel: &dyn AnyNumeric, node_shares: &[f64]) -> Vec<f64> {
    let mut rises = vec![0.0; channel.output_cells() as usize + 1];
    for (node, share) in (0u32..).zip(node_shares) {
        if *share > 0.0 {
            for run in channel.runs(node) {
                rises[run.first as usize] += share * run.weight as f64;
                rises[(run.first + run.count) as usize] -= share * run.weight as f64;
            }
        }
    }
    rises.pop();
    let mut level = 0.0;
    rises.iter_mut().for_each(|rise| {
        level += *rise;
        *rise = level;
    });
    rises
}
