// Pictures of layouts: what is to be drawn is first a list of plain primitives (`scene`, equal to that of svg.py), then
// painted on two canvases: the ground once, outlines with each move of the pointer.
(function (X) {
  "use strict";
  const f2 = X.f2;
  const DIGIT = 7;
  const CELL = 26;
  const ROW = 16;
  const LENS = 32;
  const UNFOLDED = 64;
  const MAP = 384;
  const FINEST = 256;
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
    return {
      names, field, told: names.filter((name) => size(layout, name) > 1).reverse(), copies: kernel.reduce((all, one) => [...all, ...all.map((other) => other ^ one)], [0]),
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
  function meaning(model) {
    const {layout} = model;
    const shared = "offset" in layout.in;
    const several = ["lane", "subgroup"].filter((name) => size(layout, name) > 1)[0];
    const colour = model.colour || (shared ? "offset" : several || Object.keys(layout.in)[0]);
    const rest = Object.keys(layout.in).filter((name) => name !== colour);
    const number = shared ? "offset" : rest.includes("register") ? "register" : rest[0] || colour;
    const chunk = Math.max(1, CHUNK_BITS / (model.bits || 8));
    const index = (value) => (colour === "offset" ? Math.floor(value / chunk) % 8 : value);
    const count = colour === "offset" ? 8 : size(layout, colour);
    const parted = colour !== "subgroup" && model.view !== "places" && size(layout, "subgroup") > 1;
    return {colour, number, index, count, parted, legend: colour === "offset" ? "16-byte column" : colour};
  }

  function gridOf(model) {
    const held = holders(model.layout);
    const tensor = model.tensor || Object.keys(model.layout.out);
    const sizes = model.sizes || Object.values(model.layout.out);
    const offset = model.offset || sizes.map(() => 0);
    const common = {held, tensor, sizes, offset, says: meaning(model)};
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

  // Registers by lanes (`slot` neighbours of a lane side by side), or shared memory's rows of banks.
  function placesGrid(model, common) {
    const {held, says, offset} = common;
    const shared = "offset" in model.layout.in;
    const bits = model.bits || 8;
    const across = shared ? "offset" : "lane";
    const slot = shared ? Math.max(1, BANK_BITS / bits) : model.slot || 1;
    const wide = shared ? Math.min((model.banks || 32) * BANK_BITS / bits, size(model.layout, across)) : slot * size(model.layout, across);
    const count = size(model.layout, shared ? "offset" : "register");
    const place = (row, column) => held.pack(shared ? {offset: row * wide + column} : {
      register: row * slot + column % slot, lane: Math.floor(column / slot), subgroup: model.subgroup,
    });
    const element = (row, column) => Object.values(f2.apply(model.layout, held.fields(place(row, column)))).map((value, d) => value + offset[d]);
    const many = slot > 1 ? ` (${slot} elements each)` : "";
    return {
      ...common, place, element, columns: wide, rows: shared ? count / wide : count / slot,
      rowName: shared ? "row of banks" : "register", columnName: (shared ? "bank" : "lane") + many,
      rowLabel: (row) => String(shared ? row : row * slot),
      columnLabel: (column) => (column % slot ? "" : String(Math.floor(column / slot))),
      text: (row, column) => element(row, column).join(","),
      part: () => "",
      cells(wanted) {
        const local = wanted.map((value, d) => value - offset[d]);
        if (local.some((value, d) => value < 0 || value >= common.sizes[d])) return [];
        const first = held.place(local);
        return first < 0 ? [] : held.copies.map((copy) => held.fields(first ^ copy))
          .filter((fields) => !fields.subgroup || fields.subgroup === (model.subgroup || 0))
          .map((fields) => (shared ? [Math.floor(fields.offset / wide), fields.offset % wide]
            : [Math.floor(fields.register / slot), fields.lane * slot + fields.register % slot]));
      },
    };
  }

  // Where things stand, in pixels

  // A tile that is too large is drawn as a map of all of it, and a part in full beside it.
  function planned(model) {
    const grid = gridOf(model);
    const longest = Math.max(...[[0, 0], [grid.rows - 1, grid.columns - 1]].map(([row, column]) => (
      model.view === "places" ? grid.element(row, column).join(",").length : 0)),
      model.view === "places" ? 0 : String(size(model.layout, grid.says.number) - 1).length);
    const wide = Math.max(CELL, (longest + 1) * DIGIT);
    const left = 14 + DIGIT * grid.rowLabel(grid.rows - 1).length;
    const [fitWide, fitHigh] = model.fit || [UNFOLDED * wide, UNFOLDED * ROW];
    const top = 70;
    const parts = [];
    let x = left;
    let [rows, columns] = [grid.rows, grid.columns];
    if (rows * ROW > fitHigh || columns * wide > fitWide) {
      const map = mapOf(grid, x, top);
      parts.push(map);
      x += map.columns * map.wide + 28 + left;
      rows = Math.min(rows, LENS, Math.max(8, Math.floor(fitHigh / ROW)));
      columns = Math.min(columns, LENS, Math.max(8, Math.floor((fitWide - x) / wide)));
    }
    const [row, column] = model.window || [0, 0];
    parts.push({
      row: Math.min(row, grid.rows - rows), column: Math.min(column, grid.columns - columns), rows, columns, x, y: top,
      wide, high: ROW, step: [1, 1], full: true,
    });
    const right = Math.max(...parts.map((part) => part.x + part.columns * part.wide), legendWide(grid.says));
    const bottom = Math.max(...parts.map((part) => part.y + part.rows * part.high));
    return {grid, parts, width: right + 2, height: bottom + 2};
  }

  function mapOf(grid, x, y) {
    const step = [grid.rows, grid.columns].map((count) => 2 ** Math.max(0, Math.ceil(Math.log2(count / FINEST))));
    const [rows, columns] = [Math.ceil(grid.rows / step[0]), Math.ceil(grid.columns / step[1])];
    const pixels = (count) => Math.max(1, Math.min(12, Math.floor(MAP / count)));
    return {row: 0, column: 0, rows, columns, x, y, wide: pixels(columns), high: pixels(rows), step, full: false};
  }

  const shownKeys = (says) => Math.min(says.count, 32);
  const legendWide = (says) => legendStart(says) + 26 * shownKeys(says) + 10 + DIGIT * `number: ${says.number}`.length;
  const legendStart = (says) => DIGIT * `colour: ${says.legend}`.length + 8;

  // Primitives: [rect, x, y, wide, high, ink], [frame, ...], [line, x, y, x, y, ink], [text, x, y, words, anchor, ink]

  function scene(model, plan = planned(model)) {
    const {grid, parts} = plan;
    return [
      ["text", 0, 14, model.title || "", "start", "title"],
      ...legend(grid.says),
      ...parts.flatMap((part) => [...axes(grid, part), ...(part.full ? cells(grid, part) : regions(grid, part, parts[1]))]),
    ];
  }

  function legend(says) {
    const start = legendStart(says);
    const keys = range(shownKeys(says)).flatMap((key) => [
      ["rect", start + 26 * key, 23, 24, 14, `c${key}`], ...mark(start + 26 * key, 23, 24, key),
      ["text", start + 26 * key + 13, 34, String(key), "middle", "cell"],
    ]);
    const end = start + 26 * shownKeys(says) + 10;
    return [["text", 0, 34, `colour: ${says.legend}`, "start", "note"], ...keys, ["text", end, 34, `number: ${says.number}`, "start", "note"]];
  }

  // The second sign of a colour, beside its tint.
  function mark(x, y, wide, key) {
    const level = Math.floor(key / HUES) % TINTS.length;
    if (key >= HUES * TINTS.length) return [["rect", x + wide - 4, y + 1, 3, 4 * (level + 1), "mark"]];
    return level ? [["rect", x + 1, y + 1, 3, 4 * level, "mark"]] : [];
  }

  function axes(grid, part) {
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
    return [["text", part.x, part.y - 16, name + subgroups + scale, "start", "note"], ...columns.filter((text) => text[3]), ...(grid.rowName ? rows : [])];
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

  function cell(grid, part, row, column, x, y) {
    const place = grid.place(row, column);
    if (place < 0) return [["rect", x, y, part.wide - 1, part.high - 1, "hole"]];
    const key = grid.says.index(grid.held.field(place, grid.says.colour));
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
        : `c${says.index(held.field(found, says.colour))}`;
    };
    const found = merged(map.rows, map.columns, key).flatMap(([i, j, rows, columns, ink]) => {
      const box = [map.x + j * map.wide, map.y + i * map.high, columns * map.wide, rows * map.high];
      if (ink === "hole" || !says.parted) return [["rect", ...box, ink]];
      const words = numbers(held.copies.map((copy) => held.field(place(i, j) ^ copy, "subgroup")));
      const fits = box[2] > DIGIT * words.length && box[3] > 11;
      const text = ["text", box[0] + box[2] / 2, box[1] + Math.floor(box[3] / 2) + 4, words, "middle", "cell"];
      return [["rect", ...box, "shade"], ["frame", ...box, "border"], ...(fits ? [text] : [])];
    });
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

  // The matrix of bits: a row for each bit of a coordinate, a column for each bit of a place

  function matrixPlan(layout) {
    const rows = Object.entries(layout.out).flatMap(([name, extent], d) => (
      range(Math.log2(extent)).map((bit) => ({name, d, bit, label: `${name} ${2 ** bit}`}))));
    const left = 8 + DIGIT * Math.max(0, ...rows.map((row) => row.label.length));
    const columns = [];
    let x = left;
    for (const [name, vectors] of Object.entries(layout.in)) {
      vectors.forEach((vector, bit) => columns.push({name, bit, vector, x: x + 22 * bit}));
      if (vectors.length) x += Math.max(22 * vectors.length, DIGIT * name.length) + 10;
    }
    return {rows, columns, width: x, height: 38 + 17 * rows.length};
  }

  function matrixScene(layout, plan = matrixPlan(layout)) {
    const set = (column, row) => Math.floor(column.vector[row.d] / 2 ** row.bit) % 2;
    const heads = plan.columns.flatMap(({name, bit, x}) => [
      ...(bit ? [] : [["text", x, 12, name, "start", "note"]]),
      ["text", x + 10, 28, bit < 10 ? String(2 ** bit) : `2^${bit}`, "middle", "axis"],
    ]);
    const lines = plan.rows.flatMap((row, i) => [
      ["text", 0, 46 + 17 * i, row.label, "start", "axis"],
      ...plan.columns.flatMap((column) => (set(column, row)
        ? [["rect", column.x, 34 + 17 * i, 20, 15, "bit"], ["text", column.x + 10, 46 + 17 * i, "1", "middle", "bit-one"]]
        : [["rect", column.x, 34 + 17 * i, 20, 15, "hole"]])),
    ]);
    const mixed = plan.columns.filter((column) => plan.rows.filter((row) => set(column, row)).length > 1);
    return [...heads, ...lines, ...mixed.map(({x}) => ["frame", x - 1, 32, 22, 2 + 17 * plan.rows.length, "xor"])];
  }

  // Painting

  const FONTS = {
    title: "bold 13px system-ui, sans-serif", note: "12px system-ui, sans-serif", cell: "11px ui-monospace, monospace",
    axis: "10px ui-monospace, monospace", "bit-one": "bold 11px ui-monospace, monospace",
  };

  // Colours come from the style sheet, so that a dark page has others; `c7` is a tint of the second hue.
  function inks(host) {
    const style = getComputedStyle(host);
    const known = new Map();
    const value = (name) => style.getPropertyValue(`--${name}`).trim();
    return (name) => {
      if (!known.has(name)) known.set(name, /^c\d+$/.test(name) ? tint(value, Number(name.slice(1))) : value(name) || value("ink"));
      return known.get(name);
    };
  }

  function tint(value, key) {
    const channels = (name) => value(name).match(/[0-9a-f]{2}/gi).map((two) => parseInt(two, 16));
    const weight = TINTS[Math.floor(key / HUES) % TINTS.length];
    const paper = channels("paper");
    const mixed = channels(`lane-${key % HUES}`).map((channel, i) => Math.round(weight * channel + (1 - weight) * paper[i]));
    return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  }

  const PAINTERS = {
    rect(context, [x, y, wide, high, ink], colour) {
      context.fillStyle = colour(ink);
      context.fillRect(x, y, wide, high);
    },
    frame(context, [x, y, wide, high, ink], colour) {
      context.strokeStyle = colour(ink);
      context.lineWidth = ink === "border" ? 1 : 2;
      context.setLineDash(ink === "copy" ? [4, 3] : []);
      context.strokeRect(x, y, wide, high);
    },
    line(context, [x, y, toX, toY, ink], colour) {
      context.strokeStyle = colour(ink);
      context.setLineDash([]);
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(toX, toY);
      context.stroke();
    },
    arc(context, [x, y, toX, high, ink], colour) {
      context.strokeStyle = colour(ink);
      context.setLineDash([]);
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, y);
      context.quadraticCurveTo((x + toX) / 2, y - 2 * high, toX, y);
      context.stroke();
    },
    text(context, [x, y, words, anchor, ink], colour) {
      context.fillStyle = colour(ink);
      context.font = FONTS[ink];
      context.textAlign = anchor === "middle" ? "center" : anchor;
      context.fillText(words, x, y);
    },
  };

  function paint(canvas, primitives, plan, colour, only) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.ceil(plan.width * ratio);
    canvas.height = Math.ceil(plan.height * ratio);
    canvas.style.width = `${plan.width}px`;
    canvas.style.height = `${plan.height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    for (const [kind, ...rest] of primitives) {
      const ink = rest[rest.length - 1];
      context.globalAlpha = only != null && /^c\d/.test(ink) && ink !== `c${only}` ? 0.15 : 1;
      PAINTERS[kind](context, rest, colour);
    }
  }

  function made(name, className, host) {
    const node = document.createElement(name);
    node.className = className;
    host.append(node);
    return node;
  }

  // A picture's place in the page: two canvases over one another, and a line that says what is pointed at.
  function surface(host, label) {
    const root = made("div", "picture", host);
    root.tabIndex = 0;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", label);
    const sheets = made("div", "sheets", root);
    const [ground, over] = [made("canvas", "ground", sheets), made("canvas", "over", sheets)];
    const said = made("output", "said", root);
    said.setAttribute("aria-live", "polite");
    const at = (event) => {
      const box = over.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    return {
      root, over, said, at,
      ground: (primitives, plan, only) => paint(ground, primitives, plan, inks(root), only),
      outline: (primitives, plan) => paint(over, primitives, plan, inks(root)),
      onTheme: (redraw) => dark.addEventListener("change", redraw),
    };
  }

  // A layout in a page

  // What is outlined: a bit's elements, a rectangle, elements with a sign, the element pointed at with its copies.
  function outlines(model, plan) {
    const {grid, parts} = plan;
    const boxes = (element, ink, words) => parts.flatMap((part) => grid.cells(element).flatMap(([row, column], n) => {
      const box = boxIn(part, row, column);
      if (!box) return [];
      const text = ["text", box[0] + box[2] - 3, box[1] + 6, String(words), "end", "axis"];
      return [["frame", ...box, n && ink === "element" ? "copy" : ink], ...(words === undefined || !part.full ? [] : [text])];
    }));
    return [
      ...(model.bit ? parts.flatMap((part) => lit(grid, part, model.bit)) : []),
      ...(model.rectangle ? parts.flatMap((part) => around(grid, part, model.rectangle)) : []),
      ...(model.outlined || []).flatMap((one) => boxes(one.element || one, one.ink || "select", one.words)),
      ...(model.element ? boxes(model.element, "element") : []),
    ];
  }

  function boxIn(part, row, column) {
    const [i, j] = [Math.floor((row - part.row) / part.step[0]), Math.floor((column - part.column) / part.step[1])];
    if (i < 0 || j < 0 || i >= part.rows || j >= part.columns) return null;
    return [part.x + j * part.wide, part.y + i * part.high, Math.max(5, part.wide - 1), Math.max(5, part.high - 1)];
  }

  function lit(grid, part, {dim, bit}) {
    return range(part.rows).flatMap((i) => range(part.columns).flatMap((j) => {
      const place = grid.place(part.row + i * part.step[0], part.column + j * part.step[1]);
      if (place < 0 || !(grid.held.field(place, dim) >> bit & 1)) return [];
      return [["rect", part.x + j * part.wide, part.y + i * part.high, Math.max(1, part.wide - 1), Math.max(1, part.high - 1), "lit"]];
    }));
  }

  function around(grid, part, [from, to]) {
    const ends = [...grid.cells(from), ...grid.cells(to)].map(([row, column]) => boxIn(part, row, column));
    if (ends.length < 2 || ends.includes(null)) return [];
    const [a, b] = [ends[0], ends[ends.length - 1]];
    return [["frame", a[0], a[1], b[0] + b[2] - a[0], b[1] + b[3] - a[1], "rectangle"]];
  }

  // Who holds an element, in words: "M 5, K 101: subgroup 2, lane 5, register 12; also subgroup 3, ...".
  function words(model, grid, element) {
    const {held} = grid;
    const cell = tileGrid(model, grid).cells(element)[0];
    const place = cell ? tileGrid(model, grid).place(...cell) : -1;
    const where = element.map((value, d) => `${grid.tensor[d]} ${value}`).join(", ");
    if (place < 0) return `${where}: nobody holds it`;
    const others = held.copies.length > 1 ? `; also ${named(held, place ^ held.copies[1])}` : "";
    const more = held.copies.length > 2 ? ` and ${held.copies.length - 2} more` : "";
    return `${where}: ${named(held, place)}${registerOf(model, held, place)}${others}${more}`;
  }

  const named = (held, place) => held.told.map((name) => `${name} ${held.field(place, name)}`).join(", ");

  // The machine's register, where the assembly told the first.
  function registerOf(model, held, place) {
    if (!model.base || model.base.register === undefined) return "";
    const slot = model.slot || 1;
    const {register, lane} = held.fields(place);
    const words = (Math.floor(register / slot) * size(model.layout, "lane") + lane) * slot + register % slot;
    const byte = words * model.bits / 8;
    const bytes = model.registerBytes || 64;
    return ` (r${model.base.register + Math.floor(byte / bytes)}, byte ${byte % bytes})`;
  }

  function rectangleWords(grid, [from, to]) {
    const [[row, column]] = grid.cells(from);
    const [[lastRow, lastColumn]] = grid.cells(to);
    const places = range(lastRow - row + 1).flatMap((i) => range(lastColumn - column + 1).map((j) => grid.place(row + i, column + j)));
    const who = grid.held.told.map((name) => `${name} ${numbers(places.filter((place) => place >= 0).map((place) => grid.held.field(place, name)))}`);
    return `${from.map((value, d) => `${grid.tensor[d]} ${numbers([value, to[d]]).replace("..", "-")}`).join(", ")}: ${who.join(", ")}`;
  }

  const MOVES = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

  function panel(host, options) {
    const model = {onElement() {}, onRectangle() {}, ...options};
    const place = surface(host, `${model.title || "layout"}: arrows move the element, t shows a table`);
    let plan = planned(model);
    let picked = model.element || null;
    let from = null;
    let shown = null;

    function outline() {
      place.outline(outlines(model, plan), plan);
      place.said.textContent = model.rectangle ? rectangleWords(plan.grid, model.rectangle)
        : model.element ? words(model, plan.grid, model.element) : "";
    }
    function draw() {
      plan = planned(model);
      place.ground(scene(model, plan), plan, model.only);
      outline();
      if (shown) shown.replaceWith(shown = tableOf(model, plan));
    }
    function update(patch) {
      Object.assign(model, patch);
      if ("element" in patch && patch.element && !patch.passing) follow(patch.element);
      if (Object.keys(patch).every((key) => ["element", "rectangle", "bit", "outlined", "passing"].includes(key))) outline();
      else draw();
    }
    // The part in full goes where the element is.
    function follow(element) {
      const [cell] = plan.grid.cells(element);
      const part = plan.parts[plan.parts.length - 1];
      if (!cell || boxIn(part, ...cell)) return;
      model.window = [cell[0] - cell[0] % part.rows, cell[1] - cell[1] % part.columns];
      draw();
    }
    function cellAt(event) {
      const [x, y] = place.at(event);
      const part = plan.parts.find((one) => x >= one.x && y >= one.y && x < one.x + one.columns * one.wide && y < one.y + one.rows * one.high);
      return part && [part.row + Math.floor((y - part.y) / part.high) * part.step[0], part.column + Math.floor((x - part.x) / part.wide) * part.step[1]];
    }
    const elementAt = (event) => {
      const cell = cellAt(event);
      return cell ? plan.grid.element(...cell) : null;
    };
    function pick(element) {
      picked = element;
      update({element, rectangle: null});
      model.onElement(element, "pick");
    }
    function pickLegend(event) {
      const [x, y] = place.at(event);
      const key = Math.floor((x - legendStart(plan.grid.says)) / 26);
      if (y < 20 || y > 40 || key < 0 || key >= shownKeys(plan.grid.says)) return;
      update({only: model.only === key ? null : key});
    }
    place.over.addEventListener("pointerdown", (event) => { from = elementAt(event); });
    place.over.addEventListener("pointermove", (event) => {
      const element = elementAt(event);
      const drags = from && element && event.buttons && String(from) !== String(element);
      if (drags && model.view !== "places") {
        const rectangle = [from.map((value, d) => Math.min(value, element[d])), from.map((value, d) => Math.max(value, element[d]))];
        update({rectangle, passing: true});
      } else if (!event.buttons && String(element) !== String(model.element)) {
        update({element: element || picked, passing: true});
        model.onElement(element || picked, "hover");
      }
    });
    place.over.addEventListener("pointerup", (event) => {
      if (model.rectangle && from && String(from) !== String(elementAt(event))) model.onRectangle(model.rectangle);
      else if (from) pick(elementAt(event) || from);
      else pickLegend(event);
      from = null;
    });
    place.over.addEventListener("pointerleave", () => {
      update({element: picked, passing: true});
      model.onElement(picked, "hover");
    });
    place.root.addEventListener("keydown", (event) => {
      const {grid} = plan;
      if (MOVES[event.key]) {
        const [cell] = model.element ? grid.cells(model.element) : [];
        const [row, column] = cell ? cell.map((value, d) => value + MOVES[event.key][d]) : [0, 0];
        if (row >= 0 && column >= 0 && row < grid.rows && column < grid.columns) pick(grid.element(row, column));
      } else if (event.key === "t") table();
      else if (event.key === "Escape") pick(null);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    // The text behind the picture comes and goes.
    function table() {
      if (shown) shown.remove();
      shown = shown ? null : tableOf(model, plan);
      if (shown) place.root.append(shown);
      return shown;
    }
    place.onTheme(draw);
    draw();
    return {update, table, root: place.root};
  }

  // The part in full as a table: in each cell who holds the element.
  function tableOf(model, {grid, parts}) {
    const part = parts[parts.length - 1];
    const node = document.createElement("table");
    const short = (place) => grid.held.told.map((name) => grid.held.field(place, name)).join(":");
    made("caption", "", node).textContent = `${grid.held.told.join(":")} of each ${grid.rowName} (rows), ${grid.columnName} (columns)`;
    const head = made("tr", "", node);
    made("th", "", head);
    range(part.columns).forEach((j) => { made("th", "", head).textContent = grid.columnLabel(part.column + j); });
    range(part.rows).forEach((i) => {
      const line = made("tr", "", node);
      made("th", "", line).textContent = grid.rowLabel(part.row + i);
      range(part.columns).forEach((j) => {
        const place = grid.place(part.row + i, part.column + j);
        made("td", "", line).textContent = model.view === "places" ? grid.text(part.row + i, part.column + j) : place < 0 ? "" : short(place);
      });
    });
    return node;
  }

  function matrix(host, layout, onHover = () => {}) {
    const place = surface(host, "bits: arrows move the column");
    let plan;
    let chosen = -1;
    function choose(index) {
      if (index === chosen) return;
      chosen = index;
      const column = plan.columns[index];
      place.outline(column ? [["frame", column.x - 1, 16, 22, plan.height - 18, "hover"]] : [], plan);
      place.said.textContent = column ? toggles(layout, column) : "";
      onHover(column ? {dim: column.name, bit: column.bit, vector: column.vector} : null);
    }
    function draw() {
      plan = matrixPlan(layout);
      place.ground(matrixScene(layout, plan), plan);
    }
    place.over.addEventListener("pointermove", (event) => {
      const [x] = place.at(event);
      choose(plan.columns.findIndex((column) => x >= column.x && x < column.x + 22));
    });
    place.over.addEventListener("pointerleave", () => choose(-1));
    place.root.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      choose(Math.max(0, Math.min(plan.columns.length - 1, chosen + MOVES[event.key][1])));
      event.preventDefault();
      event.stopPropagation();
    });
    place.onTheme(draw);
    draw();
    return {root: place.root, update(next) { layout = next; chosen = -1; draw(); choose(-1); }};
  }

  function toggles(layout, {name, bit, vector}) {
    const moves = Object.keys(layout.out).map((dim, d) => [dim, vector[d]]).filter((move) => move[1]);
    const where = moves.map(([dim, value]) => `${dim} by ${value}`).join(" and ");
    return `${name} ${2 ** bit} ${where ? `changes ${where}` : "changes nothing: copies"}`;
  }

  // Pictures with their matrices side by side; pointing at an element outlines it in all.
  function gallery(host, models) {
    const panels = [];
    const others = (own, patch) => panels.forEach((one) => one !== own && one.update(patch));
    for (const model of models) {
      const figure = made("div", "figure", host);
      const own = panel(figure, {
        ...model, onElement: (element, how) => others(own, {element, rectangle: null, passing: how === "hover"}),
        onRectangle: (rectangle) => others(own, {rectangle}),
      });
      panels.push(own);
      const layout = model.tensor ? {in: model.layout.in, out: renamed(model)} : model.layout;
      matrix(figure, layout, (bit) => own.update({bit, passing: true}));
    }
    return panels;
  }

  const renamed = ({layout, tensor}) => Object.fromEntries(Object.values(layout.out).map((extent, d) => [tensor[d], extent]));

  X.pictures = {gallery, matrix, matrixScene, panel, scene};
})(window.X = window.X || {});
