"""Atomic changes of scattered elements: every kind of every type, in both memories, at X, at V and on the device."""

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from support.in_field import equal, in_field
from support.on_device import Place

from xetile import api

Array = NDArray[Any]

INTEGERS = ("addi", "muli", "andi", "ori", "xori", "maxs", "mins", "maxu", "minu", "assign")
FLOATS = ("addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf", "assign")
TYPES: dict[str, type[Any]] = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
COUNT = 13
"""Elements that each kind has: a row that ends within a word."""

DESCRIPTOR = "!xegpu.tensor_desc<32xTYPE, #xegpu.scatter_tdesc_attr<memory_space = SPACE>>"


def kernel(type: str, kinds: Sequence[str]) -> str:
    """Each kind has a row of `%g`, and of a buffer in shared memory that begins and ends as `%s`.

    Elements at `%steps` are changed by `%values` where there are such.
    """
    count = len(kinds) * COUNT
    lines: list[str] = []
    for number, kind in enumerate(kinds):
        lines.append(f"""
    %row{number} = arith.constant dense<{number * COUNT}> : vector<32xindex>
    %at{number} = arith.addi %row{number}, %i : vector<32xindex>""")
        for space, buffer in (("global", "g"), ("slm", "b")):
            memory = "" if space == "global" else ", 3"
            descriptor = DESCRIPTOR.replace("TYPE", type).replace("SPACE", space)
            if space == "global":
                descriptor = descriptor.replace("memory_space = global", "")
            lines.append(f"""
    %{buffer}t{number} = xegpu.create_tdesc %{buffer}, %at{number} : memref<{count}x{type}{memory}>, vector<32xindex>
        -> {descriptor}
    %{buffer}r{number} = xegpu.atomic_rmw {kind} %{buffer}t{number}, %m, %x
        : {descriptor}, vector<32xi1>, vector<32x{type}> -> vector<32x{type}>""")
    lines += _stored(type, [f"%gr{number}" for number in range(len(kinds))])
    copies = (("g0", "%s", "%b", "", ", 3"), ("g1", "%b", "%s", ", 3", ""))
    before, after = (
        f"""
    scf.for %{name} = %c0 to %n step %c1 {{
      %e{name} = memref.load {source}[%{name}] : memref<{count}x{type}{ours}>
      memref.store %e{name}, {target}[%{name}] : memref<{count}x{type}{theirs}>
    }}"""
        for name, source, target, ours, theirs in copies
    )
    return f"""
gpu.module @m {{
  gpu.func @k(%g: memref<{count}x{type}>, %s: memref<{count}x{type}>, %steps: memref<2x16xi32>,
      %values: memref<2x16xi32>, %old: memref<{2 * len(kinds)}x16xi32>) workgroup(%b: memref<{count}x{type}, 3>) kernel
      attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {count} : index{before}
    gpu.barrier
    %d = xegpu.create_nd_tdesc %steps : memref<2x16xi32> -> !xegpu.tensor_desc<2x16xi32>
    %v = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<2x16xi32> -> vector<2x16xi32>
    %f = vector.shape_cast %v : vector<2x16xi32> to vector<32xi32>
    %i = arith.index_cast %f : vector<32xi32> to vector<32xindex>
    %limit = arith.constant dense<{COUNT}> : vector<32xindex>
    %m = arith.cmpi ult, %i, %limit : vector<32xindex>
    %dx = xegpu.create_nd_tdesc %values : memref<2x16xi32> -> !xegpu.tensor_desc<2x16xi32>
    %vx = xegpu.load_nd %dx[%c0, %c0] : !xegpu.tensor_desc<2x16xi32> -> vector<2x16xi32>
    %fx = vector.shape_cast %vx : vector<2x16xi32> to vector<32xi32>
    {_from_i32(type)}{"".join(lines)}
    gpu.barrier{after}
    gpu.return
  }}
}}"""


def _from_i32(type: str) -> str:
    if type == "i32":
        zero = "%zero = arith.constant dense<0> : vector<32xi32>"
        return f"{zero}\n    %x = arith.addi %fx, %zero : vector<32xi32>"
    word = "sitofp"
    if type.startswith("i"):
        word = "extsi" if type == "i64" else "trunci"
    return f"%x = arith.{word} %fx : vector<32xi32> to vector<32x{type}>"


def _stored(type: str, values: Sequence[str]) -> list[str]:
    """Old values as integers, below each other."""
    word = "fptosi"
    if type.startswith("i"):
        word = "trunci" if type == "i64" else "extsi"
    lines = [
        f"""
    %od = xegpu.create_nd_tdesc %old : memref<{2 * len(values)}x16xi32> -> !xegpu.tensor_desc<2x16xi32>"""
    ]
    for number, value in enumerate(values):
        name = f"%o{number}"
        cast = f"{name} = arith.{word} {value} : vector<32x{type}> to vector<32xi32>"
        if type == "i32":
            cast = f"{name} = arith.addi {value}, %zero : vector<32xi32>"
        lines.append(f"""
    {cast}
    %p{number} = vector.shape_cast {name} : vector<32xi32> to vector<2x16xi32>
    %q{number} = arith.constant {2 * number} : index
    xegpu.store_nd %p{number}, %od[%q{number}, %c0] : vector<2x16xi32>, !xegpu.tensor_desc<2x16xi32>""")
    return lines


def changed(kind: str, old: Array, value: Array) -> Array:
    """One element changed once."""
    unsigned = old.dtype.str.replace("i", "u")
    match kind:
        case "addi" | "addf":
            return old + value
        case "muli" | "mulf":
            return old * value
        case "andi":
            return old & value
        case "ori":
            return old | value
        case "xori":
            return old ^ value
        case "assign":
            return value
        case "maxu":
            return np.maximum(old.view(unsigned), value.view(unsigned)).view(old.dtype)
        case "minu":
            return np.minimum(old.view(unsigned), value.view(unsigned)).view(old.dtype)
        case _:
            return (np.maximum if kind.startswith("max") else np.minimum)(old, value)


def expected(
    type: str, kinds: Sequence[str], rows: Array, steps: Array, values: Array
) -> Array:
    """What the elements are in the end, all changes one after the other."""
    found = rows.copy()
    for row, kind in zip(found, kinds, strict=True):
        for step, value in zip(steps.reshape(-1), values.reshape(-1), strict=True):
            if 0 <= step < COUNT:
                at = slice(step, step + 1)
                row[at] = changed(kind, row[at], np.array([value]).astype(TYPES[type]))
    return found


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("repeated", [False, True], ids=["once", "repeated"])
def test_elements_are_changed(type: str, repeated: bool, place: Place) -> None:
    kinds = FLOATS if "f" in type else INTEGERS
    text = kernel(type, kinds)
    dtype, random = TYPES[type], np.random.default_rng(3)
    rows = random.integers(-3, 4, (len(kinds), COUNT)).astype(dtype)
    steps = random.permutation(32).reshape(2, 16).astype(np.int32) - 9
    values = random.integers(-3, 4, (2, 16)).astype(np.int32)
    if repeated:
        # so often that the order of what is stored there shows nothing, and products stay small
        steps = random.integers(0, COUNT + 3, (2, 16)).astype(np.int32)
        values = np.where(values < 0, -1, 1).astype(np.int32)
    want = expected(type, kinds, rows, steps, values)
    if repeated:
        kinds, want = kinds[:-1], want[:-1]
    inside = ((steps >= 0) & (steps < COUNT)).reshape(-1)
    for level in place.levels(("xegpu", "xevm")):
        module = api.lower(api.parse(text), to=level, device="bmg")
        memory, shared = rows.reshape(-1).copy(), rows.reshape(-1).copy()
        old = np.full((2 * len(rows), 16), -9, np.int32)
        place.execute(module, "k", [memory, shared, steps, values, old])
        for found in (memory, shared):
            found = found.reshape(rows.shape)[: len(kinds)]
            np.testing.assert_array_equal(found, want, err_msg=f"{type} {level}")
        if not repeated:
            before = np.where(inside, rows[:, np.where(inside, steps.reshape(-1), 0)], 0)
            np.testing.assert_array_equal(
                old.reshape(len(kinds), -1), before.astype(np.int32), err_msg=level
            )


@pytest.mark.parametrize("type", [type for type in TYPES if "f" in type])
def test_floats_are_exact_in_a_field(type: str) -> None:
    """Words compared and exchanged too, several times for one element."""
    text, random = kernel(type, FLOATS[:-1]), np.random.default_rng(5)
    rows = random.standard_normal(len(FLOATS[:-1]) * COUNT).astype(TYPES[type])
    steps = random.integers(0, COUNT + 3, (2, 16)).astype(np.int32)
    values = random.integers(-100, 100, (2, 16)).astype(np.int32)
    old = np.zeros((2 * len(FLOATS[:-1]), 16), np.int32)
    found = [
        in_field(
            api.lower(api.parse(text), to=level, device="bmg"),
            "k",
            [rows, rows.copy(), steps, values, old],
        )
        for level in ("xegpu", "xevm")
    ]
    assert equal(found[0][:2], found[1][:2])
    assert equal(found[0][:1], found[0][1:2]), "in both memories"
