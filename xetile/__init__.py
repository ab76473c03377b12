"""xetile: a tile-level compiler for matrix kernels on Intel Xe GPUs; names resolve on first use."""

__version__ = "0.2.0"


def __getattr__(name: str) -> object:
    homes = _homes()
    if name == "__all__":
        return sorted(homes)
    if name not in homes:
        raise AttributeError(f"module 'xetile' has no attribute '{name}'")
    from importlib import import_module

    if homes[name] == ".":
        return import_module(f"xetile.{name}")
    value: object = getattr(import_module(homes[name], "xetile"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_homes()])


def _homes() -> dict[str, str]:
    """Return the module of each public name, as `__init__.pyi` imports them, one a line."""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    return {words[-1]: words[1] for words in lines if words[:1] == ["from"]}
