// The way of a tile, left to right: workgroup, memory, registers, matrix instruction, accumulator, store; and its costs.
(function (X) {
  "use strict";

  // ---- What the model says of a tile. Nothing here touches the page. ----

  const cached = (make, kept = new WeakMap()) => (key) => kept.get(key) ?? kept.set(key, make(key)).get(key);
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
  const partsOf = (K, tile) => allParts(K).get(`${tile}`) ?? [];
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

  const ofSubgroups = (holding) => holding?.layout?.in.subgroup;
  /** The tile of the workgroup to which a subgroup's tile belongs, or null. */
  function workgroupTile(K, tile) {
    const [op, number] = K.levels[tile[0]].values[tile[1]];
    for (const [level, parent] of K.parents(tile[0], op)) {
      const all = K.levels[level].values.flatMap((value, v) => (value[0] === parent && ofSubgroups(own(K, [level, v])) ? [[level, v, value[1]]] : []));
      const found = all.find((one) => one[2] === number) ?? all[0];
      if (found) return found.slice(0, 2);
    }
    return null;
  }

  /** The subgroups' tiles that a workgroup's tile becomes. */
  function subgroupTiles(K, [level, value]) {
    if (!ofSubgroups(own(K, [level, value]))) return [];
    return K.children(level, K.levels[level].values[value][0]).flatMap(([below, op]) => K.levels[below].values.flatMap((one, v) =>
      (one[0] === op && partsOf(K, [below, v]).length && `${workgroupTile(K, [below, v])}` === `${[level, value]}` ? [[below, v]] : [])));
  }

  const origin = (K, tile, subgroup) => Object.values(X.f2.apply(own(K, tile).layout, { subgroup }));
  const sizesOf = (K, tile) => own(K, tile)?.sizes ?? partsOf(K, tile).reduce((most, { holding }) =>
    zip(holding.sizes, offsetOf(holding), (s, o) => s + o).map((s, d) => Math.max(s, most[d] ?? 0)), []);

  /** Subgroups whose tile has an element of the workgroup's tile, with its coordinates in theirs. */
  function subgroupsOf(K, tile, element) {
    const above = workgroupTile(K, tile);
    return Array.from({ length: K.subgroups ?? 1 }, (_, subgroup) => ({ subgroup, element: zip(element, origin(K, above, subgroup), (e, o) => e - o) }))
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

  const idsOf = (K, tile) => new Set(partsOf(K, tile).map((part) => part.id));
  const inMemory = (K, id) => id != null && K.holdings[id].place === "memory";
  /** Everything that happens to a tile: moves from memory and to it, others, matrix instructions with its role in them. */
  function doings(K, tile) {
    const ids = idsOf(K, tile);
    const moves = K.moves.filter((move) => ids.has(move.source) || ids.has(move.target));
    const messages = (wanted) => moves.filter(wanted).flatMap((move) => move.messages.map((message) => ({ move, message })));
    return {
      loads: messages((move) => !inMemory(K, move.target)),
      stores: messages((move) => inMemory(K, move.target)),
      others: moves.filter((move) => !["message", "rename"].includes(move.kind)),
      products: K.dpas.flatMap((dpas) => ["a", "b", "c"].filter((role) => ids.has(dpas[role])).map((role) => ({ dpas, role }))),
    };
  }

  /** Whether a message carries an element: by where it begins, else by the part that it fills. */
  function carries(K, { move, message }, element) {
    const part = K.holdings[inMemory(K, move.target) ? move.source : move.target];
    if (!message.offset) return within(part, element) !== null;
    const extent = [message.rows, message.columns * message.blocks];
    return inside(zip(element, message.offset, (e, o) => e - o), extent);
  }

  /** The subgroup's tiles of a selection: of its value, else of its op's results and operands, else of the ops above. */
  function tilesOf(K, [level, op, value]) {
    const asTile = (l, v) => {
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
    const tiles = [...new Map(all.map((tile) => [`${tile}`, tile])).values()];
    if (tiles.length) return tiles;
    return K.parents(level, op).flatMap(([above, parent]) => tilesOf(K, [above, parent, null])).slice(0, 4);
  }
  /** A tile in memory is shown by what is loaded from it, or stored to it. */
  function moved(K, tile) {
    const ids = idsOf(K, tile);
    const other = K.moves.flatMap((move) => (ids.has(move.source) ? [move.target] : ids.has(move.target) ? [move.source] : []));
    return other.flatMap((id) => (K.holdings[id]?.tile ? [K.holdings[id].tile] : [])).slice(0, 1);
  }


  // ---- Pictures of the way ----

  function make(host, tag, className = "", text = "") {
    const node = document.createElement(tag);
    node.className = className;
    node.textContent = text;
    host.append(node);
    return node;
  }

  const shape = (sizes) => sizes.join("×");
  const ranges = (all) => [...new Set(all)].sort((a, b) => a - b).reduce((runs, n) => {
    const last = runs[runs.length - 1];
    if (last && last[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
    return runs;
  }, []).map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(", ");
  const TYPES = { message: "by messages", rename: "renamed", shuffle: "shuffled between lanes", shared: "through shared memory", replicate: "copied", reduce: "reduced" };

  /** All of a workgroup's tile: the elements of one subgroup's tile, and where each subgroup's begins. */
  function workgroupStage(K, tile, above, subgroup) {
    const holding = own(K, above);
    const sizes = sizesOf(K, tile);
    const rank = sizes.length;
    const layout = { in: { subgroup: holding.layout.in.subgroup, element: sizes.flatMap((_, d) => units(sizes[rank - 1 - d], rank - 1 - d, rank)) }, out: holding.layout.out };
    const start = origin(K, above, subgroup);
    return {
      key: `w${above}`, title: `1 workgroup's tile ${shape(holding.sizes)}: ${K.subgroups} subgroups`, options: { ...holding, layout, colour: "subgroup" },
      to: (element) => zip(element, start, (e, o) => e + o), isWhole: true,
    };
  }

  /** A subgroup's tile in memory, as its messages cut it. */
  function messageStage(K, tile, messages, words) {
    const { rows, columns, blocks } = messages[0].message;
    const { tensor, bits } = partsOf(K, tile)[0].holding;
    const sizes = sizesOf(K, tile);
    const out = Object.fromEntries(tensor.map((name, d) => [name, sizes[d]]));
    const inner = { block: units(blocks, 1, 2).map(([, n]) => [0, n * columns]), column: units(columns, 1, 2), row: units(rows, 0, 2) };
    const offsets = messages.map(({ message }) => message.offset);
    const message = offsets.filter((_, n) => n && !(n & (n - 1)));
    const isLinear = offsets.every((at, n) => at && `${at}` === `${message.reduce((all, basis, bit) => ((n >> bit) & 1 ? zip(all, basis, (a, b) => a ^ b) : all), [0, 0])}`);
    const layout = { in: { message: isLinear ? message : [], ...inner }, out };
    const cut = isLinear ? null : offsets.filter(Boolean).map((at) => [at, [rows, columns * blocks]]);
    const of = `${messages.length} of ${rows}×${columns}${blocks > 1 ? `×${blocks}` : ""} ${messages[0].message.form}`;
    return { key: `m${words}${tile}`, title: `${words} ${shape(sizes)}: ${of}`, options: { tensor, sizes, bits, layout, blocks: cut, colour: "message" } };
  }

  function registerStage(K, part, words) {
    const { holding } = part;
    const slots = shared(K, part);
    const at = holding.base?.register === undefined ? "" : ` from r${holding.base.register}`;
    const view = "register" in (holding.layout?.in ?? {}) ? "places" : "tile";
    return { key: `r${part.id}`, title: `${words}${at}`, options: { ...holding, view, slot: slots, colour: "lane", registerBytes: K.register_bytes }, layout: holding.layout };
  }

  const operandStage = (K, id, words) => ({ key: `o${id}`, title: words, options: { ...K.holdings[id], colour: "lane" }, layout: K.holdings[id].layout });

  /** The pictures of a tile's way, for one of its elements. */
  function stagesOf(K, tile, subgroup, element) {
    const { loads, stores, others, products } = doings(K, tile);
    const above = workgroupTile(K, tile);
    const has = (id) => id != null && K.holdings[id].layout && within(K.holdings[id], element);
    const targets = new Set(loads.map(({ move }) => move.target));
    const parts = partsOf(K, tile).filter((part) => part.holding.place === "registers" && has(part.id));
    const first = parts.find((part) => targets.has(part.id)) ?? parts.find((part) => part.holding.base) ?? parts[0];
    const product = products.find(({ dpas, role }) => has(dpas[role]));
    const list = [];
    if (above) list.push(workgroupStage(K, tile, above, subgroup));
    if (loads.length && loads[0].message.form !== "") list.push(messageStage(K, tile, loads, "loaded"));
    if (first) list.push({ ...registerStage(K, first, "registers"), move: loads.find(({ move }) => move.target === first.id)?.move });
    for (const move of others.filter((one) => has(one.target))) list.push(...moveStages(K, move));
    if (product) list.push(...productStages(K, tile, product, element));
    if (stores.length) list.push(messageStage(K, tile, stores, "stored"));
    return list;
  }

  function moveStages(K, move) {
    const price = move.price == null ? "" : `, ${move.price} instructions`;
    const part = { id: move.target, holding: K.holdings[move.target], at: null };
    const through = move.shared && { key: `s${move.source}`, title: `shared memory${move.shared.swizzle ? ", swizzled" : ""}`, options: { ...part.holding, layout: move.shared.store, view: "places", base: null }, move };
    return [...(through ? [through] : []), { ...registerStage(K, part, TYPES[move.kind] + price), key: `v${move.target}`, move }];
  }

  const ROLES = { a: "A", b: "B", c: "accumulator" };
  function productStages(K, tile, { dpas, role }, element) {
    const size = `${dpas.m}×${dpas.n}×${dpas.k}`;
    const own = role === "c" ? [] : [operandStage(K, dpas[role], `operand ${ROLES[role]} of dpas ${size}`)];
    if (dpas.c == null || !K.holdings[dpas.c].layout) return own;
    const sum = K.holdings[dpas.c];
    const end = zip(offsetOf(sum), sum.sizes, (o, s) => o + s - 1);
    const touched = role === "a" ? [[element[0], offsetOf(sum)[1]], [element[0], end[1]]] : [[offsetOf(sum)[0], element[1]], [end[0], element[1]]];
    return [...own, { ...operandStage(K, dpas.c, `accumulator${sum.base?.register === undefined ? "" : ` r${sum.base.register}`} of dpas`), touched: role === "c" ? null : touched, tile: sum.tile }];
  }

  /** What differs between two pictures, in words, and which bits of the later one. */
  function changes(from, to) {
    const before = from.options.layout?.in ?? {};
    const bits = Object.entries(to.options.layout?.in ?? {}).flatMap(([dim, list]) => list.map((vector, bit) => ({ dim, bit, vector })));
    const moved = bits.filter(({ dim, bit, vector }) => `${before[dim]?.[bit]}` !== `${vector}`);
    const lanes = moved.filter((one) => one.dim === "lane" && before.lane);
    const name = (vector) => vector?.map((value, d) => (value ? `${to.options.tensor[d]}${value}` : "")).filter(Boolean).join("^") || "copy";
    const words = lanes.map(({ bit, vector }) => `lane ${1 << bit}: ${name(before.lane[bit])} → ${name(vector)}`);
    return { moved, words: words.join(", ") || (before.lane ? "no lane changes: registers are renamed at most" : "") };
  }

  // ---- The element in words ----

  /** Instructions and ops of elements: {messages, stores, products, marks}. */
  function used(K, tile, elements) {
    const { loads, stores, products } = doings(K, tile);
    const any = (test) => elements.some(test);
    const carried = (all) => all.flatMap((one, n) => (any((element) => carries(K, one, element)) ? [{ ...one, n }] : []));
    const found = { loads: carried(loads), stores: carried(stores), products: products.filter(({ dpas, role }) => any((element) => within(K.holdings[dpas[role]], element))) };
    const I = K.levelOf("I");
    const asm = [...found.loads, ...found.stores].flatMap(({ message }) => message.asm).concat(found.products.map(({ dpas }) => dpas.asm));
    return { ...found, all: { loads, stores }, marks: asm.map((one) => [I, one]).concat([...found.loads, ...found.stores].map(({ move }) => move.op)) };
  }

  function laneOf(K, tile, element) {
    const part = partsOf(K, tile).find((one) => one.at && "lane" in (one.holding.layout?.in ?? {}) && within(one.holding, element));
    const places = part ? placesIn(part.holding, element) : [];
    return { part, places, file: places.length ? inFile(K, part, places[0]) : null };
  }

  const HALF = ["low half", "high half"];
  function registerWords(file) {
    if (!file) return "";
    const which = file.many === 2 ? ` ${HALF[file.part]}` : file.many > 2 ? ` byte ${file.part} of each word` : "";
    return `, register r${file.register}${which}`;
  }

  /** [words, instructions] pairs: what is said of an element, or of a rectangle of them. */
  function told(K, tile, state, name) {
    const { element, rectangle, subgroup } = state;
    const elements = rectangle ? corners(rectangle) : [element];
    const facts = used(K, tile, elements);
    const said = rectangle ? [[rectangleWords(K, tile, elements, rectangle, name), []]] : [[elementWords(K, tile, element, subgroup, name), []]];
    const message = (words, list, all) => list.length && said.push([
      `${words} ${list.length > 1 ? "messages" : "message"} ${ranges(list.map(({ n }) => n + 1))} of ${all.length}` +
      `${list.length === 1 && list[0].message.offset ? ` (${zip(list[0].message.offset, [list[0].message.rows, list[0].message.columns * list[0].message.blocks], (o, s) => `${o}-${o + s - 1}`).join(", ")}, ${list[0].message.form})` : ""}`,
      list.flatMap((one) => one.message.asm)]);
    message("loaded by", facts.loads, facts.all.loads);
    const rounds = K.hotLoop()?.unroll ?? 1;
    const asm = facts.products.map(({ dpas }) => dpas.asm);
    if (asm.length) said.push([rounds > 1 ? `used by ${asm.length / rounds} dpas in each of ${rounds} rounds:` : `used by ${asm.length} dpas:`, asm]);
    message("stored by", facts.stores, facts.all.stores);
    return { said, marks: facts.marks };
  }

  const corners = ([from, to]) => from.reduce((all, _, d) => all.flatMap((at) =>
    Array.from({ length: to[d] - from[d] + 1 }, (_, n) => [...at, from[d] + n])), [[]]);

  function elementWords(K, tile, element, subgroup, name) {
    const above = workgroupTile(K, tile);
    const whole = above ? zip(element, origin(K, above, subgroup), (e, o) => e + o) : element;
    const { places, file } = laneOf(K, tile, element);
    const others = above ? subgroupsOf(K, tile, whole).filter((one) => one.subgroup !== subgroup).map((one) => one.subgroup) : [];
    const also = others.length ? ` (also ${others.length > 4 ? `${others.slice(0, 3).join(", ")} and ${others.length - 3} more` : others.join(", ")})` : "";
    const lanes = places.length ? `, lane${places.length > 1 ? "s" : ""} ${ranges(places.map((one) => one.lane))}` : "";
    const position = above ? `[${element.join(", ")}] of its tile` : "in each subgroup alike";
    return `${name}[${whole.join(", ")}]: subgroup ${subgroup}${also}, ${position}${lanes}${registerWords(file)}`;
  }

  function rectangleWords(K, tile, elements, [from, to], name) {
    const held = elements.map((element) => laneOf(K, tile, element));
    const lanes = held.flatMap(({ places }) => places.map((one) => one.lane));
    const files = held.flatMap(({ file }) => (file ? [file.register] : []));
    return `${name}, ${zip(from, to, (a, b) => `${a}-${b}`).join(" × ")} of the subgroup's tile: lanes ${ranges(lanes)}${files.length ? `, registers ${ranges(files)}` : ""}`;
  }

  // ---- In the page ----

  function create(host, K) {
    const state = () => X.state.get();
    const view = { tiles: [], tile: null, stages: new Map() };
    const head = make(host, "div", "way-head");
    const row = make(host, "div", "stages");
    const said = make(host, "p", "told");
    said.setAttribute("aria-live", "polite");
    const tabs = make(head, "span", "tabs");
    const fields = {};
    for (const [name, words] of [["subgroup", "subgroup"], ["whole", "element of the workgroup's tile"], ["own", "of the subgroup's tile"]]) {
      const label = make(head, "label", "", `${words} `);
      fields[name] = make(label, "input");
      fields[name].id = `way-${name}`;
      fields[name].size = name === "subgroup" ? 3 : 8;
      fields[name].addEventListener("change", () => typed(name, fields[name].value));
    }
    const steps = make(head, "span", "steps");
    for (const [words, by] of [["[ back", -1], ["] next step", 1]]) make(steps, "button", "", words).addEventListener("click", () => step(by));
    const costHost = document.getElementById("costs");
    if (costHost) costs(costHost, K);
    document.addEventListener("keydown", pressed);

    const element = () => state().element ?? sizesOf(K, view.tile).map(() => 0);
    const name = (tile) => K.nameOf(...tile);
    const above = () => workgroupTile(K, view.tile);

    function pressed(event) {
      if (!row.isConnected) return document.removeEventListener("keydown", pressed);
      if (/input|textarea|select/i.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "[" || event.key === "]") step(event.key === "]" ? 1 : -1);
    }

    function step(by) {
      const last = view.stages.size - 2;
      const at = (state().step ?? (by > 0 ? -1 : last + 1)) + by;
      X.state.set({ step: at < 0 || at > last ? null : at });
    }

    function typed(field, text) {
      const numbers = (text.match(/\d+/g) ?? []).map(Number);
      if (!view.tile || !numbers.length) return show();
      if (field === "subgroup") return X.state.set({ subgroup: Math.min(numbers[0], (K.subgroups ?? 1) - 1) });
      if (field === "own") return inside(numbers, sizesOf(K, view.tile)) && numbers.length === sizesOf(K, view.tile).length ? pick(numbers) : wrong(text);
      const found = above() && numbers.length === own(K, above()).sizes.length ? subgroupsOf(K, view.tile, numbers) : [];
      const one = found.find((each) => each.subgroup === state().subgroup) ?? found[0];
      return one ? X.state.set({ subgroup: one.subgroup, element: one.element, rectangle: null }) : wrong(text);
    }

    function wrong(text) {
      said.textContent = `[${text}] is not in the tile of ${shape(sizesOf(K, view.tile))}${above() ? `, nor in the workgroup's of ${shape(own(K, above()).sizes)}` : ""}`;
    }

    const pick = (at) => X.state.set({ element: at, rectangle: null });

    /** Another selection: its tiles, the one that was looked at first. */
    function select() {
      const [selection] = state().selections;
      view.tiles = selection ? tilesOf(K, selection) : [];
      const kept = view.tiles.find((tile) => `${tile}` === `${view.tile}`);
      choose(kept ?? view.tiles[0] ?? null, selection);
    }

    function choose(tile, selection) {
      view.tile = tile;
      tabs.replaceChildren();
      for (const one of view.tiles) {
        const tab = make(tabs, "button", "", `${name(one)} ${shape(sizesOf(K, one))}`);
        tab.setAttribute("aria-pressed", `${one === tile}`);
        tab.addEventListener("click", () => choose(one));
      }
      if (tile) {
        const at = state().element;
        if (at && !(at.length === sizesOf(K, tile).length && inside(at, sizesOf(K, tile)))) X.state.set({ element: null, rectangle: null });
        return show();
      }
      row.replaceChildren();
      view.stages.clear();
      said.textContent = selection ? nothing(selection) : "Select a value or a line: where its elements lie is shown here.";
    }

    /** What is said of an op that holds no tile. */
    function nothing([level, op]) {
      const { instructions, hot } = K.counts(level, op);
      const what = instructions ? `${instructions} instructions came of it${hot ? `, ${hot} in the hot loop` : ""}` : "no instruction came of it";
      return `${K.names[K.levels[level].ops[op][3]]} holds no elements of a tile; ${what}.`;
    }

    function show() {
      if (!view.tile) return;
      const { subgroup, step: at } = state();
      const wanted = stagesOf(K, view.tile, subgroup, element());
      for (const [key, stage] of view.stages) {
        if (wanted.some((one) => one.key === key)) continue;
        stage.node.remove();
        view.stages.delete(key);
      }
      wanted.forEach((one, i) => {
        const stage = view.stages.get(one.key) ?? drawn(one);
        view.stages.delete(one.key);
        view.stages.set(one.key, stage);
        Object.assign(stage, one, { panel: stage.panel });
        if (row.children[i] !== stage.node) row.insertBefore(stage.node, row.children[i] ?? null);
        stage.node.classList.toggle("pale", at !== null && i !== at && i !== at + 1);
        stage.node.classList.toggle("changed", at !== null && i === at + 1);
      });
      outline(element());
      fill();
    }

    function drawn(one) {
      const node = make(row, "figure", "stage");
      const model = { fit: [420, 260], ...one.options };
      if (!model.layout) {
        make(node, "figcaption", "", one.title);
        make(node, "p", "", "Its layout is not known.");
        return { node };
      }
      const stage = { node };
      stage.panel = X.pictures.panel(node, { ...model, title: one.title, onElement: (at, how) => pointed(stage, at, how), onRectangle: (box) => dragged(stage, box) });
      const layout = { in: model.layout.in, out: Object.fromEntries(Object.values(model.layout.out).map((size, d) => [model.tensor[d], size])) };
      stage.matrix = X.pictures.matrix(node, layout, (bit) => stage.panel.update({ bit, passing: true }));
      return stage;
    }

    /** The tile's element at a place of a picture; of the workgroup's the subgroup there too. */
    function inTile(stage, at) {
      if (!at || stage.tile) return null;
      if (!stage.isWhole) return { element: at };
      const found = subgroupsOf(K, view.tile, at);
      return found.find((one) => one.subgroup === state().subgroup) ?? found[0] ?? null;
    }

    function pointed(stage, at, how) {
      const found = inTile(stage, at);
      if (how === "pick" && found) return X.state.set({ rectangle: null, ...found });
      if (how === "pick" && at && stage.tile) return elsewhere(stage.tile, at);
      if (!stage.isWhole) outline(found?.element ?? element(), stage);
    }

    function elsewhere(tile, at) {
      if (!view.tiles.some((one) => `${one}` === `${tile}`)) view.tiles.push(tile);
      X.state.set({ element: at, rectangle: null });
      choose(view.tiles.find((one) => `${one}` === `${tile}`));
    }

    function dragged(stage, box) {
      if (stage.tile) return;
      const ends = box.map((at) => (stage.isWhole ? zip(at, origin(K, above(), state().subgroup), (e, o) => e - o) : at));
      if (ends.every((at) => inside(at, sizesOf(K, view.tile)))) X.state.set({ element: ends[0], rectangle: ends });
    }

    /** One element, or the rectangle, outlined in all pictures but one. */
    function outline(at, but) {
      const { rectangle } = state();
      for (const stage of view.stages.values()) {
        if (stage === but || !stage.panel) continue;
        const to = stage.to ?? ((one) => one);
        if (stage.tile) stage.panel.update({ rectangle: stage.touched, element: null });
        else stage.panel.update({ element: to(at), rectangle: rectangle && rectangle.map(to), passing: at !== element() });
      }
    }

    function fill() {
      const at = element();
      const { subgroup } = state();
      fields.subgroup.value = subgroup;
      fields.own.value = at.join(", ");
      fields.whole.value = above() ? zip(at, origin(K, above(), subgroup), (e, o) => e + o).join(", ") : "";
      fields.whole.disabled = !above();
      const { said: lines, marks } = told(K, view.tile, { ...state(), element: at }, name(above() ?? view.tile));
      said.replaceChildren();
      lines.forEach(([words, asm], n) => {
        make(said, "span", "", `${n ? "; " : ""}${words}`);
        if (asm.length) instructions(asm);
      });
      stepWords();
      X.state.set({ marks });
    }

    function instructions(asm) {
      const I = K.levelOf("I");
      for (const one of asm.slice(0, 4)) {
        const line = K.levels[I].ops[one][0] + 1;
        make(said, "button", "link", `line ${line}`).addEventListener("click", () => X.state.set({ selections: [state().selections[0], [I, one, null]] }));
      }
      if (asm.length > 4) make(said, "span", "", `and ${asm.length - 4} more`);
    }

    function stepWords() {
      const at = state().step;
      if (at === null || !view.stages.size) return;
      const [from, to] = [...view.stages.values()].slice(at, at + 2);
      if (!to) return;
      const { words } = changes(from, to);
      const reason = to.move?.reason ? ` (${to.move.reason})` : "";
      make(said, "span", "step", ` Step ${at + 1} of ${view.stages.size - 1}: ${to.move ? TYPES[to.move.kind] : to.title}${reason}. ${words}`);
    }

    X.state.on((_, changed) => {
      if (changed.has("selections")) return select();
      if (view.tile && ["element", "rectangle", "subgroup", "step"].some((key) => changed.has(key))) show();
    });
    select();
  }

  // ---- Costs ----

  /** Sums by class, and by line of the source: {classes: Map, lines: Map, loop}, each [per step, once]. */
  const costsOf = cached((K) => {
    const loop = K.hotLoop();
    const rounds = loop?.unroll ?? 1;
    const classes = new Map();
    const sources = new Map();
    const I = K.levelOf("I");
    const add = (all, key, name, hot) => {
      if (!all.has(key)) all.set(key, { step: 0, once: 0, by: new Map() });
      const entry = all.get(key);
      entry[hot ? "step" : "once"] += hot ? 1 / rounds : 1;
      entry.by.set(name, (entry.by.get(name) ?? 0) + 1);
    };
    K.costs.asm.forEach((_, i) => {
      const hot = loop && loop.asm[0] <= i && i <= loop.asm[1];
      add(classes, K.classOf(i), K.classOf(i), hot);
      add(sources, source(K, I, i), K.classOf(i), hot);
    });
    return { classes, sources, loop };
  });

  /** The source's op of an instruction, -1 of the compiler's own. */
  function source(K, level, op) {
    while (K.levels[level].of !== null) {
      const [parent] = K.parents(level, op);
      if (!parent) return -1;
      [level, op] = parent;
    }
    return op;
  }

  const count = (n) => (n ? (Number.isInteger(n) ? `${n}` : n.toFixed(1)) : "");

  function table(host, heads, rows) {
    const node = make(host, "table");
    const line = (cells, tag) => cells.reduce((tr, text) => (make(tr, tag, "", text), tr), make(node, "tr"));
    line(heads, "th");
    return rows.map((cells) => line(cells, "td"));
  }

  function costs(host, K) {
    if (!K.costs || K.levelOf("I") < 0) {
      make(host, "p", "", "Costs are counted in the device's instructions: there are none here (ocloc makes them).");
      return;
    }
    const { classes, sources, loop } = costsOf(K);
    const step = loop ? `a step (${loop.step})` : "";
    make(host, "h3", "", `Instructions of a subgroup, ${K.device}, ${K.costs.grf} registers`);
    if (loop) make(host, "p", "", `Hot loop: ${loop.unroll} steps in one round${loop.trips ? `, ${loop.trips} steps in all` : ""}; its counts are per step, all others once.`);
    const said = make(host, "p", "chosen");
    said.setAttribute("aria-live", "polite");
    spills(host, K, sources);
    const most = (all) => [...all].sort((a, b) => b[1].step - a[1].step || b[1].once - a[1].once);
    table(host, ["class", step, "once"], most(classes).map(([name, one]) => [name, count(one.step), count(one.once)]));
    const rows = most(sources);
    table(host, ["source", step, "once", "of these"], rows.map(([op, one]) => [lineOf(K, op), count(one.step), count(one.once),
      [...one.by].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${n} ${name}`).join(", ")]))
      .forEach((tr, i) => rows[i][0] >= 0 && tr.addEventListener("click", () => X.state.set({ selections: [[0, rows[i][0], null]] })));
    make(host, "p", "note", "Exact: instructions, by the assembly and its line table. Modelled: bytes, as rows × width of messages. Guessed: copies at a loop's head count for the loop.");
    const chosen = () => (said.textContent = X.state.get().selections.slice(0, 1).map((one) => chosenWords(K, one)).join(""));
    X.state.on((_, changed) => changed.has("selections") && chosen());
    chosen();
  }

  const lineOf = (K, op) => (op < 0 ? "compiler's own" : `${(K.levels[0].numbers?.[K.levels[0].ops[op][0]] ?? K.levels[0].ops[op][0] + 1)} ${K.names[K.levels[0].ops[op][3]]}`);

  function spills(host, K, sources) {
    for (const [op, one] of sources) {
      const n = (one.by.get("spill") ?? 0) + (one.by.get("fill") ?? 0);
      if (n) make(host, "p", "spills", `${n} spills under line ${lineOf(K, op)}`);
    }
  }

  /** What one op costs: all that came of it. */
  function chosenWords(K, [level, op]) {
    const { instructions, hot, messages, bytes, waits, spills: spilled } = K.counts(level, op);
    const again = (K.costs.rereads ?? []).filter(([at, one]) => K.kin(level, op).get(at)?.has(one)).map((one) => one[2]);
    const parts = [`${instructions} instructions`, hot && `${hot} in the hot loop`, messages && `${messages} messages`, bytes && `${bytes} bytes`, waits && `${waits} waits`,
      spilled && `${spilled} spills`, again.length && again[0] > 1 && `${again[0]} subgroups read the same elements`];
    return `${K.names[K.levels[level].ops[op][3]]}: ${parts.filter(Boolean).join(", ")}`;
  }

  X.way = { create, place, changes, doings, stagesOf, tilesOf, told };
})((window.X = window.X || {}));
