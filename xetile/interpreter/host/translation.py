"""A loop of the host as LLVM IR: scalars, structured control flow, and single elements of memrefs from outside.

    scf.for %k = %c0 to %n step %c1 {              define i64 @loop(i64 %first, i64 %end, ptr %slots, ...) {
      %x = memref.load %m[%k] : memref<?xf32>        ; iterations first to end; slots: the data of an error,
      ...                                   ->       ; the values that the loop carries, those from outside,
    }                                                ; and operands and results of ops that the interpreter executes

Every op keeps its meaning: the same rounding, the same errors in the same order.

Functions of a compiled loop pass a memref to one another as its address, extents and strides.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.interpreter.common.accesses import refuse_outside
from xetile.interpreter.common.divergence import check_step
from xetile.interpreter.host.host_calls import refuse_assertion
from xetile.interpreter.host.host_machine import DEEPEST_CALL, host
from xetile.interpreter.host.host_scalars import write_scalar
from xetile.interpreter.host.llvm_text import (
    FOUND_SLOTS,
    INTEGER,
    LOOP,
    ROOM,
    UNLIKELY,
    Code,
    Place,
    Unsupported,
    held,
    literal,
    llvm_type,
)
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.reading import text
from xetile.interpreter.machine.runtime_values import Array, uniform
from xetile.interpreter.ops.math_ops import FUNCTIONS


class View(NamedTuple):
    """A memref from outside: its address, extents and strides, as names or literals."""

    source: SSAValue
    address: str
    sizes: list[str]
    strides: list[str]
    of: Element


class Callee(NamedTuple):
    """A translated function: its parameters, those whose memory it stores to, and the depth of its calls."""

    symbol: str
    types: Sequence[Attribute]
    stored: Sequence[int]
    depth: int


def passed(view: View) -> list[str]:
    """Return a memref as arguments or parameters."""
    return [f"ptr {view.address}", *(f"i64 {part}" for part in (*view.sizes, *view.strides))]


def parameter(argument: SSAValue, name: str) -> View:
    """Return the view of a memref parameter, whose parts are parameters of the function."""
    assert isinstance(argument.type, MemRefType)
    type = cast("MemRefType[Attribute]", argument.type)
    sizes, strides = (
        [f"{name}.{part}.{d}" for d in range(type.get_num_dims())]
        for part in ("size", "stride")
    )
    return View(argument, name, sizes, strides, held(type.element_type))


EXACT_IN_F64 = ("f32", "f64")
"""Floats to which f64 is rounded in one step."""

CONSTANTS = ("arith.constant", "index.constant", "index.bool.constant")

ASKED = ("arith.", "math.", "index.")
"""Dialects of pure ops: the interpreter executes the ones that have no translation."""


class Translation:
    """A loop `scf.for` as text, and the inputs of its function.

    The function's result counts the refusals of `code` from 1. `scalars`, `memrefs`
    (address of element 0, extents, strides; those in `stored` are written to) and carried
    values are mapped to their first slot. `asked` are the ops that the interpreter executes,
    with the slot of their operands and results; the function passes their number. It does so
    for `computed` ops too, functions of f64.

    Functions that the loop calls are functions of the text, `depth` of them nested in one
    another. Raises `Unsupported` for a loop that cannot be compiled.
    """

    def __init__(self, frame: Frame, loop: Operation) -> None:
        machine = host(frame)
        self.code = Code(LOOP)
        self.depth = 0
        self.scalars: dict[SSAValue, int] = {}
        self.memrefs: dict[SSAValue, int] = {}
        self.stored: set[SSAValue] = set()
        self.asked: list[tuple[Operation, int]] = []
        self.computed: list[Operation] = []
        self.slots = FOUND_SLOTS
        self._frame = frame
        self._handlers, self._functions = machine.handlers, machine.functions
        self._names: dict[SSAValue, str] = {}
        self._views: dict[SSAValue, View] = {}
        self._calls: list[str] = []
        self._callees: dict[str, Callee] = {}
        self._texts: list[str] = []
        self._inside: set[SSAValue] = set()
        self._structured: Mapping[str, Callable[[Operation], None]] = {
            "scf.for": self._for,
            "scf.if": self._if,
            "memref.load": self._load,
            "memref.store": self._store,
            "memref.dim": self._dim,
            "func.call": self._call,
            "cf.assert": self._assert,
        }
        self.carried = self._take_slots(len(loop.results))
        self.text = self._write(loop)

    def _write(self, loop: Operation) -> str:
        code, results = self.code, enumerate(loop.results, self.carried)
        carried = [code.slot(slot, held(result.type)) for slot, result in results]
        start = [code.load(place) for place in carried]
        lower, _, step = (self._wide(value) for value in loop.operands[:3])
        variables = self._loop(loop, start, lower, step, ("%first", "%end"))
        self._keep(carried, [code.load(variable) for variable in variables])
        code.do("ret i64 0")
        return "\n".join([*self._texts, code.text(), UNLIKELY])

    def _keep(self, places: Sequence[Place], names: Sequence[str]) -> None:
        for place, name in zip(places, names, strict=True):
            self.code.store(place, name)

    def _bind(self, values: Sequence[SSAValue], places: Sequence[Place]) -> None:
        self._names |= {
            v: self.code.load(place) for v, place in zip(values, places, strict=True)
        }

    def _take_slots(self, number: int) -> int:
        first = self.slots
        self.slots += number
        return first

    def _from_slot(self, number: int, of: Element) -> str:
        with self.code.at_entry():
            return self.code.load(self.code.slot(number, of))

    def _wide(self, value: SSAValue) -> str:
        name, of = self._get(value), held(value.type)
        return name if of.bits == 64 else self.code.let(f"sext i{of.bits} {name} to i64")

    def _get(self, value: SSAValue) -> str:
        """Return the name of a value; one from outside gets a slot, a constant is its literal."""
        found = self._names.get(value)
        if found is not None:
            return found
        if value in self._inside:
            raise Unsupported("a value that is not a scalar is used as one")
        of, owner = held(value.type), value.owner
        if isinstance(owner, Operation) and owner.name in CONSTANTS:
            name = self._constant(owner)
        else:
            self.scalars[value] = self._take_slots(1)
            name = self._from_slot(self.scalars[value], of)
        self._names[value] = name
        return name

    def _constant(self, op: Operation) -> str:
        (value,) = self._handlers[op.name](self._frame, op)
        return literal(cast("Array", value), held(op.results[0].type))

    def _view(self, value: SSAValue) -> View:
        found = self._views.get(value)
        if found is not None:
            return found
        if value in self._inside or not isinstance(value.type, MemRefType):
            raise Unsupported(f"a value of type {value.type} that the loop makes")
        type = cast("MemRefType[Attribute]", value.type)
        layout, rank = strides_and_offset(type), type.get_num_dims()
        if layout is None:
            raise Unsupported("a memref whose layout is not strided")
        first = self.memrefs[value] = self._take_slots(1 + 2 * rank)
        known = [*(None if n == DYNAMIC_INDEX else n for n in type.get_shape()), *layout[0]]
        parts = [
            self._from_slot(slot, INTEGER) if n is None else str(n)
            for slot, n in enumerate(known, first + 1)
        ]
        start = self._from_slot(first, INTEGER)
        with self.code.at_entry():
            address = self.code.let(f"inttoptr i64 {start} to ptr")
        view = View(value, address, parts[:rank], parts[rank:], held(type.element_type))
        self._views[value] = view
        return view

    def _block(self, block: Block) -> list[str]:
        for op in block.ops:
            if op.name in ("scf.yield", "func.return"):
                return [self._get(value) for value in op.operands]
            self._operation(op)
        return []

    def _operation(self, op: Operation) -> None:
        self._inside.update(op.results)
        write = self._structured.get(op.name)
        if write is not None:
            write(op)
            return
        if op.name in CONSTANTS:
            names = [self._constant(op)]
        elif not op.name.startswith(ASKED) or op.regions:
            raise Unsupported(f"'{op.name}'")
        else:
            names = self._computed(op)
        self._names.update(zip(op.results, names, strict=True))

    def _computed(self, op: Operation) -> Sequence[str]:
        names = [self._get(value) for value in op.operands]
        types = [held(value.type) for value in (*op.operands, *op.results)]
        written = write_scalar(self.code, op, names)
        if written is not None:
            return [written]
        if op.name in FUNCTIONS and all(of.name in EXACT_IN_F64 for of in types):
            return [self._function(op, names)]
        return self._ask(op, names)

    def _function(self, op: Operation, names: Sequence[str]) -> str:
        """Write a function of math: the interpreter computes it in f64, and the code rounds it."""
        code, of = self.code, held(op.results[0].type)
        wide = list(names)
        if of.name == "f32":
            wide = [code.let(f"fpext float {name} to double") for name in names]
        x, y = (*wide, "0.0")[:2]
        self.computed.append(op)
        number = len(self.computed) - 1
        value = code.let(f"call double %compute(i64 {number}, double {x}, double {y})")
        return value if of.name == "f64" else code.let(f"fptrunc double {value} to float")

    def _ask(self, op: Operation, names: Sequence[str]) -> Sequence[str]:
        code, room = self.code, self._take_slots(max(len(op.operands), len(op.results)))
        places = [code.slot(slot, held(v.type)) for slot, v in enumerate(op.operands, room)]
        self._keep(places, names)
        self.asked.append((op, room))
        answer = code.let(f"call i64 %ask(i64 {len(self.asked) - 1})")
        code.refuse_if(code.let(f"icmp ne i64 {answer}, 0"), _refused_before)
        results = enumerate(op.results, room)
        return [code.load(code.slot(slot, held(result.type))) for slot, result in results]

    def _for(self, op: Operation) -> None:
        code = self.code
        lower, upper, step = (self._wide(value) for value in op.operands[:3])
        code.refuse_if(
            code.let(f"icmp sle i64 {step}, 0"),
            lambda found, _: check_step(op, uniform(found)),
            [step],
        )
        distance = code.let(f"sub i64 {code.let(f'sub i64 {upper}, {lower}')}, 1")
        whole = code.let(f"add i64 {code.let(f'udiv i64 {distance}, {step}')}, 1")
        none = code.let(f"icmp sge i64 {lower}, {upper}")
        trips = code.let(f"select i1 {none}, i64 0, i64 {whole}")
        start = [self._get(value) for value in op.operands[3:]]
        self._bind(op.results, self._loop(op, start, lower, step, ("0", trips)))

    def _loop(
        self,
        op: Operation,
        start: Sequence[str],
        lower: str,
        step: str,
        trips: tuple[str, str],
    ) -> Sequence[Place]:
        """Write a loop over iterations `trips` and return the variables of the carried values."""
        code, body = self.code, op.regions[0].block
        induction, *carried = body.args
        counter = code.variable(INTEGER)
        variables = [code.variable(held(value.type)) for value in carried]
        self._keep([counter, *variables], [trips[0], *start])
        head, inside, after = (code.name(word) for word in ("loop", "body", "after"))
        code.do(f"br label %{head}")
        code.block(head)
        trip = code.load(counter)
        more = code.let(f"icmp slt i64 {trip}, {trips[1]}")
        code.do(f"br i1 {more}, label %{inside}, label %{after}")
        code.block(inside)
        at = code.let(f"add i64 {lower}, {code.let(f'mul i64 {trip}, {step}')}")
        of = held(induction.type)
        self._names[induction] = (
            at if of.bits == 64 else code.let(f"trunc i64 {at} to i{of.bits}")
        )
        self._bind(carried, variables)
        self._keep(variables, self._block(body))
        code.store(counter, code.let(f"add i64 {trip}, 1"))
        code.do(f"br label %{head}")
        code.block(after)
        return variables

    def _if(self, op: Operation) -> None:
        code, condition = self.code, self._get(op.operands[0])
        variables = [code.variable(held(result.type)) for result in op.results]
        labels = [code.name(word) for word in ("then", "else", "joined")]
        code.do(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        for label, region in zip(labels, op.regions, strict=False):
            code.block(label)
            self._keep(variables, self._block(region.blocks[0]) if region.blocks else [])
            code.do(f"br label %{labels[2]}")
        code.block(labels[2])
        self._bind(op.results, variables)

    def _element(self, op: Operation, memref: SSAValue, indices: Sequence[SSAValue]) -> Place:
        code, view = self.code, self._view(memref)
        position = "0"
        for dimension, value in enumerate(indices):
            index, extent = self._get(value), view.sizes[dimension]
            refuse = partial(_refuse_outside, op, dimension)
            code.refuse_if(
                code.let(f"icmp uge i64 {index}, {extent}"), refuse, [index, extent]
            )
            step = code.let(f"mul i64 {index}, {view.strides[dimension]}")
            position = code.let(f"add i64 {position}, {step}")
        type = f"[{view.of.size} x i8]"
        address = code.let(f"getelementptr {type}, ptr {view.address}, i64 {position}")
        return Place(address, view.of)

    def _load(self, op: Operation) -> None:
        memref, *indices = op.operands
        self._names[op.results[0]] = self.code.load(self._element(op, memref, indices))

    def _store(self, op: Operation) -> None:
        value, memref, *indices = op.operands
        name = self._get(value)
        self.code.store(self._element(op, memref, indices), name)
        self.stored.add(self._view(memref).source)

    def _dim(self, op: Operation) -> None:
        memref, index = op.operands
        owner = index.owner
        if not isinstance(owner, Operation) or owner.name not in CONSTANTS:
            raise Unsupported("'memref.dim' of a dimension that is computed")
        sizes, dimension = self._view(memref).sizes, int(self._get(index))
        if not 0 <= dimension < len(sizes):
            raise Unsupported("'memref.dim' of a dimension that is not there")
        self._names[op.results[0]] = sizes[dimension]

    def _call(self, op: Operation) -> None:
        """Write a call of the function, which is translated once."""
        name = text(op, "callee")
        callee = self._callees.get(name) or self._translate(name)
        self._callees[name] = callee
        code, given = self.code, [ROOM]
        for value, type in zip(op.operands, callee.types, strict=True):
            if value.type != type:
                raise Unsupported(f"an argument of type {value.type} for {type}")
            is_view = isinstance(type, MemRefType)
            given += passed(self._view(value)) if is_view else [self._scalar(value)]
        results = [code.variable(held(result.type)) for result in op.results]
        given += [f"ptr {place.address}" for place in results]
        code.pass_on(code.let(f"call i64 {callee.symbol}({', '.join(given)})"))
        self.stored.update(self._view(op.operands[place]).source for place in callee.stored)
        self.depth = max(self.depth, callee.depth)
        self._bind(op.results, results)

    def _scalar(self, value: SSAValue) -> str:
        return f"{llvm_type(held(value.type))} {self._get(value)}"

    def _translate(self, name: str) -> Callee:
        """Write a function; it accesses only the memory of its arguments."""
        function = self._functions.get(name)
        if function is None or len(function.regions[0].blocks) != 1 or name in self._calls:
            raise Unsupported(f"a call of '{name}'")
        if len(self._calls) >= DEEPEST_CALL:
            raise Unsupported(f"{DEEPEST_CALL} calls inside of one another")
        block = function.regions[0].block
        returned = block.last_op.operands if block.last_op else ()
        places = [Place(f"%r{n}", held(value.type)) for n, value in enumerate(returned)]
        symbol = f"@{self.code.name('callee')}"
        with self._apart() as parameters:
            for number, argument in enumerate(block.args):
                parameters += self._parameter(argument, f"%a{number}")
            parameters += [f"ptr {place.address}" for place in places]
            head = f"define internal i64 {symbol}({', '.join(parameters)})"
            self.code = Code(head, self.code)
            self._calls.append(name)
            self._keep(places, self._block(block))
            self._calls.pop()
            self.code.do("ret i64 0")
            self._texts.append(self.code.text())
            stored = [n for n, argument in enumerate(block.args) if argument in self.stored]
            types = [argument.type for argument in block.args]
            return Callee(symbol, types, stored, self.depth + 1)

    @contextmanager
    def _apart(self) -> Generator[list[str]]:
        """Write another function within the context, with values and memory of its own."""
        outer = self.code, self._names, self._views, self._inside, self.stored, self.depth
        self._names, self._views, self._inside, self.stored = {}, {}, set(), set()
        self.depth = 0
        yield [ROOM]
        self.code, self._names, self._views, self._inside, self.stored, self.depth = outer

    def _parameter(self, argument: SSAValue, name: str) -> list[str]:
        if isinstance(argument.type, MemRefType):
            self._views[argument] = parameter(argument, name)
            return passed(self._views[argument])
        self._names[argument] = name
        return [self._scalar(argument)]

    def _assert(self, op: Operation) -> None:
        fails = self.code.let(f"xor i1 {self._get(op.operands[0])}, true")
        self.code.refuse_if(fails, lambda _, __: refuse_assertion(op))


def _refuse_outside(op: Operation, dimension: int, index: int, extent: int) -> None:
    refuse_outside(op, index, dimension, extent)


def _refused_before(*_: int) -> None:
    raise AssertionError("it was raised when the call came back")
