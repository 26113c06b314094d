//! Lower bounds on an interval or a circle.
//!
//! **The argument.** Let a channel with densities M\[x, y\] keep epsilon, E = e^epsilon, and let q\[y\] be the smallest of
//! M\[x, y\] over x, so that q <= M <= E q. Take a weight l >= 0 and a price m for some inputs x and let
//! c_x(y) = l L(x, y) - m. Then M\[x, y\] c_x(y) >= q\[y\] min(c_x(y), E c_x(y)), whatever the sign of c. Added up over x and
//! y, with G(y) the sum of min(c_x(y), E c_x(y)) over x:
//!
//! sum of l times (expected loss at x) - sum of m  >=  sum over y of q\[y\] G(y).
//!
//! q adds up to at most one, so if G(y) >= -d for every y, then the weighted loss is at least (sum of m) - d. If the weights
//! add up to at most one, so is the worst loss; if they are a prior, so is the average loss. For channels whose mean
//! report is the value, c may also have a term -n (y - x), which adds up to nothing.
//!
//! Inputs are single *points*, or *cells*: stretches of the domain with one density and one price each, over which c is
//! integrated. A report outside the domain is never better than the nearest one inside, so y needs to be looked at in
//! the domain only; unless reports must be unbiased: then everywhere, and far out the squares win.
//!
//! [`LineCertificate::bound`] finds d by cutting the range of y into pieces until interval arithmetic knows G on each of them
//! well enough. Any numbers give a valid bound; good numbers give a good one.

use super::Enclosure;
use crate::LimitError;
use privet_core::Epsilon;
use privet_mechanisms::analysis::Loss;

/// Numbers in a certificate are whole multiples of 2^-48, so that they are exact as floating-point numbers.
pub const SCALE: f64 = (1u64 << 48) as f64;

/// Larger numbers have no use, and could not be added up exactly.
pub(super) const LARGEST: i64 = 1 << 52;

/// Prices are at most 2^52 times this power of two.
const LARGEST_MAGNITUDE: u32 = 48;

/// An input, in units of the domain, with its weight and its prices: multiples of 2^-48, prices times the magnitude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Where it is.
    pub place: i64,
    /// Its share of the weighted loss.
    pub weight: i64,
    /// Its price.
    pub price: i64,
    /// The price of its bias; zero unless reports must be unbiased.
    pub slope: i64,
}

/// One of equally long cells of the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Its share of the prior.
    pub weight: i64,
    /// Its price.
    pub price: i64,
    /// The price of its bias for each unit of length; zero unless reports must be unbiased.
    pub slope: i64,
}

/// Where inputs and reports lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Both on the unit interval.
    Interval,
    /// Both on the circle of length one.
    Circle,
    /// Inputs on the unit interval; reports anywhere, or in a range, with their mean at the input.
    Unbiased {
        /// Between which numbers reports must lie, in multiples of 2^-48 of the domain.
        range: Option<[i64; 2]>,
    },
}

impl Setting {
    fn is_unbiased(self) -> bool {
        matches!(self, Self::Unbiased { .. })
    }
}

/// Numbers from which a lower bound follows.
#[derive(Debug, Clone, PartialEq)]
pub struct LineCertificate {
    /// What the channels keep.
    pub epsilon: Epsilon,
    /// How errors are counted, in units of the domain.
    pub loss: Loss,
    /// Where inputs and reports lie.
    pub setting: Setting,
    /// Prices, those of the bias included, are in multiples of 2^(magnitude - 48): those of unbiased reports at a small epsilon
    /// are large.
    pub magnitude: u32,
    /// Single inputs.
    pub points: Vec<Point>,
    /// Equal cells that cover the domain, or none.
    pub cells: Vec<Cell>,
}

impl LineCertificate {
    /// A lower bound for the loss of every channel that keeps epsilon, in units of the domain. It follows from the numbers
    /// alone; whoever found them need not be trusted.
    ///
    /// # Errors
    /// When the numbers are out of range, or the weights add up to more than one.
    pub fn bound(&self) -> Result<f64, LimitError> {
        let function = Function::of(self)?;
        let prices: Enclosure = self.prices().map(|price| self.price(price)).sum();
        let tolerance = prices.low().abs() * TOLERANCE;
        let missing = (-function.minimum(tolerance)?).max(0.0);
        Ok((prices - Enclosure::exact(missing)).low().max(0.0))
    }

    /// The magnitude that prices up to `largest` need.
    #[cfg(feature = "solver")]
    pub(crate) fn magnitude_for(largest: f64) -> u32 {
        (0..LARGEST_MAGNITUDE)
            .find(|magnitude| largest * SCALE <= LARGEST as f64 * 2f64.powi(*magnitude as i32))
            .unwrap_or(LARGEST_MAGNITUDE)
    }

    /// What a price of the certificate is as a number, exactly.
    fn price(&self, price: i64) -> Enclosure {
        Enclosure::exact(price as f64 / SCALE * 2f64.powi(self.magnitude as i32))
    }

    fn prices(&self) -> impl Iterator<Item = i64> + '_ {
        let points = self.points.iter().map(|point| point.price);
        points.chain(self.cells.iter().map(|cell| cell.price))
    }

    fn check(&self) -> Result<(), LimitError> {
        let wrong = |reason: &str| Err(LimitError::File { reason: reason.to_owned() });
        let weights =
            self.points.iter().map(|point| point.weight).chain(self.cells.iter().map(|cell| cell.weight));
        let points = self.points.iter().flat_map(|point| [point.place, point.price, point.slope]);
        let cells = self.cells.iter().flat_map(|cell| [cell.price, cell.slope]);
        let mut numbers = points.chain(cells).chain(weights.clone());
        if numbers.any(|number| !(-LARGEST..=LARGEST).contains(&number)) {
            return wrong("a number of the certificate is out of range");
        }
        if self.magnitude > LARGEST_MAGNITUDE {
            return wrong("the magnitude of the prices is out of range");
        }
        if weights.clone().any(|weight| weight < 0) || weights.map(i128::from).sum::<i128>() > 1 << 48 {
            return wrong("the weights of a certificate must not be negative or add up to more than one");
        }
        if let Setting::Unbiased { range: Some([low, high]) } = self.setting
            && !(-LARGEST <= low && low < high && high <= LARGEST)
        {
            return wrong("the range of the reports is none");
        }
        if self.points.iter().any(|point| !(0..=1 << 48).contains(&point.place)) {
            return wrong("an input of the certificate lies outside the domain");
        }
        let has_slopes =
            self.points.iter().any(|point| point.slope != 0) || self.cells.iter().any(|cell| cell.slope != 0);
        if has_slopes && (!self.setting.is_unbiased() || self.loss != Loss::Squared) {
            return wrong(
                "only certificates about unbiased channels and squared loss have prices of the bias",
            );
        }
        if self.setting == Setting::Circle && (!self.points.is_empty() || self.cells.len() != 1) {
            return wrong("a certificate about a circle has one cell, the whole circle");
        }
        Ok(())
    }
}

/// G is known this well, relative to the bound.
const TOLERANCE: f64 = 1e-4;

/// Into how many pieces the range of reports is cut at first.
const FIRST_PIECES: u32 = 1024;

/// More pieces than this, and what is missing is taken as it is.
const MOST_PIECES: usize = 4_000_000;

/// c as a function of d = y - x: `weight * L(d) - price - slope * d`, per input or per unit of length.
#[derive(Debug, Clone, Copy)]
struct Cost {
    loss: Loss,
    weight: Enclosure,
    price: Enclosure,
    slope: Enclosure,
}

impl Cost {
    fn at(&self, distance: Enclosure) -> Enclosure {
        let loss = match self.loss {
            Loss::Absolute => distance.abs(),
            Loss::Squared => distance.square(),
        };
        self.weight * loss - self.price - self.slope * distance
    }

    fn rate(&self, distance: Enclosure) -> Enclosure {
        let loss = match self.loss {
            Loss::Squared => distance + distance,
            Loss::Absolute if distance.low() > 0.0 => Enclosure::exact(1.0),
            Loss::Absolute if distance.high() < 0.0 => Enclosure::exact(-1.0),
            Loss::Absolute => Enclosure::between(-1.0, 1.0),
        };
        self.weight * loss - self.slope
    }

    /// The integral of c from 0 to `distance`.
    fn integral(&self, distance: Enclosure) -> Enclosure {
        let half = Enclosure::exact(0.5);
        let square = distance.square();
        let loss = match self.loss {
            Loss::Absolute => half * distance * distance.abs(),
            Loss::Squared => distance * square * third(),
        };
        self.weight * loss - self.price * distance - half * self.slope * square
    }

    /// The distances between which c is negative; zero is among them if the price is not negative.
    fn negative(&self) -> [Enclosure; 2] {
        match self.loss {
            Loss::Absolute => {
                let radius = self.price.over(self.weight);
                [-radius, radius]
            }
            Loss::Squared => {
                let half = Enclosure::exact(0.5);
                let middle = (half * self.slope).over(self.weight);
                let radius = (middle.square() + self.price.over(self.weight)).sqrt();
                [middle - radius, middle + radius]
            }
        }
    }
}

fn third() -> Enclosure {
    Enclosure::between((1.0f64 / 3.0).next_down(), (1.0f64 / 3.0).next_up())
}

/// One term of G, as a function of y.
#[derive(Debug, Clone, Copy)]
enum Summand {
    Point { place: Enclosure, cost: Cost },
    Cell { ends: [Enclosure; 2], cost: Cost, negative: [Enclosure; 2] },
}

/// G.
struct Function {
    exp: Enclosure,
    setting: Setting,
    summands: Vec<Summand>,
}

impl Function {
    fn of(certificate: &LineCertificate) -> Result<Self, LimitError> {
        certificate.check()?;
        let number = |value: i64| Enclosure::exact(value as f64 / SCALE);
        let cost = |weight: i64, price: i64, slope: i64| Cost {
            loss: certificate.loss,
            weight: number(weight),
            price: certificate.price(price),
            slope: certificate.price(slope),
        };
        let mut summands: Vec<Summand> = certificate
            .points
            .iter()
            .map(|point| Summand::Point {
                place: number(point.place),
                cost: cost(point.weight, point.price, point.slope),
            })
            .collect();
        let count = certificate.cells.len();
        for (index, cell) in certificate.cells.iter().enumerate() {
            summands.push(cell_summand(index, count, cell, cost(cell.weight, cell.price, cell.slope))?);
        }
        Ok(Self { exp: Enclosure::exp(certificate.epsilon), setting: certificate.setting, summands })
    }

    /// min(c, E c).
    fn bent(&self, cost: Enclosure) -> Enclosure {
        cost.min(self.exp * cost)
    }

    /// The slope of min(c, E c).
    fn bend(&self, cost: Enclosure) -> Enclosure {
        if cost.low() > 0.0 {
            Enclosure::exact(1.0)
        } else if cost.high() < 0.0 {
            self.exp
        } else {
            Enclosure::between(1.0, self.exp.high())
        }
    }

    /// The integral of min(c, E c) from 0 to a distance.
    fn bent_integral(&self, cost: &Cost, negative: &[Enclosure; 2], distance: Enclosure) -> Enclosure {
        // Inside the range where c is negative its integral counts E times, outside once.
        let held = distance.max(negative[0]).min(negative[1]);
        cost.integral(distance) + (self.exp - Enclosure::exact(1.0)) * cost.integral(held)
    }

    fn value(&self, y: Enclosure) -> Enclosure {
        let of = |summand: &Summand| match summand {
            Summand::Point { place, cost } => self.bent(cost.at(y - *place)),
            Summand::Cell { ends, cost, negative } => {
                let [from, to] = [y - ends[1], y - ends[0]];
                if to.high() <= negative[0].low() || negative[1].high() <= from.low() {
                    // Where c is not negative there is nothing to bend.
                    return cost.integral(to) - cost.integral(from);
                }
                self.bent_integral(cost, negative, to) - self.bent_integral(cost, negative, from)
            }
        };
        self.summands.iter().map(of).sum()
    }

    fn rate(&self, y: Enclosure) -> Enclosure {
        let of = |summand: &Summand| match summand {
            Summand::Point { place, cost } => {
                let distance = y - *place;
                self.bend(cost.at(distance)) * cost.rate(distance)
            }
            Summand::Cell { ends, cost, .. } => {
                self.bent(cost.at(y - ends[0])) - self.bent(cost.at(y - ends[1]))
            }
        };
        self.summands.iter().map(of).sum()
    }

    /// A number that G is nowhere below, at most about `tolerance` too low.
    fn minimum(&self, tolerance: f64) -> Result<f64, LimitError> {
        if self.setting == Setting::Circle {
            // Turning the circle changes nothing, so one report stands for all; it is opposite to no end of the cell.
            return Ok(self.value(Enclosure::exact(0.5)).low());
        }
        let [first, last] = self.reports()?;
        let place = |index: u32| first + (last - first) * f64::from(index) / f64::from(FIRST_PIECES);
        let mut pieces: Vec<[f64; 2]> =
            (0..FIRST_PIECES).map(|index| [place(index), place(index + 1)]).collect();
        // The lowest value that G is known to have bounds how closely the other pieces must be looked at.
        let at_middle = |piece: &[f64; 2]| self.value(Enclosure::exact(f64::midpoint(piece[0], piece[1])));
        let mut seen = pieces.iter().map(|piece| at_middle(piece).low()).fold(0.0f64, f64::min);
        let mut lowest = 0.0f64;
        let mut count = 0;
        while let Some([from, to]) = pieces.pop() {
            count += 1;
            let middle = f64::midpoint(from, to);
            let piece = Enclosure::between(from, to);
            let value = self.value(Enclosure::exact(middle));
            seen = seen.min(value.low());
            let low = (value + self.rate(piece) * (piece - Enclosure::exact(middle))).low();
            if low >= seen - tolerance || count > MOST_PIECES || middle <= from || middle >= to {
                lowest = lowest.min(low);
            } else {
                pieces.extend([[middle, to], [from, middle]]);
            }
        }
        Ok(lowest)
    }

    /// Between which reports G must be looked at.
    fn reports(&self) -> Result<[f64; 2], LimitError> {
        match self.setting {
            Setting::Interval | Setting::Circle => Ok([0.0, 1.0]),
            Setting::Unbiased { range: Some(range) } => Ok(range.map(|end| end as f64 / SCALE)),
            Setting::Unbiased { range: None } => {
                let reach = self.reach()?;
                Ok([0.5 - reach, 0.5 + reach])
            }
        }
    }

    /// How far from the middle of the domain unbiased reports must be looked at: beyond, the squares outweigh all prices.
    fn reach(&self) -> Result<f64, LimitError> {
        let [mut weight, mut price, mut slope] = [0.0f64; 3];
        for summand in &self.summands {
            let (cost, length) = match summand {
                Summand::Point { cost, .. } => (cost, 1.0),
                Summand::Cell { cost, ends, .. } => (cost, (ends[1] - ends[0]).high()),
            };
            weight += cost.weight.low() * length;
            price += cost.price.abs().high() * length;
            slope += cost.slope.abs().high() * length;
        }
        // With t the distance from the middle, |y - x| is between t - 1/2 and t + 1/2, so G is at least the first less
        // the second of these; a margin of a tenth is far more than rounding takes.
        let exp = self.exp.high() * 1.1;
        let mut reach = 2.0f64;
        while reach < 1e9 {
            let squares = 0.9 * weight * (reach - 0.5).powi(2);
            let prices = exp * (price + slope * (reach + 0.5));
            if squares >= prices && 2.0 * 0.9 * weight * (reach - 0.5) >= exp * slope {
                return Ok(reach);
            }
            reach *= 2.0;
        }
        Err(LimitError::File { reason: "the certificate has prices without weights".into() })
    }
}

fn cell_summand(index: usize, count: usize, cell: &Cell, total: Cost) -> Result<Summand, LimitError> {
    if cell.weight == 0 && (cell.price != 0 || cell.slope != 0) || cell.price < 0 {
        let reason = "a cell of the certificate has a negative price, or a price without a weight".to_owned();
        return Err(LimitError::File { reason });
    }
    let size = Enclosure::exact(count as f64);
    let end = |index: usize| Enclosure::exact(index as f64).over(size);
    let cost =
        Cost { weight: total.weight * size, price: total.price * size, slope: total.slope * size, ..total };
    let negative = if cell.weight == 0 { [Enclosure::exact(0.0); 2] } else { cost.negative() };
    Ok(Summand::Cell { ends: [end(index), end(index + 1)], cost, negative })
}
