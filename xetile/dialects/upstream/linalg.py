"""The linalg dialect of xDSL, with products of several types (test_linalg.py fails once xDSL, now 0.75, has them).

Other tools rewrite it to vectors before xetile reads the IR. What is left is read only so that
a diagnostic can name it.
Source: mlir-opt 22 --mlir-print-op-generic, of a linalg.matmul of f16 with sums in f32.
"""

from collections.abc import Callable, Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import AffineMapAttr, AnyFloat, ArrayAttr
from xdsl.dialects.linalg import Linalg as StockLinalg
from xdsl.dialects.linalg.ops import MatmulOp as StockMatmulOp
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.parser import Parser
from xdsl.printer import Printer

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.bases import dialect_over


class MatmulOp(StockMatmulOp):
    """A product of matrices, whose elements are widened to the result's."""

    @classmethod
    def parse(cls, parser: Parser) -> "MatmulOp":
        """Read `indexing_maps = [...]` too, which mlir-opt prints in front of the operands."""
        maps = None
        if parser.parse_optional_keyword("indexing_maps") is not None:
            parser.parse_punctuation("=")
            maps = parser.parse_attribute()
        found = super().parse(parser)
        assert isinstance(found, MatmulOp)
        if maps is not None:
            found.properties["indexing_maps"] = maps
        return found

    def print(self, printer: Printer) -> None:
        if self.indexing_maps != _USUAL:
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(self.indexing_maps)
        super().print(printer)

    @classmethod
    def get_hidden_region(
        cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        if len(inputs) != 2 or len(outputs) != 1:
            raise ValueError("a product has two factors and one result")
        types = cls.body_arg_types((*inputs, *outputs))
        if isinstance(types[-1], AnyFloat):
            return _product(types, arith.ExtFOp, arith.MulfOp, arith.AddfOp)
        return _product(types, arith.ExtSIOp, arith.MuliOp, arith.AddiOp)


_USUAL = ArrayAttr(
    [
        AffineMapAttr(AffineMap.from_callable(lambda m, n, k: (m, k))),
        AffineMapAttr(AffineMap.from_callable(lambda m, n, k: (k, n))),
        AffineMapAttr(AffineMap.from_callable(lambda m, n, k: (m, n))),
    ]
)
"""The maps of rows times columns, which are not printed."""


def _product(
    types: Sequence[Attribute],
    extend: Callable[[SSAValue, Attribute], Operation],
    multiply: Callable[[SSAValue, SSAValue], Operation],
    add: Callable[[SSAValue, Operation], Operation],
) -> Region:
    @Builder.implicit_region(types)
    def body(given: tuple[BlockArgument, ...]) -> None:
        *factors, total = given
        left, right = (
            one if one.type == total.type else extend(one, total.type).results[0]
            for one in factors
        )
        YieldOp(add(total, multiply(left, right)))

    return body


Linalg = dialect_over(StockLinalg, [MatmulOp])
