"""Launches from the host: the kernel uses the host's memory, and the grid and the block of the launch."""

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from xetile.advice import hint_or_names
from xetile.analysis.kernel_targets import subgroup_threads
from xetile.analysis.lanes import AXES
from xetile.analysis.module_kernels import (
    OLDER_CONVENTION,
    holds_dialect,
    is_marked_kernel,
    launch_sizes,
    level,
    symbol_name,
)
from xetile.dialects.upstream.gpu.gpu_host_ops import LaunchFuncOp, LaunchOp
from xetile.dialects.xetile.xetile_attributes import WorkgroupMapAttr
from xetile.errors import fail, notes_at, warn, with_line
from xetile.interpreter.host.allocations import array_of
from xetile.interpreter.host.device_memory import with_token
from xetile.interpreter.host.host_machine import host
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.runtime_values import (
    Array,
    HostView,
    MemRef,
    Passed,
    Values,
    uniform,
)
from xetile.interpreter.machine.thread_batches import Sizes, Threads
from xetile.interpreter.machine.workgroup_batches import (
    check_bounds,
    parameters_of,
    run_workgroups,
)
from xetile.levels import UNIT_ATTRIBUTE
from xetile.targets.target import Unit


def _launch_func(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, LaunchFuncOp)
    if op.cluster_size is not None:
        fail(op, "cannot execute a launch with clusters")
    kernel = _kernel(op)
    grid, block = (
        _sizes(frame, op, "grid", op.grid_size),
        _sizes(frame, op, "block", op.block_size),
    )
    _check_known(frame, op, kernel, grid, block)
    _check_arguments(op, kernel, op.kernelOperands)
    threads = _threads(op, kernel, level(kernel), grid, block)
    if (launch_kernel := host(frame).launch_kernel) is not None:
        check_bounds(op, threads)
        passed = [_passed(frame, op, value) for value in op.kernelOperands]
        launch_kernel(kernel, passed, grid, _work_items(threads))
        return []
    arguments = [frame.get(value) for value in op.kernelOperands]
    return _run(frame, op, kernel, threads, lambda _: arguments)


def _launch(frame: Frame, op: Operation) -> Values:
    """Execute the body of a gpu.launch; a thread is a work-item unless its ops imply another level."""
    assert isinstance(op, LaunchOp)
    if op.has_clusters:
        fail(op, "cannot execute a launch with clusters")
    if host(frame).launch_kernel is not None:
        fail(
            op,
            "the body of a gpu.launch is executed on numpy only; a device launches a gpu.func "
            "(mlir-opt --gpu-kernel-outlining makes one of it)",
        )
    grid = _sizes(frame, op, "grid", (op.gridSizeX, op.gridSizeY, op.gridSizeZ))
    block = _sizes(frame, op, "block", (op.blockSizeX, op.blockSizeY, op.blockSizeZ))
    threads = _threads(op, op, _level_of_body(op), grid, block)
    if threads.level == "lane":
        threads.per_workgroup = prod(block)
    return _run(frame, op, op, threads, lambda inner: _body_arguments(inner, op))


def _passed(frame: Frame, op: Operation, value: SSAValue) -> Passed:
    """Return an argument of a launch elsewhere: a view of memory, or a number (an int for i1)."""
    if not isinstance(value.type, MemRefType):
        number = frame.array(value)[0].item()
        return int(number) if isinstance(number, bool) else number
    found = frame.memref(value)
    base, offset = int(found.base[0]), int(found.offset[0])
    buffer = frame.memory.buffer(base, op)
    elements = _with_all_strides(array_of(frame, op, value), found)
    return HostView(elements, buffer.data, base - buffer.start, offset)


def _with_all_strides(array: Array, found: MemRef) -> Array:
    """Return the elements with the memref's strides also in dimensions of one entry, unless numpy cannot count them."""
    strides = [int(stride[0]) * array.itemsize for stride in found.strides]
    if any(abs(stride) > np.iinfo(np.int64).max for stride in strides):
        return array
    return as_strided(array, array.shape, strides, writeable=array.flags.writeable)


def _work_items(threads: Threads) -> Sizes:
    assert threads.block is not None
    x, y, z = threads.block
    return (x * threads.subgroup_size, y, z) if threads.counts_subgroups else (x, y, z)


def _threads(
    op: Operation, kernel: Operation, kind: Unit, grid: Sizes, block: Sizes
) -> Threads:
    older, size = OLDER_CONVENTION in kernel.attributes, subgroup_threads(kernel)
    if older:
        subgroups = prod(block)
    elif kind == "lane" and kernel is op:
        subgroups = -(-prod(block) // size)
    else:
        subgroups = _whole_subgroups(op, kernel, block)
    if kind == "workgroup":
        _check_maps(op, kernel, subgroups)
    return Threads(kind, grid, block, subgroups, subgroup_size=size, counts_subgroups=older)


def _run(
    frame: Frame,
    op: LaunchFuncOp | LaunchOp,
    body: Operation,
    threads: Threads,
    arguments: Callable[[Frame], Values],
) -> Values:
    check_bounds(op, threads)
    machine = host(frame).launcher.machine(frame.memory, threads)
    if op.dynamicSharedMemorySize is not None:
        machine.dynamic_shared = int(frame.array(op.dynamicSharedMemorySize)[0])
    machine.output = frame.machine.output
    outer = Frame(machine, np.arange(1), (frame, np.arange(1)))
    with host(frame).steps(prod(threads.grid)) as report:
        run_workgroups(body, outer, arguments, lambda done, _: report(done))
    return []


def _kernel(op: LaunchFuncOp) -> Operation:
    outer, inner = op.kernel.root_reference.data, op.kernel.nested_references.data
    modules = {symbol_name(found): found for found in _gpu_modules(op)}
    if not inner:
        owners = (name for name, found in modules.items() if outer in _functions(found))
        owner = next(owners, "module")
        fail(op, f"a kernel is named with its gpu.module; write @{owner}::@{outer}")
    if len(inner) != 1 or outer not in modules:
        advice = hint_or_names(outer, modules, "the program has")
        fail(op, f"there is no gpu.module '{outer}'{advice}")
    functions = _functions(modules[outer])
    name = inner[0].data
    if name not in functions:
        advice = hint_or_names(name, functions, "it has")
        fail(op, f"there is no kernel '{name}' in gpu.module '{outer}'{advice}")
    kernel = functions[name]
    if not is_marked_kernel(kernel):
        fail(
            op,
            f"'{name}' is no kernel; write the keyword 'kernel' behind its arguments",
            notes_at(kernel, "defined here"),
        )
    return kernel


def _functions(module: Operation) -> dict[str, Operation]:
    return {
        symbol_name(found): found
        for found in module.regions[0].block.ops
        if found.name == "gpu.func" and found.regions[0].blocks
    }


def _gpu_modules(op: Operation) -> Iterator[Operation]:
    outer = op.parent_op()
    while outer is not None:
        if outer.name == "builtin.module":
            yield from (
                found for found in outer.regions[0].block.ops if found.name == "gpu.module"
            )
        outer = outer.parent_op()


def _sizes(frame: Frame, op: Operation, what: str, values: Sequence[SSAValue]) -> Sizes:
    x, y, z = (int(frame.array(value)[0]) for value in values)
    if min(x, y, z) < 1:
        fail(op, f"the {what} is {[x, y, z]}; expected three positive sizes, x fastest")
    return x, y, z


def _check_known(
    frame: Frame, op: Operation, kernel: Operation, grid: Sizes, block: Sizes
) -> None:
    """Raise if the block differs from the kernel's, which its code assumes; warn, once, if the grid does."""
    known = launch_sizes(kernel, "known_block_size")
    if known is not None and known != block:
        wanted = f"{_described(kernel)} has known_block_size {list(known)}"
        fail(op, f"the launch has a block of {list(block)}, {wanted}")
    known = launch_sizes(kernel, "known_grid_size")
    if known is not None and known != grid:
        wanted = f"{_described(kernel)} has known_grid_size {list(known)}"
        told = f"the launch has a grid of {list(grid)}, which counts; {wanted}"
        frame.machine.keep(("grid", op, grid), lambda: warn(op, told))


def _described(kernel: Operation) -> str:
    return f"the kernel '{symbol_name(kernel)}'{with_line(kernel, ' in line {}')}"


def _check_arguments(op: Operation, kernel: Operation, given: Sequence[SSAValue]) -> None:
    types = [parameter.type for parameter in parameters_of(kernel)]
    found = [value.type for value in given]
    if types != found:
        wanted, shown = (", ".join(map(str, side)) or "nothing" for side in (types, found))
        fail(op, f"the launch gives {shown}, {_described(kernel)} takes {wanted}")


def _whole_subgroups(op: Operation, kernel: Operation, block: Sizes) -> int:
    threads = subgroup_threads(kernel)
    if prod(block) % threads:
        fail(
            op,
            f"the block {list(block)} has {prod(block)} work-items; expected a multiple of {threads}, "
            f"the lanes of a subgroup (or {OLDER_CONVENTION} on {_described(kernel)}, which counts subgroups)",
        )
    return prod(block) // threads


def _check_maps(op: Operation, kernel: Operation, subgroups: int) -> None:
    for at in kernel.walk():
        for map in _maps(at):
            total = prod(map.sg_layout)
            if total != subgroups:
                found = (
                    f"sg_layout {list(map.sg_layout)}{with_line(at, ' (line {})')} has {total}"
                )
                fail(op, f"the launch has blocks of {subgroups} subgroups, {found}")


def _maps(op: Operation) -> Iterator[WorkgroupMapAttr]:
    named = (*op.attributes.items(), *op.properties.items())
    found: list[object] = [value for name, value in named if name.startswith("wg_map")]
    found += [getattr(result.type, "wg_map", None) for result in op.results]
    yield from (map for map in found if isinstance(map, WorkgroupMapAttr))


def _level_of_body(op: Operation) -> Unit:
    if UNIT_ATTRIBUTE in op.attributes or holds_dialect(op, "xetile", "xegpu", "xevm"):
        return level(op)
    return "lane"


def _body_arguments(frame: Frame, op: LaunchOp) -> Values:
    threads, arguments = frame.threads, op.body.blocks[0].args
    assert threads.block is not None
    ids = [threads.block_id(frame.active, axis) for axis in AXES]
    used = [bool(argument.uses) for argument in arguments[3:6]]
    within = [
        threads.thread_id(frame.active, axis, op) if needed else uniform(0)
        for axis, needed in zip(AXES, used, strict=True)
    ]
    return [*ids, *within, *map(uniform, threads.grid), *map(uniform, threads.block)]


HANDLERS: Handlers = {
    "gpu.launch_func": with_token(_launch_func),
    "gpu.launch": with_token(_launch),
}
