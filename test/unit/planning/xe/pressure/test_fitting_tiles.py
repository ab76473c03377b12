"""The nearest tile that fits."""

from xetile.planning.xe.pressure.fitting_tiles import ProductTile, nearest


def tile(m: int, n: int, k: int, bits: int, depth: int) -> ProductTile:
    return ProductTile(m, n, k, bits, bits, 32, depth)


def test_registers_are_those_of_operands_and_sums():
    assert tile(32, 64, 32, 16, 16).registers == 32 + 64 + 128


def test_a_smaller_k_step_comes_first():
    large = tile(32, 64, 32, 32, 8)
    assert nearest(large, 321, "large") == (tile(32, 64, 16, 32, 8), 225)


def test_the_largest_tile_is_taken_where_the_k_step_does_not_help():
    large = tile(64, 64, 16, 16, 16)
    assert nearest(large, 353, "large") == (tile(64, 32, 16, 16, 16), 209)


def test_there_is_none_where_other_values_take_the_registers():
    small = tile(8, 16, 16, 16, 16)
    assert nearest(small, 300, "large") is None
