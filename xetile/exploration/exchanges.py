"""Values of the workgroup that change their owners: through shared memory, or because subgroups have them anyhow."""

from collections.abc import Callable, Iterator

from xetile.exploration.model import Access, At, Bases, Move, MoveKind, Shared
from xetile.exploration.owners import owner_bases
from xetile.exploration.trace import Traced
from xetile.layout.algebra.distribution import Distribution, is_power_of_two
from xetile.passes.xetile_wg_to_sg.exchanged import Exchanged, Kept
from xetile.passes.xetile_wg_to_sg.report import Owners, exchange_in_words
from xetile.planning.exchanges import Exchange
from xetile.planning.shared_messages import Cell, Memory, Side

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
                yield _shared_move(made, at, source, target, trace.device.shared_banks)


def _kept(made: Kept) -> MoveKind:
    return "rename" if made.how == "in registers" else "replicate"


def _shared_move(
    made: Exchanged, at: At, source: int | None, target: int | None, banks: int
) -> Move:
    return Move(
        op=at,
        kind="shared",
        source=source,
        target=target,
        price=made.plan.price,
        reason=exchange_in_words(made),
        shared=_shared(made.plan, banks),
    )


def _shared(plan: Exchange, banks: int) -> Shared | None:
    """Who stores and loads what, and how it lies; None where extents are no powers of two."""
    owners = [owner_bases(dealt, _DIMS) for dealt in (plan.source, _unturned(plan))]
    found = _offsets(plan.memory)
    if found is None or None in owners:
        return None
    places, gap = found
    store, load = (
        _access(cell, side, own)
        for cell, side, own in zip(plan.cells, (plan.stored, plan.loaded), owners, strict=True)
    )
    return Shared(
        store=store,
        load=load,
        places=places,
        gap=gap,
        bits=plan.bits,
        banks=banks,
        conflicts={"store": plan.stored.conflicts, "load": plan.loaded.conflicts},
    )


def _access(cell: Cell, side: Side, owners: Bases | None) -> Access:
    bits = side.word_bits if side.form == "block" else side.vector_bits
    sizes = dict(zip(_DIMS, cell.extents, strict=True))
    layout = Bases({"register": cell.registers, "lane": cell.lanes}, sizes)
    return Access(side.form, bits, layout, owners)


def _unturned(plan: Exchange) -> Distribution:
    """What is loaded, in the coordinates of what is stored."""
    return plan.target.transposed() if plan.turned else plan.target


def _offsets(memory: Memory) -> tuple[Bases, tuple[int, int] | None] | None:
    """The layout offset -> rows and columns of a buffer without its gaps, and these; None without powers of two."""
    rows, columns = memory.shape
    if not (is_power_of_two(rows) and is_power_of_two(columns)):
        return None
    sizes = dict(zip(_DIMS, memory.shape, strict=True))
    if memory.swizzle is not None:
        return Bases({"offset": memory.swizzle}, sizes), None
    down = [(1 << bit, 0) for bit in range(rows.bit_length() - 1)]
    across = [(0, 1 << bit) for bit in range(columns.bit_length() - 1)]
    by_rows = memory.strides[1] == 1 and memory.strides[0] >= columns
    run, step = (columns, memory.strides[0]) if by_rows else (rows, memory.strides[1])
    vectors = tuple([*across, *down] if by_rows else [*down, *across])
    return Bases({"offset": vectors}, sizes), None if run == step else (run, step)
