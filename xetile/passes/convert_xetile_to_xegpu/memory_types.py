"""Elements that XeGPU has no messages for: they are moved as bytes, and their bits taken as what they are.

8-bit floats are the same bits, an index is an i64. An i1 is a byte of memory, true where it is not 0, and stored as 0
or 1.
"""

from xdsl.dialects.builtin import IndexType, VectorType, i1, i8, i64
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.operand_types import FLOATS_8
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BitcastOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.passes.convert_xetile_to_xegpu.constants import repeated
from xetile.rewriting.one_to_many import Expansion


def message_element(type: Attribute) -> Attribute:
    """The type as which messages move elements of a type."""
    if isinstance(type, IndexType):
        return i64
    return i8 if type == i1 or isinstance(type, FLOATS_8) else type


def loaded(view: Expansion, value: SSAValue, element: Attribute) -> SSAValue:
    """What a message loaded, as elements of the tile's type."""
    if element == i1:
        zero = view.new(arith.ConstantOp(repeated(0, _with(value, i8))))
        return view.new(arith.CmpiOp(value, zero, "ne"))
    if isinstance(element, IndexType):
        return view.new(arith.IndexCastOp(value, _with(value, element)))
    return taken_as(view, value, element)


def stored(view: Expansion, value: SSAValue) -> SSAValue:
    """A vector as the elements that a message stores."""
    element = vector_type(value).element_type
    if element == i1:
        return view.new(arith.ExtUIOp(value, _with(value, i8)))
    if isinstance(element, IndexType):
        return view.new(arith.IndexCastOp(value, _with(value, i64)))
    return taken_as(view, value, message_element(element))


def taken_as(view: Expansion, value: SSAValue, element: Attribute) -> SSAValue:
    """The same bits as elements of another type of as many."""
    wanted = _with(value, element)
    return value if value.type == wanted else view.new(BitcastOp(value, wanted))


def _with(value: SSAValue, element: Attribute) -> VectorType[Attribute]:
    return VectorType(element, vector_type(value).get_shape())
