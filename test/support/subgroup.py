"""Kernels that one subgroup runs, written as text, with what they shall do to their arguments.

`check` runs a kernel as it is written, through the blocking, and through all steps to blocked level.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import ml_dtypes
import numpy
from numpy.typing import NDArray
from support.on_device import ON_NUMPY, Place
from xdsl.dialects.builtin import ModuleOp, VectorType

from xetile.dialects.modules import context, parse
from xetile.dialects.xetile import TileUnpackOp
from xetile.passes.pipelines import lower
from xetile.passes.xe.xetile_blocking import XeTileBlocking

Array = NDArray[Any]
Shape = tuple[int, int]

TYPES: dict[str, Any] = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": numpy.float32,
    "i8": numpy.int8,
    "i32": numpy.int32,
}
NUMPY: dict[str, Any] = {
    **TYPES,
    "i1": numpy.bool,
    "index": numpy.int64,
    "tf32": numpy.float32,
    "f64": numpy.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i16": numpy.int16,
    "i64": numpy.int64,
    "si8": numpy.int8,
    "ui8": numpy.uint8,
}
FLOATS = ("f16", "bf16", "f32")
INTEGERS = ("i8", "i32")
FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
SHAPES: tuple[Shape, ...] = ((16, 32), (24, 19), (1, 56), (90, 1))
"""Of whole messages, of a prime width, of one row, of one column."""

LAYOUTS: dict[Shape, Shape] = {
    (16, 32): (2, 2),
    (24, 19): (3, 1),
    (1, 56): (1, 7),
    (90, 1): (5, 1),
}
"""How many subgroups share each of these tiles: rows, columns."""


def turned(shape: Shape) -> Shape:
    """Rows and columns exchanged."""
    return shape[1], shape[0]


class Argument(NamedTuple):
    """A kernel's argument: its name, the type that is written, its contents before and after."""

    name: str
    type: str
    before: Array
    after: Array


def tile(shape: Sequence[int], element: str, attributes: str = "") -> str:
    end = f", #xetile.tile_attr<{attributes}>" if attributes else ""
    return f"!xetile.tile<{'x'.join(map(str, shape))}x{element}{end}>"


def vector(shape: Sequence[int], element: str) -> str:
    return f"vector<{'x'.join(map(str, shape))}x{element}>"


def memref(shape: Sequence[int], element: str, layout: str = "") -> str:
    return f"memref<{'x'.join(map(str, shape))}x{element}{layout}>"


def given(name: str, values: Array, element: str) -> Argument:
    return Argument(name, memref(values.shape, element), values, values)


def made(name: str, values: Array, element: str) -> Argument:
    return Argument(name, memref(values.shape, element), numpy.zeros_like(values), values)


def load(
    result: str, argument: Argument, shape: Shape, element: str, top: int = 0, left: int = 0
) -> str:
    return f"""
    %t_{result} = xetile.init_tile %{argument.name}[{top}, {left}] : {argument.type} -> {tile(shape, element)}
    %{result} = xetile.load_tile %t_{result} : {tile(shape, element)} -> {vector(shape, element)}"""


def store(value: str, argument: Argument, shape: Shape, element: str) -> str:
    return f"""
    %to_{value} = xetile.init_tile %{argument.name}[0, 0] : {argument.type} -> {tile(shape, element)}
    xetile.store_tile %{value}, %to_{value} : {vector(shape, element)}, {tile(shape, element)}"""


def same(left: Array, right: Array) -> bool:
    """Equal bits, where any NaN is as good as another."""
    if left.dtype.kind not in "fV":
        return numpy.array_equal(left, right)
    nan = left != left
    return bool(
        numpy.array_equal(nan, right != right)
        and numpy.where(nan, 0, left).tobytes() == numpy.where(nan, 0, right).tobytes()
    )


def fresh(array: Array) -> Array:
    """A copy with the same strides."""
    if array.base is None or array.flags.f_contiguous:
        return array.copy(order="K")
    return numpy.ndarray(array.shape, array.dtype, array.base.copy(), strides=array.strides)


def run(
    text: str,
    arguments: Sequence[Argument],
    *passes: Callable[[ModuleOp], None],
    place: Place = ON_NUMPY,
    target: str = "bmg",
) -> ModuleOp:
    """Execute a kernel, lowered by passes, and compare what is in its arguments afterwards."""
    module = parse(text)
    for apply in passes:
        apply(module)
    module.verify()
    arrays = [fresh(argument.before) for argument in arguments]
    place.execute(module, "k", arrays, target=target)
    for argument, found in zip(arguments, arrays, strict=True):
        assert same(found, argument.after), f"{argument.name}:\n{found}\nnot\n{argument.after}"
    return module


def blocking(module: ModuleOp) -> None:
    XeTileBlocking("bmg").apply(context(), module)


def pipeline(module: ModuleOp) -> None:
    lower(context(), module, "blocked", "bmg")


def distribution(module: ModuleOp) -> None:
    lower(context(), module, "subgroup", None)


TILE = re.compile(r"!xetile\.tile<(\d+)x(\d+)x(\w+)(?:, #xetile\.tile_attr<([^>]*)>)?>")


def distributed(body: str, layouts: Mapping[Shape, Shape]) -> str:
    """The kernel for a workgroup: each tile is cut in equal parts for subgroups in rows and columns."""

    def add_map(found: re.Match[str]) -> str:
        rows, columns, element, attributes = found.groups()
        shape = (int(rows), int(columns))
        layout = layouts[shape]
        data = [max(1, extent // count) for extent, count in zip(shape, layout, strict=True)]
        wg_map = f"wg_map = <sg_layout = {list(layout)}, sg_data = {data}>"
        return tile(shape, element, f"{wg_map}, {attributes}" if attributes else wg_map)

    return TILE.sub(add_map, body)


def kernel(body: str, arguments: Sequence[Argument], subgroups: int = 1) -> str:
    parameters = ", ".join(f"%{a.name}: {a.type}" for a in arguments)
    return f"""
    gpu.module @m {{ gpu.func @k({parameters}) kernel attributes {{known_block_size = array<i32: {16 * subgroups}, 1, 1>,
        known_grid_size = array<i32: 1, 1, 1>}} {{{body}
      gpu.return
    }} }}"""


def check(
    body: str, *arguments: Argument, layouts: Mapping[Shape, Shape] | None = None
) -> None:
    """Run a kernel as it is written, through the blocking alone, and through the steps to blocked level.

    With a layout of subgroups for each shape of a tile, the kernel is also run at workgroup level and below.
    """
    text = kernel(body, arguments)
    run(text, arguments)
    assert_blocked(run(text, arguments, pipeline))
    module = run(text, arguments, blocking)
    assert_blocked(module)
    blocks = str(module)
    blocking(module)
    assert str(module) == blocks, "what has blocks is changed by blocking"
    if layouts is None:
        return
    (subgroups,) = {rows * columns for rows, columns in layouts.values()}
    text = kernel(distributed(body, layouts), arguments, subgroups)
    run(text, arguments)
    run(text, arguments, distribution)
    assert_blocked(run(text, arguments, pipeline))


WHOLE = (
    "xetile.init_tile",
    "xetile.update_tile_offset",
    "xetile.tile_pack",
    "xetile.tile_unpack",
)


def assert_blocked(module: ModuleOp) -> None:
    """The dialect's ops are on 4D vectors, and no pack undoes an unpack."""
    for op in module.walk():
        types = [value.type for value in (*op.operands, *op.results)]
        if op.name.startswith("xetile.") and op.name not in WHOLE:
            assert not any(
                isinstance(t, VectorType) and t.get_num_dims() == 2 for t in types
            ), op
        if op.name == "xetile.tile_pack":
            source = op.operands[0].owner
            if isinstance(source, TileUnpackOp):
                assert source.source.type != op.results[0].type, op


def random(element: str, shape: Sequence[int], seed: int = 0) -> Array:
    """Numbers of both signs; integers of the whole range."""
    generator = numpy.random.default_rng([seed, *shape])
    if element == "i1":
        return generator.integers(0, 2, shape).astype(numpy.bool)
    if element in ("i8", "i32"):
        info = numpy.iinfo(NUMPY[element])
        return generator.integers(info.min, info.max + 1, shape).astype(NUMPY[element])
    if element == "index":
        return generator.integers(-(2**40), 2**40, shape)
    return (generator.standard_normal(shape) * 4).astype(NUMPY[element])


def small(element: str, shape: Sequence[int], seed: int = 0) -> Array:
    """Integers whose products and sums are exact."""
    return (
        numpy.random.default_rng([seed, *shape]).integers(-3, 4, shape).astype(NUMPY[element])
    )


def window(matrix: Array, top: int, left: int, shape: Shape, padding: Any = 0) -> Array:
    values = numpy.full(shape, padding, matrix.dtype)
    for i, j in product(range(shape[0]), range(shape[1])):
        if 0 <= top + i < matrix.shape[0] and 0 <= left + j < matrix.shape[1]:
            values[i, j] = matrix[top + i, left + j]
    return values


def written(matrix: Array, top: int, left: int, values: Array) -> Array:
    matrix = matrix.copy()
    for i, j in product(range(values.shape[0]), range(values.shape[1])):
        if 0 <= top + i < matrix.shape[0] and 0 <= left + j < matrix.shape[1]:
            matrix[top + i, left + j] = values[i, j]
    return matrix
