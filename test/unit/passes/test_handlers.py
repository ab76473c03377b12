"""Every op that a lowering pass rewrites is an op, and has a case in `test/ir` from which a reader learns what becomes of it."""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import cast

import pytest
from xdsl.context import Context

from xetile import dialects, passes

CASES = Path(__file__).parents[2] / "ir" / "passes"


def modules(name: str) -> Iterator[ModuleType]:
    """A pass's module, and those of its room."""
    module = import_module(f"{passes.__name__}.{name}")
    yield module
    for inner in iter_modules(getattr(module, "__path__", ())):
        yield import_module(f"{module.__name__}.{inner.name}")


def handled(name: str) -> set[str]:
    """The names of the ops for which a pass has handlers."""
    tables = [
        cast("Mapping[str, object]", table)
        for module in modules(name)
        for kind in ("HANDLERS", "_HANDLERS")
        if isinstance(table := getattr(module, kind, None), Mapping)
    ]
    return {op for table in tables for op in table}


LOWERING = {
    name: ops
    for name, entry in passes.PASSES.items()
    if (ops := handled(entry.where.partition(":")[0]))
}


def test_the_lowering_passes_are_found() -> None:
    assert {
        "convert-xegpu-to-xevm",
        "convert-xetile-to-xegpu",
        "convert-xevm-to-llvm",
        "xetile-blocking",
        "xetile-init-duplicate",
        "xetile-wg-to-sg",
    } <= set(LOWERING)


@pytest.mark.parametrize("name", LOWERING)
def test_each_handler_has_a_case(name: str) -> None:
    lines = [
        line
        for path in CASES.glob(f"*/{name}/*.mlir")
        for line in path.read_text().splitlines()
        if not line.lstrip().startswith("//")
    ]
    written = set(re.findall(r"[\w.]+", "\n".join(lines)))
    assert LOWERING[name] - written == set()


def test_each_handler_is_for_an_op_that_there_is() -> None:
    context = Context()
    dialects.load(context)
    unknown = {
        op for ops in LOWERING.values() for op in ops if context.get_optional_op(op) is None
    }
    assert not unknown
