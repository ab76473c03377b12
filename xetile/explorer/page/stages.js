// The pictures of a tile's way, left to right: workgroup, memory, registers, matrix instruction, accumulator, store.
(function (X) {
  "use strict";

  const { boxOf, doings, finished, idsOf, offsetOf, origin, own, partsOf, place, shape, shared, sizesOf, storesOf, units, within, workgroupTile, zip } = X.tiles;
  const { movesStages } = X.moves;

  const WHOLE = [185, 262];

  /** A workgroup's tile in cells of a subgroup's tile: who has which. */
  function workgroupStage(K, tile, above, subgroup) {
    const holding = own(K, above);
    const sizes = sizesOf(K, tile);
    const cell = (at) => zip(at, sizes, (e, s) => Math.floor(e / s));
    const tensor = zip(holding.tensor, sizes, (name, s) => (s > 1 ? `${name}/${s}` : name));
    const counts = cell(holding.sizes);
    const start = origin(K, tile, subgroup);
    const key = { key: `w${above}`, title: `workgroup's ${shape(holding.sizes)}` };
    if (!holding.layout) return { ...key, ...unitsStage(holding, sizes, start) };
    const units = holding.layout.in.register?.slice(Math.log2(sizes.reduce((all, size) => all * size, 1))) ?? [];
    const layout = { in: { subgroup: holding.layout.in.subgroup.map(cell), ...(units.length && { unit: units.map(cell) }) }, out: Object.fromEntries(tensor.map((name, d) => [name, counts[d]])) };
    return {
      ...key, options: { tensor, sizes: counts, bits: holding.bits, layout, colour: "subgroup", fit: WHOLE, map: false, keys: 3 },
      to: (element) => cell(zip(element, start, (e, o) => e + o)), from: (at) => zip(at, sizes, (c, s) => c * s), isWhole: true,
    };
  }

  /** A workgroup's tile whose sizes are no powers of two: element by element, in the units of subgroups. */
  function unitsStage({ tensor, sizes, bits, blocks }, unit, start) {
    const layout = { in: { block: [] }, out: Object.fromEntries(tensor.map((name, d) => [name, unit[d]])) };
    return {
      options: { tensor, sizes, bits, layout, blocks, colour: "block" },
      to: (element) => zip(element, start, (e, o) => e + o), from: (at) => at, isWhole: true,
    };
  }

  /** A subgroup's tile in memory, as its messages cut it. */
  function messageStage(K, tile, messages, words) {
    const { rows, columns, blocks } = messages[0].message;
    const { tensor, bits } = partsOf(K, tile)[0].holding;
    const sizes = sizesOf(K, tile);
    const out = Object.fromEntries(tensor.map((name, d) => [name, sizes[d]]));
    const boxes = messages.map((one) => boxOf(K, one));
    const [along, across] = `${boxes[0][1]}` === `${[columns * blocks, rows]}` && rows !== columns * blocks ? [0, 1] : [1, 0];
    const inner = { block: units(blocks, along, 2).map((basis) => basis.map((n) => n * columns)), column: units(columns, along, 2), row: units(rows, across, 2) };
    const offsets = boxes.map(([offset]) => offset);
    const message = offsets.filter((_, n) => n && !(n & (n - 1)));
    const isLinear = offsets.every((at, n) => at && `${at}` === `${message.reduce((all, basis, bit) => ((n >> bit) & 1 ? zip(all, basis, (a, b) => a ^ b) : all), [0, 0])}`);
    const layout = { in: { message: isLinear ? message : [], ...inner }, out };
    const cut = isLinear ? null : offsets.filter(Boolean).map((at, n) => [at, boxes[n][1]]);
    const of = `${messages.length} of ${shape(blocks > 1 ? [rows, columns, blocks] : [rows, columns])}`;
    return { key: `m${words}${tile}`, title: `${words} by ${of}`, options: { tensor, sizes, bits, layout, blocks: cut, colour: "message" } };
  }

  function registerStage(K, part, words) {
    const { holding } = part;
    const slots = shared(K, part);
    const at = holding.base?.register === undefined ? "" : ` from r${holding.base.register}`;
    const view = "register" in (holding.layout?.in ?? {}) ? "places" : "tile";
    return { key: `r${part.id}`, holding: part.id, title: `${words}${at}`, options: { ...holding, view, slot: slots, colour: "lane", registerBytes: K.register_bytes }, layout: holding.layout };
  }

  const operandStage = (K, id, words) => ({ key: `o${id}`, holding: id, title: words, options: { ...K.holdings[id], colour: "lane" }, layout: K.holdings[id].layout });

  const sizeOf = (part) => part.holding.sizes.reduce((all, size) => all * size, 1);

  /** The pictures of a tile's way, for one of its elements. */
  function stagesOf(K, tile, subgroup, element) {
    const { loads, others, products } = doings(K, tile);
    const above = workgroupTile(K, tile);
    const has = (id) => id != null && K.holdings[id].layout && within(K.holdings[id], element);
    const targets = new Set(loads.map(({ move }) => move.target));
    const parts = finished(K, partsOf(K, tile).filter((part) => part.holding.place === "registers" && has(part.id)));
    const known = parts.filter((part) => part.holding.base?.register !== undefined);
    const first = known.find((part) => targets.has(part.id)) ?? known.sort((a, b) => sizeOf(b) - sizeOf(a))[0] ?? parts.find((part) => targets.has(part.id)) ?? parts[0];
    const product = products.find(({ dpas, role }) => has(dpas[role]));
    const list = [];
    if (above) list.push(workgroupStage(K, tile, above, subgroup));
    if (loads.length && loads[0].message.form !== "") list.push(messageStage(K, tile, loads, "loaded"));
    if (first) list.push({ ...registerStage(K, first, "registers"), move: loads.find(({ move }) => move.target === first.id)?.move });
    const ids = idsOf(K, tile);
    const isHere = ({ source, target }) => (ids.has(target) ? has(target) : ids.has(source) ? has(source) : true);
    const registers = (id, title) => registerStage(K, { id, holding: K.holdings[id], at: null }, title);
    list.push(...movesStages(K, others.filter(isHere), { subgroup, ids, registers }));
    if (product) list.push(...productStages(K, tile, product, element));
    const sums = product?.role === "c" ? tile : product && K.holdings[product.dpas.c]?.tile;
    const stores = storesOf(K, sums || tile);
    if (stores.length) list.push({ ...messageStage(K, sums || tile, stores, "stored"), tile: sums && `${sums}` !== `${tile}` ? sums : null });
    return list;
  }

  const ROLES = { a: "A", b: "B", c: "accumulator" };
  function productStages(K, tile, { dpas, role }, element) {
    const size = shape([dpas.m, dpas.n, dpas.k]);
    const own = role === "c" ? [] : [operandStage(K, dpas[role], `${ROLES[role]} of dpas ${size}`)];
    const id = dpas.d != null && `${K.holdings[dpas.d].tile}` === `${tile}` ? dpas.d : dpas.c;
    if (id == null || !K.holdings[id].layout) return own;
    const sum = K.holdings[id];
    const end = zip(offsetOf(sum), sum.sizes, (o, s) => o + s - 1);
    const touched = role === "a" ? [[element[0], offsetOf(sum)[1]], [element[0], end[1]]] : [[offsetOf(sum)[0], element[1]], [end[0], element[1]]];
    return [...own, { ...operandStage(K, id, `sum of dpas${sum.base?.register === undefined ? "" : ` from r${sum.base.register}`}`), touched: role === "c" ? null : touched, tile: sum.tile }];
  }

  /** How many pictures a tile's way has, from its first element. */
  const lengthOf = (K, tile) => stagesOf(K, tile, 0, sizesOf(K, tile).map(() => 0)).length;

  /** The pictures with a typed layout in place of the one that is asked about: that of its value, else of the registers. */
  function asTyped(K, list, whatif) {
    if (!whatif) return list;
    const ofRegisters = list.find((one) => one.key[0] === "r");
    const chosen = list.find((one) => one.holding === whatif.holding) ?? ("lane" in whatif.layout.in ? ofRegisters : null);
    return list.map((one) => (one === chosen ? typedStage(K, one, whatif) : one));
  }

  function typedStage(K, stage, { text, layout, hatched }) {
    const { bits, sizes, offset } = K.holdings[stage.holding];
    const tensor = Object.keys(layout.out);
    const extents = Object.values(layout.out);
    const start = `${extents}` === `${sizes}` ? offset : null;
    const shifted = hatched.map((one) => ({ ...one, element: zip(one.element, start ?? one.element.map(() => 0), (e, o) => e + o) }));
    const colour = "lane" in layout.in ? "lane" : Object.keys(layout.in)[0];
    return { ...stage, key: `i${text}`, title: "not compiled", layout: null, isTyped: true, options: { tensor, sizes: extents, bits, layout, offset: start, colour, outlined: shifted } };
  }

  /** What differs between two pictures, in words, and which bits of the later one. */
  function changes(from, to) {
    const before = from.options?.layout?.in ?? {};
    const bits = Object.entries(to.options?.layout?.in ?? {}).flatMap(([dim, list]) => list.map((vector, bit) => ({ dim, bit, vector })));
    const moved = bits.filter(({ dim, bit, vector }) => `${before[dim]?.[bit]}` !== `${vector}`);
    const lanes = moved.filter((one) => one.dim === "lane" && before.lane && `${from.options.tensor}` === `${to.options.tensor}`);
    const name = (vector) => vector?.map((value, d) => (value ? `${to.options.tensor[d]}${value}` : "")).filter(Boolean).join("^") || "copy";
    const words = lanes.map(({ bit, vector }) => `Lane ${1 << bit}: ${name(before.lane[bit])} → ${name(vector)}`);
    const isSame = before.lane && to.options?.layout?.in.lane && `${from.options.tensor}` === `${to.options.tensor}` && !to.tile;
    return { moved, words: words.join(", ") || (isSame ? "No lane changes: registers are renamed at most." : "") };
  }

  X.stages = { asTyped, changes, lengthOf, stagesOf };
})((window.X = window.X || {}));
