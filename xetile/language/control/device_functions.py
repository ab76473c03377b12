"""Functions that kernels call: their statements are traced as the kernel's are.

A function's statements are parsed from the lines that it was compiled from. The rewritten function has the name,
defaults, globals and closure of the user's, and its file, lines and columns, so that positions and tracebacks refer
to the user's text.
"""

import ast
import dis
import inspect
import linecache
from collections.abc import Callable
from functools import lru_cache, wraps
from tokenize import TokenError
from types import CellType, CodeType, FunctionType
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

from xetile.language.control.flow import Flow, is_tracing
from xetile.language.control.names import Place, Site
from xetile.language.control.statements import FLOW, rewrite
from xetile.language.positions import location, refuse

_BODY = "@body"
"""The name of the function while it is compiled, so that it does not hide a global of its name."""


class _Same:
    """A code object as a key that equals no other code object of the same text."""

    def __init__(self, code: CodeType) -> None:
        self.code = code

    def __hash__(self) -> int:
        return id(self.code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.code is self.code


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with traceable `for`, `while` and `if`; the result is cached for each code object.

    Errors: XetileError if it is not a plain function, has other decorators, or its source is not available.
    """
    if not isinstance(function, FunctionType):
        refuse(f"a {type(function).__name__} is no function; decorate a `def`")
    if FLOW in function.__code__.co_freevars:
        return function
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    code, flow = _compiled(_Same(function.__code__), tuple(lines))
    if flow is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[FLOW] = CellType(flow)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = cast("dict[str, Any]", function.__kwdefaults__)
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    return made


@lru_cache(maxsize=1024)
def _compiled(same: _Same, lines: tuple[str, ...]) -> tuple[CodeType, Flow | None]:
    code = same.code
    place = (code.co_firstlineno, 1)
    if fault := _fault(code, lines):
        _refuse(code, place, fault)
    node = _definition(code, lines)
    if node is not None:
        _check_decorators(code, node)
        node.name, node.decorator_list = _BODY, []
    if node is None or not _is_same(_compile(node, code, ()), code):
        _refuse(
            code,
            place,
            f"the source of '{code.co_name}' is not what was compiled; was the file changed since it was imported?",
        )
    sites: list[Site] = []
    rewritten = rewrite(node, sites)
    if not sites:
        return code, None
    made = _compile(rewritten, code, (FLOW,))
    return made, Flow(code.co_filename, tuple(sites))


def _fault(code: CodeType, lines: tuple[str, ...]) -> str | None:
    """Return the reason why a function's statements cannot be traced, or None."""
    if code.co_name == "<lambda>":
        return "a lambda is no kernel; write a `def`"
    if not lines:
        return f"the source of '{code.co_name}' cannot be found; write it in a file"
    if code.co_flags & _NOT_PLAIN:
        return f"'{code.co_name}' yields or awaits; a kernel's functions return, a list of values for example"
    return None


def _definition(code: CodeType, lines: tuple[str, ...]) -> ast.FunctionDef | None:
    """Return the `def` statement that a code object was compiled from, with the lines and columns of the file."""
    try:
        text = inspect.getblock(list(lines[code.co_firstlineno - 1 :]))
        inner = text[0][:1].isspace()
        tree = ast.parse("if 1:\n" + "".join(text) if inner else "".join(text))
    except (SyntaxError, TokenError, IndexError):
        return None
    ast.increment_lineno(tree, code.co_firstlineno - (2 if inner else 1))
    found = (part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef))
    return next((part for part in found if part.name == code.co_name), None)


def _check_decorators(code: CodeType, node: ast.FunctionDef) -> None:
    if len(node.decorator_list) > 1:
        other = next(filter(_is_foreign, node.decorator_list), node.decorator_list[1])
        _refuse(
            code,
            (other.lineno, other.col_offset + 1),
            f"'{code.co_name}' has other decorators beside ours; it takes @xt.kernel or @xt.function alone",
        )


def _is_foreign(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name not in ("kernel", "function")


_NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _is_same(made: CodeType, code: CodeType) -> bool:
    """Return True if two code objects have the same names, constants and operators.

    Calls may differ: Python compiles calls of a module's imported names differently.
    """
    if len(made.co_consts) != len(code.co_consts) or _operators(made) != _operators(code):
        return False
    if (made.co_names, made.co_varnames) != (code.co_names, code.co_varnames):
        return False
    return all(map(_is_same_constant, made.co_consts, code.co_consts))


def _operators(code: CodeType) -> list[tuple[int, int]]:
    pairs = zip(code.co_code[::2], code.co_code[1::2], strict=True)
    return [(operation, argument) for operation, argument in pairs if operation in _OPERATORS]


_OPERATORS = frozenset(
    number
    for name, number in dis.opmap.items()
    if name.startswith(("BINARY_", "COMPARE_", "UNARY_", "IS_", "CONTAINS_", "STORE_SUBSCR"))
)


def _is_same_constant(made: object, one: object) -> bool:
    if isinstance(made, CodeType) and isinstance(one, CodeType):
        return _is_same(made, one)
    if (
        isinstance(made, str)
        and isinstance(one, str)
        and made.startswith(f"@factory.<locals>.{_BODY}")
    ):
        return True
    return type(made) is type(one) and repr(made) == repr(one)


def _compile(node: ast.FunctionDef, code: CodeType, cells: tuple[str, ...]) -> CodeType:
    """Compile a function in a scope that has the names of its closure and `cells`."""
    arguments = node.args
    arguments.defaults = [
        ast.copy_location(ast.Constant(None), node) for _ in arguments.defaults
    ]
    arguments.kw_defaults = [None for _ in arguments.kw_defaults]
    names = [ast.arg(name) for name in (*code.co_freevars, *cells) if name != "__class__"]
    outer = code.co_qualname.split(".")[-2:-1]
    body: list[ast.stmt] = [node]
    if outer and outer != ["<locals>"]:
        body = [ast.ClassDef(outer[0], [], [], body, [])]
    factory = ast.FunctionDef(
        "@factory", ast.arguments([], names, None, [], [], None, []), body, []
    )
    tree = ast.fix_missing_locations(ast.Module([factory], []))
    flags = code.co_flags & _FUTURE
    module = compile(tree, code.co_filename, "exec", flags=flags, dont_inherit=True)
    made = _code_named(module, _BODY)
    # lines are counted from co_firstlineno, which is the `def` here and was the decorator
    return made.replace(co_name=code.co_name, co_qualname=code.co_qualname)


_FUTURE = 0x1000000
"""The flag of `from __future__ import annotations` for compile()."""


def _code_named(code: CodeType, name: str) -> CodeType:
    """Return the inner code of that name; Python 3.14 adds code of annotations next to it."""
    inner = [code]
    while inner[0].co_name != name:
        first, *others = inner
        inner = [*others, *(part for part in first.co_consts if isinstance(part, CodeType))]
    return inner[0]


def _refuse(code: CodeType, place: Place, message: str) -> NoReturn:
    refuse(message, location(code.co_filename, *place))


Given = ParamSpec("Given")
Result = TypeVar("Result")


def function(decorated: Callable[Given, Result]) -> Callable[Given, Result]:
    """Make a function traceable, `@xt.function`: its `for` over xt.range, `if` and `while` may use kernel values.

    A function without these needs no decorator. Outside of kernels, and in eager execution, it is the Python function.

    Errors: XetileError for generators, coroutines and objects other than functions.
    """
    if not isinstance(decorated, FunctionType):
        refuse(f"@xt.function decorates a `def`, and this is a {type(decorated).__name__}")

    @wraps(decorated)
    def call(*given: Given.args, **named: Given.kwargs) -> Result:
        return (rewritten(decorated) if is_tracing() else decorated)(*given, **named)

    return call
