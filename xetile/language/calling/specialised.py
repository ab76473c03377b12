"""A kernel for arguments of given types and values of its constants: its IR at one level, and a function of arrays.

Its code for a device is SPIR-V and a launch contract; assembly and figures where ocloc is. Kernels on a device are
built once, and called with arrays, or with buffers that stay there. What a call checks depends on types, shapes and
strides alone, so that it is checked once for each combination.
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
"""The frames up to the user's: this function's, the method's that the user calls, the user's."""


def device_for(source: "Source | None", *named: str | None) -> str:
    """The first device that is named, else the default one, of which the user is told.

    A command says it in its remark; a Python program gets a warning at the line that calls the method which asks, so
    that Python shows it once for each such line.
    Errors: XetileError for an unknown device, and at the kernel for more subgroups than a workgroup of the device has.
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
    """Refuse a layout of more subgroups than a workgroup has on a device, where none is named on any.

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
    """How code is made; as `xetile.emit` has them."""

    assume: "Assume" = "block"
    unroll: int | None = None
    grf: "RegisterFile | None" = None


class Compiled:
    """What is emitted of a kernel for `device`."""

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
        """What a host needs to launch it; the keys stand in docs/launch-contract.schema.json."""
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

        Errors: XetileError where ocloc is missing.
        """
        return self._made("asm").decode()

    @cached_property
    def zebin(self) -> bytes:
        """The binary that ocloc makes.

        Errors: XetileError where ocloc is missing.
        """
        return self._made("zebin")

    def _made(self, kind: 'Literal["asm", "zebin"]') -> bytes:
        from xetile.codegen import emit

        def make() -> bytes:
            found = emit(self._kernel.module, kind, self.device, **self._options._asdict())
            return found.encode() if isinstance(found, str) else found

        return self._kept(kind, make)

    def _kept(self, kind: str, make: Callable[[], bytes]) -> bytes:
        """What ocloc made of a kind before, else what `make` makes."""
        return self._kernel.kept(kind, self.device, self._options._asdict(), make)

    @cached_property
    def stats(self) -> dict[str, float]:
        """Instructions of the hot loop in a K step, spills, registers, as `xetile-compile --stats` prints them.

        Errors: XetileError where ocloc is missing.
        """
        import json

        from xetile.codegen import statistics

        def make() -> bytes:
            found = statistics(self._kernel.module, self.device, **self._options._asdict())
            return json.dumps(found[self.name]).encode()

        return cast("dict[str, float]", json.loads(self._kept("stats", make)))

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the SPIR-V to a file, and its contract beside it as PATH.json, as `xetile-compile` does.

        Errors: XetileError where that cannot be written.
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
"""Of types and shapes that a kernel remembers the grid of."""


def signature(arguments: Sequence[object]) -> tuple[object, ...] | None:
    """What the grid and the checks of a call depend on; None for what is neither buffer, array nor Python's number."""
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
    """What a kernel is specialised by: arguments with the names of their parameters, constants, what a call says."""

    names: tuple[str, ...]
    arguments: "tuple[Passed, ...]"
    constants: Mapping[str, object]
    sg_layout: Pair | None
    grid: Grid | None

    def key(self) -> Hashable | None:
        """Return what a call is remembered by, while what the kernel reads is unchanged; None if it cannot be."""
        types = signature(self.arguments)
        if types is None:
            return None
        try:
            values = [(name, key_of(value)) for name, value in sorted(self.constants.items())]
            return self.names, types, *values, self.sg_layout, key_of(self.grid)
        except RecursionError:  # a list that holds itself
            return None


class _Made(Protocol):
    source: Source


M = TypeVar("M", bound=_Made)


def remembered(known: Recent[object, M], call: Call, make: Callable[[Call], M]) -> M:
    """What was made for a call like this before, while what the kernel reads is unchanged; else what `make` makes."""
    key = call.key()
    found = None if key is None else known.get(key)
    if found is None or not found.source.dependencies.unchanged():
        found = make(call)
        if key is not None:
            known.put(key, found)
    return found


class _Opened:
    """What has a device: closed at the end of a `with`, by `close`, or when nobody has it any more, if it is owned."""

    def __init__(self, device: "Device", *, owns: bool) -> None:
        self.device = device
        self._owns = owns
        if owns:
            weakref.finalize(self, device.close)

    def close(self) -> None:
        """Give back the device if it was opened here."""
        if self._owns:
            self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class OnDevice(_Opened):
    """A kernel on a device: call it with arrays, numbers and buffers that `device.buffer` and `device.zeros` make.

    It gives back what it holds when nobody has it any more, at the end of a `with`, or by `close`.
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
        """`grid_of` checks arguments and counts workgroups, `check_memory` asks whether they may be stored to.

        `owns` says that the device is closed with this.
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

        `grid` is as in `Specialised.__call__`. On a GPU a call with buffers returns when the launch is in the queue;
        `Buffer.numpy()` and `device.synchronize()` wait for it.
        Errors: XetileError for arguments that do not fit, with the parameter; what the device does not take.
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
        """Give back the program, and the device if it was opened here."""
        self.prepared.free()
        super().close()


class KernelOnDevice(_Opened):
    """A kernel on a device, specialised by the arguments of each call; what is built for some stays built.

    Arguments are arrays, numbers, and buffers that `device.buffer` and `device.zeros` make. The device is closed when
    nobody has this any more, at the end of a `with`, or by `close`, unless it was open before.
    """

    def __init__(
        self,
        place: "str | Device",
        arrange: "Callable[..., Call]",
        prepare: "Callable[[Device, Call], OnDevice]",
    ) -> None:
        """`arrange` makes what is called a call, `prepare` makes what launches."""
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

        Errors: as those of `Kernel.specialize` and `OnDevice.__call__`.
        """
        call = self._arrange(arguments, constants, sg_layout, grid)
        remembered(self._known, call, self._prepare)(*call.arguments)

    def close(self) -> None:
        """Give back what was built, and the device if it was opened here."""
        self._known.clear()
        super().close()


_OF_NO_DEVICE: "tuple[LevelName, ...]" = ("workgroup", "subgroup")
"""Levels that are the same for all devices."""

EAGER_VARIABLE = "XETILE_EAGER"
"""The environment variable that makes calls on numpy execute eagerly: 1 or 0."""


class Specialised:
    """A kernel whose types and constants are known; `print` shows its IR, a call executes it on numpy.

    `level` says at which level: `workgroup` as it was written, or what `lower` made of it.
    """

    def __init__(
        self,
        source: Source,
        traced: Traced | None = None,
        level: "LevelName" = "workgroup",
        device: str | None = None,
    ) -> None:
        """Without `traced` the kernel is traced when its IR is asked for; `device` is what it was lowered for."""
        self.source = source
        self.device = device
        self.level: LevelName = level
        self._known = traced

    @property
    def module(self) -> "ModuleOp":
        """The kernel's IR.

        Errors: XetileError at the line of the kernel that is at fault.
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
        """Workgroups in x, y and z that a call with these arguments launches.

        Errors: XetileError for arguments that do not fit, and where the grid does not follow and is not given.
        """
        return self._checked_grid(arguments, grid)

    def __call__(
        self, *arguments: Given, grid: Grid | None = None, sanitize: bool | None = None
    ) -> None:
        """Execute the kernel on numpy at its level; arrays that it stores to change in place.

        `grid` counts workgroups along axes 0, 1 and 2; by default as the kernel says, or its stores ask for. `sanitize`
        also refuses races on shared memory (docs/running.md). With XETILE_EAGER=1 in the environment a kernel that was
        not lowered is executed as `eager` does.
        Errors: XetileError for arguments that do not fit, with the parameter; at the kernel's line for what execution
        refuses.
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
        """The kernel at a lower level, for a device; options as `xetile.lower` has them.

        A level below `subgroup` needs a device: pvc with a warning, where none is named here or was before.
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
        """Code for a device, by default the one that the kernel was lowered for, else pvc with a warning.

        Options are as `xetile.emit` has them.

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
        """What becomes of the kernel on a device: messages, registers, conversions, instructions; `print` shows it.

        Places are lines of the kernel's Python file. Options are as `xetile.explain` has them.
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
        """Every level of the kernel beside its Python source, linked op by op, as a page in the browser.

        `show` is whether the browser opens, by default outside of notebooks, which show the exploration themselves.
        Options are as `xetile.explore` has them.
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
        """The kernel on a device that executes, `opencl:cpu` or `opencl:gpu` or one that `xetile.open_device` opened.

        It is compiled for `device`, such as bmg; by default the one that it was lowered for, else pvc with a warning.
        Options are as in `compile`.
        Errors: as `compile` has them; for a device that is not there.
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
        """Code, which is kept for kernels that were not lowered."""

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
        """What was made before of a kernel that was not lowered, else what `make` makes."""
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
        """Refuse arrays that the kernel may not store to, and those that overlap others."""
        check_memory(tuple(self.source.types), arguments, lambda: self._traced().stored)

    def _checked_grid(
        self, arguments: "Sequence[Passed]", grid: Grid | None, known: "Sizes | None" = None
    ) -> "Sizes":
        """The grid for arguments, which are checked; `known` is the one where all extents are."""
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
    """The version of what assembles.

    Errors: XetileError where it is missing.
    """
    from xetile.toolchain.ocloc import ocloc_version

    return {"ocloc": ocloc_version()}


def _is_code(data: bytes) -> bool:
    return Code.from_bytes(data) is not None


def _check_place(place: object) -> None:
    """Refuse what is no place that executes."""
    from xetile.runtime.open_device import Device

    if not isinstance(place, str | Device):
        refuse(
            f"{place!r} is no device; write .on('opencl:cpu'), or a device that xetile.open_device opened"
        )
