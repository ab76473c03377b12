"""The options of `xetile-run`: their values, and the combinations that are allowed."""

import re
from argparse import (
    ArgumentTypeError,
    BooleanOptionalAction,
    Namespace,
)
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, NoReturn

from xetile.cli.frame.option_values import add_lowering, devices_in_words, read_count
from xetile.cli.frame.tools import PrintAndLeave, ToolParser
from xetile.errors import XetileError, fail, warn
from xetile.targets import find, names

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

PROGRAM = "xetile-run"
EXACT = "bits"
MOST_LAUNCHES = 1_000_000

_POSITIVE = re.compile(r"0*[1-9]\d{0,17}", re.ASCII)


_seed = partial(read_count, refusal="is no seed; write a whole number from 0")
_launches = partial(
    read_count,
    refusal=f"is no number of launches; write one from 1 to {MOST_LAUNCHES:,}",
    least=1,
    most=MOST_LAUNCHES,
)


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        PROGRAM,
        "Executes a kernel on the CPU, or what is emitted for it on a device.",
        has_version=True,
        reads_ir=True,
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
    _add_checks(parser)
    add("--out", metavar="DIR", help="write the arrays after the run there, as arg0.npy ...")
    _add_devices(parser)
    return parser


def _add_checks(parser: ToolParser) -> None:
    """Add the options for comparisons and for checks during execution."""
    add = parser.add_argument
    add(
        "--against",
        metavar="OTHER",
        help="execute this too and compare all arguments after; with --on, OTHER is executed on numpy "
        "and may be IN",
    )
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
    add(
        "--values",
        choices=("bits", "field"),
        default="bits",
        help="what floats are on numpy: their bits, or elements of a prime field, whose sums do not depend on their "
        "order (bits)",
    )
    add(
        "--bank-conflicts",
        action="store_true",
        help="count, for each op of a kernel at lane level, the bank conflicts of its accesses to shared memory",
    )


def _add_devices(parser: ToolParser) -> None:
    add = parser.add_argument_group("what is emitted, on a device").add_argument
    add(
        "--on",
        type=_device,
        metavar="DEVICE",
        help="compile and launch there instead: opencl:cpu, which emulates Intel's block and matrix instructions, "
        "opencl:gpu or opencl:gpu:N",
    )
    help = "print the devices that are there"
    add("--list-devices", action=PrintAndLeave, text=device_table, help=help)
    add("--device", help=f"what to compile for: {devices_in_words()}")
    add_lowering(add, assume=None)
    add(
        "--time",
        type=_launches,
        metavar="N",
        help="print the median time of N launches, with the work of the kernel per second",
    )
    add(
        "--time-limit",
        type=_seconds,
        metavar="SECONDS",
        help="for a build or a launch on opencl:cpu (120)",
    )
    add(
        "--no-surface-checks",
        action="store_true",
        help="let opencl:cpu read surfaces whose base, pitch or width the hardware does not take as they stand",
    )


def check_combination(options: Namespace) -> None:
    """Raise for options that have no effect together, or without another, and for an unknown target."""
    if options.values == "field":
        _refuse_in_field(options)
    if options.on is None:
        _refuse_without_device(options)
    else:
        _refuse_on(options)
    if options.entry is not None:
        flags = ("against", "grid", "time")
        if options.bank_conflicts:
            raise XetileError("--bank-conflicts goes with a kernel, not with --entry")
        if wrong := next((flag for flag in flags if getattr(options, flag) is not None), None):
            raise XetileError(f"--{wrong} goes with a kernel, not with --entry")
    elif options.tolerance is not None and options.against is None:
        raise XetileError("--tolerance goes with --against")
    if options.device is not None:
        _check_target(options.device)


def _refuse_without_device(options: Namespace) -> None:
    for flag, why in (
        ("device", "on numpy a kernel is executed at its own level, for no device"),
        ("assume", "on numpy a tile is reached wherever it lies"),
        ("unroll", "on numpy a kernel is executed at its own level"),
        ("time", "the time of an execution on numpy says nothing"),
        ("time_limit", "it limits a build or a launch there"),
    ):
        if getattr(options, flag) is not None:
            raise XetileError(f"--{flag.replace('_', '-')} goes with --on: {why}")
    if options.no_surface_checks:
        raise XetileError(
            "--no-surface-checks goes with --on: on numpy a surface may lie anywhere"
        )


def _refuse_in_field(options: Namespace) -> None:
    for flag, why in (
        ("on", "the field is executed on numpy"),
        ("entry", "host code looks at the bits of its memory"),
        ("tolerance", "elements of a field are equal or not"),
    ):
        if getattr(options, flag) is not None:
            raise XetileError(f"--{flag} does not go with --values field: {why}")


def _refuse_on(options: Namespace) -> None:
    from xetile.runtime.devices import check_options

    if options.sanitize:
        raise XetileError(
            "--sanitize watches what is executed on numpy; leave out --on, or --sanitize"
        )
    if options.bank_conflicts:
        raise XetileError(
            "--bank-conflicts counts what is executed on numpy; leave out --on, or --bank-conflicts"
        )
    check_options(
        options.on,
        seconds=options.time_limit,
        surface_checks=not options.no_surface_checks,
    )


def _check_target(name: str) -> None:
    from xetile.runtime.devices import is_name

    if is_name(name):
        raise XetileError(
            f"--device is {name}, where to run, which is --on; --device says what to compile for: "
            f"{', '.join(names())}"
        )
    find(name)


def _device(text: str) -> str:
    from xetile.runtime.devices import check_name

    try:
        check_name(text)
    except XetileError as error:
        raise ArgumentTypeError(error.message) from error
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise ArgumentTypeError(f"'{text}' is no time; write seconds above 0, such as 300")
    return seconds


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


Extents = tuple[int, int, int]


def kernel_to_run(module: "ModuleOp", name: str | None, grid: Extents | None) -> "Operation":
    """Return the kernel named `name`, or the only one, whose grid is known.

    Raise XetileError if there is no such kernel, or its grid is not known.
    """
    from xetile.analysis.module_kernels import (
        find_kernel,
        functions,
        kernel_functions,
        launch_sizes,
    )

    if not kernel_functions(module):
        if is_at_last_level(module):
            refuse_last_level(module)
        if name is None:
            _advise_entry(list(functions(module)))
    kernel = find_kernel(module, name, choose="with --kernel")
    check_grid(kernel, launch_sizes(kernel, "known_grid_size"), grid)
    return kernel


def check_grid(kernel: "Operation", known: Extents | None, given: Extents | None) -> None:
    """Raise if no grid is given or known; warn of a given one that contradicts the kernel."""
    if known is None and given is None:
        wanted = "give --grid X,Y,Z, or write known_grid_size on the kernel"
        fail(kernel, f"the grid is not known; {wanted}")
    if given is not None and known is not None and known != given:
        wanted = f"known_grid_size {list(known)}"
        warn(kernel, f"--grid is {list(given)}, which counts; the kernel has {wanted}")


def refuse_last_level(module: "ModuleOp") -> NoReturn:
    """Raise because numpy cannot execute kernels at the last level."""
    from xetile.codegen.llvm_functions import is_kernel, llvm_functions

    fail(
        next(filter(is_kernel, llvm_functions(module))),
        "this kernel is at the last level, which --on executes on a device; numpy executes the levels above",
    )


def is_at_last_level(module: "ModuleOp") -> bool:
    """Return True if all kernels of a module are functions of the llvm dialect."""
    from xetile.analysis.module_kernels import kernel_functions
    from xetile.codegen.llvm_functions import is_kernel, llvm_functions

    return not kernel_functions(module) and any(map(is_kernel, llvm_functions(module)))


def kernels_alone(module: "ModuleOp") -> bool:
    """Return True if a module has kernels but no host function that would launch them."""
    from xetile.analysis.module_kernels import functions, kernel_functions

    return bool(kernel_functions(module)) and not any(
        function.name == "func.func" for function in functions(module)
    )


def _advise_entry(found: "list[Operation]") -> None:
    """Raise, with advice to use `--entry`, if a module has only host functions."""
    from xetile.analysis.module_kernels import symbol_name

    if found and all(function.name == "func.func" for function in found):
        entries = " or ".join(f"--entry {symbol_name(host)}" for host in found)
        raise XetileError(f"the module has no kernel; to run its host code write {entries}")


_HEADINGS = ("name", "instructions", "description")


def device_table(_program: str = "") -> str:
    """Return a line for each device: its name, whether it emulates, the driver's words, why it does not start.

    Raise XetileError if there is no device, with what to install.
    """
    from xetile.runtime.devices import CPU, INSTALL, list_devices

    found = list_devices()
    if not found:
        raise XetileError(
            f"there is no device that takes what is emitted; {INSTALL} brings {CPU}"
        )
    rows = [
        _HEADINGS,
        *(
            (
                device.name,
                "emulated" if device.emulates else "its own",
                ": ".join(filter(None, (device.description, device.fault))),
            )
            for device in found
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "\n".join(
        f"{name:{widths[0]}}  {instructions:{widths[1]}}  {description}"
        for name, instructions, description in rows
    )
