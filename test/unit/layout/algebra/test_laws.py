"""Laws of linear layouts, checked on every small layout and against searches of all answers."""

from itertools import product

from support.small_layouts import ALL, ONE, SMALL, TALL, WIDE, images

from xetile.layout.algebra.linear_layout import LinearLayout


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
            LinearLayout.from_matrix(layout.to_matrix(), layout.in_dims, layout.out_dims)
            == layout
        )
        assert (
            LinearLayout.from_bases(layout.bases, layout.out_dims, require_surjective=False)
            == layout
        )
