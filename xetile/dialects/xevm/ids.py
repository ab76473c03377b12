"""Ids and sizes of XeVM, one lane's view."""

import re

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from xetile.dialects.formats import present
from xetile.dialects.upstream.llvm import ConstantRangeAttr


class _IdOp(IRDLOperation):
    """An id or a size as an integer."""

    range = opt_prop_def(ConstantRangeAttr)
    res = result_def(EqAttrConstraint(i32) | EqAttrConstraint(i64))

    traits = traits_def(Pure())

    def __init__(self, type: Attribute = i32, *, range: ConstantRangeAttr | None = None) -> None:
        super().__init__(result_types=[type], properties=present(range=range))

    @classmethod
    def parse(cls, parser: Parser) -> "IRDLOperation":
        """Read `range <i32, 0, 16> {...} : i32`."""
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("range") is not None:
            properties["range"] = ConstantRangeAttr.new(ConstantRangeAttr.parse_parameters(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            result_types=[parser.parse_type()], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.range is not None:
            printer.print_string(" range ")
            self.range.print_parameters(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


def _id_op(mnemonic: str) -> type[_IdOp]:
    words = re.split(r"[._]", mnemonic)
    name = "".join(word.capitalize() for word in words) + "Op"
    return irdl_op_definition(
        type(name, (_IdOp,), {"name": f"xevm.{mnemonic}", "__doc__": f"`xevm.{mnemonic} : i32`."})
    )


ID_OPS = [
    _id_op(mnemonic)
    for mnemonic in (
        *(f"{k}.{d}" for k in ("local_id", "local_size", "group_id", "group_count") for d in "xyz"),
        "lane_id",
        "subgroup_id",
        "subgroup_size",
    )
]
"""One op per id, and per axis where it has axes."""
