//! Intervals that hold for every population.
//!
//! A share, a mean or a moment is the mean over people of a function c of their value. Reports show it only through a channel, so
//! an unbiased estimate may not exist or may vary wildly. What always exists are two sets of weights of reports whose means
//! are, *for every value*, at least and at most c: a constant is one. The mean of the upper weights over the reports then has an
//! expectation above the truth, whatever the people are like, and the mean of the lower weights one below it. Put the reach
//! of noise on both, and the truth is between, with the confidence that was asked for:
//!
//! `lower mean - z sd <= truth <= upper mean + z sd`
//!
//! - [`design`]: the best weights, from the channel and the number of reports alone. Nothing about the reports decides them.
//! - [`bracket`]: both sets of weights, and what reports say about them.
//! - [`reach`]: how far above a mean of reports its expectation may lie, also where the mean comes from few rare reports.
//! - [`sampling`]: whom the estimate is about, and so what is random: draws, people, lotteries.
//!
//! This is the construction of Donoho (Annals of Statistics 22, 1994) and of Armstrong and Kolesár (Econometrica 86, 2018),
//! with one difference. They use one set of weights and the largest bias over all populations; for the share of a
//! range that is one half for every channel, because people may sit exactly at its end. Here the bias has two sides, and what
//! lies between them is measured at the people at hand: it is large only if many of them are near an end. With the same
//! weights on both sides it is their interval.

mod bracket;
mod design;
mod kept;
mod programme;
mod reach;
mod sampling;

pub(crate) use bracket::{Bracket, Bracketed, Counted, RoughMean, Side, squared_means_of_indicator};
pub(crate) use design::{Design, Hunt, Purpose};
pub(crate) use kept::Kept;
pub(crate) use reach::{CONFIDENCE, MeanOverReports, Tail};
pub(crate) use sampling::{Sampling, Spread};
