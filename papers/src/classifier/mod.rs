//! Utility of classifiers under local privacy: chapter 7 and appendix E.

mod averages;
mod bank;
mod concentration;
mod images;
mod plane;
mod steps;
mod stroke;
mod study;
mod tables;
mod theorems;

use crate::claims::TEXT;
use crate::data::DataFile;
use crate::figure::Figure;

/// The mechanisms by the names of the paper. Its PM has the density e^(epsilon/2) inside the window.
const PM: (&str, &str) = ("PM", "optimal-piecewise");
const SW: (&str, &str) = ("SW", "square-wave-bounded");
const EXPONENTIAL: (&str, &str) = ("Exponential", "grid-exponential");
const K_RR: (&str, &str) = ("k-RR", "grid-randomized-response");
/// Reports outside [0,1] are moved to its ends before the classifier reads them.
const LAPLACE: (&str, &str) = ("Laplace, cut", "laplace-truncated");
/// Reports outside [0,1] lie in no box, and the paper counts them as failures.
const LAPLACE_UNCUT: (&str, &str) = ("Laplace", "laplace");

/// The epsilons of one sensitive feature.
const EPSILONS: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

const EPSILON: &str = "epsilon of one sensitive feature";
const KEPT: &str = "probability of the record's own label";

/// The probability that randomised response tells which of some classes it is.
fn told(classes: u32, epsilon: f64) -> f64 {
    1.0 / (1.0 + f64::from(classes - 1) * (-epsilon).exp())
}

const fn file(path: &'static str) -> DataFile {
    let source = "the data and fitted models of github.com/ZhengYeah/QCU-LDP: tables with a header and numbers from 0 to 1, logistic \
                  regression as json (coef, intercept), forests as tables of nodes, networks as onnx";
    DataFile { path, source }
}

const STROKE: DataFile = file("classifiers/stroke.csv");
const STROKE_LR: DataFile = file("classifiers/stroke_lr.json");
const STROKE_RF: DataFile = file("classifiers/stroke_rf_trees.csv.gz");
const BANK: DataFile = file("classifiers/bank.csv");
const BANK_RF_UNITS: DataFile = file("classifiers/bank_rf_units.csv");
const BANK_LR: DataFile = file("classifiers/bank_lr.json");
const BANK_RF: DataFile = file("classifiers/bank_rf_retrained_trees.csv.gz");
const NETWORK: DataFile = file("classifiers/ffnn_2d.onnx");
const CNN: DataFile = file("classifiers/cnn_mnist_7_7.onnx");
const IMAGES: DataFile = file("classifiers/mnist_7x7.csv");
const MANY_IMAGES: DataFile = DataFile {
    path: "mnist/mnist_7x7_sum16.npz",
    source: "the training images of MNIST, summed over blocks of 4 x 4 pixels",
};

const STROKE_FILES: &[DataFile] = &[STROKE_LR, STROKE_RF];

/// What every figure with a theoretical value leaves out.
const NO_BOUND: &str = "The paper's rho is not a bound: the share of other labels in its box is measured for uniform points, and \
                        reports are not uniform. The certified line is a proof from both sides. Far above all of them is what the \
                        same epsilon is worth when the device runs the public classifier and sends its answer by randomised \
                        response: no channel keeps the label more often for everybody.";

const IN_THE_TABLE: &str = "The mean and the smallest value over people from all parts of the table; BMI above 1 is moved to 1. The \
                             paper's rho is that of some of them, with a box for each; the worst of fewer people is not as bad.";

/// The figures, tables and examples, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[
    Figure::new("7.1", "Laplace noise around .5", concentration::figure_7_1)
        .noting("Two points and randomised response stay within .3 more often than Laplace noise does, wherever the value is."),
    Figure::new("7.3", "How often a report stays within theta of .5", concentration::figure_7_3).noting(
        "The best channel is randomised response on so many points that each value has one within theta: as many values have no \
         report in common, so no channel is better for all of them. PM is drawn at .5, its best place, and at 0, its worst.",
    ),
    Figure::new("7.2", "The radius of a network in the plane", plane::figure_7_2)
        .noting("The box of the paper has a corner with the other label; the certified one is the largest without.")
        .needing(&[NETWORK]),
    Figure::new("example 11", "The radius of a network in the plane", plane::example_11).needing(&[NETWORK]),
    Figure::new("example 12", "Which mechanism is best", concentration::example_12),
    Figure::new("7.4", "Boxes of a network in the plane", plane::figure_7_4).needing(&[NETWORK]),
    Figure::new("example 13", "The box of a radius", plane::example_13),
    Figure::new("table 7.1", "What the case studies use", tables::table_7_1)
        .noting("The words are compared by hand.")
        .needing(&[STROKE, BANK, IMAGES]),
    Figure::new("7.5", "A record of the stroke data", stroke::figure_7_5)
        .noting(NO_BOUND)
        .needing(STROKE_FILES)
        .taking(10),
    Figure::new("table 7.2", "Times in milliseconds", tables::table_7_2)
        .noting(
            "Another machine and language: times have no verdict of their own. What the text says about them is checked from the printed \
             table; that theory is faster than drawing is checked here as well. A proof is slower than rho and is a bound.",
        )
        .needing(&[STROKE_LR])
        .taking(10),
    Figure::new("7.6", "A record of the bank (delta .1)", bank::figure_7_6)
        .noting(
            "The privacy indicator keeps (epsilon, delta) in the standard sense, not with probability 1 - delta. Theorem 18 has far more \
             noise than its promise needs. The forest is retrained by the published recipe: its file is not to be had.",
        )
        .needing(&[BANK_LR, BANK_RF])
        .taking(10),
    Figure::new("7.7", "Two images (delta .1; epsilon is that of one of 49 pixels)", images::figure_7_7)
        .noting(
            "The bands of one mechanism hold together with probability .999. With 49 epsilon the answer alone is as good as told. The \
             paper's boxes were found once, with tau .05 instead of .01, because each of some thousand tests at .01 asks 73 778 times; \
             the shares of other labels in them are checked.",
        )
        .needing(&[CNN, IMAGES])
        .taking(60),
    Figure::new("example 14", "The border of a quadratic classifier", plane::example_14),
    Figure::new("example 15", "The printed network", plane::example_15).needing(&[NETWORK]),
    Figure::new("E.1", "The first record of the stroke data", stroke::figure_e_1)
        .noting(NO_BOUND)
        .needing(STROKE_FILES)
        .taking(5),
    Figure::new("E.2", "Labels by age and BMI", stroke::figure_e_2)
        .noting("The box of the paper holds points of the other class, the certified one does not.")
        .needing(STROKE_FILES),
    Figure::new("E.3", "Logistic regression over the stroke data", averages::figure_e_3)
        .noting(IN_THE_TABLE)
        .needing(&[STROKE, STROKE_LR])
        .taking(60),
    Figure::new("E.4", "A forest over the stroke data", averages::figure_e_4)
        .noting(IN_THE_TABLE)
        .needing(&[STROKE, STROKE_LR, STROKE_RF])
        .taking(30),
    Figure::new("E.5", "Logistic regression over the bank (delta .1)", averages::figure_e_5)
        .noting(IN_THE_TABLE)
        .needing(&[BANK, BANK_LR])
        .taking(60),
    Figure::new("E.6", "A forest over the bank (delta .1)", averages::figure_e_6)
        .noting(IN_THE_TABLE)
        .needing(&[BANK_RF_UNITS, BANK_RF])
        .taking(60),
    Figure::new("E.7", "Many images (delta .1; epsilon is that of one of 49 pixels)", images::figure_e_7)
        .noting(
            "The first fifty images, eight in quick work. The paper's rho is that of the first two of them, beside PM for the same two: with \
             tau .05 the search for one more box was stopped after seven and a half minutes of one core without an end, and tau .01 asks 25 \
             times as often in each test, so that fifty images would take days.",
        )
        .needing(&[CNN, MANY_IMAGES])
        .taking(100),
    Figure::new(TEXT, "Theorems and sentences of the text", theorems::theorems),
];
