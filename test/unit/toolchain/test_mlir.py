"""Upstream MLIR, through its bindings and through mlir-opt: what goes there comes back."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from support.spread import spread
from xdsl.dialects.builtin import ModuleOp

from xetile import api
from xetile.errors import XetileError, fail
from xetile.toolchain import mlir
from xetile.toolchain.mlir import Route, has_bindings, run_passes, verify
from xetile.toolchain.mlir_process import pass_names
from xetile.toolchain.mlir_text import parse_module, print_module, source_position

FOLDER = Path(__file__).parents[3] / "examples"
EXAMPLES = sorted(FOLDER.rglob("*.mlir"))
DEVICES = ("pvc", "bmg", "lnl", "ptl", "cri")
MARKS = {"bindings": pytest.mark.mlir_bindings, "mlir-opt": pytest.mark.mlir_opt}
ROUTES = [pytest.param(route, marks=MARKS[route]) for route in get_args(Route)]

KERNEL = """
gpu.module @k [#xevm.target<chip = "pvc">] {
  gpu.func @f(%A: memref<64x64xf16>, %v: vector<8x16xf16>, %n: index) kernel {
    %a = arith.addi %n, %n : index
    %b = arith.addi %n, %n : index
    %d = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
    xegpu.store_nd %v, %d[%a, %b] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
    gpu.return
  }
}
"""


def described(module: ModuleOp) -> Iterator[tuple[object, ...]]:
    """All that equality of structure does not see: positions and names, in order."""
    for op in module.walk():
        yield op.name, op.location, *(result.name_hint for result in op.results)
        for block in (block for region in op.regions for block in region.blocks):
            for argument in block.args:
                yield argument.name_hint, argument.location


def same(left: ModuleOp, right: ModuleOp) -> bool:
    return left.is_structurally_equivalent(right) and [*described(left)] == [*described(right)]


@cache
def lowered(example: Path) -> list[ModuleOp]:
    """An example at those of the levels X and V that it reaches, for every device, each module once."""
    modules: dict[str, ModuleOp] = {}
    with suppress(XetileError):  # which examples reach which level is tested for those below
        subgroup = api.lower(api.parse(example), to="subgroup")
        for device in DEVICES:
            descriptors = api.lower(subgroup, to="xegpu", device=device)
            modules[api.text(descriptors)] = descriptors
            lanes = api.lower(descriptors, to="xevm", device=device)
            modules[api.text(lanes)] = lanes
    return list(modules.values())


REACHING = ("gemm_bf16", "gemm_f16", "gemm_i8", "host_gemm_f16", "2.1-prefetch", "1-row-major")


@pytest.mark.parametrize(
    "example, route",
    [
        pytest.param(*row, marks=MARKS[row[1]], id=f"{row[0].stem}-{row[1]}")
        for row in spread(EXAMPLES, get_args(Route))
    ],
)
def test_every_example_comes_back_whole(example: Path, route: Route) -> None:
    modules = lowered(example)
    assert example.stem not in REACHING or len(modules) >= 2
    for module in modules:
        back = run_passes(module, "", route=route)
        api.verify(back)
        assert same(back, module)


@pytest.mark.parametrize("route", ROUTES)
def test_a_pass_changes_the_copy_and_not_the_module(route: Route) -> None:
    module = api.parse(KERNEL)
    back = run_passes(module, "gpu.module(cse)", route=route)
    assert api.text(back) == api.text(module).replace(
        "      %b = arith.addi %n, %n : index\n", ""
    ).replace("[%a, %b]", "[%a, %a]")
    assert '[#xevm.target<chip = "pvc">]' in api.text(back)
    assert same(module, api.parse(KERNEL))


@pytest.mark.parametrize("route", ROUTES)
def test_all_kinds_of_locations_and_names_come_back(route: Route) -> None:
    text = """
    func.func @f(%x: i32 loc("other.mlir":7:8), %0: i32) {
      %a, %b = arith.addui_extended %x, %x : i32, i1 loc("named")
      %c = arith.addi %a, %a : i32 loc("named"("a.mlir":1:2))
      %d = arith.addi %c, %a : i32 loc(callsite("f" at "a.mlir":3:4))
      %e = arith.addi %d, %a : i32 loc(fused["a.mlir":1:2, "b.mlir":3:4])
      %f = arith.addi %e, %a : i32 loc(unknown)
      return
    }
    """
    module = api.parse(text)
    assert same(run_passes(module, "builtin.module()", route=route), module)


@pytest.mark.parametrize("route", ROUTES)
def test_numbers_come_back_with_the_same_bits(route: Route) -> None:
    many = ", ".join(str(number % 7) + ".5" for number in range(200))
    text = f"""
    func.func @f() {{
      %a = arith.constant dense<[0xFF80, 0x7FC1, 0x8000]> : vector<3xbf16>
      %b = arith.constant dense<[0xFC00, 0x7E01, 0x0001]> : vector<3xf16>
      %c = arith.constant dense<0xFF800000> : vector<16xf32>
      %d = arith.constant dense<[{many}]> : vector<200xf16>
      %e = arith.constant 0x7FC00001 : f32
      return
    }}
    """
    module = api.parse(text)
    assert same(run_passes(module, "", route=route), module)


@pytest.mark.parametrize("route", ROUTES)
def test_upstreams_complaint_stands_at_the_op(route: Route) -> None:
    # two layouts that no verifier of ours looks at together
    module = api.parse_text(
        'func.func @f(%v: vector<16x16xf16>) {\n  gpu.printf "%d", %v : vector<16x16xf16>\n  return\n}\n',
        "k.mlir",
    )
    with pytest.raises(XetileError) as found:
        verify(module, route=route)
    assert str(found.value).startswith(
        "k.mlir:2:3: error: MLIR: 'gpu.printf' op operand #0 must be"
    )
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("pipeline", ["", "gpu.module(xegpu-blocking)"])
def test_a_warning_of_upstream_goes_to_standard_error(
    route: Route, pipeline: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """func.func @f(%t: !xegpu.tensor_desc<16xf16>) {
      %0 = xegpu.load_nd %t <{packed}> : !xegpu.tensor_desc<16xf16> -> vector<16xf16>
      return
    }
    """
    module = api.parse_text(text, "k.mlir")
    assert same(run_passes(module, pipeline, route=route), module)
    lines = capsys.readouterr().err.splitlines()
    assert set(lines) == {
        "k.mlir:2:7: warning: MLIR: Invalid Packed Attr. It is ignored (available for 2D TensorDesc only)."
    }


@pytest.mark.parametrize("route", ROUTES)
def test_a_pass_that_fails_says_where(route: Route) -> None:
    text = KERNEL.replace("%A : memref", "%A[0, %n] : memref").replace("%d[%a, %b] :", "%d :")
    module = api.parse_text(text, "k.mlir")
    with pytest.raises(XetileError) as found:
        run_passes(module, "gpu.module(convert-xegpu-to-xevm)", route=route)
    assert str(found.value).startswith(
        "k.mlir:6:5: error: MLIR: failed to legalize operation 'xegpu.create_nd_tdesc'"
    )


@pytest.mark.parametrize("route", ROUTES)
def test_xetile_is_refused_unless_unregistered_dialects_are_allowed(route: Route) -> None:
    module = api.parse(FOLDER / "gemm_bf16.mlir")
    with pytest.raises(
        XetileError, match=r":\d+:\d+: error: 'xetile\.init_tile' is XeTile, which"
    ):
        verify(module, route=route)
    back = run_passes(module, "", allow_unregistered=True, route=route)
    api.verify(back)
    assert same(back, module)


@pytest.mark.parametrize("route", ROUTES)
def test_an_attribute_of_xetile_is_refused_on_any_op(route: Route) -> None:
    text = """
    func.func @f() {
      %a = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [8, 8]>} dense<0.0> : vector<8x8xf32>
      return
    }
    """
    with pytest.raises(XetileError, match=r"'arith\.constant' is XeTile"):
        verify(api.parse(text), route=route)


@pytest.mark.parametrize("route", ROUTES)
def test_ops_that_xdsl_does_not_know_come_back_unregistered(route: Route) -> None:
    module = api.parse("func.func @f(%x: vector<4xf32>) {\n  return\n}\n")
    pipeline = "func.func(gpu-async-region),convert-vector-to-llvm,convert-func-to-llvm"
    back = run_passes(module, pipeline, route=route)
    assert "llvm.func" in api.text(back)
    assert not any(op.name.startswith("func.") for op in back.walk())


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (
            "canonicalise",
            "'canonicalise' does not refer to a registered pass or pass pipeline",
        ),
        ("canonicalize{speed=3}", "no such option speed"),
        ("builtin.module(cse", "expected pass pipeline to be wrapped with"),
    ],
)
def test_a_wrong_pipeline(route: Route, pipeline: str, message: str) -> None:
    with pytest.raises(XetileError, match=message) as found:
        run_passes(api.parse(KERNEL), pipeline, route=route)
    assert str(found.value).startswith("MLIR does not take the pipeline: ")


@pytest.mark.parametrize("route", ROUTES)
def test_an_abort_of_upstream_is_one_line(route: Route) -> None:
    """The f16 plan of ours has loads with array_length = 2, on which LLVM 22.1.8 aborts."""
    module = api.lower(api.parse(FOLDER / "gemm_f16_plain.mlir"), to="xegpu", device="bmg")
    pipeline = "gpu-lower-to-xevm-pipeline{xegpu-op-level=subgroup zebin-chip=bmg}"
    with pytest.raises(XetileError) as found:
        run_passes(module, pipeline, route=route)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("route", ROUTES)
def test_a_time_limit(route: Route) -> None:
    with pytest.raises(XetileError, match=r"did not end within 0\.001 seconds"):
        run_passes(api.parse(KERNEL), "gpu.module(xegpu-blocking)", route=route, seconds=0.001)


def test_both_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlir, "has_bindings", lambda: False)
    monkeypatch.setattr(mlir, "find_mlir_opt", lambda: None)
    with pytest.raises(
        XetileError, match=r"mlir-python-bindings.*mlir-22-tools.*XETILE_MLIR_OPT"
    ):
        run_passes(api.parse(KERNEL), "cse")


@pytest.mark.mlir_opt
def test_the_route_is_the_bindings_where_they_are() -> None:
    assert mlir.find_route() == ("bindings" if has_bindings() else "mlir-opt")


def test_nothing_of_mlir_is_imported_at_start() -> None:
    script = "import sys, xetile.toolchain.mlir, xetile.passes.run_mlir, xetile.cli.opt.opt_command; print('mlir.ir' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_names_of_passes_without_their_options() -> None:
    pipeline = "builtin.module(cse,gpu.module(xegpu-blocking{a=3 b={c=4}}, canonicalize))"
    names = {"builtin.module", "cse", "gpu.module", "xegpu-blocking", "canonicalize"}
    assert pass_names(pipeline) == names


def test_text_there_and_back_without_upstream() -> None:
    module = api.parse(KERNEL)
    text = print_module(module)
    assert same(parse_module(text), module)
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "xegpu.store_nd" in line)
    place = source_position(text, line)
    assert place is not None
    assert (place.line.data, place.column.data) == (7, 5)


def test_text_that_xdsl_cannot_read_is_one_line() -> None:
    with pytest.raises(
        XetileError, match=r"xDSL cannot read what MLIR made: .*, in '\"a\.b\"\('"
    ):
        parse_module('"a.b"(')


@pytest.mark.parametrize(
    "place",
    [
        '"a"("k.mlir":3:4)',
        'fused["k.mlir":3:4, "l.mlir":5:6]',
        'callsite("f" at "k.mlir":3:4)',
    ],
)
def test_a_place_inside_another_kind_of_location_is_found(place: str) -> None:
    text = f"func.func @f(%x: i32) {{\n  %y = arith.addi %x, %x : i32 loc({place})\n  return\n}}\n"
    op = next(op for op in api.parse(text).walk() if op.name == "arith.addi")
    with pytest.raises(XetileError, match=r"^k\.mlir:3:4: error: no$"):
        fail(op, "no")


def test_what_is_not_known_in_full_stays_as_it_is() -> None:
    """Ops and attributes of the llvm dialect that xDSL has, but not with all that upstream writes on them."""
    text = """
    "llvm.func"() <{CConv = #llvm.cconv<spir_kernelcc>, convergent, function_type = !llvm.func<void (i32)>,
        linkage = #llvm.linkage<external>, sym_name = "f", visibility_ = 0 : i64}> ({
    ^bb0(%0: i32 loc(fused<"xetile.names x">["a.mlir":1:2])):
      %1 = "llvm.zext"(%0) : (i32) -> i64 loc(unknown)
      "llvm.return"() : () -> () loc(unknown)
    }) : () -> () loc(unknown)
    """
    module = parse_module(text)
    api.verify(module)
    printed = api.text(module)
    assert "CConv = #llvm.cconv<spir_kernelcc>, convergent" in printed
    assert "llvm.zext %x : i32 to i64" in printed
    assert api.text(parse_module(print_module(module))) == printed


INTELS_OWN = {"xegpu.compile_hint"}
"""Ops that Intel's files hold and upstream never had: read, and dropped on the way down."""


@pytest.mark.mlir_bindings
@pytest.mark.parametrize("dialect", ["xegpu", "xevm"])
def test_our_dialects_have_upstreams_ops(dialect: str) -> None:
    import mlir.dialects

    from xetile.dialects import dialect_factory

    folder = Path(next(iter(mlir.dialects.__path__)))
    listed = (folder / f"_{dialect}_ops_gen.py").read_text()
    upstream = set(re.findall(r'OPERATION_NAME = "([^"]+)"', listed))
    assert len(upstream) > 20
    ours = {op.name for op in dialect_factory(dialect)().operations}
    assert ours - INTELS_OWN == upstream
