"""Kernels written in Python (`import xetile.language as xt`); names resolve on first use."""


def __getattr__(name: str) -> object:
    homes = _homes()
    if name == "__all__":
        return sorted(homes)
    if name not in homes:
        raise _unknown(name, homes)
    from importlib import import_module

    if homes[name] == ".":
        return import_module(f"{__name__}.{name}")
    value: object = getattr(import_module(homes[name], __name__), name)
    globals()[name] = value
    return value


def _unknown(name: str, homes: dict[str, str]) -> Exception:
    """Return the exception for an unknown name: XetileError at the line in a kernel, else AttributeError."""
    from xetile.advice import hint
    from xetile.errors import XetileError
    from xetile.language.builder import building
    from xetile.language.positions import here

    message = f"xt has no '{name}'{hint(name, homes)}"
    if building() is None or name.startswith("__"):
        return AttributeError(message, name=name)
    return XetileError(message, here())


def __dir__() -> list[str]:
    return sorted([*globals(), *_homes()])


def _homes() -> dict[str, str]:
    """Return the module of each public name, read from `__init__.pyi`, which imports one name per line."""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    return {words[-1]: words[1] for words in lines if words[:1] == ["from"]}
