"""`xetile-run`: executes a kernel on the CPU, at any level, or host code that launches kernels; compares two kernels.

Status 0: done, and equal if compared; 2: different, with the largest error and the first place; 1: wrong input.
"""

import re
import sys
import time
from argparse import ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from xetile.cli.errors import ToolParser, run_tool
from xetile.cli.files import make_folder, read_input, say_written, write_output
from xetile.cli.kernels import kernel_to_run, kernels_alone
from xetile.errors import XetileError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.cli.arguments import Argument, Array, Parameter
    from xetile.cli.comparison import Difference

PROGRAM = "xetile-run"
STATUS_DIFFERENT = 2
EXACT = "bits"
PROGRESS_AFTER_SECONDS = 2.0
PROGRESS_EVERY_SECONDS = 0.5

_POSITIVE = re.compile(r"0*[1-9]\d{0,17}", re.ASCII)


def _grid(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if len(parts) != 3 or not all(_POSITIVE.fullmatch(part) for part in parts):
        raise ArgumentTypeError(f"'{text}' is no grid; write X,Y,Z, such as 16,16,1")
    x, y, z = map(int, parts)
    return x, y, z


def _tolerance(text: str) -> float | None:
    if text == EXACT:
        return None
    try:
        bound = float(text)
    except ValueError:
        bound = -1.0
    if not bound >= 0:
        raise ArgumentTypeError(
            f"'{text}' is no tolerance; write {EXACT} or a bound such as 1e-3"
        )
    return bound


def _seed(text: str) -> int:
    if not re.fullmatch(r"\d{1,18}", text, re.ASCII):
        raise ArgumentTypeError(f"'{text}' is no seed; write a whole number from 0")
    return int(text)


def make_parser() -> ToolParser:
    """The command's options."""
    parser = ToolParser(
        PROGRAM, "Executes a kernel on the CPU.", has_version=True, reads_ir=True
    )
    add = parser.add_argument
    add("input", metavar="IN", help="file with the kernel, at any level; - is standard input")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--kernel", metavar="NAME", help="the kernel, if there are several")
    which.add_argument("--entry", metavar="FUNC", help="a host function that launches kernels")
    add(
        "--arg",
        action="append",
        default=[],
        metavar="VALUE",
        help="one per argument of the kernel or function: int (whole numbers in [-4, 4]), zeros, ones, normal, iota, "
        "a number, or FILE.npy",
    )
    add("--seed", type=_seed, default=0, metavar="N", help="for the random arguments (0)")
    add("--grid", type=_grid, metavar="X,Y,Z", help="workgroups, if the kernel does not say")
    add("--against", metavar="OTHER", help="execute this too and compare all arguments after")
    add(
        "--tolerance",
        type=_tolerance,
        default=None,
        metavar=f"{EXACT}|BOUND",
        help="what counts as equal: the same bits (default), or a largest absolute error",
    )
    add(
        "--sanitize",
        action=BooleanOptionalAction,
        default=None,
        help="refuse races on shared memory, accesses outside of it, reads of what nothing has written, and stores "
        "of different values by two workgroups (off, or as XETILE_SANITIZE=1 says)",
    )
    add("--out", metavar="DIR", help="write the arrays after the run there, as arg0.npy ...")
    return parser


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_args(arguments)

    if options.entry is not None:
        return _run_entry(options)
    if options.tolerance is not None and options.against is None:
        raise XetileError("--tolerance goes with --against")
    module, kernel, parameters = _read(options.input, options)
    given = _make_arguments(parameters, options)
    other = None if options.against is None else _read(options.against, options)
    if other is not None:
        _refuse_other_types(parameters, other[2], options)
    ours = _execute(module, kernel, given, options)
    if options.out is not None:
        _write(ours, options.out)
    if other is None:
        _summarize(parameters, ours)
        return 0
    theirs = _execute(other[0], other[1], given, options)
    return _compare(parameters, ours, theirs, options.tolerance)


def _run_entry(options: Namespace) -> int:
    """Execute a function of the host: what it prints, then its arguments and its results."""
    from xetile.analysis.kernels import parameter_types
    from xetile.analysis.missing_maps import warn_of_missing_maps
    from xetile.api import parse_text
    from xetile.cli.arguments import parameter
    from xetile.interpreter import execute_host
    from xetile.interpreter.host.run import find_entry

    for flag, given in (("--against", options.against), ("--grid", options.grid)):
        if given is not None:
            raise XetileError(f"{flag} goes with a kernel, not with --entry")
    module = parse_text(*read_input(options.input))
    if kernels_alone(module):
        raise XetileError("the module has kernels alone, which run without --entry")
    entry = find_entry(module, options.entry)
    warn_of_missing_maps(module)
    types = parameter_types(entry)
    parameters = [parameter(type) for type in types]
    values = _make_arguments(parameters, options, "function")
    results = execute_host(
        module,
        options.entry,
        values,
        output=sys.stdout.write,
        seed=options.seed,
        progress=_progress(),
        sanitize=options.sanitize,
    )
    if options.out is not None:
        _write(values, options.out)
    _summarize(parameters, values)
    for number, result in enumerate(results):
        print(f"result {number}: {_shown(result)}")
    return 0


def _shown(result: "Array") -> str:
    """A number, or what an array holds."""
    if result.ndim == 0:
        return str(result.item())
    return f"{'x'.join(map(str, result.shape))} {result.dtype}: {_extremes(result)}"


def _read(path: str, options: Namespace) -> "tuple[ModuleOp, str, list[Parameter]]":
    """A file's module, the name of its kernel, and the kernel's parameters."""
    from xetile.analysis.kernels import parameter_types, symbol_name
    from xetile.analysis.missing_maps import warn_of_missing_maps
    from xetile.api import parse_text
    from xetile.cli.arguments import parameter

    module = parse_text(*read_input(path))
    found = kernel_to_run(module, options.kernel, options.grid)
    warn_of_missing_maps(module)
    return module, symbol_name(found), [parameter(type) for type in parameter_types(found)]


def _make_arguments(
    parameters: "list[Parameter]", options: Namespace, what: str = "kernel"
) -> "list[Argument]":
    from xetile.cli.arguments import make_argument

    requests: list[str] = options.arg
    if len(requests) != len(parameters):
        types = ", ".join(parameter.type for parameter in parameters)
        raise XetileError(
            f"the {what} takes {len(parameters)} arguments ({types}), --arg gives {len(requests)}; "
            "give one --arg for each"
        )
    return [
        make_argument(parameter, request, options.seed, position)
        for position, (parameter, request) in enumerate(zip(parameters, requests, strict=True))
    ]


def _refuse_other_types(
    ours: "list[Parameter]", theirs: "list[Parameter]", options: Namespace
) -> None:

    mine, yours = ([parameter.type for parameter in side] for side in (ours, theirs))
    if mine != yours:
        raise XetileError(
            f"the kernels take different arguments: '{options.input}' ({', '.join(mine)}), "
            f"'{options.against}' ({', '.join(yours)})"
        )


def _execute(
    module: "ModuleOp", kernel: str, given: "Sequence[Argument]", options: Namespace
) -> "list[Argument]":
    """The arguments after a launch on copies of `given`."""
    from xetile.cli.arguments import duplicate
    from xetile.interpreter import execute

    values = [value if isinstance(value, int | float) else duplicate(value) for value in given]
    execute(
        module,
        kernel,
        values,
        grid=options.grid,
        progress=_progress(),
        sanitize=options.sanitize,
    )
    return values


def _progress() -> Callable[[int, int], None]:
    """Shows how far a run is on standard error, once it has taken a while and not too often."""
    started = time.monotonic()
    shown = started + PROGRESS_AFTER_SECONDS - PROGRESS_EVERY_SECONDS

    def show(done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < PROGRESS_EVERY_SECONDS:
            return
        shown = now
        share = f"{done / total:4.0%}" if total else f"{done} steps"
        print(f"{PROGRAM}: {share} after {now - started:.0f} s", file=sys.stderr, flush=True)

    return show


def _arrays(values: "Sequence[Argument]") -> "list[tuple[int, Array]]":
    return [
        (position, value)
        for position, value in enumerate(values)
        if not isinstance(value, int | float)
    ]


def _write(values: "Sequence[Argument]", folder: str) -> None:
    from io import BytesIO

    import numpy

    make_folder(folder)
    arrays = _arrays(values)
    size = 0
    for position, array in arrays:
        buffer = BytesIO()
        numpy.save(buffer, array)
        size += buffer.tell()
        write_output(str(Path(folder) / f"arg{position}.npy"), buffer.getvalue())
    number = "1 array" if len(arrays) == 1 else f"{len(arrays)} arrays"
    say_written(PROGRAM, f"{number} to {folder}", size)


def _summarize(parameters: "list[Parameter]", values: "Sequence[Argument]") -> None:
    for position, array in _arrays(values):
        print(f"argument {position}: {parameters[position].type}: {_extremes(array)}")


def _extremes(array: "Array") -> str:
    import numpy

    wide = array.astype(numpy.float64)
    return f"smallest {wide.min():g}, largest {wide.max():g}" if wide.size else "empty"


def _compare(
    parameters: "list[Parameter]",
    ours: "Sequence[Argument]",
    theirs: "Sequence[Argument]",
    bound: float | None,
) -> int:
    from xetile.cli.comparison import compare

    different = False
    for (position, left), (_, right) in zip(_arrays(ours), _arrays(theirs), strict=True):
        difference = compare(left, right, bound)
        if difference is not None:
            different = True
            print(f"argument {position}: {parameters[position].type}: {_describe(difference)}")
    if different:
        return STATUS_DIFFERENT
    print("equal bits" if bound is None else f"equal within {bound:g}")
    return 0


def _describe(difference: "Difference") -> str:
    place = ", ".join(map(str, difference.place))
    return (
        f"{difference.number} elements differ, largest error {difference.largest:g}; "
        f"first at [{place}]: {difference.ours} and {difference.theirs}"
    )


main = partial(run_tool, PROGRAM, _run)
