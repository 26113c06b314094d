"""What a classifier is still worth when its input is a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet._checks import between
from privet._mechanism import Guarantee
from privet.errors import ParameterError

__all__ = ["Row", "load_model", "model_of", "quantify"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One mechanism at one epsilon: ``lower <= truth <= upper``, where the truth is the mean probability that a report gets the
    label of its record."""

    mechanism: str
    epsilon: float
    """Of one sensitive feature."""
    lower: float
    upper: float
    empirical: float | None
    """The share among reports that were drawn beside a proof."""
    empirical_interval: tuple[float, float] | None
    method: str
    """``exact-linear``, ``exact-trees``, ``branch-and-bound`` or ``sampled``."""
    confidence: float
    """The probability that all bounds hold together. One is a proof."""
    total: Guarantee
    """What all sensitive features of a record promise together."""
    records: Floats
    """The bounds of each record."""
    worst: tuple[float, float]
    """The bounds of the record with the smallest probability."""
    share_reaches: tuple[float, float]
    """The largest probability that the asked share of the records reaches."""

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Row:
        pair = document["empirical_interval"]
        return cls(
            **{
                **document,
                "empirical_interval": None if pair is None else tuple(pair),
                "total": Guarantee(**document["total"]),
                "records": np.asarray(document["records"], dtype=np.float64),
                "worst": tuple(document["worst"]),
                "share_reaches": tuple(document["share_reaches"]),
            }
        )


def load_model(path: str | os.PathLike[str]) -> _privet.Model:
    """A model from a file: ONNX, safetensors, npz or JSON."""
    return _privet.Model.read(os.fspath(path))


def model_of(estimator: Any) -> _privet.Model | None:
    """The structure of a fitted scikit-learn classifier, or None if it has none that can be read.

    Linear models, decision trees and random or extra forests are read. scikit-learn rounds inputs of trees to 32 bits; the
    model that is proved about does not, which matters only for values within that rounding of a threshold.
    """
    if isinstance(estimator, _privet.Model):
        return estimator
    if hasattr(estimator, "coef_") and hasattr(estimator, "intercept_") and hasattr(estimator, "classes_"):
        weights = np.atleast_2d(np.asarray(estimator.coef_, dtype=np.float64))
        intercepts = np.atleast_1d(np.asarray(estimator.intercept_, dtype=np.float64))
        return _privet.Model.linear(weights.tolist(), np.broadcast_to(intercepts, len(weights)).tolist())
    members = getattr(estimator, "estimators_", None)
    is_forest = "Forest" in type(estimator).__name__ or "ExtraTrees" in type(estimator).__name__
    if members is not None and is_forest and hasattr(estimator, "classes_"):
        return _trees(list(np.ravel(members)), len(estimator.classes_))
    if hasattr(estimator, "tree_") and hasattr(estimator, "classes_"):
        return _trees([estimator], len(estimator.classes_))
    return None


def _trees(members: list[Any], classes: int) -> _privet.Model:
    trees = []
    for member in members:
        tree = member.tree_
        votes = np.asarray(tree.value, dtype=np.float64)[:, 0, :]
        shares = votes / votes.sum(axis=1, keepdims=True)
        # Of two classes one score says it all: more than a half is the second one, and a tie the first, as scikit-learn has it.
        shares = shares[:, 1:] if classes == 2 else shares
        arrays = (tree.children_left, tree.children_right, tree.feature, tree.threshold)
        trees.append((*(np.asarray(array).tolist() for array in arrays), shares.tolist()))
    return _privet.Model.trees(int(members[0].tree_.n_features), trees, True, [0.0] * shares.shape[1], 0.5)


def _function(classifier: Any) -> Callable[[Floats], list[int]]:
    """Labels of a table as whole numbers from 0, whatever the classifier calls its classes."""
    predict = getattr(classifier, "predict", classifier)
    if not callable(predict):
        raise ParameterError("a classifier is a function, or has predict", code="classifier-method")
    known: dict[object, int] = {}

    def labels(rows: Floats) -> list[int]:
        answers = np.asarray(predict(rows))
        if answers.ndim == 2 and answers.shape[1] > 1:
            answers = answers.argmax(axis=1)
        return [known.setdefault(answer, len(known)) for answer in np.ravel(answers).tolist()]

    return labels


def quantify(
    classifier: Any,
    records: npt.ArrayLike,
    *,
    sensitive: Sequence[int],
    mechanisms: str | Sequence[str],
    epsilon: float | Sequence[float],
    delta: float | None = None,
    indicator: float | None = None,
    method: Literal["auto", "proof", "samples"] = "auto",
    samples: int = 20_000,
    beside: int = 2_000,
    confidence: float = 0.999,
    tolerance: float = 1e-5,
    clamp: bool = False,
    share: float = 0.95,
    insecure_seed: int | None = None,
) -> list[Row]:
    """Bounds of the probability that a report gets the label of its record.

    ``classifier`` is a fitted scikit-learn classifier, a model of ``load_model``, or any function that gives a label for each row of a
    table. Where its structure is known (linear models, trees, forests, networks of files) the bounds are proved; otherwise they
    come from drawn reports, with one confidence for all. ``records`` is a table; ``sensitive`` are the columns that are
    randomised, which lie in [0, 1] (``clamp`` moves them there). Epsilon is that of one sensitive feature.
    """
    table = np.atleast_2d(np.asarray(records, dtype=np.float64))
    if table.ndim != 2:
        raise ParameterError("records are a table", code="classifier-arity")
    question = {
        "records": table.tolist(),
        "sensitive": [int(feature) for feature in sensitive],
        "mechanisms": [mechanisms] if isinstance(mechanisms, str) else list(mechanisms),
        "epsilons": [float(one) for one in np.atleast_1d(np.asarray(epsilon, dtype=np.float64))],
        "delta": delta,
        "indicator": indicator,
        "method": method,
        "samples": between("samples", samples, 1, 10**8),
        "beside": between("beside", beside, 0, 10**8),
        "confidence": confidence,
        "tolerance": tolerance,
        "clamp": clamp,
        "share": share,
        "insecure_seed": insecure_seed,
    }
    model = model_of(classifier)
    if model is not None:
        rows = _privet.quantify(question, model)
    else:
        rows = _privet.quantify(question, None, _function(classifier), table.shape[1])
    return [Row._of(row) for row in rows]
