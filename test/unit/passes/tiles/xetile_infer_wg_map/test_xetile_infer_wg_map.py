"""`xetile-infer-wg-map` on single kernels: what it leaves, what it refuses, and how its work grows."""

import time
from typing import Any

import pytest
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.analysis.maps.propagation import Propagation
from xetile.api import parse_text, text
from xetile.dialects.modules import context, parse
from xetile.errors import XetileError, position
from xetile.passes.tiles.xetile_infer_wg_map import XeTileInferWgMap, write_workgroup_maps

MAP = "#xetile.wg_map<sg_layout = [2, 2], sg_data = [16, 16]>"
OTHER = "#xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>"


def written(source: str) -> str:
    module = parse_text(source, "k.mlir")
    XeTileInferWgMap().apply(context(), module)
    module.verify()
    return text(module)


def test_the_type_of_a_function_follows_its_tiles() -> None:
    found = written(
        f"""func.func @f(%t: !xetile.tile<32x32xf32>, %n: index) {{
          %v = xetile.load_tile %t : !xetile.tile<32x32xf32> -> vector<32x32xf32>
          %x = arith.negf %v {{wg_map = {MAP}}} : vector<32x32xf32>
          func.return
        }}"""
    )
    map = "#xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [16, 16]>>"
    assert f"func.func @f(%t: !xetile.tile<32x32xf32, {map}>, %n: index)" in found


def test_positions_survive() -> None:
    module = parse_text(
        f"""func.func @f(%m: memref<32x32xf32>, %n: index) {{
          %z = arith.constant dense<0.0> : vector<32x32xf32>
          %t = xetile.init_tile %m[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32>
          %r = scf.for %i = %n to %n step %n iter_args(%u = %t) -> (!xetile.tile<32x32xf32>) {{
            xetile.store_tile %z, %u : vector<32x32xf32>, !xetile.tile<32x32xf32>
            scf.yield %u : !xetile.tile<32x32xf32>
          }}
          %x = arith.negf %z {{wg_map = {MAP}}} : vector<32x32xf32>
          %y = arith.negf %z {{wg_map = {OTHER}}} : vector<32x32xf32>
          xetile.store_tile %x, %t : vector<32x32xf32>, !xetile.tile<32x32xf32>
          func.return
        }}""",
        "k.mlir",
    )
    before = {str(position(op)) for op in module.walk()}
    XeTileInferWgMap().apply(context(), module)
    for op in module.walk():
        assert isinstance(op.location, FileLineColLoc) or op is module
        assert str(position(op)) in before
        for argument in (
            a for region in op.regions for block in region.blocks for a in block.args
        ):
            assert isinstance(argument.location, FileLineColLoc)


def test_a_constant_that_nothing_uses_goes() -> None:
    found = written(
        f"""func.func @f() {{
          %z = arith.constant dense<0.0> : vector<32x32xf32>
          %o = arith.constant {{wg_map = {MAP}}} dense<1.0> : vector<32x32xf32>
          func.return
        }}"""
    )
    assert "dense<0" not in found
    assert "dense<1" in found


def test_a_constant_with_a_map_of_its_own_is_not_made_again() -> None:
    with pytest.raises(XetileError, match=r"%o has wg_map .* %s .* 'arith.addf' joins them"):
        written(
            f"""func.func @f(%v: vector<32x32xf32>) {{
              %o = arith.constant {{wg_map = {MAP}}} dense<1.0> : vector<32x32xf32>
              %s = arith.addf %v, %o {{wg_map = {OTHER}}} : vector<32x32xf32>
              func.return
            }}"""
        )


def test_other_levels_stay_as_they_are() -> None:
    source = """func.func @f(%m: memref<32x32xf32>) {
      %t = xetile.init_tile %m[0, 0] : memref<32x32xf32> -> !xetile.tile<32x32xf32>
      xetile.prefetch_tile %t : !xetile.tile<32x32xf32>
      func.return
    }"""
    assert written(source) == text(parse_text(source, "k.mlir"))


# Growth


def chain(steps: int) -> ModuleOp:
    """A kernel of 5 ops for each step, whose only map stands at its end."""
    type = "!xetile.tile<32x32xf32>"
    body = [
        f"%t0 = xetile.init_tile %m[0, 0] : memref<32x32xf32> -> {type}",
        "%a0 = arith.constant dense<0.0> : vector<32x32xf32>",
    ]
    for n in range(steps):
        body += [
            f"%v{n} = xetile.load_tile %t{n} : {type} -> vector<32x32xf32>",
            f"%c{n} = arith.constant dense<{n}.0> : vector<32x32xf32>",
            f"%s{n} = arith.addf %v{n}, %c{n} : vector<32x32xf32>",
            f"%a{n + 1} = arith.addf %a{n}, %s{n} : vector<32x32xf32>",
            f"%t{n + 1} = xetile.update_tile_offset %t{n}, [0, 1] : {type}",
        ]
    body.append(f"%x = arith.negf %a{steps} {{wg_map = {MAP}}} : vector<32x32xf32>")
    lines = "\n".join(body)
    return parse(
        f"func.func @k(%m: memref<32x32xf32>) {{\n{lines}\nfunc.return\n}}\n", "k.mlir"
    )


def test_the_work_grows_with_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    offers: list[int] = []
    offer = Propagation.offer

    def counted(*arguments: Any, **options: Any) -> None:
        offers[-1] += 1
        offer(*arguments, **options)

    monkeypatch.setattr(Propagation, "offer", counted)
    for steps in (50, 100, 200):
        offers.append(0)
        write_workgroup_maps(next(op for op in chain(steps).walk() if op.name == "func.func"))
    assert offers[2] - offers[1] == 2 * (offers[1] - offers[0])


def test_a_kernel_of_5000_ops_takes_about_a_second() -> None:
    function = next(op for op in chain(1000).walk() if op.name == "func.func")
    start = time.process_time()
    write_workgroup_maps(function)
    assert time.process_time() - start < 3
    assert len(infer_workgroup_maps(function)) > 5000
