"""What several tests need: the command beside the package, and no warnings about seeds in tests that use them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import privet

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def quiet_seeds() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", privet.InsecureSeedWarning)
        yield


@pytest.fixture(scope="session")
def command() -> Callable[..., Any]:
    """Runs the `privet` command and reads its JSON document."""
    program = os.environ.get("PRIVET_COMMAND") or shutil.which("privet")
    if program is None:
        pytest.skip("PRIVET_COMMAND does not name the privet command")

    def run(*arguments: object) -> Any:
        words = [program, *(str(argument) for argument in arguments), "--json"]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


DOMAINS: dict[str, privet.Domain] = {
    "binary": privet.Binary(),
    "categories": privet.Categories(["walk", "bus", "car", "train"]),
    "words": privet.Words(6),
    "interval": privet.Interval(-1, 3),
    "circle": privet.Circle(360),
    "rectangle": privet.Rectangle(0, 2, 0, 1),
    "vector": privet.Vectors(3),
}

VALUES: dict[str, list[Any]] = {
    "binary": [0, 1, 1],
    "categories": ["walk", "train", "bus"],
    "words": ["oak", "elm", "birch"],
    "interval": [-1.0, 0.3, 3.0],
    "circle": [0.0, 90.0, 359.0],
    "rectangle": [[0.0, 0.0], [1.0, 0.5], [2.0, 1.0]],
    "vector": [[1.0, 0.0, 0.0], [0.0, -2.0, 0.5], [0.1, 0.1, 0.1]],
}


def made(kind: type[privet.Mechanism], epsilon: float = 1.5) -> privet.Mechanism:
    """A mechanism of a class, on a domain of its kind."""
    row = next(row for row in privet.mechanisms() if row.id == kind._id)
    options = {"delta": 1e-5} if row.guarantee in ("approximate", "probabilistic") else {}
    return kind(domain=DOMAINS[row.domain], epsilon=epsilon, **options)


EPOCHS: dict[int | None, list[str]] = {None: [], 0: ["--epoch", "0"]}
"""All reports of a policy, or those of its first epoch: how Python and the command are asked for them."""

SOLVED = {"minimax-absolute", "minimax-squared", "minimax-unbiased", "sampled-minimax-unbiased"}
