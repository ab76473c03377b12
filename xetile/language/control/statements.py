"""Rewrite `for`, `while` and `if` statements so that they check at run time whether they are traced.

Before:

    for k in xt.range(0, K, BK):
        acc += A[m:m + BM, k:k + BK] @ B[k:k + BK, n:n + BN]

After (names with @ cannot be a user's; each statement has the position of its original):

    @1 = @flow.loop(xt.range(0, K, BK), 0)
    for k in @1.items:
        if "acc" in @1.names:
            acc = @1.names["acc"]
        acc += A[m:m + BM, k:k + BK] @ B[k:k + BK, n:n + BN]
        @1.close()
    if "acc" in @1.names:
        acc = @1.names["acc"]

If the statement is Python's, `names` is empty, and `close` does nothing. An `if`:

    @2 = @flow.branch(TEST, 1)
    if @2.first:
        BODY
        @2.close()
    (names as they were before)
    if @2.second:
        ORELSE
        @2.close()
    (names as they are after)

A `while`, whose test is evaluated once if it is Python's, and once more in the block of the op if it is traced:

    @3 = @flow.repetition(2)
    while @3.again() and @3.decide(TEST):
        if @3.traced:
            (names as the test finds them)
            @3.test(TEST)
            (names as the body finds them)
        BODY
        @3.close()
    (names as they are after)

A statement that would leave a traced one (`return`, `break`, `continue`) first calls `@flow.leave("return", @1, @2)`.

A value that is never read need not be carried: a temporary may have another shape in each loop that uses its name.
In complex control flow (`try`, `match`, nested functions) a name counts as read if in doubt. If a name was missed,
its use raises: names that are not carried refer to `Unavailable`.
"""

import ast
import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from xetile.language.control.names import (
    Place,
    Site,
    Word,
    bound_by_nested,
    declared,
    late,
    mentioned,
    place_of,
    stored,
    touched,
)

Names = frozenset[str]
Control = ast.For | ast.While | ast.If


class Jumps(NamedTuple):
    """The names that are read after `break` and `continue` of the enclosing loop."""

    after_break: Names
    after_continue: Names


_NOWHERE = Jumps(frozenset(), frozenset())


@dataclass
class Liveness:
    """The names read after the statements of one function: `inside` before a round of one, `after` at its end."""

    always: Names
    """The names that may be read at any time."""
    inside: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])
    after: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])

    def block(self, body: Sequence[ast.stmt], after: Names, jumps: Jumps = _NOWHERE) -> Names:
        """Return the names that are read from the beginning of `body` on."""
        for statement in reversed(body):
            after = self._statement(statement, after, jumps)
        return after | self.always

    def _statement(self, node: ast.stmt, after: Names, jumps: Jumps) -> Names:
        match node:
            case ast.If():
                self._note(node, frozenset(), after)
                sides = self.block(node.body, after, jumps) | self.block(
                    node.orelse, after, jumps
                )
                return sides | _read([node.test])
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, after, jumps)
            case ast.Break():
                return jumps.after_break
            case ast.Continue():
                return jumps.after_continue
            case ast.With() | ast.AsyncWith():
                bound = frozenset(stored(node.items))
                return _read(node.items) | (self.block(node.body, after, jumps) - bound)
            case ast.Try() | ast.TryStar() | ast.Match():
                return self._untidy(node, after, jumps)
            case ast.AugAssign(target=ast.Name(id=name)):
                return after | _read([node]) | {name}
            case ast.AnnAssign(value=None):
                return after | _read([node])
            case (
                ast.Assign()
                | ast.AnnAssign()
                | ast.Import()
                | ast.ImportFrom()
                | ast.AugAssign()
            ):
                return after - frozenset(stored([node])) | _read([node])
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return after - {node.name} | mentioned([node])
            case ast.Delete():
                return after | mentioned([node])
            case _:
                return after | _read([node])

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, after: Names, jumps: Jumps
    ) -> Names:
        done = self.block(node.orelse, after, jumps)
        head = done
        while True:
            again = Jumps(after, head)
            round = self.block(node.body, head, again)
            if isinstance(node, ast.While):
                begin = head | round | _read([node.test])
            else:
                begin = (
                    head | (round - frozenset(stored([node.target]))) | _read([node.target])
                )
            if begin == head:
                break
            head = begin
        self._note(node, self.block(node.body, head, Jumps(after, head)), after | done)
        if isinstance(node, ast.While):
            self.inside[node] |= head
            return head
        return head | _read([node.iter])

    def _untidy(
        self, node: ast.Try | ast.TryStar | ast.Match, after: Names, jumps: Jumps
    ) -> Names:
        every = after | _read([node]) | jumps.after_break | jumps.after_continue
        for _, _, body in _bodies(node):
            self.block(body, every, Jumps(every, every))
        return every

    def _note(self, node: ast.stmt, inside: Names, after: Names) -> None:
        self.inside[node] = self.inside.get(node, frozenset()) | inside
        self.after[node] = self.after.get(node, frozenset()) | after | self.always


def _read(nodes: Iterable[ast.AST]) -> Names:
    return frozenset(
        child.id
        for node in nodes
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
    )


def _bodies(node: ast.stmt) -> list[tuple[ast.AST, str, list[ast.stmt]]]:
    """Return the blocks of a statement, each with its node and the name of its field."""
    parts: list[ast.AST] = [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]
    return [
        (part, name, body)
        for part in parts
        for name in ("body", "orelse", "finalbody")
        if (body := getattr(part, name, None))
    ]


def of_function(body: Sequence[ast.stmt]) -> Liveness:
    """Return the liveness of names after each statement of a function's body."""
    found = Liveness(late(body))
    found.block(body, frozenset())
    return found


Node = TypeVar("Node", bound=ast.AST)

FLOW = "@flow"
"""The name of the cell that refers to the run-time part, a `Flow`."""


@dataclass
class Rewriter:
    """The rewriter of one function's statements; it appends facts about each to `sites`."""

    liveness: Liveness
    globals: dict[str, Place]
    shared: dict[str, Place]
    """The names that nested functions bind with `nonlocal`."""
    sites: list[Site]
    around: list[str] = field(default_factory=list[str])
    """The variables of the enclosing statements, the innermost last."""
    loops: list[int] = field(default_factory=list[int])
    """The number of them around each loop."""

    def block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Return the rewritten statements of a block."""
        return [made for statement in body for made in self._statement(statement)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.For():
                return self._for(node)
            case ast.While():
                return self._while(node)
            case ast.If():
                return self._if(node)
            case ast.Return():
                return [*self._leave(node, "return", 0), node]
            case ast.Raise():
                return [*self._leave(node, "raise", 0), node]
            case ast.Break():
                return [*self._leave(node, "break", self.loops[-1]), node]
            case ast.Continue():
                return [*self._leave(node, "continue", self.loops[-1]), node]
            case ast.FunctionDef():
                return [rewrite(node, self.sites)]
            case ast.ClassDef() | ast.AsyncFunctionDef():
                return [node]
            case _:
                for part, name, body in _bodies(node):
                    setattr(part, name, self.block(body))
                return [node]

    def _leave(self, node: ast.stmt, word: str, first: int) -> list[ast.stmt]:
        left = self.around[first:]
        if not left:
            return []
        arguments = [ast.Constant(word), *map(_load, left)]
        return _at(node, [ast.Expr(_call(FLOW, "leave", *arguments))])

    def _site(self, node: Control, word: Word) -> tuple[str, ast.Constant, Site]:
        head = node.target if isinstance(node, ast.For) else node.test
        parts = [head, *node.body, *node.orelse]
        names = {**self.shared, **stored(parts)}
        live = self.liveness.inside[node] | self.liveness.after[node]
        target = node.target if isinstance(node, ast.For) else None
        site = Site(
            word,
            place_of(node),
            {name: place for name, place in names.items() if name not in self.globals},
            frozenset(names) & live,
            mentioned(parts),
            touched(parts),
            {name: place for name, place in names.items() if name in self.globals},
            target.id if isinstance(target, ast.Name) else None,
            bool(node.orelse),
        )
        self.sites.append(site)
        number = len(self.sites) - 1
        return f"@{number}", ast.Constant(number), site

    def _inside(self, name: str, body: Iterable[ast.stmt], *, loop: bool) -> list[ast.stmt]:
        if loop:
            self.loops.append(len(self.around))
        self.around.append(name)
        made = self.block(body)
        self.around.pop()
        if loop:
            self.loops.pop()
        return [*made, ast.Expr(_call(name, "close"))]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        name, number, site = self._site(node, "for")
        begin = _assign(name, _call(FLOW, "loop", node.iter, number))
        node.iter = _placed(_attribute(name, "items"), node.iter)
        node.body = [
            *_at(node, _names(name, site)),
            *_at(node, self._inside(name, node.body, loop=True)),
        ]
        node.orelse = self.block(node.orelse)
        return [*_at(node, [begin]), node, *_at(node, _names(name, site))]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        name, number, site = self._site(node, "while")
        begin = _assign(name, _call(FLOW, "repetition", number))
        tested = ast.Expr(_call(name, "test", copy.deepcopy(node.test)))
        parts = [*_names(name, site), tested, *_names(name, site)]
        test = ast.If(_attribute(name, "traced"), parts, [])
        decided = _placed(_call(name, "decide", node.test), node.test)
        node.test = _placed(ast.BoolOp(ast.And(), [_call(name, "again"), decided]), node)
        body = self._inside(name, node.body, loop=True)
        node.body = _at(node, [test, *body])
        node.orelse = self.block(node.orelse)
        return [*_at(node, [begin]), node, *_at(node, _names(name, site))]

    def _if(self, node: ast.If) -> list[ast.stmt]:
        name, number, site = self._site(node, "if")
        branch = _placed(_call(FLOW, "branch", node.test, number), node.test)
        begin = _assign(name, branch)
        first = ast.If(
            _attribute(name, "first"), self._inside(name, node.body, loop=False), []
        )
        made: list[ast.stmt] = [begin, first]
        if node.orelse:
            made += _names(name, site)
            other = self._inside(name, node.orelse, loop=False)
            made.append(ast.If(_attribute(name, "second"), other, []))
        return _at(node, [*made, *_names(name, site)])


def rewrite(node: ast.FunctionDef, sites: list[Site]) -> ast.FunctionDef:
    """Return a function with its statements rewritten, also in nested functions; a generator is unchanged."""
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in ast.walk(node)):
        return node
    globals = declared(node.body, ast.Global)
    _watch_identity(node.body)
    made = Rewriter(of_function(node.body), globals, bound_by_nested(node), sites)
    node.body = made.block(node.body)
    return node


def _watch_identity(body: list[ast.stmt]) -> None:
    """Rewrite `a is b` to call `@flow.same(a, b)`: whether two kernel values are equal is known only when it runs."""
    for statement in body:
        for part in ast.walk(statement):
            match part:
                case ast.Call(func=ast.Name(id="isinstance"), keywords=[]):
                    part.args = [part.func, *part.args]
                    part.func = _placed(_attribute(FLOW, "asked"), part)
                case _:
                    pass
            if not isinstance(part, ast.Compare) or not isinstance(
                part.ops[0], ast.Is | ast.IsNot
            ):
                continue
            if len(part.ops) == 1 and not isinstance(part.comparators[0], ast.Constant):
                same = _call(FLOW, "same", part.left, part.comparators[0])
                part.left = _placed(same, part)
                part.comparators = [_placed(ast.Constant(True), part)]


def _names(name: str, site: Site) -> list[ast.stmt]:
    """Bind the names of a site to the values of `@n.names`."""
    return [
        ast.If(
            ast.Compare(ast.Constant(bound), [ast.In()], [_attribute(name, "names")]),
            [
                _assign(
                    bound,
                    ast.Subscript(_attribute(name, "names"), ast.Constant(bound), ast.Load()),
                )
            ],
            [],
        )
        for bound in site.stored
    ]


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _attribute(name: str, attribute: str) -> ast.expr:
    return ast.Attribute(_load(name), attribute, ast.Load())


def _call(name: str, method: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_attribute(name, method), list(arguments), [])


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _at(node: ast.stmt, made: list[ast.stmt]) -> list[ast.stmt]:
    """Give new statements the position of `node`; nodes that have a position keep it."""
    return [_placed(statement, node) for statement in made]


def _placed(made: Node, node: ast.stmt | ast.expr) -> Node:
    """Place a new node where `node` begins; nodes that have a position keep it, with their children.

    It ends on the same line: the compiler puts a method's call at the end of an expression of many lines.
    """
    if isinstance(made, ast.stmt | ast.expr):
        if hasattr(made, "lineno"):
            return made
        made.lineno = made.end_lineno = node.lineno
        made.col_offset = made.end_col_offset = node.col_offset
    for part in ast.iter_child_nodes(made):
        _placed(part, node)
    return made
