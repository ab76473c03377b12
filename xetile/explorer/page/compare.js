// Two explorations beside each other: instructions by class and by line of the source, ops of each level, both assemblies.
(function (X) {
  "use strict";

  const { make } = X.elements;
  const { paired, labelsOf, sideOf, matched, nameIn } = X.compared;
  const OWN = "compiler's own";
  const FEW = 4;
  const LONGEST = 12;
  let dialog = null;
  let pairs = [];
  let labels = [];
  let sides = [];
  let lists = [];
  let rows = [];

  // ---- tables ----

  const count = (n) => (Number.isInteger(Math.round(n * 100) / 100) ? `${Math.round(n)}` : n.toFixed(1));
  const more = (n) => (Math.abs(n) < 0.005 ? "0" : `${n > 0 ? "+" : "−"}${count(Math.abs(n))}`);
  const three = (numbers) => [...numbers.map((n) => (n === null ? "–" : count(n))), numbers.includes(null) ? "" : more(numbers[1] - numbers[0])];
  const far = (numbers) => Math.abs((numbers[1] ?? 0) - (numbers[0] ?? 0));

  /** A number of both sides, null where a side has no instructions. */
  const both = (entries, key) => entries.map((one, i) => (sides[i].I < 0 ? null : one ? one[key] : 0));

  function table(host, caption, heads) {
    const node = make(host, "table");
    make(node, "caption", "", caption);
    const row = make(make(node, "thead"), "tr");
    for (const text of heads) make(row, "th", "", text).scope = "col";
    return make(node, "tbody");
  }

  /** A row that lights its instructions in both assemblies: by the pointer, by focus; a click or Enter goes there. */
  function rowOf(body, cells, instructions, picked) {
    const row = make(body, "tr");
    cells.forEach((text, i) => make(row, i ? "td" : "th", /^[+−][\d.]+$/.test(text) ? "differs" : text === "0" ? "none" : "", text));
    row.firstChild.scope = "row";
    if (!instructions) return row;
    row.tabIndex = 0;
    row.addEventListener("pointerenter", () => light(instructions));
    row.addEventListener("focus", () => light(instructions));
    const pick = () => {
      light(instructions);
      lists.forEach((list, i) => goTo(list, instructions[i][0]));
      if (picked) picked();
    };
    row.addEventListener("click", pick);
    row.addEventListener("keydown", (event) => {
      const next = { ArrowDown: row.nextSibling, ArrowUp: row.previousSibling }[event.key];
      if (event.key === "Enter") pick();
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
    return row;
  }

  const perStep = () => {
    const steps = new Set(sides.map(({ K }) => K.hotLoop()?.step).filter(Boolean));
    return steps.size === 1 ? `a step (${[...steps][0]})` : "a step";
  };
  const headsOf = (first, ...rest) => [first, `${brief(0)}, ${perStep()}`, brief(1), "B − A", `${brief(0)}, once`, brief(1), "B − A", ...rest];
  const brief = (i) => (labels[i].length > LONGEST ? "AB"[i] : labels[i]);
  const instructionsOf = (entries) => entries.map((one) => one?.asm ?? []);

  function byClass(host) {
    const names = [...new Set(sides.flatMap((side) => [...side.classes.keys()]))];
    const rows = names.map((name) => [name, sides.map((side) => side.classes.get(name))]);
    const body = table(host, "Instructions of a subgroup by class", headsOf("class"));
    for (const [name, entries] of [["all", sides.map((side) => side.all)], ...sorted(rows)]) {
      rowOf(body, [name, ...three(both(entries, "step")), ...three(both(entries, "once"))], instructionsOf(entries)).dataset.class = name;
    }
  }

  const sorted = (rows) => rows.sort((one, other) => far(both(other[1], "step")) - far(both(one[1], "step")) || far(both(other[1], "once")) - far(both(one[1], "once")));

  function byLine(host) {
    const all = sorted(rows.map((lines) => [lines, lines.map((line, i) => sides[i].lines.get(line))]));
    const body = table(host, "Instructions by line of the source, the most different first", headsOf("source", "what differs", "messages a step", "bytes", "spills, all rounds"));
    for (const [lines, entries] of all) {
      if (lines[0] !== -1 && entries.every((one) => !one || (one.asm.length === 0 && one.bytes === 0)) && !lines.includes(undefined)) continue;
      const words = [lineWords(lines), ...three(both(entries, "step")), ...three(both(entries, "once")), classesOf(entries), pairOf(both(entries, "messages")), pairOf(entries.map((one) => one?.bytes ?? 0)), pairOf(both(entries, "spills"))];
      const row = rowOf(body, words, instructionsOf(entries), () => select(lines));
      row.dataset.source = lines.map((line) => line ?? "").join(",");
      const side = lines[0] === undefined ? 1 : 0;
      row.title = sides[side].K.levels[0].lines[lines[side]]?.trim() ?? "";
    }
  }

  const pairOf = (numbers) => (numbers[0] === numbers[1] ? three(numbers)[0] : numbers.map((n) => (n === null ? "–" : count(n))).join(", "));

  function lineWords(lines) {
    if (lines[0] === -1) return OWN;
    const side = lines[0] === undefined ? 1 : 0;
    const { K } = sides[side];
    const number = K.levels[0].numbers?.[lines[side]] || lines[side] + 1;
    return `${number} ${nameIn(K, lines[side])}${lines.includes(undefined) ? `, only in ${"AB"[side]}` : ""}`;
  }

  /** By class what B has more or less of: `+8 mov, −4 load2d; once +16 mov`. */
  function classesOf(entries) {
    if (sides.some((side) => side.I < 0)) return "";
    const names = [...new Set(entries.flatMap((one) => [...(one?.by.keys() ?? [])]))];
    const of = (key) => names.map((name) => [both(entries.map((one) => one?.by.get(name)), key), name]).filter(([numbers]) => far(numbers) >= 0.005)
      .sort((one, other) => far(other[0]) - far(one[0])).slice(0, FEW).map(([numbers, name]) => `${more(numbers[1] - numbers[0])} ${name}`).join(", ");
    return [of("step"), of("once") && `once ${of("once")}`].filter(Boolean).join("; ");
  }

  /** Selects the line on the page behind, where that shows one of the two. */
  function select(lines) {
    const { exploration } = X.state.get();
    const { K } = sides[exploration] ?? {};
    if (K !== X.main.panes?.kernel || !(lines[exploration] >= 0)) return;
    X.main.panes.select([0, K.opsOfLine(0, lines[exploration])[0], null], false);
  }

  function inAll(host) {
    const reasons = sides.map(({ K }) => K.certainty?.rounds);
    if (reasons[0] !== reasons[1]) reasons.forEach((reason, i) => reason && make(host, "p", "", `${"AB"[i]}: ${reason.replace(/^exact: /, "")}.`));
    const body = table(host, "The kernel", ["", brief(0), brief(1), "B − A"]);
    const costs = sides.map(({ K }) => K.costs);
    const put = (name, numbers) => rowOf(body, [name, ...three(numbers)]);
    const all = sides.map((side) => side.all);
    for (const [key, name] of [["step", `instructions ${perStep()}`], ["once", "instructions once"], ["messages", "messages a step"], ["onceMessages", "messages once"], ["spills", "spills and fills, all rounds"]]) put(name, both(all, key));
    put("steps written in a round of the loop", sides.map(({ K, I }) => (I < 0 ? null : K.hotLoop()?.unroll ?? 0)));
    for (const [key, name] of [["grf", "registers"], ["spill", "bytes spilled"], ["scratch", "bytes of scratch"]]) put(name, costs.map((one) => (one ? one[key] : null)));
    put("bytes moved by its lines", sides.map(({ lines, K }) => (K.costs ? [...lines.values()].reduce((sum, one) => sum + one.bytes, 0) : null)));
  }

  function byOps(host) {
    const levels = [...new Set(sides.flatMap(({ K }) => K.levels.map((level) => level.id)))];
    const same = [];
    const found = levels.flatMap((id) => {
      const counts = sides.map(({ K }) => opsOf(K, K.levelOf(id)));
      const names = [...new Set(counts.flatMap((one) => [...(one?.keys() ?? [])]))];
      const rows = names.map((name) => [id, name, counts.map((one) => (one ? one.get(name) ?? 0 : null))]).filter((row) => row[2][0] !== row[2][1]);
      if (rows.length === 0) same.push(id);
      return rows.sort((one, other) => far(other[2]) - far(one[2]));
    });
    if (same.length) make(host, "p", "", `The same ops, as often, at level${same.length > 1 ? "s" : ""} ${same.join(", ")}.`);
    if (found.length === 0) return;
    const body = table(host, "Ops in the text of each level that one has more often, all written rounds counted", ["level and op", brief(0), brief(1), "B − A"]);
    for (const [id, name, numbers] of found) rowOf(body, [`${id} ${name}`, ...three(numbers)]);
  }

  function opsOf(K, level) {
    if (level < 0) return null;
    const counts = new Map();
    for (const op of K.levels[level].ops) counts.set(K.names[op[3]], (counts.get(K.names[op[3]]) ?? 0) + 1);
    return counts;
  }

  // ---- both assemblies ----

  function light(instructions) {
    lists.forEach((list, i) => {
      for (const row of list.lit ?? []) row.classList.remove("lit");
      list.lit = instructions[i].map((one) => list.rows[one]).filter(Boolean);
      for (const row of list.lit) row.classList.add("lit");
    });
  }

  function goTo(list, instruction) {
    const row = list.rows[instruction];
    if (!row) return;
    list.box.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
    row.setAttribute("aria-selected", true);
    list.box.setAttribute("aria-activedescendant", row.id);
    row.scrollIntoView({ block: "center" });
    list.at = instruction;
  }

  /** The instructions that came of the same line of the source as this one, on both sides. */
  function relatives(i, instruction) {
    const own = sides[i].lineOf[instruction];
    const row = rows.find((lines) => lines[i] === own) ?? [];
    return row.map((line, side) => sides[side].lines.get(line)?.asm ?? []);
  }

  function assembly(host, side, i) {
    const section = make(host, "section");
    make(section, "h3", "", side.I < 0 ? `${labels[i]} has no assembly` : `${labels[i]}, assembly`);
    const box = make(section, "div", "assembly");
    box.setAttribute("role", "listbox");
    box.setAttribute("aria-label", `assembly of ${labels[i]}`);
    const list = { box, rows: [], at: -1 };
    if (side.I < 0) return list;
    box.tabIndex = 0;
    const level = side.K.levels[side.I];
    const lines = level.lines.map((text) => make(box, "div", "", text.trimEnd().replace(/ {3,}/g, "  ") || " "));
    level.ops.forEach(([line], instruction) => {
      const row = (list.rows[instruction] = lines[line]);
      row.id = `compare-${i}-${instruction}`;
      row.dataset.instruction = instruction;
      row.setAttribute("role", "option");
    });
    listen(list, i);
    return list;
  }

  function listen(list, i) {
    const at = (event) => Number(event.target.closest("[data-instruction]")?.dataset.instruction ?? NaN);
    list.box.addEventListener("pointerover", (event) => at(event) >= 0 && light(relatives(i, at(event))));
    list.box.addEventListener("click", (event) => at(event) >= 0 && choose(list, i, at(event)));
    list.box.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity }[event.key];
      if (!by) return;
      event.preventDefault();
      choose(list, i, Math.max(0, Math.min(list.rows.length - 1, list.at + by)));
    });
  }

  /** Goes to an instruction; the other list to the first that came of the same line. */
  function choose(list, i, instruction) {
    const found = relatives(i, instruction);
    light(found);
    goTo(list, instruction);
    goTo(lists[1 - i], found[1 - i]?.[0]);
  }

  // ---- the panel ----

  /** What differs most, in a sentence. */
  function answer() {
    if (sides.some((side) => side.I < 0)) return "Instructions are compared where both have them.";
    const all = sides.map((side) => side.all);
    const steps = both(all, "step");
    const said = steps[0] === steps[1] ? `A step has ${count(steps[0])} instructions in both` : `A step has ${count(steps[0])} instructions in A, ${count(steps[1])} in B (${more(steps[1] - steps[0])})`;
    return `${said}; once ${count(all[0].once)} and ${count(all[1].once)}. ${classesOf(all) ? `B against A: ${classesOf(all)}.` : "No class differs."}${unrolled()}`;
  }

  function unrolled() {
    const [one, other] = sides.map(({ K }) => K.hotLoop()?.unroll);
    return one && other && one !== other ? ` A round of the loop has ${one} steps in A, ${other} in B: what is done once in a round is shared by its steps.` : "";
  }

  function fill(index) {
    sides = pairs[index].map(sideOf);
    rows = matched(sides);
    const tables = make(dialog.querySelector(".compared"), "div", "tables");
    make(tables, "p", "answer", answer());
    const steps = sides.map(({ K }) => K.hotLoop()?.step);
    if (steps[0] && steps[1] && steps[0] !== steps[1]) make(tables, "p", "differs", `Steps differ: ${steps.join(" in A, ")} in B.`);
    if (sides.some((side) => side.I >= 0)) for (const part of [byClass, byLine]) part(tables);
    for (const part of [inAll, byOps]) part(tables);
    lists = sides.map((side, i) => assembly(tables.parentNode, side, i));
  }

  function head() {
    const bar = make(dialog, "header");
    make(bar, "h2", "", `${labels[0]}  and  ${labels[1]}`);
    const chosen = make(bar, "select");
    chosen.hidden = pairs.length < 2;
    chosen.setAttribute("aria-label", "kernels that are compared");
    pairs.forEach(([one, other], i) => chosen.append(new Option(one.name === other.name ? one.name : `${one.name} and ${other.name}`, i)));
    make(bar, "button", "", "close (Esc)").addEventListener("click", () => dialog.close());
    const parts = make(dialog, "div", "compared");
    const show = () => {
      parts.replaceChildren();
      fill(chosen.value);
    };
    chosen.addEventListener("change", show);
    return show;
  }

  /** The panel of two explorations, its button in the head and its key; again, the same panel of others. */
  function create(host, explorations) {
    const isNew = dialog === null;
    if (isNew) begin(host);
    pairs = paired(explorations);
    labels = labelsOf(explorations);
    dialog.replaceChildren();
    if (pairs.length === 0) return make(dialog, "p", "", "One of the two has no kernel.");
    head()();
    if (isNew && !location.hash.includes("s=")) open();
  }

  function open() {
    if (!dialog.open) dialog.showModal();
  }

  function begin(host) {
    dialog = make(host, "dialog");
    dialog.id = "compare";
    dialog.setAttribute("aria-label", "comparison");
    const button = make(document.getElementById("head"), "button", "", "compare");
    button.id = "compare-button";
    button.title = "the two beside each other (=)";
    button.addEventListener("click", open);
    const row = document.getElementById("keys").insertRow();
    make(row.insertCell(), "kbd", "", "=");
    row.insertCell().textContent = "compare the two explorations";
    document.addEventListener("keydown", (event) => {
      if (event.key !== "=" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
      event.preventDefault();
      open();
    });
  }

  X.compare = { create };
})((window.X = window.X || {}));
