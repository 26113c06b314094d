"""A Spark cluster on one machine, for tests and measurements: two executor processes, and what disturbs them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyspark
from pyspark import TaskContext
from pyspark.sql import SparkSession, functions

import privet

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

MASTER, WORKERS = "127.0.0.1", ("127.0.0.2", "127.0.0.3")

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For Java programs that run for a minute, or have nothing to do: they gain nothing from the best compiler."""

PATIENCE = 200
"""Seconds until something that must happen on the cluster is given up."""


class Cluster:
    """A master and two workers, each with one executor process with one core.

    The workers have addresses of their own, as if they were two machines. Spark's own `local-cluster` has one address for all, and
    there Spark never runs a copy of a slow task: copies are for other machines.
    """

    def __init__(self, folder: Path, megabytes: int, settings: dict[str, str]) -> None:
        self.logs = folder / "work"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder, self._settings = folder, settings | {"spark.executor.memory": f"{megabytes}m"}
        try:
            self.spark = self._start(megabytes)
        except BaseException:
            self._end()
            raise

    def _start(self, megabytes: int) -> SparkSession:
        self._daemon("master", "--host", MASTER, "--port", "0")
        log = self._folder / "master.log"
        found: list[str] = []
        if not until(lambda: found.extend(re.findall(r"Starting Spark master at (spark://\S+)", log.read_text())) or found):
            raise TimeoutError(f"no master: {log.read_text()}")
        for host in WORKERS:
            resources = ["--cores", "1", "--memory", f"{megabytes}m", "--work-dir", str(self.logs)]
            self._daemon("worker", "--host", host, *resources, found[0])
        os.environ.update(SPARK_LOCAL_IP=MASTER, PYSPARK_PYTHON=sys.executable)
        always = {
            "spark.driver.host": MASTER,
            "spark.locality.wait": "0",
            "spark.speculation": "true",
            "spark.speculation.multiplier": "1.1",
            "spark.speculation.quantile": "0.3",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master(found[0]).appName("privet")
        for name, value in (always | self._settings).items():
            builder = builder.config(name, value)
        return builder.getOrCreate()

    def _daemon(self, kind: str, *words: str) -> None:
        home = Path(pyspark.__file__).parent
        own = {
            "SPARK_LOCAL_IP": words[1],
            "SPARK_LOCAL_DIRS": str(self._folder / "scratch"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": QUICK,
        }
        program = [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"]
        with open(self._folder / f"{kind}.log", "ab") as log:
            started = subprocess.Popen(
                [*program, "--webui-port", "0", *words], env=os.environ | own, stdout=log, stderr=subprocess.STDOUT
            )
        self._processes.append(started)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.spark.stop()
        self._end()

    def _end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
            process.wait()


def people(spark: SparkSession, rows: int, partitions: int) -> Any:
    """People whose values follow from their number."""
    number = functions.col("id")
    share = functions.pmod(number * 7919, functions.lit(1000)) / 1000
    transport = functions.array(*map(functions.lit, ("walk", "bus", "car")))
    return spark.range(0, rows, numPartitions=partitions).select(
        number.alias("person"),
        functions.element_at(transport, (number % 3 + 1).cast("int")).alias("transport"),
        (number % 20).alias("shop"),
        (share * 120).alias("minutes"),
        (share * 12).alias("hour"),
        functions.array(share * 10, share * 5).alias("home"),
        functions.when(number % 2 == 0, "north").otherwise("south").alias("region"),
    )


def counted_alone(batches: Iterator[Any], policy: privet.Policy) -> bytes:
    """The summary of reports in batches, counted by this process."""
    part = privet._privet.Part(policy._core)
    for batch in batches:
        if batch.num_rows:
            part.add(policy._core, privet._privet.Reports.from_arrow(batch.column(0)))
    return part.to_bytes()


class _Process(NamedTuple):
    parent: int
    seconds: int
    words: str


def _family() -> dict[int, _Process]:
    """This process and all that descend from it, with their processor time and command lines."""
    # With S, processes have the time of their children that have ended.
    words = ["ps", "-eww", "S", "-o", "pid=", "-o", "ppid=", "-o", "cputimes=", "-o", "args="]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()]
    processes = {int(row[0]): _Process(int(row[1]), int(row[2]), row[3]) for row in rows if len(row) == 4}

    def is_ours(pid: int) -> bool:
        while pid in processes and pid != os.getpid():
            pid = processes[pid].parent
        return pid == os.getpid()

    return {pid: process for pid, process in processes.items() if is_ours(pid)}


def executors() -> set[int]:
    return {pid for pid, process in _family().items() if "CoarseGrainedExecutorBackend" in process.words}


def processor_seconds() -> int:
    """What this process and its descendants have used up."""
    return sum(process.seconds for process in _family().values())


class Disturbance(threading.Thread):
    """Partitions that leave a mark when they begin; some are held until something was done to them."""

    def __init__(self, folder: Path, held: set[int]) -> None:
        super().__init__(daemon=True)
        self.folder, self.held = folder, held
        folder.mkdir()

    def watch(self, df: Any) -> Any:
        """The same rows."""
        folder, held, patience = str(self.folder), self.held, PATIENCE

        def wait(batches: Iterator[Any]) -> Iterator[Any]:
            import os
            import time
            import uuid

            partition = TaskContext.get().partitionId()
            mark = os.path.join(folder, f"{partition}-{uuid.uuid4().hex}")
            with open(mark + ".new", "w", encoding="ascii") as file:
                file.write(str(os.getpid()))
            os.rename(mark + ".new", mark + ".mark")
            deadline = time.monotonic() + patience
            while partition in held and not os.path.exists(os.path.join(folder, "go")):
                if time.monotonic() > deadline:
                    raise TimeoutError("nothing was done to this partition")
                time.sleep(0.02)
            yield from batches

        return df.mapInArrow(wait, df.schema)

    def runs(self, partition: int) -> list[int]:
        """The worker processes that have begun a partition."""
        return [int(mark.read_text()) for mark in self.folder.glob(f"{partition}-*.mark")]

    def run(self) -> None:
        raise NotImplementedError

    def go(self) -> None:
        (self.folder / "go").touch()


def until(condition: Any) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class Kill(Disturbance):
    """Kills the executor that has finished partition 0, while each executor works on another one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, {2, 3})
        self.victim: int | None = None
        self.newcomers: set[int] = set()

    def run(self) -> None:
        if not until(lambda: all(self.runs(partition) for partition in (0, 1, 2, 3))):
            return
        before, family = executors(), _family()
        # A worker's parent is the daemon that forks workers, and its parent is the executor.
        victim = family[family[self.runs(0)[0]].parent].parent
        os.kill(victim, signal.SIGKILL)
        gone = until(lambda: victim not in executors())
        self.go()
        if gone and victim in before and until(lambda: executors() - before):
            self.victim, self.newcomers = victim, executors() - before


class Slow(Disturbance):
    """Holds the last partition until Spark has begun it a second time, beside the first; Spark does that when nothing else is left."""

    def __init__(self, folder: Path, partitions: int) -> None:
        self.last = partitions - 1
        super().__init__(folder, {self.last})

    def run(self) -> None:
        until(lambda: len(self.runs(self.last)) > 1)
        self.go()
