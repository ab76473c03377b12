"""Python's collector is kept still while a kernel is compiled, and as it was afterwards."""

import gc
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.collector import still
from xetile.rewriting.tidying import Canonicalize

KERNEL = """
gpu.module @m {
  gpu.func @f(%A: memref<64x64xf32>) kernel attributes {xetile.level = "subgroup"} {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
"""
WRONG = KERNEL.replace("vector<8x16xf32>, !xetile", "vector<8x8xf32>, !xetile")


@pytest.fixture(autouse=True, params=[True, False], ids=["on before", "off before"])
def was_on(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = gc.isenabled()
    (gc.enable if request.param else gc.disable)()
    yield request.param
    (gc.enable if before else gc.disable)()


def test_it_is_still_inside_and_as_before_afterwards(was_on: bool) -> None:
    with still():
        assert not gc.isenabled()
        with still():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() == was_on


def test_an_error_restores_it(was_on: bool) -> None:
    with pytest.raises(xetile.XetileError):
        xetile.parse(WRONG)
    assert gc.isenabled() == was_on
    module = xetile.parse(KERNEL)
    with pytest.raises(xetile.XetileError):
        xetile.lower(module, to="xevm", device="unknown")
    assert gc.isenabled() == was_on


def test_the_last_of_several_threads_restores_it(was_on: bool) -> None:
    entered, left = Barrier(2), Barrier(2)
    found: list[bool] = []

    def first() -> None:
        with still():
            entered.wait()
        found.append(gc.isenabled())
        left.wait()

    thread = Thread(target=first)
    thread.start()
    with still():
        entered.wait()
        left.wait()
    thread.join()
    assert found == [False]
    assert gc.isenabled() == was_on


def test_passes_run_without_it(was_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    canonicalize = Canonicalize.apply

    def watched(self: Canonicalize, ctx: Context, op: ModuleOp) -> None:
        seen.append(gc.isenabled())
        canonicalize(self, ctx, op)

    monkeypatch.setattr(Canonicalize, "apply", watched)
    module = xetile.parse(KERNEL)
    xetile.emit(module, "spirv", "bmg")
    assert seen
    assert not any(seen)
    assert gc.isenabled() == was_on


def test_what_was_dropped_inside_is_found_afterwards() -> None:
    """A process that compiles forever keeps nothing of it."""

    class Cycle:
        def __init__(self) -> None:
            self.own = self

    with still():
        for _ in range(10_000):
            Cycle()
    gc.collect(0)
    assert not any(isinstance(found, Cycle) for found in gc.get_objects())
