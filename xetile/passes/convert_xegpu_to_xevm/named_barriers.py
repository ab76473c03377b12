"""XeGPU's named barriers: those that all subgroups of a workgroup pass are the workgroup's own barrier.

Of a barrier that only some subgroups pass there is no form in SPIR-V that every device compiles. Where each arrival is
followed by its wait, in the same block, waiting at the wait alone is right: whoever waits has arrived.
"""

from collections.abc import Sequence

from xdsl.ir import Block, Operation

from xetile.analysis.kernels import subgroup_count
from xetile.dialects.known_integers import known_integer
from xetile.dialects.upstream.gpu.collectives import BarrierOp
from xetile.dialects.xegpu import (
    AllocNbarrierOp,
    InitNbarrierOp,
    NbarrierArriveOp,
    NbarrierWaitOp,
)
from xetile.errors import fail
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.rewriting.one_to_many import Parts
from xetile.rewriting.rewriter import Handlers, on


def _nothing(_: LaneView, op: Operation) -> None:
    """The workgroup's barrier needs no name, and who waits at it has arrived."""


def _init(view: LaneView, op: InitNbarrierOp) -> None:
    count, all_of_them = known_integer(op.operands[1]), subgroup_count(view.function)
    if count is None or count != all_of_them:
        found = "a number that is not known" if count is None else str(count)
        fail(
            op,
            f"a named barrier of {found} of the workgroup's {all_of_them or 'unknown number of'} subgroups has no "
            "lowering to XeVM: not every device compiles one; expected a barrier of all of them",
        )
    users = {use.operation for use in op.results[0].uses}
    by_block: dict[Block | None, list[Operation]] = {}
    for user in filter(users.__contains__, view.function.walk()):
        by_block.setdefault(user.parent_block(), []).append(user)
    for together in by_block.values():
        _check_pairs(together)
    view.bind(op.results[0], Parts(()))


def _check_pairs(users: Sequence[Operation]) -> None:
    """Refuse arrivals that are not followed by their wait."""
    for number, user in enumerate(users):
        kind = NbarrierWaitOp if number % 2 else NbarrierArriveOp
        if not isinstance(user, kind) or (number + 1 == len(users) and number % 2 == 0):
            fail(
                user,
                "a named barrier is lowered to the workgroup's own where each 'xegpu.nbarrier_arrive' is followed by "
                f"its 'xegpu.nbarrier_wait' in the same block; this '{user.name}' has none",
            )


def _wait(view: LaneView, op: NbarrierWaitOp) -> None:
    view.emit(BarrierOp())


HANDLERS: Handlers[LaneView] = {
    **on(AllocNbarrierOp, _nothing),
    **on(InitNbarrierOp, _init),
    **on(NbarrierArriveOp, _nothing),
    **on(NbarrierWaitOp, _wait),
}
