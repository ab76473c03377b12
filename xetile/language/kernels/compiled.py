"""Code of a kernel for one device, and launches of it.

Code is SPIR-V and its launch contract; assembly and figures where ocloc is. Kernels on a device are built once, and
called with arrays, or with buffers that stay there. What a call checks depends on types, shapes and strides alone, so
that it is checked once for each combination.
"""

import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self, TypeVar, cast

from xetile.language.builder import Pair
from xetile.language.kernels.arguments import Passed
from xetile.language.kernels.kept import MOST, Recent, key_of
from xetile.language.kernels.tracing import Grid, Source
from xetile.language.types import i32

if TYPE_CHECKING:
    from os import PathLike

    from xdsl.dialects.builtin import ModuleOp

    from xetile.codegen.contract import Plain
    from xetile.language.kernels.grids import Sizes
    from xetile.runtime.buffers import Buffer
    from xetile.runtime.code import Code
    from xetile.runtime.device import Device
    from xetile.targets.target import Assume, RegisterFile


class Options(NamedTuple):
    """How code is made; as `xetile.emit` has them."""

    assume: "Assume" = "block"
    unroll: int | None = None
    grf: "RegisterFile | None" = None


class Compiled:
    """What is emitted of a kernel for `device`."""

    def __init__(
        self,
        name: str,
        code: "Code",
        device: str,
        options: Options,
        module: "Callable[[], ModuleOp]",
        keep: "Callable[[str, Callable[[], bytes]], bytes]",
    ) -> None:
        """`module` gives the kernel's IR where more is made than `code`, `keep` what ocloc made of a kind before."""
        self.name = name
        self.code = code
        self.device = device
        self._options = options
        self._module = module
        self._keep = keep

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
        return cast(str, emit(self._module(), "ll", self.device, assume=assume, unroll=unroll))

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
            found = emit(self._module(), kind, self.device, **self._options._asdict())
            return found.encode() if isinstance(found, str) else found

        return self._keep(kind, make)

    @cached_property
    def stats(self) -> dict[str, float]:
        """Instructions of the hot loop in a K step, spills, registers, as `xetile-compile --stats` prints them.

        Errors: XetileError where ocloc is missing.
        """
        import json

        from xetile.codegen import statistics

        def make() -> bytes:
            found = statistics(self._module(), self.device, **self._options._asdict())
            return json.dumps(found[self.name]).encode()

        return cast("dict[str, float]", json.loads(self._keep("stats", make)))

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
