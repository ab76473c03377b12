"""Residues: every value of an integer is in the class that is found for it."""

from collections.abc import Callable, Mapping
from itertools import product

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
    "maxs": lambda a, b: max(a, b),
    "mins": lambda a, b: min(a, b),
}


def test_every_result_of_an_op_of_index_is_in_the_class() -> None:
    classes = [*CLASSES, Residue(8), Residue(16, 12), Residue(64, 32)]
    for (name, mean), left, right in product(MEANS.items(), classes, classes):
        for a, b in product(members(left), members(right)):
            if (name.startswith("sh") and b < 0) or ("div" in name and b == 0):
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
