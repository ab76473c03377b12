// The panes: one text per level, rows drawn where they are seen, with links, costs, stretches that fold, and a ruler.
(function (X) {
  "use strict";

  const HEIGHT = 18;
  const AHEAD = 10;
  const FEWEST_HIDDEN = 8;

  // What is said of a line, as bits: part of the first or second selection, of what is pointed at, ...
  const FIRST = 1, SECOND = 2, HOVER = 4, HIT = 8, SELF = 16, ELEMENT = 32;
  const CLASSES = [[FIRST, "first"], [SECOND, "second"], [HOVER, "hover"], [HIT, "hit"], [SELF, "self"], [ELEMENT, "element"]];

  const MLIR = /(?<comment>\/\/.*$)|(?<text>"(?:[^"\\]|\\.)*")|(?<value>%[\w$.-]+)|(?<type>[!#][\w.$-]+|\b(?:vector|memref|index|bf16|[iuf]\d+)\b)|(?<op>\b[a-z]\w*\.[a-z][\w.]*)|(?<symbol>[@^]\w+)|(?<number>\b\d[\w.+-]*)/g;
  const ASSEMBLY = /(?<comment>\/\/.*$|\{[^}]*\}\s*$)|(?<label>^\w+:)|(?<value>\br\d+(?:\.\d+)?)|(?<op>(?<=^(?:\([^)]*\))?\s*(?:\([^)]*\)\s*)?)[a-z][\w.]*)|(?<number>\b(?:0x[\dA-F]+|\d+)\b)/g;
  const SPIRV = /(?<comment>;.*$)|(?<text>"[^"]*")|(?<value>%[\w$.-]+)|(?<op>\bOp[A-Z]\w*)|(?<number>\b\d+\b)/g;
  const PYTHON = /(?<comment>#.*$)|(?<text>"[^"]*"|'[^']*')|(?<op>\b(?:def|for|in|if|else|elif|while|return|import|from|as|lambda|not|and|or|is|None|True|False|with)\b)|(?<value>[A-Za-z_]\w*)|(?<number>\b\d[\w.]*)/g;
  const WORDS = { I: ASSEMBLY, P: SPIRV, Y: PYTHON };

  const HEAVY = /dpas|mma|mad|load|store|prefetch|send|block_read|block_write|reduc/;
  const LIGHT = /constant|mlir\.undef|poison/;

  function element(name, classes, text) {
    const made = document.createElement(name);
    if (classes) made.className = classes;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // ---- stretches of lines that are alike ----

  /** A line without what differs from round to round: names, registers, numbers, tokens of the scoreboard. */
  function shape(line) {
    return line.replace(/\/\/.*$|\{[^}]*\}\s*$/, "").replace(/%[\w$.#-]+|\br\d+[\w.]*(<[^>]*>)?|\b(0x)?\d[\w.]*/g, "_").trim();
  }

  /** Where lines repeat: [{first, period, rounds}], of which all rounds but the first can be hidden. */
  function repeats(lines) {
    const numbers = new Map();
    const shapes = lines.map(shape).map((text) => numbers.get(text) ?? (numbers.set(text, numbers.size), numbers.size - 1));
    const next = nextOfShape(shapes);
    const found = [];
    for (let first = 0; first < lines.length; first++) {
      const best = bestPeriod(shapes, next, first);
      if (best === null) continue;
      found.push(best);
      first += best.period * best.rounds - 1;
    }
    return found;
  }

  function nextOfShape(shapes) {
    const next = new Int32Array(shapes.length);
    const last = new Map();
    for (let i = shapes.length - 1; i >= 0; i--) {
      next[i] = last.get(shapes[i]) ?? shapes.length;
      last.set(shapes[i], i);
    }
    return next;
  }

  function bestPeriod(shapes, next, first) {
    let best = null;
    let tries = 0;
    for (let other = next[first]; other < shapes.length && tries < 80; other = next[other], tries++) {
      const period = other - first;
      let same = 0;
      while (other + same < shapes.length && shapes[first + same] === shapes[other + same]) same++;
      const rounds = 1 + Math.floor(same / period);
      const hidden = period * (rounds - 1);
      if (hidden >= FEWEST_HIDDEN && (best === null || hidden > best.period * (best.rounds - 1))) best = { first, period, rounds };
      if (same >= shapes.length - other) break;
    }
    return best;
  }

  // ---- numbers ----

  function short(number) {
    if (number < 1000) return Number.isInteger(number) ? String(number) : number.toFixed(number < 10 ? 1 : 0);
    const scaled = number / (number < 1e6 ? 1000 : 1e6);
    return scaled.toFixed(scaled < 10 ? 1 : 0).replace(".0", "") + (number < 1e6 ? "k" : "M");
  }

  function sumOf(parts) {
    const sum = { instructions: 0, hot: 0, messages: 0, hotMessages: 0, bytes: 0, waits: 0, hotWaits: 0, spills: 0 };
    for (const part of parts) for (const key in sum) sum[key] += part[key];
    return sum;
  }

  // ---- one pane ----

  class Pane {
    constructor(all, level) {
      const { id, lines } = all.kernel.levels[level];
      this.all = all;
      this.level = level;
      this.id = id;
      this.lines = lines;
      this.bits = new Uint8Array(lines.length);
      this.rows = new Map();
      this.wrapped = [];
      this.cursor = 0;
      this.folds = all.kernel.isSource(level) ? [] : repeats(lines);
      this.folds.forEach((fold) => (fold.closed = true));
      this.build(all.kernel.levels[level]);
      this.arrange();
    }

    build(level) {
      this.box = element("section", "pane");
      this.box.dataset.level = level.id;
      this.head = element("button", "pane-head");
      this.head.append(element("b", "", level.id), ` ${level.title}`);
      this.head.title = `${level.passes.length ? `made by ${level.passes.join(", ")}; ` : ""}${this.level + 1} folds this level`;
      this.head.addEventListener("click", () => this.all.toggle(level.id));
      this.body = element("div", "pane-body");
      Object.assign(this.body, { id: `pane-${level.id}`, tabIndex: 0 });
      this.body.setAttribute("role", "listbox");
      this.body.setAttribute("aria-label", `level ${level.id}, ${level.title}`);
      this.sheet = element("div", "sheet");
      this.body.append(this.sheet);
      this.ruler = element("canvas", "ruler");
      this.ruler.setAttribute("aria-hidden", "true");
      this.box.append(this.head, this.body, this.ruler);
      this.listen();
    }

    listen() {
      const { body, ruler } = this;
      body.addEventListener("scroll", () => this.draw(), { passive: true });
      body.addEventListener("pointermove", (event) => this.point(event));
      body.addEventListener("pointerleave", () => this.all.point(null));
      body.addEventListener("click", (event) => this.click(event));
      body.addEventListener("focus", () => this.all.enter(this));
      ruler.addEventListener("click", (event) => {
        const row = Math.round((event.offsetY / ruler.clientHeight) * this.shown.length);
        this.body.scrollTop = row * HEIGHT - this.body.clientHeight / 2;
      });
    }

    /** Which rows there are: lines, and in place of hidden ones their stretch (as a negative number). */
    arrange() {
      const shown = [];
      this.rowOf = new Int32Array(this.lines.length);
      let next = 0;
      this.folds.forEach((fold, i) => {
        const last = fold.first + fold.period * fold.rounds;
        const visible = fold.first + fold.period;
        for (; next < visible; next++) this.rowOf[next] = shown.push(next) - 1;
        const row = shown.push(-1 - i) - 1;
        for (; next < last; next++) this.rowOf[next] = fold.closed ? row : shown.push(next) - 1;
      });
      for (; next < this.lines.length; next++) this.rowOf[next] = shown.push(next) - 1;
      this.shown = shown;
      const longest = this.lines.reduce((most, line) => Math.max(most, line.length), 0);
      this.sheet.style.width = `max(100%, calc(${longest + 1}ch + var(--gutter)))`;
      this.redraw();
    }

    redraw() {
      this.rows.forEach((row) => row.remove());
      this.rows.clear();
      this.measure();
      this.draw();
      this.drawRuler();
    }

    // Long lines that are selected are broken; they take more rows than one.
    measure() {
      const columns = this.all.columns(this);
      this.wrapped = [];
      if (columns > 10) {
        this.shown.forEach((line, row) => {
          if (line < 0 || !(this.bits[line] & SELF)) return;
          const extra = Math.ceil(this.lines[line].length / columns) - 1;
          if (extra > 0) this.wrapped.push([row, extra * HEIGHT]);
        });
      }
      this.sheet.style.height = `${this.top(this.shown.length)}px`;
    }

    top(row) {
      return this.wrapped.reduce((sum, [at, extra]) => sum + (at < row ? extra : 0), row * HEIGHT);
    }

    draw() {
      if (this.isFolded()) return;
      const { scrollTop, clientHeight } = this.body;
      const extra = this.wrapped.reduce((sum, one) => sum + one[1], 0);
      const first = Math.max(0, Math.floor((scrollTop - extra) / HEIGHT) - AHEAD);
      const last = Math.min(this.shown.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + AHEAD);
      for (const [row, drawn] of this.rows) {
        if (row >= first && row < last) continue;
        drawn.remove();
        this.rows.delete(row);
      }
      const fresh = document.createDocumentFragment();
      for (let row = first; row < last; row++) if (!this.rows.has(row)) fresh.append(this.make(row));
      this.sheet.append(fresh);
    }

    isFolded() {
      return X.state.get().folded.has(this.id);
    }

    make(row) {
      const line = this.shown[row];
      const made = element("div");
      made.setAttribute("role", "option");
      made.id = `${this.id}-${row}`;
      made.setAttribute("aria-posinset", row + 1);
      made.setAttribute("aria-setsize", this.shown.length);
      if (line < 0) this.fillFold(made, this.folds[-1 - line]);
      else this.fill(made, line);
      made.style.top = `${this.top(row)}px`;
      this.rows.set(row, made);
      this.dress(made, row);
      return made;
    }

    fill(made, line) {
      const numbers = this.all.kernel.levels[this.level].numbers;
      made.dataset.line = line;
      const text = element("span", "text");
      this.words(text, line);
      made.append(element("span", "place", numbers ? numbers[line] : line + 1), ...this.costs([line]), text);
    }

    fillFold(made, fold) {
      made.dataset.fold = fold.first;
      made.append(element("span", "place", fold.closed ? "+" : "−"), ...this.costs(fold.closed ? this.hidden(fold) : []));
      made.append(element("span", "text fold", this.foldText(fold)));
    }

    hidden({ first, period, rounds }) {
      return Array.from({ length: period * (rounds - 1) }, (_, i) => first + period + i);
    }

    foldText({ period, rounds, first, closed }) {
      const loop = this.all.kernel.hotLoop();
      const steps = loop && rounds === loop.unroll && this.sum([first, first + period - 1]).hot > 0;
      const what = steps ? `${loop.step.split(" ")[0]} steps 2–${rounds} as step 1` : `${rounds - 1} more like ${period > 1 ? `these ${period} lines` : "this line"}`;
      return `${closed ? "⋯" : "▾"} ${what} (${period * (rounds - 1)} lines${closed ? "" : ", click to fold"})`;
    }

    /** What lines cost, as the cells of the gutter. */
    costs(lines) {
      const cells = element("span", "costs");
      if (!this.all.kernel.costs) return [];
      const sum = this.sum(lines);
      const unroll = this.all.kernel.hotLoop()?.unroll || 1;
      const cell = (kind, hot, all) => {
        const made = element("span", `${kind}${hot ? " hot" : ""}`, all ? short(hot ? hot / unroll : all) : "");
        cells.append(made);
      };
      const isOne = this.id === "I" && lines.length === 1;
      cell("instructions", isOne ? 0 : sum.hot, isOne ? 0 : sum.instructions);
      cell("messages", sum.hotMessages, sum.messages);
      cell("bytes", sum.hot && sum.bytes, sum.bytes);
      cell("waits", sum.hotWaits, sum.waits);
      if (sum.instructions) cells.title = this.all.told(sum);
      cells.classList.toggle("spills", sum.spills > 0);
      const heat = element("span", "heat");
      heat.style.opacity = sum.instructions ? Math.max(0.08, Math.sqrt(sum.instructions / this.all.most)) : 0;
      return [cells, heat];
    }

    sum(lines) {
      const { kernel } = this.all;
      return sumOf(lines.flatMap((line) => Array.from(kernel.opsOfLine(this.level, line), (op) => kernel.counts(this.level, op))));
    }

    words(host, line) {
      const text = this.lines[line];
      const values = new Map(this.all.kernel.valuesIn(this.level, line).map((one) => [one[0], one]));
      let at = 0;
      for (const match of text.matchAll(WORDS[this.id] || MLIR)) {
        const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
        const value = values.get(match.index);
        const plain = kind === "value" && !value;
        host.append(text.slice(at, match.index));
        const word = element("span", plain ? "" : kind, match[0]);
        if (value) word.dataset.value = value[2];
        host.append(word);
        at = match.index + match[0].length;
      }
      host.append(text.slice(at));
    }

    // ---- marks ----

    bitsOf(row) {
      const line = this.shown[row];
      if (line >= 0) return this.bits[line];
      const fold = this.folds[-1 - line];
      return fold.closed ? this.hidden(fold).reduce((bits, one) => bits | this.bits[one], 0) & ~SELF : 0;
    }

    dress(made, row) {
      const bits = this.bitsOf(row);
      made.className = `row${row === this.cursor ? " cursor" : ""}`;
      for (const [bit, name] of CLASSES) if (bits & bit) made.classList.add(name);
      made.setAttribute("aria-selected", Boolean(bits & SELF));
      made.style.width = bits & SELF ? `${this.body.clientWidth}px` : "";
      for (const word of made.querySelectorAll("[data-value]")) word.classList.toggle("chosen", this.all.isChosen(this.level, Number(word.dataset.value)));
    }

    dressAll() {
      for (const [row, made] of this.rows) this.dress(made, row);
    }

    mark(ops, bit) {
      for (let line = 0; line < this.bits.length; line++) this.bits[line] &= ~bit;
      if (!ops) return;
      const all = this.all.kernel.levels[this.level].ops;
      for (const op of ops) this.bits[all[op][0]] |= bit;
    }

    /** Lines that are related to a selection, from top to bottom, as rows. */
    related() {
      const rows = new Set();
      this.bits.forEach((bits, line) => {
        if (bits & (FIRST | SECOND)) rows.add(this.rowOf[line]);
      });
      return [...rows];
    }

    drawRuler() {
      const { ruler } = this;
      const width = (ruler.width = ruler.clientWidth);
      const height = (ruler.height = ruler.clientHeight);
      if (!height) return;
      const pen = ruler.getContext("2d");
      const scale = Math.min(HEIGHT, height / this.shown.length);
      const lanes = [[FIRST, 0], [SECOND, 0.5], [HOVER, 0], [HIT, 0.5]];
      for (const [bit, side] of lanes) {
        pen.fillStyle = this.all.colours[bit];
        const part = bit === HOVER ? width / 3 : width / 2;
        let before = -1;
        this.bits.forEach((bits, line) => {
          const y = Math.floor(this.rowOf[line] * scale);
          if (!(bits & bit) || y === before) return;
          before = y;
          pen.fillRect(side * width, y, part, Math.max(2, scale - 1));
        });
      }
    }

    // ---- the pointer ----

    under(event) {
      const made = event.target.closest(".row");
      if (!made) return null;
      if (made.dataset.fold !== undefined) return { value: null, op: null, fold: this.folds.find((fold) => fold.first === Number(made.dataset.fold)) };
      const line = Number(made.dataset.line);
      const value = event.target.dataset.value === undefined ? null : Number(event.target.dataset.value);
      return { line, value, op: this.opUnder(event, line, value), word: event.target };
    }

    opUnder(event, line, value) {
      if (value !== null) return this.all.kernel.levels[this.level].values[value][0];
      return this.all.kernel.opAt(this.level, line, this.all.columnAt(event));
    }

    point(event) {
      const found = this.under(event);
      this.all.point(found && found.op != null ? [this.level, found.op] : null);
      this.all.tip(this, found, event);
    }

    click(event) {
      const found = this.under(event);
      if (!found) return;
      if (found.fold) return this.flip(found.fold);
      this.moveTo(this.rowOf[found.line]);
      if (found.op !== null) this.all.select([this.level, found.op, found.value], event.shiftKey);
    }

    flip(fold) {
      fold.closed = !fold.closed;
      this.arrange();
    }

    unfoldAll() {
      const close = this.folds.some((fold) => !fold.closed);
      this.folds.forEach((fold) => (fold.closed = close));
      this.arrange();
    }

    // ---- the cursor ----

    moveTo(row) {
      const old = this.cursor;
      this.cursor = Math.max(0, Math.min(this.shown.length - 1, row));
      this.reveal(this.cursor);
      for (const one of [old, this.cursor]) if (this.rows.has(one)) this.dress(this.rows.get(one), one);
      this.body.setAttribute("aria-activedescendant", `${this.id}-${this.cursor}`);
    }

    reveal(row) {
      const { scrollTop, clientHeight } = this.body;
      const top = this.top(row);
      if (top < scrollTop || top + HEIGHT > scrollTop + clientHeight) this.centre(row);
      else this.draw();
    }

    centre(row) {
      this.body.scrollTop = this.top(row) - this.body.clientHeight / 2 + HEIGHT / 2;
      this.draw();
    }

    lineAtCursor() {
      return this.shown[this.cursor];
    }

    /** Shows a line, opening what hides it. */
    goTo(line) {
      const fold = this.folds.find((one) => one.closed && one.first + one.period <= line && line < one.first + one.period * one.rounds);
      if (fold) this.flip(fold);
      this.moveTo(this.rowOf[line]);
    }
  }

  // ---- all panes ----

  class Panes {
    constructor(host, kernel) {
      this.host = host;
      this.kernel = kernel;
      this.most = 1;
      kernel.levels.forEach((level, i) => kernel.costs && level.ops.forEach((_, op) => (this.most = Math.max(this.most, kernel.counts(i, op).instructions))));
      this.readColours();
      this.panes = kernel.levels.map((_, level) => new Pane(this, level));
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

    readColours() {
      const style = getComputedStyle(document.documentElement);
      const of = (name) => style.getPropertyValue(name).trim() || "#888";
      this.colours = { [FIRST]: of("--mark-first"), [SECOND]: of("--mark-second"), [HOVER]: of("--mark-hover"), [HIT]: of("--mark-hit") };
      const probe = element("span", "probe", "0".repeat(100));
      document.body.append(probe);
      this.letter = probe.getBoundingClientRect().width / 100;
      probe.remove();
    }

    watchSizes() {
      let waiting = false;
      const observer = new ResizeObserver(() => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          this.panes.forEach((pane) => pane.redraw());
        });
      });
      this.panes.forEach((pane) => observer.observe(pane.box));
    }

    columns(pane) {
      const gutter = pane.rows.size ? [...pane.rows.values()][0].querySelector(".text")?.offsetLeft : 0;
      return Math.floor((pane.body.clientWidth - (gutter || 90) - 8) / this.letter);
    }

    columnAt(event) {
      const text = event.target.closest(".row").querySelector(".text");
      return Math.floor((event.clientX - text.getBoundingClientRect().left) / this.letter);
    }

    /** A border between panes, moved by the pointer or the arrow keys. */
    border(i) {
      const made = element("div", "border");
      made.tabIndex = 0;
      made.setAttribute("role", "separator");
      made.setAttribute("aria-orientation", "vertical");
      made.setAttribute("aria-label", `width of ${this.panes[i - 1].id}`);
      made.addEventListener("pointerdown", (event) => this.drag(made, event, i));
      made.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        this.widen(i, by);
      });
      return made;
    }

    drag(made, start, i) {
      let from = start.clientX;
      made.setPointerCapture(start.pointerId);
      const move = (event) => {
        this.widen(i, event.clientX - from);
        from = event.clientX;
      };
      made.addEventListener("pointermove", move);
      made.addEventListener("lostpointercapture", () => made.removeEventListener("pointermove", move), { once: true });
    }

    /** Moves the border in front of pane `i`: from the next open pane on one side to that on the other. */
    widen(i, by) {
      const open = (pane) => !pane.isFolded();
      const left = this.panes.slice(0, i).reverse().find(open);
      const right = this.panes.slice(i).find(open);
      if (!left || !right) return;
      const widths = this.panes.filter(open).map((pane) => [pane, pane.box.getBoundingClientRect().width]);
      for (const [pane, width] of widths) {
        const wanted = width + (pane === left ? by : pane === right ? -by : 0);
        if (wanted < 80) return;
        pane.wanted = wanted;
      }
      for (const [pane] of widths) pane.box.style.flexGrow = pane.wanted;
    }

    // ---- what changes ----

    changed(state, changed) {
      if (changed.has("folded")) this.fold(state);
      if (changed.has("hover")) this.showHover(state);
      if (changed.has("selections") || changed.has("whatif")) this.showSelections(state);
      if (changed.has("element") || changed.has("holding") || changed.has("subgroup") || changed.has("selections")) this.showElement(state);
    }

    fold(state) {
      for (const pane of this.panes) {
        pane.box.classList.toggle("folded", state.folded.has(pane.id));
        pane.head.setAttribute("aria-expanded", !state.folded.has(pane.id));
        pane.redraw();
      }
    }

    toggle(id) {
      const folded = new Set(X.state.get().folded);
      if (!folded.delete(id)) folded.add(id);
      X.state.set({ folded });
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
      for (const pane of this.panes) {
        pane.mark(selections.filter(([level]) => level === pane.level).map(([, op]) => op), SELF);
        pane.redraw();
      }
    }

    showElement(state) {
      for (const pane of this.panes) pane.mark(null, ELEMENT);
      if (state.element && X.way && X.way.lines) {
        for (const [level, ops] of X.way.lines(this.kernel, state)) this.panes[level].mark(ops, ELEMENT);
      }
      for (const pane of this.panes) pane.dressAll();
    }

    isChosen(level, value) {
      return X.state.get().selections.some((one) => one[0] === level && one[2] === value);
    }

    /** Selects an op or a value of it; `second` adds it to the first selection. */
    select(at, second) {
      const { selections } = X.state.get();
      const kept = second && selections.length ? [selections[0], at] : [at];
      const holding = at[2] === null ? this.heldBy(at) : this.kernel.holdingOf(at[0], at[2]);
      X.state.set({ selections: kept, holding, element: null, rectangle: null, step: null });
      this.showHeaviest(at);
      this.say(at);
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
      pane.bits.forEach((bits, line) => {
        if (!(bits & FIRST)) return;
        for (const op of this.kernel.opsOfLine(pane.level, line)) {
          const weight = this.weight(pane, op, this.kernel.names[ops[op][3]], pane.lines[line]);
          if (weight > most) [most, best] = [weight, pane.rowOf[line]];
        }
      });
      return best;
    }

    weight(pane, op, name, line) {
      const what = name.endsWith("call") ? line : name;
      const kind = LIGHT.test(name) ? -1e6 : HEAVY.test(what) ? 1e6 : 0;
      return kind + (this.kernel.costs ? this.kernel.counts(pane.level, op).instructions : 0);
    }

    say([level, op, value]) {
      const { id, ops } = this.kernel.levels[level];
      const name = value === null ? this.kernel.names[ops[op][3]] : this.kernel.nameOf(level, value);
      const sum = this.kernel.costs ? `: ${this.told(this.kernel.counts(level, op))}` : "";
      const next = this.panes.filter((pane) => pane.level !== level).map((pane) => [pane.id, pane.related().length]);
      const places = next.filter(([, count]) => count).map(([letter, count]) => `${letter} ${count}`);
      X.status(`${id} ${ops[op][0] + 1}, ${name}${sum}${places.length ? `; lines elsewhere: ${places.join(", ")}` : ""}`);
    }

    /** Counts in words, per step of the hot loop and outside of it. */
    told({ instructions, hot, messages, hotMessages, bytes, waits, spills }) {
      const loop = this.kernel.hotLoop();
      const parts = [];
      if (hot) parts.push(`${short(hot / loop.unroll)} instructions in each ${loop.step} step`, `${short(hotMessages / loop.unroll)} of them messages`);
      if (instructions > hot) parts.push(`${instructions - hot} instructions once`);
      if (messages > hotMessages) parts.push(`${messages - hotMessages} of them messages`);
      if (bytes) parts.push(`${bytes} bytes (from the messages' sizes)`);
      if (waits) parts.push(`${waits} waits`);
      if (spills) parts.push(`${spills} spills and fills`);
      return parts.join(", ") || "no instruction";
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
        pane.lines.forEach((line, i) => {
          pane.bits[i] &= ~HIT;
          if (!wanted || !line.toLowerCase().includes(wanted)) return;
          pane.bits[i] |= HIT;
          this.hits.push([pane, i]);
        });
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
      clearTimeout(this.waiting);
      const box = document.getElementById("tip");
      const type = found && found.word && found.word.classList.contains("type");
      const holding = !found || !(type || found.value !== null) ? null : this.holdingUnder(pane, found);
      if (holding === null) {
        box.hidden = true;
        return;
      }
      const { clientX, clientY } = event;
      this.waiting = setTimeout(() => this.showTip(box, this.kernel.holdings[holding], clientX, clientY), 350);
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

  X.panes = { create: (host, kernel) => new Panes(host, kernel), repeats };
})((window.X = window.X || {}));
