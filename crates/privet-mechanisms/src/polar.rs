//! A distance and a direction: an interval times a circle, with one budget for both.

use crate::circle::{AbsoluteErrorAround, SquaredErrorAround};
use crate::interval::{AbsoluteError, SquaredError, shares};
use crate::lattice::{CalibratedRule, LatticeChannel, LatticeMechanism, LatticeRule};
use privet_core::{
    Category, Channel, Circle, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint, FingerprintBuilder,
    Fraction, Guarantee, InputError, Interval, Mechanism, MechanismInfo, ParameterError, Piece, ReportError,
    Values,
};
use std::fmt;

/// Pairs of a distance and a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolarDomain {
    /// The distances.
    pub radius: Interval,
    /// The directions.
    pub angle: Circle,
}

impl fmt::Display for PolarDomain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "polar:{},{},{}", self.radius.low(), self.radius.high(), self.angle.period())
    }
}

impl Domain for PolarDomain {
    type Value = [f64; 2];
    const KIND: &'static str = "polar";

    fn contains(&self, [radius, angle]: &[f64; 2]) -> bool {
        self.radius.contains(radius) && self.angle.contains(angle)
    }

    fn nearest(&self, [radius, angle]: [f64; 2]) -> [f64; 2] {
        [self.radius.nearest(radius), self.angle.nearest(angle)]
    }

    fn parse(&self, text: &str) -> Result<[f64; 2], InputError> {
        let (radius, angle) = text.split_once(',').ok_or_else(|| self.outside())?;
        let both = self.radius.parse(radius).and_then(|radius| Ok([radius, self.angle.parse(angle)?]));
        both.map_err(|_| self.outside())
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        self.radius.identify(builder);
        self.angle.identify(builder);
    }

    fn from_spec(_: &DomainSpec) -> Option<&Self> {
        None
    }

    fn select(_: &Values) -> Option<&[[f64; 2]]> {
        None
    }
}

/// How one epsilon is divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolarBudget {
    /// For the distance.
    pub radius: Epsilon,
    /// For the direction.
    pub angle: Epsilon,
}

/// Mechanisms for both parts that are best for the same loss.
pub trait PolarLoss: Send + Sync + 'static {
    /// For the distance.
    type Radius: CalibratedRule<Domain = Interval>;
    /// For the direction.
    type Angle: CalibratedRule<Domain = Circle>;
    /// The page's facts.
    const INFO: MechanismInfo;

    /// The length of the window as a share of all outputs; both parts have the same.
    fn share(epsilon: Epsilon) -> f64;
}

/// The windows that are best for absolute error, divided so that the worst sum of squared errors is smallest.
#[derive(Debug, Clone, Copy)]
pub struct PolarAbsolute;

/// The windows that are best for squared error, divided so that the worst sum of squared errors is smallest.
#[derive(Debug, Clone, Copy)]
pub struct PolarSquared;

const POLAR: MechanismInfo = MechanismInfo {
    id: "polar-piecewise",
    synonyms: &["ogpm-polar"],
    title: "Optimal piecewise mechanism on polar coordinates",
    domain: "polar",
    ..<AbsoluteError as LatticeRule>::INFO
};

impl PolarLoss for PolarAbsolute {
    type Radius = AbsoluteError;
    type Angle = AbsoluteErrorAround;
    const INFO: MechanismInfo = POLAR;

    fn share(epsilon: Epsilon) -> f64 {
        shares::absolute_error(epsilon)
    }
}

impl PolarLoss for PolarSquared {
    type Radius = SquaredError;
    type Angle = SquaredErrorAround;
    const INFO: MechanismInfo =
        MechanismInfo { id: "polar-piecewise-squared", synonyms: &["ogpm-polar-squared"], ..POLAR };

    fn share(epsilon: Epsilon) -> f64 {
        shares::squared_error(epsilon)
    }
}

/// A window mechanism on the distance and one on the direction.
///
/// # What it protects
/// A distance and a direction together, for example of a movement.
/// # Formula
/// Distance and direction are reported independently by [`crate::interval::OptimalPiecewise`] and
/// [`crate::circle::OptimalPiecewiseCircle`], or their versions for squared error. Epsilon is divided so that the sum of
/// both worst squared errors is smallest; on [0, 1] x [0, 2 pi) at epsilon 1 + 2 pi: 1.2985 and 5.9846, or 1.5298 and
/// 5.7534 with the windows for squared error.
/// # Domain
/// An interval times a circle.
/// # Guarantee
/// Pure epsilon: the two ratios multiply.
/// # Cost
/// 32 bits per report; four random words per draw.
/// # Numerics
/// Integer-exact, as its parts.
/// # When not to use it
/// For points of a plane: equal steps of the direction are far apart at a large distance. Two-dimensional windows with the
/// whole budget are better there.
/// # Reference
/// Y. Zheng's dissertation, appendix C.2.6. Deviation: its printed parts do not add up to epsilon.
/// # Example
/// ```
/// use privet_core::{Circle, Epsilon, Generator, Interval, Mechanism};
/// use privet_mechanisms::polar::{Polar, PolarAbsolute, PolarDomain};
/// let domain = PolarDomain { radius: Interval::new(0.0, 1.0)?, angle: Circle::new(360.0)? };
/// let mechanism = Polar::<PolarAbsolute>::new(domain, Epsilon::new(4.0)?)?;
/// let report = mechanism.randomize(&[0.5, 90.0], &mut Generator::from_insecure_seed(1))?;
/// let [radius, angle] = mechanism.output_value(&report);
/// assert!((0.0..=1.0).contains(&radius) && (0.0..360.0).contains(&angle));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Polar<L: PolarLoss> {
    domain: PolarDomain,
    radius: LatticeMechanism<L::Radius>,
    angle: LatticeMechanism<L::Angle>,
    budget: PolarBudget,
    guarantee: Guarantee,
}

impl<L: PolarLoss> Polar<L> {
    /// Divides epsilon so that the worst sum of squared errors is smallest.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights.
    pub fn new(domain: PolarDomain, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::with_budget(domain, best_budget::<L>(&domain, epsilon)?)
    }

    /// Uses a given division.
    ///
    /// # Errors
    /// When a part is too small for 64-bit weights.
    pub fn with_budget(domain: PolarDomain, budget: PolarBudget) -> Result<Self, ParameterError> {
        let radius = LatticeMechanism::new(domain.radius, budget.radius)?;
        let angle = LatticeMechanism::new(domain.angle, budget.angle)?;
        let ratio = &radius.worst_ratio() * &angle.worst_ratio();
        let guarantee = Guarantee::Pure { epsilon: Epsilon::new(ratio.log_rounded_up())? };
        Ok(Self { domain, radius, angle, budget, guarantee })
    }

    /// How epsilon is divided.
    pub fn budget(&self) -> PolarBudget {
        self.budget
    }

    /// The distance and the direction that a report stands for.
    pub fn output_value(&self, report: &[Category; 2]) -> [f64; 2] {
        [self.radius.output_value(report[0].0), self.angle.output_value(report[1].0)]
    }
}

/// The worst squared error of a window on a domain of length one (on a circle: a half turn).
fn worst_squared_error<L: PolarLoss>(epsilon: Epsilon) -> f64 {
    // Beyond this the error is below any number that matters, and e^epsilon still is a number.
    let epsilon = epsilon.get().min(300.0);
    let share = Epsilon::new(epsilon).map_or(0.5, L::share);
    let excess = epsilon.exp_m1();
    (share.powi(3) * excess + 1.0) / (3.0 * (1.0 + share * excess))
}

/// The division with the smallest sum of worst squared errors.
fn best_budget<L: PolarLoss>(domain: &PolarDomain, epsilon: Epsilon) -> Result<PolarBudget, ParameterError> {
    // Only the ratio of both scales matters; it stays finite where their squares do not.
    let scale = domain.angle.period() / 2.0 / domain.radius.width();
    let loss = |part: f64| -> Result<f64, ParameterError> {
        let rest = Epsilon::new(epsilon.get() - part)?;
        Ok(worst_squared_error::<L>(Epsilon::new(part)?) + scale * scale * worst_squared_error::<L>(rest))
    };
    const STEPS: u32 = 400;
    let at = |step: u32| epsilon.get() * f64::from(step) / f64::from(STEPS);
    let mut best = (1, f64::INFINITY);
    for step in 1..STEPS {
        let value = loss(at(step))?;
        if value < best.1 {
            best = (step, value);
        }
    }
    let (mut low, mut high) = (at(best.0 - 1), at(best.0 + 1));
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        let (left, right) = (low + third, high - third);
        if right >= epsilon.get() || left <= 0.0 {
            break;
        }
        if loss(left)? < loss(right)? { high = right } else { low = left }
    }
    // Where epsilon is small the best is to say nothing about one part; a thousandth keeps it a mechanism.
    let part = (0.5 * (low + high)).clamp(epsilon.get() / 1000.0, epsilon.get() * 0.999);
    let parts = epsilon.shared(&[part, epsilon.get() - part])?;
    Ok(PolarBudget { radius: parts[0], angle: parts[1] })
}

impl<L: PolarLoss> Mechanism for Polar<L> {
    type Domain = PolarDomain;
    type Report = [Category; 2];
    const INFO: MechanismInfo = L::INFO;

    fn domain(&self) -> &PolarDomain {
        &self.domain
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(L::INFO.id);
        for part in [self.radius.fingerprint(), self.angle.fingerprint()] {
            builder.number(u64::from_le_bytes(part.to_bytes()));
        }
        builder.finish()
    }

    fn report_bits(&self) -> u32 {
        self.radius.report_bits() + self.angle.report_bits()
    }

    fn report_bytes(&self) -> usize {
        self.radius.report_bytes() + self.angle.report_bytes()
    }

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &[f64; 2],
        rng: &mut R,
    ) -> Result<[Category; 2], InputError> {
        self.domain.check(input)?;
        Ok([self.radius.randomize(&input[0], rng)?, self.angle.randomize(&input[1], rng)?])
    }

    fn encode(&self, report: &[Category; 2], slot: &mut [u8]) {
        let (radius, angle) = slot.split_at_mut(self.radius.report_bytes());
        self.radius.encode(&report[0], radius);
        self.angle.encode(&report[1], angle);
    }

    fn decode(&self, slot: &[u8]) -> Result<[Category; 2], ReportError> {
        self.check_length(slot)?;
        let (radius, angle) = slot.split_at(self.radius.report_bytes());
        Ok([self.radius.decode(radius)?, self.angle.decode(angle)?])
    }
}

impl<L: PolarLoss> Channel for Polar<L> {
    fn probability(&self, input: &[f64; 2], report: &[Category; 2]) -> Fraction {
        &self.radius.probability(&input[0], &report[0]) * &self.angle.probability(&input[1], &report[1])
    }

    fn worst_ratio(&self) -> Fraction {
        &self.radius.worst_ratio() * &self.angle.worst_ratio()
    }

    fn worst_inputs(&self) -> [[f64; 2]; 2] {
        let ([near, far], [one, other]) = (self.radius.worst_inputs(), self.angle.worst_inputs());
        [[near, one], [far, other]]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<[Category; 2]>> {
        let (radii, angles) = (self.radius.all_reports(limit)?, self.angle.all_reports(limit)?);
        let pairs = || radii.iter().flat_map(|radius| angles.iter().map(|angle| [*radius, *angle]));
        (radii.len() * angles.len() <= limit).then(|| pairs().collect())
    }

    fn pieces(&self, input: Option<&[f64; 2]>) -> Vec<Piece> {
        let named = |name: &'static str| {
            move |piece: Piece| Piece { what: format!("{name} {}", piece.what), ..piece }
        };
        let radius = self.radius.pieces(input.map(|input| &input[0])).into_iter().map(named("distance"));
        let angle = self.angle.pieces(input.map(|input| &input[1])).into_iter().map(named("direction"));
        radius.chain(angle).collect()
    }
}

impl<L: PolarLoss> fmt::Debug for Polar<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", L::INFO.title, self.domain, self.guarantee)
    }
}
