"""`xetile-layout block-load`: the stages, the configuration, the messages and the shuffle of a DPAS operand.

`plan_block_load` chooses the messages, as it does for the compiler. The stages are printed as in Intel's document.
`offset` counts what one DPAS reads of a message, row by row, `iteration` the DPAS operands of a message, and `load` the
messages. Components count 32-bit words along a packed dimension in the first two. Those of `load` are pairs
(outer, inner) in elements; the outer dimension is M for A and N for B.

Source: intel/intel-xpu-backend-for-triton, docs/BLOCK_LOADS_LAYOUT.md. Its listing of B's iterations is wrong; ours
is what the code that printed it (`LoadOpConversion::rewriteTensorPointerLoad`) computes.
"""

from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, NamedTuple

from xetile.cli.frame.option_values import read_pair
from xetile.cli.frame.tools import ToolParser
from xetile.cli.layout_commands.layout_output import (
    PROGRAM,
    add_examples,
    add_outputs,
    as_json,
    element_bits,
    lane_table,
    layout_data,
    refuse,
    write_outputs,
)
from xetile.layout.algebra.notebook_tables import runs
from xetile.targets import DEFAULT, EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.intel.dpas_layouts import Dpas
    from xetile.layout.intel.message_layouts import BlockConfiguration, LoadPlan
    from xetile.targets.xe.device import XeDevice

OPERANDS = ("A", "B", "C")
"""The operands of a matrix product."""

_MOST_REGISTERS = 1 << 16


class _Message(NamedTuple):
    """The place where a message begins, its registers, ascending, and the elements of its result that they receive."""

    at: tuple[int, int]
    registers: list[int]
    elements: list[int]


class _Report(NamedTuple):
    layout: "LinearLayout"
    stages: "Mapping[str, LinearLayout]"
    configuration: "BlockConfiguration"
    bits: int
    messages: list[_Message]


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    from xetile.layout.intel.message_layouts import message_layout

    options = make_parser().parse_args(arguments)
    report = _report(options)
    tables: bool = options.tables
    if tables and options.json:
        refuse("--tables are text; --json has the layouts that they are read off")
    text = as_json(_data(report)) if options.json else _text(report, tables=tables)
    name = f"{options.dtype} {options.operand} {options.shape[0]}x{options.shape[1]}"
    pictures = [
        (
            f"{name}: one message",
            message_layout(report.configuration, report.bits),
            report.bits,
        ),
        (f"{name}: DPAS", report.layout, report.bits),
    ]
    write_outputs(options, text, pictures)
    return 0


def pair(text: str) -> tuple[int, int]:
    """Return two extents of an option; neither may be 0."""
    refusal = "must be ROWSxCOLUMNS, such as 32x256"
    extents = read_pair(text, refusal)
    if 0 in extents:
        raise ArgumentTypeError(f"'{text}' {refusal}")
    return extents


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        f"{PROGRAM} block-load", "Shows how a DPAS operand is loaded in blocks."
    )
    add = parser.add_argument
    add("--device", help=f"the device, such as {EXAMPLE}; by default {DEFAULT}")
    add("--dtype", required=True, metavar="TYPE", help="element type, such as f16, i8, tf32")
    add("--operand", required=True, choices=OPERANDS, help="of the matrix product")
    add("--shape", required=True, type=pair, metavar="RxC", help="the workgroup's tile")
    add("--warps", type=pair, default=(1, 1), metavar="RxC", help="subgroups over the tile")
    add(
        "--rep",
        type=pair,
        default=(1, 1),
        metavar="RxC",
        help="DPAS side by side per subgroup",
    )
    add("--repeat-count", type=int, default=8, metavar="N", help="rows of A and C of one DPAS")
    add("--transposed", action="store_true", help="the operand lies transposed in memory")
    add(
        "--mask",
        type=pair,
        metavar="RxC",
        help="the load is masked, and the mask is the same in runs of RxC",
    )
    add("--tables", action="store_true", help="print below each stage where offsets lie")
    add_outputs(parser)
    add_examples(
        parser,
        f"block-load --device {EXAMPLE} --dtype f16 --operand B --shape 32x256 --warps 8x4 --rep 4x2",
        f"block-load --device {EXAMPLE} --dtype f16 --operand A --shape 256x32 --warps 8x4 --rep 4x2 --tables",
        f"block-load --device {EXAMPLE} --dtype i8 --operand B --shape 64x64 --transposed --html b.html",
    )
    return parser


def _report(options: Namespace) -> _Report:
    from xetile.analysis.kernel_targets import device_named, option_called
    from xetile.targets.xe.device import XeDevice

    with option_called("--device"):
        target = device_named(options.device, XeDevice)
    bits = operand_bits(options, target)
    dpas = _dpas(options, bits)
    layout = dpas.operand_layout(OPERANDS.index(options.operand), options.shape)
    check_registers(layout)
    plan = _plan(options, target, layout, bits)
    messages = _messages(layout, plan)
    stages = _stages(options, dpas, plan.configuration, bits, [m.at for m in messages])
    return _Report(layout, stages, plan.configuration, bits, messages)


def _contiguous(layout: "LinearLayout") -> tuple[int, int]:
    """Return the extents of the block that one subgroup holds without gaps, from element (0, 0)."""
    steps = {*layout.bases["register"], *layout.bases["lane"]}
    rows = columns = 1
    while (rows, 0) in steps:
        rows *= 2
    while (0, columns) in steps:
        columns *= 2
    return rows, columns


def _inside(layout: "LinearLayout", extents: tuple[int, int]) -> int:
    """Return the bits of the register that stay inside of the block of these extents."""
    steps = enumerate(layout.bases["register"])
    rows, columns = extents
    return sum(1 << bit for bit, at in steps if any(at) and at[0] < rows and at[1] < columns)


def _plan(
    options: Namespace, target: "XeDevice", layout: "LinearLayout", bits: int
) -> "LoadPlan":
    """Return the messages of the contiguous block, whose rows and columns are the memory's."""
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.intel.dpas_layouts import dpas_register_word
    from xetile.layout.intel.message_layouts import plan_block_load
    from xetile.planning.xe.message_words import known_messages

    extents = _contiguous(layout)
    inside = _inside(layout, extents)
    steps = enumerate(layout.bases["register"])
    bases = {
        "register": [at for bit, at in steps if inside >> bit & 1],
        "lane": layout.bases["lane"],
    }
    wanted = LinearLayout.from_bases(
        bases, dict(zip(layout.out_dim_names, extents, strict=True))
    )
    operand: str = options.operand.lower()
    rows, columns = options.mask or options.shape
    if rows & (rows - 1) or columns & (columns - 1):
        refuse(
            f"a mask's constancy [{rows}, {columns}] must hold a power of two for each of "
            f"{list(layout.out_dims)}"
        )
    access, word = "load_packed" if operand == "b" and bits < 32 else "load", None
    if options.transposed:
        access, rows, columns = "load_transposed", columns, rows
        wanted = wanted.transpose_outs(wanted.out_dim_names[::-1])
    elif operand != "c":
        word = dpas_register_word(operand, ops_per_channel=32 // bits)
    known = known_messages(target, access, bits)
    fitting = [c for c in known if c.rows <= rows and c.width <= columns]
    plan = plan_block_load(wanted, element_bits=bits, configurations=fitting, word=word)
    if plan is None:
        transposed = "transposed " if options.transposed else ""
        masked = f" under a mask of {'x'.join(map(str, options.mask))}" if options.mask else ""
        refuse(
            f"no {transposed}block message fits operand {options.operand} of {options.dtype}{masked}"
        )
    return plan


def _messages(layout: "LinearLayout", plan: "LoadPlan") -> list[_Message]:
    """Return the messages of the contiguous block, and the same for the other blocks of the subgroup."""
    inside = _inside(layout, _contiguous(layout))
    registers = range(layout.in_dim_size("register"))
    own = [register for register in registers if not register & ~inside]
    taken: list[list[tuple[int, int]]] = [[] for _ in plan.offsets]
    for register, source in zip(own, plan.shuffle, strict=True):
        message, element = divmod(source, plan.registers)
        taken[message].append((register, element))
    others = dict.fromkeys(layout.in_dim_names, 0)
    found: list[_Message] = []
    for first in (register for register in registers if not register & inside):
        row, column = layout.apply({**others, "register": first}).values()
        for offset, pairs in zip(plan.offsets, taken, strict=True):
            down, right = offset[::-1] if plan.transposed else offset
            held = [first | register for register, _ in pairs]
            at = (row + down, column + right)
            found.append(_Message(at, held, [element for _, element in pairs]))
    return found


def check_registers(layout: "LinearLayout") -> None:
    """Raise if the tile takes more registers than any device has."""
    registers = layout.in_dim_size("register")
    if registers > _MOST_REGISTERS:
        refuse(f"the tile takes {registers} registers in each lane, at most {_MOST_REGISTERS}")


def operand_bits(options: Namespace, target: "XeDevice") -> int:
    """Return the bits of the operand's elements; raise if the device's DPAS does not support their type."""
    types = target.operand_types(options.operand.lower())
    if options.dtype not in types:
        refuse(
            f"DPAS of {target.name} has no operand {options.operand} of type {options.dtype}; "
            f"it has {', '.join(types)}"
        )
    return element_bits(options.dtype)


def _dpas(options: Namespace, bits: int) -> "Dpas":
    """Return the DPAS encoding; raise if its operand is larger than the tile."""
    from xetile.layout.intel.dpas_layouts import Dpas
    from xetile.targets.xe.device import LANES
    from xetile.targets.xe.dpas import COLUMNS, DEPTH

    shape: tuple[int, int] = options.shape
    if any(n & (n - 1) for n in (*shape, *options.warps, *options.rep)):
        refuse(f"shape {shape[0]}x{shape[1]}, warps and repetitions must be powers of two")
    ops = 32 // (16 if options.operand == "C" else bits)
    dpas = Dpas(options.repeat_count, DEPTH, COLUMNS, ops, LANES, options.warps, options.rep)
    rows, columns = dpas.instruction_shapes[OPERANDS.index(options.operand)]
    if shape[0] < rows or shape[1] < columns:
        refuse(
            f"shape {shape[0]}x{shape[1]} is smaller than operand {options.operand} of one DPAS on "
            f"{options.dtype}, {rows}x{columns}"
        )
    return dpas


def _stages(
    options: Namespace,
    dpas: "Dpas",
    message: "BlockConfiguration",
    bits: int,
    offsets: list[tuple[int, int]],
) -> "Mapping[str, LinearLayout]":
    """Return the stages by name, or none for C, for transposed A and where elements of 32 bits are transposed."""
    from xetile.layout.algebra.identities import identities
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.intel.dpas_layouts import dpas_register_word
    from xetile.targets.xe.device import LANES

    transposed: bool = options.transposed
    operand = OPERANDS.index(options.operand)
    if operand == 2 or (transposed and (operand == 0 or bits > 16)):
        return {}
    shape = dpas.instruction_shapes[operand]
    height, width = shape[::-1] if transposed else shape
    height, width = min(height, message.rows), min(width, message.width)
    counts = (message.rows // height, message.width // width)
    word = dpas_register_word("ab"[operand], ops_per_channel=dpas.ops_per_channel)
    if transposed:
        width = width * bits // 32
    else:
        height = min(height, height * width // LANES // word)
    tile = identities(("offset", "dim1", width), ("offset", "dim0", height))
    tile = tile.transpose_outs(["dim0", "dim1"])
    order = (1 - operand, operand) if transposed else (operand, 1 - operand)
    repeated = identities(*(("iteration", f"dim{d}", counts[d]) for d in order))
    iterations = tile * repeated
    starts = [offsets[1 << n] for n in range(len(offsets).bit_length() - 1)]
    steps = [(at[operand], at[1 - operand]) for at in starts if any(at)]
    sizes = dict(iterations.out_dims)
    if steps:
        extents = (options.shape[operand], options.shape[1 - operand])
        sizes = {d: max(n, e) for (d, n), e in zip(sizes.items(), extents, strict=True)}
    bases = {**iterations.bases, "load": steps}
    loads = LinearLayout.from_bases(bases, sizes, require_surjective=False)
    return {"tile": tile, "iterations": iterations, "loads": loads}


def _configuration(report: _Report) -> dict[str, int]:
    """Return the message in the words that it moves: A of 8 bits is moved as 16 bits, a transpose as 32."""
    from xetile.layout.intel.message_layouts import register_word

    rows, columns, blocks, packed, transposed = report.configuration
    word = 1 if packed else register_word(report.configuration, element_bits=report.bits)
    return {
        "rows": rows,
        "columns": columns // word,
        "blocks": blocks,
        "element_bits": report.bits * word,
        "packed": packed,
        "transposed": transposed,
    }


def _text(report: _Report, *, tables: bool) -> str:
    rows, columns, blocks, bits, packed, transposed = _configuration(report).values()
    kind = ", transposed" if transposed else ", packed" if packed else ""
    many = "1 block" if blocks == 1 else f"{blocks} blocks"
    parts = [
        *_stage_parts(report, tables=tables),
        f"Configuration: {rows} rows x {columns} columns x {many} of {bits} bits{kind}\n",
        f"Messages: {len(report.messages)}\n",
        *(f" - message {n} at {m.at}\n" for n, m in enumerate(report.messages)),
        f"Shuffle: {len(report.messages[0].elements)} elements of each message in each lane\n",
    ]
    for n, (_, registers, elements) in enumerate(report.messages):
        parts.append(
            f" - message {n}: registers {runs(registers)} take elements {runs(elements)}\n"
        )
    return "".join(parts)


def _stage_parts(report: _Report, *, tables: bool) -> list[str]:
    """Return the stages; with `tables` also each stage's offsets, and first the elements that each lane holds."""
    parts: list[str] = []
    if tables:
        moved = report.configuration
        words = 32 // report.bits if moved.packed or moved.transposed else 1
        parts += [
            "Each lane holds, of subgroup 0:\n",
            lane_table(report.layout, max(1, words)),
        ]
    for name, stage in report.stages.items():
        title = "" if name == "tile" else f" after adding {name}"
        parts.append(f"Block load tile layout{title}:{stage}\n")
        if tables:
            parts += _stage_table(stage)
    return parts


def _stage_table(stage: "LinearLayout") -> "Iterator[str]":
    """Yield offsets of the first lane of a tile, else the first and last offset of each load and iteration."""
    from itertools import product

    from xetile.targets.xe.device import LANES

    *more, last = reversed([(name, size - 1) for name, size in stage.in_dims.items()])
    at = (0, last[1]) if more else range(0, last[1], LANES)
    names = [name for name, _ in (*more, last)]
    for numbers in product(*(range(most + 1) for _, most in more), at):
        values = stage.apply(dict(zip(names, numbers, strict=True))).values()
        yield f"{', '.join(map(str, numbers))} : {', '.join(map(str, values))}\n"


def _data(report: _Report) -> dict[str, object]:
    return {
        "stages": {name: layout_data(stage) for name, stage in report.stages.items()} or None,
        "layout": layout_data(report.layout),
        "configuration": _configuration(report),
        "messages": [
            {"offset": list(at), "registers": registers}
            for at, registers, _ in report.messages
        ],
        "shuffle": report.messages[0].elements,
    }
