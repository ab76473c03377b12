"""gpu.shuffle at L: OpenCL's shuffles, a register at a time."""

from collections.abc import Mapping
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.upstream.gpu import ShuffleOp
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.types import element_bits
from xetile.passes.convert_xevm_to_llvm.vectors import chunks_of, elements_of
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import LANES

_FUNCTIONS: Mapping[str, str] = {
    "xor": "sub_group_shuffle_xor",
    "up": "sub_group_shuffle_up",
    "down": "sub_group_shuffle_down",
    "idx": "sub_group_shuffle",
}
"""OpenCL's functions by gpu's modes (source: OpenCL extensions cl_khr_subgroup_shuffle and ..._relative)."""

_BROADCAST = "sub_group_broadcast"
_FLOATS = {"f16": "Dh", "f32": "f", "f64": "d"}
"""Floats that are moved as they are: IGC finds a sum over all lanes by its shuffles and additions, of one type."""

_AS_WORDS = {("sub_group_shuffle", "Dh")}
"""What is moved as integers all the same: Intel's runtime for CPUs ends on many of these ("Cannot emit physreg copy
instruction", 2026.2.0), and no sum over lanes is made of them."""

_LETTERS = {8: "c", 16: "s", 32: "i", 64: "l"}


def _shuffle(view: LLVMView, op: ShuffleOp) -> None:
    mode = op.mode.data.value
    width = view.number(op.width)
    if width != LANES:
        found = "is not constant" if width is None else f"is {width}"
        fail(op, f"'width' {found}; expected {LANES}, the lanes of a subgroup")
    offset = view.integer(op.offset, 32)
    known = view.number(op.offset)
    name = _FUNCTIONS[mode]
    if mode == "idx" and known is not None and 0 <= known < LANES:
        name = _BROADCAST
    element = view.element(op.value)
    moved = [
        _moved(view, name, part, element, offset)
        for part in elements_of(view, view.parts(op.value))
    ]
    view.bind_parts(op.shuffle_result, chunks_of(view, moved, element))
    if op.valid.first_use is not None:
        view.bind(op.valid, _valid(view, mode, offset))


def _moved(
    view: LLVMView, name: str, value: SSAValue, element: Attribute, offset: SSAValue
) -> SSAValue:
    """What another lane has; what is no float of OpenCL's is moved as an integer of whole bytes."""
    letter = _FLOATS.get(str(element))
    if letter is not None and (name, letter) not in _AS_WORDS:
        return view.result_of_call(mangle(name, [letter, "j"]), [value, offset], element)
    bits = element_bits(element)
    word = IntegerType(max(8, bits))
    if bits < word.width.data:
        value = view.new(llvm.ZExtOp(value, word))
    elif element != word:
        value = view.new(llvm.BitcastOp(value, word))
    function = mangle(name, [_LETTERS[word.width.data], "j"])
    moved = view.result_of_call(function, [value, offset], word)
    if bits < word.width.data:
        return view.new(llvm.TruncOp(moved, cast(IntegerType, element)))
    return moved if element == word else view.new(llvm.BitcastOp(moved, element))


def _valid(view: LLVMView, mode: str, offset: SSAValue) -> SSAValue:
    """Whether the lane read from is one of the subgroup's."""
    combine = {"xor": llvm.XOrOp, "up": llvm.SubOp, "down": llvm.AddOp}.get(mode)
    if combine is not None:
        lane = view.result_of_call(mangle("get_sub_group_local_id", []), [], i32)
        offset = view.new(combine(lane, offset))
    return view.compare("ult", offset, view.i32(LANES))


HANDLERS: Handlers[LLVMView] = {**on(ShuffleOp, _shuffle)}
