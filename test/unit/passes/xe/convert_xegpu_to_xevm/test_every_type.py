"""What moves elements between lanes and registers, for elements of every size: the subgroup's bits."""

import pytest
from support.forms import different
from support.on_device import Place

FLOATS = ("f32", "f16", "bf16")


def forms(t: str) -> dict[str, str]:
    """By name; of the element type `t`."""
    is_float = t in FLOATS
    add = "arith.addf" if is_float else "arith.addi"
    less = "arith.cmpf olt," if is_float else "arith.cmpi slt,"
    point = ".0" if is_float else ""
    v, turned = f"vector<8x16x{t}>", f"vector<16x8x{t}>"

    def numbers(count: int) -> str:
        return ", ".join(f"{n}{point}" for n in range(1, count + 1))

    return {
        "transposed": f"""
  %t = vector.transpose %v, [1, 0] : {v} to {turned}
  %u = {add} %t, %t : {turned}
  %r = vector.transpose %u, [1, 0] : {turned} to {v}""",
        "turned": f"""
  %d = xegpu.create_nd_tdesc %A : memref<16x64x{t}> -> !xegpu.tensor_desc<16x16x{t}>
  %w = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<16x16x{t}> -> vector<16x16x{t}>
  %t = vector.transpose %w, [1, 0] : vector<16x16x{t}> to vector<16x16x{t}>
  %u = {add} %t, %w : vector<16x16x{t}>
  %r = vector.extract_strided_slice %u {{offsets = [8, 0], sizes = [8, 16], strides = [1, 1]}} : vector<16x16x{t}> to {v}""",
        "row": f"""
  %t = vector.extract %v[3] : vector<16x{t}> from {v}
  %u = vector.broadcast %t : vector<16x{t}> to {v}
  %r = {add} %u, %v : {v}""",
        "column": f"""
  %t = vector.extract_strided_slice %v {{offsets = [0, 3], sizes = [8, 1], strides = [1, 1]}} : {v} to vector<8x1x{t}>
  %u = vector.broadcast %t : vector<8x1x{t}> to {v}
  %r = {add} %u, %v : {v}""",
        "corners": f"""
  %t = vector.extract_strided_slice %v {{offsets = [0, 8], sizes = [4, 8], strides = [1, 1]}} : {v} to vector<4x8x{t}>
  %x = {add} %t, %t : vector<4x8x{t}>
  %u = vector.insert_strided_slice %x, %v {{offsets = [0, 0], strides = [1, 1]}} : vector<4x8x{t}> into {v}
  %r = vector.insert_strided_slice %x, %u {{offsets = [4, 4], strides = [1, 1]}} : vector<4x8x{t}> into {v}""",
        "elements": f"""
  %t = vector.extract %v[3, 5] : {t} from {v}
  %u = vector.broadcast %t : {t} to {v}
  %x = {add} %t, %t : {t}
  %y = vector.insert %x, %u[2, 7] : {t} into {v}
  %z = vector.extract %v[%n, %n] : {t} from {v}
  %w = vector.insert %z, %y[%n, 7] : {t} into {v}
  %r = {add} %w, %v : {v}""",
        "few_elements": f"""
  %x = vector.extract %v[0, 0] : {t} from {v}
  %y = vector.extract %v[0, 1] : {t} from {v}
  %a = vector.from_elements %x, %y, %y, %x : vector<4x{t}>
  %b = vector.shape_cast %a : vector<4x{t}> to vector<4x1x{t}>
  %w = vector.broadcast %b : vector<4x1x{t}> to vector<4x16x{t}>
  %r = vector.insert_strided_slice %w, %v {{offsets = [2, 0], strides = [1, 1]}} : vector<4x16x{t}> into {v}""",
        "constants": f"""
  %a = arith.constant dense<[{numbers(16)}]> : vector<16x{t}>
  %u = vector.broadcast %a : vector<16x{t}> to {v}
  %b = arith.constant dense<[{numbers(8)}]> : vector<8x{t}>
  %k = vector.shape_cast %b : vector<8x{t}> to vector<8x1x{t}>
  %w = vector.broadcast %k : vector<8x1x{t}> to {v}
  %m = vector.create_mask %n, %c5 : vector<8x16xi1>
  %q = arith.select %m, %u, %w : vector<8x16xi1>, {v}
  %r = {add} %q, %v : {v}""",
        "masks": f"""
  %z = arith.constant dense<1{point}> : {v}
  %i = {less} %v, %z : {v}
  %row = vector.extract %i[2] : vector<16xi1> from vector<8x16xi1>
  %b = vector.broadcast %row : vector<16xi1> to vector<8x16xi1>
  %col = vector.extract_strided_slice %i {{offsets = [0, 3], sizes = [8, 1], strides = [1, 1]}} : vector<8x16xi1> to vector<8x1xi1>
  %d = vector.broadcast %col : vector<8x1xi1> to vector<8x16xi1>
  %x = arith.xori %b, %d : vector<8x16xi1>
  %e = vector.extract %i[2, 4] : i1 from vector<8x16xi1>
  %y = vector.insert %e, %x[1, 1] : i1 into vector<8x16xi1>
  %t = vector.transpose %y, [1, 0] : vector<8x16xi1> to vector<16x8xi1>
  %f = vector.shape_cast %t : vector<16x8xi1> to vector<128xi1>
  %g = vector.shape_cast %f : vector<128xi1> to vector<8x16xi1>
  %r = arith.select %g, %v, %z : vector<8x16xi1>, {v}""",
        "interchanged": f"""
  %o:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %v, %b = %v) -> ({v}, {v}) {{
    %t = vector.shape_cast %a : {v} to {turned}
    %q = vector.transpose %t, [1, 0] : {turned} to {v}
    scf.yield %b, %q : {v}, {v}
  }}
  %r = {add} %o#0, %o#1 : {v}""",
        **(parts_of_words(t) if t.endswith("32") else {}),
    }


def parts_of_words(t: str) -> dict[str, str]:
    """Elements of 32 bits as narrower ones, in and between their lanes."""
    count, part = (2, "f16") if t == "f32" else (4, "i8")
    v, whole, half = (
        f"vector<8x16x{t}>",
        f"vector<8x{16 * count}x{part}>",
        f"vector<8x{8 * count}x{part}>",
    )
    tall, wide = f"{8 * count}x16x{part}", f"16x{8 * count}x{part}"
    return {
        "halves": f"""
  %b = vector.bitcast %v : {v} to {whole}
  %h = vector.extract_strided_slice %b {{offsets = [0, 0], sizes = [8, {8 * count}], strides = [1, 1]}} : {whole} to {half}
  %w = vector.insert_strided_slice %h, %b {{offsets = [0, {8 * count}], strides = [1, 1]}} : {half} into {whole}
  %r = vector.bitcast %w : {whole} to {v}""",
        "parts_turned": f"""
  %b = vector.bitcast %v : {v} to {whole}
  %h = vector.shape_cast %b : {whole} to vector<{tall}>
  %t = vector.transpose %h, [1, 0] : vector<{tall}> to vector<{wide}>
  %w = vector.shape_cast %t : vector<{wide}> to {whole}
  %r = vector.bitcast %w : {whole} to {v}""",
    }  # fmt: skip


@pytest.mark.parametrize("element", [*FLOATS, "i8", "i16", "i32"])
def test_the_bits_are_the_subgroups(element: str, place: Place) -> None:
    assert different(forms(element), place, element) == []


CONTROL_FLOW = {
    "large": """
  %d = xegpu.create_nd_tdesc %A : memref<16x64xf32> -> !xegpu.tensor_desc<16x16xf32>
  %x = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<16x16xf32> -> vector<16x16xf32>
  %w = arith.constant dense<0.0> : vector<32x32xf32>
  %a = vector.insert_strided_slice %x, %w {offsets = [0, 0], strides = [1, 1]} : vector<16x16xf32> into vector<32x32xf32>
  %b = vector.insert_strided_slice %x, %a {offsets = [16, 0], strides = [1, 1]} : vector<16x16xf32> into vector<32x32xf32>
  %t = vector.transpose %b, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
  %r = vector.extract_strided_slice %t {offsets = [8, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x32xf32> to vector<8x16xf32>""",
    "three": """
  %a = vector.from_elements %s, %twice, %s : vector<3xf32>
  %b = arith.addf %a, %a : vector<3xf32>
  %e = vector.extract %b[1] : f32 from vector<3xf32>
  %u = vector.broadcast %e : f32 to vector<8x16xf32>
  %r = arith.addf %u, %v : vector<8x16xf32>""",
    "rank_0": """
  %a = arith.constant dense<2.0> : vector<f32>
  %u = vector.broadcast %a : vector<f32> to vector<8x16xf32>
  %r = arith.addf %u, %v : vector<8x16xf32>""",
    "sum_of_scalars": """
  %z = arith.constant 0.0 : f32
  %o = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %z) -> (f32) {
    %e = vector.extract %v[%i, 3] : f32 from vector<8x16xf32>
    %b = arith.addf %a, %e : f32
    scf.yield %b : f32
  }
  %u = vector.broadcast %o : f32 to vector<8x16xf32>
  %r = arith.addf %u, %v : vector<8x16xf32>""",
    "while": """
  %z = arith.constant dense<0.0> : vector<8x1xf32>
  %o:2 = scf.while (%a = %z, %k = %c0) : (vector<8x1xf32>, index) -> (vector<8x1xf32>, index) {
    %c = arith.cmpi slt, %k, %n : index
    scf.condition(%c) %a, %k : vector<8x1xf32>, index
  } do {
  ^bb0(%a: vector<8x1xf32>, %k: index):
    %t = vector.extract_strided_slice %v {offsets = [0, 3], sizes = [8, 1], strides = [1, 1]} : vector<8x16xf32> to vector<8x1xf32>
    %b = arith.addf %a, %t : vector<8x1xf32>
    %next = arith.addi %k, %c1 : index
    scf.yield %b, %next : vector<8x1xf32>, index
  }
  %u = vector.broadcast %o#0 : vector<8x1xf32> to vector<8x16xf32>
  %r = arith.addf %u, %v : vector<8x16xf32>""",
    "switch": """
  %o = scf.index_switch %n -> vector<8x16xf32>
  case 2 {
    scf.yield %v : vector<8x16xf32>
  }
  case 3 {
    %u = vector.broadcast %s : f32 to vector<8x16xf32>
    scf.yield %u : vector<8x16xf32>
  }
  default {
    %u = arith.constant dense<3.0> : vector<8x16xf32>
    scf.yield %u : vector<8x16xf32>
  }
  %r = arith.addf %o, %v : vector<8x16xf32>""",
}


def test_shapes_and_control_flow(place: Place) -> None:
    assert different(CONTROL_FLOW, place) == []
