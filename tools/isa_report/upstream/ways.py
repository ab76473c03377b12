"""Which ways are tried for which kernel: every one that was found to work for some kernel, where it may."""

from typing import Literal

from tools.isa_report.upstream import Way, Ways, attention, rows, softmax
from tools.isa_report.upstream.subgroup import Product as SubgroupProduct
from tools.isa_report.upstream.subgroup import text as subgroup_text
from tools.isa_report.upstream.workgroup import Product as WorkgroupProduct
from tools.isa_report.upstream.workgroup import text as workgroup_text

_SQUARE = ((16, 16), (16, 16))


def workgroup(product: WorkgroupProduct) -> Ways:
    """At workgroup level, in blocks of the instruction: the stock pipeline."""
    text = workgroup_text(product)
    return (Way("workgroup level", text, "workgroup", "stock"),)


def converted(product: WorkgroupProduct) -> Ways:
    """The same with larger loads and `xegpu.convert_layout`."""
    text = workgroup_text(product._replace(loaded=_SQUARE))
    return (Way("workgroup level, convert_layout", text, "workgroup", "stock"),)


def subgroup(product: SubgroupProduct) -> Ways:
    """At subgroup level: blocks of 16x16 by the stock pipeline, and the widest loads through opt's scalarizer."""
    least = product._replace(array_length=1, load_rows=(min(16, product.subgroup[0]), 16))
    most = product._replace(
        array_length=2 if product.subgroup[1] >= 32 else 1, load_rows=(32, 32)
    )
    ways = [
        Way("subgroup level", subgroup_text(least), "subgroup", "stock"),
        Way("subgroup level, scalarizer", subgroup_text(most), "subgroup", "scalarized"),
    ]
    if product.subgroup[1] < 32:
        both = subgroup_text(product)
        ways.append(
            Way("subgroup level, array_length, scalarizer", both, "subgroup", "scalarized")
        )
    return tuple(ways)


def transposed(product: SubgroupProduct) -> Ways:
    """As `subgroup`, with `xegpu-optimize-block-loads` among the passes; the stock pipeline first."""
    least = product._replace(array_length=1, load_rows=(16, 16))
    return (
        Way("subgroup level", subgroup_text(least), "subgroup", "stock"),
        Way(
            "subgroup level, optimize-block-loads",
            subgroup_text(least),
            "subgroup",
            "block-loads",
        ),
        Way(
            "subgroup level, optimize-block-loads, scalarizer",
            subgroup_text(product),
            "subgroup",
            "block-loads scalarized",
        ),
    )


def flash_attention(rows: int, *, keys_by_d: bool) -> Ways:
    """At subgroup level; K that has to be transposed needs `xegpu-optimize-block-loads`."""
    least = attention.text(rows, keys_by_d=keys_by_d, array_length=1)
    most = attention.text(rows, keys_by_d=keys_by_d, array_length=2)
    stock = Way("subgroup level", least, "subgroup", "stock")
    if not keys_by_d:
        return stock, Way("subgroup level, scalarizer", most, "subgroup", "scalarized")
    name = "subgroup level, optimize-block-loads"
    return (
        stock,
        Way(name, least, "subgroup", "block-loads"),
        Way(f"{name}, scalarizer", most, "subgroup", "block-loads scalarized"),
    )


def three_passes() -> Ways:
    """Softmax at subgroup level."""
    return _stock_and_scalarized(softmax.text())


def in_registers(kernel: Literal["softmax", "layer norm"]) -> Ways:
    """Rows in registers, at subgroup level."""
    return _stock_and_scalarized(rows.softmax() if kernel == "softmax" else rows.layer_norm())


def _stock_and_scalarized(text: str) -> Ways:
    return (
        Way("subgroup level", text, "subgroup", "stock"),
        Way("subgroup level, scalarizer", text, "subgroup", "scalarized"),
    )
