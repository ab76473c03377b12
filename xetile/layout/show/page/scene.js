// What pictures of layouts show, as plain primitives; scene.py makes the same ones, and a test holds them equal.
//   [rect, x, y, wide, high, ink], [frame, x, y, wide, high, ink], [line, x, y, x, y, ink], [text, x, y, words, anchor, ink]
(function (X) {
  "use strict";
  const f2 = X.f2;
  const DIGIT = 7;
  const CELL = 26;
  const ROW = 16;
  const UNFOLDED = 64;
  const MAP = 512;
  const FINEST = 256;
  const TOP = 70;
  const KEY = 26;
  const MOST_KEYS = 32;
  const CHUNK_BITS = 128;
  const BANK_BITS = 32;
  const HUES = 6;
  const TINTS = [0.62, 0.38, 0.18];
  const MOST_BITS = 30;

  // Who holds each element

  const range = (count) => Array.from({length: count}, (_, i) => i);
  const size = (layout, name) => 2 ** (layout.in[name] || []).length;

  // Tables of holders, by out dimension and coordinate: a holder is one number with a field for each in dimension, and
  // an element that nobody holds has something in `nobody`. Both are sums of the entries of an element's coordinates.
  function holders(layout) {
    const order = Object.keys(layout.out);
    const units = order.flatMap((name, d) => range(Math.log2(layout.out[name]))
      .map((i) => order.map((_, other) => (other === d ? 2 ** i : 0))));
    const inverse = f2.inverse({in: {...layout.in, nobody: units}, out: layout.out});
    const names = Object.keys(layout.in);
    const shifts = {};
    let bits = 0;
    for (const name of names) {
      shifts[name] = bits;
      bits += layout.in[name].length;
    }
    if (bits > MOST_BITS) throw new Error(`a layout of 2^${bits} places is too large to show`);
    const pack = (label) => names.reduce((place, name, d) => place | label[d] << shifts[name], 0);
    const tables = order.map((name) => table(inverse.in[name], pack, names.length));
    const field = (place, name) => (name in shifts ? place >> shifts[name] & size(layout, name) - 1 : 0);
    const kernel = f2.kernel(layout).map((label) => pack(Object.values(label)));
    const copies = kernel.reduce((all, one) => [...all, ...all.map((other) => other ^ one)], [0]);
    return {
      field, told: names.filter((name) => size(layout, name) > 1).reverse(), size: (name) => size(layout, name),
      same: (place) => copies.map((copy) => place ^ copy),
      pack: (fields) => pack(names.map((name) => fields[name] || 0)),
      fields: (place) => Object.fromEntries(names.map((name) => [name, field(place, name)])),
      place(coordinates) {
        let place = 0;
        let nobody = 0;
        coordinates.forEach((coordinate, d) => {
          place ^= tables[d].places[coordinate];
          nobody ^= tables[d].nobody[coordinate];
        });
        return nobody ? -1 : place;
      },
    };
  }

  // The same questions of a tile dealt out to subgroups in units, whose sizes need not be powers of two: a holder is the
  // number of a register, counted on from subgroup to subgroup.
  function dealtHolders({unit, grid, order}, sizes) {
    const product = (all) => all.reduce((one, other) => one * other, 1);
    const units = sizes.map((extent, d) => extent / unit[d]);
    const rounds = units.map((count, d) => Math.max(1, count / grid[d]));
    const strides = grid.map((_, d) => product(order.slice(0, order.indexOf(d)).map((faster) => grid[faster])));
    const sizeOf = {register: product(rounds) * product(unit), subgroup: product(grid)};
    const names = Object.keys(sizeOf);
    const fields = (place) => ({register: place % sizeOf.register, subgroup: Math.floor(place / sizeOf.register)});
    const owner = (coordinates) => coordinates.reduce((id, at, d) => id + at * strides[d], 0);
    // Subgroups that hold what the one at `first` holds: each units[d]-th along a dimension of fewer units.
    const owners = (first) => first.reduce((all, at, d) => all.flatMap((found) => (
      range(Math.max(1, grid[d] / units[d])).map((n) => [...found, at % units[d] + n * units[d]]))), [[]])
      .map(owner).sort((a, b) => a - b);
    return {
      fields, field: (place, name) => fields(place)[name] || 0, size: (name) => sizeOf[name] || 1,
      told: names.filter((name) => sizeOf[name] > 1).reverse(),
      place(coordinates) {
        const at = coordinates.map((value, d) => Math.floor(value / unit[d]));
        const turns = at.map((number, d) => Math.floor(number / grid[d]));
        const inside = coordinates.map((value, d) => value % unit[d]);
        const register = folded([...turns, ...inside], [...rounds, ...unit]);
        return owner(at.map((number, d) => number % grid[d])) * sizeOf.register + register;
      },
      same(place) {
        const {register, subgroup} = fields(place);
        const at = grid.map((extent, d) => Math.floor(subgroup / strides[d]) % extent);
        return owners(at).map((id) => id * sizeOf.register + register);
      },
    };
  }

  function table(labels, pack, nobodyAt) {
    let places = [0];
    let nobody = [0];
    for (const label of labels) {
      places = places.concat(places.map((place) => place ^ pack(label)));
      nobody = nobody.concat(nobody.map((place) => place ^ label[nobodyAt]));
    }
    return {places, nobody};
  }

  // Rows and columns of cells: of the tile's elements, or of the places that hold them

  // What colours and numbers say: `colour` and `number` are in dimensions.
  function meaning(model, held) {
    const {layout} = model;
    const shared = "offset" in layout.in;
    const several = ["lane", "subgroup"].filter((name) => held.size(name) > 1);
    const there = ["lane", "subgroup", ...Object.keys(layout.in)].filter((name) => name in layout.in);
    const colour = model.colour || (shared ? "offset" : [...several, ...there][0]);
    const rest = Object.keys(layout.in).filter((name) => name !== colour);
    const number = shared ? "offset" : rest.includes("register") ? "register" : rest[0] || colour;
    const chunk = Math.max(1, CHUNK_BITS / (model.bits || 8));
    const index = (value) => (colour === "offset" ? Math.floor(value / chunk) % 8 : value);
    const count = colour === "offset" ? 8 : held.size(colour);
    const parted = colour !== "subgroup" && model.view !== "places" && held.size("subgroup") > 1;
    const said = model.view === "places" ? (model.tensor || Object.keys(layout.out)).join(",") : number;
    const legend = colour === "offset" ? "16-byte column" : colour;
    return {colour, number, said, index, count, parted, key: model.key, legend: model.legend || legend};
  }

  function gridOf(model) {
    const tensor = model.tensor || Object.keys(model.layout.out);
    const sizes = model.sizes || Object.values(model.layout.out);
    const held = model.dealt ? dealtHolders(model.dealt, sizes) : holders(model.layout);
    const offset = model.offset || sizes.map(() => 0);
    const common = {held, tensor, sizes, offset, says: meaning(model, held)};
    return model.view === "places" ? placesGrid(model, common) : tileGrid(model, common);
  }

  function tileGrid(model, common) {
    const {held, tensor, sizes, offset} = common;
    const columns = sizes[sizes.length - 1];
    const leading = sizes.slice(0, -1);
    const at = (row, column) => [...unfolded(row, leading), column];
    const blockAt = (local) => (model.blocks || []).findIndex(([from, extent]) => (
      local.every((value, d) => value >= from[d] && value < from[d] + extent[d])));
    function place(row, column) {
      const local = at(row, column);
      if (!model.blocks) return held.place(local);
      const block = model.blocks[blockAt(local)];
      return block ? held.place(local.map((value, d) => value - block[0][d])) : -1;
    }
    return {
      ...common, place, columns, rows: leading.reduce((all, one) => all * one, 1),
      rowName: tensor.slice(0, -1).join(","), columnName: tensor[tensor.length - 1],
      rowLabel: (row) => unfolded(row, leading).map((value, d) => value + offset[d]).join(","),
      columnLabel: (column) => String(column + offset[offset.length - 1]),
      element: (row, column) => at(row, column).map((value, d) => value + offset[d]),
      text: (row, column, found) => String(held.field(found, common.says.number)),
      longest: String(held.size(common.says.number) - 1).length,
      part: (row, column, found) => [model.blocks ? blockAt(at(row, column)) : 0, held.field(found, "subgroup")].join(),
      cells(element) {
        const local = element.map((value, d) => value - offset[d]);
        if (local.some((value, d) => value < 0 || value >= sizes[d])) return [];
        return [[folded(local.slice(0, -1), leading), local[local.length - 1]]];
      },
    };
  }

  const unfolded = (row, sizes) => sizes.reduceRight(
    ([rest, ...found], extent) => [Math.floor(rest / extent), rest % extent, ...found], [row]).slice(1);
  const folded = (values, sizes) => values.reduce((row, value, d) => row * sizes[d] + value, 0);

  // Elements of one lane that stand side by side in a component of its vector.
  const slotOf = (model) => model.slot || Math.max(1, ((model.base || {}).word || 0) / model.bits || 1);

  // The machine's register and the byte in it, where the assembly told the first; else the number in the layout.
  function registerLabel(model, register, byte) {
    if (!model.base || model.base.register === undefined) return String(register);
    const bytes = model.registerBytes || 64;
    return `r${model.base.register + Math.floor(byte / bytes)}${byte % bytes ? `.${byte % bytes}` : ""}`;
  }

  // Shared memory with gaps: `gap` elements follow each other, and how far it is to the next such. `at` is where an offset
  // without gaps lies, `from` the offset that lies there or -1, `end` where all of it ends.
  function spread({layout, gap}) {
    const [run, step] = gap || [1, 1];
    const count = size(layout, "offset");
    const at = (offset) => Math.floor(offset / run) * step + offset % run;
    const offset = (place) => Math.floor(place / step) * run + place % step;
    return {at, from: (place) => (place % step < run && offset(place) < count ? offset(place) : -1), end: at(count - 1) + 1};
  }

  // Registers by lanes (`slot` neighbours of a lane side by side), or shared memory's rows of banks, all or those of `lines`.
  function placesGrid(model, common) {
    const {held, sizes, offset} = common;
    const shared = "offset" in model.layout.in;
    const bits = model.bits || 8;
    const across = shared ? "offset" : "lane";
    const slot = shared ? Math.max(1, BANK_BITS / bits) : slotOf(model);
    const {at, from, end} = spread(model);
    const wide = shared ? Math.min((model.banks || 32) * BANK_BITS / bits, end) : slot * size(model.layout, across);
    const count = size(model.layout, "register");
    const all = Math.ceil(end / wide);
    const lines = shared && (model.lines || range(all)).filter((line) => line < all);
    const lying = (row, column) => {
      const offset = from(lines[row] * wide + column);
      return offset < 0 ? -1 : held.pack({offset});
    };
    const place = (row, column) => (shared ? lying(row, column) : held.pack({
      register: row * slot + column % slot, lane: Math.floor(column / slot), subgroup: model.subgroup,
    }));
    const element = (row, column) => Object.values(f2.apply(model.layout, held.fields(place(row, column)))).map((value, d) => value + offset[d]);
    const many = slot > 1 ? ` (${slot} elements each)` : "";
    return {
      ...common, place, element, columns: wide, rows: shared ? lines.length : count / slot,
      rowName: shared ? "row of banks" : "register", columnName: (shared ? "bank" : "lane") + many,
      rowLabel: (row) => (shared ? String(lines[row]) : registerLabel(model, row * slot, Math.floor(row * wide * bits / 8))),
      columnLabel: (column) => (column % slot ? "" : String(Math.floor(column / slot))),
      text: (row, column) => element(row, column).join(","),
      longest: sizes.map((extent, d) => String(extent - 1 + offset[d])).join(",").length,
      part: () => "",
      cells(wanted) {
        const local = wanted.map((value, d) => value - offset[d]);
        if (local.some((value, d) => value < 0 || value >= sizes[d])) return [];
        const first = held.place(local);
        return first < 0 ? [] : held.same(first).map(held.fields)
          .filter((fields) => !fields.subgroup || fields.subgroup === (model.subgroup || 0))
          .map((fields) => (shared ? [lines.indexOf(Math.floor(at(fields.offset) / wide)), at(fields.offset) % wide]
            : [Math.floor(fields.register / slot), fields.lane * slot + fields.register % slot])).filter(([row]) => row >= 0);
      },
    };
  }

  // Where things stand, in pixels

  // A tile that is too large is drawn as a map of all of it and, unless `map` wants no more, a part in full beside it.
  function planned(model) {
    const grid = gridOf(model);
    const wide = Math.max(CELL, (grid.longest + 1) * DIGIT);
    const left = 14 + DIGIT * grid.rowLabel(grid.rows - 1).length;
    const fit = model.fit ? [model.fit[0] - left, model.fit[1] - TOP] : [UNFOLDED * wide, UNFOLDED * ROW];
    const parts = partsOf(grid, model, {x: left, wide, fit});
    const keys = keysOf(grid.says, model, parts);
    const right = Math.max(...parts.map((part) => part.x + part.columns * part.wide), legendWide(grid.says, keys));
    const bottom = Math.max(...parts.map((part) => part.y + part.rows * part.high));
    return {grid, parts, keys, width: right + 2, height: bottom + 2};
  }

  function partsOf(grid, model, {x, wide, fit}) {
    const full = {x, y: TOP, wide, high: ROW, step: [1, 1], full: true, row: 0, column: 0, rows: grid.rows, columns: grid.columns};
    if (grid.rows * ROW <= fit[1] && grid.columns * wide <= fit[0]) return [full];
    const most = model.map ? fit : model.fit ? [Math.floor(0.4 * model.fit[0]), fit[1]] : [MAP, MAP];
    const map = mapOf(grid, x, most, model.map ? 12 : 8);
    if (model.map) return [map];
    const beside = x + map.columns * map.wide + 28 + x;
    const rows = Math.min(grid.rows, lens(fit[1] / ROW));
    const columns = Math.min(grid.columns, lens((x + fit[0] - beside) / wide));
    const [row, column] = model.window || [0, 0];
    const corner = {row: Math.min(row, grid.rows - rows), column: Math.min(column, grid.columns - columns)};
    return [map, {...full, ...corner, x: beside, rows, columns}];
  }

  // Cells of the part in full: 8, 16 or 32.
  const lens = (most) => (most < 16 ? 8 : most < 32 ? 16 : 32);

  function mapOf(grid, x, most, largest) {
    const step = [grid.rows, grid.columns].map((count) => 2 ** Math.max(0, Math.ceil(Math.log2(count / FINEST))));
    const [rows, columns] = [Math.ceil(grid.rows / step[0]), Math.ceil(grid.columns / step[1])];
    const pixels = (count, room) => Math.max(1, Math.min(largest, Math.floor(room / count)));
    return {
      row: 0, column: 0, rows, columns, x, y: TOP, wide: pixels(columns, most[0]), high: pixels(rows, most[1]), step, full: false,
    };
  }

  // How many keys the legend has: none where the map shows subgroups only, else as many as fit.
  function keysOf(says, model, parts) {
    const numbered = parts.some((part) => part.full);
    if (!numbered && says.parted) return {shown: 0, numbered, none: true};
    const room = model.fit ? model.fit[0] - legendStart(says) - (numbered ? numberWide(says) : 18) : MOST_KEYS * KEY;
    return {shown: Math.max(1, Math.min(says.count, MOST_KEYS, Math.floor(room / KEY))), numbered};
  }

  const legendStart = (says) => DIGIT * `colour: ${says.legend}`.length + 8;
  const numberWide = (says) => 28 + DIGIT * `number: ${says.said}`.length;
  const legendWide = (says, keys) => (keys.none ? 0 : legendStart(says) + KEY * keys.shown + (keys.numbered ? numberWide(says) : 18));

  // Primitives, in the order in which they are painted

  function scene(model, plan = planned(model)) {
    const {grid, parts, keys} = plan;
    return [
      ["text", 0, 14, model.title || "", "start", "title"],
      ...(keys.none ? [] : legend(grid.says, keys)),
      ...parts.flatMap((part, n) => [...axes(grid, part, parts[n + 1]?.x), ...(part.full ? cells(grid, part) : regions(grid, part, parts[1]))]),
    ];
  }

  function legend(says, keys) {
    const start = legendStart(says);
    const end = start + KEY * keys.shown;
    const swatches = range(keys.shown).flatMap((key) => [
      ["rect", start + KEY * key, 23, 24, 14, `c${key}`], ...mark(start + KEY * key, 23, 24, key),
      ["text", start + KEY * key + 13, 34, String(key), "middle", "cell"],
    ]);
    return [
      ["text", 0, 34, `colour: ${says.legend}`, "start", "note"], ...swatches,
      ...(keys.shown < says.count ? [["text", end + 2, 34, "...", "start", "note"]] : []),
      ...(keys.numbered ? [["text", end + 18, 34, `number: ${says.said}`, "start", "note"]] : []),
    ];
  }

  // The second sign of a colour, beside its tint.
  function mark(x, y, wide, key) {
    const level = Math.floor(key / HUES) % TINTS.length;
    if (key >= HUES * TINTS.length) return [["rect", x + wide - 4, y + 1, 3, 4 * (level + 1), "mark"]];
    return level ? [["rect", x + 1, y + 1, 3, 4 * level, "mark"]] : [];
  }

  // `next`: where another part begins, whose names stand there alone where these would reach it.
  function axes(grid, part, next = Infinity) {
    const last = [part.row + part.rows * part.step[0] - 1, part.column + part.columns * part.step[1] - 1];
    const everyColumn = spaced(part.wide, DIGIT * (grid.columnLabel(last[1]).length || 2));
    const everyRow = spaced(part.high, 12);
    const name = (grid.rowName && `${grid.rowName} ↓  `) + `${grid.columnName} →`;
    const subgroups = !part.full && grid.says.parted ? ", number: subgroup" : "";
    const scale = part.step[0] * part.step[1] > 1 ? `, each cell ${part.step[0]} x ${part.step[1]}` : "";
    const columns = range(part.columns).filter((j) => j % everyColumn === 0).map((j) => (
      ["text", part.x + (part.full ? (j + 0.5) * part.wide : j * part.wide), part.y - 4,
        grid.columnLabel(part.column + j * part.step[1]), part.full ? "middle" : "start", "axis"]));
    const rows = range(part.rows).filter((i) => i % everyRow === 0).map((i) => (
      ["text", part.x - 6, part.y + i * part.high + (part.full ? 12 : 9), grid.rowLabel(part.row + i * part.step[0]), "end", "axis"]));
    const words = name + subgroups + scale;
    const names = part.x + DIGIT * words.length <= next ? [["text", part.x, part.y - 16, words, "start", "note"]] : [];
    return [...names, ...columns.filter((text) => text[3]), ...(grid.rowName ? rows : [])];
  }

  const spaced = (pixels, wanted) => 2 ** Math.max(0, Math.ceil(Math.log2(wanted / pixels)));

  function cells(grid, part) {
    const found = [];
    const edges = [];
    for (const i of range(part.rows)) {
      for (const j of range(part.columns)) {
        const [row, column] = [part.row + i, part.column + j];
        const [x, y] = [part.x + j * part.wide, part.y + i * part.high];
        found.push(...cell(grid, part, row, column, x, y));
        if (j && differ(grid, row, column, row, column - 1)) edges.push(["line", x, y, x, y + part.high, "border"]);
        if (i && differ(grid, row, column, row - 1, column)) edges.push(["line", x, y, x + part.wide, y, "border"]);
      }
    }
    return [...found, ...edges];
  }

  // The colour of a cell: by who holds it, or by what the picture's own `key` says of the element.
  const keyAt = ({says, held, element}, row, column, place) => (
    says.key ? says.key(element(row, column)) : says.index(held.field(place, says.colour)));

  function cell(grid, part, row, column, x, y) {
    const place = grid.place(row, column);
    if (place < 0) return [["rect", x, y, part.wide - 1, part.high - 1, "hole"]];
    const key = keyAt(grid, row, column, place);
    return [
      ["rect", x, y, part.wide - 1, part.high - 1, `c${key}`], ...mark(x, y, part.wide - 1, key),
      ["text", x + part.wide / 2, y + 12, grid.text(row, column, place), "middle", "cell"],
    ];
  }

  function differ(grid, row, column, otherRow, otherColumn) {
    const [place, other] = [grid.place(row, column), grid.place(otherRow, otherColumn)];
    return place >= 0 && other >= 0 && grid.part(row, column, place) !== grid.part(otherRow, otherColumn, other);
  }

  // The map: neighbours that one subgroup holds are one rectangle with its number; of one subgroup those of a colour.
  function regions(grid, map, window) {
    const {held, says} = grid;
    const place = (i, j) => grid.place(i * map.step[0], j * map.step[1]);
    const key = (i, j) => {
      const found = place(i, j);
      return found < 0 ? "hole" : says.parted ? `s${grid.part(i * map.step[0], j * map.step[1], found)}`
        : `c${keyAt(grid, i * map.step[0], j * map.step[1], found)}`;
    };
    const found = merged(map.rows, map.columns, key).flatMap(([i, j, rows, columns, ink]) => {
      const box = [map.x + j * map.wide, map.y + i * map.high, columns * map.wide, rows * map.high];
      if (ink === "hole" || !says.parted) return [["rect", ...box, ink]];
      const words = numbers(held.same(place(i, j)).map((one) => held.field(one, "subgroup")));
      const fits = box[2] > DIGIT * words.length && box[3] > 11;
      const text = ["text", box[0] + box[2] / 2, box[1] + Math.floor(box[3] / 2) + 4, words, "middle", "cell"];
      return [["rect", ...box, "shade"], ["frame", ...box, "border"], ...(fits ? [text] : [])];
    });
    if (!window) return found;
    const corner = [window.column / map.step[1], window.row / map.step[0]].map(Math.floor);
    const extent = [window.columns / map.step[1], window.rows / map.step[0]].map(Math.ceil);
    return [...found, ["frame", map.x + corner[0] * map.wide, map.y + corner[1] * map.high,
      extent[0] * map.wide, extent[1] * map.high, "window"]];
  }

  // Rectangles [row, column, rows, columns, key] of equal keys: runs of a row, and the same runs below.
  function merged(rows, columns, key) {
    const found = [];
    let last = [];
    for (const i of range(rows)) {
      const runs = [];
      for (const j of range(columns)) {
        const of = key(i, j);
        const run = runs[runs.length - 1];
        if (run && run[4] === of) run[3] += 1;
        else runs.push([i, j, 1, 1, of]);
      }
      const signature = (all) => all.map((run) => [run[1], run[3], run[4]].join()).join(";");
      if (signature(runs) === signature(last)) last.forEach((run) => { run[2] += 1; });
      else found.push(...(last = runs));
    }
    return found;
  }

  // Numbers in few words: 3, 0-7, 0..28.
  function numbers(all) {
    const sorted = [...new Set(all)].sort((a, b) => a - b);
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    return first === last ? String(first) : `${first}${last - first === sorted.length - 1 ? "-" : ".."}${last}`;
  }

  X.scene = {
    gridOf, spread, legendStart, numbers, planned, range, registerLabel, scene, size, slotOf, tileGrid, DIGIT, HUES, KEY, TINTS,
  };
})(window.X = window.X || {});
