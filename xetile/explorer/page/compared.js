// What is compared of two explorations: which kernels, which lines, and their counts.
(function (X) {
  "use strict";

  /** Kernels of the same name are compared; those that are left, in their order. */
  function paired([one, other]) {
    const named = new Map(other.kernels.map((kernel) => [kernel.name, kernel]));
    const names = new Set(one.kernels.map((kernel) => kernel.name));
    const left = other.kernels.filter((kernel) => !names.has(kernel.name));
    return one.kernels.map((kernel) => [kernel, named.get(kernel.name) ?? left.shift()]).filter((pair) => pair[1]);
  }

  /** What the two differ in: `bmg` and `pvc`, or `unroll=1` and `unroll=8`. */
  function labelsOf(explorations) {
    const words = explorations.map(({ file, device, options }) => ({ file, device, ...options }));
    const keys = [...new Set(words.flatMap(Object.keys))].filter((key) => words[0][key] !== words[1][key]);
    const word = (key, value) => (key === "file" || key === "device" ? value : `${key}=${value ?? "default"}`);
    const said = words.map((one) => keys.map((key) => word(key, one[key])).join(", "));
    return said.map((text, i) => (text && text !== said[1 - i] ? `${"AB"[i]}: ${text}` : "AB"[i]));
  }

  /** A kernel's sums: {step, once, by: class -> {step, once, all}, lines: line -> the same with messages, bytes}. */
  function sideOf(K) {
    const I = K.levelOf("I");
    const side = { K, I: K.costs ? I : -1, all: entry(), classes: new Map(), lines: new Map(), lineOf: [] };
    K.levels[0].ops.forEach(([line]) => side.lines.has(line) || side.lines.set(line, entry()));
    for (const [level, op, bytes] of K.costs?.bytes ?? []) if (level === 0) side.lines.get(K.levels[0].ops[op][0]).bytes += bytes;
    if (side.I < 0) return side;
    const loop = K.hotLoop();
    K.costs.asm.forEach((_, i) => {
      const hot = loop && loop.asm[0] <= i && i <= loop.asm[1];
      const line = sourceLine(K, I, i);
      side.lineOf.push(line);
      const into = [side.all, under(side.classes, K.classOf(i)), under(side.lines, line)];
      into.push(under(into[2].by, K.classOf(i)), under(side.all.by, K.classOf(i)));
      const counts = K.instructionCounts(i);
      for (const one of into) add(one, i, counts, hot ? 1 / loop.unroll : 0);
    });
    return side;
  }

  const entry = () => ({ step: 0, once: 0, messages: 0, onceMessages: 0, spills: 0, bytes: 0, asm: [], by: new Map() });

  function under(all, key) {
    if (!all.has(key)) all.set(key, entry());
    return all.get(key);
  }

  function add(one, i, { messages, spills }, part) {
    one.asm.push(i);
    one.step += part;
    one.once += part ? 0 : 1;
    one.messages += messages * part;
    one.spills += spills;
    one.onceMessages += part ? 0 : messages;
  }

  /** The line of the source that an instruction came of, -1 of the compiler's own. */
  function sourceLine(K, level, op) {
    while (K.levels[level].of !== null) {
      const [parent] = K.parents(level, op);
      if (!parent) return -1;
      [level, op] = parent;
    }
    return K.levels[level].ops[op][0];
  }

  /** Lines of both, matched by their text; what is left, by its op between the same neighbours: [[line or undefined, ...], ...]. */
  function matched(sides) {
    const texts = sides.map(({ K, lines }) => keyed([...lines.keys()].filter((line) => line >= 0).sort((a, b) => a - b), (line) => K.levels[0].lines[line].trim()));
    const left = texts.map((own, i) => keyed(...leftIn(sides[i].K, own, texts[1 - i])));
    const gaps = new Map([...left[0]].map(([name, line]) => [line, left[1].get(name)]));
    const rows = [...texts[0]].map(([text, line]) => [line, texts[1].get(text) ?? gaps.get(line)]);
    const met = new Set(rows.map((row) => row[1]));
    for (const line of texts[1].values()) if (!met.has(line)) rows.push([undefined, line]);
    if (sides.some((side) => side.lines.has(-1))) rows.push([-1, -1]);
    return rows;
  }

  /** Lines by a name and how often it was met before. */
  function keyed(lines, name) {
    const met = new Map();
    return new Map(lines.map((line) => {
      const text = name(line);
      met.set(text, (met.get(text) ?? 0) + 1);
      return [`${text}\n${met.get(text)}`, line];
    }));
  }

  function leftIn(K, own, others) {
    const before = new Map();
    let last = "";
    for (const [text, line] of own) {
      if (others.has(text)) last = text;
      else before.set(line, last);
    }
    return [[...before.keys()], (line) => `${before.get(line)}\n${nameIn(K, line)}`];
  }

  const nameIn = (K, line) => K.names[K.levels[0].ops[K.opsOfLine(0, line)[0]][3]];

  X.compared = { paired, labelsOf, sideOf, matched, nameIn };
})((window.X = window.X || {}));
