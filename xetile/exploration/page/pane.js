// One pane: the text of a level, rows drawn where they are seen, with its marks, costs, folds and ruler.
(function (X) {
  "use strict";

  const { element } = X.elements;
  const HEIGHT = 18;
  const AHEAD = 10;

  // What is said of a line, as bits: part of the first or second selection, of what is pointed at, ...
  const FIRST = 1, SECOND = 2, HOVER = 4, HIT = 8, SELF = 16, ELEMENT = 32;
  const CLASSES = [[FIRST, "first"], [SECOND, "second"], [HOVER, "hover"], [HIT, "hit"], [SELF, "self"], [ELEMENT, "element"]];

  class Pane {
    constructor(all, level) {
      const { id, lines } = all.kernel.levels[level];
      Object.assign(this, { all, level, id });
      this.lines = id === "I" ? X.lines.narrowed(lines, (line) => this.spillOf(line)) : lines;
      this.bits = new Uint8Array(lines.length);
      this.rows = new Map();
      this.wrapped = [];
      this.cursor = 0;
      this.folds = all.kernel.isSource(level) ? [] : X.lines.repeats(lines, (line) => this.madeOf(line, lines[line]));
      this.folds.forEach((fold) => (fold.closed = true));
      this.build(all.kernel.levels[level]);
      this.arrange();
    }

    /** "spill" or "fill" where an instruction is one: its text does not say so. */
    spillOf(line) {
      const { kernel } = this.all;
      return Array.from(kernel.opsOfLine(this.level, line), (op) => kernel.classOf(op)).find((name) => name === "spill" || name === "fill");
    }

    /** The ops of a line by opcode, what they call, and the ops of the source that they came of; null where that is not known. */
    madeOf(line, text) {
      const { kernel } = this.all;
      const { ops } = kernel.levels[this.level];
      const here = Array.from(kernel.opsOfLine(this.level, line), (op) => [kernel.names[ops[op][3]], kernel.rootOf(this.level, op)]);
      const isKnown = here.length && here.every(([, root]) => root !== "");
      return isKnown ? `${here.map((one) => one.join(" ")).join()} ${/@[\w.$]+/.exec(text) ?? ""}` : null;
    }

    build(level) {
      this.box = element("section", "pane");
      this.box.dataset.level = level.id;
      this.head = element("button", "pane-head");
      this.head.append(element("b", "", level.id), ` ${level.title}`, element("small", "", `${this.level + 1}`));
      this.head.title = `${level.passes.length ? `made by ${level.passes.join(", ")}; ` : ""}${this.level + 1} folds this level`;
      this.head.addEventListener("click", () => this.all.toggle(level.id));
      this.body = element("div", "pane-body");
      Object.assign(this.body, { id: `pane-${level.id}`, tabIndex: 0 });
      this.body.setAttribute("role", "listbox");
      this.body.setAttribute("aria-label", `level ${level.id}, ${level.title}`);
      this.sheet = element("div", "sheet");
      this.body.append(this.sheet);
      this.heads = element("div", "heads");
      this.heads.setAttribute("aria-hidden", "true");
      for (const words of ["line", "instr", "msgs", "byte", "wait"]) this.heads.append(element("span", "", words));
      this.ruler = element("canvas", "ruler");
      this.ruler.setAttribute("aria-hidden", "true");
      this.box.append(this.head, this.heads, this.body, this.ruler);
      this.listen();
    }

    listen() {
      const { body, ruler } = this;
      body.addEventListener("scroll", () => this.scroll(body.scrollTop), { passive: true });
      body.addEventListener("pointermove", (event) => this.point(event));
      body.addEventListener("pointerleave", () => this.all.point(null));
      body.addEventListener("click", (event) => this.click(event));
      body.addEventListener("focus", () => this.all.enter(this));
      ruler.addEventListener("click", (event) => {
        const row = Math.round((event.offsetY / ruler.clientHeight) * this.shown.length);
        this.centre(Math.min(row, this.shown.length - 1));
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
      this.takeSizes();
      this.redrawRows();
    }

    // Asking the browser for sizes makes it lay out all that changed; so they are kept.
    takeSizes() {
      const { body, ruler } = this;
      this.height = body.clientHeight;
      this.width = body.clientWidth;
      this.scrolled = body.scrollTop;
      [ruler.width, ruler.height] = [ruler.clientWidth, ruler.clientHeight];
    }

    redrawRows() {
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
      const { scrolled, height } = this;
      const extra = this.wrapped.reduce((sum, one) => sum + one[1], 0);
      const first = Math.max(0, Math.floor((scrolled - extra) / HEIGHT) - AHEAD);
      const last = Math.min(this.shown.length, Math.ceil((scrolled + height) / HEIGHT) + AHEAD);
      for (const [row, drawn] of this.rows) {
        if (row >= first && row < last) continue;
        drawn.remove();
        this.rows.delete(row);
      }
      const fresh = document.createDocumentFragment();
      for (let row = first; row < last; row++) if (!this.rows.has(row)) fresh.append(this.make(row));
      this.sheet.append(fresh);
      this.gutter ||= this.sheet.querySelector(".text")?.offsetLeft;
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
      made.append(element("span", "place", numbers ? numbers[line] || "" : line + 1), ...this.costs([line]), text);
    }

    fillFold(made, fold) {
      made.dataset.fold = fold.first;
      made.append(element("span", "place", fold.closed ? "+" : "−"), ...this.costs(fold.closed ? this.hidden(fold) : []));
      made.append(element("span", "text fold", this.foldText(fold)));
    }

    hidden({ first, period, rounds }) {
      return X.lines.range(first + period, period * (rounds - 1));
    }

    foldText({ period, rounds, first, closed }) {
      const what = this.stepsText(period, rounds, first) ?? `${rounds - 1} more like ${period > 1 ? `these ${period} lines` : "this line"}`;
      return `${closed ? "⋯" : "▾"} ${what} (${period * (rounds - 1)} lines${closed ? "" : ", click to fold"})`;
    }

    // The compiler moves what it can of the first and last step of a loop: then a stretch has fewer rounds than the loop has steps.
    stepsText(period, rounds, first) {
      const loop = this.all.kernel.hotLoop();
      if (!loop || rounds < 2 || rounds > loop.unroll || rounds < loop.unroll - 2) return null;
      const { hot } = this.sum(X.lines.range(first, period));
      if (hot * loop.unroll * 2 < loop.asm[1] - loop.asm[0]) return null;
      const name = loop.step.split(" ")[0];
      return rounds === loop.unroll ? `${name} steps 2-${rounds} as step 1` : `${rounds - 1} more ${name} steps like these ${period} lines`;
    }

    // What lines cost, as the cells of the gutter.
    costs(lines) {
      const cells = element("span", "costs");
      if (!this.all.kernel.costs) return [];
      const sum = this.sum(lines);
      const unroll = this.all.kernel.hotLoop()?.unroll || 1;
      const cell = (kind, hot, all) => {
        const made = element("span", `${kind}${hot ? " hot" : ""}`, all ? X.lines.short(hot && kind !== "bytes" ? hot / unroll : all) : "");
        cells.append(made);
      };
      const isOne = this.id === "I" && lines.length === 1;
      cell("instructions", isOne ? 0 : sum.hot, isOne ? 0 : sum.instructions);
      cell("messages", isOne ? 0 : sum.hotMessages, isOne ? 0 : sum.messages);
      // bytes are counted for one step already
      cell("bytes", sum.hot && sum.bytes, sum.bytes);
      cell("waits", isOne ? 0 : sum.hotWaits, isOne ? 0 : sum.waits);
      if (sum.instructions) cells.title = this.all.told(sum);
      cells.classList.toggle("spills", sum.spills > 0);
      const heat = element("span", "heat");
      heat.style.opacity = sum.instructions ? Math.max(0.08, Math.sqrt(sum.instructions / this.all.most)) : 0;
      return [cells, heat];
    }

    sum(lines) {
      const { kernel } = this.all;
      return X.lines.sumOf(lines.flatMap((line) => Array.from(kernel.opsOfLine(this.level, line), (op) => kernel.counts(this.level, op))));
    }

    words(host, line) {
      const text = this.lines[line];
      const values = new Map(this.all.kernel.valuesIn(this.level, line).map((one) => [one[0], one]));
      let at = 0;
      for (const [first, written, kind] of X.lines.wordsOf(this.id, text)) {
        const value = values.get(first);
        const plain = kind === "value" && !value;
        host.append(text.slice(at, first));
        const word = element("span", plain ? "" : kind, written);
        if (value) word.dataset.value = value[2];
        host.append(word);
        at = first + written.length;
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
      made.style.width = bits & SELF ? `${this.width}px` : "";
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

    /** How many lines are related to a selection, hidden ones too. */
    countRelated() {
      return this.bits.filter((bits) => bits & (FIRST | SECOND)).length;
    }

    drawRuler() {
      const { ruler } = this;
      const { width, height } = ruler;
      if (!height) return;
      const pen = ruler.getContext("2d");
      pen.clearRect(0, 0, width, height);
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
      const closed = this.folds.some((fold) => !fold.closed);
      for (const fold of this.folds) fold.closed = closed;
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
      const top = this.top(row);
      if (top < this.scrolled || top + HEIGHT > this.scrolled + this.height) this.centre(row);
      else this.draw();
    }

    /** Shows a line as the first of the pane. */
    begin(line) {
      this.cursor = this.rowOf[line];
      this.scrollTo(this.top(this.cursor));
    }

    centre(row) {
      this.scrollTo(this.top(row) - this.height / 2 + HEIGHT / 2);
    }

    scrollTo(top) {
      const most = Math.max(0, this.top(this.shown.length) - this.height);
      this.body.scrollTop = Math.max(0, Math.min(most, top));
      this.scroll(Math.max(0, Math.min(most, top)));
    }

    scroll(top) {
      this.scrolled = top;
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

  X.pane = { Pane, bits: { FIRST, SECOND, HOVER, HIT, SELF, ELEMENT } };
})((window.X = window.X || {}));
