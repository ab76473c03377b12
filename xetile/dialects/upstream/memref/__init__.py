"""The memref dialect: xDSL's, with forms and folders that it lacks in 0.75 (test_memref.py tells when it has them).

Replaced: cast, memory_space_cast, extract_aligned_pointer_as_index, copy, dim, rank,
atomic_rmw, global. Added: transpose. Checked further (test_memref_refusals.py tells when
xDSL does it): alloc, alloca, alloca_scope, assume_alignment, collapse_shape, expand_shape,
extract_strided_metadata, get_global, reinterpret_cast, subview. All others are xDSL's.
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.memref import MemRef as StockMemRef
from xdsl.ir import Dialect, Operation

from xetile.dialects.upstream.memref.access import AtomicRMWOp, CopyOp, DimOp, GlobalOp, RankOp
from xetile.dialects.upstream.memref.allocations import (
    AllocaOp,
    AllocaScopeOp,
    AllocOp,
    AssumeAlignmentOp,
    ExtractStridedMetaDataOp,
    GetGlobalOp,
)
from xetile.dialects.upstream.memref.reshapes import CollapseShapeOp, ExpandShapeOp
from xetile.dialects.upstream.memref.views import (
    CastOp,
    ExtractAlignedPointerAsIndexOp,
    MemorySpaceCastOp,
    TransposeOp,
)
from xetile.dialects.upstream.memref.windows import ReinterpretCastOp, SubviewOp

_OURS: tuple[type[Operation], ...] = (
    AllocOp,
    AllocaOp,
    AllocaScopeOp,
    AssumeAlignmentOp,
    AtomicRMWOp,
    CastOp,
    CollapseShapeOp,
    CopyOp,
    DimOp,
    ExpandShapeOp,
    ExtractAlignedPointerAsIndexOp,
    ExtractStridedMetaDataOp,
    GetGlobalOp,
    GlobalOp,
    MemorySpaceCastOp,
    RankOp,
    ReinterpretCastOp,
    SubviewOp,
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
