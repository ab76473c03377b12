"""Traits of ops, which passes, analyses, planning and the interpreter query in place of lists of names.

Ops of our own dialects carry these as xDSL traits. Ops of dialects that we share (xDSL's own
classes as well as ours that close their gaps) are told by name, in the one table below.
`has_trait` asks both.
"""

from collections.abc import Mapping
from functools import cache

from xdsl.ir import Operation
from xdsl.traits import OpTrait


class OneMap(OpTrait):
    """The tile and all vectors of rank 2 of the op are dealt out to subgroups alike."""


class MakesTile(OneMap):
    """The result is a tile."""


class MovesTile(MakesTile):
    """The result is the operand's tile at other offsets."""


class ReadsTile(OneMap):
    """The result is what a tile holds in memory."""


class WritesTile(OneMap):
    """A vector goes to where a tile lies in memory."""


class UpdatesTile(ReadsTile, WritesTile):
    """Elements of a tile in memory change atomically; the result is the old ones."""


class PrefetchesTile(OneMap):
    """A tile is brought into a cache."""


class Elementwise(OneMap):
    """Each element of the results is made of the elements at its place in the operands, scalars aside."""


class Rearranges(OpTrait):
    """The elements of the result lie elsewhere than in the source; each has a map: wg_map_result, wg_map_source."""


class SameElements(OpTrait):
    """The result holds elements of the operand, unchanged and in its order, in other blocks or some of them."""


class HandsOn(OpTrait):
    """Control flow: values pass through it unchanged."""


_DIALECTS: Mapping[str, tuple[type[OpTrait], ...]] = {
    "arith": (Elementwise,),
    "math": (Elementwise,),
}
"""The traits of the ops of a shared dialect that the table below does not name."""

_SHARED: Mapping[str, tuple[type[OpTrait], ...]] = {
    "arith.constant": (),
    "vector.fma": (Elementwise,),
    "vector.extract_strided_slice": (SameElements,),
    "scf.for": (HandsOn,),
    "scf.if": (HandsOn,),
    "scf.while": (HandsOn,),
    "scf.yield": (HandsOn,),
    "scf.condition": (HandsOn,),
}


def has_trait(op: Operation, *traits: type[OpTrait]) -> bool:
    """Return True if an op has one of these traits, by its class or by the tables for shared dialects."""
    return _class_has(type(op), op.name, traits)


@cache
def _class_has(kind: type[Operation], name: str, traits: tuple[type[OpTrait], ...]) -> bool:
    shared = _SHARED.get(name, _DIALECTS.get(name.partition(".")[0], ()))
    return any(
        kind.get_trait(t) is not None or any(issubclass(s, t) for s in shared) for t in traits
    )
