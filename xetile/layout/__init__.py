"""Linear layouts, and the layouts of Intel's and other hardware built from them; names resolve on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile.layout.algebra.columns import ColumnAction as ColumnAction
    from xetile.layout.algebra.columns import (
        action_remove_broadcasted_regs as action_remove_broadcasted_regs,
    )
    from xetile.layout.algebra.columns import (
        combine_cta_cga_with_shape as combine_cta_cga_with_shape,
    )
    from xetile.layout.algebra.columns import (
        ensure_layout_not_larger_than as ensure_layout_not_larger_than,
    )
    from xetile.layout.algebra.columns import (
        ensure_layout_not_smaller_than as ensure_layout_not_smaller_than,
    )
    from xetile.layout.algebra.columns import largest_vectorisation as largest_vectorisation
    from xetile.layout.algebra.distribution import Distribution as Distribution
    from xetile.layout.algebra.linear_layout import LayoutError as LayoutError
    from xetile.layout.algebra.linear_layout import LinearLayout as LinearLayout
    from xetile.layout.algebra.linear_layout import (
        invert_and_compose_block_local as invert_and_compose_block_local,
    )
    from xetile.layout.algebra.linear_layout import lstsq as lstsq
    from xetile.layout.algebra.linear_layout import supremum as supremum
    from xetile.layout.exchange.conversion import classify as classify
    from xetile.layout.exchange.conversion import plan_conversion as plan_conversion
    from xetile.layout.exchange.registers import (
        register_permutation as register_permutation,
    )
    from xetile.layout.exchange.registers import select_registers as select_registers
    from xetile.layout.exchange.swizzling import bank_conflicts as bank_conflicts
    from xetile.layout.exchange.swizzling import (
        bank_conflicts_of_offsets as bank_conflicts_of_offsets,
    )
    from xetile.layout.exchange.swizzling import optimal_swizzling as optimal_swizzling
    from xetile.layout.intel.block_tile import BlockLimits as BlockLimits
    from xetile.layout.intel.block_tile import load_tile as load_tile
    from xetile.layout.intel.block_tile import prefetch_tile as prefetch_tile
    from xetile.layout.intel.block_tile import store_tile as store_tile
    from xetile.layout.intel.dpas import Dpas as Dpas
    from xetile.layout.intel.dpas import dpas_operand_layout as dpas_operand_layout
    from xetile.layout.intel.messages import block_load_layout as block_load_layout
    from xetile.layout.intel.messages import plan_block_load as plan_block_load
    from xetile.layout.intel.stages import MessageLimits as MessageLimits
    from xetile.layout.intel.stages import block_load_stages as block_load_stages
    from xetile.layout.nvidia.shared import nvmma_shared_layout as nvmma_shared_layout
    from xetile.layout.nvidia.shared import swizzled_shared_layout as swizzled_shared_layout
    from xetile.layout.nvidia.wgmma import Descriptor as Descriptor
    from xetile.layout.nvidia.wgmma import Operand as Operand
    from xetile.layout.nvidia.wgmma_legality import match_operand as match_operand
    from xetile.layout.show.draw import Panel as Panel
    from xetile.layout.show.draw import draw_html as draw_html
    from xetile.layout.show.draw import draw_svg as draw_svg
    from xetile.layout.show.views import hardware_view as hardware_view
    from xetile.layout.show.views import matrix_view as matrix_view
    from xetile.layout.show.views import tensor_view as tensor_view
    from xetile.layout.text.attributes import layout_of as layout_of
    from xetile.layout.text.attributes import parse_layout as parse_layout

_HOMES = {
    "BlockLimits": "intel.block_tile",
    "ColumnAction": "algebra.columns",
    "Descriptor": "nvidia.wgmma",
    "Distribution": "algebra.distribution",
    "Dpas": "intel.dpas",
    "LayoutError": "algebra.linear_layout",
    "LinearLayout": "algebra.linear_layout",
    "MessageLimits": "intel.stages",
    "Operand": "nvidia.wgmma",
    "Panel": "show.draw",
    "action_remove_broadcasted_regs": "algebra.columns",
    "bank_conflicts": "exchange.swizzling",
    "bank_conflicts_of_offsets": "exchange.swizzling",
    "block_load_layout": "intel.messages",
    "block_load_stages": "intel.stages",
    "classify": "exchange.conversion",
    "combine_cta_cga_with_shape": "algebra.columns",
    "dpas_operand_layout": "intel.dpas",
    "draw_html": "show.draw",
    "draw_svg": "show.draw",
    "ensure_layout_not_larger_than": "algebra.columns",
    "ensure_layout_not_smaller_than": "algebra.columns",
    "hardware_view": "show.views",
    "invert_and_compose_block_local": "algebra.linear_layout",
    "largest_vectorisation": "algebra.columns",
    "layout_of": "text.attributes",
    "load_tile": "intel.block_tile",
    "lstsq": "algebra.linear_layout",
    "match_operand": "nvidia.wgmma_legality",
    "matrix_view": "show.views",
    "nvmma_shared_layout": "nvidia.shared",
    "optimal_swizzling": "exchange.swizzling",
    "parse_layout": "text.attributes",
    "plan_block_load": "intel.messages",
    "plan_conversion": "exchange.conversion",
    "prefetch_tile": "intel.block_tile",
    "register_permutation": "exchange.registers",
    "select_registers": "exchange.registers",
    "store_tile": "intel.block_tile",
    "supremum": "algebra.linear_layout",
    "swizzled_shared_layout": "nvidia.shared",
    "tensor_view": "show.views",
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
