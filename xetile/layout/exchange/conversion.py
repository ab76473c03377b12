"""Conversions between register layouts: their kinds, and plans for them."""

from typing import Literal, NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.notebook_tables import counted, html_table, runs
from xetile.layout.exchange.columns import LANE, REGISTER, check_pair
from xetile.layout.exchange.lane_shuffles import LaneShuffles, Side, lane_shuffles
from xetile.layout.exchange.swizzling import Conflicts, bank_conflicts, optimal_swizzling

Kind = Literal["none", "registers", "lanes", "shared", "workgroups"]

BLOCK = "block"
MOST_REGISTERS = 1 << 16
MOST_SHOWN = 64


class SharedExchange(NamedTuple):
    """An exchange of `bytes` of shared memory in rounds of store, barrier, load.

    `layout` is (vector, bank, segment, block, reps) -> dims; an access moves `vector`
    elements.
    """

    layout: LinearLayout
    conflicts: Conflicts
    vector: int
    repetitions: int
    bytes: int


class Conversion(NamedTuple):
    """A plan: exactly one of the last three fields is set, none of them for kind "none".

    `registers` gives for each register of the target the source register that is moved
    there.
    """

    kind: Kind
    registers: tuple[int, ...] | None = None
    lanes: LaneShuffles | None = None
    shared: SharedExchange | None = None

    def _repr_html_(self) -> str:
        """Return a table of the plan."""
        rows: list[tuple[str, object]] = []
        if self.registers is not None:
            rows.append(("registers take", runs(self.registers)))
        if self.lanes is not None:
            rows += [("shuffles", self.lanes.shuffles), ("selections", self.lanes.selects)]
            rows += [
                (f"register {step.target}", f"register {step.source} of lane xor {step.lane}")
                for step in self.lanes.rounds[:MOST_SHOWN]
            ]
        if self.shared is not None:
            rows += [
                (
                    "shared memory",
                    f"{self.shared.bytes} bytes, {counted(self.shared.repetitions, 'round')}",
                ),
                ("elements at once", self.shared.vector),
                ("bank conflicts", "{} storing, {} loading".format(*self.shared.conflicts)),
            ]
        return html_table(f"conversion: {self.kind}", rows)


def classify(source: LinearLayout, target: LinearLayout) -> Kind:
    """Return the kind of a conversion; errors as for `plan_conversion`.

    "none": every register stays; "registers": moves between registers of a lane; "lanes":
    shuffles within a subgroup; "shared": shared memory; "workgroups": elements of others.
    """
    return _within_subgroup(source, target).kind


def plan_conversion(
    source: LinearLayout, target: LinearLayout, element_bits: int, *, banks: int = 32
) -> Conversion:
    """Return a plan from one (register, lane[, warp, block]) layout of a tensor to another.

    `banks` of shared memory have 32 bits each. LayoutError: the layouts are of different
    tensors, subgroups or workgroups, one lacks an element or has more than 2^16
    registers in each lane, or elements would have to change workgroups.
    """
    plan = _within_subgroup(source, target)
    if plan.kind == "workgroups":
        raise LayoutError(
            "workgroups hold different elements, and shared memory is one workgroup's"
        )
    if plan.kind != "shared":
        return plan
    layout = optimal_swizzling(source, target, element_bits, banks=banks)
    repetitions = layout.in_dim_size("reps")
    elements = layout.total_out_dim_size // repetitions // layout.in_dim_size(BLOCK)
    shared = SharedExchange(
        layout,
        bank_conflicts(source, target, layout, element_bits, banks=banks),
        layout.in_dim_size("vector"),
        repetitions,
        elements * element_bits // 8,
    )
    return Conversion("shared", shared=shared)


def _within_subgroup(source: LinearLayout, target: LinearLayout) -> Conversion:
    """Return the plan if subgroups keep their elements, else only the kind."""
    _check(source, target)
    target = target.transpose_outs(source.out_dim_names)
    ours, theirs = source.in_columns, target.in_columns
    if ours.get(BLOCK, ()) != theirs.get(BLOCK, ()):
        return Conversion("workgroups")
    if any(ours[name] != theirs[name] for name in ours if name not in (REGISTER, LANE)):
        return Conversion("shared")
    shuffles = lane_shuffles(_side(source), _side(target), _copies(target))
    if shuffles is None:
        return Conversion("shared")
    if shuffles.shuffles or any(shuffles.receive) or any(shuffles.send):
        return Conversion("lanes", lanes=shuffles)
    held = {step.target: step.source for step in shuffles.rounds}
    moves = tuple([held[register] for register in shuffles.copies])
    if moves == tuple(range(source.in_dim_size(REGISTER))):
        return Conversion("none")
    return Conversion("registers", registers=moves)


def _side(layout: LinearLayout) -> Side:
    columns = layout.in_columns[REGISTER]
    kept = _distinct(layout)
    return Side(
        tuple([columns[position] for position in kept]),
        tuple([1 << position for position in kept]),
        tuple(layout.in_columns[LANE]),
    )


def _distinct(layout: LinearLayout) -> list[int]:
    """Return the positions of the register bases that are not sums of earlier ones."""
    columns = layout.in_columns[REGISTER]
    repeated = f2.dependent_columns(columns)
    return [position for position in range(len(columns)) if not repeated >> position & 1]


def _copies(target: LinearLayout) -> tuple[int, ...]:
    """Return for each register of the target the one, among distinct ones, with the same element."""
    columns = target.in_columns[REGISTER]
    kept = _distinct(target)
    pivots = f2.echelon([(columns[bit], 1 << bit) for bit in kept], len(columns))
    same = f2.solve_all(pivots, len(columns), columns) or []
    return tuple([f2.multiply(same, register) for register in range(1 << len(columns))])


def _check(source: LinearLayout, target: LinearLayout) -> None:
    check_pair(source, target)
    if not target.is_surjective():
        raise LayoutError(
            f"the target layout does not hold every element of {target.out_dims}"
        )
    for name, layout in (("source", source), ("target", target)):
        if layout.in_dim_size(REGISTER) > MOST_REGISTERS:
            raise LayoutError(
                f"the {name} layout has {layout.in_dim_size(REGISTER)} registers in each lane, "
                f"at most {MOST_REGISTERS} are planned for"
            )
