"""A loop of the host as LLVM IR: scalars, structured control flow, and single elements of memrefs from outside.

    scf.for %k = %c0 to %n step %c1 {              define i64 @loop(i64 %first, i64 %end, ptr %slots, ...) {
      %x = memref.load %m[%k] : memref<?xf32>        ; iterations first to end; slots: what a refusal found,
      ...                                   ->       ; the values that the loop carries, those from outside,
    }                                                ; and room for ops that the interpreter is asked to execute

Every op keeps its meaning: the same rounding, the same refusals in the same order (`code.Fault`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.interpreter.host.code import (
    FAULT_SLOTS,
    Code,
    Fault,
    Unsupported,
    held,
    literal,
    llvm_type,
    memory_type,
)
from xetile.interpreter.host.scalars import emitter
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.frame import Frame, Handler, attribute
from xetile.interpreter.machine.values import Array
from xetile.interpreter.ops.math import FUNCTIONS

EXACT_IN_F64 = ("f32", "f64")
"""Floats that f64 is rounded to in one step."""

CONSTANTS = ("arith.constant", "index.constant", "index.bool.constant")

ASKED = ("arith.", "math.", "index.")
"""Dialects whose ops depend on their operands alone: the interpreter executes the ones that are not written."""


class Translation(NamedTuple):
    """A loop as text, and what its function needs.

    Attributes:
        text: LLVM IR.
        faults: where the program may be refused; the function's result counts them from 1.
        scalars: scalars from outside, with their slots.
        memrefs: memrefs from outside, with the first of their slots: address of element 0, extents, strides.
        stored: those of them that the loop writes to.
        asked: ops that the interpreter is asked to execute, by the number that the function passes.
        computed: ops whose function of f64 numbers the interpreter computes, by such a number.
        carried: the first slot of the values that the loop carries.
        room: the first slot of the operands and results of an asked op.
        slots: how many slots there are.
    """

    text: str
    faults: Sequence[Fault]
    scalars: Mapping[SSAValue, int]
    memrefs: Mapping[SSAValue, int]
    stored: frozenset[SSAValue]
    asked: Sequence[Operation]
    computed: Sequence[Operation]
    carried: int
    room: int
    slots: int


class _View(NamedTuple):
    """A memref from outside: its address, extents and strides, as names or literals."""

    source: SSAValue
    address: str
    sizes: list[str]
    strides: list[str]
    of: Element


class Translator:
    """Writes one loop; `frame` and `handlers` are asked for constants only.

    Raises `Unsupported` for a loop that cannot be compiled.
    """

    def __init__(
        self, frame: Frame, handlers: Mapping[str, Handler], functions: Mapping[str, Operation]
    ) -> None:
        self._frame = frame
        self._handlers = handlers
        self._functions = functions
        self._code = Code()
        self._names: dict[SSAValue, str] = {}
        self._views: dict[SSAValue, _View] = {}
        self._scalars: dict[SSAValue, int] = {}
        self._memrefs: dict[SSAValue, int] = {}
        self._stored: set[SSAValue] = set()
        self._asked: list[Operation] = []
        self._functions_of: list[Operation] = []
        self._calls: list[str] = []
        self._inside: set[SSAValue] = set()
        self._slots = FAULT_SLOTS
        self._structured: Mapping[str, Callable[[Operation], None]] = {
            "scf.for": self._for,
            "scf.if": self._if,
            "memref.load": self._load,
            "memref.store": self._store,
            "memref.dim": self._dim,
            "func.call": self._call,
            "cf.assert": self._assert,
        }
        self._room = 0

    def translate(self, loop: Operation) -> Translation:
        """The loop `scf.for`, iterations `first` to `end`."""
        self._room = self._take_slots(_most_values(loop, self._functions))
        carried = self._take_slots(len(loop.results))
        start = [
            self._from_slot(self._code.load_slot(carried + number), held(result.type))
            for number, result in enumerate(loop.results)
        ]
        lower, _, step = (self._outer_bound(value) for value in loop.operands[:3])
        variables = self._loop(loop, start, lower, step, ("%first", "%end"))
        for number, (variable, result) in enumerate(zip(variables, loop.results, strict=True)):
            of = held(result.type)
            value = self._code.let(f"load {llvm_type(of)}, ptr {variable}")
            self._to_slot(carried + number, value, of)
        self._code.do("ret i64 0")
        return Translation(
            self._code.text(),
            self._code.faults,
            self._scalars,
            self._memrefs,
            frozenset(self._stored),
            self._asked,
            self._functions_of,
            carried,
            self._room,
            self._slots,
        )

    def _take_slots(self, number: int) -> int:
        first = self._slots
        self._slots += number
        return first

    def _from_slot(self, slot: str, of: Element) -> str:
        """The value whose bits a slot has, for a name of the entry block."""
        type = llvm_type(of)
        if type == "i64":
            return slot
        if not of.is_float or of.name == "bf16":
            return self._code.let_in_entry(f"trunc i64 {slot} to {type}")
        if of.bits < 64:
            slot = self._code.let_in_entry(f"trunc i64 {slot} to i{of.bits}")
        return self._code.let_in_entry(f"bitcast i{of.bits} {slot} to {type}")

    def _to_slot(self, number: int, value: str, of: Element) -> None:
        """Store the bits of a value, integers as they are held in memory: sign-extended."""
        self._code.do(f"store i64 {self._widened(value, of)}, ptr {self._code.slot(number)}")

    def _widened(self, value: str, of: Element) -> str:
        type = llvm_type(of)
        if of.is_float and of.name != "bf16":
            value = self._code.let(f"bitcast {type} {value} to i{of.bits}")
        if of.bits == 64:
            return value
        word = "zext" if of.is_float or of.bits == 1 else "sext"
        return self._code.let(f"{word} i{of.bits} {value} to i64")

    def _outer_bound(self, value: SSAValue) -> str:
        return self._extended(self._get(value), held(value.type))

    def _extended(self, name: str, of: Element) -> str:
        if of.bits == 64:
            return name
        return self._code.let(f"sext i{of.bits} {name} to i64")

    def _get(self, value: SSAValue) -> str:
        """The name of a value; one from outside gets a slot, a constant is written where it is used."""
        found = self._names.get(value)
        if found is not None:
            return found
        if value in self._inside:
            raise Unsupported("a value that is not a scalar is used as one")
        of = held(value.type)
        owner = value.owner
        if isinstance(owner, Operation) and owner.name in CONSTANTS:
            name = self._constant(owner)
        else:
            self._scalars[value] = self._take_slots(1)
            name = self._from_slot(self._code.load_slot(self._scalars[value]), of)
        self._names[value] = name
        return name

    def _constant(self, op: Operation) -> str:
        (value,) = self._handlers[op.name](self._frame, op)
        return literal(cast("Array", value), held(op.results[0].type))

    def _view(self, value: SSAValue) -> _View:
        found = self._views.get(value)
        if found is not None:
            return found
        if value in self._inside or not isinstance(value.type, MemRefType):
            raise Unsupported(f"a value of type {value.type} that the loop makes")
        type = cast("MemRefType[Attribute]", value.type)
        rank = type.get_num_dims()
        first = self._memrefs[value] = self._take_slots(1 + 2 * rank)
        address = self._code.let_in_entry(f"inttoptr i64 {self._code.load_slot(first)} to ptr")
        sizes = [
            self._code.load_slot(first + 1 + d) if n == DYNAMIC_INDEX else str(n)
            for d, n in enumerate(type.get_shape())
        ]
        strides = [
            self._code.load_slot(first + 1 + rank + d) if n is None else str(n)
            for d, n in enumerate(_static_strides(type))
        ]
        view = _View(value, address, sizes, strides, held(type.element_type))
        self._views[value] = view
        return view

    def _block(self, block: Block) -> list[str]:
        """Write a block's ops; the names of what its terminator hands on."""
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

    def _computed(self, op: Operation) -> list[str]:
        names = [self._get(value) for value in op.operands]
        for result in op.results:
            held(result.type)
        emit = emitter(op)
        if emit is not None:
            return [emit(self._code, op, names)]
        if op.name in FUNCTIONS and all(held(v.type).name in EXACT_IN_F64 for v in op.results):
            return [self._function(op, names)]
        return self._ask(op, names)

    def _function(self, op: Operation, names: Sequence[str]) -> str:
        """A function of math: computed in f64 by the interpreter, rounded here."""
        code, of = self._code, held(op.results[0].type)
        wide = list(names)
        if of.name == "f32":
            wide = [code.let(f"fpext float {name} to double") for name in names]
        x, y = (*wide, "0.0")[:2]
        self._functions_of.append(op)
        number = len(self._functions_of) - 1
        value = code.let(f"call double %compute(i64 {number}, double {x}, double {y})")
        return value if of.name == "f64" else code.let(f"fptrunc double {value} to float")

    def _ask(self, op: Operation, names: Sequence[str]) -> list[str]:
        """Let the interpreter execute an op: operands and results pass through slots."""
        code = self._code
        for number, (name, value) in enumerate(zip(names, op.operands, strict=True)):
            self._to_slot(self._room + number, name, held(value.type))
        self._asked.append(op)
        answer = code.let(f"call i64 %ask(i64 {len(self._asked) - 1})")
        code.refuse_if(code.let(f"icmp ne i64 {answer}, 0"), Fault(op, "asked"))
        return [self._answered(number, held(r.type)) for number, r in enumerate(op.results)]

    def _answered(self, number: int, of: Element) -> str:
        code, type = self._code, llvm_type(of)
        bits = code.let(f"load i64, ptr {code.slot(self._room + number)}")
        if type == "i64":
            return bits
        if of.bits < 64:
            bits = code.let(f"trunc i64 {bits} to i{of.bits}")
        return bits if type == f"i{of.bits}" else code.let(f"bitcast i{of.bits} {bits} to {type}")

    def _for(self, op: Operation) -> None:
        """A loop in the loop, with the interpreter's number of iterations."""
        code = self._code
        lower, upper, step = (
            self._extended(self._get(value), held(value.type)) for value in op.operands[:3]
        )
        code.refuse_if(code.let(f"icmp sle i64 {step}, 0"), Fault(op, "step"), [step])
        distance = code.let(f"sub i64 {code.let(f'sub i64 {upper}, {lower}')}, 1")
        whole = code.let(f"add i64 {code.let(f'udiv i64 {distance}, {step}')}, 1")
        none = code.let(f"icmp sge i64 {lower}, {upper}")
        trips = code.let(f"select i1 {none}, i64 0, i64 {whole}")
        start = [self._get(value) for value in op.operands[3:]]
        variables = self._loop(op, start, lower, step, ("0", trips))
        for variable, result in zip(variables, op.results, strict=True):
            self._names[result] = code.let(f"load {llvm_type(held(result.type))}, ptr {variable}")

    def _loop(
        self, op: Operation, start: Sequence[str], lower: str, step: str, trips: tuple[str, str]
    ) -> list[str]:
        """Iterations `trips`; the variables of what the loop carries."""
        code, body = self._code, op.regions[0].block
        induction, *carried = body.args
        types = [llvm_type(held(value.type)) for value in carried]
        counter, variables = code.variable("i64"), [code.variable(type) for type in types]
        code.do(f"store i64 {trips[0]}, ptr {counter}")
        for variable, type, name in zip(variables, types, start, strict=True):
            code.do(f"store {type} {name}, ptr {variable}")
        head, inside, after = (code.name(word) for word in ("loop", "body", "after"))
        code.do(f"br label %{head}")
        code.block(head)
        trip = code.let(f"load i64, ptr {counter}")
        more = code.let(f"icmp slt i64 {trip}, {trips[1]}")
        code.do(f"br i1 {more}, label %{inside}, label %{after}")
        code.block(inside)
        at = code.let(f"add i64 {lower}, {code.let(f'mul i64 {trip}, {step}')}")
        of = held(induction.type)
        self._names[induction] = at if of.bits == 64 else code.let(f"trunc i64 {at} to i{of.bits}")
        for value, variable, type in zip(carried, variables, types, strict=True):
            self._names[value] = code.let(f"load {type}, ptr {variable}")
        for variable, type, name in zip(variables, types, self._block(body), strict=True):
            code.do(f"store {type} {name}, ptr {variable}")
        code.do(f"store i64 {code.let(f'add i64 {trip}, 1')}, ptr {counter}")
        code.do(f"br label %{head}")
        code.block(after)
        return variables

    def _if(self, op: Operation) -> None:
        code, condition = self._code, self._get(op.operands[0])
        types = [llvm_type(held(result.type)) for result in op.results]
        variables = [code.variable(type) for type in types]
        labels = [code.name(word) for word in ("then", "else", "joined")]
        code.do(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        for label, region in zip(labels, op.regions, strict=False):
            code.block(label)
            names = self._block(region.blocks[0]) if region.blocks else []
            for variable, type, name in zip(variables, types, names, strict=True):
                code.do(f"store {type} {name}, ptr {variable}")
            code.do(f"br label %{labels[2]}")
        code.block(labels[2])
        for variable, type, result in zip(variables, types, op.results, strict=True):
            self._names[result] = code.let(f"load {type}, ptr {variable}")

    def _element(self, op: Operation, memref: SSAValue, indices: Sequence[SSAValue]) -> str:
        """The address of an element, refused where an index is outside."""
        code, view = self._code, self._view(memref)
        position = "0"
        for dimension, value in enumerate(indices):
            index, extent = self._get(value), view.sizes[dimension]
            outside = code.let(f"icmp uge i64 {index}, {extent}")
            code.refuse_if(outside, Fault(op, "index", dimension), [index, extent])
            step = code.let(f"mul i64 {index}, {view.strides[dimension]}")
            position = code.let(f"add i64 {position}, {step}")
        return code.let(f"getelementptr {memory_type(view.of)}, ptr {view.address}, i64 {position}")

    def _load(self, op: Operation) -> None:
        memref, *indices = op.operands
        address, of = self._element(op, memref, indices), held(op.results[0].type)
        type, inner = memory_type(of), llvm_type(of)
        value = self._code.let(f"load {type}, ptr {address}, align {of.size}")
        if type != inner:
            value = self._code.let(f"trunc {type} {value} to {inner}")
        self._names[op.results[0]] = value

    def _store(self, op: Operation) -> None:
        value, memref, *indices = op.operands
        name, of = self._get(value), held(value.type)
        address = self._element(op, memref, indices)
        type, inner = memory_type(of), llvm_type(of)
        if type != inner:
            word = "zext" if of.bits == 1 else "sext"
            name = self._code.let(f"{word} {inner} {name} to {type}")
        self._code.do(f"store {type} {name}, ptr {address}, align {of.size}")
        self._stored.add(self._view(memref).source)

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
        """The function's body in place of the call."""
        callee = attribute(op, "callee")
        name = callee.root_reference.data if isinstance(callee, SymbolRefAttr) else ""
        function = self._functions.get(name)
        if function is None or len(function.regions[0].blocks) != 1 or name in self._calls:
            raise Unsupported(f"a call of '{name}'")
        block = function.regions[0].block
        for argument, value in zip(block.args, op.operands, strict=True):
            self._names.pop(argument, None)
            if isinstance(value.type, MemRefType):
                self._views[argument] = self._view(value)
            else:
                self._names[argument] = self._get(value)
        self._calls.append(name)
        names = self._block(block)
        self._calls.pop()
        self._names.update(zip(op.results, names, strict=True))

    def _assert(self, op: Operation) -> None:
        holds = self._get(op.operands[0])
        self._code.refuse_if(self._code.let(f"xor i1 {holds}, true"), Fault(op, "assert"))


def _static_strides(type: MemRefType[Attribute]) -> Sequence[int | None]:
    """The strides that the type says, in elements; None for those that it leaves open."""
    shape = type.get_shape()
    if isinstance(type.layout, NoneAttr):
        strides: list[int | None] = []
        step: int | None = 1
        for extent in reversed(shape):
            strides.append(step)
            step = None if step is None or extent == DYNAMIC_INDEX else step * extent
        return strides[::-1]
    layout = strides_and_offset(type)
    if layout is None:
        raise Unsupported("a memref whose layout is not strided")
    return layout[0]


def _most_values(loop: Operation, functions: Mapping[str, Operation]) -> int:
    """The most operands or results of an op that the interpreter may be asked to execute."""
    places = (loop, *functions.values())
    ops = (op for place in places for op in place.walk() if op.name.startswith(ASKED))
    return max((max(len(op.operands), len(op.results)) for op in ops), default=0)
