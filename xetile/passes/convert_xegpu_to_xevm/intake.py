"""What XeGPU this pass takes: that of one subgroup, with 2D block messages and matrix products.

Layouts for instructions and lanes are advice: results do not depend on them, and they are dropped.
"""

from collections.abc import Callable, Collection, Iterator

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.dependence import following
from xetile.dialects.upstream.vector.support import vector_type
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
from xetile.planning.layout_rules import is_computed, is_copied


def check_taken(function: Operation, handled: Collection[str]) -> None:
    """Refuse, at the first op, XeGPU of a workgroup or of a lane, and ops that are not in `handled`."""
    for op in function.walk():
        _check_level(op)
        if op.name.startswith("xegpu.") and op.name not in handled:
            fail(op, f"'{op.name}' is not lowered to XeVM yet")


def drop_layouts(function: Operation) -> None:
    """Take away what upstream's passes wrote on ops of other dialects: below, nothing reads it."""
    for op in function.walk():
        for name, value in [*op.attributes.items()]:
            if isinstance(value, LayoutAttr | SliceAttr):
                del op.attributes[name]


def together_in(function: Operation) -> Callable[[Operation], str]:
    """What the lanes of a subgroup do together in an op: messages, and all with vectors that they share out.

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
    """A vector of rank 1 where a subgroup would have all elements of a block."""
    if isinstance(op, DpasOp):
        return op.lhs if vector_type(op.lhs).get_num_dims() == 1 else None
    if not isinstance(op, LoadNdOp | StoreNdOp):
        return None
    type = op.TensorDesc.type
    vector = vector_type(op.value)
    assert isinstance(type, TensorDescType)
    whole = type.element_count() * type.array_length
    return op.value if vector.get_num_dims() == 1 and vector.element_count() < whole else None
