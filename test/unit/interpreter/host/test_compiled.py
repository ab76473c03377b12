"""Compiled loops against the same loops interpreted: equal bits, equal refusals."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute_host
from xetile.interpreter.host import loops
from xetile.interpreter.machine.execution import Frame

SIGNLESS = ("i1", "i8", "i13", "i32", "i64", "index")
FLOATS = ("f16", "bf16", "f32", "f64")
TYPES = (*SIGNLESS, *FLOATS)
WIDTHS = {"i1": 1, "i8": 8, "i13": 13, "i32": 32, "i64": 64}
FLOAT_WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}

INTEGER_OPS = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"),
    *("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"),
    *("shli", "shrsi", "shrui"),
)
INDEX_OPS = (
    *("add", "sub", "mul", "and", "or", "xor", "mins", "maxs", "minu", "maxu"),
    *(
        "divs",
        "divu",
        "rems",
        "remu",
        "floordivs",
        "ceildivs",
        "ceildivu",
        "shl",
        "shrs",
        "shru",
    ),
)
FLOAT_OPS = (
    *("addf", "subf", "mulf", "divf", "minimumf", "maximumf", "remf", "minnumf", "maxnumf"),
)
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
ROWS, COLUMNS = 5, 7
"""Extents of every memref of a program: `%m_TYPE`."""


class Program:
    """A random host function of scalars, loops, conditions and memrefs, as text: one function `@f`, made of random statements.

    Its parameters are a memref of ROWS x COLUMNS of each type, every other one of dynamic extents.
    """

    def __init__(self, seed: int, statements: int) -> None:
        self._random = Random(seed)
        self._count = 0
        self._lines: list[str] = []
        self._values: dict[str, list[str]] = {type: [] for type in TYPES}
        self._statements = statements

    def text(self) -> str:
        """The module."""
        parameters = ", ".join(f"%m_{type}: {memref(type)}" for type in TYPES)
        for type in TYPES:
            for number in self._numbers(type):
                self._constant(type, number)
        carried = [self._random.choice(TYPES) for _ in range(2)]
        results = self._loop(carried, depth=2, outermost=4)
        types = ", ".join(carried)
        names = ", ".join(results)
        body = "\n".join(self._lines)
        helper = (
            "func.func private @helper(%x: f32, %i: index) -> f32 {\n"
            "%c3 = arith.constant 3 : index\n%t = arith.cmpi ult, %i, %c3 : index\n"
            "%r = scf.if %t -> (f32) {\n%n = arith.negf %x : f32\nscf.yield %n : f32\n} else {\n"
            "scf.yield %x : f32\n}\nreturn %r : f32\n}"
        )
        function = (
            f"func.func @f({parameters}) -> ({types}) {{\n{body}\nreturn {names} : {types}\n}}"
        )
        return f"{helper}\n{function}\n"

    def _numbers(self, type: str) -> Sequence[str]:
        if type == "i1":
            return ("true", "false")
        if type in FLOATS:
            return ("0.0", "-1.5", "3.25e+1", "6.0e-5", "1.0e+4")
        return ("0", "1", "-1", "3", "-7", "100")

    def _name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _let(self, type: str, text: str) -> str:
        name = self._name()
        self._lines.append(f"{name} = {text}")
        self._values[type].append(name)
        if not text.startswith("arith.constant"):
            self._see(type, name)
        return name

    def _see(self, type: str, name: str) -> None:
        """Store a value, so that a wrong one shows."""
        place: list[str] = []
        for extent in (ROWS, COLUMNS):
            place.append(self._name())
            at = self._random.randrange(extent)
            self._lines.append(f"{place[-1]} = arith.constant {at} : index")
        self._lines.append(
            f"memref.store {name}, %m_{type}[{', '.join(place)}] : {memref(type)}"
        )

    def _constant(self, type: str, number: str) -> None:
        if type == "i1":
            self._let(type, f"arith.constant {number}")
        else:
            self._let(type, f"arith.constant {number} : {type}")

    def _pick(self, type: str) -> str:
        known = self._values[type]
        return self._random.choice(known[-6:] if self._random.random() < 0.7 else known)

    def _loop(self, carried: Sequence[str], depth: int, outermost: int = 0) -> list[str]:
        start = [self._pick(type) for type in carried]
        upper = self._name()
        self._lines.append(
            f"{upper} = arith.constant {outermost or self._random.choice((0, 1, 3))} : index"
        )
        lower, step = self._name(), self._name()
        self._lines.append(
            f"{lower} = arith.constant {self._random.choice((0, 0, 1, -2))} : index"
        )
        self._lines.append(f"{step} = arith.constant {self._random.choice((1, 1, 2))} : index")
        results, induction = self._name(), self._name()
        arguments = [self._name() for _ in carried]
        pairs = ", ".join(f"{a} = {s}" for a, s in zip(arguments, start, strict=True))
        types = ", ".join(carried)
        self._lines.append(
            f"{results}:{len(carried)} = scf.for {induction} = {lower} to {upper} step {step} "
            f"iter_args({pairs}) -> ({types}) {{"
        )
        with_values = [("index", induction), *zip(carried, arguments, strict=True)]
        self._body(with_values, carried, depth)
        names = [f"{results}#{number}" for number in range(len(carried))]
        for type, name in zip(carried, names, strict=True):
            self._values[type].append(name)
        return names

    def _body(
        self, added: Sequence[tuple[str, str]], yielded: Sequence[str], depth: int
    ) -> None:
        """Statements up to the yield and the brace; what they name is forgotten after."""
        before = {type: list(names) for type, names in self._values.items()}
        for type, name in added:
            self._values[type].append(name)
        for _ in range(self._statements if depth == 2 else 3):
            self._statement(depth)
        names = ", ".join(self._pick(type) for type in yielded)
        self._lines.append(
            f"scf.yield {names} : {', '.join(yielded)}" if yielded else "scf.yield"
        )
        self._lines.append("}")
        self._values = before

    def _condition(self, depth: int) -> None:
        types = [self._random.choice(TYPES)]
        name, condition = self._name(), self._pick("i1")
        self._lines.append(f"{name} = scf.if {condition} -> ({types[0]}) {{")
        self._body([], types, depth - 1)
        self._lines[-1] = "} else {"
        self._body([], types, depth - 1)
        self._values[types[0]].append(name)

    def _statement(self, depth: int) -> None:
        kinds = [
            "integer",
            "index",
            "float",
            "compare",
            "select",
            "cast",
            "load",
            "store",
            "math",
        ]
        if depth:
            kinds += ["for", "if", "call"]
        kind = self._random.choice(kinds)
        if kind == "for":
            self._loop([self._random.choice(TYPES)], depth - 1)
        elif kind == "if":
            self._condition(depth)
        else:
            getattr(self, f"_{kind}")()

    def _integer(self) -> None:
        type = self._random.choice(SIGNLESS)
        op = self._random.choice(INTEGER_OPS)
        self._let(type, f"arith.{op} {self._pick(type)}, {self._pick(type)} : {type}")

    def _index(self) -> None:
        x, y = self._pick("index"), self._pick("index")
        self._let("index", f"index.{self._random.choice(INDEX_OPS)} {x}, {y}")

    def _float(self) -> None:
        type = self._random.choice(FLOATS)
        if self._random.random() < 0.1:
            self._let(type, f"arith.negf {self._pick(type)} : {type}")
            return
        op = self._random.choice(FLOAT_OPS)
        self._let(type, f"arith.{op} {self._pick(type)}, {self._pick(type)} : {type}")

    def _compare(self) -> None:
        type = self._random.choice(TYPES)
        x, y = self._pick(type), self._pick(type)
        if type in FLOATS:
            predicate = self._random.choice(FLOAT_PREDICATES)
            self._let("i1", f"arith.cmpf {predicate}, {x}, {y} : {type}")
        else:
            predicate = self._random.choice(INTEGER_PREDICATES)
            self._let("i1", f"arith.cmpi {predicate}, {x}, {y} : {type}")

    def _select(self) -> None:
        type = self._random.choice(TYPES)
        self._let(
            type,
            f"arith.select {self._pick('i1')}, {self._pick(type)}, {self._pick(type)} : {type}",
        )

    def _cast(self) -> None:
        before, after = self._random.choice(TYPES), self._random.choice(TYPES)
        op = self._cast_op(before, after)
        if op is not None:
            self._let(after, f"arith.{op} {self._pick(before)} : {before} to {after}")

    def _cast_op(self, before: str, after: str) -> str | None:
        choose = self._random.choice
        if before in FLOATS and after in FLOATS:
            widths = FLOAT_WIDTHS[before], FLOAT_WIDTHS[after]
            return (
                None
                if widths[0] == widths[1]
                else ("extf" if widths[0] < widths[1] else "truncf")
            )
        if before in FLOATS:
            return None if after == "index" else choose(("fptosi", "fptoui"))
        if after in FLOATS:
            return None if before == "index" else choose(("sitofp", "uitofp"))
        if (before == "index") != (after == "index"):
            return choose(("index_cast", "index_castui"))
        if before == "index" or WIDTHS[before] == WIDTHS[after]:
            return None
        return choose(("extsi", "extui")) if WIDTHS[before] < WIDTHS[after] else "trunci"

    def _math(self) -> None:
        type = self._random.choice(("f16", "f32", "f64"))
        op = self._random.choice(("absf", "exp", "sqrt", "floor"))
        self._let(type, f"math.{op} {self._pick(type)} : {type}")

    def _call(self) -> None:
        self._let(
            "f32",
            f"func.call @helper({self._pick('f32')}, {self._pick('index')}) : (f32, index) -> f32",
        )

    def _place(self, type: str) -> str:
        """Indices, now and then outside."""
        places: list[str] = []
        for extent in (ROWS, COLUMNS):
            if self._random.random() < 0.03:
                places.append(self._pick("index"))
                continue
            name = self._name()
            self._lines.append(f"{name}.c = arith.constant {extent} : index")
            self._lines.append(f"{name} = arith.remui {self._pick('index')}, {name}.c : index")
            places.append(name)
        return f"%m_{type}[{', '.join(places)}] : {memref(type)}"

    def _load(self) -> None:
        type = self._random.choice(TYPES)
        self._let(type, f"memref.load {self._place(type)}")

    def _store(self) -> None:
        type = self._random.choice(TYPES)
        value, place = self._pick(type), self._place(type)
        self._lines.append(f"memref.store {value}, {place}")


def memref(type: str) -> str:
    """The type of the parameter for elements of a type."""
    dynamic = TYPES.index(type) % 2
    return f"memref<{'?x?' if dynamic else f'{ROWS}x{COLUMNS}'}x{type}>"


DTYPES: dict[str, Any] = {
    "i1": np.bool,
    "i8": np.int8,
    "i13": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
NEVER = 1 << 60

Array = NDArray[Any]


def random_arrays(seed: int) -> list[Array]:
    """An argument for each type: small and large numbers, and what is no number."""
    generator = np.random.default_rng(seed)
    arrays: list[Array] = []
    for type in TYPES:
        shape = (ROWS, COLUMNS)
        if type in FLOATS:
            values = generator.normal(size=shape) * 10.0 ** generator.integers(-6, 7, shape)
            special = generator.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], shape)
            mixed = np.where(generator.random(shape) < 0.3, special, values)
            with np.errstate(all="ignore"):
                arrays.append(mixed.astype(DTYPES[type]))
        elif type == "i1":
            arrays.append(generator.random(shape) < 0.5)
        else:
            bits = {"i8": 8, "i13": 13, "i32": 32}.get(type, 64)
            wide = generator.integers(
                -(1 << bits - 1), (1 << bits - 1) - 1, shape, endpoint=True
            )
            small = generator.integers(-3, 9, shape)
            arrays.append(
                np.where(generator.random(shape) < 0.6, small, wide).astype(DTYPES[type])
            )
    return arrays


def same(left: Array, right: Array) -> bool:
    """Equal bits; every NaN is as good as another."""
    if left.dtype != right.dtype:
        return False
    if left.dtype.kind in "fV" or left.dtype == ml_dtypes.bfloat16:
        wide = [array.astype(np.float64) for array in (left, right)]
        nan = [np.isnan(array) for array in wide]
        signs = [np.signbit(array) for array in wide]
        equal = (wide[0] == wide[1]) & (signs[0] == signs[1])
        return bool((np.where(nan[0] | nan[1], nan[0] & nan[1], equal)).all())
    return bool((left == right).all())


def outcome(module: ModuleOp, seed: int) -> tuple[list[Array], str]:
    """All arrays after a run, then the results; and what was refused."""
    arrays = random_arrays(seed)
    try:
        results = execute_host(module, "f", arrays, output=lambda _: None)
    except XetileError as error:
        return arrays, str(error)
    return [*arrays, *results], ""


def check(seed: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a random program both ways; what was refused."""
    module = parse_text(Program(seed, statements=14).text(), "host.mlir")
    monkeypatch.setattr(loops, "WORTH_COMPILING", NEVER)
    expected, refused = outcome(module, seed)
    made: list[object] = []
    compile_loop = loops.compile_loop

    def recorded(frame: Frame, op: Operation) -> loops.CompiledLoop | None:
        code = compile_loop(frame, op)
        made.append(code)
        return code

    monkeypatch.setattr(loops, "compile_loop", recorded)
    monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
    monkeypatch.setattr(loops, "CALL_SECONDS", 1.0 if seed % 2 else 0.0)
    found, refused_compiled = outcome(module, seed)
    assert refused_compiled == refused, seed
    for position, (left, right) in enumerate(zip(found, expected, strict=True)):
        assert same(left, right), (seed, position, left, right)
    assert made, seed
    assert None not in made, seed
    return refused


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(seed, monkeypatch)


INTEGER_SAMPLES = (
    *(0, 1, 2, 3, 5, 7, 8, 13, 31, 32, 63, 64, 100, 127, 4095, (1 << 31) - 1),
    *(-1, -2, -7, -128, -4096, -(1 << 31)),
)
WIDE_SAMPLES = (*INTEGER_SAMPLES, (1 << 63) - 1, -(1 << 63), (1 << 40) + 1)
FLOAT_SAMPLES = (
    *(0.0, -0.0, 1.0, -1.0, 3.0, 256.0, 0.1, -2.5, 1e-7, 65504.0, 2049.0, 1e30, -1e-30),
    *(float("inf"), float("-inf"), float("nan")),
)


def samples(type: str) -> Array:
    """Numbers at which the ops on a type may go wrong."""
    if type in FLOATS:
        with np.errstate(all="ignore"):
            return np.array(FLOAT_SAMPLES).astype(DTYPES[type])
    if type == "i1":
        return np.array([False, True])
    bits = WIDTHS.get(type, 64)
    wide = [number for number in WIDE_SAMPLES if -(1 << bits - 1) <= number < 1 << bits - 1]
    return np.array(wide, DTYPES[type])


def agree(
    ops: Mapping[str, str], types: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run ops (with the types of their results) on all combinations of samples of their operands, both ways."""
    divisions = {op: result for op, result in ops.items() if refuses_numbers(op, types)}
    others = {op: result for op, result in ops.items() if op not in divisions}
    grids = np.meshgrid(*(np.arange(len(samples(type))) for type in types))
    data = [samples(type)[grid.reshape(-1)] for type, grid in zip(types, grids, strict=True)]
    check_ops(others, types, data, monkeypatch)
    if divisions:
        kept = (data[1] != 0) & (data[1] != np.array(-1).astype(data[1].dtype))
        check_ops(divisions, types, [array[kept] for array in data], monkeypatch)


def refuses_numbers(op: str, types: Sequence[str]) -> bool:
    """Whether there are operands that an op is refused for."""
    return types[0] not in FLOATS and ("div" in op or "rem" in op)


def check_ops(
    ops: Mapping[str, str],
    types: Sequence[str],
    data: Sequence[Array],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Run a loop that stores the result of each op in a memref of its own, interpreted and compiled."""
    operands = ", ".join(f"%x{number}" for number in range(len(types)))
    loads = "\n".join(
        f"%x{n} = memref.load %m{n}[%i] : memref<?x{type}>" for n, type in enumerate(types)
    )
    body = "\n".join(
        f"%r{n} = {op.replace('OPERANDS', operands)}\n"
        f"memref.store %r{n}, %out{n}[%i] : memref<?x{result}>"
        for n, (op, result) in enumerate(ops.items())
    )
    given = [f"%m{n}: memref<?x{type}>" for n, type in enumerate(types)]
    taken = [f"%out{n}: memref<?x{result}>" for n, result in enumerate(ops.values())]
    text = f"""
    func.func @f({", ".join([*given, *taken])}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = memref.dim %m0, %c0 : memref<?x{types[0]}>
      scf.for %i = %c0 to %n step %c1 {{
        {loads}
        {body}
      }}
      return
    }}"""
    module = parse_text(text, "host.mlir")
    runs: list[list[Array]] = []
    for worth in (NEVER, 0):
        monkeypatch.setattr(loops, "WORTH_COMPILING", worth)
        runs.append([np.zeros(len(data[0]), DTYPES[result]) for result in ops.values()])
        execute_host(module, "f", [*data, *runs[-1]], output=lambda _: None)
    for op, left, right in zip(ops, *runs, strict=True):
        assert same(left, right), (op, list(zip(*data, left, right, strict=True)))


@pytest.mark.parametrize("type", SIGNLESS)
def test_integer_ops(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ops = {f"arith.{op} OPERANDS : {type}": type for op in INTEGER_OPS}
    ops |= {f"arith.cmpi {name}, OPERANDS : {type}": "i1" for name in INTEGER_PREDICATES}
    agree(ops, [type, type], monkeypatch)


def test_index_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    ops = {f"index.{op} OPERANDS": "index" for op in INDEX_OPS}
    ops |= {f"index.cmp {name}(OPERANDS)": "i1" for name in INTEGER_PREDICATES}
    agree(ops, ["index", "index"], monkeypatch)


@pytest.mark.parametrize("type", FLOATS)
def test_float_ops(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ops = {f"arith.{op} OPERANDS : {type}": type for op in FLOAT_OPS}
    ops |= {f"arith.cmpf {name}, OPERANDS : {type}": "i1" for name in FLOAT_PREDICATES}
    two = ("math.powf", "math.atan2", "math.copysign")
    agree(ops | {f"{op} OPERANDS : {type}": type for op in two}, [type, type], monkeypatch)
    one = ("arith.negf", "math.absf", "math.exp", "math.sqrt", "math.erf", "math.floor")
    agree({f"{op} OPERANDS : {type}": type for op in one}, [type], monkeypatch)


@pytest.mark.parametrize("before", TYPES)
def test_casts(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ops = {
        f"{op} OPERANDS : {before} to {after}": after
        for after in TYPES
        for op in casts(before, after)
    }
    agree(ops, [before], monkeypatch)


def casts(before: str, after: str) -> Sequence[str]:
    """The casts between two types."""
    if before in FLOATS and after in FLOATS:
        widths = FLOAT_WIDTHS[before], FLOAT_WIDTHS[after]
        word = "extf" if widths[0] < widths[1] else "truncf"
        return () if widths[0] == widths[1] else (f"arith.{word}",)
    if before in FLOATS or after in FLOATS:
        if "index" in (before, after):
            return ()
        words = ("sitofp", "uitofp") if after in FLOATS else ("fptosi", "fptoui")
        same_width = (FLOAT_WIDTHS | WIDTHS)[before] == (FLOAT_WIDTHS | WIDTHS)[after]
        return [*(f"arith.{word}" for word in words), *["arith.bitcast"] * same_width]
    if (before == "index") != (after == "index"):
        return ("arith.index_cast", "arith.index_castui", "index.casts", "index.castu")
    if before == after:
        return ()
    if WIDTHS[before] > WIDTHS[after]:
        return ("arith.trunci",)
    return ("arith.extsi", "arith.extui")


def main() -> None:
    """Run random programs without end, from the seed on the command line."""
    import sys
    from itertools import count

    patch = pytest.MonkeyPatch()
    refusals = 0
    for number in count(int(sys.argv[1])):
        refusals += bool(check(number, patch))
        if number % 50 == 0:
            print(number, refusals, flush=True)


if __name__ == "__main__":
    main()
