"""Linear layouts, and the layouts of Intel's and other hardware built from them; names resolve on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile.layout.attributes import layout_of as layout_of
    from xetile.layout.attributes import parse_layout as parse_layout
    from xetile.layout.block_io import block_load_layout as block_load_layout
    from xetile.layout.block_io import plan_block_load as plan_block_load
    from xetile.layout.columns import ColumnAction as ColumnAction
    from xetile.layout.columns import largest_vectorisation as largest_vectorisation
    from xetile.layout.conversion import classify as classify
    from xetile.layout.conversion import plan_conversion as plan_conversion
    from xetile.layout.distributed import dpas_operand_layout as dpas_operand_layout
    from xetile.layout.draw import draw_html as draw_html
    from xetile.layout.draw import draw_svg as draw_svg
    from xetile.layout.grid import Distribution as Distribution
    from xetile.layout.linear import LayoutError as LayoutError
    from xetile.layout.linear import LinearLayout as LinearLayout
    from xetile.layout.linear import (
        invert_and_compose_block_local as invert_and_compose_block_local,
    )
    from xetile.layout.linear import lstsq as lstsq
    from xetile.layout.linear import supremum as supremum
    from xetile.layout.shared import nvmma_shared_layout as nvmma_shared_layout
    from xetile.layout.shared import swizzled_shared_layout as swizzled_shared_layout
    from xetile.layout.swizzling import bank_conflicts as bank_conflicts
    from xetile.layout.swizzling import optimal_swizzling as optimal_swizzling
    from xetile.layout.views import hardware_view as hardware_view
    from xetile.layout.views import matrix_view as matrix_view
    from xetile.layout.views import tensor_view as tensor_view
    from xetile.layout.wgmma import Descriptor as Descriptor
    from xetile.layout.wgmma import Operand as Operand
    from xetile.layout.wgmma_legality import match_operand as match_operand

_HOMES = {
    "ColumnAction": "columns",
    "Descriptor": "wgmma",
    "Distribution": "grid",
    "LayoutError": "linear",
    "LinearLayout": "linear",
    "Operand": "wgmma",
    "bank_conflicts": "swizzling",
    "block_load_layout": "block_io",
    "classify": "conversion",
    "dpas_operand_layout": "distributed",
    "draw_html": "draw",
    "draw_svg": "draw",
    "hardware_view": "views",
    "invert_and_compose_block_local": "linear",
    "largest_vectorisation": "columns",
    "layout_of": "attributes",
    "lstsq": "linear",
    "match_operand": "wgmma_legality",
    "matrix_view": "views",
    "nvmma_shared_layout": "shared",
    "optimal_swizzling": "swizzling",
    "parse_layout": "attributes",
    "plan_block_load": "block_io",
    "plan_conversion": "conversion",
    "supremum": "linear",
    "swizzled_shared_layout": "shared",
    "tensor_view": "views",
}

__all__ = [
    "ColumnAction",
    "Descriptor",
    "Distribution",
    "LayoutError",
    "LinearLayout",
    "Operand",
    "bank_conflicts",
    "block_load_layout",
    "classify",
    "dpas_operand_layout",
    "draw_html",
    "draw_svg",
    "hardware_view",
    "invert_and_compose_block_local",
    "largest_vectorisation",
    "layout_of",
    "lstsq",
    "match_operand",
    "matrix_view",
    "nvmma_shared_layout",
    "optimal_swizzling",
    "parse_layout",
    "plan_block_load",
    "plan_conversion",
    "supremum",
    "swizzled_shared_layout",
    "tensor_view",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
