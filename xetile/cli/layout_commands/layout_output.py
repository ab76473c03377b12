"""The parts that the commands of `xetile-layout` share: tensor types, the outputs, layouts as data."""

import argparse
import json
import re
import sys
import textwrap
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from xetile.cli.frame.inputs_outputs import write_outputs as write_all
from xetile.cli.frame.tools import ToolParser
from xetile.errors import XetileError

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.show.pages import Drawable

PROGRAM = "xetile-layout"
HELP_COLUMNS = 79


def refuse(message: str, cause: Exception | None = None) -> NoReturn:
    """Raise XetileError for wrong input."""
    raise XetileError(message) from cause


class TensorType(NamedTuple):
    """A tensor type: extents in elements, the element type's name and bits, and its layout's text or None."""

    shape: tuple[int, ...]
    element: str
    element_bits: int
    layout: str | None


def add_examples(parser: ToolParser, *examples: str) -> None:
    """Add example calls after the options."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = textwrap.fill(parser.description or "", HELP_COLUMNS)
    parser.epilog = "\n".join(["examples:", *(f"  {PROGRAM} {text}" for text in examples)])


def add_outputs(parser: ToolParser) -> None:
    """Add the options for the place and the form of the output."""
    parser.add_argument("--json", action="store_true", help="print data for programs")
    parser.add_argument("--svg", metavar="FILE", help="write a drawing")
    parser.add_argument("--html", metavar="FILE", help="write a drawing as a web page")
    parser.add_argument(
        "-o", metavar="OUT", dest="output", help="file to write; else standard output"
    )


def tensor_type(text: str) -> TensorType:
    """Read `tensor<256x32xf16>`, with or without a layout in it."""
    found = re.fullmatch(
        r"\s*tensor<((?:\d{1,18}x)+)([A-Za-z]\w*)\s*(?:,\s*(#.*))?>\s*", text, re.DOTALL
    )
    if found is None:
        refuse(f"'{text}' is no tensor type; write one such as tensor<256x32xf16>")
    shape = tuple(int(extent) for extent in found[1].rstrip("x").split("x"))
    return TensorType(shape, found[2], element_bits(found[2]), found[3])


def element_bits(name: str) -> int:
    """Return the bits of an element in memory, from its type's name."""
    if name == "tf32":
        return 32
    found = re.fullmatch(r"[su]?[a-z]*?(\d+)(E\d+M\d+\w*)?", name)
    if found is None or int(found[1]) not in (1, 4, 8, 16, 32, 64):
        refuse(f"element type '{name}' is not known; write one such as f16, bf16, i8")
    return max(8, int(found[1]))


def layout_data(layout: "LinearLayout") -> dict[str, object]:
    """Return a layout for programs: in dimensions with their bases, out dimensions with their sizes."""
    return {
        "in": [[name, vectors] for name, vectors in layout.bases.items()],
        "out": [[name, size] for name, size in layout.out_dims.items()],
    }


def as_json(data: object) -> str:
    """Return data as one line of JSON."""
    return json.dumps(data) + "\n"


def view_text(layout: "LinearLayout", view: str, *, subgroup: str) -> str:
    """Print a layout in one of the views; `subgroup` is the heading of the lines of a subgroup."""
    from xetile.layout.show.register_tables import hardware_view, matrix_view, tensor_view

    match view:
        case "bases":
            return str(layout).lstrip("\n") + "\n"
        case "hardware":
            return hardware_view(layout, subgroup=subgroup)
        case "matrix":
            return matrix_view(layout)
        case _:
            return tensor_view(layout)


def lane_table(layout: "LinearLayout", word: int) -> str:
    """Print a row for each register word and a column for each lane; elements of one word are next to each other."""
    lanes = range(layout.in_dim_size("lane"))
    others = dict.fromkeys(layout.in_dim_names, 0)

    def cell(first: int, lane: int) -> str:
        held = (
            layout.apply({**others, "register": first + n, "lane": lane}) for n in range(word)
        )
        return " : ".join(", ".join(map(str, at.values())) for at in held)

    rows = [[f"WI {lane}" for lane in lanes], [":---:" for _ in lanes]]
    for first in range(0, layout.in_dim_size("register"), word):
        rows.append([cell(first, lane) for lane in lanes])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def write_outputs(
    options: Namespace, text: str, pictures: "Sequence[tuple[str, Drawable, int]]"
) -> None:
    """Write the text and the requested drawings; nothing is written before all is computed."""
    drawings: list[tuple[str, str]] = []
    if options.svg is not None or options.html is not None:
        from xetile.layout.show.pages import Panel, draw_html, draw_svg

        panels = [Panel(*picture) for picture in pictures]
        if options.svg is not None:
            drawings.append((options.svg, draw_svg(panels)))
        if options.html is not None:
            drawings.append((options.html, draw_html(panels)))
    if not drawings and options.output is None:
        sys.stdout.write(text)
        return
    write_all([*drawings, (options.output, text)], by=PROGRAM)
