"""Layouts of shared memory: laws, refusals, and Triton's attributes on random parameters."""

import json
import subprocess
import sys
from collections.abc import Callable
from math import prod
from random import Random
from typing import cast

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.nvidia.shared_layouts import (
    nvmma_core_tile,
    nvmma_shared_layout,
    swizzled_shared_layout,
)

RANDOM_LAYOUTS = 1500


# Reads [class, arguments, shape] cases, writes the bases of each. Its own process, since a failed precondition ends
# it and the bindings complain about leaks when they are unloaded.
GLUON = """
import json, sys
from triton._C.libtriton import gluon_ir, ir
from triton.experimental.gluon.language import _layouts

context = ir.context()
ir.load_dialects(context)
builder = gluon_ir.GluonOpBuilder(context)
bases = []
for name, arguments, shape in json.load(sys.stdin):
    layout = getattr(_layouts, name)(*arguments)._to_ir(builder)
    found = builder.to_linear_layout(layout, shape)
    bases.append({"offset": found.offset_bases, "block": found.block_bases})
json.dump(bases, sys.stdout)
"""
Case = tuple[str, list[object], list[int]]
Bases = dict[str, list[list[int]]]


def from_gluon(cases: list[Case]) -> list[Bases]:
    """Bases of layout classes of Gluon with these arguments, for these shapes."""
    command = [sys.executable, "-c", GLUON]
    ran = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr[:2000]
    return cast("list[Bases]", json.loads(ran.stdout))


def bases_of(layout: LinearLayout) -> Bases:
    return {name: [list(v) for v in vectors] for name, vectors in layout.bases.items()}


def random_shape(random: Random, rank: int) -> tuple[list[int], list[list[int]]]:
    """A shape, and now and then two workgroups along one of its dimensions."""
    shape = [1 << random.randrange(1, 8 if rank > 1 else 11) for _ in range(rank)]
    shape[0] = max(shape[0], 8 // prod(shape[1:]))
    if random.random() < 0.6:
        return shape, []
    axis = random.randrange(rank)
    return shape, [[int(d == axis) for d in range(rank)]]


@pytest.mark.triton
def test_swizzled_shared_is_tritons() -> None:
    random = Random(1)
    cases: list[Case] = []
    ours: list[Bases] = []
    while len(cases) < RANDOM_LAYOUTS:
        rank = random.choice((1, 2, 2, 3))
        shape, clusters = random_shape(random, rank)
        order = random.sample(range(rank), rank)
        phases = [1 << random.randrange(4) for _ in range(3)]
        cases.append(("SwizzledSharedLayout", [*phases, order, clusters], shape))
        vec, per_phase, max_phase = phases
        layout = swizzled_shared_layout(shape, vec, per_phase, max_phase, order, clusters)
        ours.append(bases_of(layout))
    for case, own, other in zip(cases, ours, from_gluon(cases), strict=True):
        assert own == other, case


@pytest.mark.triton
def test_nvmma_shared_is_tritons() -> None:
    random = Random(2)
    cases: list[Case] = []
    ours: list[Bases] = []
    while len(cases) < RANDOM_LAYOUTS:
        rank = random.choice((2, 2, 3))
        shape, clusters = random_shape(random, rank)
        swizzle, bits = random.choice((0, 32, 64, 128)), random.choice((8, 16, 32))
        transposed = random.random() < 0.4 and not (rank == 3 and swizzle == 0)
        padded = (swizzle, bits) == (128, 8) and random.random() < 0.5
        try:
            layout = nvmma_shared_layout(
                shape,
                swizzle,
                bits,
                transposed=transposed,
                fp4_padded=padded,
                cga_layout=clusters,
            )
        except LayoutError:
            continue
        cases.append(
            ("NVMMASharedLayout", [swizzle, bits, rank, transposed, padded, clusters], shape)
        )
        ours.append(bases_of(layout))
    for case, own, other in zip(cases, ours, from_gluon(cases), strict=True):
        assert own == other, case


def test_flat_transposed_tile_has_the_order_of_swizzled_ones() -> None:
    """Here Triton's own result gives elements two offsets, so it is not followed."""
    flat = nvmma_shared_layout([4, 8, 16], 0, 16, transposed=True)
    expected = [
        (1, 0, 0),
        (2, 0, 0),
        *[(0, 0, 1 << i) for i in range(4)],
        *[(0, 1 << i, 0) for i in range(3)],
    ]
    assert flat.bases["offset"] == expected
    assert flat.is_invertible()


def test_swizzles_of_the_two_attributes_agree() -> None:
    for swizzle, bits in ((32, 16), (64, 16), (128, 16), (64, 32), (128, 8)):
        columns = swizzle * 8 // bits
        swizzled = swizzled_shared_layout(
            [64, columns], 128 // bits, 128 // swizzle, swizzle // 16, [1, 0]
        )
        assert nvmma_shared_layout([64, columns], swizzle, bits) == swizzled
        tile = nvmma_core_tile(swizzle, bits)
        assert swizzled.sublayout(["offset"], ["dim0", "dim1"]).divide_left(tile) is not None


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: swizzled_shared_layout([8, 8], 3, 1, 1, [1, 0]),
            "vec must be a power of two, got 3",
        ),
        (
            lambda: swizzled_shared_layout([8, 8], 1, 1, 0, [1, 0]),
            "max_phase must be a power of two, got 0",
        ),
        (
            lambda: swizzled_shared_layout([8, 8], 1, 1, 1, [1, 1]),
            "order [1, 1] must name each of the 2 dimensions once",
        ),
        (
            lambda: swizzled_shared_layout([8, 8], 1, 1, 1, [1, 0], [[1]]),
            "cluster basis [1] must have 2 components",
        ),
        (
            lambda: nvmma_shared_layout([8, 8], 16, 16),
            "swizzle of 16 bytes: must be one of (0, 32, 64, 128)",
        ),
        (
            lambda: nvmma_shared_layout([8, 64], 128, 12),
            "elements of 12 bits: must be 8, 16, 32 or 64",
        ),
        (
            lambda: nvmma_shared_layout([8, 32], 128, 16),
            "extent 32 of dim1 must be at least 64",
        ),
        (
            lambda: nvmma_shared_layout([4, 64], 128, 16),
            "shape [4, 64] must hold 8 rows of 64 elements",
        ),
        (
            lambda: nvmma_shared_layout([64], 0, 16, cga_layout=[[1, 0]]),
            "cluster basis [1, 0] must have 1 components",
        ),
    ],
)
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        call()
    assert message in str(caught.value)
