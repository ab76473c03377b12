// How lanes exchange elements: shared memory's banks and their conflicts, rounds of shuffles.
(function (X) {
  "use strict";
  const f2 = X.f2;
  const {numbers, range, size, spread} = X.scene;
  const {made, matrix, panel, surface} = X.pictures;
  const BANK_BITS = 32;
  const ROWS = 12;
  const IN_ORDER = ["vector", "bank", "segment", "reps", "offset"];

  // Shared memory as one dimension: vectors, banks and rows of banks make up the offset, in elements.
  function byOffset(layout) {
    const offset = IN_ORDER.flatMap((name) => layout.in[name] || []);
    return {in: {offset}, out: layout.out};
  }

  // Accesses of `vectorBits`, or of fewer where a lane's elements are no such neighbours: for each its registers, and its
  // vector of shared memory by lane. `origin` is where in what lies there the layout `access` begins.
  function accesses({shared, gap, access, bits, vectorBits = 32, origin}) {
    const places = byOffset(shared);
    const {at} = spread({layout: places, gap});
    const solver = f2.echelon(places);
    const names = Object.keys(places.out);
    const offsetOf = (register, lane) => {
      const element = f2.apply(access, {register, lane});
      return f2.solve(solver, names.map((name) => ((origin?.[name] || 0) + element[name]) % places.out[name]))[0];
    };
    const registers = range(size(access, "register"));
    const own = new Set(registers.map((register) => offsetOf(register, 0)));
    let vector = Math.max(1, vectorBits / bits);
    while ([...own].some((offset) => range(vector).some((n) => !own.has(offset - offset % vector + n)))) vector /= 2;
    const found = new Map();
    for (const register of registers) {
      const starts = range(size(access, "lane")).map((lane) => {
        const offset = offsetOf(register, lane);
        return at(offset - offset % vector);
      });
      const known = found.get(starts[0]);
      if (known) known.registers.push(register);
      else found.set(starts[0], {registers: [register], starts, vectorBits: Math.max(vector * bits, Math.min(vectorBits, bits))});
    }
    return [...found.values()];
  }

  const lanesAtOnce = (vectorBits, banks = 32) => Math.max(1, Math.floor(banks * BANK_BITS / Math.max(vectorBits, BANK_BITS)));

  // In which turn each lane is served: so many lanes go at once as use all banks; those that ask one bank for different
  // words wait for one another, those that ask for the same word do not.
  function turns(starts, {bits, vectorBits = 32, banks = 32}) {
    const atOnce = lanesAtOnce(vectorBits, banks);
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

  // Shared memory as rows of banks, in each of `memories` ({title, shared, gap}) with the same colours. One access of all
  // lanes is outlined, of the `sides` ({what, access, vectorBits, origin}) one after the other; lanes that wait have the
  // number of their turn.
  function banks(host, {memories, sides, bits, ...options}) {
    const figure = made("div", "figure", host);
    const bar = made("label", "slider", figure);
    const slider = made("input", "", bar);
    const said = made("output", "", bar);
    said.setAttribute("aria-live", "polite");
    const row = made("div", "beside", figure);
    const each = memories.map(({title, shared, gap}) => {
      const layout = byOffset(shared);
      const asked = sides.flatMap((side) => accesses({...side, shared, gap, bits}).map((one) => ({...one, side})));
      return {layout, gap, asked, drawn: panel(made("div", "", row), {...options, ...coloured(layout, bits), title, layout, gap, bits, view: "places"})};
    });
    Object.assign(slider, {type: "range", min: 0, max: each[each.length - 1].asked.length - 1, value: 0});
    slider.setAttribute("aria-label", "access");
    function show() {
      const chosen = each[each.length - 1].asked[slider.value];
      const words = each.map(({layout, gap, asked, drawn}) => {
        const {registers, starts, side, vectorBits} = asked.find((one) => one.side === chosen.side && one.registers.includes(chosen.registers[0]));
        const turn = turns(starts, {...options, bits, vectorBits});
        const together = Math.min(starts.length, lanesAtOnce(vectorBits, options.banks));
        drawn.update({lines: linesOf(starts, bits, options.banks), outlined: starts.flatMap((start, lane) => outlined(layout, gap, start, vectorBits, bits).map((element, n) => (
          {element, ink: turn[lane] ? "conflict" : "select", words: turn[lane] && !n ? turn[lane] + 1 : undefined})))});
        const most = Math.max(...turn);
        return [`${side.what} of ${vectorBits} bits, register${registers.length > 1 ? "s" : ""} ${numbers(registers)} of lanes ${numbers(range(starts.length))}${together < starts.length ? `, ${together} lanes at once` : ""}`,
          most ? `${most} more turn${most > 1 ? "s" : ""}, lanes that wait are numbered` : "no conflicts", vectorBits];
      });
      const last = words[words.length - 1];
      said.textContent = words.length > 1 ? `${last[0]}: ${memories.map(({title}, n) => `${title}${asBits(words[n][2], last[2])} ${words[n][1]}`).join("; ")}` : last.slice(0, 2).join(": ");
    }
    slider.addEventListener("input", show);
    show();
    const last = each[each.length - 1];
    matrix(figure, last.layout, (bit) => last.drawn.update({bit, passing: true}), {scale: options.matrix});
    return {root: figure, update: (patch) => each.forEach(({drawn}) => drawn.update(patch)), table: () => each.forEach(({drawn}) => drawn.table())};
  }

  const asBits = (bits, usual) => (bits === usual ? "" : ` (${bits} bits at once)`);

  // Rows of banks to show: those from the first that is asked on, and what else is asked.
  function linesOf(starts, bits, banks = 32) {
    const asked = starts.map((start) => Math.floor(start * bits / (banks * BANK_BITS)));
    const first = Math.min(...asked);
    return [...new Set([...range(ROWS).map((n) => first + n), ...asked])].sort((a, b) => a - b);
  }

  // The elements of one lane's access.
  function outlined(layout, gap, start, vectorBits, bits) {
    const {from} = spread({layout, gap});
    return range(Math.max(1, vectorBits / bits)).map((n) => Object.values(f2.apply(layout, {offset: from(start + n)})));
  }

  // Colours of elements by their place in a row, 16 bytes each, wherever they lie.
  function coloured(layout, bits) {
    const chunk = Math.max(1, 128 / bits);
    const columns = Object.values(layout.out);
    const isRow = columns[columns.length - 1] > chunk;
    return isRow ? {key: (element) => Math.floor(element[element.length - 1] / chunk) % 8, legend: "16 bytes of a row"}
      : {key: (element) => element[0] % 8, legend: "row"};
  }

  // Row by row, as if nothing were swizzled.
  function inRows(layout) {
    const sizes = Object.values(layout.out);
    const offset = sizes.map((extent, d) => range(Math.log2(extent)).map((bit) => sizes.map((_, other) => (other === d ? 2 ** bit : 0))));
    return {in: {offset: offset.reverse().flat()}, out: layout.out};
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
      place.say(`${model.rounds.length} round${model.rounds.length > 1 ? "s" : ""}, ${model.rounds.reduce((all, one) => all + one.selects, 0)} selections`);
    }
    place.onTheme(draw);
    draw();
    return {root: place.root, update(patch) { model = {...model, ...patch}; draw(); }};
  }

  Object.assign(X.pictures, {accesses, banks, inRows, rounds, roundsScene, turns});
})(window.X = window.X || {});
