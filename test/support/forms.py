"""Many small programs of level X as one kernel, so that a device builds one program for all of them.

Each makes `%r` of the block `%v`, 8 rows of 16 elements, and may use `%n`, which is 3, `%s`, which is 1.5, `%twice` of it,
and the indices `%c0` to `%c3`, `%c5` and `%c8`. Each stands in a region of its own, with a load of its own.
"""

from collections.abc import Mapping

import numpy
from support.on_device import Place
from support.subgroup import NUMPY, Array

from xetile.api import lower, parse
from xetile.interpreter import execute

ROWS, COLUMNS, WIDTH = 8, 16, 64
"""Of a block, and the columns of the matrices, of which surfaces ask for 64 bytes."""

_INDICES = (0, 1, 2, 3, 5, 8)


def kernel(forms: Mapping[str, str], element: str = "f32") -> str:
    """Each form stores its block below that of the form before."""
    source, target = (
        f"memref<{rows}x{WIDTH}x{element}>" for rows in (2 * ROWS, len(forms) * ROWS)
    )
    tile, v = (f"{ROWS}x{COLUMNS}x{element}" for _ in range(2))
    indices = "\n".join(f"  %c{n} = arith.constant {n} : index" for n in _INDICES)
    regions = "".join(
        f"""
  scf.if %always {{
  %v = xegpu.load_nd %source[%c0, %c0] : !xegpu.tensor_desc<{tile}> -> vector<{v}>
{body}
  %below = arith.constant {number * ROWS} : index
  xegpu.store_nd %r, %target[%below, %c0] : vector<{v}>, !xegpu.tensor_desc<{tile}>
  }}"""
        for number, body in enumerate(forms.values())
    )
    return f"""
gpu.module @forms {{
gpu.func @k(%A: {source}, %C: {target}, %n: index, %s: f32) kernel
    attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
{indices}
  %always = arith.cmpi ugt, %n, %c0 : index
  %twice = arith.addf %s, %s : f32
  %source = xegpu.create_nd_tdesc %A : {source} -> !xegpu.tensor_desc<{tile}>
  %target = xegpu.create_nd_tdesc %C : {target} -> !xegpu.tensor_desc<{tile}>{regions}
  gpu.return
}}
}}"""


def different(forms: Mapping[str, str], place: Place, element: str = "f32") -> list[str]:
    """The forms whose results differ between the subgroup and its lanes."""
    written = parse(kernel(forms, element))
    below = lower(written, to="xevm", device="bmg")
    source = numpy.zeros((2 * ROWS, WIDTH), NUMPY[element])
    random = numpy.random.default_rng(0)
    source[:] = (
        random.integers(-100, 100, source.shape)
        if element[0] == "i"
        else random.standard_normal(source.shape)
    )
    before, after = (numpy.zeros((len(forms) * ROWS, WIDTH), NUMPY[element]) for _ in "ba")
    execute(written, "k", [source.copy(), before, 3, 1.5])
    place.execute(below, "k", [source.copy(), after, 3, 1.5])
    assert all(any(block.tobytes()) for block in _blocks(before))
    return [
        name
        for name, wanted, found in zip(forms, _blocks(before), _blocks(after), strict=True)
        if found.tobytes() != wanted.tobytes()
    ]


def _blocks(matrix: Array) -> Array:
    """What each form stored: [forms, rows, columns]."""
    return matrix[:, :COLUMNS].reshape(-1, ROWS, COLUMNS)
