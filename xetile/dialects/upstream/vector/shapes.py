"""Ops that take parts of vectors or change their shape.

Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, VectorType, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.vector.support import (
    INTEGERS,
    array,
    constant,
    dense,
    element_count,
    integer_values,
    integers,
    replace_alike,
    splat_of,
    vector_type,
)


class _ComposeSlices(RewritePattern):
    """A slice of a slice is one slice of the first vector."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ExtractStridedSliceOp):
            return
        inner = op.source.owner
        if not isinstance(inner, ExtractStridedSliceOp):
            return
        rank = max(len(op.offsets), len(inner.offsets))
        outer_offsets = (*integer_values(op.offsets), *[0] * (rank - len(op.offsets)))
        inner_offsets = (*integer_values(inner.offsets), *[0] * (rank - len(inner.offsets)))
        offsets = [a + b for a, b in zip(outer_offsets, inner_offsets, strict=True)]
        sizes = vector_type(op.result).get_shape()[:rank]
        replace_alike(rewriter, op, ExtractStridedSliceOp(inner.source, offsets, sizes))


@irdl_op_definition
class ExtractStridedSliceOp(
    IRDLOperation, HasFolderInterface, HasCanonicalizationPatternsInterface
):
    """The box of a vector that begins at `offsets`; dimensions that are not named stay whole."""

    name = "vector.extract_strided_slice"

    source = operand_def(VectorType)
    offsets = prop_def(INTEGERS)
    sizes = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        offsets: Sequence[int],
        sizes: Sequence[int],
    ) -> None:
        whole = vector_type(source)
        shape = (*sizes, *whole.get_shape()[len(sizes) :])
        super().__init__(
            operands=[source],
            result_types=[VectorType(whole.element_type, shape, whole.scalable_dims)],
            properties={
                "offsets": integers(offsets),
                "sizes": integers(sizes),
                "strides": integers([1] * len(offsets)),
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "ExtractStridedSliceOp":
        """Read `%source {offsets = [...], sizes = [...], strides = [...]} : type to type`."""
        source = parser.parse_unresolved_operand()
        properties, attributes = _parse_integers(parser, ("offsets", "sizes", "strides"))
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("to")
        return cls.create(
            operands=[parser.resolve_operand(source, source_type)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        _print_integers(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """The box lies in the vector, and the result has its shape."""
        source = vector_type(self.source)
        offsets, sizes = integer_values(self.offsets), integer_values(self.sizes)
        if not len(offsets) == len(sizes) == len(self.strides):
            raise VerifyException(
                f"'offsets', 'sizes' and 'strides' have {len(offsets)}, {len(sizes)} and "
                f"{len(self.strides)} entries, they have to have equally many"
            )
        _verify_box(source, offsets, sizes)
        _verify_strides(integer_values(self.strides))
        shape = (*sizes, *source.get_shape()[len(sizes) :])
        expected = VectorType(source.element_type, shape, source.scalable_dims)
        if self.result.type != expected:
            raise VerifyException(f"'result' is {self.result.type}, the slice is {expected}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The whole vector is the vector; a part of a splat is a splat."""
        if self.attributes:
            return None
        if self.source.type == self.result.type:
            return (self.source,)
        folded = splat_of(self.source, self.result.type)
        return None if folded is None else (folded,)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Compose slices."""
        return (_ComposeSlices(),)


@irdl_op_definition
class InsertStridedSliceOp(IRDLOperation, HasFolderInterface):
    """A vector with a box of it, which begins at `offsets`, overwritten."""

    name = "vector.insert_strided_slice"

    source = operand_def(VectorType)
    dest = operand_def(VectorType)
    offsets = prop_def(INTEGERS)
    strides = prop_def(INTEGERS)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        dest: SSAValue | Operation,
        offsets: Sequence[int],
    ) -> None:
        super().__init__(
            operands=[source, dest],
            result_types=[vector_type(dest)],
            properties={
                "offsets": integers(offsets),
                "strides": integers([1] * len(vector_type(source).get_shape())),
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "InsertStridedSliceOp":
        """Read `%source, %dest {offsets = [...], strides = [...]} : type into type`."""
        source = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dest = parser.parse_unresolved_operand()
        properties, attributes = _parse_integers(parser, ("offsets", "strides"))
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("into")
        dest_type = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(source, source_type),
                parser.resolve_operand(dest, dest_type),
            ],
            result_types=[dest_type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        _print_integers(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" into ")
        printer.print_attribute(self.dest.type)

    def verify_(self) -> None:
        """The box lies in the destination."""
        source, dest = vector_type(self.source), vector_type(self.dest)
        offsets = integer_values(self.offsets)
        ranks = len(source.get_shape()), len(dest.get_shape())
        if len(offsets) != ranks[1]:
            raise VerifyException(
                f"'offsets' has {len(offsets)} entries, 'dest' has rank {ranks[1]}"
            )
        if len(self.strides) != ranks[0]:
            raise VerifyException(
                f"'strides' has {len(self.strides)} entries, 'source' has rank {ranks[0]}"
            )
        if ranks[0] > ranks[1]:
            raise VerifyException(f"'source' has rank {ranks[0]}, 'dest' has rank {ranks[1]}")
        if source.element_type != dest.element_type:
            raise VerifyException(f"'source' is {source}, 'dest' is {dest}")
        if self.result.type != dest:
            raise VerifyException(f"'result' is {self.result.type}, 'dest' is {dest}")
        _verify_strides(integer_values(self.strides))
        missing = ranks[1] - ranks[0]
        _verify_box(dest, offsets, (*[1] * missing, *source.get_shape()))

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A vector that is overwritten wholly is the source."""
        if self.attributes:
            return None
        return (self.source,) if self.source.type == self.dest.type else None


class _ComposeShapeCasts(RewritePattern):
    """A cast of a cast is one cast."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ShapeCastOp) or not isinstance(op.source.owner, ShapeCastOp):
            return
        first = op.source.owner.source
        if first.type == op.result.type and not op.attributes:
            rewriter.replace(op, [], [first])
        else:
            replace_alike(rewriter, op, ShapeCastOp(first, vector_type(op.result)))


@irdl_op_definition
class ShapeCastOp(IRDLOperation, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """The same elements in the same row-major order, in another shape."""

    name = "vector.shape_cast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation, result_type: VectorType) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        """Source and result have the same elements."""
        source, result = vector_type(self.source), vector_type(self.result)
        if source.element_type != result.element_type:
            raise VerifyException(f"'result' is {result}, 'source' is {source}")
        if element_count(source) != element_count(result):
            raise VerifyException(
                f"'result' has {element_count(result)} elements, "
                f"'source' has {element_count(source)}"
            )
        if source.get_num_scalable_dims() != result.get_num_scalable_dims():
            raise VerifyException(
                f"'result' is {result}, it has to have the scalable dimensions of {source}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A cast to the same type is nothing; a constant takes the shape."""
        if self.attributes:
            return None
        if self.source.type == self.result.type:
            return (self.source,)
        value = constant(self.source)
        if value is None or vector_type(self.result).get_num_scalable_dims():
            return None
        return (dense(vector_type(self.result), value.data.data),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Compose casts."""
        return (_ComposeShapeCasts(),)


class _ComposeTransposes(RewritePattern):
    """A transposition of a transposition is one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, TransposeOp) or not isinstance(op.vector.owner, TransposeOp):
            return
        inner = op.vector.owner.permutation.get_values()
        composed = [inner[dimension] for dimension in op.permutation.get_values()]
        replace_alike(rewriter, op, TransposeOp(op.vector.owner.vector, composed))


@irdl_op_definition
class TransposeOp(IRDLOperation, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """Dimension d of the result is dimension permutation[d] of the vector."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, vector: SSAValue | Operation, permutation: Sequence[int]) -> None:
        super().__init__(
            operands=[vector],
            result_types=[_transposed(vector_type(vector), permutation)],
            properties={"permutation": array(permutation)},
        )

    def verify_(self) -> None:
        """The permutation is one, and the result has the permuted shape."""
        source = vector_type(self.vector)
        permutation = self.permutation.get_values()
        if sorted(permutation) != list(range(len(source.get_shape()))):
            raise VerifyException(
                f"'permutation' is {list(permutation)}, it has to have every dimension of "
                f"{source} once"
            )
        expected = _transposed(source, permutation)
        if self.result.type != expected:
            raise VerifyException(f"'result' is {self.result.type}, the transposed is {expected}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The identity is nothing; a splat stays a splat."""
        if self.attributes:
            return None
        if list(self.permutation.get_values()) == list(range(len(self.permutation))):
            return (self.vector,)
        folded = splat_of(self.vector, self.result.type)
        return None if folded is None else (folded,)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Compose transpositions."""
        return (_ComposeTransposes(),)


def _transposed(source: VectorType, permutation: Sequence[int]) -> VectorType:
    shape, scalable = source.get_shape(), source.scalable_dims.data
    return VectorType(
        source.element_type,
        [shape[dimension] for dimension in permutation],
        type(source.scalable_dims)([scalable[dimension] for dimension in permutation]),
    )


def _verify_box(whole: VectorType, offsets: Sequence[int], sizes: Sequence[int]) -> None:
    shape = whole.get_shape()
    if len(offsets) > len(shape):
        raise VerifyException(
            f"'offsets' has {len(offsets)} entries, {whole} has rank {len(shape)}"
        )
    for dimension, (offset, size, extent) in enumerate(zip(offsets, sizes, shape, strict=False)):
        if offset < 0 or size < 1 or offset + size > extent:
            raise VerifyException(
                f"'offsets' and the slice's size in dimension {dimension} are {offset} and {size}, "
                f"they have to lie in [0, {extent})"
            )


def _verify_strides(strides: Sequence[int]) -> None:
    if any(stride != 1 for stride in strides):
        raise VerifyException(f"'strides' is {list(strides)}, every stride has to be 1")


def _parse_integers(
    parser: Parser, names: Sequence[str]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The attribute dictionary, with the properties apart."""
    attributes = parser.parse_optional_attr_dict()
    properties = {name: attributes.pop(name) for name in names if name in attributes}
    return properties, attributes


def _print_integers(printer: Printer, operation: Operation) -> None:
    """The attribute dictionary; the i64 of the properties stays unsaid, as mlir-opt has it."""
    entries = sorted((operation.properties | operation.attributes).items())

    def print_entry(entry: tuple[str, Attribute]) -> None:
        name, value = entry
        printer.print_identifier_or_string_literal(name)
        if name in operation.properties and INTEGERS.verifies(value):
            printer.print_string(f" = [{', '.join(map(str, integer_values(value)))}]")
        elif not isinstance(value, UnitAttr):
            printer.print_string(" = ")
            printer.print_attribute(value)

    printer.print_string(" ")
    with printer.in_braces():
        printer.print_list(entries, print_entry)
