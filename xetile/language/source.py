"""What a specialisation is made of: the function, types of its arguments, values of its constants, the grid."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from operator import index
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from xetile.errors import XetileError
from xetile.language.builder import Pair
from xetile.language.cache import Dependencies
from xetile.language.given import ArgumentType
from xetile.language.grids import Rule, Sizes, infer
from xetile.language.refusals import refuse
from xetile.language.stored import stored_arguments
from xetile.language.tracing import trace
from xetile.language.types import ArrayType, ElementType

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
    from xdsl.ir import Operation

Grid: TypeAlias = tuple[int, ...] | Callable[..., tuple[int, ...]]
"""Workgroups along axes 0, 1 and 2, the last ones may be left out; or a function of the parameters that it names."""

_AXES = 3
_MOST = 2**31 - 1


@dataclass(frozen=True)
class Source:
    """A kernel for types of arguments, by parameter, and constants; `place` is its `def`."""

    function: Callable[..., object]
    name: str
    types: Mapping[str, ArgumentType]
    constants: Mapping[str, object]
    sg_layout: Pair
    grid: Grid | None
    place: "FileLineColLoc"
    dependencies: Dependencies = field(compare=False)
    """What tracing the function reads."""
    fastmath: tuple[str, ...] = ()
    """The flags of its ops on floats."""
    told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]], compare=False)
    """What was said of it, by device: each once."""

    def traced(self) -> "Traced":
        """The kernel at level W.

        Errors: XetileError at the line of the kernel that is at fault.
        """
        from xetile.analysis.kernels import find_kernel
        from xetile.language.mapping import map_prefetched

        module = trace(
            self.function,
            self.name,
            self.types,
            self.constants,
            sg_layout=self.sg_layout,
            fastmath=self.fastmath,
            at=self.place,
        )
        kernel = find_kernel(module, self.name)
        map_prefetched(kernel, prod(self.sg_layout))
        rule = None if self.grid is not None else _rule(kernel)
        traced = Traced(module, rule, stored_arguments(kernel))
        extents = self._static_extents()
        if (
            extents is None
            or isinstance(traced.rule, XetileError)
            or self._grid_takes_numbers()
        ):
            return traced
        if self.grid is not None:
            _write_grid(kernel, self.evaluated(self.grid, extents, {}))
        else:
            sizes = traced.inferred().sizes(extents)
            _write_grid(kernel, checked_grid(self.name, sizes))
        return traced

    def _static_extents(self) -> "list[tuple[int, ...]] | None":
        """The shapes of arguments, none for a number's; None where they are known at the call only."""
        found: list[tuple[int, ...]] = []
        for type in self.types.values():
            extents = type.extents if isinstance(type, ArrayType) else ()
            known = tuple(extent for extent in extents if isinstance(extent, int))
            if len(known) < len(extents):
                return None
            found.append(known)
        return found

    def _grid_takes_numbers(self) -> bool:
        """Whether the function for the grid asks for an argument that is a number, which a call knows."""
        if not callable(self.grid):
            return False
        asked = inspect.signature(self.grid).parameters
        return any(isinstance(self.types.get(name), ElementType) for name in asked)

    def evaluated(
        self, grid: Grid, extents: Sequence[tuple[int, ...]], given: Mapping[str, object]
    ) -> Sizes:
        """A grid that somebody says, for arguments of these shapes; `given` are those of a call by parameter.

        Errors: XetileError for what is none.
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
    """What a function for the grid sees of an argument before there is one."""

    shape: tuple[int, ...]


class Traced(NamedTuple):
    """A kernel's module, how many workgroups its stores ask for, or why that does not follow, and where they store.

    `stored` are the numbers of arguments.
    """

    module: "ModuleOp"
    rule: "Rule | XetileError | None"
    stored: frozenset[int]

    def inferred(self) -> Rule:
        """The rule.

        Errors: XetileError where it does not follow.
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
    """A grid as three sizes.

    Errors: XetileError for what is none.
    """
    expected = "one to three numbers of workgroups, each at least 1"
    if not isinstance(grid, tuple | list):
        refuse(f"the grid of '{kernel}' is {grid!r}; expected {expected}")
    try:
        sizes = [index(size) for size in cast("Sequence[int]", grid)]
    except TypeError:
        refuse(f"the grid of '{kernel}' is {grid!r}; expected {expected}")
    if not 1 <= len(sizes) <= _AXES or min(sizes) < 1:
        refuse(f"the grid of '{kernel}' is {grid!r}; expected {expected}")
    if max(sizes) > _MOST:
        refuse(f"the grid of '{kernel}' is {grid!r}; an axis has at most {_MOST} workgroups")
    x, y, z = [*sizes, *[1] * (_AXES - len(sizes))]
    return x, y, z


def _write_grid(kernel: "Operation", grid: Sizes) -> None:
    from xdsl.dialects.builtin import DenseArrayBase, i32

    kernel.properties["known_grid_size"] = DenseArrayBase.from_list(i32, list(grid))
