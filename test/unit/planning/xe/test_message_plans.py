"""Messages are planned once: what blocking writes is what the lowering plans without it, and what passes keep."""

from collections import Counter
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, i8
from xdsl.ir import Attribute
from xdsl.transforms import get_all_passes

from xetile import api
from xetile.analysis.kernel_targets import device_named
from xetile.dialects.modules import context, parse
from xetile.dialects.xegpu import LoadNdOp
from xetile.dialects.xetile import LoadTileOp, MessageAttr, TileType
from xetile.errors import XetileError
from xetile.passes.pipelines import lower
from xetile.passes.xe.convert_xetile_to_xegpu import ConvertXeTileToXeGPU
from xetile.passes.xe.xetile_blocking import XeTileBlocking
from xetile.planning.xe.message_plans import plan
from xetile.planning.xe.uses import use_of
from xetile.targets import names
from xetile.targets.xe.device import XeDevice

FOLDER = Path(__file__).parents[4] / "examples"
EXAMPLES = [FOLDER / f"{name}.mlir" for name in ("gemm_f16", "gemm_i8_plain")]
BETWEEN = ("canonicalize", "cse", "licm", "canonicalize", "cse")


def blocked(module: ModuleOp) -> ModuleOp:
    lower(context(), module, "blocked", "bmg")
    return module


def example(path: Path) -> ModuleOp:
    return blocked(api.parse(path))


def run(module: ModuleOp, *passes: str) -> None:
    for name in passes:
        get_all_passes()[name]()().apply(context(), module)
    module.verify()


def xegpu(module: ModuleOp, *, upstream: bool = False) -> str:
    copy = module.clone()
    ConvertXeTileToXeGPU("bmg", upstream_plan=upstream).apply(context(), copy)
    copy.verify()
    return str(copy)


def messages(module: ModuleOp) -> Counter[tuple[str, str]]:
    accesses = (op for op in module.walk() if use_of(op) is not None)
    found = ((op.name, op.properties.get("message")) for op in accesses)
    return Counter(
        (name, message.body if isinstance(message, MessageAttr) else "none")
        for name, message in found
    )


def without_messages(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    for op in copy.walk():
        op.properties.pop("message", None)
    return copy


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_written_is_what_is_planned_where_nothing_is(path: Path) -> None:
    module = example(path)
    bare = without_messages(module)
    assert set(messages(bare).elements()) != set(messages(module).elements())
    assert xegpu(bare) == xegpu(module)
    assert xegpu(bare, upstream=True) == xegpu(module, upstream=True)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_passes_in_between_lose_no_message(path: Path) -> None:
    module = example(path)
    before = messages(module)
    run(module, *BETWEEN)
    assert messages(module) == before
    assert not [name for name, body in before if body == "none"]
    assert xegpu(module) == xegpu(without_messages(module))


SQUARE = """
func.func @square(%A: memref<64x64xf16>, %C: memref<64x64xf32>) {
  %ta = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %tb = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %tc = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
  %a = xetile.load_tile %ta : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  %b = xetile.load_tile %tb : !xetile.tile<32x32xf16> -> vector<32x32xf16>
  %d = xetile.tile_mma %a, %b : vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>
  xetile.store_tile %d, %tc : vector<32x32xf32>, !xetile.tile<32x32xf32>
  func.return
}
"""


def test_loads_with_different_messages_stay_two_when_their_tiles_become_one() -> None:
    module = parse(SQUARE)
    XeTileBlocking("bmg").apply(context(), module)
    run(module, *BETWEEN)
    loads = [op for op in module.walk() if isinstance(op, LoadTileOp)]
    assert len({op.source for op in loads}) == 1
    assert [op.message and op.message.body for op in loads] == ["32x16x2", "32x16x2, packed"]
    lowered = module.clone()
    ConvertXeTileToXeGPU("bmg").apply(context(), lowered)
    packed = [op.packed is not None for op in lowered.walk() if isinstance(op, LoadNdOp)]
    assert packed == [False, True]


def test_messages_of_one_device_are_those_of_others_or_refused() -> None:
    module = blocked(parse(SQUARE))
    for name in names():
        copy = module.clone()
        ConvertXeTileToXeGPU(name).apply(context(), copy)
    load = next(op for op in module.walk() if isinstance(op, LoadTileOp))
    load.properties["message"] = MessageAttr(32, 16, 1, "packed")
    with pytest.raises(XetileError, match=r"'message' is 32x16x1, packed, but .* operand A"):
        ConvertXeTileToXeGPU("bmg").apply(context(), module)


@pytest.mark.parametrize("device", names())
@pytest.mark.parametrize("element", [i8, f16, bf16, f32], ids=str)
def test_blocks_of_operand_b_are_those_of_packed_messages(
    device: str, element: Attribute
) -> None:
    found = 0
    for rows in (1, 2, 4, 8, 16, 24, 32, 96, 256):
        for columns in (1, 4, 8, 16, 32, 48, 64, 256):
            tile = TileType((rows, columns), element)
            packed = plan(device_named(device, XeDevice), "load", tile, "b", packed=True)
            if packed is None or not packed.packed:
                continue
            found += 1
            plain = plan(device_named(device, XeDevice), "load", tile, "b")
            assert plain is not None
            assert plain[:2] == packed[:2]
    assert (found > 0) == (element != f32)
