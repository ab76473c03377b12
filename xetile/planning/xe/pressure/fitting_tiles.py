"""The products of a kernel as tiles, and the nearest tile whose registers suffice. Input and output are plain data."""

from collections.abc import Iterator
from typing import NamedTuple

from xetile.targets.target import RegisterFile
from xetile.targets.xe.device import LANES, MOST_HELD, REGISTER_BYTES
from xetile.targets.xe.dpas import REPEAT_COUNTS


class ProductTile(NamedTuple):
    """The operands of one tile_mma: extents in elements, and bits of an element of A, of B and of the sums.

    `depth` is the K of one instruction.
    """

    m: int
    n: int
    k: int
    a: int
    b: int
    sums: int
    depth: int

    @property
    def registers(self) -> int:
        """The registers of A, B and the sums together."""
        bits = (
            self.m * self.k * self.a + self.k * self.n * self.b + self.m * self.n * self.sums
        )
        return -(-bits // (8 * REGISTER_BYTES))

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def nearest(
    tile: ProductTile, held: int, file: RegisterFile
) -> tuple[ProductTile, int] | None:
    """Return the largest fitting tile and its registers, given `held` live registers for `tile`; prefer a smaller K.

    Return None if no tile fits, because the other live values need too much.
    """
    beside = max(0, held - tile.registers)
    smaller = sorted(_smaller(tile), key=lambda other: _distance(tile, other))
    for other in smaller:
        if other.registers + beside <= MOST_HELD[file]:
            return other, other.registers + beside
    return None


def _distance(tile: ProductTile, other: ProductTile) -> tuple[int, int, int]:
    """Return the distance of two tiles: the number of extents that differ, those of C, and the lost size."""
    of_c = (tile.m != other.m) + (tile.n != other.n)
    return of_c + (tile.k != other.k), of_c, -other.m * other.n * other.k


def _smaller(tile: ProductTile) -> Iterator[ProductTile]:
    for m in _halves(tile.m, max(REPEAT_COUNTS)):
        for n in _halves(tile.n, LANES):
            for k in _halves(tile.k, tile.depth):
                yield tile._replace(m=m, n=n, k=k)


def _halves(extent: int, least: int) -> Iterator[int]:
    """Yield an extent and its halves, down to the extent of an instruction."""
    yield extent
    while extent % (2 * least) == 0:
        extent //= 2
        yield extent
