"""CuTe's layouts, `Swizzle<3,3,3> o ((8,8),(8,8)):((64,512),(1,8))`, to linear layouts and back.

CuTe maps coordinates to an offset: the sum of each mode's coordinate times its stride; within a dimension the first
mode is the fastest. `Swizzle<B,M,S>` then XORs B bits from bit M + S on into those from bit M on
(source: CUTLASS, include/cute/swizzle.hpp).

    from_cute((4, (2, 2)), (2, (1, 8)))     dim0 = 1, 2 -> offset 2, 4; dim1 = 1, 2 -> offset 1, 8
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias, cast

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

Modes: TypeAlias = "int | Sequence[Modes]"
"""A number, or numbers nested as in CuTe."""

MOST_BITS = 63
OFFSET = "offset"


class CuteLayout(NamedTuple):
    """A layout in CuTe's form: a tuple of modes for each dimension; no swizzle is None."""

    shape: tuple[tuple[int, ...], ...]
    stride: tuple[tuple[int, ...], ...]
    swizzle: tuple[int, int, int] | None

    def __str__(self) -> str:
        swizzle = "" if self.swizzle is None else "Swizzle<{},{},{}> o ".format(*self.swizzle)
        return f"{swizzle}{_written(self.shape)}:{_written(self.stride)}"


def from_cute(
    shape: Modes, stride: Modes, swizzle: tuple[int, int, int] | None = None
) -> LinearLayout:
    """Return (dim0, dim1, ...) -> (offset), in elements; a number alone is one dimension.

    LayoutError: shape and stride are nested differently, an extent is no power of two, the sum of offsets
    carries, or there is no such swizzle.
    """
    for given in (shape, stride):
        _check_numbers(given)
    if swizzle is not None and len(swizzle) != 3:
        raise LayoutError(f"swizzle {swizzle} must be bits, base and shift, such as (3, 3, 3)")
    shapes = [shape] if isinstance(shape, int) else list(shape)
    strides = [stride] if isinstance(stride, int) else list(stride)
    if len(shapes) != len(strides):
        raise LayoutError(f"shape {shape} and stride {stride} are nested differently")
    taken = 0
    bases: dict[str, list[tuple[int]]] = {}
    for d, (extents, steps) in enumerate(zip(shapes, strides, strict=True)):
        bases[f"dim{d}"] = []
        for extent, step in _pairs(extents, steps):
            if extent < 1 or extent & (extent - 1):
                raise LayoutError(f"extent {extent} of dim{d} must be a power of two")
            for bit in range(extent.bit_length() - 1):
                offset = step << bit
                if offset < 0 or offset.bit_length() > MOST_BITS:
                    raise LayoutError(f"offset {offset} of dim{d} must be from 0 to 2^63 - 1")
                if offset & taken:
                    raise LayoutError(
                        f"no linear layout: in dim{d}, {1 << bit} steps of {step} lie at offset {offset}, "
                        "which has bits in common with another one's, and their sum carries"
                    )
                taken |= offset
                bases[f"dim{d}"].append((_swizzled(offset, swizzle),))
    end = max((at for vectors in bases.values() for (at,) in vectors), default=0)
    bits = max(taken.bit_length(), end.bit_length())
    return LinearLayout.from_bases(bases, {OFFSET: 1 << bits}, require_surjective=False)


def to_cute(layout: LinearLayout) -> CuteLayout:
    """Return a layout of coordinates -> (offset) in CuTe's form, with the first swizzle that fits.

    (For an invertible layout (offset) -> coordinates pass its inverse.) LayoutError: there are other out-dims, or no
    single swizzle leaves strides.
    """
    if layout.num_out_dims != 1:
        raise LayoutError(
            f"CuTe's layouts go to one offset, this one to {list(layout.out_dim_names)}"
        )
    places = list(layout.in_columns.values())
    for swizzle in _swizzles(layout.total_out_dim_size_log2):
        plain = [[_swizzled(at, swizzle) for at in columns] for columns in places]
        if _adds(plain):
            modes = [_modes(columns) for columns in plain]
            return CuteLayout(
                tuple([tuple([extent for extent, _ in pairs]) for pairs in modes]),
                tuple([tuple([step for _, step in pairs]) for pairs in modes]),
                swizzle,
            )
    raise LayoutError(
        "no single swizzle of CuTe's leaves strides: offsets are sums of coordinates in no order of bits"
    )


def _check_numbers(modes: object) -> None:
    """Raise unless these are numbers, nested in tuples or lists."""
    if isinstance(modes, tuple | list):
        for mode in cast("Sequence[object]", modes):
            _check_numbers(mode)
    elif not isinstance(modes, int):
        raise LayoutError(
            f"{modes!r} is no number; shapes and strides are such as (8, (2, 4))"
        )


def _pairs(extents: Modes, steps: Modes) -> Iterator[tuple[int, int]]:
    """Yield the modes inside a dimension, the fastest first."""
    if isinstance(extents, int) and isinstance(steps, int):
        yield extents, steps
    elif isinstance(extents, int) or isinstance(steps, int) or len(extents) != len(steps):
        raise LayoutError(f"shape {extents} and stride {steps} are nested differently")
    else:
        for extent, step in zip(extents, steps, strict=True):
            yield from _pairs(extent, step)


def _swizzled(offset: int, swizzle: tuple[int, int, int] | None) -> int:
    """Return the offset after a swizzle; a swizzle is its own inverse."""
    if swizzle is None:
        return offset
    bits, base, shift = swizzle
    if bits < 0 or base < 0 or abs(shift) < bits:
        raise LayoutError(
            f"Swizzle<{bits},{base},{shift}>: bits and base must not be negative, the shift at least the bits"
        )
    mask = (1 << bits) - 1
    if shift >= 0:
        return offset ^ (offset >> base + shift & mask) << base
    return offset ^ (offset >> base & mask) << base - shift


def _swizzles(width: int) -> Iterator[tuple[int, int, int] | None]:
    """Yield all swizzles that change an offset of `width` bits, the simplest first."""
    yield None
    for bits in range(1, width // 2 + 1):
        for base in range(width):
            for shift in range(bits, width - base - bits + 1):
                yield bits, base, shift
                yield bits, base, -shift


def _adds(places: Sequence[Sequence[int]]) -> bool:
    """Return True if offsets have no bits in common, so that their sum is their exclusive or."""
    taken = 0
    for columns in places:
        for at in columns:
            if at & taken:
                return False
            taken |= at
    return True


def _modes(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Return extents and strides: neighboring bits whose offsets double are one mode."""
    modes: list[tuple[int, int]] = []
    for at in columns:
        if modes and modes[-1][0] * modes[-1][1] == at:
            extent, step = modes.pop()
            modes.append((2 * extent, step))
        else:
            modes.append((2, at))
    return modes or [(1, 0)]


def _written(dims: Sequence[Sequence[int]]) -> str:
    """Format numbers in CuTe's brackets; a single mode has none."""
    texts = [
        str(modes[0]) if len(modes) == 1 else f"({','.join(map(str, modes))})"
        for modes in dims
    ]
    return f"({','.join(texts)})"
