"""What a caller's arrays and numbers are on a device."""

from collections.abc import Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from support.fake_device import FakeDevice

from xetile.codegen import launch_contract
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.runtime.arguments import (
    Entry,
    Given,
    Placed,
    free,
    place,
    read_back,
    restore,
    scalar,
)
from xetile.runtime.driver import ALIGNMENT, Pointer, Scalar

Array = NDArray[Any]


def entries(*types: str, body: str = "") -> list[Entry]:
    """The arguments of a kernel of these types, as its contract has them."""
    parameters = ", ".join(f"%arg{number}: {type}" for number, type in enumerate(types))
    kernel = f"""gpu.module @m {{
      gpu.func @k({parameters}) kernel attributes {{known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"}} {{
        {body}
        gpu.return
      }}
    }}"""
    contract = launch_contract(parse(kernel, "k.mlir"), "bmg")
    (found,) = cast("list[dict[str, object]]", contract["kernels"])
    return cast("list[Entry]", found["arguments"])


def placed_on(
    device: FakeDevice, types: Sequence[str], given: Sequence[Given], body: str = ""
) -> Placed:
    return place(device, entries(*types, body=body), given)


def pointers(placed: Placed) -> list[Pointer]:
    return [made for made in placed.arguments if isinstance(made, Pointer)]


def scalars(placed: Placed) -> list[Scalar]:
    return [made for made in placed.arguments if isinstance(made, Scalar)]


def at(device: FakeDevice, pointer: Pointer, dtype: Any) -> Array:
    """What a kernel finds from an address on."""
    return np.frombuffer(device.memories[pointer.memory][pointer.offset :], dtype)


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    return np.arange(np.prod(shape)).astype(dtype).reshape(shape)


@pytest.mark.parametrize(
    "type, dtype",
    [
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("f32", np.float32),
        ("f64", np.float64),
        ("tf32", np.float32),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn),
        ("f8E5M2", ml_dtypes.float8_e5m2),
        ("i8", np.int8),
        ("i8", np.uint8),
        ("ui8", np.uint8),
        ("i16", np.int16),
        ("i32", np.int32),
        ("i64", np.int64),
        ("index", np.int64),
        ("i1", np.bool),
    ],
)
def test_arrays_of_all_types_go_there_and_back(type: str, dtype: Any):
    device = FakeDevice()
    array = (numbers(4, 6) % 2).astype(dtype)
    placed = placed_on(device, [f"memref<4x6x{type}>"], [array])
    (pointer,) = pointers(placed)
    assert pointer.offset == 0
    assert device.read(pointer.memory) == array.tobytes()
    device.write(pointer.memory, np.ones((4, 6), dtype).tobytes())
    read_back(device, placed)
    assert array.tobytes() == np.ones((4, 6), dtype).tobytes()
    free(device, placed)
    assert device.is_empty


def test_not_a_bit_of_a_nan_changes():
    device = FakeDevice()
    bits = np.array([0x7F800001, 0xFFC12345, 0x80000000, 1], np.uint32)
    array = bits.copy().view(np.float32)
    placed = placed_on(device, ["memref<4xf32>"], [array])
    read_back(device, placed)
    assert (array.view(np.uint32) == bits).all()


def test_sizes_and_strides_are_those_of_the_array():
    device = FakeDevice()
    array = numbers(6, 8)[::2, 1:5]
    type = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
    placed = placed_on(device, [type], [array])
    assert [made.value for made in scalars(placed)] == [0, 3, 4, 16, 1]
    (pointer,) = pointers(placed)
    found = at(device, pointer, np.float32)
    assert found[0] == array[0, 0]
    assert found[2 * 16 + 3] == array[2, 3]


def test_what_lies_between_strided_elements_stays():
    device = FakeDevice()
    whole = numbers(4, 8)
    placed = placed_on(device, ["memref<4x3xf32, strided<[8, 1]>>"], [whole[:, :3]])
    (pointer,) = pointers(placed)
    device.write(pointer.memory, bytes(4 * 8 * 3))
    before = whole.copy()
    read_back(device, placed)
    assert (whole[:, :3] == 0)[:3].all()
    assert (whole[:, 3:] == before[:, 3:]).all()


def test_arrays_without_elements_or_dimensions():
    device = FakeDevice()
    empty, one = numbers(0, 4), np.array(2.5, np.float32)
    placed = placed_on(device, ["memref<?x4xf32>", "memref<f32>", "f32"], [empty, one, one])
    first, second = pointers(placed)
    assert len(device.memories[first.memory]) == 0
    assert at(device, second, np.float32).tolist() == [2.5]
    assert [made.value for made in scalars(placed)] == [0, 2.5]
    device.write(second.memory, np.float32(4).tobytes())
    read_back(device, placed)
    assert one == 4


def test_an_array_of_its_own_starts_at_the_alignment_whatever_the_host_says():
    device = FakeDevice()
    own = [np.frombuffer(bytearray(64 * number), np.float32) for number in range(1, 5)]
    assert any(array.ctypes.data % ALIGNMENT for array in own)
    placed = placed_on(device, ["memref<?xf32>"] * 4, own)
    assert [pointer.offset for pointer in pointers(placed)] == [0] * 4


@pytest.mark.parametrize("offset", [0, 1, 32, 33, 48])
def test_a_view_starts_at_the_alignment_wherever_it_does_in_its_array(offset: int):
    device = FakeDevice()
    whole = numbers(100, dtype=np.float16)
    view = whole.reshape(10, 10).ravel()[offset : offset + 8].view(np.float16)
    placed = placed_on(device, ["memref<8xf16>"], [view])
    (pointer,) = pointers(placed)
    assert pointer.offset % ALIGNMENT == 0
    assert at(device, pointer, np.float16).tolist() == view.tolist()


def test_a_memref_that_begins_behind_its_base_has_the_base_aligned():
    device = FakeDevice()
    type = "memref<2x4xf32, strided<[4, 1], offset: 3>>"
    placed = placed_on(device, [type], [numbers(2, 4)])
    (pointer,) = pointers(placed)
    assert pointer.offset == 12
    assert at(device, pointer, np.float32).tolist() == list(range(8))


@pytest.mark.parametrize("skipped", [0, 1, 16, 17])
def test_what_lies_in_front_of_element_zero_is_nobodys(skipped: int):
    """Execution on numpy refuses to reach there; on a device it is memory of the allocation, that is no number."""
    device = FakeDevice()
    type = "memref<2x64xf32, strided<[64, 1], offset: 1024>>"
    array = numbers(128 + skipped)[skipped:].reshape(2, 64)
    placed = placed_on(device, [type], [array])
    (pointer,) = pointers(placed)
    assert pointer.offset >= 4096
    assert pointer.offset % ALIGNMENT == 0
    memory = device.memories[pointer.memory]
    front = np.frombuffer(memory[pointer.offset - 4096 : pointer.offset], np.float32)
    assert np.isnan(front).all()
    assert at(device, pointer, np.float32).tolist() == array.ravel().tolist()
    memory[pointer.offset - 8 : pointer.offset - 4] = bytes(4)
    message = "the kernel stores in front of argument 0, 8 bytes before its first element"
    with pytest.raises(XetileError, match=f"^{message}$"):
        read_back(device, placed)
    assert array[0, 0] == skipped


def test_an_offset_that_is_known_at_run_time_only_is_0_for_an_array():
    device = FakeDevice()
    type = "memref<2x4xf32, strided<[4, 1], offset: ?>>"
    placed = placed_on(device, [type], [numbers(4, 4)[2:]])
    assert [made.value for made in scalars(placed)] == [0]


def test_an_offset_beyond_what_a_device_allocates_is_refused():
    type = f"memref<4xf32, strided<[1], offset: {1 << 50}>>"
    with pytest.raises(XetileError, match="the device does not allocate"):
        placed_on(FakeDevice(), [type], [numbers(4)])


def test_arrays_that_are_the_same_memory_share_an_allocation():
    device = FakeDevice()
    array = numbers(4, 4)
    placed = placed_on(device, ["memref<4x4xf32>"] * 3, [array, numbers(4, 4), array])
    first, other, again = pointers(placed)
    assert first == again != other
    assert len(device.memories) == 2


def test_views_that_overlap_keep_their_distance():
    device = FakeDevice()
    whole = numbers(64, dtype=np.int32)
    views = [whole[20:40], whole[:24], whole[39:50], whole[50:]]
    types = [f"memref<{len(view)}xi32>" for view in views]
    placed = placed_on(device, types, views)
    middle, low, high, apart = pointers(placed)
    assert {middle.memory, low.memory} == {high.memory} != {apart.memory}
    assert (low.offset, middle.offset, high.offset) == (0, 80, 156)
    assert apart.offset == 0
    content = at(device, low, np.int32).copy()
    assert content.tolist() == list(range(50))
    device.write(low.memory, (content + 1).tobytes())
    read_back(device, placed)
    assert whole.tolist() == [*range(1, 51), *range(50, 64)]


def test_columns_that_lie_between_each_other_share_an_allocation():
    device = FakeDevice()
    whole = numbers(4, 8)
    types = ["memref<4x4xf32, strided<[8, 1]>>"] * 2 + ["memref<?xf32>"]
    placed = placed_on(device, types, [whole[:, :4], whole[:, 4:], whole[1, 1:1]])
    left, right, _ = pointers(placed)
    assert (left.memory, left.offset + 16) == (right.memory, right.offset)
    assert at(device, left, np.float32).tolist() == list(range(32))


def test_a_read_only_array_is_passed_and_not_stored_to():
    device = FakeDevice()
    array, other = numbers(4), numbers(4)
    array.flags.writeable = False
    placed = placed_on(device, ["memref<4xf32>"] * 2, [other, array])
    read_back(device, placed)
    for pointer in pointers(placed):
        device.write(pointer.memory, np.float32(7).tobytes())
    message = "the kernel stores to argument 1, an array that is read-only"
    with pytest.raises(XetileError, match=f"^{message}$"):
        read_back(device, placed)
    assert array[0] == other[0] == 0


def test_a_read_only_view_of_what_another_argument_changes():
    device = FakeDevice()
    array = numbers(4)
    view = array[:2]
    view.flags.writeable = False
    placed = placed_on(device, ["memref<4xf32>", "memref<2xf32>"], [array, view])
    device.write(pointers(placed)[0].memory, np.float32(7).tobytes())
    read_back(device, placed)
    assert view[0] == 7


def test_memory_can_be_as_it_was_before():
    device = FakeDevice()
    array = numbers(4)
    placed = placed_on(device, ["memref<4xf32>"], [array])
    device.write(pointers(placed)[0].memory, bytes(16))
    restore(device, placed)
    read_back(device, placed)
    assert array.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "type, given, expected",
    [
        ("i32", -1, -1),
        ("i32", np.int64(5), 5),
        ("i64", 2**64 - 1, -1),
        ("index", np.array(7), 7),
        ("i8", 200, -56),
        ("i1", 1, 1),
        ("f32", 0.1, float(np.float32(0.1))),
        ("f16", 0.1, float(np.float16(0.1))),
        ("f64", 0.1, 0.1),
        ("bf16", 1.0, 0x3F80),
        ("bf16", -2, 0xC000),
        ("f8E4M3FN", 1.0, 0x38),
    ],
)
def test_numbers_are_those_of_execution_on_numpy(type: str, given: Any, expected: float):
    device = FakeDevice()
    (found,) = placed_on(device, [type], [given]).arguments
    assert isinstance(found, Scalar)
    bits = 8 * int(found.type[1:]) if found.type[0] == "i" else 0
    assert found.value == expected or (bits and found.value == expected % (1 << bits))
    assert scalar(entries(type)[0], given) == found


ADDRESS = """%p = llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
        %v = llvm.load %p : !llvm.ptr<1> -> f32"""


def test_an_address_is_an_array_of_any_type():
    device = FakeDevice()
    array = numbers(8, dtype=np.int16)
    placed = placed_on(device, ["i64"], [array], ADDRESS)
    (pointer,) = pointers(placed)
    assert at(device, pointer, np.int16).tolist() == array.tolist()


def test_a_pointer_is_an_array_of_any_type():
    device = FakeDevice()
    array = numbers(8, dtype=np.int16)
    (pointer,) = pointers(placed_on(device, ["!llvm.ptr<1>"], [array]))
    assert at(device, pointer, np.int16).tolist() == array.tolist()
    with pytest.raises(XetileError, match="argument 0 is an address; a device takes an array"):
        placed_on(device, ["!llvm.ptr<1>"], [4096])


REFUSED: list[tuple[str, Any, str]] = [
    ("memref<4xf32>", numbers(4, dtype=">f4"), "the array has >f4"),
    ("memref<4xf32>", numbers(4, dtype=np.float64), "the array has float64"),
    ("memref<4xf32>", numbers(5), r"the array has shape \[5\]"),
    (
        "memref<4xf32>",
        numbers(8)[::2],
        r"whose strides are \[1\] elements; the array has \[2\]",
    ),
    ("memref<4xf32>", numbers(4)[::-1], "expected multiples of 4, none below 0"),
    ("memref<4xf32>", 1.0, "which takes an array, not float 1.0"),
    ("memref<4xf32>", [1, 2, 3, 4], "which takes an array, not list"),
    ("f32", numbers(4), "which takes a number, not an array of 4 float32"),
    ("i8", 256, "does not hold 256"),
    ("i32", 1.5, "does not hold 1.5"),
    ("i64", numbers(4), "argument 0 is i64 and not only an address to the kernel"),
]


@pytest.mark.parametrize("type, given, message", REFUSED)
def test_what_does_not_fit_is_refused(type: str, given: Any, message: str):
    device = FakeDevice()
    with pytest.raises(XetileError, match=message):
        placed_on(device, [type], [given])
    assert device.is_empty


def test_an_address_that_is_a_number_is_refused():
    with pytest.raises(XetileError, match="argument 0 is an address; a device takes an array"):
        placed_on(FakeDevice(), ["i64"], [4096], ADDRESS)
    with pytest.raises(XetileError, match="argument arg0 is an address"):
        scalar(entries("i64", body=ADDRESS)[0], 4096)


def test_the_number_of_arguments_is_told_with_their_types():
    message = r"^the kernel takes 2 arguments \(memref<4xf32>, i32\), 1 are given$"
    with pytest.raises(XetileError, match=message):
        placed_on(FakeDevice(), ["memref<4xf32>", "i32"], [numbers(4)])


def test_what_is_allocated_before_a_refusal_is_given_back():
    device = FakeDevice()
    device.largest = 100
    with pytest.raises(XetileError, match="the device does not allocate 4000 bytes"):
        placed_on(device, ["memref<4xf32>", "memref<1000xf32>"], [numbers(4), numbers(1000)])
    assert device.is_empty
