"""A case: a kernel, or many small ones that are built together, with its arguments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Given = Array | int | float
Extents = tuple[int, int, int]

DEVICES = ("pvc", "bmg", "lnl", "ptl", "cri")

Kind = Literal[
    "equal",
    "changes nothing",
    "nan",
    "within",
    "open",
    "refused",
    "not executed",
    "differs",
]
MEANINGS: Mapping[Kind, str] = {
    "equal": "equal bits",
    "changes nothing": "change no array",
    "nan": "equal bits, but for those of NaNs",
    "within": "within the bound of a function",
    "open": "differ where MLIR and OpenCL leave the result open",
    "refused": "do not reach SPIR-V",
    "not executed": "not executed on numpy",
    "differs": "DIFFER",
}


class Verdict(NamedTuple):
    """How a kernel did on a device; `detail` has the refusal, or what differs."""

    kind: Kind
    detail: str = ""


class Result(NamedTuple):
    """What an array holds afterwards: the part of a case that wrote it, and how equal it has to be.

    `function` names the bound of accuracy.py, `open` says where results are left open; `dtype` is
    that of the numbers where the array holds their words (halves of 64 bits in two rows).
    """

    part: str = ""
    function: str = ""
    open: str = ""
    dtype: "numpy.dtype[Any] | None" = None

    def numbers(self, array: Array) -> Array:
        """The numbers that an array holds."""
        if self.dtype is None:
            return array
        if self.dtype.itemsize == 8:
            halves = array.reshape(-1, 2, array.shape[1])
            array = numpy.ascontiguousarray(halves.transpose(0, 2, 1)).reshape(len(halves), -1)
        return array.view(self.dtype)


class Program(NamedTuple):
    """A kernel as text and what it is launched with; arrays that `results` does not name belong to no part."""

    text: str
    arrays: Sequence[Given]
    kernel: str | None = None
    grid: Extents | None = None
    results: Mapping[int, Result] = {}


@dataclass(frozen=True)
class Case:
    """Kernels by the names of their parts: each part alone has to reach SPIR-V, those that do are built together."""

    name: str
    build: Callable[[Sequence[str]], Program]
    parts: tuple[str, ...] = ("",)
    devices: tuple[str, ...] = DEVICES


class Row(NamedTuple):
    """A line of the table."""

    name: str
    verdicts: Mapping[str, Verdict]
    """By device."""


class Judged(NamedTuple):
    """What became of a case; `built` counts launches of different SPIR-V, `shared` the others."""

    rows: list[Row]
    built: int
    shared: int
