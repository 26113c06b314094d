//! The best (p, rho) under a privacy constraint, in closed form.
//!
//! Write E = e^epsilon, s = E / (1 + E), t = 1 - s; S and T = 1 - S likewise for the cap on the exposed-pair epsilon (S = 1
//! without a cap); l for the probability that a person's partner colludes; d for the spread `((2 n1 - n)^2 - n) P(pair)`, so
//! that the variance is `p q / (p - q)^2 (n + rho d)`.
//!
//! **Negative correlation** (d > 0). Put u = -rho. The average guarantee says p (1 + l u) <= s, the cap p (1 + u) <= S. The
//! variance falls with p, so the best point lies on the boundary. There 1/p is linear in u, and the variance is
//! `(a + b u)(n - d u) / (c - b u)^2`. Its derivative has the sign of a *linear* function of u, which never changes from minus
//! to plus for s > 1/2: there is no minimum inside. The best point is an end: u = 0, or the corner where both constraints hold
//! with equality,
//!
//! ```text
//! p = (s - l S) / (1 - l),   rho = 1 - S / p.
//! ```
//!
//! Without a cap that is p = ((n-1) s - m) / (n-1-m), rho = 1 - 1/p.
//!
//! **Positive correlation** (d < 0: close to as many ones as zeros). The constraints are q (1 - l rho) >= t and q (1 - rho) >= T.
//! The same algebra allows one minimum inside each boundary, at a root that is also closed. With many people the gain is
//! at most one part in n.

use crate::accounting::{average_ratio, guarantee};
use crate::crowd::Crowd;
use crate::error::JointError;
use crate::table::JointTable;
use crate::variance::SupportLaw;
use privet_core::{Epsilon, ExpLowerBound, Guarantee, Probability};

/// What a plan must keep, and what is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// How many people, and how many of them may collude.
    pub crowd: Crowd,
    /// The average guarantee that must hold.
    pub epsilon: Epsilon,
    /// How many are expected to hold the value, if anything is known about it.
    pub ones: Option<u64>,
    /// The most that a person may lose whose pair is exposed.
    pub cap: Option<Epsilon>,
}

/// The best table for a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was asked for.
    pub request: Request,
    /// The probability of a truthful report.
    pub p: f64,
    /// The correlation of the truthfulness of two partners.
    pub rho: f64,
    /// The joint law of the two people of a pair: exactly that of `JointTable::new(p, rho)`.
    pub table: JointTable,
    /// Independent randomised response that keeps the same request.
    pub independent: JointTable,
    /// What a report promises.
    pub guarantee: Guarantee,
    /// The variance of the estimated number of ones; its mean over all possible numbers if none is expected.
    pub variance: f64,
    /// The same for independent randomised response.
    pub variance_independent: f64,
    /// Why this table.
    pub choice: Choice,
}

/// Why a plan has the correlation that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Two people lie together less often than by chance. Best unless there are about as many ones as zeros.
    Negative,
    /// Two people lie together more often than by chance: best for about as many ones as zeros.
    Positive,
    /// People perturb on their own, because the cap leaves no room for a correlation.
    IndependentByCap,
    /// People perturb on their own, because with so many colluders, or these numbers, no correlation is worth its price.
    Independent,
}

impl Choice {
    /// The reason in one sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Negative => "a negative correlation has the least variance here",
            Self::Positive => {
                "there are about as many ones as zeros, so a positive correlation has the least variance"
            }
            Self::IndependentByCap => {
                "the cap on the exposed-pair epsilon is not above epsilon, which leaves no room for a correlation"
            }
            Self::Independent => {
                "no correlation beats independent randomised response at this epsilon and collusion"
            }
        }
    }
}

impl Request {
    /// The best table.
    ///
    /// # Errors
    /// When more people than there are hold the value, or epsilon is too small for 64-bit weights.
    pub fn plan(self) -> Result<Plan, JointError> {
        let users = self.crowd.users();
        if let Some(got) = self.ones.filter(|ones| *ones > users) {
            return Err(JointError::TooManyHolders { users, got });
        }
        let independent = self.independent()?;
        let candidates = if self.has_room() { self.candidates() } else { Vec::new() };
        let variance_independent = self.variance(&independent.table);
        let (mut best, mut variance, mut choice) = (independent, variance_independent, self.independence());
        for (point, why) in candidates {
            let other = self.variance(&point.table);
            if other < variance {
                (best, variance, choice) = (point, other, why);
            }
        }
        let Point { p, rho, table } = best;
        let guarantee = guarantee(&table, &self.crowd)
            .ok_or(JointError::Incompatible { reason: "the plan has no finite guarantee" })?;
        let independent = independent.table;
        Ok(Plan {
            request: self,
            p,
            rho,
            table,
            independent,
            guarantee,
            variance,
            variance_independent,
            choice,
        })
    }

    /// Whether the cap allows more for an exposed pair than epsilon itself.
    fn has_room(&self) -> bool {
        self.cap.is_none_or(|cap| cap > self.epsilon)
    }

    fn independence(&self) -> Choice {
        if self.has_room() { Choice::Independent } else { Choice::IndependentByCap }
    }

    /// Randomised response at epsilon, or at the cap if that is smaller.
    fn independent(&self) -> Result<Point, JointError> {
        let epsilon = match self.cap {
            Some(cap) if cap < self.epsilon => cap,
            _ => self.epsilon,
        };
        let lie = ExpLowerBound::of(epsilon).smallest_weight(1, 1, 1);
        Point::new(lie, |_| 0.0)
            .ok_or(JointError::Parameter(privet_core::ParameterError::EpsilonTooSmall { got: epsilon.get() }))
    }

    /// `((2 n1 - n)^2 - n)` times the probability that two given people form a pair, with the mean over all n1 if there is no
    /// expectation.
    fn spread(&self) -> f64 {
        let users = self.crowd.users() as f64;
        let square = match self.ones {
            Some(ones) => (2.0 * ones as f64 - users).powi(2) - users,
            // The mean of (2 n1 - n)^2 over n1 = 0..=n is n (n + 2) / 3.
            None => users * (users - 1.0) / 3.0,
        };
        square * self.crowd.pairs().chance()
    }

    /// The variance of the estimated number of ones.
    fn variance(&self, table: &JointTable) -> f64 {
        let users = self.crowd.users() as f64;
        (users * table.p() * table.q() + table.covariance() * self.spread()) / table.difference().powi(2)
    }

    fn candidates(&self) -> Vec<(Point, Choice)> {
        let spread = self.spread();
        if self.crowd.exposure() >= 1.0 || spread == 0.0 {
            return Vec::new();
        }
        let (found, choice) = if spread > 0.0 {
            (self.negative_corner().into_iter().collect(), Choice::Negative)
        } else {
            (self.positive_points(), Choice::Positive)
        };
        found.into_iter().map(|point| (point, choice)).collect()
    }

    /// Both constraints with equality, at a negative correlation.
    fn negative_corner(&self) -> Option<Point> {
        let (partners, colluders) = (self.crowd.partners(), self.crowd.colluders());
        let honest = partners - colluders;
        let Some(cap) = self.cap else {
            // q = (n-1) / ((n-1-m) (1 + E)), rounded up in integers.
            let lie = ExpLowerBound::of(self.epsilon).smallest_weight(partners, honest, honest);
            return Point::new(lie, |p| 1.0 - 1.0 / p);
        };
        let (exposure, most) = (self.crowd.exposure(), 1.0 - share_of_lies(cap));
        let q = (share_of_lies(self.epsilon) - exposure * share_of_lies(cap)) / (1.0 - exposure);
        self.tightest(q, |p| 1.0 - most / p)
    }

    /// The points on the boundary that can be best at a positive correlation.
    fn positive_points(&self) -> Vec<Point> {
        let (users, exposure) = (self.crowd.users() as f64, self.crowd.exposure());
        let decrease = -self.spread();
        let (t, cap) = (share_of_lies(self.epsilon), self.cap.map_or(0.0, share_of_lies));
        let reach = (t - cap) / (1.0 - exposure);
        let corner = reach / (cap + reach);
        let inside = inner_minimum(t, exposure, decrease, users).filter(|rho| *rho < corner);
        let beyond =
            inner_minimum(cap, 1.0, decrease, users).filter(|rho| *rho > corner && self.cap.is_some());
        let points = [
            Some((corner, cap + reach)),
            inside.map(|rho| (rho, t / (1.0 - exposure * rho))),
            beyond.map(|rho| (rho, cap / (1.0 - rho))),
        ];
        points.into_iter().flatten().filter_map(|(rho, q)| self.tightest(q, |_| rho)).collect()
    }

    /// The first point from the given one towards more lies and less correlation that keeps both constraints in exact
    /// arithmetic.
    fn tightest(&self, q: f64, rho: impl Fn(f64) -> f64) -> Option<Point> {
        let bound = ExpLowerBound::of(self.epsilon);
        let cap = self.cap.map(ExpLowerBound::of);
        let keeps = |point: &Point| {
            let average =
                average_ratio(&point.table, &self.crowd, 1).is_some_and(|ratio| ratio.is_at_most(&bound));
            let exposed = point.table.exposed_ratio(1);
            average && cap.as_ref().is_none_or(|cap| exposed.is_some_and(|ratio| ratio.is_at_most(cap)))
        };
        // The closed form is off by some roundings at most: step by as many as it takes.
        (0..ROUNDING_STEPS).find_map(|step| {
            let roundings = f64::EPSILON * (f64::from(1u32 << step) - 1.0);
            let lie = (q * (1.0 + roundings) * 2f64.powi(64)).ceil();
            let less = |p: f64| {
                let rho = rho(p);
                rho - rho.signum() * roundings.min(rho.abs())
            };
            Point::new(lie as u64, less).filter(keeps)
        })
    }
}

/// A table with the numbers that name it.
#[derive(Debug, Clone, Copy)]
struct Point {
    p: f64,
    rho: f64,
    table: JointTable,
}

impl Point {
    /// The point at which a person lies for `lie` words or a few more, so that p is a floating-point number and whoever is
    /// told p and rho has the same table. `None` if p is not above one half or the correlation not possible.
    fn new(lie: u64, rho: impl Fn(f64) -> f64) -> Option<Self> {
        let lie = lie.checked_next_multiple_of(1 << (64 - f64::MANTISSA_DIGITS))?;
        let p = 1.0 - lie as f64 / 2f64.powi(64);
        let rho = rho(p);
        let table = JointTable::new(Probability::new(p).ok()?, rho).ok()?;
        Some(Self { p, rho, table })
    }
}

/// Doublings of the step by which a closed form is corrected; ten are more than its rounding errors.
const ROUNDING_STEPS: u32 = 20;

/// 1 / (1 + e^epsilon): how often randomised response lies.
fn share_of_lies(epsilon: Epsilon) -> f64 {
    1.0 / (1.0 + epsilon.get().exp())
}

/// Where the variance along `q (1 - exposure rho) = t` has its minimum, if that is not at an end.
///
/// With a = 1/t - 1, b = exposure / t, c = 1/t - 2 the variance is `(a - b rho)(n - d rho) / (c - b rho)^2`, and the sign of its
/// derivative is that of `at_zero + slope * rho`.
fn inner_minimum(t: f64, exposure: f64, decrease: f64, users: f64) -> Option<f64> {
    let (a, b, c) = (1.0 / t - 1.0, exposure / t, 1.0 / t - 2.0);
    let at_zero = b * users / t - decrease * a * c;
    let slope = b * (decrease * (c - 1.0) - b * users);
    let root = -at_zero / slope;
    (at_zero < 0.0 && slope > 0.0 && root > 0.0 && root < 1.0).then_some(root)
}

impl Plan {
    /// The variance of the estimated number of ones, if `ones` people hold the value.
    pub fn variance_at(&self, ones: u64) -> f64 {
        SupportLaw::binary(&self.table).estimate_variance(self.request.crowd.pairs(), ones as f64)
    }

    /// The variance in units of that of independent randomised response.
    pub fn ratio(&self) -> f64 {
        self.variance / self.variance_independent
    }

    /// Whether people are to be paired at all.
    pub fn is_joint(&self) -> bool {
        matches!(self.choice, Choice::Negative | Choice::Positive)
    }
}
