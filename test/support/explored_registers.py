"""Examples that are explored down to instructions, and elements that are held against matrix instructions."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from support.explored_places import images

from xetile.api import parse
from xetile.explorer import explore
from xetile.explorer.isa.instruction_levels import listing
from xetile.explorer.isa.isa_operands import Product, product, read
from xetile.explorer.model import Holding, Kernel
from xetile.targets.xe.device import LANES
from xetile.toolchain.assembly import COUNTED

EXAMPLES = Path(__file__).parents[2] / "examples"
SPILLING = "rfc/1-row-major.mlir"
SEED, ELEMENTS = 5, 200
COUNTS_AS = {
    **{kind: kind for kind in COUNTED},
    **{"shuffle": "mov", "math": "alu"},
}
"""What `--stats` counts each class as; those that are not here it does not count."""


@cache
def explored(name: str, device: str) -> Kernel:
    return explore(parse((EXAMPLES / name).read_text()), device).model.kernels[0]


@cache
def products(name: str, device: str) -> Mapping[int, Product]:
    """By instruction the operands of the matrix instructions."""
    return products_of(explored(name, device))


def products_of(kernel: Kernel) -> Mapping[int, Product]:
    """The same of any kernel."""
    found = listing(kernel)
    assert found is not None
    everything = enumerate(found.program.instructions)
    read_all = ((n, product(one, read(one, kernel.register_bytes))) for n, one in everything)
    return {number: one for number, one in read_all if one is not None}


def byte_of(holding: Holding, base: int, word: int, register: int, lane: int) -> int:
    """Where an element is in registers, as the model's docstring has it."""
    bit = register * holding.bits
    return base + (bit // word * LANES + lane) * word // 8 + bit % word // 8


def places(holding: Holding, element: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
    """The registers and lanes of an element of the tile."""
    assert holding.layout is not None
    offset = holding.offset or [0] * len(element)
    wanted = tuple(e - o for e, o in zip(element, offset, strict=True))
    return images(holding.layout, "register", "lane").get(wanted, ())


def holds(holding: Holding, element: tuple[int, ...]) -> bool:
    offset = holding.offset or [0] * len(element)
    return all(
        o <= e < o + size for e, o, size in zip(element, offset, holding.sizes, strict=True)
    )


def elements_met(kernel: Kernel, matrix: Mapping[int, Product]) -> tuple[int, list[object]]:
    """Of 200 elements that loads bring, how often matrix instructions read one, and where they do it elsewhere."""
    chosen = random.Random(SEED)
    level = next(number for number, one in enumerate(kernel.levels) if one.id == "V")
    loads = {
        value.holding
        for value in kernel.levels[level].values
        if kernel.names[kernel.levels[level].ops[value.op].name] == "xevm.blockload2d"
        and value.holding is not None
    }
    met, wrong = 0, list[object]()
    for _ in range(ELEMENTS):
        load = kernel.holdings[chosen.choice(sorted(loads))]
        offset = load.offset or [0] * len(load.sizes)
        element = tuple(
            o + chosen.randrange(s) for o, s in zip(offset, load.sizes, strict=True)
        )
        found, elsewhere = _met(kernel, matrix, load, element)
        met += found
        wrong += elsewhere
    return met, wrong


def _met(
    kernel: Kernel, matrix: Mapping[int, Product], load: Holding, element: tuple[int, ...]
) -> tuple[int, list[object]]:
    """Rounds of an unrolled loop may have their own registers: any of the load's will do."""
    assert load.base is not None
    assert load.base["register"] == load.copies[0][1]
    (at,) = places(load, element)
    expected = {
        byte_of(load, register * kernel.register_bytes, load.base["word"], *at)
        for _, register in load.copies
    }
    met, wrong = 0, list[object]()
    for one in kernel.dpas:
        for number, region in ((one.a, matrix[one.asm].a), (one.b, matrix[one.asm].b)):
            part = None if number is None else kernel.holdings[number]
            if part is None or part.tile != load.tile or not holds(part, element):
                continue
            assert part.base is not None
            (own,) = places(part, element)
            met += 1
            if byte_of(part, region.byte, part.base["word"], *own) not in expected:
                wrong.append((one.asm, element))
    return met, wrong


def classes(kernel: Kernel) -> list[str]:
    """The class of each instruction."""
    assert kernel.costs is not None
    return [kernel.costs.classes[kind] for kind in kernel.costs.asm]


def scratch_messages(kernel: Kernel) -> list[int]:
    """Instructions that spill, and that fill again."""
    kinds = classes(kernel)
    return [number for number, kind in enumerate(kinds) if kind in ("spill", "fill")]


def per_step(kernel: Kernel) -> dict[str, float]:
    """What `--stats` counts in the hot loop, for one of its rounds as written."""
    (hot,) = [loop for loop in kernel.loops if loop.is_hot]
    first, last = hot.asm
    inside = classes(kernel)[first : last + 1]
    counted = Counter(COUNTS_AS[kind] for kind in inside if kind in COUNTS_AS)
    found = {key: counted[key] / hot.unroll for key in COUNTED}
    return found | {"total": len(inside) / hot.unroll, "loop_unroll": hot.unroll}
