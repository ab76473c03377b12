"""Executions in which sums do not depend on their order: floats are elements of a prime field."""

from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from xetile.interpreter import execute_in_field
from xetile.interpreter.machine.thread_batches import Sizes

Array = NDArray[Any]
Given = Array | int | float


def in_field(
    module: ModuleOp, kernel: str | None, arrays: Sequence[Given], grid: Sizes | None = None
) -> list[Array]:
    """The arrays after a launch, as representatives."""
    with redirect_stdout(StringIO()):
        found = execute_in_field(module, kernel, arrays, grid=grid, sanitize=True)
    return [value for value in found if isinstance(value, numpy.ndarray)]


def equal(left: Sequence[Array], right: Sequence[Array]) -> bool:
    """Whether all arrays agree."""
    return all(numpy.array_equal(a, b) for a, b in zip(left, right, strict=True))


def same_in_field(
    modules: Iterable[ModuleOp],
    kernel: str | None,
    arrays: Sequence[Given],
    grid: Sizes | None = None,
) -> list[Array]:
    """Execute a kernel as each module has it, and compare what it makes of the arrays, which stay."""
    first, *others = (in_field(module, kernel, arrays, grid) for module in modules)
    for number, other in enumerate(others, start=1):
        assert equal(first, other), f"execution {number} differs from the first"
    return first
