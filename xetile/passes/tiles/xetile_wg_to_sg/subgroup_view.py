"""A workgroup-level function as one subgroup sees it: the new form of each value, and where its units begin."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Self, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.analysis.same_value import is_tile_vector, vector_shape
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import SubgroupIdOp
from xetile.dialects.xetile import TileType
from xetile.errors import fail
from xetile.layout.algebra.block_grids import Distribution, Term
from xetile.passes.tiles.xetile_wg_to_sg.exchanged import Exchanged, Kept
from xetile.passes.tiles.xetile_wg_to_sg.units import Copies, Units, in_registers, unit_vector
from xetile.planning.distribution.holdings import Holdings
from xetile.planning.distribution.needs import carries
from xetile.rewriting.one_to_many import Expansion, Offset
from xetile.rewriting.rewriter import Handlers, remade
from xetile.targets.target import Target

MOST_UNITS = 1 << 12
"""The most units of one value in a subgroup; each becomes ops of its own."""


class SubgroupView(Expansion):
    """A function that is rebuilt for one subgroup."""

    def __init__(
        self,
        function: Operation,
        handlers: Handlers[Self],
        holdings: Holdings,
        *,
        exchange_bytes: int,
        device: Target,
    ) -> None:
        super().__init__(function, handlers)
        self.exchange_bytes = exchange_bytes
        self.device = device
        self.moves: list[Exchanged | Kept] = []
        self.loaded: dict[tuple[object, ...], tuple[Block, Units]] = {}
        for argument in function.regions[0].blocks[0].args:
            if isinstance(argument.type, TileType) or is_tile_vector(argument.type):
                fail(
                    function,
                    f"the workgroup-level function takes an argument of type {argument.type}; "
                    "expected memrefs, addresses and scalars, from which tiles are made inside",
                )
        self.holdings = holdings
        self.maps = holdings.needs.maps
        self._made: Distribution | None = None

    # Distributions of values.

    def distribution_of(self, value: SSAValue) -> Distribution:
        """Return the distribution of a value: that of its map, or that in which the current result is being made."""
        if self._made is not None and value in self.current.results:
            return self._made
        distribution = self.holdings.needs.home(value)
        if distribution.local_units > MOST_UNITS:
            fail(
                self.current,
                f"{value.type} gives each subgroup {distribution.local_units} units of "
                f"{'x'.join(map(str, distribution.unit))}, expected at most {MOST_UNITS}; "
                f"{self.maps[value]} needs larger sg_data",
            )
        return distribution

    def units(self, value: SSAValue) -> Units:
        """Return a subgroup's units of an operand, in the distribution in which the current op takes it."""
        became = self.get(value)
        assert isinstance(became, Units | Copies)
        held = became.each if isinstance(became, Copies) else [became]
        wanted = self.holdings.wanted(self.current, self._made, value)
        for units in held:
            if units.distribution == wanted:
                return units
        made = (in_registers(self, units, wanted) for units in held)
        return next(units for units in made if units is not None)

    def rewrite(self, op: Operation) -> None:
        """Rewrite an op once for each distribution of its results, if there are several or one unlike the map's."""
        mapped = [] if carries(op) else [v for v in op.results if v in self.maps]
        held = [self.holdings.of(value) for value in mapped]
        if all(
            len(one) == 1 and one[0] == self.holdings.needs.home(value)
            for value, one in zip(mapped, held, strict=True)
        ):
            super().rewrite(op)
            return
        copies: dict[SSAValue, list[Units]] = {value: [] for value in mapped}
        for distribution in dict.fromkeys(d for one in held for d in one):
            self._made = distribution
            super().rewrite(op)
            for value, one in zip(mapped, held, strict=True):
                if distribution in one:
                    copies[value].append(self._units_made(value))
        self._made = None
        for value, units in copies.items():
            self.bind(value, units[0] if len(units) == 1 else Copies.of(units))

    def _units_made(self, value: SSAValue) -> Units:
        became = self.get(value)
        assert isinstance(became, Units)
        return became

    # Where this subgroup's units begin.

    def unit_offset(self, term: Term) -> Offset:
        if term.modulus == 1:
            return term.shift
        start = self.shared(
            ("offset", term.divisor, term.modulus, term.scale),
            lambda: arith.MuliOp(self.coordinate(term), self.constant(term.scale)),
        )
        return self.add(start, term.shift)

    def coordinate(self, term: Term) -> SSAValue:
        coordinate = self.identifier()
        if term.divisor != 1:
            identifier, divisor = coordinate, self.constant(term.divisor)
            coordinate = self.shared(
                ("row", term.divisor), lambda: arith.DivUIOp(identifier, divisor)
            )
        if not term.whole:
            undivided, modulus = coordinate, self.constant(term.modulus)
            coordinate = self.shared(
                ("coordinate", term.divisor, term.modulus),
                lambda: arith.RemUIOp(undivided, modulus),
            )
        return coordinate

    def unit_offsets(self, distribution: Distribution) -> list[tuple[Offset, ...]]:
        return [
            tuple(self.unit_offset(term) for term in distribution.offset_terms(rounds))
            for rounds in distribution.round_coordinates
        ]

    def is_whole(self, value: SSAValue) -> bool:
        distribution = self.distribution_of(value)
        return distribution.unit == distribution.shape

    def single(self, value: SSAValue) -> SSAValue:
        """Return the new value of an old one for ops that know no units, so that a vector must be held whole."""
        if not isinstance(self.get(value), Units | Copies):
            return super().single(value)
        if isinstance(value.type, TileType):
            self.refuse(f"cannot take a workgroup's tile {value.type}")
        became = self.units(value)
        distribution = became.distribution
        if distribution.unit == distribution.shape:
            return became.values[0]
        self.refuse(
            f"needs all of a {value.type} that subgroups hold in parts "
            f"({_in_words(distribution)}); use an op of xetile, or a tile_conv_layout to "
            f"sg_data = {list(distribution.shape)} before it"
        )

    @property
    def exchanges(self) -> list[Exchanged]:
        """The exchanges through shared memory, in program order."""
        return [made for made in self.moves if isinstance(made, Exchanged)]

    def note_kept(self, source: Distribution, target: Distribution) -> None:
        """Record for the report that the current op's value changes its owners without shared memory."""
        value = self.current.operands[0]
        if value not in self.maps:
            if source != target:
                self.moves.append(Kept(self.current, source, target, "in registers"))
            return
        home, held = self.holdings.needs.home(value), self.holdings.of(value)
        if home.shape == source.shape and home != source:
            how = "by a second load" if home in held else "by loading or making it so"
            if (avoided := self.holdings.avoided.get(self.current)) is not None:
                how = f"by {avoided.kind}"
            self.moves.append(Kept(self.current, home, target, how))
        elif source != target:
            self.moves.append(Kept(self.current, source, target, "in registers"))

    # Emission.

    def each_unit(
        self, value: SSAValue, distribution: Distribution, make: Callable[[int], Operation]
    ) -> None:
        results = [self.new(make(unit)) for unit in range(distribution.local_units)]
        self.bind(value, Units(results, distribution))

    def elementwise(self, op: Operation) -> None:
        distribution = self.distribution_of(op.results[0])
        types = [unit_vector(result.type, distribution) for result in op.results]
        made = [
            self.emit(retyped(op, [self._of_unit(v, unit) for v in op.operands], types))
            for unit in range(distribution.local_units)
        ]
        for number, result in enumerate(op.results):
            self.bind(result, Units([copy.results[number] for copy in made], distribution))

    def _of_unit(self, value: SSAValue, unit: int) -> SSAValue:
        if isinstance(self.get(value), Units | Copies):
            return self.units(value).values[unit]
        return self.single(value)

    def other(self, op: Operation) -> None:
        if has_trait(op, Elementwise) and any(is_tile_vector(v.type) for v in op.results):
            self.elementwise(op)
        else:
            self.copy(op)

    def copy(self, op: Operation) -> None:
        """Copy an op that is not distributed, if every subgroup holds all of its vectors."""
        for result in op.results:
            if isinstance(result.type, TileType):
                fail(
                    op,
                    f"'{op.name}' makes a workgroup's tile {result.type}; expected xetile.init_tile",
                )
            if is_tile_vector(result.type) and not self.is_whole(result):
                fail(
                    op,
                    f"'{op.name}' makes a {result.type} that subgroups shall hold in parts "
                    f"({_in_words(self.distribution_of(result))}); make it by an op of xetile, or with "
                    f"sg_data = {list(vector_shape(result))} and a tile_conv_layout after it",
                )
        super().copy(op)
        for result in op.results:
            if is_tile_vector(result.type):
                copy = cast(SSAValue, self.get(result))
                cast(Operation, copy.owner).attributes.pop("wg_map", None)
                self.bind(result, Units([copy], self.distribution_of(result)))

    @contextmanager
    def first_owners(self, distribution: Distribution) -> Generator[None]:
        """Emit ops that one subgroup per unit executes: the first of those that hold it."""
        bounds = distribution.first_owner_terms()
        if not bounds:
            yield
            return
        checks = [
            self.new(arith.CmpiOp(self.coordinate(term), self.constant(bound), "ult"))
            for term, bound in bounds
        ]
        condition = checks[0]
        for check in checks[1:]:
            condition = self.new(arith.AndIOp(condition, check))
        with self.only_if(condition):
            yield

    @contextmanager
    def only_if(self, condition: SSAValue | None) -> Generator[None]:
        """Emit ops that execute where the condition is true; None is always true."""
        if condition is None:
            yield
            return
        body = Block()
        with self.building(body):
            yield
            self.emit(scf.YieldOp())
        self.emit(scf.IfOp(condition, [], Region(body), Region()))

    def choose(
        self, condition: SSAValue | None, make: Callable[[], SSAValue], otherwise: SSAValue
    ) -> SSAValue:
        """Return the value that `make` emits where the condition is true, else `otherwise`; None is always true."""
        if condition is None:
            return make()
        then, other = Block(), Block()
        with self.building(then):
            self.emit(scf.YieldOp(make()))
        with self.building(other):
            self.emit(scf.YieldOp(otherwise))
        return self.new(scf.IfOp(condition, [otherwise.type], Region(then), Region(other)))

    def identifier(self) -> SSAValue:
        return self.shared(("subgroup_id",), SubgroupIdOp)


def _in_words(distribution: Distribution) -> str:
    return f"sg_layout = {list(distribution.grid)}, sg_data = {list(distribution.unit)}"


def is_signless(element: Attribute) -> bool:
    """Return True if arith's ops accept such elements: signless integers, and types that are not integers."""
    if not isinstance(element, IntegerType):
        return True
    return cast("IntegerType", element).signedness.data is Signedness.SIGNLESS


def retyped(
    op: Operation, operands: Sequence[SSAValue], result_types: Sequence[Attribute]
) -> Operation:
    """Return the same op with other operands and without its maps."""
    copy = remade(op, operands, result_types)
    for entries in (copy.properties, copy.attributes):
        for name in [name for name in entries if name.startswith("wg_map")]:
            del entries[name]
    return copy
