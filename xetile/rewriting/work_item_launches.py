"""Kernels of Intel's older launch convention, which counts subgroups, rewritten to the one that counts work-items.

    gpu.launch_func @m::@k blocks in (...) threads in (%x, %y, %z)       // k has VectorComputeFunctionINTEL
->
    %items = arith.muli %x, %c16 : index                                 // k has it no longer
    gpu.launch_func @m::@k blocks in (...) threads in (%items, %y, %z)

Below this level, lanes execute the work of a subgroup. Ids that differ between them are refused where they meet a tile.
"""

from collections.abc import Callable

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xetile.analysis.dependence import decided_by, origin_of
from xetile.analysis.lanes import AXES, axis_of, differing, note_on_lanes
from xetile.analysis.module_kernels import OLDER_CONVENTION, launch_sizes, launches
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu.collectives import BlockDimOp, BlockIdOp, SubgroupIdOp
from xetile.dialects.upstream.gpu.gpu_host_ops import LaunchFuncOp
from xetile.errors import fail
from xetile.rewriting.rewriter import hand_name_on

AFTER_GRID = 3
"""The operand index of a launch's block size along x, after the tokens and the three sizes of the grid."""

MOST_ITEMS = 2**31 - 1
"""The largest value of known_block_size, of type i32."""

_COUNTING = ("gpu.thread_id", "gpu.global_id", "gpu.block_dim")
"""The ops that count subgroups in the older convention."""

Emit = Callable[[Operation], SSAValue]


def set_work_item_convention(function: Operation, threads: int) -> None:
    """Rewrite the ids and block sizes of a kernel and of its launches, with `threads` per subgroup along x."""
    if OLDER_CONVENTION not in function.attributes:
        return
    sizes = launch_sizes(function, "known_block_size")
    if sizes is not None and sizes[0] * threads > MOST_ITEMS:
        fail(
            function,
            f"known_block_size {list(sizes)} counts subgroups of {threads} work-items: "
            f"{sizes[0] * threads} along x, expected at most {MOST_ITEMS}",
        )
    for op in [op for op in function.walk() if op.name in _COUNTING]:
        _replace(op, sizes, threads)
    del function.attributes[OLDER_CONVENTION]
    if sizes is not None:
        x, y, z = sizes
        size = DenseArrayBase.from_list(i32, [x * threads, y, z])
        function.attributes.pop("gpu.known_block_size", None)
        store = function.properties if function.name == "gpu.func" else function.attributes
        store["known_block_size"] = size
    for launch in list(launches(function)):
        _widen(launch, threads)


def check_shared_by_lanes(
    function: Operation, threads: int, together: Callable[[Operation], str]
) -> None:
    """Refuse ops that lanes of one subgroup would execute differently.

    `together` returns what the lanes do together in an op, such as "access a tile", or "" if each lane acts alone. No
    lane's value takes precedence, so the meaning of such an op is ambiguous.
    """
    values = differing(function, threads)
    if not values:
        return
    for op in function.walk():
        what = together(op)
        if not what:
            continue
        origin = origin_of(op, values)
        how = "takes a value that differs between the lanes of a subgroup"
        if origin is None:
            origin = decided_by(op, values)
            how = "is done by some lanes of a subgroup and not by others"
        if origin is not None:
            fail(
                op,
                f"'{op.name}' {how} (of '{origin.name}'), which {what} together; "
                "expected gpu.subgroup_id, gpu.block_id, or another id that the lanes share",
                note_on_lanes(function, origin, threads),
            )


def _replace(op: Operation, sizes: tuple[int, int, int] | None, threads: int) -> None:
    def emit(made: Operation) -> SSAValue:
        made.location = op.location
        Rewriter.insert_op(made, InsertPoint.before(op))
        return made.results[0]

    made = _subgroups_along(op, sizes, emit, threads)
    hand_name_on(op.results[0], made)
    op.results[0].replace_all_uses_with(made)
    op.detach()
    op.erase()


def _subgroups_along(
    op: Operation, sizes: tuple[int, int, int] | None, emit: Emit, threads: int
) -> SSAValue:
    """Emit the older convention's id or size where launches count work-items.

    It is computed from the subgroup's id, which all lanes of a subgroup share. `emit` inserts an op and returns its
    result; a subgroup has `threads` threads.
    """
    axis = AXES.index(axis_of(op))

    def number(value: int) -> SSAValue:
        return emit(arith.ConstantOp.from_int_and_width(value, IndexType()))

    def size(along: int) -> SSAValue:
        if sizes is not None:
            return number(sizes[along])
        items = emit(BlockDimOp(AXES[along]))
        return emit(arith.DivUIOp(items, number(threads))) if along == 0 else items

    if op.name == "gpu.block_dim":
        return size(axis)
    value = emit(SubgroupIdOp())
    for below in range(axis):
        value = emit(arith.DivUIOp(value, size(below)))
    value = emit(arith.RemUIOp(value, size(axis)))
    if op.name == "gpu.thread_id":
        return value
    first = emit(arith.MuliOp(emit(BlockIdOp(AXES[axis])), size(axis)))
    return emit(arith.AddiOp(first, value))


def _widen(launch: LaunchFuncOp, threads: int) -> None:
    x = launch.blockSizeX
    type = x.type
    width = type.bitwidth if isinstance(type, IntegerType) else IndexType()
    lanes = arith.ConstantOp.from_int_and_width(threads, width)
    items = arith.MuliOp(x, lanes)
    for op in (lanes, items):
        op.location = launch.location
    Rewriter.insert_op([lanes, items], InsertPoint.before(launch))
    launch.operands[len(launch.asyncDependencies) + AFTER_GRID] = items.result
