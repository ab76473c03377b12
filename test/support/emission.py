"""Every builtin that `convert-xevm-to-llvm` can name, from the tables of the devices and of xevm's verifier."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from xetile.layout.intel.message_layouts import Access
from xetile.passes.xe.convert_xevm_to_llvm.builtins import (
    ADD_PAYLOAD_X,
    ADD_PAYLOAD_Y,
    CREATE_PAYLOAD,
    MATRIX_ACCUMULATORS,
    MATRIX_OPERANDS,
    SET_PAYLOAD_X,
    SET_PAYLOAD_Y,
    BlockShape,
    block_function,
    block_name,
    cached_block_function,
    has_product,
    lane_function,
    matrix_function,
    payload_load,
    payload_prefetch,
    payload_store,
    register_bits,
)
from xetile.targets.xe.device import LANES
from xetile.targets.xe.devices import DEVICES
from xetile.targets.xe.dpas import REPEAT_COUNTS, depth
from xetile.targets.xe.messages import lane_words, verified

ACTIONS: dict[Access, str] = {
    "load": "read",
    "load_packed": "read_transform",
    "load_transposed": "read_transpose",
    "store": "write",
    "prefetch": "prefetch",
}


class Block(NamedTuple):
    """A 2D block message: what it does, and the extents of a block."""

    action: str
    shape: BlockShape

    @property
    def register_bits(self) -> int | None:
        """Of what the function's pointer points to."""
        if self.action == "prefetch":
            return None
        return register_bits(self.shape, packed=self.action == "read_transform")

    @property
    def name(self) -> str:
        """The function's, as the linker knows it."""
        return block_function(block_name(self.action, self.shape), self.register_bits)

    @property
    def cached_name(self) -> str:
        """That of the one with a cache option."""
        return cached_block_function(block_name(self.action, self.shape))

    @property
    def payload_name(self) -> str:
        """That of the one that goes through an address payload."""
        return (payload_load if self.action == "read" else payload_store)(self.shape)


class Product(NamedTuple):
    """A matrix instruction, types by xevm's names, 8-bit floats by MLIR's."""

    a: str
    b: str
    sum: str
    rows: int

    @property
    def depth(self) -> int:
        return depth(MATRIX_OPERANDS[self.a].bits)

    @property
    def name(self) -> str:
        return matrix_function(self.a, self.b, self.sum, rows=self.rows, depth=self.depth)


def blocks() -> Iterator[Block]:
    """Every message that a device compiles or xevm's verifier takes, once."""
    seen: set[Block] = set()
    for access, bits in product(ACTIONS, (8, 16, 32, 64)):
        compiled = (device.compiled(access, bits) for device in DEVICES)
        for configurations in (verified(access, bits), *compiled):
            for one in configurations:
                shape = BlockShape(bits, one.rows, one.columns, one.blocks)
                block = Block(ACTIONS[access], shape)
                if block not in seen:
                    seen.add(block)
                    yield block


def products() -> Iterator[Product]:
    """Every matrix instruction that has a builtin."""
    for a, b, sum in product(MATRIX_OPERANDS, MATRIX_OPERANDS, MATRIX_ACCUMULATORS):
        if has_product(a, b, sum):
            yield from (Product(a, b, sum, rows) for rows in REPEAT_COUNTS)


def payload_prefetches() -> list[str]:
    """Prefetches through an address payload."""
    return [payload_prefetch(block.shape) for block in blocks() if block.action == "prefetch"]


def payload_accesses(action: str) -> list[Block]:
    """Reads or writes through an address payload: those of one block that a vector of SPIR-V holds."""
    return [
        block
        for block in blocks()
        if block.action == action
        and block.shape.blocks == 1
        and block.shape.rows * block.shape.columns in (LANES * n for n in (1, 2, 4, 8, 16))
    ]


def payload_functions() -> Iterator[str]:
    """What those programs call that have them."""
    yield from (CREATE_PAYLOAD, SET_PAYLOAD_X, SET_PAYLOAD_Y, ADD_PAYLOAD_X, ADD_PAYLOAD_Y)
    yield from payload_prefetches()
    for action in ("read", "write"):
        yield from (block.payload_name for block in payload_accesses(action))


def names() -> list[str]:
    """All of them, mangled, and those with a cache option."""
    messages = list(blocks())
    return [
        *(block.name for block in messages),
        *(block.cached_name for block in messages),
        *(product.name for product in products()),
        *payload_functions(),
        *lane_functions(),
    ]


def lane_functions() -> Iterator[str]:
    """Those that access a lane's words with a cache option."""
    words = {
        lane_words(bits, count, None) for bits in (8, 16, 32, 64) for count in (1, 2, 4, 8)
    }
    for action in ("load", "store"):
        for found in sorted(words - {None}, key=str):
            assert found is not None
            yield lane_function(action, *found)
    yield lane_function("prefetch", 8, 1)
