"""The vector dialect: xDSL's, with what it lacks; test/unit/dialects/upstream/test_vector.py shows what is left.

Added: extract_strided_slice, insert_strided_slice, shape_cast, transpose, multi_reduction,
from_elements, to_elements, constant_mask, step, gather, scatter, contract, outerproduct, mask,
yield. Replaced: shuffle, bitcast, create_mask and reduction (not pure in xDSL 0.75), load, store,
maskedload and maskedstore (no memory effects there), print (no custom form, text and punctuation there).
Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td`.
"""

from xdsl.dialects.arith import ArithConstantMaterializationInterface
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.vector import (
    BroadcastOp,
    CombiningKindAttr,
    ExtractOp,
    FMAOp,
    InsertOp,
    TransferReadOp,
    TransferWriteOp,
)
from xdsl.dialects.vector import Vector as StockVector
from xdsl.ir import OpaqueSyntaxAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition, opt_operand_def, opt_prop_def
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    ParsingState,
    PrintingState,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.directives import Directive
from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import WordAttr
from xetile.dialects.upstream.bases import dialect_over
from xetile.dialects.upstream.vector.contractions import (
    ContractionOp,
    IteratorTypeAttr,
    MaskOp,
    MultiReductionOp,
    OuterProductOp,
    ReductionOp,
    YieldOp,
)
from xetile.dialects.upstream.vector.vector_memory import (
    ConstantMaskOp,
    CreateMaskOp,
    GatherOp,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ScatterOp,
    StepOp,
    StoreOp,
)
from xetile.dialects.upstream.vector.vector_shapes import (
    BitcastOp,
    ExtractElementOp,
    ExtractStridedSliceOp,
    FromElementsOp,
    InsertElementOp,
    InsertStridedSliceOp,
    ShapeCastOp,
    ShuffleOp,
    SplatOp,
    ToElementsOp,
    TransposeOp,
)

Punctuation = StrEnum("Punctuation", "NO_PUNCTUATION NEWLINE COMMA OPEN CLOSE")
"""The text that `vector.print` prints after the value."""


@irdl_attr_definition
class PunctuationAttr(WordAttr[Punctuation], OpaqueSyntaxAttribute):
    """`#vector.punctuation<comma>`."""

    name = "vector.punctuation"
    words = Punctuation


class _Text(Directive):
    """`str "text"`, or nothing; xDSL's `$attribute` takes any attribute for a string."""

    text: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("str") is not None:
            self.text.set(state, StringAttr(parser.parse_str_literal()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, PrintOp)
        if op.string_literal is not None:
            printer.print_string(" str ")
            printer.print_string_literal(op.string_literal.data)


class _Ending(Directive):
    """`punctuation <comma>`; a line break goes without saying."""

    punctuation: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("punctuation") is not None:
            found = PunctuationAttr(PunctuationAttr.parse_parameter(parser))
            self.punctuation.set(state, found)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, PrintOp)
        if op.ending != Punctuation.NEWLINE:
            printer.print_string(f" punctuation <{op.ending}>")


@formatted_op
class PrintOp(IRDLOperation):
    """Prints a value or a text, then punctuation, by default a line break."""

    name = "vector.print"

    source = opt_operand_def()
    punctuation = opt_prop_def(PunctuationAttr)
    string_literal = opt_prop_def(StringAttr, prop_name="stringLiteral")

    assembly_format = (
        "($source^ `:` type($source))? "
        "custom<_Text>($stringLiteral) custom<_Ending>($punctuation) attr-dict"
    )
    custom_directives = (_Text, _Ending)

    @property
    def ending(self) -> Punctuation:
        """The text after the value, a line break by default."""
        return Punctuation.NEWLINE if self.punctuation is None else self.punctuation.data

    def verify_(self) -> None:
        if self.source is not None and self.string_literal is not None:
            raise VerifyException(
                "'source' and 'stringLiteral' are both there; one is printed"
            )


Vector = dialect_over(
    StockVector,
    [
        # xDSL's
        *(BroadcastOp, ExtractOp, FMAOp, InsertOp, TransferReadOp, TransferWriteOp),
        # ours
        *(BitcastOp, ShapeCastOp, FromElementsOp, ShuffleOp, ToElementsOp),
        *(ExtractStridedSliceOp, InsertStridedSliceOp, TransposeOp),
        *(ConstantMaskOp, CreateMaskOp, StepOp, MultiReductionOp, ReductionOp, PrintOp),
        *(ExtractElementOp, InsertElementOp, SplatOp),
        *(ContractionOp, OuterProductOp, MaskOp, YieldOp),
        *(GatherOp, LoadOp, MaskedLoadOp, MaskedStoreOp, ScatterOp, StoreOp),
    ],
    [CombiningKindAttr, IteratorTypeAttr, PunctuationAttr],
    [ArithConstantMaterializationInterface()],
)
