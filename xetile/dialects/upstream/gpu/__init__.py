"""The gpu dialect with mlir-opt 22's syntax, which xDSL 0.75 lacks (test_gpu.py tells when it has it).

It has 25 of the ops, none with a custom form, and takes `gpu.func`'s sizes, `kernel` and the
attributions for something else than MLIR does.
"""

from xdsl.ir import Dialect

from xetile.dialects.upstream.gpu.attributes import (
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
from xetile.dialects.upstream.gpu.binaries import (
    BinaryOp,
    KernelMetadataAttr,
    KernelTableAttr,
    ObjectAttr,
)
from xetile.dialects.upstream.gpu.collectives import (
    BarrierOp,
    PrintfOp,
    RotateOp,
    ShuffleOp,
    SubgroupBroadcastOp,
)
from xetile.dialects.upstream.gpu.functions import FuncOp, ModuleOp, ReturnOp
from xetile.dialects.upstream.gpu.host import (
    AllocOp,
    DeallocOp,
    DynamicSharedMemoryOp,
    HostRegisterOp,
    HostUnregisterOp,
    MemcpyOp,
    MemsetOp,
    SetDefaultDeviceOp,
    WaitOp,
)
from xetile.dialects.upstream.gpu.ids import (
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
from xetile.dialects.upstream.gpu.launch import LaunchFuncOp, LaunchOp, TerminatorOp
from xetile.dialects.upstream.gpu.reductions import AllReduceOp, SubgroupReduceOp, YieldOp

GPU = Dialect(
    "gpu",
    [
        AllReduceOp,
        AllocOp,
        BarrierOp,
        BinaryOp,
        BlockDimOp,
        BlockIdOp,
        ClusterBlockIdOp,
        ClusterDimBlocksOp,
        ClusterDimOp,
        ClusterIdOp,
        DeallocOp,
        DynamicSharedMemoryOp,
        FuncOp,
        GlobalIdOp,
        GridDimOp,
        HostRegisterOp,
        HostUnregisterOp,
        LaneIdOp,
        LaunchFuncOp,
        LaunchOp,
        MemcpyOp,
        MemsetOp,
        ModuleOp,
        NumSubgroupsOp,
        PrintfOp,
        ReturnOp,
        RotateOp,
        SetDefaultDeviceOp,
        ShuffleOp,
        SubgroupBroadcastOp,
        SubgroupIdOp,
        SubgroupReduceOp,
        SubgroupSizeOp,
        TerminatorOp,
        ThreadIdOp,
        WaitOp,
        YieldOp,
    ],
    [
        AddressSpaceAttr,
        AllReduceOperationAttr,
        AsyncTokenType,
        BroadcastTypeAttr,
        DimensionAttr,
        KernelMetadataAttr,
        KernelTableAttr,
        LoopDimMapAttr,
        ObjectAttr,
        ProcessorAttr,
        SelectObjectAttr,
        ShuffleModeAttr,
    ],
)
