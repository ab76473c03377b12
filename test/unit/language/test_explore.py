"""A kernel in Python is explored: the browser opens, a notebook shows it, its first pane is the Python source."""

import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import xetile
import xetile.language as xt
from xetile.explorer import exploration as browsing


@xt.kernel
def halved(A: xt.Array, C: xt.Array) -> None:
    m = xt.program_id(0) * 8
    C[m : m + 8, 0:16] = A[m : m + 8, 0:16] * 0.5


MADE = halved.specialize(xt.f32[32, 16], xt.f32[32, 16])


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked for, in place of one."""
    addresses: list[str] = []

    def remember(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", remember)
    return addresses


def in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("IPython")
    module.get_ipython = lambda: SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", module)


def test_the_browser_opens_the_page(shown: list[str]) -> None:
    found = MADE.explore("bmg")
    (address,) = shown
    assert Path(address.removeprefix("file://")).read_text() == found.html()
    assert address.endswith(".html")
    assert "xetile-halved-" in address


@pytest.mark.parametrize("ask", [MADE.explore, MADE.explain, MADE.compile])
@pytest.mark.parametrize("device", [3, 0, ["bmg"]])
def test_what_is_no_device(ask: Callable[[Any], object], device: object) -> None:
    with pytest.raises(xetile.XetileError) as refused:
        ask(device)
    kind = type(device).__name__
    said = f"expected the name of a device, found {kind}; known are pvc, bmg, lnl, ptl, cri"
    assert refused.value.message == said


def test_a_notebook_shows_the_page_itself(
    shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_a_notebook(monkeypatch)
    found: Any = MADE.explore("bmg")
    assert not shown
    assert found._repr_html_().startswith("<iframe")
    MADE.explore("bmg", show=True)
    assert len(shown) == 1


def test_without_a_browser_the_file_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: str) -> bool:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "open", fail)
    path = browsing.opened("<p>page</p>", "halved")
    assert capsys.readouterr().err == f"no browser was found; the page is {path}\n"
    assert Path(path).read_text() == "<p>page</p>"


def test_the_first_level_is_the_python_source(shown: list[str]) -> None:
    (kernel,) = MADE.explore("bmg", show=False).model.kernels
    assert not shown
    first, second = kernel.levels[:2]
    assert (first.id, second.id, second.of) == ("Y", "W", 0)
    place = next(n for n, line in enumerate(first.lines) if "* 0.5" in line)
    multiply = next(op for op in second.ops if kernel.names[op.name] == "arith.mulf")
    assert [first.ops[parent].line for parent in multiply.parents] == [place]
