"""Running kernels that are written as text."""

from collections.abc import Callable

import pytest
from support.on_device import ON_NUMPY, Place

from xetile.api import parse_text
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]


@pytest.fixture
def run() -> Run:
    """Execute the only kernel of a text: `run(text, *arrays, grid=...)`."""
    return runs(ON_NUMPY)


@pytest.fixture
def run_at_place(place: Place) -> Run:
    """`run`, and the same on a device."""
    return runs(place)


def runs(place: Place) -> Run:
    def run_text(
        text: str, *arrays: Array | float, grid: tuple[int, int, int] | None = None
    ) -> None:
        place.execute(parse_text(text, "kernel.mlir"), None, arrays, grid=grid)

    return run_text


@pytest.fixture
def compute(run: Run) -> Run:
    """Execute ops on one subgroup: `compute(ops, "memref<4xf32>, ...", *arrays)`; arguments are %0, %1, ..."""

    def compute_ops(ops: str, types: str, *arrays: object) -> None:
        parameters = ", ".join(
            f"%{number}: {type.strip()}" for number, type in enumerate(types.split(";"))
        )
        run(
            f"""
            gpu.module @m {{
              gpu.func @k({parameters}) kernel attributes {{known_block_size = array<i32: 16, 1, 1>}} {{
                %c0 = arith.constant 0 : index
                {ops}
                gpu.return
              }}
            }}
            """,
            *arrays,
            grid=(1, 1, 1),
        )

    return compute_ops
