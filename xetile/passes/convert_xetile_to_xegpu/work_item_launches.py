"""Kernels of Intel's older launch convention, which counts subgroups, in the one that counts work-items.

    gpu.launch_func @m::@k blocks in (...) threads in (%x, %y, %z)       // k has VectorComputeFunctionINTEL
->
    %items = arith.muli %x, %c16 : index                                 // k has it no longer
    gpu.launch_func @m::@k blocks in (...) threads in (%items, %y, %z)
"""

from collections.abc import Callable, Iterator
from typing import Literal

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xetile.analysis.kernels import OLDER_CONVENTION, launch_sizes, symbol_name
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu.attributes import DimensionAttr
from xetile.dialects.upstream.gpu.ids import BlockDimOp, SubgroupIdOp
from xetile.dialects.upstream.gpu.launch import LaunchFuncOp
from xetile.passes.convert_xetile_to_xegpu.view import XeGPUView
from xetile.rewriting.rewriter import Handlers

Axis = Literal["x", "y", "z"]
AXES: tuple[Axis, Axis, Axis] = ("x", "y", "z")

AFTER_GRID = 3
"""The operand of a launch's block size along x: after the tokens, and the three sizes of the grid."""


def _subgroups_along(
    function: Operation, op: Operation, emit: Callable[[Operation], SSAValue], threads: int
) -> SSAValue:
    """What a `gpu.thread_id` or `gpu.block_dim` of the older convention is where launches count work-items.

    The id is read off the subgroup's, which all lanes of a subgroup share; `emit` inserts an op for its result;
    a subgroup has so many `threads`.
    """
    axis = _axis(op)
    sizes = launch_sizes(function, "known_block_size")

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
    return emit(arith.RemUIOp(value, size(axis)))


def _axis(op: Operation) -> int:
    dimension = op.properties["dimension"]
    assert isinstance(dimension, DimensionAttr)
    return AXES.index(dimension.data.value)


def _launch_index(view: XeGPUView, op: Operation) -> None:
    if OLDER_CONVENTION in view.function.attributes:
        view.bind(
            op.results[0], _subgroups_along(view.function, op, view.new, view.device.threads)
        )
    else:
        view.copy(op)


HANDLERS: Handlers[XeGPUView] = {
    "gpu.thread_id": _launch_index,
    "gpu.block_dim": _launch_index,
}


def set_work_item_convention(function: Operation, threads: int) -> None:
    """Rewrite the block sizes of a kernel and of its launches: so many threads per subgroup along x."""
    if function.attributes.pop(OLDER_CONVENTION, None) is None:
        return
    sizes = launch_sizes(function, "known_block_size")
    if sizes is not None:
        x, y, z = sizes
        size = DenseArrayBase.from_list(i32, [x * threads, y, z])
        function.attributes.pop("gpu.known_block_size", None)
        store = function.properties if function.name == "gpu.func" else function.attributes
        store["known_block_size"] = size
    for launch in list(_launches(function)):
        _widen(launch, threads)


def _launches(kernel: Operation) -> Iterator[LaunchFuncOp]:
    module = kernel.parent_op()
    outer = None if module is None else module.parent_op()
    while outer is not None and outer.name != "builtin.module":
        outer = outer.parent_op()
    if module is None or outer is None:
        return
    path = f"{symbol_name(module)}.{symbol_name(kernel)}"
    for op in outer.walk():
        if isinstance(op, LaunchFuncOp) and op.kernel.string_value() == path:
            yield op


def _widen(launch: LaunchFuncOp, threads: int) -> None:
    x = launch.block_size_x
    type = x.type
    width = type.bitwidth if isinstance(type, IntegerType) else IndexType()
    lanes = arith.ConstantOp.from_int_and_width(threads, width)
    items = arith.MuliOp(x, lanes)
    for op in (lanes, items):
        op.location = launch.location
    Rewriter.insert_op([lanes, items], InsertPoint.before(launch))
    launch.operands[len(launch.async_dependencies) + AFTER_GRID] = items.result
