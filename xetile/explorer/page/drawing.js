// How panes share the page and are drawn together: their sizes, the borders between them, what is drawn behind all changes.
(function (X) {
  "use strict";

  const { element } = X.elements;
  const { FIRST, SECOND, HOVER, HIT } = X.pane.bits;

  /** Of the `panes` of a `host`, and those of them that are `waiting` to be drawn. */
  class Drawing {
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
          this.together(() => this.takeSizes());
        });
      });
      this.panes.forEach((pane) => observer.observe(pane.box));
    }

    /** Sizes of all panes, asked for at once; those that changed are drawn anew. */
    takeSizes() {
      const changed = this.panes.filter((pane) => pane.takeSizes());
      for (const pane of changed) {
        pane.redraw();
        pane.drawRuler();
      }
    }

    /** Several changes of which the browser is told once, behind the last. */
    together(act) {
      if (this.isTogether) return act();
      this.isTogether = true;
      try {
        return act();
      } finally {
        this.flush();
      }
    }

    /** A pane of which something is to be drawn: now, or with what happens together. */
    stale(pane) {
      this.waiting.add(pane);
      if (!this.isTogether) this.flush();
    }

    flush() {
      this.isTogether = false;
      const panes = [...this.waiting];
      this.waiting.clear();
      for (const pane of panes) pane.place();
      for (const pane of panes) pane.draw();
      if (!this.gutter) this.takeGutter();
    }

    // How wide the numbers by the lines are shows in a row; lines are broken by it.
    takeGutter() {
      this.gutter = this.host.querySelector(".pane:not(.folded) .row .text")?.offsetLeft;
      if (this.gutter) this.panes.forEach((pane) => pane.wrapped.length && pane.wrap());
    }

    /** All panes with more columns of costs, or fewer. */
    showCosts(withCosts) {
      Object.assign(this, { withCosts, gutter: 0 });
      this.together(() => {
        this.takeSizes();
        this.panes.forEach((pane) => pane.redraw());
      });
    }

    /** How many letters of a line a pane has room for. */
    columns(pane) {
      const gutter = this.gutter || 60;
      return Math.floor((pane.width - gutter - 4) / this.letter);
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
  }

  X.drawing = { Drawing };
})((window.X = window.X || {}));
