"""Products of vectors, which xDSL 0.75 lacks: `test_stock_xdsl_refuses` in test_contractions.py tells until when.

Source: `llvm 22.1.8 mlir/include/mlir/Dialect/Vector/IR/VectorOps.td` and `mlir/lib/Dialect/Vector/IR/VectorOps.cpp`;
what is refused is what mlir-opt 22 refuses.
"""

from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.upstream.vector.support import vector_type

_ADD = CombiningKindAttr(CombiningKindFlag.ADD)


class Iterator(StrEnum):
    """What is done along a dimension of a contraction's iteration space."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class IteratorTypeAttr(EnumAttribute[Iterator]):
    """`#vector.iterator_type<parallel>`."""

    name = "vector.iterator_type"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Iterator:
        with parser.in_angle_brackets():
            return Iterator(parser.parse_identifier())


@irdl_op_definition
class ContractionOp(IRDLOperation):
    """Products of elements of two vectors, summed along reduction dimensions and added to a third value.

    `%d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %a, %b, %c : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>`: the maps go
    from the iteration space to the dimensions of A, B and the accumulator.
    """

    name = "vector.contract"

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = operand_def()
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])
    iterator_types = prop_def(ArrayAttr[IteratorTypeAttr])
    kind = prop_def(CombiningKindAttr, default_value=_ADD)
    result = result_def()

    traits = traits_def(Pure())

    @property
    def maps(self) -> tuple[AffineMap, ...]:
        """From the iteration space to the dimensions of A, B and the accumulator."""
        return tuple(map.data for map in self.indexing_maps)

    @property
    def iterators(self) -> tuple[Iterator, ...]:
        """What is done along each dimension of the iteration space."""
        return tuple(one.data for one in self.iterator_types)

    @property
    def extents(self) -> dict[int, int]:
        """The extents of the iteration space by dimension, which all vectors agree in."""
        return _extents(self)

    @classmethod
    def parse(cls, parser: Parser) -> "ContractionOp":
        start = parser.pos
        dictionary = parser.parse_attribute()
        if not isinstance(dictionary, DictionaryAttr):
            parser.raise_error("expected a dictionary of maps and iterators", start)
        entries = dict(dictionary.data)
        properties = {
            "indexing_maps": entries.pop("indexing_maps", None),
            "iterator_types": _iterators(entries.pop("iterator_types", None)),
            "kind": entries.pop("kind", _ADD),
        }
        for name, found in properties.items():
            if found is None:
                parser.raise_error(f"expected '{name}' in the dictionary", start)
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        entries |= parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_keyword("into")
        result = parser.parse_type()
        if len(operands) != 3 or len(types) != 2:
            parser.raise_error(
                f"expected 3 operands and 2 types before 'into', found {len(operands)} and {len(types)}",
                start,
            )
        values = parser.resolve_operands(operands, [*types, result], start)
        return cls.create(
            operands=values,
            result_types=[result],
            properties=cast("dict[str, Attribute]", properties),
            attributes=entries,
        )

    def print(self, printer: Printer) -> None:
        words = ArrayAttr([StringAttr(one.data) for one in self.iterator_types])
        entries = {
            "indexing_maps": self.indexing_maps,
            "iterator_types": words,
            "kind": self.kind,
        }
        printer.print_string(" ")
        printer.print_attribute(DictionaryAttr(entries))
        printer.print_string(" ")
        printer.print_list((self.lhs, self.rhs, self.acc), printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list((self.lhs.type, self.rhs.type), printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        if len(self.maps) != 3:
            raise VerifyException(f"'indexing_maps' has {len(self.maps)} maps, expected 3")
        extents = self.extents
        for place, iterator in enumerate(self.iterators):
            kept = AffineDimExpr(place) in self.maps[2].results
            if (iterator is Iterator.PARALLEL) != kept and place in extents:
                what = "is" if kept else "is not"
                raise VerifyException(
                    f"dimension {place} is {iterator}, and {what} one of the accumulator's map"
                )
        if self.result.type != self.acc.type:
            raise VerifyException(
                f"the result is {self.result.type}, the accumulator {self.acc.type}"
            )


def _iterators(given: Attribute | None) -> Attribute | None:
    """Words as the attributes that they are short for."""
    if not isinstance(given, ArrayAttr):
        return given
    entries = cast("ArrayAttr[Attribute]", given)
    return ArrayAttr(
        [
            IteratorTypeAttr(Iterator(one.data)) if isinstance(one, StringAttr) else one
            for one in entries
        ]
    )


def _extents(op: ContractionOp) -> dict[int, int]:
    """The extents of the iteration space, which all vectors agree in."""
    found: dict[int, int] = {}
    for name, map, type in zip(
        ("lhs", "rhs", "acc"), op.maps, (op.lhs.type, op.rhs.type, op.acc.type), strict=True
    ):
        shape = type.get_shape() if isinstance(type, VectorType) else ()
        if map.num_dims != len(op.iterators) or len(map.results) != len(shape):
            raise VerifyException(
                f"the map of '{name}' goes from {map.num_dims} dimensions to {len(map.results)}; there are "
                f"{len(op.iterators)} iterators, and {type} has {len(shape)} dimensions"
            )
        for result, extent in zip(map.results, shape, strict=True):
            if not isinstance(result, AffineDimExpr):
                raise VerifyException(f"the map of '{name}' has {result}, expected dimensions")
            if found.setdefault(result.position, extent) != extent:
                raise VerifyException(
                    f"dimension {result.position} has extent {extent} in '{name}', "
                    f"{found[result.position]} before"
                )
    return found


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """Products of each element of one vector with each of another, or with one number; added to a third vector.

    `%d = vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} : vector<64xf32>, vector<32xf32>`.
    """

    name = "vector.outerproduct"

    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def(VectorType)
    kind = prop_def(CombiningKindAttr, default_value=_ADD)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> "OuterProductOp":
        start = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        entries = parser.parse_optional_attr_dict()
        kind = entries.pop("kind", _ADD)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if not 2 <= len(operands) <= 3 or len(types) != 2:
            parser.raise_error(
                f"expected 2 or 3 operands and 2 types, found {len(operands)} and {len(types)}",
                start,
            )
        if not isinstance(types[0], VectorType):
            parser.raise_error(f"expected a vector first, found {types[0]}", start)
        if not isinstance(kind, CombiningKindAttr):
            parser.raise_error(
                f"'kind' is {kind}, expected one such as #vector.kind<add>", start
            )
        lhs, rhs = parser.resolve_operands(operands[:2], types, start)
        acc = parser.resolve_operands(
            operands[2:], [_outer(lhs, rhs)] * (len(operands) - 2), start
        )
        return cls(
            operands=[lhs, rhs, acc],
            result_types=[_outer(lhs, rhs)],
            properties={"kind": kind},
            attributes=entries,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        entries = dict(self.attributes) | ({"kind": self.kind} if self.acc is not None else {})
        printer.print_op_attributes(entries)
        printer.print_string(" : ")
        printer.print_list((self.lhs.type, self.rhs.type), printer.print_attribute)

    def verify_(self) -> None:
        expected = _outer(self.lhs, self.rhs)
        for name, value in (("result", self.result), ("acc", self.acc)):
            if value is not None and value.type != expected:
                raise VerifyException(f"'{name}' is {value.type}, expected {expected}")
        if not isinstance(expected.element_type, AnyFloat | IntegerType | IndexType):
            raise VerifyException(f"{expected.element_type} has no products")


def _outer(lhs: SSAValue, rhs: SSAValue) -> VectorType:
    one = vector_type(lhs)
    shape = list(one.get_shape())
    if isinstance(rhs.type, VectorType):
        shape += vector_type(rhs).get_shape()
    return VectorType(one.element_type, shape)
