"""The messages of a tile whose block was read off: where they begin, what they fill."""

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.registers import register_permutation
from xetile.layout.intel.block_tile import BlockTile
from xetile.layout.intel.messages import BlockConfiguration, loaded_layout


def tile_configuration(tile: BlockTile, *, packed: bool = False) -> BlockConfiguration:
    """The message of a tile's block; `packed` where only it packs rows."""
    words = (packed or tile.vnni) and not tile.transposed
    width = tile.width * tile.packed
    return BlockConfiguration(tile.height, width, tile.blocks, words, tile.transposed)


def register_order(tile: BlockTile) -> LinearLayout:
    """Which register of the layout the messages' registers fill: (register) -> (register), in order."""
    bases = {"register": [(basis,) for basis in tile.register_bases]}
    return LinearLayout.from_bases(bases, {"register": 1 << len(tile.register_bases)})


def message_registers(tile: BlockTile, *, lanes: int) -> int:
    """Elements that one message moves for each lane."""
    return -(-tile.height * tile.width * tile.packed * tile.blocks // lanes)


def message_offsets(
    tile: BlockTile, layout: LinearLayout
) -> list[tuple[int, tuple[int, ...]]]:
    """For each message the layout's register that it fills first, and the element coordinates of that."""
    order = register_order(tile)
    step = message_registers(tile, lanes=1 << len(layout.bases["lane"]))
    others = {name: 0 for name in layout.in_dim_names if name != "register"}
    offsets: list[tuple[int, tuple[int, ...]]] = []
    for first in range(0, 1 << len(tile.register_bases), step):
        register = order.apply({"register": first})["register"]
        at = layout.apply({"register": register, **others})
        offsets.append((register, tuple(at.values())))
    return offsets


def transposed_shuffle(tile: BlockTile, *, lanes: int) -> tuple[int, ...]:
    """Where elements of a transposed load go in its registers: images of 1, 2, 4, ...

    They arrive in the layout's register order of the block.
    """
    bits = message_registers(tile, lanes=lanes).bit_length() - 1
    order = tile.register_bases[:bits]
    prefix = next(
        n for n in range(bits, -1, -1) if sorted(order[:n]) == [1 << i for i in range(n)]
    )
    shuffle = [0] * prefix
    for position, basis in enumerate(order[:prefix]):
        shuffle[basis.bit_length() - 1] = 1 << position
    return tuple(shuffle + [1 << i for i in range(prefix, bits)])


def message_shuffle(
    tile: BlockTile, layout: LinearLayout, *, element_bits: int, packed: bool = False
) -> tuple[int, ...] | None:
    """Which element of a message each register takes, from what the message leaves there.

    `tile` is read off `layout`, its blocks capped as for a load; `packed` says that the
    message packs rows into 32-bit words where `tile` does not. The result is for registers
    in the order of register_order, all messages alike; None when the message leaves an
    element in another lane.
    """
    configuration = tile_configuration(tile, packed=packed)
    # The block's rows run along the memory's other dimension: across the lanes when transposed.
    row, column = tile.row_dim, tile.column_dim
    dims = (column, row) if tile.transposed else (row, column)
    loaded = loaded_layout(configuration, element_bits, layout, dims=dims)
    wanted = {
        "register": [
            layout.bases["register"][basis.bit_length() - 1]
            for basis in tile.register_bases[: loaded.in_dim_size_log2("register")]
        ],
        "lane": layout.bases["lane"],
    }
    target = LinearLayout.from_bases(wanted, layout.out_dims, require_surjective=False)
    return register_permutation(loaded, target)
