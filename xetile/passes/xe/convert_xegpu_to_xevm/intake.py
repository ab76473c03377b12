"""Check and prepare the XeGPU that this pass accepts: that of one subgroup, with 2D block messages and matrix products.

Layouts for instructions and lanes are advice: results do not depend on them, and they are dropped. Registers and lanes
can hold vectors whose extents are powers of two.

Products of small integers and f16 are computed in f32 and rounded once: the same bits in fewer instructions.

Before:

    %x = arith.sitofp %w : vector<8x16xi8> to vector<8x16xf16>
    %y = arith.mulf %x, %scales : vector<8x16xf16>

After, with `%wide` right after the definition of `%scales` (before the broadcast, if it is a broadcast row), and so
outside the loops that contain the product but not that definition:

    %wide = arith.extf %scales : vector<8x16xf16> to vector<8x16xf32>
    %x = arith.sitofp %w : vector<8x16xi8> to vector<8x16xf32>
    %p = arith.mulf %x, %wide : vector<8x16xf32>
    %y = arith.truncf %p : vector<8x16xf32> to vector<8x16xf16>

The product of 8 and 11 binary digits has at most 19, and f32 has 24. So it is exact, and so are its converted factors.

Conversion, product and packing of halves take 10 instructions for a register of two elements, and 7 in this form (ocloc
26.27, `python -m tools.instruction_counts --only '*scales'`: 166, 227, 168 instructions on bmg, pvc and cri became 158,
211 and 123).
"""

from collections.abc import Callable, Collection, Iterator
from math import prod
from typing import cast

from xdsl.dialects.builtin import Float16Type, VectorType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.dependence import following
from xetile.analysis.same_value import vector_shape
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BroadcastOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import (
    DpasOp,
    LayoutAttr,
    LoadNdOp,
    SliceAttr,
    StoreNdOp,
    TensorDescType,
)
from xetile.errors import fail
from xetile.hints import isa
from xetile.planning.xe.register_layouts.classes import bits_of
from xetile.planning.xe.register_layouts.layout_rules import (
    is_computed,
    is_copied,
    is_dealt_out,
    relates_elements,
)
from xetile.rewriting.rewriter import remade
from xetile.targets.xe.prices import WIDE_FACTORS

_ACCESSES = ("xegpu.load", "xegpu.store")


def check_extents(function: Operation) -> None:
    """Refuse vectors that no layout supports.

    A vector of rank 1 may have any extent if each lane holds it whole, as an op on single elements does.
    """
    for op in function.walk():
        for value in (*op.operands, *op.results):
            type = value.type
            if not isa(type, VectorType) or is_dealt_out(type):
                continue
            if type.get_num_dims() > 1 or relates_elements(op) or op.name in _ACCESSES:
                odd = next(n for n in type.get_shape() if n & (n - 1))
                fail(
                    op,
                    f"'{op.name}' has {type}; expected extents that are powers of two, of which "
                    f"lanes can hold parts: instead of {odd} take {_parts(odd)}",
                )


def _parts(extent: int) -> str:
    """Return an extent as a sum of powers of two: 24 is 16 and 8."""
    bits = [1 << bit for bit in reversed(range(extent.bit_length())) if extent >> bit & 1]
    return " and ".join(map(str, bits))


_CONVERSIONS = ("arith.sitofp", "arith.uitofp")

_F16_DIGITS = 11
_F32_DIGITS = 24
"""Binary digits of a number, including the leading one (IEEE 754)."""


def widen_products(function: Operation, lanes: int) -> None:
    """Rewrite a function's products that are exact in f32, if there are enough registers for their factors."""
    products = [
        (op, number)
        for op in function.walk()
        if isinstance(op, arith.MulfOp) and (number := _converted(op)) is not None
    ]
    factors = dict.fromkeys(op.operands[1 - number] for op, number in products)
    if sum(map(_elements, factors)) > WIDE_FACTORS * lanes:
        return
    wide: dict[SSAValue, SSAValue] = {}
    for op, number in products:
        _widen(op, number, wide)


def _elements(factor: SSAValue) -> int:
    """Return the elements for which a factor needs registers: those of the row if it is broadcast."""
    maker = factor.owner
    if isinstance(maker, BroadcastOp):
        source = maker.source.type
        return prod(vector_shape(maker.source)) if isinstance(source, VectorType) else 1
    return prod(vector_shape(factor))


def _converted(op: Operation) -> int | None:
    """Return the index of an f16 operand that is converted from a small enough integer, or None."""
    type = op.results[0].type
    if not isinstance(type, VectorType):
        return None
    if not isinstance(cast("VectorType[Attribute]", type).element_type, Float16Type):
        return None
    for number, operand in enumerate(op.operands):
        maker = operand.owner
        if not isinstance(maker, Operation) or maker.name not in _CONVERSIONS:
            continue
        if bits_of(maker.operands[0]) + _F16_DIGITS <= _F32_DIGITS:
            return number
    return None


def _widen(op: Operation, number: int, wide: dict[SSAValue, SSAValue]) -> None:
    conversion, other = op.operands[number].owner, op.operands[1 - number]
    assert isinstance(conversion, Operation)
    type = VectorType(f32, cast("VectorType[Attribute]", op.results[0].type).get_shape())
    operands = [_wide(other, wide)] * len(op.operands)
    operands[number] = _before(op, remade(conversion, conversion.operands, [type]))
    product = _before(op, remade(op, operands, [type]))
    rounded = _before(op, arith.TruncFOp(product, op.results[0].type))
    rounded.name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(rounded)
    for old in (op, conversion):
        if not old.results[0].first_use:
            old.detach()
            old.erase()


def _wide(value: SSAValue, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """Return a value in f32; a broadcast row is converted before the broadcast."""
    if value not in known:
        type = VectorType(f32, cast("VectorType[Attribute]", value.type).get_shape())
        made: Operation = arith.ExtFOp(value, type)
        maker = value.owner
        if isinstance(maker, BroadcastOp) and isinstance(maker.source.type, VectorType):
            made = remade(maker, [_wide(maker.source, known)], [type])
        known[value] = _behind(value, made)
    return known[value]


def _before(place: Operation, op: Operation) -> SSAValue:
    assert place.parent is not None
    op.location = place.location
    place.parent.insert_op_before(op, place)
    return op.results[0]


def _behind(value: SSAValue, op: Operation) -> SSAValue:
    """Insert an op right after a value's definition and return its result."""
    if isinstance(value.owner, Operation):
        assert value.owner.parent is not None
        op.location = value.owner.location
        value.owner.parent.insert_op_after(op, value.owner)
    else:
        first = value.owner.first_op
        assert first is not None
        return _before(first, op)
    return op.results[0]


def check_taken(function: Operation, handled: Collection[str]) -> None:
    """Refuse, at the first such op, XeGPU of a workgroup or of a lane, and ops that are not in `handled`."""
    for op in function.walk():
        _check_level(op)
        if op.name.startswith("xegpu.") and op.name not in handled:
            fail(op, f"'{op.name}' is not lowered to XeVM yet")


def drop_layouts(function: Operation) -> None:
    """Remove the layout attributes of upstream's passes from ops of other dialects, as no later pass reads them."""
    for op in function.walk():
        for name, value in [*op.attributes.items()]:
            if isinstance(value, LayoutAttr | SliceAttr):
                del op.attributes[name]


def together_in(function: Operation) -> Callable[[Operation], str]:
    """Return a function that says what all lanes of a subgroup do together in an op: messages, and shared vectors.

    Vectors that each lane loads for itself are its own.
    """
    own = following(function, is_copied)

    def is_shared_out(value: SSAValue) -> bool:
        if not isa(type := value.type, VectorType):
            return False
        is_made = isinstance(owner := value.owner, Operation) and is_computed(owner)
        return type.get_num_dims() > 1 or not (is_made or value in own)

    def together(op: Operation) -> str:
        if op.name.startswith("xegpu."):
            return "access a tile"
        blocks = (
            r for r in op.results if isa(r.type, VectorType) and r.type.get_num_dims() > 1
        )
        is_one_of_all = any(blocks) or any(map(is_shared_out, op.operands))
        return "hold a vector" if is_one_of_all else ""

    return together


def _check_level(op: Operation) -> None:
    for layout in _layouts(op):
        if layout.is_for_workgroup:
            shares = list(layout.field("sg_layout") or ())
            fail(
                op,
                f"'{op.name}' shares out what a workgroup holds (sg_layout = {shares}); expected XeGPU of one "
                "subgroup, as mlir-opt --xegpu-wg-to-sg-distribute makes it",
            )
    value = _share_of_a_lane(op)
    if value is not None:
        fail(
            op,
            f"'{op.name}' has {value.type}, what one lane holds; expected XeGPU of one subgroup, as it is before "
            "mlir-opt --xegpu-subgroup-distribute",
        )


def _layouts(op: Operation) -> Iterator[LayoutAttr | SliceAttr]:
    types = (value.type for value in (*op.operands, *op.results))
    given: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    given += [type.layout for type in types if isinstance(type, TensorDescType)]
    for value in given:
        if isinstance(value, LayoutAttr | SliceAttr):
            yield value


def _share_of_a_lane(op: Operation) -> SSAValue | None:
    """Return a vector of rank 1 where a subgroup would have all elements of a block, or None."""
    if isinstance(op, DpasOp):
        return op.lhs if vector_type(op.lhs).get_num_dims() == 1 else None
    if not isinstance(op, LoadNdOp | StoreNdOp):
        return None
    type = op.TensorDesc.type
    vector = vector_type(op.value)
    assert isinstance(type, TensorDescType)
    whole = type.element_count() * type.array_length
    return op.value if vector.get_num_dims() == 1 and vector.element_count() < whole else None
