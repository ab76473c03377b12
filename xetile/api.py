"""The functions of xetile for Python programs: read a kernel, lower it, execute it, generate code.

Every function raises `XetileError` for wrong input; its text starts with the source position
if one is at fault.
"""

import re
from contextlib import AbstractContextManager, nullcontext
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args, overload

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.utils.exceptions import ParseError

from xetile.collector import still
from xetile.errors import XetileError, fail, reason_of, remember_source
from xetile.levels import LevelName, below, check_level

if TYPE_CHECKING:
    import numpy
    from xdsl.context import Context

    from xetile.runtime.open_device import Device
    from xetile.targets.target import Assume, RegisterFile
    from xetile.targets.target import Level as IRLevel

Level = LevelName

Kind = Literal["ll", "spirv", "zebin", "asm"]
"""Kinds of code; the device's binary and its assembly need ocloc."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Values = Literal["bits", "field"]
"""The meaning of floats when a kernel is executed on numpy: IEEE's, or elements of a prime field."""
VALUES: tuple[Values, ...] = get_args(Values)


def _place(name: str, line: int, column: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


def decode_source(data: bytes, name: str) -> str:
    """Return the text of a source file's bytes.

    Raise XetileError at the first byte that is not UTF-8 (the column counts characters,
    from 1).
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        remember_source(name, data.decode(errors="replace"))
        lines = data[: error.start].decode().split("\n")
        place = _place(name, len(lines), len(lines[-1]) + 1)
        message = f"byte 0x{data[error.start]:02x} is not valid UTF-8"
        raise XetileError(message, place) from None
    remember_source(name, text)
    return text


_IR = re.compile(r"[{}%@]|\w+\.\w+ ")
"""Text that programs contain and paths hardly ever do."""


def _is_ir(text: str) -> bool:
    return _IR.search(text) is not None


def _path(path: object) -> str:
    """Return the name of a file.

    Raise XetileError if `path` is not a path, also if it is text.
    """
    if not isinstance(path, str | PathLike):
        kind = type(path).__name__
        raise XetileError(f"expected text or the path of a file, found {kind}")
    name = str(fspath(cast("str | PathLike[str]", path)))
    if "\n" in name:
        raise XetileError("expected the path of a file, found text; xetile.parse reads text")
    return name


def read_source(path: str | PathLike[str]) -> str:
    """Return the text of a file.

    Raise XetileError if it cannot be read or is not UTF-8.
    """
    name = _path(path)
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        advice = "; text of one line ends with a line break, else it is a path" * _is_ir(name)
        raise XetileError(f"cannot read '{name}': {reason_of(error)}{advice}") from error
    return decode_source(data, name)


def parse(source: str | bytes | PathLike[str], *, name: str | None = None) -> ModuleOp:
    """Read and verify a module.

    `source` is text if it is bytes or a string with a line break, else the path of a file.
    `name` is the source's name in messages; by default the path, or `<text>`.
    Raise XetileError with the position.
    """
    if isinstance(source, bytes):
        return parse_text(decode_source(source, name or "<text>"), name or "<text>")
    if isinstance(source, str) and "\n" in source:
        return parse_text(source, name or "<text>")
    return parse_text(read_source(source), name or _path(source))


@still()
def parse_text(source: str, name: str, context: "Context | None" = None) -> ModuleOp:
    """Read and verify a module from text, in a fresh context unless one is given.

    Raise XetileError with the position.
    """
    from xetile.dialects.modules import parse as parse_module
    from xetile.parser import refusal

    if "\n" not in source and source.endswith(".mlir") and not _is_ir(source):
        raise XetileError(
            f"expected text, found the path '{source}'; xetile.parse reads files"
        )
    try:
        module = parse_module(source, name, context)
    except ParseError as error:
        raise refusal(error) from error
    verify(module)
    return module


def text(module: ModuleOp) -> str:
    """Return the text of a module, which `parse` reads; it ends with a line break."""
    from io import StringIO

    from xdsl.printer import Printer

    stream = StringIO()
    Printer(stream=stream).print_op(module)
    return f"{stream.getvalue()}\n"


def verify(module: ModuleOp) -> None:
    """Check a module.

    Raise XetileError at the innermost op that is wrong.
    """
    from xetile.dialects.modules import verify as verify_module

    verify_module(module)


@still()
def lower(
    module: ModuleOp,
    *,
    to: LevelName,
    device: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> ModuleOp:
    """Return a lowered copy of a module, for the named device, else the one of its gpu.module, else pvc.

    `assume` says how to treat matrices whose base, pitch or width is known only at run time: `block` (the host ensures
    that 2D block access supports them), `check` (the kernel tests it), `gather` (nothing relies on it). `unroll` says
    how
    often loops of products are unrolled at the last level: 1 leaves loops as they are, by default it is the best number
    in measurements.
    Raise XetileError if a kernel cannot be lowered, for an unknown level or device, for
    a device that the gpu.module contradicts, for a level above the module's own.
    """
    from xetile.dialects.modules import context
    from xetile.passes.pipelines import checked_path
    from xetile.passes.pipelines import lower as lower_in_place

    check_level(to)
    _check_not_below(module, below(to, checked_path(module, device, assume, unroll)), to)
    copy = module.clone()
    lower_in_place(context(), copy, to, device, assume, unroll)
    return copy


def _check_not_below(module: ModuleOp, lower: "tuple[IRLevel, ...]", to: LevelName) -> None:
    """Raise if a kernel is already at one of the levels below `to`."""
    from xetile.analysis.module_kernels import functions, holds_dialect

    for function in functions(module):
        if holds_dialect(
            function, "xetile"
        ):  # hints and barriers of Intel's XeGPU may accompany XeTile
            continue
        for level in reversed(lower):
            if level.dialect is not None and holds_dialect(function, level.dialect):
                fail(
                    function,
                    f"this kernel is at level {level.name} already, which is below {to}",
                )


@overload
def execute(
    module: ModuleOp,
    kernel: str,
    *arrays: "numpy.ndarray | int | float",
    values: Literal["bits"] = "bits",
    grid: tuple[int, int, int] | None = None,
    sanitize: bool | None = None,
    on: "str | Device | None" = None,
    device: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> None: ...


@overload
def execute(
    module: ModuleOp,
    kernel: str,
    *arrays: "numpy.ndarray | int | float",
    values: Literal["field"],
    grid: tuple[int, int, int] | None = None,
    sanitize: bool | None = None,
    on: "str | Device | None" = None,
    device: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> "list[numpy.ndarray | int | float]": ...


def execute(
    module: ModuleOp,
    kernel: str,
    *arrays: "numpy.ndarray | int | float",
    values: Values = "bits",
    grid: tuple[int, int, int] | None = None,
    sanitize: bool | None = None,
    on: "str | Device | None" = None,
    device: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> "list[numpy.ndarray | int | float] | None":
    """Launch a kernel on numpy, or the code emitted for it on a device: arrays change in place.

    `arrays` are the kernel's arguments in order: numpy arrays for memrefs (ml_dtypes for bf16 and
    fp8), numbers for scalars. `grid` counts workgroups (x, y, z); by default the kernel's
    `known_grid_size`. `sanitize` also raises for races on shared memory, and for reads of it before any
    write; by default as the environment says (XETILE_SANITIZE=1).
    `on` is a device that `open_device` opened, or the name of one (`opencl:cpu`), which is then opened for this
    launch; a kernel of any level is compiled for the target `device`, as in `lower`, which explains `assume`
    and `unroll`.
    With `values="field"`, on numpy, floats are elements of a prime field, whose sums do not depend on their order
    (docs/running.md): the arrays do not change, and the arguments after the launch are returned, arrays of floats as
    representatives (int64).
    Raise XetileError for a missing kernel, arguments that do not fit, an access
    out of bounds; on a device, if it cannot build or run the kernel.
    """
    if values not in VALUES:
        raise XetileError(f"unknown values '{values}'; expected one of {', '.join(VALUES)}")
    if on is None:
        from xetile.interpreter import execute as execute_kernel
        from xetile.interpreter import execute_in_field

        _refuse_target(device, unroll)
        if values == "field":
            return execute_in_field(module, kernel, arrays, grid=grid, sanitize=sanitize)
        execute_kernel(module, kernel, arrays, grid=grid, sanitize=sanitize)
        return None
    if values == "field":
        raise XetileError("values='field' is executed on numpy; leave out on=")
    if sanitize:
        raise XetileError("sanitize=True watches what is executed on numpy; leave out on=")
    from xetile.runtime.launch import execute_on

    with _opened(on) as opened:
        execute_on(
            opened,
            module,
            kernel,
            arrays,
            target=device,
            assume=assume,
            unroll=unroll,
            grid=grid,
        )
    return None


def execute_host(
    module: ModuleOp,
    entry: str,
    *arrays: "numpy.ndarray | int | float",
    on: "str | Device | None" = None,
    device: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> "list[numpy.ndarray]":
    """Run a function of the host, which may launch the module's kernels; return its results, as arrays.

    `arrays` are its arguments as `execute` takes them; output of the program goes to
    standard output. `on`, `device`, `assume` and `unroll` are as `execute` has them: the function runs on numpy, its
    launches on the device.
    Raise XetileError for a missing function, arguments that do not fit, an op
    that cannot be executed, an access outside of memory.
    """
    import sys

    from xetile.interpreter import execute_host as run_host

    if on is None:
        _refuse_target(device, unroll)
        return run_host(module, entry, arrays, output=sys.stdout.write)
    from xetile.runtime.host_launches import HostLauncher

    with (
        _opened(on) as opened,
        HostLauncher(opened, target=device, assume=assume, unroll=unroll) as launch,
    ):
        return run_host(module, entry, arrays, output=sys.stdout.write, launch_kernel=launch)


def _refuse_target(device: str | None, unroll: int | None) -> None:
    if unroll is not None:
        raise XetileError(
            f"unroll={unroll} goes with on=: on numpy a kernel is executed at its own level"
        )
    if device is not None:
        raise XetileError(
            f"device={device!r} goes with on=: on numpy a kernel is executed at its own level, for no device"
        )


def _opened(on: "str | Device") -> "AbstractContextManager[Device]":
    """Return the device of a name, closed afterwards; a device that is open stays open."""
    from xetile.runtime.devices import open_device
    from xetile.runtime.open_device import Device

    if isinstance(on, Device):
        return nullcontext(on)
    return open_device(on)


def emit(
    module: ModuleOp,
    kind: Kind,
    device: str | None = None,
    *,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grf: "RegisterFile | None" = None,
) -> str | bytes:
    """Return code of a module at any level: `ll` and `asm` are text, `spirv` and `zebin` bytes.

    `device`, `assume` and `unroll` are as `lower` has them. `grf` is the register file of binaries, `small` or `large`;
    by default the small one, which leaves room for twice the threads, if it surely has room for all kernels and for
    their
    loads ahead of products.

    Raise XetileError if a kernel cannot be lowered, for an unknown kind or device, for
    several devices, or if ocloc is needed and missing.
    """
    from xetile.codegen import emit as emit_code

    if kind not in KINDS:
        raise XetileError(f"unknown kind of code '{kind}'; expected one of {', '.join(KINDS)}")
    if kind == "ll" and grf is not None:
        raise XetileError(
            f"grf={grf} goes with what is built for a device, which LLVM IR is not"
        )
    return emit_code(module, kind, device, assume=assume, unroll=unroll, grf=grf)
