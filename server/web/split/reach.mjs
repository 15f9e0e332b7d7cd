// What some exports of a module need: everything that they reach.
// @ts-check
import { KIND, RELOCATION, SYMBOL } from "./wasm.mjs";

/** @typedef {import("./wasm.mjs").Module} Module */

/**
 * Finds the symbols at a place in the data of a module.
 * @param {Module} module
 */
function dataIndex(module) {
  return module.data.map((_, segment) => {
    const inside = module.symbols.flatMap((symbol, index) => (symbol.kind === SYMBOL.data && symbol.segment === segment && symbol.size > 0 ? [{ start: symbol.offset, end: symbol.offset + symbol.size, index }] : []));
    return inside.sort((a, b) => a.start - b.start || a.end - b.end);
  });
}

/**
 * Returns the symbols that each function and each symbol of data names.
 * @param {Module} module
 */
export function referencesOf(module) {
  const firstBody = module.imports.length;
  /** By function. @type {Set<number>[]} */
  const ofFunctions = module.functionTypes.map(() => new Set());
  let body = 0;
  for (const { at, kind, symbol } of module.codeRelocations) {
    if (kind === RELOCATION.type) continue;
    while (at >= module.bodies[body].start + module.bodies[body].bytes.length) body += 1;
    ofFunctions[firstBody + body].add(symbol);
  }
  /** By symbol of data. @type {Map<number, Set<number>>} */
  const ofData = new Map();
  const index = dataIndex(module);
  /** The symbols around each relocation: they may overlap. */
  let segment = 0;
  for (const { at, symbol } of module.dataRelocations) {
    while (at >= module.data[segment].start + module.data[segment].bytes.length) segment += 1;
    const offset = at - module.data[segment].start;
    const around = index[segment].filter(({ start, end }) => start <= offset && offset < end);
    if (around.length === 0) throw new Error(`the pointer at ${offset} of data segment ${segment} is part of no symbol`);
    for (const { index: owner } of around) {
      const known = ofData.get(owner);
      if (known === undefined) ofData.set(owner, new Set([symbol]));
      else known.add(symbol);
    }
  }
  return { ofFunctions, ofData };
}

/**
 * Returns the functions and the symbols of data that some exports of a module reach.
 * @param {Module} module
 * @param {ReturnType<typeof referencesOf>} references
 * @param {{ kind: number, index: number }[]} exports
 * @param {object} limits
 * @param {(index: number) => boolean} limits.isBorder whether a function is left out although something may call it
 * @param {(name: string) => boolean} limits.isLate whether data is left out although something may name it
 */
export function reachable(module, { ofFunctions, ofData }, exports, { isBorder, isLate }) {
  /** @type {Set<number>} */
  const functions = new Set();
  /** @type {Set<number>} */
  const data = new Set();
  /** @type {Set<number>[]} */
  const waiting = [];
  const reach = (/** @type {number} */ index) => {
    if (functions.has(index) || isBorder(index)) return;
    functions.add(index);
    waiting.push(ofFunctions[index]);
  };
  for (const { kind, index } of exports) if (kind === KIND.function) reach(index);
  for (let names = waiting.pop(); names !== undefined; names = waiting.pop()) {
    for (const number of names) {
      const symbol = module.symbols[number];
      if (symbol.kind === SYMBOL.function) reach(symbol.index);
      else if (symbol.kind === SYMBOL.data && !data.has(number) && !isLate(symbol.name)) {
        data.add(number);
        waiting.push(ofData.get(number) ?? new Set());
      }
    }
  }
  return { functions, data };
}
