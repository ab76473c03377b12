// What can be said of lines of text by themselves: their words, where they repeat, and numbers that are short.
(function (X) {
  "use strict";

  const FEWEST_HIDDEN = 8;

  const MLIR = /(?<comment>\/\/.*$)|(?<text>"(?:[^"\\]|\\.)*")|(?<value>%[\w$.-]+)|(?<type>[!#][\w.$-]+|\b(?:vector|memref|index|bf16|[iuf]\d+)\b)|(?<op>\b[a-z]\w*\.[a-z][\w.]*)|(?<symbol>[@^]\w+)|(?<number>\b\d[\w.+-]*)/g;
  const ASSEMBLY = /(?<comment>\/\/.*$|\{[^}]*\}\s*$)|(?<label>^\w+:)|(?<value>\br\d+(?:\.\d+)?)|(?<op>(?<=^(?:\([^)]*\))?\s*(?:\([^)]*\)\s*)?)[a-z][\w.]*)|(?<number>\b(?:0x[\dA-F]+|\d+)\b)/g;
  const SPIRV = /(?<comment>;.*$)|(?<text>"[^"]*")|(?<value>%[\w$.-]+)|(?<op>\bOp[A-Z]\w*)|(?<number>\b\d+\b)/g;
  const PYTHON = /(?<comment>#.*$)|(?<text>"[^"]*"|'[^']*')|(?<op>\b(?:def|for|in|if|else|elif|while|return|import|from|as|lambda|not|and|or|is|None|True|False|with)\b)|(?<value>[A-Za-z_]\w*)|(?<number>\b\d[\w.]*)/g;
  const WORDS = { I: ASSEMBLY, P: SPIRV, Y: PYTHON };

  /** The words of a line, from left to right: [[first, text, kind], ...]. */
  function wordsOf(id, line) {
    return Array.from(line.matchAll(WORDS[id] || MLIR), (match) => {
      const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
      return [match.index, match[0], kind];
    });
  }

  // ---- stretches of lines that are alike ----

  /** A line of no op, without what differs from round to round: names, registers, numbers, tokens of the scoreboard. */
  function shape(line) {
    return line.replace(/\/\/.*$|\{[^}]*\}\s*$/, "").replace(/%[\w$.#-]+|\br\d+[\w.]*(<[^>]*>)?|\b(0x)?\d[\w.]*/g, "_").trim();
  }

  /** Where lines repeat: [{first, period, rounds}], of which all rounds but the first can be hidden. `madeOf` says of a line
   * what its ops are and came of, so that copies of an op are alike however they are written; null where its text tells. */
  function repeats(lines, madeOf = () => null) {
    const numbers = new Map();
    const shapes = lines.map((line, i) => madeOf(i) ?? shape(line)).map((text) => numbers.get(text) ?? (numbers.set(text, numbers.size), numbers.size - 1));
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

  const range = (first, count) => Array.from({ length: count }, (_, i) => first + i);

  /** Lines of assembly without the blanks that only fill columns, which panes have no room for. */
  function narrowed(lines, noteOf) {
    return lines.map((line, i) => {
      const note = noteOf(i);
      return line.replace(/ {2,}/g, "  ") + (note ? `  // ${note}` : "");
    });
  }

  // ---- numbers ----

  function short(number) {
    if (number < 1000) return Number.isInteger(number) ? String(number) : number.toFixed(number < 10 ? 1 : 0);
    const scaled = number / (number < 1e6 ? 1000 : 1e6);
    return scaled.toFixed(scaled < 10 ? 1 : 0).replace(".0", "") + (number < 1e6 ? "k" : "M");
  }

  X.lines = { wordsOf, repeats, narrowed, range, short };
})((window.X = window.X || {}));
