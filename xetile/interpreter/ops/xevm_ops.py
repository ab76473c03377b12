"""The XeVM dialect: one lane's registers, gathered into matrices through linear layouts and back."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from xdsl.dialects.builtin import FloatTF32Type as TF32
from xdsl.dialects.builtin import IntegerType, Signedness, bf16, f16, f32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.lanes import Axis
from xetile.dialects.operand_types import operand_types
from xetile.dialects.xevm import MMAShapeAttr, MMATypesAttr
from xetile.errors import fail
from xetile.interpreter.common.scalars import nothing
from xetile.interpreter.common.threads import by_axis, check_lanes, lane_id, subgroup_id
from xetile.interpreter.machine.elements import Element, element_of
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import attribute, element, integer, number, shape_of
from xetile.interpreter.machine.runtime_values import Array, Surface, Tile, Values, uniform
from xetile.interpreter.ops.xegpu_ops import check_block_access
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.intel.dpas_layouts import dpas_operand_layout
from xetile.layout.intel.message_layouts import block_load_layout
from xetile.targets.xe.dpas import DEPTH

_TYPES: Mapping[str, Attribute] = {
    "f16": f16,
    "bf16": bf16,
    "f32": f32,
    "tf32": TF32(),
    "s8": IntegerType(8),
    "u8": IntegerType(8, Signedness.UNSIGNED),
    "s32": IntegerType(32),
}
"""The types of operands by their names in xevm.mma."""


class _Places(NamedTuple):
    """The positions of lanes' registers in a matrix, in both directions, as flat numbers.

    Attributes:
        elements: [lanes, registers], the element of each register.
        registers: [elements], the lane and register (flat) of each element.
    """

    elements: Array
    registers: Array


def _places(layout: LinearLayout) -> _Places:
    """Tabulate a layout (register, lane) -> out-dims, row-major over the out-dims."""
    count = layout.in_dim_size("register")
    lanes = layout.in_dim_size("lane")
    inputs = {"register": np.arange(count)[None, :], "lane": np.arange(lanes)[:, None]}
    # The layout works on any array that has `>> & ^`; its type says numbers.
    images = cast("Mapping[str, Array]", layout.apply(cast("Mapping[str, int]", inputs)))
    flat = np.zeros((lanes, count), np.int64)
    for name, extent in layout.out_dims.items():
        flat = flat * extent + images[name]
    registers = np.empty(layout.total_out_dim_size, np.int64)
    # If several lanes have an element, the lowest one is read.
    registers[flat.reshape(-1)[::-1]] = np.arange(lanes * count)[::-1]
    return _Places(flat, registers)


def _by_subgroup(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """Return an integer that is uniform in a subgroup: [subgroups or 1]."""
    found = number(frame, value)
    if len(found) == 1:
        return found
    rows = found.reshape(-1, frame.threads.subgroup_size)
    if (rows != rows[:, :1]).any():
        row = rows[(rows != rows[:, :1]).any(axis=1)][0]
        other = next(n for n in row.tolist() if n != row[0])
        fail(
            op,
            f"lanes of one subgroup give {int(row[0])} and {other} for the same operand; "
            f"'{op.name}' needs one value",
        )
    return rows[:, 0]


class _Message(NamedTuple):
    """A 2D block message: its tile, the extents of a block, number of blocks, the element as bits."""

    tile: Tile
    rows: int
    columns: int
    blocks: int
    of: Element


def _message(frame: Frame, op: Operation) -> _Message:
    check_lanes(frame, op)
    base, width, height, pitch, x, y = (
        _by_subgroup(frame, op, value) for value in op.operands[:6]
    )
    bits = integer(op, "elem_size_in_bits")
    of, size = element_of(IntegerType(bits), op), bits // 8
    check_block_access(op, base=base, width=width, height=height, pitch=pitch, column=x * size)
    surface = Surface(base, (height, width // size), (pitch // size, uniform(1)))
    rows, columns = integer(op, "tile_height"), integer(op, "tile_width")
    return _Message(Tile(surface, (y, x)), rows, columns, integer(op, "v_blocks", 1), of)


def _message_places(frame: Frame, op: Operation, message: _Message) -> _Places:
    def make() -> LinearLayout:
        layout = block_load_layout(
            rows=message.rows,
            columns=message.columns,
            blocks=message.blocks,
            element_bits=message.of.bits,
            packed=integer(op, "pack_register", 0) != 0,
            transposed=integer(op, "transpose", 0) != 0,
        )
        return layout.transpose_outs(["row", "block", "column"])

    return _kept_places(frame, op, op, make)


def _kept_places(
    frame: Frame, op: Operation, key: object, make: Callable[[], LinearLayout]
) -> _Places:
    def places() -> _Places:
        try:
            return _places(make())
        except LayoutError as error:
            fail(op, str(error))

    return frame.machine.keep(key, places)


def _block_load(frame: Frame, op: Operation) -> Values:
    message = _message(frame, op)
    places = _message_places(frame, op, message)
    shape = (message.rows, message.columns * message.blocks)
    threads = frame.active[:: frame.threads.subgroup_size]
    values = frame.read_tile(op, message.tile, shape, message.of, threads=threads)
    return [_registers(frame, op, values, message.of, places)]


def _registers(
    frame: Frame, op: Operation, values: Array, before: Element, places: _Places
) -> Array:
    """Return matrices [subgroups or 1, ...] as registers of all lanes, [lanes, registers of the result]."""
    held = np.take(values.reshape(len(values), -1), places.elements, axis=1)
    rows = held.reshape(-1, places.elements.shape[1])
    words = frame.domain.reinterpreted(op, rows, before, element(op.results[0]))
    lanes = frame.threads.subgroup_size
    if len(values) * lanes == frame.count:
        return words
    return np.tile(words, (frame.count // lanes, 1))


def _matrices(
    frame: Frame,
    op: Operation,
    value: SSAValue,
    places: _Places,
    of: Element,
    shape: Sequence[int],
) -> Array:
    """Return registers of all lanes as matrices: [subgroups or 1, *shape]."""
    lanes = places.elements.shape[0]
    words = frame.domain.reinterpreted(op, frame.array(value), element(value), of)
    if len(words) == 1:
        words = np.broadcast_to(words, (lanes, words.shape[1]))
    flat = words.reshape(-1, lanes * words.shape[1])
    matrices = np.take(flat, places.registers, axis=1).reshape(-1, *shape)
    return frame.domain.operand(matrices, of)


def _block_store(frame: Frame, op: Operation) -> Values:
    message = _message(frame, op)
    places = _message_places(frame, op, message)
    shape = (message.rows, message.columns * message.blocks)
    value = op.operands[6]
    _check_registers(op, "the stored value", value, places, message.of)
    matrices = _matrices(frame, op, value, places, message.of, shape)
    threads = frame.active[:: frame.threads.subgroup_size]
    frame.write_tile(op, message.tile, shape, message.of, matrices, threads=threads)
    return []


def _row_addresses(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """Return addresses of each lane's registers in a message of rows of consecutive lanes: [lanes, registers]."""
    check_lanes(frame, op)
    lanes = frame.threads.subgroup_size
    base = np.resize(_by_subgroup(frame, op, op.operands[0]), frame.count // lanes)
    count = shape_of(value)[0] if shape_of(value) else 1
    lane = frame.threads.lane(frame.active, op)[:, None]
    elements = lane + np.arange(count) * lanes
    return np.repeat(base, lanes)[:, None] + elements * element(value).size


def _row_load(frame: Frame, op: Operation) -> Values:
    (result,) = op.results
    values = frame.read(op, _row_addresses(frame, op, result), element(result))
    return [values.reshape(-1, *shape_of(result))]


def _row_store(frame: Frame, op: Operation) -> Values:
    value = op.operands[1]
    addresses, values = _row_addresses(frame, op, value), frame.array(value)
    frame.write(op, addresses, element(value), values.reshape(len(values), -1))
    return []


def _check_registers(
    op: Operation, name: str, value: SSAValue, places: _Places, of: Element
) -> None:
    found = shape_of(value)[0] * element(value).size // of.size
    expected = places.elements.shape[1]
    if found != expected:
        fail(op, f"{name} holds {found} elements per lane; the layout needs {expected}")


def _block_prefetch(frame: Frame, op: Operation) -> Values:
    _message(frame, op)
    return []


def _operand_places(
    frame: Frame, op: Operation, operand: str, shape: tuple[int, int]
) -> _Places:
    m, _, k = _sizes(op)

    def make() -> LinearLayout:
        layout = dpas_operand_layout(
            operand, shape, repeat_count=m, ops_per_channel=k // DEPTH
        )
        return layout.transpose_outs(["dim0", "dim1"])

    return _kept_places(frame, op, (operand, m, k, shape), make)


def _sizes(op: Operation) -> tuple[int, int, int]:
    shape = attribute(op, "shape")
    assert isinstance(shape, MMAShapeAttr)
    return shape.sizes


def _operand_types(op: Operation) -> Mapping[str, Element]:
    types = attribute(op, "types")
    assert isinstance(types, MMATypesAttr)
    for name in types.names.values():
        if name not in _TYPES:
            fail(op, f"cannot execute 'xevm.mma' on elements of {name}")
    known = {operand: _TYPES[name] for operand, name in types.names.items()}
    known |= zip("ab", operand_types(op) or (), strict=False)
    return {operand: element_of(type, op) for operand, type in known.items()}


def _mma(frame: Frame, op: Operation) -> Values:
    check_lanes(frame, op)
    m, n, k = _sizes(op)
    types = _operand_types(op)
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n)}
    matrices: list[Array] = []
    for operand, value in zip("abc", op.operands, strict=False):
        places = _operand_places(frame, op, operand, shapes[operand])
        of = types.get(operand, types["d"])
        _check_registers(op, f"operand {operand}", value, places, of)
        matrices.append(_matrices(frame, op, value, places, of, shapes[operand]))
    a, b, *accumulator = matrices
    product = frame.domain.product(a, b, accumulator[0] if accumulator else None, types["d"])
    places = _operand_places(frame, op, "c", (m, n))
    return [_registers(frame, op, product, types["d"], places)]


def _axis(op: Operation) -> Axis:
    return cast(Axis, op.name[-1])


def _subgroup_size(frame: Frame, op: Operation) -> Values:
    return [np.array([frame.threads.subgroup_size], np.int32)]


_ASKED = {
    "local_id": "thread_id",
    "local_size": "block_dim",
    "group_id": "block_id",
    "group_count": "grid_dim",
}


HANDLERS: Handlers = {
    "xevm.blockload": _row_load,
    "xevm.blockstore": _row_store,
    "xevm.blockload2d": _block_load,
    "xevm.blockstore2d": _block_store,
    "xevm.blockprefetch2d": _block_prefetch,
    "xevm.prefetch": nothing,
    "xevm.memfence": nothing,
    "xevm.mma": _mma,
    "xevm.lane_id": lane_id,
    "xevm.subgroup_id": subgroup_id,
    "xevm.subgroup_size": _subgroup_size,
    **{
        f"xevm.{name}.{axis}": by_axis(asked, _axis)
        for name, asked in _ASKED.items()
        for axis in "xyz"
    },
}
