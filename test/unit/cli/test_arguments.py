from pathlib import Path
from typing import Any

import ml_dtypes
import numpy
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, bf16, f16, f32, i1, i8, i32, i64
from xdsl.ir import Attribute

from xetile.cli.running.run_arrays import duplicate, make_argument, parameter
from xetile.errors import XetileError


def memref(element: Attribute, *shape: int) -> MemRefType[Attribute]:
    return MemRefType(element, shape or (3, 5))


@pytest.mark.parametrize("element", [f16, bf16, f32, i8, i32])
def test_int_covers_minus_four_to_four_and_nothing_else(element: Attribute) -> None:
    array = make_argument(parameter(memref(element, 40, 50)), "int", 0, 0)
    assert isinstance(array, numpy.ndarray)
    assert set(array.astype(int).flat) == set(range(-4, 5))


def test_seed_and_position_choose_the_data() -> None:
    what = parameter(memref(f32, 8, 8))
    same = make_argument(what, "normal", 7, 1)
    assert numpy.array_equal(same, make_argument(what, "normal", 7, 1))
    assert not numpy.array_equal(same, make_argument(what, "normal", 8, 1))
    assert not numpy.array_equal(same, make_argument(what, "normal", 7, 2))


@pytest.mark.parametrize(("request_", "value"), [("zeros", 0), ("ones", 1), ("2.5", 2.5)])
def test_constants_fill(request_: str, value: float) -> None:
    array = make_argument(parameter(memref(bf16)), request_, 0, 0)
    assert isinstance(array, numpy.ndarray)
    assert array.dtype == ml_dtypes.bfloat16
    assert (array.astype(float) == value).all()


def test_iota_starts_again_where_the_type_stops_counting() -> None:
    array = make_argument(parameter(memref(bf16, 300)), "iota", 0, 0)
    assert isinstance(array, numpy.ndarray)
    assert array.astype(int).tolist() == [*range(256), *range(44)]


def test_scalars() -> None:
    assert make_argument(parameter(i64), "-7", 0, 0) == -7
    assert make_argument(parameter(f32), "0.5", 0, 0) == 0.5
    assert make_argument(parameter(i32), "ones", 0, 0) == 1


@pytest.mark.parametrize(
    ("kind", "request_", "message"),
    [
        (
            memref(f32),
            "foo",
            "argument 2: 'foo' is none of int, zeros, ones, normal, iota, a number",
        ),
        (
            memref(f16),
            "1e9",
            r"argument 2: memref<3x5xf16> does not hold 1e9, its largest number is 65504",
        ),
        (
            memref(i8),
            "300",
            r"argument 2: memref<3x5xi8> does not hold 300, but .* -128 to 127",
        ),
        (memref(i8), "normal", "memref<3x5xi8> holds whole numbers"),
        (memref(i1), "2", "from 0 to 1"),
        (
            memref(f32, DYNAMIC_INDEX, 4),
            "int",
            "has dynamic extents; give an array as FILE.npy",
        ),
        (i64, "int", "a scalar i64 needs a number, not 'int'"),
        (i64, "0.5", "i64 needs a whole number, not 0.5"),
        (i64, "foo", "'foo' is none of"),
        (memref(f32), "missing.npy", "cannot read 'missing.npy': no such file"),
    ],
)
def test_requests_that_do_not_fit(kind: Attribute, request_: str, message: str) -> None:
    with pytest.raises(XetileError, match=message):
        make_argument(parameter(kind), request_, 0, 2)


def test_files(tmp_path: Path) -> None:
    path = str(tmp_path / "a.npy")
    numpy.save(path, numpy.arange(15, dtype=ml_dtypes.bfloat16).reshape(3, 5))
    array = make_argument(parameter(memref(bf16, DYNAMIC_INDEX, 5)), path, 0, 0)
    assert isinstance(array, numpy.ndarray)
    assert array.dtype == ml_dtypes.bfloat16
    assert array[2, 4].item() == 14
    with pytest.raises(
        XetileError, match=r"has shape \[3, 5\], memref<5x3xbf16> needs \[5, 3\]"
    ):
        make_argument(parameter(memref(bf16, 5, 3)), path, 0, 0)
    with pytest.raises(XetileError, match=r"memref<3x5xf32> needs float32"):
        make_argument(parameter(memref(f32)), path, 0, 0)
    (tmp_path / "b.npy").write_text("nonsense")
    with pytest.raises(XetileError, match="cannot read"):
        make_argument(parameter(memref(f32)), str(tmp_path / "b.npy"), 0, 0)


def header(text: str, version: int = 1, data: bytes = b"") -> bytes:
    """A .npy file whose header says `text`."""
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def described(descr: str = "'<f4'", shape: str = "(3, 5)", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


SIXTY = bytes(60)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"\x93NUM", "it is no .npy file"),
        (b"PK\x03\x04", "it is no .npy file"),
        (header(described()), "it has 0 bytes of data, its header says 60"),
        (header(described(), data=SIXTY[:59]), "it has 59 bytes of data, its header says 60"),
        (header(described(shape="(1000000000000,)")), "it has 0 bytes of data, its header says 4000000000000"),
        (header(described(shape="(9999999999999, 9999999999999, 99999999)"), data=SIXTY), "it has 60 bytes of data"),
        (header(described(shape="(-3, 5)"), data=SIXTY), "its header has the shape (-3, 5)"),
        (header(described(shape="(True, 5)"), data=SIXTY), "its header has the shape (True, 5)"),
        (header(described(shape="'x'"), data=SIXTY), "its header "),
        (header(described(descr="'|O'"), data=SIXTY), "it holds Python objects"),
        (header(described(descr="'nonsense'"), data=SIXTY), "its header "),
        (header(described(descr="[('a', '<f4'), ('b', '|O')]"), data=SIXTY), "it holds Python objects"),
        (header(described(descr="'<f4'", order="3"), data=SIXTY), "its header "),
        (header("{'descr': __import__('os').system('true')}\n"), "its header "),
        (header("[" * 4000 + "\n"), "its header "),
        (header("-" * 9000 + "1\n"), "its header "),
        (header("1" * 20000 + "\n"), "its header "),
        (header("{}\n"), "its header "),
        (header("{'descr': x}\n"), "its header is not understood (malformed node or string on line 1)"),
        (header("\x00\n"), "its header "),
        (header(described(), version=9, data=SIXTY), "its header "),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("default")
def test_files_that_lie(
    tmp_path: Path, data: bytes, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    with pytest.raises(XetileError) as caught:
        make_argument(parameter(memref(f32)), str(path), 0, 0)
    start = f"argument 0: cannot read '{path}': "
    assert caught.value.message.startswith(start + message)
    assert len(caught.value.message) < len(start) + 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("version", [1, 2, 3])
def test_files_of_all_versions_and_orders(tmp_path: Path, version: int) -> None:
    path = tmp_path / "a.npy"
    wanted = numpy.arange(15, dtype=numpy.float32).reshape(3, 5)
    for order in ("False", "True"):
        data = wanted.tobytes("C" if order == "False" else "F")
        path.write_bytes(header(described(order=order), version, data))
        found = make_argument(parameter(memref(f32)), str(path), 0, 0)
        assert isinstance(found, numpy.ndarray)
        assert numpy.array_equal(found, wanted)
        assert found.flags.c_contiguous
        assert found.flags.writeable


def test_an_array_without_elements(tmp_path: Path) -> None:
    numpy.save(tmp_path / "a.npy", numpy.zeros((0, 5), numpy.float32))
    path = str(tmp_path / "a.npy")
    found = make_argument(parameter(memref(f32, DYNAMIC_INDEX, 5)), path, 0, 0)
    assert isinstance(found, numpy.ndarray)
    assert found.shape == (0, 5)


def test_a_scalar_from_a_file(tmp_path: Path) -> None:
    numpy.save(tmp_path / "a.npy", numpy.float32(2))
    found = make_argument(parameter(f32), str(tmp_path / "a.npy"), 0, 0)
    assert numpy.asarray(found).item() == 2


@pytest.mark.parametrize("request_", ["zeros", "normal", "int", "iota", "3"])
def test_arrays_larger_than_memory(request_: str) -> None:
    with pytest.raises(XetileError) as caught:
        make_argument(parameter(memref(f32, 1 << 22, 1 << 22)), request_, 0, 0)
    assert caught.value.message.startswith(
        "argument 0: memref<4194304x4194304xf32> takes 65,536.0 GiB, this machine has "
    )


@pytest.mark.parametrize("kind", [ml_dtypes.float8_e5m2, ml_dtypes.bfloat16, numpy.int64])
def test_copies_with_the_same_strides(kind: Any) -> None:
    array = numpy.arange(24).astype(kind).reshape(4, 6)[:, ::2]
    copy = duplicate(array)
    assert copy.dtype == array.dtype
    assert copy.strides == array.strides
    assert copy.tobytes() == array.tobytes()
    assert not numpy.shares_memory(copy, array)
