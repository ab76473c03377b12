"""Ops of older MLIR that mlir-opt 22 no longer has: read, and printed as what they became.

Source: `llvm 19.1 mlir/Dialect/Vector/IR/VectorOps.td` (vector.splat, extractelement, insertelement).
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.dialects.vector import BroadcastOp, ExtractOp, InsertOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser

from xetile.dialects.directives import parse_type_of
from xetile.dialects.renamed import Parts, Renamed


class _Older(Renamed):
    """An op of one result, without properties, regions and successors."""

    @classmethod
    def become(cls, parts: Parts) -> Operation:
        if len(parts.result_types) != 1:
            raise ValueError(f"{cls.name} has one result, found {len(parts.result_types)}")
        for what, found in (
            ("properties", parts.properties),
            ("regions", parts.regions),
            ("successors", parts.successors),
        ):
            if found:
                raise ValueError(f"{cls.name} has no {what}, found {len(found)}")
        made = cls.today(parts.operands, parts.result_types[0])
        made.attributes |= parts.attributes
        return made

    @classmethod
    @abstractmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        """The op of today."""


class SplatOp(_Older):
    """`%v = vector.splat %a : vector<8x16xf32>`."""

    name = "vector.splat"

    @classmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        return BroadcastOp.create(operands=operands, result_types=[result])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        element = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = _parse_vector(parser)
        value = parser.resolve_operand(element, type.element_type)
        return cls.create(operands=[value], result_types=[type], attributes=attributes)


class ExtractElementOp(_Older):
    """`%e = vector.extractelement %v[%i : index] : vector<8xf32>`."""

    name = "vector.extractelement"

    @classmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        vector, *position = operands
        return ExtractOp(vector, position, result)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        vector = parser.parse_unresolved_operand()
        position = _parse_position(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = _parse_vector(parser)
        operands = [parser.resolve_operand(vector, type), *position]
        return cls.create(
            operands=operands, result_types=[type.element_type], attributes=attributes
        )


class InsertElementOp(_Older):
    """`%w = vector.insertelement %e, %v[%i : index] : vector<8xf32>`."""

    name = "vector.insertelement"

    @classmethod
    def today(cls, operands: Sequence[SSAValue], result: Attribute) -> Operation:
        element, vector, *position = operands
        return InsertOp(element, vector, position)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        element = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        vector = parser.parse_unresolved_operand()
        position = _parse_position(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = _parse_vector(parser)
        operands = [
            parser.resolve_operand(element, type.element_type),
            parser.resolve_operand(vector, type),
            *position,
        ]
        return cls.create(operands=operands, result_types=[type], attributes=attributes)


def _parse_vector(parser: Parser) -> VectorType[Attribute]:
    return parse_type_of(parser, VectorType)


def _parse_position(parser: Parser) -> Sequence[SSAValue]:
    """Read `[%i : index]`, or `[]` for a vector of rank 0."""

    def entry() -> SSAValue:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        start, type = parser.pos, parser.parse_type()
        if type != IndexType():
            parser.raise_error(
                f"the position is {type}; expected index (arith.index_cast makes one)",
                start,
                parser.pos,
            )
        return parser.resolve_operand(name, type)

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, entry)
