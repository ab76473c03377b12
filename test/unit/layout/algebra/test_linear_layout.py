"""What a linear layout is: construction, accessors, comparison, text, evaluation, and what is refused."""

import copy
import pickle
import sys
from collections.abc import Callable
from types import FrameType
from typing import cast

import numpy as np
import pytest

from xetile.layout import LayoutError as LazyLayoutError
from xetile.layout.algebra.composition import lstsq
from xetile.layout.algebra.dimensions import supremum
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

identity = LinearLayout.identity_1d
zeros = LinearLayout.zeros_1d

TWO = LinearLayout.from_bases(
    {"lane": [(0, 1), (0, 2)], "register": [(1, 0), (2, 8), (0, 4)]},
    {"dim0": 4, "dim1": 16},
    require_surjective=False,
)


def test_empty_is_the_unit() -> None:
    empty = LinearLayout.empty()
    assert empty * TWO == TWO == TWO * empty
    assert (
        empty
        == identity(0, "a", "b")
        == zeros(0, "a", "b")
        == LinearLayout.strided_1d(0, 3, "a", "b")
    )
    assert (empty.is_surjective(), empty.is_injective(), empty.is_invertible()) == (
        True,
        True,
        True,
    )
    assert empty.apply({}) == {}


def test_one_dimensional_constructors() -> None:
    assert identity(8, "a", "b").bases == {"a": [(1,), (2,), (4,)]}
    assert LinearLayout.strided_1d(4, 2, "a", "b") == LinearLayout.from_bases(
        {"a": [[2], [4]]}, {"b": 8}, require_surjective=False
    )
    assert zeros(4, "a", "b", 8) == LinearLayout.from_bases(
        {"a": [[0], [0]]}, {"b": 8}, require_surjective=False
    )
    assert zeros(4, "a", "b").out_dims == {"b": 1}


def test_sizes_are_inferred_or_given_in_three_ways() -> None:
    bases = {"a": [[1, 0], [2, 0], [0, 1]]}
    inferred = LinearLayout.from_bases(bases, ["x", "y"])
    assert inferred.out_dims == {"x": 4, "y": 2}
    assert inferred == LinearLayout.from_bases(bases, {"x": 4, "y": 2})
    assert inferred == LinearLayout.from_bases(bases.items(), ["x", "y"], [4, 2])
    assert LinearLayout.from_bases({"a": [[0], [4], [2], [1]]}, ["x"]).out_dims == {"x": 8}


def test_accessors() -> None:
    assert TWO.in_dims == {"lane": 4, "register": 8}
    assert (TWO.in_dim_names, TWO.out_dim_names) == (("lane", "register"), ("dim0", "dim1"))
    assert (TWO.num_in_dims, TWO.num_out_dims, TWO.out_dim_sizes) == (2, 2, (4, 16))
    assert (TWO.has_in_dim("lane"), TWO.has_out_dim("lane"), TWO.out_dim_index("dim1")) == (
        True,
        False,
        1,
    )
    assert (TWO.in_dim_size("register"), TWO.in_dim_size_log2("register")) == (8, 3)
    assert (TWO.out_dim_size("dim1"), TWO.out_dim_size_log2("dim1")) == (16, 4)
    assert (TWO.total_in_dim_size, TWO.total_in_dim_size_log2) == (32, 5)
    assert (TWO.total_out_dim_size, TWO.total_out_dim_size_log2) == (64, 6)
    assert TWO.basis("register", 1) == (2, 8)
    assert TWO.basis("register", 1, "dim1") == 8
    assert (TWO.rank, TWO.is_surjective(), TWO.is_injective(), TWO.is_invertible()) == (
        5,
        False,
        True,
        False,
    )


def test_fresh_answers_do_not_change_the_layout() -> None:
    before = hash(TWO)
    TWO.bases["lane"].append((0, 0))
    TWO.in_dims["lane"] = 1
    assert (hash(TWO), TWO.in_dim_size("lane")) == (before, 4)
    name = "bases"
    with pytest.raises(AttributeError):
        setattr(TWO, name, {})


def test_the_rank_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def rank(columns: list[int]) -> int:
        asked.append(len(columns))
        return 3

    monkeypatch.setattr("xetile.layout.algebra.f2.rank", rank)
    layout = LinearLayout.identity_1d(8, "lane", "dim0")
    assert [layout.rank, layout.is_surjective(), layout.is_injective()] == [3, True, True]
    made = LinearLayout.from_bases({"lane": [[1], [2], [4]]}, ["dim0"])
    assert made.is_surjective()
    assert asked == [3, 3]


def calls(function: Callable[[], object]) -> int:
    """How many functions written in Python a call takes, without the one that is called."""
    seen: list[str] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return len(seen) - 1


def test_what_is_done_most_takes_few_calls() -> None:
    bases = {"lane": [[1, 0], [0, 1]], "register": [[0, 2], [2, 0]]}
    sizes = {"a": 4, "b": 4}
    layout = LinearLayout.from_bases(bases, ["a", "b"], [4, 4])
    same = LinearLayout.from_bases(bases, ["a", "b"], [4, 4])
    point = {"lane": 1, "register": 2}
    assert calls(lambda: LinearLayout.from_bases(bases, ["a", "b"], [4, 4])) <= 7
    assert calls(lambda: LinearLayout.from_bases(bases, ["a", "b"])) <= 10
    assert calls(lambda: LinearLayout.from_bases(bases, sizes)) <= 12
    assert calls(lambda: layout.apply(point)) == 1
    assert calls(lambda: layout == same) == 1
    assert calls(layout.is_surjective) == 0
    str(layout)
    assert calls(lambda: str(same)) <= 3


def test_a_layout_compares_and_prints_the_same_when_it_is_asked_again() -> None:
    bases = {"lane": [[1, 0], [0, 1]], "register": [[0, 2]]}
    one, same = (LinearLayout.from_bases(bases, ["a", "b"]) for _ in range(2))
    other = LinearLayout.from_bases(bases, {"a": 2, "b": 8}, require_surjective=False)
    turned = LinearLayout.from_bases(dict(reversed(bases.items())), ["a", "b"])
    for _ in range(2):
        assert one == same
        assert same == one
        assert one != other
        assert one != turned
        assert one != 3
        assert hash(one) == hash(same)
        assert str(one) == str(same) != str(other)
        assert other.out_dims == {"a": 2, "b": 8}
    named = LinearLayout.identity_1d(2, "100%d", "%s")
    assert str(named) == "\n - 100%d=1 -> (1)\nwhere out dims are: [%s (size 2)]"


def test_coordinates_with_wrong_names_are_refused() -> None:
    layout = LinearLayout.from_bases({"lane": [[1]], "register": [[2]]}, ["dim0"])
    for wrong in ({"lane": 1}, {"lane": 1, "warp": 0}, {"lane": np.arange(2), "warp": 0}):
        with pytest.raises(LayoutError, match=r"coordinates for .*the layout has in-dims"):
            layout.apply(wrong)


def test_equality_counts_dims_their_order_and_sizes() -> None:
    same = LinearLayout.from_bases(TWO.bases, TWO.out_dims, require_surjective=False)
    assert same == TWO
    assert len({same, TWO}) == 1
    larger = LinearLayout.from_bases(
        TWO.bases, {"dim0": 8, "dim1": 16}, require_surjective=False
    )
    assert larger != TWO
    assert larger.equal_ignoring_out_dim_sizes(TWO)
    assert TWO.transpose_ins(["register", "lane"]) != TWO
    assert TWO.transpose_outs(["dim1", "dim0"]) != TWO
    assert TWO != "layout"


def test_copies() -> None:
    assert pickle.loads(pickle.dumps(TWO)) == TWO
    assert copy.copy(TWO) is TWO
    assert copy.deepcopy(TWO) is TWO
    assert LazyLayoutError is LayoutError


def test_text_is_tritons() -> None:
    assert str(TWO) == (
        "\n - lane=1 -> (0, 1)\n   lane=2 -> (0, 2)\n"
        " - register=1 -> (1, 0)\n   register=2 -> (2, 8)\n   register=4 -> (0, 4)\n"
        "where out dims are: [dim0 (size 4), dim1 (size 16)]"
    )
    assert str(LinearLayout.empty()) == "\n(empty layout)"
    assert (
        str(zeros(1, "a", "b"))
        == "\n - a is a size 1 dimension\nwhere out dims are: [b (size 1)]"
    )
    no_ins = LinearLayout.from_bases({}, {"o": 4}, require_surjective=False)
    assert str(no_ins) == "\n(empty layout with out-dims [o (size 4)])"
    no_outs = LinearLayout.from_bases({"a": [(), ()]}, {})
    assert str(no_outs) == "\n - a=1 -> ()\n   a=2 -> ()\nwhere out dims are: []"


def test_repr_makes_the_layout_again() -> None:
    assert eval(repr(TWO), {"LinearLayout": LinearLayout}) == TWO


def test_apply_ignores_bits_past_the_size() -> None:
    assert TWO.apply({"register": 3, "lane": 2}) == {"dim0": 3, "dim1": 10}
    assert TWO.apply({"lane": 4, "register": 8}) == {"dim0": 0, "dim1": 0}
    assert TWO.apply({"lane": -1, "register": -1}) == TWO.apply({"lane": 3, "register": 7})


def test_supremum() -> None:
    assert supremum(["a", "b"], ["b", "c"]) == ["a", "b", "c"]
    assert supremum(["a", "c"], ["b", "c"]) == ["a", "b", "c"]
    assert supremum(["a", "b"], ["b", "a"]) == ["a", "b"]


def test_overriding_identity_dims() -> None:
    """A dim with the same bases on both sides stays as it is; under another name, the smallest solution is 0."""
    holds = LinearLayout.from_bases({"register": [(1,)], "warp": [(0,)]}, ["dim0"])
    assert holds.invert_and_compose(holds).bases["warp"] == [(0, 1)]
    renamed = holds.rename_in_dim("warp", "other")
    assert renamed.invert_and_compose(holds).bases["other"] == [(0, 0)]


def test_rules_of_identity_dims_differ_where_dims_overlap() -> None:
    """Triton asks that nothing else touches an identity dim's out bits, Intel's fork does not."""
    inner = LinearLayout.from_bases({"a": [(1,)], "b": [(2,)]}, ["o"])
    outer = LinearLayout.from_bases({"c": [(1,), (2,)], "b": [(2,)]}, ["o"])
    assert inner.invert_and_compose(outer).bases["b"] == [(2, 0)]
    assert inner.invert_and_compose(outer, identity_dims="equal").bases["b"] == [(0, 1)]


def test_invert_and_compose_through_an_outer_that_repeats_itself() -> None:
    outer = LinearLayout.from_bases({"x": [(2,), (1,), (4,), (1,)]}, ["o"]).resize_in_dim(
        "x", 32
    )
    moved = identity(8, "in", "o").invert_and_compose(outer)
    assert moved.bases == {"in": [(2,), (1,), (4,)]}
    assert moved.out_dims == {"x": 32}


REFUSED: list[tuple[Callable[[], object], str]] = [
    (
        lambda: identity(3, "a", "b"),
        "invalid in-dim size 3 for in-dim 'a': sizes must be powers of two",
    ),
    (
        lambda: LinearLayout.strided_1d(4, 3, "a", "b"),
        "invalid out-dim size 12 for out-dim 'b'",
    ),
    (
        lambda: LinearLayout.strided_1d(4, -1, "a", "b"),
        "invalid out-dim size -4 for out-dim 'b'",
    ),
    (lambda: identity(1 << 65, "a", "b"), "layout too large: 65 bits in in-dims"),
    (lambda: zeros(4, "a", "b", 6), "invalid out-dim size 6 for out-dim 'b'"),
    (
        lambda: LinearLayout.from_bases({"i": [[-1]]}, {"o": 4}),
        "invalid basis (-1,) at position 0 of in-dim 'i': basis values must be non-negative",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1, -1]]}, {"o": 4, "p": 2}),
        "invalid basis (1, -1) at position 0 of in-dim 'i'",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1], [1, 2]]}, {"o": 4}),
        "invalid basis (1, 2) at position 1 of in-dim 'i': it needs one value for each of the 1 out-dims ['o']",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1]]}, {"o": 6}),
        "invalid out-dim size 6 for out-dim 'o'",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1], [4]]}, {"o": 4}),
        "invalid basis 4 at position 1 of in-dim 'i' for out-dim 'o': it must be less than the out-dim's size 4",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1, 2]]}, {"o": 4, "p": 2}),
        "invalid basis 2 at position 0 of in-dim 'i' for out-dim 'p'",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1]]}, {"o": 4}),
        "every `out` coordinate can be reached by some `in` coordinate, but was not: rank 1 of 2 bits",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1]]}, ["o"], [2, 2]),
        "1 out-dims ['o'] and 2 sizes",
    ),
    (
        lambda: LinearLayout.from_bases({"i": [[1]]}, ["o"], require_surjective=False),
        "out-dim sizes must be given when surjectivity is not required",
    ),
    (
        lambda: zeros(1 << 40, "a", "b") * zeros(1 << 40, "a", "b"),
        "layout too large: 80 bits in in-dims {'a'",
    ),
    (
        lambda: TWO.in_dim_size("warp"),
        "no in-dim 'warp': the layout has in-dims ['lane', 'register']",
    ),
    (
        lambda: TWO.out_dim_size("warp"),
        "no out-dim 'warp': the layout has out-dims ['dim0', 'dim1']",
    ),
    (lambda: TWO.out_dim_index("warp"), "no out-dim 'warp'"),
    (lambda: TWO.basis("lane", 2), "in-dim 'lane' has 2 bases, there is none at position 2"),
    (lambda: TWO.basis("lane", 0, "x"), "no out-dim 'x'"),
    (
        lambda: TWO.apply({"lane": 0}),
        "coordinates for ['lane'], but the layout has in-dims ['lane', 'register']",
    ),
    (
        lambda: TWO.compose(identity(4, "dim0", "x")),
        "cannot compose: out-dims ['dim0', 'dim1'] of the inner layout must be the in-dims ['dim0'] of the outer one",
    ),
    (
        lambda: TWO.compose(identity(4, "dim0", "x") * identity(8, "dim1", "y")),
        "the inner layout has out-dim 'dim1' of size 16, the outer one in-dim 'dim1' of size 8",
    ),
    (
        lambda: TWO.invert(),
        "must be surjective and square to be invertible: it has rank 5, 5 in bits and 6 out bits",
    ),
    (
        lambda: TWO.pseudoinvert(),
        "must be surjective to be pseudo-inverted: it has rank 5 and 6 out bits",
    ),
    (
        lambda: TWO.invert_and_compose(identity(4, "r", "dim0")),
        "out-dims ['dim0', 'dim1'] and ['dim0'] must have the same names",
    ),
    (
        lambda: TWO.invert_and_compose(identity(4, "r", "dim0") * identity(8, "r", "dim1")),
        "out-dim 'dim1' has size 16 here and only 8 in the outer layout",
    ),
    (
        lambda: TWO.invert_and_compose(zeros(1, "r", "dim0", 4) * identity(16, "r", "dim1")),
        "outer layout does not cover this layout's image: in-dim 'register' leaves it",
    ),
    (
        lambda: TWO.transpose_ins(["lane"]),
        "in-dims must match, ignoring order: got ['lane'] for ['lane', 'register']",
    ),
    (
        lambda: TWO.transpose_outs(["dim0", "dim0"]),
        "out-dims must match, ignoring order: got ['dim0', 'dim0']",
    ),
    (
        lambda: TWO.reshape_ins({"a": 16}),
        "cannot reshape in-dims {'lane': 4, 'register': 8} into {'a': 16}: 32 elements are not 16",
    ),
    (lambda: TWO.reshape_outs({"a": 63}), "invalid out-dim size 63 for out-dim 'a'"),
    (lambda: TWO.squeeze_ins("lane"), "cannot squeeze in-dim 'lane' of size 4, only size 1"),
    (lambda: TWO.squeeze_outs("dim0"), "cannot squeeze out-dim 'dim0' of size 4, only size 1"),
    (
        lambda: TWO.resize_out_dim("dim0", 8),
        "cannot grow out-dim 'dim0' from 4 to 8, only shrink",
    ),
    (lambda: TWO.resize_in_dim("lane", 3), "invalid in-dim size 3 for in-dim 'lane'"),
    (lambda: TWO.rename_in_dim("warp", "x"), "no in-dim 'warp'"),
    (
        lambda: TWO.rename_in_dim("lane", "register"),
        "cannot rename in-dim 'lane' to 'register': the name is taken",
    ),
    (
        lambda: TWO.rename_out_dim("dim0", "dim1"),
        "cannot rename out-dim 'dim0' to 'dim1': the name is taken",
    ),
    (lambda: TWO.concat_ins(TWO), "cannot join layouts that both have the in-dim 'lane'"),
    (
        lambda: TWO.concat_ins(identity(4, "x", "dim0")),
        "cannot join in-dims of layouts with out-dims",
    ),
    (lambda: TWO.concat_outs(TWO), "cannot join layouts that both have the out-dim 'dim0'"),
    (
        lambda: TWO.concat_outs(identity(4, "lane", "x")),
        "cannot join out-dims of layouts with in-dims",
    ),
    (lambda: TWO.sublayout(["warp"], []), "no in-dim 'warp'"),
    (lambda: TWO.sublayout([], ["warp"]), "no out-dim 'warp'"),
    (lambda: TWO.remove_zero_bases_along_dim("warp"), "no in-dim 'warp'"),
    (lambda: TWO.is_trivial_over(["lane"]), "dim 'lane' must be an in-dim and an out-dim"),
    (lambda: TWO.contiguous_elems_along_out_dim("lane"), "no out-dim 'lane'"),
    (
        lambda: LinearLayout.from_bases({"r": [(1, 2)]}, ["x", "x"]),
        "out-dims ['x', 'x'] must be different names",
    ),
    (
        lambda: LinearLayout.from_bases({"r": [(1, 2)]}, ["x", "x"], [2, 4]),
        "out-dims ['x', 'x'] must be different names",
    ),
    (
        lambda: LinearLayout.from_bases({"r": [(1,)]}, "x"),
        "out-dims 'x' must be different names",
    ),
    (
        lambda: LinearLayout.from_bases({"r": [(1,)]}, cast("list[str]", [("x", 2)])),
        "out-dims [('x', 2)] must be different names such as ['dim0', 'dim1']",
    ),
    (
        lambda: LinearLayout.from_matrix([[1, 0]], {"a": 4}, {"b": 4}),
        "a matrix of 1 rows of [2] columns is not one of 2 out bits and 2 in bits",
    ),
    (
        lambda: LinearLayout.from_matrix([[2]], {"a": 2}, {"b": 2}),
        "a matrix over two elements has the entries 0 and 1 only",
    ),
]


@pytest.mark.parametrize("call, message", REFUSED, ids=[text[:50] for _, text in REFUSED])
def test_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        call()
    assert message in str(caught.value)


def test_any_integers_make_the_same_layout() -> None:
    plain = LinearLayout.from_bases(
        {"r": [(1, 0), (0, 2)]}, {"x": 2, "y": 4}, require_surjective=False
    )
    bases = {"r": np.array([[1, 0], [0, 2]], dtype=np.int8)}
    sizes = {"x": np.int64(2), "y": np.uint8(4)}
    made = LinearLayout.from_bases(bases, sizes, require_surjective=False)  # pyright: ignore[reportArgumentType]
    assert (made, repr(made)) == (plain, repr(plain))
    assert LinearLayout.from_bases(
        {"r": np.array([[1], [2]])},  # pyright: ignore[reportArgumentType]
        ["x"],
    ) == identity(4, "r", "x")
    for four in (np.int64(4), np.uint8(4), np.array(4)):
        size = cast("int", four)
        assert repr(identity(size, "r", "x")) == repr(identity(4, "r", "x"))
        assert repr(LinearLayout.strided_1d(2, size, "r", "x")) == repr(
            LinearLayout.strided_1d(2, 4, "r", "x")
        )


@pytest.mark.parametrize("value", [3.0, "1", None, [1, 2], (1,), range(2)])
def test_coordinates_that_are_no_integers(value: object) -> None:
    with pytest.raises(
        LayoutError, match="in-dim 'r' must be an integer or an array of integers"
    ):
        identity(4, "r", "x").apply({"r": value})


def test_a_layout_multiplies_layouts_only() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = identity(4, "r", "x") * cast("LinearLayout", 2)


def test_lstsq_has_none_where_triton_has_none() -> None:
    assert lstsq(identity(4, "a", "x"), identity(4, "b", "y")) is None
    assert lstsq(identity(4, "a", "x"), identity(8, "b", "x")) is None
    assert lstsq(zeros(4, "a", "x", 4), identity(4, "b", "x")) is None
    assert lstsq(identity(8, "a", "x"), identity(4, "b", "x")) == LinearLayout.from_bases(
        {"b": [(1,), (2,)]}, {"a": 8}, require_surjective=False
    )


@pytest.mark.parametrize(
    "bases, message",
    [
        ([(1, 0), (2,)], r"invalid basis \(2,\) at position 1 of in-dim 'r': it needs one value for each of the 2 out-dims"),
        ([(0, -1)], r"invalid basis \(0, -1\) at position 0 of in-dim 'r': basis values must be non-negative"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("outs", [["x", "y"], {"x": 4, "y": 4}], ids=["names", "sizes"])
def test_bases_that_are_no_points(
    bases: list[tuple[int, ...]], message: str, outs: list[str] | dict[str, int]
) -> None:
    with pytest.raises(LayoutError, match=message):
        LinearLayout.from_bases({"r": bases}, outs)
