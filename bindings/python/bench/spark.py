"""Twenty million people on two executors, and beside it one process: the same reports, the same summary, and what Spark costs.

Run it in an environment with the release wheel and the packages of tests/requirements.txt:

    python bench/spark.py [ROWS]

It stops with an error if anything differs: between two actions, after an executor was killed, beside the copy of a slow task, or
from one process. Folders of about 150 bytes a row come and go where temporary files are kept.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pyspark
import spark_cluster
from pyspark.sql import functions
from spark_cluster import DAY, POLICY, Cluster, Disturbance, Kill, Slow, counted_alone, people, processor_seconds

import privet
import privet.spark

T = TypeVar("T")

PARTITIONS = 40

BATCH = 10_000
"""Spark's own size of batches."""


def timed(what: str, rows: int, work: Callable[[], T]) -> T:
    # Idle workers of Spark end after a while and take their time with them, and so do executors that are killed.
    clock = processor_seconds if what.startswith("Spark") else time.process_time
    start, used = time.perf_counter(), clock()
    result = work()
    seconds, used = time.perf_counter() - start, clock() - used
    shown = "" if "killed" in what else f"{used:.0f} s"
    print(f"| {what} | {seconds:.1f} s | {shown} | {rows / seconds / 1e6:.2f} M rows/s |", flush=True)
    return result


def digest(df: Any) -> tuple[object, ...]:
    """What two tables with the same reports have in common, in any order."""
    hashes = [functions.xxhash64("report", functions.lit(salt)).cast("decimal(38,0)") for salt in (1, 2)]
    return tuple(df.agg(functions.count("report"), *map(functions.sum, hashes)).first())


def drawn_alone(source: str, out: str, policy: privet.Policy, job: privet.spark.Job) -> None:
    """Perturbs a table in this process, from Parquet to Parquet."""
    columns = ["person", *policy.attributes, *policy.public_fields]
    work = privet.spark._perturbing(policy.to_json(), len(policy.attributes), job._key, DAY)
    batches = pyarrow.dataset.dataset(source).to_batches(columns=columns, batch_size=BATCH)
    with pyarrow.parquet.ParquetWriter(out, pyarrow.schema([("report", pyarrow.binary())])) as writer:
        for batch in work(batches):
            writer.write_batch(batch)


def reports_of(path: str) -> Any:
    return pyarrow.dataset.dataset(path).to_batches(columns=["report"], batch_size=BATCH)


def disturbed(what: str, rows: int, disturbance: Disturbance, work: Callable[[], T]) -> T:
    disturbance.start()
    result = timed(what, rows, work)
    disturbance.join()
    assert any(len(disturbance.runs(partition)) > 1 for partition in range(PARTITIONS)), "nothing was run a second time"
    assert not isinstance(disturbance, Kill) or disturbance.victim, "no executor was replaced"
    return result


def measure(cluster: Cluster, folder: Path, rows: int) -> None:
    spark, policy, job = cluster.spark, privet.Policy(POLICY), privet.spark.Job()
    options: dict[str, Any] = {"key_column": "person", "job": job, "day": DAY}
    source, reports, alone = (str(folder / name) for name in ("people", "reports", "alone"))
    people(spark, rows, PARTITIONS).write.parquet(source)
    df = spark.read.parquet(source)
    lazy = privet.spark.perturb(df, policy, **options)

    print("| work | time | processor time | speed |\n|---|---|---|---|")
    written = timed("Spark: perturb and write", rows, lambda: privet.spark.perturb(df, policy, write_to=reports, **options))
    timed("one process: perturb and write", rows, lambda: drawn_alone(source, alone, policy, job))
    first = digest(written)
    assert digest(spark.read.parquet(alone)) == first, "one process drew other reports"
    os.remove(alone)

    summary = timed("Spark: summarize", rows, lambda: privet.spark.summarize(written, policy)).to_bytes()
    quick = timed("Spark: summarize, distinct=False", rows, lambda: privet.spark.summarize(written, policy, distinct=False))
    counted = timed("one process: summarize", rows, lambda: counted_alone(reports_of(reports), policy))
    assert summary == quick.to_bytes() == counted, "the summaries differ"

    for action in ("first", "second"):
        assert timed(f"Spark: perturb, {action} action", rows, lambda: digest(lazy)) == first, "two actions differ"
    slow = Slow(folder / "slow", PARTITIONS)
    lazy = privet.spark.perturb(slow.watch(df), policy, **options)
    assert disturbed("Spark: perturb, with a copy of a task", rows, slow, lambda: digest(lazy)) == first, "a copy differs"
    kill = Kill(folder / "perturbing")
    lazy = privet.spark.perturb(kill.watch(df), policy, **options)
    again = disturbed("Spark: perturb and summarize, an executor killed", rows, kill, lambda: privet.spark.summarize(lazy, policy))
    assert again.to_bytes() == counted, "a killed executor changed the reports"
    kill = Kill(folder / "counting")
    held = kill.watch(written)
    again = disturbed(
        "Spark: summarize, an executor killed", rows, kill, lambda: privet.spark.summarize(held, policy, distinct=False)
    )
    assert again.to_bytes() == counted, "a killed executor changed the summary"


def main(rows: int) -> None:
    spark_cluster.PATIENCE = 3600
    # Files are not packed into fewer partitions than were written.
    settings = {"spark.sql.shuffle.partitions": "16", "spark.sql.files.minPartitionNum": str(PARTITIONS)}
    with tempfile.TemporaryDirectory(prefix="privet-spark-", ignore_cleanup_errors=True) as name:
        with Cluster(Path(name), 1024, settings) as cluster:
            java = cluster.spark.sparkContext._jvm.java.lang.System.getProperty("java.version")
            print(f"Spark {pyspark.__version__}, Java {java}, Python {platform.python_version()}, pyarrow {pyarrow.__version__}")
            print(f"{os.cpu_count()} processors; two executors with one each; {rows} rows of five attributes\n")
            measure(cluster, Path(name), rows)
    print("\nThe same reports from every action and from one process; the same summary, whoever counted and whatever was killed.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000)
