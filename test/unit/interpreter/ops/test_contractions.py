"""vector.contract and vector.outerproduct against numpy's einsum, in every order of operands."""

from itertools import permutations

import numpy as np
import pytest

from xetile.api import parse
from xetile.errors import XetileError
from xetile.interpreter import execute

SIZES = {"b": 2, "m": 3, "n": 4, "k": 5}


def written(letters: str) -> str:
    return "x".join(str(SIZES[letter]) for letter in letters)


def map_of(letters: str) -> str:
    return f"affine_map<(b, m, n, k) -> ({', '.join(letters)})>"


def contracted(a: str, b: str, c: str, kind: str = "add") -> str:
    kinds = ", ".join('"reduction"' if one == "k" else '"parallel"' for one in SIZES)
    types = {
        name: f"vector<{written(one)}x{'f32' if name == 'c' else 'f16'}>"
        for name, one in (("a", a), ("b", b), ("c", c))
    }
    memrefs = {name: type.replace("vector", "memref") for name, type in types.items()}
    loads = "\n".join(
        f"  %{name} = vector.transfer_read %{name.upper()}[{', '.join(['%i'] * len(letters))}], %z{name} "
        f"{{in_bounds = [{', '.join(['true'] * len(letters))}]}} : {memrefs[name]}, {types[name]}"
        for name, letters in (("a", a), ("b", b), ("c", c))
    )
    return f"""gpu.module @k {{ gpu.func @f(%A: {memrefs["a"]}, %B: {memrefs["b"]}, %C: {memrefs["c"]}) kernel attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %i = arith.constant 0 : index
  %za = arith.constant 0.0 : f16
  %zb = arith.constant 0.0 : f16
  %zc = arith.constant 0.0 : f32
{loads}
  %d = vector.contract {{indexing_maps = [{map_of(a)}, {map_of(b)}, {map_of(c)}], iterator_types = [{kinds}], kind = #vector.kind<{kind}>}} %a, %b, %c : {types["a"]}, {types["b"]} into {types["c"]}
  vector.transfer_write %d, %C[{", ".join(["%i"] * len(c))}] {{in_bounds = [{", ".join(["true"] * len(c))}]}} : {types["c"]}, {memrefs["c"]}
  gpu.return
}} }}"""


def test_every_order_of_the_operands() -> None:
    generator = np.random.default_rng(0)
    for a in permutations("bmk"):
        for b in list(permutations("bnk"))[::2]:
            for c in list(permutations("bmn"))[::3]:
                names = ["".join(one) for one in (a, b, c)]
                shapes = [[SIZES[letter] for letter in one] for one in names]
                x, y = (
                    generator.integers(-4, 5, shape).astype(np.float16) for shape in shapes[:2]
                )
                z = generator.integers(-4, 5, shapes[2]).astype(np.float32)
                expected = z + np.einsum(f"{names[0]},{names[1]}->{names[2]}", x, y)
                execute(parse(contracted(*names)), None, [x, y, z])
                assert (z == expected).all(), names


def test_other_kinds_are_refused() -> None:
    x = np.zeros((2, 3, 5), np.float16)
    with pytest.raises(XetileError, match="cannot execute kind 'maxnumf' of a contraction"):
        others = np.zeros((2, 4, 5), np.float16), np.zeros((2, 3, 4), np.float32)
        execute(parse(contracted("bmk", "bnk", "bmn", "maxnumf")), None, [x, *others])
