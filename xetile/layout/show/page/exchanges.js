// How lanes exchange elements: shared memory's banks and their conflicts, swizzles, rounds of shuffles.
(function (X) {
  "use strict";
  const f2 = X.f2;
  const {numbers, range, size} = X.scene;
  const {gallery, made, panel, surface} = X.pictures;
  const BANK_BITS = 32;
  const IN_ORDER = ["vector", "bank", "segment", "reps", "offset"];

  // Shared memory as one dimension: vectors, banks and rows of banks make up the offset, in elements.
  function byOffset(layout) {
    const offset = IN_ORDER.flatMap((name) => layout.in[name] || []);
    return {in: {offset}, out: layout.out};
  }

  // Accesses of `vectorBits`: for each the register with which it begins, and its vector of shared memory by lane.
  function accesses({shared, access, bits, vectorBits = 32}) {
    const places = byOffset(shared);
    const vector = Math.max(1, vectorBits / bits);
    const solver = f2.echelon(places);
    const found = new Map();
    for (const register of range(size(access, "register"))) {
      const starts = range(size(access, "lane")).map((lane) => {
        const element = f2.apply(access, {register, lane});
        const [offset] = f2.solve(solver, Object.keys(places.out).map((name) => element[name]));
        return offset - offset % vector;
      });
      const known = found.get(starts[0]);
      if (known) known.registers.push(register);
      else found.set(starts[0], {registers: [register], starts});
    }
    return [...found.values()];
  }

  // In which turn each lane is served: so many lanes go at once as use all banks; those that ask one bank for different
  // words wait for one another, those that ask for the same word do not.
  function turns(starts, {bits, vectorBits = 32, banks = 32}) {
    const atOnce = Math.max(1, Math.floor(banks * BANK_BITS / Math.max(vectorBits, BANK_BITS)));
    let words = new Map();
    return starts.map((start, lane) => {
      if (lane % atOnce === 0) words = new Map();
      const first = Math.floor(start * bits / BANK_BITS);
      const last = Math.ceil((start * bits + vectorBits) / BANK_BITS);
      return Math.max(...range(last - first).map((n) => turnOf(words, first + n, banks)));
    });
  }

  function turnOf(words, word, banks) {
    const asked = words.get(word % banks) || [];
    words.set(word % banks, asked);
    if (!asked.includes(word)) asked.push(word);
    return asked.indexOf(word);
  }

  // Shared memory as rows of banks. One access of all lanes is outlined; lanes that wait have the number of their turn.
  function banks(host, options) {
    const {shared, bits, title} = options;
    const all = accesses(options);
    const layout = byOffset(shared);
    const figure = made("div", "figure", host);
    const bar = made("label", "slider", figure);
    const slider = made("input", "", bar);
    Object.assign(slider, {type: "range", min: 0, max: all.length - 1, value: 0});
    slider.setAttribute("aria-label", "access");
    const said = made("output", "", bar);
    said.setAttribute("aria-live", "polite");
    const drawn = panel(figure, {...options, title: title || "banks", layout, bits, view: "places"});
    function show() {
      const {registers, starts} = all[Number(slider.value)];
      const turn = turns(starts, options);
      const outlined = starts.map((offset, lane) => ({
        element: Object.values(f2.apply(layout, {offset})), ink: turn[lane] ? "conflict" : "select",
        words: turn[lane] ? turn[lane] + 1 : undefined,
      }));
      const most = Math.max(...turn);
      said.textContent = `register ${numbers(registers)} of lanes ${numbers(range(starts.length))}: `
        + (most ? `${most} more turn${most > 1 ? "s" : ""}, lanes that wait are numbered` : "no conflicts");
      drawn.update({outlined});
    }
    slider.addEventListener("input", show);
    show();
    return {update: drawn.update, root: figure};
  }

  // Row by row, as if nothing were swizzled.
  function inRows(layout) {
    const sizes = Object.values(layout.out);
    const offset = sizes.map((extent, d) => range(Math.log2(extent)).map((bit) => sizes.map((_, other) => (other === d ? 2 ** bit : 0))));
    return {in: {offset: offset.reverse().flat()}, out: layout.out};
  }

  // Before and after with the same colours; the matrix frames the exclusive ors.
  function swizzle(host, {before, after, ...options}) {
    const layout = byOffset(after);
    return gallery(host, [
      {...options, title: "in rows", layout: before ? byOffset(before) : inRows(layout)}, {...options, title: "swizzled", layout},
    ]);
  }

  // A row of lanes for each round, arcs between those that exchange, and what moves.
  function roundsScene({lanes = 16, rounds: all}) {
    return all.flatMap((round, i) => {
      const y = 54 * i + 36;
      const box = (lane) => [["rect", 26 * lane, y, 24, 14, `c${lane}`], ["text", 26 * lane + 12, y + 11, String(lane), "middle", "cell"]];
      const pairs = range(lanes).filter((lane) => lane < (lane ^ round.xor));
      const arcs = pairs.map((lane) => ["arc", 26 * lane + 12, y, 26 * (lane ^ round.xor) + 12, 6 + 1.4 * round.xor, "border"]);
      const moved = `register${round.registers.length > 1 ? "s" : ""} ${numbers(round.registers)}`;
      const where = round.xor ? `lane ^ ${round.xor}` : "its own lane";
      return [
        ...range(lanes).flatMap(box), ...arcs,
        ["text", 26 * lanes + 12, y + 2, `round ${i + 1}: ${moved} from ${where}`, "start", "note"],
        ["text", 26 * lanes + 12, y + 16, round.selects ? `${round.selects} selections` : "no selection", "start", "note"],
      ];
    });
  }

  function rounds(host, options) {
    let model = options;
    const place = surface(host, "rounds of shuffles: arcs join lanes that exchange registers");
    function draw() {
      const lanes = model.lanes || 16;
      place.ground(roundsScene(model), {width: 26 * lanes + 280, height: 54 * model.rounds.length + 4});
      place.said.textContent = `${model.rounds.length} rounds, ${model.rounds.reduce((all, one) => all + one.selects, 0)} selections`;
    }
    place.onTheme(draw);
    draw();
    return {root: place.root, update(patch) { model = {...model, ...patch}; draw(); }};
  }

  Object.assign(X.pictures, {accesses, banks, rounds, roundsScene, swizzle, turns});
})(window.X = window.X || {});
