"""Accesses of lanes at L: with a cache control, IGC's functions that take one; without, LLVM's own.

SPIR-V's decoration (SPV_INTEL_cache_controls) stands once for each level on the same pointer, which spirv-val refuses.
"""

from collections.abc import Mapping
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.xevm import (
    CACHE_CONTROL,
    LoadCacheControlAttr,
    PrefetchOp,
    StoreCacheControlAttr,
)
from xetile.errors import fail, warn
from xetile.passes.convert_xevm_to_llvm.builtins import (
    DEFAULT_PREFETCH_OPTION,
    LOAD_CACHE_OPTIONS,
    STORE_CACHE_OPTIONS,
    lane_function,
)
from xetile.passes.convert_xevm_to_llvm.memory import same
from xetile.passes.convert_xevm_to_llvm.types import chunk_type, element_bits, vector_length
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE
from xetile.targets.xe.messages import LEAST_WORD_BITS, lane_words


def cache_option(
    op: Operation,
    control: LoadCacheControlAttr | StoreCacheControlAttr | None,
    options: Mapping[tuple[str, str], int],
) -> int | None:
    """IGC's number of an op's `cache_control`, None where there is none.

    The messages know two levels, L1 and the one behind; xevm's L3 is the latter, its L2 says nothing.
    """
    if control is None:
        return None
    name = control.data
    levels = {word[:2]: word[2:] for word in name.split("_")}
    if name in ("ir", "INVALIDATE_READ"):
        levels = {"L1": "ir", "L3": "ir"}
    found = options.get((levels.get("L1", ""), levels.get("L3", "")))
    if found is None:
        pairs = ", ".join(f"L1{a} with L3{b}" for a, b in options if a != "ir")
        fail(op, f"cache_control {name} has no message; expected {pairs}")
    return found


def _load(view: LLVMView, op: Operation) -> None:
    control, (result,) = op.attributes.get(CACHE_CONTROL), op.results
    if not isinstance(control, LoadCacheControlAttr):
        same(view, op)
        return
    words = _words(view, op, result, op.operands[0])
    if words is None:
        return
    bits, count = words
    option = cache_option(op, control, LOAD_CACHE_OPTIONS)
    assert option is not None
    arguments = [view.scalar(op.operands[0]), view.i32(0), view.i32(option)]
    word = IntegerType(max(bits, LEAST_WORD_BITS))
    made = view.result_of_call(
        lane_function("load", bits, count), arguments, chunk_type(word, count)
    )
    if bits < LEAST_WORD_BITS:
        made = view.new(llvm.TruncOp(made, IntegerType(bits)))
    view.bind_parts(result, [_as(view, made, _own_type(view, result))])


def _store(view: LLVMView, op: Operation) -> None:
    control, (value, pointer) = op.attributes.get(CACHE_CONTROL), op.operands
    if not isinstance(control, StoreCacheControlAttr):
        same(view, op)
        return
    words = _words(view, op, value, pointer)
    if words is None:
        return
    bits, count = words
    option = cache_option(op, control, STORE_CACHE_OPTIONS)
    assert option is not None
    (part,) = view.parts(value)
    stored = _as(view, part, chunk_type(IntegerType(bits), count))
    if bits < LEAST_WORD_BITS:
        stored = view.new(llvm.ZExtOp(stored, IntegerType(LEAST_WORD_BITS)))
    arguments = [view.scalar(pointer), view.i32(0), stored, view.i32(option)]
    view.call(lane_function("store", bits, count), arguments)


def _words(
    view: LLVMView, op: Operation, value: SSAValue, pointer: SSAValue
) -> tuple[int, int] | None:
    """Bits and number of the words to move; None where no message has a control, and the access is made without."""
    length, stated = vector_length(value.type), op.properties.get("alignment")
    bits = element_bits(view.element(value)) if length in (None, 2, 4, 8) else 0
    alignment = stated.value.data if isinstance(stated, IntegerAttr) else None
    words = lane_words(bits, length or 1, alignment)
    if words is None or not _is_global(pointer):
        warn(
            op,
            f"'{op.name}' of {value.type} at {pointer.type} has no message with a cache control; it is made without",
        )
        same(view, op)
        return None
    return words


def _is_global(pointer: SSAValue) -> bool:
    space = cast(llvm.LLVMPointerType, pointer.type).addr_space
    return getattr(space, "data", 0) == GLOBAL_ADDRESS_SPACE


def _own_type(view: LLVMView, value: SSAValue) -> Attribute:
    return chunk_type(view.element(value), vector_length(value.type) or 1)


def _as(view: LLVMView, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else view.new(llvm.BitcastOp(value, type))


def _prefetch(view: LLVMView, op: PrefetchOp) -> None:
    """One byte's cache line; a byte needs no alignment."""
    if not _is_global(op.ptr):
        warn(
            op,
            f"'{op.name}' at {op.ptr.type} has no message, and is left out; expected !llvm.ptr<1>",
        )
        return
    option = cache_option(op, op.cache_control, LOAD_CACHE_OPTIONS) or DEFAULT_PREFETCH_OPTION
    view.call(
        lane_function("prefetch", 8, 1), [view.scalar(op.ptr), view.i32(0), view.i32(option)]
    )


HANDLERS: Handlers[LLVMView] = {
    "llvm.load": _load,
    "llvm.store": _store,
    **on(PrefetchOp, _prefetch),
}
