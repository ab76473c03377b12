"""`while` statements, which become scf.while where their test is known when the kernel runs.

Whether it is, its first evaluation tells: that goes into a block of its own, which is dropped if the statement
is traced and put in its place if it is Python's.
"""

from inspect import currentframe

from xdsl.ir import Block, Region, SSAValue

from xetile.language.builder import current
from xetile.language.carried import leaves, settle
from xetile.language.control.conditions import condition, is_traced, is_tracing
from xetile.language.control.construct import (
    Bundle,
    Construct,
    Names,
    Scope,
    caller,
    locals_of,
    watch_of,
)
from xetile.language.control.sites import Site
from xetile.language.control.state import Watch
from xetile.language.unavailable import is_unavailable


class Repetition:
    """A `while` statement: Python's until a test is traced, from there on one loop."""

    def __init__(self, site: Site, filename: str) -> None:
        self._site = site
        self._filename = filename
        self._loop: TracedRepetition | None = None
        self._scope = Scope()
        self._probe = Block()
        self._names: Names = {}
        self._watch: Watch | None = None

    @property
    def traced(self) -> bool:
        """Whether the loop is one of the kernel's."""
        return self._loop is not None

    def again(self) -> bool:
        """Whether the test is to be evaluated."""
        if self._loop is not None:
            return False
        if not is_tracing():
            return True
        frame = caller(currentframe())
        self._names, self._watch = locals_of(frame), watch_of(self._site, frame)
        self._probe = Block()
        self._scope.enter(self._probe, TracedRepetition.place(self._site, self._filename))
        return True

    def decide(self, test: object) -> bool:
        """Whether the body is executed, or traced."""
        if not is_tracing():
            return bool(test)
        if not is_traced(test):
            self._settle(locals_of(caller(currentframe())))
        self._scope.leave()
        if is_traced(test):
            condition(test, "while")
            _drop(self._probe)
            assert self._watch is not None
            self._loop = TracedRepetition(self._site, self._filename, self._names, self._watch)
            return True
        for op in list(self._probe.ops):
            op.detach()
            current().block.add_op(op)
        return bool(test)

    def _settle(self, names: Names) -> None:
        """Compute what the test has bound, for the block in which it was written is soon no more."""
        for name in self._site.stored:
            if name in names:
                for leaf in leaves(names[name]):
                    settle(leaf)

    def rebinds(self, name: str) -> bool:
        """Whether a name gets another value here."""
        assert self._loop is not None
        return name in self._loop.names

    def tested(self, name: str) -> object:
        """What a name holds as the test is evaluated."""
        assert self._loop is not None
        return self._loop.names[name]

    inside = tested
    result = tested

    def test(self, test: object) -> None:
        """The test, evaluated in the loop."""
        assert self._loop is not None
        self._loop.begin_round(condition(test, "while"), locals_of(caller(currentframe())))

    def close(self) -> None:
        """A round ends here."""
        assert self._loop is not None
        self._loop.close(locals_of(caller(currentframe())))


class TracedRepetition(Construct):
    """The loop; `names` is what names are bound to next: as the test begins, as the body begins, behind the loop."""

    def __init__(self, site: Site, filename: str, names: Names, watch: Watch) -> None:
        super().__init__(site, filename, names, watch)
        if site.has_else:
            self.refuse(
                "`else` of a traced `while`; put it behind the loop, which no `break` leaves"
            )
        self._carried = Bundle.of(self.candidates())
        self.check_unshared(self._carried.values)
        self._initial = self._carried.computed()
        types = [value.type for value in self._initial]
        self._test_block = Block(arg_types=types)
        self._body = Block()
        self._carried.label(self._test_block.args)
        self._forwarded = self._carried
        self.names = {
            **{name: self.only_inside(name) for name in self.before},
            **self._carried.made_of(self._test_block.args),
        }
        self.watch(self.names)
        self._scope = Scope()
        self._scope.enter(self._test_block, self.location())

    def begin_round(self, test: SSAValue, names: Names) -> None:
        """The test was evaluated in its block; the body follows."""
        from xdsl.dialects.scf import ConditionOp

        forwarded = self._ends(names)
        for name in self.site.stored:
            if name in names and name in self.site.needed and not is_unavailable(names[name]):
                forwarded[name] = names[name]
        self._forwarded = Bundle.of(forwarded)
        values = self._forwarded.computed()
        current().insert(ConditionOp(test, *values))
        self._scope.leave()
        self._body = Block(arg_types=[value.type for value in values])
        self._forwarded.label(self._body.args)
        self.names = {
            **{name: self.only_inside(name) for name in self.before},
            **self._forwarded.made_of(self._body.args),
        }
        self.watch(self.names)
        self._scope.enter(self._body, self.location())

    def close(self, names: Names) -> None:
        """The body ends."""
        from xdsl.dialects.scf import WhileOp, YieldOp

        self.check_unchanged()
        current().insert(YieldOp(*Bundle.of(self._ends(names)).computed()))
        self._scope.leave()
        types = [argument.type for argument in self._body.args]
        op = WhileOp(self._initial, types, Region(self._test_block), Region(self._body))
        current().insert(op)
        self._forwarded.label(op.res)
        bound = [name for name in self.site.stored if name in names or name in self.before]
        self.names = {
            **{name: self.only_inside(name) for name in bound},
            **self._forwarded.made_of(op.res),
        }

    def _ends(self, names: Names) -> dict[str, object]:
        return self.ends(self._carried, names)


def _drop(block: Block) -> None:
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase(safe_erase=False)
