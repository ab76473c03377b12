"""Laws of linear layouts, checked on every small layout and against searches of all answers."""

from collections.abc import Iterator
from itertools import permutations, product

from xetile.layout.algebra.composition import invert_and_compose_block_local, lstsq
from xetile.layout.algebra.linear_layout import LinearLayout

Dims = dict[str, int]


def layouts(ins: Dims, outs: Dims) -> Iterator[LinearLayout]:
    """Every layout with these sizes."""
    bits = [size.bit_length() - 1 for size in ins.values()]
    vectors = list(product(*[range(size) for size in outs.values()]))
    for chosen in product(vectors, repeat=sum(bits)):
        rest = list(chosen)
        bases: dict[str, list[tuple[int, ...]]] = {}
        for name, count in zip(ins, bits, strict=True):
            bases[name], rest = rest[:count], rest[count:]
        yield LinearLayout.from_bases(bases, outs, require_surjective=False)


def points(dims: Dims) -> Iterator[dict[str, int]]:
    """Every coordinate, in flattened order."""
    for values in product(*[range(size) for size in reversed(dims.values())]):
        yield dict(zip(dims, reversed(values), strict=True))


def flat(point: dict[str, int], dims: Dims) -> int:
    """The position of a coordinate, first dim fastest."""
    position = 0
    for name, size in reversed(dims.items()):
        position = position * size + point[name]
    return position


def images(layout: LinearLayout) -> list[int]:
    """Flattened images of all inputs in flattened order."""
    return [flat(layout.apply(point), layout.out_dims) for point in points(layout.in_dims)]


ONE = list(layouts({"a": 2}, {"x": 2}))
SMALL = list(layouts({"a": 2, "b": 2}, {"x": 2, "y": 2}))
WIDE = list(layouts({"a": 4, "b": 2}, {"x": 2, "y": 4}))
TALL = list(layouts({"a": 2, "b": 4}, {"x": 4}))
ALL = [*ONE, *SMALL, *WIDE, *TALL]


def test_every_layout_was_made_once() -> None:
    assert [len(ONE), len(SMALL), len(WIDE), len(TALL)] == [2, 16, 512, 64]
    assert len(set(ALL)) == len(ALL)


def test_images_are_linear() -> None:
    for layout in ALL:
        image = images(layout)
        for i, j in product(range(len(image)), repeat=2):
            assert image[i ^ j] == image[i] ^ image[j]


def test_rank_counts_the_image() -> None:
    for layout in ALL:
        reached = len(set(images(layout)))
        assert 1 << layout.rank == reached
        assert layout.is_surjective() == (reached == layout.total_out_dim_size)
        assert layout.is_injective() == (reached == layout.total_in_dim_size)
        assert layout.is_invertible() == (layout.is_surjective() and layout.is_injective())


def test_matrix_and_bases_make_the_layout_again() -> None:
    for layout in ALL:
        assert (
            LinearLayout.from_matrix(layout.to_matrix(), layout.in_dims, layout.out_dims) == layout
        )
        assert (
            LinearLayout.from_bases(layout.bases, layout.out_dims, require_surjective=False)
            == layout
        )


def test_product_concatenates_bits() -> None:
    for left, right in product(SMALL, [*SMALL, *ONE]):
        both = left * right
        for point in points(both.in_dims):
            low = left.apply({name: point[name] for name in left.in_dims})
            high = right.apply(
                {name: point[name] >> left.in_dim_size_log2(name) for name in right.in_dims}
            )
            expected = {
                name: low[name] | (high.get(name, 0) << left.out_dim_size_log2(name))
                for name in both.out_dims
            }
            assert both.apply(point) == expected


def test_product_is_associative_up_to_the_order_of_dims() -> None:
    """The orders are merged pairwise, so that `a * (b * a)` begins with b where `(a * b) * a` begins with a."""
    others = [*ONE, *layouts({"b": 2}, {"x": 2}), *layouts({"b": 2}, {"y": 2})]
    for a, b, c in product(others, repeat=3):
        left, right = (a * b) * c, a * (b * c)
        same = right.transpose_ins(left.in_dim_names).transpose_outs(left.out_dim_names)
        assert same == left


def test_product_of_disjoint_dims_keeps_both_orders() -> None:
    ab, bc = (
        LinearLayout.identity_1d(2, first, first) * LinearLayout.identity_1d(2, second, second)
        for first, second in ("ab", "bc")
    )
    assert (ab * bc).in_dim_names == ("a", "b", "c")
    assert (bc * ab).out_dim_names == ("a", "b", "c")


def test_compose_is_applying_one_after_the_other() -> None:
    outers = [*layouts({"x": 2, "y": 4}, {"p": 4}), *layouts({"y": 4, "x": 4}, {"p": 2})]
    for inner in WIDE[::7]:
        for outer in outers[:: 1 if inner is WIDE[0] else 11]:
            both = inner.compose(outer)
            assert both.out_dims == outer.out_dims
            for point in points(inner.in_dims):
                assert both.apply(point) == outer.apply(inner.apply(point))


def test_pseudoinverse_gives_the_smallest_input() -> None:
    for layout in ALL:
        if not layout.is_surjective():
            continue
        inverse = layout.pseudoinvert()
        assert (inverse.in_dims, inverse.out_dims) == (layout.out_dims, layout.in_dims)
        image = images(layout)
        assert images(inverse) == [image.index(y) for y in range(layout.total_out_dim_size)]


def test_inverse_undoes() -> None:
    invertible = [layout for layout in ALL if layout.is_invertible()]
    assert len(invertible) == 1 + 6 + 168
    for layout in invertible:
        assert layout.invert().invert() == layout
        assert images(layout.compose(layout.invert())) == list(range(layout.total_in_dim_size))


def test_invert_and_compose_gives_the_smallest_solution() -> None:
    solved = refused = 0
    outers = [*layouts({"c": 4, "d": 2}, {"x": 4}), *layouts({"c": 2}, {"x": 8})]
    for inner, outer in product(TALL, outers):
        reached = images(outer)
        if not set(images(inner)) <= set(reached):
            refused += 1
            assert lstsq(outer, inner) is None
            continue
        moved = inner.invert_and_compose(outer)
        assert (moved.in_dims, moved.out_dims) == (inner.in_dims, outer.in_dims)
        assert images(moved) == [reached.index(value) for value in images(inner)]
        assert lstsq(outer, inner) == moved
        solved += 1
    assert solved + refused == len(TALL) * len(outers)
    assert min(solved, refused) > 1000


def test_invert_and_compose_with_shared_dims_solves_and_keeps_them() -> None:
    kept = 0
    for inner, outer in product(SMALL, SMALL):
        if not set(images(inner)) <= set(images(outer)):
            continue
        moved = inner.invert_and_compose(outer)
        for point in points(inner.in_dims):
            assert outer.apply(moved.apply(point)) == inner.apply(point)
        for dim, other in (("a", "b"), ("b", "a")):
            alone = all(
                all(
                    own & rest == 0
                    for own, rest in zip(layout.bases[dim][0], layout.bases[other][0], strict=True)
                )
                for layout in (inner, outer)
            )
            if alone and inner.bases[dim] == outer.bases[dim]:
                assert moved.is_identity_on_out_dim(dim)
                kept += 1
    assert kept > 20


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
            if layout.divide_left(LinearLayout.identity_1d(size, first_in, first_out)) is not None
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


def test_reordering_moves_coordinates_only() -> None:
    for layout in WIDE:
        for ins, outs in product(permutations("ab"), permutations("xy")):
            moved = layout.transpose_ins(ins).transpose_outs(outs)
            assert (moved.in_dim_names, moved.out_dim_names) == (ins, outs)
            assert all(
                moved.apply(point) == layout.apply(point) for point in points(layout.in_dims)
            )


def test_reshaping_keeps_flattened_coordinates() -> None:
    for layout in WIDE[::3]:
        assert images(layout.flatten_ins().flatten_outs()) == images(layout)
        assert layout.flatten_ins().in_dims == {"a": 8}
        assert layout.flatten_outs().out_dims == {"x": 8}
        for sizes in ((8,), (2, 4), (4, 2), (2, 2, 2), (1, 8)):
            dims = {f"n{i}": size for i, size in enumerate(sizes)}
            assert images(layout.reshape_ins(dims).reshape_outs(list(dims.items()))) == images(
                layout
            )
            assert layout.reshape_ins(dims).in_dims == dims
    assert LinearLayout.empty().flatten_ins().flatten_outs() == LinearLayout.empty()


def test_resizing() -> None:
    for layout in WIDE:
        for size in (1, 2, 4, 8):
            resized = layout.resize_in_dim("a", size)
            assert resized.in_dims["a"] == size
            for point in points(resized.in_dims):
                assert resized.apply(point) == layout.apply({**point, "a": point["a"] & 3})
        for size in (1, 2, 4):
            bases = {
                name: [(x, y if y < size else 0) for x, y in vectors]
                for name, vectors in layout.bases.items()
            }
            assert layout.resize_out_dim("y", size) == LinearLayout.from_bases(
                bases, {"x": 2, "y": size}, require_surjective=False
            )


def test_joining_and_cutting_undo_each_other() -> None:
    for layout in WIDE:
        parts = [layout.sublayout([name], ["x", "y"]) for name in "ab"]
        assert parts[0].concat_ins(parts[1]) == layout
        parts = [layout.sublayout(["a", "b"], [name]) for name in "xy"]
        assert parts[0].concat_outs(parts[1]) == layout
        zero = all(vector[1] == 0 for vector in layout.bases["a"])
        assert layout.sublayout_is_zero(["a"], ["y"]) == zero
        assert layout.sublayout_is_zero([], ["y"])
        assert layout.sublayout_is_zero(["a"], [])


def test_squeezing_and_renaming() -> None:
    for layout in SMALL:
        unit = layout * LinearLayout.identity_1d(1, "unit", "one")
        assert unit.squeeze_ins("unit").squeeze_outs("one") == layout
        renamed = layout.rename_in_dim("a", "n").rename_out_dim("y", "m")
        assert (renamed.in_dim_names, renamed.out_dim_names) == (("n", "b"), ("x", "m"))
        assert images(renamed) == images(layout)


def test_zero_bases_are_removed() -> None:
    for layout in WIDE:
        kept = [vector for vector in layout.bases["a"] if any(vector)]
        assert layout.remove_zero_bases_along_dim("a").bases == {"a": kept, "b": layout.bases["b"]}


def test_trivial_dims_are_identities_apart_from_the_rest() -> None:
    square = list(layouts({"a": 2, "b": 4}, {"b": 4, "a": 2}))
    identities = {
        name: LinearLayout.identity_1d(size, name, name) for name, size in (("a", 2), ("b", 4))
    }
    trivial = 0
    for layout in square:
        for name, other in (("a", "b"), ("b", "a")):
            rest = layout.sublayout([other], [other])
            expected = _same_map(layout, rest * identities[name])
            assert layout.is_trivial_over([name]) == expected
            assert layout.quotient([name]) == (rest if expected else None)
            trivial += expected
            touched = any(vector[layout.out_dim_index(name)] for vector in layout.bases[other])
            own = layout.sublayout([name], [name]) == identities[name]
            assert layout.is_identity_on_out_dim(name) == (own and not touched)
        assert layout.is_trivial_over([])
        assert layout.is_trivial_over(["a", "b"]) == _same_map(
            layout, identities["a"] * identities["b"]
        )
    assert trivial == 16 + 2
    assert square[0].quotient(["c"]) is None
    assert not square[0].is_identity_on_out_dim("c")


def _same_map(left: LinearLayout, right: LinearLayout) -> bool:
    return all(left.apply(point) == right.apply(point) for point in points(left.in_dims))


def test_block_local_solutions_prefer_their_own_block() -> None:
    repeated = LinearLayout.from_bases({"offset": [(1,)], "block": [(0,)]}, {"dim": 2})
    asked = LinearLayout.from_bases({"lane": [(1,)], "block": [(0,)]}, {"dim": 2})
    assert invert_and_compose_block_local(repeated, asked).bases == {
        "lane": [(1, 0)],
        "block": [(0, 1)],
    }
    unblocked = LinearLayout.identity_1d(2, "offset", "dim")
    assert invert_and_compose_block_local(unblocked, asked) == asked.invert_and_compose(unblocked)
