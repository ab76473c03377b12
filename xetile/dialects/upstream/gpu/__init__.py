"""The gpu dialect with mlir-opt 22's syntax, which xDSL 0.75 lacks (test_gpu.py fails once it has it).

It has 25 of the ops, none with a custom form, and takes `gpu.func`'s sizes, `kernel` and the
attributions for something else than MLIR does.
"""

from xdsl.dialects.gpu import GPU as StockGPU

from xetile.dialects.upstream.bases import dialect_over
from xetile.dialects.upstream.gpu.collectives import (
    AllReduceOp,
    BarrierOp,
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
    PrintfOp,
    RotateOp,
    ShuffleOp,
    SubgroupBroadcastOp,
    SubgroupIdOp,
    SubgroupReduceOp,
    SubgroupSizeOp,
    ThreadIdOp,
    YieldOp,
)
from xetile.dialects.upstream.gpu.gpu_attributes import (
    AddressSpaceAttr,
    AllReduceOperationAttr,
    AsyncTokenType,
    BroadcastTypeAttr,
    DimensionAttr,
    LoopDimMapAttr,
    ProcessorAttr,
    SelectObjectAttr,
    ShuffleModeAttr,
)
from xetile.dialects.upstream.gpu.gpu_functions import (
    BinaryOp,
    FuncOp,
    KernelMetadataAttr,
    KernelTableAttr,
    ModuleOp,
    ObjectAttr,
    ReturnOp,
)
from xetile.dialects.upstream.gpu.gpu_host_ops import (
    AllocOp,
    DeallocOp,
    DynamicSharedMemoryOp,
    HostRegisterOp,
    HostUnregisterOp,
    LaunchFuncOp,
    LaunchOp,
    MemcpyOp,
    MemsetOp,
    SetDefaultDeviceOp,
    TerminatorOp,
    WaitOp,
)

GPU = dialect_over(
    StockGPU,
    [
        *(ModuleOp, FuncOp, ReturnOp, BinaryOp, LaunchOp, LaunchFuncOp, TerminatorOp),
        *(AllocOp, DeallocOp, MemcpyOp, MemsetOp, WaitOp, HostRegisterOp, HostUnregisterOp),
        *(SetDefaultDeviceOp, DynamicSharedMemoryOp),
        *(BlockDimOp, BlockIdOp, GridDimOp, ThreadIdOp, GlobalIdOp),
        *(ClusterBlockIdOp, ClusterDimBlocksOp, ClusterDimOp, ClusterIdOp),
        *(LaneIdOp, NumSubgroupsOp, SubgroupIdOp, SubgroupSizeOp),
        *(AllReduceOp, SubgroupReduceOp, YieldOp, BarrierOp, RotateOp, ShuffleOp),
        *(SubgroupBroadcastOp, PrintfOp),
    ],
    [
        *(AddressSpaceAttr, AllReduceOperationAttr, AsyncTokenType, BroadcastTypeAttr),
        *(DimensionAttr, KernelMetadataAttr, KernelTableAttr, LoopDimMapAttr, ObjectAttr),
        *(ProcessorAttr, SelectObjectAttr, ShuffleModeAttr),
    ],
)
