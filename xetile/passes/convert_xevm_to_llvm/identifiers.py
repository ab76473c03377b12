"""Where a work-item is, and what it waits for: OpenCL's functions of the same meaning.

LLVM's SPIR-V back end turns them into BuiltIn variables and barriers.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

_ALONG_AXIS: Mapping[str, str] = {
    "gpu.block_id": "get_group_id",
    "gpu.block_dim": "get_local_size",
    "gpu.global_id": "get_global_id",
    "gpu.grid_dim": "get_num_groups",
    "gpu.thread_id": "get_local_id",
    "xevm.group_count": "get_num_groups",
    "xevm.group_id": "get_group_id",
    "xevm.local_id": "get_local_id",
    "xevm.local_size": "get_local_size",
}
"""Functions of an axis, with a 64-bit result; xevm's ops have the axis in their name."""

_OF_SUBGROUP: Mapping[str, str] = {
    "gpu.lane_id": "get_sub_group_local_id",
    "gpu.num_subgroups": "get_num_sub_groups",
    "gpu.subgroup_id": "get_sub_group_id",
    "gpu.subgroup_size": "get_sub_group_size",
    "xevm.lane_id": "get_sub_group_local_id",
    "xevm.subgroup_id": "get_sub_group_id",
    "xevm.subgroup_size": "get_sub_group_size",
}
"""Functions without an argument, with a 32-bit result."""

_LOCAL_FENCE, _GLOBAL_FENCE = 1, 2  # OpenCL 3.0, CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE
_ACQUIRE_RELEASE = 4  # memory_order_acq_rel
_SCOPES = {"workgroup": 1, "device": 2}  # memory_scope_work_group, memory_scope_device
_SPACES = {"shared": _LOCAL_FENCE, "global": _GLOBAL_FENCE}


def _along_axis(view: LLVMView, op: Operation) -> None:
    name, _, axis = op.name.rpartition(".")
    if op.name in _ALONG_AXIS:
        name, axis = op.name, str(getattr(op.properties["dimension"], "data", ""))
    number = view.i32("xyz".index(axis))
    function = mangle(_ALONG_AXIS[name], ["j"])
    view.bind_parts(op.results[0], [view.result_of_call(function, [number], i64)])


def _of_subgroup(view: LLVMView, op: Operation) -> None:
    function = mangle(_OF_SUBGROUP[op.name], [])
    view.bind_parts(op.results[0], [view.result_of_call(function, [], i32)])


def _barrier(view: LLVMView, op: Operation) -> None:
    flags = view.i32(_LOCAL_FENCE | _GLOBAL_FENCE)
    view.call(mangle("barrier", ["j"]), [flags])


def _control_barrier(view: LLVMView, op: Operation) -> None:
    """Few kernels have one, and the dialect takes a while to be imported."""
    from xetile.passes.convert_xevm_to_llvm.control_barriers import control_barrier

    control_barrier(view, op)


def _fence(view: LLVMView, op: Operation) -> None:
    scope, space = (
        str(getattr(op.properties.get(name), "data", "")) for name in ("scope", "addrspace")
    )
    if scope not in _SCOPES or space not in _SPACES:
        fail(
            op,
            f"a fence of scope {scope or 'that is not given'} and address space {space or 'generic'} has no lowering "
            f"to LLVM IR; expected scope {' or '.join(_SCOPES)}, address space {' or '.join(_SPACES)}",
        )
    numbers = (_SPACES[space], _ACQUIRE_RELEASE, _SCOPES[scope])
    arguments = [view.i32(number) for number in numbers]
    view.call(mangle("atomic_work_item_fence", ["j", "i", "i"]), arguments)


HANDLERS: Handlers[LLVMView] = {
    **{name: _along_axis for name in _ALONG_AXIS if name.startswith("gpu.")},
    **{
        f"{name}.{axis}": _along_axis
        for name in _ALONG_AXIS
        for axis in "xyz"
        if "xevm" in name
    },
    **dict.fromkeys(_OF_SUBGROUP, _of_subgroup),
    "gpu.barrier": _barrier,
    "spirv.ControlBarrier": _control_barrier,
    "xevm.memfence": _fence,
}
