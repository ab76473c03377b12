"""The properties of one Xe device: the row of its abilities, with the tables that they select.

The tables are imported when they are needed, so that the names of the devices cost nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from xetile.targets.target import (
    LLVM,
    SUBGROUP,
    Level,
    Operand,
    Path,
    RegisterFile,
    Step,
    Target,
)

if TYPE_CHECKING:
    from xetile.layout.exchange.step_prices import Prices
    from xetile.layout.intel.message_layouts import Access, BlockConfiguration
    from xetile.targets.xe.atomics import Space
    from xetile.targets.xe.dpas import Products, XeProduct
    from xetile.targets.xe.issue import Rates
    from xetile.targets.xe.loops import Unrolling
    from xetile.targets.xe.messages import Rows

LANES = 16
"""Lanes of a subgroup on every device (source: mlir/Dialect/XeGPU/uArch/IntelGpuXe2.h)."""

GLOBAL_ADDRESS_SPACE = 1
"""LLVM address space of global memory (source: the SPIR target of LLVM, `addrspace(1)` is CrossWorkgroup)."""

CONSTANT_ADDRESS_SPACE = 2
"""LLVM address space of constants (source: the same, `addrspace(2)` is UniformConstant)."""

SHARED_ADDRESS_SPACE = 3
"""LLVM address space of a workgroup's shared memory (source: the same, `addrspace(3)` is Workgroup)."""

TRIPLE = "spirv64-unknown-unknown"
"""The instruction set as upstream's `#xevm.target` and LLVM name it (source: mlir-opt 22.1.8, llvmlite)."""

UPSTREAM_CHIP = "bmg"
"""The device of an `#xevm.target` without a chip (source: mlir-opt 22.1.8 does not print `chip = "bmg"`)."""

SHARED_BANKS = 16
"""Banks of shared memory, of 4 bytes each, which serve one word at a time.

Source: Intel's oneAPI GPU optimization guide, "Shared Local Memory": 64 consecutive bytes are stored in 16
consecutive banks at 4-byte granularity; requests for different addresses of one bank are serialized.
"""

SHARED_BLOCK_ALIGNMENT = 16
"""Bytes of which the address of a block message to shared memory is a multiple.

Source: the extension cl_intel_subgroup_local_block_io, "must be 128-bit (16-byte) aligned".
"""

UPSTREAM_BLOCK_EXTENT = 16
"""Largest extent, in rows and in columns (elements), of a block that upstream MLIR's own lowering accepts.

Source: measured with mlir-opt 22.1.8, `gpu-lower-to-xevm-pipeline{xegpu-op-level=subgroup}`.
"""

PATH = (
    Step(SUBGROUP, ("xetile-wg-to-sg",)),
    Step(
        Level("B", "blocked", "subgroup"),
        ("xetile-init-duplicate", "xetile-blockop-fallback", "xetile-blocking"),
    ),
    Step(Level("X", "xegpu", "subgroup", "xegpu"), ("convert-xetile-to-xegpu",)),
    Step(Level("V", "xevm", "lane", "xevm"), ("convert-xegpu-to-xevm",)),
    Step(LLVM, ("convert-xevm-to-llvm",)),
)

MOST_LANE_BYTES = 64
"""Bytes of one lane's share of a message: 8 words of 64 bits (source: IGC's disassembly, `load.ugm.d64x8`)."""

REGISTER_BYTES = 64
"""Bytes of a register of one thread (source: IGC's disassembly, `grf_count`)."""


class BuildOptions(NamedTuple):
    """Options for drivers and the offline compiler to build a module, by their programming interface."""

    opencl: tuple[str, ...] = ()
    level_zero: tuple[str, ...] = ()

    def also(self, other: "BuildOptions") -> "BuildOptions":
        """Return these options followed by others."""
        return BuildOptions(self.opencl + other.opencl, self.level_zero + other.level_zero)


BUILD_OPTIONS: Mapping[RegisterFile, BuildOptions] = {
    "small": BuildOptions(),
    "large": BuildOptions(
        opencl=("-cl-intel-256-GRF-per-thread",),
        level_zero=("-ze-opt-large-register-file",),
    ),
}
"""SPIR-V itself cannot ask for the large one: 256 registers of a thread instead of 128, each of 64 bytes.

Source: Level Zero specification, "Module build options"; IGC's options of OpenCL; IGC's disassembly (`grf_count`).
"""

REGISTERS: Mapping[RegisterFile, int] = {"small": 128, "large": 256}
"""Registers of a thread (source: IGC's disassembly, `grf_count`)."""

MOST_HELD: Mapping[RegisterFile, int] = {"small": 96, "large": 251}
"""Registers that may be live at once without spills, by the estimate of planning/xe/pressure.

The other registers are for those that it does not count: the thread's header, payloads that IGC makes itself. Kernels
with the small file spilled from 129 on; 96 leaves a margin, because the large one is never wrong.
Source: test/data/registers.tsv, which `python -m tools.register_pressure` measures with ocloc 26.27.
"""

AHEAD = 105
"""Registers up to which a kernel with the small register file has all loads of a block ahead of its products.

A product reads its operands after it began: a load into registers that it read waits for it by a `sync`, and on pvc
also takes moves of its place. Of 240 loops measured, f16, i8 and tf32 with tiles of 8x16, 16x16, 8x32 and 8x64 and
1 to 16 rounds in one on pvc, bmg, ptl and cri, 84 are within the limit: they take as many instructions with both files.
Of the other 156 the large one takes fewer in 141, up to 30 in 100 (f16 8x16 with 16 rounds, bmg: 5.94 instead of
6.25; with 8, pvc: 9.5 instead of 11.5). It takes more in 9, by 1 in 100 at most except for three on pvc with more
rounds than loops.py has. 113 registers, i8 16x16 with 6 rounds, give as many on bmg, 9.5 instead of 9.67 on pvc.

The loss of fewer threads is not measured, since nothing was run on a GPU. The choice rests on this: an engine has as
many registers with both files, 8 threads of 128 or 4 of 256. If a kernel fills either with loads, as many bytes are in
flight with both, and fewer instructions decide; if not, it leaves the large one empty, and twice the threads have
twice the loads in flight.
Source: ocloc 26.27, `xetile-compile --stats --unroll N --grf FILE`, of products of 4096 x 4096.
"""

AHEAD_OF_FEWER = 49
"""The same if a thread has as few registers as IGC counts for the code as it is written: with the small file 32, 64,
96 or 128 (source: `grf_count`). It counts no load ahead. Up to 49 nothing is lost; from 57 on it is on cri (f16 8x16, 2
rounds: 9 instead of 8), from 81 on on ptl (i8 16x16, 4 rounds: 7.25 instead of 6.75).
"""

REORDERED_FROM = 262
"""Registers by IGC's count from which it moves the products and loads of a block. Source: as for MOST_HELD."""

EXACT_DIVISION = BuildOptions(
    opencl=("-cl-fp32-correctly-rounded-divide-sqrt",),
    level_zero=("-ze-fp32-correctly-rounded-divide-sqrt",),
)
"""Without it a quotient of f32 is a reciprocal and a product (`math.inv`, `mul`: 2.5 units in the last place), a
square root `math.sqt` (3 units); with it both are rounded correctly (`math.invm` and `math.rsqtm`, refined by `madm`).

Source: OpenCL specification, "Math Intrinsics Options" and "Relative Error as ULPs"; IGC's list of its
options of both interfaces (`fp32-correctly-rounded-divide-sqrt`); instructions read in ocloc's assembly.
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class XeDevice(Target):
    """An Xe device: the 2D block messages and matrix products that its compiler emits.

    A workgroup can have 128 KiB of shared memory, on cri 384 (maxProgrammableSlmSize of each device in
    Intel's runtime, shared/source/*/hw_info_*.cpp of compute-runtime, which CL_DEVICE_LOCAL_MEM_SIZE is),
    and 1024 work-items at most (CL_DEVICE_MAX_WORK_GROUP_SIZE).

    A row of a matrix instruction, 512 f16 operations, takes one cycle on pvc and two on bmg and lnl, whose Xe-cores of
    8 engines have 4096 and 2048 per cycle (Intel's Architecture Day 2021, Lunar Lake Tech Tour 2024). Those of ptl and
    cri are not known to us; we assume bmg's.

    `build_options`: a driver's options for a register file of each kind; `exact_division`: its options to
    round quotients and square roots of f32 correctly.
    `message_offsets`: whether a message adds a constant to its place (IGC's disassembly: all but pvc do).
    `registers_ahead`: registers, with loads ahead of products, up to which the small register file costs nothing.
    """

    family: ClassVar[str] = "Xe"
    attribute: ClassVar[str] = "xevm.target"

    path: Path = PATH
    planner: str = "xe.xe_planner"
    emitter: str = "spirv_emitter"
    lanes: int = LANES
    threads: int = LANES
    build_options: Mapping[RegisterFile, BuildOptions] = field(
        default_factory=lambda: BUILD_OPTIONS
    )
    exact_division: BuildOptions = EXACT_DIVISION
    shared_bytes: int = 128 << 10
    shared_banks: int = SHARED_BANKS
    most_subgroups: int = 1024 // LANES
    large_prefetches: bool = False
    wide_packed_loads: bool = False
    wide_transposed_loads: bool = False
    float_8_products: bool = False
    narrow_atomic_sums: bool = False
    matrix_row_cycles: int = 2
    message_offsets: bool = True
    registers_ahead: int = AHEAD

    def compiled(
        self, access: "Access", element_bits: int
    ) -> "tuple[BlockConfiguration, ...]":
        """Return the messages that the device compiles for elements of so many bits in memory."""
        from xetile.targets.xe.messages import configurations

        rows: Rows = {}
        for table in self._tables(access):
            for shape, heights in table.get(element_bits, {}).items():
                rows[shape] = tuple(sorted({*rows.get(shape, ()), *heights}))
        return configurations(access, rows)

    def messages(
        self, access: "Access", element_bits: int
    ) -> "tuple[BlockConfiguration, ...]":
        """Return those of them that xevm's verifier accepts, which can be planned, in a fixed order."""
        from xetile.targets.xe.messages import verified

        accepted = set(verified(access, element_bits))
        return tuple(c for c in self.compiled(access, element_bits) if c in accepted)

    def _tables(self, access: "Access") -> "list[dict[int, Rows]]":
        from xetile.targets.xe import messages

        tables = {
            "load": [(True, messages.COMPILED_LOADS)],
            "load_packed": [
                (True, messages.COMPILED_PACKED),
                (self.wide_packed_loads, messages.WIDE_PACKED),
            ],
            "load_transposed": [
                (True, messages.COMPILED_TRANSPOSED),
                (self.wide_transposed_loads, messages.WIDE_TRANSPOSED),
            ],
            "store": [(True, messages.COMPILED_STORES)],
            "prefetch": [
                (True, messages.COMPILED_PREFETCHES),
                (self.large_prefetches, messages.LARGE_PREFETCHES),
            ],
        }
        return [table for present, table in tables[access] if present]

    def has_atomic(self, what: str, element: str, space: "Space") -> bool:
        """Return True if an instruction does `what` (a word of `llvm.atomicrmw`) to elements of a type in memory."""
        from xetile.targets.xe.atomics import COMPILED, FLOAT_SUMS

        tables = (COMPILED, FLOAT_SUMS) if self.narrow_atomic_sums else (COMPILED,)
        return any(what in table[space].get(element, ()) for table in tables)

    @property
    def prices(self) -> "Prices":
        """The costs, in instructions, of converting registers to another layout."""
        from xetile.targets.xe.prices import XE

        return XE

    @property
    def rates(self) -> "Rates":
        """The time that instructions keep an engine busy."""
        from xetile.targets.xe.issue import Rates

        return Rates(row=self.matrix_row_cycles)

    @property
    def unrolling(self) -> "Unrolling":
        """The number of rounds of loops that are worth unrolling into one."""
        from xetile.targets.xe import loops

        return loops.WITH_OFFSETS if self.message_offsets else loops.WITHOUT_OFFSETS

    @property
    def products(self) -> "Products":
        """Operand types that may be mixed, and accumulators."""
        from xetile.targets.xe.dpas import FLOAT_8_PRODUCTS, PRODUCTS

        return (*PRODUCTS, *FLOAT_8_PRODUCTS) if self.float_8_products else PRODUCTS

    def matrix_instruction(self, a: object, b: object, c: object) -> "XeProduct | None":
        """Return the instruction for these element types, or None; see `Target`."""
        from xetile.targets.xe.dpas import find_instruction

        return find_instruction(self.products, str(a), str(b), str(c))

    def operand_types(self, operand: Operand) -> tuple[str, ...]:
        """Return the element types that an operand of a product can have."""
        position = 1 if operand == "c" else 0
        return tuple(dict.fromkeys(name for row in self.products for name in row[position]))

    def describe_products(self) -> str:
        """Return the element types of all products, in words."""
        return "; ".join(
            f"{' or '.join(operands)} -> {' or '.join(accumulators)}"
            for operands, accumulators in self.products
        )
