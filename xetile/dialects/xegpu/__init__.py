"""The XeGPU dialect of LLVM 22: read, printed and verified as mlir-opt 22 does it."""

from xdsl.ir import Dialect

from xetile.dialects.xegpu.compute_ops import (
    AllocNbarrierOp,
    CompileHintOp,
    ConvertLayoutOp,
    DpasOp,
    FenceOp,
    InitNbarrierOp,
    NbarrierArriveOp,
    NbarrierWaitOp,
)
from xetile.dialects.xegpu.descriptor_ops import CreateNdTdescOp, UpdateNdOffsetOp
from xetile.dialects.xegpu.layouts import AnyLayoutAttr as AnyLayoutAttr
from xetile.dialects.xegpu.layouts import (
    LayoutAttr,
    MemLayoutAttr,
    RangeAttr,
    SgMapAttr,
    SliceAttr,
)
from xetile.dialects.xegpu.matrix_ops import CreateMemDescOp, LoadMatrixOp, StoreMatrixOp
from xetile.dialects.xegpu.nd_ops import LoadNdOp, PrefetchNdOp, StoreNdOp
from xetile.dialects.xegpu.scattered_ops import (
    AtomicRMWOp,
    CreateTdescOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    UpdateOffsetOp,
)
from xetile.dialects.xegpu.xegpu_attributes import (
    BlockTensorDescAttr,
    CacheHintAttr,
    FenceScopeAttr,
    MemorySpaceAttr,
    ScatterTensorDescAttr,
)
from xetile.dialects.xegpu.xegpu_attributes import CacheHint as CacheHint
from xetile.dialects.xegpu.xegpu_attributes import FenceScope as FenceScope
from xetile.dialects.xegpu.xegpu_attributes import MemorySpace as MemorySpace
from xetile.dialects.xegpu.xegpu_types import MemDescType, NbarrierType, TensorDescType

XeGPU = Dialect(
    "xegpu",
    [
        AllocNbarrierOp,
        AtomicRMWOp,
        CompileHintOp,
        ConvertLayoutOp,
        CreateMemDescOp,
        CreateNdTdescOp,
        CreateTdescOp,
        DpasOp,
        FenceOp,
        InitNbarrierOp,
        LoadMatrixOp,
        LoadNdOp,
        LoadOp,
        NbarrierArriveOp,
        NbarrierWaitOp,
        PrefetchNdOp,
        PrefetchOp,
        StoreMatrixOp,
        StoreNdOp,
        StoreOp,
        UpdateNdOffsetOp,
        UpdateOffsetOp,
    ],
    [
        BlockTensorDescAttr,
        CacheHintAttr,
        FenceScopeAttr,
        LayoutAttr,
        MemDescType,
        MemLayoutAttr,
        MemorySpaceAttr,
        NbarrierType,
        RangeAttr,
        ScatterTensorDescAttr,
        SgMapAttr,
        SliceAttr,
        TensorDescType,
    ],
)
