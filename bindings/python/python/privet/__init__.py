"""Local differential privacy: randomise values on the device, estimate statistics from the reports.

>>> import privet
>>> mechanism = privet.OptimalPiecewise(domain=privet.Interval(0, 1), epsilon=1.0)
>>> reports = mechanism.randomize([0.3] * 10_000)
>>> mean = mechanism.estimator().fit(reports).mean()
>>> abs(mean.value - 0.3) < 0.1
True
"""

from __future__ import annotations

from privet import _privet, classifier, errors, joint, reshape, trajectory
from privet._mechanism import Error, Guarantee, Info, Mechanism
from privet.domains import Binary, Categories, Circle, Domain, Interval, Rectangle, Vectors, Words
from privet.errors import *
from privet.estimates import Density, Direction, Distribution, Estimate, Frequencies, MeanVector, Quantiles
from privet.estimators import Estimator, Summary
from privet.mechanisms import *
from privet.mechanisms import MECHANISMS
from privet.optimal import Solution, SolvedMechanism, advise, optimize
from privet.policy import Answer, Client, Policy, PolicySummary
from privet.reports import Reports

__version__: str = _privet.version


def mechanisms() -> list[Info]:
    """What is said about every mechanism, as ``privet mechanisms --json``."""
    return [Info._of(row) for row in _privet.registry_rows()]
