"""The effects of ops by class, computed once for each class: nearly all ops have the effects of their class."""

from functools import cache
from typing import NamedTuple

from xdsl.ir import Operation
from xdsl.traits import ConstantLike as Constant
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    SymbolOpInterface,
    get_effects,
)
from xdsl.transforms.dead_code_elimination import result_only_effects

_READ, _WRITE = MemoryEffectKind.READ, MemoryEffectKind.WRITE
_READS = frozenset({_READ})


_STATIC: tuple[tuple[type[MemoryEffect], frozenset[MemoryEffectKind]], ...] = (
    (NoMemoryEffect, frozenset()),
    (MemoryReadEffect, _READS),
    (MemoryWriteEffect, frozenset({_WRITE})),
)
"""Traits whose answer does not depend on the op."""

_ALL = frozenset(MemoryEffectKind)
"""The assumed effects of ops that declare none."""


class Kind(NamedTuple):
    """The properties of a class of ops.

    Attributes:
        effects: kinds of effects that its ops have, or may have; None if they depend on the op.
        stays: True if an op stays without uses whatever its effects are (terminators, symbols).
        is_terminator: True if it ends a block, or may.
        is_isolated: True if its regions use nothing from outside, or may be so.
        folds: True if an op may be folded.
        is_canonicalized: True if it has patterns.
    """

    effects: frozenset[MemoryEffectKind] | None
    stays: bool
    is_terminator: bool
    is_isolated: bool
    folds: bool
    is_canonicalized: bool


@cache
def kind_of(operation: type[Operation]) -> Kind:
    """Return the properties of a class of ops."""
    has = operation.has_trait
    return Kind(
        _static_effects(operation),
        has(IsTerminator, value_if_unregistered=False)
        or has(SymbolOpInterface, value_if_unregistered=False),
        has(IsTerminator),
        has(IsolatedFromAbove),
        has(HasFolder, value_if_unregistered=False) and not has(Constant),
        bool(operation.get_traits_of_type(HasCanonicalizationPatternsTrait)),
    )


def is_pure(op: Operation) -> bool:
    """Return True if an op has no effect."""
    effects = kind_of(type(op)).effects
    if effects is not None:
        return not effects
    found = get_effects(op)
    return found is not None and not found


def only_reads(op: Operation) -> bool:
    """Return True if an op has no effects other than reads."""
    effects = kind_of(type(op)).effects
    if effects is not None:
        return effects <= _READS
    found = get_effects(op)
    return found is not None and all(effect.kind is _READ for effect in found)


def may_write(op: Operation) -> bool:
    """Return True if an op may change memory that was read before it."""
    effects = kind_of(type(op)).effects
    if effects is not None:
        return _WRITE in effects
    found = get_effects(op)
    return found is None or any(effect.kind is _WRITE for effect in found)


def is_unused(op: Operation) -> bool:
    """Return True if the results of an op have no uses."""
    return all(result.first_use is None for result in op.results)


def is_needless(op: Operation) -> bool:
    """Return True if an op can be removed when its results have no uses."""
    kind = kind_of(type(op))
    if kind.stays:
        return False
    if kind.effects is not None:
        return kind.effects <= _READS
    return result_only_effects(op)


def _static_effects(operation: type[Operation]) -> frozenset[MemoryEffectKind] | None:
    """Return the effects that traits declare for every op, all if there are none; None if a trait depends on the op."""
    kinds: set[MemoryEffectKind] = set()
    traits = operation.get_traits_of_type(MemoryEffect)
    for trait in traits:
        for known, kind in _STATIC:
            if _answer(trait) is _answer(known):
                kinds |= kind
                break
        else:
            return None
    return frozenset(kinds) if traits else _ALL


def _answer(trait: MemoryEffect | type[MemoryEffect]) -> object:
    """Return the function with which a trait answers: inherited from a known trait, or its own."""
    return getattr(trait.get_effects, "__func__", None)
