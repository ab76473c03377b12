"""Kernels are refused in words, or lowered to level B where they compute the same; one in ten also on a device."""

import signal
import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import ParseError

from tools.fuzz import on_device as devices
from tools.fuzz.case import Finding, Outcome
from tools.fuzz.running import SECONDS
from xetile.analysis.module_kernels import kernel_functions, launch_sizes
from xetile.api import execute, parse_text, text
from xetile.cli.frame.tools import STATUS_WRONG_INPUT, answer
from xetile.cli.running.run_arrays import DYNAMIC, make_argument
from xetile.cli.running.run_arrays import parameter as parameter_of
from xetile.dialects.modules import context
from xetile.errors import XetileError, collected_remarks
from xetile.interpreter.machine.workgroup_batches import parameters_of, symbol_name
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.passes.xe.xetile_blocking import XeTileBlocking
from xetile.passes.xe.xetile_init_duplicate import XeTileInitDuplicate

EXTENT = 32
"""Stands for what a kernel leaves open."""

LARGEST_ARGUMENT = 1 << 16
"""Elements; kernels with more are not executed."""


MOST_WORKGROUPS = 64

DEVICE = "bmg"

Argument = NDArray[np.generic] | int | float


class TooLong(BaseException):
    """A step took longer than it may."""


@contextmanager
def _time_limit(seconds: float) -> Generator[None]:
    def stop(signal_number: int, frame: object) -> None:
        raise TooLong

    old = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def check_lowering(source: str, *, on_device: bool = False) -> Outcome:
    """Take a program through all steps, `on_device` down to the device where one is installed."""
    step = "parse"
    try:
        with _time_limit(SECONDS), collected_remarks():
            module = parse_text(source, "fuzz.mlir")
            step = "print"
            if (finding := _round_trip(module)) is not None:
                return Outcome(step, finding)
            step = "lower"
            lowered = lower_to_blocked(module)
    except TooLong:
        return Outcome(step, Finding(step, f"took more than {SECONDS:g} s of processor time"))
    except BaseException as error:
        return Outcome(step, _unless_an_answer(step, error))
    return _compare(module, lowered, on_device=on_device and devices.is_installed())


def _unless_an_answer(step: str, error: BaseException) -> Finding | None:
    """A finding, unless the error is an answer: one line, status 1, with a place."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    line, status = answer("fuzz", error)
    if status != STATUS_WRONG_INPUT:
        return Finding(step, f"{type(error).__name__}: {line} at {_origin(error)}")
    if isinstance(error, XetileError) and error.location is None:
        return Finding(step, f"no place: {line}")
    if not isinstance(error, XetileError | ParseError):
        return Finding(step, f"{type(error).__name__} without place: {line}")
    if not (isinstance(error, XetileError) and error.message.strip()):
        return Finding(step, f"no message: {line!r}")
    return None


def _origin(error: BaseException) -> str:
    """The last place in our code, of the error or of the one that it was made from."""
    frames = traceback.extract_tb((error.__cause__ or error).__traceback__)
    ours = [frame for frame in frames if "xetile" in Path(frame.filename).parts] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"


def _round_trip(module: ModuleOp) -> Finding | None:
    """What is printed is read back as the same IR, in both forms."""
    from io import StringIO

    from xdsl.printer import Printer

    for generic in (False, True):
        stream = StringIO()
        Printer(stream, print_generic_format=generic).print_op(module)
        printed = stream.getvalue()
        try:
            again = parse_text(printed + "\n", "printed.mlir")
        except XetileError as error:
            return Finding("print", f"not read back (generic={generic}): {error}")
        if not again.is_structurally_equivalent(module):
            return Finding("print", f"read back as other IR (generic={generic})")
    return None


def lower_to_blocked(module: ModuleOp) -> ModuleOp:
    """A copy at level B; what each pass makes verifies, is printed and read back."""
    copy = module.clone()
    steps: Sequence[ModulePass] = (
        XeTileWgToSg(),
        XeTileInitDuplicate(),
        XeTileBlocking(DEVICE),
    )
    for step in steps:
        step.apply(context(), copy)
        try:
            copy.verify()
            parse_text(text(copy), f"{step.name}.mlir")
        except BaseException as error:
            raise AssertionError(f"{step.name} made IR that is wrong: {error}") from error
    return copy


def _compare(module: ModuleOp, lowered: ModuleOp, *, on_device: bool) -> Outcome:
    """Execute both on the same data; where the first gives a result, the second gives the same."""
    for kernel in kernel_functions(module):
        arguments = _arguments(kernel)
        if arguments is None or not 1 <= _workgroups(kernel) <= MOST_WORKGROUPS:
            continue
        name = symbol_name(kernel)
        before, after = devices.copied(arguments), devices.copied(arguments)
        try:
            with _time_limit(SECONDS):
                execute(module, name, *before)
        except TooLong:
            continue
        except Exception as error:
            return Outcome("execute", _unless_an_answer("execute", error))
        finding = _difference(lowered, name, before, after)
        if finding is not None or not on_device:
            return Outcome("same result", finding)
        return _on_device(module, name, arguments, before)
    return Outcome("lowered")


def _on_device(
    module: ModuleOp, name: str, given: Sequence[Argument], expected: Sequence[Argument]
) -> Outcome:
    try:
        with _time_limit(5 * SECONDS):
            return devices.compared(module, name, given, expected, DEVICE)
    except TooLong:
        return Outcome("device", Finding("device", f"took more than {5 * SECONDS:g} s"))
    except BaseException as error:
        return Outcome("refused below level B", _unless_an_answer("device", error))


def _workgroups(kernel: Operation) -> int:
    """How many workgroups a launch has, 0 if the kernel does not say or says nonsense."""
    try:
        return prod(launch_sizes(kernel, "known_grid_size") or (0,))
    except XetileError:
        return 0


def _difference(
    lowered: ModuleOp, name: str, expected: Sequence[Argument], arguments: Sequence[Argument]
) -> Finding | None:
    try:
        with _time_limit(5 * SECONDS):
            execute(lowered, name, *arguments)
    except (TooLong, Exception) as error:
        return Finding("compare", f"fails when lowered: {type(error).__name__}: {error}")
    for number, (left, right) in enumerate(zip(expected, arguments, strict=True)):
        if np.asarray(left).tobytes() != np.asarray(right).tobytes():
            return Finding("compare", f"argument {number} differs")
    return None


def _arguments(kernel: Operation) -> list[Argument] | None:
    """Small whole numbers for every memref, 32 for every extent that is not known; None if it would be much."""
    made: list[Argument] = []
    for position, argument in enumerate(parameters_of(kernel)):
        try:
            parameter = parameter_of(argument.type)
            if parameter.shape is not None:
                shape = tuple(EXTENT if n == DYNAMIC else n for n in parameter.shape)
                if prod(shape) > LARGEST_ARGUMENT:
                    return None
                parameter = parameter._replace(shape=shape)
            request = str(EXTENT) if parameter.shape is None else "int"
            made.append(make_argument(parameter, request, 0, position))
        except XetileError:
            return None
    return made
