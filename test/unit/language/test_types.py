"""Types: in which operands meet, what conversions give, what products are summed in."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.computed import Numbers, computed, refusal, text_of

import xetile.language
from xetile.language.types import ELEMENTS, ElementType, accumulators, holds, promote

xt: Any = xetile.language
FLOATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
INTEGERS = {"i8": np.int8, "ui8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
KINDS: dict[str, Any] = {**FLOATS, **INTEGERS}


def element(name: str) -> ElementType:
    return next(one for one in ELEMENTS if one.name == name)


@pytest.mark.parametrize("narrow", KINDS)
def test_a_type_holds_another_if_every_value_survives(narrow: str) -> None:
    found = values(narrow)
    for wide, kind in KINDS.items():
        with np.errstate(all="ignore"):
            there = exact(found.astype(kind), wide)
        same = (there == exact(found, narrow)) | np.isnan(exact(found, narrow)) & np.isnan(
            there
        )
        assert holds(element(wide), element(narrow)) == bool(same.all()), wide


def exact(numbers: Numbers, name: str) -> Numbers:
    """The numbers with 64 digits, as many as the widest integer has."""
    with np.errstate(all="ignore"):
        first = numbers if name in INTEGERS else numbers.astype(np.float64)
        return first.astype(np.longdouble)


def values(name: str) -> Numbers:
    """All values of 8 and 16 bits; of wider types those that tell them from others."""
    kind = np.dtype(KINDS[name])
    if kind.itemsize <= 2:
        return np.arange(1 << 8 * kind.itemsize).astype(f"uint{8 * kind.itemsize}").view(kind)
    if name in INTEGERS:
        limits = np.iinfo(kind)
        return np.array([limits.min, limits.max, limits.max - 1, (1 << 24) + 1, 0, -1], kind)
    limits = np.finfo(kind)
    return np.array(
        [limits.max, limits.smallest_subnormal, 1 + limits.eps, -1.5, np.inf], kind
    )


def test_operands_meet_in_one_of_their_types() -> None:
    for left in ELEMENTS:
        for right in ELEMENTS:
            found = promote(left, right)
            assert found == promote(right, left)
            assert found in (None, left, right)
    assert promote(xt.f16, xt.bf16) is None
    assert promote(xt.i32, xt.f32) is None
    assert promote(xt.f16, xt.f32) == xt.f32
    assert promote(xt.i8, xt.ui8) is None
    assert promote(xt.i32, xt.index) == xt.index
    assert promote(xt.i1, xt.i32) is None


@pytest.mark.parametrize("source", KINDS)
def test_conversions_as_numpy_has_them(source: str) -> None:
    low = 0 if source.startswith("ui") else -3
    a = np.linspace(low, 100, 128).reshape(8, 16).astype(KINDS[source])
    for to, kind in KINDS.items():
        given = np.abs(a.astype(np.float64)).astype(KINDS[source]) if to == "ui8" else a
        through = given.astype(np.float64) if to in INTEGERS else given
        expected = through.astype(kind)
        found = computed(lambda a, b, to=to: a.to(element(to)), given, given, expected)
        assert found.tobytes() == expected.tobytes(), to


def test_truth_values_are_0_and_1() -> None:
    a = np.arange(-64, 64).reshape(8, 16).astype(np.int32)
    found = computed(
        lambda a, b: a.to(xt.i1).to(xt.f16) + (a > 0).to(xt.f16), a, a, a.astype(np.float16)
    )
    assert (found == (a != 0) + (a > 0).astype(np.float16)).all()


@pytest.mark.parametrize(
    ("a", "b", "total"),
    [
        *(("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f16", "f16", "f16")),
        *(("i8", "i8", "i32"), ("i8", "ui8", "i32"), ("f32", "f32", "f32")),
        *(("f64", "f64", "f64"), ("f8E4M3FN", "f8E5M2", "f32"), ("bf16", "bf16", "bf16")),
    ],
)
def test_products_are_summed_in_the_accumulators_type(a: str, b: str, total: str) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 3, (8, 16)).astype(KINDS[a])
    y = random.integers(0, 3, (16, 16)).astype(KINDS[b])
    out = np.zeros((8, 16), KINDS[total])

    def compute(a: Any, b: Any) -> Any:
        assert (a @ b).dtype == accumulators(a.dtype, b.dtype)[0]
        return xt.zeros((8, 16), element(total)) + a @ b

    found = computed(compute, x, y, out)
    assert (found.astype(np.float64) == x.astype(np.float64) @ y.astype(np.float64)).all()


def test_a_sum_with_a_product_is_one_op() -> None:
    text = text_of(lambda a, b: a + a @ b.T @ b)
    assert text.count("xetile.tile_mma") == 2
    assert "arith.addf" not in text
    assert text_of(lambda a, b: (a @ b.T) @ b + 1.0).count("arith.addf") == 1


def test_a_product_with_a_name_is_an_op_of_its_own() -> None:
    def named(a: Any, b: Any) -> Any:
        product = a @ b.T @ b
        return a + product

    text = text_of(named)
    assert text.count("xetile.tile_mma") == 2
    assert text.count("arith.addf") == 1


def test_products_stand_where_they_were_written() -> None:
    """A product is made late, yet where it was written: outside of a loop that it is first used in."""

    @xetile.language.kernel
    def late(A: xetile.language.Array, Y: xetile.language.Array) -> None:
        product = A[0:16, 0:16] @ A[0:16, 0:16]
        total = product
        for _ in xt.range(4):
            total = total + product.to(xt.f16).to(xt.f32)
        Y[0:16, 0:16] = total + product

    text = str(late.specialize(xt.f16[16, 16], xt.f32[16, 16], grid=(1,)))
    assert text.count("xetile.tile_mma") == 1
    assert text.index("xetile.tile_mma") < text.index("scf.for")


def test_what_does_not_multiply_is_refused() -> None:
    assert refusal(lambda a, b: a @ b, xt.f16) == (
        "'@' of a tile of 8x16xf16 and a tile of 8x16xf16: 16 columns, 8 rows"
    )
    assert refusal(lambda a, b: a @ b.T, xt.f16, xt.bf16) == (
        "'@' of a tile of 8x16xf16 and a tile of 16x8xbf16: both have to have one of these types; convert one"
    )
    assert refusal(lambda a, b: a @ b.T, xt.i32).endswith(
        "products are of f16, bf16, tf32, f32, f64, f8E4M3FN and f8E5M2, i8 and ui8, i4 and ui4"
    )
    assert (
        refusal(lambda a, b: a @ 2.0)
        == "'@' of a tile of 8x16xf32 and Python 2.0: its operands are tiles"
    )


def test_reductions_are_refused_without_an_axis() -> None:
    assert refusal(lambda a, b: a.sum(None)) == ".sum() of a whole tile: write .sum(1).sum(0)"
    assert refusal(lambda a, b: a.max(2)) == (
        ".max(2): a tile has axes 0 (down the columns) and 1 (along the rows)"
    )
    assert refusal(lambda a, b: a.sum(1, keepdims=False)) == (
        ".sum(..., keepdims=False): values have two dimensions, so the reduced one stays with an extent of 1"
    )


def test_maps() -> None:
    text = text_of(
        lambda a, b: a.map((1, 1), (8, 16)) + xt.zeros((8, 16), xt.f32).map((1, 1), (8, 16))
    )
    assert text.count("xetile.tile_conv_layout") == 1
    assert (
        "arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [8, 16]>}"
        in text
    )
    assert refusal(lambda a, b: a.map((2, 2), (3, 16))) == (
        "map((2, 2), (3, 16)) does not deal out a tile of 8x16: 8 elements in units of 3 for 2 subgroups"
    )


def test_extents_may_be_numbers_of_numpy() -> None:
    assert xt.f16[np.int64(8), "K"] == xt.f16[8, "K"]
    for wrong in (np.int64(0), np.float64(8), np.bool(True)):
        with pytest.raises(xt.XetileError, match="an extent is a number of elements"):
            xt.f16[wrong]
