"""`xetile-layout`: prints and draws what a layout attribute means.

Without a command it accepts the flags of Triton's `triton-tensor-layout` and prints what that prints. `dpas` shows
which lane holds which elements of a matrix instruction's operand, `block-load` how an operand is loaded, `convert` the
steps of a change of layout, `wgmma` an operand of Hopper's matrix instruction in shared memory.
"""

import json
import re
import sys
from argparse import Namespace
from functools import partial
from importlib import import_module
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple, NoReturn, cast

from xetile.advice import hint
from xetile.cli.frame.inputs_outputs import keep_inputs
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.cli.layout_commands.layout_output import (
    PROGRAM,
    TensorType,
    add_examples,
    add_outputs,
    as_json,
    layout_data,
    refuse,
    tensor_type,
    view_text,
    write_outputs,
)
from xetile.digits import whole_number
from xetile.errors import warn
from xetile.targets import EXAMPLE

if TYPE_CHECKING:
    from xetile.layout.algebra.block_grids import Distribution
    from xetile.layout.algebra.linear_layout import LinearLayout

_COMMANDS = ("block-load", "convert", "dpas", "wgmma")
VIEWS = ("bases", "hardware", "tensor", "matrix")

_OURS = ("#xegpu", "#xetile")
_ALIAS = re.compile(r"^\s*#([A-Za-z_][\w$]*)\s*=\s*(#.*?)\s*$")


def _run(arguments: list[str]) -> int:
    from xetile.layout.algebra.linear_layout import LayoutError

    name = arguments[0] if arguments else "-"
    if not name.startswith("-") and name not in _COMMANDS:
        advice = hint(name, _COMMANDS) or f"; commands are {', '.join(_COMMANDS)}"
        refuse(f"unknown command '{name}'{advice}")
    try:
        if not arguments:
            return _help(make_parser())
        if name not in _COMMANDS:
            return _show(arguments)
        module = import_module(f"xetile.cli.layout_commands.layout_{name.replace('-', '_')}")
        if not arguments[1:]:
            return _help(module.make_parser())
        return module.run(arguments[1:])
    except LayoutError as error:
        refuse(str(error), error)


def _help(parser: ToolParser) -> int:
    """Answer a call without arguments."""
    parser.print_help()
    return 0


class NamedLayout(NamedTuple):
    """A layout to show: its introducing text, and the layout, or the map if its sizes are not powers of two."""

    title: str
    layout: "LinearLayout | Distribution"


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        PROGRAM,
        f"Prints what a layout attribute means. Commands: {', '.join(_COMMANDS)} (each has --help).",
        has_version=True,
    )
    add = parser.add_argument
    add("-l", metavar="ATTRIBUTE", action="append", help="a layout attribute; twice for two")
    add("-i", metavar="FILE", help="a file of aliases `#name = #layout<...>`")
    add("-alias-names", metavar="NAMES", help="show only these aliases of the file, by comma")
    add(
        "--bases",
        metavar="JSON",
        help='a layout by its bases: {"register": [[0, 1]], "lane": ...}',
    )
    add("-t", metavar="TENSOR", help="the tensor's type, such as tensor<256x32xf16>")
    add("-use-hw-view", action="store_true", help="a line per register instead of the tensor")
    add("--view", choices=VIEWS, action="append", help="what to print; tensor by default")
    add("--subgroup", action="store_true", help="head a subgroup's lines so, not as a warp")
    add_outputs(parser)
    add_examples(
        parser,
        "-l '#xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>' -t 'tensor<16x16xf16>'",
        "-l '#xetile.wg_map<sg_layout = [3, 4], sg_data = [32, 32]>' -t 'tensor<96x128xf16>'",
        "-i kernel.ttgir -alias-names=blocked,mma -t 'tensor<64x64xf32>' --html layouts.html",
        f"dpas --operand B --dtype f16 --device {EXAMPLE}",
        f"block-load --operand B --dtype f16 --device {EXAMPLE} --shape 32x256 --warps 8x4 --rep 4x2",
        "wgmma --dtype bf16 --major K --swizzle 128 --shape 64x64",
    )
    return parser


def _show(arguments: list[str]) -> int:
    options = make_parser().parse_args(arguments)
    tensor = None if options.t is None else tensor_type(options.t)
    layouts = list(_layouts(options, tensor))
    if options.json:
        text = as_json([{"title": title} | _data(layout) for title, layout in layouts])
    else:
        separator = "\n" if options.alias_names else ""
        text = "".join(_text(options, title, layout) + separator for title, layout in layouts)
    bits = 8 if tensor is None else tensor.element_bits
    if options.svg is not None or options.html is not None:
        pictures = [(_caption(title, layout), layout, bits) for title, layout in layouts]
    else:
        pictures = []
    keep_inputs([options.output, options.svg, options.html], [options.i])
    write_outputs(options, text, pictures)
    return 0


def _data(layout: "LinearLayout | Distribution") -> dict[str, object]:
    from xetile.layout.algebra.block_grids import Distribution

    if not isinstance(layout, Distribution):
        return layout_data(layout)
    return {
        "shape": layout.shape,
        "sg_data": layout.unit,
        "sg_layout": layout.grid,
        "offsets": [layout.offsets(subgroup) for subgroup in range(layout.subgroups)],
    }


def _in_bits(map: "Distribution", what: str) -> NoReturn:
    """Raise because a map whose sizes are not powers of two has no such view."""
    refuse(
        f"no {what} of a map of {'x'.join(str(n) for n in map.shape)} elements to "
        f"{'x'.join(str(n) for n in map.grid)} subgroups in units of {'x'.join(str(n) for n in map.unit)}: "
        "only powers of two have one; the views tensor and hardware, --json and drawings show it"
    )


def _caption(title: str, layout: "LinearLayout | Distribution") -> str:
    """Return an attribute without its fields, and the shape."""
    from xetile.layout.algebra.block_grids import Distribution

    name = title.partition("<")[0] if "<" in title else title
    shape = layout.shape if isinstance(layout, Distribution) else layout.out_dim_sizes
    return f"{name} {'x'.join(map(str, shape))}"


def _text(options: Namespace, title: str, layout: "LinearLayout | Distribution") -> str:
    from xetile.layout.algebra.block_grids import Distribution
    from xetile.layout.show.distributions import holder_view, subgroup_view

    chosen: list[str] = options.view or ["hardware" if options.use_hw_view else "tensor"]
    parts = [f"Print layout attribute: {title}\n"]
    for view in chosen:
        if isinstance(layout, Distribution):
            if view not in ("hardware", "tensor"):
                _in_bits(layout, view)
            parts.append((subgroup_view if view == "hardware" else holder_view)(layout))
            continue
        # attributes that begin so are not Triton's: in those a subgroup is called a subgroup
        ours = options.subgroup or title.partition("= ")[2].startswith(_OURS)
        name = "Subgroup" if ours or title.startswith(_OURS) else "Warp"
        parts.append(view_text(layout, view, subgroup=name))
    return "".join(parts)


def _layouts(options: Namespace, tensor: TensorType | None) -> "list[NamedLayout]":
    if options.bases is not None:
        return [NamedLayout(options.bases, _from_bases(options.bases, tensor))]
    if tensor is None:
        refuse("must specify the tensor type argument -t, such as tensor<256x32xf16>")
    given: list[str] = options.l or []
    if not given and options.i is None:
        if tensor.layout is None:
            refuse("a layout is needed: -l ATTRIBUTE, -i FILE, --bases, or one in the type")
        given = [tensor.layout]
    found = [NamedLayout(text, layout_to_show(text, tensor.shape)) for text in given]
    return found if options.i is None else [*found, *_of_file(options, tensor)]


def _of_file(options: Namespace, tensor: TensorType) -> list[NamedLayout]:
    """Return the aliases that fit the tensor, and warn of the others; raise if none fits."""
    from xetile.layout.algebra.linear_layout import LayoutError

    found: list[NamedLayout] = []
    misfits: list[tuple[str, LayoutError]] = []
    for name, text in _aliases(options):
        try:
            layout = layout_to_show(text, tensor.shape)
        except LayoutError as error:
            misfits.append((name, error))
        else:
            found.append(NamedLayout(f"#{name} = {text}", layout))
    if not found:
        raise misfits[0][1]
    for name, error in misfits:
        warn(None, f"#{name} is not shown: {error}")
    return found


def layout_to_show(text: str, shape: tuple[int, ...]) -> "LinearLayout | Distribution":
    """Return the layout of an attribute, or the distribution of a `wg_map` whose sizes are not powers of two."""
    from xetile.layout.algebra.block_grids import Distribution, is_power_of_two
    from xetile.layout.text.attribute_text import WorkgroupMap, layout_of, parse_layout

    encoding = parse_layout(text)
    if isinstance(encoding, WorkgroupMap):
        sizes = (*shape, *encoding.sg_layout, *encoding.sg_data)
        if not all(map(is_power_of_two, sizes)):
            return Distribution(shape, encoding.sg_data, encoding.sg_layout)
    return layout_of(text, shape)


def _aliases(options: Namespace) -> list[tuple[str, str]]:
    """Return the aliases of a file, each with the aliases inside it expanded."""
    from xetile.cli.frame.inputs_outputs import read_input

    source, name = read_input(options.i)
    known: dict[str, str] = {}
    for line in source.splitlines():
        found = _ALIAS.match(line)
        if found is None:
            continue
        known[found[1]] = re.sub(
            r"#([A-Za-z_][\w$]*)(?![\w.$])", lambda use: known.get(use[1], use[0]), found[2]
        )
    if not known:
        refuse(f"'{name}' has no aliases such as #name = #ttg.blocked<{{...}}>")
    wanted = options.alias_names.split(",") if options.alias_names else list(known)
    for alias in wanted:
        if alias not in known:
            refuse(f"no alias '{alias}' in '{name}'; it has {', '.join(known)}")
    return [(alias, known[alias]) for alias in wanted]


def _from_bases(text: str, tensor: TensorType | None) -> "LinearLayout":
    from xetile.layout.algebra.linear_layout import LinearLayout

    try:
        given: object = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError) as error:
        refuse(f"--bases is no JSON: {error}", error)
    if not isinstance(given, dict):
        refuse('--bases must be an object such as {"register": [[0, 1]], "lane": []}')
    named = cast("dict[str, object]", given)
    bases = {name: _vectors(name, vectors) for name, vectors in named.items()}
    if tensor is not None:
        shape = tensor.shape
    else:
        columns = zip_longest(*chain(*bases.values()), fillvalue=0)
        shape = [1 << max(0, *column).bit_length() for column in columns]
    extents = {f"dim{d}": extent for d, extent in enumerate(shape)}
    return LinearLayout.from_bases(bases, extents, require_surjective=False)


def _vectors(name: str, given: object) -> list[list[int]]:
    vectors: list[list[int]] = []
    for vector in cast("list[object]", given) if isinstance(given, list) else [None]:
        numbers = cast("list[object]", vector) if isinstance(vector, list) else [None]
        whole = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool)]
        if len(whole) != len(numbers):
            refuse(f"--bases: '{name}' must be a list of lists of integers")
        vectors.append(whole)
    return vectors


main = partial(run_tool, PROGRAM, _run)

if __name__ == "__main__":
    sys.exit(main())
