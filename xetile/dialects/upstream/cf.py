"""The cf dialect of xDSL, with a check of branches' operands that xDSL 0.75 lacks (test_cf.py fails once it has it).

Source: `llvm 22.1.8 mlir/lib/Interfaces/ControlFlowInterfaces.cpp`; what is refused is what
mlir-opt 22 refuses.
"""

from collections.abc import Sequence

from xdsl.dialects.cf import BranchOp as StockBranchOp
from xdsl.dialects.cf import Cf as StockCf
from xdsl.dialects.cf import ConditionalBranchOp as StockConditionalBranchOp
from xdsl.dialects.cf import SwitchOp as StockSwitchOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.bases import dialect_over
from xetile.errors import Note, fail, file_position


class BranchOp(StockBranchOp):
    """Goes on with another block."""

    def verify_(self) -> None:
        super().verify_()
        _verify_branch(self, self.successor, self.arguments)


class ConditionalBranchOp(StockConditionalBranchOp):
    """Goes on with one of two blocks."""

    def verify_(self) -> None:
        super().verify_()
        _verify_branch(self, self.then_block, self.then_arguments)
        _verify_branch(self, self.else_block, self.else_arguments)


class SwitchOp(StockSwitchOp):
    """Goes on with the block of a case."""

    def verify_(self) -> None:
        super().verify_()
        segments = [int(size) for size in self.case_operand_segments.get_values()]
        if len(segments) != len(self.case_blocks) or any(size < 0 for size in segments):
            raise VerifyException(
                f"'case_operand_segments' is {segments}, expected one number for each of "
                f"{len(self.case_blocks)} cases"
            )
        _verify_branch(self, self.default_block, self.default_operands)
        for block, operands in zip(self.case_blocks, self.case_operand, strict=True):
            _verify_branch(self, block, operands)


def _verify_branch(op: Operation, block: Block, given: Sequence[SSAValue]) -> None:
    """The values that a branch hands on are those that the block takes."""
    region = block.parent
    if region is not None and region.blocks and region.blocks[0] is block:
        fail(op, "it goes to the first block of its region, which no branch may")
    if len(given) != len(block.args):
        fail(
            op,
            f"it hands on {len(given)} values, the block takes {len(block.args)}",
            _note_on(block.args[0] if block.args else block.first_op, "the block begins here"),
        )
    for number, (value, argument) in enumerate(zip(given, block.args, strict=True)):
        if value.type != argument.type:
            fail(
                op,
                f"value {number} is {value.type}, the block takes {argument.type}",
                _note_on(argument, "its argument is here"),
            )


def _note_on(at: BlockArgument | Operation | None, message: str) -> tuple[Note, ...]:
    """A block has no place of its own; its first argument, or first op, has."""
    place = None if at is None else file_position(at.location)
    return () if place is None else (Note(message, place),)


Cf = dialect_over(StockCf, [BranchOp, ConditionalBranchOp, SwitchOp])
