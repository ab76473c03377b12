"""Products, compositions and inverses of all small layouts, against searches of all answers."""

from itertools import product

from support.small_layouts import ALL, ONE, SMALL, TALL, WIDE, images, layouts, points

from xetile.layout.algebra.composition import invert_and_compose_block_local, lstsq
from xetile.layout.algebra.linear_layout import LinearLayout


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
                    for own, rest in zip(
                        layout.bases[dim][0], layout.bases[other][0], strict=True
                    )
                )
                for layout in (inner, outer)
            )
            if alone and inner.bases[dim] == outer.bases[dim]:
                assert moved.is_identity_on_out_dim(dim)
                kept += 1
    assert kept > 20


def test_block_local_solutions_prefer_their_own_block() -> None:
    repeated = LinearLayout.from_bases({"offset": [(1,)], "block": [(0,)]}, {"dim": 2})
    asked = LinearLayout.from_bases({"lane": [(1,)], "block": [(0,)]}, {"dim": 2})
    assert invert_and_compose_block_local(repeated, asked).bases == {
        "lane": [(1, 0)],
        "block": [(0, 1)],
    }
    unblocked = LinearLayout.identity_1d(2, "offset", "dim")
    assert invert_and_compose_block_local(unblocked, asked) == asked.invert_and_compose(
        unblocked
    )
