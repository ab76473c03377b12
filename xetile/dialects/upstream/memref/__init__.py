"""The memref dialect: xDSL's, with forms and folders that it lacks in 0.74 (test_memref.py tells when it has them).

Replaced: cast, memory_space_cast, extract_aligned_pointer_as_index, copy, dim, rank,
atomic_rmw, global. Added: transpose. All others are xDSL's. The test fails once xDSL reads
one of ours.
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.memref import AllocOp as AllocOp
from xdsl.dialects.memref import ExtractStridedMetaDataOp as ExtractStridedMetaDataOp
from xdsl.dialects.memref import MemRef as StockMemRef
from xdsl.ir import Dialect

from xetile.dialects.upstream.memref.access import AtomicRMWOp, CopyOp, DimOp, GlobalOp, RankOp
from xetile.dialects.upstream.memref.views import (
    CastOp,
    ExtractAlignedPointerAsIndexOp,
    MemorySpaceCastOp,
    TransposeOp,
)

_OURS = (
    AtomicRMWOp,
    CastOp,
    CopyOp,
    DimOp,
    ExtractAlignedPointerAsIndexOp,
    GlobalOp,
    MemorySpaceCastOp,
    RankOp,
    TransposeOp,
)
_NAMES = {operation.name for operation in _OURS}

MemRef = Dialect(
    "memref",
    [
        *(operation for operation in StockMemRef.operations if operation.name not in _NAMES),
        *_OURS,
    ],
    [*StockMemRef.attributes],
    [ArithConstantMaterializationInterface()],
)
