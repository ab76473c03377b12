"""Names of the functions that Intel's compiler knows: OpenCL builtins, mangled, and its own functions.

Sources: the OpenCL extensions cl_intel_subgroup_2d_block_io, cl_intel_subgroup_matrix_multiply_accumulate and its
_tf32; the Itanium C++ ABI, "Mangling"; IGC's built-in functions (IBiF_Sub_Groups.cl, IGCBiF_Intrinsics_Lsc.cl).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xetile.targets.xe.device import LANES

CREATE_PAYLOAD = "__builtin_IB_subgroup_createBlock2DAddressPayload"
SET_PAYLOAD_X = "__builtin_IB_subgroup_setBlock2DAddressPayloadBlockX"
SET_PAYLOAD_Y = "__builtin_IB_subgroup_setBlock2DAddressPayloadBlockY"
ADD_PAYLOAD_X = "__builtin_IB_subgroup_addBlock2DAddressPayloadBlockX"
ADD_PAYLOAD_Y = "__builtin_IB_subgroup_addBlock2DAddressPayloadBlockY"
"""The address payload of a 2D message, which stays in a register for many messages."""

LOAD_CACHE_OPTIONS: Mapping[tuple[str, str], int] = {
    ("uc", "uc"): 1,
    ("uc", "c"): 2,
    ("c", "uc"): 3,
    ("c", "c"): 4,
    ("s", "uc"): 5,
    ("s", "c"): 6,
    ("ir", "ir"): 7,
}
"""IGC's number for the L1 and L3 cache hints of a load (its enum LSC_LDCC; ISA checked)."""

STORE_CACHE_OPTIONS: Mapping[tuple[str, str], int] = {
    ("uc", "uc"): 1,
    ("uc", "wb"): 2,
    ("wt", "uc"): 3,
    ("wt", "wb"): 4,
    ("s", "uc"): 5,
    ("s", "wb"): 6,
    ("wb", "wb"): 7,
}
"""IGC's number for the hints of stores (LSC_STCC)."""

DEFAULT_PREFETCH_OPTION = LOAD_CACHE_OPTIONS["c", "c"]
"""The meaning of a prefetch without cache hints, and of the builtin without an option."""


class BlockShape(NamedTuple):
    """The data of a 2D block message: element bits, rows and columns (elements) of a block, number of blocks."""

    bits: int
    rows: int
    columns: int
    blocks: int

    @property
    def row_bytes(self) -> int:
        """The bytes of one row of all blocks."""
        return self.bits // 8 * self.columns * self.blocks

    def __str__(self) -> str:
        return f"{self.bits}b_{self.rows}r{self.columns}x{self.blocks}c"


_WORD = {8: "h", 16: "t", 32: "j", 64: "m"}  # unsigned char, short, int, long
_SURFACE = ("PU3AS1v", "i", "i", "i", "Dv2_i")


PRINTF = "printf"
"""OpenCL's function. Drivers crash on kernels of that name."""


def mangle(name: str, parameters: Sequence[str]) -> str:
    """Return the linker's name of an overloaded OpenCL function.

    `parameters` are mangled types. A repeated one that is longer than a letter is replaced by the reference that the
    ABI requires. A pointer to an address space counts as two such types.
    """
    seen: list[str] = []
    text: list[str] = []
    for parameter in parameters or ("v",):
        if parameter in seen:
            position = seen.index(parameter)
            text.append("S_" if position == 0 else f"S{position - 1}_")
            continue
        text.append(parameter)
        if parameter.startswith("PU"):
            seen.append(parameter[1:])
        if parameter.startswith(("P", "Dv")):
            seen.append(parameter)
    return f"_Z{len(name)}{name}{''.join(text)}"


def register_bits(shape: BlockShape, *, packed: bool) -> int:
    """Return the bits of one element of a load's result, or of a store's operand, in a lane.

    Neighbors share it if a row is wider than the subgroup, and packed rows share 32 bits.
    """
    return 32 if packed else max(shape.bits, shape.columns * shape.bits // LANES)


def block_name(action: str, shape: BlockShape) -> str:
    """Return the name of the function for a read, read_transform, read_transpose, write or prefetch."""
    return f"intel_sub_group_2d_block_{action}_{shape}"


def payload_prefetch(shape: BlockShape) -> str:
    """Return the name of the function that prefetches through an address payload."""
    bits, rows, columns, blocks = shape
    return f"__builtin_IB_subgroup_block_read_ap_prefetch_u{bits}_m{rows}k{columns}v{blocks}"


def payload_load(shape: BlockShape) -> str:
    """Return the name of the function that reads through an address payload and returns a lane's elements."""
    bits, rows, columns, blocks = shape
    return f"__builtin_IB_subgroup_block_read_ap_u{bits}_m{rows}k{columns}v{blocks}"


def payload_store(shape: BlockShape) -> str:
    """Return the name of the function that writes through an address payload.

    The value may be of any type that fills the message's registers. Here it has elements of the message. Each element
    fills as many neighboring columns as the subgroup has lanes, row by row.
    """
    bits, rows, columns, blocks = shape
    return f"__builtin_IB_subgroup_block_write_ap_u{bits}_m{rows}k{columns}v{blocks}"


def block_function(name: str, register_bits: int | None) -> str:
    """Return the mangled name of a 2D function; `register_bits` are those of the pointee, None for prefetches."""
    pointer = () if register_bits is None else (f"P{_WORD[register_bits]}",)
    return mangle(name, (*_SURFACE, *pointer))


def cached_block_function(name: str) -> str:
    """Return the name of IGC's own function behind a 2D builtin, whose last parameter is a cache option."""
    return f"__internal_{name}_cache_controls"


_ROW_SUFFIX = {8: "_b", 16: "_h", 32: "", 64: "_l"}


def row_function(action: str, space: str, bits: int, rows: int) -> str:
    """Return the name of IGC's function that reads or writes rows of one word per lane in global or local memory.

    It is the function behind cl_intel_subgroups' intel_sub_group_block_read and cl_intel_subgroup_local_block_io. These
    support fewer pointers: none to shared memory that is not computed by an index.
    """
    return f"__builtin_IB_simd_block_{action}_{rows}_{space}{_ROW_SUFFIX[bits]}"


def lane_function(action: str, bits: int, words: int) -> str:
    """Return the name of IGC's load, store or prefetch of a lane's words in global memory with a cache option.

    Its parameters are a pointer, an offset (words), the value of a store, and the number of the option. Words of fewer
    than 32 bits are passed in 32.
    """
    pointed = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[bits]
    if bits < 32 and action != "prefetch":
        pointed += "_to_uint" if action == "load" else "_from_uint"
    return f"__builtin_IB_lsc_{action}_global_{pointed}{words if words > 1 else ''}"


class MatrixOperand(NamedTuple):
    """An operand type of a matrix builtin.

    It has the name used in the builtin's name, the mangled register types of A and of B, and the bits of an element.
    """

    name: str
    a: str
    b: str
    bits: int


MATRIX_OPERANDS: Mapping[str, MatrixOperand] = {
    "f16": MatrixOperand("f16", "s", "i", 16),
    "bf16": MatrixOperand("bf16", "s", "i", 16),
    "tf32": MatrixOperand("tf32", "f", "f", 32),
    "s8": MatrixOperand("i8", "s", "i", 8),
    "u8": MatrixOperand("u8", "t", "j", 8),
    "s4": MatrixOperand("i4", "s", "i", 4),
    "u4": MatrixOperand("u4", "t", "j", 4),
    "f8E4M3FN": MatrixOperand("e4m3", "s", "i", 8),
    "f8E5M2": MatrixOperand("e5m2", "s", "i", 8),
}
"""Operand types by xevm's names, 8-bit floats by MLIR's."""

MATRIX_ACCUMULATORS: Mapping[str, str] = {"f32": "f", "f16": "Dh", "bf16": "s", "s32": "i"}
"""The mangled register types of accumulators by xevm's names."""

_OF_INTEGERS = {"i8": "s8", "si8": "s8", "ui8": "u8"}


def matrix_operand(type: object) -> str:
    """Return the name of an element type in `MATRIX_OPERANDS`."""
    return _OF_INTEGERS.get(str(type), str(type))


_PRODUCTS = (
    ({"f16"}, {"f32", "f16"}),
    ({"bf16"}, {"f32", "bf16"}),
    ({"tf32"}, {"f32"}),
    ({"s8", "u8"}, {"s32"}),
    ({"s4", "u4"}, {"s32"}),
    ({"f8E4M3FN", "f8E5M2"}, {"f32", "bf16"}),
)
"""Operand types that a builtin can mix, and their accumulators."""


def has_product(a: str, b: str, accumulator: str) -> bool:
    """Return True if a builtin multiplies these types, which have xevm's names."""
    return any({a, b} <= operands and accumulator in sums for operands, sums in _PRODUCTS)


def vector_of(count: int, element: str) -> str:
    """Return the mangled vector type; one element is a scalar."""
    return element if count == 1 else f"Dv{count}_{element}"


def matrix_function(a: str, b: str, accumulator: str, *, rows: int, depth: int) -> str:
    """Return the mangled name of the builtin for one matrix instruction; xevm's type names, M = `rows`, K = `depth`."""
    left, right = MATRIX_OPERANDS[a], MATRIX_OPERANDS[b]
    name = f"intel_sub_group_{left.name}_{right.name}_matrix_mad_k{depth}"
    types = (
        vector_of(registers_of_a(a, rows), left.a),
        vector_of(8, right.b),
        vector_of(rows, MATRIX_ACCUMULATORS[accumulator]),
    )
    return mangle(name, types)


def registers_of_a(a: str, rows: int) -> int:
    """Return the number of a lane's registers for A: one of 16 bits per row; for tf32 one of 32 per two rows."""
    return max(1, rows // 2) if a == "tf32" else rows
