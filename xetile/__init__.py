"""xetile: a tile-level compiler for matrix kernels on Intel Xe GPUs."""

import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile import kernels as kernels
    from xetile.api import emit as emit
    from xetile.api import execute as execute
    from xetile.api import execute_host as execute_host
    from xetile.api import lower as lower
    from xetile.api import parse as parse
    from xetile.api import text as text
    from xetile.api import verify as verify
    from xetile.errors import XetileError as XetileError

__version__ = "0.1.0"

__all__ = [
    "XetileError",
    "emit",
    "execute",
    "execute_host",
    "kernels",
    "lower",
    "parse",
    "text",
    "verify",
]


class _Package(ModuleType):
    """The package, whose public names are found on first use, so that importing it stays cheap."""

    def __getattr__(self, name: str) -> object:
        from importlib import import_module

        if name not in __all__:
            raise AttributeError(f"module 'xetile' has no attribute '{name}'")
        if name == "kernels":
            return import_module("xetile.kernels")
        value = getattr(
            import_module("xetile.errors" if name == "XetileError" else "xetile.api"), name
        )
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # `emit` is a function here, although importing the package xetile.emit would bind its name
        if name != "emit" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
