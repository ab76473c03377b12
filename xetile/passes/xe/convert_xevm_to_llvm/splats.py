"""Chunks of one scalar: made, and found again."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, SSAValue

from xetile.passes.xe.convert_xevm_to_llvm.types import chunk_type, width
from xetile.passes.xe.convert_xevm_to_llvm.view import LLVMView


def splat(view: LLVMView, scalar: SSAValue, element: Attribute, count: int) -> SSAValue:
    """A chunk of one scalar."""
    if count == 1:
        return scalar
    type = chunk_type(element, count)
    zero = view.i32(0)
    first = view.new(llvm.InsertElementOp(view.undefined(type), scalar, zero))
    mask = DenseArrayBase.from_list(i32, [0] * count)
    return view.new(llvm.ShuffleVectorOp(first, first, mask, type))


def recast_part(view: LLVMView, part: SSAValue, element: Attribute, count: int) -> SSAValue:
    """A chunk's bits as a chunk of so many other elements; of one scalar it is that scalar's, as many times.

    IGC keeps a chunk of which it takes the bits as a whole, in as many registers as it has elements.
    """
    type = chunk_type(element, count)
    if part.type == type:
        return part
    scalar = _repeated(part)
    if scalar is None or width(part) != count:
        return view.new(llvm.BitcastOp(part, type))
    return splat(view, view.new(llvm.BitcastOp(scalar, element)), element, count)


def _repeated(part: SSAValue) -> SSAValue | None:
    """The scalar of which `splat` made a chunk."""
    shuffle = part.owner
    if not isinstance(shuffle, llvm.ShuffleVectorOp) or any(shuffle.mask.get_values()):
        return None
    first = shuffle.v1.owner
    return first.value if isinstance(first, llvm.InsertElementOp) else None
