// The model of an exploration (docs/explorer.schema.json), its links and sums, and the state that all parts share.
(function (X) {
  "use strict";

  const SOURCES = new Set(["Y", "W"]);
  const NO_COUNTS = { instructions: 0, hot: 0, messages: 0, hotMessages: 0, bytes: 0, waits: 0, hotWaits: 0, spills: 0, fills: 0, hotSpills: 0, hotFills: 0 };
  const COUNTED = Object.keys(NO_COUNTS);
  const NO_MESSAGES = new Set(["dpas", "mov", "alu", "sync", "math", "branch", "control", "shuffle", "nop", "other"]);
  const MESSAGE = /load|store|prefetch|send|spill|fill|slm|atomic|barrier/;

  /** Reads the page's model: base64 of deflated JSON, or JSON as it is. */
  async function load(element) {
    const text = element.textContent.trim();
    if (text.startsWith("{")) return JSON.parse(text);
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  }

  function read(root) {
    const explorations = root.explorations.map((one) => ({
      ...one,
      kernels: one.kernels.map((kernel) => new Kernel({ ...kernel, levels: kernel.levels.map(inRows) }, one)),
    }));
    return { explorations };
  }

  /** A level whose tables are columns of differences (xetile/explorer/model.py), or rows as JSON has them. */
  function inRows(level) {
    return {
      ...level,
      ops: rowsOf(level.ops, 4, (parent) => (parent ? [parent - 1] : [])),
      values: rowsOf(level.values, 5, (holding) => (holding ? holding - 1 : null)),
      uses: rowsOf(level.uses),
    };
  }

  function rowsOf(table, special, meaning) {
    if (Array.isArray(table)) return table;
    const rows = table.columns[0].map(() => new Array(table.columns.length));
    table.columns.forEach((column, at) => {
      let number = 0;
      column.forEach((difference, row) => {
        number += difference;
        rows[row][at] = at === special ? meaning(number) : number;
      });
    });
    return rows;
  }

  /** Of ops in groups, each in one or in a list of them: `list[start[i] .. start[i + 1])` are those of group i. */
  function grouped(count, size, groupsOf) {
    const start = new Int32Array(count + 1);
    const each = (act) => {
      for (let i = 0; i < size; i++) {
        const groups = groupsOf(i);
        if (typeof groups === "number") act(groups, i);
        else for (const group of groups) act(group, i);
      }
    };
    each((group) => start[group + 1]++);
    for (let i = 0; i < count; i++) start[i + 1] += start[i];
    const list = new Int32Array(start[count]);
    const next = start.slice();
    each((group, i) => (list[next[group]++] = i));
    return (group) => list.subarray(start[group], start[group + 1]);
  }

  function addUp(into, parts, parents) {
    for (let child = 0; child < parts.length; child++) if (parents[child] >= 0) into[parents[child]] += parts[child];
  }

  class Kernel {
    constructor(raw, exploration) {
      Object.assign(this, raw);
      this.file = exploration.file;
      this.device = exploration.device;
      if (raw.costs && raw.costs.asm.length === 0) this.costs = null;
      this.indices = this.levels.map(() => ({}));
      this.below = this.levels.map((_, level) => this.levels.flatMap((one, i) => (one.of === level ? [i] : [])));
    }

    /** Something of a level that is worked out when it is first asked for. */
    kept(level, name, make) {
      const kept = this.indices[level];
      if (!(name in kept)) kept[name] = make();
      return kept[name];
    }

    levelOf(id) {
      return this.levels.findIndex((level) => level.id === id);
    }

    isSource(level) {
      return SOURCES.has(this.levels[level].id) && this.levels[level].of === null;
    }

    opsOfLine(level, line) {
      const { ops, lines } = this.levels[level];
      return this.kept(level, "lines", () => grouped(lines.length, ops.length, (op) => ops[op][0]))(line);
    }

    /** The op of a line, the innermost at a column; of a line that goes on, the op that began before; else null. */
    opAt(level, line, column) {
      const here = this.opsOfLine(level, line);
      if (here.length === 0) return this.begunBefore(level, line);
      const ops = this.levels[level].ops;
      let best = null;
      for (const op of here) {
        const [, first, last] = ops[op];
        if (column === undefined || column < first || column >= last) continue;
        if (best === null || last - first <= ops[best][2] - ops[best][1]) best = op;
      }
      return best ?? here[0];
    }

    begunBefore(level, line) {
      const lines = this.levels[level].lines;
      for (let above = line; above >= 0 && above > line - 12; above--) {
        if (/^\s*([)}\]]*|\/\/.*|#.*|L\d+:|!.*=.*|\^.*)$/.test(lines[above])) return null;
        const here = this.opsOfLine(level, above);
        if (here.length) return /[{]\s*$/.test(lines[above]) ? null : here[here.length - 1];
      }
      return null;
    }

    parents(level, op) {
      const above = this.levels[level].of;
      return above === null ? [] : (this.levels[level].ops[op][4] || []).map((parent) => [above, parent]);
    }

    /** The op of the workgroup's level, or of the first where there is none, that an op came of; "" where that is guessed, or nobody knows. */
    rootOf(level, op) {
      return this.roots(level)[op];
    }

    roots(level) {
      return this.kept(level, "roots", () => {
        const { id, of, ops } = this.levels[level];
        if (id === "W" || of === null) return ops.map((_, op) => op);
        const [guessed, above] = [new Set(id === "I" ? this.inferred : []), this.roots(of)];
        return ops.map((op, i) => (guessed.has(i) || !op[4]?.length ? "" : above[op[4][0]]));
      });
    }

    children(level, op) {
      return this.below[level].flatMap((below) => Array.from(this.childrenIn(below)(op), (child) => [below, child]));
    }

    childrenIn(below) {
      const level = this.levels[below];
      const above = this.levels[level.of].ops.length;
      return this.kept(below, "children", () => grouped(above, level.ops.length, (op) => level.ops[op][4] || []));
    }

    /** All ancestors and descendants of an op, itself among them: level -> ops. */
    kin(level, op) {
      const found = new Map([[level, new Set([op])]]);
      this.climb(found, level, op);
      this.descend(found, level, found.get(level));
      this.beside(found, level, op);
      return found;
    }

    /** Of two levels that are made of one, such as SPIR-V and instructions: what else came of what an op came of. */
    beside(found, level, op) {
      for (const [above, parent] of this.parents(level, op)) {
        for (const other of this.below[above].filter((one) => one !== level)) {
          const ops = new Set(this.childrenIn(other)(parent));
          if (ops.size) found.set(other, ops);
        }
      }
    }

    climb(found, level, op) {
      for (const [above, parent] of this.parents(level, op)) {
        if (!found.has(above)) found.set(above, new Set());
        found.get(above).add(parent);
        this.climb(found, above, parent);
      }
    }

    descend(found, level, ops) {
      for (const below of this.below[level]) {
        const children = this.childrenIn(below);
        const all = new Set();
        for (const op of ops) for (const child of children(op)) all.add(child);
        if (all.size === 0) continue;
        found.set(below, all);
        this.descend(found, below, all);
      }
    }

    /** The text that stands for a value where it is defined. */
    nameOf(level, value) {
      const [, , line, first, last] = this.levels[level].values[value];
      return this.levels[level].lines[line].slice(first, last);
    }

    usesOf(level, op) {
      const { ops, uses } = this.levels[level];
      return this.kept(level, "uses", () => grouped(ops.length, uses.length, (use) => uses[use][0]))(op);
    }

    definedIn(level, line) {
      const { lines, values } = this.levels[level];
      return this.kept(level, "values", () => grouped(lines.length, values.length, (value) => values[value][2]))(line);
    }

    /** The values that are written in a line, from left to right: [[first, last, value], ...]. */
    valuesIn(level, line) {
      const { lines, values, uses } = this.levels[level];
      const found = [];
      const defined = new Set();
      for (const value of this.definedIn(level, line)) {
        const [, , , first, last] = values[value];
        if (last > first && !defined.has(first)) found.push([first, last, value]);
        defined.add(first);
      }
      const op = this.opAt(level, line);
      if (op === null) return found;
      const byName = new Map();
      for (const one of this.opsOfLine(level, line).length ? this.opsOfLine(level, line) : [op]) {
        for (const use of this.usesOf(level, one)) byName.set(this.nameOf(level, uses[use][2]).replace(/:\d+$/, ""), uses[use][2]);
      }
      for (const match of lines[line].matchAll(/%[\w$.-]+/g)) {
        const value = byName.get(match[0]);
        if (value === undefined || defined.has(match.index)) continue;
        found.push([match.index, match.index + match[0].length, value]);
      }
      return found.sort((one, other) => one[0] - other[0]);
    }

    holdingOf(level, value) {
      return this.levels[level].values[value][5] ?? null;
    }

    hotLoop() {
      return this.loops.find((loop) => loop.is_hot) || null;
    }

    /** What an op costs: sums of the instructions that came of it. An instruction counts for its first parent alone. */
    counts(level, op) {
      return this.sumOf(level, [op]);
    }

    sumOf(level, ops) {
      const sums = this.sums(level);
      return Object.fromEntries(COUNTED.map((name, i) => [name, ops.reduce((sum, op) => sum + sums[i][op], 0)]));
    }

    /** Of each count the numbers of all ops. */
    sums(level) {
      return this.kept(level, "sums", () => {
        const { id, ops } = this.levels[level];
        const sums = COUNTED.map(() => new Float64Array(ops.length));
        if (id === "I") ops.forEach((_, op) => this.instructionNumbers(op).forEach((count, i) => (sums[i][op] = count)));
        for (const below of this.below[level]) sums.forEach((into, i) => addUp(into, this.sums(below)[i], this.firstParents(below)));
        for (const [at, op, bytes] of this.costs?.bytes || []) if (at === level) sums[COUNTED.indexOf("bytes")][op] = bytes;
        return sums;
      });
    }

    /** The first parent of each op, -1 of one that has none. */
    firstParents(level) {
      return this.kept(level, "parents", () => Int32Array.from(this.levels[level].ops, (op) => op[4]?.[0] ?? -1));
    }

    /** Of the op that has most. */
    mostInstructions() {
      return this.levels.reduce((most, _, level) => this.sums(level)[0].reduce((all, one) => Math.max(all, one), most), 1);
    }

    classOf(instruction) {
      return this.costs ? this.costs.classes[this.costs.asm[instruction]] || "" : "";
    }

    instructionCounts(instruction) {
      const numbers = this.instructionNumbers(instruction);
      return Object.fromEntries(COUNTED.map((name, i) => [name, numbers[i]]));
    }

    /** In the order of COUNTED. */
    instructionNumbers(instruction) {
      const name = this.classOf(instruction);
      const loop = this.hotLoop();
      const hot = loop && loop.asm[0] <= instruction && instruction <= loop.asm[1] ? 1 : 0;
      const message = !NO_MESSAGES.has(name) && MESSAGE.test(name) ? 1 : 0;
      const wait = name === "sync" ? 1 : 0;
      const fills = name === "fill" ? 1 : 0;
      const spills = name === "spill" ? 1 : fills;
      return [1, hot, message, message * hot, 0, wait, wait * hot, spills, fills, spills * hot, fills * hot];
    }
  }

  // What is looked at. Nothing else is shared between the panes, the pictures and the costs.
  const listeners = new Set();
  let state = fresh();

  function fresh() {
    return {
      exploration: 0,
      kernel: 0,
      selections: [],
      hover: null,
      holding: null,
      element: null,
      rectangle: null,
      subgroup: 0,
      folded: new Set(),
      heat: false,
      step: null,
      whatif: null,
    };
  }

  function same(one, other) {
    if (one === other) return true;
    if (one instanceof Set || other instanceof Set) return false;
    return typeof one === "object" && typeof other === "object" && JSON.stringify(one) === JSON.stringify(other);
  }

  /** Changes part of the state and tells the listeners: `changed` is the Set of keys that are different now. */
  function set(patch) {
    const changed = new Set(Object.keys(patch).filter((key) => !same(state[key], patch[key])));
    if (changed.size === 0) return;
    state = { ...state, ...patch };
    for (const listener of [...listeners]) listener(state, changed);
  }

  function on(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** A new kernel: nobody listens, nothing is selected. */
  function reset(patch) {
    listeners.clear();
    state = { ...fresh(), ...patch };
  }

  X.model = { load, read };
  X.state = { get: () => state, set, on, reset };
})((window.X = window.X || {}));
