"""A classifier that is fed with reports: how often does it still give the label of the true record?"""

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import privet
import privet.plot


def main() -> Any:
    rng = np.random.default_rng(5)
    table = rng.random((500, 3))
    labels = (table[:, 0] + 0.5 * table[:, 1] > 0.8).astype(int)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(table, labels)

    rows = privet.classifier.quantify(
        tree,
        table[:20],
        sensitive=[0],
        mechanisms=["ogpm", "laplace-truncated"],
        epsilon=[1.0, 2.0, 4.0, 8.0],
        method="proof",
        beside=0,
    )
    for row in rows:
        print(f"{row.mechanism:22} epsilon {row.epsilon:g}: from {row.lower:.3f} to {row.upper:.3f}, {row.method}")
    return privet.plot.bands(rows)
