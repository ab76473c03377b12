"""The gpu dialect with mlir-opt 22's syntax, in the place of xDSL's.

xDSL 0.74.0 has 25 of its ops, none with a custom form, and takes `gpu.func`'s sizes, `kernel` and the
attributions for something else than MLIR does.
"""

from xdsl.ir import Dialect

from xetile.dialects.gpu.attributes import (
    AddressSpace,
    AddressSpaceAttr,
    AllReduceOperation,
    AllReduceOperationAttr,
    AsyncTokenType,
    BroadcastType,
    BroadcastTypeAttr,
    Dimension,
    DimensionAttr,
    LoopDimMapAttr,
    Processor,
    ProcessorAttr,
    SelectObjectAttr,
    ShuffleMode,
    ShuffleModeAttr,
)
from xetile.dialects.gpu.collectives import BarrierOp
from xetile.dialects.gpu.functions import FuncOp, ModuleOp, ReturnOp
from xetile.dialects.gpu.ids import (
    BlockDimOp,
    BlockIdOp,
    ClusterBlockIdOp,
    ClusterDimBlocksOp,
    ClusterDimOp,
    ClusterIdOp,
    GlobalIdOp,
    GridDimOp,
    LaneIdOp,
    NumSubgroupsOp,
    SubgroupIdOp,
    SubgroupSizeOp,
    ThreadIdOp,
)

__all__ = [
    "GPU",
    "AddressSpace",
    "AddressSpaceAttr",
    "AllReduceOperation",
    "AllReduceOperationAttr",
    "AsyncTokenType",
    "BarrierOp",
    "BlockDimOp",
    "BlockIdOp",
    "BroadcastType",
    "BroadcastTypeAttr",
    "ClusterBlockIdOp",
    "ClusterDimBlocksOp",
    "ClusterDimOp",
    "ClusterIdOp",
    "Dimension",
    "DimensionAttr",
    "FuncOp",
    "GlobalIdOp",
    "GridDimOp",
    "LaneIdOp",
    "LoopDimMapAttr",
    "ModuleOp",
    "NumSubgroupsOp",
    "Processor",
    "ProcessorAttr",
    "ReturnOp",
    "SelectObjectAttr",
    "ShuffleMode",
    "ShuffleModeAttr",
    "SubgroupIdOp",
    "SubgroupSizeOp",
    "ThreadIdOp",
]

GPU = Dialect(
    "gpu",
    [
        BarrierOp,
        BlockDimOp,
        BlockIdOp,
        ClusterBlockIdOp,
        ClusterDimBlocksOp,
        ClusterDimOp,
        ClusterIdOp,
        FuncOp,
        GlobalIdOp,
        GridDimOp,
        LaneIdOp,
        ModuleOp,
        NumSubgroupsOp,
        ReturnOp,
        SubgroupIdOp,
        SubgroupSizeOp,
        ThreadIdOp,
    ],
    [
        AddressSpaceAttr,
        AllReduceOperationAttr,
        AsyncTokenType,
        BroadcastTypeAttr,
        DimensionAttr,
        LoopDimMapAttr,
        ProcessorAttr,
        SelectObjectAttr,
        ShuffleModeAttr,
    ],
)
