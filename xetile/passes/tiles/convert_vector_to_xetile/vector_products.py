"""Rewrite vector.contract as tile_mma, and vector.outerproduct as the product of a column and a row."""

from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.dialects.vector import BroadcastOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.fast_math import fast_math
from xetile.dialects.upstream.vector import ContractionOp, OuterProductOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileBroadcastOp, TileMMAOp, TileTransposeOp
from xetile.dialects.xetile.compute import multiplies, verify_product_types
from xetile.errors import fail
from xetile.passes.tiles.convert_vector_to_xetile.making import Making
from xetile.rewriting.combining import combined

EXTENSIONS = ("arith.extf", "arith.extsi")
"""Casts that preserve numbers, whose operands matrix instructions may take directly."""


class ConvertContraction(RewritePattern):
    """Multiply matrices, with operands transposed to m x k, k x n and m x n."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ContractionOp):
            return
        if op.kind.data.value != "add":
            fail(op, f"'kind' is {op.kind.data.value}; matrix instructions add products")
        if not isinstance(op.acc.type, VectorType):
            fail(op, f"the result is {op.acc.type}; a product of tiles is a matrix")
        making = Making(op)
        m, n, k = _roles(op)
        lhs, rhs = _narrow(op)
        _check_multiplied(op, lhs, rhs)
        a = _turned(making, lhs, op.maps[0], (m, k))
        b = _turned(making, rhs, op.maps[1], (k, n))
        c = _turned(making, op.acc, op.maps[2], (m, n))
        product = making.add(TileMMAOp(a, b, c))
        if _is_turned(making, op.acc, op.maps[2], (m, n)):
            product = making.add(TileTransposeOp(product))
        result = making.like(product, op.result)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, making.made, [result])


def positions(map: AffineMap) -> list[int]:
    """Return the dimension of the iteration space for each dimension of a vector."""
    return [cast("AffineDimExpr", result).position for result in map.results]


def _roles(op: ContractionOp) -> tuple[int | None, int | None, int | None]:
    """Return the dimensions of the iteration space that are m, n and k; None for an extent of 1."""
    places = [positions(map) for map in op.maps]
    sizes: dict[int, int] = {}
    for found, value in zip(places, (op.lhs, op.rhs, op.acc), strict=True):
        sizes |= dict(zip(found, vector_type(value).get_shape(), strict=True))
    roles: dict[tuple[bool, bool, bool], list[int]] = {}
    in_a, in_b, in_c = places
    for dimension, size in sizes.items():
        where = dimension in in_a, dimension in in_b, dimension in in_c
        if size != 1:
            roles.setdefault(where, []).append(dimension)
    names = {(True, False, True): "m", (False, True, True): "n", (True, True, False): "k"}
    for where, dimensions in roles.items():
        if where not in names:
            shown = ", ".join(f"d{one} of {sizes[one]}" for one in dimensions)
            what = "a batch" if all(where) else "in one operand only"
            fail(
                op,
                f"{shown} is {what}; a product of tiles has m, n and k, others have extent 1",
            )
        if len(dimensions) > 1:
            shown = ", ".join(f"d{one}" for one in dimensions)
            fail(op, f"{shown} are all {names[where]}; a product of tiles has one of each")
    m, n, k = ((roles.get(where) or [None])[0] for where in names)
    return m, n, k


def _is_turned(
    making: Making, value: SSAValue, map: AffineMap, wanted: tuple[int | None, int | None]
) -> bool:
    """Return True if a vector's matrix has rows and columns in the opposite of the wanted order."""
    places = positions(map)
    rows, columns = (None if d is None else places[d] for d in making.dimensions(value))
    first, second = wanted
    return (second is not None and rows == second) or (first is not None and columns == first)


def _turned(
    making: Making, value: SSAValue, map: AffineMap, wanted: tuple[int | None, int | None]
) -> SSAValue:
    turned = _is_turned(making, value, map, wanted)
    matrix = making.matrix(value)
    return making.add(TileTransposeOp(matrix)) if turned else matrix


def _check_multiplied(op: ContractionOp, lhs: SSAValue, rhs: SSAValue) -> None:
    try:
        verify_product_types(*map(vector_type, (lhs, rhs, op.acc)))
    except VerifyException as error:
        fail(op, str(error))


def _narrow(op: ContractionOp) -> tuple[SSAValue, SSAValue]:
    """Return the operands before both were extended if matrix instructions take those, since products are equal."""
    makers = [value.owner for value in (op.lhs, op.rhs)]
    names = {maker.name if isinstance(maker, Operation) else "" for maker in makers}
    if len(names) == 1 and names <= set(EXTENSIONS):
        lhs, rhs = (cast("Operation", maker).operands[0] for maker in makers)
        elements = [str(vector_type(value).element_type) for value in (lhs, rhs, op.acc)]
        if multiplies(*elements):
            return lhs, rhs
    return op.lhs, op.rhs


class ConvertOuterProduct(RewritePattern):
    """Multiply a column by a row element by element, since no matrix instruction has a K of 1."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, OuterProductOp):
            return
        making = Making(op)
        element = vector_type(op.result).element_type
        left, right = _factors(making, op)
        flags = fast_math(op)
        product = making.add(combined("mul", left, right, element, flags))
        if op.acc is not None:
            acc = making.matrix(op.acc)
            product = making.add(combined(op.kind.data.value, product, acc, element, flags))
        result = making.like(product, op.result)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, making.made, [result])


def _factors(making: Making, op: OuterProductOp) -> tuple[SSAValue, SSAValue]:
    row = making.matrix(op.lhs)
    if not isinstance(op.rhs.type, VectorType):
        return row, making.add(BroadcastOp(op.rhs, vector_type(row)))
    column = making.add(TileTransposeOp(row))
    other = making.matrix(op.rhs)
    shape = vector_type(op.result).get_shape()
    type = VectorType(vector_type(op.result).element_type, shape)
    left = making.add(TileBroadcastOp(column, [1], type)) if column.type != type else column
    right = making.add(TileBroadcastOp(other, [0], type)) if other.type != type else other
    return left, right
