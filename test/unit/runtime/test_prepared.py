"""Kernels that are called often, on a device that is none: what is checked, what is passed, what is given back."""

import gc
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import numpy as np
import pytest
from support.fake_device import FakeDevice

from xetile.dialects.modules import parse
from xetile.errors import XetileError, position
from xetile.runtime import prepared as prepared_module
from xetile.runtime.buffers import Buffer
from xetile.runtime.code import Code, compile_code
from xetile.runtime.driver import Argument, Information, Pointer, Scalar

GRID = ", known_grid_size = array<i32: 2, 1, 1>"


def module(arguments: str = "%A: memref<4xf32>, %n: i32", *, grid: str = GRID) -> Any:
    return parse(
        f"""gpu.module @m {{
  gpu.func @k({arguments}) kernel attributes {{
      known_block_size = array<i32: 16, 1, 1>{grid}, xetile.level = "lane"}} {{
    gpu.return
  }}
}}""",
        "k.mlir",
    )


def code(arguments: str = "%A: memref<4xf32>, %n: i32", *, grid: str = GRID) -> Code:
    return compile_code(module(arguments, grid=grid), target="bmg")


def add_one(device: FakeDevice, arguments: Sequence[Argument]) -> None:
    """Add one to every element of the first argument."""
    pointer = arguments[0]
    assert isinstance(pointer, Pointer)
    found = np.frombuffer(device.read(pointer.memory), np.float32)
    device.write(pointer.memory, (found + 1).tobytes())


def numbers() -> Any:
    return np.arange(4, dtype=np.float32)


def refusal(call: Any, *given: Any, **named: Any) -> str:
    with pytest.raises(XetileError) as found:
        call(*given, **named)
    assert "\n" not in found.value.message
    return found.value.message


def test_buffers_stay_on_the_device_from_call_to_call():
    device = FakeDevice(add_one)
    with device.prepare(code()) as kernel, device.buffer(numbers()) as buffer:
        kernel(buffer, 3)
        kernel(buffer, 4, grid=(7, 1, 1))
        assert buffer.numpy().tolist() == [2, 3, 4, 5]
    first, second = device.launches
    assert first[0] == second[0] == "k"
    assert [launch[2] for launch in (first, second)] == [(2, 1, 1), (7, 1, 1)]
    assert first[3] == second[3] == (16, 1, 1)
    assert [launch[1][1] for launch in (first, second)] == [Scalar("i32", 3), Scalar("i32", 4)]
    assert device.is_empty


def test_arrays_are_copied_there_and_back_also_beside_buffers():
    device, array = FakeDevice(add_one), numbers()
    with device.prepare(code("%A: memref<4xf32>, %B: memref<4xf32>")) as kernel:
        with device.buffer(numbers()) as buffer:
            kernel(array, buffer)
            kernel(buffer, array)
            assert buffer.numpy().tolist() == [1, 2, 3, 4]
        assert array.tolist() == [1, 2, 3, 4]
    assert device.is_empty


def test_extents_and_strides_are_of_the_buffer_that_is_given():
    device = FakeDevice()
    kernel = device.prepare(code("%A: memref<?x?xf32, strided<[?, 1], offset: ?>>"))
    wide = np.zeros((4, 32), np.float32)[:, :16]
    for array in (wide, np.zeros((2, 8), np.float32), wide):
        kernel(device.buffer(array))
    passed = [
        [each.value for each in launch[1] if isinstance(each, Scalar)]
        for launch in device.launches
    ]
    assert passed == [[0, 4, 16, 32], [0, 2, 8, 8], [0, 4, 16, 32]]


@pytest.mark.parametrize(
    ("type", "value", "passed"),
    [
        ("i32", -3, -3),
        ("index", 1 << 40, 1 << 40),
        ("f32", 0.1, 0.1),
        ("f32", float("inf"), float("inf")),
        ("f16", 2, 2.0),
        ("bf16", 1.0, 0x3F80),
        ("i1", 1, 1),
    ],
)
def test_numbers_are_passed_as_the_contract_has_them(type: str, value: float, passed: float):
    device = FakeDevice()
    kernel = device.prepare(code(f"%n: {type}"))
    kernel(value)
    kernel(np.array(value).reshape(1)[0])
    for launch in device.launches:
        (given,) = launch[1]
        assert isinstance(given, Scalar)
        assert given.value == pytest.approx(passed, rel=1e-7)


@pytest.mark.parametrize(
    ("type", "value", "message"),
    [
        ("i32", 1 << 32, "argument 0 is i32, which does not hold 4294967296"),
        ("i32", 0.5, "argument 0 is i32, which does not hold 0.5"),
        ("f16", 1e6, "argument 0 is f16, which does not hold 1000000.0"),
        ("f32", 1e39, "argument 0 is f32, which does not hold 1e+39"),
        ("f32", True, "argument 0 is f32, which takes a number, not bool True"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_in_each_call(
    type: str, value: float, message: str
):
    device = FakeDevice()
    kernel = device.prepare(code(f"%n: {type}"))
    kernel(1)
    assert refusal(kernel, value) == message
    assert len(device.launches) == 1


def test_wrong_buffers_are_refused():
    device, other = FakeDevice(), FakeDevice()
    kernel = device.prepare(code())
    good = device.buffer(numbers())
    kernel(good, 1)
    for array, message in (
        (np.zeros(5, np.float32), "argument 0 is memref<4xf32>; the array has shape [5]"),
        (
            np.zeros(4, np.float16),
            "argument 0 is memref<4xf32>, whose elements are float32; the array has float16",
        ),
        (
            np.zeros(8, np.float32)[::2],
            "argument 0 is memref<4xf32>, whose strides are [1] elements; the array has [2]",
        ),
    ):
        assert refusal(kernel, device.buffer(array), 1) == message
    assert (
        refusal(kernel, good)
        == "the kernel takes 2 arguments (memref<4xf32>, i32), 1 are given"
    )
    assert (
        refusal(kernel, 3, 1) == "argument 0 is memref<4xf32>, which takes an array, not int 3"
    )
    foreign = "argument 0 is a buffer of fake as it was opened another time"
    assert refusal(kernel, other.buffer(numbers()), 1) == foreign
    other.information = Information("opencl:gpu", "another", emulates=False)
    foreign = "argument 0 is a buffer of opencl:gpu; the kernel is prepared on fake"
    assert refusal(kernel, other.buffer(numbers()), numbers()) == foreign
    good.free()
    assert refusal(kernel, good, 1) == "a buffer of shape [4] is used after it was freed"
    assert refusal(good.numpy) == "a buffer of shape [4] is used after it was freed"
    kernel.free()
    kernel.free()
    assert refusal(kernel, good, 1) == "the kernel k is called after it was freed"
    assert len(device.launches) == 1


@pytest.mark.parametrize("grid", [(1, 1), (0, 1, 1), (1, 1, 1.0), [1, 2, 3, 4]])
def test_a_wrong_grid_is_refused(grid: Any):
    kernel = FakeDevice().prepare(code("%n: i32"))
    message = f"the grid is {[*grid]}; expected three sizes of at least 1, x first"
    assert refusal(kernel, 1, grid=grid) == message


def test_a_grid_is_needed_where_the_kernel_has_none():
    kernel = FakeDevice().prepare(code("%n: i32", grid=""))
    assert refusal(kernel, 1) == "a kernel needs known_grid_size, or grid=, to be launched"
    kernel(1, grid=[2, 3, 4])


def test_what_2d_access_does_not_take_is_refused_for_each_shape():
    source = parse(
        """gpu.module @m {
  gpu.func @k(%A: memref<?x?xf16>, %C: memref<8x16xf16>) kernel attributes {
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>,
      xetile.level = "subgroup"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %A, %c0 : memref<?x?xf16>
    %columns = memref.dim %A, %c1 : memref<?x?xf16>
    %a = xetile.init_tile %A[0, 0], [%rows, %columns], [%columns, 1] : memref<?x?xf16> -> !xetile.tile<8x16xf16>
    %v = xetile.load_tile %a : !xetile.tile<8x16xf16> -> vector<8x16xf16>
    %c = xetile.init_tile %C[0, 0] : memref<8x16xf16> -> !xetile.tile<8x16xf16>
    xetile.store_tile %v, %c : vector<8x16xf16>, !xetile.tile<8x16xf16>
    gpu.return
  }
}""",
        "k.mlir",
    )
    device = FakeDevice()
    kernel = device.prepare(compile_code(source, target="bmg", assume="gather"))
    kernel(device.zeros((8, 20), np.float16), device.zeros((8, 16), np.float16))
    strict = device.prepare(compile_code(source, target="bmg"))
    strict(device.zeros((8, 64), np.float16), device.zeros((8, 16), np.float16))
    message = refusal(
        strict, device.zeros((8, 20), np.float16), device.zeros((8, 16), np.float16)
    )
    assert message.startswith(
        "argument 0 (A): the matrix has rows of 40 bytes; 2D block access"
    )


def test_errors_have_the_place_that_is_given():
    source, wrong = module("%n: i32"), cast(int, "one")
    (function,) = [op for op in source.walk() if op.name == "gpu.func"]
    kernel = FakeDevice().prepare(compile_code(source, target="bmg"), place=position(function))
    with pytest.raises(XetileError) as found:
        kernel(wrong)
    text = "k.mlir:2:3: error: argument 0 is i32, which takes a number, not str 'one'"
    assert str(found.value) == text
    with pytest.raises(XetileError) as found:
        FakeDevice().prepare(compile_code(source, target="bmg"), "j", place=position(function))
    assert str(found.value) == "k.mlir:2:3: error: the module has no kernel 'j' but k"


def test_a_kernel_that_is_not_bound_leaves_nothing(monkeypatch: pytest.MonkeyPatch):
    def refuse(*arguments: object) -> NoReturn:
        raise XetileError("the kernel takes other arguments")

    device = FakeDevice()
    monkeypatch.setattr(device, "bind", refuse)
    with pytest.raises(XetileError, match="other arguments"):
        device.prepare(code("%n: i32"))
    assert device.is_empty


def test_what_nobody_has_any_more_is_given_back_when_the_device_is_asked_next():
    device = FakeDevice()
    kernel, buffer = device.prepare(code()), device.buffer(numbers())
    kernel(buffer, 1)
    del buffer
    gc.collect()
    assert device.memories
    kernel(device.buffer(numbers()), 1)
    gc.collect()
    device.tidy()
    assert not device.memories
    del kernel
    gc.collect()
    device.tidy()
    assert device.is_empty


def test_shapes_are_checked_once_and_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch):
    checked: list[int] = []
    place = prepared_module.place

    def placing(device: Any, entries: Any, given: Any, **named: Any) -> Any:
        checked.append(given[0].shape[0])
        return place(device, entries, given, **named)

    monkeypatch.setattr(prepared_module, "MOST_PLANS", 3)
    monkeypatch.setattr(prepared_module, "place", placing)
    device = FakeDevice()
    kernel = device.prepare(code("%A: memref<?xf32>"))
    for size in (1, 2, 1, 2, 3, 3, 4, 4, 1):
        kernel(device.zeros([size], np.float32))
    assert checked == [1, 2, 3, 4, 1]
    sizes = [launch[1][1] for launch in device.launches]
    assert sizes == [Scalar("i64", size) for size in (1, 2, 1, 2, 3, 3, 4, 4, 1)]


def test_a_buffer_holds_what_an_array_held():
    device = FakeDevice()
    for array in (
        np.arange(12, dtype=np.int16).reshape(3, 4),
        np.arange(12, dtype=np.int16).reshape(3, 4).T,
        np.arange(12, dtype=np.int16).reshape(3, 4)[::-1],
        np.arange(12, dtype=np.int16).reshape(3, 4)[:, :2],
        np.zeros((0, 4), np.float32),
        np.array(3.5),
    ):
        buffer = device.buffer(array)
        assert (buffer.shape, buffer.dtype, buffer.ndim) == (
            array.shape,
            array.dtype,
            array.ndim,
        )
        found = buffer.numpy()
        assert found.tobytes() == array.tobytes()
        found[...] = 1
        buffer.write(found)
        assert (buffer.numpy() == 1).all()
        if array.size and min(array.strides, default=0) >= 0:
            assert buffer.strides == array.strides


def test_what_is_no_buffer_is_refused():
    device = FakeDevice()
    for array in (np.array([None]), np.zeros(2, ">f4"), np.zeros(2, [("a", "i4")])):
        assert "a device has no elements of dtype" in refusal(device.buffer, array)
    assert refusal(device.zeros, (2, -1), np.int8) == (
        "the shape is [2, -1]; expected no extent below 0"
    )
    message = "the buffer has shape [2] of int8; the array has [2] of int16"
    assert refusal(device.zeros([2], np.int8).write, np.zeros(2, np.int16)) == message
    assert repr(device.zeros([2, 3], np.int8)) == "Buffer(2x3 int8, fake)"
    assert device.largest < 1 << 30
    assert "does not allocate" in refusal(device.zeros, [1 << 30], np.int8)


def test_a_buffer_is_not_what_lies_before_an_offset():
    device = FakeDevice()
    kernel = device.prepare(code("%A: memref<4xf32, strided<[1], offset: 2>>"))
    assert refusal(kernel, device.buffer(numbers())) == (
        "argument 0 is memref<4xf32, strided<[1], offset: 2>>, whose first element is number 2; "
        "nothing lies in front of a buffer, give an array"
    )
    kernel(numbers())


def test_code_is_the_same_after_it_was_bytes():
    made = code()
    data = made.to_bytes()
    assert Code.from_bytes(data) == made
    assert made.to_bytes() == code().to_bytes()
    for other in (b"", data[:7], data[:60], b"\xff" * 40, b"\x02" + bytes(7) + b"[]"):
        assert Code.from_bytes(other) is None
    assert b"k.mlir" not in data


def test_which_kernel_is_meant_has_to_be_clear():
    two = parse(
        "gpu.module @m {"
        + "".join(
            f"""gpu.func @{name}(%n: i32) kernel attributes {{
                known_block_size = array<i32: 16, 1, 1>{GRID}, xetile.level = "lane"}} {{ gpu.return }}"""
            for name in "ab"
        )
        + "}\n",
        "k.mlir",
    )
    made = compile_code(two, target="bmg")
    device = FakeDevice()
    assert (
        refusal(device.prepare, made) == "which kernel is meant is not clear; name one of a, b"
    )
    device.prepare(made, "b")(3)
    assert device.launches[0][0] == "b"
    assert isinstance(device.buffer(numbers()), Buffer)
