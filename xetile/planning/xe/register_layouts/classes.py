"""Classes of vectors with one layout, and the uses of each vector.

Elementwise ops compute in one layout, and values carried by control flow keep it. The result of a message, a matrix
instruction, a reduction or a rearranging op is a class of its own, which a use may convert.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from xetile.analysis.same_value import Carried, Classes, carried
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import DpasOp, LoadNdOp, StoreNdOp
from xetile.hints import isa
from xetile.planning.rounds import weight
from xetile.planning.xe.register_layouts.access_layouts import Accesses, LaneAccess
from xetile.planning.xe.register_layouts.held import (
    Held,
    Message,
    load_messages,
    product_operands,
    store_message,
)
from xetile.planning.xe.register_layouts.layout_rules import (
    Relation,
    is_computed,
    is_copied,
    is_dealt_out,
    relation_of,
    replicated,
)
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.prices import ELEMENTWISE

_LOOPS = ("scf.for", "scf.while")
_FIRST_INITIAL = {"scf.for": 3, "scf.while": 0}
REDUCTIONS = ("vector.multi_reduction", "vector.reduction")
_KEEPS_WORDS = (
    "vector.extract",
    "vector.extract_strided_slice",
    "vector.transpose",
    "vector.shape_cast",
    "vector.bitcast",
)
"""Ops that only relabel registers and leave the elements in their words."""


@dataclass(eq=False)
class LayoutClass:
    """Vectors of one layout.

    Attributes:
        first: the first of them in the program.
        messages: the messages that could load the vector; the class then has one of their layouts. Empty for others.
        fixed: the layout in which a matrix instruction makes it.
        access: the scattered access that loads the vector, or stores it as a class of its own; weighted by its loops.
        keeps_words: True if words of several elements stay unchanged.
        work: instructions of its elementwise ops for one register, each weighted by its loops.
        moved: its vectors that other classes use.
        sources: uses of other classes' vectors by this one.
        reductions: those of these uses, and of its own vectors' uses, that reduce.
        candidates: possible layouts, the nearest wish first.
    """

    first: SSAValue
    messages: tuple[Message, ...] = ()
    fixed: Held | None = None
    access: LaneAccess | None = None
    access_weight: int = 1
    keeps_words: bool = False
    work: int = 0
    moved: "list[Moved]" = field(default_factory=list)
    sources: "list[Use]" = field(default_factory=list)
    reductions: "list[Use]" = field(default_factory=list)
    candidates: list[Held] = field(default_factory=list)

    def price(self, held: Held) -> float:
        """Return the instructions of this class if held as `held`: to compute, and to load or to store."""
        found: float = self.work * held.registers
        if self.access is not None:
            found += self.access.price(held) * self.access_weight
        return found


@dataclass(eq=False)
class Moved:
    """A vector that other classes use: each conversion for its `uses` is done once, where it is defined.

    A conversion can be placed right after the definition, so that it executes as often as that.
    """

    value: SSAValue
    source: LayoutClass
    bits: int
    weight: int
    uses: "list[Use]" = field(default_factory=list)


@dataclass(eq=False)
class Use:
    """A vector operand of an op: needed as `fixed`, else in the layout related to that of `taker`, else unchanged."""

    moved: Moved
    op: Operation
    index: int
    depth: int
    taker: LayoutClass | None = None
    relation: Relation | None = None
    fixed: Held | None = None
    reduces: bool = False


class Placed(NamedTuple):
    """An op, and the number of loops around it."""

    op: Operation
    depth: int


def placed(block: Block, depth: int = 0) -> Iterator[Placed]:
    """Yield the ops of a block and those nested in them, in program order."""
    for op in block.ops:
        yield Placed(op, depth)
        inner = depth + (op.name in _LOOPS)
        for region in op.regions:
            for nested in region.blocks:
                yield from placed(nested, inner)


class Graph:
    """The classes of one function, and the uses between them.

    A vector about which no op here says anything (an argument) is in no class.
    """

    def __init__(self, function: Operation, device: XeDevice) -> None:
        self.device = device
        self.classes: list[LayoutClass] = []
        self.computed: set[SSAValue] = set()
        self.depths: dict[SSAValue, int] = {}
        self._own: set[SSAValue] = set()
        self._whole: set[SSAValue] = set()
        self._union = Classes[None](lambda left, _: left)
        self._of: dict[SSAValue, LayoutClass] = {}
        self._carried: dict[tuple[Operation, int], SSAValue] = {}
        self._depth_of_op: dict[Operation, int] = {}
        self._takes: dict[Operation, LayoutClass] = {}
        blocks = [block for region in function.regions for block in region.blocks]
        ops = [found for block in blocks for found in placed(block)]
        self.accesses = Accesses([found.op for found in ops], function, device)
        self.unread = self.accesses.unread([found.op for found in ops])
        self._ops = [found for found in ops if found.op not in self.unread]
        self._collect()
        self._make_classes()
        self._make_uses()

    def find(self, value: SSAValue) -> LayoutClass | None:
        """Return the class of a vector, or None for one that is computed or unknown."""
        return self._of.get(self._union.find(value))

    def access_class(self, op: Operation) -> LayoutClass:
        """Return the class of the vector that a scattered access loads or stores."""
        return self._takes[op]

    def depth_of(self, op: Operation) -> int:
        """Return the number of loops around an op."""
        return self._depth_of_op[op]

    # Vectors that have a layout, and those that share one.

    def _collect(self) -> None:
        ends: dict[Operation, list[Carried]] = {}
        for op, depth in self._ops:
            self._depth_of_op[op] = depth
            for pair in ends.pop(op, ()):
                self._carry(pair, depth)
            if op.regions:
                for pair in carried(op):
                    if pair.by is op and isinstance(pair.target, BlockArgument):
                        self._carry(pair, depth + (op.name in _LOOPS))
                    elif pair.by is op:
                        # An argument and a result, which are known once the initial value is.
                        self._carry(pair, depth)
                    else:
                        ends.setdefault(pair.by, []).append(pair)
            else:
                self._define(op, depth)

    def _known(self, value: SSAValue) -> bool:
        return value in self.depths or value in self.computed

    def _carry(self, pair: Carried, depth: int) -> None:
        """Relate a carried pair: the target has a layout, and the source has the same one if it has none of its own."""
        source, target, by = pair
        if not isa(target.type, VectorType) or not self._known(source):
            return
        if isinstance(target, OpResult):
            depth -= target.op.name in _LOOPS and by is not target.op
        self.depths.setdefault(target, depth)
        index = operand_index(pair)
        if index is None:
            self._union.unite(target, source)
            return
        known = self._carried.setdefault((by, index), target)
        if known is not target:
            self._union.unite(known, target)
        if source in self.depths and source not in self._own and not _is_initial(pair):
            self._union.unite(target, source)

    def _define(self, op: Operation, depth: int) -> None:
        results = [
            result
            for result in op.results
            if isa(result.type, VectorType) and is_dealt_out(result.type)
        ]
        if not results:
            return
        if is_computed(op):
            self.computed.update(results)
            return
        operands = [operand for operand in op.operands if self._known(operand)]
        if is_copied(op):
            self._whole.update(results)
        elif not (operands or op in self.accesses or isinstance(op, LoadNdOp | DpasOp)):
            return
        self.depths.update(dict.fromkeys(results, depth))
        if not (has_trait(op, Elementwise) or op.name == "xegpu.convert_layout"):
            self._own.update(results)
            return
        first, *others = results
        for value in (*others, *operands):
            if value in self.depths and value not in self._own:
                self._union.unite(first, value)

    # Classes and uses.

    def _make_classes(self) -> None:
        for value, depth in self.depths.items():
            root = self._union.find(value)
            made = self._of.get(root)
            if made is None:
                made = self._of[root] = LayoutClass(value)
                self.classes.append(made)
            if not isinstance(value, OpResult):
                continue
            op = value.op
            if op in self.accesses:
                self._give_access(made, op, depth)
            elif isinstance(op, LoadNdOp):
                made.messages = load_messages(op, self.device)
            elif isinstance(op, DpasOp):
                operands = product_operands(op, self.device)
                made.fixed = operands[-1] if operands else None
            elif value in self._whole:
                shape = vector_type(value).get_shape()
                made.fixed = Held(replicated(shape, self.device.lanes))
            elif value in self._own:
                made.keeps_words = op.name in _KEEPS_WORDS
            elif not op.regions:
                made.work += ELEMENTWISE.get(op.name, 1) * weight(depth)

        for op, depth in self._ops:
            if op in self.accesses and op not in self._takes:
                stores = LayoutClass(self.accesses[op].value)
                self.classes.append(stores)
                self._give_access(stores, op, depth)

    def _give_access(self, made: LayoutClass, op: Operation, depth: int) -> None:
        made.access, made.access_weight = self.accesses[op], weight(depth)
        made.keeps_words = True
        self._takes[op] = made

    def _make_uses(self) -> None:
        found: dict[SSAValue, Moved] = {}
        for op, depth in self._ops:
            held = [
                (index, value)
                for index, value in enumerate(op.operands)
                if value in self.depths and self._is_read(op, index)
            ]
            fixed = self.fixed(op) if held else ()
            for index, value in held:
                source = self._of[self._union.find(value)]
                taker, relation = self.taker(op, index)
                if index < len(fixed):
                    taker, relation = None, None
                elif taker is source:
                    continue
                moved = found.get(value)
                if moved is None:
                    times = weight(self.depths[value])
                    moved = found[value] = Moved(value, source, bits_of(value), times)
                    source.moved.append(moved)
                use = Use(moved, op, index, depth, taker, relation)
                use.fixed = fixed[index] if index < len(fixed) else None
                use.reduces = op.name in REDUCTIONS and index == 0
                moved.uses.append(use)
                if use.reduces and relation is not None:
                    source.reductions.append(use)
                if taker is not None:
                    taker.sources.append(use)
                    if use.reduces:
                        taker.reductions.append(use)

    def _is_read(self, op: Operation, index: int) -> bool:
        return op not in self.accesses or self.accesses[op].reads(index)

    def fixed(self, op: Operation) -> Sequence[Held]:
        """Return the layouts in which a matrix instruction or a store takes its first operands."""
        if isinstance(op, DpasOp):
            return product_operands(op, self.device)[:-1]
        if isinstance(op, StoreNdOp) and (message := store_message(op)) is not None:
            return (message.held,)
        return ()

    def taker(self, op: Operation, index: int) -> tuple[LayoutClass | None, Relation | None]:
        """Return the class whose layout decides how an op takes an operand, and the relation between the two."""
        if (target := self._carried.get((op, index))) is not None:
            return self.find(target), None
        if (access := self.accesses.get(op)) is not None:
            is_value = op.operands[index] is access.value
            return self._takes[op], None if is_value else access.relation
        if not op.results or op.regions:
            return None, None
        taker = self.find(op.results[0])
        if taker is not None and has_trait(op, Elementwise):
            return taker, None
        relation = relation_of(op, index)
        return (None, None) if relation is None else (taker, relation)


def operand_index(pair: Carried) -> int | None:
    """Return the operand index of a carried value at the op that passes it on; None from argument to loop result."""
    target, by = pair.target, pair.by
    assert isinstance(target, BlockArgument | OpResult)
    if by.name == "scf.condition":
        return target.index + 1
    loop = target.owner if isinstance(target, OpResult) else target.owner.parent_op()
    of_induction = isinstance(loop, Operation) and loop.name == "scf.for"
    if isinstance(target, OpResult):
        return None if by is loop else target.index
    return _FIRST_INITIAL.get(by.name, 0) + target.index - of_induction


def _is_initial(pair: Carried) -> bool:
    return pair.by.name in _FIRST_INITIAL


def bits_of(value: SSAValue) -> int:
    """Return the bits of a vector's element in a register."""
    return _element_bits(vector_type(value).element_type)


@lru_cache(maxsize=64)
def _element_bits(element: Attribute) -> int:
    width = getattr(element, "bitwidth", 64)
    return 32 if str(element) == "tf32" else int(width)
