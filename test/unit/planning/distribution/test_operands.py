"""Which operands of products subgroups compute together, and how: what is decided, with its price."""

import pytest
from support.workgroup import Map, kernel, tile, wg_map
from xdsl.dialects.builtin import ModuleOp

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.analysis.module_kernels import functions
from xetile.dialects.modules import parse
from xetile.layout.algebra.block_grids import Distribution
from xetile.passes.tiles.xetile_infer_wg_map import write_workgroup_maps
from xetile.passes.tiles.xetile_wg_to_sg.once import cut_operands
from xetile.planning.distribution.holdings import Holdings
from xetile.planning.distribution.operands import SharedOperand, owners

PLENTY = 1 << 17
C: Map = ((2, 2), (32, 32))
HELD = Distribution((32, 64), (32, 32), (2, 2))


NEGATED = "%b = arith.negf %w : vector<32x64xf16>"
CAST = "%b = arith.sitofp %w : vector<32x64xi8> to vector<32x64xf16>"


def product(
    work: str = CAST,
    *,
    type: str = "i8",
    before: str = "",
    until: str = "%n",
    after: str = "",
    map: Map = C,
    loaded: Map | None = None,
) -> ModuleOp:
    """A loop of products of A (f16) with `%b` (f16), which `work` computes of `%w` in each round."""
    layout, units = map
    a = tile((64, 32), "f16", (layout, (units[0], 32)))
    w = tile((32, 64), type, loaded or (layout, (32, units[1])))
    v, c = "vector<32x64xf16>", "vector<64x64xf32>"
    body = f"""
        %c0 = arith.constant 0 : index
        %c32 = arith.constant 32 : index
        %zero = arith.constant {{wg_map = {wg_map(map)}}} dense<0.0> : {c}
        {before}
        %end = scf.for %k = %c0 to {until} step %c32 iter_args(%acc = %zero) -> ({c}) {{
          %a_tile = xetile.init_tile %A[0, %k] : memref<64x256xf16> -> {a}
          %w_tile = xetile.init_tile %W[%k, 0] : memref<256x64x{type}> -> {w}
          %a = xetile.load_tile %a_tile : {a} -> vector<64x32xf16>
          %w = xetile.load_tile %w_tile : {w} -> vector<32x64x{type}>
          {work}
          %next = xetile.tile_mma %a, %b, %acc : vector<64x32xf16>, {v}, {c} -> {c}
          {after.replace("$W", w)}
          scf.yield %next : {c}
        }}
        %c_tile = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> {tile((64, 64), "f32", map)}
        xetile.store_tile %end, %c_tile : {c}, {tile((64, 64), "f32", map)}"""
    arguments = [
        "%A: memref<64x256xf16>",
        f"%W: memref<256x64x{type}>",
        "%C: memref<64x64xf32>",
    ]
    return parse(kernel([*arguments, "%n: index"], 4, body))


def shared(module: ModuleOp, most_bytes: int = PLENTY) -> list[SharedOperand]:
    (function,) = functions(module)
    write_workgroup_maps(function)
    maps = infer_workgroup_maps(function)
    operands = cut_operands(function, maps)
    return Holdings(
        function, maps, most_units=4096, operands=operands, most_bytes=most_bytes
    ).shared


def test_each_element_has_one_owner_where_that_is_cheaper() -> None:
    (operand,) = shared(product())
    assert operand.taken
    assert operand.role == "b"
    assert operand.home == HELD
    assert operand.owner == Distribution((32, 64), (8, 64), (4, 1))
    assert operand.shared < operand.mapped
    assert not operand.owner.is_shared


def test_what_the_map_gives_to_one_subgroup_stays_there() -> None:
    assert shared(product(map=((1, 4), (64, 16)))) == []


def test_what_costs_less_than_an_exchange_stays_as_mapped() -> None:
    (operand,) = shared(product(NEGATED, type="f16"))
    assert not operand.taken
    assert operand.mapped <= operand.shared


def test_shared_memory_bounds_both_buffers() -> None:
    two_buffers = 2 * 32 * 64 * 2
    assert shared(product(), two_buffers)[0].taken
    assert shared(product(), two_buffers - 1) == []


@pytest.mark.parametrize("told", ["gpu.subgroup_id : index", "gpu.thread_id x"])
def test_subgroups_that_do_not_meet_compute_for_themselves(told: str) -> None:
    before = f"%id = {told}\n %own = arith.muli %id, %c32 : index"
    assert shared(product(before=before, until="%own")) == []


def test_a_load_of_what_the_kernel_writes_keeps_its_map() -> None:
    """Another subgroup's store may come before or after what an owner would load."""
    rows = tile((256, 64), "i8", ((4, 1), (64, 64)))
    written = f"""%filled = arith.constant dense<1> : vector<256x64xi8>
        %rows = xetile.init_tile %W[0, 0] : memref<256x64xi8> -> {rows}
        xetile.store_tile %filled, %rows : vector<256x64xi8>, {rows}"""
    assert shared(product(before=written)) == []
    assert shared(product(before=f"{written}\n gpu.barrier"))[0].taken


def test_owners_have_one_unit_each() -> None:
    found = list(owners(HELD))
    assert [owner.unit for owner in found] == [(8, 64), (16, 32), (32, 16)]
    assert all(owner.local_units == 1 and not owner.is_shared for owner in found)


def test_as_many_elements_cost_as_much_in_smaller_units() -> None:
    """A subgroup holds a quarter of C and half of B, in one unit or in several."""
    narrowed = "%b = arith.truncf %w : vector<32x64xf32> to vector<32x64xf16>"
    (one,) = shared(product(narrowed, type="f32", map=((2, 2), (32, 32))))
    (several,) = shared(product(narrowed, type="f32", map=((2, 2), (16, 16))))
    assert one.home.local_units < several.home.local_units
    assert one.mapped == several.mapped


@pytest.mark.parametrize(("unit", "saved"), [((8, 64), 2), ((8, 32), 0)])
def test_owners_load_what_nothing_else_holds_as_they_do(
    unit: tuple[int, int], saved: int
) -> None:
    """The load of 8x64 costs 2 instructions; of two loads of 8x32 for another use no part is taken."""
    other: Map = ((4, 1), unit)
    changed = (
        f"%m = xetile.tile_conv_layout %w {{wg_map_result = {wg_map(C)}}} : vector<32x64xi8>"
    )
    c = tile((32, 64), "f32", other)
    used = f"""%f = arith.sitofp %w : vector<32x64xi8> to vector<32x64xf32>
        %f_tile = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> {c}
        xetile.store_tile %f, %f_tile : vector<32x64xf32>, {c}"""
    work = f"{changed}\n{CAST.replace('%w ', '%m ')}"
    (operand,) = shared(product(work, loaded=other, after=used))
    (alone,) = shared(product())
    assert operand.owner == alone.owner == Distribution((32, 64), (8, 64), (4, 1))
    assert alone.shared - operand.shared == saved
