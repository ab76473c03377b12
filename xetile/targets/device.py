"""The devices: Intel Xe GPUs by the names that Intel's offline compiler takes."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from xdsl.dialects.builtin import FloatTF32Type, bf16, f16, f32, i16, i32
from xdsl.ir import Attribute

from xetile.errors import XetileError
from xetile.layout.intel.messages import BlockConfiguration
from xetile.targets import blocks
from xetile.targets.blocks import Access, Rows, verified

SUBGROUP_SIZE = 16
"""Lanes of a subgroup on every device (source: mlir/Dialect/XeGPU/uArch/IntelGpuXe2.h)."""

GLOBAL_ADDRESS_SPACE = 1
"""LLVM address space of global memory (source: the SPIR target of LLVM, `addrspace(1)` is CrossWorkgroup)."""

SYSTOLIC_DEPTH = 8
"""Steps of 32 bits of K per instruction, on every device (disassembly: every one is `dpas.8xM`)."""

EXECUTION_SIZE = 16
"""Columns N of an instruction, on every device (disassembly: `(16|M0)`)."""

INDEX_BITS = 64
"""Bits of an index on every device (source: pointers and `index` are 64 bits wide in SPIR-V's Physical64)."""

UPSTREAM_BLOCK_EXTENT = 16
"""Largest extent, in rows and in columns (elements), of a block that upstream MLIR's own lowering takes.

Source: measured with mlir-opt 22.1.8, `gpu-lower-to-xevm-pipeline{xegpu-op-level=subgroup}`.
"""

REPEAT_COUNTS = (1, 2, 4, 8)
"""Rows M for which cl_intel_subgroup_matrix_multiply_accumulate has a builtin."""


class MatrixInstruction(NamedTuple):
    """One DPAS: element types of A, B and accumulator by MLIR's names, and its shape (elements)."""

    a: str
    b: str
    c: str
    m: tuple[int, ...]
    n: int
    k: int

    @property
    def ops_per_channel(self) -> int:
        """Elements per 32 bits of K."""
        return self.k // SYSTOLIC_DEPTH

    def mma_types(self, *, has_accumulator: bool) -> tuple[str, str, str, str | None]:
        """The types of result, A, B and accumulator by the names of `xevm.mma`."""
        a, b, c = (_XEVM_NAMES.get(name, name) for name in (self.a, self.b, self.c))
        return c, a, b, c if has_accumulator else None

    def register_type(self, operand: Literal["a", "b", "c"]) -> tuple[Attribute, int]:
        """The type of one register word of an operand, and its bits.

        Source: the signatures of `intel_sub_group_*_matrix_mad_*`: A in 16-bit words, B in 32-bit words, both as
        f32 for tf32; the accumulator in its own type.
        """
        if operand == "c":
            return _ACCUMULATORS[self.c]
        if self.a == "tf32":
            return f32, 32
        return (i16, 16) if operand == "a" else (i32, 32)


_ACCUMULATORS: Mapping[str, tuple[Attribute, int]] = {
    "f32": (f32, 32),
    "f16": (f16, 16),
    "bf16": (bf16, 16),
    "i32": (i32, 32),
}

_XEVM_NAMES = {"i8": "s8", "si8": "s8", "ui8": "u8", "i32": "s32"}

_INTEGERS_8 = ("i8", "si8", "ui8")
_FLOATS_8 = ("f8E4M3FN", "f8E5M2")

_DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8, **dict.fromkeys((*_INTEGERS_8, *_FLOATS_8), 32)}
"""K of an instruction by the type of A (elements): 256 bits."""

_PRODUCTS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("f16",), ("f32", "f16")),
    (("bf16",), ("f32", "bf16")),
    (("tf32",), ("f32",)),
    (_INTEGERS_8, ("i32", "si32")),
)
"""Operand types that may be mixed, and accumulators, on every device (compiled and disassembled, all five)."""

_FLOAT_8_PRODUCTS = ((_FLOATS_8, ("f32", "bf16")),)
"""Further products of ptl and cri; the others compile e4m3 as if it were e5m2, a wrong program."""


class Device(NamedTuple):
    """One device: what its compiler makes of 2D block messages and matrix products."""

    name: str
    large_prefetches: bool
    wide_packed_loads: bool
    wide_transposed_loads: bool
    float_8_products: bool

    def block_configurations(
        self, access: Access, element_bits: int
    ) -> tuple[BlockConfiguration, ...]:
        """The messages that the device compiles for elements of so many bits in memory."""
        rows: Rows = {}
        for table in self._tables(access):
            for shape, heights in table.get(element_bits, {}).items():
                rows[shape] = tuple(sorted({*rows.get(shape, ()), *heights}))
        return blocks.configurations(access, rows)

    def _tables(self, access: Access) -> list[dict[int, Rows]]:
        tables = {
            "load": [(True, blocks.COMPILED_LOADS)],
            "load_packed": [
                (True, blocks.COMPILED_PACKED),
                (self.wide_packed_loads, blocks.WIDE_PACKED),
            ],
            "load_transposed": [
                (True, blocks.COMPILED_TRANSPOSED),
                (self.wide_transposed_loads, blocks.WIDE_TRANSPOSED),
            ],
            "store": [(True, blocks.COMPILED_STORES)],
            "prefetch": [
                (True, blocks.COMPILED_PREFETCHES),
                (self.large_prefetches, blocks.LARGE_PREFETCHES),
            ],
        }
        return [table for present, table in tables[access] if present]

    def dpas(self, a: Attribute, b: Attribute, c: Attribute) -> MatrixInstruction | None:
        """The instruction for these element types, None where the device has none."""
        names = tuple("tf32" if isinstance(t, FloatTF32Type) else str(t) for t in (a, b, c))
        for operands, accumulators in self._products():
            if names[0] in operands and names[1] in operands and names[2] in accumulators:
                accumulator = "i32" if names[2] == "si32" else names[2]
                return MatrixInstruction(
                    names[0],
                    names[1],
                    accumulator,
                    REPEAT_COUNTS,
                    EXECUTION_SIZE,
                    _DEPTHS[names[0]],
                )
        return None

    def _products(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        return (*_PRODUCTS, *_FLOAT_8_PRODUCTS) if self.float_8_products else _PRODUCTS

    def operand_types(self, operand: Literal["a", "b", "c"]) -> tuple[str, ...]:
        """The element types that an operand of a product can have."""
        position = 1 if operand == "c" else 0
        return tuple(dict.fromkeys(name for row in self._products() for name in row[position]))

    def describe_dpas(self) -> str:
        """The products that the device has, in words."""
        return "; ".join(
            f"{' or '.join(operands)} -> {' or '.join(accumulators)}"
            for operands, accumulators in self._products()
        )


DEVICES: Mapping[str, Device] = {
    "pvc": Device("pvc", False, False, False, False),
    "bmg": Device("bmg", False, True, False, False),
    "lnl": Device("lnl", False, True, False, False),
    "ptl": Device("ptl", False, True, False, True),
    "cri": Device("cri", True, True, True, True),
}
"""All devices by name."""


def device(name: str) -> Device:
    """The device of this name; XetileError names the known ones."""
    found = DEVICES.get(name)
    if found is None:
        raise XetileError(f"unknown device '{name}'; known are {', '.join(DEVICES)}")
    return found


def plannable(device: Device, access: Access, element_bits: int) -> tuple[BlockConfiguration, ...]:
    """The messages that the device compiles and xevm's verifier accepts."""
    accepted = set(verified(access, element_bits))
    return tuple(c for c in device.block_configurations(access, element_bits) if c in accepted)
