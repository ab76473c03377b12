// Pictures of layouts in a page: what scene.js says is painted on two canvases, the ground once, outlines with each move of
// the pointer; panels, matrices of bits, and galleries of them.
(function (X) {
  "use strict";
  const {
    legendStart, numbers, planned, range, registerLabel, scene, size, slotOf, tileGrid, HUES, KEY, TINTS,
  } = X.scene;
  const {matrixPlan, matrixScene} = X.matrix;

  // Painting

  const FONTS = {
    title: "bold 13px system-ui, sans-serif", note: "12px system-ui, sans-serif", cell: "11px ui-monospace, monospace",
    axis: "10px ui-monospace, monospace", "bit-one": "bold 11px ui-monospace, monospace",
    sign: "bold 10px ui-monospace, monospace",
  };

  // Colours come from the style sheet, so that a dark page has others; `c7` is a tint of the second hue. They are asked for
  // once, since the browser works out all styles for an answer.
  const known = new Map();
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => {
    known.clear();
    document.querySelectorAll(".picture").forEach((one) => one.dispatchEvent(new Event("theme")));
  });

  function colour(name) {
    if (!known.has(name)) {
      const style = getComputedStyle(document.documentElement);
      const value = (wanted) => style.getPropertyValue(`--${wanted}`).trim();
      known.set(name, /^c\d+$/.test(name) ? tint(value, Number(name.slice(1))) : value(name) || value("ink"));
    }
    return known.get(name);
  }

  function tint(value, key) {
    const channels = (name) => value(name).match(/[0-9a-f]{2}/gi).map((two) => parseInt(two, 16));
    const level = Math.floor(key / HUES) % TINTS.length;
    const weight = TINTS[level];
    // the palest ones would be lost on a dark page
    const paper = channels(level === TINTS.length - 1 ? "tint" : "paper");
    const mixed = channels(`lane-${key % HUES}`).map((channel, i) => Math.round(weight * channel + (1 - weight) * paper[i]));
    return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  }

  const PAINTERS = {
    rect(context, [x, y, wide, high, ink]) {
      context.fillStyle = colour(ink);
      context.fillRect(x, y, wide, high);
    },
    frame(context, [x, y, wide, high, ink]) {
      context.strokeStyle = colour(ink);
      context.lineWidth = ink === "border" ? 1 : 2;
      context.setLineDash({copy: [4, 3], xor: [2, 2]}[ink] || []);
      context.strokeRect(x, y, wide, high);
    },
    line(context, [x, y, toX, toY, ink]) {
      context.strokeStyle = colour(ink);
      context.setLineDash([]);
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(toX, toY);
      context.stroke();
    },
    arc(context, [x, y, toX, high, ink]) {
      context.strokeStyle = colour(ink);
      context.setLineDash([]);
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, y);
      context.quadraticCurveTo((x + toX) / 2, y - 2 * high, toX, y);
      context.stroke();
    },
    text(context, [x, y, words, anchor, ink]) {
      context.fillStyle = colour(ink);
      // to say a font costs more than to write with it
      if (context.written !== ink) [context.font, context.written] = [FONTS[ink], ink];
      context.textAlign = anchor === "middle" ? "center" : anchor;
      context.fillText(words, x, y);
    },
  };

  // A canvas that keeps its size is wiped; one that has nothing yet, and gets nothing, is not touched.
  function paint(canvas, primitives, plan, only) {
    const ratio = window.devicePixelRatio || 1;
    const { width, height, scale = 1 } = plan;
    const pixels = [width, height].map((length) => Math.ceil(length * ratio * scale));
    if (`${pixels}` !== `${canvas.pixels}`) {
      [canvas.width, canvas.height] = canvas.pixels = pixels;
      [canvas.style.width, canvas.style.height] = [`${width * scale}px`, `${height * scale}px`];
      canvas.isBlank = true;
      canvas.getContext("2d").written = null;
    }
    if (canvas.isBlank && primitives.length === 0) return;
    const context = canvas.getContext("2d");
    context.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
    if (!canvas.isBlank) context.clearRect(0, 0, width + 1, height + 1);
    canvas.isBlank = primitives.length === 0;
    for (const [kind, ...rest] of primitives) {
      const ink = rest[rest.length - 1];
      context.globalAlpha = only != null && /^c\d/.test(ink) && ink !== `c${only}` ? 0.15 : 1;
      PAINTERS[kind](context, rest);
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
    return {
      root, over, at,
      say(words) { if (said.textContent !== words) said.textContent = words; },
      ground: (primitives, plan, only) => paint(ground, primitives, plan, only),
      outline: (primitives, plan) => paint(over, primitives, plan),
      onTheme: (redraw) => root.addEventListener("theme", redraw),
    };
  }

  // A layout in a page

  // What is outlined: a bit's elements, a rectangle, elements with a sign, the element pointed at with its copies.
  function outlines(model, plan) {
    const {grid, parts} = plan;
    const boxes = (element, ink, words, hatched) => parts.flatMap((part) => grid.cells(element).flatMap(([row, column], n) => {
      const box = boxIn(part, row, column);
      if (!box) return [];
      if (hatched) return [["line", box[0], box[1] + box[3], box[0] + box[2], box[1], ink]];
      const sign = [["rect", box[0] + box[2] - 9, box[1], 9, 11, ink], ["text", box[0] + box[2] - 5, box[1] + 9, String(words), "middle", "sign"]];
      return [["frame", ...box, n && ink === "element" ? "copy" : ink], ...(words === undefined || part.wide < 10 || part.high < 11 ? [] : sign)];
    }));
    return [
      ...(model.bit ? parts.flatMap((part) => lit(grid, part, model.bit)) : []),
      ...(model.rectangle ? parts.flatMap((part) => around(grid, part, model.rectangle)) : []),
      ...(model.outlined || []).flatMap((one) => boxes(one.element || one, one.ink || "select", one.words, one.hatched)),
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
    const same = held.same(place);
    const others = same.length > 1 ? `; also ${named(held, same[1])}` : "";
    const more = same.length > 2 ? ` and ${same.length - 2} more` : "";
    return `${where}: ${named(held, place)}${registerOf(model, held, place)}${others}${more}`;
  }

  const named = (held, place) => held.told.map((name) => `${name} ${held.field(place, name)}`).join(", ");

  function registerOf(model, held, place) {
    if (!model.base || model.base.register === undefined) return "";
    const slot = slotOf(model);
    const {register, lane} = held.fields(place);
    const words = (Math.floor(register / slot) * size(model.layout, "lane") + lane) * slot + register % slot;
    return ` (${registerLabel(model, register, Math.floor(words * model.bits / 8))})`;
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
    const place = surface(host, `${model.label || model.title || "layout"}: arrows move the element, t shows a table`);
    let plan = planned(model);
    let picked = model.element || null;
    let from = null;
    let shown = null;

    function outline() {
      place.outline(outlines(model, plan), plan);
      const say = model.words || ((element) => words(model, plan.grid, element));
      place.say(model.rectangle && !model.words ? rectangleWords(plan.grid, model.rectangle) : model.element ? say(model.element) : "");
    }
    function draw() {
      plan = planned(model);
      place.ground(scene(model, plan), plan, model.only);
      outline();
      if (shown) shown.replaceWith(shown = tableOf(model, plan));
    }
    function update(patch) {
      Object.assign(model, patch);
      if ("element" in patch && !patch.passing) {
        picked = patch.element;
        if (picked) follow(picked);
      }
      if (Object.keys(patch).every((key) => ["element", "rectangle", "bit", "outlined", "passing"].includes(key))) outline();
      else draw();
    }
    // The part in full goes where the element is.
    function follow(element) {
      const [cell] = plan.grid.cells(element);
      const part = plan.parts[plan.parts.length - 1];
      if (!cell || !part.full || boxIn(part, ...cell)) return;
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
      return cell && plan.grid.place(...cell) >= 0 ? plan.grid.element(...cell) : null;
    };
    function pick(element) {
      update({element, rectangle: null});
      model.onElement(element, "pick");
    }
    function pickLegend(event) {
      const [x, y] = place.at(event);
      const key = Math.floor((x - legendStart(plan.grid.says)) / KEY);
      if (y < 20 || y > 40 || key < 0 || key >= plan.keys.shown) return;
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

  function matrix(host, layout, onHover = () => {}, options = {}) {
    const place = surface(host, "bits: arrows move the column");
    let plan;
    let chosen = -1;
    function choose(index) {
      if (index === chosen) return;
      chosen = index;
      const column = plan.columns[index];
      place.outline(column ? [["frame", column.x - 1, 16, 22, plan.height - 18, "hover"]] : [], plan);
      place.say(column ? toggles(layout, column) : "");
      onHover(column ? {dim: column.name, bit: column.bit, vector: column.vector} : null);
    }
    function draw() {
      plan = {...matrixPlan(layout), scale: options.scale};
      place.ground(matrixScene(layout, plan, options.framed), plan);
    }
    place.over.addEventListener("pointermove", (event) => {
      const x = place.at(event)[0] / (options.scale || 1);
      choose(plan.columns.findIndex((column) => x >= column.x && x < column.x + 22));
    });
    place.over.addEventListener("pointerleave", () => choose(-1));
    place.root.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      choose(Math.max(0, Math.min(plan.columns.length - 1, chosen + MOVES[event.key][1])));
      event.preventDefault();
      event.stopPropagation();
    });
    function update(next, changed = {}) {
      const isSame = JSON.stringify([next, {...options, ...changed}]) === JSON.stringify([layout, options]);
      if (isSame) return;
      layout = next;
      Object.assign(options, changed);
      draw();
      choose(-1);
    }
    place.onTheme(draw);
    draw();
    return {root: place.root, update};
  }

  function toggles(layout, {name, bit, vector}) {
    const moves = Object.keys(layout.out).map((dim, d) => [dim, vector[d]]).filter((move) => move[1]);
    const where = moves.map(([dim, value]) => `${dim} by ${value}`).join(" and ");
    return `${name} ${2 ** bit} ${where ? `changes ${where}` : "changes nothing: copies"}`;
  }

  // Pictures, those of layouts with their matrices, side by side; pointing at an element outlines it in all.
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
      if (model.dealt) continue;
      const layout = model.tensor ? {in: model.layout.in, out: renamed(model)} : model.layout;
      matrix(figure, layout, (bit) => own.update({bit, passing: true}));
    }
    return panels;
  }

  const renamed = ({layout, tensor}) => Object.fromEntries(Object.values(layout.out).map((extent, d) => [tensor[d], extent]));

  const isDark = () => dark.matches;

  X.pictures = {gallery, isDark, made, matrix, matrixScene, panel, scene, surface};
})(window.X = window.X || {});
