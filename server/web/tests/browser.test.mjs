// The Web Worker in Chromium, under a strict policy. Uses the browser and the packages of tests/site.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import { folder, kernel } from "./client.mjs";

const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const site = process.env.PTX_WEB_SITE ?? `${folder}tests/site/`;
const skip = !existsSync(browserPath) ? `no browser at ${browserPath}` : !existsSync(`${site}node_modules/playwright-core`) && "run `npm ci` in tests/site";

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html; charset=utf-8" };
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Serves the folder `dist` and an empty page. */
async function serve() {
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
    const file = `${folder}server/web/dist/${name}`;
    const body = name === "index.html" ? "<!doctype html><title>test</title>" : /^[\w-]+\.(js|wasm)$/.test(name) && existsSync(file) ? readFileSync(file) : undefined;
    response.writeHead(body === undefined ? 404 : 200, { "content-type": TYPES[name.slice(name.lastIndexOf("."))] ?? "text/plain", "content-security-policy": POLICY });
    response.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** Runs in the page: a session, and how long its parts take. */
async function session({ text, asText }) {
  const begin = performance.now();
  const worker = new Worker("worker.js", { type: "module" });
  const waiting = [];
  worker.onmessage = ({ data }) => {
    const message = typeof data === "string" ? JSON.parse(data) : data;
    if ((typeof data === "string") !== asText) throw new Error("another form");
    for (const one of waiting.filter((w) => w.wanted(message))) {
      waiting.splice(waiting.indexOf(one), 1);
      one.done([message, performance.now()]);
    }
  };
  const next = (wanted) => new Promise((done) => waiting.push({ wanted, done }));
  const send = (message) => worker.postMessage(asText ? JSON.stringify({ jsonrpc: "2.0", ...message }) : { jsonrpc: "2.0", ...message });
  const published = (version) => next((m) => m.method === "textDocument/publishDiagnostics" && m.params.version === version);
  const uri = "untitled:kernel.ptx";
  const out = {};
  let answer = next((m) => m.id === 1);
  send({ id: 1, method: "initialize", params: { capabilities: {} } });
  out.initialized = (await answer)[1] - begin;
  send({ method: "initialized", params: {} });
  answer = published(1);
  send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "ptx", version: 1, text } } });
  const [first, at] = await answer;
  out.diagnostics = first.params.diagnostics.length;
  out.first = at - begin;
  const keys = [];
  for (let version = 2; version < 42; version++) {
    await new Promise((done) => setTimeout(done, 20));
    const place = { line: version, character: 0 };
    answer = published(version);
    const typed = performance.now();
    send({ method: "textDocument/didChange", params: { textDocument: { uri, version }, contentChanges: [{ range: { start: place, end: place }, text: "\n" }] } });
    keys.push((await answer)[1] - typed);
  }
  keys.sort((a, b) => a - b);
  out.keystroke = keys[20];
  out.slowest = keys.at(-1);
  const run = performance.now();
  answer = next((m) => m.id === 2);
  send({ id: 2, method: "workspace/executeCommand", params: { command: "ptx-analyzer.evaluateWarp", arguments: [{ uri }] } });
  const [result, ended] = await answer;
  out.evaluation = ended - run;
  out.status = result.result?.status;
  worker.terminate();
  return out;
}

test("a session in Chromium", { skip }, async () => {
  const { chromium } = createRequire(site)("playwright-core");
  const server = await serve();
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"] });
  try {
    const page = await browser.newPage();
    const troubles = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && !message.text().includes("favicon") && troubles.push(message.text()));
    page.on("pageerror", (error) => troubles.push(String(error)));
    const origin = `http://127.0.0.1:${server.address().port}`;
    page.on("request", (request) => request.url().startsWith(origin) || troubles.push(`asks for ${request.url()}`));
    await page.goto(`${origin}/`);
    for (const asText of [false, true]) {
      const out = await page.evaluate(session, { text: kernel("mma_matmul"), asText });
      const rounded = Object.entries(out).map(([name, value]) => `${name} ${typeof value === "number" ? Math.round(value * 10) / 10 : value}`);
      console.log(`# ${rounded.join(", ")}`);
      assert.equal(out.diagnostics, 0);
      assert.equal(out.status, "finished");
    }
    assert.deepEqual(troubles.filter((text) => !/404/.test(text)), []);
  } finally {
    await browser.close();
    server.close();
  }
});
