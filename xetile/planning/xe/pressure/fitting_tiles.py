"""Products of a kernel as tiles, and the nearest tile whose registers would suffice: plain data in and out."""

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
        """Of A, B and the sums together."""
        bits = (
            self.m * self.k * self.a + self.k * self.n * self.b + self.m * self.n * self.sums
        )
        return -(-bits // (8 * REGISTER_BYTES))

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


def nearest(
    tile: ProductTile, held: int, file: RegisterFile
) -> tuple[ProductTile, int] | None:
    """The largest tile that fits where this one has `held` registers live, and what it has; a smaller K comes first.

    None where no tile does: what is live beside it is too much.
    """
    beside = max(0, held - tile.registers)
    smaller = sorted(_smaller(tile), key=lambda other: _distance(tile, other))
    for other in smaller:
        if other.registers + beside <= MOST_HELD[file]:
            return other, other.registers + beside
    return None


def _distance(tile: ProductTile, other: ProductTile) -> tuple[int, int, int]:
    """How far a tile is: extents that differ, those of C, and what is lost."""
    of_c = (tile.m != other.m) + (tile.n != other.n)
    return of_c + (tile.k != other.k), of_c, -other.m * other.n * other.k


def _smaller(tile: ProductTile) -> Iterator[ProductTile]:
    for m in _halves(tile.m, max(REPEAT_COUNTS)):
        for n in _halves(tile.n, LANES):
            for k in _halves(tile.k, tile.depth):
                yield tile._replace(m=m, n=n, k=k)


def _halves(extent: int, least: int) -> Iterator[int]:
    """An extent and its halves, down to what an instruction has."""
    yield extent
    while extent % (2 * least) == 0:
        extent //= 2
        yield extent
