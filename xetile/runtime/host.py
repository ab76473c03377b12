"""Launches of host code that runs on numpy, on a device: kernels are built once, memory goes there and back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy

from xetile.errors import XetileError
from xetile.runtime.arguments import Array, Entry, groups, scalar
from xetile.runtime.device import Argument, Device, Extents, Memory, Pointer, Program, Scalar
from xetile.runtime.launch import Compiled, Stage, compile_kernel, extents_of, placed_at

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from xetile.interpreter.host.machine import Passed, PassedMemRef


class _Built(NamedTuple):
    compiled: Compiled
    program: Program


class _Placed(NamedTuple):
    """An allocation of the host on the device, where `lead` bytes lie in front of it."""

    data: Array
    memory: Memory
    lead: int


class HostLauncher:
    """Launches kernels for `execute_host` (its `launch_kernel`), compiled for `target` or as the module says."""

    def __init__(
        self, device: Device, *, target: str | None = None, stage: Stage = lambda _: None
    ) -> None:
        self._device = device
        self._target = target
        self._stage = stage
        self._built: dict[Operation, _Built] = {}

    def __call__(
        self,
        kernel: "Operation",
        arguments: "Sequence[Passed]",
        grid: Extents,
        block: Extents,
    ) -> None:
        """Launch; memory changes in place.

        Errors: XetileError with the kernel's place where it cannot be compiled, built or run.
        """
        with placed_at(kernel):
            compiled, program = self._build(kernel)
            placed = self._place(arguments)
            passed = [
                part
                for group, given in zip(groups(compiled.entries), arguments, strict=True)
                for part in _passed(group, given, placed)
            ]
            self._stage(f"launching {compiled.name}")
            self._device.launch(
                program,
                compiled.name,
                passed,
                grid=grid,
                block=extents_of(compiled.kernel["block"]) or block,
            )
            self._take_back(placed)
            self._stage("running host code")

    def _build(self, kernel: "Operation") -> _Built:
        if kernel not in self._built:
            self._stage("compiling")
            module, name = _alone(kernel)
            compiled = compile_kernel(module, name, self._target)
            self._stage(f"building {name}")
            program = self._device.build(compiled.spirv, compiled.options)
            self._built[kernel] = _Built(compiled, program)
        return self._built[kernel]

    def _place(self, arguments: "Sequence[Passed]") -> dict[int, _Placed]:
        """Copy the allocations that arguments lie in, each once, to the device; by their addresses."""
        memrefs = [given for given in arguments if not isinstance(given, int | float)]
        leads: dict[int, int] = {}
        for given in memrefs:
            key = _key(given)
            leads[key] = max(leads.get(key, 0), -given.base)
        allocations = {_key(given): given.allocation for given in memrefs}
        _refuse_overlap(list(allocations.values()))
        placed: dict[int, _Placed] = {}
        for key, data in allocations.items():
            lead = leads[key]
            memory = self._device.allocate(lead + data.size)
            self._device.write(memory, bytes(lead) + data.tobytes())
            placed[key] = _Placed(data, memory, lead)
        return placed

    def _take_back(self, placed: dict[int, _Placed]) -> None:
        for data, memory, lead in placed.values():
            found = numpy.frombuffer(self._device.read(memory), numpy.uint8)[lead:][
                : data.size
            ]
            self._device.free(memory)
            if data.flags.writeable:
                data[...] = found
            elif not (data == found).all():
                raise XetileError("the kernel stores to memory that is read-only")


def _alone(kernel: "Operation") -> "tuple[ModuleOp, str]":
    """A module that has no more than the kernel's gpu.module, and the kernel's name."""
    from xdsl.dialects.builtin import ModuleOp

    from xetile.analysis.kernels import symbol_name

    around = kernel.parent_op()
    assert around is not None
    return ModuleOp([around.clone()]), symbol_name(kernel)


def _key(given: "PassedMemRef") -> int:
    return given.allocation.ctypes.data


def _refuse_overlap(allocations: list[Array]) -> None:
    for number, one in enumerate(allocations):
        if any(numpy.may_share_memory(one, other) for other in allocations[:number]):
            raise XetileError(
                "two arguments overlap and are no views of one allocation, which a device cannot have"
            )


def _passed(
    group: Sequence[Entry], given: "Passed", placed: dict[int, _Placed]
) -> list[Argument]:
    pointer, *rest = group
    if isinstance(given, int | float):
        return [scalar(pointer, given)]
    _, memory, lead = placed[_key(given)]
    made: list[Argument] = [Pointer(memory, lead + given.base)]
    for entry in rest:
        dimension = cast("int", entry.get("dimension", 0))
        extents = {"offset": (given.offset,), "size": given.sizes, "stride": given.strides}
        number = extents[str(entry["kind"])][dimension]
        made.append(Scalar(str(entry["type"]), number))
    return made
