// A layout of one's own: reads the notation `register: K1 K2^N8`, says what the layout means beside what DPAS
// takes, and draws it as what it is: not compiled.
(function (X) {
  "use strict";

  const TOKEN = /\s*(?:(->|[A-Za-z_]\w*|\d+|\S)|$)/y;
  const PAUSE = 200;
  const MOST = 2 ** 30;
  const MOST_LOOKED_AT = 1 << 16;
  const MOST_HATCHED = 4096;
  const OPERATORS = {
    ".": (left, right) => X.f2.compose(right, left),
    "\\": (left, right) => X.f2.lstsq(left, right),
    "*": (left, right) => X.f2.product(left, right),
  };

  const names = (dims) => Object.keys(dims);
  const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

  function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match && match[1]; match = TOKEN.exec(text)) found.push({ text: match[1], at: TOKEN.lastIndex - match[1].length });
    return [...found, { text: "", at: text.length }];
  }

  class Reader {
    /** `known`: layouts by name; `sizes`: of out dimensions, where the text says none. */
    constructor(text, known, sizes) {
      Object.assign(this, { tokens: tokens(text), known, sizes, next: 0 });
    }

    peek(ahead = 0) {
      return this.tokens[Math.min(this.next + ahead, this.tokens.length - 1)].text;
    }

    take(expected) {
      if (expected && this.peek() !== expected) this.fail(`expected '${expected}'`);
      return this.tokens[this.next++].text;
    }

    fail(message, token = this.tokens[this.next]) {
      const found = token.text ? `, found '${token.text}'` : ", found the end";
      throw Object.assign(new Error(message + (message.startsWith("expected") ? found : "")), { at: token.at });
    }

    whole() {
      const layout = this.chain();
      if (this.peek()) this.fail("expected . or * or \\ or the end");
      return layout;
    }

    chain() {
      return this.joined([".", "\\"], () => this.joined(["*"], () => this.factor()));
    }

    joined(operators, read) {
      let left = read();
      while (operators.includes(this.peek())) {
        const token = this.tokens[this.next];
        left = this.applied(OPERATORS[this.take()], token, [left, read()]);
      }
      return left;
    }

    applied(operator, token, operands) {
      let made = null;
      try {
        made = operator(...operands);
      } catch (error) {
        this.fail(error.message, token);
      }
      if (made === null) this.fail("there is no such layout: some element has no place", token);
      return { in: made.in, out: made.out };
    }

    factor() {
      const token = this.tokens[this.next];
      if (this.peek() === "(") return this.within("(", () => this.chain(), ")");
      if (this.peek() === "{") return this.within("{", () => this.layout(), "}");
      if (/^[A-Za-z_]/.test(this.peek()) && this.peek(1) === ":") return this.layout();
      const name = /^[A-Za-z_]/.test(this.peek()) ? this.take() : this.fail("expected a layout, such as register: K1 K2");
      if (name === "inv" && this.peek() === "(") return this.applied(X.f2.inverse, token, [this.within("(", () => this.chain(), ")")]);
      return this.known[name] || this.fail(`there is no layout '${name}'; known are ${names(this.known).join(", ") || "none"}`, token);
    }

    within(open, read, close) {
      this.take(open);
      const layout = read();
      this.take(close);
      return layout;
    }

    layout() {
      const images = {};
      while (this.peek(1) === ":") {
        const name = this.take();
        if (name in images) this.fail(`'${name}' is there twice`, this.tokens[this.next - 1]);
        this.take(":");
        images[name] = [];
        while (/^[A-Za-z_0]/.test(this.peek()) && this.peek(1) !== ":") images[name].push(this.vector());
        if (this.peek() === ";") this.take();
      }
      return this.made(images, this.peek() === "->" ? this.tail() : null);
    }

    vector() {
      if (this.peek() === "0") return this.take() && [];
      const terms = [this.term()];
      while (this.peek() === "^") {
        this.take("^");
        terms.push(this.term());
      }
      return terms;
    }

    /** `K8`, or for names that end in a digit `dim0=8`. */
    term() {
      const token = this.tokens[this.next];
      const word = this.take();
      const split = /^([A-Za-z_]+)(\d+)$/.exec(word);
      if (this.peek() === "=") {
        this.take("=");
        const number = /^\d+$/.test(this.peek()) ? this.take() : this.fail("expected a number");
        return this.limited({ name: word, number: Number(number), token });
      }
      return split ? this.limited({ name: split[1], number: Number(split[2]), token }) : this.fail("expected a dimension and a number, such as K8", token);
    }

    limited(term) {
      if (term.number > MOST) this.fail(`numbers are at most ${MOST}`, term.token);
      return term;
    }

    tail() {
      this.take("->");
      const sizes = {};
      while (/^[A-Za-z_]/.test(this.peek())) {
        const { name, number, token } = this.term();
        if (name in sizes) this.fail(`'${name}' is there twice`, token);
        if (!Number.isInteger(Math.log2(number))) this.fail(`${name} = ${number} is no power of two`, token);
        sizes[name] = number;
      }
      return sizes;
    }

    made(images, said) {
      const terms = Object.values(images).flat(2);
      const out = said || this.inferred(terms);
      for (const { name, number, token } of terms) {
        if (!(name in out)) this.fail(`there is no dimension '${name}'; there are ${names(out).join(", ")}`, token);
        if (number >= out[name]) this.fail(`${name}${number} is outside: ${name} has ${out[name]}`, token);
      }
      const image = (vector) => names(out).map((name) => vector.reduce((value, term) => (term.name === name ? value ^ term.number : value), 0));
      return { in: Object.fromEntries(names(images).map((name) => [name, images[name].map(image)])), out };
    }

    /** Sizes of what is selected where all dimensions are its own, else the smallest that hold the vectors. */
    inferred(terms) {
      if (terms.every(({ name }) => name in this.sizes) && names(this.sizes).length) return this.sizes;
      const out = {};
      for (const { name, number } of terms) out[name] = Math.max(out[name] || 1, 2 ** (32 - Math.clz32(number)));
      return out;
    }
  }

  const read = (text, known = {}, sizes = {}) => new Reader(text, known, sizes).whole();

  function print(layout) {
    const dims = names(layout.out);
    const term = (dim, number) => `${dim}${/\d$/.test(dim) ? "=" : ""}${number}`;
    const vector = (values) => dims.flatMap((dim, d) => (values[d] ? [term(dim, values[d])] : [])).join("^") || "0";
    const parts = names(layout.in).map((name) => `${name}: ${layout.in[name].map(vector).join(" ")}`.trimEnd());
    return `${parts.join("; ")} -> ${dims.map((dim) => `${dim}=${layout.out[dim]}`).join(" ")}`;
  }

  // ---- beside what is there ----

  function selected(kernel) {
    const { holding, selections } = X.state.get();
    const [first] = selections;
    const id = holding ?? (first && first[2] !== null ? kernel.holdingOf(first[0], first[2]) : null);
    return id !== null && kernel.holdings[id] && kernel.holdings[id].layout ? id : null;
  }

  /** What a matrix instruction takes of a tile with these dimensions: {operand, layout}, or null. */
  function taken(kernel, dims) {
    for (const dpas of kernel.dpas) {
      for (const operand of ["a", "b", "c"]) {
        const holding = kernel.holdings[dpas[operand]];
        if (holding && holding.layout && String(holding.tensor) === String(dims)) return { operand: operand.toUpperCase(), layout: holding.layout };
      }
    }
    return null;
  }

  function knownLayouts(kernel) {
    const known = {};
    const id = selected(kernel);
    if (id !== null) known.selected = kernel.holdings[id].layout;
    for (const dpas of kernel.dpas) {
      for (const operand of ["a", "b", "c"]) {
        const holding = kernel.holdings[dpas[operand]];
        if (holding && holding.layout) known[operand.toUpperCase()] ??= holding.layout;
      }
    }
    return known;
  }

  /** Elements of a layout that are in another lane than DPAS takes, and how many were looked at. */
  function apart(layout, dpas) {
    const sizes = Object.values(layout.out);
    const count = Math.min(MOST_LOOKED_AT, sizes.reduce((one, other) => one * other, 1));
    const ours = laneOf(layout);
    const theirs = laneOf(dpas);
    const moved = [];
    for (let i = 0; i < count; i++) {
      let rest = i;
      const element = [];
      for (let d = sizes.length - 1; d >= 0; d--) {
        element[d] = rest % sizes[d];
        rest = Math.floor(rest / sizes[d]);
      }
      if (ours(element) !== theirs(element)) moved.push(element);
    }
    return { moved, count };
  }

  function laneOf(layout) {
    const found = X.f2.echelon(layout);
    const sizes = Object.values(layout.out);
    const lane = names(layout.in).indexOf("lane");
    return (element) => {
      const label = X.f2.solve(found, element.map((value, d) => value % sizes[d]));
      return label && label[lane];
    };
  }

  function told(layout, dpas, found) {
    const bits = sum(Object.values(layout.in).map((vectors) => vectors.length));
    const wanted = sum(Object.values(layout.out).map(Math.log2));
    const rank = X.f2.rank(layout);
    const lines = [`rank ${rank} of ${wanted}: ${rank === wanted ? "every element has a place" : `one element in ${2 ** (wanted - rank)} has a place`}`];
    lines.push(bits === rank ? "no copies" : `${2 ** (bits - rank)} copies of each`);
    if (!dpas) lines.push("no matrix instruction takes such a tile");
    else if (found.moved.length === 0) lines.push(`each element is in the lane where DPAS takes ${dpas.operand}: nothing is shuffled`);
    else lines.push(`${found.moved.length} of ${found.count} elements (hatched) are in another lane than DPAS takes ${dpas.operand}`, vectorsApart(layout, dpas));
    return lines;
  }

  function vectorsApart(layout, dpas) {
    const theirs = dpas.layout.in.lane || [];
    const ours = layout.in.lane || [];
    const differ = theirs.filter((vector, i) => String(vector) !== String(ours[i])).length;
    return `${differ} of ${theirs.length} lane vectors are others`;
  }

  // ---- in the page ----

  function made(name, host, properties) {
    const node = Object.assign(document.createElement(name), properties);
    host.append(node);
    return node;
  }

  function create(host, kernel) {
    const label = made("label", host, { textContent: "type a layout " });
    const field = made("input", label, { id: "layout", type: "text", spellcheck: false, autocomplete: "off" });
    const copy = made("button", host, { textContent: "take the selected", title: "put the layout of the selected value into the field" });
    const wrong = made("pre", host, { className: "wrong", hidden: true });
    const facts = made("div", host, { className: "typed" });
    facts.setAttribute("aria-live", "polite");
    const picture = made("div", host, { className: "typed-picture" });
    const parts = { field, wrong, facts, picture, timer: null };
    const show = () => shown(kernel, parts);
    field.addEventListener("input", show);
    copy.addEventListener("click", () => take(kernel, field, show));
    X.state.on((state, changed) => changed.has("whatif") && state.whatif === null && clear({ wrong, facts, picture }));
    hint(kernel, field, copy);
    X.state.on((state, changed) => (changed.has("holding") || changed.has("selections")) && hint(kernel, field, copy));
    field.value = X.state.get().asked || "";
    if (field.value) show();
  }

  function hint(kernel, field, copy) {
    const id = selected(kernel);
    copy.disabled = id === null;
    field.placeholder = id === null ? "register: K1 K2; lane: N1 N2 N4 N8" : print(kernel.holdings[id].layout);
    field.title = "in dimension: images of 1, 2, 4, ...; -> sizes. Chains: a . b, a * b, inv(a), a \\ b of selected, A, B, C, {register: K1}";
  }

  function take(kernel, field, show) {
    field.value = print(kernel.holdings[selected(kernel)].layout);
    field.focus();
    show();
  }

  function clear({ wrong, facts, picture }) {
    wrong.hidden = true;
    for (const host of [facts, picture]) host.replaceChildren();
  }

  function shown(kernel, parts) {
    const { field, wrong } = parts;
    const text = field.value;
    clear(parts);
    clearTimeout(parts.timer);
    if (!text.trim()) return X.state.set({ whatif: null });
    try {
      if (text.trim().startsWith("#")) return attribute(kernel, parts, text);
      const layout = read(text, knownLayouts(kernel), sizesOf(kernel));
      whatif(kernel, parts, text, layout);
      if (X.served && selected(kernel) !== null) asked(kernel, parts, print(layout), (found) => planned(parts, found.plan));
    } catch (error) {
      refused(parts, error.at === undefined ? error.message : `${text}\n${" ".repeat(error.at)}^ ${error.message}`);
    }
  }

  function refused({ wrong }, message) {
    wrong.textContent = message;
    wrong.hidden = false;
  }

  // ---- what only Python tells ----

  function attribute(kernel, parts, text) {
    if (!X.served) throw new Error("the page reads no attributes; xetile-layout -l does, and prints their bases");
    asked(kernel, parts, text, (found) => {
      whatif(kernel, parts, text, found.layout);
      planned(parts, found.plan);
    });
  }

  /** Asks the server, unless more is typed meanwhile; then `told` gets the answer. */
  function asked(kernel, parts, text, told) {
    const typed = parts.field.value;
    const id = selected(kernel);
    const holding = kernel.holdings[id];
    const source = holding ? print(holding.layout) : null;
    const question = { text, sizes: sizesOf(kernel), source, bits: holding ? holding.bits : 16, device: kernel.device, subgroups: kernel.subgroups };
    clearTimeout(parts.timer);
    parts.timer = setTimeout(async () => {
      const found = await X.served.layout(question);
      if (parts.field.value !== typed || selected(kernel) !== id) return;
      if (found.error) refused(parts, found.error);
      else told(found);
    }, PAUSE);
  }

  function planned({ facts }, plan) {
    if (!plan) return;
    const list = facts.querySelector("ul") || facts;
    const lines = plan.error ? [`from the compiled layout: ${plan.error}`] : wayThere(plan);
    for (const line of lines) made("li", list, { className: "plan", textContent: line });
  }

  function wayThere({ kind, price, rounds, conflicts, shared_bytes }) {
    const lines = [`from the compiled layout: ${kind === "none" ? "nothing to do" : `${kind}, ${price} instructions`}`];
    if (rounds.length) lines.push(`${rounds.length} rounds: ${rounds.map(([xor, registers, selects]) => `lane xor ${xor}, ${registers} registers${selects ? `, ${selects} selects` : ""}`).join("; ")}`);
    if (shared_bytes) lines.push(`${shared_bytes} bytes of shared memory for each subgroup, ${conflicts || "no"} bank conflicts`);
    return lines;
  }

  function sizesOf(kernel) {
    const id = selected(kernel);
    return id === null ? {} : kernel.holdings[id].layout.out;
  }

  function whatif(kernel, { facts, picture }, text, layout) {
    const id = selected(kernel);
    const dims = names(layout.out);
    const dpas = "lane" in layout.in ? taken(kernel, dims) : null;
    const found = dpas ? apart(layout, dpas.layout) : { moved: [], count: 0 };
    const hatched = found.moved.slice(0, MOST_HATCHED).map((element) => ({ element, ink: "conflict", hatched: true }));
    X.state.set({ whatif: { text, layout, holding: id, hatched } });
    const head = made("p", facts, {});
    made("b", head, { className: "uncompiled", textContent: "not compiled" });
    head.append(id === null ? ": a layout of its own" : `: in place of that of the selected value, so the marks in assembly are gone`);
    const list = made("ul", facts, {});
    for (const line of told(layout, dpas, found)) made("li", list, { textContent: line });
    const bits = id === null ? 16 : kernel.holdings[id].bits;
    const sizes = Object.values(layout.out);
    X.pictures.panel(picture, { title: "not compiled", tensor: dims, sizes, bits, layout, outlined: hatched, fit: [320, 320] });
  }

  X.type = { create, read, print };
})((window.X = window.X || {}));
