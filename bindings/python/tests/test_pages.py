"""What the pages show is what happens: docstrings, the README and docs/PYTHON.md."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SOLVED

import privet

PACKAGE = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ["privet", "privet.domains", "privet.plot", "privet.policy"])
def test_examples_of_modules(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_examples_of_mechanisms() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    for kind in privet.MECHANISMS:
        if kind._id in SOLVED:
            continue
        for test in finder.find(kind, kind.__name__):
            assert len(test.examples) == 5
            assert doctest.DocTestRunner().run(test).failed == 0


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], check=False, capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, f"{program}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", [ROOT / "README.md", PACKAGE / "README.md"], ids=["project", "package"])
def test_the_quick_start_prints_what_the_readme_says(page: Path) -> None:
    (program,) = blocks(page, "python")
    assert run(program) in blocks(page, "text")


def test_the_programs_of_the_documentation_run() -> None:
    for program in blocks(ROOT / "docs" / "PYTHON.md", "python"):
        if "pure_ldp" not in program and "multi_freq_ldpy" not in program:
            run(program)
