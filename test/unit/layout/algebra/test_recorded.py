"""Linear layouts against the results that Triton's own unit tests expect."""

import re
from collections.abc import Callable, Mapping
from typing import cast

from xetile.layout.algebra.composition import invert_and_compose_block_local, lstsq
from xetile.layout.algebra.dimensions import supremum
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.algebra.moved_bases import ColumnAction

Recorded = Callable[[str, str], list[object]]
ReadLayout = Callable[[Mapping[str, object]], LinearLayout]
Pairs = list[tuple[str, int]]

NAMES = {
    "eq": "__eq__",
    "mul": "__mul__",
    "toString": "__str__",
    "strided1D": "strided_1d",
    "zeros1D": "zeros_1d",
    "getNumConsecutiveInOut": "num_consecutive_in_out",
    "getFreeVariableMasks": "free_variable_masks",
    "contiguousElemsAlongOutputDim": "contiguous_elems_along_out_dim",
}


def _apply_action(text: str, layout: LinearLayout) -> LinearLayout:
    found = re.fullmatch(r"ColumnAction\(\[(.*)\], (\w+), (\d+)\)", text)
    assert found is not None
    positions = [int(part) for part in found[1].split(",")]
    return ColumnAction(positions, found[2], int(found[3])).apply(layout)


FUNCTIONS: dict[str, Callable[..., object]] = {
    "supremum": supremum,
    "lstsq": lstsq,
    "invertAndComposeBlockLocal": invert_and_compose_block_local,
    "strided1D": LinearLayout.strided_1d,
    "zeros1D": LinearLayout.zeros_1d,
    "ColumnAction.apply": _apply_action,
}


def _call(operation: str, arguments: list[object]) -> object:
    if operation in FUNCTIONS:
        return FUNCTIONS[operation](*arguments)
    name = NAMES.get(operation) or re.sub(
        "[A-Z]", lambda found: f"_{found[0].lower()}", operation
    )
    return getattr(arguments[0], name)(*arguments[1:])


def _plain(value: object) -> object:
    """Masks by dim as the recorded list of pairs."""
    if not isinstance(value, dict):
        return value
    return [[name, mask] for name, mask in cast("dict[str, int]", value).items()]


def test_recorded_operations(recorded: Recorded, recorded_layout: ReadLayout) -> None:
    def read(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return recorded_layout(cast("Mapping[str, object]", value))

    ran: set[str] = set()
    for case in cast("list[dict[str, object]]", recorded("linear_layout_cases", "api")):
        operation = cast("str", case["op"])
        ran.add(operation)
        if operation == "apply":
            layout = recorded_layout(cast("Mapping[str, object]", case["layout"]))
            for point, image in cast("list[tuple[Pairs, Pairs]]", case["points"]):
                assert layout.apply(dict(point)) == dict(image), case["test"]
            continue
        arguments = [read(argument) for argument in cast("list[object]", case["args"])]
        assert _plain(_call(operation, arguments)) == read(case["result"]), (operation, case)
    assert len(ran) >= 30
