"""`xetile-run --on DEVICE`: launch the code of a kernel on a device, and report its time and its work per second."""

from argparse import Namespace
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from xetile.cli.running.run_options import PROGRAM, check_grid
from xetile.progress import Stages
from xetile.runtime.open_device import Device

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute

    from xetile.cli.running.run_arrays import Argument
    from xetile.runtime.launch import Compiled

_SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


class OnDevice(NamedTuple):
    """An open device, and the progress report of a long run."""

    device: Device
    stage: Stages


@contextmanager
def on_device(options: Namespace) -> Generator[OnDevice]:
    """Open the device that the options name."""
    from xetile.runtime.devices import open_device

    with Stages(PROGRAM) as stage:
        stage(f"opening {options.on}")
        with open_device(
            options.on,
            seconds=options.time_limit,
            surface_checks=not options.no_surface_checks,
        ) as device:
            yield OnDevice(device, stage)


def compiled_kernel(
    module: "ModuleOp", options: Namespace
) -> "tuple[Compiled, list[Attribute]]":
    """Return the kernel at the last level, compiled, and the types of its arguments where it was written.

    Raise XetileError if there is no kernel, or its grid is not known.
    """
    from xdsl.dialects.llvm import LLVMPointerType

    from xetile.analysis.module_kernels import symbol_name
    from xetile.errors import fail
    from xetile.runtime.arguments import source_types
    from xetile.runtime.code import extents_of
    from xetile.runtime.launch import compile_kernel, find_function

    function = find_function(module, options.kernel, choose="with --kernel")
    compiled = compile_kernel(
        module,
        symbol_name(function),
        options.device,
        assume=options.assume or "block",
        unroll=options.unroll,
    )
    check_grid(compiled.function, extents_of(compiled.kernel["grid"]), options.grid)
    types = source_types(compiled.entries)
    for number, type in enumerate(types):
        if isinstance(type, LLVMPointerType):
            fail(
                compiled.function,
                f"argument {number} is {type}, which does not say what is there; start from a level above, "
                "or give arrays to xetile.execute(..., on=)",
            )
    return compiled, types


def launch(
    module: "ModuleOp",
    kernel: str,
    values: "Sequence[Argument]",
    options: Namespace,
    compiled: "Compiled | None",
) -> list[str]:
    """Launch a kernel, which changes the arrays; return the lines that report its time.

    `compiled` is the kernel if it was compiled before, else None.
    """
    from xetile.runtime.launch import compile_kernel, execute_compiled

    with on_device(options) as (device, stage):
        if compiled is None:
            stage("compiling")
            compiled = compile_kernel(
                module,
                kernel,
                options.device,
                assume=options.assume or "block",
                unroll=options.unroll,
                most_calls=device.information.most_calls,
            )
        seconds = execute_compiled(
            device,
            compiled,
            values,
            grid=options.grid,
            times=options.time or 1,
            stage=stage,
        )
        if options.time is None:
            return []
        figures = _figures(module, compiled, values, options, seconds)
        if device.information.emulates:
            figures.append(
                f"{device.information.name} emulates matrix instructions and block messages: "
                "this time and what follows from it mean nothing"
            )
        return figures


def _figures(
    module: "ModuleOp",
    compiled: "Compiled",
    values: "Sequence[Argument]",
    options: Namespace,
    seconds: float,
) -> list[str]:
    number = f"median of {options.time} launches" if options.time > 1 else "one launch"
    size = sum(value.nbytes for value in values if not isinstance(value, int | float))
    return [
        f"time: {_scaled_time(seconds)} ({number})",
        _work(module, compiled, values, options, seconds),
        f"memory: {size:,} bytes of arguments, each counted once, {_rate(size, seconds, 'B/s')}",
    ]


def _work(
    module: "ModuleOp",
    compiled: "Compiled",
    values: "Sequence[Argument]",
    options: Namespace,
    seconds: float,
) -> str:
    from xetile.analysis.module_kernels import find_kernel, kernel_functions, known_grid
    from xetile.analysis.work import holds_float_products, products_of_launch
    from xetile.errors import with_line

    if not kernel_functions(module):
        return "work: not known of a kernel at the last level"
    kernel = find_kernel(module, compiled.name)
    shapes = [value if isinstance(value, int | float) else value.shape for value in values]
    work = products_of_launch(kernel, shapes, known_grid(kernel, options.grid))
    if work.unknown is not None:
        line = with_line(work.unknown, " in line {}")
        return f"work: not known, it depends on how '{work.unknown.name}'{line} goes"
    if not work.operations:
        return "work: no matrix products"
    unit = "FLOP/s" if holds_float_products(kernel) else "OP/s"
    rate = _rate(work.operations, seconds, unit)
    return f"work: {work.operations:,} operations of matrix products, {rate}"


def _scaled_time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3f} s"
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3f} us"


def _rate(count: int, seconds: float, unit: str) -> str:
    if seconds <= 0:
        return f"too fast for {unit}"
    rate = count / seconds
    scale, letter = next((pair for pair in _SCALES if rate >= pair[0]), (1.0, ""))
    return f"{rate / scale:.3g} {letter}{unit}"
