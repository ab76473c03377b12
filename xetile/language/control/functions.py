"""Functions that kernels call: their statements are traced as the kernel's are."""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

from xetile.language.control.conditions import is_tracing
from xetile.language.control.source import rewritten
from xetile.language.refusals import refuse

Given = ParamSpec("Given")
Result = TypeVar("Result")


def function(decorated: Callable[Given, Result]) -> Callable[Given, Result]:
    """`@xt.function`: a function with `for` over xt.range, or `if` and `while` on values of the kernel.

    Functions without need no decorator. Outside of kernels, and in eager execution, it is the Python function.

    Errors: XetileError for generators, coroutines and what is no function.
    """
    if not isinstance(decorated, FunctionType):
        refuse(f"@xt.function decorates a `def`, and this is a {type(decorated).__name__}")

    @wraps(decorated)
    def call(*given: Given.args, **named: Given.kwargs) -> Result:
        return (rewritten(decorated) if is_tracing() else decorated)(*given, **named)

    return call
