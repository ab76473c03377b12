"""Rewrite vectors that are not matrices as matrices of the same elements, wherever they are made or passed on."""

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, VectorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from xetile.analysis.maps.map_words import name_of
from xetile.dialects.upstream.vector import ShapeCastOp
from xetile.dialects.upstream.vector.vector_support import dense, vector_type
from xetile.dialects.xetile import TileTransposeOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.tiles.convert_vector_to_xetile.making import matrix_type
from xetile.rewriting.kept_positions import place

_ELEMENTWISE = ("arith", "math", "scf", "cf")
_LIKEWISE = (
    "vector.broadcast",
    "vector.fma",
    "vector.step",
    "vector.shape_cast",
    "vector.print",
)


def make_matrices(function: Operation) -> None:
    """Give every vector in a function the type of its matrix, and remove casts between equal types.

    Errors: XetileError at ops that cannot do with matrices what they do with vectors.
    """
    for value in _values(function):
        _check_argument(function, value)
    _check_results(function)
    for op in list(function.walk()):
        for value in _values(op):
            _retype(op, value)
    for op in list(function.walk()):
        if isinstance(op, ShapeCastOp):
            _resolve(op)


def _check_results(function: Operation) -> None:
    """Refuse results that callers get as vectors other than those of a tile."""
    type = function.properties.get("function_type")
    results = type.outputs if isinstance(type, FunctionType) else ()
    for one in results:
        if isa(one, VectorType) and matrix_type(one) not in (None, one):
            fail(
                function,
                f"the function returns {one}, and the vector of a tile has rows and columns; "
                f"return {matrix_type(one)}, or write to a memref",
            )


def _values(op: Operation) -> list[SSAValue]:
    blocks: list[Block] = [block for region in op.regions for block in region.blocks]
    return [*op.results, *(argument for block in blocks for argument in block.args)]


def _check_argument(function: Operation, value: SSAValue) -> None:
    """Refuse arguments that callers pass as vectors other than those of a tile."""
    if isa(value.type, VectorType) and matrix_type(value.type) not in (None, value.type):
        fail(
            function,
            f"{name_of(value)} is given as {value.type}, and the vector of a tile has rows and columns; "
            f"make it {matrix_type(value.type)}, or pass a memref",
        )


def _retype(op: Operation, value: SSAValue) -> None:
    if not isa(value.type, VectorType):
        return
    type = matrix_type(value.type)
    if type is None:
        fail(
            op,
            f"{value.type} has more than two dimensions whose extent is not 1; a tile has two",
        )
    if type == value.type:
        return
    if not isinstance(value, BlockArgument) and not _is_alike(op):
        fail(op, f"'{op.name}' gives {value.type}; it cannot give {type}, which a tile has")
    location = value.location if isinstance(value, BlockArgument) else None
    typed = Rewriter.replace_value_with_new_type(value, type)
    if location is not None and isinstance(typed, BlockArgument):
        typed.location = location
    if op.name == "arith.constant":
        found = op.properties["value"]
        assert isinstance(found, DenseIntOrFPElementsAttr)
        op.properties["value"] = dense(type, found.data.data)


def _is_alike(op: Operation) -> bool:
    return op.name.partition(".")[0] in _ELEMENTWISE or op.name in _LIKEWISE


def _resolve(op: ShapeCastOp) -> None:
    """Remove a cast that changes nothing, or replace one between a row and a column by a transpose."""
    source, result = vector_type(op.source), vector_type(op.result)
    if source == result:
        op.result.replace_all_uses_with(op.source)
    elif source.get_shape() == tuple(reversed(result.get_shape())) and 1 in source.get_shape():
        block = op.parent
        assert block is not None
        turned = TileTransposeOp(op.source)
        turned.result.name_hint = op.result.name_hint
        place(turned, op.location)
        block.insert_op_before(turned, op)
        op.result.replace_all_uses_with(turned.result)
    else:
        fail(op, f"{source} cannot become {result} without moving elements between rows")
    op.detach()
    op.erase()
