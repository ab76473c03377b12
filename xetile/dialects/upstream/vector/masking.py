"""vector.mask around an op that has a masked form, which xDSL 0.75 lacks: test_masking.py tells until when.

Source: `llvm 22.1.8 mlir/Dialect/Vector/IR/VectorOps.td` and `mlir/Dialect/Vector/Interfaces/MaskableOpInterface.td`;
what is refused is what mlir-opt 22 refuses.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import VectorType, i1
from xdsl.dialects.vector import TransferReadOp, TransferWriteOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import formatted_op
from xetile.dialects.upstream.vector.contractions import ContractionOp, OuterProductOp
from xetile.dialects.upstream.vector.memory import GatherOp
from xetile.dialects.upstream.vector.reductions import MultiReductionOp, ReductionOp
from xetile.dialects.upstream.vector.support import vector_type

Transfer = TransferReadOp | TransferWriteOp


@formatted_op
class YieldOp(IRDLOperation):
    """What an op with a region of vectors gives."""

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
        if self.passthru is not None and self.passthru.type != self.masked_results[0].type:
            raise VerifyException(
                f"'passthru' is {self.passthru.type}, expected {self.masked_results[0].type}"
            )


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
