// The language server as a WebAssembly module: passes messages, gives it time slices, and starts it again after a failure.
// `server/web/src/abi.rs` is the other side.
// @ts-check

/** Milliseconds after which the module returns, so that messages are read. */
const SLICE = 8;

/** Notifications that define the texts of documents. */
const TEXTS = new Set(["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"]);

/** Other notifications whose effect lasts. */
const STATE = new Set(["workspace/didChangeWorkspaceFolders", "$/setTrace"]);

/** With more messages about texts, or more characters in them, the journal starts again from the current texts. */
const MAX_MESSAGES = 200;
const MAX_CHARACTERS = 4_000_000;

/** The server ends when it fails more often than this within a minute. */
const MAX_FAILURES = 5;

/** Milliseconds after which the rest of the module is loaded again, if that has failed and a request needs it. */
const RETRY_DELAY = 3_000;

/** The section of a module by which its parts know each other. */
const VERSION = "version";

/** The id of the `initialize` request of a server that replaces another; the client does not know it. */
const RESTART = "ptx-analyzer/restart";

const INTERNAL_ERROR = -32603;

/**
 * @typedef {{ jsonrpc: "2.0", id?: string | number | null, method?: string, params?: any, result?: any, error?: any }} Message
 * @typedef {object} Host
 * @property {() => number} now
 * @property {(work: () => void) => void} defer
 * @property {(message: string) => void} log
 * @property {(reason: string) => void} [ended] hears that the server has ended, in place of the user
 */

/**
 * What a server is for: PTX in a page, PTX in an editor that supplies files, or PTX in strings of other languages. These are the
 * functions of the module that start it; a module in two parts has only the first one.
 * @typedef {"start" | "start_in_editor" | "start_host"} Kind
 */

/** Runs work after the messages that wait. A timer would wait for four milliseconds. */
function deferrer() {
  // Node.js reads a thousand messages of a channel before it looks at anything else.
  const immediate = /** @type {any} */ (globalThis).setImmediate;
  if (immediate !== undefined) return (/** @type {() => void} */ work) => void immediate(work);
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const waiting = [];
  port1.onmessage = () => waiting.shift()?.();
  return (/** @type {() => void} */ work) => {
    waiting.push(work);
    port2.postMessage(0);
  };
}

/** What a server that starts again must hear. */
class Journal {
  /** @type {Message | undefined} */
  initialize;
  /** @type {string | undefined} */
  configuration;
  /** @type {string[]} */
  state = [];
  /** @type {string[]} */
  texts = [];
  characters = 0;
  /** Counts messages about texts. */
  revision = 0;
  /** The names of the open documents. @type {Set<string>} */
  open = new Set();

  /** @param {Message | undefined} message @param {string} body */
  add(message, body) {
    const method = message?.method;
    const uri = message?.params?.textDocument?.uri;
    if (method === "textDocument/didOpen") this.open.add(uri);
    else if (method === "textDocument/didClose") this.open.delete(uri);
    if (method === "initialize") this.initialize ??= message;
    else if (method === "workspace/didChangeConfiguration") this.configuration = body;
    else if (method !== undefined && STATE.has(method)) this.state.push(body);
    else if (method !== undefined && TEXTS.has(method)) {
      this.texts.push(body);
      this.characters += body.length;
      this.revision += 1;
    }
  }

  get isLong() {
    return this.texts.length > MAX_MESSAGES || this.characters > MAX_CHARACTERS;
  }

  /** @param {Message[]} documents */
  restart(documents) {
    this.texts = documents.map((message) => JSON.stringify(message));
    // The texts themselves may be longer than the limit.
    this.characters = 0;
  }
}

/** One instance of the module. */
class Instance {
  #exports;
  #decoder = new TextDecoder();
  #encoder = new TextEncoder();
  /** The document that is worked on. */
  working = "";
  /** The message of the panic that ended the instance. */
  panic = "";
  #answer = "";
  /** Messages for the client. They leave after the call: the client may answer at once. @type {string[]} */
  messages = [];

  /** @param {WebAssembly.Module} module @param {Host} host @param {Kind} kind */
  constructor(module, host, kind) {
    const text = (/** @type {number} */ start, /** @type {number} */ length) =>
      length === 0 ? "" : this.#decoder.decode(new Uint8Array(this.#exports.memory.buffer, start, length));
    const imports = {
      now: host.now,
      send: (/** @type {number} */ start, /** @type {number} */ length) => void this.messages.push(text(start, length)),
      answer: (/** @type {number} */ start, /** @type {number} */ length) => (this.#answer = text(start, length)),
      working: (/** @type {number} */ start, /** @type {number} */ length) => (this.working = text(start, length)),
      panicked: (/** @type {number} */ start, /** @type {number} */ length) => (this.panic = text(start, length)),
    };
    this.#exports = /** @type {any} */ (new WebAssembly.Instance(module, { host: imports }).exports);
    this.#exports[kind]();
  }

  /** @param {string} text */
  #input(text) {
    const bytes = this.#encoder.encode(text);
    const start = this.#exports.input(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, start, bytes.length).set(bytes);
  }

  /** @param {string} body */
  receive(body) {
    this.#input(body);
    this.#exports.receive();
  }

  /** @param {{ what: string, giveUp: boolean, tell: boolean, files: string[] }} failure */
  recover(failure) {
    this.#input(JSON.stringify(failure));
    this.#exports.recover();
  }

  /** @returns {number} */
  run() {
    return this.#exports.run(SLICE);
  }

  /** @returns {Message[]} */
  documents() {
    this.#exports.documents();
    return JSON.parse(this.#answer || "[]");
  }

  /** Answers all requests from now on. @param {WebAssembly.Module | undefined} rest the rest of the module, if that is a part of it */
  complete(rest) {
    if (rest !== undefined) new WebAssembly.Instance(rest, { checks: this.#exports });
    this.#exports.complete();
  }

  /** Refuses the requests that wait for the rest of the module. @param {string} reason */
  refuse(reason) {
    this.#input(reason);
    this.#exports.refuse();
  }

  get bytes() {
    return this.#exports.memory.buffer.byteLength;
  }
}

/** @param {WebAssembly.Module} module */
function version(module) {
  return WebAssembly.Module.customSections(module, VERSION).map((bytes) => new Uint8Array(bytes).join(" "))[0];
}

/** A language server for one client. */
export class PtxServer {
  #module;
  #send;
  #kind;
  /** @type {Host} */
  #host;
  #journal = new Journal();
  /** @type {Instance | undefined} */
  #instance;
  /** Number of the instance. */
  #generation = 0;
  /** Requests without an answer, and their methods. @type {Map<string | number, string>} */
  #pending = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #deferred = false;
  /** Times of the last failures. @type {number[]} */
  #failures = [];
  /** The last failure, and the texts then. */
  #last = { what: "", revision: -1 };
  /** What the user has heard of. @type {Set<string>} */
  #told = new Set();
  /** Files that were not open when work on them failed. @type {Set<string>} */
  #files = new Set();
  #ended = false;
  /** Loads the rest of the module; undefined if that is loaded, or if the module has all. @type {(() => Promise<WebAssembly.Module>) | undefined} */
  #load;
  /** @type {WebAssembly.Module | undefined} */
  #rest;
  #loading = false;
  /** Why the rest did not load, and when. */
  #refusal = { reason: "", time: -Infinity };

  /**
   * @param {WebAssembly.Module} module the compiled `ptx-analyzer.wasm`, or its part `ptx-analyzer-checks.wasm`
   * @param {(message: Message, body: string) => void} send takes each message for the client, also as JSON text
   * @param {Partial<Host>} host
   * @param {() => Promise<WebAssembly.Module>} [loadRest] loads the other part, `ptx-analyzer-rest.wasm`: after the first diagnostics, or
   *   when the first request needs it, and again after a failure
   * @param {Kind} kind
   */
  constructor(module, send, host = {}, loadRest = undefined, kind = "start") {
    this.#module = module;
    this.#kind = kind;
    this.#load = loadRest;
    this.#send = send;
    const defaults = { now: () => performance.now(), defer: deferrer(), log: (/** @type {string} */ text) => console.error(text) };
    this.#host = { ...defaults, ...host };
    this.#start();
  }

  /** Whether all of the module is there. */
  get isComplete() {
    return this.#load === undefined;
  }

  /** How often the module was started. */
  get starts() {
    return this.#generation;
  }

  /** The size of the module's memory. */
  get bytes() {
    return this.#instance?.bytes ?? 0;
  }

  /**
   * Takes a message of the client.
   * @param {Message | string} given
   */
  receive(given) {
    const body = typeof given === "string" ? given : JSON.stringify(given);
    /** @type {Message | undefined} */
    let message;
    try {
      const value = typeof given === "string" ? JSON.parse(given) : given;
      if (typeof value === "object" && value !== null) message = value;
    } catch {
      // The server answers that it is not JSON.
    }
    if (this.#ended) {
      if (message?.method !== undefined && message.id != null) this.#refuse(message.id, "the language server has ended");
      return;
    }
    this.#journal.add(message, body);
    if (message?.method !== undefined && message.id != null) this.#pending.set(message.id, message.method);
    const own = message !== undefined && message.method === undefined && message.id != null ? this.#ownAnswer(message, body) : body;
    if (own !== undefined) this.#try((instance) => instance.receive(own));
    if (message?.method !== undefined && message.id != null && message.method !== "initialize") this.#needRest();
    this.#defer();
  }

  #start() {
    this.#generation += 1;
    const instance = new Instance(this.#module, this.#host, this.#kind);
    this.#instance = instance;
    if (this.isComplete) instance.complete(this.#rest);
  }

  /** Loads the rest of the module, unless that is there, on its way, or has just failed. */
  #needRest() {
    const load = this.#load;
    if (load === undefined || this.#loading) return;
    const { reason, time } = this.#refusal;
    if (this.#host.now() - time < RETRY_DELAY) {
      this.#try((instance) => instance.refuse(reason));
      return;
    }
    this.#loading = true;
    const loaded = load().then((rest) => {
      if (version(rest) !== version(this.#module)) throw new Error("the parts of the module have different versions; reload the page");
      this.#rest = rest;
      this.#load = undefined;
      this.#try((instance) => instance.complete(rest));
    });
    const settled = loaded.catch((error) => this.#restFailed(error));
    void settled.then(() => {
      this.#loading = false;
      this.#defer();
    });
  }

  /** @param {unknown} error */
  #restFailed(error) {
    const isFirst = this.#refusal.reason === "";
    const cause = error instanceof Error ? error.message : String(error);
    const reason = `a part of the language server did not load: ${cause}`;
    this.#refusal = { reason, time: this.#host.now() };
    this.#try((instance) => instance.refuse(reason));
    if (!isFirst) return;
    const message = "Only diagnostics work for now: a part of the language server did not load. The next request tries again.";
    this.#notify("window/showMessage", { type: 2, message });
  }

  /** @param {string} method @param {any} params */
  #notify(method, params) {
    /** @type {Message} */
    const message = { jsonrpc: "2.0", method, params };
    this.#send(message, JSON.stringify(message));
  }

  /** Runs work in the module. @param {(instance: Instance) => void} work */
  #try(work) {
    const instance = this.#instance;
    if (instance === undefined) return;
    try {
      work(instance);
    } catch (error) {
      this.#failed(instance, error);
    }
    instance.messages.splice(0).forEach((body) => this.#take(body));
  }

  #defer() {
    if (this.#deferred || this.#ended) return;
    this.#deferred = true;
    this.#host.defer(() => {
      this.#deferred = false;
      this.#run();
    });
  }

  #run() {
    clearTimeout(this.#timer);
    this.#try((instance) => {
      const rest = instance.run();
      if (rest === 0) this.#defer();
      else if (rest > 0) {
        this.#timer = setTimeout(() => this.#run(), rest);
        /** @type {any} */ (this.#timer).unref?.();
      }
      if (this.#journal.isLong && rest !== 0) this.#journal.restart(instance.documents());
    });
  }

  /** Passes a message of the module to the client. @param {string} body */
  #take(body) {
    /** @type {Message} */
    const message = JSON.parse(body);
    if (message.method === undefined && message.id != null) {
      if (message.id === RESTART) return;
      this.#pending.delete(message.id);
    } else if (message.id != null && this.#generation > 1) {
      // An answer to the request of an earlier instance must not answer one of this instance.
      message.id = `${this.#generation}/${JSON.stringify(message.id)}`;
      this.#send(message, JSON.stringify(message));
      return;
    }
    this.#send(message, body);
    if (message.method === "textDocument/publishDiagnostics") this.#needRest();
  }

  /** Returns the client's answer to a request of this instance. @param {Message} message @param {string} body */
  #ownAnswer(message, body) {
    if (this.#generation === 1) return body;
    const mark = `${this.#generation}/`;
    if (typeof message.id !== "string" || !message.id.startsWith(mark)) return undefined;
    try {
      return JSON.stringify({ ...message, id: JSON.parse(message.id.slice(mark.length)) });
    } catch {
      return undefined;
    }
  }

  /** @param {string | number} id @param {string} why @param {object} [data] says a program why */
  #refuse(id, why, data) {
    /** @type {Message} */
    const message = { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: why, data } };
    this.#send(message, JSON.stringify(message));
  }

  /** Starts the module again with the texts of the documents. @param {Instance} instance @param {unknown} error */
  #failed(instance, error) {
    const [method] = this.#pending.values();
    const what = instance.working || method || "a message";
    this.#host.log(`ptx-analyzer failed in work on ${what}: ${instance.panic || error}`);
    for (const id of this.#pending.keys()) this.#refuse(id, "the language server has failed and started again", { kind: "restarted" });
    this.#pending.clear();
    const now = this.#host.now();
    this.#failures = [...this.#failures.filter((time) => now - time < 60_000), now];
    if (this.#failures.length > MAX_FAILURES || this.#journal.initialize === undefined) {
      this.#instance = undefined;
      this.#ended = true;
      const message = `ptx-analyzer has failed too often, the last time with ${what}, and has ended.`;
      if (this.#host.ended === undefined) this.#notify("window/showMessage", { type: 1, message });
      else this.#host.ended(message);
      return;
    }
    if (instance.working !== "" && !this.#journal.open.has(instance.working)) this.#files.add(instance.working);
    const { revision } = this.#journal;
    const giveUp = this.#last.what === what && this.#last.revision === revision;
    this.#last = { what, revision };
    const tell = !this.#told.has(what);
    this.#told.add(what);
    this.#start();
    this.#try((next) => {
      next.receive(JSON.stringify({ ...this.#journal.initialize, id: RESTART }));
      next.recover({ what, giveUp, tell, files: [...this.#files] });
      this.#journal.state.forEach((body) => next.receive(body));
      // Without settings in it, it makes the server ask the client for them.
      const ask = { jsonrpc: "2.0", method: "workspace/didChangeConfiguration", params: { settings: null } };
      next.receive(this.#journal.configuration ?? JSON.stringify(ask));
      this.#journal.texts.forEach((body) => next.receive(body));
    });
    this.#defer();
  }
}
