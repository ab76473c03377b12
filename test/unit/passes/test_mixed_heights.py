"""Extents that are no power of two: the fewest messages and instructions, and the bits of subgroup level."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import numpy
import pytest
from support.on_device import DEVICE_LEVEL, ON_NUMPY, Place
from support.spread import spread
from support.subgroup import NUMPY, Array, same
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from xetile.analysis.kernel_targets import device_named
from xetile.dialects.modules import context, parse
from xetile.layout.intel.message_layouts import Access
from xetile.levels import LevelName
from xetile.passes.pipelines import lower
from xetile.runtime.devices import CPU
from xetile.targets import find, names
from xetile.targets.xe.device import XeDevice

ROWS = (7, 9, 15, 24, 40, 48, 56, 90)
ROUNDED = {7: 8, 15: 16}
"""The rows of A that instructions take and prefetches bring, where those of the tile are no powers of two."""

SUMS = {"f16": "f32", "bf16": "f32", "tf32": "f32", "i8": "i32"}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "i8": 8, "i32": 32}
COLUMNS, DEPTH = 32, 64


def kernel(m: int, n: int, k: int, element: str, steps: int = 1) -> str:
    """D = 3 * (A B + C), K in `steps`; what is prefetched is loaded next."""
    sums, mul = SUMS[element], "muli" if element == "i8" else "mulf"
    three = "3" if element == "i8" else "3.0"
    a, b, c = f"{m}x{k}x{element}", f"{k}x{n}x{element}", f"{m}x{n}x{sums}"
    ma, mb, mc = (
        f"memref<{r}x{w}x{t}>"
        for r, w, t in ((96, DEPTH * 2, element), (DEPTH * 2, 64, element), (96, 64, sums))
    )
    return f"""
    gpu.func @k{m}(%A: {ma}, %B: {mb}, %C: {mc}, %D: {mc}) kernel attributes {{xetile.level = "subgroup",
        known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %steps = arith.constant {steps} : index
      %three = arith.constant dense<{three}> : vector<{c}>
      %ta = xetile.init_tile %A[1, 0] : {ma} -> !xetile.tile<{a}>
      %tb = xetile.init_tile %B[0, 16] : {mb} -> !xetile.tile<{b}>
      %tc = xetile.init_tile %C[2, 16] : {mc} -> !xetile.tile<{c}>
      %td = xetile.init_tile %D[2, 16] : {mc} -> !xetile.tile<{c}>
      %first = xetile.load_tile %tc : !xetile.tile<{c}> -> vector<{c}>
      %sum, %ea, %eb = scf.for %i = %c0 to %steps step %c1 iter_args(%old = %first, %ua = %ta, %ub = %tb)
          -> (vector<{c}>, !xetile.tile<{a}>, !xetile.tile<{b}>) {{
        %a = xetile.load_tile %ua : !xetile.tile<{a}> -> vector<{a}>
        %b = xetile.load_tile %ub : !xetile.tile<{b}> -> vector<{b}>
        %na = xetile.update_tile_offset %ua, [0, {k}] : !xetile.tile<{a}>
        %nb = xetile.update_tile_offset %ub, [{k}, 0] : !xetile.tile<{b}>
        xetile.prefetch_tile %na : !xetile.tile<{a}>
        xetile.prefetch_tile %nb : !xetile.tile<{b}>
        %new = xetile.tile_mma %a, %b, %old : vector<{a}>, vector<{b}>, vector<{c}> -> vector<{c}>
        scf.yield %new, %na, %nb : vector<{c}>, !xetile.tile<{a}>, !xetile.tile<{b}>
      }}
      %scaled = arith.{mul} %sum, %three : vector<{c}>
      xetile.store_tile %scaled, %td : vector<{c}>, !xetile.tile<{c}>
      gpu.return
    }}"""


def module(*kernels: str) -> str:
    return "gpu.module @m {" + "".join(kernels) + "}"


@cache
def lowered(text: str, level: LevelName, device: str = "bmg") -> ModuleOp:
    made = parse(text)
    lower(context(), made, level, device)
    return made


def arrays(element: str) -> list[Array]:
    random = numpy.random.default_rng(7)
    shapes = [(96, DEPTH * 2), (DEPTH * 2, 64), (96, 64), (96, 64)]
    found = [random.integers(-4, 5, shape).astype(NUMPY[element]) for shape in shapes]
    return [*found[:2], *(part.astype(NUMPY[SUMS[element]]) for part in found[2:])]


def expected(given: list[Array], m: int, k: int, steps: int) -> Array:
    a, b, c, d = given
    wide = [part.astype(c.dtype) for part in (a, b)]
    found = d.copy()
    sums = wide[0][1 : 1 + m, : k * steps] @ wide[1][: k * steps, 16 : 16 + COLUMNS]
    found[2 : 2 + m, 16 : 16 + COLUMNS] = 3 * (sums + c[2 : 2 + m, 16 : 16 + COLUMNS])
    return found


@pytest.mark.parametrize("level", ["subgroup", "blocked", "xegpu", "xevm"])
@pytest.mark.parametrize("element", SUMS)
def test_products_of_any_number_of_rows(element: str, level: LevelName) -> None:
    """All in one program: 7 rows, of which an instruction has one more, to 90 in messages of five heights."""
    check(ON_NUMPY, element, level, ROWS)


@pytest.mark.opencl
@pytest.mark.parametrize("place", [CPU], indirect=True)
@pytest.mark.parametrize(("element", "rows"), [("f16", (7, 24)), ("i8", (15, 90))])
def test_products_of_any_number_of_rows_on_the_device(
    element: str, rows: Sequence[int], place: Place
) -> None:
    check(place, element, DEVICE_LEVEL, rows)


def check(place: Place, element: str, level: LevelName, rows: Sequence[int]) -> None:
    text = module(*(kernel(m, COLUMNS, 32, element, steps=2) for m in rows))
    made = lowered(text, level)
    for m in rows:
        given = arrays(element)
        result = expected(given, m, 32, 2)
        place.execute(made, f"k{m}", given)
        assert same(given[3], result), m


def messages(made: ModuleOp) -> Iterator[tuple[Access, int, Operation]]:
    """Of each 2D message the access, and how many bytes it moves."""
    accesses: dict[str, Access] = {
        "xevm.blockload2d": "load",
        "xevm.blockstore2d": "store",
        "xevm.blockprefetch2d": "prefetch",
    }
    for op in made.walk():
        if op.name in accesses:
            numbers = [op.properties[name] for name in _EXTENTS if name in op.properties]
            values = [n.value.data for n in numbers if isinstance(n, IntegerAttr)]
            yield accesses[op.name], int(numpy.prod(values)) // 8, op


_EXTENTS = ("elem_size_in_bits", "tile_height", "tile_width", "v_blocks")


@cache
def bound(device: str, access: Access, element: str, rows: int, width: int, least: int) -> int:
    """The fewest messages of the device's table that make up a tile, none of a byte more.

    Messages side by side are alike, of blocks at least as wide as `least`; those one below the other are of any heights.
    """
    table = device_named(device, XeDevice).messages(access, BITS[element])
    counts: list[int] = []
    for columns, blocks in {(c.columns, c.blocks) for c in table if c.columns >= least}:
        if width % (columns * blocks):
            continue
        heights = [c.rows for c in table if (c.columns, c.blocks) == (columns, blocks)]
        fewest = [0] + [rows + 1] * rows
        for total in range(1, rows + 1):
            fewest[total] = min(
                (fewest[total - h] + 1 for h in heights if h <= total), default=rows + 1
            )
        if fewest[rows] <= rows:
            counts.append(fewest[rows] * (width // (columns * blocks)))
    return min(counts)


def least_columns(operand: str, element: str) -> int:
    """Columns that a block must have so that its registers are those of an operand: those of an instruction."""
    if operand in ("b", "c"):
        return 16
    return {32: 8, 16: 16, 8: 16}[BITS[element]]


def expected_counts(device: str, m: int, n: int, k: int, element: str) -> Counter[Access]:
    """The bound of a kernel's messages."""
    sums = SUMS[element]
    a = (m, k, least_columns("a", element))
    b = (k, n, least_columns("b", element))
    packs = element in ("f16", "bf16", "i8") and k * BITS[element] >= 256
    found: Counter[Access] = Counter()
    found["load"] += bound(device, "load", element, ROUNDED.get(m, m), *a[1:])
    found["load"] += bound(device, "load_packed" if packs else "load", element, *b)
    found["load"] += bound(device, "load", sums, m, n, 16)
    found["store"] += bound(device, "store", sums, m, n, 16)
    found["prefetch"] += bound(device, "prefetch", element, ROUNDED.get(m, m), k, 1)
    found["prefetch"] += bound(device, "prefetch", element, k, n, 1)
    return found


TILES = [*product((8, 16, 24, 32), (16, 32, 64), (16, 32, 64))]


@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize("element", SUMS)
def test_messages_are_at_the_bound_of_bytes(element: str, device: str) -> None:
    """Of the 36 subgroup tiles nine for each element and device, those of 24 rows included."""
    first = list(SUMS).index(element) + 2 * (device == "pvc")
    for m, n, k in TILES[first % 4 :: 4]:
        made = lowered(module(kernel(m, n, k, element)), "xevm", device)
        found = [*messages(made)]
        counts = Counter(access for access, _, _ in found)
        assert counts == expected_counts(device, m, n, k, element), (m, n, k)
        size, wide = BITS[element] // 8, BITS[SUMS[element]] // 8
        moved = Counter[Access]()
        for access, bytes_, _ in found:
            moved[access] += bytes_
        operands = size * (m * k + k * n)
        assert moved == {
            "load": operands + wide * m * n,
            "store": wide * m * n,
            "prefetch": operands,
        }


@pytest.mark.parametrize("device, element", spread(names(), list(SUMS)))
def test_instructions_are_the_fewest(device: str, element: str) -> None:
    """7 rows are one instruction, 9 are two, on every device, and every extent comes in the fewest messages."""
    instruction = find(device).matrix_instruction(element, element, SUMS[element])
    assert instruction is not None
    for m in ROWS:
        made = lowered(module(kernel(m, COLUMNS, 32, element)), "xevm", device)
        products = [op for op in made.walk() if op.name == "xevm.mma"]
        assert len(products) == -(-m // 8) * (COLUMNS // 16) * (32 // instruction.k), m
        counts = Counter(access for access, _, _ in messages(made))
        assert counts == expected_counts(device, m, COLUMNS, 32, element), m
