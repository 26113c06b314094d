"""Columns of values: numpy arrays, pandas and polars series, Arrow arrays, lists and single values."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet.domains import Categories, Domain, Rectangle, Vectors, Words
from privet.errors import DomainError, ParameterError

Nulls = Literal["error", "skip"]


def read(domain: Domain, values: object, *, nulls: Nulls, clamp: bool) -> _privet.Column:
    """The column for a mechanism. Nothing of a value is in any error."""
    if nulls not in get_args(Nulls):
        raise ParameterError(f'nulls is "error" or "skip": got {nulls!r}', code="parameter-incompatible")
    skip = nulls == "skip"
    if _is_pandas(values):
        return _from_pandas(domain, values, skip, clamp)
    if not isinstance(values, np.ndarray) and _speaks_arrow(values):
        return _privet.Column.of_arrow(domain._core, values, skip, clamp)
    if isinstance(values, np.ma.MaskedArray):
        kept = _without(np.ma.getmaskarray(values), values.data, skip)
        return _from_numpy(domain, kept, skip, clamp)
    if isinstance(values, np.ndarray):
        return _from_numpy(domain, values, skip, clamp)
    return _from_numpy(domain, _array_of(domain, values), skip, clamp)


def _speaks_arrow(values: object) -> bool:
    return hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__")


def _is_pandas(values: object) -> bool:
    return type(values).__module__.partition(".")[0] == "pandas"


def _wrong_kind(domain: Domain, hint: str | None = None) -> DomainError:
    message = f"the domain {domain} does not take values of this kind"
    return DomainError(message, code="input-wrong-kind", hint=hint)


def _wrong_shape(domain: Domain, shape: tuple[int, ...], wanted: str) -> DomainError:
    return DomainError(f"the domain {domain} takes {wanted}: got shape {shape}", code="input-dimension")


def _array_of(domain: Domain, values: object) -> npt.NDArray[Any]:
    if isinstance(values, (bytes, bytearray, dict, set, frozenset)):
        raise _wrong_kind(domain, "pass an array, a list or a column")
    if isinstance(values, str):
        return np.array([values], dtype=object)
    if hasattr(values, "__iter__") and not hasattr(values, "__array__"):
        listed = list(values)
        if any(item is None or isinstance(item, str) for item in listed):
            # numpy would turn numbers beside texts into texts, and None into nothing that is a number.
            array = np.empty(len(listed), dtype=object)
            for place, item in enumerate(listed):
                array[place] = item
            return array
        values = listed
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        raise _wrong_kind(domain, "rows must have one length") from None


def _without(missing: npt.NDArray[np.bool_], values: Any, skip: bool) -> Any:
    """The values that are there, or an error that names the first one that is not."""
    if missing.ndim > 1:
        missing = np.asarray(missing.reshape(missing.shape[0], -1).any(axis=1))
    if not missing.any():
        return values
    if not skip:
        position = int(np.argmax(missing)) + 1
        raise DomainError(
            f"value number {position} is missing",
            code="input-null",
            hint='`nulls="skip"` leaves missing values out',
        )
    return values[~missing]


def _from_pandas(domain: Domain, series: Any, skip: bool, clamp: bool) -> _privet.Column:
    if not hasattr(series, "isna"):
        raise _wrong_kind(domain, "pass one column")
    missing = np.asarray(series.isna())
    if missing.ndim > 1:
        return _from_numpy(domain, _without(missing, series.to_numpy(), skip), skip, clamp)
    if getattr(series.dtype, "name", "") == "category" or hasattr(series.dtype, "categories"):
        return _from_categorical(domain, series, missing, skip, clamp)
    kept = _without(missing, series, skip)
    dtype = getattr(kept.dtype, "numpy_dtype", None)
    is_plain = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
    return _from_numpy(domain, kept.to_numpy(dtype=dtype if is_plain else None), skip, clamp)


def _from_categorical(
    domain: Domain, series: Any, missing: npt.NDArray[np.bool_], skip: bool, clamp: bool
) -> _privet.Column:
    codes = np.asarray(getattr(series, "cat", series).codes)
    codes = _without(missing, codes, skip)
    names = np.asarray(getattr(series, "cat", series).categories)
    return _from_numpy(domain, names[codes], skip, clamp)


def _from_numpy(domain: Domain, array: npt.NDArray[Any], skip: bool, clamp: bool) -> _privet.Column:
    if array.ndim == 0:
        array = array.reshape(1)
    if array.dtype.kind == "O":
        missing = np.array([_is_missing(item) for item in array.ravel().tolist()], dtype=bool)
        array = _typed(domain, _without(missing.reshape(array.shape), array, skip))
    if isinstance(domain, (Rectangle, Vectors)):
        return _rows(domain, array)
    if array.ndim != 1:
        raise _wrong_shape(domain, array.shape, "one value for each person")
    if isinstance(domain, Words):
        return _texts(domain, array)
    if isinstance(domain, Categories):
        return _categories(domain, array, clamp)
    return _numbers(domain, array)


def _is_missing(item: object) -> bool:
    return item is None or type(item).__name__ in ("NAType", "NaTType")


def _typed(domain: Domain, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects that are all of one plain type, as an array of that type."""
    items = array.ravel().tolist()
    if all(isinstance(item, str) for item in items):
        return array
    if all(isinstance(item, (bool, np.bool_)) for item in items):
        return array.astype(np.bool_)
    if all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in items):
        within = [item if abs(item) < 2**63 else 2**63 - 1 for item in items]
        return np.asarray(within, dtype=np.int64).reshape(array.shape)
    plain = (int, float, np.integer, np.floating)
    if all(isinstance(item, plain) and not isinstance(item, bool) for item in items):
        return array.astype(np.float64)
    raise _wrong_kind(domain, "an array of objects must hold texts only, or numbers only")


def _floats(domain: Domain, array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    if array.dtype.kind not in "iuf":
        raise _wrong_kind(domain, f"numbers are needed: got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _rows(domain: Domain, array: npt.NDArray[Any]) -> _privet.Column:
    width = 2 if isinstance(domain, Rectangle) else int(str(domain).partition(":")[2])
    if array.ndim != 2 or array.shape[1] != width:
        raise _wrong_shape(domain, array.shape, f"an array of shape (n, {width})")
    return _privet.Column.of_numbers_in(domain._core, _floats(domain, array).reshape(-1))


def _numbers(domain: Domain, array: npt.NDArray[Any]) -> _privet.Column:
    return _privet.Column.of_numbers_in(domain._core, _floats(domain, array))


def _texts(domain: Domain, array: npt.NDArray[Any]) -> _privet.Column:
    if array.dtype.kind not in "OUT":
        raise _wrong_kind(domain, f"texts are needed: got {array.dtype}")
    return _privet.Column.of_texts(domain._core, array.tolist())


def _categories(domain: Categories, array: npt.NDArray[Any], clamp: bool) -> _privet.Column:
    if array.dtype.kind in "OUT":
        return _texts(domain, array)
    if array.dtype.kind not in "biu":
        raise _wrong_kind(domain, f"categories are whole numbers or texts: got {array.dtype}")
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    return _privet.Column.of_integers(domain._core, np.ascontiguousarray(array, dtype=np.int64), clamp)
