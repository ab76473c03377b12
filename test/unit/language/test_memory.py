"""Arrays of one call in memory: what is read-only, what overlaps; layouts of more subgroups than a workgroup has."""

import re
import warnings
from typing import Any

import numpy as np
import pytest

import xetile.language as xt
from xetile.errors import one_command


@xt.kernel
def added(X: xt.Array, Y: xt.Array, SUM: xt.Array) -> None:
    SUM[0:8, 0:16] = X[0:8, 0:16] + Y[0:8, 0:16]


@xt.kernel
def counted(X: xt.Array, N: xt.Array) -> None:
    N[0] = N[0] + X[0]


@xt.kernel
def summed(X: xt.Array, SUM: xt.Array) -> None:
    SUM.T.at[0:16, 0:8].add(X.T[0:16, 0:8])


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def test_stores_to_an_array_that_is_read_only_name_the_parameter() -> None:
    y = ones(8, 16)
    y.flags.writeable = False
    what = "argument 'SUM' is an array that is read-only; the kernel stores to it"
    with pytest.raises(xt.XetileError, match=what):
        added(ones(8, 16), ones(8, 16), y)
    with pytest.raises(xt.XetileError, match=what):
        summed(ones(8, 16), y)
    added(y, y, z := ones(8, 16))
    assert (z == 2).all()
    n = np.ones(4, np.int32)
    n.flags.writeable = False
    with pytest.raises(xt.XetileError, match="argument 'N' is an array that is read-only"):
        counted(np.ones(4, np.int32), n)


def test_arrays_of_one_call_are_the_same_or_apart() -> None:
    memory = ones(12, 16)
    above, below = memory[0:8], memory[4:12]
    with pytest.raises(xt.XetileError) as caught:
        added(ones(8, 16), above, below)
    assert caught.value.message == (
        "arguments 'Y' and 'SUM' overlap in memory and are not the same array; the kernel stores to 'SUM'"
    )
    assert (memory == 1).all()
    added(above, below, z := ones(8, 16))
    assert (z == 2).all()
    added(above, above, memory[0:8])
    assert (memory[0:8] == 2).all()
    assert (memory[8:] == 1).all()


def test_a_view_of_the_same_memory_by_other_strides_is_another_array() -> None:
    square = ones(16, 16)

    @xt.kernel
    def copied(X: xt.Array, Y: xt.Array) -> None:
        Y[0:16, 0:16] = X[0:16, 0:16]

    with pytest.raises(xt.XetileError, match="arguments 'X' and 'Y' overlap in memory"):
        copied(square.T, square)


def test_eager_calls_check_memory_too() -> None:
    kernel = added.specialize(*[xt.f32[8, 16]] * 3)
    memory = ones(9, 16)
    with pytest.raises(xt.XetileError, match="overlap in memory"):
        kernel.eager(memory[0:8], ones(8, 16), memory[1:9])


@pytest.mark.opencl
def test_memory_is_checked_at_each_launch() -> None:
    memory = ones(12, 16)
    with added.on("opencl:cpu", device="bmg") as launch:
        launch(ones(8, 16), ones(8, 16), memory[0:8])
        assert (memory[0:8] == 2).all()
        with pytest.raises(xt.XetileError, match="arguments 'X' and 'SUM' overlap in memory"):
            launch(memory[0:8], ones(8, 16), memory[4:12])
        memory.flags.writeable = False
        with pytest.raises(
            xt.XetileError, match="argument 'SUM' is an array that is read-only"
        ):
            launch(ones(8, 16), ones(8, 16), memory[0:8])


def test_without_a_name_the_device_is_the_default_with_a_warning() -> None:
    said = "the device is pvc, since nothing names one; choose among .* with device="
    kernel = added.specialize(*[xt.f32[8, 16]] * 3)
    for ask in (kernel.compile, kernel.explain, lambda: kernel.lower("xegpu")):
        with pytest.warns(UserWarning, match=said) as told:
            ask()
        assert [one.filename for one in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernel.compile("bmg").device == "bmg"
        assert kernel.lower("subgroup").device is None
        assert kernel.lower("xegpu", device="lnl").compile().device == "lnl"


def test_a_command_remarks_on_the_default_device(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = added.specialize(*[xt.f32[8, 16]] * 3)
    with one_command():
        kernel.lower("xegpu")
        kernel.explain()
    assert capsys.readouterr().err.count("remark: the device is pvc") == 1


@pytest.mark.opencl
def test_a_launch_without_a_device_warns_once() -> None:
    with pytest.warns(UserWarning, match="the device is pvc") as told:
        launch = added.on("opencl:cpu")
    assert [one.filename for one in told] == [__file__]
    launch(ones(8, 16), ones(8, 16), y := ones(8, 16))
    launch.close()
    assert (y == 2).all()


@pytest.mark.parametrize("call", ["specialize", "call"])
def test_a_layout_of_more_subgroups_than_a_workgroup_has(call: str) -> None:
    @xt.kernel(sg_layout=(16, 8))
    def wide(X: xt.Array, Y: xt.Array) -> None:
        Y[0:128, 0:128] = X[0:128, 0:128]

    line = wide.__wrapped__.__code__.co_firstlineno + 1
    said = re.escape(
        f"{__file__}:{line}:5: error: sg_layout (16, 8) of 'wide' has 128 subgroups; a workgroup has 64 at most"
    )
    with pytest.raises(xt.XetileError, match=said):
        if call == "specialize":
            wide.specialize(xt.f32[128, 128], xt.f32[128, 128])
        else:
            wide(ones(128, 128), ones(128, 128))
    wide.specialize(xt.f32[128, 128], xt.f32[128, 128], sg_layout=(8, 8))
