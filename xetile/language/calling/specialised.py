"""A kernel for given types of arguments and values of constants: its IR at one level, callable with arrays.

Its code for a device is SPIR-V and a launch contract, and with ocloc also assembly and figures. A kernel on a device
is built once, and called with arrays or with buffers that stay there. The checks of a call depend only on types,
shapes and strides, so they run once for each combination.
"""

import os
import warnings
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self, TypeVar, cast

import xetile.api as api
from xetile.errors import XetileError, is_command
from xetile.language.builder import Pair
from xetile.language.calling.argument_types import (
    Given,
    Passed,
    check,
    check_memory,
    extents_of,
    launched,
)
from xetile.language.calling.kept import MOST, KeptBy, Recent, kept, key_of
from xetile.language.calling.tracing import Grid, Source, Traced
from xetile.language.positions import refuse
from xetile.language.types import i32
from xetile.runtime.code import Code, compile_code
from xetile.targets import DEFAULT, by_name, find
from xetile.targets.target import LLVM

if TYPE_CHECKING:
    from os import PathLike

    from xdsl.dialects.builtin import ModuleOp

    from xetile.codegen.contract import Plain
    from xetile.explanation.printed_report import Explanation
    from xetile.explorer.exploration import Exploration
    from xetile.language.calling.grids import Sizes
    from xetile.levels import LevelName
    from xetile.runtime.buffers import Buffer
    from xetile.runtime.open_device import Device
    from xetile.targets.target import Assume, RegisterFile


_METHOD = 3
"""The stack level of the user's frame: this function, the method that the user calls, the user."""


def device_for(source: "Source | None", *named: str | None) -> str:
    """Return the first device that is named, or the default device after notifying the user.

    A command notifies in a remark. A Python program gets a warning at the line that calls the method, so that Python
    shows it once for each such line.
    Errors: XetileError for an unknown device, and at the kernel if it has more subgroups than the device allows.
    """
    name = next((one for one in named if one is not None), None)
    if name is None:
        name = DEFAULT
        _tell_of_default()
    name = find(name).name
    if source is not None:
        check_subgroups(source, name)
    return name


def _tell_of_default() -> None:
    from xetile.analysis.kernel_targets import default_target, no_device, option_called

    with option_called("device="):
        if is_command():
            default_target(None)
        else:
            warnings.warn(no_device(None), stacklevel=_METHOD + 1)


def check_subgroups(source: "Source", device: str | None = None) -> None:
    """Raise if a layout has more subgroups than a workgroup of `device`, or of any device if None.

    Errors: XetileError at the kernel.
    """
    count = prod(source.sg_layout)
    wanted = f"sg_layout {source.sg_layout} of '{source.name}' has {count} subgroups"
    if device is not None:
        most = find(device).most_subgroups
        held = f"a workgroup on {device} has {most} at most"
    else:
        most = max(target.most_subgroups for target in by_name().values())
        held = f"a workgroup has {most} at most"
    if count > most:
        raise XetileError(f"{wanted}; {held}", source.place)


class Options(NamedTuple):
    """Options of code generation, as for `xetile.emit`."""

    assume: "Assume" = "block"
    unroll: int | None = None
    grf: "RegisterFile | None" = None


class Compiled:
    """The code of a kernel for `device`."""

    def __init__(
        self,
        kernel: "Specialised",
        code: Code,
        device: str,
        options: Options,
    ) -> None:
        self.name = kernel.name
        self.code = code
        self.device = device
        self._options = options
        self._kernel = kernel

    def __repr__(self) -> str:
        return f"<{self.name} for {self.device}: {len(self.spirv)} bytes of SPIR-V>"

    @property
    def spirv(self) -> bytes:
        """The SPIR-V module."""
        return self.code.spirv

    @property
    def contract(self) -> "dict[str, Plain]":
        """The facts that a host needs to launch it; docs/launch-contract.schema.json lists the keys."""
        return self.code.contract

    @cached_property
    def ll(self) -> str:
        """LLVM IR."""
        from xetile.codegen import emit

        assume, unroll, _ = self._options
        return cast(
            str, emit(self._kernel.module, "ll", self.device, assume=assume, unroll=unroll)
        )

    @cached_property
    def asm(self) -> str:
        """The assembly that ocloc makes.

        Errors: XetileError if ocloc is missing.
        """
        return self._made("asm").decode()

    @cached_property
    def zebin(self) -> bytes:
        """The binary that ocloc makes.

        Errors: XetileError if ocloc is missing.
        """
        return self._made("zebin")

    def _made(self, kind: 'Literal["asm", "zebin"]') -> bytes:
        from xetile.codegen import emit

        def make() -> bytes:
            found = emit(self._kernel.module, kind, self.device, **self._options._asdict())
            return found.encode() if isinstance(found, str) else found

        return self._kept(kind, make)

    def _kept(self, kind: str, make: Callable[[], bytes]) -> bytes:
        """Return ocloc's output of a kind from the cache, or else from `make`."""
        return self._kernel.kept(kind, self.device, self._options._asdict(), make)

    @cached_property
    def stats(self) -> dict[str, float]:
        """Instructions of the hot loop in a K step, spills, registers, as `xetile-compile --stats` prints them.

        Errors: XetileError if ocloc is missing.
        """
        import json

        from xetile.codegen import statistics

        def make() -> bytes:
            found = statistics(self._kernel.module, self.device, **self._options._asdict())
            return json.dumps(found[self.name]).encode()

        return cast("dict[str, float]", json.loads(self._kept("stats", make)))

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the SPIR-V to a file, and its contract next to it as PATH.json, as `xetile-compile` does.

        Errors: XetileError if a file cannot be written.
        """
        import json
        from os import fspath

        from xetile.errors import XetileError, reason_of
        from xetile.files import write_files

        name = fspath(path)
        contract = json.dumps(self.contract, indent=2) + "\n"
        try:
            write_files([(name, self.spirv), (f"{name}.json", contract.encode())])
        except OSError as error:
            raise XetileError(f"cannot write '{name}': {reason_of(error)}") from error


MOST_COMBINATIONS = 256
"""The number of combinations of types and shapes whose grid a kernel caches."""


def signature(arguments: Sequence[object]) -> tuple[object, ...] | None:
    """Return the key of the grid and the checks; None if an argument is neither buffer, array nor Python number."""
    found: list[object] = []
    for argument in arguments:
        kind = type(argument)
        if kind is float:
            found.append(kind)
        elif kind is int:
            found.append(cast(int, argument).bit_length() < i32.bits)
        elif (of_buffer := getattr(argument, "signature", None)) is not None:
            found.append(of_buffer)
        elif (strides := getattr(argument, "strides", None)) is not None:
            array = cast("Buffer", argument)
            found.append((array.dtype, array.shape, strides))
        else:
            return None
    return tuple(found)


class Call(NamedTuple):
    """The inputs of a specialization: arguments with names of parameters, constants, and options of the call."""

    names: tuple[str, ...]
    arguments: "tuple[Passed, ...]"
    constants: Mapping[str, object]
    sg_layout: Pair | None
    grid: Grid | None

    def key(self) -> Hashable | None:
        """Return the call's cache key, or None; it is valid while the objects that the kernel reads are unchanged."""
        types = signature(self.arguments)
        if types is None:
            return None
        try:
            values = [(name, key_of(value)) for name, value in sorted(self.constants.items())]
            return self.names, types, *values, self.sg_layout, key_of(self.grid)
        except RecursionError:  # a list that contains itself
            return None


class _Made(Protocol):
    source: Source


M = TypeVar("M", bound=_Made)


def remembered(known: Recent[object, M], call: Call, make: Callable[[Call], M]) -> M:
    """Return the cached object of an equal call if the objects that the kernel reads are unchanged, or `make`'s."""
    key = call.key()
    found = None if key is None else known.get(key)
    if found is None or not found.source.dependencies.unchanged():
        found = make(call)
        if key is not None:
            known.put(key, found)
    return found


class _Opened:
    """An object that uses a device and may own it.

    An owned device is closed at the end of a `with`, by `close`, or when the object is collected.
    """

    def __init__(self, device: "Device", *, owns: bool) -> None:
        self.device = device
        self._owns = owns
        if owns:
            weakref.finalize(self, device.close)

    def close(self) -> None:
        """Close the device if this object owns it."""
        if self._owns:
            self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class OnDevice(_Opened):
    """A kernel on a device: call it with arrays, numbers and buffers that `device.buffer` and `device.zeros` make.

    It frees its resources when it is collected, at the end of a `with`, or by `close`.
    """

    def __init__(
        self,
        source: Source,
        compiled: "Compiled",
        grid_of: "Callable[[Sequence[Passed], Grid | None, Sizes | None], Sizes]",
        check_memory: "Callable[[Sequence[Passed]], None]",
        device: "Device",
        *,
        owns: bool,
    ) -> None:
        """Store the functions: `grid_of` checks arguments and counts workgroups, `check_memory` checks stored arrays.

        If `owns`, the device is closed with this object.
        """
        super().__init__(device, owns=owns)
        self.source = source
        self.compiled = compiled
        self._grid_of = grid_of
        self._check_memory = check_memory
        self.prepared = self.device.prepare(compiled.code, source.name, place=source.place)
        self._grids: dict[tuple[object, ...], Sizes] = {}

    def __call__(self, *arguments: "Passed", grid: Grid | None = None) -> None:
        """Launch the kernel; arrays that it stores to change in place.

        `grid` is as in `Specialised.__call__`. On a GPU a call with buffers returns once the launch is queued;
        `Buffer.numpy()` and `device.synchronize()` wait for it.
        Errors: XetileError for arguments that do not fit, with the parameter, and for those that the device rejects.
        """
        key = signature(arguments) if grid is None else None
        sizes = None if key is None else self._grids.get(key)
        if sizes is None:
            sizes = self._grid_of(arguments, grid, self.prepared.grid)
            if key is not None and not callable(self.source.grid):
                if len(self._grids) >= MOST_COMBINATIONS:
                    self._grids.clear()
                self._grids[key] = sizes
        self._check_memory(arguments)
        self.prepared(*arguments, grid=sizes)

    def close(self) -> None:
        """Free the program, and close the device if this object owns it."""
        self.prepared.free()
        super().close()


class KernelOnDevice(_Opened):
    """A kernel on a device, specialized by the arguments of each call; specializations stay built.

    Arguments are arrays, numbers, and buffers that `device.buffer` and `device.zeros` make. The device is closed when
    this object is collected, at the end of a `with`, or by `close`, unless it was open before.
    """

    def __init__(
        self,
        place: "str | Device",
        arrange: "Callable[..., Call]",
        prepare: "Callable[[Device, Call], OnDevice]",
    ) -> None:
        """Open the device; `arrange` makes a `Call` of arguments, `prepare` makes an object that launches."""
        from xetile.runtime.devices import open_device

        opened = open_device(place) if isinstance(place, str) else place
        super().__init__(opened, owns=opened is not place)
        self._arrange = arrange
        self._prepare = partial(prepare, opened)
        self._known: Recent[object, OnDevice] = Recent(MOST)

    def __call__(
        self,
        *arguments: "Passed | None",
        sg_layout: Pair | None = None,
        grid: Grid | None = None,
        **constants: object,
    ) -> None:
        """Launch the kernel; arrays that it stores to change in place.

        Errors: as for `Kernel.specialize` and `OnDevice.__call__`.
        """
        call = self._arrange(arguments, constants, sg_layout, grid)
        remembered(self._known, call, self._prepare)(*call.arguments)

    def close(self) -> None:
        """Drop the built kernels, and close the device if this object owns it."""
        self._known.clear()
        super().close()


_OF_NO_DEVICE: "tuple[LevelName, ...]" = ("workgroup", "subgroup")
"""Levels that are the same for all devices."""

EAGER_VARIABLE = "XETILE_EAGER"
"""The environment variable that makes calls on numpy execute eagerly: 1 or 0."""


class Specialised:
    """A kernel whose types and constants are known; `print` shows its IR, a call executes it on numpy.

    `level` is the level of its IR: `workgroup` as written, or the one that `lower` lowered it to.
    """

    def __init__(
        self,
        source: Source,
        traced: Traced | None = None,
        level: "LevelName" = "workgroup",
        device: str | None = None,
    ) -> None:
        """Trace the kernel on demand if `traced` is None; `device` is the one that it was lowered for."""
        self.source = source
        self.device = device
        self.level: LevelName = level
        self._known = traced

    @property
    def module(self) -> "ModuleOp":
        """The kernel's IR.

        Errors: XetileError at the faulty line of the kernel.
        """
        return self._traced().module

    def _traced(self) -> Traced:
        if self._known is None:
            self._known = self.source.traced()
        return self._known

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.source.name

    def __str__(self) -> str:
        return api.text(self.module).rstrip()

    def __repr__(self) -> str:
        types = ", ".join(f"{name}: {type}" for name, type in self.source.types.items())
        constants = "".join(f", {name}={v!r}" for name, v in self.source.constants.items())
        return f"<kernel {self.name}({types}{constants}) at level {self.level}>"

    def grid(self, *arguments: "Passed", grid: Grid | None = None) -> "Sizes":
        """Return the workgroups in x, y and z that a call with these arguments launches.

        Errors: XetileError for arguments that do not fit, and if the grid neither follows from the stores nor is given.
        """
        return self._checked_grid(arguments, grid)

    def __call__(
        self, *arguments: Given, grid: Grid | None = None, sanitize: bool | None = None
    ) -> None:
        """Execute the kernel on numpy at its level; arrays that it stores to change in place.

        `grid` counts workgroups along axes 0, 1 and 2; the default is the kernel's grid, or follows from its stores.
        `sanitize` also reports races on shared memory (docs/running.md). With XETILE_EAGER=1 in the environment, a
        kernel that was not lowered executes as `eager` does.
        Errors: XetileError for arguments that do not fit, with the parameter; at the kernel's line if execution fails.
        """
        if self.level == "workgroup" and os.environ.get(EAGER_VARIABLE, "0") not in ("", "0"):
            self.eager(*arguments, grid=grid, sanitize=sanitize)
            return
        if self.level == LLVM.name:
            refuse(f"level {self.level} is executed on devices; write .on('opencl:cpu')(...)")
        sizes = self._checked_grid(arguments, grid)
        self._check_memory(arguments)
        api.execute(
            self.module, self.name, *launched(arguments), grid=sizes, sanitize=sanitize
        )

    def eager(
        self, *arguments: Given, grid: Grid | None = None, sanitize: bool | None = None
    ) -> None:
        """Run the kernel's Python function for each workgroup on numpy values; `pdb`, `print` and `break` work in it.

        The bits are those of a call at level `workgroup`.
        """
        from xetile.language.calling.eager import execute_eagerly

        sizes = self._checked_grid(arguments, grid)
        self._check_memory(arguments)
        execute_eagerly(self.source, arguments, grid=sizes, sanitize=sanitize)

    def lower(
        self,
        level: "LevelName",
        *,
        device: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
    ) -> "Specialised":
        """Return the kernel at a lower level, for a device; options are as for `xetile.lower`.

        A level below `subgroup` needs a device: pvc with a warning, unless one is named here or was before.
        """
        named = device or self.device
        if named is not None or level not in _OF_NO_DEVICE:
            named = device_for(self.source, named)
        module = api.lower(self.module, to=level, device=named, assume=assume, unroll=unroll)
        return Specialised(self.source, self._traced()._replace(module=module), level, named)

    def compile(
        self,
        device: str | None = None,
        *,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> Compiled:
        """Return the code for a device, by default the one that the kernel was lowered for, else pvc with a warning.

        Options are as for `xetile.emit`.

        Errors: XetileError at the line of the kernel that cannot be lowered; for an unknown device.
        """
        options = Options(assume, unroll, grf)
        target = device_for(self.source, device, self.device)
        return self._compiled(target, options, most_calls=None)

    def explain(
        self,
        device: str | None = None,
        *,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> "Explanation":
        """Explain the kernel's code for a device: messages, registers, conversions, instructions; `print` shows it.

        Locations are lines of the kernel's Python file. Options are as for `xetile.explain`.
        """
        from xetile.explanation import explain

        target = device_for(self.source, device, self.device)
        return explain(
            self.module, target, kernel=self.name, assume=assume, unroll=unroll, grf=grf
        )

    def explore(
        self,
        device: str | None = None,
        *,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
        show: bool | None = None,
    ) -> "Exploration":
        """Show every level of the kernel next to its Python source, linked op by op, as a page in the browser.

        `show` opens the browser; the default is True except in notebooks, which show the exploration themselves.
        Options are as for `xetile.explore`.
        """
        from xetile.explorer import explore
        from xetile.explorer.exploration import is_notebook

        target = device_for(self.source, device, self.device)
        found = explore(
            self.module, target, kernel=self.name, assume=assume, unroll=unroll, grf=grf
        )
        if not is_notebook() if show is None else show:
            found.open()
        return found

    def on(
        self,
        place: "str | Device",
        *,
        device: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> "OnDevice":
        """Return the kernel on a device that executes: `opencl:cpu`, `opencl:gpu` or one from `xetile.open_device`.

        It is compiled for `device`, such as bmg; by default the one that it was lowered for, else pvc with a warning.
        Options are as in `compile`.
        Errors: as for `compile`; if the device is not available.
        """
        from xetile.runtime.devices import open_device

        options = Options(assume, unroll, grf)
        _check_place(place)
        target = device_for(self.source, device, self.device)
        opened = open_device(place) if isinstance(place, str) else place
        try:
            most = opened.information.most_calls
            compiled = self._compiled(target, options, most_calls=most)
            return OnDevice(
                self.source,
                compiled,
                self._checked_grid,
                self._check_memory,
                opened,
                owns=opened is not place,
            )
        except BaseException:
            if opened is not place:
                opened.close()
            raise

    def _compiled(self, target: str, options: Options, *, most_calls: int | None) -> Compiled:
        """Return the code, cached for kernels that were not lowered."""

        def make() -> bytes:
            code = compile_code(
                self.module, self.name, target, **options._asdict(), most_calls=most_calls
            )
            return code.to_bytes()

        by: KeptBy = {**options._asdict(), "most_calls": most_calls}
        code = Code.from_bytes(self.kept("spirv", target, by, make))
        assert code is not None, "it was made so, or read before"
        return Compiled(self, code, target, options)

    def kept(self, kind: str, device: str, by: KeptBy, make: Callable[[], bytes]) -> bytes:
        """Return the cached output of a kernel that was not lowered, or else `make`'s."""
        if self.level != "workgroup":
            return make()
        tools, is_good = (dict[str, str], _is_code) if kind == "spirv" else (_ocloc, bool)
        return kept(
            self.source,
            lambda: self.module,
            kind,
            device,
            by,
            make,
            tools=tools,
            is_good=is_good,
        )

    def _check_memory(self, arguments: "Sequence[Passed]") -> None:
        """Raise if the kernel stores to a read-only array, or to one that overlaps another."""
        check_memory(tuple(self.source.types), arguments, lambda: self._traced().stored)

    def _checked_grid(
        self, arguments: "Sequence[Passed]", grid: Grid | None, known: "Sizes | None" = None
    ) -> "Sizes":
        """Check the arguments and return the grid; `known` is the grid if all extents are static."""
        types = self.source.types
        check(self.name, types, arguments)
        if grid is None and known is not None:
            return known
        given = dict(zip(types, arguments, strict=True))
        shapes = extents_of(types, arguments)
        chosen = self.source.grid if grid is None else grid
        if chosen is not None:
            return self.source.evaluated(chosen, shapes, given)
        return self._traced().inferred().sizes(shapes)


def _ocloc() -> dict[str, str]:
    """Return the version of ocloc.

    Errors: XetileError if it is missing.
    """
    from xetile.toolchain.ocloc import ocloc_version

    return {"ocloc": ocloc_version()}


def _is_code(data: bytes) -> bool:
    return Code.from_bytes(data) is not None


def _check_place(place: object) -> None:
    """Raise if `place` does not name a device that can execute kernels."""
    from xetile.runtime.open_device import Device

    if not isinstance(place, str | Device):
        refuse(
            f"{place!r} is no device; write .on('opencl:cpu'), or a device that xetile.open_device opened"
        )
