"""Sensors: the mean and the distribution of temperatures, each reported once."""

from typing import Any

import numpy as np
from seeds import SEED

import privet
import privet.plot


def main() -> Any:
    degrees = np.clip(np.random.default_rng(2).normal(21.0, 4.0, 20_000), 0, 40)
    room = privet.Interval(0, 40)

    # Unbiased reports for the mean, and a window around the value for the distribution.
    for_mean = privet.PM(domain=room, epsilon=1.0)
    reports = for_mean.randomize(degrees[:10_000], insecure_seed=SEED)
    mean = for_mean.estimator().fit(reports, insecure=True).mean()
    print(f"mean {mean.value:.2f}, 95 % from {mean.interval[0]:.2f} to {mean.interval[1]:.2f}; truth {degrees[:10_000].mean():.2f}")

    for_shape = privet.SW(domain=room, epsilon=2.0)
    reports = for_shape.randomize(degrees[10_000:], insecure_seed=SEED)
    shape = for_shape.estimator().fit(reports, insecure=True)
    print("quartiles", " ".join(f"{value:.1f}" for value in shape.quantiles().values))
    print(f"warmer than 25 degrees: {shape.share(25, 40).value:.3f}; truth {(degrees[10_000:] > 25).mean():.3f}")
    return privet.plot.distribution(shape.distribution(bins=40), truth=degrees[10_000:])
