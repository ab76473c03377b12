"""`xetile-kernel`: write the IR of a kernel from a family, to be read, changed and compiled.

The family is the GEMM of `gemm_module`, or a kernel of the library, whose parameters are options. The command warns if
the tiles of a GEMM do not fit into a thread's registers.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Any, cast, get_args, get_type_hints

from xetile.cli.frame.inputs_outputs import STANDARD, write_output
from xetile.cli.frame.option_values import read_number, read_pair
from xetile.cli.frame.tools import ToolParser, run_tool
from xetile.errors import XetileError, collected_remarks, remember_source
from xetile.targets import DEFAULT

if TYPE_CHECKING:
    from xetile.language import ArrayType, Kernel, Specialised

NAMES: Mapping[str, str] = {
    "softmax": "softmax of rows",
    "layer_norm": "layer norm of rows",
    "rms_norm": "RMS norm of rows",
    "reduce": "sums, products and extremes along rows or columns",
    "transpose": "the transpose of a matrix",
    "flash_attention": "attention in one pass over the keys",
    "dequantised_gemm": "a product with weights of few bits",
    "embedding": "rows of a table by their numbers",
}
"""Kernels that are specialized by types of arrays, with what they compute."""

_OF_ARRAYS = """types such as 4096x256xf16; MxNxf16 where extents are known at the call; 256x4096xf16.T of a
column-major array"""

_LAYOUT = partial(
    read_pair, refusal="is no layout of subgroups; write ROWSxCOLUMNS, such as 8x4"
)
_NUMBER = partial(read_number, refusal="is no whole number")


def _library_parser(name: str) -> ToolParser:
    """Return the parser of the options of one kernel of the library."""
    kernel = _kernel(name)
    parser = ToolParser(f"{PROGRAM} {name}", getdoc(kernel.__wrapped__) or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    arrays = parser.add_argument_group(
        "arrays",
        _OF_ARRAYS,
    )
    for argument in kernel.parameters.arguments:
        required = argument not in kernel.parameters.optional
        arrays.add_argument(f"--{argument}", metavar="TYPE", type=_array, required=required)
    constants = parser.add_argument_group("constants")
    hints = get_type_hints(kernel.__wrapped__)
    for constant, parameter in signature(kernel.__wrapped__).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            _add_constant(constants, constant, hints[constant], parameter.default)
    constants.add_argument(
        "--sg-layout",
        metavar="ROWSxCOLUMNS",
        type=_LAYOUT,
        help="subgroups along rows and columns",
    )
    parser.add_argument(
        "-o", metavar="OUT", dest="output", help="file to write; else standard output"
    )
    return parser


def _specialised(name: str, options: Mapping[str, Any]) -> "Specialised":
    """Return the kernel that the options specify.

    Raise XetileError in the language's terms.
    """
    kernel = _kernel(name)
    known = (*kernel.parameters.arguments, *kernel.parameters.constants, "sg_layout")
    return kernel.specialize(
        **{option: options[option] for option in known if options[option] is not None}
    )


def _kernel(name: str) -> "Kernel":
    from xetile import kernels

    return getattr(kernels, name)


def _add_constant(group: Any, name: str, hint: Any, default: Any) -> None:
    shown = "none" if default is None else _named(default)
    if hint is bool:
        group.add_argument(f"--{name}", action="store_true", help="not by default")
        return
    kinds = get_args(hint) or (hint,)
    how: dict[str, Any] = {"metavar": "NAME", "type": partial(_choice, name)}
    if int in kinds:
        how = {"metavar": "N", "type": _NUMBER}
    elif float in kinds:
        how = {"metavar": "X", "type": float}
    group.add_argument(f"--{name}", help=f"{shown} by default", default=default, **how)


def _choices(name: str) -> Mapping[str, object]:
    from xetile.kernels.reduce import KINDS

    return {"kind": KINDS}[name]


def _choice(name: str, text: str) -> object:
    known = _choices(name)
    if text not in known:
        raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(known)}")
    return known[text]


def _named(value: object) -> str:
    from xetile.kernels.reduce import KINDS

    return next((name for name, kind in KINDS.items() if kind is value), str(value))


def _array(text: str) -> "ArrayType":
    from xetile.language.types import ELEMENTS, ArrayType

    *extents, name = text.removesuffix(".T").split("x")
    element = next((one for one in ELEMENTS if one.name == name), None)
    if element is None or not extents:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no type of an array; write one such as 4096x256xf16"
        )
    sizes = tuple(int(extent) if extent.isdigit() else extent for extent in extents)
    try:
        found = ArrayType(element, sizes)
    except XetileError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return found.T if text.endswith(".T") else found


_NEARLY = 15 / 16
"""The part of the registers that A, B and the sums may occupy before the GEMM is compiled to check for spills."""


def _warn_of_spills(request: dict[str, Any], text: str, name: str) -> None:
    """Warn if the text of a GEMM, in the file `name`, has a tile that will spill.

    The text is compiled for the default device, since devices differ little in spills. An input that no device accepts
    is left to the command that compiles it.
    """
    from xetile.targets.xe.device import MOST_HELD

    if _registers(request) <= MOST_HELD["large"] * _NEARLY:
        return
    from xetile.api import lower, parse_text
    from xetile.dialects.modules import context
    from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM

    remember_source(name, text)
    try:
        with collected_remarks():
            lowered = lower(parse_text(text, name), to="xevm", device=DEFAULT)
        ConvertXeVMToLLVM(DEFAULT).apply(context(), lowered)
    except XetileError:
        return


def _registers(request: dict[str, Any]) -> int:
    """Return the registers of A, B and the sums of one subgroup in one K step."""
    from xetile.dialects.xetile.tile_type import memory_bits
    from xetile.kernels.gemm_module import TYPES
    from xetile.planning.xe.pressure.fitting_tiles import ProductTile

    a, b = request["a"], request["b"] or request["a"]
    names = (a, b, request["accumulator"])
    bits = [memory_bits(TYPES[name].attribute) or 0 for name in names]
    (m, n), k = request["subgroup_tile"], request["k_step"]
    return ProductTile(m, n, k, *bits, depth=k).registers


PROGRAM = "xetile-kernel"
_NOT_THE_KERNEL = ("debug", "version", "family", "output")


_tile = partial(read_pair, refusal="is no tile; write ROWSxCOLUMNS, such as 256x256")
_number = partial(read_number, refusal="is no whole number")


def make_parser() -> ToolParser:
    """Return the parser of the command's options."""
    parser = ToolParser(
        PROGRAM, "Writes the workgroup-level IR of a kernel.", has_version=True
    )
    listed = "".join(f"; {name}: {what}" for name, what in NAMES.items())
    help = f"what the kernel computes, NAME --help has its options; gemm: C = A * B{listed}"
    parser.add_argument("family", choices=("gemm", *NAMES), metavar="NAME", help=help)
    _add_gemm(parser.add_argument_group("gemm").add_argument)
    parser.add_argument(
        "-o", metavar="OUT", dest="output", help="file to write; else standard output"
    )
    return parser


def _add_gemm(add: Callable[..., object]) -> None:
    """Add a flag for each parameter of `gemm_module`, with its default."""
    from xetile.kernels import gemm_module

    parameters = signature(gemm_module).parameters

    def flag(name: str, meaning: str, **how: Any) -> None:
        parameter = how.pop("of", name)
        default = parameters[parameter].default
        required = default is Parameter.empty
        if not required and default is not None:
            meaning += f"; {_shown(default)} by default"
            how["default"] = default
        add(f"--{name}", required=required, dest=parameter, help=meaning, **how)

    flag("m", "rows of A and C", type=_number)
    flag("n", "columns of B and C", type=_number)
    flag("k", "columns of A, rows of B", type=_number)
    flag("a", "element type of A, such as f16, bf16, i8", metavar="TYPE")
    flag("b", "element type of B; that of A by default", metavar="TYPE")
    flag("acc", "element type of the accumulator", metavar="TYPE", of="accumulator")
    flag("c", "element type of C; that of the accumulator by default", metavar="TYPE")
    flag("wg", "a workgroup's tile of C", type=_tile, metavar="MxN", of="workgroup_tile")
    flag("sg", "a subgroup's tile of C", type=_tile, metavar="MxN", of="subgroup_tile")
    flag("k-step", "how much of K one round of the loop takes", type=_number, of="k_step")
    ahead = "prefetch so many K steps ahead; none by default"
    flag("prefetch", ahead, type=_number, metavar="DISTANCE")


def _shown(default: object) -> str:
    """Return a default as a user types it."""
    if isinstance(default, tuple):
        return "x".join(map(str, cast("tuple[int, ...]", default)))
    return str(default)


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in NAMES:
        return _write_library_kernel(arguments[0], arguments[1:])
    options = make_parser().parse_args(arguments)
    from xetile.api import text
    from xetile.kernels import gemm_module

    request = {
        name: value for name, value in vars(options).items() if name not in _NOT_THE_KERNEL
    }
    made = text(gemm_module(**request))
    write_output(options.output, made, by=PROGRAM)
    written = options.output not in (None, STANDARD)
    _warn_of_spills(request, made, options.output if written else "<stdout>")
    return 0


def _write_library_kernel(name: str, arguments: list[str]) -> int:
    options = vars(_library_parser(name).parse_args(arguments))
    made = _specialised(name, options)
    write_output(options["output"], f"{made}\n", by=PROGRAM)
    return 0


main = partial(run_tool, PROGRAM, _run)
