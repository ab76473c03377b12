"""What would not end in a lifetime is refused with the limit."""

import re
from pathlib import Path

import pytest

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute, execute_host
from xetile.interpreter.common.divergence import MOST_ROUNDS
from xetile.interpreter.host.loops import MOST_HOST_ROUNDS
from xetile.interpreter.machine.workgroup_batches import MOST_THREADS, MOST_WORKGROUPS

PAGE = (Path(__file__).parents[3] / "docs" / "running.md").read_text()


def kernel(body: str, block: int = 16) -> str:
    return f"""gpu.module @kernels {{
  gpu.func @k(%n: index) kernel attributes {{known_block_size = array<i32: {block}, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant -9223372036854775808 : index
    %high = arith.constant 9223372036854775807 : index
    %million = arith.constant 1000000 : index
    {body}
    gpu.return
  }}
}}
"""


def host(body: str) -> str:
    return f"""func.func @main(%n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %million = arith.constant 1000000 : index
  {body}
  func.return
}}
"""


LAUNCH = """gpu.module @kernels {
  gpu.func @k() kernel { gpu.return }
}
func.func @main(%n: index) {
  %c1 = arith.constant 1 : index
  %n16 = arith.constant 16 : index
  gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%n16, %c1, %c1)
  func.return
}
"""


def refusal(source: str, argument: int, grid: tuple[int, int, int] = (1, 1, 1)) -> str:
    module = parse_text(source, "a.mlir")
    with pytest.raises(XetileError) as caught:
        if "func.func @main" in source:
            execute_host(module, "main", [argument], output=print)
        else:
            execute(module, "k", [argument], grid=grid)
    assert caught.value.location is not None
    return caught.value.message


def test_a_grid() -> None:
    assert refusal(kernel(""), 0, (4_000_000_000, 1, 1)) == (
        "the grid is [4000000000, 1, 1], 4,000,000,000 workgroups; at most 16,777,216 are executed"
    )
    assert "at most 16,777,216 are executed" in refusal(kernel(""), 0, (1 << 20, 1 << 20, 99))


def test_a_grid_that_the_host_gives() -> None:
    assert refusal(LAUNCH, 1 << 40).startswith("the grid is [1099511627776, 1, 1], ")


def test_a_workgroup() -> None:
    assert refusal(kernel("%l = gpu.lane_id", 1 << 30), 0) == (
        "a workgroup has 67,108,864 threads; at most 65,536 are executed"
    )


LOOP = "scf.for %{} = %c0 to {} step %c1 {{ {} }}"


def test_a_loop_of_a_kernel() -> None:
    assert refusal(kernel(LOOP.format("i", "%n", "")), 1 << 60) == (
        "the loop makes 1,152,921,504,606,846,976 rounds; at most 4,294,967,296 are executed"
    )


def test_loops_of_a_kernel_inside_of_others() -> None:
    nest = LOOP.format("i", "%million", LOOP.format("j", "%million", ""))
    assert refusal(kernel(nest), 0) == (
        "the loop makes 1,000,000,000,000 rounds with the loops around it; "
        "at most 4,294,967,296 are executed"
    )


def test_bounds_whose_difference_no_integer_holds() -> None:
    body = "scf.for %i = %low to %high step %c1 { }"
    assert refusal(kernel(body), 0).startswith("the loop makes 18,446,744,073,709,551,615 ")


def test_the_thread_of_the_most_rounds_counts() -> None:
    """One thread's range is the widest, and its step as wide; the other one's step is 1."""
    body = """
    %id = gpu.subgroup_id : index
    %one = arith.cmpi eq, %id, %c1 : index
    %twice = arith.addi %n, %n : index
    %end = arith.select %one, %n, %twice : index
    %step = arith.select %one, %c1, %twice : index
    scf.for %i = %c0 to %end step %step { }"""
    assert refusal(kernel(body, block=32), 1 << 33) == (
        "the loop makes 8,589,934,592 rounds; at most 4,294,967,296 are executed"
    )


def test_parallel_loops() -> None:
    body = "scf.parallel (%i, %j) = (%c0, %c0) to (%million, %million) step (%c1, %c1) { scf.reduce }"
    assert refusal(kernel(body), 0).startswith("the loop makes 1,000,000,000,000 rounds;")


def test_a_loop_of_the_host() -> None:
    assert refusal(host(LOOP.format("i", "%n", "")), 1 << 60) == (
        "the loop makes 1,152,921,504,606,846,976 rounds; at most 1,099,511,627,776 are executed"
    )


def test_loops_of_the_host_inside_of_others() -> None:
    nest = LOOP.format(
        "h", "%million", LOOP.format("i", "%million", LOOP.format("j", "%million", ""))
    )
    said = refusal(host(nest), 0)
    assert said == (
        "the loop makes 1,000,000,000,000,000,000 rounds with the loops inside of it; "
        "at most 1,099,511,627,776 are executed"
    )


def test_limits_stand_on_the_page() -> None:
    numbers = set(re.findall(r"2\^\d+", PAGE))
    limits = (MOST_WORKGROUPS, MOST_THREADS, MOST_ROUNDS, MOST_HOST_ROUNDS)
    assert {f"2^{limit.bit_length() - 1}" for limit in limits} <= numbers
