"""Linear layouts, and the layouts of Intel's and other hardware built from them; names resolve on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile.layout.linear import LayoutError as LayoutError
    from xetile.layout.linear import LinearLayout as LinearLayout

_HOMES = {"LayoutError": "linear", "LinearLayout": "linear"}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
