// What stands in a row of a pane: a line with its words, or a stretch of lines that are alike, and what they cost.
(function (X) {
  "use strict";

  const { element } = X.elements;

  /** Of a pane: its `lines`, `level` and `id`, the values that are `chosen`, and `all` panes. */
  class Rows {
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
      const { withCosts } = this.all;
      const unroll = this.all.kernel.hotLoop()?.unroll || 1;
      const cell = (kind, hot, all) => {
        const made = element("span", `${kind}${hot ? " hot" : ""}`, all ? X.lines.short(hot && kind !== "bytes" ? hot / unroll : all) : "");
        cells.append(made);
      };
      const isOne = this.id === "I" && lines.length === 1;
      cell("instructions", isOne ? 0 : sum.hot, isOne ? 0 : sum.instructions);
      if (withCosts) cell("messages", isOne ? 0 : sum.hotMessages, isOne ? 0 : sum.messages);
      // bytes are counted for one step already
      if (withCosts) cell("bytes", sum.hot && sum.bytes, sum.bytes);
      if (withCosts) cell("waits", isOne ? 0 : sum.hotWaits, isOne ? 0 : sum.waits);
      cells.classList.toggle("spills", sum.spills > 0);
      const heat = element("span", "heat");
      heat.style.opacity = sum.instructions ? Math.max(0.08, Math.sqrt(sum.instructions / this.all.most)) : 0;
      return [cells, heat];
    }

    sum(lines) {
      const { kernel } = this.all;
      const ops = lines.flatMap((line) => [...kernel.opsOfLine(this.level, line)]);
      return kernel.sumOf(this.level, ops);
    }

    words(host, line) {
      const text = this.lines[line];
      const values = new Map(this.all.kernel.valuesIn(this.level, line).map((one) => [one[0], one]));
      let at = 0;
      for (const [first, written, kind] of X.lines.wordsOf(this.id, text)) {
        const value = values.get(first);
        if (kind === "value" && !value) continue;
        host.append(text.slice(at, first));
        const word = element("span", kind, written);
        if (value) word.dataset.value = value[2];
        if (value && this.chosen.includes(value[2])) word.classList.add("chosen");
        host.append(word);
        at = first + written.length;
      }
      host.append(text.slice(at));
    }
  }

  X.rows = { Rows };
})((window.X = window.X || {}));
