"""vector.mask: transfers take the mask; products and reductions get operands that leave out the same elements."""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.arith import AndIOp, ConstantOp
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.dialects.vector import BroadcastOp, TransferReadOp, TransferWriteOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xetile.analysis.maps.map_words import name_of
from xetile.dialects.atomic_kinds import identity
from xetile.dialects.fast_math import fast_math
from xetile.dialects.index_lists import Mixed
from xetile.dialects.upstream.arith import SelectOp
from xetile.dialects.upstream.vector import (
    ContractionOp,
    CreateMaskOp,
    GatherOp,
    MaskOp,
    MultiReductionOp,
    OuterProductOp,
)
from xetile.dialects.upstream.vector.contractions import Transfer
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.tiles.convert_vector_to_xetile.bounds import is_whole, mask_bounds, value_of
from xetile.passes.tiles.convert_vector_to_xetile.left_out import is_unused, is_zero_beyond
from xetile.passes.tiles.convert_vector_to_xetile.making import Making
from xetile.passes.tiles.convert_vector_to_xetile.vector_products import positions


class ConvertMasked(RewritePattern):
    """Rewrite a masked op without the mask around it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, MaskOp):
            return
        making = Making(op)
        inside = op.masked
        if op.passthru is not None:
            fail(
                op,
                f"{name_of(op.passthru)} is passed through where the mask is false; a tile is padded with a number: "
                "leave it out, and select from both vectors behind the read",
            )
        if inside is None:
            last = op.body.block.last_op
            rewriter.replace(op, [], () if last is None else last.operands)
            return
        convert = _MASKED.get(type(inside))
        if convert is None:
            fail(
                inside,
                f"'{inside.name}' does not become an operation on tiles, with a mask or without; "
                "vector.multi_reduction of a matrix does",
            )
        results = convert(making, op, inside)
        for old, new in zip(op.masked_results, results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, making.made, results)


Results = Sequence[SSAValue]


def _again(making: Making, op: Operation, operands: Sequence[SSAValue]) -> Operation:
    """Return the same op with other operands."""
    made = type(op).create(
        operands=operands,
        result_types=[result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )
    made.location = op.location
    making.made.append(made)
    return made


def _transfer(making: Making, op: MaskOp, inside: Operation) -> Results:
    assert isinstance(inside, Transfer)
    if inside.mask is not None:
        fail(
            inside,
            f"'{inside.name}' has a mask of its own inside of vector.mask; a tile has one surface: "
            "leave one of the masks out, or make one of both",
        )
    made = _again(making, inside, [*inside.operands, op.mask])
    sizes = cast("DenseArrayBase[IntegerType]", inside.properties["operandSegmentSizes"])
    counts = [*sizes.get_values()[:-1], 1]
    made.properties["operandSegmentSizes"] = DenseArrayBase.from_list(sizes.elt_type, counts)
    return made.results


def _gather(making: Making, op: MaskOp, inside: Operation) -> Results:
    assert isinstance(inside, GatherOp)
    both = making.add(AndIOp(inside.mask, op.mask))
    operands = [both if one == inside.mask else one for one in inside.operands]
    return _again(making, inside, operands).results


def _reduction(making: Making, op: MaskOp, inside: Operation) -> Results:
    """Replace masked elements by the neutral element; in sums of integers, padding zeros already are neutral."""
    assert isinstance(inside, MultiReductionOp)
    source = inside.source
    bounds = mask_bounds(op, op.mask)
    shape = vector_type(source).get_shape()
    element = vector_type(source).element_type
    bits = element.width.data if isa(element, IntegerType) else None
    kind = inside.kind.data.value
    nothing = identity(kind, str(element), bits, fast_math(inside))
    in_zeros = bits is not None and nothing == 0
    beyond = [
        None if in_zeros and is_zero_beyond(source, d, bound, shape[d]) else bound
        for d, bound in enumerate(bounds)
    ]
    return _again(
        making, inside, [_chosen(making, source, beyond, nothing), inside.acc]
    ).results


def _contraction(making: Making, op: MaskOp, inside: Operation) -> Results:
    """Replace masked elements along K by zeros, unless reads pad so; outside the result is the accumulator."""
    assert isinstance(inside, ContractionOp)
    if not isinstance(inside.acc.type, VectorType):
        fail(inside, f"the result is {inside.acc.type}; a product of tiles is a matrix")
    bounds = mask_bounds(op, op.mask)
    kept = positions(inside.maps[2])
    cut: list[SSAValue] = []
    for value, map in zip((inside.lhs, inside.rhs), inside.maps[:2], strict=True):
        shape = vector_type(value).get_shape()
        beyond = [
            None
            if d in kept or is_zero_beyond(value, place, bounds[d], shape[place])
            else bounds[d]
            for place, d in enumerate(positions(map))
        ]
        cut.append(_chosen(making, value, beyond, 0))
    inner = [bounds[d] for d in kept]
    # check this before another op uses the accumulator
    is_whole_product = is_unused(op.masked_results[0], inner)
    product = _again(making, inside, [*cut, inside.acc]).results[0]
    return [product if is_whole_product else _select(making, product, inner, inside.acc)]


def _outer_product(making: Making, op: MaskOp, inside: Operation) -> Results:
    assert isinstance(inside, OuterProductOp)
    bounds = mask_bounds(op, op.mask)
    is_whole_product = inside.acc is None or is_unused(op.masked_results[0], bounds)
    product = _again(making, inside, inside.operands).results[0]
    if is_whole_product or inside.acc is None:
        return [product]
    return [_select(making, product, bounds, inside.acc)]


def _chosen(
    making: Making, value: SSAValue, bounds: Sequence[Mixed | None], otherwise: float
) -> SSAValue:
    """Return a vector with a number where bounds leave elements out; None is no bound."""
    type = vector_type(value)
    if all(map(is_whole, bounds, type.get_shape())):
        return value
    element = type.element_type
    number = ConstantOp(
        IntegerAttr(int(otherwise), element)
        if isinstance(element, IndexType) or isa(element, IntegerType)
        else FloatAttr(otherwise, cast("AnyFloat", element))
    )
    other = making.add(BroadcastOp(making.add(number), type))
    return _select(making, value, bounds, other)


def _select(
    making: Making, value: SSAValue, bounds: Sequence[Mixed | None], otherwise: SSAValue
) -> SSAValue:
    shape = vector_type(value).get_shape()
    if all(map(is_whole, bounds, shape)):
        return value
    ends = [
        value_of(making, extent if bound is None else bound)
        for bound, extent in zip(bounds, shape, strict=True)
    ]
    mask = making.add(CreateMaskOp(ends, VectorType(i1, shape)))
    return making.add(SelectOp(mask, value, otherwise))


_MASKED: dict[type[Operation], Callable[[Making, MaskOp, Operation], Results]] = {
    TransferReadOp: _transfer,
    TransferWriteOp: _transfer,
    ContractionOp: _contraction,
    OuterProductOp: _outer_product,
    MultiReductionOp: _reduction,
    GatherOp: _gather,
}
"""The function that rewrites each class of masked ops."""
