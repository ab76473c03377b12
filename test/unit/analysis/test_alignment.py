"""Residues: every value of an integer is in the class that is found for it."""

from collections.abc import Callable, Mapping
from itertools import product
from math import fmod

from xetile.analysis.alignment import Alignments
from xetile.analysis.residues import ANY, RULES, Residue, in_bytes, residue
from xetile.dialects.modules import parse

CLASSES = [Residue(0, 0), Residue(0, 5), Residue(0, -3), Residue(1), Residue(4, 2), Residue(6)]


def members(of: Residue) -> list[int]:
    return [of.remainder + of.modulus * count for count in range(-3, 4)]


def holds(of: Residue, number: int) -> bool:
    apart = number - of.remainder
    return apart % of.modulus == 0 if of.modulus else apart == 0


def test_every_result_is_in_the_class() -> None:
    for left, right in product(CLASSES, CLASSES):
        for a, b in product(members(left), members(right)):
            assert holds(left + right, a + b)
            assert holds(left + -right, a - b)
            assert holds(left.times(right), a * b)
            assert holds(left.join(right), a)
            assert holds(left.join(right), b)


MEANS: Mapping[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shrs": lambda a, b: a >> b,
    "floordivs": lambda a, b: a // b,
    "ceildivs": lambda a, b: -(-a // b),
    "rems": lambda a, b: int(fmod(a, b)),
    "maxs": lambda a, b: max(a, b),
    "mins": lambda a, b: min(a, b),
}


def test_every_result_of_an_op_of_index_is_in_the_class() -> None:
    classes = [*CLASSES, Residue(8), Residue(16, 12), Residue(64, 32)]
    for (name, mean), left, right in product(MEANS.items(), classes, classes):
        for a, b in product(members(left), members(right)):
            if (name.startswith("sh") and b < 0) or (name[-4:] in ("divs", "rems") and b == 0):
                continue
            assert holds(RULES[f"index.{name}"](left, right), mean(a, b)), (name, left, right)


def test_multiples() -> None:
    assert residue(64, 128).is_multiple(32)
    assert not Residue(64, 6).is_multiple(4)
    assert Residue(64, 6).witness(4) == 2
    assert Residue(6).witness(4) == 2
    assert ANY.witness(64) == 1
    assert in_bytes(Residue(32, 3), 16) == Residue(64, 6)


def test_values() -> None:
    module = parse("""func.func @f(%n: index, %m: i32) {
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %x = gpu.block_id x
      %sum = arith.addi %x, %c3 : index
      %four = arith.muli %sum, %c4 : index
      %shifted = arith.shli %x, %c4 : index
      %rest = arith.remui %shifted, %c32 : index
      %part = arith.divui %shifted, %c4 : index
      %less = arith.subi %c3, %shifted : index
      %wide = arith.index_cast %m : i32 to index
      %given = arith.muli %n, %wide : index
      scf.for %i = %c3 to %n step %c4 {
        %inside = arith.addi %i, %c4 : index
      }
      func.return
    }""")
    trusted, proven = Alignments(trusting=True), Alignments(trusting=False)
    found = {
        result.name_hint: (trusted.value(result), proven.value(result))
        for op in module.walk()
        for result in op.results
    }
    for name, expected in {
        "sum": ANY,
        "four": Residue(4),
        "shifted": Residue(16),
        "rest": Residue(16),
        "part": Residue(4),
        "less": Residue(16, 3),
        "inside": Residue(4, 3),
    }.items():
        assert found[name] == (expected, expected), name
    assert found["given"] == (Residue(0), ANY)


def test_values_of_other_dialects() -> None:
    """Ops of index, affine maps, what loops carry and branches yield; what is not understood of ids is never trusted."""
    module = parse(
        """func.func @f(%n: index, %p: i1) {
      %c3 = index.constant 3
      %c4 = index.constant 4
      %c8 = arith.constant 8 : index
      %mask = arith.constant -16 : index
      %x = gpu.block_id x
      %four = index.mul %x, %c4
      %shifted = index.shl %x, %c4
      %more = index.add %shifted, %c3
      %cut = arith.andi %x, %mask : index
      %bits = index.or %shifted, %c3
      %applied = affine.apply affine_map<(d0)[s0] -> (d0 * 32 + (s0 floordiv 2) * 8 + 1)>(%x)[%shifted]
      %least = affine.min affine_map<(d0) -> (d0 * 12, 8)>(%x)
      %most = affine.max affine_map<(d0) -> (d0 * 12 + 4, 8)>(%x)
      %odd = math.ctpop %x : index
      %given = math.ctpop %n : index
      %end = scf.for %i = %c8 to %n step %c4 iter_args(%k = %c8) -> (index) {
        %next = index.add %k, %c4
        %inside = index.mul %i, %c3
        scf.yield %next : index
      }
      %still = scf.for %i = %c8 to %n step %c4 iter_args(%k = %x) -> (index) {
        scf.yield %k : index
      }
      %chosen = scf.if %p -> (index) {
        scf.yield %shifted : index
      } else {
        scf.yield %c8 : index
      }
      %there = cf.br ^next(%four : index)
    ^next(%at: index):
      %behind = index.add %at, %c4
      func.return
    }""".replace("%there = ", "")
    )
    trusted, proven = Alignments(trusting=True), Alignments(trusting=False)
    found = {
        result.name_hint: (trusted.value(result), proven.value(result))
        for op in module.walk()
        for result in op.results
    }
    for name, expected in {
        "four": Residue(4),
        "shifted": Residue(16),
        "more": Residue(16, 3),
        "cut": Residue(16),
        "bits": Residue(16, 3),
        "applied": Residue(32, 1),
        "least": Residue(4),
        "most": Residue(4),
        "odd": ANY,
        "end": Residue(4),
        "inside": Residue(12),
        "still": ANY,
        "chosen": Residue(8),
        "behind": ANY,
    }.items():
        assert found[name] == (expected, expected), name
    assert found["given"] == (Residue(0), ANY)


def test_what_is_chosen_is_in_both_classes_and_what_a_loop_carries_in_all() -> None:
    """The condition says nothing of a choice; a first round that has another value than the others counts."""
    module = parse("""func.func @f(%n: index, %p: i1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c10 = arith.constant 10 : index
      %c32 = arith.constant 32 : index
      %chosen = arith.select %p, %c32, %c4 : index
      %same = arith.select %p, %c32, %c32 : index
      %either = arith.select %p, %c4, %c10 : index
      %carried = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (index) {
        scf.yield %either : index
      }
      %slow = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c32) -> (index) {
        %next = arith.select %p, %k, %c4 : index
        scf.yield %next : index
      }
      func.return
    }""")
    proven = Alignments(trusting=False)
    found = {r.name_hint: proven.value(r) for op in module.walk() for r in op.results}
    assert found["chosen"] == Residue(28, 4)
    assert found["same"] == Residue(0, 32)
    assert found["either"] == Residue(6, 4)
    assert found["carried"] == Residue(2)
    assert found["slow"] == Residue(28, 4)


def test_a_window_of_a_window_starts_where_both_say() -> None:
    module = parse("""func.func @f(%A: memref<64x64xf32> {llvm.align = 128 : i64}) {
      %x = gpu.block_id x
      %c3 = arith.constant 3 : index
      %outer = memref.subview %A[%x, %c3] [32, 32] [1, 1]
        : memref<64x64xf32> to memref<32x32xf32, strided<[64, 1], offset: ?>>
      %inner = memref.subview %outer[2, %x] [8, 8] [1, 1]
        : memref<32x32xf32, strided<[64, 1], offset: ?>> to memref<8x8xf32, strided<[64, 1], offset: ?>>
      %rows = memref.subview %outer[%x, 4] [8, 8] [1, 1]
        : memref<32x32xf32, strided<[64, 1], offset: ?>> to memref<8x8xf32, strided<[64, 1], offset: ?>>
      func.return
    }""")
    proven = Alignments(trusting=False)
    found = {r.name_hint: r for op in module.walk() for r in op.results}
    assert proven.offset(found["outer"]) == Residue(64, 3)
    assert proven.start(found["outer"]) == Residue(128, 12)
    assert proven.offset(found["inner"]) == ANY
    assert proven.offset(found["rows"]) == Residue(64, 7)
    assert proven.start(found["rows"]) == Residue(128, 28)


def test_shifts_by_what_is_given_are_unknown():
    module = parse("""func.func @f(%n: index) {
      %c16 = arith.constant 16 : index
      %id = gpu.block_id x
      %x = arith.muli %id, %c16 : index
      %back = arith.shrui %x, %n : index
      func.return
    }""")
    back = next(r for op in module.walk() for r in op.results if r.name_hint == "back")
    assert [Alignments(trusting=t).value(back) for t in (True, False)] == [ANY, ANY]


def test_parts_of_bytes_are_unknown():
    assert in_bytes(ANY, 4) == ANY
    assert in_bytes(Residue(4, 2), 4) == Residue(2, 1)
    assert in_bytes(Residue(0, 6), 4) == Residue(0, 3)
