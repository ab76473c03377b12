"""Trace a Python function to a module: its body runs once, on values that stand for the arguments.

Errors that Python itself raises in a kernel (an undefined name, a missing attribute) become one-line diagnostics.
Exceptions that a kernel raises with `raise`, or that a module it calls raises, pass through unchanged.

After tracing, tiles that are only prefetched are split over the subgroups, so that each subgroup fetches a piece of
its own. All other maps follow from products and from the kernel's `xetile.sg_layout` (docs/xetile-dialect.md).
"""

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from dis import opmap
from math import gcd, lcm, log2, prod
from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import MemoryWriteEffect

from xetile.analysis.promises import MULTIPLES_ATTRIBUTE
from xetile.dialects.traits import PrefetchesTile, WritesTile, has_trait
from xetile.dialects.xetile import InitTileOp, TileType, WorkgroupMapAttr
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.errors import XetileError, warn
from xetile.language.arrays import Array, Surface
from xetile.language.builder import Builder, Pair, current, flags_of, named, using
from xetile.language.calling.argument_types import ArgumentType, stored_arguments
from xetile.language.calling.grids import Rule, Sizes, infer
from xetile.language.control.device_functions import rewritten
from xetile.language.dependencies import Dependencies
from xetile.language.positions import is_ours, place_at, refusals_are_final, refuse
from xetile.language.types import ArrayType, ElementType
from xetile.language.values import Index, Scalar, Value
from xetile.levels import SG_LAYOUT_ATTRIBUTE
from xetile.targets import DEFAULT, find
from xetile.targets.xe.surface import SURFACE

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

    from xetile.dialects.upstream import gpu


def prefetched(shape: Pair, subgroups: int, element_bits: int) -> tuple[Pair, Pair]:
    """Split a tile over all subgroups so that each fetches one piece, all of them different if possible.

    Pieces that are one cache line wide are preferred, then layouts with more rows of subgroups. If the tile has fewer
    pieces than there are subgroups, several subgroups fetch the same piece. Return the layout of subgroups and the
    shape of a piece.
    """
    divisors = [rows for rows in range(1, subgroups + 1) if subgroups % rows == 0]

    def cost(layout: Pair) -> tuple[bool, int, float, int]:
        units = _units(shape, layout)
        width_bytes = shape[1] // units[1] * element_bits / 8
        duplicates = subgroups // prod(units)
        distance = abs(log2(width_bytes / SURFACE.base_alignment))  # a cache line
        return width_bytes % SURFACE.column_multiple != 0, duplicates, distance, -layout[0]

    layout = min(((rows, subgroups // rows) for rows in divisors), key=cost)
    units = _units(shape, layout)
    return layout, (shape[0] // units[0], shape[1] // units[1])


def _units(shape: Pair, layout: Pair) -> Pair:
    """Return the number of pieces along each dimension: the largest that divides the tile and the layout."""
    return gcd(shape[0], layout[0]), gcd(shape[1], layout[1])


def map_prefetched(function: Operation, subgroups: int) -> None:
    """Map tiles that are only prefetched so that each subgroup fetches a piece of its own."""
    for op in list(function.walk()):
        if not isinstance(op, InitTileOp):
            continue
        uses = [use.operation for use in op.tile.uses]
        kind = op.tile.type
        if not uses or kind.scattered or kind.wg_map is not None:
            continue
        if all(has_trait(user, PrefetchesTile) for user in uses):
            map = _prefetched(kind, subgroups)
            Rewriter.replace_value_with_new_type(op.tile, kind.with_(wg_map=map))


def _prefetched(kind: TileType, subgroups: int) -> WorkgroupMapAttr:
    bits = memory_bits(kind.element_type)
    assert bits is not None, "the language has no other elements"
    rows, columns = kind.shape
    if kind.order == (0, 1):  # a row in memory is a column
        return WorkgroupMapAttr(*prefetched((columns, rows), subgroups, bits)).transposed()
    return WorkgroupMapAttr(*prefetched((rows, columns), subgroups, bits))


_REFUSED = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""The exceptions that Python raises for undefined names, missing attributes, wrong operands and indices."""

_RAISE = opmap["RAISE_VARARGS"]


@contextmanager
def in_one_line() -> Generator[None]:
    """Turn exceptions that Python itself raises in the user's function into XetileError at the user's line."""
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


def trace(source: "Source") -> ModuleOp:
    """Return the module of a kernel for arguments of given types; its location is that of the kernel's `def`."""
    from xetile.dialects.upstream import gpu

    types, name, at = source.types, source.name, source.place
    block = Block(arg_types=[attribute_of(type) for type in types.values()])
    fastmath = flags_of(source.fastmath) if source.fastmath else None
    builder = Builder(source.sg_layout, block, fastmath)
    with using(builder), refusals_are_final():
        traced, arguments = rewritten(source.function), arguments_of(block.args, types)
        with in_one_line():
            result = called(traced, arguments, source.constants)
        check_result(name, result, at)
        if builder.unfinished:
            refuse(
                "an exception left this statement while it was traced, and was caught; a kernel catches none",
                builder.unfinished[-1],
            )
        end = gpu.ReturnOp()
        builder.insert(end)
    op = _function(name, block, source.sg_layout, _promises(list(types.values())))
    module = gpu.ModuleOp("kernels", [op])
    outer = builtin.ModuleOp([module])
    op.location = end.location = module.location = outer.location = at
    if not any(map(_shows, op.walk())):
        warn(
            op,
            f"kernel '{name}' stores nothing, so it does nothing; write C[m:m + BM, n:n + BN] = tile",
        )
    return outer


def _shows(op: Operation) -> bool:
    """Return True if an op has an effect outside of the kernel."""
    if op.name in ("gpu.printf", "xetile.check", "memref.atomic_rmw"):
        return True
    return has_trait(op, WritesTile) or op.has_trait(MemoryWriteEffect)


def check_result(name: str, result: object, at: "FileLineColLoc") -> None:
    """Raise XetileError if a kernel returns a value, which would be lost."""
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
    """Return the facts that callers promise of each argument: alignment, and multiples of named extents.

    A multiple that one argument promises of a named extent holds for that extent in all arguments.
    """
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
    """Return the type of an argument in IR."""
    return _memref_of(type) if isinstance(type, ArrayType) else type.attribute


def _memref_of(type: ArrayType) -> MemRefType:
    shape = [extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in type.extents]
    layout = NoneAttr()
    if type.column_major:
        steps = _steps([*shape[:-2], shape[-1], shape[-2]])
        layout = StridedLayoutAttr([*steps[:-2], steps[-1], steps[-2]])
    return MemRefType(type.element.attribute, shape, layout)


def _steps(shape: Sequence[int]) -> list[int | None]:
    """Return the stride of each dimension of a row-major array in elements, or None if known only at run time."""
    inner = [shape[number + 1 :] for number in range(len(shape))]
    return [None if DYNAMIC_INDEX in extents else prod(extents) for extents in inner]


def called(
    function: Callable[..., object],
    arguments: Mapping[str, object],
    constants: Mapping[str, object],
) -> object:
    """Call a kernel's function with arguments by name, None for those that are left out, and return its result."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    return function(*map(arguments.get, names), **constants)


def arguments_of(
    values: Sequence[SSAValue], types: Mapping[str, ArgumentType]
) -> dict[str, object]:
    """Return the arguments of the function by name; extents of one name share one index."""
    extents: dict[str, Index] = {}
    return {
        name: _argument(named(value, name), type, extents)
        for value, (name, type) in zip(values, types.items(), strict=True)
    }


def _argument(value: SSAValue, type: ArgumentType, extents: dict[str, Index]) -> object:
    if isinstance(type, ArrayType):
        shape = tuple(_extents(value, type, extents))
        return Array(Surface(value, type.element, shape, column_major=type.column_major), type)
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


Grid: TypeAlias = tuple[int, ...] | Callable[..., tuple[int, ...]]
"""Workgroups along axes 0, 1 and 2, of which the last may be omitted; or a function of the parameters that it names."""

_AXES = 3
_MOST = 2**31 - 1


@dataclass(frozen=True)
class Source:
    """A kernel with the types of its arguments by parameter and its constants; `place` is its `def`."""

    function: Callable[..., object]
    name: str
    types: Mapping[str, ArgumentType]
    constants: Mapping[str, object]
    sg_layout: Pair
    grid: Grid | None
    place: "FileLineColLoc"
    dependencies: Dependencies = field(compare=False)
    """The objects that tracing the function reads."""
    fastmath: tuple[str, ...] = ()
    """The fast-math flags of its ops on floats."""
    told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]], compare=False)
    """Remarks already issued, as pairs of device and text, so that each is issued once."""

    def traced(self) -> "Traced":
        """Return the kernel at level W.

        Errors: XetileError at the faulty line of the kernel.
        """
        from xetile.analysis.module_kernels import find_kernel

        module = trace(self)
        kernel = find_kernel(module, self.name)
        map_prefetched(kernel, prod(self.sg_layout))
        rule = None if self.grid is not None else _rule(kernel)
        traced = Traced(module, rule, stored_arguments(kernel))
        extents = self._static_extents()
        if extents is None or isinstance(rule, XetileError) or self._grid_takes_numbers():
            return traced
        grid = self.grid
        if grid is not None:
            _write_grid(kernel, self.evaluated(grid, extents, {}))
        else:
            _write_grid(kernel, checked_grid(self.name, traced.inferred().sizes(extents)))
        return traced

    def _static_extents(self) -> "list[tuple[int, ...]] | None":
        """Return the shapes of arguments, `()` for a number; None if some extent is known only at the call."""
        found: list[tuple[int, ...]] = []
        for type in self.types.values():
            extents = type.extents if isinstance(type, ArrayType) else ()
            known = tuple(extent for extent in extents if isinstance(extent, int))
            if len(known) < len(extents):
                return None
            found.append(known)
        return found

    def _grid_takes_numbers(self) -> bool:
        """Return True if the function for the grid has a parameter that is a number, known only at the call."""
        if not callable(self.grid):
            return False
        asked = inspect.signature(self.grid).parameters
        return any(isinstance(self.types.get(name), ElementType) for name in asked)

    def evaluated(
        self, grid: Grid, extents: Sequence[tuple[int, ...]], given: Mapping[str, object]
    ) -> Sizes:
        """Evaluate an explicit grid for arguments of these shapes; `given` are the arguments of a call by parameter.

        Errors: XetileError if the result is not a grid.
        """
        if callable(grid):
            shapes = {name: Shape(e) for name, e in zip(self.types, extents, strict=True)}
            known = {**shapes, **given, **self.constants}
            wanted = inspect.signature(grid).parameters
            for name in wanted:
                if name not in known:
                    refuse(
                        f"the grid of '{self.name}' asks for '{name}', which is no parameter of it"
                    )
            grid = grid(**{name: known[name] for name in wanted})
        return checked_grid(self.name, grid)


class Shape(NamedTuple):
    """The facts about an argument that a function for the grid can use before there is an argument."""

    shape: tuple[int, ...]


class Traced(NamedTuple):
    """A kernel's module, its rule for the grid or the reason why there is none, and the arguments that it stores to.

    `stored` are the numbers of arguments.
    """

    module: "ModuleOp"
    rule: "Rule | XetileError | None"
    stored: frozenset[int]

    def inferred(self) -> Rule:
        """Return the rule.

        Errors: XetileError if no rule follows from the stores.
        """
        if isinstance(self.rule, XetileError):
            raise self.rule
        assert self.rule is not None, "a grid that is said is not inferred"
        return self.rule


def _rule(kernel: "Operation") -> Rule | XetileError:
    try:
        return infer(kernel)
    except XetileError as error:
        return error


def checked_grid(kernel: str, grid: object) -> Sizes:
    """Return a grid as three sizes.

    Errors: XetileError if it is not a grid.
    """
    expected = "one to three numbers of workgroups, each at least 1"
    try:
        given = cast("Sequence[int]", grid if isinstance(grid, tuple | list) else ())
        sizes = [index(size) for size in given]
    except TypeError:
        sizes = []
    if not 1 <= len(sizes) <= _AXES or min(sizes) < 1:
        refuse(f"the grid of '{kernel}' is {grid!r}; expected {expected}")
    if max(sizes) > _MOST:
        refuse(f"the grid of '{kernel}' is {grid!r}; an axis has at most {_MOST} workgroups")
    x, y, z = [*sizes, *[1] * (_AXES - len(sizes))]
    return x, y, z


def _write_grid(kernel: "Operation", grid: Sizes) -> None:
    from xdsl.dialects.builtin import DenseArrayBase, i32

    kernel.properties["known_grid_size"] = DenseArrayBase.from_list(i32, list(grid))
