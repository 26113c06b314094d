"""Spark on a cluster with two executor processes: the same reports and summaries, whatever is run again."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet

pyspark = pytest.importorskip("pyspark")
import privet.spark
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import IntegerType

ROWS = 200_000

DAY = "2026-03-15"

POLICY = """
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-03-01
closes = 2026-05-31
epoch = "month"
minimum_reports = 100
contribution = "split"

[budget]
epsilon = 10
period = "month"

[[attribute]]
name = "transport"
question = "How do you get to work?"
domain = "categories:walk,bus,car"
mechanism = "generalized-randomized-response"
goal = "frequency"

[[attribute]]
name = "shop"
question = "Where do you shop?"
domain = "categories:20"
mechanism = "optimized-unary-encoding"
goal = "frequency"

[[attribute]]
name = "minutes"
question = "How long does it take?"
domain = "interval:0,120"
mechanism = "piecewise"
goal = "mean"

[[attribute]]
name = "hour"
question = "When do you leave?"
domain = "circle:24"
mechanism = "optimal-piecewise-circle"
goal = "mean"

[[attribute]]
name = "home"
question = "Where do you live?"
domain = "rectangle:0,10,0,5"
bins = 4
mechanism = "generalized-randomized-response"
goal = "distribution"

[[public]]
name = "region"
values = ["north", "south"]
"""


def session(memory: str = "1g") -> SparkSession:
    """Two executor processes with a core each, and speculation on every slow task."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    megabytes = int(memory.removesuffix("g")) * 1024
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": memory,
        "spark.task.maxFailures": "8",
        "spark.speculation": "true",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.3",
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master(f"local-cluster[2,1,{megabytes}]").appName("privet")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    started = session()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def policy() -> privet.Policy:
    return privet.Policy(POLICY)


def people(spark: SparkSession, rows: int, partitions: int = 8) -> Any:
    """People whose values follow from their number."""
    number = functions.col("id")
    share = functions.pmod(number * 7919, functions.lit(1000)) / 1000
    return spark.range(0, rows, numPartitions=partitions).select(
        number.alias("person"),
        functions.element_at(functions.array(*map(functions.lit, ("walk", "bus", "car"))), (number % 3 + 1).cast("int")).alias("transport"),
        (number % 20).alias("shop"),
        (share * 120).alias("minutes"),
        (share * 23.9).alias("hour"),
        functions.array(share * 10, share * 5).alias("home"),
        functions.when(number % 2 == 0, "north").otherwise("south").alias("region"),
    )


@pytest.fixture
def perturbed(spark: SparkSession, policy: privet.Policy) -> Callable[..., Any]:
    """Perturbs people, each time with a key of its own."""

    def perturb(df: Any, **options: Any) -> Any:
        options = {"key_column": "person", "day": DAY, "spend_again": True} | options
        return privet.spark.perturb(df, policy, **options)

    return perturb


def collected(df: Any) -> list[bytes]:
    return sorted(df.toArrow()["report"].to_pylist())


def on_one_machine(policy: privet.Policy, reports: list[bytes]) -> bytes:
    return policy.summarize(privet.Reports(reports)).to_bytes()


def executors() -> list[int]:
    """The executor processes of this test's own Spark."""
    mine = {os.getpid()}
    processes = subprocess.run(
        ["ps", "-e", "-ww", "-o", "pid=", "-o", "ppid=", "-o", "args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in processes.splitlines()]
    while True:
        children = {int(pid) for pid, parent, *_ in rows if int(parent) in mine} - mine
        if not children:
            break
        mine |= children
    return [int(row[0]) for row in rows if int(row[0]) in mine and "CoarseGrainedExecutorBackend" in row[-1]]


class Killer(threading.Thread):
    """Kills an executor once work has begun."""

    def __init__(self, begun: Path) -> None:
        super().__init__()
        self.begun, self.killed = begun, False

    def run(self) -> None:
        for _ in range(1200):
            if any(self.begun.iterdir()):
                os.kill(executors()[0], signal.SIGKILL)
                self.killed = True
                return
            time.sleep(0.05)


def slowly(df: Any, begun: Path) -> Any:
    """The same rows, from partitions that leave a mark when they begin, and then take their time."""
    folder = str(begun)

    def wait(batches: Iterator[Any]) -> Iterator[Any]:
        import time
        import uuid
        from pathlib import Path

        (Path(folder) / uuid.uuid4().hex).touch()
        for batch in batches:
            time.sleep(0.1)
            yield batch

    return df.mapInArrow(wait, df.schema)


def test_every_action_gives_the_same_reports(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    df = people(spark, ROWS)
    job = privet.spark.Job()
    reports = perturbed(df, job=job)
    first = collected(reports)
    assert len(set(first)) == ROWS and {len(one) for one in first} == {policy.report_bytes}
    assert collected(reports) == first
    # Another cut into partitions and another width of the key change nothing; another key changes everything.
    again = df.repartition(3).withColumn("person", functions.col("person").cast(IntegerType()))
    assert collected(perturbed(again, job=job)) == first
    assert not set(collected(perturbed(df))) & set(first)


def test_summaries_are_those_of_one_machine(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    reports = perturbed(people(spark, ROWS, partitions=20)).persist()
    alone = on_one_machine(policy, collected(reports))
    summary = privet.spark.summarize(reports, policy, distinct=False)
    assert summary.n == ROWS and summary.to_bytes() == alone
    estimates = privet.spark.estimate(reports, policy, by="region")
    assert estimates == policy.estimate(policy.summary_from_bytes(alone), by="region") and len(estimates) == 10
    shares = [one["value"] for one in policy.estimate(summary)[0]["estimates"]]
    assert np.allclose(shares, 1 / 3, atol=0.05)
    # Reports that are in the table twice, in different partitions, count once.
    assert privet.spark.summarize(reports.union(reports), policy).to_bytes() == alone
    reports.unpersist()


def test_what_is_counted(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    reports = perturbed(people(spark, 50, partitions=2))
    assert privet.spark.summarize(reports, policy, epoch=1).n == 0
    assert privet.spark.summarize(reports.union(reports), policy, distinct=False).n == 100


def test_an_executor_killed_while_perturbing(spark: Any, perturbed: Any, tmp_path: Path) -> None:
    df, job = people(spark, ROWS), privet.spark.Job()
    undisturbed = collected(perturbed(df, job=job))
    killer = Killer(tmp_path)
    killer.start()
    disturbed = collected(perturbed(slowly(df, tmp_path), job=job))
    killer.join()
    assert killer.killed and disturbed == undisturbed


def test_an_executor_killed_while_estimating(spark: Any, policy: privet.Policy, perturbed: Any, tmp_path: Path) -> None:
    written = perturbed(people(spark, ROWS), write_to=str(tmp_path / "reports"))
    begun = tmp_path / "begun"
    begun.mkdir()
    alone = on_one_machine(policy, collected(written))
    killer = Killer(begun)
    killer.start()
    summary = privet.spark.summarize(slowly(written, begun), policy)
    killer.join()
    assert killer.killed and summary.to_bytes() == alone


def test_written_once(spark: Any, perturbed: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "reports")
    df, job = people(spark, 1000), privet.spark.Job()
    written = perturbed(df, job=job, write_to=path)
    assert collected(written) == collected(perturbed(df, job=job)) == collected(spark.read.parquet(path))
    with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
        perturbed(df, write_to=path)


def test_one_key_for_a_policy(spark: Any, tmp_path: Path) -> None:
    policy = privet.Policy(POLICY.replace("How we travel", "How we travelled"))
    df, job = people(spark, 10), privet.spark.Job()
    options: dict[str, Any] = {"key_column": "person", "day": DAY}
    privet.spark.perturb(df, policy, job=job, **options)
    privet.spark.perturb(df, policy, job=job, **options)
    with pytest.raises(privet.BudgetError, match="another key"):
        privet.spark.perturb(df, policy, **options)
    privet.spark.perturb(df, policy, spend_again=True, **options)
    privet.spark.perturb(df, policy, job=job, **options)
    privet.spark.perturb(df, policy, key_column="person", day=datetime.date(2026, 4, 1))
    # A key that was stored goes on in another driver.
    job.save(tmp_path / "key")
    assert os.stat(tmp_path / "key").st_mode & 0o777 == 0o600
    loaded = privet.spark.Job.load(tmp_path / "key")
    assert collected(privet.spark.perturb(df, policy, job=loaded, **options)) == collected(
        privet.spark.perturb(df, policy, job=job, **options)
    )
    with pytest.raises(privet.StorageError):
        privet.spark.Job().save(tmp_path / "key")
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(privet.StorageError):
        privet.spark.Job.load(tmp_path / "key")
    assert job._key.hex() not in repr(job)


def test_bad_tables(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    df = people(spark, 100)
    for column in ("person", "minutes", "region"):
        with pytest.raises(privet.ParameterError, match=column):
            perturbed(df.drop(column))
    twice = df.union(df)
    with pytest.raises(privet.ParameterError, match="100 a key that occurred before"):
        perturbed(twice, check_keys=True)
    missing = df.withColumn("person", functions.when(functions.col("person") > 0, functions.col("person")))
    outside = df.withColumn("minutes", functions.lit(7777.25))
    null = df.withColumn("minutes", functions.lit(None).cast("double"))
    real = df.withColumn("person", functions.col("person") / 2)
    for bad, message in [
        (missing, "row key number 1"),
        (twice.coalesce(1), "same key"),
        (outside, "minutes"),
        (null, "missing"),
        (real, "row keys are"),
    ]:
        with pytest.raises(Exception, match=message) as error:
            perturbed(bad).collect()
        assert "7777" not in str(error.value)
    with pytest.raises(privet.ParameterError):
        privet.spark.estimate(df, policy)
    with pytest.raises(privet.DomainError, match="open from"):
        perturbed(df, day="2031-01-01")


def test_two_reports_with_one_id_are_refused(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    first, second = (collected(perturbed(people(spark, 1)))[0] for _ in range(2))
    forged = second[:10] + first[10:26] + second[26:]
    df = spark.createDataFrame([(bytearray(first),), (bytearray(forged),)], "report binary")
    with pytest.raises(Exception, match="two different reports have the same id"):
        privet.spark.summarize(df, policy)
