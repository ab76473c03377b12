// Tiles and their elements: which parts a tile has at each level, who holds an element, what is done with it.
(function (X) {
  "use strict";

  const cached = (make, kept = new WeakMap()) => (key) => kept.get(key) ?? kept.set(key, make(key)).get(key);
  /** A function of a kernel, a tile and more, whose answers are kept: kernels do not change. */
  const kept = (answer, all = new WeakMap()) => (K, ...asked) => {
    if (!all.has(K)) all.set(K, new Map());
    const key = asked.join(";");
    const known = all.get(K);
    if (!known.has(key)) known.set(key, answer(K, ...asked));
    return known.get(key);
  };
  const zip = (one, other, join) => one.map((part, i) => join(part, other[i]));
  const inside = (at, sizes) => at.every((e, d) => e >= 0 && e < sizes[d]);
  const units = (size, d, rank) => Array.from({ length: Math.log2(size) }, (_, i) => Array.from({ length: rank }, (_, r) => (r === d ? 1 << i : 0)));

  /** All parts of tiles by the tile's "level,value": [{at: [level, value] or null, id, holding}]. */
  const allParts = cached((K) => {
    const found = new Map();
    const named = new Set();
    const add = (id, at) => {
      const holding = K.holdings[id];
      const tile = `${holding.tile ?? at ?? ""}`;
      if (!found.has(tile)) found.set(tile, []);
      found.get(tile).push({ at, id, holding });
      named.add(id);
    };
    K.levels.forEach((level, l) => level.values.forEach((value, v) => value[5] != null && add(value[5], [l, v])));
    K.holdings.forEach((_, id) => named.has(id) || add(id, null));
    return found;
  });
  const NONE = [];
  const partsOf = (K, tile) => allParts(K).get(`${tile}`) ?? NONE;
  const own = (K, [level, value]) => K.holdings[K.levels[level].values[value][5]];

  const offsetOf = (holding) => holding.offset ?? holding.sizes.map(() => 0);
  /** The coordinates of a tile's element in a part of it, null where it is in none. */
  function within(holding, element) {
    const at = zip(element, offsetOf(holding), (e, o) => e - o);
    return inside(at, holding.sizes) ? at : null;
  }

  /** Who holds an element of a tile in a part of it: [{register, lane, ...}], the copies behind the first. */
  function placesIn(holding, element) {
    const { layout, blocks } = holding;
    let at = within(holding, element);
    if (!at || !layout) return [];
    const block = blocks ? blocks.findIndex(([offset, sizes]) => inside(zip(at, offset, (e, o) => e - o), sizes)) : 0;
    if (block < 0) return [];
    if (blocks) at = zip(at, blocks[block][0], (e, o) => e - o);
    const first = X.f2.holder(layout, Object.fromEntries(Object.keys(layout.out).map((name, d) => [name, at[d]])));
    if (!first) return [];
    if (block && "register" in first) first.register += block << layout.in.register.length;
    const join = (one, other) => Object.fromEntries(Object.keys(one).map((name) => [name, one[name] ^ other[name]]));
    return X.f2.kernel(layout).reduce((all, copy) => [...all, ...all.map((one) => join(one, copy))], [first]);
  }

  /** How many elements share a word of the file: by the base, else by the type of the value at V. */
  function shared(K, part) {
    const { base, bits } = part.holding;
    const line = part.at && K.levels[part.at[0]].lines[K.levels[part.at[0]].values[part.at[1]][2]];
    const type = /x[a-z]*(\d+)>\s*$/.exec(line ?? "");
    return Math.max(1, (base?.word ?? (type ? +type[1] : bits)) / bits);
  }

  /** The register of the file and the byte in it, from the assembly's first register; null where that is not known. */
  function inFile(K, part, place) {
    const { bits, base } = part.holding;
    if (base?.register === undefined) return null;
    const many = shared(K, part);
    const byte = (((Math.floor(place.register / many) * K.lanes + place.lane) * many + (place.register % many)) * bits) / 8 + (base.byte ?? 0);
    return { register: base.register + Math.floor(byte / K.register_bytes), byte: byte % K.register_bytes, part: place.register % many, many };
  }

  const ofSubgroups = (holding) => holding && !holding.tile && (holding.layout?.in.subgroup ?? holding.blocks);
  /** The tile of the workgroup to which a subgroup's tile belongs, or null. */
  const workgroupTile = kept((K, tile) => {
    const [op, number] = K.levels[tile[0]].values[tile[1]];
    const whole = own(K, tile)?.base?.value;
    if (whole !== undefined) return [K.levels[tile[0]].of, whole];
    for (const [level, parent] of K.parents(tile[0], op)) {
      const all = K.levels[level].values.flatMap((value, v) => (value[0] === parent && ofSubgroups(own(K, [level, v])) ? [[level, v, value[1]]] : []));
      const found = all.find((one) => one[2] === number) ?? all[0];
      if (found) return found.slice(0, 2);
    }
    return null;
  });

  /** The subgroups' tiles that a workgroup's tile becomes. */
  const subgroupTiles = kept((K, [level, value]) => {
    if (!ofSubgroups(own(K, [level, value]))) return [];
    return K.children(level, K.levels[level].values[value][0]).flatMap(([below, op]) => K.levels[below].values.flatMap((one, v) =>
      (one[0] === op && partsOf(K, [below, v]).length && `${workgroupTile(K, [below, v])}` === `${[level, value]}` ? [[below, v]] : [])));
  });

  /** Where a subgroup's tile begins in the workgroup's: the first element of the unit that it is, of several. */
  const origin = kept((K, tile, subgroup) => {
    const { layout, blocks } = own(K, workgroupTile(K, tile));
    const unit = own(K, tile).base?.unit ?? 0;
    if (!layout) return blocks[subgroup * (blocks.length / K.subgroups) + unit][0];
    return Object.values(X.f2.apply(layout, { subgroup, register: unit * sizesOf(K, tile).reduce((all, size) => all * size, 1) }));
  });
  const sizesOf = kept((K, tile) => own(K, tile)?.sizes ?? partsOf(K, tile).reduce((most, { holding }) =>
    zip(holding.sizes, offsetOf(holding), (s, o) => s + o).map((s, d) => Math.max(s, most[d] ?? 0)), []));

  /** Subgroups whose tile has an element of the workgroup's tile, with its coordinates in theirs. */
  function subgroupsOf(K, tile, element) {
    return Array.from({ length: K.subgroups ?? 1 }, (_, subgroup) => ({ subgroup, element: zip(element, origin(K, tile, subgroup), (e, o) => e - o) }))
      .filter((one) => inside(one.element, sizesOf(K, tile)));
  }

  /**
   * Where an element of a tile (at S, or at W) is, in its coordinates: [{subgroup, level, value, lane, register, file}].
   * `register` counts elements of the value, `file` is the register of the assembly; `subgroup` is null where all are alike.
   */
  function place(K, tile, element) {
    const below = subgroupTiles(K, tile);
    if (below.length) {
      return below.flatMap((one) => subgroupsOf(K, one, element).flatMap(({ subgroup, element: inner }) =>
        place(K, one, inner).map((found) => ({ ...found, subgroup }))));
    }
    return partsOf(K, tile).filter((part) => part.at && part.at[0] !== tile[0]).flatMap((part) => placesIn(part.holding, element).map((found) =>
      ({ subgroup: null, level: K.levels[part.at[0]].id, value: part.at[1], ...found, file: inFile(K, part, found)?.register ?? null })));
  }

  /** The matrix instructions: those of the assembly, else those of level V, which have no instruction yet. */
  const productsOf = cached((K) => {
    const V = K.levelOf("V");
    if (K.dpas.length || V < 0) return K.dpas;
    const results = new Map(K.levels[V].values.map((value, v) => [value[0], v]).reverse());
    return K.levels[V].ops.flatMap((op, i) => {
      const held = K.names[op[3]] === "xevm.mma" ? [...K.usesOf(V, i)].map((use) => K.holdingOf(V, K.levels[V].uses[use][2])) : [];
      if (held.length < 2 || held.slice(0, 2).includes(null)) return [];
      const [a, b, c = null] = held;
      return [{ op: [V, i], asm: null, m: K.holdings[a].sizes[0], n: K.holdings[b].sizes[1], k: K.holdings[a].sizes[1], a, b, c, d: K.holdingOf(V, results.get(i)) }];
    });
  });

  /** The moves of a tile's parts, of the workgroup's tile that it belongs to, and all that belong to the op that makes it. */
  function movesOf(K, tile, ids) {
    const above = workgroupTile(K, tile);
    const whole = above && K.levels[above[0]].values[above[1]][5];
    const maker = `${[tile[0], K.levels[tile[0]].values[tile[1]][0]]}`;
    const isOfWhole = (move) => whole != null && move.kind === "shared" && (move.source === whole || move.target === whole);
    return K.moves.filter((move) => ids.has(move.source) || ids.has(move.target) || isOfWhole(move) || exchanged(K).get(move)?.has(maker));
  }
  /** The ops of which each move comes that is no message, at all levels. */
  const exchanged = cached((K) => new Map(K.moves.filter(({ kind }) => kind !== "message" && kind !== "rename").map((move) => [move, ancestors(K, ...move.op)])));
  function ancestors(K, level, op, found = new Set()) {
    found.add(`${[level, op]}`);
    for (const [above, parent] of K.parents(level, op)) ancestors(K, above, parent, found);
    return found;
  }

  const idsOf = (K, tile) => new Set(partsOf(K, tile).map((part) => part.id));
  const inMemory = (K, id) => id != null && K.holdings[id].place === "memory";
  /** Everything that happens to a tile: moves from memory and to it, others, matrix instructions with its role in them. */
  const doings = kept((K, tile) => {
    const ids = idsOf(K, tile);
    const moves = movesOf(K, tile, ids);
    const messages = (wanted) => moves.filter(wanted).flatMap((move) => move.messages.map((message) => ({ move, message })));
    return {
      loads: messages((move) => !inMemory(K, move.target)),
      stores: messages((move) => inMemory(K, move.target)),
      others: moves.filter((move) => !["message", "rename"].includes(move.kind)),
      products: productsOf(K).flatMap((dpas) => ["a", "b", "c"].filter((role) => ids.has(dpas[role])).map((role) => ({ dpas, role }))),
      results: productsOf(K).filter((dpas) => ids.has(dpas.d)),
    };
  });

  const addsTo = (K, { c, d }) => c != null && d != null && `${K.holdings[c].tile}` === `${K.holdings[d].tile}`;
  const unfinished = cached((K) => new Set(productsOf(K).filter((dpas) => addsTo(K, dpas)).map(({ c }) => c)));

  /** Parts of a tile without the sums that another product of the same tile goes on with, where others are left. */
  function finished(K, parts) {
    const found = parts.filter((one) => !unfinished(K).has(one.id));
    return found.length ? found : parts;
  }

  /** The messages that store a tile; of sums of products else those of the only tile of that size that is stored, which a loop hands on. */
  const storesOf = kept((K, tile) => {
    const { stores, products } = doings(K, tile);
    const isSum = products.length && products.every(({ role }) => role === "c");
    if (stores.length || !isSum) return stores;
    const same = [...allParts(K).keys()].filter((key) => key !== `${tile}` && key).map((key) => key.split(",").map(Number))
      .filter((other) => other[0] === tile[0] && own(K, other)?.place !== "memory" && `${sizesOf(K, other)}` === `${sizesOf(K, tile)}`).map((other) => doings(K, other).stores).filter((all) => all.length);
    return same.length === 1 ? same[0] : [];
  });

  /** The instructions of a message: its own, or those messages that came of its op. */
  function asmOf(K, { move, message }) {
    const I = K.levelOf("I");
    if (message.asm.length || I < 0) return message.asm;
    return [...(K.kin(...move.op).get(I) ?? [])].filter((one) => /load|store|prefetch/.test(K.classOf(one)));
  }

  const countOf = (sizes) => sizes.reduce((all, size) => all * size, 1);
  /** Offset and sizes, in the tile, of what a message carries: the part at its other end, where it fills that alone, since
   * rows and columns of a message are those of memory, which a column-major tile has the other way round. */
  function boxOf(K, { move, message }) {
    const end = inMemory(K, move.target) ? move.source : move.target;
    const part = end == null ? null : K.holdings[end];
    const extent = [message.rows, message.columns * message.blocks];
    const isAlone = part && move.messages.length === 1 && countOf(part.sizes) === countOf(extent);
    return isAlone || !message.offset ? [offsetOf(part), part.sizes] : [message.offset, extent];
  }

  const overlaps = ([offset, sizes], [from, to]) => from.every((low, d) => low < offset[d] + sizes[d] && to[d] >= offset[d]);
  const carries = (K, one, element) => overlaps(boxOf(K, one), [element, element]);

  /** The subgroup's tiles of a selection: of its value, else of its op's results and operands, else of the ops above. */
  const tilesOf = kept((K, [level, op, value]) => {
    const asTile = (l, v) => {
      const after = own(K, [l, v])?.place === "memory" ? moved(K, [l, v]) : [];
      if (after.length) return after;
      if (partsOf(K, [l, v]).some((part) => part.at?.[0] !== l)) return [[l, v]];
      const below = subgroupTiles(K, [l, v]);
      const tile = own(K, [l, v])?.tile;
      return below.length ? below : tile ? [tile] : own(K, [l, v]) && !ofSubgroups(own(K, [l, v])) ? moved(K, [l, v]) : [];
    };
    const all = value != null ? asTile(level, value) : [
      ...K.levels[level].values.flatMap((one, v) => (one[0] === op ? asTile(level, v) : [])),
      ...[...K.usesOf(level, op)].flatMap((use) => asTile(level, K.levels[level].uses[use][2])),
      ...K.dpas.filter((one) => K.levels[level].id === "I" && one.asm === op).flatMap((one) => [one.a, one.b, one.c].flatMap((id) => (K.holdings[id]?.tile ? [K.holdings[id].tile] : []))),
    ];
    const isMemory = (tile) => own(K, tile)?.place !== "registers";
    const tiles = [...new Map(all.map((tile) => [`${tile}`, tile])).values()].sort((a, b) => isMemory(a) - isMemory(b));
    if (tiles.length) return tiles;
    return K.parents(level, op).flatMap(([above, parent]) => tilesOf(K, [above, parent, null])).slice(0, 4);
  });
  /** A tile in memory is shown by what is loaded from it, or stored to it. */
  const moved = kept((K, tile) => {
    const ids = idsOf(K, tile);
    const other = K.moves.flatMap((move) => (ids.has(move.source) ? [move.target] : ids.has(move.target) ? [move.source] : []));
    return other.flatMap((id) => (K.holdings[id]?.tile ? [K.holdings[id].tile] : [])).slice(0, 1);
  });


  // ---- In words ----

  const shape = (sizes) => sizes.join("x");
  const listed = (all) => [...new Set(all)].sort((a, b) => a - b).reduce((runs, n) => {
    const last = runs[runs.length - 1];
    if (last && last[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
    return runs;
  }, []).map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(", ");
  /** Instructions and ops of elements: {messages, stores, products, marks}. */
  function used(K, tile, rectangle) {
    const { loads, stores, products, results } = doings(K, tile);
    const carried = (all) => all.flatMap((one, n) => (overlaps(boxOf(K, one), rectangle) ? [{ ...one, n }] : []));
    const touched = (holding) => overlaps([offsetOf(holding), holding.sizes], rectangle);
    const found = { loads: carried(loads), stores: carried(stores), products: products.filter(({ dpas, role }) => !(role === "c" && addsTo(K, dpas)) && touched(K.holdings[dpas[role]])), results: results.filter(({ d }) => touched(K.holdings[d])) };
    const matrix = [...found.products.map(({ dpas }) => dpas), ...found.results];
    const I = K.levelOf("I");
    const asm = [...found.loads, ...found.stores].flatMap((one) => asmOf(K, one)).concat(matrix.flatMap((dpas) => dpas.asm ?? []));
    const ops = [...found.loads, ...found.stores].map(({ move }) => move.op).concat(matrix.filter((dpas) => dpas.asm === null).map((dpas) => dpas.op));
    return { ...found, all: { loads, stores }, marks: asm.map((one) => [I, one]).concat(ops) };
  }

  function laneOf(K, tile, element) {
    const having = finished(K, partsOf(K, tile).filter((one) => "lane" in (one.holding.layout?.in ?? {}) && within(one.holding, element)));
    const part = having.find((one) => one.holding.base?.register !== undefined) ?? having[0];
    const places = part ? placesIn(part.holding, element) : [];
    return { part, places, file: places.length ? inFile(K, part, places[0]) : null };
  }

  const HALF = ["low half", "high half"];
  function registerWords(K, part, file) {
    if (!file) return "";
    const which = file.many === 2 ? ` ${HALF[file.part]}` : file.many > 2 ? ` byte ${file.part} of each word` : K.lanes * part.holding.bits < 8 * K.register_bytes ? ` byte ${file.byte}` : "";
    const spilled = K.costs?.spill && part.holding.copies.length ? ` at line ${K.levels[K.levelOf("I")].ops[part.holding.copies[0][0]][0] + 1} (this kernel spills: elsewhere it may be in memory)` : "";
    return `, register r${file.register}${which}${spilled}`;
  }

  const FORMS = { plain: "each element in its lane", packed: "packed: rows that follow one another share 32-bit words", transposed: "transposed on the way" };
  const namesOf = (K, tile) => partsOf(K, tile)[0].holding.tensor;

  /** [words, instructions] pairs: what is said of an element, or of a rectangle of them. */
  function told(K, tile, state, name) {
    const { element, rectangle, subgroup } = state;
    const facts = used(K, tile, rectangle ?? [element, element]);
    const said = rectangle ? [[rectangleWords(K, tile, rectangle, name), []]] : [[elementWords(K, tile, element, subgroup, name), []]];
    const message = (words, list, all) => list.length && said.push([
      `${words} ${list.length > 1 ? "messages" : "message"} ${listed(list.map(({ n }) => n + 1))} of ${all.length}` +
      `${list.length === 1 && list[0].message.offset ? ` (${zip(...boxOf(K, list[0]), (o, s) => `${o}-${o + s - 1}`).map((range, d) => `${namesOf(K, tile)[d]} ${range}`).join(", ")}; ${FORMS[list[0].message.form] ?? list[0].message.form})` : ""}`,
      list.flatMap((one) => asmOf(K, one))]);
    message("loaded by", facts.loads, facts.all.loads);
    const rounds = K.hotLoop()?.unroll ?? 1;
    for (const [words, all] of [["computed", facts.results], ["used", facts.products.map(({ dpas }) => dpas)]]) {
      const asm = all.flatMap((dpas) => dpas.asm ?? []);
      const count = all.length;
      if (count) said.push([asm.length && rounds > 1 ? `${words} by ${count / rounds} dpas in each of ${rounds} unrolled steps` : `${words} by ${count} dpas`, asm]);
    }
    message("stored by", facts.stores, facts.all.stores);
    return said;
  }

  const elementsOf = ([from, to]) => from.reduce((all, _, d) => all.flatMap((at) =>
    Array.from({ length: to[d] - from[d] + 1 }, (_, n) => [...at, from[d] + n])), [[]]);

  function elementWords(K, tile, element, subgroup, name) {
    const above = workgroupTile(K, tile);
    const whole = above ? zip(element, origin(K, tile, subgroup), (e, o) => e + o) : element;
    const { part, places, file } = laneOf(K, tile, element);
    const others = above ? subgroupsOf(K, tile, whole).filter((one) => one.subgroup !== subgroup).map((one) => one.subgroup) : [];
    const also = others.length ? ` (also ${others.length > 4 ? `${others.slice(0, 3).join(", ")} and ${others.length - 3} more` : others.join(", ")})` : "";
    const lanes = places.length ? `, lane${places.length > 1 ? "s" : ""} ${listed(places.map((one) => one.lane))}` : "";
    const position = above ? `[${element.join(", ")}] of its tile` : "in each subgroup alike";
    return `${name}[${whole.join(", ")}]: subgroup ${subgroup}${also}, ${position}${lanes}${registerWords(K, part, file)}`;
  }

  function rectangleWords(K, tile, [from, to], name) {
    const held = elementsOf([from, to]).map((element) => laneOf(K, tile, element));
    const lanes = held.flatMap(({ places }) => places.map((one) => one.lane));
    const files = held.flatMap(({ file }) => (file ? [file.register] : []));
    return `${name}, ${zip(from, to, (a, b) => `${a}-${b}`).join(" x ")} of the subgroup's tile: lanes ${listed(lanes)}${files.length ? `, registers ${listed(files)}` : ""}`;
  }

  X.tiles = {
    boxOf, carries, doings, elementWords, finished, idsOf, inFile, inside, listed, offsetOf, origin, own, partsOf, place, productsOf, shape, shared, sizesOf, storesOf, subgroupsOf, tilesOf, told, units, used, within,
    workgroupTile, zip,
  };
})((window.X = window.X || {}));
