"""Spark on a cluster with two executor processes: the same reports and summaries, whatever is run again."""

from __future__ import annotations

import base64
import contextlib
import datetime
import io
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet

pyspark = pytest.importorskip("pyspark")
import privet.spark
import pyarrow
from conftest import EPOCHS
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import IntegerType
from spark_cluster import DAY, POLICY, QUICK, Cluster, Kill, Slow, executors, people

ROWS = 6_000
PARTITIONS = 6

EVENTS = "events"
"""The folder of Spark's event logs, inside that of the session."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("spark")
    (made / EVENTS).mkdir()
    return made


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[Cluster]:
    logging = folder / "log4j2.properties"
    logging.write_text(
        f"""
        rootLogger.level = info
        rootLogger.appenderRef.file.ref = file
        appender.file.type = File
        appender.file.name = file
        appender.file.fileName = {folder}/driver.log
        appender.file.layout.type = PatternLayout
        appender.file.layout.pattern = %p %c: %m%n%ex
        """
    )
    settings = {
        "spark.driver.extraJavaOptions": f"{QUICK} -Dlog4j2.configurationFile=file:{logging}",
        "spark.executor.extraJavaOptions": QUICK,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{folder / EVENTS}",
        "spark.sql.shuffle.partitions": "4",
        # Once more after a lost executor. Tables with mistakes fail every time.
        "spark.task.maxFailures": "2",
    }
    with Cluster(folder, 512, settings) as started:
        started.spark.sparkContext.setLogLevel("INFO")
        yield started


@pytest.fixture(scope="module")
def spark(cluster: Cluster) -> SparkSession:
    return cluster.spark


@pytest.fixture(scope="module")
def policy() -> privet.Policy:
    return privet.Policy(POLICY)


@pytest.fixture(scope="module")
def perturbed(policy: privet.Policy) -> Callable[..., Any]:
    """Perturbs people, each time with a key of its own."""

    def perturb(df: Any, **options: Any) -> Any:
        options = {"key_column": "person", "day": DAY, "spend_again": True} | options
        return privet.spark.perturb(df, policy, **options)

    return perturb


@pytest.fixture(scope="module")
def everyone(spark: SparkSession) -> Any:
    return people(spark, ROWS, PARTITIONS)


@pytest.fixture(scope="module")
def job() -> privet.spark.Job:
    return privet.spark.Job()


@pytest.fixture(scope="module")
def reports(everyone: Any, perturbed: Any, job: privet.spark.Job) -> list[bytes]:
    """The reports of everyone under `job`, in order."""
    return collected(perturbed(everyone, job=job))


@pytest.fixture(scope="module")
def alone(policy: privet.Policy, reports: list[bytes]) -> bytes:
    """The summary that one machine counts of these reports."""
    return policy.summarize(privet.Reports(reports)).to_bytes()


def collected(df: Any) -> list[bytes]:
    return sorted(df.toArrow()["report"].to_pylist())


def ids(reports: list[bytes]) -> set[bytes]:
    return {report[10:26] for report in reports}


def test_every_action_gives_the_same_reports(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, reports: list[bytes]
) -> None:
    assert len(ids(reports)) == ROWS and {len(one) for one in reports} == {policy.report_bytes}
    lazy = perturbed(everyone, job=job)
    assert collected(lazy) == reports and collected(lazy) == reports
    # Another cut into partitions and another width of the key change nothing; another key changes everything.
    again = everyone.repartition(3).withColumn("person", functions.col("person").cast(IntegerType()))
    assert collected(perturbed(again, job=job)) == reports
    assert not ids(collected(perturbed(everyone))) & ids(reports)


def test_one_process_draws_the_same_reports(
    everyone: Any, policy: privet.Policy, job: privet.spark.Job, reports: list[bytes]
) -> None:
    columns = ["person", *policy.attributes, *policy.public_fields]
    work = privet.spark._perturbing(policy.to_json(), len(policy.attributes), job._key, DAY)
    table = pyarrow.Table.from_batches(work(iter(everyone.select(*columns).toArrow().to_batches())))
    assert sorted(table["report"].to_pylist()) == reports


def test_reports_that_are_drawn_anew_are_noticed(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, alone: bytes, monkeypatch: Any
) -> None:
    """The control of the tests above: with a key for each task, all of their comparisons fail."""
    lazy = perturbed(everyone, job=job)
    assert privet.spark.summarize(lazy.union(lazy), policy).to_bytes() == alone
    faithful = privet.spark._perturbing

    def redrawing(text: str, private: int, _: bytes, day: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
        return lambda batches: faithful(text, private, secrets.token_bytes(32), day)(batches)

    monkeypatch.setattr(privet.spark, "_perturbing", redrawing)
    redrawn = perturbed(everyone, job=job)
    assert not ids(collected(redrawn)) & ids(collected(redrawn))
    assert privet.spark.summarize(redrawn.union(redrawn), policy).n == 2 * ROWS


def test_summaries_are_those_of_one_machine(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, alone: bytes
) -> None:
    lazy = perturbed(everyone, job=job)
    for distinct in (True, False):
        summary = privet.spark.summarize(lazy, policy, distinct=distinct)
        assert summary.n == ROWS and summary.to_bytes() == alone
    estimates = privet.spark.estimate(lazy, policy, by="region")
    assert estimates == policy.estimate(policy.summary_from_bytes(alone), by="region") and len(estimates) == 10


def test_estimates_are_near_the_truth(policy: privet.Policy, alone: bytes) -> None:
    """Categories, numbers, angles and places, all from one summary."""
    found = {row["attribute"]: row for row in policy.estimate(policy.summary_from_bytes(alone))}
    shares = {name: [one["value"] for one in found[name]["estimates"]] for name in ("transport", "shop")}
    assert np.allclose(shares["transport"], 1 / 3, atol=0.1)
    assert np.allclose(shares["shop"], 1 / 20, atol=0.1)
    assert abs(found["minutes"]["value"] - 60) < 6
    assert abs(found["hour"]["value"] - 6) < 1
    # Homes lie on the diagonal of four by four cells.
    cells = np.reshape([one["value"] for one in found["home"]["estimates"]], (4, 4))
    assert np.trace(cells) > 0.7


def test_the_command_counts_the_same(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, command: Callable[..., Any], tmp_path: Path
) -> None:
    written = perturbed(everyone, job=job, write_to=str(tmp_path / "reports"))
    (tmp_path / "travel.toml").write_text(POLICY)
    parts = ",".join(map(str, sorted((tmp_path / "reports").glob("*.parquet"))))
    for epoch, flags in EPOCHS.items():
        theirs = command("estimate", "--policy", tmp_path / "travel.toml", "--in", parts, *flags)
        assert theirs["reports"] == ROWS and {row["epoch"] for row in theirs["estimates"]} == {epoch}
        assert privet.spark.estimate(written, policy, epoch=epoch) == theirs["estimates"]


def test_what_is_counted(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    lazy = perturbed(people(spark, 50, 2))
    assert privet.spark.summarize(lazy, policy, epoch=1).n == 0
    assert privet.spark.summarize(lazy.union(lazy), policy, distinct=False).n == 100


def test_an_executor_killed_while_perturbing(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, alone: bytes, tmp_path: Path
) -> None:
    kill = Kill(tmp_path / "marks")
    kill.start()
    # Reports that wait for being counted are lost with their executor, and drawn again.
    summary = privet.spark.summarize(perturbed(kill.watch(everyone), job=job), policy)
    kill.join()
    assert kill.victim is not None and kill.victim not in executors() and kill.newcomers
    assert len(kill.runs(0)) > 1
    assert summary.to_bytes() == alone


def test_an_executor_killed_while_estimating(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, alone: bytes, tmp_path: Path
) -> None:
    written = perturbed(everyone, job=job, write_to=str(tmp_path / "reports"))
    kill = Kill(tmp_path / "marks")
    kill.start()
    summary = privet.spark.summarize(kill.watch(written.repartition(PARTITIONS, "report")), policy, distinct=False)
    kill.join()
    assert kill.victim is not None and kill.victim not in executors() and kill.newcomers
    assert sum(len(kill.runs(partition)) for partition in range(PARTITIONS)) > PARTITIONS
    assert summary.to_bytes() == alone


def test_a_slow_task_and_its_copy(
    everyone: Any, perturbed: Any, job: privet.spark.Job, reports: list[bytes], tmp_path: Path
) -> None:
    slow = Slow(tmp_path / "marks", PARTITIONS)
    slow.start()
    found = collected(perturbed(slow.watch(everyone), job=job))
    slow.join()
    assert len(slow.runs(slow.last)) > 1
    assert found == reports


def test_written_once(
    everyone: Any, spark: Any, perturbed: Any, job: privet.spark.Job, reports: list[bytes], tmp_path: Path
) -> None:
    path = str(tmp_path / "reports")
    written = perturbed(everyone, job=job, write_to=path)
    assert collected(written) == reports == collected(spark.read.parquet(path))
    with pytest.raises(Exception, match="PATH_ALREADY_EXISTS"):
        perturbed(everyone, write_to=path)


def test_another_value_has_noise_of_its_own(
    everyone: Any, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, reports: list[bytes]
) -> None:
    person = functions.col("person")
    changed = everyone.withColumn("shop", functions.when(person < 600, 19).otherwise(functions.col("shop")))
    after = collected(perturbed(changed, job=job))
    # 30 of the first 600 people were in shop 19 before. The ids, drawn from the same words as the noise, show which words are new.
    assert len(ids(reports) & ids(after)) == len(set(reports) & set(after)) == ROWS - 570
    # So a key that two rows share by mistake does not make their noise the same, and both rows count.
    assert privet.spark.summarize(perturbed(everyone.union(changed), job=job), policy).n == ROWS + 570


def test_one_key_for_two_collections(
    everyone: Any, perturbed: Any, job: privet.spark.Job, reports: list[bytes]
) -> None:
    """Neither another policy nor another epoch repeats noise, though the job is the same."""
    other = privet.Policy(POLICY.replace("Plan bicycle lanes", "Plan tram lines"))
    elsewhere = collected(privet.spark.perturb(everyone, other, key_column="person", job=job, day=DAY))
    later = collected(perturbed(everyone, job=job, day="2026-04-15"))
    assert len(ids(reports) | ids(elsewhere) | ids(later)) == 3 * ROWS


def test_one_key_for_a_policy(spark: Any, tmp_path: Path) -> None:
    policy = privet.Policy(POLICY.replace("How we travel", "How we travelled"))
    df, job = people(spark, 10, 1), privet.spark.Job()
    options: dict[str, Any] = {"key_column": "person", "day": DAY}
    privet.spark.perturb(df, policy, job=job, **options)
    privet.spark.perturb(df, policy, job=job, **options)
    with pytest.raises(privet.BudgetError, match="another key"):
        privet.spark.perturb(df, policy, **options)
    privet.spark.perturb(df, policy, spend_again=True, **options)
    privet.spark.perturb(df, policy, job=job, **options)
    # Another day of the same month is the same epoch, another month is not.
    with pytest.raises(privet.BudgetError, match="another key"):
        privet.spark.perturb(df, policy, key_column="person", day="2026-03-16")
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


def tells(text: bytes, key: bytes) -> bool:
    """Whether a key is in a text: as it is, in hexadecimal digits, in base 64, in Python's escapes, or as a row of numbers."""
    signed = [byte - 256 if byte > 127 else byte for byte in key]
    texts = [key.hex(), key.hex().upper(), repr(key)[2:-1]]
    texts += [joint.join(map(str, numbers)) for numbers in (list(key), signed) for joint in (", ", ",", " ")]
    for before in range(3):
        # Inside a longer text a key can begin at each of three places of a group, and shares its first and last letters with others.
        letters = base64.b64encode(bytes(before) + key).decode().rstrip("=")[4:-1]
        texts += [letters, letters.replace("+", "-").replace("/", "_")]
    return key in text or any(one.encode() in text for one in texts)


def test_the_key_is_written_nowhere(
    everyone: Any, cluster: Cluster, policy: privet.Policy, perturbed: Any, job: privet.spark.Job, folder: Path
) -> None:
    # What travels to executors does have it, however it is written down.
    task = pyspark.cloudpickle.dumps(privet.spark._perturbing(policy.to_json(), 5, job._key, DAY))
    for written in (task, task.hex().encode(), base64.b64encode(b"." + task), base64.b64encode(task), repr(list(task)).encode()):
        assert tells(written, job._key)
    settings = cluster.spark.conf
    # Spark writes down what each of its rules makes of a plan.
    settings.set("spark.sql.planChangeLog.level", "info")
    lazy = perturbed(everyone, job=job)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for mode in ("simple", "extended", "codegen", "cost", "formatted"):
            lazy.explain(mode=mode)
    privet.spark.summarize(lazy, policy)
    with pytest.raises(Exception, match="outside") as error:
        perturbed(everyone.withColumn("minutes", functions.lit(7777.25)), job=job).collect()
    settings.unset("spark.sql.planChangeLog.level")
    sources = {"explain": said.getvalue().encode(), "error": str(error.value).encode(), "job": repr(job).encode()}
    logs = [folder / "driver.log", *folder.joinpath(EVENTS).rglob("*"), *cluster.logs.rglob("std*")]
    sources |= {str(path): path.read_bytes() for path in logs if path.is_file()}
    # That these are the right places: they speak of the work.
    for name in ("explain", str(folder / "driver.log")):
        assert b"perturb_batches" in sources[name]
    assert any(b"perturb_batches" in text for name, text in sources.items() if EVENTS in name)
    assert any(b"Running task" in text for name, text in sources.items() if name.endswith("stderr"))
    for name, text in sources.items():
        assert not tells(text, job._key), name
    with pytest.raises(TypeError, match="save"):
        pyspark.cloudpickle.dumps(job)


def test_bad_tables(spark: Any, policy: privet.Policy, perturbed: Any) -> None:
    df = people(spark, 100, 1)
    for column in ("person", "minutes", "region"):
        with pytest.raises(privet.ParameterError, match=column):
            perturbed(df.drop(column))
    twice = df.union(df)
    with pytest.raises(privet.ParameterError, match="100 a key that occurred before"):
        perturbed(twice, check_keys=True)
    missing = df.withColumn("person", functions.when(functions.col("person") > 0, functions.col("person")))
    with pytest.raises(privet.ParameterError, match="1 have no key"):
        perturbed(missing, check_keys=True)
    outside = df.withColumn("minutes", functions.lit(7777.25))
    null = df.withColumn("minutes", functions.lit(None).cast("double"))
    for bad, message in [
        (missing, "row key number 1"),
        (twice.coalesce(1), "same key"),
        (outside, "minutes"),
        (null, "missing"),
    ]:
        with pytest.raises(Exception, match=message) as error:
            perturbed(bad).collect()
        assert "7777" not in str(error.value)
    # Kinds of columns are known before anything runs.
    with pytest.raises(privet.DomainError, match="row keys are"):
        perturbed(df.withColumn("person", functions.col("person") / 2))
    with pytest.raises(privet.DomainError, match="values are"):
        perturbed(df.withColumn("minutes", functions.current_date()))
    permanent = privet.Policy(POLICY.replace('goal = "frequency"\n', 'goal = "frequency"\nepsilon_forever = 2\n', 1))
    with pytest.raises(privet.ParameterError, match="permanent"):
        privet.spark.perturb(df, permanent, key_column="person", day=DAY)
    with pytest.raises(privet.ParameterError):
        privet.spark.estimate(df, policy)
    with pytest.raises(privet.DomainError, match="open from"):
        perturbed(df, day="2031-01-01")


def test_two_reports_with_one_id_are_refused(spark: Any, policy: privet.Policy, reports: list[bytes]) -> None:
    first, second = reports[:2]
    forged = second[:10] + first[10:26] + second[26:]
    df = spark.createDataFrame([(bytearray(first),), (bytearray(forged),)], "report binary")
    with pytest.raises(Exception, match="two different reports have the same id"):
        privet.spark.summarize(df, policy)
