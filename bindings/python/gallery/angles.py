"""Angles: the time of day lies on a circle, where 23:30 and 0:30 are neighbours."""

from typing import Any

import numpy as np
from seeds import SEED

import privet
import privet.plot


def main() -> Any:
    hours = np.random.default_rng(3).vonmises(0.2, 2.0, 20_000) * 12 / np.pi % 24

    mechanism = privet.OptimalPiecewiseCircle(domain=privet.Circle(24), epsilon=2.0)
    reports = mechanism.randomize(hours, insecure_seed=SEED)
    found = mechanism.estimator().fit(reports, insecure=True)
    middle = found.direction()
    print(f"people go to bed around {middle.value:.2f}, 95 % from {middle.interval[0]:.2f} to {middle.interval[1]:.2f}")
    print(f"the plain mean of the hours, {hours.mean():.1f}, is in the middle of the day")
    print(f"worst expected error of one report: {mechanism.error('absolute').error:.2f} hours")
    return privet.plot.density(mechanism, [0.0, 8.0, 20.0])
