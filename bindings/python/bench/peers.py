"""Speed on one core, beside what people use today.

Run it in an environment with the release wheel and the packages of bench/requirements.txt:

    python bench/peers.py

Every task is done by each package in its own best documented way, for the same people, on one thread. What counts is the time of the
processor, which other programs on the machine do not lengthen much, and the fastest of several rounds. The table is in Markdown.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
import time
from collections.abc import Callable

# One core for everybody: numba and BLAS read these when they are loaded.
for variable in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

import privet

CATEGORIES = 128
EPSILON = 1.0
ROUNDS = 9
# Theirs take seconds, so that a round more changes little.
ROUNDS_OF_PEERS = 1

Work = Callable[[], object]


def fastest(work: Work, rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def ours(kind: type[privet.Mechanism], values: np.ndarray) -> Work:
    mechanism = kind(domain=privet.Categories(CATEGORIES), epsilon=EPSILON)
    return lambda: mechanism.randomize(values, threads=1)


def pure_ldp(values: np.ndarray) -> dict[str, Work]:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    people = (values + 1).tolist()
    clients = {
        "GRR client": DEClient(EPSILON, CATEGORIES),
        "OUE client": UEClient(EPSILON, CATEGORIES, use_oue=True),
        "OLH client": LHClient(EPSILON, CATEGORIES, use_olh=True),
    }
    work: dict[str, Work] = {
        task: lambda client=client: [client.privatise(value) for value in people] for task, client in clients.items()
    }
    reports = [clients["OLH client"].privatise(value) for value in people]

    def serve() -> object:
        server = LHServer(EPSILON, CATEGORIES, use_olh=True)
        for report in reports:
            server.aggregate(report)
        return [server.estimate(category, suppress_warnings=True) for category in range(1, CATEGORIES + 1)]

    work["OLH server"] = serve
    return work


def multi_freq_ldpy(values: np.ndarray) -> dict[str, Work]:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    people = values.tolist()
    # The first call compiles.
    GRR_Client(0, CATEGORIES, EPSILON), UE_Client(0, CATEGORIES, EPSILON)
    reports = [LH_Client(value, CATEGORIES, EPSILON) for value in people]
    return {
        "GRR client": lambda: [GRR_Client(value, CATEGORIES, EPSILON) for value in people],
        "OUE client": lambda: [UE_Client(value, CATEGORIES, EPSILON) for value in people],
        "OLH client": lambda: [LH_Client(value, CATEGORIES, EPSILON) for value in people],
        "OLH server": lambda: LH_Aggregator_MI(reports, CATEGORIES, EPSILON),
    }


def opendp(values: np.ndarray) -> dict[str, Work]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    people = values.tolist()
    truth = np.exp(EPSILON) / (np.exp(EPSILON) + CATEGORIES - 1)
    respond = dp.m.make_randomized_response(list(range(CATEGORIES)), prob=float(truth))
    # OpenDP has neither optimised unary encoding nor local hashing.
    return {"GRR client": lambda: [respond(value) for value in people]}


def piecewise(values: np.ndarray) -> np.ndarray:
    """The piecewise mechanism for numbers in [-1, 1], written for whole arrays."""
    half = np.exp(EPSILON / 2)
    reach = (half + 1) / (half - 1)
    low = (reach + 1) / 2 * values - (reach - 1) / 2
    high = low + reach - 1
    rng = np.random.default_rng()
    inside = rng.random(len(values)) < half / (half + 1)
    within = low + (high - low) * rng.random(len(values))
    beyond = rng.random(len(values)) * (reach + 1) - reach
    beyond = np.where(beyond > low, beyond + (high - low), beyond)
    return np.where(inside, within, beyond)


def main() -> None:
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    values = np.random.default_rng(1).integers(0, CATEGORIES, people)
    hashing = privet.OLH(domain=privet.Categories(CATEGORIES), epsilon=EPSILON)
    reports = hashing.randomize(values)
    estimator = hashing.estimator()
    own: dict[str, Work] = {
        "GRR client": ours(privet.GRR, values),
        "OUE client": ours(privet.OUE, values),
        "OLH client": ours(privet.OLH, values),
        "OLH server": lambda: estimator.fit(reports, threads=1).frequencies(),
    }
    peers = {"pure-ldp": pure_ldp(values), "multi-freq-ldpy": multi_freq_ldpy(values), "opendp": opendp(values)}
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("privet", *peers, "numpy", "numba"))
    print(f"{people} people, {CATEGORIES} categories, epsilon {EPSILON}, one core ({platform.machine()}), Python")
    print(f"{platform.python_version()}: {versions}. Milliseconds of the processor; ratio to the fastest of the others.\n")
    print("| task | privet | " + " | ".join(peers) + " | numpy | ratio |")
    print("|---|" + "---:|" * (len(peers) + 3))
    for task, work in own.items():
        mine = fastest(work)
        theirs = {name: fastest(tasks[task], ROUNDS_OF_PEERS) for name, tasks in peers.items() if task in tasks}
        cells = [f"{1e3 * theirs[name]:.0f}" if name in theirs else "-" for name in peers]
        print(f"| {task} | {1e3 * mine:.2f} | " + " | ".join(cells) + f" | - | {min(theirs.values()) / mine:.0f} |", flush=True)
    numbers = np.random.default_rng(1).uniform(-1, 1, people)
    mechanism = privet.PM(domain=privet.Interval(-1, 1), epsilon=EPSILON)
    mine = fastest(lambda: mechanism.randomize(numbers, threads=1), 15)
    vectorised = fastest(lambda: piecewise(numbers), 15)
    print(f"| PM client | {1e3 * mine:.2f} | - | - | - | {1e3 * vectorised:.2f} | {vectorised / mine:.1f} |")


if __name__ == "__main__":
    main()
