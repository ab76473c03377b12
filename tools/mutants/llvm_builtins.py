"""Builtins that a fault may call in place of another: their declarations have the same types."""

import re
from collections.abc import Iterator

from xetile.layout.intel.message_layouts import Access
from xetile.passes.xe.convert_xevm_to_llvm.builtins import (
    BlockShape,
    block_function,
    block_name,
    cached_block_function,
    has_product,
    matrix_function,
    register_bits,
)
from xetile.targets.xe.messages import VERIFIED, verified

_BLOCK = re.compile(
    r"intel_sub_group_2d_block_(?P<action>read|read_transform|read_transpose|write)_"
    r"(?P<bits>\d+)b_(?P<rows>\d+)r(?P<columns>\d+)x(?P<blocks>\d+)c(?P<cached>_cache_controls)?"
)
_MATRIX = re.compile(
    r"intel_sub_group_(?P<a>\w+?)_(?P<b>\w+?)_matrix_mad_k(?P<depth>\d+)(?P<types>Dv.*|[sfi].*)"
)
_GROUPS = (
    "_Z12get_group_idj",
    "_Z14get_num_groupsj",
    "_Z12get_local_idj",
    "_Z14get_local_sizej",
)
_SUBGROUPS = (
    "_Z16get_sub_group_idv",
    "_Z22get_sub_group_local_idv",
    "_Z18get_num_sub_groupsv",
    "_Z18get_sub_group_sizev",
)
_ACCESS: dict[str, Access] = {
    "read": "load",
    "read_transform": "load_packed",
    "read_transpose": "load_transposed",
    "write": "store",
}
_OPERANDS = ("f16", "bf16", "s8", "u8")
_ACCUMULATORS = ("f32", "f16", "bf16", "s32")


def other_names(callee: str) -> list[str]:
    """The names of other functions that are declared alike and that exist."""
    for family in (_GROUPS, _SUBGROUPS):
        if callee in family:
            return [name for name in family if name != callee]
    found = _BLOCK.search(callee)
    names = _blocks(found) if found is not None else _products(callee)
    return sorted(set(names) - {callee})


def _blocks(found: re.Match[str]) -> Iterator[str]:
    """The messages that differ in one number, or in how they arrange what they read."""
    shape = tuple(int(found[part]) for part in ("bits", "rows", "columns", "blocks"))
    for action, access in _ACCESS.items():
        if (action == "write") != (found["action"] == "write"):
            continue
        for bits in VERIFIED[access]:
            for other in verified(access, bits):
                candidate = BlockShape(bits, other.rows, other.columns, other.blocks)
                changed = sum(one != two for one, two in zip(shape, candidate, strict=True))
                if changed + (action != found["action"]) == 1:
                    yield _named(action, candidate, cached=found["cached"] is not None)


def _named(action: str, shape: BlockShape, *, cached: bool) -> str:
    name = block_name(action, shape)
    if cached:
        return cached_block_function(name)
    return block_function(name, register_bits(shape, packed=action == "read_transform"))


def _products(callee: str) -> Iterator[str]:
    """The products of other types whose registers are the same."""
    found = _MATRIX.search(callee)
    if found is None:
        return
    rows = next(int(n) for n in re.findall(r"Dv(\d)_", found["types"]) or ["1"])
    depth = int(found["depth"])
    known = [
        (a, b, c)
        for a in _OPERANDS
        for b in _OPERANDS
        for c in _ACCUMULATORS
        if has_product(a, b, c)
    ]
    name = {kind: matrix_function(*kind, rows=rows, depth=depth) for kind in known}
    own = next((kind for kind in known if name[kind] == callee), None)
    if own is None:
        return
    for kind in known:
        same_accumulator = kind[2] == own[2]
        same_bits = (kind[0] in ("s8", "u8")) == (own[0] in ("s8", "u8"))
        if same_accumulator and same_bits:
            yield name[kind]
