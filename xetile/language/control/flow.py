"""The calls that rewritten statements make while a kernel is traced.

`if` statements on conditions known only when the kernel runs become scf.if, `for` statements over xt.range scf.for,
and `while` statements scf.while if their test is known only when the kernel runs. The first evaluation of the test
decides: it goes into its own block, which is dropped if the statement is traced, and inlined if it is Python's.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from inspect import currentframe
from types import FrameType
from typing import NamedTuple, NoReturn, cast

from xdsl.dialects.builtin import FileLineColLoc, IndexType
from xdsl.ir import Block, Region, SSAValue

from xetile.language.builder import building, current, named
from xetile.language.control.carried import (
    Unavailable,
    Watch,
    difference,
    is_unavailable,
    leaves,
    mutables,
    rebuilt,
    settle,
    told,
)
from xetile.language.control.names import Place, Site
from xetile.language.positions import location, refuse
from xetile.language.programs import Range
from xetile.language.tile_values import Tile
from xetile.language.types import i1
from xetile.language.values import Index, Value


def is_tracing() -> bool:
    """Return True if a kernel is being traced in this thread."""
    builder = building()
    return builder is not None and not builder.eager


def is_traced(test: object) -> bool:
    """Return True if a test is a value that is known only when the kernel runs."""
    return isinstance(test, Value) and not is_unavailable(test) and is_tracing()


def condition(test: object, word: str) -> SSAValue:
    """Return a condition in IR.

    Errors: XetileError if the value is not a truth value.
    """
    if not isinstance(test, Value):
        refuse(f"the condition of a traced `{word}` became Python's {test!r}")
    if isinstance(test, Tile):
        refuse(
            f"`{word}` takes one truth value, and this is {test.describe()}; "
            "reduce it, or choose elements with xt.where"
        )
    if test.element != i1:
        refuse(f"`{word}` takes a condition, and this is {test.describe()}; write `!= 0`")
    return test.ssa()


Names = Mapping[str, object]


class Construct:
    """A statement that is traced, in a function whose local names are `names` as it begins."""

    traced = True

    def __init__(self, site: Site, filename: str, names: Names, watch: Watch) -> None:
        self.site = site
        self.filename = filename
        self.names_before = names
        self._watches = [watch]
        self.before = {name: names[name] for name in site.stored if name in names}
        """The values before the statement of the names bound inside, for names that have one."""
        for name, place in site.globals.items():
            self.refuse(
                f"'{name}' is bound inside a traced `{site.word}` and belongs to the module; "
                "bind a name of the function, and the module's after it",
                place,
            )

    def refuse(self, message: str, place: Place | None = None) -> NoReturn:
        """Raise at a place of the user's file, by default that of the statement."""
        refuse(message, location(self.filename, *(place or self.site.place)))

    def location(self) -> FileLineColLoc:
        """Return the location of the statement."""
        return self.place(self.site, self.filename)

    @staticmethod
    def place(site: Site, filename: str) -> FileLineColLoc:
        """Return the location of a statement."""
        return location(filename, *site.place)

    def ends(self, carried: "Bundle", names: Names) -> dict[str, object]:
        """Return the values of carried names at the end of a round."""
        ends: dict[str, object] = {}
        for name, value in carried.values.items():
            if name not in names:
                self.refuse(
                    f"'{name}' is deleted in the loop that carries it", self.site.stored[name]
                )
            self.check(name, value, names[name], ("before the loop", "at the end of a round"))
            ends[name] = names[name]
        self.check_identities(
            carried.values, ends, ("before the loop", "at the end of a round")
        )
        return ends

    def watch(self, names: Names) -> None:
        """Watch the objects that `names` refer to for changes in place."""
        self._watches.append(Watch(names, {}, {}, ()))

    def check_unchanged(self) -> None:
        """Raise if the body changed an object in place, as Python would in each round or in one branch."""
        for watch in self._watches:
            if (path := watch.changed()) is not None:
                self.refuse(
                    f"'{path}' is changed in place inside a traced `{self.site.word}`, whose body is traced once; "
                    f"bind a new one of the same length, `{path} = ...`, or unroll with Python's range",
                    self.site.touched.get(path),
                )

    def check_identities(
        self,
        before: Names,
        after: Names,
        when: tuple[str, str],
        allowed: Iterable[object] = (),
    ) -> None:
        """Raise if lists or objects are shared differently after the statement, which one traced round cannot express.

        `allowed` are the objects from outside that names may be bound to.
        """
        first, second = (
            [found for name in after for found in mutables(names[name], name)]
            for names in (before, after)
        )
        for i, ((path, one), (_, other)) in enumerate(zip(first, second, strict=True)):
            for j in range(i):
                if (one is first[j][1]) != (other is second[j][1]):
                    self._refuse_shared(
                        path,
                        f"is the same object as '{first[j][0]}' {when[one is not first[j][1]]} alone",
                    )
            if id(other) in self._watches[0].seen and not any(other is a for a in allowed):
                self._refuse_shared(path, "is bound to an object from outside of it")

    def check_unshared(self, names: Iterable[str]) -> None:
        """Raise if names get new lists or objects while other names keep the old ones."""
        rebound = [found for name in names for found in mutables(self.before[name], name)]
        for path, container in rebound:
            for name, value in self.names_before.items():
                if value is container and name not in self.before and name[0] != "@":
                    self._refuse_shared(
                        path, f"is the same object as '{name}', which it does not bind"
                    )

    def _refuse_shared(self, path: str, how: str) -> NoReturn:
        name = re.split(r"[.\[]", path, maxsplit=1)[0]
        self.refuse(
            f"'{path}' is bound in a traced `{self.site.word}` and {how}; bind a copy, such as list({path})",
            self.site.stored[name],
        )

    def rebound(self, names: Iterable[str], made: Names) -> dict[str, object]:
        """Return the new values of names: those in `made`, else placeholders for names bound only inside."""
        return {**{name: self.only_inside(name) for name in names}, **made}

    def candidates(self) -> dict[str, object]:
        """Return the names that have a value before and may be read before they are bound again."""
        return {
            name: value
            for name, value in self.before.items()
            if name in self.site.needed
            and name != self.site.target
            and not is_unavailable(value)
        }

    def check(self, name: str, before: object, after: object, when: tuple[str, str]) -> None:
        """Raise if two values of a name cannot be one value in IR."""
        found = difference(before, after, name)
        if found is None:
            return
        part, one, other = found
        self.refuse(
            f"'{part}' is {told(one)} {when[0]} and {told(other)} {when[1]}; {_advice(part, one, other)}",
            self.site.stored[name],
        )

    def only_inside(self, name: str) -> Unavailable:
        """Return the placeholder for a name that is bound only inside the statement."""
        line = self.site.stored[name][0]
        word = self.site.word
        what = "in one branch of the `if`" if word == "if" else f"inside the `{word}`"
        return Unavailable(
            f"'{name}' is bound at line {line}, {what} at line {self.site.place[0]}, which is traced; "
            f"bind it before the `{word}` too, to a value of the same type"
        )


def _advice(part: str, one: object, other: object) -> str:
    """Return advice for two values that cannot be one value in IR."""
    for number, value in ((one, other), (other, one)):
        if isinstance(number, float):
            element = value.element.name if isinstance(value, Value) else "f32"
            return f"write xt.{element}({number!r}), or a tile of them, where '{part}' is first bound"
        if isinstance(number, bool):
            return (
                "make a condition of the kernel's of it, such as `k == 0` of the loop's index"
            )
        if isinstance(value, Value) and not isinstance(number, Value):
            return (
                "bind it to values of one type, such as xt.zeros((rows, columns), type) first"
            )
    if isinstance(one, Value) and isinstance(other, Value):
        shapes = {getattr(value, "shape", None) for value in (one, other)}
        return (
            "use another name"
            if len(shapes) > 1
            else "convert one with .to(type), or use another name"
        )
    if isinstance(one, tuple | list | dict):
        return "what is carried keeps its length; Python's range unrolls"
    return (
        "only tiles, scalars, indices, and tuples, lists and dataclasses of them are carried"
    )


class Bundle(NamedTuple):
    """Names with their values, and the kernel values that those contain, in order."""

    values: dict[str, object]
    leaves: list[Value]

    @classmethod
    def of(cls, values: dict[str, object]) -> "Bundle":
        """Return the bundle of `values`."""
        return cls(values, [leaf for value in values.values() for leaf in leaves(value)])

    def computed(self) -> list[SSAValue]:
        """Return the values in IR; those not yet computed are computed in the current block."""
        return [leaf.ssa() for leaf in self.leaves]

    def made_of(self, new: Iterable[SSAValue | None]) -> dict[str, object]:
        """Return the same names with other values in IR; None leaves one unchanged."""
        rest: Iterator[SSAValue | None] = iter(new)
        known: dict[int, object] = {}
        return {name: rebuilt(value, rest, known) for name, value in self.values.items()}

    def label(self, new: Iterable[SSAValue | None]) -> None:
        """Name values in printed IR after their Python names."""
        rest = iter(new)
        for name, held in self.values.items():
            for _ in leaves(held):
                if (value := next(rest)) is not None:
                    named(value, name)


class Scope:
    """The block that is filled between two calls."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def enter(self, block: Block, where: FileLineColLoc) -> None:
        """Insert ops into `block` until `leave`; `where` is the location of its statement."""
        builder = current()
        self._stack.enter_context(builder.inside(block))
        builder.unfinished.append(where)

    def leave(self) -> None:
        """Insert ops where they went before."""
        current().unfinished.pop()
        self._stack.close()


def caller() -> FrameType:
    """Return the frame that called the function that calls this."""
    frame = currentframe()
    assert frame is not None
    assert frame.f_back is not None
    assert frame.f_back.f_back is not None
    return frame.f_back.f_back


def locals_of(frame: FrameType) -> dict[str, object]:
    """Return the current local names of a function."""
    return dict(frame.f_locals)


def watch_of(site: Site, frame: FrameType) -> Watch:
    """Return a watch on the objects that the body of a statement can reach."""
    local, outer = frame.f_locals, frame.f_globals
    reached = {name: local[name] for name in site.mentioned if name in local}
    outside = [name for name in site.mentioned if name in outer and name not in local]
    return Watch(reached, {name: local.get(name) for name in site.stored}, outer, outside)


class Repetition:
    """A `while` statement: Python's until a test is traced, from then on one loop."""

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
        """True if the loop is one of the kernel's."""
        return self._loop is not None

    def again(self) -> bool:
        """Return True if the test is to be evaluated."""
        if self._loop is not None:
            return False
        if not is_tracing():
            return True
        frame = caller()
        self._names, self._watch = locals_of(frame), watch_of(self._site, frame)
        self._probe = Block()
        self._scope.enter(self._probe, TracedRepetition.place(self._site, self._filename))
        return True

    def decide(self, test: object) -> bool:
        """Return True if the body is to be executed or traced."""
        if not is_tracing():
            return bool(test)
        if not is_traced(test):
            self._settle(locals_of(caller()))
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
        """Compute the values that the test has bound, since its block is about to be dropped."""
        for name in self._site.stored:
            if name in names:
                for leaf in leaves(names[name]):
                    settle(leaf)

    @property
    def names(self) -> Names:
        """The next values of names; empty while the loop is Python's."""
        return {} if self._loop is None else self._loop.names

    def test(self, test: object) -> None:
        """Begin the body, after the test was evaluated in the loop."""
        assert self._loop is not None
        self._loop.begin_round(condition(test, "while"), locals_of(caller()))

    def close(self) -> None:
        """End a round."""
        if self._loop is not None:
            self._loop.close(locals_of(caller()))


class TracedRepetition(Construct):
    """A traced `while` loop; `names` are the next values of names: at the test, in the body, after the loop."""

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
        self.names = self.rebound(self.before, self._carried.made_of(self._test_block.args))
        self.watch(self.names)
        self._scope = Scope()
        self._scope.enter(self._test_block, self.location())

    def begin_round(self, test: SSAValue, names: Names) -> None:
        """Begin the body, after the test was evaluated in its block."""
        from xdsl.dialects.scf import ConditionOp

        forwarded = self.ends(self._carried, names)
        for name in self.site.stored:
            if name in names and name in self.site.needed and not is_unavailable(names[name]):
                forwarded[name] = names[name]
        self._forwarded = Bundle.of(forwarded)
        values = self._forwarded.computed()
        current().insert(ConditionOp(test, *values))
        self._scope.leave()
        self._body = Block(arg_types=[value.type for value in values])
        self._forwarded.label(self._body.args)
        self.names = self.rebound(self.before, self._forwarded.made_of(self._body.args))
        self.watch(self.names)
        self._scope.enter(self._body, self.location())

    def close(self, names: Names) -> None:
        """End the body and create the loop."""
        from xdsl.dialects.scf import WhileOp, YieldOp

        self.check_unchanged()
        current().insert(YieldOp(*Bundle.of(self.ends(self._carried, names)).computed()))
        self._scope.leave()
        types = [argument.type for argument in self._body.args]
        op = WhileOp(self._initial, types, Region(self._test_block), Region(self._body))
        current().insert(op)
        self._forwarded.label(op.res)
        bound = [name for name in self.site.stored if name in names or name in self.before]
        self.names = self.rebound(bound, self._forwarded.made_of(op.res))


def _drop(block: Block) -> None:
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase(safe_erase=False)


class Plain:
    """A loop or branch on anything else: Python's, each round traced on its own."""

    traced = False
    names: Names = {}

    def __init__(self, *, items: Iterable[object] = (), first: bool = False) -> None:
        self.items = items
        self.first = first
        self.second = not first

    def close(self) -> None:
        """End a round or branch."""


class Loop(Construct):
    """A loop over xt.range: its body is traced once; the body's block has an argument for each carried value."""

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
        bound = [name for name in self.before if name != site.target]
        self.names = self.rebound(bound, self._inside)
        number = named(self._block.args[0], site.target)
        self.items = (_item(range, number),)
        self._scope = Scope()
        self._scope.enter(self._block, self.location())

    def close(self) -> None:
        """End the round and create the loop."""
        names = locals_of(caller())
        self.check_unchanged()
        yielded = Bundle.of(self.ends(self._carried, names))
        self.check_unshared(n for n, value in self._inside.items() if names[n] is not value)
        results = self._finish(yielded.computed())
        bound = [name for name in self.site.stored if name in names or name in self.before]
        self.names = {
            **{name: self._behind(name) for name in bound},
            **results,
            **{n: self.before[n] for n, value in self._inside.items() if names[n] is value},
        }

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
    """Return the bounds of scf.for, whose step must be at least 1: a falling range counts its rounds."""
    if range.step > 0:
        return range.start, range.stop, range.step
    fall = -range.step
    return 0, (Index.of(range.start) - range.stop + (fall - 1)) // fall, 1


def _item(range: Range, number: SSAValue) -> Index:
    if range.step > 0:
        return Index.of(number)
    return Index.of(range.start) + Index.of(number) * range.step


class Branch(Construct):
    """An `if` whose branches are both traced, each in its block."""

    first = True
    second = True

    def __init__(self, site: Site, filename: str, frame: FrameType, test: Value) -> None:
        super().__init__(site, filename, locals_of(frame), watch_of(site, frame))
        self._test = test.ssa()
        self._blocks: list[Block] = []
        self._ends: list[dict[str, object]] = []
        self._scope = Scope()
        self._enter()
        self.names: Names = {}

    def close(self) -> None:
        """End a branch."""
        self.check_unchanged()
        names = locals_of(caller())
        self._ends.append({n: v for n, v in names.items() if n in self.site.stored})
        self._scope.leave()
        if self.site.has_else and len(self._blocks) == 1:
            self.names = {**{name: self._other(name) for name in self._ends[0]}, **self.before}
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
        bound = [name for name in self.site.stored if name in first or name in second]
        self.names = {
            **{name: self._behind(name) for name in bound},
            **sides[0].made_of(new),
        }

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


_INSTEAD = {
    "return": "bind a name before it, and return that at the end",
    "break": "make its condition a part of that of a `while`",
    "continue": "put the rest of the round under an `if`",
    "raise": "write xt.check(condition, message)",
}


class Flow:
    """The statements of one function; a statement is identified by its number."""

    def __init__(self, filename: str, sites: tuple[Site, ...]) -> None:
        self.filename = filename
        self.sites = sites

    def loop(self, items: object, number: int) -> Loop | Plain:
        """Begin a `for` statement over `items`."""
        if not isinstance(items, Range) or not is_tracing():
            return Plain(items=cast("Iterable[object]", items))
        return Loop(self.sites[number], self.filename, caller(), items)

    def repetition(self, number: int) -> Repetition:
        """Begin a `while` statement."""
        return Repetition(self.sites[number], self.filename)

    def branch(self, test: object, number: int) -> Branch | Plain:
        """Begin an `if` statement on `test`."""
        if not is_traced(test):
            return Plain(first=bool(test))
        condition(test, "if")
        return Branch(self.sites[number], self.filename, caller(), cast(Value, test))

    def same(self, one: object, other: object) -> bool:
        """Return True if two objects are one; raise for two values of the kernel."""
        if is_traced(one) and is_traced(other):
            refuse("`is` of two values of the kernel; compare them with ==")
        return one is other

    def asked(self, function: Callable[..., object], *given: object) -> object:
        """Call `isinstance`; raise if it tests for int where a loop carries the number as an index."""
        if function is isinstance and len(given) == 2 and isinstance(given[0], Index):
            classes = cast(
                "tuple[object, ...]", given[1] if isinstance(given[1], tuple) else given[1:]
            )
            if int in classes and Index not in classes and is_traced(given[0]):
                refuse(
                    "a whole number is Python's int or an index; ask for both, (int, xt.Index)"
                )
        return function(*given)

    def leave(self, word: str, *around: Construct | Plain | Repetition) -> None:
        """Raise if `return`, `break`, `continue` or `raise` leaves a traced statement."""
        for statement in around:
            if statement.traced:
                refuse(f"`{word}` leaves a loop or branch that is traced; {_INSTEAD[word]}")
