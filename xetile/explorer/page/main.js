// Puts the page together: head, panes, pictures, keys, and the address that restores what is seen.
(function (X) {
  "use strict";

  const LONGEST_LINK = 2000;
  const STILL = 150;
  const WIDEST = 330;
  const PREFERRED = ["first", "I", "S", "X", "L", "V", "B", "P"];

  const KEYS = [
    ["↑ ↓ PgUp PgDn Home End", "line; what it came of and became lights up"],
    ["← →", "level"],
    ["Enter, Shift+Enter", "select the line, or the next op in it; select a second one"],
    ["v V", "next, previous value of the line"],
    ["n N", "next, previous relative of the selection"],
    ["c", "centre all levels on the selection"],
    ["1 – 9", "fold or unfold a level"],
    ["f", "fold or unfold stretches of lines that are alike"],
    ["/", "search all levels; Enter, Shift+Enter for next, previous"],
    ["g h", "costs of every line in four columns; heat"],
    ["[ ]", "step through the moves of the selection"],
    ["e", "the element that is shown: its coordinates in the workgroup's tile, to be typed; Tab: in the subgroup's"],
    ["t", "tables of the pictures"],
    ["Tab", "head, panes, borders (moved by arrows), pictures"],
    ["Esc", "close the notes; drop what is selected"],
    ["?", "this"],
  ];

  const byId = (id) => document.getElementById(id);
  let explorations = [];
  let kernel = null;
  let panes = null;
  let remembering = 0;

  X.status = (text) => (byId("status").textContent = text);

  // ---- what is open ----

  function explorationOf({ exploration }) {
    return explorations[Math.min(exploration, explorations.length - 1)];
  }

  /** Opens a model (of another version, where one is open already); what is selected stays where it can. */
  function open(root) {
    const before = kernel ? hashOf(X.state.get()) : location.hash;
    explorations = X.model.read(root).explorations;
    show(parsed(before));
    if (X.compare && explorations.length === 2) X.compare.create(document.body, explorations);
  }

  function show(words) {
    const wanted = Number(words.d) || 0;
    const exploration = explorations[wanted] ? wanted : 0;
    const found = explorations[exploration].kernels.findIndex((one) => one.name === words.k);
    const index = Math.max(0, found);
    kernel = explorations[exploration].kernels[index];
    if (!kernel) return X.status("this file has no kernel");
    X.state.reset({ exploration, kernel: index, ...restored(kernel, words) });
    const { whatif, ...rest } = X.state.get();
    showHead();
    for (const id of ["way", "costs", "type"]) byId(id).replaceChildren();
    panes = X.panes.create(byId("panes"), kernel);
    X.main.panes = panes;
    if (X.way && X.way.create) X.way.create(byId("way"), kernel);
    if (X.type) X.type.create(byId("type"), kernel);
    X.state.on(remember);
    X.state.on((state, changed) => changed.has("heat") && showHeat(state));
    showHeat(rest);
    showRestored();
    panes.flush();
  }

  function showRestored() {
    const state = X.state.get();
    panes.showSelections(state);
    panes.showElement(state);
    const [first] = state.selections;
    if (!first) return showBeginning();
    const pane = panes.panes[first[0]];
    panes.current = pane;
    pane.goTo(kernel.levels[first[0]].ops[first[1]][0]);
    panes.showHeaviest(first);
    panes.say(first);
  }

  /** Nothing is selected: each pane begins at the kernel itself, below comments and declarations. */
  function showBeginning() {
    const begins = new RegExp(`@${kernel.name}\\b|\\bdef ${kernel.name}\\b`);
    for (const pane of panes.panes) {
      const line = pane.lines.findIndex((text) => begins.test(text));
      if (line > 0) pane.begin(line);
    }
    X.status("point at a line to see what became of it; ? tells the keys");
  }

  // ---- the head ----

  function showHead() {
    const { exploration, kernel: index } = X.state.get();
    const one = explorations[exploration];
    byId("file").textContent = one.file.split("/").pop();
    byId("file").title = one.file;
    choices("kernel", one.kernels.map((kernel) => kernel.name), index);
    choices("device", explorations.map((other, i) => (explorations.filter((again) => again.device === other.device).length > 1 ? `${other.device} (${i + 1})` : other.device)), exploration);
    const facts = byId("facts");
    facts.replaceChildren(factsOf(kernel));
    if (kernel.costs && kernel.costs.spill) facts.prepend(warning(`${kernel.costs.spill} bytes spilled`), ", ");
    facts.title = facts.textContent;
    showNotes([...one.notes, ...kernel.notes]);
  }

  function factsOf({ subgroups, sg_layout: layout, lanes, costs, loops }) {
    const parts = [];
    if (subgroups) parts.push(`${layout ? layout.join(" × ") : subgroups} subgroups of ${lanes} lanes`);
    const hot = loops.find((loop) => loop.is_hot);
    if (costs && costs.asm.length) parts.push(instructionsOf(costs.asm.length, hot));
    if (costs) parts.push(`${costs.grf} registers`);
    if (hot) parts.push(`loop: ${hot.trips ? `${hot.trips} ` : ""}${hot.trips === 1 ? "step" : "steps"} of ${hot.step.replace(/^at (\d+)$/, "$1 (%at)")}${hot.unroll > 1 ? `, ${hot.unroll} unrolled` : ""}`);
    return parts.join(", ");
  }

  function instructionsOf(all, hot) {
    const inside = hot ? hot.asm[1] - hot.asm[0] + 1 : 0;
    return `${all} instructions${inside ? ` (${all - inside} once, ${inside} in the loop's text)` : ""}`;
  }

  function warning(text) {
    const made = document.createElement("span");
    made.className = "warn";
    made.textContent = text;
    return made;
  }

  function choices(id, names, chosen) {
    const select = byId(id);
    select.replaceChildren(...names.map((name, i) => new Option(name, i, i === chosen, i === chosen)));
    select.disabled = names.length < 2;
  }

  function showNotes(notes) {
    const button = byId("notes-button");
    button.hidden = notes.length === 0;
    button.textContent = notes.length === 1 ? "1 note" : `${notes.length} notes`;
    byId("notes").replaceChildren(...notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })));
  }

  function showHeat({ heat }) {
    document.body.classList.toggle("with-heat", heat);
    byId("heat").setAttribute("aria-pressed", heat);
  }

  function toggleNotes() {
    const notes = byId("notes");
    notes.hidden = !notes.hidden;
    byId("notes-button").setAttribute("aria-expanded", !notes.hidden);
  }

  function toggleGutter() {
    const all = document.body.classList.toggle("all-costs");
    byId("gutter").setAttribute("aria-pressed", all);
    panes.showCosts(all);
  }

  // ---- the address ----

  const numbers = (text) => text.split(".").map(Number);

  function parsed(hash) {
    return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  }

  /** `#k=gemm&s=S25&e=17.49&g=5&p=WSXI`: what is seen, as words. A value of an op is written S25~7. */
  function hashOf(state) {
    const words = new URLSearchParams();
    words.set("k", kernel.name);
    const selections = state.selections.map(([level, op, value]) => `${kernel.levels[level].id}${op}${value === null ? "" : `~${value}`}`);
    if (state.exploration) words.set("d", state.exploration);
    if (selections.length) words.set("s", selections.join("_"));
    if (state.element) words.set("e", state.element.join("."));
    if (state.rectangle) words.set("r", state.rectangle.map((corner) => corner.join(".")).join("-"));
    if (state.subgroup) words.set("g", state.subgroup);
    words.set("p", kernel.levels.filter((level) => !state.folded.has(level.id)).map((level) => level.id).join(""));
    if (state.step !== null) words.set("m", state.step);
    if (state.heat) words.set("h", 1);
    if (state.whatif && state.whatif.text) words.set("l", state.whatif.text);
    if (words.toString().length >= LONGEST_LINK) words.delete("l");
    return `#${words}`;
  }

  function restored(kernel, words) {
    const selections = (words.s || "").split("_").map((text) => selectionOf(kernel, text)).filter(Boolean).slice(0, 2);
    if (Object.keys(words).length === 0) selections.push(...firstHeld(kernel));
    const [first] = selections;
    const held = first && first[2] !== null ? kernel.holdingOf(first[0], first[2]) : null;
    return {
      selections,
      holding: held,
      element: words.e ? numbers(words.e) : null,
      rectangle: words.r ? words.r.split("-").map(numbers) : null,
      subgroup: Number(words.g) || 0,
      folded: foldedBy(kernel, words.p),
      step: words.m ? Number(words.m) : null,
      heat: words.h === "1",
      asked: words.l || null,
    };
  }

  /** What a page shows at first: the tile that is loaded whose way is longest, so of a product an operand; else the
   * first value whose elements it can show. */
  function firstHeld(kernel) {
    const held = [];
    kernel.levels.forEach(({ values }, level) => values.forEach((one, value) => {
      if (one[5] !== null && kernel.holdings[one[5]].layout) held.push({ level, op: one[0], value });
    }));
    const name = ({ level, op }) => kernel.names[kernel.levels[level].ops[op][3]];
    const way = ({ level, op, value }) => (X.way ? Math.max(0, ...X.way.tilesOf(kernel, [level, op, value]).slice(0, 1).map((tile) => X.way.lengthOf(kernel, tile))) : 0);
    const loads = held.filter((one) => one.level === held[0].level && name(one).includes("load")).map((one) => ({ one, length: way(one) }));
    const longest = loads.reduce((best, each) => (best && best.length >= each.length ? best : each), null);
    const first = longest ? longest.one : held.find((one) => name(one).includes("load")) || held[0];
    return first ? [[first.level, first.op, first.value]] : [];
  }

  function selectionOf(kernel, text) {
    const match = /^([A-Z])(\d+)(?:~(\d+))?$/.exec(text);
    const level = match ? kernel.levelOf(match[1]) : -1;
    if (level < 0 || !kernel.levels[level].ops[match[2]]) return null;
    const value = match[3] !== undefined && kernel.levels[level].values[match[3]] ? Number(match[3]) : null;
    return [level, Number(match[2]), value];
  }

  /** Levels that are folded: all but those of the address, else all but as many as there is room for. */
  function foldedBy(kernel, shown) {
    const ids = kernel.levels.map((level) => level.id);
    const wanted = shown ? new Set(shown) : new Set(preferred(ids));
    return new Set(ids.filter((id) => !wanted.has(id)));
  }

  function preferred(ids) {
    const room = Math.max(2, Math.min(4, Math.floor(innerWidth / WIDEST)));
    const order = PREFERRED.map((id) => (id === "first" ? ids[0] : id)).filter((id) => ids.includes(id));
    return [...new Set([...order, ...ids])].slice(0, room);
  }

  // The address is told once what is seen stands still: browsers take few changes of it, and each costs as much as a picture.
  function remember(state, changed) {
    if (changed.size === 1 && changed.has("hover")) return;
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      try {
        history.replaceState(null, "", hashOf(X.state.get()));
      } catch {
        // a page within a notebook has no address of its own
      }
    }, STILL);
  }

  function copyLink() {
    const link = location.href.split("#")[0] + hashOf(X.state.get());
    const told = () => X.status(`copied: ${link}`);
    const failed = () => X.status(`the link: ${link}`);
    if (navigator.clipboard) navigator.clipboard.writeText(link).then(told, failed);
    else failed();
  }

  // ---- keys ----

  const page = () => Math.max(1, Math.floor(panes.current.body.clientHeight / 18) - 1);
  const ACTIONS = {
    ArrowDown: () => panes.line(1),
    ArrowUp: () => panes.line(-1),
    PageDown: () => panes.line(page()),
    PageUp: () => panes.line(-page()),
    Home: () => panes.line(-Infinity),
    End: () => panes.line(Infinity),
    ArrowLeft: () => panes.across(-1),
    ArrowRight: () => panes.across(1),
    Enter: (event) => panes.choose(event.shiftKey),
    " ": (event) => panes.choose(event.shiftKey),
    v: () => panes.value(1),
    V: () => panes.value(-1),
    n: () => panes.relative(1),
    N: () => panes.relative(-1),
    c: () => panes.centre(),
    f: () => panes.current.unfoldAll(),
    g: toggleGutter,
    h: () => X.state.set({ heat: !X.state.get().heat }),
    "/": () => byId("search").select(),
    "?": () => byId("help").showModal(),
    Escape: drop,
  };
  const IN_PANES = new Set(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", "ArrowLeft", "ArrowRight", "Enter", " "]);

  function drop() {
    if (!byId("notes").hidden) return toggleNotes();
    byId("tip").hidden = true;
    X.state.set({ selections: [], hover: null, holding: null, element: null, rectangle: null, step: null, whatif: null });
  }

  function pressed(event) {
    const { target, key } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !panes) return;
    if (!(target instanceof Element) || target.matches("input, textarea, select, [contenteditable]")) return;
    const inPanes = target === document.body || target.classList.contains("pane-body");
    if (IN_PANES.has(key) && !inPanes) return;
    const level = /^[1-9]$/.test(key) ? kernel.levels[Number(key) - 1] : null;
    const action = level ? () => panes.toggle(level.id) : ACTIONS[key];
    if (!action) return;
    event.preventDefault();
    action(event);
  }

  // ---- search ----

  function searched() {
    const count = panes.search(byId("search").value.trim());
    byId("hits").textContent = byId("search").value.trim() ? `${count} ${count === 1 ? "line" : "lines"}` : "";
  }

  function searchKey(event) {
    if (event.key === "Escape") {
      event.target.value = "";
      searched();
      panes.focus(panes.current);
    }
    if (event.key !== "Enter") return;
    const at = panes.nextHit(event.shiftKey ? -1 : 1);
    byId("hits").textContent = at ? `${at[0]} of ${at[1]}` : "no line";
    X.status(at ? `found in ${at[2]}, line ${at[3]}; Esc goes there` : "no line has that");
  }

  // ---- the border above the pictures ----

  function heighten(by) {
    const lower = byId("lower");
    lower.style.flexBasis = `${Math.max(40, Math.min(innerHeight - 200, lower.getBoundingClientRect().height - by))}px`;
  }

  function listenToSplit() {
    const split = byId("split");
    split.addEventListener("pointerdown", (event) => split.setPointerCapture(event.pointerId));
    split.addEventListener("pointermove", (event) => split.hasPointerCapture(event.pointerId) && heighten(event.movementY));
    split.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -24, ArrowDown: 24 }[event.key];
      if (!by) return;
      event.preventDefault();
      heighten(by);
    });
  }

  function listen() {
    document.addEventListener("keydown", pressed);
    const chosen = () => ({ ...parsed(hashOf(X.state.get())), k: explorationOf(X.state.get()).kernels[byId("kernel").value].name, d: byId("device").value });
    byId("kernel").addEventListener("change", () => show({ k: chosen().k, d: chosen().d, p: chosen().p }));
    byId("device").addEventListener("change", () => show(chosen()));
    byId("notes-button").addEventListener("click", toggleNotes);
    byId("gutter").addEventListener("click", toggleGutter);
    byId("heat").addEventListener("click", ACTIONS.h);
    byId("link").addEventListener("click", copyLink);
    byId("help-button").addEventListener("click", ACTIONS["?"]);
    byId("search").addEventListener("input", searched);
    byId("search").addEventListener("keydown", searchKey);
    addEventListener("hashchange", () => location.hash !== hashOf(X.state.get()) && show(parsed(location.hash)));
    listenToSplit();
    for (const [keys, what] of KEYS) {
      const row = byId("keys").insertRow();
      for (const key of [keys]) row.insertCell().append(Object.assign(document.createElement("kbd"), { textContent: key }));
      row.insertCell().textContent = what;
    }
  }

  async function start() {
    listen();
    const root = await X.model.load(byId("model"));
    open(root);
    if (X.served) X.served.start(root);
  }

  X.main = { open, start };
  start();
})((window.X = window.X || {}));
