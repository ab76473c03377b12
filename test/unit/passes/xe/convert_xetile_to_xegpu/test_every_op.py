"""What XeGPU and the vector dialect have of the ops on tiles: the bits of subgroup level, in IR that mlir-opt takes."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.on_device import Place
from support.spread import spread
from support.subgroup import (
    FLOAT_KINDS,
    FLOATS,
    INTEGER_KINDS,
    TYPES,
    Argument,
    Shape,
    fresh,
    kernel,
    memref,
    random,
    run,
    tile,
    turned,
    vector,
)

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

MATRIX = (96, 128)
LEVELS: tuple[LevelName, ...] = ("xegpu", "xevm")
SHAPES: tuple[Shape, ...] = ((32, 48), (48, 32), (80, 16))


def matrix(name: str, element: str) -> Argument:
    values = random(element, MATRIX, len(name))
    return Argument(name, memref(MATRIX, element), values, values)


def load(
    result: str, of: Argument, shape: Shape, element: str, rest: str = "", at: str = "8, 16"
) -> str:
    type = tile(shape, element)
    return f"""
    %t_{result} = xetile.init_tile %{of.name}[{at}] : {of.type} -> {type}
    %{result} = xetile.load_tile %t_{result}{rest} : {type} -> {vector(shape, element)}"""


def store(value: str, to: Argument, shape: Shape, element: str) -> str:
    type = tile(shape, element)
    return f"""
    %u_{value} = xetile.init_tile %{to.name}[0, 0] : {to.type} -> {type}
    xetile.store_tile %{value}, %u_{value} : {vector(shape, element)}, {type}"""


def check(body: str, arguments: Sequence[Argument], mlir_opt: Path) -> None:
    """Execute at subgroup level, then below: what was stored there is what is expected here."""
    text = kernel(body, arguments)
    arrays = [fresh(argument.before) for argument in arguments]
    execute(parse(text), "k", arrays)
    expected = [
        Argument(a.name, a.type, a.before, after)
        for a, after in zip(arguments, arrays, strict=True)
    ]
    assert any((a.before != a.after).any() for a in expected), "nothing was stored"
    for level in LEVELS:
        lowered = run(text, expected, lambda m, to=level: lower(context(), m, to, "bmg"))
        assert "xetile." not in str(lowered).replace("xetile.level", "")
        done = subprocess.run(
            [mlir_opt], input=str(lowered), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_transposes_and_other_blocks(element: str, shape: Shape, mlir_opt: Path) -> None:
    a, c = matrix("A", element), matrix("CC", element)
    other = turned(shape)
    step = f"""
    %r = xetile.tile_transpose %v, [1, 0] : {vector(shape, element)} -> {vector(other, element)}"""
    check(
        load("v", a, shape, element) + step + store("r", c, other, element), [a, c], mlir_opt
    )


KINDS = [(e, k) for e in TYPES for k in (FLOAT_KINDS if e in FLOATS else INTEGER_KINDS)]


@pytest.mark.parametrize("case, dimensions", spread(KINDS, [(0,), (1,), (0, 1)]), ids=str)
def test_reductions_and_broadcasts(
    case: tuple[str, str], dimensions: tuple[int, ...], mlir_opt: Path
) -> None:
    (element, kind), shape = case, (32, 48)
    narrow = tuple(1 if d in dimensions else n for d, n in enumerate(shape))
    a, c = matrix("A", element), matrix("CC", element)
    v, s = vector(shape, element), vector(narrow, element)
    check(
        load("v", a, shape, element)
        + f"""
    %s = xetile.tile_reduce <{kind}>, %v {list(dimensions)} : {v} -> {s}
    %r = xetile.tile_broadcast %s {list(dimensions)} : {s} -> {v}"""
        + store("r", c, shape, element),
        [a, c],
        mlir_opt,
    )


@pytest.mark.parametrize("element", TYPES)
def test_what_rearranges_nothing(element: str, mlir_opt: Path) -> None:
    """Each dimension stays where it is, and none is reduced or repeated."""
    shape = (32, 48)
    a, c = matrix("A", element), matrix("CC", element)
    v = vector(shape, element)
    check(
        load("v", a, shape, element)
        + f"""
    %t = xetile.tile_transpose %v, [0, 1] : {v} -> {v}
    %s = xetile.tile_reduce <add>, %t [] : {v} -> {v}
    %r = xetile.tile_broadcast %s [] : {v} -> {v}"""
        + store("r", c, shape, element),
        [a, c],
        mlir_opt,
    )


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("at", ["-3, -16", "80, 96", "8, 16", "%m, %n"])
def test_padding_that_is_not_zero(element: str, at: str, mlir_opt: Path) -> None:
    shape = (32, 48)
    a, c = matrix("A", element), matrix("CC", element)
    padding = "-1.5" if element in FLOATS else "-7"
    check(
        """
    %m = arith.constant -9 : index
    %n = arith.constant 100 : index"""
        + load("v", a, shape, element, f" {{padding = {padding}}}", at)
        + store("v", c, shape, element),
        [a, c],
        mlir_opt,
    )


@pytest.mark.parametrize("element", ["f16", "bf16", "i8"])
def test_operand_b_with_padding_is_not_packed(element: str, mlir_opt: Path) -> None:
    result = "i32" if element == "i8" else "f32"
    a, b, c = matrix("A", element), matrix("BB", element), matrix("CCC", result)
    padding = "2.0" if element in FLOATS else "2"
    check(
        load("a", a, (16, 64), element)
        + load("b", b, (64, 32), element, f" {{padding = {padding}}}", "64, 112")
        + f"""
    %d = xetile.tile_mma %a, %b : {vector((16, 64), element)}, {vector((64, 32), element)} -> {vector((16, 32), result)}"""
        + store("d", c, (16, 32), result),
        [a, b, c],
        mlir_opt,
    )


@pytest.mark.parametrize("element", TYPES)
def test_masks_and_scalars(element: str, mlir_opt: Path) -> None:
    shape = (32, 48)
    a, c = matrix("A", element), matrix("CC", element)
    v, bits = vector(shape, element), vector(shape, "i1")
    number = f"3.0 : {element}" if element in FLOATS else f"3 : {element}"
    check(
        load("v", a, shape, element)
        + f"""
    %h = arith.constant 19 : index
    %w = gpu.block_dim x
    %s = arith.constant {number}
    %b = vector.broadcast %s : {element} to {v}
    %known = vector.constant_mask [21, 47] : {bits}
    %m = vector.create_mask %h, %w : {bits}
    %x = arith.xori %m, %known : {bits}
    %r = arith.select %x, %v, %b : {bits}, {v}"""
        + store("r", c, shape, element),
        [a, c],
        mlir_opt,
    )


@pytest.mark.parametrize("element", TYPES)
def test_whole_vectors(element: str, mlir_opt: Path) -> None:
    """What works on a vector as a whole takes the blocks put together."""
    shape, other = (32, 64), (64, 32)
    a, c = matrix("A", element), matrix("C", element)
    check(
        load("v", a, shape, element)
        + f"""
    %r = vector.transpose %v, [1, 0] : {vector(shape, element)} to {vector(other, element)}"""
        + store("r", c, other, element),
        [a, c],
        mlir_opt,
    )


COLUMNS = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = xetile.init_tile %A[-8, 16] : SOURCE -> TILE
    %u = xetile.init_tile %C[8, 32] : SOURCE -> TILE
    xetile.prefetch_tile %t : TILE
    %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %t, %q = %u) -> (TILE, TILE) {
      %v = xetile.load_tile %p {padding = PADDING} : TILE -> VECTOR
      STEP
      xetile.store_tile %w, %q : VECTOR, TILE
      %pn = xetile.update_tile_offset %p, [16, 32] : TILE
      %qn = xetile.update_tile_offset %q, [32, -16] : TILE
      scf.yield %pn, %qn : TILE, TILE
    }"""


@pytest.mark.parametrize("element", TYPES)
def test_column_major_tiles_move_in_both_dimensions(element: str, mlir_opt: Path) -> None:
    """Loaded beyond the first row, where the padding is, and stored by columns."""
    shape = (32, 32)
    is_float = element in FLOATS
    body = COLUMNS.replace("PADDING", "2.5" if is_float else "3").replace(
        "STEP", f"%w = arith.{'addf' if is_float else 'addi'} %v, %v : VECTOR"
    )
    source = memref(MATRIX, element, f", strided<[1, {MATRIX[0]}]>")
    body = body.replace("VECTOR", vector(shape, element)).replace("SOURCE", source)
    body = body.replace("TILE", tile(shape, element, "order = [0, 1]"))
    # Columns of 96 i8 are a legal pitch; all types share the matrix.
    values = random(element, turned(MATRIX)).T
    a = Argument("A", source, values, values)
    c = Argument("C", source, values, values)
    check(body, [a, c], mlir_opt)


@pytest.mark.parametrize("element", ["f32", "i32"])
def test_column_major_loads_are_transposed_by_the_message(element: str, place: Place) -> None:
    """Down to XeVM, as the accumulator, in blocks that the store takes as they are."""
    shape = (32, 48)
    source = memref(MATRIX, element, f", strided<[1, {MATRIX[0]}]>")
    values = random(element, turned(MATRIX)).T
    a, c = Argument("A", source, values, values), matrix("C", element)
    after = c.before.copy()
    after[: shape[0], : shape[1]] = values[8 : 8 + shape[0], 16 : 16 + shape[1]]
    by_columns = tile(shape, element, "order = [0, 1]")
    text = kernel(
        f"""
    %t = xetile.init_tile %A[8, 16] : {source} -> {by_columns}
    %v = xetile.load_tile %t : {by_columns} -> {vector(shape, element)}"""
        + store("v", c, shape, element),
        [a, c],
    )
    expected = [a, Argument(c.name, c.type, c.before, after)]
    for device in ("pvc", "bmg", "cri"):
        module = run(
            text,
            expected,
            lambda m, device=device: lower(context(), m, "xevm", device),
            place=place,
            target=device,
        )
        loads = [op for op in module.walk() if op.name == "xevm.blockload2d"]
        assert len(loads) * 8 * 16 == shape[0] * shape[1]
        assert all("transpose = true" in str(op) for op in loads)
