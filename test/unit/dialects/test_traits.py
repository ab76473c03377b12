"""What ops are: told alike by traits on our classes and by the table of shared dialects."""

import pytest
from xdsl.dialects import arith as stock_arith
from xdsl.dialects import math, scf
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import OpTrait

from xetile.dialects import traits
from xetile.dialects.traits import Elementwise, HandsOn, OneMap, has_trait
from xetile.dialects.upstream import arith, vector
from xetile.dialects.xetile import XeTile
from xetile.dialects.xetile.aliases import Alias

TILE_OPS = {
    "xetile.check": (),
    "xetile.init_tile": ("MakesTile",),
    "xetile.update_tile_offset": ("MakesTile", "MovesTile"),
    "xetile.load_tile": ("ReadsTile",),
    "xetile.load_gather": ("ReadsTile",),
    "xetile.store_tile": ("WritesTile",),
    "xetile.store_scatter": ("WritesTile",),
    "xetile.atomic_rmw_tile": ("ReadsTile", "WritesTile", "UpdatesTile"),
    "xetile.prefetch_tile": ("PrefetchesTile",),
    "xetile.tile_mma": (),
    "xetile.tile_pack": ("SameElements",),
    "xetile.tile_unpack": ("SameElements",),
    "xetile.tile_transpose": ("Rearranges",),
    "xetile.tile_reduce": ("Rearranges",),
    "xetile.tile_broadcast": ("Rearranges",),
    "xetile.tile_conv_layout": ("Rearranges",),
}
OURS = [
    kind
    for kind in vars(traits).values()
    if isinstance(kind, type) and issubclass(kind, OpTrait) and kind is not OpTrait
]


def made(kind: type[Operation]) -> Operation:
    return kind.create(result_types=[f32])


def test_every_op_of_the_dialect_is_listed() -> None:
    names = {op.name for op in XeTile.operations if not issubclass(op, Alias)}
    assert names == set(TILE_OPS)


@pytest.mark.parametrize("name", TILE_OPS)
def test_traits_of_tile_ops(name: str) -> None:
    op = made(next(op for op in XeTile.operations if op.name == name))
    found = {kind.__name__ for kind in OURS if has_trait(op, kind)} - {"OneMap"}
    assert found == set(TILE_OPS[name])
    assert has_trait(op, OneMap) == bool(found - {"SameElements", "Rearranges"})


def test_elementwise_ops_of_shared_dialects() -> None:
    elementwise = [*arith.Arith.operations, *math.Math.operations]
    assert {op.name for op in elementwise if not has_trait(made(op), Elementwise)} == {
        "arith.constant"
    }
    current = [op for op in vector.Vector.operations if issubclass(op, IRDLOperation)]
    assert {op.name for op in current if has_trait(made(op), Elementwise)} == {"vector.fma"}


def test_xdsl_classes_answer_as_ours() -> None:
    ours = {op.name: op for op in arith.Arith.operations}
    shared = [op for op in stock_arith.Arith.operations if op.name in ours]
    assert shared
    for op in shared:
        assert has_trait(made(op), Elementwise) == has_trait(made(ours[op.name]), Elementwise)


def test_control_flow_hands_on() -> None:
    found = {op.name for op in scf.Scf.operations if has_trait(made(op), HandsOn)}
    assert found == {"scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition"}


def test_unknown_ops_are_nothing() -> None:
    assert not has_trait(test_dialect.TestOp(), *OURS)
