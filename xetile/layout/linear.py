"""`LinearLayout`: a map between named bit fields that is linear over the field of two elements.

Names and behaviour are those of Triton's class (include/triton/Tools/LinearLayout.h), in snake_case; where it aborts,
`LayoutError` is raised. Data and accessors are in core.py, the operations that only move dimensions in shape.py.
"""

from __future__ import annotations

from xetile.layout import f2
from xetile.layout.core import LayoutCore, LayoutError, listed, log2_of_size, supremum
from xetile.layout.shape import ShapeOperations, pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Self

__all__ = ["LayoutCore", "LayoutError", "LinearLayout", "supremum"]


class LinearLayout(ShapeOperations):
    """An immutable linear layout; equal by value, hashable."""

    __slots__ = ()

    @classmethod
    def empty(cls) -> Self:
        """The layout without dimensions, the unit of `*`."""
        return cls._of({}, {})

    @classmethod
    def strided_1d(cls, size: int, stride: int, in_dim: str, out_dim: str) -> Self:
        """x -> stride * x; size 0 gives the empty layout."""
        if size == 0:
            return cls.empty()
        bits = log2_of_size(size, "in", in_dim)
        width = log2_of_size(stride * size, "out", out_dim)
        return cls._of({in_dim: tuple([stride << i for i in range(bits)])}, {out_dim: width})

    @classmethod
    def identity_1d(cls, size: int, in_dim: str, out_dim: str) -> Self:
        """x -> x; size 0 gives the empty layout."""
        return cls.strided_1d(size, 1, in_dim, out_dim)

    @classmethod
    def zeros_1d(cls, size: int, in_dim: str, out_dim: str, out_dim_size: int = 1) -> Self:
        """x -> 0; size 0 gives the empty layout."""
        if size == 0:
            return cls.empty()
        bits = log2_of_size(size, "in", in_dim)
        return cls._of({in_dim: (0,) * bits}, {out_dim: log2_of_size(out_dim_size, "out", out_dim)})

    @classmethod
    def from_bases(
        cls,
        bases: Mapping[str, Sequence[Sequence[int]]] | Iterable[tuple[str, Sequence[Sequence[int]]]],
        out_dims: Mapping[str, int] | Iterable[tuple[str, int]] | Sequence[str],
        *,
        require_surjective: bool = True,
    ) -> Self:
        """The layout of these basis vectors (one component per out-dim).

        `out_dims` gives sizes, or only names: then each size is the least power of two above the components.
        Errors: LayoutError for values that do not fit, sizes that are no powers of two, and a map that is not
        surjective where that is required.
        """
        given = {name: [tuple(v) for v in vectors] for name, vectors in pairs(bases)}
        outs = _out_widths(given, out_dims)
        names = list(outs)
        ins: dict[str, tuple[int, ...]] = {}
        for in_dim, vectors in given.items():
            columns: list[int] = []
            for vector in vectors:
                if len(vector) != len(names):
                    raise LayoutError(
                        f"basis {vector} of in-dim '{in_dim}' has {len(vector)} components, "
                        f"expected {len(names)}: one per out-dim {listed(names)}"
                    )
                column = shift = 0
                for name, component in zip(names, vector, strict=True):
                    if component < 0 or component >> outs[name]:
                        raise LayoutError(
                            f"invalid basis {component} for in-dim '{in_dim}' and out-dim '{name}': "
                            f"expected 0 to {(1 << outs[name]) - 1}"
                        )
                    column |= component << shift
                    shift += outs[name]
                columns.append(column)
            ins[in_dim] = tuple(columns)
        layout = cls._of(ins, outs)._limited()
        if require_surjective and not layout.is_surjective():
            raise LayoutError(f"the layout is expected to be surjective, but was not:{layout}")
        return layout

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """The direct sum: `other`'s bits come above these in every dimension."""
        in_names = supremum([*self._ins], [*other._ins])
        out_names = supremum([*self._outs], [*other._outs])
        outs = {name: self._outs.get(name, 0) + other._outs.get(name, 0) for name in out_names}
        positions: dict[str, int] = {}
        shift = 0
        for name, width in outs.items():
            positions[name] = shift
            shift += width
        mine = [(old, (1 << width) - 1, positions[name]) for name, width, old in self._fields()]
        theirs = [
            (old, (1 << width) - 1, positions[name] + self._outs.get(name, 0))
            for name, width, old in other._fields()
        ]
        ins = {
            name: tuple(
                f2.repack(self._ins.get(name, ()), mine)
                + f2.repack(other._ins.get(name, ()), theirs)
            )
            for name in in_names
        }
        return type(self)._of(ins, outs)._limited()

    def apply(self, inputs: Mapping[str, int] | None = None, /, **named: int) -> dict[str, int]:
        """The image of one point, or of many where the inputs are arrays (any that know `>> & ^`)."""
        inputs = named if inputs is None else {**inputs, **named}
        if set(inputs) != set(self._ins):
            raise LayoutError(f"inputs {listed(inputs)}, the layout has in-dims {listed(self._ins)}")
        images = {name: 0 for name in self._outs}
        for in_dim, value in inputs.items():
            for name, width, shift in self._fields():
                columns = [column >> shift & (1 << width) - 1 for column in self._ins[in_dim]]
                for step, mask in f2.diagonals(columns):
                    part = value & mask
                    images[name] = images[name] ^ (part << step if step >= 0 else part >> -step)
        return images

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """`outer(self(x))`."""
        if set(outer._ins) != set(self._outs):
            raise LayoutError(
                f"out-dims {listed(self._outs)} must be the outer in-dims {listed(outer._ins)}"
            )
        columns: list[int] = []
        for name, width in self._outs.items():
            if width > len(outer._ins[name]):
                raise LayoutError(
                    f"out-dim '{name}' has size {1 << width}, the outer in-dim only {outer.in_dim_size(name)}"
                )
            columns.extend(outer._ins[name][:width])
        ins = {name: tuple(f2.multiply_all(columns, vs)) for name, vs in self._ins.items()}
        return type(self)._of(ins, dict(outer._outs))

    def invert_and_compose(
        self, outer: LinearLayout, identity_dims: Literal["disjoint", "equal"] = "disjoint"
    ) -> LinearLayout:
        """C with `self(x) == outer(C(x))`, the smallest such solution.

        In-dims with equal bases on both sides map to themselves: with "equal" always, with "disjoint" where their
        image shares no bit with that of another in-dim, in both layouts.
        """
        if set(self._outs) != set(outer._outs):
            raise LayoutError(f"out-dims {listed(self._outs)} and {listed(outer._outs)} must agree")
        outer = outer.transpose_outs([*self._outs])
        for name, width in self._outs.items():
            if outer._outs[name] < width:
                raise LayoutError(
                    f"out-dim '{name}' has size {1 << width}, in the outer layout only {1 << outer._outs[name]}"
                )
        moves = [
            (old, (1 << width) - 1, outer._positions()[name]) for name, width, old in self._fields()
        ]
        mine = {name: tuple(f2.repack(columns, moves)) for name, columns in self._ins.items()}
        kept = [
            name
            for name, columns in mine.items()
            if outer._ins.get(name) == columns
            and (
                identity_dims == "equal" or (_disjoint(mine, name) and _disjoint(outer._ins, name))
            )
        ]
        width = outer.total_in_dim_size_log2
        labelled: list[tuple[int, int]] = []
        position = 0
        for name, columns in outer._ins.items():
            if name not in kept:
                labelled.extend((c, 1 << (position + i)) for i, c in enumerate(columns))
            position += len(columns)
        echelon = f2.echelon(labelled, width)
        positions = dict(zip(outer._ins, _starts(outer._ins), strict=True))
        ins: dict[str, tuple[int, ...]] = {}
        for name, columns in mine.items():
            if name in kept:
                ins[name] = tuple([1 << (positions[name] + i) for i in range(len(columns))])
                continue
            solved = [f2.solve(echelon, width, column) for column in columns]
            if None in solved:
                raise LayoutError(f"the outer layout does not cover the image of in-dim '{name}'")
            ins[name] = tuple([value for value in solved if value is not None])
        return type(self)._of(ins, {name: len(columns) for name, columns in outer._ins.items()})

    def pseudoinvert(self) -> LinearLayout:
        """B with `self(B(y)) == y`; LayoutError unless the layout is surjective."""
        ins: dict[str, tuple[int, ...]] = {
            name: tuple([1 << (shift + i) for i in range(width)])
            for name, width, shift in self._fields()
        }
        return type(self)._of(ins, dict(self._outs)).invert_and_compose(self)

    def invert(self) -> LinearLayout:
        """The inverse map."""
        if not self.is_invertible():
            raise LayoutError(f"a linear layout must be surjective and square to be invertible:{self}")
        return self.pseudoinvert()


def _out_widths(
    bases: Mapping[str, Sequence[Sequence[int]]],
    out_dims: Mapping[str, int] | Iterable[tuple[str, int]] | Sequence[str],
) -> dict[str, int]:
    entries = list(out_dims.items()) if isinstance(out_dims, dict) else list(out_dims)
    widths: dict[str, int] = {}
    for position, entry in enumerate(entries):
        if isinstance(entry, str):
            largest = max(
                (vector[position] for vectors in bases.values() for vector in vectors), default=0
            )
            widths[entry] = largest.bit_length()
        else:
            widths[entry[0]] = log2_of_size(entry[1], "out", entry[0])
    return widths


def _disjoint(ins: Mapping[str, Sequence[int]], name: str) -> bool:
    own = others = 0
    for other, columns in ins.items():
        for column in columns:
            if other == name:
                own |= column
            else:
                others |= column
    return not own & others


def _starts(ins: Mapping[str, Sequence[int]]) -> list[int]:
    starts: list[int] = []
    position = 0
    for columns in ins.values():
        starts.append(position)
        position += len(columns)
    return starts
