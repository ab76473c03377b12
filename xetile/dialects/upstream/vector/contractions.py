"""Reductions, products and vector.mask; xDSL 0.75 lacks them or never removes them (three tests fail once it does).

The tests are test_vector.py (reductions), test_contractions.py and test_masking.py.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`, `mlir/lib/Dialect/Vector/IR/VectorOps.cpp` and
`mlir/Dialect/Vector/Interfaces/MaskableOpInterface.td`; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerType,
    StringAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import (
    CombiningKindAttr,
    CombiningKindFlag,
    TransferReadOp,
    TransferWriteOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.bases import verify_is
from xetile.dialects.upstream.vector.vector_memory import GatherOp
from xetile.dialects.upstream.vector.vector_support import array, vector_type

_ONLY_FLOATS = ("minnumf", "maxnumf", "minimumf", "maximumf")
_ANY = ("add", "mul")


@formatted_op
class ReductionOp(IRDLOperation):
    """All elements of a vector of rank 1, and an accumulator, combined.

    In xDSL 0.75 it has no traits, and its constructor gives the result the vector's type.
    """

    name = "vector.reduction"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    acc = opt_operand_def(T)
    kind = prop_def(CombiningKindAttr)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    dest = result_def(T)

    assembly_format = (
        "$kind `,` $vector (`,` $acc^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($vector)"
        " `into` type($dest)"
    )

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source = vector_type(self.vector)
        if len(source.get_shape()) > 1:
            raise VerifyException(f"'vector' is {source}, its rank has to be 1")
        kind = self.kind.data.value
        is_float = isinstance(source.element_type, AnyFloat)
        if kind not in _ANY and is_float != (kind in _ONLY_FLOATS):
            raise VerifyException(
                f"'kind' is {kind}, which does not combine {source.element_type}"
            )


@formatted_op
class MultiReductionOp(IRDLOperation):
    """The elements along some dimensions, and an accumulator, combined."""

    name = "vector.multi_reduction"

    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType)
    acc = operand_def(T)
    kind = prop_def(CombiningKindAttr)
    reduction_dims = prop_def(DenseArrayBase.constr(i64))
    dest = result_def(T)

    assembly_format = "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)"

    traits = traits_def(Pure())

    def __init__(
        self,
        kind: CombiningKindAttr | str,
        source: SSAValue | Operation,
        acc: SSAValue | Operation,
        reduction_dims: Sequence[int],
    ) -> None:
        if isinstance(kind, str):
            kind = CombiningKindAttr(CombiningKindFlag(kind))
        super().__init__(
            operands=[source, acc],
            result_types=[_reduced(vector_type(source), reduction_dims)],
            properties={"kind": kind, "reduction_dims": array(reduction_dims)},
        )

    def verify_(self) -> None:
        source = vector_type(self.source)
        expected = _reduced(source, self.reduction_dims.get_values())
        if self.dest.type != expected:
            dims = list(self.reduction_dims.get_values())
            raise VerifyException(
                f"'dest' is {self.dest.type}, {source} without dimensions {dims} is {expected}"
            )


def _reduced(source: VectorType, reduction_dims: Sequence[int]) -> Attribute:
    kept = [d for d in range(len(source.get_shape())) if d not in reduction_dims]
    if not kept and source.get_shape():
        return source.element_type
    scalable = source.scalable_dims.data
    return VectorType(
        source.element_type,
        [source.get_shape()[d] for d in kept],
        type(source.scalable_dims)([scalable[d] for d in kept]),
    )


_ADD = CombiningKindAttr(CombiningKindFlag.ADD)


Iterator = StrEnum("Iterator", "PARALLEL REDUCTION")
"""The kind of a dimension of a contraction's iteration space."""


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
        """The kind of each dimension of the iteration space."""
        return tuple(one.data for one in self.iterator_types)

    @property
    def extents(self) -> dict[int, int]:
        """The extents of the iteration space by dimension, which all vectors agree in."""
        found: dict[int, int] = {}
        for name, map, type in zip(
            ("lhs", "rhs", "acc"),
            self.maps,
            (self.lhs.type, self.rhs.type, self.acc.type),
            strict=True,
        ):
            shape = type.get_shape() if isinstance(type, VectorType) else ()
            if map.num_dims != len(self.iterators) or len(map.results) != len(shape):
                raise VerifyException(
                    f"the map of '{name}' goes from {map.num_dims} dimensions to {len(map.results)}; there are "
                    f"{len(self.iterators)} iterators, and {type} has {len(shape)} dimensions"
                )
            for result, extent in zip(map.results, shape, strict=True):
                if not isinstance(result, AffineDimExpr):
                    raise VerifyException(
                        f"the map of '{name}' has {result}, expected dimensions"
                    )
                if found.setdefault(result.position, extent) != extent:
                    raise VerifyException(
                        f"dimension {result.position} has extent {extent} in '{name}', "
                        f"{found[result.position]} before"
                    )
        return found

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
        verify_is("result", self.result.type, expected)
        if self.acc is not None:
            verify_is("acc", self.acc.type, expected)
        if not isinstance(expected.element_type, AnyFloat | IntegerType | IndexType):
            raise VerifyException(f"{expected.element_type} has no products")


def _outer(lhs: SSAValue, rhs: SSAValue) -> VectorType:
    one = vector_type(lhs)
    shape = list(one.get_shape())
    if isinstance(rhs.type, VectorType):
        shape += vector_type(rhs).get_shape()
    return VectorType(one.element_type, shape)


Transfer = TransferReadOp | TransferWriteOp


@formatted_op
class YieldOp(IRDLOperation):
    """The terminator that yields the results of an op with a region, such as `vector.mask`."""

    name = "vector.yield"

    arguments = var_operand_def()

    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, arguments: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[arguments])


@irdl_op_definition
class MaskOp(IRDLOperation):
    """The op inside, of which the elements count where the mask is true.

    `vector.mask %m, %otherwise { vector.transfer_read ... } : vector<8x16xi1> -> vector<8x16xf32>`
    """

    name = "vector.mask"

    mask = operand_def(VectorType.constr(i1))
    passthru = opt_operand_def(VectorType)
    body = region_def("single_block")
    masked_results = var_result_def()

    traits = traits_def(RecursiveMemoryEffect())

    @property
    def masked(self) -> Operation | None:
        """The op that is masked, unless the region only hands values on."""
        first = self.body.block.first_op
        return None if isinstance(first, YieldOp) else first

    @classmethod
    def parse(cls, parser: Parser) -> "MaskOp":
        names = [parser.parse_unresolved_operand()]
        if parser.parse_optional_punctuation(",") is not None:
            names.append(parser.parse_unresolved_operand())
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        mask = parser.parse_type()
        results = [parser.parse_type()] if parser.parse_optional_punctuation("->") else []
        values = [parser.resolve_operand(names[0], mask)]
        if names[1:]:
            if not results:
                parser.raise_error("expected '->' and the type of what is passed through")
            values.append(parser.resolve_operand(names[1], results[0]))
        _end(body)
        return cls.create(
            operands=values, result_types=results, attributes=attributes, regions=[body]
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" { ")
        inside = self.masked or self.body.block.last_op
        if inside is not None:
            # the result of the op inside has no name: what ends the region stays unsaid
            printer.print_string(inside.name)
            inside.print(printer)
        printer.print_string(" }")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.mask.type)
        if self.masked_results:
            printer.print_string(" -> ")
            printer.print_list(self.masked_results.types, printer.print_attribute)

    def verify_(self) -> None:
        ops = list(self.body.block.ops)
        if self.body.block.args:
            raise VerifyException("the region has arguments, expected none")
        if not ops or not isinstance(ops[-1], YieldOp):
            raise VerifyException("the region does not end with vector.yield")
        given = ops[-1].arguments
        if given.types != self.masked_results.types:
            raise VerifyException(
                f"the region yields {_shown(given)}, the results are {_shown(self.masked_results)}"
            )
        if len(ops) > 2:
            raise VerifyException(f"the region has {len(ops) - 1} ops to mask, expected one")
        masked = self.masked
        if masked is None:
            return
        if tuple(given) != tuple(masked.results):
            raise VerifyException(f"the region does not yield what '{masked.name}' gives")
        wanted = mask_shape(masked)
        if wanted is None:
            raise VerifyException(
                f"'{masked.name}' has no masked form; these have: {', '.join(_MASKABLE)}"
            )
        if vector_type(self.mask).get_shape() != wanted:
            raise VerifyException(
                f"'mask' is {self.mask.type}, expected {VectorType(i1, wanted)} for '{masked.name}'"
            )
        if self.passthru is not None and not isinstance(masked, TransferReadOp):
            raise VerifyException(
                f"'{masked.name}' passes nothing through, only vector.transfer_read does"
            )
        if self.passthru is not None:
            verify_is("passthru", self.passthru.type, self.masked_results[0].type)


_MASKABLE = (
    *("vector.transfer_read", "vector.transfer_write", "vector.gather"),
    *("vector.contract", "vector.outerproduct", "vector.multi_reduction", "vector.reduction"),
)


def _end(body: Region) -> None:
    """Yield what the last op gives, where the text does not say so."""
    if not body.blocks:
        body.add_block(Block())
    block = body.blocks[-1]
    last = block.last_op
    if not isinstance(last, YieldOp):
        block.add_op(YieldOp(last.results if last is not None else ()))


def _shown(values: Sequence[SSAValue]) -> str:
    return ", ".join(str(value.type) for value in values) or "nothing"


def mask_shape(op: Operation) -> tuple[int, ...] | None:
    """The extents of an op's mask; None where it has no masked form."""
    match op:
        case TransferReadOp() | TransferWriteOp():
            return _of_transfer(op)
        case ContractionOp():
            return tuple(op.extents[d] for d in sorted(op.extents))
        case OuterProductOp():
            return tuple(vector_type(op.result).get_shape())
        case MultiReductionOp():
            return tuple(vector_type(op.source).get_shape())
        case ReductionOp():
            return tuple(vector_type(op.operands[0]).get_shape())
        case GatherOp():
            return tuple(vector_type(op.indices).get_shape())
        case _:
            return None


def mask_dimensions(op: Transfer) -> list[int]:
    """For each dimension of a transfer's mask, which has those of the memref in their order, the vector's."""
    found = [
        (result.position, dimension)
        for dimension, result in enumerate(op.permutation_map.data.results)
        if isinstance(result, AffineDimExpr)
    ]
    return [dimension for _, dimension in sorted(found)]


def _of_transfer(op: Transfer) -> tuple[int, ...]:
    vector = op.result if isinstance(op, TransferReadOp) else op.vector
    shape = vector_type(cast(SSAValue, vector)).get_shape()
    return tuple(shape[d] for d in mask_dimensions(op))
