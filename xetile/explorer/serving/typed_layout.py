"""A layout typed on a served page: attributes are parsed, and the conversion from the compiled layout is planned."""

import json
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from xetile.errors import XetileError, one_line
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

if TYPE_CHECKING:
    from xetile.layout.exchange.plans import Plan

MOST_ELEMENTS = 1 << 20
"""Largest tile that an attribute may lay out (elements)."""


class Typed(NamedTuple):
    """A question: a text, the sizes of the tile by dimension, and the layout to convert from.

    Attributes:
        text: an attribute (`#ttg...`, `#xegpu.layout<...>`), or the notation of `layout/show/notation.py`.
        source: the layout that was compiled, in that notation; None if there is none to plan from.
        bits: of an element.
        device: its name.
        subgroups: of a workgroup; None if the kernel does not state it.
    """

    text: str
    sizes: dict[str, int]
    source: str | None
    bits: int
    device: str
    subgroups: int | None


def typed_of(body: bytes) -> Typed | None:
    """Return the question of a page, or None if it is malformed or the tile is too large."""
    try:
        asked = Typed(**json.loads(body))
        return asked if prod(asked.sizes.values()) <= MOST_ELEMENTS else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def told(asked: Typed) -> dict[str, object]:
    """Return the answer as data for the page: `layout` (bases) with `plan`, or `error`, a line."""
    try:
        layout = _read(asked)
    except (LayoutError, XetileError) as error:
        return {"error": one_line(str(error))}
    from xetile.layout.show.plain_data import bases_of

    found: dict[str, object] = {"layout": bases_of(layout)}
    if asked.source is None:
        return found
    try:
        return found | {"plan": _planned(asked, layout)}
    except (LayoutError, XetileError) as error:
        return found | {"plan": {"error": one_line(str(error))}}


def _read(asked: Typed) -> LinearLayout:
    from xetile.layout.show.notation import read_notation
    from xetile.layout.show.plain_data import form_of, layout_of_form
    from xetile.layout.text.attribute_text import layout_of

    if not asked.text.lstrip().startswith("#"):
        return read_notation(asked.text, asked.sizes)
    if not asked.sizes:
        raise LayoutError(
            "select a value first: an attribute lays out a tile, whose sizes are asked"
        )
    layout = layout_of(asked.text, list(asked.sizes.values()))
    form = form_of(layout, dims=list(asked.sizes))
    # one subgroup, one workgroup: dimensions that the layout of a subgroup's tile does not have
    own = {
        name: vectors
        for name, vectors in form.inputs.items()
        if vectors or name in ("register", "lane")
    }
    return layout_of_form(own, form.outputs)


def _planned(asked: Typed, target: LinearLayout) -> Mapping[str, object]:
    """Return the plan that the passes would make if no buffer of the kernel took shared memory."""
    from xetile.analysis.kernel_targets import device_named
    from xetile.layout.exchange.plans import plan
    from xetile.layout.show.notation import read_notation
    from xetile.targets.xe.device import XeDevice

    assert asked.source is not None
    device = device_named(asked.device, XeDevice)
    subgroups = asked.subgroups or device.most_subgroups
    prices = device.prices.among(subgroups, device.shared_bytes)
    return _plan_data(plan(read_notation(asked.source), target, asked.bits, prices))


def _plan_data(plan: "Plan") -> Mapping[str, object]:
    from xetile.explorer.holding.conversion_moves import rounds_of

    return {
        "kind": plan.kind,
        "price": plan.price,
        "rounds": [
            [one.xor, len(one.registers), one.selects] for one in rounds_of(plan.steps)
        ],
        "conflicts": plan.conflicts,
        "shared_bytes": plan.shared_bytes,
    }
