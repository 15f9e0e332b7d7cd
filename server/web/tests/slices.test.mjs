// Messages take effect while the server checks a long text or runs a kernel, although all share one thread.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kernel, pause, web } from "./client.mjs";

const URI = "file:///long.ptx";

/** A module of many kernels, each with a mistake. */
function long(count) {
  const text = kernel("mma_matmul");
  const at = text.search(/^\s*\.visible \.entry|^\s*\.entry/m);
  const [header, body] = [text.slice(0, at), text.slice(at)];
  const name = /\.entry\s+(\w+)/.exec(body)[1];
  const broken = body.replace(/^(\s*)ret;/m, "$1ret.bogus;");
  return header + Array.from({ length: count }, (_, i) => broken.replaceAll(name, `${name}_${i}`)).join("\n");
}

/** A kernel that does not end before its limit of steps. */
const ENDLESS = `.version 8.0
.target sm_80
.address_size 64
.visible .entry endless()
{
    .reg .pred %p;
    .reg .b32 %i;
    mov.u32 %i, 0;
again:
    add.u32 %i, %i, 1;
    setp.ne.u32 %p, %i, 0;
    @%p bra again;
    ret;
}
`;

async function time(work) {
  const begin = performance.now();
  const out = await work;
  return [out, performance.now() - begin];
}

const explain = (client) => client.request("workspace/executeCommand", { command: "ptx-analyzer.explain", arguments: [{ query: "add.u32" }] });
const of = (version) => (message) => message.method === "textDocument/publishDiagnostics" && message.params.version === version;

test("an edit overtakes a long check", async () => {
  const client = web();
  await client.initialize();
  const text = long(300);
  await explain(client);
  // The first time also compiles the module.
  client.open("file:///first.ptx", text);
  await client.message(of(1));
  client.open(URI, text);
  const [, whole] = await time(client.message((m) => of(1)(m) && m.params.uri === URI));
  // The same text in another document, which is not remembered there.
  const other = "file:///other.ptx";
  const published = () => client.messages.filter((m) => m.params?.uri === other && m.params.version !== undefined).map((m) => m.params.version);
  client.open(other, text);
  const waits = [];
  for (let version = 2; version <= 6; version++) {
    await pause(whole / 20);
    const start = { line: 0, character: 0 };
    client.change(other, version, { range: { start, end: start }, text: "// typed\n" });
    const [answer, wait] = await time(explain(client));
    assert.match(answer.result, /add/);
    waits.push(wait);
  }
  await client.message((m) => of(6)(m) && m.params.uri === other);
  console.log(`# a check of ${text.length} bytes: ${whole.toFixed(0)} ms; a message during it: ${waits.map((w) => w.toFixed(0)).join(", ")} ms`);
  assert.ok(published().filter((v) => v < 6).length < 3, `the checks of most texts before were dropped: ${published()}`);
  waits.sort((a, b) => a - b);
  assert.ok(waits[2] < whole / 4, `half of the messages wait longer than ${waits[2]} ms`);
  const expected = await client.diagnostics(other, 6, 200);
  assert.ok(expected.length >= 100, `${expected.length} diagnostics`);
});

test("messages overtake a long run, and a cancellation ends it", async () => {
  const client = web();
  await client.initialize();
  client.notify("workspace/didChangeConfiguration", { settings: { "ptx-analyzer": { evaluation: { steps: 1_000_000_000 } } } });
  client.open(URI, ENDLESS);
  await client.diagnostics(URI, 1, 300);
  const run = client.request("workspace/executeCommand", { command: "ptx-analyzer.evaluateWarp", arguments: [{ uri: URI }] });
  let ended = false;
  run.then(() => (ended = true));
  await pause(200);
  const waits = [];
  for (let version = 2; version <= 6; version++) {
    const hover = client.request("textDocument/hover", { textDocument: { uri: URI }, position: { line: 9, character: 5 } });
    const [answer, wait] = await time(hover);
    assert.match(JSON.stringify(answer.result), /add/);
    waits.push(wait);
    const end = { line: 14, character: 0 };
    client.change(URI, version, { range: { start: end, end }, text: "// typed\n" });
  }
  console.log(`# hovers during a run: ${waits.map((w) => w.toFixed(0)).join(", ")} ms`);
  await client.message(of(6));
  assert.equal(ended, false, "the run goes on meanwhile");
  // The run is the only request without an answer; its number is that of the request before the hovers.
  const id = client.idOf("workspace/executeCommand");
  client.notify("$/cancelRequest", { id });
  const [answer, wait] = await time(run);
  assert.equal(answer.error?.code, -32800, JSON.stringify(answer));
  assert.ok(wait < 2000, `${wait} ms`);
});
