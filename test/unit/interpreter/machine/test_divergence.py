"""Random programs of nested control flow, in which every thread goes its own way, against a thread at a time.

A program works on one number and on eight words of memory of the thread; its statements are tuples.
"""

from collections.abc import Callable
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xetile.api import parse_text
from xetile.interpreter import execute

Statement: TypeAlias = tuple[Any, ...]
THREADS = 16
WORDS = 8
LIMIT = 1000

SIMPLE = st.one_of(
    st.tuples(st.just("affine"), st.integers(1, 5), st.integers(0, 9)),
    st.tuples(st.just("store"), st.integers(0, WORDS - 1)),
    st.tuples(st.just("load"), st.integers(0, WORDS - 1)),
    st.tuples(st.just("store_at")),
    st.tuples(st.just("id")),
)


def nested(inner: st.SearchStrategy[list[Statement]]) -> st.SearchStrategy[list[Statement]]:
    return st.lists(
        st.one_of(
            SIMPLE,
            st.tuples(st.just("if"), st.integers(1, 4), inner, inner),
            st.tuples(st.just("for"), st.integers(1, 4), inner),
            st.tuples(st.just("while"), st.integers(2, 4), inner),
            st.tuples(st.just("switch"), inner, inner, inner),
        ),
        min_size=1,
        max_size=3,
    )


PROGRAMS = st.recursive(st.lists(SIMPLE, min_size=1, max_size=3), nested, max_leaves=8)


def parts(statement: Statement) -> tuple[str, list[Any]]:
    return statement[0], list(statement[1:])


def simulate(program: list[Statement], thread: int) -> tuple[int, list[int]]:
    """One thread, a statement after the other."""
    memory: list[int] = [0] * WORDS

    def run(statements: list[Statement], x: int) -> int:
        for statement in statements:
            x = step(*parts(statement), x)
        return x

    def step(kind: str, rest: list[Any], x: int) -> int:
        if kind == "affine":
            return int(x * rest[0] + rest[1]) % LIMIT
        if kind == "store":
            memory[rest[0]] = x
        elif kind == "load":
            return (x + memory[int(rest[0])]) % LIMIT
        elif kind == "store_at":
            memory[x % WORDS] = x
        elif kind == "id":
            return (x + thread) % LIMIT
        elif kind == "if":
            return run(rest[1] if x % (rest[0] + 1) == 0 else rest[2], x)
        elif kind == "for":
            return repeated(rest[1], x, x % rest[0])
        elif kind == "while":
            return x if x % rest[0] == 0 else repeated(rest[1], x, 3, rest[0])
        else:
            return run(rest[x % 3], x)
        return x

    def repeated(body: list[Statement], x: int, times: int, stop: int = 0) -> int:
        for _ in range(times):
            x = run(body, x)
            if stop and x % stop == 0:
                break
        return x

    return run(program, thread), memory


class Writer:
    """The same program as IR."""

    def __init__(self) -> None:
        self.names = count()

    def name(self) -> str:
        return f"%v{next(self.names)}"

    def block(self, statements: list[Statement], x: str) -> tuple[list[str], str]:
        lines: list[str] = []
        for statement in statements:
            more, x = self.statement(statement, x)
            lines += more
        return lines, x

    def wrapped(self, op: str) -> tuple[list[str], str]:
        raw, result = self.name(), self.name()
        return [
            f"{raw} = {op} : index",
            f"{result} = arith.remui {raw}, %limit : index",
        ], result

    def statement(self, statement: Statement, x: str) -> tuple[list[str], str]:
        kind, rest = parts(statement)
        if kind in ("if", "for", "while", "switch"):
            writers: dict[str, Callable[..., tuple[list[str], str]]] = {
                "if": self.if_, "for": self.for_, "while": self.while_, "switch": self.switch,
            }  # fmt: skip
            return writers[kind](x, *rest)
        if kind == "affine":
            product = self.name()
            lines, result = self.wrapped(f"arith.addi {product}, %c{rest[1]}")
            return [f"{product} = arith.muli {x}, %c{rest[0]} : index", *lines], result
        if kind == "store":
            return [f"memref.store {x}, %m[%n, %c{rest[0]}] : memref<16x8xindex>"], x
        if kind == "store_at":
            at = self.name()
            return [
                f"{at} = arith.remui {x}, %c8 : index",
                f"memref.store {x}, %m[%n, {at}] : memref<16x8xindex>",
            ], x
        if kind == "id":
            return self.wrapped(f"arith.addi {x}, %n")
        found = self.name()
        lines, result = self.wrapped(f"arith.addi {x}, {found}")
        return [
            f"{found} = memref.load %m[%n, %c{rest[0]}] : memref<16x8xindex>",
            *lines,
        ], result

    def if_(
        self, x: str, modulus: int, yes: list[Statement], no: list[Statement]
    ) -> tuple[list[str], str]:
        rest, holds, result = self.name(), self.name(), self.name()
        first, a = self.block(yes, x)
        second, b = self.block(no, x)
        return [
            f"{rest} = arith.remui {x}, %c{modulus + 1} : index",
            f"{holds} = arith.cmpi eq, {rest}, %c0 : index",
            f"{result} = scf.if {holds} -> (index) {{",
            *first, f"scf.yield {a} : index", "} else {", *second, f"scf.yield {b} : index", "}",
        ], result  # fmt: skip

    def for_(self, x: str, modulus: int, body: list[Statement]) -> tuple[list[str], str]:
        end, i, y, result = (self.name() for _ in range(4))
        lines, z = self.block(body, y)
        return [
            f"{end} = arith.remui {x}, %c{modulus} : index",
            f"{result} = scf.for {i} = %c0 to {end} step %c1 iter_args({y} = {x}) -> (index) {{",
            *lines, f"scf.yield {z} : index", "}",
        ], result  # fmt: skip

    def while_(self, x: str, modulus: int, body: list[Statement]) -> tuple[list[str], str]:
        names = [self.name() for _ in range(12)]
        a, n, rest, more, few, both, y, k, k1, result, turns, _ = names
        lines, z = self.block(body, y)
        return [
            f"{result}, {turns} = scf.while ({a} = {x}, {n} = %c0) : (index, index) -> (index, index) {{",
            f"{rest} = arith.remui {a}, %c{modulus} : index",
            f"{more} = arith.cmpi ne, {rest}, %c0 : index",
            f"{few} = arith.cmpi slt, {n}, %c3 : index",
            f"{both} = arith.andi {more}, {few} : i1",
            f"scf.condition({both}) {a}, {n} : index, index", "} do {", f"^bb0({y}: index, {k}: index):",
            *lines, f"{k1} = arith.addi {k}, %c1 : index", f"scf.yield {z}, {k1} : index, index", "}",
        ], result  # fmt: skip

    def switch(self, x: str, *bodies: list[Statement]) -> tuple[list[str], str]:
        rest, result = self.name(), self.name()
        lines = [
            f"{rest} = arith.remui {x}, %c3 : index",
            f"{result} = scf.index_switch {rest} -> index",
        ]
        for word, body in zip(
            ("case 1", "case 2", "default"), bodies[1:] + bodies[:1], strict=True
        ):
            inner, y = self.block(body, x)
            lines += [f"{word} {{", *inner, f"scf.yield {y} : index", "}"]
        return lines, result


def text_of(program: list[Statement]) -> str:
    lines, result = Writer().block(program, "%n")
    constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(10))
    body = "\n".join(lines)
    return f"""
    gpu.module @m {{
      gpu.func @k(%m: memref<16x8xindex>, %out: memref<16xindex>) kernel
          attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
        {constants}
        %limit = arith.constant {LIMIT} : index
        %sg = gpu.subgroup_id : index
        %b = gpu.block_id x
        %b4 = arith.muli %b, %c4 : index
        %n = arith.addi %b4, %sg : index
        {body}
        memref.store {result}, %out[%n] : memref<16xindex>
        gpu.return
      }}
    }}
    """


@settings(max_examples=40, deadline=None)
@given(PROGRAMS)
def test_random_programs(program: list[Statement]):
    memory, out = np.zeros((THREADS, WORDS), np.int64), np.zeros(THREADS, np.int64)
    execute(parse_text(text_of(program), "k.mlir"), None, [memory, out])
    for thread in range(THREADS):
        x, words = simulate(program, thread)
        assert out[thread] == x
        assert memory[thread].tolist() == words


def test_a_program_of_each_kind():
    """The writer and the simulation agree on what every statement means."""
    body: list[Statement] = [
        ("affine", 3, 1),
        ("store", 2),
        ("id",),
        ("load", 2),
        ("store_at",),
    ]
    program: list[Statement] = [
        *body,
        ("if", 2, [("for", 4, [("if", 1, body, [("while", 3, body)])])], body),
        ("switch", body, [("load", 1)], [("for", 3, body)]),
    ]
    memory, out = np.zeros((THREADS, WORDS), np.int64), np.zeros(THREADS, np.int64)
    execute(parse_text(text_of(program), "k.mlir"), None, [memory, out])
    expected = [simulate(program, thread) for thread in range(THREADS)]
    assert out.tolist() == [x for x, _ in expected]
    assert memory.tolist() == [words for _, words in expected]
    assert len(set(out.tolist())) > 1


BARRIERS = """
%s = memref.alloc() : memref<4xindex, 3>
scf.for %i = %c0 to END step %c1 {
  memref.store %n, %s[%sg] : memref<4xindex, 3>
  gpu.barrier
  %v = memref.load %s[%sg] : memref<4xindex, 3>
  gpu.barrier
}
"""


@pytest.mark.parametrize("end, same", [("%c3", True), ("%b", True), ("%sg", False)])
def test_barriers_in_loops(end: str, same: bool):
    """All subgroups of a workgroup have to make the same number of rounds; workgroups may differ."""
    text = text_of([("id",)]).replace(
        "memref.store", BARRIERS.replace("END", end) + "memref.store", 1
    )
    module = parse_text(text, "k.mlir")
    arrays = [np.zeros((THREADS, WORDS), np.int64), np.zeros(THREADS, np.int64)]
    if same:
        execute(module, None, arrays, sanitize=True)
        return
    from xetile.errors import XetileError

    with pytest.raises(
        XetileError,
        match=r"by 3 of the 4 subgroups of workgroup \[0, 0, 0\]; subgroup 0 is missing",
    ):
        execute(module, None, arrays, sanitize=True)
