"""Noise where the model does not look: maps that are made from public data only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet._mechanism import Guarantee, _warn_of_seed
from privet.classifier import model_of
from privet.errors import DomainError, ParameterError
from privet.optimal import _read

__all__ = ["Reshape", "fit", "jacobians_of"]

Floats = npt.NDArray[np.float64]


def _table(rows: npt.ArrayLike) -> Floats:
    table = np.ascontiguousarray(np.asarray(rows, dtype=np.float64))
    if table.ndim != 2:
        raise DomainError(f"vectors are a table of shape (n, dimension): got {table.shape}", code="input-dimension")
    return table


class Reshape:
    """A public map around a mechanism on vectors: vectors in, vectors for the model out.

    The guarantee is that of the mechanism: what comes after randomising is post-processing.
    """

    _core: _privet.Reshape

    @classmethod
    def _of(cls, core: _privet.Reshape) -> Reshape:
        reshape = object.__new__(cls)
        reshape._core = core
        return reshape

    @staticmethod
    def load(
        path: str | os.PathLike[str], *, mechanism: str, epsilon: float, delta: float | None = None
    ) -> Reshape:
        """A map that ``save`` or ``privet reshape fit`` wrote."""
        return Reshape._of(_privet.Reshape.from_json(_read(path), mechanism, epsilon, delta))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the map."""
        Path(path).write_text(self._core.to_json(), encoding="utf-8")

    @property
    def facts(self) -> dict[str, Any]:
        """Rank, strengths and recipe of the map, and what it gains on public vectors, with a standard error."""
        return self._core.facts

    @property
    def guarantee(self) -> Guarantee:
        """What one report promises."""
        return Guarantee(**self.facts["guarantee"])

    def apply(self, vectors: npt.ArrayLike, *, insecure_seed: int | None = None) -> Floats:
        """Randomises vectors and maps the reports back, for the model."""
        if insecure_seed is not None:
            _warn_of_seed(insecure_seed, stacklevel=3)
        table = _table(vectors)
        return self._core.apply(table, insecure_seed).reshape(table.shape)


def jacobians_of(model: Any, public: npt.ArrayLike) -> Floats:
    """The Jacobians of a torch model at public vectors: an array of shape (n, outputs, inputs). Needs torch."""
    import torch

    points = torch.as_tensor(_table(public), dtype=next(model.parameters()).dtype)
    model.eval()
    jacobian = torch.func.vmap(torch.func.jacrev(lambda row: model(row.unsqueeze(0)).squeeze(0)))
    return np.asarray(jacobian(points).detach().cpu().numpy(), dtype=np.float64)


def _is_torch(model: Any) -> bool:
    return any(kind.__module__.startswith("torch.") for kind in type(model).__mro__)


def fit(
    public: npt.ArrayLike,
    *,
    mechanism: str,
    epsilon: float,
    model: Any = None,
    jacobians: npt.ArrayLike | None = None,
    delta: float | None = None,
    read: Literal["class", "values"] = "class",
    people: int = 1,
    insecure_seed: int | None = None,
) -> Reshape:
    """Fits a map to a public model on public vectors.

    ``model`` is a model of ``privet.classifier.load_model``, a fitted scikit-learn linear model, or a torch module; or
    ``jacobians`` of any model, of shape (n, outputs, inputs). With a model whose structure is known, rank and radius are chosen by
    trial and the gain is measured; with Jacobians they are chosen by prediction. ``read`` says what is read from the scores.
    """
    table = _table(public)
    if (model is None) == (jacobians is None):
        raise ParameterError("either a model or jacobians are needed", code="parameter-incompatible")
    if model is not None and _is_torch(model):
        jacobians = jacobians_of(model, table)
    if jacobians is not None:
        stack = np.asarray(jacobians, dtype=np.float64)
        if stack.ndim == 2:
            stack = stack[np.newaxis]
        if stack.ndim != 3:
            raise DomainError("jacobians have shape (n, outputs, inputs)", code="input-dimension")
        rows = np.ascontiguousarray(stack.reshape(-1, stack.shape[2]))
        return Reshape._of(
            _privet.Reshape.of_jacobians(rows, stack.shape[1], table, mechanism, epsilon, delta, read)
        )
    structure = model_of(model)
    if structure is None:
        raise ParameterError("this model's structure is not known: pass its jacobians", code="classifier-method")
    return Reshape._of(
        _privet.Reshape.of_model(structure, table, mechanism, epsilon, delta, read, people, insecure_seed)
    )
