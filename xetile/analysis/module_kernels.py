"""The kernels of a module: their names, levels, and numbers of subgroups.

Levels and launch conventions: docs/xetile-dialect.md and docs/running.md.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import prod
from operator import index
from typing import SupportsIndex, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation

from xetile.advice import hint_or_names
from xetile.analysis.kernel_targets import subgroup_threads
from xetile.dialects.upstream.gpu.gpu_host_ops import LaunchFuncOp
from xetile.errors import XetileError, fail, position
from xetile.levels import SG_LAYOUT_ATTRIBUTE, UNIT_ATTRIBUTE
from xetile.targets.target import UNITS, Unit

OLDER_CONVENTION = "VectorComputeFunctionINTEL"
"""A kernel with this attribute counts subgroups, not work-items, in its block size (Intel's older convention)."""

_FUNCTIONS = ("gpu.func", "func.func")


def functions(module: Operation) -> Iterator[Operation]:
    """Yield the functions with a body, in the order of the module."""
    for op in outermost(module, _FUNCTIONS):
        if op.regions and op.regions[0].blocks:
            yield op


def outermost(op: Operation, names: Collection[str]) -> Iterator[Operation]:
    """Yield the ops with these names, in order, without looking inside them, so that long bodies cost nothing."""
    if op.name in names:
        yield op
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from outermost(inner, names)


def holds_dialect(function: Operation, *dialects: str) -> bool:
    """Return True if the function contains an op of one of the dialects."""
    return any(op.name.partition(".")[0] in dialects for op in function.walk())


def level(function: Operation) -> Unit:
    """Return the level that is written on the kernel, else the one that follows from its ops."""
    written = function.attributes.get(UNIT_ATTRIBUTE)
    if written is not None:
        if isinstance(written, StringAttr) and written.data in UNITS:
            return written.data
        fail(function, f"xetile.level is {written}; expected one of {', '.join(UNITS)}")
    if SG_LAYOUT_ATTRIBUTE in function.attributes:
        return "workgroup"
    if any(has_workgroup_map(op) for op in function.walk()):
        return "workgroup"
    if holds_dialect(function, "xevm"):
        return "lane"
    return "subgroup"


def is_of_subgroup(function: Operation) -> bool:
    """Return True if a kernel is marked as one for a subgroup, as those made from workgroup kernels are."""
    return function.attributes.get(UNIT_ATTRIBUTE) == StringAttr("subgroup")


def set_level(function: Operation, level: Unit) -> None:
    """Write the level on the kernel."""
    function.attributes[UNIT_ATTRIBUTE] = StringAttr(level)


def has_workgroup_map(op: Operation) -> bool:
    """Return True if an op, or a tile among its operands and results, carries a `wg_map`."""
    return next(_maps_on(op), None) is not None


def _maps_on(op: Operation) -> Iterator[object]:
    for name, found in (*op.attributes.items(), *op.properties.items()):
        if name.startswith("wg_map"):
            yield found
    for value in (*op.operands, *op.results):
        if (map := getattr(value.type, "wg_map", None)) is not None:
            yield map


def launch_sizes(function: Operation, name: str) -> tuple[int, int, int] | None:
    """Return the value of `known_block_size` or `known_grid_size` (x, y, z), or None if it is not written.

    Older files write them as attributes of the gpu dialect, `gpu.known_block_size`.
    """
    attribute: Attribute | None = function.properties.get(name)
    for spelling in (name, f"gpu.{name}"):
        attribute = attribute or function.attributes.get(spelling)
    if not isinstance(attribute, DenseArrayBase):
        return None
    sizes = tuple(int(size) for size in attribute.get_values())
    if len(sizes) != 3 or min(sizes) < 1:
        fail(function, f"{name} is {list(sizes)}; expected three positive sizes, x fastest")
    return sizes


def subgroup_count(function: Operation) -> int | None:
    """Return the subgroups of a workgroup, from `known_block_size`, or None if it is not written."""
    sizes = launch_sizes(function, "known_block_size")
    if sizes is None:
        return None
    if OLDER_CONVENTION in function.attributes:
        return prod(sizes)
    threads = subgroup_threads(function)
    if prod(sizes) % threads != 0:
        fail(
            function,
            f"known_block_size {list(sizes)} has {prod(sizes)} work-items; "
            f"expected a multiple of {threads}, the lanes of a subgroup",
        )
    return prod(sizes) // threads


def sg_layout_of(function: Operation) -> tuple[int, int] | None:
    """Return the rows and columns of subgroups over which a kernel distributes its values, or None.

    Raise XetileError unless the attribute is two positive numbers.
    """
    found = function.attributes.get(SG_LAYOUT_ATTRIBUTE)
    if found is None:
        return None
    sizes = [*found.get_values()] if isinstance(found, DenseArrayBase) else []
    match sizes:
        case [int(rows), int(columns)] if rows > 0 and columns > 0:
            return rows, columns
        case _:
            fail(
                function,
                f"{SG_LAYOUT_ATTRIBUTE} is {found}; expected two positive sizes, array<i64: 8, 4>",
            )


def mapped_subgroups(function: Operation) -> int | None:
    """Return the subgroups of a workgroup, from its `xetile.sg_layout` or the first `wg_map`, or None."""
    layout = sg_layout_of(function)
    if layout is not None:
        return prod(layout)
    maps = (map for op in function.walk() for map in _maps_on(op))
    layouts = (getattr(map, "sg_layout", None) for map in maps)
    return next((prod(layout) for layout in layouts if layout is not None), None)


def is_marked_kernel(function: Operation) -> bool:
    """Return True if a gpu.func has the keyword `kernel`; older files write an attribute `gpu.kernel`."""
    return "kernel" in function.properties or "gpu.kernel" in function.attributes


def kernel_functions(module: ModuleOp) -> list[Operation]:
    """Return the kernels: each gpu.func with `kernel`, and each func.func with tile or block ops.

    A func.func that another function calls is not a kernel.
    """
    found: list[Operation] = []
    inside = list(functions(module))
    called: set[Attribute | None] = set()
    if any(function.name != "gpu.func" for function in inside):
        calls = (op for op in module.walk() if op.name == "func.call")
        called = {op.properties.get("callee") for op in calls}
    for function in inside:
        if function.name == "gpu.func":
            if is_marked_kernel(function):
                found.append(function)
        elif SymbolRefAttr(symbol_name(function)) in called:
            continue
        elif holds_dialect(function, "xetile", "xegpu", "xevm"):
            found.append(function)
    return found


def launches(kernel: Operation) -> Iterator[LaunchFuncOp]:
    """Yield the ops of the whole program that launch a kernel of a gpu.module by name."""
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


def find_kernel(module: ModuleOp, name: str | None, choose: str = "by name") -> Operation:
    """Return the function named `name`, or the only kernel; `choose` tells the user how to name one.

    Raise XetileError if there is none, or more than one.
    """
    candidates = kernel_functions(module) if name is None else list(functions(module))
    found = [kernel for kernel in candidates if name is None or symbol_name(kernel) == name]
    if len(found) == 1:
        return found[0]
    if not found:
        raise missing_kernel(module, name, [symbol_name(kernel) for kernel in candidates])
    if name is not None:
        raise XetileError(f"{len(found)} functions are named '{name}'; expected one")
    listed = ", ".join(symbol_name(kernel) for kernel in found)
    raise XetileError(f"which kernel to execute is not clear; choose {choose} among {listed}")


def known_grid(
    kernel: Operation, given: object = None, give: str = "grid=(x, y, z)"
) -> tuple[int, int, int]:
    """Return the workgroups of a launch, as given or as the kernel states them; `give` tells a user how to give them.

    Raise XetileError at the kernel if neither states them, or if `given` is not three positive sizes.
    """
    if given is not None:
        return three_sizes(kernel, given)
    sizes = launch_sizes(kernel, "known_grid_size")
    if sizes is None:
        fail(
            kernel,
            f"the grid is not known; give {give}, or write known_grid_size on the kernel",
        )
    return three_sizes(kernel, sizes)


def three_sizes(kernel: Operation, grid: object) -> tuple[int, int, int]:
    """Return the grid that a caller gives in any iterable.

    Raise XetileError at the kernel unless it is three positive sizes.
    """
    try:
        sizes = [index(size) for size in cast("Iterable[SupportsIndex]", grid)]
    except TypeError:
        sizes = []
    if len(sizes) != 3 or min(sizes) < 1:
        shown = list(cast("Iterable[object]", grid)) if isinstance(grid, tuple) else grid
        fail(kernel, f"the grid is {shown}; expected three positive sizes, x fastest")
    return sizes[0], sizes[1], sizes[2]


def missing_kernel(module: ModuleOp, wanted: str | None, known: Sequence[str]) -> XetileError:
    """Return the error for a module that lacks the named kernel, or any kernel; `known` are the names that it has.

    The error says what the module has in place of a kernel, and what to write.
    """
    if known and wanted is not None:
        advice = hint_or_names(str(wanted), known, "the module has")
        return XetileError(f"there is no kernel '{wanted}'{advice}")
    which = "" if wanted is None else f" '{wanted}'"
    if not module.body.block.ops:
        return XetileError(
            f"there is no kernel{which}: the file is empty; expected a gpu.module with a gpu.func "
            "that has the keyword 'kernel'",
            position(module),
        )
    others = [f for f in functions(module) if wanted is None or symbol_name(f) == wanted]
    if not others:
        return XetileError(
            f"there is no kernel{which}; a kernel is a gpu.func with the keyword 'kernel' in a gpu.module"
        )
    name = symbol_name(others[0])
    advice = (
        "without the keyword 'kernel'; write it behind the arguments"
        if others[0].name == "gpu.func"
        else "; a kernel is a gpu.func with the keyword 'kernel' in a gpu.module"
    )
    space = "" if advice.startswith(";") else " "
    return XetileError(
        f"there is no kernel: '{name}' is a {others[0].name}{space}{advice}",
        position(others[0]),
    )


def symbol_name(op: Operation) -> str:
    """Return the name of a function, module or variable, or an empty string if it has none."""
    name = op.properties.get("sym_name", op.attributes.get("sym_name"))
    return name.data if isinstance(name, StringAttr) else ""


def parameter_types(function: Operation) -> Sequence[Attribute]:
    """Return the types of the parameters, without buffers that the kernel itself declares."""
    kind = function.get_attr_or_prop("function_type")
    if isinstance(kind, FunctionType):
        return kind.inputs.data
    return [argument.type for argument in function.regions[0].blocks[0].args]
