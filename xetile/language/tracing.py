"""From a Python function to a module: its body runs once, on values that stand for what it will be given.

What Python itself refuses in a kernel (a name that is not defined, an attribute that is not there), in one line.

An exception that a kernel raises in so many words stays what it is, as does one from inside of a module that it calls.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dis import opmap
from math import lcm, prod
from types import TracebackType
from typing import TYPE_CHECKING

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import MemoryWriteEffect

from xetile.analysis.promises import MULTIPLES_ATTRIBUTE
from xetile.dialects.traits import WritesTile, has_trait
from xetile.errors import XetileError, warn
from xetile.language.arrays import Array, memref_of
from xetile.language.builder import Builder, Pair, current, named, using
from xetile.language.control import rewritten
from xetile.language.flags import flags_of
from xetile.language.given import ArgumentType
from xetile.language.indices import Index
from xetile.language.positions import is_ours, place_at
from xetile.language.refusals import refusals_are_final, refuse
from xetile.language.scalars import Scalar
from xetile.language.types import ArrayType
from xetile.language.values import Value
from xetile.levels import SG_LAYOUT_ATTRIBUTE
from xetile.targets import DEFAULT, find

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

    from xetile.dialects.upstream import gpu


_REFUSED = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What Python's interpreter raises where operators, names, attributes and places do not fit."""

_RAISE = opmap["RAISE_VARARGS"]


@contextmanager
def in_one_line() -> Generator[None]:
    """What Python's interpreter refuses inside of a function of a user's comes out as XetileError, at its line."""
    try:
        yield
    except XetileError:
        raise
    except _REFUSED as error:
        last = _last(error.__traceback__)
        if last is None or is_ours(last.tb_frame) or _is_raise(last):
            raise
        place = place_at(last.tb_frame.f_code, last.tb_lasti)
        raise XetileError(_said(error), place) from error


def _last(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _is_raise(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE


def _said(error: Exception) -> str:
    if isinstance(error, AttributeError) and isinstance(error.obj, Value):
        from xetile.advice import hint

        known = [name for name in dir(type(error.obj)) if not name.startswith("_")]
        return f"{error.obj.describe()} has no '.{error.name}'{hint(error.name or '', known)}"
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, TypeError) and "'Array'" in text:
        text += "; an array lies in memory, load a tile of it: A[m:m + BM, n:n + BN]"
    if isinstance(error, TypeError) and text.endswith("argument: 'axis'"):
        text += ", 0 (down the columns) or 1 (along the rows); .sum(1).sum(0) for example is of all"
    return text


def trace(
    function: Callable[..., object],
    name: str,
    types: Mapping[str, ArgumentType],
    constants: Mapping[str, object],
    *,
    sg_layout: Pair,
    fastmath: tuple[str, ...] = (),
    at: "FileLineColLoc | None" = None,
) -> ModuleOp:
    """The module of a kernel for arguments of `types`, by the names of its parameters; `at` is its `def`."""
    from xetile.dialects.upstream import gpu

    block = Block(arg_types=[attribute_of(type) for type in types.values()])
    builder = Builder(sg_layout, block, flags_of(fastmath) if fastmath else None)
    with using(builder), refusals_are_final():
        traced, arguments = rewritten(function), arguments_of(block.args, types)
        with in_one_line():
            result = called(traced, arguments, constants)
        check_result(name, result, at)
        if builder.unfinished:
            refuse(
                "an exception left this statement while it was traced, and was caught; a kernel catches none",
                builder.unfinished[-1],
            )
        end = gpu.ReturnOp()
        builder.insert(end)
    op = _function(name, block, sg_layout, _promises(list(types.values())))
    module = gpu.ModuleOp("kernels", [op])
    outer = builtin.ModuleOp([module])
    if at is not None:
        op.location = end.location = module.location = outer.location = at
    if not any(map(_shows, op.walk())):
        warn(
            op,
            f"kernel '{name}' stores nothing, so it does nothing; write C[m:m + BM, n:n + BN] = tile",
        )
    return outer


def _shows(op: Operation) -> bool:
    """Whether somebody outside of the kernel sees what an op does."""
    if op.name in ("gpu.printf", "xetile.check", "memref.atomic_rmw"):
        return True
    return has_trait(op, WritesTile) or op.has_trait(MemoryWriteEffect)


def check_result(name: str, result: object, at: "FileLineColLoc | None") -> None:
    """Refuse what a kernel returns, for it would be lost."""
    if result is not None:
        refuse(f"kernel '{name}' returns a value; it stores what it computes in an array", at)


def _function(
    name: str, block: Block, sg_layout: Pair, promises: ArrayAttr[DictionaryAttr] | None
) -> "gpu.FuncOp":
    from xetile.dialects.upstream import gpu

    threads = find(DEFAULT).threads * prod(sg_layout)
    function = gpu.FuncOp(
        name,
        ([argument.type for argument in block.args], ()),
        Region(block),
        kernel=True,
        arg_attrs=promises,
        known_block_size=DenseArrayBase.from_list(i32, [threads, 1, 1]),
    )
    function.attributes[SG_LAYOUT_ATTRIBUTE] = DenseArrayBase.from_list(i64, list(sg_layout))
    return function


def _promises(types: Sequence[ArgumentType]) -> ArrayAttr[DictionaryAttr] | None:
    """What callers promise of each argument: alignment, and of named extents what any argument promises."""
    arrays = [type for type in types if isinstance(type, ArrayType)]
    multiples: dict[str, int] = {}
    for name, number in (promise for array in arrays for promise in array.multiples):
        multiples[name] = lcm(number, multiples.get(name, 1))
    found = [_promised(type, multiples) for type in types]
    return ArrayAttr(map(DictionaryAttr, found)) if any(found) else None


def _promised(type: ArgumentType, multiples: Mapping[str, int]) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    if not isinstance(type, ArrayType):
        return found
    if type.alignment > 1:
        found["llvm.align"] = IntegerAttr(type.alignment, i64)
    if any(isinstance(extent, str) for extent in type.extents):
        numbers = [multiples.get(e, 1) if isinstance(e, str) else 1 for e in type.extents]
        found[MULTIPLES_ATTRIBUTE] = DenseArrayBase.from_list(i64, numbers)
    return found


def attribute_of(type: ArgumentType) -> Attribute:
    """The type of an argument in IR."""
    return memref_of(type) if isinstance(type, ArrayType) else type.attribute


def called(
    function: Callable[..., object],
    arguments: Mapping[str, object],
    constants: Mapping[str, object],
) -> object:
    """What a kernel's function returns for arguments by name, None for those that are left out."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    return function(*map(arguments.get, names), **constants)


def arguments_of(
    values: Sequence[SSAValue], types: Mapping[str, ArgumentType]
) -> dict[str, object]:
    """What the function is called with, by name; extents of one name are one index."""
    extents: dict[str, Index] = {}
    return {
        name: _argument(named(value, name), type, extents)
        for value, (name, type) in zip(values, types.items(), strict=True)
    }


def _argument(value: SSAValue, type: ArgumentType, extents: dict[str, Index]) -> object:
    if isinstance(type, ArrayType):
        return Array(value, type, tuple(_extents(value, type, extents)))
    return Index.of(value) if type.kind == "index" else Scalar(value, type)


def _extents(value: SSAValue, type: ArrayType, known: dict[str, Index]) -> "list[Index | int]":
    from xetile.dialects.upstream.memref import DimOp

    found: list[Index | int] = []
    for dimension, extent in enumerate(type.extents):
        if isinstance(extent, str):
            if extent not in known:
                builder = current()
                size = builder.at_entry(DimOp(value, builder.index(dimension)))
                known[extent] = Index.of(named(size, extent))
            extent = known[extent]
        found.append(extent)
    return found
