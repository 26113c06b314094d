//! A few coordinates at random, each through a mechanism on numbers.

use super::{ClipSet, VectorMechanism, checked};
use crate::VectorError;
use privet_core::sampling::uniform_subset;
use privet_core::{
    Budget, Category, Channel, CryptoRng, Domain, Epsilon, Fingerprint, FingerprintBuilder, Guarantee,
    Interval, Mechanism, MechanismInfo, Numerics, ParameterError, Piece, ReportError,
};
use privet_estimators::CoordinateNoise;
use privet_limit::line::{LineProblem, Unbiased};
use privet_limit::{Cache, Objective, Problem, SolvedChannel, Stop};
use privet_mechanisms::analysis::{Analysis, AnyNumeric, DensityPiece, Loss};
use privet_mechanisms::interval::{Hybrid, MinimaxUnbiased, Piecewise};
use privet_mechanisms::lattice::LatticeChannel;
use std::fmt::Debug;
use std::sync::Arc;

/// Sampled coordinates: k of d coordinates, each with a k-th of the budget through an unbiased mechanism on numbers.
///
/// # What it protects
/// A vector whose coordinates have public ranges, for example several measurements or the answers to a questionnaire.
/// # Formula
/// k = max(1, min(d, floor(epsilon / 2.5))) coordinates are chosen, all subsets alike. Each, divided by its radius, goes through the
/// mechanism on [-1, 1] at epsilon / k: [`SampledCoordinates::piecewise`] (PM), [`SampledCoordinates::hybrid`] (HM) or
/// [`SampledCoordinates::minimax_unbiased`]. The report is d / k times the result there and zero elsewhere. Unbiased on the box; the
/// variance of a coordinate at x (in radii) is (d/k) (V(x) + x^2) - x^2 with V the variance of the mechanism on numbers.
/// # Domain
/// `vector:D`. Each coordinate is clipped to its own range.
/// # Guarantee
/// Pure: k times the exact epsilon of the mechanism on numbers. Which coordinates were chosen is in the report and says nothing.
/// # Cost
/// 8 bytes for each chosen coordinate, however many there are; a few random words for each.
/// # Numerics
/// Integer-exact: uniform subsets and integer weights.
/// # When not to use it
/// Where the vector's length is bounded rather than each coordinate: [`super::PrivUnit`].
/// # Reference
/// N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.
/// # Example
/// ```
/// use privet_core::{Epsilon, Generator};
/// use privet_vector::mechanism::{SampledCoordinates, VectorMechanism};
/// let mechanism = SampledCoordinates::hybrid(vec![1.0; 20], Epsilon::new(5.0)?)?;
/// let mut report = [0.0; 20];
/// mechanism.randomize(&[0.3; 20], &mut report, &mut Generator::from_insecure_seed(1))?;
/// assert_eq!(report.iter().filter(|coordinate| **coordinate != 0.0).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SampledCoordinates {
    info: MechanismInfo,
    clip: ClipSet,
    radii: Vec<f64>,
    chosen: u32,
    channel: Arc<dyn CoordinateChannel>,
    guarantee: Guarantee,
    /// How a coordinate varies, in radii.
    noise: CoordinateNoise,
}

impl SampledCoordinates {
    /// The facts of [`SampledCoordinates::piecewise`].
    pub const PIECEWISE_INFO: MechanismInfo = MechanismInfo {
        id: "sampled-piecewise",
        synonyms: &["sampled-pm"],
        title: "Sampled coordinates, piecewise",
        domain: "vector",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 for each chosen coordinate",
        reference: "Wang et al. 2019",
        status: "stable",
    };
    /// The facts of [`SampledCoordinates::hybrid`].
    pub const HYBRID_INFO: MechanismInfo = MechanismInfo {
        id: "sampled-hybrid",
        synonyms: &["sampled-hm"],
        title: "Sampled coordinates, hybrid",
        ..Self::PIECEWISE_INFO
    };
    /// The facts of [`SampledCoordinates::minimax_unbiased`].
    pub const MINIMAX_INFO: MechanismInfo = MechanismInfo {
        id: "sampled-minimax-unbiased",
        synonyms: &[],
        title: "Sampled coordinates, least worst variance",
        reference: "Wang et al. 2019; linear programme over all channels",
        ..Self::PIECEWISE_INFO
    };

    /// With the piecewise mechanism on each chosen coordinate.
    ///
    /// # Errors
    /// When a radius is not usable, or epsilon is too small.
    pub fn piecewise(radii: Vec<f64>, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::with(Self::PIECEWISE_INFO, radii, epsilon, |epsilon| {
            Ok(Arc::new(Piecewise::new(unit_range()?, epsilon)?))
        })
    }

    /// With the hybrid mechanism on each chosen coordinate.
    ///
    /// # Errors
    /// When a radius is not usable, or epsilon is too small.
    pub fn hybrid(radii: Vec<f64>, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::with(Self::HYBRID_INFO, radii, epsilon, |epsilon| {
            Ok(Arc::new(Hybrid::new(unit_range()?, epsilon)?))
        })
    }

    /// With the unbiased channel of the least worst variance on each chosen coordinate. It is solved for, which takes about a second,
    /// or read from the cache of solved channels.
    ///
    /// # Errors
    /// When a radius is not usable, epsilon is too small, or no channel was found.
    pub fn minimax_unbiased(radii: Vec<f64>, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::with(Self::MINIMAX_INFO, radii, epsilon, |epsilon| Ok(Arc::new(solved(epsilon)?)))
    }

    fn with(
        info: MechanismInfo,
        radii: Vec<f64>,
        epsilon: Epsilon,
        channel: impl FnOnce(Epsilon) -> Result<Arc<dyn CoordinateChannel>, ParameterError>,
    ) -> Result<Self, ParameterError> {
        let clip = ClipSet::box_of(radii.clone())?;
        let count = clip.dimension().as_f64();
        let chosen = (epsilon.get() / 2.5).floor().clamp(1.0, count) as u32;
        let channel = channel(epsilon.divided(chosen)?)?;
        let guarantee = channel.repeated(chosen)?;
        let noise = noise(&*channel, count / f64::from(chosen));
        Ok(Self { info, clip, radii, chosen, channel, guarantee, noise })
    }

    /// How many coordinates a report holds.
    pub fn chosen(&self) -> u32 {
        self.chosen
    }

    fn scale(&self) -> f64 {
        self.dimension().as_f64() / f64::from(self.chosen)
    }

    /// A coordinate in radii, inside its range.
    fn share(&self, vector: &[f64], index: usize) -> f64 {
        (vector[index] / self.radii[index]).clamp(-1.0, 1.0)
    }

    /// The chosen coordinates of a report and their cells.
    fn pairs(&self, codes: &[i32]) -> Result<Vec<(usize, u32)>, ReportError> {
        super::lattice::check_room(codes.len(), self.code_count())?;
        let impossible = |reason| ReportError::Impossible { reason };
        let mut next = 0;
        let mut pairs = Vec::with_capacity(self.chosen as usize);
        for [index, cell] in codes.as_chunks().0 {
            let index = usize::try_from(*index).map_err(|_| impossible("a coordinate below the first"))?;
            if index < next || index >= self.radii.len() {
                return Err(impossible("coordinates that are not in order, or beyond the last"));
            }
            let cell = u32::try_from(*cell).ok().filter(|cell| *cell < self.channel.cells());
            pairs.push((index, cell.ok_or(impossible("a cell beyond the last"))?));
            next = index + 1;
        }
        Ok(pairs)
    }
}

/// What a mechanism on numbers between -1 and 1 must offer.
trait CoordinateChannel: Debug + Send + Sync {
    fn draw(&self, value: f64, rng: &mut dyn CryptoRng) -> u32;
    fn cells(&self) -> u32;
    fn value(&self, cell: u32) -> f64;
    fn log_ratio(&self, values: [f64; 2], cell: u32) -> f64;
    fn worst_values(&self) -> [f64; 2];
    fn repeated(&self, times: u32) -> Result<Guarantee, ParameterError>;
    fn numeric(&self) -> &dyn AnyNumeric;
    fn identity(&self) -> Fingerprint;
    fn law(&self) -> Vec<Piece>;
}

impl<M> CoordinateChannel for M
where
    M: LatticeChannel + Mechanism<Domain = Interval> + AnyNumeric,
{
    fn draw(&self, value: f64, rng: &mut dyn CryptoRng) -> u32 {
        // The share was clamped, so that it is inside; the first cell is never reached.
        self.randomize(&Interval::nearest(self.domain(), value), rng).map_or(0, |report| report.0)
    }

    fn cells(&self) -> u32 {
        LatticeChannel::output_cells(self)
    }

    fn value(&self, cell: u32) -> f64 {
        LatticeChannel::output_value(self, cell)
    }

    fn log_ratio(&self, values: [f64; 2], cell: u32) -> f64 {
        let ratio = self.likelihood_ratio(&values, &Category(cell));
        ratio.map_or(f64::INFINITY, |ratio| ratio.to_f64().ln())
    }

    fn worst_values(&self) -> [f64; 2] {
        self.worst_inputs()
    }

    fn repeated(&self, times: u32) -> Result<Guarantee, ParameterError> {
        let one = Mechanism::guarantee(self);
        Ok(Budget::repeated(one, times)?.total().unwrap_or(one))
    }

    fn numeric(&self) -> &dyn AnyNumeric {
        self
    }

    fn identity(&self) -> Fingerprint {
        Mechanism::fingerprint(self)
    }

    fn law(&self) -> Vec<Piece> {
        Channel::pieces(self, None)
    }
}

fn unit_range() -> Result<Interval, ParameterError> {
    Interval::new(-1.0, 1.0)
}

fn solved(epsilon: Epsilon) -> Result<MinimaxUnbiased, ParameterError> {
    let problem = Problem::Line(LineProblem {
        domain: unit_range()?,
        loss: Loss::Squared,
        objective: Objective::Minimax,
        epsilon,
        unbiased: Some(Unbiased { range: None }),
    });
    let failed = |reason: String| ParameterError::Incompatible { reason };
    let solution = Cache::of_environment()
        .solve(&problem, &Stop::default(), &mut |_| {})
        .map_err(|error| failed(error.to_string()))?;
    match solution.channel {
        SolvedChannel::Interval { domain, rows, .. } => MinimaxUnbiased::with_rows(domain, rows),
        _ => Err(failed(format!("no unbiased channel was found at epsilon {epsilon}"))),
    }
}

/// How a coordinate varies in radii, from the laws at 513 values between 0 and 1; the law at -x is that at x, mirrored.
fn noise(channel: &dyn CoordinateChannel, scale: f64) -> CoordinateNoise {
    const PARTS: u32 = 512;
    let analysis = Analysis::new(channel.numeric());
    let values = (0..=PARTS).map(|part| f64::from(part) / f64::from(PARTS));
    let moments = values.map(|value| central_moments(&pieces(channel, &analysis, value), value, scale));
    let gap = widest_gap(pieces(channel, &analysis, 0.0), scale);
    let reports = [0, channel.cells() - 1].map(|cell| scale * channel.value(cell));
    CoordinateNoise { reports, gap, ..CoordinateNoise::of_moments(moments, [-1.0, 1.0]) }
}

/// The law of the report of one value. More cells than these are so close together that each may be spread over its own width.
fn pieces(channel: &dyn CoordinateChannel, analysis: &Analysis<'_>, value: f64) -> Vec<DensityPiece> {
    const MOST_ATOMS: u32 = 1 << 14;
    if channel.cells() > MOST_ATOMS {
        return analysis.law(value).map_or(Vec::new(), |law| law.pieces());
    }
    let channel = channel.numeric();
    let placed = channel.place(value);
    let up = placed.up as f64 / 2f64.powi(64);
    let atoms = |(node, share): (u32, f64)| {
        channel.runs(node).into_iter().flat_map(move |run| {
            let mass = share * run.weight as f64 / channel.row_total() as f64;
            let values = (run.first..run.first + run.count).map(|cell| channel.output_value(cell));
            values.map(move |value| DensityPiece { from: value, to: value, mass })
        })
    };
    let rows = [(placed.node, 1.0 - up), (channel.next_node(placed.node), up)];
    rows.into_iter().filter(|(_, share)| *share > 0.0).flat_map(atoms).collect()
}

/// The second, third and fourth central moments of a number that is, once in `scale` times, `scale` times a report with this law, and
/// zero otherwise.
fn central_moments(pieces: &[DensityPiece], mean: f64, scale: f64) -> [f64; 3] {
    let silent = 1.0 - 1.0 / scale;
    let mut moments = [2, 3, 4].map(|power| silent * (-mean).powi(power));
    for piece in pieces {
        let middle = scale * f64::midpoint(piece.from, piece.to) - mean;
        let (square, spread) = (middle * middle, (scale * (piece.to - piece.from) / 2.0).powi(2));
        let of_piece = [
            square + spread / 3.0,
            middle * (square + spread),
            square * square + 2.0 * square * spread + spread * spread / 5.0,
        ];
        let mass = piece.mass / scale;
        moments.iter_mut().zip(of_piece).for_each(|(moment, part)| *moment += mass * part);
    }
    moments
}

/// The widest gap between two numbers of a law, `scale` times as far apart; zero is one of them if not every report says something.
fn widest_gap(mut pieces: Vec<DensityPiece>, scale: f64) -> f64 {
    if scale > 1.0 {
        pieces.push(DensityPiece { from: 0.0, to: 0.0, mass: 0.0 });
    }
    pieces.sort_by(|one, other| one.from.total_cmp(&other.from));
    let mut reached = pieces.first().map_or(0.0, |first| first.from);
    let mut widest = 0.0f64;
    for piece in pieces {
        widest = widest.max(piece.from - reached);
        reached = reached.max(piece.to);
    }
    scale * widest
}

impl VectorMechanism for SampledCoordinates {
    fn info(&self) -> MechanismInfo {
        self.info
    }

    fn clip(&self) -> &ClipSet {
        &self.clip
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(self.info.id);
        self.clip.identify(&mut builder);
        builder.number(u64::from(self.chosen)).text(&self.channel.identity().to_string());
        builder.finish()
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn mean_squared_error(&self) -> f64 {
        self.coordinate_variances().iter().sum()
    }

    fn coordinate_variances(&self) -> Vec<f64> {
        self.coordinate_noise().iter().map(|noise| noise.variances[1]).collect()
    }

    fn report_bound(&self) -> f64 {
        let [low, high] = self.noise.reports;
        high.max(-low) * self.radii.iter().copied().fold(0.0, f64::max)
    }

    fn coordinate_noise(&self) -> Vec<CoordinateNoise> {
        self.radii.iter().map(|radius| self.noise.scaled(*radius)).collect()
    }

    fn code_count(&self) -> usize {
        2 * self.chosen as usize
    }

    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng) {
        let subset = uniform_subset(self.radii.len() as u32, self.chosen, rng);
        let indices = (0..self.radii.len()).filter(|index| subset.get(*index));
        for (pair, index) in codes.as_chunks_mut().0.iter_mut().zip(indices) {
            *pair = [index as i32, self.channel.draw(self.share(vector, index), rng) as i32];
        }
    }

    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        super::lattice::check_room(report.len(), self.radii.len())?;
        let pairs = self.pairs(codes)?;
        report.fill(0.0);
        for (index, cell) in pairs {
            report[index] = self.scale() * self.channel.value(cell) * self.radii[index];
        }
        Ok(())
    }

    fn log_ratio(&self, vectors: [&[f64]; 2], codes: &[i32]) -> Result<f64, VectorError> {
        let dimension = self.dimension();
        let [first, second] = vectors.map(|vector| checked(dimension, vector));
        let (first, second) = (first?, second?);
        let ratio = |(index, cell): (usize, u32)| {
            self.channel.log_ratio([self.share(first, index), self.share(second, index)], cell)
        };
        Ok(self.pairs(codes)?.into_iter().map(ratio).sum())
    }

    fn worst_vectors(&self) -> [Vec<f64>; 2] {
        self.channel.worst_values().map(|value| self.radii.iter().map(|radius| value * radius).collect())
    }

    fn pieces(&self) -> Vec<Piece> {
        self.channel.law()
    }
}
