"""`xetile-run`: executes a kernel, at any level, or host code that launches kernels; compares two kernels.

It executes on numpy, or on a device that runs the emitted code.

Status 0: done, and equal if compared; 2: different, with the largest error and the first place; 1: wrong input.
"""

import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xetile.cli.frame.inputs_outputs import make_folder, read_input, say_written, write_output
from xetile.cli.frame.tools import run_tool
from xetile.cli.running.run_options import (
    PROGRAM,
    check_combination,
    is_at_last_level,
    kernel_to_run,
    kernels_alone,
    make_parser,
    refuse_last_level,
)
from xetile.errors import XetileError
from xetile.progress import shares

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.cli.running.run_arrays import Argument, Array, Difference, Parameter
    from xetile.interpreter.host.host_machine import KernelLauncher
    from xetile.runtime.launch import Compiled

STATUS_DIFFERENT = 2


class Kernel(NamedTuple):
    """A module, the name of its kernel to run, and the kernel's parameters; at the last level it is compiled."""

    module: "ModuleOp"
    name: str
    parameters: "list[Parameter]"
    compiled: "Compiled | None" = None


def _run(arguments: list[str]) -> int:
    options = make_parser().parse_args(arguments)
    from xetile.analysis.kernel_targets import option_called

    check_combination(options)
    with option_called("--device"):
        return _run_kernel(options) if options.entry is None else _run_entry(options)


def _run_kernel(options: Namespace) -> int:
    kernel = _read(options.input, options, on_device=options.on is not None)
    parameters = kernel.parameters
    given = _make_arguments(parameters, options)
    other = _other(kernel, options)
    ours, figures = _ours(kernel, given, options)
    if options.out is not None:
        _write(ours, options.out)
    if other is None:
        _summarize(parameters, ours)
        status = 0
    else:
        theirs = _execute(other, given, options)
        status = _compare(parameters, ours, theirs, options)
    for line in figures:
        print(line)
    return status


def _other(kernel: Kernel, options: Namespace) -> Kernel | None:
    """Return the kernel to compare with, executed on numpy; it may be the same kernel."""
    if options.against is None:
        return None
    if options.against == options.input:
        # not read again: standard input would be at its end
        if is_at_last_level(kernel.module):
            refuse_last_level(kernel.module)
        return kernel
    other = _read(options.against, options, on_device=False)
    _refuse_other_types(kernel.parameters, other.parameters, options)
    return other


def _run_entry(options: Namespace) -> int:
    """Execute a function of the host: print its output, then its arguments and its results."""
    from xetile.analysis.missing_maps import warn_of_missing_maps
    from xetile.analysis.module_kernels import parameter_types
    from xetile.api import parse_text
    from xetile.cli.running.run_arrays import parameter
    from xetile.interpreter import execute_host
    from xetile.interpreter.host.run import find_entry

    module = parse_text(*read_input(options.input))
    if kernels_alone(module):
        raise XetileError("the module has kernels alone, which run without --entry")
    entry = find_entry(module, options.entry)
    warn_of_missing_maps(module)
    types = parameter_types(entry)
    parameters = [parameter(type) for type in types]
    values = _make_arguments(parameters, options, "function")
    with _launcher(options) as (launch_kernel, progress):
        results = execute_host(
            module,
            options.entry,
            values,
            output=sys.stdout.write,
            seed=options.seed,
            progress=progress,
            sanitize=options.sanitize,
            launch_kernel=launch_kernel,
        )
    if options.out is not None:
        _write(values, options.out)
    _summarize(parameters, values)
    for number, result in enumerate(results):
        print(f"result {number}: {_shown(result)}")
    return 0


@contextmanager
def _launcher(
    options: Namespace,
) -> "Generator[tuple[KernelLauncher | None, Callable[[int, int], None] | None]]":
    """Yield the launcher of host code's kernels, None for numpy, and the function that shows progress."""
    if options.on is None:
        yield None, shares(PROGRAM)
        return
    from xetile.cli.running.run_device import on_device
    from xetile.runtime.host_launches import HostLauncher

    with (
        on_device(options) as (device, stage),
        HostLauncher(
            device,
            target=options.device,
            assume=options.assume or "block",
            unroll=options.unroll,
            stage=stage,
        ) as launch_kernel,
    ):
        stage("running host code")
        yield launch_kernel, None


def _shown(result: "Array") -> str:
    """Return a number, or the extremes of an array."""
    if result.ndim == 0:
        return str(result.item())
    return f"{'x'.join(map(str, result.shape))} {result.dtype}: {_extremes(result)}"


def _read(path: str, options: Namespace, *, on_device: bool) -> Kernel:
    """Return a file's kernel; a kernel at the last level can be executed only on a device."""
    from xetile.analysis.missing_maps import warn_of_missing_maps
    from xetile.analysis.module_kernels import parameter_types, symbol_name
    from xetile.api import parse_text
    from xetile.cli.running.run_arrays import parameter

    module = parse_text(*read_input(path))
    compiled = None
    if on_device and is_at_last_level(module):
        from xetile.cli.running.run_device import compiled_kernel

        compiled, types = compiled_kernel(module, options)
        name = compiled.name
    else:
        found = kernel_to_run(module, options.kernel, options.grid)
        name, types = symbol_name(found), parameter_types(found)
    warn_of_missing_maps(module)
    return Kernel(module, name, [parameter(type) for type in types], compiled)


def _make_arguments(
    parameters: "list[Parameter]", options: Namespace, what: str = "kernel"
) -> "list[Argument]":
    from xetile.cli.running.run_arrays import make_argument

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


def _ours(
    kernel: Kernel, given: "Sequence[Argument]", options: Namespace
) -> "tuple[list[Argument], list[str]]":
    """Return the arguments after a launch on copies of `given`, and lines on its time or its bank conflicts."""
    if options.bank_conflicts:
        return _counted(kernel, given, options)
    if options.on is None:
        return _execute(kernel, given, options), []
    from xetile.cli.running.run_device import launch

    values = _copies(given)
    return values, launch(kernel.module, kernel.name, values, options, kernel.compiled)


def _counted(
    kernel: Kernel, given: "Sequence[Argument]", options: Namespace
) -> "tuple[list[Argument], list[str]]":
    """Execute as `_execute` does, and return a line for each op that accesses shared memory."""
    from xetile.errors import with_line
    from xetile.interpreter import count_bank_conflicts

    values = _copies(given)
    sites = count_bank_conflicts(
        kernel.module, kernel.name, values, grid=options.grid, sanitize=bool(options.sanitize)
    )
    lines = [
        f"'{site.at.name}'{with_line(site.at, ' in line {}')}: {site.accesses} accesses, "
        f"{site.conflicts} bank conflicts, {site.most} at most"
        for site in sites
    ]
    nothing = "no lane accesses shared memory; lanes are counted at level xevm (xetile-opt --xetile-to-xevm)"
    return values, lines or [nothing]


def _copies(given: "Sequence[Argument]") -> "list[Argument]":
    from xetile.cli.running.run_arrays import duplicate

    return [value if isinstance(value, int | float) else duplicate(value) for value in given]


def _execute(
    kernel: Kernel, given: "Sequence[Argument]", options: Namespace
) -> "list[Argument]":
    """Return the arguments after a launch on numpy on copies of `given`."""
    from xetile.interpreter import execute, execute_in_field

    values = _copies(given)
    run = execute_in_field if options.values == "field" else execute
    made = run(
        kernel.module,
        kernel.name,
        values,
        grid=options.grid,
        progress=shares(PROGRAM),
        sanitize=options.sanitize,
    )
    return values if made is None else made


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
    options: Namespace,
) -> int:
    from xetile.cli.running.run_arrays import compare

    different, bound = False, options.tolerance
    for (position, left), (_, right) in zip(_arrays(ours), _arrays(theirs), strict=True):
        difference = compare(left, right, bound)
        if difference is not None:
            different = True
            print(f"argument {position}: {parameters[position].type}: {_describe(difference)}")
    if different:
        return STATUS_DIFFERENT
    exact = "equal elements of the field" if options.values == "field" else "equal bits"
    print(exact if bound is None else f"equal within {bound:g}")
    return 0


def _describe(difference: "Difference") -> str:
    place = ", ".join(map(str, difference.place))
    return (
        f"{difference.number} elements differ, largest error {difference.largest:g}; "
        f"first at [{place}]: {difference.ours} and {difference.theirs}"
    )


main = partial(run_tool, PROGRAM, _run)
