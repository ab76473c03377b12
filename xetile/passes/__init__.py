"""The passes, one per file, and the pipelines made of them.

`PASSES` is the one list of them: a name and where its class is, imported when it is used.
"""

from collections.abc import Callable
from importlib import import_module

from xdsl.passes import ModulePass

PASSES = {
    "xetile-wg-to-sg": "xetile_wg_to_sg:XeTileWgToSg",
    "xetile-init-duplicate": "xetile_init_duplicate:XeTileInitDuplicate",
    "xetile-blocking": "xetile_blocking:XeTileBlocking",
    "convert-xetile-to-xegpu": "convert_xetile_to_xegpu:ConvertXeTileToXeGPU",
    "convert-xegpu-to-xevm": "convert_xegpu_to_xevm:ConvertXeGPUToXeVM",
    "convert-xevm-to-llvm": "convert_xevm_to_llvm:ConvertXeVMToLLVM",
    "xetile-to-xegpu": "pipelines:XeTileToXeGPU",
    "xetile-to-xevm": "pipelines:XeTileToXeVM",
    "xetile-to-llvm": "pipelines:XeTileToLLVM",
}


def load_pass(name: str) -> type[ModulePass]:
    """The class of one of our passes."""
    module, _, attribute = PASSES[name].partition(":")
    return getattr(import_module(f"xetile.passes.{module}"), attribute)


def all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Our passes by name, as xDSL's tools want them."""

    def factory(name: str) -> Callable[[], type[ModulePass]]:
        return lambda: load_pass(name)

    return {name: factory(name) for name in PASSES}
