"""What a workgroup's program cannot do, because it means something else when each subgroup does it."""

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.kernels import OLDER_CONVENTION
from xetile.dialects.xetile.attributes import SHARED, memory_space_of
from xetile.errors import fail
from xetile.passes.wg_to_sg.view import SubgroupView

_ALLOCATIONS = ("memref.alloc", "memref.alloca")


def _inside(view: SubgroupView, op: Operation) -> None:
    fail(
        op,
        f"'{op.name}' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; "
        "use gpu.block_id, or write the kernel at subgroup level",
    )


def _thread_id(view: SubgroupView, op: Operation) -> None:
    if OLDER_CONVENTION not in view.function.attributes:
        _inside(view, op)
    view.copy_whole(op)


def _update(view: SubgroupView, op: Operation) -> None:
    fail(
        op,
        f"'{op.name}' would be done once by every subgroup instead of once by the workgroup; "
        "use xetile.atomic_rmw_tile, or write the kernel at subgroup level",
    )


HANDLERS: Mapping[str, Callable[[SubgroupView, Operation], None]] = {
    **dict.fromkeys(
        (
            "gpu.subgroup_id",
            "gpu.lane_id",
            "gpu.shuffle",
            "gpu.rotate",
            "gpu.subgroup_broadcast",
            "gpu.subgroup_reduce",
            "gpu.all_reduce",
        ),
        _inside,
    ),
    **dict.fromkeys(("gpu.thread_id", "gpu.global_id"), _thread_id),
    **dict.fromkeys(("memref.atomic_rmw", "memref.generic_atomic_rmw"), _update),
}


def check_one_buffer(op: Operation, source: SSAValue) -> None:
    """Refuse a tile of memory that every subgroup would have for itself."""
    root = source
    while isinstance(root.owner, Operation) and root.owner.name.startswith("memref."):
        if root.owner.name in _ALLOCATIONS:
            type = root.type
            assert isinstance(type, MemRefType)
            if memory_space_of(type.memory_space) != SHARED:
                fail(
                    op,
                    f"the tile is of a {type} that every subgroup would allocate for itself; "
                    "allocate it in shared memory (memory space 3)",
                )
            return
        if not root.owner.operands:
            return
        root = root.owner.operands[0]
