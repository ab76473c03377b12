// The way of a tile in the page: its pictures, what is said of the element, what is typed, clicked, dragged and stepped.
(function (X) {
  "use strict";

  const { make } = X.elements;
  const { elementWords, inside, origin, own, shape, sizesOf, subgroupsOf, tilesOf, told, used, workgroupTile, zip } = X.tiles;
  const { TYPES } = X.moves;
  const { asTyped, changes, lengthOf, stagesOf } = X.stages;

  const SMALL = [185, 220];
  const SMALL_MATRIX = 0.7;
  const KEPT = 48;
  const LARGE = [1000, 600];

  // The tile whose way is shown, of each kernel: what the panes mark with the element is its doing.
  const shown = new WeakMap();

  /** The tile of a state: the one that is shown, where it is one of the selection's, else the first of them. */
  function tileOf(K, { selections }) {
    const tiles = selections.length ? tilesOf(K, selections[0]) : [];
    return tiles.find((tile) => `${tile}` === `${shown.get(K)}`) ?? tiles[0] ?? null;
  }

  /** Lines that have to do with the element: a Map of level -> ops. */
  function lines(K, state) {
    const found = new Map();
    const tile = tileOf(K, state);
    if (!tile || !state.element || !inside(state.element, sizesOf(K, tile))) return found;
    for (const [level, op] of used(K, tile, state.rectangle ?? [state.element, state.element]).marks) {
      if (level >= 0) found.set(level, (found.get(level) ?? new Set()).add(op));
    }
    return found;
  }

  function create(host, K) {
    const state = () => X.state.get();
    const view = { tiles: [], tile: null, stages: new Map(), drawn: new Map() };
    const head = make(host, "div", "way-head");
    const said = make(host, "p", "told");
    const row = make(host, "div", "stages");
    said.setAttribute("aria-live", "polite");
    const tabs = make(head, "span", "tabs");
    const fields = {};
    for (const [name, words] of [["subgroup", "subgroup"], ["whole", "element of the workgroup's tile"], ["own", "of the subgroup's tile"]]) {
      const label = make(head, "label", "", `${words} `);
      fields[name] = make(label, "input");
      fields[name].id = `way-${name}`;
      fields[name].size = name === "subgroup" ? 3 : 8;
      fields[name].addEventListener("change", () => typed(name, fields[name].value));
      fields[name].addEventListener("keydown", (event) => event.key === "Escape" && X.main.panes.focus(X.main.panes.current));
    }
    const steps = make(head, "span", "steps");
    for (const [words, by] of [["[ back", -1], ["] next step", 1]]) make(steps, "button", "", words).addEventListener("click", () => step(by));
    const costs = document.getElementById("costs");
    if (costs && X.costs) X.costs.create(costs, K);
    document.addEventListener("keydown", pressed);

    const element = () => state().element ?? sizesOf(K, view.tile).map(() => 0);
    const name = (tile) => K.nameOf(...tile);
    const above = () => workgroupTile(K, view.tile);

    function pressed(event) {
      if (!row.isConnected) return document.removeEventListener("keydown", pressed);
      if (/input|textarea|select/i.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "[" || event.key === "]") step(event.key === "]" ? 1 : -1);
      if (event.key === "e" && view.tile) focusField(event);
      if (event.key === "t" && !event.target.closest?.(".picture")) for (const stage of view.stages.values()) stage.panel?.table?.();
    }

    function focusField(event) {
      event.preventDefault();
      (fields.whole.disabled ? fields.own : fields.whole).select();
    }

    function step(by) {
      const last = view.stages.size - 2;
      const at = (state().step ?? (by > 0 ? -1 : last + 1)) + by;
      X.state.set({ step: at < 0 || at > last ? null : at });
    }

    function typed(field, text) {
      const numbers = (text.match(/-?\d+/g) ?? []).map(Number);
      if (!view.tile) return;
      if (!numbers.length) return wrong(`"${text}" has no numbers`);
      const last = (K.subgroups ?? 1) - 1;
      if (field === "subgroup") return numbers[0] < 0 || numbers[0] > last ? wrong(`there is no subgroup ${numbers[0]}: they are 0 to ${last}`) : go({ subgroup: numbers[0] });
      const found = above() && numbers.length === own(K, above()).sizes.length ? subgroupsOf(K, view.tile, numbers) : [];
      const one = found.find((each) => each.subgroup === state().subgroup) ?? found[0];
      const ofWhole = one && { subgroup: one.subgroup, element: one.element, rectangle: null };
      if (field === "whole") return one ? go(ofWhole) : wrong(`[${text}] is not in the workgroup's tile of ${shape(own(K, above()).sizes)}; coordinates count from 0`);
      if (numbers.length === sizesOf(K, view.tile).length && inside(numbers, sizesOf(K, view.tile))) return go({ element: numbers, rectangle: null });
      wrong(`[${text}] is not in the subgroup's tile of ${shape(sizesOf(K, view.tile))}; coordinates count from 0.`);
      if (!one) return;
      make(said, "span", "", ` In the workgroup's it is [${one.element.join(", ")}] of subgroup ${one.subgroup}: `);
      make(said, "button", "link", "show that").addEventListener("click", () => go(ofWhole));
    }

    /** What was typed or chosen; the fields say it even where it was so before. */
    function go(patch) {
      X.state.set(patch);
      fill();
    }

    const wrong = (words) => (said.textContent = words);

    const pick = (at) => X.state.set({ element: at, rectangle: null });

    /** Another selection: its tiles, the one that was looked at first. */
    function select() {
      const [selection] = state().selections;
      view.tiles = selection ? [...tilesOf(K, selection)] : [];
      choose(tileOf(K, state()), selection);
    }

    function choose(tile, selection) {
      // an element that is looked at stays as long as the tile does
      if (view.tile && tile && `${tile}` !== `${view.tile}`) X.state.set({ element: null, rectangle: null });
      view.tile = tile;
      if (tile) shown.set(K, tile);
      tabs.replaceChildren();
      for (const one of view.tiles) {
        const tab = make(tabs, "button", "", `${name(one)} ${shape(sizesOf(K, one))}`);
        tab.setAttribute("aria-pressed", `${one}` === `${tile}`);
        tab.addEventListener("click", () => choose(one));
      }
      if (tile) {
        const at = state().element;
        if (at && !(at.length === sizesOf(K, tile).length && inside(at, sizesOf(K, tile)))) X.state.set({ element: null, rectangle: null });
        return show();
      }
      row.replaceChildren();
      view.stages.clear();
      said.textContent = selection ? nothing(selection) : "Select a value or a line: where its elements lie is shown here.";
    }

    /** What is said of an op that holds no tile. */
    function nothing([level, op]) {
      const { instructions, hot } = K.counts(level, op);
      const what = instructions ? `${instructions} instructions came of it${hot ? `, ${hot} in the hot loop` : ""}` : "no instruction came of it";
      return `${K.names[K.levels[level].ops[op][3]]} holds no elements of a tile; ${what}.`;
    }

    function show() {
      if (!view.tile) return;
      const { subgroup, step: at, whatif } = state();
      const wanted = asTyped(K, stagesOf(K, view.tile, subgroup, element()), whatif);
      for (const [key, stage] of view.stages) {
        if (wanted.some((one) => one.key === key)) continue;
        stage.node.remove();
        view.stages.delete(key);
      }
      wanted.forEach((one, i) => {
        const stage = view.stages.get(one.key) ?? known(one);
        view.stages.delete(one.key);
        view.stages.set(one.key, stage);
        Object.assign(stage, one);
        if (row.children[i] !== stage.node) row.insertBefore(stage.node, row.children[i] ?? null);
        stage.node.classList.toggle("pale", at !== null && i !== at && i !== at + 1);
        stage.node.classList.toggle("changed", at !== null && i === at + 1);
        stage.frame(at !== null && i === at + 1 ? changes(wanted[at], one).moved : []);
        if (at !== null && i === at + 1) reveal(stage.node);
      });
      outline(element());
      fill();
    }

    function reveal(node) {
      const [box, all] = [node, row].map((one) => one.getBoundingClientRect());
      if (box.right > all.right) row.scrollLeft += box.right - all.right;
      else if (box.left < all.left) row.scrollLeft += box.left - all.left;
    }

    /** A picture that was drawn before, else a new one: what is looked at in turn is drawn once. */
    function known(one) {
      if (one.isTyped) return drawn(one);
      const key = `${one.key};${X.pictures.isDark()};${devicePixelRatio}`;
      const stage = view.drawn.get(key) ?? drawn(one);
      view.drawn.delete(key);
      view.drawn.set(key, stage);
      if (view.drawn.size > KEPT) view.drawn.delete(view.drawn.keys().next().value);
      return stage;
    }

    function drawn(one) {
      const node = make(row, "figure", "stage");
      const model = { fit: SMALL, map: true, ...one.options };
      if (one.draw) {
        make(node, "figcaption", "", one.title);
        const reason = `${conflicts(one.move)}${one.move.reason}`;
        if (reason) make(node, "p", "reason", reason);
        return { node, frame() {}, panel: one.draw(node) };
      }
      if (!model.layout) {
        make(node, "figcaption", "", one.title);
        make(node, "p", "", "Its layout is not known.");
        return { node, frame() {} };
      }
      const stage = { node };
      // the picture may be narrower than its name
      make(node, "figcaption", "drawn", one.title);
      node.classList.toggle("as-typed", Boolean(one.isTyped));
      const size = make(node, "button", "size", "⤢");
      size.title = "enlarge";
      size.addEventListener("click", () => {
        const isLarge = node.classList.toggle("large");
        stage.panel.update({ fit: isLarge ? LARGE : model.fit, map: !isLarge && model.map });
        stage.matrix.update(layout, { scale: isLarge ? 1 : SMALL_MATRIX });
      });
      stage.panel = X.pictures.panel(node, { ...model, label: one.title, words: () => "", onElement: (at, how) => pointed(stage, at, how), onRectangle: (box) => dragged(stage, box) });
      const layout = { in: model.layout.in, out: Object.fromEntries(Object.values(model.layout.out).map((size, d) => [model.tensor[d], size])) };
      stage.matrix = X.pictures.matrix(node, layout, (bit) => stage.panel.update({ bit, passing: true }), { scale: SMALL_MATRIX, framed: [] });
      stage.frame = (bits) => stage.matrix.update(layout, { framed: bits });
      return stage;
    }

    const conflicts = ({ shared: memory }) => (memory ? `conflicts as planned: ${Object.entries(memory.conflicts).map(([name, n]) => `${name} ${n}`).join(", ")}; ` : "");

    /** Clicked in the workgroup's tile: the subgroup there, or the next of those that have the same elements. */
    function pickSubgroup(stage, at) {
      const found = subgroupsOf(K, view.tile, stage.from(at)).map((one) => one.subgroup);
      const next = found[found.indexOf(state().subgroup) + 1] ?? found[0];
      if (next !== undefined) X.state.set({ subgroup: next });
    }

    function pointed(stage, at, how) {
      if (how !== "pick") return stage.isWhole || stage.tile ? null : passed(stage, at);
      if (!at) return pick(null);
      return stage.isWhole ? pickSubgroup(stage, at) : stage.tile ? elsewhere(stage.tile, at) : pick(at);
    }

    /** Pointed at: outlined in the other pictures, and named in the line below. */
    function passed(stage, at) {
      outline(at ?? element(), stage);
      if (at) X.status(elementWords(K, view.tile, at, state().subgroup, name(above() ?? view.tile)));
      else X.main.panes.sayAll(state());
    }

    function elsewhere(tile, at) {
      if (!view.tiles.some((one) => `${one}` === `${tile}`)) view.tiles.push(tile);
      choose(view.tiles.find((one) => `${one}` === `${tile}`));
      X.state.set({ element: at, rectangle: null });
    }

    function dragged(stage, box) {
      if (!stage.isWhole && !stage.tile) X.state.set({ element: box[0], rectangle: box });
    }

    /** One element, or the rectangle, outlined in all pictures but one. */
    function outline(at, but) {
      const { rectangle } = state();
      for (const stage of view.stages.values()) {
        if (stage === but || !stage.matrix) continue;
        const to = stage.to ?? ((one) => one);
        if (stage.tile) stage.panel.update({ rectangle: stage.touched, element: null });
        else stage.panel.update({ element: to(at), rectangle: stage.isWhole ? null : rectangle, passing: at !== element() });
      }
    }

    function fill() {
      const at = element();
      const { subgroup } = state();
      fields.subgroup.value = subgroup;
      fields.own.value = at.join(", ");
      fields.whole.value = above() ? zip(at, origin(K, view.tile, subgroup), (e, o) => e + o).join(", ") : "";
      fields.whole.disabled = !above();
      const facts = told(K, view.tile, { ...state(), element: at }, name(above() ?? view.tile));
      said.replaceChildren();
      facts.forEach(([words, asm], n) => {
        make(said, "span", "", `${n ? "; " : ""}${words}`);
        if (asm.length) instructions(asm);
      });
      stepWords();
    }

    function instructions(asm) {
      const I = K.levelOf("I");
      for (const one of asm.slice(0, 4)) {
        const line = K.levels[I].ops[one][0] + 1;
        make(said, "button", "link", `line ${line}`).addEventListener("click", () => X.state.set({ selections: [state().selections[0], [I, one, null]] }));
      }
      if (asm.length > 4) make(said, "span", "", `and ${asm.length - 4} more`);
    }

    function stepWords() {
      const at = state().step;
      if (at === null || !view.stages.size) return;
      const [from, to] = [...view.stages.values()].slice(at, at + 2);
      if (!to) return;
      const { words } = changes(from, to);
      const reason = to.move?.reason ? ` (${to.move.reason})` : "";
      make(said, "span", "step", ` Step ${at + 1} of ${view.stages.size - 1}: ${to.move ? TYPES[to.move.kind] : to.title}${reason}. ${words}`);
    }

    X.state.on((_, changed) => {
      if (changed.has("selections")) return select();
      if (view.tile && ["element", "rectangle", "subgroup", "step", "whatif"].some((key) => changed.has(key))) show();
    });
    select();
  }

  X.way = { create, lengthOf, lines, tilesOf };
})((window.X = window.X || {}));
