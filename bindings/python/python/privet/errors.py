"""What can go wrong. Every exception has a stable ``code`` for programs and, where one helps, a ``hint``.

Nothing private is in a message: an error about a value names its position, never the value.
"""

from __future__ import annotations

__all__ = [
    "BudgetError",
    "ClassifierWarning",
    "DomainError",
    "EstimateError",
    "InsecureSeedWarning",
    "InternalError",
    "ParameterError",
    "PrivetError",
    "ReportError",
    "StorageError",
    "SummaryError",
]


class PrivetError(Exception):
    """The parent of all errors of this package."""

    code: str
    hint: str | None

    def __init__(self, message: str, *, code: str = "privet", hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        if hint is not None:
            self.add_note(f"hint: {hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), str(self), self.code, self.hint)


def _again(kind: type[PrivetError], message: str, code: str, hint: str | None) -> PrivetError:
    return kind(message, code=code, hint=hint)


class ParameterError(PrivetError, ValueError):
    """A parameter, a domain or a policy that cannot be used."""


class DomainError(PrivetError, ValueError):
    """A private value that the domain does not have, or a column of the wrong kind."""


class ReportError(PrivetError, ValueError):
    """A report that is malformed, or that another mechanism made."""


class SummaryError(PrivetError, ValueError):
    """Summaries that must not be added up, or bytes that are no summary."""


class EstimateError(PrivetError, RuntimeError):
    """Reports from which nothing can be estimated."""


class BudgetError(PrivetError, RuntimeError):
    """A report that would spend more than is allowed. Nothing was drawn."""


class StorageError(PrivetError, OSError):
    """A file that cannot be read or written, or an operating system without randomness."""


class InternalError(PrivetError, RuntimeError):
    """A mistake in this package."""


class InsecureSeedWarning(UserWarning):
    """Reports were drawn from a seed that anybody can repeat: they protect nobody."""


class ClassifierWarning(UserWarning):
    """Something that the bounds of a classifier do not show: values that were moved, or a structure that was not believed."""
