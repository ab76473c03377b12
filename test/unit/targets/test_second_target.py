"""A made-up target is lowered by a path, prices, shared memory and lanes of its own, without an edit of xetile.

It registers its rows in `targets.FAMILIES` and its pass in `passes.PASSES`, and provides the modules of its planner and
its emitter. It has no dialect and nothing that executes its code.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar, Literal, cast

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xetile import api, codegen, passes, targets
from xetile.analysis.kernel_targets import device_of
from xetile.analysis.module_kernels import kernel_functions, subgroup_count
from xetile.dialects.xetile import TileType
from xetile.errors import XetileError
from xetile.kernels import gemm_module
from xetile.layout.exchange.step_prices import Prices
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.planning.planner import Cell, Place
from xetile.targets.target import SUBGROUP, Level, MatrixInstruction, Path, Step, Target
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.prices import XE

EXCHANGED = 4096
LANES = 32
CODE = b"code of another kind"

FREE = 0.0
DEAR = 1e9


class Ticks(ModulePass):
    """The pass to the level of the target, where a kernel of four subgroups is as it was."""

    name = "to-ticks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in kernel_functions(op):
            assert subgroup_count(function) == 4


@dataclass(frozen=True)
class Planner:
    """A planner for which each access has one price."""

    price: float

    exchange_round: ClassVar[float] = 1.0

    def access(
        self, unit: TileType, use: Literal["load", "prefetch"], *, turned: bool
    ) -> float | None:
        del unit, use, turned
        return self.price

    def elementwise(self, op: Operation) -> float:
        del op
        return 1.0

    def operand(self, unit: Place, bits: int, role: Literal["a", "b"]) -> Cell | None:
        del unit, bits, role


@dataclass(frozen=True, kw_only=True, eq=False)
class Other(Target):
    """A target of 32 lanes with a level of its own below S."""

    family: ClassVar[str] = "made-up"
    attribute: ClassVar[str] = "xevm.target"

    path: Path = (
        Step(SUBGROUP, ("xetile-wg-to-sg",)),
        Step(Level("T", "ticks", "subgroup"), ("to-ticks",)),
    )
    planner: str = "made_up"
    emitter: str = "made_up"
    lanes: int = LANES
    threads: int = LANES
    shared_bytes: int = EXCHANGED
    shared_banks: int = 8
    most_subgroups: int = 32
    access_price: float = FREE

    @property
    def prices(self) -> Prices:
        return XE._replace(banks=8, swaps=(0.0,) + (1.0,) * (LANES - 1))

    def matrix_instruction(self, a: object, b: object, c: object) -> MatrixInstruction | None:
        del a, b, c

    def describe_products(self) -> str:
        return "none"


def made(name: str, **contents: object) -> ModuleType:
    found = ModuleType(name)
    vars(found).update(contents)
    return found


def planner(target: Target) -> Planner:
    assert isinstance(target, Other)
    return Planner(target.access_price)


def code(module: ModuleOp) -> bytes:
    del module
    return CODE


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    rows = (
        Other(name="cheap"),
        Other(name="dear", access_price=DEAR),
        Other(name="narrow", lanes=16, threads=16),
    )
    modules = (
        made("made_up.rows", DEVICES=rows),
        made("xetile.planning.made_up", planner=planner),
        made("xetile.codegen.made_up", code=code),
        made("xetile.passes.made_up", Ticks=Ticks),
    )
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    entry = passes.PassEntry("made_up:Ticks", "made up")
    monkeypatch.setitem(passes.PASSES, Ticks.name, entry)
    monkeypatch.setattr(targets, "FAMILIES", (*targets.FAMILIES, "made_up.rows"))
    targets.by_name.cache_clear()
    yield
    targets.by_name.cache_clear()


def kernel(chips: str = "", threads: int = 4 * LANES) -> str:
    text = api.text(
        gemm_module(m=64, n=64, k=64, workgroup_tile=(64, 64), subgroup_tile=(32, 32))
    )
    named = f" [{chips}]" if chips else ""
    text = text.replace("gpu.module @kernels", f"gpu.module @kernels{named}")
    return text.replace("array<i32: 64, 1, 1>", f"array<i32: {threads}, 1, 1>")


CHEAP = '#xevm.target<chip = "cheap">'
DEAREST = '#xevm.target<chip = "dear">'


@pytest.mark.parametrize(("chips", "device"), [("", "cheap"), (CHEAP, None)])
def test_its_path_is_followed(chips: str, device: str | None) -> None:
    module = api.parse(kernel(chips or CHEAP))
    lowered = api.lower(module, to="ticks", device=device)
    assert "tile_mma" in api.text(lowered)
    with pytest.raises(
        XetileError, match=r"unknown level 'xegpu'; known are subgroup, ticks$"
    ):
        api.lower(module, to="xegpu", device=device)
    with pytest.raises(
        XetileError, match=r"unknown level 'ticks'; known are subgroup, blocked"
    ):
        api.lower(api.parse(kernel(threads=64)), to="ticks", device="bmg")
    with pytest.raises(XetileError, match="'cheap' is no Xe device"):
        device_of(module, XeDevice, device)


@pytest.mark.parametrize("level", ["workgroup", "subgroup", "ticks"])
def test_it_computes_what_numpy_does_at_each_of_its_levels(level: str) -> None:
    module = api.parse(kernel(CHEAP))
    lowered = module if level == "workgroup" else api.lower(module, to=level)
    draw = np.random.default_rng(0)
    a, b = (draw.integers(-4, 5, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    api.execute(lowered, "gemm", a, b, c)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_workgroups_of_other_subgroups_are_refused() -> None:
    with pytest.raises(
        XetileError, match=r"expected a multiple of 32, the lanes of a subgroup"
    ):
        api.lower(api.parse(kernel(CHEAP, threads=80)), to="subgroup")


DEALT_OUT_ANEW = """
gpu.module @kernels [{chips}] {{
  gpu.func @dealt_out_anew(%A: memref<64x64xf16>, %B: memref<64x64xf16>,
      %C: memref<64x64xf16>) kernel attributes {{known_block_size = array<i32: 128, 1, 1>, xetile.level = "workgroup"}} {{
    %c0 = arith.constant 0 : index
    %t = xetile.init_tile %A[%c0, %c0] : memref<64x64xf16>
        -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [16, 64]>>>
    %v = xetile.load_tile %t : !xetile.tile<64x64xf16,
        #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [16, 64]>>> -> vector<64x64xf16>
    %w = xetile.tile_conv_layout %v {{wg_map_result = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>}}
        : vector<64x64xf16>
    %o = xetile.init_tile %B[%c0, %c0] : memref<64x64xf16>
        -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 4], sg_data = [64, 16]>>>
    xetile.store_tile %w, %o : vector<64x64xf16>, !xetile.tile<64x64xf16,
        #xetile.tile_attr<wg_map = <sg_layout = [1, 4], sg_data = [64, 16]>>>
    %p = xetile.init_tile %C[%c0, %c0] : memref<64x64xf16>
        -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [16, 64]>>>
    xetile.store_tile %v, %p : vector<64x64xf16>, !xetile.tile<64x64xf16,
        #xetile.tile_attr<wg_map = <sg_layout = [4, 1], sg_data = [16, 64]>>>
    gpu.return
  }}
}}
"""


@pytest.mark.parametrize(("chip", "exchanged"), [(CHEAP, False), (DEAREST, True)])
def test_its_prices_decide_between_loads_and_exchanges(chip: str, exchanged: bool) -> None:
    module = api.parse(DEALT_OUT_ANEW.format(chips=chip))
    lowered = api.lower(module, to="subgroup")
    assert ("gpu.barrier" in api.text(lowered)) is exchanged
    a = np.arange(64 * 64, dtype=np.int16).view(np.float16).reshape(64, 64)
    b, c = (np.zeros((64, 64), np.float16) for _ in range(2))
    api.execute(lowered, "dealt_out_anew", a, b, c, grid=(1, 1, 1))
    assert (b.view(np.int16) == a.view(np.int16)).all()
    assert (c.view(np.int16) == a.view(np.int16)).all()


def test_paths_that_differ_are_refused() -> None:
    both = api.parse(kernel('#xevm.target, #xevm.target<chip = "narrow">', threads=64))
    with pytest.raises(XetileError, match=r"have different levels: .*; expected one"):
        api.lower(both, to="subgroup")
    assert api.lower(both, to="blocked", device="bmg") is not both


def test_its_emitter_makes_the_code() -> None:
    lowered = api.lower(api.parse(kernel(threads=64)), to="llvm", device="bmg")
    assert codegen.emit(lowered, "spirv", "cheap") == CODE
    assert cast(bytes, codegen.emit(lowered, "spirv", "bmg"))[:4] == b"\x03\x02\x23\x07"


def first(text: str, wanted: Callable[[Operation], bool]) -> Operation:
    return next(filter(wanted, api.parse(text).walk()))


def test_its_shared_memory_bounds_an_exchange(capsys: pytest.CaptureFixture[str]) -> None:
    function = first(kernel(CHEAP), lambda op: op.name == "gpu.func")
    assert XeTileWgToSg().limit(function) == EXCHANGED
    assert XeTileWgToSg(1024).limit(function) == 1024
    assert not capsys.readouterr().err
    assert XeTileWgToSg(EXCHANGED + 1).limit(function) == EXCHANGED
    said = f"exchange_bytes is {EXCHANGED + 1}; exchanges take {EXCHANGED}"
    assert said in capsys.readouterr().err
