"""What a subgroup does once, and its lanes would do many times: done by the first of them."""

from xdsl.dialects import scf
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block, Operation, Region
from xdsl.traits import SymbolTable

from xetile.analysis.kernels import symbol_name
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu.ids import LaneIdOp
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.rewriting.rewriter import Handlers

_ONCE = ("gpu.printf", "memref.atomic_rmw", "vector.print")


def _by_first_lane(view: LaneView, op: Operation) -> None:
    if any(result.uses for result in op.results):
        view.refuse(
            "is done once by a subgroup and gives all its lanes the old value, "
            "which is not lowered to XeVM yet; expected a result that nothing uses"
        )
    for operand in op.operands:
        # all lanes take part in what brings a vector to the first
        view.single(operand)
    lane = view.new(LaneIdOp())
    first = view.new(arith.CmpiOp(lane, view.constant(0), "eq"))
    body = Block()
    with view.building(body):
        view.other(op)
        view.emit(scf.YieldOp())
    view.emit(scf.IfOp(first, [], Region(body), Region()))


def _store(view: LaneView, op: Operation) -> None:
    """A scalar that a subgroup stores is stored once, but where every lane has memory of its own."""
    source = op.operands[1].owner
    while isinstance(source, Operation) and source.operands:
        source = source.operands[0].owner
    if isinstance(source, Operation) and source.name == "memref.alloca":
        view.other(op)
    else:
        _by_first_lane(view, op)


def _call(view: LaneView, op: Operation) -> None:
    """Every lane calls, where what is called means the same then."""
    callees = _called(op)
    for callee in callees:
        between = "" if callee is callees[0] else f"@{symbol_name(callees[0])}, and so "
        for inner in callee.walk():
            if inner.name in _ONCE:
                view.refuse(
                    f"calls {between}@{symbol_name(callee)}, whose '{inner.name}' "
                    "every lane of a subgroup would do"
                )
    view.other(op)


def _called(call: Operation) -> list[Operation]:
    """The functions that a call reaches, each once, those that are called by others too."""
    found: list[Operation] = []
    calls = [call]
    while calls:
        call = calls.pop()
        name = call.properties["callee"]
        assert isinstance(name, SymbolRefAttr)
        callee = SymbolTable.lookup_symbol(call, name)
        if callee is not None and callee not in found:
            found.append(callee)
            calls.extend(op for op in callee.walk() if op.name == "func.call")
    return found


HANDLERS: Handlers[LaneView] = {
    **dict.fromkeys(_ONCE, _by_first_lane),
    "func.call": _call,
    "memref.store": _store,
}
