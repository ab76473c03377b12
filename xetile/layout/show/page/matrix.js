// The matrix of a layout's bits: a row for each bit of a coordinate, a column for each bit of a place.
(function (X) {
  "use strict";

  const { range, DIGIT } = X.scene;

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

  function matrixScene(layout, plan = matrixPlan(layout), framed = []) {
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
    const chosen = plan.columns.filter(({name, bit}) => framed.some((one) => one.dim === name && one.bit === bit));
    const frame = (ink) => ({x}) => ["frame", x - 1, 32, 22, 2 + 17 * plan.rows.length, ink];
    return [...heads, ...lines, ...mixed.map(frame("xor")), ...chosen.map(frame("conflict"))];
  }

  X.matrix = { matrixPlan, matrixScene };
})(window.X = window.X || {});
