"""Which registers of the assembly hold which vectors of level V, and what its matrix instructions read.

    V          %b = xevm.blockload2d .. : vector<32xi32>         layout: register 9, lane 5 is B[18, 5]
    assembly   send.ugm  r196  r67 ..                            so that element is in word 9 of r196's run, at lane 5
               dpas.8x8  r2:f  r2:f  r196:hf  r35.0:hf           which this one reads

A load begins in the register that its message names. It is believed where every matrix instruction that should read
what it brought does (`agreement.py`); else it is left out. What is computed begins where its matrix instructions read
it, which their debug lines tell.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import VectorType

from xetile.exploration.agreement import ARGUMENTS, OPERANDS, Agreement, Checked, agreement
from xetile.exploration.brought import word_bytes
from xetile.exploration.instructions import Listing, listing
from xetile.exploration.model import At, Dpas, Kernel
from xetile.exploration.trace import Traced
from xetile.hints import isa
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import REGISTER_BYTES
from xetile.targets.xe.dpas import CHANNEL_BITS
from xetile.toolchain.classes import class_of
from xetile.toolchain.operands import BYTES, Region, read


def add_registers(trace: Traced) -> Agreement | None:
    """Add matrix instructions, and the registers of holdings; nothing where there is no assembly."""
    found = listing(trace.kernel)
    if found is None or "L" not in trace.ops:
        return None
    result = agreement(found.program, found.links, trace.ops["L"])
    kernel = trace.kernel
    kernel.checked = result.counts()
    known = _Known(trace, found, result)
    known.add_loads()
    known.add_products()
    known.add_stores()
    _tell(kernel, result)
    return result


def _tell(kernel: Kernel, result: Agreement) -> None:
    """Say how many operands are not proved, where there are any."""
    counts = kernel.checked
    total = sum(counts.values())
    if not total or counts["proved"] == total:
        return
    rest = ", ".join(
        f"{counts[key]} {words}"
        for key, words in (
            ("computed", "are computed on the way, so that only debug lines tell of them"),
            ("different", "hold something else, and are not drawn"),
            ("unknown", "are not known"),
        )
        if counts[key]
    )
    kernel.notes.append(
        f"registers: {counts['proved']} of {total} operands of matrix instructions are proved; {rest}"
    )


class _Values:
    """The values that ops of level L make and use, and those of level V that the ops make and use that they came of."""

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
        """An op of level L, and the one that it came of."""
        above = self.above
        return [(self.origin, op)] + [
            (above, n) for n in self.parents[op] if above is not None
        ]

    def results(self, op: int) -> list[At]:
        """The only results of an op, and of the one that it came of."""
        return [made[0] for at in self._at(op) if len(made := self.made.get(at, [])) == 1]

    def operands(self, op: int, operand: int) -> list[At]:
        """An operand of an op, and of the one that it came of."""
        return [self.used[at, operand] for at in self._at(op) if (at, operand) in self.used]

    def stored(self, op: int) -> Iterator[tuple[At, int]]:
        """The only vector that the op stores that an op came of, with the bytes of its words."""
        for level, number in self._at(op)[1:]:
            types = [value.type for value in self.ops[level][number].operands]
            vectors = [place for place, type in enumerate(types) if isa(type, VectorType)]
            if len(vectors) == 1:
                yield self.used[(level, number), vectors[0]], word_bytes(types[vectors[0]])


class _Place(NamedTuple):
    """Where an instruction names a value, and the bytes of a word there."""

    asm: int
    region: Region
    word: int


class _Known:
    """Fills `dpas`, and `base` and `copies` of holdings; what is known first stays."""

    def __init__(self, trace: Traced, found: Listing, result: Agreement) -> None:
        self.kernel, self.found, self.result = trace.kernel, found, result
        self.ops = trace.ops["L"]
        self.values = _Values(trace, found.origin)
        self.places: dict[At, list[_Place]] = defaultdict(list)

    def add_loads(self) -> None:
        """The destinations of loads, those of all copies of an op of level V together."""
        left_out: set[At] = set()
        for op, given in self.result.loads.items():
            word = self.result.brought.words(self.ops[op])
            for value in self.values.results(op):
                self.places[value] += [_Place(asm, region, word) for asm, region in given]
                if op in self.result.wrong:
                    left_out.add(value)
        for value in left_out:
            del self.places[value]
        self._write()

    def add_products(self) -> None:
        """The operands and results of matrix instructions."""
        for one in self.result.products:
            regions = (one.product.accumulator, one.product.b, one.product.a)
            holdings: dict[str, int | None] = {}
            for name, verdict, region in zip(OPERANDS, one.verdicts, regions, strict=True):
                is_wrong = verdict in ("different", "unknown")
                values = [] if is_wrong else self.values.operands(one.op, ARGUMENTS[name])
                holdings[name] = self._holding(values[-1]) if values else None
                word = word_bytes(self.ops[one.op].operands[ARGUMENTS[name]].type)
                if region is not None:
                    self._add(values, _Place(one.asm, region, word))
            word = word_bytes(self.ops[one.op].results[0].type)
            results = self.values.results(one.op)
            self._add(results, _Place(one.asm, one.product.result, word))
            holdings["d"] = self._holding(results[-1]) if results else None
            self.kernel.dpas.append(self._dpas(one, holdings))
        self._write()

    def _dpas(self, one: Checked, holdings: Mapping[str, int | None]) -> Dpas:
        used = one.product
        element = BYTES.get(used.a.type, 1) * BYTE_BITS
        depth = used.depth * max(1, CHANNEL_BITS // element)
        at = self.found.origin, one.op
        return Dpas(at, one.asm, used.rows, used.channels, depth, **holdings)

    def add_stores(self) -> None:
        """What block stores store, where no matrix instruction has told."""
        for number, one in enumerate(self.found.program.instructions):
            link = self.found.links[number]
            if link is None or class_of(one) != "store2d":
                continue
            region = read(one, REGISTER_BYTES).sources[1]
            if region is None:
                continue
            for value, word in self.values.stored(link):
                self._add([value], _Place(number, region, word))
        self._write()

    def _add(self, values: Iterable[At], place: _Place) -> None:
        for value in values:
            self.places[value].append(place)

    def _write(self) -> None:
        """Give the holdings of values what was found, and forget it."""
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
    """Where a value is, in the order of the assembly: instructions that name another register than the one before."""
    last: int | None = None
    for asm, region, _ in places:
        if region.byte // REGISTER_BYTES != last:
            last = region.byte // REGISTER_BYTES
            yield asm, last
