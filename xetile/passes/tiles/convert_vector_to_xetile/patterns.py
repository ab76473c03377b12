"""The ops that are converted, and the check that none is left."""

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.gathers import (
    ConvertConstantMask,
    ConvertGather,
    ConvertMask,
    ConvertScatter,
    ConvertStep,
)
from xetile.passes.tiles.convert_vector_to_xetile.masked import ConvertMasked
from xetile.passes.tiles.convert_vector_to_xetile.rearrangements import (
    ConvertBroadcast,
    ConvertExtract,
    ConvertReduction,
    ConvertTranspose,
)
from xetile.passes.tiles.convert_vector_to_xetile.transfers import ConvertRead, ConvertWrite
from xetile.passes.tiles.convert_vector_to_xetile.vector_products import (
    ConvertContraction,
    ConvertOuterProduct,
)

PATTERNS: dict[str, RewritePattern] = {
    "vector.mask": ConvertMasked(),
    "vector.transfer_read": ConvertRead(),
    "vector.transfer_write": ConvertWrite(),
    "vector.contract": ConvertContraction(),
    "vector.outerproduct": ConvertOuterProduct(),
    "vector.multi_reduction": ConvertReduction(),
    "vector.broadcast": ConvertBroadcast(),
    "vector.transpose": ConvertTranspose(),
    "vector.gather": ConvertGather(),
    "vector.maskedload": ConvertGather(),
    "vector.scatter": ConvertScatter(),
    "vector.maskedstore": ConvertScatter(),
    "vector.step": ConvertStep(),
    "vector.create_mask": ConvertMask(),
    "vector.constant_mask": ConvertConstantMask(),
    "vector.extract": ConvertExtract(),
}
"""The pattern that converts each op, by the op's name."""

_STAY = (
    "vector.broadcast",
    "vector.constant_mask",
    "vector.create_mask",
    "vector.extract",
    "vector.fma",
    "vector.print",
)


_ALSO_ON_TILES = ("vector.extract", "vector.constant_mask")
"""Ops that kernels on tiles use too, so that they alone do not make a function one to convert."""

_ACCESSES = ("vector.load", "vector.store")
"""Ops that read or write memory without a tile. They are refused."""


def is_converted(op: Operation) -> bool:
    """Return True if an op makes its function one to convert: of the vector dialect, or of linalg in a kernel."""
    is_asked = op.name in PATTERNS and op.name not in _ALSO_ON_TILES
    return is_asked or op.name in _ACCESSES or (_is_structured(op) and is_in_kernel(op))


def is_in_kernel(op: Operation) -> bool:
    """Return True if an op is inside a `gpu.func`; ops in other functions may be meant for the host."""
    outer = op.parent_op()
    return outer is not None and (outer.name == "gpu.func" or is_in_kernel(outer))


def _is_structured(op: Operation) -> bool:
    return op.name.startswith("linalg.") and op.name != "linalg.yield"


def check_rest(function: Operation, *, casts: bool) -> None:
    """Refuse ops of the vector dialect that have no tiles, and of linalg; `casts` allows temporary shape casts.

    Errors: XetileError at the first such op.
    """
    for op in function.walk():
        if _is_structured(op):
            fail(
                op,
                f"'{op.name}' was not vectorised; tile it, then vectorise the tiles: with vector_sizes [...], "
                "transform.structured.vectorize takes ragged and dynamic ones too, and masks what is outside",
            )
        if casts and op.name == "vector.shape_cast":
            continue
        if op.name.startswith("vector.") and op.name not in _STAY:
            legal = ", ".join(name.removeprefix("vector.") for name in PATTERNS)
            fail(op, f"'{op.name}' does not become an operation on tiles; these do: {legal}")
