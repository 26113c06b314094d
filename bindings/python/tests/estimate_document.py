"""Prints what the package learns from a file of reports, in JSON, with the keys of ``privet estimate --json``.

    python estimate_document.py MECHANISM DOMAIN EPSILON REPORTS.csv [KEYWORD=VALUE ..]

Keywords are those of ``Estimator.document``, such as ``bins=8`` or ``target=population``. Other programs are compared with it.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import privet

WHOLE = ("bins", "cells", "smooth")


def mechanism_of(name: str, domain: str, epsilon: float) -> privet.Mechanism:
    kind = next(kind for kind in privet.MECHANISMS if kind._id == name)
    return kind(domain=privet.Domain.parse(domain), epsilon=epsilon)


def reports_in(path: Path) -> privet.Reports:
    with path.open(newline="") as file:
        return privet.Reports.from_hex(row["report"] for row in csv.DictReader(file))


def document_of(mechanism: privet.Mechanism, path: Path, **keywords: Any) -> dict[str, Any]:
    reports = reports_in(path)
    return mechanism.estimator().fit(reports, insecure=reports.insecure).document(**keywords)


def main(name: str, domain: str, epsilon: str, path: str, *words: str) -> None:
    pairs = (word.split("=", 1) for word in words)
    keywords = {key: int(value) if key in WHOLE else value for key, value in pairs}
    print(json.dumps(document_of(mechanism_of(name, domain, float(epsilon)), Path(path), **keywords)))


if __name__ == "__main__":
    main(*sys.argv[1:])
