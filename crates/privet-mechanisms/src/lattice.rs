//! Channels on numbers and angles: finitely many rows, finitely many reports, everything in integers.
//!
//! The domain is cut into `input_cells` equal parts; there is a row of weights for each *node* between them. A value
//! between two nodes is rounded to one of them at random, with the probabilities that keep its mean: its law is a convex
//! mixture of two rows, so epsilon is kept and nothing is biased. A report is the index of a cell, and each cell stands for
//! a number.

use privet_core::{Category, Channel, Domain, Fraction};

/// Equal weights of neighbouring cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first cell.
    pub first: u32,
    /// How many cells.
    pub count: u32,
    /// The weight of each.
    pub weight: u64,
}

/// Where a value lies: just after a node, and how often it is rounded up to the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The node below.
    pub node: u32,
    /// How many of 2^64 words round up.
    pub up: u64,
}

impl std::fmt::Debug for Placement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It is the private value in other clothes.
        formatter.write_str("Placement(private)")
    }
}

/// A channel with a row of integer weights for each node of its domain.
pub trait LatticeChannel: Channel<Report = Category>
where
    Self::Domain: Domain<Value = f64>,
{
    /// How many parts the domain is cut into.
    fn input_cells(&self) -> u32;

    /// How many rows there are: one more than parts on an interval, as many on a circle.
    fn nodes(&self) -> u32;

    /// The value of a node.
    fn node_value(&self, node: u32) -> f64;

    /// How many different reports there are.
    fn output_cells(&self) -> u32;

    /// The number that a report stands for. It does not fall as the cell grows, except around a circle.
    fn output_value(&self, cell: u32) -> f64;

    /// The row of a node, as runs that cover all cells in order.
    fn runs(&self, node: u32) -> Vec<Run>;

    /// The sum of the weights of every row.
    fn row_total(&self) -> u128;

    /// Where a value of the domain lies.
    fn place(&self, value: f64) -> Placement;

    /// The node that a value just after `node` is rounded up to.
    fn next_node(&self, node: u32) -> u32 {
        (node + 1) % self.nodes()
    }

    /// The weight of one cell in the row of a node.
    fn weight(&self, node: u32, cell: u32) -> u64 {
        let runs = self.runs(node);
        let index = runs.partition_point(|run| run.first <= cell);
        runs[index.saturating_sub(1)].weight
    }

    /// The exact probability of a report: the mixture of both neighbouring rows.
    fn mixture(&self, value: f64, cell: u32) -> Fraction {
        let Placement { node, up } = self.place(value);
        let share = |node: u32| Fraction::whole(u128::from(self.weight(node, cell)));
        let below = &Fraction::of_complement(up) * &share(node);
        let mixed = match up {
            0 => below,
            _ => &below + &(&Fraction::of_weight(up) * &share(self.next_node(node))),
        };
        &mixed / &Fraction::whole(self.row_total())
    }
}

/// Places a fraction of the domain (0 to 1) on a lattice of `cells` parts.
pub(crate) fn place_fraction(fraction: f64, cells: u32) -> Placement {
    let scaled = fraction * f64::from(cells);
    let node = scaled.floor().clamp(0.0, f64::from(cells));
    // Exact: both numbers are on the same binary grid. The cast saturates at the ends.
    let up = ((scaled - node) * 2f64.powi(64)) as u64;
    let node = node as u32;
    if node >= cells { Placement { node: cells, up: 0 } } else { Placement { node, up } }
}
