"""Ops of the index and affine dialects rewritten as ops of arith.

    %r = affine.apply affine_map<(d0)[s0] -> (d0 mod 8 + s0)>(%i)[%n]
->
    %0 = arith.constant 8 : index
    %1 = arith.floordivsi %i, %0 : index
    %2 = arith.muli %1, %0 : index
    %3 = arith.subi %i, %2 : index
    %r = arith.addi %3, %n : index
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)
from xdsl.rewriter import Rewriter

from xetile.dialects.upstream import arith
from xetile.rewriting.kept_positions import place
from xetile.rewriting.rewriter import hand_name_on
from xetile.targets.target import INDEX_BITS

Binary = Callable[[SSAValue, SSAValue], Operation]

_BINARY: Mapping[str, Binary] = {
    "index.add": arith.AddiOp,
    "index.sub": arith.SubiOp,
    "index.mul": arith.MuliOp,
    "index.divs": arith.DivSIOp,
    "index.divu": arith.DivUIOp,
    "index.ceildivs": arith.CeilDivSIOp,
    "index.ceildivu": arith.CeilDivUIOp,
    "index.floordivs": arith.FloorDivSIOp,
    "index.rems": arith.RemSIOp,
    "index.remu": arith.RemUIOp,
    "index.maxs": arith.MaxSIOp,
    "index.maxu": arith.MaxUIOp,
    "index.mins": arith.MinSIOp,
    "index.minu": arith.MinUIOp,
    "index.shl": arith.ShLIOp,
    "index.shrs": arith.ShRSIOp,
    "index.shru": arith.ShRUIOp,
    "index.and": arith.AndIOp,
    "index.or": arith.OrIOp,
    "index.xor": arith.XOrIOp,
}

_AFFINE: Mapping[str, Binary] = {
    "affine.apply": arith.AddiOp,  # of one result
    "affine.max": arith.MaxSIOp,
    "affine.min": arith.MinSIOp,
}
"""The ops that join the results of a map."""


def write_in_arith(function: Operation) -> None:
    """Replace a function's ops of index, and those of affine that compute a number, by ops of arith."""
    for op in list(function.walk()):
        made: list[Operation] = []

        def new(added: Operation, made: list[Operation] = made) -> SSAValue:
            made.append(added)
            return added.results[0]

        found = _number(op, new)
        if found is None:
            continue
        for added in made:
            place(added, op.location)
        if found.owner in made:
            hand_name_on(op.results[0], found)
        Rewriter.replace_op(op, made, [found])


New = Callable[[Operation], SSAValue]


def _number(op: Operation, new: New) -> SSAValue | None:
    """Compute the result of an op by new ops and return it, or None for an op of another kind."""
    if op.name in _BINARY:
        return new(_BINARY[op.name](*op.operands))
    if op.name in _AFFINE:
        map = op.properties["map"]
        assert isinstance(map, AffineMapAttr)
        cut = map.data.num_dims
        dimensions, symbols = op.operands[:cut], op.operands[cut:]
        results = [_affine(part, dimensions, symbols, new) for part in map.data.results]
        return reduce(lambda x, y: new(_AFFINE[op.name](x, y)), results)
    return _of_index(op, new) if op.name.startswith("index.") else None


def _of_index(op: Operation, new: New) -> SSAValue | None:
    """Compute an op of the index dialect; few kernels have one, so the dialect is imported with the first."""
    from xetile.dialects.upstream import index

    match op:
        case index.ConstantOp() | index.BoolConstantOp():
            return new(arith.ConstantOp(op.value))
        case index.SizeOfOp():
            return _constant(INDEX_BITS, new)
        case index.CmpOp():
            return new(arith.CmpiOp(op.lhs, op.rhs, op.pred.data.value))
        case index.CastSOp():
            return new(arith.IndexCastOp(op.input, op.output.type))
        case index.CastUOp():
            return new(arith.IndexCastUIOp(op.input, op.output.type))
        case _:
            return None


def _constant(number: int, new: New) -> SSAValue:
    return new(arith.ConstantOp(IntegerAttr(number, IndexType())))


def _affine(
    expression: AffineExpr,
    dimensions: Sequence[SSAValue],
    symbols: Sequence[SSAValue],
    new: New,
) -> SSAValue:
    match expression:
        case AffineConstantExpr(value):
            return _constant(value, new)
        case AffineDimExpr(position):
            return dimensions[position]
        case AffineSymExpr(position):
            return symbols[position]
        case AffineBinaryOpExpr(kind, left, right):
            x, y = (_affine(side, dimensions, symbols, new) for side in (left, right))
            if kind is AffineBinaryOpKind.Mod:
                # never below zero, which a remainder is where the number is
                whole = new(arith.MuliOp(new(arith.FloorDivSIOp(x, y)), y))
                return new(arith.SubiOp(x, whole))
            return new(_ARITHMETIC[kind](x, y))
        case _:
            raise AssertionError(f"unknown expression {expression}")


_ARITHMETIC: Mapping[AffineBinaryOpKind, Binary] = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
}
