"""The 2D block messages that move a tile: the fewest whose registers suit the use.

A message leaves its data in some register layout, and a use (a DPAS operand) needs another one. One of the two must
be a permutation of the registers of the other. Blocking writes the plan on the accesses as `#xetile.message`. A
message that is already written there is checked and used.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NoReturn, cast

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.xetile import MessageAttr, TileType
from xetile.dialects.xetile.message import Form
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR, GLOBAL
from xetile.errors import alternatives, fail
from xetile.layout.algebra.block_grids import power_of_two_part
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import dpas_operand_layout, dpas_register_word
from xetile.layout.intel.message_layouts import Access, BlockConfiguration, plan_block_load
from xetile.planning.xe.heights import stacked
from xetile.planning.xe.message_words import BYTE_BITS, known_messages
from xetile.planning.xe.roles import Block, Role, Roles
from xetile.planning.xe.uses import Tiles, TileUse, tile_of, use_of
from xetile.targets.xe.device import UPSTREAM_BLOCK_EXTENT, XeDevice
from xetile.targets.xe.dpas import REPEAT_COUNTS, ops_per_channel
from xetile.targets.xe.dpas import depth as dpas_depth
from xetile.targets.xe.messages import TRANSPOSED_WORD_BITS

_LARGEST_PART = 1 << 12
"""The upper bound on the power of two by which a tile's extent is planned (elements)."""

Admits = Callable[[BlockConfiguration], bool]
"""Returns True for a message that may be used."""


def plannable_part(shape: Sequence[int]) -> Block:
    """Return the largest powers of two that divide the extents; no larger block can tile the shape."""
    rows, columns = (power_of_two_part(extent, _LARGEST_PART) for extent in shape)
    return rows, columns


def in_memory(tile: TileType, extents: Sequence[int]) -> Block:
    """Convert extents of a tile or of its blocks to the rows and columns that messages see, or back."""
    rows, columns = extents[::-1] if tile.order == COLUMN_MAJOR else extents
    return rows, columns


def plan(
    device: XeDevice,
    use: TileUse,
    tile: TileType,
    role: Role = "c",
    *,
    packed: bool = False,
    transposed: bool = False,
    admits: Admits = lambda configuration: True,
) -> BlockConfiguration | None:
    """Return the message to repeat over a tile, or None if the device has none.

    A load suits `role`. `packed` requires B with neighbors along K in one register, `transposed` a row of the tile in
    each lane. Column-major tiles are loaded transposed if a message can do that; all other messages keep the order in
    memory.
    """
    bits, shape = memory_bits(tile.element_type), in_memory(tile, tile.shape)
    if bits is None:
        return None

    def known(access: Access) -> list[BlockConfiguration]:
        return [c for c in known_messages(device, access, bits) if admits(c)]

    # Elements that share bytes are widened before products need a layout, whichever lane they are in.
    if use != "load" or bits < BYTE_BITS:
        return _largest(_fitting(known(use), shape), device, use, bits)
    column_major = tile.order == COLUMN_MAJOR
    if column_major != transposed and tile.element_type != i1:
        turning = [c for c in known("load_transposed") if c.rows == device.lanes]
        if fitting := _fitting(turning, shape):
            return max(fitting, key=lambda c: c.columns)
    if column_major:
        role, packed = "c", False
    packing = known("load_packed") if packed else []
    word = None
    if role in ("a", "b") and (packing or role == "a"):
        word = dpas_register_word(role, ops_per_channel=ops_per_channel(bits))
    wanted = _wanted_layout(role, plannable_part(shape), bits)
    if wanted is not None:
        configurations = packing or known("load")
        found = plan_block_load(
            wanted, element_bits=bits, configurations=configurations, word=word
        )
        if found is not None:
            return found.configuration
    single = _fitting([c for c in known("load") if c.blocks == 1], shape)
    return max(single, key=lambda c: (c.rows * c.columns, c.rows), default=None)


def _largest(
    fitting: Iterable[BlockConfiguration], device: XeDevice, use: TileUse, bits: int
) -> BlockConfiguration | None:
    """Return the largest message, of which the fewest are needed; prefer tall ones, then those of the most blocks.

    A store of rows with more bytes than lanes would take neighbors from one lane. Computed values are not laid out
    this way, and moving them costs more than the saved messages.
    """

    def preference(c: BlockConfiguration) -> tuple[bool, int, int, int]:
        is_narrow = c.columns * bits <= device.lanes * max(bits, BYTE_BITS)
        return use == "prefetch" or is_narrow, c.rows * c.width, c.rows, c.blocks

    return max(fitting, key=preference, default=None)


def covering(device: XeDevice, use: TileUse, tile: TileType) -> BlockConfiguration | None:
    """Return a message for a tile that no message fits: the fewest, which reach beyond the tile and load unused data.

    Only loads and prefetches may.
    """
    bits = memory_bits(tile.element_type)
    if use == "store" or bits is None:
        return None
    shape = in_memory(tile, tile.shape)
    least = plannable_part(in_memory(tile, tile.inner_blocks or tile.shape))

    def cost(c: BlockConfiguration) -> tuple[int, int]:
        count = -(-shape[0] // c.rows) * -(-shape[1] // c.columns)
        return count, c.rows * c.columns

    known = known_messages(device, use, bits)
    large = [
        c for c in known if c.blocks == 1 and c.rows >= least[0] and c.columns >= least[1]
    ]
    return min(large, key=cost, default=None)


def _fitting(known: Iterable[BlockConfiguration], shape: Block) -> list[BlockConfiguration]:
    return [c for c in known if shape[0] % c.rows == 0 and shape[1] % c.width == 0]


@lru_cache(maxsize=256)
def _wanted_layout(role: Role, shape: Block, bits: int) -> LinearLayout | None:
    most = max(REPEAT_COUNTS)
    repeat_count = most if role == "b" else power_of_two_part(shape[0], most)
    try:
        return dpas_operand_layout(
            role, shape, repeat_count=repeat_count, ops_per_channel=ops_per_channel(bits)
        )
    except LayoutError:
        return None


def plan_upstream(
    device: XeDevice, use: TileUse, block: Block, element_type: Attribute, role: Role
) -> BlockConfiguration | None:
    """Return the largest message that upstream's pipeline accepts for a block, or None.

    It is one block, not packed, of at most 16x16 elements; along K it may have as many as the matrix instruction takes.
    Source: measured with mlir-opt 22.1.8, `gpu-lower-to-xevm-pipeline{xegpu-op-level=subgroup}`: `array_length` aborts,
    packed loads of operand B are refused.
    """
    bits = memory_bits(element_type)
    if bits is None:
        return None
    depth = max(UPSTREAM_BLOCK_EXTENT, dpas_depth(bits))
    rows = depth if role == "b" else UPSTREAM_BLOCK_EXTENT
    columns = depth if role == "a" else UPSTREAM_BLOCK_EXTENT
    fitting = [
        c
        for c in _fitting(device.messages(use, bits), block)
        if c.blocks == 1 and c.rows <= rows and c.columns <= columns
    ]
    return max(fitting, key=lambda c: (c.rows * c.columns, c.rows), default=None)


Stack = tuple[BlockConfiguration, ...]
"""Messages one below the other that make up the rows of a tile; a single message is repeated over it."""


class Messages:
    """The messages of one blocked function; if `upstream` is set, those of upstream's pipeline."""

    def __init__(
        self, function: Operation, device: XeDevice, *, upstream: bool = False
    ) -> None:
        self.device = device
        self.upstream = upstream
        self.operations = list(function.walk())
        self.tiles = Tiles(self.operations)
        self._planned: dict[tuple[SSAValue, TileUse], Stack] = {}

    @cached_property
    def _roles(self) -> Roles:
        return Roles(self.operations)

    def messages(self, op: Operation, use: TileUse) -> Stack:
        """Return the messages of an access, one below the other; a single one is repeated."""
        tile = tile_of(op)
        type = cast(TileType, tile.type)
        if type.inner_blocks is None:
            fail(op, f"{type} has no inner_blocks; run xetile-blocking first")
        found = self.find(op, use)
        if found:
            return found
        large = None if self.upstream else covering(self.device, use, type)
        return (large,) if large is not None else self._refuse(op, tile, use)

    def find(self, op: Operation, use: TileUse) -> Stack:
        """Return the messages written on an access, else those planned for its tile; empty if there are none.

        Messages for upstream are always planned, since they differ from those that blocking writes.
        """
        written = op.properties.get("message")
        if isinstance(written, MessageAttr) and not self.upstream:
            return self._checked(op, use, written)
        tile = tile_of(op)
        key = self.tiles.find(tile), use
        if key not in self._planned:
            type = cast(TileType, tile.type)
            block = in_memory(type, type.inner_blocks or type.shape)
            message = self._plan(tile, use, block)
            self._planned[key] = () if message is None else self._stack(tile, use, message)
        return self._planned[key]

    def _stack(self, tile: SSAValue, use: TileUse, message: BlockConfiguration) -> Stack:
        if self.upstream:
            return (message,)
        role = self._roles.role(self.tiles.accesses(tile, "load"))
        return stacked(self.device, use, cast(TileType, tile.type), message, role)

    def is_stack(self, op: Operation, use: TileUse) -> bool:
        """Return True if the messages of an access lie one below the other, False if one message is repeated."""
        found, type = self.find(op, use), cast(TileType, tile_of(op).type)
        if not found or self.upstream or type.inner_blocks is None:
            return False
        block_rows, _ = in_memory(type, type.inner_blocks)
        return len(found) > 1 or any(message.rows > block_rows for message in found)

    def _plan(self, tile: SSAValue, use: TileUse, block: Block) -> BlockConfiguration | None:
        """Return the message for blocks of these rows and columns (as messages see them)."""
        type = cast(TileType, tile.type)
        loads = self.tiles.accesses(tile, use) if use == "load" else []
        role = self._roles.role(loads)
        bits = memory_bits(type.element_type)
        if self.upstream and type.order != COLUMN_MAJOR:
            return plan_upstream(self.device, use, block, type.element_type, role)
        in_words = bits is not None and bits < TRANSPOSED_WORD_BITS
        packs = bits is not None and bool(self.device.messages("load_packed", bits))
        packed = packs and self._roles.is_only_b(loads)
        return plan(
            self.device,
            use,
            type,
            role,
            packed=packed,
            transposed=self._roles.is_only_transposed(loads),
            admits=lambda c: (
                c[:2] == block and not (self.upstream and in_words and c.transposed)
            ),
        )

    def _checked(self, op: Operation, use: TileUse, message: MessageAttr) -> Stack:
        """Check that the device has the written messages and that the loaded data suits their registers."""
        element, form = cast(TileType, tile_of(op).type).element_type, message.form.data
        stack = tuple(
            BlockConfiguration(*shape, form == "packed", form == "transposed")
            for shape in message.shapes
        )
        bits = memory_bits(element)
        access = _LOADS.get(form, use)
        known = () if bits is None else known_messages(self.device, access, bits)
        for written in stack:
            if written not in known:
                same = [attribute([c]).body for c in known if c[:2] == written[:2]]
                fail(
                    op,
                    f"'message' is {message.body}, which {self.device.name} does not have for a {use} of "
                    f"{element}; of these blocks it has {', '.join(same) or 'none'}",
                )
        if stack[0].packed and not self._roles.is_only_b([op]):
            fail(
                op,
                f"'message' is {message.body}, but what is loaded is {self._roles.describe([op])}; "
                "packed rows are for operand B alone",
            )
        if stack[0].transposed and {m.rows for m in stack} != {self.device.lanes}:
            fail(
                op,
                f"'message' is {message.body}, transposed loads take blocks of {self.device.lanes} rows, "
                "one for each lane",
            )
        return stack

    def _refuse(self, at: Operation, tile: SSAValue, use: TileUse) -> NoReturn:
        type = cast(TileType, tile.type)
        bits = memory_bits(type.element_type)
        known = () if bits is None else known_messages(self.device, use, bits)
        legal = sorted(
            in_memory(type, block)
            for block in {c[:2] for c in known}
            if self._plan(tile, use, block) is not None
        )
        shown = ", ".join(f"{rows}x{columns}" for rows, columns in legal)
        rows, columns = type.inner_blocks or type.shape
        order = "column-major " if type.order == COLUMN_MAJOR else ""
        fail(
            at,
            f"{self.device.name} has no 2D block {use} for blocks of {rows}x{columns} {type.element_type} "
            f"in a {order}tile of {'x'.join(map(str, type.shape))} in this role; "
            + (
                f"blocks of this tile that it {use}{'es' if use == 'prefetch' else 's'}: {shown}"
                if shown
                else _blocks(type, known)
            ),
        )


def _blocks(tile: TileType, known: Iterable[BlockConfiguration]) -> str:
    """Return a description of the blocks into which a larger tile could be cut."""
    blocks = {in_memory(tile, c[:2]) for c in known if c.blocks == 1}
    rows, columns = ({block[dim] for block in blocks} for dim in range(2))
    return f"expected {alternatives(rows)} rows of {alternatives(columns)} columns, repeated"


_LOADS: Mapping[str, Access] = {"packed": "load_packed", "transposed": "load_transposed"}


def attribute(messages: Sequence[BlockConfiguration]) -> MessageAttr:
    """Return the attribute for messages one below the other, or for the one that is repeated."""
    message = messages[0]
    form: Form = (
        "packed" if message.packed else "transposed" if message.transposed else "plain"
    )
    return MessageAttr([m.rows for m in messages], message.columns, message.blocks, form)


def plan_messages(
    function: Operation, device: XeDevice
) -> Iterator[tuple[Operation, MessageAttr]]:
    """Yield the accesses of a blocked function with their messages, if the device has any."""
    messages = Messages(function, device)
    for op in messages.operations:
        use = use_of(op)
        if use is None:
            continue
        type = cast(TileType, tile_of(op).type)
        if type.inner_blocks is None or type.scattered or type.memory_space != GLOBAL:
            continue
        found = messages.find(op, use)
        if found:
            yield op, attribute(found)
