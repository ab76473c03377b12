// How a tile changes its place: through shared memory, in rounds of shuffles, by reductions; with the prices that were compared.
(function (X) {
  "use strict";

  const BANKS = [440, 430];
  const MATRIX = 0.7;
  const TYPES = { message: "by messages", rename: "renamed", shuffle: "shuffled between lanes", shared: "through shared memory", replicate: "copied", reduce: "reduced" };

  /** Pictures of moves; those that are alike but for their op stand for one another. `shown`: the subgroup, the ids of the tile's parts, and what makes
   * the picture of `registers`. */
  function movesStages(K, moves, shown) {
    const alike = new Map();
    for (const move of moves) {
      const key = JSON.stringify([move.kind, move.price, move.reason, shown.ids.has(move.target) ? move.target : null, move.ways, move.rounds]);
      alike.set(key, [...(alike.get(key) ?? []), move]);
    }
    return [...alike.values()].flatMap((all) => moveStages(K, all[0], all.length, shown));
  }

  const instructionsOf = (price) => `${Math.round(price)} instruction${Math.round(price) === 1 ? "" : "s"}`;
  /** Prices that were compared when it was planned, side by side: the way that was taken first. */
  function priceWords({ price, ways }) {
    const taken = ways.find(([, , isTaken]) => isTaken);
    if (ways.length < 2 || !taken) return price == null ? "" : `, planned: ${instructionsOf(price)}`;
    const others = ways.filter((one) => one !== taken).map(([what, other]) => `${what} ${other == null ? `more than ${Math.round(taken[1])}` : Math.round(other)}`);
    return `, planned: ${taken[0]} ${instructionsOf(taken[1])}, ${others.join(", ")}`;
  }

  /** Where nothing in the assembly came of it: operands of instructions may name registers of other lanes, for one. */
  const foundWords = (K, { op }) => (K.levelOf("I") >= 0 && K.counts(...op).instructions === 0 ? "; found: no instruction of its own" : "");

  /** What an exchange or a conversion does: how it lies in shared memory or in which rounds lanes exchange, what is there then. */
  function moveStages(K, move, count, { subgroup, ids, registers }) {
    const { target, shared: memory, rounds } = move;
    const title = `${count > 1 ? `${count} x ` : ""}${TYPES[move.kind]}${priceWords(move)}${foundWords(K, move)}`;
    const of = `${move.op}.${target}.${subgroup}`;
    const drawn = [];
    if (memory) drawn.push({ key: `s${of}`, title, move, draw: (host) => bankPicture(host, memory, subgroup) });
    if (rounds.length) drawn.push({ key: `x${of}`, title, move, draw: (host) => X.pictures.rounds(host, { lanes: K.lanes, rounds }) });
    if (ids.has(target) && K.holdings[target].layout) {
      drawn.push({ ...registers(target, title), key: `v${of}`, move });
    }
    return drawn.length ? drawn : [{ key: `n${of}`, title, move, draw() {} }];
  }

  /** Shared memory as it lies there, beside rows without gaps where it lies otherwise; the accesses begin where the subgroup's part does. */
  function bankPicture(host, { store, load, places, gap, bits, banks: count }, subgroup) {
    const rows = X.pictures.inRows(places);
    const isPlain = !gap && `${places.in.offset}` === `${rows.in.offset}`;
    const side = (what, { bits: vectorBits, layout, owners }) => ({ what, access: layout, vectorBits, origin: owners && X.f2.apply(owners, { subgroup }) });
    const memories = [{ title: gap ? "with gaps" : isPlain ? "rows of banks" : "swizzled", shared: places, gap }];
    if (!isPlain) memories.unshift({ title: "if in rows", shared: rows, gap: null });
    return X.pictures.banks(host, { memories, sides: [side("store", store), side("load", load)], bits, banks: count, tensor: Object.keys(places.out), fit: BANKS, map: true, matrix: MATRIX });
  }

  X.moves = { TYPES, movesStages };
})((window.X = window.X || {}));
