// A Web Worker with the language server. The page posts the messages of the protocol as objects or as JSON text, and gets the
// server's messages in the same form.
// @ts-check
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

scope.onmessage = (/** @type {MessageEvent} */ event) => {
  if (server === undefined) waiting.push(event.data);
  else receive(event.data);
};

const address = new URL("ptx-analyzer.wasm", import.meta.url);
const module = await WebAssembly.compileStreaming(fetch(address)).catch(async () => {
  // Some servers send another content type than application/wasm.
  const response = await fetch(address);
  return WebAssembly.compile(await response.arrayBuffer());
});
server = new PtxServer(module, (message, body) => scope.postMessage(asText ? body : message));
waiting.splice(0).forEach(receive);
