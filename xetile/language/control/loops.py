"""`for` statements over xt.range, which become scf.for."""

from collections.abc import Iterable
from inspect import currentframe
from types import FrameType

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from xetile.language.builder import current, named
from xetile.language.control.construct import (
    Bundle,
    Construct,
    Scope,
    caller,
    locals_of,
    watch_of,
)
from xetile.language.control.sites import Site
from xetile.language.indices import Index
from xetile.language.ranges import Range
from xetile.language.unavailable import Unavailable


class PlainLoop:
    """A loop over anything else: Python's, each round traced by itself."""

    traced = False

    def __init__(self, items: Iterable[object]) -> None:
        self.items = items


class Loop(Construct):
    """A loop over xt.range: its body is traced once, with arguments of the body's block for what it carries."""

    def __init__(self, site: Site, filename: str, frame: FrameType, range: Range) -> None:
        super().__init__(site, filename, locals_of(frame), watch_of(site, frame))
        if site.target is None:
            self.refuse("`for` over xt.range binds one name: `for k in xt.range(...):`")
        if site.has_else:
            self.refuse(
                "`else` of a traced `for`; put it behind the loop, which no `break` leaves"
            )
        self._carried = Bundle.of(self.candidates())
        self._initial = self._carried.computed()
        self._bounds = [Index.of(bound).ssa() for bound in _rising(range)]
        types = [value.type for value in self._initial]
        self._block = Block(arg_types=[IndexType(), *types])
        self._carried.label(self._block.args[1:])
        self._inside = self._carried.made_of(self._block.args[1:])
        self.watch(self._inside)
        number = named(self._block.args[0], site.target)
        self.items = (_item(range, number),)
        self._scope = Scope()
        self._scope.enter(self._block, self.location())
        self._closed = False
        self._after: dict[str, object] = {}

    def rebinds(self, name: str) -> bool:
        """Whether a name gets another value here."""
        if not self._closed:
            return name in self.before and name != self.site.target
        return name in self._after

    def inside(self, name: str) -> object:
        """What a name holds as a round begins."""
        return self._inside[name] if name in self._inside else self.only_inside(name)

    def result(self, name: str) -> object:
        """What a name holds behind the loop."""
        return self._after[name]

    def close(self) -> None:
        """The round ends here."""
        names = locals_of(caller(currentframe()))
        self.check_unchanged()
        yielded = Bundle.of(self.ends(self._carried, names))
        self.check_unshared(n for n, value in self._inside.items() if names[n] is not value)
        results = self._finish(yielded.computed())
        self._after = {
            name: self._behind(name)
            for name in self.site.stored
            if name in names or name in self.before
        }
        self._after.update(results)
        for name, value in self._inside.items():
            if names[name] is value:
                self._after[name] = self.before[name]
        self._closed = True

    def _finish(self, values: list[SSAValue]) -> dict[str, object]:
        from xdsl.dialects.scf import ForOp, YieldOp

        arguments = list(self._block.args[1:])
        changed = [
            value is not argument for value, argument in zip(values, arguments, strict=True)
        ]
        current().insert(YieldOp(*(v for v, c in zip(values, changed, strict=True) if c)))
        self._scope.leave()
        for argument, initial, is_changed in zip(
            arguments, self._initial, changed, strict=True
        ):
            if not is_changed:
                argument.replace_all_uses_with(initial)
                self._block.erase_arg(argument)
        initial = [v for v, c in zip(self._initial, changed, strict=True) if c]
        lower, upper, step = self._bounds
        loop = ForOp(lower, upper, step, initial, self._block)
        current().insert(loop)
        results = iter(loop.res)
        new = [next(results) if is_changed else None for is_changed in changed]
        self._carried.label(new)
        return self._carried.made_of(new)

    def _behind(self, name: str) -> Unavailable:
        if name != self.site.target:
            return self.only_inside(name)
        return Unavailable(
            f"'{name}' counts the rounds of the loop at line {self.site.place[0]}, which is traced; "
            "compute its last value from the bounds"
        )


def _rising(range: Range) -> tuple[Index | int, Index | int, int]:
    """The bounds of scf.for, whose step is at least 1: a falling range counts its rounds."""
    if range.step > 0:
        return range.start, range.stop, range.step
    fall = -range.step
    return 0, (Index.of(range.start) - range.stop + (fall - 1)) // fall, 1


def _item(range: Range, number: SSAValue) -> Index:
    if range.step > 0:
        return Index.of(number)
    return Index.of(range.start) + Index.of(number) * range.step
