"""Kernels by their names, in whichever quotes the description of a binary has them."""

import pytest

import xetile
from xetile import XetileError
from xetile.codegen import statistics
from xetile.toolchain.assembly import described

KERNEL = """gpu.module @m [#xevm.target<chip = "bmg">] {
  gpu.func @"NAME"(%a: memref<64xf32>) kernel attributes {
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
"""


def test_names_in_yaml() -> None:
    names = ["a", "a b", "'it''s'", '"\\xE9\\n\\u20AC\\\\"', "'<\"q\">'"]
    text = "".join(
        f"  - name:            {name}\n    grf_count: {n}\n" for n, name in enumerate(names)
    )
    again = "kernels_misc_info:\n  - name:            a\n    args_info:\n"
    found = described(f"kernels:\n{text}{again}")
    assert list(found) == ["a", "a b", "it's", "\xe9\n\u20ac\\", '<"q">']
    assert [one.strip().splitlines()[0] for one in found.values()] == [
        f"grf_count: {n}" for n in range(5)
    ]


@pytest.mark.ocloc
@pytest.mark.parametrize("name", ["a<b>", "it's", 'a\\"b', "a b", "a\\\\b", "\u00fc", "-x"])
def test_kernels_of_any_name_are_counted(name: str) -> None:
    module = xetile.parse(KERNEL.replace("NAME", name).encode())
    (counts,) = statistics(module, "bmg").values()
    assert counts["grf_count"] == 128
    (kernel,) = xetile.explore(module, "bmg").model.kernels
    assert kernel.costs is not None
    assert kernel.costs.grf == 128


@pytest.mark.ocloc
def test_a_kernel_without_assembly_is_told_of() -> None:
    """Its name is no name of a file."""
    module = xetile.parse(KERNEL.replace("NAME", "a/b").encode())
    with pytest.raises(
        XetileError, match=r"^ocloc writes no assembly of the kernel 'a/b'; take"
    ):
        xetile.emit(module, "asm", "bmg")
    (kernel,) = xetile.explore(module, "bmg").model.kernels
    assert [level.id for level in kernel.levels][-1] == "P"
    assert "ocloc writes no assembly of the kernel 'a/b'" in kernel.notes[-1]
