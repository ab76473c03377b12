"""The launch contract of a compiled kernel, which tells a host how to launch it.

The contract of a kernel written by hand is checked against docs/launch-contract.schema.json and the function.

The contract also names the arguments of a kernel at L that are the bases of 2D surfaces.
"""

import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import NoReturn, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from xetile import __version__
from xetile.analysis.kernel_targets import named_targets, subgroup_threads
from xetile.analysis.module_kernels import kernel_functions, level
from xetile.codegen.build_options import build_options, divides, register_file
from xetile.codegen.llvm_functions import (
    WORKGROUP_SIZE,
    callee,
    calls_of,
    is_kernel,
    llvm_functions,
)
from xetile.codegen.preconditions import Precondition, preconditions
from xetile.dialects.modules import context
from xetile.dialects.upstream.llvm import AddrSpaceCastOp, SelectOp
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.errors import fail
from xetile.hints import isa
from xetile.levels import LAUNCH_ATTRIBUTE, SURFACES_ATTRIBUTE
from xetile.passes.xe.convert_xevm_to_llvm.signature import (
    described,
    memref_arguments,
    passed_as,
)
from xetile.planning.xe.pressure import noted
from xetile.targets import DEFAULT
from xetile.targets.target import RegisterFile
from xetile.targets.xe.surface import SURFACE

_SURFACE_FUNCTIONS = ("_2d_block_", "createBlock2DAddressPayload")
"""Parts of the names of the functions whose first argument is the base of a surface."""


def surface_bases(kernel: llvm.FuncOp) -> set[BlockArgument]:
    """Return the arguments from which a 2D block message gets its base.

    In a sum these are its pointers; if it has none, the integers that are added: one of them is the address.
    """
    found: set[BlockArgument] = set()
    for address in {call.args[0] for call in calls_of(kernel) if _makes_message(call)}:
        terms = set(_terms(address, kernel.body.blocks[0]))
        pointers = {term for term in terms if isinstance(term.type, llvm.LLVMPointerType)}
        found |= pointers or terms
    return found


def _makes_message(call: llvm.CallOp) -> bool:
    name = callee(call) or ""
    return any(part in name for part in _SURFACE_FUNCTIONS)


def _terms(address: SSAValue, entry: Block) -> Iterator[BlockArgument]:
    """Yield the kernel's arguments that are terms of the sum that computes an address."""
    seen: set[SSAValue] = set()
    waiting = [address]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if not isinstance(value, BlockArgument):
            waiting.extend(_summands(value))
        elif value.block is entry:
            yield value
        else:
            waiting.extend(_handed(value))


def _summands(value: SSAValue) -> Sequence[SSAValue]:
    match value.owner:
        case llvm.AddOp(lhs=left, rhs=right) | SelectOp(lhs=left, rhs=right):
            return left, right
        case llvm.GEPOp(ptr=base) | llvm.SubOp(lhs=base):
            return (base,)
        case llvm.IntToPtrOp() | llvm.PtrToIntOp() | AddrSpaceCastOp() as cast:
            return cast.operands
        case _:  # a product or a loaded value is no longer an address
            return ()


def _handed(argument: BlockArgument) -> Iterator[SSAValue]:
    """Yield the values that branches pass to an argument of a block."""
    for block in argument.block.predecessors():
        match block.last_op:
            case llvm.BrOp(arguments=given):
                yield given[argument.index]
            case llvm.CondBrOp() as branch:
                if branch.then_block is argument.block:
                    yield branch.then_arguments[argument.index]
                if branch.else_block is argument.block:
                    yield branch.else_arguments[argument.index]
            case _:
                pass


Plain: TypeAlias = "str | int | bool | list[Plain] | dict[str, Plain] | None"
"""Any value that JSON can represent."""

_KEYS = ("arguments", "grid", "block", "subgroup_size", "shared_memory")
_WORDS = ("name", "kind", "type", "source")
_POINTER = "pointer"


def plain(attribute: Attribute) -> Plain:
    """Return an attribute as a JSON value; a unit attribute is a value known only at run time."""
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
    """Return the entries of a `LAUNCH_ATTRIBUTE`; raise unless they are as the pass that lowers kernels writes them."""
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
    """Raise if a kernel written in the llvm dialect has unsupported arguments; `block` may be empty."""
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
    """Return the type of an argument, as the contract names it."""
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
    """Check the entries from `start` that pass one of the kernel's own arguments; return their number."""
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
    """Compare an entry of a memref with the expected one."""
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


VERSION = 1
"""Version of the contract: it grows when a key changes its meaning."""


def contract_of(
    module: ModuleOp,
    device: str | None = None,
    *,
    grf: RegisterFile | None,
    otherwise: str | None = None,
) -> dict[str, Plain]:
    """Return the launch contract of the kernels of a module of the llvm dialect.

    docs/launch-contract.schema.json describes its keys: sizes of the grid count workgroups, those of a
    block work-items, x first, None if they are free; extents of surfaces are bytes. The device is `device`, else
    the one that the gpu.module names, else `otherwise`. `grf` is the register file, None for the one that
    `build_options` chooses.
    """
    grf = grf or register_file(module, device)
    kernels: list[Plain] = [
        _kernel(function, device or _named(function) or otherwise, grf)
        for function in llvm_functions(module)
        if is_kernel(function)
    ]
    options = build_options(module, device, grf=grf)
    return {
        "version": VERSION,
        "made_by": {"xetile": __version__, "llvm": _llvm_version()},
        "kernels": kernels,
        "build_options": {
            "opencl": " ".join(options.opencl),
            "level_zero": " ".join(options.level_zero),
        },
    }


def device_otherwise(module: ModuleOp) -> str | None:
    """Return the default device for kernels that name none, or None if they were planned before for an unknown one."""
    kernels = kernel_functions(module)
    return DEFAULT if kernels and all(level(kernel) != "lane" for kernel in kernels) else None


def _named(kernel: llvm.FuncOp) -> str | None:
    """Return the one device that the kernel's gpu.module names, or None."""
    named = named_targets(kernel)
    return named[0].name if len(named) == 1 else None


def _llvm_version() -> str:
    binding = import_module("llvmlite.binding")
    return ".".join(str(part) for part in binding.llvm_version_info)


def _kernel(function: llvm.FuncOp, device: str | None, grf: RegisterFile) -> dict[str, Plain]:
    entries = _entries(function)
    bases = surface_bases(function)
    stated = {} if SURFACES_ATTRIBUTE in function.attributes else preconditions(function)
    arguments = cast("list[dict[str, Plain]]", entries["arguments"])
    for entry, value in zip(arguments, function.body.blocks[0].args, strict=True):
        if value in bases:
            entry["surface"] = _surface_rules(stated.get(value.index, ()))
    return {
        "name": function.sym_name.data,
        "device": device,
        "grid": None,
        "block": None,
        **entries,
        "floating_point": _floating_point(function),
        "registers": {"file": grf, "estimated": noted(function).counted.registers},
    }


def _entries(function: llvm.FuncOp) -> dict[str, Plain]:
    launch = function.attributes.get(LAUNCH_ATTRIBUTE)
    if launch is None:
        return _unlowered(function)
    return check_launch(function, plain(launch))


def _unlowered(function: llvm.FuncOp) -> dict[str, Plain]:
    """Return the entries of a kernel that was written in the llvm dialect."""
    block = function.attributes.get(WORKGROUP_SIZE)
    sizes = (
        [int(size) for size in block.get_values()] if isinstance(block, DenseArrayBase) else []
    )
    check_unlowered(function, sizes)
    arguments: list[Plain] = []
    for number, argument in enumerate(function.body.blocks[0].args):
        is_pointer = isinstance(argument.type, llvm.LLVMPointerType)
        entry: dict[str, Plain] = {
            "name": argument.name_hint or f"arg{number}",
            "kind": "pointer" if is_pointer else "value",
            "type": type_name(argument.type),
            "source": str(argument.type),
        }
        arguments.append(entry)
    return {
        "block": [*sizes] or None,
        "arguments": arguments,
        "subgroup_size": subgroup_threads(function),
        "shared_memory": 0,
    }


def _floating_point(function: llvm.FuncOp) -> dict[str, Plain]:
    """Return the properties of the kernel's arithmetic, apart from matrix instructions and functions such as exp."""
    return {
        "contraction": "off",
        "rounding": "to_nearest_even",
        "denormals": "preserve",
        "exact_division": divides(function),
    }


def _surface_rules(stated: Sequence[Precondition]) -> dict[str, Plain]:
    return {
        "base_alignment": SURFACE.base_alignment,
        "least_width": SURFACE.least_width,
        "width_multiple": SURFACE.width_multiple,
        "least_pitch": SURFACE.least_pitch,
        "pitch_multiple": SURFACE.pitch_multiple,
        "largest_extent": SURFACE.most,
        "preconditions": [_precondition(each) for each in stated],
    }


def _precondition(stated: Precondition) -> Plain:
    """Return a precondition as JSON: a sum in bytes of products, each of a factor and arguments by number."""
    terms: list[Plain] = [
        {"factor": count, "arguments": [*product]}
        for product, count in (stated.bytes or {}).items()
    ]
    return {
        "of": stated.of,
        "bytes": terms or None,
        "multiple": stated.multiple,
        "least": stated.least,
        "most": stated.most,
    }
