"""The package and the command write the same bytes and the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import SOLVED, VALUES, made

import privet

READY = [kind for kind in privet.MECHANISMS if kind._id not in SOLVED]


def flags(mechanism: privet.Mechanism) -> list[str]:
    words = ["--mechanism", mechanism.id, "--domain", str(mechanism.domain), "--epsilon", str(mechanism.epsilon)]
    return words + (["--delta", "1e-05"] if mechanism._keywords.get("delta") else [])


def written(values: list[Any], path: Path) -> Path:
    texts = [",".join(map(str, value)) if isinstance(value, list) else str(value) for value in values]
    pandas.DataFrame({"value": texts}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", READY, ids=lambda kind: kind._id)
def test_seeded_reports_are_the_same_bytes(
    kind: type[privet.Mechanism], command: Callable[..., Any], tmp_path: Path
) -> None:
    mechanism = made(kind)
    values = VALUES[mechanism.info.domain] * 20
    source, out = written(values, tmp_path / "values.csv"), tmp_path / "reports.csv"
    command("perturb", *flags(mechanism), "--column", "value", "--in", source, "--out", out, "--insecure-seed", 7)
    theirs = pandas.read_csv(out, dtype=str)["report"].tolist()
    assert mechanism.randomize(values, insecure_seed=7).to_hex() == theirs


@pytest.mark.parametrize("kind", [privet.GRR, privet.OLH, privet.OGPM, privet.PrivUnit], ids=lambda kind: kind._id)
def test_summaries_are_the_same_bytes(
    kind: type[privet.Mechanism], command: Callable[..., Any], tmp_path: Path
) -> None:
    mechanism = made(kind)
    source = written(VALUES[mechanism.info.domain] * 100, tmp_path / "values.csv")
    out, summary = tmp_path / "reports.parquet", tmp_path / "counted.summary"
    command("perturb", *flags(mechanism), "--column", "value", "--in", source, "--out", out)
    column = pyarrow.parquet.read_table(out)["report"]
    reports = privet.Reports.from_arrow(column)
    assert len(reports) == 300
    # And out again: the very same column.
    assert pa.array(reports).to_pylist() == column.to_pylist()
    estimator = mechanism.estimator().fit(reports)
    if isinstance(mechanism.domain, privet.Vectors):
        answer = command("estimate", *flags(mechanism), "--in", out)
        means = [row["value"] for row in answer["estimates"]]
        assert np.allclose(estimator.mean_vector().values, means, rtol=0, atol=0)
        return
    answer = command("estimate", *flags(mechanism), "--in", out, "--summary-out", summary)
    assert estimator.summary_.to_bytes() == summary.read_bytes()
    if isinstance(mechanism.domain, privet.Interval):
        mean = estimator.mean()
        assert (mean.value, list(mean.interval)) == (answer["value"], answer["interval"])
        assert estimator.distribution().values.tolist() == [row["share"] for row in answer["distribution"]]
        coarse = command("estimate", *flags(mechanism), "--in", out, "--distribution-bins", 8)["distribution"]
        assert estimator.distribution(bins=8).values.tolist() == [row["share"] for row in coarse]
    else:
        found = estimator.frequencies()
        assert found.values.tolist() == [row["value"] for row in answer["estimates"]]
        assert found.intervals.tolist() == [row["interval"] for row in answer["estimates"]]


def test_descriptions_and_errors_are_the_same(command: Callable[..., Any]) -> None:
    for kind in (privet.GRR, privet.OUE, privet.OGPM, privet.Duchi, privet.Hybrid, privet.GridExponential, privet.SquareWaveCircle):
        mechanism = made(kind)
        theirs = command("describe", *flags(mechanism))
        ours = mechanism.describe()
        theirs.pop("input", None)
        assert ours == theirs
    mechanism = made(privet.PM)
    theirs = command("error", *flags(mechanism), "--loss", "squared", "--worst")
    ours = mechanism.error("squared")
    row = theirs[0] if isinstance(theirs, list) else theirs
    assert ours.error == row["error"] and ours.variance == row["variance"]


def test_the_list_of_mechanisms_is_the_same(command: Callable[..., Any]) -> None:
    assert [row["id"] for row in command("mechanisms")] == [row.id for row in privet.mechanisms()]


def test_advice_is_the_same(command: Callable[..., Any]) -> None:
    theirs = command("advise", "--domain", "categories:16", "--goal", "frequency", "--users", 1000, "--epsilon", 1)
    ours = privet.advise(domain=privet.Categories(16), goal="frequency", users=1000, epsilon=1.0)
    assert ours["recommended"] == theirs["recommended"]
    assert [row["id"] for row in ours["alternatives"]] == [row["id"] for row in theirs["alternatives"]]
