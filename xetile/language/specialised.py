"""A kernel for arguments of given types and values of its constants: its IR at one level, and a function of arrays."""

from typing import TYPE_CHECKING

import xetile.api as api
from xetile.language.given import Given, check, extents_of, launched
from xetile.language.source import Grid, Source, Traced

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.language.grids import Sizes
    from xetile.levels import LevelName
    from xetile.targets.target import Assume


class Specialised:
    """A kernel whose types and constants are known; `print` shows its IR, a call executes it on numpy.

    `module` is its IR, at level `level`: `workgroup` as it was written, or what `lower` made of it.
    """

    def __init__(self, source: Source, traced: Traced, level: "LevelName") -> None:
        self.source = source
        self.module: ModuleOp = traced.module
        self.level: LevelName = level
        self._traced = traced

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.source.name

    def __str__(self) -> str:
        return api.text(self.module).rstrip()

    def __repr__(self) -> str:
        types = ", ".join(f"{name}: {type}" for name, type in self.source.types.items())
        constants = "".join(f", {name}={v!r}" for name, v in self.source.constants.items())
        return f"<kernel {self.name}({types}{constants}) at level {self.level}>"

    def grid(self, *arguments: Given, grid: Grid | None = None) -> "Sizes":
        """Workgroups in x, y and z that a call with these arguments launches.

        Errors: XetileError for arguments that do not fit, and where the grid does not follow and is not given.
        """
        check(self.name, self.source.types, arguments)
        return self._grid(arguments, grid)

    def __call__(
        self, *arguments: Given, grid: Grid | None = None, sanitize: bool | None = None
    ) -> None:
        """Execute the kernel on numpy at its level; arrays that it stores to change in place.

        `grid` counts workgroups along axes 0, 1 and 2; by default as the kernel says, or its stores ask for. `sanitize`
        also refuses races on shared memory (docs/running.md).
        Errors: XetileError for arguments that do not fit, with the parameter; at the kernel's line for what execution
        refuses.
        """
        check(self.name, self.source.types, arguments)
        sizes = self._grid(arguments, grid)
        api.execute(
            self.module, self.name, *launched(arguments), grid=sizes, sanitize=sanitize
        )

    def eager(
        self, *arguments: Given, grid: Grid | None = None, sanitize: bool | None = None
    ) -> None:
        """Run the kernel's Python function for each workgroup on numpy values; `pdb`, `print` and `break` work in it.

        The bits are those of a call at level `workgroup`.
        """
        from xetile.language.eager import execute_eagerly

        check(self.name, self.source.types, arguments)
        sizes = self._grid(arguments, grid)
        execute_eagerly(self.source, arguments, grid=sizes, sanitize=sanitize)

    def lower(
        self,
        level: "LevelName",
        *,
        device: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
    ) -> "Specialised":
        """The kernel at a lower level, for a device; options as `xetile.lower` has them."""
        module = api.lower(self.module, to=level, device=device, assume=assume, unroll=unroll)
        return Specialised(self.source, self._traced._replace(module=module), level)

    def _grid(self, arguments: tuple[Given, ...], grid: Grid | None) -> "Sizes":
        given = dict(zip(self.source.types, arguments, strict=True))
        return self.source.grid_of(
            self._traced, extents_of(self.source.types, arguments), given, grid
        )
