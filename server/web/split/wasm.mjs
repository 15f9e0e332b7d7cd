// Reads and writes the parts of WebAssembly modules that splitting needs, with the sections that linkers write for linkers:
// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
// @ts-check

/** The numbers of sections. */
export const SECTION = { custom: 0, type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, start: 8, element: 9, code: 10, data: 11, dataCount: 12 };

/** The kinds of imports and exports. */
export const KIND = { function: 0, table: 1, memory: 2, global: 3 };

/** The opcodes in constant expressions and stubs. */
export const OP = { end: 0x0b, callIndirect: 0x11, localGet: 0x20, i32Const: 0x41 };

/** The numbers of relocations of this kind, of which splitting needs some. */
export const RELOCATION = {
  functionIndex: 0,
  /** Numbers in code that are stored with five bytes: unsigned and signed. */
  unsigned: new Set([0, 3, 6, 7, 20]),
  signed: new Set([1, 4]),
  /** Numbers in data. */
  words: new Set([2, 5]),
  /** Relocations with a number that is added. */
  withAddend: new Set([3, 4, 5]),
  /** A relocation that names no symbol. */
  type: 6,
};

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Reads bytes from a place on. */
export class Reader {
  /** @param {Uint8Array} bytes @param {number} at */
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  unsigned() {
    let out = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      out += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return out;
    }
  }

  /** A number of 32 bits with a sign. */
  signed() {
    let out = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      out |= (byte & 0x7f) << shift;
      if (byte < 0x80) return shift + 7 < 32 && byte & 0x40 ? out | (-1 << (shift + 7)) : out;
    }
  }

  /** @param {number} length */
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  text() {
    return decoder.decode(this.take(this.unsigned()));
  }

  /** @template T @param {(index: number) => T} read @returns {T[]} */
  list(read) {
    return Array.from({ length: this.unsigned() }, (_, index) => read(index));
  }

  /** The value of a constant expression `i32.const`. */
  constant() {
    if (this.byte() !== OP.i32Const) throw new Error("a constant is expected");
    const value = this.signed();
    if (this.byte() !== OP.end) throw new Error("a constant is expected");
    return value;
  }

  /** The type of a table or a memory: limits without 64-bit addresses. */
  limits() {
    const flags = this.byte();
    if (flags > 1) throw new Error("shared or 64-bit memory");
    return { minimum: this.unsigned(), maximum: flags === 1 ? this.unsigned() : undefined };
  }
}

/** Collects bytes. */
export class Writer {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  get bytes() {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @param {Uint8Array | number[]} bytes */
  raw(bytes) {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
    return this;
  }

  /** @param {number} value */
  unsigned(value) {
    const out = [];
    for (; value >= 0x80; value = Math.floor(value / 0x80)) out.push((value % 0x80) | 0x80);
    return this.raw([...out, value]);
  }

  /** @param {number} value */
  signed(value) {
    const out = [];
    for (; value < -0x40 || value >= 0x40; value >>= 7) out.push((value & 0x7f) | 0x80);
    return this.raw([...out, value & 0x7f]);
  }

  /** @param {string} text */
  text(text) {
    return this.sized(encoder.encode(text));
  }

  /** @param {Uint8Array} bytes */
  sized(bytes) {
    return this.unsigned(bytes.length).raw(bytes);
  }

  /** @template T @param {T[]} items @param {(item: T) => void} write */
  list(items, write) {
    this.unsigned(items.length);
    items.forEach(write);
    return this;
  }

  /** @param {number} value */
  constant(value) {
    return this.raw([OP.i32Const]).signed(value).raw([OP.end]);
  }

  /** @param {{ minimum: number, maximum: number | undefined }} limits */
  limits({ minimum, maximum }) {
    this.raw([maximum === undefined ? 0 : 1]).unsigned(minimum);
    if (maximum !== undefined) this.unsigned(maximum);
    return this;
  }

  /** Appends a section with a list, unless that is empty. @template T @param {number} number @param {T[]} items @param {(section: Writer, item: T) => void} write */
  section(number, items, write) {
    if (items.length === 0) return this;
    const section = new Writer();
    section.list(items, (item) => void write(section, item));
    return this.raw([number]).sized(section.bytes);
  }
}

/**
 * @typedef {{ kind: number, index: number, name: string }} Export
 * @typedef {{ module: string, name: string, kind: number, type: Uint8Array, typeIndex: number }} Import
 * @typedef {{ at: number, kind: number, symbol: number }} Relocation
 * @typedef {{ kind: number, name: string, index: number, segment: number, offset: number, size: number }} Symbol
 * @typedef {{ name: string, bytes: Uint8Array }} Section
 */

/** Kinds of symbols. */
export const SYMBOL = { function: 0, data: 1, section: 3 };

/** @param {Uint8Array} bytes @returns {Symbol[]} */
function symbols(bytes) {
  const reader = new Reader(bytes);
  reader.unsigned();
  while (reader.at < bytes.length) {
    const subsection = reader.byte();
    const end = reader.unsigned() + reader.at;
    if (subsection !== 8) {
      reader.at = end;
      continue;
    }
    return reader.list(() => {
      const kind = reader.byte();
      const flags = reader.unsigned();
      const undefinedSymbol = (flags & 0x10) !== 0;
      const symbol = { kind, name: "", index: -1, segment: -1, offset: 0, size: 0 };
      if (kind === SYMBOL.section) symbol.index = reader.unsigned();
      else if (kind === SYMBOL.data) {
        symbol.name = reader.text();
        if (!undefinedSymbol) [symbol.segment, symbol.offset, symbol.size] = [reader.unsigned(), reader.unsigned(), reader.unsigned()];
      } else {
        symbol.index = reader.unsigned();
        if (!undefinedSymbol || flags & 0x40) symbol.name = reader.text();
      }
      return symbol;
    });
  }
  throw new Error("the module has no symbols");
}

/** @param {Uint8Array | undefined} bytes @returns {Relocation[]} */
function relocations(bytes) {
  if (bytes === undefined) throw new Error("the module has no relocations: link it with --emit-relocs");
  const reader = new Reader(bytes);
  reader.unsigned();
  const found = reader.list(() => {
    const [kind, at, symbol] = [reader.byte(), reader.unsigned(), reader.unsigned()];
    if (RELOCATION.withAddend.has(kind)) reader.signed();
    else if (!RELOCATION.unsigned.has(kind) && !RELOCATION.signed.has(kind) && !RELOCATION.words.has(kind)) throw new Error(`a relocation of the kind ${kind}`);
    return { kind, at, symbol };
  });
  return found.sort((a, b) => a.at - b.at);
}

/** Returns the parts of a module. @param {Uint8Array} bytes */
export function parse(bytes) {
  /** @type {Map<number, Uint8Array>} */
  const sections = new Map();
  /** @type {Map<string, Uint8Array>} */
  const custom = new Map();
  for (const reader = new Reader(bytes, 8); reader.at < bytes.length; ) {
    const number = reader.byte();
    const section = reader.take(reader.unsigned());
    if (number === SECTION.custom) {
      const inside = new Reader(section);
      custom.set(inside.text(), section.subarray(inside.at));
    } else sections.set(number, section);
  }
  const section = (/** @type {number} */ number) => new Reader(sections.get(number) ?? new Uint8Array(1));
  if (sections.has(SECTION.start)) throw new Error("a start function");

  let reader = section(SECTION.type);
  const types = reader.list(() => {
    const start = reader.at;
    if (reader.byte() !== 0x60) throw new Error("a type that is not a function");
    const parameters = reader.take(reader.unsigned()).length;
    reader.take(reader.unsigned());
    return { parameters, bytes: reader.bytes.subarray(start, reader.at) };
  });
  reader = section(SECTION.import);
  const imports = reader.list(() => {
    const [module, name, kind] = [reader.text(), reader.text(), reader.byte()];
    if (kind !== KIND.function) throw new Error(`the import ${name} is not a function`);
    return { module, name, kind, typeIndex: reader.unsigned() };
  });
  reader = section(SECTION.function);
  const functionTypes = [...imports.map(({ typeIndex }) => typeIndex), ...reader.list(() => reader.unsigned())];
  reader = section(SECTION.table);
  const tables = reader.list(() => ({ type: reader.byte(), ...reader.limits() }));
  reader = section(SECTION.memory);
  const memories = reader.list(() => reader.limits());
  reader = section(SECTION.global);
  const globals = reader.list(() => {
    const [start, type] = [reader.at, reader.take(2)];
    reader.constant();
    return { type, bytes: reader.bytes.subarray(start, reader.at) };
  });
  reader = section(SECTION.export);
  const exports = reader.list(() => ({ name: reader.text(), kind: reader.byte(), index: reader.unsigned() }));
  reader = section(SECTION.element);
  /** The function in each place of the table. @type {Map<number, number>} */
  const elements = new Map();
  reader.list(() => {
    if (reader.unsigned() !== 0) throw new Error("an element segment that is not active");
    const start = reader.constant();
    reader.list((index) => elements.set(start + index, reader.unsigned()));
  });
  reader = section(SECTION.code);
  const bodies = reader.list(() => {
    const length = reader.unsigned();
    const start = reader.at;
    return { start, bytes: reader.take(length) };
  });
  reader = section(SECTION.data);
  const data = reader.list(() => {
    if (reader.unsigned() !== 0) throw new Error("a data segment that is not active");
    const address = reader.constant();
    const length = reader.unsigned();
    const start = reader.at;
    return { address, start, bytes: reader.take(length) };
  });
  return {
    types, imports, functionTypes, tables, memories, globals, exports, elements, bodies, data,
    symbols: symbols(custom.get("linking") ?? new Uint8Array(0)),
    codeRelocations: relocations(custom.get("reloc.CODE")),
    dataRelocations: relocations(custom.get("reloc.DATA")),
  };
}

/** @typedef {ReturnType<typeof parse>} Module */
