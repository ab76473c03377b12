"""The vector dialect: xDSL's, with what it lacks; test/unit/dialects/upstream/test_vector.py tells what is left.

Added: extract_strided_slice, insert_strided_slice, shape_cast, transpose, multi_reduction,
from_elements, to_elements, constant_mask, step, gather, scatter, contract, outerproduct, mask,
yield. Replaced: shuffle, bitcast,
create_mask and reduction (not pure in xDSL 0.75), print, load, store, maskedload and
maskedstore (no memory effects there).
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.vector import (
    BroadcastOp,
    CombiningKindAttr,
    ExtractOp,
    FMAOp,
    InsertOp,
    TransferReadOp,
    TransferWriteOp,
)
from xdsl.ir import Dialect

from xetile.dialects.upstream.vector.casts import BitcastOp, ShapeCastOp
from xetile.dialects.upstream.vector.contractions import (
    ContractionOp,
    IteratorTypeAttr,
    OuterProductOp,
)
from xetile.dialects.upstream.vector.elements import FromElementsOp, ShuffleOp, ToElementsOp
from xetile.dialects.upstream.vector.masking import MaskOp, YieldOp
from xetile.dialects.upstream.vector.masks import ConstantMaskOp, CreateMaskOp, StepOp
from xetile.dialects.upstream.vector.memory import (
    GatherOp,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ScatterOp,
    StoreOp,
)
from xetile.dialects.upstream.vector.older import (
    ExtractElementOp,
    InsertElementOp,
    SplatOp,
)
from xetile.dialects.upstream.vector.printing import PrintOp, PunctuationAttr
from xetile.dialects.upstream.vector.reductions import MultiReductionOp, ReductionOp
from xetile.dialects.upstream.vector.shapes import (
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    TransposeOp,
)

Vector = Dialect(
    "vector",
    [
        # xDSL's
        *(BroadcastOp, ExtractOp, FMAOp, InsertOp, TransferReadOp, TransferWriteOp),
        # ours
        *(BitcastOp, ShapeCastOp, FromElementsOp, ShuffleOp, ToElementsOp),
        *(ExtractStridedSliceOp, InsertStridedSliceOp, TransposeOp),
        *(ConstantMaskOp, CreateMaskOp, StepOp, MultiReductionOp, ReductionOp, PrintOp),
        *(ExtractElementOp, InsertElementOp, SplatOp),
        *(ContractionOp, OuterProductOp, MaskOp, YieldOp),
        *(GatherOp, LoadOp, MaskedLoadOp, MaskedStoreOp, ScatterOp, StoreOp),
    ],
    [CombiningKindAttr, IteratorTypeAttr, PunctuationAttr],
    [ArithConstantMaterializationInterface()],
)
