"""The memref dialect: xDSL's, with the custom forms that it lacks.

Replaced: cast, memory_space_cast, extract_aligned_pointer_as_index, copy, dim, rank, atomic_rmw, global.
Added: transpose. All others are xDSL's.
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.memref import (
    AllocaOp,
    AllocOp,
    CollapseShapeOp,
    DeallocOp,
    ExpandShapeOp,
    ExtractStridedMetaDataOp,
    GetGlobalOp,
    LoadOp,
    ReinterpretCastOp,
    StoreOp,
    SubviewOp,
    ViewOp,
)
from xdsl.dialects.memref import (
    MemRef as StockMemRef,
)
from xdsl.ir import Dialect

from xetile.dialects.upstream.memref.access import (
    AtomicRMWOp,
    CopyOp,
    DimOp,
    GlobalOp,
    RankOp,
)
from xetile.dialects.upstream.memref.views import (
    CastOp,
    ExtractAlignedPointerAsIndexOp,
    MemorySpaceCastOp,
    TransposeOp,
)

__all__ = [
    "REPLACED",
    "AllocOp",
    "AllocaOp",
    "AtomicRMWOp",
    "CastOp",
    "CollapseShapeOp",
    "CopyOp",
    "DeallocOp",
    "DimOp",
    "ExpandShapeOp",
    "ExtractAlignedPointerAsIndexOp",
    "ExtractStridedMetaDataOp",
    "GetGlobalOp",
    "GlobalOp",
    "LoadOp",
    "MemRef",
    "MemorySpaceCastOp",
    "RankOp",
    "ReinterpretCastOp",
    "StoreOp",
    "SubviewOp",
    "TransposeOp",
    "ViewOp",
]

REPLACED = (
    AtomicRMWOp,
    CastOp,
    CopyOp,
    DimOp,
    ExtractAlignedPointerAsIndexOp,
    GlobalOp,
    MemorySpaceCastOp,
    RankOp,
)
"""Ours in the place of xDSL's ops of the same names."""

_NAMES = {operation.name for operation in REPLACED}

MemRef = Dialect(
    "memref",
    [
        *(operation for operation in StockMemRef.operations if operation.name not in _NAMES),
        *REPLACED,
        TransposeOp,
    ],
    [*StockMemRef.attributes],
    [ArithConstantMaterializationInterface()],
)
