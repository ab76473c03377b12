"""`@xt.kernel`: a Python function that describes what one workgroup does."""

from collections.abc import Callable
from types import FunctionType
from typing import cast, overload

from xetile.language.builder import Pair, building
from xetile.language.given import ArgumentType, Given, type_of
from xetile.language.parameters import parameters_of, place_of_code
from xetile.language.refusals import refuse
from xetile.language.source import Grid, Source
from xetile.language.specialised import Specialised
from xetile.language.types import ArrayType, ElementType

ONE_SUBGROUP: Pair = (1, 1)
"""The layout of subgroups where nobody says one."""


class Kernel:
    """A function of arrays and numbers that runs once for each workgroup.

    Arguments are the function's parameters by position, constants of a compilation those after `*`.
    """

    def __init__(
        self, function: FunctionType, *, sg_layout: Pair | None, grid: Grid | None
    ) -> None:
        self.__wrapped__ = function
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.parameters = parameters_of(function)
        self.place = place_of_code(function.__code__)
        self._sg_layout = sg_layout
        self._grid = grid

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"

    def specialize(
        self,
        *types: ArgumentType | None,
        sg_layout: Pair | None = None,
        grid: Grid | None = None,
        **constants: object,
    ) -> Specialised:
        """The kernel for arguments of these types, `xt.f16[4096, 4096]` or `xt.f32`, and values of its constants.

        Types of arguments may be given by name too; None, or nothing, is for one that has this default.
        `sg_layout` is how subgroups are laid out over rows and columns, `grid` how many workgroups there are; by
        default as the decorator says.
        Errors: XetileError for types and constants that do not fit, and at the line of the kernel that is at fault.
        """
        arranged = self.parameters.arranged(self.__name__, types, constants, "types")
        checked = {name: _checked_type(name, type) for name, type in arranged.items()}
        source = self._source(checked, constants, sg_layout, grid)
        return Specialised(source, source.traced(), "workgroup")

    def __call__(
        self,
        *arguments: "Given | None",
        sg_layout: Pair | None = None,
        grid: Grid | None = None,
        sanitize: bool | None = None,
        **constants: object,
    ) -> None:
        """Specialise for these arguments, static shapes, and execute on numpy; arrays change in place.

        Arguments may be given by name too; None, or nothing, is for one that has this default.
        Errors: as `specialize` and `Specialised.__call__` have them.
        """
        if building() is not None:
            refuse(
                f"kernel '{self.__name__}' is called in a kernel; a helper is a function with @xt.function"
            )
        given = self.parameters.arranged(self.__name__, arguments, constants, "arguments")
        types = {name: type_of(one, name) for name, one in given.items()}
        source = self._source(types, constants, sg_layout, grid)
        found = Specialised(source, source.traced(), "workgroup")
        found(*cast("list[Given]", list(given.values())), sanitize=sanitize)

    def _source(
        self,
        types: dict[str, ArgumentType],
        constants: dict[str, object],
        sg_layout: Pair | None,
        grid: Grid | None,
    ) -> Source:
        return Source(
            self.__wrapped__,
            self.__name__,
            types,
            self.parameters.bound(self.__name__, constants),
            checked_layout(sg_layout or self._sg_layout or ONE_SUBGROUP),
            self._grid if grid is None else grid,
            self.place,
        )


def _checked_type(name: str, type: object) -> ArgumentType:
    if not isinstance(type, ArrayType | ElementType):
        refuse(
            f"the type of argument '{name}' is {type!r}; write one such as xt.f16[4096, 4096] or xt.f32"
        )
    return type


def checked_layout(layout: object) -> Pair:
    """A layout of subgroups.

    Errors: XetileError for what is no pair of positive numbers.
    """
    match layout:
        case (int() as rows, int() as columns) if rows > 0 and columns > 0:
            return rows, columns
        case _:
            refuse(
                f"sg_layout is {layout!r}; expected subgroups along rows and columns, such as (8, 4)"
            )


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...
@overload
def kernel(
    *, sg_layout: Pair | None = None, grid: Grid | None = None
) -> Callable[[Callable[..., None]], Kernel]: ...


def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    sg_layout: Pair | None = None,
    grid: Grid | None = None,
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Make a function a kernel: `@xt.kernel`, or with what holds for it, `@xt.kernel(sg_layout=(8, 4))`.

    `sg_layout` is how the subgroups of a workgroup are laid out over rows and columns; `grid` how many workgroups a
    launch has, where that does not follow from the stores: up to three numbers, or a function of the parameters that
    it names. Both can be said anew by `specialize` and calls.
    Errors: XetileError for what is no plain Python function.
    """
    if sg_layout is not None:
        checked_layout(sg_layout)

    def made(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, FunctionType):
            refuse(
                f"@xt.kernel stands right above a function, and alone; found {_described(function)}"
            )
        return Kernel(function, sg_layout=sg_layout, grid=grid)

    return made if function is None else made(function)


def _described(found: object) -> str:
    name = getattr(found, "__name__", None)
    kind = type(found).__name__
    return f"a {kind}" if name is None else f"'{name}', a {kind}"
