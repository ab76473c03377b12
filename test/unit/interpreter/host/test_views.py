"""Host loops over strided memrefs of which types tell more or less: compiled as interpreted, and never outside of their memory."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute_host
from xetile.interpreter.host import loops

ELEMENTS = 96
"""Elements of the memory that every program is given."""

GUARD = 64
"""Elements before and behind it, which nobody may change."""

NEVER = 1 << 62
PROGRAMS = 60


class View(NamedTuple):
    """A memref of a program: its name, what it is, and of that what its type tells (None: not)."""

    name: str
    sizes: Sequence[int]
    strides: Sequence[int]
    offset: int
    told: tuple[Sequence[int | None], Sequence[int | None], int | None]

    @property
    def type(self) -> str:
        sizes, strides, offset = self.told
        shape = "".join(f"{shown(size)}x" for size in sizes)
        tail = "" if offset == 0 else f", offset: {shown(offset)}"
        return f"memref<{shape}i32, strided<[{', '.join(map(shown, strides))}]{tail}>>"


def shown(number: int | None) -> str:
    return "?" if number is None else str(number)


def product(one: int | None, other: int | None) -> int | None:
    if one == 0 or other == 0:
        return 0
    return None if one is None or other is None else one * other


class Program:
    """A random host function `@f(%base)` of views and of loops over them; few are wrong when running, all verify."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._count = 0
        self._lines: list[str] = []
        self._callees: list[str] = []
        self._wrong = self._random.random() < 0.3

    def text(self) -> str:
        """The module."""
        view = self._reinterpret("%base", ELEMENTS)
        for _ in range(self._random.randrange(4)):
            view = self._random.choice((self._subview, self._cast, self._transpose))(view)
            self._loops(view)
        self._loops(view)
        body = "\n".join(self._lines)
        main = f"func.func @f(%base: memref<?xi32>) {{\n{body}\nreturn\n}}"
        return "\n".join([*self._callees, main])

    def _name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _index(self, number: int) -> str:
        name = self._name()
        self._lines.append(f"{name} = arith.constant {number} : index")
        return name

    def _hidden(self, number: int) -> str:
        """A number that no pass or verifier sees through."""
        name = self._name()
        self._lines.append(f"{name} = arith.addi {self._index(number)}, %v0 : index")
        return name

    def _maybe(self, number: int) -> int | None:
        return number if self._random.random() < 0.5 else None

    def _spoiled(self, number: int) -> int:
        """The number, seldom another."""
        if self._wrong and self._random.random() < 0.15:
            return number + self._random.choice((-9, -1, 1, 7, 1 << 33, -(1 << 62)))
        return number

    def _lists(
        self, *lists: Sequence[int]
    ) -> tuple[list[list[int]], list[list[int | None]], list[str]]:
        """Numbers as they are, as known to the type, and as written."""
        values = [[self._spoiled(number) for number in numbers] for numbers in lists]
        known = [[None if n < 0 else self._maybe(n) for n in numbers] for numbers in values]
        texts = [
            ", ".join(
                self._hidden(n) if k is None else str(k) for n, k in zip(v, part, strict=True)
            )
            for v, part in zip(values, known, strict=True)
        ]
        return values, known, texts

    def _reinterpret(self, source: str, room: int) -> View:
        self._lines.append("%v0 = arith.constant 0 : index")
        rank = self._random.choice((1, 2, 2, 3))
        sizes = [self._random.choice((1, 2, 3, 4)) for _ in range(rank)]
        strides = [1] * rank
        for d in reversed(range(rank - 1)):
            strides[d] = strides[d + 1] * sizes[d + 1] + self._random.choice((0, 0, 1))
        reach = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
        (offset,), numbers = [self._random.randrange(room - reach)], (sizes, strides)
        values, known, texts = self._lists([offset], *numbers)
        told = (known[1], known[2], known[0][0])
        view = View(self._name(), values[1], values[2], values[0][0], told)
        self._lines.append(
            f"{view.name} = memref.reinterpret_cast {source} to offset: [{texts[0]}], "
            f"sizes: [{texts[1]}], strides: [{texts[2]}] : memref<?xi32> to {view.type}"
        )
        return view

    def _subview(self, view: View) -> View:
        steps = [self._random.choice((1, 1, 2)) for _ in view.sizes]
        offsets = [self._random.randrange(max(min(n, 9), 1)) for n in view.sizes]
        sizes = [
            self._random.randint(1, max(min((n - o - 1) // s, 9) + 1, 1))
            for n, o, s in zip(view.sizes, offsets, steps, strict=True)
        ]
        values, known, _ = self._lists(offsets, sizes, steps)
        for d, extent in enumerate(view.told[0]):  # what mlir-opt sees is refused at once
            if extent is not None:
                known[0][d] = None
        texts = [
            ", ".join(
                self._hidden(n) if k is None else str(k) for n, k in zip(v, p, strict=True)
            )
            for v, p in zip(values, known, strict=True)
        ]
        shift, moved = view.offset, view.told[2]
        for d, at in enumerate(values[0]):
            shift += at * view.strides[d]
            by = product(known[0][d], view.told[1][d])
            moved = None if moved is None or by is None else moved + by
        strides = [a * b for a, b in zip(view.strides, values[2], strict=True)]
        told = [product(a, b) for a, b in zip(view.told[1], known[2], strict=True)]
        drops = self._random.random() < 0.5 and known[1].count(1) < len(sizes)
        kept = [d for d, size in enumerate(known[1]) if not (drops and size == 1)]
        result = View(
            self._name(),
            [values[1][d] for d in kept],
            [strides[d] for d in kept],
            shift,
            ([known[1][d] for d in kept], [told[d] for d in kept], moved),
        )
        self._lines.append(
            f"{result.name} = memref.subview {view.name}[{texts[0]}] [{texts[1]}] [{texts[2]}] : "
            f"{view.type} to {result.type}"
        )
        return result

    def _cast(self, view: View) -> View:
        """Tell less; then tell another part, which seldom is not so."""
        for tells in (False, True):

            def told(number: int, tells: bool = tells) -> int | None:
                return self._maybe(self._spoiled(number)) if tells else None

            sizes = [told(number) for number in view.sizes]
            strides = [told(number) for number in view.strides]
            sizes = [None if n is not None and n < 0 else n for n in sizes]
            offset = told(view.offset)
            after = view._replace(name=self._name(), told=(sizes, strides, offset))
            self._lines.append(
                f"{after.name} = memref.cast {view.name} : {view.type} to {after.type}"
            )
            view = after
        return view

    def _transpose(self, view: View) -> View:
        order = list(range(len(view.sizes)))
        self._random.shuffle(order)
        sizes, strides, offset = view.told
        after = View(
            self._name(),
            [view.sizes[d] for d in order],
            [view.strides[d] for d in order],
            view.offset,
            ([sizes[d] for d in order], [strides[d] for d in order], offset),
        )
        letters = [f"d{d}" for d in range(len(order))]
        map = f"({', '.join(letters)}) -> ({', '.join(letters[d] for d in order)})"
        self._lines.append(
            f"{after.name} = memref.transpose {view.name} {map} : {view.type} to {after.type}"
        )
        return after

    def _loops(self, view: View) -> None:
        """Add to each element what the loops make of its place; by a call, half the time."""
        ends = [self._index(min(self._spoiled(n), 9)) for n in view.sizes]
        step, names = self._index(1), [self._name() for _ in view.sizes]
        for name, end in zip(names, ends, strict=True):
            self._lines.append(f"scf.for {name} = %v0 to {end} step {step} {{")
        places = ", ".join(names)
        if self._random.random() < 0.5:
            callee = f"@touch{len(self._callees)}"
            types = ", ".join([view.type, *["index"] * len(names)])
            given = ", ".join([view.name, *names])
            self._lines.append(f"func.call {callee}({given}) : ({types}) -> ()")
            taken = ", ".join(
                [f"%m: {view.type}", *(f"%i{d}: index" for d in range(len(names)))]
            )
            inner = ", ".join(f"%i{d}" for d in range(len(names)))
            body = "\n".join(changed("%m", view.type, inner, self._random.randrange(100)))
            self._callees.append(f"func.func private {callee}({taken}) {{\n{body}\nreturn\n}}")
        else:
            self._lines += changed(view.name, view.type, places, self._random.randrange(100))
        self._lines += ["}"] * len(names)


def changed(memref: str, type: str, indices: str, by: int) -> list[str]:
    """Lines that add to an element."""
    return [
        f"%x = memref.load {memref}[{indices}] : {type}",
        f"%c = arith.constant {by} : i32",
        "%y = arith.addi %x, %c : i32",
        f"memref.store %y, {memref}[{indices}] : {type}",
    ]


def outcome(text: str) -> tuple[str, list[int]]:
    """What is said, and the memory after it; what is around must be as before."""
    room = np.arange(ELEMENTS + 2 * GUARD, dtype=np.int32)
    memory = room[GUARD:-GUARD]
    try:
        execute_host(parse_text(text, "views.mlir"), "f", [memory], output=print)
        said = ""
    except XetileError as error:
        said = str(error)
    assert (room[:GUARD] == np.arange(GUARD)).all()
    assert (room[-GUARD:] == np.arange(ELEMENTS + GUARD, ELEMENTS + 2 * GUARD)).all()
    return said, memory.tolist()


def test_loops_over_views_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[bool] = []
    run = loops.CompiledLoop.run

    def counted(*arguments: object) -> object:
        values = run(*arguments)  # pyright: ignore[reportArgumentType]
        ran.append(values is not None)
        return values

    monkeypatch.setattr(loops.CompiledLoop, "run", counted)
    refused = 0
    for seed in range(PROGRAMS):
        text = Program(seed).text()
        assert str(DYNAMIC_INDEX) not in text
        monkeypatch.setattr(loops, "WORTH_COMPILING", NEVER)
        expected = outcome(text)
        monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
        assert outcome(text) == expected, text
        refused += bool(expected[0])
    assert sum(ran) > PROGRAMS // 2
    assert PROGRAMS // 20 < refused < PROGRAMS // 2
