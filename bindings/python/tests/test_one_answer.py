"""The same reports give the same numbers: from the estimator, its documents, a policy and the command."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from estimate_document import document_of, mechanism_of

import privet

RNG = np.random.default_rng(11)
ASKED: dict[str, tuple[str, Any]] = {
    "optimized-unary-encoding": ("categories:walk,bus,car,train", RNG.choice(["walk", "bus", "car"], 2_000).tolist()),
    "square-wave": ("interval:0,120", RNG.integers(0, 100, 2_000).astype(float).tolist()),
    "optimal-piecewise": ("interval:-1,1", RNG.choice([-1.0, 0.25], 2_000).tolist()),
    "laplace": ("interval:0,1", RNG.beta(2, 5, 2_000).tolist()),
    "optimal-piecewise-circle": ("circle:24", ((22 + 4 * RNG.random(2_000)) % 24).tolist()),
    "window-2d": ("rectangle:0,2,0,1", (RNG.random((2_000, 2)) * [1.0, 0.5]).tolist()),
    "privunit": ("vector:3", np.tile([0.6, -0.8, 0.0], (2_000, 1)).tolist()),
}
EPSILON = 2.0
FEW_ROWS = {"interval": 8, "circle": 8, "rectangle": 2}


def made(name: str) -> tuple[privet.Mechanism, list[Any]]:
    domain, values = ASKED[name]
    return mechanism_of(name, domain, EPSILON), values


def fitted(name: str) -> privet.Estimator:
    mechanism, values = made(name)
    return mechanism.estimator().fit(mechanism.randomize(values, insecure_seed=3), insecure=True)


def written(reports: privet.Reports, path: Path) -> Path:
    pandas.DataFrame({"report": reports.to_hex()}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("target", ["reported", "population"])
@pytest.mark.parametrize("name", ASKED)
def test_the_command_writes_the_same_document(
    name: str, target: privet.estimates.Target, command: Callable[..., Any], tmp_path: Path
) -> None:
    mechanism, values = made(name)
    path = written(mechanism.randomize(values, insecure_seed=3), tmp_path / "reports.csv")
    flags: list[Any] = ["--mechanism", name, "--domain", str(mechanism.domain), "--epsilon", EPSILON, "--target", target]
    # Few bins and cells: this is about their being the same.
    rows = FEW_ROWS.get(mechanism.info.domain)
    flags += [] if rows is None else ["--distribution-bins", rows]
    theirs = command("estimate", *flags, "--in", path, "--insecure-seed")
    ours = document_of(mechanism, path, target=target, bins=8, cells=2)
    assert ours == {key: theirs[key] for key in ours} and ours["target"] == target


def test_the_script_prints_the_document(tmp_path: Path) -> None:
    mechanism, values = made("square-wave")
    path = written(mechanism.randomize(values, insecure_seed=3), tmp_path / "reports.csv")
    script = Path(__file__).with_name("estimate_document.py")
    words = [sys.executable, str(script), "square-wave", "interval:0,120", "2", str(path), "bins=8", "target=population"]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == document_of(mechanism, path, bins=8, target="population")


POLICY = """
name = "One question"
purpose = "Find the same numbers"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "month"
minimum_reports = 10

[budget]
epsilon = 2
period = "month"

[[attribute]]
name = "asked"
question = "What is asked?"
domain = "{domain}"
goal = "{goal}"
mechanism = "{mechanism}"
"""
GOALS = {"optimized-unary-encoding": "frequency", "square-wave": "distribution", "optimal-piecewise-circle": "distribution"}
# What the body of a report under a policy begins with: its id and its epoch.
BEFORE = 16 + 4


@pytest.mark.parametrize("name", GOALS)
def test_a_policy_learns_the_same_from_the_same_reports(name: str) -> None:
    mechanism, values = made(name)
    domain = ASKED[name][0]
    policy = privet.Policy(POLICY.format(domain=domain, goal=GOALS[name], mechanism=name))
    sent = policy.perturb({"asked": values}, day="2026-03-15", insecure_seed=3)
    one = mechanism.randomize(values[:1], insecure_seed=3)
    header = one[0][: -one.report_bytes]
    inner = privet.Reports(header + bytes(body[BEFORE:]) for body in sent.to_numpy())
    estimator = mechanism.estimator().fit(inner, insecure=True)
    for target in ("reported", "population"):
        (theirs,) = policy.estimate(sent, insecure=True, target=target)
        ours = estimator.document(target=target)
        assert ours == {key: theirs[key] for key in ours}


def test_methods_give_parts_of_the_document() -> None:
    whole = fitted("square-wave").document(ranges=[(20.0, 40.0)], smooth=24)
    estimator = fitted("square-wave")
    mean, spread = estimator.mean(smooth=24), estimator.distribution(smooth=24)
    assert (mean.value, list(mean.interval), mean.bias_bound) == (whole["value"], whole["interval"], whole["bias_bound"])
    assert spread.values.tolist() == [row["share"] for row in whole["distribution"]]
    assert spread.intervals.tolist() == [row["interval"] for row in whole["distribution"]]
    assert spread.method == whole["distribution_method"] == "ems-cv" and whole["populations"] == "smooth:24"
    quartiles = estimator.quantiles(smooth=24)
    assert quartiles.values.tolist() == [row["value"] for row in whole["quantiles"]]
    share = estimator.share(20.0, 40.0, smooth=24)
    assert (share.value, list(share.interval)) == (whole["ranges"][0]["share"], whole["ranges"][0]["interval"])


ESTIMATES: dict[str, Callable[..., Any]] = {
    "frequencies": lambda **options: fitted("optimized-unary-encoding").frequencies(**options),
    "mean": lambda **options: fitted("square-wave").mean(**options),
    "distribution": lambda **options: fitted("square-wave").distribution(bins=8, **options),
    "quantiles": lambda **options: fitted("square-wave").quantiles(**options),
    "share": lambda **options: fitted("square-wave").share(20, 40, **options),
    "direction": lambda **options: fitted("optimal-piecewise-circle").direction(**options),
    "resultant_length": lambda **options: fitted("optimal-piecewise-circle").resultant_length(**options),
    "density": lambda **options: fitted("window-2d").density(cells=2, **options),
    "mean_vector": lambda **options: fitted("privunit").mean_vector(**options),
}
SMOOTHABLE = ["mean", "distribution", "quantiles", "share", "direction", "resultant_length"]


@pytest.mark.parametrize("name", ESTIMATES)
def test_values_lie_in_their_intervals_and_targets_are_named(name: str) -> None:
    for target in ("reported", "population"):
        found = ESTIMATES[name](target=target)
        assert found.target == target and found.n == 2_000
        if dataclasses.is_dataclass(found) and hasattr(found, "interval"):
            low, high = found.interval
            assert low <= found.value <= high and found.bias_bound >= 0
            assert found.margin == max(found.value - low, high - found.value)
        else:
            low, high = found.intervals[..., 0], found.intervals[..., 1]
            assert np.all((low <= found.values) & (found.values <= high)) and np.all(found.bias_bounds >= 0)
            assert found.margins.shape == found.values.shape and np.all(found.margins >= (high - low) / 2 - 1e-12)


@pytest.mark.parametrize("name", ESTIMATES)
def test_other_targets_and_classes_are_refused(name: str) -> None:
    for target in ("everybody", "", None, 1, ["reported"]):
        with pytest.raises(privet.ParameterError, match="reported or population"):
            ESTIMATES[name](target=target)
    if name not in SMOOTHABLE:
        with pytest.raises(TypeError):
            ESTIMATES[name](smooth=10)
        return
    for smooth in (1, 257, -3, True, 2.5, "10"):
        with pytest.raises(privet.ParameterError, match="smooth"):
            ESTIMATES[name](smooth=smooth)


def test_policies_refuse_other_targets() -> None:
    policy = privet.Policy(POLICY.format(domain="interval:0,1", goal="mean", mechanism="square-wave"))
    reports = policy.perturb({"asked": [0.5] * 20}, day="2026-03-15")
    with pytest.raises(privet.ParameterError, match="reported or population"):
        policy.estimate(reports, target="everybody")  # type: ignore[arg-type]
    with pytest.raises(privet.ParameterError, match="smooth"):
        policy.estimate(reports, smooth=1)
    (smooth,) = policy.estimate(reports, smooth=10)
    assert smooth["populations"] == "smooth:10"


def test_a_direction_that_cannot_be_told() -> None:
    told = fitted("optimal-piecewise-circle").direction()
    assert told.told and told.interval[1] - told.interval[0] < 12
    mechanism, _ = made("optimal-piecewise-circle")
    everywhere = mechanism.randomize(np.linspace(0, 24, 2_000, endpoint=False), insecure_seed=3)
    found = mechanism.estimator().fit(everywhere, insecure=True).direction()
    assert not found.told and found.interval[1] - found.interval[0] == pytest.approx(24)
    assert found.margin == pytest.approx(12)


def test_intervals_hold_for_people_at_one_value() -> None:
    # The first finding about intervals: at .7, of 200 people, at epsilon .1.
    mechanism = mechanism_of("square-wave", "interval:0,1", 0.1)
    for seed in (1, 2, 3):
        mean = mechanism.estimator().fit(mechanism.randomize([0.7] * 200, insecure_seed=seed), insecure=True).mean()
        assert mean.interval[0] <= 0.7 <= mean.interval[1] and mean.margin > 0.3


def test_quantiles_reach_an_atom_at_the_end() -> None:
    mechanism = mechanism_of("square-wave", "interval:0,1", 2.0)
    values = np.where(np.arange(5_000) % 5 < 2, 0.0, np.linspace(0.2, 1, 5_000))
    found = mechanism.estimator().fit(mechanism.randomize(values, insecure_seed=1), insecure=True).quantiles([0.25])
    assert found.intervals[0, 0] == 0.0
