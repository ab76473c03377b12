"""Which names may still be read after a statement, before anything else is bound to them.

A value that is never read need not be carried: a temporary may have another shape in each loop that uses its name.
Where control is not plain (`try`, `match`, nested functions) a name counts as read rather than not. A name that
would be missed is refused where it is read: what is not carried holds `Unavailable`.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xetile.language.control.names import late, mentioned, stored

Names = frozenset[str]
Control = ast.For | ast.While | ast.If


class Jumps(NamedTuple):
    """What is read after `break` and `continue` of the loop around."""

    after_break: Names
    after_continue: Names


_NOWHERE = Jumps(frozenset(), frozenset())


@dataclass
class Liveness:
    """Names that are read after the statements of one function: `inside` before a round of one, `after` behind it."""

    always: Names
    """What may be read at any time."""
    inside: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])
    after: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])

    def block(self, body: Sequence[ast.stmt], after: Names, jumps: Jumps = _NOWHERE) -> Names:
        """What is read from the beginning of `body` on."""
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
            case ast.Try() | ast.Match():
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
                if isinstance(node, ast.TryStar):
                    return self._untidy(node, after, jumps)
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
        if isinstance(node, ast.Match):
            bodies = [case.body for case in node.cases]
        else:
            handlers = [handler.body for handler in node.handlers]
            bodies = [node.body, node.orelse, node.finalbody, *handlers]
        for body in bodies:
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


def of_function(body: Sequence[ast.stmt]) -> Liveness:
    """What is read after each statement of a function's body."""
    found = Liveness(late(body))
    found.block(body, frozenset())
    return found
