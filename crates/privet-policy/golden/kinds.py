#!/usr/bin/env python3
"""Golden values for questions about places, paths and pairs, from the formulas alone.

Run: python3 kinds.py > kinds.json
"""

import json
import math
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60


def each_place(whole, places):
    """The largest floating-point number of which so many are not above the whole."""
    part = whole / places
    while Fraction(part) * places > Fraction(whole):
        part = math.nextafter(part, 0.0)
    while Fraction(math.nextafter(part, math.inf)) * places <= Fraction(whole):
        part = math.nextafter(part, math.inf)
    return part


def pair(users, colluders, epsilon, cap):
    """Both constraints with equality at a negative correlation, for an even number of people."""
    share = lambda e: Decimal(e).exp() / (1 + Decimal(e).exp())
    s, most = share(epsilon), share(cap)
    exposure = Decimal(colluders) / (users - 1)
    p = (s - exposure * most) / (1 - exposure)
    rho = 1 - most / p
    q = 1 - p
    high, low = (1 - rho) * p, q + rho * p
    hidden = 1 - exposure
    average = ((exposure * high + hidden * p) / (exposure * low + hidden * q)).ln()
    # The mean of the variance of the estimated number of ones over all numbers of ones, for pairs that cover everybody.
    spread = Decimal(users) * (users - 1) / 3 / (users - 1)
    variance = (users * p * q + rho * p * q * spread) / (p - q) ** 2
    ones = (s * (1 - s) * users) / (2 * s - 1) ** 2
    return {
        "users": users, "colluders": colluders, "epsilon": epsilon, "cap": cap, "truthful": float(p),
        "correlation": float(rho), "average": float(average), "exposed": float((high / low).ln()),
        "variance_ratio": float(variance / ones),
    }


def starts(index, side, cells, window):
    """The law of the first column of a window, for a coordinate that is uniform in one of `side` equal stretches."""
    law = {}
    ends = [Fraction(edge * cells, side) for edge in (index, index + 1)]
    # The window moves where the coordinate less half a window and plus one half passes a whole number.
    cuts = sorted({*ends, *[c for k in range(-cells, 2 * cells) for c in [Fraction(k) + Fraction(window, 2) - Fraction(1, 2)]
                            if ends[0] < c < ends[1]]})
    for low, high in zip(cuts, cuts[1:]):
        middle = (low + high) / 2
        start = math.floor(middle - Fraction(window, 2) + Fraction(1, 2))
        start = max(0, min(start, cells - window))
        law[start] = law.get(start, 0) + (high - low) / (ends[1] - ends[0])
    return law


def window_law(lattice, window, side, cell, epsilon):
    """The probability of each column and row from a cell, second coordinate running fastest."""
    weight = Decimal(epsilon).exp()
    total = lattice[0] * lattice[1] + (weight - 1) * window[0] * window[1]
    laws = [starts(cell[axis], side, lattice[axis], window[axis]) for axis in (0, 1)]
    inside = [[sum(p for start, p in laws[axis].items() if start <= k < start + window[axis]) for k in range(lattice[axis])]
              for axis in (0, 1)]
    exact = lambda f: Decimal(f.numerator) / Decimal(f.denominator) if isinstance(f, Fraction) else Decimal(f)
    return [float((1 + (weight - 1) * exact(inside[0][a]) * exact(inside[1][b])) / total)
            for a in range(lattice[0]) for b in range(lattice[1])]


def main():
    places = [{"whole": whole, "places": count, "each": each_place(whole, count)}
              for whole in (1.0, 0.7, 6.0, 0.1) for count in (1, 3, 7, 24, 1000)]
    pairs = [pair(20000, 5, 1.0, 2.0), pair(1000, 10, 0.5, 1.5), pair(100, 0, 2.0, 3.0)]
    window = {"lattice": [6, 4], "side": 2, "epsilon": 2.0, "laws": {}}
    for size in ([1, 1], [2, 1], [2, 2], [3, 2], [4, 3]):
        laws = [window_law(window["lattice"], size, 2, [cell % 2, cell // 2], 2.0) for cell in range(4)]
        window["laws"][f"{size[0]}x{size[1]}"] = laws
    print(json.dumps({"places": places, "pairs": pairs, "window": window}))


main()
