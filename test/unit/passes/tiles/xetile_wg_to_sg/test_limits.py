"""How much shared memory an exchange may take: what the device has, less where the program asks for less."""

import pytest
from support.subgroup import vector
from support.workgroup import (
    distributed,
    kernel,
    load,
    random_array,
    same_below,
    store,
    to_level,
    wg_map,
)
from xdsl.dialects.builtin import ModuleOp

from xetile.analysis.module_kernels import functions
from xetile.dialects.modules import parse
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.targets import find


@pytest.mark.parametrize("device", ["pvc", "bmg", "cri"])
def test_an_exchange_may_take_what_the_device_has(device: str) -> None:
    module = parse(f"""
    gpu.module @m [#xevm.target<chip = "{device}">] {{
      gpu.func @k(%A: memref<8x16xf32>) kernel {{ gpu.return }}
    }}""")
    (function,) = functions(module)
    assert XeTileWgToSg().limit(function) == find(device).shared_bytes
    assert XeTileWgToSg(4096).limit(function) == 4096


def distributed_to_xevm(module: ModuleOp) -> None:
    distributed()(module)
    to_level("xevm")(module)


def test_exchanges_share_bytes_if_the_program_leaves_no_room_for_all() -> None:
    """Each of two exchanges, of 16 and 8 KiB, fits beside the program's buffer; both fit only one after the other."""
    rows, columns = ((4, 1), (16, 64)), ((1, 4), (64, 16))
    shape, own = (64, 64), "memref<28672xf32, 3>"
    body = f"""
        %c0 = arith.constant 0 : index
        %one = arith.constant 1.0 : f32
        %own = memref.alloc() : {own}
        memref.store %one, %own[%c0] : {own}"""
    for type, source, target in (("f32", "A", "B"), ("f16", "C", "D")):
        of = f"memref<64x64x{type}>"
        body += load(f"a_{type}", source, of, shape, type, rows)
        body += f"""
        %b_{type} = xetile.tile_conv_layout %a_{type} {{wg_map_result = {wg_map(columns)}}} : {vector(shape, type)}"""
        body += store(f"b_{type}", target, of, shape, type, columns)
    body += f"""
        gpu.barrier
        %last = memref.load %own[%c0] : {own}
        memref.store %last, %E[%c0] : memref<1xf32>"""
    types = ("f32", "f32", "f16", "f16")
    arguments = [f"%{n}: memref<64x64x{t}>" for n, t in zip("ABCD", types, strict=True)]
    text = kernel([*arguments, "%E: memref<1xf32>"], 4, body)
    arrays = [random_array(shape, type, seed) for seed, type in enumerate(types)]
    found = same_below(
        text, [*arrays, random_array((1,), "f32")], distributed(), distributed_to_xevm
    )
    assert (found[1] == arrays[0]).all()
    assert (found[3] == arrays[2]).all()


def test_buffers_of_the_program_that_share_bytes_leave_the_rest() -> None:
    """One of 64 KiB, then one of 96 KiB: 32 of 128 KiB are left for an exchange of 64 KiB, which goes in bands."""
    rows, columns = ((4, 1), (4, 256)), ((1, 4), (16, 64))
    shape, of = (64, 256), "memref<64x256xf32>"
    first, second = "memref<16384xf32, 3>", "memref<24576xf32, 3>"
    body = f"""
        %c0 = arith.constant 0 : index
        %one = arith.constant 1.0 : f32
        %p = memref.alloc() : {first}
        memref.store %one, %p[%c0] : {first}
        gpu.barrier
        %q = memref.alloc() : {second}
        memref.store %one, %q[%c0] : {second}"""
    body += load("a", "A", of, shape, "f32", rows)
    body += f"""
        %b = xetile.tile_conv_layout %a {{wg_map_result = {wg_map(columns)}}} : {vector(shape, "f32")}"""
    body += store("b", "B", of, shape, "f32", columns)
    body += f"""
        gpu.barrier
        %last = memref.load %q[%c0] : {second}
        memref.store %last, %E[%c0] : memref<1xf32>"""
    text = kernel([f"%A: {of}", f"%B: {of}", "%E: memref<1xf32>"], 4, body)
    (function,) = functions(parse(text))
    assert XeTileWgToSg().limit(function) == 32 << 10
    arrays = [random_array(shape, "f32", seed) for seed in (0, 1)]
    found = same_below(
        text, [*arrays, random_array((1,), "f32")], distributed(), distributed_to_xevm
    )
    assert (found[1] == arrays[0]).all()
