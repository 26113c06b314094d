"""Columns of every kind: the right answer or a clear exception, and never a value in it."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import privet

NUMBERS = privet.OGPM(domain=privet.Interval(0, 10), epsilon=1.0)
NAMED = privet.GRR(domain=privet.Categories(["a", "b", "c"]), epsilon=1.0)
COUNTED = privet.GRR(domain=privet.Categories(300), epsilon=1.0)
PLACES = privet.SquareWindow(domain=privet.Rectangle(0, 1, 0, 1), epsilon=1.0)
VECTORS = privet.LaplaceVector(domain=privet.Vectors(2), epsilon=1.0)
WORDS = privet.PrefixTree(domain=privet.Words(8), epsilon=1.0)


def same(mechanism: privet.Mechanism, one: Any, other: Any, **options: Any) -> bool:
    return mechanism.randomize(one, insecure_seed=1, **options) == mechanism.randomize(other, insecure_seed=1)


def refused(mechanism: privet.Mechanism, values: Any, code: str, **options: Any) -> privet.DomainError:
    with pytest.raises(privet.DomainError) as caught:
        mechanism.randomize(values, **options)
    assert caught.value.code == code
    assert isinstance(caught.value, ValueError)
    return caught.value


def test_all_kinds_of_columns_of_numbers() -> None:
    plain = [1.0, 2.5, 10.0]
    for column in (
        np.array(plain),
        np.array(plain, dtype=np.float32),
        np.array(plain)[::-1][::-1],
        np.array([plain, plain]).T[:, 0],
        np.array([1.0, 9, 2.5, 9, 10.0])[::2],
        np.array(plain, dtype=object),
        np.ma.masked_array(plain, mask=False),
        tuple(plain),
        iter(plain),
        pandas.Series(plain),
        pandas.Series(plain, dtype="Float64"),
        pandas.Series(plain, dtype="float64[pyarrow]"),
        pandas.Series(plain, index=[5, 5, 5]),
        polars.Series(plain),
        polars.DataFrame({"x": plain})["x"],
        pa.array(plain),
        pa.chunked_array([[1.0], [2.5, 10.0]]),
        pa.array(plain, pa.float32()),
    ):
        assert same(NUMBERS, column, plain), type(column)
    read_only = np.array(plain)
    read_only.flags.writeable = False
    assert same(NUMBERS, read_only, plain)
    assert same(NUMBERS, np.array([1, 2, 3], dtype=np.int8), [1.0, 2.0, 3.0])
    assert same(NUMBERS, np.array([1, 2, 3], dtype=">f8"), [1.0, 2.0, 3.0])
    assert same(NUMBERS, 4.5, [4.5]) and same(NUMBERS, np.float64(4.5), [4.5])


def test_all_kinds_of_columns_of_categories() -> None:
    plain = ["a", "c", "b", "c"]
    for column in (
        np.array(plain),
        np.array(plain, dtype=object),
        np.array(plain, dtype=np.dtypes.StringDType()),
        pandas.Series(plain),
        pandas.Series(plain, dtype=object),
        pandas.Series(plain, dtype="string"),
        pandas.Series(plain, dtype="category"),
        pandas.Categorical(plain),
        polars.Series(plain),
        polars.Series(plain, dtype=polars.Categorical),
        polars.Series(plain, dtype=polars.Enum(["c", "b", "a"])),
        pa.array(plain),
        pa.array(plain, pa.large_string()),
        pa.array(plain, pa.string_view()),
        pa.array(plain).dictionary_encode(),
    ):
        assert same(NAMED, column, plain), type(column)
    assert same(NAMED, "b", ["b"])
    indices = [0, 299, 7]
    for kind in (np.uint16, np.int32, np.int64, np.uint64):
        assert same(COUNTED, np.array(indices, dtype=kind), indices)
    assert same(COUNTED, pandas.Series(indices, dtype="Int64"), indices)
    assert same(COUNTED, polars.Series(indices), indices) and same(COUNTED, pa.array(indices), indices)
    assert same(COUNTED, ["0", "299", "7"], indices)
    binary = privet.RandomizedResponse(domain=privet.Binary(), epsilon=1.0)
    for column in ([True, False], np.array([True, False]), pa.array([True, False]), pandas.Series([True, False])):
        assert same(binary, column, [1, 0])
    # A label that is a whole number may be passed as one, and is never taken for a place in the list.
    years = privet.GRR(domain=privet.Categories([2, 1, 0]), epsilon=1.0)
    assert same(years, np.array([2, 0]), ["2", "0"])


def test_rows() -> None:
    table = np.arange(8.0).reshape(4, 2) / 8
    for mechanism in (PLACES, VECTORS):
        assert same(mechanism, table.tolist(), table) and same(mechanism, np.asfortranarray(table), table)
        assert same(mechanism, pandas.DataFrame(table), table)
        fixed = pa.FixedSizeListArray.from_arrays(pa.array(table.ravel()), 2)
        assert same(mechanism, fixed, table)
        refused(mechanism, table.ravel(), "input-dimension")
        refused(mechanism, table.T, "input-dimension")
        refused(mechanism, [[1.0], [1.0, 2.0]], "input-wrong-kind")
        refused(mechanism, [[0.5, 0.5], None], "input-null")
    refused(NUMBERS, table, "input-dimension")
    refused(NUMBERS, np.zeros((2, 2, 2)), "input-dimension")
    refused(PLACES, [[0.5, np.nan]], "input-outside-domain")
    refused(VECTORS, [[0.5, np.inf]], "input-outside-domain")
    assert same(WORDS, np.array(["oak", "elm"]), ["oak", "elm"])


def test_outside_the_domain() -> None:
    error = refused(NUMBERS, [1.0, 77.25, 2.0], "input-outside-domain")
    assert "number 2" in str(error) and "77" not in str(error)
    for bad in (np.nan, np.inf, -1e-9):
        refused(NUMBERS, [1.0, bad], "input-outside-domain")
    assert "secret" not in str(refused(NAMED, ["a", "secret"], "input-outside-domain"))
    for outside in (-1, 300, 2**40, 2**63):
        refused(COUNTED, np.array([1, outside], dtype=object), "input-outside-domain")
    refused(COUNTED, np.array([2**64 - 1], dtype=np.uint64), "input-outside-domain")
    assert same(NUMBERS, [-5.0, 50.0], [0.0, 10.0], clamp=True)
    assert same(COUNTED, [-5, 5000], [0, 299], clamp=True)
    refused(NUMBERS, [np.nan], "input-outside-domain", clamp=True)
    # Beyond the first piece of work the position is still that in the column.
    many = np.ones(200_000)
    many[150_000] = -1
    assert "number 150001" in str(refused(NUMBERS, many, "input-outside-domain"))
    refused(WORDS, ["far too long a word"], "input-outside-domain")
    refused(WORDS, [""], "input-outside-domain")


def test_wrong_kinds() -> None:
    for column in (["1.5"], np.array(["x"]), [True], np.array([1j]), np.array(["2020-01-01"], dtype="M8[D]"), [object()]):
        refused(NUMBERS, column, "input-wrong-kind")
    for column in ([1.0], np.array([0.5]), [object()], [b"a"], np.array([1j]), [["a"], ["b", "c"]]):
        refused(COUNTED, column, "input-wrong-kind")
    for column in (pa.array([1.5]), polars.Series([1.5]), pa.array([[1.0]]), pa.array([b"a"])):
        refused(COUNTED, column, "input-wrong-kind")
    for column in (pa.array(["a"]), polars.Series([True]), pa.array([{"a": 1}])):
        refused(NUMBERS, column, "input-wrong-kind")
    refused(NAMED, ["a", 1], "input-wrong-kind")
    refused(NUMBERS, b"bytes", "input-wrong-kind")
    refused(NUMBERS, {"a": 1}, "input-wrong-kind")
    refused(WORDS, [1, 2], "input-wrong-kind")
    refused(NUMBERS, None, "input-null")


@pytest.mark.parametrize(
    "column",
    [
        [1.0, None, 2.0],
        np.ma.masked_array([1.0, 99.0, 2.0], mask=[False, True, False]),
        np.array([1.0, None, 2.0], dtype=object),
        pandas.Series([1.0, None, 2.0]),
        pandas.Series([1.0, None, 2.0], dtype="Float64"),
        polars.Series([1.0, None, 2.0]),
        pa.array([1.0, None, 2.0]),
        pa.chunked_array([[1.0], [None, 2.0]]),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_missing_values_of_numbers(column: Any) -> None:
    assert "number 2" in str(refused(NUMBERS, column, "input-null"))
    assert same(NUMBERS, column, [1.0, 2.0], nulls="skip")


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "c"],
        np.array(["a", None, "c"], dtype=object),
        pandas.Series(["a", None, "c"]),
        pandas.Series(["a", None, "c"], dtype="category"),
        polars.Series(["a", None, "c"]),
        polars.Series(["a", None, "c"], dtype=polars.Categorical),
        pa.array(["a", None, "c"]),
        pa.array(["a", None, "c"]).dictionary_encode(),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_missing_values_of_categories(column: Any) -> None:
    assert "number 2" in str(refused(NAMED, column, "input-null"))
    assert same(NAMED, column, ["a", "c"], nulls="skip")


def test_not_a_number_is_not_missing_in_numpy() -> None:
    refused(NUMBERS, np.array([1.0, np.nan]), "input-outside-domain", nulls="skip")
    with pytest.raises(privet.ParameterError):
        NUMBERS.randomize([1.0], nulls="drop")  # type: ignore[arg-type]


def test_empty_columns() -> None:
    for mechanism, column in (
        (NUMBERS, []),
        (NUMBERS, np.array([])),
        (NAMED, np.array([], dtype=str)),
        (COUNTED, np.array([], dtype=np.int64)),
        (PLACES, np.empty((0, 2))),
        (VECTORS, np.empty((0, 2))),
        (NUMBERS, pa.array([], pa.float64())),
        (NAMED, polars.Series([], dtype=polars.String)),
        (NUMBERS, pandas.Series([], dtype=float)),
    ):
        reports = mechanism.randomize(column)
        assert len(reports) == 0
        assert pickle.loads(pickle.dumps(reports)) == reports and list(reports) == []
    with pytest.raises(privet.EstimateError) as caught:
        NUMBERS.estimator().fit(NUMBERS.randomize([])).mean()
    assert caught.value.code == "estimate-too-few-reports" and isinstance(caught.value, RuntimeError)


def test_parameters() -> None:
    interval = privet.Interval(0, 1)
    for epsilon in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(privet.ParameterError, match="epsilon") as caught:
            privet.OGPM(domain=interval, epsilon=epsilon)
        assert caught.value.code == "parameter-epsilon" and caught.value.hint
    with pytest.raises(TypeError):
        privet.OGPM(domain=interval)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        privet.OGPM(interval, 1.0)  # type: ignore[misc]
    with pytest.raises(privet.ParameterError):
        privet.OGPM(domain=interval, epsilon="one")  # type: ignore[arg-type]
    with pytest.raises(privet.ParameterError):
        privet.OGPM(domain="interval:0,1", epsilon=1.0)  # type: ignore[arg-type]
    with pytest.raises(privet.ParameterError) as caught:
        privet.GRR(domain=interval, epsilon=1.0)  # type: ignore[arg-type]
    assert caught.value.code == "parameter-wrong-domain"
    for make in (
        lambda: privet.Interval(1, 0),
        lambda: privet.Interval(0, float("nan")),
        lambda: privet.Interval("a", 1),  # type: ignore[arg-type]
        lambda: privet.Circle(0),
        lambda: privet.Categories(1),
        lambda: privet.Categories(2**40),
        lambda: privet.Categories(["a", "a"]),
        lambda: privet.Categories([]),
        lambda: privet.Categories("abc"),
        lambda: privet.Categories(True),
        lambda: privet.Words(0),
        lambda: privet.Vectors(0),
        lambda: privet.Domain.parse("cube:3"),
        lambda: privet.Gaussian(domain=interval, epsilon=1.0, delta=2.0),
        lambda: NUMBERS.randomize([1.0], insecure_seed=-1),
        lambda: NUMBERS.error("cubic"),  # type: ignore[arg-type]
        lambda: NAMED.error(np.eye(2)),
        lambda: NUMBERS.audit(confidence=2.0),
        lambda: NUMBERS.audit(samples=10**15),
        lambda: privet.trajectory.Method(space=privet.Rectangle(0, 1, 0, 1), epsilon=1.0, cells=10**6),
        lambda: NUMBERS.table(),
    ):
        with pytest.raises(privet.ParameterError):
            make()


def test_reports_of_others() -> None:
    reports = NUMBERS.randomize([1.0] * 10, insecure_seed=1)
    with pytest.raises(privet.ReportError) as caught:
        NUMBERS.estimator().fit(reports)
    assert caught.value.code == "report-insecure-seed"
    fitted = NUMBERS.estimator().fit(reports, insecure=True)
    with pytest.raises(privet.SummaryError):
        fitted.summary_.to_bytes()
    with pytest.raises(privet.ReportError) as caught:
        privet.OGPM(domain=privet.Interval(0, 10), epsilon=2.0).estimator().fit(reports, insecure=True)
    assert caught.value.code == "report-foreign"
    with pytest.raises(privet.ReportError):
        NUMBERS.estimator().fit(NUMBERS.randomize([1.0]), insecure=True)
    with pytest.raises(privet.ReportError):
        privet.Reports([b"", b"short"])
    with pytest.raises(privet.ReportError):
        privet.Reports([])
    with pytest.raises(privet.ReportError):
        privet.Reports.from_hex(["zz"])
    sealed = bytearray(COUNTED.randomize([3])[0])
    sealed[-1] = 255
    with pytest.raises(privet.ReportError) as caught:
        COUNTED.estimator().fit(privet.Reports([bytes(sealed)]))
    assert caught.value.code == "report-impossible"
    with pytest.raises(privet.SummaryError):
        privet.Summary.from_bytes(b"nothing")
    with pytest.raises(privet.SummaryError):
        NUMBERS.estimator().fit_summary(NAMED.estimator().fit(NAMED.randomize(["a"])).summary_)
    with pytest.raises(privet.ParameterError):
        NUMBERS.estimator().fit([b"raw"])  # type: ignore[list-item]
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.code, str(error)) == (caught.value.code, str(caught.value))


def test_estimates_that_make_no_sense() -> None:
    numbers = NUMBERS.estimator().fit(NUMBERS.randomize([1.0] * 100))
    names = NAMED.estimator().fit(NAMED.randomize(["a"] * 100))
    for ask in (
        numbers.frequencies,
        names.mean,
        names.distribution,
        numbers.direction,
        numbers.mean_vector,
        lambda: numbers.quantiles([2.0]),
        lambda: numbers.distribution(bins=0),
        lambda: numbers.distribution(bins=10**9),
        lambda: numbers.distribution(method="magic"),  # type: ignore[arg-type]
        lambda: numbers.share(5, 50),
        lambda: names.frequencies(step="magic"),  # type: ignore[arg-type]
    ):
        with pytest.raises(privet.ParameterError):
            ask()
    with pytest.raises(privet.EstimateError):
        NUMBERS.estimator().mean()


def test_seeds_warn_and_mark() -> None:
    with pytest.warns(privet.InsecureSeedWarning):
        assert NUMBERS.randomize([1.0], insecure_seed=3).insecure


def test_large_columns_on_threads() -> None:
    values = np.full(1_000_000, 4.0)
    reports = NUMBERS.randomize(values, threads=4)
    assert len(reports) == 1_000_000
    one, other = NUMBERS.decode(reports)[:500_000], NUMBERS.decode(reports)[500_000:]
    # Threads must not draw from one stream: equal halves would need equal generators.
    assert not np.array_equal(one, other)
    assert NUMBERS.estimator().fit(reports).mean().interval[0] < 4.0


LONG_CALLS = {
    "randomize": "privet.OUE(domain=privet.Categories(4096), epsilon=1.0).randomize(numpy.zeros(50_000_000, dtype=int), threads=1)",
    "fit": "wide.estimator().fit((many for _ in range(1000)), threads=1)",
    "audit": "privet.GRR(domain=privet.Binary(), epsilon=1.0).audit(samples=10**8)",
    "optimize": "privet.optimize(domain=privet.Categories(1000), epsilon=1.0)",
}


def pressed_while(call: str, cache: Path) -> str:
    """Presses Ctrl-C five times during a call, and says whether it heard each of them: the fifth ends it.

    Python itself hears them only after a call, as one, however often they came. So a call that hears nothing ends by itself.
    """
    program = f"""
        import hashlib, numpy, os, privet, signal, threading, time
        wide = privet.OLH(domain=privet.Categories(4096), epsilon=1.0)
        many = wide.randomize(numpy.zeros(100_000, dtype=int))
        heard = []
        def hear(*_):
            heard.append(True)
            if len(heard) == 5:
                raise KeyboardInterrupt
        def press():
            while len(heard) < 5:
                time.sleep(0.2)
                os.kill(os.getpid(), signal.SIGINT)
        signal.signal(signal.SIGINT, hear)
        threading.Thread(target=press, daemon=True).start()
        try:
            {call}
            print("ended")
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PRIVET_CACHE": str(cache)},
    )
    return done.stdout.strip() or done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="needs signals")
@pytest.mark.parametrize("call", LONG_CALLS.values(), ids=LONG_CALLS.keys())
def test_interrupts(call: str, tmp_path: Path) -> None:
    """Ctrl-C ends a call that would take minutes."""
    assert pressed_while(call, tmp_path) == "interrupted"


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="needs signals")
def test_calls_that_hear_nothing_are_noticed(tmp_path: Path) -> None:
    """The control of the test above."""
    deaf = "hashlib.pbkdf2_hmac('sha256', b'word', b'salt', 5_000_000)"
    assert pressed_while(deaf, tmp_path) == "ended"
