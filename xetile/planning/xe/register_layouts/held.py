"""The layouts in which vectors can be held, and those of accesses and matrix instructions."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute

from xetile.dialects.operand_types import operand_types
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import DpasOp, LoadNdOp, StoreNdOp, TensorDescType
from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import dpas_register_word
from xetile.layout.intel.message_layouts import Access, BlockConfiguration, register_word
from xetile.layout.intel.xegpu_layouts import dpas_vector_layout, message_vector_layout
from xetile.targets.target import Operand
from xetile.targets.xe.device import XeDevice

_FORMS: tuple[Access, ...] = ("load", "load_packed", "load_transposed")
_BOX_RANK = 2

Vector: TypeAlias = VectorType[Attribute]


class Held(NamedTuple):
    """A layout, and the number of elements in one register word, which are the lowest registers.

    Two vectors can have the same layout and different words: rows of f16 in 16-bit words, and pairs of them in 32-bit
    words, as operand B needs them.
    """

    layout: LinearLayout
    word: int = 1

    @property
    def registers(self) -> int:
        """The elements of one lane."""
        return self.layout.in_dim_size("register")


class Message(NamedTuple):
    """A message that an access can use, and the layout of its vector."""

    configuration: BlockConfiguration
    held: Held


def load_messages(op: LoadNdOp, device: XeDevice) -> tuple[Message, ...]:
    """Return the messages that can do an op's load, first that of the form in which it is written.

    The result is empty if the op does not load a two-dimensional block.
    """
    type = cast(TensorDescType, op.TensorDesc.type)
    bits = memory_bits(type.element_type)
    if bits is None or type.scattered or len(type.shape) != _BOX_RANK:
        return ()
    form = _Form(
        columns=type.shape[1],
        pack=vector_type(op.value).get_shape()[-1] if op.is_packed else 1,
        transposed=op.transpose is not None,
    )
    return _messages(written_load(op), form, bits, device)


class _Form(NamedTuple):
    """The form of a vector in a row of blocks: the columns of a block, and whether rows are packed or transposed."""

    columns: int
    pack: int
    transposed: bool


@lru_cache(maxsize=256)
def _messages(
    written: BlockConfiguration, form: _Form, bits: int, device: XeDevice
) -> tuple[Message, ...]:
    # Blocks that were cut narrower than the lanes would otherwise be fetched in smaller pieces.
    least = min(form.columns, device.lanes)
    known = [
        configuration
        for access in _FORMS
        for configuration in device.messages(access, bits)
        if configuration.rows == written.rows
        and configuration.width == written.width
        and configuration.columns >= least
        and configuration != written
    ]
    found: list[Message] = []
    for configuration in (written, *known):
        try:
            layout = message_vector_layout(configuration, bits, **form._asdict())
        except LayoutError:
            continue
        held = Held(layout, register_word(configuration, element_bits=bits))
        found.append(Message(configuration, held))
    return tuple(found)


def written_load(op: LoadNdOp) -> BlockConfiguration:
    """Return the message with the form in which a load of a 2D block is written."""
    type = cast(TensorDescType, op.TensorDesc.type)
    rows, columns = type.shape
    packed = op.is_packed and (memory_bits(type.element_type) or 0) < REGISTER_BITS
    transposed = op.transpose is not None
    return BlockConfiguration(rows, columns, type.array_length, packed, transposed)


def store_message(op: StoreNdOp) -> Message | None:
    """Return the message of a store, or None if it does not store a two-dimensional block."""
    type = cast(TensorDescType, op.TensorDesc.type)
    bits = memory_bits(type.element_type)
    if bits is None or type.scattered or len(type.shape) != _BOX_RANK:
        return None
    rows, columns = type.shape
    configuration = BlockConfiguration(rows, columns, 1)
    try:
        layout = message_vector_layout(configuration, bits, columns=columns)
    except LayoutError:
        return None
    return Message(
        configuration, Held(layout, register_word(configuration, element_bits=bits))
    )


def product_operands(op: DpasOp, device: XeDevice) -> tuple[Held, ...]:
    """Return the layouts of A, B and the accumulator of a matrix instruction, and last that of the result.

    The result is empty if the device has no such instruction.
    """
    types = tuple(vector_type(value) for value in (op.lhs, op.rhs, op.result))
    multiplied = operand_types(op) or (types[0].element_type, types[1].element_type)
    return _product(*types, multiplied, has_accumulator=op.acc is not None, device=device)


@lru_cache(maxsize=256)
def _product(
    a: Vector,
    b: Vector,
    result: Vector,
    multiplied: tuple[Attribute, Attribute],
    *,
    has_accumulator: bool,
    device: XeDevice,
) -> tuple[Held, ...]:
    instruction = device.matrix_instruction(*multiplied, result.element_type)
    if instruction is None or a.get_num_dims() != _BOX_RANK:
        return ()
    rows = a.get_shape()[0]
    forms: list[tuple[Operand, Vector]] = [("a", a), ("b", b), ("c", result)]
    if has_accumulator:
        forms.append(("c", result))
    try:
        return tuple(
            _operand(operand, type.get_shape(), rows, instruction.ops_per_channel)
            for operand, type in forms
        )
    except LayoutError:
        return ()


def _operand(
    operand: Operand, extents: Sequence[int], rows: int, ops_per_channel: int
) -> Held:
    pack = extents[_BOX_RANK] if len(extents) > _BOX_RANK else 1
    layout = dpas_vector_layout(
        operand,
        (extents[0] * pack, extents[1]),
        repeat_count=rows,
        ops_per_channel=ops_per_channel,
        pack=pack,
    )
    return Held(layout, dpas_register_word(operand, ops_per_channel=ops_per_channel))
