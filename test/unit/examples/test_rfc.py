"""The programs of the XeTile RFC's appendices give numpy's results, at every level, on tiles that fit and on others."""

import re
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.in_field import same_in_field
from support.on_device import ON_NUMPY, Place, levels_and_places
from support.spread import label, spread
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute
from xdsl.printer import Printer

from xetile import api
from xetile.dialects.xetile.xetile_attributes import SHARED, memory_space_of
from xetile.errors import XetileError
from xetile.interpreter import count_bank_conflicts, execute
from xetile.levels import LevelName

Array = NDArray[Any]
Level = Literal["workgroup", "subgroup", "blocked", "xegpu", "xevm"]
Sizes = tuple[int, int, int]

FOLDER = Path(__file__).parents[3] / "examples" / "rfc"
LEVELS: tuple[Level, ...] = ("workgroup", "subgroup", "blocked")
MATRICES = {
    "matrix_a": "{m}x{k}",
    "matrix_b": "{k}x{n}",
    "matrix_bt": "{n}x{k}",
    "matrix_c": "{m}x{n}",
    "bias": "{n}",
    "bias_row": "1x{n}",
    "result": "{m}",
    "result_column": "{m}x1",
}
"""The type aliases of appendix 2's files that hold the extents, all of them 4096."""


class Program(NamedTuple):
    """A program, its workgroup's tile of the result, and what it computes of A, B and the bias."""

    name: str
    kernel: str
    tile: tuple[int, int]
    sizes: tuple[Sizes, ...]
    transposed: bool = False


APPENDIX_1 = (
    Program("1-row-major", "gemm", (64, 64), ((128, 64, 96), (100, 72, 40), (3, 5, 7))),
    Program(
        "1-column-major-view",
        "gemm",
        (64, 64),
        ((128, 64, 96), (100, 72, 40), (3, 5, 7)),
        transposed=True,
    ),
    Program(
        "1-transposed-load",
        "gemm",
        (64, 64),
        ((128, 64, 96), (100, 72, 40), (3, 5, 7)),
        transposed=True,
    ),
)
GEMMS = (
    Program("2.1-prefetch", "gemm", (256, 256), ((256, 512, 64), (300, 270, 70))),
    Program(
        "2.3-transpose-in-registers",
        "gemm",
        (256, 256),
        ((512, 256, 64), (300, 270, 70)),
        transposed=True,
    ),
    Program("2.4-shared-memory", "gemm", (256, 256), ((256, 512, 192), (270, 300, 170))),
    Program("2.5-two-cache-levels", "gemm", (512, 256), ((512, 256, 160), (520, 270, 140))),
)
ROW_SUMS = Program(
    "2.2-transpose-broadcast-reduce",
    "gemm_row_sums",
    (256, 256),
    ((512, 512, 64), (300, 270, 70)),
    transposed=True,
)
PROGRAMS = (*APPENDIX_1, *GEMMS, ROW_SUMS)


def source(program: Program) -> str:
    return (FOLDER / f"{program.name}.mlir").read_text()


def grid(program: Program, sizes: Sizes) -> tuple[int, int, int]:
    rows, columns = program.tile
    return -(-sizes[0] // rows), -(-sizes[1] // columns), 1


def resized(program: Program, sizes: Sizes) -> str:
    """A program of appendix 2 with other extents than the 4096 of all its matrices."""
    m, n, k = sizes
    text = source(program)
    for alias, shape in MATRICES.items():
        new = shape.format(m=m, n=n, k=k)
        text = re.sub(
            rf"^(!{alias} = memref<)(?:\d+x)+", rf"\g<1>{new}x", text, flags=re.MULTILINE
        )
    x, y, z = grid(program, sizes)
    text = re.sub(r"(known_grid_size = array<i32:) [\d, ]+", rf"\1 {x}, {y}, {z}", text)
    text = text.replace("%K = arith.constant 4096", f"%K = arith.constant {k}")
    text = text.replace("[1, 4096]", f"[1, {n}]").replace("[4096, 1]", f"[{m}, 1]")
    assert "4096" not in re.sub(r"//.*", "", text)
    return text


@cache
def read(program: Program, sizes: Sizes, level: Level) -> ModuleOp:
    """A program at a level, which is only read; appendix 1's have dynamic extents."""
    text = source(program) if program in APPENDIX_1 else resized(program, sizes)
    module = api.parse(text, name=f"{program.name}.mlir")
    if level == "workgroup":
        return module
    lowered = api.lower(module, to=level, device="bmg")
    api.verify(lowered)
    return lowered


class Data(NamedTuple):
    a: Array
    b: Array
    bias: Array


def whole_numbers(sizes: Sizes, type: Any) -> Data:
    """Small whole numbers, all of whose sums of products are exact."""
    m, n, k = sizes
    random = numpy.random.default_rng(m + n + k)
    a, b = (random.integers(-4, 5, shape).astype(type) for shape in ((m, k), (k, n)))
    return Data(a, b, random.integers(-99, 100, n).astype(numpy.float32))


def normal(sizes: Sizes, type: Any) -> Data:
    m, n, k = sizes
    random = numpy.random.default_rng(m * n + k)
    a, b = (random.standard_normal(shape).astype(type) for shape in ((m, k), (k, n)))
    return Data(a, b, random.standard_normal(n).astype(numpy.float32))


def run(
    program: Program, sizes: Sizes, level: Level, data: Data, place: Place = ON_NUMPY
) -> Array:
    """What a program makes of A, B and the bias."""
    given, result, counts = arguments(program, sizes, data)
    place.execute(read(program, sizes, level), program.kernel, given, grid=counts)
    return result


def arguments(
    program: Program, sizes: Sizes, data: Data
) -> "tuple[list[Array | int], Array, Sizes | None]":
    """The arguments of a launch, the one that gets the result, and the workgroups where the program leaves them open."""
    m, n, k = sizes
    b = numpy.ascontiguousarray(data.b.T) if program.transposed else data.b
    if program in APPENDIX_1:
        c = numpy.full((m, n), 77, ml_dtypes.bfloat16)
        return [data.a, b, c, m, n, k], c, grid(program, sizes)
    if program is ROW_SUMS:
        sums = numpy.zeros(m, numpy.float32)
        return [data.a, b, data.bias, sums], sums, None
    c = numpy.full((m, n), 77, numpy.float32)
    return [data.a, b, c], c, None


def element_type(program: Program) -> Any:
    return ml_dtypes.bfloat16 if program in APPENDIX_1 else numpy.float16


def expected(program: Program, data: Data) -> Array:
    """numpy's result, in doubles."""
    product = data.a.astype(numpy.float64) @ data.b.astype(numpy.float64)
    return (product + data.bias).sum(axis=1) if program is ROW_SUMS else product


NAMES = [program.name for program in PROGRAMS]
CASES = [
    pytest.param(program, sizes, id=f"{program.name}-{'x'.join(map(str, sizes))}")
    for program in PROGRAMS
    for sizes in program.sizes
]


@pytest.mark.parametrize(("program", "sizes"), CASES)
def test_whole_numbers_are_exact(program: Program, sizes: Sizes) -> None:
    data = whole_numbers(sizes, element_type(program))
    wanted = expected(program, data)
    assert wanted.any()
    for level in LEVELS:
        found = run(program, sizes, level, data)
        assert numpy.array_equal(found, wanted.astype(found.dtype)), level


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_every_level_gives_the_same_bits(program: Program) -> None:
    sizes = program.sizes[-1]
    data = normal(sizes, element_type(program))
    first, *others = (run(program, sizes, level, data) for level in LEVELS)
    for other in others:
        assert other.tobytes() == first.tobytes()
    wanted = expected(program, data)
    unit = 2.0**-7 if program in APPENDIX_1 else 2.0**-23
    bound = unit * sum(sizes) * expected(program, Data(*map(abs, data)))
    assert (abs(first.astype(numpy.float64) - wanted) <= bound).all()


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_every_level_is_exact_in_a_field(program: Program) -> None:
    sizes = program.sizes[0]
    given, _, counts = arguments(program, sizes, normal(sizes, element_type(program)))
    reached: list[Level] = [*LEVELS, "xegpu", "xevm"]
    modules = [read(program, sizes, level) for level in reached]
    same_in_field(modules, program.kernel, given, counts)


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("xegpu", "xevm"), indirect=["place"]
)
@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_below_blocks_the_bits_are_the_same(
    program: Program, level: Level, place: Place
) -> None:
    sizes = program.sizes[0]
    data = normal(sizes, element_type(program))
    found = run(program, sizes, level, data, place)
    assert found.tobytes() == run(program, sizes, "workgroup", data).tobytes()


@pytest.mark.parametrize("program", [ROW_SUMS, GEMMS[2]], ids=[ROW_SUMS.name, GEMMS[2].name])
def test_shared_memory_has_no_bank_conflicts(program: Program) -> None:
    sizes = (*program.tile, 128)
    given, _, _ = arguments(program, sizes, normal(sizes, element_type(program)))
    sites = count_bank_conflicts(read(program, sizes, "xevm"), program.kernel, given)
    assert {site.stores for site in sites} == {True, False}
    assert not any(site.conflicts for site in sites)


@pytest.mark.ocloc
@pytest.mark.parametrize(
    "program, device",
    spread(PROGRAMS, ["pvc", "bmg", "lnl", "ptl", "cri"], times=2),
    ids=label,
)
def test_the_files_themselves_reach_assembly(program: Program, device: str) -> None:
    assert api.emit(large(program), "zebin", device=device)


def test_the_transposed_operand_of_2_2_needs_no_shared_memory() -> None:
    """Only the change of layout before the reduction, behind the loop, goes through it."""
    program = large(ROW_SUMS)
    moved = api.lower(program, to="subgroup")
    (loop,) = (op for op in moved.walk() if op.name == "scf.for")
    inside = [
        op
        for op in loop.walk()
        for value in (*op.operands, *op.results)
        if is_shared(value.type)
    ]
    assert not inside
    assert "gpu.barrier" not in {op.name for op in loop.walk()}


def large(program: Program) -> ModuleOp:
    return api.parse(source(program), name=f"{program.name}.mlir")


def generic(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return f"{stream.getvalue()}\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_the_files_themselves_are_read_printed_and_distributed(program: Program) -> None:
    module = large(program)
    text = api.text(module)
    again = api.parse(text)
    assert again.is_structurally_equivalent(module)
    assert api.text(again) == text
    assert api.parse(generic(module)).is_structurally_equivalent(module)
    distributed = api.text(api.lower(module, to="subgroup"))
    assert "wg_map" not in distributed
    blocked = api.text(api.lower(module, to="blocked", device="bmg"))
    assert "inner_blocks" in blocked


def has_shared_memory(module: ModuleOp) -> bool:
    types = {value.type for op in module.walk() for value in (*op.operands, *op.results)}
    return any(is_shared(type) for type in types)


def is_shared(type: Attribute) -> bool:
    if not isinstance(type, MemRefType):
        return False
    return memory_space_of(cast("MemRefType[Attribute]", type).memory_space) == SHARED


def test_2_3_moves_nothing_between_subgroups() -> None:
    """Neither as it is nor divided as 2.2 is: subgroups load what their parts of the transpose are made of."""
    better = api.lower(large(GEMMS[1]), to="subgroup")
    derived = source(GEMMS[1]).replace(
        "#map_bt = #xetile.wg_map<sg_layout = [32, 1]",
        "#map_bt = #xetile.wg_map<sg_layout = [4, 8]",
    )
    assert derived != source(GEMMS[1])
    assert not has_shared_memory(better)
    assert "gpu.barrier" not in api.text(better)
    assert api.text(api.lower(api.parse(derived), to="subgroup")) == api.text(better)
    summed = api.lower(large(ROW_SUMS), to="subgroup")
    assert has_shared_memory(summed)
    assert "gpu.barrier" in api.text(summed)


@pytest.mark.parametrize("program", [*GEMMS, ROW_SUMS], ids=NAMES[len(APPENDIX_1) :])
def test_maps_that_follow_from_tiles_and_products_need_not_be_written(
    program: Program,
) -> None:
    text = source(program)
    bare = re.sub(r" ?\{wg_map = #\w+\}", "", text)
    bare = bare.replace("wg_map_a = #map_a, wg_map_b = #map_b, ", "")
    if program is ROW_SUMS:  # 2.3's pair does not follow, so it names both
        bare = bare.replace("{wg_map_result = #map_b, wg_map_source = #map_bt}", "")
        bare = re.sub(r", wg_map_source = #map_\w+", "", bare)
    assert bare.count("wg_map") < text.count("wg_map") - 2
    bare_module, module = api.parse(bare), api.parse(text)
    assert api.text(api.lower(bare_module, to="subgroup")) == api.text(
        api.lower(module, to="subgroup")
    )


@pytest.mark.parametrize("level", ["subgroup", "blocked"])
@pytest.mark.parametrize(
    ("barrier", "message"),
    [
        (
            1,
            r"subgroup 0 reads element \[4, 0\] .*, which subgroup 1 wrote at .* no barrier between",
        ),
        (
            2,
            r"subgroup 0 writes element \[0, 0\] .*, which subgroup 1 read at .* no barrier between",
        ),
    ],
)
def test_each_barrier_of_2_4_is_needed(level: LevelName, barrier: int, message: str) -> None:
    program = GEMMS[2]
    sizes = program.sizes[0]
    parts = resized(program, sizes).split("gpu.barrier\n")
    assert len(parts) == 3
    parts[barrier - 1 : barrier + 1] = ["".join(parts[barrier - 1 : barrier + 1])]
    module = api.lower(api.parse("gpu.barrier\n".join(parts)), to=level, device="bmg")
    data = whole_numbers(sizes, numpy.float16)
    c = numpy.zeros(sizes[:2], numpy.float32)
    with pytest.raises(XetileError, match=message):
        execute(module, program.kernel, [data.a, data.b, c], sanitize=True)


def test_every_file_is_covered() -> None:
    names = {path.stem for path in FOLDER.glob("*.mlir")}
    assert names == {program.name for program in PROGRAMS} | {"main-text"}


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_each_file_names_its_section_and_its_departures(program: Program) -> None:
    comment = source(program).split("\n\n")[0]
    number = program.name.split("-")[0]
    assert f"XeTile RFC, appendix {number}" in comment
    assert "// Departures from the RFC's text:\n// - " in comment
