"""Attributes of the spirv dialect, which xDSL 0.74 lacks, as they are written (test_spirv.py tells when it has them).

Intel's kernels carry them, no pass here reads them. What SPIR-V needs of a target is known
from the device; see `xetile/codegen`.
"""

import re
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xetile.parser import Parser

_ALIAS = re.compile(r"[#!][A-Za-z_]\w*(?![\w.$])")


class _Verbatim(ParametrizedAttribute):
    """An attribute whose text between `<` and `>` is kept."""

    body: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the text up to the bracket that closes it."""
        assert isinstance(parser, Parser)
        start = parser.pos
        body = parser.parse_verbatim()
        if found := _ALIAS.search(body):
            parser.raise_error(
                f"{found[0]} is an alias inside of #{cls.name}, which is kept as text; write it out",
                start,
                parser.pos,
            )
        return [StringAttr(body)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.body.data}>")


def _verbatim(name: str) -> type[_Verbatim]:
    members = {"__module__": __name__, "name": f"spirv.{name}"}
    made = type(f"{name.title().replace('_', '')}Attr", (_Verbatim,), members)
    return irdl_attr_definition(cast("type[_Verbatim]", made))


SPIRV = Dialect(
    "spirv",
    [],
    [_verbatim(name) for name in ("target_env", "entry_point_abi", "resource_limits", "vce")],
)
