"""Vectors at L that count: vector.step, and masks of the first elements."""

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation

from xetile.analysis.constants import integers_of
from xetile.passes.convert_xevm_to_llvm.splats import splat
from xetile.passes.convert_xevm_to_llvm.types import chunk_places, element_bits, width
from xetile.passes.convert_xevm_to_llvm.vectors import of_rank_one
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers


def _step(view: LLVMView, op: Operation) -> None:
    (result,) = op.results
    places, element = chunk_places(width(result)), view.element(result)
    parts = [view.vector_constant(range(at, at + count), element) for at, count in places]
    view.bind_parts(result, parts)


def _constant_mask(view: LLVMView, op: Operation) -> None:
    (result,), (size,) = op.results, integers_of(op, "mask_dim_sizes")
    parts = [
        view.vector_constant([int(place < size) for place in range(at, at + count)], i1)
        for at, count in chunk_places(width(result))
    ]
    view.bind_parts(result, parts)


def _create_mask(view: LLVMView, op: Operation) -> None:
    (size,), (result,) = op.operands, op.results
    scalar = view.scalar(size)
    element = IntegerType(element_bits(scalar.type))
    parts = [
        view.compare(
            "slt",
            view.vector_constant(range(at, at + count), element),
            splat(view, scalar, element, count),
        )
        for at, count in chunk_places(width(result))
    ]
    view.bind_parts(result, parts)


HANDLERS: Handlers[LLVMView] = {
    "vector.constant_mask": of_rank_one(_constant_mask),
    "vector.create_mask": of_rank_one(_create_mask),
    "vector.step": of_rank_one(_step),
}
