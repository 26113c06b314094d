"""Every mechanism, as a class with the name of its Rust type.

This file is written by generate.py from the registry and from the pages of the Rust types; a test keeps it so.
"""

from __future__ import annotations

from privet._mechanism import Mechanism
from privet.domains import Categories, Circle, Interval, Rectangle, Vectors, Words

__all__ = [
    "MECHANISMS",
    "AGM",
    "BLH",
    "BLOOM",
    "BinaryLocalHashing",
    "CMS",
    "CW",
    "CoordinateLaplace",
    "CountMeanSketch",
    "Duchi",
    "EM",
    "GRR",
    "Gaussian",
    "GaussianProbabilistic",
    "GaussianVector",
    "GeneralizedRandomizedResponse",
    "GridExponential",
    "GridRandomizedResponse",
    "HM",
    "HR",
    "HadamardResponse",
    "Hybrid",
    "IOME",
    "InstanceOptimal",
    "KRR",
    "Laplace",
    "LaplaceBounded",
    "LaplaceTruncated",
    "LaplaceVector",
    "MinimaxAbsolute",
    "MinimaxSquared",
    "MinimaxUnbiased",
    "OGPM",
    "OLH",
    "OUE",
    "OptimalPiecewise",
    "OptimalPiecewiseCircle",
    "OptimalPiecewiseCircleSquared",
    "OptimalPiecewiseSquared",
    "OptimalPiecewiseUnbiased",
    "OptimizedLocalHashing",
    "OptimizedUnaryEncoding",
    "OrderedExponential",
    "PEM",
    "PM",
    "Piecewise",
    "PiecewiseCompressed",
    "PiecewiseTruncated",
    "Plan",
    "PrefixTree",
    "PrivUnit",
    "PrivUnitG",
    "PrivUnitGNormalized",
    "Purkayastha",
    "RR",
    "RandomizedResponse",
    "Rappor",
    "SS",
    "SUE",
    "SW",
    "SampledHybrid",
    "SampledMinimaxUnbiased",
    "SampledPiecewise",
    "SectorRandomizedResponse",
    "SquareWave",
    "SquareWaveBounded",
    "SquareWaveCircle",
    "SquareWaveCompressed",
    "SquareWaveTruncated",
    "SquareWindow",
    "Staircase",
    "SubsetSelection",
    "SymmetricUnaryEncoding",
    "TaskAwareLinear",
]


class RandomizedResponse(Mechanism):
    """Randomised response: tell the truth with probability e^epsilon / (1 + e^epsilon), else the opposite.


    What it protects
    ----------------
    One bit, such as the answer to a yes/no question.

    Formula
    -------
    P(report = x) = e^epsilon / (1 + e^epsilon); P(report = 1 - x) = 1 / (1 + e^epsilon).

    Domain
    ------
    `binary`, or any two labelled categories.

    Guarantee
    ---------
    Pure epsilon; no other epsilon-LDP mechanism on one bit reveals more about the population.

    Cost
    ----
    One bit per report; one random word per draw.

    Numerics
    --------
    Integer-exact. The low weight is the ceiling of 2^64 / (e^epsilon + 1), so the exact epsilon is below the
    requested one by less than 2^-58 for epsilon up to 4.

    When not to use it
    ------------------
    With more than two categories: see `GeneralizedRandomizedResponse`.

    Reference
    ---------
    S. L. Warner, "Randomized response", JASA 60 (1965). Without deviation.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.RandomizedResponse(domain=privet.Binary(), epsilon=1.0)
    >>> reports = mechanism.randomize([True, False, True])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "randomized-response"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class GeneralizedRandomizedResponse(Mechanism):
    """Generalised (k-ary) randomised response: the true category with probability
    e^epsilon / (e^epsilon + k - 1), else a uniform other one.


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    P(report = x) = e^epsilon / (e^epsilon + k - 1); P(report = y) = 1 / (e^epsilon + k - 1) for each y != x.

    Domain
    ------
    `binary` or `categories:..`, up to 2^30 of them.

    Guarantee
    ---------
    Pure epsilon.

    Cost
    ----
    ceil(log2 k) bits per report; one random word and two multiplications per draw. The variance of a
    frequency is (e^epsilon + k - 2) / (n (e^epsilon - 1)^2) at frequency zero.

    Numerics
    --------
    Integer-exact. The low weight w is the ceiling of 2^64 / (e^epsilon + k - 1), the high one is
    2^64 - (k - 1) w. The exact epsilon is below the requested one by at most about
    (e^epsilon + k - 1)^2 / (e^epsilon 2^64): 2e-12 for ten thousand categories at epsilon 0.1, but 0.04 for 2^30.

    When not to use it
    ------------------
    When k is above about 2 e^epsilon + 2 `SubsetSelection` is more accurate, and above 3 e^epsilon + 2 so are
    `OptimizedUnaryEncoding` and `OptimizedLocalHashing`.

    Reference
    ---------
    P. Kairouz, S. Oh, P. Viswanath, "Extremal mechanisms for local differential privacy", JMLR 17 (2016).
    Without deviation.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.GeneralizedRandomizedResponse(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "generalized-randomized-response"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SymmetricUnaryEncoding(Mechanism):
    """Symmetric unary encoding: one bit for each category, each flipped with probability
    1 / (1 + e^(epsilon/2)).


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    P(own bit = 1) = e^(epsilon/2) / (1 + e^(epsilon/2)); P(another bit = 1) = 1 / (1 + e^(epsilon/2)).

    Domain
    ------
    `binary` or `categories:..`, up to 2^20 of them.

    Guarantee
    ---------
    Pure epsilon: two inputs differ in two bits, each worth epsilon / 2.

    Cost
    ----
    k bits per report; about 7.3 random words for each 64 bits. The variance of a frequency is
    e^(epsilon/2) / (n (e^(epsilon/2) - 1)^2) at any frequency.

    Numerics
    --------
    Integer-exact: one 64-bit threshold, the same for ones and zeros.

    When not to use it
    ------------------
    For rare categories `OptimizedUnaryEncoding` is more accurate at every epsilon. It is here because
    RAPPOR's basic form is this.

    Reference
    ---------
    U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR", CCS 2014 (basic, one-time). Without deviation.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SymmetricUnaryEncoding(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "symmetric-unary-encoding"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OptimizedUnaryEncoding(Mechanism):
    """Optimised unary encoding: one bit for each category; the own one is a fair coin, each other one is one with
    probability 1 / (1 + e^epsilon).


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    P(own bit = 1) = 1/2; P(another bit = 1) = 1 / (1 + e^epsilon).

    Domain
    ------
    `binary` or `categories:..`, up to 2^20 of them.

    Guarantee
    ---------
    Pure epsilon.

    Cost
    ----
    k bits per report; about 7.3 random words for each 64 bits. The variance of a frequency is
    4 e^epsilon / (n (e^epsilon - 1)^2) at frequency zero, whatever k is.

    Numerics
    --------
    Integer-exact: the threshold of the zeros is the ceiling of 2^64 / (e^epsilon + 1).

    When not to use it
    ------------------
    With few categories (k below 3 e^epsilon + 2) use `GeneralizedRandomizedResponse` or
    `SubsetSelection`; where k bits per
    report are too many use `OptimizedLocalHashing`, which is nearly as accurate.

    Reference
    ---------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally differentially private protocols for frequency estimation",
    USENIX Security 2017. Without deviation.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimizedUnaryEncoding(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimized-unary-encoding"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class BinaryLocalHashing(Mechanism):
    """Binary local hashing: a fresh seed hashes the category to one bit, which goes through randomised response.


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    Report (s, y) with s uniform on 64 bits and y in {0, 1}; P(y = h_s(x)) = e^epsilon / (e^epsilon + 1).

    Domain
    ------
    `binary` or `categories:..`, up to 2^20 of them.

    Guarantee
    ---------
    Pure epsilon.

    Cost
    ----
    65 bits per report, of which one depends on the category. The variance of a frequency is
    (e^epsilon + 1)^2 / (n (e^epsilon - 1)^2) at frequency zero.

    Numerics
    --------
    Integer-exact; the hash family is `SeededHash`.

    When not to use it
    ------------------
    At epsilon above 0.35 `OptimizedLocalHashing` is more accurate: by a factor of 1.3 in variance at epsilon 1
    and of 2.4 at epsilon 2. One bit cannot carry more; n times the variance never falls below one.

    Reference
    ---------
    R. Bassily, A. Smith, "Local, private, efficient protocols for succinct histograms", STOC 2015, as simplified by
    Wang et al. 2017. Deviation: a universal family in place of a random projection matrix.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.BinaryLocalHashing(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "binary-local-hashing"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OptimizedLocalHashing(Mechanism):
    """Optimised local hashing: a fresh seed hashes the category into g buckets, g near e^epsilon + 1, and the bucket
    goes through k-ary randomised response.


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    Report (s, y) with s uniform on 64 bits; P(y = h_s(x)) = e^epsilon / (e^epsilon + g - 1), each other bucket
    1 / (e^epsilon + g - 1). A report supports category v if h_s(v) = y: with probability
    e^epsilon / (e^epsilon + g - 1) if v is the own one, and about 1/g if it is not.

    Domain
    ------
    `binary` or `categories:..`, up to 2^20 of them.

    Guarantee
    ---------
    Pure epsilon: the seed is drawn before the category is looked at.

    Cost
    ----
    64 + ceil(log2 g) bits per report, whatever k is; two random words per draw. Counting support costs one
    addition and one comparison per report and category. The variance of a frequency is within 3 % of that of
    `OptimizedUnaryEncoding` as long as there are e^epsilon + 1 buckets.

    Numerics
    --------
    Integer-exact. The hash family is `((a v + b) mod 2^32)`, high bits, strongly universal over the seed (a, b): see
    `SeededHash`. Bucket sizes differ by at most one; the probability of a collision is computed from the
    actual sizes. At large epsilon, where the high bits could not fill e^epsilon + 1 buckets evenly, there are fewer
    buckets: the guarantee is the same, but with 2^20 categories the variance doubles at epsilon 8.

    When not to use it
    ------------------
    With few categories use `GeneralizedRandomizedResponse`. With millions of categories counting support is
    slow: use `CountMeanSketch`.

    Reference
    ---------
    T. Wang, J. Blocki, N. Li, S. Jha, USENIX Security 2017. Deviations: a universal family with a proof in place of
    a general-purpose hash; the better of the two whole numbers around e^epsilon + 1.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimizedLocalHashing(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimized-local-hashing"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SubsetSelection(Mechanism):
    """Subset selection: a subset of w categories, w near k / (e^epsilon + 1), in which the true one is more likely than
    the others.


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    Each subset of size w that contains x has e^epsilon times the probability of each that does not:
    P(x in subset) = w e^epsilon / (w e^epsilon + k - w), and the rest of the subset is uniform.

    Domain
    ------
    `binary` or `categories:..`, up to 2^16 of them.

    Guarantee
    ---------
    Pure epsilon. Of the two sizes around k / (e^epsilon + 1) the one with the smaller total squared error over all categories
    is taken, which is the same size for every population; so the total is never above that of
    `GeneralizedRandomizedResponse`, which is the size of one. A category that hardly anybody holds may be better served by the
    other size: with 8 categories at epsilon 1.4 its standard error is 4.5 % above that of single categories, and the total
    squared error 5.4 % below. In order of magnitude no epsilon-LDP mechanism does better.

    Cost
    ----
    k bits per report; one random word and w + 1 bounded draws. The number of draws does not depend on whether the truth is in the subset.

    Numerics
    --------
    Integer-exact: the threshold for "truth included" is rounded down so that the exact ratio is at most e^epsilon;
    subsets are uniform by unbiased bounded integers.

    When not to use it
    ------------------
    On slow devices with thousands of categories: `OptimizedLocalHashing` is nearly as accurate and its report
    is shorter.

    Reference
    ---------
    M. Ye, A. Barg, "Optimal schemes for discrete distribution estimation under locally differential privacy",
    IEEE Trans. Inf. Theory 64 (2018). Without deviation.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SubsetSelection(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "subset-selection"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class HadamardResponse(Mechanism):
    """Hadamard response: an index y below K (the power of two above k), which with probability
    e^epsilon / (1 + e^epsilon) is one where the category's row of the K x K Hadamard matrix is +1.


    What it protects
    ----------------
    One category out of k.

    Formula
    -------
    Row x + 1 has +1 where the number of common one bits of x + 1 and y is even. P(y) =
    2 e^epsilon / (K (1 + e^epsilon)) there and 2 / (K (1 + e^epsilon)) elsewhere.

    Domain
    ------
    `binary` or `categories:..`, up to 2^20 of them.

    Guarantee
    ---------
    Pure epsilon.

    Cost
    ----
    log2 K bits per report; two random words per draw. Counting n reports for all k categories takes n + K log2 K
    additions (a fast Walsh transform). The variance of a frequency is that of `BinaryLocalHashing`.

    Numerics
    --------
    Integer-exact: one threshold, then a uniform index whose parity is mended by flipping one public bit.

    When not to use it
    ------------------
    At epsilon above 0.35, where one agreeing bit carries less than `SubsetSelection` and
    `OptimizedLocalHashing` do, unless the speed of the collector's transform matters more.

    Reference
    ---------
    J. Acharya, Z. Sun, H. Zhang, "Hadamard response", AISTATS 2019. Deviation: one block (their choice for small
    epsilon) at every epsilon.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.HadamardResponse(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "hadamard-response"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OrderedExponential(Mechanism):
    """The exponential mechanism on ordered categories: P(y given x) proportional to e^(-s |x - y| / (k - 1)), with the
    scale s as large as epsilon allows.


    What it protects
    ----------------
    One category out of k where being off by one matters less than being off by ten: ratings, age groups.

    Formula
    -------
    P(y given x) = e^(-s |x - y| / (k - 1)) / sum over z of e^(-s |x - z| / (k - 1)).

    Domain
    ------
    `binary` or `categories:..` in their natural order, up to 1024 of them.

    Guarantee
    ---------
    Pure epsilon. The usual analysis bounds score and normaliser separately and sets s = epsilon / 2, which spends about
    half of the budget. Here s is the largest scale whose exact worst ratio is at most e^epsilon: it equals epsilon up to
    rounding, because the worst pair is the two ends, whose normalisers agree.

    Cost
    ----
    ceil(log2 k) bits per report; one random word and one look-up per draw; up to 40 k^2 bytes of memory.

    Numerics
    --------
    Integer-exact: every row is rounded to integers with the total 2^64, and the scale steps back from epsilon until the
    worst ratio of the rounded integers is at most e^epsilon.

    When not to use it
    ------------------
    Where categories have no order, or only frequencies matter: `SubsetSelection`.

    Reference
    ---------
    F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007. Deviation: the calibrated scale.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OrderedExponential(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "ordered-exponential"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Rappor(Mechanism):
    """RAPPOR: a random cohort, the category's Bloom filter under the cohort's hash functions, and every bit flipped with
    probability 1 / (1 + e^(epsilon / 2h)).


    What it protects
    ----------------
    One category out of many, in reports much shorter than one bit for each category.

    Formula
    -------
    The filter has h blocks; a category sets one bit in each. P(set bit stays one) = e^a / (1 + e^a) and
    P(unset bit becomes one) = 1 / (1 + e^a) with a = epsilon / (2 h): two categories differ in at most 2 h bits.

    Domain
    ------
    `binary` or `categories:..`, up to 1024 of them (the estimate solves a system of that size).

    Guarantee
    ---------
    Pure epsilon for one report. For repeated reports see `Memoized`.

    Cost
    ----
    log2(cohorts) + bits per report (by default 64 cohorts and 128 bits with two hashes), in 2 + bits / 8 bytes.

    Numerics
    --------
    Integer-exact: one threshold. The exact epsilon is that of two categories that share no bit in some cohort; where all
    pairs share bits in all cohorts the true one would be smaller still.

    When not to use it
    ------------------
    Where one bit for each category is affordable, or a 64-bit seed: `OptimizedUnaryEncoding` and
    `OptimizedLocalHashing` have less variance at the same epsilon.

    Reference
    ---------
    U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR", CCS 2014. Deviations: the filter is partitioned, so that every
    category sets exactly h bits; the cohort is drawn anew for each report, so that it does not mark a person.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Rappor(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "rappor"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class CountMeanSketch(Mechanism):
    """Count-mean sketch: a random row, the category's bucket in it, and optimised unary encoding of the bucket.


    What it protects
    ----------------
    One category out of up to 2^30.

    Formula
    -------
    Report (r, b) with r uniform; P(b of the own bucket = 1) = 1/2; P(b of another = 1) = 1 / (1 + e^epsilon).

    Domain
    ------
    `binary` or `categories:..`, up to 2^30 of them.

    Guarantee
    ---------
    Pure epsilon: the row is drawn before the category is looked at.

    Cost
    ----
    log2(rows) + width bits per report (by default 256 rows of 1024 buckets), in 2 + width / 8 bytes. The collector keeps rows x width counters,
    whatever the number of categories, and estimates any category from one counter in each row.

    Numerics
    --------
    Integer-exact thresholds. The rows are strongly universal (`RowHash`) and public; categories that collide
    in a row share its counter, and the estimate's error includes that.

    When not to use it
    ------------------
    Where counting support for every category is affordable (up to some ten thousand of them):
    `OptimizedLocalHashing` has no collisions to pay for.

    Reference
    ---------
    Apple Differential Privacy Team, "Learning with privacy at scale", 2017. Deviation: optimised instead of symmetric
    flips, which have less variance at the same epsilon.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.CountMeanSketch(domain=privet.Categories(["walk", "bus", "car"]), epsilon=1.0)
    >>> reports = mechanism.randomize(["bus", "car", "bus"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "count-mean-sketch"

    def __init__(self, *, domain: Categories, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class PrefixTree(Mechanism):
    """Prefix tree: each person reports on one prefix length, drawn at random; the collector grows frequent prefixes byte by
    byte.


    What it protects
    ----------------
    One word of bounded length from a dictionary that nobody knows.

    Formula
    -------
    Report (l, r, y) with l uniform over prefix lengths and r over 4096 public hash functions; y is the bucket of the
    word's first l bytes under function r, through k-ary randomised response over g buckets, g near e^epsilon + 1 and at most 64.

    Domain
    ------
    `words:N`: UTF-8 words of 1 to N bytes, N at most 32. Shorter words count as padded, so the length does not show.

    Guarantee
    ---------
    Pure epsilon for the whole word: only one prefix is ever reported.

    Cost
    ----
    Four or more bytes per report. The collector keeps N x 4096 x g counters and looks at 256 extensions of each
    surviving prefix.

    Numerics
    --------
    Integer-exact: bounded integers for level and row, integer weights for the bucket.

    When not to use it
    ------------------
    When the dictionary is known: `OptimizedUnaryEncoding`, `OptimizedLocalHashing` and
    `SubsetSelection` spend nobody on prefixes.

    Reference
    ---------
    T. Wang, N. Li, S. Jha, "Locally differentially private heavy hitter identification", IEEE TDSC 18 (2021), one byte
    at a time. Deviation: a public list of hash functions instead of a seed per person, so that summaries merge and have
    a fixed size.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.PrefixTree(domain=privet.Words(12), epsilon=1.0)
    >>> reports = mechanism.randomize(["oak", "elm", "oak"])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "prefix-tree"

    def __init__(self, *, domain: Words, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OptimalPiecewise(Mechanism):
    """Optimal piecewise mechanism: the window that minimises the worst absolute error.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [0, 1], with E = e^epsilon, density p inside a window of length s and p / E outside: p = e^(epsilon/2), s = 1
    / (e^(epsilon/2) + 1); the window is centred on x, shifted to stay inside [0, 1]. Worst absolute error (at both
    ends): 1 / (1 + e^(epsilon/2)).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    16 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best.

    When not to use it
    ------------------
    For squared error, where `OptimalPiecewiseSquared` is better. "Optimal" means: among window mechanisms
    with three pieces. The best of all channels has a worst absolute error that is 16, 25 and 35 percent lower at
    epsilon 1, 2 and 4, and even `PiecewiseTruncated` or `SquareWaveTruncated` is better at some
    epsilons. Reports are biased towards the middle; for a mean, invert the channel or use `Hybrid`.

    Reference
    ---------
    Y. Zheng's dissertation, chapter 5, Theorem 7 (OGPM). Deviation: the printed closed form is claimed for squared error too;
    it minimises the worst absolute error only.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimalPiecewise(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimal-piecewise"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OptimalPiecewiseSquared(Mechanism):
    """Optimal piecewise mechanism for squared error.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [0, 1], with E = e^epsilon, density p inside a window of length s and p / E outside: s is the positive root
    of 2 (E - 1) s^3 + 3 s^2 = 1, p = E / (1 + s (E - 1)), which is the root of p^3 (E - 2) + 3 E p = 2 E^2 between
    1 and E. The window is centred on x, shifted to stay inside. Worst squared error (at both ends): p (s^3 (1 -
    1/E) + 1/E) / 3, for example .21730 at epsilon 1.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    16 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best.

    When not to use it
    ------------------
    For absolute error: `OptimalPiecewise`. For a mean: reports are biased, see `Hybrid`. The best
    of all channels has a worst squared error that is 11, 22 and 47 percent lower at epsilon 1, 2 and 4.

    Reference
    ---------
    Y. Zheng's dissertation, chapter 5, Theorem 7. Deviation: the theorem prints p = e^(epsilon/2) for squared error too, whose
    worst case is up to twice as large (epsilon 8: .00621 against .00302). The figures printed there belong to this
    root. For epsilon below ln 2 the cubic has a second positive root, which is not meant.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimalPiecewiseSquared(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimal-piecewise-squared"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OptimalPiecewiseUnbiased(Mechanism):
    """Unbiased optimal piecewise mechanism, as the paper defines it.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [0, 1] with h = e^(epsilon/2) and C = (h + 1) / (h - 1): reports in [-C, C + 1], p = h / (2 C + 1), window
    from (C + 1) x / 2 - (3 C + 1)(C - 1) / (4 C), length (2 C + 1)(C - 1) / (2 C).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best. Reports are decoded by the affine
    function for which the mean is the value, computed from the integers: the bias is below 2^-40 of the width for
    epsilon from 0.01, up to the resolution of a 64-bit number at the interval's ends.

    When not to use it
    ------------------
    Practically always: its variance is three to four times that of `Piecewise` (epsilon 1: 5.02 against 1.31),
    which is unbiased and has three pieces too. It is the same channel with the window travelling h / (3 h + 1) of the
    outputs instead of h / (h + 1), so its reports are blown up. It is here to reproduce the paper's figures.

    Reference
    ---------
    Y. Zheng's dissertation, chapter 5, Theorem 10 (OGPM-U).

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimalPiecewiseUnbiased(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimal-piecewise-unbiased"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Piecewise(Mechanism):
    """Piecewise mechanism (PM) on any interval.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [-1, 1] with E = e^epsilon, h = e^(epsilon/2), C = (h + 1) / (h - 1), t the value: reports in [-C, C], density (E - h) / (2
    h + 2) in the window from (C + 1) t / 2 - (C - 1) / 2 of length C - 1, e^epsilon times less outside; then moved
    to the domain. Unbiased; variance on [0, 1]: (t^2 / (h - 1) + (h + 3) / (3 (h - 1)^2)) / 4, largest at the ends.
    Worst absolute error: h / (E - 1).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best. Reports are decoded by the affine
    function for which the mean is the value, computed from the integers: the bias is below 2^-40 of the width for
    epsilon from 0.01, up to the resolution of a 64-bit number at the interval's ends.

    When not to use it
    ------------------
    At epsilon below about 0.6 `Duchi` has the smaller worst variance, and `Hybrid` is never worse
    than both. The best unbiased channel has a worst variance that is 24 to 47 percent lower. For a single value,
    reports inside the domain are better: `OptimalPiecewise`.

    Reference
    ---------
    N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.
    Zheng's Definition 24 gives this name to the mechanism of Theorem 7.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Piecewise(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "piecewise"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class PiecewiseCompressed(Mechanism):
    """Compressed piecewise mechanism (PM-C).


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The piecewise mechanism, its outputs compressed linearly onto the domain: density e^(epsilon/2) in the window
    from x (1 - s) of length s = 1 / (e^(epsilon/2) + 1).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best.

    When not to use it
    ------------------
    Its worst errors are exactly those of `OptimalPiecewise`, which is better between the ends and the
    middle.

    Reference
    ---------
    The rival PM-C of Y. Zheng's dissertation, chapter 5; N. Wang et al., "Collecting and analyzing multidimensional data with
    local differential privacy", ICDE 2019.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.PiecewiseCompressed(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "piecewise-compressed"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class PiecewiseTruncated(Mechanism):
    """Truncated piecewise mechanism (T-PM).


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The report of `Piecewise`, moved to the nearest end of the domain where it lies outside.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval, with a mass at each end.

    Guarantee
    ---------
    Pure epsilon: truncation happens after the report is drawn. Tight.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best. The report is the cell before
    truncation; what it stands for is truncated.

    When not to use it
    ------------------
    For a mean, since truncation biases it. Its worst absolute error (.39905, .24895, .10962 at epsilon 1, 2, 4) is
    found between the ends for epsilon above about 1.43.

    Reference
    ---------
    The rival T-PM of Y. Zheng's dissertation, chapter 5; N. Wang et al., "Collecting and analyzing multidimensional data with
    local differential privacy", ICDE 2019.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.PiecewiseTruncated(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "piecewise-truncated"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SquareWave(Mechanism):
    """Square wave mechanism (SW).


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [0, 1], with b = (epsilon E - E + 1) / (2 E (E - 1 - epsilon)): reports in [-b, 1 + b], density E / (2 b E +
    1) in the window [x - b, x + b], e^epsilon times less outside.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach beyond it by b widths on both sides.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best.

    When not to use it
    ------------------
    For a single value: reports are biased and may lie outside the domain. It is made for distributions, estimated
    by EM.

    Reference
    ---------
    Z. Li et al., "Estimating numerical distributions under local differential privacy", SIGMOD 2020.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SquareWave(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "square-wave"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SquareWaveBounded(Mechanism):
    """Square wave mechanism with reports inside the domain.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [0, 1], with E = e^epsilon, density p inside a window of length s and p / E outside: p = (E - 1) / epsilon, s
    = (epsilon E - E + 1) / (E - 1)^2; the window is centred on x, shifted to stay inside [0, 1].

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    16 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best.

    When not to use it
    ------------------
    For the smallest worst error: `OptimalPiecewise`. For a mean: it is biased.

    Reference
    ---------
    Y. Zheng's dissertation, Definitions 22 and 25; Z. Li et al., "Estimating numerical distributions under local differential
    privacy", SIGMOD 2020. Deviation: Definition 22 prints its conditions on the report; they are on the value.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SquareWaveBounded(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "square-wave-bounded"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SquareWaveCompressed(Mechanism):
    """Compressed square wave mechanism (SW-C).


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The square wave, its outputs compressed linearly onto the domain: density p = (E - 1) / epsilon in the window
    from x (1 - s) of length s = (epsilon E - E + 1) / (E - 1)^2. Worst absolute error: p (s^2 (1 - 1/E) + 1/E) / 2.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best.

    When not to use it
    ------------------
    `SquareWaveBounded` has the same worst case and is better in between; `OptimalPiecewise` is
    better at the ends.

    Reference
    ---------
    The rival SW-C of Y. Zheng's dissertation, chapter 5; Z. Li et al., "Estimating numerical distributions under local
    differential privacy", SIGMOD 2020.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SquareWaveCompressed(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "square-wave-compressed"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SquareWaveTruncated(Mechanism):
    """Truncated square wave mechanism (T-SW).


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The report of `SquareWave`, moved to the nearest end of the domain where it lies outside.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval, with a mass at each end.

    Guarantee
    ---------
    Pure epsilon: truncation happens after the report is drawn. Tight.

    Cost
    ----
    At most 22 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The domain is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept (a convex mixture of two rows, so epsilon is kept). Every row has the same two integer
    weights, whose ratio is at most e^epsilon, and the same total. A window is a whole number of cells and never
    vanishes, so that epsilons above about 20 are private but no longer best. The report is the cell before
    truncation; what it stands for is truncated.

    When not to use it
    ------------------
    For a mean, since it is biased. Its worst absolute error (.33961, .23452, .12934 at epsilon 1, 2, 4) lies just
    inside the ends for large epsilon.

    Reference
    ---------
    The rival T-SW of Y. Zheng's dissertation, chapter 5; Z. Li et al., "Estimating numerical distributions under local
    differential privacy", SIGMOD 2020.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SquareWaveTruncated(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "square-wave-truncated"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Duchi(Mechanism):
    """Duchi's mechanism: one bit whose mean is the value.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    Two reports, 1/2 - c/2 and 1/2 + c/2 on [0, 1], c = (E + 1) / (E - 1); the upper one with probability 1/2 + t (E
    - 1) / (2 (E + 1)), t = 2 x - 1. Unbiased; variance (c^2 - t^2) / 4, largest in the middle.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. The two reports lie outside it.

    Guarantee
    ---------
    Pure epsilon, tight between both ends of the domain.

    Cost
    ----
    One bit per report; two random words per draw.

    Numerics
    --------
    Integer-exact: the value is rounded at random to one of the two ends with its mean kept, and the end goes
    through two integer weights. The reports' values are computed from the weights: the bias is below 2^-40 of the
    width.

    When not to use it
    ------------------
    For anything but a mean. At epsilon above about 0.6, `Hybrid` has the smaller worst variance; at large
    epsilon the variance does not vanish.

    Reference
    ---------
    J. Duchi, M. Jordan, M. Wainwright, "Minimax optimal procedures for locally private estimation", JASA 2018.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Duchi(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "duchi"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Hybrid(Mechanism):
    """Hybrid mechanism (HM): the unbiased mechanism whose worst variance is smallest among these.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    With probability a = 1 - e^(-epsilon/2) the report of `Piecewise`, otherwise that of `Duchi`,
    both at the whole epsilon; for epsilon up to 0.6094 a = 0. Unbiased. Above it the variance on [0, 1] is the same
    for every value: (a (h + 3) / (3 (h - 1)^2) + (1 - a) c^2) / 4 with h = e^(epsilon/2), c = (E + 1) / (E - 1).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.

    Guarantee
    ---------
    Pure epsilon, tight: a mixture with public shares of two mechanisms that keep epsilon, whose reports can be told
    apart.

    Cost
    ----
    At most 22 bits per report (one at epsilon up to 0.6094); two random words per draw.

    Numerics
    --------
    Integer-exact: the two points and the window share the words of one row, so one word decides both which
    mechanism and which report. The window moves over 65536 nodes; the weights of the points grow with the node. The
    values of reports are computed from the integers: the bias is below 2^-40 of the width for epsilon from 0.01, up
    to the resolution of a 64-bit number at the interval's ends.

    When not to use it
    ------------------
    For a single value or a distribution: `OptimalPiecewise`, `SquareWave`.

    Reference
    ---------
    N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Hybrid(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "hybrid"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Laplace(Mechanism):
    """Laplace mechanism.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    y = x + noise with density (epsilon / 2) e^(-epsilon |z|) in widths of the domain; on the lattice, weights
    proportional to e^(-epsilon |k| / parts). Unbiased; absolute error 1 / epsilon and squared error 2 / epsilon^2
    widths for every value.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.

    Guarantee
    ---------
    Pure epsilon, tight.

    Cost
    ----
    About 15 bits per report at epsilon 1; two random words and one look-up per draw; about a megabyte of memory.

    Numerics
    --------
    Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with a power of two of
    parts of the domain (512 at epsilon 1); a value between two nodes is rounded to one of them at random with its
    mean kept. Reports beyond public ends (about 16 / epsilon widths outside the domain) are moved to them, which is
    post-processing; it biases the mean by less than 1e-5 widths at epsilon from 0.01 to 8. The rate steps back
    until the exact worst ratio of the integers, the two end reports included, is at most e^epsilon.

    When not to use it
    ------------------
    Almost always: `Staircase` is the better additive noise and `Hybrid` the better unbiased
    mechanism.

    Reference
    ---------
    C. Dwork, F. McSherry, K. Nissim, A. Smith, "Calibrating noise to sensitivity in private data analysis", TCC
    2006. Deviation: on a lattice, with public ends.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Laplace(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "laplace"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class LaplaceTruncated(Mechanism):
    """Truncated Laplace mechanism.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The report of `Laplace`, moved to the nearest end of the domain where it lies outside. Worst absolute
    error (in the middle): (1 - e^(-epsilon/2)) / epsilon widths.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval, with a mass at each end.

    Guarantee
    ---------
    Pure epsilon: truncation happens after the report is drawn. Tight.

    Cost
    ----
    About 15 bits per report at epsilon 1; two random words and one look-up per draw; about a megabyte of memory.

    Numerics
    --------
    Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with a power of two of
    parts of the domain (512 at epsilon 1); a value between two nodes is rounded to one of them at random with its
    mean kept. Reports beyond public ends (about 16 / epsilon widths outside the domain) are moved to them, which is
    post-processing; it biases the mean by less than 1e-5 widths at epsilon from 0.01 to 8. The rate steps back
    until the exact worst ratio of the integers, the two end reports included, is at most e^epsilon. The report is
    the cell before truncation; what it stands for is truncated.

    When not to use it
    ------------------
    For a mean, since truncation biases it.

    Reference
    ---------
    The rival T-Laplace of Y. Zheng's dissertation, chapter 5; C. Dwork, F. McSherry, K. Nissim, A. Smith, TCC 2006.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.LaplaceTruncated(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "laplace-truncated"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class LaplaceBounded(Mechanism):
    """Bounded Laplace mechanism, normalised for each value.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    On [0, 1], density (epsilon / 2) e^(-epsilon |y - x|) / C(x) with C(x) = 1 - (e^(-epsilon x) + e^(-epsilon (1 -
    x))) / 2.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports lie in the same interval.

    Guarantee
    ---------
    Pure epsilon, tight: the two ends have the same normaliser, and the ratio between them at an end is e^epsilon.

    Cost
    ----
    9 bits per report; two random words and one look-up per draw; about 6 megabytes of memory, since each of the 501
    rows has its own table.

    Numerics
    --------
    Integer-exact on 501 points; a value between two is rounded to one of them at random with its mean kept. The two
    end points have half of the weight of the others, as in the trapezoid rule. The rate steps back from epsilon
    until the worst ratio of the rounded integers is at most e^epsilon.

    When not to use it
    ------------------
    `OptimalPiecewise` has the smaller worst error at every epsilon. For a mean: it is biased.

    Reference
    ---------
    The rival B-Laplace of Y. Zheng's dissertation, chapter 5. Deviation: the paper normalises every value like an end; the
    density at .5 then has mass 1.46 at epsilon 2.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.LaplaceBounded(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "laplace-bounded"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Staircase(Mechanism):
    """Staircase mechanism with the step that is best for absolute error.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    y = x + noise whose density falls by the factor e^(-epsilon) at the distances g, 1 + g, 2 + g, ... widths, g = 1
    / (1 + e^(epsilon/2)), and is constant in between. Unbiased; absolute error e^(epsilon/2) / (e^epsilon - 1)
    widths for every value, the smallest of any additive noise.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.

    Guarantee
    ---------
    Pure epsilon, tight: a shift by at most one width is at most one step.

    Cost
    ----
    About 17 bits per report at epsilon 1; two random words and one look-up per draw; about 3 megabytes of memory.

    Numerics
    --------
    Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice of
    about 2048 parts of the domain (at epsilon 1); a value between two nodes is rounded to one of them at random with its
    mean kept. Reports beyond public ends (about 16 / epsilon widths outside the domain) are moved to them, which is
    post-processing; it biases the mean by less than 1e-5 widths at epsilon from 0.01 to 8. The rate steps back
    until the exact worst ratio of the integers, the two end reports included, is at most e^epsilon. A step is a
    whole number of cells, so g is rounded to half a cell; at its best value the error does not notice.

    When not to use it
    ------------------
    For squared error another g is a little better (up to 11 percent at epsilon 4). `Hybrid` has the
    smaller variance at small epsilon.

    Reference
    ---------
    Q. Geng, P. Kairouz, S. Oh, P. Viswanath, "The staircase mechanism in differential privacy", IEEE JSTSP 2015.
    Deviation: on a lattice, with public ends.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Staircase(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "staircase"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Gaussian(Mechanism):
    """Gaussian mechanism, analytically calibrated.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    y = x + noise, normal with the smallest standard deviation s (in widths of the domain) for which Phi(1/(2 s) -
    epsilon s) - e^epsilon Phi(-1/(2 s) - epsilon s) <= delta. Unbiased; absolute error s sqrt(2 / pi), squared
    error s^2. At epsilon 1, delta .052: s = 1.319.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.

    Guarantee
    ---------
    (epsilon, delta) in the standard sense, with the delta of the sampler that runs, which is at most the one asked
    for. There is no default delta.

    Cost
    ----
    About 15 bits per report; two random words and one look-up per draw; about a megabyte of memory.

    Numerics
    --------
    Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with up to 512 parts of
    the domain; reports more than 7.3 standard deviations outside the domain are moved to public ends. The standard
    deviation is searched on the lattice and raised until the delta of the integers is at most the one asked for:
    the formula for real numbers alone is not enough (at epsilon 1 its delta on a lattice is .0520008 where .052 was
    asked for). Epsilon is capped at 20. A value between two nodes is rounded to one of them at random, which keeps
    the standard guarantee.

    When not to use it
    ------------------
    For one number: pure mechanisms such as `Hybrid` have less noise at practical deltas and promise more.
    With public ends close to the domain it would be pure as well, but then it is no longer Gaussian.

    Reference
    ---------
    B. Balle, Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy: analytical calibration and
    optimal denoising", ICML 2018. Deviation: on a lattice, calibrated there.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Gaussian(domain=privet.Interval(0, 1), epsilon=1.0, delta=1e-5)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "gaussian"

    def __init__(self, *, domain: Interval, epsilon: float, delta: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon, delta=delta)


class GaussianProbabilistic(Mechanism):
    """Gaussian mechanism with a probabilistic guarantee.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    y = x + noise, normal with s = (z + sqrt(z^2 + 2 epsilon)) / (2 epsilon) widths, z the upper delta quantile of
    the normal law: then the log-ratio of the drawn report is above epsilon with probability delta. At epsilon 1,
    delta .052: s = 1.890. Theorem 18 prints (sqrt(L + epsilon) + sqrt(L)) / (epsilon sqrt 2) with L = ln(2 /
    delta), see `theorem_18_deviation`: 2.876, correct but loose (its true probability is .0035).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach far beyond it.

    Guarantee
    ---------
    Probabilistic: the log-ratio of a report between any two values is at most epsilon except with probability
    delta, the delta of the sampler that runs. It implies the standard guarantee with the same numbers. It is not
    kept by post-processing; the standard one is.

    Cost
    ----
    About 15 bits per report; one random word and one look-up per draw; about a megabyte of memory.

    Numerics
    --------
    Integer-exact. The noise is one row of integer weights with the total 2^64 on a lattice with up to 512 parts of
    the domain; reports more than 7.3 standard deviations outside the domain are moved to public ends. The standard
    deviation is searched on the lattice and raised until the delta of the integers is at most the one asked for:
    the formula for real numbers alone is not enough (at epsilon 1 its delta on a lattice is .0520008 where .052 was
    asked for). Epsilon is capped at 20. A value is rounded to the nearest node: a mixture of two rows may be
    exposed where neither row is. That biases a report by up to half a part.

    When not to use it
    ------------------
    Where the standard guarantee will do: `Gaussian` needs less noise (1.319 against 1.890).

    Reference
    ---------
    Y. Zheng's dissertation, chapter 7, Theorem 18 ("PAC LDP"). Deviation: the exact calibration instead of the printed bound.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.GaussianProbabilistic(domain=privet.Interval(0, 1), epsilon=1.0, delta=1e-5)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "gaussian-probabilistic"

    def __init__(self, *, domain: Interval, epsilon: float, delta: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon, delta=delta)


class GridRandomizedResponse(Mechanism):
    """Randomised response on a grid.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The domain has k + 1 points, k parts apart (100 parts unless a number of bins is given); the nearest one with
    probability E / (k + E), each other one with 1 / (k + E).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. A value is rounded to the nearest point, from the middle down; reports
    are points.

    Guarantee
    ---------
    Pure epsilon, tight.

    Cost
    ----
    7 bits per report at 100 parts; one random word per draw.

    Numerics
    --------
    Integer-exact: one high and k equal low weights.

    When not to use it
    ------------------
    Where distance matters: a wrong report is anywhere. `OptimalPiecewise`, or `GridExponential`
    on the same points.

    Reference
    ---------
    Y. Zheng's dissertation, chapter 7, which calls 101 points "100 bins".

    Example
    -------
    >>> import privet
    >>> mechanism = privet.GridRandomizedResponse(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "grid-randomized-response"

    def __init__(self, *, domain: Interval, epsilon: float, bins: int | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, bins=bins)


class GridExponential(Mechanism):
    """Exponential mechanism on a grid.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    The domain has k + 1 points, k parts apart (100 parts unless a number of bins is given); P(y given x)
    proportional to e^(-epsilon |x - y| / width).

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. A value is rounded to the nearest point, from the middle down; reports
    are points.

    Guarantee
    ---------
    Pure epsilon, tight between the two ends.

    Cost
    ----
    7 bits per report at 100 parts; one random word and one look-up per draw; 24 k^2 bytes of memory.

    Numerics
    --------
    Integer-exact. The rate steps back from epsilon until the worst ratio of the rounded integers is at most
    e^epsilon.

    When not to use it
    ------------------
    For a mean: rounding and the ends bias it. `LaplaceBounded` is its limit for many points.

    Reference
    ---------
    F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007; Y. Zheng's dissertation, chapter 7.
    Deviation: the paper halves the rate, which spends exactly half of epsilon.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.GridExponential(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "grid-exponential"

    def __init__(self, *, domain: Interval, epsilon: float, bins: int | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, bins=bins)


class OptimalPiecewiseCircle(Mechanism):
    """Optimal piecewise mechanism on the circle.


    What it protects
    ----------------
    One direction or time on a public circle: a heading, a time of day.

    Formula
    -------
    Density p / T in the arc of length s T centred on x, e^epsilon times less outside; p = e^(epsilon/2), s = 1 /
    (e^(epsilon/2) + 1), T the period. Absolute error, the same for every value: (T/2) / (1 + e^(epsilon/2)).

    Domain
    ------
    `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    16 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The circle is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept. Every row is the same two integer weights, turned.

    When not to use it
    ------------------
    For squared error: `OptimalPiecewiseCircleSquared`. On a circle nothing is better for absolute error:
    averaging any channel over rotations shows that a window is best among all.

    Reference
    ---------
    Y. Zheng's dissertation, chapter 5, Theorem 8. Deviation: distance is min(|y - x|, T - |y - x|), and the printed p minimises
    the absolute error only.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimalPiecewiseCircle(domain=privet.Circle(360), epsilon=1.0)
    >>> reports = mechanism.randomize([10.0, 90.0, 350.0])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimal-piecewise-circle"

    def __init__(self, *, domain: Circle, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class OptimalPiecewiseCircleSquared(Mechanism):
    """Optimal piecewise mechanism on the circle for squared error.


    What it protects
    ----------------
    One direction or time on a public circle: a heading, a time of day.

    Formula
    -------
    Density p / T in the arc of length s T centred on x, e^epsilon times less outside; s is the positive root of 2
    (E - 1) s^3 + 3 s^2 = 1, p = E / (1 + s (E - 1)). Squared error: (T/2)^2 p (s^3 (1 - 1/E) + 1/E) / 3.

    Domain
    ------
    `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    16 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The circle is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept. Every row is the same two integer weights, turned.

    When not to use it
    ------------------
    For absolute error: `OptimalPiecewiseCircle`.

    Reference
    ---------
    Y. Zheng's dissertation, chapter 5, Theorem 8. Deviation: the theorem prints p = e^(epsilon/2) for squared error too
    (1.36069 against 1.29405 at epsilon 2).

    Example
    -------
    >>> import privet
    >>> mechanism = privet.OptimalPiecewiseCircleSquared(domain=privet.Circle(360), epsilon=1.0)
    >>> reports = mechanism.randomize([10.0, 90.0, 350.0])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "optimal-piecewise-circle-squared"

    def __init__(self, *, domain: Circle, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SquareWaveCircle(Mechanism):
    """Square wave mechanism on the circle.


    What it protects
    ----------------
    One direction or time on a public circle: a heading, a time of day.

    Formula
    -------
    Density p / T in the arc of length s T centred on x, e^epsilon times less outside; p = (E - 1) / epsilon, s =
    (epsilon E - E + 1) / (E - 1)^2.

    Domain
    ------
    `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    16 bits per report; two random words per draw; a few numbers of memory.

    Numerics
    --------
    Integer-exact. The circle is cut into 65536 parts; a value between two nodes is rounded to one of them at random
    with its mean kept. Every row is the same two integer weights, turned.

    When not to use it
    ------------------
    For the smallest error of one report: `OptimalPiecewiseCircle`.

    Reference
    ---------
    Y. Zheng's dissertation, Definition 21; Z. Li et al., "Estimating numerical distributions under local differential
    privacy", SIGMOD 2020.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SquareWaveCircle(domain=privet.Circle(360), epsilon=1.0)
    >>> reports = mechanism.randomize([10.0, 90.0, 350.0])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "square-wave-circle"

    def __init__(self, *, domain: Circle, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class Purkayastha(Mechanism):
    """Purkayastha mechanism: noise that falls off exponentially along the circle.


    What it protects
    ----------------
    One direction or time on a public circle: a heading, a time of day.

    Formula
    -------
    Density proportional to e^(-k d), d the distance along the circle, k = 2 epsilon / T. Absolute error: (T / (2
    epsilon)) (1 - (1 + epsilon) e^(-epsilon)) / (1 - e^(-epsilon)).

    Domain
    ------
    `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.

    Guarantee
    ---------
    Pure epsilon, tight between opposite points.

    Cost
    ----
    12 bits per report; two random words and one look-up per draw; about 100 kilobytes of memory.

    Numerics
    --------
    Integer-exact on 4096 points of the circle; a value between two is rounded to one of them at random. The rate
    steps back from k until the worst ratio of the rounded integers is at most e^epsilon.

    When not to use it
    ------------------
    A window is better for every loss that grows with the distance: at epsilon 2 the absolute error is 1.079 against
    .845 of `OptimalPiecewiseCircle` on a circle of 2 pi.

    Reference
    ---------
    The rival of Y. Zheng's dissertation, chapter 5: a Laplace law in arc length (Purkayastha's distribution), not von Mises.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Purkayastha(domain=privet.Circle(360), epsilon=1.0)
    >>> reports = mechanism.randomize([10.0, 90.0, 350.0])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "purkayastha"

    def __init__(self, *, domain: Circle, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class SectorRandomizedResponse(Mechanism):
    """Randomised response on sectors, uniform inside.


    What it protects
    ----------------
    One direction or time on a public circle: a heading, a time of day.

    Formula
    -------
    k equal sectors (6 unless a number of bins is given); the own one with probability E / (k - 1 + E), each other
    one with 1 / (k - 1 + E); uniform inside the sector.

    Domain
    ------
    `circle:PERIOD` with any finite period; values from 0 up to, but not including, the period.

    Guarantee
    ---------
    Pure epsilon, tight.

    Cost
    ----
    16 bits per report; one random word per draw.

    Numerics
    --------
    Integer-exact: each sector has 65536 / k cells (rounded down); all cells of the own sector have the same high
    weight. Values are rounded down to the start of their sector.

    When not to use it
    ------------------
    Where the distance matters: values at the edge of a sector are moved further than those in its middle.
    `OptimalPiecewiseCircle` has no edges.

    Reference
    ---------
    The strawman of Y. Zheng's dissertation, chapter 6, with the correct probability of lying, (k - 1) / (k - 1 + E).

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SectorRandomizedResponse(domain=privet.Circle(360), epsilon=1.0)
    >>> reports = mechanism.randomize([10.0, 90.0, 350.0])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "sector-randomized-response"

    def __init__(self, *, domain: Circle, epsilon: float, bins: int | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, bins=bins)


class SquareWindow(Mechanism):
    """A square window of constant size around a place, shifted to stay inside the rectangle: its cells are e^epsilon times as
    likely as all others, and each cell is read where the average error is smallest.


    What it protects
    ----------------
    One place in a rectangle: any two places of it, however far from each other, are indistinguishable up to epsilon.

    Formula
    -------
    The rectangle is cut into n x m cells, about four million. The window of a place is a x b cells around it, as square as cells
    allow. P(cell) = e^epsilon / (n m + (e^epsilon - 1) a b) in the window and e^epsilon times less elsewhere. A report is read
    coordinate by coordinate, nearer to the middle than its cell; readings and the size of the window minimise the average
    distance for uniform places. In the unit square at epsilon 1, 2, 4, 6, 8, 10: .365 .310 .188 .103 .054 .028.

    Readings leave bands of the rectangle empty, which maps of raw reports show; estimated densities do not. In the unit square
    at epsilon 4 no coordinate is read below .103 or between .242 and .315, nor in the mirror images of these bands. At the
    border that is because a report from there may come from half a window around it, and is read in the middle of that. The
    other band is where windows begin to be shifted: the cell that is a window's length from the border may come from all
    places up to the border, its neighbour from none of those within half a window of it.

    Domain
    ------
    `rectangle:LOW_A,HIGH_A,LOW_B,HIGH_B`.

    Guarantee
    ---------
    Pure epsilon, for the whole rectangle at once, tight.

    Cost
    ----
    22 bits per report; one random word and one division per draw; about 60 kB of memory.

    Numerics
    --------
    Integer-exact: all rows have the same two weights in another order. Where the window of a place lies is rounded to whole
    cells: a bias of at most half a cell, 1/4096 of a side of a square. Readings are floating-point functions of reports.

    When not to use it
    ------------------
    Where means of coordinates are wanted: reports are biased towards the middle, because that makes them more accurate.

    Reference
    ---------
    Privet's own.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SquareWindow(domain=privet.Rectangle(0, 1, 0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "window-2d"

    def __init__(self, *, domain: Rectangle, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class MinimaxAbsolute(Mechanism):
    """The channel with the smallest worst absolute error, within one percent.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    Equally likely cells stand for numbers D_1 <= D_2 <= ..; the window of cells nearest to the value is
    e^epsilon times as likely as the others. The numbers, many of them at the very ends, and the length of the window
    solve a linear programme over all private channels. Worst absolute error on [0, 1] at epsilon 1, 2, 4: .316, .201,
    .078; no private channel has less than 99 percent of it.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports are inside.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    11 bits per report, up to 14 at a large epsilon; one random word and one search among the windows per draw; about 50
    kB of memory. The channel itself is about 20 kB of integers, at a large epsilon up to 200 kB: it is found once, by
    whoever asks for reports, and travels to the devices.

    Numerics
    --------
    Integer-exact. 2048 equally likely cells, or as many more as the window needs to have 64 of them, up to 16384; the
    numbers that they stand for are whole multiples of 2^-40 of the domain. Every row is the same two integer weights,
    moved. Which window a value has is a comparison with numbers halfway between two cells.

    When not to use it
    ------------------
    To average many reports: they are biased, see `MinimaxUnbiased`. For squared error: `MinimaxSquared`.

    Reference
    ---------
    Own work: linear programmes over all channels, with a dual certificate (crate `privet-limit`).

    Example
    -------
    >>> import privet
    >>> mechanism = privet.MinimaxAbsolute(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "minimax-absolute"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class MinimaxSquared(Mechanism):
    """The channel with the smallest worst squared error, within one percent.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    Equally likely cells stand for numbers D_1 <= D_2 <= ..; the window of cells nearest to the value is
    e^epsilon times as likely as the others. The numbers, few different ones, and the length of the window solve a
    linear programme over all private channels. Worst squared error on [0, 1] at epsilon 1, 2, 4: .197, .107, .026; no
    private channel has less than 99 percent of it.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports are inside.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    11 bits per report, up to 14 at a large epsilon; one random word and one search among the windows per draw; about 50
    kB of memory. The channel itself is about 20 kB of integers, at a large epsilon up to 200 kB: it is found once, by
    whoever asks for reports, and travels to the devices.

    Numerics
    --------
    Integer-exact. 2048 equally likely cells, or as many more as the window needs to have 64 of them, up to 16384; the
    numbers that they stand for are whole multiples of 2^-40 of the domain. Every row is the same two integer weights,
    moved. Which window a value has is a comparison with numbers halfway between two cells.

    When not to use it
    ------------------
    To average many reports: they are biased, see `MinimaxUnbiased`. For absolute error: `MinimaxAbsolute`.

    Reference
    ---------
    Own work: linear programmes over all channels, with a dual certificate (crate `privet-limit`).

    Example
    -------
    >>> import privet
    >>> mechanism = privet.MinimaxSquared(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "minimax-squared"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class MinimaxUnbiased(Mechanism):
    """The unbiased channel with the smallest worst variance, within one percent.


    What it protects
    ----------------
    One number between public ends, for example an age, a temperature or a score.

    Formula
    -------
    Equally likely cells stand for numbers D_1 <= D_2 <= ..; a window of cells is e^epsilon times as likely as the
    others. Each window has a mean report; a value between two of them takes one at random, so that its mean is kept.
    Numbers and window solve a linear programme over all unbiased private channels. Worst variance on [0, 1] at epsilon
    1, 2, 4: .998, .217, .032, against 1.306, .307, .060 of `Piecewise`.

    Domain
    ------
    `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.

    Guarantee
    ---------
    Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.

    Cost
    ----
    11 bits per report, up to 14 at a large epsilon; two random words and one search among the windows per draw; about
    50 kB of memory. The channel itself is about 20 kB of integers, at a large epsilon up to 200 kB: it is found once,
    by whoever asks for reports, and travels to the devices.

    Numerics
    --------
    Integer-exact. 2048 equally likely cells, or as many more as the window needs to have 64 of them, up to 16384; the
    numbers that they stand for are whole multiples of 2^-40 of the domain. Every row is the same two integer weights,
    moved. The bias is that of rounding 64-bit numbers: below 1e-12 of the width.

    When not to use it
    ------------------
    Where values are known to lie near the middle: `Piecewise` has less variance there, and more at the ends. For a
    single value: `MinimaxAbsolute`.

    Reference
    ---------
    Own work: linear programmes over all channels, with a dual certificate (crate `privet-limit`).

    Example
    -------
    >>> import privet
    >>> mechanism = privet.MinimaxUnbiased(domain=privet.Interval(0, 1), epsilon=1.0)
    >>> reports = mechanism.randomize([0.25, 0.5, 0.75])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "minimax-unbiased"

    def __init__(self, *, domain: Interval, epsilon: float) -> None:
        super().__init__(domain=domain, epsilon=epsilon)


class LaplaceVector(Mechanism):
    """Laplace mechanism on the L1 ball.


    What it protects
    ----------------
    A vector whose absolute coordinates add up to at most a public radius, for example shares of time or short histories.

    Formula
    -------
    y = x + noise, independent in each coordinate with density proportional to e^(-|z| / b), b = 2 R / epsilon. Unbiased on the ball;
    squared error 2 d b^2 = 8 d R^2 / epsilon^2 for every vector.

    Domain
    ------
    `vector:D`. Vectors outside the ball are shortened to its border.

    Guarantee
    ---------
    Pure epsilon, tight: two opposite corners are 2 R apart in the L1 norm.

    Cost
    ----
    4 bytes and about a dozen random words per coordinate.

    Numerics
    --------
    Integer-exact. The ball's radius is N steps of a lattice; coordinates are rounded towards zero, so that the whole numbers still
    add up to at most N, and the noise is a whole number z with probability proportional to e^(-|z| / 2^26), drawn exactly. The epsilon
    is 2 N / 2^26 without rounding, less than 2^-25 below the one that was asked for. Rounding moves the mean by less than
    one step, 2^-26 of the noise's scale; reports beyond 2^31 steps are moved there, which moves it by less than 1e-9 scales.
    Above epsilon 20 the scale has fewer bits.

    When not to use it
    ------------------
    For directions and long vectors: a vector of Euclidean length R may have the L1 norm sqrt(d) R, so that the error is about d times that
    of `PrivUnit`.

    Reference
    ---------
    C. Dwork, F. McSherry, K. Nissim, A. Smith, "Calibrating noise to sensitivity in private data analysis", TCC 2006. The exact sampler
    follows the idea of C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.LaplaceVector(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "laplace-vector"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class GaussianVector(Mechanism):
    """Gaussian mechanism on the L2 ball, analytically calibrated (AGM).


    What it protects
    ----------------
    A vector no longer than a public radius, for example an embedding or a gradient.

    Formula
    -------
    y = x + noise, normal in each coordinate with the smallest standard deviation s for which, with r = s / (2 R), Phi(1/(2r) - epsilon
    r) - e^epsilon Phi(-1/(2r) - epsilon r) <= delta. Unbiased on the ball; squared error d s^2 for every vector. At epsilon 1,
    delta 1e-5: s = 7.461 R.

    Domain
    ------
    `vector:D`. Vectors outside the ball are shortened to its border.

    Guarantee
    ---------
    (epsilon, delta) in the standard sense, tight between opposite vectors. There is no default delta, and none below 1e-30: the
    sampler's tails end. Above epsilon 100 no more is spent.

    Cost
    ----
    4 bytes and about one random word per coordinate.

    Numerics
    --------
    The vector is rounded to whole steps towards zero, at least 2^26 of them to a standard deviation, and noise that is rounded to whole
    steps by itself is added. The sum is what rounding the sum of both would give, so the guarantee is that of the Gaussian mechanism on
    whole vectors, followed by rounding; the noise never meets the vector's last digits. Stated for real arithmetic only in that the
    normal numbers are made from 53 random bits each. The deviation is solved with room for the rounding of both
    tails (1e-12 of the larger one) and raised by 1e-12. Rounding moves the
    mean by less than one step; reports beyond 2^31 steps, at least 16 deviations outside the ball, are moved there.

    When not to use it
    ------------------
    Where a pure guarantee is wanted: `PrivUnit` gives one, with a smaller error at every delta below about 1e-3.

    Reference
    ---------
    B. Balle, Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal denoising",
    ICML 2018.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.GaussianVector(domain=privet.Vectors(3), epsilon=1.0, delta=1e-5)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "gaussian-vector"

    def __init__(self, *, domain: Vectors, epsilon: float, delta: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, delta=delta, radius=radius)


class PrivUnit(Mechanism):
    """PrivUnit (PrivUnit2): the direction of a vector, with the smallest error of all pure mechanisms on the sphere.


    What it protects
    ----------------
    The direction of a vector, for example an embedding or a gradient. Its length is replaced by a public one.

    Formula
    -------
    Let u be the direction and t the height of a point of the unit sphere along it. With probability p = E P / (E P + 1 - P)
    the report is a uniform point with t >= g, otherwise one with t < g; P is the share of the sphere with t >= g and E =
    e^epsilon. The mean height is A(g) = (E - 1) M / (E P + 1 - P) with M = C (1 - g^2)^((d-1)/2) / (d - 1), C = Gamma(d/2) /
    (sqrt(pi) Gamma((d-1)/2)); the threshold g solves A(g) = g, where A is largest. The report is (R / A) times the point:
    unbiased on the sphere of radius R, with the squared error R^2 (1/A^2 - 1) for every direction. At d = 64: g = .04985, .22913,
    .39251 and error 401.5, 18.05, 5.491 at epsilon 1, 5, 10.

    Domain
    ------
    `vector:D` from 2 to 65 536 coordinates. Any vector is moved to the sphere; a zero vector gets a uniform direction, so that
    its report is uniform and nothing shows that it was zero.

    Guarantee
    ---------
    Pure epsilon, tight: the density has two values, whose ratio is e^epsilon. Above epsilon 40 no more is spent.

    Cost
    ----
    4 bytes per coordinate; about one random word per coordinate.

    Numerics
    --------
    Stated for real arithmetic. The threshold is solved to about 1e-14, and e^epsilon is taken 1e-12 smaller, so that no error of
    the masses costs privacy. The height comes from its own one-dimensional law by rejection, the rest from normal numbers; 64-bit
    arithmetic moves a coordinate by less than 2^-40 of the report's length for up to 10 000 coordinates. The report is then rounded
    to multiples of a power of two that is between 2^-30 and 2^-29 of the report's length, which hides those last digits except
    where a coordinate lies within a thousandth of a step of the middle between two. Rounding moves the mean by less than one step.

    When not to use it
    ------------------
    Where the length of the vector matters, or an approximate guarantee is enough and d is far above epsilon squared.

    Reference
    ---------
    A. Bhowmick et al., "Protection against reconstruction and its applications in private federated learning", 2018; H. Asi, V.
    Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential privacy", ICML 2022. Deviations: one choice
    with the whole budget, and the best threshold found exactly.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.PrivUnit(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "privunit"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class PrivUnitG(Mechanism):
    """PrivUnitG: the direction of a vector, inside normal noise.


    What it protects
    ----------------
    The direction of a vector, for example an embedding or a gradient. Its length is replaced by a public one.

    Formula
    -------
    Let u be the direction and Q the tail of the normal law, phi its density. With probability p = E Q(g) / (E Q(g) + 1 - Q(g)) the
    height h is a normal number above g, otherwise one below; the point is h u and independent normal numbers at a right angle to
    it. The mean height is A(g) = (E - 1) phi(g) / (E Q(g) + 1 - Q(g)); the threshold g solves A(g) = g: .39746, 1.85064, 3.26006 at
    epsilon 1, 5, 10 in every dimension.

    `new` reports (R / A) times the point: unbiased on the sphere of radius R, squared error R^2 ((d - 1 + S)/A^2 - 1)
    with S the mean square of h. `normalized` divides the point by its length first and reports (R / A') times the
    result, with A' the mean height after the division: also unbiased, squared error R^2 (1/A'^2 - 1), which is smaller. At d = 64:
    A' = .04981, .2261, .3781 at epsilon 1, 5, 10.

    Domain
    ------
    `vector:D` from 2 to 65 536 coordinates. Any vector is moved to the sphere; a zero vector gets a uniform direction.

    Guarantee
    ---------
    Pure epsilon, tight: the density has two values against that of normal numbers, whose ratio is e^epsilon. Above epsilon 40 no more
    is spent.

    Cost
    ----
    4 bytes per coordinate; about one random word per coordinate. The threshold does not depend on the dimension.

    Numerics
    --------
    Stated for real arithmetic, as for `PrivUnit`. Reports of `new` are multiples of a power of two between 2^-30
    and 2^-29 of 16 + g standard deviations, and coordinates further out (probability below 1e-56) are moved there.

    When not to use it
    ------------------
    Almost always: `PrivUnit` has the smaller error in every dimension, most of all in few dimensions.

    Reference
    ---------
    H. Asi, V. Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential privacy", ICML 2022.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.PrivUnitG(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "privunit-g"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class PrivUnitGNormalized(Mechanism):
    """PrivUnitG: the direction of a vector, inside normal noise.


    What it protects
    ----------------
    The direction of a vector, for example an embedding or a gradient. Its length is replaced by a public one.

    Formula
    -------
    Let u be the direction and Q the tail of the normal law, phi its density. With probability p = E Q(g) / (E Q(g) + 1 - Q(g)) the
    height h is a normal number above g, otherwise one below; the point is h u and independent normal numbers at a right angle to
    it. The mean height is A(g) = (E - 1) phi(g) / (E Q(g) + 1 - Q(g)); the threshold g solves A(g) = g: .39746, 1.85064, 3.26006 at
    epsilon 1, 5, 10 in every dimension.

    `new` reports (R / A) times the point: unbiased on the sphere of radius R, squared error R^2 ((d - 1 + S)/A^2 - 1)
    with S the mean square of h. `normalized` divides the point by its length first and reports (R / A') times the
    result, with A' the mean height after the division: also unbiased, squared error R^2 (1/A'^2 - 1), which is smaller. At d = 64:
    A' = .04981, .2261, .3781 at epsilon 1, 5, 10.

    Domain
    ------
    `vector:D` from 2 to 65 536 coordinates. Any vector is moved to the sphere; a zero vector gets a uniform direction.

    Guarantee
    ---------
    Pure epsilon, tight: the density has two values against that of normal numbers, whose ratio is e^epsilon. Above epsilon 40 no more
    is spent.

    Cost
    ----
    4 bytes per coordinate; about one random word per coordinate. The threshold does not depend on the dimension.

    Numerics
    --------
    Stated for real arithmetic, as for `PrivUnit`. Reports of `new` are multiples of a power of two between 2^-30
    and 2^-29 of 16 + g standard deviations, and coordinates further out (probability below 1e-56) are moved there.

    When not to use it
    ------------------
    Almost always: `PrivUnit` has the smaller error in every dimension, most of all in few dimensions.

    Reference
    ---------
    H. Asi, V. Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential privacy", ICML 2022.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.PrivUnitGNormalized(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "privunit-g-normalized"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class CoordinateLaplace(Mechanism):
    """Coordinate-wise Laplace (CW): the budget is divided so that the whole squared error is smallest.


    What it protects
    ----------------
    A vector whose coordinates have different public ranges, for example several measurements of one person.

    Formula
    -------
    y_i = x_i + Laplace noise of scale b_i = L_i^(1/3) S / epsilon, where L_i = 2 R_i and S is the sum of all L_j^(2/3). So coordinate i
    spends epsilon L_i^(2/3) / S, and the squared error 2 (b_1^2 + .. + b_d^2) = 2 S^3 / epsilon^2 is the smallest for this box.
    Unbiased on the box.

    Domain
    ------
    `vector:D`. Each coordinate is clipped to its own range; without clipping no finite epsilon would hold.

    Guarantee
    ---------
    Pure epsilon, tight between opposite corners of the box.

    Cost
    ----
    4 bytes and about a dozen random words per coordinate.

    Numerics
    --------
    Integer-exact, as for `LaplaceVector`: coordinate i has N_i steps to either side, the noise has the scale 2^26 steps in each, and
    epsilon is the sum of all 2 N_i / 2^26 without rounding, less than d 2^-25 below the one that was asked for.

    When not to use it
    ------------------
    For directions and long vectors: the error grows with the cube of the dimension.

    Reference
    ---------
    G. Muthukrishnan, S. Kalyani, "Differential privacy with higher utility by exploiting coordinate-wise disparity", IEEE TIFS 2025.
    Deviation: with clipping, which the privacy needs.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.CoordinateLaplace(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "coordinate-laplace"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class SampledPiecewise(Mechanism):
    """Sampled coordinates: k of d coordinates, each with a k-th of the budget through an unbiased mechanism on numbers.


    What it protects
    ----------------
    A vector whose coordinates have public ranges, for example several measurements or the answers to a questionnaire.

    Formula
    -------
    k = max(1, min(d, floor(epsilon / 2.5))) coordinates are chosen, all subsets alike. Each, divided by its radius, goes through the
    mechanism on [-1, 1] at epsilon / k: `piecewise` (PM), `hybrid` (HM) or
    `minimax_unbiased`. The report is d / k times the result there and zero elsewhere. Unbiased on the box; the
    variance of a coordinate at x (in radii) is (d/k) (V(x) + x^2) - x^2 with V the variance of the mechanism on numbers.

    Domain
    ------
    `vector:D`. Each coordinate is clipped to its own range.

    Guarantee
    ---------
    Pure: k times the exact epsilon of the mechanism on numbers. Which coordinates were chosen is in the report and says nothing.

    Cost
    ----
    8 bytes for each chosen coordinate, however many there are; a few random words for each.

    Numerics
    --------
    Integer-exact: uniform subsets and integer weights.

    When not to use it
    ------------------
    Where the vector's length is bounded rather than each coordinate: `PrivUnit`.

    Reference
    ---------
    N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SampledPiecewise(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "sampled-piecewise"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class SampledHybrid(Mechanism):
    """Sampled coordinates: k of d coordinates, each with a k-th of the budget through an unbiased mechanism on numbers.


    What it protects
    ----------------
    A vector whose coordinates have public ranges, for example several measurements or the answers to a questionnaire.

    Formula
    -------
    k = max(1, min(d, floor(epsilon / 2.5))) coordinates are chosen, all subsets alike. Each, divided by its radius, goes through the
    mechanism on [-1, 1] at epsilon / k: `piecewise` (PM), `hybrid` (HM) or
    `minimax_unbiased`. The report is d / k times the result there and zero elsewhere. Unbiased on the box; the
    variance of a coordinate at x (in radii) is (d/k) (V(x) + x^2) - x^2 with V the variance of the mechanism on numbers.

    Domain
    ------
    `vector:D`. Each coordinate is clipped to its own range.

    Guarantee
    ---------
    Pure: k times the exact epsilon of the mechanism on numbers. Which coordinates were chosen is in the report and says nothing.

    Cost
    ----
    8 bytes for each chosen coordinate, however many there are; a few random words for each.

    Numerics
    --------
    Integer-exact: uniform subsets and integer weights.

    When not to use it
    ------------------
    Where the vector's length is bounded rather than each coordinate: `PrivUnit`.

    Reference
    ---------
    N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SampledHybrid(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "sampled-hybrid"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class SampledMinimaxUnbiased(Mechanism):
    """Sampled coordinates: k of d coordinates, each with a k-th of the budget through an unbiased mechanism on numbers.


    What it protects
    ----------------
    A vector whose coordinates have public ranges, for example several measurements or the answers to a questionnaire.

    Formula
    -------
    k = max(1, min(d, floor(epsilon / 2.5))) coordinates are chosen, all subsets alike. Each, divided by its radius, goes through the
    mechanism on [-1, 1] at epsilon / k: `piecewise` (PM), `hybrid` (HM) or
    `minimax_unbiased`. The report is d / k times the result there and zero elsewhere. Unbiased on the box; the
    variance of a coordinate at x (in radii) is (d/k) (V(x) + x^2) - x^2 with V the variance of the mechanism on numbers.

    Domain
    ------
    `vector:D`. Each coordinate is clipped to its own range.

    Guarantee
    ---------
    Pure: k times the exact epsilon of the mechanism on numbers. Which coordinates were chosen is in the report and says nothing.

    Cost
    ----
    8 bytes for each chosen coordinate, however many there are; a few random words for each.

    Numerics
    --------
    Integer-exact: uniform subsets and integer weights.

    When not to use it
    ------------------
    Where the vector's length is bounded rather than each coordinate: `PrivUnit`.

    Reference
    ---------
    N. Wang et al., "Collecting and analyzing multidimensional data with local differential privacy", ICDE 2019.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.SampledMinimaxUnbiased(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "sampled-minimax-unbiased"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


class Plan(Mechanism):
    """PLAN: more noise where the data vary more, by public standard deviations.


    What it protects
    ----------------
    A vector whose coordinates vary by different, publicly known amounts around a public centre.

    Formula
    -------
    Coordinate i, less the centre, is divided by w_i, the square root of its public standard deviation; the result is clipped to the L2
    ball of radius R, gets the noise of `GaussianVector`, and is multiplied by w_i again. The squared error is s^2 (w_1^2 + .. +
    w_d^2), with s the deviation for radius R. A typical vector has the scaled length sqrt(sum v_i^2 / w_i^2) for standard deviations v_i,
    and (sum w_i^2)(sum v_i^2 / w_i^2) is smallest for w_i^2 = v_i. Unbiased inside the ellipsoid.

    Domain
    ------
    `vector:D`. Vectors outside the ellipsoid with the half axes w_i R are moved towards its centre.

    Guarantee
    ---------
    (epsilon, delta) as for `GaussianVector`: centre and deviations are public, the scaling is the same for everybody.

    Cost
    ----
    4 bytes and about one random word per coordinate.

    Numerics
    --------
    As for `GaussianVector`, in units of the half axes.

    When not to use it
    ------------------
    Without a public sample that resembles the private data: wrong deviations cost accuracy, not privacy.

    Reference
    ---------
    M. Aumueller, C. Lebeda, B. Nelson, R. Pagh, "PLAN: variance-aware private mean estimation", PoPETs 2024. Deviations: for one vector
    at a time, with the analytic calibration, and centre, deviations and radius from a public sample.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.Plan(domain=privet.Vectors(3), epsilon=1.0, delta=1e-5)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "plan"

    def __init__(self, *, domain: Vectors, epsilon: float, delta: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, delta=delta, radius=radius)


class InstanceOptimal(Mechanism):
    """Instance-optimal mean estimation: rotate, shift by the median, clip, Gaussian noise, and back.


    What it protects
    ----------------
    A vector near a public centre.

    Formula
    -------
    After a random public rotation (signs, then a Hadamard transform) each coordinate is shifted by the median of a public sample; the
    result is clipped to the L2 ball of radius R, gets the noise of `GaussianVector`, and is shifted and rotated back.

    The noise and the ball look the same from every side, so that the rotation matters for one thing only: the medians are taken in
    rotated coordinates, where outliers of one coordinate are spread over all. Rotated back, they are a centre c. A report is therefore
    the vector, moved into the ball of radius R around c, plus noise: the same law, without a rotation on the device.

    Domain
    ------
    `vector:D`. Vectors outside the ball around the centre are moved towards it.

    Guarantee
    ---------
    (epsilon, delta) as for `GaussianVector`: the centre and the radius are public.

    Cost
    ----
    4 bytes and about one random word per coordinate.

    Numerics
    --------
    As for `GaussianVector`.

    When not to use it
    ------------------
    Without a public sample that resembles the private data: a wrong centre costs accuracy, not privacy.

    Reference
    ---------
    Z. Huang, Y. Liang, K. Yi, "Instance-optimal mean estimation under differential privacy", NeurIPS 2021. Deviations: for one vector at a
    time; medians and radius from a public sample instead of the private one.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.InstanceOptimal(domain=privet.Vectors(3), epsilon=1.0, delta=1e-5)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "instance-optimal"

    def __init__(self, *, domain: Vectors, epsilon: float, delta: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, delta=delta, radius=radius)


class TaskAwareLinear(Mechanism):
    """Task-aware linear mechanism: encodes what a public linear task needs, and decodes with the least task error.


    What it protects
    ----------------
    A vector that is collected for a known linear task W x, for example a regression, with a public mean and covariance.

    Formula
    -------
    Let u be the coordinates of the vector, less the mean, in which the data have covariance one and the task is diag(s): with the
    covariance L L^T, the singular values s and right vectors Q of W L, u = Q^T L^-1 (x - mean). The encoder clips u to the length R and
    sends y_i = a_i u_i with sum a_i^2 = 1, so that the absolute y_i add up to at most R, through `LaplaceVector`: noise of
    variance v = 8 R^2 / epsilon^2. The decoder takes a_i y_i / (a_i^2 + v), the best linear guess of u_i; the task error, without
    clipping, is the sum of s_i^2 v / (a_i^2 + v), smallest for a_i^2 = max(0, c s_i - v) with c such that they add up to one.
    Coordinates with a_i = 0 are not sent.

    Domain
    ------
    `vector:D`. Vectors with u longer than R are moved towards the mean.

    Guarantee
    ---------
    Pure epsilon, tight; that of the Laplace mechanism.

    Cost
    ----
    4 bytes and about a dozen random words for each coordinate that is sent.

    Numerics
    --------
    Integer-exact: the Laplace mechanism clips and counts in whole numbers whatever it is given.

    When not to use it
    ------------------
    For means: reports are drawn towards the public mean, by a_i^2 / (a_i^2 + v) in coordinate i, and lie in the space that the task sees.
    So they are biased, and the error of a vector far from the mean is large; the stated one is the average over the public moments.

    Reference
    ---------
    J. Cheng, A. Tang, S. Chinchali, "Task-aware privacy preservation for multi-dimensional data", ICML 2022. Deviations: moments from a
    public sample, and the encoder derived anew for clipping in the L2 norm.

    Example
    -------
    >>> import privet
    >>> mechanism = privet.TaskAwareLinear(domain=privet.Vectors(3), epsilon=1.0)
    >>> reports = mechanism.randomize([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(reports), reports.report_bytes == mechanism.report_bytes
    (3, True)
    >>> mechanism.guarantee.epsilon <= 1.0
    True
    """

    _id = "task-aware-linear"

    def __init__(self, *, domain: Vectors, epsilon: float, radius: float | None = None) -> None:
        super().__init__(domain=domain, epsilon=epsilon, radius=radius)


# The names that the papers use.
RR = RandomizedResponse
GRR = GeneralizedRandomizedResponse
KRR = GeneralizedRandomizedResponse
SUE = SymmetricUnaryEncoding
OUE = OptimizedUnaryEncoding
BLH = BinaryLocalHashing
OLH = OptimizedLocalHashing
SS = SubsetSelection
HR = HadamardResponse
EM = OrderedExponential
BLOOM = Rappor
CMS = CountMeanSketch
PEM = PrefixTree
OGPM = OptimalPiecewise
PM = Piecewise
SW = SquareWave
HM = Hybrid
AGM = GaussianVector
CW = CoordinateLaplace
IOME = InstanceOptimal

MECHANISMS: tuple[type[Mechanism], ...] = (
    RandomizedResponse,
    GeneralizedRandomizedResponse,
    SymmetricUnaryEncoding,
    OptimizedUnaryEncoding,
    BinaryLocalHashing,
    OptimizedLocalHashing,
    SubsetSelection,
    HadamardResponse,
    OrderedExponential,
    Rappor,
    CountMeanSketch,
    PrefixTree,
    OptimalPiecewise,
    OptimalPiecewiseSquared,
    OptimalPiecewiseUnbiased,
    Piecewise,
    PiecewiseCompressed,
    PiecewiseTruncated,
    SquareWave,
    SquareWaveBounded,
    SquareWaveCompressed,
    SquareWaveTruncated,
    Duchi,
    Hybrid,
    Laplace,
    LaplaceTruncated,
    LaplaceBounded,
    Staircase,
    Gaussian,
    GaussianProbabilistic,
    GridRandomizedResponse,
    GridExponential,
    OptimalPiecewiseCircle,
    OptimalPiecewiseCircleSquared,
    SquareWaveCircle,
    Purkayastha,
    SectorRandomizedResponse,
    SquareWindow,
    MinimaxAbsolute,
    MinimaxSquared,
    MinimaxUnbiased,
    LaplaceVector,
    GaussianVector,
    PrivUnit,
    PrivUnitG,
    PrivUnitGNormalized,
    CoordinateLaplace,
    SampledPiecewise,
    SampledHybrid,
    SampledMinimaxUnbiased,
    Plan,
    InstanceOptimal,
    TaskAwareLinear,
)
