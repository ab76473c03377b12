"""Factors of all small layouts, and what is read off them, against searches of all answers."""

from support.small_layouts import (
    ALL,
    ONE,
    SMALL,
    WIDE,
    Dims,
    images,
    layouts,
    points,
    same_map,
)

from xetile.layout.algebra.linear_layout import LinearLayout


def test_division_finds_the_factor_if_there_is_one() -> None:
    divisors = [*SMALL, *ONE, *layouts({"b": 4}, {"y": 2}), LinearLayout.empty()]
    found = 0
    for divisor in divisors:
        quotients = {
            "left": {c: divisor * c for c in layouts(*_remainders(divisor))},
            "right": {c: c * divisor for c in layouts(*_remainders(divisor))},
        }
        for whole in WIDE:
            for side, answer in (
                ("left", whole.divide_left(divisor)),
                ("right", whole.divide_right(divisor)),
            ):
                expected = [c for c, made in quotients[side].items() if made == whole]
                assert ([] if answer is None else [answer]) == expected
                found += answer is not None
    assert found > 500


def _remainders(divisor: LinearLayout) -> tuple[Dims, Dims]:
    whole = WIDE[0]
    return (
        {name: size // divisor.in_dims.get(name, 1) for name, size in whole.in_dims.items()},
        {name: size // divisor.out_dims.get(name, 1) for name, size in whole.out_dims.items()},
    )


def test_division_refuses_dims_that_are_missing_or_larger() -> None:
    layout = LinearLayout.identity_1d(4, "a", "x")
    for divisor in (
        LinearLayout.identity_1d(2, "b", "x"),
        LinearLayout.identity_1d(2, "a", "y"),
        LinearLayout.identity_1d(8, "a", "x"),
    ):
        assert layout.divide_left(divisor) is None
        assert layout.divide_right(divisor) is None


def test_consecutive_values_are_the_largest_identity_factor() -> None:
    for layout in [*ALL, *layouts({"a": 8}, {"x": 8}), *layouts({"a": 4}, {"x": 8})]:
        first_in, first_out = layout.in_dim_names[0], layout.out_dim_names[0]
        expected = max(
            size
            for size in (1, 2, 4, 8)
            if layout.divide_left(LinearLayout.identity_1d(size, first_in, first_out))
            is not None
        )
        assert layout.num_consecutive_in_out() == expected
    assert LinearLayout.empty().num_consecutive_in_out() == 1


def test_contiguous_elements_are_reached_units() -> None:
    for layout in ALL:
        for dim, size in layout.out_dims.items():
            reached = {layout.apply(point)[dim] for point in points(layout.in_dims)}
            count = 1
            while count < size and count in reached:
                count *= 2
            assert layout.contiguous_elems_along_out_dim(dim) == count


def test_free_variables_repeat_earlier_ones() -> None:
    for layout in ALL:
        image = images(layout)
        flattened = layout.flatten_ins().free_variable_masks()["a"]
        for bit in range(layout.total_in_dim_size_log2):
            repeats = image[1 << bit] in image[: 1 << bit]
            assert bool(flattened >> bit & 1) == repeats
        shift = 0
        for name, mask in layout.free_variable_masks().items():
            width = layout.in_dim_size_log2(name)
            assert mask == flattened >> shift & (1 << width) - 1
            shift += width


def test_trivial_dims_are_identities_apart_from_the_rest() -> None:
    square = list(layouts({"a": 2, "b": 4}, {"b": 4, "a": 2}))
    identities = {
        name: LinearLayout.identity_1d(size, name, name) for name, size in (("a", 2), ("b", 4))
    }
    trivial = 0
    for layout in square:
        for name, other in (("a", "b"), ("b", "a")):
            rest = layout.sublayout([other], [other])
            expected = same_map(layout, rest * identities[name])
            assert layout.is_trivial_over([name]) == expected
            assert layout.quotient([name]) == (rest if expected else None)
            trivial += expected
            touched = any(vector[layout.out_dim_index(name)] for vector in layout.bases[other])
            own = layout.sublayout([name], [name]) == identities[name]
            assert layout.is_identity_on_out_dim(name) == (own and not touched)
        assert layout.is_trivial_over([])
        assert layout.is_trivial_over(["a", "b"]) == same_map(
            layout, identities["a"] * identities["b"]
        )
    assert trivial == 16 + 2
    assert square[0].quotient(["c"]) is None
    assert not square[0].is_identity_on_out_dim("c")
