"""What a classifier is still worth when its input is a report."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet._checks import between
from privet._mechanism import Guarantee
from privet.errors import ClassifierWarning, ParameterError

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
    """The share among reports that were drawn beside a proof, by the classifier's own answers."""
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


# Types of scikit-learn whose answers are known from their numbers; each was checked. All others are asked as functions, also those
# that have the same attributes (a linear ``SVC`` keeps a row for each pair of classes) and subclasses, which may answer otherwise.
_LINEAR = {
    "sklearn.linear_model": (
        "LogisticRegression",
        "LogisticRegressionCV",
        "PassiveAggressiveClassifier",
        "Perceptron",
        "RidgeClassifier",
        "RidgeClassifierCV",
        "SGDClassifier",
    ),
    "sklearn.svm": ("LinearSVC",),
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis",),
}
_TREES = {
    "sklearn.tree": ("DecisionTreeClassifier", "ExtraTreeClassifier"),
    "sklearn.ensemble": ("RandomForestClassifier", "ExtraTreesClassifier"),
}


def load_model(path: str | os.PathLike[str]) -> _privet.Model:
    """A model from a file: ONNX, safetensors, JSON or csv."""
    return _privet.Model.read(os.fspath(path))


def model_of(estimator: Any) -> _privet.Model | None:
    """The structure of a fitted scikit-learn classifier, or None where none is read.

    Read are, by their exact type, ``LogisticRegression``, ``LogisticRegressionCV``, ``PassiveAggressiveClassifier``, ``Perceptron``,
    ``RidgeClassifier``, ``RidgeClassifierCV``, ``SGDClassifier``, ``LinearSVC``, ``LinearDiscriminantAnalysis``,
    ``DecisionTreeClassifier``, ``ExtraTreeClassifier``, ``RandomForestClassifier`` and ``ExtraTreesClassifier`` with one output and
    at least two classes. Trees of scikit-learn round what they read to 32 bits; so do those that are read, exactly. Forests with ``n_jobs``
    add up in the order in which threads finish, so that ties may be decided otherwise each time; they are read if all leaves are pure.
    """
    if isinstance(estimator, _privet.Model):
        return estimator
    is_linear, is_tree = (_is_one_of(estimator, listed) for listed in (_LINEAR, _TREES))
    # One that is not fitted has no classes, and says so itself when it is asked.
    if not (is_linear or is_tree) or len(getattr(estimator, "classes_", ())) < 2:
        return None
    classes = len(estimator.classes_)
    if is_linear:
        return _linear(estimator, classes)
    return _trees(estimator, classes)


def _is_one_of(estimator: Any, listed: Mapping[str, Sequence[str]]) -> bool:
    # Whoever has such an object has imported its module, so nothing is imported here.
    kind = type(estimator)
    places = (sys.modules.get(module) for module, names in listed.items() if kind.__name__ in names)
    return any(getattr(module, kind.__name__, None) is kind for module in places)


def _linear(estimator: Any, classes: int) -> _privet.Model | None:
    weights = estimator.coef_
    # `sparsify` leaves a matrix of scipy.
    weights = np.atleast_2d(np.asarray(weights.toarray() if hasattr(weights, "toarray") else weights, dtype=np.float64))
    intercepts = np.ravel(np.asarray(estimator.intercept_, dtype=np.float64))
    # Of two classes one score says it all: the second one where it is above 0.
    scores = 1 if classes == 2 else classes
    if len(weights) != scores or len(intercepts) not in (1, scores):
        return None
    if not (np.isfinite(weights).all() and np.isfinite(intercepts).all()):
        return None
    return _privet.Model.linear(weights.tolist(), np.broadcast_to(intercepts, scores).tolist())


def _trees(estimator: Any, classes: int) -> _privet.Model | None:
    members = list(getattr(estimator, "estimators_", [estimator]))
    in_any_order = _adds_in_any_order(estimator)
    trees = []
    for member in members:
        tree = member.tree_
        shares = np.asarray(tree.value, dtype=np.float64)
        if shares.shape[1:] != (1, classes):
            return None
        sums = shares.sum(axis=2, keepdims=True)
        # Before 1.3 scikit-learn kept weights and made shares of them when asked.
        shares = shares if np.abs(sums - 1).max() < 1e-9 else shares / sums
        # A tree that was fitted with missing values can have an infinite threshold.
        if not (np.isfinite(tree.threshold).all() and np.isfinite(shares).all()):
            return None
        if in_any_order and not _sums_are_exact(shares):
            return None
        arrays = (tree.children_left, tree.children_right, tree.feature, tree.threshold, shares[:, 0, :])
        trees.append(tuple(np.asarray(array).tolist() for array in arrays))
    return _privet.Model.trees(int(members[0].tree_.n_features), trees, classes)


def _adds_in_any_order(estimator: Any) -> bool:
    """Whether several threads add up the shares of a forest, each when it is done. Then rounding, and with it the label of a tie, may
    be another one each time, and nothing is proved about that."""
    jobs = sys.modules.get("joblib")
    return hasattr(estimator, "n_jobs") and (jobs is None or jobs.effective_n_jobs(estimator.n_jobs) != 1)


def _sums_are_exact(shares: Floats) -> bool:
    """Whether shares are such that no sum of a few thousand is rounded, as those of pure leaves are."""
    return bool(np.all(shares * 2**16 % 1 == 0))


def _is_regressor(estimator: Any) -> bool:
    # A method is asked whose it is.
    owner = getattr(estimator, "__self__", estimator)
    kind = getattr(owner, "_estimator_type", None)
    tags = getattr(owner, "__sklearn_tags__", None)
    if kind is None and callable(tags):
        try:
            kind = tags().estimator_type
        except Exception:
            # One that cannot say what it is is judged by its answers.
            return False
    return bool(kind == "regressor")


def _label_list(answers: Any) -> list[Any]:
    """One label for each row, or an error that says why these are none."""
    table = np.asarray(answers)
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim == 2:
        raise ParameterError(
            f"the classifier gave {table.shape[1]} numbers for each row: a label is one",
            code="classifier-labels",
            hint="`.argmax(axis=1)` makes labels of probabilities; of several outputs, ask about one at a time",
        )
    if table.ndim != 1:
        raise ParameterError("a classifier gives one label for each row of a table", code="classifier-labels")
    kind = table.dtype.kind
    if kind == "O":
        for label in table:
            _check_object(label)
    elif kind == "f":
        _check_whole(bool(np.all(np.isfinite(table) & (np.floor(table) == table))))
    elif kind not in "biuUST":
        raise _no_label(table.dtype.name)
    labels: list[Any] = table.tolist()
    return labels


def _check_object(label: Any) -> None:
    if isinstance(label, (float, np.floating)):
        _check_whole(float(label).is_integer())
    elif not isinstance(label, (str, bytes, bool, int, np.bool_, np.integer)):
        raise _no_label(type(label).__name__)


def _check_whole(is_whole: bool) -> None:
    if not is_whole:
        raise ParameterError(
            "the classifier gave numbers that are not whole numbers: probabilities and values are no labels",
            code="classifier-labels",
            hint="a comparison such as `lambda rows: predict(rows) > 0.5` makes labels of them",
        )


def _no_label(kind: str) -> ParameterError:
    return ParameterError(
        f"a label is a whole number, a truth value or a text: the classifier gave {kind}", code="classifier-labels"
    )


def _function(classifier: Any, classes: Sequence[Any]) -> Callable[[Floats], list[int]]:
    """Labels of a table as whole numbers from 0, whatever the classifier calls its classes; these come first, in their order."""
    predict = getattr(classifier, "predict", classifier)
    if not callable(predict):
        raise ParameterError("a classifier is a function, or has predict", code="classifier-method")
    if _is_regressor(classifier):
        raise ParameterError(
            "this is a regressor: it gives values, and labels are asked for",
            code="classifier-labels",
            hint="a comparison such as `lambda rows: predict(rows) > 0.5` makes labels of them",
        )
    known: dict[Any, int] = {label: place for place, label in enumerate(classes)}
    # Several threads ask, and a new label must get a number of its own.
    lock = threading.Lock()

    def labels(rows: Floats) -> list[int]:
        answers = _label_list(predict(rows))
        with lock:
            return [known.setdefault(answer, len(known)) for answer in answers]

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

    ``classifier`` is a fitted classifier, a model of ``load_model``, or any function that gives one label (a whole number, a truth
    value or a text) for each row of a table. Where its structure is known (``model_of``, networks of files) the bounds are proved;
    otherwise they come from drawn reports, with one confidence for all. What was read from a fitted classifier is compared with its own
    ``predict`` first, on the records, on reports, and on both sides of its decision boundary and of the thresholds of trees; if there
    is a difference, nothing is proved, with a ``ClassifierWarning``, or an error if ``method`` is "proof". Regressors,
    probabilities and several outputs are refused.

    ``records`` is a table; ``sensitive`` are the columns that are randomised, which lie in [0, 1]. ``clamp`` moves values that do not,
    with a ``ClassifierWarning`` that says how many, and refuses a column of which it would move more than half. Epsilon is that of one
    sensitive feature.
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
    if isinstance(classifier, _privet.Model):
        answer = _privet.quantify(question, model)
    else:
        classes = [] if model is None else np.asarray(classifier.classes_).tolist()
        answer = _privet.quantify(question, model, _function(classifier, classes), table.shape[1])
    for warning in answer["warnings"]:
        warnings.warn(warning, ClassifierWarning, stacklevel=2)
    return [Row._of(row) for row in answer["rows"]]
