"""The op of level L that each instruction of SPIR-V comes from.

LLVM's back end drops `!dbg`, but turns `!spirv.Decorations` of an instruction into a decoration of its result:

    %".44" = add i32 %".43", 32, !spirv.Decorations !7        !7 = !{!8}  !8 = !{i32 5635, !"o12"}
    OpDecorate %60 UserSemantic "o12"

So a module is compiled twice: as it always is, for the code, and with marks. A decoration is a use, so the second
keeps instructions that the first drops as dead. Without those both have the same instructions with other ids, which
is checked word by word. Stores, calls without a result and branches cannot be marked: they are matched by their order
within their block, each kind for itself. LLVM writes blocks in another order than ours, so a block is known by its
name, which its label keeps.

The file also finds the ids, texts, names and functions among the words of SPIR-V.

Source: SPIR-V specification 1.4, "Instructions"; SPV_EXT_shader_atomic_float_add and _min_max, SPV_INTEL_subgroups.
"""

import struct
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from llvmlite import ir
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from xetile.codegen.llvm_functions import callee, llvm_functions
from xetile.codegen.llvm_ir import convert_module
from xetile.codegen.spirv_emitter import (
    Instruction,
    functions_used,
    instructions,
    result_of,
    result_place,
    to_spirv,
)

OP_SOURCE, OP_NAME, OP_STRING, OP_LINE, OP_IMPORT = 3, 5, 7, 8, 11
OP_EXT_INST, OP_MEMORY_MODEL, OP_TYPE_VOID, OP_FUNCTION = 12, 14, 19, 54
OP_PARAMETER, OP_FUNCTION_END, OP_CALL, OP_VARIABLE, OP_STORE = 55, 56, 57, 59, 62
OP_DECORATE, OP_PHI, OP_LOOP_MERGE, OP_LABEL, OP_NO_LINE = 71, 245, 246, 248, 317

BRANCHES = frozenset(range(249, 256))
"""OpBranch, OpBranchConditional, OpSwitch, OpKill, OpReturn, OpReturnValue, OpUnreachable: the ends of blocks."""

IMPURE = frozenset(
    # OpExtInst, functions and calls, variables, loads
    [12, OP_FUNCTION, OP_PARAMETER, OP_CALL, OP_VARIABLE, 61]
    # atomics, blocks, operations of groups of lanes
    + [*range(227, 243), OP_PHI, OP_LABEL, *range(259, 272), *range(333, 367)]
    + [*range(5571, 5577), 5614, 5615, 6035]
)
"""Instructions with a result that have another effect too, or whose place matters."""

_NUMBERS: Mapping[str, Iterable[int]] = {
    "|n": (7, 11, 21, 22, 31, 43, 50),  # texts, OpTypeInt, OpTypeFloat, OpConstant
    "n|i": (32, 52, OP_FUNCTION, OP_VARIABLE),  # OpTypePointer, OpSpecConstantOp
    # OpLine, OpTypeVector, OpTypeMatrix, OpLoad, OpCompositeExtract, OpGenericCastToPtrExplicit, ...
    "i|n": (OP_LINE, 23, 24, 61, 81, 123, 247, 256, 257),
    "ii|n": (
        OP_STORE,
        63,
        79,
        82,
        OP_LOOP_MERGE,
    ),  # OpCopyMemory, OpVectorShuffle, OpCompositeInsert
    "iii|n": (64, 250),  # OpCopyMemorySized, OpBranchConditional
    "in|i": (OP_EXT_INST, *range(264, 272), *range(349, 359)),  # what groups compute together
    "ii|ni": (251,),  # OpSwitch
}
"""Instructions with words that are not ids: the words after type and result, ids (i) and numbers (n); those from the
bar
on repeat. Instructions that have no result outside of functions are not listed.
"""

_FORMS = {opcode: form for form, opcodes in _NUMBERS.items() for opcode in opcodes}


@cache
def are_ids(opcode: int, count: int) -> tuple[bool, ...]:
    """Return which of an instruction's `count` words are ids."""
    result = result_place(opcode)
    first, rest = _FORMS.get(opcode, "|i").split("|")
    ahead = 0 if result is None else result + 1
    kinds = "i" * ahead + first + rest * count
    return tuple(kind == "i" for kind in kinds[:count])


def ids_of(instruction: Instruction) -> list[int]:
    """Return the ids that an instruction uses, its type too, in order."""
    opcode, operands = instruction
    return [operands[place] for place in _uses(opcode, len(operands))]


@cache
def _uses(opcode: int, count: int) -> tuple[int, ...]:
    result = result_place(opcode)
    places = enumerate(are_ids(opcode, count))
    return tuple(place for place, is_id in places if is_id and place != result)


def text_of(words: Sequence[int]) -> tuple[str, int]:
    """Return the text that begins here, and the number of words that it takes."""
    data = struct.pack(f"<{len(words)}I", *words)
    end = data.index(b"\0")
    return data[:end].decode(), end // 4 + 1


def text_words(text: str) -> tuple[int, ...]:
    """Return the words of a text: its bytes, ended by at least one zero."""
    data = text.encode()
    data += b"\0" * (4 - len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


def names_of(module: Sequence[Instruction]) -> dict[int, str]:
    """Return the names that OpName gives, by id."""
    return {
        operands[0]: text_of(operands[1:])[0]
        for opcode, operands in module
        if opcode == OP_NAME
    }


def bodies(module: Sequence[Instruction]) -> Iterator[tuple[int, list[int]]]:
    """Yield the functions with blocks: their ids, and the places of their instructions, from OpFunction to its end."""
    start = None
    for place, instruction in enumerate(module):
        if instruction.opcode == OP_FUNCTION:
            start = place
        elif instruction.opcode == OP_FUNCTION_END and start is not None:
            inside = list(range(start, place + 1))
            if any(module[i].opcode == OP_LABEL for i in inside):
                yield module[start].operands[1], inside


_USER_SEMANTIC = 5635
"""The decoration. Source: SPIR-V specification, "Decoration"."""

_PREFIX = "o"


class Marked(NamedTuple):
    """An emitted SPIR-V module, and the origins of its instructions.

    Attributes:
        text: lines of the LLVM IR that it was made from, and the ops (places in `ops`) of instructions and functions.
        spirv: the bytes that `xetile.emit(module, "spirv")` returns.
        instructions: of it, in order.
        ops: of level L, of all functions in the order of `walk`.
        parents: for each instruction the op (place in `ops`) that it comes from; None if LLVM added it, and outside
            of functions.
    """

    text: list[tuple[str, int | None]]
    spirv: bytes
    instructions: list[Instruction]
    ops: list[Operation]
    parents: list[int | None]


def marked(module: ModuleOp) -> Marked:
    """Return the SPIR-V of a module at level L, with its instructions linked to ops.

    Raise XetileError as `emit` does.
    """
    ops = [op for function in llvm_functions(module) for op in function.walk()]
    numbers = {op: number for number, op in enumerate(ops)}
    written: dict[int, int] = {}

    def mark(op: Operation, made: Sequence[ir.Instruction]) -> None:
        written.update((id(instruction), numbers[op]) for instruction in made)

    converted = convert_module(module, for_spirv=True, mark=mark)
    blocks = {made.name: made for made in converted.functions}
    for function in llvm_functions(module):
        written[id(blocks[function.sym_name.data])] = numbers[function]
    plain, used = str(converted), functions_used(module)
    text = list(lines_of(converted, plain, written))
    with_marks = to_spirv(decorated(text), used)
    spirv = to_spirv(plain, used)
    found = list(instructions(spirv))
    parents = carried(list(instructions(with_marks)), found)
    for function in llvm_functions(module):
        if function.body.blocks:
            names = [block.name for block in blocks[function.sym_name.data].blocks]
            _Function(found, parents, numbers, function, names).match()
    return Marked(text, spirv, found, ops, parents)


def lines_of(
    module: ir.Module, text: str, marks: Mapping[int, int]
) -> Iterator[tuple[str, int | None]]:
    """Yield the lines of a module's text, each with the mark of its instruction or function, None on other lines."""
    written: list[object] = []
    for function in module.functions:
        written += [
            function,
            *(made for block in function.blocks for made in block.instructions),
        ]
    rest = iter(written)
    inside = False
    for line in text.splitlines():
        begins = line.startswith(("define", "declare"))
        if begins or line.startswith("}"):
            inside = line.startswith("define")
        has_mark = begins or (inside and line.startswith("  "))
        yield line, marks.get(id(next(rest))) if has_mark else None


def decorated(text: Sequence[tuple[str, int | None]]) -> str:
    """Return the text of a module with marks on instructions that have a result."""
    base = sum(line.startswith("!") for line, _ in text)
    used: dict[int, None] = {}
    lines: list[str] = []
    for line, number in text:
        if number is not None and line.startswith("  %"):
            used[number] = None
            line = f"{line}, !spirv.Decorations !{base + 2 * number}"
        lines.append(line)
    for number in used:
        node = base + 2 * number
        lines.append(f"!{node} = !{{ !{node + 1} }}")
        lines.append(f'!{node + 1} = !{{ i32 {_USER_SEMANTIC}, !"{_PREFIX}{number}" }}')
    return "\n".join(lines)


def carried(
    with_marks: Sequence[Instruction], without: Sequence[Instruction]
) -> list[int | None]:
    """Return for each instruction of the second module the mark of its partner in the first."""
    marks: dict[int, int] = {}
    for opcode, operands in with_marks:
        if opcode == OP_DECORATE and operands[1] == _USER_SEMANTIC:
            text, _ = text_of(operands[2:])
            marks[operands[0]] = int(text.removeprefix(_PREFIX))
    parents: list[int | None] = [None] * len(without)
    known = _shared(without, with_marks)
    for (_, ours), (_, theirs) in zip(bodies(without), bodies(with_marks), strict=True):
        for place, other in _paired(without, ours, with_marks, theirs, known):
            result = result_of(with_marks[other])
            parents[place] = None if result is None else marks.get(result)
    return parents


def _shared(module: Sequence[Instruction], marked: Sequence[Instruction]) -> dict[int, int]:
    """Map ids of types, constants, variables and functions of the first module to those of the same in the second."""
    numbers: dict[Hashable, int] = {}
    ours, theirs = _meanings(module, numbers), _meanings(marked, numbers)
    by_meaning = {meaning: id for id, meaning in theirs.items()}
    return {id: by_meaning[meaning] for id, meaning in ours.items() if meaning in by_meaning}


def _meanings(module: Sequence[Instruction], numbers: dict[Hashable, int]) -> dict[int, int]:
    """Return for each id that is defined outside of functions a number for its meaning; equal ones mean the same."""
    names = names_of(module)
    found: dict[int, int] = {}
    inside = {place for _, places in bodies(module) for place in places[1:]}
    for place, instruction in enumerate(module):
        result = result_of(instruction)
        if result is None or place in inside or instruction.opcode == OP_PARAMETER:
            continue
        opcode, operands = instruction
        kinds = are_ids(opcode, len(operands))
        words = [
            found.get(v) if is_id else v for v, is_id in zip(operands, kinds, strict=True)
        ]
        name = names.get(result) if opcode in (OP_FUNCTION, OP_VARIABLE) else None
        meaning = (opcode, name, *words)
        found[result] = numbers.setdefault(meaning, len(numbers))
    return found


def _paired(
    module: Sequence[Instruction],
    ours: Sequence[int],
    marked: Sequence[Instruction],
    theirs: Sequence[int],
    known: Mapping[int, int],
) -> list[tuple[int, int]]:
    """Return pairs of instructions of two functions that are equal except for ids; none if the functions differ.

    Pure instructions may come later in the first: LLVM moves them to the block that uses them, unless they have a mark.
    """
    dead_here, dead_there = _dead(module, ours), _dead(marked, theirs)
    ids = dict(known)
    pairs: list[tuple[int, int]] = []
    aside: list[int] = []
    rest = iter(theirs)

    def agrees(place: int, other: int) -> bool:
        is_same = (place in dead_here) == (other in dead_there)
        return is_same and _agree(module[place], marked[other], ids)

    for place in ours:
        found = next((other for other in aside if agrees(place, other)), None)
        if found is not None:
            aside.remove(found)
        while found is None:
            other = next(rest, None)
            if other is None:
                return []
            if agrees(place, other):
                found = other
            elif _is_pure(marked[other]):
                aside.append(other)
            else:
                return []
        pairs.append((place, found))
    left = [*aside, *rest]
    return pairs if all(other in dead_there for other in left) else []


def _agree(one: Instruction, other: Instruction, ids: dict[int, int]) -> bool:
    """Return True if two instructions are equal with ids of one mapped to the other's; add the new ids to `ids`."""
    if one.opcode != other.opcode or len(one.operands) != len(other.operands):
        return False
    new: dict[int, int] = {}
    kinds = are_ids(one.opcode, len(one.operands))
    for is_id, value, found in zip(kinds, one.operands, other.operands, strict=True):
        if not is_id:
            if value != found:
                return False
        elif ids.get(value, new.setdefault(value, found)) != found:
            return False
    ids.update(new)
    return True


def _dead(module: Sequence[Instruction], places: Sequence[int]) -> set[int]:
    """Return the places of instructions whose results have no uses, or only uses by such instructions."""
    users: dict[int, int] = defaultdict(int)
    defined = {result_of(module[place]): place for place in places}
    for place in places:
        for used in ids_of(module[place]):
            users[used] += 1
    waiting = [
        place
        for result, place in defined.items()
        if result is not None and not users[result] and _is_pure(module[place])
    ]
    dead: set[int] = set()
    while waiting:
        place = waiting.pop()
        dead.add(place)
        for used in ids_of(module[place]):
            users[used] -= 1
            maker = defined.get(used)
            if not users[used] and maker is not None and _is_pure(module[maker]):
                waiting.append(maker)
    return dead


def _is_pure(instruction: Instruction) -> bool:
    """Return True if an instruction only computes its result."""
    return result_of(instruction) is not None and instruction.opcode not in IMPURE


class _Function:
    """A function of SPIR-V, and the function of level L that it was lowered from."""

    def __init__(
        self,
        module: Sequence[Instruction],
        parents: list[int | None],
        numbers: Mapping[Operation, int],
        function: llvm.FuncOp,
        block_names: Sequence[str],
    ) -> None:
        self.module, self.parents, self.numbers = module, parents, numbers
        self.function = function
        self.names = names_of(module)
        self.called = frozenset(self.names.values())
        wanted = function.sym_name.data
        self.places = next(
            (places for id, places in bodies(module) if self.names.get(id) == wanted),
            list[int](),
        )
        self.blocks = dict(zip(block_names, function.body.blocks, strict=False))

    def match(self) -> None:
        """Find the ops of instructions without marks."""
        if not self.places:
            return
        for place in self.places:
            if self.module[place].opcode == OP_LABEL:
                break
            self.parents[place] = self.numbers[self.function]
        blocks = self._blocks()
        for label, inside in blocks:
            block = self.blocks.get(self.names.get(label, ""))
            if block is not None:
                self._match_block(block, inside)
        phis = [i for i in self.places if self.module[i].opcode == OP_PHI]
        handed = self._users(phis, {})
        for _, inside in blocks:
            self._give_users(inside, dict(handed))
        self._give_users(self.places, self._users(self.places, {}))

    def _blocks(self) -> list[tuple[int, list[int]]]:
        """Return the labels, and the places of the instructions of their blocks."""
        found: list[tuple[int, list[int]]] = []
        for place in self.places:
            opcode, operands = self.module[place]
            if opcode == OP_LABEL:
                found.append((operands[0], []))
            elif found and opcode != OP_FUNCTION_END:
                found[-1][1].append(place)
        return found

    def _match_block(self, block: Block, places: Sequence[int]) -> None:
        wanted: dict[Hashable, list[int]] = defaultdict(list)
        for op in block.ops:
            if not op.results:
                wanted[self._kind_of_op(op)].append(self.numbers[op])
        found: dict[Hashable, list[int]] = defaultdict(list)
        for place in places:
            if (kind := self._kind(place)) is not None:
                found[kind].append(place)
        for kind, here in found.items():
            if len(here) == len(wanted[kind]):
                for place, number in zip(here, wanted[kind], strict=True):
                    self.parents[place] = number
                    if kind == "end" and self.module[place - 1].opcode == OP_LOOP_MERGE:
                        self.parents[place - 1] = number
        phis = [place for place in places if self.module[place].opcode == OP_PHI]
        origin = _entering(block)
        for place in phis:
            if origin is not None:
                self.parents[place] = self.numbers[origin]

    def _kind_of_op(self, op: Operation) -> Hashable:
        """Return the kind of instruction that an op without results becomes."""
        match op:
            case llvm.StoreOp():
                return OP_STORE
            case llvm.CallOp() if callee(op) in self.called:
                return callee(op)
            case _:
                return "end" if op.next_op is None else "other"

    def _kind(self, place: int) -> Hashable | None:
        """Return the kind of an instruction without a mark, or None if it has a result."""
        opcode, operands = self.module[place]
        if opcode == OP_STORE:
            return OP_STORE
        if opcode == OP_CALL:
            return None if self.parents[place] is not None else self.names.get(operands[2])
        if opcode in BRANCHES:
            return "end"
        if opcode == OP_LOOP_MERGE:
            return None
        return "other" if result_of(self.module[place]) is None else None

    def _give_users(self, places: Sequence[int], users: dict[int, int]) -> None:
        """Give instructions that LLVM added for another one that one's op: its next user here, or a phi."""
        for place in reversed(places):
            instruction = self.module[place]
            number = self.parents[place]
            if number is None and (result := result_of(instruction)) is not None:
                number = self.parents[place] = users.get(result)
            if number is not None:
                users.update(dict.fromkeys(ids_of(instruction), number))

    def _users(self, places: Sequence[int], users: dict[int, int]) -> dict[int, int]:
        """Return by id the op of the instruction that uses it."""
        for place in places:
            number = self.parents[place]
            if number is not None:
                users.update(dict.fromkeys(ids_of(self.module[place]), number))
        return users


def _entering(block: Block) -> Operation | None:
    """Return the first branch to a block, which passes its arguments, or None."""
    region = block.parent_region()
    for before in () if region is None else region.blocks:
        last = before.last_op
        if last is not None and block in last.successors:
            return last
    return None
