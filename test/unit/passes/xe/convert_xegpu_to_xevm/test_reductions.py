"""Reductions of level X on registers and lanes: the page's bits on numpy and on the device, in IR that mlir-opt takes."""

import subprocess
from pathlib import Path

import numpy
import pytest
from support.on_device import Place
from support.reductions import FLOAT_KINDS, INTEGER_KINDS, reduced, special, telling
from support.subgroup import NUMPY, Array, same
from xdsl.dialects.builtin import ModuleOp

from xetile.api import lower, parse, text
from xetile.levels import LevelName

WIDTH = 64
"""Columns of the matrices, of which surfaces ask for 64 bytes."""

FORMS = ("rows", "columns", "both")


def start_of(element: str) -> str:
    return "3" if element.startswith("i") else "1.5"


def kernel(element: str, kinds: tuple[str, ...], shape: tuple[int, int]) -> str:
    """Every kind along each dimension and both, with an accumulator, spread again."""
    height, width = shape
    v, whole = f"vector<{height}x{width}x{element}>", f"memref<{height}x{WIDTH}x{element}>"
    tile = f"!xegpu.tensor_desc<{height}x{width}x{element}>"
    outs, body = list[str](), ""
    for kind in kinds:
        ends = ((f"{height}", 1, f"{height}x1"), (f"{width}", 0, f"1x{width}"))
        for form, (kept, dimension, narrow) in zip(FORMS, ends, strict=False):
            name = f"{kind}_{form}"
            outs.append(f"%{name}: {whole}")
            body += f"""
      %s_{name} = vector.multi_reduction <{kind}>, %v, %start{dimension} [{dimension}] : {v} to vector<{kept}x{element}>
      %t_{name} = vector.shape_cast %s_{name} : vector<{kept}x{element}> to vector<{narrow}x{element}>
      %b_{name} = vector.broadcast %t_{name} : vector<{narrow}x{element}> to {v}
      %d_{name} = xegpu.create_nd_tdesc %{name} : {whole} -> {tile}
      xegpu.store_nd %b_{name}, %d_{name}[%c0, %c0] : {v}, {tile}"""
        outs.append(f"%{kind}_both: {whole}")
        body += f"""
      %s_{kind} = vector.multi_reduction <{kind}>, %v, %start [0, 1] : {v} to {element}
      %b_{kind} = vector.broadcast %s_{kind} : {element} to {v}
      %d_{kind} = xegpu.create_nd_tdesc %{kind}_both : {whole} -> {tile}
      xegpu.store_nd %b_{kind}, %d_{kind}[%c0, %c0] : {v}, {tile}"""
    return function(body, outs, element, shape)


def in_lanes(element: str, kinds: tuple[str, ...], shape: tuple[int, int]) -> str:
    """Every kind of each row, stored as one row: lane l stores that of row l."""
    height, width = shape
    v, whole = f"vector<{height}x{width}x{element}>", f"memref<{height}x{WIDTH}x{element}>"
    line = f"!xegpu.tensor_desc<1x{height}x{element}>"
    body = "".join(
        f"""
      %s_{kind} = vector.multi_reduction <{kind}>, %v, %start1 [1] : {v} to vector<{height}x{element}>
      %r_{kind} = vector.shape_cast %s_{kind} : vector<{height}x{element}> to vector<1x{height}x{element}>
      %l_{kind} = xegpu.create_nd_tdesc %{kind} : {whole} -> {line}
      xegpu.store_nd %r_{kind}, %l_{kind}[%c0, %c0] : vector<1x{height}x{element}>, {line}"""
        for kind in kinds
    )
    return function(body, [f"%{kind}: {whole}" for kind in kinds], element, shape)


def function(body: str, outs: list[str], element: str, shape: tuple[int, int]) -> str:
    height, width = shape
    v, whole = f"vector<{height}x{width}x{element}>", f"memref<{height}x{WIDTH}x{element}>"
    tile = f"!xegpu.tensor_desc<{height}x{width}x{element}>"
    start = start_of(element)
    return f"""
    gpu.module @m {{
      gpu.func @k(%A: {whole}, {", ".join(outs)}) kernel
          attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %start0 = arith.constant dense<{start}> : vector<{width}x{element}>
      %start1 = arith.constant dense<{start}> : vector<{height}x{element}>
      %start = arith.constant {start} : {element}
      %a = xegpu.create_nd_tdesc %A : {whole} -> {tile}
      %v = xegpu.load_nd %a[%c0, %c0] : {tile} -> {v}
      {body}
      gpu.return
      }}
    }}"""


def accumulated(kind: str, values: Array, start: float) -> Array:
    return reduced(kind, numpy.stack([values, numpy.full_like(values, start)]), [0])[0]


def expected(kind: str, values: Array, form: str) -> Array:
    start = 3 if values.dtype.kind == "i" else 1.5
    dimensions = {"rows": [1], "columns": [0], "both": [0, 1], "in_lanes": [1]}[form]
    result = accumulated(kind, reduced(kind, values, dimensions), start)
    return result.T if form == "in_lanes" else numpy.broadcast_to(result, values.shape)


def check(
    module: ModuleOp,
    place: Place,
    kinds: tuple[str, ...],
    forms: tuple[str, ...],
    values: Array,
) -> None:
    height, width = values.shape
    matrix = numpy.zeros((height, WIDTH), values.dtype)
    matrix[:, :width] = values
    outs = [numpy.zeros_like(matrix) for _ in kinds for _ in forms]
    place.execute(module, "k", [matrix, *outs])
    found = iter(outs)
    for kind in kinds:
        for form in forms:
            wanted = numpy.ascontiguousarray(expected(kind, values, form))
            rows, columns = wanted.shape
            got = numpy.ascontiguousarray(next(found)[:rows, :columns])
            assert same(got, wanted), f"{kind} {form}:\n{got}\nnot\n{wanted}"


INTEGERS = ("i32", "i16", "i8")
CASES = [
    (element, INTEGER_KINDS if element in INTEGERS else FLOAT_KINDS)
    for element in ("f32", "f16", "bf16", *INTEGERS)
]


@pytest.mark.parametrize("spreads", [True, False], ids=["spread", "in_lanes"])
@pytest.mark.parametrize(("element", "kinds"), CASES, ids=[case[0] for case in CASES])
def test_every_kind_and_form(
    place: Place, element: str, kinds: tuple[str, ...], spreads: bool, mlir_opt: Path
) -> None:
    shape = (8, 16) if spreads else (16, 16)
    forms = FORMS if spreads else ("in_lanes",)
    written = parse((kernel if spreads else in_lanes)(element, kinds, shape))
    below = lower(written, to="xevm", device="bmg")
    done = subprocess.run(
        [mlir_opt], input=text(below), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    data = [telling("add", NUMPY[element], shape)]
    if element not in INTEGERS:
        data.append(special(NUMPY[element], shape))
    levels: list[LevelName | None] = [None, "xevm"]
    for level in place.levels(levels):
        for values in data:
            check(written if level is None else below, place, kinds, forms, values)
