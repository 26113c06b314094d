"""A second derivation of Privet's categorical mechanisms, in Python and in whole numbers.

Run as `python reference.py > categorical.txt` (Python 3.11; imports mpmath and blake3). The output is the same on
every run and on every machine. It was written from the formulas on the mechanisms' pages, not from their Rust code:
where the two disagree, the tests that read the file fail. From the Rust code come only conventions that no formula
fixes: the order in which random words are taken, byte widths, and the names that enter a hash.

Conventions
    A row of weights adds up to 2^64. A threshold t is a probability t / 2^64: a random word u succeeds if u < t.
    Epsilon is the 64-bit floating-point number nearest to what the file spells; everything else is exact.
    Random words come from splitmix64; the file states its seed. Besides ordinary seeds there are *edge* seeds, found
    by running splitmix64 backwards, for which the deciding word lies right at a border of two outcomes (the last
    word that succeeds, the first that fails, ..) or makes a bounded draw reject.

Records of the output, one a line, fields separated by `|`; lines that begin with `#` are comments
    weights|id|domain|epsilon|name=integer,..
    support|id|domain|epsilon|P(own category is supported)|P(another one is), 20 significant digits each
    report|id|domain|epsilon|splitmix64 seed|input|encoded report in hexadecimal|random words taken
    mass|ordered-exponential|domain|epsilon|x|y|P(y given x) at scale epsilon, 20 significant digits; the
        mechanism finds its scale to within one part in 10^9, so P may differ by a relative 10^-9 times epsilon
"""

import sys
from decimal import Context, Decimal, ROUND_HALF_EVEN
from fractions import Fraction
from math import floor

from blake3 import blake3
from mpmath import mp, mpf

mp.prec = 300

WORDS = 1 << 64  # How many values a random word has, and the total of every row of weights.
MASK = WORDS - 1

EPSILONS = ["0.1", "1", "4"]
DOMAINS = {"binary": 2, "categories:5": 5, "categories:65": 65, "categories:128": 128}
WORD_DOMAIN, LONGEST_WORD = "words:8", 8
# So large that the low weight is one, the smallest there is: 2^64 / e^45 is below one.
EXTREMES = [("generalized-randomized-response", "categories:5", "45")]
WORD_INPUTS = ["a", "oak", "privet", "hawthorn", "äöü"]


# ---------------------------------------------------------------------------------------------- random words

GAMMA, FIRST_FACTOR, SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(state):
    """splitmix64's output for a state. A bijection of 64-bit words."""
    state = (state ^ (state >> 30)) * FIRST_FACTOR & MASK
    state = (state ^ (state >> 27)) * SECOND_FACTOR & MASK
    return state ^ (state >> 31)


def undo_shift(value, shift):
    """The z for which z ^ (z >> shift) is `value`."""
    result = value
    for _ in range(64 // shift):
        result = value ^ (result >> shift)
    return result


def unmix(output):
    """The state that `mix` turns into `output`."""
    state = undo_shift(output, 31) * pow(SECOND_FACTOR, -1, WORDS) & MASK
    state = undo_shift(state, 27) * pow(FIRST_FACTOR, -1, WORDS) & MASK
    return undo_shift(state, 30)


def seed_with(word, position):
    """The seed whose random word number `position` (the first is 1) is `word`."""
    return (unmix(word) - position * GAMMA) & MASK


class RandomWords:
    """splitmix64. Remembers how many words were taken, and which ones decided what."""

    def __init__(self, seed):
        self.seed = seed
        self.taken = 0
        self.decisions = []

    def next(self, purpose=None):
        self.taken += 1
        word = mix((self.seed + self.taken * GAMMA) & MASK)
        self.decisions.append((purpose, word))
        return word


# ---------------------------------------------------------------------------------------------- exact samplers


def bernoulli(threshold, words):
    """True with probability threshold / 2^64."""
    return words.next("bernoulli") < threshold


def below(bound, words):
    """A uniform integer below `bound` (Lemire): the high half of word times bound. Low halves below 2^64 mod bound
    are drawn again; after that every result has the same number of words."""
    while True:
        product = words.next("below") * bound
        if product % WORDS >= WORDS % bound:
            return product // WORDS


def bernoulli_lanes(threshold, words):
    """Sixty-four Bernoulli bits. Lane i is a 64-bit number whose digits, highest first, are bit i of the words; the
    result has a one where it is below the threshold. Stops as soon as that is known for every lane."""
    numbers = [0] * 64
    result = None
    for digits in range(65):
        # With this many digits known, a lane's number lies in [first, first + width).
        width = 1 << (64 - digits)
        firsts = [number * width for number in numbers]
        certain = [first + width <= threshold or first >= threshold for first in firsts]
        if all(certain):
            result = sum(1 << lane for lane, first in enumerate(firsts) if first < threshold)
            break
        word = words.next("lanes")
        numbers = [2 * number + (word >> lane & 1) for lane, number in enumerate(numbers)]
    return result


def subset(count, size, words):
    """A uniform subset of `size` of the numbers below `count`, in increasing order (Floyd)."""
    chosen = set()
    for last in range(count - size, count):
        candidate = below(last + 1, words)
        chosen.add(last if candidate in chosen else candidate)
    return sorted(chosen)


class Row:
    """k-ary randomised response: one outcome of weight `high`, `count - 1` of weight `low`."""

    def __init__(self, count, exp):
        self.count = count
        self.low = ceiling(WORDS / (exp + count - 1))
        self.high = WORDS - (count - 1) * self.low
        # The ratio is at most e^epsilon, and would not be with a smaller low weight.
        assert self.low < self.high <= exp * self.low
        assert WORDS - (count - 1) * (self.low - 1) > exp * (self.low - 1)

    def draw(self, peak, words):
        word = words.next("row")
        if word < self.high:
            return peak
        others = [outcome for outcome in range(self.count) if outcome != peak]
        return others[(word - self.high) // self.low]

    def edges(self):
        """The last word of the peak, the first and last ones of its neighbours, and the last of all."""
        edges = [self.high - 1, self.high, self.high + self.low - 1]
        if self.count > 2:
            edges += [self.high + self.low, MASK]
        return [("row", word) for word in dict.fromkeys(edges)]


def exp(epsilon, divisor=1):
    """e^(epsilon / divisor) to 300 bits, where epsilon is the double that the text names."""
    return mp.exp(mpf(float(epsilon)) / divisor)


def ceiling(value):
    """The ceiling of an irrational number, which must not be so near to an integer that 300 bits could err."""
    assert abs(value - mp.nint(value)) > mpf(2) ** -100
    return int(mp.ceil(value))


# ---------------------------------------------------------------------------------------------- hash families


class SeededHash:
    """The high 33 - u bits of (a v + b) mod 2^32, for keys v of u bits, cut into buckets: the value h of 2^l goes to
    bucket floor(h g / 2^l). The seed's low half is a, its high half b."""

    def __init__(self, keys, buckets):
        key_bits = (keys - 1).bit_length()
        self.high_bits = 33 - key_bits
        self.buckets = min(buckets, 1 << (self.high_bits - 4))

    def bucket(self, seed, key):
        a, b = seed % 2**32, seed // 2**32
        high = (a * key + b) % 2**32 // 2 ** (32 - self.high_bits)
        return high * self.buckets // 2**self.high_bits

    def same_bucket(self):
        """The probability over seeds that two different keys share a bucket: their high bits are independent and
        uniform, so it is the sum of the squared shares of the buckets."""
        values = 2**self.high_bits
        # Bucket y holds the h with y <= h g / 2^l < y + 1.
        firsts = [-(-y * values // self.buckets) for y in range(self.buckets + 1)]
        sizes = [after - first for first, after in zip(firsts, firsts[1:])]
        assert sum(sizes) == values and max(sizes) - min(sizes) <= 1
        return Fraction(sum(size * size for size in sizes), values * values)


class RowHash:
    """The high half of a k_low + b k_high + c mod 2^64 of the mixed key, cut into buckets; a, b, c from BLAKE3."""

    def __init__(self, purpose, row):
        material = purpose.encode() + row.to_bytes(4, "little")
        numbers = blake3(material, derive_key_context="privet 2026 public hash rows").digest(length=24)
        self.a, self.b, self.c = (int.from_bytes(numbers[at : at + 8], "little") for at in (0, 8, 16))

    @staticmethod
    def mix(word):
        """The finaliser of splitmix64, which is one-to-one."""
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORDS
        word = (word ^ word >> 27) * 0x94D049BB133111EB % WORDS
        return word ^ word >> 31

    def bucket(self, key, buckets):
        key = self.mix(key)
        value = (self.a * (key % 2**32) + self.b * (key // 2**32) + self.c) % WORDS
        return value // 2**32 * buckets // 2**32


# ---------------------------------------------------------------------------------------------- encodings


def index_bytes(index, count):
    """An index below `count` in as few whole bytes as hold ceil(log2 count) bits, little-endian."""
    bits = max(1, (count - 1).bit_length())
    return index.to_bytes((bits + 7) // 8, "little")


def bit_bytes(ones, length):
    """A string of `length` bits, given by the positions of its ones; bit 0 is the lowest bit of the first byte."""
    number = sum(1 << position for position in ones)
    return number.to_bytes((length + 7) // 8, "little")


# ---------------------------------------------------------------------------------------------- mechanisms
#
# Each has `weights` (a dictionary), `report(input, words)` (the encoded report) and `edges()` (what words to provoke);
# frequency oracles also have `support`, a pair of exact fractions.


class RandomizedResponse:
    """P(x) = e^epsilon / (e^epsilon + k - 1), P(any other) = 1 / (e^epsilon + k - 1)."""

    def __init__(self, count, epsilon):
        self.count = count
        self.row = Row(count, exp(epsilon))
        self.weights = {"high": self.row.high, "low": self.row.low}
        self.support = Fraction(self.row.high, WORDS), Fraction(self.row.low, WORDS)

    def report(self, x, words):
        return index_bytes(self.row.draw(x, words), self.count)

    def edges(self):
        return self.row.edges()


class NoisyBits:
    """Independent bits: those of `set` are one with threshold `set_threshold`, the others with `unset_threshold`.

    Order of draws: all bits as if unset, 64 lanes at a time; then one word for each set bit, in the given order."""

    def __init__(self, length, set_threshold, unset_threshold):
        self.length = length
        self.set_threshold = set_threshold
        self.unset_threshold = unset_threshold
        self.weights = {"set": set_threshold, "unset": unset_threshold}

    def draw(self, truly_set, words):
        ones = set()
        for group in range(0, self.length, 64):
            lanes = bernoulli_lanes(self.unset_threshold, words)
            ones |= {group + lane for lane in range(64) if lanes >> lane & 1 and group + lane < self.length}
        for position in truly_set:
            ones.discard(position)
            if bernoulli(self.set_threshold, words):
                ones.add(position)
        return bit_bytes(ones, self.length)

    def edges(self):
        """The last word that makes a set bit one, and the first that does not."""
        return [("bernoulli", self.set_threshold - 1), ("bernoulli", self.set_threshold)]


class UnaryEncoding:
    def __init__(self, count, set_threshold, unset_threshold):
        self.bits = NoisyBits(count, set_threshold, unset_threshold)
        self.weights = self.bits.weights
        self.support = Fraction(set_threshold, WORDS), Fraction(unset_threshold, WORDS)

    def report(self, x, words):
        return self.bits.draw([x], words)

    def edges(self):
        return self.bits.edges()


def symmetric_unary_encoding(count, epsilon):
    """Every bit is flipped with probability 1 / (1 + e^(epsilon/2))."""
    flip = Row(2, exp(epsilon, 2))
    return UnaryEncoding(count, flip.high, flip.low)


def optimized_unary_encoding(count, epsilon):
    """The own bit is a fair coin, another one is one with probability 1 / (1 + e^epsilon)."""
    return UnaryEncoding(count, WORDS // 2, Row(2, exp(epsilon)).low)


class LocalHashing:
    """A seed and the bucket of x under it, through k-ary randomised response over the buckets."""

    def __init__(self, count, epsilon, buckets):
        self.hash = SeededHash(count, buckets)
        self.row = Row(self.hash.buckets, exp(epsilon))
        self.weights = {"buckets": self.row.count, "high": self.row.high, "low": self.row.low}
        high, low, same = Fraction(self.row.high, WORDS), Fraction(self.row.low, WORDS), self.hash.same_bucket()
        # Another category is supported if it shares the own one's bucket and that is reported, or if it has a
        # different bucket and just that is reported.
        self.support = high, same * high + (1 - same) * low

    def report(self, x, words):
        seed = words.next()
        bucket = self.row.draw(self.hash.bucket(seed, x), words)
        return seed.to_bytes(8, "little") + index_bytes(bucket, self.row.count)

    def edges(self):
        return self.row.edges()


def best_bucket_count(epsilon):
    """The number of buckets g with the least variance of a rare category's frequency, q (1 - q) / (p - q)^2 with
    p = e^epsilon / (e^epsilon + g - 1) and q = 1 / g."""
    e = exp(epsilon)

    def variance(g):
        p, q = e / (e + g - 1), mpf(1) / g
        return q * (1 - q) / (p - q) ** 2

    best = min(range(2, 4 * int(e) + 8), key=variance)
    assert best in (max(2, floor(e + 1)), floor(e + 1) + 1)
    return best


class SubsetSelection:
    """A subset of w categories. Those with x are e^epsilon times as likely as those without:
    P(x in subset) = w e^epsilon / (w e^epsilon + k - w), rounded down."""

    def __init__(self, count, epsilon):
        e = exp(epsilon)

        def variance(w):
            own = w * e / (w * e + count - w)
            other = (own * (w - 1) + (1 - own) * w) / (count - 1)
            # Of all categories together: one is a person's own, and the others are not.
            return (own * (1 - own) + (count - 1) * other * (1 - other)) / (own - other) ** 2

        self.count = count
        self.size = min(range(1, count), key=variance)
        assert abs(self.size - count / (e + 1)) <= 1
        # Rounding the inclusion down is rounding the exclusion up.
        self.include = WORDS - ceiling(WORDS * (count - self.size) / (self.size * e + count - self.size))
        self.weights = {"size": self.size, "include": self.include}
        own = Fraction(self.include, WORDS)
        # Of the k - 1 others, w - 1 are in the subset if the truth is, and w if it is not.
        self.support = own, (own * (self.size - 1) + (1 - own) * self.size) / (count - 1)

    def report(self, x, words):
        include = bernoulli(self.include, words)
        others = [category for category in range(self.count) if category != x]
        chosen = [others[rank] for rank in subset(self.count - 1, self.size, words)]
        leaving = below(self.size, words)
        if include:
            chosen[leaving] = x
        return bit_bytes(chosen, self.count)

    def edges(self):
        edges = [("bernoulli", self.include - 1), ("bernoulli", self.include)]
        if self.count > 2:
            # Rejected unless the bound is a power of two; and the largest result.
            edges += [("below", 0), ("below", MASK)]
        return edges


class HadamardResponse:
    """An index below the power of two above k; with probability e^epsilon / (1 + e^epsilon) one that has an even
    number of one bits in common with x + 1."""

    def __init__(self, count, epsilon):
        self.row = Row(2, exp(epsilon))
        self.index_bits = count.bit_length()
        assert count < 2**self.index_bits <= 2 * count
        self.weights = {"high": self.row.high, "low": self.row.low}
        # Two different rows of the matrix agree on half of the places where one of them is +1.
        self.support = Fraction(self.row.high, WORDS), Fraction(1, 2)

    def report(self, x, words):
        agree = bernoulli(self.row.high, words)
        index = words.next() // 2 ** (64 - self.index_bits)
        is_even = ((x + 1) & index).bit_count() % 2 == 0
        if is_even != agree:
            lowest = min(bit for bit in range(self.index_bits) if x + 1 >> bit & 1)
            index ^= 1 << lowest
        return index_bytes(index, 2**self.index_bits)

    def edges(self):
        return [("bernoulli", self.row.high - 1), ("bernoulli", self.row.high)]


class Rappor:
    """A cohort out of 64 and a Bloom filter of two blocks of 64 bits, each bit flipped with probability
    1 / (1 + e^a), a = epsilon / (2 h), h = 2 hash functions."""

    COHORTS, HASHES, BLOCK = 64, 2, 64
    ROWS = [RowHash("rappor", row) for row in range(COHORTS * HASHES)]

    def __init__(self, _count, epsilon):
        flip = Row(2, exp(epsilon, 2 * self.HASHES))
        self.bits = NoisyBits(self.HASHES * self.BLOCK, flip.high, flip.low)
        self.weights = self.bits.weights

    def report(self, x, words):
        cohort = words.next() % self.COHORTS
        rows = self.ROWS[cohort * self.HASHES :][: self.HASHES]
        positions = [block * self.BLOCK + row.bucket(x, self.BLOCK) for block, row in enumerate(rows)]
        return cohort.to_bytes(2, "little") + self.bits.draw(positions, words)

    def edges(self):
        return self.bits.edges()


class CountMeanSketch:
    """A row out of 256 and optimised unary encoding of the bucket, out of 1024, that x has in it."""

    ROW_COUNT, WIDTH = 256, 1024
    ROWS = [RowHash("count-mean-sketch", row) for row in range(ROW_COUNT)]

    def __init__(self, _count, epsilon):
        self.bits = NoisyBits(self.WIDTH, WORDS // 2, Row(2, exp(epsilon)).low)
        self.weights = self.bits.weights

    def report(self, x, words):
        row = words.next() % self.ROW_COUNT
        bucket = self.ROWS[row].bucket(x, self.WIDTH)
        return row.to_bytes(2, "little") + self.bits.draw([bucket], words)

    def edges(self):
        return self.bits.edges()


class PrefixTree:
    """A prefix length, a row out of 4096, and the bucket of the prefix (padded with zero bytes) in that row through
    k-ary randomised response."""

    ROW_COUNT, MOST_BUCKETS = 4096, 64
    ROWS = [RowHash("prefix-tree", row) for row in range(ROW_COUNT)]

    def __init__(self, longest, epsilon):
        self.longest = longest
        self.row = Row(min(best_bucket_count(epsilon), self.MOST_BUCKETS), exp(epsilon))
        self.weights = {"buckets": self.row.count, "high": self.row.high, "low": self.row.low}

    def report(self, word, words):
        level = below(self.longest, words)
        row = words.next() % self.ROW_COUNT
        prefix = word.encode().ljust(self.longest, b"\0")[: level + 1]
        key = int.from_bytes(blake3(prefix).digest()[:8], "little")
        bucket = self.row.draw(self.ROWS[row].bucket(key, self.row.count), words)
        return bytes([level]) + row.to_bytes(2, "little") + index_bytes(bucket, self.row.count)

    def edges(self):
        return self.row.edges() + [("below", 0), ("below", MASK)]


MECHANISMS = {
    "randomized-response": RandomizedResponse,
    "generalized-randomized-response": RandomizedResponse,
    "symmetric-unary-encoding": symmetric_unary_encoding,
    "optimized-unary-encoding": optimized_unary_encoding,
    "binary-local-hashing": lambda count, epsilon: LocalHashing(count, epsilon, 2),
    "optimized-local-hashing": lambda count, epsilon: LocalHashing(count, epsilon, best_bucket_count(epsilon)),
    "subset-selection": SubsetSelection,
    "hadamard-response": HadamardResponse,
    "rappor": Rappor,
    "count-mean-sketch": CountMeanSketch,
}


# ---------------------------------------------------------------------------------------------- the golden file


def digits(value):
    """A number in (0, 1) with 20 significant digits, rounded half to even."""
    context = Context(prec=20, rounding=ROUND_HALF_EVEN)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{decimal:.{19 - decimal.adjusted()}f}"


def exact(value):
    """An mpmath number as the fraction that it is."""
    sign, mantissa, exponent, _ = value._mpf_
    assert sign == 0
    return Fraction(int(mantissa)) * Fraction(2) ** exponent


def edge_seed(mechanism, x, edge):
    """A seed with which the wanted word is drawn for the wanted purpose, if there is one: its position in the stream
    is the only thing that is free."""
    _, word = edge
    for position in range(1, 200):
        words = RandomWords(seed_with(word, position))
        mechanism.report(x, words)
        if words.decisions[position - 1 : position] == [edge]:
            return words.seed
    return None


def report_line(head, mechanism, x, seed):
    words = RandomWords(seed)
    report = mechanism.report(x, words)
    return f"report|{head}|{seed}|{x}|{report.hex()}|{words.taken}"


def lines_of(name, domain, epsilon, mechanism, inputs, plain_seeds, counter):
    """Weights, support, and reports for every input; then the edges, going round the inputs."""
    head = f"{name}|{domain}|{epsilon}"
    yield f"weights|{head}|" + ",".join(f"{key}={value}" for key, value in mechanism.weights.items())
    if hasattr(mechanism, "support"):
        yield f"support|{head}|" + "|".join(digits(probability) for probability in mechanism.support)
    for x in inputs:
        for _ in range(plain_seeds):
            yield report_line(head, mechanism, x, next(counter))
    for number, edge in enumerate(mechanism.edges()):
        x = inputs[number % len(inputs)]
        seed = edge_seed(mechanism, x, edge)
        if seed is not None:
            yield report_line(head, mechanism, x, seed)


def chosen_categories(count):
    """The first, a middle and the last one; both, if there are two."""
    return sorted({0, count // 2, count - 1})


def masses(count, epsilon):
    """P(y given x) proportional to e^(-epsilon |x - y| / (k - 1)): the largest scale that keeps epsilon is epsilon."""
    step = mpf(float(epsilon)) / (count - 1)
    for x in range(count) if count <= 5 else chosen_categories(count):
        row = [mp.exp(-step * abs(x - y)) for y in range(count)]
        ys = range(count) if count <= 5 else sorted({0, 1, count // 2 - 1, count // 2, count - 2, count - 1})
        for y in ys:
            yield x, y, row[y] / mp.fsum(row)


def golden_lines():
    counter = iter(range(1, 1 << 20))
    yield "# Made by reference.py, which also says what the fields mean. Do not edit."
    cases = [(name, domain, epsilon) for name in MECHANISMS for domain in DOMAINS for epsilon in EPSILONS]
    for name, domain, epsilon in cases + EXTREMES:
        count = DOMAINS[domain]
        if name != "randomized-response" or count == 2:
            mechanism = MECHANISMS[name](count, epsilon)
            yield from lines_of(name, domain, epsilon, mechanism, chosen_categories(count), 2, counter)
    for epsilon in EPSILONS:
        mechanism = PrefixTree(LONGEST_WORD, epsilon)
        yield from lines_of("prefix-tree", WORD_DOMAIN, epsilon, mechanism, WORD_INPUTS, 5, counter)
    for domain, count in DOMAINS.items():
        for epsilon in EPSILONS:
            for x, y, mass in masses(count, epsilon):
                yield f"mass|ordered-exponential|{domain}|{epsilon}|{x}|{y}|{digits(exact(mass))}"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print("\n".join(golden_lines()))
