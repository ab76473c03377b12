"""Fastmath flags from a workgroup's tiles to SPIR-V: on every op that has any, each of them is still there."""

from collections import Counter
from functools import cache

import numpy
import pytest
from support.on_device import Place
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.utils import FastMathAttrBase, FastMathFlag
from xdsl.ir import Operation

from xetile import api
from xetile.codegen import emit
from xetile.codegen.spirv_emitter import instructions
from xetile.dialects.fast_math import fast_math
from xetile.levels import LevelName

FLAGS = (*(flag.value for flag in FastMathFlag), "fast")
LEVELS: tuple[LevelName, ...] = ("workgroup", "subgroup", "blocked", "xegpu", "xevm", "llvm")

BINARY = (
    *("addf", "subf", "mulf", "divf", "remf"),
    *("maximumf", "minimumf", "maxnumf", "minnumf"),
)
UNARY = (
    *(
        "absf",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cbrt",
        "ceil",
        "cos",
        "cosh",
    ),
    *("erf", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "round"),
    *("roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
REDUCTIONS = """%m = xetile.tile_reduce <maximumf>, %last [1] {fastmath = #arith.fastmath<FLAGS>} : !v -> !rows
    %s = xetile.tile_reduce <add>, %last [0] {fastmath = #arith.fastmath<FLAGS>, wg_map_source = #map,
        wg_map_result = #map_columns} : !v -> !columns
    %ms = xetile.tile_broadcast %m [1] : !rows -> !v
    %ss = xetile.tile_broadcast %s [0] : !columns -> !v
    %sum = arith.addf %ms, %ss fastmath<FLAGS> : !v"""

KERNEL = """
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [16, 32]>
#map_columns = #xetile.wg_map<sg_layout = [2, 1], sg_data = [1, 32]>
!t = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #map>>
!v = vector<32x32xf32>
!h = vector<32x32xf16>
!b = vector<32x32xbf16>
!rows = vector<32x1xf32>
!columns = vector<1x32xf32>
gpu.module @m [#xevm.target<chip = "bmg">] {
  gpu.func @k(%X: memref<32x32xf32>, %Y: memref<32x32xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = xetile.init_tile %X[0, 0] : memref<32x32xf32> -> !t
    %x = xetile.load_tile %t : !t -> !v
    %zero = arith.constant dense<0.0> : !v
    %three = arith.constant dense<3> : vector<32x32xi32>
    BODY
    %o = xetile.init_tile %Y[0, 0] : memref<32x32xf32> -> !t
    xetile.store_tile %sum, %o : !v, !t
    gpu.return
  }
}
"""


def kernel(flags: str) -> str:
    said = f"fastmath<{flags}>"
    lines = [f"%v0 = arith.negf %x {said} : !v"]

    def last() -> str:
        return f"%v{len(lines) - 1}"

    def add(expression: str) -> None:
        lines.append(f"%v{len(lines)} = {expression}")

    for name in BINARY:
        add(f"arith.{name} {last()}, %x {said} : !v")
    add(f"arith.maximumf {last()}, %zero {said} : !v")
    for name in UNARY:
        add(f"math.{name} {last()} {said} : !v")
    for name in ("atan2", "copysign", "powf"):
        add(f"math.{name} {last()}, %x {said} : !v")
    add(f"math.fma {last()}, %x, %x {said} : !v")
    add(f"math.fpowi {last()}, %three {said} : !v, vector<32x32xi32>")
    add(f"arith.truncf {last()} {said} : !v to !h")
    add(f"arith.divf {last()}, {last()} {said} : !h")
    add(f"math.exp {last()} {said} : !h")
    add(f"arith.extf {last()} {said} : !h to !v")
    add(f"arith.truncf {last()} {said} : !v to !b")
    add(f"arith.addf {last()}, {last()} {said} : !b")
    add(f"arith.extf {last()} {said} : !b to !v")
    before = last()
    add(f"arith.cmpf olt, {before}, %x {said} : !v")
    add(f"arith.select {last()}, {before}, %x : vector<32x32xi1>, !v")
    lines.append(REDUCTIONS.replace("%last", last()).replace("FLAGS", flags))
    return KERNEL.replace("BODY", "\n    ".join(lines))


def words(flags: str) -> set[str]:
    return {flag.value for flag in FastMathFlag} if flags == "fast" else {flags}


@cache
def module(flags: str, level: LevelName) -> ModuleOp:
    if level == "workgroup":
        return api.parse(kernel(flags))
    return api.lower(module(flags, LEVELS[LEVELS.index(level) - 1]), to=level)


def said_above_l(op: Operation) -> set[str] | None:
    """The flags of an op that may have some; None for others."""
    has_place = "fastmath" in op.properties or op.name in (
        "xetile.tile_reduce",
        "vector.multi_reduction",
    )
    return {flag.value for flag in fast_math(op).data} if has_place else None


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_stay_above_l(flags: str):
    for level in LEVELS[:-1]:
        said = [(op.name, said_above_l(op)) for op in module(flags, level).walk()]
        dropped = [name for name, found in said if found is not None and found != words(flags)]
        # whether a number is a NaN has to be asked where NaNs become integers
        assert dropped in ([], ["arith.cmpf"] if level == "xevm" else []), level


STEPS = {
    **{"llvm.fadd": 4, "llvm.fcmp": 6, "llvm.fdiv": 4, "llvm.fmul": 12, "llvm.select": 10},
    **{"llvm.intr.exp2": 8, "llvm.intr.fma": 12, "_Z11native_exp2Dv8_f": 12},
}
"""What has not all flags, at most: steps of math.exp and tanh, which may be NaNs or infinite where results are not, and
selections of what is no result of an op with flags, or no float."""

ARITHMETIC = ("llvm.fadd", "llvm.fsub", "llvm.fmul", "llvm.fdiv", "llvm.frem")
MODES = {"nnan": 0x1, "ninf": 0x2, "nsz": 0x4, "arcp": 0x8, "fast": 0x1F}
"""SPIR-V's FPFastMathMode; it has no words for other flags."""

_DECORATE, _FP_FAST_MATH_MODE = 71, 40


def counts(flags: str) -> tuple[Counter[str], Counter[str]]:
    """How many ops at L have the flags, and how many others could have some."""
    kept, others = Counter[str](), Counter[str]()
    for op in module(flags, "llvm").walk():
        said = op.properties.get("fastmathFlags", op.attributes.get("fastmathFlags"))
        if not isinstance(said, FastMathAttrBase):
            continue
        name = op.name
        if isinstance(op, llvm.CallOp):
            name = str(op.callee).removeprefix("@")
        is_kept = {flag.value for flag in said.data} == words(flags)
        (kept if is_kept else others)[name] += 1
    return kept, others


def is_function_of_floats(name: str) -> bool:
    """Whether a builtin computes; those of Intel's and of OpenCL's lanes move and convert."""
    return name.startswith("_Z") and not name.startswith(
        ("_Z16get_", "_Z22", "_Z42", "_Z7bar", "_Z17sub")
    )


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_stay_at_l(flags: str):
    kept, others = counts(flags)
    computing = {
        name: count
        for name, count in others.items()
        if name.startswith("llvm.") or is_function_of_floats(name)
    }
    assert all(count <= STEPS.get(name, 0) for name, count in computing.items()), computing
    results = {
        *ARITHMETIC,
        *("llvm.fneg", "llvm.fptrunc", "llvm.fpext", "llvm.intr.fma"),
        *("llvm.intr.maxnum", "llvm.intr.minnum", "llvm.intr.fabs", "_Z3erfDv8_f"),
    }
    assert all(kept[name] >= 2 for name in results), kept


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_stay_in_llvm_ir(flags: str):
    kept, _ = counts(flags)
    assert len(lines(flags)) == sum(kept.values())


@cache
def lines(flags: str) -> list[str]:
    """The instructions of LLVM IR that have the flags."""
    text = emit(module(flags, "llvm"), "ll")
    assert isinstance(text, str)
    said = f" {' '.join(sorted(words(flags)))} "
    return [line for line in text.splitlines() if said in line and " = " in line]


@pytest.mark.parametrize("flags", FLAGS)
def test_spirv_says_what_it_has_words_for(flags: str):
    code = emit(module(flags, "llvm"), "spirv")
    assert isinstance(code, bytes)
    modes = Counter(
        operands[2]
        for opcode, operands in instructions(code)
        if opcode == _DECORATE and operands[1] == _FP_FAST_MATH_MODE
    )
    decorated = modes.pop(MODES.get(flags, 0), 0)
    names = [line.split(" = ")[1].split()[0] for line in lines(flags)]
    arithmetic = sum(f"llvm.{name}" in ARITHMETIC for name in names)
    assert decorated == (arithmetic if flags in MODES else 0)
    # steps of approximations with arcp, and with all flags but one
    assert set(modes) <= {0x8, 0xD}


def test_other_flags_do_not_make_reassociation_more_than_it_is():
    code = emit(lowered_sum("reassoc,nnan,ninf,nsz,arcp"), "spirv")
    assert isinstance(code, bytes)
    modes = [
        o[2] for c, o in instructions(code) if c == _DECORATE and o[1] == _FP_FAST_MATH_MODE
    ]
    assert modes == [0xF]


def lowered_sum(flags: str) -> ModuleOp:
    return api.lower(
        api.parse(
            KERNEL.replace("BODY", f"%sum = arith.addf %x, %x fastmath<{flags}> : !v")
            .replace("32x32xf32", "8x16xf32")
            .replace("[2, 1], sg_data = [16, 32]", "[1, 1], sg_data = [8, 16]")
            .replace("i32: 32", "i32: 16")
        ),
        to="llvm",
    )


def test_the_order_of_flags_in_llvm_ir_is_fixed():
    text = emit(lowered_sum("nsz,contract,afn"), "ll")
    assert isinstance(text, str)
    assert "fadd afn contract nsz <8 x float>" in text


@pytest.mark.parametrize("asks", [False, True])
def test_quotients_that_may_be_approximate_are_so_among_exact_ones(asks: bool):
    body = """%a = arith.divf %x, %x FIRST : !v
    %sum = arith.divf %a, %x fastmath<arcp> : !v""".replace(
        "FIRST", "" if asks else "fastmath<afn>"
    )
    text = emit(api.parse(KERNEL.replace("BODY", body)), "ll")
    assert isinstance(text, str)
    # the option for exact division that the driver is given overrides flags
    native = [
        line for line in text.splitlines() if "native_divide" in line and "call arcp" in line
    ]
    assert (len(native), text.count("fdiv ")) == ((4, 4) if asks else (0, 8))


ROWS = """
!t = !xetile.tile<8x64xf32>
!o = !xetile.tile<8x16xf32>
!v = vector<8x64xf32>
!r = vector<8x1xf32>
!all = vector<8x16xf32>
gpu.module @m [#xevm.target<chip = "bmg">] {
  gpu.func @k(%X: memref<8x64xf32>, %Y: memref<8x16xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %X[0, 0] : memref<8x64xf32> -> !t
    %x = xetile.load_tile %t : !t -> !v
    %a = xetile.tile_reduce <maximumf>, %x [1] {fastmath = #arith.fastmath<FLAGS>} : !v -> !r
    %b = xetile.tile_reduce <maxnumf>, %x [1] {fastmath = #arith.fastmath<FLAGS>} : !v -> !r
    %c = xetile.tile_reduce <minnumf>, %x [1] {fastmath = #arith.fastmath<FLAGS>} : !v -> !r
    %d = xetile.tile_reduce <add>, %x [1] {fastmath = #arith.fastmath<FLAGS>} : !v -> !r
    %ab = arith.addf %a, %b : !r
    %cd = arith.addf %c, %d : !r
    %abcd = arith.mulf %ab, %cd : !r
    %y = xetile.tile_broadcast %abcd [1] : !r -> !all
    %o = xetile.init_tile %Y[0, 0] : memref<8x16xf32> -> !o
    xetile.store_tile %y, %o : !all, !o
    gpu.return
  }
}
"""


@pytest.mark.parametrize("flags", ["nnan", "nnan,nsz", "ninf,nnan,nsz,reassoc"])
def test_reductions_with_flags(place: Place, flags: str):
    source = api.parse(ROWS.replace("FLAGS", flags))
    x = numpy.random.default_rng(0).integers(-50, 50, (8, 64)).astype(numpy.float32)
    x[0], x[1] = -abs(x[0]), abs(x[1])
    expected = 2 * x.max(1) * (x.min(1) + x.sum(1))
    for level in place.levels(LEVELS[1:-1]):
        y = numpy.zeros((8, 16), numpy.float32)
        place.execute(api.lower(source, to=level), "k", [x, y])
        assert (y == expected[:, None]).all(), level


def test_what_reductions_begin_with_is_no_number_that_flags_exclude():
    lowered = api.lower(api.parse(ROWS.replace("FLAGS", "ninf,nnan")), to="xegpu")
    starts = str(lowered)
    assert "dense<-3.40282347e+38>" in starts
    assert "dense<3.40282347e+38>" in starts
    assert "0x7F" not in starts


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_of_generic_forms_are_read(flags: str):
    text = api.text(module(flags, "workgroup"))
    again = api.text(api.parse(text))
    assert again == text
    assert text.count(f"fastmath<{flags}>") == kernel(flags).count(f"fastmath<{flags}>")
