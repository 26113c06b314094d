"""A survey: how do people get to work? Nobody's answer is known, the shares are."""

from typing import Any

import numpy as np
from seeds import SEED

import privet
import privet.plot


def main() -> Any:
    ways = ["walk", "bicycle", "bus", "car", "train"]
    truth = [0.20, 0.15, 0.25, 0.30, 0.10]
    answers = np.random.default_rng(1).choice(ways, size=20_000, p=truth)

    mechanism = privet.OUE(domain=privet.Categories(ways), epsilon=1.0)
    reports = mechanism.randomize(answers, insecure_seed=SEED)
    shares = mechanism.estimator().fit(reports, insecure=True).frequencies()

    for way in ways:
        found = shares[way]
        print(f"{way:8} {found.value:.3f} from {found.interval[0]:.3f} to {found.interval[1]:.3f}")
    print("most frequent:", ", ".join(shares.top(2)))
    return privet.plot.frequencies(shares, truth=truth)
