"""Every layout of a few bits, and what it does to each point."""

from collections.abc import Iterator
from itertools import product

from xetile.layout.algebra.linear_layout import LinearLayout

Dims = dict[str, int]


def layouts(ins: Dims, outs: Dims) -> Iterator[LinearLayout]:
    """Every layout with these sizes."""
    bits = [size.bit_length() - 1 for size in ins.values()]
    vectors = list(product(*[range(size) for size in outs.values()]))
    for chosen in product(vectors, repeat=sum(bits)):
        rest = list(chosen)
        bases: dict[str, list[tuple[int, ...]]] = {}
        for name, count in zip(ins, bits, strict=True):
            bases[name], rest = rest[:count], rest[count:]
        yield LinearLayout.from_bases(bases, outs, require_surjective=False)


def points(dims: Dims) -> Iterator[dict[str, int]]:
    """Every coordinate, in flattened order."""
    for values in product(*[range(size) for size in reversed(dims.values())]):
        yield dict(zip(dims, reversed(values), strict=True))


def flat(point: dict[str, int], dims: Dims) -> int:
    """The position of a coordinate, first dim fastest."""
    position = 0
    for name, size in reversed(dims.items()):
        position = position * size + point[name]
    return position


def images(layout: LinearLayout) -> list[int]:
    """Flattened images of all inputs in flattened order."""
    return [flat(layout.apply(point), layout.out_dims) for point in points(layout.in_dims)]


ONE = list(layouts({"a": 2}, {"x": 2}))


SMALL = list(layouts({"a": 2, "b": 2}, {"x": 2, "y": 2}))


WIDE = list(layouts({"a": 4, "b": 2}, {"x": 2, "y": 4}))


TALL = list(layouts({"a": 2, "b": 4}, {"x": 4}))


ALL = [*ONE, *SMALL, *WIDE, *TALL]


def same_map(left: LinearLayout, right: LinearLayout) -> bool:
    return all(left.apply(point) == right.apply(point) for point in points(left.in_dims))
