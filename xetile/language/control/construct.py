"""What traced statements have in common: the names before, inside and after, and what each of them holds then."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from types import FrameType
from typing import NamedTuple, NoReturn

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Block, SSAValue

from xetile.language.builder import current, named
from xetile.language.carried import difference, leaves, mutables, rebuilt, told
from xetile.language.control.sites import Place, Site
from xetile.language.control.state import Watch
from xetile.language.positions import location
from xetile.language.refusals import refuse
from xetile.language.unavailable import Unavailable, is_unavailable
from xetile.language.values import Value

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
        """What the names that are bound inside hold before, where they hold anything."""
        for name, place in site.globals.items():
            self.refuse(
                f"'{name}' is bound inside a traced `{site.word}` and belongs to the module; "
                "bind a name of the function, and the module's after it",
                place,
            )

    def refuse(self, message: str, place: Place | None = None) -> NoReturn:
        """Refuse at a place of the user's file, by default that of the statement."""
        refuse(message, location(self.filename, *(place or self.site.place)))

    def location(self) -> FileLineColLoc:
        """Where the statement stands."""
        return self.place(self.site, self.filename)

    @staticmethod
    def place(site: Site, filename: str) -> FileLineColLoc:
        """Where a statement stands."""
        return location(filename, *site.place)

    def ends(self, carried: "Bundle", names: Names) -> dict[str, object]:
        """What carried names hold at the end of a round."""
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
        """See to it that nothing that `names` hold is changed in place."""
        self._watches.append(Watch(names, {}, {}, ()))

    def check_unchanged(self) -> None:
        """Refuse what the body changed in place, as Python would in each round or in one branch."""
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
        """Refuse lists and objects that are shared otherwise after the statement than it could be told from one round.

        `allowed` are those from outside that names may be bound to.
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
        """Refuse names that are to be bound to new lists and objects, of which others hold the old ones."""
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

    def candidates(self) -> dict[str, object]:
        """The names that have a value before and may be read before they are bound again."""
        return {
            name: value
            for name, value in self.before.items()
            if name in self.site.needed
            and name != self.site.target
            and not is_unavailable(value)
        }

    def check(self, name: str, before: object, after: object, when: tuple[str, str]) -> None:
        """Refuse two values of a name that cannot be one value in IR."""
        found = difference(before, after, name)
        if found is None:
            return
        part, one, other = found
        self.refuse(
            f"'{part}' is {told(one)} {when[0]} and {told(other)} {when[1]}; {_advice(part, one, other)}",
            self.site.stored[name],
        )

    def only_inside(self, name: str) -> Unavailable:
        """What a name holds after the statement that was bound inside alone."""
        line = self.site.stored[name][0]
        word = self.site.word
        what = "in one branch of the `if`" if word == "if" else f"inside the `{word}`"
        return Unavailable(
            f"'{name}' is bound at line {line}, {what} at line {self.site.place[0]}, which is traced; "
            f"bind it before the `{word}` too, to a value of the same type"
        )


def _advice(part: str, one: object, other: object) -> str:
    """What to write in place of two values that are not one in IR."""
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
    """Names with their values, and what those hold of the kernel's, in order."""

    values: dict[str, object]
    leaves: list[Value]

    @classmethod
    def of(cls, values: dict[str, object]) -> "Bundle":
        """What `values` hold."""
        return cls(values, [leaf for value in values.values() for leaf in leaves(value)])

    def computed(self) -> list[SSAValue]:
        """The values in IR, computed in the current block where they are not yet."""
        return [leaf.ssa() for leaf in self.leaves]

    def made_of(self, new: Iterable[SSAValue | None]) -> dict[str, object]:
        """The same names with other values in IR; None leaves one as it is."""
        rest: Iterator[SSAValue | None] = iter(new)
        known: dict[int, object] = {}
        return {name: rebuilt(value, rest, known) for name, value in self.values.items()}

    def label(self, new: Iterable[SSAValue | None]) -> None:
        """Call values in printed IR as the names that they are values of."""
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
        """Ops go into `block` until `leave`; `where` is the statement that it belongs to."""
        builder = current()
        self._stack.enter_context(builder.inside(block))
        builder.unfinished.append(where)

    def leave(self) -> None:
        """Ops go where they went before."""
        current().unfinished.pop()
        self._stack.close()


def caller(frame: FrameType | None) -> FrameType:
    """The frame of the function that called the one with this frame."""
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back


def locals_of(frame: FrameType) -> dict[str, object]:
    """The names of a function, as they are now."""
    return dict(frame.f_locals)


def watch_of(site: Site, frame: FrameType) -> Watch:
    """What the body of a statement can reach."""
    local, outer = frame.f_locals, frame.f_globals
    reached = {name: local[name] for name in site.mentioned if name in local}
    outside = [name for name in site.mentioned if name in outer and name not in local]
    return Watch(reached, {name: local.get(name) for name in site.stored}, outer, outside)
