"""The functions of a runner, against numpy and against what the C++ ones print."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from xetile.api import parse_text
from xetile.errors import XetileError, collected_remarks
from xetile.interpreter import execute_host

Array = NDArray[Any]
DTYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
ENDINGS = {"f16": "F16", "bf16": "BF16", "f32": "F32"}


def call(
    name: str, types: str, *arguments: Array | float, result: str = "", seed: int = 0
) -> str:
    """Call a function on memrefs and scalars (`types`, by semicolons); what is printed, and the result after it."""
    given = [type.strip() for type in types.split(";") if type]
    parameters = ", ".join(f"%{n}: {type}" for n, type in enumerate(given))
    taken = [re.sub(r"memref<(\d+x)*", "memref<*x", type) for type in given]
    casts = "\n".join(
        f"%c{n} = memref.cast %{n} : {type} to {taken[n]}" if "memref" in type else ""
        for n, type in enumerate(given)
    )
    names = ", ".join(
        f"%c{n}" if "memref" in type else f"%{n}" for n, type in enumerate(given)
    )
    signature = f"({', '.join(taken)}) -> ({result})"
    returned = f"return %r : {result}" if result else "return"
    text = f"""
    func.func private @{name}{signature}
    func.func @f({parameters}) -> ({result}) {{
      {casts}
      {"%r = " if result else ""}func.call @{name}({names}) : {signature}
      {returned}
    }}"""
    printed: list[str] = []
    module = parse_text(text, "host.mlir")
    results = execute_host(module, "f", arguments, output=printed.append, seed=seed)
    return "".join(printed) + "".join(str(found) for found in results)


@pytest.mark.parametrize("type", DTYPES)
def test_fill(type: str) -> None:
    array = np.zeros((3, 5), DTYPES[type])
    call(f"fillResource1D{ENDINGS[type]}", f"memref<3x5x{type}>; f32", array, 0.1)
    assert (array == np.float32(0.1).astype(DTYPES[type])).all()


@pytest.mark.parametrize(
    ("left", "right", "warnings"),
    [
        ([1, 2, 3], [1, 2, 4], []),
        ([1, 2, 3], [1, np.nan, np.inf], ["the reference holds 2 elements that are not finite, the first is nan at [1]; nothing is close to nan"]),
        ([1, np.inf, 3], [1, 2, 3], ["what is compared holds 1 element that is not finite, inf at [1]"]),
        ([1, np.inf, 3], [1, np.inf, 4], ["the reference holds 1 element that is not finite, inf at [1]", "what is compared holds 1 element that is not finite, inf at [1]"]),
        ([1, np.inf], [1, np.inf], []),
    ],
)  # fmt: skip
def test_what_is_not_finite_is_told_where_a_comparison_fails(
    left: list[float], right: list[float], warnings: list[str]
) -> None:
    arrays = [np.array(side, np.float32) for side in (left, right)]
    kind = f"memref<{len(left)}xf32>"
    with collected_remarks() as told:
        call("printAllcloseF32", f"{kind}; {kind}", *arrays)
    assert [one.message for one in told] == warnings
    assert all(one.kind == "warning" and one.line is not None for one in told)


@pytest.mark.parametrize("type", DTYPES)
def test_random_fill(type: str) -> None:
    arrays = [np.zeros((40, 50), DTYPES[type]) for _ in range(4)]
    for array, (whole, seed) in zip(arrays, ((0, 0), (0, 0), (0, 1), (1, 0)), strict=True):
        name = f"fillResource1DRandom{ENDINGS[type]}"
        call(name, f"memref<40x50x{type}>; f32; f32; i1", array, -3.0, 5.0, whole, seed=seed)
    wide = [array.astype(np.float64) for array in arrays]
    assert (wide[0] == wide[1]).all()
    assert (wide[0] != wide[2]).mean() > 0.9
    assert -3 <= wide[0].min() < -2.9
    assert 4.9 < wide[0].max() <= 5
    assert set(np.unique(wide[3])) == {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0}


def test_all_close() -> None:
    right = np.array([1.0, -100.0, 0.0, np.inf], np.float32)
    kinds = "memref<4xf32>; memref<4xf32>"
    near = right + np.array([1e-3, 0.09, 9e-5, 0.0], np.float32)
    far = right + np.array([1e-3, 0.11, 9e-5, 0.0], np.float32)
    nothing = np.array([1.0, np.nan, 0.0, np.inf], np.float32)
    assert call("printAllcloseF32", kinds, near, right) == "[ALLCLOSE: TRUE]\n"
    assert call("printAllcloseF32", kinds, far, right) == "[ALLCLOSE: FALSE]\n"
    assert call("printAllcloseF32", kinds, nothing, right) == "[ALLCLOSE: FALSE]\n"
    assert call("allcloseF32", kinds, near, right, result="i1") == "True"
    half = near.astype(np.float16)
    assert (
        call("printAllcloseF16", "memref<4xf16>; memref<4xf32>", half, right)
        == "[ALLCLOSE: TRUE]\n"
    )


def test_other_numbers_of_elements_are_refused() -> None:
    with pytest.raises(XetileError, match="memrefs of 2 and 3 elements are compared"):
        call(
            "printAllcloseF32",
            "memref<2xf32>; memref<3xf32>",
            *(np.zeros(n, np.float32) for n in (2, 3)),
        )


def test_other_arguments_are_refused() -> None:
    message = "'fillResource1DF32' takes 2 arguments and gives 0 results, the call has 1 and 0"
    with pytest.raises(XetileError, match=message):
        call("fillResource1DF32", "memref<2xf32>", np.zeros(2, np.float32))
    with pytest.raises(XetileError, match="expected a memref, found f32"):
        call("printMemrefF32", "f32", 1.0)


def test_largest_errors() -> None:
    left, right = np.array([1.0, 200.0, 3.0]), np.array([1.5, 201.0, 3.0])
    kinds = "memref<3xf32>; memref<3xf32>"
    found = call("printMaxErrorF32", kinds, left.astype(np.float32), right.astype(np.float32))
    assert found == (
        "Max absolute error 1 at idx=1 (i=200, j=201)\n"
        "Max relative error 0.333333 at idx=0 (i=1, j=1.5)\n"
    )
    assert call("printMaxErrorF32", kinds, *[left.astype(np.float32)] * 2).startswith(
        "Max absolute error 0 at idx=0 (i=inf, j=inf)\n"
    )


@pytest.mark.parametrize("type", ["f16", "bf16"])
def test_gemm_adds_products_in_order(type: str) -> None:
    generator = np.random.default_rng(0)
    a, b = (
        generator.normal(size=shape).astype(DTYPES[type]) for shape in ((70, 30), (30, 20))
    )
    c = generator.normal(size=(70, 20)).astype(np.float32)
    expected = c.copy()
    for i in range(70):
        for j in range(20):
            total = c[i, j]
            for k in range(30):
                total = total + np.float32(a[i, k]) * np.float32(b[k, j])
            expected[i, j] = total
    kinds = f"memref<70x30x{type}>; memref<30x20x{type}>; memref<70x20xf32>"
    rounded = c.copy()
    call(f"gemm{ENDINGS[type] * 2}F32", kinds, a, b, c)
    assert (c == expected).all()
    if type == "f16":
        call("gemmF16F16F16", kinds, a, b, rounded)
        assert (rounded == expected.astype(np.float16)).all()


def test_gemm_of_other_extents_is_refused() -> None:
    a, c = np.zeros((2, 3), np.float16), np.zeros((2, 2), np.float32)
    with pytest.raises(
        XetileError, match=r"extents \[2, 3\], \[2, 3\] and \[2, 2\] are no product"
    ):
        call("gemmF16F16F32", "memref<2x3xf16>; memref<2x3xf16>; memref<2x2xf32>", a, a, c)


def test_errors_are_counted() -> None:
    left = np.array([1, 2, 3, 4], np.int32)
    kinds = "memref<4xi32>; memref<4xi32>"
    assert call("verifyMemRefI32", kinds, left, left + (left > 2), result="i64") == "2"
    floats = np.array([1.0, 2.0, np.nan, 4.0], np.float32)
    near = (floats * np.float32(1 + 2e-7)).astype(np.float32)
    near[3] = 4.1
    assert (
        call("verifyMemRefF32", kinds.replace("i32", "f32"), floats, near, result="i64") == "2"
    )
    assert (
        call(
            "verifyMemRefI32",
            "memref<4xi32>; memref<3xi32>",
            left,
            left[:3].copy(),
            result="i64",
        )
        == "-1"
    )


def test_numbers_as_cpp_prints_them() -> None:
    for number, text in (
        (1.0, "1"),
        (0.1, "0.1"),
        (1e10, "1e+10"),
        (-123456789.0, "-1.23457e+08"),
    ):
        assert call("printF32", "f32", number) == text
    assert call("printF64", "f64", 1e-300) == "1e-300"
    assert call("printF32", "f32", float("nan")) == "nan"
    assert call("printI64", "i64", -5) == "-5"
    assert call("printU64", "i64", -1) == str((1 << 64) - 1)
    bf16 = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    assert call("printMemrefBF16", "memref<2xbf16>", bf16).endswith("data = \n[1.5,  -2]\n")
    index = np.array([-1, 3])
    assert call("printMemrefInd", "memref<2xindex>", index).endswith(
        f"[{(1 << 64) - 1},  3]\n"
    )


def test_time_goes_on() -> None:
    before, after = (int(call("nanoTime", "", result="i64")) for _ in range(2))
    assert before < after
