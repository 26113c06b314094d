"""Twenty million people on two executors, and beside it one process: the same reports, the same summary, and what Spark costs.

Run it in an environment with the release wheel and the packages of tests/requirements.txt:

    python bench/spark.py [ROWS]

It stops with an error if anything differs: between two actions, after an executor was killed, or from one process.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import pyarrow.dataset
from pyspark.sql import functions
from test_spark import DAY, POLICY, Killer, people, session, slowly

import privet
import privet.spark

T = TypeVar("T")


def timed(what: str, rows: int, work: Callable[[], T]) -> T:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    print(f"| {what} | {seconds:.1f} s | {rows / seconds / 1e6:.2f} M rows/s |", flush=True)
    return result


def digest(df: Any) -> tuple[object, ...]:
    """What two tables with the same reports have in common, in any order."""
    hashes = functions.xxhash64("report").cast("decimal(38,0)")
    return tuple(df.agg(functions.count("report"), functions.sum(hashes), functions.sum(hashes % 1000003)).first())


def drawn_alone(source: str, policy: privet.Policy, job: privet.spark.Job) -> int:
    columns = ["person", *policy.attributes, *policy.public_fields]
    work = privet.spark._perturbing(policy.to_json(), len(policy.attributes), job._key, DAY)
    batches = pyarrow.dataset.dataset(source).to_batches(columns=columns, batch_size=10_000)
    return sum(batch.num_rows for batch in work(batches))


def counted_alone(source: str, policy: privet.Policy) -> bytes:
    part = privet._privet.Part(policy._core)
    for batch in pyarrow.dataset.dataset(source).to_batches(columns=["report"]):
        if batch.num_rows:
            part.add(policy._core, privet._privet.Reports.from_arrow(batch.column(0)))
    return part.to_bytes()


def main(rows: int) -> None:
    spark, policy, job = session("2g"), privet.Policy(POLICY), privet.spark.Job()
    options: dict[str, Any] = {"key_column": "person", "job": job, "day": DAY}
    with tempfile.TemporaryDirectory() as folder:
        source, reports = os.path.join(folder, "people"), os.path.join(folder, "reports")
        people(spark, rows, partitions=40).write.parquet(source)
        df = spark.read.parquet(source)
        print("| work | time | speed |\n|---|---|---|")
        written = timed("Spark: perturb and write", rows, lambda: privet.spark.perturb(df, policy, write_to=reports, **options))
        timed("one process: perturb", rows, lambda: drawn_alone(source, policy, job))
        summary = timed("Spark: summarize", rows, lambda: privet.spark.summarize(written, policy)).to_bytes()
        timed("Spark: summarize, distinct=False", rows, lambda: privet.spark.summarize(written, policy, distinct=False))
        alone = timed("one process: summarize", rows, lambda: counted_alone(reports, policy))
        assert summary == alone, "the summaries differ"

        first = digest(written)
        lazy = privet.spark.perturb(df, policy, **options)
        assert digest(lazy) == digest(lazy) == first, "two actions differ"
        for what in ("perturb", "estimate"):
            begun = Path(folder) / what
            begun.mkdir()
            killer = Killer(begun)
            killer.start()
            if what == "perturb":
                assert digest(privet.spark.perturb(slowly(df, begun), policy, **options)) == first, "a killed executor changed reports"
            else:
                disturbed = privet.spark.summarize(slowly(written, begun), policy).to_bytes()
                assert disturbed == alone, "a killed executor changed the summary"
            killer.join()
            assert killer.killed
        print(f"\n{rows} rows of {len(policy.attributes)} attributes: reports and summaries are the same, with an executor killed in each.")
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000)
