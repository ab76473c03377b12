"""Whether a device computes what level V computes on numpy."""

import subprocess
from collections.abc import Sequence
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import numpy
from xdsl.dialects.builtin import ModuleOp

from tools.device_product.accuracy import bound, errors
from tools.device_product.case import (
    Array,
    Case,
    Given,
    Judged,
    Kind,
    Program,
    Result,
    Row,
    Verdict,
)
from xetile.api import execute, lower, parse_text, text
from xetile.cli.running.run_arrays import duplicate
from xetile.errors import XetileError
from xetile.runtime.devices import open_device
from xetile.runtime.launch import compile_kernel, execute_on
from xetile.runtime.open_device import Device
from xetile.toolchain.paths import find_spirv_val

DEVICE = "opencl:cpu"
SECONDS = 300.0
"""For one build or launch; several processes share the machine."""


class Judge:
    """Judges cases on a device that is opened when it is first needed, and again after it has ended."""

    def __init__(self) -> None:
        self._device: Device | None = None

    def close(self) -> None:
        """End the device."""
        if self._device is not None:
            self._device.close()
            self._device = None

    @numpy.errstate(all="ignore")  # numbers where types end
    def judge(self, case: Case, devices: Sequence[str]) -> Judged:
        """Every part of a case on every device."""
        found: dict[str, dict[str, Verdict]] = {part: {} for part in case.parts}
        launched: dict[bytes, list[Given] | XetileError] = {}
        numbers: dict[str, list[Given]] = {}
        shared = 0
        passed: list[str] = []
        for device in (d for d in case.devices if d in devices):
            ready = _prepared(case, passed, device, numbers) if passed else None
            if not isinstance(ready, _Ready):
                passed = []
            for part in (part for part in case.parts if part not in passed):
                alone = _prepared(case, [part], device, numbers)
                if isinstance(alone, Verdict):
                    found[part][device] = alone
                elif len(case.parts) == 1:
                    ready = alone
            rest = [part for part in case.parts if device not in found[part]]
            if not rest:
                continue
            if rest != passed and len(case.parts) > 1:
                ready = _prepared(case, rest, device, numbers)
            assert ready is not None
            if isinstance(ready, Verdict):
                found.update({part: {**found[part], device: ready} for part in rest})
                continue
            passed = rest
            shared += ready.spirv in launched
            if ready.spirv not in launched:
                launched[ready.spirv] = self._launch(ready.lowered, ready.program, device)
            for part in rest:
                found[part][device] = _compare(
                    ready.program, part, ready.expected, launched[ready.spirv]
                )
        rows = [Row(f"{case.name} {part}".strip(), found[part]) for part in case.parts]
        return Judged(rows, len(launched), shared)

    def both(self, program: Program, device: str) -> tuple[list[Given], list[Given]]:
        """What numpy and the device compute.

        Errors: XetileError where one of them does not.
        """
        lowered = _lowered(program, device)
        launched = self._launch(lowered, program, device)
        if isinstance(launched, XetileError):
            raise launched
        return _expected(lowered, program, {}), launched

    def _launch(
        self, lowered: ModuleOp, program: Program, device: str
    ) -> list[Given] | XetileError:
        arrays = _copied(program.arrays)
        for attempt in range(2):
            try:
                execute_on(
                    self._opened(),
                    lowered,
                    program.kernel,
                    arrays,
                    target=device,
                    grid=program.grid,
                )
            except XetileError as error:
                ended = self._device is not None and not getattr(self._device, "is_open", True)
                self.close()
                if not ended or attempt:
                    return error
            else:
                return arrays
        raise AssertionError

    def _opened(self) -> Device:
        if self._device is None:
            self._device = open_device(DEVICE, seconds=SECONDS)
        return self._device


def _copied(arrays: Sequence[Given]) -> list[Given]:
    return [duplicate(a) if isinstance(a, numpy.ndarray) else a for a in arrays]


def _lowered(program: Program, device: str) -> ModuleOp:
    try:
        module = parse_text(program.text, "kernel.mlir")
    except XetileError as error:
        raise XetileError(f"no program: {error.message}") from error
    try:
        return lower(module, to="xevm", device=device)
    except XetileError as error:
        if "already, which is below" in error.message:
            return module
        raise


class _Ready(NamedTuple):
    """A program, at level V and as SPIR-V, and what level V computes."""

    program: Program
    lowered: ModuleOp
    spirv: bytes
    expected: list[Given]


def _prepared(
    case: Case, parts: Sequence[str], device: str, known: dict[str, list[Given]]
) -> _Ready | Verdict:
    """Parts of a case made ready for a device, or why that cannot be."""
    kind: Kind = "not executed"
    try:
        program = case.build(parts)
        kind = "refused"
        lowered = _lowered(program, device)
        spirv = compile_kernel(lowered, program.kernel, device).spirv
        if (fault := _invalid(spirv)) is not None:
            return Verdict("differs", fault)
        kind = "not executed"
        return _Ready(program, lowered, spirv, _expected(lowered, program, known))
    except XetileError as error:
        return Verdict(kind, _reason(error))
    except Exception as error:  # whatever it is, it is ours
        return Verdict("differs", f"{type(error).__name__}: {error}")


def _invalid(spirv: bytes) -> str | None:
    """What spirv-val says of a module, where it is installed."""
    validator = find_spirv_val()
    if validator is None:
        return None
    with NamedTemporaryFile(suffix=".spv") as file:
        file.write(spirv)
        file.flush()
        answer = subprocess.run(
            [validator, file.name], capture_output=True, text=True, check=False
        )
    return None if answer.returncode == 0 else f"spirv-val: {answer.stderr.splitlines()[0]}"


def _reason(error: XetileError) -> str:
    return error.message.splitlines()[0]


def _expected(
    lowered: ModuleOp, program: Program, known: dict[str, list[Given]]
) -> list[Given]:
    """What level V computes; equal programs compute it once."""
    key = text(lowered)
    if key not in known:
        arrays = _copied(program.arrays)
        execute(lowered, program.kernel or _only(lowered), *arrays, grid=program.grid)
        known[key] = arrays
    return known[key]


def _only(lowered: ModuleOp) -> str:
    from xetile.analysis.module_kernels import find_kernel, symbol_name

    return symbol_name(find_kernel(lowered, None))


def _compare(
    program: Program,
    part: str,
    expected: Sequence[Given],
    launched: Sequence[Given] | XetileError,
) -> Verdict:
    if isinstance(launched, XetileError):
        return Verdict("differs", _reason(launched))
    worst, changes = Verdict("equal"), False
    for number, given in enumerate(program.arrays):
        left, right = expected[number], launched[number]
        if not isinstance(left, numpy.ndarray) or not isinstance(right, numpy.ndarray):
            continue
        result = program.results.get(number, Result())
        if result.part not in ("", part):
            continue
        changes |= numpy.asarray(given).tobytes() != left.tobytes()
        verdict = _compare_arrays(result.numbers(left), result.numbers(right), result)
        detail = f"argument {number}: {verdict.detail}" * bool(verdict.detail)
        if _ORDER.index(verdict.kind) > _ORDER.index(worst.kind):
            worst = Verdict(verdict.kind, detail)
    is_idle = worst.kind == "equal" and not changes
    return Verdict("changes nothing") if is_idle else worst


_ORDER = ("equal", "nan", "within", "open", "differs")


def _compare_arrays(expected: Array, found: Array, result: Result) -> Verdict:
    if expected.tobytes() == found.tobytes():
        return Verdict("equal")
    different = _bits(expected) != _bits(found)
    if expected.dtype.kind in "fV":
        different &= ~(numpy.isnan(expected) & numpy.isnan(found))
    if not different.any():
        return Verdict("nan")
    detail = _detail(expected, found, different)
    if result.open:
        return Verdict("open", f"{result.open}; {detail}")
    allowed = bound(result.function, expected.dtype)
    if allowed is not None:
        error = float(errors(expected, found).max())
        kind = "within" if error <= allowed else "differs"
        return Verdict(kind, f"{error:.3g} of {allowed:g} ulp; {detail}")
    return Verdict("differs", detail)


def _bits(array: Array) -> Array:
    return numpy.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def _detail(expected: Array, found: Array, different: Array) -> str:
    places = numpy.argwhere(different)
    first = tuple(int(n) for n in places[0])
    return (
        f"{len(places)} of {expected.size} elements, first at {list(first)}: "
        f"{found[first]} on the device, {expected[first]} on numpy"
    )
