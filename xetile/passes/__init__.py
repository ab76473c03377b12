"""The passes, each in its own package, and the pipelines of them.

`PASSES` is the only list of passes. Classes are imported when they are used, so that listing passes costs nothing.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple

from xdsl.passes import ModulePass

from xetile.targets import DEFAULT, names
from xetile.targets.target import ASSUMING, UNROLLING


class PassOption(NamedTuple):
    """An option of a pass: a word for its value, and its meaning, with the default last."""

    value: str
    meaning: str


DEVICE = PassOption(
    "DEVICE",
    f"the device that is lowered for: {', '.join(names())}; by default the one that the gpu.module names, "
    f"else {DEFAULT}",
)
"""The meaning of the option `device` of a pass."""


ASSUME = PassOption("WHAT", ASSUMING)
"""The meaning of the option `assume` of a pass."""


UNROLL = PassOption("COPIES", UNROLLING)
"""The meaning of the option `unroll` of a pass."""


class PassEntry(NamedTuple):
    """A pass: the place of its class (`module:class` in this package), its summary, and its options."""

    where: str
    summary: str
    options: Mapping[str, PassOption] = MappingProxyType({})


PASSES = {
    "convert-vector-to-xetile": PassEntry(
        "tiles.convert_vector_to_xetile:ConvertVectorToXeTile",
        "Rewrite what functions do with memrefs and vectors into operations on tiles",
    ),
    "xetile-infer-wg-map": PassEntry(
        "tiles.xetile_infer_wg_map:XeTileInferWgMap",
        "Derive the wg_map of every workgroup-level value from those that are written",
    ),
    "xetile-wg-to-sg": PassEntry(
        "tiles.xetile_wg_to_sg:XeTileWgToSg",
        "Distribute workgroup-level tiles and vectors over subgroups, by their wg_maps",
        {
            "exchange_bytes": PassOption(
                "BYTES",
                "most bytes of shared memory that one exchange takes, larger ones go in bands; "
                "by default what a workgroup of the target can have beside the buffers of the program",
            ),
            "loads": PassOption(
                "WHO",
                "who loads what an exchange would move: needed (the subgroups that need it, where that is cheaper), "
                "mapped (those of the tile's map); needed by default",
            ),
            "operands": PassOption(
                "WHO",
                "who computes operands of products in loops from what is loaded: once (each element one subgroup, "
                "which hands it on through shared memory, where that is cheaper), mapped (those of the map, as with "
                "loads=mapped); once by default",
            ),
            "print_plan": PassOption(
                "BOOL",
                "whether standard error shows how values change their owners, a line each; false by default",
            ),
        },
    ),
    "xetile-init-duplicate": PassEntry(
        "xe.xetile_init_duplicate:XeTileInitDuplicate",
        "Give each way of using a tile (load, store, prefetch, atomic) a tile of its own",
    ),
    "xetile-blockop-fallback": PassEntry(
        "xe.xetile_blockop_fallback:XeTileBlockOpFallback",
        "Reach element by element the tiles that no 2D block message may move",
        {"device": DEVICE, "assume": ASSUME},
    ),
    "xetile-blocking": PassEntry(
        "xe.xetile_blocking:XeTileBlocking",
        "Cut subgroup-level tiles and vectors into the device's blocks",
        {"device": DEVICE},
    ),
    "convert-xetile-to-xegpu": PassEntry(
        "xe.convert_xetile_to_xegpu:ConvertXeTileToXeGPU",
        "Turn blocked XeTile into XeGPU",
        {
            "device": DEVICE,
            "upstream_plan": PassOption(
                "BOOL",
                "whether messages are the smaller ones that upstream MLIR's own lowering takes; false by default",
            ),
        },
    ),
    "convert-xegpu-to-xevm": PassEntry(
        "xe.convert_xegpu_to_xevm:ConvertXeGPUToXeVM",
        "Turn XeGPU into XeVM, one lane's view",
        {
            "device": DEVICE,
            "print_layouts": PassOption(
                "BOOL",
                "whether layouts of vectors and prices of conversions go to standard error; false by default",
            ),
        },
    ),
    "convert-xevm-to-llvm": PassEntry(
        "xe.convert_xevm_to_llvm:ConvertXeVMToLLVM",
        "Turn kernels at lane level into functions of the llvm dialect that call Intel's builtins",
        {
            "device": DEVICE,
            "unroll": UNROLL,
            "print_registers": PassOption(
                "BOOL",
                "whether the registers that each kernel has live go to standard error; false by default",
            ),
        },
    ),
    "xetile-carry-tiles": PassEntry(
        "tiles.xetile_carry_tiles:XeTileCarryTiles",
        "Carry and move the tiles that loops make at each round, innermost loops first",
    ),
    "xetile-uncarry-tiles": PassEntry(
        "tiles.xetile_carry_tiles:XeTileUncarryTiles",
        "Make the tiles that loops carry and move at each round, outermost loops first",
    ),
    "xetile-to-xegpu": PassEntry(
        "xe.named_pipelines:XeTileToXeGPU",
        "Lower XeTile of any level to XeGPU",
        {"device": DEVICE, "assume": ASSUME},
    ),
    "xetile-to-xevm": PassEntry(
        "xe.named_pipelines:XeTileToXeVM",
        "Lower XeTile of any level to XeVM",
        {"device": DEVICE, "assume": ASSUME},
    ),
    "xetile-to-llvm": PassEntry(
        "xe.named_pipelines:XeTileToLLVM",
        "Lower XeTile of any level to the llvm dialect with calls of Intel's builtins",
        {"device": DEVICE, "assume": ASSUME, "unroll": UNROLL},
    ),
    "mlir": PassEntry(
        "run_mlir:MLIRPass",
        "Run upstream MLIR's passes on the module",
        {
            "pipeline": PassOption(
                "PASSES", 'passes in mlir-opt\'s notation, such as "canonicalize,cse"; needed'
            )
        },
    ),
}


def load_pass(name: str) -> type[ModulePass]:
    """Return the class of one of our passes."""
    module, _, attribute = PASSES[name].where.partition(":")
    return getattr(import_module(f"xetile.passes.{module}"), attribute)


def all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Return our passes by name, as xDSL's tools expect them."""
    return {name: partial(load_pass, name) for name in PASSES}
