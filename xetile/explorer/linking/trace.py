"""The lowering of a kernel, level by level: texts, ops with their parents, values, and the passes' decisions.

Before the passes of a level run, all ops are numbered; after them each names the op that it comes from.
Nothing is planned here: the kernel is lowered as by `xetile.lower`.

The file also finds a given kernel's level and subgroups.

Level Y: the Python functions that a kernel was traced from, and the expression that each op comes from.

Ops of kernels in Python carry the place of the expression that made them, its first character (`language/calling`).
If several expressions begin at one place (`x - y` and `x`), the longest is displayed.

Before a level is lowered, each op gets its number around its position:

    loc("S:12"("gemm.mlir":18:7))

is op 12 of level S, from line 18. Positions survive, so the ops that a pass makes from it have the same, and errors
and remarks, which read the position inside (`errors.file_position`), name the user's text.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from linecache import getlines
from typing import NamedTuple, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, NameLoc, StringAttr, UnregisteredOp
from xdsl.ir import Operation, SSAValue

from xetile.analysis.kernel_targets import device_of
from xetile.analysis.module_kernels import (
    functions,
    holds_dialect,
    kernel_functions,
    level,
    missing_kernel,
    sg_layout_of,
    subgroup_count,
    symbol_name,
)
from xetile.codegen import only_kernel
from xetile.codegen.llvm_functions import is_kernel, llvm_functions
from xetile.collector import still
from xetile.dialects.modules import context
from xetile.dialects.xetile import TileType
from xetile.errors import (
    XetileError,
    file_position,
    kept_remarks,
    say_again,
    warnings_of,
    written_in,
)
from xetile.explanation.compile_options import Options
from xetile.explorer.linking.placed_texts import (
    Span,
    Text,
    printed,
    source_file,
    text_of,
    values_of,
)
from xetile.explorer.model import At, Kernel, Level, LevelId, Op, Use, Value
from xetile.levels import levels as all_levels
from xetile.passes.pipelines import Stage, checked_path, stages
from xetile.planning.decided import decided, listening
from xetile.targets.target import LLVM
from xetile.targets.xe.device import REGISTER_BYTES, XeDevice
from xetile.toolchain.ocloc import Disassembly


def number(module: Operation, level: LevelId, above: LevelId | None) -> list[Operation]:
    """Number all ops in `module`, itself first, in the order of the text; return those ops.

    `above` is the level whose numbers the ops have until now, and lose; None if they have none.
    """
    ops = list(module.walk())
    for index, op in enumerate(ops):
        written = op.location if above is None else _unnumbered(op.location, above)
        op.location = NameLoc(StringAttr(f"{level}:{index}"), written)
    return ops


def number_of(op: Operation, level: LevelId) -> int | None:
    """Return the number of the op of `level` that `op` is, or comes from, or None if its position has none."""
    location = op.location
    if not isinstance(location, NameLoc):
        return None
    name, _, index = location.desc.data.partition(":")
    return int(index) if name == level and index.isdecimal() else None


def _unnumbered(location: LocationAttr, above: LevelId) -> LocationAttr:
    """Return the position that the user wrote, without a number of the level above."""
    if isinstance(location, NameLoc) and location.desc.data.startswith(f"{above}:"):
        return cast(LocationAttr, location.location)
    return location


Place: TypeAlias = tuple[str, int, int]
"""A file, a line and a column from 1."""


@dataclass
class PythonSource:
    """Level Y, and for each place the index of its op."""

    level: Level
    ops: dict[Place, int] = field(default_factory=dict[Place, int])

    def parents(self, op: Operation) -> tuple[int, ...]:
        """Return the expression that an op comes from."""
        place = _place_of(op)
        return (self.ops[place],) if place is not None and place in self.ops else ()


def is_python(file: str) -> bool:
    """Return True if a file of positions is Python's: by its name, or a notebook's cell that Python remembers."""
    return file.endswith(".py") or (file.startswith("<") and bool(getlines(file)))


def python_source(
    ops: Iterable[Operation], given: Mapping[str, str], name: Callable[[str], int]
) -> PythonSource:
    """Return the functions that contain the places of ops, in the order in which ops name them.

    `given` has texts of files by name, others are read as tracebacks read them; `name` numbers the names of ops.
    """
    places = list(dict.fromkeys(place for op in ops if (place := _place_of(op)) is not None))
    files = {
        file: _File(file, given.get(file)) for file in dict.fromkeys(p[0] for p in places)
    }
    level = Level("Y", "Python", None)
    numbers = level.numbers = list[int]()
    lines = _copy_functions(places, files, level, numbers)
    source = PythonSource(level)
    for place in sorted(places, key=lambda one: (lines.get(one[:2], -1), one[2])):
        line = lines.get(place[:2])
        if line is not None:
            kind, first, last = files[place[0]].piece(place[1], place[2] - 1)
            source.ops[place] = len(level.ops)
            level.ops.append(Op(line, first, last, name(f"python.{kind}")))
    return source


def _copy_functions(
    places: Iterable[Place], files: Mapping[str, "_File"], level: Level, numbers: list[int]
) -> dict[tuple[str, int], int]:
    """Copy the functions around places into the level; return, by file and line, the new place of each line."""
    lines: dict[tuple[str, int], int] = {}
    main = ""
    for file, line, _ in places:
        main = main or file
        around = files[file].function(line)
        if (file, line) in lines or not around:
            continue
        if lines:
            level.lines += ["", *([f"# {file}"] if file != main else [])]
            numbers += [0] * (len(level.lines) - len(numbers))
        for row in around:
            lines[file, row] = len(level.lines)
            level.lines.append(files[file].lines[row - 1])
            numbers.append(row)
    return lines


def _place_of(op: Operation) -> Place | None:
    place = file_position(op.location)
    if place is None or not is_python(place.filename.data):
        return None
    return place.filename.data, place.line.data, place.column.data


class _Piece(NamedTuple):
    """The syntax at a place: its kind in Python's grammar, and its columns in its first line, from 0."""

    kind: str
    first: int
    last: int


class _File:
    """A Python file; a missing one has no lines, and in one that is not Python each line is a function."""

    def __init__(self, name: str, text: str | None) -> None:
        lines = getlines(name) if text is None else text.splitlines()
        self.lines = [line.rstrip("\n") for line in lines]
        self._functions: list[range] = []
        self._expressions: dict[tuple[int, int], _Piece] = {}
        self._statements: dict[tuple[int, int], _Piece] = {}
        try:
            tree = ast.parse("\n".join(self.lines))
        except SyntaxError:
            return
        self._read(tree, is_inside=False)

    def function(self, line: int) -> range:
        """Return the lines of the outermost function around a line, from 1, or only the line if there is none."""
        own = range(line, line + 1) if 0 < line <= len(self.lines) else range(0)
        return next((lines for lines in self._functions if line in lines), own)

    def piece(self, line: int, column: int) -> _Piece:
        """Return the longest expression that begins at a place, else the statement, else the rest of the line."""
        end = len(self.lines[line - 1].rstrip())
        rest = _Piece("line", column, max(column, end))
        at = line, column
        return self._expressions.get(at) or self._statements.get(at) or rest

    def _read(self, node: ast.AST, *, is_inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_function and not is_inside:
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                self._functions.append(range(first, (child.end_lineno or child.lineno) + 1))
            if isinstance(child, ast.expr | ast.stmt) and _makes_something(child):
                self._add(child)
            self._read(child, is_inside=is_inside or is_function)

    def _add(self, node: ast.expr | ast.stmt) -> None:
        """Record an expression or a statement; outer ones come first, and take precedence."""
        first = self._column(node.lineno, node.col_offset)
        last = len(self.lines[node.lineno - 1].rstrip())
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            last = self._column(node.lineno, node.end_col_offset)
        known = self._expressions if isinstance(node, ast.expr) else self._statements
        piece = _Piece(type(node).__name__.lower(), first, last)
        known.setdefault((node.lineno, first), piece)

    def _column(self, line: int, column: int) -> int:
        """Return the number of characters before a column that counts bytes of UTF-8."""
        text = self.lines[line - 1]
        return (
            column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))
        )


def _makes_something(node: ast.AST) -> bool:
    """Return True if ops can come from it; False for assigned names and for tuples."""
    is_target = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    return not is_target and not isinstance(node, ast.Tuple)


def kernels(module: ModuleOp) -> list[Operation]:
    """Return the kernels of a module, also at the last level.

    Raise XetileError if there is none.
    """
    found = [*kernel_functions(module), *filter(is_kernel, llvm_functions(module))]
    if not found:
        names = [symbol_name(function) for function in functions(module)]
        raise missing_kernel(module, None, names)
    return found


def level_of(function: Operation) -> LevelId:
    """Return the letter of a kernel's level."""
    if function.name == "llvm.func":
        return "L"
    match level(function):
        case "workgroup":
            return "W"
        case "lane":
            return "V"
        case "subgroup" if holds_dialect(function, "xetile"):
            return "B" if any(map(_is_blocked, function.walk())) else "S"
        case "subgroup":
            return "X" if holds_dialect(function, "xegpu") else "S"


def _is_blocked(op: Operation) -> bool:
    """Return True if an op has operands or results that are tiles in blocks."""
    types = [value.type for value in (*op.results, *op.operands)]
    return any(isinstance(type, TileType) and type.inner_blocks is not None for type in types)


def letters_from(first: LevelId) -> dict[str, LevelId]:
    """Return the letters of the levels below one, by their names."""
    found = all_levels()
    letters = [row.letter for row in found]
    below = found[letters.index(first) + 1 :]
    return {row.name: cast("LevelId", row.letter) for row in below}


def layout_of_subgroups(function: Operation) -> list[int] | None:
    """Return the rows and columns of subgroups, from the kernel's attribute or its first `wg_map`, or None."""
    if function.name == "llvm.func":
        return None
    if (layout := sg_layout_of(function)) is not None:
        return list(layout)
    for op in function.walk():
        attributes = (*op.attributes.values(), *op.properties.values())
        types = (value.type for value in (*op.operands, *op.results))
        maps = (*attributes, *(getattr(type, "wg_map", None) for type in types))
        for map in maps:
            if (sizes := getattr(map, "sg_layout", None)) is not None:
                return [int(size) for size in sizes]
    return None


def subgroups_of(function: Operation) -> int | None:
    """Return the subgroups of a workgroup, or None if the kernel does not state its size."""
    return None if function.name == "llvm.func" else subgroup_count(function)


@dataclass
class Traced:
    """A lowered kernel with its ops, from which other files derive the rest of the model.

    Attributes:
        kernel: the model of it so far: the levels down to L.
        device: the device that it was lowered for, as `options` say.
        module: the kernel at the last of its levels, numbered as `kernel.levels[-1].ops`.
        ops: by level the ops as they were there, in the order of `Level.ops`, complete with operands and parents;
            those of L are those of `module`.
        told: by level the decisions of the passes that made it from the level above: the function, and the decision.
            The ops that they mention were rewritten next.
        values: the level and the index in `Level.values` of each value of `ops`, and of those that the passes were
            given, so that the values of `told` are found; not of values that a pass made underway.
        disassembly: of the kernel's binary, or None.
        unwritten: levels that have no lines yet, with the text that contains them if they need no printing.
    """

    kernel: Kernel
    device: XeDevice
    options: Options
    module: ModuleOp
    ops: dict[LevelId, list[Operation]] = field(default_factory=dict[LevelId, list[Operation]])
    told: dict[LevelId, list[tuple[Operation, object]]] = field(
        default_factory=dict[LevelId, list[tuple[Operation, object]]]
    )
    values: dict[SSAValue, At] = field(default_factory=dict[SSAValue, At])
    disassembly: Disassembly | None = None
    unwritten: list[tuple[Level, Text | None]] = field(
        default_factory=list[tuple[Level, Text | None]]
    )
    _names: dict[str, int] = field(default_factory=dict[str, int])

    def level(self, letter: LevelId) -> int | None:
        """Return the index of a level, or None if the kernel does not have it."""
        ids = [level.id for level in self.kernel.levels]
        return ids.index(letter) if letter in ids else None

    def op(self, op: Operation) -> At | None:
        """Return the level's index and the op's index of the op that `op` is, or comes from while being lowered."""
        for index in reversed(range(len(self.kernel.levels))):
            if (found := number_of(op, self.kernel.levels[index].id)) is not None:
                return index, found
        return None

    def name(self, name: str) -> int:
        """Return the index of the name of an op or instruction; add it if it is new."""
        index = self._names.setdefault(name, len(self.kernel.names))
        if index == len(self.kernel.names):
            self.kernel.names.append(name)
        return index


def traced(
    module: ModuleOp,
    device: str | None,
    options: Options,
    *,
    source: str | None = None,
) -> list[Traced]:
    """Return the kernels of a module, or the one that `options` name, lowered as far as possible.

    `source` is the text that the module was read or traced from; by default the file that positions name is read.
    The module does not change. A kernel that the device cannot run ends at the level that it reaches, as its
    notes say. `write` adds the lines of levels, and places in them.
    Raise XetileError if there is no kernel, and if none of them can be lowered at all.
    """
    names = [symbol_name(function) for function in kernels(module)]
    wanted = names if options.kernel is None else [options.kernel]
    text = text_of(module, source)
    traces: list[Traced] = []
    refused: list[XetileError] = []
    for name in wanted:
        one = _one(module, name, device, options, text)
        lowering = _Lowering(*one, device)
        with kept_remarks() as said:
            error = lowering.run(source)
        say_again(said)
        one[0].kernel.notes += warnings_of(said)
        if error is not None:
            refused.append(error)
        traces.append(one[0])
    if len(refused) == len(wanted):
        raise refused[0]
    return traces


def _one(
    module: ModuleOp, name: str, device: str | None, options: Options, text: Text | None
) -> tuple[Traced, Text | None]:
    """Return a kernel of a module before it is lowered, with the text that it is written in."""
    copy, text = _only(module, name, text)
    (function,) = kernels(copy)
    chosen = device_of(copy, XeDevice, device)
    kernel = Kernel(
        name=name,
        levels=[],
        names=[],
        subgroups=subgroups_of(function),
        sg_layout=layout_of_subgroups(function),
        lanes=chosen.lanes,
        register_bytes=REGISTER_BYTES,
    )
    return Traced(kernel, chosen, options, copy), text


def _only(module: ModuleOp, name: str, text: Text | None) -> tuple[ModuleOp, Text | None]:
    """Return a copy of the module with one of its kernels, and the places of its ops in the text."""
    copy = only_kernel(module, name)
    if text is None:
        return (module.clone() if copy is module else copy), None
    left = [function for function in kernels(module) if symbol_name(function) != name]
    gone = {op for function in left for op in function.walk()}
    kept = [op for op in module.walk() if op not in gone]
    copy = module.clone() if copy is module else copy
    return copy, text.moved(zip(kept, copy.walk(), strict=True))


class _Lowering:
    """The lowering of the module of a `Traced`, which it fills."""

    def __init__(
        self,
        trace: Traced,
        text: Text | None,
        device: str | None,
    ) -> None:
        self.trace = trace
        self.text = text
        self.device = device
        self.python: PythonSource | None = None

    @still()
    def run(self, source: str | None) -> XetileError | None:
        """Add the levels from the kernel's own on; return the error if even the first step fails."""
        trace, options = self.trace, self.trace.options
        path = checked_path(trace.module, self.device, options.assume, options.unroll)
        (function,) = kernels(trace.module)
        first = level_of(function)
        if self.text is None:
            self._add_python(source)
        with written_in(trace.module):
            self._add(first, [])
            letters = letters_from(first)
            todo = stages(path, None, self.device, options.assume, options.unroll)
            return self._lower(first, letters, todo) if letters else None

    def _lower(
        self, first: LevelId, letters: Mapping[str, LevelId], todo: Iterable[Stage]
    ) -> XetileError | None:
        """Apply the passes, and add the levels that have letters; earlier passes only remove needless ops."""
        passes: list[str] = []
        for stage in todo:
            passes += [step.name for step in stage.passes]
            letter = letters.get(stage.level)
            try:
                self._apply(context(), stage, letter or first)
            except XetileError as error:
                self.trace.kernel.notes.append(f"level {stage.level} is not reached: {error}")
                return error if self.trace.kernel.levels[-1].id == first else None
            if letter is not None:
                self._add(letter, passes)
                passes = []
        return None

    def _apply(self, ctx: Context, stage: Stage, letter: LevelId) -> None:
        told = self.trace.told.setdefault(letter, [])

        def hear(function: Operation, what: object) -> None:
            told.append((function, what))

        with listening(hear):
            for step in stage.passes:
                step.apply(ctx, self.trace.module)
                decided(self.trace.module, step)

    def _add_python(self, source: str | None) -> None:
        """Add the Python functions that the kernel was traced from, if its positions name any."""
        trace = self.trace
        file = source_file(trace.module)
        if is_python(file):
            given = {} if source is None else {file: source}
            self.python = python_source(trace.module.walk(), given, trace.name)
            trace.kernel.levels.append(self.python.level)

    def _add(self, letter: LevelId, passes: list[str]) -> None:
        """Add the level at which the module is now."""
        trace, levels = self.trace, self.trace.kernel.levels
        parents = [self._parents(op) for op in trace.module.walk()]
        live = number(trace.module, letter, levels[-1].id if levels else None)
        title = next(row.name for row in all_levels() if row.letter == letter)
        level = Level(letter, title, len(levels) - 1 if levels else None, list(passes))
        level.ops = [
            Op(*_NOWHERE, trace.name(_name(op)), own)
            for op, own in zip(live, parents, strict=True)
        ]
        levels.append(level)
        _add_values(trace, level, live)
        given = None if trace.ops else self.text
        trace.ops[letter] = live
        if letter != LLVM.letter:  # they are rewritten next
            trace.ops[letter] = list(trace.module.clone().walk())
            _know_values(trace, live, trace.ops[letter])
        if given is not None:
            given = given.moved(zip(live, trace.ops[letter], strict=True))
        trace.unwritten.append((level, given))

    def _parents(self, op: Operation) -> tuple[int, ...]:
        """Return the op of the level above that an op comes from."""
        levels = self.trace.kernel.levels
        if not self.trace.ops:
            return () if self.python is None else self.python.parents(op)
        found = number_of(op, levels[-1].id)
        return () if found is None else (found,)


def write(trace: Traced) -> None:
    """Add the lines of the levels from the kernel's own down to L, and the places of ops and values in them."""
    for shown, given in trace.unwritten:
        ops = trace.ops[shown.id]
        text = given or printed(ops[0])
        shown.lines = text.lines
        shown.ops = [
            Op(*text.ops[op], one.name, one.parents)
            for op, one in zip(ops, shown.ops, strict=True)
        ]
        values = [value for op in ops for value in values_of(op)]
        for place, (value, one) in enumerate(zip(values, shown.values, strict=True)):
            span = text.values.get(value) or Span(shown.ops[one.op].line, 0, 0)
            shown.values[place] = Value(one.op, one.number, *span, one.holding)
    trace.unwritten.clear()


_NOWHERE = Span(0, 0, 0)
"""The place of ops and values before they are written."""


def _add_values(trace: Traced, level: Level, ops: Sequence[Operation]) -> None:
    """Add the values that ops define, then their uses."""
    here = len(trace.kernel.levels) - 1
    for index, op in enumerate(ops):
        for own, value in enumerate(values_of(op)):
            trace.values[value] = here, len(level.values)
            level.values.append(Value(index, own, *_NOWHERE))
    for index, op in enumerate(ops):
        for operand, value in enumerate(op.operands):
            level.uses.append(Use(index, operand, trace.values[value][1]))


def _know_values(trace: Traced, ops: Sequence[Operation], likes: Sequence[Operation]) -> None:
    """Record the values of `likes`, which equal those of `ops` in the same order."""
    for op, like in zip(ops, likes, strict=True):
        for value, other in zip(values_of(op), values_of(like), strict=True):
            trace.values[other] = trace.values[value]


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name
