// What of a module is needed to check texts: everything that its exports reach without a gate.
// @ts-check
import { RELOCATION, SYMBOL } from "./wasm.mjs";

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
export function references(module) {
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
 * Returns the functions and the symbols of data that the exports of a module reach without a gate.
 * @param {Module} module
 * @param {(name: string) => boolean} isGate
 * @param {(name: string) => boolean} isLate whether data is left out although something may name it
 */
export function reachable(module, isGate, isLate) {
  const { ofFunctions, ofData } = references(module);
  /** @type {Set<number>} */
  const gates = new Set();
  for (const { kind, index, name } of module.symbols) if (kind === SYMBOL.function && isGate(name)) gates.add(index);
  /** @type {Set<number>} */
  const functions = new Set();
  /** @type {Set<number>} */
  const data = new Set();
  /** @type {Set<number>[]} */
  const waiting = [];
  const reach = (/** @type {number} */ index) => {
    if (gates.has(index) || functions.has(index)) return;
    functions.add(index);
    waiting.push(ofFunctions[index]);
  };
  for (const { kind, index } of module.exports) if (kind === 0) reach(index);
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
  return { functions, data, gates };
}
