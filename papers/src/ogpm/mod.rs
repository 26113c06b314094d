//! Optimal piecewise mechanisms: chapter 5 and appendix C.

mod circle;
mod compared;
mod densities;
mod motion;
mod pieces;
mod rivals;
mod theorems;

pub(crate) use circle::circle_limit;

use crate::claims::TEXT;
use crate::data::DataFile;
use crate::figure::{Effort, Figure, Findings};

/// The paper's mechanism, with e^(epsilon/2) inside the window.
const OGPM: &str = "optimal-piecewise";
/// The same with the density that is best for squared error.
const ROOT: &str = "optimal-piecewise-squared";
const OGPM_CIRCLE: &str = "optimal-piecewise-circle";
const ROOT_CIRCLE: &str = "optimal-piecewise-circle-squared";
/// The paper's unbiased mechanism.
const OGPM_U: &str = "optimal-piecewise-unbiased";
const PM: &str = "piecewise";
const PM_C: &str = "piecewise-compressed";
const SW: &str = "square-wave";
const SW_C: &str = "square-wave-compressed";

/// The epsilons of the worst-case figures.
fn epsilons() -> Vec<f64> {
    crate::channel::grid(1.0, 8.0, 28)
}

/// The epsilons at which certified optima are looked for. There are few large ones: for squared error each takes minutes.
fn certified_epsilons(effort: Effort) -> Vec<f64> {
    let all = [crate::channel::grid(1.0, 6.0, 10), vec![7.0, 8.0]].concat();
    effort.pick(vec![1.0, 2.0, 4.0], all)
}

const MOTION_SENSE: DataFile = DataFile {
    path: "motionsense/series.csv",
    source: "MotionSense, activity dws_1, subjects 1 to 3 (github.com/ZhengYeah/Optimal-GPM, experiments/experimental), \
             with the columns acc_x_norm01 and roll_mod_2pi",
};

/// The figures, tables and examples, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[
    Figure::new("table 5.1", "What the mechanisms are", |_| Ok(Findings::default()))
        .noting("A table of words: the verdicts are given by hand."),
    Figure::new("5.2", "Four and five optimal pieces are three (epsilon 1, x = .3)", pieces::figure_5_2)
        .noting(
            "A fourth piece never helps at one input. That says nothing about mechanisms outside this family: the best channel \
             has its reports at other places, not more pieces.",
        )
        .taking(20),
    Figure::new("example 4", "Pieces that merge", pieces::example_4),
    Figure::new("example 5", "A closed form by regression", pieces::example_5),
    Figure::new("5.4", "The optimal density on the interval (epsilon 1)", densities::figure_5_4)
        .noting("For squared error the window is wider and lower: the root of p^3 (E-2) + 3 E p - 2 E^2."),
    Figure::new("example 6", "The window on the interval", densities::example_6),
    Figure::new("5.6", "The optimal density on the circle (epsilon 1)", densities::figure_5_6)
        .noting("On the circle the window with the density of the loss at hand is the best of all channels."),
    Figure::new("example 7", "The window on the circle", densities::example_7),
    Figure::new("table 5.2", "Which theorem is for what", |_| Ok(Findings::default()))
        .noting("A table of words: the verdicts are given by hand."),
    Figure::new("example 8", "The best density for one place", pieces::example_8),
    Figure::new("5.7", "Error of a distance with a direction, by what the distance gets", densities::figure_5_7)
        .noting(
            "With the squared-error roots the distance gets 1.530 of 1 + 2 pi and the error falls from .365 to .299. The paper \
             draws the windows in polar coordinates; the curve is that of C.2.6.",
        ),
    Figure::new("example 9", "A distance with a direction", densities::example_9),
    Figure::new("5.8", "Expected absolute error over the interval (epsilon 2 and 4)", compared::figure_5_8)
        .noting(
            "PM-C and SW-C are the rivals squeezed into the interval. The best channel for the worst absolute error is lower at \
             the ends, where the worst case is, and higher in the middle.",
        )
        .taking(10),
    Figure::new("5.9", "Worst expected error by epsilon", compared::figure_5_9)
        .noting(
            "For absolute error OGPM and PM-C are the same curve. For squared error the printed ratios belong to the root. Far \
             below all of them is the best channel there is, with its proof.",
        )
        .taking(400),
    Figure::new("5.10", "Expected squared error on the circle (epsilon 2 and 4)", circle::figure_5_10)
        .noting(
            "The paper scores PM-C and SW-C by the difference of numbers, so 6.2 and .1 are far apart. Measured around the circle \
             the same reports are far better, and the advantage of OGPM is 14 to 51 %, not 53 to 75 %.",
        )
        .taking(10),
    Figure::new("5.11", "Worst expected error on the circle by epsilon", circle::figure_5_11)
        .noting("Drawn with both distances. OGPM with the density of the loss at hand is the certified optimum itself.")
        .taking(20),
    Figure::new("5.12", "Truncated and untruncated rivals (epsilon 2)", rivals::figure_5_12)
        .noting("In absolute error truncation wins at the ends: the worst case of T-PM and T-SW is below that of OGPM.")
        .taking(10),
    Figure::new("5.13", "Noise that is cut or bounded, absolute error (epsilon 2 and 4)", rivals::figure_5_13)
        .noting(
            "The printed density of the bounded Laplace mechanism has mass 1.46 in the middle; with a constant that depends on x \
             it is a density and keeps epsilon.",
        )
        .taking(10),
    Figure::new("5.14", "Noise that is cut or bounded, worst absolute error by epsilon", rivals::figure_5_14)
        .noting("The lowest of the four is not the lowest there is: the best channel, with its proof, is a third below it.")
        .taking(60),
    Figure::new("5.15", "Absolute error on the circle by epsilon, with Purkayastha noise", circle::figure_5_15)
        .noting("On the circle OGPM is the best of all channels for absolute error."),
    Figure::new("5.16", "Distributions of MotionSense", motion::figure_5_16)
        .noting(
            "The printed ratios are nearest to the Euclidean distance over 49 bins, not to the sum of absolute differences over 50 \
             that the text names, and neither gives all of them within the noise of 500 trials. Both count a share in the neighbouring bin as wholly wrong. The Wasserstein panels do not, and \
             show what the same reports are worth when they are read by their likelihood (EM with smoothing).",
        )
        .needing(&[MOTION_SENSE])
        .taking(200),
    Figure::new("5.17", "Means of MotionSense", motion::figure_5_17)
        .noting(
            "The compared errors are bias towards the middle of the interval, so their ratio says how far the data are from it. An \
             unbiased mechanism (PM as published, OGPM-U) or reading the reports of OGPM by their likelihood is a fraction of it. The \
             lines of EM are means of few trials, 20 instead of 500 and in quick work a single one, and as rough as that.",
        )
        .needing(&[MOTION_SENSE])
        .taking(200),
    Figure::new("C.2.5", "Squared error at the end of the interval", densities::c_2_5),
    Figure::new("C.2.6", "Shares of a distance and a direction", densities::c_2_6)
        .noting("Drawn in Figure 5.7: the error by the share of the distance, with both best divisions."),
    Figure::new("C.3", "Expected absolute error over the interval (epsilon .4 and .8)", compared::figure_c_3).taking(10),
    Figure::new(TEXT, "Theorems and sentences of the text", theorems::theorems).taking(20),
];
