"""Facts about a function before it is traced: the names that a piece of it binds, and those that it mentions."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Place = tuple[int, int]
"""Line and column in the Python file, both counted from 1."""

Word = Literal["for", "while", "if"]


@dataclass(frozen=True)
class Site:
    """One `for`, `while` or `if` statement of a function."""

    word: Word
    place: Place
    stored: dict[str, Place]
    """The names that are bound inside, each with the place of the first binding."""
    needed: frozenset[str]
    """Those of them whose value before a round, a branch or the end of the statement may be read later."""
    mentioned: frozenset[str]
    """The names that are read or bound inside, also in functions and classes."""
    touched: dict[str, Place]
    """The names with an item or attribute bound, or a method called, inside, each with the first place."""
    globals: dict[str, Place]
    """The names of the module that are bound inside."""
    target: str | None
    """The name that a `for` statement binds to each item, or None if it is not one name."""
    has_else: bool


Late = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.GeneratorExp
"""Nodes whose code runs at another time than the surrounding code, or may do so."""


def place_of(node: ast.stmt | ast.expr | ast.excepthandler | ast.pattern) -> Place:
    """Return the place where a node begins."""
    return node.lineno, node.col_offset + 1


def stored(nodes: Iterable[ast.AST]) -> dict[str, Place]:
    """Return the names that are bound in this scope, each with the first place."""
    found: dict[str, Place] = {}
    for node in nodes:
        for name, place in _stored(node):
            found.setdefault(name, place)
    return found


def _stored(node: ast.AST) -> Iterator[tuple[str, Place]]:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            yield node.id, place_of(node)
        case ast.AnnAssign(value=None):
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, place_of(node)
        case ast.ExceptHandler(name=str() as name):
            yield name, place_of(node)
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                yield (alias.asname or alias.name).split(".")[0], place_of(node)
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name, place_of(node)
        case ast.MatchMapping(rest=str() as name):
            yield name, place_of(node)
        case _:
            pass
    for child in _of_this_scope(node):
        yield from _stored(child)


def _of_this_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children that are evaluated in `node`'s own scope; of a comprehension only the `:=` that bind there."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from (*node.decorator_list, *_defaults(node.args))
        case ast.Lambda():
            yield from _defaults(node.args)
        case ast.ClassDef():
            yield from (*node.decorator_list, *node.bases, *node.keywords)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from (child for child in ast.walk(node) if isinstance(child, ast.NamedExpr))
        case _:
            yield from ast.iter_child_nodes(node)


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def mentioned(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that are read or bound, also in nested functions and classes."""
    return frozenset(
        child.id for node in nodes for child in ast.walk(node) if isinstance(child, ast.Name)
    )


def late(body: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that nested functions, classes and generators mention, which may read them at any time."""
    return frozenset(
        name
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, Late)
        for name in mentioned([node])
    )


def declared(
    body: Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]
) -> dict[str, Place]:
    """Return the names that `global` or `nonlocal` statements of this scope list."""
    found: dict[str, Place] = {}
    for node in body:
        if isinstance(node, kind):
            found.update(dict.fromkeys(node.names, place_of(node)))
        if not isinstance(node, Late):
            found.update(declared(ast.iter_child_nodes(node), kind))
    return found


def bound_by_nested(function: ast.FunctionDef) -> dict[str, Place]:
    """Return the names of a function that its nested functions bind with `nonlocal`."""
    nested = [
        part
        for statement in function.body
        for part in ast.walk(statement)
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    shared = [declared(part.body, ast.Nonlocal) for part in nested]
    arguments = function.args
    own = {
        argument.arg
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    own |= {*stored(function.body), *declared(function.body, ast.Nonlocal)}
    return {name: place for names in shared for name, place in names.items() if name in own}


def touched(nodes: Iterable[ast.AST]) -> dict[str, Place]:
    """Return the names with an item or attribute bound, or a method called, each with the first place."""
    found: dict[str, Place] = {}
    for node in nodes:
        for part in ast.walk(node):
            match part:
                case (
                    ast.Subscript(ctx=ast.Store() | ast.Del())
                    | ast.Attribute(ctx=ast.Store() | ast.Del())
                ):
                    base: ast.expr = part
                case ast.Call(func=ast.Attribute(value=value)):
                    base = value
                case _:
                    continue
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name):
                found.setdefault(base.id, place_of(part))
    return found
