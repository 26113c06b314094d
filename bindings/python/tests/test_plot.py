"""Pictures have what they say they have."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

import privet
import privet.plot


@pytest.fixture(autouse=True)
def closed() -> object:
    yield
    pyplot.close("all")


def test_densities() -> None:
    mechanism = privet.OGPM(domain=privet.Interval(0, 1), epsilon=1.0)
    axes = privet.plot.density(mechanism, [0.0, 0.5])
    lines = axes.get_lines()
    assert len(lines) == 2 and [text.get_text() for text in axes.get_legend().get_texts()] == ["input 0", "input 0.5"]
    xs, ys = lines[0].get_data()
    # The line is the density: its area is one, and its height inside the window e^(1/2).
    assert np.trapezoid(ys, xs) == pytest.approx(1, abs=1e-6) and max(ys) == pytest.approx(np.exp(0.5), rel=1e-3)
    atoms = privet.plot.density(privet.Duchi(domain=privet.Interval(-1, 1), epsilon=1.0), [0.3])
    assert len(atoms.collections) == 1
    with pytest.raises(privet.ParameterError):
        privet.plot.density(privet.GRR(domain=privet.Categories(3), epsilon=1.0), [0])


def test_error_curves() -> None:
    mechanisms = [kind(domain=privet.Interval(0, 1), epsilon=1.0) for kind in (privet.OGPM, privet.Laplace)]
    axes = privet.plot.error_curve(mechanisms, points=11)
    assert len(axes.get_lines()) == 2
    assert max(axes.get_lines()[0].get_ydata()) == pytest.approx(0.37754, abs=1e-4)


def test_estimates() -> None:
    names = privet.GRR(domain=privet.Categories(["a", "b"]), epsilon=1.0)
    found = names.estimator().fit(names.randomize(["a", "b"] * 500)).frequencies()
    axes = privet.plot.frequencies(found, truth=[0.5, 0.5])
    assert [bar.get_height() for bar in axes.patches] == found.values.tolist()
    numbers = privet.SW(domain=privet.Interval(0, 1), epsilon=2.0)
    values = np.random.default_rng(1).random(5_000)
    shares = numbers.estimator().fit(numbers.randomize(values)).distribution(bins=10)
    axes = privet.plot.distribution(shares, truth=values)
    assert len(axes.patches) == 2


def test_bands_and_maps() -> None:
    rows = privet.classifier.quantify(
        lambda table: (table[:, 0] > 0.5).astype(int),
        [0.8],
        sensitive=[0],
        mechanisms=["ogpm", "laplace-truncated"],
        epsilon=[1.0, 4.0],
        samples=500,
    )
    axes = privet.plot.bands(rows)
    assert len(axes.collections) == 2 and len(axes.get_legend().get_texts()) == 2
    picture, (axes) = pyplot.subplots()
    assert privet.plot.map(np.eye(4), paths=[[[0.1, 0.1], [0.9, 0.2]]], ax=axes) is axes
    assert len(axes.get_images()) == 1 and len(axes.get_lines()) == 1
    assert len(picture.axes) == 2
