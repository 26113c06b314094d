//! The laws of all places of a rectangle, as far as groups of reports go.

/// Laws of finitely many places such that every other place has the law of one of them or a mixture of neighbouring ones. A
/// function of the place that changes only at lines of a grid is known for all places if it is known for these.
#[derive(Debug, Clone)]
pub struct PlaneLaws {
    places: Places,
    shape: Shape,
    slack: f64,
}

/// Which places have which law, in shares of both sides.
#[derive(Debug, Clone)]
enum Places {
    /// A law for each pair of stretches; the second side runs fastest.
    Pairs([Vec<[f64; 2]>; 2]),
    /// A box around the places of each law.
    Boxes(Vec<[[f64; 2]; 2]>),
}

#[derive(Debug, Clone)]
enum Shape {
    /// `base + more x (columns of the window in the group) x (rows of it)`, for each pair of stretches.
    Product { base: Vec<f64>, more: f64, inside: [Vec<Vec<f64>>; 2] },
    /// One law for each pair of stretches.
    Listed(Vec<Vec<f64>>),
}

impl PlaneLaws {
    /// The laws `base + more x first x second` for each pair of stretches, where both factors have numbers for parts of the
    /// reports, and groups are pairs of parts.
    pub fn of_product(
        stretches: [Vec<[f64; 2]>; 2],
        base: Vec<f64>,
        more: f64,
        inside: [Vec<Vec<f64>>; 2],
    ) -> Self {
        Self { places: Places::Pairs(stretches), shape: Shape::Product { base, more, inside }, slack: 0.0 }
    }

    pub(super) fn of_list(stretches: [Vec<[f64; 2]>; 2], laws: Vec<Vec<f64>>) -> Self {
        Self { places: Places::Pairs(stretches), shape: Shape::Listed(laws), slack: 0.0 }
    }

    /// Laws of places that lie in boxes, given as stretches of both sides in shares of the side.
    pub fn of_boxes(boxes: Vec<[[f64; 2]; 2]>, laws: Vec<Vec<f64>>) -> Self {
        Self { places: Places::Boxes(boxes), shape: Shape::Listed(laws), slack: 0.0 }
    }

    /// The same laws for places that lie in other boxes.
    #[must_use]
    pub fn in_boxes(self, boxes: Vec<[[f64; 2]; 2]>) -> Self {
        Self { places: Places::Boxes(boxes), ..self }
    }

    /// The same, where laws of other places are mixtures up to a sum of absolute differences of `slack`.
    #[must_use]
    pub fn up_to(self, slack: f64) -> Self {
        Self { slack, ..self }
    }

    /// How far the law of a place may be from a mixture, as a sum of absolute differences.
    pub fn slack(&self) -> f64 {
        self.slack
    }

    /// How many laws there are.
    pub fn count(&self) -> usize {
        match &self.places {
            Places::Pairs([first, second]) => first.len() * second.len(),
            Places::Boxes(boxes) => boxes.len(),
        }
    }

    /// How many groups of reports there are.
    pub fn groups(&self) -> usize {
        match &self.shape {
            Shape::Listed(laws) => laws.first().map_or(0, Vec::len),
            Shape::Product { base, .. } => base.len(),
        }
    }

    /// The places that have a law, as stretches of both sides in shares of the side.
    pub fn places(&self, index: usize) -> [[f64; 2]; 2] {
        match &self.places {
            Places::Pairs([first, second]) => [first[index / second.len()], second[index % second.len()]],
            Places::Boxes(boxes) => boxes[index],
        }
    }

    /// The law of the places nearest to a place, given in shares of the sides; of several the one in the middle of which it is.
    pub fn nearest(&self, place: [f64; 2]) -> usize {
        let beyond = |[low, high]: [f64; 2], at: f64| (low - at).max(at - high).max(0.0);
        let aside = |[low, high]: [f64; 2], at: f64| (f64::midpoint(low, high) - at).abs();
        let first_of_least = |keys: Vec<[f64; 2]>| {
            let keys = keys.into_iter().enumerate();
            let order = |one: &(usize, [f64; 2]), two: &(usize, [f64; 2])| {
                one.1[0].total_cmp(&two.1[0]).then(one.1[1].total_cmp(&two.1[1]))
            };
            keys.min_by(order).map_or(0, |(index, _)| index)
        };
        match &self.places {
            Places::Pairs(stretches) => {
                let [column, row] = [0, 1].map(|axis: usize| {
                    let key =
                        |stretch: &[f64; 2]| [beyond(*stretch, place[axis]), aside(*stretch, place[axis])];
                    first_of_least(stretches[axis].iter().map(key).collect())
                });
                column * stretches[1].len() + row
            }
            Places::Boxes(boxes) => {
                let key = |places: &[[f64; 2]; 2]| {
                    let [first, second] = [0, 1].map(|axis: usize| (places[axis], place[axis]));
                    let far = beyond(first.0, first.1).hypot(beyond(second.0, second.1));
                    [far, aside(first.0, first.1).hypot(aside(second.0, second.1))]
                };
                first_of_least(boxes.iter().map(key).collect())
            }
        }
    }

    /// The probability of each group under a law.
    pub fn law(&self, index: usize) -> Vec<f64> {
        match &self.shape {
            Shape::Listed(laws) => laws[index].clone(),
            Shape::Product { base, more, inside } => {
                let rows = inside[1].len();
                let (columns, rows) = (&inside[0][index / rows], &inside[1][index % rows]);
                let inside = columns.iter().flat_map(|column| rows.iter().map(move |row| column * row));
                base.iter().zip(inside).map(|(base, inside)| base + more * inside).collect()
            }
        }
    }

    /// For each law the mean of a number for each group.
    pub fn means(&self, of_groups: &[f64]) -> Vec<f64> {
        let dot = |one: &[f64], two: &[f64]| -> f64 { one.iter().zip(two).map(|(one, two)| one * two).sum() };
        match &self.shape {
            Shape::Listed(laws) => laws.iter().map(|law| dot(law, of_groups)).collect(),
            Shape::Product { base, more, inside } => {
                let outside = dot(base, of_groups);
                let width = inside[1].first().map_or(1, Vec::len);
                let mut means = Vec::with_capacity(self.count());
                for columns in &inside[0] {
                    let mut of_rows = vec![0.0; width];
                    for (column, groups) in
                        columns.iter().zip(of_groups.chunks_exact(width)).filter(|(c, _)| **c > 0.0)
                    {
                        of_rows.iter_mut().zip(groups).for_each(|(sum, number)| *sum += column * number);
                    }
                    means.extend(inside[1].iter().map(|rows| outside + more * dot(rows, &of_rows)));
                }
                means
            }
        }
    }
}
