"""Residues: every value of an integer is in the class that is found for it."""

from itertools import product

from xetile.analysis.alignment import ANY, Alignments, Residue, in_bytes, residue
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
