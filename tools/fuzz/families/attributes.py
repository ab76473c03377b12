"""Attributes, properties and types of IR: dropped, added, misspelled, of another kind, with another content."""

from collections.abc import Sequence
from random import Random
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f16,
    f32,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from tools.fuzz.case import Case
from tools.fuzz.corpus import everything, host_programs, parsed, readable
from tools.fuzz.families.calls import call_on, printed
from tools.fuzz.families.tokens import mutate_tokens

NUMBERS = (0, 1, -1, 3, 8, 16, 24, 32, 65536, 2**31, 2**63 - 1, -(2**63))

STRANGE: tuple[Attribute, ...] = (
    UnitAttr(), StringAttr(""), StringAttr("naïve\n\"\\"), IntegerAttr(-1, i64), IntegerAttr(1, 1),
        IntegerAttr(7, i32),
    FloatAttr(1.5, f32), FloatAttr(float("nan"), f16), ArrayAttr([]), ArrayAttr([UnitAttr(), i8]),
        DictionaryAttr({}),
    DenseArrayBase.from_list(i64, [1, -1]), DenseArrayBase.from_list(i32, []), SymbolRefAttr("nobody"), f32,
        IntegerType(64),
)  # fmt: skip
"""What may stand where something else belongs."""


def make(random: Random) -> Case:
    """A call on a program in which attributes or types are changed."""
    source = random.choice(random.choice((everything, everything, readable, host_programs))())
    module = parsed(source)
    if module is None:
        return call_on(random, mutate_tokens(random, source))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        op = random.choice(list(module.walk()))
        random.choice((change_attribute, _drop, _add, _misspell, _exchange, _retype))(
            random, op
        )
    return call_on(random, printed(random, module) or mutate_tokens(random, source))


def change_attribute(random: Random, op: Operation) -> None:
    """Another content of one of its attributes."""
    holder = random.choice((op.properties, op.attributes))
    if holder:
        name = random.choice(list(holder))
        holder[name] = changed(random, holder[name])


def changed(random: Random, attribute: Attribute) -> Attribute:
    """An attribute like this one, of which a number, a name or a part is another."""
    match attribute:
        case IntegerAttr():
            return IntegerAttr(random.choice(NUMBERS), attribute.type, truncate_bits=True)
        case IntAttr():
            return IntAttr(random.choice(NUMBERS))
        case FloatAttr():
            value = random.choice((0.0, -1.5, float("inf"), float("nan")))
            return FloatAttr(value, attribute.type)
        case StringAttr():
            return StringAttr(random.choice(("", attribute.data + "x", 'a b"c')))
        case ArrayAttr():
            return ArrayAttr(_changed_list(random, attribute.data))
        case DenseArrayBase(elt_type=IntegerType() as element):
            old: Sequence[int] = cast(DenseArrayBase[IntegerType], attribute).get_values()
            new = [random.choice((value, *NUMBERS[:8])) for value in old]
            return DenseArrayBase.from_list(element, new[: random.choice((len(new), 1, None))])
        case ParametrizedAttribute(parameters=parameters) if parameters:
            return _changed_parameter(random, attribute)
        case _:
            return random.choice(STRANGE)


def _changed_list(random: Random, parts: Sequence[Attribute]) -> list[Attribute]:
    values = list(parts)
    match random.randrange(4):
        case 0:
            random.shuffle(values)
        case 1:
            del values[random.randrange(len(values) + 1) :]
        case 2:
            values.insert(
                random.randrange(len(values) + 1), random.choice((*values, *STRANGE))
            )
        case _ if values:
            place = random.randrange(len(values))
            values[place] = changed(random, values[place])
        case _:
            pass
    return values


def _changed_parameter(random: Random, attribute: ParametrizedAttribute) -> Attribute:
    """With another parameter, if its own checks allow that."""
    parameters = list(attribute.parameters)
    place = random.randrange(len(parameters))
    parameters[place] = changed(random, parameters[place])
    try:
        return type(attribute).new(parameters)
    except (VerifyException, ValueError, TypeError, AttributeError):
        return random.choice(STRANGE)


def _holder(random: Random, op: Operation) -> dict[str, Attribute]:
    return random.choice(
        [held for held in (op.properties, op.attributes) if held] or [op.attributes]
    )


def _drop(random: Random, op: Operation) -> None:
    holder = _holder(random, op)
    if holder:
        del holder[random.choice(list(holder))]


def _add(random: Random, op: Operation) -> None:
    """An attribute that the op does not know, or one that another op has, of any kind."""
    names = ["unknown", "some.thing", "padding", "wg_map", "order", "sym_name", "value"]
    if isinstance(op, IRDLOperation):
        definition = op.get_irdl_definition()
        names += [*definition.properties, *definition.attributes]
    others = [other for other in _module_of(op).walk() if other.properties]
    values = [*STRANGE, *(v for other in others for v in other.properties.values())]
    random.choice((op.properties, op.attributes, op.attributes))[random.choice(names)] = (
        random.choice(values)
    )


def _misspell(random: Random, op: Operation) -> None:
    holder = _holder(random, op)
    if holder:
        name = random.choice(list(holder))
        place = random.randrange(len(name) or 1)
        wrong = (
            name[:place]
            + random.choice(("", "e", name[place : place + 1] * 2))
            + name[place + 1 :]
        )
        holder[wrong or "x"] = holder.pop(name)


def _exchange(random: Random, op: Operation) -> None:
    """An attribute of another kind."""
    holder = _holder(random, op)
    if holder:
        holder[random.choice(list(holder))] = random.choice(STRANGE)


def _retype(random: Random, op: Operation) -> None:
    """Another type of a result or an argument of a block, at its definition and all uses."""
    values = [
        *op.results,
        *(a for region in op.regions for block in region.blocks for a in block.args),
    ]
    if not values:
        return
    value = random.choice(values)
    types = [v.type for other in _module_of(op).walk() for v in other.results]
    new = (
        changed(random, value.type)
        if random.random() < 0.7
        else random.choice([value.type, *types])
    )
    if isinstance(new, TypeAttribute):
        value._type = new  # pyright: ignore[reportPrivateUsage]


def _module_of(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None:
        op = parent
    return op
