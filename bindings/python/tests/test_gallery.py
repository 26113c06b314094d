"""The examples of the gallery print what its page says, and draw a picture each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from matplotlib import pyplot

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
sys.path.insert(0, str(GALLERY))

import run


@pytest.mark.parametrize("name", run.EXAMPLES)
def test_an_example(name: str, tmp_path: Path) -> None:
    printed = run.run(name, tmp_path)
    assert run.page(name, printed) in (GALLERY / "README.md").read_text(encoding="utf-8")
    picture = pyplot.imread(tmp_path / f"{name}.png")
    # Something is drawn: there are many colours, and few of the dots have the most frequent one of an empty page.
    assert len({tuple(dot) for dot in picture.reshape(-1, picture.shape[-1])[::7]}) > 20
    assert (GALLERY / "pictures" / f"{name}.png").exists()
