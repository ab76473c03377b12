"""The registers of the assembly that hold each vector of level V, and the operands of its matrix instructions.

    V          %b = xevm.blockload2d .. : vector<32xi32>         layout: register 9, lane 5 is B[18, 5]
    assembly   send.ugm  r196  r67 ..                            so that element is in word 9 of r196's run, at lane 5
               dpas.8x8  r2:f  r2:f  r196:hf  r35.0:hf           which this one reads

A load begins in the register that its message names. A computed value begins where matrix instructions and block
stores name it. Debug lines identify the value. Tests compare loads with the matrix instructions that read them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import VectorType

from xetile.codegen.llvm_functions import is_product
from xetile.explorer.isa.instruction_costs import given_bytes, given_word, word_bytes
from xetile.explorer.isa.instruction_levels import Listing, listing
from xetile.explorer.isa.isa_operands import BYTES, Product, Region, product, read
from xetile.explorer.linking.trace import Traced
from xetile.explorer.model import At, Dpas
from xetile.hints import isa
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import LANES, REGISTER_BYTES
from xetile.targets.xe.dpas import CHANNEL_BITS
from xetile.toolchain.assembly import Class, class_of

_LOADS: tuple[Class, ...] = ("load2d", "load", "slm")
"""Messages that load the data that an op of level L asks for."""


def add_registers(trace: Traced) -> None:
    """Add matrix instructions, and the registers of holdings; nothing if there is no assembly."""
    found = listing(trace.kernel)
    if found is None or "L" not in trace.ops:
        return
    known = _Known(trace, found)
    known.add_loads()
    known.add_products()
    known.add_stores()


_ARGUMENTS: Mapping[str, int] = {"a": 0, "b": 1, "c": 2}
"""Operands of matrix instructions among the arguments of the call at level L."""


class _Values:
    """The results and operands of ops of level L, and those of the ops of level V that they come from."""

    def __init__(self, trace: Traced, origin: int) -> None:
        levels = trace.kernel.levels
        self.parents = [op.parents for op in levels[origin].ops]
        self.made: dict[At, list[At]] = defaultdict(list)
        self.used: dict[tuple[At, int], At] = {}
        self.origin, self.above = origin, levels[origin].of
        self.ops = {} if self.above is None else {self.above: trace.ops[levels[self.above].id]}
        self.ops[origin] = trace.ops[levels[origin].id]
        for level in self.ops:
            for number, value in enumerate(levels[level].values):
                self.made[level, value.op].append((level, number))
            for op, operand, value in levels[level].uses:
                self.used[(level, op), operand] = level, value

    def _at(self, op: int) -> list[At]:
        """Return an op of level L, and the op of V that it comes from."""
        above = self.above
        return [(self.origin, op)] + [
            (above, n) for n in self.parents[op] if above is not None
        ]

    def results(self, op: int) -> list[At]:
        """Return the only results of an op, and of the op that it comes from."""
        return [made[0] for at in self._at(op) if len(made := self.made.get(at, [])) == 1]

    def operands(self, op: int, operand: int) -> list[At]:
        """Return an operand of an op, and of the op that it comes from."""
        return [self.used[at, operand] for at in self._at(op) if (at, operand) in self.used]

    def stored(self, op: int) -> Iterator[tuple[At, int]]:
        """Yield the only vector that an op's parent at V stores, with the bytes of its words."""
        for level, number in self._at(op)[1:]:
            types = [value.type for value in self.ops[level][number].operands]
            vectors = [place for place, type in enumerate(types) if isa(type, VectorType)]
            if len(vectors) == 1:
                yield self.used[(level, number), vectors[0]], word_bytes(types[vectors[0]])


class _Place(NamedTuple):
    """The place where an instruction names a value, and the bytes of a word there."""

    asm: int
    region: Region
    word: int


class _Known:
    """The known registers of values, which fill `dpas`, and `base` and `copies` of holdings; the first is final."""

    def __init__(self, trace: Traced, found: Listing) -> None:
        self.kernel, self.origin = trace.kernel, found.origin
        self.ops = trace.ops["L"]
        self.values = _Values(trace, found.origin)
        self.places: dict[At, list[_Place]] = defaultdict(list)
        everything = found.program.instructions
        self.linked = [
            (number, one, read(one, REGISTER_BYTES), link)
            for number, (one, link) in enumerate(zip(everything, found.links, strict=True))
            if link is not None
        ]

    def add_loads(self) -> None:
        """Add the destinations of loads, those of all copies of an op of level V together.

        Several messages may load an op's bytes, in any order: they are one load if their destinations follow each
        other, else the op is left out.
        """
        begun: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for number, one, operands, link in self.linked:
            each = given_bytes(self.ops[link]) if class_of(one) in _LOADS else None
            target = operands.target
            if each is None or target is None:
                continue
            brought = min(each * LANES, operands.bytes or each * LANES)
            parts = begun[link] = sorted([*begun[link], (target.byte, brought, number)])
            if sum(bytes for _, bytes, _ in parts) < each * LANES:
                continue
            del begun[link]
            if all(first + bytes == byte for (first, bytes, _), (byte, *_) in pairwise(parts)):
                at, region = min(n for *_, n in parts), target._replace(byte=parts[0][0])
                place = _Place(at, region, given_word(self.ops[link]))
                self._add(self.values.results(link), place)
        self._write()

    def add_products(self) -> None:
        """Add the operands and results of matrix instructions."""
        for number, one, operands, link in self.linked:
            used, op = product(one, operands), self.ops[link]
            if used is None or not is_product(op):
                continue
            values = {name: self.values.operands(link, at) for name, at in _ARGUMENTS.items()}
            values["d"] = self.values.results(link)
            types = {name: op.operands[at].type for name, at in _ARGUMENTS.items()}
            regions = {"c": used.accumulator, "b": used.b, "a": used.a, "d": used.result}
            for name, region in regions.items():
                if region is not None:
                    word = word_bytes(types.get(name, op.results[0].type))
                    self._add(values[name], _Place(number, region, word))
            self.kernel.dpas.append(self._dpas(number, link, used, values))
        self._write()

    def _dpas(
        self, number: int, link: int, used: Product, values: Mapping[str, list[At]]
    ) -> Dpas:
        element = BYTES.get(used.a.type, 1) * BYTE_BITS
        depth = used.depth * max(1, CHANNEL_BITS // element)
        held = {name: self._holding(of[-1]) if of else None for name, of in values.items()}
        at = self.origin, link
        return Dpas(at, number, used.rows, used.channels, depth, **held)

    def add_stores(self) -> None:
        """Add the values that block stores store, unless a matrix instruction has placed them."""
        for number, one, operands, link in self.linked:
            region = operands.sources[1] if class_of(one) == "store2d" else None
            if region is None:
                continue
            for value, word in self.values.stored(link):
                self._add([value], _Place(number, region, word))
        self._write()

    def _add(self, values: Iterable[At], place: _Place) -> None:
        for value in values:
            self.places[value].append(place)

    def _write(self) -> None:
        """Write the places found into the holdings of values, and clear them."""
        for value, places in self.places.items():
            number = self._holding(value)
            holding = None if number is None else self.kernel.holdings[number]
            if holding is None or holding.base is not None or holding.place != "registers":
                continue
            places.sort()
            _, region, word = places[0]
            register, byte = divmod(region.byte, REGISTER_BYTES)
            holding.base = {"register": register, "word": word * BYTE_BITS}
            if byte:
                holding.base["byte"] = byte
            holding.copies = list(_changes(places))
        self.places.clear()

    def _holding(self, value: At) -> int | None:
        level, number = value
        return self.kernel.levels[level].values[number].holding


def _changes(places: Iterable[_Place]) -> Iterator[tuple[int, int]]:
    """Yield the instructions, in order, that name another register of a value than the one before."""
    last: int | None = None
    for asm, region, _ in places:
        if region.byte // REGISTER_BYTES != last:
            last = region.byte // REGISTER_BYTES
            yield asm, last
