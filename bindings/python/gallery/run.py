"""Runs the examples and writes what they print and draw into README.md.

    python run.py
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

import privet

HERE = Path(__file__).resolve().parent
EXAMPLES = ("survey", "sensors", "angles", "trajectories", "classifier", "optimal")


def run(name: str, pictures: Path) -> str:
    """What an example prints. Its picture is stored under its name."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("ignore", privet.InsecureSeedWarning)
        axes = importlib.import_module(name).main()
    axes.figure.set_size_inches(5.6, 3.4)
    axes.figure.savefig(pictures / f"{name}.png", dpi=80, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(axes.figure)
    return printed.getvalue()


def page(name: str, printed: str) -> str:
    about = importlib.import_module(name).__doc__.strip()
    return f"## [{name}]({name}.py)\n\n{about}\n\n```text\n{printed}```\n\n![{name}](pictures/{name}.png)\n"


def pages(pictures: Path) -> str:
    head = "# Gallery\n\nSix short examples with what they print and draw. `python run.py` makes this page.\n\n"
    return head + "\n".join(page(name, run(name, pictures)) for name in EXAMPLES)


sys.path.insert(0, str(HERE))

if __name__ == "__main__":
    (HERE / "README.md").write_text(pages(HERE / "pictures"), encoding="utf-8")
