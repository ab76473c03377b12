"""Selection and reordering of a layout's register bases, as in Triton's LayoutUtils."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xetile.layout.algebra.dimensions import LayoutError
from xetile.layout.algebra.linear_layout import LinearLayout

Value = TypeVar("Value")

REGISTER = "register"
OFFSET = "offset"
VECTOR_BITS = 128


class ColumnAction:
    """A selection and order of bases of one in-dim: basis i of the result is basis `action[i]`."""

    __slots__ = ("action", "in_dim", "in_size_log2")

    def __init__(self, action: Sequence[int], in_dim: str, in_size_log2: int) -> None:
        """Store the action; LayoutError unless the positions are different and below `in_size_log2`."""
        self.action = tuple(action)
        self.in_dim = in_dim
        self.in_size_log2 = in_size_log2
        for position in self.action:
            if not 0 <= position < in_size_log2 or self.action.count(position) > 1:
                raise LayoutError(
                    f"invalid position {position} in column action {list(self.action)}: expected "
                    f"different ones below {in_size_log2}, the bits of in-dim '{in_dim}'"
                )

    @property
    def is_identity(self) -> bool:
        """True if it leaves every layout unchanged."""
        return self.action == tuple(range(self.in_size_log2))

    def apply(self, layout: LinearLayout) -> LinearLayout:
        """Return the layout with its bases selected; LayoutError unless its in-dim has the action's size."""
        columns = layout.in_columns.get(self.in_dim)
        if columns is None or len(columns) != self.in_size_log2:
            raise LayoutError(
                f"{self} needs in-dim '{self.in_dim}' of size {1 << self.in_size_log2}, "
                f"the layout has in-dims {layout.in_dims}"
            )
        ins = dict(layout.in_columns)
        ins[self.in_dim] = tuple([columns[position] for position in self.action])
        return LinearLayout.of_columns(ins, dict(layout.out_widths))

    def apply_to_values(self, values: Sequence[Value]) -> list[Value]:
        """Return the values of the in-dim, one for each of its coordinates, in the result's order.

        LayoutError unless there are 2^in_size_log2 values.
        """
        if len(values) != 1 << self.in_size_log2:
            raise LayoutError(
                f"{self} needs {1 << self.in_size_log2} values, got {len(values)}"
            )
        chosen = [0]
        for position in self.action:
            chosen += [index | 1 << position for index in chosen]
        return [values[index] for index in chosen]

    def inverse(self) -> ColumnAction:
        """Return the action that undoes this one; LayoutError if it drops bases."""
        if len(self.action) != self.in_size_log2:
            raise LayoutError(f"{self} drops bases and has no inverse")
        return ColumnAction(
            [self.action.index(position) for position in range(self.in_size_log2)],
            self.in_dim,
            self.in_size_log2,
        )

    def left_compose(self, other: ColumnAction) -> ColumnAction:
        """Return the action that does this one first, then `other`."""
        if self.in_dim != other.in_dim or other.in_size_log2 != len(self.action):
            raise LayoutError(f"{other} cannot follow {self}")
        return ColumnAction(
            [self.action[position] for position in other.action],
            self.in_dim,
            self.in_size_log2,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnAction) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"ColumnAction({list(self.action)}, {self.in_dim}, {self.in_size_log2})"

    __repr__ = __str__

    def _key(self) -> tuple[tuple[int, ...], str, int]:
        return (self.action, self.in_dim, self.in_size_log2)


def action_remove_broadcasted_regs(layout: LinearLayout) -> ColumnAction:
    """Return the action that drops the register bases that are zero, i.e. registers that repeat others."""
    columns = layout.in_columns[REGISTER]
    kept = [position for position, column in enumerate(columns) if column]
    return ColumnAction(kept, REGISTER, len(columns))


def reg_perm_for_divide(
    layout: LinearLayout, divisor: LinearLayout, *, left: bool = True
) -> ColumnAction | None:
    """Return the order of registers with `divisor`'s bases first (`left`) or last, or None."""
    bases = layout.bases.get(REGISTER)
    wanted = divisor.bases.get(REGISTER)
    out_dims = divisor.out_dims
    if bases is None or wanted is None:
        return None
    if any(size > layout.out_dims.get(name, 0) for name, size in out_dims.items()):
        return None
    chosen: list[int] = []
    for vector in wanted:
        values = dict(zip(out_dims, vector, strict=True))
        moved = tuple(
            [
                values.get(name, 0) * (1 if left else size // out_dims.get(name, 1))
                for name, size in layout.out_dims.items()
            ]
        )
        found = [
            position
            for position, basis in enumerate(bases)
            if basis == moved and position not in chosen
        ]
        if not found:
            return None
        chosen.append(found[0])
    rest = [position for position in range(len(bases)) if position not in chosen]
    return ColumnAction(chosen + rest if left else rest + chosen, REGISTER, len(bases))


def largest_vectorisation(
    conversion: LinearLayout, element_bits: int, max_elements: int | None = None
) -> tuple[int, ColumnAction]:
    """Return the number of elements of the widest access, and the order that makes them neighbors.

    `conversion` maps (register, ...) to (offset, ...), in elements of `element_bits` bits.
    An access has at most 128 bits. With `max_elements` registers keep their order.
    """
    if element_bits < 1:
        raise LayoutError(f"element_bits = {element_bits} must be positive")
    bits = conversion.in_dim_size_log2(REGISTER)
    unchanged = ColumnAction(range(bits), REGISTER, bits)
    elements = max(1, VECTOR_BITS // element_bits)
    if max_elements is not None:
        elements = min(elements, max_elements)
    while elements > 1:
        tile = LinearLayout.identity_1d(elements, REGISTER, OFFSET)
        order = (
            unchanged if max_elements is not None else reg_perm_for_divide(conversion, tile)
        )
        if order is not None and order.apply(conversion).divide_left(tile) is not None:
            return elements, order
        elements //= 2
    return 1, unchanged
