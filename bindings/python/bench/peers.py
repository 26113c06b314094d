"""Speed on one core, beside what people use today.

Run it in an environment with the release wheel and the packages of bench/requirements.txt:

    python bench/peers.py [PEOPLE] [--rounds N] [--json]

Every task is done by each package in its own best documented way, for the same people, on one thread. We and each of the others take turns.
What counts is the time of the processor, which other programs on the machine do not lengthen much. The table is in Markdown and has the
fastest turn of each; with --json there are all turns, for `privet bench --peers`. A package that is not installed is left out by name.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

# One core for everybody: numba and BLAS read these when they are loaded.
for variable in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np

    import privet
except ImportError as error:
    sys.exit(f"{error}: install the release wheel of privet, which brings numpy")

CATEGORIES = 128
EPSILON = 1.0
# Ours are over in less than a clock can tell, so they are repeated for this long.
LEAST_SECONDS = 0.01

Work = Callable[[], object]


def seconds(work: Work, at_least: float = 0.0) -> float:
    """The time of the processor that one call takes."""
    calls, start = 0, time.process_time()
    while True:
        work()
        calls += 1
        elapsed = time.process_time() - start
        if elapsed > at_least:
            return elapsed / calls


def ours(people: int) -> dict[str, Work]:
    values, numbers = categories(people), reals(people)
    domain = privet.Categories(CATEGORIES)
    direct, unary, hashing = (kind(domain=domain, epsilon=EPSILON) for kind in (privet.GRR, privet.OUE, privet.OLH))
    reports, estimator = hashing.randomize(values), hashing.estimator()
    interval = privet.Interval(-1, 1)
    noise, piece = privet.Laplace(domain=interval, epsilon=EPSILON), privet.PM(domain=interval, epsilon=EPSILON)
    return {
        "GRR client": lambda: direct.randomize(values, threads=1),
        "OUE client": lambda: unary.randomize(values, threads=1),
        "OLH client": lambda: hashing.randomize(values, threads=1),
        "OLH server": lambda: estimator.fit(reports, threads=1).frequencies(),
        "Laplace client": lambda: noise.randomize(numbers, threads=1),
        "PM client": lambda: piece.randomize(numbers, threads=1),
    }


def categories(people: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, CATEGORIES, people)


def reals(people: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(-1, 1, people)


def pure_ldp(people: int) -> dict[str, Work]:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    values = (categories(people) + 1).tolist()
    clients = {
        "GRR client": DEClient(EPSILON, CATEGORIES),
        "OUE client": UEClient(EPSILON, CATEGORIES, use_oue=True),
        "OLH client": LHClient(EPSILON, CATEGORIES, use_olh=True),
    }
    work: dict[str, Work] = {
        task: lambda client=client: [client.privatise(value) for value in values] for task, client in clients.items()
    }
    reports = [clients["OLH client"].privatise(value) for value in values]

    def serve() -> object:
        server = LHServer(EPSILON, CATEGORIES, use_olh=True)
        for report in reports:
            server.aggregate(report)
        return [server.estimate(category, suppress_warnings=True) for category in range(1, CATEGORIES + 1)]

    work["OLH server"] = serve
    return work


def multi_freq_ldpy(people: int) -> dict[str, Work]:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    values = categories(people).tolist()
    # The first call compiles.
    GRR_Client(0, CATEGORIES, EPSILON), UE_Client(0, CATEGORIES, EPSILON)
    reports = [LH_Client(value, CATEGORIES, EPSILON) for value in values]
    return {
        "GRR client": lambda: [GRR_Client(value, CATEGORIES, EPSILON) for value in values],
        "OUE client": lambda: [UE_Client(value, CATEGORIES, EPSILON) for value in values],
        "OLH client": lambda: [LH_Client(value, CATEGORIES, EPSILON) for value in values],
        "OLH server": lambda: LH_Aggregator_MI(reports, CATEGORIES, EPSILON),
    }


def opendp(people: int) -> dict[str, Work]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    values, numbers = categories(people).tolist(), reals(people).tolist()
    truth = np.exp(EPSILON) / (np.exp(EPSILON) + CATEGORIES - 1)
    respond = dp.m.make_randomized_response(list(range(CATEGORIES)), prob=float(truth))
    noise = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=2 / EPSILON)
    # OpenDP has neither optimised unary encoding nor local hashing.
    return {
        "GRR client": lambda: [respond(value) for value in values],
        "Laplace client": lambda: [noise(number) for number in numbers],
    }


def diffprivlib(people: int) -> dict[str, Work]:
    from diffprivlib.mechanisms import Laplace

    noise, numbers = Laplace(epsilon=EPSILON, sensitivity=2), reals(people).tolist()
    return {"Laplace client": lambda: [noise.randomise(number) for number in numbers]}


def python_dp(people: int) -> dict[str, Work]:
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

    noise, numbers = LaplaceMechanism(epsilon=EPSILON, sensitivity=2), reals(people).tolist()
    return {"Laplace client": lambda: [noise.add_noise(number) for number in numbers]}


def whole_arrays(people: int) -> dict[str, Work]:
    """Not private on a device: numpy's generator is made for speed, and its numbers are no exact law."""
    numbers, half = reals(people), np.exp(EPSILON / 2)

    def piecewise() -> np.ndarray:
        reach = (half + 1) / (half - 1)
        low = (reach + 1) / 2 * numbers - (reach - 1) / 2
        high = low + reach - 1
        rng = np.random.default_rng()
        inside = rng.random(people) < half / (half + 1)
        within = low + (high - low) * rng.random(people)
        beyond = rng.random(people) * (reach + 1) - reach
        beyond = np.where(beyond > low, beyond + (high - low), beyond)
        return np.where(inside, within, beyond)

    return {"PM client": piecewise, "Laplace client": lambda: numbers + np.random.default_rng().laplace(0, 2 / EPSILON, people)}


PACKAGES: dict[str, Callable[[int], dict[str, Work]]] = {
    "pure-ldp": pure_ldp,
    "multi-freq-ldpy": multi_freq_ldpy,
    "opendp": opendp,
    "diffprivlib": diffprivlib,
    "python-dp": python_dp,
    "numpy": whole_arrays,
}


def measure(people: int, rounds: int) -> dict[str, Any]:
    own, rows, skipped, versions = ours(people), [], [], {"privet": importlib.metadata.version("privet")}
    for name, load in PACKAGES.items():
        try:
            tasks = load(people)
            versions[name] = importlib.metadata.version(name)
        except Exception as error:  # Other people's packages fail in ways of their own, and the others are still worth measuring.
            skipped.append({"package": name, "reason": f"{type(error).__name__}: {error}"})
            continue
        for task, work in tasks.items():
            turns = [[seconds(own[task], LEAST_SECONDS), seconds(work)] for _ in range(rounds)]
            rows.append({"task": task, "package": name, "seconds": turns})
            print(f"{task} beside {name}", file=sys.stderr, flush=True)
    return {"people": people, "python": platform.python_version(), "versions": versions, "rows": rows, "skipped": skipped}


def markdown(measured: dict[str, Any]) -> None:
    versions = ", ".join(f"{name} {version}" for name, version in measured["versions"].items())
    print(f"{measured['people']} people, {CATEGORIES} categories, epsilon {EPSILON}, one core ({platform.machine()}), Python")
    print(f"{measured['python']}: {versions}. Milliseconds of the processor; ratio to the fastest of the others.\n")
    packages = [name for name in PACKAGES if name in measured["versions"]]
    print("| task | privet | " + " | ".join(packages) + " | ratio |")
    print("|---|" + "---:|" * (len(packages) + 2))
    for task in dict.fromkeys(row["task"] for row in measured["rows"]):
        rows = [row for row in measured["rows"] if row["task"] == task]
        mine = min(turn[0] for row in rows for turn in row["seconds"])
        theirs = {row["package"]: min(turn[1] for turn in row["seconds"]) for row in rows}
        cells = [f"{1e3 * theirs[name]:.2f}" if name in theirs else "-" for name in packages]
        print(f"| {task} | {1e3 * mine:.2f} | " + " | ".join(cells) + f" | {min(theirs.values()) / mine:.1f} |")
    for package in measured["skipped"]:
        print(f"\nLeft out: {package['package']} ({package['reason']})")


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed on one core, beside what people use today.")
    parser.add_argument("people", nargs="?", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured = measure(options.people, options.rounds)
    if options.json:
        json.dump(measured, sys.stdout)
    else:
        markdown(measured)


if __name__ == "__main__":
    main()
