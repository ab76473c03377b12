"""Cache hints of tiles as those of XeGPU."""

from xdsl.ir import Operation

from xetile.dialects.xegpu import CacheHint, CacheHintAttr
from xetile.dialects.xetile import CacheHintAttr as XeTileCacheHintAttr


def hints_of(op: Operation) -> list[CacheHintAttr | None]:
    """The hints of an access, for L1, L2, L3."""
    hints = [op.properties.get(name) for name in ("l1_hint", "l2_hint", "l3_hint")]
    return [
        CacheHintAttr(CacheHint(hint.data.value))
        if isinstance(hint, XeTileCacheHintAttr)
        else None
        for hint in hints
    ]
