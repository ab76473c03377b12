"""Launches of the kernels of builtin_kernels.py."""

from collections.abc import Sequence
from typing import Any, Self

import numpy
from numpy.typing import NDArray
from support.builtin_kernels import (
    LANES,
    REGISTER_BYTES,
    block_kernel,
    payload_kernel,
    product_kernel,
)
from support.builtins_reference import Surface
from support.emission import Block, Product

from xetile.codegen.spirv_emitter import to_spirv
from xetile.runtime.driver import Memory, Pointer, Program, Scalar
from xetile.runtime.open_device import Device

Array = NDArray[Any]
Place = tuple[int, int, int]
"""Number of a message, x and y."""

NO_PLACE = (-1, 0, 0)

GUARD = numpy.full(1 << 14, 0xEE, numpy.uint8)
"""Before and behind surfaces: what is read beyond their first and last rows is zero, and not what lies there."""


class Blocks:
    """A program of 2D block messages on a device."""

    def __init__(
        self,
        device: Device,
        blocks: Sequence[Block],
        *,
        cached: bool = False,
        through_payloads: bool = False,
        lanes: int = LANES,
    ) -> None:
        self.blocks = list(blocks)
        self._device, self._lanes = device, lanes
        text = block_kernel(
            self.blocks, cached=cached, through_payloads=through_payloads, lanes=lanes
        )
        self._program = _built(device, text)

    def run(
        self,
        surface: Surface,
        places: Sequence[Place],
        registers: Array,
        *,
        own_surfaces: bool = False,
        misplaced: int = 0,
        slope: int = 0,
    ) -> tuple[Array, Array]:
        """Registers [places, lanes, bytes] after a message each, and the memory, of each place where it is its own.

        `misplaced`: bytes between an aligned address and the base, then of one place only.
        """
        copies = len(places) if own_surfaces else 1
        length = len(surface.memory)
        memory = numpy.tile(surface.memory, copies)
        stride = length if own_surfaces else 0
        if misplaced:
            # the first workgroup does nothing, the next one's base is so far from an aligned one
            places, stride = [NO_PLACE, *places], misplaced
            registers = numpy.concatenate([registers[:1], registers])
            memory = numpy.concatenate([numpy.zeros(misplaced, numpy.uint8), memory])
        table = numpy.array(places, numpy.int32)
        memory = numpy.concatenate([GUARD, memory, GUARD])
        with _Memories(self._device) as memories:
            base, held = memories.of(memory), memories.of(registers)
            self._device.launch(
                self._program,
                "blocks",
                [
                    Pointer(memories.of(table), 0),
                    Pointer(base, len(GUARD)),
                    Scalar("i64", stride),
                    *(Scalar("i32", n) for n in surface[1:]),
                    Scalar("i32", slope),
                    Pointer(held, 0),
                ],
                grid=(len(places), 1, 1),
                block=(self._lanes, 1, 1),
            )
            after = numpy.frombuffer(self._device.read(held), numpy.uint8)
            left = numpy.frombuffer(self._device.read(base), numpy.uint8)
        before, left, behind = numpy.split(left, [len(GUARD), -len(GUARD)])
        assert (before == GUARD).all()
        assert (behind == GUARD).all()
        first = 1 if misplaced else 0
        return after.reshape(registers.shape)[first:], left[misplaced:].reshape(copies, length)


class Products:
    """A program of matrix products on a device."""

    def __init__(self, device: Device, products: Sequence[Product]) -> None:
        self.products = list(products)
        self._device = device
        self._program = _built(device, product_kernel(self.products))

    def run(self, which: Sequence[int], registers: Array) -> Array:
        """Registers [products, lanes, bytes] after a product each."""
        with _Memories(self._device) as memories:
            held = memories.of(registers)
            table = memories.of(numpy.array(which, numpy.int32))
            self._device.launch(
                self._program,
                "products",
                [Pointer(table, 0), Pointer(held, 0)],
                grid=(len(which), 1, 1),
                block=(LANES, 1, 1),
            )
            after = numpy.frombuffer(self._device.read(held), numpy.uint8)
        return after.reshape(registers.shape)


class Payloads:
    """A program of prefetches through address payloads on a device."""

    def __init__(self, device: Device, prefetches: Sequence[str]) -> None:
        self._device = device
        self._program = _built(device, payload_kernel(prefetches))

    def run(self, which: int, surface: Surface) -> None:
        """Make a payload, move it, and prefetch; with a number that no prefetch has, only make it."""
        with _Memories(self._device) as memories:
            self._device.launch(
                self._program,
                "payloads",
                [
                    Scalar("i32", which),
                    Pointer(memories.of(surface.memory), 0),
                    *(Scalar("i32", n) for n in surface[1:]),
                ],
                grid=(1, 1, 1),
                block=(LANES, 1, 1),
            )


def empty_registers(places: int) -> Array:
    """Registers of no use to anyone: [places, lanes, bytes]."""
    return numpy.full((places, LANES, REGISTER_BYTES), 0xCD, numpy.uint8)


def _built(device: Device, text: str) -> Program:
    # LLVM takes the ids of another process' module for its own less often than of this one's
    return device.build(to_spirv(text, ["all of them"]), {})


class _Memories:
    """Allocations that are given back."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._all: list[Memory] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for memory in self._all:
            self._device.free(memory)

    def of(self, array: Array) -> Memory:
        """An allocation with the bytes of an array."""
        memory = self._device.allocate(array.nbytes)
        self._all.append(memory)
        self._device.write(memory, array.tobytes())
        return memory
