// All panes side by side: what is pointed at and selected, shown in each of them; borders, search, the way of the cursor.
(function (X) {
  "use strict";

  const { element } = X.elements;
  const { FIRST, SECOND, HOVER, HIT, SELF, ELEMENT } = X.pane.bits;

  const HEAVY = /dpas|mma|mad|load|store|prefetch|send|block_read|block_write|reduc/;
  const LIGHT = /constant|mlir\.undef|poison|alloca/;

  const counted = (number, noun) => `${X.lines.short(number)} ${noun}${number === 1 ? "" : "s"}`;
  const IN_WORDS = { Y: "Python", W: "workgroup", S: "subgroup", B: "blocked", X: "xegpu", V: "xevm", L: "LLVM", P: "SPIR-V", I: "instructions" };

  /** Counts in words, each divided by the steps that the text has. */
  function listed(counts, steps, bytes) {
    const parts = Object.keys(counts).filter((kind) => counts[kind]).map((kind) => counted(counts[kind] / steps, kind.slice(0, -1)));
    if (bytes) parts.push(`${bytes} bytes`);
    return parts.join(", ");
  }

  class Panes extends X.drawing.Drawing {
    constructor(host, kernel) {
      super();
      this.host = host;
      this.kernel = kernel;
      this.most = kernel.costs ? kernel.mostInstructions() : 1;
      this.withCosts = document.body.classList.contains("all-costs");
      // whoever makes panes shows something first: nothing is drawn before
      this.waiting = new Set();
      this.isTogether = true;
      this.readColours();
      this.panes = kernel.levels.map((_, level) => new X.pane.Pane(this, level));
      this.current = this.panes[0];
      host.replaceChildren();
      this.panes.forEach((pane, i) => {
        if (i) host.append(this.border(i));
        host.append(pane.box);
      });
      this.watchSizes();
      X.state.on((state, changed) => this.changed(state, changed));
      this.fold(X.state.get());
    }

    // ---- what changes ----

    changed(state, changed) {
      this.together(() => this.show(state, changed));
    }

    show(state, changed) {
      if (changed.has("folded")) this.fold(state);
      if (changed.has("hover")) this.showHover(state);
      if (changed.has("selections") || changed.has("whatif")) this.showSelections(state);
      if (changed.has("selections")) this.sayAll(state);
      if (changed.has("element") || changed.has("holding") || changed.has("subgroup") || changed.has("selections")) this.showElement(state);
    }

    fold(state) {
      for (const pane of this.panes) {
        pane.box.classList.toggle("folded", state.folded.has(pane.id));
        pane.head.setAttribute("aria-expanded", !state.folded.has(pane.id));
      }
      this.takeSizes();
    }

    /** Folds a level, or unfolds it where what is related to the selection stands. */
    toggle(id) {
      const folded = new Set(X.state.get().folded);
      const isOpened = folded.delete(id);
      if (!isOpened) folded.add(id);
      X.state.set({ folded });
      const pane = this.panes.find((one) => one.id === id);
      const row = isOpened ? this.heaviest(pane) : null;
      if (row !== null) pane.centre(row);
    }

    open(pane) {
      if (pane.isFolded()) this.toggle(pane.id);
    }

    point(at) {
      X.state.set({ hover: at });
    }

    showHover({ hover }) {
      const kin = hover ? this.kernel.kin(...hover) : new Map();
      for (const pane of this.panes) {
        const had = pane.pointed;
        pane.pointed = kin.get(pane.level);
        if (!had && !pane.pointed) continue;
        pane.mark(pane.pointed, HOVER);
        pane.dressAll();
        pane.drawRuler();
      }
    }

    showSelections({ selections, whatif }) {
      [FIRST, SECOND].forEach((bit, i) => {
        const kin = selections[i] ? this.kernel.kin(selections[i][0], selections[i][1]) : new Map();
        for (const pane of this.panes) pane.mark(whatif && pane.id === "I" ? null : kin.get(pane.level), bit);
      });
      for (const pane of this.panes) this.showSelf(pane, selections);
      const [, second] = selections;
      if (second) this.panes[second[0]].goTo(this.kernel.levels[second[0]].ops[second[1]][0]);
    }

    // Selected lines may be broken, which moves those below; elsewhere rows stay.
    showSelf(pane, selections) {
      const own = selections.filter(([level]) => level === pane.level).map(([, op]) => op);
      pane.mark(own, SELF);
      pane.choose(selections.filter(([level]) => level === pane.level).map((one) => one[2]));
      if (own.length || pane.wrapped.length) pane.wrap();
      pane.dressAll();
      pane.drawRuler();
    }

    showElement(state) {
      const had = this.hasElement;
      this.hasElement = Boolean(state.element);
      if (!had && !this.hasElement) return;
      for (const pane of this.panes) pane.mark(null, ELEMENT);
      if (state.element && X.way && X.way.lines) {
        for (const [level, ops] of X.way.lines(this.kernel, state)) this.panes[level].mark(ops, ELEMENT);
      }
      for (const pane of this.panes) pane.dressAll();
    }

    /** Selects an op or a value of it; `second` adds it to the first selection. */
    select(at, second) {
      const { selections } = X.state.get();
      const kept = second && selections.length ? [selections[0], at] : [at];
      const holding = at[2] === null ? this.heldBy(at) : this.kernel.holdingOf(at[0], at[2]);
      this.together(() => {
        X.state.set({ selections: kept, holding, step: null });
        this.showHeaviest(at);
      });
    }

    // The holding of what a line defines.
    heldBy([level, op]) {
      const { values, ops } = this.kernel.levels[level];
      const held = Array.from(this.kernel.definedIn(level, ops[op][0])).find((value) => values[value][0] === op && values[value][5] !== null);
      return held === undefined ? null : values[held][5];
    }

    showHeaviest([level]) {
      for (const pane of this.panes) {
        if (pane.isFolded() || pane.level === level) continue;
        const row = this.heaviest(pane);
        if (row !== null) pane.moveTo(row);
      }
    }

    heaviest(pane) {
      const { ops } = this.kernel.levels[pane.level];
      let best = null;
      let most = -Infinity;
      for (const line of pane.linesOf(FIRST)) {
        const hidden = pane.shown[pane.rowOf[line]] < 0 ? 1e9 : 0;
        for (const op of this.kernel.opsOfLine(pane.level, line)) {
          const weight = this.weight(pane, op, this.kernel.names[ops[op][3]], pane.lines[line]) - hidden;
          if (weight > most) [most, best] = [weight, pane.rowOf[line]];
        }
      }
      return best;
    }

    weight(pane, op, name, line) {
      const what = name.endsWith("call") ? line : name;
      const kind = LIGHT.test(name) ? -1e6 : HEAVY.test(what) ? 1e6 : 0;
      return kind + (this.kernel.costs ? this.kernel.counts(pane.level, op).instructions : 0);
    }

    /** The line below says what is selected, however that came to be. */
    sayAll({ selections }) {
      if (selections.length) this.say(selections[selections.length - 1]);
      else X.status("nothing is selected");
    }

    say([level, op, value]) {
      const { id, ops } = this.kernel.levels[level];
      const name = value === null ? this.kernel.names[ops[op][3]] : this.kernel.nameOf(level, value);
      const sum = this.kernel.costs ? `: ${this.costWords(level, op)}${this.ofLine(level, op)}` : "";
      const next = this.panes.filter((pane) => pane.level !== level).map((pane) => [IN_WORDS[pane.id] || pane.id, pane.countRelated()]);
      const places = next.filter(([, count]) => count).map(([letter, count]) => `${letter} ${count}`);
      X.status(`${id} ${ops[op][0] + 1}, ${name}${sum}${places.length ? `; lines elsewhere: ${places.join(", ")}` : ""}`);
    }

    /** What an op costs; instructions are not made of SPIR-V's ops one by one, but of those of level L. */
    costWords(level, op) {
      const { id } = this.kernel.levels[level];
      const [parent] = id === "P" ? this.kernel.parents(level, op) : [];
      if (parent) return `its LLVM op: ${this.told(this.kernel.counts(...parent))}`;
      const counts = this.kernel.counts(level, op);
      const { unroll = 1 } = this.kernel.hotLoop() ?? {};
      return id === "I" && counts.hot && unroll > 1 ? `one of the instructions of a round, which has ${unroll} steps` : this.told(counts);
    }

    /** Where other ops stand in the line too: how much of the line's number is this op's. */
    ofLine(level, op) {
      const pane = this.panes[level];
      const line = this.kernel.levels[level].ops[op][0];
      const own = this.kernel.counts(level, op).instructions;
      const all = pane.sum([line]).instructions;
      return pane.id !== "I" && all > own ? ` (in the text ${own} of the line's ${counted(all, "instruction")})` : "";
    }

    /** Counts in words, per step of the hot loop and outside of it. */
    told(sum) {
      const loop = this.kernel.hotLoop();
      const once = { instructions: sum.instructions - sum.hot, messages: sum.messages - sum.hotMessages, waits: sum.waits - sum.hotWaits };
      const spills = sum.spills - sum.fills;
      const parts = [];
      if (sum.hot) {
        const step = { instructions: sum.hot, messages: sum.hotMessages, waits: sum.hotWaits, spills: sum.hotSpills - sum.hotFills, fills: sum.hotFills };
        const written = loop.unroll > 1 ? ` (in the text, ${loop.unroll} steps: ${counted(sum.hot, "instruction")})` : "";
        parts.push(`per ${loop.step} step: ${listed(step, loop.unroll, sum.bytes)}${written}`);
      }
      if (once.instructions) {
        const rest = { ...once, spills: spills - sum.hotSpills + sum.hotFills, fills: sum.fills - sum.hotFills };
        parts.push(`once: ${listed(rest, 1, sum.hot ? 0 : sum.bytes)}`);
      }
      return parts.join("; ") || "no instruction";
    }

    // ---- keys ----

    enter(pane) {
      this.current = pane;
    }

    focus(pane) {
      this.current = pane;
      pane.body.focus({ preventScroll: true });
      pane.moveTo(pane.cursor);
      X.status(`level ${pane.id}, line ${pane.lineAtCursor() + 1}`);
    }

    line(by) {
      const pane = this.current;
      pane.moveTo(pane.cursor + by);
      const line = pane.lineAtCursor();
      const op = line < 0 ? null : this.kernel.opAt(pane.level, line);
      this.point(op === null ? null : [pane.level, op]);
    }

    across(by) {
      const open = this.panes.filter((pane) => !pane.isFolded());
      const at = open.indexOf(this.current);
      if (open.length) this.focus(open[Math.max(0, Math.min(open.length - 1, at + by))]);
    }

    /** Enter: selects the line at the cursor; again, the next op that stands in it. */
    choose(second) {
      const pane = this.current;
      const line = pane.lineAtCursor();
      if (line < 0) return pane.flip(pane.folds[-1 - line]);
      const here = [...this.kernel.opsOfLine(pane.level, line)];
      const first = this.kernel.opAt(pane.level, line);
      if (first === null) return;
      const [now] = X.state.get().selections;
      const at = now && now[0] === pane.level && now[2] === null ? here.indexOf(now[1]) : -1;
      this.select([pane.level, at < 0 || second ? first : here[(at + 1) % here.length], null], second);
    }

    /** The next value that is written in the line at the cursor. */
    value(by) {
      const pane = this.current;
      const line = pane.lineAtCursor();
      const values = line < 0 ? [] : this.kernel.valuesIn(pane.level, line).map((one) => one[2]);
      if (values.length === 0) return;
      const [now] = X.state.get().selections;
      const at = now && now[0] === pane.level ? values.indexOf(now[2]) : -1;
      const value = values[at < 0 ? 0 : (at + by + values.length) % values.length];
      this.select([pane.level, this.kernel.levels[pane.level].values[value][0], value], false);
    }

    relative(by) {
      const pane = this.current;
      const rows = pane.related();
      if (rows.length === 0) return X.status(`nothing in ${pane.id} is related to the selection`);
      const after = rows.filter((row) => (by > 0 ? row > pane.cursor : row < pane.cursor));
      const row = by > 0 ? after[0] ?? rows[0] : after[after.length - 1] ?? rows[rows.length - 1];
      pane.moveTo(row);
      X.status(`${pane.id}: relative ${rows.indexOf(row) + 1} of ${rows.length}`);
    }

    centre() {
      this.panes.forEach((pane) => {
        if (!pane.isFolded()) pane.centre(pane === this.current ? pane.cursor : this.heaviest(pane) ?? pane.cursor);
      });
    }

    search(words) {
      const wanted = words.toLowerCase();
      this.hits = [];
      for (const pane of this.panes) {
        const found = wanted ? pane.lines.flatMap((line, i) => (line.toLowerCase().includes(wanted) ? [i] : [])) : [];
        pane.markLines(found, HIT);
        found.forEach((line) => this.hits.push([pane, line]));
        pane.dressAll();
        pane.drawRuler();
      }
      this.hit = -1;
      return this.hits.length;
    }

    nextHit(by) {
      const count = this.hits ? this.hits.length : 0;
      if (count === 0) return null;
      this.hit = (this.hit + by + count) % count;
      const [pane, line] = this.hits[this.hit];
      this.open(pane);
      pane.goTo(line);
      this.current = pane;
      return [this.hit + 1, count, pane.id, line + 1];
    }

    // ---- a picture by the pointer ----

    tip(pane, found, event) {
      clearTimeout(this.asked);
      const box = document.getElementById("tip");
      const type = found && found.word && found.word.classList.contains("type");
      const holding = !found || !(type || found.value !== null) ? null : this.holdingUnder(pane, found);
      if (holding === null) {
        box.hidden = true;
        return;
      }
      const { clientX, clientY } = event;
      this.asked = setTimeout(() => this.showTip(box, this.kernel.holdings[holding], clientX, clientY), 350);
    }

    holdingUnder(pane, { line, value }) {
      if (value !== null) return this.kernel.holdingOf(pane.level, value);
      const held = this.kernel.valuesIn(pane.level, line).map((one) => this.kernel.holdingOf(pane.level, one[2]));
      return held.find((one) => one !== null) ?? null;
    }

    showTip(box, holding, x, y) {
      const sizes = holding.tensor.map((name, i) => `${name} ${holding.sizes[i]}`).join(" × ");
      const base = holding.base && holding.base.register !== undefined ? `, from r${holding.base.register} on` : "";
      box.replaceChildren(element("p", "", `${sizes}, ${holding.bits} bits each, in ${holding.place}${base}`));
      if (X.pictures && holding.layout) X.pictures.panel(box.appendChild(element("div")), { ...holding, title: "" });
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      box.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - width - 4))}px`;
      box.style.top = `${Math.max(4, y + 20 + height > innerHeight ? y - height - 12 : y + 20)}px`;
    }
  }

  X.panes = { create: (host, kernel) => new Panes(host, kernel) };
})((window.X = window.X || {}));
