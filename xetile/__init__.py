"""xetile: a tile-level compiler for matrix kernels on Intel Xe GPUs; names resolve on first use."""

import sys
from types import ModuleType

__version__ = "0.1.0"


class _Package(ModuleType):
    """The package, whose public names are found on first use, so that importing it stays cheap."""

    def __getattr__(self, name: str) -> object:
        homes = _homes()
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module 'xetile' has no attribute '{name}'")
        from importlib import import_module

        if homes[name] == ".":
            return import_module(f"xetile.{name}")
        value: object = getattr(import_module(homes[name], "xetile"), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # `emit` is a function here, although importing the package xetile.emit would bind its name
        if name != "emit" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_homes()})


def _homes() -> dict[str, str]:
    """The module of each public name, as `__init__.pyi` imports them, one a line."""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    return {words[-1]: words[1] for words in lines if words[:1] == ["from"]}


sys.modules[__name__].__class__ = _Package
