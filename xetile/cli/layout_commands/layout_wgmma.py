"""`xetile-layout wgmma`: an operand of Hopper's wgmma in shared memory: layout, atom, offsets, descriptor."""

import re
from argparse import Namespace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from xetile.cli.frame.option_values import read_number, read_pair
from xetile.cli.frame.tools import ToolParser
from xetile.cli.layout_commands.layout_output import (
    PROGRAM,
    add_examples,
    add_outputs,
    as_json,
    element_bits,
    layout_data,
    refuse,
    tensor_type,
    write_outputs,
)

if TYPE_CHECKING:
    from xetile.layout.nvidia.canonical import Tiles
    from xetile.layout.nvidia.wgmma import Descriptor, Operand
    from xetile.layout.nvidia.wgmma_legality import Match


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = make_parser().parse_args(arguments)
    _check_question(options)
    if options.descriptor is not None:
        return _decoded(options)
    if options.l is not None:
        return _matched(options)
    return _operand(options)


def _check_question(options: Namespace) -> None:
    """Raise if options of two questions are given at once."""
    asked = ("descriptor", "l", "dtype")
    given = [name for name in asked if getattr(options, name) is not None]
    if len(given) > 1:
        refuse(
            f"{_flag(given[0])} and {_flag(given[1])} ask two different questions; give one"
        )


def _flag(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"


_NO_NUMBER = "is no number; write one such as 1024 or 0x400"
_number = partial(read_number, refusal=_NO_NUMBER, base=0)
_pair = partial(read_pair, refusal="must be MNxK, such as 64x16")


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        f"{PROGRAM} wgmma",
        "Shows a canonical layout (--dtype, --major, --swizzle, --shape), what wgmma makes of a layout in "
        "shared memory (-l, -t, --operand), or the fields of a --descriptor.",
    )
    add = parser.add_argument
    add("--dtype", metavar="TYPE", help="element type, such as bf16, tf32, f8E4M3FN")
    add("--major", choices=("K", "MN"), help="the contiguous dimension")
    add("--swizzle", type=_number, metavar="BYTES", help="0, 32, 64 or 128")
    add("--shape", type=_pair, metavar="MNxK", help="the tile, in elements")
    add(
        "--leading",
        type=_number,
        metavar="BYTES",
        help="leading byte offset; else without gaps",
    )
    add(
        "--stride", type=_number, metavar="BYTES", help="stride byte offset; else without gaps"
    )
    add(
        "--start", type=_number, default=0, metavar="ADDRESS", help="of the tile; 0 by default"
    )
    add("--base-offset", type=_number, default=0, metavar="N", help="0 to 7; 0 by default")
    add("-l", metavar="ATTRIBUTE", help="a layout in shared memory")
    add("-t", metavar="TENSOR", help="its tensor's type, such as tensor<64x64xbf16>")
    add(
        "--operand",
        choices=("A", "B"),
        default="A",
        help="of the matrix product; A by default",
    )
    add("--descriptor", type=_number, metavar="VALUE", help="a descriptor to take apart")
    add_outputs(parser)
    add_examples(
        parser,
        "wgmma --dtype bf16 --major K --swizzle 128 --shape 64x64",
        "wgmma --descriptor 0x4000004000010000",
        "wgmma -t 'tensor<128x64xbf16>' -l '#ttg.nvmma_shared<{swizzlingByteWidth = 128, \\\n"
        "    transposed = false, elementBitWidth = 16}>'",
    )
    return parser


def _decoded(options: Namespace) -> int:
    from xetile.layout.nvidia.wgmma import Descriptor

    descriptor = Descriptor.decode(options.descriptor)
    text = as_json(descriptor._asdict()) if options.json else _fields(descriptor) + "\n"
    if options.svg is not None or options.html is not None:
        refuse("a descriptor has no drawing")
    write_outputs(options, text, [])
    return 0


def _operand(options: Namespace) -> int:
    from xetile.layout.nvidia.canonical import tiles_of
    from xetile.layout.nvidia.wgmma import Operand, swizzle_atom

    for name in ("dtype", "major", "swizzle", "shape"):
        if getattr(options, name) is None:
            refuse(f"--{name} is needed, or -l ATTRIBUTE, or --descriptor VALUE")
    bits = element_bits(options.dtype)
    _refuse_parts_of_bytes(options.dtype)
    operand = Operand.compact(bits, options.major, options.swizzle, options.shape)
    for name in ("leading", "stride"):
        if getattr(options, name) is not None:
            operand = operand._replace(**{name: getattr(options, name)})
    report = _Report(operand, options.shape, tiles_of(operand, options.shape), options)
    text = as_json(_operand_data(report)) if options.json else _operand_text(report)
    name = f"{options.dtype} {options.major}-major, {options.swizzle} bytes: atom"
    picture = swizzle_atom(bits, options.major, options.swizzle)
    write_outputs(options, text, [(name, picture, bits)])
    return 0


class _Report(NamedTuple):
    operand: "Operand"
    shape: tuple[int, int]
    tiles: "Tiles"
    options: Namespace

    @property
    def descriptors(self) -> "list[Descriptor]":
        """Return a descriptor for each tile."""
        base: int = self.options.base_offset
        starts = [self.options.start + n * self.tiles.step for n in range(self.tiles.number)]
        return [self.operand.descriptor(start, base_offset=base) for start in starts]


def _operand_text(report: _Report) -> str:
    from xetile.layout.nvidia.canonical import exact_text, parameters, why_no_layout

    operand, tiles = report.operand, report.tiles
    found = parameters(operand, tiles.shape)
    said = ", ".join(f"{name} = {value}" for name, value in found.items())
    lines = [f"Canonical layout: {operand.text}"]
    if all(found.values()):
        lines.append(f"Exact layout: {exact_text(operand, tiles.shape)} with {said}")
    lines.append(f"Atom: {_atom_text(operand)}")
    if operand.major == "MN" and operand.element_bits != 16:
        lines.append("No instruction reads it: MN-major operands have 16-bit elements")
    first, *others = report.descriptors
    if tiles.number > 1:
        lines.append(
            f"Tiles: {tiles.number} along K of {tiles.shape[0]} x {tiles.shape[1]} elements, "
            f"{tiles.step} bytes apart, each with a descriptor of its own"
        )
        reason = why_no_layout(operand, report.shape)
        lines += [] if reason is None else [f"No single tile: {reason}"]
    lines.append(_fields(first))
    lines += [
        f"Descriptor of k={n * tiles.shape[1]}: {descriptor.encode():#018x}"
        for n, descriptor in enumerate(others, 1)
    ]
    return "\n".join([*lines, f"Byte offsets:{tiles.layout}"]) + "\n"


def _atom_text(operand: "Operand") -> str:
    mn, k = operand.atom
    units = (mn, k // operand.unit) if operand.major == "K" else (mn // operand.unit, k)
    return f"{mn} x {k} elements (mn x k), {units[0]} x {units[1]} units of 128 bits"


def _fields(descriptor: "Descriptor") -> str:
    return (
        f"Descriptor: {descriptor.encode():#018x}\n"
        f" - start address {descriptor.start}\n"
        f" - leading byte offset {descriptor.leading}, encoded {descriptor.leading >> 4}\n"
        f" - stride byte offset {descriptor.stride}, encoded {descriptor.stride >> 4}\n"
        f" - base offset {descriptor.base_offset}\n"
        f" - swizzle {descriptor.swizzle} bytes"
    )


def _operand_data(report: _Report) -> dict[str, object]:
    from xetile.layout.nvidia.canonical import exact_text, parameters, why_no_layout

    operand, tiles = report.operand, report.tiles
    first, *others = report.descriptors
    return {
        "canonical": operand.text,
        "exact": exact_text(operand, tiles.shape),
        "parameters": parameters(operand, tiles.shape),
        "atom": list(operand.atom),
        **_descriptor_data(first),
        "tiles": {"shape": list(tiles.shape), "count": tiles.number, "step": tiles.step},
        "other_descriptors": [f"{descriptor.encode():#018x}" for descriptor in others],
        "no_single_tile": why_no_layout(operand, report.shape) if others else None,
        "layout": layout_data(tiles.layout),
    }


def _descriptor_data(descriptor: "Descriptor") -> dict[str, object]:
    return {"descriptor": f"{descriptor.encode():#018x}", "fields": descriptor._asdict()}


def _refuse_parts_of_bytes(element: str) -> None:
    if re.match(r"[a-z]*[14](?!\d)", element):
        refuse(f"elements of {element} share bytes; the layouts are of 8, 16 and 32 bits")


def _matched(options: Namespace) -> int:
    from xetile.layout.nvidia.wgmma_legality import match_operand
    from xetile.layout.text.attribute_text import layout_of

    if options.t is None:
        refuse("must specify the tensor type argument -t, such as tensor<64x64xbf16>")
    tensor = tensor_type(options.t)
    _refuse_parts_of_bytes(tensor.element)
    layout = layout_of(options.l, tensor.shape)
    match = match_operand(layout, tensor.element_bits, "a" if options.operand == "A" else "b")
    descriptor = match.operand.descriptor(options.start, base_offset=options.base_offset)
    if options.json:
        found = {
            "canonical": match.operand.text,
            "extent": match.extent,
            "starts": [list(row) for row in match.starts],
        }
        text = as_json(found | _descriptor_data(descriptor))
    else:
        text = _match_text(match, descriptor)
    name = f"{options.l.partition('<')[0]} {'x'.join(map(str, tensor.shape))}"
    write_outputs(options, text, [(name, layout, tensor.element_bits)])
    return 0


def _match_text(match: "Match", descriptor: "Descriptor") -> str:
    operand = match.operand
    lines = [
        f"Operand: {operand.major}-major, {operand.element_bits} bits, {match.extent} of MN at once",
        f"Canonical layout: {operand.text}",
        _fields(descriptor),
        "Starts of the instructions along K, in bytes before swizzling:",
    ]
    lines += [
        f" - mn {n * match.extent}: {', '.join(map(str, row))}"
        for n, row in enumerate(match.starts)
    ]
    return "\n".join(lines) + "\n"
