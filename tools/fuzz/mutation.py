"""Mutations of programs: of their tokens, and of the IR they stand for."""

from collections.abc import Callable, Sequence
from random import Random
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tools.fuzz.corpus import executable, kind, readable, tokens, vocabulary
from xetile.api import parse_text, text

NUMBERS = ("0", "1", "2", "3", "7", "8", "15", "16", "17", "24", "32", "33", "64", "100", "65536",
           "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
           "0.0", "1.5", "1.0e300", "0x7FC00000")  # fmt: skip

TokenMutation = Callable[[Random, list[str]], None]


def _place(random: Random, parts: list[str]) -> int:
    """The place of a token that is no blank."""
    places = [i for i, part in enumerate(parts) if not part.isspace()]
    return random.choice(places) if places else 0


def _delete(random: Random, parts: list[str]) -> None:
    del parts[_place(random, parts)]


def _double(random: Random, parts: list[str]) -> None:
    place = _place(random, parts)
    parts.insert(place, parts[place])


def _swap(random: Random, parts: list[str]) -> None:
    i, j = _place(random, parts), _place(random, parts)
    parts[i], parts[j] = parts[j], parts[i]


def _replace(random: Random, parts: list[str]) -> None:
    place = _place(random, parts)
    parts[place] = random.choice(vocabulary()[kind(parts[place])])


def _renumber(random: Random, parts: list[str]) -> None:
    numbers = [i for i, part in enumerate(parts) if part[0].isdigit()]
    if numbers:
        parts[random.choice(numbers)] = random.choice(NUMBERS)


def _rename(random: Random, parts: list[str]) -> None:
    """Another value, attribute alias or symbol of this very program."""
    names = [i for i, part in enumerate(parts) if part[0] in "%#!@" and len(part) > 1]
    if names:
        i, j = random.choice(names), random.choice(names)
        if parts[i][0] == parts[j][0]:
            parts[i] = parts[j]


def _retype(random: Random, parts: list[str]) -> None:
    """Another element type, everywhere."""
    types = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "i1", "index", "tf32"]
    old, new = random.choice(types), random.choice(types)
    for i, part in enumerate(parts):
        if part == old:
            parts[i] = new


def _resize(random: Random, parts: list[str]) -> None:
    """Another number, everywhere it stands: extents often stay consistent so."""
    numbers = sorted({part for part in parts if part[0].isdigit()})
    if numbers:
        old, new = random.choice(numbers), random.choice((*numbers, *NUMBERS[:13]))
        for i, part in enumerate(parts):
            if part == old:
                parts[i] = new


def _lines(random: Random, parts: list[str]) -> None:
    """Drop, double or move a line."""
    lines = "".join(parts).split("\n")
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randrange(len(lines) + 1), line)
    parts[:] = tokens("\n".join(lines))


_TOKEN_MUTATIONS: tuple[TokenMutation, ...] = (
    _delete, _double, _swap, _replace, _renumber, _renumber, _rename, _retype, _resize, _resize, _lines,
)  # fmt: skip


def mutate_tokens(random: Random) -> str:
    """A program with one to four tokens or lines changed."""
    parts = tokens(random.choice(readable() + 4 * executable()))
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        if parts:
            random.choice(_TOKEN_MUTATIONS)(random, parts)
    return "".join(parts)


# Of the IR.


def mutate_ir(random: Random) -> str:
    """A kernel with one to three ops or attributes changed; operands keep their types."""
    module = parse_text(random.choice(executable()), "seed.mlir")
    for _ in range(random.choice((1, 1, 2, 3))):
        operations = [op for op in module.walk() if op.parent is not None]
        random.choice(_IR_MUTATIONS)(random, random.choice(operations), module)
    return text(module)


def _other_operand(random: Random, op: Operation, module: ModuleOp) -> None:
    if not op.operands:
        return
    number = random.randrange(len(op.operands))
    same = [v for v in _values(module) if v.type == op.operands[number].type]
    op.operands[number] = random.choice(same)


def _erase(random: Random, op: Operation, module: ModuleOp) -> None:
    """Without the op; its results' users take other values of the same types."""
    inside = set(_values(op))
    for result in op.results:
        others = [v for v in _values(module) if v.type == result.type and v not in inside]
        if not others:
            return
        result.replace_all_uses_with(random.choice(others))
    op.detach()
    op.erase(safe_erase=False)


def _repeat(random: Random, op: Operation, module: ModuleOp) -> None:
    block = op.parent
    if block is not None and op is not block.last_op:
        block.insert_op_after(op.clone(), op)


def _move(random: Random, op: Operation, module: ModuleOp) -> None:
    block = op.parent
    if block is None or op is block.last_op or block.first_op is block.last_op:
        return
    op.detach()
    block.insert_op_before(op, random.choice(list(block.ops)))


def _change_attribute(random: Random, op: Operation, module: ModuleOp) -> None:
    holder = random.choice((op.properties, op.attributes))
    if holder:
        name = random.choice(list(holder))
        holder[name] = _changed(random, holder[name])


def _changed(random: Random, attribute: Attribute) -> Attribute:
    numbers = (0, 1, -1, 3, 8, 16, 24, 32)
    match attribute:
        case IntegerAttr():
            return IntegerAttr(random.choice(numbers), attribute.type, truncate_bits=True)
        case FloatAttr():
            return FloatAttr(
                random.choice((0.0, -1.5, float("inf"), float("nan"))), attribute.type
            )
        case StringAttr():
            return StringAttr(random.choice(("", attribute.data + "x", 'a b"c')))
        case ArrayAttr():
            values = list(attribute.data)
            random.shuffle(values)
            return ArrayAttr(values[: random.randrange(len(values) + 1)])
        case DenseArrayBase(elt_type=IntegerType() as element):
            old: Sequence[int] = cast(DenseArrayBase[IntegerType], attribute).get_values()
            new = [random.choice((value, *numbers)) for value in old]
            return DenseArrayBase.from_list(element, new)
        case _:
            return UnitAttr()


def _wrap(random: Random, op: Operation, module: ModuleOp) -> None:
    """The op inside a loop that runs once, if nothing after it needs its results."""
    from xdsl.dialects.builtin import IndexType
    from xdsl.dialects.scf import ForOp, YieldOp
    from xdsl.ir import Region

    from xetile.dialects.upstream.arith import ConstantOp

    block = op.parent
    if block is None or op is block.last_op or any(result.uses for result in op.results):
        return
    zero, one = (ConstantOp(IntegerAttr(n, IndexType())) for n in (0, 1))
    body = Block(arg_types=[IndexType()])
    block.insert_ops_before([zero, one], op)
    loop = ForOp(zero.results[0], one.results[0], one.results[0], [], Region(body))
    block.insert_op_before(loop, op)
    op.detach()
    body.add_ops([op, YieldOp()])


def _values(op: Operation) -> list[SSAValue]:
    values: list[SSAValue] = []
    for inner in op.walk():
        values.extend(inner.results)
        for region in inner.regions:
            for block in region.blocks:
                values.extend(block.args)
    return values


_IR_MUTATIONS = (
    _other_operand,
    _other_operand,
    _erase,
    _repeat,
    _move,
    _change_attribute,
    _wrap,
)


def mutant(number: int) -> str:
    """The input of that number; half are mutations of tokens, half of IR."""
    random = Random(number)
    if random.random() < 0.5:
        return mutate_tokens(random)
    try:
        return mutate_ir(random)
    except Exception:  # what the mutations made is no IR that could be printed
        return mutate_tokens(random)
