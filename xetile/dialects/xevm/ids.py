"""Ids and sizes of XeVM, one lane's view."""

import re

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from xetile.dialects.formats import present, sorted_op
from xetile.dialects.upstream.llvm import ConstantRangeAttr


class _IdOp(IRDLOperation):
    """An id or a size as an integer."""

    range = opt_prop_def(ConstantRangeAttr)
    res = result_def(EqAttrConstraint(i32) | EqAttrConstraint(i64))

    traits = traits_def(Pure())

    assembly_format = "(`range` $range^)? attr-dict `:` type($res)"

    def __init__(
        self, type: Attribute = i32, *, range: ConstantRangeAttr | None = None
    ) -> None:
        super().__init__(result_types=[type], properties=present(range=range))


def _id_op(mnemonic: str) -> type[_IdOp]:
    words = re.split(r"[._]", mnemonic)
    name = "".join(word.capitalize() for word in words) + "Op"
    return sorted_op(
        type(
            name,
            (_IdOp,),
            {"name": f"xevm.{mnemonic}", "__doc__": f"`xevm.{mnemonic} : i32`."},
        )
    )


ID_OPS = [
    _id_op(mnemonic)
    for mnemonic in (
        *(
            f"{k}.{d}"
            for k in ("local_id", "local_size", "group_id", "group_count")
            for d in "xyz"
        ),
        "lane_id",
        "subgroup_id",
        "subgroup_size",
    )
]
"""One op per id, and per axis where it has axes."""
