// What the instructions are and what they came of: per step of the hot loop, and once.
(function (X) {
  "use strict";

  const { make } = X.elements;
  const MOST = 40;

  /** Sums by class, and by line of the source: {classes: Map, lines: Map, loop}, each [per step, once]. */
  function costsOf(K) {
    const loop = K.hotLoop();
    const rounds = loop?.unroll ?? 1;
    const classes = new Map();
    const sources = new Map();
    const source = sourcesOf(K, K.levelOf("I"));
    const add = (all, key, name, hot) => {
      if (!all.has(key)) all.set(key, { step: 0, once: 0, by: new Map() });
      const entry = all.get(key);
      entry[hot ? "step" : "once"] += hot ? 1 / rounds : 1;
      entry.by.set(name, (entry.by.get(name) ?? 0) + 1);
    };
    K.costs.asm.forEach((_, i) => {
      const hot = loop && loop.asm[0] <= i && i <= loop.asm[1];
      add(classes, K.classOf(i), K.classOf(i), hot);
      add(sources, source[i], K.classOf(i), hot);
    });
    return { classes, sources, loop };
  }

  /** The source's ops of those of a level, -1 of the compiler's own. */
  function sourcesOf(K, level) {
    const { of, ops } = K.levels[level];
    if (of === null) return ops.map((_, op) => op);
    const above = sourcesOf(K, of);
    return Array.from(K.firstParents(level), (parent) => (parent < 0 ? -1 : above[parent]));
  }

  const count = (n) => (n ? (Number.isInteger(n) ? `${n}` : n.toFixed(1)) : "");

  /** Makes the first of many at once, all others when they are asked for: a page does not grow with its lines. */
  function first(host, all, make) {
    all.slice(0, MOST).forEach(make);
    if (all.length <= MOST) return;
    const more = X.elements.make(host, "button", "more", `and ${all.length - MOST} more`);
    more.addEventListener("click", () => {
      more.remove();
      all.slice(MOST).forEach(make);
    });
  }

  /** Rows of [cells, the source's op to which a click leads]. */
  function table(host, K, heads, rows) {
    const node = make(host, "table");
    const line = (cells, tag) => cells.reduce((tr, text) => (make(tr, tag, "", text), tr), make(node, "tr"));
    line(heads, "th");
    first(host, rows, ([cells, op]) => {
      const row = line(cells(), "td");
      if (op >= 0) leads(row, K, op);
    });
  }

  function create(host, K) {
    if (!K.costs) return;
    if (K.levelOf("I") < 0) make(host, "p", "", "Instructions are counted where ocloc is installed: here are none.");
    else instructions(host, K);
    const said = make(host, "p", "chosen");
    said.setAttribute("aria-live", "polite");
    moved(host, K);
    for (const [name, words] of Object.entries(K.certainty ?? {})) make(host, "p", "note", `${name}: ${words}`);
    const chosen = () => (said.textContent = X.state.get().selections.slice(0, 1).map((one) => chosenWords(K, one)).join(""));
    X.state.on((_, changed) => changed.has("selections") && chosen());
    chosen();
  }

  /** Bytes that the lines of the source move, a step or once. */
  function moved(host, K) {
    const again = new Map((K.costs.rereads ?? []).map(([level, op, n]) => [`${level},${op}`, n]));
    const rows = K.costs.bytes.filter(([level]) => level === 0).map(([level, op, bytes]) => [() => [lineOf(K, op), `${bytes}`, again.get(`${level},${op}`) > 1 ? `${again.get(`${level},${op}`)}` : ""]]);
    if (rows.length) table(host, K, ["moved by a subgroup", "bytes", "read by subgroups"], rows);
  }

  function instructions(host, K) {
    const { classes, sources, loop } = costsOf(K);
    const step = loop ? `a step (${loop.step})` : "";
    make(host, "h3", "", `Instructions of a subgroup, ${K.device}, ${K.costs.grf} registers`);
    if (loop) make(host, "p", "", `Hot loop: ${loop.unroll} ${loop.unroll > 1 ? "steps" : "step"} in one round${loop.trips ? `, ${loop.trips} steps in all` : ""}; its counts are per step, all others once. Counts are not time.`);
    spills(host, K, sources);
    const most = (all) => [...all].sort((a, b) => b[1].step - a[1].step || b[1].once - a[1].once);
    const all = [...classes.values()].reduce((sum, one) => ({ step: sum.step + one.step, once: sum.once + one.once }), { step: 0, once: 0 });
    table(host, K, ["class", step, "once"], [["all", all], ...most(classes)].map(([name, one]) => [() => [name, count(one.step), count(one.once)]]));
    table(host, K, ["source", step, "once", "in the text"], most(sources).map(([op, one]) => [() => [lineOf(K, op), count(one.step), count(one.once),
      [...one.by].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${n} ${name}`).join(", ")], op]));
  }

  function leads(row, K, op) {
    row.title = `${K.file.split("/").pop()}:${numberOf(K, op)}: ${textOf(K, op)}`;
    row.addEventListener("click", () => X.main.panes.select([0, op, null], false));
  }

  const LONGEST = 26;
  const textOf = (K, op) => K.levels[0].lines[K.levels[0].ops[op][0]].trim();
  const numberOf = (K, op) => K.levels[0].numbers?.[K.levels[0].ops[op][0]] ?? K.levels[0].ops[op][0] + 1;

  /** A line of the source: its number, and what the op is, or in Python how the line begins. */
  function lineOf(K, op) {
    if (op < 0) return "compiler's own";
    const text = textOf(K, op);
    const words = K.levels[0].id !== "Y" ? K.names[K.levels[0].ops[op][3]] : text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
    return `${numberOf(K, op)} ${words}`;
  }

  function spills(host, K, sources) {
    first(host, [...sources].filter(([, one]) => one.by.has("spill") || one.by.has("fill")), ([op, one]) => {
      const counts = ["spill", "fill"].filter((name) => one.by.has(name)).map((name) => `${one.by.get(name)} ${name}s`).join(" and ");
      const words = `${counts} ${op < 0 ? "of no line: compiler's own" : `under line ${lineOf(K, op)}`}`;
      make(host, "button", "spills", words).addEventListener("click", () => op >= 0 && X.main.panes.select([0, op, null], false));
    });
    // why, and what to do: the compiler's own words
    if (K.costs.spill) for (const note of K.notes.filter((one) => one.includes("spilled"))) make(host, "p", "warn", note);
  }

  /** What one op costs: all that came of it. */
  function chosenWords(K, [level, op]) {
    const again = (K.costs.rereads ?? []).filter(([at, one]) => K.kin(level, op).get(at)?.has(one)).map((one) => one[2]);
    const reread = again.length && again[0] > 1 ? `; ${again[0]} subgroups read the same elements` : "";
    return `${K.names[K.levels[level].ops[op][3]]}: ${X.main.panes.told(K.counts(level, op))}${reread}`;
  }

  X.costs = { create };
})((window.X = window.X || {}));
