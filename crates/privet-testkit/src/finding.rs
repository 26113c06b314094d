//! What a check can find.

use thiserror::Error;

/// Why a mechanism did not pass.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Finding {
    /// A ratio of probabilities is above e^epsilon.
    #[error("the exact worst ratio needs epsilon {exact}, above the claimed {claimed}")]
    Privacy {
        /// What the integers say.
        exact: f64,
        /// What was promised.
        claimed: f64,
    },
    /// The mechanism wastes budget beyond what its page says.
    #[error("the exact epsilon {exact} is below the claimed {claimed} by more than {slack}")]
    Slack {
        /// What the integers say.
        exact: f64,
        /// What was promised.
        claimed: f64,
        /// What the page allows.
        slack: f64,
    },
    /// The worst ratio by looking at all reports is not the one that the mechanism states.
    #[error("the mechanism states another worst ratio than its reports have")]
    StatedRatio,
    /// The probabilities of an input's reports do not add up to one.
    #[error("the probabilities of input number {input} do not add up to one")]
    Total {
        /// Position in the list of inputs.
        input: usize,
    },
    /// The sampler draws from another law than the channel states.
    #[error(
        "input number {input}: the sampler differs from the channel (chi-square {statistic:.1}, p = {p_value:e})"
    )]
    Sampler {
        /// Position in the list of inputs.
        input: usize,
        /// The test statistic.
        statistic: f64,
        /// How probable one at least as large is for a correct sampler.
        p_value: f64,
    },
    /// The sampler made a report that the channel says is impossible.
    #[error("input number {input}: the sampler made a report that has probability zero")]
    Impossible {
        /// Position in the list of inputs.
        input: usize,
    },
    /// How many random words a draw takes depends on the input.
    #[error("input number {input} takes another number of random words than the first")]
    RandomnessTaken {
        /// Position in the list of inputs.
        input: usize,
    },
    /// A report does not survive encoding and decoding, or a foreign one is accepted.
    #[error("input number {input}: a report changes when it is encoded and decoded, or cannot be read")]
    Codec {
        /// Position in the list of inputs.
        input: usize,
    },
    /// The batch draws other reports than one by one.
    #[error("a batch gives other reports than one draw after the other")]
    Batch,
    /// The mean of the estimates is not the truth.
    #[error("category {category}: the mean estimate {mean} is {z:.1} standard errors from the truth {truth}")]
    Bias {
        /// Which category.
        category: usize,
        /// Mean over repetitions.
        mean: f64,
        /// What it should be.
        truth: f64,
        /// The distance.
        z: f64,
    },
    /// The spread of the estimates is not what the estimator states.
    #[error("category {category}: the estimates vary {ratio} times as much as stated")]
    Variance {
        /// Which category.
        category: usize,
        /// Observed over stated variance.
        ratio: f64,
    },
    /// Splitting and merging changes the summary.
    #[error("splitting and merging changes the summary")]
    Merge,
    /// A value differs from the golden file.
    #[error("golden line {line}: expected {expected}, got {got}")]
    Golden {
        /// Where in the file.
        line: usize,
        /// What the independent reference says.
        expected: String,
        /// What the mechanism says.
        got: String,
    },
}
