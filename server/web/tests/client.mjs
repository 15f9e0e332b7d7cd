// A client for tests: the same interface to the server in WebAssembly and to the native one.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PtxServer } from "../js/server.js";

export const folder = fileURLToPath(new URL("../../../", import.meta.url));
const file = process.env.PTX_WEB_MODULE ?? `${folder}server/web/dist/ptx-analyzer.wasm`;
const bytes = readFileSync(file);
export const module = new WebAssembly.Module(bytes);
export const moduleBytes = bytes;
/** The parts of the module. */
export const part = (name) => new WebAssembly.Module(readFileSync(file.replace(/\.wasm$/, `-${name}.wasm`)));
const binary = process.env.PTX_ANALYZER ?? `${folder}target/debug/ptx-analyzer`;

export const kernel = (name) => readFileSync(`${folder}tests/kernels/${name}.ptx`, "utf8");
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const TIMEOUT = 60_000;

/** A session with a server. `connect` gets the function that takes the server's messages, and returns the one that sends. */
export class Client {
  #next = 1;
  #answers = new Map();
  #methods = new Map();
  #waiting = [];
  /** All notifications and requests of the server. */
  messages = [];
  /** Answers to other requests of the server, by method: functions of their parameters. */
  answers = {};

  constructor(connect) {
    this.connection = connect((message) => this.#take(message));
  }

  #take(message) {
    if (message.method === undefined) {
      const answer = this.#answers.get(message.id);
      if (answer === undefined) this.messages.push(message);
      else answer(message);
      this.#answers.delete(message.id);
      return;
    }
    this.messages.push({ ...message, at: performance.now() });
    if (message.id !== undefined) void this.#answer(message);
    this.#waiting = this.#waiting.filter((look) => !look());
  }

  async #answer({ id, method, params }) {
    const answers = { "workspace/configuration": ({ items }) => items.map(() => null), ...this.answers };
    const result = (await answers[method]?.(params)) ?? null;
    this.connection.send({ jsonrpc: "2.0", id, result });
  }

  notify(method, params) {
    this.connection.send({ jsonrpc: "2.0", method, params });
  }

  /** The whole answer: with `result` or `error`. */
  request(method, params) {
    const id = this.#next++;
    this.#methods.set(method, id);
    const answer = new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no answer to ${method}`)), TIMEOUT);
      this.#answers.set(id, (message) => {
        clearTimeout(timer);
        const { jsonrpc, id: _, ...rest } = message;
        done(rest);
      });
    });
    this.connection.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** The id of the last request of a method. */
  idOf(method) {
    return this.#methods.get(method);
  }

  /** The first message that `wanted` accepts, from `since` on. */
  async message(wanted, since = 0) {
    const find = () => this.messages.slice(since).find(wanted);
    return find() ?? new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no such message: ${JSON.stringify(this.messages.slice(since))}`)), TIMEOUT);
      this.#waiting.push(() => {
        const found = find();
        if (found === undefined) return false;
        clearTimeout(timer);
        done(found);
        return true;
      });
    });
  }

  /** The diagnostics of a version, when nothing about it has changed for a while. */
  async diagnostics(uri, version, quiet = 1200) {
    const of = (message) => message.method === "textDocument/publishDiagnostics" && message.params.uri === uri && message.params.version === version;
    await this.message(of);
    for (let count = -1; ; ) {
      const now = this.messages.filter(of).length;
      if (now === count) break;
      count = now;
      await pause(quiet);
    }
    return this.messages.filter(of).at(-1).params.diagnostics;
  }

  async initialize(capabilities = {}, more = {}) {
    const answer = await this.request("initialize", { processId: null, rootUri: null, capabilities, ...more });
    this.notify("initialized", {});
    return answer;
  }

  open(uri, text, version = 1, languageId = "ptx") {
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId, version, text } });
  }

  change(uri, version, ...contentChanges) {
    this.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
  }
}

/** The server in WebAssembly. With `loadRest` its module has two parts. `kind` says what it is for. */
export function web(options = {}, loadRest = undefined, kind = undefined) {
  return new Client((take) => {
    const server = new PtxServer(loadRest === undefined ? module : part("checks"), take, options, loadRest, kind);
    return { send: (message) => server.receive(message), server, end: () => {} };
  });
}

/** The native server. */
export function native(...options) {
  return new Client((take) => {
    const program = spawn(binary, options, { stdio: ["pipe", "pipe", "inherit"] });
    let rest = Buffer.alloc(0);
    program.stdout.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = Number(/content-length: *(\d+)/i.exec(rest.subarray(0, end).toString())?.[1]);
        if (rest.length < end + 4 + length) return;
        const body = rest.subarray(end + 4, end + 4 + length).toString();
        rest = rest.subarray(end + 4 + length);
        take(JSON.parse(body));
      }
    });
    const send = (message) => {
      const body = typeof message === "string" ? message : JSON.stringify(message);
      program.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    };
    return { send, end: () => program.kill() };
  });
}
