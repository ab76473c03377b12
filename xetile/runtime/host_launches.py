"""Launches on a device by host code that runs on numpy: kernels are built once, memory is copied there and back."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Self

from xetile.errors import XetileError
from xetile.runtime.arguments import free, place, read_back
from xetile.runtime.code import extents_of
from xetile.runtime.driver import Extents, Program
from xetile.runtime.launch import Compiled, Stage, compile_kernel, placed_at
from xetile.runtime.launch_checks import check_preconditions
from xetile.runtime.open_device import Device

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from xetile.interpreter.machine.runtime_values import Passed
    from xetile.targets.target import Assume


class _Built(NamedTuple):
    compiled: Compiled
    program: Program


class HostLauncher:
    """A launcher of kernels for `execute_host` (its `launch_kernel`), compiled for `target` or as the module says.

    Built programs are freed on exit from the context.
    """

    def __init__(
        self,
        device: Device,
        *,
        target: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
        stage: Stage = lambda _: None,
    ) -> None:
        self._device = device
        self._target = target
        self._assume: Assume = assume
        self._unroll = unroll
        self._stage = stage
        self._built: dict[Operation, _Built] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for _, program in self._built.values():
            with suppress(XetileError):  # the device may be gone
                self._device.forget(program)
        self._built.clear()

    def __call__(
        self,
        kernel: "Operation",
        arguments: "Sequence[Passed]",
        grid: Extents,
        block: Extents,
    ) -> None:
        """Launch a kernel; the memory of memrefs, which may be views of the same, changes in place.

        Raise XetileError with the kernel's place if it cannot be compiled, built or run.
        """
        with placed_at(kernel):
            compiled, program = self._build(kernel)
            placed = place(self._device, compiled.entries, arguments)
            try:
                if self._device.information.checks_surfaces:
                    check_preconditions(compiled.entries, placed.arguments)
                self._stage(f"launching {compiled.name}")
                self._device.launch(
                    program,
                    compiled.name,
                    placed.arguments,
                    grid=grid,
                    block=extents_of(compiled.kernel["block"]) or block,
                )
                read_back(self._device, placed)
            finally:
                free(self._device, placed)
            self._stage("running host code")

    def _build(self, kernel: "Operation") -> _Built:
        if kernel not in self._built:
            self._stage("compiling")
            module, name = _alone(kernel)
            compiled = compile_kernel(
                module,
                name,
                self._target,
                assume=self._assume,
                unroll=self._unroll,
                most_calls=self._device.information.most_calls,
            )
            self._stage(f"building {name}")
            program = self._device.build(compiled.spirv, compiled.options)
            self._built[kernel] = _Built(compiled, program)
        return self._built[kernel]


def _alone(kernel: "Operation") -> "tuple[ModuleOp, str]":
    """Return a module with only the kernel's gpu.module, and the kernel's name."""
    from xdsl.dialects.builtin import ModuleOp

    from xetile.analysis.module_kernels import symbol_name

    around = kernel.parent_op()
    assert around is not None
    return ModuleOp([around.clone()]), symbol_name(kernel)
