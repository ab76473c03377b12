"""What xDSL's tools find of xetile: the entry point `xdsl.universe`.

Only names that xDSL does not own, since any clash makes every call of xdsl-opt fail. Nothing is
imported before it is asked for.
"""

from collections.abc import Callable

from xdsl.passes import ModulePass
from xdsl.universe import Universe

from xetile.dialects import NEW_DIALECTS, dialect_factory

PASSES = {
    "xetile-wg-to-sg": "xetile_wg_to_sg",
    "xetile-init-duplicate": "xetile_init_duplicate",
    "xetile-blocking": "xetile_blocking",
    "convert-xetile-to-xegpu": "convert_xetile_to_xegpu",
    "convert-xegpu-to-xevm": "convert_xegpu_to_xevm",
    "convert-xevm-to-llvm": "convert_xevm_to_llvm",
    "xetile-to-xegpu": "pipelines",
    "xetile-to-xevm": "pipelines",
    "xetile-to-llvm": "pipelines",
}
"""Our passes by name, with the module of `xetile.passes` that has the pass of that name."""


def pass_factory(name: str) -> Callable[[], type[ModulePass]]:
    """What finds our pass `name`; its module is imported by the call."""

    def find() -> type[ModulePass]:
        from importlib import import_module

        module = import_module(f"xetile.passes.{PASSES[name]}")
        for value in vars(module).values():
            if not isinstance(value, type) or not issubclass(value, ModulePass):
                continue
            if getattr(value, "name", None) == name:
                return value
        raise LookupError(f"{module.__name__} has no pass '{name}'")

    return find


XETILE_UNIVERSE = Universe(
    all_dialects={name: dialect_factory(name) for name in NEW_DIALECTS},
    all_passes={name: pass_factory(name) for name in PASSES},
)
