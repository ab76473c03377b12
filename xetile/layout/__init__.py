"""Linear layouts, and the hardware's layouts built from them; names resolve on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile.layout.show.pages import Drawable


def __getattr__(name: str) -> object:
    homes = _homes()
    if name == "__all__":
        return sorted(homes)
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from xetile.layout.algebra.block_grids import Distribution
    from xetile.layout.algebra.linear_layout import LinearLayout

    Distribution.picture = LinearLayout.picture = _picture
    value: object = getattr(import_module(homes[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_homes()])


def _homes() -> dict[str, str]:
    """Return the module of each public name, read from `__init__.pyi`, which imports one name per line."""
    with open(f"{__file__}i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    return {words[-1]: words[1] for words in lines if words[:1] == ["from"]}


def _picture(layout: "Drawable") -> str | None:
    from xetile.layout.show.pages import notebook_picture

    return notebook_picture(layout)
