"""What the tools that plant faults have in common: options, and judges that work side by side."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")
Place = TypeVar("Place")
Result = TypeVar("Result")


def fault_parser(
    description: str, *, count: int, at_least: int, found: str
) -> argparse.ArgumentParser:
    """The options that say which faults are planted, and how many must be found."""
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("--seed", type=int, default=0, help="which faults (0)")
    add("--count", type=int, default=count, help=f"how many faults ({count})")
    add(
        "--at-least", type=int, default=at_least, help=f"how many must be {found} ({at_least})"
    )
    add("--only", type=int, metavar="N", help="only the fault of this number in the table")
    add("--list", action="store_true", help="show the faults and plant none")
    add("--jobs", type=int, default=2, help="processes (2)")
    return parser


def judge_all(
    items: Iterable[Item], places: Sequence[Place], judge: Callable[[Item, Place], Result]
) -> list[Result]:
    """What the judge says of each item; at each place one is judged at a time."""
    free: SimpleQueue[Place] = SimpleQueue()
    for place in places:
        free.put(place)

    def one(item: Item) -> Result:
        place = free.get()
        try:
            return judge(item, place)
        finally:
            free.put(place)

    with ThreadPoolExecutor(len(places)) as pool:
        return list(pool.map(one, items))
