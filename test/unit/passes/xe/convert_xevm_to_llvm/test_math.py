"""Ops whose results or operands are not of one type, at lane level, where they are executed: on numpy and on a device."""

from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import Place

from xetile import api

Array = NDArray[Any]

LANES = 16


def kernel(body: str, arguments: str) -> str:
    return f"""gpu.module @m {{ gpu.func @k({arguments}) kernel attributes {{
      known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, xetile.level = "lane"}} {{
      %lane = gpu.thread_id x
      {body}
      gpu.return
    }} }}"""


def launch(place: Place, body: str, arguments: str, *arrays: "Array | int | float") -> None:
    place.execute(api.parse(kernel(body, arguments)), "k", arrays)


X = numpy.array([0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 5] * 2, numpy.int32)
Y = numpy.array([3, -1, -1, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 7] * 2, numpy.int32)


def test_sums_and_products_of_twice_the_bits(place: Place) -> None:
    low, carry, product, signed, unsigned = numpy.zeros((5, LANES), numpy.int32)
    body = """%a = memref.load %x[%lane] : memref<16xi32>
      %b = memref.load %y[%lane] : memref<16xi32>
      %s, %c = arith.addui_extended %a, %b : i32, i1
      %n = arith.extui %c : i1 to i32
      %p, %h = arith.mulsi_extended %a, %b : i32
      %q, %u = arith.mului_extended %a, %b : i32
      memref.store %s, %low[%lane] : memref<16xi32>
      memref.store %n, %carry[%lane] : memref<16xi32>
      memref.store %q, %product[%lane] : memref<16xi32>
      memref.store %h, %signed[%lane] : memref<16xi32>
      memref.store %u, %unsigned[%lane] : memref<16xi32>"""
    names = ("x", "y", "low", "carry", "product", "signed", "unsigned")
    arguments = ", ".join(f"%{name}: memref<16xi32>" for name in names)
    launch(place, body, arguments, X, Y, low, carry, product, signed, unsigned)
    a, b = (v.astype(numpy.int64) for v in (X, Y))
    c, d = (v.view(numpy.uint32).astype(numpy.uint64) for v in (X, Y))
    assert list(low) == list((a + b).astype(numpy.int32))
    assert list(carry) == list((c + d) >> 32)
    assert list(product) == list((a * b).astype(numpy.int32))
    assert list(signed) == list((a * b) >> 32)
    assert list(unsigned.view(numpy.uint32)) == list((c * d) >> 32)


def test_products_and_sums_of_bits(place: Place) -> None:
    out = numpy.zeros(4, numpy.int32)
    body = """%a = arith.trunci %x : i32 to i1
      %b = arith.trunci %y : i32 to i1
      %s, %c = arith.addui_extended %a, %b : i1, i1
      %p, %h = arith.mulsi_extended %a, %b : i1
      %v = vector.from_elements %s, %c, %p, %h : vector<4xi1>
      %w = arith.extui %v : vector<4xi1> to vector<4xi32>
      %e:4 = vector.to_elements %w : vector<4xi32>\n"""
    body += "\n".join(
        f"""%c{i} = arith.constant {i} : index
        memref.store %e#{i}, %out[%c{i}] : memref<4xi32>"""
        for i in range(4)
    )
    for a, b, expected in ((1, 1, [0, 1, 1, 0]), (1, 0, [1, 0, 0, 0]), (0, 0, [0, 0, 0, 0])):
        launch(place, body, "%x: i32, %y: i32, %out: memref<4xi32>", a, b, out)
        assert list(out) == expected


@pytest.mark.parametrize("type", ["f16", "f32"])
def test_fused_products_of_vectors(place: Place, type: str) -> None:
    kind = {"f16": numpy.float16, "f32": numpy.float32}[type]
    source = (numpy.arange(1, 65).reshape(16, 4) / 3).astype(kind)
    out = numpy.zeros_like(source)
    body = "\n".join(
        f"""%c{i} = arith.constant {i} : index
        %e{i} = memref.load %a[%lane, %c{i}] : memref<16x4x{type}>"""
        for i in range(4)
    )
    body += f"""
      %v = vector.from_elements %e0, %e1, %e2, %e3 : vector<4x{type}>
      %r = vector.fma %v, %v, %v : vector<4x{type}>
      %s:4 = vector.to_elements %r : vector<4x{type}>\n"""
    body += "\n".join(
        f"memref.store %s#{i}, %out[%lane, %c{i}] : memref<16x4x{type}>" for i in range(4)
    )
    launch(place, body, f"%a: memref<16x4x{type}>, %out: memref<16x4x{type}>", source, out)
    wide = source.astype(numpy.float64)
    assert (out == (wide * wide + wide).astype(kind)).all()


WINDOW = "strided<[64, 2], offset: ?>"


def test_views_of_arguments(place: Place) -> None:
    """Every second row and column from (%n, 1) on, as 4 rows of 2 by 8."""
    source = numpy.arange(32 * 32, dtype=numpy.float32).reshape(32, 32)
    out = numpy.zeros((LANES, 4), numpy.float32)
    body = f"""%c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      %i = arith.divui %lane, %c8 : index
      %j = arith.remui %lane, %c8 : index
      %w = memref.subview %a[%n, 1] [4, 16] [2, 2] : memref<32x32xf32> to memref<4x16xf32, {WINDOW}>
      %e = memref.expand_shape %w [[0], [1, 2]] output_shape [4, 2, 8] : memref<4x16xf32, {WINDOW}>
        into memref<4x2x8xf32, strided<[64, 16, 2], offset: ?>>
      %s = memref.subview %e[%c2, 0, 0] [1, 2, 8] [1, 1, 1] : memref<4x2x8xf32, strided<[64, 16, 2], offset: ?>>
        to memref<2x8xf32, strided<[16, 2], offset: ?>>
      %x = memref.load %s[%i, %j] : memref<2x8xf32, strided<[16, 2], offset: ?>>
      %f = memref.reinterpret_cast %out to offset: [1], sizes: [16], strides: [4] : memref<16x4xf32>
        to memref<16xf32, strided<[4], offset: 1>>
      memref.store %x, %f[%lane] : memref<16xf32, strided<[4], offset: 1>>
      %k = memref.collapse_shape %out [[0, 1]] : memref<16x4xf32> into memref<64xf32>
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %w : memref<4x16xf32, {WINDOW}>
        -> memref<f32>, index, index, index, index, index
      %o = arith.index_cast %offset : index to i32
      %g = arith.sitofp %o : i32 to f32
      %c4 = arith.constant 4 : index
      %at = arith.muli %lane, %c4 : index
      memref.store %g, %k[%at] : memref<64xf32>
      %first = memref.load %base[] : memref<f32>
      %at2 = arith.addi %at, %c2 : index
      memref.store %first, %k[%at2] : memref<64xf32>""".replace(
        "memref<4x?xf32, ", "memref<4x16xf32, "
    ).replace("expand_shape %w", "expand_shape %w")
    launch(
        place, body, "%a: memref<32x32xf32>, %out: memref<16x4xf32>, %n: index", source, out, 5
    )
    assert list(out[:, 1]) == list(source[5 + 2 * 2, 1 : 1 + 32 : 2])
    assert list(out[:, 0]) == [5 * 32 + 1] * LANES
    assert list(out[:, 2]) == [0.0] * LANES


@pytest.mark.parametrize("last", [3, 1 << 40])
def test_switches(place: Place, last: int) -> None:
    out = numpy.zeros((LANES, 2), numpy.int32)
    body = f"""%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a, %b = scf.index_switch %lane -> i32, vector<8xi32>
      case 2 {{
        %n = arith.constant 20 : i32
        %v = arith.constant dense<2> : vector<8xi32>
        scf.yield %n, %v : i32, vector<8xi32>
      }}
      case {last} {{
        %n = arith.constant 30 : i32
        %v = arith.constant dense<3> : vector<8xi32>
        scf.yield %n, %v : i32, vector<8xi32>
      }}
      default {{
        %n = arith.index_cast %lane : index to i32
        %v = vector.broadcast %n : i32 to vector<8xi32>
        scf.yield %n, %v : i32, vector<8xi32>
      }}
      %e = vector.extract %b[5] : i32 from vector<8xi32>
      memref.store %a, %out[%lane, %c0] : memref<16x2xi32>
      memref.store %e, %out[%lane, %c1] : memref<16x2xi32>"""
    launch(place, body, "%out: memref<16x2xi32>", out)
    expected = [[lane, lane] for lane in range(LANES)]
    expected[2] = [20, 2]
    if last == 3:
        expected[3] = [30, 3]
    assert out.tolist() == expected


@pytest.mark.parametrize("length", [1, 4, 11])
def test_places_known_at_run_time(place: Place, length: int) -> None:
    """Each lane puts a number into a place of its own and reads the one behind it."""
    out = numpy.zeros((LANES, length + 1), numpy.int32)
    stores = "\n".join(
        f"""%c{i} = arith.constant {i} : index
      memref.store %e#{i}, %out[%lane, %c{i}] : memref<16x{length + 1}xi32>"""
        for i in range(length)
    ).replace("#0", "" if length == 1 else "#0")
    body = f"""%n = arith.constant {length} : index
      %place = arith.remui %lane, %n : index
      %number = arith.constant 99 : i32
      %v = arith.constant dense<[{", ".join(map(str, range(length)))}]> : vector<{length}xi32>
      %w = vector.insert %number, %v[%place] : i32 into vector<{length}xi32>
      %c1 = arith.constant 1 : index
      %next = arith.addi %place, %c1 : index
      %behind = arith.remui %next, %n : index
      %x = vector.extract %w[%behind] : i32 from vector<{length}xi32>
      memref.store %x, %out[%lane, %n] : memref<16x{length + 1}xi32>
      %e{":" + str(length) if length > 1 else ""} = vector.to_elements %w : vector<{length}xi32>
      {stores.replace("%c1 = arith.constant 1 : index", "")}"""
    launch(place, body, f"%out: memref<16x{length + 1}xi32>", out)
    for lane in range(LANES):
        expected = list(range(length))
        expected[lane % length] = 99
        assert list(out[lane]) == [*expected, expected[(lane + 1) % length]]


def test_masks_and_steps(place: Place) -> None:
    out = numpy.zeros((LANES, 3), numpy.int32)
    body = """%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %m = vector.create_mask %lane : vector<12xi1>
      %k = vector.constant_mask [5] : vector<12xi1>
      %s = vector.step : vector<12xindex>
      %i = arith.index_cast %s : vector<12xindex> to vector<12xi32>
      %z = arith.constant dense<0> : vector<12xi32>
      %n = arith.select %m, %i, %z : vector<12xi1>, vector<12xi32>
      %both = arith.andi %m, %k : vector<12xi1>
      %b = arith.extui %both : vector<12xi1> to vector<12xi32>
      %e = vector.extract %n[7] : i32 from vector<12xi32>
      %f = vector.extract %b[4] : i32 from vector<12xi32>
      %g = vector.extract %b[5] : i32 from vector<12xi32>
      memref.store %e, %out[%lane, %c0] : memref<16x3xi32>
      memref.store %f, %out[%lane, %c1] : memref<16x3xi32>
      memref.store %g, %out[%lane, %c2] : memref<16x3xi32>"""
    launch(place, body, "%out: memref<16x3xi32>", out)
    assert out.tolist() == [[7 * (lane > 7), int(lane > 4), 0] for lane in range(LANES)]
