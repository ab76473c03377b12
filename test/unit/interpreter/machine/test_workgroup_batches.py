"""A launch answers for what no single op can."""

import pytest

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute


def test_a_launch_that_needs_more_memory_than_there_is_names_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
):
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(
        "xetile.interpreter.machine.workgroup_batches.run_workgroups", exhausted
    )
    module = parse_text(
        "gpu.module @m {\n"
        "  gpu.func @k() kernel attributes {known_block_size = array<i32: 16, 1, 1>,\n"
        "      known_grid_size = array<i32: 1, 1, 1>} {\n"
        "    gpu.return\n"
        "  }\n"
        "}\n",
        "k.mlir",
    )
    with pytest.raises(XetileError) as caught:
        execute(module, "k", [])
    assert (
        str(caught.value) == "k.mlir:2:3: error: executing 'k' takes more memory than there is"
    )
