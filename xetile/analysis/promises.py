"""Promises of a kernel's arguments about their extents: `%A: memref<?x?xf16> {xetile.multiples = array<i64: 1, 32>}`.

Each extent is at least one and a multiple of its number. Executing the kernel on numpy raises for an array that breaks
a promise. The launch contract states the requirements of 2D block access whether or not there is a promise.
"""

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, MemRefType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xetile.dialects.known_integers import known_integer
from xetile.errors import fail
from xetile.hints import isa

MULTIPLES_ATTRIBUTE = "xetile.multiples"
"""Attribute of a kernel's argument: for each extent a number that it is a positive multiple of (elements)."""

_SAME_EXTENTS = ("memref.cast", "memref.assume_alignment", "memref.memory_space_cast")


def promised_multiples(argument: BlockArgument) -> tuple[int, ...] | None:
    """Return for each extent of an argument the number that it is a multiple of, or None without a promise.

    Raise XetileError unless the attribute is a positive number for each dimension.
    """
    function = argument.block.parent_op()
    given = None if function is None else function.get_attr_or_prop("arg_attrs")
    if not isa(given, ArrayAttr[DictionaryAttr]) or argument.index >= len(given):
        return None
    found = given.data[argument.index].data.get(MULTIPLES_ATTRIBUTE)
    if found is None:
        return None
    assert function is not None
    multiples = found.get_values() if isinstance(found, DenseArrayBase) else ()
    type = argument.type
    rank = type.get_num_dims() if isinstance(type, MemRefType) else 0
    if not rank or len(multiples) != rank or min(multiples) < 1:
        fail(
            function,
            f"{MULTIPLES_ATTRIBUTE} of argument {argument.index}, {type}, is {found}; expected a positive number for "
            "each of its dimensions",
        )
    return tuple(int(multiple) for multiple in multiples)


def promised_multiple(value: SSAValue) -> int | None:
    """Return the number that the result of a `memref.dim` is a positive multiple of, or None without a promise."""
    op = value.owner
    if not isinstance(op, Operation) or op.name != "memref.dim":
        return None
    source, dimension = op.operands[0], known_integer(op.operands[1])
    while isinstance(source.owner, Operation) and source.owner.name in _SAME_EXTENTS:
        source = source.owner.operands[0]
    if dimension is None or not isinstance(source, BlockArgument):
        return None
    multiples = promised_multiples(source)
    return None if multiples is None else multiples[dimension]


def without_promises(function: Operation) -> None:
    """Remove the promises from a function's arguments, once they are used: upstream does not know them."""
    given = function.get_attr_or_prop("arg_attrs")
    if not isa(given, ArrayAttr[DictionaryAttr]):
        return
    kept: list[dict[str, Attribute]] = [
        {name: value for name, value in one.data.items() if name != MULTIPLES_ATTRIBUTE}
        for one in given
    ]
    place = function.properties if "arg_attrs" in function.properties else function.attributes
    if any(kept):
        place["arg_attrs"] = ArrayAttr([DictionaryAttr(one) for one in kept])
    else:
        del place["arg_attrs"]
