"""What a kernel written by hand says of its launch, held against docs/launch-contract.schema.json and the function."""

import json
from collections.abc import Sequence
from typing import NoReturn, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile.codegen.functions import WORKGROUP_SIZE
from xetile.dialects.modules import context
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.errors import fail
from xetile.hints import isa
from xetile.levels import LAUNCH_ATTRIBUTE
from xetile.passes.convert_xevm_to_llvm.signature import described, memref_arguments, passed_as

Plain: TypeAlias = "str | int | bool | list[Plain] | dict[str, Plain] | None"
"""What JSON can say of a kernel."""

_KEYS = ("arguments", "grid", "block", "subgroup_size", "shared_memory")
_WORDS = ("name", "kind", "type", "source")
_POINTER = "pointer"


def plain(attribute: Attribute) -> Plain:
    """An attribute as JSON has it; a unit is what is known when running."""
    if isinstance(attribute, DictionaryAttr):
        return {key: plain(value) for key, value in attribute.data.items()}
    if isa(attribute, ArrayAttr):
        return [plain(value) for value in attribute.data]
    if isa(attribute, IntegerAttr):
        return attribute.value.data
    if isinstance(attribute, UnitAttr):
        return None
    return attribute.data if isinstance(attribute, StringAttr) else str(attribute)


def check_launch(function: llvm.FuncOp, entries: Plain) -> dict[str, Plain]:
    """What a `LAUNCH_ATTRIBUTE` says; refused where it is not as the pass that lowers a kernel writes it."""
    if not isinstance(entries, dict):
        _refuse(function, f"is {json.dumps(entries)}; expected a dictionary")
    if more := [key for key in entries if key not in _KEYS]:
        _refuse(function, f"has {', '.join(more)}; expected {', '.join(_KEYS)}")
    values = function.body.blocks[0].args
    arguments = entries.get("arguments")
    if not isinstance(arguments, list) or len(arguments) != len(values):
        _refuse(function, f"does not list the {len(values)} arguments")
    for key in ("grid", "block"):
        if (sizes := entries.get(key)) is not None and not _are_sizes(sizes):
            _refuse(function, f": {key} is {json.dumps(sizes)}; expected {_SIZES}")
    for key, least in (("subgroup_size", 1), ("shared_memory", 0)):
        found, wanted = entries.get(key), f"expected a number from {least} on"
        if key not in entries:
            _refuse(function, f"has no {key}; {wanted}")
        if not isinstance(found, int) or found < least:
            _refuse(function, f": {key} is {json.dumps(found)}; {wanted}")
    known, start = context(), 0
    while start < len(arguments):
        start += _check_group(function, known, arguments, start)
    for number, (entry, value) in enumerate(zip(arguments, values, strict=True)):
        found = str(cast("dict[str, Plain]", entry)["type"])
        if found != (wanted := type_name(value.type)):
            shown = "a pointer" if wanted == _POINTER else wanted
            _refuse(
                function,
                f": argument {number} is passed as {found}; the function takes {shown}",
            )
    return entries


def check_unlowered(function: llvm.FuncOp, block: Sequence[int]) -> None:
    """Refuse what cannot be passed to a kernel that was written in the llvm dialect; no block is none."""
    if block and not _are_sizes(list(block)):
        fail(function, f"{WORKGROUP_SIZE} is {list(block)}; expected {_SIZES}")
    for number, argument in enumerate(function.body.blocks[0].args):
        if isinstance(argument.type, llvm.LLVMPointerType):
            continue
        wanted = passed_as(argument.type)
        if wanted is None:
            fail(function, f"argument {number} is {argument.type}, which no kernel takes")
        if wanted != argument.type:
            fail(
                function, f"argument {number} is {argument.type}, which is passed as {wanted}"
            )


def type_name(type: Attribute) -> str:
    """The type of an argument, as the contract names it."""
    return _POINTER if isinstance(type, llvm.LLVMPointerType) else str(type)


_SIZES = "three positive sizes, x fastest"


def _are_sizes(sizes: Plain) -> bool:
    return (
        isinstance(sizes, list)
        and len(sizes) == 3
        and all(isinstance(size, int) and size > 0 for size in sizes)
    )


def _check_group(
    function: llvm.FuncOp, known: Context, entries: Sequence[Plain], start: int
) -> int:
    """Check what one of the kernel's own arguments is passed as, from entry `start` on; how many that are."""
    entry = _with_words(function, entries[start], start)
    source = _source(function, known, str(entry["source"]), start)
    if not isinstance(source, MemRefType):
        _check_scalar(function, entry, source, start)
        return 1
    memref = cast("MemRefType[Attribute]", source)
    if strides_and_offset(memref) is None:
        _refuse(
            function, f": argument {start} is made of {source}, whose layout is not strided"
        )
    expected = [
        plain(described(part)) for part in memref_arguments(memref, str(entry["name"]))
    ]
    for number, wanted in enumerate(cast("list[dict[str, Plain]]", expected), start):
        if number == len(entries):
            what = " ".join(str(wanted[key]) for key in ("kind", "dimension") if key in wanted)
            _refuse(function, f" ends within {source}; expected its {what}")
        _check_part(function, _with_words(function, entries[number], number), wanted, number)
    return len(expected)


def _with_words(function: llvm.FuncOp, entry: Plain, number: int) -> dict[str, Plain]:
    if isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in _WORDS):
        return entry
    found = f"{{{', '.join(entry)}}}" if isinstance(entry, dict) else json.dumps(entry)
    wanted = "expected name, kind, type and source, each a string"
    _refuse(function, f": argument {number} is {found}; {wanted}")


def _source(function: llvm.FuncOp, known: Context, text: str, number: int) -> Attribute:
    try:
        return Parser(known, text).parse_type()
    except (ParseError, VerifyException):
        _refuse(function, f": argument {number} has the source '{text}', which is no type")


def _check_part(
    function: llvm.FuncOp, entry: dict[str, Plain], wanted: dict[str, Plain], number: int
) -> None:
    """Compare an entry of a memref's with what it has to be."""
    source = str(wanted["source"])
    for key, value in wanted.items():
        if key not in entry or entry[key] != value:
            found = f"{key} {json.dumps(entry[key])}" if key in entry else f"no {key}"
            told = f"has {found}; expected {json.dumps(value)} for {source}"
            _refuse(function, f": argument {number} {told}")
    if more := [key for key in entry if key not in wanted]:
        _refuse(function, f": argument {number} has {', '.join(more)}, which a memref has not")


def _check_scalar(
    function: llvm.FuncOp, entry: dict[str, Plain], source: Attribute, number: int
) -> None:
    if more := [key for key in entry if key not in _WORDS]:
        told = f"has {', '.join(more)}; expected name, kind, type and source alone"
        _refuse(function, f": argument {number} {told}")
    kind, found = entry["kind"], entry["type"]
    told = f": argument {number} is a {kind} of type {found}, made of {source}"
    is_pointer = isinstance(source, llvm.LLVMPointerType)
    if kind == found == _POINTER and (is_pointer or _is_address(source)):
        return
    wanted = passed_as(source)
    if wanted is None:
        _refuse(function, f"{told}, which no kernel takes")
    if is_pointer:
        _refuse(function, f"{told}; expected a pointer of type pointer")
    if (kind, found) != ("value", str(wanted)):
        _refuse(function, f"{told}; expected a value of type {wanted}")


def _is_address(source: Attribute) -> bool:
    return isa(source, IntegerType) and source.width.data == 64


def _refuse(function: llvm.FuncOp, what: str) -> NoReturn:
    blank = "" if what[0] in ": " else " "
    fail(function, f"'{LAUNCH_ATTRIBUTE}'{blank}{what}")
