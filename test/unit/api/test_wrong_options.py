"""What is no device, no register file, no kernel is refused in one line, whichever function is asked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.codegen import statistics

MODULE = xetile.parse(Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir")


def emitted(module: ModuleOp, device: Any, grf: Any = None) -> object:
    return xetile.emit(module, "spirv", device, grf=grf)


def built(module: ModuleOp, device: Any, grf: Any = None) -> object:
    return xetile.emit(module, "zebin", device, grf=grf)


def lowered(module: ModuleOp, device: Any) -> object:
    return xetile.lower(module, to="xegpu", device=device)


@pytest.fixture(autouse=True)
def without_ocloc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong argument is told before a missing program is."""
    monkeypatch.setenv("XETILE_OCLOC", "")


FUNCTIONS: dict[str, Callable[..., object]] = {
    "explore": xetile.explore,
    "explain": xetile.explain,
    "emit": emitted,
    "emit for ocloc": built,
    "lower": lowered,
    "statistics": statistics,
}
NO_DEVICE = "expected the name of a device, found {}; known are pvc, bmg, lnl, ptl, cri"


def refusal(ask: Callable[..., object], *arguments: object, **options: object) -> str:
    with pytest.raises(xetile.XetileError) as refused:
        ask(*arguments, **options)
    return refused.value.message


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("device", [3, ["bmg"], 0, b"bmg"])
def test_what_is_no_device(function: str, device: object) -> None:
    said = refusal(FUNCTIONS[function], MODULE, device)
    assert said == NO_DEVICE.format(type(device).__name__)


@pytest.mark.parametrize(
    "function", ["explore", "explain", "emit", "emit for ocloc", "statistics"]
)
def test_what_is_no_register_file(function: str) -> None:
    said = refusal(FUNCTIONS[function], MODULE, "bmg", grf="huge")
    assert said == "unknown register file 'huge'; expected small or large"


@pytest.mark.parametrize("function", ["explore", "explain", "statistics"])
def test_what_is_no_kernel(function: str) -> None:
    said = refusal(FUNCTIONS[function], MODULE, "bmg", kernel=3)
    assert said.startswith("there is no kernel '3'; the module has: gemm")
