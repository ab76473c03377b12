"""The rules of the house that a machine can hold: which room imports which, and what the algebra knows."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tools.affected import imported_names
from xetile.targets import names

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "xetile"

ORDER: tuple[tuple[str, ...], ...] = (
    (
        "advice",
        "collector",
        "digits",
        "files",
        "hints",
        "progress",
    ),
    ("errors",),
    ("layout.algebra",),
    ("layout.exchange",),
    ("layout.triton", "layout.intel", "layout.nvidia"),
    ("layout.text", "layout.show"),
    ("targets",),
    ("complaints",),
    ("scopes",),
    ("levels", "parser", "verification"),
    ("dialects",),
    ("toolchain", "analysis"),
    ("interpreter", "planning"),
    ("rewriting",),
    ("passes",),
    ("codegen",),
    ("runtime",),
    ("explanation",),
    ("explorer",),
    ("api",),
    ("batch",),
    ("language",),
    ("kernels",),
    ("cli",),
    ("explorer.serving",),
)
"""The rooms; a room imports what stands before it, and within its own row only itself."""

FRONT_DOORS = (
    "xetile.__main__",
    "xetile",
    "xetile.language",
    "xetile.layout",
    "xetile.universe",
)
"""Modules that resolve names of other rooms on first use, and that rooms may ask for nothing but the version."""

EXCEPTIONS: frozenset[tuple[str, str]] = frozenset()
"""Imports (from, of) against the order; nothing is added here, it only gets shorter."""

OUR_OWN_NUMBERS: Mapping[str, str] = {
    "xetile.passes.xe.convert_xegpu_to_xevm.reductions._LARGEST_NUMBER": "words of floats",
    "xetile.passes.xe.convert_xegpu_to_xevm.word_vectors._F32_DIGITS": "IEEE's f32",
    "xetile.passes.xe.convert_xegpu_to_xevm.intake._F16_DIGITS": "IEEE's f16",
    "xetile.passes.xe.convert_xegpu_to_xevm.intake._F32_DIGITS": "IEEE's f32",
    "xetile.passes.xe.convert_xetile_to_xegpu.checks.MOST_BLOCKS": "what we unroll in one subgroup",
    "xetile.passes.xe.convert_xevm_to_llvm.builtins.LOAD_CACHE_OPTIONS": "IGC's enumeration",
    "xetile.passes.xe.convert_xevm_to_llvm.builtins.MATRIX_OPERANDS": "names and bits of element types",
    "xetile.passes.xe.convert_xevm_to_llvm.builtins.STORE_CACHE_OPTIONS": "IGC's enumeration",
    "xetile.passes.xe.convert_xevm_to_llvm.builtins._ROW_SUFFIX": "IGC's letters for integers",
    "xetile.passes.xe.convert_xevm_to_llvm.builtins._WORD": "the C++ ABI's letters for integers",
    "xetile.passes.xe.convert_xevm_to_llvm.floats._OF_C": "OpenCL C's names of integers",
    **{
        f"xetile.passes.xe.convert_xevm_to_llvm.floats.{name}": "bits of floats"
        for name in ("_E4M3", "_E5M2", "_MAGNITUDE", "_SIGN", "_F32_FRACTION", "_F32_BIAS")
    },
    "xetile.passes.xe.convert_xevm_to_llvm.float_functions._EXPONENT_BITS": "OpenCL's int",
    "xetile.passes.xe.convert_xevm_to_llvm.work_items._ACQUIRE_RELEASE": "OpenCL's enumeration",
    "xetile.passes.xe.convert_xevm_to_llvm.work_items._SEMANTICS": "SPIR-V's enumeration",
    "xetile.passes.xe.convert_xevm_to_llvm.work_items._LETTERS": "the C++ ABI's letters for integers",
    "xetile.passes.xe.convert_xevm_to_llvm.work_items._REDUCED": "the C++ ABI's letters for integers",
    "xetile.passes.xe.convert_xevm_to_llvm.llvm_types.CHUNK": "our choice among SPIR-V's lengths of vectors",
    "xetile.passes.xe.convert_xevm_to_llvm.llvm_types.NIBBLE_BITS": "integers of which two share a byte",
    "xetile.passes.xe.convert_xevm_to_llvm.llvm_types._FLOATS": "the C++ ABI's letters for floats",
    "xetile.passes.xe.convert_xevm_to_llvm.llvm_types._INTEGER_BITS": "SPIR-V's integers",
    "xetile.passes.xe.convert_xevm_to_llvm.llvm_types._SIGNED": "the C++ ABI's letters for integers",
    "xetile.passes.xe.convert_xevm_to_llvm.llvm_types._UNSIGNED": "the C++ ABI's letters for integers",
    "xetile.passes.xe.xetile_blockop_fallback.element_accesses._MOST_ADDRESSES": "a bound on the work of planning",
    "xetile.passes.tiles.xetile_wg_to_sg.exchange_buffers._MANY": "a bound on the work of planning",
    "xetile.passes.tiles.xetile_wg_to_sg.tiled_buffers._LOOP_WEIGHT": "what we count a loop for, nothing of a machine",
    "xetile.passes.tiles.xetile_wg_to_sg.subgroup_view.MOST_UNITS": "what we unroll in one subgroup",
    "xetile.passes.xe.convert_xegpu_to_xevm.lane_accesses._INDICES": "the i32 of upstream's llvm.getelementptr",
    "xetile.planning.xe.unrolling._FEW": "products for each op that computes",
    "xetile.planning.xe.register_layouts.places.MOST_TERMS": "a bound on the work of planning",
    "xetile.planning.xe.message_plans._LARGEST_PART": "a bound on the work of planning",
    "xetile.planning.xe.register_layouts.candidates.MOST_CANDIDATES": "a bound on the work of planning",
    "xetile.planning.xe.register_layouts.choice._MANY_CLASSES": "a bound on the work of planning",
    "xetile.planning.xe.register_layouts.choice._MOST_VISITS": "a bound on the work of planning",
    "xetile.planning.xe.register_layouts.choice._MOST_WORK": "a bound on the work of planning",
    "xetile.planning.xe.register_layouts.places._DEPTH": "a bound on the work of planning",
    "xetile.rewriting.work_item_launches.MOST_ITEMS": "the largest number of an i32",
}
"""Numbers of rooms that decide which are no hardware's, with what they are."""

MOST_FILES = 15
"""Of a room, its subfolders not counted."""

MOST_FLOORS = 6
"""How deep the files of a room import one another."""

HIGHER: Mapping[str, int] = {
    "xetile.dialects.xetile": 10,
    "xetile.interpreter.machine": 8,
    "xetile.layout.algebra": 7,
    "xetile.passes.xe.convert_xegpu_to_xevm": 7,
    "xetile.passes.xe.convert_xetile_to_xegpu": 8,
    "xetile.passes.xe.convert_xevm_to_llvm": 8,
    "xetile.planning.xe.register_layouts": 10,
    "xetile.runtime": 8,
}
"""Rooms with more floors, and how many; numbers only fall."""

XE_OUTSIDE: frozenset[str] = frozenset(
    (
        "xetile.cli.kernel_command",
        "xetile.cli.layout_commands.layout_block_load",
        "xetile.cli.layout_commands.layout_convert",
        "xetile.cli.layout_commands.layout_dpas",
        "xetile.codegen",
        "xetile.codegen.contract",
        "xetile.codegen.llvm_ir",
        "xetile.codegen.build_options",
        "xetile.codegen.preconditions",
        "xetile.explanation.building",
        "xetile.explanation.instructions",
        "xetile.explanation.lane_summary",
        "xetile.explanation.measures",
        "xetile.explorer.holding.conversion_moves",
        "xetile.explorer.holding.lane_registers",
        "xetile.explorer.holding.message_moves",
        "xetile.explorer.holding.tile_parts",
        "xetile.explorer.isa.instruction_costs",
        "xetile.explorer.isa.instruction_levels",
        "xetile.explorer.isa.register_places",
        "xetile.explorer.linking.trace",
        "xetile.explorer.serving.typed_layout",
        "xetile.language.arrays",
        "xetile.language.calling.tracing",
        "xetile.toolchain.assembly",
    )
)
"""Modules that know Xe and stand in no room named after it; nothing is added, it only gets shorter."""

RANK = {f"xetile.{room}": rank for rank, rooms in enumerate(ORDER) for room in rooms}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, ast.parse(path.read_text(), str(path))


@cache
def room_of(module: str) -> str | None:
    fitting = [room for room in RANK if module == room or module.startswith(f"{room}.")]
    return max(fitting, key=len, default=None)


MODULES = dict(modules())
NODES = {name: list(ast.walk(tree)) for name, tree in MODULES.items()}
IMPORTS = {name: list(imported_names(nodes)) for name, nodes in NODES.items()}


def test_imports_go_one_way() -> None:
    homeless = {name for name in MODULES if room_of(name) is None} - set(FRONT_DOORS)
    assert not homeless, "in no room of the architecture page"
    against: list[tuple[str, str]] = []
    for module in sorted(set(MODULES) - set(FRONT_DOORS)):
        room = room_of(module)
        for name in IMPORTS[module]:
            if name.split(".")[0] != "xetile" or name in ("xetile.__version__", "xetile"):
                continue
            other = room_of(name)
            if other is None or (other != room and RANK[other] >= RANK[str(room)]):
                against.append((module, name))
    assert set(against) == EXCEPTIONS


def test_the_algebra_imports_nothing_but_errors() -> None:
    for module, imported in IMPORTS.items():
        if room_of(module) == "xetile.layout.algebra":
            ours = {room_of(name) for name in imported if name.startswith("xetile.")}
            assert ours <= {"xetile.layout.algebra", "xetile.errors"}, module


def test_layouts_know_neither_xdsl_nor_numpy() -> None:
    for module, imported in IMPORTS.items():
        if module.startswith("xetile.layout"):
            foreign = {name.split(".")[0] for name in imported}
            assert not foreign & {"xdsl", "numpy"}, module


def test_nobody_imports_what_another_module_keeps_for_itself() -> None:
    found = [
        f"{module} imports {name}"
        for module, imported in IMPORTS.items()
        for name in imported
        if name.startswith("xetile.") and any(map(_is_private, name.split(".")))
    ]
    assert found == []


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_devices_are_named_in_targets_only() -> None:
    devices = set(names())
    found: list[str] = []
    for module, nodes in NODES.items():
        if room_of(module) == "xetile.targets":
            continue
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = set(re.findall(r"\w+", node.value))
                if id(node) not in docstrings and words & devices:
                    found.append(f"{module}:{node.lineno}: {node.value!r}")
    assert found == []


def test_numbers_of_rooms_that_decide_are_our_own() -> None:
    """What a device can do is asked of `targets`; a constant elsewhere needs another reason, written above."""
    found: list[str] = []
    for module, tree in MODULES.items():
        if room_of(module) not in ("xetile.planning", "xetile.rewriting", "xetile.passes"):
            continue
        for statement in tree.body:
            if (
                isinstance(statement, ast.Assign | ast.AnnAssign)
                and statement.value is not None
            ):
                (target,) = (
                    statement.targets
                    if isinstance(statement, ast.Assign)
                    else [statement.target]
                )
                if any(map(_is_large_number, ast.walk(statement.value))):
                    found.append(f"{module}.{ast.unparse(target)}")
    assert sorted(found) == sorted(OUR_OWN_NUMBERS)


def _is_large_number(node: ast.AST) -> bool:
    """Numbers up to 3 count operands and dimensions."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 3


def _home(module: str) -> str:
    return module if _is_package(module) else module.rpartition(".")[0]


def _is_package(module: str) -> bool:
    return (ROOT / module.replace(".", "/")).is_dir()


def test_rooms_are_small() -> None:
    files: dict[str, set[str]] = {}
    for module in MODULES:
        files.setdefault(_home(module), set()).add(module)
    assert {room: len(found) for room, found in files.items() if len(found) > MOST_FILES} == {}

    @cache
    def floor(module: str) -> int:
        inside = files[_home(module)] - {module}
        below = [_home_of_name(name, inside) for name in IMPORTS[module]]
        return 1 + max((floor(other) for other in below if other is not None), default=0)

    def _home_of_name(name: str, inside: set[str]) -> str | None:
        return next((n for n in (name, name.rpartition(".")[0]) if n in inside), None)

    floors = {room: max(map(floor, found)) for room, found in files.items()}
    assert {room: n for room, n in floors.items() if n > MOST_FLOORS} == HIGHER


def test_no_two_files_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    rooms = {name.rpartition(".")[0] for name in MODULES}
    for module in sorted({*MODULES, *rooms}):
        if not module.startswith(
            "xetile.targets."
        ):  # each target has the same rooms and files
            places.setdefault(module.rpartition(".")[2], []).append(module)
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert shared.pop("xe") == ["xetile.passes.xe", "xetile.planning.xe"]
    assert shared.pop("xetile") == ["xetile", "xetile.dialects.xetile"]
    assert shared == {}


def test_a_target_is_known_in_its_rooms_only() -> None:
    found = {
        module
        for module, imported in IMPORTS.items()
        if not re.search(r"\.xe\b|xegpu|xevm", module)
        and any(re.search(r"\.xe\b", name) for name in imported)
    }
    assert found - {"xetile.targets"} == XE_OUTSIDE
