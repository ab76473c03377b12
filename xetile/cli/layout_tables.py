"""Tables of indices, as Intel's document on block loads has them: where offsets lie, and what each work-item holds."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.intel.stages import BlockLoadStages


def lane_table(layout: "LinearLayout", word: int) -> str:
    """A row for each register word, a column for each lane; elements of one word stand side by side."""
    lanes = layout.in_dim_size("lane")
    registers = layout.in_dim_size("register")
    others = dict.fromkeys(layout.in_dim_names, 0)

    def cell(first: int, lane: int) -> str:
        held = (
            layout.apply({**others, "register": first + n, "lane": lane}) for n in range(word)
        )
        return " : ".join(", ".join(map(str, at.values())) for at in held)

    lines = [_row([f"WI {lane}" for lane in range(lanes)]), _row([":---:"] * lanes)]
    lines += [
        _row([cell(first, lane) for lane in range(lanes)])
        for first in range(0, registers, word)
    ]
    return "".join(lines)


def stage_tables(stages: "BlockLoadStages", lanes: int) -> list[str]:
    """Below each stage: offsets of the first lane, then the first and the last offset of iterations and loads."""
    tile = stages.tile
    last = tile.in_dim_size("offset") - 1
    first_lane = [
        _line((offset,), tile.apply({"offset": offset})) for offset in range(0, last, lanes)
    ]
    ends = (0, last)
    iterations, loads = stages.iterations, stages.loads
    steps = range(iterations.in_dim_size("iteration"))
    of_iterations = [
        _line((n, at), iterations.apply({"iteration": n, "offset": at}))
        for n in steps
        for at in ends
    ]
    of_loads = [
        _line((load, n, at), loads.apply({"load": load, "iteration": n, "offset": at}))
        for load in range(loads.in_dim_size("load"))
        for n in steps
        for at in ends
    ]
    return ["".join(lines) for lines in (first_lane, of_iterations, of_loads)]


def _line(numbers: tuple[int, ...], at: dict[str, int]) -> str:
    return f"{', '.join(map(str, numbers))} : {', '.join(map(str, at.values()))}\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
