// A Web Worker with the language server. The page posts the messages of the protocol as objects or as JSON text, and gets the
// server's messages in the same form. If the name of the worker is `given`, the first message is the compiled module
// ptx-analyzer-checks.wasm, which a page can load earlier than its worker.
// @ts-check
import { compile } from "./compile.js";
import { PtxServer } from "./server.js";

/** @type {any} */
const scope = self;

/** @type {unknown[]} */
const waiting = [];
/** @type {PtxServer | undefined} */
let server;
let asText = false;

/** @param {any} message */
function receive(message) {
  asText = typeof message === "string";
  server?.receive(message);
}

/** @param {string} name */
const part = (name) => compile(new URL(`ptx-analyzer-${name}.wasm`, import.meta.url));

/** @param {WebAssembly.Module} module */
function start(module) {
  server = new PtxServer(module, (message, body) => scope.postMessage(asText ? body : message), {}, () => part("rest"));
  waiting.splice(0).forEach(receive);
}

const isGiven = scope.name === "given";

scope.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (server !== undefined) receive(data);
  else if (isGiven && data instanceof WebAssembly.Module) start(data);
  else waiting.push(data);
};

if (!isGiven) start(await part("checks"));
