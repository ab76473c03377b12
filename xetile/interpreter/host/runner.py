"""Functions that programs declare and MLIR's runners define: print, fill, compare.

Names, arguments and texts are those of MLIR's runner utilities (`llvm 22.1.8
mlir/ExecutionEngine/RunnerUtils.h, CRunnerUtils.h`) and of Intel's (`mlir-extensions
imex/ExecutionEngine/ImexRunnerUtils.h`). Intended differences: `base@` is an address that
is the same in every run; i8 is printed as a number; random numbers depend on the seed of
the run; NaN is close to nothing; a comparison of different numbers of elements raises.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

import numpy as np
from xdsl.dialects.builtin import UnrankedMemRefType
from xdsl.ir import Operation, SSAValue

from xetile.errors import fail, warn
from xetile.interpreter.common.scalars import nothing
from xetile.interpreter.host.allocations import element_of_memref, host_array_of
from xetile.interpreter.host.host_machine import host
from xetile.interpreter.machine.elements import Element, round_to, unsigned
from xetile.interpreter.machine.execution import Frame, Handler
from xetile.interpreter.machine.reading import element
from xetile.interpreter.machine.runtime_values import Array, Values, uniform

ABSOLUTE_TOLERANCE = 1e-4
RELATIVE_TOLERANCE = 1e-3
"""The tolerances of closeness: |x - y| <= absolute + relative * |y|, Intel's numbers."""

VERIFIED_TOLERANCE = {"f32": 1e-6, "f64": 1e-12}
"""Relative errors that `verifyMemRef` of MLIR ignores."""

ROWS_AT_A_TIME = 64
"""Rows of a reference GEMM that are computed together, so that they stay in the cache."""


def shown(number: object, of: Element) -> str:
    """Format a number as C++ does: floats with six significant digits."""
    if not of.is_float:
        bits = np.uint64 if of.name == "index" else np.int64
        return str(int(np.asarray(number).astype(bits)))
    value = float(cast(float, number))
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    return f"{value:g}"


def _scalar(frame: Frame, op: Operation, position: int) -> float | int:
    return frame.array(op.operands[position])[0].item()


def _described(frame: Frame, value: SSAValue) -> str:
    found = frame.memref(value)
    sizes, strides = (
        ", ".join(str(int(part[0])) for part in parts)
        for parts in (found.sizes, found.strides)
    )
    kind = "Unranked Memref" if isinstance(value.type, UnrankedMemRefType) else "Memref"
    return (
        f"{kind} base@ = 0x{int(found.base[0]):x} rank = {len(found.sizes)} "
        f"offset = {int(found.offset[0])} sizes = [{sizes}] strides = [{strides}]"
    )


def _nested(array: Array, depth: int, rank: int, of: Element) -> str:
    if depth == rank:
        return shown(array[()], of)
    line = "" if depth == rank - 1 else "\n"
    between = f", {line}{' ' * (depth + 1)}"
    return f"[{between.join(_nested(part, depth + 1, rank, of) for part in array)}]"


def _printing(text_of: Callable[[Frame, Operation], str]) -> Handler:
    def handler(frame: Frame, op: Operation) -> Values:
        host(frame).output(text_of(frame, op))
        return []

    return handler


def _memref_text(frame: Frame, op: Operation) -> str:
    value = op.operands[0]
    array = host_array_of(frame, op, value)
    text = _nested(array, 0, array.ndim, element_of_memref(value))
    if array.ndim == 0:
        text = f"[{text}]"
    return f"{_described(frame, value)} data = \n{text}\n"


def _shape_text(frame: Frame, op: Operation) -> str:
    return f"{_described(frame, op.operands[0])}\n"


def _number_text(frame: Frame, op: Operation) -> str:
    (value,) = op.operands
    return shown(frame.array(value)[0], element(value))


def _unsigned_text(frame: Frame, op: Operation) -> str:
    (value,) = op.operands
    return str(int(unsigned(frame.array(value), element(value))[0]))


def _close_text(frame: Frame, op: Operation) -> str:
    if _close(frame, op):
        return "[ALLCLOSE: TRUE]\n"
    for position, name in ((1, "the reference"), (0, "what is compared")):
        _tell_of_not_finite(op, host_array_of(frame, op, op.operands[position]), name)
    return "[ALLCLOSE: FALSE]\n"


def _tell_of_not_finite(op: Operation, array: Array, name: str) -> None:
    """Warn about elements that explain why a comparison fails."""
    wide = array.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(wide))
    if not len(wrong):
        return
    place = wrong[0].tolist()
    first = f"{wide[tuple(place)]:g} at {place}"
    if len(wrong) == 1:
        said = f"1 element that is not finite, {first}"
    else:
        said = f"{len(wrong):,} elements that are not finite, the first is {first}"
    hint = "; nothing is close to nan" if np.isnan(wide).any() else ""
    warn(op, f"{name} holds {said}{hint}")


def _fill(frame: Frame, op: Operation) -> Values:
    target = _writable(frame, op)
    number = np.array([_scalar(frame, op, 1)], np.float64)
    target[...] = round_to(number, element_of_memref(op.operands[0]))[0]
    return []


def _fill_random(frame: Frame, op: Operation) -> Values:
    """Fill with uniform numbers between the bounds, truncated to integers if the last argument is true."""
    target, machine = _writable(frame, op), host(frame)
    low, high, whole = (_scalar(frame, op, position) for position in (1, 2, 3))
    generator = np.random.default_rng([machine.seed, machine.fills])
    machine.fills += 1
    numbers = generator.uniform(low, high, target.shape)
    rounded = np.trunc(numbers) if whole else numbers
    target[...] = round_to(rounded, element_of_memref(op.operands[0]))
    return []


def _writable(frame: Frame, op: Operation, position: int = 0) -> Array:
    array = host_array_of(frame, op, op.operands[position])
    if not array.flags.writeable:
        fail(op, "the memory is read-only")
    return array


def _pair(frame: Frame, op: Operation) -> tuple[Array, Array]:
    arrays = [host_array_of(frame, op, op.operands[position]) for position in (0, 1)]
    if arrays[0].size != arrays[1].size:
        fail(op, f"memrefs of {arrays[0].size} and {arrays[1].size} elements are compared")
    left, right = (array.reshape(-1).astype(np.float64) for array in arrays)
    return left, right


def _close(frame: Frame, op: Operation) -> bool:
    left, right = _pair(frame, op)
    bound = ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * np.abs(right)
    return bool(((left == right) | (np.abs(left - right) <= bound)).all())


def _all_close(frame: Frame, op: Operation) -> Values:
    return [np.array([_close(frame, op)])]


def _error_text(frame: Frame, op: Operation) -> str:
    left, right = _pair(frame, op)
    absolute = np.abs(left - right)
    relative = absolute / np.fmax(np.abs(left), np.abs(right))
    text = ""
    for name, errors in (("absolute", absolute), ("relative", relative)):
        known = np.where(np.isnan(errors), 0.0, errors)
        at = int(known.argmax()) if known.size else 0
        worst, i, j = 0.0, math.inf, math.inf
        if known.size and known[at] > 0:
            worst, i, j = float(known[at]), float(left[at]), float(right[at])
        text += f"Max {name} error {worst:g} at idx={at} (i={i:g}, j={j:g})\n"
    return text


def _gemm(frame: Frame, op: Operation) -> Values:
    """Add A * B to C in f32, K ascending; products of f16 and bf16 are exact there."""
    a, b = (host_array_of(frame, op, op.operands[n]).astype(np.float32) for n in (0, 1))
    c = _writable(frame, op, 2)
    if (
        any(x.ndim != 2 for x in (a, b, c))
        or c.shape != (len(a), b.shape[1])
        or a.shape[1] != len(b)
    ):
        fail(
            op,
            f"extents {list(a.shape)}, {list(b.shape)} and {list(c.shape)} are no product of matrices",
        )
    total = c.astype(np.float32)
    for first in range(0, len(a), ROWS_AT_A_TIME):
        rows = slice(first, first + ROWS_AT_A_TIME)
        for k in range(len(b)):
            total[rows] += a[rows, k, None] * b[k]
    c[...] = total
    return []


def _gemm_rounded(frame: Frame, op: Operation) -> Values:
    _gemm(frame, op)
    c = _writable(frame, op, 2)
    c[...] = c.astype(np.float16)
    return []


def _count_errors(frame: Frame, op: Operation) -> Values:
    """Return the number of elements in which the memrefs differ, or -1 if their shapes differ."""
    (left, right), of = (host_array_of(frame, op, v) for v in op.operands), op.operands[0]
    if left.shape != right.shape:
        return [uniform(-1)]
    bound = VERIFIED_TOLERANCE.get(element_of_memref(of).name)
    if bound is None:
        return [uniform(int((left != right).sum()))]
    wide = [array.astype(np.float64) for array in (left, right)]
    good = np.isfinite(wide[0]) & np.isfinite(wide[1])
    good &= np.abs(wide[0] - wide[1]) <= bound * np.abs(wide[1])
    return [uniform(int((~good).sum()))]


class Function(NamedTuple):
    """A function of a runner, with its numbers of arguments and results."""

    arguments: int
    results: int
    execute: Handler


def _named(
    text: str, arguments: int, execute: Handler, results: int = 0
) -> dict[str, Function]:
    """Return the function under each name that the endings in braces form, as `print{F16,F32}`."""
    head, _, tail = text.partition("{")
    endings = tail.rstrip("}").split(",")
    function = Function(arguments, results, execute)
    return {f"{head}{ending}": function for ending in endings}


_MEMREFS = "F16,BF16,F32,F64,I8,I16,I32,I64,Ind"
_RANKED = "0dF32,1dF32,2dF32,3dF32,4dF32,1dI8,1dI32,1dI64,1dF64,1dInd"
_PUNCTUATION = {"Newline": "\n", "Comma": ", ", "Open": "( ", "Close": " )"}
_OLDER = "f32,f64,i8,i32,i64,ind"

FUNCTIONS: Mapping[str, Function] = {
    **_named(f"printMemref{{{_MEMREFS},{_RANKED}}}", 1, _printing(_memref_text)),
    **_named(f"print_memref_{{{_OLDER}}}", 1, _printing(_memref_text)),
    **_named(f"printMemrefShape{{{_MEMREFS}}}", 1, _printing(_shape_text)),
    **_named(f"print_memref_shape_{{{_OLDER}}}", 1, _printing(_shape_text)),
    **_named("print{I64,F32,F64}", 1, _printing(_number_text)),
    **_named("print{U64}", 1, _printing(_unsigned_text)),
    **{
        f"print{name}": Function(0, 0, _printing(lambda _, __, text=text: text))
        for name, text in _PUNCTUATION.items()
    },
    **_named("fillResource1D{F16,BF16,F32}", 2, _fill),
    **_named("fillResource1DRandom{F16,BF16,F32}", 4, _fill_random),
    **_named("allclose{F16,BF16,F32}", 2, _all_close, results=1),
    **_named("printAllclose{F16,BF16,F32}", 2, _printing(_close_text)),
    **_named("printMaxError{F16,BF16,F32}", 2, _printing(_error_text)),
    **_named("gemm{F16F16F32,BF16BF16F32}", 3, _gemm),
    **_named("gemm{F16F16F16}", 3, _gemm_rounded),
    **_named("verifyMemRef{I32,F32,F64,Ind}", 2, _count_errors, results=1),
    **_named("nano{Time}", 0, lambda _, __: [uniform(time.perf_counter_ns())], results=1),
    **_named("rt{clock}", 0, lambda _, __: [uniform(0, np.float64) + time.time()], results=1),
    **_named("print{Flops}", 1, nothing),
}
