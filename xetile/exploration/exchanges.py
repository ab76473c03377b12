"""Values of the workgroup that change their owners: through shared memory, or because subgroups have them anyhow."""

from collections.abc import Callable, Iterator

from xetile.exploration.model import At, Bases, Move, MoveKind, Shared
from xetile.exploration.owners import owner_bases
from xetile.exploration.trace import Traced
from xetile.layout.algebra.distribution import Distribution, is_power_of_two
from xetile.passes.xetile_wg_to_sg.exchanged import Exchanged, Kept
from xetile.passes.xetile_wg_to_sg.report import Owners, exchange_in_words
from xetile.planning.exchanges import Exchange
from xetile.planning.shared_messages import Memory

_DIMS = ["dim0", "dim1"]


def exchanges(trace: Traced, holding: Callable[[At], int | None]) -> Iterator[Move]:
    """The exchanges of a kernel, by the ops of W for which they are."""
    for _, told in trace.told.get("S", []):
        for made in told.moves if isinstance(told, Owners) else ():
            at = trace.op(made.op)
            if at is None:
                continue
            op = trace.ops["W"][at[1]]
            source = holding(trace.values[op.operands[0]]) if op.operands else None
            target = holding(trace.values[op.results[0]]) if op.results else None
            if isinstance(made, Kept):
                yield Move(at, _kept(made), source, target, reason=made.how)
            else:
                yield _shared_move(made, at, source, target)


def _kept(made: Kept) -> MoveKind:
    return "rename" if made.how == "in registers" else "replicate"


def _shared_move(made: Exchanged, at: At, source: int | None, target: int | None) -> Move:
    return Move(
        op=at,
        kind="shared",
        source=source,
        target=target,
        price=made.plan.price,
        reason=exchange_in_words(made),
        shared=_shared(made.plan),
    )


def _shared(plan: Exchange) -> Shared | None:
    """Who stores and loads what, (register, subgroup) -> rows and columns, and how these lie, offset -> the same.

    None where extents are no powers of two.
    """
    store = owner_bases(plan.source, _DIMS)
    load = owner_bases(_unturned(plan), _DIMS)
    if store is None or load is None:
        return None
    return Shared(
        store=store,
        load=load,
        swizzle=_offsets(plan.memory),
        vector_bits=plan.loaded.vector_bits,
        conflicts={"store": plan.stored.conflicts, "load": plan.loaded.conflicts},
    )


def _unturned(plan: Exchange) -> Distribution:
    """What is loaded, in the coordinates of what is stored."""
    return plan.target.transposed() if plan.turned else plan.target


def _offsets(memory: Memory) -> Bases | None:
    """The layout offset -> rows and columns of a buffer; None where it has gaps."""
    rows, columns = memory.shape
    if (
        not (is_power_of_two(rows) and is_power_of_two(columns))
        or memory.elements != rows * columns
    ):
        return None
    vectors = memory.swizzle
    if vectors is None:
        down = [(1 << bit, 0) for bit in range(rows.bit_length() - 1)]
        across = [(0, 1 << bit) for bit in range(columns.bit_length() - 1)]
        by_rows = memory.strides[1] == 1 and memory.strides[0] >= columns
        vectors = tuple([*across, *down] if by_rows else [*down, *across])
    return Bases({"offset": tuple(vectors)}, dict(zip(_DIMS, memory.shape, strict=True)))
