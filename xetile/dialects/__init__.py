"""The dialects: xDSL's, with ours on top."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Dialect

_OURS = {
    "xetile": ("xetile.dialects.xetile", "XeTile"),
    "xegpu": ("xetile.dialects.xegpu", "XeGPU"),
    "xevm": ("xetile.dialects.xevm", "XeVM"),
    "gpu": ("xetile.dialects.upstream.gpu", "GPU"),
    "arith": ("xetile.dialects.upstream.arith", "Arith"),
    "vector": ("xetile.dialects.upstream.vector", "Vector"),
    "affine": ("xetile.dialects.upstream.affine", "Affine"),
    "cf": ("xetile.dialects.upstream.cf", "Cf"),
    "memref": ("xetile.dialects.upstream.memref", "MemRef"),
    "llvm": ("xetile.dialects.upstream.llvm", "LLVM"),
    "index": ("xetile.dialects.upstream.index", "Index"),
    "scf": ("xetile.dialects.upstream.scf", "Scf"),
    "linalg": ("xetile.dialects.upstream.linalg", "Linalg"),
    "spirv": ("xetile.dialects.upstream.spirv", "SPIRV"),
}
"""Dialect name to its module and the name of its `Dialect` object."""

OWN_DIALECTS = tuple(_OURS)
"""Names of the dialects that are ours, or ours in the place of xDSL's."""

NEW_DIALECTS = ("xetile", "xegpu", "xevm")
"""Names that xDSL does not own."""


def dialect_factory(name: str) -> "Callable[[], Dialect]":
    """Return the factory of our dialect `name`, which imports its module when first called."""
    module, attribute = _OURS[name]

    def make() -> "Dialect":
        return getattr(import_module(module), attribute)

    return make


def all_dialects() -> "dict[str, Callable[[], Dialect]]":
    """Return a factory for each dialect by name: xDSL's, with ours in place of those of the same name."""
    from xdsl.dialects import get_all_dialects

    return get_all_dialects() | {name: dialect_factory(name) for name in _OURS}


def load(context: "Context") -> None:
    """Register all dialects; each is imported when the first of its ops or attributes is met."""
    for name, factory in all_dialects().items():
        context.register_dialect(name, factory)
