"""A kernel for arguments of given types and values of its constants: its IR at one level, and a function of arrays."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import xetile.api as api
from xetile.language.compiled import Compiled, Options
from xetile.language.devices import device_for
from xetile.language.given import Given, Passed, check, extents_of, launched
from xetile.language.keeping import kept
from xetile.language.refusals import refuse
from xetile.language.source import Grid, Source, Traced
from xetile.language.stored import check_memory
from xetile.levels import LEVELS
from xetile.runtime.code import Code, compile_code

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.explanation.printing import Explanation
    from xetile.explorer.exploration import Exploration
    from xetile.language.grids import Sizes
    from xetile.language.on_device import OnDevice
    from xetile.levels import LevelName
    from xetile.runtime.device import Device
    from xetile.targets.target import Assume, RegisterFile


_OF_NO_DEVICE: "tuple[LevelName, ...]" = ("workgroup", "subgroup")
"""Levels that are the same for all devices."""

EAGER_VARIABLE = "XETILE_EAGER"
"""The environment variable that makes calls on numpy execute eagerly: 1 or 0."""


class Specialised:
    """A kernel whose types and constants are known; `print` shows its IR, a call executes it on numpy.

    `level` says at which level: `workgroup` as it was written, or what `lower` made of it.
    """

    def __init__(
        self,
        source: Source,
        traced: Traced | None = None,
        level: "LevelName" = "workgroup",
        device: str | None = None,
    ) -> None:
        """Without `traced` the kernel is traced when its IR is asked for; `device` is what it was lowered for."""
        self.source = source
        self.device = device
        self.level: LevelName = level
        self._known = traced

    @property
    def module(self) -> "ModuleOp":
        """The kernel's IR.

        Errors: XetileError at the line of the kernel that is at fault.
        """
        return self._traced().module

    def _traced(self) -> Traced:
        if self._known is None:
            self._known = self.source.traced()
        return self._known

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

    def grid(self, *arguments: "Passed", grid: Grid | None = None) -> "Sizes":
        """Workgroups in x, y and z that a call with these arguments launches.

        Errors: XetileError for arguments that do not fit, and where the grid does not follow and is not given.
        """
        return self._checked_grid(arguments, grid)

    def __call__(
        self, *arguments: Given, grid: Grid | None = None, sanitize: bool | None = None
    ) -> None:
        """Execute the kernel on numpy at its level; arrays that it stores to change in place.

        `grid` counts workgroups along axes 0, 1 and 2; by default as the kernel says, or its stores ask for. `sanitize`
        also refuses races on shared memory (docs/running.md). With XETILE_EAGER=1 in the environment a kernel that was
        not lowered is executed as `eager` does.
        Errors: XetileError for arguments that do not fit, with the parameter; at the kernel's line for what execution
        refuses.
        """
        if self.level == "workgroup" and os.environ.get(EAGER_VARIABLE, "0") not in ("", "0"):
            self.eager(*arguments, grid=grid, sanitize=sanitize)
            return
        if self.level == LEVELS[-1].name:
            refuse(f"level {self.level} is executed on devices; write .on('opencl:cpu')(...)")
        sizes = self._checked_grid(arguments, grid)
        self._check_memory(arguments)
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

        sizes = self._checked_grid(arguments, grid)
        self._check_memory(arguments)
        execute_eagerly(self.source, arguments, grid=sizes, sanitize=sanitize)

    def lower(
        self,
        level: "LevelName",
        *,
        device: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
    ) -> "Specialised":
        """The kernel at a lower level, for a device; options as `xetile.lower` has them.

        A level below `subgroup` needs a device: pvc with a warning, where none is named here or was before.
        """
        named = device or self.device
        if named is not None or level not in _OF_NO_DEVICE:
            named = device_for(self.source, named)
        module = api.lower(self.module, to=level, device=named, assume=assume, unroll=unroll)
        return Specialised(self.source, self._traced()._replace(module=module), level, named)

    def compile(
        self,
        device: str | None = None,
        *,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> Compiled:
        """Code for a device, by default the one that the kernel was lowered for, else pvc with a warning.

        Options are as `xetile.emit` has them.

        Errors: XetileError at the line of the kernel that cannot be lowered; for an unknown device.
        """
        options = Options(assume, unroll, grf)
        target = device_for(self.source, device, self.device)
        return self._compiled(target, options, most_calls=None)

    def explain(
        self,
        device: str | None = None,
        *,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> "Explanation":
        """What becomes of the kernel on a device: messages, registers, conversions, instructions; `print` shows it.

        Places are lines of the kernel's Python file. Options are as `xetile.explain` has them.
        """
        from xetile.explanation import explain

        target = device_for(self.source, device, self.device)
        return explain(
            self.module, target, kernel=self.name, assume=assume, unroll=unroll, grf=grf
        )

    def explore(
        self,
        device: str | None = None,
        *,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
        show: bool | None = None,
    ) -> "Exploration":
        """Every level of the kernel beside its Python source, linked op by op, as a page in the browser.

        `show` is whether the browser opens, by default outside of notebooks, which show the exploration themselves.
        Options are as `xetile.explore` has them.
        """
        from xetile.explorer import explore
        from xetile.explorer.exploration import is_notebook

        target = device_for(self.source, device, self.device)
        found = explore(
            self.module, target, kernel=self.name, assume=assume, unroll=unroll, grf=grf
        )
        if not is_notebook() if show is None else show:
            found.open()
        return found

    def on(
        self,
        place: "str | Device",
        *,
        device: str | None = None,
        assume: "Assume" = "block",
        unroll: int | None = None,
        grf: "RegisterFile | None" = None,
    ) -> "OnDevice":
        """The kernel on a device that executes, `opencl:cpu` or `opencl:gpu` or one that `xetile.open_device` opened.

        It is compiled for `device`, such as bmg; by default the one that it was lowered for, else pvc with a warning.
        Options are as in `compile`.
        Errors: as `compile` has them; for a device that is not there.
        """
        from xetile.language.on_device import OnDevice
        from xetile.runtime.devices import open_device

        options = Options(assume, unroll, grf)
        _check_place(place)
        target = device_for(self.source, device, self.device)
        opened = open_device(place) if isinstance(place, str) else place
        try:
            most = opened.information.most_calls
            compiled = self._compiled(target, options, most_calls=most)
            return OnDevice(
                self.source,
                compiled,
                self._checked_grid,
                self._check_memory,
                opened,
                owns=opened is not place,
            )
        except BaseException:
            if opened is not place:
                opened.close()
            raise

    def _compiled(self, target: str, options: Options, *, most_calls: int | None) -> Compiled:
        """Code, which is kept for kernels that were not lowered."""

        def module() -> "ModuleOp":
            return self.module

        def make() -> bytes:
            code = compile_code(
                self.module, self.name, target, **options._asdict(), most_calls=most_calls
            )
            return code.to_bytes()

        if self.level == "workgroup":
            by: dict[str, str | int | None] = {**options._asdict(), "most_calls": most_calls}
            data = kept(self.source, module, "spirv", target, by, make, is_good=_is_code)
        else:
            data = make()
        code = Code.from_bytes(data)
        assert code is not None, "it was made so, or read before"

        def keep(kind: str, make: "Callable[[], bytes]") -> bytes:
            if self.level != "workgroup":
                return make()
            made_by = options._asdict()
            return kept(self.source, module, kind, target, made_by, make, tools=_ocloc)

        return Compiled(self.name, code, target, options, module, keep)

    def _check_memory(self, arguments: "Sequence[Passed]") -> None:
        """Refuse arrays that the kernel may not store to, and those that overlap others."""
        check_memory(tuple(self.source.types), arguments, lambda: self._traced().stored)

    def _checked_grid(
        self, arguments: "Sequence[Passed]", grid: Grid | None, known: "Sizes | None" = None
    ) -> "Sizes":
        """The grid for arguments, which are checked; `known` is the one where all extents are."""
        types = self.source.types
        check(self.name, types, arguments)
        if grid is None and known is not None:
            return known
        given = dict(zip(types, arguments, strict=True))
        shapes = extents_of(types, arguments)
        chosen = self.source.grid if grid is None else grid
        if chosen is not None:
            return self.source.evaluated(chosen, shapes, given)
        return self._traced().inferred().sizes(shapes)


def _ocloc() -> dict[str, str]:
    """The version of what assembles.

    Errors: XetileError where it is missing.
    """
    from xetile.toolchain.ocloc import ocloc_version

    return {"ocloc": ocloc_version()}


def _is_code(data: bytes) -> bool:
    return Code.from_bytes(data) is not None


def _check_place(place: object) -> None:
    """Refuse what is no place that executes."""
    from xetile.runtime.device import Device

    if not isinstance(place, str | Device):
        refuse(
            f"{place!r} is no device; write .on('opencl:cpu'), or a device that xetile.open_device opened"
        )
