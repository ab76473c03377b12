"""Linear layouts, and the layouts of Intel's and other hardware built from them; names resolve on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile.layout.attributes import layout_of as layout_of
    from xetile.layout.attributes import parse_layout as parse_layout
    from xetile.layout.block_io import block_load_layout as block_load_layout
    from xetile.layout.block_io import plan_block_load as plan_block_load
    from xetile.layout.block_stages import MessageLimits as MessageLimits
    from xetile.layout.block_stages import block_load_stages as block_load_stages
    from xetile.layout.block_tile import BlockLimits as BlockLimits
    from xetile.layout.block_tile import load_tile as load_tile
    from xetile.layout.block_tile import prefetch_tile as prefetch_tile
    from xetile.layout.block_tile import store_tile as store_tile
    from xetile.layout.columns import ColumnAction as ColumnAction
    from xetile.layout.columns import (
        action_remove_broadcasted_regs as action_remove_broadcasted_regs,
    )
    from xetile.layout.columns import combine_cta_cga_with_shape as combine_cta_cga_with_shape
    from xetile.layout.columns import ensure_layout_not_larger_than as ensure_layout_not_larger_than
    from xetile.layout.columns import (
        ensure_layout_not_smaller_than as ensure_layout_not_smaller_than,
    )
    from xetile.layout.columns import largest_vectorisation as largest_vectorisation
    from xetile.layout.conversion import classify as classify
    from xetile.layout.conversion import plan_conversion as plan_conversion
    from xetile.layout.convert import register_permutation as register_permutation
    from xetile.layout.convert import select_registers as select_registers
    from xetile.layout.distributed import Dpas as Dpas
    from xetile.layout.distributed import dpas_operand_layout as dpas_operand_layout
    from xetile.layout.draw import Panel as Panel
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
    from xetile.layout.swizzling import bank_conflicts_of_offsets as bank_conflicts_of_offsets
    from xetile.layout.swizzling import optimal_swizzling as optimal_swizzling
    from xetile.layout.views import hardware_view as hardware_view
    from xetile.layout.views import matrix_view as matrix_view
    from xetile.layout.views import tensor_view as tensor_view
    from xetile.layout.wgmma import Descriptor as Descriptor
    from xetile.layout.wgmma import Operand as Operand
    from xetile.layout.wgmma_legality import match_operand as match_operand

_HOMES = {
    "BlockLimits": "block_tile",
    "ColumnAction": "columns",
    "Descriptor": "wgmma",
    "Distribution": "grid",
    "Dpas": "distributed",
    "LayoutError": "linear",
    "LinearLayout": "linear",
    "MessageLimits": "block_stages",
    "Operand": "wgmma",
    "Panel": "draw",
    "action_remove_broadcasted_regs": "columns",
    "bank_conflicts": "swizzling",
    "bank_conflicts_of_offsets": "swizzling",
    "block_load_layout": "block_io",
    "block_load_stages": "block_stages",
    "classify": "conversion",
    "combine_cta_cga_with_shape": "columns",
    "dpas_operand_layout": "distributed",
    "draw_html": "draw",
    "draw_svg": "draw",
    "ensure_layout_not_larger_than": "columns",
    "ensure_layout_not_smaller_than": "columns",
    "hardware_view": "views",
    "invert_and_compose_block_local": "linear",
    "largest_vectorisation": "columns",
    "layout_of": "attributes",
    "load_tile": "block_tile",
    "lstsq": "linear",
    "match_operand": "wgmma_legality",
    "matrix_view": "views",
    "nvmma_shared_layout": "shared",
    "optimal_swizzling": "swizzling",
    "parse_layout": "attributes",
    "plan_block_load": "block_io",
    "plan_conversion": "conversion",
    "prefetch_tile": "block_tile",
    "register_permutation": "convert",
    "select_registers": "convert",
    "store_tile": "block_tile",
    "supremum": "linear",
    "swizzled_shared_layout": "shared",
    "tensor_view": "views",
}

__all__ = [
    "BlockLimits",
    "ColumnAction",
    "Descriptor",
    "Distribution",
    "Dpas",
    "LayoutError",
    "LinearLayout",
    "MessageLimits",
    "Operand",
    "Panel",
    "action_remove_broadcasted_regs",
    "bank_conflicts",
    "bank_conflicts_of_offsets",
    "block_load_layout",
    "block_load_stages",
    "classify",
    "combine_cta_cga_with_shape",
    "dpas_operand_layout",
    "draw_html",
    "draw_svg",
    "ensure_layout_not_larger_than",
    "ensure_layout_not_smaller_than",
    "hardware_view",
    "invert_and_compose_block_local",
    "largest_vectorisation",
    "layout_of",
    "load_tile",
    "lstsq",
    "match_operand",
    "matrix_view",
    "nvmma_shared_layout",
    "optimal_swizzling",
    "parse_layout",
    "plan_block_load",
    "plan_conversion",
    "prefetch_tile",
    "register_permutation",
    "select_registers",
    "store_tile",
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
