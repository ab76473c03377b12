"""`xetile-layout block-load`: the stages, the configuration, the messages and the shuffle of a DPAS operand."""

from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, NamedTuple

from xetile.cli.errors import ToolParser
from xetile.cli.layout_output import (
    PROGRAM,
    add_examples,
    add_outputs,
    as_json,
    element_bits,
    layout_data,
    refuse,
    write_outputs,
)
from xetile.cli.values import read_pair
from xetile.layout.algebra.tables import runs
from xetile.targets import DEFAULT, EXAMPLE

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.intel.block_tile import BlockLimits, BlockTile
    from xetile.layout.intel.dpas import Dpas
    from xetile.layout.intel.stages import BlockLoadStages
    from xetile.targets.xe.device import XeDevice

OPERANDS = ("A", "B", "C")
"""Of a matrix product."""

_MOST_REGISTERS = 1 << 16


class _Report(NamedTuple):
    layout: "LinearLayout"
    stages: "BlockLoadStages | None"
    tile: "BlockTile"
    packed: bool
    bits: int
    messages: "list[tuple[int, tuple[int, ...]]]"
    shuffle: tuple[int, ...]


def run(arguments: list[str]) -> int:
    """Run the command; the result is its exit status."""
    options = make_parser().parse_args(arguments)
    report = _report(options)
    tables: bool = options.tables
    if tables and options.json:
        refuse("--tables are text; --json has the layouts that they are read off")
    text = as_json(_data(report)) if options.json else _text(report, tables=tables)
    name = f"{options.dtype} {options.operand} {options.shape[0]}x{options.shape[1]}"
    pictures = [
        (f"{name}: one message", _message_picture(report), report.bits),
        (f"{name}: DPAS", report.layout, report.bits),
    ]
    write_outputs(options, text, pictures)
    return 0


def pair(text: str) -> tuple[int, int]:
    """Two extents, neither 0, of an option."""
    refusal = "must be ROWSxCOLUMNS, such as 32x256"
    extents = read_pair(text, refusal)
    if 0 in extents:
        raise ArgumentTypeError(f"'{text}' {refusal}")
    return extents


def make_parser() -> ToolParser:
    """The command's options."""
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
    from xetile.analysis.targets import device_named, option_called
    from xetile.layout.intel.block_tile import load_tile
    from xetile.layout.intel.tile_messages import message_offsets, message_shuffle

    with option_called("--device"):
        target = device_named(options.device)
    operand = OPERANDS.index(options.operand)
    bits = operand_bits(options, target)
    dpas = _dpas(options, bits)
    layout = dpas.operand_layout(operand, options.shape)
    check_registers(layout)
    limits = _limits(target)
    contiguous = 0 if options.transposed else 1
    tile = load_tile(
        layout, contiguous, element_bits=bits, limits=limits, mask_constancy=options.mask
    )
    if tile is None:
        transposed = "transposed " if options.transposed else ""
        masked = (
            f" under a mask of {options.mask[0]}x{options.mask[1]}" if options.mask else ""
        )
        refuse(
            f"no {transposed}block message fits operand {options.operand} of {options.dtype}{masked}"
        )
    packed = ((operand == 1 and bits < 32) or tile.vnni) and not tile.transposed
    shuffle = message_shuffle(tile, layout, element_bits=bits, packed=packed)
    if shuffle is None:
        refuse("no block message leaves these elements in the lanes that DPAS takes them from")
    _check_device(target, tile, bits, packed=packed)
    stages = _stages(options, dpas, bits, limits)
    return _Report(layout, stages, tile, packed, bits, message_offsets(tile, layout), shuffle)


def check_registers(layout: "LinearLayout") -> None:
    """Refuse tiles that nobody has registers for."""
    registers = layout.in_dim_size("register")
    if registers > _MOST_REGISTERS:
        refuse(f"the tile takes {registers} registers in each lane, at most {_MOST_REGISTERS}")


def operand_bits(options: Namespace, target: "XeDevice") -> int:
    """Bits of the operand's elements, of a type that the device's DPAS takes."""
    types = target.operand_types(options.operand.lower())
    if options.dtype not in types:
        refuse(
            f"DPAS of {target.name} has no operand {options.operand} of type {options.dtype}; "
            f"it has {', '.join(types)}"
        )
    return element_bits(options.dtype)


def _dpas(options: Namespace, bits: int) -> "Dpas":
    """The encoding, whose operand fits into the tile."""
    from xetile.layout.intel.dpas import Dpas
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
    options: Namespace, dpas: "Dpas", bits: int, limits: "BlockLimits"
) -> "BlockLoadStages | None":
    """The stages that Intel's document has: of A, and of B where it is not transposed or has words to transpose."""
    from xetile.layout.intel.stages import MessageLimits, block_load_stages

    operand = OPERANDS.index(options.operand)
    if operand == 2 or (options.transposed and (operand == 0 or bits > 16)):
        return None
    return block_load_stages(
        dpas,
        operand,
        options.shape,
        element_bits=bits,
        limits=MessageLimits(limits.rows, limits.row_bytes),
        transposed=options.transposed,
    )


def _limits(target: "XeDevice") -> "BlockLimits":
    """What a message may be, from the device's table."""
    from xetile.layout.intel.block_tile import BlockLimits

    loads = target.compiled("load", 16)
    transposed = target.compiled("load_transposed", 32)
    stores = target.compiled("store", 16)
    prefetches = target.compiled("prefetch", 16)
    row_bytes = max(c.width for c in loads) * 2
    wide = max(c.width for c in prefetches) * 2
    return BlockLimits(
        rows=max(c.rows for c in loads),
        store_rows=max(c.rows for c in stores),
        row_bytes=row_bytes,
        transposed_row_bytes=max(c.columns for c in transposed) * 4,
        prefetch_row_bytes=wide if wide > row_bytes else 0,
        blocks=max(c.blocks for c in loads),
        block_bytes=row_bytes,
    )


def _check_device(target: "XeDevice", tile: "BlockTile", bits: int, *, packed: bool) -> None:
    access = "load_transposed" if tile.transposed else "load_packed" if packed else "load"
    word = bits * tile.packed
    found = {(c.rows, c.columns, c.blocks) for c in target.compiled(access, word)}
    if (tile.height, tile.width, tile.blocks) not in found:
        refuse(
            f"{target.name} has no {_configuration(tile, bits, packed=packed)} load; "
            "use more repetitions or another operand shape"
        )


def _configuration(tile: "BlockTile", bits: int, *, packed: bool) -> str:
    kind = ", transposed" if tile.transposed else ", packed" if packed else ""
    blocks = "1 block" if tile.blocks == 1 else f"{tile.blocks} blocks"
    return f"{tile.height} rows x {tile.width} columns x {blocks} of {bits * tile.packed} bits{kind}"


def _taken(report: _Report) -> list[tuple[tuple[int, ...], list[tuple[int, int]]]]:
    """Where each message is, and its registers, ascending, with the elements that they take."""
    from xetile.layout.intel.tile_messages import register_order

    order, step = register_order(report.tile), len(report.shuffle)
    return [
        (
            at,
            sorted(
                (order.apply({"register": n * step + e})["register"], element)
                for e, element in enumerate(report.shuffle)
            ),
        )
        for n, (_, at) in enumerate(report.messages)
    ]


def _text(report: _Report, *, tables: bool) -> str:
    parts = _table_parts(report) if tables else []
    if report.stages is not None and not tables:
        parts.append(f"{report.stages}\n")
    parts.append(
        f"Configuration: {_configuration(report.tile, report.bits, packed=report.packed)}\n"
    )
    parts.append(f"Messages: {len(report.messages)}\n")
    for n, (_, at) in enumerate(report.messages):
        parts.append(f" - message {n} at ({at[0]}, {at[1]})\n")
    parts.append(f"Shuffle: {len(report.shuffle)} elements of each message in each lane\n")
    for n, (_, taken) in enumerate(_taken(report)):
        parts += [
            f" - message {n}: registers {runs([r for r, _ in taken])} "
            f"take elements {runs([e for _, e in taken])}\n"
        ]
    return "".join(parts)


def _table_parts(report: _Report) -> list[str]:
    """What each lane holds of one instruction's registers, and the stages with their tables."""
    from xetile.cli.layout_tables import lane_table, stage_tables
    from xetile.targets.xe.device import LANES

    words = 32 // report.bits if report.packed or report.tile.transposed else 1
    parts = ["Each lane holds, of subgroup 0:\n", lane_table(report.layout, max(1, words))]
    if report.stages is None:
        return parts
    listings = str(report.stages).split("\nBlock load tile layout")
    for n, table in enumerate(stage_tables(report.stages, LANES)):
        title = "" if n == 0 else "Block load tile layout"
        parts += [f"{title}{listings[n]}\n", table]
    return parts


def _data(report: _Report) -> dict[str, object]:
    stages = {} if report.stages is None else report.stages._asdict()
    taken = _taken(report)
    return {
        "stages": {name: layout_data(stage) for name, stage in stages.items()} or None,
        "layout": layout_data(report.layout),
        "configuration": {
            "rows": report.tile.height,
            "columns": report.tile.width,
            "blocks": report.tile.blocks,
            "element_bits": report.bits * report.tile.packed,
            "packed": report.packed,
            "transposed": report.tile.transposed,
        },
        "messages": [
            {"offset": list(at), "registers": [register for register, _ in pairs]}
            for at, pairs in taken
        ],
        "shuffle": [element for _, element in taken[0][1]],
    }


def _message_picture(report: _Report) -> "LinearLayout":
    """What one message leaves in registers, its blocks side by side, in the memory's orientation."""
    from xetile.layout.intel.messages import message_layout
    from xetile.layout.intel.tile_messages import tile_configuration
    from xetile.targets.xe.device import LANES

    configuration = tile_configuration(report.tile, packed=report.packed)
    return message_layout(configuration, report.bits, lanes=LANES)
