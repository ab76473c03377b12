"""Every fault that one file can be given: small edits of its text, found in its syntax tree.

What no test could notice is left alone: docstrings, annotations, texts of errors, assertions, sizes of caches.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import accumulate
from typing import NamedTuple

COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
NOT_COMMUTATIVE = (ast.Sub, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift)
OTHER_FUNCTION = {"min": "max", "max": "min", "any": "all", "all": "any"}
MESSAGES = ("fail", "warn", "remark", "remark_once", "print", "TypeVar")
"""Functions whose arguments are texts for people; so are those of exceptions."""
BUILTIN_TYPES = (
    "bool",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "set",
    "str",
    "tuple",
    "type",
)
UNSEEN_NAMES = ("__repr__", "__str__", "__hash__")


class Edit(NamedTuple):
    """One fault: characters `start` to `end` of the text become `after`."""

    line: int
    start: int
    end: int
    before: str
    after: str
    kind: str

    def apply(self, text: str) -> str:
        """The text of the file with the fault."""
        return text[: self.start] + self.after + text[self.end :]


def edits_of(text: str) -> list[Edit]:
    """All faults of a file, in the order of their places."""
    lines = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]

    def position(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found: set[Edit] = set()
    for node, after, kind in _visit(ast.parse(text)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = position(node.lineno, node.col_offset)
        end = position(node.end_lineno, node.end_col_offset)
        found.add(Edit(node.lineno, start, end, text[start:end], after, kind))
    return sorted(found)


def changes_the_program(edit: Edit, text: str) -> bool:
    """Whether a file with this fault compiles, and to something else than without it."""
    try:
        tree = ast.parse(edit.apply(text))
        compile(tree, "fault", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return ast.dump(tree) != ast.dump(ast.parse(text))


_Fault = tuple[ast.expr | ast.stmt, str, str]


def _visit(node: ast.AST) -> Iterator[_Fault]:
    """The faults of a node and of all below it that tests can see."""
    for kind, faults in FAULTS.items():
        for where, after in faults(node):
            yield where, after, kind
    for child in _seen(node):
        yield from _visit(child)


def _seen(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node without texts, annotations and what only tools read."""
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return
        case ast.FunctionDef():
            if node.name not in UNSEEN_NAMES:
                yield from (default for default in node.args.defaults)
                yield from (default for default in node.args.kw_defaults if default)
                yield from node.body
        case ast.ClassDef():
            yield from node.body
        case ast.AnnAssign():
            if node.value is not None:
                yield node.value
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield from node.orelse
        case ast.Call():
            name = _name(node.func)
            yield node.func
            if name in MESSAGES or name.endswith("Error"):
                return
            yield from node.args[1:] if name == "cast" else node.args
            yield from (word.value for word in node.keywords if word.arg != "strict")
        case ast.Subscript(value=value) if _is_type(value):
            return
        case ast.BinOp(left=ast.Constant(), op=ast.FloorDiv()):
            yield node.right  # one more of 32 // bits is as many
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Tuple(elts=members)]):
            yield from (node.left, *members)
        case _:
            yield from ast.iter_child_nodes(node)


def _name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


_Found = Iterator[tuple[ast.expr | ast.stmt, str]]


def _comparison(node: ast.AST) -> _Found:
    if isinstance(node, ast.Compare):
        for other in COMPARISONS[type(node.ops[0])]:
            yield node, _text(node, ops=[other(), *node.ops[1:]])


def _arithmetic(node: ast.AST) -> _Found:
    if (
        isinstance(node, ast.BinOp)
        and type(node.op) in ARITHMETIC
        and not _is_type(node.right)
    ):
        text = _text(node, op=ARITHMETIC[type(node.op)]())
        yield node, f"({text})" if isinstance(node.op, ast.BitAnd) else text


def _swap(node: ast.AST) -> _Found:
    match node:
        case ast.BinOp() if isinstance(node.op, NOT_COMMUTATIVE):
            yield node, _text(node, left=node.right, right=node.left)
        case ast.Tuple(elts=[ast.Starred(), _]):
            return
        case ast.Tuple(elts=[first, second], ctx=ast.Load()) if not _is_type(first):
            yield node, _text(node, elts=[second, first])
        case ast.IfExp():
            yield node, _text(node, body=node.orelse, orelse=node.body)
        case _:
            return


def _is_type(node: ast.expr) -> bool:
    """Whether this names a class, as in the second operand of `isinstance`; constants are in capitals."""
    name = _name(node)
    return name in BUILTIN_TYPES or (name[:1].isupper() and not name.isupper())


def _number(node: ast.AST) -> _Found:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield node, str(node.value + 1)
        if node.value > 0:
            yield node, str(node.value - 1)


def _truth(node: ast.AST) -> _Found:
    match node:
        case ast.Constant(value=bool(value)):
            yield node, str(not value)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield node, f"({ast.unparse(operand)})"
        case ast.BoolOp(op=ast.And()):
            yield node, f"({_text(node, op=ast.Or())})"
        case ast.BoolOp(op=ast.Or()):
            yield node, _text(node, op=ast.And())
        case _:
            return


def _function(node: ast.AST) -> _Found:
    match node:
        case ast.Call(func=ast.Name(id="reversed"), args=[sequence]):
            yield node, f"({ast.unparse(sequence)})"
        case ast.Call(func=ast.Name(id="sorted"), keywords=words) if not any(
            word.arg == "reverse" for word in words
        ):
            yield node, f"{ast.unparse(node)[:-1]}, reverse=True)"
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_FUNCTION:
            yield node.func, OTHER_FUNCTION[name]
        case _:
            return


def _slice(node: ast.AST) -> _Found:
    if isinstance(node, ast.Slice):
        whole = ast.Subscript(ast.Name("x"), node, ast.Load())
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                less = deepcopy(node)
                setattr(less, part, None)
                whole.slice = less
                yield node, ast.unparse(whole)[2:-1]


def _guard(node: ast.AST) -> _Found:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.If(body=[ast.Return() | ast.Continue() | ast.Raise()], orelse=[]):
            yield node.test, "False"
            yield node.test, f"not ({ast.unparse(node.test)})"
        case ast.If():
            yield node.test, f"not ({ast.unparse(node.test)})"
        case ast.comprehension():
            yield from ((condition, "True") for condition in node.ifs)
        case _:
            return


def _statement(node: ast.AST) -> _Found:
    match node:
        case ast.Expr(value=ast.Call()) | ast.Continue():
            yield node, "pass"
        case ast.Break():
            yield node, "continue"
        case ast.AugAssign():
            yield node, "pass"
        case _:
            return


FAULTS: Mapping[str, Callable[[ast.AST], _Found]] = {
    "comparison": _comparison,
    "arithmetic": _arithmetic,
    "swap": _swap,
    "number": _number,
    "truth": _truth,
    "function": _function,
    "slice": _slice,
    "guard": _guard,
    "statement": _statement,
}


def _text(node: ast.expr, **fields: object) -> str:
    """The node as text with some of its fields replaced."""
    changed = deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return ast.unparse(changed)
