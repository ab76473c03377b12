"""`if` statements on conditions that are known when the kernel runs, which become scf.if."""

from inspect import currentframe
from types import FrameType

from xdsl.ir import Block, Region, SSAValue

from xetile.language.builder import current
from xetile.language.carried import mutables, settle
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
        self._ends.append({n: v for n, v in names.items() if n in self.site.stored})
        self._scope.leave()
        if self.site.has_else and len(self._blocks) == 1:
            self._enter()
            return
        if not self.site.has_else:
            self._enter()
            self._ends.append(self.before)
            self._scope.leave()
        self._finish()

    def _enter(self) -> None:
        block = Block()
        self._blocks.append(block)
        self._scope.enter(block, self.location())

    def _finish(self) -> None:
        from xdsl.dialects.scf import IfOp

        first, second = self._ends
        merged = [name for name in self.site.stored if self._merges(name)]
        self._check_identities(merged)
        sides = [Bundle.of({name: ends[name] for name in merged}) for ends in self._ends]
        for block, side in zip(self._blocks, sides, strict=True):
            with current().inside(block):
                for leaf in side.leaves:
                    settle(leaf)
        changed = [
            not _equal(*pair) for pair in zip(*(side.leaves for side in sides), strict=True)
        ]
        yields = [
            self._yielded(
                block, [leaf for leaf, c in zip(side.leaves, changed, strict=True) if c]
            )
            for block, side in zip(self._blocks, sides, strict=True)
        ]
        regions = [Region(block) for block in self._blocks]
        if not yields[0] and len(self._blocks[1].ops) == 1:
            regions[1] = Region()
        op = IfOp(self._test, [value.type for value in yields[0]], regions[0], regions[1])
        current().insert(op)
        results = iter(op.output)
        new = [next(results) if c else None for c in changed]
        sides[0].label(new)
        self._after = {
            n: self._behind(n) for n in self.site.stored if n in first or n in second
        }
        self._after.update(sides[0].made_of(new))

    def _yielded(self, block: Block, leaves: list[Value]) -> list[SSAValue]:
        from xdsl.dialects.scf import YieldOp

        with current().inside(block):
            values = [leaf.ssa() for leaf in leaves]
            current().insert(YieldOp(*values))
        return values

    def _check_identities(self, merged: list[str]) -> None:
        first, second = ({name: ends[name] for name in merged} for ends in self._ends)
        own = [
            held for n in merged if n in self.before for _, held in mutables(self.before[n], n)
        ]
        self.check_unshared(name for name in merged if name in self.before)
        for one, other in ((first, second), (second, first)):
            self.check_identities(one, other, ("in one branch", "in the other"), own)

    def _merges(self, name: str) -> bool:
        if name not in self.site.needed or any(name not in ends for ends in self._ends):
            return False
        first, second = (ends[name] for ends in self._ends)
        if first is second:
            return False
        if is_unavailable(first) or is_unavailable(second):
            return False
        self.check(name, first, second, ("in one branch", "in the other"))
        return True

    def _behind(self, name: str) -> object:
        values = [ends[name] for ends in self._ends if name in ends]
        for value in values:
            if is_unavailable(value):
                return value
        if len(values) == 2 and values[0] is values[1]:
            return values[0]
        return self.only_inside(name)

    def _other(self, name: str) -> Unavailable:
        return Unavailable(
            f"'{name}' is bound in the other branch of the `if` at line {self.site.place[0]}, which is traced"
        )


def _equal(one: Value, other: Value) -> bool:
    if not (isinstance(one, Index) and isinstance(other, Index)):
        return one.ssa() is other.ssa()
    return one.terms == other.terms and one.constant == other.constant
