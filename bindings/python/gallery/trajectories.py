"""Trajectories: paths through a town, each place perturbed on its own, and the map that is left."""

from typing import Any

import numpy as np
from seeds import SEED

import privet
import privet.plot


def main() -> Any:
    rng = np.random.default_rng(4)
    town = privet.Rectangle(0, 10, 0, 10)
    starts = rng.normal([3.0, 4.0], 0.8, (300, 1, 2))
    paths = np.clip(starts + rng.normal(0.15, 0.2, (300, 20, 2)).cumsum(axis=1), 0, 10)

    method = privet.trajectory.Method("window-2d", space=town, epsilon=2.0)
    reports = method.perturb(list(paths), insecure_seed=SEED)
    smooth = method.smooth(reports, reach=1.0)
    for name, read in (("reports", reports), ("smoothed", smooth)):
        measured = privet.trajectory.metrics(town, list(paths), read, within=1.0)
        print(f"{name:8} are {measured['average_error']:.2f} from the truth on average")
    shares = method.density(reports, cells=10)
    print(f"share of all places in the east: {shares[5:].sum():.2f}; truth {(paths[..., 0] >= 5).mean():.2f}")
    return privet.plot.map(shares, extent=(0, 10, 0, 10), paths=list(paths[:5]))
