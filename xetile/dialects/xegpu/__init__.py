"""Upstream's XeGPU dialect, as far as blocks of memory and matrix products go."""

from xdsl.ir import Dialect

from xetile.dialects.xegpu.attributes import (
    BlockTensorDescAttr,
    CacheHint,
    CacheHintAttr,
    FenceScope,
    FenceScopeAttr,
    LayoutAttr,
    MemorySpace,
    MemorySpaceAttr,
    ScatterTensorDescAttr,
    SliceAttr,
)
from xetile.dialects.xegpu.ops import (
    CreateNdTdescOp,
    DpasOp,
    FenceOp,
    LoadNdOp,
    PrefetchNdOp,
    StoreNdOp,
    UpdateNdOffsetOp,
)
from xetile.dialects.xegpu.types import TensorDescType

__all__ = [
    "BlockTensorDescAttr",
    "CacheHint",
    "CacheHintAttr",
    "CreateNdTdescOp",
    "DpasOp",
    "FenceOp",
    "FenceScope",
    "FenceScopeAttr",
    "LayoutAttr",
    "LoadNdOp",
    "MemorySpace",
    "MemorySpaceAttr",
    "PrefetchNdOp",
    "ScatterTensorDescAttr",
    "SliceAttr",
    "StoreNdOp",
    "TensorDescType",
    "UpdateNdOffsetOp",
    "XeGPU",
]

XeGPU = Dialect(
    "xegpu",
    [CreateNdTdescOp, DpasOp, FenceOp, LoadNdOp, PrefetchNdOp, StoreNdOp, UpdateNdOffsetOp],
    [
        BlockTensorDescAttr,
        CacheHintAttr,
        FenceScopeAttr,
        LayoutAttr,
        MemorySpaceAttr,
        ScatterTensorDescAttr,
        SliceAttr,
        TensorDescType,
    ],
)
