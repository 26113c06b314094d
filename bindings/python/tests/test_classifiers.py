"""Which classifiers are read, what is asked of them before anything is called proved, and what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import privet

Table = np.ndarray[Any, Any]

MEASURED, SPECIES = load_iris(return_X_y=True)
FLOWERS: Table = (MEASURED - MEASURED.min(axis=0)) / (MEASURED.max(axis=0) - MEASURED.min(axis=0))
TWO: Table = (SPECIES > 0).astype(int)
BOTH: Table = np.stack([SPECIES == 1, SPECIES == 2], axis=1).astype(int)
SOME = FLOWERS[::10]
SENSITIVE = [2, 3]
ASKED: dict[str, Any] = {"sensitive": SENSITIVE, "mechanisms": "optimal-piecewise", "epsilon": 2.0, "insecure_seed": 1}


def quantify(classifier: Any, records: Any = SOME, **options: Any) -> privet.classifier.Row:
    return privet.classifier.quantify(classifier, records, **{**ASKED, **options})[0]


def drawn(predict: Any, records: Table = SOME, times: int = 1_000) -> tuple[float, float]:
    """The share of reports with the label of their record by the classifier's own word, and five standard errors."""
    mechanism = privet.OptimalPiecewise(domain=privet.Interval(0, 1), epsilon=2.0)
    rows = np.repeat(records, times, axis=0)
    for feature in SENSITIVE:
        rows[:, feature] = mechanism.decode(mechanism.randomize(rows[:, feature], insecure_seed=feature))
    same = np.asarray(predict(rows)) == np.repeat(np.asarray(predict(records)), times)
    return float(same.mean()), 5 * float(same.std() / np.sqrt(same.size))


class OneAgainstOne:
    """As a support vector machine keeps them: a row of weights for each pair of classes, not for each class."""

    def __init__(self) -> None:
        own = SVC(kernel="linear").fit(FLOWERS, SPECIES)
        self.coef_, self.intercept_, self.classes_ = own.coef_, own.intercept_, own.classes_
        self.predict = own.predict


class ColumnsFirst:
    """As xgboost's gblinear has them: the weights of all classes for one feature after the other, cut into rows of classes."""

    def __init__(self) -> None:
        own = LogisticRegression().fit(FLOWERS, SPECIES)
        self.coef_ = own.coef_.T.reshape(own.coef_.shape)
        self.intercept_, self.classes_ = own.intercept_, own.classes_
        self.predict = own.predict


class Contrary(LogisticRegression):
    """One that has the weights of its parent and answers otherwise."""

    def predict(self, X: Table) -> Table:  # noqa: N803
        return np.asarray(super().predict(X) > 0)


class Forestry:
    """Not a forest of scikit-learn, although its name and its parts say so."""

    def __init__(self) -> None:
        self.forest = RandomForestClassifier(5, random_state=0).fit(FLOWERS, SPECIES)
        self.estimators_, self.classes_ = self.forest.estimators_, self.forest.classes_

    def predict(self, rows: Table) -> Table:
        return np.asarray(self.forest.predict(1 - rows))


NOT_READ = {
    "SVC": lambda: SVC(kernel="linear").fit(FLOWERS, SPECIES),
    "NuSVC": lambda: NuSVC(kernel="linear", nu=0.1).fit(FLOWERS, SPECIES),
    "one against one": OneAgainstOne,
    "columns first": ColumnsFirst,
    "a subclass": lambda: Contrary().fit(FLOWERS, SPECIES),
    "a namesake": lambda: type("LogisticRegression", (Contrary,), {})().fit(FLOWERS, SPECIES),
    "a forest by name": Forestry,
    "a pipeline": lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(FLOWERS, SPECIES),
    "calibrated": lambda: CalibratedClassifierCV(LinearSVC()).fit(FLOWERS, SPECIES),
    "bagging": lambda: BaggingClassifier(max_features=2, random_state=0).fit(FLOWERS, SPECIES),
    "one class": lambda: RandomForestClassifier(3, random_state=0).fit(FLOWERS, 0 * SPECIES),
}


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_not_on_the_list_is_a_function(name: str) -> None:
    classifier = NOT_READ[name]()
    assert privet.classifier.model_of(classifier) is None
    row = quantify(classifier, samples=2_000)
    truth, reach = drawn(classifier.predict)
    assert (row.method, row.confidence) == ("sampled", 0.999)
    assert row.lower <= truth + reach and truth - reach <= row.upper
    with pytest.raises(privet.ParameterError, match="method proof"):
        quantify(classifier, method="proof")


READ: dict[str, tuple[Any, str]] = {
    "LogisticRegression": (LogisticRegression(), "exact-linear"),
    "LogisticRegressionCV": (LogisticRegressionCV(cv=3, scoring="accuracy"), "exact-linear"),
    "without an intercept": (LogisticRegression(fit_intercept=False), "exact-linear"),
    "RidgeClassifier": (RidgeClassifier(), "exact-linear"),
    "ridge without an intercept": (RidgeClassifier(fit_intercept=False), "exact-linear"),
    "RidgeClassifierCV": (RidgeClassifierCV(), "exact-linear"),
    "SGDClassifier": (SGDClassifier(random_state=0), "exact-linear"),
    "Perceptron": (Perceptron(random_state=0), "exact-linear"),
    "LinearSVC": (LinearSVC(intercept_scaling=7), "exact-linear"),
    "Crammer and Singer": (LinearSVC(multi_class="crammer_singer"), "exact-linear"),
    "LinearDiscriminantAnalysis": (LinearDiscriminantAnalysis(), "exact-linear"),
    "DecisionTreeClassifier": (DecisionTreeClassifier(random_state=0), "exact-trees"),
    "ExtraTreeClassifier": (ExtraTreeClassifier(random_state=0), "exact-trees"),
    "RandomForestClassifier": (RandomForestClassifier(10, random_state=0), "exact-trees"),
    "leaves of several": (
        RandomForestClassifier(10, min_samples_leaf=5, class_weight="balanced", random_state=0),
        "exact-trees",
    ),
    "ExtraTreesClassifier": (ExtraTreesClassifier(10, random_state=0), "exact-trees"),
}
LABELS = {"three": SPECIES, "two": TWO, "words": np.array(["c", "a", "b"])[SPECIES], "floats": SPECIES * 2.0 - 1.0}


NAMED = [("LogisticRegression", "words"), ("LogisticRegression", "floats"), ("RandomForestClassifier", "words")]


@pytest.mark.filterwarnings("ignore::FutureWarning:sklearn")
@pytest.mark.parametrize(("name", "labels"), [(name, labels) for name in READ for labels in ("three", "two")] + NAMED)
def test_what_is_read_is_what_the_classifier_says(name: str, labels: str) -> None:
    fitted, method = READ[name]
    fitted.fit(FLOWERS, LABELS[labels])
    with warnings.catch_warnings():
        warnings.simplefilter("error", privet.ClassifierWarning)
        row = quantify(fitted)
    assert (row.method, row.confidence) == (method, 1.0) and row.upper - row.lower < 1e-4
    truth, reach = drawn(fitted.predict)
    assert row.lower - reach <= truth <= row.upper + reach
    # 2000 reports by the classifier's own word, with an interval at 99.9 %.
    assert row.empirical_interval is not None
    assert row.empirical_interval[0] <= row.upper and row.lower <= row.empirical_interval[1]


def test_one_that_is_not_fitted_says_so_itself() -> None:
    for estimator in (LogisticRegression(), RandomForestClassifier()):
        assert privet.classifier.model_of(estimator) is None
        with pytest.raises(NotFittedError):
            quantify(estimator)


def test_sparse_weights_are_read() -> None:
    fitted = SGDClassifier(random_state=0).fit(FLOWERS, SPECIES)
    dense = quantify(fitted)
    sparse = quantify(fitted.sparsify())
    assert sparse.method == "exact-linear" and sparse.lower == dense.lower


def test_small_weights_are_no_ties() -> None:
    fitted = LogisticRegression(C=1e-11, fit_intercept=False).fit(FLOWERS - 0.5, TWO)
    assert np.abs(fitted.coef_).max() < 1e-9
    people = SOME - 0.5
    people[:, SENSITIVE] += 0.5
    row = quantify(fitted, people)
    truth, reach = drawn(fitted.predict, people)
    assert row.method == "exact-linear" and row.lower - reach <= truth <= row.upper + reach and truth < 0.99


def stroked(predict: Any, wrong: Any) -> Any:
    """A classifier that gives another label where `wrong` says so."""

    def answers(rows: Table) -> Table:
        given = np.asarray(predict(rows))
        return np.where(wrong(rows), (given + 1) % 2, given)

    return answers


DIFFERENCES = {
    # What only reports show, what only the boundary shows, and what only a threshold shows.
    "everywhere": lambda _weights, rows: np.full(len(rows), True),
    "in a corner": lambda _weights, rows: (rows[:, 2] > 0.9) & (rows[:, 3] < 0.1),
    "beside the boundary": lambda weights, rows: np.abs(weights(rows)) < 1e-6,
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_reading_that_is_not_the_classifier_is_not_believed(name: str) -> None:
    fitted = LogisticRegression().fit(FLOWERS, TWO)
    original = fitted.predict
    fitted.predict = stroked(original, lambda rows: DIFFERENCES[name](fitted.decision_function, rows))
    with pytest.warns(privet.ClassifierWarning, match="another label than the classifier itself"):
        row = quantify(fitted)
    assert (row.method, row.confidence, row.empirical) == ("sampled", 0.999, None)
    truth, reach = drawn(fitted.predict)
    assert row.lower <= truth + reach and truth - reach <= row.upper
    with pytest.raises(privet.ParameterError, match="another label than the classifier itself") as refused:
        quantify(fitted, method="proof")
    assert refused.value.code == "classifier-reading"


def test_a_tree_that_answers_otherwise_beside_a_threshold_is_not_believed() -> None:
    fitted = DecisionTreeClassifier(max_depth=1, random_state=0).fit(FLOWERS[:, 2:3], TWO)
    cut = fitted.tree_.threshold[0]
    fitted.predict = stroked(fitted.predict, lambda rows: np.abs(rows[:, 0] - cut) < 1e-8)
    with pytest.warns(privet.ClassifierWarning, match="another label"):
        row = quantify(fitted, SOME[:, 2:3], sensitive=[0])
    assert row.method == "sampled"


def test_trees_round_what_they_read() -> None:
    # scikit-learn cuts in the middle of 0.2 and 0.4 in single precision, which is a little above 0.3. The number 0.3 is below it,
    # and its rounding, which is what the tree compares, is above.
    fitted = DecisionTreeClassifier().fit([[0.2], [0.4]], [0, 1])
    assert 0.3 < fitted.tree_.threshold[0] and fitted.predict([[0.3]]).tolist() == [1]
    model = privet.classifier.model_of(fitted)
    assert model is not None and model.predict([[0.3]]) == [1]
    near = np.float64(0.3) + np.linspace(-1e-7, 1e-7, 2_001)[:, np.newaxis]
    assert model.predict(near.tolist()) == fitted.predict(near).tolist()
    assert quantify(fitted, [[0.3]], sensitive=[0], method="proof").method == "exact-trees"


def stump(cut: float, below: float, above: float) -> DecisionTreeClassifier:
    """A tree with one cut and the share of the second class in both leaves."""
    tree = DecisionTreeClassifier().fit([[cut - 0.1], [cut + 0.1]], [0, 1])
    tree.tree_.value[1:, 0, :] = [[1 - below, below], [1 - above, above]]
    return tree


def test_ties_are_decided_by_the_forest_itself() -> None:
    # From 0.3 to 0.5 the shares are 0.4, 0.8 and 0.3: one half of three, but for rounding, which gives the second class more.
    forest = RandomForestClassifier(3, random_state=0).fit([[0.1], [0.9]], [0, 1])
    forest.estimators_ = [stump(0.3, 0.1, 0.4), stump(0.5, 0.8, 0.9), stump(0.7, 0.3, 0.6)]
    shares = forest.predict_proba([[0.4]])[0]
    assert 0 < shares[1] - shares[0] < 1e-15, "the tie is decided by rounding"
    assert forest.predict([[0.2], [0.4], [0.6], [0.8]]).tolist() == [0, 1, 1, 1]
    mechanism = privet.OptimalPiecewise(domain=privet.Interval(0, 1), epsilon=2.0)
    for record, is_above in ((0.1, False), (0.35, True), (0.8, True)):
        below = float(np.ravel(mechanism.cdf(record, [forest.estimators_[0].tree_.threshold[0]]))[0])
        row = quantify(forest, [[record]], sensitive=[0], beside=0)
        assert row.method == "exact-trees" and row.upper - row.lower < 1e-9
        assert row.lower == pytest.approx(1 - below if is_above else below, abs=1e-6)


def test_ties_that_threads_decide_are_not_proved() -> None:
    # Each thread adds its tree when it is done, so that rounding decides otherwise from time to time.
    forest = RandomForestClassifier(3, random_state=0, n_jobs=2).fit([[0.1], [0.9]], [0, 1])
    assert privet.classifier.model_of(forest) is not None, "sums of pure leaves are exact in any order"
    forest.estimators_ = [stump(0.3, 0.1, 0.4), stump(0.5, 0.8, 0.9), stump(0.7, 0.3, 0.6)]
    assert privet.classifier.model_of(forest) is None
    forest.n_jobs = 1
    assert privet.classifier.model_of(forest) is not None


def test_the_empirical_share_is_the_classifiers_own() -> None:
    fitted = DecisionTreeClassifier(random_state=0).fit(FLOWERS, SPECIES)
    asked: list[int] = []
    original = fitted.predict

    def counted(rows: Table) -> Any:
        asked.append(len(rows))
        return original(rows)

    fitted.predict = counted
    without = quantify(fitted, beside=0)
    before = sum(asked)
    with_reports = quantify(fitted, beside=3_000)
    # Both calls compare; only the second draws reports beside the proof, 200 for each of 15 records.
    assert without.empirical is None and with_reports.empirical is not None
    assert sum(asked) - 2 * before == 3_000 + 15


def test_a_label_is_that_of_one_row() -> None:
    fitted = LogisticRegression().fit(StandardScaler().fit_transform(FLOWERS), SPECIES)

    def scaled_by_the_batch(rows: Table) -> Any:
        return fitted.predict(StandardScaler().fit_transform(rows))

    rng = np.random.default_rng(1)
    for answers in (scaled_by_the_batch, lambda rows: rng.integers(0, 2, len(rows))):
        with pytest.raises(privet.ParameterError, match="same rows") as refused:
            quantify(answers, samples=2_000)
        assert refused.value.code == "classifier-not-deterministic"


class Booster:
    """As lightgbm.Booster: a probability for each row."""

    def predict(self, rows: Table) -> Table:
        return np.asarray(1 / (1 + np.exp(-rows[:, 2])))


REFUSED: dict[str, tuple[Any, str, str]] = {
    "a line": (lambda: LinearRegression().fit(FLOWERS, SPECIES), "regress", "classifier-labels"),
    "a regression forest": (lambda: RandomForestRegressor(5).fit(FLOWERS, TWO), "regress", "classifier-labels"),
    # Its leaves are pure: every answer is a whole number.
    "a regression tree": (lambda: DecisionTreeRegressor().fit(FLOWERS, TWO), "regress", "classifier-labels"),
    "its method": (lambda: DecisionTreeRegressor().fit(FLOWERS, TWO).predict, "regress", "classifier-labels"),
    "a regression in a pipeline": (
        lambda: make_pipeline(StandardScaler(), LinearRegression()).fit(FLOWERS, TWO),
        "regress",
        "classifier-labels",
    ),
    "a probability": (Booster, "whole numbers", "classifier-labels"),
    "probabilities": (
        lambda: LogisticRegression().fit(FLOWERS, SPECIES).predict_proba,
        "3 numbers for each row",
        "classifier-labels",
    ),
    "a forest of two outputs": (
        lambda: RandomForestClassifier(5).fit(FLOWERS, BOTH),
        "2 numbers for each row",
        "classifier-labels",
    ),
    "a tree of two outputs": (
        lambda: DecisionTreeClassifier().fit(FLOWERS, BOTH),
        "2 numbers for each row",
        "classifier-labels",
    ),
    "ridge of two labels": (lambda: RidgeClassifier().fit(FLOWERS, BOTH), "2 numbers for each row", "classifier-labels"),
    "no number": (lambda: lambda rows: np.full(len(rows), np.nan), "whole numbers", "classifier-labels"),
    "nothing": (lambda: lambda rows: [None] * len(rows), "NoneType", "classifier-labels"),
    "one answer for all": (lambda: lambda rows: 1, "one label for each row", "classifier-labels"),
    "complex numbers": (lambda: lambda rows: np.ones(len(rows)) * 1j, "complex", "classifier-labels"),
    "no function": (lambda: 7, "has predict", "classifier-method"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("method", ["auto", "samples"])
def test_answers_that_are_no_labels_are_refused(name: str, method: str) -> None:
    make, message, code = REFUSED[name]
    assert privet.classifier.model_of(make()) is None
    with pytest.raises(privet.ParameterError, match=message) as refused:
        quantify(make(), method=method)
    assert refused.value.code == code


LABELLED = {
    "truth values": lambda rows: rows[:, 2] > 0.5,
    "whole floats": lambda rows: np.where(rows[:, 2] > 0.5, 3.0, -1.0),
    "words": lambda rows: np.where(rows[:, 2] > 0.5, "high", "low"),
    "objects": lambda rows: np.array(["high" if row[2] > 0.5 else 7 for row in rows], dtype=object),
    "a list": lambda rows: [int(row[2] > 0.5) for row in rows],
    "a column": lambda rows: (rows[:, 2] > 0.5)[:, np.newaxis],
}


def test_labels_have_many_forms() -> None:
    found = [quantify(function, samples=500) for function in LABELLED.values()]
    assert {(row.lower, row.upper) for row in found} == {(found[0].lower, found[0].upper)}


def test_many_labels_are_kept_apart() -> None:
    def places(rows: Table) -> list[str]:
        return [f"{row[2]:.6f}" for row in rows]

    row = quantify(places, FLOWERS[:2], samples=2_000)
    # Hardly any report falls on the millionth of its record.
    assert row.records[:, 0].max() < 0.01


def test_values_on_another_scale_are_not_moved() -> None:
    ages = np.array([[37.0, 0.2], [52.0, 0.4], [81.0, 0.9], [0.5, 0.5]])

    def old(rows: Table) -> Table:
        return np.asarray(rows[:, 0] > 0.5)

    asked: dict[str, Any] = {"sensitive": [0], "epsilon": 12.0, "samples": 500}
    for table in (ages[:3], ages, ages[:1]):
        with pytest.raises(privet.DomainError, match=r"3 of 3|3 of 4|1 of 1") as refused:
            quantify(old, table, **asked, clamp=True)
        assert refused.value.code == "classifier-other-scale"
        assert refused.value.hint is not None and "scale" in refused.value.hint
        assert not any(str(age) in str(refused.value) for age in (37, 52, 81))
    with pytest.raises(privet.DomainError, match="outside"):
        quantify(old, ages, **asked)
    # Half of them or fewer are moved, and that is said.
    some = np.array([[0.3, 0.2], [1.4, 0.4], [0.9, 0.9], [0.5, 0.5]])
    with pytest.warns(privet.ClassifierWarning, match="1 of 4 values of feature 0"):
        moved = quantify(old, some, **asked, clamp=True)
    inside = quantify(old, np.clip(some, 0, 1), **asked)
    assert (moved.lower, moved.upper) == (inside.lower, inside.upper)
    with warnings.catch_warnings():
        warnings.simplefilter("error", privet.ClassifierWarning)
        quantify(old, np.clip(some, 0, 1), **asked, clamp=True)


def test_xgboost_is_a_function() -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed: its stand-in is `ColumnsFirst`")
    for booster in ("gblinear", "gbtree"):
        fitted = xgboost.XGBClassifier(booster=booster, n_estimators=20).fit(FLOWERS, SPECIES)
        assert privet.classifier.model_of(fitted) is None
        row = quantify(fitted, samples=2_000)
        truth, reach = drawn(fitted.predict)
        assert row.method == "sampled" and row.lower <= truth + reach and truth - reach <= row.upper
    with pytest.raises(privet.ParameterError, match="regress"):
        quantify(xgboost.XGBRegressor(n_estimators=2).fit(FLOWERS, SPECIES))


def test_lightgbm_is_a_function_and_its_probabilities_are_refused() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed: its stand-in is `Booster`")
    fitted = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(FLOWERS, SPECIES)
    row = quantify(fitted, samples=2_000)
    truth, reach = drawn(fitted.predict)
    assert row.method == "sampled" and row.lower <= truth + reach and truth - reach <= row.upper
    with pytest.raises(privet.ParameterError, match="whole numbers"):
        quantify(lightgbm.train({"objective": "binary", "verbose": -1}, lightgbm.Dataset(FLOWERS, TWO), 5))
    with pytest.raises(privet.ParameterError, match="3 numbers for each row"):
        multi = {"objective": "multiclass", "num_class": 3, "verbose": -1}
        quantify(lightgbm.train(multi, lightgbm.Dataset(FLOWERS, SPECIES), 5))
