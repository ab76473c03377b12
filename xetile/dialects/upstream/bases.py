"""Shared code of these dialects: base classes of ops, checks with common messages, dialects that extend xDSL's."""

from abc import ABC
from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialect_interfaces import DialectInterface
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.formats import present


class LikeOperandOp(IRDLOperation, ABC):
    """An op with one result, of the type of the last operand."""

    def __init__(
        self, *operands: SSAValue | Operation, **properties: Attribute | None
    ) -> None:
        super().__init__(
            operands=operands,
            result_types=[SSAValue.get(operands[-1]).type],
            properties=properties,
        )


class ConversionOp(IRDLOperation, ABC):
    """An op with one operand and one result, whose type is given."""

    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue | Operation,
        result_type: Attribute,
        **properties: Attribute | None,
    ) -> None:
        Operation.__init__(
            self,
            operands=[SSAValue.get(source)],
            result_types=[result_type],
            properties=present(**properties),
        )


def verify_is(name: str, found: object, expected: object, words: str = "expected") -> None:
    """Raise if what `name` says is not what is expected: `'name' is FOUND, WORDS EXPECTED`."""
    if found != expected:
        raise VerifyException(f"'{name}' is {found}, {words} {expected}")


def verify_below(name: str, number: int, limit: int, least: int = 0) -> None:
    """Raise if a number is not in [least, limit)."""
    if not least <= number < limit:
        raise VerifyException(f"'{name}' is {number}, it has to lie in [{least}, {limit})")


def verify_power_of_two(name: str, number: int) -> None:
    """Raise if a number is no power of two."""
    if number <= 0 or number & (number - 1):
        raise VerifyException(f"'{name}' is {number}, it has to be a power of two")


def verify_entries(name: str, found: int, of: object, rank: int, expected: int) -> None:
    """Raise if a list for the dimensions of `of` has not as many entries as expected."""
    if found != expected:
        raise VerifyException(f"'{name}' has {found} entries, {of} has rank {rank}")


def listed(types: Sequence[Attribute]) -> str:
    """`(f32, index)`."""
    return f"({', '.join(map(str, types))})"


def dialect_over(
    stock: Dialect,
    ours: Sequence[type[Operation]],
    attributes: Sequence[type[Attribute]] = (),
    interfaces: Sequence[DialectInterface] = (),
) -> Dialect:
    """Return one of xDSL's dialects with our classes in place of those of the same names.

    Each of ours is registered (`abc.ABCMeta.register`) as a subclass of the class that it replaces, so that patterns
    and passes that test for xDSL's class find it. It inherits nothing: traits, folders, patterns and constructor are
    its own.
    """
    return Dialect(
        stock.name,
        _replaced(list(stock.operations), ours),
        _replaced(list(stock.attributes), attributes),
        list(interfaces),
    )


_Class = TypeVar("_Class", bound=type[Operation] | type[Attribute])


def _replaced(stock: Sequence[_Class], ours: Sequence[_Class]) -> list[_Class]:
    """Return xDSL's classes with ours in the places of namesakes, then our others."""
    mine = {one.name: one for one in ours}
    for one in stock:
        if one.name in mine and not issubclass(mine[one.name], one):
            one.register(mine[one.name])
    return [*(mine.pop(one.name, one) for one in stock), *mine.values()]
