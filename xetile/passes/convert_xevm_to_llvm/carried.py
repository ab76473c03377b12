"""What blocks hand on at L: values as block arguments, chunk by chunk."""

from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, SSAValue

from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.types import vector_length
from xetile.passes.convert_xevm_to_llvm.view import Chunks, LLVMView, Strided

Slot: TypeAlias = tuple[Attribute, ...]
"""How a value is carried: the types of its block arguments."""


def slots_of(view: LLVMView, *values: Sequence[SSAValue]) -> list[Slot]:
    """How values are carried that take one another's place, each row of them in one slot."""
    return [_slot(view, row) for row in zip(*values, strict=True)]


def _slot(view: LLVMView, values: Sequence[SSAValue]) -> Slot:
    """An index has 32 bits if all of the values fit."""
    if isinstance(values[0].type, IndexType):
        return (IntegerType(32 if view.fits(*values) else 64),)
    return tuple(view.part_types(values[0]))


def _flat(view: LLVMView, value: SSAValue, slot: Slot) -> tuple[SSAValue, ...]:
    if isinstance(view.get(value), Strided):
        view.refuse(f"carries {value.type}, which has no lowering to LLVM IR")
    if isa(slot[0], IntegerType) and vector_length(value.type) is None:
        return (view.integer(value, slot[0].width.data),)
    return view.parts(value)


def all_flat(
    view: LLVMView, values: Sequence[SSAValue], slots: Sequence[Slot]
) -> list[SSAValue]:
    """What is handed on for values."""
    return [p for v, slot in zip(values, slots, strict=True) for p in _flat(view, v, slot)]


def bind_carried(
    view: LLVMView,
    values: Sequence[SSAValue],
    slots: Sequence[Slot],
    arguments: Sequence[SSAValue],
) -> None:
    """Say that values became the arguments of a block."""
    rest = iter(arguments)
    for value, slot in zip(values, slots, strict=True):
        parts = tuple(islice(rest, len(slot)))
        if vector_length(value.type) is None:
            view.bind(value, parts[0])
        else:
            for part in parts:
                part.name_hint = value.name_hint
            view.bind(value, Chunks(view.element(value), parts))


def types_of(slots: Sequence[Slot]) -> list[Attribute]:
    """The types of a block's arguments."""
    return [type for slot in slots for type in slot]
