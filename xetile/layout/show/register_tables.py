"""Layouts as text: the elements of each register of each lane, and the holders of each element.

The texts are those of `triton-tensor-layout`, byte for byte; a warp is the subgroup.
Source: triton, lib/Dialect/TritonGPU/IR/Dialect.cpp (`getDistributedLayoutStr`,
`getSharedLayoutStr`).
"""

from collections.abc import Sequence
from itertools import product

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

_MOST_PLACES = 1 << 22
REGISTER_DIMS = ("register", "lane", "warp", "block")
SHARED_DIMS = ("offset", "block")


def hardware_view(layout: LinearLayout, *, subgroup: str = "Warp") -> str:
    """Return one line per register, with the coordinates of each lane's element; or per offset.

    `subgroup` heads a subgroup's lines; layouts and errors as for tensor_view.
    """
    images = _images(layout)
    if "offset" in images:
        return _shared_hardware(layout, images)
    cells = _cells(layout)
    lanes = images["lane"]
    lines: list[str] = []
    for b, block in enumerate(images["block"]):
        if len(images["block"]) > 1:
            lines.append(f"Block{b}:")
        for w, warp in enumerate(images["warp"]):
            lines.append(f"{subgroup}{w}:")
            for register in images["register"]:
                at = block ^ warp ^ register
                lines.append(", ".join([cells[at ^ lane] for lane in lanes]))
    return "".join([line + "\n" for line in lines])


def tensor_view(layout: LinearLayout) -> str:
    """Return the tile in nested brackets, cells with all holders: `B` block, `T` thread, register.

    A layout is (register, lane[, warp[, block]]) or (offset[, block]) -> (dim0, dim1, ...);
    a thread is lane + warp * lanes. For shared memory the cell at position p shows the
    coordinates at offset p; if there are fewer offsets they start over.

    LayoutError: other in dimensions, or more than 2^22 places or elements.
    """
    images = _images(layout)
    if "offset" in images:
        cells = _cells(layout, separator=":")
        offsets = _shown_offsets(layout, images)
        stored = [block ^ offset for block in images["block"] for offset in offsets]
        return brackets([cells[at] for at in stored], list(layout.out_dims.values()), ",")
    return brackets(_holders(layout, images), list(layout.out_dims.values()), ", ")


def matrix_view(layout: LinearLayout) -> str:
    """Return the layout as a matrix of bits: a column per input bit, a row per output bit, minor ones first."""
    bases = [
        (f"{name}={1 << i}", vector)
        for name, vectors in layout.bases.items()
        for i, vector in enumerate(vectors)
    ]
    rows = [
        (f"{name}={1 << bit}", d, bit)
        for d, (name, size) in enumerate(layout.out_dims.items())
        for bit in range(size.bit_length() - 1)
    ]
    label = max([len(row[0]) for row in rows], default=0)
    header = " " * label + "".join(f" {name}" for name, _ in bases)
    lines = [
        f"{name:<{label}}"
        + "".join(f" {vector[d] >> bit & 1 or '.':>{len(head)}}" for head, vector in bases)
        for name, d, bit in rows
    ]
    return "".join(line.rstrip() + "\n" for line in [header, *lines])


def owners(layout: LinearLayout) -> dict[tuple[int, ...], list[tuple[int, int, int, int]]]:
    """Return for each element the (block, warp, lane, register) that have it, in that order.

    Only for layouts of registers; errors as for tensor_view.
    """
    images = _images(layout)
    if "offset" in images:
        raise LayoutError("a layout of shared memory has no owners")
    sizes = list(layout.out_dims.values())
    held: dict[tuple[int, ...], list[tuple[int, int, int, int]]] = {}
    for (b, block), (w, warp), (n, lane), (r, register) in product(
        *(enumerate(images[name]) for name in ("block", "warp", "lane", "register"))
    ):
        at = _unpacked(block ^ warp ^ lane ^ register, sizes)
        held.setdefault(at, []).append((b, w, n, r))
    return held


def shown_dims(layout: LinearLayout, *, most: int) -> tuple[str, ...]:
    """Return the in dimensions that a view of a layout has: those of registers, or of shared memory.

    LayoutError: the layout has others, no elements, or more than `most` places or elements.
    """
    names = set(layout.in_dim_names)
    known = SHARED_DIMS if "offset" in names else REGISTER_DIMS
    if not names <= set(known) or not names & {"register", "lane", "offset"}:
        raise LayoutError(
            f"no view of in dims [{', '.join(layout.in_dim_names)}]; "
            "expected register, lane, warp, block or offset, block"
        )
    if not layout.out_dims:
        raise LayoutError("no view of a layout without out dims")
    if max(layout.total_in_dim_size, layout.total_out_dim_size) > most:
        raise LayoutError(
            f"a layout of {layout.total_in_dim_size} places and {layout.total_out_dim_size} "
            f"elements is too large to show; at most {most} of each"
        )
    return known


def _images(layout: LinearLayout) -> dict[str, list[int]]:
    """Return per in dimension the packed coordinates of 0, 1, 2, ...; the last dimension lowest."""
    known = shown_dims(layout, most=_MOST_PLACES)
    bases = layout.bases
    shifts = _shifts(list(layout.out_dims.values()))
    images: dict[str, list[int]] = {}
    for name in known:
        image = [0]
        for vector in bases.get(name, []):
            step = sum(c << shift for c, shift in zip(vector, shifts, strict=True))
            image += [at ^ step for at in image]
        images[name] = image
    return images


def _shifts(sizes: Sequence[int]) -> list[int]:
    shifts = [0] * len(sizes)
    for d in range(len(sizes) - 2, -1, -1):
        shifts[d] = shifts[d + 1] + sizes[d + 1].bit_length() - 1
    return shifts


def _unpacked(at: int, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        at >> shift & size - 1 for size, shift in zip(sizes, _shifts(sizes), strict=True)
    )


def _cells(layout: LinearLayout, *, separator: str = ",") -> list[str]:
    texts: list[list[str]] = []
    for size in layout.out_dims.values():
        width = len(str(size))
        texts.append([f"{value:>{width}}" for value in range(size)])
    return [f"({separator.join(parts)})" for parts in product(*texts)]


def _holders(layout: LinearLayout, images: dict[str, list[int]]) -> list[str]:
    blocks, warps = images["block"], images["warp"]
    lanes, registers = images["lane"], images["register"]
    cells: list[list[str]] = [[] for _ in range(layout.total_out_dim_size)]
    block_width, register_width = len(str(len(blocks))), len(str(len(registers)))
    thread_width = len(str(len(warps) * len(lanes)))
    for b, block in enumerate(blocks):
        for w, warp in enumerate(warps):
            for n, lane in enumerate(lanes):
                thread = w * len(lanes) + n
                name, padding = f"T{thread}:", thread_width - len(str(thread))
                if len(blocks) > 1:
                    name, padding = f"B{b}:{name}", padding + block_width - len(str(b))
                at = block ^ warp ^ lane
                for r, register in enumerate(registers):
                    missing = padding + register_width - len(str(r))
                    cells[at ^ register].append(f"{' ' * missing}{name}{r}")
    return ["|".join(held) for held in cells]


def _shared_hardware(layout: LinearLayout, images: dict[str, list[int]]) -> str:
    cells = _cells(layout)
    lines: list[str] = []
    for b, block in enumerate(images["block"]):
        lines.append(f"Block: {b}:\n")
        lines += [
            f"Offset: {offset} -> {cells[block ^ at]}\n"
            for offset, at in enumerate(_shown_offsets(layout, images))
        ]
    return "".join(lines)


def _shown_offsets(layout: LinearLayout, images: dict[str, list[int]]) -> list[int]:
    """Return as many offsets as a block has elements, as Triton shows them; if there are fewer they start over."""
    offsets = images["offset"]
    count = max(1, layout.total_out_dim_size // len(images["block"]))
    return [offsets[n % len(offsets)] for n in range(count)]


def brackets(cells: Sequence[str], sizes: Sequence[int], separator: str) -> str:
    """Return cells in row-major order as nested brackets, one line per row."""
    rank, row = len(sizes), sizes[-1]
    lines: list[str] = []
    for line, start in enumerate(range(0, len(cells), row)):
        opened = 1 + _carries(line, sizes[:-1])
        closed = 1 + _carries(line + 1, sizes[:-1])
        body = separator.join(cells[start : start + row])
        lines.append("[" * opened + " " * (rank - opened) + body + "]" * closed + "\n")
    return "".join(lines)


def _carries(line: int, sizes: Sequence[int]) -> int:
    """Return the number of dimensions that start over at a line, the innermost first."""
    count = 0
    for size in reversed(sizes):
        if line % size:
            return count
        count += 1
        line //= size
    return count
