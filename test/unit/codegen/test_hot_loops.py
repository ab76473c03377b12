"""The hot loop of the RFC's GEMM: from V to the assembly of every device."""

import subprocess
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.codegen import emit, lower_to_llvm, statistics
from xetile.dialects.modules import context, parse
from xetile.passes.pipelines import lower

EXAMPLE = Path(__file__).parents[3] / "examples" / "gemm_f16.mlir"

SURFACE = "(!llvm.ptr<1>, i32, i32, i32, i32, i32"
SIZE = 4096


class Text:
    """Lines of a kernel, with counted names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def add(self, line: str) -> None:
        self.lines.append(line)

    def new(self, operation: str) -> str:
        self.count += 1
        self.add(f"%v{self.count} = {operation}")
        return f"%v{self.count}"


def block(
    bits: int,
    rows: int,
    columns: int,
    blocks: int | None = None,
    *,
    packed: bool | None = None,
) -> str:
    fields = [f"elem_size_in_bits = {bits} : i32"]
    if packed is not None:
        fields.append(f"pack_register = {str(packed).lower()}")
    fields += [f"tile_height = {rows} : i32", f"tile_width = {columns} : i32"]
    if packed is not None:
        fields.append("transpose = false")
    if blocks is not None:
        fields.append(f"v_blocks = {blocks} : i32")
    return f"<{{{', '.join(fields)}}}>"


def surface(text: Text, name: str) -> str:
    """Pointer and sizes of a matrix, as operands."""
    index = text.new(f"memref.extract_aligned_pointer_as_index %{name} : !{name} -> index")
    number = text.new(f"arith.index_cast {index} : index to i64")
    pointer = text.new(f"llvm.inttoptr {number} : i64 to !llvm.ptr<1>")
    return f"{pointer}, %width_{name}, %height, %width_{name}"


def shuffled(text: Text, value: str, type: str, length: int, start: int) -> str:
    places = ", ".join(str(start + i) for i in range(8))
    vector = f"vector<{length}x{type}>"
    return text.new(f"vector.shuffle {value}, {value} [{places}] : {vector}, {vector}")


def gemm(element: str, *, prefetch: bool) -> str:
    """A lane's view of 4096^3: workgroup tile 256x256, subgroup 32x64, K step 32, prefetches three steps ahead."""
    small = element == "i8"
    bits, result = (8, "i32") if small else (16, "f32")
    text = Text()
    for name, value in (
        ("0", 0),
        ("4", 4),
        ("8", 8),
        ("32", 32),
        ("64", 64),
        ("96", 96),
        ("256", 256),
        ("4096", 4096),
    ):
        text.add(f"%c{name} = arith.constant {value} : index")
    text.add(f"%height = arith.constant {SIZE} : i32")
    for name, size in (("A", bits // 8), ("B", bits // 8), ("C", 4)):
        text.add(f"%width_{name} = arith.constant {SIZE * size} : i32")
    surfaces = {name: surface(text, name) for name in "ABC"}
    for line in (
        "%bx = gpu.block_id x",
        "%by = gpu.block_id y",
        "%sg = gpu.subgroup_id : index",
        "%m0 = arith.muli %bx, %c256 : index",
        "%n0 = arith.muli %by, %c256 : index",
        "%row = arith.divui %sg, %c4 : index",
        "%column = arith.remui %sg, %c4 : index",
        "%m1 = arith.muli %row, %c32 : index",
        "%n1 = arith.muli %column, %c64 : index",
        "%m = arith.addi %m0, %m1 : index",
        "%n = arith.addi %n0, %n1 : index",
        "%pm1 = arith.muli %sg, %c8 : index",
        "%pm = arith.addi %m0, %pm1 : index",
        "%prow = arith.divui %sg, %c8 : index",
        "%pcolumn = arith.remui %sg, %c8 : index",
        "%pk1 = arith.muli %prow, %c8 : index",
        "%pk = arith.addi %pk1, %c96 : index",
        "%pn1 = arith.muli %pcolumn, %c32 : index",
        "%pn = arith.addi %n0, %pn1 : index",
        f"%zero = arith.constant dense<{'0' if small else '0.0'}> : vector<8x{result}>",
    ):
        text.add(line)
    _loop(text, element, surfaces, prefetch=prefetch)
    for i in range(4):
        for j in range(4):
            y = text.new(
                f"arith.addi %m, {text.new(f'arith.constant {8 * i} : index')} : index"
            )
            x = text.new(
                f"arith.addi %n, {text.new(f'arith.constant {16 * j} : index')} : index"
            )
            x, y = (text.new(f"arith.index_cast {v} : index to i32") for v in (x, y))
            text.add(
                f"xevm.blockstore2d {surfaces['C']}, {x}, {y}, %r#{4 + 4 * i + j} {block(32, 8, 16)} : "
                f"{SURFACE}, vector<8x{result}>)"
            )
    matrix = f"{SIZE}x{SIZE}x"
    body = "\n    ".join(text.lines)
    return f"""!A = memref<{matrix}{element}>
!B = memref<{matrix}{element}>
!C = memref<{matrix}{result}>
gpu.module @kernels {{
  gpu.func @gemm(%A: !A, %B: !B, %C: !C) kernel attributes {{intel_reqd_sub_group_size = 16 : i32,
      known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 16, 16, 1>, xetile.level = "lane"}} {{
    {body}
    gpu.return
  }}
}}
"""


def _loop(text: Text, element: str, surfaces: dict[str, str], *, prefetch: bool) -> None:
    small = element == "i8"
    result = "i32" if small else "f32"
    carried = ["%ax = %c0", "%by_ = %c0", "%pax = %c96", "%pby = %pk"]
    carried += [f"%acc{i}{j} = %zero" for i in range(4) for j in range(4)]
    types = ", ".join(["index"] * 4 + [f"vector<8x{result}>"] * 16)
    text.add(
        f"%r:20 = scf.for %k = %c0 to %c4096 step %c32 iter_args({', '.join(carried)}) -> ({types}) {{"
    )

    def at(x: str, y: str) -> str:
        return ", ".join(text.new(f"arith.index_cast {v} : index to i32") for v in (x, y))

    load = f"{SURFACE})"
    length = 32 if small else 64
    shape = block(8, 32, 32, 1, packed=False) if small else block(16, 32, 16, 2, packed=False)
    a = text.new(
        f"xevm.blockload2d {surfaces['A']}, {at('%ax', '%m')} {shape} : {load} -> vector<{length}xi16>"
    )
    pieces_a = [shuffled(text, a, "i16", length, 8 * i) for i in range(length // 8)]
    pieces_b: list[str] = []
    for start in (0,) if small else (0, 32):
        x = text.new(f"arith.addi %n, {text.new(f'arith.constant {start} : index')} : index")
        shape = (
            block(8, 32, 16, 4, packed=True) if small else block(16, 32, 16, 2, packed=True)
        )
        b = text.new(
            f"xevm.blockload2d {surfaces['B']}, {at(x, '%by_')} {shape} : {load} -> vector<32xi32>"
        )
        pieces_b += [shuffled(text, b, "i32", 32, 8 * i) for i in range(4)]
    if prefetch:
        shape = block(8, 8, 32, 1) if small else block(16, 8, 16, 2)
        text.add(f"xevm.blockprefetch2d {surfaces['A']}, {at('%pax', '%pm')} {shape} : {load}")
        text.add(f"xevm.blockprefetch2d {surfaces['B']}, {at('%pn', '%pby')} {shape} : {load}")
    name, depth = ("s8", 32) if small else (element, 16)
    kind = "s32" if small else "f32"
    product = f"{{shape = <m = 8, n = 16, k = {depth}>, types = <d = {kind}, a = {name}, b = {name}, c = {kind}>}}"
    sums: list[str] = []
    for i in range(4):
        for j in range(4):
            total = f"%acc{i}{j}"
            for k in range(1 if small else 2):
                left, right = pieces_a[4 * k + i], pieces_b[j if small else 2 * j + k]
                vector = f"vector<8x{result}>"
                total = text.new(
                    f"xevm.mma {left}, {right}, {total} {product} : (vector<8xi16>, vector<8xi32>, {vector}) -> {vector}"
                )
            sums.append(total)
    moved = [
        text.new(f"arith.addi {v}, %c32 : index") for v in ("%ax", "%by_", "%pax", "%pby")
    ]
    text.add(f"scf.yield {', '.join(moved + sums)} : {types}")
    text.add("}")


def test_the_kernel_is_what_the_pipeline_makes():
    """The lane's view above is written by hand; the examples must come down to the same messages."""
    example = parse(EXAMPLE.read_text(), EXAMPLE.name)
    lower(context(), example, "xevm", "bmg")
    written = parse(gemm("f16", prefetch=True), "gemm.mlir")
    assert messages(example) == messages(written)


def messages(module: ModuleOp) -> list[str]:
    """The properties of all messages and matrix products, in order."""
    return [
        f"{op.name} {sorted((k, str(v)) for k, v in op.properties.items())}"
        for op in module.walk()
        if op.name.startswith("xevm.")
    ]


@cache
def lowered(element: str, prefetch: bool) -> ModuleOp:
    module = parse(gemm(element, prefetch=prefetch), "gemm.mlir")
    module.verify()
    module = lower_to_llvm(module, "bmg")
    module.verify()
    return module


ALL = [(element, prefetch) for element in ("f16", "bf16", "i8") for prefetch in (False, True)]


@pytest.mark.spirv_val
@pytest.mark.parametrize(("element", "prefetch"), ALL)
def test_the_validator_accepts_every_module_of_one_process(
    element: str, prefetch: bool, spirv_val: Path, tmp_path: Path
):
    code = emit(lowered(element, prefetch), "spirv", "bmg")
    assert isinstance(code, bytes)
    (tmp_path / "kernel.spv").write_bytes(code)
    command = [spirv_val, tmp_path / "kernel.spv"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout + answer.stderr) == (0, "")


# instructions of the hot loop per K step at most; loads, prefetches and products exactly
LIMITS = {
    ("bmg", "f16"): (38, 43),
    ("bmg", "bf16"): (38, 43),
    ("bmg", "i8"): (21, 26),
    ("lnl", "f16"): (38, 43),
    ("ptl", "bf16"): (38, 43),
    ("cri", "f16"): (38, 43),
    ("cri", "i8"): (21, 26),
    ("pvc", "f16"): (52, 64),
    ("pvc", "bf16"): (52, 64),
    ("pvc", "i8"): (28, 41),
}


@pytest.mark.ocloc
@pytest.mark.parametrize(("device", "element"), LIMITS)
@pytest.mark.parametrize("prefetch", [False, True], ids=["plain", "prefetch"])
def test_hot_loop(element: str, device: str, prefetch: bool):
    (counts,) = statistics(lowered(element, prefetch), device).values()
    assert counts["spill_size"] == counts["scratch"] == 0
    assert counts["grf_count"] == 256
    assert counts["dpas"] == (16 if element == "i8" else 32)
    assert counts["load2d"] == (2 if element == "i8" else 3)
    assert counts["prefetch2d"] == (2 if prefetch else 0)
    assert counts["total"] <= LIMITS[device, element][prefetch]


@pytest.mark.ocloc
def test_the_small_register_file_spills():
    """Why the large one is the default."""
    counts = statistics(lowered("f16", prefetch=False), "bmg", grf="small")["gemm"]
    assert counts["grf_count"] == 128
    assert counts["spill_size"] > 0
