"""Upstream's XeVM dialect: one lane's view of block messages and matrix products.

Source: mlir/Dialect/LLVMIR/XeVMOps.td of LLVM 22.1.8; what is refused is what mlir-opt 22
refuses.
"""

from xdsl.ir import Dialect

from xetile.dialects.xevm.block_message_ops import LANES as LANES
from xetile.dialects.xevm.block_message_ops import (
    BlockLoad2dOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
)
from xetile.dialects.xevm.ids import ID_OPS
from xetile.dialects.xevm.matrix_instruction import MMAOp
from xetile.dialects.xevm.xevm_attributes import CACHE_CONTROL as CACHE_CONTROL
from xetile.dialects.xevm.xevm_attributes import (
    AddrSpaceAttr,
    LoadCacheControlAttr,
    MemScopeAttr,
    MMAShapeAttr,
    MMATypesAttr,
    StoreCacheControlAttr,
    TargetAttr,
)
from xetile.dialects.xevm.xevm_memory import BlockLoadOp, BlockStoreOp, MemfenceOp, PrefetchOp

XeVM = Dialect(
    "xevm",
    [
        BlockLoad2dOp,
        BlockLoadOp,
        BlockPrefetch2dOp,
        BlockStore2dOp,
        BlockStoreOp,
        MMAOp,
        MemfenceOp,
        PrefetchOp,
        *ID_OPS,
    ],
    [
        AddrSpaceAttr,
        LoadCacheControlAttr,
        MMAShapeAttr,
        MMATypesAttr,
        MemScopeAttr,
        StoreCacheControlAttr,
        TargetAttr,
    ],
)
