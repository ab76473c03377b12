"""Every op of the dialects that stand around tiles is executed here and held against numpy or Python, or refused."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from support.on_device import Place
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xetile.api import emit, parse_text
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.interpreter.machine.runtime_values import Array
from xetile.runtime.open_device import Device

DIALECTS = (
    "arith",
    "math",
    "vector",
    "scf",
    "memref",
    "gpu",
    "index",
    "affine",
    "cf",
    "ub",
    "func",
)

X = np.array([1.5, -2.25, 0.0, -0.0, np.nan, 3.0, 0.75, -0.5], np.float32)
Y = np.array([0.5, -2.25, -0.0, 0.0, 1.0, np.nan, 2.0, 4.0], np.float32)
P = np.array([0.5, 0.6, 0.25, 0.125, 0.75, 0.9, 0.0625, 0.3], np.float32)
I = np.array([7, -7, 0, 1 << 30, -(1 << 31), 5, -1, 100], np.int32)
J = np.array([2, 2, 5, 4, 3, -3, 1, 7], np.int32)
M = np.arange(32, dtype=np.float32).reshape(4, 8) - 11

KERNEL = """
memref.global "private" constant @table : memref<4xi32> = dense<[3, 1, 4, 1]>
func.func private @declared(i32)
gpu.module @m {
  memref.global "private" constant @table : memref<4xi32> = dense<[3, 1, 4, 1]>
  func.func @twice(%a: vector<8xf32>) -> vector<8xf32> {
    %s = arith.addf %a, %a : vector<8xf32>
    func.return %s : vector<8xf32>
  }
  gpu.func @k(%mx: memref<8xf32>, %my: memref<8xf32>, %mp: memref<8xf32>, %mi: memref<8xi32>, %mj: memref<8xi32>,
      %m: memref<4x8xf32>, %out: memref<OUT>) kernel
      attributes {known_block_size = array<i32: BLOCK, 1, 1>, known_grid_size = array<i32: 1, 1, 1>,
                  xetile.level = "LEVEL"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %x = vector.load %mx[%c0] : memref<8xf32>, vector<8xf32>
    %y = vector.load %my[%c0] : memref<8xf32>, vector<8xf32>
    %p = vector.load %mp[%c0] : memref<8xf32>, vector<8xf32>
    %i = vector.load %mi[%c0] : memref<8xi32>, vector<8xi32>
    %j = vector.load %mj[%c0] : memref<8xi32>, vector<8xi32>
    %v = vector.load %m[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
    %f = memref.load %mx[%c0] : memref<8xf32>
    %n = memref.load %mi[%c0] : memref<8xi32>
    BODY
    STORE
    gpu.return
  }
}
"""

F, N, W = "vector<8xf32>", "vector<8xi32>", "vector<4x8xf32>"
DTYPES = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64, "i32": np.int32,
    "i8": np.int8, "i16": np.int16, "i64": np.int64, "index": np.int64, "i1": np.bool,
}  # fmt: skip


class Example(NamedTuple):
    """Ops that define %r, its type, and what it has to be."""

    body: str
    type: str
    expected: object
    level: str = "subgroup"


def text_of(body: str, type: str, level: str, stored: str = "%r", block: int = 32) -> str:
    shape, element = shape_and_element(type)
    zeros = ", ".join(["%c0"] * max(1, len(shape)))
    extents = "x".join(map(str, shape or (1,)))
    store = f"vector.store {stored}, %out[{zeros}] : memref<{extents}x{element}>, {type}"
    if not shape:
        store = f"memref.store {stored}, %out[%c0] : memref<1x{element}>"
    if level == "lane":
        extents, block = "16", 16
        store = f"%id = gpu.lane_id\nmemref.store {stored}, %out[%id] : memref<16x{element}>"
    text = KERNEL.replace("OUT", f"{extents}x{element}").replace("BLOCK", str(block))
    return text.replace("LEVEL", level).replace("BODY", body).replace("STORE", store)


def shape_and_element(type: str) -> tuple[tuple[int, ...], str]:
    if not type.startswith("vector<"):
        return (), type
    *extents, element = type[len("vector<") : -1].split("x")
    if type.endswith("xindex>"):
        *extents, element = type[len("vector<") : -len("xindex>")].split("x") + ["index"]
    return tuple(map(int, extents)), element


def launch(module: ModuleOp, type: str, level: str) -> Array:
    shape, element = shape_and_element(type)
    out = np.zeros((16,) if level == "lane" else shape or (1,), DTYPES[element])
    given = [array.copy() for array in (X, Y, P, I, J, M)]
    execute(module, "k", [*given, out], sanitize=True)
    return out


def by_element(function: Callable[[float], float], values: Array) -> Array:
    """Python's function of each element, rounded once."""
    return np.array([function(float(x)) for x in values]).astype(np.float32)


def by_pair(function: Callable[[float, float], float], left: Array, right: Array) -> Array:
    """Python's function of each pair of elements, rounded once."""
    pairs = zip(left, right, strict=True)
    return np.array([function(float(x), float(y)) for x, y in pairs]).astype(np.float32)


def wrapped(values: Sequence[int], bits: int = 32) -> list[int]:
    return [((v + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1) for v in values]


def integers(function: Callable[[int, int], int], y: Array = J) -> list[int]:
    return wrapped([function(int(a), int(b)) for a, b in zip(I, y, strict=True)])


def bits_of(value: int) -> int:
    return value & 0xFFFFFFFF


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def smaller(a: float, b: float, *, number: bool) -> float:
    if math.isnan(a) or math.isnan(b):
        return (b if math.isnan(a) else a) if number else math.nan
    return a if (a, math.copysign(1, a)) < (b, math.copysign(1, b)) else b


INTEGER_MODELS: Mapping[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "minsi": min,
    "maxsi": max,
    "minui": lambda a, b: min(a, b, key=bits_of),
    "maxui": lambda a, b: max(a, b, key=bits_of),
    "divsi": truncated,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "remsi": lambda a, b: a - b * truncated(a, b),
    "divui": lambda a, b: bits_of(a) // bits_of(b),
    "ceildivui": lambda a, b: -(-bits_of(a) // bits_of(b)),
    "remui": lambda a, b: bits_of(a) % bits_of(b),
}
SHIFTS: Mapping[str, Callable[[int, int], int]] = {
    "shli": lambda a, b: a << b,
    "shrsi": lambda a, b: a >> b,
    "shrui": lambda a, b: bits_of(a) >> b,
}
INDEX_NAMES = {
    "add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori", "mins": "minsi", "maxs": "maxsi",
    "divs": "divsi", "floordivs": "floordivsi", "ceildivs": "ceildivsi", "rems": "remsi", "divu": "divui",
    "ceildivu": "ceildivui", "remu": "remui", "minu": "minui", "maxu": "maxui", "shl": "shli", "shrs": "shrsi", "shru": "shrui",
}  # fmt: skip
WIDE: Mapping[str, Callable[[int, int], int]] = {
    "divui": lambda a, b: (a & (1 << 64) - 1) // b,
    "ceildivui": lambda a, b: -(-(a & (1 << 64) - 1) // b),
    "remui": lambda a, b: (a & (1 << 64) - 1) % b,
    "maxui": lambda a, b: a if a < 0 else max(a, b),
    "minui": lambda a, b: b if a < 0 else min(a, b),
    "shrui": lambda a, b: (a & (1 << 64) - 1) >> b,
}
FLOAT_MODELS: Mapping[str, Callable[[float, float], float]] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "minimumf": lambda a, b: smaller(a, b, number=False),
    "maximumf": lambda a, b: -smaller(-a, -b, number=False),
    "minnumf": lambda a, b: smaller(a, b, number=True),
    "maxnumf": lambda a, b: -smaller(-a, -b, number=True),
}
MATH_MODELS: Mapping[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "exp", "exp2", "expm1",
        "floor", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    )},
    "absf": abs,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "round": lambda x: math.floor(x + 0.5),
    "roundeven": round,
}  # fmt: skip

EXAMPLES: dict[str, Example] = {}


def example(
    name: str, body: str, type: str, expected: object, level: str = "subgroup"
) -> None:
    assert name not in EXAMPLES
    EXAMPLES[name] = Example(body, type, expected, level)


for _name, _model in INTEGER_MODELS.items():
    example(f"arith.{_name}", f"%r = arith.{_name} %i, %j : {N}", N, integers(_model))
_AMOUNTS = np.array([0, 1, 31, 4, 5, 30, 2, 3], np.int32)
for _name, _model in SHIFTS.items():
    _shown = ", ".join(map(str, _AMOUNTS))
    example(
        f"arith.{_name}",
        f"%by = arith.constant dense<[{_shown}]> : {N}\n%r = arith.{_name} %i, %by : {N}",
        N,
        integers(_model, _AMOUNTS),
    )
for _name, _arith in INDEX_NAMES.items():
    _wide = {**INTEGER_MODELS, **SHIFTS, **WIDE}[_arith]
    example(
        f"index.{_name}",
        f"%a = index.constant -37\n%b = index.constant 5\n%r = index.{_name} %a, %b",
        "index",
        wrapped([_wide(-37, 5)], 64),
    )
for _name, _float in FLOAT_MODELS.items():
    example(f"arith.{_name}", f"%r = arith.{_name} %x, %y : {F}", F, by_pair(_float, X, Y))
with np.errstate(all="ignore"):
    example("arith.divf", f"%r = arith.divf %x, %y : {F}", F, X / Y)
    example("arith.remf", f"%r = arith.remf %x, %p : {F}", F, by_pair(math.fmod, X, P))
for _name, _function in MATH_MODELS.items():
    _argument = P + np.float32(1) if _name == "acosh" else P
    _operand = "%q" if _name == "acosh" else "%p"
    example(
        f"math.{_name}",
        f"%one = arith.constant dense<1.0> : {F}\n%q = arith.addf %p, %one : {F}\n%r = math.{_name} {_operand} : {F}",
        F,
        by_element(_function, _argument),
    )

_COMPARED = [float(a) < float(b) for a, b in zip(X, Y, strict=True)]
# fmt: off
example('arith.constant', '%r = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, -1]> : vector<8xi8>', 'vector<8xi8>', [1, 2, 3, 4, 5, 6, 7, -1])
example('arith.negf', f'%r = arith.negf %x : {F}', F, -X)
example('arith.cmpi', f'%r = arith.cmpi slt, %i, %j : {N}', 'vector<8xi1>', I < J)
example('arith.cmpf', f'%r = arith.cmpf olt, %x, %y : {F}', 'vector<8xi1>', _COMPARED)
example('arith.select', f'%is = arith.cmpf olt, %x, %y : {F}\n%r = arith.select %is, %x, %y : vector<8xi1>, {F}', F, np.where(_COMPARED, X, Y))
example('arith.extsi', f'%r = arith.extsi %i : {N} to vector<8xi64>', 'vector<8xi64>', I.astype(np.int64))
example('arith.extui', f'%r = arith.extui %i : {N} to vector<8xi64>', 'vector<8xi64>', [bits_of(int(n)) for n in I])
example('arith.trunci', f'%r = arith.trunci %i : {N} to vector<8xi8>', 'vector<8xi8>', wrapped([int(n) for n in I], 8))
example('arith.index_cast', f'%r = arith.index_cast %i : {N} to vector<8xindex>', 'vector<8xindex>', I.astype(np.int64))
example('arith.index_castui', f'%r = arith.index_castui %i : {N} to vector<8xindex>', 'vector<8xindex>', [bits_of(int(n)) for n in I])
example('arith.extf', f'%r = arith.extf %x : {F} to vector<8xf64>', 'vector<8xf64>', X.astype(np.float64))
example('arith.truncf', f'%r = arith.truncf %p : {F} to vector<8xbf16>', 'vector<8xbf16>', P.astype(ml_dtypes.bfloat16))
example('arith.sitofp', f'%r = arith.sitofp %i : {N} to {F}', F, I.astype(np.float32))
example('arith.uitofp', f'%r = arith.uitofp %i : {N} to {F}', F, [np.float32(bits_of(int(n))) for n in I])
example('arith.fptosi', f'%r = arith.fptosi %x : {F} to vector<8xi16>', 'vector<8xi16>', [1, -2, 0, 0, 0, 3, 0, 0])
example('arith.fptoui', f'%r = arith.fptoui %x : {F} to vector<8xi16>', 'vector<8xi16>', [1, 0, 0, 0, 0, 3, 0, 0])
example('arith.bitcast', f'%r = arith.bitcast %x : {F} to {N}', N, X.view(np.int32))
example('arith.addui_extended', f'%s, %r = arith.addui_extended %i, %i : {N}, vector<8xi1>', 'vector<8xi1>', I < 0)
example('arith.mulsi_extended', f'%l, %r = arith.mulsi_extended %i, %j : {N}', N, [int(a) * int(b) >> 32 for a, b in zip(I, J, strict=True)])
example('arith.mului_extended', f'%l, %r = arith.mului_extended %i, %j : {N}', N, wrapped([bits_of(int(a)) * bits_of(int(b)) >> 32 for a, b in zip(I, J, strict=True)]))
example('math.absi', f'%r = math.absi %j : {N}', N, np.abs(J))
example('math.atan2', f'%r = math.atan2 %x, %y : {F}', F, by_pair(math.atan2, X, Y))
example('math.copysign', f'%r = math.copysign %p, %x : {F}', F, by_pair(math.copysign, P, X))
example('math.ctlz', f'%r = math.ctlz %i : {N}', N, [32 - bits_of(int(n)).bit_length() for n in I])
example('math.ctpop', f'%r = math.ctpop %i : {N}', N, [bits_of(int(n)).bit_count() for n in I])
example('math.cttz', f'%r = math.cttz %j : {N}', N, [1, 1, 0, 2, 0, 0, 0, 0])
example('math.fma', f'%r = math.fma %p, %p, %p : {F}', F, by_element(lambda a: a * a + a, P))
example('math.fpowi', f'%r = math.fpowi %p, %j : {F}, {N}', F, by_pair(lambda a, b: a ** b, P, J))
example('math.ipowi', f'%r = math.ipowi %i, %j : {N}', N, wrapped([int(a) ** int(b) if b >= 0 else {1: 1, -1: -1}.get(int(a), 0) for a, b in zip(I, J, strict=True)]))
example('math.powf', f'%r = math.powf %p, %p : {F}', F, by_element(lambda a: a ** a, P))
example('index.cmp', '%a = index.constant -1\n%b = index.constant 1\n%r = index.cmp ult(%a, %b)', 'i1', [False])
example('index.casts', '%r = index.casts %n : i32 to index', 'index', [7])
example('index.castu', '%a = index.constant -1\n%b = index.castu %a : index to i32\n%r = index.castu %b : i32 to index', 'index', [4294967295])
example('index.constant', '%r = index.constant -42', 'index', [-42])
example('index.bool.constant', '%r = index.bool.constant true', 'i1', [True])
example('index.sizeof', '%r = index.sizeof', 'index', [64])
example('vector.bitcast', f'%r = vector.bitcast %x : {F} to vector<16xi16>', 'vector<16xi16>', X.view(np.int16))
example('vector.broadcast', f'%r = vector.broadcast %x : {F} to {W}', W, np.tile(X, (4, 1)))
example('vector.constant_mask', '%r = vector.constant_mask [2, 3] : vector<4x8xi1>', 'vector<4x8xi1>', (np.arange(4)[:, None] < 2) & (np.arange(8) < 3))
example('vector.create_mask', '%r = vector.create_mask %c3, %c1 : vector<4x8xi1>', 'vector<4x8xi1>', (np.arange(4)[:, None] < 3) & (np.arange(8) < 1))
example('vector.extract', f'%r = vector.extract %v[2] : {F} from {W}', F, M[2])
example('vector.extract_strided_slice', f'%r = vector.extract_strided_slice %v {{offsets = [1, 2], sizes = [2, 4], strides = [1, 1]}} : {W} to vector<2x4xf32>', 'vector<2x4xf32>', M[1:3, 2:6])
example('vector.fma', f'%r = vector.fma %p, %p, %p : {F}', F, by_element(lambda a: a * a + a, P))
example('vector.from_elements', '%r = vector.from_elements %n, %n, %n : vector<3xi32>', 'vector<3xi32>', [7, 7, 7])
example('vector.gather', '%at = arith.constant dense<[3, 0, 9, 2]> : vector<4xindex>\n%on = arith.constant dense<[true, true, false, true]> : vector<4xi1>\n%z = arith.constant dense<5.0> : vector<4xf32>\n%r = vector.gather %mp[%c1] [%at], %on, %z : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>', 'vector<4xf32>', [P[4], P[1], 5, P[3]])
example('vector.insert', f'%r = vector.insert %x, %v[1] : {F} into {W}', W, np.concatenate([M[:1], X[None], M[2:]]))
example('vector.insert_strided_slice', f'%r = vector.insert_strided_slice %x, %v {{offsets = [3, 0], strides = [1]}} : {F} into {W}', W, np.concatenate([M[:3], X[None]]))
example('vector.load', f'%r = vector.load %m[%c2, %c0] : memref<4x8xf32>, {F}', F, M[2])
example('vector.store', f'gpu.barrier\nvector.store %x, %m[%c1, %c0] : memref<4x8xf32>, {F}\ngpu.barrier\n%r = vector.load %m[%c0, %c0] : memref<4x8xf32>, {W}', W, np.concatenate([M[:1], X[None], M[2:]]))
example('vector.maskedload', f'%on = vector.create_mask %c3 : vector<8xi1>\n%r = vector.maskedload %m[%c1, %c0], %on, %x : memref<4x8xf32>, vector<8xi1>, {F} into {F}', F, np.where(np.arange(8) < 3, M[1], X))
example('vector.maskedstore', f'%on = vector.create_mask %c3 : vector<8xi1>\ngpu.barrier\nvector.maskedstore %m[%c1, %c0], %on, %p : memref<4x8xf32>, vector<8xi1>, {F}\ngpu.barrier\n%r = vector.load %m[%c1, %c0] : memref<4x8xf32>, {F}', F, np.where(np.arange(8) < 3, P, M[1]))
example('vector.contract', f'%z = arith.constant dense<0.0> : vector<4x4xf32>\n%r = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}} %v, %v, %z : {W}, {W} into vector<4x4xf32>', 'vector<4x4xf32>', sum((np.outer(column, column) for column in M.T), np.zeros((4, 4), np.float32)))
example('vector.outerproduct', f'%r = vector.outerproduct %x, %p : {F}, {F}', 'vector<8x8xf32>', np.outer(X, P))
example('vector.mask', f'%z = arith.constant 0.0 : f32\n%k = vector.create_mask %c3 : vector<8xi1>\n%r = vector.mask %k {{ vector.reduction <add>, %p, %z : {F} into f32 }} : vector<8xi1> -> f32', 'f32', sum(P[:3]))
example('vector.multi_reduction', f'%r = vector.multi_reduction <maximumf>, %v, %p [0] : {W} to {F}', F, np.maximum(M.max(axis=0), P))
example('vector.print', f'%r = arith.constant 1 : i32\n"vector.print"(%j) : ({N}) -> ()', 'i32', [1])
example('vector.reduction', f'%r = vector.reduction <add>, %j, %n : {N} into i32', 'i32', [int(J.sum()) + 7])
example('vector.scatter', f'%at = arith.constant dense<[7, 6, 5, 4, 3, 2, 1, 0]> : vector<8xindex>\n%on = vector.create_mask %c4 : vector<8xi1>\ngpu.barrier\nvector.scatter %mx[%c0] [%at], %on, %p : memref<8xf32>, vector<8xindex>, vector<8xi1>, {F}\ngpu.barrier\n%r = vector.load %mx[%c0] : memref<8xf32>, {F}', F, [*X[:4], *P[3::-1]])
example('vector.shape_cast', f'%r = vector.shape_cast %v : {W} to vector<2x2x8xf32>', 'vector<2x2x8xf32>', M.reshape(2, 2, 8))
example('vector.shuffle', f'%r = vector.shuffle %x, %y [0, 9, 2, 11] : {F}, {F}', 'vector<4xf32>', [X[0], Y[1], X[2], Y[3]])
example('vector.step', '%r = vector.step : vector<8xindex>', 'vector<8xindex>', np.arange(8))
example('vector.to_elements', f'%e:8 = vector.to_elements %j : {N}\n%r = arith.addi %e#0, %e#5 : i32', 'i32', [-1])
example('vector.transfer_read', f'%r = vector.transfer_read %m[%c3, %c4], %f {{permutation_map = affine_map<(d0, d1) -> (d1)>}} : memref<4x8xf32>, {F}', F, [*M[3, 4:], *[X[0]] * 4])
example('vector.transfer_write', f'gpu.barrier\nvector.transfer_write %p, %m[%c2, %c4] : {F}, memref<4x8xf32>\ngpu.barrier\n%r = vector.load %m[%c2, %c0] : memref<4x8xf32>, {F}', F, [*M[2, :4], *P[:4]])
example('vector.transpose', f'%r = vector.transpose %v, [1, 0] : {W} to vector<8x4xf32>', 'vector<8x4xf32>', M.T)
example('scf.for', '%r = scf.for %k = %c1 to %c8 step %c3 iter_args(%s = %c2) -> (index) {\n%t = arith.addi %s, %k : index\nscf.yield %t : index\n}', 'index', [2 + 1 + 4 + 7])
example('scf.if', '%is = arith.cmpi sgt, %n, %n : i32\n%r = scf.if %is -> (index) {\nscf.yield %c1 : index\n} else {\nscf.yield %c4 : index\n}', 'index', [4])
example('scf.while', '%r = scf.while (%a = %c1) : (index) -> (index) {\n%is = arith.cmpi slt, %a, %c8 : index\nscf.condition(%is) %a : index\n} do {\n^bb0(%a: index):\n%b = arith.muli %a, %c3 : index\nscf.yield %b : index\n}', 'index', [9])
example('scf.execute_region', '%r = scf.execute_region -> (index) {\ncf.br ^b\n^b:\nscf.yield %c3 : index\n}', 'index', [3])
example('scf.index_switch', '%r = scf.index_switch %c2 -> index\ncase 1 {\nscf.yield %c0 : index\n}\ncase 2 {\nscf.yield %c8 : index\n}\ndefault {\nscf.yield %c1 : index\n}', 'index', [8])
example('scf.parallel', '%r = "scf.parallel"(%c0, %c4, %c1, %c1) ({\n^bb0(%k: index):\nscf.reduce(%k : index) {\n^bb0(%a: index, %b: index):\n%s = arith.addi %a, %b : index\nscf.reduce.return %s : index\n}\n}) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (index, index, index, index) -> index', 'index', [7])
# fmt: on

_BUFFER = "%b = memref.alloca() : memref<8xf32>\nvector.store %x, %b[%c0] : memref<8xf32>, vector<8xf32>\n"
# fmt: off
example('memref.alloc', '%b = memref.alloc() : memref<8xf32, 3>\nvector.store %x, %b[%c0] : memref<8xf32, 3>, vector<8xf32>\ngpu.barrier\n%r = vector.load %b[%c0] : memref<8xf32, 3>, vector<8xf32>\nmemref.dealloc %b : memref<8xf32, 3>', F, X)
example('memref.alloca', f'{_BUFFER}%r = vector.load %b[%c0] : memref<8xf32>, {F}', F, X)
example('memref.alloca_scope', '%r = "memref.alloca_scope"() ({\n%b = memref.alloca() : memref<1xindex>\nmemref.store %c3, %b[%c0] : memref<1xindex>\n%l = memref.load %b[%c0] : memref<1xindex>\n"memref.alloca_scope.return"(%l) : (index) -> ()\n}) : () -> index', 'index', [3])
example('memref.assume_alignment', f'%b = "memref.assume_alignment"(%mx) <{{alignment = 16 : i32}}> : (memref<8xf32>) -> memref<8xf32>\n%r = vector.load %b[%c0] : memref<8xf32>, {F}', F, X)
example('memref.atomic_rmw', 'gpu.barrier\n%o = memref.atomic_rmw addi %n, %mj[%c1] : (i32, memref<8xi32>) -> i32\ngpu.barrier\n%a = memref.load %mj[%c1] : memref<8xi32>\n%d = arith.subi %a, %o : i32\n%r = arith.minsi %d, %n : i32', 'i32', [7])
example('memref.cast', f'%b = memref.cast %mx : memref<8xf32> to memref<?xf32>\n%r = vector.load %b[%c0] : memref<?xf32>, {F}', F, X)
example('memref.collapse_shape', '%b = memref.collapse_shape %m [[0, 1]] : memref<4x8xf32> into memref<32xf32>\n%r = vector.load %b[%c8] : memref<32xf32>, vector<8xf32>', F, M[1])
example('memref.expand_shape', '%b = memref.expand_shape %mx [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>\n%r = vector.load %b[%c1, %c0] : memref<2x4xf32>, vector<4xf32>', 'vector<4xf32>', X[4:])
example('memref.copy', f'gpu.barrier\nmemref.copy %mp, %mx : memref<8xf32> to memref<8xf32>\ngpu.barrier\n%r = vector.load %mx[%c0] : memref<8xf32>, {F}', F, P)
example('memref.dim', '%r = memref.dim %m, %c1 : memref<4x8xf32>', 'index', [8])
example('memref.extract_aligned_pointer_as_index', '%a = memref.extract_aligned_pointer_as_index %mx : memref<8xf32> -> index\n%b = arith.constant 64 : index\n%r = arith.remui %a, %b : index', 'index', [0])
example('memref.extract_strided_metadata', '%b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<4x8xf32> -> memref<f32>, index, index, index, index, index\n%r = arith.addi %s#0, %t#0 : index', 'index', [12])
example('memref.get_global', '%g = memref.get_global @table : memref<4xi32>\n%r = vector.load %g[%c0] : memref<4xi32>, vector<4xi32>', 'vector<4xi32>', [3, 1, 4, 1])
example('memref.load', '%r = memref.load %m[%c3, %c2] : memref<4x8xf32>', 'f32', [M[3, 2]])
example('memref.store', 'gpu.barrier\nmemref.store %f, %m[%c3, %c2] : memref<4x8xf32>\ngpu.barrier\n%r = memref.load %m[%c3, %c2] : memref<4x8xf32>', 'f32', [X[0]])
example('memref.memory_space_cast', f'%b = memref.memory_space_cast %mx : memref<8xf32> to memref<8xf32, 1>\n%r = vector.load %b[%c0] : memref<8xf32, 1>, {F}', F, X)
example('memref.rank', '%r = memref.rank %m : memref<4x8xf32>', 'index', [2])
example('memref.reinterpret_cast', '%b = memref.reinterpret_cast %m to offset: [8], sizes: [3, 2], strides: [8, 1] : memref<4x8xf32> to memref<3x2xf32, strided<[8, 1], offset: 8>>\n%r = memref.load %b[%c2, %c1] : memref<3x2xf32, strided<[8, 1], offset: 8>>', 'f32', [M[3, 1]])
example('memref.subview', '%b = memref.subview %m[1, 2] [2, 3] [2, 1] : memref<4x8xf32> to memref<2x3xf32, strided<[16, 1], offset: 10>>\n%r = memref.load %b[%c1, %c2] : memref<2x3xf32, strided<[16, 1], offset: 10>>', 'f32', [M[3, 4]])
example('memref.transpose', '%b = memref.transpose %m (a, b) -> (b, a) : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>\n%r = memref.load %b[%c4, %c3] : memref<8x4xf32, strided<[1, 8]>>', 'f32', [M[3, 4]])
example('memref.view', '%b = memref.alloca() : memref<64xi8>\n%w = memref.view %b[%c8][] : memref<64xi8> to memref<4xi32>\nmemref.store %n, %w[%c1] : memref<4xi32>\n%c12 = arith.constant 12 : index\n%l = memref.load %b[%c12] : memref<64xi8>\n%r = arith.extui %l : i8 to i32', 'i32', [7])
example('affine.apply', '%r = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 floordiv 2)> (%c3)[%c4]', 'index', [11])
example('affine.for', '%r = affine.for %k = 1 to %c8 step 3 iter_args(%s = %c2) -> (index) {\n%t = arith.addi %s, %k : index\naffine.yield %t : index\n}', 'index', [14])
example('affine.if', '%r = "affine.if"(%c3) ({\naffine.yield %c1 : index\n}, {\naffine.yield %c0 : index\n}) {condition = affine_set<(d0) : (d0 - 2 >= 0)>} : (index) -> index', 'index', [1])
example('affine.load', '%r = affine.load %m[%c1 + 1, %c2 * 2] : memref<4x8xf32>', 'f32', [M[2, 4]])
example('affine.store', 'gpu.barrier\naffine.store %f, %m[%c1 + 1, %c2 * 2] : memref<4x8xf32>\ngpu.barrier\n%r = memref.load %m[%c2, %c4] : memref<4x8xf32>', 'f32', [X[0]])
example('affine.min', '%r = affine.min affine_map<(d0) -> (d0 * 2, 5)> (%c4)', 'index', [5])
example('affine.max', '%r = affine.max affine_map<(d0)[s0] -> (d0 * 2, s0 - 1, 5)> (%c4)[%c3]', 'index', [8])
example('affine.parallel', '%r = "affine.parallel"(%c0) ({\n^bb0(%k: index):\naffine.yield %k : index\n}) {reductions = ["addi"], lowerBoundsMap = affine_map<() -> (1)>, lowerBoundsGroups = dense<1> : vector<1xi32>, upperBoundsMap = affine_map<() -> (5)>, upperBoundsGroups = dense<1> : vector<1xi32>, steps = [1 : i64]} : (index) -> index', 'index', [10])
example('affine.vector_load', f'%r = affine.vector_load %m[%c1 + 1, 0] : memref<4x8xf32>, {F}', F, M[2])
example('affine.vector_store', f'gpu.barrier\naffine.vector_store %x, %m[%c1 + 1, 0] : memref<4x8xf32>, {F}\ngpu.barrier\n%r = vector.load %m[%c2, %c0] : memref<4x8xf32>, {F}', F, X)
example('cf.assert', '%r = arith.constant true\ncf.assert %r, "never"', 'i1', [True])
example('cf.cond_br', '%is = arith.cmpi sgt, %n, %n : i32\ncf.cond_br %is, ^a, ^b\n^a:\ncf.br ^c(%c1 : index)\n^b:\ncf.br ^c(%c2 : index)\n^c(%r: index):', 'index', [2])
example('cf.switch', 'cf.switch %n : i32, [default: ^c(%c0 : index), 7: ^c(%c8 : index)]\n^c(%r: index):', 'index', [8])
example('ub.poison', '%a = ub.poison : index\n%r = arith.muli %a, %c0 : index', 'index', [0])
example('func.call', f'%r = func.call @twice(%p) : ({F}) -> {F}', F, P + P)
# fmt: on

_LANES = np.arange(16)
_IDS: Mapping[str, object] = {
    "block_dim": [16] * 16, "block_id": [0] * 16, "cluster_block_id": [0] * 16, "cluster_dim": [1] * 16, "cluster_dim_blocks": [1] * 16,
    "cluster_id": [0] * 16, "global_id": _LANES, "grid_dim": [1] * 16, "thread_id": _LANES,
}  # fmt: skip
for _name, _ids in _IDS.items():
    example(f"gpu.{_name}", f"%r = gpu.{_name} x", "index", _ids, "lane")
for _name, _number in {"num_subgroups": 1, "subgroup_id": 0, "subgroup_size": 16}.items():
    example(f"gpu.{_name}", f"%r = gpu.{_name} : index", "index", [_number] * 16, "lane")
_LANE = "%lane = gpu.lane_id\n%l = arith.index_cast %lane : index to i32\n%w = arith.constant 16 : i32\n%o = arith.constant 3 : i32\n"
# fmt: off
example('gpu.lane_id', '%r = gpu.lane_id', 'index', _LANES, 'lane')
example('gpu.all_reduce', f'{_LANE}%r = gpu.all_reduce add %l {{\n}} : (i32) -> i32', 'i32', [120] * 16, 'lane')
example('gpu.yield', f'{_LANE}%r = gpu.all_reduce %l {{\n^bb0(%a: i32, %b: i32):\n%d = arith.subi %a, %b : i32\ngpu.yield %d : i32\n}} : (i32) -> i32', 'i32', [-120] * 16, 'lane')
example('gpu.subgroup_reduce', f'{_LANE}%r = gpu.subgroup_reduce maxsi %l cluster(size = 4) : (i32) -> i32', 'i32', _LANES // 4 * 4 + 3, 'lane')
example('gpu.subgroup_broadcast', f'{_LANE}%r = gpu.subgroup_broadcast %l, specific_lane %o : i32', 'i32', [3] * 16, 'lane')
example('gpu.shuffle', f'{_LANE}%r, %is = gpu.shuffle xor %l, %o, %w : i32', 'i32', _LANES ^ 3, 'lane')
example('gpu.rotate', f'{_LANE}%r, %is = gpu.rotate %l, 3, 16 : i32', 'i32', (_LANES + 3) % 16, 'lane')
example('gpu.printf', 'gpu.printf "%d", %n : i32\n%r = arith.constant 1 : i32', 'i32', [1])
# fmt: on

REFUSED: Mapping[str, tuple[str, str]] = {
    "gpu.alloc": ("%a = gpu.alloc() : memref<4xf32>", "it is for the host"),
    "gpu.dealloc": ("gpu.dealloc %mx : memref<8xf32>", "it is for the host"),
    "gpu.host_register": ("%u = memref.cast %mx : memref<8xf32> to memref<*xf32>\ngpu.host_register %u : memref<*xf32>", "it is for the host|memref"),
    "gpu.host_unregister": ("%u = memref.cast %mx : memref<8xf32> to memref<*xf32>\ngpu.host_unregister %u : memref<*xf32>", "it is for the host|memref"),
    "gpu.launch": ("gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %g = %c1) threads(%h, %k, %l) in (%q = %c1, %s = %c1, %t = %c1) {\ngpu.terminator\n}", "it is for the host"),
    "gpu.memcpy": ("gpu.memcpy %mx, %mp : memref<8xf32>, memref<8xf32>", "it is for the host"),
    "gpu.memset": ("gpu.memset %mx, %f : memref<8xf32>, f32", "it is for the host"),
    "gpu.set_default_device": ("gpu.set_default_device %n", "it is for the host"),
    "gpu.wait": ("gpu.wait", "it is for the host"),
    "gpu.dynamic_shared_memory": ("%s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>", "the launch does not say how much memory"),
    "ub.unreachable": ("scf.execute_region {\nub.unreachable\n}", "is reached"),
}  # fmt: skip
"""Ops that are refused inside of a kernel: host code, what needs a launch from the host, what must not be reached."""

STRUCTURE = {
    "gpu.launch_func": "host code: test/unit/interpreter/host",
    "gpu.binary": "compiled device code, which stands beside kernels",
    "gpu.terminator": "the end of gpu.launch, which is host code",
    "vector.extractelement": "reading it makes a vector.extract",
    "vector.insertelement": "reading it makes a vector.insert",
    "vector.splat": "reading it makes a vector.broadcast",
    "memref.dma_start": "no Xe device copies so; refused by name",
    "memref.dma_wait": "no Xe device copies so; refused by name",
}
"""Ops that cannot stand in a kernel that is executed, and why."""


@cache
def shared_context() -> Context:
    return context()


@cache
def module_of(name: str, level: str) -> ModuleOp:
    found = EXAMPLES[name]
    return parse_text(text_of(found.body, found.type, level), f"{name}.mlir", shared_context())


def test_every_registered_op_is_here():
    registered = {op.name for d in DIALECTS for op in context().get_dialect(d).operations}
    executed = {
        op.name for name, e in EXAMPLES.items() for op in module_of(name, e.level).walk()
    }
    accounted = executed | REFUSED.keys() | STRUCTURE.keys()
    assert registered - accounted == set()
    assert set(EXAMPLES) <= executed
    assert not executed & (REFUSED.keys() | STRUCTURE.keys())


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_executes(name: str):
    found = EXAMPLES[name]
    levels = ("lane",) if found.level == "lane" else ("subgroup", "workgroup")
    for level in levels:
        result = launch(module_of(name, level), found.type, level)
        np.testing.assert_array_equal(result, np.asarray(found.expected).reshape(result.shape))
        if result.dtype.kind == "f":
            expected = np.asarray(found.expected, result.dtype).reshape(result.shape)
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(
                np.signbit(result[numbers]), np.signbit(expected[numbers])
            )


SCALAR = [name for name, found in EXAMPLES.items() if not found.type.startswith("vector")]
LOWERED = (
    "affine.apply",
    "affine.max",
    "affine.min",
    "cf.assert",
    "cf.cond_br",
    "gpu.block_dim",
    "gpu.block_id",
    "gpu.global_id",
    "gpu.grid_dim",
    "gpu.lane_id",
    "gpu.num_subgroups",
    "gpu.printf",
    "gpu.shuffle",
    "gpu.subgroup_id",
    "gpu.subgroup_size",
    "gpu.thread_id",
    "index.add",
    "index.and",
    "index.bool.constant",
    "index.casts",
    "index.castu",
    "index.ceildivs",
    "index.ceildivu",
    "index.cmp",
    "index.constant",
    "index.divs",
    "index.divu",
    "index.floordivs",
    "index.maxs",
    "index.maxu",
    "index.mins",
    "index.minu",
    "index.mul",
    "index.or",
    "index.rems",
    "index.remu",
    "index.shl",
    "index.shrs",
    "index.shru",
    "index.sizeof",
    "index.sub",
    "index.xor",
    "memref.dim",
    "memref.extract_aligned_pointer_as_index",
    "memref.extract_strided_metadata",
    "memref.load",
    "memref.rank",
    "memref.reinterpret_cast",
    "memref.store",
    "memref.subview",
    "memref.transpose",
    "memref.view",
    "scf.execute_region",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "scf.while",
    "ub.poison",
    "vector.to_elements",
)
"""Those that level L has lowerings for."""

ELSEWHERE = ("cf.switch",)
"""And those that a device executes in test_lane_kernels.py, since they leave no straight block for the others."""


BY_TYPE = {type: [name for name in LOWERED if EXAMPLES[name].type == type] for type in DTYPES}
"""Examples of one type share a program, which a device builds once."""


def together(names: Sequence[str], element: str) -> str:
    """Each example in a region of its own; lanes note its result in a row."""
    body = "%id = gpu.lane_id\n"
    for row, name in enumerate(names):
        noted = f"""
            %row = arith.constant {16 * row} : index
            %place = arith.addi %row, %id : index
            memref.store %r, %out[%place] : memref<{16 * len(names)}x{element}>"""
        region = f"{EXAMPLES[name].body}{noted}\nscf.yield"
        body += f"scf.execute_region {{\n{region}\n}}\n"
    text = KERNEL.replace("OUT", f"{16 * len(names)}x{element}").replace("BLOCK", "16")
    return text.replace("LEVEL", "lane").replace("BODY", body).replace("STORE", "")


@pytest.mark.opencl
@pytest.mark.parametrize("element", [type for type, names in BY_TYPE.items() if names])
def test_in_one_lanes_code_they_are_executed_on_a_device(element: str, opencl_cpu: Device):
    names = BY_TYPE[element]
    module = parse_text(together(names, element), "together.mlir", shared_context())
    found = np.zeros(16 * len(names), DTYPES[element])
    given = [array.copy() for array in (X, Y, P, I, J, M)]
    Place(opencl_cpu).execute(module, "k", [*given, found])
    for name, noted in zip(names, found.reshape(-1, 16), strict=True):
        np.testing.assert_array_equal(
            noted, launch(module_of(name, "lane"), element, "lane"), name
        )


@pytest.mark.parametrize(
    "name", [name for name in SCALAR if name not in (*LOWERED, *ELSEWHERE)]
)
def test_in_one_lanes_code_it_is_refused(name: str) -> None:
    with pytest.raises(
        XetileError,
        match=r"has no lowering to LLVM IR|clusters of lanes has no function",
    ):
        emit(module_of(name, "lane"), "spirv", "bmg")


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_at_the_op(name: str):
    body, message = REFUSED[name]
    text = text_of(f"{body}\n%r = arith.constant 1 : i32", "i32", "subgroup")
    with pytest.raises(XetileError, match=message) as caught:
        launch(parse_text(text, "refused.mlir"), "i32", "subgroup")
    assert caught.value.location is not None
    line = text.split("\n")[caught.value.location.line.data - 1]
    assert name in line
    assert "\n" not in caught.value.message
