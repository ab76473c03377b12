"""The places of a vector of offsets: a function of the elements' coordinates, read from the ops that make them.

Consider the offsets of a 16x8 block in rows of 64 elements:

    %rows = arith.muli %step, %c64 : vector<16xindex>           ... transposed, broadcast
    %columns = vector.broadcast %step8 : vector<8xindex> to vector<16x8xindex>
    %offsets = arith.addi %rows_broadcast, %columns : vector<16x8xindex>

Element (r, c) is 64 r + c: each bit of a coordinate adds its weight. Weights may be products with scalars (a pitch that
is known at run time), and bits may be combined by exclusive or (a swizzle). If no rule applies, the places still record
the coordinates on which the elements depend.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, is_splat
from xetile.analysis.ranges import Interval, Ranges
from xetile.dialects.known_integers import known_integer
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.hints import isa
from xetile.planning.xe.register_layouts.layout_rules import (
    is_dealt_out,
    relation_of,
    row_major_bits,
)
from xetile.planning.xe.register_layouts.places import (
    ANY_BITS,
    MOST_TERMS,
    ONE,
    Places,
    Product,
    Swizzle,
    Term,
    added,
    as_swizzle,
    lowest,
    moved,
    possible_bits,
    possible_sum,
    times,
    union,
    unknown_places,
)
from xetile.targets.target import INDEX_BITS


class PlaceAnalysis:
    """The places of the vectors of one function; `ranges` are those of its scalars."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self._known: dict[SSAValue, Places] = {}
        self._order: dict[SSAValue, int] = {}

    def places(self, value: SSAValue) -> Places:
        """Return the known places of a vector of integers or booleans."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._found(value)
        return found

    def _found(self, value: SSAValue) -> Places:
        shape = _shape(value)
        op = value.owner
        if not isinstance(op, Operation) or not is_dealt_out(vector_type(value)):
            return unknown_places(shape)
        rule = _RULES.get(op.name)
        if rule is not None:
            return rule(self, op)
        if has_trait(op, Elementwise):
            return self.elementwise(op)
        return unknown_places(shape)

    def elementwise(self, op: Operation) -> Places:
        """Return the places of an op without a rule: they depend on all that its operands depend on."""
        made = [self.places(v) for v in op.operands if isa(v.type, VectorType)]
        return Places(_width(op), {}, unknown=union(places.depends for places in made))

    def scalar(self, value: SSAValue, width: int) -> Places:
        """Return the places of a vector that repeats a scalar."""
        number = known_integer(value)
        zeros = (0,) * width
        if number is not None:
            return Places(width, {ONE: Term(number, zeros)})
        self._order.setdefault(value, len(self._order))
        return Places(width, {(value,): Term(1, zeros)})

    def product(self, left: Product, right: Product) -> Product:
        """Multiply two products and sort their scalars in the order of their first use."""
        return tuple(sorted((*left, *right), key=self._order.__getitem__))

    def bits_of(self, product: Product) -> int:
        """Return the bits of a product that may be set, as a mask; it is negative if they are unbounded."""
        found = 1
        for value in product:
            bits = possible_bits(value, self.ranges)
            if bits < 0 or found < 0:
                found = -(lowest(found) * lowest(bits))
            else:
                most = found.bit_length() + bits.bit_length()
                found = (1 << most) - lowest(found) * lowest(bits)
        return found

    def possible(self, places: Places) -> int:
        """Return the bits that may be set in any element, as a mask; it is negative if they are unbounded."""
        if places.unknown is not None:
            return ANY_BITS
        masks: list[int] = []
        for product, term in places.terms.items():
            for factor in (term.number, *term.weights):
                if product == ONE:
                    masks.append(factor)
                elif factor:
                    bits = self.bits_of(product)
                    masks.append(times(bits, factor))
        if places.swizzle is not None:
            masks.append(self.possible_swizzle(places.swizzle))
        return possible_sum(masks)

    def possible_swizzle(self, swizzle: Swizzle) -> int:
        """Return the bits that may be set in a swizzle."""
        inside = union((*swizzle.columns, swizzle.number))
        return inside | self.possible_uniform(swizzle)

    def possible_uniform(self, swizzle: Swizzle) -> int:
        """Return the bits that may be set in a swizzle's uniform part."""
        return possible_sum([times(self.bits_of(p), n) for p, n in swizzle.uniform])

    def interval(self, places: Places) -> Interval | None:
        """Return the interval in which the elements lie, or None if it is not known."""
        if places.unknown is not None or places.swizzle is not None:
            return None
        low = high = 0
        for product, term in places.terms.items():
            least = term.number + sum(weight for weight in term.weights if weight < 0)
            most = term.number + sum(weight for weight in term.weights if weight > 0)
            corners = [least, most]
            for value in product:
                known = self.ranges.get(value)
                if known is None:
                    return None
                corners = [corner * bound for corner in corners for bound in known]
            low, high = low + min(corners), high + max(corners)
        return Interval(low, high)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(vector_type(value).get_shape())


def _width(op: Operation) -> int:
    return prod(_shape(op.results[0])).bit_length() - 1


# Rules by op.


def _constant(_: PlaceAnalysis, op: Operation) -> Places:
    shape, value = _shape(op.results[0]), dense_value(op)
    if value is None or not isa(value.get_element_type(), IntegerType | IndexType):
        return unknown_places(shape)
    width = _width(op)
    if is_splat(value):
        return Places(width, {ONE: Term(_numbers(value)[0], (0,) * width)})
    numbers = _numbers(value)
    order = row_major_bits(shape)
    first = numbers[0]
    weights, columns = [0] * width, [0] * width
    sums, ors = [first], [first]
    for bit, place in enumerate(order):
        weights[place] = numbers[1 << bit] - first
        columns[place] = numbers[1 << bit] ^ first
        sums += [number + weights[place] for number in sums]
        ors += [number ^ columns[place] for number in ors]
    if sums == numbers:
        return Places(width, {ONE: Term(first, tuple(weights))})
    if ors == numbers:
        return Places(width, {}, Swizzle((), first, tuple(columns)))
    return unknown_places(shape)


def _numbers(value: Dense) -> list[int]:
    return [number for number in value.get_values() if isinstance(number, int)]


def _step(_: PlaceAnalysis, op: Operation) -> Places:
    width = _width(op)
    return Places(width, {ONE: Term(0, tuple([1 << bit for bit in range(width)]))})


def _broadcast(analysis: PlaceAnalysis, op: Operation) -> Places:
    (source,) = op.operands
    if not isa(source.type, VectorType):
        return analysis.scalar(source, _width(op))
    return _rearranged(analysis, op)


def _rearranged(analysis: PlaceAnalysis, op: Operation) -> Places:
    """Return the places of all elements of a vector in another order, or repeated."""
    (source,) = op.operands
    relation = relation_of(op, 0)
    if relation is None or not is_dealt_out(vector_type(source)):
        return unknown_places(_shape(op.results[0]))
    return moved(analysis.places(source), relation)


def _sliced(analysis: PlaceAnalysis, op: Operation) -> Places:
    """Return the places of a part of a vector: the coordinates on which it depends, but not where it begins."""
    source, relation = op.operands[0], relation_of(op, 0)
    if relation is None or None in relation.bits or not is_dealt_out(vector_type(source)):
        return unknown_places(_shape(op.results[0]))
    whole = analysis.places(source)
    found = moved(whole, relation)
    return (
        found if whole.number is not None else Places(found.width, {}, unknown=found.depends)
    )


def _sum(analysis: PlaceAnalysis, op: Operation) -> Places:
    left, right = (analysis.places(operand) for operand in op.operands)
    return added(left, right) or analysis.elementwise(op)


def _difference(analysis: PlaceAnalysis, op: Operation) -> Places:
    left, right = (analysis.places(operand) for operand in op.operands)
    return added(left, right, -1) or analysis.elementwise(op)


def _multiplied(analysis: PlaceAnalysis, op: Operation) -> Places:
    left, right = (analysis.places(operand) for operand in op.operands)
    return _product(analysis, left, right) or analysis.elementwise(op)


def _product(analysis: PlaceAnalysis, left: Places, right: Places) -> Places | None:
    if left.depends or left.unknown is not None:
        left, right = right, left
    if left.unknown is not None or left.depends or left.swizzle is not None:
        return None
    number = left.number
    if right.swizzle is not None:
        if number is None or number <= 0 or number & (number - 1) or right.terms:
            return None
        swizzle = Swizzle(
            tuple([(product, count * number) for product, count in right.swizzle.uniform]),
            right.swizzle.number * number,
            tuple([column * number for column in right.swizzle.columns]),
        )
        return replace(right, swizzle=swizzle)
    terms: dict[Product, Term] = {}
    for mine, (factor, _) in left.terms.items():
        for theirs, term in right.terms.items():
            product = analysis.product(mine, theirs)
            old = terms.get(product, Term(0, (0,) * right.width))
            weights = zip(old.weights, term.weights, strict=True)
            terms[product] = Term(
                old.number + factor * term.number, tuple([a + factor * b for a, b in weights])
            )
    if len(terms) > MOST_TERMS:
        return None
    return Places(right.width, terms, None, right.unknown)


def _shifted(analysis: PlaceAnalysis, op: Operation) -> Places:
    left, right = (analysis.places(operand) for operand in op.operands)
    count = right.number
    if count is None or not 0 <= count < INDEX_BITS:
        return analysis.elementwise(op)
    factor = Places(left.width, {ONE: Term(1 << count, (0,) * left.width)})
    return _product(analysis, factor, left) or analysis.elementwise(op)


def _exclusive(analysis: PlaceAnalysis, op: Operation) -> Places:
    left, right = (analysis.places(operand) for operand in op.operands)
    if disjoint := _disjoint_sum(analysis, left, right):
        return disjoint
    parts = as_swizzle(left), as_swizzle(right)
    if parts[0] is None or parts[1] is None or (parts[0].uniform and parts[1].uniform):
        return analysis.elementwise(op)
    columns = zip(parts[0].columns, parts[1].columns, strict=True)
    swizzle = Swizzle(
        parts[0].uniform or parts[1].uniform,
        parts[0].number ^ parts[1].number,
        tuple([a ^ b for a, b in columns]),
    )
    return Places(left.width, {}, swizzle)


def _disjoint_sum(analysis: PlaceAnalysis, left: Places, right: Places) -> Places | None:
    """Return the sum of numbers without common bits, which equals their `or` and `xor`."""
    if analysis.possible(left) & analysis.possible(right):
        return None
    return added(left, right)


def _either(analysis: PlaceAnalysis, op: Operation) -> Places:
    left, right = (analysis.places(operand) for operand in op.operands)
    return _disjoint_sum(analysis, left, right) or analysis.elementwise(op)


def _cast(analysis: PlaceAnalysis, op: Operation) -> Places:
    """Return the places of a cast, which keeps a number that the narrower type can represent."""
    source = op.operands[0]
    places = analysis.places(source)
    narrow = min(_bits(source), _bits(op.results[0]))
    if narrow == INDEX_BITS:
        return places
    interval = analysis.interval(places)
    if interval is None or not interval.fits(narrow):
        return analysis.elementwise(op)
    return places


def _bits(value: SSAValue) -> int:
    element: Attribute = vector_type(value).element_type
    return element.width.data if isa(element, IntegerType) else INDEX_BITS


_RULES: Mapping[str, Callable[[PlaceAnalysis, Operation], Places]] = {
    "arith.addi": _sum,
    "arith.constant": _constant,
    "arith.extsi": _cast,
    "arith.index_cast": _cast,
    "arith.muli": _multiplied,
    "arith.ori": _either,
    "arith.shli": _shifted,
    "arith.subi": _difference,
    "arith.trunci": _cast,
    "arith.xori": _exclusive,
    "vector.broadcast": _broadcast,
    "vector.extract": _sliced,
    "vector.extract_strided_slice": _sliced,
    "vector.shape_cast": _rearranged,
    "vector.step": _step,
    "vector.transpose": _rearranged,
    "xegpu.convert_layout": _rearranged,
}
