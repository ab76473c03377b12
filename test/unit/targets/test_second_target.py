"""A target with another path, emitter and shared memory needs a module of rows, and no edit elsewhere."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import cast

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile import api, codegen, targets
from xetile.analysis.targets import agreed
from xetile.errors import XetileError
from xetile.kernels import gemm_module
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.targets.target import Step
from xetile.targets.xe.device import XeDevice

EXCHANGED = 4096
CODE = b"code of another kind"


@dataclass(frozen=True, kw_only=True, eq=False)
class Other(XeDevice):
    """A target that executes subgroup level as it stands."""

    path: tuple[Step, ...] = (Step("subgroup", ("xetile-wg-to-sg",)),)
    emitter: str = "other"
    shared_bytes: int = EXCHANGED


def code(module: ModuleOp) -> bytes:
    return CODE


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    rows = ModuleType("rows")
    vars(rows)["DEVICES"] = (Other(name="other"),)
    emitter = ModuleType("emitter")
    vars(emitter)["code"] = code
    monkeypatch.setitem(sys.modules, "made_up.rows", rows)
    monkeypatch.setitem(sys.modules, "xetile.codegen.other", emitter)
    monkeypatch.setattr(targets, "FAMILIES", (*targets.FAMILIES, "made_up.rows"))
    targets.by_name.cache_clear()
    yield
    targets.by_name.cache_clear()


def kernel(chips: str = "") -> str:
    text = api.text(
        gemm_module(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    )
    named = f" [{chips}]" if chips else ""
    return text.replace("gpu.module @kernels", f"gpu.module @kernels{named}")


OTHER = '#xevm.target<chip = "other">'


@pytest.mark.parametrize(("chips", "device"), [("", "other"), (OTHER, None)])
def test_its_path_is_followed(chips: str, device: str | None) -> None:
    module = api.parse(kernel(chips))
    lowered = api.lower(module, to="subgroup", device=device)
    assert "tile_mma" in api.text(lowered)
    with pytest.raises(XetileError, match=r"unknown level 'xegpu'; known are subgroup$"):
        api.lower(module, to="xegpu", device=device)


def test_paths_that_differ_are_refused() -> None:
    both = api.parse(kernel(f"#xevm.target, {OTHER}"))
    with pytest.raises(XetileError, match=r"have different levels: .*; expected one"):
        api.lower(both, to="subgroup")
    assert api.lower(both, to="blocked", device="bmg") is not both


def test_its_emitter_makes_the_code() -> None:
    lowered = api.lower(api.parse(kernel()), to="llvm", device="bmg")
    assert codegen.emit(lowered, "spirv", "other") == CODE
    assert cast(bytes, codegen.emit(lowered, "spirv", "bmg"))[:4] == b"\x03\x02\x23\x07"


def test_its_shared_memory_bounds_an_exchange() -> None:
    function = next(op for op in api.parse(kernel(OTHER)).walk() if op.name == "gpu.func")
    assert agreed(function, lambda target: target.shared_bytes, "shared memory") == EXCHANGED
    assert XeTileWgToSg().limit(function) == EXCHANGED
    assert XeTileWgToSg(1024).limit(function) == 1024


def test_more_than_its_shared_memory_is_remarked(capsys: pytest.CaptureFixture[str]) -> None:
    function = next(op for op in api.parse(kernel(OTHER)).walk() if op.name == "gpu.func")
    assert XeTileWgToSg(EXCHANGED + 1).limit(function) == EXCHANGED
    assert (
        f"exchange_bytes is {EXCHANGED + 1}; exchanges take {EXCHANGED}"
        in capsys.readouterr().err
    )
