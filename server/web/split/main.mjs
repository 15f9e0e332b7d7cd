// Splits the module of the language server, so that a page can check PTX before all of it is loaded.
//
//   node server/web/split/main.mjs LINKED FOLDER
//
// LINKED is the module that the linker writes with --emit-relocs. FOLDER gets
//   ptx-analyzer.wasm          the whole module
//   ptx-analyzer-checks.wasm   what it needs to check texts
//   ptx-analyzer-rest.wasm     the rest: functions and data that only calls through a gate reach
//
// The two parts are for pages. What only an editor can start (EDITOR_EXPORTS) is in neither of them.
//
// Gates are the functions in the modules `later` of ptx-lsp (server/lsp/src/embedded/mod.rs). In the first part a gate calls
// through the table, in which the second part puts the function when it is instantiated. The second part uses the memory, the
// table and the functions of the first one. Texts of documentation are also in the second part: in the first one, in which
// nothing reads them, there are zeros in their place.
// @ts-check
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { reachable, referencesOf } from "./reach.mjs";
import { KIND, OP, RELOCATION, SECTION, SYMBOL, Reader, Writer, parse } from "./wasm.mjs";

/**
 * @typedef {import("./wasm.mjs").Module} Module
 * @typedef {{ name: string, kind: number, index: number }} Export
 * @typedef {{ address: number, bytes: Uint8Array }} Segment
 */

/** The name under which the rest imports from the checks. */
const CHECKS = "checks";

/** The section with the version. */
const VERSION = "version";

/** What only an editor calls (server/web/src/abi.rs). */
const EDITOR_EXPORTS = new Set(["start_in_editor", "start_host"]);

/** Who needs a byte of data. */
const OWNER = { nobody: 0, checks: 1, rest: 2 };

/** Shorter gaps between two ranges of data are filled: another segment would take as many compressed bytes. */
const MIN_GAP = { zeros: 4096, others: 12 };

/** @param {string} name */
const isGate = (name) => /7ptx_lsp.*5later/.test(name);

/** Texts of documentation, which the tables name (server/isa/src/emit.rs). @param {string} name */
const isLate = (name) => /7ptx_isa.*5LATER/.test(name);

/** Writes modules that consist of parts of another one. */
class Splitter {
  /** Relocations by function. @type {import("./wasm.mjs").Relocation[][]} */
  #relocations;

  /** @param {Module} module @param {Uint8Array} version */
  constructor(module, version) {
    this.module = module;
    this.version = version;
    this.#relocations = module.bodies.map(() => []);
    let body = 0;
    for (const relocation of module.codeRelocations) {
      while (relocation.at >= module.bodies[body].start + module.bodies[body].bytes.length) body += 1;
      this.#relocations[body].push(relocation);
    }
  }

  /** Returns the body of a function that calls others by new numbers. @param {number} index @param {Map<number, number>} numbers */
  #body(index, numbers) {
    const body = index - this.module.imports.length;
    const { start, bytes } = this.module.bodies[body];
    const out = new Writer();
    let done = 0;
    for (const { at, kind } of this.#relocations[body]) {
      out.raw(bytes.subarray(done, at - start));
      const reader = new Reader(bytes, at - start);
      // The linker gives each number five bytes.
      if (RELOCATION.signed.has(kind)) out.signed(reader.signed());
      else if (kind === RELOCATION.functionIndex) out.unsigned(known(numbers, reader.unsigned()));
      else out.unsigned(reader.unsigned());
      done = reader.at;
    }
    return out.raw(bytes.subarray(done)).bytes;
  }

  /** Returns the body of a function that calls the function in a place of the table. @param {number} type @param {number} place */
  #stub(type, place) {
    const out = new Writer().unsigned(0);
    for (let parameter = 0; parameter < this.module.types[type].parameters; parameter++) out.raw([OP.localGet]).unsigned(parameter);
    return out.raw([OP.i32Const]).signed(place).raw([OP.callIndirect]).unsigned(type).unsigned(0).raw([OP.end]).bytes;
  }

  /** Returns the functions that others call directly, in order. @param {number[]} callers */
  calledBy(callers) {
    const { imports, symbols } = this.module;
    const calls = callers.flatMap((index) => this.#relocations[index - imports.length].filter(({ kind }) => kind === RELOCATION.functionIndex));
    return [...new Set(calls.map(({ symbol }) => symbols[symbol].index))].sort((a, b) => a - b);
  }

  /**
   * Returns a module.
   * @param {object} parts
   * @param {Export[]} parts.imports what it imports from the checks; without them it imports what the whole module imports
   * @param {number[]} parts.functions
   * @param {number[]} parts.gates functions that the rest puts into the table
   * @param {boolean} parts.hasGates whether these functions are in this module
   * @param {Export[]} parts.exports
   * @param {[number, number][]} parts.elements places of the table with their functions
   * @param {Segment[]} parts.data
   */
  write({ imports, functions, gates, hasGates, exports, elements, data }) {
    const { module } = this;
    const isWhole = imports.length === 0;
    const imported = isWhole ? module.imports.map((_, index) => index) : imports.filter(({ kind }) => kind === KIND.function).map(({ index }) => index);
    const places = new Map(gates.map((gate, index) => [gate, module.tables[0].minimum + index]));
    const stubs = hasGates ? [] : gates;
    const defined = [...functions, ...stubs];
    const numbers = new Map([...imported, ...defined].map((index, number) => [index, number]));
    const tables = module.tables.map((table) => ({ ...table, minimum: table.minimum + gates.length, maximum: table.maximum === undefined ? undefined : table.maximum + gates.length }));
    const filled = [...elements, ...(hasGates ? gates.map((gate) => /** @type {[number, number]} */ ([known(places, gate), gate])) : [])];

    const out = new Writer().raw([0, ...Buffer.from("asm"), 1, 0, 0, 0]);
    out.section(SECTION.type, module.types, (section, { bytes }) => section.raw(bytes));
    if (isWhole) {
      out.section(SECTION.import, module.imports, (section, one) => section.text(one.module).text(one.name).raw([KIND.function]).unsigned(one.typeIndex));
    } else {
      out.section(SECTION.import, imports, (section, { name, kind, index }) => {
        section.text(CHECKS).text(name).raw([kind]);
        if (kind === KIND.function) section.unsigned(module.functionTypes[index]);
        else if (kind === KIND.table) section.raw([tables[index].type]).limits(tables[index]);
        else if (kind === KIND.memory) section.limits(module.memories[index]);
        else section.raw(module.globals[index].type);
      });
    }
    out.section(SECTION.function, defined, (section, index) => section.unsigned(module.functionTypes[index]));
    if (isWhole) {
      out.section(SECTION.table, tables, (section, table) => section.raw([table.type]).limits(table));
      out.section(SECTION.memory, module.memories, (section, memory) => section.limits(memory));
      out.section(SECTION.global, module.globals, (section, { bytes }) => section.raw(bytes));
    }
    out.section(SECTION.export, exports, (section, { name, kind, index }) => section.text(name).raw([kind]).unsigned(kind === KIND.function ? known(numbers, index) : index));
    out.section(SECTION.element, runs(filled), (section, { start, functions: run }) => section.unsigned(0).constant(start).list(run, (index) => section.unsigned(known(numbers, index))));
    out.section(SECTION.code, defined, (section, index) => {
      const place = hasGates ? undefined : places.get(index);
      section.sized(place === undefined ? this.#body(index, numbers) : this.#stub(module.functionTypes[index], place));
    });
    out.section(SECTION.data, data, (section, { address, bytes }) => section.unsigned(0).constant(address).sized(bytes));
    const version = new Writer().text(VERSION).raw(this.version).bytes;
    return out.raw([SECTION.custom]).sized(version).bytes;
  }
}

/** @template K, V @param {Map<K, V>} map @param {K} key @returns {V} */
function known(map, key) {
  const value = map.get(key);
  if (value === undefined) throw new Error(`${key} is missing`);
  return value;
}

/** Returns runs of neighbours in the table. @param {[number, number][]} elements */
function runs(elements) {
  /** @type {{ start: number, functions: number[] }[]} */
  const out = [];
  for (const [place, index] of elements.sort(([a], [b]) => a - b)) {
    const last = out.at(-1);
    if (last !== undefined && last.start + last.functions.length === place) last.functions.push(index);
    else out.push({ start: place, functions: [index] });
  }
  return out;
}

/**
 * Returns the segments of data that a part of the module writes.
 * @param {Module} module
 * @param {(segment: number, offset: number) => boolean} isOwn whether a byte is the part's
 * @param {boolean} isFirst whether it writes before all other parts. Then it may set their bytes to zero
 */
function segments(module, isOwn, isFirst) {
  return module.data.flatMap(({ address, bytes }, segment) => {
    /** @type {{ start: number, end: number }[]} */
    const ranges = [];
    /** Whether all bytes since the last range are the part's. */
    let isGapOwn = true;
    for (let offset = 0; offset < bytes.length; offset++) {
      const own = isOwn(segment, offset);
      isGapOwn &&= own;
      // Memory is zero at first.
      if (!own || bytes[offset] === 0) continue;
      const last = ranges.at(-1);
      const gap = last === undefined ? Infinity : offset - last.end;
      if (last !== undefined && (isFirst ? gap < MIN_GAP.zeros : isGapOwn && gap < MIN_GAP.others)) last.end = offset + 1;
      else ranges.push({ start: offset, end: offset + 1 });
      isGapOwn = true;
    }
    return ranges.map(({ start, end }) => {
      const own = Uint8Array.from(bytes.subarray(start, end));
      own.forEach((_, index) => isOwn(segment, start + index) || (own[index] = 0));
      return { address: address + start, bytes: own };
    });
  });
}

/** Returns for each segment of data which part needs which bytes. @param {Module} module @param {Set<number>} checks @param {Set<number>} page */
function ownership(module, checks, page) {
  // A byte of no symbol may be anyone's.
  const owned = module.data.map(({ bytes }) => new Uint8Array(bytes.length).fill(OWNER.checks));
  const ownerOf = (/** @type {number} */ symbol) => (checks.has(symbol) ? OWNER.checks : page.has(symbol) ? OWNER.rest : OWNER.nobody);
  // Symbols may overlap.
  for (const owner of [OWNER.nobody, OWNER.rest, OWNER.checks]) {
    module.symbols.forEach(({ segment, offset, size }, symbol) => {
      if (segment >= 0 && ownerOf(symbol) === owner) owned[segment].fill(owner, offset, offset + size);
    });
  }
  return owned;
}

/** @param {string} linked @param {string} folder */
function split(linked, folder) {
  const bytes = readFileSync(linked);
  const module = parse(bytes);
  // By this server.js knows that two parts belong together.
  const splitter = new Splitter(module, createHash("sha256").update(bytes).digest().subarray(0, 8));
  /** @type {Map<number, string>} */
  const names = new Map();
  for (const { kind, index, name } of module.symbols) if (kind === SYMBOL.function) names.set(index, name);
  const nameOf = (/** @type {number} */ index) => names.get(index) ?? "";
  // Functions with similar names are similar, and neighbours compress well: by 6 %.
  const all = module.bodies.map((_, body) => module.imports.length + body).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const ofPages = module.exports.filter(({ name }) => !EDITOR_EXPORTS.has(name));
  if (module.exports.length - ofPages.length !== EDITOR_EXPORTS.size) throw new Error("the module lacks a function for editors");
  const gates = new Set(module.symbols.filter(({ kind, name }) => kind === SYMBOL.function && isGate(name)).map(({ index }) => index));
  if (gates.size === 0) throw new Error("the module has no gate");
  const references = referencesOf(module);
  const checks = reachable(module, references, ofPages, { isBorder: (index) => gates.has(index), isLate });
  const page = reachable(module, references, ofPages, { isBorder: () => false, isLate: () => false });
  const isFirst = (/** @type {number} */ index) => index < module.imports.length || checks.functions.has(index);
  const isRest = (/** @type {number} */ index) => !isFirst(index) && page.functions.has(index);
  const [first, rest] = [all.filter(isFirst), all.filter(isRest)];
  const elements = [...module.elements];
  const owned = ownership(module, checks.data, page.data);
  const called = splitter.calledBy(rest).filter(isFirst);
  // Short names: each stands in both modules.
  const shared = [
    ...called.map((index) => ({ kind: KIND.function, index })),
    ...module.tables.map((_, index) => ({ kind: KIND.table, index })),
    ...module.memories.map((_, index) => ({ kind: KIND.memory, index })),
    ...module.globals.map((_, index) => ({ kind: KIND.global, index })),
  ].map((one, number) => ({ ...one, name: number.toString(36) }));
  const parts = {
    "ptx-analyzer": splitter.write({ imports: [], functions: all, gates: [], hasGates: true, exports: module.exports, elements, data: segments(module, () => true, true) }),
    "ptx-analyzer-checks": splitter.write({
      imports: [],
      functions: first,
      gates: [...gates],
      hasGates: false,
      exports: [...ofPages, ...shared],
      elements: elements.filter(([, index]) => isFirst(index)),
      data: segments(module, (segment, offset) => owned[segment][offset] === OWNER.checks, true),
    }),
    "ptx-analyzer-rest": splitter.write({
      imports: shared,
      functions: rest,
      gates: [...gates],
      hasGates: true,
      exports: [],
      elements: elements.filter(([, index]) => isRest(index)),
      data: segments(module, (segment, offset) => owned[segment][offset] === OWNER.rest, false),
    }),
  };
  for (const [name, bytes] of Object.entries(parts)) {
    if (!WebAssembly.validate(bytes)) throw new Error(`${name}.wasm is not valid`);
    writeFileSync(join(folder, `${name}.wasm`), bytes);
    console.log(`${name}.wasm: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`);
  }
}

const [linked, folder] = process.argv.slice(2);
split(linked, folder);
