"""Whether the operands of matrix instructions hold what level L says: every byte of them, traced back in both.

    L          matrix_mad(%46, %63, %result), and %46 is bytes 0 to 15 of what the call of op 58 gives each lane
    assembly   dpas r2 r2 r196 r35, and r35 to r38 are bytes 0 to 255 of what the load at 166 brought, which is op 58's

Both were found without the other (`brought.py`, `contents.py`), so that where they agree, what is drawn is proved.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from xdsl.ir import Operation, SSAValue

from xetile.codegen.functions import is_product
from xetile.exploration.brought import CONSTANT, Brought, word_bytes
from xetile.exploration.contents import Contents, Origin, contents, products_asked
from xetile.targets.xe.device import LANES, REGISTER_BYTES
from xetile.toolchain.assembly import Program
from xetile.toolchain.classes import Class, class_of
from xetile.toolchain.operands import Operation as Operands
from xetile.toolchain.operands import Product, Region, product, read

Verdict = Literal["proved", "computed", "different", "unknown"]
"""All bytes are those of the loads, products and numbers of level L; some were computed on the way, so that only the
link of the instruction tells; some are others; nobody knows of some."""

OPERANDS = ("c", "b", "a")
"""Of a matrix instruction in the assembly: accumulator, B, A."""

ARGUMENTS: Mapping[str, int] = {"a": 0, "b": 1, "c": 2}
"""The same among the arguments of the call at level L."""


_LOADS: tuple[Class, ...] = ("load2d", "load", "slm")
"""Messages that bring what an op of level L asks for."""


class Checked(NamedTuple):
    """A matrix instruction: its place in the assembly, its op at L, its operands, and what came of each (c, b, a)."""

    asm: int
    op: int
    product: Product
    verdicts: tuple[Verdict, Verdict, Verdict]


@dataclass
class Agreement:
    """What came of all matrix instructions of a kernel.

    Attributes:
        brought: what gives the bytes of values of level L.
        products: those that are linked to an op.
        unlinked: how many are not.
        loads: by op at L the instructions that bring what it gives, with where they put it.
        wrong: ops at L whose bytes some operand should have held, and held others.
    """

    brought: Brought
    products: list[Checked] = field(default_factory=list[Checked])
    unlinked: int = 0
    loads: dict[int, list[tuple[int, Region]]] = field(
        default_factory=lambda: defaultdict[int, list[tuple[int, Region]]](list)
    )
    wrong: set[int] = field(default_factory=set[int])

    def counts(self) -> dict[str, int]:
        """Operands by what came of them."""
        found: dict[str, int] = dict.fromkeys(get_args(Verdict), 0)
        for one in self.products:
            for verdict in one.verdicts:
                found[verdict] += 1
        found["unknown"] += len(OPERANDS) * self.unlinked
        return found


def agreement(
    program: Program, links: Sequence[int | None], ops: Sequence[Operation]
) -> Agreement:
    """Hold the matrix instructions of an assembly against level L; `links` has the op of each instruction."""
    brought = Brought({op: number for number, op in enumerate(ops)})
    check = _Check(program, links, ops, brought)
    return check.run()


class _Check:
    def __init__(
        self,
        program: Program,
        links: Sequence[int | None],
        ops: Sequence[Operation],
        brought: Brought,
    ) -> None:
        self.program, self.links, self.ops, self.brought = program, links, ops, brought
        self.expected: dict[SSAValue, Mapping[tuple[int, int], int]] = {}
        self.found = Agreement(brought)
        self.words: dict[int, int] = {}
        self.parts: dict[int, int] = {}
        self.begun: dict[int, int] = defaultdict(int)

    def run(self) -> Agreement:
        everything = self.program.instructions
        lengths = {
            number: length
            for number, one in enumerate(everything)
            if class_of(one) in _LOADS and (length := self._length(number)) is not None
        }
        held = contents(self.program, products_asked(self.program), lengths)
        products: list[tuple[int, Product]] = []
        for number, one in enumerate(everything):
            operands = read(one, REGISTER_BYTES)
            used = product(one, operands)
            if used is not None:
                products.append((number, used))
            elif number in lengths:
                self._load(number, operands, lengths[number])
        for number, used in products:
            self._product(number, used, held)
        return self.found

    def _length(self, number: int) -> int | None:
        """Bytes that a message brings to all lanes, as level L has it."""
        link = self.links[number]
        each = None if link is None else self.brought.payload(self.ops[link])
        return None if each is None else each * LANES

    def _load(self, number: int, operands: Operands, whole: int) -> None:
        """Note a load; several that bring an op's bytes together do so in the order of their text."""
        link, target = self.links[number], operands.target
        if link is None or target is None:
            return
        brought = operands.bytes
        if brought is None or brought >= whole:
            self.found.loads[link].append((number, target))
            return
        self.parts[number] = self.begun[link]
        if not self.begun[link]:
            self.found.loads[link].append((number, target))
        self.begun[link] = (self.begun[link] + brought) % whole

    def _product(self, number: int, used: Product, held: Contents) -> None:
        link = self.links[number]
        op = None if link is None else self.ops[link]
        if link is None or op is None or not is_product(op):
            self.found.unlinked += 1
            return
        verdicts: list[Verdict] = []
        for place, name in enumerate(OPERANDS):
            value = op.operands[ARGUMENTS[name]]
            verdicts.append(self._verdict(value, held.origins(number, place)))
        c, b, a = verdicts
        self.found.products.append(Checked(number, link, used, (c, b, a)))

    def _verdict(self, value: SSAValue, origins: Iterable[Origin]) -> Verdict:
        expected = self._expected(value)
        found: set[Verdict] = set()
        for origin in origins:
            verdict = self._one(origin, expected)
            found.add(verdict)
            if verdict == "different":
                self.found.wrong |= {op for op, _ in expected if op != CONSTANT}
        for verdict in ("different", "unknown", "computed"):
            if verdict in found:
                return verdict
        return "proved"

    def _one(self, origin: Origin, expected: Mapping[tuple[int, int], int]) -> Verdict:
        wanted = ((1 << origin.length) - 1) << origin.at
        if origin.instruction is None:
            held = expected.get((CONSTANT, 0), 0)
            return "proved" if held & wanted == wanted else "computed"
        if origin.instruction < 0:
            return "unknown"
        one = self.program.instructions[origin.instruction]
        link = self.links[origin.instruction]
        kind = class_of(one)
        if kind not in (*_LOADS, "dpas"):
            return "unknown" if kind == "fill" else "computed"
        if link is None:
            return "unknown"
        byte = origin.byte + self.parts.get(origin.instruction, 0)
        held = expected.get((link, byte - origin.at), 0)
        return "proved" if held & wanted == wanted else "different"

    def _expected(self, value: SSAValue) -> Mapping[tuple[int, int], int]:
        """By op and the distance of a byte in what it gives from its place in the operand, the places as bits."""
        if value not in self.expected:
            self.expected[value] = self._places(value)
        return self.expected[value]

    def _places(self, value: SSAValue) -> Mapping[tuple[int, int], int]:
        size = word_bytes(value.type)
        found: dict[tuple[int, int], int] = defaultdict(int)
        at = 0
        for length, given in self.brought.of(value):
            bits = in_all_lanes(at, length, size)
            for op, source in given:
                words = size if op == CONSTANT else self._words(op)
                if op == CONSTANT:
                    found[op, 0] |= bits
                elif words == size and (source - at) % size == 0:  # as far away in every lane
                    found[op, (source - at) * LANES] |= bits
                else:
                    _add_each(found, op, range(at, at + length), source - at, (size, words))
            at += length
        return found

    def _words(self, op: int) -> int:
        """Bytes of a word of what an op gives, which is asked for each byte of it."""
        if op not in self.words:
            self.words[op] = self.brought.words(self.ops[op])
        return self.words[op]


def in_registers(byte: int, lane: int, word: int) -> int:
    """Where a byte of a lane's part is in registers, counted from the first, for words of so many bytes."""
    return (byte // word * LANES + lane) * word + byte % word


def in_all_lanes(first: int, length: int, word: int) -> int:
    """Bytes of a lane's part, for words of so many bytes, as bits: where they are in registers for all lanes."""
    if first % word == length % word == 0:
        return ((1 << length * LANES) - 1) << first * LANES
    lanes = sum(1 << lane * word for lane in range(LANES))
    bits = 0
    for byte in range(first, first + length):
        bits |= lanes << in_registers(byte, 0, word)
    return bits


def _add_each(
    found: dict[tuple[int, int], int],
    op: int,
    places: range,
    ahead: int,
    words: tuple[int, int],
) -> None:
    """Add bytes that an op gives in other words than those in which they are read: each lane's are elsewhere."""
    size, given = words
    for byte in places:
        first = in_registers(byte, 0, size)
        distance = in_registers(byte + ahead, 0, given) - first
        for lane in range(LANES):
            found[op, distance + lane * (given - size)] |= 1 << first + lane * size
