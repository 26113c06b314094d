"""Beyond single mechanisms: solvers, policies, classifiers, paths, pairs of people, reshaping."""

from __future__ import annotations

import datetime
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
from conftest import EPOCHS, ROOT
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import privet

POLICY = """
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-05-31
epoch = "month"
minimum_reports = 100
contribution = "split"

[budget]
epsilon = 4
period = "month"

[[attribute]]
name = "transport"
question = "How do you get to work?"
domain = "categories:walk,bus,car"
goal = "frequency"

[[attribute]]
name = "age"
question = "How old are you?"
domain = "interval:0,120"
goal = "mean"

[[public]]
name = "region"
values = ["north", "south"]
"""


def test_optimal_categories_have_a_proof(tmp_path: Path) -> None:
    losses = 1 - np.eye(3)
    found = privet.optimize(domain=privet.Categories(3), epsilon=1.0, loss=losses)
    # Randomised response is the best there is for equal losses: 2 / (e + 2).
    assert found.achieved == pytest.approx(2 / (np.e + 2), rel=1e-6)
    assert found.lower_bound <= found.achieved and found.gap < 1e-6
    path = tmp_path / "best.json"
    found.save(path)
    again = privet.Solution.load(path)
    assert again.mechanism == found.mechanism == pickle.loads(pickle.dumps(found.mechanism))
    reports = again.mechanism.randomize([0, 1, 2] * 100)
    assert again.mechanism.estimator().fit(reports).frequencies().n == 300
    assert privet.SolvedMechanism.load(path).guarantee.epsilon <= 1.0
    document = json.loads(path.read_text())
    text = path.read_text().replace(f'"epsilon":{document.get("epsilon", 1.0)}', '"epsilon":0.1', 1)
    path.write_text(text.replace("1", "2", 1))
    with pytest.raises(privet.ParameterError):
        privet.Solution.load(path)
    with pytest.raises(privet.StorageError):
        privet.Solution.load(tmp_path / "missing.json")


def test_optimal_circle_and_wrong_questions() -> None:
    found = privet.optimize(domain=privet.Circle(360), epsilon=1.0)
    assert found.gap < 1e-3 and found.achieved == pytest.approx(found.mechanism.error().error, rel=1e-6)
    for options in (
        {"domain": privet.Words(3)},
        {"domain": privet.Circle(1), "unbiased": True},
        {"domain": privet.Categories(3), "loss": [[1.0, 2.0]]},
        {"domain": privet.Interval(0, 1), "loss": "cubic"},
        {"domain": privet.Interval(0, 1), "prior": [1.0]},
        {"domain": privet.Interval(0, 1), "range": (0.0, 1.0)},
        {"domain": privet.Interval(0, 1), "objective": "best"},
    ):
        with pytest.raises(privet.ParameterError):
            privet.optimize(epsilon=1.0, **options)


def test_advice() -> None:
    advice = privet.advise(domain=privet.Interval(0, 1), goal="mean", users=10_000, epsilon=1.0)
    assert advice["recommended"]["expected_error"] <= advice["alternatives"][0]["expected_error"]
    wanted = privet.advise(domain=privet.Categories(8), goal="frequency", users=10_000, target_error=0.02)
    assert wanted["recommended"]["expected_error"] <= 0.02 * (1 + 1e-6)
    for options in ({}, {"epsilon": 1.0, "target_error": 1.0}, {"target_error": -1.0}):
        with pytest.raises(privet.ParameterError):
            privet.advise(domain=privet.Categories(8), goal="frequency", users=10, **options)
    with pytest.raises(privet.ParameterError):
        privet.advise(domain=privet.Categories(8), goal="wealth", users=10, epsilon=1.0)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def policy() -> privet.Policy:
    return privet.Policy(POLICY)


def table(count: int) -> dict[str, list[Any]]:
    rows = range(count)
    return {
        "transport": [["walk", "bus", "car"][row % 3] for row in rows],
        "age": [20.0 + row % 50 for row in rows],
        "region": [["north", "south"][row % 2] for row in rows],
        "other": list(rows),
    }


def test_policies(policy: privet.Policy, tmp_path: Path) -> None:
    path = tmp_path / "travel.toml"
    path.write_text(POLICY)
    assert privet.Policy.load(path) == policy == pickle.loads(pickle.dumps(policy))
    assert policy.attributes == ["transport", "age"] and policy.public_fields == ["region"]
    assert policy.statement()["attributes"]
    frame = table(600)
    day = datetime.date(2026, 3, 1)
    reports = policy.perturb(frame, day=day)
    assert len(reports) == 600 and {len(report) for report in reports} == {policy.report_bytes}
    summary = policy.summarize(reports)
    parts = [policy.summarize(reports[:200]), policy.summarize(reports[200:])]
    assert sum(parts).to_bytes() == summary.to_bytes()
    assert policy.summary_from_bytes(summary.to_bytes()) == summary
    # A report counts once, however often it comes.
    assert policy.summarize([reports, reports]) == summary
    with pytest.raises(privet.SummaryError):
        parts[0].merge(parts[0])
    estimates = policy.estimate(reports)
    assert [row["attribute"] for row in estimates] == ["transport", "age"]
    assert len(policy.estimate(summary, by="region")) == 4
    seeded = [policy.perturb(kind, day=day, insecure_seed=1) for kind in (
        frame, pandas.DataFrame(frame), polars.DataFrame(frame), pa.table(frame),
    )]
    assert all(one == seeded[0] for one in seeded)
    with pytest.raises(privet.ReportError):
        policy.estimate(seeded[0])
    assert policy.estimate(seeded[0], insecure=True)


def test_bad_policies(policy: privet.Policy) -> None:
    for text in ("", "name = 1", POLICY.replace("epsilon = 4", "epsilon = -4"), POLICY.replace("walk", "bus")):
        with pytest.raises(privet.ParameterError):
            privet.Policy(text)
    with pytest.raises(privet.StorageError):
        privet.Policy.load("missing.toml")
    frame = table(3)
    with pytest.raises(privet.ParameterError, match="no column"):
        policy.perturb({"age": [1.0]}, day="2026-03-01")
    with pytest.raises(privet.DomainError, match="row 2"):
        policy.perturb({**frame, "age": [1.0, 500.0, 2.0]}, day="2026-03-01")
    with pytest.raises(privet.DomainError, match="number 2"):
        policy.perturb({**frame, "age": [1.0, None, 2.0]}, day="2026-03-01")
    with pytest.raises(privet.ParameterError):
        policy.perturb({**frame, "age": [1.0]}, day="2026-03-01")
    with pytest.raises(privet.DomainError):
        policy.perturb(frame, day="2031-03-01")
    with pytest.raises(privet.ParameterError):
        policy.perturb(frame, day="tomorrow")
    with pytest.raises(privet.ParameterError):
        policy.estimate(policy.perturb(frame, day="2026-03-01"), by="colour")
    foreign = privet.GRR(domain=privet.Categories(3), epsilon=1.0).randomize([1])
    with pytest.raises(privet.ReportError):
        policy.summarize(foreign)


def test_the_same_reports_as_the_command(policy: privet.Policy, command: Callable[..., Any], tmp_path: Path) -> None:
    path, source, out = tmp_path / "travel.toml", tmp_path / "people.csv", tmp_path / "reports.csv"
    path.write_text(POLICY)
    frame = pandas.DataFrame(table(200))
    frame.to_csv(source, index=False)
    command("perturb", "--policy", path, "--in", source, "--out", out, "--day", "2026-03-01", "--insecure-seed", 5)
    ours = policy.perturb(frame, day="2026-03-01", insecure_seed=5)
    assert ours.to_hex() == pandas.read_csv(out, dtype=str)["report"].tolist()
    for epoch, flags in EPOCHS.items():
        theirs = command("estimate", "--policy", path, "--in", out, "--insecure-seed", *flags)["estimates"]
        assert {row["epoch"] for row in theirs} == {epoch}
        assert policy.estimate(policy.summarize(ours, insecure=True, epoch=epoch)) == theirs


def test_the_epoch_of_summaries(policy: privet.Policy) -> None:
    first, second = (policy.perturb(table(100), day=day) for day in ("2026-03-01", "2026-04-01"))

    def said(summary: privet.PolicySummary) -> tuple[int, set[int | None]]:
        return summary.n, {row["epoch"] for row in policy.estimate(summary)}

    march, april = (policy.summarize([first, second], epoch=epoch) for epoch in (0, 1))
    assert said(march) == (100, {0}) and said(april) == (100, {1})
    assert said(march + april) == said(policy.summarize([first, second])) == (200, {None})
    halves = [policy.summarize(half, epoch=1) for half in (second[:50], second[50:])]
    assert said(sum(halves)) == (100, {1})


def test_a_person_and_a_ledger(policy: privet.Policy, tmp_path: Path) -> None:
    person = privet.Client(tmp_path / "ledger")
    answers = {"transport": "bus", "age": 41, "region": "north"}
    first = person.answer(policy, answers, day="2026-03-01")
    again = privet.Client(tmp_path / "ledger").answer(policy, answers, day="2026-03-01")
    assert not first.is_repeated and again.is_repeated and first.report == again.report
    assert first.spent == pytest.approx(4.0) and again.spent == first.spent
    assert policy.summarize(privet.Reports([first.report])).n == 1
    secret = tmp_path / "ledger.secret"
    assert len(secret.read_bytes()) == 32 and secret.stat().st_mode & 0o077 == 0
    with pytest.raises(privet.BudgetError):
        privet.Client(tmp_path / "other", origin_limit=1.0).answer(policy, answers, day="2026-03-01")
    with pytest.raises(privet.DomainError):
        person.answer(policy, {**answers, "age": 500}, day="2026-04-01") and None
    secret.unlink()
    with pytest.raises(privet.StorageError):
        person.answer(policy, answers, day="2026-03-01")


def ages(count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(1)
    rows = rng.random((count, 3))
    return rows, (rows[:, 0] + 0.3 * rows[:, 1] > 0.7).astype(int)


@pytest.mark.parametrize(
    ("fitted", "method"),
    [
        (LogisticRegression(), "exact-linear"),
        (DecisionTreeClassifier(max_depth=4, random_state=0), "exact-trees"),
        (RandomForestClassifier(n_estimators=7, max_depth=4, random_state=0), "exact-trees"),
    ],
    ids=["linear", "tree", "forest"],
)
def test_fitted_models_are_proved_about(fitted: Any, method: str) -> None:
    rows, labels = ages(400)
    fitted.fit(rows, labels)
    model = privet.classifier.model_of(fitted)
    assert model is not None and model.predict(rows.tolist()) == fitted.predict(rows).tolist()
    people = rows[:5]
    options: dict[str, Any] = {"sensitive": [0, 1], "mechanisms": "ogpm", "epsilon": [1.0, 4.0]}
    proved = privet.classifier.quantify(fitted, people, **options)
    assert [row.method for row in proved] == [method] * 2 and proved[0].confidence == 1.0
    assert proved[0].records.shape == (5, 2)
    # The same classifier as a mere function: its bounds must overlap the proof.
    drawn = privet.classifier.quantify(fitted.predict, people, **options, samples=2_000, insecure_seed=1)
    for one, other in zip(proved, drawn, strict=True):
        assert other.method == "sampled"
        assert other.lower <= one.upper and one.lower <= other.upper


def test_any_function_is_a_classifier() -> None:
    def words(rows: np.ndarray[Any, Any]) -> list[str]:
        return ["high" if row[0] > 0.5 else "low" for row in rows]

    row = privet.classifier.quantify(words, [0.8, 3.0], sensitive=[0], mechanisms="ogpm", epsilon=1.0, insecure_seed=1)[0]
    assert row.lower <= 0.6967 <= row.upper and row.upper - row.lower < 0.05

    def broken(rows: np.ndarray[Any, Any]) -> list[int]:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        privet.classifier.quantify(broken, [0.8], sensitive=[0], mechanisms="ogpm", epsilon=1.0)
    with pytest.raises(privet.DomainError):
        privet.classifier.quantify(words, [1.8], sensitive=[0], mechanisms="ogpm", epsilon=1.0)
    for options in (
        {"sensitive": [5]},
        {"sensitive": []},
        {"mechanisms": "nonsense"},
        {"epsilon": -1.0},
        {"method": "magic"},
        {"method": "proof"},
        {"confidence": 2.0},
    ):
        asked: dict[str, Any] = {"sensitive": [0], "mechanisms": "ogpm", "epsilon": 1.0, **options}
        with pytest.raises(privet.ParameterError):
            privet.classifier.quantify(words, [0.8], **asked)
    with pytest.raises(privet.ParameterError):
        privet.classifier.quantify(lambda rows: [0], [[0.8], [0.7]], sensitive=[0], mechanisms="ogpm", epsilon=1.0)


def data(*parts: str) -> Path:
    folder = Path(os.environ.get("PRIVET_DATA", ROOT.parent / "shared" / "data"))
    path = folder.joinpath(*parts)
    if not path.exists():
        message = f"{'/'.join(parts)} is missing: PRIVET_DATA names the folder of data sets"
        assert "CI" not in os.environ, message
        pytest.skip(message)
    return path


def forest_of(path: Path) -> RandomForestClassifier:
    """The forest of a table of nodes, as scikit-learn would have fitted it."""
    from sklearn.tree._tree import NODE_DTYPE, Tree

    table = pandas.read_csv(path)
    forest = RandomForestClassifier()
    forest.classes_, forest.n_classes_, forest.n_outputs_, forest.n_features_in_ = np.array([0, 1]), 2, 1, 6
    forest.estimators_ = []
    for _, part in table.groupby("tree"):
        nodes = np.zeros(len(part), dtype=NODE_DTYPE)
        is_leaf = part["feature"].to_numpy() < 0
        for ours, theirs in (("left", "left_child"), ("right", "right_child"), ("feature", "feature")):
            nodes[theirs] = np.where(is_leaf, -1 if ours != "feature" else -2, part[ours])
        nodes["threshold"] = np.where(is_leaf, -2, part["threshold"])
        nodes["n_node_samples"] = nodes["weighted_n_node_samples"] = 1
        shares = np.stack([1 - part["p1"], part["p1"]], axis=1)[:, np.newaxis, :]
        tree = Tree(6, np.array([2], dtype=np.intp), 1)
        state = {"max_depth": 99, "node_count": len(part), "nodes": nodes, "values": np.ascontiguousarray(shares)}
        tree.__setstate__(state)
        member = DecisionTreeClassifier()
        member.tree_, member.classes_, member.n_classes_ = tree, np.array([0, 1]), 2
        member.n_outputs_, member.n_features_in_ = 1, 6
        forest.estimators_.append(member)
    return forest


def test_the_forest_of_the_stroke_data_has_the_bounds_of_the_papers() -> None:
    forest = forest_of(data("classifiers", "stroke_rf_trees.csv.gz"))
    record = [0.79, 1.0, 0.0, 1.0, 0.5804, 0.48]
    assert forest.predict([record]).shape == (1,)
    found = privet.classifier.quantify(
        forest, record, sensitive=[0, 5], mechanisms="optimal-piecewise", epsilon=[1, 2, 4, 8], beside=0
    )
    # The numbers of the Rust tests, which were found from the densities and the table alone.
    for row, wanted in zip(found, [0.62219, 0.76452, 0.90715, 0.98496], strict=True):
        assert row.method == "exact-trees" and row.confidence == 1.0 and row.upper - row.lower < 1e-9
        assert row.lower - 5e-4 <= wanted <= row.upper + 5e-4
    model = privet.classifier.load_model(data("classifiers", "stroke_rf_trees.csv.gz"))
    again = privet.classifier.quantify(
        model, record, sensitive=[0, 5], mechanisms="optimal-piecewise", epsilon=[1, 2, 4, 8], beside=0
    )
    assert [row.lower for row in again] == [row.lower for row in found]


def test_paths() -> None:
    rectangle = privet.Rectangle(0, 1, 0, 1)
    paths = [np.random.default_rng(place).random((6, 2)) for place in range(40)]
    for name in ("window-2d", "tracs-c", "tracs-d"):
        method = privet.trajectory.Method(name, space=rectangle, epsilon=8.0)
        assert method.guarantee is not None and method.guarantee.epsilon <= 8.0 and method.why_not is None
        reports = method.perturb(paths, insecure_seed=1)
        assert [report.shape for report in reports] == [(6, 2)] * 40
        scores = privet.trajectory.metrics(rectangle, paths, reports, within=0.1)
        assert 0 < scores["average_error"] < 0.5 and 0 <= scores["range_query"] <= 1
    density = method.density(reports, cells=4)
    assert density.shape == (4, 4) and density.sum() == pytest.approx(1)
    assert len(method.smooth(reports, reach=0.5, cells=8)) == 40
    assert "planar-laplace" in privet.trajectory.METHODS
    planar = privet.trajectory.Method("planar-laplace", space=rectangle, epsilon=1.0)
    assert planar.why_not
    city = privet.trajectory.Space.geographic(west=8.4, south=49.0, east=8.5, north=49.1)
    at_home = privet.trajectory.Method(space=city, epsilon=4.0).perturb([[[8.45, 49.05]]])
    assert 8.4 <= at_home[0][0, 0] <= 8.5
    with pytest.raises(privet.DomainError):
        method.perturb([[[2.0, 0.5]]])
    with pytest.raises(privet.DomainError):
        method.perturb([[0.5, 0.5]])
    with pytest.raises(privet.ParameterError):
        privet.trajectory.Method("magic", space=rectangle, epsilon=1.0)


def test_pairs_of_people() -> None:
    plan = privet.joint.plan(users=20_000, colluders=5, epsilon=1.0, ones=659)
    assert plan["variance"] / plan["variance_independent"] < 0.68
    assert plan["exposed_epsilon"] == "infinite" and plan["not_promised"]
    with pytest.raises(privet.ParameterError):
        privet.joint.plan(users=0, colluders=5, epsilon=1.0)


def test_reshaping(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    public = rng.normal(size=(600, 6))
    fitted = LogisticRegression().fit(public, public[:, 0] > public[:, 1])
    options: dict[str, Any] = {"mechanism": "privunit", "epsilon": 4.0}
    by_model = privet.reshape.fit(public, model=fitted, insecure_seed=1, **options)
    assert by_model.facts["rank"] <= 6 and by_model.guarantee.epsilon <= 4.0
    weights = np.repeat(fitted.coef_[np.newaxis], len(public), axis=0)
    by_jacobians = privet.reshape.fit(public, jacobians=weights, **options)
    vectors = by_jacobians.apply(public[:50], insecure_seed=2)
    assert vectors.shape == (50, 6)
    plain = privet.PrivUnit(domain=privet.Vectors(6), epsilon=4.0, radius=3.0)
    agreement = np.mean(fitted.predict(vectors) == fitted.predict(public[:50]))
    noisy = plain.decode(plain.randomize(public[:50], insecure_seed=2))
    assert agreement > np.mean(fitted.predict(noisy) == fitted.predict(public[:50]))
    by_jacobians.save(tmp_path / "map.json")
    again = privet.reshape.Reshape.load(tmp_path / "map.json", **options)
    assert np.array_equal(again.apply(public[:5], insecure_seed=3), by_jacobians.apply(public[:5], insecure_seed=3))
    with pytest.raises(privet.DomainError):
        again.apply(np.zeros((2, 5)))
    with pytest.raises(privet.ParameterError):
        privet.reshape.fit(public, **options)
    with pytest.raises(privet.ParameterError):
        privet.reshape.fit(public, model=object(), **options)
