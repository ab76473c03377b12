"""What a kernel is as it is given: its level, and its subgroups."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.kernels import (
    functions,
    holds_dialect,
    kernel_functions,
    level,
    missing_kernel,
    sg_layout_of,
    subgroup_count,
    symbol_name,
)
from xetile.codegen.functions import is_kernel, llvm_functions
from xetile.dialects.xetile import TileType
from xetile.exploration.model import LevelId
from xetile.levels import LEVELS


def kernels(module: ModuleOp) -> list[Operation]:
    """The kernels of a module, at the last level too.

    Errors: XetileError where there is none.
    """
    found = [*kernel_functions(module), *filter(is_kernel, llvm_functions(module))]
    if not found:
        names = [symbol_name(function) for function in functions(module)]
        raise missing_kernel(module, None, names)
    return found


def level_of(function: Operation) -> LevelId:
    """The letter of the level at which a kernel stands."""
    if function.name == "llvm.func":
        return "L"
    match level(function):
        case "workgroup":
            return "W"
        case "lane":
            return "V"
        case "subgroup" if holds_dialect(function, "xetile"):
            return "B" if any(map(_is_blocked, function.walk())) else "S"
        case "subgroup":
            return "X" if holds_dialect(function, "xegpu") else "S"


def _is_blocked(op: Operation) -> bool:
    """Whether an op makes or takes tiles in blocks."""
    types = [value.type for value in (*op.results, *op.operands)]
    return any(isinstance(type, TileType) and type.inner_blocks is not None for type in types)


def letters_from(first: LevelId) -> dict[str, LevelId]:
    """The letters of the levels below one, by their names."""
    letters: list[LevelId] = ["W", "S", "B", "X", "V", "L"]
    below = letters[letters.index(first) + 1 :]
    return {row.name: letter for row in LEVELS for letter in below if letter == row.letter}


def layout_of_subgroups(function: Operation) -> list[int] | None:
    """Rows and columns of subgroups, from the kernel's attribute, else its first `wg_map`; None where nothing says."""
    if function.name == "llvm.func":
        return None
    if (layout := sg_layout_of(function)) is not None:
        return list(layout)
    for op in function.walk():
        attributes = (*op.attributes.values(), *op.properties.values())
        types = (value.type for value in (*op.operands, *op.results))
        maps = (*attributes, *(getattr(type, "wg_map", None) for type in types))
        for map in maps:
            if (sizes := getattr(map, "sg_layout", None)) is not None:
                return [int(size) for size in sizes]
    return None


def subgroups_of(function: Operation) -> int | None:
    """Subgroups of a workgroup; None where the kernel does not say how large that is."""
    return None if function.name == "llvm.func" else subgroup_count(function)
