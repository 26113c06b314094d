"""Tables that outgrow one machine: perturb and estimate them on Apache Spark.

Needs ``pip install privet[spark]``. The executors import this package too.

Spark computes lazily and computes again: for a second action, for a lost executor, for a slow task. If each run drew new noise, each
would spend the budget again, and nobody would count it. Here the noise of a row is a keyed function of a job's secret key, the row's key
and its values, so every run gives the same reports.

>>> from pyspark.sql import SparkSession                                 # doctest: +SKIP
>>> reports = privet.spark.perturb(people, policy, key_column="person")  # doctest: +SKIP
>>> privet.spark.estimate(reports, policy)                               # doctest: +SKIP
"""

from __future__ import annotations

import datetime
import functools
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from privet import _privet
from privet.errors import BudgetError, ParameterError, StorageError
from privet.estimates import Target
from privet.estimators import Step
from privet.policy import Policy, PolicySummary, _day, _write_secret

__all__ = ["Job", "estimate", "perturb", "summarize"]

_KEY_BYTES = 32

_BRANCHES = 16
"""How many tasks add up the summaries of the partitions, and how many summaries the driver gets."""

_PART = "part int, summary binary, epochs array<bigint>"


class Job:
    """The secret of one collection on Spark: 256 bits from the operating system, kept by the driver.

    Whoever has the key and a report can test guesses of the values behind it: keep it where the values are, and no longer than
    them. Executors get it with their tasks; they see the values anyway. It is not in query plans. ``save`` stores it, for drivers
    that must draw the same reports again.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(_KEY_BYTES)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Stores the key in a new file that only its owner can read."""
        path = Path(path)
        try:
            _write_secret(path, self._key)
            is_ours = path.read_bytes() == self._key
        except OSError as error:
            raise StorageError(f"the key cannot be stored: {error.strerror}", code="storage-failed") from error
        if not is_ours:
            raise StorageError(f"{path.name} holds another key, which is never written over", code="storage-failed")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Job:
        """A job whose key was stored."""
        try:
            key = Path(path).read_bytes()
        except OSError as error:
            raise StorageError(f"the key cannot be read: {error.strerror}", code="storage-failed") from error
        if len(key) != _KEY_BYTES:
            raise StorageError(f"the key of a job has {_KEY_BYTES} bytes: got {len(key)}", code="storage-failed")
        job = object.__new__(Job)
        job._key = key
        return job

    def __repr__(self) -> str:
        return "<Job with a secret key>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("the key of a job is stored by its save method only")


_keys: dict[tuple[str, int], set[bytes]] = {}
"""The keys under which this driver has perturbed, by policy and epoch."""


def _guard(policy: Policy, epoch: int, job: Job, spend_again: bool) -> None:
    """One key for a policy and an epoch: another one would be new noise on the same people, and cost their epsilon again."""
    keys = _keys.setdefault((policy.id, epoch), set())
    if keys and job._key not in keys and not spend_again:
        raise BudgetError(
            "this policy and epoch were perturbed with another key: new noise on the same people costs their epsilon again",
            code="answer-before",
            hint="pass the job of the first time; `spend_again=True` if these are other people, or the cost is meant",
        )
    keys.add(job._key)


def perturb(
    df: Any,
    policy: Policy,
    *,
    key_column: str,
    job: Job | None = None,
    day: datetime.date | str | None = None,
    write_to: str | None = None,
    check_keys: bool = False,
    spend_again: bool = False,
) -> Any:
    """A data frame with one column, ``report``, and a report for each row of ``df``.

    Columns that are called like the policy's attributes and public fields are read. ``key_column`` must be different in every row: a
    whole number, a text or bytes. Missing keys are refused, and keys that occur twice in a batch; ``check_keys`` counts all of them
    first, in a job of its own. The result is lazy, and every action gives the same reports.

    ``write_to`` writes them at once into a new Parquet folder and returns the written table, which no longer depends on the key.

    A driver perturbs a policy's epoch under one key: it refuses another ``job`` unless ``spend_again``. It knows of itself only, so
    store the job (``Job.save``) where another driver must go on.
    """
    private, public = policy.attributes, policy.public_fields
    columns = [key_column, *private, *public]
    lacking = [name for name in columns if name not in df.columns]
    if lacking:
        raise ParameterError(f"the data frame has no column {lacking[0]!r}", code="parameter-incompatible")
    day = _day(day)
    epoch = policy._core.epoch_of(day)
    if check_keys:
        _check_keys(df, key_column)
    job = job or Job()
    # By position, because the key may be an attribute too.
    chosen = df.select(*[_column(df, name).alias(f"c{place}") for place, name in enumerate(columns)])
    work = _perturbing(policy.to_json(), len(private), job._key, day)
    _try_without_rows(work, chosen.schema)
    _guard(policy, epoch, job, spend_again)
    reports = chosen.mapInArrow(work, "report binary")
    if write_to is None:
        return reports
    reports.write.mode("errorifexists").parquet(write_to)
    return df.sparkSession.read.parquet(write_to)


def _column(df: Any, name: str) -> Any:
    """A column by its whole name, dots included."""
    quoted = name.replace("`", "``")
    return df[f"`{quoted}`"]


def _try_without_rows(work: Callable[[Iterator[Any]], Iterator[Any]], schema: Any) -> None:
    """What is wrong with all rows, such as the kind of a column, is said here and not by an executor."""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    names = to_arrow_schema(schema)
    empty = pyarrow.RecordBatch.from_arrays([pyarrow.array([], kind) for kind in names.types], schema=names)
    for _ in work(iter([empty])):
        pass


def _check_keys(df: Any, key_column: str) -> None:
    from pyspark.sql import functions

    key = _column(df, key_column)
    rows, present, different = df.agg(
        functions.count(functions.lit(1)), functions.count(key), functions.count_distinct(key)
    ).first()
    if different < rows:
        raise ParameterError(
            f"of {rows} rows, {rows - present} have no key and {present - different} a key that occurred before",
            code="report-duplicate",
        )


def _perturbing(text: str, private: int, key: bytes, day: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def perturb_batches(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        core = _core(text)
        for batch in batches:
            keys, *columns = batch.columns
            reports = _privet.perturb_rows(core, keys, columns[:private], columns[private:], list(key), day)
            sealed = pyarrow.array(reports).cast(pyarrow.binary())
            yield pyarrow.RecordBatch.from_arrays([sealed], ["report"])

    return perturb_batches


@functools.lru_cache(maxsize=4)
def _core(text: str) -> _privet.Policy:
    """A policy, made once by each worker."""
    return _privet.Policy.read(text)


def estimate(
    df: Any,
    policy: Policy,
    *,
    by: str | None = None,
    step: Step = "none",
    target: Target = "reported",
    smooth: int | None = None,
    epoch: int | None = None,
    distinct: bool = True,
) -> list[dict[str, Any]]:
    """The estimates of all attributes from the column ``report``, as ``Policy.estimate`` gives them. See ``summarize``."""
    summary = summarize(df, policy, epoch=epoch, distinct=distinct)
    return policy.estimate(summary, by=by, step=step, target=target, smooth=smooth)


def summarize(df: Any, policy: Policy, *, epoch: int | None = None, distinct: bool = True) -> PolicySummary:
    """Counts the column ``report``: a summary for each partition, added up in a tree. Its bytes are those of one machine.

    Spark takes the result of each partition once, however often it ran. Reports that are in the table twice count once: they are
    brought to one partition by their ids, and two different reports with one id are refused. ``distinct=False`` saves that
    exchange for tables that were just made by ``perturb``; then only repetitions inside a partition are found.
    """
    from pyspark.sql import functions

    if "report" not in df.columns:
        raise ParameterError("the data frame has no column 'report'", code="parameter-incompatible")
    text = policy.to_json()
    reports = df.select("report")
    if distinct:
        # A report's id is its bytes 11 to 26.
        reports = reports.repartition(functions.substring("report", 11, 16))
    parts = reports.mapInArrow(_counting(text, epoch), _PART)
    # By a number that a second run gives again, so that a lost task is repeated with the same rows.
    parts = parts.repartition(_BRANCHES, "part").mapInArrow(_adding(text), _PART)
    total = _privet.Part(policy._core)
    for row in parts.collect():
        total.merge(policy._core, bytes(row["summary"]), row["epochs"])
    return PolicySummary._of(total.summary(epoch), policy)


def _counting(text: str, epoch: int | None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def count_batches(batches: Iterator[Any]) -> Iterator[Any]:
        core = _core(text)
        part = _privet.Part(core)
        for batch in batches:
            reports = _privet.Reports.from_arrow(batch.column(0))
            if reports is not None:
                part.add(core, reports, epoch)
        yield _row(part)

    return count_batches


def _adding(text: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def add_batches(batches: Iterator[Any]) -> Iterator[Any]:
        core = _core(text)
        part = _privet.Part(core)
        for batch in batches:
            for row in batch.to_pylist():
                part.merge(core, row["summary"], row["epochs"])
        yield _row(part)

    return add_batches


def _row(part: _privet.Part) -> Any:
    """A part as a row, with the number of its partition."""
    import pyarrow
    from pyspark import TaskContext

    task = TaskContext.get()
    arrays = [
        pyarrow.array([0 if task is None else task.partitionId()], pyarrow.int32()),
        pyarrow.array([part.to_bytes()], pyarrow.binary()),
        pyarrow.array([part.epochs], pyarrow.list_(pyarrow.int64())),
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, ["part", "summary", "epochs"])
