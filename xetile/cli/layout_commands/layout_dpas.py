"""`xetile-layout dpas`: the elements of a matrix instruction's operand that each lane of a subgroup holds."""

from argparse import Namespace
from typing import TYPE_CHECKING

from xetile.cli.frame.tools import ToolParser
from xetile.cli.layout_commands.layout_block_load import (
    OPERANDS,
    check_registers,
    operand_bits,
    pair,
)
from xetile.cli.layout_commands.layout_output import (
    PROGRAM,
    add_examples,
    add_outputs,
    as_json,
    lane_table,
    layout_data,
    view_text,
    write_outputs,
)
from xetile.targets import DEFAULT, EXAMPLE

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout

_VIEWS = ("lanes", "bases", "hardware", "tensor", "matrix")


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    from xetile.analysis.kernel_targets import device_named, option_called
    from xetile.layout.intel.dpas_layouts import dpas_operand_layout, dpas_register_word
    from xetile.targets.xe.device import LANES, XeDevice
    from xetile.targets.xe.dpas import COLUMNS, DEPTH

    options = make_parser().parse_args(arguments)
    with option_called("--device"):
        target = device_named(options.device, XeDevice)
    operand: str = options.operand.lower()
    bits = operand_bits(options, target)
    # The accumulator has one layout whatever types are multiplied.
    operations = 2 if operand == "c" else 32 // bits
    rows, columns = options.repeat_count, DEPTH * operations
    shapes = {"a": (rows, columns), "b": (columns, COLUMNS), "c": (rows, COLUMNS)}
    shape: tuple[int, int] = options.shape or shapes[operand]
    layout = dpas_operand_layout(
        operand,
        shape,
        repeat_count=options.repeat_count,
        ops_per_channel=operations,
        systolic_depth=DEPTH,
        execution_size=COLUMNS,
        lanes=LANES,
    )
    check_registers(layout)
    word = dpas_register_word(operand, ops_per_channel=operations)
    title = f"{options.dtype} {options.operand} {shape[0]}x{shape[1]}"
    if options.json:
        text = as_json({"title": title, "word": word, **layout_data(layout)})
    else:
        text = _text(options, f"Operand {title} of DPAS on {target.name}", layout, word)
    write_outputs(options, text, [(title, layout, bits)])
    return 0


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(f"{PROGRAM} dpas", "Shows which lane holds what of a DPAS operand.")
    add = parser.add_argument
    add("--device", help=f"the device, such as {EXAMPLE}; by default {DEFAULT}")
    add("--dtype", required=True, metavar="TYPE", help="element type, such as f16, i8, tf32")
    add("--operand", required=True, choices=OPERANDS, help="of the matrix product")
    add("--shape", type=pair, metavar="RxC", help="a subgroup's tile; else one instruction's")
    add("--repeat-count", type=int, default=8, metavar="N", help="rows of A and C of one DPAS")
    add("--view", choices=_VIEWS, action="append", help="what to print; lanes by default")
    add_outputs(parser)
    add_examples(
        parser,
        f"dpas --operand B --dtype f16 --device {EXAMPLE}",
        f"dpas --operand A --dtype i8 --device {EXAMPLE} --shape 32x64 --view bases --svg a.svg",
    )
    return parser


def _text(options: Namespace, title: str, layout: "LinearLayout", word: int) -> str:
    words = f", {word} elements in a word" if word > 1 else ""
    parts = [f"{title}: {layout.in_dim_size('register')} registers in each lane{words}\n"]
    for view in options.view or ["lanes"]:
        if view == "lanes":
            parts.append(lane_table(layout, word))
        else:
            parts.append(view_text(layout, view, subgroup="Subgroup"))
    return "".join(parts)
