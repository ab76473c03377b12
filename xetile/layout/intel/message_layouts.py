"""2D block messages: their layouts in registers, the fewest for a tile, Intel's attribute.

A message moves `blocks` blocks of `rows` x `columns` elements that are side by side in
memory. Registers count elements; those that share one register word (packed rows, the bytes
of an i16) are the lowest.

Source of `#ttig.subgroup_2d_block`: intel/intel-xpu-backend-for-triton,
lib/Dialect/TritonIntelGPU/IR/LinearLayoutConversions.cpp (`subgroup2DBlockToLinearLayout`).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from xetile.layout.algebra.block_grids import block_offsets
from xetile.layout.algebra.fitting import check_powers_of_two, fit_to_shape
from xetile.layout.algebra.identities import doublings
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.notebook_tables import html_table, runs
from xetile.layout.exchange.registers import register_permutation

Offset = tuple[int, int]
"""Row and column of an element."""

_ROW, _COLUMN, _BLOCK = "row", "column", "block"
_WORD_BITS = 32


Access = Literal["load", "load_packed", "load_transposed", "store", "prefetch"]
"""The kind of a block message's access to memory."""


class BlockConfiguration(NamedTuple):
    """The shape of one message: extents of one block in elements, and the number of blocks side by side."""

    rows: int
    columns: int
    blocks: int
    packed: bool = False
    transposed: bool = False

    @property
    def width(self) -> int:
        """Columns of all blocks together, in elements."""
        return self.columns * self.blocks


class LoadPlan(NamedTuple):
    """The messages that load (or store) a tile, and the order of their registers.

    Each has the shape of a BlockConfiguration and begins at one of `offsets`, in elements,
    in issue order (row-major). `shuffle` gives for each register of the wanted layout its number
    in the concatenation of all messages' results (the first message's first).
    """

    rows: int
    columns: int
    blocks: int
    packed: bool
    transposed: bool
    offsets: tuple[Offset, ...]
    shuffle: tuple[int, ...]

    def _repr_html_(self) -> str:
        """Return a table of the messages, and of the registers that the wanted ones are copied from."""
        kind = ", packed" if self.packed else ", transposed" if self.transposed else ""
        caption = f"{self.messages} of {self.rows} x {self.columns} x {self.blocks}{kind}"
        rows = [(f"message {n}", f"at {at}") for n, at in enumerate(self.offsets)]
        return html_table(caption, [*rows, ("registers take", runs(self.shuffle))])

    @property
    def configuration(self) -> BlockConfiguration:
        """The shape of each message."""
        return BlockConfiguration(*self[:5])

    @property
    def messages(self) -> int:
        """Number of messages."""
        return len(self.offsets)

    @property
    def registers(self) -> int:
        """Number of elements of one message in each lane."""
        return len(self.shuffle) // len(self.offsets)

    @property
    def stores(self) -> tuple[int, ...]:
        """For each register of the concatenated messages, the register of the value that it stores."""
        inverse = [0] * len(self.shuffle)
        for register, source in enumerate(self.shuffle):
            inverse[source] = register
        return tuple(inverse)


def block_load_layout(
    *,
    rows: int,
    columns: int,
    blocks: int = 1,
    element_bits: int,
    packed: bool = False,
    transposed: bool = False,
    lanes: int = 16,
) -> LinearLayout:
    """Return the registers of a 2D block load: (register, lane) -> (row, column, block).

    Plain: every block row-major over the lanes; if rows are wider than the lanes, each lane has
    neighboring columns, if they are narrower, the remaining lanes have further rows.
    Packed (VNNI): 32 / element_bits consecutive rows share a register word. Transposed: the
    matrix of 32-bit words (of elements, if they are wider) is transposed, then row-major
    over the lanes; elements that share a word stay together. Rows and columns are those of
    one block, in elements.

    LayoutError: an extent is no power of two, or the form does not exist for this element
    width.

    Source: Intel Graphics Compiler's `intel_sub_group_2d_block_read*` builtins, by the
    registers that the DPAS builtins read from their results.
    """
    configuration = BlockConfiguration(rows, columns, blocks, packed, transposed)
    return message_layout(configuration, element_bits, lanes=lanes, block=_BLOCK)


def register_word(
    configuration: BlockConfiguration, *, element_bits: int, lanes: int = 16
) -> int:
    """Return the number of elements in a register word of a message's result; they are its lowest registers."""
    if configuration.packed or configuration.transposed:
        return max(1, _WORD_BITS // element_bits)
    return max(1, configuration.columns // lanes)


def plan_block_load(
    wanted: LinearLayout,
    *,
    element_bits: int,
    configurations: Iterable[tuple[int, int, int, bool, bool]],
    lanes: int = 16,
    word: int | None = None,
) -> LoadPlan | None:
    """Return the fewest equal messages whose results are a permutation of the wanted registers.

    Of equally many, prefer the tallest, then the one with the most blocks; None if none fits.
    `wanted` is (register, lane) -> (row, column) of the tile, `configurations` are (rows,
    columns, blocks, packed, transposed), columns in elements. Two layouts can be equal that
    differ in how registers are packed into words (operand A of 16 bits and operand B):
    either give configurations of one kind only, or `word`, the number of the lowest registers
    that share a register word.

    LayoutError: `wanted` is not over (register, lane) and two element dimensions.
    """
    _check_wanted(wanted, lanes)
    choices = tuple(BlockConfiguration(*configuration) for configuration in configurations)
    for choice in choices:
        if min(choice.rows, choice.columns, choice.blocks) < 1:
            raise LayoutError(f"{choice} must have at least one row, column and block")
    return _plan(wanted, element_bits, choices, lanes, word)


@lru_cache(maxsize=256)
def message_layout(
    configuration: BlockConfiguration,
    element_bits: int,
    *,
    lanes: int = 16,
    block: str = _COLUMN,
) -> LinearLayout:
    """Return (register, lane) -> (row, column) of a message, blocks side by side or along `block`."""
    _check_configuration(configuration, element_bits, lanes)
    rows, columns, blocks, packed, transposed = configuration
    word = max(1, _WORD_BITS // element_bits) if packed or transposed else 1
    if packed:
        word_dim, minor, major = _ROW, (_COLUMN, columns), (_ROW, rows // word)
    elif transposed:
        word_dim, minor, major = _COLUMN, (_ROW, rows), (_COLUMN, columns // word)
    else:
        word = max(1, columns // lanes)
        word_dim, minor, major = _COLUMN, (_COLUMN, columns // word), (_ROW, rows)
    layout = LinearLayout.identity_1d(word, "register", word_dim)
    free = lanes
    for name, extent in (minor, major):
        in_lanes = min(free, extent)
        layout = layout * LinearLayout.identity_1d(in_lanes, "lane", name)
        layout = layout * LinearLayout.identity_1d(extent // in_lanes, "register", name)
        free //= in_lanes
    layout = layout * LinearLayout.identity_1d(blocks, "register", block)
    outs = dict.fromkeys([_ROW, _COLUMN, block])
    layout = layout * LinearLayout.zeros_1d(free, "lane", _ROW)
    return layout.transpose_outs([*outs])


def loaded_layout(
    configuration: BlockConfiguration,
    element_bits: int,
    wanted: LinearLayout,
    *,
    dims: tuple[int, int] = (0, 1),
    shape: tuple[int, int] = (0, 0),
) -> LinearLayout:
    """Return the registers of messages in (register, lane), over the out dimensions of `wanted`.

    `dims` are the dimensions along which a message's rows and columns run; messages repeat
    over `shape` elements, along the columns first.
    """
    message = message_layout(configuration, element_bits, lanes=wanted.in_dim_size("lane"))
    bases = message.bases
    bases["register"] += [(0, at) for at in doublings(configuration.width, shape[1])]
    bases["register"] += [(at, 0) for at in doublings(configuration.rows, shape[0])]
    placed = {
        name: [
            tuple(
                [{dims[0]: row, dims[1]: column}.get(d, 0) for d in range(wanted.num_out_dims)]
            )
            for row, column in vectors
        ]
        for name, vectors in bases.items()
    }
    return LinearLayout.from_bases(placed, wanted.out_dims, require_surjective=False)


@lru_cache(maxsize=256)
def _plan(
    wanted: LinearLayout,
    element_bits: int,
    configurations: tuple[BlockConfiguration, ...],
    lanes: int,
    word: int | None,
) -> LoadPlan | None:
    height, width = wanted.out_dim_sizes
    for configuration in _by_messages(configurations, height, width):
        packing = register_word(configuration, element_bits=element_bits, lanes=lanes)
        if word is not None and packing != word:
            continue
        loaded = loaded_layout(configuration, element_bits, wanted, shape=(height, width))
        shuffle = register_permutation(loaded, wanted)
        if shuffle is None or (word is not None and not _keeps_words(shuffle, word)):
            continue
        offsets = block_offsets((height, width), (configuration.rows, configuration.width))
        return LoadPlan(*configuration, tuple((r, c) for r, c in offsets), shuffle)
    return None


def _by_messages(
    configurations: Iterable[BlockConfiguration], height: int, width: int
) -> list[BlockConfiguration]:
    fitting = {c for c in configurations if height % c.rows == 0 and width % c.width == 0}
    return sorted(
        fitting, key=lambda c: (-c.rows * c.width, -c.rows, -c.blocks, c.packed, c.transposed)
    )


def _keeps_words(shuffle: Sequence[int], word: int) -> bool:
    words = [shuffle[i : i + word] for i in range(0, len(shuffle), word)]
    return all(w[0] % word == 0 and list(w) == [*range(w[0], w[0] + word)] for w in words)


def _check_configuration(
    configuration: BlockConfiguration, element_bits: int, lanes: int
) -> None:
    rows, columns, blocks, packed, transposed = configuration
    for name, value in (
        ("rows", rows),
        ("columns", columns),
        ("blocks", blocks),
        ("lanes", lanes),
    ):
        if value < 1 or value & (value - 1):
            raise LayoutError(f"{name} = {value} of a block message must be a power of two")
    if element_bits not in (8, 16, 32, 64):
        raise LayoutError(f"element_bits = {element_bits} must be 8, 16, 32 or 64")
    if packed and transposed:
        raise LayoutError("a block message is packed or transposed, not both")
    if packed and (element_bits > 16 or rows % (_WORD_BITS // element_bits)):
        raise LayoutError(
            f"packed blocks of {rows} rows of {element_bits} bits do not fill 32-bit words; "
            "legal are 8 bits with a multiple of 4 rows and 16 bits with a multiple of 2"
        )
    if transposed and blocks != 1:
        raise LayoutError(f"a transposed message has 1 block, not {blocks}")
    if transposed and columns * element_bits % _WORD_BITS:
        raise LayoutError(
            f"transposed blocks of {columns} columns of {element_bits} bits do not fill 32-bit words"
        )


def _check_wanted(wanted: LinearLayout, lanes: int) -> None:
    if len(wanted.out_dim_names) != 2 or "lane" not in wanted.in_dim_names:
        raise LayoutError(
            f"a block load needs a layout (register, lane) -> (row, column), not "
            f"({', '.join(wanted.in_dim_names)}) -> ({', '.join(wanted.out_dim_names)})"
        )
    if wanted.in_dims["lane"] != lanes:
        raise LayoutError(
            f"the layout has {wanted.in_dims['lane']} lanes, the subgroup {lanes}"
        )


class Subgroup2DBlock(NamedTuple):
    """Intel's `#ttig.subgroup_2d_block`: the layout of the subgroups' messages in registers.

    `warps_per_cta` are subgroups per dimension, the last one fastest, `instruction_shape`
    rows and columns of one block, in elements. `order` lists dimensions, fastest first;
    subgroups along the first one have the same data. `k_width` (elements per 32 bits) does
    not affect the layout. For a transposed message the rows and columns in memory are the
    tile's columns and rows, since its result in registers is the transpose.
    """

    warps_per_cta: tuple[int, ...]
    instruction_shape: tuple[int, ...]
    blocks: int
    order: tuple[int, ...]
    k_width: int
    threads_per_warp: int = 16
    is_transposed: bool = False

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return (register, lane, warp, block) -> (dim0, dim1) for a tile of `shape`, in elements.

        LayoutError: the shape is not two extents, there are not 16 lanes, or a number is
        wrong.
        """
        if len(shape) != 2 or self.threads_per_warp != 16:
            raise LayoutError(
                f"a subgroup 2D block needs a shape of rank 2 and 16 lanes, "
                f"not {list(shape)} and {self.threads_per_warp}"
            )
        for name, value in (
            ("warpsPerCTA", self.warps_per_cta),
            ("instrShape", self.instruction_shape),
        ):
            check_powers_of_two(name, value)
            if len(value) != 2:
                raise LayoutError(
                    f"{name} {list(value)} of a subgroup 2D block must have rank 2"
                )
        check_powers_of_two("numBlocks", (self.blocks,))
        if sorted(self.order) != [0, 1]:
            raise LayoutError(f"order {list(self.order)} is no permutation of 0 to 1")
        if self.is_transposed and self.blocks != 1:
            raise LayoutError(
                f"numBlocks = {self.blocks}: a transposed block message has one block"
            )
        height, width = self.instruction_shape
        if self.is_transposed:
            height, width = width, height
        # Lanes beyond the rows count as further rows, which are then cut off.
        rows = max(height, self.threads_per_warp // min(width, self.threads_per_warp))
        configuration = BlockConfiguration(rows, width, self.blocks)
        message = message_layout(configuration, 16, lanes=self.threads_per_warp)
        layout = message.rename_out_dim("row", "dim0").rename_out_dim("column", "dim1")
        for d in (1, 0):
            shared = d == self.order[0]
            warps = LinearLayout.zeros_1d if shared else LinearLayout.identity_1d
            layout = layout * warps(self.warps_per_cta[d], "warp", f"dim{d}")
        return fit_to_shape(layout, shape)
