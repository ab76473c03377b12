"""gpu.subgroup_reduce at L: OpenCL's function of all lanes, for integers, which give the same bits in any order."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32, i64

from xetile.dialects.upstream.gpu import SubgroupReduceOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.device import LANES


class _Function(NamedTuple):
    """One of OpenCL's functions (source: OpenCL C 3.0, 6.15.20), and how it reads integers."""

    name: str
    signed: bool = True


_FUNCTIONS: Mapping[str, _Function] = {
    "add": _Function("sub_group_reduce_add"),
    "minsi": _Function("sub_group_reduce_min"),
    "maxsi": _Function("sub_group_reduce_max"),
    "minui": _Function("sub_group_reduce_min", signed=False),
    "maxui": _Function("sub_group_reduce_max", signed=False),
}

_LETTERS = {(32, True): "i", (32, False): "j", (64, True): "l", (64, False): "m"}
"""The C++ ABI's letters, by bits and whether it is signed."""


def _subgroup_reduce(view: LLVMView, op: SubgroupReduceOp) -> None:
    element = op.value.type
    kind = op.op.data.value
    if not isa(element, IntegerType):
        fail(
            op,
            f"{element} over lanes is reduced in an order that nothing says, and other bits come of it; expected "
            f"integers, or gpu.shuffle xor by {LANES // 2}, ..., 1 with an op after each",
        )
    if kind not in _FUNCTIONS or op.cluster_size is not None:
        of = "of clusters of lanes" if op.cluster_size is not None else f"by '{kind}'"
        fail(
            op,
            f"a reduction {of} has no function of OpenCL; expected {', '.join(_FUNCTIONS)} of all lanes, "
            "or gpu.shuffle xor",
        )
    bits = element.width.data
    function = _FUNCTIONS[kind]
    word = i32 if bits <= i32.bitwidth else i64
    if bits > i64.bitwidth:
        fail(op, f"integers of {bits} bits over lanes; expected at most {i64.bitwidth}")
    (value,) = view.parts(op.value)
    if element != word:
        widen = llvm.SExtOp if function.signed else llvm.ZExtOp
        value = view.new(widen(value, word))
    name = mangle(function.name, [_LETTERS[word.bitwidth, function.signed]])
    found = view.result_of_call(name, [value], word)
    if element != word:
        found = view.new(llvm.TruncOp(found, element))
    view.bind_parts(op.result, [found])


HANDLERS: Handlers[LLVMView] = on(SubgroupReduceOp, _subgroup_reduce)
