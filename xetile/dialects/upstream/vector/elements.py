"""Ops on elements that xDSL 0.75 lacks or keeps in loops; test_vector.py tells until when.

`test_stock_xdsl_refuses` has those that it lacks, `test_stock_traits_are_missing` the
shuffle.
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`; what is refused is what mlir-opt
22 refuses.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, VectorType, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    ParsingState,
    PrintingState,
    TypeDirective,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import Directive, OneType, parse_type_of
from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.arith.support import Foldable
from xetile.dialects.upstream.vector.support import (
    array,
    constant,
    dense,
    element_count,
    replace_alike,
    scalar_bytes,
    vector_of,
    vector_type,
)
from xetile.hints import isa


class _Shuffled(Directive):
    """The types of both vectors; that of the result follows from the first and the length of the mask."""

    v1: TypeDirective
    v2: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        first = parse_type_of(parser, VectorType)
        parser.parse_punctuation(",")
        self.v1.set(state, (first,))
        self.v2.set(state, (parser.parse_type(),))
        mask = state.properties["mask"]
        assert isa(mask, DenseArrayBase[IntegerType])
        self.result.set(state, (_shuffled(first, len(mask)),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_list(op.operand_types, printer.print_attribute)


class _Elements(OneType):
    """The type of a vector, from which those of its elements follow."""

    KIND = VectorType

    vector: TypeDirective
    elements: TypeDirective

    def others(self, type: Attribute) -> Sequence[Sequence[Attribute]]:
        assert isa(type, VectorType)
        return ([type.element_type] * element_count(type),)


class _ComposeShuffles(RewritePattern):
    """A shuffle that takes one shuffle's elements only is one shuffle of what that one takes."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, ShuffleOp):
            return
        mask = op.mask.get_values()
        extent = op.leading_extent(op.v1)
        if all(index < extent for index in mask):
            inner, start = op.v1.owner, 0
        elif op.v1 is op.v2 or all(index < 0 or index >= extent for index in mask):
            inner, start = op.v2.owner, extent
        else:
            return
        if not isinstance(inner, ShuffleOp):
            return
        taken = inner.mask.get_values()
        composed = [-1 if index < 0 else taken[(index - start) % len(taken)] for index in mask]
        replace_alike(rewriter, op, ShuffleOp(inner.v1, inner.v2, composed))


@formatted_op
class ShuffleOp(IRDLOperation, Foldable, HasCanonicalizationPatternsInterface):
    """Entries of two vectors along the leading dimension, counted through both.

    In xDSL 0.75 it may not be speculated, so loops keep it.
    """

    name = "vector.shuffle"

    v1 = operand_def(VectorType)
    v2 = operand_def(VectorType)
    mask = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)

    assembly_format = "$v1 `,` $v2 $mask attr-dict `:` custom<_Shuffled>(type($v1), type($v2), type($result))"
    custom_directives = (_Shuffled,)

    traits = traits_def(Pure())

    def __init__(
        self,
        v1: SSAValue | Operation,
        v2: SSAValue | Operation,
        mask: Sequence[int] | DenseArrayBase[IntegerType],
        *,
        result_type: VectorType | None = None,
    ) -> None:
        indices = mask if isinstance(mask, DenseArrayBase) else array(mask)
        if result_type is None:
            result_type = _shuffled(vector_type(v1), len(indices))
        operands = [SSAValue.get(v1), SSAValue.get(v2)]
        Operation.__init__(
            self, operands=operands, result_types=[result_type], properties={"mask": indices}
        )

    @staticmethod
    def leading_extent(value: SSAValue) -> int:
        """How many entries a vector has along its leading dimension; one where it has rank 0."""
        shape = vector_type(value).get_shape()
        return shape[0] if shape else 1

    def verify_(self) -> None:
        v1, v2 = vector_type(self.v1), vector_type(self.v2)
        mask = self.mask.get_values()
        ranks = len(v1.get_shape()), len(v2.get_shape())
        trailing = v1.get_shape()[1:], v2.get_shape()[1:]
        if (
            v1.element_type != v2.element_type
            or ranks[0] != ranks[1]
            or trailing[0] != trailing[1]
        ):
            raise VerifyException(
                f"'v1' is {v1}, 'v2' is {v2}: they may differ in the leading dimension only"
            )
        if not mask:
            raise VerifyException("'mask' is empty")
        expected = _shuffled(v1, len(mask))
        if self.result.type != expected:
            raise VerifyException(
                f"'result' is {self.result.type}, the shuffled is {expected}"
            )
        limit = self.leading_extent(self.v1) + self.leading_extent(self.v2)
        for position, index in enumerate(mask):
            if not -1 <= index < limit:
                raise VerifyException(
                    f"'mask' has {index} at {position}, it has to lie in [-1, {limit})"
                )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        (v1, v2), result = self.operands, self.results[0]
        mask = [*self.mask.get_values()]
        if v1.type == result.type and mask == [*range(len(mask))]:
            return (v1,)
        start = self.leading_extent(v1)
        if v2.type == result.type and mask == [*range(start, start + len(mask))]:
            return (v2,)
        first, second = constant(v1), constant(v2)
        if first is None or second is None or len(first) == 0:
            return None
        row = len(first.data.data) // start
        data = first.data.data + second.data.data
        taken = b"".join(data[max(i, 0) * row : (max(i, 0) + 1) * row] for i in mask)
        return (dense(vector_type(result), taken),)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_ComposeShuffles(),)


def _shuffled(v1: VectorType, entries: int) -> VectorType:
    return vector_of(v1.element_type, (entries, *v1.get_shape()[1:]))


@formatted_op
class FromElementsOp(IRDLOperation, Foldable):
    """A vector of scalars, row-major."""

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    assembly_format = "$elements attr-dict `:` custom<_Elements>(type($dest), type($elements))"
    custom_directives = (_Elements,)

    traits = traits_def(Pure())

    def __init__(
        self, elements: Sequence[SSAValue | Operation], result_type: VectorType
    ) -> None:
        super().__init__(operands=[elements], result_types=[result_type])

    def verify_(self) -> None:
        dest = vector_type(self.dest)
        if len(self.elements) != element_count(dest):
            raise VerifyException(
                f"'elements' are {len(self.elements)}, {dest} has {element_count(dest)}"
            )
        for element in self.elements:
            if element.type != dest.element_type:
                raise VerifyException(f"'elements' has a {element.type}, the result is {dest}")

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        first = self.elements[0].owner if self.elements else None
        if (
            isinstance(first, ToElementsOp)
            and first.source.type == self.dest.type
            and tuple(self.elements) == tuple(first.elements)
        ):
            return (first.source,)
        data = [scalar_bytes(element) for element in self.elements]
        known = [element for element in data if element is not None]
        if not data or len(known) < len(data):
            return None
        return (dense(vector_type(self.dest), b"".join(known)),)


@formatted_op
class ToElementsOp(IRDLOperation, Foldable):
    """The scalars of a vector, row-major."""

    name = "vector.to_elements"

    source = operand_def(VectorType)
    elements = var_result_def()

    assembly_format = "$source attr-dict `:` custom<_Elements>(type($source), type($elements))"
    custom_directives = (_Elements,)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        source = vector_type(self.source)
        types = tuple(element.type for element in self.elements)
        if types != (source.element_type,) * element_count(source):
            raise VerifyException(
                f"'elements' are {len(types)}, {source} has {element_count(source)} "
                f"of {source.element_type}"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if not isinstance(self.source.owner, FromElementsOp):
            return None
        return tuple(self.source.owner.elements)
