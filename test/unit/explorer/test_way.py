"""The pictures of a tile's way, in a page of the f16 GEMM: what is shown, said, clicked, dragged, typed and stepped."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Position, expect

from xetile.api import parse
from xetile.errors import kept_remarks
from xetile.explorer import explore
from xetile.explorer.model import as_json
from xetile.explorer.page.single_file import page as built
from xetile.kernels.gemm_module import gemm_module

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).parents[3] / "examples"
SELECT = """([name, subgroup, element]) => {
  const K = X.main.panes.kernel;
  const value = K.levels[0].values.findIndex((_, v) => K.nameOf(0, v) === name);
  X.state.set({ selections: [[0, K.levels[0].values[value][0], value]] });
  X.state.set({ subgroup, element });
}"""


@cache
def html(name: str) -> str:
    model = explore(parse((EXAMPLES / name).read_text()), "bmg", assembly=False).model
    return built([json.loads(json.dumps(as_json(model)))])


def opened(page: Page, folder: Path, name: str = "gemm_f16_plain.mlir") -> Page:
    file = folder / "page.html"
    file.write_text(html(name), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_selector("#way .told")
    return page


def written(folder: Path, text: str) -> str:
    """The address of a page."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    return file.as_uri()


def select(page: Page, name: str, subgroup: int, element: list[int] | None) -> None:
    page.evaluate(SELECT, [name, subgroup, element])


def labels(page: Page) -> list[str]:
    """What the pictures are called, from left to right."""
    found = page.locator("#way .stage .picture:first-of-type")
    return [one.get_attribute("aria-label") or "" for one in found.all()]


def state(page: Page) -> dict[str, Any]:
    return page.evaluate("() => ({ ...X.state.get(), folded: null })")


def test_a_tile_is_shown_on_its_way_from_the_workgroup_to_the_product(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    said = page.locator("#way .told")
    expect(said).to_contain_text("%b[5, 101]: subgroup 5 (also 1, 9, 13 and 4 more)")
    expect(said).to_contain_text("[5, 37] of its tile, lane 5")
    expect(said).to_contain_text(
        "loaded by message 2 of 2 (K 0-31, N 32-63; packed: rows that follow one another share 32-bit words)"
    )
    expect(said).to_contain_text("used by 4 dpas")
    shown = [label.split(":")[0] for label in labels(page)]
    wanted = (
        "workgroup's",
        "loaded by 2",
        "registers",
        "B of dpas 8x16x16",
        "sum of dpas",
        "stored by 16",
    )
    assert [s[: len(w)] for s, w in zip(shown, wanted, strict=True)] == list(wanted)


def test_an_element_is_typed_in_either_tile(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%b", 0, None)
    page.fill("#way-whole", "5, 101")
    page.press("#way-whole", "Enter")
    assert (state(page)["subgroup"], state(page)["element"]) == (1, [5, 37])
    page.fill("#way-own", "3 4")
    page.press("#way-own", "Enter")
    assert state(page)["element"] == [3, 4]
    page.fill("#way-own", "32, 0")
    page.press("#way-own", "Enter")
    expect(page.locator("#way .told")).to_contain_text(
        "is not in the subgroup's tile of 32x64"
    )
    assert state(page)["element"] == [3, 4]


def test_a_click_chooses_the_subgroup_and_then_the_next_with_the_same(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    cell: Position = {"x": 14 + 7 + 26 * 2 + 8, "y": 70 + 8}
    canvas = page.locator("#way .stage").first.locator("canvas.over").first
    canvas.click(position=cell)
    assert state(page)["subgroup"] == 2
    canvas.click(position=cell)
    assert state(page)["subgroup"] == 6
    expect(page.locator("#way .told")).to_contain_text("%b[5, 165]: subgroup 6")


def test_a_rectangle_is_dragged_and_its_lanes_and_messages_told(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    canvas = page.locator("#way .stage").nth(1).locator("canvas.over").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    page.mouse.move(box["x"] + 40, box["y"] + 76)
    page.mouse.down()
    page.mouse.move(box["x"] + 50, box["y"] + 90, steps=3)
    page.mouse.up()
    (top, left), (bottom, right) = state(page)["rectangle"]
    assert top < bottom
    assert left < right
    said = page.locator("#way .told")
    expect(said).to_contain_text(
        f"%b, {top}-{bottom} x {left}-{right} of the subgroup's tile: lanes "
    )
    lanes = {column % 16 for column in range(left, right + 1)}
    told = (said.text_content() or "").partition("lanes ")[2].partition(";")[0].split(", ")
    runs = [[int(n) for n in run.split("-")] for run in told]
    assert {n for run in runs for n in range(run[0], run[-1] + 1)} == lanes
    expect(said).to_contain_text("loaded by message 1 of 2")


def test_steps_go_along_the_moves_and_frame_what_changes(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    stages = page.locator("#way .stage")
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert state(page)["step"] == 1
    expect(page.locator("#way .stage.changed")).to_have_count(1)
    assert "changed" in (stages.nth(2).get_attribute("class") or "")
    assert "pale" in (stages.nth(0).get_attribute("class") or "")
    expect(page.locator("#way .told .step")).to_contain_text("Step 2 of 5: by messages")
    page.keyboard.press("[")
    page.keyboard.press("[")
    assert state(page)["step"] is None
    expect(page.locator("#way .stage.pale")).to_have_count(0)


def test_what_is_not_known_to_follow_is_not_said(page: Page, tmp_path: Path) -> None:
    """Stores are other tiles' unless they store this one or its sums; lanes are compared of the same tile only."""
    opened(page, tmp_path, "softmax.mlir")
    select(page, "%x", 0, [0, 0])
    assert not any(label.startswith("stored") for label in labels(page))
    select(page, "%y", 0, [0, 0])
    assert any(label.startswith("stored") for label in labels(page))
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    told: list[str] = []
    for _ in range(5):
        page.keyboard.press("]")
        told.append(page.locator("#way .told .step").inner_text())
    renamed = "No lane changes: registers are renamed at most"
    assert [renamed in words for words in told] == [False, False, True, False, False]


def test_a_search_leaves_the_panes_where_they_are(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    top = "() => document.getElementById('panes').getBoundingClientRect().top"
    before = page.evaluate(top)
    page.fill("#search", "load")
    assert page.evaluate(top) == before


def test_every_picture_has_its_matrix_of_bits_and_a_table(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    for stage in page.locator("#way .stage").all():
        assert stage.locator(".picture").count() == 2
    registers = page.locator("#way .stage").nth(2)
    matrix = registers.locator(".picture").nth(1)
    matrix.focus()
    page.keyboard.press("ArrowRight")
    expect(matrix.locator(".said")).to_have_text("register 1 changes K by 1")
    registers.locator(".picture").first.focus()
    page.keyboard.press("t")
    expect(registers.locator("table")).to_be_visible()


def test_what_holds_no_elements_is_told_in_words(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%block_x", 0, None)
    expect(page.locator("#way .told")).to_contain_text(
        "gpu.block_id holds no elements of a tile"
    )
    expect(page.locator("#way .stage")).to_have_count(0)


def test_copies_and_rounds_of_shuffles_are_shown(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, "flash_attention.mlir")
    select(page, "%m_next", 1, [0, 0])
    expect(page.locator("#way .told")).to_contain_text(
        "%m_next[16, 0]: subgroup 1, [0, 0] of its tile, lanes 0-1"
    )
    expect(page.locator("#way figcaption:not(.drawn)").first).to_contain_text(
        "copied, planned: shuffles 8 instructions, shared memory 12"
    )
    assert any("rounds of shuffles" in label for label in labels(page))


def test_lines_of_an_element_are_its_load_and_its_products(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    found = page.evaluate("""() => {
      const K = X.main.panes.kernel;
      return [...X.way.lines(K, X.state.get())].flatMap(([level, ops]) => [...ops].map((op) => K.names[K.levels[level].ops[op][3]]));
    }""")
    assert sorted(found) == ["xevm.blockload2d", *["xevm.mma"] * 4]


@pytest.mark.ocloc
def test_registers_and_instructions_are_those_of_the_assembly(
    page: Page, tmp_path: Path
) -> None:
    model = explore(
        parse((EXAMPLES / "gemm_f16_plain.mlir").read_text()), "bmg", assembly=True
    )
    file = tmp_path / "page.html"
    file.write_text(built([json.loads(model.json())]), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_selector("#way .told")
    select(page, "%b", 5, [5, 37])
    kernel = model.model.kernels[0]
    text = kernel.levels[-1].lines
    said = page.locator("#way .told").text_content() or ""
    register = said.partition("register r")[2].split()[0]
    loads, _, products = said.partition("used by 4 dpas in each of 16 unrolled steps")
    first = int(loads.rpartition("32-bit words)line ")[2].split("line")[0])
    assert "load_block2d" in text[first - 1]
    # the second message begins two registers of packed rows before row 5
    assert f" r{int(register) - 2} " in text[first - 1]
    product = int(products.split("line ")[1].split("line")[0])
    assert "dpas" in text[product - 1]
    assert f"r{int(register) - 2}:hf" in text[product - 1]
    expect(page.locator("#costs")).to_contain_text("dpas")


def test_the_page_opens_with_a_tile_of_the_longest_way_seen_at_once(
    page: Page, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1600, "height": 1000})
    opened(page, tmp_path)
    kernel = "X.main.panes.kernel"
    name = page.evaluate(f"{kernel}.nameOf(0, X.state.get().selections[0][2])")
    assert name in ("%a", "%b")
    assert len(labels(page)) == 6
    seen = page.evaluate(
        "() => [...document.querySelectorAll('#way .stage canvas')].map((one) => "
        "one.getBoundingClientRect().bottom <= document.getElementById('status').getBoundingClientRect().top)"
    )
    assert seen
    assert all(seen)


def test_a_typed_layout_is_drawn_as_not_compiled_and_its_other_lanes_hatched(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    select(page, "%b", 0, [0, 0])
    page.evaluate(
        "() => X.state.set({ whatif: { text: 'x', holding: null, hatched: [{ element: [0, 1], ink: 'conflict', hatched: true }],"
        " layout: { in: { register: [[1, 0]], lane: [[0, 1], [0, 2]] }, out: { K: 2, N: 4 } } } })"
    )
    typed = page.locator("#way .stage.as-typed")
    expect(typed).to_have_count(1)
    expect(typed.locator(".picture").first).to_have_attribute(
        "aria-label", re.compile("^not compiled")
    )
    page.evaluate("() => X.state.set({ whatif: null })")
    expect(typed).to_have_count(0)
    expect(page.locator("#way .stage")).to_have_count(6)


def test_messages_of_a_column_major_tile_are_those_that_fill_its_parts(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path, "rfc/1-column-major-view.mlir")
    wrong = page.evaluate(
        """() => {
          const K = X.main.panes.kernel;
          const boxes = K.moves.filter(({ target, messages }) => target !== null && messages.length === 1 && K.holdings[target].place === "registers")
            .map((move) => [X.tiles.boxOf(K, { move, message: move.messages[0] }), K.holdings[move.target]]);
          return [boxes.length, boxes.filter(([[offset, sizes], part]) => `${offset}` !== `${part.offset}` || `${sizes}` !== `${part.sizes}`).length];
        }"""
    )
    assert wrong[0] > 2
    assert wrong[1] == 0


def test_a_message_of_memory_the_other_way_round_carries_what_its_part_holds(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    box, carried = page.evaluate(
        """() => {
          const holding = (more) => ({ sizes: [32, 16], offset: [0, 16], place: "memory", ...more });
          const K = { holdings: [holding({ offset: null, sizes: [32, 64] }), holding({ place: "registers" })] };
          const message = { rows: 16, columns: 32, blocks: 1, offset: [0, 16], asm: [] };
          const one = { move: { source: 0, target: 1, messages: [message] }, message };
          return [X.tiles.boxOf(K, one), [[31, 16], [0, 32]].map((at) => X.tiles.carries(K, one, at))];
        }"""
    )
    assert box == [[0, 16], [32, 16]]
    assert carried == [True, False]


@pytest.mark.ocloc
def test_spills_of_a_line_are_told_and_lead_to_it(page: Page, tmp_path: Path) -> None:
    module = parse((EXAMPLES / "gemm_f16_plain.mlir").read_text())
    model = json.loads(json.dumps(as_json(explore(module, "pvc", assembly=True).model)))
    costs = model["kernels"][0]["costs"]
    costs["classes"] = [{"dpas": "spill"}.get(name, name) for name in costs["classes"]]
    file = tmp_path / "page.html"
    file.write_text(built([model]), encoding="utf-8")
    page.goto(file.as_uri())
    spills = page.locator("#costs .spills")
    expect(spills).to_have_count(1)
    expect(spills).to_have_text(re.compile(r"^\d+ spills under line 18 xetile\.tile_mma$"))
    spills.click()
    level, op, _ = state(page)["selections"][0]
    assert page.evaluate(f"X.main.panes.kernel.levels[{level}].ops[{op}][0]") == 17
    assert (
        page.locator("#costs table").first.locator("tr").nth(1).inner_text().startswith("all")
    )


def test_what_is_typed_and_not_there_is_refused_in_words(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    said = page.locator("#way .told")
    for field, text, words in (
        ("way-subgroup", "32", "there is no subgroup 32: they are 0 to 31"),
        ("way-subgroup", "-1", "there is no subgroup -1: they are 0 to 31"),
        ("way-own", "40, 3", "[40, 3] is not in the subgroup's tile of 32x64"),
        ("way-own", "-2, 3", "[-2, 3] is not in the subgroup's tile of 32x64"),
        ("way-whole", "32, 3", "[32, 3] is not in the workgroup's tile of 32x256"),
        ("way-own", "x", '"x" has no numbers'),
    ):
        page.locator(f"#{field}").fill(text)
        page.locator(f"#{field}").press("Enter")
        expect(said).to_contain_text(words)
    assert state(page)["element"] == [5, 37]
    page.locator("#way-whole").fill("5, 101")  # where it is already: the refusal goes
    page.locator("#way-whole").press("Enter")
    expect(said).to_contain_text("%b[5, 101]: subgroup 5")


def test_an_element_of_the_workgroup_in_the_other_field_is_offered(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    select(page, "%b", 0, None)
    page.fill("#way-own", "5, 101")
    page.press("#way-own", "Enter")
    said = page.locator("#way .told")
    expect(said).to_contain_text("In the workgroup's it is [5, 37] of subgroup 1: show that")
    said.get_by_text("show that").click()
    assert (state(page)["subgroup"], state(page)["element"]) == (1, [5, 37])


def test_an_element_stays_where_another_line_has_the_same_tile(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    select(page, "%b", 1, [5, 37])
    line = page.evaluate("X.main.panes.kernel.levels[3].lines.findIndex((t) => t.includes('packed'))")  # fmt: skip
    page.evaluate(
        f"X.main.panes.select([3, X.main.panes.kernel.opAt(3, {line}), null], false)"
    )
    assert state(page)["element"] == [5, 37]
    expect(page.locator("#way .tabs [aria-pressed=true]")).to_have_text("%b 32x64")
    select(page, "%a", 1, None)
    assert state(page)["element"] is None


def test_what_is_pointed_at_in_a_picture_is_named_below(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    before = page.locator("#status").text_content() or ""
    assert before.startswith("W ")
    canvas = page.locator("#way .stage").nth(1).locator("canvas.over").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    page.mouse.move(box["x"] + 40, box["y"] + 76)
    expect(page.locator("#status")).to_contain_text("of its tile, lane")
    page.evaluate("X.state.set({ selections: [] })")
    expect(page.locator("#status")).to_have_text("nothing is selected")


@pytest.mark.ocloc
def test_sums_are_where_the_last_of_their_matrix_instructions_writes(
    page: Page, tmp_path: Path
) -> None:
    """Of a kernel that spills, whose sums are in other registers after each half of K."""
    module = gemm_module(m=512, n=512, k=512, subgroup_tile=(64, 64))
    with kept_remarks():
        found = explore(module, "bmg", assembly=True)
    assert found.model.kernels[0].costs
    assert found.model.kernels[0].costs.spill
    page.goto(written(tmp_path, found.html()))
    page.wait_for_selector("#way .told")
    level = next(level for level in found.model.kernels[0].levels if level.id == "S")
    is_product = ["xetile.tile_mma" in level.lines[value.line] for value in level.values]
    said: list[tuple[str, list[int]]] = page.evaluate(
        """(value) => {
          const K = X.main.panes.kernel, S = K.levelOf("S"), I = K.levels[K.levelOf("I")];
          const tiles = [...Array(32).keys()].map((n) => [8 * (n >> 2), 16 * (n & 3)]);
          const facts = (element) => X.tiles.told(K, [S, value], { element, subgroup: 0, rectangle: null }, K.nameOf(S, value));
          const computed = (all) => all.find(([words]) => words.startsWith("computed by 2 dpas"))[1];
          return tiles.map(facts).map((all) => [all[0][0], computed(all).map((one) => I.ops[one][0])]);
        }""",
        is_product.index(True),
    )
    text = found.model.kernels[0].levels[-1].lines
    assert len(said) == 32
    for words, computed in said:
        place = re.search(r"register r(\d+) at line (\d+) \(this kernel spills", words)
        assert place, words
        register, line = place.group(1), int(place.group(2)) - 1
        assert re.search(rf"dpas\S* \(16\|M0\) +r{register}:f ", text[line]), words
        # of the two that add up a step, it is the second one's
        assert computed.index(line) % 2 == 1


def test_keys_work_wherever_the_keyboard_is(page: Page, tmp_path: Path) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, tmp_path)
    select(page, "%b", 0, None)
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', { key: 't' }))")
    assert (
        page.locator("#way .stage table").count()
        == page.locator("#way .stage .sheets").count() // 2
    )
    page.locator(".pane-body").first.press("t")
    expect(page.locator("#way .stage table")).to_have_count(0)
    page.locator(".pane-body").first.press("e")
    expect(page.locator("#way-whole")).to_be_focused()
    page.locator("#way-whole").press("Escape")
    expect(page.locator(".pane-body:focus")).to_have_count(1)
    assert errors == []


def test_an_element_that_is_picked_or_pointed_at_leaves_the_ground_of_pictures(
    page: Page, tmp_path: Path
) -> None:
    """What is painted on each canvas is counted: outlines over the pictures, nothing on what lies below."""
    opened(page, tmp_path)
    select(page, "%b", 5, [5, 37])
    page.evaluate(
        """() => {
          window.painted = {ground: 0, over: 0};
          for (const name of ['fillRect', 'strokeRect', 'fillText', 'clearRect']) {
            const paint = CanvasRenderingContext2D.prototype[name];
            CanvasRenderingContext2D.prototype[name] = function (...words) {
              if (this.canvas.className in painted) painted[this.canvas.className] += 1;
              return paint.apply(this, words);
            };
          }
        }"""
    )
    page.evaluate("X.state.set({element: [6, 38]})")
    page.locator("#way .over").nth(2).hover(position={"x": 60, "y": 100})
    page.evaluate("X.state.set({element: [7, 40]})")
    painted = page.evaluate("painted")
    assert painted["over"] > 0
    assert painted["ground"] == 0


def test_pictures_that_are_looked_at_again_are_not_drawn_again(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path)
    node = "document.querySelector('#way .stage')"
    select(page, "%b", 0, None)
    page.evaluate(f"window.first = {node}")
    select(page, "%a", 0, None)
    assert page.evaluate(f"first !== {node}")
    select(page, "%b", 0, None)
    assert page.evaluate(f"first === {node}")
