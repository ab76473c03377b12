"""The vector dialect: xDSL's, with what it lacks and with its gaps closed.

Added: extract_strided_slice, insert_strided_slice, shape_cast, transpose, multi_reduction, from_elements,
to_elements, constant_mask, step, gather, scatter. Replaced: shuffle, bitcast, create_mask and reduction
(not pure in xDSL 0.74.0), print, load, store, maskedload and maskedstore (no memory effects there).
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.vector import (
    BroadcastOp,
    CombiningKindAttr,
    CombiningKindFlag,
    ExtractOp,
    FMAOp,
    InsertOp,
    TransferReadOp,
    TransferWriteOp,
)
from xdsl.ir import Dialect

from xetile.dialects.upstream.vector.elements import (
    BitcastOp,
    FromElementsOp,
    ShuffleOp,
    ToElementsOp,
)
from xetile.dialects.upstream.vector.masks import ConstantMaskOp, CreateMaskOp, StepOp
from xetile.dialects.upstream.vector.memory import (
    GatherOp,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ScatterOp,
    StoreOp,
)
from xetile.dialects.upstream.vector.printing import PrintOp, Punctuation, PunctuationAttr
from xetile.dialects.upstream.vector.reductions import MultiReductionOp, ReductionOp
from xetile.dialects.upstream.vector.shapes import (
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    ShapeCastOp,
    TransposeOp,
)

__all__ = [
    "BitcastOp",
    "BroadcastOp",
    "CombiningKindAttr",
    "CombiningKindFlag",
    "ConstantMaskOp",
    "CreateMaskOp",
    "ExtractOp",
    "ExtractStridedSliceOp",
    "FMAOp",
    "FromElementsOp",
    "GatherOp",
    "InsertOp",
    "InsertStridedSliceOp",
    "LoadOp",
    "MaskedLoadOp",
    "MaskedStoreOp",
    "MultiReductionOp",
    "PrintOp",
    "Punctuation",
    "PunctuationAttr",
    "ReductionOp",
    "ScatterOp",
    "ShapeCastOp",
    "ShuffleOp",
    "StepOp",
    "StoreOp",
    "ToElementsOp",
    "TransferReadOp",
    "TransferWriteOp",
    "TransposeOp",
    "Vector",
]

Vector = Dialect(
    "vector",
    [
        BitcastOp,
        BroadcastOp,
        ConstantMaskOp,
        CreateMaskOp,
        ExtractOp,
        ExtractStridedSliceOp,
        FMAOp,
        FromElementsOp,
        GatherOp,
        InsertOp,
        InsertStridedSliceOp,
        LoadOp,
        MaskedLoadOp,
        MaskedStoreOp,
        MultiReductionOp,
        PrintOp,
        ReductionOp,
        ScatterOp,
        ShapeCastOp,
        ShuffleOp,
        StepOp,
        StoreOp,
        ToElementsOp,
        TransferReadOp,
        TransferWriteOp,
        TransposeOp,
    ],
    [CombiningKindAttr, PunctuationAttr],
    [ArithConstantMaterializationInterface()],
)
