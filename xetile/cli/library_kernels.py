"""Kernels of the library by their names, their parameters as options of a command line."""

import argparse
from collections.abc import Mapping
from functools import partial
from inspect import getdoc, signature
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from xetile.cli.frame.option_values import read_number, read_pair
from xetile.cli.frame.tools import ToolParser
from xetile.errors import XetileError

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
"""Those that are specialised by types of arrays, with what they compute."""

_OF_ARRAYS = """types such as 4096x256xf16; MxNxf16 where extents are known at the call; 256x4096xf16.T of a
column-major array"""

_LAYOUT = partial(
    read_pair, refusal="is no layout of subgroups; write ROWSxCOLUMNS, such as 8x4"
)
_NUMBER = partial(read_number, refusal="is no whole number")


def make_parser(program: str, name: str) -> ToolParser:
    """The options of one kernel."""
    kernel = _kernel(name)
    parser = ToolParser(f"{program} {name}", getdoc(kernel.__wrapped__) or "")
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


def specialised(name: str, options: Mapping[str, Any]) -> "Specialised":
    """The kernel that options ask for.

    Errors: XetileError in words of the language.
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
