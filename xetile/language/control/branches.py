"""`if` statements on conditions that are known when the kernel runs, which become scf.if."""

from inspect import currentframe
from types import FrameType

from xdsl.ir import Block, Region, SSAValue

from xetile.language.builder import current
from xetile.language.carried import is_same
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
from xetile.language.unavailable import Unavailable, is_unavailable
from xetile.language.values import Value


class PlainBranch:
    """An `if` on anything else: Python's."""

    traced = False

    def __init__(self, *, first: bool) -> None:
        self.first = first
        self.second = not first


class Branch(Construct):
    """An `if` of which both branches are traced, each in its block."""

    first = True
    second = True

    def __init__(self, site: Site, filename: str, frame: FrameType, test: Value) -> None:
        super().__init__(site, filename, locals_of(frame), watch_of(site, frame))
        self._test = test.ssa()
        self._blocks: list[Block] = []
        self._ends: list[dict[str, object]] = []
        self._values: list[dict[str, list[SSAValue]]] = []
        self._scope = Scope()
        self._enter()
        self._after: dict[str, object] | None = None

    def rebinds(self, name: str) -> bool:
        """Whether a name gets another value here."""
        if self._after is None:
            return name in self.before or name in self._ends[0]
        return name in self._after

    def restored(self, name: str) -> object:
        """What a name holds as the other branch begins."""
        return self.before[name] if name in self.before else self._other(name)

    def result(self, name: str) -> object:
        """What a name holds behind the statement."""
        assert self._after is not None
        return self._after[name]

    def close(self) -> None:
        """A branch ends here."""
        self.check_unchanged()
        names = locals_of(caller(currentframe()))
        self._end({name: value for name, value in names.items() if name in self.site.stored})
        self._scope.leave()
        if self.site.has_else and len(self._blocks) == 1:
            self._enter()
            return
        if not self.site.has_else:
            self._enter()
            self._end(self.before)
            self._scope.leave()
        self._finish()

    def _enter(self) -> None:
        block = Block()
        self._blocks.append(block)
        self._scope.enter(block, self.location())

    def _end(self, names: dict[str, object]) -> None:
        """Keep what the names hold at the end of a branch, computed in its block where it may be merged."""
        self._ends.append(names)
        needed = {n: v for n, v in names.items() if n in self.site.needed}
        self._values.append({n: Bundle.of({n: v}).computed() for n, v in needed.items()})

    def _finish(self) -> None:
        from xdsl.dialects.scf import IfOp, YieldOp

        first, second = self._ends
        merged = [name for name in self.site.stored if self._merges(name)]
        bundles = [Bundle.of({name: ends[name] for name in merged}) for ends in self._ends]
        values = [[v for name in merged for v in side[name]] for side in self._values]
        changed = [
            not (one is other or _equal(x, y))
            for one, other, x, y in zip(
                *values, bundles[0].leaves, bundles[1].leaves, strict=True
            )
        ]
        for block, side in zip(self._blocks, values, strict=True):
            yields = [v for v, c in zip(side, changed, strict=True) if c]
            with current().inside(block):
                current().insert(YieldOp(*yields))
        types = [v.type for v, c in zip(values[0], changed, strict=True) if c]
        regions = [Region(block) for block in self._blocks]
        if not types and len(self._blocks[1].ops) == 1:
            regions[1] = Region()
        op = IfOp(self._test, types, regions[0], regions[1])
        current().insert(op)
        results = iter(op.output)
        new = [next(results) if c else None for c in changed]
        bundles[0].label(
            n if n is not None else v for n, v in zip(new, values[0], strict=True)
        )
        self._after = {
            n: self._behind(n) for n in self.site.stored if n in first or n in second
        }
        self._after.update(bundles[0].made_of(new))

    def _merges(self, name: str) -> bool:
        if name not in self.site.needed or any(name not in ends for ends in self._ends):
            return False
        first, second = (ends[name] for ends in self._ends)
        if is_unavailable(first) or is_unavailable(second):
            return False
        self.check(name, first, second, ("in one branch", "in the other"))
        return True

    def _behind(self, name: str) -> object:
        values = [ends[name] for ends in self._ends if name in ends]
        for value in values:
            if is_unavailable(value):
                return value
        if len(values) == 2 and is_same(*values):
            return values[0]
        return self.only_inside(name)

    def _other(self, name: str) -> Unavailable:
        return Unavailable(
            f"'{name}' is bound in the other branch of the `if` at line {self.site.place[0]}, which is traced"
        )


def _equal(one: Value, other: Value) -> bool:
    if not (isinstance(one, Index) and isinstance(other, Index)):
        return False
    return one.terms == other.terms and one.constant == other.constant
