"""What the page takes for the relatives of an op is what the parents say: every op of every level of a kernel."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page

import xetile
from xetile.explorer.model import Kernel, Model, as_json

pytestmark = [pytest.mark.browser, pytest.mark.ocloc]

EXAMPLE = Path(__file__).parents[3] / "examples/softmax.mlir"
Kin = dict[tuple[int, int], set[tuple[int, int]]]
READ = (
    "(one) => { window.K = X.model.read({ explorations: [one] }).explorations[0].kernels[0] }"
)
DESCENDANTS = """() => JSON.stringify(K.levels.map((one, level) => one.ops.map((_, op) =>
  [...K.kin(level, op)].flatMap(([at, ops]) => (at > level ? [...ops].map((found) => [at, found]) : [])))))"""
FAULTS = {
    "the level above": "K.below = K.below.map((own, level) => (level ? K.below[level - 1] : own))",
    "the first of two": "K.below = K.below.map((own) => own.slice(0, 1))",
    "every level below": "K.below = K.below.map((_, level) => K.levels.map((_, i) => i).filter((i) => i > level))",
}


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return xetile.explore(xetile.parse(EXAMPLE), "bmg").model.kernels[0]


def descendants(kernel: Kernel) -> Kin:
    """By level and op all that came of it, from parents alone."""
    found: Kin = {}
    for at in reversed(range(len(kernel.levels))):
        level = kernel.levels[at]
        for number, op in enumerate(level.ops):
            own = found.setdefault((at, number), set())
            if level.of is not None:
                for parent in op.parents:
                    found.setdefault((level.of, parent), set()).update(own | {(at, number)})
    _join_siblings(kernel, found)
    return found


def _join_siblings(kernel: Kernel, found: Kin) -> None:
    """Of SPIR-V and instructions, which are both made of L: what else came of the same op of L."""
    spirv, instructions = len(kernel.levels) - 2, len(kernel.levels) - 1
    of: dict[int, set[tuple[int, int]]] = {}
    for number, op in enumerate(kernel.levels[instructions].ops):
        for parent in op.parents:
            of.setdefault(parent, set()).add((instructions, number))
    for number, op in enumerate(kernel.levels[spirv].ops):
        for parent in op.parents:
            found[spirv, number] |= of.get(parent, set())


def by_page(page: Page) -> Kin:
    levels = json.loads(
        page.evaluate(DESCENDANTS)
    )  # as text: many small arrays are slow to hand over
    return {
        (level, op): {(at, number) for at, number in own}
        for level, ops in enumerate(levels)
        for op, own in enumerate(ops)
    }


def opened(page: Page, kernel: Kernel) -> None:
    page.goto("about:blank")
    for room, script in (("xetile.layout.show", "f2.js"), ("xetile.explorer", "model.js")):
        page.add_script_tag(content=files(room).joinpath("page", script).read_text("utf-8"))
    model = Model("softmax.mlir", "bmg", {}, [kernel])
    page.evaluate(READ, json.loads(json.dumps(as_json(model))))


def test_relatives_are_those_of_the_parents(page: Page, kernel: Kernel) -> None:
    assert [level.id for level in kernel.levels][-3:] == ["L", "P", "I"]
    opened(page, kernel)
    wanted = descendants(kernel)
    assert by_page(page) == wanted
    page.evaluate("() => { window.BELOW = K.below }")
    for name, fault in FAULTS.items():
        page.evaluate(
            f"() => {{ K.below = BELOW; K.indices = K.levels.map(() => ({{}})); {fault} }}"
        )
        try:
            noticed = by_page(page) != wanted
        except Error:  # the page asks for an op that is not there
            noticed = True
        assert noticed, name
