// Linear layouts, with the names of xetile/layout/algebra. A layout is {in: {dim: [vector, ...]}, out: {dim: size}};
// a vector has a component for each out dimension, in order.
(function (X) {
  "use strict";
  const HALF = 2 ** 32;

  // Components may have 53 bits, operators on bits take 32: the two halves go through them one by one.
  function xor(a, b) {
    const low = (a ^ b) >>> 0;
    if (a < HALF && b < HALF) return low;
    return low + ((Math.floor(a / HALF) ^ Math.floor(b / HALF)) >>> 0) * HALF;
  }

  function bit(number, position) {
    return position < 32 ? (number >>> position) & 1 : (Math.floor(number / HALF) >>> (position - 32)) & 1;
  }

  function bitLength(number) {
    return number < HALF ? 32 - Math.clz32(number) : 64 - Math.clz32(Math.floor(number / HALF));
  }

  const sum = (left, right) => left.map((component, d) => xor(component, right[d]));
  const names = (dims) => Object.keys(dims);
  const zeros = (dims) => names(dims).map(() => 0);
  const named = (dims, vector) => Object.fromEntries(names(dims).map((name, d) => [name, vector[d]]));
  const mapped = (dims, change) => Object.fromEntries(names(dims).map((name) => [name, change(dims[name], name)]));
  const inSizes = (layout) => mapped(layout.in, (vectors) => 2 ** vectors.length);
  const inBits = (layout) => Object.values(layout.in).flat().length;
  const outBits = (layout) => Object.values(layout.out).reduce((bits, size) => bits + bitLength(size) - 1, 0);

  // The image of one input; dimensions that are not named are 0.
  function apply(layout, coordinates) {
    let image = zeros(layout.out);
    for (const [name, vectors] of Object.entries(layout.in)) {
      vectors.forEach((vector, i) => {
        if (bit(coordinates[name] || 0, i)) image = sum(image, vector);
      });
    }
    return named(layout.out, image);
  }

  // The position of a vector's highest bit, the last component above the others; 0 of zero.
  function lead(vector) {
    let d = vector.length - 1;
    while (d >= 0 && !vector[d]) d -= 1;
    return d < 0 ? 0 : d * 64 + bitLength(vector[d]);
  }

  function reduced(pivots, row) {
    let pivot = pivots.get(lead(row.image));
    while (pivot) {
      row = {image: sum(row.image, pivot.image), label: sum(row.label, pivot.label)};
      pivot = pivots.get(lead(row.image));
    }
    return row;
  }

  // Bases reduced to different leading bits, each with the input that has it for its image; inputs without an image.
  function echelon(layout) {
    const pivots = new Map();
    const kernel = [];
    names(layout.in).forEach((name, d) => layout.in[name].forEach((image, i) => {
      const label = zeros(layout.in);
      label[d] = 2 ** i;
      const row = reduced(pivots, {image, label});
      if (lead(row.image)) pivots.set(lead(row.image), row);
      else kernel.push(row.label);
    }));
    return {pivots, kernel, zero: zeros(layout.in)};
  }

  // The smallest input with this image, null where there is none.
  function solve(found, image) {
    const row = reduced(found.pivots, {image, label: found.zero});
    return lead(row.image) ? null : row.label;
  }

  const kernel = (layout) => echelon(layout).kernel.map((label) => named(layout.in, label));
  const rank = (layout) => echelon(layout).pivots.size;
  const isSurjective = (layout) => rank(layout) === outBits(layout);
  const isInjective = (layout) => rank(layout) === inBits(layout);
  const isInvertible = (layout) => isSurjective(layout) && isInjective(layout);

  // Who holds an element, the smallest of several; null where nobody does.
  function holder(layout, element) {
    const label = solve(echelon(layout), names(layout.out).map((name) => element[name]));
    return label && named(layout.in, label);
  }

  // Vectors of each dimension's units, or null where a unit has no solution.
  function solvedUnits(found, dims, target) {
    const solved = mapped(dims, (vectors, name) => vectors.map((vector) => solve(found, target(vector, name))));
    return Object.values(solved).flat().includes(null) ? null : solved;
  }

  // For each element its smallest holder, null unless every element has one; `copies` are inputs whose image is zero:
  // who holds an element and any sum of them holds it too.
  function inverse(layout) {
    const found = echelon(layout);
    const order = names(layout.out);
    const units = mapped(layout.out, (size) => Array.from({length: bitLength(size) - 1}, (_, i) => 2 ** i));
    const solved = solvedUnits(found, units, (unit, name) => order.map((other) => (other === name ? unit : 0)));
    return solved && {in: solved, out: inSizes(layout), copies: found.kernel.map((label) => named(layout.in, label))};
  }

  // The smallest X with left(X(b)) = right(b); null where there is none.
  function lstsq(left, right) {
    const order = names(left.out);
    if (order.length !== names(right.out).length) return null;
    if (!order.every((name) => right.out[name] <= left.out[name])) return null;
    const fields = order.map((name) => names(right.out).indexOf(name));
    const solved = solvedUnits(echelon(left), right.in, (vector) => fields.map((d) => vector[d]));
    return solved && {in: solved, out: inSizes(left)};
  }

  // x -> outer(inner(x)); an error unless the inner one's out dimensions are the outer one's in dimensions.
  function compose(inner, outer) {
    const sizes = inSizes(outer);
    const fits = names(inner.out).every((name) => inner.out[name] <= sizes[name]);
    if (!fits || names(inner.out).length !== names(sizes).length) {
      throw new Error(`cannot compose: [${names(inner.out)}] must be [${names(sizes)}], none larger`);
    }
    const through = (vector) => Object.values(apply(outer, named(inner.out, vector)));
    return {in: mapped(inner.in, (vectors) => vectors.map(through)), out: {...outer.out}};
  }

  // The smallest list that holds both lists in their orders, as `supremum` of dimensions.py.
  function supremum(left, right) {
    const merged = new Set();
    let i = 0;
    let j = 0;
    while (i < left.length && j < right.length) {
      if (merged.has(left[i])) i += 1;
      else if (merged.has(right[j])) j += 1;
      else if (!right.includes(left[i])) merged.add(left[i]);
      else if (!left.includes(right[j]) || left.indexOf(right[j]) < right.indexOf(left[i])) merged.add(right[j]);
      else merged.add(left[i]);
    }
    return [...merged, ...left.slice(i), ...right.slice(j)].filter((name, at, all) => all.indexOf(name) === at);
  }

  // One layout beside another: dimensions with the same name are joined, the left one's bits lowest.
  function product(left, right) {
    const outs = supremum(names(left.out), names(right.out));
    const spread = (layout, scale) => (vector) => {
      const values = named(layout.out, vector);
      return outs.map((name) => (values[name] || 0) * scale(name));
    };
    const low = spread(left, () => 1);
    const high = spread(right, (name) => left.out[name] || 1);
    const ins = supremum(names(left.in), names(right.in));
    const joined = (name) => [...(left.in[name] || []).map(low), ...(right.in[name] || []).map(high)];
    return {
      in: Object.fromEntries(ins.map((name) => [name, joined(name)])),
      out: Object.fromEntries(outs.map((name) => [name, (left.out[name] || 1) * (right.out[name] || 1)])),
    };
  }

  // The C with product(divisor, C) = layout, null where there is none (`divide_left`); C keeps all dimensions.
  function divide(layout, divisor) {
    const low = names(layout.out).map((name) => divisor.out[name] || 1);
    const out = mapped(layout.out, (size, name) => size / (divisor.out[name] || 1));
    const rest = {in: mapped(layout.in, (vectors, name) => vectors
      .slice((divisor.in[name] || []).length)
      .map((vector) => vector.map((component, d) => Math.floor(component / low[d])))), out};
    return holdsDims(layout, divisor) && equal(ordered(product(divisor, rest), layout), layout) ? rest : null;
  }

  function holdsDims(layout, divisor) {
    return names(divisor.in).every((name) => divisor.in[name].length <= (layout.in[name] || {length: -1}).length)
      && names(divisor.out).every((name) => divisor.out[name] <= (layout.out[name] || 0));
  }

  // The same layout with its dimensions in another one's order.
  function ordered(layout, other) {
    const fields = names(other.out).map((name) => names(layout.out).indexOf(name));
    return {
      in: mapped(other.in, (_, name) => layout.in[name].map((vector) => fields.map((d) => vector[d]))),
      out: mapped(other.out, (_, name) => layout.out[name]),
    };
  }

  const equal = (left, right) => JSON.stringify([left.in, left.out, names(left.in), names(left.out)])
    === JSON.stringify([right.in, right.out, names(right.in), names(right.out)]);

  X.f2 = {
    apply, compose, divide, echelon, equal, holder, inSizes, inverse, isInjective, isInvertible, isSurjective,
    kernel, lstsq, product, rank, solve,
  };
})(window.X = window.X || {});
