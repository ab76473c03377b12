"""What the lanes of a subgroup compute together."""

from collections.abc import Callable

import numpy as np
import pytest
from support.lanes import lanes

Run = Callable[..., None]


COLLECTIVES: list[tuple[str, Callable[[int, int], int]]] = [
    ("%r, %p = gpu.shuffle xor %v, %n, %w : i32", lambda i, n: i ^ n),
    ("%r, %p = gpu.shuffle up %v, %n, %w : i32", lambda i, n: i - n if i % 8 >= n else i),
    ("%r, %p = gpu.shuffle down %v, %n, %w : i32", lambda i, n: i + n if i % 8 + n < 8 else i),
    ("%r, %p = gpu.shuffle idx %v, %n, %w : i32", lambda i, n: i // 8 * 8 + n),
    ("%r, %p = gpu.rotate %v, 3, 8 : i32", lambda i, n: i // 8 * 8 + (i + 3) % 8),
    ("%r = gpu.subgroup_broadcast %v, specific_lane %n : i32", lambda i, n: i // 16 * 16 + n),
    ("%r = gpu.subgroup_broadcast %v, first_active_lane : i32", lambda i, n: i // 16 * 16),
    ("%r = gpu.subgroup_reduce add %v : (i32) -> i32", lambda i, n: sum(range(i // 16 * 16, i // 16 * 16 + 16))),
    ("%r = gpu.subgroup_reduce maxsi %v cluster(size = 4) : (i32) -> i32", lambda i, n: i // 4 * 4 + 3),
    ("%r = gpu.subgroup_reduce minsi %v cluster(size = 4, stride = 2) : (i32) -> i32", lambda i, n: i // 8 * 8 + i % 2),
    ("%r = gpu.all_reduce maxsi %v {} : (i32) -> i32", lambda i, n: 31),
]  # fmt: skip


@pytest.mark.parametrize("op, model", COLLECTIVES)
def test_collectives(run: Run, op: str, model: Callable[[int, int], int]):
    target = np.zeros(32, np.int32)
    run(
        lanes(
            f"""
            %x = gpu.thread_id x
            %v = arith.index_cast %x : index to i32
            %n = arith.constant 2 : i32
            %w = arith.constant 8 : i32
            {op}
            memref.store %r, %A[%x] : memref<32xi32>
            """,
            "%A: memref<32xi32>",
            items=32,
        ),
        target,
    )
    assert target.tolist() == [model(i, 2) for i in range(32)]
