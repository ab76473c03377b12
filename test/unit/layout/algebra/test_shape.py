"""Dimensions of all small layouts, moved, cut, joined and renamed."""

from itertools import permutations, product

from support.small_layouts import SMALL, WIDE, images, points

from xetile.layout.algebra.linear_layout import LinearLayout


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
        assert layout.remove_zero_bases_along_dim("a").bases == {
            "a": kept,
            "b": layout.bases["b"],
        }
