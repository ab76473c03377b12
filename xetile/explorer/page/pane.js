// One pane: the text of a level, rows drawn where they are seen, with its marks, costs, folds and ruler.
(function (X) {
  "use strict";

  const { element } = X.elements;
  const HEIGHT = 18;
  // Rows that are drawn beyond those that are seen: while a user scrolls, and where a pane is shown elsewhere.
  const SCROLLING = 12, STILL = 2;

  // What is said of a line, as bits: part of the first or second selection, of what is pointed at, ...
  const FIRST = 1, SECOND = 2, HOVER = 4, HIT = 8, SELF = 16, ELEMENT = 32;
  const NAMES = ["first", "second", "hover", "hit", "self", "element"];
  const CURSOR = 64;
  const CLASSES = X.lines.range(0, 64).map((bits) => ["row", ...NAMES.filter((_, i) => (bits >> i) & 1)].join(" "));

  class Pane extends X.rows.Rows {
    constructor(all, level) {
      super();
      const { kernel } = all;
      const { id, lines } = kernel.levels[level];
      Object.assign(this, { all, level, id, cursor: 0, scrolled: 0, height: 0, width: 0, wrapped: [], chosen: [], beginning: null });
      this.lines = id === "I" ? X.lines.narrowed(lines, (line) => this.spillOf(line)) : lines;
      this.bits = new Uint8Array(lines.length);
      this.marked = new Map();
      this.rows = new Map();
      this.build(kernel.levels[level]);
    }

    /** "spill" or "fill" where an instruction is one: its text does not say so. */
    spillOf(line) {
      const { kernel } = this.all;
      if (!kernel.costs?.spill) return undefined;
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
      body.addEventListener("pointerleave", () => (this.all.point(null), this.all.tip(this, null)));
      body.addEventListener("click", (event) => this.click(event));
      body.addEventListener("focus", () => this.all.enter(this));
      ruler.addEventListener("click", (event) => {
        const row = Math.round((event.offsetY / ruler.clientHeight) * this.shown.length);
        this.centre(Math.min(row, this.shown.length - 1));
      });
    }

    // Rows are worked out when they are first asked for: a folded level has none.
    get folds() {
      const { lines } = this.all.kernel.levels[this.level];
      this.stretches ??= this.all.kernel.isSource(this.level) ? [] : X.lines.repeats(lines, (line) => this.madeOf(line, lines[line])).map((fold) => ({ ...fold, closed: true }));
      return this.stretches;
    }

    get shown() {
      return this.arranged().shown;
    }

    get rowOf() {
      return this.arranged().rowOf;
    }

    /** Which rows there are: lines, and in place of hidden ones their stretch (as a negative number); and their marks. */
    arranged() {
      if (this.order) return this.order;
      const shown = [];
      const rowOf = new Int32Array(this.lines.length);
      let next = 0;
      this.folds.forEach((fold, i) => {
        const last = fold.first + fold.period * fold.rounds;
        const visible = fold.first + fold.period;
        for (; next < visible; next++) rowOf[next] = shown.push(next) - 1;
        const row = shown.push(-1 - i) - 1;
        for (; next < last; next++) rowOf[next] = fold.closed ? row : shown.push(next) - 1;
      });
      for (; next < this.lines.length; next++) rowOf[next] = shown.push(next) - 1;
      this.order = { shown, rowOf, bits: new Uint8Array(shown.length) };
      for (const [bit, lines] of this.marked) for (const line of lines) this.markRow(line, bit);
      const longest = this.lines.reduce((most, line) => Math.max(most, line.length), 0);
      this.sheet.style.width = `max(100%, calc(${longest + 1}ch + var(--gutter)))`;
      return this.order;
    }

    rearrange() {
      this.order = null;
      this.redraw();
    }

    /** All rows anew. */
    redraw() {
      this.rows.forEach(({ node }) => node.remove());
      this.rows.clear();
      if (this.beginning !== null) this.begin(this.beginning);
      this.wrap();
    }

    // Asking the browser for sizes makes it lay out all that changed; so they are kept. True where they are others now.
    takeSizes() {
      const { body, ruler } = this;
      const found = [body.clientHeight, body.clientWidth, ruler.clientWidth, ruler.clientHeight];
      if (`${found}` === `${this.sizes}`) return false;
      this.sizes = found;
      [this.height, this.width] = found;
      return true;
    }

    /** Long lines that are selected are broken, and take more rows than one: which, and that all is to be drawn. */
    wrap() {
      const columns = this.all.columns(this);
      this.wrapped = [];
      if (columns > 10 && !this.isFolded()) {
        for (const line of this.marked.get(SELF) || []) {
          const extra = Math.ceil(this.lines[line].length / columns) - 1;
          if (extra > 0 && this.shown[this.rowOf[line]] >= 0) this.wrapped.push([this.rowOf[line], extra * HEIGHT]);
        }
      }
      this.isMoved = true;
      this.all.stale(this);
    }

    top(row) {
      return this.wrapped.reduce((sum, [at, extra]) => sum + (at < row ? extra : 0), row * HEIGHT);
    }

    // What the browser is told of a pane that changed, in the order in which it has to lay out least: `place` of all, `draw` of all.
    place() {
      if (this.isFolded()) return;
      if (this.isMoved) this.sheet.style.height = `${this.top(this.shown.length)}px`;
      if (!this.isScrolled) return;
      this.isScrolled = false;
      this.body.scrollTop = this.scrolled;
    }

    draw(ahead = STILL) {
      if (this.isFolded()) return;
      const { scrolled, height } = this;
      const extra = this.wrapped.reduce((sum, one) => sum + one[1], 0);
      const first = Math.max(0, Math.floor((scrolled - extra) / HEIGHT) - ahead);
      const last = Math.min(this.shown.length, Math.ceil((scrolled + height) / HEIGHT) + ahead);
      for (const [row, { node }] of this.rows) {
        if (row < first - SCROLLING || row >= last + SCROLLING) {
          node.remove();
          this.rows.delete(row);
        } else if (this.isMoved) node.style.top = `${this.top(row)}px`;
      }
      this.isMoved = false;
      this.dressAll();
      const fresh = document.createDocumentFragment();
      for (let row = first; row < last; row++) if (!this.rows.has(row)) fresh.append(this.make(row));
      if (fresh.firstChild) this.sheet.append(fresh);
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
      const drawn = { node: made, bits: null, isSelf: false };
      this.rows.set(row, drawn);
      this.dress(drawn, row);
      return made;
    }

    // ---- marks ----

    // What a row shows already is not said again.
    dress(drawn, row) {
      const bits = this.arranged().bits[row] | (row === this.cursor ? CURSOR : 0);
      if (drawn.bits === bits) return;
      const { node } = drawn;
      const isSelf = Boolean(bits & SELF);
      node.className = `${CLASSES[bits & ~CURSOR]}${bits & CURSOR ? " cursor" : ""}`;
      if (drawn.bits === null || isSelf !== drawn.isSelf) {
        node.setAttribute("aria-selected", isSelf);
        node.style.width = isSelf ? `${this.width}px` : "";
      }
      Object.assign(drawn, { bits, isSelf });
    }

    dressAll() {
      for (const [row, drawn] of this.rows) this.dress(drawn, row);
    }

    /** Outlines the values that are selected, where they are written. */
    choose(values) {
      if (`${values}` === `${this.chosen}`) return;
      this.chosen = values;
      for (const word of this.sheet.querySelectorAll("[data-value]")) word.classList.toggle("chosen", values.includes(Number(word.dataset.value)));
    }

    mark(ops, bit) {
      const all = this.all.kernel.levels[this.level].ops;
      this.markLines(ops ? Array.from(ops, (op) => all[op][0]) : [], bit);
    }

    /** Gives lines a mark, and takes it from all others: as much is done as lines have it or had it. */
    markLines(lines, bit) {
      for (const line of this.marked.get(bit) || []) {
        this.bits[line] &= ~bit;
        if (this.order) this.order.bits[this.order.rowOf[line]] &= ~bit;
      }
      const found = lines.filter((line) => !(this.bits[line] & bit) && (this.bits[line] |= bit));
      this.marked.set(bit, found);
      if (this.order) for (const line of found) this.markRow(line, bit);
    }

    // A stretch that is closed has the marks of what it hides; it is not what is selected itself.
    markRow(line, bit) {
      const { rowOf, shown, bits } = this.order;
      if (bit !== SELF || shown[rowOf[line]] >= 0) bits[rowOf[line]] |= bit;
    }

    linesOf(bit) {
      return this.marked.get(bit) || [];
    }

    /** Lines that are related to a selection, from top to bottom, as rows. */
    related() {
      const rows = [...this.linesOf(FIRST), ...this.linesOf(SECOND)].map((line) => this.rowOf[line]);
      return [...new Set(rows)].sort((one, other) => one - other);
    }

    /** How many lines are related to a selection, hidden ones too. */
    countRelated() {
      return this.linesOf(FIRST).length + this.linesOf(SECOND).filter((line) => !(this.bits[line] & FIRST)).length;
    }

    /** All marks over the pane's whole length; of a folded one by lines, which has no rows. */
    drawRuler() {
      const { ruler } = this;
      const [, , width, height] = this.sizes || [];
      if (!height) return;
      if (ruler.width !== width || ruler.height !== height) Object.assign(ruler, { width, height });
      const pen = ruler.getContext("2d");
      pen.clearRect(0, 0, width, height);
      const isFolded = this.isFolded();
      const scale = Math.min(HEIGHT, height / (isFolded ? this.lines : this.shown).length);
      const rowOf = isFolded ? null : this.rowOf;
      const lanes = [[FIRST, 0], [SECOND, 0.5], [HOVER, 0], [HIT, 0.5]];
      for (const [bit, side] of lanes) {
        const lines = this.linesOf(bit);
        if (lines.length === 0) continue;
        pen.fillStyle = this.all.colours[bit];
        const part = bit === HOVER ? width / 3 : width / 2;
        const at = new Uint8Array(height);
        for (const line of lines) at[Math.floor((rowOf ? rowOf[line] : line) * scale)] = 1;
        at.forEach((isMarked, y) => isMarked && pen.fillRect(side * width, y, part, Math.max(2, scale - 1)));
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
      this.tellCosts(event.target.closest(".costs"), found);
      this.all.point(found && found.op != null ? [this.level, found.op] : null);
      this.all.tip(this, found, event);
    }

    // What the numbers of a row mean is said where it is asked.
    tellCosts(cells, found) {
      if (!cells || cells.title || !found) return;
      const sum = this.sum(found.fold ? this.hidden(found.fold) : [found.line]);
      if (sum.instructions) cells.title = this.all.told(sum);
    }

    click(event) {
      this.all.tip(this, null);
      const found = this.under(event);
      if (!found) return;
      if (found.fold) return this.flip(found.fold);
      this.moveTo(this.rowOf[found.line]);
      if (found.op !== null) this.all.select([this.level, found.op, found.value], event.shiftKey);
    }

    flip(fold) {
      fold.closed = !fold.closed;
      this.rearrange();
    }

    unfoldAll() {
      const closed = this.folds.some((fold) => !fold.closed);
      for (const fold of this.folds) fold.closed = closed;
      this.rearrange();
    }
    // ---- the cursor ----

    moveTo(row) {
      this.cursor = Math.max(0, Math.min(this.shown.length - 1, row));
      this.body.setAttribute("aria-activedescendant", `${this.id}-${this.cursor}`);
      this.reveal(this.cursor);
    }

    reveal(row) {
      const top = this.top(row);
      if (top < this.scrolled || top + HEIGHT > this.scrolled + this.height) this.centre(row);
      else this.all.stale(this);
    }

    /** Shows a line as the first of the pane; of a folded one when it is opened. */
    begin(line) {
      this.beginning = this.isFolded() ? line : null;
      if (this.beginning !== null) return;
      this.cursor = this.rowOf[line];
      this.scrollTo(this.top(this.cursor));
    }

    centre(row) {
      this.scrollTo(this.top(row) - this.height / 2 + HEIGHT / 2);
    }

    scrollTo(top) {
      const most = Math.max(0, this.top(this.shown.length) - this.height);
      this.scrolled = Math.max(0, Math.min(most, top));
      this.isScrolled = true;
      this.all.stale(this);
    }

    scroll(top) {
      if (Math.abs(top - this.scrolled) < 1) return;
      this.scrolled = top;
      this.draw(SCROLLING);
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
