//! Half-widths of means against the least that affine estimates can have, found another way: by its dual.
//!
//! An affine estimate with weights a has at every value x a bias of at most B and, for some population, a standard deviation of
//! at least `sqrt(a' C a / n)`, where C is the covariance of a report for any population one likes to look at. Its half-width is
//! `S cv(B/S)`, which grows with both. For every signed measure m on the values with sum zero,
//! `sum of m x - B |m| <= a' P'm <= S sqrt(n) w` with `w^2 = (P'm)' C^-1 (P'm)` (Cauchy and Schwarz), so no affine estimate has a
//! smaller half-width than the least over r = B/S of `cv(r) sum(m x) / (sqrt(n) w + r |m|)`. This is Donoho's modulus of
//! continuity. Every m proves a bound; good ones are searched for by splitting (ADMM), which nothing rests on.

use super::Collection;
use nalgebra::{DMatrix, DVector};
use privet_core::Target;
use privet_estimators::Request;
use privet_estimators::numeric::Method;
use privet_estimators::statistics::normal_upper_tail;
use privet_mechanisms::analysis::AnyNumeric;

/// Values at which biases are looked at, and groups of reports.
const VALUES: usize = 49;
const GROUPS: usize = 256;
/// Of the search.
const ROUNDS: usize = 200;

/// The law of reports at a value, in groups.
fn law(channel: &dyn AnyNumeric, value: f64) -> Vec<f64> {
    let placement = channel.place(channel.space().from_unit(value));
    let up = placement.up as f64 / 2f64.powi(64);
    let groups = GROUPS.min(channel.output_cells() as usize);
    let cells = u64::from(channel.output_cells());
    let mut law = vec![0.0; groups];
    for (node, share) in [(placement.node, 1.0 - up), (channel.next_node(placement.node), up)] {
        for run in channel.runs(node).into_iter().filter(|_| share > 0.0) {
            for cell in u64::from(run.first)..u64::from(run.first) + u64::from(run.count) {
                law[(cell * groups as u64 / cells) as usize] += share * run.weight as f64;
            }
        }
    }
    law.iter().map(|mass| mass / channel.row_total() as f64).collect()
}

/// Values over the whole domain, and the last ones next to its ends that have the laws of the ends.
fn values(channel: &dyn AnyNumeric) -> Vec<f64> {
    let same = |end: f64, towards: f64| {
        let of_end = law(channel, end);
        let (mut inside, mut outside) = (end, towards);
        for _ in 0..30 {
            let middle = f64::midpoint(inside, outside);
            if law(channel, middle) == of_end { inside = middle } else { outside = middle }
        }
        inside
    };
    let mut values: Vec<f64> = (0..VALUES - 2).map(|x| x as f64 / (VALUES - 3) as f64).collect();
    values.extend([same(0.0, 1.0), same(1.0, 0.0)]);
    values.sort_by(f64::total_cmp);
    values
}

/// `cv(r)`: a normal with mean r and variance one is within it in 95 of 100 cases.
fn critical(r: f64) -> f64 {
    let (mut low, mut high) = (1.0, r + 2.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let outside = normal_upper_tail(middle - r) + normal_upper_tail(middle + r);
        if outside > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// What is looked for: a measure on the values.
struct Dual {
    /// Pairs of r and `cv(r)`.
    criticals: Vec<[f64; 2]>,
    /// `P C^-1 P'`, over the values.
    products: DMatrix<f64>,
    values: Vec<f64>,
    n: f64,
}

impl Dual {
    /// For the covariance of a report if people are spread over the values in some way. About those who reported only the noise of
    /// each report counts.
    fn new(values: &[f64], laws: &DMatrix<f64>, people: &DVector<f64>, target: Target, n: f64) -> Self {
        let reports = laws.tr_mul(people);
        // What nobody reports could only make C^-1 larger; a little of everything makes the bound smaller, not wrong.
        let mut covariance = DMatrix::from_diagonal(&reports.map(|share| share + 1e-9));
        match target {
            Target::Population => covariance.ger(-1.0, &reports, &reports, 1.0),
            Target::Reported => {
                let weighed =
                    DMatrix::from_fn(laws.nrows(), laws.ncols(), |x, y| people[x].sqrt() * laws[(x, y)]);
                covariance.gemm_tr(-1.0, &weighed, &weighed, 1.0);
            }
        }
        // Constants do not vary; measures of sum zero do not see them.
        covariance.ger(1.0, &reports, &reports, 1.0);
        let solved = covariance.cholesky().unwrap().solve(&laws.transpose());
        let ratios =
            (0..80).map(|step| f64::from(step) * 0.05).chain((0..40).map(|step| 4.0 * 1.3f64.powi(step)));
        let criticals = ratios.map(|r| [r, critical(r)]).collect();
        Self { criticals, products: laws * solved, values: values.to_vec(), n }
    }

    /// The bound that a measure proves.
    fn bound(&self, measure: &DVector<f64>) -> f64 {
        let mean: f64 = measure.iter().zip(&self.values).map(|(m, x)| m * x).sum();
        let noise = (self.n * measure.dot(&(&self.products * measure))).max(0.0).sqrt();
        let size = measure.lp_norm(1);
        let half_width = |[r, critical]: &[f64; 2]| critical * mean / (noise + r * size);
        self.criticals.iter().map(half_width).fold(f64::INFINITY, f64::min)
    }

    /// The largest bound that was found.
    fn best(&self) -> f64 {
        let ends = DMatrix::from_fn(2, VALUES, |row, x| if row == 0 { 1.0 } else { self.values[x] });
        let scale = self.products.diagonal().mean() * self.n;
        let mut best = 0.0f64;
        for penalty in (-14..8).map(|power| scale * 10f64.powf(f64::from(power) / 2.0)) {
            best = best.max(self.split(&ends, penalty, scale));
        }
        best
    }

    /// Alternates between the smallest noise among measures of sum zero and mean one, and few values.
    fn split(&self, ends: &DMatrix<f64>, penalty: f64, scale: f64) -> f64 {
        let size = VALUES + 2;
        let mut best = 0.0f64;
        for step in [1e-3, 1e-1].map(|part| part * scale) {
            let mut matrix = DMatrix::zeros(size, size);
            matrix.view_mut((0, 0), (VALUES, VALUES)).copy_from(&(&self.products * self.n));
            (0..VALUES).for_each(|x| matrix[(x, x)] += step);
            matrix.view_mut((0, VALUES), (VALUES, 2)).copy_from(&ends.transpose());
            matrix.view_mut((VALUES, 0), (2, VALUES)).copy_from(ends);
            let solver = matrix.lu();
            let mut found = DVector::zeros(VALUES);
            let (mut few, mut price) = (found.clone(), found.clone());
            for _ in 0..ROUNDS {
                let mut right = DVector::zeros(size);
                right.rows_mut(0, VALUES).copy_from(&((&few - &price) * step));
                right[VALUES + 1] = 1.0;
                let Some(solved) = solver.solve(&right) else { break };
                let measure = solved.rows(0, VALUES).clone_owned();
                few = (&measure + &price).map(|m: f64| m.signum() * (m.abs() - penalty / step).max(0.0));
                price += &measure - &few;
                found = measure;
            }
            if found.sum().abs() < 1e-6 {
                best = best.max(self.bound(&found));
            }
        }
        best
    }
}

/// Of half-widths whose variance is that of a population: a share `even` spread evenly over the values, the rest at both ends.
fn least_at(collection: &Collection, even: f64, target: Target, n: f64) -> f64 {
    let channel = collection.estimator.numeric().unwrap();
    let values = values(channel);
    let rows: Vec<Vec<f64>> = values.iter().map(|value| law(channel, *value)).collect();
    let laws = DMatrix::from_fn(VALUES, rows[0].len(), |x, y| rows[x][y]);
    let mut people = DVector::from_element(VALUES, even / VALUES as f64);
    people[0] += (1.0 - even) / 2.0;
    people[VALUES - 1] += (1.0 - even) / 2.0;
    Dual::new(&values, &laws, &people, target, n).best()
}

/// The affine minimax half-width is at least this: its variance is the largest over all populations.
fn least(collection: &Collection, target: Target, n: f64) -> f64 {
    [0.1, 0.5, 1.0].map(|even| least_at(collection, even, target, n)).into_iter().fold(0.0, f64::max)
}

/// The mean half-width for some people.
fn half_width(collection: &Collection, people: &[f64], target: Target) -> f64 {
    let request =
        Request { bins: 1, method: Method::Histogram, quantiles: Vec::new(), target, ..Request::default() };
    let half = |seed: u64| {
        let [low, high] = collection.answer(people, seed, &request).into_numbers().unwrap().mean.interval;
        (high - low) / 2.0
    };
    (1..=3).map(half).sum::<f64>() / 3.0
}

#[test]
fn means_are_nearly_as_narrow_as_affine_estimates_can_be() {
    for (name, epsilon, n) in CASES {
        let collection = Collection::new(name, "interval:0,1", epsilon);
        for target in Target::ALL {
            let least = least(&collection, target, n as f64);
            let spread = |i: usize| (i as f64 + 0.5) / n as f64;
            let people: [Vec<f64>; 5] = [
                vec![0.0; n],
                vec![0.5; n],
                vec![0.7; n],
                (0..n).map(spread).collect(),
                (0..n).map(|i| f64::from(u8::from(i % 2 == 0))).collect(),
            ];
            for people in people {
                let half = half_width(&collection, &people, target);
                let ratio = half / least;
                println!("{name} {epsilon} {n} {target:?}: {half:.5} / {least:.5} = {ratio:.3}");
                assert!(ratio <= 1.1, "{name} {epsilon} {n} {target:?}: {half} {least}");
            }
        }
    }
}

/// An oracle knows the population, and so the variance, but bounds its bias for all of them. At a large epsilon and evenly spread
/// people half-widths are at most twice those of the best one.
#[test]
fn means_at_a_large_epsilon_are_not_much_wider_than_an_oracle_s() {
    let n = 20_000;
    let people: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
    for name in ["square-wave", "optimal-piecewise", "piecewise", "laplace"] {
        let collection = Collection::new(name, "interval:0,1", 7.7);
        for target in Target::ALL {
            let half = half_width(&collection, &people, target);
            let oracle = least_at(&collection, 1.0, target, n as f64);
            println!("{name} {target:?}: {half:.5} / {oracle:.5} = {:.3}", half / oracle);
            assert!(half <= 2.0 * oracle, "{name} {target:?}: {half} {oracle}");
        }
    }
}

const CASES: [(&str, f64, usize); 6] = [
    ("square-wave", 1.0, 20_000),
    ("square-wave", 4.0, 20_000),
    ("piecewise", 1.0, 20_000),
    ("optimal-piecewise", 1.0, 20_000),
    ("laplace", 0.5, 2_000),
    ("duchi", 1.0, 2_000),
];
